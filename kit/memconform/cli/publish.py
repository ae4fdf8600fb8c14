"""The published JSON Schemas of what the commands print with ``--json``, and of report.json.

``python -m memconform.cli.publish --write`` writes them into docs/schemas, ``--check`` says whether
the files there are current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memconform.cli import documents
from memconform.evaluation import report
from memconform.model.base import Response
from memconform.verdict.badge import Badge
from memconform.verdict.kills import KILLS_SCHEMA, Kills
from memconform.wire import publishing

BADGE_SCHEMA = "memconform-badge-1"

_PRINTED: dict[str, type[Response]] = {
    documents.CERTIFY_SCHEMA: documents.Certified,
    documents.AUDIT_SCHEMA: documents.Audit,
    documents.EVALUATE_SCHEMA: documents.EvaluateDocument,
    documents.SWEEP_SCHEMA: documents.SweepDocument,
    documents.CALIBRATE_SCHEMA: documents.CalibrateDocument,
    documents.DIAGNOSE_SCHEMA: documents.DiagnoseDocument,
    documents.VERIFY_SCHEMA: documents.VerifyDocument,
    documents.DIFF_SCHEMA: documents.DiffDocument,
    documents.MATRIX_SCHEMA: documents.MatrixDocument,
}


def files() -> dict[str, str]:
    """The files as they should be: name and text."""
    schemas = {
        name: publishing.schema_of(kind, name, f"What memconform {_command(name)} --json prints.")
        for name, kind in _PRINTED.items()
    }
    schemas[KILLS_SCHEMA] = publishing.schema_of(
        Kills, KILLS_SCHEMA, "What memconform audit --kills --json prints."
    )
    schemas[BADGE_SCHEMA] = publishing.schema_of(
        Badge, BADGE_SCHEMA, "badge.json, and what memconform badge prints: a shields.io endpoint."
    )
    schemas[report.SCHEMA] = publishing.schema_of(
        report.EvaluationReport, report.SCHEMA, "report.json of memconform evaluate --out."
    )
    return {
        f"{name.removeprefix('memconform-')}.json": publishing.as_text(schema)
        for name, schema in schemas.items()
    }


def stale(folder: Path) -> list[str]:
    """The names of the files that are missing from a folder or differ from what the types say."""
    return publishing.stale(folder, files())


def _command(name: str) -> str:
    return name.removeprefix("memconform-").rpartition("-")[0]


def main(arguments: list[str]) -> int:
    """Write the files, or check them; 1 when some are not current, 2 for a wrong call."""
    return publishing.main(arguments, files(), "memconform.cli.publish")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
