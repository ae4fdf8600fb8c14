"""Five scales made one order, and every place in it explained.

Source: signal-fusion, "Channels are normalised before they are weighed", "Structural hits add what
no channel can", "Every hit explains itself", "A constraint comes before an event".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memconform.fusion.channels import Signals
from memconform.fusion.constants import FIGURES, Figures, Weights
from memconform.fusion.words import content_words, one_by_one, says_any

CHANNELS = ("semantic", "bm25", "graph", "time", "tags")
# What a score is the sum of: four channels, the confidence, three structural bonuses.
PARTS = ("semantic", "bm25", "graph", "time", "confidence", "n-grams", "synonym", "tag")
RECENT = 0.8  # own: the normalised time from which a reason says "recent"
_TIME_WORDS = one_by_one(
    "when recent recently latest last newest yesterday today ago since now current currently "
    "最近 最新 昨天 今天 上次 何时 什么时候 现在 目前 刚才"
)


@dataclass(frozen=True)
class Fused:
    """One candidate with its place explained.

    Attributes:
        raw, normalised: by channel; a channel's best candidate is 1, what is below nothing is 0.
        parts: what each signal adds to the score, by the names of ``PARTS``.
        score: has no absolute scale and is compared within one answer only.
        reason: in words, such as ``semantic + keyword``; ``lexical`` alone for the fallback.
    """

    signals: Signals
    raw: dict[str, float]
    normalised: dict[str, float]
    parts: dict[str, float]
    score: float
    reason: str


def raw_of(signals: Signals) -> dict[str, float]:
    """What each channel says, on its own scale."""
    return {
        "semantic": signals.semantic or 0.0,
        "bm25": signals.bm25,
        "graph": signals.graph,
        "time": signals.time,
        "tags": float(signals.tags),
    }


def normalised(raws: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """Each channel divided by its own maximum: 0..1, and all 0 where nobody has anything."""
    most = {channel: max((raw[channel] for raw in raws), default=0.0) for channel in CHANNELS}
    return [
        {c: max(0.0, raw[c]) / most[c] if most[c] > 0 else 0.0 for c in CHANNELS} for raw in raws
    ]


def asks_about_time(query: str) -> bool:
    """Whether a question wants to know when, or what is newest."""
    return says_any(query, _TIME_WORDS)


def parts_of(
    normal: dict[str, float], signals: Signals, weights: Weights, timely: bool, figures: Figures
) -> dict[str, float]:
    """What each signal adds to the weighted sum of one candidate: their sum is its score.

    Channels and confidence count by importance, the structural bonuses outside of it. Time is
    weighed only where the question asks about it; anywhere else it is noise.
    """
    memory = signals.memory
    holds = figures.superseded_factor if memory.superseded_by else 1.0
    share = (figures.importance_base + figures.importance_share * memory.importance) * holds
    strong = normal["semantic"] > figures.strong_semantic
    semantic = weights.semantic if strong else weights.weak_semantic
    letters = signals.ngrams >= figures.ngram_floor
    return {
        "semantic": semantic * normal["semantic"] * share,
        "bm25": weights.bm25 * normal["bm25"] * share,
        "graph": weights.graph * normal["graph"] * share,
        "time": weights.time * normal["time"] * share if timely else 0.0,
        "confidence": weights.confidence * memory.confidence * share,
        "n-grams": figures.ngram_bonus * holds if letters else 0.0,
        "synonym": figures.synonym_bonus * holds if signals.synonym else 0.0,
        "tag": figures.tag_bonus * holds if signals.tags else 0.0,
    }


def reason_of(normal: dict[str, float], signals: Signals, timely: bool, floor: float) -> str:
    """Which signals speak for a candidate, in words."""
    parts = []
    if signals.semantic is not None and signals.semantic >= floor:
        parts.append("semantic")
    if signals.words:
        parts.append("keyword")
    if signals.graph > 0:
        parts.append("entity")
    if signals.tags:
        parts.append("tag")
    if signals.synonym:
        parts.append("synonym")
    if timely and normal["time"] >= RECENT:
        parts.append("recent")
    return " + ".join(parts) or "similar letters"


def fuse(
    query: str,
    candidates: Sequence[Signals],
    weights: Weights,
    *,
    cosine_floor: float,
    figures: Figures = FIGURES,
) -> tuple[Fused, ...]:
    """The candidates in their order, best first.

    Args:
        query: what is asked; it says whether time matters.
        candidates: those that are compared. Normalisation looks at these and no others.
        weights: of the embedder whose cosines the candidates carry.
        cosine_floor: from which raw cosine on a reason says "semantic".
        figures: the figures in force.
    """
    raws = [raw_of(signals) for signals in candidates]
    timely = asks_about_time(query)
    fused = []
    for signals, raw, normal in zip(candidates, raws, normalised(raws), strict=True):
        parts = parts_of(normal, signals, weights, timely, figures)
        reason = reason_of(normal, signals, timely, cosine_floor)
        fused.append(Fused(signals, raw, normal, parts, sum(parts.values()), reason))
    return corrections_first(constraints_first(sorted(fused, key=order_key)))


def order_key(fused: Fused) -> tuple[float, float, str]:
    """By score, then the newest, then by id: never two alike. How often it was asked is nothing."""
    memory = fused.signals.memory
    return (-fused.score, -memory.written_at, memory.id)


def constraints_first(ranked: Sequence[Fused]) -> tuple[Fused, ...]:
    """Moves a constraint before the first event of the same subject; all else stays in order.

    *Allergic to peanuts* and *ate peanuts yesterday, nothing happened* are near each other in any
    space of meanings. Who reads only the first must read the one that has to be kept to.
    """
    order = list(ranked)
    for constraint in [f for f in ranked if f.signals.memory.kind == "constraint"]:
        subject = set(content_words(constraint.signals.memory.content))
        place = order.index(constraint)
        for at, other in enumerate(order[:place]):
            memory = other.signals.memory
            if memory.kind == "event" and not subject.isdisjoint(content_words(memory.content)):
                order.insert(at, order.pop(place))
                break
    return tuple(order)


def corrections_first(ranked: Sequence[Fused]) -> tuple[Fused, ...]:
    """Moves a correction before what it corrects; all else stays in order."""
    by_id = {f.signals.memory.id: f for f in ranked}
    order: dict[str, Fused] = {}

    def place(fused: Fused, waiting: frozenset[str] = frozenset()) -> None:
        memory = fused.signals.memory
        successor = by_id.get(memory.superseded_by or "")
        if successor is not None and successor.signals.memory.id not in waiting | {memory.id}:
            place(successor, waiting | {memory.id})
        order.setdefault(memory.id, fused)

    for fused in ranked:
        place(fused)
    return tuple(order.values())
