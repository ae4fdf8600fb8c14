"""A suite of one's own out of what fuzzing found: ``features`` beside ``openspec``, as the kit's.

Each finding is a scenario under the requirement that it breaks, and a scenario of the same title in
a spec that holds the requirement in the kit's own words. So everything that holds of the kit's
suite holds of this one, and ``certify --features FOLDER`` runs it.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from memconform.fuzz import gherkin
from memconform.fuzz.campaign import Finding
from memconform.spec.findings import normalise
from memconform.spec.library import Library
from memconform.spec.openspec import Requirement
from memconform.suite.profiles import PROFILES
from memconform.verdict.words import harmless

_PURPOSE = (
    "Requirements of the specification {capability}, each with the scenarios that memconform fuzz"
    " found to break it in some store."
)
_WHITE_SPACE = re.compile(r"\s+")


class NoPlace(Exception):
    """The folder can't take a finding; the message is a sentence that says what to do."""


def title(finding: Finding) -> str:
    """A title that is the same for the same finding and of no other one."""
    told = gherkin.scenario("", finding.program, finding.broken.expected)
    digest = hashlib.sha256(f"{finding.broken.requirement}\n{told}".encode()).hexdigest()
    aspect = " ".join(re.findall(r"[A-Za-z0-9.]+", finding.broken.aspect))
    return f"{aspect[:1].upper()}{aspect[1:]}, found by fuzzing as {digest[:8]}"


def feature(finding: Finding, library: Library) -> str:
    """The finding as a feature file of its own."""
    return _head(finding, library) + gherkin.scenario(
        title(finding), finding.program, finding.broken.expected
    )


def add(finding: Finding, library: Library, folder: Path) -> Path:
    """Put a finding into a suite; one that is there already stays as it is.

    Args:
        finding: what was found.
        library: the kit's own suite, for the words of the requirement.
        folder: of the suite; made where it isn't there.

    Returns:
        The feature file that holds it.

    Raises:
        NoPlace: the folder holds another kind of suite, or can't be written to.
    """
    if (folder / "docs" / "openspec").is_dir():
        raise NoPlace(
            f"{folder} holds a suite with specs of its own; add to another folder and move the"
            " scenario by hand, spec first."
        )
    capability, _, slug = finding.broken.requirement.partition("/")
    spec = folder / "openspec" / "specs" / capability / "spec.md"
    file = folder / "features" / _profile(capability) / f"{slug}.feature"
    requirement = library.requirements[finding.broken.requirement]
    try:
        _put(spec, _in_spec(_read(spec), capability, requirement, finding))
        _put(file, _in_feature(_read(file), finding, library))
    except (OSError, UnicodeDecodeError) as error:
        raise NoPlace(f"{folder} can't take the scenario: {error}.") from error
    return file


def _profile(capability: str) -> str:
    return next(name for name, p in PROFILES.items() if capability in p.capabilities)


def _read(path: Path) -> str:
    return normalise(path.read_text(encoding="utf-8")) if path.exists() else ""


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


# --- the feature -----------------------------------------------------------------------------


def _head(finding: Finding, library: Library) -> str:
    requirement = library.requirements[finding.broken.requirement]
    strength = "must" if requirement.must else "should"
    return (
        f"Feature: {requirement.title}, found by fuzzing\n\n"
        f"  @req:{finding.broken.requirement} @{strength}\n"
        f"  Rule: {requirement.title}\n\n"
    )


def _in_feature(source: str, finding: Finding, library: Library) -> str:
    if f"Scenario: {title(finding)}\n" in source:
        return source
    scenario = gherkin.scenario(title(finding), finding.program, finding.broken.expected)
    return (source.rstrip("\n") + "\n\n" if source else _head(finding, library)) + scenario


# --- the spec --------------------------------------------------------------------------------


def _in_spec(source: str, capability: str, requirement: Requirement, finding: Finding) -> str:
    """The spec with requirement and scenario, each added where it is missing."""
    if f"#### Scenario: {title(finding)}\n" in source:
        return source
    if not source:
        purpose = _PURPOSE.format(capability=capability)
        source = f"# {capability} Specification\n\n## Purpose\n\n{purpose}\n\n## Requirements\n"
    heading = f"### Requirement: {requirement.title}\n"
    if heading not in source:
        text = f"{requirement.text}\n\nWhy: {requirement.why}\n"
        source = f"{source.rstrip()}\n\n{heading}\n{text}"
    before, _, after = source.partition(heading)
    own, again, rest = after.partition("\n### ")
    return f"{before}{heading}{own.rstrip()}\n\n{_told(finding)}{again}{rest}"


def _told(finding: Finding) -> str:
    steps = "the calls of the scenario before its last" if len(finding.program) > 1 else "no call"
    expected = _WHITE_SPACE.sub(" ", harmless(str(finding.broken.expected)))
    return (
        f"#### Scenario: {title(finding)}\n"
        f"- **GIVEN** {steps}\n"
        f"- **WHEN** {finding.program[-1].operation} is called as there\n"
        f"- **THEN** the store shows {expected}\n"
    )
