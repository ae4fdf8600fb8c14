"""Import of trace logs: what is stored, what is refused, and that nothing is lost or doubled."""

import gzip
import json
import math
import random
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from traces_lines import WEIGHTS, candidate, features, line, rows, store_of, write

from memconform.traces import TraceStoreError, connect, open_store
from memconform.traces import write as writing
from memconform.traces.known import KnownIds
from memconform.traces.read_log import LogReader
from memconform.traces.schema import CANDIDATES, GATE_VALUES, LABELS, QUERY_LABELS, RETRIEVALS

THREE = [
    candidate("m1", 0.9, 0.5, selected=True, channel="fts5", characters=12),
    candidate("m2", 0.7, 0.0, type_affinity=1.0, selected=True, truncated=True),
    candidate("m3", 0.2, 0.25, passed=False, reason="below-floor"),
]


def imported(tmp_path, *lines, **options):
    """A connection to a store of these lines, and the summary."""
    summary = store_of(tmp_path / "store", write(tmp_path / "log.jsonl", lines), **options)
    return connect(tmp_path / "store"), summary


# --- what is stored ----------------------------------------------------------------------------


def test_a_line_column_by_column(tmp_path):
    said = line(
        THREE,
        store="mine",
        mode="sqlite-fts5",
        gate="foundation-v1",
        queryTokenCount=8,
        queryTokensTruncated=False,
        candidateCount=3,
        filtered={"scope": 4, "lifecycle": 5, "irrelevant": 1},
        recordLimit=8,
        promptCharacterBudget=6000,
        selectedCharacters=321,
        rankingWeights=WEIGHTS,
        latencyMs=1.25,
        sweptFrom=0,
    )
    said["query"] = "Where is it?"
    connection, summary = imported(tmp_path, said)
    assert (summary.added, summary.candidates, summary.refused_count) == (1, 3, 0)
    (row,) = rows(connection, "SELECT * FROM retrievals")
    id = row.pop("retrieval_id")
    assert len(id) == 32
    assert str(row.pop("day")) == "2026-03-01"
    assert row.pop("timestamp").isoformat() == "2026-03-01T09:00:00"
    assert row == {
        "query_id": "q1",
        "store": "mine",
        "mode": "sqlite-fts5",
        "gate": "foundation-v1",
        "language": "latin",
        "query_token_count": 8,
        "query_tokens_truncated": False,
        "candidate_count": 3,
        "filtered_scope": 4,
        "filtered_lifecycle": 5,
        "filtered_irrelevant": 1,
        "record_limit": 8,
        "prompt_character_budget": 6000,
        "selected_characters": 321,
        "selected_count": 2,
        "latency_ms": 1.25,
        "swept_from": 0.0,
        "weight_lexical": 0.55,
        "weight_scope_affinity": 0.1,
        "weight_type_affinity": 0.1,
        "weight_freshness": 0.1,
        "weight_importance": 0.075,
        "weight_confidence": 0.075,
        "query_text": None,
    }
    found = rows(connection, "SELECT * EXCLUDE day FROM candidates ORDER BY rank")
    assert {(row.pop("retrieval_id"), row.pop("query_id")) for row in found} == {(id, "q1")}
    same = {
        "scope_affinity": 0.9,
        "freshness": 1.0,
        "importance": 0.5,
        "confidence": 1.0,
        "content": None,
    }
    # Two distinct values are asked of the gate, 0.25 and 0.5; m2 passes whatever they are.
    assert found == [
        {
            "rank": 1,
            "memory_id": "m1",
            "channel": "fts5",
            "lexical": 0.5,
            "type_affinity": 0.0,
            "final_score": 0.9,
            "gate_value": 0.5,
            "passes_always": False,
            "gate_code": 1,
            "passed": True,
            "selected": True,
            "truncated": False,
            "reason": None,
            "characters": 12,
            **same,
        },
        {
            "rank": 2,
            "memory_id": "m2",
            "channel": None,
            "lexical": 0.0,
            "type_affinity": 1.0,
            "final_score": 0.7,
            "gate_value": 0.0,
            "passes_always": True,
            "gate_code": 2,
            "passed": True,
            "selected": True,
            "truncated": True,
            "reason": None,
            "characters": None,
            **same,
        },
        {
            "rank": 3,
            "memory_id": "m3",
            "channel": None,
            "lexical": 0.25,
            "type_affinity": 0.0,
            "final_score": 0.2,
            "gate_value": 0.25,
            "passes_always": False,
            "gate_code": 0,
            "passed": False,
            "selected": False,
            "truncated": False,
            "reason": "below-floor",
            "characters": None,
            **same,
        },
    ]


def test_text_is_kept_only_when_asked_for(tmp_path):
    said = line([candidate("m1", 0.9, 0.5, content="a secret text")])
    said["query"] = "a secret question"
    path = write(tmp_path / "log.jsonl", [said])
    store_of(tmp_path / "without", path)
    stored = b"".join(p.read_bytes() for p in (tmp_path / "without").rglob("*") if p.is_file())
    assert b"secret" not in stored
    for table in ("retrievals", "candidates"):
        assert rows(connect(tmp_path / "without"), f"SELECT count(*) AS n FROM {table}") == [
            {"n": 1}
        ]
    store_of(tmp_path / "with", path, with_text=True)
    connection = connect(tmp_path / "with")
    assert rows(connection, "SELECT query_text FROM retrievals")[0]["query_text"] == (
        "a secret question"
    )
    assert rows(connection, "SELECT content FROM candidates")[0]["content"] == "a secret text"


def test_views_have_the_columns_of_the_schema_also_without_rows(tmp_path):
    store_of(tmp_path / "store", write(tmp_path / "log.jsonl", []))
    folder = tmp_path / "full"
    folder.mkdir()
    for connection in (connect(tmp_path / "store"), imported(folder, line(THREE))[0]):
        for table in (RETRIEVALS, CANDIDATES, LABELS, QUERY_LABELS):
            described = connection.execute(f"DESCRIBE {table.name}").fetchall()
            assert [(row[0], row[1]) for row in described] == [
                (column.name, column.type) for column in table.columns
            ]


def test_polars_takes_what_sql_gives(tmp_path):
    frame = imported(tmp_path, line(THREE))[0].sql("SELECT memory_id, rank FROM candidates").pl()
    assert frame.sort("rank")["memory_id"].to_list() == ["m1", "m2", "m3"]


def test_candidates_out_of_order_are_put_in_order_and_ties_stay(tmp_path):
    said = [
        candidate("low", 0.1, 0.1),
        candidate("tie-b", 0.5, 0.2),
        candidate("tie-a", 0.5, 0.9),
        candidate("top", 0.8, 0.3),
    ]
    other = line([candidate("x", 0.9, 0.5), candidate("y", 0.1, 0.5)], "q0")
    connection, _ = imported(tmp_path, other, line(said), line([], "q2"))
    found = rows(connection, "SELECT query_id, memory_id FROM candidates ORDER BY query_id, rank")
    assert [row["memory_id"] for row in found] == ["x", "y", "top", "tie-b", "tie-a", "low"]


def test_a_day_is_a_partition_and_so_is_no_time_at_all(tmp_path):
    timeless = line(THREE, "q3")
    del timeless["timestamp"]
    connection, _ = imported(
        tmp_path,
        line(THREE, at="2026-03-02T00:30:00+02:00"),
        line(THREE, at="2026-03-02T00:30:00Z"),
        timeless,
    )
    assert rows(connection, "SELECT day::VARCHAR AS day FROM retrievals ORDER BY day") == [
        {"day": "1970-01-01"},
        {"day": "2026-03-01"},
        {"day": "2026-03-02"},
    ]
    days = sorted(path.name for path in (tmp_path / "store" / "candidates").iterdir())
    assert days == ["day=1970-01-01", "day=2026-03-01", "day=2026-03-02"]
    store = open_store(tmp_path / "store")
    for part in store.parts:
        ids = [
            set(pq.read_table(store.path(table, part), partitioning=None)[0].to_pylist())
            for table in ("retrievals", "candidates")
        ]
        assert ids[0] == ids[1]


def test_a_store_without_features_is_gated_by_its_score(tmp_path):
    said = line([{"memoryId": "a", "finalScore": 12.5}, {"memoryId": "b", "finalScore": -3.0}])
    connection, _ = imported(tmp_path, said)
    found = rows(connection, "SELECT gate_value, gate_code, passed, reason FROM candidates")
    assert found == [
        {"gate_value": 12.5, "gate_code": 1, "passed": None, "reason": "unknown"},
        {"gate_value": -3.0, "gate_code": 0, "passed": None, "reason": "unknown"},
    ]


HOSTILE = [
    "../../etc/passwd",
    "a\nb",
    "day=2026-01-01/x",
    "'; DROP TABLE x; --",
    "\u202eid",
    "\x00",
]


def test_hostile_ids_are_ids_and_nothing_else(tmp_path):
    before = set(tmp_path.rglob("*"))
    said = [line([candidate(id, 0.5, 0.5)], query=id, store=id, mode=id, gate=id) for id in HOSTILE]
    connection, summary = imported(tmp_path, *said)
    assert summary.added == len(HOSTILE)
    for column in ("query_id", "memory_id"):
        found = rows(connection, f"SELECT {column} AS id FROM candidates")
        assert sorted(row["id"] for row in found) == sorted(HOSTILE)
    names = {path.name for path in tmp_path.rglob("*") if path not in before}
    assert all(len(name) < 40 and name.isascii() for name in names)
    assert set(tmp_path.iterdir()) - before == {tmp_path / "store", tmp_path / "log.jsonl"}


# --- the same by plain Python ------------------------------------------------------------------


def random_lines(chance, count):
    """Lines as they may be, ties and equal values among them."""
    made = []
    for number in range(count):
        tokens = chance.randint(1, 9)
        found = []
        for id in chance.sample(range(40), chance.randint(0, 12)):
            lexical = chance.randint(0, tokens) / tokens
            affinity = float(chance.random() < 0.2)
            passed = lexical >= 0.4 or affinity > 0
            found.append(
                candidate(
                    f"m{id}",
                    round(chance.random(), 1),
                    lexical,
                    type_affinity=affinity,
                    passed=passed,
                    selected=passed and chance.random() < 0.5,
                )
            )
        found.sort(key=lambda c: -c["finalScore"])
        day = chance.randint(1, 3)
        made.append(line(found, f"q{number}", f"2026-03-0{day}T10:00:00.{number % 1000:03d}Z"))
    return made


def plainly(lines):
    """What should be stored of lines, by loops: (query, rank, id, gate value, always, reason)."""
    stored = []
    for said in lines:
        for rank, found in enumerate(said["candidates"], start=1):
            stored.append(
                (
                    said["queryId"],
                    rank,
                    found["memoryId"],
                    found["features"]["lexical"],
                    found["features"]["typeAffinity"] > 0,
                    None if found["selected"] else "unknown" if found["passed"] else "below-floor",
                )
            )
    return sorted(stored)


def stored(folder):
    return sorted(
        connect(folder)
        .execute(
            "SELECT query_id, rank, memory_id, gate_value, passes_always, reason FROM candidates"
        )
        .fetchall()
    )


@pytest.mark.parametrize("seed", range(2))
def test_random_logs_are_stored_as_loops_would(tmp_path, seed):
    lines = random_lines(random.Random(seed), 120)
    store_of(tmp_path / "store", write(tmp_path / "log.jsonl", lines))
    assert stored(tmp_path / "store") == plainly(lines)


@pytest.mark.parametrize("seed", range(2))
def test_codes_compare_as_the_values_of_their_part(tmp_path, seed):
    lines = random_lines(random.Random(seed), 60)
    store_of(tmp_path / "store", write(tmp_path / "log.jsonl", lines))
    store = open_store(tmp_path / "store")
    assert len(store.parts) == 3
    for part in store.parts:
        found = pq.read_table(store.path("candidates", part), partitioning=None).to_pylist()
        meaning = pq.read_table(store.path("gate_values", part), partitioning=None)
        assert meaning.column_names == list(GATE_VALUES.names)
        values = meaning["gate_value"].to_pylist()
        assert meaning["gate_code"].to_pylist() == list(range(len(values)))
        assert values == sorted({row["gate_value"] for row in found if not row["passes_always"]})
        for row in found:
            if row["passes_always"]:
                assert row["gate_code"] == len(values)
            else:
                assert values[row["gate_code"]] == row["gate_value"]
        # Rows lie in (retrieval, rank) order, those of a retrieval together.
        ranks = [row["rank"] for row in found]
        starts = [place for place, rank in enumerate(ranks) if rank == 1]
        for start, end in zip(starts, [*starts[1:], len(ranks)], strict=True):
            assert ranks[start:end] == list(range(1, end - start + 1))
            assert len({row["retrieval_id"] for row in found[start:end]}) == 1


def test_the_two_zeros_are_one_value(tmp_path):
    said = [candidate("a", 0.5, 0.0), candidate("b", 0.4, -0.0)]
    connection, _ = imported(tmp_path, line(said))
    assert rows(connection, "SELECT DISTINCT gate_code FROM candidates") == [{"gate_code": 0}]


# --- however the file is cut and spelled -------------------------------------------------------


def mixed(lines):
    """A file with everything that may stand between lines, and some that are no lines."""
    parts = [json.dumps(said) for said in lines]
    parts[2] = f"  {parts[2]}\t"
    parts[5] = parts[5] + "\r"
    parts.insert(3, "")
    parts.insert(7, "   ")
    parts.insert(9, "{broken")
    parts.insert(11, "[]")
    return ("\ufeff" + "\n".join(parts)).encode()


@pytest.fixture(scope="module")
def spelled(tmp_path_factory):
    """Thirty lines, their file, and the numbers of the two lines that are none."""
    lines = random_lines(random.Random(9), 30)
    path = tmp_path_factory.mktemp("spelled") / "log.jsonl"
    path.write_bytes(mixed(lines))
    return lines, path, [10, 12]


@pytest.mark.parametrize(("size", "packed"), [(9_000, False), (9_000, True), (2**26, False)])
def test_blocks_make_no_difference(tmp_path, spelled, size, packed, monkeypatch):
    lines, path, broken = spelled
    if packed:
        path = tmp_path / "log.jsonl.gz"
        path.write_bytes(gzip.compress(spelled[1].read_bytes()))
    original = LogReader.__init__

    def smaller(self, *arguments, **options):
        original(self, *arguments, **options, block_bytes=size)

    monkeypatch.setattr(LogReader, "__init__", smaller)
    summary = store_of(tmp_path / "store", path)
    assert stored(tmp_path / "store") == plainly(lines)
    assert summary.added == len(lines)
    assert [refusal.line for refusal in summary.refused] == broken


def test_a_line_longer_than_a_block_is_refused_and_the_next_are_read(tmp_path, monkeypatch):
    first, last = line(THREE, "q1"), line(THREE, "q3")
    long = line([candidate("x" * 5_000, 0.5, 0.5)], "q2")
    path = write(tmp_path / "log.jsonl", [first, long, first | {"queryId": "q4"}, last])
    original = LogReader.__init__
    monkeypatch.setattr(
        LogReader, "__init__", lambda self, *a, **o: original(self, *a, **o, block_bytes=2_000)
    )
    summary = store_of(tmp_path / "store", path)
    assert [(r.line, r.reason) for r in summary.refused] == [(2, "it is longer than 8 MiB")]
    assert summary.added == 3


# --- what is refused ---------------------------------------------------------------------------


def changed(where, value):
    """A line with one thing changed; ``where`` is a path of keys."""
    said = json.loads(json.dumps(line(THREE)))
    *path, last = where
    inner = said
    for key in path:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return json.dumps(said)


FIRST = ("candidates", 0)
BAD = {
    "{": "no JSON",
    "[1]": "object",
    "null": "schema is missing",
    "{}": "schema is missing",
    changed(["schema"], "memconform/trace-log/2"): "memconform/trace-log/1 is known",
    changed(["candidates"], ...): "candidates is missing",
    changed(["candidates"], [None]): "a memoryId is missing",
    changed(["candidates"], 5): "array",
    changed(["queryId"], ""): "queryId is missing or empty",
    changed(["queryId"], ...): "queryId is missing or empty",
    changed(["timestamp"], "yesterday"): "timestamp",
    changed(["timestamp"], "2026-02-30T00:00:00Z"): "timestamp",
    changed(["language"], "klingon"): "neither latin nor cjk",
    changed(["retrievalId"], "../x"): "32 hexadecimal digits",
    changed(["candidateCount"], 2): "candidateCount is less",
    changed(["recordLimit"], -1): "recordLimit is not a whole number",
    changed(["recordLimit"], 1.5): "recordLimit is not a whole number",
    changed(["recordLimit"], 2**40): "recordLimit is not a whole number",
    changed(["latencyMs"], -0.1): "latencyMs",
    changed(["latencyMs"], "slow"): "latencyMs",
    changed(["sweptFrom"], math.nan): "sweptFrom is no finite number",
    changed([*FIRST, "memoryId"], ""): "a memoryId is missing or empty",
    changed([*FIRST, "memoryId"], "m2"): "stands in it twice",
    changed([*FIRST, "finalScore"], ...): "a finalScore is missing",
    changed([*FIRST, "finalScore"], math.nan): "a finalScore is missing, NaN or infinite",
    changed([*FIRST, "finalScore"], math.inf): "a finalScore is missing, NaN or infinite",
    changed([*FIRST, "finalScore"], "high"): "finalScore",
    changed([*FIRST, "features", "lexical"], 1.01): "lexical of a candidate is NaN or not in 0..1",
    changed([*FIRST, "features", "lexical"], -0.01): "lexical of a candidate is NaN or not in",
    changed([*FIRST, "features", "freshness"], math.nan): "freshness of a candidate is NaN",
    changed([*FIRST, "characters"], 1.5): "characters is not a whole number",
    changed([*FIRST, "reason"], "bad mood"): "a reason is none of",
    changed([*FIRST, "reason"], "limit"): "a selected candidate has a reason",
    changed([*FIRST, "passed"], False): "a candidate is selected that did not pass",
    changed(["candidates", 2, "truncated"], True): "truncated and not selected",
    json.dumps(line(THREE)) * 2: "more than one object",
    '{"queryId":"\\ud800"}': "surrogate",
}


# Alone among good ones: of each way to be refused one.
ALONE = [list(BAD.items())[place] for place in (0, 1, 3, 10, 20, 24, 26, 35)]


@pytest.mark.parametrize(("text", "reason"), ALONE, ids=range(len(ALONE)))
def test_a_bad_line_is_refused_with_its_number_and_reason(tmp_path, text, reason):
    good = [json.dumps(line(THREE, f"q{n}")) for n in range(3)]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([good[0], "", text, good[1], good[2]]), encoding="utf-8")
    summary = store_of(tmp_path / "store", path)
    assert summary.added == 3
    assert summary.refused_count == 1
    (refused,) = summary.refused
    assert refused.line == 3
    assert reason in refused.reason
    assert "\n" not in refused.reason
    told = msgspec.json.decode((tmp_path / "store" / "refused.jsonl").read_bytes())
    assert told == {"source": str(path), "line": 3, "reason": refused.reason}


def test_all_bad_lines_of_one_file_are_refused_together(tmp_path):
    path = tmp_path / "log.jsonl"
    texts = [text for bad in BAD for text in (bad, json.dumps(line(THREE, "q" + str(len(bad)))))]
    path.write_text("\n".join(texts), encoding="utf-8")
    summary = store_of(tmp_path / "store", path)
    assert [refusal.line for refusal in summary.refused] == list(range(1, 2 * len(BAD), 2))
    for refusal, reason in zip(summary.refused, BAD.values(), strict=True):
        assert reason in refusal.reason
    # Some of the good ones are the same line, and those are told, too.
    assert summary.added + summary.known == len(BAD)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "log.jsonl"
    good = json.dumps(line(THREE)).encode()
    path.write_bytes(b"\n".join([b'{"a":"\xff"}', good, b"\x00\x01\x02", b"\xff\xfe{"]) + b"\n")
    summary = store_of(tmp_path / "store", path)
    assert summary.added == 1
    assert [refusal.line for refusal in summary.refused] == [1, 3, 4]


def test_keys_of_later_versions_do_no_harm(tmp_path):
    said = line([{**THREE[0], "colour": "blue"}], later={"deep": [1]})
    said["candidates"][0]["features"] = {**features(0.5), "smell": 1}
    assert imported(tmp_path, said)[1].added == 1


# --- again, and interrupted --------------------------------------------------------------------


def test_run_twice_adds_nothing_twice(tmp_path):
    lines = random_lines(random.Random(3), 40)
    path = write(tmp_path / "log.jsonl", [*lines, lines[0]])
    first = store_of(tmp_path / "store", path)
    assert (first.added, first.known) == (40, 1)
    files = {p: p.read_bytes() for p in (tmp_path / "store").rglob("*") if p.is_file()}
    second = store_of(tmp_path / "store", path)
    assert (second.added, second.candidates, second.known) == (0, 0, 41)
    assert {p: p.read_bytes() for p in (tmp_path / "store").rglob("*") if p.is_file()} == files
    longer = write(tmp_path / "longer.jsonl", [*lines, line(THREE, "new")])
    assert store_of(tmp_path / "store", longer).added == 1
    assert len(stored(tmp_path / "store")) == len(plainly(lines)) + 3


def test_the_same_import_makes_the_same_files_anywhere(tmp_path):
    path = write(tmp_path / "log.jsonl", random_lines(random.Random(4), 30))
    made = []
    for name in ("a", "b"):
        store_of(tmp_path / name, path)
        made.append(
            {p.relative_to(tmp_path / name): p.read_bytes()
             for p in sorted((tmp_path / name).rglob("*")) if p.is_file()}
        )  # fmt: skip
    assert made[0] == made[1]


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("step", [1, 9, 10, 11])
def test_an_interrupted_import_leaves_a_whole_store_and_goes_on(tmp_path, step, monkeypatch):
    first = random_lines(random.Random(5), 20)
    store_of(tmp_path / "store", write(tmp_path / "first.jsonl", first))
    lines = [
        said | {"queryId": f"x{n}"} for n, said in enumerate(random_lines(random.Random(6), 20))
    ]
    path = write(tmp_path / "second.jsonl", lines)
    count = 0
    original = Path.replace

    def interrupted(self, target):
        nonlocal count
        count += 1
        if count == step:
            raise Interrupted
        return original(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    # Three days of three files each, then the list of parts, then the refusals.
    with pytest.raises(Interrupted):
        store_of(tmp_path / "store", path)
    monkeypatch.undo()
    now = stored(tmp_path / "store")
    assert now in (plainly(first), plainly([*first, *lines]))
    assert (now == plainly(first)) is (step <= 10)
    store_of(tmp_path / "store", path)
    assert stored(tmp_path / "store") == plainly([*first, *lines])
    store = open_store(tmp_path / "store")
    for table in ("retrievals", "candidates", "gate_values"):
        there = set((tmp_path / "store" / table).rglob("*.parquet"))
        assert there == {store.path(table, part) for part in store.parts}
    assert not (tmp_path / "store" / ".incoming").exists()


def test_two_imports_at_once_are_refused(tmp_path):
    path = write(tmp_path / "log.jsonl", [line(THREE)])
    with (
        writing.writing(tmp_path / "store"),
        pytest.raises(TraceStoreError, match="Another import is writing"),
    ):
        store_of(tmp_path / "store", path)
    assert store_of(tmp_path / "store", path).added == 1


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    theirs = tmp_path / "data" / "candidates" / "day=2026-01-01" / "mine.parquet"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"mine")
    with pytest.raises(TraceStoreError, match="no trace store and has a candidates"):
        store_of(tmp_path / "data", write(tmp_path / "log.jsonl", [line(THREE)]))
    assert theirs.read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "holds no traces"),
        ("{", "can't be read"),
        ('{"schema":"x","parts":[]}', "import the traces anew"),
    ],
)
def test_a_folder_that_is_no_store_is_said(tmp_path, text, told):
    if text is not None:
        (tmp_path / "traces.json").write_text(text, encoding="utf-8")
    with pytest.raises(TraceStoreError, match=told):
        connect(tmp_path)


def test_many_ids_at_a_time_are_told_from_one_another():
    chance = random.Random(7)
    # Half of the ids share their first eight bytes with others.
    ids = [f"{chance.getrandbits(64) if n % 2 else n % 5:016x}{n:016x}" for n in range(600)]
    known, seen = KnownIds(), set()
    for _ in range(40):
        asked = chance.choices(ids, k=chance.randint(0, 60))
        expected = []
        for id in asked:
            expected.append(id not in seen)
            seen.add(id)
        assert known.add(asked) == expected
