"""report.json: the report as it is kept. Written in one way only, read back with every check."""

from __future__ import annotations

from pathlib import Path

import msgspec

from memconform.model.report import REPORT_SCHEMA, Report
from memconform.verdict.consistency import contradictions, repeated
from memconform.verdict.judge import counts
from memconform.verdict.words import harmless, listed, shortened

NAME = "report.json"
LONGEST = 300  # characters of one finding: a report may hold any text


class ReportError(ValueError):
    """A report can't be read, or isn't one; the message is a sentence for people."""


def write(report: Report) -> bytes:
    """The report as JSON: fields in the order of the type, free keys sorted, text as it is.

    A result a line, so that a comparison of two files shows the scenarios that differ.
    """
    head = msgspec.structs.replace(report, results=[])
    whole = msgspec.json.format(msgspec.json.encode(head, order="deterministic"), indent=1)
    lines = [msgspec.json.encode(each, order="deterministic") for each in report.results]
    if not lines:
        return whole + b"\n"
    results = b'"results": [\n  ' + b",\n  ".join(lines) + b"\n ]"
    before, empty, after = whole.rpartition(b'"results": []')
    assert empty, "the only field of this name, after every text of the implementation's"
    return before + results + after + b"\n"


def schema() -> dict[str, object]:
    """The JSON Schema of report.json."""
    return msgspec.json.schema(Report)


def load(path: Path) -> Report:
    """Read a report from a file.

    Raises:
        ReportError: there is no such file, or what it holds isn't a sound report.
    """
    data = contents(path)
    try:
        return read(data)
    except ReportError as error:
        raise ReportError(f"{path} isn't a report to rely on: {error}") from error


def contents(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        ReportError: there is no such file, or it can't be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ReportError(f"{path} can't be read: {error.strerror}.") from error


def read(data: bytes) -> Report:
    """Read a report and check everything that its type can't say.

    Raises:
        ReportError: it is cut off, of another schema, or says something against itself.
    """
    report = decode(data)
    if found := findings(report):
        more = f" ({len(found) - 1} more of the kind)" if len(found) > 1 else ""
        raise ReportError(f"{shortened(harmless(found[0]), LONGEST)}{more}.")
    return report


def decode(data: bytes) -> Report:
    """A report as it stands there, whatever it says against itself.

    Raises:
        ReportError: it is cut off, or of another schema.
    """
    if not data.strip():
        raise ReportError("it is empty.")
    try:
        report = msgspec.json.decode(data, type=Report, strict=True)
    except msgspec.ValidationError as error:
        raise ReportError(f"it has another shape: {_told(error)}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ReportError(f"it is no whole JSON document: {_told(error)}.") from error
    except RecursionError as error:
        raise ReportError("what it holds is nested too deeply to be read.") from error
    if report.schema != REPORT_SCHEMA:
        told = shortened(harmless(report.schema), 60)
        raise ReportError(f"its schema is {told!r}, and this version reads {REPORT_SCHEMA!r}.")
    return report


def findings(report: Report) -> list[str]:
    """What a report says against itself; empty for a sound one."""
    found = []
    if report.repeat < 1:
        found.append(f"it tells of {report.repeat:,} runs, and a report is of one at least")
    if twice := repeated(report.collected):
        found.append(f"{listed(twice)} is collected more than once")
    ids = [result.id for result in report.results]
    if twice := repeated(ids):
        found.append(f"{listed(twice)} has more than one result")
    if lost := [id for id in report.collected if id not in set(ids)]:
        found.append(f"{listed(lost)} was collected and has no result")
    if strange := [id for id in ids if id not in set(report.collected)]:
        found.append(f"{listed(strange)} has a result and was not collected")
    if not found and ids != report.collected:
        found.append("the results stand in another order than the collected scenarios")
    declared = report.implementation.capabilities if report.implementation else []
    for result in report.results:
        found += [f"{result.id} {told}" for told in contradictions(result, declared)]
    return found + _profile_findings(report)


def _profile_findings(report: Report) -> list[str]:
    found = []
    names = [verdict.profile for verdict in report.profiles]
    if twice := repeated(names):
        found.append(f"{listed(twice)} has more than one verdict")
    if without := sorted({result.profile for result in report.results} - set(names)):
        found.append(f"{listed(without)} has results and no verdict")
    for verdict in report.profiles:
        own = [result for result in report.results if result.profile == verdict.profile]
        for told, kept, must in (
            ("MUST", verdict.counts, True),
            ("SHOULD", verdict.should_counts, False),
        ):
            counted = counts(result for result in own if result.must is must)
            # An outcome that an older version didn't know is left out there: none had it.
            said = {name: kept.get(name, 0) for name in {**counted, **kept}}
            if wrong := [name for name in said if said[name] != counted.get(name)]:
                figures = [
                    f"{said[name]} {name} instead of {counted.get(name, 0)}" for name in wrong
                ]
                found.append(
                    f"the {told} counts of {verdict.profile} aren't those of its results: "
                    f"{listed(figures)}"
                )
    return found


def _told(error: Exception) -> str:
    return shortened(harmless(str(error)), 200).rstrip(".")
