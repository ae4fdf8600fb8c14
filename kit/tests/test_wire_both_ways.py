"""A store answers the same, in process and over the wire, and the client sees what it said."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from drivers.tiny_store import TinyStore, factory

from memconform.model import Access, Filters, RecordDraft, Settings
from memconform.protocol import (
    Conflict,
    Hello,
    Internal,
    Invalid,
    NotFound,
    StoreError,
    Unavailable,
    Unsupported,
)
from memconform.wire import (
    Connection,
    Crashed,
    HarnessFault,
    LocalTransport,
    ProcessTransport,
)

TESTS = Path(__file__).parent
# Line ends of JSON lines, of JavaScript and of Unicode; C's end of a string; beyond the BMP; text
# that looks like an escape, a message, a second line; a BOM; letters that normalising would change.
HOSTILE_TEXTS = [
    "two\nlines\r\nand\rmore",
    "line\u2028and\u2029paragraph\u0085next",
    "a\x00b\x1b[31mred\x7f",
    "😀 𝒳 中文 e\u0301 \ufb01 \ufeff",
    '\\ud800 \\n "quoted" \\',
    '"}}\n{"jsonrpc": "2.0", "id": 1, "result": {}}',
    " leading and trailing \t",
]


def connect(way: str) -> Connection:
    if way == "in-process":
        return Connection(LocalTransport(factory()))
    argv = [sys.executable, "-m", "memconform.wire.serve", "python:drivers.tiny_store:factory"]
    return Connection(ProcessTransport(argv, cwd=TESTS, time_limit_s=60.0))


@pytest.fixture(params=["in-process", "wire"])
def connection(request):
    connection = connect(request.param)
    assert connection.way == request.param
    yield connection
    assert connection.close() is None


def test_hello_is_the_same_at_any_time(connection):
    hello = connection.hello()
    assert isinstance(hello, Hello)
    assert (hello.name, hello.version, hello.protocol) == ("tiny", "1", "1.0")
    connection.open()
    assert connection.hello() == hello


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_texts_come_back_as_they_went(connection, text):
    store = connection.open()
    written = store.write(RecordDraft(content=text, tags=(text,)))
    assert written.outcome == "created"
    record = store.get(written.id).record
    assert (record.content, record.tags) == (text, [text])
    assert [hit.content for hit in store.recall(text[:3]).hits] == [text]


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udc00\ud800"])
def test_half_a_surrogate_pair_is_invalid_in_any_place(connection, text):
    store = connection.open()
    for operation, params in (
        ("write", {"record": RecordDraft(content=text)}),
        ("write", {"record": RecordDraft(content="a", tags=("b", text))}),
        ("recall", {"query": text}),
        ("get", {"id": text}),
    ):
        with pytest.raises(Invalid, match="half of a surrogate pair"):
            store.call(operation, **params)
    with pytest.raises(Invalid, match="half of a surrogate pair"):
        store.raw("recall", {"query": "a", text: 1})
    assert store.recall("").hits == []


@pytest.mark.parametrize(
    ("operation", "params", "error", "message", "detail"),
    [
        (
            "write",
            {"record": {"content": ""}},
            Invalid,
            "content is empty; send a text",
            {"field": "content"},
        ),
        (
            "write",
            {"record": {"content": "b", "key": "taken"}},
            Conflict,
            "the key is taken",
            {"key": "taken"},
        ),
        ("get", {"id": "none"}, NotFound, "there is no such memory", {"id": "none"}),
        ("fault", {"name": "locked"}, Unavailable, "the store is locked", {"name": "locked"}),
        (
            "fault",
            {"name": "surprise"},
            Internal,
            "ZeroDivisionError: division of \\ud800 by zero",
            None,
        ),
        (
            "mask",
            {"id": "taken"},
            Unsupported,
            "mask needs the capability mask, not declared here",
            None,
        ),
        ("update", {"id": "taken"}, Unsupported, "TinyStore has no method update", None),
        (
            "recall",
            {"query": "a", "budget": 9},
            Unsupported,
            "recall with budget needs the capability budget, not declared here",
            None,
        ),
        (
            "recall",
            {"query": "a", "trace": True},
            Unsupported,
            "recall with trace needs the capability trace, not declared here",
            None,
        ),
    ],
)
def test_refusals_keep_their_code_sentence_and_detail(
    connection, operation, params, error, message, detail
):
    store = connection.open()
    store.write(RecordDraft(content="a", key="taken"))
    with pytest.raises(error) as caught:
        store.call(operation, params)
    assert (caught.value.message, caught.value.detail) == (message, detail)
    assert store.get("taken").record.content == "a"  # and the store lives on


@pytest.mark.parametrize(
    ("operation", "params", "where"),
    [
        ("write", {}, "missing required field `record`"),
        ("write", {"record": {}}, "missing required field `content` - at `$.record`"),
        ("write", {"record": {"content": 5}}, "Expected `str`, got `int` - at `$.record.content`"),
        ("write", {"record": {"content": "a", "colour": "red"}}, "unknown field `colour`"),
        ("recall", {"query": None}, "Expected `str`, got `null` - at `$.query`"),
        ("recall", {"query": "a", "limit": "3"}, "Expected `int | null`, got `str` - at `$.limit`"),
        ("get", {"id": "1", "store": 5}, "params name no store"),
    ],
)
def test_raw_sends_what_must_be_refused(connection, operation, params, where):
    store = connection.open()
    with pytest.raises(Invalid) as caught:
        store.raw(operation, params)
    assert where in caught.value.message


def test_raw_asks_what_the_protocol_does_not_know(connection):
    store = connection.open()
    with pytest.raises(Unsupported, match="no operation 'dream'"):
        store.raw("dream")
    with pytest.raises(NotFound, match="no open store has the handle 'other'"):
        store.raw("get", {"id": "1", "store": "other"})


def test_the_kits_own_mistakes_are_told_apart_and_never_sent(connection):
    store = connection.open()
    connection.transcript.clear()
    for operation, params in (
        ("write", {"record": {"content": 5}}),
        ("recall", {"question": "a"}),
        ("dream", {}),
        ("write", {"record": RecordDraft(content="a", confidence=float("nan"))}),
        ("write", {"record": {1, 2}}),
        ("get", {"id": object()}),
    ):
        with pytest.raises(HarnessFault) as caught:
            store.call(operation, params)
        assert (caught.value.blame, caught.value.kind) == ("harness", "exception")
    with pytest.raises(HarnessFault, match="NaN"):
        store.raw("write", {"record": {"content": "a", "confidence": float("inf")}})
    assert [call.operation for call in connection.transcript if call.fault is None] == []
    assert store.write(RecordDraft(content="a")).id == "m1"  # nothing was written before


def test_stores_are_isolated_and_second_and_reopen_share(connection):
    first = connection.open()
    other = connection.open(Settings(namespace="n"))
    assert first.handle != other.handle
    assert (first.namespace, other.namespace) == (None, "n")
    id = first.write(RecordDraft(content="tea")).id
    assert other.recall("tea").hits == []
    second = first.second()
    assert [hit.id for hit in second.recall("tea").hits] == [id]
    second.forget(id)
    again = first.reopen()
    assert again.get(id).record.state == "forgotten"
    with pytest.raises(HarnessFault, match="no longer open"):
        first.get(id)
    first.close()  # nothing to do any more
    moved = other.reopen(Settings(namespace="elsewhere"))
    assert moved.namespace == "elsewhere"
    again.close()
    assert second.get(id).record.state == "forgotten"
    with pytest.raises(HarnessFault):
        again.get(id)


def test_a_closed_handle_is_refused_by_the_other_side_too(connection):
    store = connection.open()
    store.call("close")
    other = connection.open()
    with pytest.raises(NotFound):
        other.raw("get", {"id": "1", "store": store.handle})


def test_none_is_done_and_options_arrive_typed(connection):
    store = connection.open()
    assert store.call("set_clock", time="2026-01-01T00:00:00Z").done
    store.write(RecordDraft(content="tea", type="fact"))
    store.write(RecordDraft(content="tea", type="episode"))
    filtered = store.recall("tea", filters=Filters(types=("fact",)))
    assert [hit.type for hit in filtered.hits] == ["fact"]
    assert len(store.recall("tea", limit=1).hits) == 1


def test_what_a_store_prints_breaks_nothing(connection):
    store = connection.open()
    assert store.call("fault", name="print").done
    assert store.call("fault", name="print").done


def test_an_exit_is_a_crash(connection):
    store = connection.open()
    with pytest.raises(Crashed, match="exit status 3"):
        store.call("fault", name="exit")
    assert not connection.alive
    connection.restart()
    assert connection.open().write(RecordDraft(content="a")).id == "m1"


def test_the_traceback_of_a_surprise_is_evidence(connection):
    store = connection.open()
    with pytest.raises(Internal):
        store.call("fault", name="surprise")
    if connection.way == "wire":
        connection.close()  # what it wrote has arrived when it has ended
    assert "ZeroDivisionError" in connection.evidence()


def conversation(connection: Connection) -> list[object]:
    """A bit of everything; what was asked, what came back."""
    connection.hello()
    store = connection.open(Settings(clock="2026-01-01T00:00:00Z", namespace="n"))
    for text in HOSTILE_TEXTS:
        store.write(RecordDraft(content=text, type="fact", confidence=0.1 + 0.2))
    store.recall("a", Access(agent="x"), 3)
    for operation, params in (
        ("get", {"id": "none"}),
        ("fault", {"name": "surprise"}),
        ("write", {"record": {"content": "\ud800"}}),
        ("purge", {"id": "m1"}),
    ):
        with pytest.raises(StoreError):
            store.call(operation, params)
    store.second().forget("m1")
    store.reopen().get("m1")
    return list(connection.transcript)


def test_both_ways_give_the_same_transcript():
    here, there = connect("in-process"), connect("wire")
    try:
        calls = conversation(here)
        assert calls == conversation(there)
    finally:
        here.close()
        there.close()
    # open; 7 texts; recall; 4 refusals; second, forget; reopen, get
    assert len(calls) == 1 + len(HOSTILE_TEXTS) + 1 + 4 + 2 + 2
    assert calls[8].arguments == {"query": "a", "access": {"agent": "x"}, "limit": 3}
    assert calls[9].error == {
        "code": "not_found",
        "message": "there is no such memory",
        "detail": {"id": "none"},
    }
    # The transcript goes into a report, which is UTF-8: the broken text is written out.
    assert calls[11].arguments == {"record": {"content": "\\ud800"}}
    for call in calls:
        assert sum(part is not None for part in (call.answer, call.error, call.fault)) == 1


def test_stores_left_open_are_closed_with_the_connection():
    opened = []

    def opener(settings):
        opened.append(TinyStore(settings))
        return opened[-1]

    from memconform.protocol import system

    connection = Connection(LocalTransport(system(opener, name="t", version="1")))
    first = connection.open()
    connection.open()
    first.close()
    first.close()
    connection.close()
    assert [store.closed for store in opened] == [1, 1]


ADAPTER = """
import os, subprocess, sys
import memconform
from drivers.tiny_store import factory

def make():
    print("loading")
    return factory()

print("before serving is the adapter's own affair", file=sys.stderr)
memconform.serve({what})
"""


@pytest.mark.parametrize("what", ["make", "make()", "factory()"])
def test_memconform_serve_ends_an_adapter(tmp_path, what):
    adapter = tmp_path / "adapter.py"
    adapter.write_text(ADAPTER.format(what=what))
    if what == "make()":  # what is printed before serve has the output in hand is seen, and said
        adapter.write_text(ADAPTER.format(what=what).replace('print("loading")', "pass"))
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    transport = ProcessTransport([sys.executable, str(adapter)], env=env, time_limit_s=60.0)
    connection = Connection(transport)
    assert connection.hello().name == "tiny"
    store = connection.open()
    assert store.call("fault", name="print").done
    assert connection.close() is None
    assert "before serving" in connection.evidence()
    assert "the store prints this" in connection.evidence()


def test_output_of_other_processes_and_of_c_is_kept_out_of_the_messages(tmp_path):
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "import os, subprocess, sys, memconform\n"
        "from memconform.protocol import system\n"
        "from drivers.tiny_store import TinyStore\n"
        "class Noisy(TinyStore):\n"
        "    def recall(self, query, access, limit):\n"
        "        os.write(1, b'from C\\n')\n"
        "        subprocess.run(['echo', 'from a child'], check=True)\n"
        "        assert sys.stdin.read() == '', 'the messages are not for the store'\n"
        "        return super().recall(query, access, limit)\n"
        "memconform.serve(system(Noisy, name='noisy', version='1'))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    transport = ProcessTransport([sys.executable, str(adapter)], env=env, time_limit_s=60.0)
    connection = Connection(transport)
    store = connection.open()
    assert store.recall("x").hits == []
    assert store.recall("x").hits == []
    assert connection.close() is None
    assert connection.evidence() == "from C\nfrom a child\n" * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage"),
        (["python:drivers.nothing:factory"], "drivers.nothing can't be imported"),
        (["reference:nothing"], "no reference store 'nothing'"),
        (["stdio:cat"], "does not run in a Python process"),
    ],
)
def test_serving_what_is_not_there(arguments, said):
    import subprocess

    ended = subprocess.run(
        [sys.executable, "-m", "memconform.wire.serve", *arguments],
        cwd=TESTS,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr
