"""What was said between kit and store, as the messages of the protocol, one a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memconform.fuzz.trial import Exchange
from memconform.model import from_plain
from memconform.protocol import ErrorData
from memconform.wire import messages


def transcript(exchanges: Sequence[Exchange]) -> str:
    """Requests and answers in turn; a request that had no answer stands alone."""
    return "".join(f"{line}\n" for line in _lines(exchanges))


def _lines(exchanges: Sequence[Exchange]) -> Iterator[str]:
    for id, call in enumerate(exchanges, 1):
        request = {"jsonrpc": messages.VERSION, "id": id, "method": call.operation}
        yield messages.encode({**request, "params": call.params}).decode()
        if call.error is not None:
            yield messages.error_message(id, from_plain(call.error, ErrorData)).decode()
        elif call.fault is None:
            answer = {"jsonrpc": messages.VERSION, "id": id, "result": call.result}
            yield messages.encode(answer).decode()
