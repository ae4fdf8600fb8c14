"""OpenSpec specs: what the parser keeps, and what the lint finds where OpenSpec says nothing."""

from __future__ import annotations

import hashlib

import pytest
from spec_trees import SPEC, changed, codes, line_of, only

from memconform.spec.findings import Finding, in_order, slugify
from memconform.spec.openspec import lint, parse


def lint_of(change: tuple[str, str] | None) -> list[Finding]:
    return lint(parse(changed(SPEC, change), "notes"))


# --- parsing ---------------------------------------------------------------------------------


def test_names_texts_and_lines_are_kept():
    spec = parse(SPEC, "notes")
    assert spec.capability == "notes"
    assert spec.purpose.startswith("Somebody takes notes")
    kept, dated = spec.requirements
    assert (kept.title, kept.slug, kept.line) == ("A note is kept", "a-note-is-kept", 9)
    assert kept.text == "A notebook SHALL give back what was written."
    assert kept.why == "a note that is lost was never taken."
    assert [s.title for s in kept.scenarios] == [
        "A note is read again",
        "Notes of any length are read again",
    ]
    first = kept.scenarios[0]
    assert [(s.keyword, s.text, s.line) for s in first.steps] == [
        ("GIVEN", "an empty notebook", 17),
        ("WHEN", "a note is written", 18),
        ("THEN", "it is the only note", 19),
    ]
    assert dated.title == "A note is dated"
    assert [s.slug for s in spec.scenarios] == [
        "a-note-is-read-again",
        "notes-of-any-length-are-read-again",
        "a-note-shows-its-day",
    ]


@pytest.mark.parametrize(
    ("text", "must", "recommends"),
    [
        ("A notebook SHALL keep it.", True, False),
        ("A notebook MUST NOT lose it.", True, False),
        ("A notebook MUST keep it and SHOULD date it.", True, True),
        ("A notebook SHOULD date it; the day MUST be in UTC.", False, True),
        ("A notebook shows SHOULDERS and MUST keep it.", True, False),
    ],
)
def test_the_first_keyword_decides(text: str, must: bool, recommends: bool):
    spec = parse(changed(SPEC, ("A notebook SHALL give back what was written.", text)), "notes")
    assert spec.requirements[0].must is must
    assert spec.requirements[0].recommends is recommends


def test_a_keyword_in_the_reason_is_no_demand():
    why = "Why: a note that is lost was never taken."
    spec = parse(changed(SPEC, (why, "Why: notes SHOULD never be\nlost.")), "notes")
    assert spec.requirements[0].must
    assert not spec.requirements[0].recommends
    assert spec.requirements[0].why == "notes SHOULD never be lost."


def test_the_digest_is_that_of_title_and_words():
    text = (
        "A note is read again\n"
        "- **GIVEN** an empty notebook - **WHEN** a note is written - **THEN** it is the only note"
    )
    wanted = hashlib.sha256(text.encode()).hexdigest()
    assert parse(SPEC, "notes").scenarios[0].digest == wanted


def test_rewrapping_keeps_the_digest_and_the_step():
    wrapped = changed(SPEC, ("it is the only note", "it is the\n  only note"))
    before, after = parse(SPEC, "notes").scenarios[0], parse(wrapped, "notes").scenarios[0]
    assert after.digest == before.digest
    assert after.steps == before.steps


@pytest.mark.parametrize(
    "change",
    [
        ("it is the only note", "it is the first note"),
        ("**GIVEN** an empty", "**AND** an empty"),
        ("A note is read again", "A note is read twice"),
    ],
)
def test_other_words_change_the_digest(change: tuple[str, str]):
    before = parse(SPEC, "notes").scenarios
    after = parse(changed(SPEC, change), "notes").scenarios
    assert after[0].digest != before[0].digest
    assert [s.digest for s in after[1:]] == [s.digest for s in before[1:]]


def test_byte_order_mark_and_line_ends_make_no_difference():
    windows = "\ufeff" + SPEC.replace("\n", "\r\n")
    assert parse(windows, "notes") == parse(SPEC, "notes")
    assert lint(parse(windows, "notes")) == []


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_code_fence_hides_headings(fence: str):
    example = f"{fence}markdown\n### Requirement: Hidden\n```x\n#### Scenario: Hidden too\n{fence}"
    spec = parse(changed(SPEC, ("Why: a note", f"{example}\n\nWhy: a note")), "notes")
    assert [r.title for r in spec.requirements] == ["A note is kept", "A note is dated"]
    assert len(spec.scenarios) == 3
    assert lint(spec) == []


# --- lint ------------------------------------------------------------------------------------


def test_a_good_spec_has_no_findings():
    assert lint_of(None) == []


SECOND = "#### Scenario: Notes of any length are read again"

SINS = {
    "no WHEN": (
        ("- **WHEN** a note is written\n", ""),
        ["no-when"],
        "'A note is read again' has no WHEN",
    ),
    "no THEN": (
        ("- **THEN** it is the only note\n", ""),
        ["no-then"],
        "'A note is read again' has no THEN",
    ),
    "lower-case keyword": (
        ("- **WHEN** a note", "- **when** a note"),
        ["no-when", "stray-text"],
        "line that is no step: '- **when** a note is written'",
    ),
    "bullet without keyword": (
        ("- **GIVEN** an empty", "- GIVEN an empty"),
        ["stray-text"],
        "line that is no step: '- GIVEN an empty notebook'",
    ),
    "table under a scenario": (
        ("- **THEN** it is the only note\n", "- **THEN** it is the only note\n\n| a |\n"),
        ["stray-text"],
        "line that is no step: '| a |'",
    ),
    "AND first": (
        ("- **GIVEN** an empty", "- **AND** an empty"),
        ["leading-and"],
        "begins with AND",
    ),
    "empty scenario": (
        (SECOND, f"#### Scenario: Nothing\n\n{SECOND}"),
        ["empty-scenario"],
        "Scenario 'Nothing' is empty",
    ),
    "scenario title twice in a requirement": (
        (SECOND, "#### Scenario: A note is read again"),
        ["duplicate-scenario"],
        "'A note is read again' already stands on line 15",
    ),
    "scenario title twice in a spec": (
        ("#### Scenario: A note shows its day", "#### Scenario: A note is read again"),
        ["duplicate-scenario"],
        "'A note is read again' already stands on line 15",
    ),
    "requirement title twice": (
        ("### Requirement: A note is dated", "### Requirement: A note is kept"),
        ["duplicate-requirement"],
        "'A note is kept' already stands on line 9",
    ),
    "two titles, one id": (
        ("#### Scenario: A note shows its day", "#### Scenario: A note is read, again!"),
        ["same-slug"],
        "'A note is read, again!' and 'A note is read again' (line 15) have the same id",
    ),
    "title without an id": (
        ("#### Scenario: A note shows its day", "#### Scenario: 日付"),
        ["bad-title"],
        "'日付' has no ASCII letter or digit",
    ),
    "scenario at level 5": (
        (SECOND, "##### Scenario: Notes of any length are read again"),
        ["deep-heading", "stray-text"],
        "level 5 is read by nobody",
    ),
    "requirement without its word": (
        ("### Requirement: A note is dated", "### A note is dated"),
        ["not-a-requirement", "misplaced-heading"],
        "'### A note is dated' isn't a requirement",
    ),
    "level 4 without Scenario": (
        (SECOND, "#### Edge case"),
        ["not-a-scenario"],
        "'#### Edge case' isn't a scenario",
    ),
    "scenario without a title": (
        (SECOND, "#### Scenario:"),
        ["not-a-scenario"],
        "'#### Scenario:' isn't a scenario",
    ),
    "heading without a space": (
        ("Why: a note", "###Requirement: A note ages\n\nWhy: a note"),
        ["broken-heading"],
        "'###Requirement: A note ages' is no heading",
    ),
    "indented heading": (
        ("Why: a note", "  ### Requirement: A note ages\n\nWhy: a note"),
        ["broken-heading"],
        "'### Requirement: A note ages' is no heading",
    ),
    "no reason": (
        ("Why: a note that is lost", "A note that is lost"),
        ["no-why"],
        "'A note is kept' gives no reason",
    ),
    "reason within another paragraph": (
        ("written.\n\nWhy: a note", "written.\nWhy: a note"),
        ["no-why"],
        "'A note is kept' gives no reason",
    ),
    "nothing demanded": (
        ("A notebook SHALL give", "A notebook shall give"),
        ["no-keyword"],
        "'A note is kept' says neither SHALL nor MUST",
    ),
    "only recommended": (
        ("such a day MUST be", "such a day is"),
        ["no-keyword"],
        "'A note is dated' says neither SHALL nor MUST",
    ),
    "short purpose": (
        ("Somebody takes notes and wants to find each of them again, word for word.", "Notes."),
        ["short-purpose"],
        "The purpose has 6 characters",
    ),
    "no purpose": (
        ("## Purpose\n\nSomebody takes notes", "Somebody takes notes"),
        ["no-section"],
        "no '## Purpose' section",
    ),
    "section twice": (
        ("### Requirement: A note is dated", "## Requirements\n\n### Requirement: A note is dated"),
        ["section-twice"],
        "'## Requirements' stands twice",
    ),
    "delta heading": (
        (
            "### Requirement: A note is dated",
            "## ADDED Requirements\n\n### Requirement: A note is dated",
        ),
        ["unknown-section", "misplaced-heading", "misplaced-heading"],
        "'## ADDED Requirements' isn't a section of a spec",
    ),
    "requirement outside": (
        ("## Requirements\n\n", "### Requirement: Early\n\n## Requirements\n\n"),
        ["misplaced-heading"],
        "'### Requirement: Early' isn't read outside",
    ),
    "open fence": (
        ("#### Scenario: A note shows its day", "```\n#### Scenario: A note shows its day"),
        ["no-scenario", "open-fence"],
        "This code fence never ends",
    ),
}


@pytest.mark.parametrize("sin", SINS)
def test_each_sin_is_found_by_code_and_in_words(sin: str):
    change, wanted, words = SINS[sin]
    findings = lint_of(change)
    assert sorted(codes(findings)) == sorted(wanted), [str(f) for f in findings]
    assert any(words in finding.message for finding in findings), [str(f) for f in findings]


def test_a_requirement_without_scenarios_is_found():
    head, _, _ = SPEC.partition("#### Scenario: A note shows its day")
    finding = only(lint(parse(head, "notes")), "no-scenario")
    assert "'A note is dated' has no scenario" in finding.message


def test_a_spec_of_nothing_says_all_that_is_missing():
    assert codes(lint(parse("", "notes"))) == ["no-requirement", "no-section", "no-section"]


def test_a_finding_names_the_line():
    sinful = changed(SPEC, ("- **WHEN** a note is written\n", ""))
    finding = only(lint(parse(sinful, "notes", "specs/notes/spec.md")), "no-when")
    line = line_of(sinful, "Scenario: A note is read again")
    assert finding.where == f"specs/notes/spec.md:{line}"
    assert str(finding).startswith(f"specs/notes/spec.md:{line}: Scenario 'A note is read again'")


def test_text_that_is_no_step_is_named_where_it_stands():
    sinful = changed(SPEC, ("- **THEN** it is the only note\n", "- **THEN** it is\n\nAnd so on.\n"))
    finding = only(lint(parse(sinful, "notes")), "stray-text")
    assert finding.where == f"notes/spec.md:{line_of(sinful, 'And so on.')}"


# --- ids and order ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("A note is kept", "a-note-is-kept"),
        ("5 and 15 days, apart!", "5-and-15-days-apart"),
        ("The user's note", "the-user-s-note"),
        ("Café  –  crème", "cafe-creme"),
        ("`POL-358` & `@nasa`", "pol-358-nasa"),
        ("日付", ""),
    ],
)
def test_slugs_are_ascii_words_with_hyphens(title: str, slug: str):
    assert slugify(title) == slug


def test_findings_come_by_file_and_line_each_once():
    ninth, tenth = Finding("a", "x:9", "m"), Finding("a", "x:10", "m")
    other = Finding("a", "w:11", "m")
    assert in_order([tenth, ninth, other, ninth]) == [other, ninth, tenth]
