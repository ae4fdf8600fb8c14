"""``diagnose``: why isn't this memory in the answer?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from memconform.cli.documents import DIAGNOSE_SCHEMA, DiagnoseDocument, print_document
from memconform.cli.errors import Refusal, did_you_mean
from memconform.cli.names import known_targets
from memconform.evaluation.diagnosis import BadRecords, Diagnosis, diagnose, read_records
from memconform.model import RecordDraft
from memconform.protocol import StoreError
from memconform.verdict.layout import bullet, console
from memconform.verdict.words import harmless
from memconform.wire.errors import WireError

SAID = {
    "found": "It is in the answer.",
    "not-stored": "It is not stored, or not active.",
    "room": "It is found, but there was no room for it.",
    "smaller": "It is in the answer, but not whole.",
    "floor": "The relevance floor took it out.",
    "no-signal": "No signal leads from this question to it.",
    "unreachable": "It is stored, and nothing finds it.",
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    target: str
    records: Path
    query: str
    expected: str
    k: int
    budget: int | None
    wire: bool
    json: bool


def run(request: Request) -> int:
    """Find out and say so; 0 where the memory is in the answer whole, 1 where not.

    Raises:
        Refusal, UsageError: something can't be read or reached.
    """
    drafts = _records(request)
    keys = [draft.key or "" for draft in drafts]
    if request.expected not in keys:
        hint = did_you_mean(request.expected, keys)
        raise Refusal(f"No memory of {request.records} has the key {request.expected!r}.{hint}")
    found = _diagnosis(request, drafts)
    if request.json:
        print_document(
            DiagnoseDocument(
                schema=DIAGNOSE_SCHEMA,
                cause=found.cause,
                rank=found.rank,
                evidence=list(found.evidence),
                hint=found.hint,
            )
        )
    else:
        _show(found)
    return 0 if found.cause == "found" else 1


def _records(request: Request) -> list[RecordDraft]:
    try:
        with request.records.open(encoding="utf-8") as lines:
            return read_records(lines)
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(
            f"{request.records} can't be read: {getattr(error, 'strerror', None) or error}. Give a "
            "file with a memory a line, as JSON with key and content."
        ) from error
    except BadRecords as error:
        raise Refusal(f"In {request.records} {error}.") from error


def _diagnosis(request: Request, drafts: list[RecordDraft]) -> Diagnosis:
    (target,) = known_targets([request.target], wire=request.wire)
    connection = target.connect()
    try:
        return diagnose(
            connection,
            drafts,
            request.query,
            request.expected,
            k=request.k,
            budget=request.budget,
        )
    except StoreError as error:
        raise Refusal(f"{request.target} refused as {error.code}: {error.message}.") from error
    except WireError as error:
        raise Refusal(str(error)) from error
    finally:
        connection.close()


def _show(found: Diagnosis) -> None:
    out = console()
    mark = Text("✓", "green") if found.cause == "found" else Text("✗", "red")
    out.print(bullet(mark, Text(SAID[found.cause])))
    for sentence in found.evidence:
        out.print(bullet(Text("·"), Text(harmless(sentence))))
    if found.cause != "found":
        out.print()
        out.print(found.hint)
