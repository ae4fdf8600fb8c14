"""Published JSON Schemas: made from the types that the kit itself checks with, kept current.

A room that publishes some has a module with ``files()`` and, at its end, ``main``: ``python -m
MODULE --write`` writes them into docs/schemas, ``--check`` says whether those there are current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from memconform.resources import find

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF = "#/$defs/{name}"


def schema_of(kind: type[Any], title: str, description: str) -> dict[str, Any]:
    """The schema of a type, with everything that it is made of."""
    (top,), parts = msgspec.json.schema_components([kind], ref_template=REF)
    return {
        "$schema": DIALECT,
        "$id": "urn:memconform:" + title.removeprefix("memconform").strip("-/").replace("/", ":"),
        "title": title,
        "description": description,
        **top,
        "$defs": dict(parts),
    }


def as_text(schema: Mapping[str, Any]) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=2) + "\n"


def stale(folder: Path, files: Mapping[str, str]) -> list[str]:
    """The names of the files that are missing from a folder or differ from what they should be."""
    return [
        name
        for name, text in files.items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str], files: Mapping[str, str], module: str) -> int:
    """Write the files, or check them; 1 when some are not current, 2 for a wrong call."""
    if arguments not in (["--write"], ["--check"]):
        sys.stderr.write(f"usage: python -m {module} --write | --check\n")
        return 2
    folder = find("schemas")
    if arguments == ["--write"]:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return 0
    old = stale(folder, files)
    for name in old:
        sys.stderr.write(f"{folder / name} is not current; run this with --write\n")
    return 1 if old else 0
