"""The sweep beside filtering anew, one DuckDB query, and metric packages: ``make bench``.

Everything is measured in one run on candidates that a seed makes (see ``candidates``). Each way to
sweep is a process of its own that is asked in turns, and the fastest of its turns counts: what a
busy machine adds is never less than nothing. Filtering anew is done at all 101 thresholds of a grid
at the smallest size; at the larger ones at some of them, and the time is multiplied.

Writes ``sweep.json`` and ``sweep.md`` to ``build/bench`` and shows the table. Figures are of the
machine they were measured on; only ratios of one run say something elsewhere.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from candidates import Files, write
from peers import Peers, peers
from results import Goal
from sweepers import GRID, Worker, started

SCHEMA = "memconform-bench-sweep-1"
ANEW, QUERY = "filtering anew", "one DuckDB query"
STORE, FIRST, FOREIGN = (
    "ours, trace store",
    "ours, trace store, labels joined anew",
    "ours, foreign file",
)
NAMES = (ANEW, QUERY, STORE, FIRST, FOREIGN)
CHECKED = (0.0, 0.1, 0.25, 0.4, 0.5, 0.75, 1.0)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured.

    Attributes:
        sizes: numbers of candidates, ascending; at the first the whole grid is filtered.
        sample: how many thresholds are filtered at the larger sizes.
        rounds: turns of each.
        continuous: the size at which every candidate has a value of its own.
        peers: the size at which metric packages are asked.
    """

    seed: int
    sizes: tuple[int, ...]
    sample: int
    rounds: int
    continuous: int
    peers: int


FULL = Plan(
    seed=1,
    sizes=(1_000_000, 5_000_000, 10_000_000),
    sample=5,
    rounds=3,
    continuous=10_000_000,
    peers=1_000_000,
)
QUICK = Plan(seed=1, sizes=(16_000, 32_000), sample=3, rounds=1, continuous=16_000, peers=16_000)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One way at one size.

    Attributes:
        seconds: the fastest turn by the clock; of filtering anew for 101 thresholds.
        processor: seconds of processor time likewise, over all threads.
        filtered: how many thresholds of these were done; null for who does all there are.
        peak_gib: peak memory of its process.
        apart: the largest difference to filtering anew at the checked thresholds.
    """

    name: str
    candidates: int
    continuous: bool
    seconds: float
    processor: float
    filtered: int | None
    peak_gib: float
    apart: float


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What a slider costs at the largest size: the slowest of some in a row, milliseconds."""

    what: str
    milliseconds: float


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """The document ``sweep.json``."""

    schema: str
    plan: Plan
    cores: int
    system: str
    python: str
    load: tuple[float, float]
    distinct: int
    rows: list[Row]
    steps: list[Step]
    peers: Peers | None
    growth: float
    goals: list[Goal]


def measure(plan: Plan, folder: Path, progress: Callable[[str], None]) -> Results:
    """Make the candidates, take turns, compare."""
    load = os.getloadavg()[0]
    rows: list[Row] = []
    steps: list[Step] = []
    distinct, asked = 0, None
    for size in plan.sizes:
        progress(f"making {size:,} candidates")
        files = write(folder / str(size), size, seed=plan.seed)
        whole = size == plan.sizes[0]
        grid = GRID if whole else plan.sample
        found, moved, distinct = _turns(plan, files, grid, NAMES, progress)
        rows += found
        steps = moved
        if size == plan.peers:
            progress("asking metric packages")
            asked = peers(files, max(1, plan.rounds))
        shutil.rmtree(folder / str(size))
    progress(f"making {plan.continuous:,} candidates, each with a value of its own")
    files = write(folder / "continuous", plan.continuous, seed=plan.seed, continuous=True)
    names = (ANEW, QUERY, FOREIGN)
    rows += _turns(plan, files, plan.sample, names, progress, continuous=True)[0]
    growth = _growth(rows)
    return Results(
        schema=SCHEMA,
        plan=plan,
        cores=os.cpu_count() or 0,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        load=(load, os.getloadavg()[0]),
        distinct=distinct,
        rows=rows,
        steps=steps,
        peers=asked,
        growth=growth,
        goals=list(_goals(plan, rows, steps, asked, growth)),
    )


def _turns(
    plan: Plan,
    files: Files,
    grid: int,
    names: Sequence[str],
    progress: Callable[[str], None],
    *,
    continuous: bool = False,
) -> tuple[list[Row], list[Step], int]:
    """Every way in turns; all of them are ready before the first is asked."""
    # The checked thresholds are among those that are filtered, and count as some of the grid.
    evenly = [at / (GRID - 1) for at in range(GRID)]
    filtered = (
        evenly if grid == GRID else [evenly[round(at * 100 / (grid - 1))] for at in range(grid)]
    )
    checked = [t for t in CHECKED if t in filtered]
    workers = {name: started(name, files, filtered) for name in names}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    steps: list[Step] = []
    distinct = 0
    try:
        for turn in range(plan.rounds):
            for place in range(len(names)):
                name = names[(turn + place) % len(names)]
                seconds, used = workers[name].sweep()
                times[name].append((seconds, used))
                told = f"{seconds:.3f} s, {used:.3f} s of processor time"
                progress(f"{files.rows:,} candidates, turn {turn + 1}: {name}: {told}")
        figures = {name: worker.figures(checked) for name, worker in workers.items()}
        if STORE in workers:
            steps = list(_steps(workers[STORE]))
            distinct = int(workers[STORE].size())
    finally:
        peaks = {name: worker.close() for name, worker in workers.items()}
    rows = []
    for name in names:
        anew = name == ANEW
        whole = GRID / len(filtered) if anew else 1
        rows.append(
            Row(
                name=name,
                candidates=files.rows,
                continuous=continuous,
                seconds=min(seconds for seconds, _ in times[name]) * whole,
                processor=min(used for _, used in times[name]) * whole,
                filtered=len(filtered) if anew else None,
                peak_gib=peaks[name],
                apart=max(
                    abs(a - b)
                    for these, those in zip(figures[name], figures[ANEW], strict=True)
                    for a, b in zip(these, those, strict=True)
                ),
            )
        )
    return rows, steps, distinct


def _steps(worker: Worker) -> Iterator[Step]:
    floors = [at / 50 for at in range(50)]
    one = max(worker.timed("at", {"threshold": t}) for t in floors)
    yield Step(what="figures at one floor", milliseconds=one * 1000)
    # The first step of two floors makes the curves of the two classes.
    two = [worker.timed("at", {"latin": t, "cjk": 1 - t}) for t in floors]
    yield Step(what="figures at two floors, the first time", milliseconds=two[0] * 1000)
    yield Step(what="figures at two floors", milliseconds=max(two[1:]) * 1000)
    flips = worker.timed("flips", {"before": 0.40, "after": 0.42, "most": 20})
    yield Step(what="which queries flip, and why, 20 told", milliseconds=flips * 1000)


def _growth(rows: Sequence[Row]) -> float:
    """Exponent of the time from a trace store between the smallest and the largest size."""
    mine = [row for row in rows if row.name == STORE]
    first, last = mine[0], mine[-1]
    return math.log(last.seconds / first.seconds) / math.log(last.candidates / first.candidates)


def _goals(
    plan: Plan, rows: Sequence[Row], steps: Sequence[Step], asked: Peers | None, growth: float
) -> Iterator[Goal]:
    size = plan.sizes[-1]
    of = {row.name: row for row in rows if row.candidates == size and not row.continuous}

    def times(claim: str, slow: float, fast: float, least: float) -> Goal:
        ratio = slow / fast
        return Goal(claim=claim, measured=ratio, held=ratio >= least)

    anew, ours = of[ANEW].seconds, of[STORE].seconds
    yield times(f"from a trace store 40 times faster than {ANEW}: {size:,}", anew, ours, 40)
    yield times(
        f"from a trace store 4 times faster than {QUERY}: {size:,}", of[QUERY].seconds, ours, 4
    )
    foreign = of[FOREIGN].seconds
    yield times(f"from a foreign file 10 times faster than {ANEW}: {size:,}", anew, foreign, 10)
    peak = max(row.peak_gib for row in rows if row.name in (STORE, FIRST, FOREIGN))
    yield Goal(claim="under 4 GiB, whatever the size", measured=peak, held=peak < 4)
    yield Goal(
        claim="time grows no faster than candidates: exponent at most 1.05",
        measured=growth,
        held=growth <= 1.05,
    )
    apart = max(row.apart for row in rows if row.name in (STORE, FIRST, FOREIGN))
    yield Goal(claim=f"equal to {ANEW} to 1e-12", measured=apart, held=apart <= 1e-12)
    slider = max(step.milliseconds for step in steps if step.what.startswith("figures"))
    yield Goal(claim="a slider step under 100 ms", measured=slider, held=slider < 100)
    if asked is not None:
        for name, least in (("pytrec_eval", 1), ("ir_measures", 5), ("ranx", 3)):
            claim = f"all thresholds {least} times faster than {name} at one: {plan.peers:,}"
            if least == 1:
                claim = f"all thresholds faster than {name} at one: {plan.peers:,}"
            yield times(claim, asked.seconds[name], asked.ours, least)
        yield Goal(claim="equal to ranx to 1e-12", measured=asked.apart, held=asked.apart <= 1e-12)


# --- as a page -----------------------------------------------------------------------------------


def markdown(results: Results) -> str:
    """Tables and goals."""
    before, after = results.load
    lines = [
        f"{results.system}, {results.cores} cores, Python {results.python};"
        f" load {before:.1f} before and {after:.1f} after; seed {results.plan.seed}, the fastest of"
        f" {results.plan.rounds} turns, {results.distinct} distinct gate values.",
        "",
        *_table(
            [
                "way",
                "candidates",
                "seconds",
                "of processor time",
                "times the trace store",
                "thresholds",
                "peak GiB",
            ],
            [
                [
                    row.name,
                    f"{row.candidates:,}" + (", continuous" if row.continuous else ""),
                    f"{row.seconds:.3f}",
                    f"{row.processor:.3f}",
                    _times(row, results.rows),
                    _thresholds(row),
                    f"{row.peak_gib:.2f}",
                ]
                for row in results.rows
            ],
        ),
        "",
        "*times*: by the clock and (of processor time).",
        "",
        f"From a trace store the time grows with an exponent of {results.growth:.2f}.",
        "",
    ]
    if results.steps:
        lines += _table(
            ["at the largest size", "milliseconds"],
            [[step.what, f"{step.milliseconds:.3f}"] for step in results.steps],
        )
        lines.append("")
    if results.peers is not None:
        lines += [*_peers(results.peers), ""]
    lines += _table(
        ["goal", "measured", "held"],
        [
            [goal.claim, f"{goal.measured:.3g}", "yes" if goal.held else "**no**"]
            for goal in results.goals
        ],
    )
    return "\n".join([*lines, ""])


def _peers(asked: Peers) -> list[str]:
    table = [["ours, every threshold", f"{asked.ours:.3f}", ""]]
    table += [
        [f"{name}, one threshold", f"{seconds:.3f}", f"{seconds / asked.ours:.1f}"]
        for name, seconds in asked.seconds.items()
    ]
    return list(_table(["metrics from a frame of ranked rows", "seconds", "times ours"], table))


def _times(row: Row, rows: Sequence[Row]) -> str:
    ours = [r for r in rows if r.name == STORE and r.candidates == row.candidates]
    if row.continuous or not ours or row.name == STORE:
        return ""
    clock, processor = row.seconds / ours[0].seconds, row.processor / ours[0].processor
    return f"{clock:.1f} ({processor:.1f})"


def _thresholds(row: Row) -> str:
    if row.filtered is None:
        return "all"
    return f"{GRID}" if row.filtered == GRID else f"{GRID}, reckoned from {row.filtered}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def main(arguments: Sequence[str]) -> int:
    """Measure, write and show."""
    parser = argparse.ArgumentParser(prog="sweep.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few candidates, to see it work")
    parser.add_argument("--rounds", type=int, metavar="N", help="turns of each way")
    parser.add_argument("--seed", type=int, metavar="N", help="other candidates")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), metavar="DIR")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else FULL
    changed = {name: getattr(options, name) for name in ("rounds", "seed")}
    plan = msgspec.structs.replace(plan, **{n: v for n, v in changed.items() if v is not None})

    def progress(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()

    with tempfile.TemporaryDirectory(prefix="memconform-bench-") as folder:
        results = measure(plan, Path(folder), progress)
    options.out.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(results), indent=1)
    (options.out / "sweep.json").write_bytes(data + b"\n")
    page = markdown(results)
    (options.out / "sweep.md").write_text(page, encoding="utf-8")
    sys.stdout.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
