"""The audit of an authority store as traces: what its runs become, and what is refused."""

import hashlib
import json
import sqlite3

import pytest
from traces_lines import rows

from memconform.cli import run
from memconform.model import RecordDraft, Settings
from memconform.reference import authority_audit
from memconform.reference.authority import AuthorityStore
from memconform.reference.authority_schema import VERSION_1
from memconform.reference.authority_schema import run as script
from memconform.reference.authority_tables import FILE, FOLDER
from memconform.sweep import sweep
from memconform.traces import TraceError, connect, from_lines, ingest, query_id
from memconform.traces.formats import kind_of
from memconform.traces.read_audit import AuditReader

NOW = "2026-06-30T00:00:00.000Z"
TERSE = "hose shed"
# Nine terms, of which the claim on the hose has one: 1/9 is below .12.
WORDY = "hose pump valve gutter basin nozzle trowel spade bucket"


def opened(root, clock=NOW, **more):
    return AuthorityStore(root, Settings(clock=clock), workspace="/home/garden", **more)


@pytest.fixture
def store(tmp_path):
    """Two claims, both of the belief 6/7, said now."""
    store = opened(tmp_path / "memory")
    store.write(RecordDraft(key="hose", content="The hose hangs in the shed"))
    store.write(RecordDraft(key="leak", content="The shed leaks when it rains"))
    yield store
    store.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory" / FOLDER / FILE


def imported(tmp_path, *sources, **options):
    """A connection to the traces of these sources, and the summary."""
    summary = ingest(list(sources), tmp_path / "traces", **options)
    return connect(tmp_path / "traces"), summary


def changed(path, sql, *values):
    db = sqlite3.connect(path)
    with db:
        db.execute(sql, values)
    db.close()


def refusals(summary):
    return [(refusal.line, refusal.reason) for refusal in summary.refused]


# --- what a run becomes ------------------------------------------------------------------------


def test_a_run_column_by_column(tmp_path, store, path):
    assert store.context(TERSE).ids == ["hose", "leak"]
    assert kind_of(path) == "audit"
    connection, summary = imported(tmp_path, path)
    assert (summary.added, summary.candidates, summary.refused_count) == (1, 2, 0)
    (row,) = rows(connection, "SELECT * FROM retrievals")
    assert row["query_id"] == query_id(TERSE)
    assert row["timestamp"].isoformat() == "2026-06-30T00:00:00"
    expected = {
        "store": None,
        "mode": "sqlite-fts5",
        "gate": "authority-v1",
        "language": "latin",
        "query_token_count": 2,
        "candidate_count": 2,
        "filtered_scope": None,
        "filtered_lifecycle": 0,
        "filtered_irrelevant": 0,
        "selected_count": 2,
        "swept_from": 0.0,
        "latency_ms": None,
        "query_text": None,
    }
    assert {name: row[name] for name in expected} == expected
    first, second = rows(connection, "SELECT * FROM candidates ORDER BY rank")
    # .62 x 1 + .23 x 6/7 + .15 x 1 + .05 of the workspace; the second has one of two terms.
    assert first["final_score"] == pytest.approx(0.62 + 0.23 * 6 / 7 + 0.15 + 0.05, abs=1e-9)
    assert second["final_score"] == pytest.approx(0.31 + 0.23 * 6 / 7 + 0.15 + 0.05, abs=1e-9)
    assert [(r["memory_id"], r["lexical"], r["gate_value"]) for r in (first, second)] == [
        ("hose", 1.0, 1.0),
        ("leak", 0.5, 0.5),
    ]
    for each in (first, second):
        assert (each["channel"], each["freshness"], each["importance"]) == ("trigger", 1.0, None)
        assert each["confidence"] == pytest.approx(6 / 7, abs=1e-9)
        assert (each["passed"], each["selected"], each["reason"]) == (True, True, None)
        assert (each["passes_always"], each["characters"], each["content"]) == (False, None, None)


def test_what_is_too_little_did_not_pass_and_what_was_only_recalled_is_not_selected(
    tmp_path, store, path
):
    store.recall(WORDY)
    store.recall("hose")
    connection, _ = imported(tmp_path, path)
    found = rows(
        connection,
        "SELECT memory_id, passed, selected, reason, filtered_irrelevant FROM candidates "
        "JOIN retrievals USING (retrieval_id) ORDER BY gate_value",
    )
    assert [tuple(row.values()) for row in found] == [
        ("hose", False, False, "below-floor", 1),
        ("hose", True, False, "unknown", 0),
    ]


def test_what_did_harm_twice_enters_under_no_floor(tmp_path, store, path):
    store.feedback("leak", "harmful")
    store.feedback("leak", "harmful")
    store.context(TERSE)
    connection, _ = imported(tmp_path, path)
    (row,) = rows(connection, "SELECT candidate_count, filtered_lifecycle FROM retrievals")
    assert row == {"candidate_count": 2, "filtered_lifecycle": 1}
    assert rows(connection, "SELECT memory_id FROM candidates") == [{"memory_id": "hose"}]


def test_a_full_list_may_hide_something(tmp_path, store, path):
    # With the two that are there, one more and one less than the sixteen that get a decision.
    for number in range(13):
        store.write(RecordDraft(content=f"A shed of kind {number}"))
    store.context("shed")
    store.write(RecordDraft(content="A shed of another kind"))
    store.context("shed")
    connection, _ = imported(tmp_path, path)
    found = rows(connection, "SELECT candidate_count, swept_from FROM retrievals ORDER BY ALL")
    assert [tuple(row.values()) for row in found] == [(15, 0.0), (16, None)]


def test_a_chinese_question_is_told_by_its_terms(tmp_path, store, path):
    for question in ("水管在花園的倉庫", "hose", "?"):
        store.context(question)
    connection, _ = imported(tmp_path, path)
    found = rows(connection, "SELECT query_id, language FROM retrievals")
    assert {row["query_id"]: row["language"] for row in found} == {
        query_id("水管在花園的倉庫"): "cjk",
        query_id("hose"): "latin",
        query_id("?"): None,
    }


def test_no_question_comes_in_and_texts_of_claims_only_where_asked_for(tmp_path, store, path):
    store.context("hose shed zanzibar")
    store.forget("leak")
    plain, _ = imported(tmp_path, path)
    said = json.dumps(
        [rows(plain, f"SELECT * FROM {table}") for table in ("retrievals", "candidates")],
        default=str,
    )
    assert "zanzibar" not in said
    assert "hangs" not in said
    ingest([path], tmp_path / "with", with_text=True)
    found = rows(
        connect(tmp_path / "with"),
        "SELECT memory_id, content, characters FROM candidates ORDER BY rank",
    )
    # What is forgotten is not spread by an import.
    assert [tuple(row.values()) for row in found] == [
        ("hose", "The hose hangs in the shed", 26),
        ("leak", None, None),
    ]


# --- again, and beside a store that is open ----------------------------------------------------


def tree(folder):
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir()}


def test_an_open_store_is_read_and_left_as_it_is(tmp_path, store, path):
    store.context(TERSE)
    # What was written last stands in the log beside the database only.
    assert path.with_name(FILE + "-wal").stat().st_size > 0
    before = tree(path.parent)
    _, summary = imported(tmp_path, path.parent)
    # The folder was named: the files beside the database are no sources of their own.
    assert (summary.added, summary.refused_count) == (1, 0)
    assert tree(path.parent) == before
    assert not (tmp_path / "traces" / ".incoming").exists()


def test_a_closed_store_gets_no_files_beside_it(tmp_path, store, path):
    store.context(TERSE)
    store.close()
    before = tree(path.parent)
    assert list(before) == [FILE]
    _, summary = imported(tmp_path, path)
    assert summary.added == 1
    assert tree(path.parent) == before


def test_twice_adds_nothing_twice_and_later_what_is_new(tmp_path, store, path):
    store.context(TERSE)
    store.context(TERSE)  # the same question is another run
    store.feedback("hose", "helped")
    _, first = imported(tmp_path, path)
    assert (first.added, first.labels) == (2, 1)
    store.context("rains")
    _, again = imported(tmp_path, path)
    assert (again.added, again.known, again.labels, again.labels_known) == (1, 2, 0, 1)
    # Forgetting takes away a text, and the run is still the same.
    store.forget("leak")
    _, last = imported(tmp_path, path, with_text=True)
    assert (last.added, last.known) == (0, 3)


def test_what_changes_while_it_is_copied_is_copied_again(tmp_path, store, path, monkeypatch):
    store.context(TERSE)
    copies, disturbed = [], 3

    def copyfile(source, target):
        copies.append(source.name)
        if len(copies) <= disturbed:
            store.context(TERSE)
        target.write_bytes(source.read_bytes())

    monkeypatch.setattr(authority_audit.shutil, "copyfile", copyfile)
    _, summary = imported(tmp_path, path)
    # Three copies were disturbed, each by one further run.
    assert summary.added == 4
    monkeypatch.setattr(authority_audit, "_ATTEMPTS", 2)
    disturbed = 99
    with pytest.raises(TraceError, match="being written to all the time"):
        imported(tmp_path, path)


def test_runs_come_a_portion_at_a_time(tmp_path, store, path, monkeypatch):
    for _ in range(6):
        store.context(TERSE)
    # A run is one and its two candidates.
    monkeypatch.setattr(from_lines, "PORTION", 6)
    found = list(AuditReader(path, tmp_path, with_text=False).read())
    assert [sum(map(len, each.batches)) for each in found] == [2, 2, 2, 0]


# --- what people said --------------------------------------------------------------------------


def labels(connection):
    found = rows(connection, "SELECT query_id, memory_id, grade FROM labels ORDER BY ALL")
    return {(row["query_id"], row["memory_id"]): row["grade"] for row in found}


def test_what_people_said_judges_the_question_that_showed_it_last(tmp_path, store, path):
    store.context("hose rains")  # shows both; only the second showing counts
    store.context(TERSE)
    store.feedback("leak", "helped")
    store.feedback("leak", "stale")  # the last word
    store.feedback("leak", "unknown")  # which is none
    store.feedback("hose", "helped")
    connection, summary = imported(tmp_path, path)
    asked = query_id(TERSE)
    assert labels(connection) == {(asked, "hose"): 1, (asked, "leak"): 0}
    assert summary.labels == 2


def test_harm_is_forbidden_where_something_else_helped_and_says_nothing_alone(
    tmp_path, store, path
):
    store.context("rains")
    store.feedback("leak", "harmful")
    connection, _ = imported(tmp_path, path)
    # Judged alone, it would mean that nothing helps here, which nobody has said.
    assert labels(connection) == {}
    assert rows(connection, "SELECT * FROM query_labels") == []
    store.context(TERSE)
    store.feedback("leak", "harmful")
    store.feedback("hose", "helped")
    connection, _ = imported(tmp_path, path)
    assert labels(connection) == {(query_id(TERSE), "hose"): 1, (query_id(TERSE), "leak"): -1}


@pytest.mark.parametrize(
    ("said_at", "judged"),
    [
        ("2026-07-14T00:00:00Z", True),  # fourteen days after
        ("2026-07-14T00:00:00.001Z", False),
        ("2026-06-29T23:59:59Z", False),  # before it was shown
    ],
)
def test_what_is_said_later_than_two_weeks_or_before_is_of_no_question(
    tmp_path, store, path, said_at, judged
):
    store.context("hose")
    store.set_clock(said_at)
    store.feedback("hose", "helped")
    connection, _ = imported(tmp_path, path)
    assert labels(connection) == ({(query_id("hose"), "hose"): 1} if judged else {})


def test_a_floor_can_be_swept(tmp_path, store, path, capsys):
    store.context(TERSE)
    store.context(WORDY)
    store.feedback("hose", "helped")
    store.feedback("leak", "stale")
    assert run(["traces", "import", str(path), "--out", str(tmp_path / "traces")]) == 0
    assert "2 retrievals with 3 candidates added" in capsys.readouterr().out
    found = sweep(tmp_path / "traces", 3)
    # 1/9 of the wordy one, 1/2 and 1 of the terse one.
    assert found.thresholds[:3].tolist() == pytest.approx([1 / 9, 0.5, 1.0], abs=1e-9)
    low, design, high = found.at(0.1), found.at(0.12), found.at(0.6)
    assert (low.selected, design.selected, high.selected) == (1.5, 1.0, 0.5)
    # The terse question alone is judged: one relevant of two, then of one.
    assert (design.recall, design.precision) == (1.0, 0.5)
    assert (high.recall, high.precision) == (1.0, 1.0)
    assert run(["sweep", str(tmp_path / "traces"), "-k", "3", "--keep", "precision=1"]) == 0
    assert "precision" in capsys.readouterr().out


# --- what is refused ---------------------------------------------------------------------------

LONG = authority_audit.MOST_BYTES


@pytest.mark.parametrize(
    ("sql", "value", "reason"),
    [
        (
            "DELETE FROM authority_decisions WHERE run = 2 AND claim_id = 'leak'",
            None,
            "it names 2 candidates, and its decisions are 1",
        ),
        (
            "DELETE FROM authority_decisions WHERE run = 2",
            None,
            "it names 2 candidates, and its decisions are 0",
        ),
        (
            "UPDATE authority_decisions SET claim_id = 'other' WHERE run = 2 AND claim_id = 'leak'",
            None,
            "the claim 'leak' was injected without a decision",
        ),
        (
            "UPDATE authority_decisions SET action = 'ignore' WHERE run = 2 AND claim_id = 'hose'",
            None,
            "the claim 'hose' was injected and should have been ignored",
        ),
        ("UPDATE authority_decisions SET action = 'do' WHERE run = 2", None, "Invalid enum value"),
        (
            "UPDATE authority_decisions SET reasons_json = '{' WHERE run = 2",
            None,
            "reasons_json is no list",
        ),
        ("UPDATE authority_decisions SET relevance = 1.5 WHERE run = 2", None, "not in 0..1"),
        ("UPDATE authority_decisions SET rank = ? WHERE run = 2", float("inf"), "infinite"),
        ("UPDATE authority_decisions SET belief = 'much' WHERE run = 2", None, "Expected `float`"),
        (
            "UPDATE authority_decisions SET claim_id = CAST(x'ff' AS TEXT)"
            " WHERE run = 2 AND claim_id = 'leak'",
            None,
            "a text of it is not UTF-8",
        ),
        ("UPDATE retrieval_runs SET at = 'soon' WHERE number = 2", None, "timestamp is no ISO"),
        ("UPDATE retrieval_runs SET query_hash = '' WHERE number = 2", None, "queryId is missing"),
        (
            "UPDATE retrieval_runs SET terms_json = ? WHERE number = 2",
            "x" * (LONG + 1),
            "longer than 16",
        ),
    ],
)
def test_a_run_with_anything_wrong_is_refused_with_its_number(
    tmp_path, store, path, sql, value, reason
):
    for _ in range(3):
        store.context(TERSE)
    store.close()
    changed(path, sql, *(() if value is None else (value,)))
    _, summary = imported(tmp_path, path)
    assert summary.added == 2
    ((number, told),) = refusals(summary)
    assert (number, reason in told) == (2, True), told
    kept = (tmp_path / "traces" / "refused.jsonl").read_text().splitlines()
    assert [json.loads(line)["line"] for line in kept] == [2]


def test_what_belongs_to_no_run_is_told(tmp_path, store, path):
    store.context(TERSE)
    store.context("hose")
    store.close()
    changed(path, "DELETE FROM retrieval_runs WHERE number = 2")
    _, summary = imported(tmp_path, path)
    assert summary.added == 1
    assert refusals(summary) == [
        (2, "authority_decisions has 1 of this run, which isn't there"),
        (2, "injections has 1 of this run, which isn't there"),
    ]


def test_a_report_that_cant_be_read_is_told_and_the_others_count(tmp_path, store, path):
    store.context("hose")
    store.feedback("hose", "helped")
    store.close()
    changed(
        path, "INSERT INTO consumption (claim_id, outcome, at) VALUES ('hose', 'so-so', ?)", NOW
    )
    connection, summary = imported(tmp_path, path)
    ((number, told),) = refusals(summary)
    assert (number, "so-so" in told) == (2, True)
    assert labels(connection) == {(query_id("hose"), "hose"): 1}


def test_runs_whose_decisions_are_pruned_are_passed_over(tmp_path, store, path):
    for _ in range(3):
        store.context(TERSE)
    store.close()
    for table in ("authority_decisions", "injections"):
        changed(path, f"DELETE FROM {table} WHERE run = 1")
    _, summary = imported(tmp_path, path)
    assert (summary.added, summary.passed_over, summary.refused_count) == (2, 1, 0)


# --- other files -------------------------------------------------------------------------------


def database(path, *statements):
    db = sqlite3.connect(path)
    with db:
        for statement in statements:
            db.execute(statement)
    db.close()
    return path


def test_a_file_of_version_1_has_no_terms(tmp_path):
    db = sqlite3.connect(tmp_path / "old.db", isolation_level=None)
    script(db, VERSION_1)
    db.execute("INSERT INTO retrieval_runs VALUES (7, ?, 'ab', NULL, NULL, 0)", (NOW,))
    db.close()
    connection, summary = imported(tmp_path, tmp_path / "old.db")
    assert summary.added == 1
    (row,) = rows(connection, "SELECT query_id, language, query_token_count FROM retrievals")
    # A hash of another kind is an id as it stands.
    assert row == {"query_id": "ab", "language": None, "query_token_count": None}


LEAST = (
    "CREATE TABLE retrieval_runs (number TEXT, at, query_hash, candidates)",
    "CREATE TABLE authority_decisions"
    " (run, claim_id, action, reasons_json, relevance, freshness, belief, risk)",
    "CREATE TABLE injections (run, claim_id, message_id)",
    "CREATE TABLE consumption (claim_id, outcome, note, at)",
)


def test_the_least_that_the_design_names_is_enough(tmp_path):
    path = database(
        tmp_path / "least.db",
        *LEAST,
        f"INSERT INTO retrieval_runs VALUES ('run-b', '{NOW}', 'ab', 1)",
        "INSERT INTO authority_decisions VALUES"
        " ('run-b', 'm', 'verify', '[\"stale_memory\"]', 0.5, 0.1, 0.8, 0.3)",
        f"INSERT INTO retrieval_runs VALUES ('run-a', '{NOW}', 'cd', 'two')",
    )
    connection, summary = imported(tmp_path, path)
    # Runs without whole numbers are told by their place.
    ((number, told),) = refusals(summary)
    assert (number, "candidates" in told) == (1, True)
    (row,) = rows(connection, "SELECT final_score, channel, passed, selected FROM candidates")
    # .62 x .5 + .23 x .8 + .15 x .1
    assert row.pop("final_score") == pytest.approx(0.509, abs=1e-12)
    assert row == {"channel": None, "passed": True, "selected": False}


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        (("CREATE TABLE other (x)",), "no table retrieval_runs; name the file of an authority"),
        (
            ("CREATE VIEW retrieval_runs AS SELECT 1 AS number", *LEAST[1:]),
            "no table retrieval_runs",
        ),
        (
            (LEAST[0], LEAST[1].replace("risk", "worry"), *LEAST[2:]),
            "its table authority_decisions has no column risk; there are action, belief",
        ),
    ],
)
def test_another_database_is_refused_in_one_sentence(tmp_path, capsys, statements, told):
    path = database(tmp_path / "other.db", *statements)
    assert run(["traces", "import", str(path), "--out", str(tmp_path / "traces")]) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.err.count("\n") == 1


def test_a_damaged_file_is_refused_and_what_came_before_stays(tmp_path, store, path):
    store.context(TERSE)
    store.close()
    damaged = tmp_path / "damaged.db"
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    damaged.write_bytes(data)
    with pytest.raises(TraceError, match=r"damaged\.db can't be imported"):
        imported(tmp_path, path, damaged)
    assert len(rows(connect(tmp_path / "traces"), "SELECT * FROM retrievals")) == 1
