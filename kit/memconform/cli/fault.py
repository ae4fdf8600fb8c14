"""The story of a seeded fault: what is changed, who suffers, what catches it, how to see it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from memconform.faults import FAULTS, Fault
from memconform.spec.library import Library
from memconform.verdict.layout import bullet, copied

PREFIX = "fault:"


def named(name: str) -> Fault | None:
    """The fault of this name, with or without ``fault:``; null where there is none."""
    return FAULTS.get(name.removeprefix(PREFIX))


def show_fault(fault: Fault, suite: Library, out: Console) -> None:
    """Show one fault."""
    out.print(Text(fault.name, style="bold"))
    out.print(Text(f"seeded fault of the {fault.base} store", style="dim"))
    out.print()
    out.print(bullet(Text("what is different", style="cyan"), Text(fault.change), width=18))
    out.print(bullet(Text("what a user meets", style="cyan"), Text(fault.suffers), width=18))
    out.print()
    out.print(Text("Requirements that no longer hold:", style="dim"))
    for id in fault.breaks:
        requirement = suite.requirements.get(id)
        title = requirement.title if requirement is not None else "(not in this suite)"
        out.print(bullet(Text("·"), Text.assemble(title, (f"  {id}", "dim"))))
    out.print()
    out.print(Text("Scenarios that are there for it:", style="dim"))
    for id in fault.killed_by:
        scenario = suite.spec_scenarios.get(id)
        title = scenario.title if scenario is not None else "(not in this suite)"
        out.print(bullet(Text("·"), Text.assemble(title, (f"  {id}", "dim"))))
    out.print()
    out.print(Text("See it fail:", style="dim"))
    first = fault.killed_by[0] if fault.killed_by else "ID"
    copied(f"memconform certify {PREFIX}{fault.name} --scenario {first}", out)
    copied(f"memconform certify {PREFIX}{fault.name}", out)
