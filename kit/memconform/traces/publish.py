"""The published JSON Schemas of this room, generated from the types that it checks with.

``python -m memconform.traces.publish --write`` writes them into docs/schemas, ``--check`` says
whether the files there are current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memconform.model.trace_log import TRACE_LOG_SCHEMA, LoggedRetrieval
from memconform.traces.answers import IMPORT_SCHEMA, INFO_SCHEMA, Imported, Info
from memconform.wire import publishing

_TYPES = {
    "trace-log-1.json": (LoggedRetrieval, TRACE_LOG_SCHEMA, "One line of a trace log."),
    "traces-import-1.json": (
        Imported,
        IMPORT_SCHEMA,
        "What memconform traces import --json prints.",
    ),
    "traces-info-1.json": (Info, INFO_SCHEMA, "What memconform traces info --json prints."),
}


def files() -> dict[str, str]:
    """The files as they should be: name and text."""
    return {name: publishing.as_text(publishing.schema_of(*said)) for name, said in _TYPES.items()}


def stale(folder: Path) -> list[str]:
    """The names of the files that are missing from a folder or differ from what the types say."""
    return publishing.stale(folder, files())


def main(arguments: list[str]) -> int:
    """Write the files, or check them; 1 when some are not current, 2 for a wrong call."""
    return publishing.main(arguments, files(), "memconform.traces.publish")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
