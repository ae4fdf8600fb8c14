"""The kill matrix: what counts as a kill, what is kept, and that the published page is current."""

import msgspec
import pytest

from memconform import resources
from memconform.cli import kills as command
from memconform.cli.names import library
from memconform.faults import FAULTS, SPECS
from memconform.faults.fault import Fault
from memconform.faults.seams import stage, store
from memconform.protocol import Unavailable
from memconform.reference.filesystem import FilesystemStore, factory
from memconform.retrieval.ranking import order_key
from memconform.suite.attack import Cell, attack, plan_for
from memconform.suite.play import scripts
from memconform.suite.run import run as run_by_pytest
from memconform.verdict import kills_page, kills_picture, kills_run
from memconform.verdict.events import parse
from memconform.verdict.kills import Standing, judge

FLOOR = "lexical-abstention/fifty-one-of-a-hundred-and-twenty-eight-tokens-are-too-few"
LATIN = "lexical-abstention/the-floor-of-a-latin-query-is-0-40"


@pytest.fixture(scope="module")
def suite():
    return scripts(library(), SPECS)


def fault(name, seed, named=(FLOOR,), breaks=(LATIN,)):
    return Fault(
        name=name,
        change="Something.",
        suffers="Somebody.",
        breaks=breaks,
        killed_by=tuple(named),
        base="filesystem",
        seed=seed,
    )


def cell(rows, *, scenario=FLOOR, reached=True):
    return Cell(scenario=scenario, rows=rows, reached=reached, step="", told="")


def standing(*cells, named=(FLOOR,)):
    faulty = fault("seeded", lambda mark: factory(), named)
    return judge(library(), [faulty], {"seeded": cells}).faults[0].standing


OTHER = "lexical-abstention/two-of-five-words-are-enough"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((cell("K"),), Standing.KILLED),
        ((cell(".K."),), Standing.KILLED),
        ((cell("K"), cell("c", scenario=OTHER)), Standing.KILLED),
        ((cell("."), cell("K", scenario=OTHER)), Standing.ELSEWHERE),
        ((cell("c"), cell("K", scenario=OTHER)), Standing.CRASHED),
        ((cell("f"),), Standing.CRASHED),
        ((cell("."), cell("c", scenario=OTHER)), Standing.CRASHED),
        ((cell(".", reached=False),), Standing.UNREACHED),
        ((cell("."),), Standing.SURVIVED),
    ],
)
def test_what_becomes_of_a_fault(cells, expected):
    assert standing(*cells) is expected


def test_each_scenario_that_is_named_has_to_kill():
    assert standing(cell("K"), cell(".", scenario=OTHER), named=(FLOOR, OTHER)) is (
        Standing.ELSEWHERE
    )


def test_idle_is_what_kills_no_fault_and_covered_what_its_own_scenario_kills():
    faulty = fault("seeded", lambda mark: factory())
    told = judge(library(), [faulty], {"seeded": [cell("K"), cell(".K", scenario=OTHER)]})
    assert FLOOR not in told.idle
    assert OTHER not in told.idle
    assert "lexical-abstention/two-of-six-pairs-are-enough" in told.idle
    assert LATIN not in told.uncovered
    assert "lexical-abstention/silence-reaches-the-prompt" in told.uncovered
    assert told.idle_rows == [f"{OTHER}[1]"]
    assert not told.sound
    assert "memory-core" in told.unproven  # no fault given here is for it


def test_a_kill_of_a_scenario_elsewhere_covers_nothing():
    faulty = fault("seeded", lambda mark: factory(), breaks=(LATIN,))
    foreign = "lexical-abstention/two-of-six-pairs-are-enough"
    told = judge(library(), [faulty], {"seeded": [cell("K", scenario=foreign)]})
    assert LATIN in told.uncovered


# --- attacks ---------------------------------------------------------------------------------


def test_an_exception_of_the_store_is_a_crash_and_no_kill(suite):
    def broken(ranked):
        raise ZeroDivisionError

    (seen,) = attack(fault("broken", stage(order_key=broken)), suite, {OTHER: True})
    assert seen.rows == "c" or seen.rows == "f"
    assert not seen.kills


def test_a_refusal_is_no_kill(suite):
    def make(mark):
        class Store(FilesystemStore):
            def _retrieve(self, request):
                mark()
                raise Unavailable("not today")

        return Store

    (seen,) = attack(fault("refusing", store(make)), suite, {OTHER: True})
    assert seen.rows == "f"


def test_a_failure_without_the_fault_having_run_is_no_kill(suite):
    def make(mark):
        class Store(FilesystemStore):  # wrong, and never says that it ran
            def _retrieve(self, request):
                found = super()._retrieve(request)
                return self._pipeline.retrieve([], request, now=self._now) if found else found

        return Store

    (seen,) = attack(fault("silent", store(make)), suite, {OTHER: True})
    assert seen.rows == "c"
    assert not seen.reached


def test_a_fault_that_changes_nothing_survives(suite):
    (seen,) = attack(fault("same", stage(order_key=order_key)), suite, {OTHER: True})
    assert seen.rows == "."
    assert seen.reached


def test_a_plan_is_what_is_named_and_what_is_broken(suite):
    plan = plan_for(FAULTS["latin-floor-a-little-low"], suite)
    assert next(iter(plan)) == FLOOR
    assert {suite[id][0].scenario.requirement for id in plan} == {LATIN.partition("/")[2]}
    wide = plan_for(FAULTS["latin-floor-a-little-low"], suite, wide=True)
    assert set(plan) < set(wide)
    assert {id.partition("/")[0] for id in wide} == {"lexical-abstention"}


def test_playing_and_pytest_come_to_the_same(suite):
    """The runner of the matrix against the runner of certificates, over one whole profile."""
    target = "fault:the-best-always-passes"
    events = parse(run_by_pytest(target, ["abstention"]).events)
    by_pytest = {id: result.outcome.value for id, result in events.results.items()}
    ids = [id for id in suite if id.startswith("lexical-abstention/")]
    cells = attack(FAULTS["the-best-always-passes"], suite, dict.fromkeys(ids, True))
    words = {"K": "failed", ".": "passed", "u": "unsupported", "f": "failed", "c": "error"}
    played = {}
    for seen in cells:
        for script, letter in zip(suite[seen.scenario], seen.rows, strict=True):
            played[script.scenario.id] = words[letter]
    assert played == by_pytest


# --- what is kept ----------------------------------------------------------------------------


def test_what_did_not_change_is_not_run_again(tmp_path, monkeypatch):
    chosen = [FAULTS["latin-floor-a-little-low"], FAULTS["latin-floor-a-little-high"]]
    first = kills_run.run(chosen, folder=tmp_path, workers=1)
    monkeypatch.setattr(
        kills_run, "_everything", lambda todo, workers: pytest.fail(str(todo)) if todo else iter(())
    )
    assert kills_run.run(chosen, folder=tmp_path, workers=1) == first
    assert first[chosen[0].name][0].kills


def test_a_changed_scenario_is_run_again_and_no_other(tmp_path, monkeypatch, suite):
    chosen = FAULTS["latin-floor-a-little-low"]
    plan = plan_for(chosen, suite)
    kept = kills_run._Kept(tmp_path, kills_run.Keys(suite))
    kept.keep(chosen, plan, {id: cell(".", scenario=id) for id in plan})
    changed = {
        id: [type(s)(s.scenario, s.steps, "another text") for s in rows] if id == FLOOR else rows
        for id, rows in suite.items()
    }
    again = kills_run._Kept(tmp_path, kills_run.Keys(changed)).cells(chosen, plan)
    assert set(plan) - set(again) == {FLOOR}


def test_a_file_that_holds_no_results_is_as_none(tmp_path, suite):
    chosen = FAULTS["latin-floor-a-little-low"]
    (tmp_path / f"{chosen.name}.json").write_text("[{]")
    kept = kills_run._Kept(tmp_path, kills_run.Keys(suite))
    assert kept.cells(chosen, plan_for(chosen, suite)) == {}


# --- what is told ----------------------------------------------------------------------------


def small():
    chosen = [FAULTS["latin-floor-a-little-low"]]
    return judge(library(), chosen, {chosen[0].name: [cell("K")]})


def test_the_page_and_the_picture_are_the_same_each_time():
    assert command.pages(small()) == command.pages(small())


def test_the_picture_has_a_mark_where_the_scenario_stands():
    told = small()
    column = told.scenarios.index(FLOOR)
    drawn = kills_picture.picture(told, dict.fromkeys(told.scenarios, "x"))
    x = kills_picture.LEFT + kills_picture.CELL * column
    assert f"M{x} {kills_picture.TOP}h{kills_picture.CELL}" in drawn


def test_the_published_page_tells_every_fault_and_requirement():
    root = resources.checkout()
    if root is None:
        pytest.skip("only a checkout has the page")
    text = (root / "docs" / kills_page.NAME).read_text(encoding="utf-8")
    assert [name for name in FAULTS if f"| `{name}` (" not in text] == []
    assert "**survived**" not in text
    assert "**killed elsewhere only**" not in text
    assert (root / "docs" / kills_picture.NAME).stat().st_size < 500_000


def test_the_document_is_json():
    document = msgspec.json.decode(msgspec.json.encode(small()))
    assert document["schema"] == "memconform-kills-1"
    assert document["faults"][0]["standing"] == "killed"
