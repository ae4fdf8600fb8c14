"""The defects that were found in use, as a report and docs/defects.md tell them."""

from types import SimpleNamespace

import pytest

from memconform.model.report import Outcome
from memconform.resources import find
from memconform.verdict import defects, defects_page


def result(outcome, title="A title", missing=(), about=("F1",)):
    return SimpleNamespace(outcome=outcome, title=title, missing=list(missing), defects=list(about))


PASSED = result(Outcome.PASSED)
UNSUPPORTED = result(Outcome.UNSUPPORTED, missing=["trace", "graph"])
FAILED = result(Outcome.FAILED, "It is lost")


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([PASSED, PASSED], "kept"),
        ([PASSED, UNSUPPORTED], "in part: not asked graph, trace"),
        ([UNSUPPORTED], "not asked: graph, trace"),
        ([PASSED, UNSUPPORTED, FAILED, FAILED], "broken: It is lost"),
        ([result(Outcome.ERROR, "It ends")], "broken: It ends"),
        ([], "not asked: not measured"),
        ([result(Outcome.NOT_RUN)], "not asked: not-run"),
    ],
)
def test_one_failure_breaks_and_silence_never_keeps(results, said):
    assert str(defects.answer(results)) == said


def test_defects_come_by_letter_and_number():
    """F was the first list, D the one after it; F9b belongs behind F9 and F10 behind both."""
    ids = {"D10", "F9b", "D2", "F10", "F9", "F1b", "F1"}
    assert defects.in_order(ids) == ["F1", "F1b", "F9", "F9b", "F10", "D2", "D10"]


def test_a_result_about_two_defects_counts_for_both():
    both = result(Outcome.PASSED, about=("D1", "F2"))
    assert defects.by_defect([both, PASSED]) == {"F1": [PASSED], "F2": [both], "D1": [both]}


def test_the_page_has_all_defects_and_is_current():
    """Twelve with F (F1 to F11 without F4, and two with b), eleven with D."""
    page = (find("schemas").parent / defects_page.PAGE).read_text(encoding="utf-8")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines()]
    known = ["F1", "F1b", "F2", "F3", "F5", "F6", "F7", "F8", "F9", "F9b", "F10", "F11"]
    known += [f"D{n}" for n in range(1, 12)]
    assert [row for row in rows if row[:1] in "FD" and row[1:2].isdigit()] == known
    assert page == defects_page.page(defects_page.committed()), (
        "run python -m memconform.verdict.defects_page --write"
    )


def test_a_wrong_call_is_told(capsys):
    assert defects_page.main(["--wrong"]) == 2
    assert "usage:" in capsys.readouterr().err
