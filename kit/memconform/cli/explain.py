"""``explain``: what a requirement demands, why it exists, and the scenarios that test it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.rule import Rule
from rich.text import Text

from memconform.cli.errors import Refusal, did_you_mean
from memconform.cli.fault import named, show_fault
from memconform.cli.listing import is_spec, show_spec, show_specs
from memconform.cli.names import known_requirement, known_scenario, library
from memconform.faults import FAULTS
from memconform.spec.gherkin import FeatureScenario, Step
from memconform.spec.library import Library, SuiteScenario
from memconform.spec.openspec import Requirement
from memconform.verdict.layout import aligned, console, copied, indented, step_table, upright


def explain_one(name: str | None) -> int:
    """Explain the fault, requirement or scenario of this name; list a spec, or all of them."""
    suite, out = library(), console()
    if name is None:
        show_specs(suite, out)
        return 0
    if is_spec(name, suite):
        show_spec(name, suite, out)
        return 0
    fault = named(name)
    if fault is not None:
        show_fault(fault, suite, out)
        return 0
    requirement = known_requirement(name, suite)
    if requirement is not None:
        _show_requirement(requirement, suite, out)
        bases = [id for id, owner in suite.requirement_of.items() if owner == requirement]
        for base in bases:
            _show_scenario(base, suite, out)
        _show_command(bases[0] if bases else "ID", out)
        return 0
    scenario = _known(name, suite).partition("[")[0]
    _show_requirement(suite.requirement_of[scenario], suite, out)
    _show_scenario(scenario, suite, out)
    _show_command(scenario, out)
    return 0


def _known(name: str, suite: Library) -> str:
    try:
        return known_scenario(name, suite)
    except Refusal as error:
        specs = dict.fromkeys(id.partition("/")[0] for id in suite.requirements)
        names = [*specs, *suite.requirements, *suite.feature_scenarios, *FAULTS]
        if name in (slug for id in names for slug in (id, id.partition("/")[2])):
            raise
        near = did_you_mean(name, names) or " memconform explain lists the specs."
        raise Refusal(
            f"There is no scenario or requirement {name!r}, nor a fault.{near}"
        ) from error


def _show_requirement(id: str, suite: Library, out: Console) -> None:
    requirement: Requirement = suite.requirements[id]
    out.print(Text(requirement.title, style="bold"))
    keyword = "MUST" if requirement.must else "SHOULD"
    out.print(Text(f"requirement {id}, {keyword}", style="dim"))
    out.print()
    out.print(_prose(requirement.text))
    if requirement.why:
        out.print()
        out.print(_prose(f"**Why:** {requirement.why}"))
    out.print()


def _prose(text: str) -> RenderableType:
    """The spec's own Markdown: the kit's text, not that of a store."""
    return indented(Markdown(text, hyperlinks=False), 2)


def _show_scenario(base: str, suite: Library, out: Console) -> None:
    if base not in suite.feature_scenarios:
        out.print(Text(f"{base} has no feature yet.", style="yellow"))
        return
    _, written = suite.feature_scenarios[base]
    rows = [scenario for scenario in suite.scenarios() if scenario.base == base]
    out.print(Rule(Text(base, style="cyan"), align="left", style="dim"))
    out.print(Text(written.title, style="bold"))
    out.print(Text(_meaning(rows), style="dim"))
    out.print()
    out.print(indented(Group(*_story(written, out.width - 2)), 2, below=1))


def _meaning(rows: Sequence[SuiteScenario]) -> str:
    one = rows[0]
    words = [f"profile {one.profile}", "MUST" if one.must else "SHOULD", f"level {one.level}"]
    if one.needs:
        words.append(f"needs {', '.join(one.needs)}")
    if one.defects:
        words.append(f"about {', '.join(one.defects)}")
    if one.row is not None:
        words.append(f"{len(rows)} example rows")
    return ", ".join([*words, *(["slow"] if one.slow else [])])


def _story(written: FeatureScenario, width: int) -> list[RenderableType]:
    """The scenario's steps, and its examples as far as they fit into so many columns."""
    lines: list[RenderableType] = []
    for step in (*written.background, *written.steps):
        lines += _step(step, width)
    for table in written.examples:
        lines.append(Text("Examples", style="cyan"))
        rows = [table.columns, *(tuple(v for _, v in row.values) for row in table.rows)]
        table_lines = aligned(rows)
        if max(map(cell_len, table_lines)) + 2 <= width:
            lines += [Text(f"  {line}", style="dim") for line in table_lines]
        else:
            lines += [upright(n, table.columns, row) for n, row in enumerate(rows[1:], 1)]
    return lines


def _step(step: Step, width: int) -> list[RenderableType]:
    lines: list[RenderableType] = [
        Text.assemble((f"{step.keyword.strip():<5} ", "cyan"), step.text)
    ]
    if step.table is not None:
        lines += step_table(step.table, 8, width)
    if step.docstring is not None:
        quoted = ['"""', *step.docstring.split("\n"), '"""']
        lines += [Text(f"        {line}", style="dim") for line in quoted]
    return lines


def _show_command(id: str, out: Console) -> None:
    out.print(Text("Run it against a store:", style="dim"))
    copied(f"memconform certify TARGET --scenario {id}", out)
