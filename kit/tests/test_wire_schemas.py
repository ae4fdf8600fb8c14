"""The published schemas say what the types say, and real messages keep to them."""

from __future__ import annotations

import json
import subprocess
import sys

import jsonschema
import msgspec
import pytest
from drivers.tiny_store import factory

from memconform.model import RecordDraft, Settings
from memconform.model.report import REPORT_SCHEMA, Outcome, Report, ScenarioResult
from memconform.protocol import OPERATIONS, StoreError
from memconform.resources import find
from memconform.wire import Connection, LocalTransport, schemas


def published(name):
    return json.loads((find("schemas") / name).read_text(encoding="utf-8"))


def validator(definition, file="protocol-1.0.json"):
    schema = published(file)
    schema.pop("anyOf", None)
    return jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{definition}"})


def test_the_files_are_current():
    assert schemas.stale(find("schemas")) == []
    command = [sys.executable, "-m", "memconform.wire.schemas", "--check"]
    assert subprocess.run(command, timeout=60, check=False).returncode == 0


def test_a_file_that_is_missing_or_differs_is_stale(tmp_path):
    names = list(schemas.files())
    assert names == ["protocol-1.0.json", "report-1.json", "mcp-mapping-1.json"]
    assert schemas.stale(tmp_path) == names
    for name, text in schemas.files().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert schemas.stale(tmp_path) == []
    (tmp_path / names[1]).write_text("{}", encoding="utf-8")
    assert schemas.stale(tmp_path) == names[1:2]


@pytest.mark.parametrize("name", ["protocol-1.0.json", "report-1.json", "mcp-mapping-1.json"])
def test_they_are_schemas_and_every_reference_leads_somewhere(name):
    schema = published(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    references = {line.split('"')[3] for line in json.dumps(schema, indent=1).splitlines()
                  if '"$ref"' in line}  # fmt: skip
    assert references <= {f"#/$defs/{definition}" for definition in schema["$defs"]}


def test_every_operation_has_its_four_parts_and_every_object_is_closed():
    definitions = published("protocol-1.0.json")["$defs"]
    for operation in OPERATIONS:
        for part in ("params", "request", "result", "response"):
            assert f"{operation}.{part}" in definitions
    objects = [d for d in definitions.values() if d.get("type") == "object"]
    assert all(d["additionalProperties"] is False for d in objects)


def test_answers_leave_no_key_out_and_requests_may():
    definitions = published("protocol-1.0.json")["$defs"]
    assert definitions["Hit"]["required"] == list(definitions["Hit"]["properties"])
    assert definitions["recall.params"]["required"] == ["store", "query"]
    assert definitions["RecordDraft"]["required"] == ["content"]


class Overheard:
    """A transport that keeps the lines of both directions."""

    way = "in-process"

    def __init__(self, inner):
        self.inner = inner
        self.pairs = []

    def exchange(self, line):
        answer = self.inner.exchange(line)
        self.pairs.append((json.loads(line), json.loads(answer)))
        return answer

    def __getattr__(self, name):
        return getattr(self.inner, name)


def test_real_messages_keep_to_them():
    overheard = Overheard(LocalTransport(factory()))
    connection = Connection(overheard)
    store = connection.open(Settings(namespace="n"))
    id = store.write(RecordDraft(content="tea", tags=("a",), sources=({"id": "s"},))).id
    store.recall("tea", limit=1)
    for operation, params in (
        ("mask", {"id": "x"}),
        ("get", {"id": "none"}),
        ("fault", {"name": "surprise"}),
    ):
        with pytest.raises(StoreError):
            store.call(operation, params)
    store.get(id)
    store.second().forget(id)
    store.call("set_clock", time="2026-01-01T00:00:00Z")
    store.reopen(Settings()).close()
    whole = jsonschema.Draft202012Validator(published("protocol-1.0.json"))
    for request, answer in overheard.pairs:
        validator(f"{request['method']}.request").validate(request)
        validator(f"{request['method']}.response").validate(answer)
        whole.validate(request)
        whole.validate(answer)
    # hello, open, write, recall, mask, get, fault, get, second, forget, set_clock, reopen, close
    assert len(overheard.pairs) == 13


@pytest.mark.parametrize(
    ("definition", "message", "valid"),
    [
        ("close.params", {"store": "s"}, True),
        ("close.params", {}, False),
        ("close.params", {"store": "s", "more": 1}, False),
        ("Done", {"done": True, "cause": None}, True),
        ("Done", {"done": True}, False),
        ("close.response", {"jsonrpc": "2.0", "id": 1}, False),
        (
            "close.response",
            {"jsonrpc": "2.0", "id": 1, "result": {"done": True, "cause": None}},
            True,
        ),
        (
            "close.response",
            {
                "jsonrpc": "2.0",
                "id": 1,
                "result": {"done": True, "cause": None},
                "error": {
                    "code": 1,
                    "message": "m",
                    "data": {"code": "invalid", "message": "m", "detail": None},
                },
            },
            False,
        ),
        ("RpcError", {"code": 1, "message": "m", "data": {"code": "odd"}}, False),
    ],
)
def test_they_tell_right_from_wrong(definition, message, valid):
    assert validator(definition).is_valid(message) is valid


def test_a_report_keeps_to_its_schema():
    result = ScenarioResult(
        id="a/b",
        profile="core",
        capability="a",
        requirement="r",
        rule="R",
        title="B",
        must=True,
        level="behaviour",
        needs=[],
        defects=[],
        slow=False,
        outcome=Outcome.PASSED,
        missing=[],
        failure=None,
        steps=[],
        calls=[],
        reproduce="memconform certify x",
        seconds=0.1,
    )
    report = Report(
        schema=REPORT_SCHEMA,
        target="x",
        way="wire",
        kit="0",
        suite="0",
        implementation=None,
        profiles=[],
        collected=["a/b"],
        results=[result],
        error=None,
        started="2026-01-01T00:00:00Z",
        seconds=0.1,
    )
    checker = jsonschema.Draft202012Validator(published("report-1.json"))
    plain = msgspec.to_builtins(report)
    checker.validate(plain)
    plain["results"][0]["outcome"] = "fine"
    assert not checker.is_valid(plain)
