"""From what a caller hands in to what is kept: defaults, bounds, and a sentence for each refusal.

Source: retrieval-foundation, "Records get typed defaults" and "Contradictory drafts are
refused".
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from itertools import count
from typing import Any, TypeVar, get_args

import msgspec

from memconform.model import (
    MEMORY_TYPES,
    MemoryType,
    Record,
    RecordDraft,
    Source,
    SourceDraft,
    from_plain,
    has_lone_surrogate,
    to_plain,
)
from memconform.model.record import Authority, RecordScope, SourceKind, SourceTrust
from memconform.protocol.errors import Invalid
from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.times import canonical_time, format_time, milliseconds, parse_time
from memconform.retrieval.tokens import normalise

SCOPES: tuple[RecordScope, ...] = get_args(RecordScope)
AUTHORITIES: tuple[Authority, ...] = get_args(Authority)
SOURCE_KINDS: tuple[SourceKind, ...] = get_args(SourceKind)
SOURCE_TRUSTS: tuple[SourceTrust, ...] = get_args(SourceTrust)

Choice = TypeVar("Choice", bound=str)


def record_from_draft(
    draft: RecordDraft, *, id: str, now: str, constants: Constants = FOUNDATION
) -> Record:
    """The record that a draft becomes, with every default filled in.

    Args:
        draft: what the caller hands in. A store puts its default place into it first: a workspace
            or project record without a place is refused here, since nobody could ever see it.
            Places and names of other designs (``key``, ``namespace``, ``session``) are not read.
        id: the record's id, given or generated.
        now: the time of the write, ISO 8601 UTC.
        constants: the figures in force.

    Raises:
        Invalid: the draft breaks a rule; ``detail["field"]`` names the field.
    """
    if has_lone_surrogate(to_plain(draft)):
        raise _invalid("content", "The record holds half of a surrogate pair; send Unicode text.")
    _check_content(draft.content)
    scope: RecordScope = (
        "workspace" if draft.scope is None else _choice("scope", draft.scope, SCOPES)
    )
    _check_place(draft, scope)
    sources = _sources(draft.sources, constants)
    written = _time("now", now)
    created = _optional_time("createdAt", draft.created_at) or _optional_time(
        "updatedAt", draft.updated_at
    )
    valid_from, valid_to = (
        _optional_time("validFrom", draft.valid_from),
        _optional_time("validTo", draft.valid_to),
    )
    _check_validity(valid_from, valid_to)
    if draft.supersedes == id:
        raise _invalid("supersedes", "A record cannot supersede itself; name an older one.")
    return Record(
        id=_identifier("id", id, constants),
        content=draft.content,
        scope=scope,
        workspace=draft.workspace,
        project=draft.project,
        type=(
            type_from_tags(draft.tags, constants)
            if draft.type is None
            else _choice("type", draft.type, MEMORY_TYPES)
        ),
        authority=(
            "reference"
            if draft.authority is None
            else _choice("authority", draft.authority, AUTHORITIES)
        ),
        tags=list(draft.tags),
        confidence=_unit("confidence", draft.confidence, constants.default_confidence),
        importance=_unit("importance", draft.importance, importance_of(sources, constants)),
        created_at=created or written,
        updated_at=_optional_time("updatedAt", draft.updated_at) or created or written,
        # Left open when not given: it then follows updatedAt, also after a later update.
        observed_at=_optional_time("observedAt", draft.observed_at),
        valid_from=valid_from,
        valid_to=valid_to,
        expires_at=_expiry(draft, written),
        disabled_at=None,
        deleted_at=None,
        superseded_at=None,
        supersedes=draft.supersedes,
        agent_visible=draft.agent_visible,
        sources=sources,
        version=1,
    )


def revised(
    record: Record,
    *,
    now: str,
    content: str | None = None,
    tags: Iterable[str] | None = None,
    confidence: float | None = None,
) -> Record:
    """The next version of a record; None leaves a field as it is.

    Raises:
        Invalid: a new value breaks the rule that it would break in a draft.
    """
    new_tags = record.tags if tags is None else list(tags)
    new_content = record.content if content is None else content
    if has_lone_surrogate([new_content, new_tags]):
        raise _invalid("content", "The record holds half of a surrogate pair; send Unicode text.")
    _check_content(new_content)
    return msgspec.structs.replace(
        record,
        content=new_content,
        tags=new_tags,
        confidence=_unit("confidence", confidence, record.confidence),
        updated_at=_time("now", now),
        version=record.version + 1,
    )


def stored_record(plain: Any) -> Record:
    """A record read back from where it is kept, which another program may have written.

    Times of validity decide whether it may be seen at all, so they must be readable; the others
    are kept as they stand, and one that cannot be read makes the record count as fresh.

    Raises:
        Invalid: it is malformed. The sentence holds no text of the record.
    """
    try:
        record = from_plain(plain, Record)
    except msgspec.ValidationError as error:
        raise Invalid("The stored record does not have the shape of a record.") from error
    if has_lone_surrogate(plain):
        raise Invalid("The stored record holds half of a surrogate pair.")
    valid_from, valid_to = (
        _optional_time("validFrom", record.valid_from),
        _optional_time("validTo", record.valid_to),
    )
    _check_validity(valid_from, valid_to)
    if len({source.id for source in record.sources}) < len(record.sources):
        raise _invalid("sources", "Two sources of the stored record have the same id.")
    if record.supersedes == record.id:
        raise _invalid("supersedes", "The stored record supersedes itself.")
    return msgspec.structs.replace(
        record,
        created_at=_readable(record.created_at),
        updated_at=_readable(record.updated_at),
        observed_at=record.observed_at and _readable(record.observed_at),
        valid_from=valid_from,
        valid_to=valid_to,
        expires_at=_optional_time("expiresAt", record.expires_at),
    )


def type_from_tags(tags: Iterable[str], constants: Constants = FOUNDATION) -> MemoryType:
    """The type that the tags say, the first in the order of the types; ``fact`` if none does."""
    normalised = {normalise(tag) for tag in tags}
    for kind, names in constants.type_tags:
        if not normalised.isdisjoint(names):
            return kind
    return "fact"


def importance_of(sources: Iterable[Source], constants: Constants = FOUNDATION) -> float:
    """Importance by provenance: the kind of the first source decides."""
    first = next(iter(sources), None)
    by_kind = dict(constants.importance_by_source)
    otherwise = constants.importance_otherwise
    return otherwise if first is None else by_kind.get(first.kind, otherwise)


def _invalid(field: str, sentence: str) -> Invalid:
    return Invalid(sentence, {"field": field})


def _check_content(content: str) -> None:
    if not content.strip():
        raise _invalid("content", "content is empty; write at least one visible character.")


def _check_place(draft: RecordDraft, scope: RecordScope) -> None:
    for field, place in (("workspace", draft.workspace), ("project", draft.project)):
        if place is not None and not place.strip():
            raise _invalid(field, f"{field} is empty; give a path or leave it out.")
    if scope == "workspace" and draft.workspace is None:
        raise _invalid("workspace", "A record of scope workspace needs a workspace; give its path.")
    if scope == "project" and draft.project is None and draft.workspace is None:
        raise _invalid("project", "A record of scope project needs a project or a workspace path.")


def _check_validity(valid_from: str | None, valid_to: str | None) -> None:
    # Both are canonical by now, so the texts compare like the times.
    if valid_from is not None and valid_to is not None and valid_from > valid_to:
        raise _invalid("validFrom", "validFrom is after validTo; swap or correct them.")


def _identifier(field: str, value: str, constants: Constants) -> str:
    if not 1 <= len(value) <= constants.identifier_length:
        raise _invalid(field, f"{field} must have 1 to {constants.identifier_length} characters.")
    return value


def _choice(field: str, value: str, choices: tuple[Choice, ...]) -> Choice:
    for choice in choices:
        if choice == value:
            return choice
    raise _invalid(field, f"{field} is unknown; give one of {', '.join(choices)}.")


def _unit(field: str, value: float | None, default: float) -> float:
    if value is None:
        return default
    # A comparison with not-a-number is false, so that is refused, too.
    if not 0 <= value <= 1:
        raise _invalid(field, f"{field} is out of range; give a number from 0 to 1.")
    return float(value)


def _optional_time(field: str, text: str | None) -> str | None:
    return None if text is None else _time(field, text)


def _time(field: str, text: str) -> str:
    try:
        return canonical_time(text)
    except ValueError as error:
        raise _invalid(
            field,
            f"{field} is not a time; give ISO 8601 with a zone, such as 2026-01-01T00:00:00Z.",
        ) from error


def _readable(text: str) -> str:
    return text if milliseconds(text) is None else canonical_time(text)


def _expiry(draft: RecordDraft, written: str) -> str | None:
    if draft.ttl_ms is None:
        return _optional_time("expiresAt", draft.expires_at)
    if draft.expires_at is not None:
        raise _invalid("ttlMs", "Both ttlMs and expiresAt are given; give one of them.")
    if draft.ttl_ms <= 0:
        raise _invalid("ttlMs", "ttlMs must be a positive number of milliseconds.")
    try:
        return format_time(parse_time(written) + timedelta(milliseconds=draft.ttl_ms))
    except OverflowError as error:
        raise _invalid(
            "ttlMs", "ttlMs reaches beyond the year 9999; give a shorter one."
        ) from error


def _sources(drafts: tuple[SourceDraft, ...], constants: Constants) -> list[Source]:
    if len(drafts) > constants.source_limit:
        raise _invalid("sources", f"A record has at most {constants.source_limit} sources.")
    given = [draft.id for draft in drafts if draft.id is not None]
    if len(set(given)) < len(given):
        raise _invalid("sources", "Two sources have the same id; make the ids unique.")
    free = (name for n in count(1) if (name := f"source-{n}") not in given)
    return [
        _source(draft, next(free) if draft.id is None else draft.id, constants) for draft in drafts
    ]


def _source(draft: SourceDraft, id: str, constants: Constants) -> Source:
    return Source(
        id=_identifier("sources.id", id, constants),
        kind=_choice("sources.kind", draft.kind, SOURCE_KINDS),
        locator=_bounded("sources.locator", draft.locator, constants.locator_length),
        excerpt=_bounded("sources.excerpt", draft.excerpt, constants.excerpt_length),
        trust=_choice("sources.trust", draft.trust, SOURCE_TRUSTS),
        thread_id=draft.thread_id,
        turn_id=draft.turn_id,
        item_id=draft.item_id,
        content_hash=draft.content_hash,
    )


def _bounded(field: str, value: str | None, length: int) -> str | None:
    if value is not None and len(value) > length:
        raise _invalid(field, f"{field} is longer than {length} characters; shorten it.")
    return value
