"""The process in which ``smoke`` tries a target that shares the kit's own Python.

``python -m memconform.cli.smoke_child TARGET`` writes one JSON object a line: ``trying`` before
each operation, ``check`` after it, ``done`` at the end, or ``refused`` where there is nothing to
try. A store that exits or hangs takes this process with it, and whoever reads it can say where it
stood.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import msgspec

from memconform.targets import UsageError, resolve
from memconform.verdict.smoke import smoke


def main(target: str) -> None:
    """Try the target; standard output is for the lines alone, whatever the store prints."""
    lines = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)

    def tell(kind: str, value: Any) -> None:
        lines.write(msgspec.json.encode({kind: value}) + b"\n")

    try:
        (found,) = resolve(target)
        connection = found.connect()
    except UsageError as error:
        tell("refused", str(error))
        return
    for check in smoke(connection, trying=lambda operation: tell("trying", operation)):
        tell("check", check)
    connection.close()
    tell("done", True)


if __name__ == "__main__":
    main(sys.argv[1])
