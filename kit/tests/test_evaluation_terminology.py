"""The terminology map: the file, how a query is rewritten, and what the candidate then finds."""

import json

import pytest
from evaluation_data import Parts

from memconform.cli import run as command
from memconform.evaluation import dataset, shipped
from memconform.evaluation import gates as gating
from memconform.evaluation import terminology as terminologies
from memconform.evaluation.contenders import PipelineContender
from memconform.evaluation.report import Evaluated
from memconform.evaluation.run import report_of, run
from memconform.evaluation.tables import by_group, tables
from memconform.evaluation.terminology import TerminologyContender, TerminologyError
from memconform.resources import find

HEAD = 'schema = "memconform/terminology/1"\nname = "quay"\n'


@pytest.fixture
def terms(tmp_path):
    def made(**pairs):
        rows = [
            f"{{ said = {json.dumps(said)}, stored = {json.dumps(stored)} }}"
            for said, stored in pairs.items()
        ]
        path = tmp_path / "terms.toml"
        path.write_text(f"{HEAD}terms = [{', '.join(rows)}]\n", encoding="utf-8")
        return terminologies.load(path)

    return made


@pytest.fixture
def quay(tmp_path):
    return dataset.load(Parts().write(tmp_path / "quay"))


@pytest.fixture(scope="module")
def shipped_map():
    return terminologies.load(find("fixtures") / "evaluation-v1" / "terminology.toml")


@pytest.fixture(scope="module")
def anonymous():
    return dataset.load(shipped.located("anonymous-v1")[0])


def query(data, id):
    return next(query for query in data.queries if query.id == id)


# --- rewriting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("At the weekend?", "at the sundays ?"),
        ("ＷＥＥＫＥＮＤ", "sundays"),
        ("Weekends, midweekend, weekend_2", None),  # other words
        ("本weekend营业", "本 sundays 营业"),  # CJK beside it is no letter of the word
        ("开往码头的电车", "开往码头的 tram"),
        ("high tide", "flood"),  # the longer term
        ("tide high tide tide", "ebb flood ebb"),
        ("ebb", "tide"),  # and what was put in is not looked at again
        ("a+b?", "sum ?"),
        ("", None),
    ],
)
def test_a_query_in_the_words_of_the_memories(said, told, terms):
    made = terms(
        **{
            "weekend": "sundays",
            "电车": "tram",
            "high  Tide": "flood",
            "tide": "ebb",
            "ebb": "tide",
            "a+b": "sum",
        }
    )
    assert made.rewritten(said) == (said if told is None else told)


# --- the candidate -------------------------------------------------------------------------------


def test_it_finds_by_either_wording(quay, terms):
    # "buoy and high tide" has 10 tokens, of which the tide has 6 and the buoy 3, which is too few.
    # "buoy and green" has 8 (buoy and green give 3 and 4 with their slices, and 1), the buoy 7.
    asked = query(quay, "q2")
    plain = PipelineContender(quay).answer(asked, 5)
    mapped = TerminologyContender(quay, terms(**{"high tide": "green"})).answer(asked, 5)
    assert plain.selected == ("tide",)
    assert mapped.selected == ("buoy", "tide")
    assert mapped.scores[1] == plain.scores[0]  # found as before, with the score of before
    assert mapped.characters == len("The buoy is green") + len("High tide at nine")
    assert TerminologyContender(quay, terms(**{"high tide": "green"})).answer(
        asked, 1
    ).selected == ("buoy",)


def test_what_it_does_not_change_it_answers_as_foundation(quay, terms):
    made = TerminologyContender(quay, terms(lighthouse="lamp"))
    for each in quay.queries:
        assert made.answer(each, 5) == PipelineContender(quay).answer(each, 5)


def test_no_wall_falls(quay, terms):
    # The words of the lamp, which is elsewhere, of the directive and of the buoy that is disabled.
    words = "lamp burns oil ask the pilot first buoy red"
    found = TerminologyContender(quay, terms(crane=words)).answer(query(quay, "q1"), 5).selected
    assert not {"lamp", "pilot", "buoy-red"} & set(found)


def test_a_rewritten_query_is_held_to_the_floor_of_its_own_language(anonymous, shipped_map):
    # d14, What colour are the new tram cars?, becomes what 涂装 are the 新车厢: 8 tokens, of which
    # the Chinese record has 3. 3/8 is below the Latin floor of 0.4 and above the CJK one of 1/3.
    asked = query(anonymous, "d14")
    assert shipped_map.rewritten(asked.query) == "what 涂装 are the 新车厢 ?"
    assert PipelineContender(anonymous).answer(asked, 5).selected == ()
    found = TerminologyContender(anonymous, shipped_map).answer(asked, 5)
    assert found.selected == ("tram-livery",)


def test_a_map_can_do_harm(anonymous, shipped_map):
    # d35 asks what must be said of fares, which only a directive knows. ride costs, in place of
    # 票价, gives 7 of 15 tokens to the fare itself.
    found = TerminologyContender(anonymous, shipped_map).answer(query(anonymous, "d35"), 5)
    assert found.selected == ("tram-fare-2026",)


def test_the_historical_gate_goes_with_it(quay, terms):
    made = TerminologyContender(quay, terms(crane="pilot"), "historical-v1")
    plain = PipelineContender(quay, "historical-v1").answer(query(quay, "q1"), 5)
    assert set(plain.selected) <= set(made.answer(query(quay, "q1"), 5).selected)


# --- in the report -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(anonymous, shipped_map):
    contender = PipelineContender(anonymous)
    return report_of(
        run(contender, anonymous, "development", 5),
        anonymous,
        contender,
        Evaluated(target="pure", name="pipeline", version="1"),
        marker="checked-in-anonymous-fixtures",
        split="development",
        gate="foundation-v1",
        k=5,
        terminology=shipped_map,
    )


def test_the_candidate_stands_beside_the_baselines(report):
    names = ["historical-v1", "legacy", "foundation-v1", "terminology-map"]
    assert [each.name for each in report.baselines] == names
    assert [each.name for each in report.terminology.against] == names[:-1]
    assert report.terminology.rewritten["d14"] == "what 涂装 are the 新车厢 ?"
    assert "d01" not in report.terminology.rewritten
    # This is foundation itself, so what the map gains on it is what it loses to the map.
    this = report.baselines[3].comparisons[0]
    other = report.terminology.against[2].comparisons[0]
    assert (this.measure, this.difference) == (other.measure, -other.difference)
    assert (other.better, other.worse) == (6, 0)


def test_differences_by_language_and_category_add_up(report):
    for other in [*report.baselines, *report.terminology.against]:
        for whole in other.comparisons:
            for dimension in ("language", "category"):
                parts = [
                    part
                    for group in other.groups
                    if group.dimension == dimension
                    for part in group.comparisons
                    if part.measure == whole.measure
                ]
                assert sum(part.queries for part in parts) == whole.queries
                assert sum(part.better for part in parts) == whole.better
                mean = sum(part.difference * part.queries for part in parts) / whole.queries
                assert mean == pytest.approx(whole.difference, abs=1e-12)
                assert all(part.low <= part.difference <= part.high for part in parts)


def test_the_tables_name_it(report):
    titles = [rows.title for rows in tables(report)]
    assert "terminology-map, paired with foundation-v1" in titles
    groups = {rows.title: rows for rows in by_group(report)}
    rows = groups["terminology-map, paired with foundation-v1, by language and category"].rows
    # Four of the six cross-lingual questions are found by the map alone.
    assert ("cross-lingual", "R@5", "6", "+0.667") in [row[:4] for row in rows]


# --- the file and the command --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("terms", "is no TOML"),
        ('name = "x"', "has the schema None"),
        (HEAD, "required field `terms`"),
        (HEAD + "terms = []", "length >= 1"),
        (HEAD + 'terms = [{ said = "a" }]', "required field `stored`"),
        (HEAD + 'terms = [{ said = "a", stored = "b", why = "" }]', "unknown field `why`"),
        (HEAD + 'terms = [{ said = "", stored = "b" }]', "length >= 1"),
        (HEAD + 'terms = [{ said = "?!", stored = "b" }]', "without a letter or figure: '\\?!'"),
        (HEAD + 'terms = [{ said = "b", stored = " " }]', "without a letter or figure"),
        (HEAD + 'terms = [{ said = "B", stored = "b" }]', "puts 'b' in its own place"),
        (
            HEAD + 'terms = [{ said = "Ｂ", stored = "c" }, { said = "b", stored = "d" }]',
            "two terms for 'b'",
        ),
    ],
)
def test_a_malformed_map_is_refused_in_a_sentence(text, told, tmp_path):
    path = tmp_path / "terms.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TerminologyError, match=told) as refusal:
        terminologies.load(path)
    assert "\n" not in str(refusal.value)


def test_the_command_and_the_lock(tmp_path, capsys):
    folder = str(Parts().write(tmp_path / "quay"))
    made, other = tmp_path / "terms.toml", tmp_path / "other.toml"
    made.write_text(HEAD + 'terms = [{ said = "high tide", stored = "green" }]', encoding="utf-8")
    other.write_text(HEAD + 'terms = [{ said = "high tide", stored = "red" }]', encoding="utf-8")
    gates = tmp_path / "gates.toml"
    gates.write_text(
        'schema = "memconform/gates/1"\n[[gates]]\nname = "more"\nof = "terminology-map"\n'
        'against = "foundation-v1"\nmetric = "recall"\ncomparison = "=="\nthreshold = 0.25\n'
        'split = "development"\n[[gates]]\nname = "silent"\nmetric = "abstention"\n'
        'comparison = "=="\nthreshold = 1\n',
        encoding="utf-8",
    )
    arguments = ["evaluate", "reference:filesystem", "--dataset", folder, "--gates", str(gates)]
    lock = str(tmp_path / "lock.json")

    # Recall 1 and 1/2 without the map, 1 and 1 with it: 1/4 more.
    assert command([*arguments, "--terminology", str(made), "--write-lock", lock]) == 0
    assert "Go: 2 of 2 gates hold." in capsys.readouterr().out

    holdout = [*arguments, "--split", "holdout", "--lock", lock, "--terminology"]
    assert command([*holdout, str(other)]) == 2
    assert "names the terminology map" in capsys.readouterr().err
    assert command([*holdout, str(made)]) == 0

    assert command(arguments) == 2
    assert "names the contender 'terminology-map'" in capsys.readouterr().err
    assert command([*arguments, "--terminology", str(tmp_path / "gone.toml")]) == 2
    assert "gone.toml can't be read" in capsys.readouterr().err


# --- what the page of the documentation says -----------------------------------------------------


def test_the_documented_figures_of_development_are_the_measured_ones(report):
    page = (find("schemas").parent / "evaluate.md").read_text(encoding="utf-8")
    sides = [each.decision for each in report.baselines]
    for words, field in (
        ("development: recall@5", "recall_at_k"),
        ("precision@5", "precision_at_k"),
        ("abstention accuracy", "abstention_accuracy"),
    ):
        figures = " | ".join(f"{getattr(side, field):.3f}" for side in sides)
        assert f"| {words} | {figures} |" in page
    gain = report.terminology.against[2].comparisons[0]
    assert f"gains {gain.difference:.3f} of recall ({gain.low:.3f} to {gain.high:.3f})" in page


def test_the_shipped_gates_are_decided_as_documented(anonymous, report):
    declared = gating.load(find("fixtures") / "evaluation-v1" / "gates.toml")
    contender = PipelineContender(anonymous)
    map_of = TerminologyContender(
        anonymous,
        terminologies.load(find("fixtures") / "evaluation-v1" / "terminology.toml"),
    )
    this = gating.Side(run(contender, anonymous, "development", 5).judged)
    other = gating.Side(run(map_of, anonymous, "development", 5).judged)
    decided = gating.decide(
        declared,
        {"this": this, "foundation-v1": this, "terminology-map": other},
        split="development",
        k=5,
        seed=1,
        safe=True,
    )
    # The sixth asks for silence, and d35 is answered.
    assert [result.outcome for result in decided.results] == ["go"] * 5 + ["no-go"]
