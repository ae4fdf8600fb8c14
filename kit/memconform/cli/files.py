"""The files that ``--out`` writes and ``--baseline`` reads."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from memconform.cli.errors import Refusal
from memconform.model.report import Report
from memconform.targets import Target
from memconform.verdict import junit, report_json, summary


def writable(folder: Path) -> Path:
    """The folder, made where it isn't there, having shown that a file can be written to it.

    Found out before the run, because a run takes long.

    Raises:
        Refusal: it can't be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise Refusal(f"--out {folder} can't be written to: {error.strerror}.") from error


def write(report: Report, folder: Path) -> list[Path]:
    """Write one report in every format.

    Raises:
        Refusal: a file can't be written.
    """
    contents = {
        report_json.NAME: report_json.write(report),
        summary.NAME: summary.summary(report).encode(),
        junit.NAME: junit.junit(report),
    }
    return [written(folder / name, data) for name, data in contents.items()]


def write_summary(reports: Sequence[Report], folder: Path) -> Path:
    """Write one table over several reports.

    Raises:
        Refusal: the file can't be written.
    """
    return written(folder / summary.NAME, summary.summary_of_all(reports).encode())


def written(path: Path, data: bytes) -> Path:
    """Write a file, its folders made where they aren't there.

    Raises:
        Refusal: it can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise Refusal(f"{path} can't be written: {error.strerror}.") from error
    return path


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
