"""docs/protocol.md says what the code says, and its conversation is one that takes place.

Every table that could be generated is generated here and compared; what differs is shown as it
should stand in the page.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import jsonschema
import msgspec
import pytest
from readme import notes_source

import memconform.model
from memconform.model import (
    Access,
    BatchCounts,
    CatalogEntry,
    ChannelScore,
    Filters,
    GraphEdge,
    Hit,
    IndexDiagnostics,
    Ledger,
    Policy,
    RecordDraft,
    Settings,
    Source,
    SourceDraft,
    Target,
    Times,
    Trace,
    WriteResult,
)
from memconform.model.authority import (
    AuditedConsumption,
    AuditedDecision,
    AuditedEvidence,
    AuditedInjection,
    AuditedRun,
    Belief,
    Decision,
    DecisionPolicy,
    DecisionScores,
)
from memconform.model.feedback import EventResult, FeedbackEvent, ShownCount
from memconform.protocol import CAPABILITIES, OPERATIONS, RECALL_OPTIONS, Operation
from memconform.protocol.authority import DecideRequest, FeedbackRequest, ModeRequest
from memconform.protocol.capabilities import Capability
from memconform.protocol.errors import ErrorCode
from memconform.protocol.operations import RecallRequest
from memconform.protocol.policies import Policies
from memconform.resources import find
from memconform.wire.messages import NUMBERS, PARSE_ERROR
from memconform.wire.schemas import PROTOCOL_FILE
from memconform.wire.transport import LINE_LIMIT, START_LIMIT_S, TIME_LIMIT_S

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
TYPES = {
    "record": RecordDraft,
    "sources of a record": SourceDraft,
    "access": Access,
    "filters": Filters,
    "settings": Settings,
    "policy": Policy,
    "hit": Hit,
    "times": Times,
    "sources of a hit": Source,
    "channels": ChannelScore,
    "outcomes": WriteResult,
    "passedOn": BatchCounts,
    "ledger": Ledger,
    "candidates": Target,
    "entries": CatalogEntry,
    "edges, neighbours": GraphEdge,
    "scores": DecisionScores,
    "policy of decide": DecisionPolicy,
    "belief": Belief,
    "evidence of explain": AuditedEvidence,
    "consumption": AuditedConsumption,
    "decisions": AuditedDecision,
    "injections": AuditedInjection,
    "runs": AuditedRun,
    "events": FeedbackEvent,
    "results": EventResult,
    "counts": ShownCount,
    "index": IndexDiagnostics,
    "trace": Trace,
}
WORDS = {
    "outcome": (WriteResult, "outcome"),
    "state": (Hit, "state"),
    "form": (Hit, "form"),
    "purpose": (RecallRequest, "purpose"),
    "mode": (RecallRequest, "mode"),
    "scopes of a policy": (Policy, "scopes"),
    "kind of a claim": (DecideRequest, "kind"),
    "state of a claim": (DecideRequest, "state"),
    "action": (Decision, "action"),
    "reasons": (Decision, "reasons"),
    "outcome of feedback": (FeedbackRequest, "outcome"),
    "mode of injection": (ModeRequest, "mode"),
    "state of an index": (IndexDiagnostics, "state"),
}


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without its head."""
    _, found, after = PAGE.partition(f"\n## {heading}\n")
    assert found, f"no heading {heading!r}"
    section = after.partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def fields(kind: type[msgspec.Struct]) -> str:
    """The keys of a type; a question mark after what may be left out."""
    told = [
        f"`{field.encode_name}`" + ("" if field.required else "?")
        for field in msgspec.structs.fields(kind)
    ]
    return ", ".join(told)


def literals(hint: object) -> list[str]:
    """The words of a Literal, wherever in an annotation it stands; null where it may be that."""
    if isinstance(hint, str):
        return [hint]
    if hint is type(None):
        return ["null"]
    return [word for part in get_args(hint) for word in literals(part)]


def words(kind: type[msgspec.Struct], field: str) -> str:
    return ", ".join(f"`{word}`" for word in literals(get_type_hints(kind)[field]))


def shown(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def operation_row(row: Operation) -> list[str]:
    capability = f"`{row.capability}`" if row.capability else "required"
    return [f"`{row.name}`", fields(row.request), fields(row.response), capability]


def test_the_operations_are_those_of_the_code():
    expected = [operation_row(row) for row in OPERATIONS.values()]
    assert shown(table("Operations")) == shown(expected)


def test_what_a_store_in_python_returns_is_what_the_code_takes():
    expected: dict[type, list[str]] = {}
    for row in OPERATIONS.values():
        if row.on == "store" and row.name not in ("close", "reopen", "second"):
            expected.setdefault(row.response, []).append(f"`{row.name}`")
    written = []
    for kind, names in expected.items():
        module = kind.__module__.rpartition(".")[2]
        exported = hasattr(memconform.model, kind.__name__)
        told = f"`{kind.__name__}`" + ("" if exported else f" ({module})")
        written.append([told, ", ".join(names)])
    assert shown(table("In Python")) == shown(written)


def test_the_types_are_those_of_the_code():
    expected = [[name, fields(kind)] for name, kind in TYPES.items()]
    assert shown(table("What the fields hold")) == shown(expected)


def test_the_words_are_those_of_the_code():
    expected = [[name, words(*where)] for name, where in WORDS.items()]
    assert shown(table("Words")) == shown(expected)


def test_every_capability_is_explained():
    rows = {name.strip("`"): told for name, told in table("Capabilities")}
    assert list(rows) == list(get_args(Capability))
    assert rows.keys() == CAPABILITIES
    for row in OPERATIONS.values():
        if row.capability is not None:
            assert f"`{row.name}`" in rows[row.capability]
    for option, capability in RECALL_OPTIONS.items():
        assert f"`{option}`" in rows[capability]
    assert [name for name, told in rows.items() if len(told) < 20] == []


def test_every_policy_is_explained():
    rows = [[name, values] for name, values, _ in table("Policies")]
    hints = get_type_hints(Policies)
    expected = []
    for field in msgspec.structs.fields(Policies):
        known = words(Policies, field.name)
        if field.name == "consistency_bound_ms":
            known = f"a number, {known}"
        elif hints[field.name].__class__.__name__ == "GenericAlias":
            known = f"a list of {known}"
        expected.append([f"`{field.encode_name}`", known])
    assert shown(rows) == shown(expected)


def test_every_error_is_explained():
    rows = {code.strip("`"): number for code, number, _ in table("Errors")}
    assert rows == {code: str(NUMBERS[code]) for code in get_args(ErrorCode)}
    assert f"{PARSE_ERROR}" in PAGE


def test_the_limits_are_those_of_the_code():
    text = " ".join(PAGE.split())
    assert f"{START_LIMIT_S:g} seconds for the first answer" in text
    assert f"{TIME_LIMIT_S:g} seconds for every other" in text
    assert f"{LINE_LIMIT / 1024**2:g} MiB for a line" in text


# --- the conversation ------------------------------------------------------------------------


def conversation() -> list[tuple[str, str]]:
    """The requests and answers of the page, as they stand there."""
    (block,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for line in block.splitlines() if line]
    requests = [line.removeprefix("→ ") for line in lines[::2]]
    answers = [line.removeprefix("← ") for line in lines[1::2]]
    assert [line[0] for line in lines] == ["→", "←"] * len(answers)
    return list(zip(requests, answers, strict=True))


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """What the README's store answers to these requests, in a process of its own."""
    folder = tmp_path_factory.mktemp("notes")
    (folder / "notes.py").write_text(notes_source(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "memconform.wire.serve", "python:notes:factory"],
        input="".join(f"{request}\n" for request, _ in conversation()),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return done.stdout.splitlines()


def test_the_conversation_takes_place(answered):
    assert answered == [answer for _, answer in conversation()]


def test_the_conversation_shows_what_is_required_and_how_a_store_refuses():
    asked = [json.loads(request)["method"] for request, _ in conversation()]
    required = [row.name for row in OPERATIONS.values() if row.capability is None]
    assert set(required) <= set(asked)
    assert (asked[:2], asked[-1]) == (["hello", "open"], "close")
    told = [json.loads(answer) for _, answer in conversation()]
    refused = {answer["error"]["data"]["code"] for answer in told if "error" in answer}
    assert refused == {"invalid", "not_found", "unsupported"}


def test_the_conversation_keeps_to_the_published_schema():
    schema = json.loads((find("schemas") / PROTOCOL_FILE).read_text(encoding="utf-8"))
    for request, answer in conversation():
        name = json.loads(request)["method"]
        for side, message in (("request", request), ("response", answer)):
            only = {"$ref": f"#/$defs/{name}.{side}", "$defs": schema["$defs"]}
            jsonschema.Draft202012Validator(only).validate(json.loads(message))
