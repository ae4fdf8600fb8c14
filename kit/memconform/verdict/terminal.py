"""The report as a person reads it on a terminal, at any width.

Everything is built from ``Text``, never from markup, and goes through ``harmless`` first: a memory
that holds an escape sequence, a bidi control or ``[red]`` is shown, not obeyed.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

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
from memconform.verdict import repeat
from memconform.verdict.blame import AT_FAULT, party
from memconform.verdict.clusters import common_cause
from memconform.verdict.compare import Changes, sentences
from memconform.verdict.layout import bullet, cells, copied, indented, step_table
from memconform.verdict.words import call_words, harmless, listed, number, shortened

IN_FULL = 6  # broken scenarios told in full; the others get a line each
CALLS = 6  # last calls of a broken scenario
SEEN = 600  # characters of what was seen, and of the evidence
LISTED = 12  # scenarios listed of each kind of change
_EVIDENCE_LINES = 8
_ANY_WIDTH = 10_000  # columns, to find out how many a table would take

_SIGNS = {
    Verdict.CONFORMANT: ("✓", "bold green"),
    Verdict.PARTIAL: ("◐", "bold yellow"),
    Verdict.NON_CONFORMANT: ("✗", "bold red"),
    Verdict.NOT_MEASURED: ("?", "bold magenta"),
}
_OUTCOMES = {
    Outcome.PASSED: ("✓", "green"),
    Outcome.FAILED: ("✗", "red"),
    Outcome.ERROR: ("!", "red"),
    Outcome.UNSTABLE: ("≈", "red"),
    Outcome.NOT_TESTABLE: ("✗", "red"),
    Outcome.UNSUPPORTED: ("–", "yellow"),
    Outcome.DISPUTED: ("~", "cyan"),
    Outcome.NOT_RUN: ("·", "magenta"),
}
_STEPS = {
    "passed": ("✓", "green"),
    "failed": ("✗", "bold red"),
    "error": ("!", "bold red"),
    "skipped": ("·", "dim"),
}
_WORDS = {
    Outcome.ERROR: "in error",
    Outcome.NOT_TESTABLE: "not testable",
    Outcome.NOT_RUN: "not run",
}


def show(report: Report, out: Console, *, alone: bool = False, known: bool = False) -> None:
    """One report: who, the verdicts, why, and what to look at.

    Args:
        report: what to show.
        out: where to.
        alone: one scenario was asked for; show it in full whatever came of it.
        known: every outcome is that of a baseline; its failures aren't told again.
    """
    out.print(_head(report))
    if (often := repeat.sentence(report)) is not None:
        out.print(Text(often, style="dim"))
    out.print()
    if report.error is not None:
        _show_error(report.error, out)
        if not report.results:
            out.print(Text("See how far it comes, operation by operation:", style="dim"))
            copied(f"memconform smoke {harmless(shlex.quote(report.target))}", out)
            return
    if alone:
        for result in report.results:
            _show_scenario(result, out)
        return
    out.print(_verdicts(report.profiles))
    if not known:
        _show_common_cause([r for r in report.results if r.must and r.outcome.breaks], out)
    if report.error is None:
        _show_reasons(report.profiles, out)
    if not known:
        _show_broken(report, out)
    _show_probes(report.probes, out)
    _show_unsupported(report, out)


def show_table(reports: Sequence[Report], out: Console) -> None:
    """Several reports in one table: a row each, or one a profile where that is too wide."""
    names = list(dict.fromkeys(told.profile for report in reports for told in report.profiles))
    table = _table("Target", *(name.capitalize() for name in names))
    for report in reports:
        by_name = {told.profile: told for told in report.profiles}
        table.add_row(_target_cell(report), *(_verdict_cell(by_name.get(name)) for name in names))
    unbounded = out.options.update(max_width=_ANY_WIDTH)
    wide = out.measure(table, options=unbounded).maximum > out.width
    out.print(_upright(reports) if wide else table)


def _upright(reports: Sequence[Report]) -> Table:
    """A row for each profile of each report."""
    table = _table("Target", "Profile", "Verdict", "MUST")
    for report in reports:
        target = _target_cell(report)
        for told in report.profiles:
            sign, style = _SIGNS[told.verdict]
            passed, total = told.counts.get(Outcome.PASSED.value, 0), sum(told.counts.values())
            verdict = Text(f"{sign} {told.verdict.value}", style=style)
            table.add_row(target, harmless(told.profile), verdict, f"{passed} of {total}")
            target = Text()
        if not report.profiles:
            table.add_row(target, Text("–", style="dim"))
        table.add_section()
    return table


def show_in_short(report: Report, out: Console) -> None:
    """What is wrong with one of several targets, a line a scenario; nothing where nothing is."""
    broken = [r for r in report.results if r.must and r.outcome.breaks]
    owed = [reason for told in report.profiles for reason in told.reasons if not broken]
    caught = any(probe.disqualifies for probe in report.probes)
    if not broken and not owed and report.error is None and not caught:
        return
    out.print()
    out.print(Text(harmless(report.target), style="bold"))
    if report.error is not None:
        _show_error(report.error, out)
    for probe in report.probes:
        if probe.disqualifies:
            out.print(indented(_probe(probe), 2))
    if report.error is None and not broken:
        for reason in dict.fromkeys(owed):
            out.print(indented(bullet(Text("·", style="dim"), Text(harmless(reason))), 2))
    for rows in _by_scenario(broken):
        out.print(indented(_line(rows[0], also=len(rows) - 1), 2))


def _by_scenario(results: Sequence[ScenarioResult]) -> list[list[ScenarioResult]]:
    """The rows of an outline together, in the order of their first."""
    rows: dict[str, list[ScenarioResult]] = {}
    for result in results:
        rows.setdefault(result.id.partition("[")[0], []).append(result)
    return list(rows.values())


def show_changes(changes: Changes, out: Console) -> None:
    """What differs from a baseline, in sentences."""
    told = sentences(changes, most=LISTED)
    out.print()
    sign, style = ("✓", "bold green") if changes.none else ("✗", "bold red")
    title = Text.assemble((f"{sign} ", style), ("Against the baseline", "bold"))
    if changes.target:
        title.append(f" of {harmless(changes.target)}")
    out.print(title)
    for sentence in told:
        if sentence.startswith("- "):
            out.print(indented(bullet(Text("·", style="dim"), Text(sentence[2:])), 4))
        else:
            out.print(indented(Text(sentence), 2))


def show_note(sentence: str, out: Console) -> None:
    """A sentence beside the report."""
    out.print()
    out.print(Text(harmless(sentence), style="dim"))


def show_written(paths: Sequence[Path], out: Console) -> None:
    """Which files were written, a line each so that they can be opened from the terminal."""
    if paths:
        out.print()
        out.print(Text("Written", style="dim"))
    for path in paths:
        copied(harmless(str(path)), out)


# --- who ---------------------------------------------------------------------------------------


def _head(report: Report) -> Text:
    how = "in process" if report.way == "in-process" else "over the wire"
    who = report.implementation
    if who is None:
        return Text.assemble((harmless(report.target), "bold"), (f"  {how}", "dim"))
    name = Text.assemble((f"{harmless(who.name)} {harmless(who.version)}", "bold"))
    name.append(f"  {harmless(who.language)}, {harmless(report.target)}, {how}", style="dim")
    return name


def _show_error(error: str, out: Console) -> None:
    first, *rest = error.split("\n")
    out.print(bullet(Text("!", style="bold red"), Text(harmless(first), style="red")))
    for line in rest:
        out.print(indented(Text(harmless(line), style="dim"), 2))
    out.print()


# --- verdicts ----------------------------------------------------------------------------------


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", expand=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _verdicts(profiles: Sequence[ProfileVerdict]) -> RenderableType:
    table = _table("Profile", "Verdict", "MUST", "SHOULD")
    for told in profiles:
        sign, style = _SIGNS[told.verdict]
        table.add_row(
            Text(harmless(told.profile), style="bold"),
            Text(f"{sign} {told.verdict.value}", style=style),
            _counts(told.counts),
            _counts(told.should_counts),
        )
    return table


def _counts(counts: dict[str, int]) -> Text:
    """``58 of 61 passed``, then the others that there are, a line each."""
    total = sum(counts.values())
    if not total:
        return Text("none", style="dim")
    passed = counts.get(Outcome.PASSED.value, 0)
    told = Text(f"{passed} of {total} passed", style="green" if passed == total else "")
    for outcome, (_, style) in _OUTCOMES.items():
        if outcome is not Outcome.PASSED and (count := counts.get(outcome.value, 0)):
            told.append("\n")
            told.append(f"{count} {_word(outcome)}", style=style)
    return told


def _word(outcome: Outcome) -> str:
    return _WORDS.get(outcome, outcome.value)


def _target_cell(report: Report) -> Text:
    told = Text(harmless(report.target), style="bold")
    if report.implementation is not None:
        who = report.implementation
        told.append(f"\n{harmless(who.name)} {harmless(who.version)}", style="dim not bold")
    return told


def _verdict_cell(told: ProfileVerdict | None) -> Text:
    if told is None:
        return Text("–", style="dim")
    sign, style = _SIGNS[told.verdict]
    passed, total = told.counts.get(Outcome.PASSED.value, 0), sum(told.counts.values())
    cell = Text(f"{sign} {told.verdict.value}", style=style)
    return cell.append(f"\n{passed} of {total} MUST", style="dim not bold")


def _show_reasons(profiles: Sequence[ProfileVerdict], out: Console) -> None:
    for told in profiles:
        if not told.reasons:
            continue
        out.print(Text(f"Why {harmless(told.profile)} is {told.verdict.value}", style="bold"))
        for reason in told.reasons:
            out.print(indented(bullet(Text("·", style="dim"), Text(harmless(reason))), 2))
        out.print()


# --- scenarios ---------------------------------------------------------------------------------


def _show_broken(report: Report, out: Console) -> None:
    must = [r for r in report.results if r.must and r.outcome.breaks]
    should = [r for r in report.results if not r.must and r.outcome.breaks]
    disputed = [r for r in report.results if r.outcome is Outcome.DISPUTED and r.failure]
    in_full = _one_a_requirement(must)[:IN_FULL]
    for result in in_full:
        _show_scenario(result, out)
    if rest := [result for result in must if result not in in_full]:
        out.print(Text(f"And {number(len(rest), 'scenario')} more", style="bold"))
        for rows in _by_scenario(rest):
            out.print(indented(_line(rows[0], also=len(rows) - 1), 2))
        told = "certify --scenario ID shows one in full, --out DIR keeps them all."
        out.print(indented(Text(told, style="dim"), 2, below=1))
    if should:
        out.print(Text("Recommended (SHOULD), never changes a verdict", style="bold"))
        _show_lines(should, out)
        out.print()
    if disputed:
        out.print(Text("Disputed, shown and not scored", style="bold"))
        _show_lines(disputed, out)
        out.print()


def _one_a_requirement(results: Sequence[ScenarioResult]) -> list[ScenarioResult]:
    """The first of each requirement, so that what is shown in full is not all of one kind."""
    firsts: dict[tuple[str, str], ScenarioResult] = {}
    for result in results:
        firsts.setdefault((result.capability, result.requirement), result)
    return list(firsts.values())


def _show_common_cause(broken: Sequence[ScenarioResult], out: Console) -> None:
    """One sentence where most of what broke broke in the same way, as when every write fails."""
    found = common_cause(broken)
    if found is not None:
        cause, times = found
        told = f"{times} of {len(broken)} broken scenarios broke in the same way; begin with it:"
        out.print(Text(told, style="bold"))
        out.print(indented(Text(harmless(shortened(cause, 400))), 2, below=1))


def _show_lines(results: Sequence[ScenarioResult], out: Console) -> None:
    for result in results:
        out.print(indented(_line(result), 2))


def _line(result: ScenarioResult, *, also: int = 0) -> RenderableType:
    """One scenario on a few lines; ``also`` is how many more rows of its outline broke."""
    sign, style = _OUTCOMES[result.outcome]
    told = Text(harmless(result.id))
    if also:
        told.append(f" and {number(also, 'more row')}", style="dim")
    if result.failure is not None:
        expected = harmless(shortened(result.failure.expected, 100))
        seen = harmless(shortened(result.failure.seen, 160))
        told.append(f"\nexpected {expected}; seen {seen}", style="dim")
    return bullet(Text(sign, style=style), told)


def _show_scenario(result: ScenarioResult, out: Console) -> None:
    sign, style = _OUTCOMES[result.outcome]
    keyword = "MUST" if result.must else "SHOULD"
    out.print(
        Rule(
            Text.assemble((f"{sign} {_word(result.outcome)}", f"bold {style}"), f"  {keyword}"),
            align="left",
            characters="─",
            style="dim",
        )
    )
    out.print(Text(harmless(result.title), style="bold"))
    out.print(Text(harmless(result.rule), style="italic"))
    out.print(Text(harmless(result.id), style="dim"))
    out.print()
    if result.failure is not None:
        out.print(indented(_failure(result.failure), 2, below=1))
    elif result.missing:
        told = f"The implementation does not declare {listed(result.missing)}."
        out.print(indented(Text(harmless(told)), 2, below=1))
    if result.steps:
        steps = [line for step in result.steps for line in _step(step, out.width - 2)]
        out.print(indented(Group(*steps), 2, below=1))
    if result.calls:
        out.print(indented(_calls(result), 2, below=1))
    if not result.outcome.breaks:
        return
    out.print(Text("Run it alone:", style="dim"))
    copied(harmless(result.reproduce), out)
    out.print()


def _failure(failure: Failure) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row("expected", Text(harmless(shortened(failure.expected, SEEN))))
    grid.add_row("seen", Text(harmless(shortened(failure.seen, SEEN)), style="bold"))
    grid.add_row("blame", Text(AT_FAULT[party(failure)], style="magenta"))
    if failure.kind not in ("assertion", "prerequisite", "exception"):
        grid.add_row("kind", Text(failure.kind))
    if failure.evidence:
        kept = shortened(failure.evidence, SEEN).splitlines()
        lines = [harmless(line) for line in kept[:_EVIDENCE_LINES]]
        if len(kept) > _EVIDENCE_LINES:
            lines.append(f"… {number(len(kept) - _EVIDENCE_LINES, 'more line')}")
        grid.add_row("evidence", Text("\n".join(lines), style="dim"))
    return grid


def _step(step: StepResult, width: int) -> list[RenderableType]:
    sign, style = _STEPS[step.outcome]
    first, *below = step.text.split("\n")
    words = Text.assemble((f"{step.keyword:<5} ", "dim"), harmless(first))
    lines = [harmless(line) for line in below]
    rows = cells(lines)
    if rows is None:
        for line in lines:
            words.append(f"\n      {line}", style="dim")
    if step.outcome in ("failed", "error"):
        words.stylize("bold")
    table = [] if rows is None else step_table(rows, 8, width)
    return [bullet(Text(sign, style=style), words), *table]


def _calls(result: ScenarioResult) -> RenderableType:
    lines: list[RenderableType] = [
        Text("What the store was asked, and what it answered", style="dim")
    ]
    first = max(0, len(result.calls) - CALLS)
    if first:
        lines.append(Text(f"  ({number(first, 'earlier call')} left out)", style="dim"))
    for place, call in enumerate(result.calls[first:], first + 1):
        asked, came = call_words(call)
        broken = call.fault is not None or call.error is not None
        told = Text.assemble(asked, "\n", ("→ ", "dim"), (came, "yellow" if broken else ""))
        lines.append(bullet(Text(f"{place:>2}", style="dim"), told))
    return Group(*lines)


# --- what it says of itself --------------------------------------------------------------------


def _show_probes(probes: Sequence[Probe], out: Console) -> None:
    told = [probe for probe in probes if probe.told and probe.finding != "not looked at"]
    if not told:
        return
    out.print()
    out.print(Text("What it says of itself", style="bold"))
    for probe in told:
        out.print(indented(_probe(probe), 2))


def _probe(probe: Probe) -> RenderableType:
    style = "magenta" if probe.disqualifies else "dim"
    words = Text(harmless(probe.told), style="bold" if probe.disqualifies else "")
    if probe.evidence:
        words.append(f"\n{harmless(shortened(probe.evidence, SEEN))}", style="dim")
    return bullet(Text("·", style=style), words)


# --- what isn't declared -----------------------------------------------------------------------


def _show_unsupported(report: Report, out: Console) -> None:
    by_name: dict[str, int] = {}
    for result in report.results:
        for name in result.missing:
            by_name[name] = by_name.get(name, 0) + 1
    if by_name:
        told = ", ".join(f"{harmless(name)} ({count})" for name, count in by_name.items())
        out.print(Text(f"Not declared, so not asked for: {told}", style="dim"))
