"""What a run has found: outcomes of scenarios, verdicts of profiles, the report that is kept.

An outcome knows what it counts as, so nobody compares words.
"""

from __future__ import annotations

import enum
from typing import Any, Literal

import msgspec

from memconform.model.base import Response

REPORT_SCHEMA = "memconform-report-1"
NOTHING_FOUND = "nothing"  # what a failure has seen where an answer was without a hit


class Outcome(enum.Enum):
    """What became of one scenario."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # a crash, a time-out, a message that breaks the protocol
    UNSTABLE = "unstable"  # run several times, it passed in some runs and broke in others
    UNSUPPORTED = "unsupported"  # a capability that the scenario needs isn't declared
    NOT_TESTABLE = "not-testable"  # a prerequisite failed; counts as failed
    DISPUTED = "disputed"  # run and shown, not scored, expires
    NOT_RUN = "not-run"

    @property
    def breaks(self) -> bool:
        """Whether a MUST scenario with this outcome makes its profile non-conformant."""
        return self in (Outcome.FAILED, Outcome.ERROR, Outcome.UNSTABLE, Outcome.NOT_TESTABLE)

    @property
    def measured(self) -> bool:
        """Whether the scenario said anything about the implementation."""
        return self is Outcome.PASSED or self.breaks

    @property
    def answered(self) -> bool:
        """Whether the scenario came as far as its question, so that the answer could be judged."""
        return self in (Outcome.PASSED, Outcome.FAILED, Outcome.UNSTABLE)


class Verdict(enum.Enum):
    """What the outcomes of a profile come to. Never a bare percentage."""

    CONFORMANT = "conformant"
    PARTIAL = "partial"
    NON_CONFORMANT = "non-conformant"
    NOT_MEASURED = "not measured"

    @property
    def exit_code(self) -> int:
        """0 conformant, 1 not conformant (partial among them), 2 not measured."""
        return {Verdict.CONFORMANT: 0, Verdict.NOT_MEASURED: 2}.get(self, 1)


class StepResult(Response, frozen=True, kw_only=True):
    """One step as it stood in the feature, and how far the scenario came."""

    keyword: str
    text: str
    outcome: Literal["passed", "failed", "error", "skipped"]


class CallRecord(Response, frozen=True, kw_only=True):
    """One call to the store: what was asked, what came back (exactly one of the last three)."""

    operation: str
    arguments: dict[str, Any]
    answer: dict[str, Any] | None
    error: dict[str, Any] | None
    fault: str | None


class Failure(Response, frozen=True, kw_only=True):
    """Why a scenario did not pass, in words.

    Attributes:
        blame: ``implementation``, or ``harness`` where the kit or its step is at fault.
        kind: ``assertion`` for a disappointed expectation; else crash, timeout, bad-message,
            refused (an unexpected structured error), prerequisite or exception.
    """

    step: str
    expected: str
    seen: str
    blame: Literal["implementation", "harness"]
    kind: Literal[
        "assertion", "crash", "timeout", "bad-message", "refused", "prerequisite", "exception"
    ]
    evidence: str | None


class ScenarioResult(Response, frozen=True, kw_only=True):
    """One scenario (or one example row of an outline) run against one implementation.

    Attributes:
        id: ``capability/scenario-slug``, with ``[n]`` for the n-th example row; never changes
            while the title stays.
        requirement: slug of the requirement (``capability/requirement-slug`` is the ``@req`` tag).
        rule: title of the requirement.
        missing: capabilities needed and not declared, when unsupported.
        calls: the calls made to the store, in order; only kept where the scenario didn't pass.
        reproduce: the command that runs this scenario alone; where it was unstable, the one that
            runs its profile as often and in the same orders.
        runs: its outcomes in the order of the runs; empty where the suite was run once.
    """

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
    outcome: Outcome
    missing: list[str]
    failure: Failure | None
    steps: list[StepResult]
    calls: list[CallRecord]
    reproduce: str
    seconds: float
    # Fields with a default are younger than the schema's name: older reports go without them.
    runs: list[Outcome] = msgspec.field(default_factory=list)


class Implementation(Response, frozen=True, kw_only=True):
    """Who was measured, as it said itself."""

    name: str
    version: str
    language: str
    homepage: str | None
    protocol: str
    capabilities: list[str]
    profiles: list[str]
    policies: dict[str, Any]


class ProfileVerdict(Response, frozen=True, kw_only=True):
    """The verdict of one profile and the counts behind it.

    Attributes:
        reasons: one sentence each, why the verdict isn't conformant.
        counts: number of scenarios by outcome, MUST scenarios only.
        should_counts: the same for SHOULD scenarios, which never change the verdict.
    """

    profile: str
    verdict: Verdict
    reasons: list[str]
    counts: dict[str, int]
    should_counts: dict[str, int]


Finding = Literal[
    "kept",  # what is said is so
    "over-claimed",  # declared, and it doesn't work at all
    "under-claimed",  # works, and isn't declared
    "refused otherwise",  # not declared and refused, but not as unsupported
    "borrowed",  # the answers are those of the kit's own reference store
    "own memory",  # the adapter answers without the system that it is to speak for
    "contradictory",  # two things are declared that can't both be so
    "broke off",  # the probe came to no answer
    "not looked at",  # there was nothing to tell it by
]


class Probe(Response, frozen=True, kw_only=True):
    """One look, beside the scenarios, at whether an implementation is what it says it is.

    Attributes:
        subject: ``reference`` (does it answer with the kit's own store), ``cut-off`` (does it
            answer without its system), ``policies`` (does what it declares agree with itself),
            ``probes`` (the whole lot of them), or a capability's name.
        told: one sentence; of what is kept, an empty one.
        evidence: what there is to look at.
    """

    subject: str
    finding: Finding
    told: str
    evidence: str | None

    @property
    def disqualifies(self) -> bool:
        """Whether the adapter is at fault in a way that leaves the system unmeasured.

        Source: the store protocol, rule 7 of the suite: an adapter that answers with the kit's own
        reference store, or without the system under test, is caught.
        """
        return self.finding in ("borrowed", "own memory")


class Report(Response, frozen=True, kw_only=True):
    """One run of the suite against one target, or several runs folded into one.

    Attributes:
        target: the TARGET string that was certified.
        way: how it was reached: ``in-process`` or ``wire``.
        kit: the kit's own version.
        suite: SHA-256 over the features and specs that were run.
        collected: ids of all scenarios that belong to the profiles, in order; each has a result.
        started: ISO 8601 UTC; with ``seconds`` and ``digest`` all that differs between two runs.
        repeat: how many runs of the suite it tells of.
        shuffle: the seed that the orders of the scenarios come from; null is the suite's own order.
        probes: what was looked at beside the scenarios; empty where it wasn't.
        digest: SHA-256 over the canonical JSON of everything else (see verdict/seal.py); null
            where nobody has sealed it.
    """

    schema: str
    target: str
    way: Literal["in-process", "wire"]
    kit: str
    suite: str
    implementation: Implementation | None
    profiles: list[ProfileVerdict]
    collected: list[str]
    results: list[ScenarioResult]
    error: str | None
    started: str
    seconds: float
    repeat: int = 1
    shuffle: int | None = None
    probes: list[Probe] = msgspec.field(default_factory=list)
    digest: str | None = None
