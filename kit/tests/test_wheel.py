"""The wheel, as whoever has no checkout gets it: built, installed beside nothing, used.

One wheel is built for all of these tests. It is installed with its dependencies, at the pinned
versions, into an environment of its own, and everything runs from an empty folder with a bare
process environment, so that nothing can be found in the checkout by accident.
"""

import contextlib
import email
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from memconform import __version__

ROOT = Path(__file__).parents[2]
MIB = 1024 * 1024
# Folder of the checkout -> folder of the wheel. The package finds the data under these names alone
# (memconform.resources), so this is part of what it is, not of how it is built.
SHIPPED = {
    "kit/memconform": "memconform",
    "features": "memconform/_data/features",
    "docs/openspec": "memconform/_data/openspec",
    "docs/schemas": "memconform/_data/schemas",
    "fixtures": "memconform/_data/fixtures",
    "notebooks": "memconform/_data/notebooks",
    "conformance/implementations": "memconform/_data/conformance/implementations",
}


@contextlib.contextmanager
def once(name, tmp_path_factory):
    """A folder that is filled once, though the tests run in several processes.

    Gives the folder and whether it still has to be filled; whoever fills it keeps the others
    waiting, and a filling that failed is tried again.
    """
    parallel = "PYTEST_XDIST_WORKER" in os.environ
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if parallel else base) / name
    with open(folder.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = folder.with_suffix(".complete")
        yield folder, not complete.exists()
        complete.touch()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built once; what builds it is part of the dev extra."""
    with once("dist", tmp_path_factory) as (folder, wanted):
        if wanted:
            build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
            done = subprocess.run(
                [*build, "--outdir", folder, ROOT],
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def members(wheel):
    """Name and content of every file in it."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@dataclass(frozen=True)
class Installed:
    """An environment that has the wheel and what it depends on, and an empty folder to stand in."""

    bin: Path
    folder: Path

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment; nothing of this process's Python is handed on."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "PYTEST", "MEMCONFORM", "COV", "VIRTUAL_ENV"))
        }
        return subprocess.run(
            [self.bin / command[0], *command[1:]],
            cwd=self.folder,
            env={**kept, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )

    def python(self, source: str) -> str:
        """What a piece of Python prints in it."""
        done = self.run("python", "-c", source)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """A new virtual environment with the wheel, made once."""
    with once("environment", tmp_path_factory) as (folder, wanted):
        if wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--no-input"]
            done = subprocess.run(
                [*pip, "--constraint", ROOT / "constraints.txt", wheel],
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
    return folder / "bin"


@pytest.fixture
def installed(environment, tmp_path):
    """The environment, and an empty folder of this test alone."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return Installed(environment, folder)


# --- what is in it ---------------------------------------------------------------------------


def test_every_constraint_is_a_pin():
    """A path or an editable checkout among the constraints stops pip on every other machine."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    strangers = [
        pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+", pin)
    ]
    assert pins
    assert strangers == []


def test_the_wheel_is_named_and_described(wheel, members):
    assert wheel.name == f"memconform-{__version__}-py3-none-any.whl"
    info = f"memconform-{__version__}.dist-info"
    metadata = email.message_from_bytes(members[f"{info}/METADATA"])
    assert metadata["Name"] == "memconform"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# memconform\n")
    assert members[f"{info}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    entries = members[f"{info}/entry_points.txt"].decode()
    assert "[console_scripts]\nmemconform = memconform.cli:main" in entries
    assert "[pytest11]\nmemconform = memconform.suite.plugin" in entries


def test_it_needs_little(members):
    """The core stays small: whatever else there is, is an extra that nobody has to install."""
    metadata = email.message_from_bytes(members[f"memconform-{__version__}.dist-info/METADATA"])
    always = [need for need in metadata.get_all("Requires-Dist") if "extra ==" not in need]
    names = {re.match(r"[A-Za-z0-9._-]+", need)[0] for need in always}
    assert names == {
        *("msgspec", "pytest", "pytest-bdd", "gherkin-official", "typer", "rich", "jinja2")
    }


def test_the_build_backend_is_pinned_once():
    """Built with isolation or without, the wheel comes out of the same backend."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (backend,) = project["build-system"]["requires"]
    assert backend in (ROOT / "constraints.txt").read_text(encoding="utf-8").split()


def test_it_holds_the_files_of_the_checkout_and_no_others(members):
    """What git knows or would take, under the name that the package looks for it; no leftovers."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *SHIPPED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = {}
    for name in filter(None, listed.stdout.split("\0")):
        (source,) = [source for source in SHIPPED if name.startswith(f"{source}/")]
        if (ROOT / name).is_file():
            expected[SHIPPED[source] + name.removeprefix(source)] = ROOT / name
    info = f"memconform-{__version__}.dist-info/"
    inside = {name for name in members if not name.startswith(info)}
    assert sorted(inside - expected.keys()) == [], "in the wheel, but git ignores it"
    assert sorted(expected.keys() - inside) == [], "in the checkout, but not in the wheel"
    differing = [name for name in inside if members[name] != expected[name].read_bytes()]
    assert differing == []


def test_it_holds_no_tests_no_caches_and_no_path_of_this_machine(members):
    # The suite itself is collected by pytest, so one module of the package is named like a test.
    tests = [n for n in members if re.search(r"(^|/)(tests?/|test_[^/]*\.py$|conftest\.py$)", n)]
    assert tests == ["memconform/suite/test_features.py"]
    caches = [n for n in members if re.search(r"\.pyc$|__pycache__|/\.[a-z]+_cache|/build/", n)]
    assert caches == []
    here = [f"{path}{os.sep}".encode() for path in (ROOT, Path(sys.prefix))]
    telling = [n for n, data in members.items() if any(path in data for path in here)]
    assert telling == []


def test_it_stays_small(wheel, members):
    """No file over one mebibyte, and the whole of it far below what an attachment may have."""
    assert [name for name, data in members.items() if len(data) > MIB] == []
    assert wheel.stat().st_size < 5 * MIB


def test_its_types_can_be_used(members):
    assert "memconform/py.typed" in members


# --- what can be done with it ----------------------------------------------------------------


def test_it_says_its_version(installed):
    done = installed.run("memconform", "--version")
    assert (done.stdout, done.returncode) == (f"memconform {__version__}\n", 0), done.stderr


def test_every_kind_of_file_is_found_inside_the_package(installed):
    source = """
import json, sys, typing
from memconform import resources
kinds = typing.get_args(resources.Kind)
print(json.dumps({
    "checkout": str(resources.checkout()),
    "package": str(resources.PACKAGE),
    "found": {kind: str(resources.find(kind)) for kind in kinds},
    "files": {kind: len([p for p in resources.find(kind).rglob("*") if p.is_file()])
              for kind in kinds},
}))
"""
    told = json.loads(installed.python(source))
    assert told["checkout"] == "None"
    assert Path(told["package"]).is_relative_to(installed.bin.parent)
    assert sorted(told["found"]) == [
        *("conformance", "features", "fixtures", "notebooks", "openspec", "schemas"),
    ]
    for kind, folder in told["found"].items():
        assert folder == f"{told['package']}/_data/{kind}"
        assert told["files"][kind] > 0


def test_a_store_is_evaluated_with_what_the_wheel_brings(installed):
    places = "from memconform.resources import find; print(find('fixtures') / 'evaluation-v1')"
    shipped = Path(installed.python(places).strip())
    done = installed.run(
        *("memconform", "evaluate", "reference:filesystem", "--dataset", "anonymous-v1"),
        *("--gates", str(shipped / "gates.toml")),
        *("--terminology", str(shipped / "terminology.toml"), "--out", "evaluation"),
    )
    # The map answers a question that must stay unanswered, so one of the gates does not hold.
    assert done.returncode == 1, done.stdout + done.stderr
    assert "5 of 6 gates hold" in done.stdout
    page = (installed.folder / "evaluation" / "report.html").read_text(encoding="utf-8")
    assert "terminology-map" in page
    assert "</html>" in page
    shutil.rmtree(installed.folder / "evaluation")


def test_a_reference_store_is_certified_from_an_empty_folder(installed):
    done = installed.run(
        *("memconform", "certify", "reference:filesystem"),
        *("--profile", "abstention", "--out", "report"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = (installed.folder / "report/report.json").read_text(encoding="utf-8")
    report = json.loads(text)
    schemas = Path(
        installed.python("from memconform.resources import find; print(find('schemas'))").strip()
    )
    schema = json.loads((schemas / "report-1.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(report)
    (told,) = report["profiles"]
    assert (told["profile"], told["verdict"]) == ("abstention", "conformant")
    assert report["kit"] == __version__
    assert report["error"] is None
    assert report["collected"] == [result["id"] for result in report["results"]]
    assert str(ROOT) not in text
    # Nothing else was left where the user stood.
    assert [path.name for path in installed.folder.iterdir()] == ["report"]


def test_the_report_is_the_one_of_the_checkout(installed, tmp_path):
    """Installed or not, the same suite gives the same outcomes."""
    target = ("reference:filesystem", "--profile", "abstention", "--out")
    theirs = installed.run("memconform", "certify", *target, "report")
    ours = subprocess.run(
        [sys.executable, "-m", "memconform.cli", "certify", *target, tmp_path / "report"],
        cwd=tmp_path,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert (theirs.returncode, ours.returncode) == (0, 0)
    reports = [
        json.loads((folder / "report/report.json").read_text(encoding="utf-8"))
        for folder in (installed.folder, tmp_path)
    ]
    for report in reports:
        # The digest is of the times, too.
        del report["started"], report["seconds"], report["digest"]
        for result in report["results"]:
            del result["seconds"]
    assert reports[0] == reports[1]


def test_a_scenario_is_explained(installed):
    done = installed.run("memconform", "explain", "memory-core/a-hit-names-its-id-and-its-state")
    assert done.returncode == 0, done.stderr
    assert "A hit names its id and its state" in done.stdout
    assert "When" in done.stdout


def test_the_suite_is_a_pytest_run(installed):
    done = installed.run(
        *("python", "-m", "pytest", "-p", "no:cacheprovider", "--pyargs", "memconform.suite"),
        *("--memory-store", "reference:filesystem", "--memory-profile", "abstention"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout)
    assert list(installed.folder.iterdir()) == []


def test_a_real_system_is_certified_in_an_environment_that_the_wheel_makes(installed, tmp_path):
    done = installed.run(
        *("memconform", "certify", "mnemosyne-os#projects"),
        *("--scenario", "memory-core/a-hit-names-its-id-and-its-state"),
        MEMCONFORM_CACHE=str(tmp_path / "cache"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
    (made,) = (tmp_path / "cache/environments").iterdir()
    assert (made / "kit/memconform").resolve().is_relative_to(installed.bin.parent.resolve())
