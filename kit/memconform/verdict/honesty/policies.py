"""Does what is declared agree with itself? Policies and capabilities say some things twice.

It matters most for the ways to read: what is forgotten or masked is looked for on each that is
declared, so one that is left out is never looked at. Source: the store protocol, declared policies
and rule 2 of the suite.
"""

from __future__ import annotations

from collections.abc import Iterator

from memconform.model.report import Probe
from memconform.protocol import Capability, Hello
from memconform.protocol.policies import Surface

# Every other way to read is one that each store has.
_SURFACES: dict[Surface, Capability] = {
    "list": "listing",
    "context": "context",
    "catalog": "disclosure",
    "expand": "disclosure",
    "graph": "graph",
}


def policies(hello: Hello) -> list[Probe]:
    """One finding for each contradiction in what an implementation declares."""
    return [
        Probe(subject="policies", finding="contradictory", told=told, evidence=None)
        for told in _contradictions(hello)
    ]


def _contradictions(hello: Hello) -> Iterator[str]:
    declared, chosen = hello.capabilities, hello.policies
    for surface, capability in _SURFACES.items():
        if capability in declared and surface not in chosen.surfaces:
            yield (
                f"{capability} is declared, but {surface} is not among the surfaces, so nothing is "
                "looked for there."
            )
        if surface in chosen.surfaces and capability not in declared:
            yield f"{surface} is among the surfaces, but {capability} is not declared."
    for surface in ("recall", "get"):
        if surface not in chosen.surfaces:
            yield f"{surface} is not among the surfaces, though every store has it."
    if ("eventual" in declared) != (chosen.consistency == "bounded"):
        yield (
            f"the consistency is {chosen.consistency}, but eventual is "
            f"{'declared' if 'eventual' in declared else 'not declared'}."
        )
    if chosen.consistency == "bounded" and chosen.consistency_bound_ms is None:
        yield "the consistency is bounded, but no bound is given."
    if "budget" in declared and chosen.budget_unit is None:
        yield "budget is declared, but no unit that it is counted in."
