"""The documents that ``--json`` prints. Their JSON Schemas are generated from these types."""

from __future__ import annotations

import sys

import msgspec

from memconform.evaluation.configuration import Origin
from memconform.evaluation.diagnosis import Cause
from memconform.evaluation.report import EvaluationReport, Floors, Times
from memconform.model.base import Response
from memconform.model.report import Report
from memconform.sweep.figures import Figures
from memconform.verdict.compare import Changes
from memconform.verdict.diff import Differences
from memconform.verdict.json_text import inert
from memconform.verdict.matrix import Matrix
from memconform.verdict.verify import Verification

CERTIFY_SCHEMA = "memconform-certify-1"
AUDIT_SCHEMA = "memconform-audit-1"
SWEEP_SCHEMA = "memconform-sweep-1"
EVALUATE_SCHEMA = "memconform-evaluate-1"
CALIBRATE_SCHEMA = "memconform-calibrate-1"
DIAGNOSE_SCHEMA = "memconform-diagnose-1"
VERIFY_SCHEMA = "memconform-verify-1"
DIFF_SCHEMA = "memconform-diff-1"
MATRIX_SCHEMA = "memconform-matrix-1"


class Certified(Response, frozen=True, kw_only=True):
    """What ``certify --json`` prints.

    Attributes:
        exit_code: 0 conformant (or as the baseline), 1 not, 2 not measured; the worst of all.
        reports: one a target, in the order given.
        changes: one for each target that has a baseline.
    """

    schema: str
    exit_code: int
    reports: list[Report]
    changes: list[Changes]


class VerifyDocument(Response, frozen=True, kw_only=True):
    """What ``verify --json`` prints.

    Attributes:
        exit_code: 0 where the report follows from itself, 1 where it doesn't.
        unproven: what even a sound report with a digest doesn't prove.
    """

    schema: str
    exit_code: int
    sound: bool
    verification: Verification
    unproven: str


class DiffDocument(Response, frozen=True, kw_only=True):
    """What ``diff --json`` prints.

    Attributes:
        exit_code: 0 where nothing differs in what was found and declared, 1 where something does.
        differences: one for each pair of reports, in the order of the folders.
        only_old: folders that hold a report only in the old place.
        only_new: the same for the new one.
    """

    schema: str
    exit_code: int
    differences: list[Differences]
    only_old: list[str]
    only_new: list[str]


class MatrixDocument(Response, frozen=True, kw_only=True):
    """What ``matrix --json`` prints."""

    schema: str
    matrix: Matrix


class FloorRow(Response, frozen=True, kw_only=True):
    """What one floor does: memories of unrelated questions let through, answers lost, extra ones.

    Attributes:
        lost: by the cosine alone.
        lost_for_good: those of them that no other signal lets in.
    """

    floor: float
    let_through: int
    lost: int
    lost_for_good: int
    extra: int


class CalibrateDocument(Response, frozen=True, kw_only=True):
    """What ``calibrate --json`` prints.

    Attributes:
        sha256: of the dataset's file.
        chosen: the lowest floor that lets nothing unrelated through; it belongs to ``embedder``.
        complete: the highest floor that loses no answer.
        separable: whether one floor does both.
    """

    schema: str
    embedder: str
    dataset: str
    sha256: str
    chosen: float
    complete: float
    separable: bool
    steps: list[FloorRow]


class DiagnoseDocument(Response, frozen=True, kw_only=True):
    """What ``diagnose --json`` prints.

    Attributes:
        rank: the place among all hits, from 1; null where it is none of them.
        evidence: what was asked and seen, a sentence each, in order.
        hint: what to do.
    """

    schema: str
    cause: Cause
    rank: int | None
    evidence: list[str]
    hint: str


class AuditFinding(Response, frozen=True, kw_only=True):
    """One thing that is wrong with the suite; ``where`` is ``file:line`` or a scenario id."""

    code: str
    where: str
    message: str


class StepUse(Response, frozen=True, kw_only=True):
    """One text of the step vocabulary, and how many steps of the features use it."""

    text: str
    uses: int


class Audit(Response, frozen=True, kw_only=True):
    """What ``audit --json`` prints.

    Attributes:
        suite: SHA-256 over all specs and features.
        scenarios: as they run, example rows counted.
    """

    schema: str
    suite: str
    specs: int
    requirements: int
    features: int
    scenarios: int
    vocabulary: list[StepUse]
    findings: list[AuditFinding]


class EvaluateDocument(Response, frozen=True, kw_only=True):
    """What ``evaluate --json`` prints; ``report`` is the same whenever it is run again."""

    schema: str
    report: EvaluationReport
    times: Times


class SweepCurve(Response, frozen=True, kw_only=True):
    """Every figure at every threshold, lists of one length; null for a mean of nothing.

    Attributes:
        dimension: language, category or split; null for all retrievals together.
        group: of the dimension.
        threshold: ascending; the last is null and means above all gate values.
    """

    dimension: str | None
    group: str | None
    retrievals: int
    answerable: int
    silent: int
    threshold: list[float | None]
    recall: list[float | None]
    precision: list[float | None]
    mrr: list[float | None]
    success: list[float | None]
    abstention: list[float | None]
    false_positives: list[float | None]
    forbidden: list[float | None]
    selected: list[float | None]
    passed: list[float | None]
    hits: list[float | None]


class SweepChoice(Response, frozen=True, kw_only=True):
    """A floor that the rule chose.

    Attributes:
        group: latin or cjk; null for all retrievals together.
        threshold: the floor; null where no gate value keeps to the rule.
        above: floors above this one up to the threshold give the same; null for all below, too.
    """

    group: str | None
    rule: str
    threshold: float | None
    above: float | None
    figures: Figures | None


class SweepDocument(Response, frozen=True, kw_only=True):
    """What ``sweep --json`` prints.

    Attributes:
        notes: sentences that a reader of the figures should know.
        curves: of all retrievals first, then of the groups that were asked for.
        choices: what the rule chose.
        floors: those that were given or chosen; null where there are not two.
        figures: at these.
    """

    schema: str
    k: int
    feature: str
    origin: Origin
    candidates: int
    notes: list[str]
    curves: list[SweepCurve]
    choices: list[SweepChoice]
    floors: Floors | None
    figures: Figures | None


DOCUMENTS: dict[str, type[Response]] = {
    "certify": Certified,
    "audit": Audit,
    "evaluate": EvaluateDocument,
    "sweep": SweepDocument,
    "report": Report,
}


def print_document(document: Response) -> None:
    """Print a document as JSON, UTF-8 whatever the terminal speaks; active characters escaped."""
    data = msgspec.json.encode(document, order="deterministic")
    text = inert(msgspec.json.format(data, indent=1).decode())
    sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.buffer.flush()
