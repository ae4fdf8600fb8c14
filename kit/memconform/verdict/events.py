"""The events of a run, read with suspicion: what was collected, what was found, how it ended.

The suite writes one JSON object a line: ``start`` with every collected scenario, a ``result`` for
each, ``selection`` where pytest was told to leave some out, ``end``; or ``abort`` when the suite
itself is unsound; or ``unreachable`` when the target could not be spoken to; or ``hang`` when a
call in process never came back. Whatever is missing, doubled or contradictory becomes a problem in
words, never a silent gap: a scenario without a sound result is not-run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from memconform.model.base import Response, from_plain
from memconform.model.report import Implementation, ScenarioResult
from memconform.verdict.consistency import contradictions, repeated
from memconform.verdict.words import harmless, listed, number, shortened, without_lone_surrogates


class Collected(Response, frozen=True, kw_only=True):
    """A scenario that is going to be run; the fields are those of its result."""

    id: str
    profile: str
    capability: str
    requirement: str
    rule: str
    title: str
    must: bool
    level: Literal["behaviour", "explain", "exact"]
    needs: list[str]
    defects: list[str]
    slow: bool


class Start(Response, frozen=True, kw_only=True):
    """The suite is sound, the target has said who it is; these profiles are going to be run."""

    target: str
    way: Literal["in-process", "wire"]
    kit: str
    suite: str
    profiles: list[str]
    implementation: Implementation | None
    collected: list[Collected]


class Found(Response, frozen=True, kw_only=True):
    """One scenario has been run."""

    result: ScenarioResult


class Selection(Response, frozen=True, kw_only=True):
    """Collected scenarios that pytest was told to leave out; they are going to have no result.

    Attributes:
        left_out: their ids.
        by: the options, in words.
    """

    left_out: list[str]
    by: str


class End(Response, frozen=True, kw_only=True):
    """The suite has come to its end."""

    exitstatus: int
    error: str | None


class Hung(Response, frozen=True, kw_only=True):
    """A call in process did not come back, so the run was ended.

    Attributes:
        scenario: its id; null before the first one.
        seconds: that the call had.
        evidence: where it stood.
    """

    scenario: str | None
    operation: str
    seconds: float
    evidence: str


class Abort(Response, frozen=True, kw_only=True):
    """The suite is unsound; nothing was run."""

    findings: list[str]


class Unreachable(Response, frozen=True, kw_only=True):
    """The target could not be spoken to; nothing was run."""

    error: str
    blame: Literal["implementation", "harness"]


_KINDS: dict[str, type[Response]] = {
    "start": Start,
    "result": Found,
    "hang": Hung,
    "selection": Selection,
    "end": End,
    "abort": Abort,
    "unreachable": Unreachable,
}


@dataclass(kw_only=True)
class Events:
    """What the events come to.

    Attributes:
        results: the sound ones by id.
        problems: sentences; with any of them the run can't be trusted as a whole.
    """

    start: Start | None = None
    results: dict[str, ScenarioResult] = field(default_factory=dict)
    hang: Hung | None = None
    selection: Selection | None = None
    end: End | None = None
    abort: Abort | None = None
    unreachable: Unreachable | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def stopped(self) -> bool:
        """Whether the suite has said itself why nothing was run."""
        return self.abort is not None or self.unreachable is not None

    @property
    def missing(self) -> list[Collected]:
        """Scenarios that were collected and have no sound result, in order."""
        return [c for c in (self.start.collected if self.start else []) if c.id not in self.results]


def parse(data: bytes) -> Events:
    """Read a file of events, whole or broken off anywhere. Never raises."""
    events = Events()
    *lines, rest = data.split(b"\n")
    for place, line in enumerate(lines, 1):
        _read(events, place, line)
    if rest:
        events.problems.append("The last event was written only in part.")
    if events.hang is not None:
        events.problems.append(_hung(events.hang))
    elif events.start is None and not events.stopped:
        events.problems.append("The suite never started.")
    elif events.end is None and not events.stopped:
        events.problems.append(_broke_off(events))
    if events.end is not None and events.end.error is not None:
        events.problems.append(f"The run ended with an error: {events.end.error}")
    return events


def _hung(hang: Hung) -> str:
    where = f"in {hang.scenario}" if hang.scenario else "before the first scenario"
    return (
        f"The run was ended {where}: {harmless(hang.operation)} did not answer within "
        f"{hang.seconds:g} seconds, and in process no call can be ended alone."
    )


def _broke_off(events: Events) -> str:
    assert events.start is not None
    missing = events.missing
    told = f"The run broke off after {len(events.results):,} of " + number(
        len(events.start.collected), "scenario"
    )
    return f"{told}; {missing[0].id} was next." if missing else f"{told}, before its end."


def _read(events: Events, place: int, line: bytes) -> None:
    try:
        kind, event = _event(line)
    except (ValueError, msgspec.ValidationError) as error:
        told = shortened(harmless(str(error)), 200)
        events.problems.append(f"Line {place} of the events is not one: {told}")
        return
    if events.end is not None:
        events.problems.append(f"Line {place} of the events comes after their end: {kind}.")
    elif isinstance(event, Found):
        _found(events, event.result)
    elif getattr(events, kind) is not None:
        events.problems.append(f"Line {place} of the events is a second {kind}.")
    else:
        setattr(events, kind, event)
        if isinstance(event, Start):
            _started(events, event)


def _event(line: bytes) -> tuple[str, Response]:
    # The standard parser, because it reads a lone surrogate, which a store may well have answered
    # and which msgspec refuses.
    plain: Any = without_lone_surrogates(json.loads(line, parse_constant=str))
    if not isinstance(plain, dict) or plain.get("event") not in _KINDS:
        raise ValueError("it names no known event")
    kind = plain.pop("event")
    return kind, from_plain(plain, _KINDS[kind])


def _started(events: Events, start: Start) -> None:
    if twice := repeated(scenario.id for scenario in start.collected):
        events.problems.append(f"Collected more than once: {listed(twice)}.")


def _found(events: Events, result: ScenarioResult) -> None:
    collected = events.start.collected if events.start else []
    scenario = next((c for c in collected if c.id == result.id), None)
    if scenario is None:
        events.problems.append(f"{result.id} has a result, but was not collected.")
        return
    if result.id in events.results:
        events.problems.append(f"{result.id} has more than one result.")
        return
    problems = _differences(scenario, result)
    if events.start is not None and events.start.implementation is not None:
        problems += contradictions(result, events.start.implementation.capabilities)
    if problems:
        events.problems += [f"{result.id} {problem}." for problem in problems]
    else:
        events.results[result.id] = result


def _differences(scenario: Collected, result: ScenarioResult) -> list[str]:
    differing = [
        name
        for name in scenario.__struct_fields__
        if getattr(scenario, name) != getattr(result, name)
    ]
    return [f"has another {listed(differing)} than when it was collected"] if differing else []


def ids(scenarios: Iterable[Collected]) -> list[str]:
    """Their ids, in order, each once."""
    return list(dict.fromkeys(scenario.id for scenario in scenarios))
