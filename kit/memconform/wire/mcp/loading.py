"""Reads a mapping file, and finds what is wrong with it before any server is asked.

Unknown keys, placeholders and paths, a capability without its operation and the reverse: each is
one sentence with the table that it stands in.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, get_args
from urllib.parse import urlsplit

import msgspec

from memconform.model import Access, Done, Hit, RecordDraft, WriteResult
from memconform.protocol import OPERATIONS, Capability, Operation, Policies
from memconform.wire.mcp import paths, placeholders
from memconform.wire.mcp.mapping import (
    REQUIRED,
    Each,
    Field,
    Mapping,
    OperationTable,
    Server,
    regular,
)
from memconform.wire.mcp.placeholders import Names, TemplateError

FIELDS_OF_ANSWER = ("structuredContent", "json", "text", "content", "isError")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Of what an operation is asked for, what a mapping can make an answer of.
SHAPES: dict[type[msgspec.Struct], tuple[str, ...]] = {
    WriteResult: ("id", "outcome", "other", "cause"),
    Done: ("done", "cause"),
}
_OF_A_MEMORY = tuple(
    field.encode_name
    for field in msgspec.structs.fields(Hit)
    if field.encode_name not in ("times", "sources", "channels", "extra")
)
_OF_CONTEXT = ("text", "ids", "cut")
# What a store needs more than tools for.
_BY_THE_KIT = ("durable", "shared")
_IN_HITS: tuple[Capability, ...] = ("scores", "confidence", "tags", "versions")
_OF_THE_STORE: tuple[Capability, ...] = (
    "workspaces", "projects", "namespaces", "semantic", "validity", "purpose", "filters",
)  # fmt: skip
_BY_OPERATION = (
    "update", "disable", "enable", "supersede", "correct", "purge", "mask", "list_records",
    "context", "set_clock", "warmup", "reindex", "drop_embeddings", "barrier",
)  # fmt: skip
MAPPED = (*REQUIRED, *_BY_OPERATION)


class MappingError(ValueError):
    """A file is no mapping; the message is a sentence that names the place in it."""


def read_mapping(file: FilePath) -> Mapping:
    """The mapping of a file, checked.

    Raises:
        MappingError: it can't be read, or isn't one.
    """
    try:
        plain = tomllib.loads(file.read_text(encoding="utf-8"))
        mapping = msgspec.convert(plain, Mapping)
    except OSError as error:
        raise MappingError(f"{file} can't be read: {error.strerror or error}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise MappingError(f"{file} is no TOML: {error}.") from error
    except msgspec.ValidationError as error:
        raise MappingError(f"{file} is no mapping: {_placed(str(error), plain)}.") from error
    try:
        _check(mapping)
    except _Wrong as wrong:
        told = wrong.told if wrong.told.endswith((".", "?")) else f"{wrong.told}."
        raise MappingError(f"{file}, {wrong.place}: {told}") from wrong
    return mapping


def _placed(told: str, plain: dict[str, Any]) -> str:
    """A message of msgspec with the table in TOML's words; msgspec names no key of a dict."""
    told, _, place = told.partition(" - at `$.")
    if not place:
        return told
    if place.startswith("operations[...]"):
        place = place.replace("[...]", f".{_first_wrong(plain['operations'])}", 1)
    return f"{told}, at {place.removesuffix('`')}"


def _first_wrong(operations: dict[str, Any]) -> str:
    for name, table in operations.items():
        try:
            msgspec.convert(table, OperationTable)
        except msgspec.ValidationError:
            return name
    return "[...]"


@dataclass
class _Wrong(Exception):
    """What is wrong with a mapping, and where."""

    place: str
    told: str


# --- what can be found without the server ---------------------------------------------------------


def _check(mapping: Mapping) -> None:
    _check_server(mapping)
    _check_store(mapping)
    for name in REQUIRED:
        if name not in mapping.operations:
            raise _Wrong(
                f"[operations.{name}]",
                "the table is missing; every store has this operation: name its tool, or say"
                ' unsupported = "why there is none"',
            )
    for name, table in mapping.operations.items():
        place = f"[operations.{name}]"
        if name not in MAPPED:
            raise _Wrong(
                place,
                f"a mapping can't carry this operation; it can carry {', '.join(MAPPED)}."
                f"{placeholders.near(name, MAPPED)}",
            )
        _check_operation(place, OPERATIONS[name], table)
    for number, rule in enumerate(mapping.errors, 1):
        place = f"[[errors]] number {number}"
        _compiled(place, rule.match)
        for name in rule.operations or ():
            if name not in MAPPED:
                raise _Wrong(place, f"there is no operation {name!r} to name here")
    _check_capabilities(mapping)


def _check_server(mapping: Mapping) -> None:
    server = mapping.server
    if (server.command is None) == (server.url is None):
        raise _Wrong("[server]", "name a command, or a url, and not both")
    if server.url is not None:
        _check_url(server)
    texts = [server.command or "", server.cwd or "", *server.args, *server.env.values()]
    _filled("[server]", texts, Names(frozenset({"root", "here", "python"})))
    if any("\0" in text for text in texts):
        raise _Wrong("[server]", "no text may hold the character 0")
    if (server.fresh == "reset") != (server.reset is not None):
        raise _Wrong("[server]", 'fresh = "reset" and a table reset belong together')
    if server.reset is not None:
        _filled("[server.reset]", server.reset.arguments, Names(frozenset({"root"})))
    if server.fresh == "argument":
        for name in ("write", "recall"):
            table = mapping.operations.get(name)
            used = placeholders.placeholders(table.arguments) if table and table.tool else ()
            if table and table.tool and not any(part.name == "store" for part in used):
                raise _Wrong(
                    f"[operations.{name}]",
                    'with fresh = "argument" stores are told apart by {store}, and no argument'
                    " has it",
                )
    if server.fresh == "files" and not any("{root}" in text for text in texts):
        raise _Wrong("[server]", 'with fresh = "files" args, env or cwd must name {root}')


def _check_url(server: Server) -> None:
    assert server.url is not None
    try:
        parts = urlsplit(server.url)
        local = parts.scheme in ("http", "https") and parts.hostname in _LOOPBACK
    except ValueError:
        local = False
    if not local:
        raise _Wrong(
            "[server]",
            "url must begin with http://127.0.0.1, http://localhost or the like: the suite writes"
            " and deletes, so it talks to servers on this machine alone",
        )
    if server.fresh not in ("reset", "argument"):
        raise _Wrong(
            "[server]",
            'a server with a url is not started here; fresh must be "reset" or "argument"',
        )
    if server.args or server.env or server.cwd:
        raise _Wrong("[server]", "args, env and cwd belong to a command, not to a url")


def _check_store(mapping: Mapping) -> None:
    for name in ("name", "version"):
        said = getattr(mapping.store, name)
        if said is not None and not said.strip():
            raise _Wrong("[store]", f"{name} is empty; leave it out to use the server's own")
    known = [field.encode_name for field in msgspec.structs.fields(Policies)]
    for name in mapping.store.policies:
        if name not in known:
            told = f"there is no policy {name!r}.{placeholders.near(name, known)}"
            raise _Wrong("[store.policies]", told)
    try:
        _ = mapping.declared
    except msgspec.ValidationError as error:
        raise _Wrong("[store.policies]", _placed(str(error), {})) from error


def _check_capabilities(mapping: Mapping) -> None:
    place = "[store] capabilities"
    for capability in mapping.store.capabilities:
        if capability in _BY_THE_KIT:
            if mapping.server.command is None or mapping.server.fresh == "argument":
                told = 'a command, and a process for each store: fresh must not be "argument"'
                raise _Wrong(place, f"{capability} needs {told}")
            continue
        rows = [row.name for row in OPERATIONS.values() if row.capability == capability]
        possible = capability in (*_IN_HITS, *_OF_THE_STORE) or set(rows) & set(MAPPED)
        if not possible:
            raise _Wrong(
                place,
                f"a mapping can't carry {capability}; write an adapter for it (docs/protocol.md)",
            )
        missing = [name for name in rows if name not in mapping.operations]
        if missing:
            raise _Wrong(place, f"{capability} needs a table [operations.{missing[0]}]")
    for name in mapping.operations:
        needed = OPERATIONS[name].capability
        if needed is not None and needed not in mapping.store.capabilities:
            raise _Wrong(
                f"[operations.{name}]",
                f"it needs the capability {needed}; add it to capabilities in [store]",
            )


def _check_operation(place: str, row: Operation, table: OperationTable) -> None:
    if (table.tool is None) == (table.unsupported is None):
        raise _Wrong(place, "name a tool, or say why it is unsupported, and not both")
    if table.tool is None:
        if table.arguments or table.each or table.none or table.result:
            raise _Wrong(place, "what is unsupported has no arguments and no answer")
        return
    _filled(f"{place} arguments", table.arguments, names_of(row))
    many = row.name in ("recall", "list_records", "get")
    if table.each is not None and not many:
        raise _Wrong(place, "each belongs to recall, list_records and get")
    if row.name in ("recall", "list_records") and table.each is None:
        raise _Wrong(place, "each is missing: where in the answer do the memories stand?")
    if table.none is not None:
        if table.each is None:
            raise _Wrong(place, "none belongs to a table with each")
        _compiled(place, table.none)
    groups = _check_each(place, table.each)
    known = _fields_of(row)
    for name, field in table.result.items():
        where = f"{place} result.{name}"
        if name not in known:
            told = f"there is no such field; there are {', '.join(known)}."
            raise _Wrong(where, f"{told}{placeholders.near(name, known)}")
        _check_field(where, field, relative=table.each is not None, groups=groups)
    needed = {"write": ("id",), "correct": ("id",), "context": ("text", "ids")}.get(row.name)
    if needed is None and many:
        needed = ("id", "content")
    for name in needed or ():
        if name not in table.result:
            raise _Wrong(place, f"result.{name} is missing: where in the answer does it stand?")


def _fields_of(row: Operation) -> tuple[str, ...]:
    if row.name in ("recall", "list_records", "get"):
        return _OF_A_MEMORY
    return _OF_CONTEXT if row.name == "context" else SHAPES[row.response]


def _check_each(place: str, each: str | Each | None) -> frozenset[str] | None:
    """The groups that a memory has, where a regex finds it."""
    if isinstance(each, Each):
        regex = _compiled(f"{place} each", each.regex)
        _path(f"{place} each", each.path, relative=False)
        if not regex.groupindex:
            raise _Wrong(f"{place} each", "its regex has no named group, such as (?P<id>[0-9]+)")
        return frozenset(regex.groupindex)
    if each is not None and not _path(place, each, relative=False).many:
        raise _Wrong(place, f"each = {each!r} finds one value; end it with [*] for all of a list")
    return None


def _check_field(
    place: str, field: str | Field, *, relative: bool, groups: frozenset[str] | None
) -> None:
    if isinstance(field, str):
        field = Field(path=field)
    constant = field.value is not msgspec.UNSET
    if constant and (field.path or field.regex or field.split or field.map is not None):
        raise _Wrong(place, "a value stands alone")
    if constant:
        return
    if field.path is None and field.regex is None:
        raise _Wrong(place, "name a path, a regex or a value")
    if field.regex is not None:
        _compiled(place, field.regex)
    if field.path is None and relative:
        raise _Wrong(place, "name the path of the text that the regex is searched in")
    if field.path is not None:
        path = _path(place, field.path, relative=relative)
        if groups is not None and path.start not in groups:
            raise _Wrong(place, f"the regex of each has no group {path.start!r}")
    if field.split == "":
        raise _Wrong(place, "split needs a text that divides")


def _path(place: str, text: str, *, relative: bool) -> paths.Path:
    try:
        path = paths.parse(text)
    except paths.PathError as error:
        raise _Wrong(place, str(error)) from error
    if not relative and path.start not in FIELDS_OF_ANSWER:
        raise _Wrong(
            place, f"a path begins with one of {', '.join(FIELDS_OF_ANSWER)}, not {text!r}"
        )
    return path


def _compiled(place: str, regex: str) -> re.Pattern[str]:
    """A regular expression, compiled."""
    try:
        return regular(regex)
    except re.error as error:
        raise _Wrong(place, f"{regex!r} is no regular expression: {error}") from error


def _filled(place: str, value: Any, names: Names) -> None:
    try:
        placeholders.check(value, names)
    except TemplateError as error:
        raise _Wrong(place, str(error)) from error


def names_of(row: Operation) -> Names:
    """The placeholders of an operation: the fields of its request, and of what is in them."""
    always = {"store", "root"}
    sometimes: set[str] = set()
    lists: set[str] = set()
    if row.name == "write":
        always.add("serial")
    kinds: list[type[msgspec.Struct]] = [row.request]
    for kind in kinds:
        for field in msgspec.structs.fields(kind):
            if field.type in (Access, RecordDraft):
                kinds.append(field.type)
                continue
            name = field.encode_name
            (always if field.required else sometimes).add(name)
            if not _is_one(field.type):
                lists.add(name)
    return Names(frozenset(always), frozenset(sometimes), frozenset(lists))


def _is_one(kind: Any) -> bool:
    """Whether a type is one of texts, numbers and null, and not of lists or objects."""
    if kind in (str, int, float, bool, type(None)) or isinstance(kind, str):
        return True
    listed = getattr(kind, "__origin__", None) in (list, tuple, dict)
    parts = get_args(kind)
    return bool(parts) and not listed and all(_is_one(part) for part in parts)
