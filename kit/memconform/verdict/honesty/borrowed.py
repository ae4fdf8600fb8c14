"""Does it answer with the kit's own reference store, under another name?

Then the kit would certify itself. Two things give it away. In Python, the process has loaded the
reference stores; the kit's own server says so when asked. In any language, and also through a
proxy: a store is led into a handful of refusals, and says no in the very sentences of the kit's
store. Two authors may find the same code; the same five sentences they don't.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memconform.model import Access, Filters, RecordDraft
from memconform.model.report import Probe
from memconform.protocol import StoreError
from memconform.verdict.honesty.trial import OTHER, TEXT
from memconform.wire.client import Connection, RemoteStore
from memconform.wire.errors import WireError
from memconform.wire.loading import REFERENCES, LoadFailed, load
from memconform.wire.transport import LocalTransport

ALIKE = 3  # equal sentences of refusal, at least, and at least half of those that there are
OWN_KINDS = ("reference:", "fault:")  # targets that are the kit's own stores, and say so


def borrowed(target: str, connect: Callable[[], Connection]) -> Probe:
    """Whether the answers are those of the kit's own store.

    Args:
        target: the TARGET string; the kit's own stores may answer as themselves.
        connect: gives a connection to a new process.
    """
    if target.startswith(OWN_KINDS):
        return _probe("kept", "")
    connection = connect()
    try:
        theirs = refusals(connection)
        about = connection.about() if connection.alive else None
    except WireError as error:
        return _probe("broke off", f"Whose store answers could not be seen: {error.cause}")
    finally:
        connection.close()
    if about is not None and about.reference:
        told = (
            "The adapter's process has loaded memconform.reference: it answers with the kit's own "
            "store, or can, so nothing is learnt of another system."
        )
        return _probe("borrowed", told)
    for name in REFERENCES:
        own = _own_refusals(name) if theirs else []
        alike = [sentence for sentence in theirs if sentence in own]
        if len(alike) >= ALIKE and 2 * len(alike) >= len(theirs):
            told = (
                f"{len(alike)} of its {len(theirs)} refusals are word for word those of "
                f"reference:{name}: it answers with the kit's own store, so nothing is learnt of "
                "another system."
            )
            return _probe("borrowed", told, "\n".join(alike))
    return _probe("kept", "")


def _own_refusals(name: str) -> list[str]:
    try:
        connection = Connection(LocalTransport(load(f"reference:{name}")))
    except LoadFailed:
        return []  # it needs what isn't installed here
    try:
        return refusals(connection)
    finally:
        connection.close()


def refusals(connection: Connection) -> list[str]:
    """The sentences with which a store says no, each once, in the order of the questions.

    Only questions that the store itself must refuse: what the kit's server in Python refuses for
    every store alike, such as an undeclared operation, would make all Python stores look the same.
    """
    connection.hello()
    sentences: list[str] = []
    try:
        store = connection.open()
        for operation, params in _questions():
            if (sentence := _refusal(store, operation, params)) is not None:
                sentences.append(sentence)
    except StoreError as error:
        sentences.append(error.message)
    return list(dict.fromkeys(sentences))


def _refusal(store: RemoteStore, operation: str, params: dict[str, Any]) -> str | None:
    try:
        store.call(operation, params)
    except StoreError as error:
        return error.message if error.code != "unsupported" else None
    return None


def _questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of which a store is led to refuse all but the first. None breaks the protocol."""
    yield "write", {"record": RecordDraft(content=TEXT, key="heron")}
    yield "write", {"record": RecordDraft(content="")}
    yield "write", {"record": RecordDraft(content=OTHER, key="heron")}
    yield "write", {"record": RecordDraft(content=OTHER, key="../heron")}
    yield "write", {"record": RecordDraft(content=OTHER, created_at="yesterday")}
    yield "write", {"record": RecordDraft(content=OTHER, confidence=7.0)}
    yield "write", {"record": RecordDraft(content=OTHER, type="hearsay")}
    yield "write", {"record": RecordDraft(content=OTHER, scope="everywhere")}
    yield "get", {"id": "no-such-heron", "access": Access()}
    yield "forget", {"id": "no-such-heron", "access": Access()}
    yield "recall", {"query": TEXT, "filters": Filters(types=("hearsay",))}


def _probe(finding: Any, told: str, evidence: str | None = None) -> Probe:
    return Probe(subject="reference", finding=finding, told=told, evidence=evidence)
