"""The whole retrieval, stage after stage; nothing later sees what an earlier one dropped.

    scope, lifecycle, purpose, filters, match, rank, gate, budget and block, trace

Each stage is a field of ``Pipeline``, so that a test, a notebook or a fault can replace one::

    Pipeline(gate=lambda ranked, gate: Stage(tuple(ranked), ()))

A store that keeps an index does the stages up to ``match`` in its own query and hands over what
can still pass; a store without one hands over everything. Both go through ``Pipeline.finish``.

Source: retrieval-foundation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from memconform.model import Access, Features, Filters, Policy, Purpose, Record, RelevanceMode
from memconform.model.trace import Trace, TraceMode
from memconform.retrieval.budget import Budgeted, Selected, within_budget
from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.context import LAYOUT, Layout
from memconform.retrieval.lifecycle import still_active
from memconform.retrieval.ranking import (
    Hints,
    Match,
    Ranked,
    features_of,
    final_score,
    matching,
    order_key,
    type_affinity,
    type_hints,
)
from memconform.retrieval.relevance import Gate, gate_for, relevant
from memconform.retrieval.request import (
    RetrievalRequest,
    as_filtered,
    character_budget,
    for_purpose,
    record_limit,
)
from memconform.retrieval.scope import within_scope
from memconform.retrieval.stage import Stage
from memconform.retrieval.times import canonical_time
from memconform.retrieval.tokens import Tokens, query_tokens, record_tokens
from memconform.retrieval.trace import Counts, trace_of

DEFAULT_POLICY = Policy()
TokenSet = Callable[[Record], Set[str]]


@dataclass(frozen=True)
class Question:
    """A query, read: what to look for, and what it takes to be relevant."""

    tokens: Tokens
    hints: Hints
    gate: Gate

    @property
    def minimum_overlap(self) -> int:
        """The fewest tokens that a record without type affinity must share to pass the gate."""
        return self.gate.minimum_overlap(len(self.tokens.tokens))


@dataclass(frozen=True)
class Eligible:
    """What a caller may see and what is active of it: the ground of recall and of list."""

    scope: Stage[Record]
    lifecycle: Stage[Record]


@dataclass(frozen=True)
class Early:
    """The stages before ranking, one after the other."""

    scope: Stage[Record]
    lifecycle: Stage[Record]
    purpose: Stage[Record]
    filters: Stage[Record]
    match: Stage[Match]

    @property
    def counts(self) -> Counts:
        """What a trace says of these stages."""
        return Counts(
            scope=len(self.scope.dropped),
            lifecycle=len(self.lifecycle.dropped),
            candidates=len(self.match.kept),
        )


@dataclass(frozen=True)
class Retrieval:
    """One retrieval, with every step on the way.

    Attributes:
        early: the stages before ranking; None where an index did them.
        ranked: the candidates in final order, before the gate.
        gate: which of them passed.
        budget: which of those are in the block, and the block.
    """

    question: Question
    early: Early | None
    ranked: tuple[Ranked, ...]
    gate: Stage[Ranked]
    budget: Budgeted
    trace: Trace

    @property
    def passed(self) -> tuple[Ranked, ...]:
        """The candidates that passed the gate, in final order."""
        return self.gate.kept

    @property
    def selected(self) -> tuple[Selected, ...]:
        """What is in the block, in its order."""
        return self.budget.kept

    @property
    def selected_ids(self) -> tuple[str, ...]:
        """The ids of what is in the block, in its order."""
        return tuple(chosen.ranked.record.id for chosen in self.budget.kept)

    @property
    def excluded_ids(self) -> tuple[str, ...]:
        """What passed the gate and was left out as a duplicate or for want of space."""
        return self.budget.excluded_ids

    @property
    def block(self) -> str:
        """The context block; empty when nothing is selected."""
        return self.budget.block


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """Foundation, put together. The fields are its parts, each with the real one as default."""

    constants: Constants = FOUNDATION
    query_tokens: Callable[[str, Constants], Tokens] = query_tokens
    record_tokens: Callable[[Record, Constants], Tokens] = record_tokens
    hints: Callable[[str, Constants], Hints] = type_hints
    gate_for: Callable[[str, RelevanceMode, Constants], Gate] = gate_for
    scope: Callable[[Iterable[Record], Access, Policy], Stage[Record]] = within_scope
    lifecycle: Callable[[Iterable[Record], str], Stage[Record]] = still_active
    purpose: Callable[[Iterable[Record], Purpose], Stage[Record]] = for_purpose
    filters: Callable[[Iterable[Record], Filters | None], Stage[Record]] = as_filtered
    match: Callable[[Iterable[Record], Sequence[str], Hints, TokenSet], Stage[Match]] = matching
    features: Callable[[Match, Tokens, Hints, str, Constants], Features] = features_of
    score: Callable[[Features, Constants], float] = final_score
    order_key: Callable[[Ranked], Any] = order_key
    gate: Callable[[Iterable[Ranked], Gate], Stage[Ranked]] = relevant
    record_limit: Callable[[RetrievalRequest, Policy, Constants], int] = record_limit
    budget: Callable[..., Budgeted] = within_budget
    layout: Layout = LAYOUT

    def ask(self, query: str, mode: RelevanceMode = "foundation-v1") -> Question:
        """Reads a query. An index builds its own query from the answer."""
        return Question(
            tokens=self.query_tokens(query, self.constants),
            hints=self.hints(query, self.constants),
            gate=self.gate_for(query, mode, self.constants),
        )

    def token_set(self, record: Record) -> frozenset[str]:
        """The tokens of a record. They depend on the record alone, so a store may keep them."""
        return frozenset(self.record_tokens(record, self.constants).tokens)

    def eligible(
        self,
        records: Iterable[Record],
        access: Access,
        *,
        policy: Policy = DEFAULT_POLICY,
        now: str,
    ) -> Eligible:
        """What a caller may see and what is active of it, with what was dropped and why."""
        scope = self.scope(records, access, policy)
        return Eligible(scope=scope, lifecycle=self.lifecycle(scope.kept, now))

    def retrieve(
        self,
        records: Iterable[Record],
        request: RetrievalRequest,
        *,
        policy: Policy = DEFAULT_POLICY,
        now: str,
        mode: TraceMode = "filesystem",
        token_set: TokenSet | None = None,
        hopeless: bool = True,
    ) -> Retrieval:
        """A retrieval over all records.

        Args:
            records: everything that is stored, in any order, each id once.
            request: what is asked.
            policy: the store's settings in force.
            now: the time of the retrieval, ISO 8601 UTC.
            mode: what the trace is to say.
            token_set: gives the tokens of a record, for a store that keeps them; without it
                every record in question is read anew.
            hopeless: rank also what can't pass the gate, for whoever wants to see it fail. Without
                it the answer and its trace are the same, and ``ranked`` is shorter.

        Raises:
            ValueError: ``now`` is no time.
        """
        question = self.ask(request.query, request.relevance_mode)
        eligible = self.eligible(records, request.access, policy=policy, now=now)
        purpose = self.purpose(eligible.lifecycle.kept, request.purpose)
        filters = self.filters(purpose.kept, request.filters)
        match = self.match(
            filters.kept, question.tokens.tokens, question.hints, token_set or self.token_set
        )
        early = Early(eligible.scope, eligible.lifecycle, purpose, filters, match)
        matches = match.kept if hopeless else self._hopeful(match.kept, question)
        later = self.finish(
            matches, early.counts, question, request, policy=policy, now=now, mode=mode
        )
        return replace(later, early=early)

    def _hopeful(self, matches: Sequence[Match], question: Question) -> Sequence[Match]:
        """Those that can pass the gate; all of them where another gate stands in its place."""
        if self.features is not features_of or self.gate is not relevant:
            return matches
        least, hints = question.minimum_overlap, question.hints
        return [m for m in matches if m.overlap >= least or type_affinity(m.record, hints) > 0]

    def finish(
        self,
        matches: Iterable[Match],
        counts: Counts,
        question: Question,
        request: RetrievalRequest,
        *,
        policy: Policy = DEFAULT_POLICY,
        now: str,
        mode: TraceMode = "sqlite-fts5",
    ) -> Retrieval:
        """The second half of a retrieval, for a store whose index did the first.

        Args:
            matches: the records that passed scope, lifecycle, purpose and filters, with their
                exact numbers of shared tokens. Those that can't pass the gate may be missing:
                fewer than ``question.minimum_overlap`` shared and no type affinity.
            counts: of all records, handed over or not.
            question: what ``ask`` gave.
            request: what is asked; its query is not read again.
            policy: the store's settings in force.
            now: the time of the retrieval, ISO 8601 UTC.
            mode: what the trace is to say.

        Raises:
            ValueError: ``now`` is no time.
        """
        constants, tokens = self.constants, question.tokens
        now = canonical_time(now)
        ranked = tuple(sorted(self._scored(matches, question, now), key=self.order_key))
        gate = self.gate(ranked, question.gate)
        limit = self.record_limit(request, policy, constants)
        characters = character_budget(request, constants)
        budget = self.budget(
            gate.kept,
            limit=limit,
            characters=characters,
            layout=self.layout,
            constants=constants,
        )
        trace = trace_of(
            now=now,
            mode=mode,
            query=tokens,
            counts=counts,
            passed=gate.kept,
            budgeted=budget,
            record_limit=limit,
            characters=characters,
            constants=constants,
        )
        return Retrieval(question, None, ranked, gate, budget, trace)

    def _scored(self, matches: Iterable[Match], question: Question, now: str) -> Iterator[Ranked]:
        for match in matches:
            features = self.features(match, question.tokens, question.hints, now, self.constants)
            yield Ranked(match.record, features, self.score(features, self.constants))
