"""Logging wrappers: every retrieval leaves a line, and nothing else changes."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import jsonschema
import msgspec
import pytest

from memconform.model import (
    Access,
    Policy,
    RecordDraft,
    Settings,
    hit,
    recalled,
)
from memconform.model.trace_log import LoggedRetrieval
from memconform.protocol import MemoryStore, system
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.filesystem import factory as filesystem
from memconform.reference.hybrid import HybridStore
from memconform.reference.hybrid import factory as hybrid
from memconform.resources import find
from memconform.traces import TraceError, TraceLog, logged, query_id
from memconform.traces.lines import trace_of_line
from memconform.traces.wrap import from_environment

NOW = "2026-03-01T09:00:00.000Z"
SETTINGS = Settings(clock=NOW, policy=Policy(max_injected_records=2))
MEMORIES = {
    "shed": "The rowing boat is kept in the north shed.",
    "twin": "the rowing boat is kept in the north shed.  ",
    "oars": "The oars of the rowing boat hang in the loft.",
    "tea": "I prefer green tea in the afternoon.",
    "winch": "The anchor winch is in the cellar.",
    "boat": "The rowing boat needs two people.",
    "skiff": "划艇放在北边的棚子里。",
}
QUESTIONS = ("Where is the rowing boat kept?", "What do I prefer?", "划艇放在哪里", "", "nothing")


def filled(store):
    for key, content in MEMORIES.items():
        tags = ("preference",) if key == "tea" else ()
        store.write(RecordDraft(key=key, content=content, scope="user", tags=tags))
    return store


def read(path):
    return [
        msgspec.json.decode(line, type=LoggedRetrieval) for line in path.read_bytes().splitlines()
    ]


@pytest.mark.parametrize("kind", [FilesystemStore, HybridStore])
def test_a_reference_store_answers_the_same_and_logs_what_its_trace_says(tmp_path, kind):
    plain = filled(kind(tmp_path / "plain", SETTINGS))
    told = filled(logged(kind, tmp_path / "log.jsonl")(tmp_path / "logged", SETTINGS))
    for question in QUESTIONS:
        expected = plain.recall(question, trace=True)
        assert told.recall(question, trace=True) == expected
        assert told.context(question) == plain.context(question)
    lines = read(tmp_path / "log.jsonl")
    assert len(lines) == 2 * len(QUESTIONS)
    for question, line in zip(QUESTIONS, lines[::2], strict=True):
        trace = plain.recall(question, trace=True).trace
        assert trace_of_line(line) == trace
        assert line.query_id == query_id(question)
        # Everything that reached ranking is there, whether or not it passed.
        assert line.swept_from == 0
        assert len(line.candidates) == trace.candidate_count
        assert sum(not c.passed for c in line.candidates) == trace.filtered.irrelevant
    plain.close()
    told.close()


def test_why_a_candidate_was_left_out(tmp_path):
    store = filled(logged(FilesystemStore, tmp_path / "log.jsonl")(tmp_path / "notes", SETTINGS))
    store.recall("Where is the rowing boat kept?")
    (line,) = read(tmp_path / "log.jsonl")
    # shed and twin say the same but for case and blanks. boat and oars share the same words with
    # the question and are of one time, so the id decides; the limit is two. winch and tea share
    # no more than a little word or two.
    assert {c.memory_id: c.reason for c in line.candidates} == {
        "shed": None,
        "twin": "duplicate",
        "boat": None,
        "oars": "limit",
        "winch": "below-floor",
        "tea": "below-floor",
    }
    assert {c.memory_id: c.characters for c in line.candidates}["oars"] == len(MEMORIES["oars"])
    store.recall("What do I prefer?")
    (hinted,) = [c for c in read(tmp_path / "log.jsonl")[1].candidates if c.memory_id == "tea"]
    assert hinted.passed
    assert hinted.features.type_affinity == 1


def test_files_and_index_log_the_same_candidates(tmp_path):
    for kind in (FilesystemStore, HybridStore):
        log = TraceLog(tmp_path / f"{kind.__name__}.jsonl")
        store = filled(logged(kind, log)(tmp_path / kind.__name__, SETTINGS))
        for question in QUESTIONS:
            store.recall(question)
        store.close()

    def said(kind):
        return [
            (line.query_id, [msgspec.structs.replace(c, channel=None) for c in line.candidates])
            for line in read(tmp_path / f"{kind.__name__}.jsonl")
        ]

    assert said(FilesystemStore) == said(HybridStore)


def test_second_connections_and_successors_log_too(tmp_path):
    log = tmp_path / "log.jsonl"
    store = logged(hybrid(), log).open(SETTINGS)
    filled(store)
    other = store.second()
    other.recall("rowing boat")
    other.close()
    again = store.reopen()
    again.recall("rowing boat")
    again.close()
    assert [line.store for line in read(log)] == ["memconform reference: hybrid"] * 2


def test_text_only_when_asked_for(tmp_path):
    for with_text in (False, True):
        path = tmp_path / f"{with_text}.jsonl"
        log = TraceLog(path, with_text=with_text)
        store = filled(logged(filesystem(), log).open(SETTINGS))
        store.recall("Where is the rowing boat kept?")
        store.recall("划艇放在哪里")
        store.close()
        text = path.read_text(encoding="utf-8")
        for secret in ("rowing", "kept", "划艇", "loft"):
            assert (secret in text) is with_text
        assert [line.language for line in read(path)] == ["latin", "cjk"]
        assert path.stat().st_mode & 0o077 == 0


def test_lines_keep_to_the_published_schema(tmp_path):
    store = filled(logged(filesystem(), tmp_path / "log.jsonl").open(SETTINGS))
    for question in QUESTIONS:
        store.recall(question)
    schema = json.loads((find("schemas") / "trace-log-1.json").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_bytes().splitlines()]
    assert len(lines) == len(QUESTIONS)
    for line in lines:
        check.validate(line)
    for broken in ({"queryId": 1}, {"schema": "memconform/trace-log/2"}, {"candidates": None}):
        assert not check.is_valid({**lines[0], **broken})


# --- stores of other kinds ---------------------------------------------------------------------


class Shelf:
    """A store without traces, whose hits have the scores given."""

    def __init__(self, scores):
        self.scores = scores
        self.options = None

    def recall(self, query, access=Access(), limit=None, **options):
        self.options = options
        hits = [hit(f"m{i}", f"text {i}", score=s) for i, s in enumerate(self.scores)]
        return recalled(hits[:limit])

    def write(self, record):
        raise NotImplementedError

    forget = get = write

    def close(self):
        pass

    def extra(self):
        return "extra"


def clock():
    return datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("scores", "logged_scores"),
    [
        ([0.9, 0.5, 0.5], [0.9, 0.5, 0.5]),
        ([None, None, None], [1, 1 / 2, 1 / 3]),
        # Scores that contradict the order of the answer are no scores to sort by.
        ([0.1, 0.5, 0.9], [1, 1 / 2, 1 / 3]),
    ],
)
def test_any_store_logs_its_answer(tmp_path, scores, logged_scores):
    inner = Shelf(scores)
    store = logged(inner, tmp_path / "log.jsonl", name="shelf", clock=clock)
    assert isinstance(store, MemoryStore)
    assert store.recall("a boat", Access(), 3) == inner.recall("a boat", Access(), 3)
    assert inner.options == {}
    assert store.extra() == "extra"
    (line,) = read(tmp_path / "log.jsonl")
    assert [c.final_score for c in line.candidates] == logged_scores
    assert [c.memory_id for c in line.candidates] == ["m0", "m1", "m2"]
    assert all(c.selected for c in line.candidates)
    assert (line.timestamp, line.store, line.swept_from) == (NOW, "shelf", None)


def test_a_store_with_traces_is_asked_for_one_and_gives_it_only_when_asked(tmp_path):
    inner = filled(filesystem().open(SETTINGS))
    hello = filesystem().hello()
    theirs = system(lambda settings: inner, name="theirs", version="1", capabilities=["trace"])
    assert "trace" in hello.capabilities
    store = logged(theirs, tmp_path / "log.jsonl").open(SETTINGS)
    question = "Where is the rowing boat kept?"
    assert store.recall(question) == inner.recall(question)
    assert store.recall(question, trace=True) == inner.recall(question, trace=True)
    lines = read(tmp_path / "log.jsonl")
    trace = inner.recall(question, trace=True).trace
    assert [len(line.candidates) for line in lines] == [len(trace.rankings)] * 2
    # A trace holds what passed, so it can be swept from the floor on and no lower.
    assert lines[0].swept_from == 0.4
    assert lines[0].query_id == query_id(question)


def test_a_log_that_fails_changes_nothing(tmp_path, caplog):
    folder = tmp_path / "logs"
    folder.mkdir()
    log = TraceLog(folder / "log.jsonl")
    store = filled(logged(FilesystemStore, log)(tmp_path / "notes", SETTINGS))
    shelf = logged(Shelf([1.0]), log)
    (folder / "log.jsonl").unlink()
    folder.rmdir()
    assert store.recall("rowing boat kept in the shed").hits[0].id == "shed"
    assert shelf.recall("x").hits[0].id == "m0"
    assert log.failures == 2
    assert caplog.text.count("could not be logged") == 1


def test_an_answer_that_is_no_answer_is_handed_on(tmp_path):
    class Broken(Shelf):
        def recall(self, query, access=Access(), limit=None, **options):
            return {"hits": "none"}

    log = TraceLog(tmp_path / "log.jsonl")
    assert logged(Broken([]), log).recall("x") == {"hits": "none"}
    assert log.failures == 1
    assert read(tmp_path / "log.jsonl") == []


def test_a_log_that_can_not_be_opened_is_said_at_once(tmp_path):
    with pytest.raises(TraceError, match="can't be written to"):
        TraceLog(tmp_path / "missing" / "log.jsonl")


# --- by the environment ------------------------------------------------------------------------


def test_the_environment_says_whether_and_where(tmp_path):
    inner = filesystem()
    assert from_environment(inner, {}) is inner
    path = tmp_path / "log.jsonl"
    store = from_environment(inner, {"MEMCONFORM_TRACE_LOG": str(path)}).open(SETTINGS)
    filled(store).recall("rowing boat")
    store.close()
    assert read(path)[0].query is None
    text = {"MEMCONFORM_TRACE_LOG": str(path), "MEMCONFORM_TRACE_TEXT": "1"}
    store = from_environment(inner, text).open(SETTINGS)
    filled(store).recall("rowing boat")
    store.close()
    assert read(path)[1].query == "rowing boat"


@pytest.mark.parametrize("wire", ["--wire", None])
def test_what_the_kit_measures_is_logged(tmp_path, wire, monkeypatch):
    path = tmp_path / "log.jsonl"
    monkeypatch.setenv("MEMCONFORM_TRACE_LOG", str(path))
    command = [sys.executable, "-m", "memconform.cli", "smoke", "reference:filesystem"]
    command += [wire] if wire else []
    assert subprocess.run(command, timeout=60, check=False, capture_output=True).returncode == 0
    assert len(read(path)) >= 1


def test_a_log_that_can_not_be_opened_ends_the_command_with_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMCONFORM_TRACE_LOG", str(tmp_path / "missing" / "log.jsonl"))
    command = [sys.executable, "-m", "memconform.cli", "smoke", "reference:filesystem"]
    done = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "MEMCONFORM_TRACE_LOG is set and can't be obeyed" in done.stderr
    assert "Traceback" not in done.stderr
