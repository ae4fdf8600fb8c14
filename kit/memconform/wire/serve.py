"""Serves a System over standard input and output: the whole of what an adapter in Python needs.

``memconform.serve(system)`` at the end of an adapter, or ``python -m memconform.wire.serve TARGET``
for what can be imported anyway.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from memconform.protocol import System
from memconform.wire.dispatcher import Dispatcher
from memconform.wire.loading import LoadFailed, load, wrapped


def serve(system: System | Callable[[], System]) -> None:
    """Answer requests until standard input ends, then close what is still open.

    Standard output is for messages alone: whatever else writes to it from here on, Python or not,
    writes to standard error; and whoever reads standard input finds it empty.

    Args:
        system: the System, or a function that makes it; what that prints can do no harm either.
    """
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    sys.stdout.flush()
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    made = system if isinstance(system, System) and not isinstance(system, type) else system()
    dispatcher = Dispatcher(wrapped(made))
    try:
        with requests, answers:
            for line in iter(requests.readline, b""):
                answers.write(dispatcher.handle(line.rstrip(b"\r\n")) + b"\n")
                answers.flush()
    except BrokenPipeError:
        pass  # nobody listens any more
    finally:
        dispatcher.close()


def main(arguments: list[str]) -> int:
    """Serve the target named on the command line; 2 when there is none."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m memconform.wire.serve TARGET\n")
        return 2

    def system() -> System:
        return load(arguments[0])

    try:
        serve(system)
    except LoadFailed as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
