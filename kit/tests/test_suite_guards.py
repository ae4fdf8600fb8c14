"""The nine guards: each sin planted in a suite that keeps to all rules, and found.

The tests named ``in_silence`` show that pytest-bdd alone lets the sin pass, so that the guard is
known to be needed; each stands beside a twin without the sin, which fails as it should.
"""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_runs import LIGHT
from spec_trees import FEATURE, STEPS, changed, codes, line_of, only, plant, steps_module

from memconform.spec.findings import Finding
from memconform.spec.library import load
from memconform.suite import steps as kit_steps
from memconform.suite.guards import STEP_TEXTS, check, compare, registered_steps, selected

ROOT = Path(__file__).resolve().parents[2]
WRITE = '@when(parsers.re(r\'the note "(?P<text>[^"]*)" is written\'))\n'


def audit(
    root: Path,
    *,
    feature: tuple[str, str] | None = None,
    spec: tuple[str, str] | None = None,
    steps: tuple[str, str] | None = None,
) -> list[Finding]:
    """What the guards say about the good suite with one change of each kind."""
    library = plant(root, feature=feature, spec=spec).load()
    return check(library, registered_steps(steps_module(changed(STEPS, steps))))


def test_a_good_suite_passes_all_guards(tmp_path: Path):
    assert audit(tmp_path) == []


def test_the_suite_of_the_kit_passes_all_guards():
    library = load(ROOT / "docs" / "openspec", ROOT / "features")
    assert [str(finding) for finding in check(library, registered_steps(kit_steps))] == []
    assert library.scenarios()


# --- guards 1, 2, 3, 6 and 9: documents ----------------------------------------------------------

TWIN = """\
    Scenario: A note is read again
      Given an empty notebook
      When the note "salt" is written
      Then the notes are:
        | salt |

"""
OUTLINE = "    Scenario Outline: Notes"
EXAMPLES = "      Examples:\n        | text |\n        | a    |\n        | ab   |\n"
ROWS = "        | a    |\n        | ab   |\n"

DOCUMENT_SINS: dict[str, tuple[tuple[str, str], list[str], str, str]] = {
    # sin: (change of the feature, codes, words of the first message, what its line holds)
    "1 one title twice under a rule": (
        (OUTLINE, f"{TWIN}{OUTLINE}"),
        ["duplicate-scenario"],
        "The scenario title 'A note is read again' already stands on line 6",
        "",
    ),
    "2 Examples with a header alone": (
        (ROWS, ""),
        ["no-rows"],
        "'Notes of any length are read again' has Examples without a row",
        "Examples:",
    ),
    "2 Examples without a table": (
        (EXAMPLES, "      Examples:\n"),
        ["no-rows"],
        "'Notes of any length are read again' has Examples without a row",
        "Examples:",
    ),
    "2 an outline without Examples": (
        (EXAMPLES, ""),
        ["no-examples"],
        "'Notes of any length are read again' is an outline without Examples",
        "Scenario Outline:",
    ),
    "2 one of two tables is empty": (
        (EXAMPLES, f"{EXAMPLES}\n      Examples: later\n        | text |\n"),
        ["no-rows"],
        "'Notes of any length are read again' has Examples without a row",
        "Examples: later",
    ),
    "2 a placeholder that no column fills": (
        ('the note "<text>" is', 'the note "<txt>" is'),
        ["no-column"],
        "has no column for <txt>, which would stay as it stands",
        "<txt>",
    ),
    "2 two rows that do the same": (
        ("        | ab   |", "        | a    |"),
        ["repeated-row"],
        "has a row with the same steps as line 20: take one away",
        "",
    ),
    "2 a value that holds a placeholder": (
        (EXAMPLES, "      Examples:\n        | text   | x |\n        | <x>    | b |\n"),
        ["ambiguous-row"],
        "has a row that Gherkin and pytest-bdd read differently",
        "| <x>    | b |",
    ),
    "3 no steps": (
        (
            "      Given an empty notebook\n"
            '      When the note "bread" is written\n'
            "      Then the notes are:\n        | bread |\n",
            "",
        ),
        ["no-steps"],
        "'A note shows its day' has no steps: write them",
        "A note shows its day",
    ),
    "3 no When": (
        ('      When the note "bread"', '      And the note "bread"'),
        ["no-when"],
        "'A note shows its day' has no When of its own",
        "A note shows its day",
    ),
    "3 no Then": (
        ("      Then the notes are:\n        | bread |\n", ""),
        ["no-then"],
        "'A note shows its day' has no Then of its own",
        "A note shows its day",
    ),
    "6 unknown tag": (
        ("    @slow @needs:batch", "    @slwo @needs:batch"),
        ["unknown-tag"],
        "@slwo isn't a tag of the suite",
        "@slwo",
    ),
    "6 tag on Examples": (
        ("      Examples:", "      @slow\n      Examples:"),
        ["tag-on-examples"],
        "@slow stands on Examples",
        "@slow",
    ),
    "9 a scenario that no spec tells": (
        (OUTLINE, TWIN.replace("read again", "burnt") + OUTLINE),
        ["orphan-scenario"],
        "Scenario 'A note is burnt' isn't in the spec under requirement 'A note is kept'",
        "A note is burnt",
    ),
    "9 a requirement that no spec tells": (
        ("@req:notes/a-note-is-dated", "@req:notes/a-note-is-old"),
        ["unknown-requirement", "missing-rule"],
        "@req:notes/a-note-is-old names no requirement",
        "Rule: A note is dated",
    ),
}


@pytest.mark.parametrize("sin", DOCUMENT_SINS)
def test_each_sin_of_a_feature_is_found(tmp_path: Path, sin: str):
    change, wanted, words, held = DOCUMENT_SINS[sin]
    findings = audit(tmp_path, feature=change)
    assert sorted(codes(findings)) == sorted(wanted), [str(f) for f in findings]
    found = next(f for f in findings if f.code == wanted[0])
    assert words in found.message
    if held:
        line = line_of(changed(FEATURE, change), held)
        assert found.where == f"features/core/notes.feature:{line}"


def test_guard_1_sees_the_same_title_under_two_rules(tmp_path: Path):
    twins = ("Scenario: A note shows its day", "Scenario: A note is read again")
    findings = audit(tmp_path, feature=twins, spec=("#### " + twins[0], "#### " + twins[1]))
    # In the feature as in the spec: OpenSpec allows it, pytest-bdd drops the first of the two.
    assert [f.where for f in findings if f.code == "duplicate-scenario"] == [
        "docs/openspec/specs/notes/spec.md:33",
        "features/core/notes.feature:27",
    ]


def test_guard_3_wants_a_when_beside_that_of_the_background(tmp_path: Path):
    background = '    Background:\n      When the note "bread" is written\n\n    @slow'
    lonely = FEATURE.replace('      When the note "bread" is written\n', "")
    tree = plant(tmp_path)
    tree.feature.write_text(changed(lonely, ("    @slow", background)), encoding="utf-8")
    findings = check(tree.load(), registered_steps(steps_module()))
    assert "'A note shows its day' has no When of its own" in only(findings, "no-when").message


def test_guard_9_sees_a_scenario_that_no_feature_tells(tmp_path: Path):
    told = "#### Scenario: A note is burnt\n\n- **WHEN** a\n- **THEN** b\n\n"
    second = "### Requirement: A note is dated"
    findings = audit(tmp_path, spec=(second, told + second))
    assert "'A note is burnt' has no Scenario in any feature" in (
        only(findings, "missing-scenario").message
    )


# --- guards 4 and 5: steps ---------------------------------------------------------------------


def test_guard_4_finds_a_step_that_nothing_defines(tmp_path: Path):
    findings = audit(tmp_path, feature=('When the note "bread" is', 'When the page "bread" is'))
    finding = only(findings, "undefined-step")
    assert finding.where == "features/core/notes.feature:29"
    assert finding.message == (
        "No step definition matches When 'the page \"bread\" is written': "
        "use a text of the vocabulary."
    )


def test_guard_4_finds_a_step_under_another_keyword(tmp_path: Path):
    findings = audit(tmp_path, steps=(WRITE, ""))
    # Under Given alone no scenario uses it, which is said too.
    assert set(codes(findings)) == {"undefined-step", "unused-step"}
    assert "When 'the note \"milk\" is written' (it is defined under Given)" in findings[0].message


def test_guard_4_looks_at_the_values_of_every_row(tmp_path: Path):
    # The pattern knows no quotation mark, so the second row alone has no definition.
    findings = audit(tmp_path, feature=("        | ab   |", '        | a"b  |'))
    finding = only(findings, "undefined-step")
    assert 'When \'the note "a"b" is written\'' in finding.message
    assert finding.where == f"features/core/notes.feature:{line_of(FEATURE, '<text>')}"


SECOND_WRITE = """\
@when(parsers.parse('the note "{text}" is written'))
def write_too(notebook, text):
    pass


@then("the notes are:")"""


def test_guard_4_finds_a_step_that_two_define(tmp_path: Path):
    findings = audit(tmp_path, steps=('@then("the notes are:")', SECOND_WRITE))
    assert set(codes(findings)) == {"ambiguous-step"}
    # Three steps in the document: one of them serves both rows, and reads differently in each.
    assert len(findings) == 4
    assert findings[0].where == "features/core/notes.feature:8"
    assert (
        "2 step definitions match When 'the note \"milk\" is written': "
        '\'the note "(?P<text>[^"]*)" is written\' and \'the note "{text}" is written\''
    ) in findings[0].message


def test_guard_4_finds_a_definition_that_is_registered_twice(tmp_path: Path):
    findings = audit(tmp_path, steps=(WRITE, WRITE * 2))
    assert set(codes(findings)) == {"ambiguous-step"}


def test_guard_4_finds_a_step_without_a_kind(tmp_path: Path):
    change = (
        '      Given an empty notebook\n      When the note "bread"',
        '      And an empty notebook\n      When the note "bread"',
    )
    finding = only(audit(tmp_path, feature=change), "untyped-step")
    assert (
        "The step 'And an empty notebook' has no Given, When or Then before it" in finding.message
    )


@pytest.mark.parametrize(
    "steps",
    [
        ("def write(notebook", "async def write(notebook"),
        (
            "def write(notebook, text):\n    notebook.append(text)",
            "async def write(notebook, text):\n    notebook.append(text)\n    yield",
        ),
        (
            "def write(notebook, text):\n    notebook.append(text)",
            "def write(notebook, text):\n    return later(notebook, text)\n\n\n"
            "async def later(notebook, text):\n    notebook.append(text)\n\n\n"
            "write.__wrapped__ = later",
        ),
    ],
    ids=["async def", "async generator", "beneath a decorator"],
)
def test_guard_5_finds_an_asynchronous_step(tmp_path: Path, steps: tuple[str, str]):
    findings = audit(tmp_path, steps=steps)
    # One function, registered under Given and under When: one finding.
    finding = only(findings, "async-step")
    assert "is asynchronous and would pass without having run" in finding.message
    assert finding.where.startswith("planted_steps:")


def test_guard_5_finds_an_object_whose_call_is_asynchronous(tmp_path: Path):
    definition = registered_steps(steps_module())[0]

    class Later:
        async def __call__(self) -> None: ...

    findings = check(plant(tmp_path).load(), [replace(definition, function=Later())])
    assert "async-step" in codes(findings)


def test_a_step_that_no_scenario_uses_is_found(tmp_path: Path):
    unused = '@when("the notebook burns")\ndef burn():\n    pass\n\n\n@then("the notes are:")'
    finding = only(audit(tmp_path, steps=('@then("the notes are:")', unused)), "unused-step")
    assert finding.message == "No scenario uses the step 'the notebook burns': take it away."
    assert finding.where.startswith("planted_steps:")


@pytest.mark.parametrize("surplus", [0, 1])
def test_a_vocabulary_holds_thirty_texts(tmp_path: Path, surplus: int):
    # The good steps have three texts; the one that stands under two keywords counts once.
    more = "".join(
        f'@then("text {n}")\ndef text_{n}():\n    pass\n\n\n'
        for n in range(STEP_TEXTS - 3 + surplus)
    )
    findings = audit(tmp_path, steps=("@then(", f"{more}@then("))
    found = [f for f in findings if f.code == "too-many-steps"]
    assert [f.message.split(":")[0] for f in found] == [
        "There are 31 step texts and at most 30 may be"
    ] * surplus


def test_all_findings_come_at_once_and_in_order(tmp_path: Path):
    findings = audit(
        tmp_path,
        feature=(ROWS, ""),
        spec=("Why: a note", "A note"),
        steps=("def empty(", "async def empty("),
    )
    assert codes(findings) == ["no-why", "no-rows", "async-step"]


def test_registered_steps_are_those_of_the_modules():
    module = steps_module()
    definitions = registered_steps(module)
    assert [(d.type, d.text, d.function) for d in definitions] == [
        ("given", "an empty notebook", module.empty),
        ("when", 'the note "(?P<text>[^"]*)" is written', module.write),
        ("given", 'the note "(?P<text>[^"]*)" is written', module.write),
        ("then", "the notes are:", module.notes),
    ]
    again = steps_module("from planted_steps import *\n", "planted_again")
    assert registered_steps(module, again) == definitions
    assert registered_steps(steps_module("x = 1\n", "planted_nothing")) == []


def test_a_step_for_any_keyword_serves_each(tmp_path: Path):
    source = changed(STEPS, (WRITE, "")).replace("@given(parsers", "@step(parsers")
    source = source.replace("import given,", "import given, step,")
    assert check(plant(tmp_path).load(), registered_steps(steps_module(source))) == []


# --- guards 7 and 8: what pytest collected -----------------------------------------------------


def test_guard_7_compares_identities_and_not_counts():
    assert compare(["x/a", "x/b[1]"], ["x/b[1]", "x/a"]) == []
    findings = compare(["x/a", "x/b"], ["x/b", "x/c"])
    assert [(f.code, f.where) for f in findings] == [
        ("not-collected", "x/a"),
        ("not-in-suite", "x/c"),
    ]
    assert "pytest didn't collect it" in findings[0].message
    assert "no feature holds it" in findings[1].message


def test_guard_7_tells_the_rows_of_an_outline_apart():
    finding = only(compare(["x/a[1]", "x/a[2]"], ["x/a[1]"]), "not-collected")
    assert finding.where == "x/a[2]"


def test_guard_7_finds_what_is_collected_twice():
    finding = only(compare(["x/a"], ["x/a", "x/a", "x/a"]), "collected-twice")
    assert finding.message.startswith("pytest collected this scenario 3 times")


def test_guard_8_refuses_a_run_of_nothing():
    assert selected(["x/a"], "profile core") == []
    finding = only(selected([], "profile core"), "nothing-selected")
    assert finding.where == "profile core"
    assert "No scenario is selected, so nothing would be measured" in finding.message


# --- that the guards are needed ----------------------------------------------------------------


def outcomes(root: Path, feature: str, steps: str = STEPS, *options: str) -> Counter[str]:
    """How many tests passed, failed, erred under pytest-bdd alone, without any of our plugins."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "notes.feature").write_text(feature, encoding="utf-8")
    scenarios = "\n\nfrom pytest_bdd import scenarios\n\nscenarios('notes.feature')\n"
    (root / "test_notes.py").write_text(steps + scenarios, encoding="utf-8")
    (root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    report = root / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:memconform", "-p", "no:cacheprovider"]
    subprocess.run(
        [*command, "--rootdir", str(root), "--junitxml", str(report), *options],
        cwd=root,
        env={**os.environ, **LIGHT},
        capture_output=True,
        check=False,
        timeout=120,
    )
    found: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        found[case[0].tag if len(case) else "passed"] += 1
    return found


def bare(feature: str) -> str:
    """A feature without its tags, which pytest-bdd can't turn into markers by itself."""
    return "\n".join(line for line in feature.split("\n") if not line.strip().startswith("@"))


LIE = """\
    Scenario: {title}
      Given an empty notebook
      When the note "salt" is written
      Then the notes are:
        | pepper |

"""


def test_the_good_suite_runs_and_a_lie_fails(tmp_path: Path):
    assert outcomes(tmp_path / "good", bare(FEATURE)) == {"passed": 4}
    lie = changed(
        FEATURE, ("    Scenario: A note is", LIE.format(title="A lie") + "    Scenario: A note is")
    )
    assert outcomes(tmp_path / "lie", bare(lie)) == {"passed": 4, "failure": 1}


@pytest.mark.parametrize(
    "place", ["    Scenario: A note is read again", "    Scenario: A note shows"]
)
def test_duplicate_titles_lose_a_scenario_in_silence(tmp_path: Path, place: str):
    # A failing scenario before one of the same title, under the same rule or under another one.
    title = "A note is read again" if "read" in place else "A note shows its day"
    rule = "  Rule: A note is kept\n"
    lie = changed(bare(FEATURE), (rule, rule + "\n" + LIE.format(title=title)))
    assert outcomes(tmp_path / "alone", lie) == {"passed": 4}
    sin = (rule, rule + "\n" + LIE.format(title=title))
    assert "duplicate-scenario" in codes(audit(tmp_path / "guarded", feature=sin))


@pytest.mark.parametrize(
    "examples", ["      Examples:\n        | text |\n", "      Examples:\n", ""]
)
def test_an_outline_without_rows_passes_in_silence(tmp_path: Path, examples: str):
    # Its text says <text>, literally, and so does its table: one vacuous test in the place of two.
    sin = (EXAMPLES, examples)
    assert outcomes(tmp_path / "alone", changed(bare(FEATURE), sin)) == {"passed": 3}
    (finding,) = audit(tmp_path / "guarded", feature=sin)
    assert finding.code == ("no-rows" if examples else "no-examples")


def test_an_async_step_passes_in_silence(tmp_path: Path):
    # The step that looks would raise; asynchronous, it never runs.
    raising = changed(STEPS, ("    assert [[note]", "    raise AssertionError\n    assert [[note]"))
    assert outcomes(tmp_path / "twin", bare(FEATURE), raising) == {"failure": 4}
    sin = raising.replace("def notes(", "async def notes(")
    assert outcomes(tmp_path / "alone", bare(FEATURE), sin) == {"passed": 4}
    findings = audit(tmp_path / "guarded", steps=("def notes(", "async def notes("))
    assert codes(findings) == ["async-step"]


def test_an_ambiguous_step_passes_in_silence(tmp_path: Path):
    # A second definition that looks at nothing and wins, since '{' sorts after any letter.
    last = '@then("the notes are:")'
    lax = f'@then(parsers.parse("the notes {{which}}:"))\ndef lax():\n    pass\n\n\n{last}'
    lie = changed(bare(FEATURE), ("| milk |", "| salt |"))
    assert outcomes(tmp_path / "twin", lie) == {"passed": 3, "failure": 1}
    sin = (last, lax)
    assert outcomes(tmp_path / "alone", lie, changed(STEPS, sin)) == {"passed": 4}
    assert set(codes(audit(tmp_path / "guarded", steps=sin))) == {
        "ambiguous-step",
        "unused-step",
    } - {"unused-step"}


def test_a_scenario_without_steps_passes_in_silence(tmp_path: Path):
    sin = ("    @slow @needs:batch", "    Scenario: Nothing\n\n    @slow @needs:batch")
    assert outcomes(tmp_path / "alone", bare(changed(FEATURE, sin))) == {"passed": 5}
    assert "no-steps" in codes(audit(tmp_path / "guarded", feature=sin))


def test_a_misspelt_step_keyword_passes_in_silence(tmp_path: Path):
    # In lower case the first step is a description: the lie about the empty notebook isn't told.
    full = changed(STEPS, ("    return []", "    return ['ink']"))
    one = """\
Feature: Notes
  Scenario: A note beside what was there
    {given} an empty notebook
    When the note "a" is written
    Then the notes are:
      | ink |
      | a   |
"""
    assert outcomes(tmp_path / "twin", one.format(given="Given"), full) == {"failure": 1}
    assert outcomes(tmp_path / "alone", one.format(given="given"), full) == {"passed": 1}
    sin = ("      Given an empty", "      given an empty")
    assert codes(audit(tmp_path / "guarded", feature=sin)) == ["hidden-step"]
