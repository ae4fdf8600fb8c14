"""What must agree in a set of results before anyone may judge them.

The same rules hold for the events of a run and for a report that is read back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from memconform.model.report import Outcome, ScenarioResult
from memconform.verdict.words import listed


def repeated(ids: Iterable[str]) -> list[str]:
    """Ids that stand more than once, in order of their first appearance."""
    return [id for id, times in Counter(ids).items() if times > 1]


def contradictions(result: ScenarioResult, declared: Collection[str]) -> list[str]:
    """What a result says against itself, as ends of a sentence that begins with its id.

    Args:
        result: one scenario's result.
        declared: the capabilities that the implementation declares.
    """
    found = []
    if result.outcome.breaks and result.failure is None:
        found.append(f"is {result.outcome.value} and doesn't say why")
    if result.outcome is Outcome.PASSED and result.failure is not None:
        found.append("has passed and says why it has not")
    if (result.outcome is Outcome.UNSUPPORTED) != bool(result.missing):
        found.append(
            "is unsupported and names no missing capability"
            if result.outcome is Outcome.UNSUPPORTED
            else f"is {result.outcome.value} and names missing capabilities"
        )
    if strange := [name for name in result.missing if name not in result.needs]:
        found.append(f"misses {listed(strange)}, which it doesn't need")
    if there := [name for name in result.missing if name in declared]:
        found.append(f"misses {listed(there)}, which is declared")
    return found
