"""How fast traces are imported, beside DuckDB's own reading of the same file into Parquet.

``python kit/bench/traces.py`` makes a log of 5 million candidates in a temporary folder and lets
three processes take turns, several rounds:

- import: ``memconform.traces.ingest``: everything checked, identified, ordered, coded, known ones
  left out, written in parts by day;
- flat: DuckDB, ``read_json`` with the columns and types given, one row a candidate, into Parquet;
- nested: the same without unnesting, the lines as they are: a store that can't be swept, and the
  least that reading and writing can take.

What each took at best is compared, and the most memory that the import had. Figures are of the
machine they were measured on; the ratios of one run say something elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CANDIDATES = 32  # a retrieval, as the sweep's own measurements have
POOL = 1024  # different lists of candidates
WAYS = ("import", "flat", "nested")
WANTED_RATIO = 1.5
WANTED_BYTES = 2 * 1024**3


def write_log(path: Path, rows: int, seed: int) -> None:
    """A log of so many candidates over two days; every line is another retrieval."""
    chance = random.Random(seed)  # noqa: S311 - made-up figures, no secret
    pool = [_candidates(chance) for _ in range(POOL)]
    retrievals = max(1, rows // CANDIDATES)
    with path.open("w", encoding="utf-8") as file:
        for number in range(retrievals):
            seconds = 2 * 86_400 * number // retrievals
            day, rest = divmod(seconds, 86_400)
            time_of_day = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
            head = {
                "schema": "memconform/trace-log/1",
                "queryId": f"{chance.getrandbits(128):032x}",
                "timestamp": f"2026-03-0{1 + day}T{time_of_day}.{number % 1000:03d}Z",
                "language": "cjk" if number % 3 == 0 else "latin",
                "store": "bench",
                "mode": "sqlite-fts5",
                "gate": "foundation-v1",
                "queryTokenCount": 24,
                "queryTokensTruncated": False,
                "candidateCount": CANDIDATES,
                "filtered": {"scope": 1, "lifecycle": 2, "irrelevant": 20},
                "recordLimit": 8,
                "promptCharacterBudget": 6000,
                "selectedCharacters": 812,
                "rankingWeights": _WEIGHTS,
                "latencyMs": round(chance.random() * 5, 3),
                "sweptFrom": 0,
            }
            text = json.dumps(head, separators=(",", ":"))
            file.write(f'{text[:-1]},"candidates":{pool[chance.randrange(POOL)]}}}\n')


_WEIGHTS = {
    "lexical": 0.55,
    "scopeAffinity": 0.1,
    "typeAffinity": 0.1,
    "freshness": 0.1,
    "importance": 0.075,
    "confidence": 0.075,
}


def _candidates(chance: random.Random) -> str:
    """Candidates as a pipeline ranks them; coverages are of a few dozen tokens."""
    tokens = chance.randint(4, 40)
    ranked = []
    for id in chance.sample(range(100_000), CANDIDATES):
        features = {
            "lexical": min(tokens, int(chance.expovariate(4 / tokens))) / tokens,
            "scopeAffinity": chance.choice((0.8, 0.9, 1.0)),
            "typeAffinity": float(chance.random() < 0.05),
            "freshness": 0.5 ** (chance.random() * 4),
            "importance": chance.choice((0.3, 0.5, 0.6, 0.8)),
            "confidence": chance.choice((0.7, 0.9, 1.0)),
        }
        score = sum(_WEIGHTS[name] * value for name, value in features.items())
        passed = features["lexical"] >= 0.4 or features["typeAffinity"] > 0
        ranked.append((score, f"mem-{id:05d}", features, passed))
    ranked.sort(key=lambda candidate: -candidate[0])
    free = 8
    said = []
    for score, id, features, passed in ranked:
        selected = passed and free > 0
        free -= selected
        candidate = {"memoryId": id, "finalScore": score, "passed": passed}
        if selected:
            candidate["selected"] = True
        candidate |= {"channel": "fts5", "features": features}
        if not selected:
            candidate["reason"] = "limit" if passed else "below-floor"
        said.append({**candidate, "characters": chance.randint(20, 400)})
    return json.dumps(said, separators=(",", ":"))


# --- what is measured, each in a process of its own --------------------------------------------


def measured(way: str, log: Path, out: Path) -> dict[str, float]:
    """Seconds of one way, and the most bytes of memory of this process."""
    if way == "import":
        from memconform.traces import intake

        started = time.perf_counter()
        intake.ingest([log], out)
    else:
        import duckdb

        started = time.perf_counter()
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({_query(log, flat=way == 'flat')}) TO '{out}.parquet'")
    seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "bytes": used.ru_maxrss * 1024,
    }


def _query(log: Path, *, flat: bool) -> str:
    """What somebody would write who knows the columns."""
    features = ", ".join(f'"{name}" DOUBLE' for name in _WEIGHTS)
    candidate = (
        f'STRUCT("memoryId" VARCHAR, "finalScore" DOUBLE, passed BOOLEAN, selected BOOLEAN, '
        f"channel VARCHAR, features STRUCT({features}), reason VARCHAR, characters INTEGER)[]"
    )
    columns = {
        "schema": "VARCHAR",
        "queryId": "VARCHAR",
        "timestamp": "TIMESTAMP",
        "language": "VARCHAR",
        "store": "VARCHAR",
        "mode": "VARCHAR",
        "gate": "VARCHAR",
        "queryTokenCount": "INTEGER",
        "queryTokensTruncated": "BOOLEAN",
        "candidateCount": "INTEGER",
        "filtered": "STRUCT(scope INTEGER, lifecycle INTEGER, irrelevant INTEGER)",
        "recordLimit": "INTEGER",
        "promptCharacterBudget": "INTEGER",
        "selectedCharacters": "INTEGER",
        "rankingWeights": f"STRUCT({features})",
        "latencyMs": "DOUBLE",
        "sweptFrom": "DOUBLE",
        "candidates": candidate,
    }
    types = ", ".join(f"'{name}': '{type}'" for name, type in columns.items())
    source = f"read_json('{log}', columns = {{{types}}}, format = 'newline_delimited')"
    chosen = "* EXCLUDE candidates, unnest(candidates, recursive := true)" if flat else "*"
    return f"SELECT {chosen} FROM {source}"  # noqa: S608 - paths of this script's own


# --- the run -----------------------------------------------------------------------------------


def main() -> int:
    """Measure and show; 1 where less came out than is wanted."""
    options = _options()
    if options.one:
        _say(json.dumps(measured(options.one, options.log, options.out)))
        return 0
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        log = Path(folder, "traces.jsonl")
        write_log(log, options.rows, options.seed)
        size = log.stat().st_size
        _say(f"{options.rows:,} candidates, {size / 1e6:,.0f} MB of JSON Lines")
        best = {way: {"seconds": float("inf"), "cpu": float("inf"), "bytes": 0.0} for way in WAYS}
        for number in range(options.rounds):
            for way in WAYS:
                found = _in_a_process(way, log, Path(folder, f"{way}-{number}"))
                kept = best[way]
                kept["seconds"] = min(kept["seconds"], found["seconds"])
                kept["cpu"] = min(kept["cpu"], found["cpu"])
                kept["bytes"] = max(kept["bytes"], found["bytes"])
    return _shown(best, options.rows)


def _in_a_process(way: str, log: Path, out: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", way, "--log", str(log), "--out", str(out)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    for path in (out, out.with_suffix(".parquet")):
        subprocess.run(["rm", "-rf", str(path)], check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _shown(best: dict[str, dict[str, float]], rows: int) -> int:
    _say("| way | seconds | M rows/s | times flat | times nested | CPU s | MiB |")
    _say("| --- | --- | --- | --- | --- | --- | --- |")
    for way in WAYS:
        one = best[way]
        _say(
            f"| {way} | {one['seconds']:.2f} | {rows / one['seconds'] / 1e6:.2f} "
            f"| {one['seconds'] / best['flat']['seconds']:.2f} "
            f"| {one['seconds'] / best['nested']['seconds']:.2f} | {one['cpu']:.2f} "
            f"| {one['bytes'] / 2**20:,.0f} |"
        )
    _say(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    good = best["import"]["seconds"] <= WANTED_RATIO * best["flat"]["seconds"]
    good &= best["import"]["bytes"] <= WANTED_BYTES
    _say("as wanted" if good else f"WANTED: at most {WANTED_RATIO} times flat, below 2 GiB")
    return 0 if good else 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000, help="candidates")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dir", type=Path, default=None, help="where the temporary folder goes")
    for hidden in ("--one", "--log", "--out"):
        kind = str if hidden == "--one" else Path
        parser.add_argument(hidden, type=kind, default=None, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
