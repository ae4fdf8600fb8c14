"""The names that people type, looked up; a near miss is answered with what was meant."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from memconform.cli.errors import Refusal, did_you_mean
from memconform.spec.library import Library
from memconform.suite import location
from memconform.suite.profiles import PROFILES
from memconform.targets import Target, UsageError, implementations, resolve


@functools.cache
def library(folder: Path | None = None) -> Library:
    """The specs and features of the kit, or of a folder of one's own, read once a process.

    Raises:
        Refusal: the folder holds no suite.
    """
    if folder is None:
        return location.installed().library()
    try:
        return location.at(folder).library()
    except NotADirectoryError as error:
        raise Refusal(
            f"--features {folder}: {error}; memconform fuzz --add makes one of what it finds."
        ) from error


def known_profiles(names: Sequence[str]) -> list[str]:
    """The profiles of these names, each once, in the order of PROFILES.

    Raises:
        Refusal: there is no such profile.
    """
    for name in names:
        if name not in PROFILES:
            raise Refusal(
                f"There is no profile {name!r}; there are {', '.join(PROFILES)}."
                + did_you_mean(name, PROFILES)
            )
    return [name for name in PROFILES if name in names]


def known_targets(texts: Sequence[str], *, wire: bool) -> list[Target]:
    """The targets that these TARGET strings name, each once, in order.

    Raises:
        Refusal: there is no such target.
    """
    found: dict[str, Target] = {}
    for text in texts:
        try:
            targets = resolve(text, wire=wire)
        except UsageError as error:
            near = did_you_mean(text, [*_reference_names(), *implementations()])
            raise Refusal(f"{error}{near}") from error
        for target in targets:
            found.setdefault(target.name, target)
    return list(found.values())


def known_scenario(text: str, suite: Library) -> str:
    """The id of a scenario: as it stands, without a row, or its slug where only one has it.

    Raises:
        Refusal: there is no such scenario, or more than one.
    """
    ids = [id for scenario in suite.scenarios() for id in (scenario.base, scenario.id)]
    if text not in ids and text in suite.requirements:
        raise Refusal(f"{text} is a requirement; memconform explain {text} lists its scenarios.")
    return _one("scenario", text, ids)


def known_requirement(text: str, suite: Library) -> str | None:
    """The id of a requirement, or null where no requirement has this name."""
    if text in suite.requirements:
        return text
    found = [id for id in suite.requirements if id.partition("/")[2] == text]
    return found[0] if len(found) == 1 else None


def _one(kind: str, text: str, ids: Sequence[str]) -> str:
    if text in ids:
        return text
    found = list(dict.fromkeys(id for id in ids if id.partition("/")[2] == text))
    if len(found) == 1:
        return found[0]
    if found:
        raise Refusal(f"{text!r} is the name of more than one {kind}: {', '.join(found)}.")
    near = did_you_mean(text, ids) or " memconform explain lists what there is."
    raise Refusal(f"There is no {kind} {text!r}.{near}")


def _reference_names() -> list[str]:
    from memconform.targets.reference import NAMES

    return list(NAMES)
