"""Staleness: has the spec changed since a feature was last compared with it?

The wording of a feature is written by hand, so a scenario of the spec can change under it and
nothing breaks. Beside the features of each profile, ``links.json`` keeps for each scenario the
digest of the spec's text that somebody last compared the feature with. ``confirm`` is that
somebody's signature: it is run after looking, never by a check.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from memconform.spec.findings import Finding, in_order
from memconform.spec.library import Library

FILE = "links.json"


def stale(library: Library) -> list[Finding]:
    """The scenarios whose spec nobody has compared their feature with, and links to nothing."""
    return in_order(
        finding
        for profile in _profiles(library)
        for finding in _stale(library, profile, library.features_root / profile / FILE)
    )


def confirm(library: Library) -> list[Path]:
    """Write the present digests beside the features; returns the files that changed."""
    changed: list[Path] = []
    for profile in _profiles(library):
        file = library.features_root / profile / FILE
        links = _present(library, profile)
        text = (json.dumps(dict(sorted(links.items())), indent=2) + "\n").encode()
        if not file.is_file() or file.read_bytes() != text:
            file.write_bytes(text)
            changed.append(file)
    return changed


def _profiles(library: Library) -> list[str]:
    """Those with features, and those that have links left over from features they had."""
    left_over = {file.parent.name for file in library.features_root.glob(f"*/{FILE}")}
    return sorted(left_over.union(library.profiles))


def _present(library: Library, profile: str) -> dict[str, str]:
    return {
        id: library.spec_scenarios[id].digest
        for id, (feature, _) in library.feature_scenarios.items()
        if feature.profile == profile
    }


def _stale(library: Library, profile: str, file: Path) -> Iterator[Finding]:
    name = f"{library.features_root.name}/{profile}/{FILE}:1"
    present = _present(library, profile)
    try:
        kept = _read(file)
    except ValueError as error:
        yield Finding("unreadable-links", name, f"These links can't be read: {error}.")
        return
    for id, digest in present.items():
        feature, scenario = library.feature_scenarios[id]
        where = f"{feature.doc.path}:{scenario.line}"
        if id not in kept:
            yield Finding(
                "unconfirmed",
                where,
                f"Nobody has confirmed that scenario {scenario.title!r} says what the spec says: "
                "compare the two and confirm.",
            )
        elif kept[id] != digest:
            yield Finding(
                "stale",
                where,
                f"The spec of scenario {scenario.title!r} has changed since it was confirmed: "
                "compare the two, mend the feature and confirm.",
            )
    for id in kept.keys() - present.keys():
        yield Finding(
            "orphan-link",
            name,
            f"{id!r} is linked and no scenario of profile {profile!r} any more: "
            "confirm, which drops it.",
        )


def _read(file: Path) -> dict[str, str]:
    """The kept digests by scenario id; none where there is no file.

    Raises:
        ValueError: the file holds something else, with the reason.
    """
    if not file.is_file():
        return {}
    links = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_once)
    if not isinstance(links, dict) or not all(isinstance(v, str) for v in links.values()):
        raise ValueError("they must be one JSON object of scenario ids and digests")
    return links


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an id stands twice, as after a merge")
    return found
