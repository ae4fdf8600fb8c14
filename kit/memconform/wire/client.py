"""The kit's side of the protocol: a connection to an implementation, and the stores it opens.

Both directions are checked at every call. A request of the kit's own that breaks the protocol is
never sent (HarnessFault), except by ``raw``, which is there to send what an implementation must
refuse. An answer that breaks it is the implementation's fault (BadMessage).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec

from memconform import __version__
from memconform.model import (
    Access,
    Done,
    GetResult,
    RecallResult,
    RecordDraft,
    Settings,
    WriteResult,
    from_plain,
    has_lone_surrogate,
)
from memconform.model.report import CallRecord
from memconform.protocol import (
    OPERATIONS,
    PROTOCOL_VERSIONS,
    Hello,
    Opened,
    StoreError,
    error_from,
)
from memconform.protocol.capabilities import misnamed
from memconform.wire import messages
from memconform.wire.errors import BadAnswer, BadMessage, HarnessFault, StartFailed, WireError
from memconform.wire.transport import Transport
from memconform.wire.watch import CallWatch

RESTARTS = 10


class Connection:
    """A conversation with one implementation, over whatever carries lines to and fro.

    After a fault that leaves it unclear which answer belongs to which request, the connection is
    dead: every call raises the same fault again until ``restart``. An answer with the right id and
    a wrong shape leaves it alive.

    Attributes:
        transcript: the calls made to stores since it was last cleared, in order; ``hello`` is left
            out. Arguments stand as they were sent, without the handle.
    """

    def __init__(self, transport: Transport, *, restarts: int = RESTARTS) -> None:
        """Take a transport that is started by its first message.

        Args:
            transport: carries the lines.
            restarts: how often ``restart`` may be called.
        """
        self.transcript: list[CallRecord] = []
        self._transport = transport
        self._restarts_left = restarts
        self._restarts = restarts
        self._sent = 0
        self._fault: WireError | None = None
        self._hello: Hello | None = None
        self._greeted = False
        self._open: set[str] = set()
        self._life = 0  # of the transport; a store belongs to the life it was opened in

    @property
    def way(self) -> str:
        """How the implementation is reached: ``in-process`` or ``wire``."""
        return self._transport.way

    @property
    def alive(self) -> bool:
        """Whether calls can be made without a restart."""
        return self._fault is None

    @property
    def fault(self) -> WireError | None:
        """What the connection died of; null while it is alive."""
        return self._fault

    def watch(self, watch: CallWatch) -> None:
        """Have the calls watched, where nothing else ends one that hangs."""
        self._transport.watch(watch)

    def evidence(self) -> str:
        """The end of what the implementation wrote to standard error, so far."""
        return self._transport.evidence()

    def hello(self) -> Hello:
        """Ask who is there. The answer is the same at any time, or a BadMessage."""
        params = {"kit": __version__, "protocols": list(PROTOCOL_VERSIONS)}
        try:
            hello: Hello = self._ask("hello", params)
        except StoreError as error:
            raise BadMessage(
                f"hello was refused as {error.code}: {error.message}.",
                hint="An implementation says its name, what it declares, and one of the protocols "
                f"{', '.join(PROTOCOL_VERSIONS)}.",
                evidence=self.evidence(),
            ) from error
        if hello.protocol not in PROTOCOL_VERSIONS or not hello.name.strip():
            raise BadMessage(
                f"hello names the implementation {hello.name!r} and the protocol"
                f" {hello.protocol!r}.",
                hint=f"A name and one of the protocols {', '.join(PROTOCOL_VERSIONS)} are wanted.",
            )
        if self._hello is not None and hello != self._hello:
            raise BadMessage(
                f"hello was answered differently before: {_differences(self._hello, hello)}.",
                hint="What an implementation declares must not change during a run.",
            )
        self._hello, self._greeted = hello, True
        return hello

    def about(self) -> messages.About | None:
        """What the kit's own server says of what it serves; null where it is another's server."""
        try:
            return from_plain(self._ask(messages.ABOUT, {}), messages.About)
        except (StoreError, msgspec.ValidationError):
            return None

    def open(self, settings: Settings | None = None) -> RemoteStore:
        """An empty store of its own; says hello first where that hasn't been done yet."""
        if not self._greeted and self.alive:
            self.hello()
        params = {} if settings is None else {"settings": settings}
        return self._opened(self._recorded("open", self._checked("open", params)))

    def restart(self) -> None:
        """Begin anew with a fresh process. Stores that were open are gone.

        Raises:
            StartFailed: the implementation needed more restarts than it is given, or can't start.
        """
        if self._restarts_left == 0:
            raise StartFailed(
                f"The implementation had to be restarted more than {self._restarts} times.",
                hint="See the faults before this one; the rest of the run says nothing new.",
                evidence=self.evidence(),
            )
        self._restarts_left -= 1
        self._transport.restart()
        self._fault, self._greeted = None, False
        self._open.clear()
        self._life += 1
        self.hello()

    def close(self) -> WireError | None:
        """End the conversation and every process that belongs to it.

        Closing always succeeds. What was still found to be wrong, such as a second answer to the
        last request, is returned, unless the connection was dead already.
        """
        found = self._transport.close()
        if self._fault is not None:
            return None
        self._fault = found or HarnessFault(
            "The connection has been closed.", hint="Connect to the target again."
        )
        return found

    # --- one call ----------------------------------------------------------------------------

    def _opened(self, opened: Opened) -> RemoteStore:
        if not opened.store or opened.store in self._open:
            raise BadMessage(
                f"A new store was given the handle {opened.store!r}, which is in use or empty.",
                hint="Give every store that is open a handle of its own.",
            )
        self._open.add(opened.store)
        return RemoteStore(self, opened, self._life)

    def _checked(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The params as they are sent: checked, and without what has its default value."""
        row = OPERATIONS.get(operation)
        if row is None:
            raise HarnessFault(
                f"There is no operation {operation!r}.",
                hint=f"There are {', '.join(OPERATIONS)}.",
            )
        try:
            plain = {_wire_name(name): msgspec.to_builtins(v) for name, v in params.items()}
            stated: dict[str, Any] = _stated(from_plain(plain, row.request))
            messages.require_finite(stated)
        except (msgspec.ValidationError, TypeError, ValueError, OverflowError) as error:
            raise HarnessFault(
                f"The request {operation} breaks the protocol: {error}.",
                hint="Mend the step that makes it, or send it with raw if that is what is meant.",
            ) from error
        return stated

    def _recorded(self, operation: str, params: dict[str, Any], handle: str | None = None) -> Any:
        """Ask, and keep the call in the transcript however it ends."""
        answer: dict[str, Any] | None = None
        error: dict[str, Any] | None = None
        fault: str | None = None
        sent = params if handle is None else {"store": handle, **params}
        try:
            response = self._ask(operation, sent)
            answer = msgspec.to_builtins(response)
        except StoreError as refusal:
            error = msgspec.to_builtins(refusal.data())
            raise
        except WireError as broken:
            fault = str(broken)
            raise
        finally:
            shown = messages.printable(msgspec.to_builtins(params))
            record = CallRecord(
                operation=operation, arguments=shown, answer=answer, error=error, fault=fault
            )
            self.transcript.append(record)
        return response

    def _ask(self, operation: str, params: dict[str, Any]) -> Any:
        if self._fault is not None:
            raise self._fault
        self._sent += 1
        id = self._sent
        request = {"jsonrpc": messages.VERSION, "id": id, "method": operation, "params": params}
        try:
            line = messages.encode(request)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise HarnessFault(
                f"The request {operation} is no JSON: {error}.", hint="Mend the step that makes it."
            ) from error
        try:
            answer = self._transport.exchange(line)
        except BadAnswer:
            raise
        except WireError as fault:
            self._fault = fault
            raise
        return self._read(operation, id, answer)

    def _read(self, operation: str, id: int, line: bytes) -> Any:
        try:
            plain = messages.decode(line)
        except ValueError as error:
            self._lost(f"The answer to {operation} can't be read: {error}.", _HINT_LINES, line)
        got = plain.get("id") if isinstance(plain, dict) else None
        if got != id or isinstance(got, bool):
            cause = f"The answer to {operation} has the id {got!r} instead of {id}."
            self._lost(cause, "Answer each request once, with the id that it has.", line)
        if has_lone_surrogate(plain):
            self._broken(operation, "it holds half of a surrogate pair", line)
        try:
            answer = from_plain(plain, messages.RpcAnswer)
        except msgspec.ValidationError as error:
            self._broken(operation, str(error), line)
        if (answer.result is msgspec.UNSET) == (answer.error is msgspec.UNSET):
            self._broken(operation, "it needs a result or an error, and not both", line)
        if answer.error is not msgspec.UNSET:
            raise error_from(answer.error.data)
        row = OPERATIONS.get(operation)
        if row is None:
            return answer.result
        try:
            return from_plain(answer.result, row.response)
        except msgspec.ValidationError as error:
            reason = (misnamed(answer.result) if operation == "hello" else None) or error
            self._broken(operation, f"in the result, {reason}", line)

    def _lost(self, cause: str, hint: str, line: bytes) -> NoReturn:
        """The answers can't be told apart any more: the conversation is over."""
        self._transport.abandon()
        self._fault = BadMessage(cause, hint=hint, evidence=messages.shortened(line))
        raise self._fault

    def _broken(self, operation: str, what: str, line: bytes) -> NoReturn:
        raise BadMessage(
            f"The answer to {operation} breaks its schema: {what}.",
            hint="Compare it with the published JSON Schema of the protocol.",
            evidence=messages.shortened(line),
        )


class RemoteStore:
    """An open store behind a connection. It has the methods that every store must have.

    Attributes:
        handle: the name that the implementation gave it.
        namespace: the namespace in effect, as it said.
    """

    def __init__(self, connection: Connection, opened: Opened, life: int) -> None:
        self.handle = opened.store
        self.namespace = opened.namespace
        self._connection = connection
        self._life = life
        self._ended = False

    @property
    def transcript(self) -> list[CallRecord]:
        """The calls made through this store's connection."""
        return self._connection.transcript

    def call(self, operation: str, params: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
        """Call an operation of the protocol on this store.

        Args:
            operation: a name of OPERATIONS that is asked of a store.
            params: the request's fields, typed or as JSON-like values.
            more: the same as keyword arguments.

        Returns:
            The operation's response type. ``reopen`` and ``second`` answer Opened; the methods of
            these names give the store itself.

        Raises:
            StoreError: the store refused; a subclass for each code.
            BadMessage, Crashed, TimedOut: it came to no answer; see memconform.wire.errors.
            HarnessFault: the request breaks the protocol and was not sent.
        """
        stated = self._connection._checked(operation, {**(params or {}), **more})
        return self._sent(operation, stated)

    def raw(self, operation: str, params: Mapping[str, Any] | None = None) -> Any:
        """Send params as they stand, however wrong, to see them refused.

        The store's handle is added. The answer is checked as always; that of an operation which
        the protocol doesn't know stays a dict.
        """
        return self._sent(operation, dict(params or {}))

    def write(self, record: RecordDraft) -> WriteResult:
        """Store one memory."""
        result: WriteResult = self.call("write", record=record)
        return result

    def recall(
        self, query: str, access: Access | None = None, limit: int | None = None, **options: Any
    ) -> RecallResult:
        """Ask for the memories that answer a query; options as in RecallRequest."""
        access = access or Access()
        result: RecallResult = self.call(
            "recall", query=query, access=access, limit=limit, **options
        )
        return result

    def forget(self, id: str, access: Access | None = None) -> Done:
        """Make a memory unfindable."""
        result: Done = self.call("forget", id=id, access=access or Access())
        return result

    def get(self, id: str, access: Access | None = None) -> GetResult:
        """One memory by its id."""
        result: GetResult = self.call("get", id=id, access=access or Access())
        return result

    def second(self) -> RemoteStore:
        """Another connection to the same data."""
        return self._connection._opened(self.call("second"))

    def reopen(self, settings: Settings | None = None) -> RemoteStore:
        """The same data after a restart, with other settings where given; this store is over."""
        opened = self.call("reopen", settings=settings)
        self._end()
        return self._connection._opened(opened)

    def close(self) -> None:
        """Close the store, once; one that is gone already (with its process, too) stays gone."""
        if self._ended or self._life != self._connection._life or not self._connection.alive:
            return
        self._end()
        self._connection._recorded("close", {}, self.handle)

    def _sent(self, operation: str, params: dict[str, Any]) -> Any:
        if self._ended or self._life != self._connection._life:
            raise HarnessFault(
                f"The store {self.handle!r} is no longer open.",
                hint="Use the one that reopen gave, or open another.",
            )
        answer = self._connection._recorded(operation, params, self.handle)
        if operation == "close":
            self._end()
        return answer

    def _end(self) -> None:
        self._ended = True
        self._connection._open.discard(self.handle)


_HINT_LINES = (
    "Write one JSON message a line to standard output and nothing else; notes go to standard error."
)


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _stated(value: Any) -> Any:
    """A request's plain form without the fields that have their default value."""
    if isinstance(value, msgspec.Struct):
        return {
            field.encode_name: _stated(getattr(value, field.name))
            for field in _fields(type(value))
            if getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple):
        return [_stated(item) for item in value]
    return value


def _wire_name(name: str) -> str:
    """Keyword arguments are snake_case, messages camelCase."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _differences(before: Hello, after: Hello) -> str:
    names = [n for n in before.__struct_fields__ if getattr(before, n) != getattr(after, n)]
    return f"it differs in {', '.join(names)}"
