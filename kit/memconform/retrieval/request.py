"""What is asked, and the two stages that depend on nothing but the request.

Source: retrieval-foundation, "Directives stay out of evidence", "A caller's filters narrow what is
ranked", "The record limit holds".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from memconform.model import MEMORY_TYPES, Access, Filters, Policy, Purpose, Record, RelevanceMode
from memconform.protocol.errors import Invalid
from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.records import AUTHORITIES, SCOPES
from memconform.retrieval.stage import Stage, sift


@dataclass(frozen=True, kw_only=True)
class RetrievalRequest:
    """One retrieval.

    Attributes:
        access: the caller's place, with the store's default place already put in.
        limit: the most records wanted; None leaves it to the policy, 0 or less wants none.
        budget: characters of the whole context block; None means the usual 6,000.
        relevance_mode: ``historical-v1`` is for evaluations; a store refuses it elsewhere.

    Raises:
        Invalid: a filter names a value that no record can have, or the limit is no number.
    """

    query: str
    access: Access
    limit: float | None = None
    budget: int | None = None
    purpose: Purpose = "injection"
    filters: Filters | None = None
    relevance_mode: RelevanceMode = "foundation-v1"

    def __post_init__(self) -> None:
        if self.limit is not None and not math.isfinite(self.limit):
            raise Invalid("limit is not a finite number.", {"field": "limit"})
        wanted = self.filters or Filters()
        for field, given, known in (
            ("scopes", wanted.scopes, SCOPES),
            ("types", wanted.types, MEMORY_TYPES),
            ("authorities", wanted.authorities, AUTHORITIES),
        ):
            if not set(given) <= set(known):
                sentence = f"The filter {field} has an unknown value; use {', '.join(known)}."
                raise Invalid(sentence, {"field": field})


def record_limit(
    request: RetrievalRequest, policy: Policy, constants: Constants = FOUNDATION
) -> int:
    """The most records of this retrieval: the least of what request, policy and cap allow."""
    if not policy.enabled:
        return 0
    wanted = policy.max_injected_records if request.limit is None else math.floor(request.limit)
    return max(0, min(wanted, policy.max_injected_records, constants.record_limit_cap))


def character_budget(request: RetrievalRequest, constants: Constants = FOUNDATION) -> int:
    """The most code points of the whole context block."""
    return constants.prompt_character_budget if request.budget is None else request.budget


def for_purpose(records: Iterable[Record], purpose: Purpose) -> Stage[Record]:
    """Directives never enter the reference block; a tool may look them up."""
    if purpose == "tool":
        return Stage(tuple(records), ())
    return sift(records, lambda record: "directive" if record.authority == "directive" else None)


def as_filtered(records: Iterable[Record], filters: Filters | None) -> Stage[Record]:
    """What the caller narrowed the request to; an empty filter lets everything through."""
    wanted = filters or Filters()

    def reason(record: Record) -> str | None:
        if wanted.scopes and record.scope not in wanted.scopes:
            return "scope-filter"
        if wanted.types and record.type not in wanted.types:
            return "type-filter"
        if wanted.authorities and record.authority not in wanted.authorities:
            return "authority-filter"
        return None

    return sift(records, reason)
