"""The words of table cells: each holds for what it says, and for nothing beside it."""

from __future__ import annotations

import pytest

from memconform.suite.cells import CellError, expectation, fill, look

IDS = {"tea": "mem-1", "milk": "mem-2"}


def holds(cell: str, seen: object) -> bool:
    return expectation(cell, IDS)[1](seen)


@pytest.mark.parametrize(
    ("cell", "yes", "no"),
    [
        ("8", 8, 9),
        ("at most 8", 8, 9),
        ("at least 8", 8, 7),
        ("at least 8", 8.5, None),
        ("other than key:tea", "mem-2", "mem-1"),
        ('without "mem"', ["a"], ["a", {"b": "my memo"}]),
        ('containing "0.13"', "confidence=0.13 ", "confidence=0.12 "),
        ("containing key:milk", "- id=mem-2", "- id=mem-1"),
        ("containing a", "abc", ["a"]),
        ("a start of abc", "ab", "abc"),
        ("a start of abc", "a", ""),
        ("a start of abc", "ab", "b"),
        ("a start of abc", "ab", None),
    ],
)
def test_an_expected_cell_holds_for_what_it_says_alone(cell: str, yes: object, no: object):
    assert holds(cell, yes)
    assert not holds(cell, no)


@pytest.mark.parametrize(
    ("cell", "filled"),
    [
        ("{kept:text.length}", "4"),
        ("{kept:text.length - 1}", "3"),
        ("{kept:text.lines.length + 2}", "4"),
        ("at most {kept:text.length + 10}", "at most 14"),
        ('x{3 times "ab"}y', "xabababy"),
        ('x{7 - kept:text.length times "ab"}y', "xabababy"),
    ],
)
def test_a_cell_is_filled_with_values_of_the_kept_answer(cell: str, filled: str):
    assert fill(cell, {"text": "a\nbc"}, IDS) == filled


@pytest.mark.parametrize("cell", ["{kept:text + 1}", "{kept:nothing}", '{7 - kept:text times "a"}'])
def test_a_cell_that_cannot_be_filled_is_the_suites_own_fault(cell: str):
    with pytest.raises(CellError):
        fill(cell, {"text": "a"}, IDS)


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("text.lines[0]", "a"),
        ("text.lines[-1]", "c"),
        ("text.lines[-2]", "b"),
        ("text.lines[3]", None),
        ("text.lines[-4]", None),
        ("text.lines.length", 3),
        ("hits[tea].n", 1),
        ("hits[cake]", None),
    ],
)
def test_a_path_leads_to_a_value_or_to_nothing(path: str, seen: object):
    value = {"text": "a\nb\nc", "hits": [{"id": "mem-1", "n": 1}]}
    assert look(value, path, {**IDS, "cake": "mem-9"}) == seen


def test_a_name_that_no_memory_has_is_a_mistake_and_not_the_first_item():
    hits = {"hits": [{"id": "mem-1", "content": "tea"}]}
    assert look(hits, "hits[tea].content", {"tea": "mem-1"}) == "tea"
    assert look(hits, "hits[rain].content", {"rain": "mem-2"}) is None
    with pytest.raises(CellError, match="called 'typo'"):
        look(hits, "hits[typo].content", {"tea": "mem-1"})


def test_channels_are_found_by_their_names():
    hit = {"channels": [{"channel": "bm25", "raw": 2.0}, {"channel": "tags", "raw": 1.0}]}
    assert look(hit, "channels[tags].raw", {}) == 1.0
    assert look(hit, "channels[graph]", {}) is None
