"""summary.md: the report as Markdown, for the summary page of a CI job or a pull request.

Every text that is not the kit's own stands in a code span or a fence that it can't close, so no
memory can make a heading, a link, an image or a mention of itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memconform.model.report import (
    Outcome,
    Probe,
    ProfileVerdict,
    Report,
    ScenarioResult,
    Verdict,
)
from memconform.verdict import defects, repeat
from memconform.verdict.blame import AT_FAULT, party
from memconform.verdict.words import call_words, harmless, number, shortened

NAME = "summary.md"
DETAILED = 30  # scenarios told in full: GitHub takes a summary of at most 1 MiB
EVIDENCE = 2000  # characters of evidence shown; report.json has the whole
CALLS = 12  # last calls shown

SIGNS = {
    Verdict.CONFORMANT: "✅",
    Verdict.PARTIAL: "🟡",
    Verdict.NON_CONFORMANT: "❌",
    Verdict.NOT_MEASURED: "❔",
}
_COLUMNS = (
    Outcome.PASSED,
    Outcome.FAILED,
    Outcome.ERROR,
    Outcome.UNSTABLE,
    Outcome.NOT_TESTABLE,
    Outcome.UNSUPPORTED,
    Outcome.DISPUTED,
    Outcome.NOT_RUN,
)


def summary(report: Report) -> str:
    """One report."""
    lines = [f"# {code(_name(report))}", ""]
    lines += [
        f"{_way(report)}. Kit {code(report.kit)}, suite {code(report.suite[:12] or 'unknown')}."
    ]
    if (often := repeat.sentence(report)) is not None:
        lines += ["", often]
    lines += ["", *_verdict_table(report.profiles), ""]
    if report.error is not None:
        lines += ["**The run can't be relied on.**", "", *fenced(report.error), ""]
    for told in report.profiles:
        if told.reasons and report.error is None:
            lines += [f"**{told.profile}** is {told.verdict.value}:", ""]
            lines += [f"- {prose(reason)}" for reason in told.reasons]
            lines.append("")
    lines += _defects(report)
    lines += _scenarios(report)
    lines += _probes(report.probes)
    lines += _unsupported(report)
    return "\n".join(lines).rstrip() + "\n"


def summary_of_all(reports: Sequence[Report]) -> str:
    """One table over several reports, targets in the order given."""
    names = list(dict.fromkeys(told.profile for report in reports for told in report.profiles))
    lines = ["# Conformance", "", _row(["implementation", "target", *names])]
    lines.append(_row(["---"] * (len(names) + 2)))
    for report in reports:
        by_name = {told.profile: told for told in report.profiles}
        cells = [_cell(by_name.get(name)) for name in names]
        lines.append(_row([cell_code(_name(report)), cell_code(report.target), *cells]))
    return "\n".join(lines) + "\n"


def code(text: str) -> str:
    """A code span that the text can't close, on one line."""
    told = harmless(text)
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", told)), default=0))
    pad = " " if told.startswith(("`", " ")) or told.endswith(("`", " ")) or not told else ""
    return f"{ticks}{pad}{told}{pad}{ticks}"


def cell_code(text: str) -> str:
    """The same within a table, where a pipe ends the cell even in a code span."""
    return code(text).replace("|", "\\|")


def fenced(text: str) -> list[str]:
    """Lines of a fence that the text can't close."""
    told = harmless(text, keep="\n\t")
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", told)), default=0))
    return [f"{ticks}text", *told.split("\n"), ticks]


def prose(text: str) -> str:
    """A sentence as text: whatever could be markup in it is escaped, and it stays on its line."""
    told = re.sub(r"[\\`*_\[\]#|~$]|:(?=//)|(?<=www)\.|^[-+=]", r"\\\g<0>", harmless(text))
    told = re.sub(r"^(\d+)([.)])", r"\1\\\2", told)
    return told.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _name(report: Report) -> str:
    who = report.implementation
    return f"{who.name} {who.version}" if who else report.target


def _way(report: Report) -> str:
    how = "in process" if report.way == "in-process" else "over the wire"
    return f"Target {code(report.target)}, {how}"


def _verdict_table(profiles: Iterable[ProfileVerdict]) -> list[str]:
    profiles = list(profiles)
    seen = {name for p in profiles for n in (p.counts, p.should_counts) for name in n if n[name]}
    # Only a run that was repeated can find what is unstable: its column is for those.
    shown = [o for o in _COLUMNS if o is not Outcome.UNSTABLE or o.value in seen]
    columns = ["profile", "verdict", "keyword", *(outcome.value for outcome in shown)]
    lines = [_row(columns), _row(["---"] * 3 + ["---:"] * len(shown))]
    for told in profiles:
        verdict = f"{SIGNS[told.verdict]} **{told.verdict.value}**"
        lines.append(_row([told.profile, verdict, "MUST", *_counts(told.counts, shown)]))
        if any(told.should_counts.values()):
            lines.append(_row(["", "", "SHOULD", *_counts(told.should_counts, shown)]))
    return lines


def _counts(counts: dict[str, int], shown: Sequence[Outcome]) -> list[str]:
    return [str(counts.get(outcome.value, 0)) for outcome in shown]


def _cell(told: ProfileVerdict | None) -> str:
    if told is None:
        return "–"
    scored = sum(told.counts.values())
    passed = told.counts.get(Outcome.PASSED.value, 0)
    return f"{SIGNS[told.verdict]} {told.verdict.value}, {passed} of {scored} MUST passed"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _scenarios(report: Report) -> list[str]:
    lines: list[str] = []
    shown = 0
    for heading, group in (
        ("What does not hold", [r for r in report.results if r.must and _holds_never(r)]),
        (
            "What does not come out the same in every run",
            [r for r in report.results if r.must and r.outcome is Outcome.UNSTABLE],
        ),
        (
            "Recommended, never changes a verdict",
            [r for r in report.results if not r.must and r.outcome.breaks],
        ),
        (
            "Disputed, not scored",
            [r for r in report.results if r.outcome is Outcome.DISPUTED and r.failure],
        ),
    ):
        if group:
            lines += [f"## {heading}", ""]
        for result in group:
            if shown < DETAILED:
                lines += _scenario(result)
            elif shown == DETAILED:
                lines += ["The others, told in full in report.json:", ""]
            if shown >= DETAILED:
                lines.append(f"- {code(result.id)}: {result.outcome.value}")
            shown += 1
        lines += [""] if group else []
    return lines


def _defects(report: Report) -> list[str]:
    """The defects that were found in use, where the profile that asks for them was measured."""
    found = defects.by_defect(report.results)
    if not found:
        return []
    lines = ["## Defects that were found in use", "", _row(["id", "answer", "why"])]
    lines.append(_row(["---"] * 3))
    for id, results in found.items():
        answer = defects.answer(results)
        lines.append(_row([id, answer.sign, prose(answer.words)]))
    return [*lines, ""]


def _holds_never(result: ScenarioResult) -> bool:
    return result.outcome.breaks and result.outcome is not Outcome.UNSTABLE


def _probes(probes: Sequence[Probe]) -> list[str]:
    """Whether the implementation is what it says it is, as far as there is something to say."""
    told = [probe for probe in probes if probe.told]
    if not told:
        return []
    lines = ["## What it says of itself", ""]
    return [*lines, *(f"- {prose(harmless(probe.told))}" for probe in told), ""]


def _scenario(result: ScenarioResult) -> list[str]:
    lines = [f"### {prose(result.title)}", ""]
    lines += [
        f"{code(result.id)} · requirement “{prose(result.rule)}” · {result.outcome.value}",
        "",
    ]
    failure = result.failure
    if failure is not None:
        expected, seen = (shortened(t, EVIDENCE) for t in (failure.expected, failure.seen))
        lines += fenced(f"expected  {expected}\nseen      {seen}")
        lines += ["", f"{AT_FAULT[party(failure)]}."]
        lines.append("")
    details = [*_steps(result), *_calls(result)]
    if failure is not None and failure.evidence:
        details += ["", "evidence:", shortened(failure.evidence, EVIDENCE)]
    if details:
        lines += ["<details><summary>steps and calls</summary>", ""]
        lines += [*fenced("\n".join(details).strip("\n")), "", "</details>", ""]
    return [*lines, "Alone:", "", *fenced(result.reproduce), ""]


def _steps(result: ScenarioResult) -> list[str]:
    marks = {"passed": "ok", "failed": "FAILED", "error": "ERROR", "skipped": "-"}
    return [
        f"{marks[step.outcome]:>6}  {step.keyword} {step.text}".replace("\n", "\n        ")
        for step in result.steps
    ]


def _calls(result: ScenarioResult) -> list[str]:
    lines = []
    if (left_out := len(result.calls) - CALLS) > 0:
        lines.append(f"({number(left_out, 'earlier call')} left out)")
    for call in result.calls[-CALLS:]:
        asked, came = call_words(call)
        lines += [f"{asked}", f"    -> {came}"]
    return ["", *lines] if lines else []


def _unsupported(report: Report) -> list[str]:
    by_missing: dict[tuple[str, ...], int] = {}
    for result in report.results:
        if result.outcome is Outcome.UNSUPPORTED:
            key = tuple(result.missing)
            by_missing[key] = by_missing.get(key, 0) + 1
    if not by_missing:
        return []
    lines = ["## Not declared, so not asked for", ""]
    return lines + [
        f"- {code(', '.join(missing))}: {number(count, 'scenario')}"
        for missing, count in by_missing.items()
    ]
