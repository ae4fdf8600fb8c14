"""Reports as commands take them: a file, or a folder that certify has filled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memconform.cli.errors import Refusal
from memconform.verdict.report_json import NAME, ReportError


def one(path: Path) -> Path:
    """The file of one report: the path itself, or ``report.json`` in that folder.

    Raises:
        Refusal: it is a folder without one.
        ReportError: there is no such path.
    """
    if not _folder(path):
        return path
    if (path / NAME).is_file():
        return path / NAME
    several = _below(path)
    hint = f"; name one of its {len(several)} folders that do" if several else ""
    raise Refusal(f"{path} holds no {NAME}{hint}.")


def many(path: Path) -> bool:
    """Whether a path is a folder of folders with reports, not the folder of a single one.

    Raises:
        ReportError: there is no such path.
    """
    return _folder(path) and not (path / NAME).is_file()


def below(folder: Path) -> dict[str, Path]:
    """The reports of a folder by the name of theirs, sorted; its own, if it has one, by ``""``.

    Raises:
        Refusal: there is none.
    """
    own = {"": folder / NAME} if (folder / NAME).is_file() else {}
    found = own | _below(folder)
    if not found:
        raise Refusal(f"{folder} holds neither {NAME} nor SLUG/{NAME}.")
    return found


def walked(paths: Sequence[Path]) -> list[Path]:
    """The files of all reports: those named, and those of folders, each once, in order.

    Raises:
        Refusal: a folder holds none.
        ReportError: there is no such path.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for file in below(path).values() if _folder(path) else [path]:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _folder(path: Path) -> bool:
    """Whether a path is a folder.

    Raises:
        ReportError: there is no such path.
    """
    try:
        if path.exists():
            return path.is_dir()
    except OSError as error:  # such as a name that is too long
        raise ReportError(f"{path} can't be read: {error.strerror}.") from error
    raise ReportError(f"{path} isn't there.")


def _below(folder: Path) -> dict[str, Path]:
    return {file.parent.name: file for file in sorted(folder.glob(f"*/{NAME}")) if file.is_file()}
