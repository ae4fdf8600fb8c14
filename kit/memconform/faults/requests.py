"""Faults of purpose and filters: what a request leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, foundation
from memconform.faults.seams import everything, late, stage, store, swapped
from memconform.model import Access, Filters, Purpose, RecallResult, Record
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.retrieval import Match, RetrievalRequest, Stage
from memconform.retrieval.ranking import matching
from memconform.retrieval.relevance import relevant
from memconform.retrieval.request import as_filtered, for_purpose
from memconform.retrieval.stage import sift

DIRECTIVES = foundation("directives-stay-out-of-evidence")
FILTERS = foundation("a-caller-s-filters-narrow-what-is-ranked")


def _never_directives(records: Iterable[Record], purpose: Purpose) -> Stage[Record]:
    return for_purpose(records, "injection")


def _tool_by_default(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A recall without a purpose is one for a tool."""

        def recall(self, *args: Any, **options: Any) -> RecallResult:
            if options.get("purpose") is None:
                mark()
                options["purpose"] = "tool"
            return super().recall(*args, **options)

    return Store


def _directives_in_context(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """The context is built from everything that the question finds."""

        def context(self, *args: Any, **options: Any) -> Any:
            mark()
            with swapped(self, purpose=everything):
                return super().context(*args, **options)

    return Store


def _tool_sees_all(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A tool gets every directive, related or not."""

        def _retrieve(self, request: RetrievalRequest) -> Any:
            if request.purpose != "tool":
                return super()._retrieve(request)
            mark()

            def match(records: Any, *rest: Any) -> Any:
                records = tuple(records)
                found = matching(records, *rest)
                known = {m.record.id for m in found.kept}
                more = [
                    Match(r, 0) for r in records if r.authority == "directive" and r.id not in known
                ]
                return Stage((*found.kept, *more), found.dropped)

            def gate(ranked: Any, gate: Any) -> Any:
                ranked = tuple(ranked)
                passed = {r.record.id for r in relevant(ranked, gate).kept}
                kept = [
                    r for r in ranked if r.record.id in passed or r.record.authority == "directive"
                ]
                return Stage(tuple(kept), ())

            with swapped(self, match=match, gate=gate):
                return super()._retrieve(request)

    return Store


def _filtering(change: Callable[[Filters], Filters]) -> Seed:
    def filters(records: Iterable[Record], wanted: Filters | None) -> Stage[Record]:
        return as_filtered(records, None if wanted is None else change(wanted))

    return stage(filters=filters)


def _first_type(wanted: Filters) -> Filters:
    return msgspec.structs.replace(wanted, types=wanted.types[:1])


def _no_scopes(wanted: Filters) -> Filters:
    return msgspec.structs.replace(wanted, scopes=type(wanted.scopes)())


def _no_authorities(wanted: Filters) -> Filters:
    return msgspec.structs.replace(wanted, authorities=type(wanted.authorities)())


def _any_filter(records: Iterable[Record], wanted: Filters | None) -> Stage[Record]:
    """A record that one of the filters lets through is let through."""
    given = wanted or Filters()
    named = {
        name: value
        for name in ("scopes", "types", "authorities")
        if (value := getattr(given, name))
    }
    if not named:
        return as_filtered(records, None)

    def reason(record: Record) -> str | None:
        ok = any(as_filtered([record], Filters(**{n: v})).kept for n, v in named.items())
        return None if ok else "filter"

    return sift(records, reason)


def _filters_rule(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Who asks for an authority gets it, whatever the purpose."""

        def recall(self, *args: Any, **options: Any) -> RecallResult:
            filters = options.get("filters")
            if filters is not None and "directive" in filters.authorities:
                mark()
                options["purpose"] = "tool"
            return super().recall(*args, **options)

    return Store


def _for_purpose(store: ReferenceStore, record: Record, access: Access, options: Any) -> bool:
    return record.authority != "directive" or options.get("purpose") == "tool"


def _through_filters(store: ReferenceStore, record: Record, access: Access, options: Any) -> bool:
    return bool(as_filtered([record], options.get("filters")).kept)


def _fault(name: str, change: str, suffers: str, seed: Seed, breaks: Any, *killed_by: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=foundation(*killed_by),
        base="filesystem",
        seed=seed,
    )


FAULTS: tuple[Fault, ...] = (
    _fault(
        "directives-are-injected",
        "Directives are put into the block of evidence.",
        "A rule that the user approved appears again as something untrusted.",
        stage(purpose=everything),
        DIRECTIVES,
        "a-directive-is-not-injected",
        "the-context-holds-no-directive",
    ),
    _fault(
        "tools-see-no-directives",
        "Directives are left out of a recall for a tool, too.",
        "The tool that manages memories can't find the rule that is to be taken back.",
        stage(purpose=_never_directives),
        DIRECTIVES,
        "a-tool-sees-the-directive",
        "a-tool-sees-no-unrelated-directive",
    ),
    _fault(
        "tool-is-the-default-purpose",
        "A recall without a purpose is one for a tool.",
        "Whoever forgets the purpose injects directives.",
        store(_tool_by_default),
        DIRECTIVES,
        "injection-is-the-default-purpose",
    ),
    _fault(
        "the-context-holds-directives",
        "Recall leaves directives out, the context takes them in.",
        "What a rule says is in the prompt twice, once as untrusted.",
        store(_directives_in_context),
        DIRECTIVES,
        "the-context-holds-no-directive",
    ),
    _fault(
        "tools-get-every-directive",
        "A recall for a tool finds every directive, related or not.",
        "Whatever a tool looks for, all rules come with it.",
        store(_tool_sees_all),
        DIRECTIVES,
        "a-tool-sees-no-unrelated-directive",
    ),
    _fault(
        "purpose-after-the-limit",
        "Directives are taken out of the finished list.",
        "A rule that fits the question pushes the memory out that answers it.",
        late("purpose", _for_purpose),
        DIRECTIVES,
        "a-directive-takes-no-place-in-the-limit",
    ),
    _fault(
        "filters-after-the-limit",
        "What the filters leave out is taken out of the finished list.",
        "Asking for decisions finds none, because three facts fit better.",
        late("filters", _through_filters),
        FILTERS,
        "a-type-filter-fills-the-limit-with-its-type",
        "what-a-filter-leaves-out-is-no-candidate",
    ),
    _fault(
        "only-the-first-type-of-a-filter",
        "Of several types in a filter only the first counts.",
        "Asking for decisions and episodes finds no episode.",
        _filtering(_first_type),
        FILTERS,
        "of-several-types-each-is-let-through",
    ),
    _fault(
        "the-scope-filter-is-ignored",
        "The scopes in a filter make no difference.",
        "Asking for the user's own memories finds everybody's.",
        _filtering(_no_scopes),
        FILTERS,
        "a-scope-filter-narrows-to-a-scope",
        "all-filters-must-hold",
    ),
    _fault(
        "the-authority-filter-is-ignored",
        "The authorities in a filter make no difference.",
        "A tool that looks for rules gets memories.",
        _filtering(_no_authorities),
        FILTERS,
        "an-authority-filter-narrows-to-an-authority",
    ),
    _fault(
        "one-filter-is-enough",
        "A record that one of several filters lets through is let through.",
        "Each further filter finds more instead of less.",
        stage(filters=_any_filter),
        FILTERS,
        "all-filters-must-hold",
    ),
    _fault(
        "a-filter-outranks-the-purpose",
        "Who filters for directives gets them, whatever the purpose.",
        "A filter that a caller may set freely opens what injection keeps shut.",
        store(_filters_rule),
        FILTERS,
        "no-filter-brings-a-directive-into-an-injection",
    ),
)
