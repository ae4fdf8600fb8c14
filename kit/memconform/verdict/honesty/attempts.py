"""One small attempt for each capability: is there anything to it at all?

Not whether it works well: that is for the scenarios. An attempt returns where the capability works,
raises ``Lacking`` where it doesn't, and lets a refusal of the store pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from memconform.model import Access, Filters, RecordDraft, Settings
from memconform.protocol import OPERATIONS, Capability, Operation, StoreError
from memconform.verdict.honesty.trial import OTHER, TEXT, Lacking, Trial

Attempt = Callable[[Trial], None]

ATTEMPTS: dict[Capability, Attempt] = {}
# Capabilities that are an operation or an option of a call: undeclared, it answers `unsupported`.
# The others are about what is kept of a memory, which a store may also leave out without a word.
CALLED: set[str] = {row.capability for row in OPERATIONS.values() if row.capability is not None}
CALLED |= {"budget", "purpose", "filters", "mode", "trace"}


def _attempt(capability: Capability) -> Callable[[Attempt], Attempt]:
    def register(function: Attempt) -> Attempt:
        ATTEMPTS[capability] = function
        return function

    return register


def attempt_for(capability: Capability) -> Attempt | None:
    """How a capability is tried; null where the protocol has no call that would show it."""
    if capability in ATTEMPTS:
        return ATTEMPTS[capability]
    row = _callable_row(capability)
    return None if row is None else _plain_call(row)


def _callable_row(capability: Capability) -> Operation | None:
    """The first operation of a capability of which every parameter that it needs is known."""
    rows = (row for row in OPERATIONS.values() if row.capability == capability)
    return next((row for row in rows if _params(row, "") is not None), None)


# --- places ------------------------------------------------------------------------------------


def _wall(field: str, here: str, there: str, **more: str) -> Attempt:
    """What is written to a place is found there, and not in a neighbouring one."""

    def attempt(trial: Trial) -> None:
        store = trial.open()
        id = trial.write(store, **{**more, field: here})
        around = {name: value for name, value in more.items() if name != "scope"}
        if trial.found(store, id, Access(**{**around, field: here})) is None:
            raise Lacking(f"what is written to a {field} is not found there")
        if trial.found(store, id, Access(**{**around, field: there})) is not None:
            raise Lacking(f"what is written to a {field} is found in another one, too")

    return attempt


ATTEMPTS["workspaces"] = _wall(
    "workspace", "/srv/teams/heron", "/srv/teams/egret", scope="workspace"
)
ATTEMPTS["projects"] = _wall(
    "project",
    "/srv/projects/heron",
    "/srv/projects/egret",
    scope="project",
    workspace="/srv/teams/heron",
)
ATTEMPTS["namespaces"] = _wall("namespace", "heron", "egret")


# --- what is kept of a memory, and shown of it -------------------------------------------------


@_attempt("tags")
def _tags(trial: Trial) -> None:
    store = trial.open()
    if trial.hit(store, trial.write(store, tags=("harbour",))).tags != ["harbour"]:
        raise Lacking("the tags of a memory are not shown in its hit")


@_attempt("confidence")
def _confidence(trial: Trial) -> None:
    store = trial.open()
    if trial.hit(store, trial.write(store, confidence=0.25)).confidence != 0.25:
        raise Lacking("the confidence of a memory is not shown in its hit")


@_attempt("scores")
def _scores(trial: Trial) -> None:
    store = trial.open()
    if trial.hit(store, trial.write(store)).score is None:
        raise Lacking("hits have no score")


@_attempt("versions")
def _versions(trial: Trial) -> None:
    store = trial.open()
    if trial.hit(store, trial.write(store)).version is None:
        raise Lacking("hits have no version")


@_attempt("channels")
def _channels(trial: Trial) -> None:
    store = trial.open()
    if not trial.hit(store, trial.write(store)).channels:
        raise Lacking("hits have no channels")


@_attempt("validity")
def _validity(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store, created_at="2001-01-01T00:00:00Z", expires_at="2001-02-01T00:00:00Z")
    if trial.found(store, id) is not None:
        raise Lacking("a memory that expired long ago is found")


# --- changes -----------------------------------------------------------------------------------


@_attempt("batch")
def _batch(trial: Trial) -> None:
    store = trial.open()
    drafts = (RecordDraft(content=TEXT), RecordDraft(content=OTHER))
    ids = [outcome.id for outcome in store.call("write_batch", records=drafts).outcomes]
    trial.settle(store)
    if len(ids) != 2 or None in ids:
        raise Lacking(f"write_batch of two memories gave {len([i for i in ids if i])} ids")


@_attempt("update")
def _update(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    store.call("update", id=id, content=OTHER)
    trial.settle(store)
    if store.get(id).record.content != OTHER:
        raise Lacking("update leaves the text as it was")


@_attempt("disable")
def _disable(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    store.call("disable", id=id)
    trial.settle(store)
    if trial.found(store, id) is not None:
        raise Lacking("a disabled memory is found")
    store.call("enable", id=id)
    trial.settle(store)
    if trial.found(store, id) is None:
        raise Lacking("a memory that was enabled again is not found")


@_attempt("supersede")
def _supersede(trial: Trial) -> None:
    store = trial.open()
    old, new = trial.write(store), trial.write(store, OTHER)
    store.call("supersede", id=old, by=new)
    trial.settle(store)
    hit = trial.found(store, old)
    if hit is not None and hit.state == "active":
        raise Lacking("a superseded memory is found as if nothing had replaced it")


@_attempt("correct")
def _correct(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    new = store.call("correct", id=id, content=OTHER).id
    trial.settle(store)
    if new is None or trial.found(store, new, query=OTHER) is None:
        raise Lacking("the correction is not found")


@_attempt("purge")
def _purge(trial: Trial) -> None:
    _gone(trial, "purge", "purged")


@_attempt("mask")
def _mask(trial: Trial) -> None:
    _gone(trial, "mask", "masked")


def _gone(trial: Trial, operation: str, word: str) -> None:
    store = trial.open()
    id = trial.write(store)
    store.call(operation, id=id)
    trial.settle(store)
    if any(hit.content == TEXT for hit in trial.recall(store).hits):
        raise Lacking(f"the text of a {word} memory is found")


# --- reading -----------------------------------------------------------------------------------


@_attempt("listing")
def _listing(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    if id not in [hit.id for hit in store.call("list_records").records]:
        raise Lacking("a memory is not listed")


@_attempt("targets")
def _targets(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    candidates = store.call("find_targets", description=TEXT).candidates
    if id not in [candidate.id for candidate in candidates]:
        raise Lacking("a memory is no candidate for its own words")


@_attempt("context")
def _context(trial: Trial) -> None:
    store = trial.open()
    trial.write(store)
    if TEXT not in store.call("context", query=TEXT).text:
        raise Lacking("a memory is not in the context for its own words")


@_attempt("budget")
def _budget(trial: Trial) -> None:
    store = trial.open()
    trial.write(store)
    if trial.recall(store, budget=10_000).ledger is None:
        raise Lacking("an answer within a budget has no ledger")


@_attempt("purpose")
def _purpose(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    if id not in [hit.id for hit in trial.recall(store, purpose="tool").hits]:
        raise Lacking("a memory is not found for a tool")


@_attempt("filters")
def _filters(trial: Trial) -> None:
    store = trial.open()
    fact, episode = trial.write(store, type="fact"), trial.write(store, OTHER, type="episode")
    only = Filters(types=("fact",))
    kept = [hit.id for hit in trial.recall(store, filters=only).hits]
    others = [hit.id for hit in trial.recall(store, OTHER, filters=only).hits]
    if fact not in kept or episode in others:
        raise Lacking("a filter for facts does not find the facts alone")


@_attempt("mode")
def _mode(trial: Trial) -> None:
    store = trial.open(Settings(evaluation=True))
    id = trial.write(store)
    if id not in [hit.id for hit in trial.recall(store, mode="historical-v1").hits]:
        raise Lacking("a memory is not found by the historical gate")


@_attempt("trace")
def _trace(trial: Trial) -> None:
    store = trial.open()
    trial.write(store)
    if trial.recall(store, trace=True).trace is None:
        raise Lacking("an answer has no trace")


# --- the store as a whole ----------------------------------------------------------------------


@_attempt("durable")
def _durable(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    if trial.found(store.reopen(), id) is None:
        raise Lacking("what was written is not found after a restart")


@_attempt("shared")
def _shared(trial: Trial) -> None:
    store = trial.open()
    id = trial.write(store)
    if trial.found(store.second(), id) is None:
        raise Lacking("what was written is not found through a second connection")


@_attempt("clock")
def _clock(trial: Trial) -> None:
    store = trial.open(Settings(clock="2030-01-01T00:00:00Z"))
    _done(store.call("set_clock", time="2030-02-01T00:00:00Z"), "set_clock")


@_attempt("storage")
def _storage(trial: Trial) -> None:
    store = trial.open()
    trial.write(store)
    # A text that was written need not stand there as it is: a store may encrypt or compress.
    if OTHER in store.call("storage", texts=(TEXT, OTHER)).found:
        raise Lacking("a text that was never written is said to stand on the disk")


@_attempt("faults")
def _faults(trial: Trial) -> None:
    store = trial.open()
    try:
        store.call("fault", name="no-such-fault")
    except StoreError as error:
        if error.code == "unsupported":
            raise  # else it knows faults, only not this one


def _done(answer: Any, operation: str) -> None:
    if not answer.done:
        raise Lacking(f"{operation} is answered as not done: {answer.cause}")


def _plain_call(row: Operation) -> Attempt:
    """The operation is known at all; one that was not done doesn't work.

    A refusal of its own shows that it is known: it may be about another kind of memory.
    """

    def attempt(trial: Trial) -> None:
        store = trial.open()
        id = trial.write(store)
        try:
            answer = store.call(row.name, _params(row, id))
        except StoreError as error:
            if error.code == "unsupported":
                raise
            return
        if hasattr(answer, "done"):
            _done(answer, row.name)

    return attempt


# --- the mere call -----------------------------------------------------------------------------

_OPTIONS: dict[str, Any] = {
    "budget": 10_000,
    "purpose": "tool",
    "filters": Filters(types=("fact",)),
    "mode": "foundation-v1",
    "trace": True,
}


def mere_call(capability: Capability, id: str) -> tuple[str, dict[str, Any]] | None:
    """An operation and parameters that only a store with this capability carries out.

    Args:
        capability: one of CALLED.
        id: of a memory in the store that is going to be asked.

    Returns:
        Null where an operation needs a parameter that isn't known here.
    """
    if capability in _OPTIONS:
        return "recall", {"query": TEXT, capability: _OPTIONS[capability]}
    row = _callable_row(capability)
    params = None if row is None else _params(row, id)
    return None if row is None or params is None else (row.name, params)


def _params(row: Operation, id: str) -> dict[str, Any] | None:
    """Parameters that make sense of any operation; null where one is needed that isn't known."""
    known = {
        "id": id,
        "by": id,
        "query": TEXT,
        "entity": "Amrum",
        "description": TEXT,
        "content": OTHER,
        "records": (RecordDraft(content=OTHER),),
        "time": "2030-01-01T00:00:00Z",
        "name": "no-such-fault",
    }
    needed = [field.name for field in msgspec.structs.fields(row.request) if field.required]
    return {name: known[name] for name in needed} if set(needed) <= set(known) else None
