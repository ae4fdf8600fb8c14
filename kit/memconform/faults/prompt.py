"""Faults of what reaches the prompt: limit, budget, block, and what trace and diagnostics tell."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, core, foundation
from memconform.faults.seams import figure, layout, stage, store
from memconform.model import (
    Access,
    ContextResult,
    DiagnosticsResult,
    Policy,
    RecallResult,
    Trace,
)
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.retrieval import FOUNDATION, Constants, Dropped, Entry, RetrievalRequest
from memconform.retrieval.budget import Budgeted, within_budget
from memconform.retrieval.context import FIRST_LINE, STATEMENTS, frame, record_line
from memconform.retrieval.request import record_limit
from memconform.retrieval.tokens import normalise

LIMIT = foundation("the-record-limit-holds")
LIMITS = core("limits-hold")
BUDGET = foundation("the-character-budget-holds")
BLOCK = foundation("the-block-gives-memory-no-authority")
NO_AUTHORITY = core("memory-text-has-no-authority")
TRACE = foundation("the-trace-explains-without-showing")
DIAGNOSTICS = foundation("diagnostics-count-and-never-quote")


# --- limit and budget ------------------------------------------------------------------------


def _limit(change: Callable[[int, RetrievalRequest, Policy], int]) -> Seed:
    def limit(request: RetrievalRequest, policy: Policy, constants: Constants) -> int:
        return change(record_limit(request, policy, constants), request, policy)

    return stage(record_limit=limit)


def _budget(change: Callable[..., Budgeted]) -> Seed:
    return stage(budget=change)


def _one_over(*args: Any, characters: int, **options: Any) -> Budgeted:
    return within_budget(*args, characters=characters + 1, **options)


def _without_markup(ranked: Any, *, characters: int, **options: Any) -> Budgeted:
    """The frame isn't counted."""
    markup = len(frame(["-"])) - 1
    return within_budget(ranked, characters=characters + markup, **options)


def _stops_at_the_first(ranked: Any, *, limit: int, **options: Any) -> Budgeted:
    """What doesn't fit ends the walk."""
    walked = within_budget(ranked, limit=limit, **options)
    over = {drop.id for drop in walked.dropped if drop.reason == "over-budget"}
    for place, candidate in enumerate(ranked):
        if candidate.record.id in over:
            return within_budget(ranked[:place], limit=limit, **options)
    return walked


def _worst_first(ranked: Any, **options: Any) -> Budgeted:
    """What is worst gets its room first, and the best has the rest."""
    return within_budget(tuple(reversed(ranked)), **options)


def _never_cut(ranked: Any, *, constants: Constants, **options: Any) -> Budgeted:
    return within_budget(
        ranked, constants=dataclasses.replace(constants, least_cut=10**9), **options
    )


def _recut(change: Callable[[str, Budgeted], str]) -> Seed:
    """Seeds what the content of a cut record is, in the block and in the hit."""

    def budget(ranked: Any, **options: Any) -> Budgeted:
        right = within_budget(ranked, **options)
        kept, block = [], right.block
        for chosen in right.kept:
            if chosen.truncated:
                content = change(chosen.content, right)
                old = json.dumps(chosen.content, ensure_ascii=False)[1:-1]
                block = block.replace(old, json.dumps(content, ensure_ascii=False)[1:-1])
                chosen = dataclasses.replace(chosen, content=content)  # noqa: PLW2901 - its new form
            kept.append(chosen)
        return dataclasses.replace(right, kept=tuple(kept), block=block)

    return stage(budget=budget)


def _keyed(key: Callable[[str], str]) -> Seed:
    """Seeds what makes two contents a repeat of each other."""

    def budget(ranked: Any, *, limit: int, **options: Any) -> Budgeted:
        first: dict[str, Any] = {}
        for candidate in ranked:
            first.setdefault(key(candidate.record.content), candidate)
        kept = {candidate.record.id for candidate in first.values()}
        again = tuple(
            Dropped(candidate.record.id, "duplicate")
            for candidate in ranked
            if candidate.record.id not in kept
        )
        walked = _no_repeats(list(first.values()), limit=limit, **options)
        return dataclasses.replace(walked, dropped=(*walked.dropped, *again))

    return stage(budget=budget)


def _no_repeats(ranked: Any, *, limit: int, **options: Any) -> Budgeted:
    """Each record is walked alone, so that none is a repeat of another."""
    kept: list[Any] = []
    for candidate in ranked[:limit]:
        kept += within_budget([candidate], limit=1, **options).kept
    lines = [
        record_line(Entry(c.ranked.record, c.content, c.ranked.features.freshness)) for c in kept
    ]
    over = tuple(Dropped(candidate.record.id, "over-limit") for candidate in ranked[limit:])
    return Budgeted(tuple(kept), over, frame(lines))


# --- block -----------------------------------------------------------------------------------


def _line(change: Callable[[str, Entry], str]) -> Seed:
    def line(entry: Entry, constants: Constants) -> str:
        return change(record_line(entry, constants), entry)

    return layout(line=line)


def _frame(change: Callable[[Sequence[str]], str]) -> Seed:
    return layout(frame=lambda lines: change(lines) if lines else "")


def _plain_json(line: str, entry: Entry) -> str:
    return line.replace("\\u003c", "<").replace("\\u003e", ">")


def _raw_content(line: str, entry: Entry) -> str:
    head, mark, _ = line.partition(" content=")
    return f'{head}{mark}"{entry.content}"'


def _raw_source(line: str, entry: Entry) -> str:
    if not entry.record.sources:
        return line
    source = entry.record.sources[0]
    label = f"{source.kind}/{source.trust}" + (f":{source.locator}" if source.locator else "")
    head, _, tail = line.partition(" source=")
    content = tail[tail.index(" content=") :]
    return f'{head} source="{label}"{content}'


def _unicode_lines(line: str, entry: Entry) -> str:
    for code in ("0085", "2028", "2029"):
        line = line.replace(f"\\u{code}", chr(int(code, 16)))
    return line


def _ascii_json(line: str, entry: Entry) -> str:
    return line.encode("ascii", "backslashreplace").decode()


def _no_labels(line: str, entry: Entry) -> str:
    return "- content=" + line.partition(" content=")[2]


def _half_even(line: str, entry: Entry) -> str:
    head, _, tail = line.partition(" confidence=")
    return f"{head} confidence={entry.record.confidence:.2f} {tail.partition(' ')[2]}"


def _folded_not(line: str, entry: Entry) -> str:
    if not entry.record.sources or not entry.record.sources[0].locator:
        return line
    raw = entry.record.sources[0].locator[: FOUNDATION.shown_locator_length]
    folded = " ".join(raw.split())
    return line.replace(json.dumps(folded)[1:-1], json.dumps(raw)[1:-1], 1)


def _nothing_for_no_source(line: str, entry: Entry) -> str:
    return line.replace(' source="unknown"', "")


def _two_lines(line: str, entry: Entry) -> str:
    head, mark, tail = line.partition(" content=")
    return f"{head}\n {mark}{tail}"


def _trusted(lines: Sequence[str]) -> str:
    return frame(lines).replace(' untrusted="true"', "")


def _unclosed(lines: Sequence[str]) -> str:
    return "\n".join((FIRST_LINE, *STATEMENTS, *lines))


def _backwards(lines: Sequence[str]) -> str:
    return frame(list(reversed(lines)))


def _users_apart(lines: Sequence[str]) -> str:
    users = [line for line in lines if " scope=user " in line]
    others = [line for line in lines if line not in users]
    return "\n".join(frame(part) for part in (others, users) if part)


def _question_in_front(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """The context begins with the question, outside its frame."""

        def context(
            self, query: str, access: Access = Access(), budget: int | None = None
        ) -> ContextResult:
            answer = super().context(query, access, budget)
            if not answer.text:
                return answer
            mark()
            return msgspec.structs.replace(answer, text=f"Asked: {query}\n{answer.text}")

    return Store


def _tags_in_the_line(line: str, entry: Entry) -> str:
    tags = " ".join(entry.record.tags)
    head, mark, tail = line.partition(" content=")
    return f"{head} tags={tags}{mark}{tail}" if tags else line


def _runs_templates(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Fills the templates in a content when it is shown."""

        def recall(self, *args: Any, **options: Any) -> RecallResult:
            answer = super().recall(*args, **options)
            hits = []
            for hit in answer.hits:
                content = hit.content or ""
                shown = content.replace("{{", "").replace("}}", "").replace("$(", "(")
                shown = shown.replace("%s", "").replace("{0}", "").replace("--", "")
                if shown != content:
                    mark()
                hits.append(msgspec.structs.replace(hit, content=shown))
            return msgspec.structs.replace(answer, hits=hits)

    return Store


def _obeys(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A content that asks for something to be deleted is obeyed."""

        def _add(self, record: Any) -> None:
            super()._add(record)
            text = record.content.lower()
            if any(word in text for word in ("delete", "drop table", "rm -", "forget")):
                self._cache.refresh()
                for other in list(self._cache.records.values()):
                    if other.id != record.id and other.deleted_at is None:
                        mark()
                        self._files.remove(other.id)
                        self._removed(other.id)

    return Store


# --- trace and diagnostics -------------------------------------------------------------------


def _tracing(change: Callable[[Trace, Any, ReferenceStore], Trace]) -> Seed:
    """Seeds what the trace of a retrieval tells."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Its traces tell something else."""

            def _retrieve(self, request: RetrievalRequest) -> Any:
                found = super()._retrieve(request)
                mark()
                return dataclasses.replace(found, trace=change(found.trace, found, self))

        return Store

    return store(make)


def _foreign_id(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    ids = [drop.id for drop in found.early.scope.dropped]
    return msgspec.structs.replace(
        trace, excluded_by_prompt_budget=[*trace.excluded_by_prompt_budget, *ids]
    )


def _left_over(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    over = [drop.id for drop in found.budget.dropped]
    return msgspec.structs.replace(trace, excluded_by_prompt_budget=over[:64])


def _all_selected(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    rankings = [msgspec.structs.replace(ranking, selected=True) for ranking in trace.rankings]
    return msgspec.structs.replace(trace, rankings=rankings)


def _passed_as_selected(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    return msgspec.structs.replace(trace, selected_ids=[r.record.id for r in found.passed])


def _query_in_mode(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    """The timestamp holds the first words of the question, for whoever reads the log."""
    content = found.selected[0].content if found.selected else ""
    return msgspec.structs.replace(trace, timestamp=f"{trace.timestamp} {content[:40]}")


def _passed_as_candidates(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    filtered = msgspec.structs.replace(trace.filtered, irrelevant=0)
    return msgspec.structs.replace(trace, candidate_count=len(found.passed), filtered=filtered)


def _fts_channel(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    rankings = [msgspec.structs.replace(r, channel="fts5") for r in trace.rankings]
    return msgspec.structs.replace(trace, rankings=rankings)


def _default_budget(trace: Trace, found: Any, store: ReferenceStore) -> Trace:
    return msgspec.structs.replace(
        trace, prompt_character_budget=FOUNDATION.prompt_character_budget
    )


def _always_traced(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Hands out the trace to everybody."""

        def recall(self, *args: Any, **options: Any) -> RecallResult:
            if not options.get("trace"):
                mark()
            options["trace"] = True
            return super().recall(*args, **options)

    return Store


def _diagnosing(change: Callable[[DiagnosticsResult, ReferenceStore], DiagnosticsResult]) -> Seed:
    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Its diagnostics tell something else."""

            def diagnostics(self) -> DiagnosticsResult:
                mark()
                return change(super().diagnostics(), self)

        return Store

    return store(make)


def _quoting(answer: DiagnosticsResult, store: ReferenceStore) -> DiagnosticsResult:
    store._cache.refresh()
    texts = {record.content: 1 for record in store._cache.records.values()}
    return msgspec.structs.replace(answer, failures=texts)


def _a_malformed_one(answer: DiagnosticsResult, store: ReferenceStore) -> DiagnosticsResult:
    return msgspec.structs.replace(answer, malformed=answer.malformed + 1)


def _no_last_trace(answer: DiagnosticsResult, store: ReferenceStore) -> DiagnosticsResult:
    return msgspec.structs.replace(answer, last_trace=None)


def _lookups_count(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Takes whatever was found for what was injected."""

        def recall(self, *args: Any, **options: Any) -> RecallResult:
            answer = super().recall(*args, **options)
            mark()
            self._last_injected = tuple(hit.id for hit in answer.hits)
            return answer

    return Store


def _passed_is_injected(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Takes whatever passed the gate for what was injected."""

        def _ask(self, request: RetrievalRequest) -> Any:
            found = super()._ask(request)
            self._passed = tuple(ranked.record.id for ranked in found.passed)
            return found

        def context(self, *args: Any, **options: Any) -> ContextResult:
            answer = super().context(*args, **options)
            mark()
            self._last_injected = self._passed
            return answer

    return Store


def _never_empty(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Keeps the last ids that were injected when a later context is empty."""

        def context(self, *args: Any, **options: Any) -> ContextResult:
            before = self._last_injected
            answer = super().context(*args, **options)
            if not answer.text:
                mark()
                self._last_injected = before
            return answer

    return Store


def _fault(name: str, change: str, suffers: str, seed: Seed, breaks: Any, *killers: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=killers,
        base="filesystem",
        seed=seed,
    )


FAULTS = (
    _fault(
        "nine-by-default",
        "Where nothing is said nine records are selected instead of eight.",
        "Every prompt pays for one record more.",
        _limit(
            lambda right, request, policy: (
                9 if request.limit is None and policy.max_injected_records == 8 else right
            )
        ),
        LIMIT,
        *foundation("eight-is-the-default"),
    ),
    _fault(
        "one-record-over",
        "One record more than the limit is selected.",
        "Whoever asks for one memory gets two.",
        _limit(lambda right, request, policy: right + 1 if right else 0),
        (*LIMIT, *LIMITS),
        *foundation("the-smallest-limit-counts", "a-caller-may-ask-for-fewer"),
        *core("a-limit-below-the-number-of-memories-is-filled"),
    ),
    _fault(
        "the-limit-is-ignored",
        "The caller's limit makes no difference.",
        "A prompt with room for one memory gets eight.",
        _limit(lambda right, request, policy: policy.max_injected_records if right else 0),
        (*LIMIT, *LIMITS),
        *core("a-limit-holds-in-a-warm-store", "a-limit-of-one-keeps-the-best"),
        *foundation("the-smallest-limit-counts"),
    ),
    _fault(
        "the-policy-is-ignored",
        "The policy's maximum makes no difference.",
        "An administrator's limit is exceeded by whoever asks for more.",
        _limit(
            lambda right, request, policy: (
                right
                if not policy.enabled
                else max(0, min(64, int(8 if request.limit is None else request.limit)))
            )
        ),
        LIMIT,
        *foundation(
            "the-smallest-limit-counts",
            "a-lower-maximum-acts-at-once",
            "a-higher-maximum-acts-at-once",
        ),
    ),
    _fault(
        "sixty-five-records",
        "At most 65 records are selected instead of 64.",
        "Two stores of one design fill a long prompt differently.",
        figure(record_limit_cap=65),
        LIMIT,
        *foundation("no-limit-and-no-budget-bring-more-than-64", "a-caller-s-limit-is-held-to-64"),
    ),
    _fault(
        "no-limit-means-all",
        "A limit of zero or less means none at all.",
        "Whoever wants nothing gets everything.",
        _limit(
            lambda right, request, policy: (
                policy.max_injected_records
                if request.limit is not None and request.limit <= 0 and policy.enabled
                else right
            )
        ),
        (*LIMIT, *LIMITS),
        *foundation("a-limit-of-nothing-selects-nothing"),
        *core("a-limit-of-zero-or-less-finds-nothing"),
    ),
    _fault(
        "disabled-and-still-answering",
        "A policy that is disabled selects as ever.",
        "Memory is switched off, and the prompt is full of it.",
        _limit(
            lambda right, request, policy: right if policy.enabled else policy.max_injected_records
        ),
        LIMIT,
        *foundation("a-disabled-policy-selects-nothing", "a-disabled-policy-leaves-no-block"),
    ),
    _fault(
        "budget-one-character-over",
        "The block may have one character more than the budget.",
        "A prompt that was measured to fit is refused by the model.",
        _budget(_one_over),
        BUDGET,
        *foundation("the-budget-is-never-exceeded", "a-budget-one-short-cuts"),
    ),
    _fault(
        "markup-is-not-counted",
        "The budget is held by the lines of the records, without the frame.",
        "Every full prompt is some hundred characters too long.",
        _budget(_without_markup),
        BUDGET,
        *foundation("the-default-budget-is-6-000-characters"),
    ),
    _fault(
        "default-budget-one-over",
        "The budget is 6,001 characters where none is given.",
        "Two stores of one design assemble different prompts.",
        figure(prompt_character_budget=6001),
        BUDGET,
        *foundation("the-default-budget-is-6-000-characters"),
    ),
    _fault(
        "cut-at-95",
        "A content cut to 95 characters is kept instead of left out.",
        "A stump of a memory that says less than half a sentence takes room in the prompt.",
        figure(least_cut=95),
        BUDGET,
        *foundation(
            "95-characters-are-too-few", "without-the-space-at-its-end-a-cut-may-be-too-short"
        ),
    ),
    _fault(
        "cut-at-97",
        "A content cut to 96 characters is left out.",
        "A memory that would have fitted is missing.",
        figure(least_cut=97),
        BUDGET,
        *foundation("exactly-96-characters-are-kept"),
    ),
    _fault(
        "never-cut",
        "What doesn't fit whole is left out, though the store declares to cut.",
        "A long memory is never in a prompt.",
        _budget(_never_cut),
        BUDGET,
        *foundation("a-cut-content-is-a-start-of-the-stored-one", "a-cut-leaves-the-frame-whole"),
    ),
    _fault(
        "cut-with-dots",
        "Three dots stand in the place of the last characters of a cut content.",
        "A cut text isn't what was stored, and a quotation of it is wrong.",
        _recut(lambda content, _: content[:-3] + "..."),
        BUDGET,
        *foundation("a-recall-is-held-to-6-000-characters"),
    ),
    _fault(
        "cut-one-short",
        "A content is cut one character shorter than fits.",
        "Room that was paid for isn't used.",
        _recut(lambda content, _: content[:-1]),
        BUDGET,
        *foundation("the-budget-is-never-exceeded"),
    ),
    _fault(
        "space-at-the-end-of-a-cut",
        "Space at the end of a cut content stays.",
        "The prompt pays for blanks.",
        _recut(lambda content, _: content + " "),
        BUDGET,
        *foundation("space-at-the-end-of-a-cut-is-left-out"),
    ),
    _fault(
        "space-at-the-beginning-goes",
        "Space at the beginning of a cut content is taken away.",
        "Code that was remembered loses its indentation.",
        _recut(lambda content, _: content.lstrip()),
        BUDGET,
        *foundation("space-at-the-beginning-of-a-cut-stays"),
    ),
    _fault(
        "what-does-not-fit-ends-the-walk",
        "The first record that doesn't fit ends the walk.",
        "One long memory keeps all short ones out of the prompt.",
        _budget(_stops_at_the_first),
        BUDGET,
        *foundation("what-doesn-t-fit-makes-room-for-what-does"),
    ),
    _fault(
        "room-for-the-worst-first",
        "The worst record gets its room first.",
        "The best memory is the one that is cut.",
        _budget(_worst_first),
        (*BUDGET, *BLOCK, *LIMITS),
        *foundation(
            "the-budget-is-spent-from-the-best-down", "the-lines-are-in-the-order-of-the-ranking"
        ),
        *core("a-limit-of-one-keeps-the-best"),
    ),
    _fault(
        "repeats-are-kept",
        "Two records of one content are both selected.",
        "The prompt says the same thing eight times.",
        _budget(_no_repeats),
        (*BUDGET, *LIMIT),
        *foundation(
            "a-repeat-is-left-out",
            "a-repeat-takes-no-place-in-the-limit",
            "a-repeat-of-a-cut-memory-is-left-out",
            "at-most-64-exclusions-are-listed",
        ),
    ),
    _fault(
        "repeats-by-their-bytes",
        "Only contents of the very same characters are repeats.",
        "A note in capitals is told again in small letters.",
        _keyed(lambda content: content),
        BUDGET,
        *foundation("a-repeat-is-left-out", "every-spelling-of-a-content-is-a-repeat"),
    ),
    _fault(
        "repeats-by-their-words",
        "Contents of the same words are repeats, whatever stands between them.",
        "'Yes, we can' and 'Yes we can?' are one memory.",
        _keyed(
            lambda content: " ".join(
                "".join(c if c.isalnum() else " " for c in normalise(content)).split()
            )
        ),
        BUDGET,
        *foundation("what-differs-otherwise-is-no-repeat"),
    ),
    _fault(
        "sixty-five-in-the-trace",
        "The lists of a trace hold 65 entries.",
        "A log that was measured for 64 overflows.",
        figure(trace_limit=65),
        (*BUDGET, *TRACE),
        *foundation("at-most-64-exclusions-are-listed", "a-trace-lists-at-most-64-rankings"),
    ),
    # --- block -----------------------------------------------------------------------------------
    _fault(
        "brackets-are-not-escaped",
        "Angle brackets in a content stand as they are.",
        "A stored text closes the block and speaks to the model as the system does.",
        _line(_plain_json),
        (*BLOCK, *NO_AUTHORITY),
        *foundation(
            "a-content-that-closes-the-block-stays-inside",
            "a-content-is-shown-as-a-json-string",
        ),
        *core("a-content-with-the-own-lines-of-the-frame-stays-inside-it"),
    ),
    _fault(
        "content-is-not-escaped",
        "A content stands in its line as it is.",
        "A line break in a memory begins a line of the attacker's own.",
        _line(_raw_content),
        (*BLOCK, *NO_AUTHORITY),
        *foundation(
            "a-content-that-closes-the-block-stays-inside",
            "a-content-that-opens-a-block-stays-inside",
        ),
        *core("a-content-with-the-own-lines-of-the-frame-stays-inside-it"),
    ),
    _fault(
        "source-is-not-escaped",
        "The label of a source stands in its line as it is.",
        "The name of a file closes the block.",
        _line(_raw_source),
        (*BLOCK, *NO_AUTHORITY),
        *foundation("a-source-label-that-closes-the-block-stays-inside"),
        *core("a-source-with-closing-marks-stays-inside-the-frame"),
    ),
    _fault(
        "tags-in-the-line",
        "The tags of a record stand in its line as they are.",
        "A tag closes the block.",
        _line(_tags_in_the_line),
        NO_AUTHORITY,
        *core("a-tag-with-closing-marks-stays-inside-the-frame"),
    ),
    _fault(
        "the-question-before-the-block",
        "The question stands before the first line of the block.",
        "A question that was pasted from a page speaks outside every frame.",
        store(_question_in_front),
        NO_AUTHORITY,
        *core("a-question-with-closing-marks-stays-outside-the-frame"),
    ),
    _fault(
        "line-separators-of-unicode",
        "The line separators of Unicode stand as they are.",
        "Some readers see a new line, and in it whatever the memory says.",
        _line(_unicode_lines),
        BLOCK,
        *foundation("no-line-separator-of-unicode-stands-in-a-line"),
    ),
    _fault(
        "ascii-json",
        "Characters beyond ASCII are escaped.",
        "A Chinese memory takes six times the room.",
        _line(_ascii_json),
        BLOCK,
        *foundation("a-content-is-shown-as-a-json-string"),
    ),
    _fault(
        "lines-without-labels",
        "A line shows the content alone.",
        "The model can't tell a guess of last year from what the user said today.",
        _line(_no_labels),
        BLOCK,
        *foundation(
            "a-line-shows-the-labels-of-its-record",
            "a-source-is-shown-by-kind-trust-and-locator",
            "less-than-fresh-is-shown-in-three-words",
        ),
    ),
    _fault(
        "confidence-half-to-even",
        "Confidence is rounded as a binary fraction, half to even.",
        "0.125 is told as 0.12.",
        _line(_half_even),
        BLOCK,
        *foundation("confidence-has-two-decimals"),
    ),
    _fault(
        "fresh-from-0-81",
        "A memory is called fresh from 0.81 instead of 0.8.",
        "Two stores of one design call the same memory by two words.",
        figure(freshness_classes=(("fresh", 0.81), ("recent", 0.5), ("aging", 0.25))),
        BLOCK,
        *foundation("a-memory-is-fresh-down-to-0-8"),
    ),
    _fault(
        "recent-above-a-half",
        "A memory is called recent from 0.502 instead of 0.5.",
        "Two stores of one design call the same memory by two words.",
        figure(freshness_classes=(("fresh", 0.8), ("recent", 0.502), ("aging", 0.25))),
        BLOCK,
        *foundation("less-than-fresh-is-shown-in-three-words"),
    ),
    _fault(
        "aging-above-a-quarter",
        "A memory is called aging from 0.252 instead of 0.25.",
        "Two stores of one design call the same memory by two words.",
        figure(freshness_classes=(("fresh", 0.8), ("recent", 0.5), ("aging", 0.252))),
        BLOCK,
        *foundation("less-than-fresh-is-shown-in-three-words"),
    ),
    _fault(
        "locator-of-161",
        "161 characters of a locator are shown instead of 160.",
        "A long path takes room that the design gives to memories.",
        figure(shown_locator_length=161),
        BLOCK,
        *foundation("a-locator-is-cut-to-160-characters"),
    ),
    _fault(
        "locator-is-not-folded",
        "White space in a locator stays as it is.",
        "A file name with a line break is shown over two lines.",
        _line(_folded_not),
        BLOCK,
        *foundation("a-source-is-shown-by-kind-trust-and-locator"),
    ),
    _fault(
        "no-source-no-label",
        "A record without a source has no label for it.",
        "Nobody sees that a memory comes from nowhere.",
        _line(_nothing_for_no_source),
        BLOCK,
        *foundation("a-source-is-shown-by-kind-trust-and-locator"),
    ),
    _fault(
        "two-lines-a-record",
        "The content of a record stands on a line of its own.",
        "A reader of lines takes the content for a record.",
        _line(_two_lines),
        BLOCK,
        *foundation("a-record-takes-a-line"),
    ),
    _fault(
        "the-frame-claims-trust",
        "The first line of the block doesn't say untrusted.",
        "The model takes what strangers wrote for what it knows.",
        _frame(_trusted),
        BLOCK,
        *foundation("the-block-begins-and-ends-with-its-marks"),
    ),
    _fault(
        "the-block-has-no-end",
        "The last line of the block is missing.",
        "What follows in the prompt is taken for memory, and memory for what follows.",
        _frame(_unclosed),
        BLOCK,
        *foundation("the-block-begins-and-ends-with-its-marks"),
    ),
    _fault(
        "lines-backwards",
        "The lines stand worst first.",
        "The model reads the least important memory first.",
        _frame(_backwards),
        BLOCK,
        *foundation("the-lines-are-in-the-order-of-the-ranking"),
    ),
    _fault(
        "users-in-a-block-of-their-own",
        "User records get a block of their own.",
        "The prompt has two frames, and the second is outside the first's budget.",
        _frame(_users_apart),
        BLOCK,
        *foundation("a-user-record-stands-in-the-same-block"),
    ),
    _fault(
        "contents-are-filled-in",
        "Templates and the like in a content are filled in when it is shown.",
        "A remembered command comes back as another one.",
        store(_runs_templates),
        NO_AUTHORITY,
        *core("a-text-that-looks-like-code-reads-as-written"),
    ),
    _fault(
        "contents-are-obeyed",
        "A memory that asks for something to be deleted is obeyed.",
        "A web page that was remembered empties the store.",
        store(_obeys),
        NO_AUTHORITY,
        *core("a-text-that-looks-like-code-changes-no-other-memory"),
    ),
    # --- trace and diagnostics -------------------------------------------------------------------
    _fault(
        "a-foreign-id-in-the-trace",
        "The trace lists the ids of records of other places.",
        "The log tells one client what another has.",
        _tracing(_foreign_id),
        TRACE,
        *foundation("a-trace-holds-no-foreign-id"),
    ),
    _fault(
        "left-over-counts-as-excluded",
        "What the record limit leaves over is listed as excluded by the budget.",
        "Whoever reads the trace raises the budget, and nothing changes.",
        _tracing(_left_over),
        LIMIT,
        *foundation("eight-is-the-default"),
    ),
    _fault(
        "everything-is-called-selected",
        "Each ranking of a trace is called selected.",
        "The trace says that a memory was in the prompt, and it wasn't.",
        _tracing(_all_selected),
        TRACE,
        *foundation("a-ranking-says-whether-it-was-selected"),
    ),
    _fault(
        "selected-is-what-passed",
        "The trace lists as selected what passed the gate, not what was assembled.",
        "The trace says that a memory was in the prompt, and it wasn't.",
        _tracing(_passed_as_selected),
        TRACE,
        *foundation("a-ranking-says-whether-it-was-selected"),
    ),
    _fault(
        "a-text-in-the-trace",
        "The trace quotes the first memory.",
        "The log that was to explain is the leak.",
        _tracing(_query_in_mode),
        TRACE,
        *foundation("a-trace-shows-no-text"),
    ),
    _fault(
        "candidates-are-what-passed",
        "The trace counts as candidates what passed the gate.",
        "Nobody sees how much the gate keeps out.",
        _tracing(_passed_as_candidates),
        TRACE,
        *foundation("every-figure-of-a-trace-is-right"),
    ),
    _fault(
        "one-channel-for-all",
        "The trace says of each candidate that the index found it by its words.",
        "What was found by its type alone seems to have been found by a word.",
        _tracing(_fts_channel),
        TRACE,
        *foundation("a-trace-tells-how-a-candidate-was-found"),
    ),
    _fault(
        "the-trace-tells-the-default-budget",
        "The trace tells 6,000 characters, whatever the budget was.",
        "Nobody sees why a memory was cut.",
        _tracing(_default_budget),
        TRACE,
        *foundation("the-trace-of-a-context-tells-its-budget"),
    ),
    _fault(
        "traces-for-everybody",
        "An answer has a trace, asked for or not.",
        "Every answer is ten times as long.",
        store(_always_traced),
        TRACE,
        *foundation("no-trace-without-asking"),
    ),
    _fault(
        "diagnostics-quote",
        "The diagnostics list the contents of what they count.",
        "A screenshot for the support shows the user's memories.",
        _diagnosing(_quoting),
        DIAGNOSTICS,
        *foundation("diagnostics-show-no-text"),
    ),
    _fault(
        "a-healthy-store-is-called-ill",
        "One malformed file more than there is is counted.",
        "Somebody looks for a broken file that doesn't exist.",
        _diagnosing(_a_malformed_one),
        DIAGNOSTICS,
        *foundation("a-healthy-store-has-no-malformed-file"),
    ),
    _fault(
        "no-last-trace",
        "The diagnostics hold no trace.",
        "Whoever asks why just now has to ask again.",
        _diagnosing(_no_last_trace),
        DIAGNOSTICS,
        *foundation("the-last-trace-is-that-of-the-last-question"),
    ),
    _fault(
        "a-lookup-counts-as-injected",
        "What a recall finds counts as injected.",
        "A look into the store blurs what the model was told.",
        store(_lookups_count),
        DIAGNOSTICS,
        *foundation("a-lookup-is-no-injection"),
    ),
    _fault(
        "what-passed-counts-as-injected",
        "What passed the gate counts as injected, also where it didn't fit.",
        "Whoever looks what the model was told reads something that it wasn't.",
        store(_passed_is_injected),
        DIAGNOSTICS,
        *foundation("what-was-left-out-of-a-context-was-not-injected"),
    ),
    _fault(
        "an-empty-context-is-forgotten",
        "After an empty context the ids of the one before stay as last injected.",
        "An answer is explained by memories that were not in its prompt.",
        store(_never_empty),
        DIAGNOSTICS,
        *foundation("the-last-injected-ids-are-those-of-the-last-context"),
    ),
)
