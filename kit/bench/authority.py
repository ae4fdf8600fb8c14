"""Latency of reference:authority: beside other stores, and against what a question considers.

Two parts. In the first, three stores hold the same 1,001 memories, each in a process of its own,
and are asked the same 300 questions in turn over the wire; the authority store decides on what it
finds and keeps an audit of it, one transaction a question. In the second it holds ever more claims,
in this process, and each question's time stands beside the number of claims that share a term with
it: the candidates that it considers.

Writes ``authority.json`` and ``authority.md`` to ``build/bench`` and shows the table. Figures are
of the machine they were measured on; only ratios and slopes of one run say something elsewhere.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import math
import os
import platform
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from figures import percentile, ratio
from systems import Filled, filled
from texts import Texts

from memconform.authority import query_terms
from memconform.model import RecordDraft, Settings
from memconform.reference.authority import AuthorityStore
from memconform.reference.authority_tables import FILE, FOLDER
from memconform.reference.home import Home
from memconform.reference.index import index_token

OURS = "reference:authority"
STORES = (OURS, "reference:hybrid", "reference:filesystem")
KINDS: tuple[Literal["short", "long"], ...] = ("short", "long")
IN_A_ROW = 10
WARM_UP = 10
BATCH = 500
NOW = "2026-06-30T00:00:00Z"
LEAST = 100  # candidates from which on a time is more than what every question costs
PLACE = "/srv/bench"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How much is measured."""

    seed: int = 1
    memories: int = 1001
    questions: int = 300
    sizes: tuple[int, ...] = (10_000, 40_000, 100_000)


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """One store of the first part; ``times`` is how many times longer than ours, as a ratio."""

    target: str
    p50_ms: float
    p95_ms: float
    times: float | None


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of questions at one size of the second part."""

    claims: int
    kind: str
    p50_ms: float
    p95_ms: float
    candidates: float
    candidates_p95: float


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was measured.

    Attributes:
        slope: exponent of the time in the number of candidates, over all questions of the second
            part with at least ``LEAST``.
        slopes: exponent of the median time in the median number of candidates, by kind.
    """

    schema: str
    plan: Plan
    machine: str
    beside: list[Beside]
    sizes: list[Size]
    slope: float | None
    slopes: dict[str, float]


FULL = Plan()
QUICK = Plan(memories=60, questions=40, sizes=(200, 400))


def measure(plan: Plan, progress: Callable[[str], None]) -> Results:
    """Both parts."""
    before = os.getloadavg()[0]
    beside = _beside(plan, progress)
    pairs: dict[tuple[int, str], list[tuple[int, float]]] = {}
    for size in plan.sizes:
        pairs |= {(size, kind): found for kind, found in _grown(plan, size, progress).items()}
    machine = (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}; load {before:.1f} before "
        f"and {os.getloadavg()[0]:.1f} after; seed {plan.seed}"
    )
    sizes = [_size(size, kind, found) for (size, kind), found in pairs.items()]
    return Results(
        schema="memconform/bench-authority/1",
        plan=plan,
        machine=machine,
        beside=beside,
        sizes=sizes,
        slope=exponent([pair for found in pairs.values() for pair in found if pair[0] >= LEAST]),
        slopes={
            kind: found
            for kind in KINDS
            if (found := exponent([(s.candidates, s.p50_ms) for s in sizes if s.kind == kind]))
            is not None
        },
    )


def exponent(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The slope of the straight line through the logarithms; null for fewer than two places."""
    known = [(count, ms) for count, ms in pairs if count > 0]
    if len({count for count, _ in known}) < 2:
        return None
    return statistics.linear_regression(
        [math.log(count) for count, _ in known], [math.log(ms) for _, ms in known]
    ).slope


# --- beside others ---------------------------------------------------------------------------


def _beside(plan: Plan, progress: Callable[[str], None]) -> list[Beside]:
    texts = Texts(plan.seed)
    memories = texts.memories(plan.memories)
    opened: list[Filled] = []
    try:
        opened.extend(filled(target, memories, progress) for target in STORES)
        questions = _questions(texts, memories, plan.questions + WARM_UP)
        for store in opened:
            for question in questions[:WARM_UP]:
                store.ask(question)
        times: dict[str, list[list[float]]] = {target: [] for target in STORES}
        progress(f"asking {plan.questions} questions of each")
        for start in range(WARM_UP, len(questions), IN_A_ROW):
            row = questions[start : start + IN_A_ROW]
            place = start // IN_A_ROW % len(opened)
            for store in opened[place:] + opened[:place]:
                times[store.target].append([store.ask(question)[0] for question in row])
    finally:
        for store in opened:
            store.connection.close()
    found = []
    for target, rows in times.items():
        every = [ms for row in rows for ms in row]
        found.append(
            Beside(
                target=target,
                p50_ms=statistics.median(every),
                p95_ms=percentile(every, 95),
                times=None if target == OURS else ratio(rows, times[OURS]),
            )
        )
    return found


def _questions(texts: Texts, memories: list[str], number: int) -> list[str]:
    """Short and long ones by turns."""
    both = zip(texts.short(memories), texts.long(memories), strict=True)
    return [q.text for q in itertools.islice(itertools.chain.from_iterable(both), number)]


# --- with more claims ------------------------------------------------------------------------


def _grown(
    plan: Plan, size: int, progress: Callable[[str], None]
) -> dict[str, list[tuple[int, float]]]:
    """Of each question how many candidates it considers and how long it took, by kind."""
    texts = Texts(plan.seed)
    memories = texts.memories(size)
    home = Home.temporary()
    store = AuthorityStore(home.root, Settings(clock=NOW), workspace=PLACE, home=home)
    try:
        progress(f"filling {OURS} with {size:,} claims")
        for start in range(0, size, BATCH):
            part = memories[start : start + BATCH]
            store.write_batch(tuple(RecordDraft(content=text) for text in part))
        progress("asking it")
        each = plan.questions // len(KINDS)
        short = [q.text for q in itertools.islice(texts.short(memories), each + WARM_UP)]
        long = [q.text for q in itertools.islice(texts.long(memories), each + WARM_UP)]
        times = {"short": _asked(store, short), "long": _asked(store, long)}
        index = sqlite3.connect(home.root / FOLDER / FILE)
        try:
            asked = {"short": short[WARM_UP:], "long": long[WARM_UP:]}
            return {
                kind: [
                    (_considered(index, question), ms)
                    for question, ms in zip(asked[kind], times[kind], strict=True)
                ]
                for kind in KINDS
            }
        finally:
            index.close()
    finally:
        store.close()


def _asked(store: AuthorityStore, questions: Sequence[str]) -> list[float]:
    for question in questions[:WARM_UP]:
        store.recall(question)
    found = []
    gc.collect()
    gc.disable()
    try:
        for question in questions[WARM_UP:]:
            started = time.perf_counter()
            store.recall(question)
            found.append((time.perf_counter() - started) * 1000)
    finally:
        gc.enable()
    return found


def _considered(index: sqlite3.Connection, question: str) -> int:
    """How many claims share a term with a question."""
    terms = [f'"{index_token(term)}"' for term in query_terms(question)]
    lookups = " UNION ".join("SELECT rowid FROM claims_fts WHERE claims_fts MATCH ?" for _ in terms)
    if not terms:
        return 0
    (number,) = index.execute(f"SELECT count(*) FROM ({lookups})", terms).fetchone()  # noqa: S608 - own text
    return int(number)


def _size(claims: int, kind: str, pairs: Sequence[tuple[int, float]]) -> Size:
    counts, times = [count for count, _ in pairs], [ms for _, ms in pairs]
    return Size(
        claims=claims,
        kind=kind,
        p50_ms=statistics.median(times),
        p95_ms=percentile(times, 95),
        candidates=statistics.median(counts),
        candidates_p95=percentile([float(count) for count in counts], 95),
    )


# --- how it is shown -------------------------------------------------------------------------


def markdown(results: Results) -> str:
    """Both tables and the slopes."""
    return "\n".join([f"{results.machine}.", "", *_tables(results), ""])


def _tables(results: Results) -> Iterator[str]:
    plan = results.plan
    yield f"{plan.memories:,} memories, {plan.questions} questions, over the wire:"
    yield ""
    yield from _table(
        ["store", "median", "p95", "times"],
        [
            [row.target, _ms(row.p50_ms), _ms(row.p95_ms), _times(row.times)]
            for row in results.beside
        ],
    )
    yield ""
    yield f"Milliseconds. *times*: how many times longer than {OURS} in the same run."
    yield ""
    yield from _table(
        ["claims", "questions", "candidates", "their p95", "median", "p95"],
        [
            [
                f"{row.claims:,}",
                row.kind,
                f"{row.candidates:,.0f}",
                f"{row.candidates_p95:,.0f}",
                _ms(row.p50_ms),
                _ms(row.p95_ms),
            ]
            for row in results.sizes
        ],
    )
    yield ""
    if results.slope is not None:
        yield (
            f"- over all questions with at least {LEAST} candidates the time grows with an exponent"
            f" of {results.slope:.2f} in their number"
        )
    for kind, found in results.slopes.items():
        yield f"- medians of {kind} questions: {found:.2f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.1f}" if milliseconds < 100 else f"{milliseconds:,.0f}"


def _times(times: float | None) -> str:
    return "" if times is None else f"{times:.2f}"


def main(arguments: Sequence[str]) -> int:
    """Measure, write and show."""
    parser = argparse.ArgumentParser(
        prog="authority.py", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--quick", action="store_true", help="a few claims, to see it work")
    parser.add_argument("--sizes", metavar="N,N", help="claims of the second part; empty for none")
    parser.add_argument("--seed", type=int, metavar="N", help="other claims and questions")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), metavar="DIR")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else FULL
    if options.seed is not None:
        plan = msgspec.structs.replace(plan, seed=options.seed)
    if options.sizes is not None:
        sizes = tuple(int(size) for size in options.sizes.split(",") if size)
        plan = msgspec.structs.replace(plan, sizes=sizes)

    def progress(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()

    results = measure(plan, progress)
    table = markdown(results)
    options.out.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(results), indent=1)
    (options.out / "authority.json").write_bytes(data + b"\n")
    (options.out / "authority.md").write_text(table, encoding="utf-8")
    sys.stdout.write(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
