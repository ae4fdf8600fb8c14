"""The System behind a mapping: each operation of the protocol is a call of a tool, and no more.

Nothing is cached, filtered or mended: what the server answers is translated field by field, and
what the mapping has no argument for is refused where leaving it out would change what is meant.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import shutil
import sys
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from anyio.from_thread import BlockingPortal

from memconform.model import Access, Hit, RecordDraft, Response, Settings, from_plain
from memconform.model.base import Request
from memconform.protocol import (
    OPERATIONS,
    PROTOCOL_VERSION,
    Hello,
    Invalid,
    NotFound,
    StoreError,
    Unavailable,
    Unsupported,
)
from memconform.wire.mcp import reading
from memconform.wire.mcp.faults import ServerFault
from memconform.wire.mcp.mapping import PLACES, REQUIRED, Mapping, OperationTable
from memconform.wire.mcp.placeholders import fill, placeholders
from memconform.wire.mcp.reading import Answer, Unreadable
from memconform.wire.mcp.session import Pipes, Session, Tool

_NULLS: dict[str, dict[str, Any]] = {
    "memory": {
        "state": "active", "form": "content", "supersededBy": None, "type": None, "tags": None,
        "confidence": None, "version": None, "flags": None, "score": None, "times": None,
        "sources": None, "channels": None, "extra": {},
    },
    "write": {"outcome": "created", "other": None, "cause": None},
    "done": {"done": True, "cause": None},
    "context": {"cut": []},
}  # fmt: skip


_LONG_RUN = 3  # stores opened, from which on it is worth while to start the next server early


class Running:
    """A server that runs, and the folder that it was given.

    Attributes:
        root: the folder; it stays when the server is started anew over it.
    """

    def __init__(self, session: Session, root: Path) -> None:
        self.session = session
        self.root = root


class McpSystem:
    """Opens stores at the server of a mapping.

    Args:
        mapping: what is where.
        here: the folder of the mapping file.
        work: a folder for the servers' folders.
        groups: a file that the groups of running servers are written into.
        portal: to the loop that the package runs in.
    """

    def __init__(
        self, mapping: Mapping, *, here: Path, work: Path, groups: Path, portal: BlockingPortal
    ) -> None:
        self.mapping = mapping
        self._here = here
        self._work = work
        self._groups = groups
        self._portal = portal
        self._idle: list[Running] = []
        self._all: list[Running] = []
        # Beside the store in use: what is over is ended, and in a long run the next is started.
        self._beside = ThreadPoolExecutor(max_workers=2)
        self._spare: Future[Running] | None = None
        self._opened = 0
        self._roots = itertools.count(1)
        # The names of stores are the same in every run, except at a server that remembers others.
        self._prefix = f"s{uuid.uuid4().hex[:8]}-" if mapping.server.url else "store-"
        self._hello: Hello | None = None

    def hello(self) -> Hello:
        """Ask the server who it is and what tools it has, and hold the mapping against them."""
        if self._hello is None:
            running = self.take()
            self._idle.append(running)
            self._compare(running.session.tools)
            said = self.mapping.store
            self._hello = Hello(
                name=said.name or running.session.name or "mcp",
                version=said.version or running.session.version or "unknown",
                language=said.language,
                homepage=said.homepage,
                protocol=PROTOCOL_VERSION,
                capabilities=list(said.capabilities),
                profiles=list(said.profiles),
                policies=self.mapping.declared,
            )
        return self._hello

    def open(self, settings: Settings) -> McpStore:
        """A fresh store, by the way that the mapping names."""
        self.hello()
        if settings.policy is not None:
            raise Unsupported("an MCP server can't be opened with a policy")
        if settings.clock is not None and "set_clock" not in self.mapping.operations:
            raise Unsupported("the mapping has no set_clock to open a store with a clock by")
        if settings.namespace is not None and "namespaces" not in self.mapping.store.capabilities:
            raise Unsupported("namespaces are not declared here")
        running = self.take()
        try:
            self._freshen(running)
        except StoreError:
            self.give_up(running)
            raise
        self._opened += 1
        store = McpStore(self, running, f"{self._prefix}{self._opened}", settings.namespace)
        if settings.clock is not None:
            store.set_clock(time=settings.clock)
        return store

    def take(self) -> Running:
        """A server for a store: one that runs idle, or a new one."""
        server = self.mapping.server
        if server.fresh == "argument" and self._all:
            return self._all[0]  # its stores have names, so one server is for all of them
        if self._idle:
            return self._idle.pop()
        if server.url is not None and self._all:
            raise Unavailable("a server with a url and a reset tool has one store at a time")
        if server.fresh != "process":
            return self._fresh()
        spare, self._spare = self._spare, None
        if self._opened >= _LONG_RUN:
            self._spare = self._beside.submit(self._fresh)
        return self._fresh() if spare is None else spare.result()

    def _fresh(self) -> Running:
        """A new server over a new folder."""
        root = self._work / f"root-{next(self._roots)}"
        root.mkdir(mode=0o700)
        try:
            return self.start(root)
        except ServerFault:
            shutil.rmtree(root, ignore_errors=True)
            raise

    def start(self, root: Path) -> Running:
        """A new server over a folder."""
        server = self.mapping.server
        if server.url is not None:
            session = Session(self._portal, server.url, start_limit_s=server.start_limit_s)
        else:
            names = {"root": str(root), "here": str(self._here), "python": sys.executable}
            command, *args = (str(fill(t, names)) for t in (server.command, *server.args))
            cwd = self._here / str(fill(server.cwd or ".", names))
            if os.sep in command and not os.path.isabs(command):
                command = str(self._here / command)
            own = {name: str(fill(text, names)) for name, text in server.env.items()}
            pipes = Pipes([command, *args], cwd=cwd, env={**os.environ, **own}, groups=self._note)
            session = Session(self._portal, pipes, start_limit_s=server.start_limit_s)
        running = Running(session, root)
        self._all.append(running)
        return running

    def done_with(self, running: Running) -> None:
        """A store is closed: its server is for the next one, or has served."""
        fresh = self.mapping.server.fresh
        if fresh == "argument":
            return
        if fresh == "process" or self._shared(running):
            self._beside.submit(self.give_up, running)
        else:
            self._idle.append(running)

    def give_up(self, running: Running, *, keep_root: bool = False) -> None:
        """End a server; its folder goes with the last one that has it."""
        self._all.remove(running)
        running.session.stop()
        if not keep_root and not self._shared(running):
            shutil.rmtree(running.root, ignore_errors=True)

    def _shared(self, running: Running) -> bool:
        """Whether another server runs over the same folder."""
        others = list(self._all)
        return any(other is not running and other.root == running.root for other in others)

    def close(self) -> None:
        """End every server."""
        self._beside.shutdown(wait=True)  # with what it had still begun
        for running in list(self._all):
            with contextlib.suppress(Exception):
                self.give_up(running)

    def _freshen(self, running: Running) -> None:
        server = self.mapping.server
        if server.fresh == "files":
            for path in running.root.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        elif server.reset is not None:
            arguments = fill(server.reset.arguments, {"root": str(running.root)})
            answer = running.session.call(server.reset.tool, arguments, server.time_limit_s)
            refused = reading.refusal(answer, "open", self.mapping.errors)
            if refused is not None:
                raise refused

    def _note(self, group: str) -> None:
        with self._groups.open("a", encoding="ascii") as file:
            file.write(f"{group}\n")

    def _compare(self, tools: dict[str, Tool]) -> None:
        """Hold the mapping against what the server says of its tools."""
        calls = {f"operations.{name}": table for name, table in self.mapping.operations.items()}
        wanted = [(n, t.tool, t.arguments) for n, t in calls.items() if t.tool is not None]
        if self.mapping.server.reset is not None:
            reset = self.mapping.server.reset
            wanted.append(("server.reset", reset.tool, reset.arguments))
        for place, name, arguments in wanted:
            assert name is not None
            tool = tools.get(name)
            if tool is None:
                there = ", ".join(sorted(tools)) or "none"
                raise _unlike(f"[{place}] names the tool {name}, which the server doesn't have")(
                    f"There are {there[:1000]}."
                )
            unknown = [a for a in arguments if tool.known is not None and a not in tool.known]
            if unknown:
                raise _unlike(f"[{place}] gives the tool {name} the argument {unknown[0]}")(
                    f"It takes {', '.join(tool.known or ()) or 'none'}."
                )
            missing = [argument for argument in tool.required if argument not in arguments]
            if missing:
                raise _unlike(f"[{place}] does not give the tool {name} its {missing[0]}")(
                    f"It must have {', '.join(tool.required)}."
                )


def _unlike(told: str) -> Callable[[str], ServerFault]:
    return lambda hint: ServerFault("start", f"{told}.", hint=hint)


class McpStore:
    """An open store; it has the methods of the operations that the mapping has a table for.

    Attributes:
        namespace: the namespace in effect; null where there are none.
    """

    def __init__(
        self, system: McpSystem, running: Running, name: str, namespace: str | None
    ) -> None:
        self._system = system
        self._mapping = system.mapping
        self._running = running
        self._name = name
        self._serial = 0
        self.namespace = namespace

    def __getattr__(self, name: str) -> Any:
        """The method of a mapped operation; what isn't mapped is no attribute."""
        own = {"durable": "reopen", "shared": "second"}
        declared = self._mapping.store.capabilities
        if name in (*REQUIRED, *self._mapping.operations):
            return functools.partial(self._called, name)
        if name in [own[c] for c in declared if c in own]:
            return getattr(self, f"_{name}")
        raise AttributeError(name)

    def close(self) -> None:
        """Give the server back."""
        self._system.done_with(self._running)

    def _reopen(self, settings: Settings | None) -> McpStore:
        """End the server and start another over the same folder."""
        self._system.give_up(self._running, keep_root=True)
        namespace = self.namespace if settings is None else settings.namespace
        again = self._system.start(self._running.root)
        store = McpStore(self._system, again, self._name, namespace)
        store._serial = self._serial
        return store

    def _second(self) -> McpStore:
        """Start a second server over the same folder."""
        other = self._system.start(self._running.root)
        store = McpStore(self._system, other, self._name, self.namespace)
        store._serial = self._serial + 1_000_000
        return store

    # --- one operation -----------------------------------------------------------------------

    def _called(self, name: str, *values: Any, **arguments: Any) -> Any:
        """An operation with its arguments in the order of its request, or by their names."""
        fields = OPERATIONS[name].request.__struct_fields__
        return self._answer(name, {**dict(zip(fields, values, strict=False)), **arguments})

    def _answer(self, name: str, arguments: dict[str, Any]) -> Any:
        table = self._mapping.operations[name]
        if table.tool is None:
            raise Unsupported(f"{name} is not available: {table.unsupported}")
        values = self._values(name, arguments)
        filled = fill(table.arguments, values)
        limit_s = self._mapping.server.time_limit_s
        answer = self._running.session.call(table.tool, filled, limit_s)
        refused = reading.refusal(answer, name, self._mapping.errors)
        if refused is not None:
            raise refused
        try:
            return self._read(name, table, answer, values)
        except Unreadable as error:
            raise reading.unreadable(name, table.tool, str(error), answer) from error

    def _values(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the placeholders stand for; what wasn't given is not in it."""
        values: dict[str, Any] = {"store": self._name, "root": str(self._running.root)}
        if name == "write":
            self._serial += 1
            values["serial"] = str(self._serial)
        kind = OPERATIONS[name].request
        for field in msgspec.structs.fields(kind):
            value = arguments.get(field.name)
            if isinstance(value, (Access, RecordDraft)):
                values.update(_given(value))
            elif value is not None and value != field.default:
                values[field.encode_name] = msgspec.to_builtins(value)
        if values.get("namespace") is None and self.namespace is not None:
            values["namespace"] = self.namespace
        table = self._mapping.operations[name]
        used = {part.name for part in placeholders(table.arguments)}
        # What a store doesn't declare it may ignore; what it does would go to another place.
        for place in PLACES:
            declared = f"{place}s" in self._mapping.store.capabilities
            if place in values and declared and place not in used:
                raise Unsupported(f"the mapping of {name} has no argument for a {place}")
        scope, levels = values.get("scope"), self._mapping.declared.scope_levels
        if scope is not None and levels and scope not in levels:
            raise Invalid(f"there is no scope {scope!r} here; there are {', '.join(levels)}")
        return values

    def _read(
        self, name: str, table: OperationTable, answer: Answer, values: dict[str, Any]
    ) -> Any:
        namespace = values.get("namespace")
        if name in ("recall", "list_records"):
            hits = [_memory(item) for item in reading.memories(table, answer)]
            if name == "list_records":
                return {"records": hits, "namespace": namespace}
            return {"hits": hits, "namespace": namespace, "ledger": None, "trace": None}
        if name == "get":
            return {"record": self._one(table, answer, values["id"]), "namespace": namespace}
        found = reading.fields(table.result, None, answer)
        if name == "context":
            plain = {**_NULLS["context"], **found, "namespace": namespace}
        elif name in ("write", "update", "correct"):
            same = {"id": values["id"]} if name == "update" else {}
            plain = {**_NULLS["write"], **same, **found, "namespace": namespace}
            if plain["id"] is None and plain["outcome"] not in ("refused", "deferred"):
                raise Unreadable("what was stored has no id")
        else:
            plain = {**_NULLS["done"], **found}
        return _checked(plain, OPERATIONS[name].response)

    def _one(self, table: OperationTable, answer: Answer, id: str) -> dict[str, Any]:
        if table.each is None:
            return _memory(reading.fields(table.result, None, answer))
        for item in reading.memories(table, answer):
            if (memory := _memory(item))["id"] == id:
                return memory
        raise NotFound(f"the server shows no memory {id!r}")


def _given(value: Request) -> dict[str, Any]:
    return {
        field.encode_name: msgspec.to_builtins(getattr(value, field.name))
        for field in msgspec.structs.fields(type(value))
        if getattr(value, field.name) != field.default
    }


def _memory(found: dict[str, Any]) -> dict[str, Any]:
    plain = {**_NULLS["memory"], **{name: v for name, v in found.items() if v is not None}}
    plain.setdefault("content", None)
    return _checked(plain, Hit)


def _checked(plain: dict[str, Any], kind: type[Response]) -> dict[str, Any]:
    """An answer of the protocol; a server may number its memories.

    Raises:
        Unreadable: a value has a type that the protocol doesn't allow there.
    """
    for name in ("id", "other", "supersededBy"):
        if isinstance(plain.get(name), int) and not isinstance(plain[name], bool):
            plain[name] = str(plain[name])
    try:
        checked: dict[str, Any] = msgspec.to_builtins(from_plain(plain, kind))
    except msgspec.ValidationError as error:
        raise Unreadable(str(error).replace(" - at `$.", ", at `")) from error
    return checked
