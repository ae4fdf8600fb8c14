"""report.html: the report as one page, for people who would rather look than read.

One file that asks for nothing: no network, no script, no font. Whatever is folded is folded by the
browser itself. Every text is made harmless, bounded and escaped by the template's environment; the
pictures are drawn by the template too, so nothing is ever put in as markup.
"""

from __future__ import annotations

import functools
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2

from memconform.model.report import (
    Failure,
    Outcome,
    Probe,
    ProfileVerdict,
    Report,
    ScenarioResult,
    StepResult,
    Verdict,
)
from memconform.protocol import CAPABILITIES
from memconform.spec.openspec import Requirement
from memconform.suite.profiles import PROFILES
from memconform.verdict import defects, repeat
from memconform.verdict.blame import AT_FAULT, party
from memconform.verdict.clusters import clusters, common_cause
from memconform.verdict.layout import realigned
from memconform.verdict.words import harmless, listed, number, shortened, without_nulls

NAME = "report.html"
TEMPLATE, TEMPLATE_OF_ALL = "page.html.jinja", "page_of_all.html.jinja"

TEXT = 4000  # characters of any text; report.json has the whole
VALUE = 600  # of a text within a call
ONE_LINE = 96  # of JSON that isn't broken into lines
SEEN = 110  # of what was seen, beside the title of a folded scenario
STORIES = 250  # broken scenarios told with steps and calls, the first of the page
REASON = 240  # characters of a reason that stands open below its verdict
LEAST = 0.9  # hundredths of a bar: what is there must be seen
ROOM = 8.0  # hundredths of a bar that a figure needs


@dataclass(frozen=True, slots=True)
class Look:
    """How an outcome or a verdict is shown: never by colour alone."""

    sign: str
    style: str
    words: str


LOOKS = {
    Outcome.PASSED: Look("✓", "passed", "passed"),
    Outcome.FAILED: Look("✗", "failed", "failed"),
    Outcome.ERROR: Look("!", "error", "in error"),
    Outcome.UNSTABLE: Look("≈", "unstable", "unstable"),
    Outcome.NOT_TESTABLE: Look("✗", "not-testable", "not testable"),
    Outcome.UNSUPPORTED: Look("–", "unsupported", "unsupported"),
    Outcome.DISPUTED: Look("~", "disputed", "disputed"),
    Outcome.NOT_RUN: Look("·", "not-run", "not run"),
}
VERDICTS = {
    Verdict.CONFORMANT: Look("✓", "good", "conformant"),
    Verdict.PARTIAL: Look("◐", "mid", "partial"),
    Verdict.NON_CONFORMANT: Look("✗", "bad", "non-conformant"),
    Verdict.NOT_MEASURED: Look("?", "none", "not measured"),
}
STEPS = {
    "passed": Look("✓", "passed", "passed"),
    "failed": Look("✗", "failed", "failed"),
    "error": Look("!", "failed", "error"),
    "skipped": Look("·", "skipped", "not reached"),
}

_QUESTIONS = {
    "reference": "Is it a store of its own?",
    "cut-off": "Is it the system that answers, not the adapter?",
    "policies": "Does what it declares agree with itself?",
    "probes": "All of these looks",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a bar; ``x`` and ``width`` in hundredths of it, ``label`` where it has room."""

    look: Look
    count: int
    x: float
    width: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """The outcomes of some scenarios, side by side, in counts."""

    parts: tuple[Part, ...]
    total: int

    @property
    def words(self) -> str:
        """The same for who doesn't see it: ``410 passed, 83 failed``."""
        return ", ".join(f"{part.count:,} {part.look.words}" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Grouped:
    """Scenarios that are only listed.

    Attributes:
        name: what they have in common.
        told: how many there are of them, and where.
        rules: title of a requirement, and its scenarios: title and number of rows.
    """

    name: str
    told: str
    rules: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


def page(report: Report, requirements: Mapping[str, Requirement], *, digest: str) -> str:
    """The page of one report.

    Args:
        report: what was measured.
        requirements: of the specs at hand, by ``capability/slug``: why each of them is there.
        digest: of the suite at hand, which need not be the one that was run.
    """
    must = [r for r in report.results if r.must and r.outcome.breaks]
    return (
        _environment()
        .get_template(TEMPLATE)
        .render(
            report=report,
            who=report.implementation,
            name=name_of(report),
            headline=_headline(report),
            often=repeat.sentence(report),
            verdicts=[(told, VERDICTS[told.verdict], _promise(told)) for told in report.profiles],
            facts=_facts(report),
            broken=clusters(must),
            broken_scenarios=len(must),
            alike=common_cause(must),
            recommended=clusters(r for r in report.results if not r.must),
            requirements=requirements,
            same_suite=digest == report.suite,
            stories=_stories(report.results),
            disputed=[r for r in report.results if r.outcome is Outcome.DISPUTED],
            not_run=_by_profile(report.results, Outcome.NOT_RUN),
            unsupported=_unsupported(report.results),
            probes=report.probes,
            defects=[
                (id, defects.answer(found))
                for id, found in defects.by_defect(report.results).items()
            ],
            passed=_by_profile(report.results, Outcome.PASSED),
        )
    )


def page_of_all(reports: Sequence[tuple[str, Report]]) -> str:
    """One page with a table over several reports, in the order given.

    Args:
        reports: each with the folder beside this page that holds its own.
    """
    names = dict.fromkeys(told.profile for _, report in reports for told in report.profiles)
    rows = [
        (folder, report, {told.profile: told for told in report.profiles})
        for folder, report in reports
    ]
    return (
        _environment()
        .get_template(TEMPLATE_OF_ALL)
        .render(names=list(names), rows=rows, page_name=NAME)
    )


def name_of(report: Report) -> str:
    """Who was measured, as far as it has said."""
    who = report.implementation
    return f"{who.name} {who.version}" if who else report.target


# --- the environment -------------------------------------------------------------------------


class _Kept(str):
    """A text that has been made harmless and bounded already, its line feeds kept."""

    __slots__ = ()


def _lines(text: str, limit: int = TEXT) -> _Kept:
    """A text of several lines."""
    return _Kept(harmless(shortened(text, limit), keep="\n"))


def _put(value: Any) -> Any:
    """Whatever is put in, before it is escaped: a bounded text in which nothing is active."""
    return harmless(shortened(value, TEXT)) if type(value) is str else value


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("memconform.verdict", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_put,
    )
    environment.globals |= {"seen_limit": SEEN}
    environment.filters |= {
        "bar": bar,
        "blame": _blame,
        "command": shlex.quote,
        "cut": shortened,
        "folded": _folded,
        "json": _json,
        "lines": _lines,
        "listed": listed,
        "look": lambda outcome: LOOKS[outcome],
        "name_of": name_of,
        "number": number,
        "question": _question,
        "row": _row,
        "share": _share,
        "step": _step,
        "step_look": lambda outcome: STEPS[outcome],
        "time": _time,
        "took": _took,
        "verdict": lambda verdict: VERDICTS[verdict],
    }
    return environment


# --- pictures --------------------------------------------------------------------------------


def bar(counts: Mapping[str, int]) -> Bar:
    """The counts of a profile as a bar; outcomes that didn't come up have no part in it."""
    present = [(look, n) for outcome, look in LOOKS.items() if (n := counts.get(outcome.value, 0))]
    total = sum(count for _, count in present)
    shares = [max(LEAST, 100 * count / total) for _, count in present]
    parts, x = [], 0.0
    for (look, count), share in zip(present, shares, strict=True):
        width = share * 100 / sum(shares)
        label = f"{count:,}" if width >= ROOM else ""
        parts.append(Part(look, count, round(x, 2), round(width, 2), label))
        x += width
    return Bar(tuple(parts), total)


def _share(count: int, most: int) -> float:
    """How long a bar for the count is, in hundredths of that for the greatest."""
    return round(max(LEAST, 100 * count / most), 2)


# --- words -----------------------------------------------------------------------------------


def _headline(report: Report) -> tuple[Look, str]:
    """The whole in one sentence."""
    nothing = VERDICTS[Verdict.NOT_MEASURED]
    if report.error is not None:
        why = "Nothing was measured" if not report.results else "The run can’t be relied on"
        return nothing, f"{why}, so there is no verdict."
    if any(probe.disqualifies for probe in report.probes):
        return nothing, "It is not the system itself that answered, so there is no verdict."
    by_verdict: dict[Verdict, list[str]] = {}
    for told in report.profiles:
        by_verdict.setdefault(told.verdict, []).append(told.profile)
    if not by_verdict:
        return nothing, "No profile was measured."
    sentence = "; ".join(
        f"{VERDICTS[verdict].words} in {listed(by_verdict[verdict], most=20)}"
        for verdict in Verdict
        if verdict in by_verdict
    )
    worst = next(
        verdict
        for verdict in (
            Verdict.NON_CONFORMANT,
            Verdict.PARTIAL,
            Verdict.NOT_MEASURED,
            Verdict.CONFORMANT,
        )
        if verdict in by_verdict
    )
    return VERDICTS[worst], f"{sentence[:1].upper()}{sentence[1:]}."


def _promise(told: ProfileVerdict) -> str:
    profile = PROFILES.get(told.profile)
    return profile.title if profile is not None else ""


def _folded(told: ProfileVerdict) -> bool:
    """Whether the reasons are too many or too long to stand open."""
    return len(told.reasons) > 1 or len(told.reasons[0]) > REASON


def _question(probe: Probe) -> str:
    """What was looked at, as a question."""
    if probe.subject in CAPABILITIES:
        return f"Is {probe.subject} there exactly if it is declared?"
    return _QUESTIONS.get(probe.subject, probe.subject)


def _facts(report: Report) -> list[tuple[str, str]]:
    """Who was measured and by what, a line each."""
    who = report.implementation
    facts = []
    if who is not None:
        facts += [("Name", who.name), ("Version", who.version), ("Language", who.language)]
        facts += [("Homepage", who.homepage)] if who.homepage else []
    facts += [
        ("Target", report.target),
        ("Reached", "in process" if report.way == "in-process" else "over the wire"),
    ]
    if who is not None:
        facts.append(("Protocol", who.protocol))
    return [
        *facts,
        ("Kit", f"memconform {report.kit}"),
        ("Suite", report.suite or "unknown"),
        ("Measured", f"{_time(report.started)}, took {_took(report.seconds)}"),
    ]


def _time(started: str) -> str:
    """``2026-11-30 15:35:32 UTC``; what isn't a time of this form stays as it is."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:00)", started)
    return f"{match[1]} {match[2]} UTC" if match else started


def _took(seconds: float) -> str:
    """``0.4 s``, ``5 min 6 s``."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s"


def _blame(failure: Failure) -> str:
    return AT_FAULT[party(failure)]


def _row(result: ScenarioResult) -> str:
    """The number of its example row, as in its id; empty where it has none."""
    _, bracket, number_ = result.id.partition("[")
    return number_.removesuffix("]") if bracket else ""


def _step(step: StepResult) -> tuple[str, str]:
    """The first line of a step, and its table or text, with the table's columns aligned."""
    first, *rest = shortened(step.text, TEXT).split("\n")
    return first, "\n".join(realigned([harmless(line.strip()) for line in rest]))


def _json(value: Any) -> str:
    """A JSON-like value to be read: without what says nothing, long texts cut."""
    plain = _cut(without_nulls(value))
    # Keys sorted, as in report.json: the same page from the run and from the file.
    line = json.dumps(plain, ensure_ascii=False, sort_keys=True)
    if len(line) > ONE_LINE:
        line = json.dumps(plain, ensure_ascii=False, sort_keys=True, indent=1)
    return line


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return shortened(value, VALUE)
    if isinstance(value, dict):
        return {shortened(name, VALUE): _cut(inner) for name, inner in value.items()}
    return [_cut(inner) for inner in value] if isinstance(value, list) else value


# --- which scenarios, and how many of them ---------------------------------------------------


def _stories(results: Sequence[ScenarioResult]) -> frozenset[str]:
    """The ids of the broken scenarios that are told in full, in the order of the page."""
    must = clusters(result for result in results if result.must)
    should = clusters(result for result in results if not result.must)
    ids = [result.id for cluster in (*must, *should) for result in cluster.results]
    return frozenset(ids[:STORIES])


def _by_profile(results: Sequence[ScenarioResult], outcome: Outcome) -> list[Grouped]:
    """The scenarios with this outcome, by profile."""
    groups: dict[str, list[ScenarioResult]] = {}
    for result in results:
        if result.outcome is outcome:
            groups.setdefault(result.profile, []).append(result)
    return [
        Grouped(profile, number(len(group), "scenario"), _rules(group))
        for profile, group in groups.items()
    ]


def _unsupported(results: Sequence[ScenarioResult]) -> list[Grouped]:
    """The scenarios that were not asked for, by what would have to be declared."""
    groups: dict[tuple[str, ...], list[ScenarioResult]] = {}
    for result in results:
        if result.outcome is Outcome.UNSUPPORTED:
            groups.setdefault(tuple(result.missing), []).append(result)
    return [
        Grouped(listed(missing, most=20), _where(group), _rules(group))
        for missing, group in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]


def _where(group: Sequence[ScenarioResult]) -> str:
    """``12 scenarios of core and fusion, 2 of them SHOULD``."""
    profiles = listed(list(dict.fromkeys(result.profile for result in group)), most=20)
    should = sum(not result.must for result in group)
    told = f"{number(len(group), 'scenario')} of {profiles}"
    return f"{told}, {should:,} of them SHOULD" if should else told


def _rules(group: Iterable[ScenarioResult]) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    by_rule: dict[str, dict[str, list[str]]] = {}
    for result in group:
        titles = by_rule.setdefault(result.rule, {})
        titles.setdefault(result.id.partition("[")[0], []).append(result.title)
    return tuple(
        (rule, tuple((titles[0], len(titles)) for titles in scenarios.values()))
        for rule, scenarios in by_rule.items()
    )
