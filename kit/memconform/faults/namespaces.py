"""Faults of namespaces and of the budget of a recall, in the store that has both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, core
from memconform.faults.fusion_seams import store
from memconform.model import (
    Access,
    BatchResult,
    Done,
    Ledger,
    ListResult,
    RecallResult,
    RecordDraft,
    Settings,
    WriteResult,
)
from memconform.protocol import Hello, MemoryStore, NotFound, System
from memconform.reference.files import entomb
from memconform.reference.fusion import DEFAULT_NAMESPACE, FusionStore, FusionSystem, Parts

WALL = core("scope-is-a-wall")
LIMITS = core("limits-hold")


class Knowing(FusionStore):
    """Knows every namespace that was written into, which no caller should profit from."""

    noted: Mark

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._names: dict[str, None] = {}

    def _write(self, draft: RecordDraft) -> WriteResult:
        self._names[self._in_effect(draft.namespace)] = None
        return super()._write(draft)

    def _everywhere(self, query: str, limit: int | None, options: Any) -> list[Any]:
        """The hits of all namespaces, the best first."""
        found = [
            FusionStore.recall(self, query, Access(namespace=name), limit, **options).hits
            for name in self._names
        ]
        return sorted((h for hits in found for h in hits), key=lambda hit: -(hit.score or 0))


class _One(Knowing):
    """All namespaces are one."""

    def _in_effect(self, namespace: str | None) -> str:
        if namespace is not None:
            type(self).noted()
        return self._namespace


class _NoneIsAll(Knowing):
    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        right = super().recall(query, access, limit, **options)
        if access.namespace is not None:
            return right
        type(self).noted()
        return msgspec.structs.replace(right, hits=self._everywhere(query, limit, options))


class _DefaultIsShared(Knowing):
    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        right = super().recall(query, access, limit, **options)
        shared = super().recall(query, Access(namespace=DEFAULT_NAMESPACE), limit, **options)
        known = {hit.id for hit in right.hits}
        type(self).noted()
        more = [hit for hit in shared.hits if hit.id not in known]
        return msgspec.structs.replace(right, hits=[*right.hits, *more])


class _OwnDefaultIgnored(Knowing):
    def _in_effect(self, namespace: str | None) -> str:
        if namespace is None:
            type(self).noted()
        return super()._in_effect(namespace or DEFAULT_NAMESPACE)


class _LimitFirst(Knowing):
    """Takes as many memories as the limit allows in the order of writing, and filters then."""

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        right = super().recall(query, access, limit, **options)
        if limit is None:
            return right
        type(self).noted()
        # By namespace in the order of writing: times may be equal to the millisecond.
        found = [
            hit.id
            for name in self._names
            for hit in FusionStore.recall(self, query, Access(namespace=name), None, **options).hits
        ]
        first = set(found[: max(0, limit)])
        return msgspec.structs.replace(right, hits=[hit for hit in right.hits if hit.id in first])


class _ListsAll(Knowing):
    def list_records(self, access: Access = Access()) -> ListResult:
        right = super().list_records(access)
        type(self).noted()
        records = [
            hit
            for name in self._names
            for hit in FusionStore.list_records(self, Access(namespace=name)).records
        ]
        return msgspec.structs.replace(right, records=records)


class _ReachesOut(Knowing):
    """An id is looked for in every namespace."""

    def _wherever(self, call: Callable[[Access], Any], access: Access) -> Any:
        for name in [access.namespace, *self._names]:
            try:
                return call(Access(namespace=name))
            except NotFound:
                type(self).noted()
        return call(access)

    def forget(self, id: str, access: Access = Access()) -> Done:
        done: Done = self._wherever(lambda a: FusionStore.forget(self, id, a), access)
        return done

    def correct(
        self, id: str, content: str, access: Access = Access(), *args: Any, **more: Any
    ) -> WriteResult:
        result: WriteResult = self._wherever(
            lambda a: FusionStore.correct(self, id, content, a, *args, **more), access
        )
        return result


class _CorrectsAtHome(Knowing):
    def correct(
        self, id: str, content: str, access: Access = Access(), *args: Any, **more: Any
    ) -> WriteResult:
        super().forget(id, access)
        type(self).noted()
        new = super().write(RecordDraft(content=content))
        return msgspec.structs.replace(new, outcome="superseded", other=id)


class _BatchInOne(Knowing):
    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        type(self).noted()
        first = records[0].namespace if records else None
        return super().write_batch(
            tuple(msgspec.structs.replace(draft, namespace=first) for draft in records)
        )


class _TextsOnce(Knowing):
    """A text that is written again leaves the place where it was before."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._places: dict[str, tuple[str, str]] = {}

    def _write(self, draft: RecordDraft) -> WriteResult:
        result = super()._write(draft)
        here = self._in_effect(draft.namespace)
        before = self._places.get(draft.content)
        self._places[draft.content] = (str(result.id), here)
        if before is not None and before[1] != here:
            type(self).noted()
            _, row = self._own(before[0], Access(namespace=before[1]))
            gone = msgspec.structs.replace(entomb(row.record, self._now), confidence=0.0)
            self._tables.entomb(self._tables.made_place(before[1]), row, gone)
        return result


# --- budget ----------------------------------------------------------------------------------


class Budgeting(FusionStore):
    """A recall with a budget is answered with another one."""

    noted: Mark

    def recall(
        self,
        query: str,
        access: Access = Access(),
        limit: int | None = None,
        budget: int | None = None,
        **options: Any,
    ) -> RecallResult:
        """As ever without a budget."""
        if budget is None:
            return super().recall(query, access, limit, **options)
        type(self).noted()
        answer: RecallResult = self._within(budget, query, access, limit, options)
        return answer

    def _within(self, budget: int, query: str, access: Access, limit: Any, more: Any) -> Any:
        return super().recall(query, access, limit, budget=budget, **more)

    @staticmethod
    def _told(answer: RecallResult, budget: int) -> RecallResult:
        assert answer.ledger is not None
        ledger = msgspec.structs.replace(answer.ledger, budget=budget)
        return msgspec.structs.replace(answer, ledger=ledger)


class _Twice(Budgeting):
    def _within(self, budget: int, query: str, access: Access, limit: Any, more: Any) -> Any:
        return self._told(super()._within(2 * budget, query, access, limit, more), budget)


class _OneOver(Budgeting):
    def _within(self, budget: int, query: str, access: Access, limit: Any, more: Any) -> Any:
        return self._told(super()._within(budget + 1, query, access, limit, more), budget)


class _OneUnder(Budgeting):
    def _within(self, budget: int, query: str, access: Access, limit: Any, more: Any) -> Any:
        return self._told(super()._within(max(1, budget - 1), query, access, limit, more), budget)


class _NoLimit(Budgeting):
    def _within(self, budget: int, query: str, access: Access, limit: Any, more: Any) -> Any:
        return super()._within(budget, query, access, None, more)


class _Three(Budgeting):
    def _within(self, budget: int, query: str, access: Access, limit: Any, more: Any) -> Any:
        answer = super()._within(budget, query, access, limit, more)
        return msgspec.structs.replace(answer, hits=answer.hits[:3])


class _LedgerOfAnswers(Budgeting):
    def _within(self, budget: int, query: str, access: Access, limit: Any, more: Any) -> Any:
        answer = super()._within(budget, query, access, limit, more)
        if answer.hits:
            return answer
        empty = Ledger(budget=0, used=0, dropped_count=0, truncated=False)
        return msgspec.structs.replace(answer, ledger=empty)


@dataclass(frozen=True)
class _SaysCharacters:
    """A store that counts tokens and says that it counts characters."""

    mark: Mark
    right: System

    def hello(self) -> Hello:
        """With another unit of the budget."""
        hello = self.right.hello()
        unit = msgspec.structs.replace(hello.policies, budget_unit="codepoint")
        return msgspec.structs.replace(hello, policies=unit)

    def open(self, settings: Settings) -> MemoryStore:
        """An empty store."""
        self.mark()
        return self.right.open(settings)


def _plain(body: type[FusionStore]) -> Seed:
    return store(lambda mark: type("Store", (body,), {"noted": mark}))


def _fault(
    name: str, change: str, suffers: str, body: type[FusionStore], breaks: Any, *slugs: str
) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=core(*slugs),
        base="fusion",
        seed=_plain(body),
    )


FAULTS = (
    _fault(
        "namespaces-are-one",
        "All namespaces are one.",
        "Every customer reads what the others have stored.",
        _One,
        WALL,
        "a-neighbouring-namespace-stays-out",
        "a-question-in-another-namespace-comes-between",
        "an-unused-namespace-is-empty",
    ),
    _fault(
        "no-namespace-is-every-namespace",
        "A recall without a namespace is answered out of all.",
        "A forgotten argument shows the memories of every customer.",
        _NoneIsAll,
        WALL,
        "a-question-without-a-namespace-stays-in-the-default-one",
    ),
    _fault(
        "the-default-namespace-is-shared",
        "What was written without a namespace is found from every namespace.",
        "A note that was meant for here turns up everywhere.",
        _DefaultIsShared,
        WALL,
        "a-memory-without-a-namespace-stays-in-the-default-one",
    ),
    _fault(
        "the-store-s-own-namespace-is-ignored",
        "The namespace that a store was opened with makes no difference.",
        "All processes of a service write into one place.",
        _OwnDefaultIgnored,
        WALL,
        "the-namespace-of-the-store-is-the-default-one",
    ),
    _fault(
        "namespaces-after-the-limit",
        "Memories of other namespaces are taken out of the finished list.",
        "A busy neighbour empties the answer.",
        _LimitFirst,
        WALL,
        "a-full-neighbouring-namespace-leaves-room",
    ),
    _fault(
        "the-list-knows-no-namespaces",
        "Listing shows the memories of every namespace.",
        "The page of all memories shows the neighbour's, too.",
        _ListsAll,
        WALL,
        "no-surface-shows-a-neighbouring-namespace",
    ),
    _fault(
        "ids-reach-into-other-namespaces",
        "A memory is forgotten and corrected by its id from any namespace.",
        "One customer deletes what another relies on.",
        _ReachesOut,
        WALL,
        "a-neighbouring-namespace-forgets-nothing",
        "a-neighbouring-namespace-corrects-nothing",
    ),
    _fault(
        "a-correction-leaves-its-namespace",
        "A correction is written into the default namespace.",
        "The corrected fact vanishes from where it is needed.",
        _CorrectsAtHome,
        WALL,
        "a-correction-stays-in-its-namespace",
    ),
    _fault(
        "a-batch-has-one-namespace",
        "All memories of a batch are written into the namespace of the first.",
        "An import of several customers puts everything into one.",
        _BatchInOne,
        WALL,
        "a-batch-keeps-each-memory-in-its-namespace",
    ),
    _fault(
        "one-text-in-all-namespaces",
        "A text that is stored in any namespace isn't stored again.",
        "The second customer's memory is the first one's.",
        _TextsOnce,
        WALL,
        "the-same-text-in-two-namespaces-is-two-memories",
    ),
    # --- budget ----------------------------------------------------------------------------------
    _fault(
        "a-recall-of-twice-the-budget",
        "A recall spends up to twice its budget, and tells the right one.",
        "A prompt that was measured to fit is refused by the model.",
        _Twice,
        LIMITS,
        "a-budget-is-never-exceeded",
    ),
    _fault(
        "a-recall-of-one-unit-over",
        "A recall spends up to one unit more than its budget.",
        "A prompt that was measured to fit is refused by the model.",
        _OneOver,
        LIMITS,
        "a-budget-one-short-leaves-something-out",
    ),
    _fault(
        "a-recall-of-one-unit-under",
        "A recall spends one unit less than its budget at most.",
        "A memory that would just have fitted is missing.",
        _OneUnder,
        LIMITS,
        "a-budget-of-just-what-is-used-leaves-nothing-out",
    ),
    _fault(
        "a-budget-undoes-the-limit",
        "Beside a budget the limit makes no difference.",
        "Whoever asks for two memories gets eight, because there is room.",
        _NoLimit,
        LIMITS,
        "a-limit-holds-beside-a-budget",
    ),
    _fault(
        "three-hits-beside-a-budget",
        "Beside a budget there are three hits at most.",
        "Room that was paid for isn't used.",
        _Three,
        LIMITS,
        "an-ample-budget-leaves-nothing-out",
    ),
    _fault(
        "no-ledger-without-hits",
        "The ledger of an empty answer is that of no budget.",
        "Whoever adds up budgets finds one missing.",
        _LedgerOfAnswers,
        LIMITS,
        "the-ledger-comes-with-an-empty-answer-too",
    ),
    Fault(
        name="tokens-told-as-characters",
        change="The budget is counted in tokens, and declared to be in characters.",
        suffers="A context that was asked for in characters is four times too long.",
        breaks=LIMITS,
        killed_by=core("a-context-is-no-longer-than-its-budget"),
        base="fusion",
        seed=lambda mark: _SaysCharacters(mark, FusionSystem(Parts())),
    ),
)
