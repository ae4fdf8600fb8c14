"""What is measured and what comes of it: the types of ``recall.json``."""

from __future__ import annotations

from typing import Literal

import msgspec
from rereading import Rereading

SCHEMA = "memconform-bench-recall-1"
OURS = "reference:hybrid"
FILES = "reference:filesystem"
FUSION = "reference:fusion"
THEIRS = "mnemosyne-os#namespaces"

Kind = Literal["short", "long"]
KINDS: tuple[Kind, ...] = ("short", "long")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured.

    Attributes:
        sizes: numbers of records, and who is asked at each.
        rounds: turns of each store.
        reread: records and questions of the comparison with reading every file.
    """

    seed: int
    rounds: int
    sizes: dict[int, list[str]]
    reread: tuple[int, int]


FULL = Plan(
    seed=1,
    rounds=12,
    sizes={
        1_000: [OURS, FILES, FUSION, THEIRS],
        10_000: [OURS, FILES, FUSION, THEIRS],
        100_000: [OURS],
    },
    reread=(10_000, 12),
)
QUICK = Plan(
    seed=1,
    rounds=2,
    sizes={200: [OURS, FILES, FUSION, THEIRS], 1_000: [OURS]},
    reread=(200, 2),
)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One store at one size, asked one kind of question.

    Attributes:
        p50_ms: median of questions in a row, and ``p95_ms`` their 95th percentile.
        pause_ms: median of questions after a pause; null where this kind was never asked first.
        times: how many times longer it takes than the hybrid store of that size, in a row.
        times_pause: the same after a pause.
        found: share of the questions whose memory is among the hits.
    """

    target: str
    records: int
    kind: Kind
    asked: int
    p50_ms: float
    p95_ms: float
    pause_ms: float | None
    times: float | None
    times_pause: float | None
    found: float


class System(msgspec.Struct, frozen=True, kw_only=True):
    """A store that took part, and what came before it was measured."""

    target: str
    version: str
    records: int
    filled_by: str
    fill_s: float
    first_answer_ms: float


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where it was measured; the load is the average of the last minute, before and after."""

    cores: int
    system: str
    python: str
    sqlite: str
    load: tuple[float, float]


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """What the project wants to hold, and what was measured."""

    claim: str
    measured: float
    held: bool


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """The document ``recall.json``."""

    schema: str
    plan: Plan
    machine: Machine
    systems: list[System]
    rows: list[Row]
    slopes: dict[Kind, float]
    reread: Rereading
    goals: list[Goal]
