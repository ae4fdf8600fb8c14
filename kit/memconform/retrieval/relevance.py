"""The relevance gate: what has too little to do with the question is not evidence.

Source: lexical-abstention; retrieval-foundation, "The old gate is for evaluation only".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from memconform.model import Features, RelevanceMode
from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.ranking import Ranked
from memconform.retrieval.stage import Dropped, Stage
from memconform.retrieval.tokens import has_cjk


@dataclass(frozen=True)
class Gate:
    """Who may pass: coverage of at least ``floor``, or any type affinity.

    ``floor`` is None in the historical mode, where any coverage above nothing passes.
    """

    floor: float | None

    def passes(self, features: Features) -> bool:
        """Whether a candidate with these features is relevant."""
        if features.type_affinity > 0:
            return True
        if self.floor is None:
            return features.lexical > 0
        return features.lexical >= self.floor

    def minimum_overlap(self, tokens: int) -> int:
        """The fewest shared tokens that pass a query of this many tokens without affinity."""
        return 1 if self.floor is None else minimum_overlap(tokens, self.floor)


def floor_for(query: str, constants: Constants = FOUNDATION) -> float:
    """The least coverage for this query: another for one that has any CJK character."""
    return constants.cjk_floor if has_cjk(query, constants) else constants.floor


def gate_for(query: str, mode: RelevanceMode, constants: Constants = FOUNDATION) -> Gate:
    """The gate of one retrieval."""
    return Gate(None if mode == "historical-v1" else floor_for(query, constants))


def minimum_overlap(tokens: int, floor: float) -> int:
    """The least n with ``n / tokens >= floor``, by the very comparison that the gate makes.

    An index that counts shared tokens can ask for this many instead of comparing quotients. A
    query without tokens can't pass: its minimum is more than it has.
    """
    if tokens == 0:
        return 1
    # The product may be off by one in the last digit, so the quotient decides.
    least = max(0, math.ceil(floor * tokens) - 1)
    while least / tokens < floor:
        least += 1
    return least


def relevant(ranked: Iterable[Ranked], gate: Gate) -> Stage[Ranked]:
    """The candidates that pass, in the order they came."""
    kept, dropped = [], []
    for candidate in ranked:
        if gate.passes(candidate.features):
            kept.append(candidate)
        else:
            dropped.append(Dropped(candidate.record.id, "irrelevant"))
    return Stage(tuple(kept), tuple(dropped))
