"""Gherkin features as written and as compiled."""

from __future__ import annotations

import pytest
from spec_trees import FEATURE, changed, line_of

from memconform.spec.gherkin import FeatureDoc, GherkinError, fill, parse, placeholders


def doc_of(change: tuple[str, str] | None = None) -> FeatureDoc:
    return parse(changed(FEATURE, change), "core/notes.feature")


def test_rules_and_scenarios_in_order_with_their_lines():
    doc = doc_of()
    assert doc.title == "Notes"
    assert [rule.title for rule in doc.rules] == ["A note is kept", "A note is dated"]
    assert [(s.title, s.line, s.outline) for s in doc.scenarios] == [
        ("A note is read again", 6, False),
        ("Notes of any length are read again", 12, True),
        ("A note shows its day", 27, False),
    ]
    assert doc.scenarios[0].rule is doc.rules[0]


def test_tags_are_inherited_and_sorted():
    dated = doc_of(("Feature: Notes", "@slow\nFeature: Notes")).scenarios[2]
    assert dated.tags == (
        "@defect:D-7",
        "@level:explain",
        "@needs:batch",
        "@needs:clock",
        "@req:notes/a-note-is-dated",
        "@should",
        "@slow",
    )
    assert [tag.name for tag in dated.own_tags] == ["@slow", "@needs:batch"]


def test_the_id_is_made_of_capability_and_title_and_row():
    first, outline, dated = doc_of().scenarios
    assert first.ids() == ["notes/a-note-is-read-again"]
    assert outline.ids() == [
        "notes/notes-of-any-length-are-read-again[1]",
        "notes/notes-of-any-length-are-read-again[2]",
    ]
    assert dated.requirement == "notes/a-note-is-dated"


@pytest.mark.parametrize(
    "tag", ["", "@req:notes/a-note-is-kept @req:notes/a-note-is-dated", "@req:notes"]
)
def test_without_one_requirement_there_is_no_id(tag: str):
    scenario = doc_of(("@req:notes/a-note-is-kept", f"{tag} @slow")).scenarios[0]
    assert scenario.id is None
    assert scenario.ids() == []


def test_rows_are_counted_through_all_tables():
    more = (
        "        | ab   |\n",
        "        | ab   |\n\n      Examples:\n        | text |\n        | c    |\n",
    )
    outline = doc_of(more).scenarios[1]
    assert [p.row and (p.row.number, p.row.values) for p in outline.pickles] == [
        (1, (("text", "a"),)),
        (2, (("text", "ab"),)),
        (3, (("text", "c"),)),
    ]
    assert [p.steps[1].text for p in outline.pickles] == [
        'the note "a" is written',
        'the note "ab" is written',
        'the note "c" is written',
    ]
    assert [p.steps[2].table for p in outline.pickles] == [(("a",),), (("ab",),), (("c",),)]
    assert all(p.agrees for p in outline.pickles)


def test_and_but_and_star_stand_for_the_step_before():
    source = """\
Feature: F
  Background:
    Given a
    And b
  Rule: R
    Background:
      * c
    Scenario: S
      When d
      But e
      * f
      Then g
      And h
"""
    scenario = parse(source, "f").scenarios[0]
    assert [(s.keyword, s.type, s.text) for s in scenario.pickles[0].steps] == [
        ("Given", "given", "a"),
        ("And", "given", "b"),
        # A background is a list of its own, as in pytest-bdd: nothing stands before its first step.
        ("*", None, "c"),
        ("When", "when", "d"),
        ("But", "when", "e"),
        ("*", "when", "f"),
        ("Then", "then", "g"),
        ("And", "then", "h"),
    ]
    assert [s.text for s in scenario.background] == ["a", "b", "c"]
    assert [s.text for s in scenario.steps] == ["d", "e", "f", "g", "h"]


def test_values_reach_text_table_and_docstring():
    source = '''\
Feature: F
  Scenario Outline: S
    When "<a>" is asked
      """
      say <a>, not <c>
      """
    Then these:
      | <a> | <b> |
    Examples:
      | a    | b   |
      | x\\\\y | z\\| |
'''
    pickle = parse(source, "f").scenarios[0].pickles[0]
    assert pickle.steps[0].text == '"x\\y" is asked'
    assert pickle.steps[0].docstring == "say x\\y, not <c>"
    assert pickle.steps[1].table == (("x\\y", "z|"),)
    assert pickle.agrees


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ("| a | b |", "| <b> | x |"),  # one compiler looks at a value again, the other doesn't
        ("| a | a |", "| x | y |"),  # one takes the first of two columns, the other the last
    ],
)
def test_rows_that_two_readers_read_differently_do_not_agree(columns: str, values: str):
    source = f"""\
Feature: F
  Scenario Outline: S
    When <a> is asked
    Then it is
    Examples:
      {columns}
      {values}
"""
    assert not parse(source, "f").scenarios[0].pickles[0].agrees


def test_a_value_in_a_background_does_not_agree():
    source = """\
Feature: F
  Background:
    Given <a>
  Scenario Outline: S
    When <a> is asked
    Then it is
    Examples:
      | a |
      | x |
"""
    pickle = parse(source, "f").scenarios[0].pickles[0]
    assert [s.text for s in pickle.steps] == ["<a>", "x is asked", "it is"]
    assert not pickle.agrees


def test_fill_leaves_what_no_column_names():
    step = doc_of().scenarios[1].steps[1]
    assert fill(step, None).text == 'the note "<text>" is written'
    assert placeholders(["<text>, <b c>", "</memory> <1> a < b > c"]) == {"text", "b c"}


def test_descriptions_know_their_lines_beside_comments():
    source = """\
Feature: F
  What this is about.
  # a comment

  And more of it.

  Rule: R
    Because.
    Scenario: S
      In words.
      When a
      Then b
"""
    doc = parse(source, "f")
    assert doc.description == ((2, "What this is about."), (5, "And more of it."))
    assert doc.rules[0].description == ((8, "Because."),)
    assert doc.scenarios[0].description == ((10, "In words."),)


def test_byte_order_mark_and_line_ends_make_no_difference():
    assert parse("\ufeff" + FEATURE.replace("\n", "\r\n"), "core/notes.feature") == doc_of()


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("", 1, "holds no Feature"),
        ("# only a comment\n", 1, "holds no Feature"),
        ("Feature: F\n  Scenario: S\n    Given a\n    Whn b\n", 4, "got 'Whn b'"),
        ("Feature: F\n  Scenario: S\n    Given a\n      | x |\n      | y | z |\n", 5, "cell count"),
        ("# language: xx\nFeature: F\n", 1, "Language not supported"),
        (
            "Feature: F\n  Scenario Outline: S\n    Given <a(>\n    Examples:\n      | a( |\n",
            5,
            "column 'a(' needs a name",
        ),
    ],
)
def test_what_cannot_be_read_says_where_and_why(source: str, line: int, words: str):
    with pytest.raises(GherkinError) as raised:
        parse(source, "f")
    assert raised.value.line == line
    assert words in raised.value.message


def test_lines_are_those_of_the_file():
    doc = doc_of()
    outline = doc.scenarios[1]
    assert outline.examples[0].line == line_of(FEATURE, "Examples:")
    assert outline.examples[0].rows[1].line == line_of(FEATURE, "| ab   |")
    assert outline.steps[1].line == line_of(FEATURE, '"<text>"')
