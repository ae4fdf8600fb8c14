"""The house: a room of the package imports only rooms above it in this list."""

import ast
from pathlib import Path

import memconform

PACKAGE = Path(memconform.__file__).parent
ROOMS = (
    "model",
    "protocol",
    "retrieval",
    "fusion",
    "authority",
    "reference",
    "faults",
    "wire",
    "targets",
    "spec",
    "suite",
    "verdict",
    "fuzz",
    "evaluation",
    "traces",
    "sweep",
    "workbench",
    "cli",
)


def imported(path: Path) -> set[str]:
    """The rooms that a module imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in names if name.startswith("memconform.")]
    return {part[1] for part in parts} & set(ROOMS)


def modules(room: str) -> list[Path]:
    return [p for p in (PACKAGE / room).rglob("*.py") if "templates" not in p.parts]


def test_every_folder_is_a_room():
    folders = {p.parent.relative_to(PACKAGE).parts[0] for p in PACKAGE.glob("*/__init__.py")}
    assert folders - set(ROOMS) == set()
    assert len(folders) > 5


def test_a_room_imports_only_rooms_above_it():
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {other}"
        for place, room in enumerate(ROOMS)
        for path in modules(room)
        for other in imported(path)
        if ROOMS.index(other) > place
    ]
    assert wrong == []


def test_only_the_rooms_that_may_speak_sql_or_pytest_do():
    for library, allowed in (("sqlite3", {"reference"}), ("pytest", {"suite"})):
        users = {
            room
            for room in ROOMS
            for path in modules(room)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if (isinstance(node, ast.Import) and library in {a.name for a in node.names})
            or (isinstance(node, ast.ImportFrom) and node.module == library)
        }
        assert users == allowed, library
