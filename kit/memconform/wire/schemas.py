"""The published JSON Schemas, generated from the types that the kit itself checks with.

``python -m memconform.wire.schemas --write`` writes them into docs/schemas, ``--check`` says
whether the files there are current.

The protocol's schema holds, under ``$defs``, for each operation NAME a whole request
(``NAME.request``), its params (``NAME.params``), a whole answer (``NAME.response``) and its result
(``NAME.result``), beside the types that these are made of.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from memconform.model.report import REPORT_SCHEMA, Report
from memconform.protocol import OPERATIONS, PROTOCOL_VERSION, Operation
from memconform.wire import publishing
from memconform.wire.mcp.mapping import SCHEMA as MAPPING_SCHEMA
from memconform.wire.mcp.mapping import Mapping
from memconform.wire.messages import RpcError
from memconform.wire.publishing import DIALECT, REF

PROTOCOL_FILE = f"protocol-{PROTOCOL_VERSION}.json"
REPORT_FILE = f"{REPORT_SCHEMA.removeprefix('memconform-')}.json"
MAPPING_FILE = f"{MAPPING_SCHEMA.removeprefix('memconform-').replace('/', '-')}.json"


def protocol_schema() -> dict[str, Any]:
    """The schema of every message of the protocol; a message is any of its requests and answers."""
    kinds = [kind for row in OPERATIONS.values() for kind in (row.request, row.response)]
    _, components = msgspec.json.schema_components([*kinds, RpcError], ref_template=REF)
    # A store's request type alone is no message: its params also hold the handle.
    alone = {row.request.__name__ for row in OPERATIONS.values() if row.on == "store"}
    definitions = {name: schema for name, schema in components.items() if name not in alone}
    for row in OPERATIONS.values():
        definitions[f"{row.name}.params"] = _params(row, components[row.request.__name__])
        definitions[f"{row.name}.result"] = _ref(row.response.__name__)
        definitions[f"{row.name}.request"] = _request(row)
        definitions[f"{row.name}.response"] = _response(row)
    return {
        "$schema": DIALECT,
        "$id": f"urn:memconform:protocol:{PROTOCOL_VERSION}",
        "title": f"memconform store protocol {PROTOCOL_VERSION}",
        "description": "JSON-RPC 2.0, one message a line, UTF-8.",
        "anyOf": [_ref(f"{n}.{side}") for n in OPERATIONS for side in ("request", "response")],
        "$defs": definitions,
    }


def report_schema() -> dict[str, Any]:
    """The schema of report.json."""
    (top,), components = msgspec.json.schema_components([Report], ref_template=REF)
    return {
        "$schema": DIALECT,
        "$id": f"urn:memconform:{REPORT_FILE.removesuffix('.json').replace('-', ':')}",
        "title": "memconform report",
        **top,
        "$defs": dict(components),
    }


def mapping_schema() -> dict[str, Any]:
    """The schema of a mapping of an MCP server, for editors that complete TOML by one."""
    told = "Which tool of an MCP server is which operation; see docs/mcp.md."
    return publishing.schema_of(Mapping, MAPPING_SCHEMA, told)


def files() -> dict[str, str]:
    """The files as they should be: name and text."""
    schemas = {
        PROTOCOL_FILE: protocol_schema(),
        REPORT_FILE: report_schema(),
        MAPPING_FILE: mapping_schema(),
    }
    return {name: publishing.as_text(schema) for name, schema in schemas.items()}


def stale(folder: Path) -> list[str]:
    """The names of the files that are missing from a folder or differ from what the types say."""
    return publishing.stale(folder, files())


def _ref(name: str) -> dict[str, str]:
    return {"$ref": REF.format(name=name)}


def _params(row: Operation, fields: dict[str, Any]) -> dict[str, Any]:
    if row.on == "system":
        return _ref(row.request.__name__)
    store = {"type": "string", "description": "The handle that open gave."}
    return {
        **fields,
        "title": f"params of {row.name}",
        "properties": {"store": store, **fields["properties"]},
        "required": ["store", *fields["required"]],
    }


def _request(row: Operation) -> dict[str, Any]:
    needs = f"Needs the capability {row.capability}." if row.capability else "Required."
    return {
        "title": f"request {row.name}",
        "description": needs,
        "type": "object",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["integer", "string"]},
            "method": {"const": row.name},
            "params": _ref(f"{row.name}.params"),
        },
        "required": ["jsonrpc", "id", "method", "params"],
        "additionalProperties": False,
    }


def _response(row: Operation) -> dict[str, Any]:
    envelope = {"jsonrpc": {"const": "2.0"}, "id": {"type": ["integer", "string", "null"]}}
    result = {**envelope, "result": _ref(f"{row.name}.result")}
    error = {**envelope, "error": _ref(RpcError.__name__)}
    return {
        "title": f"answer to {row.name}",
        "oneOf": [
            {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            }
            for properties in (result, error)
        ],
    }


def main(arguments: list[str]) -> int:
    """Write the files, or check them; 1 when some are not current, 2 for a wrong call."""
    return publishing.main(arguments, files(), "memconform.wire.schemas")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
