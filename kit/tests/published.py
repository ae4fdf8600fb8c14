"""The published JSON Schemas, held against what the commands really print."""

from __future__ import annotations

import json

import jsonschema

from memconform.resources import find


def keeps_to(document: object, name: str) -> None:
    """Fail unless a document keeps to the schema in docs/schemas/NAME.json."""
    schema = json.loads((find("schemas") / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
