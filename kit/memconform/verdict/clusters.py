"""Broken scenarios put together by the requirement that they break: what to mend first.

A mistake seldom breaks one scenario. Whoever mends a store reads requirements, with the one that
most depends on at the top, and not a list of scenarios.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memconform.model.report import NOTHING_FOUND, ScenarioResult

MANY_ALIKE = 10  # scenarios that broke in the same way, from which on it is said


@dataclass(frozen=True, slots=True)
class Cluster:
    """The broken scenarios of one requirement.

    Attributes:
        requirement: ``capability/requirement-slug``, as the ``@req`` tag has it.
        rule: its title.
        results: its broken scenarios, in the order of the suite; at least one.
    """

    requirement: str
    rule: str
    results: tuple[ScenarioResult, ...]

    @property
    def must(self) -> int:
        """How many MUST scenarios break on it."""
        return sum(result.must for result in self.results)

    @property
    def profiles(self) -> list[str]:
        """The profiles that it costs their verdict, in the order of the suite."""
        return list(dict.fromkeys(result.profile for result in self.results))


def clusters(results: Iterable[ScenarioResult]) -> list[Cluster]:
    """What breaks, by requirement: first what breaks the most MUST scenarios, then as in the suite.

    Args:
        results: any; those that don't break are left out.
    """
    groups: dict[tuple[str, str], list[ScenarioResult]] = {}
    for result in results:
        if result.outcome.breaks:
            groups.setdefault((result.capability, result.requirement), []).append(result)
    found = [
        Cluster(f"{capability}/{requirement}", group[0].rule, tuple(group))
        for (capability, requirement), group in groups.items()
    ]
    return sorted(found, key=lambda cluster: -cluster.must)


def common_cause(broken: Sequence[ScenarioResult]) -> tuple[str, int] | None:
    """What most of the broken scenarios saw, and how many did; null where there is no such thing.

    It is so when every write fails, and then everything else is an echo. That nothing was found is
    no cause: it was so for as many reasons as there are questions.
    """
    seen = Counter(
        result.failure.seen
        for result in broken
        if result.failure is not None and result.failure.seen != NOTHING_FOUND
    )
    if not seen:
        return None
    cause, times = seen.most_common(1)[0]
    return (cause, times) if times >= MANY_ALIKE and 2 * times > len(broken) else None
