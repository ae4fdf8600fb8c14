"""A frozen result, to be compared with: a report of an earlier run, or evidence.

Only what was selected is taken from it; it is judged again by the dataset, so that both sides are
judged alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from memconform.evaluation.dataset import Dataset, Split
from memconform.evaluation.report import EVIDENCE_SCHEMA, SCHEMA, DatasetUsed
from memconform.evaluation.scorers import FoundationScores, Judged
from memconform.model import RelevanceMode


class FrozenError(Exception):
    """The result can't be compared with; the message is one sentence that says why."""


class _Who(msgspec.Struct):
    target: str


class _Query(msgspec.Struct, rename="camel"):
    id: str
    selected_ids: list[str]


class _Frozen(msgspec.Struct, rename="camel"):
    """What reports and evidence have in common, as far as it is needed here."""

    schema: str
    dataset: DatasetUsed
    gate: RelevanceMode
    k: int
    foundation: FoundationScores
    queries: list[_Query]
    evaluated: _Who | None = None


@dataclass(frozen=True)
class Frozen:
    """A result that was read.

    Attributes:
        name: the target, or ``evidence``, and the gate.
        characters: of all contents selected.
    """

    name: str
    judged: tuple[Judged, ...]
    characters: int


def load(path: Path, dataset: Dataset, split: Split, k: int) -> Frozen:
    """Read a frozen result of the same queries.

    Raises:
        FrozenError: it isn't there, is no result, or is one of other queries or another k.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FrozenError(f"The baseline {path} can't be read: {error.strerror}.") from error
    try:
        found = msgspec.json.decode(data, type=_Frozen)
    except msgspec.DecodeError as error:
        raise FrozenError(
            f"The baseline {path} is neither a report nor evidence: {error}."
        ) from error
    if found.schema not in (SCHEMA, EVIDENCE_SCHEMA):
        raise FrozenError(
            f"The baseline {path} has the schema {found.schema!r}; "
            f"this kit reads {SCHEMA} and {EVIDENCE_SCHEMA}."
        )
    if found.dataset.digest != dataset.digest:
        raise FrozenError(f"The baseline {path} was measured on another dataset.")
    if (found.dataset.split, found.k) != (split, k):
        raise FrozenError(
            f"The baseline {path} was measured on {found.dataset.split} with K {found.k}, "
            f"not on {split} with K {k}."
        )
    queries = dataset.split(split)
    selected = {query.id: tuple(query.selected_ids) for query in found.queries}
    if selected.keys() != {query.id for query in queries}:
        raise FrozenError(f"The baseline {path} does not have the queries of its dataset.")
    judged = tuple(Judged(q, selected[q.id], dataset.standing(q)) for q in queries)
    who = "evidence" if found.evaluated is None else found.evaluated.target
    return Frozen(f"{who} ({found.gate})", judged, found.foundation.selected_characters)
