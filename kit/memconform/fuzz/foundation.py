"""The judge of stores that claim foundation: the pure pipeline over what was acknowledged.

The model is a dictionary of records. It changes when a store acknowledges a change; what a store
may refuse for reasons of its own (a second correction of one memory, say) it isn't blamed for. What
is found, in which order, the block and the trace follow from the records alone, so they must be
those of ``Pipeline``. The first thing that differs in an answer is the finding: what follows it is
its echo.

Source: retrieval-foundation, lexical-abstention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs

from memconform.fuzz.expect import Broken, Expectation, Found, Refused, Says
from memconform.fuzz.steps import Step, reference, referred
from memconform.fuzz.trial import ANY_TEXT, Names, Outcome, refused
from memconform.model import (
    Access,
    ContextResult,
    Filters,
    Hit,
    Policy,
    RecallResult,
    Record,
    RecordDraft,
    Settings,
    from_plain,
    to_plain,
)
from memconform.protocol import Hello, Invalid, StoreError
from memconform.reference.files import entomb
from memconform.retrieval import (
    Layout,
    Pipeline,
    Retrieval,
    RetrievalRequest,
    record_from_draft,
    revised,
)
from memconform.retrieval.lifecycle import state_of
from memconform.retrieval.scope import in_scope
from memconform.retrieval.times import canonical_time
from memconform.retrieval.tokens import has_cjk
from memconform.suite.cells import look, same
from memconform.wire.client import Connection
from memconform.wire.errors import WireError

CORE, DESIGN, SILENCE = "memory-core/", "retrieval-foundation/", "lexical-abstention/"
FORGOTTEN = CORE + "forgotten-is-gone-at-once-and-everywhere"
FINDABLE = CORE + "written-is-findable"
ACTIONABLE = CORE + "a-hit-can-be-acted-on"
SCOPE = DESIGN + "scope-comes-before-everything"
LIFECYCLE = DESIGN + "lifecycle-comes-before-ranking"
SUCCESSOR = DESIGN + "a-successor-silences-what-it-supersedes"
DIRECTIVES = DESIGN + "directives-stay-out-of-evidence"
FILTERS = DESIGN + "a-caller-s-filters-narrow-what-is-ranked"
TOKENS = DESIGN + "tokens-are-words-their-slices-and-cjk-pairs"
FEATURES = DESIGN + "six-features-make-one-score"
ORDER = DESIGN + "the-order-is-total"
LIMIT = DESIGN + "the-record-limit-holds"
BUDGET = DESIGN + "the-character-budget-holds"
BLOCK = DESIGN + "the-block-gives-memory-no-authority"
TRACE = DESIGN + "the-trace-explains-without-showing"
DEFAULTS = DESIGN + "records-get-typed-defaults"
DRAFTS = DESIGN + "contradictory-drafts-are-refused"
HISTORY = DESIGN + "the-old-gate-is-for-evaluation-only"
FLOOR = SILENCE + "the-floor-of-a-latin-query-is-0-40"
CJK_FLOOR = SILENCE + "the-floor-of-a-query-with-cjk-text-is-one-third"
HINTS = SILENCE + "a-hinted-type-passes-without-shared-words"

# The place of whoever names none: no program ever writes this path.
_NOWHERE = "/the default place"
_EVERY_SCOPE = Policy()

# Paths of a trace in the order in which they come to be: the first that differs is the cause.
_TRACE_BEFORE_RANKING = (
    ("recordLimit", LIMIT),
    ("queryTokenCount", TOKENS),
    ("queryTokensTruncated", TOKENS),
    ("filtered.scope", SCOPE),
    ("filtered.lifecycle", LIFECYCLE),
)
_FEATURES = ("lexical", "scopeAffinity", "typeAffinity", "freshness", "importance", "confidence")
_TRACE_AFTER_RANKING = (
    ("selectedIds", BUDGET),
    ("excludedByPromptBudget", BUDGET),
    ("truncatedIds", BUDGET),
    ("promptCharacterBudget", BUDGET),
    ("selectedCharacters", BLOCK),
    ("rankingWeights", FEATURES),
)


class Foundation:
    """Judges one trial of a store that claims foundation.

    Attributes:
        records: everything that was acknowledged and not purged, by key.
    """

    def __init__(self, hello: Hello, layout: Layout | None = None) -> None:
        """Judge one trial.

        Args:
            hello: what the store declares.
            layout: how its blocks are written, see ``learned``; null where that isn't known. Then
                only what does not depend on the length of a block is looked at.
        """
        self.records: dict[str, Record] = {}
        self._hello = hello
        self._known_layout = layout is not None
        self._pipeline = Pipeline() if layout is None else Pipeline(layout=layout)
        self._clocks: dict[str, str] = {}
        self._policies: dict[str, Policy] = {}
        self._evaluations: dict[str, bool] = {}

    # --- what holds now ----------------------------------------------------------------------

    def began(self, settings: Mapping[str, Any]) -> None:
        """The settings of the store; a model has no clock of its own."""
        self._set("first", settings)

    def _set(self, connection: str, settings: Mapping[str, Any]) -> None:
        """Each connection has settings of its own, and keeps them when another one is restarted."""
        self._clocks[connection] = settings["clock"]
        self._policies[connection] = from_plain(settings.get("policy", {}), Policy)
        self._evaluations[connection] = settings.get("evaluation", False)

    def now(self, connection: str) -> str:
        """The time that a connection takes for now."""
        return canonical_time(self._clocks[connection])

    def retrieval(self, step: Step, names: Names) -> Retrieval:
        """What the pipeline says to a step that asks."""
        params = step.params
        request = RetrievalRequest(
            query=params["query"],
            access=_access(step.access),
            limit=params.get("limit"),
            budget=params.get("budget"),
            purpose=params.get("purpose") or "injection",
            filters=from_plain(params.get("filters", {}), Filters),
            relevance_mode=params.get("mode") or "foundation-v1",
        )
        return self._pipeline.retrieve(
            self.records.values(),
            request,
            policy=self._policies[names.connection],
            now=self.now(names.connection),
        )

    def _listed(self, step: Step, names: Names) -> list[Record]:
        eligible = self._pipeline.eligible(
            self.records.values(),
            _access(step.access),
            policy=self._policies[names.connection],
            now=self.now(names.connection),
        )
        return list(eligible.lifecycle.kept)

    # --- judging -----------------------------------------------------------------------------

    def judge(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        """What is wrong with an answer; then the records follow what was acknowledged."""
        name = step.operation
        if name in ("write", "write_batch"):
            yield from self._written(step, outcome, names)
        elif name == "recall":
            yield from _first(self._recalled(step, outcome, names))
        elif name == "context":
            yield from _first(self._assembled(step, outcome, names))
        elif name == "list_records":
            yield from _first(self._told(step, outcome, names))
        elif name == "get":
            yield from _first(self._got(step, outcome, names))
        elif name == "set_clock":
            self._clocks[names.connection] = step.params["time"]
        elif name == "use":
            # A second connection begins with what the first one has.
            self._clocks.setdefault(names.connection, self._clocks["first"])
            self._policies.setdefault(names.connection, self._policies["first"])
            self._evaluations.setdefault(names.connection, self._evaluations["first"])
        elif name == "reopen":
            self._restarted(step)
        else:
            yield from self._changed(step, outcome, names)

    def _restarted(self, step: Step) -> None:
        if step.params:
            self._set("first", {"clock": self._clocks["first"], **step.params})

    # --- writing -----------------------------------------------------------------------------

    def _written(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        results = getattr(outcome.answer, "outcomes", [outcome.answer])
        if outcome.answer is None:
            results = [None] * len(step.records)
        for draft, result in zip(step.records, results, strict=False):
            key = draft["key"]
            record = self._record(draft, names)
            stored = result is not None and result.id is not None
            if record is None and stored:
                yield Broken(
                    requirement=DRAFTS,
                    aspect="stored",
                    expected=_of_a_refused(step, key),
                    seen=f"{key} stored as {result.id!r}",
                )
            elif record is not None and stored:
                self.records[key] = record
            elif record is not None and result is None:
                yield refused(step, outcome, FINDABLE)
            elif record is not None:
                yield Broken(
                    requirement=FINDABLE,
                    aspect="not stored",
                    expected=Says(f"outcome {key}", "outcome", "created"),
                    seen=f"{key} {result.outcome}: {result.cause}",
                )

    def _record(self, draft: Mapping[str, Any], names: Names) -> Record | None:
        """The record of a draft under the id that it got; null where it must be refused."""
        plain = names.resolved(draft)
        key = draft["key"]
        try:
            asked = from_plain(plain, RecordDraft)
            if asked.scope != "user" and asked.workspace is None and asked.project is None:
                asked = structs.replace(asked, workspace=_NOWHERE)
            return record_from_draft(
                asked, id=names.ids.get(key, key), now=self.now(names.connection)
            )
        except Invalid:
            return None

    # --- changing ----------------------------------------------------------------------------

    def _changed(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        old = self._meant(step)
        if old is None:
            return
        if not in_scope(old, _access(step.access), _EVERY_SCOPE):
            yield from _kept_out(step, outcome)
            return
        if step.operation == "forget" and outcome.error is not None:
            yield refused(step, outcome, ACTIONABLE)
        elif outcome.error is None and getattr(outcome.answer, "done", True):
            self._follow(step, old, names)

    def _meant(self, step: Step) -> Record | None:
        return self.records.get(referred(step.params.get("id")) or "")

    def _follow(self, step: Step, old: Record, names: Names) -> None:
        """Do to the records what the store says that it did."""
        params, now = step.params, self.now(names.connection)
        key = referred(params["id"]) or ""
        name = step.operation
        if name == "forget" and old.deleted_at is None:
            self.records[key] = entomb(old, now)
        elif name == "purge":
            del self.records[key]
        elif name in ("disable", "enable"):
            at = now if name == "disable" else None
            self.records[key] = structs.replace(old, disabled_at=at)
        elif name == "update":
            given = {n: params.get(n) for n in ("content", "tags", "confidence")}
            self.records[key] = revised(old, now=now, **given)
        elif name == "supersede":
            new = referred(params["by"]) or ""
            self.records[new] = structs.replace(self.records[new], supersedes=old.id)
            self.records[key] = structs.replace(old, superseded_at=now)
        elif name == "correct":
            revision = revised(old, now=now, content=params["content"])
            self.records[params["key"]] = structs.replace(
                revision,
                id=names.ids[params["key"]],
                supersedes=old.id,
                created_at=revision.updated_at,
                observed_at=None,
            )
            self.records[key] = structs.replace(old, superseded_at=now)

    # --- asking ------------------------------------------------------------------------------

    def _recalled(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        if step.params.get("mode") == "historical-v1" and not self._evaluations[names.connection]:
            if outcome.error is None:
                yield Broken(
                    requirement=HISTORY,
                    aspect="answered",
                    expected=Refused("invalid"),
                    seen=outcome.told,
                )
            return
        answer = outcome.answer
        if not isinstance(answer, RecallResult):
            yield refused(step, outcome, ANY_TEXT)
            return
        wanted = self.retrieval(step, names)
        seen = [hit.id for hit in answer.hits]
        expected = Found(self._keys(wanted.selected_ids, names))
        yield from self._intruders(seen, expected, step, names)
        if not self._settled(wanted):
            return
        if answer.trace is not None:
            yield from self._traced(step, wanted, to_plain(answer.trace), names)
        if seen != list(wanted.selected_ids):
            yield Broken(
                requirement=self._cause(seen, wanted, step),
                aspect="found",
                expected=expected,
                seen=names.told(seen),
            )
            return
        yield from self._hits(answer.hits, wanted, names)

    def _settled(self, wanted: Retrieval) -> bool:
        """Whether what is selected doesn't hang on the length of a block that isn't known."""
        budget = wanted.trace.prompt_character_budget
        return self._known_layout or (not wanted.excluded_ids and 2 * len(wanted.block) <= budget)

    def _intruders(
        self, seen: list[str], expected: Expectation, step: Step, names: Names
    ) -> Iterator[Broken]:
        """Memories that no question of this caller may ever bring back, whatever its words."""
        by_id = {record.id: record for record in self.records.values()}
        active = {record.id for record in self._listed(step, names)}
        for id in seen:
            key, record = names.key_of(id), by_id.get(id)
            if key is None or id in active:
                continue
            requirement, aspect = self._why_not(record, step, names)
            yield Broken(
                requirement=requirement,
                aspect=f"{aspect} in {step.operation}",
                expected=expected,
                seen=names.told(seen),
            )

    def _why_not(self, record: Record | None, step: Step, names: Names) -> tuple[str, str]:
        if record is None or record.deleted_at is not None:
            return FORGOTTEN, "forgotten"
        if not in_scope(record, _access(step.access), self._policies[names.connection]):
            return SCOPE, "another place"
        state = state_of(record, self.now(names.connection))
        return (
            (SUCCESSOR, "superseded") if state in ("active", "superseded") else (LIFECYCLE, state)
        )

    def _traced(
        self, step: Step, wanted: Retrieval, seen: dict[str, Any], names: Names
    ) -> Iterator[Broken]:
        """What differs in a trace, cause before effect."""
        plain = to_plain(wanted.trace)
        narrowed = step.params.get("filters")
        candidates = FILTERS if narrowed else TOKENS
        if not narrowed and any(r.authority == "directive" for r in self.records.values()):
            candidates = DIRECTIVES
        passed = [entry["memoryId"] for entry in seen["rankings"]]
        paths = [*_TRACE_BEFORE_RANKING, ("candidateCount", candidates)]
        paths.append(("filtered.irrelevant", self._floor(step, wanted, passed)))
        yield from _differences(paths, plain, seen, names)
        ranked = [[entry["memoryId"] for entry in each["rankings"]] for each in (plain, seen)]
        if sorted(ranked[0]) == sorted(ranked[1]):
            yield from self._scored(plain, seen, names)
            if ranked[0] != ranked[1]:
                place = next(n for n, (a, b) in enumerate(zip(*ranked, strict=True)) if a != b)
                yield from _differences(
                    [(f"rankings[{place}].memoryId", ORDER)], plain, seen, names, aspect="order"
                )
        yield from _differences([("rankings.length", TRACE)], plain, seen, names)
        if self._known_layout:
            yield from _differences(_TRACE_AFTER_RANKING, plain, seen, names)

    def _scored(
        self, wanted: dict[str, Any], seen: dict[str, Any], names: Names
    ) -> Iterator[Broken]:
        places = {entry["memoryId"]: n for n, entry in enumerate(seen["rankings"])}
        for entry in wanted["rankings"]:
            other = seen["rankings"][places[entry["memoryId"]]]
            key = names.key_of(entry["memoryId"])
            at = f"rankings[{key}]"
            for feature in _FEATURES:
                value = entry["features"][feature]
                if not same(other["features"][feature], value):
                    yield Broken(
                        requirement=HINTS if feature == "typeAffinity" else FEATURES,
                        aspect=feature,
                        expected=Says("trace", f"{at}.features.{feature}", value),
                        seen=str(other["features"][feature]),
                    )
            if not same(other["finalScore"], entry["finalScore"]):
                yield Broken(
                    requirement=FEATURES,
                    aspect="finalScore",
                    expected=Says("trace", f"{at}.finalScore", entry["finalScore"]),
                    seen=str(other["finalScore"]),
                )

    def _floor(self, step: Step, wanted: Retrieval, seen: Iterable[str]) -> str:
        """The requirement behind memories that passed the gate and shouldn't have, or didn't."""
        if step.params.get("mode") == "historical-v1":
            return HISTORY
        wrong = {each.record.id for each in wanted.passed} ^ set(seen)
        if any(
            each.features.type_affinity > 0 for each in wanted.ranked if each.record.id in wrong
        ):
            return HINTS
        return CJK_FLOOR if has_cjk(step.params["query"]) else FLOOR

    def _cause(self, seen: list[str], wanted: Retrieval, step: Step) -> str:
        """The requirement behind other hits than expected, where no trace told."""
        ids = list(wanted.selected_ids)
        passed = {each.record.id for each in wanted.passed}
        if sorted(seen) == sorted(ids):
            return ORDER
        if not set(seen) <= passed:
            return self._floor(step, wanted, passed | set(seen))
        if len(seen) > len(ids):
            return LIMIT
        return BUDGET if set(seen) - set(ids) else FINDABLE

    def _hits(self, hits: list[Hit], wanted: Retrieval, names: Names) -> Iterator[Broken]:
        """What a hit shows of its memory."""
        declared = self._hello.capabilities
        for seen, chosen in zip(hits, wanted.selected, strict=True):
            record = chosen.ranked.record
            shown: list[tuple[str, Any, str]] = [
                ("content", chosen.content, BUDGET if chosen.truncated else FINDABLE),
                ("state", "active", ACTIONABLE),
            ]
            if record.type is not None:
                shown.append(("type", record.type, DEFAULTS))
            if "tags" in declared:
                shown.append(("tags", list(record.tags), ACTIONABLE))
            if "confidence" in declared:
                shown.append(("confidence", record.confidence, ACTIONABLE))
            if "scores" in declared and seen.score is not None:
                shown.append(("score", chosen.ranked.score, FEATURES))
            plain = to_plain(seen)
            key = names.key_of(record.id)
            for path, value, requirement in shown:
                if not same(plain[path], value):
                    yield Broken(
                        requirement=requirement,
                        aspect=f"{path} of a hit",
                        expected=Says(f"hit {key}", path, value),
                        seen=str(plain[path]),
                    )

    def _assembled(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        answer = outcome.answer
        if not isinstance(answer, ContextResult):
            yield refused(step, outcome, ANY_TEXT)
            return
        wanted = self.retrieval(step, names)
        whole = [c.ranked.record.id for c in wanted.selected if not c.truncated]
        cut = list(wanted.budget.truncated_ids)
        shown = [*answer.ids, *answer.cut]
        cause = self._cause(shown, wanted, step)
        if sorted(shown) == sorted([*whole, *cut]):
            cause = ORDER if sorted(answer.ids) == sorted(whole) else BUDGET
        elif cause in (LIMIT, FINDABLE) and wanted.excluded_ids:
            cause = BUDGET
        for path, ids in (("ids", whole), ("cut", cut)):
            seen = getattr(answer, path)
            told = [reference(key) for key in self._keys(ids, names)]
            expected = Says("answer", path, told)
            yield from self._intruders(seen, expected, step, names)
            if seen != ids and self._settled(wanted):
                yield Broken(
                    requirement=cause,
                    aspect=f"{path} of a block",
                    expected=expected,
                    seen=names.told(seen),
                )
        if self._known_layout and answer.text != wanted.block:
            yield from _written_otherwise(answer.text, wanted, given=self._given)

    @property
    def _given(self) -> bool:
        return self._hello.policies.ids == "given"

    def _told(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        if outcome.answer is None:
            yield refused(step, outcome, ACTIONABLE)
            return
        seen = [hit.id for hit in outcome.answer.records]
        wanted = [record.id for record in self._listed(step, names)]
        expected = Found(self._keys(wanted, names), ordered=False)
        yield from self._intruders(seen, expected, step, names)
        if sorted(seen) != sorted(wanted):
            yield Broken(
                requirement=FINDABLE, aspect="listed", expected=expected, seen=names.told(seen)
            )

    def _got(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        record = self._meant(step)
        if record is None:
            return
        if not in_scope(record, _access(step.access), _EVERY_SCOPE):
            yield from _kept_out(step, outcome)
            return
        if outcome.answer is None:
            if record.deleted_at is None or outcome.error.code != "not_found":  # type: ignore[union-attr] # no answer is a refusal
                yield refused(step, outcome, ACTIONABLE)
            return
        seen = to_plain(outcome.answer.record)
        wanted: list[tuple[str, Any, str]] = [
            ("record.content", record.content, FINDABLE),
            ("record.state", self._state(record, step, names), LIFECYCLE),
        ]
        if record.deleted_at is not None:
            wanted = [("record.content", None, FORGOTTEN), ("record.state", "forgotten", FORGOTTEN)]
        for path, value, requirement in wanted:
            if not same(seen[path.removeprefix("record.")], value):
                yield Broken(
                    requirement=requirement,
                    aspect=f"{path} by id",
                    expected=Says("answer", path, value),
                    seen=str(seen[path.removeprefix("record.")]),
                )

    def _state(self, record: Record, step: Step, names: Names) -> str:
        now, access = self.now(names.connection), _access(step.access)
        state = state_of(record, now)
        replaced = any(
            other.supersedes == record.id
            and in_scope(other, access, _EVERY_SCOPE)
            and state_of(other, now) == "active"
            for other in self.records.values()
        )
        return "superseded" if state == "active" and replaced else state

    def _keys(self, ids: Any, names: Names) -> tuple[str, ...]:
        return tuple(names.key_of(id) or id for id in ids)


def learned(connection: Connection, clock: str) -> Layout | None:
    """How an implementation writes a block, from the block of one plain memory.

    The two statements are the store's own words; everything else must be as the pipeline writes
    it, else nothing is known of the layout.
    """
    draft = RecordDraft(key="probe", content="The ferry runs daily", workspace="/probe")
    access = Access(workspace="/probe")
    try:
        store = connection.open(Settings(clock=clock))
        id = store.write(draft).id or ""
        text: str = store.call("context", query=draft.content, access=access).text
        store.close()
    except (StoreError, WireError):
        return None
    wanted = Pipeline().retrieve(
        [record_from_draft(draft, id=id, now=clock)],
        RetrievalRequest(query=draft.content, access=access),
        now=clock,
    )
    first, *_, line, last = wanted.block.split("\n")
    own = text.split("\n")
    if len(own) < 3 or (own[0], own[-2], own[-1]) != (first, line, last):
        return None
    statements = own[1:-2]

    def frame(lines: Sequence[str]) -> str:
        return "\n".join((first, *statements, *lines, last)) if lines else ""

    return Layout(frame=frame)


def _first(found: Iterator[Broken]) -> Iterator[Broken]:
    for broken in found:
        yield broken
        return


def _access(plain: Mapping[str, Any]) -> Access:
    access = from_plain(plain, Access)
    if access.workspace is None and access.project is None:
        return structs.replace(access, workspace=_NOWHERE)
    return access


def _of_a_refused(step: Step, key: str) -> Refused | Says:
    if step.operation == "write":
        return Refused("invalid")
    return Says(f"outcome {key}", "outcome", "refused")


def _kept_out(step: Step, outcome: Outcome) -> Iterator[Broken]:
    """An id of another place is not found, as if it didn't exist."""
    if outcome.error is None or outcome.error.code != "not_found":
        yield Broken(
            requirement=SCOPE,
            aspect=f"{step.operation} of another place",
            expected=Refused("not_found"),
            seen=outcome.told,
        )


def _differences(
    paths: Any,
    wanted: dict[str, Any],
    seen: dict[str, Any],
    names: Names,
    aspect: str | None = None,
) -> Iterator[Broken]:
    for path, requirement in paths:
        value, other = look(wanted, path, {}), look(seen, path, {})
        if not same(other, value):
            yield Broken(
                requirement=requirement,
                aspect=aspect or path,
                expected=Says("trace", path, names.shown(value)),
                seen=str(names.shown(other)),
            )


def _written_otherwise(text: str, wanted: Retrieval, *, given: bool) -> Iterator[Broken]:
    """A block of the right memories with another text."""
    block = wanted.block
    shown = text.split("\n")
    missing = next((line for line in block.split("\n") if line not in shown), None)
    if not given:  # then the ids in the lines are the store's own, and differ each time
        expected = Says("answer", "text.length", len(block))
    elif missing is None:
        expected = Says("answer", "text", block)
    else:
        expected = Says("answer", "text", missing, "containing")
    yield Broken(requirement=BLOCK, aspect="text of a block", expected=expected, seen=repr(text))
