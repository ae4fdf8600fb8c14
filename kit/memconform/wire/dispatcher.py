"""The server's side of the protocol: one request in, one answer out, whatever the store does."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import msgspec

from memconform.model import Response, Settings, checked, done, from_plain, has_lone_surrogate
from memconform.model.base import Request
from memconform.model.results import Done
from memconform.protocol import (
    OPERATIONS,
    PROTOCOL_VERSIONS,
    RECALL_OPTIONS,
    ErrorData,
    Hello,
    HelloRequest,
    Internal,
    Invalid,
    MemoryStore,
    NotFound,
    Opened,
    Operation,
    StoreError,
    System,
    Unsupported,
)
from memconform.protocol.capabilities import misnamed
from memconform.protocol.operations import OpenRequest
from memconform.wire import messages

_STORE_OPERATIONS_REQUIRED = ("close", "write", "recall", "forget", "get")


class Dispatcher:
    """Answers requests out of a System and keeps the stores that it has opened.

    Several stores may be open at once; each has a handle. ``second`` gives a further one over the
    same data. ``reopen`` gives the restarted store and ends the old handle; the store itself sees
    to closing what it held. Whatever a store raises becomes a structured error, so that one bad
    call doesn't take the others with it; only exits and interrupts pass through.

    The namespace in effect is what the store's attribute ``namespace`` says, where it has one; else
    it is the one asked for, at a System that declares namespaces.

    Args:
        system: what is served.
        log: gets the traceback of every exception that isn't a StoreError; null is standard error.
    """

    def __init__(self, system: System, *, log: Callable[[str], None] | None = None) -> None:
        self._system = system
        self._log = log or _to_standard_error
        self._stores: dict[str, MemoryStore] = {}
        self._namespaces: dict[str, str | None] = {}
        self._opened = 0
        self._hello: Hello | None = None
        self._last: MemoryStore | None = None

    def handle(self, line: bytes) -> bytes:
        """The answer to one request; both are one line without its end."""
        try:
            message = messages.decode(line)
        except ValueError as error:
            data = Invalid(f"the message can't be read: {error}").data()
            return messages.error_message(None, data, messages.PARSE_ERROR)
        broken_text = has_lone_surrogate(message)
        if broken_text:
            message = messages.printable(message)
        id = _id_of(message)
        try:
            request = from_plain(message, messages.RpcRequest)
        except msgspec.ValidationError as error:
            data = Invalid(f"the message is no JSON-RPC 2.0 request: {error}").data()
            return messages.error_message(id, data, messages.INVALID_REQUEST)
        if broken_text:
            refusal = Invalid("a text holds half of a surrogate pair, which is no Unicode text")
            return self._refusal(id, refusal)
        try:
            return messages.result_message(id, self._answer(request.method, request.params))
        except StoreError as error:
            return self._refusal(id, error)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # also what a test runner takes for its own, such as a skip
            return self._refusal(id, self._foreseen_by_nobody(error))

    def close(self) -> None:
        """Close the stores that are still open."""
        for handle in list(self._stores):
            try:
                self._stores.pop(handle).close()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._foreseen_by_nobody(error)

    # --- one request -------------------------------------------------------------------------

    def _answer(self, method: str, params: dict[str, Any]) -> Response:
        if method == messages.ABOUT:
            return self._about()
        operation = OPERATIONS.get(method)
        if operation is None:
            raise Unsupported(f"there is no operation {method!r}")
        if operation.on == "system":
            request = _request(operation, params)
            return self._say_hello(request) if method == "hello" else self._open(request)
        handle = self._handle(params)
        store = self._stores[handle]
        self._require(operation, store)
        rest = {name: value for name, value in params.items() if name != "store"}
        return self._call(operation, handle, store, _request(operation, rest))

    def _handle(self, params: dict[str, Any]) -> str:
        handle = params.get("store")
        if not isinstance(handle, str):
            raise Invalid('params name no store; send the handle that open gave as "store"')
        if handle not in self._stores:
            raise NotFound(f"no open store has the handle {handle!r}")
        return handle

    def _say_hello(self, request: Request) -> Hello:
        assert isinstance(request, HelloRequest)
        hello: Hello = _response(OPERATIONS["hello"], self._system.hello())
        # A System speaks one version; where the kit will know several, it offers all of them.
        if hello.protocol not in PROTOCOL_VERSIONS or hello.protocol not in request.protocols:
            here, offered = hello.protocol, ", ".join(request.protocols) or "none"
            raise Invalid(f"no common protocol version: {here} is spoken here, offered: {offered}")
        self._hello = hello
        return hello

    def _about(self) -> messages.About:
        more = [row.name for row in OPERATIONS.values() if row.capability is not None]
        return messages.About(
            reference="memconform.reference" in sys.modules,
            methods=[name for name in more if self._last and _method(self._last, name)],
        )

    def _declared(self) -> Hello:
        if self._hello is None:
            self._hello = _response(OPERATIONS["hello"], self._system.hello())
        return self._hello

    def _open(self, request: Request) -> Opened:
        assert isinstance(request, OpenRequest)
        settings = request.settings
        return self._keep(self._system.open(settings), settings.namespace)

    def _keep(self, store: MemoryStore, namespace: str | None) -> Opened:
        missing = [name for name in _STORE_OPERATIONS_REQUIRED if not _method(store, name)]
        if missing:
            raise Internal(
                f"{type(store).__name__} is no store: it has no method {', '.join(missing)}"
            )
        own = getattr(store, "namespace", None)
        if isinstance(own, str):
            namespace = own
        elif "namespaces" not in self._declared().capabilities:
            namespace = None
        self._opened += 1
        handle = f"store-{self._opened}"
        self._stores[handle] = self._last = store
        self._namespaces[handle] = namespace
        return Opened(store=handle, namespace=namespace)

    def _require(self, operation: Operation, store: MemoryStore) -> None:
        needed = operation.capability
        if needed is not None and needed not in self._declared().capabilities:
            raise Unsupported(f"{operation.name} needs the capability {needed}, not declared here")
        if not _method(store, operation.name):
            raise Unsupported(f"{type(store).__name__} has no method {operation.name}")

    def _call(
        self, operation: Operation, handle: str, store: MemoryStore, request: Request
    ) -> Response:
        name = operation.name
        arguments = {field: getattr(request, field) for field in request.__struct_fields__}
        if name == "recall":
            self._drop_undeclared(arguments)
        if name == "close":
            del self._stores[handle]  # also when closing fails: it is called once
        answer = getattr(store, name)(**arguments)
        if operation.response is not Opened:
            response: Response = _response(operation, answer)
            return response
        namespace = self._namespaces[handle]
        if name == "reopen":
            settings: Settings | None = arguments["settings"]
            namespace = namespace if settings is None else settings.namespace
        opened = self._keep(answer, namespace)
        if name == "reopen":
            self._stores.pop(handle, None)
        return opened

    def _drop_undeclared(self, arguments: dict[str, Any]) -> None:
        """Pass on the options of recall whose capability is declared; refuse the use of others."""
        declared = self._declared().capabilities
        for option, capability in RECALL_OPTIONS.items():
            if capability not in declared and arguments.pop(option) not in (None, False):
                raise Unsupported(
                    f"recall with {option} needs the capability {capability}, not declared here"
                )

    # --- errors ------------------------------------------------------------------------------

    def _refusal(self, id: messages.MessageId, error: StoreError) -> bytes:
        try:
            data = ErrorData(
                code=error.code,
                message=messages.printable(error.message),
                detail=messages.printable(error.detail),
            )
            return messages.error_message(id, checked(data))
        except Exception as broken:
            text = f"an error that breaks the protocol: {_in_words(broken)}"
            return messages.error_message(id, Internal(messages.printable(text)).data())

    def _foreseen_by_nobody(self, error: BaseException) -> Internal:
        self._log(messages.printable("".join(traceback.format_exception(error))))
        return Internal(_in_words(error))


def _in_words(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # a store's own, whose text can't be made
        return f"{name}, which can't say what it is about"


def _to_standard_error(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _id_of(message: Any) -> messages.MessageId:
    id = message.get("id") if isinstance(message, dict) else None
    return id if isinstance(id, (int, str)) and not isinstance(id, bool) else None


def _method(store: object, name: str) -> bool:
    return callable(getattr(store, name, None))


def _request(operation: Operation, params: dict[str, Any]) -> Request:
    try:
        return from_plain(params, operation.request)
    except msgspec.ValidationError as error:
        raise Invalid(f"{operation.name}: {error}") from error


def _response(operation: Operation, answer: Any) -> Any:
    """The answer, checked: constructors don't, and an adapter may also answer plain values."""
    if answer is None and operation.response is Done:
        return done()
    plain: Any = None
    try:
        plain = msgspec.to_builtins(answer)
        broken_text = has_lone_surrogate(plain)
        messages.require_finite(plain)
        response = from_plain(plain, operation.response)
    except (msgspec.ValidationError, TypeError, ValueError, RecursionError) as error:
        wanted = operation.response.__name__
        reason = (misnamed(plain) if operation.name == "hello" else None) or error
        raise Internal(f"the answer of {operation.name} is no {wanted}: {reason}") from error
    if broken_text:
        raise Internal(f"the answer of {operation.name} holds half of a surrogate pair")
    return response
