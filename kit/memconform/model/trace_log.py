"""The trace log: one line a retrieval, with every candidate, whether or not it passed the gate.

A line says what a ``Trace`` says, once: its rankings are the candidates that passed, its lists of
ids are those that are selected, excluded or truncated. On top it has the hash of the query, its
language class, and the candidates that the gate refused. What a writer does not know it leaves
out; keys that this version does not know are ignored by readers.

Source: retrieval-foundation, "The trace explains without showing".
"""

from __future__ import annotations

from typing import Literal

import msgspec

from memconform.model.trace import Filtered, Weights

TRACE_LOG_SCHEMA: Literal["memconform/trace-log/1"] = "memconform/trace-log/1"

LanguageClass = Literal["latin", "cjk"]
Reason = Literal["below-floor", "limit", "budget", "duplicate", "unknown"]


class _Entry(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Part of a line: what is null or false is left out."""


class LoggedFeatures(_Entry, frozen=True, kw_only=True):
    """The ranking features, each in 0..1, as far as they are known."""

    lexical: float | None = None
    scope_affinity: float | None = None
    type_affinity: float | None = None
    freshness: float | None = None
    importance: float | None = None
    confidence: float | None = None


class LoggedCandidate(_Entry, frozen=True, kw_only=True):
    """One candidate, whatever became of it.

    Attributes:
        memory_id: not empty; once in a line.
        final_score: finite; the candidates of a line are in descending order of it.
        passed: whether it passed the relevance gate.
        selected: whether it is in the assembled block, whole or cut.
        channel: how it was found.
        truncated: whether only its beginning is in the block.
        reason: why it was not selected; left out when it was.
        characters: code points of the stored content.
        content: the stored content; only where text was asked for.
    """

    memory_id: str
    final_score: float
    passed: bool | None = None
    selected: bool = False
    channel: str | None = None
    features: LoggedFeatures | None = None
    truncated: bool = False
    reason: Reason | None = None
    characters: int | None = None
    content: str | None = None


class LoggedRetrieval(_Entry, frozen=True, kw_only=True):
    """One line of the log.

    Attributes:
        schema: which version of the log this is.
        query_id: the same for the same query; judgements are joined by it.
        candidates: in final order.
        retrieval_id: 32 hexadecimal digits, where the line comes out of a trace store; else it is
            made of the line itself.
        timestamp: ISO 8601 with a zone; left out where the source has no time.
        query: the text that was asked; only where text was asked for.
        language: ``cjk`` if the query has any CJK character, else ``latin``.
        store: a name of whoever answered.
        mode: as in a trace.
        gate: the relevance gate, ``foundation-v1`` or ``historical-v1``.
        candidate_count: records that reached ranking, logged or not.
        selected_characters: code points of the assembled block.
        latency_ms: milliseconds that the retrieval took.
        swept_from: the lowest value of the gate feature from which no candidate is missing: 0 when
            all are logged, left out where unknown.
    """

    schema: Literal["memconform/trace-log/1"]
    query_id: str
    candidates: tuple[LoggedCandidate, ...]
    retrieval_id: str | None = None
    timestamp: str | None = None
    query: str | None = None
    language: LanguageClass | None = None
    store: str | None = None
    mode: str | None = None
    gate: str | None = None
    query_token_count: int | None = None
    query_tokens_truncated: bool | None = None
    candidate_count: int | None = None
    filtered: Filtered | None = None
    record_limit: int | None = None
    prompt_character_budget: int | None = None
    selected_characters: int | None = None
    ranking_weights: Weights | None = None
    latency_ms: float | None = None
    swept_from: float | None = None
