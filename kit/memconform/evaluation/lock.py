"""The lock: the one configuration that was chosen on development, before the holdout is seen.

Without it, trying one configuration after the other on the holdout would make it a second
development set. A lock is written beside a development report and asked for by the holdout.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from memconform.evaluation.report import EvaluationReport, digest, encoded
from memconform.model import RelevanceMode, Response
from memconform.verdict.words import number

SCHEMA_VERSION = 1


class LockError(Exception):
    """The holdout stays closed; the message is one sentence that says why."""


class Lock(Response, frozen=True, kw_only=True):
    """One configuration.

    Attributes:
        dataset: SHA-256 of the manifest.
        target: the TARGET string.
        name: as the implementation says itself, as the version.
        development_report: SHA-256 of the report that it was chosen by.
        gates: SHA-256 of the file of gates that was declared with it; null where none was. A
            lock of before there were gates has none.
        terminology: SHA-256 of the terminology map that was measured beside it; null as well.
    """

    schema_version: int
    chosen_on: Literal["development"]
    dataset: str
    target: str
    name: str
    version: str
    gate: RelevanceMode
    k: int
    development_report: str
    gates: str | None = None
    terminology: str | None = None


def lock_of(report: EvaluationReport) -> Lock:
    """The lock that names the configuration of a development report.

    Raises:
        LockError: the report is of the holdout, or not of every query.
    """
    if report.dataset.split != "development":
        raise LockError("A configuration is chosen on development, not on the holdout.")
    if report.failed:
        raise LockError(
            f"{number(len(report.failed), 'query', 'queries')} failed; choose a configuration by "
            "a report of all of them."
        )
    return Lock(
        schema_version=SCHEMA_VERSION,
        chosen_on="development",
        dataset=report.dataset.digest,
        target=report.evaluated.target,
        name=report.evaluated.name,
        version=report.evaluated.version,
        gate=report.gate,
        k=report.k,
        development_report=digest(encoded(report)),
        gates=None if report.gates is None else report.gates.digest,
        terminology=None if report.terminology is None else report.terminology.digest,
    )


def load(path: Path) -> tuple[Lock, str]:
    """Read a lock and the SHA-256 of its file.

    Raises:
        LockError: it isn't there, or is no lock of this version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LockError(f"The lock {path} can't be read: {error.strerror}.") from error
    try:
        lock = msgspec.json.decode(data, type=Lock)
    except msgspec.DecodeError as error:
        raise LockError(f"{path} is no lock of one configuration: {error}.") from error
    if lock.schema_version != SCHEMA_VERSION:
        raise LockError(
            f"The lock {path} has the schemaVersion {lock.schema_version}; "
            f"this kit reads {SCHEMA_VERSION}."
        )
    return lock, digest(data)


def check(
    lock: Lock,
    *,
    dataset: str,
    target: str,
    name: str,
    version: str,
    gate: RelevanceMode,
    k: int,
    gates: str | None = None,
    terminology: str | None = None,
) -> None:
    """See that this is the configuration that the lock names, to be decided by the same gates.

    Raises:
        LockError: it is another one; the sentence says in what.
    """
    for thing, locked, asked in (
        ("dataset", lock.dataset, dataset),
        ("target", lock.target, target),
        ("implementation", lock.name, name),
        ("version", lock.version, version),
        ("gate", lock.gate, gate),
        ("K", lock.k, k),
        ("terminology map", lock.terminology, terminology),
    ):
        if locked != asked:
            raise LockError(
                f"The lock names {_locked(thing, locked, asked)}; "
                "score the configuration that was chosen on development."
            )
    if lock.gates == gates:
        return
    if lock.gates is None:
        raise LockError(
            "The lock names no gates; declare them on development, before the holdout is seen."
        )
    if gates is None:
        raise LockError(f"The lock names the gates {lock.gates[:12]}; give them, too.")
    raise LockError(
        "The gates were changed after the configuration was chosen: the lock names "
        f"{lock.gates[:12]}, these are {gates[:12]}."
    )


def _locked(thing: str, locked: object, asked: object) -> str:
    if locked is None:
        return f"no {thing}"
    return f"the {thing} {locked!r}, not {'none' if asked is None else repr(asked)}"
