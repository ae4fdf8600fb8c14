"""Sources of other kinds: last traces, spans, runs, tables, judgements; and what is written out."""

import hashlib
import json
import random
from datetime import datetime

import ir_measures
import msgspec
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_traces_import import random_lines, stored
from traces_lines import WEIGHTS, candidate, features, line, rows, store_of, write

from memconform.traces import TraceError, connect, open_store, query_id
from memconform.traces.export import exported, trec_name
from memconform.traces.formats import kind_of
from memconform.traces.mapping import load


def only(folder, query="SELECT * FROM retrievals"):
    (row,) = rows(connect(folder), query)
    return row


# --- traces of last retrievals -----------------------------------------------------------------


def last_trace(**changes):
    """What a host keeps of its last retrieval: what passed, and counts of the rest."""

    def ranking(id, score, lexical, selected, affinity=0.0):
        return {
            "memoryId": id,
            "channel": "fts5",
            "features": features(lexical, affinity),
            "finalScore": score,
            "selected": selected,
        }

    return {
        "timestamp": "2026-03-01T09:00:00.000Z",
        "mode": "sqlite-fts5",
        "queryTokenCount": 10,
        "queryTokensTruncated": False,
        "candidateCount": 7,
        "filtered": {"scope": 1, "lifecycle": 2, "irrelevant": 3},
        "rankings": [
            ranking("a", 0.9, 0.8, True),
            ranking("b", 0.8, 0.1, True, affinity=1.0),
            ranking("c", 0.7, 0.5, False),
            ranking("d", 0.6, 0.4, False),
        ],
        "selectedIds": ["a", "b"],
        "excludedByPromptBudget": ["c"],
        "truncatedIds": ["b"],
        "selectedCharacters": 512,
        "recordLimit": 2,
        "promptCharacterBudget": 6000,
        "rankingWeights": WEIGHTS,
        **changes,
    }


def test_a_last_trace_says_what_passed_and_from_where_it_is_complete(tmp_path):
    path = write(tmp_path / "last.jsonl", [last_trace()])
    assert kind_of(path) == "last-trace"
    summary = store_of(tmp_path / "store", path)
    assert (summary.added, summary.candidates) == (1, 4)
    row = only(tmp_path / "store")
    # Nobody has said what was asked: the retrieval is a query of its own, of either language, so
    # the higher floor is the one from which nothing is missing.
    assert (row["language"], row["swept_from"], row["selected_count"]) == (None, 0.4, 2)
    found = rows(
        connect(tmp_path / "store"),
        "SELECT memory_id, passed, selected, truncated, reason FROM candidates ORDER BY rank",
    )
    assert [tuple(row.values()) for row in found] == [
        ("a", True, True, False, None),
        ("b", True, True, True, None),
        ("c", True, False, False, "budget"),
        ("d", True, False, False, "limit"),
    ]


@pytest.mark.parametrize(
    ("changes", "swept_from"),
    [
        ({"language": "latin"}, 0.4),
        ({"language": "cjk"}, 1 / 3),
        ({"query": "Where is it?"}, 0.4),
        ({"query": "在哪里"}, 1 / 3),
        ({"gate": "historical-v1"}, 0.0),
        ({"gate": "something-else"}, None),
        # More passed than the list holds.
        ({"candidateCount": 8}, None),
        # Without the counts a list that isn't full is the whole of it.
        ({"candidateCount": None}, 0.4),
    ],
)
def test_where_a_trace_is_complete(tmp_path, changes, swept_from):
    store_of(tmp_path / "store", write(tmp_path / "last.jsonl", [last_trace(**changes)]))
    assert only(tmp_path / "store")["swept_from"] == swept_from


def test_what_passed_below_the_floor_shows_another_gate(tmp_path):
    trace = last_trace(language="latin")
    trace["rankings"][2]["features"]["lexical"] = 0.39
    store_of(tmp_path / "store", write(tmp_path / "last.jsonl", [trace]))
    assert only(tmp_path / "store")["swept_from"] is None


def test_a_trace_within_what_a_host_writes_around_it(tmp_path):
    path = tmp_path / "diagnostics.json"
    around = {"records": 3, "query": "Where is it?", "lastTrace": last_trace()}
    path.write_text(
        json.dumps([around, {"trace": last_trace(mode="filesystem-fallback")}], indent=1)
    )
    store_of(tmp_path / "store", path)
    modes = rows(connect(tmp_path / "store"), "SELECT mode, query_id, query_text FROM retrievals")
    by_mode = {row["mode"]: row for row in modes}
    assert by_mode["sqlite-fts5"]["query_id"] == query_id("Where is it?")
    assert {row["query_text"] for row in modes} == {None}
    assert set(by_mode) == {"sqlite-fts5", "filesystem-fallback"}


def test_what_is_no_trace_is_refused(tmp_path):
    path = write(tmp_path / "last.jsonl", [last_trace(), last_trace(rankings="none")])
    with path.open("a") as file:
        file.write("{\n")
    summary = store_of(tmp_path / "store", path)
    assert [(r.line, r.reason[:14]) for r in summary.refused] == [
        (2, "it is no trace"),
        (3, "it is no JSON:"),
    ]


# --- spans -------------------------------------------------------------------------------------

DOCUMENTS = [("doc-1", 0.9, "The shed."), ("doc-2", 0.5, "A loft."), (None, 0.25, "Without id")]
START, END = "2026-03-01T09:00:00.000000+00:00", "2026-03-01T09:00:00.012500+00:00"


def flat_span():
    """Flat keys, as tracers set them."""
    attributes = {"openinference.span.kind": "RETRIEVER", "input.value": "Where is the boat?"}
    for place, (id, score, content) in enumerate(DOCUMENTS):
        prefix = f"retrieval.documents.{place}.document"
        attributes |= {f"{prefix}.score": score, f"{prefix}.content": content}
        if id:
            attributes[f"{prefix}.id"] = id
    return {
        "name": "retriever",
        "context": {"trace_id": "t1", "span_id": "s1"},
        "start_time": START,
        "end_time": END,
        "attributes": attributes,
    }


def nested_span():
    """Nested objects, as the server keeps them."""
    documents = [
        {"document": {"id": id, "score": score, "content": content}}
        for id, score, content in DOCUMENTS
    ]
    return {
        "name": "retriever",
        "span_kind": "RETRIEVER",
        "context": {"trace_id": "t1", "span_id": "s1"},
        "start_time": START,
        "end_time": END,
        "attributes": {
            "input": {"value": "Where is the boat?"},
            "retrieval": {"documents": documents},
        },
    }


def table_span():
    """A row of a data frame of spans: columns named by path, documents in one cell."""
    return {
        "name": "retriever",
        "span_kind": "RETRIEVER",
        "context.span_id": "s1",
        "context.trace_id": "t1",
        "start_time": START,
        "end_time": END,
        "attributes.input.value": "Where is the boat?",
        "attributes.retrieval.documents": [
            {"document.id": id, "document.score": score, "document.content": content}
            for id, score, content in DOCUMENTS
        ],
    }


def other_span():
    return {**table_span(), "span_kind": "LLM", "context.span_id": "s2"}


def spans_in(tmp_path, shape):
    if shape == "parquet":
        times = {
            "start_time": datetime.fromisoformat(START),
            "end_time": datetime.fromisoformat(END),
        }
        spans = [{**table_span(), **times}, {**other_span(), **times}]
        pq.write_table(pa.Table.from_pylist(spans), tmp_path / "spans.parquet")
        return tmp_path / "spans.parquet"
    made = {"flat": flat_span, "nested": nested_span, "table": table_span}[shape]()
    return write(tmp_path / "spans.jsonl", [made, other_span()])


@pytest.mark.parametrize("shape", ["flat", "nested", "table", "parquet"])
def test_retriever_spans_of_every_shape_say_the_same(tmp_path, shape):
    path = spans_in(tmp_path, shape)
    assert kind_of(path) == "spans"
    summary = store_of(tmp_path / "store", path, with_text=True)
    assert (summary.added, summary.passed_over, summary.refused_count) == (1, 1, 0)
    row = only(tmp_path / "store")
    assert row["query_id"] == query_id("Where is the boat?")
    assert (row["query_text"], row["language"]) == ("Where is the boat?", "latin")
    assert (row["store"], row["latency_ms"], row["swept_from"]) == ("retriever", 12.5, 0.25)
    assert row["timestamp"] == datetime(2026, 3, 1, 9)
    # The id is made of what the span says, so every shape has the same.
    said = [
        ["s1", "t1", query_id("Where is the boat?"), "2026-03-01T09:00:00Z"],
        [["doc-1", 0.9], ["doc-2", 0.5], [f"content-{query_id('Without id')}", 0.25]],
    ]
    digest = hashlib.sha256(msgspec.json.encode(said)).hexdigest()
    assert row["retrieval_id"] == digest[:32]
    found = rows(
        connect(tmp_path / "store"),
        "SELECT memory_id, final_score, gate_value, selected, characters, content "
        "FROM candidates ORDER BY rank",
    )
    assert [tuple(row.values()) for row in found] == [
        ("doc-1", 0.9, 0.9, True, 9, "The shed."),
        ("doc-2", 0.5, 0.5, True, 7, "A loft."),
        (f"content-{query_id('Without id')}", 0.25, 0.25, True, 10, "Without id"),
    ]


def test_spans_that_can_not_be_used_are_refused(tmp_path):
    spans = [flat_span() for _ in range(4)]
    del spans[0]["attributes"]["retrieval.documents.1.document.score"]
    del spans[1]["attributes"]["retrieval.documents.2.document.content"]
    for place in range(3):
        spans[2]["attributes"][f"retrieval.documents.{place}.document.score"] = place / 10
    del spans[3]["attributes"]["input.value"], spans[3]["context"]
    summary = store_of(tmp_path / "store", write(tmp_path / "spans.jsonl", spans), format="spans")
    assert [(r.line, r.reason.split(":")[0]) for r in summary.refused] == [
        (1, "document 1 has no score"),
        (2, "document 2 has neither id nor content"),
        (3, "the scores rise from document to document"),
        (4, "the span has neither input.value nor a span id"),
    ]
    assert summary.added == 0


# --- TREC --------------------------------------------------------------------------------------

RUN = """\
q1 Q0 d1 1 2.5 tag
q1\tQ0\td2\t2\t1.5\ttag

q2 Q0 d1 9 0.25 tag
q2 Q0 d3 1 0.75 tag
"""


def test_a_run_is_read_topic_by_topic(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text(RUN)
    assert kind_of(path) == "run"
    assert store_of(tmp_path / "store", path).added == 2
    connection = connect(tmp_path / "store")
    found = rows(
        connection,
        "SELECT query_id, memory_id, rank, final_score, selected FROM candidates "
        "ORDER BY query_id, rank",
    )
    # The score decides, the rank column doesn't.
    assert [tuple(row.values()) for row in found] == [
        ("q1", "d1", 1, 2.5, True),
        ("q1", "d2", 2, 1.5, True),
        ("q2", "d3", 1, 0.75, True),
        ("q2", "d1", 2, 0.25, True),
    ]
    assert rows(connection, "SELECT swept_from FROM retrievals ORDER BY query_id") == [
        {"swept_from": 1.5},
        {"swept_from": 0.25},
    ]


def test_a_topic_with_a_line_that_can_not_be_read_is_refused_whole(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text(
        "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 high tag\nq2 Q0 d1 1 1 tag\nq2 broken\n"
        "q3 Q0 d1 1 1 tag\nq4 Q0 d1 1 nan tag\nq3 Q0 d2 2 0.5 tag\n"
    )
    summary = store_of(tmp_path / "store", path, format="run")
    assert [(r.line, r.reason) for r in summary.refused] == [
        (1, "the score 'high' of d2 is no number"),
        (3, "line 4 of it can't be read"),
        (4, "it is not topic, Q0, document, rank, score, tag"),
        (6, "the score 'nan' of d1 is no number"),
        (7, "the topic stands in another place, too; sort the run"),
    ]
    assert [row["query_id"] for row in rows(connect(tmp_path / "store"), "FROM retrievals")] == [
        "q3"
    ]


def test_a_run_that_is_written_is_read_by_others(tmp_path):
    lines = random_lines(random.Random(2), 25)
    for said in lines:
        for found in said["candidates"]:
            found["memoryId"] = f"memory {found['memoryId']}\n%"
    store_of(tmp_path / "store", write(tmp_path / "log.jsonl", lines))
    out = tmp_path / "run.trec"
    out.write_bytes(b"".join(exported(open_store(tmp_path / "store"), "trec")))
    read = {(d.query_id, d.doc_id): d.score for d in ir_measures.read_trec_run(str(out))}
    assert read == {
        (said["queryId"], trec_name(found["memoryId"])): found["finalScore"]
        for said in lines
        for found in said["candidates"]
        if found["selected"]
    }
    assert trec_name("memory m1\n%") == "memory%20m1%0A%25"


def test_a_run_has_the_latest_retrieval_of_a_query(tmp_path):
    said = [
        line([candidate("old", 0.5, 0.5, selected=True)], at="2026-03-01T09:00:00Z"),
        line([candidate("new", 0.4, 0.5, selected=True)], at="2026-03-02T09:00:00Z"),
    ]
    store_of(tmp_path / "store", write(tmp_path / "log.jsonl", said))
    assert b"".join(exported(open_store(tmp_path / "store"), "trec")) == (
        b"q1 Q0 new 1 0.4 memconform\n"
    )


# --- tables ------------------------------------------------------------------------------------

CSV = """\
request,asked_at,doc,score,coverage,used,place
r1,2026-03-01 09:00:00,b,0.5,0.25,false,2
r2,2026-03-01T10:00:00+01:00,a,0.75,1.0,true,1
r1,2026-03-01 09:00:00,a,0.9,0.5,true,1
r3,2026-03-01 09:00:00,,,,,
r1,2026-03-01 09:00:00,c,0.5,0.5,true,3
"""
MAPPING = """
[columns]
query_text = "request"
memory_id = "doc"
final_score = "score"
lexical = "coverage"
selected = "used"
rank = "place"
timestamp = "asked_at"

[values]
store = "theirs"
passed = true

[retrieval]
by = ["request", "asked_at"]
"""


@pytest.fixture
def mapping(tmp_path):
    path = tmp_path / "mapping.toml"
    path.write_text(MAPPING)
    return load(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_by_a_mapping(tmp_path, mapping, suffix):
    path = tmp_path / "table.csv"
    path.write_text(CSV)
    if suffix == "parquet":
        polars.read_csv(path).write_parquet(tmp_path / "table.parquet")
        path = tmp_path / "table.parquet"
    assert kind_of(path) == "table"
    summary = store_of(tmp_path / "store", path, mapping=mapping)
    assert (summary.added, summary.candidates, summary.refused_count) == (3, 4, 0)
    connection = connect(tmp_path / "store")
    found = rows(
        connection,
        "SELECT query_id, rank, memory_id, lexical, selected, store, timestamp::VARCHAR AS at "
        "FROM retrievals LEFT JOIN candidates USING (retrieval_id, query_id) "
        "ORDER BY timestamp, query_id, rank",
    )
    assert sorted((tuple(row.values()) for row in found), key=str) == sorted(
        [
            (query_id("r1"), 1, "a", 0.5, True, "theirs", "2026-03-01 09:00:00"),
            (query_id("r1"), 2, "b", 0.25, False, "theirs", "2026-03-01 09:00:00"),
            (query_id("r1"), 3, "c", 0.5, True, "theirs", "2026-03-01 09:00:00"),
            (query_id("r2"), 1, "a", 1.0, True, "theirs", "2026-03-01 09:00:00"),
            (query_id("r3"), None, None, None, None, "theirs", "2026-03-01 09:00:00"),
        ],
        key=str,
    )
    assert store_of(tmp_path / "store", path, mapping=mapping).known == 3


def test_a_value_that_can_not_be_cast_refuses_its_retrieval(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "query_id,memory_id,final_score,lexical\n"
        "q1,a,0.5,0.5\nq1,b,high,0.5\nq2,a,0.5,NaN\nq3,a,0.5,0.5\nq3,b,0.4,\n"
    )
    summary = store_of(tmp_path / "store", path)
    assert [(r.line, r.reason) for r in summary.refused] == [
        (2, "finalScore can't be 'high'"),
        (3, "lexical of a candidate is NaN or not in 0..1"),
    ]
    assert summary.added == 1
    found = rows(connect(tmp_path / "store"), "SELECT memory_id, gate_value FROM candidates")
    assert [tuple(row.values()) for row in found] == [("a", 0.5), ("b", 0.4)]


def test_rows_with_too_many_cells_are_refused_by_themselves(tmp_path):
    path = tmp_path / "table.csv"
    good = "".join(f"q{n},a,0.5\n" for n in range(30))
    path.write_text(f"query_id,memory_id,final_score\n{good}q98,a,0.5,1,2\nq99,a,0.5\n")
    summary = store_of(tmp_path / "store", path)
    assert summary.added == 31
    assert [refusal.line for refusal in summary.refused] == [32]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[columns]\nquery_id = 'nowhere'", "no column 'nowhere'"),
        ("[columns]\nmemory = 'doc'", "'memory', which is no column of a trace store"),
        ("[columns]\ngate_code = 'doc'", "'gate_code', which is no column"),
        ("[columns]\nstore = 'doc'\n[values]\nstore = 'x'", "both as a column and as a value"),
        ("[retrieval]\nby = ['nowhere']", "has under by"),
        ("[", "is no mapping"),
        ("", "has no column memory_id"),
    ],
)
def test_a_mapping_that_does_not_fit_is_said(tmp_path, text, told):
    (tmp_path / "mapping.toml").write_text(text)
    (tmp_path / "table.csv").write_text(CSV if text == "" else "query_id,memory_id,final_score\n")
    with pytest.raises(TraceError, match=told):
        store_of(
            tmp_path / "store", tmp_path / "table.csv", mapping=load(tmp_path / "mapping.toml")
        )


# --- judgements --------------------------------------------------------------------------------

JUDGED = {
    ("q1", "a"): 2,
    ("q1", "b"): 0,
    ("q1", "c"): -1,
    ("q2", "a"): 0,
}


def labels_in(tmp_path, kind):
    path = tmp_path / f"labels.{kind}"
    if kind == "qrels":
        path.write_text("q1 0 a 2\nq1 0 b 0\nq1 0 c -2\nq2 0 a 0\n")
    elif kind == "csv":
        path.write_text(
            "query_id,memory_id,grade,category\nq1,a,2,x\nq1,b,0,\nq1,c,-1,x\nq2,a,0,y\nq2,,,y\n"
        )
    else:
        path.write_text(
            '{"queryId": "q1", "relevant": {"a": 2, "b": 0}, "forbidden": ["c"], "category": "x"}\n'
            '{"queryId": "q2", "relevant": {"a": 0}, "category": "y"}\n'
        )
    return path


@pytest.mark.parametrize("kind", ["qrels", "csv", "jsonl"])
def test_judgements_of_every_kind_say_the_same(tmp_path, kind):
    path = labels_in(tmp_path, kind)
    log = write(tmp_path / "log.jsonl", [line([candidate("a", 0.5, 0.5)])])
    store_of(tmp_path / "store", log, labels=[path])
    connection = connect(tmp_path / "store")
    found = rows(connection, "FROM labels")
    assert {(row["query_id"], row["memory_id"]): row["grade"] for row in found} == JUDGED
    categories = {"q1": None, "q2": None} if kind == "qrels" else {"q1": "x", "q2": "y"}
    queries = rows(connection, "SELECT query_id, category, expects_nothing FROM query_labels")
    assert {row["query_id"]: row["category"] for row in queries} == categories
    # q2 is judged and nothing is relevant to it.
    assert {row["query_id"]: row["expects_nothing"] for row in queries} == {"q1": False, "q2": True}
    again = store_of(tmp_path / "store", labels=[path])
    assert (again.labels, again.labels_known > 0, again.refused_count) == (0, True, 0)
    out = b"".join(exported(open_store(tmp_path / "store"), "qrels"))
    assert out == b"q1 0 a 2\nq1 0 b 0\nq1 0 c -1\nq2 0 a 0\n"


def test_a_query_that_is_judged_later_no_longer_expects_nothing(tmp_path):
    (tmp_path / "a.qrels").write_text("q1 0 a 0\n")
    (tmp_path / "b.qrels").write_text("q1 0 b 1\n")
    for name, nothing in (("a.qrels", True), ("b.qrels", False)):
        store_of(tmp_path / "store", labels=[tmp_path / name])
        assert rows(connect(tmp_path / "store"), "SELECT expects_nothing FROM query_labels") == [
            {"expects_nothing": nothing}
        ]


def test_judgements_that_contradict_are_refused(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "query_id,memory_id,grade,split\nq1,a,1,holdout\nq1,a,0,holdout\nq1,b,1,development\n"
        "q2,a,much,\n,a,1,\nq3,a,1.5,\n"
    )
    summary = store_of(tmp_path / "store", labels=[path])
    assert [(r.line, r.reason) for r in summary.refused] == [
        (2, "the memory has the grade 1 for this query already"),
        (3, "the query has the split 'holdout' already"),
        (4, "grade is no whole number"),
        (5, "query_id is empty"),
        (6, "grade is no whole number"),
    ]
    assert summary.labels == 1


# --- out and in again --------------------------------------------------------------------------


def test_what_is_exported_is_imported_as_the_same_store(tmp_path):
    lines = random_lines(random.Random(8), 30)
    lines.append(line([], "empty", recordLimit=3, latencyMs=0.5, rankingWeights=WEIGHTS))
    lines.append(line([{"memoryId": "x", "finalScore": 7.0}], "scored", sweptFrom=7.0))
    store_of(tmp_path / "store", write(tmp_path / "log.jsonl", lines))
    out = tmp_path / "out.jsonl"
    out.write_bytes(b"".join(exported(open_store(tmp_path / "store"), "jsonl")))
    assert store_of(tmp_path / "store", out).known == len(lines)
    store_of(tmp_path / "again", out)
    assert stored(tmp_path / "again") == stored(tmp_path / "store")
    # Codes are of their part, and parts may be cut otherwise.
    for query in ("FROM retrievals", "SELECT * EXCLUDE gate_code FROM candidates"):
        one, other = (
            connect(tmp_path / name).execute(f"{query} ORDER BY ALL").fetchall()
            for name in ("store", "again")
        )
        assert one == other
        assert one


@pytest.mark.parametrize(
    ("format", "which", "told"),
    [("xml", "selected", "no format 'xml'"), ("trec", "best", "'best' chooses nothing"),
     ("qrels", "selected", "has no judgements")],
)  # fmt: skip
def test_an_export_that_can_not_be_is_said(tmp_path, format, which, told):
    store_of(tmp_path / "store", write(tmp_path / "log.jsonl", [line([])]))
    with pytest.raises(TraceError, match=told):
        exported(open_store(tmp_path / "store"), format, which=which)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.jsonl", '{"schema":"memconform/trace-log/1"}', "log"),
        ("a.jsonl", "", "log"),
        ("a.json", '[{"rankings": []}]', "last-trace"),
        ("a.jsonl", '{"attributes": {"openinference.span.kind": "CHAIN"}}', "spans"),
        ("a.txt", "q1 0 d1 1\n", "qrels"),
        ("a.txt", "q1 Q0 d1 1 1 t\n", "run"),
        ("a.log", '{"candidates": []}', "log"),
        ("a.json", '{"queryId": "q", "relevant": []}', "qrels"),
        ("a.tsv", "", "table"),
        ("a.txt", "hello", None),
        ("a.json", "{}", None),
    ],
)
def test_what_a_file_is(tmp_path, name, text, kind):
    path = tmp_path / name
    path.write_text(text)
    if kind is None:
        with pytest.raises(TraceError, match="no kind that is known"):
            kind_of(path)
    else:
        assert kind_of(path) == kind


def test_sources_that_are_not_there_are_said(tmp_path):
    (tmp_path / "empty").mkdir()
    for source, told in (
        (tmp_path / "gone", "isn't there"),
        (tmp_path / "empty", "without traces"),
    ):
        with pytest.raises(TraceError, match=told):
            store_of(tmp_path / "store", source)
    with pytest.raises(TraceError, match="no format"):
        store_of(tmp_path / "store", write(tmp_path / "a.jsonl", []), format="x")
