"""The files that ``--out`` writes and ``--baseline`` reads."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from memconform.cli.errors import Refusal
from memconform.model.report import Report
from memconform.targets import Target
from memconform.verdict import report_json


def writable(folder: Path, option: str = "--out") -> Path:
    """The folder, made where it isn't there, having shown that a file can be written to it.

    Found out before the run, because a run takes long.

    Args:
        folder: where to write.
        option: that names it.

    Raises:
        Refusal: it can't be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise Refusal(f"{option} {folder} can't be written to: {error.strerror}.") from error


def write(report: Report, folder: Path, suite: Path | None = None) -> list[Path]:
    """Write one report in every format, the one that holds everything first.

    Args:
        report: what was measured.
        folder: where to.
        suite: the folder of the suite that was run, where it isn't the kit's own.

    Raises:
        Refusal: a file can't be written.
    """
    # What makes them is loaded only where somebody wants them.
    from memconform.suite import location
    from memconform.verdict import badge, earl, junit, messages, page, summary

    folders = location.installed() if suite is None else location.at(suite)
    library = folders.library(())
    makers: dict[str, Callable[[], bytes]] = {
        report_json.NAME: lambda: report_json.write(report),
        page.NAME: lambda: page.page(report, library.requirements, digest=library.digest).encode(),
        summary.NAME: lambda: summary.summary(report).encode(),
        junit.NAME: lambda: junit.junit(report),
        messages.NAME: lambda: messages.messages(report, folders.features),
        earl.NAME: lambda: earl.earl(report),
        badge.NAME: lambda: badge.badge(report),
    }
    return [written(folder / name, make()) for name, make in makers.items()]


def write_all(reports: Sequence[tuple[str, Report]], folder: Path) -> list[Path]:
    """Write one table over several reports, as a page and for a CI.

    Args:
        reports: each with the name of its own folder in this one.
        folder: where to.

    Raises:
        Refusal: a file can't be written.
    """
    from memconform.verdict import page, summary

    table = summary.summary_of_all([report for _, report in reports])
    return [
        written(folder / page.NAME, page.page_of_all(reports).encode()),
        written(folder / summary.NAME, table.encode()),
    ]


def written(path: Path, data: bytes) -> Path:
    """Write a file whole or not at all, its folders made where they aren't there.

    A disk that is full must not cost the report that was there, which may be the baseline.

    Raises:
        Refusal: it can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a device, which isn't to be replaced
            path.write_bytes(data)
        else:
            _replaced(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise Refusal(f"{path} can't be written: {error.strerror}.") from error
    return path


def _replaced(path: Path, data: bytes) -> None:
    part = path.with_name(f".memconform-{os.getpid()}.part")
    try:
        part.write_bytes(data)
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def baselines(path: Path, targets: Sequence[Target]) -> dict[str, Report]:
    """The older reports to hold these targets against, by TARGET string.

    Args:
        path: a report of the only target; or a folder with ``<slug>/report.json``, and for an
            only target ``report.json`` itself.
        targets: what is going to be measured; those without a baseline are left out.

    Raises:
        Refusal: there is no such path, or it is one report and there are several targets.
        ReportError: a report can't be read or relied on.
    """
    if not path.exists():
        raise Refusal(f"--baseline {path} isn't there.")
    if path.is_dir():
        return {
            target.name: report_json.load(file)
            for target in targets
            if (file := _in_folder(path, target, alone=len(targets) == 1)) is not None
        }
    if len(targets) > 1:
        raise Refusal(
            f"--baseline {path} is one report and there are {len(targets)} targets; "
            "name a folder that holds SLUG/report.json for each."
        )
    return {targets[0].name: report_json.load(path)}


def _in_folder(folder: Path, target: Target, *, alone: bool) -> Path | None:
    places = [folder / target.slug / report_json.NAME]
    if alone:
        places.append(folder / report_json.NAME)
    return next((place for place in places if place.exists()), None)
