"""A dataset: records, queries with labels, and a manifest that says what there must be.

A dataset is refused whole, with one sentence and before anything runs, when anything about it is
wrong: a figure measured on a damaged dataset looks like any other figure.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from memconform.model import Access, Policy, Record, RecordDraft, Request, Response, SourceDraft
from memconform.protocol import Invalid
from memconform.retrieval import FOUNDATION, Constants, record_from_draft
from memconform.retrieval.lifecycle import still_active
from memconform.retrieval.request import for_purpose
from memconform.retrieval.scope import within_scope
from memconform.retrieval.times import canonical_time

SCHEMA_VERSION = 1
MANIFEST, RECORDS, QUERIES = "manifest.json", "records.json", "queries.json"

Split = Literal["development", "holdout"]
Language = Literal["en", "zh"]
Category = Literal[
    "lexical-control",
    "semantic-paraphrase",
    "cross-lingual",
    "terse-abstract",
    "scope-lifecycle-negative",
    "no-result-authority-safety",
    "multi-relevant",
]
# Where a record stands for one query: eligible, or the first wall that it is behind.
Standing = Literal["eligible", "out-of-scope", "inactive", "directive"]
T = TypeVar("T")


class DatasetError(Exception):
    """The dataset can't be used; the message is one sentence that says why."""


class DatasetRecord(Request, frozen=True, kw_only=True):
    """A memory of a dataset: what a caller hands in, and the states it is in since."""

    id: str
    content: str
    created_at: str
    scope: str = "workspace"
    workspace: str | None = None
    project: str | None = None
    type: str | None = None
    authority: str | None = None
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    importance: float | None = None
    updated_at: str | None = None
    observed_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    disabled_at: str | None = None
    deleted_at: str | None = None
    superseded_at: str | None = None
    supersedes: str | None = None
    agent_visible: bool = True
    sources: tuple[SourceDraft, ...] = ()

    def draft(self) -> RecordDraft:
        """What is written to a store; the states follow by calls of their own."""
        return RecordDraft(
            key=self.id,
            content=self.content,
            scope=self.scope,
            workspace=self.workspace,
            project=self.project,
            type=self.type,
            authority=self.authority,
            tags=self.tags,
            confidence=self.confidence,
            importance=self.importance,
            created_at=self.created_at,
            updated_at=self.updated_at,
            observed_at=self.observed_at,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            expires_at=self.expires_at,
            supersedes=self.supersedes,
            agent_visible=self.agent_visible,
            sources=self.sources,
        )

    def record(self, *, now: str, constants: Constants = FOUNDATION) -> Record:
        """The memory as foundation keeps it.

        Raises:
            Invalid: it breaks a rule of records.
        """
        record = record_from_draft(self.draft(), id=self.id, now=now, constants=constants)
        return msgspec.structs.replace(
            record,
            disabled_at=_state_time("disabledAt", self.disabled_at),
            deleted_at=_state_time("deletedAt", self.deleted_at),
            superseded_at=_state_time("supersededAt", self.superseded_at),
        )

    @property
    def access(self) -> Access:
        """A caller who is where this memory belongs."""
        return Access(workspace=self.workspace or self.project, project=self.project)


class Query(Response, frozen=True, kw_only=True):
    """A question and what should come of it.

    Attributes:
        workspace: of the caller; null for a caller without one.
        expected_ids: relevant, eligible memories; none where nothing should be selected.
        forbidden_ids: eligible or not, must not be selected. What is out of scope, inactive or a
            directive is forbidden without being listed.
        rationale: why these ids.
    """

    id: str
    split: Split
    language: Language
    category: Category
    query: str
    workspace: str | None
    project: str | None
    expected_ids: tuple[str, ...]
    forbidden_ids: tuple[str, ...]
    rationale: str

    @property
    def access(self) -> Access:
        """The caller's place."""
        return Access(workspace=self.workspace, project=self.project)


class Counts(Response, frozen=True, kw_only=True):
    """How many there must be."""

    records: int
    development: int
    holdout: int


class Manifest(Response, frozen=True, kw_only=True):
    """What a dataset must be.

    Attributes:
        evaluation_time: what is taken for now, in the spelling 2026-01-01T00:00:00.000Z.
        quotas: split, category, language: the exact number of queries.
        files: SHA-256 in hex of each file's bytes.
    """

    schema_version: int
    name: str
    description: str
    evaluation_time: str
    counts: Counts
    quotas: dict[Split, dict[Category, dict[Language, int]]]
    files: dict[str, str]


class _Version(msgspec.Struct, rename="camel"):
    schema_version: Any = None


@dataclass(frozen=True)
class Dataset:
    """A dataset that has been found whole.

    Attributes:
        records: in file order; a memory that is superseded stands before its successor.
        stored: the same, as foundation keeps them.
        digest: SHA-256 in hex of the manifest, which pins the other files.
    """

    manifest: Manifest
    records: tuple[DatasetRecord, ...]
    stored: tuple[Record, ...]
    queries: tuple[Query, ...]
    digest: str

    @property
    def name(self) -> str:
        """The name in the manifest."""
        return self.manifest.name

    @property
    def now(self) -> str:
        """The evaluation time."""
        return self.manifest.evaluation_time

    def split(self, split: Split) -> tuple[Query, ...]:
        """The queries of one split, in file order."""
        return tuple(query for query in self.queries if query.split == split)

    def standing(self, query: Query) -> Mapping[str, Standing]:
        """Where each record stands for a query."""
        return standings(self.stored, query.access, self.now)

    @cached_property
    def successors(self) -> Mapping[str, str]:
        """Superseded id -> the id of the first record that names it."""
        named = [(r.supersedes, r.id) for r in reversed(self.records) if r.supersedes is not None]
        return dict(named)


def _state_time(field: str, text: str | None) -> str | None:
    try:
        return None if text is None else canonical_time(text)
    except ValueError as error:
        raise Invalid(f"{field} is {error}.", {"field": field}) from error


def standings(records: Iterable[Record], access: Access, now: str) -> dict[str, Standing]:
    """Where each record stands for a caller at a time, by the default policy."""
    scope = within_scope(records, access, Policy())
    lifecycle = still_active(scope.kept, now)
    purpose = for_purpose(lifecycle.kept, "injection")
    found: dict[str, Standing] = {drop.id: "out-of-scope" for drop in scope.dropped}
    found |= {drop.id: "inactive" for drop in lifecycle.dropped}
    found |= {drop.id: "directive" for drop in purpose.dropped}
    found |= {record.id: "eligible" for record in purpose.kept}
    return found


def load(folder: Path) -> Dataset:
    """Read a dataset from its folder.

    Raises:
        DatasetError: anything about it is wrong.
    """
    data = _read(folder / MANIFEST)
    manifest = _manifest(data)
    contents = {name: _read(folder / name) for name in (RECORDS, QUERIES)}
    _check_hashes(manifest, contents)
    records = _decoded(RECORDS, contents[RECORDS], tuple[DatasetRecord, ...])
    queries = _decoded(QUERIES, contents[QUERIES], tuple[Query, ...])
    stored = _checked_records(records, manifest.evaluation_time)
    _check_queries(queries, {record.id for record in records})
    _check_counts(manifest, records, queries)
    dataset = Dataset(manifest, records, stored, queries, hashlib.sha256(data).hexdigest())
    _check_expectations(dataset)
    return dataset


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path} can't be read: {error.strerror}.") from error


def _decoded(name: str, data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:  # a ValidationError is one, too
        raise DatasetError(f"{name} does not have the shape of its schema: {error}.") from error


def _manifest(data: bytes) -> Manifest:
    # First the version: another one may have other fields.
    version = _decoded(MANIFEST, data, _Version).schema_version
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise DatasetError(
            f"{MANIFEST} has the schemaVersion {version!r}; this kit reads {SCHEMA_VERSION}."
        )
    manifest = _decoded(MANIFEST, data, Manifest)
    try:
        canonical = canonical_time(manifest.evaluation_time)
    except ValueError as error:
        raise DatasetError(
            f"{MANIFEST} has an evaluationTime that is {error}: {manifest.evaluation_time!r}."
        ) from error
    if canonical != manifest.evaluation_time:
        raise DatasetError(
            f"{MANIFEST} spells evaluationTime {manifest.evaluation_time!r}; write {canonical!r}."
        )
    return manifest


def _check_hashes(manifest: Manifest, contents: Mapping[str, bytes]) -> None:
    if set(manifest.files) != set(contents):
        raise DatasetError(
            f"{MANIFEST} must name the files {' and '.join(contents)}, "
            f"not {', '.join(sorted(manifest.files)) or 'none'}."
        )
    for name, data in contents.items():
        found = hashlib.sha256(data).hexdigest()
        if found != manifest.files[name]:
            raise DatasetError(
                f"{name} has the SHA-256 {found}, the manifest says {manifest.files[name]}; "
                "restore the file, or make a new version of the dataset."
            )


def _checked_records(records: tuple[DatasetRecord, ...], now: str) -> tuple[Record, ...]:
    stored: list[Record] = []
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            raise DatasetError(f"The record id {record.id!r} occurs twice.")
        # Earlier only, so that no chain is a ring and a store can be filled in file order.
        if record.supersedes is not None and record.supersedes not in seen:
            raise DatasetError(
                f"Record {record.id!r} supersedes {record.supersedes!r}, "
                "which is no record before it."
            )
        seen.add(record.id)
        try:
            stored.append(record.record(now=now))
        except Invalid as error:
            raise DatasetError(f"Record {record.id!r} is malformed: {error}") from error
    named = {record.supersedes for record in records}
    for record in records:
        if record.superseded_at is not None and record.id not in named:
            raise DatasetError(
                f"Record {record.id!r} has a supersededAt and no record supersedes it."
            )
    return tuple(stored)


def _check_queries(queries: tuple[Query, ...], known: set[str]) -> None:
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise DatasetError(f"The query id {query.id!r} occurs twice.")
        seen.add(query.id)
        if not query.rationale.strip():
            raise DatasetError(f"Query {query.id!r} has no rationale.")
        for field, ids in (
            ("expectedIds", query.expected_ids),
            ("forbiddenIds", query.forbidden_ids),
        ):
            for id in ids:
                if id not in known:
                    raise DatasetError(
                        f"Query {query.id!r} names {id!r} in {field}, which is no record."
                    )
            if len(set(ids)) < len(ids):
                raise DatasetError(f"Query {query.id!r} names an id twice in {field}.")
        if both := set(query.expected_ids) & set(query.forbidden_ids):
            raise DatasetError(f"Query {query.id!r} both expects and forbids {min(both)!r}.")


def _check_counts(
    manifest: Manifest, records: tuple[DatasetRecord, ...], queries: tuple[Query, ...]
) -> None:
    by_split = Counter(query.split for query in queries)
    for thing, said, there in (
        ("records", manifest.counts.records, len(records)),
        ("development queries", manifest.counts.development, by_split["development"]),
        ("holdout queries", manifest.counts.holdout, by_split["holdout"]),
    ):
        if said != there:
            raise DatasetError(f"The manifest counts {said} {thing}, there are {there}.")
    found = Counter((query.split, query.category, query.language) for query in queries)
    quotas = Counter(
        {
            (split, category, language): number
            for split, categories in manifest.quotas.items()
            for category, languages in categories.items()
            for language, number in languages.items()
        }
    )
    for split, category, language in sorted({*found, *quotas}):
        key = (split, category, language)
        if found[key] != quotas[key]:
            raise DatasetError(
                f"The quota of {split} queries in {category}, {language} is {quotas[key]}, "
                f"there are {found[key]}."
            )


def _check_expectations(dataset: Dataset) -> None:
    what = {
        "out-of-scope": "is out of its scope",
        "inactive": "is inactive at the evaluation time",
        "directive": "is a directive, which never enters evidence",
    }
    for query in dataset.queries:
        standing = dataset.standing(query)
        for id in query.expected_ids:
            if standing[id] != "eligible":
                raise DatasetError(
                    f"Query {query.id!r} expects {id!r}, which {what[standing[id]]}."
                )
