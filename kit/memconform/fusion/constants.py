"""Every figure of the fusion design, in one place.

A heading names where the figures below it come from; ``own`` marks those that the published
design leaves open and this project chose.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How much each channel says, of a channel's own best.

    Attributes:
        semantic: with a normalised cosine above ``Figures.strong_semantic``.
        weak_semantic: with a lower one.
        confidence: of the stored confidence, which is no channel and is not normalised.
    """

    semantic: float
    weak_semantic: float
    bm25: float
    graph: float
    time: float
    confidence: float


# signal-fusion, "Weights follow the embedder"
REAL_EMBEDDER = Weights(
    semantic=0.55, weak_semantic=0.40, bm25=0.12, graph=0.10, time=0.20, confidence=0.10
)
BUILT_IN_EMBEDDER = Weights(  # own: without generalisation, words and entities say more
    semantic=0.15, weak_semantic=0.15, bm25=0.30, graph=0.25, time=0.15, confidence=0.10
)


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The figures of one version of the design; the time unit is days, the budget unit tokens."""

    # signal-fusion, "Channels are normalised before they are weighed"
    strong_semantic: float = 0.5
    importance_base: float = 0.6  # the sum is multiplied by base + share * importance
    importance_share: float = 0.4
    superseded_factor: float = 0.3
    half_life_days: float = 180.0  # own

    # signal-fusion, "Structural hits add what no channel can" (own)
    ngram_bonus: float = 0.15
    synonym_bonus: float = 0.20
    tag_bonus: float = 0.10

    # relevance-floor, "The floor stands on raw signals"
    ngram_floor: float = 0.34  # own

    # context-injection, "Channels are merged by rank" (own)
    rank_constant: int = 60
    # context-injection, "The reranker stays out where it can't help"
    least_to_rerank: int = 5
    homogeneous_spread: float = 0.05  # own: best minus median raw cosine

    # context-injection, "Four quotas share the budget": in hundredths, so that rounding is exact
    profile_quota: int = 30
    task_quota: int = 35
    experience_quota: int = 20
    open_quota: int = 15

    # progressive-disclosure, "A catalog shows no content" (own), in code points
    title_length: int = 24
    summary_length: int = 80

    # budgeted-recall, "Too long becomes a capsule" (own)
    capsule_atoms: int = 6
    capsule_object: int = 24  # code points; a longer object is a sentence and no fact


FIGURES = Figures()
