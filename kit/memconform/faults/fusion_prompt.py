"""Faults of the fusion store: catalogs, budgets and what is injected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, ids
from memconform.faults.fusion_seams import every_row, part, portions, store
from memconform.fusion import (
    FIGURES,
    Catalog,
    Figures,
    Floor,
    Injection,
    Memory,
    Portion,
    Portions,
    Signals,
    ask,
    card,
    catalog,
    inject,
    reciprocal_rank_fusion,
    within_budget,
)
from memconform.fusion.block import FRAME_COST, line_cost
from memconform.fusion.disclosure import Entry
from memconform.fusion.injection import quotas
from memconform.model import Access, CatalogResult, ExpandResult, GraphEdge, RecallResult
from memconform.reference.fusion import FusionStore

NO_CONTENT = ids("progressive-disclosure", "a-catalog-shows-no-content")
TWINS = ids("progressive-disclosure", "a-catalog-tells-near-twins-apart")
COSTS = ids("progressive-disclosure", "a-catalog-says-what-it-costs")
WHOLE = ids("progressive-disclosure", "expanding-shows-the-whole-memory")
CHOICE = ids("budgeted-recall", "the-budget-takes-part-in-the-choice")
SENTENCE = ids("budgeted-recall", "a-sentence-is-never-cut")
LEDGER = ids("budgeted-recall", "the-ledger-comes-with-every-answer")
CHINESE = ids("budgeted-recall", "a-chinese-text-costs-what-it-is-long")
APART = ids("budgeted-recall", "budget-and-order-can-be-told-apart")
PROMPT = ids("context-injection", "the-budget-of-a-prompt-holds")
PROFILE = ids("context-injection", "the-profile-is-always-there")
ACCOUNTS = ids("context-injection", "no-account-lends-to-another")
HOLDS = ids("context-injection", "the-context-keeps-to-the-floor-and-to-what-holds")
INJECTED_FLOOR = ids("relevance-floor", "the-floor-holds-wherever-text-is-injected")
COUNTED = ids("memory-integrity", "a-chinese-text-is-counted-by-its-characters")
STATEMENTS = ids("memory-integrity", "statements-have-a-subject-and-a-source")


# --- catalogs --------------------------------------------------------------------------------


def _entries(change: Any) -> Any:
    """Seeds how each entry is written."""

    def made(memories: Sequence[Memory]) -> Catalog:
        right = catalog(memories)
        return replace(right, entries=tuple(change(entry) for entry in right.entries))

    return part(catalog=made)


def _content_as_title(entry: Entry) -> Entry:
    return replace(entry, title=entry.memory.content)


def _free(entry: Entry) -> Entry:
    return replace(entry, expand_cost=0)


def _beginning(entry: Entry) -> Entry:
    return replace(entry, summary=entry.memory.content[:20] + "…")


def _flat(memories: Sequence[Memory]) -> Catalog:
    right = catalog(memories)
    return replace(right, cost=40 if right.entries else 0)


def _backwards(memories: Sequence[Memory]) -> Catalog:
    return catalog(memories[::-1])


def _all_entries(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Lists all that it finds, however many are asked for."""

        def catalog(
            self, query: str, access: Access = Access(), k: int | None = None
        ) -> CatalogResult:
            mark()
            return super().catalog(query, access, None)

    return Store


def _expanding(change: Any) -> Any:
    """Seeds what expanding shows."""

    def make(mark: Mark) -> type[FusionStore]:
        class Store(FusionStore):
            """Expands otherwise."""

            def expand(self, id: str, access: Access = Access()) -> ExpandResult:
                mark()
                changed: ExpandResult = change(self, super().expand, id, access)
                return changed

        return Store

    return store(make)


def _folded(store: FusionStore, expand: Any, id: str, access: Access) -> ExpandResult:
    answer: ExpandResult = expand(id, access)
    content = answer.record.content
    text = None if content is None else " ".join(content.split())
    record = msgspec.structs.replace(answer.record, content=text)
    return msgspec.structs.replace(answer, record=record)


def _no_evidence(store: FusionStore, expand: Any, id: str, access: Access) -> ExpandResult:
    answer: ExpandResult = expand(id, access)
    return msgspec.structs.replace(answer, evidence=[])


def _any_place(store: FusionStore, expand: Any, id: str, access: Access) -> ExpandResult:
    there = store._tables.find(id)
    names = dict(store._tables._db.execute("SELECT id, name FROM places"))
    place = Access() if there is None else Access(namespace=names[there[0]])
    answer: ExpandResult = expand(id, place)
    return answer


def _forgotten_shown(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Expands what it has expanded or forgotten before out of its memory."""

        def forget(self, id: str, access: Access = Access()) -> Any:
            self.__dict__.setdefault("_kept", {})[id] = self.expand(id, access)
            return super().forget(id, access)

        def expand(self, id: str, access: Access = Access()) -> ExpandResult:
            kept = self.__dict__.get("_kept", {})
            if id not in kept:
                return super().expand(id, access)
            mark()
            answer: ExpandResult = kept[id]
            return answer

    return Store


def _edges_without_memory(mark: Mark) -> type[FusionStore]:
    def bare(edges: list[GraphEdge]) -> list[GraphEdge]:
        mark()
        return [msgspec.structs.replace(edge, record="") for edge in edges]

    class Store(FusionStore):
        """Knows what is stated and not by whom."""

        def graph(self, entity: str, access: Access = Access()) -> Any:
            answer = super().graph(entity, access)
            return msgspec.structs.replace(answer, edges=bare(answer.edges))

        def expand(self, id: str, access: Access = Access()) -> ExpandResult:
            answer = super().expand(id, access)
            return msgspec.structs.replace(answer, neighbours=bare(answer.neighbours))

    return Store


# --- budgets ---------------------------------------------------------------------------------


def _each(change: Any) -> Any:
    """Seeds the form of each memory."""
    return portions(lambda p: replace(p, portions=tuple(map(change, p.portions))))


def _folded_text(portion: Portion) -> Portion:
    text = None if portion.text is None else " ".join(portion.text.split())
    return replace(portion, text=text)


def _empty_capsule(portion: Portion) -> Portion:
    return replace(portion, text="[short]") if portion.form == "capsule" else portion


def _left_out(right: Portions) -> Portions:
    return replace(right, portions=tuple(p for p in right.portions if p.text is not None))


def _skipped(right: Portions) -> Portions:
    return replace(right, portions=tuple(p for p in right.portions if p.form == "content"))


def _ledger(**changes: Any) -> Any:
    """Seeds what the ledger says."""

    def change(right: Portions) -> Portions:
        made = {name: value(right) for name, value in changes.items()}
        return replace(right, ledger=msgspec.structs.replace(right.ledger, **made))

    return portions(change)


def _capsules(right: Portions) -> int:
    return sum(portion.form != "content" for portion in right.portions)


def _cut(memories: Sequence[Memory], budget: int, **more: Any) -> Portions:
    """Cuts what doesn't fit, at the letter."""
    right = within_budget(memories, budget, **more)
    return replace(
        right,
        portions=tuple(
            p
            if p.form == "content"
            else replace(p, form="content", text=p.memory.content[: 4 * budget])
            for p in right.portions
        ),
    )


def _quarter(memory: Memory, text: str) -> int:
    return len(text) // 4


def _like_english(memories: Sequence[Memory], budget: int, **more: Any) -> Portions:
    return within_budget(memories, budget, cost=_quarter)


def _twice(memories: Sequence[Memory], budget: int, **more: Any) -> Portions:
    right = within_budget(memories, 2 * budget, **more)
    return replace(right, ledger=msgspec.structs.replace(right.ledger, budget=budget))


def _no_ledger_for_nothing(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Has no ledger where it found nothing."""

        def recall(self, *args: Any, **more: Any) -> RecallResult:
            answer = super().recall(*args, **more)
            if answer.hits:
                return answer
            mark()
            return msgspec.structs.replace(answer, ledger=None)

    return Store


def _always_eight(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Shows what it shows, however many are asked for."""

        def _limit(self, limit: int | None) -> int:
            mark()
            return super()._limit(None)

    return Store


# --- what is injected ------------------------------------------------------------------------


def _injected(change: Any) -> Any:
    """Seeds what becomes of an injection."""

    def made(
        query: str, candidates: Sequence[Signals], budget: int, floor: Floor, **more: Any
    ) -> Any:
        return change(
            query, candidates, budget, floor, inject(query, candidates, budget, floor, **more)
        )

    return part(inject=made)


def _with_figures(figures: Figures) -> Any:
    def made(*args: Any, **more: Any) -> Injection:
        return inject(*args, **{**more, "figures": figures})

    return part(inject=made)


def _frame_for_free(
    query: str, candidates: Sequence[Signals], budget: int, *rest: Any, **more: Any
) -> Injection:
    # The whole of the budget for the task: what the frame costs comes on top.
    figures = replace(FIGURES, task_quota=100)
    return inject(query, candidates, budget + FRAME_COST, *rest, **{**more, "figures": figures})


def _half_sentences(
    query: str, candidates: Sequence[Signals], budget: int, floor: Floor, right: Injection
) -> Injection:
    left = quotas(budget).task
    cut = tuple(
        p if p.form == "content" else replace(p, form="content", text=p.memory.content[: 3 * left])
        for p in right.task.portions
    )
    return replace(right, task=replace(right.task, portions=cut))


def _only_preferences(
    query: str, candidates: Sequence[Signals], budget: int, floor: Floor, right: Injection
) -> Injection:
    memories = [s.memory for s in candidates if s.memory.kind in ("preference", "constraint")]
    likes = card([m for m in memories if m.kind == "preference"], quotas(budget).profile, line_cost)
    dropped = len(right.profile.memories) < len(memories)
    return replace(right, profile=likes) if dropped and likes.memories else right


def _in_rank_order(
    query: str, candidates: Sequence[Signals], budget: int, floor: Floor, right: Injection
) -> Injection:
    order = [p.signals.memory.id for p in reciprocal_rank_fusion(candidates)]
    kept = tuple(sorted(right.task.portions, key=lambda p: order.index(p.memory.id)))
    return replace(right, task=replace(right.task, portions=kept))


def _corrected_too(query: str, candidates: Sequence[Signals], *rest: Any, **more: Any) -> Injection:
    open_ = [replace(s, memory=replace(s.memory, superseded_by=None)) for s in candidates]
    return inject(query, open_, *rest, **more)


def _only_what_is_asked(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Injects what the question is about, and no profile."""

        def _to_inject(self, query: str, place: int) -> list[Signals]:
            mark()
            found = self._candidates(ask(query, self._parts.embedder), place)
            return [signals for signals, _ in found]

    return Store


def _floorless_context(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Searches with a floor and injects without one."""

        def _to_inject(self, query: str, place: int) -> list[Signals]:
            mark()
            asked = ask(query, self._parts.embedder)
            return [replace(s, words=max(1, s.words)) for s, _ in every_row(self, asked, place)]

    return Store


FAULTS = (
    Fault(
        name="expanding-is-free",
        change="The cost of expanding an entry is nothing.",
        suffers="Everything gets expanded, since it costs nothing, and the budget is gone.",
        breaks=NO_CONTENT,
        killed_by=ids("progressive-disclosure", "an-entry-has-title-summary-and-cost"),
        base="fusion",
        seed=_entries(_free),
    ),
    Fault(
        name="titles-are-contents",
        change="The title of an entry is the whole content.",
        suffers="A catalog of ten costs what ten memories cost.",
        breaks=NO_CONTENT,
        killed_by=ids("progressive-disclosure", "the-content-is-in-no-entry"),
        base="fusion",
        seed=_entries(_content_as_title),
    ),
    Fault(
        name="catalogs-are-backwards",
        change="A catalog lists what was found from its end.",
        suffers="The entry that answers the question stands at the end, where nobody looks.",
        breaks=NO_CONTENT,
        killed_by=ids("progressive-disclosure", "a-catalog-is-in-the-order-of-recall"),
        base="fusion",
        seed=part(catalog=_backwards),
    ),
    Fault(
        name="summaries-are-beginnings",
        change="A summary is the beginning of the content.",
        suffers="Two memories that differ at their ends look alike, and both are expanded.",
        breaks=TWINS,
        killed_by=ids(
            "progressive-disclosure",
            "two-memories-that-differ-in-one-word",
            "two-memories-that-differ-in-a-number",
        ),
        base="fusion",
        seed=_entries(_beginning),
    ),
    Fault(
        name="catalogs-have-one-price",
        change="A catalog says that it costs the same, however long it is.",
        suffers="Fifty entries are asked for, since that seems to cost what two do.",
        breaks=COSTS,
        killed_by=ids("progressive-disclosure", "more-entries-cost-more"),
        base="fusion",
        seed=part(catalog=_flat),
    ),
    Fault(
        name="catalogs-ignore-k",
        change="A catalog lists all that it found, however many entries were asked for.",
        suffers="Who has room for one entry gets eight.",
        breaks=COSTS,
        killed_by=ids("progressive-disclosure", "no-more-entries-than-asked-for"),
        base="fusion",
        seed=store(_all_entries),
    ),
    Fault(
        name="expanding-folds-white-space",
        change="Expanding shows the content with its white space folded.",
        suffers="A poem or a program comes back on one line.",
        breaks=WHOLE,
        killed_by=ids("progressive-disclosure", "the-content-is-byte-for-byte-the-stored-one"),
        base="fusion",
        seed=_expanding(_folded),
    ),
    Fault(
        name="edges-lose-their-memory",
        change="A statement doesn't name the memory that makes it.",
        suffers="Nobody can tell where a statement comes from, nor correct it there.",
        breaks=(*WHOLE, *STATEMENTS),
        killed_by=(
            *ids("progressive-disclosure", "the-statements-come-along"),
            *ids("memory-integrity", "every-statement-leads-to-its-memory"),
        ),
        base="fusion",
        seed=store(_edges_without_memory),
    ),
    Fault(
        name="expanding-hides-corrections",
        change="Expanding shows no evidence.",
        suffers="A text that was corrected is read as if it still held.",
        breaks=WHOLE,
        killed_by=ids("progressive-disclosure", "a-corrected-memory-leads-to-its-correction"),
        base="fusion",
        seed=_expanding(_no_evidence),
    ),
    Fault(
        name="expanding-ignores-the-place",
        change="An id is expanded for whoever has it.",
        suffers="An id that leaked into a log opens the memory of another place.",
        breaks=WHOLE,
        killed_by=ids("progressive-disclosure", "a-memory-of-another-place-cannot-be-expanded"),
        base="fusion",
        seed=_expanding(_any_place),
    ),
    Fault(
        name="forget-leaves-the-expansion",
        change="What was expanded is kept, and forgetting doesn't drop it.",
        suffers="A forgotten memory is still there for whoever kept its id.",
        breaks=WHOLE,
        killed_by=ids("progressive-disclosure", "a-forgotten-memory-expands-to-nothing"),
        base="fusion",
        seed=store(_forgotten_shown),
    ),
    Fault(
        name="contents-are-folded",
        change="A content that fits is given with its white space folded.",
        suffers="A checksum of what was given no longer matches what is stored.",
        breaks=CHOICE,
        killed_by=ids("budgeted-recall", "what-fits-is-given-byte-for-byte"),
        base="fusion",
        seed=_each(_folded_text),
    ),
    Fault(
        name="capsules-lose-what-must-not-change",
        change="A capsule says that there is something, and neither dates nor numbers.",
        suffers="A tight budget loses the one figure that was asked for.",
        breaks=CHOICE,
        killed_by=ids("budgeted-recall", "what-does-not-fit-becomes-a-capsule"),
        base="fusion",
        seed=_each(_empty_capsule),
    ),
    Fault(
        name="pointers-are-left-out",
        change="What doesn't fit even as a capsule is left out.",
        suffers="A memory vanishes from the answer without a trace, and is taken for missing.",
        breaks=CHOICE,
        killed_by=ids(
            "budgeted-recall",
            "what-does-not-fit-even-so-becomes-a-pointer",
            "no-memory-is-left-out-for-want-of-budget",
        ),
        base="fusion",
        seed=portions(_left_out),
    ),
    Fault(
        name="what-does-not-fit-is-skipped",
        change="What doesn't fit whole is skipped, and the next one is tried.",
        suffers="Three budgets give one answer, and the rule that mattered is the one skipped.",
        breaks=CHOICE,
        killed_by=ids(
            "budgeted-recall",
            "three-budgets-give-three-answers",
            "no-memory-is-left-out-for-want-of-budget",
        ),
        base="fusion",
        seed=portions(_skipped),
    ),
    Fault(
        name="sentences-are-cut",
        change="What doesn't fit is cut at the letter.",
        suffers="'Is allergic to peanuts, but' is read as a whole sentence, and the rest is gone.",
        breaks=SENTENCE,
        killed_by=ids("budgeted-recall", "a-budget-in-the-middle-of-a-sentence-cuts-nothing"),
        base="fusion",
        seed=part(fit=_cut),
    ),
    Fault(
        name="the-ledger-says-that-nothing-was-used",
        change="The ledger says 0 used, whatever was.",
        suffers="Who adds up what is left of a budget adds up nothing.",
        breaks=LEDGER,
        killed_by=ids("budgeted-recall", "an-ample-budget-leaves-a-clean-ledger"),
        base="fusion",
        seed=_ledger(used=lambda right: 0),
    ),
    Fault(
        name="no-ledger-for-an-empty-answer",
        change="An empty answer has no ledger.",
        suffers="'Nothing was found' and 'nothing fitted' look alike.",
        breaks=LEDGER,
        killed_by=ids("budgeted-recall", "an-empty-answer-has-a-ledger"),
        base="fusion",
        seed=store(_no_ledger_for_nothing),
    ),
    Fault(
        name="capsules-count-as-dropped",
        change="The ledger counts what was made smaller among what was dropped.",
        suffers="What is in the answer in short is looked for as if it were missing.",
        breaks=LEDGER,
        killed_by=ids("budgeted-recall", "a-capsule-shows-on-the-ledger"),
        base="fusion",
        seed=_ledger(dropped_count=_capsules),
    ),
    Fault(
        name="twice-the-budget",
        change="Twice the budget is spent.",
        suffers="A prompt that was planned for bursts.",
        breaks=LEDGER,
        killed_by=ids("budgeted-recall", "no-budget-is-exceeded"),
        base="fusion",
        seed=part(fit=_twice),
    ),
    Fault(
        name="four-characters-are-a-token",
        change="A token is four characters of any language.",
        suffers="A budget of 40 tokens takes in 150 of Chinese.",
        breaks=(*CHINESE, *COUNTED),
        killed_by=(
            *ids("budgeted-recall", "sixty-six-characters-do-not-fit-forty-tokens"),
            *ids("budgeted-recall", "sixty-six-characters-fit-a-hundred-tokens"),
            *ids("memory-integrity", "sixty-six-characters-in-a-budget-of-forty"),
        ),
        base="fusion",
        seed=part(fit=_like_english),
    ),
    Fault(
        name="always-eight-hits",
        change="Eight hits at most, however many are asked for.",
        suffers="Nobody can find out whether a memory was out of room or out of order.",
        breaks=APART,
        killed_by=ids("budgeted-recall", "more-hits-bring-what-had-no-place"),
        base="fusion",
        seed=store(_always_eight),
    ),
    Fault(
        name="the-frame-is-not-counted",
        change="The frame of an injected text comes on top of its budget.",
        suffers="A prompt loses its end, which is the question.",
        breaks=PROMPT,
        killed_by=ids("context-injection", "no-text-costs-more-than-its-budget"),
        base="fusion",
        seed=part(inject=_frame_for_free),
    ),
    Fault(
        name="injected-sentences-are-cut",
        change="What doesn't fit into a prompt is cut at the letter.",
        suffers="Half of a rule goes into the prompt and is followed.",
        breaks=PROMPT,
        killed_by=ids("context-injection", "a-memory-is-whole-or-not-there"),
        base="fusion",
        seed=_injected(_half_sentences),
    ),
    Fault(
        name="no-profile-unless-asked-for",
        change="Constraints and preferences are injected only where they are asked for.",
        suffers="The allergy is missing where somebody asks for a recipe.",
        breaks=PROFILE,
        killed_by=ids("context-injection", "a-constraint-is-there-for-an-unrelated-question"),
        base="fusion",
        seed=store(_only_what_is_asked),
    ),
    Fault(
        name="constraints-give-way-first",
        change="Where the profile is too long, its constraints are dropped first.",
        suffers="The prompt knows that tea is liked, and not that peanuts kill.",
        breaks=PROFILE,
        killed_by=ids("context-injection", "a-preference-gives-way-to-a-constraint"),
        base="fusion",
        seed=_injected(_only_preferences),
    ),
    Fault(
        name="open-items-take-the-rest",
        change="Open items spend what the other accounts leave.",
        suffers="A long list of open items fills the prompt of every unrelated question.",
        breaks=ACCOUNTS,
        killed_by=ids("context-injection", "open-items-do-not-take-what-the-others-leave"),
        base="fusion",
        seed=_with_figures(replace(FIGURES, open_quota=75)),
    ),
    Fault(
        name="open-items-have-next-to-nothing",
        change="Open items have 3 hundredths of the budget.",
        suffers="What waits for an answer is never brought up again.",
        breaks=ACCOUNTS,
        killed_by=ids("context-injection", "with-a-larger-budget-all-open-items-are-there"),
        base="fusion",
        seed=_with_figures(replace(FIGURES, open_quota=3)),
    ),
    Fault(
        name="injected-without-a-floor",
        change="What is injected knows no floor.",
        suffers="Half of what is in the prompt has nothing to do with the question.",
        breaks=(*INJECTED_FLOOR, *HOLDS),
        killed_by=(
            *ids(
                "relevance-floor",
                "an-unrelated-question-has-an-empty-context",
                "only-what-is-relevant-is-in-the-context",
            ),
            *ids("context-injection", "a-method-is-there-only-where-it-applies"),
        ),
        base="fusion",
        seed=store(_floorless_context),
    ),
    Fault(
        name="corrected-texts-are-injected",
        change="What was corrected is injected beside its correction.",
        suffers="The prompt says Monday and Tuesday, and the agent picks one.",
        breaks=HOLDS,
        killed_by=ids("context-injection", "a-corrected-memory-is-not-injected"),
        base="fusion",
        seed=part(inject=_corrected_too),
    ),
    Fault(
        name="repetitions-are-injected-first",
        change="What is injected is in the order of the ranks, whatever was said before.",
        suffers="Three ways of saying one thing push out the second thing.",
        breaks=HOLDS,
        killed_by=ids("context-injection", "what-says-nothing-new-goes-last"),
        base="fusion",
        seed=_injected(_in_rank_order),
    ),
)
