"""Objects of the rooms below as HTML fragments, each text escaped, whoever wrote it.

A fragment carries its own style, asks for nothing over the network and holds no script, so it
stands in a notebook, in a page and in an e-mail alike. ``formatters`` says which type a notebook
shows by which function here.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from memconform.model import Features, Trace
from memconform.model.report import (
    Failure,
    Outcome,
    ProfileVerdict,
    Report,
    ScenarioResult,
    Verdict,
)
from memconform.retrieval import FOUNDATION, Constants, Question, Retrieval
from memconform.verdict.layout import aligned
from memconform.verdict.words import call_words, listed, number, shortened
from memconform.workbench import story
from memconform.workbench.markup import (
    BAD,
    GOOD,
    MIDDLING,
    QUIET,
    bar,
    block,
    chip,
    code,
    details,
    figure,
    fragment,
    heading,
    marked,
    numeral,
    paragraph,
    short,
    shown,
    table,
)
from memconform.workbench.scenario import Played, PlayedStep

CONTENT = 160  # characters of a content in a table
SEEN = 600  # characters of what a step expected and saw
CALLS = 12  # last calls of a broken scenario
IN_FULL = 10  # broken scenarios that can be opened; the others get a line each

_FATES: dict[story.Fate, tuple[str, str]] = {
    "in the block": ("✓", GOOD),
    "cut to fit": ("✂", MIDDLING),
    "below the floor": ("✗", BAD),
    "duplicate": ("=", MIDDLING),
    "no room": ("✗", MIDDLING),
    "over the limit": ("✗", MIDDLING),
}
_VERDICTS = {
    Verdict.CONFORMANT: ("✓", GOOD),
    Verdict.PARTIAL: ("◐", MIDDLING),
    Verdict.NON_CONFORMANT: ("✗", BAD),
    Verdict.NOT_MEASURED: ("?", MIDDLING),
}
_OUTCOMES = {
    Outcome.PASSED: ("✓", GOOD),
    Outcome.FAILED: ("✗", BAD),
    Outcome.ERROR: ("!", BAD),
    Outcome.UNSTABLE: ("≈", BAD),
    Outcome.NOT_TESTABLE: ("✗", BAD),
    Outcome.UNSUPPORTED: ("–", MIDDLING),
    Outcome.DISPUTED: ("~", QUIET),
    Outcome.NOT_RUN: ("·", QUIET),
}
_STEPS = {
    "passed": ("✓", GOOD),
    "failed": ("✗", BAD),
    "error": ("!", BAD),
    "skipped": ("·", QUIET),
}


# --- a retrieval -----------------------------------------------------------------------------


def retrieval(told: Retrieval, constants: Constants = FOUNDATION) -> Markup:
    """One retrieval, stage after stage, as far as the block."""
    return fragment(
        figure(summary(told)),
        query(told.question),
        stages(told),
        ranking(told, constants),
        prompt(told),
    )


def summary(told: Retrieval) -> str:
    """What came of a retrieval, in one sentence."""
    there, passed, chosen = len(told.ranked), len(told.passed), len(told.selected)
    if not there:
        return "No memory shares a token with the query: nothing enters the prompt."
    floor = story.floor_words(told.question.gate)
    sentence = f"{passed} of {number(there, 'candidate')} passed the gate ({floor})"
    if not chosen:
        return f"{sentence}; nothing enters the prompt."
    block = number(len(told.block), "character")
    return f"{sentence}; {number(chosen, 'memory', 'memories')} in a block of {block}."


def query(question: Question) -> Markup:
    """How a query was read: its tokens, what it hints at, and what it takes to pass."""
    tokens = question.tokens.tokens
    chips = Markup("").join(chip(t[1:], story.token_kind(t)) for t in tokens)
    kinds: dict[str, int] = {}
    for token in tokens:
        kind = story.token_kind(token)
        kinds[kind] = kinds.get(kind, 0) + 1
    told = ", ".join(number(count, kind) for kind, count in kinds.items())
    parts = [heading(f"The query is read: {number(len(tokens), 'token')}")]
    parts.append(Markup("<p>{}</p>").format(chips) if chips else paragraph("It has no tokens."))
    if told:
        cut = " The rest of it was left away." if question.tokens.truncated else ""
        parts.append(paragraph(f"{told}.{cut}", kind=QUIET))
    hinted = [*sorted(question.hints.types), *sorted(question.hints.tags)]
    hints = f"It hints at {listed(hinted, most=12)}" if hinted else "It hints at no type of memory"
    least = number(question.minimum_overlap, "token")
    parts.append(
        paragraph(
            f"{hints}; to pass the gate otherwise takes {story.floor_words(question.gate)}, "
            f"which is {least} of {len(tokens)}."
            if tokens
            else f"{hints}."
        )
    )
    return Markup("").join(parts)


def stages(told: Retrieval) -> Markup:
    """Who was dropped at which stage, and why."""
    rows: list[list[object]] = []
    for step in story.steps(told):
        reasons = [f"{reason} {count}" for reason, count in story.counted(step.dropped).items()]
        ids = ", ".join(drop.id for drop in step.dropped)
        why = details(", ".join(reasons), paragraph(short(ids, SEEN))) if step.dropped else ""
        rows.append([step.name, step.asks, step.met, step.kept, why])
    return heading("Who was dropped, where and why") + table(
        ["stage", "asks", "came", "kept", "dropped, and why"], rows, caption="stages of retrieval"
    )


def ranking(told: Retrieval, constants: Constants = FOUNDATION) -> Markup:
    """The candidates in final order, with their features, and what became of each."""
    rows = [
        [
            each.rank,
            code(each.id),
            marked(*_sign(each.fate)),
            *_figures(each.features),
            each.score,
            short(each.content, CONTENT),
        ]
        for each in story.candidates(told, constants)
    ]
    if not rows:
        return Markup("")
    columns = ["rank", "memory", "fate", *(label for _, label in story.FEATURES)]
    return heading("The candidates, best first") + table(
        [*columns, "score", "content"], rows, caption="candidates with their features"
    )


def _figures(features: Features) -> list[Markup]:
    # Coverage in full, since the gate compares it; of the others two decimals tell enough.
    first, *others = (getattr(features, name) for name, _ in story.FEATURES)
    return [numeral(f"{first:.6g}"), *(numeral(f"{other:.2f}") for other in others)]


def _sign(fate: story.Fate) -> tuple[str, str, str]:
    sign, kind = _FATES[fate]
    return sign, fate, kind


def prompt(told: Retrieval) -> Markup:
    """The block as it was assembled, and how much of the budget it takes."""
    used, budget = len(told.block), told.trace.prompt_character_budget
    words = f"{used:,} of {number(budget, 'character')}"
    parts = [
        heading("What enters the prompt"),
        Markup("<p>{}</p>").format(bar(used, budget, words)),
    ]
    parts.append(block(told.block) if told.block else paragraph("Nothing, not even a frame."))
    return Markup("").join(parts)


# --- a trace ---------------------------------------------------------------------------------


def trace(told: Trace) -> Markup:
    """One trace: ids and figures, since it holds nothing else."""
    dropped = told.filtered
    facts: list[list[object]] = [
        ["when", told.timestamp],
        ["mode", told.mode],
        ["query tokens", _with(told.query_token_count, "truncated" * told.query_tokens_truncated)],
        [
            "dropped",
            f"scope {dropped.scope}, lifecycle {dropped.lifecycle}, "
            f"irrelevant {dropped.irrelevant}",
        ],
        ["candidates", told.candidate_count],
        ["record limit", told.record_limit],
        ["block", f"{told.selected_characters:,} of {told.prompt_character_budget:,} characters"],
        ["left out for the budget", listed(told.excluded_by_prompt_budget, most=12) or "–"],
        ["cut", listed(told.truncated_ids, most=12) or "–"],
    ]
    rows = [
        [
            place,
            code(each.memory_id),
            marked("✓", "selected", GOOD) if each.selected else marked("·", "not selected", QUIET),
            each.channel,
            *_figures(each.features),
            each.final_score,
        ]
        for place, each in enumerate(told.rankings, 1)
    ]
    columns = ["rank", "memory", "", "channel", *(label for _, label in story.FEATURES), "score"]
    chosen = number(len(told.selected_ids), "memory", "memories")
    return fragment(
        figure(f"{chosen} selected of {number(told.candidate_count, 'candidate')}."),
        table(["of the retrieval", ""], facts, caption="figures of the trace"),
        table(columns, rows, caption="candidates that passed the gate") if rows else Markup(""),
    )


def _with(count: int, more: str) -> str:
    return f"{count}, {more}" if more else str(count)


# --- a report --------------------------------------------------------------------------------


def report(told: Report) -> Markup:
    """One report of a certification: the verdicts, and what does not hold."""
    who = told.implementation
    name = f"{who.name} {who.version}" if who else told.target
    parts = [
        heading(f"{name}, certified as {told.target}"),
        _verdicts(told.profiles),
    ]
    if told.error is not None:
        parts += [paragraph("The run can't be relied on.", kind=BAD), block(told.error)]
    for each in told.profiles:
        if each.reasons and told.error is None:
            parts.append(paragraph(f"{each.profile} is {each.verdict.value}:"))
            parts.append(_bullets(each.reasons))
    parts.append(_broken(told.results))
    missing = _undeclared(told.results)
    if missing:
        parts.append(paragraph(f"Not declared, so not asked for: {missing}.", kind=QUIET))
    return fragment(*parts)


def _verdicts(profiles: Sequence[ProfileVerdict]) -> Markup:
    seen = {name for each in profiles for name, count in each.counts.items() if count}
    outcomes = [each for each in Outcome if each.value in seen]
    rows: list[list[object]] = []
    for each in profiles:
        sign, kind = _VERDICTS[each.verdict]
        verdict = marked(sign, each.verdict.value, kind)
        rows.append([each.profile, verdict, *(each.counts.get(o.value, 0) for o in outcomes)])
    columns = ["profile", "verdict", *(o.value for o in outcomes)]
    return table(columns, rows, caption="verdicts, with the numbers of MUST scenarios")


def _bullets(lines: Sequence[str]) -> Markup:
    items = Markup("").join(Markup("<li>{}</li>").format(shown(line)) for line in lines)
    return Markup("<ul>{}</ul>").format(items)


def _broken(results: Sequence[ScenarioResult]) -> Markup:
    broken = [each for each in results if each.outcome.breaks]
    if not broken:
        return Markup("")
    by_rule: dict[str, list[ScenarioResult]] = {}
    for each in broken:
        by_rule.setdefault(each.rule, []).append(each)
    parts = [heading(f"What does not hold: {number(len(broken), 'scenario')}")]
    for rule, group in by_rule.items():
        inner = [_scenario(each) for each in group[:IN_FULL]]
        rest = [each.id for each in group[IN_FULL:]]
        if rest:
            inner.append(paragraph(f"and {listed(rest, most=20)}", kind=QUIET))
        must = "" if group[0].must else " (recommended, never changes a verdict)"
        parts.append(details(f"{rule}: {number(len(group), 'scenario')}{must}", *inner))
    return Markup("").join(parts)


def _undeclared(results: Sequence[ScenarioResult]) -> str:
    counts: dict[str, int] = {}
    for each in results:
        for capability in each.missing:
            counts[capability] = counts.get(capability, 0) + 1
    return ", ".join(f"{name} ({count})" for name, count in counts.items())


def scenario(told: ScenarioResult) -> Markup:
    """One scenario: each step, with what was expected and seen where it went wrong."""
    return fragment(_scenario(told))


def played(told: Played) -> Markup:
    """The scenarios of a cell: each step, with the calls that it made and what came of them."""
    parts = [paragraph(f"Played against {told.store} ({told.target}).", kind=QUIET)]
    for each in told.scenarios:
        sign, kind = _outcome(each.outcome)
        parts.append(paragraph(marked(sign, f"{each.title}: {each.outcome.value}", kind)))
        if each.missing:
            parts.append(paragraph(f"The store does not declare {listed(each.missing)}."))
        parts += [_played_step(step) for step in each.steps]
    return fragment(*parts)


def _played_step(told: PlayedStep) -> Markup:
    mark, colour = _STEPS[told.outcome]
    parts = [marked(mark, f"{told.keyword} {told.text}", colour)]
    if told.table:
        parts.append(block("\n".join(aligned(told.table))))
    if told.expected is not None:
        rows = [["expected", short(told.expected, SEEN)], ["seen", short(told.seen or "", SEEN)]]
        parts.append(table(["", ""], rows, caption="what was expected and seen"))
    if told.calls:
        rows = [[*call_words(call)] for call in told.calls[-CALLS:]]
        parts.append(table(["asked", "answered"], rows, caption="calls to the store"))
    return Markup('<div style="margin:.3em 0 .3em 1em">{}</div>').format(Markup("").join(parts))


def _outcome(outcome: Outcome) -> tuple[str, str]:
    # What is neither known here nor good is shown as what it does.
    return _OUTCOMES.get(outcome, ("✗", BAD) if outcome.breaks else ("·", QUIET))


def _scenario(told: ScenarioResult) -> Markup:
    sign, kind = _outcome(told.outcome)
    parts = [paragraph(marked(sign, f"{told.title}: {told.outcome.value}", kind))]
    steps = []
    for step in told.steps:
        mark, colour = _STEPS[step.outcome]
        first, *more = f"{step.keyword} {step.text}".split("\n")
        steps.append(
            Markup("<div>{}{}</div>").format(
                marked(mark, first, colour), block("\n".join(more)) if more else ""
            )
        )
    parts += steps
    if told.missing:
        parts.append(paragraph(f"The store does not declare {listed(told.missing)}."))
    if told.failure is not None:
        parts.append(_failure(told.failure))
    if told.calls:
        parts.append(_calls(told))
    return Markup('<div style="margin:.5em 0 .5em 1em">{}</div>').format(Markup("").join(parts))


def _failure(told: Failure) -> Markup:
    parts = [
        table(
            ["", ""],
            [
                ["expected", short(told.expected, SEEN)],
                ["seen", short(told.seen, SEEN)],
            ],
            caption="what was expected and seen",
        )
    ]
    if told.blame == "harness":
        parts.append(paragraph("The kit or the adapter is at fault, not the implementation."))
    if told.evidence:
        parts.append(details("evidence", block(shortened(told.evidence, 4 * SEEN))))
    return Markup("").join(parts)


def _calls(told: ScenarioResult) -> Markup:
    rows = [call_words(call) for call in told.calls[-CALLS:]]
    return details(
        f"{number(len(told.calls), 'call')} to the store",
        table(["asked", "answered"], rows, caption="calls to the store"),
    )
