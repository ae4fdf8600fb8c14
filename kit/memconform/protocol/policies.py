"""What a store declares about its own choices, so that a scenario knows what to expect of it.

A policy that breaks a MUST of a profile makes that requirement fail; it never makes it vanish.
"""

from __future__ import annotations

from typing import Literal

from memconform.model import Response
from memconform.model.access import ScopeName

Surface = Literal["recall", "list", "context", "catalog", "expand", "graph", "get"]
BudgetUnit = Literal["utf16", "codepoint", "tokens", "records"]
TokenClass = Literal["word", "number", "underscore", "trigram", "cjk-single", "cjk-bigram"]


class Policies(Response, frozen=True, kw_only=True):
    """Declared policies.

    Attributes:
        scope_levels: the kinds of scope a record may have.
        scope_filter: whether the scope is applied before or after the limit.
        superseded: whether a corrected record is hidden from recall or marked in it.
        duplicates: what happens to a text that is stored already.
        overflow: what becomes of a record that does not fit a budget; null without budgets.
        budget_unit: null without budgets.
        over_budget: whether a budget may ever be exceeded.
        out_of_range: what happens to a confidence of 7.
        stop_words: whether stop words take part in a query.
        token_classes: what the tokenizer yields, so that a query text can be expected to be found.
        consistency: whether a write can be found at once, or after ``barrier`` within a bound.
        consistency_bound_ms: the bound in milliseconds; null when immediate.
        ids: whether the caller's key becomes the id, or the store makes its own.
        surfaces: the read surfaces that exist; forgotten text is looked for on each.
    """

    scope_levels: list[ScopeName]
    scope_filter: Literal["before-limit", "after-limit"]
    superseded: Literal["hidden", "marked"]
    duplicates: Literal["none", "exact", "near", "supersede"]
    overflow: Literal["cut", "capsule", "leave-out"] | None
    budget_unit: BudgetUnit | None
    over_budget: Literal["never", "allowed"]
    out_of_range: Literal["refuse", "clamp"]
    stop_words: Literal["kept", "filtered"]
    token_classes: list[TokenClass]
    consistency: Literal["immediate", "bounded"]
    consistency_bound_ms: int | None
    ids: Literal["given", "own"]
    surfaces: list[Surface]


def policies(
    *,
    scope_levels: list[ScopeName] | None = None,
    scope_filter: Literal["before-limit", "after-limit"] = "before-limit",
    superseded: Literal["hidden", "marked"] = "hidden",
    duplicates: Literal["none", "exact", "near", "supersede"] = "none",
    overflow: Literal["cut", "capsule", "leave-out"] | None = None,
    budget_unit: BudgetUnit | None = None,
    over_budget: Literal["never", "allowed"] = "never",
    out_of_range: Literal["refuse", "clamp"] = "refuse",
    stop_words: Literal["kept", "filtered"] = "kept",
    token_classes: list[TokenClass] | None = None,
    consistency: Literal["immediate", "bounded"] = "immediate",
    consistency_bound_ms: int | None = None,
    ids: Literal["given", "own"] = "own",
    surfaces: list[Surface] | None = None,
) -> Policies:
    """The policies of a plain store; say only what differs."""
    return Policies(
        scope_levels=scope_levels or [],
        scope_filter=scope_filter,
        superseded=superseded,
        duplicates=duplicates,
        overflow=overflow,
        budget_unit=budget_unit,
        over_budget=over_budget,
        out_of_range=out_of_range,
        stop_words=stop_words,
        token_classes=token_classes if token_classes is not None else ["word", "number"],
        consistency=consistency,
        consistency_bound_ms=consistency_bound_ms,
        ids=ids,
        surfaces=surfaces or ["recall", "get"],
    )
