"""The smoke test: each required operation once, and for what goes wrong, whose fault it is.

It tells apart what a first run can't: an adapter that doesn't speak the protocol, an
implementation that doesn't do its work, and the kit's own mistake. A pass says that measuring makes
sense, no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memconform.model import Access, RecordDraft
from memconform.protocol import StoreError
from memconform.verdict.blame import Party, party_of
from memconform.wire.client import Connection, RemoteStore
from memconform.wire.errors import WireError

TEXT = "The lighthouse keeper of Amrum paints every door in blue."
# Codes that say of a plain request that it can't be carried out: the adapter doesn't pass it on
# rightly, or doesn't offer what every store must. The others are about the system behind it.
_ADAPTER_CODES = {"invalid", "unsupported"}


@dataclass(frozen=True, kw_only=True)
class Check:
    """One operation tried.

    Attributes:
        operation: its name in the protocol.
        told: what was seen, one line.
        blame: who is at fault; null where nothing is wrong.
        hint: what to do.
        evidence: what there is to look at.
    """

    operation: str
    told: str
    blame: Party | None = None
    hint: str | None = None
    evidence: str | None = None


class _Wrong(Exception):
    """An answer that keeps to the protocol and isn't right."""

    def __init__(self, told: str, hint: str, blame: Party = "implementation") -> None:
        super().__init__(told)
        self.told = told
        self.hint = hint
        self.blame: Party = blame


@dataclass
class _State:
    connection: Connection
    bounded: bool = False
    store: RemoteStore | None = None
    id: str | None = None

    @property
    def opened(self) -> RemoteStore:
        assert self.store is not None
        return self.store

    @property
    def written(self) -> str:
        assert self.id is not None
        return self.id


def _nobody(operation: str) -> None:
    """Tell nobody."""


def smoke(connection: Connection, *, trying: Callable[[str], None] = _nobody) -> Iterator[Check]:
    """Try the required operations in order; each check is given as soon as it is known.

    What needs an operation that went wrong is left out; ``close`` is tried whenever a store was
    opened.

    Args:
        connection: to the target.
        trying: is told of each operation before it is tried.
    """
    state = _State(connection)
    needs: tuple[tuple[str, Callable[[_State], str], bool, bool], ...] = (
        ("hello", _hello, False, False),
        ("open", _open, False, False),
        ("write", _write, True, False),
        ("recall", _recall, True, True),
        ("get", _get, True, True),
        ("forget", _forget, True, True),
        ("close", _close, True, False),
    )
    for operation, attempt, needs_store, needs_id in needs:
        if (needs_store and state.store is None) or (needs_id and state.id is None):
            continue
        trying(operation)
        check = _check(operation, attempt, state)
        yield check
        if operation == "hello" and check.blame is not None:
            return
        if not connection.alive:
            return


def _check(operation: str, attempt: Callable[[_State], str], state: _State) -> Check:
    try:
        return Check(operation=operation, told=attempt(state))
    except _Wrong as wrong:
        return Check(operation=operation, told=wrong.told, blame=wrong.blame, hint=wrong.hint)
    except StoreError as error:
        theirs = error.code in _ADAPTER_CODES
        return Check(
            operation=operation,
            told=f"refused as {error.code}: {error.message}",
            blame="adapter" if theirs else "implementation",
            hint="Every store must carry out this plain request; see what the adapter makes of it."
            if theirs
            else "The system behind the adapter could not do it.",
        )
    except WireError as error:
        return Check(
            operation=operation,
            told=error.cause,
            blame=party_of(error),
            hint=error.hint,
            evidence=error.evidence,
        )


def _hello(state: _State) -> str:
    hello = state.connection.hello()
    state.bounded = hello.policies.consistency == "bounded"
    told = f"{hello.name} {hello.version}, {hello.language}, protocol {hello.protocol}"
    return f"{told}; declares {', '.join(hello.capabilities) or 'no capability'}"


def _open(state: _State) -> str:
    state.store = state.connection.open()
    return "an empty store"


def _write(state: _State) -> str:
    result = state.opened.write(RecordDraft(content=TEXT))
    if result.id is None:
        raise _Wrong(
            f"the first memory was {result.outcome}: {result.cause or 'no cause given'}",
            "A plain sentence must be stored and be given an id.",
        )
    state.id = result.id
    if state.bounded:
        state.opened.call("barrier")
    return f"{result.outcome} with the id {result.id!r}"


def _recall(state: _State) -> str:
    hits = state.opened.recall(TEXT, Access(), None).hits
    ids = [hit.id for hit in hits]
    if state.written not in ids:
        raise _Wrong(
            f"its own words find {'nothing' if not ids else f'only {ids[:3]}'}",
            "What was written must be found by its exact words, under the id that write gave.",
        )
    if hits[ids.index(state.written)].content != TEXT:
        raise _Wrong("it is found with another text", "Contents must come back byte for byte.")
    return "found by its own words"


def _get(state: _State) -> str:
    record = state.opened.get(state.written, Access()).record
    if record.id != state.written or record.state != "active":
        raise _Wrong(
            f"it answers with the id {record.id!r}, {record.state}",
            "The id that write gave must lead to the memory, which is active.",
        )
    if record.content != TEXT:
        raise _Wrong("it has another text", "Contents must come back byte for byte.")
    return "active, with the same text"


def _forget(state: _State) -> str:
    answer = state.opened.forget(state.written, Access())
    if not answer.done:
        raise _Wrong(
            f"it was not done: {answer.cause or 'no cause given'}",
            "A memory must be forgotten by the id that write gave.",
        )
    if state.bounded:
        state.opened.call("barrier")
    if any(hit.id == state.written for hit in state.opened.recall(TEXT, Access(), None).hits):
        raise _Wrong("it is found all the same", "Forgotten must be gone at once.")
    return "done, and not found any more"


def _close(state: _State) -> str:
    state.opened.close()
    return "done"
