"""``explain`` without a name, or with that of a whole spec: what there is to be explained."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from memconform.spec.library import Library, SuiteScenario
from memconform.verdict.layout import bullet, copied, indented
from memconform.verdict.words import number


def show_specs(suite: Library, out: Console) -> None:
    """Every spec: its profile, and how much it consists of."""
    for capability in _capabilities(suite):
        rows = [row for row in suite.scenarios() if row.capability == capability]
        requirements = [id for id in suite.requirements if id.startswith(f"{capability}/")]
        bases = {row.base for row in rows}
        profiles = ", ".join(dict.fromkeys(row.profile for row in rows)) or "none yet"
        told = Text(capability, style="bold")
        told.append(
            f"\nprofile {profiles}, {number(len(requirements), 'requirement')}, "
            f"{number(len(bases), 'scenario')}",
            style="dim",
        )
        out.print(bullet(Text("·", style="dim"), told))
    out.print()
    out.print(Text("List one, then explain what it holds:", style="dim"))
    copied(f"memconform explain {next(iter(_capabilities(suite)), 'CAPABILITY')}", out)


def is_spec(name: str, suite: Library) -> bool:
    """Whether this is the name of a whole spec."""
    return name in _capabilities(suite)


def show_spec(capability: str, suite: Library, out: Console) -> None:
    """The requirements of one spec, each with its scenarios, whose short names do as ids."""
    rows: dict[str, list[SuiteScenario]] = {}
    for row in suite.scenarios():
        rows.setdefault(row.base, []).append(row)
    for id, requirement in suite.requirements.items():
        if not id.startswith(f"{capability}/"):
            continue
        keyword = "MUST" if requirement.must else "SHOULD"
        out.print(Text.assemble((requirement.title, "bold"), (f"  {keyword}", "dim")))
        out.print(indented(Text(id, style="cyan"), 2))
        for base in [base for base, owner in suite.requirement_of.items() if owner == id]:
            told = Text(base.partition("/")[2])
            if more := _more(rows.get(base, [])):
                told.append(f"  {more}", style="dim")
            out.print(indented(bullet(Text("·", style="dim"), told), 4))
        out.print()
    out.print(Text("Any of these names can be explained:", style="dim"))
    copied("memconform explain NAME", out)


def _capabilities(suite: Library) -> dict[str, None]:
    return dict.fromkeys(id.partition("/")[0] for id in suite.requirements)


def _more(rows: list[SuiteScenario]) -> str:
    if not rows:
        return "(no feature yet)"
    words = [f"needs {', '.join(rows[0].needs)}"] if rows[0].needs else []
    return ", ".join([*words, *([f"{len(rows)} rows"] if rows[0].row is not None else [])])
