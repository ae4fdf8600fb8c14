"""The documents that ``--json`` prints. Their JSON Schemas are generated from these types."""

from __future__ import annotations

import sys

import msgspec

from memconform.evaluation.report import EvaluationReport, Times
from memconform.model.base import Response
from memconform.model.report import Report
from memconform.verdict.compare import Changes

CERTIFY_SCHEMA = "memconform-certify-1"
AUDIT_SCHEMA = "memconform-audit-1"
EVALUATE_SCHEMA = "memconform-evaluate-1"


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


DOCUMENTS: dict[str, type[Response]] = {
    "certify": Certified,
    "audit": Audit,
    "evaluate": EvaluateDocument,
    "report": Report,
}


def print_document(document: Response) -> None:
    """Print a document as JSON, UTF-8 whatever the terminal speaks."""
    data = msgspec.json.encode(document, order="deterministic")
    sys.stdout.buffer.write(msgspec.json.format(data, indent=1) + b"\n")
    sys.stdout.buffer.flush()
