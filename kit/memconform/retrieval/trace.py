"""The trace of a retrieval: figures and ids, bounded, and no text of anybody's.

Source: retrieval-foundation, "The trace explains without showing".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memconform.model import Filtered, Ranking, Trace, to_plain
from memconform.model.trace import Channel, TraceMode
from memconform.retrieval.budget import Budgeted
from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.ranking import Ranked
from memconform.retrieval.tokens import Tokens


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many records the early stages dropped and how many candidates were left.

    An index that does these stages in its own query counts them there; nothing else of the
    records that it does not hand over enters a result.

    Attributes:
        scope: records outside the caller's scope.
        lifecycle: records in scope that are not active, replaced ones among them.
        candidates: records that passed purpose and filters and share a token with the query or
            are hinted at by it, whether or not they pass the gate.
    """

    scope: int
    lifecycle: int
    candidates: int


def channel_of(ranked: Ranked, mode: TraceMode) -> Channel:
    """Which way a candidate was found."""
    if mode != "sqlite-fts5":
        return "filesystem"
    return "fts5" if ranked.features.lexical > 0 else "type-affinity"


def rankings_of(
    ranked: Sequence[Ranked], selected: Collection[str], mode: TraceMode
) -> list[Ranking]:
    """One entry a candidate; ``selected`` are the ids that were assembled into the block."""
    return [
        Ranking(
            memory_id=candidate.record.id,
            channel=channel_of(candidate, mode),
            features=candidate.features,
            final_score=candidate.score,
            selected=candidate.record.id in selected,
        )
        for candidate in ranked
    ]


def trace_of(
    *,
    now: str,
    mode: TraceMode,
    query: Tokens,
    counts: Counts,
    passed: Sequence[Ranked],
    budgeted: Budgeted,
    record_limit: int,
    characters: int,
    constants: Constants = FOUNDATION,
) -> Trace:
    """The trace of one retrieval: of the candidates, those that passed, at most 64."""
    limit = constants.trace_limit
    selected = [chosen.ranked.record.id for chosen in budgeted.kept]
    return Trace(
        timestamp=now,
        mode=mode,
        query_token_count=len(query.tokens),
        query_tokens_truncated=query.truncated,
        candidate_count=counts.candidates,
        filtered=Filtered(
            scope=counts.scope,
            lifecycle=counts.lifecycle,
            irrelevant=counts.candidates - len(passed),
        ),
        rankings=rankings_of(passed[:limit], set(selected), mode),
        selected_ids=selected,
        excluded_by_prompt_budget=list(budgeted.excluded_ids[:limit]),
        truncated_ids=list(budgeted.truncated_ids[:limit]),
        selected_characters=len(budgeted.block),
        record_limit=record_limit,
        prompt_character_budget=characters,
        ranking_weights=constants.weights,
    )


def trace_hash(trace: Trace) -> str:
    """SHA-256 in hex of the trace's canonical JSON without its timestamp.

    Canonical: keys sorted, no white space, UTF-8, numbers in their shortest spelling.
    """
    plain = to_plain(trace)
    del plain["timestamp"]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
