"""How long the whole suite takes on one store, in one process and in two, in turn in one run.

``python kit/bench/suite.py [--rounds N] [TARGET]...``

Scenarios of volume and of killing (``@slow``) are left out and timed apart. Plugins that have
nothing to do with the suite stay out: one of them, where JupyterLab is installed, loads for two
seconds before the first scenario.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

TARGETS = ("reference:filesystem", "reference:hybrid")
LIMIT_S = 10.0  # the most that the suite may take on two processors, @slow apart
UNRELATED = ("-p", "no:nbmake", "-p", "no:hypothesispytest", "-p", "no:anyio")
WAYS: dict[str, tuple[str, ...]] = {
    "one process": ("-m", "not slow"),
    "two processes": ("-m", "not slow", "-n", "2"),
    "@slow alone": ("-m", "slow"),
}


@dataclass(frozen=True)
class Cost:
    """What one run took, in seconds: from the command to its end, and of processors."""

    clock: float
    cpu: float


def cost(target: str, way: str) -> Cost:
    """Run the suite once, as anybody would.

    Raises:
        RuntimeError: a scenario did not pass or the run broke off, so its time means nothing.
    """
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "pytest", "--pyargs", "memconform.suite", "-q", *UNRELATED]
    done = subprocess.run(
        [*command, "--memory-store", target, *WAYS[way]],
        capture_output=True,
        text=True,
        check=False,
    )
    clock, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 or " were left out" not in done.stdout + done.stderr:
        raise RuntimeError(f"the suite did not end on {target}: {done.stdout}{done.stderr}")
    cpu = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return Cost(clock, cpu)


def table(measured: dict[tuple[str, str], list[Cost]]) -> str:
    """A row for each target and way: median and longest on the clock, median of processor time."""
    lines = [
        "| target | run | median, s | longest, s | CPU, s |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for (target, way), costs in measured.items():
        clocks = [each.clock for each in costs]
        lines.append(
            f"| {target} | {way} | {statistics.median(clocks):.1f} | {max(clocks):.1f} "
            f"| {statistics.median(each.cpu for each in costs):.1f} |"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Measure and print; 1 where neither way of a target keeps to the limit in the median."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is run")
    chosen = parser.parse_args(arguments)
    sys.stdout.write(f"load before: {os.getloadavg()[0]:.1f}\n\n")
    measured: dict[tuple[str, str], list[Cost]] = {}
    for _ in range(chosen.rounds):
        for target in chosen.targets:
            for way in WAYS:
                sys.stderr.write(f"{target}, {way}\n")
                measured.setdefault((target, way), []).append(cost(target, way))
    sys.stdout.write(f"{table(measured)}\n")
    medians = {
        key: statistics.median(each.clock for each in costs) for key, costs in measured.items()
    }
    return int(
        any(
            min(medians[target, way] for way in list(WAYS)[:2]) > LIMIT_S
            for target in chosen.targets
        )
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
