"""A conversation with one MCP server, by the official package, from a thread that knows no async.

The server's pipes are this module's own, since the package only logs what a server writes that is
no message, reads lines of any length and doesn't tell how a process ended. A server runs in a
session of its own, so that it is ended together with whatever it has started.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import msgspec
from anyio.abc import Process, TaskStatus
from anyio.from_thread import BlockingPortal
from mcp import Client, MCPError
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from memconform.wire import messages
from memconform.wire.mcp.faults import ServerFault
from memconform.wire.mcp.reading import Answer
from memconform.wire.transport import LINE_LIMIT

_CHUNK = 65_536
_GRACE_S = 1.0  # for a server to end by itself when its input is closed
_STATUS_S = 0.5  # for the exit status of a server whose output has ended
_LOOK_S = 0.01
_PAGES = 50  # of tools, before a server is taken for one that lists without end
_HINT_OUTPUT = (
    "A server may write nothing but messages to standard output; notes go to standard error."
)


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as the server describes it.

    Attributes:
        known: the names of its arguments; null where any are taken.
        required: those that it must be given.
    """

    name: str
    known: tuple[str, ...] | None
    required: tuple[str, ...]


class Pipes:
    """The server's process, as a transport of the package.

    Args:
        argv: the command, without a shell.
        cwd: where it runs.
        env: its whole environment.
        groups: is told of the process group when it begins, and when it has ended.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        groups: Callable[[str], None],
    ) -> None:
        self._argv = list(argv)
        self._cwd = cwd
        self._env = dict(env)
        self._groups = groups
        self._process: Process | None = None
        self.ended = False
        self.nonsense: tuple[str, str] | None = (
            None  # what is wrong with its output, and the output
        )
        self._streams = contextlib.AsyncExitStack()

    async def __aenter__(self) -> TransportStreams:
        """Start it; the streams are for the package."""
        return await self._streams.enter_async_context(self._running())

    async def __aexit__(self, *exception: object) -> bool | None:
        """End it and all that it has started."""
        return await self._streams.__aexit__(*exception)  # type: ignore[arg-type] # as given

    async def last_words(self) -> str:
        """How it ended, once its output has."""
        assert self._process is not None
        if not await _ended(self._process, _STATUS_S):
            return "closed its standard output and went on running"
        status = self._process.returncode or 0
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-status).name}"
        return f"ended with exit status {status}"

    @contextlib.asynccontextmanager
    async def _running(self) -> AsyncIterator[TransportStreams]:
        process = await anyio.open_process(
            self._argv, cwd=self._cwd, env=self._env, stderr=None, start_new_session=True
        )
        self._process = process
        self._groups(f"+{process.pid}")
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        from_client, to_server = anyio.create_memory_object_stream[SessionMessage](0)

        async def read() -> None:
            assert process.stdout is not None
            with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                async with to_client:
                    await self._read(process, to_client.send)

        async def write() -> None:
            assert process.stdin is not None
            with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
                async for message in to_server:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.stdin.send(text.encode() + b"\n")

        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read)
                tasks.start_soon(write)
                try:
                    yield from_server, from_client
                finally:
                    with anyio.CancelScope(shield=True):
                        await self._stop(process)
                    tasks.cancel_scope.cancel()
        finally:
            for stream in (to_client, from_server, from_client, to_server):
                stream.close()

    async def _read(self, process: Process, deliver: Callable[..., Any]) -> None:
        buffer = bytearray()
        assert process.stdout is not None
        while True:
            try:
                chunk = await process.stdout.receive(_CHUNK)
            except (anyio.EndOfStream, ConnectionError):
                self.ended = True
                if buffer:
                    self._nonsense("ended in the middle of a line", bytes(buffer))
                return
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                buffer += line
                whole = bytes(buffer).strip()
                buffer.clear()
                if not whole:
                    continue
                try:
                    message = mcp_types.jsonrpc_message_adapter.validate_json(whole, by_name=False)
                except (ValueError, RecursionError):
                    self._nonsense("wrote a line that is no message", whole)
                    return
                await deliver(SessionMessage(message))
            buffer += rest
            if len(buffer) > LINE_LIMIT:
                self._nonsense(f"wrote a line of more than {LINE_LIMIT} bytes", bytes(buffer))
                return

    def _nonsense(self, told: str, line: bytes) -> None:
        self.nonsense = (told, messages.shortened(line))

    async def _stop(self, process: Process) -> None:
        """Close its input, wait a moment, then end it and its whole session."""
        assert process.stdin is not None
        with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
        if not self.nonsense:
            await _ended(process, _GRACE_S)
        end_group(process.pid)
        await _ended(process, _GRACE_S)
        self._groups(f"-{process.pid}")
        # A process that left the session may hold the pipe open: it must keep nobody waiting.
        transport = getattr(getattr(process, "_process", None), "_transport", None)
        if transport is not None:
            transport.close()


async def _ended(process: Process, seconds: float) -> bool:
    """Whether it ends within some time; the package says why waiting for it is no answer."""
    with anyio.move_on_after(seconds):
        while process.returncode is None:
            await anyio.sleep(_LOOK_S)
    return process.returncode is not None


def end_group(group: int) -> None:
    """End all processes of a group, now; fine where there are none."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class Session:
    """A started server.

    Attributes:
        tools: what it offers, by name.
        name: how it calls itself; null when it doesn't say.
        version: which version of itself it says it is.

    Args:
        portal: to the loop that the package runs in.
        reached: its process, or the url of one that runs already.
        start_limit_s: for the start and the list of its tools.

    Raises:
        ServerFault: it doesn't come to life.
    """

    def __init__(
        self, portal: BlockingPortal, reached: Pipes | str, *, start_limit_s: float
    ) -> None:
        self._portal = portal
        self._pipes = reached if isinstance(reached, Pipes) else None
        self._reached = reached
        self._limit_s = start_limit_s
        self._over = portal.call(anyio.Event)
        self._client: Client | None = None
        self.tools: dict[str, Tool] = {}
        self.name: str | None = None
        self.version: str | None = None
        self._future: Future[None]
        try:
            self._future, _ = portal.start_task(self._live)
        except ServerFault:
            raise
        except BaseException as error:
            raise _flattened(error, self._not_started) from error

    def call(self, tool: str, arguments: dict[str, Any], limit_s: float) -> Answer:
        """Call a tool.

        Raises:
            ServerFault: it came to no answer, or to one that is none of the protocol.
        """
        answer: Answer = self._portal.call(self._call, tool, arguments, limit_s)
        return answer

    def stop(self) -> None:
        """End the conversation, and the server where it was started here; this takes its time."""
        self._portal.call(self._over.set)
        with contextlib.suppress(Exception):
            self._future.result(timeout=4 * _GRACE_S)

    # --- in the loop -------------------------------------------------------------------------

    async def _live(self, *, task_status: TaskStatus[None]) -> None:
        started = False
        with anyio.CancelScope() as scope:
            scope.deadline = anyio.current_time() + self._limit_s
            async with Client(self._reached, cache=None) as client:
                self._client = client
                await self._look(client)
                started = True
                scope.deadline = float("inf")
                task_status.started()
                await self._over.wait()
        if scope.cancelled_caught and not started:
            raise ServerFault(
                "start",
                f"The MCP server did not answer within {self._limit_s:g} seconds of its start.",
                hint="See whether its command starts a server on standard input and output.",
            )

    async def _look(self, client: Client) -> None:
        if client.server_info is not None:
            self.name, self.version = client.server_info.name, client.server_info.version
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                self.tools[tool.name] = _described(tool)
            cursor = page.next_cursor
            if cursor is None:
                return
        raise ServerFault(
            "start", f"The MCP server lists more than {_PAGES} pages of tools.", hint="See why."
        )

    async def _call(self, tool: str, arguments: dict[str, Any], limit_s: float) -> Answer:
        assert self._client is not None
        try:
            with anyio.fail_after(max(limit_s, 0.001)):
                result = await self._client.call_tool(tool, arguments)
        except TimeoutError as error:
            raise ServerFault(
                "timeout",
                f"The MCP server did not answer the tool {tool} within {limit_s:g} seconds.",
                hint="See what it waits for; time_limit_s in [server] gives it more time.",
            ) from error
        except MCPError as error:
            if self._pipes is None:
                lost = error.code == mcp_types.CONNECTION_CLOSED
            else:
                lost = self._pipes.ended or self._pipes.nonsense is not None
            if lost:
                raise await self._lost(f"while it was asked for {tool}") from error
            return Answer(message=error.message)
        except (ValidationError, RuntimeError, ValueError, KeyError) as error:
            # The package holds structured content against the schema that the tool declares.
            raise ServerFault(
                "bad-answer",
                f"The answer of the tool {tool} breaks the rules of MCP: {_first_line(error)}.",
                hint="See what the server promises of its answers.",
            ) from error
        except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise await self._lost(f"while it was asked for {tool}") from error
        plain = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        return Answer(
            content=plain.get("content", []),
            structured=plain.get("structuredContent"),
            is_error=result.is_error,
        )

    async def _lost(self, when: str) -> ServerFault:
        if self._pipes is None:
            return ServerFault(
                "crash", f"The connection to the MCP server broke {when}.", hint="See its own log."
            )
        if self._pipes.nonsense is not None:
            told, shown = self._pipes.nonsense
            return ServerFault(
                "bad-message",
                f"The MCP server {told} {when}.",
                hint=_HINT_OUTPUT,
                evidence=shown,
            )
        how = await self._pipes.last_words()
        return ServerFault(
            "crash", f"The MCP server {how} {when}.", hint="Its standard error may say why."
        )

    def _not_started(self, error: BaseException) -> ServerFault:
        command = shlex.join(self._pipes._argv) if self._pipes else str(self._reached)
        if self._pipes is None or self._pipes._process is None:
            return ServerFault(
                "start",
                f"{command} could not be reached: {_first_line(error)}.",
                hint="See that it exists and may be run from here."
                if self._pipes
                else "Start the server first.",
            )
        if self._pipes.nonsense is None and not self._pipes.ended:
            return ServerFault(
                "start",
                f"{command} does not speak MCP: {_first_line(error)}.",
                hint="See whether this command starts an MCP server.",
            )
        lost = self._portal.call(self._lost, "before it had said what it is")
        detail: Any = lost.detail
        (told,) = detail.values()
        return ServerFault(
            "start", f"{command}: {told['cause']}", hint=told["hint"], evidence=told["evidence"]
        )


def _flattened(error: BaseException, told: Callable[[BaseException], ServerFault]) -> ServerFault:
    """The fault in a group of exceptions, or what is told of the first of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, ServerFault) else told(error)


def _described(tool: mcp_types.Tool) -> Tool:
    schema = tool.input_schema
    properties = schema.get("properties")
    closed = schema.get("additionalProperties") is False or isinstance(properties, dict)
    required = schema.get("required")
    return Tool(
        name=tool.name,
        known=tuple(map(str, properties or {})) if closed else None,
        required=tuple(map(str, required)) if isinstance(required, list) else (),
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    told = lines[0] if lines else type(error).__name__
    return str(messages.printable(told[:300])).rstrip(".")
