"""Killed at any moment, restarted over the same folder: what was acknowledged is there, no more.

Killing is quick because nothing is started anew: one process that has imported everything
(``serve``, below) forks a writer, lets it open its store, waits some milliseconds and sends
SIGKILL. A writer says what it begins and what it has done, so that it is known which single action
the kill met.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest
from reference_stores import (
    HERE,
    STORES,
    comparable,
    draft,
    opened,
)

from memconform.model import Policy
from memconform.protocol import Conflict, NotFound
from memconform.reference.files import FOLDER, SUFFIX, TEMPORARY
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.hybrid import HybridStore
from memconform.reference.index import FILE

KILLS = 100  # of each store
BOTH = {store.__name__: store for store in STORES}
COLOURS = ["green", "red", "blue", "old"]
THINGS = ["hose", "spade", "watering can", "wheelbarrow"]
PLACES = ["tool shed", "cellar", "greenhouse"]
QUESTIONS = ["Where is the green hose?", "old spade in the cellar", "wheelbarrow", "the can is red"]


# --- the writer, in its own process --------------------------------------------------------------


def text_of(rng, mark):
    """A text that shares its words with many others, and has one word of its own."""
    return f"The {rng.choice(COLOURS)} {rng.choice(THINGS)} is in the {rng.choice(PLACES)}. {mark}"


def mark_of(text):
    return text.rpartition(" ")[2]


def actions(rng, name, texts_by_id):
    """Endless actions, each as plain JSON; ``texts_by_id`` is of what may be changed."""
    alive = dict(texts_by_id)
    number = 0
    while True:
        number += 1
        new = f"{name}-{number}"
        texts = [text_of(rng, f"zq{name}n{number}p{part}zq") for part in range(4)]
        kind = rng.choice(["write", "write", "batch", "correct", "update", "forget"])
        old = rng.choice(sorted(alive)) if alive else None
        if kind in ("write", "batch") or old is None:
            ids = [new] if kind != "batch" else [f"{new}-{part}" for part in range(4)]
            made = dict(zip(ids, texts, strict=False))
            yield {"do": "write", "texts": made}
            alive |= made
        elif kind == "correct":
            yield {"do": "correct", "id": old, "new": new, "text": texts[0]}
            del alive[old]
            alive[new] = texts[0]
        elif kind == "update":
            yield {"do": "update", "id": old, "text": texts[0]}
            alive[old] = texts[0]
        else:
            yield {"do": "forget", "id": old, "text": alive.pop(old)}


def act(store, action):
    """Do an action, also one that may have been done, wholly or in part, before a kill."""
    if action["do"] == "write":
        drafts = tuple(draft(text, id) for id, text in action["texts"].items())
        if len(drafts) > 1:
            store.write_batch(drafts)
        else:
            with contextlib.suppress(Conflict):
                store.write(drafts[0])
    elif action["do"] == "correct":
        store.correct(action["id"], action["text"], HERE, key=action["new"])
    elif action["do"] == "update":
        store.update(action["id"], HERE, content=action["text"])
    else:
        store.forget(action["id"], HERE)


def look(store, action):
    """The action is in force at once. For a store with an index this is when the index changes."""
    if action["do"] == "forget":
        found = store.recall(mark_of(action["text"]), HERE).hits
        assert action["id"] not in [hit.id for hit in found]
        return
    made = action["texts"] if action["do"] == "write" else {action.get("new"): action["text"]}
    for id, text in made.items():
        best = store.recall(mark_of(text), HERE).hits[0]
        assert best.content == text
        assert best.id == (id or action["id"])


def work(request, out):
    """Until it is killed, or for so many records: write, and say so."""

    def say(word, value=None):
        os.write(out, json.dumps([word, value]).encode() + b"\n")

    rng = random.Random(request["seed"])
    if not request["synced"]:
        os.fsync = lambda _: None  # a killed process loses nothing that the system has
    store = opened(BOTH[request["store"]], Path(request["root"]))
    say("open")
    if request["records"]:
        for n in range(request["records"]):
            say("done", store.write(draft(f"{request['name']} saw hose {n}.")).id)
        store.close()
        return
    if request["pending"]:
        # Whoever got no acknowledgment asks again.
        say("begin", request["pending"])
        act(store, request["pending"])
        say("done")
    for action in actions(rng, request["name"], request["alive"]):
        say("begin", action)
        act(store, action)
        say("done")
        if rng.random() < 0.5:
            look(store, action)


def serve():
    """Fork a writer for each request, a line of JSON; answer with what it said and its end."""
    for line in sys.stdin:
        request = json.loads(line)
        inlet, outlet = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(inlet)
                work(request, outlet)
            except BaseException:
                os.write(outlet, json.dumps(["failed", traceback.format_exc()]).encode() + b"\n")
            finally:
                os._exit(0)
        os.close(outlet)
        said = b""
        if request["once_open"]:
            said = os.read(inlet, 1 << 16)
        if request["milliseconds"] is not None:
            time.sleep(request["milliseconds"] / 1000)
            os.kill(child, signal.SIGKILL)
        while more := os.read(inlet, 1 << 16):
            said += more
        os.close(inlet)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        lines = [json.loads(each) for each in said.split(b"\n")[:-1]]
        print(json.dumps({"killed": killed, "said": lines}), flush=True)


class Server:
    """The process that forks writers."""

    def __init__(self):
        here = str(Path(__file__).parent)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "import test_reference_killed as t; t.serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": here},
            text=True,
        )

    def ask(self, store, root, name, **request):
        """Have a writer forked; ``answer`` waits for its end."""
        usual = {"seed": 0, "pending": None, "alive": {}, "records": 0}
        usual |= {"milliseconds": None, "once_open": True, "synced": True}
        usual |= {"store": store.__name__, "root": str(root), "name": name, **request}
        self._process.stdin.write(json.dumps(usual) + "\n")
        self._process.stdin.flush()

    def answer(self):
        return json.loads(self._process.stdout.readline())

    def close(self):
        # At the end of its input it ends, and has no writer left.
        self._process.communicate(timeout=60)


@pytest.fixture
def servers():
    both = [Server(), Server()]
    yield both
    for server in both:
        server.close()


# --- what must be there --------------------------------------------------------------------------


def applied(model, action, part=None):
    """State and text by id after an action; of a batch perhaps after its first ``part`` only."""
    after = dict(model)
    if action["do"] == "write":
        for id, text in list(action["texts"].items())[:part]:
            # A replay finds its key taken and changes nothing.
            after.setdefault(id, ("active", text))
    elif action["do"] == "correct":
        after[action["id"]] = ("superseded", model[action["id"]][1])
        after[action["new"]] = ("active", action["text"])
    elif action["do"] == "update":
        after[action["id"]] = ("active", action["text"])
    else:
        after[action["id"]] = ("forgotten", None)
    return after


def allowed(model, pending):
    """What may be stored: the acknowledged, and the action that the kill met: done or not."""
    if pending is None:
        return [model]
    parts = range(len(pending.get("texts", ())) + 1) if pending["do"] == "write" else [None]
    return [model, *(applied(model, pending, part) for part in parts)]


def alive(model, pending):
    """The texts of what a writer may change, once it has done what is pending."""
    after = model if pending is None else applied(model, pending)
    return {id: text for id, (state, text) in after.items() if state == "active"}


def stored(store, known):
    """State and text of all that is stored, by id, as list and get show it."""
    found = {hit.id: (hit.state, hit.content) for hit in store.list_records(HERE).records}
    for id in known - found.keys():
        with contextlib.suppress(NotFound):
            hit = store.get(id, HERE).record
            found[id] = (hit.state, hit.content)
    return found


def answers(kind, root):
    """What a fresh store answers: hits in full, and traces without mode and channel."""
    store = opened(kind, root, policy=Policy(max_injected_records=64))
    found = [store.recall(question, HERE, trace=True) for question in QUESTIONS]
    expected = "sqlite-fts5" if kind is HybridStore else "filesystem"
    assert {answer.trace.mode for answer in found} == {expected}
    store.close()
    return [(answer.hits, comparable(answer.trace)) for answer in found]


def check_index(kind, root, elsewhere):
    """As it is after all those kills, the index answers as one made of the files does."""
    kept = answers(kind, root)
    assert any(hits for hits, _ in kept)
    shutil.copytree(root, elsewhere, ignore=shutil.ignore_patterns(f"{FILE}*"))
    assert not (elsewhere / FILE).exists()
    assert kept == answers(HybridStore, elsewhere)
    assert kept == answers(FilesystemStore, elsewhere)
    shutil.rmtree(elsewhere)


def files_with(root, mark):
    """The names of all files with these bytes, whatever they are for."""
    everything = [path for path in root.rglob("*") if path.is_file()]
    return [path.name for path in everything if mark.encode() in path.read_bytes()]


@pytest.mark.parametrize("kind", STORES)
def test_a_hundred_kills_lose_nothing_acknowledged(kind, tmp_path, servers):
    root, seed = tmp_path / "store", f"killed {kind.__name__}"
    rng = random.Random(seed)
    model, pending, forgotten_texts = {}, None, []
    acknowledged = in_flight = left_behind = 0
    for number in range(KILLS):
        servers[0].ask(
            kind,
            root,
            f"k{number}",
            seed=f"{seed} {number}",
            alive=alive(model, pending),
            pending=pending,
            # The others are killed while they start or open the store.
            once_open=rng.random() < 0.9,
            # Syncing takes nearly all of a writer's time; without it the kill meets other steps.
            synced=rng.random() < 0.5,
            milliseconds=rng.uniform(1, 30),
        )
        answer = servers[0].answer()
        assert answer["killed"], answer["said"][-1:]
        begun = None
        for word, value in answer["said"]:
            assert word != "failed", value
            if word == "begin":
                begun = pending = value
            elif word == "done":
                if begun["do"] == "forget":
                    forgotten_texts.append(begun["text"])
                model, begun, pending = applied(model, begun), None, None
                acknowledged += 1
        in_flight += begun is not None
        left_behind += (root / FOLDER / TEMPORARY).exists()
        store = opened(kind, root)
        possible = allowed(model, pending)
        found = stored(store, set().union(*possible))
        assert found in possible, f"{seed}, kill {number}: {pending}"
        diagnostics = store.diagnostics()
        assert diagnostics.malformed == 0
        assert diagnostics.records == sum(state != "forgotten" for state, _ in found.values())
        assert len(list((root / FOLDER).glob(f"*{SUFFIX}"))) == len(found)
        if kind is HybridStore:
            assert (diagnostics.index.state, diagnostics.index.stale) == ("ready", 0)
        store.close()
        if number % 20 == 10 and any(state == "active" for state, _ in found.values()):
            check_index(kind, root, tmp_path / "copy")
    print(
        f"{seed}: {acknowledged} acknowledged, {in_flight} killed in an action, "
        f"{left_behind} left a temporary file; {len(model)} memories, "
        f"{len(forgotten_texts)} forgotten"
    )
    # Otherwise nothing of all this was put to the test.
    assert acknowledged
    assert in_flight
    assert forgotten_texts
    check_index(kind, root, tmp_path / "copy")
    if kind is HybridStore:
        kept = answers(kind, root)
        (root / FILE).unlink()
        assert answers(kind, root) == kept
    store = opened(kind, root)
    store.write(draft("The last one clears what the last kill left.", "last"))
    store.close()
    assert [text for text in forgotten_texts if files_with(root, mark_of(text))] == []


# --- many records --------------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [STORES[:1] * 2, STORES[1:] * 2, STORES])
def test_two_processes_write_two_hundred_each(kinds, tmp_path, servers):
    for server, kind, name in zip(servers, kinds, ("ann", "ben"), strict=True):
        server.ask(kind, tmp_path, name, records=200)
    said = [server.answer()["said"] for server in servers]
    told = [[value for word, value in lines if word == "done"] for lines in said]
    assert [len(ids) for ids in told] == [200, 200], [lines[-1] for lines in said]
    expected = {
        id: f"{name} saw hose {n}."
        for name, ids in zip(("ann", "ben"), told, strict=True)
        for n, id in enumerate(ids)
    }
    assert len(expected) == 400
    for kind in STORES:
        store = opened(kind, tmp_path)
        listed = {hit.id: hit.content for hit in store.list_records(HERE).records}
        assert listed == expected
        assert store.diagnostics().malformed == 0
        # ann, saw, hose and its slices hos ose, 199: alone in having all of them.
        assert store.recall("ann saw hose 199", HERE).hits[0].content == "ann saw hose 199."
        store.close()


def test_of_ten_thousand_the_last_one_is_found(tmp_path, monkeypatch):
    # Syncing 10,000 files twice takes a minute or more; here it is their number that matters.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    drafts = [
        draft(f"The green hose number {n} waters bed {n % 97}.", f"h{n}") for n in range(9999)
    ]
    last = draft("The green hose of the conservatory waters the orchids.", "last")
    writer = opened(FilesystemStore, tmp_path)
    for start in range(0, len(drafts), 1000):
        outcomes = writer.write_batch(tuple(drafts[start : start + 1000])).outcomes
        assert {outcome.outcome for outcome in outcomes} == {"created"}
    stores = [writer, opened(HybridStore, tmp_path)]
    # All match "green hose", and the last one is the last by id, too: no window may lose it.
    stores[1].recall("green hose", HERE)
    assert writer.write_batch((last,)).outcomes[0].id == "last"
    for store in stores:
        answer = store.recall("Which green hose waters the orchids?", HERE, trace=True)
        assert answer.hits[0].id == "last"
        assert answer.trace.candidate_count == 10_000
        assert store.diagnostics().records == 10_000
    traces = [comparable(store.recall("green hose", HERE, trace=True).trace) for store in stores]
    assert traces[0] == traces[1]
    for store in stores:
        assert store.get("last", HERE).record.content == last.content
        store.close()
