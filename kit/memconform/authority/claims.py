"""A claim: something that was said, where it holds, how long, and where it comes from.

Source: claim-audit, "A claim keeps where it comes from"; claim-recall, "A place is a key".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, get_args

from memconform.authority.places import GLOBAL, session_key, workspace_key
from memconform.authority.terms import claim_terms
from memconform.model import RecordDraft, has_lone_surrogate, to_plain
from memconform.model.authority import CLAIM_KINDS, ClaimKind, ClaimScope, ClaimState, Origin
from memconform.protocol.errors import Invalid
from memconform.retrieval.times import canonical_time, format_time, parse_time

SCOPES: tuple[ClaimScope, ...] = get_args(ClaimScope)
GUESSED = "inferred"  # the trust of a source that says that a claim is a guess


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim as it is stored, without its belief. Times are ISO 8601 UTC.

    Attributes:
        scope_key: the place, without any path.
        content_hash: SHA-256 of the content, in hex.
        updated_at: dates the claim; feedback and learning don't touch it.
        terms: what it is found by, at most 80.
        learned_terms: what it is found by since it helped, at most 40.
    """

    id: str
    scope: ClaimScope
    scope_key: str
    kind: ClaimKind
    content: str
    tags: tuple[str, ...]
    state: ClaimState
    superseded_by: str | None
    origin: Origin
    sensitivity: str
    content_hash: str
    source_session: str | None
    source_event: str | None
    valid_from: str | None
    valid_until: str | None
    created_at: str
    updated_at: str
    terms: tuple[str, ...]
    learned_terms: tuple[str, ...]


def content_hash(content: str) -> str:
    """SHA-256 of a content, in hex."""
    return hashlib.sha256(content.encode()).hexdigest()


def texts_of(draft: RecordDraft) -> Iterator[str]:
    """Every text of a draft, to look for secrets in."""
    return _texts(to_plain(draft))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def claim_from_draft(
    draft: RecordDraft, *, id: str, now: str, terms_of: Any = claim_terms
) -> Claim:
    """The claim that a draft becomes.

    Args:
        draft: what the caller hands in, its place filled in. A first source of the trust
            ``inferred`` makes it a guess; its thread and item are the session and the event that
            the claim comes from. Importance, confidence and authority are no part of a claim.
        id: given or made.
        now: the time of the write, ISO 8601 UTC.
        terms_of: the terms of a content and its tags.

    Raises:
        Invalid: the draft breaks a rule; ``detail["field"]`` names the field.
    """
    if has_lone_surrogate(to_plain(draft)):
        raise _invalid("content", "the claim holds half of a surrogate pair; send Unicode text")
    if not draft.content.strip():
        raise _invalid("content", "a claim needs a text")
    if draft.confidence is not None and not 0 <= draft.confidence <= 1:
        raise _invalid("confidence", "a confidence lies in 0 to 1")
    if draft.importance is not None and not 0 <= draft.importance <= 1:
        raise _invalid("importance", "an importance lies in 0 to 1")
    if draft.supersedes is not None:
        raise _invalid("supersedes", "one claim replaces another by correct; call that")
    scope: ClaimScope = _choice("scope", draft.scope or "workspace", SCOPES)
    kind: ClaimKind = _choice("type", draft.type or "fact", CLAIM_KINDS)
    source = draft.sources[0] if draft.sources else None
    origin: Origin = "heuristic" if source is not None and source.trust == GUESSED else "explicit"
    if scope == "global" and origin != "explicit":
        raise _invalid("scope", "a guess is never global; write it for a workspace or a session")
    written = _time("now", now)
    updated = _optional("updatedAt", draft.updated_at)
    created = _optional("createdAt", draft.created_at) or updated or written
    valid_from, valid_until = _validity(draft, written)
    return Claim(
        id=id,
        scope=scope,
        scope_key=_scope_key(draft, scope),
        kind=kind,
        content=draft.content,
        tags=draft.tags,
        state="active",
        superseded_by=None,
        origin=origin,
        sensitivity="normal",
        content_hash=content_hash(draft.content),
        source_session=None if source is None else source.thread_id,
        source_event=None if source is None else source.item_id,
        valid_from=valid_from,
        valid_until=valid_until,
        created_at=created,
        updated_at=updated or created,
        terms=tuple(terms_of(draft.content, draft.tags)),
        learned_terms=(),
    )


def corrected(old: Claim, *, id: str, content: str, now: str, terms_of: Any = claim_terms) -> Claim:
    """The claim that replaces another one in its place: a new text, said now, all else kept.

    Raises:
        Invalid: the text is empty.
    """
    if not content.strip():
        raise _invalid("content", "a claim needs a text")
    return replace(
        old,
        id=id,
        content=content,
        state="active",
        superseded_by=None,
        origin="explicit",
        content_hash=content_hash(content),
        source_session=None,
        source_event=None,
        created_at=now,
        updated_at=now,
        terms=tuple(terms_of(content, old.tags)),
        learned_terms=(),
    )


def _scope_key(draft: RecordDraft, scope: ClaimScope) -> str:
    if scope == "global":
        return GLOBAL
    if scope == "session":
        if not draft.session:
            raise _invalid("session", "a claim of a session names it; give its session")
        return session_key(draft.session)
    if not draft.workspace:
        raise _invalid("workspace", "a claim of a workspace names it; give its workspace")
    return workspace_key(draft.workspace)


def _validity(draft: RecordDraft, written: str) -> tuple[str | None, str | None]:
    """From when and until when it holds; the earliest of several ends counts."""
    start = _optional("validFrom", draft.valid_from)
    ends = [
        _optional("validTo", draft.valid_to),
        _optional("expiresAt", draft.expires_at),
    ]
    if draft.ttl_ms is not None:
        if draft.expires_at is not None or draft.ttl_ms <= 0:
            raise _invalid("ttlMs", "ttlMs is a whole number above 0, and stands without expiresAt")
        try:
            ends.append(format_time(parse_time(written) + timedelta(milliseconds=draft.ttl_ms)))
        except OverflowError as error:
            raise _invalid("ttlMs", "ttlMs leads beyond the year 9999; give a smaller one") from (
                error
            )
    end = min((end for end in ends if end is not None), default=None)
    if start is not None and end is not None and start > end:
        raise _invalid("validFrom", "a claim can't end before it begins; exchange the two times")
    return start, end


def _choice(field: str, value: str, among: Iterable[Any]) -> Any:
    among = tuple(among)
    if value not in among:
        raise _invalid(field, f"{field} is one of {', '.join(among)}")
    return value


def _optional(field: str, time: str | None) -> str | None:
    return None if time is None else _time(field, time)


def _time(field: str, time: str) -> str:
    try:
        return canonical_time(time)
    except ValueError as error:
        raise _invalid(
            field, f"{field} is no time; give ISO 8601 with a zone, such as 2026-01-01T00:00:00Z"
        ) from error


def _invalid(field: str, message: str) -> Invalid:
    return Invalid(message, {"field": field})
