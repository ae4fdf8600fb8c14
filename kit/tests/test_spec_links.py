"""Staleness: a spec that changed under a feature is noticed until somebody has looked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from spec_trees import SPEC, changed, codes, only, plant

from memconform.spec.links import confirm, stale


def test_nothing_is_confirmed_at_first_and_all_is_afterwards(tmp_path: Path):
    tree = plant(tmp_path)
    findings = stale(tree.load())
    # The outline is one scenario of the spec, however many rows it has.
    assert codes(findings) == ["unconfirmed"] * 3
    assert findings[0].where == "features/core/notes.feature:6"
    assert "Nobody has confirmed that scenario 'A note is read again'" in findings[0].message
    assert confirm(tree.load()) == [tree.features.resolve() / "core" / "links.json"]
    assert stale(tree.load()) == []


def test_the_file_is_sorted_and_written_only_when_it_changes(tmp_path: Path):
    tree = plant(tmp_path)
    library = tree.load()
    (file,) = confirm(library)
    text = file.read_bytes()
    assert text.endswith(b"}\n")
    links = json.loads(text)
    assert list(links) == [
        "notes/a-note-is-read-again",
        "notes/a-note-shows-its-day",
        "notes/notes-of-any-length-are-read-again",
    ]
    assert links["notes/a-note-shows-its-day"] == (
        library.spec_scenarios["notes/a-note-shows-its-day"].digest
    )
    assert confirm(tree.load()) == []
    assert file.read_bytes() == text


def test_a_changed_scenario_is_stale_and_no_other(tmp_path: Path):
    tree = plant(tmp_path)
    confirm(tree.load())
    tree.spec.write_text(changed(SPEC, ("its day is shown", "its hour is shown")), "utf-8")
    finding = only(stale(tree.load()), "stale")
    assert finding.where == "features/core/notes.feature:27"
    assert "The spec of scenario 'A note shows its day' has changed" in finding.message
    confirm(tree.load())
    assert stale(tree.load()) == []


def test_a_rewrapped_scenario_is_not_stale(tmp_path: Path):
    tree = plant(tmp_path)
    confirm(tree.load())
    tree.spec.write_text(changed(SPEC, ("its day is shown", "its day\n  is shown")), "utf-8")
    assert stale(tree.load()) == []


def test_a_link_to_nothing_is_found_and_dropped_by_confirming(tmp_path: Path):
    tree = plant(tmp_path)
    (file,) = confirm(tree.load())
    file.write_text(file.read_text("utf-8").replace("{", '{\n  "notes/gone": "ab",', 1), "utf-8")
    finding = only(stale(tree.load()), "orphan-link")
    assert finding.where == "features/core/links.json:1"
    assert "'notes/gone' is linked and no scenario of profile 'core' any more" in finding.message
    assert confirm(tree.load()) == [file]
    assert stale(tree.load()) == []


def test_links_of_a_profile_that_lost_its_features_are_found(tmp_path: Path):
    tree = plant(tmp_path)
    confirm(tree.load())
    old = tree.features / "old" / "links.json"
    old.parent.mkdir()
    old.write_text('{"notes/gone": "ab"}', "utf-8")
    assert only(stale(tree.load()), "orphan-link").where == "features/old/links.json:1"
    assert confirm(tree.load()) == [old.resolve()]
    assert stale(tree.load()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "Expecting property name"),
        ("[]", "one JSON object"),
        ('{"a": 1}', "one JSON object"),
        ('{"a": "1", "a": "2"}', "an id stands twice"),
        ("<<<<<<< ours\n{}", "Expecting value"),
    ],
)
def test_links_that_cannot_be_read_are_a_finding(tmp_path: Path, text: str, words: str):
    tree = plant(tmp_path)
    (file,) = confirm(tree.load())
    file.write_text(text, "utf-8")
    finding = only(stale(tree.load()), "unreadable-links")
    assert finding.where == "features/core/links.json:1"
    assert words in finding.message
