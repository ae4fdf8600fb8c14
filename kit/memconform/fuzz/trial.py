"""A program as it runs: each step is done to a store, its answer is judged, everything is noted.

A trial begins with the step ``open`` and ends with ``close``. What a step says that can't be done,
such as a memory that nobody made, raises ``Unusable``: the program is no program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memconform.fuzz.expect import Answered, Broken, Expectation, Kept
from memconform.fuzz.steps import (
    ASKING,
    CHANGING,
    Program,
    Step,
    made,
    numbered,
    reference,
    referred,
)
from memconform.model import RecallResult, Response, to_plain
from memconform.protocol import Hello, StoreError
from memconform.suite.steps import BATCH
from memconform.wire.client import Connection, RemoteStore
from memconform.wire.errors import HarnessFault, WireError

ALIVE = "memory-core/bad-input-is-refused-and-the-server-lives"
STABLE = "memory-core/results-are-stable"
ANY_TEXT = "memory-core/any-text-is-a-query"
NOTHING_LOST = "memory-core/nothing-acknowledged-is-lost"


class Unusable(Exception):
    """The program does something that can't be done, whatever the store is like."""


class Found(Exception):
    """An expectation did not come true."""

    def __init__(self, broken: Broken) -> None:
        super().__init__(f"expected {broken.expected}; seen {broken.seen}")
        self.broken = broken


@dataclass(frozen=True)
class Outcome:
    """What a store said to one call.

    Attributes:
        answer: its typed answer; null where it refused.
        error: its refusal; null where it answered.
    """

    answer: Any
    error: StoreError | None

    @property
    def told(self) -> str:
        """In words."""
        if self.error is not None:
            return f"a refusal as {self.error.code}: {self.error.message}"
        return f"{type(self.answer).__name__} {to_plain(self.answer)}"


@dataclass(frozen=True)
class Exchange:
    """One call as it went over the wire, for the transcript.

    Attributes:
        params: as they were sent, the handle of the store included.
        fault: why there was no answer at all.
    """

    operation: str
    params: Mapping[str, Any]
    result: Any = None
    error: Mapping[str, Any] | None = None
    fault: str | None = None


class Judge(Protocol):
    """Knows what a store must do, and follows what it did."""

    def began(self, settings: Mapping[str, Any]) -> None:
        """A store was opened."""
        ...

    def judge(self, step: Step, outcome: Outcome, names: Names) -> Iterable[Broken]:
        """What of an answer is wrong; then take note of it.

        Args:
            step: what was done, with keys for ids.
            outcome: what came of it.
            names: ids and keys, those of this answer included.
        """
        ...


@dataclass
class Names:
    """The keys of a program's memories and the ids that the store gave them."""

    ids: dict[str, str] = field(default_factory=dict)
    connection: str = "first"

    def key_of(self, id: str) -> str | None:
        """The latest key that has this id; null for an id that the program doesn't know."""
        return next((key for key, known in reversed(self.ids.items()) if known == id), None)

    def told(self, ids: Iterable[str]) -> str:
        """Ids as keys, in words."""
        return ", ".join(self.key_of(id) or f"an unknown id {id!r}" for id in ids) or "nothing"

    def resolved(self, value: Any) -> Any:
        """A JSON-like value with ids in the place of references.

        Raises:
            Unusable: a memory was never made.
        """
        key = referred(value)
        if key is not None:
            if key not in self.ids:
                raise Unusable(f"there is no memory {key!r}")
            return self.ids[key]
        if isinstance(value, Mapping):
            return {name: self.resolved(item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.resolved(item) for item in value]
        return value

    def shown(self, value: Any) -> Any:
        """A JSON-like value with references in the place of known ids."""
        if isinstance(value, str):
            key = self.key_of(value)
            return value if key is None else reference(key)
        if isinstance(value, list):
            return [self.shown(item) for item in value]
        return value


class Trial:
    """One program against one store.

    Args:
        connection: alive; the trial opens stores on it and closes them.
        hello: what the implementation declares.
        judges: made for this trial.
        known: names of findings that are known already and are passed over.
    """

    def __init__(
        self,
        connection: Connection,
        hello: Hello,
        judges: Iterable[Judge],
        known: Collection[tuple[str, str]] = (),
    ) -> None:
        self.hello = hello
        self.names = Names()
        self.program: list[Step] = []
        self.exchanges: list[Exchange] = []
        self.broke = False  # the connection is dead, nothing more can be done
        self._connection = connection
        self._judges = tuple(judges)
        self._known = known
        self._stores: dict[str, RemoteStore] = {}
        self._answer: Response | None = None
        self._kept: Any = None

    @property
    def connections(self) -> Collection[str]:
        """Those that have been made: ``first``, and ``second`` where it was used."""
        return self._stores.keys()

    @property
    def answered(self) -> bool:
        """Whether the last call had an answer and no refusal."""
        return self._answer is not None

    def close(self) -> None:
        """Give the stores back; what goes wrong here is looked for by the suite."""
        for store in self._stores.values():
            with contextlib.suppress(StoreError, WireError):
                store.close()
        self._stores.clear()

    def run(self, program: Program) -> Broken | None:
        """A whole program: what is broken, or null.

        Raises:
            Unusable: it is no program.
        """
        try:
            for step in program:
                self.step(step)
        except Found as found:
            return found.broken
        finally:
            self.close()
        return None

    def step(self, step: Step) -> None:
        """Do one step and judge it.

        Raises:
            Found: an expectation did not come true that isn't known yet.
            Unusable: the step can't be done.
        """
        if step.operation != "open" and not self._stores:
            raise Unusable("nothing is open")
        self.program.append(step)
        special: dict[str, Callable[[Step], None]] = {
            "open": self._open,
            "use": self._use,
            "many": self._many,
            "keep": self._keep,
            "same": self._same,
            "reopen": self._reopen,
        }
        special.get(step.operation, self._call)(step)

    # --- steps -------------------------------------------------------------------------------

    def _open(self, step: Step) -> None:
        if self._stores:
            raise Unusable("a store is open already")
        settings = dict(step.params)
        call = Exchange("open", {"settings": settings} if settings else {})
        store = self._guarded(call, lambda: self._connection.open(settings or None))  # type: ignore[arg-type] # JSON-like settings are checked on their way
        self._note(step, call, store)
        self._stores["first"] = store.answer
        for judge in self._judges:
            judge.began(settings)

    def _use(self, step: Step) -> None:
        which = step.params["connection"]
        if which == "second" and which not in self._stores:
            current = self._store
            call = Exchange("second", {"store": current.handle})
            store = self._guarded(call, current.second)
            self._note(step, call, store)
            self._stores[which] = store.answer
        self.names.connection = which
        self._judged(step, Outcome(None, None))

    def _reopen(self, step: Step) -> None:
        if self.names.connection != "first":
            raise Unusable("only the first connection is restarted")
        params = {"settings": dict(step.params)} if step.params else {}
        current = self._store
        call = Exchange("reopen", {"store": current.handle, **params})
        store = self._guarded(call, lambda: current.reopen(params.get("settings")))  # type: ignore[arg-type] # as above
        self._note(step, call, store)
        self._stores["first"] = store.answer
        self._judged(step, Outcome(None, None))

    def _many(self, step: Step) -> None:
        if any(key in self.names.ids for key in made(step)):
            raise Unusable("these memories are there already")
        records = [
            {"key": key, "content": numbered(step.params["pattern"], number)}
            for number, key in enumerate(made(step), 1)
        ]
        batch = "batch" in self.hello.capabilities
        size = BATCH if batch else 1
        for start in range(0, len(records), size):
            some = records[start : start + size]
            each = {"records": some} if batch else {"record": some[0]}
            self._call(Step("write_batch" if batch else "write", each))

    def _keep(self, step: Step) -> None:
        if self._answer is None or self.program[-2].operation not in ASKING:
            raise Unusable("there is no answer to keep")
        self._kept = _timeless(self._answer)

    def _same(self, step: Step) -> None:
        if self._kept is None or not self._unchanged():
            raise Unusable("nothing was kept, or something was changed since")
        seen = _timeless(self._answer)
        if seen != self._kept:
            broken = Broken(
                requirement=STABLE,
                aspect="the same question",
                expected=Kept(),
                seen=f"before: {self._kept}; now: {seen}",
            )
            self._raise([broken])

    def _unchanged(self) -> bool:
        """Whether the program asks the same as what was kept, and only asked in between."""
        operations = [step.operation for step in self.program]
        kept = len(operations) - 1 - operations[::-1].index("keep")
        between = self.program[kept + 1 : -1]
        return (
            bool(between)
            and all(step.operation in ASKING for step in between)
            and between[-1] == self.program[kept - 1]
        )

    def _call(self, step: Step) -> None:
        keys = list(made(step))
        if len(set(keys)) != len(keys):
            raise Unusable("two memories of one name")
        params = self.names.resolved(step.params)
        store = self._store
        call = Exchange(step.operation, {"store": store.handle, **params})
        outcome = self._guarded(call, lambda: store.call(step.operation, params))
        self._note(step, call, outcome)
        self._answer = outcome.answer
        if step.operation in CHANGING and "eventual" in self.hello.capabilities:
            self._guarded(Exchange("barrier", {"store": store.handle}), store_barrier(store))
        self._name(keys, outcome)
        self._judged(step, outcome)

    def _name(self, keys: list[str], outcome: Outcome) -> None:
        answer = outcome.answer
        if not keys or answer is None:
            return
        results = getattr(answer, "outcomes", [answer])
        for key, result in zip(keys, results, strict=False):
            if result.id is not None:
                self.names.ids.pop(key, None)
                self.names.ids[key] = result.id

    # --- calling -----------------------------------------------------------------------------

    @property
    def _store(self) -> RemoteStore:
        return self._stores[self.names.connection]

    def _guarded(self, call: Exchange, ask: Callable[[], Any]) -> Outcome:
        """Call; a broken connection is a finding, whatever was asked."""
        try:
            return Outcome(ask(), None)
        except StoreError as error:
            return Outcome(None, error)
        except HarnessFault as error:
            raise Unusable(str(error)) from error
        except WireError as error:
            self.broke = not self._connection.alive
            self.exchanges.append(Exchange(call.operation, call.params, fault=str(error)))
            # A crash can't be passed over: with the connection gone there is nothing to go on with.
            raise Found(
                Broken(
                    requirement=ALIVE,
                    aspect=f"{error.kind} in {call.operation}",
                    expected=Answered(),
                    seen=error.cause,
                    fault=error.kind,
                )
            ) from error

    def _note(self, step: Step, call: Exchange, outcome: Outcome) -> None:
        """Into the transcript; a store that must be there and isn't is a finding."""
        answer, error = outcome.answer, outcome.error
        if isinstance(answer, RemoteStore):
            answer = {"store": answer.handle, "namespace": answer.namespace}
        self.exchanges.append(
            Exchange(
                call.operation,
                call.params,
                result=None if answer is None else to_plain(answer),
                error=None if error is None else to_plain(error.data()),
            )
        )
        if error is not None and call.operation in ("open", "second", "reopen"):
            raise Found(refused(step, outcome, NOTHING_LOST))
        if error is not None and error.code == "internal":
            self._raise([refused(step, outcome, ANY_TEXT if step.operation == "recall" else ALIVE)])

    def _judged(self, step: Step, outcome: Outcome) -> None:
        found = [b for judge in self._judges for b in judge.judge(step, outcome, self.names)]
        self._raise(found)

    def _raise(self, found: Iterable[Broken]) -> None:
        for broken in found:
            # What shows anyway shows after a restart, too: that is no other finding.
            if broken.name not in self._known and broken.plain_name not in self._known:
                raise Found(broken)


def refused(
    step: Step, outcome: Outcome, requirement: str, expected: Expectation | None = None
) -> Broken:
    """The finding that a step was refused which must not be."""
    return Broken(
        requirement=requirement,
        aspect=f"{step.operation} refused",
        expected=expected or Answered(),
        seen=outcome.told,
    )


def store_barrier(store: RemoteStore) -> Callable[[], Any]:
    """Waits until everything written can be found."""
    return lambda: store.call("barrier")


def _timeless(answer: Response | None) -> Any:
    """An answer as values of its own, without the time of a trace."""
    plain = to_plain(answer)
    if isinstance(answer, RecallResult) and answer.trace is not None:
        plain["trace"]["timestamp"] = None
    return plain
