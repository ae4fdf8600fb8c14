"""Implementations with a folder: manifests read, environments made by real pip, adapters run."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import os
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest

from memconform import resources
from memconform.targets import EnvironmentFailed, UsageError, folder, implementations, resolve
from memconform.targets.environment import Environment, default_cache

MANIFEST = """
name = "tiny-memory"
version = "1.0"
adapter = "adapter.py"
time_limit_s = 60

[environment]
packages = ["tiny-memory==1.0"]

[configurations.plain]
description = "as it comes"

[configurations.loud]
description = "with arguments and variables"
args = ["--shout", "a b"]
env = { TINY_MOOD = "merry" }
"""
ADAPTER = """
import os, sys
import memconform, tiny_memory
from memconform.model import recalled, created, done, hit, GetResult
from memconform.protocol import system

class Store:
    def close(self): pass
    def write(self, record): return created("1")
    def recall(self, query, access, limit): return recalled([hit("1", repr(said))])
    def forget(self, id, access): return done()
    def get(self, id, access): return GetResult(record=hit(id, "a"), namespace=None)

try:
    import pytest
    kit = "the kit's packages can be seen"
except ImportError:
    kit = "apart"
said = [sys.argv[1:], os.environ.get("TINY_MOOD"), os.path.basename(os.getcwd()), kit]
memconform.serve(system(lambda s: Store(), name="tiny", version=tiny_memory.VERSION))
"""


def wheel(folder: Path, name: str, version: str, tag: str, files: dict[str, bytes]) -> None:
    """A wheel by hand: files, metadata, and the record that pip checks them against."""
    info = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    rows = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}\n")
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(folder / f"{name}-{version}-{tag}.whl", "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The packages that pip may choose from: msgspec as it is installed here, and a tiny one."""
    place = tmp_path_factory.mktemp("wheels")
    wheel(place, "tiny_memory", "1.0", "py3-none-any", {"tiny_memory.py": b"VERSION = '1.0'\n"})
    installed = importlib.metadata.distribution("msgspec")
    tag = next(
        line.removeprefix("Tag: ")
        for line in (installed.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    )
    package = Path(msgspec.__file__).parent
    files = {
        f"msgspec/{path.relative_to(package)}": path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wheel(place, "msgspec", msgspec.__version__, tag, files)
    return place


@pytest.fixture
def offline(monkeypatch, wheels):
    """Pip finds what lies in the folder, and asks nobody."""
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A conformance folder with one implementation; returns that implementation's."""
    place = tmp_path / "conformance" / "implementations" / "tiny-memory"
    place.mkdir(parents=True)
    (place / "manifest.toml").write_text(MANIFEST)
    (place / "adapter.py").write_text(ADAPTER)
    monkeypatch.setattr(folder, "find", lambda kind: tmp_path / kind)
    monkeypatch.setenv("MEMCONFORM_CACHE", str(tmp_path / "cache"))
    return place


def test_a_folder_is_found_by_name_and_all_its_configurations_in_order(tiny):
    assert implementations() == {"tiny-memory": tiny}
    targets = resolve("tiny-memory")
    assert [t.name for t in targets] == ["tiny-memory#plain", "tiny-memory#loud"]
    assert [t.slug for t in targets] == ["tiny-memory-plain", "tiny-memory-loud"]
    assert {t.way for t in targets} == {"wire"}
    assert {t.time_limit_s for t in targets} == {60.0}
    assert [t.name for t in resolve("tiny-memory#loud")] == ["tiny-memory#loud"]


def test_a_single_configuration_needs_no_name_and_none_is_fine_too(tiny):
    text = MANIFEST.partition("[configurations.loud]")[0]
    (tiny / "manifest.toml").write_text(text)
    assert [t.name for t in resolve("tiny-memory")] == ["tiny-memory"]
    assert [t.name for t in resolve("tiny-memory#plain")] == ["tiny-memory"]
    (tiny / "manifest.toml").write_text(text.partition("[configurations")[0])
    (target,) = resolve("tiny-memory")
    assert (target.name, target.configuration) == ("tiny-memory", None)
    with pytest.raises(UsageError, match="no configuration 'plain'; there is tiny-memory alone"):
        resolve("tiny-memory#plain")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "tiny-memory"', "", "missing required field `name`"),
        ('version = "1.0"', "version = 1.0", "Expected `str`, got `float` - at `$.version`"),
        ('version = "1.0"', "version =", "can't be read"),
        ('version = "1.0"', 'version = "1.0"\ncolour = 1', "unknown field `colour`"),
        ("time_limit_s = 60", "time_limit_s = 0", "$.time_limit_s"),
        ("==1.0", ">=1.0", "must pin each package as name==version, not 'tiny-memory>=1.0'"),
        ("tiny-memory==1.0", "--index-url=x", "must pin each package"),
        ("tiny-memory==1.0", "a @ file:///b", "must pin each package"),
        ("==1.0", "==1.*", "must pin each package"),
        ("adapter.py", "nothing.py", "the adapter 'nothing.py', which isn't beside it"),
        ("adapter.py", "../../../outside.py", "which isn't beside it"),
        ("configurations.loud", 'configurations."../x"', "names a configuration '../x'"),
        ('description = "as it comes"', "", "missing required field `description`"),
    ],
)
def test_a_manifest_that_is_none(tiny, tmp_path, old, new, said):
    (tmp_path / "outside.py").touch()
    assert old in MANIFEST
    (tiny / "manifest.toml").write_text(MANIFEST.replace(old, new))
    with pytest.raises(UsageError) as caught:
        resolve("tiny-memory")
    assert said in str(caught.value)
    assert "manifest.toml" in str(caught.value)


def test_an_environment_is_made_once_and_the_adapter_runs_in_it(tiny, offline):
    plain, loud = resolve("tiny-memory")
    told: list[str] = []
    loud.prepare(told.append)
    assert told[0] == "making an environment for tiny-memory"
    assert told[-1] == "the environment for tiny-memory is ready"
    assert any(sentence.startswith("Installing collected packages") for sentence in told)
    plain.prepare(told.append)  # the same packages: the same environment
    assert told.count("making an environment for tiny-memory") == 1
    for target, said in (
        (plain, [["--configuration", "plain"], None, "tiny-memory", "apart"]),
        (loud, [["--configuration", "loud", "--shout", "a b"], "merry", "tiny-memory", "apart"]),
    ):
        connection = target.connect()
        assert connection.hello().version == "1.0"
        assert connection.open().recall("x").hits[0].content == repr(said)
        assert connection.close() is None
    made = plain.environment.folder
    assert [path.name for path in made.parent.iterdir()] == [made.name]
    link = made / "kit" / "memconform"
    assert link.readlink() == resources.PACKAGE
    assert list(link.parent.iterdir()) == [link]


def test_the_link_follows_the_kit_that_runs(tmp_path):
    environment = Environment("e", (), tmp_path)
    link = environment.folder / "kit" / "memconform"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "an older kit")
    environment.prepare()
    assert link.readlink() == resources.PACKAGE


def test_an_environment_that_fails_leaves_nothing_and_says_why(tiny, offline):
    text = MANIFEST.replace("tiny-memory==1.0", "no-such-package==9")
    (tiny / "manifest.toml").write_text(text)
    target = resolve("tiny-memory")[0]
    with pytest.raises(EnvironmentFailed, match="The environment for tiny-memory") as caught:
        target.connect()
    assert "No matching distribution found for no-such-package==9" in caught.value.evidence
    assert len(caught.value.evidence.splitlines()) <= 15
    assert caught.value.exit_code == 2
    assert isinstance(caught.value, UsageError)
    assert list(target.environment.cache.iterdir()) == []


def test_another_process_may_have_been_faster(tiny, tmp_path):
    environment = Environment("e", (), tmp_path)
    work = tmp_path / "work"
    for place in (work, environment.folder):
        place.mkdir()
        (place / place.name).touch()
    environment._publish(work)
    assert [path.name for path in environment.folder.iterdir()] == [environment.folder.name]


def test_another_set_of_packages_is_another_environment(tmp_path, monkeypatch):
    folders = {
        Environment("e", packages, tmp_path).folder for packages in ((), ("a==1",), ("a==2",))
    }
    monkeypatch.setattr("memconform.targets.environment.__version__", "99")
    folders.add(Environment("e", (), tmp_path).folder)
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    folders.add(Environment("e", (), tmp_path).folder)
    assert len(folders) == 5
    assert all(path.parent == tmp_path and path.name.startswith("e-") for path in folders)


def test_variables_are_the_users_without_the_kits_python(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", "/kit")
    monkeypatch.setenv("PYTHONSTARTUP", "/kit/start.py")
    monkeypatch.setenv("VIRTUAL_ENV", "/kit/venv")
    monkeypatch.setenv("LANGUAGE", "eo")
    environment = Environment("e", (), tmp_path)
    variables = environment.variables({"LANGUAGE": "fr", "MORE": "1"})
    assert variables["PYTHONPATH"] == str(environment.folder / "kit")
    assert "PYTHONSTARTUP" not in variables
    assert "VIRTUAL_ENV" not in variables
    assert (variables["LANGUAGE"], variables["MORE"]) == ("fr", "1")


def test_where_environments_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMCONFORM_CACHE", str(tmp_path))
    assert default_cache() == tmp_path / "environments"
    monkeypatch.delenv("MEMCONFORM_CACHE")
    root = resources.checkout()
    assert default_cache() == root / "build" / "environments"
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "memconform")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert default_cache() == tmp_path / "cache" / "memconform" / "environments"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache() == tmp_path / ".cache" / "memconform" / "environments"


def test_the_manifests_of_this_checkout_are_valid():
    for name in implementations():
        assert resolve(name)


def test_without_a_conformance_folder_there_are_no_implementations(monkeypatch, tmp_path):
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "memconform")
    assert implementations() == {}
