"""``reference:fusion``: the fusion design over one SQLite database.

Every answer is read from the database in one transaction; nothing is kept beside it, so there is
no cache that a forgetting could miss.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from memconform import __version__
from memconform.fusion import (
    Asked,
    Block,
    Catalog,
    Edge,
    Embedder,
    Floor,
    Fused,
    HashedProjection,
    Injection,
    Memory,
    Portion,
    Portions,
    Signals,
    ask,
    block,
    catalog,
    fuse,
    inject,
    reason_to_stay,
    signals_of,
    within_budget,
)
from memconform.fusion.block import FRAME_COST, line_cost
from memconform.fusion.channels import Corpus, bm25
from memconform.fusion.embedding import Vector
from memconform.fusion.graph import at_node
from memconform.fusion.injection import PROFILE
from memconform.fusion.words import synonyms_of
from memconform.model import (
    Access,
    BatchCounts,
    BatchResult,
    CatalogEntry,
    CatalogResult,
    ChannelScore,
    ContextResult,
    DiagnosticsResult,
    Done,
    ExpandResult,
    GetResult,
    GraphEdge,
    GraphResult,
    Hit,
    IndexDiagnostics,
    ListResult,
    RecallResult,
    Record,
    RecordDraft,
    Settings,
    Target,
    TargetsResult,
    WriteResult,
    created,
    done,
    has_lone_surrogate,
    hit,
    to_plain,
)
from memconform.protocol import (
    PROTOCOL_VERSION,
    Capability,
    Conflict,
    Hello,
    Invalid,
    NotFound,
    System,
    policies,
)
from memconform.reference.connection import Clock, Connection, refused, system_clock
from memconform.reference.files import entomb
from memconform.reference.fusion_tables import VERSION, Row, Tables, sameness
from memconform.reference.hits import stored_hit, times_of
from memconform.reference.home import Home
from memconform.retrieval import record_from_draft, revised
from memconform.retrieval.lifecycle import state_of
from memconform.retrieval.times import milliseconds

DEFAULT_NAMESPACE = "default"
DEFAULT_BUDGET = 2_000  # tokens (own)
WINDOW = 64  # candidates that each way of looking may bring (own)
VECTORS_DOWN = "vectors-down"  # the fault that stores can be asked to simulate
_HEALED_AT_ONCE = 256

CAPABILITIES: tuple[Capability, ...] = (
    "namespaces",
    "batch",
    "update",
    "correct",
    "targets",
    "listing",
    "budget",
    "context",
    "disclosure",
    "graph",
    "channels",
    "scores",
    "confidence",
    "tags",
    "versions",
    "validity",
    "clock",
    "durable",
    "shared",
    "warmup",
    "reindex",
    "drop-embeddings",
    "faults",
    "diagnostics",
)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a fusion store is made of, so that a test or a fault can replace one.

    Attributes:
        floor: None means the published figure, for whatever embedder there is.
        tables: opens the database.
        sameness: two memories of a place for which it is equal are one.
    """

    embedder: Embedder = HashedProjection()
    floor: Floor | None = None
    tables: Callable[[Path, str], Tables] = Tables
    sameness: Callable[[str, Sequence[str]], str] = sameness
    signals: Callable[..., Signals] = signals_of
    stays: Callable[[Signals, Floor], str | None] = reason_to_stay
    fuse: Callable[..., tuple[Fused, ...]] = fuse
    fit: Callable[..., Portions] = within_budget
    catalog: Callable[[Sequence[Memory]], Catalog] = catalog
    inject: Callable[..., Injection] = inject
    block: Callable[[Injection], Block] = block

    @property
    def floor_in_force(self) -> Floor:
        """The floor of this embedder.

        Raises:
            ValueError: the given floor was calibrated for another one.
        """
        floor = self.floor or Floor(0.55, self.embedder.name)
        return floor.for_embedder(self.embedder.name)


class FusionStore(Connection):
    """An open connection to the memories in a folder. One thread at a time may use it.

    Args:
        root: the folder; nothing outside it is touched.
        settings: clock and namespace.
        parts: embedder and floor.
        clock: gives the time, ISO 8601 UTC, where the settings don't.
        home: shared by the connections to a temporary folder.

    Raises:
        Unavailable: the database can't be opened.
        ValueError: the floor belongs to another embedder.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        parts: Parts,
        clock: Clock = system_clock,
        home: Home | None = None,
    ) -> None:
        super().__init__(settings, clock)
        self._parts = parts
        self._floor = parts.floor_in_force
        self._namespace = _name(settings.namespace or DEFAULT_NAMESPACE)
        self._tables = parts.tables(root, parts.embedder.name)
        self._home = home or Home(root)
        self._home.enter()
        self._root = root
        self._vectors_down = False

    # --- life --------------------------------------------------------------------------------

    @property
    def namespace(self) -> str:
        """The namespace that calls without one mean."""
        return self._namespace

    def _end(self) -> None:
        self._tables.close()
        self._home.leave()

    def _another(self, settings: Settings) -> Self:
        self._check_open()
        other = type(self)(
            self._root, settings, parts=self._parts, clock=self._clock, home=self._home
        )
        other._vectors_down = self._vectors_down
        return other

    @contextmanager
    def _changing(self) -> Iterator[None]:
        self._check_open()
        with self._tables.changing():
            yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        self._check_open()
        with self._tables.reading():
            yield

    # --- writing -----------------------------------------------------------------------------

    def write(self, record: RecordDraft) -> WriteResult:
        """Store one memory. One that says what an active one of its place says is merged into it.

        While the vector backend is down the memory is stored and found by its words, and the
        outcome is ``deferred``: its vector follows when the backend is back.

        Raises:
            Invalid: the memory breaks a rule.
            Conflict: what it supersedes is forgotten or superseded already.
        """
        with self._changing():
            return self._write(record)

    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        """Store several memories. One that is refused says why, the others are stored."""
        outcomes: list[WriteResult] = []
        stored: list[RecordDraft] = []
        with self._changing():
            for draft in records:
                try:
                    outcomes.append(self._write(draft))
                    stored.append(draft)
                except (Invalid, Conflict, NotFound) as refusal:
                    outcomes.append(refused(refusal, self._namespace))
        return BatchResult(
            outcomes=outcomes,
            passed_on=BatchCounts(
                tags=sum(bool(draft.tags) for draft in stored),
                confidence=sum(draft.confidence is not None for draft in stored),
                importance=sum(draft.importance is not None for draft in stored),
            ),
        )

    def _write(self, draft: RecordDraft) -> WriteResult:
        namespace = self._in_effect(draft.namespace)
        now = self._now
        # Places of other designs are not this one's: the namespace is the only wall.
        plain = msgspec.structs.replace(draft, scope="user", workspace=None, project=None)
        record = record_from_draft(plain, id="?", now=now)
        key = self._parts.sameness(record.content, record.tags)
        place = self._tables.made_place(namespace)
        old = None if draft.supersedes is None else self._current(draft.supersedes, namespace)
        same = self._tables.same(place, key)
        if old is None and same is not None and state_of(same.record, now) == "active":
            return self._outcome("merged", same.record.id, other=same.record.id, of=namespace)
        record = msgspec.structs.replace(record, id=self._new_id(record, namespace))
        self._tables.add(place, record, key, self._vector(record.content))
        if old is not None:
            self._tables.supersede(old.number, record.id)
        if self._vectors_down:
            cause = f"{VECTORS_DOWN}: stored and found by its words; its vector follows"
            return self._outcome("deferred", record.id, cause=cause, of=namespace)
        return created(record.id, namespace)

    def _new_id(self, record: Record, namespace: str) -> str:
        number = 0
        while True:
            plain = json.dumps([namespace, to_plain(record), number], sort_keys=True)
            id = f"mem-{hashlib.sha256(plain.encode()).hexdigest()[:32]}"
            if self._tables.find(id) is None:
                return id
            number += 1

    def _vector(self, content: str) -> Vector | None:
        if self._vectors_down:
            return None
        return self._parts.embedder.encode([content], "passage")[0]

    # --- asking ------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        access: Access = Access(),
        limit: int | None = None,
        *,
        budget: int | None = None,
    ) -> RecallResult:
        """The memories that answer a question, best first, in the form that the budget holds.

        Args:
            query: any text; one without a content word finds nothing but by its tags.
            access: the caller's namespace.
            limit: the most hits; null means 8, 0 or less none.
            budget: in tokens; null means 2,000. The ledger comes with every answer.
        """
        with self._reading():
            namespace, answer = self._answer(query, access)
        most = self._limit(limit)
        found = {f.signals.memory.id: f for f in answer.fused[:most]}
        fitted = self._parts.fit(
            [f.signals.memory for f in found.values()],
            DEFAULT_BUDGET if budget is None else budget,
        )
        return RecallResult(
            hits=[
                self._hit(found[p.memory.id], answer.rows[p.memory.id], p) for p in fitted.portions
            ],
            namespace=namespace,
            ledger=fitted.ledger,
            trace=None,
        )

    def context(
        self, query: str, access: Access = Access(), budget: int | None = None
    ) -> ContextResult:
        """The text that would be put into a prompt for this question, within the budget."""
        with self._reading():
            namespace, place = self._place(access)
            candidates = [] if place is None else self._to_inject(query, place)
        most = DEFAULT_BUDGET if budget is None else budget
        made = self._parts.block(
            self._parts.inject(query, candidates, most - FRAME_COST, self._floor, cost=line_cost)
        )
        self._last_injected = made.ids
        return ContextResult(
            text=made.text, ids=list(made.ids), cut=list(made.capsules), namespace=namespace
        )

    def catalog(self, query: str, access: Access = Access(), k: int | None = None) -> CatalogResult:
        """Titles and summaries of what could be expanded, best first, and what that would cost."""
        with self._reading():
            namespace, answer = self._answer(query, access)
        made = self._parts.catalog([f.signals.memory for f in answer.fused[: self._limit(k)]])
        return CatalogResult(
            entries=[
                CatalogEntry(
                    id=entry.memory.id,
                    title=entry.title,
                    summary=entry.summary,
                    expand_cost=entry.expand_cost,
                )
                for entry in made.entries
            ],
            cost=made.cost,
            namespace=namespace,
        )

    def expand(self, id: str, access: Access = Access()) -> ExpandResult:
        """One memory whole, what it states, and the chain of corrections that it belongs to."""
        with self._reading():
            namespace, row = self._own(id, access)
            return ExpandResult(
                record=self._stored(row),
                neighbours=[_edge(edge) for edge in self._tables.edges_of(row)],
                evidence=self._chain(row),
                namespace=namespace,
            )

    def graph(self, entity: str, access: Access = Access()) -> GraphResult:
        """What is stated of an entity, and its neighbours by that."""
        with self._reading():
            _, place = self._place(access)
            found = [] if place is None else list(at_node(self._tables.edges(place), entity))
        ends = dict.fromkeys(end for edge in found for end in (edge.subject, edge.object))
        return GraphResult(
            nodes=[end for end in ends if end.lower() != entity.lower()],
            edges=[_edge(edge) for edge in found],
        )

    def find_targets(self, description: str, access: Access = Access()) -> TargetsResult:
        """Which memories a description may mean; nothing is changed, no relevance floor applies."""
        with self._reading():
            _, answer = self._answer(description, access, apply_floor=False)
        return TargetsResult(
            candidates=[
                Target(
                    id=f.signals.memory.id,
                    score=f.score,
                    band=self._band(f.signals),
                    similarity=f.signals.semantic,
                )
                for f in answer.fused[: self._limit(None)]
            ]
        )

    def list_records(self, access: Access = Access()) -> ListResult:
        """Every memory of the place that holds or is marked as superseded, as they were written."""
        with self._reading():
            namespace, place = self._place(access)
            rows = [] if place is None else self._tables.every(place)
        now = self._now
        return ListResult(
            records=[self._stored(row) for row in rows if state_of(row.record, now) == "active"],
            namespace=namespace,
        )

    def get(self, id: str, access: Access = Access()) -> GetResult:
        """One memory in whatever state; of a forgotten one the state, without content."""
        with self._reading():
            namespace, row = self._own(id, access)
        return GetResult(record=self._stored(row), namespace=namespace)

    def _answer(
        self, query: str, access: Access, *, apply_floor: bool = True
    ) -> tuple[str, _Answer]:
        namespace, place = self._place(access)
        _check_text(query)
        if place is None:
            return namespace, _Answer((), {})
        asked = ask(query, self._parts.embedder)
        candidates = self._candidates(asked, place)
        staying = [
            (signals, row)
            for signals, row in candidates
            if not apply_floor or self._parts.stays(signals, self._floor) is not None
        ]
        # A correction comes with what it corrects, in whatever words it is put.
        more = self._corrections([row for _, row in staying])
        if more:
            corpus = self._tables.corpus(place, asked.words)
            staying += self._seen(asked, place, more, corpus)
        fused = self._parts.fuse(
            query,
            [signals for signals, _ in staying],
            self._parts.embedder.weights,
            cosine_floor=self._floor.cosine,
        )
        return namespace, _Answer(fused, {row.record.id: row for _, row in staying})

    def _candidates(self, asked: Asked, place: int) -> list[tuple[Signals, Row]]:
        """What any way of looking brings: by words, by other words, by tags, by meaning."""
        tables = self._tables
        corpus = tables.corpus(place, asked.words)
        found = {row.number: row for row in tables.by_words(place, corpus, WINDOW)}

        def more(rows: Iterable[Row]) -> None:
            for row in rows:
                found.setdefault(row.number, row)

        # Slices of words let in what the words themselves miss, after all that these bring.
        if len(found) < WINDOW:
            more(tables.by_ngrams(place, asked.ngrams, WINDOW))
        others = set(synonyms_of(asked.synonyms)) - set(asked.words)
        if others:
            more(tables.by_words(place, tables.corpus(place, sorted(others)), WINDOW))
        if asked.families:
            more(tables.by_tags(place, asked.families, WINDOW))
        if self._parts.embedder.generalises:
            more(self._nearest(asked.vector, place))
        return self._seen(asked, place, found.values(), corpus)

    def _nearest(self, vector: Vector, place: int) -> list[Row]:
        similar = self._parts.embedder.similarity
        near = [
            (similar(vector, row.vector), row)
            for row in self._tables.every(place)
            if row.vector is not None
        ]
        near.sort(key=lambda pair: (-pair[0], pair[1].number))
        return [row for _, row in near[:WINDOW]]

    def _seen(
        self, asked: Asked, place: int, rows: Iterable[Row], corpus: Corpus
    ) -> list[tuple[Signals, Row]]:
        """Those of the rows that hold now, with all their signals."""
        now = self._now
        holding = [row for row in rows if state_of(row.record, now) == "active"]
        words = frozenset(asked.words)
        shared = {
            number: sorted(nodes & words)
            for number, nodes in self._tables.nodes_of([row.number for row in holding]).items()
        }
        worth = {
            node: 1 / self._tables.having(place, node)
            for node in {node for nodes in shared.values() for node in nodes}
        }
        return [
            (
                self._parts.signals(
                    asked,
                    row.memory,
                    told=row.told,
                    semantic=None
                    if row.vector is None
                    else self._parts.embedder.similarity(asked.vector, row.vector),
                    bm25=bm25(asked.words, row.told.split(), corpus),
                    graph=sum(worth[node] for node in shared.get(row.number, ())),
                    now=(milliseconds(now) or 0) / 1000,
                ),
                row,
            )
            for row in holding
        ]

    def _to_inject(self, query: str, place: int) -> list[Signals]:
        _check_text(query)
        asked = ask(query, self._parts.embedder)
        candidates = self._candidates(asked, place)
        known = {row.number for _, row in candidates}
        always = [
            row
            for row in self._tables.by_kinds(place, (*PROFILE, "open-item"), WINDOW)
            if row.number not in known
        ]
        corpus = self._tables.corpus(place, asked.words)
        return [s for s, _ in (*candidates, *self._seen(asked, place, always, corpus))]

    def _corrections(self, rows: list[Row]) -> list[Row]:
        """The corrections of these memories that are not among them, each once."""
        known = {row.record.id for row in rows}
        found = []
        waiting = [row.superseded_by for row in rows]
        while waiting:
            id = waiting.pop(0)
            if id is None or id in known:
                continue
            known.add(id)
            there = self._tables.find(id)
            if there is not None:
                found.append(there[1])
                waiting.append(there[1].superseded_by)
        return found

    def _chain(self, row: Row) -> list[str]:
        """The memories that this one replaces and is replaced by, the oldest first."""
        before: list[str] = []
        older = row.record.supersedes
        while older is not None and older not in before:
            before.insert(0, older)
            there = self._tables.find(older)
            older = None if there is None else there[1].record.supersedes
        return [*before, *(later.record.id for later in self._corrections([row]))]

    # --- changing ----------------------------------------------------------------------------

    def forget(self, id: str, access: Access = Access()) -> Done:
        """Make a memory unfindable at once; a tombstone without content and belief stays."""
        with self._changing():
            namespace, row = self._own(id, access)
            if row.record.deleted_at is not None:
                return Done(done=False, cause="it is forgotten already")
            tombstone = msgspec.structs.replace(entomb(row.record, self._now), confidence=0.0)
            self._tables.entomb(self._tables.made_place(namespace), row, tombstone)
        return done()

    def update(
        self,
        id: str,
        access: Access = Access(),
        content: str | None = None,
        tags: tuple[str, ...] | None = None,
        confidence: float | None = None,
    ) -> WriteResult:
        """Give some fields new values; null leaves a field as it is. The outcome is ``merged``."""
        with self._changing():
            namespace, row = self._own(id, access)
            if row.record.deleted_at is not None:
                raise _forgotten(id)
            record = revised(
                row.record, now=self._now, content=content, tags=tags, confidence=confidence
            )
            self._tables.revise(
                self._tables.made_place(namespace),
                row,
                record,
                self._parts.sameness(record.content, record.tags),
                self._vector(record.content),
            )
        return self._outcome("merged", id, other=id, of=namespace)

    def correct(
        self, id: str, content: str, access: Access = Access(), key: str | None = None
    ) -> WriteResult:
        """Store a new text that supersedes the old one in the same place, all else being kept.

        Replayed, it happens once. The outcome is ``superseded``.

        Raises:
            NotFound: the caller's place has no such memory.
            Conflict: it is forgotten, or corrected by another text already.
        """
        with self._changing():
            namespace, old = self._own(id, access)
            if old.superseded_by is not None:
                there = self._tables.find(old.superseded_by)
                if there is not None and there[1].record.content == content:
                    return self._outcome("superseded", old.superseded_by, other=id, of=namespace)
            old = self._current(id, namespace)
            revision = revised(old.record, now=self._now, content=content)
            record = msgspec.structs.replace(
                revision, id="?", supersedes=id, created_at=revision.updated_at, observed_at=None
            )
            record = msgspec.structs.replace(record, id=self._new_id(record, namespace))
            self._tables.add(
                self._tables.made_place(namespace),
                record,
                self._parts.sameness(content, record.tags),
                self._vector(content),
            )
            self._tables.supersede(old.number, record.id)
        return self._outcome("superseded", record.id, other=id, of=namespace)

    # --- upkeep ------------------------------------------------------------------------------

    def warmup(self) -> Done:
        """Make what the first write and the first question of this namespace would wait for."""
        with self._changing():
            self._tables.made_place(self._namespace)
        self._parts.embedder.encode(["warm"], "query")
        self._heal()
        return done()

    def reindex(self) -> Done:
        """Make every vector that is missing, from the memories that are stored."""
        if self._vectors_down:
            return Done(done=False, cause=f"{VECTORS_DOWN}: nothing can be made now")
        self._heal()
        return done()

    def drop_embeddings(self) -> Done:
        """Forget every vector, as after a change of model."""
        with self._changing():
            self._tables.drop_vectors()
        return done()

    def fault(self, name: str, on: bool = True) -> Done:
        """Simulate that the vector backend is down, or is back; then what is owed is made up for.

        Raises:
            Invalid: there is no such fault here.
        """
        self._check_open()
        if name != VECTORS_DOWN:
            raise Invalid(f"there is no fault {name!r} here; there is {VECTORS_DOWN}")
        self._vectors_down = on
        if not on:
            self._heal()
        return done()

    def _heal(self) -> None:
        if self._vectors_down:
            return
        while True:
            with self._changing():
                owed = self._tables.owed(_HEALED_AT_ONCE)
                if not owed:
                    return
                texts = [row.record.content for row in owed]
                vectors = self._parts.embedder.encode(texts, "passage")
                numbers = (row.number for row in owed)
                self._tables.pay(zip(numbers, vectors, strict=True))

    def diagnostics(self) -> DiagnosticsResult:
        """Bounded figures, without contents and paths.

        The index is that of the vectors: a memory without one is stale, whatever the cause.
        """
        with self._reading():
            records, indexed = self._tables.counts()
        owed = records - indexed
        return DiagnosticsResult(
            records=records,
            malformed=0,
            index=IndexDiagnostics(
                state="degraded" if owed else "ready",
                schema=VERSION,
                reason=(VECTORS_DOWN if self._vectors_down else "vectors-owed") if owed else None,
                canonical=records,
                indexed=indexed,
                stale=owed,
                progress=None,
            ),
            last_injected_ids=list(self._last_injected),
            last_trace=None,
            failures={VECTORS_DOWN: owed} if owed else {},
        )

    # --- one memory --------------------------------------------------------------------------

    def _in_effect(self, namespace: str | None) -> str:
        return self._namespace if namespace is None else _name(namespace)

    def _place(self, access: Access) -> tuple[str, int | None]:
        namespace = self._in_effect(access.namespace)
        return namespace, self._tables.place(namespace)

    def _own(self, id: str, access: Access) -> tuple[str, Row]:
        """A memory of the caller's place, in whatever state."""
        namespace, place = self._place(access)
        there = None if has_lone_surrogate(id) else self._tables.find(id)
        if there is None or there[0] != place:
            raise NotFound(f"there is no memory {id!r} in this place", {"id": id})
        return namespace, there[1]

    def _current(self, id: str, namespace: str) -> Row:
        """A memory of a place that can be replaced."""
        _, row = self._own(id, Access(namespace=namespace))
        if row.record.deleted_at is not None:
            raise _forgotten(id)
        if row.superseded_by is not None:
            raise Conflict(
                f"the memory {id!r} is superseded; change {row.superseded_by!r} instead",
                {"id": id, "supersededBy": row.superseded_by},
            )
        return row

    def _limit(self, limit: int | None) -> int:
        most = self._settings.policy.max_injected_records if self._settings.policy else 8
        return max(0, most if limit is None else limit)

    def _band(self, signals: Signals) -> str:
        reason = self._parts.stays(signals, self._floor)
        if reason in ("tag", "synonym", "cosine"):
            return "high"
        return "low" if reason is None else "medium"

    def _stored(self, row: Row) -> Hit:
        state = state_of(row.record, self._now)
        if state == "active" and row.superseded_by is not None:
            state = "superseded"
        return stored_hit(row.record, state, row.superseded_by)

    def _hit(self, fused: Fused, row: Row, portion: Portion) -> Hit:
        record, memory = row.record, fused.signals.memory
        return hit(
            record.id,
            portion.text,
            "superseded" if memory.superseded_by else "active",
            form=portion.form,
            superseded_by=memory.superseded_by,
            type=record.type,
            tags=list(record.tags),
            confidence=record.confidence,
            version=record.version,
            flags=[],
            score=fused.score,
            times=times_of(record),
            sources=list(record.sources),
            channels=[
                ChannelScore(channel=name, raw=raw, normalised=fused.normalised[name])
                for name, raw in fused.raw.items()
                if raw > 0
            ],
            extra={"kind": memory.kind, "reason": fused.reason, "importance": record.importance},
        )

    def _outcome(
        self,
        outcome: str,
        id: str,
        *,
        other: str | None = None,
        cause: str | None = None,
        of: str,
    ) -> WriteResult:
        return msgspec.convert(
            {"id": id, "outcome": outcome, "other": other, "cause": cause, "namespace": of},
            WriteResult,
        )


@dataclass(frozen=True)
class _Answer:
    """What was found, in order, and the rows behind it by id."""

    fused: tuple[Fused, ...]
    rows: dict[str, Row]


def _edge(edge: Edge) -> GraphEdge:
    return GraphEdge(
        record=edge.memory,
        subject=edge.subject,
        relation=edge.relation,
        object=edge.object,
        qualifier=edge.qualifier,
    )


def _name(namespace: str) -> str:
    if not namespace.strip() or has_lone_surrogate(namespace):
        raise Invalid("a namespace needs a name", {"field": "namespace"})
    return namespace


def _check_text(query: str) -> None:
    if has_lone_surrogate(query):
        raise Invalid("the query holds half of a surrogate pair; send Unicode text")


def _forgotten(id: str) -> Conflict:
    return Conflict(f"the memory {id!r} is forgotten; write a new one", {"id": id})


class FusionSystem:
    """The fusion store, ready to be opened.

    Args:
        parts: what its stores are made of.
        store: the class of its stores.
    """

    def __init__(self, parts: Parts, store: type[FusionStore] = FusionStore) -> None:
        self._parts = parts
        self._store = store

    def hello(self) -> Hello:
        """Who this is and what it declares: exactly what works."""
        more: tuple[Capability, ...] = ("semantic",) if self._parts.embedder.generalises else ()
        return Hello(
            name="memconform reference: fusion",
            version=__version__,
            language="python",
            homepage=None,
            protocol=PROTOCOL_VERSION,
            capabilities=[*CAPABILITIES, *more],
            profiles=["fusion", "disclosure", "budget", "injection", "integrity"],
            policies=policies(
                scope_levels=["namespace"],
                scope_filter="before-limit",
                superseded="marked",
                duplicates="exact",
                overflow="capsule",
                budget_unit="tokens",
                over_budget="never",
                out_of_range="refuse",
                stop_words="filtered",
                token_classes=["word", "number", "underscore", "trigram", "cjk-bigram"],
                consistency="immediate",
                ids="own",
                surfaces=["recall", "list", "context", "catalog", "expand", "graph", "get"],
            ),
        )

    def open(self, settings: Settings) -> FusionStore:
        """An empty store in a fresh temporary folder, which goes with its last connection."""
        home = Home.temporary()
        return self._store(home.root, settings, parts=self._parts, home=home)


def factory(parts: Parts = Parts()) -> System:
    """The target ``reference:fusion``."""
    return FusionSystem(parts)
