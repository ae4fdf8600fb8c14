"""Specs and features joined by identity, and every way in which they can fail to be."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec_trees import FEATURE, SPEC, Tree, changed, codes, line_of, only, plant

from memconform.spec.findings import Finding
from memconform.spec.library import load

KEPT = "@req:notes/a-note-is-kept @must"


# --- a good suite ----------------------------------------------------------------------------


def test_a_good_suite_has_no_findings(tmp_path: Path):
    assert plant(tmp_path).load().findings() == []


def test_each_row_is_a_scenario_with_what_its_tags_say(tmp_path: Path):
    tree = plant(tmp_path)
    scenarios = tree.load().scenarios(["core"])
    assert [s.id for s in scenarios] == [
        "notes/a-note-is-read-again",
        "notes/notes-of-any-length-are-read-again[1]",
        "notes/notes-of-any-length-are-read-again[2]",
        "notes/a-note-shows-its-day",
    ]
    plain, _, row, dated = scenarios
    assert (plain.profile, plain.capability, plain.requirement) == (
        "core",
        "notes",
        "a-note-is-kept",
    )
    assert (plain.rule, plain.title) == ("A note is kept", "A note is read again")
    assert (plain.must, plain.level, plain.needs, plain.defects, plain.slow) == (
        True,
        "behaviour",
        (),
        (),
        False,
    )
    assert (plain.row, plain.line, plain.path) == (None, 6, tree.feature.resolve())
    assert (row.row, row.line, row.base) == (
        2,
        line_of(FEATURE, "| ab   |"),
        "notes/notes-of-any-length-are-read-again",
    )
    assert (dated.must, dated.level, dated.needs, dated.defects, dated.slow) == (
        False,
        "explain",
        ("batch", "clock"),
        ("D-7",),
        True,
    )


def test_requirements_and_scenarios_are_found_by_id(tmp_path: Path):
    library = plant(tmp_path).load()
    assert library.requirements["notes/a-note-is-dated"].title == "A note is dated"
    assert library.spec_scenarios["notes/a-note-shows-its-day"].steps[-1].text == "its day is shown"
    assert library.requirement_of["notes/a-note-shows-its-day"] == "notes/a-note-is-dated"
    feature, scenario = library.feature_scenarios["notes/a-note-shows-its-day"]
    assert (feature.profile, scenario.line) == ("core", 27)


def split(tmp_path: Path) -> Tree:
    """The second rule in a file and a profile of its own."""
    head, rule, rest = FEATURE.partition("  @req:notes/a-note-is-dated")
    tree = plant(tmp_path)
    tree.feature.write_text(head, encoding="utf-8")
    other = tree.features / "dates" / "a.feature"
    other.parent.mkdir()
    other.write_text(f"Feature: Dates\n\n{rule}{rest}", encoding="utf-8")
    return tree


def test_profiles_come_as_asked_for(tmp_path: Path):
    library = split(tmp_path).load()
    assert library.findings() == []
    assert library.profiles == ["core", "dates"]
    day = "notes/a-note-shows-its-day"
    everything = [s.id for s in library.scenarios()]
    assert everything[-1] == day
    assert [s.id for s in library.scenarios(["dates", "core", "dates"])] == [day, *everything[:-1]]
    assert library.scenarios([]) == []
    with pytest.raises(LookupError, match="no profile 'none'; choose among: core, dates"):
        library.scenarios(["none"])


def test_the_digest_is_of_names_and_texts_and_nothing_else(tmp_path: Path):
    first = plant(tmp_path / "one").load().digest
    elsewhere = plant(tmp_path / "two" / "deeper")
    assert elsewhere.load().digest == first
    windows = FEATURE.replace("\n", "\r\n").encode()
    elsewhere.feature.write_bytes(windows)
    assert elsewhere.load().digest == first
    spec = plant(tmp_path / "three", spec=("was never taken", "was not taken")).load().digest
    feature = plant(tmp_path / "four", feature=("milk", "salt")).load().digest
    elsewhere.feature.rename(elsewhere.feature.with_name("other.feature"))
    renamed = elsewhere.load().digest
    assert len({first, spec, feature, renamed}) == 4


# --- joins that fail -------------------------------------------------------------------------

FEATURE_SINS: dict[str, tuple[tuple[str, str], list[str], str, str]] = {
    # sin: (change of the feature, codes, words of one message, what its line holds)
    "rule title differs": (
        ("Rule: A note is kept", "Rule: Notes are kept"),
        ["rule-title"],
        "The rule is called 'Notes are kept', its requirement 'A note is kept'",
        "Rule: Notes are kept",
    ),
    "scenario title differs in letters only": (
        ("Scenario: A note is read again", "Scenario: A Note is read again"),
        ["scenario-title"],
        "called 'A Note is read again' here and 'A note is read again' in the spec",
        "Scenario: A Note is read again",
    ),
    "unknown requirement": (
        ("@req:notes/a-note-is-dated", "@req:notes/a-note-is-old"),
        ["missing-rule", "unknown-requirement"],
        "@req:notes/a-note-is-old names no requirement of the spec 'notes'",
        "Rule: A note is dated",
    ),
    "unknown spec": (
        ("@req:notes/a-note-is-dated", "@req:letters/a-note-is-dated"),
        ["missing-rule", "unknown-requirement"],
        "capability that has no spec: correct the tag or write specs/letters/spec.md",
        "Rule: A note is dated",
    ),
    "no requirement": (
        ("@req:notes/a-note-is-dated ", ""),
        ["missing-rule", "no-req"],
        "Rule 'A note is dated' has no @req tag: give it exactly one",
        "Rule: A note is dated",
    ),
    "two requirements": (
        ("@req:notes/a-note-is-kept", "@req:notes/a-note-is-kept @req:notes/a-note-is-dated"),
        ["missing-scenario", "missing-scenario", "rule-title", "two-reqs"],
        "Rule 'A note is kept' has 2 @req tags: give it exactly one",
        "Rule: A note is kept",
    ),
    "requirement on a scenario": (
        ("    @slow @needs:batch", "    @slow @needs:batch @req:notes/a-note-is-dated"),
        ["misplaced-tag"],
        "@req:notes/a-note-is-dated stands on a Scenario: move it to the Rule",
        "@slow @needs:batch",
    ),
    "requirement on the feature": (
        ("Feature: Notes", "@req:notes/a-note-is-kept\nFeature: Notes"),
        ["misplaced-tag", "missing-scenario"],
        "@req:notes/a-note-is-kept stands on a Feature",
        "@req:notes/a-note-is-kept",
    ),
    "scenario without a rule": (
        (f"  {KEPT}\n  Rule: A note is kept\n", f"  {KEPT.split()[1]}\n"),
        ["missing-rule", "no-rule", "no-rule", "no-strength"],
        "Scenario 'A note is read again' stands under no Rule",
        "Scenario: A note is read again",
    ),
    "neither must nor should": (
        (KEPT, "@req:notes/a-note-is-kept"),
        ["no-strength", "no-strength"],
        "'A note is read again' has neither @must nor @should",
        "Scenario: A note is read again",
    ),
    "must and should": (
        ("    @slow @needs:batch", "    @must @slow @needs:batch"),
        ["two-strengths"],
        "'A note shows its day' has @must and @should",
        "Scenario: A note shows its day",
    ),
    "must for a recommendation": (
        ("@req:notes/a-note-is-dated @should", "@req:notes/a-note-is-dated @must"),
        ["strength"],
        "'A note shows its day' is tagged @must, but its requirement begins with SHOULD",
        "Scenario: A note shows its day",
    ),
    "should for a demand": (
        (KEPT, "@req:notes/a-note-is-kept @should"),
        ["strength", "strength"],
        "is tagged @should, but its requirement knows no SHOULD",
        "Scenario: A note is read again",
    ),
    "unknown tag": (
        ("    @slow @needs:batch", "    @slwo @needs:batch"),
        ["unknown-tag"],
        "@slwo isn't a tag of the suite: only @req:CAPABILITY/SLUG, @must,",
        "@slwo",
    ),
    "malformed requirement tag": (
        ("@req:notes/a-note-is-dated", "@req:Notes/a_note"),
        ["missing-rule", "unknown-tag"],
        "@req:Notes/a_note isn't a tag of the suite",
        "@req:Notes/a_note",
    ),
    "unknown capability": (
        ("@needs:batch", "@needs:batches"),
        ["unknown-capability"],
        "@needs:batches names no capability of the protocol",
        "@needs:batches",
    ),
    "unknown level": (
        ("@level:explain", "@level:exactly"),
        ["unknown-tag"],
        "@level:exactly is no level: write one of behaviour, explain, exact",
        "@level:exactly",
    ),
    "two levels": (
        ("    @slow @needs:batch", "    @level:exact @needs:batch"),
        ["two-levels"],
        "'A note shows its day' has more than one @level",
        "Scenario: A note shows its day",
    ),
    "tag on Examples": (
        ("      Examples:", "      @slow\n      Examples:"),
        ["tag-on-examples"],
        "@slow stands on Examples, where no tag is heeded",
        "@slow",
    ),
    "unknown tag on a rule": (
        (KEPT, f"{KEPT} @wip"),
        ["unknown-tag"],
        "@wip isn't a tag of the suite",
        "@wip",
    ),
    "unknown tag on the feature": (
        ("Feature: Notes", "@skip\nFeature: Notes"),
        ["unknown-tag"],
        "@skip isn't a tag of the suite",
        "@skip",
    ),
    "step in lower case": (
        (
            '      Given an empty notebook\n      When the note "bread"',
            '      given an empty notebook\n      When the note "bread"',
        ),
        ["hidden-step"],
        "'given an empty notebook' is read as a description and never run",
        "given an empty notebook",
    ),
    "scenario in lower case": (
        (
            "  Rule: A note is kept\n\n    Scenario: A note is read again\n",
            "  Rule: A note is kept\n\n    scenario: A note is read again\n",
        ),
        ["hidden-step", "hidden-step", "hidden-step", "hidden-step", "missing-scenario"],
        "'scenario: A note is read again' is read as a description",
        "scenario: A note is read again",
    ),
}


@pytest.mark.parametrize("sin", FEATURE_SINS)
def test_each_sin_of_a_feature_is_found(tmp_path: Path, sin: str):
    change, wanted, words, held = FEATURE_SINS[sin]
    findings = plant(tmp_path, feature=change).load().findings()
    assert sorted(codes(findings)) == sorted(wanted), [str(f) for f in findings]
    found = [f for f in findings if words in f.message]
    assert found, [str(f) for f in findings]
    line = line_of(changed(FEATURE, change), held)
    assert f"features/core/notes.feature:{line}" in [f.where for f in found]


def test_a_scenario_of_the_spec_that_no_feature_holds(tmp_path: Path):
    extra = "#### Scenario: A note survives\n\n- **WHEN** a\n- **THEN** b\n\n"
    change = ("### Requirement: A note is dated", f"{extra}### Requirement: A note is dated")
    finding = only(plant(tmp_path, spec=change).load().findings(), "missing-scenario")
    line = line_of(changed(SPEC, change), "A note survives")
    assert finding.where == f"docs/openspec/specs/notes/spec.md:{line}"
    assert finding.message == (
        "Scenario 'A note survives' has no Scenario in any feature: "
        "add one of this title under the rule 'A note is kept'."
    )


def test_a_scenario_of_a_feature_that_no_spec_holds(tmp_path: Path):
    change = ("A note shows its day", "A note shows its hour")
    findings = plant(tmp_path, spec=change).load().findings()
    assert codes(findings) == ["missing-scenario", "orphan-scenario"]
    assert findings[1].where == "features/core/notes.feature:27"
    assert "'A note shows its day' isn't in the spec" in findings[1].message


def test_a_scenario_under_the_wrong_rule(tmp_path: Path):
    moved = "    Scenario: A note is read again\n      When a\n      Then b\n\n"
    change = ("    @slow @needs:batch\n", f"{moved}    @slow @needs:batch\n")
    findings = plant(tmp_path, feature=change).load().findings()
    assert codes(findings) == ["duplicate-scenario", "orphan-scenario"]
    assert {f.where for f in findings} == {"features/core/notes.feature:26"}
    assert "already stands on line 6" in findings[0].message
    assert (
        "isn't in the spec under requirement 'A note is dated' "
        "(it is told under notes/a-note-is-kept)"
    ) in findings[1].message


def test_a_requirement_that_no_feature_holds(tmp_path: Path):
    tree = plant(tmp_path)
    head, _, _ = FEATURE.partition("  @req:notes/a-note-is-dated")
    tree.feature.write_text(head, encoding="utf-8")
    finding = only(tree.load().findings(), "missing-rule")
    assert "'A note is dated' has no Rule in any feature" in finding.message
    assert "@req:notes/a-note-is-dated" in finding.message


def test_a_scenario_may_be_recommended_where_the_requirement_has_a_should(tmp_path: Path):
    tree = plant(
        tmp_path,
        spec=("SHALL give back what was written", "SHALL give it back and SHOULD do so fast"),
        feature=("    Scenario Outline: Notes", "    @should\n    Scenario Outline: Notes"),
    )
    tree.feature.write_text(
        tree.feature.read_text("utf-8")
        .replace(KEPT, "@req:notes/a-note-is-kept")
        .replace("    Scenario: A note is read", "    @must\n    Scenario: A note is read"),
        encoding="utf-8",
    )
    library = tree.load()
    assert library.findings() == []
    assert [s.must for s in library.scenarios()] == [True, False, False, False]


def test_one_identity_in_two_files_is_found(tmp_path: Path):
    tree = plant(tmp_path)
    twin = tree.features / "later" / "notes.feature"
    twin.parent.mkdir()
    twin.write_text(FEATURE, encoding="utf-8")
    findings = tree.load().findings()
    assert codes(findings).count("duplicate-rule") == 2
    assert codes(findings).count("duplicate-scenario") == 3
    assert {f.where.split(":")[0] for f in findings} == {"features/later/notes.feature"}
    assert "stands already in features/core/notes.feature:4" in findings[0].message
    # No identity runs twice.
    assert len(tree.load().scenarios()) == len(plant(tmp_path / "one").load().scenarios())


def test_the_lint_of_the_specs_is_among_the_findings(tmp_path: Path):
    findings = plant(tmp_path, spec=("Why: a note", "A note")).load().findings()
    assert only(findings, "no-why").where == "docs/openspec/specs/notes/spec.md:9"


# --- files that are not where, or what, they should be ---------------------------------------


def _found(tmp_path: Path, file: str, content: bytes) -> list[Finding]:
    tree = plant(tmp_path)
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return tree.load().findings()


@pytest.mark.parametrize(
    ("file", "content", "code", "where", "words"),
    [
        ("features/stray.feature", b"Feature: F\n", "misplaced-feature", "features/stray.feature:1",
         "folder of its profile"),
        ("features/core/deep/x.feature", b"Feature: F\n", "misplaced-feature",
         "features/core/deep/x.feature:1", "folder of its profile"),
        ("features/core/x.feature", b"Feature: F\n", "empty-feature", "features/core/x.feature:1",
         "holds no scenario"),
        ("features/core/x.feature", b"Feature: F\n  Scenario: S\n    Given a\n    Whn b\n",
         "unreadable-feature", "features/core/x.feature:4", "can't be read: expected:"),
        ("features/core/x.feature", b"Feature: \xff\n", "unreadable-file",
         "features/core/x.feature:1", "can't be read as UTF-8"),
        ("docs/openspec/specs/spec.md", SPEC.encode(), "misplaced-spec",
         "docs/openspec/specs/spec.md:1", "folder of its own"),
        ("docs/openspec/specs/notes/old/spec.md", SPEC.encode(), "misplaced-spec",
         "docs/openspec/specs/notes/old/spec.md:1", "folder of its own"),
        ("docs/openspec/specs/letters/notes.txt", b"", "no-spec",
         "docs/openspec/specs/letters:1", "holds no spec.md"),
    ],
)  # fmt: skip
def test_a_file_out_of_place_is_found(
    tmp_path: Path, file: str, content: bytes, code: str, where: str, words: str
):
    finding = only(_found(tmp_path, file, content), code)
    assert finding.where == where
    assert words in finding.message


def test_an_empty_suite_is_no_good_suite(tmp_path: Path):
    library = load(tmp_path / "docs" / "openspec", tmp_path / "features")
    assert codes(library.findings()) == ["no-specs", "no-features"]
    assert library.scenarios() == []
