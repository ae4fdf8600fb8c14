"""Go or no-go, by gates that were declared beforehand in a file.

A figure that was looked at first can be talked into being good enough. So what decides is written
down before: which figure, of which queries, against which threshold. The digest of the file goes
into the report and into the lock, and the holdout opens to no other file than the lock names.

A gate looks at a figure itself or, with ``against``, at what was gained on another contender; at
the figure or at an end of its interval. Figures and thresholds are exact fractions, so that 0.6 is
0.6. Times are no figure here: they differ from run to run.

A gate whose queries failed, or that has none, is not measured, and what is not measured is no go.
"""

from __future__ import annotations

import operator
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import msgspec

from memconform.evaluation import bootstrap
from memconform.evaluation.dataset import Category, Language, Query, Split
from memconform.evaluation.report import (
    GATES_SCHEMA,
    Bound,
    FailedQuery,
    GateOutcome,
    GateResult,
    GatesDecided,
    MetricName,
    Relation,
    digest,
)
from memconform.evaluation.scorers import (
    Behind,
    ExplicitForbidden,
    FalsePositives,
    Forbidden,
    Judged,
    Measure,
    Precision,
    Recall,
    ReciprocalRank,
    Silence,
    Unknown,
    three_decimals,
)
from memconform.model.base import Request
from memconform.verdict.words import number

THIS = "this"  # the evaluated store among the contenders
MOST_BYTES = 1 << 20


class GatesError(Exception):
    """The gates can't be used; the message is one sentence that says why."""


# --- the file ------------------------------------------------------------------------------------


class Gate(Request, frozen=True, kw_only=True):
    """One gate.

    Attributes:
        name: what it is for, in words; each has another.
        metric: which figure.
        comparison: how it must stand to the threshold.
        threshold: a number.
        on: the figure itself, or the lower or upper end of its interval.
        of: the contender whose figure it is; ``this`` is the evaluated store.
        against: the contender that the difference is taken to; without one, the figure itself.
        split: the queries that it is for; without one, of either.
        language: only the queries in it.
        category: only the queries of it.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    metric: MetricName
    comparison: Relation
    threshold: Decimal
    on: Bound = "value"
    of: str = THIS
    against: str | None = None
    split: Split | None = None
    language: Language | None = None
    category: Category | None = None


class _File(Request, frozen=True, kw_only=True):
    schema: str
    gates: Annotated[tuple[Gate, ...], msgspec.Meta(min_length=1)]
    k: Annotated[int, msgspec.Meta(ge=1)] | None = None


class _Version(msgspec.Struct):
    schema: Any = None


@dataclass(frozen=True)
class Gates:
    """Gates as they were declared.

    Attributes:
        k: how many records they expect to be asked for; None where any number will do.
        digest: SHA-256 of the file.
    """

    gates: tuple[Gate, ...]
    k: int | None
    digest: str


def load(path: Path) -> Gates:
    """Read gates.

    Raises:
        GatesError: the file isn't there, or anything about it is wrong.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise GatesError(f"The gates {path} can't be read: {error.strerror}.") from error
    if len(data) > MOST_BYTES:
        raise GatesError(f"{path} is larger than {MOST_BYTES:,} bytes; gates are a short file.")
    try:
        # Decimal, so that a threshold is the number that was written.
        plain = tomllib.loads(data.decode("utf-8"), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GatesError(f"{path} is no TOML: {error}.") from error
    version = msgspec.convert(plain, _Version).schema
    if version != GATES_SCHEMA:
        raise GatesError(f"{path} has the schema {version!r}; this kit reads {GATES_SCHEMA!r}.")
    try:
        declared = msgspec.convert(plain, _File, strict=True)
    except msgspec.ValidationError as error:
        raise GatesError(f"{path} does not declare gates: {error}.") from error
    for gate in declared.gates:
        _check(gate, path)
    names = [gate.name for gate in declared.gates]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GatesError(f"{path} declares two gates of the name {twice!r}.")
    return Gates(declared.gates, declared.k, digest(data))


def _check(gate: Gate, path: Path) -> None:
    if not gate.threshold.is_finite():
        raise GatesError(f"The gate {gate.name!r} in {path} has no finite threshold.")
    if gate.of == gate.against:
        raise GatesError(
            f"The gate {gate.name!r} in {path} compares {gate.of!r} with itself; "
            "leave against out for the figure itself."
        )
    if gate.metric == "left-out-records" and (
        gate.on != "value" or gate.of != THIS or any((gate.against, gate.language, gate.category))
    ):
        raise GatesError(
            f"The gate {gate.name!r} in {path} is on left-out-records, which are of the whole "
            "store: it takes a comparison, a threshold and a split, and nothing else."
        )


def fitting(gates: Gates, *, split: Split, k: int, contenders: Iterable[str]) -> None:
    """See that gates can be decided by a run, before it is made.

    Args:
        gates: as they were declared.
        split: whose queries are going to be asked.
        k: how many records are going to be asked for.
        contenders: the names of all that will have figures; ``this`` need not be among them.

    Raises:
        GatesError: they can't.
    """
    known = [THIS, *contenders]
    if gates.k not in (None, k):
        raise GatesError(f"The gates are declared for K {gates.k}, not {k}.")
    for gate in gates.gates:
        for name in (gate.of, gate.against):
            if name is not None and name not in known:
                raise GatesError(
                    f"The gate {gate.name!r} names the contender {name!r}; this run has "
                    f"{', '.join(known)}."
                )
    if all(gate.split not in (None, split) for gate in gates.gates):
        raise GatesError(f"None of the gates is for {split}, so nothing would be decided.")


# --- the decision --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """What a contender did with the queries of a split.

    Attributes:
        failed: the queries that it came to no answer of.
        left_out: how many of the records it does not have.
    """

    judged: Sequence[Judged]
    failed: Sequence[FailedQuery] = ()
    left_out: int = 0


_COMPARE: Mapping[Relation, Callable[[Fraction, Fraction], bool]] = {
    "==": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_MEANS: Mapping[str, Callable[[int], Measure]] = {
    "recall": Recall,
    "precision": Precision,
    "mrr": ReciprocalRank,
    "abstention": lambda k: Silence(),
}
_COUNTS: Mapping[str, Measure] = {
    "false-positive-selections": FalsePositives(),
    "explicit-forbidden-selections": ExplicitForbidden(),
    "forbidden-selections": Forbidden(),
    "scope-leaks": Behind("out-of-scope"),
    "lifecycle-leaks": Behind("inactive"),
    "authority-violations": Behind("directive"),
    "unknown-selections": Unknown(),
}


def decide(
    gates: Gates, sides: Mapping[str, Side], *, split: Split, k: int, seed: int, safe: bool
) -> GatesDecided:
    """Hold every gate against what was measured.

    Args:
        gates: that fit the run.
        sides: by the name of the contender; ``this`` is among them.
        split: whose queries were asked.
        k: how many of a selection count for quality.
        seed: of the bootstrap.
        safe: whether no error of safety occurred; one is no go, whatever the gates say.
    """
    results = [_result(gate, sides, split=split, k=k, seed=seed) for gate in gates.gates]
    held = all(result.outcome in ("go", "other-split") for result in results)
    return GatesDecided(
        digest=gates.digest,
        go=held and safe and not sides[THIS].failed,
        results=results,
    )


def _result(
    gate: Gate, sides: Mapping[str, Side], *, split: Split, k: int, seed: int
) -> GateResult:
    threshold = Fraction(gate.threshold)
    figure: Fraction | None = None
    queries = 0
    why: str | None = None
    outcome: GateOutcome = "other-split"
    if gate.split in (None, split):
        figure, queries, why = _figure(gate, sides, k, seed)
        if figure is None:
            outcome = "not-measured"
        else:
            outcome = "go" if _COMPARE[gate.comparison](figure, threshold) else "no-go"
    return GateResult(
        name=gate.name,
        metric=gate.metric,
        on=gate.on,
        of=gate.of,
        against=gate.against,
        split=gate.split,
        language=gate.language,
        category=gate.category,
        comparison=gate.comparison,
        threshold=float(threshold),
        figure=None if figure is None else float(figure),
        queries=queries,
        outcome=outcome,
        why=why,
    )


def _figure(
    gate: Gate, sides: Mapping[str, Side], k: int, seed: int
) -> tuple[Fraction | None, int, str | None]:
    """The figure, over how many queries, and why there is none."""
    if gate.metric == "left-out-records":
        return Fraction(sides[gate.of].left_out), 0, None
    names = [gate.of] if gate.against is None else [gate.of, gate.against]
    for name in names:
        failed = sum(_meant(gate, each) for each in sides[name].failed)
        if failed:
            return None, 0, f"{number(failed, 'query', 'queries')} of {name} failed"
    counts = gate.metric in _COUNTS
    measure = _COUNTS[gate.metric] if counts else _MEANS[gate.metric](k)
    these = _figures(measure, gate, sides[gate.of])
    if gate.against is None:
        others = dict.fromkeys(these, Fraction(0))
    else:
        others = _figures(measure, gate, sides[gate.against])
    found = bootstrap.paired(these, others, seed=seed)
    if found is None:
        return None, 0, "no query that it applies to"
    value = {"value": found.mean, "low": found.low, "high": found.high}[gate.on]
    return value * found.queries if counts else value, found.queries, None


def _figures(measure: Measure, gate: Gate, side: Side) -> dict[str, Fraction]:
    found = {each.query.id: measure.of(each) for each in side.judged if _meant(gate, each.query)}
    return {id: three_decimals(value) for id, value in found.items() if value is not None}


def _meant(gate: Gate, query: Query | FailedQuery) -> bool:
    """Whether a gate is about a query."""
    return gate.language in (None, query.language) and gate.category in (None, query.category)
