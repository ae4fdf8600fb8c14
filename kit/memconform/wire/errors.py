"""What can go wrong between the kit and an implementation, and at which step.

=====  ===================================  ========================================================
step   what happens                         what it can raise
=====  ===================================  ========================================================
1      the process is started               StartFailed: no such command, or not to be run
2      ``hello`` is asked and answered      StartFailed: it ended before its first answer;
                                            TimedOut; BadMessage
3      a request is made and checked        HarnessFault: the kit's own request breaks the protocol
4      the request is sent                  Crashed: it ended between two calls;
                                            BadMessage: a line that nobody asked for;
                                            TimedOut: it reads no more
5      the answer is read                   Crashed; TimedOut; BadMessage: half a line, too long
6      the answer is checked                BadMessage: no JSON, no UTF-8, another id, result and
                                            error at once, a schema that is broken
7      the connection is restarted          StartFailed: it needed too many restarts
8      it is closed                         nothing; what was still wrong is returned
=====  ===================================  ========================================================

Each says what it saw (``cause``), what to do (``hint``), what there is to look at (``evidence``),
who is to blame and what kind of fault it is. A structured refusal of a store is none of these: it
is a ``memconform.protocol.StoreError``.
"""

from __future__ import annotations

from typing import Literal

Blame = Literal["implementation", "harness"]
Kind = Literal["crash", "timeout", "bad-message", "exception"]


class WireError(Exception):
    """A call that came to no answer.

    Attributes:
        cause: what was seen, one sentence.
        hint: what to do about it, one sentence.
        evidence: the end of what the implementation wrote to standard error, or the message that
            is at fault, shortened; null when there is none.
        blame: who is at fault.
        kind: the kind of fault, as a report names it.
    """

    blame: Blame = "implementation"
    kind: Kind = "exception"

    def __init__(self, cause: str, *, hint: str, evidence: str | None = None) -> None:
        super().__init__(f"{cause} {hint}")
        self.cause = cause
        self.hint = hint
        self.evidence = evidence or None


class StartFailed(WireError):
    """The implementation's process could not be started, or ended before its first answer."""

    kind = "crash"


class Crashed(WireError):
    """The implementation's process ended in a call or between two."""

    kind = "crash"


class TimedOut(WireError):
    """No answer came within the time limit of a call."""

    kind = "timeout"


class BadMessage(WireError):
    """The implementation sent something that the protocol doesn't allow."""

    kind = "bad-message"


class BadAnswer(BadMessage):
    """An answer to the right request that can't be understood; the conversation goes on after it.

    A transport raises it that makes answers of the protocol out of something else.
    """


class HarnessFault(WireError):
    """The kit itself, or a step of the suite, asked for something that the protocol doesn't allow.

    Nothing was sent; the implementation can't help it.
    """

    blame = "harness"
