"""Recall latency of the reference stores and of a real system, side by side: ``make bench``.

Every store runs in a process of its own and is asked over the wire. They take turns: in each round
each store gets one question after a pause of more than a second and then some in a row, the same
ones for all stores of a size, so that a machine which is busy for a while doesn't decide who is
faster. Filling and the first answers are apart.

Writes ``recall.json`` and ``recall.md`` to ``build/bench`` and shows the table. Figures are of the
machine they were measured on; only ratios of one run say something elsewhere.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import platform
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from figures import percentile, ratio, slope
from rereading import Rereading, rereading
from results import (
    FILES,
    FULL,
    FUSION,
    KINDS,
    OURS,
    QUICK,
    SCHEMA,
    THEIRS,
    Goal,
    Kind,
    Machine,
    Plan,
    Results,
    Row,
    System,
)
from systems import Filled, filled
from tables import markdown
from texts import Question, Texts

IN_A_ROW = 8
PAUSE_S = 1.2  # longer than the hybrid store is content with its last look at the files
WARM_UP = 10


@dataclass
class Asked:
    """The times of one store: a row for each round, and its first question apart."""

    store: Filled
    first_answer_ms: float = 0.0
    in_a_row: dict[Kind, list[list[float]]] = field(default_factory=lambda: {k: [] for k in KINDS})
    after_pause: dict[Kind, list[list[float]]] = field(
        default_factory=lambda: {k: [] for k in KINDS}
    )
    found: dict[Kind, list[bool]] = field(default_factory=lambda: {k: [] for k in KINDS})
    rested_since: float = 0.0


def measure(plan: Plan, progress: Callable[[str], None]) -> Results:
    """Fill, warm up, take turns, compare."""
    load = os.getloadavg()[0]
    texts = Texts(plan.seed)
    memories = texts.memories(max(*plan.sizes, plan.reread[0]))
    opened: list[Asked] = []
    try:
        for size, targets in plan.sizes.items():
            for target in targets:
                store = filled(target, memories[:size], progress)
                opened.append(Asked(store))
        for size in plan.sizes:
            for asked in _of(opened, size):
                _warm_up(asked, texts, memories[:size], progress)
        _take_turns(plan, opened, texts, memories, progress)
    finally:
        for asked in opened:
            asked.store.connection.close()
    number, questions = plan.reread
    about = memories[:number]
    asked_again = [next(texts.short(about)).text for _ in range(questions)]
    reread = rereading(about, asked_again, progress)
    rows = [row for size in plan.sizes for row in _rows(_of(opened, size))]
    slopes = _slopes(rows)
    return Results(
        schema=SCHEMA,
        plan=plan,
        machine=Machine(
            cores=os.cpu_count() or 0,
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            sqlite=sqlite3.sqlite_version,
            load=(load, os.getloadavg()[0]),
        ),
        systems=[_system(asked) for asked in opened],
        rows=rows,
        slopes=slopes,
        reread=reread,
        goals=_goals(rows, slopes, reread),
    )


def _of(opened: Sequence[Asked], size: int) -> list[Asked]:
    return [asked for asked in opened if asked.store.records == size]


def _warm_up(
    asked: Asked, texts: Texts, memories: list[str], progress: Callable[[str], None]
) -> None:
    store = asked.store
    progress(f"warming up {store.target} with {store.records:,} memories")
    both = zip(texts.short(memories), texts.long(memories), strict=True)
    questions = itertools.islice(itertools.chain.from_iterable(both), WARM_UP)
    times = [store.ask(question.text)[0] for question in questions]
    asked.first_answer_ms = times[0]
    asked.rested_since = time.monotonic()


def _take_turns(
    plan: Plan,
    opened: Sequence[Asked],
    texts: Texts,
    memories: list[str],
    progress: Callable[[str], None],
) -> None:
    gc.collect()
    gc.disable()
    try:
        for turn in range(plan.rounds):
            progress(f"round {turn + 1} of {plan.rounds}")
            # Neither a kind of question nor a store is always the first.
            kinds = KINDS if turn % 2 == 0 else KINDS[::-1]
            for size in plan.sizes:
                own = memories[:size]
                endless: dict[Kind, Iterator[Question]] = {
                    "short": texts.short(own),
                    "long": texts.long(own),
                }
                first = next(endless[kinds[0]])
                row = {kind: list(itertools.islice(endless[kind], IN_A_ROW)) for kind in kinds}
                stores = _of(opened, size)
                place = turn % len(stores)
                for asked in stores[place:] + stores[:place]:
                    _turn(asked, kinds, first, row, own)
    finally:
        gc.enable()


def _turn(
    asked: Asked,
    kinds: Sequence[Kind],
    first: Question,
    row: dict[Kind, list[Question]],
    memories: list[str],
) -> None:
    time.sleep(max(0.0, asked.rested_since + PAUSE_S - time.monotonic()))
    asked.after_pause[kinds[0]].append([_asked(asked, kinds[0], first, memories)])
    for kind in kinds:
        times = [_asked(asked, kind, question, memories) for question in row[kind]]
        asked.in_a_row[kind].append(times)
    asked.rested_since = time.monotonic()


def _asked(asked: Asked, kind: Kind, question: Question, memories: list[str]) -> float:
    milliseconds, hits = asked.store.ask(question.text)
    asked.found[kind].append(memories[question.about] in [hit.content for hit in hits])
    return milliseconds


# --- what it comes to ------------------------------------------------------------------------


def _rows(stores: Sequence[Asked]) -> Iterator[Row]:
    (ours,) = [asked for asked in stores if asked.store.target == OURS]
    for kind in KINDS:
        for asked in stores:
            times = list(itertools.chain.from_iterable(asked.in_a_row[kind]))
            paused = list(itertools.chain.from_iterable(asked.after_pause[kind]))
            compared = asked is not ours
            yield Row(
                target=asked.store.target,
                records=asked.store.records,
                kind=kind,
                asked=len(times) + len(paused),
                p50_ms=statistics.median(times),
                p95_ms=percentile(times, 95),
                pause_ms=statistics.median(paused) if paused else None,
                times=ratio(asked.in_a_row[kind], ours.in_a_row[kind]) if compared else None,
                times_pause=(
                    ratio(asked.after_pause[kind], ours.after_pause[kind])
                    if compared and paused
                    else None
                ),
                found=statistics.mean(asked.found[kind]),
            )


def _slopes(rows: Sequence[Row]) -> dict[Kind, float]:
    slopes: dict[Kind, float] = {}
    for kind in KINDS:
        medians = {r.records: r.p50_ms for r in rows if (r.target, r.kind) == (OURS, kind)}
        if (found := slope(medians)) is not None:
            slopes[kind] = found
    return slopes


def _system(asked: Asked) -> System:
    store = asked.store
    return System(
        target=store.target,
        version=store.version,
        records=store.records,
        filled_by=store.way,
        fill_s=store.seconds,
        first_answer_ms=asked.first_answer_ms,
    )


def _goals(rows: Sequence[Row], slopes: dict[Kind, float], reread: Rereading) -> list[Goal]:
    size = max(row.records for row in rows if row.target == THEIRS)
    theirs = [row for row in rows if row.target == THEIRS and row.records == size]
    told = []
    for row in theirs:
        assert row.times is not None
        claim = f"{THEIRS} takes at least 3 times longer than {OURS}: {size:,}, {row.kind}"
        told.append(Goal(claim=claim, measured=row.times, held=row.times >= 3))
    told += _fusion_goals(rows)
    for kind, exponent in slopes.items():
        claim = f"{OURS} grows with an exponent of at most 1.1: {kind}"
        told.append(Goal(claim=claim, measured=exponent, held=exponent <= 1.1))
    claim = f"{FILES}, warm, takes under a tenth of re-reading: {reread.records:,}"
    told.append(Goal(claim=claim, measured=reread.share, held=reread.share < 0.1))
    claim = f"{FILES} sees a file that another process changed"
    told.append(Goal(claim=claim, measured=float(reread.change_seen), held=reread.change_seen))
    return told


def _fusion_goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """The two stores of one design, each with its built-in embedder: median and 95th percentile."""
    by_place = {(row.target, row.records, row.kind): row for row in rows}
    for (target, size, kind), own in by_place.items():
        other = by_place.get((THEIRS, size, kind))
        if target != FUSION or other is None:
            continue
        times = min(other.p50_ms / own.p50_ms, other.p95_ms / own.p95_ms)
        claim = f"{THEIRS} takes at least 3 times longer than {FUSION}: {size:,}, {kind}"
        yield Goal(claim=f"{claim}, median and p95", measured=times, held=times >= 3)


def main(arguments: Sequence[str]) -> int:
    """Measure, write and show."""
    parser = argparse.ArgumentParser(prog="recall.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few small stores, to see it work")
    parser.add_argument("--rounds", type=int, metavar="N", help="turns of each store")
    parser.add_argument("--seed", type=int, metavar="N", help="other memories and questions")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), metavar="DIR")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else FULL
    changed = {name: getattr(options, name) for name in ("rounds", "seed")}
    plan = msgspec.structs.replace(plan, **{n: v for n, v in changed.items() if v is not None})

    def progress(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()

    results = measure(plan, progress)
    table = markdown(results)
    options.out.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(results), indent=1)
    (options.out / "recall.json").write_bytes(data + b"\n")
    (options.out / "recall.md").write_text(table, encoding="utf-8")
    sys.stdout.write(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
