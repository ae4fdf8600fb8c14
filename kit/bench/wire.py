"""What the wire costs: the whole suite in process and over the wire, side by side in one run.

``python kit/bench/wire.py [--rounds N] [--profile P]... [TARGET]...``

CPU time is what is compared, of the run and of every process that it has started: on a machine that
does something else beside it, the time on the clock says more about the machine. The two ways take
turns, so that what changes in between meets both; and every scenario must come out alike in both.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from dataclasses import dataclass

from memconform.suite.run import run

TARGETS = ("reference:filesystem", "reference:hybrid")
LIMIT = 2.0  # the most that the wire may cost, as a multiple of the time in process
WAYS = ("in process", "over the wire")


@dataclass(frozen=True)
class Cost:
    """What one run of the suite took, in seconds."""

    cpu: float
    clock: float
    outcomes: dict[str, str]  # of each scenario


def cost(target: str, profiles: list[str], *, wire: bool) -> Cost:
    """Run the suite once.

    Raises:
        RuntimeError: it didn't come to its end, so its time means nothing.
    """
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = run(target, profiles, wire=wire)
    clock, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.exitstatus not in (0, 1) or b'"event":"end"' not in ended.events:
        raise RuntimeError(f"the suite did not end on {target}: {ended.output}")
    return Cost(
        cpu=(after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime),
        clock=clock,
        outcomes={
            event["result"]["id"]: event["result"]["outcome"]
            for event in map(json.loads, ended.events.splitlines())
            if event["event"] == "result"
        },
    )


def ratio(costs: dict[str, list[Cost]]) -> float:
    """CPU time over the wire as a multiple of that in process, over all rounds."""
    here, there = (sum(each.cpu for each in costs[way]) for way in WAYS)
    return there / here


def table(measured: dict[str, dict[str, list[Cost]]]) -> str:
    """A row for each target: the means of its rounds, and the multiple."""
    lines = ["| target | scenarios | in process, CPU s | over the wire, CPU s | multiple |"]
    lines.append("| --- | ---: | ---: | ---: | ---: |")
    for target, costs in measured.items():
        here, there = (sum(e.cpu for e in costs[way]) / len(costs[way]) for way in WAYS)
        scenarios = len(costs[WAYS[0]][0].outcomes)
        lines.append(
            f"| {target} | {scenarios:,} | {here:.1f} | {there:.1f} | {ratio(costs):.2f} |"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Measure and print; 1 where the wire costs more than it may."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is run")
    parser.add_argument("--profile", action="append", default=[], help="only these profiles")
    chosen = parser.parse_args(arguments)
    measured: dict[str, dict[str, list[Cost]]] = {}
    for _ in range(chosen.rounds):
        for target in chosen.targets:
            for way in WAYS:
                sys.stderr.write(f"{target} {way}\n")
                found = cost(target, chosen.profile, wire=way == WAYS[1])
                measured.setdefault(target, {}).setdefault(way, []).append(found)
            here, there = (measured[target][way][-1].outcomes for way in WAYS)
            apart = sorted(id for id in here | there if here.get(id) != there.get(id))
            if apart:
                raise RuntimeError(f"{target}: not the same over the wire: {', '.join(apart)}")
    sys.stdout.write(f"{table(measured)}\n")
    return int(any(ratio(costs) > LIMIT for costs in measured.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
