"""``verify``: does what a report says follow from itself?"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from memconform import __version__
from memconform.cli.documents import VERIFY_SCHEMA, VerifyDocument, print_document
from memconform.cli.names import library
from memconform.cli.reports import one
from memconform.verdict import report_json
from memconform.verdict.layout import bullet, console, indented
from memconform.verdict.report_json import ReportError
from memconform.verdict.verify import NO_SIGNATURE, Verification, verify
from memconform.verdict.words import harmless, number

_SHOWN = 20  # findings shown; --json has all


def verify_file(path: Path) -> Verification:
    """Recompute the report in a file.

    Raises:
        ReportError: it can't be read, or isn't a report.
    """
    data = report_json.contents(path)
    try:
        return verify(data, library())
    except ReportError as error:
        raise ReportError(f"{path} isn't a report that can be verified: {error}") from error


def verify_one(path: Path, *, json: bool) -> int:
    """Recompute a report; 0 where it follows from itself, 1 where it doesn't."""
    file = one(path)
    told = verify_file(file)
    code = 0 if told.sound else 1
    if json:
        print_document(
            VerifyDocument(
                schema=VERIFY_SCHEMA,
                exit_code=code,
                sound=told.sound,
                verification=told,
                unproven=NO_SIGNATURE,
            )
        )
    else:
        _show(file, told, console())
    return code


def unsound(file: Path, told: Verification, so: str) -> int:
    """Say in one sentence why a report can't be used; the exit code for it."""
    left = len(told.findings) - 1
    more = f" ({number(left, 'finding')} more)" if left else ""
    sentence = (
        f"{file} does not follow from itself, so {so}: {told.findings[0].told.rstrip('.')}{more}. "
        f"memconform verify {shlex.quote(str(file))} tells all."
    )
    sys.stderr.write(f"memconform: {harmless(sentence)}\n")
    return 1


def _show(file: Path, told: Verification, out: Console) -> None:
    sign, style = ("✓", "bold green") if told.sound else ("✗", "bold red")
    says = "follows from itself" if told.sound else "does not follow from itself"
    name = harmless(str(file))
    out.print(Text.assemble((f"{sign} ", style), (name, "bold"), f" {says}"), soft_wrap=True)
    who = told.implementation
    called = f"{who.name} {who.version}, " if who else ""
    out.print(indented(Text(harmless(f"{called}{told.target}"), style="dim"), 2, below=1))
    for finding in told.findings[:_SHOWN]:
        out.print(indented(bullet(Text("✗", style="red"), Text(harmless(finding.told))), 2))
    if (left := len(told.findings) - _SHOWN) > 0:
        out.print(indented(Text(f"and {number(left, 'finding')} more; --json has all"), 4))
    for held in _held(told):
        out.print(indented(bullet(Text("✓", style="green"), Text(held)), 2))
    for note in told.notes:
        out.print(indented(bullet(Text("·", style="dim"), Text(harmless(note))), 2))
    out.print()
    out.print(Text(NO_SIGNATURE, style="dim"))


def _held(told: Verification) -> list[str]:
    """What was looked at and holds, a sentence each."""
    wrong = {finding.code for finding in told.findings}
    held = []
    if told.digest is not None and not wrong & {"digest", "twice"}:
        held.append("The digest is that of the contents.")
    if "contradiction" not in wrong:
        held.append(
            f"{number(told.results, 'result')}, one for each collected scenario; the counts are "
            "theirs, and none says anything against itself."
        )
    if told.suite_installed and not wrong & {"scenario", "missing-scenario"}:
        held.append("The scenarios are those of the installed suite, by id, title and keyword.")
    if not wrong & {"verdict", "reasons"}:
        held.append(f"The verdicts come out the same by the rules of version {__version__}.")
    return held
