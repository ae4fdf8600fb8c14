"""The defects that were found in use, and how a store answers to each of them.

A scenario that is about one carries ``@defect:ID``. A report keeps that, so every report of the
profile integrity can be read by defects too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memconform.model.report import Outcome, ScenarioResult


@dataclass(frozen=True, slots=True)
class Answer:
    """What one store makes of one defect.

    Attributes:
        sign: ``kept``, ``broken``, ``in part`` (kept as far as it could be asked) or ``not asked``.
        words: which scenario fails, or what would have to be declared; empty where all is kept.
    """

    sign: str
    words: str

    def __str__(self) -> str:
        """Both, as a cell of a table."""
        return f"{self.sign}: {self.words}" if self.words else self.sign


def in_order(ids: set[str]) -> list[str]:
    """Ids of defects, those that began with F before those with D, each by number."""

    def key(id: str) -> tuple[bool, int, str]:
        number = re.search(r"\d+", id)
        return (not id.startswith("F"), int(number.group()) if number else 0, id)

    return sorted(ids, key=key)


def by_defect(results: Sequence[ScenarioResult]) -> dict[str, list[ScenarioResult]]:
    """The results about each defect, in the order of the defects."""
    ids = in_order({defect for result in results for defect in result.defects})
    return {id: [result for result in results if id in result.defects] for id in ids}


def answer(results: Sequence[ScenarioResult]) -> Answer:
    """What the results about one defect come to: one that fails is enough."""
    broken = list(dict.fromkeys(r.title for r in results if r.outcome.breaks))
    if broken:
        return Answer("broken", "; ".join(broken))
    missing = sorted({name for r in results for name in r.missing})
    silent = [r for r in results if r.outcome is not Outcome.PASSED]
    if not results:
        return Answer("not asked", "not measured")
    if len(silent) == len(results):
        words = ", ".join(missing) or "; ".join(sorted({r.outcome.value for r in results}))
        return Answer("not asked", words)
    return Answer("in part", f"not asked {', '.join(missing)}") if silent else Answer("kept", "")
