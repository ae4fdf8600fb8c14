"""A retrieval as a story: stage after stage, and what became of each candidate.

Tables only; charts, widgets and pages are made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memconform.model import Features
from memconform.retrieval import FOUNDATION, Constants, Dropped, Gate, Ranked, Retrieval
from memconform.retrieval.budget import DUPLICATE, OVER_BUDGET, OVER_LIMIT

# The features in the order of the score, under the names that a reader meets.
FEATURES: tuple[tuple[str, str], ...] = (
    ("lexical", "shared words"),
    ("scope_affinity", "near scope"),
    ("type_affinity", "hinted type"),
    ("freshness", "fresh"),
    ("importance", "important"),
    ("confidence", "certain"),
)
Kind = Literal["word", "slice", "CJK pair", "CJK character"]
Fate = Literal[
    "in the block", "cut to fit", "below the floor", "duplicate", "no room", "over the limit"
]
_FATES: dict[str, Fate] = {
    DUPLICATE: "duplicate",
    OVER_BUDGET: "no room",
    OVER_LIMIT: "over the limit",
}


@dataclass(frozen=True)
class Step:
    """One stage: what it asks of each record, how many it met, and whom it dropped."""

    name: str
    asks: str
    met: int
    dropped: tuple[Dropped, ...]

    @property
    def kept(self) -> int:
        """How many went on."""
        return self.met - len(self.dropped)


@dataclass(frozen=True)
class Candidate:
    """One candidate on its way from the ranking to the block.

    Attributes:
        rank: 1 is the best; the place before the gate.
        features: each in 0..1.
        contributions: what each feature adds to the score, in the order of ``FEATURES``.
        place: in the block, 1 is the first; None outside it.
    """

    rank: int
    id: str
    content: str
    features: Features
    contributions: tuple[float, ...]
    score: float
    fate: Fate
    place: int | None


def token_kind(token: str) -> Kind:
    """What a token of a query is a piece of."""
    if token.startswith("w"):
        return "word"
    if token.startswith("g"):
        return "slice"
    return "CJK pair" if len(token) > 2 else "CJK character"


def steps(retrieval: Retrieval) -> list[Step]:
    """Every stage that dropped or could have dropped a record, in its order.

    The stages before ranking are missing where an index did them in its own query.
    """
    early = retrieval.early
    found = []
    if early is not None:
        for name, asks, stage in (
            ("scope", "Whose memory is it, and is the caller there?", early.scope),
            ("lifecycle", "Is it still true, and not yet replaced?", early.lifecycle),
            ("purpose", "Is it evidence, or an order?", early.purpose),
            ("filters", "Is it what the caller narrowed the request to?", early.filters),
            ("match", "Does it share a token with the query, or is its type hinted at?", None),
        ):
            kept, dropped = (
                (len(stage.kept), stage.dropped)
                if stage is not None
                else (len(early.match.kept), early.match.dropped)
            )
            found.append(Step(name, asks, kept + len(dropped), dropped))
    gate, budget = retrieval.gate, retrieval.budget
    return [
        *found,
        Step("gate", "Is it relevant enough to be evidence?", len(retrieval.ranked), gate.dropped),
        Step("budget", "Is there room for it in the prompt?", len(gate.kept), budget.dropped),
    ]


def contributions(features: Features, constants: Constants = FOUNDATION) -> tuple[float, ...]:
    """What each feature adds to the final score: weight times feature, as ``FEATURES`` orders."""
    weights = constants.weights
    return tuple(getattr(weights, name) * getattr(features, name) for name, _ in FEATURES)


def candidates(retrieval: Retrieval, constants: Constants = FOUNDATION) -> list[Candidate]:
    """The candidates in final order, each with what became of it."""
    fates: dict[str, Fate] = {drop.id: "below the floor" for drop in retrieval.gate.dropped}
    fates |= {drop.id: _FATES[drop.reason] for drop in retrieval.budget.dropped}
    places: dict[str, int] = {}
    for place, chosen in enumerate(retrieval.selected, 1):
        id = chosen.ranked.record.id
        places[id] = place
        fates[id] = "cut to fit" if chosen.truncated else "in the block"
    return [
        Candidate(
            rank=rank,
            id=ranked.record.id,
            content=ranked.record.content,
            features=ranked.features,
            contributions=contributions(ranked.features, constants),
            score=ranked.score,
            fate=fates[ranked.record.id],
            place=places.get(ranked.record.id),
        )
        for rank, ranked in enumerate(retrieval.ranked, 1)
    ]


def best_coverage(ranked: Iterable[Ranked]) -> float | None:
    """The highest lexical coverage of any candidate; None where there is no candidate."""
    return max((each.features.lexical for each in ranked), default=None)


def floor_words(gate: Gate) -> str:
    """What a candidate needs to pass the gate, in words."""
    if gate.floor is None:
        return "any shared token"
    return f"coverage of at least {gate.floor:.6g}"


def counted(dropped: Sequence[Dropped]) -> dict[str, int]:
    """Reason -> how many were dropped for it, the most frequent first."""
    found: dict[str, int] = {}
    for drop in dropped:
        found[drop.reason] = found.get(drop.reason, 0) + 1
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
