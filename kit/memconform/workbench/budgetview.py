"""BudgetExplorer: what a budget of tokens holds whole, in short, as a pointer, and in a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as ipw  # type: ignore[import-untyped] # it ships no types
from markupsafe import Markup

from memconform.fusion import (
    Block,
    Embedder,
    Floor,
    HashedProjection,
    Injection,
    Memory,
    Portion,
    Portions,
    Recalled,
    block,
    inject,
    recall,
    sight_of,
    tokens,
    within_budget,
)
from memconform.fusion.block import FRAME_COST, line_cost
from memconform.model.results import Form
from memconform.verdict.words import listed, number
from memconform.workbench import charts
from memconform.workbench.fusionstory import (
    Account,
    Rung,
    accounts,
    block_words,
    forms_words,
    rungs,
)
from memconform.workbench.fusionview import PUBLISHED
from memconform.workbench.latest import Latest
from memconform.workbench.markup import (
    GOOD,
    MIDDLING,
    QUIET,
    bar,
    code,
    figure,
    fragment,
    heading,
    marked,
    paragraph,
    short,
    table,
)
from memconform.workbench.markup import block as lines

LEAST, MOST, STEP = 10, 500, 5  # tokens
BUDGETS = tuple(range(LEAST, MOST + 1, STEP))
HITS, MOST_HITS = 8, 16  # what a recall gives where nothing else is said, and the slider's end
CONTENT = 400  # characters of a text in a table
_STYLE = {"description_width": "140px"}
_FORMS: dict[Form, tuple[str, str, str]] = {
    "content": ("■", "whole", GOOD),
    "capsule": ("◧", "capsule", MIDDLING),
    "reference": ("→", "pointer", QUIET),
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the widget's controls stand at."""

    query: str
    budget: int
    k: int


@dataclass(frozen=True)
class Spent:
    """What came of it.

    Attributes:
        portions: what a recall gives.
        ladder: of the same memories, over all budgets of the slider.
        injection: what goes into a prompt, by account.
        block: its text.
        accounts: what each account may spend and does.
    """

    asked: Asked
    portions: Portions
    ladder: tuple[Rung, ...]
    injection: Injection
    block: Block
    accounts: tuple[Account, ...]


class BudgetExplorer:
    """One question and a budget of tokens.

    Displaying it in a notebook shows the widget. ``set`` does from code what a person does by
    hand; ``portions``, ``injection`` and ``block`` are what stands there.

    Args:
        memories: all that are in scope; each id once.
        now: the time of every question, seconds since 1970 UTC.
        embedder: None means the built-in projection.
        floor: of this embedder; None means 0.55.
        query: what is asked first.
        budget: where its slider stands first, in tokens.
        k: where that of the most memories stands first.

    Raises:
        ValueError: the floor belongs to another embedder.
    """

    def __init__(
        self,
        memories: Sequence[Memory],
        *,
        now: float,
        embedder: Embedder | None = None,
        floor: Floor | None = None,
        query: str = "",
        budget: int = 120,
        k: int = HITS,
    ) -> None:
        own: Embedder = embedder or HashedProjection()
        self._sight = sight_of(tuple(memories), own, now)
        self._floor = (floor or Floor(PUBLISHED, own.name)).for_embedder(own.name)
        self._recalled: dict[str, Recalled] = {}  # of the question that was asked last
        self._ladders: dict[tuple[str, int], tuple[Rung, ...]] = {}
        self.spent: Spent
        self._latest: Latest[Asked, Spent] = Latest(self._spend, self._show, self._failed)
        self._quiet = True
        self._make(query, budget, k)
        self._quiet = False
        self.set()

    # --- what a person can move ----------------------------------------------------------------

    def _make(self, query: str, budget: int, k: int) -> None:
        wide = ipw.Layout(width="98%")
        self.query = ipw.Text(
            value=query,
            description="Query",
            placeholder="type a question, then Enter",
            tooltip="The question that memories are looked up for",
            continuous_update=False,
            style=_STYLE,
            layout=ipw.Layout(width="99%"),
        )
        self.budget = ipw.IntSlider(
            value=budget,
            min=LEAST,
            max=MOST,
            step=STEP,
            description="Budget (tokens)",
            tooltip="The most tokens that an answer, or the assembled block, may cost",
            style=_STYLE,
            layout=wide,
        )
        self.k = ipw.IntSlider(
            value=k,
            min=0,
            max=max(MOST_HITS, k),
            description="K (memories)",
            tooltip="The most memories of a recall; a block has no such limit",
            style=_STYLE,
            layout=wide,
        )
        self._told = ipw.HTML()
        self._given = ipw.HTML()
        self._prompt = ipw.HTML()
        self._ladder = charts.shown(charts.nothing())
        self._accounts = charts.shown(charts.nothing())
        grid = ipw.Layout(grid_template_columns="50% 50%")
        self.widget = ipw.VBox(
            [
                self.query,
                ipw.GridBox([self.budget, self.k], layout=grid),
                self._told,
                ipw.HBox([self._ladder, self._accounts], layout=ipw.Layout(flex_flow="row wrap")),
                self._given,
                self._prompt,
            ],
            layout=ipw.Layout(max_width="1000px"),
        )
        for control in self._controls.values():
            control.observe(self._moved, names="value")

    @property
    def _controls(self) -> dict[str, Any]:
        return {"query": self.query, "budget": self.budget, "k": self.k}

    def _asked(self) -> Asked:
        return Asked(query=self.query.value, budget=self.budget.value, k=self.k.value)

    def _moved(self, _: Any) -> None:
        if not self._quiet:
            self._latest.ask(self._asked())

    # --- what comes of it ----------------------------------------------------------------------

    @property
    def portions(self) -> Portions:
        """What a recall gives, each memory in one form, and the ledger."""
        return self.spent.portions

    @property
    def injection(self) -> Injection:
        """What goes into a prompt, by account."""
        return self.spent.injection

    @property
    def block(self) -> str:
        """The assembled text; empty where nothing goes in."""
        return self.spent.block.text

    def set(
        self, *, budget: int | None = None, query: str | None = None, k: int | None = None
    ) -> Portions:
        """Move the controls from code and show at once what comes of it."""
        self._quiet = True
        try:
            for name, value in (("budget", budget), ("query", query), ("k", k)):
                if value is not None:
                    self._controls[name].value = value
        finally:
            self._quiet = False
        self._latest.forget()
        self._show(self._spend(self._asked()))
        return self.portions

    def _spend(self, asked: Asked) -> Spent:
        found = self._recalled.get(asked.query)
        if found is None:
            found = recall(asked.query, self._sight, self._floor)
            self._recalled = {asked.query: found}
            self._ladders = {}
        best = [fused.signals.memory for fused in found.kept[: asked.k]]
        ladder = self._ladders.get((asked.query, asked.k))
        if ladder is None:
            ladder = rungs(best, BUDGETS)
            self._ladders[asked.query, asked.k] = ladder
        # The frame of the block is paid first; the accounts share the rest.
        rest = asked.budget - FRAME_COST
        every = [*(fused.signals for fused in found.kept), *found.removed]
        injection = inject(asked.query, every, rest, self._floor, cost=line_cost)
        return Spent(
            asked,
            within_budget(best, asked.budget),
            ladder,
            injection,
            block(injection),
            accounts(injection, rest),
        )

    def _show(self, told: Spent) -> None:
        before = getattr(self, "spent", None)
        self.spent = told
        self._told.value = str(fragment(figure(forms_words(told.portions)), *_notice(told)))
        self._given.value = str(fragment(given(told.portions)))
        self._prompt.value = str(fragment(shares(told.accounts), assembled(told)))
        if before is None or before.ladder != told.ladder:
            charts.replace(
                self._ladder, charts.ladder(told.ladder, told.asked.budget, ends=(LEAST, MOST))
            )
        else:
            # The same bars: the line alone moves.
            charts.set_variables(self._ladder, budget=told.asked.budget)
        self._ladder.layout.display = "" if told.ladder else "none"
        if before is None or before.accounts != told.accounts:
            charts.replace(self._accounts, charts.accounts(told.accounts))

    def _failed(self, error: Exception) -> None:
        self._told.value = str(fragment(paragraph(f"That did not work: {error}")))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


def _notice(told: Spent) -> list[Markup]:
    notice = told.portions.notice
    return [] if notice is None else [paragraph(f"{notice[0].upper()}{notice[1:]}.")]


def given(told: Portions) -> Markup:
    """Each memory in its form, and the ledger."""
    ledger = told.ledger
    budget = ledger.budget
    spent = bar(ledger.used, budget, f"{ledger.used:,} of {number(budget, 'token')}")
    facts: list[list[object]] = [
        ["budget", budget],
        ["used", spent],
        ["dropped (pointers)", ledger.dropped_count],
        ["truncated (anything less than whole)", ledger.truncated],
    ]
    rows = [
        [
            place,
            code(portion.memory.id),
            _form(portion.form),
            portion.cost,
            tokens(portion.memory.content),
            _text(portion),
        ]
        for place, portion in enumerate(told.portions, 1)
    ]
    columns = ["place", "memory", "given as", "costs", "whole would cost", "text"]
    parts = [heading("The ledger"), table(["ledger", ""], facts, caption="ledger of the recall")]
    if rows:
        parts.append(heading("What a recall gives"))
        parts.append(table(columns, rows, caption="memories in the form that fits"))
    return Markup("").join(parts)


def _form(form: Form) -> Markup:
    sign, name, kind = _FORMS[form]
    return marked(sign, name, kind)


def _text(portion: Portion) -> object:
    return "" if portion.text is None else short(portion.text, CONTENT)


def shares(told: Sequence[Account]) -> Markup:
    """What each account may spend, what it does, and who is in it."""
    rows = [
        [
            each.name,
            f"{each.share} %",
            bar(each.used, each.quota, f"{each.used:,} of {number(each.quota, 'token')}"),
            _holders(each),
        ]
        for each in told
    ]
    return (
        heading("Four accounts of the prompt")
        + paragraph(
            f"The frame costs {FRAME_COST} tokens; the accounts share the rest, rounded down, and "
            "none lends to another.",
            kind=QUIET,
        )
        + table(["account", "share", "used", "who"], rows, caption="the accounts of the prompt")
    )


def _holders(account: Account) -> Markup:
    parts = [Markup("<div>{} {}</div>").format(_form(form), code(id)) for id, form in account.holds]
    if account.dropped:
        parts.append(paragraph(f"No room for {listed(account.dropped)}.", kind=QUIET))
    return Markup("").join(parts)


def assembled(told: Spent) -> Markup:
    """The block as it would be put into a prompt."""
    parts = [heading("The assembled block"), paragraph(block_words(told.block, tokens))]
    if told.block.text:
        parts.append(lines(told.block.text))
    return Markup("").join(parts)
