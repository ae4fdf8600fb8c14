"""What a TARGET string means, and what is said of one that means nothing."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from memconform import resources
from memconform.targets import UsageError, resolve
from memconform.targets.base import slug
from memconform.wire import BadMessage, StartFailed

TESTS = Path(__file__).parent
TINY = "python:drivers.tiny_store:factory"


def one(text, **more):
    (target,) = resolve(text, **more)
    return target


@pytest.mark.parametrize("wire", [False, True])
@pytest.mark.parametrize("name", ["reference:filesystem", "reference:hybrid", TINY])
def test_what_can_be_imported_goes_both_ways(name, wire):
    target = one(name, wire=wire)
    assert target.name == name
    assert target.way == ("wire" if wire else "in-process")
    assert target.time_limit_s > 0
    target.prepare()


@pytest.mark.parametrize("wire", [False, True])
@pytest.mark.parametrize("name", ["factory", "ready", "TinySystem"])
def test_a_python_target_is_connected_to(name, wire, monkeypatch):
    monkeypatch.chdir(TESTS)
    connection = one(f"python:drivers.tiny_store:{name}", wire=wire).connect()
    assert connection.hello().name == "tiny"
    assert connection.way == ("wire" if wire else "in-process")
    assert connection.open().recall("x").hits == []
    connection.close()


def test_a_stdio_target_is_connected_to():
    command = shlex.join([sys.executable, str(TESTS / "drivers" / "hostile.py"), "no_sin"])
    for wire in (False, True):  # it has no other way
        target = one(f"stdio:{command}", wire=wire)
        assert (target.way, target.name) == ("wire", f"stdio:{command}")
        connection = target.connect()
        assert connection.hello().name == "hostile"
        assert connection.close() is None


def test_a_stdio_command_is_no_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    target = one("stdio:echo 'a b' $HOME; touch here")
    assert target.argv == ("echo", "a b", "$HOME;", "touch", "here")
    with pytest.raises(BadMessage, match="it is no JSON"):
        target.connect().hello()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no target ''"),
        ("dream", "no target 'dream'"),
        ("dream#x", "no target 'dream#x'"),
        ("../wire", "no target '../wire'"),
        ("dream:x", "no target 'dream:x'"),
        ("reference", "no target 'reference'"),
        ("reference:", "no reference store ''; there are reference:filesystem, reference:hybrid"),
        ("reference:dream", "no reference store 'dream'"),
        ("python:", "names no factory; write python:package.module:factory"),
        ("python:package.module", "names no factory"),
        ("python:package..module:f", "names no factory"),
        ("python:package:a.b", "names no factory"),
        ("stdio:", "names no command"),
        ("stdio:  ", "names no command"),
        ("stdio:a 'b", "can't be cut into words: No closing quotation"),
        ("mcp:", "names no mapping; write mcp:FILE.toml"),
        ("mcp:server.toml", "server.toml can't be read: No such file or directory"),
    ],
)
def test_what_is_no_target(text, said):
    with pytest.raises(UsageError) as caught:
        resolve(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_an_unknown_target_lists_what_there_is():
    with pytest.raises(UsageError) as caught:
        resolve("dream")
    for there in ("reference:filesystem", "reference:hybrid", "python:", "stdio:"):
        assert there in str(caught.value)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("drivers.nothing:factory", "drivers.nothing can't be imported: ModuleNotFoundError"),
        ("drivers.broken_module:factory", "can't be imported: ZeroDivisionError: at import"),
        ("drivers.tiny_store:dream", "has no 'dream'; it has "),
        ("drivers.tiny_store:NUMBER", "is a int, neither a System nor a factory"),
        ("drivers.tiny_store:Shelf", "gave a Shelf, which is no System"),
        ("drivers.tiny_store:gives_a_class", "gave a type, which is no System"),
        ("drivers.tiny_store:raises", "raised ValueError: no model"),
        ("drivers.tiny_store:TinyStore", "raised TypeError"),
    ],
)
def test_a_factory_that_gives_nothing(path, said, monkeypatch):
    monkeypatch.chdir(TESTS)
    target = one(f"python:{path}")
    with pytest.raises(UsageError, match="drivers") as caught:
        target.connect()
    assert said in str(caught.value)
    over_the_wire = one(f"python:{path}", wire=True).connect()
    with pytest.raises(StartFailed) as failed:
        over_the_wire.hello()
    assert said in failed.value.evidence


# --- names of folders ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reference:filesystem", "reference-filesystem"),
        ("mnemosyne-os", "mnemosyne-os"),
        ("mnemosyne-os#projects", "mnemosyne-os-projects"),
        ("python:package.module:factory", "python-package.module-factory"),
    ],
)
def test_plain_names_stay_readable(name, expected):
    assert slug(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "stdio:../../etc/passwd",
        "stdio:node a.js",
        "stdio:node  a.js",
        "stdio:node A.js",
        "stdio:" + "x" * 500,
        "stdio:" + "x" * 501,
        "stdio:..",
        "stdio:caf\u00e9",
        "stdio:\udc80",
        "stdio:\n\x00",
        "stdio:.hidden",
    ],
)
def test_any_name_gives_a_safe_folder(name):
    given = slug(name)
    assert given.startswith("stdio-")
    assert len(given) <= 80
    assert set(given) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")


def test_different_targets_have_different_folders():
    names = ["stdio:a b", "stdio:a-b", "stdio:A-b", "stdio:a  b", "stdio:a/b", "stdio:a_b"]
    assert len({slug(name) for name in names}) == len(names)


# --- where files are -----------------------------------------------------------------------------


def test_files_are_found_in_a_checkout():
    root = resources.checkout()
    assert root is not None
    assert (resources.find("features"), resources.find("openspec")) == (
        root / "features",
        root / "docs" / "openspec",
    )
    with pytest.raises(ValueError, match="no kind of files 'dream'"):
        resources.find("dream")


def test_files_are_found_in_a_wheel(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "memconform"
    (package / "_data" / "features").mkdir(parents=True)
    # Another project around the installed package has a pyproject.toml and features of its own.
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "features").mkdir()
    monkeypatch.setattr(resources, "PACKAGE", package)
    assert resources.checkout() is None
    assert resources.find("features") == package / "_data" / "features"
    with pytest.raises(FileNotFoundError, match="install memconform again"):
        resources.find("fixtures")


def test_the_wheel_is_told_to_ship_every_kind():
    import tomllib

    root = resources.checkout()
    build = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    shipped = build["targets"]["wheel"]["force-include"]
    for kind, folder in resources._IN_CHECKOUT.items():
        # Of conformance the implementations are shipped, their reports are not.
        below = "/implementations" if kind == "conformance" else ""
        assert shipped[folder + below] == f"memconform/_data/{kind}{below}"
