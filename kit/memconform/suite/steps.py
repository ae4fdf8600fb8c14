"""The step vocabulary of the whole suite: at most thirty texts, the data in tables.

A text in quotes is a literal; in a query or a content it may hold quotes itself. A step that does
something stands under Given (then it is a prerequisite and must succeed) and under When alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pytest_bdd import given, parsers, then, when

from memconform.model import (
    Access,
    BatchResult,
    ContextResult,
    RecallResult,
    RecordDraft,
    Settings,
    WriteResult,
    from_plain,
    to_plain,
)
from memconform.suite import cells
from memconform.suite.world import Disappointed, World

Step = Callable[..., None]
VOCABULARY: list[str] = []
BATCH = 500  # memories in a call, where many are written

_PLACEHOLDER = re.compile(r"\{(\w+)(:\w+)?\}")


class StepText(parsers.StepParser):
    """A step text with placeholders, shown as it is written.

    ``{name:n}`` is a whole number, ``{query}`` any text, quotes included, every other one a text
    without quotes.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        expression, last = "", 0
        for match in _PLACEHOLDER.finditer(text):
            expression += re.escape(text[last : match.start()])
            kind = r"\d+" if match[2] == ":n" else ".*" if match[1] == "query" else '[^"]*'
            expression += f"(?P<{match[1]}>{kind})"
            last = match.end()
        self._regex = re.compile(expression + re.escape(text[last:]), re.DOTALL)

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        """The values of the placeholders; None where the text is another."""
        match = self._regex.fullmatch(name)
        return None if match is None else match.groupdict()

    def is_matching(self, name: str) -> bool:
        """Whether this is the text of the step."""
        return self._regex.fullmatch(name) is not None


def action(text: str) -> Callable[[Step], Step]:
    """Register a step that does something, under Given and When."""
    VOCABULARY.append(text)

    def register(function: Step) -> Step:
        given(StepText(text), stacklevel=2)(function)
        when(StepText(text), stacklevel=2)(function)
        return function

    return register


def look(text: str) -> Callable[[Step], Step]:
    """Register a step that looks, under Then."""
    VOCABULARY.append(text)

    def register(function: Step) -> Step:
        then(StepText(text), stacklevel=2)(function)
        return function

    return register


# --- stores ----------------------------------------------------------------------------------


@action("an empty store")
def open_store(world: World) -> None:
    """A new store that holds nothing."""
    world.open()


@action("an empty store with:")
def open_store_with(world: World, datatable: cells.Table) -> None:
    """A new store with a clock, a namespace, a policy, or for an evaluation."""
    world.open(_settings(datatable))


def _settings(table: cells.Table) -> Settings:
    plain: dict[str, Any] = {}
    for name, cell in cells.pairs(table).items():
        if name in ("clock", "namespace"):
            plain[name] = cells.text(cell)
        elif name == "evaluation":
            plain[name] = cells.literal(cell)
        elif name == "scopes":
            cells.put(plain, "policy.scopes", [scope.strip() for scope in cell.split(",")])
        else:
            cells.put(plain, f"policy.{name}", cells.literal(cell))
    return from_plain(plain, Settings)


@action("the store is restarted")
def restart(world: World) -> None:
    """The same data, opened anew."""
    world.replace_store("reopen")


@action("the store is restarted with:")
def restart_with(world: World, datatable: cells.Table) -> None:
    """The same data, opened anew with other settings."""
    world.replace_store("reopen", settings=_settings(datatable))


@action("the {which} connection is used")
def use_connection(world: World, which: str) -> None:
    """Another connection to the same data; the second is made when first used."""
    if which not in ("first", "second"):
        raise cells.CellError("a connection is the first or the second")
    if which == "second" and "second" not in world.stores:
        world.replace_store("second")
    world.current = which


@action('the clock shows "{time}"')
def set_clock(world: World, time: str) -> None:
    """The time that the store takes for now."""
    world.call("set_clock", time=time)
    world.settle()


# --- writing ---------------------------------------------------------------------------------


@action("these memories are written:")
def write_all(world: World, datatable: cells.Table) -> None:
    """One write a row."""
    for row in cells.rows(datatable):
        draft = world.draft(row)
        result = world.call("write", record=draft)
        if isinstance(result, WriteResult):
            world.note_write(row.get("key", ""), draft.content, result)


@action("these memories are written in one batch:")
def write_batch(world: World, datatable: cells.Table) -> None:
    """All rows in one call."""
    table = cells.rows(datatable)
    drafts = [world.draft(row) for row in table]
    result = world.call("write_batch", records=tuple(drafts))
    if isinstance(result, BatchResult):
        if len(result.outcomes) != len(drafts):
            raise Disappointed(f"{len(drafts)} outcomes", f"{len(result.outcomes)}")
        for row, draft, outcome in zip(table, drafts, result.outcomes, strict=True):
            world.note_write(row.get("key", ""), draft.content, outcome)


@action('{count:n} memories are written like "{pattern}"')
def write_many(world: World, count: str, pattern: str) -> None:
    """Volume: ``(n)`` in the pattern is the number of the memory, from 1; its key is ``n`` and it.

    In batches where the store takes them, since some stores take a long time for a single write.
    """
    drafts = [
        RecordDraft(key=f"n{number}", content=pattern.replace("(n)", str(number)))
        for number in range(1, int(count) + 1)
    ]
    size = BATCH if "batch" in world.hello.capabilities else 1
    for start in range(0, len(drafts), size):
        batch = drafts[start : start + size]
        if size == 1:
            result = world.call("write", record=batch[0])
        else:
            result = world.call("write_batch", records=tuple(batch))
        world.settle()
        outcomes = result.outcomes if isinstance(result, BatchResult) else [result]
        for draft, outcome in zip(batch, outcomes, strict=True):
            assert isinstance(outcome, WriteResult)
            world.note_write(str(draft.key), draft.content, outcome)


# --- asking and changing ---------------------------------------------------------------------


@action('"{query}" is recalled')
def recall(world: World, query: str) -> None:
    """A question, with nothing beside it."""
    world.call("recall", query=query)


@action('"{query}" is recalled with:')
def recall_with(world: World, query: str, datatable: cells.Table) -> None:
    """A question with a place, a limit, filters, a purpose, a mode or a trace."""
    world.call_raw("recall", {"query": query, **world.parameters(datatable)})


@action('{count:n} {kind} are asked like "{query}"')
def ask_many(world: World, count: str, kind: str, query: str) -> None:
    """Volume: ``questions``, or ``questions for a prompt`` by the operation ``context``.

    ``(n)`` in the question is its number, from 1; what is found doesn't matter.
    """
    operations = {"questions": "recall", "questions for a prompt": "context"}
    if kind not in operations:
        raise cells.CellError(f"what is asked are {' or '.join(operations)}")
    for number in range(1, int(count) + 1):
        world.call(operations[kind], query=query.replace("(n)", str(number)))
        world.settle()


@action('{count:n} reports of "{outcome}" are made on "{key}"')
def report_many(world: World, count: str, outcome: str, key: str) -> None:
    """Volume: the operation ``feedback``, the same each time."""
    for _ in range(int(count)):
        world.call("feedback", id=world.id_of(key), outcome=outcome)
        world.settle()


@action('"{key}" is forgotten')
def forget(world: World, key: str) -> None:
    """Forget by the id that the store gave."""
    world.call("forget", id=world.id_of(key))


@action('the operation "{operation}" is called with:')
def call(world: World, operation: str, datatable: cells.Table) -> None:
    """Any operation, its arguments as they stand, also wrong ones."""
    params = world.parameters(datatable)
    result = world.call_raw(operation, params)
    key = params.get("key")
    if operation in ("correct", "update") and isinstance(result, WriteResult):
        content = params.get("content")
        name = key if isinstance(key, str) else world.key_of(str(params.get("id")))
        world.note_write(name, content or world.contents.get(name, ""), result)


@action('the operation "{operation}" is called')
def call_plainly(world: World, operation: str) -> None:
    """An operation that needs no arguments."""
    world.call_raw(operation, {})


@action("the answer is kept")
def keep(world: World) -> None:
    """Keep the last answer, to compare a later one with it."""
    world.settle()
    if world.answer is None:
        raise cells.CellError("there is no answer to keep")
    world.kept = from_plain(to_plain(world.answer), type(world.answer))


# --- looking at an answer --------------------------------------------------------------------


def _keys(table: cells.Table) -> str:
    return ", ".join(row[0] for row in table)


@look("these are found:")
def found_exactly(world: World, datatable: cells.Table) -> None:
    """Exactly these, in any order."""
    wanted = [world.id_of(row[0]) for row in datatable]
    seen = world.found()
    if sorted(seen) != sorted(wanted):
        raise Disappointed(f"exactly {_keys(datatable)}", world.names(seen))


@look("these are found in order:")
def found_in_order(world: World, datatable: cells.Table) -> None:
    """Exactly these, best first."""
    wanted = [world.id_of(row[0]) for row in datatable]
    if world.found() != wanted:
        raise Disappointed(f"in order {_keys(datatable)}", world.names(world.found()))


@look('"{key}" is found')
def is_found(world: World, key: str) -> None:
    """Among the hits, wherever."""
    if world.id_of(key) not in world.found():
        raise Disappointed(f"{key!r} among the hits", world.names(world.found()))


@look('"{key}" is not found')
def is_not_found(world: World, key: str) -> None:
    """Neither its id nor its text among the hits."""
    hits = world.hits
    content = world.contents[key]
    if world.id_of(key) in world.found():
        raise Disappointed(f"{key!r} not among the hits", world.names(world.found()))
    if any(content == hit.content for hit in hits):
        raise Disappointed(f"the text of {key!r} in no hit", world.names(world.found()))


@look("nothing is found")
def nothing_found(world: World) -> None:
    """An answer without hits, and no error."""
    if world.found():
        shown = [hit.content for hit in world.hits]
        raise Disappointed("nothing", f"{world.names(world.found())}: {cells.show(shown)}")


@look('"{old}" gives way to "{new}"')
def gives_way(world: World, old: str, new: str) -> None:
    """The correction is found; the old text is hidden, or below it and marked, as declared."""
    found = world.found()
    old_id, new_id = world.id_of(old), world.id_of(new)
    if new_id not in found:
        raise Disappointed(f"{new!r} among the hits", world.names(found))
    if old_id not in found:
        return
    if world.hello.policies.superseded == "hidden":
        raise Disappointed(f"{old!r} hidden, as the store declares", world.names(found))
    if found.index(old_id) < found.index(new_id):
        raise Disappointed(f"{new!r} before {old!r}", world.names(found))
    hit = next(hit for hit in world.hits if hit.id == old_id)
    if hit.state != "superseded" or hit.superseded_by != new_id:
        raise Disappointed(
            f"{old!r} marked as superseded by {new!r}",
            f"state {hit.state!r}, superseded by {cells.show(hit.superseded_by)}",
        )


@look('"{key}" is seen on every surface with:')
def seen_everywhere(world: World, key: str, datatable: cells.Table) -> None:
    """On each read surface that the store declares."""
    missing = [surface for surface, how in _sightings(world, key, datatable).items() if how is None]
    if missing:
        raise Disappointed(
            f"{key!r} on {', '.join(world.surfaces())}", f"it is missing on {', '.join(missing)}"
        )


@look('"{key}" is seen on no surface with:')
def seen_nowhere(world: World, key: str, datatable: cells.Table) -> None:
    """On none of the read surfaces that the store declares."""
    seen = {surface: how for surface, how in _sightings(world, key, datatable).items() if how}
    if seen:
        raise Disappointed(
            f"{key!r} on none of {', '.join(world.surfaces())}",
            "; ".join(f"{surface}: {how}" for surface, how in seen.items()),
        )


def _sightings(world: World, key: str, table: cells.Table) -> dict[str, str | None]:
    world.settle()
    params = world.parameters(table)
    access = from_plain(params.get("access", {}), Access)
    return world.sightings(key, params["query"], access)


@look('the call is refused as "{code}"')
def refused(world: World, code: str) -> None:
    """The last call, with this error code and a sentence.

    ``out of range`` is ``invalid`` at a store that declares so; one that clamps must answer.
    """
    error, world.refusal = world.refusal, None
    if code == "out of range":
        if world.hello.policies.out_of_range == "clamp":
            if error is not None:
                raise Disappointed(
                    "the value clamped, as declared", f"{error.code}: {error.message}"
                )
            return
        code = "invalid"
    if error is None:
        raise Disappointed(
            f"{world.last_operation} refused as {code}",
            f"it answered {cells.show(to_plain(world.answer))}",
        )
    if error.code != code:
        raise Disappointed(f"refused as {code}", f"refused as {error.code}: {error.message}")
    if not error.message.strip():
        raise Disappointed("a refusal that says why", "a refusal with an empty message")


@look("the call is answered")
def answered(world: World) -> None:
    """The last call, with whatever answer: where an error is what must not be."""
    error, world.refusal = world.refusal, None
    if error is not None:
        raise Disappointed(
            f"an answer of {world.last_operation}", f"refused as {error.code}: {error.message}"
        )


@look('the "{part}" says:')
def says(world: World, part: str, datatable: cells.Table) -> None:
    """Values at paths of a part of what is known: answer, trace, hit KEY, record KEY ..."""
    seen_part = world.part(part)
    policies = to_plain(world.hello.policies)
    for path, written in datatable:
        cell = cells.by_policy(world.fill(written), policies)
        if cell is None:
            continue
        words, holds = cells.expectation(cell, world.ids)
        seen = cells.look(seen_part, path, world.ids)
        if not holds(seen):
            raise Disappointed(f"{path} of the {part} to be {words}", cells.show(seen))


@look("the answer equals the kept one")
def equals_kept(world: World) -> None:
    """Byte for byte, the time of a trace apart."""
    world.settle()
    seen, kept = _timeless(world.answer), _timeless(world.kept)
    if seen != kept:
        raise Disappointed(f"the kept answer {cells.show(kept)}", cells.show(seen))


def _timeless(answer: Any) -> Any:
    plain = to_plain(answer)
    if isinstance(answer, RecallResult) and answer.trace is not None:
        plain["trace"]["timestamp"] = None
    return plain


@look("the context keeps the frame of the kept one")
def keeps_frame(world: World) -> None:
    """First and last line as before, each once, so that no memory has closed or opened a frame."""
    world.settle()
    if not isinstance(world.answer, ContextResult) or not isinstance(world.kept, ContextResult):
        raise cells.CellError("both answers must be contexts")
    kept, lines = world.kept.text.strip().split("\n"), world.answer.text.strip().split("\n")
    for where, mark, line in (("first", kept[0], lines[0]), ("last", kept[-1], lines[-1])):
        if any(text in mark for text in world.contents.values()):
            raise Disappointed(
                f"a frame around the memories, with a {where} line of its own",
                f"the block has none: that line is a memory, {cells.show(line)}",
            )
        if line != mark:
            raise Disappointed(f"the {where} line to stay {cells.show(mark)}", cells.show(line))
        if world.answer.text.count(mark) != 1:
            raise Disappointed(
                f"{cells.show(mark)} once", f"it stands {world.answer.text.count(mark)} times"
            )
