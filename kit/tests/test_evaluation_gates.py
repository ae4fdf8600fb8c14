"""Gates: the file, what they decide by figures worked out by hand, the lock, the exit code."""

import json
from fractions import Fraction as F

import pytest
from evaluation_data import Parts

from memconform.cli import run as command
from memconform.evaluation import gates as gating
from memconform.evaluation.dataset import load
from memconform.evaluation.gates import GatesError, Side
from memconform.evaluation.report import FailedQuery
from memconform.evaluation.scorers import Judged

HEAD = 'schema = "memconform/gates/1"\n'
GATE = '[[gates]]\nname = "enough"\nmetric = "recall"\ncomparison = ">="\nthreshold = 0.75\n'


@pytest.fixture
def quay(tmp_path):
    return load(Parts().write(tmp_path / "quay"))


def gates(tmp_path, text, head=HEAD):
    path = tmp_path / "gates.toml"
    path.write_text(head + text, encoding="utf-8")
    return gating.load(path)


def gate(name="it", metric="recall", comparison=">=", threshold="0", **more):
    fields = {"name": name, "metric": metric, "comparison": comparison, **more}
    lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
    return "\n".join(["[[gates]]", *lines, f"threshold = {threshold}", ""])


def judged(dataset, **selected):
    """The development queries by their ids, with what was selected for each."""
    queries = {query.id: query for query in dataset.split("development")}
    return tuple(
        Judged(queries[id], tuple(ids), dataset.standing(queries[id]))
        for id, ids in selected.items()
    )


def decide(declared, this, *, safe=True, **others):
    sides = {"this": this, **others}
    return gating.decide(declared, sides, split="development", k=5, seed=1, safe=safe)


def outcome(declared, this, **others):
    (result,) = decide(declared, this, **others).results
    return result.outcome, result.figure


# q1 expects crane, q2 buoy and tide, q3 nothing. Here q1 finds its one, q2 one of its two behind a
# wrong one, q3 two that it must not: recall 1 and 1/2, precision 1 and 1/2, first hits in places
# 1 and 2, and no silence. pilot is a directive, lamp out of scope, tide-old superseded.
def half(dataset):
    return Side(judged(dataset, q1=["crane"], q2=["crane", "tide"], q3=["pilot", "lamp"]))


def good(dataset):
    return Side(judged(dataset, q1=["crane"], q2=["buoy", "tide"], q3=[]))


@pytest.mark.parametrize(
    ("metric", "figure"),
    [
        ("recall", F(3, 4)),
        ("precision", F(3, 4)),
        ("mrr", F(3, 4)),
        ("abstention", 0),
        ("false-positive-selections", 2),
        ("explicit-forbidden-selections", 0),
        ("forbidden-selections", 2),
        ("scope-leaks", 1),
        ("lifecycle-leaks", 0),
        ("authority-violations", 1),
        ("unknown-selections", 0),
    ],
)
def test_each_metric_gives_its_figure(metric, figure, quay, tmp_path):
    assert outcome(
        gates(tmp_path, gate(metric=metric, comparison="==", threshold=str(float(figure)))),
        half(quay),
    ) == ("go", float(figure))


@pytest.mark.parametrize(
    ("comparison", "holds"),
    [("==", True), ("<=", True), (">=", True), ("<", False), (">", False)],
)
def test_a_figure_at_the_threshold(comparison, holds, quay, tmp_path):
    declared = gates(tmp_path, gate(comparison=comparison, threshold="0.75"))
    assert outcome(declared, half(quay))[0] == ("go" if holds else "no-go")
    # One step beside it every comparison but the equality turns to the side it points to.
    declared = gates(tmp_path, gate(comparison=comparison, threshold="0.7500001"))
    assert outcome(declared, half(quay))[0] == ("go" if comparison in ("<=", "<") else "no-go")


def test_thresholds_are_the_numbers_that_were_written(quay, tmp_path):
    # One of three expected ids: 1/3, rounded to 0.333 as the scorer does; 0.333 as a float is
    # another number than 333/1000.
    query = quay.split("development")[1]
    three = type(query)(
        **{
            name: getattr(query, name) for name in query.__struct_fields__ if name != "expected_ids"
        },
        expected_ids=("buoy", "tide", "crane"),
    )
    side = Side((Judged(three, ("buoy",), quay.standing(query)),))
    assert F(0.333) != F(333, 1000)
    assert outcome(gates(tmp_path, gate(comparison="==", threshold="0.333")), side)[0] == "go"


def test_the_ends_of_the_interval(quay, tmp_path):
    # Two queries of 1 and 1/2: a draw's mean is 1/2 or 1 in a quarter of the draws each, so both
    # ends of the middle 95 % are outermost.
    for on, figure in (("low", 0.5), ("high", 1.0)):
        declared = gates(tmp_path, gate(on=on, comparison="==", threshold=str(figure)))
        assert outcome(declared, half(quay)) == ("go", figure)


def test_differences_to_another_contender(quay, tmp_path):
    def against(metric, other, **more):
        declared = gates(tmp_path, gate(metric=metric, against="legacy", **more))
        return outcome(declared, half(quay), legacy=other)[1]

    # Recall 1 and 1/2 against 1 and 1: differences 0 and -1/2, their mean -1/4.
    assert against("recall", good(quay)) == -0.25
    assert against("recall", good(quay), on="low") == -0.5
    assert against("recall", good(quay), on="high") == 0
    assert against("false-positive-selections", good(quay)) == 2
    # Of the other, not of this: the sign turns.
    declared = gates(tmp_path, gate(of="legacy", against="this"))
    assert outcome(declared, half(quay), legacy=good(quay))[1] == 0.25


def test_a_part_of_the_queries(quay, tmp_path):
    declared = gates(
        tmp_path,
        gate("en", metric="false-positive-selections", language="en")
        + gate("zh", metric="false-positive-selections", language="zh")
        + gate("many", category="multi-relevant")
        + gate("none", category="terse-abstract"),
    )
    results = {result.name: result for result in decide(declared, half(quay)).results}
    # Nothing is expected of q3 alone, so no English query has false positives to be counted.
    assert (results["en"].outcome, results["en"].why) == (
        "not-measured",
        "no query that it applies to",
    )
    assert (results["zh"].figure, results["zh"].queries) == (2, 1)
    assert (results["many"].figure, results["many"].queries) == (0.5, 1)
    assert results["none"].outcome == "not-measured"


def test_all_must_hold_and_be_measured(quay, tmp_path):
    yes, no = gate("yes"), gate("no", threshold="0.9")
    other = gate("later", threshold="2", split="holdout")
    assert decide(gates(tmp_path, yes + other), half(quay)).go
    assert not decide(gates(tmp_path, yes + no), half(quay)).go
    assert not decide(gates(tmp_path, yes), half(quay), safe=False).go
    assert [r.outcome for r in decide(gates(tmp_path, yes + no + other), half(quay)).results] == [
        "go",
        "no-go",
        "other-split",
    ]


def test_failed_queries_are_no_go_where_they_belong(quay, tmp_path):
    failed = FailedQuery(
        id="q2", language="en", category="multi-relevant", code="internal", cause="?"
    )
    side = Side(judged(quay, q1=["crane"], q3=[]), (failed,))
    declared = gates(tmp_path, gate("all") + gate("zh", metric="abstention", language="zh"))
    decided = decide(declared, side)
    assert [(r.outcome, r.why) for r in decided.results] == [
        ("not-measured", "1 query of this failed"),
        ("go", None),
    ]
    assert not decided.go
    assert not decide(gates(tmp_path, gate(metric="abstention", language="zh")), side).go


def test_records_that_are_not_there_can_be_a_gate(quay, tmp_path):
    declared = gates(tmp_path, gate(metric="left-out-records", comparison="<=", threshold="1"))
    some = half(quay).judged
    assert outcome(declared, Side(some, left_out=1)) == ("go", 1)
    assert outcome(declared, Side(some, left_out=2)) == ("no-go", 2)


# --- the file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no TOML|the schema None"),
        ("schema = ", "is no TOML"),
        ('schema = "memconform/gates/2"\n', "has the schema 'memconform/gates/2'"),
        (HEAD, "required field `gates`"),
        (HEAD + "gates = []\n", "length >= 1"),
        (HEAD + GATE + "note = 1\n", "unknown field `note`"),
        (HEAD + GATE.replace('"recall"', '"recal"'), "'recal'"),
        (HEAD + GATE.replace('">="', '"=>"'), "'=>'"),
        (HEAD + GATE.replace("0.75", "nan"), "no finite threshold"),
        (HEAD + GATE.replace("0.75", "inf"), "no finite threshold"),
        (HEAD + GATE.replace("0.75", "true"), "got `bool`"),
        (HEAD + GATE.replace("0.75", '"much"'), "decimal"),
        (HEAD + GATE + GATE, "two gates of the name 'enough'"),
        (HEAD + GATE + 'against = "this"\n', "compares 'this' with itself"),
        (HEAD + GATE + 'split = "train"\n', "'train'"),
        (HEAD + GATE.replace("recall", "left-out-records") + 'on = "low"\n', "nothing else"),
        (HEAD + "k = 0\n" + GATE, ">= 1"),
        (HEAD + GATE + "#" * (1 << 20), "larger than 1,048,576 bytes"),
    ],
)
def test_a_malformed_file_is_refused_in_a_sentence(text, told, tmp_path):
    with pytest.raises(GatesError, match=told) as refusal:
        gates(tmp_path, text, head="")
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(GatesError, match=r"can't be read: No such file"):
        gating.load(tmp_path / "gone.toml")
    (tmp_path / "gates.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(GatesError, match="is no TOML"):
        gating.load(tmp_path / "gates.toml")


def test_gates_must_fit_the_run(tmp_path):
    def fits(text, **run):
        given = {"split": "development", "k": 5, "contenders": ["legacy"], **run}
        gating.fitting(gates(tmp_path, text), **given)

    fits("k = 5\n" + gate(against="legacy"))
    with pytest.raises(GatesError, match="declared for K 5, not 3"):
        fits("k = 5\n" + gate(), k=3)
    with pytest.raises(GatesError, match="names the contender 'legasy'; this run has this, legacy"):
        fits(gate(against="legasy"))
    with pytest.raises(GatesError, match="None of the gates is for development"):
        fits(gate(split="holdout"))


# --- the command ---------------------------------------------------------------------------------


def evaluate(folder, *more):
    return ["evaluate", "reference:filesystem", "--dataset", str(folder / "quay"), *map(str, more)]


@pytest.fixture
def files(tmp_path):
    Parts().write(tmp_path / "quay")
    for name, threshold in (("yes", "0.75"), ("no", "0.76")):
        text = (
            HEAD
            + gate("<b>recall</b>", threshold=threshold)
            + gate("silent", metric="forbidden-selections", comparison="==", split="holdout")
        )
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_command_says_go_and_no_go(files, capsys):
    # Foundation finds the crane and, of buoy and tide, the tide: recall (1 + 1/2) / 2.
    assert command(evaluate(files, "--gates", files / "yes.toml", "--out", files / "out")) == 0
    told = capsys.readouterr().out
    assert "Go: 1 of 1 gate holds." in told
    page = (files / "out" / "report.md").read_text(encoding="utf-8")
    assert "**Go: 1 of 1 gate holds.**" in page
    assert "| &lt;b&gt;recall&lt;/b&gt; | recall &gt;= 0.75 | 0.750 | go |" in page
    assert "| silent | forbidden selections == 0 | for holdout | not here |" in page
    report = json.loads((files / "out" / "report.json").read_bytes())
    assert report["gates"]["go"]
    assert len(report["gates"]["digest"]) == 64

    assert command(evaluate(files, "--gates", files / "no.toml")) == 1
    assert "No-go: 0 of 1 gate hold" in capsys.readouterr().out


def test_bad_gates_are_one_sentence_before_anything_runs(files, capsys):
    (files / "bad.toml").write_text("gates", encoding="utf-8")
    assert command(evaluate(files, "--gates", files / "bad.toml")) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "bad.toml is no TOML" in captured.err


def test_the_holdout_is_decided_by_the_gates_that_were_declared(files, capsys):
    lock = files / "lock.json"
    yes, no = files / "yes.toml", files / "no.toml"
    assert command(evaluate(files, "--gates", yes, "--write-lock", lock)) == 0
    holdout = ["--split", "holdout", "--lock", lock]

    # q4 expects nothing, and foundation says nothing: silent holds, and recall has no query.
    assert command(evaluate(files, *holdout, "--gates", yes)) == 1
    assert "No-go: 1 of 2 gates holds." in capsys.readouterr().out
    assert command(evaluate(files, *holdout, "--gates", no)) == 2
    assert "gates were changed after the configuration was chosen" in capsys.readouterr().err
    assert command(evaluate(files, *holdout)) == 2
    assert "The lock names the gates" in capsys.readouterr().err

    bare = files / "bare.json"
    assert command(evaluate(files, "--write-lock", bare)) == 0
    assert command(evaluate(files, "--split", "holdout", "--lock", bare, "--gates", yes)) == 2
    assert "The lock names no gates" in capsys.readouterr().err


def test_a_lock_of_before_there_were_gates_is_read(files):
    lock = files / "lock.json"
    assert command(evaluate(files, "--write-lock", lock)) == 0
    plain = json.loads(lock.read_bytes())
    del plain["gates"]
    lock.write_text(json.dumps(plain), encoding="utf-8")
    assert command(evaluate(files, "--split", "holdout", "--lock", lock)) == 0
