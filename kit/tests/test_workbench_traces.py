"""The workbench over traces: frames, charts, both explorers, and what they save.

The sample traces have planted facts (see their README and kit/bench/sample_traces.py): questions
that nothing answers reach 11/28 and 7/23 at most, the lowest wanted memories stand at 6/15 and 2/6.
"""

import dataclasses
import itertools
import json
import subprocess
import sys

import pytest

pytest.importorskip("ipywidgets", reason="the lab extra isn't installed")

import numpy as np
import polars as pl
from sweep_data import drawn, rows_of

from memconform.evaluation import dataset as datasets
from memconform.evaluation import shipped
from memconform.resources import find
from memconform.retrieval import FOUNDATION, Pipeline, RetrievalRequest
from memconform.spec import gherkin
from memconform.sweep import Floors, Sweep, SweepError, bands, sweep
from memconform.traces import ingest
from memconform.workbench import ThresholdExplorer, TraceExplorer, charts, frames, saving, texts
from memconform.workbench.scenario import play
from memconform.workbench.traceview import FilterError

NONE = Floors(latin=0.0, cjk=0.0)
DESIGN = Floors(latin=0.4, cjk=1 / 3)
DAYS = ("2026-05-11", "2026-05-12")


@pytest.fixture(autouse=True)
def _unbundled(monkeypatch):
    """Without the seconds that bundling Vega takes; the browser tests look at what it draws."""
    monkeypatch.setattr("altair.JupyterChart.enable_offline", lambda: None)


def imported(folder, days, **options):
    sample = find("fixtures") / "traces-v1"
    logs = [sample / f"{day}.jsonl" for day in days]
    ingest(logs, folder, labels=[sample / "labels.jsonl"], **options)
    return folder


@pytest.fixture(scope="module")
def first_day(tmp_path_factory):
    return imported(tmp_path_factory.mktemp("first"), DAYS[:1], with_text=True)


@pytest.fixture(scope="module")
def both_days(tmp_path_factory):
    return imported(tmp_path_factory.mktemp("both"), DAYS, with_text=True)


@pytest.fixture(scope="module")
def textless(tmp_path_factory):
    return imported(tmp_path_factory.mktemp("textless"), DAYS[:1])


@pytest.fixture(scope="module")
def found(first_day):
    return sweep(first_day, k=3)


def read_log(day):
    lines = (find("fixtures") / "traces-v1" / f"{day}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


# --- frames ----------------------------------------------------------------------------------


def test_a_histogram_counts_what_the_log_holds(both_days):
    told = frames.histogram(frames.frames(both_days), "lexical", "day", bins=4)
    for day in DAYS:
        values = [c["features"]["lexical"] for r in read_log(day) for c in r["candidates"]]
        expected = np.histogram(values, bins=4, range=(0, 1))[0]
        mine = {row["low"]: row["count"] for row in told.filter(group=day).to_dicts()}
        assert [mine.get(low, 0) for low in (0, 0.25, 0.5, 0.75)] == expected.tolist()
        assert told.filter(group=day)["share"].sum() == pytest.approx(1)


def test_an_ecdf_is_the_share_at_or_below(both_days):
    told = frames.ecdf(frames.frames(both_days), "final_score", "day")
    values = [c["finalScore"] for r in read_log(DAYS[0]) for c in r["candidates"]]
    for row in told.filter(group=DAYS[0]).to_dicts()[::20]:
        share = sum(value <= row["value"] + 1e-9 for value in values) / len(values)
        assert row["share"] == pytest.approx(share)
    assert told.filter(group=DAYS[0])["share"].to_list()[-1] == 1


def test_labels_say_what_a_candidate_is(both_days):
    told = frames.frames(both_days).candidates.collect()
    of = {
        (row["query_id"], row["memory_id"]): row["label"]
        for row in told.select("query_id", "memory_id", "label").to_dicts()
    }
    labels = find("fixtures") / "traces-v1" / "labels.jsonl"
    judged = {line["queryId"]: line for line in map(json.loads, labels.read_text().splitlines())}
    for (query, memory), label in of.items():
        line = judged.get(query)
        if line is None:
            expected = "unjudged"
        elif memory in line["relevant"]:
            expected = "relevant"
        else:
            expected = "forbidden" if memory in line["forbidden"] else "unrelated"
        assert label == expected
    assert set(of.values()) == {"unjudged", "relevant", "forbidden", "unrelated"}


def test_the_second_day_cuts_chinese_otherwise(both_days):
    told = frames.frames(both_days)
    apart = {
        language: frames.distance(
            told.only(pl.col("language") == language), "lexical", DAYS[0], DAYS[1]
        )
        for language in ("latin", "cjk")
    }
    assert apart["latin"] == 0
    assert apart["cjk"] > 0.2


def test_days_count_retrievals_and_silence(both_days):
    rows = frames.days(frames.frames(both_days)).to_dicts()
    for row, day in zip(rows, DAYS, strict=True):
        log = read_log(day)
        silent = [not any(c.get("selected") for c in line["candidates"]) for line in log]
        assert str(row["day"]) == day
        assert row["retrievals"] == len(log)
        assert row["silent"] == pytest.approx(sum(silent) / len(log))
        latencies = sorted(line["latencyMs"] for line in log)
        assert row["p50_ms"] in latencies
        assert latencies[len(log) // 2 - 1] <= row["p50_ms"] <= latencies[len(log) // 2]


@pytest.mark.parametrize(
    ("feature", "by", "told"),
    [
        ("lexicl", "label", "no 'lexicl' here; there are lexical"),
        ("lexical", "colour", "no 'colour' here; there are label"),
    ],
)
def test_what_is_not_there_is_told(both_days, feature, by, told):
    with pytest.raises(frames.FrameError, match=told):
        frames.histogram(frames.frames(both_days), feature, by)


# --- charts over thresholds ------------------------------------------------------------------


def rows_in(chart):
    spec = chart.to_dict()
    named = spec.get("datasets", {})
    return [row for rows in named.values() for row in rows if row] or _inline(spec)


def _inline(node):
    if isinstance(node, dict):
        own = node.get("data", {}).get("values", []) if isinstance(node.get("data"), dict) else []
        return [*filter(None, own), *(row for inner in node.values() for row in _inline(inner))]
    if isinstance(node, list):
        return [row for inner in node for row in _inline(inner)]
    return []


def test_curves_are_drawn_where_they_are(found):
    curve = found.by("language")["latin"]
    rows = rows_in(charts.curves(curve, floor=0.4))
    recall = [(r["floor"], r["value"]) for r in rows if r["figure"] == "recall"]
    assert recall[0][0] == 0
    assert recall[-1][0] == 1
    for floor, value in recall[1:-1]:
        assert value == curve.at(floor).recall
    # Steps go up to a threshold: between two points it is the later one's figure.
    for (before, _), (floor, value) in itertools.pairwise(recall[1:-1]):
        assert curve.at((before + floor) / 2).recall == value


def test_many_thresholds_are_thinned_and_stay_exact():
    retrievals = drawn(3, retrievals=400, values=900, infinities=False)
    curve = Sweep.of(rows_of(retrievals), k=3).overall
    rows = [r for r in rows_in(charts.curves(curve)) if r["figure"] == "recall"]
    assert 300 <= len(rows) <= 302
    assert all(r["value"] == curve.at(r["floor"]).recall for r in rows[1:-1:25])


def test_the_point_of_precision_and_recall_belongs_to_one_step(found):
    rows = rows_in(charts.precision_recall(found.overall))
    for floor in (0.0, 0.05, 0.4, 0.5):
        (at,) = [r for r in rows if r["above"] < floor <= r["upto"]]
        assert at["recall"] == found.at(floor).recall
        assert at["precision"] == found.at(floor).precision


def test_the_plane_covers_every_pair_of_floors(found):
    rows = rows_in(charts.plane(found.plane("abstention")))
    for latin, cjk in ((0.05, 0.1), (0.4, 1 / 3), (0.95, 0.95)):
        (cell,) = [
            r for r in rows if r["latin0"] < latin <= r["latin"] and r["cjk0"] < cjk <= r["cjk"]
        ]
        assert cell["value"] == pytest.approx(found.at(latin=latin, cjk=cjk).abstention)
    assert sum((r["latin"] - r["latin0"]) * (r["cjk"] - r["cjk0"]) for r in rows) == pytest.approx(
        1
    )


def test_every_chart_of_the_traces_can_be_drawn(both_days, found):
    told = frames.frames(both_days)
    by_day = frames.histogram(told, "freshness", "day")
    drawn_charts = [
        charts.histogram(by_day, "freshness"),
        charts.ridge(by_day, "freshness"),
        charts.ecdf(frames.ecdf(told, "lexical", "channel"), "lexical", floor=0.4),
        charts.by_day(frames.days(told), "silent", "share of silent retrievals"),
        charts.latency(frames.latencies(told)),
        charts.budgets(frames.budgets(told)),
        charts.curves(found.overall, bands=bands(found, ("recall", "precision", "abstention"))),
    ]
    for chart in drawn_charts:
        spec = chart.to_dict()  # Altair holds it against Vega-Lite's schema
        assert spec["title"]
        assert len(rows_in(chart)) <= charts.MOST


# --- choosing a floor ------------------------------------------------------------------------


@pytest.fixture
def explorer(found, first_day, tmp_path):
    given = texts.dataset_of(first_day, name="boathouse").dataset
    return ThresholdExplorer(found, dataset=given, against=NONE, start=DESIGN, folder=tmp_path)


def test_the_explorer_shows_the_figures_of_its_sliders(explorer, found):
    assert explorer.figures == found.at(latin=0.4, cjk=1 / 3)
    assert "At 0.400 and 0.333, K 3" in explorer._told.value
    assert explorer.figures.abstention == 1
    assert explorer.figures.recall == found.at(0.0).recall  # the planted floors lose nothing


def test_a_step_looks_up_and_moves_the_lines(explorer, monkeypatch):
    monkeypatch.setattr(explorer, "_work", None)  # whatever takes a pass would fail now
    explorer._latest._work = lambda asked: explorer.cases
    explorer.latin.value = 0.2
    assert "At 0.200 and 0.333" in explorer._told.value
    assert explorer._curves["latin"].params.floor == 0.2
    assert explorer._curves["cjk"].params.floor == 1 / 3
    assert (explorer._plane.params.latin, explorer._plane.params.cjk) == (0.2, 1 / 3)


def test_what_flips_and_what_is_wrong_are_the_sweeps(explorer, found):
    flips = found.flips(NONE, DESIGN)
    assert explorer.cases.flips.counts == flips.counts
    # The old code says the same words as the new one: the one thing that no floor mends.
    (wrong,) = explorer.cases.wrong
    assert "selects a forbidden one" in wrong.outcomes
    cases = explorer.set(latin=0.0, cjk=0.0)
    assert cases.flips.total == 0
    spoken = {"speaks where nothing is expected"}
    assert sum(bool(spoken & set(f.outcomes)) for f in cases.wrong) == 3


def test_another_k_is_another_sweep(explorer, found):
    explorer.set(k=1)
    assert explorer.figures == found.with_k(1).at(latin=0.4, cjk=1 / 3)
    assert explorer.sweep.k == 1
    explorer.k.value = 2
    assert "K 2" in explorer._told.value


def test_the_plane_shows_the_chosen_figure(explorer):
    explorer.metric.value = "abstention"
    assert "abstention" in explorer._plane.spec["title"]


def test_a_floor_below_what_was_logged_is_told(first_day, tmp_path):
    rows = rows_of(drawn(1, infinities=False))
    swept = Sweep.of(dataclasses.replace(rows, complete_from=np.full(len(rows.names), 0.2)))
    explorer = ThresholdExplorer(
        swept, start=Floors(latin=0.5, cjk=0.5), against=Floors(latin=0.5, cjk=0.5)
    )
    explorer.latin.value = 0.1
    assert "only from 0.2" in explorer._told.value
    with pytest.raises(SweepError):
        explorer.set(latin=0.1)


def test_a_configuration_is_a_store_with_these_floors(explorer, tmp_path):
    saved = explorer.save_configuration("chosen.py")
    told = {}
    exec(saved.paths[0].read_text(), told)
    assert told["CHOSEN"] == FOUNDATION  # 0.4 and 1/3 are the design's own
    explorer.set(latin=0.25)
    saved = explorer.save_configuration("chosen.py")
    exec(saved.paths[0].read_text(), told)
    assert told["CHOSEN"] == dataclasses.replace(FOUNDATION, floor=0.25)
    assert saved.command in explorer._saved.value


def test_from_a_log_to_a_floor_that_evaluate_uses(explorer, tmp_path):
    explorer.set(latin=0.25, cjk=0.25)
    explorer.save_configuration("chosen.py")
    explorer.save_fixture("cases")
    command = [sys.executable, "-m", "memconform.cli", "evaluate", "python:chosen:factory"]
    command += ["--dataset", "cases", "-k", "3", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)["report"]
    # The very selections that the sweep foretold, query by query.
    cases = datasets.load(tmp_path / "cases")
    pipeline = Pipeline(constants=dataclasses.replace(FOUNDATION, floor=0.25, cjk_floor=0.25))
    assert len(report["queries"]) == len(cases.queries) > 0
    for query, told in zip(cases.queries, report["queries"], strict=True):
        request = RetrievalRequest(query=query.query, access=query.access, limit=3)
        expected = pipeline.retrieve(cases.stored, request, now=cases.now).selected_ids
        assert told["selectedIds"] == list(expected)


def test_a_fixture_holds_the_cases_that_flip(explorer, found, tmp_path):
    explorer.save_fixture("cases", name="spared")
    cases = datasets.load(tmp_path / "cases")
    judged = {q.id for q in texts.dataset_of(found.names._traces.store).dataset.queries}
    flipped = {flip.query_id for flip in found.flips(NONE, DESIGN).told}
    assert cases.name == "spared"
    assert {q.id for q in cases.queries} == flipped & judged


def test_scenarios_say_what_the_labels_say(explorer, tmp_path):
    saved = explorer.save_scenario("cases.feature")
    source = saved.paths[0].read_text()
    document = gherkin.parse(source, "cases.feature")
    queries = {q.id: q for q in explorer._dataset.queries}
    assert document.scenarios
    for scenario in document.scenarios:
        query = queries[scenario.title.partition(":")[0]]
        last = scenario.steps[-1]
        if query.expected_ids:
            assert last.text == "these are found:"
            assert {row[0] for row in last.table} == set(query.expected_ids)
        else:
            assert last.text == "nothing is found"
    played = play(source, "reference:filesystem")
    by_title = {s.title: s.outcome.value for s in played.scenarios}
    for title, outcome in by_title.items():
        query = queries[title.partition(":")[0]]
        # Of the memories in the scenario alone, as the design selects them: eight at most.
        expected = set(query.expected_ids)
        request = RetrievalRequest(query=query.query, access=query.access)
        named = {row[0] for s in document.scenarios if s.title == title for row in s.steps[1].table}
        records = [r for r in explorer._dataset.stored if r.id in named]
        now = explorer._dataset.now
        chosen = set(Pipeline().retrieve(records, request, now=now).selected_ids)
        assert outcome == ("passed" if chosen == expected else "failed"), title
    assert "passed" in by_title.values()


def test_hostile_texts_survive_a_scenario():
    hostile = 'a | b \\ c\n"quoted" {3 times "x"} <img>'
    told = shipped_dataset()
    (record, *_) = told.records
    evil = dataclasses.replace(
        told,
        records=(record.__class__(id="evil", content=hostile, created_at=told.now, scope="user"),),
    )
    (query, *_) = told.queries
    lines = saving._scenario(query, evil.records, told.now)
    document = gherkin.parse("Feature: x\n" + "\n".join(lines), "x")
    cell = document.scenarios[0].steps[1].table[1][1]
    from memconform.suite import cells

    assert cells.text(cells.fill(cell, None, {})) == hostile


def shipped_dataset():
    return datasets.load(shipped.located("anonymous-v1")[0])


def test_nothing_to_save_is_told(explorer):
    explorer.set(latin=0.0, cjk=0.0)
    with pytest.raises(saving.SaveError, match="nothing flips"):
        explorer.save_fixture("cases")


def test_without_texts_a_dataset_is_asked_for(textless, tmp_path):
    with pytest.raises(texts.NoTextError, match="--with-text"):
        texts.dataset_of(textless)
    explorer = ThresholdExplorer(sweep(textless, k=3), against=NONE, start=DESIGN, folder=tmp_path)
    with pytest.raises(saving.SaveError, match="give the explorer dataset="):
        explorer.save_scenario("x.feature")
    explorer.save_configuration("chosen.py")  # which needs none


def test_another_dataset_is_no_help(found, tmp_path):
    explorer = ThresholdExplorer(
        found, dataset=shipped_dataset(), against=NONE, start=DESIGN, folder=tmp_path
    )
    with pytest.raises(
        saving.SaveError, match=r"None of the \d+ queries that flip is one of anonymous-v1"
    ):
        explorer.save_fixture("cases")


@pytest.mark.parametrize("name", ["chosen floors.py", "chosen.txt", "2.py"])
def test_a_configuration_that_cannot_be_imported_is_refused(explorer, name):
    with pytest.raises(saving.SaveError, match="can't be imported"):
        explorer.save_configuration(name)


def test_the_words_of_a_configuration_stay_a_comment(tmp_path):
    told = 'one\nimport os; os.abort()\n"""'
    saved = saving.configuration(tmp_path / "c.py", DESIGN, told=told)
    names = {}
    exec(saved.paths[0].read_text(), names)
    assert "os" not in names


def test_a_button_says_where_or_why_not(explorer, tmp_path):
    explorer.path.value = "mine.py"
    buttons = {b.description: b for b in explorer.widget.children[5].children[1:]}
    buttons["Save as configuration"].click()
    assert (tmp_path / "mine.py").is_file()
    assert "mine.py" in explorer._saved.value
    explorer.path.value = "not a name"
    buttons["Save as configuration"].click()
    assert "can&#39;t be imported" in explorer._saved.value


def test_a_dataset_made_of_traces_ranks_as_the_traces_do(first_day):
    made = texts.dataset_of(first_day)
    log = {line["queryId"]: line for line in read_log(DAYS[0])}
    for query in made.dataset.queries:
        request = RetrievalRequest(
            query=query.query, access=query.access, relevance_mode="historical-v1"
        )
        ranked = Pipeline().retrieve(made.dataset.stored, request, now=made.dataset.now).ranked
        mine = {each.record.id: each.features.lexical for each in ranked}
        logged = log[query.id]["candidates"]
        assert mine == {c["memoryId"]: c["features"]["lexical"] for c in logged}
    # A memory that no question ever came near has no text: its question is left out.
    assert len(made.left_out) == 1


# --- one trace at a time ---------------------------------------------------------------------


@pytest.fixture
def viewer(both_days):
    return TraceExplorer(both_days)


def test_a_filter_counts_and_lists(viewer):
    assert viewer.filtered.count == viewer.filtered.of == 100
    slow = [r for day in DAYS for r in read_log(day) if r["latencyMs"] > 60]
    assert viewer.set("latency_ms > 60").count == len(slow)
    assert f"{len(slow)} of 100 retrievals." in viewer._told.value


def test_one_retrieval_in_full_is_the_logs(viewer):
    (line, *_) = read_log(DAYS[0])
    viewer.set(f"query_id = '{line['queryId']}' and day = '{DAYS[0]}'")
    (row,) = viewer.filtered.rows.to_dicts()
    told = viewer.show(row["retrieval_id"])
    assert [each.id for each in told] == [c["memoryId"] for c in line["candidates"]]
    assert [each.features.lexical for each in told] == [
        c["features"]["lexical"] for c in line["candidates"]
    ]
    assert sum(told[0].contributions) == pytest.approx(told[0].score)
    chosen = [each.id for each in told if each.fate == "in the block"]
    assert chosen == [c["memoryId"] for c in line["candidates"] if c.get("selected")]


@pytest.mark.parametrize(
    "filter", ["nonsense", "selected_count = ", "1 = 1; DROP VIEW retrievals", "lexical > 0.3"]
)
def test_a_filter_that_is_none_is_told_and_nothing_breaks(viewer, filter):
    with pytest.raises(FilterError, match="DuckDB can't use this filter"):
        viewer.set(filter)
    assert viewer.set("").count == 100


def test_typing_a_wrong_filter_leaves_the_widget_alive(viewer):
    viewer.where.value = "nonsense"
    assert "DuckDB can&#39;t use this filter" in viewer._told.value
    viewer.preset.value = "selected_count = 0"
    assert viewer.where.value == "selected_count = 0"
    silent = [
        r
        for day in DAYS
        for r in read_log(day)
        if not any(c.get("selected") for c in r["candidates"])
    ]
    assert viewer.filtered.count == len(silent)


def test_a_filter_that_leaves_nothing_shows_nothing(viewer):
    viewer.set("selected_count > 99")
    assert viewer._one.value == ""
    assert viewer._pictures.layout.display == "none"


def test_an_unknown_retrieval_is_an_error(viewer):
    with pytest.raises(KeyError):
        viewer.show("nowhere")
