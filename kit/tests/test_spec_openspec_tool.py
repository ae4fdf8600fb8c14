"""OpenSpec's own validator says yes to the specs, and our lint to what that lets pass.

The pinned validator is installed once into build/. Where Node or the network is missing the tests
are skipped with the reason; where CI is set they fail instead, since there nobody reads reasons.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import pytest
from spec_trees import SPEC, changed, codes

from memconform.spec.openspec import lint, parse

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "openspec"
VERSION = "1.13.2"
NODE_MINIMUM = (20, 19)  # what the validator's own package.json asks for


def unavailable(reason: str) -> NoReturn:
    """Skip, or fail in CI."""
    if os.environ.get("CI"):
        pytest.fail(f"in CI the OpenSpec validator must run: {reason}")
    pytest.skip(reason)


def node_version() -> tuple[int, ...]:
    if shutil.which("node") is None or shutil.which("npm") is None:
        unavailable("node and npm aren't installed")
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return tuple(int(part) for part in re.findall(r"\d+", said.stdout))


@pytest.fixture(scope="module")
def tool() -> Path:
    """The validator, installed from the lock file.

    The folder is named for the lock and moved into place when it is whole, so that neither an old
    version nor half of one is ever run, nor two processes get into each other's way.
    """
    version = node_version()
    if version < NODE_MINIMUM:
        found, least = (".".join(map(str, v)) for v in (version, NODE_MINIMUM))
        unavailable(f"Node {found} is too old: the validator needs {least}")
    lock = (TOOL / "package-lock.json").read_bytes()
    home = ROOT / "build" / "node" / f"openspec-{hashlib.sha256(lock).hexdigest()[:12]}"
    if not home.is_dir():
        making = home.with_name(f"{home.name}.{os.getpid()}")
        making.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(TOOL / name, making)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        done = subprocess.run(
            command, cwd=making, capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode == 0:
            with contextlib.suppress(OSError):  # another process was faster: its copy is as good
                making.rename(home)
        shutil.rmtree(making, ignore_errors=True)
        if not home.is_dir():
            unavailable(f"npm ci failed: {done.stderr.strip()[-300:]}")
    return home / "node_modules" / ".bin" / "openspec"


def validate(tool: Path, folder: Path) -> tuple[int, dict[str, Any]]:
    """Exit code and report of a strict validation of everything below ``folder``/openspec."""
    done = subprocess.run(
        [tool, "validate", "--all", "--strict", "--json", "--no-interactive"],
        cwd=folder,
        env={**os.environ, "OPENSPEC_TELEMETRY": "0", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


def probe(tool: Path, folder: Path, text: str) -> tuple[int, dict[str, Any]]:
    file = folder / "openspec" / "specs" / "notes" / "spec.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return validate(tool, folder)


def test_the_tool_is_pinned_and_names_no_registry():
    package = json.loads((TOOL / "package.json").read_text("utf-8"))
    assert package["dependencies"] == {"@fission-ai/openspec": VERSION}
    lock = json.loads((TOOL / "package-lock.json").read_text("utf-8"))
    packages = lock["packages"]
    assert packages["node_modules/@fission-ai/openspec"]["version"] == VERSION
    assert [name for name, each in packages.items() if "resolved" in each] == []
    assert [name for name, each in packages.items() if name and "integrity" not in each] == []


def test_what_is_missing_skips_and_in_ci_fails(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no node"):
        unavailable("no node")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="must run: no node"):
        unavailable("no node")


def test_every_spec_is_valid(tool: Path):
    folders = sorted(path.parent.name for path in (ROOT / "docs/openspec/specs").glob("*/spec.md"))
    assert folders, "there is no spec to validate"
    code, report = validate(tool, ROOT / "docs")
    complaints = [item for item in report["items"] if not item["valid"]]
    assert complaints == []
    assert code == 0
    # An empty folder is valid too: what was looked at counts.
    assert sorted(item["id"] for item in report["items"] if item["type"] == "spec") == folders


def test_a_bad_spec_is_refused(tool: Path, tmp_path: Path):
    code, report = probe(tool, tmp_path, changed(SPEC, ("SHALL give", "gives")))
    assert code == 1
    assert [item["valid"] for item in report["items"]] == [False]


PASSED_OVER = {
    "good": (None, []),
    "no WHEN": (("- **WHEN** a note is written\n", ""), ["no-when"]),
    "no THEN": (("- **THEN** it is the only note\n", ""), ["no-then"]),
    "empty scenario": (
        (
            "### Requirement: A note is dated",
            "#### Scenario: Empty\n\n### Requirement: A note is d",
        ),
        ["empty-scenario"],
    ),
    "title twice": (
        ("Scenario: Notes of any length are", "Scenario: A note is"),
        ["duplicate-scenario"],
    ),
    "level 5": (
        ("#### Scenario: Notes of any length", "##### Scenario: Notes of any length"),
        ["deep-heading", "stray-text"],
    ),
    "no Requirement:": (
        ("### Requirement: A note is dated", "### A note is dated"),
        ["not-a-requirement", "misplaced-heading"],
    ),
    "level 4 without Scenario:": (
        ("#### Scenario: Notes of any length", "#### Notes of any length"),
        ["not-a-scenario"],
    ),
}


@pytest.mark.parametrize("sin", PASSED_OVER)
def test_what_strict_validation_lets_pass_our_lint_finds(tool: Path, tmp_path: Path, sin: str):
    change, wanted = PASSED_OVER[sin]
    text = changed(SPEC, change)
    code, report = probe(tool, tmp_path, text)
    assert (code, [item["valid"] for item in report["items"]]) == (0, [True])
    assert codes(lint(parse(text, "notes"))) == wanted
