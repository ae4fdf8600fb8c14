"""Makes lines of the log out of what a retrieval, a trace or a plain answer says.

Needs nothing but the core packages: stores that log run where no lab is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from memconform.model import Features, Filtered, Hit, RecallResult, Trace, Weights
from memconform.model.trace import Ranking
from memconform.model.trace_log import (
    TRACE_LOG_SCHEMA,
    LanguageClass,
    LoggedCandidate,
    LoggedFeatures,
    LoggedRetrieval,
    Reason,
)
from memconform.retrieval import FOUNDATION, Constants, Retrieval, RetrievalRequest
from memconform.retrieval.budget import DUPLICATE, OVER_BUDGET, OVER_LIMIT
from memconform.retrieval.tokens import has_cjk
from memconform.retrieval.trace import channel_of
from memconform.traces.ids import query_id

_REASONS: dict[str, Reason] = {
    OVER_LIMIT: "limit",
    OVER_BUDGET: "budget",
    DUPLICATE: "duplicate",
}
FOUNDATION_GATE = "foundation-v1"
HISTORICAL_GATE = "historical-v1"


def encoded(line: LoggedRetrieval) -> bytes:
    """A line with its end, the same bytes for the same content."""
    return msgspec.json.encode(line) + b"\n"


def language_of(query: str) -> LanguageClass:
    """The class whose floor a query is held to: lexical-abstention, "The floor of a query ..."."""
    return "cjk" if has_cjk(query) else "latin"


def line_of_retrieval(
    retrieval: Retrieval,
    request: RetrievalRequest,
    *,
    store: str,
    latency_ms: float | None = None,
    with_text: bool = False,
) -> LoggedRetrieval:
    """The line of a retrieval by the foundation pipeline, with all of its candidates."""
    trace = retrieval.trace
    why = {drop.id: _REASONS.get(drop.reason, "unknown") for drop in retrieval.budget.dropped}
    passed = {candidate.record.id for candidate in retrieval.gate.kept}
    selected = set(retrieval.selected_ids)
    cut = set(retrieval.budget.truncated_ids)

    def reason(id: str) -> Reason | None:
        if id in selected:
            return None
        return why.get(id, "unknown") if id in passed else "below-floor"

    candidates = tuple(
        LoggedCandidate(
            memory_id=ranked.record.id,
            final_score=ranked.score,
            passed=ranked.record.id in passed,
            selected=ranked.record.id in selected,
            channel=channel_of(ranked, trace.mode),
            features=_features(ranked.features),
            truncated=ranked.record.id in cut,
            reason=reason(ranked.record.id),
            characters=len(ranked.record.content),
            content=ranked.record.content if with_text else None,
        )
        for ranked in retrieval.ranked
    )
    return LoggedRetrieval(
        schema=TRACE_LOG_SCHEMA,
        query_id=query_id(request.query),
        query=request.query if with_text else None,
        language=language_of(request.query),
        store=store,
        gate=request.relevance_mode,
        latency_ms=latency_ms,
        # An index may leave out what can't pass; then the line holds what passed and no more.
        swept_from=0.0
        if len(candidates) == trace.candidate_count
        else retrieval.question.gate.floor,
        candidates=candidates,
        timestamp=trace.timestamp,
        mode=trace.mode,
        query_token_count=trace.query_token_count,
        query_tokens_truncated=trace.query_tokens_truncated,
        candidate_count=trace.candidate_count,
        filtered=trace.filtered,
        record_limit=trace.record_limit,
        prompt_character_budget=trace.prompt_character_budget,
        selected_characters=trace.selected_characters,
        ranking_weights=trace.ranking_weights,
    )


class LastTrace(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A trace as a store gives it, or as a host application keeps of its last retrieval.

    Only ``rankings`` must be there. The last six fields belong to no trace; whoever collects
    traces may add them.
    """

    rankings: tuple[Ranking, ...]
    timestamp: str | None = None
    mode: str | None = None
    query_token_count: int | None = None
    query_tokens_truncated: bool | None = None
    candidate_count: int | None = None
    filtered: Filtered | None = None
    excluded_by_prompt_budget: tuple[str, ...] = ()
    truncated_ids: tuple[str, ...] = ()
    selected_characters: int | None = None
    record_limit: int | None = None
    prompt_character_budget: int | None = None
    ranking_weights: Weights | None = None
    query_id: str | None = None
    query: str | None = None
    language: LanguageClass | None = None
    store: str | None = None
    gate: str | None = None
    latency_ms: float | None = None


def line_of_trace(
    trace: LastTrace,
    *,
    own_id: str,
    contents: dict[str, str] | None = None,
    with_text: bool = False,
    constants: Constants = FOUNDATION,
) -> LoggedRetrieval:
    """The line of a trace, which holds the candidates that passed and no others.

    Args:
        trace: what the store said.
        own_id: the id of the query where the trace has neither id nor text.
        contents: of the selected memories, by id, as far as they are known.
        with_text: whether query and contents are kept.
        constants: the floors and the length of a trace's lists.
    """
    language = trace.language or (None if trace.query is None else language_of(trace.query))
    excluded, cut = set(trace.excluded_by_prompt_budget), set(trace.truncated_ids)
    chosen = sum(ranking.selected for ranking in trace.rankings)
    full = trace.record_limit is not None and chosen >= trace.record_limit
    known = contents or {}

    def reason(ranking: Ranking) -> Reason | None:
        if ranking.selected:
            return None
        # A trace counts duplicates among what the budget excluded.
        if ranking.memory_id in excluded:
            return "budget"
        return "limit" if full else "unknown"

    return LoggedRetrieval(
        schema=TRACE_LOG_SCHEMA,
        query_id=trace.query_id or (own_id if trace.query is None else query_id(trace.query)),
        query=trace.query if with_text else None,
        language=language,
        store=trace.store,
        gate=trace.gate,
        latency_ms=trace.latency_ms,
        swept_from=complete_from(trace, language, constants),
        candidates=tuple(
            LoggedCandidate(
                memory_id=ranking.memory_id,
                final_score=ranking.final_score,
                passed=True,
                selected=ranking.selected,
                channel=ranking.channel,
                features=_features(ranking.features),
                truncated=ranking.selected and ranking.memory_id in cut,
                reason=reason(ranking),
                characters=_length(known.get(ranking.memory_id), cut=ranking.memory_id in cut),
                content=known.get(ranking.memory_id) if with_text else None,
            )
            for ranking in trace.rankings
        ),
        timestamp=trace.timestamp,
        mode=trace.mode,
        query_token_count=trace.query_token_count,
        query_tokens_truncated=trace.query_tokens_truncated,
        candidate_count=trace.candidate_count,
        filtered=trace.filtered,
        record_limit=trace.record_limit,
        prompt_character_budget=trace.prompt_character_budget,
        selected_characters=trace.selected_characters,
        ranking_weights=trace.ranking_weights,
    )


def complete_from(
    trace: LastTrace, language: LanguageClass | None, constants: Constants = FOUNDATION
) -> float | None:
    """The lowest lexical value from which a trace has every candidate; null where it can't be said.

    A trace holds what passed the gate, the first 64 of it. So it is complete from the floor on, if
    fewer passed than it may hold. Without a language the higher floor is meant.
    """
    held = len(trace.rankings)
    if trace.candidate_count is not None and trace.filtered is not None:
        if held != trace.candidate_count - trace.filtered.irrelevant:
            return None
    elif held >= constants.trace_limit:
        return None
    if trace.gate == HISTORICAL_GATE:
        return 0.0
    if trace.gate not in (None, FOUNDATION_GATE):
        return None
    floors = {"latin": constants.floor, "cjk": constants.cjk_floor}
    floor = max(floors.values()) if language is None else floors[language]
    least = min(floors.values()) if language is None else floor
    by_words = (r.features for r in trace.rankings if not r.features.type_affinity)
    # What passed below the floor shows that another gate was at work.
    return None if any(features.lexical < least for features in by_words) else floor


def line_of_answer(
    answer: RecallResult,
    query: str,
    *,
    store: str,
    timestamp: str,
    limit: int | None = None,
    latency_ms: float | None = None,
    with_text: bool = False,
) -> LoggedRetrieval:
    """The line of an answer without a trace: its hits, in the order in which they came.

    A store without scores gets the reciprocal of the place, which keeps its order.
    """
    scores = [hit.score for hit in answer.hits]
    falling = all(score is not None for score in scores) and _descending(
        [score for score in scores if score is not None]
    )
    return LoggedRetrieval(
        schema=TRACE_LOG_SCHEMA,
        query_id=query_id(query),
        query=query if with_text else None,
        language=language_of(query),
        store=store,
        latency_ms=latency_ms,
        timestamp=timestamp,
        record_limit=limit,
        candidates=tuple(
            LoggedCandidate(
                memory_id=hit.id,
                final_score=hit.score if falling and hit.score is not None else 1 / place,
                selected=True,
                truncated="cut" in (hit.flags or ()),
                characters=_length(hit.content, cut="cut" in (hit.flags or ())),
                content=hit.content if with_text else None,
            )
            for place, hit in enumerate(_once(answer), start=1)
        ),
    )


def trace_of_line(line: LoggedRetrieval, constants: Constants = FOUNDATION) -> Trace:
    """The trace that a line was made of, or would have been.

    Raises:
        ValueError: the line leaves out what a trace must say.
    """
    passed = [candidate for candidate in line.candidates if candidate.passed]
    most = constants.trace_limit
    excluded = [c.memory_id for c in passed if c.reason in ("budget", "duplicate")]
    # Nothing of it is taken for granted: a line may leave out what a trace must say.
    said = msgspec.to_builtins(line)
    names = [field.encode_name for field in msgspec.structs.fields(Trace)]
    plain = {
        **{name: said[name] for name in names if name in said},
        "rankings": [_ranking(candidate) for candidate in passed[:most]],
        "selectedIds": [c.memory_id for c in passed if c.selected],
        "excludedByPromptBudget": excluded[:most],
        "truncatedIds": [c.memory_id for c in passed if c.truncated][:most],
    }
    try:
        return msgspec.convert(plain, Trace)
    except msgspec.ValidationError as error:
        raise ValueError(f"the line is no whole trace: {error}") from error


def _ranking(candidate: LoggedCandidate) -> dict[str, object]:
    said = msgspec.to_builtins(candidate)
    names = [field.encode_name for field in msgspec.structs.fields(Ranking)]
    return {"selected": False, **{name: said[name] for name in names if name in said}}


def _features(features: Features) -> LoggedFeatures:
    return LoggedFeatures(**msgspec.structs.asdict(features))


def _length(content: str | None, *, cut: bool) -> int | None:
    return None if content is None or cut else len(content)


def _once(answer: RecallResult) -> Iterator[Hit]:
    seen: set[str] = set()
    for hit in answer.hits:
        if hit.id not in seen:
            seen.add(hit.id)
            yield hit


def _descending(scores: Sequence[float]) -> bool:
    return all(a >= b for a, b in pairwise(scores))
