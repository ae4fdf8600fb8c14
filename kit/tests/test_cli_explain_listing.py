"""``explain`` lists what there is, and shows wide examples so that they can be read."""

import re
from pathlib import Path

import pytest

from memconform.cli import run
from memconform.cli.names import library
from memconform.resources import find


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def shown(capsys, *arguments):
    assert run(["explain", *arguments]) == 0
    return capsys.readouterr().out


def test_without_a_name_every_spec_is_listed(capsys, narrow):
    specs = sorted(path.name for path in (find("openspec") / "specs").iterdir())
    told = shown(capsys)
    assert [name for name in specs if f"· {name} " in told] == specs
    # Counted in the files, not by the library.
    text = (find("openspec") / "specs/lexical-abstention/spec.md").read_text(encoding="utf-8")
    requirements = len(re.findall(r"^### Requirement: ", text, re.M))
    scenarios = len(re.findall(r"^#### Scenario: ", text, re.M))
    assert f"profile abstention, {requirements} requirements, {scenarios} scenarios" in told


def test_a_spec_lists_its_requirements_and_scenarios_by_names_that_explain_takes(capsys, narrow):
    told = shown(capsys, "lexical-abstention")
    suite = library()
    for id, requirement in suite.requirements.items():
        if id.startswith("lexical-abstention/"):
            assert requirement.title in told
            assert id in told
    bases = [base for base in suite.requirement_of if base.startswith("lexical-abstention/")]
    joined = re.sub(r"\s+", "", told)
    assert [base for base in bases if base.partition("/")[2] not in joined] == []
    assert "memory-core/" not in told
    assert bases[0].partition("/")[2] in shown(capsys, bases[0].partition("/")[2])


def test_a_misspelt_spec_is_answered_with_what_was_meant(capsys):
    assert run(["explain", "memory-cor"]) == 2
    assert "Did you mean memory-core" in capsys.readouterr().err


def widest_outline():
    """The outline with the longest example row, found in the files."""
    rows = []
    for path in sorted(Path(find("features")).glob("*/*.feature")):
        title, examples = "", False
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(r" *Scenario Outline: (.*)", line):
                title, examples = match[1], False
            elif match := re.match(r" *Scenario: ", line):
                title = ""
            elif re.match(r" *Examples:", line):
                examples = True
            elif title and examples and line.strip().startswith("|"):
                rows.append((len(line.strip()), title))
    return max(rows)[1]


def test_a_row_too_wide_for_the_terminal_stands_upright(capsys, narrow):
    title = widest_outline()
    suite = library()
    base, written = next(
        (base, feature)
        for base, (_, feature) in suite.feature_scenarios.items()
        if feature.title == title
    )
    (table,) = written.examples[:1]
    told = shown(capsys, base)
    examples = told[told.index("Examples") :]
    assert not [line for line in examples.splitlines() if line.strip().startswith("|")]
    for place, row in enumerate(table.rows[:2], 1):
        first = row.values[0][0]
        assert re.search(rf"^ +{place} +{re.escape(first)}: ", examples, re.M)
        joined = re.sub(r"\s+", "", examples)
        assert all(re.sub(r"\s+", "", value) in joined for _, value in row.values)


def test_a_row_that_fits_stands_in_a_table(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "2000")
    title = widest_outline()
    suite = library()
    base = next(b for b, (_, f) in suite.feature_scenarios.items() if f.title == title)
    told = shown(capsys, base)
    assert "  | " in told[told.index("Examples") :]
