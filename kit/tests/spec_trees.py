"""A small suite on disk that keeps to every rule, to plant one sin at a time in."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from memconform.spec.findings import Finding
from memconform.spec.library import Library, load

SPEC = """\
# notes

## Purpose

Somebody takes notes and wants to find each of them again, word for word.

## Requirements

### Requirement: A note is kept

A notebook SHALL give back what was written.

Why: a note that is lost was never taken.

#### Scenario: A note is read again

- **GIVEN** an empty notebook
- **WHEN** a note is written
- **THEN** it is the only note

#### Scenario: Notes of any length are read again

- **GIVEN** an empty notebook
- **WHEN** a note of one letter, or of two, is written
- **THEN** it is the only note

### Requirement: A note is dated

A notebook SHOULD say when a note was written; such a day MUST be in UTC.

Why: an undated note can't be told from a stale one.

#### Scenario: A note shows its day

- **GIVEN** an empty notebook
- **WHEN** a note is written
- **THEN** its day is shown
"""

FEATURE = """\
Feature: Notes

  @req:notes/a-note-is-kept @must
  Rule: A note is kept

    Scenario: A note is read again
      Given an empty notebook
      When the note "milk" is written
      Then the notes are:
        | milk |

    Scenario Outline: Notes of any length are read again
      Given an empty notebook
      When the note "<text>" is written
      Then the notes are:
        | <text> |

      Examples:
        | text |
        | a    |
        | ab   |

  @req:notes/a-note-is-dated @should @needs:clock @level:explain @defect:D-7
  Rule: A note is dated

    @slow @needs:batch
    Scenario: A note shows its day
      Given an empty notebook
      When the note "bread" is written
      Then the notes are:
        | bread |
"""

# Real pytest-bdd steps: the first two serve Given and When alike, as the kit's own do.
STEPS = """\
import pytest
from pytest_bdd import given, parsers, then, when


@pytest.fixture
def notebook():
    return []


@given("an empty notebook")
def empty(notebook):
    assert notebook == []


@given(parsers.re(r'the note "(?P<text>[^"]*)" is written'))
@when(parsers.re(r'the note "(?P<text>[^"]*)" is written'))
def write(notebook, text):
    notebook.append(text)


@then("the notes are:")
def notes(notebook, datatable):
    assert [[note] for note in notebook] == datatable
"""


@dataclass(frozen=True)
class Tree:
    """The roots of a suite on disk."""

    openspec: Path
    features: Path

    @property
    def spec(self) -> Path:
        return self.openspec / "specs" / "notes" / "spec.md"

    @property
    def feature(self) -> Path:
        return self.features / "core" / "notes.feature"

    def load(self) -> Library:
        return load(self.openspec, self.features)


def plant(
    root: Path,
    *,
    spec: tuple[str, str] | None = None,
    feature: tuple[str, str] | None = None,
) -> Tree:
    """Write the good suite with one passage of the spec and one of the feature replaced."""
    tree = Tree(root / "docs" / "openspec", root / "features")
    for file, text, change in ((tree.spec, SPEC, spec), (tree.feature, FEATURE, feature)):
        file.parent.mkdir(parents=True)
        file.write_text(changed(text, change), encoding="utf-8")
    return tree


def changed(text: str, change: tuple[str, str] | None) -> str:
    """The text with the first of a passage replaced, which must be there."""
    if change is None:
        return text
    assert change[0] in text, f"nothing to replace: {change[0]!r}"
    return text.replace(*change, 1)


def line_of(text: str, passage: str) -> int:
    """The number of the first line that holds a passage."""
    return next(n for n, line in enumerate(text.split("\n"), start=1) if passage in line)


def steps_module(source: str = STEPS, name: str = "planted_steps") -> ModuleType:
    """A module with pytest-bdd steps, made from its text."""
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    return module


def codes(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def only(findings: list[Finding], code: str) -> Finding:
    """The one finding, which must have this code."""
    assert codes(findings) == [code], [str(finding) for finding in findings]
    return findings[0]
