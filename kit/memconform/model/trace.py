"""The trace of one retrieval: what was considered, what was chosen, and why, without any text.

Source: retrieval-foundation, "The trace explains without showing".
"""

from __future__ import annotations

from typing import Literal

from memconform.model.base import Response

Channel = Literal["fts5", "type-affinity", "filesystem"]
TraceMode = Literal["sqlite-fts5", "filesystem", "filesystem-fallback"]


class Features(Response, frozen=True, kw_only=True):
    """The six ranking features, each in 0..1."""

    lexical: float
    scope_affinity: float
    type_affinity: float
    freshness: float
    importance: float
    confidence: float


class Weights(Response, frozen=True, kw_only=True):
    """The weight of each feature in the final score."""

    lexical: float
    scope_affinity: float
    type_affinity: float
    freshness: float
    importance: float
    confidence: float


class Ranking(Response, frozen=True, kw_only=True):
    """One candidate that passed the relevance gate."""

    memory_id: str
    channel: Channel
    features: Features
    final_score: float
    selected: bool


class Filtered(Response, frozen=True, kw_only=True):
    """How many records each stage dropped. Records outside the caller's scope are only counted."""

    scope: int
    lifecycle: int
    irrelevant: int


class Trace(Response, frozen=True, kw_only=True):
    """One retrieval, explained. It holds no query, content or path, and no foreign id.

    Attributes:
        candidate_count: records that reached ranking.
        rankings: at most 64, in final order.
        selected_characters: length of the assembled block, in code points.
    """

    timestamp: str
    mode: TraceMode
    query_token_count: int
    query_tokens_truncated: bool
    candidate_count: int
    filtered: Filtered
    rankings: list[Ranking]
    selected_ids: list[str]
    excluded_by_prompt_budget: list[str]
    truncated_ids: list[str]
    selected_characters: int
    record_limit: int
    prompt_character_budget: int
    ranking_weights: Weights
