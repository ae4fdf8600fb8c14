"""The published JSON Schemas of this room, generated from the types that it checks with.

``python -m memconform.traces.publish --write`` writes them into docs/schemas, ``--check`` says
whether the files there are current.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from memconform.model.trace_log import TRACE_LOG_SCHEMA, LoggedRetrieval
from memconform.resources import find
from memconform.traces.answers import IMPORT_SCHEMA, INFO_SCHEMA, Imported, Info
from memconform.wire.schemas import DIALECT

_TYPES = {
    "trace-log-1.json": (LoggedRetrieval, TRACE_LOG_SCHEMA, "One line of a trace log."),
    "traces-import-1.json": (
        Imported,
        IMPORT_SCHEMA,
        "What memconform traces import --json prints.",
    ),
    "traces-info-1.json": (Info, INFO_SCHEMA, "What memconform traces info --json prints."),
}


def schema_of(kind: type[Any], title: str, description: str) -> dict[str, Any]:
    """The schema of a type, with everything that it is made of."""
    (top,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    return {
        "$schema": DIALECT,
        "$id": "urn:memconform:" + title.removeprefix("memconform").strip("-/").replace("/", ":"),
        "title": title,
        "description": description,
        **top,
        "$defs": dict(parts),
    }


def files() -> dict[str, str]:
    """The files as they should be: name and text."""
    return {name: json.dumps(schema_of(*said), indent=2) + "\n" for name, said in _TYPES.items()}


def stale(folder: Path) -> list[str]:
    """The names of the files that are missing from a folder or differ from what the types say."""
    return [
        name
        for name, text in files().items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    """Write the files, or check them; 1 when some are not current, 2 for a wrong call."""
    if arguments not in (["--write"], ["--check"]):
        sys.stderr.write("usage: python -m memconform.traces.publish --write | --check\n")
        return 2
    folder = find("schemas")
    if arguments == ["--write"]:
        for name, text in files().items():
            (folder / name).write_text(text, encoding="utf-8")
        return 0
    old = stale(folder)
    for name in old:
        sys.stderr.write(f"{folder / name} is not current; run this with --write\n")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
