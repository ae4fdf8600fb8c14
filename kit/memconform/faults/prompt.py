"""Faults of what reaches the prompt: limit, budget and block."""

from __future__ import annotations

from typing import Any

from memconform.faults.fault import Fault, foundation
from memconform.faults.seams import figure, stage
from memconform.retrieval.budget import Budgeted, within_budget

BUDGET = foundation("the-character-budget-holds")


def _one_over(*args: Any, characters: int, **options: Any) -> Budgeted:
    return within_budget(*args, characters=characters + 1, **options)


FAULTS = (
    Fault(
        name="budget-one-character-over",
        change="The block may have one character more than the budget.",
        suffers="A prompt that was measured to fit is refused by the model.",
        breaks=BUDGET,
        killed_by=foundation("the-budget-is-never-exceeded", "a-budget-one-short-cuts"),
        base="filesystem",
        seed=stage(budget=_one_over),
    ),
    Fault(
        name="cut-at-95",
        change="A content cut to 95 characters is kept instead of left out.",
        suffers="A stump of a memory that says less than half a sentence takes room in the prompt.",
        breaks=BUDGET,
        killed_by=foundation("95-characters-are-too-few"),
        base="filesystem",
        seed=figure(least_cut=95),
    ),
)
