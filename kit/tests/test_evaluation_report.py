"""The report: the same bytes again, what it states, intervals, frozen results, the lock."""

import random
from fractions import Fraction as F
from itertools import count, product

import msgspec
import pytest
from evaluation_data import Parts
from evaluation_stores import Ghostly, Picky, Store, Workshop

from memconform.evaluation import bootstrap, frozen, lock
from memconform.evaluation.bootstrap import RESAMPLES, paired
from memconform.evaluation.contenders import EvaluationError, PipelineContender, StoreContender
from memconform.evaluation.dataset import load
from memconform.evaluation.frozen import FrozenError
from memconform.evaluation.lock import LockError
from memconform.evaluation.markdown import markdown
from memconform.evaluation.report import Evaluated, EvaluationReport, encoded, evidence_of
from memconform.evaluation.run import report_of, run, times_of
from memconform.evaluation.tables import safety, settings
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport


@pytest.fixture
def quay(tmp_path):
    return load(Parts().write(tmp_path / "quay"))


def report(dataset, contender=None, *, split="development", gate="foundation-v1", k=5, **more):
    contender = contender or PipelineContender(dataset, gate)
    return report_of(
        run(contender, dataset, split, k),
        dataset,
        contender,
        Evaluated(target="pure", name="pipeline", version="1"),
        marker="given-folder",
        split=split,
        gate=gate,
        k=k,
        **more,
    )


def contend(workshop, dataset):
    return StoreContender(Connection(LocalTransport(workshop.system)), dataset, "foundation-v1")


# --- what it states ------------------------------------------------------------------------------


def test_the_report_is_the_same_bytes_again(quay):
    assert encoded(report(quay)) == encoded(report(quay))


def test_the_report_can_be_read_back(quay):
    made = report(quay)
    assert msgspec.json.decode(encoded(made), type=EvaluationReport) == made


def test_the_report_states_what_it_was_measured_with(quay):
    made = report(quay, k=3)
    assert made.k == 3
    assert made.gate == "foundation-v1"
    assert made.modes == ["filesystem"]
    assert made.weights.lexical == 0.55
    assert (made.floors.latin, made.floors.cjk) == (0.4, 1 / 3)
    assert made.dataset.digest == quay.digest
    assert (made.dataset.records, made.dataset.queries) == (8, 3)
    assert [each.name for each in made.baselines] == ["historical-v1", "legacy"]
    assert [g.name for g in made.categories] == [
        "lexical-control",
        "multi-relevant",
        "cross-lingual",
    ]
    assert [g.name for g in made.languages] == ["en", "zh"]
    assert report(quay, gate="historical-v1").floors is None


def test_a_store_without_a_trace_states_none(quay):
    made = report(quay, contend(Workshop(Store), quay))
    assert made.modes == []
    assert made.weights is made.floors is None
    told = dict(settings(made))
    assert (told["gate"], told["weights"], told["floors"]) == ("its own", "not told", "not told")
    assert made.queries[0].candidates is made.queries[0].trace_hash is None


def test_a_query_is_told_in_full(quay):
    first, second, third = report(quay).queries
    assert first.selected_ids == ["crane"]
    assert (first.recall_at_k, first.precision_at_k, first.reciprocal_rank) == (1, 1, 1)
    assert first.abstained is None
    assert [c.memory_id for c in first.candidates] == ["crane"]
    assert first.candidates[0].selected
    # Out of the workspace: the lamp. Inactive: the red buoy and the old tide.
    assert (first.filtered.scope, first.filtered.lifecycle) == (1, 2)
    assert third.recall_at_k is None
    assert third.abstained
    assert second.category == "multi-relevant"


def test_errors_of_safety_are_named_for_each_query(quay):
    made = report(quay, contend(Workshop(Ghostly), quay))
    assert not made.safe
    assert len(made.queries[0].unsafe) == 4  # the ghost, tide-old, pilot, lamp
    assert made.queries[0].forbidden == ["buoy"]
    assert safety(made.decision).startswith("No-go, whatever the quality: 3 scope leaks")
    # Over three queries: the ghost is unknown, tide-old inactive, pilot a directive, each time.
    assert made.decision.unknown_selections == 3
    assert made.decision.lifecycle_leaks == 3
    assert made.decision.authority_violations == 3


def test_times_are_apart(quay):
    ticks = count()
    # Each question takes one tick of the timer, a second.
    measured = run(PipelineContender(quay), quay, "development", 5, timer=lambda: next(ticks))
    times = times_of(measured)
    assert times.queries == [1000, 1000, 1000]
    assert times.latency_ms == 3000
    assert (times.p50_ms, times.p95_ms) == (1000, 1000)
    assert b"_ms" not in encoded(report(quay))
    assert b"Ms" not in encoded(report(quay))


def test_progress_is_told_after_each_query(quay):
    told = []
    run(PipelineContender(quay), quay, "development", 5, told=lambda *step: told.append(step))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_split_without_queries_is_no_measurement(tmp_path):
    parts = Parts()
    parts.queries.pop()
    parts.manifest["counts"]["holdout"] = 0
    del parts.manifest["quotas"]["holdout"]
    dataset = load(parts.write(tmp_path))
    with pytest.raises(EvaluationError, match="has no holdout queries"):
        run(PipelineContender(dataset), dataset, "holdout", 5)


# --- Markdown ------------------------------------------------------------------------------------


def test_markdown_shows_what_counts(quay):
    page = markdown(report(quay))
    # Of "buoy and high tide" the buoy has 3 of 10 tokens (buoy, buo, uoy): missed. (1 + 1/2) / 2.
    for told in (
        "# Evaluation of `pure`",
        "Safe: no scope leak",
        "| recall@5 | 0.750 |",
        "lexical 0.55, scope 0.1",
        "Latin 0.4, CJK 0.333333",
        "given-folder",
        "seed 1",
        "| `q1` | lexical-control | en | `crane` | `crane` | 1.000 | 1.000 | 1.000 |",
        "| `q3` | cross-lingual | zh | nothing | nothing | – | – | – |",
    ):
        assert told in page
    assert page == markdown(report(quay))


def test_markdown_names_what_was_left_out(quay):
    page = markdown(report(quay, contend(Workshop(Picky), quay)))
    assert "## Records that the store does not have" in page
    assert "- `pilot`: deferred: ask again" in page


def test_what_a_store_does_not_declare_is_told(quay):
    made = report(quay, contend(Workshop(Store, "workspaces", "projects", "trace", "mode"), quay))
    assert made.undeclared == ["purpose", "clock", "validity", "disable", "supersede"]
    assert made.floors is not None
    assert "Not declared: purpose, clock, validity, disable, supersede." in markdown(made)
    assert report(quay).undeclared == []
    assert "Not declared" not in markdown(report(quay))


def test_hostile_ids_and_names_stay_in_their_cells(quay):
    workshop = Workshop(Ghostly, name="\x1b[2J|`# evil")
    contender = contend(workshop, quay)
    made = msgspec.structs.replace(
        report(quay, contender),
        evaluated=Evaluated(target="t\n# x", name=contender.hello.name, version="1"),
    )
    page = markdown(made)
    assert "\x1b" not in page
    assert "\n# x" not in page
    rows = [line for line in page.splitlines() if line.startswith("| `q1`")]
    assert rows[0].replace("\\|", "").count("|") == 9  # eight cells


# --- paired intervals ----------------------------------------------------------------------------


def figures(*values):
    return {f"q{n}": F(value) for n, value in enumerate(values)}


@pytest.mark.parametrize("kept", [bootstrap.KEPT, 20, 1])
def test_the_interval_is_that_of_drawing_one_after_the_other(kept, monkeypatch):
    monkeypatch.setattr(bootstrap, "KEPT", kept)  # in one piece, in several, in one a draw
    bootstrap._ends.cache_clear()
    these = figures(0, "1/4", 1, "1/2", 1, 0, "3/4")
    draw = random.Random(7)
    values = list(these.values())
    means = sorted(sum(draw.choices(values, k=7)) / 7 for _ in range(200))
    told = paired(these, figures(*[0] * 7), seed=7, resamples=200)
    # The middle 95 % of 200: five at each end are left out.
    assert (told.low, told.high) == (means[5], means[194])
    bootstrap._ends.cache_clear()


def test_differences_are_paired_by_query():
    found = paired(figures(1, F(1, 2), 0, 1), figures(0, F(1, 2), 1, F(3, 4)), seed=1)
    # 1, 0, -1, 1/4
    assert found.queries == 4
    assert found.mean == F(1, 16)
    assert (found.better, found.worse) == (2, 1)


def test_only_queries_of_both_count():
    assert paired({"a": F(1), "b": F(1)}, {"b": F(0), "c": F(0)}, seed=1).queries == 1
    assert paired({"a": F(1)}, {"b": F(1)}, seed=1) is None


def test_without_any_spread_the_interval_is_a_point():
    found = paired(figures(1, 1, 1), figures(F(1, 3), F(1, 3), F(1, 3)), seed=9)
    assert found.mean == found.low == found.high == F(2, 3)


def test_the_interval_is_that_of_the_exact_distribution():
    # One of six queries differs, by 1. The mean of a draw of six is n/6 with n binomial(6, 1/6):
    # P(0) = (5/6)^6 = 0.335, P(n >= 3) = 0.062, P(n >= 4) = 0.0087. So the middle 95 % of the
    # draws lies between 0 and 3/6, far from where chance could move either end.
    exact = [sum(draw) for draw in product((1, 0, 0, 0, 0, 0), repeat=6)]
    assert sum(n >= 4 for n in exact) / len(exact) < 0.025 < sum(n >= 3 for n in exact) / len(exact)
    for seed in range(3):
        found = paired(figures(1, 0, 0, 0, 0, 0), figures(0, 0, 0, 0, 0, 0), seed=seed)
        assert (found.low, found.mean, found.high) == (0, F(1, 6), F(1, 2))


def test_the_seed_fixes_the_draws():
    these, others = (
        figures(*(F(n, 7) for n in range(8))),
        figures(*(F(n * n % 5, 5) for n in range(8))),
    )
    first = paired(these, others, seed=3)
    assert paired(these, others, seed=3) == first
    few = {paired(these, others, seed=seed, resamples=50).low for seed in range(10)}
    assert len(few) > 1


def test_a_report_says_how_its_intervals_were_drawn(quay):
    made = report(quay, seed=7)
    assert (made.bootstrap.seed, made.bootstrap.resamples, made.bootstrap.level) == (
        7,
        RESAMPLES,
        0.95,
    )
    measures = [each.measure for each in made.baselines[0].comparisons]
    assert measures == ["R@5", "P@5", "RR@5", "Silence"]


# --- frozen results ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [lambda made: made, evidence_of], ids=["report", "evidence"])
def test_a_frozen_result_is_compared_with(kind, quay, tmp_path):
    path = tmp_path / "frozen.json"
    path.write_bytes(encoded(kind(report(quay, gate="historical-v1"))))
    found = frozen.load(path, quay, "development", 5)
    made = report(quay, frozen=found)
    against = {each.name: each for each in made.baselines}
    name = "pure (historical-v1)" if kind is not evidence_of else "evidence (historical-v1)"
    assert list(against) == ["historical-v1", "legacy", name]
    # It is the pipeline's own historical answer, so it must be judged just like that.
    for field in ("foundation", "decision", "comparisons"):
        assert getattr(against[name], field) == getattr(against["historical-v1"], field)


def altered(quay, path, **changes):
    plain = msgspec.to_builtins(report(quay))
    for key, value in changes.items():
        if isinstance(value, dict):
            plain[key] |= value
        else:
            plain[key] = value
    path.write_bytes(msgspec.json.encode(plain))
    return path


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schema": "other-1"}, "has the schema 'other-1'"),
        ({"dataset": {"digest": "0" * 64}}, "measured on another dataset"),
        ({"dataset": {"split": "holdout"}}, "on holdout with K 5, not on development with K 5"),
        ({"k": 3}, "on development with K 3, not on development with K 5"),
        ({"queries": []}, "does not have the queries"),
        ({"k": "five"}, "neither a report nor evidence"),
    ],
)
def test_a_frozen_result_of_something_else_is_refused(changes, told, quay, tmp_path):
    path = altered(quay, tmp_path / "frozen.json", **changes)
    with pytest.raises(FrozenError, match=told):
        frozen.load(path, quay, "development", 5)


def test_a_frozen_result_that_is_missing_or_no_json_is_refused(quay, tmp_path):
    with pytest.raises(FrozenError, match="can't be read: No such file"):
        frozen.load(tmp_path / "gone.json", quay, "development", 5)
    (tmp_path / "half.json").write_text("{")
    with pytest.raises(FrozenError, match="neither a report nor evidence"):
        frozen.load(tmp_path / "half.json", quay, "development", 5)


# --- the lock ------------------------------------------------------------------------------------


def asked(made):
    return {
        "dataset": made.dataset.digest,
        "target": made.evaluated.target,
        "name": made.evaluated.name,
        "version": made.evaluated.version,
        "gate": made.gate,
        "k": made.k,
    }


def test_a_lock_names_the_configuration_that_was_chosen(quay, tmp_path):
    made = report(quay)
    path = tmp_path / "lock.json"
    path.write_bytes(encoded(lock.lock_of(made)))
    read, digest = lock.load(path)
    assert len(digest) == 64
    lock.check(read, **asked(made))


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"dataset": "0" * 64}, "the dataset"),
        ({"target": "mixed"}, "the target 'pure', not 'mixed'"),
        ({"name": "pipe"}, "the implementation 'pipeline', not 'pipe'"),
        ({"version": "2"}, "the version '1', not '2'"),
        ({"gate": "historical-v1"}, "the gate 'foundation-v1', not 'historical-v1'"),
        ({"k": 8}, "the K 5, not 8"),
    ],
)
def test_a_lock_opens_the_holdout_to_no_other_configuration(other, told, quay):
    made = report(quay)
    with pytest.raises(LockError, match=told):
        lock.check(lock.lock_of(made), **(asked(made) | other))


def test_a_holdout_report_chooses_nothing(quay):
    with pytest.raises(LockError, match="chosen on development"):
        lock.lock_of(report(quay, split="holdout", lock="0" * 64))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "is no lock of one configuration"),
        ("[]", "is no lock of one configuration"),
        ("{", "is no lock of one configuration"),
    ],
)
def test_what_is_no_lock_is_refused(text, told, tmp_path):
    path = tmp_path / "lock.json"
    path.write_text(text)
    with pytest.raises(LockError, match=told):
        lock.load(path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schemaVersion": 2}, "schemaVersion 2; this kit reads 1"),
        ({"chosenOn": "holdout"}, "is no lock of one configuration"),
        ({"alsoTry": "k=8"}, "is no lock of one configuration"),
    ],
)
def test_a_lock_of_another_kind_is_refused(change, told, quay, tmp_path):
    path = tmp_path / "lock.json"
    path.write_bytes(msgspec.json.encode(msgspec.to_builtins(lock.lock_of(report(quay))) | change))
    with pytest.raises(LockError, match=told):
        lock.load(path)
    with pytest.raises(LockError, match="can't be read: No such file"):
        lock.load(tmp_path / "gone.json")
