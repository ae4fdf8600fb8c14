"""What a server does wrong has its own name and sentence, and nothing of it stays behind.

Most run the adapter's System in this process, where the package is imported once; what depends on
the adapter's own process is at the end.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from anyio.from_thread import start_blocking_portal
from mcp_mappings import OPERATIONS, notebook, server
from test_wire_faults import is_gone

from memconform.model import Access, RecordDraft, Settings
from memconform.protocol import Invalid, NotFound, StoreError, Unsupported
from memconform.targets import resolve
from memconform.wire import BadMessage, Crashed, StartFailed, TimedOut, messages
from memconform.wire.errors import BadAnswer
from memconform.wire.mcp.faults import KEY, ServerFault, fault_in
from memconform.wire.mcp.loading import read_mapping
from memconform.wire.mcp.store import McpSystem

TEXT = "The spare key is under the blue pot."


@pytest.fixture(scope="module")
def portal():
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def systems(tmp_path, portal):
    """Make the System of a mapping; every server is seen to have ended with the test."""
    pids, made = tmp_path / "pids", []

    def make(sin="keeps to all", more="", operations=OPERATIONS, **change):
        text = server(sin, pids, more) + operations
        for old, new in change.items():
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / f"mapping-{len(made)}.toml"
        file.write_text(text, encoding="utf-8")
        work = tmp_path / f"work-{len(made)}"
        work.mkdir()
        system = McpSystem(
            read_mapping(file), here=tmp_path, work=work, groups=work / "groups", portal=portal
        )
        made.append((system, work))
        return system

    make.pids = pids
    yield make
    for system, work in made:
        system.close()
        assert list(work.glob("root-*")) == []
    for line in pids.read_text().split() if pids.exists() else ():
        assert is_gone(int(line))


def write(store, text=TEXT):
    return store.write(record=RecordDraft(content=text))["id"]


def comes_true(seen, within_s=10):
    deadline = time.monotonic() + within_s
    while not seen() and time.monotonic() < deadline:
        time.sleep(0.02)
    return seen()


def fault_of(caught):
    (told,) = caught.value.detail.values()
    assert list(caught.value.detail) == [KEY]
    return told


def test_a_server_that_keeps_to_all(systems):
    system = systems()
    hello = system.hello()
    assert (hello.name, hello.version, hello.language) == ("notebook", "7.1", "mcp")
    assert (hello.capabilities, hello.policies.superseded) == ([], "hidden")
    store = system.open(Settings())
    assert write(store) == "1"
    (hit,) = store.recall(query="BLUE pot", access=Access(), limit=None)["hits"]
    assert (hit["id"], hit["content"], hit["state"], hit["tags"]) == ("1", TEXT, "active", None)
    assert store.recall(query="red", access=Access(), limit=None)["hits"] == []
    assert store.forget("1", Access()) == {"done": True, "cause": None}
    record = store.get(id="1", access=Access())["record"]
    assert (record["state"], record["content"]) == ("forgotten", None)
    for unknown in ("2", "note-2"):
        with pytest.raises(NotFound):
            store.get(id=unknown, access=Access())


def test_stores_know_nothing_of_each_other(systems):
    system = systems()
    first, second = system.open(Settings()), system.open(Settings())
    write(first)
    assert second.recall(query="key", access=Access(), limit=None)["hits"] == []
    # The server that hello asked became the first store's; each has one of its own.
    assert len(systems.pids.read_text().split()) == 2
    first.close()
    assert is_gone(int(systems.pids.read_text().split()[0]))


def test_in_a_long_run_the_next_server_is_started_early(systems):
    system = systems()
    for number in range(1, 6):
        store = system.open(Settings())
        assert store.recall(query="key", access=Access(), limit=None)["hits"] == []
        write(store)
        store.close()
        # From the fourth on, one is there that no store has had yet.
        wanted = number + (1 if number > 3 else 0)
        assert comes_true(lambda wanted=wanted: len(systems.pids.read_text().split()) == wanted)
    assert comes_true(lambda: all(map(is_gone, map(int, systems.pids.read_text().split()[:5]))))


def test_a_tool_that_empties_the_store_saves_the_start(systems):
    system = systems(more='fresh = "reset"\nreset = { tool = "wipe" }')
    for _ in range(3):
        store = system.open(Settings())
        assert store.recall(query="key", access=Access(), limit=None)["hits"] == []
        write(store)
        store.close()
    assert len(systems.pids.read_text().split()) == 1
    # Two at once are still two.
    one, two = system.open(Settings()), system.open(Settings())
    write(one)
    assert two.recall(query="key", access=Access(), limit=None)["hits"] == []


def test_a_name_in_the_arguments_tells_stores_apart_in_one_process(systems):
    system = systems(
        more='fresh = "argument"',
        **{'text = "{content}"': 'text = "{store}: {content}"', '"{query}"': '"{store}: {query}"'},
    )
    first, second = system.open(Settings()), system.open(Settings())
    write(first)
    assert [
        len(store.recall(query="The spare", access=Access(), limit=None)["hits"])
        for store in (first, second)
    ] == [1, 0]
    assert len(systems.pids.read_text().split()) == 1


def test_the_folder_of_a_store_is_its_own_and_is_emptied(systems):
    root = 'env = { NOTES = "{root}/notes" }'
    system = systems(more=f'fresh = "files"\n{root}')
    store = system.open(Settings())
    (folder,) = store._running.root.parent.glob("root-*")
    (folder / "deep").mkdir()
    (folder / "deep" / "notes").write_text("mine")
    store.close()
    assert system.open(Settings())._running.root == folder
    assert list(folder.iterdir()) == []


DECLARED = '[store]\ncapabilities = ["projects"]\npolicies = { scopeLevels = ["project"] }'


def test_a_declared_place_without_an_argument_is_refused(systems):
    system = systems(more=DECLARED)
    store = system.open(Settings())
    with pytest.raises(Unsupported, match="the mapping of recall has no argument for a project"):
        store.recall(query="key", access=Access(project="x"), limit=None)
    with pytest.raises(Invalid, match="there is no scope 'user' here; there are project"):
        store.write(record=RecordDraft(content=TEXT, scope="user"))
    # What isn't declared may be ignored, as the protocol has it.
    assert store.recall(query="key", access=Access(workspace="x"), limit=None)["hits"] == []
    for settings in (Settings(clock="2026-01-01T00:00:00Z"), Settings(namespace="n")):
        with pytest.raises(Unsupported):
            system.open(settings)


def test_what_the_server_lacks_is_unsupported_with_the_reason(systems):
    said = 'unsupported = "notes are never deleted"'
    tool = 'tool = "drop"\narguments = { id = "{id:int}" }'
    store = systems("lacks a tool", **{tool: said}).open(Settings())
    with pytest.raises(Unsupported, match="forget is not available: notes are never deleted"):
        store.forget(id=write(store), access=Access())
    assert not hasattr(store, "update")


PROSE = r"""
none = "^I found nothing"
[operations.recall.each]
regex = '^- \[(?P<id>[0-9]+)\] (?P<text>.*?)(?P<mark> !)?$'
[operations.recall.result]
id = "id"
content = "text"
score = { value = 0.5 }
type = { path = "text", regex = "under the ([a-z]+)", default = "none" }
tags = { path = "text", regex = "^(.*) is", split = " " }
state = { path = "mark", regex = "(.*)", map = { " !" = "disabled" }, default = "active" }
"""


def test_answers_in_prose_are_read_by_regular_expressions(systems):
    each = 'each = "structuredContent.items[*]"\nresult = { id = "id", content = "text" }'
    store = systems("speaks prose", **{each: PROSE}).open(Settings())
    write(store)
    write(store, "The other key is lost. !")
    hits = store.recall(query="key", access=Access(), limit=None)["hits"]
    names = ("id", "content", "state", "score", "type", "tags")
    assert [tuple(h[name] for name in names) for h in hits] == [
        ("1", TEXT, "active", 0.5, "blue", ["The", "spare", "key"]),
        ("2", "The other key is lost.", "disabled", 0.5, "none", ["The", "other", "key"]),
    ]
    assert store.recall(query="lamp", access=Access(), limit=None)["hits"] == []


def test_prose_without_a_memory_and_without_a_word_for_that_is_a_fault(systems):
    each = 'each = "structuredContent.items[*]"\nresult = { id = "id", content = "text" }'
    store = systems("refuses in plain words", **{each: PROSE}).open(Settings())
    with pytest.raises(ServerFault, match="no memory is found in its text by the regex") as caught:
        store.recall(query="key", access=Access(), limit=None)
    assert fault_of(caught)["evidence"] == "Sorry, nothing by that name."


def test_a_text_is_read_as_json_where_the_mapping_says(systems):
    store = systems("speaks json", **{"structuredContent.items[*]": "json[*]"}).open(Settings())
    write(store)
    assert [h["content"] for h in store.recall(query="", access=Access(), limit=None)["hits"]]


@pytest.mark.parametrize(
    ("sin", "said"),
    [
        (
            "answers another shape",
            "The answer of the tool keep can't be read as one to write: for id, structuredContent"
            " has nothing at .id: it is an object with notes, status.",
        ),
        (
            "refuses in plain words",
            "The answer of the tool keep can't be read as one to write: for id, it has no"
            " structuredContent.",
        ),
        (
            "answers null",
            "The answer of the tool keep can't be read as one to write: what was stored has no id.",
        ),
        ("breaks its promise", "The answer of the tool keep breaks the rules of MCP: Invalid"),
        ("answers no result", "The answer of the tool keep breaks the rules of MCP: "),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_fault_and_never_nothing(sin, said, systems):
    store = systems(sin).open(Settings())
    with pytest.raises(ServerFault) as caught:
        write(store)
    told = fault_of(caught)
    assert told["kind"] == "bad-answer"
    assert told["cause"].startswith(said)
    with pytest.raises(ServerFault):  # and the conversation goes on
        store.recall(query="key", access=Access(), limit=None)


def test_a_text_that_is_no_json_is_a_fault(systems):
    store = systems("speaks prose", **{"structuredContent.items[*]": "json[*]"}).open(Settings())
    with pytest.raises(ServerFault, match=r"its text is no JSON: .*") as caught:
        store.recall(query="key", access=Access(), limit=None)
    assert fault_of(caught)["evidence"] == "I found nothing."


def test_a_word_outside_the_map_is_a_fault(systems):
    store = systems(**{"gone = ": "away = "}).open(Settings())
    store.forget(id=write(store), access=Access())
    with pytest.raises(ServerFault, match="for state, 'gone' is none of the words of map: here"):
        store.get(id="1", access=Access())


RULES = """
[[errors]]
match = "No space"
code = "unavailable"
[[errors]]
match = "nothing by that name"
code = "not_found"
within = "any"
operations = ["get"]
"""


@pytest.mark.parametrize(
    ("sin", "rules", "code", "said"),
    [
        ("refuses as a tool", RULES, "unavailable", "No space: the notebook is full"),
        ("refuses as a tool", "", "internal", "an answer marked as an error that no rule of the "),
        ("refuses as a server", "", "internal", "an error of JSON-RPC that no rule of the mapping"),
        ("refuses in plain words", RULES, "not_found", "Sorry, nothing by that name."),
    ],
)
def test_a_refusal_is_what_the_rules_say_and_else_internal(sin, rules, code, said, systems):
    store = systems(sin, operations=OPERATIONS + rules).open(Settings())
    with pytest.raises(StoreError) as caught:
        store.get(id="1", access=Access())
    assert caught.value.code == code
    assert caught.value.message.startswith(said)
    assert caught.value.detail is None  # no fault: the server has answered
    if sin == "refuses in plain words":  # of another operation it is no such refusal
        with pytest.raises(ServerFault):
            write(store)


@pytest.mark.parametrize(
    ("sin", "kind", "said"),
    [
        ("exits", "crash", "ended with exit status 3 while it was asked for keep."),
        ("is killed", "crash", "was ended by SIGKILL while it was asked for keep."),
        ("prints", "bad-message", "wrote a line that is no message while it was asked for keep."),
        ("begins a line", "bad-message", "ended in the middle of a line while it was asked for"),
        ("never ends a line", "bad-message", "wrote a line of more than 16777216 bytes while"),
        ("falls silent", "timeout", "did not answer the tool keep within 0.3 seconds."),
    ],
)
def test_a_server_that_comes_to_no_answer(sin, kind, said, systems):
    more = "time_limit_s = 0.3" if sin == "falls silent" else ""
    store = systems(sin, more).open(Settings())
    begun = time.monotonic()
    with pytest.raises(ServerFault) as caught:
        write(store)
    assert time.monotonic() - begun < 30  # the server sleeps for ten minutes
    told = fault_of(caught)
    assert told["kind"] == kind
    assert told["cause"].startswith(f"The MCP server {said}")
    if sin == "prints":
        assert told["evidence"] == "keeping your note ..."


@pytest.mark.parametrize(
    ("sin", "change", "said"),
    [
        ("exits at once", {}, "The MCP server ended with exit status 1 before it had said what"),
        ("prints at its start", {}, "The MCP server wrote a line that is no message before it"),
        ("says nothing", {"[operations.write]": "X"}, "The MCP server did not answer within 0.3"),
        ("lacks a tool", {}, "[operations.forget] names the tool drop, which the server doesn't"),
        ("wants more", {}, "[operations.write] does not give the tool keep its owner."),
        (
            "keeps to all",
            {"text = ": "words = "},
            "[operations.write] gives the tool keep the argument words. It takes text.",
        ),
        ("keeps to all", {"command = ": 'command = "no-such-program" #'}, "No such file"),
    ],
)
def test_a_server_that_does_not_come_to_life(sin, change, said, systems):
    more = ""
    if sin == "says nothing":
        more, change = "start_limit_s = 0.3", {}
    with pytest.raises(ServerFault) as caught:
        systems(sin, more, **change).hello()
    told = fault_of(caught)
    assert told["kind"] == "start"
    assert said in f"{told['cause']} {told['hint']}"
    if sin == "lacks a tool":
        assert told["hint"] == "There are find, keep, show, wipe."


@pytest.mark.parametrize("sin", ["has a child", "stays"])
def test_what_a_server_has_started_ends_with_it(sin, systems):
    system = systems(sin)
    write(system.open(Settings()))
    begun = time.monotonic()
    system.close()
    assert time.monotonic() - begun < 10
    pids = systems.pids.read_text().split()
    assert len(pids) == (2 if sin == "has a child" else 1)
    assert all(is_gone(int(pid)) for pid in pids)


DURABLE = '[store]\ncapabilities = ["durable", "shared"]\nname = "n"\nversion = "0"'


@pytest.mark.parametrize("fresh", ["process", "files"])
def test_reopen_and_second_start_a_server_over_the_same_folder(fresh, systems):
    root = 'env = { NOTES = "{root}/notes" }'
    system = systems(more=f'fresh = "{fresh}"\n{root}\n{DURABLE}')
    store = system.open(Settings())
    folder = store._running.root
    other = store.second()
    again = store.reopen(settings=None)
    assert again._running.root == other._running.root == folder
    assert len(systems.pids.read_text().split()) == 3
    assert is_gone(int(systems.pids.read_text().split()[0]))
    # This server keeps its notes in its memory, so a restart loses them, and that is seen.
    assert again.recall(query="key", access=Access(), limit=None)["hits"] == []
    # Whoever closes first leaves the folder to the other, and no later store gets it before.
    other.close()
    assert folder.is_dir()
    third = system.open(Settings())
    assert third._running.root != folder
    again.close()
    third.close()
    if fresh == "process":
        assert comes_true(lambda: not folder.exists())
    else:
        assert folder.exists()  # for the next store


# --- through the adapter's own process -----------------------------------------------------------


@pytest.fixture
def connected(tmp_path):
    """Connect to a mapping by its TARGET; nothing may be left of adapter, server and folder."""
    pids, connections = tmp_path / "pids", []
    home = tmp_path / "home"
    home.mkdir()

    def connect(sin, more=""):
        file = tmp_path / "notes.toml"
        file.write_text(notebook(sin, pids, more), encoding="utf-8")
        (target,) = resolve(f"mcp:{file}")
        connection = target.apart({"TMPDIR": str(home)})
        connections.append(connection)
        return connection

    connect.pids = pids
    yield connect
    for connection in connections:
        connection.close()
    assert list(home.iterdir()) == []
    for line in pids.read_text().split():
        assert is_gone(int(line))


def test_faults_of_the_server_arrive_as_what_they_are(connected):
    connection = connected("exits")
    assert connection.hello().name == "notebook"
    store = connection.open()
    with pytest.raises(Crashed) as caught:
        store.write(RecordDraft(content=TEXT))
    assert caught.value.cause.startswith("The MCP server ended with exit status 3 while")
    assert "no disk left" in caught.value.evidence
    assert not connection.alive


def test_an_unreadable_answer_leaves_the_connection_alive(connected):
    connection = connected("answers another shape")
    store = connection.open()
    with pytest.raises(BadAnswer) as caught:
        store.write(RecordDraft(content=TEXT))
    assert isinstance(caught.value, BadMessage)
    assert caught.value.kind == "bad-message"
    assert '{"notes": [], "status": "ok"}' in caught.value.evidence
    assert connection.alive
    store.close()
    assert connection.close() is None


def test_a_silent_server_is_ended_with_its_adapter(connected):
    connection = connected("falls silent", "time_limit_s = 0.3")
    store = connection.open()
    with pytest.raises(TimedOut) as caught:
        store.write(RecordDraft(content=TEXT))
    assert "within 0.3 seconds" in caught.value.cause
    assert "waiting for godot" in caught.value.evidence


def test_a_server_without_the_tool_is_not_started(connected):
    connection = connected("lacks a tool")
    with pytest.raises(StartFailed) as caught:
        connection.hello()
    assert "There are find, keep, show, wipe." in str(caught.value)


def test_a_killed_adapter_leaves_no_server(connected):
    connection = connected("has a child")
    store = connection.open()
    os.kill(connection._transport.pid, signal.SIGKILL)
    with pytest.raises(Crashed, match="SIGKILL"):
        store.recall("key")
    connection.restart()
    assert connection.open().recall("key").hits == []
    pids = connected.pids.read_text().split()
    assert all(is_gone(int(pid)) for pid in pids[:2])


def test_words_of_a_fault_in_a_memory_are_no_fault():
    text = f'{{"error": {{"data": {{"detail": {{"{KEY}": {{"kind": "crash"}}}}}}}}}}'
    assert fault_in(messages.encode({"result": {"content": text}})) is None
    assert fault_in(text.encode()) is None  # a part of one is none
    data = ServerFault("timeout", "It waits.", hint="Look.").data()
    fault = fault_in(messages.error_message(1, data))
    assert (type(fault), fault.cause, fault.hint) == (TimedOut, "It waits.", "Look.")
    assert data.code == "internal"  # what it is for whoever knows nothing of MCP


HTTP = """
import sys
from mcp.server.mcpserver import MCPServer
server, notes = MCPServer("over http"), {}
@server.tool()
def keep(text: str, book: str) -> dict[str, int]:
    notes.setdefault(book, []).append(text)
    return {"id": len(notes[book])}
@server.tool()
def find(query: str, book: str) -> dict[str, list[dict[str, str]]]:
    found = [t for t in notes.get(book, []) if query in t]
    return {"items": [{"id": "1", "text": t} for t in found]}
server.run("streamable-http", port=int(sys.argv[1]))
"""
OVER_HTTP = """
[operations.get]
unsupported = "there is no such tool"
[operations.forget]
unsupported = "there is no such tool"
[operations.write]
tool = "keep"
arguments = { text = "{content}", book = "{store}" }
result = { id = "structuredContent.id" }
[operations.recall]
tool = "find"
arguments = { query = "{query}", book = "{store}" }
each = "structuredContent.items[*]"
result = { id = "id", content = "text" }
"""


def test_a_server_that_runs_already_is_reached_by_its_url(tmp_path, portal):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    file = tmp_path / "http.toml"
    url = f'mapping = 1\n[server]\nurl = "http://127.0.0.1:{port}/mcp"\nfresh = "argument"\n'
    file.write_text(url + OVER_HTTP, encoding="utf-8")

    def system():
        return McpSystem(
            read_mapping(file), here=tmp_path, work=tmp_path, groups=tmp_path / "g", portal=portal
        )

    with pytest.raises(ServerFault) as caught:
        system().hello()
    assert fault_of(caught)["kind"] == "start"
    assert fault_of(caught)["hint"] == "Start the server first."
    argv = [sys.executable, "-c", HTTP, str(port)]
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            assert comes_true(lambda: _listens(port), 30)
            reached = system()
            assert reached.hello().name == "over http"
            first, second = reached.open(Settings()), reached.open(Settings())
            assert write(first) == "1"
            assert len(first.recall(query="key", access=Access(), limit=None)["hits"]) == 1
            assert second.recall(query="key", access=Access(), limit=None)["hits"] == []
            with pytest.raises(Unsupported, match="get is not available: there is no such tool"):
                first.get(id="1", access=Access())
        finally:
            process.kill()
    with pytest.raises(ServerFault, match="The connection to the MCP server broke while it was a"):
        write(first)
    reached.close()


def _listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
