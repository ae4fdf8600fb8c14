"""The notebooks as files: nothing that was left by running them, one cell of parameters, an end.

That they run is ``pytest --nbmake notebooks``, which is a part of ``make test``.
"""

import ast
import json
import re
from pathlib import Path

import pytest

from memconform.resources import find

nbformat = pytest.importorskip("nbformat", reason="the lab extra isn't installed")
nbstripout = pytest.importorskip("nbstripout", reason="nbstripout isn't installed")

NOTEBOOKS = sorted(find("notebooks").glob("*.ipynb"))
NAMES = [
    "01-from-query-to-prompt",
    "02-when-nothing-should-be-found",
    "03-choose-a-floor",
    "04-read-your-traces",
    "05-two-modes-one-answer",
    "06-certify-a-store",
    "07-is-it-better",
    "08-five-channels-one-order",
    "09-what-fits-the-budget",
    "10-may-this-claim-speak",
]
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path, kind: str):
    return [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == kind]


def sources(path: Path):
    """The Python of a notebook; lines that are IPython's own are left out."""
    for cell in cells(path, "code"):
        source = "".join(cell["source"])
        if source.startswith("%%"):
            continue
        yield re.sub(r"^(?:\w+ = )?%.*$", "", source, flags=re.MULTILINE)


def test_all_of_them_are_there():
    assert [path.stem for path in NOTEBOOKS] == NAMES


@each
def test_nothing_of_a_run_is_left(path):
    text = path.read_text()
    stripped = nbstripout.strip_output(
        nbformat.reads(text, as_version=4), keep_output=False, keep_count=False, keep_id=True
    )
    assert stripped == nbformat.reads(text, as_version=4)
    assert "widgets" not in json.loads(text)["metadata"]
    for cell in cells(path, "code"):
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


@each
def test_a_notebook_is_valid_and_its_cells_have_names(path):
    document = nbformat.read(path, as_version=4)
    nbformat.validate(document)
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    # Names and not random digits: a change of one cell is a difference of that cell alone.
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", id) for id in ids)


@each
def test_one_cell_holds_the_parameters(path):
    tagged = [c for c in cells(path, "code") if "parameters" in c["metadata"].get("tags", [])]
    (cell,) = tagged
    tree = ast.parse("".join(cell["source"]))
    assert tree.body
    assert all(isinstance(node, ast.Assign) for node in tree.body)


@each
def test_it_ends_in_something_that_a_reader_can_check(path):
    asserts = [
        n for s in sources(path) for n in ast.walk(ast.parse(s)) if isinstance(n, ast.Assert)
    ]
    assert len(asserts) >= 2
    assert any(
        "The end that you can check" in "".join(c["source"]) for c in cells(path, "markdown")
    )


@each
def test_the_logic_is_in_the_package(path):
    lines = [line for source in sources(path) for line in source.splitlines() if line.strip()]
    assert len(lines) <= 110
    assert not any(isinstance(n, ast.ClassDef) for s in sources(path) for n in ast.parse(s).body)


@each
def test_text_goes_before_code(path):
    first = json.loads(path.read_text())["cells"][0]
    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).startswith("# ")
    assert len(cells(path, "markdown")) >= 4
