"""``badge``: words about a report that verifies, for shields.io or as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

from memconform.cli.errors import Refusal
from memconform.cli.files import written
from memconform.cli.names import known_profiles
from memconform.cli.reports import one
from memconform.cli.verify import unsound, verify_file
from memconform.model.report import Report
from memconform.verdict import report_json
from memconform.verdict.badge import badge, picture
from memconform.verdict.words import harmless, listed


def badge_one(path: Path, *, profile: str | None, out: Path | None, svg: bool) -> int:
    """Print or write a badge; 1 where the report doesn't follow from itself, and so gets none."""
    if profile is not None:
        known_profiles([profile])
    file = one(path)
    told = verify_file(file)
    if not told.sound:
        return unsound(file, told, "it gets no badge")
    report = report_json.load(file)
    _there(report, profile, file)
    data = (picture if svg else badge)(report, profile)
    if out is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        written(out, data)
        sys.stdout.write(f"{harmless(str(out))}\n")
    return 0


def _there(report: Report, profile: str | None, file: Path) -> None:
    judged = [each.profile for each in report.profiles]
    if profile is not None and profile not in judged:
        raise Refusal(f"{file} says nothing of {profile}; it judges {listed(judged) or 'nothing'}.")
