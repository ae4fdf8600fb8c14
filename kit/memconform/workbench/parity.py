"""ModeParity: two stores with the same memories, asked the same, side by side."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as ipw  # type: ignore[import-untyped] # it ships no types
import msgspec
from markupsafe import Markup

from memconform.evaluation.contenders import Answer, StoreContender
from memconform.evaluation.dataset import Dataset, Query, Split
from memconform.model import Access, RelevanceMode
from memconform.verdict.words import listed, number
from memconform.wire.client import Connection
from memconform.workbench import charts
from memconform.workbench.latest import Latest
from memconform.workbench.markup import (
    BAD,
    GOOD,
    code,
    figure,
    fragment,
    heading,
    marked,
    paragraph,
    table,
)
from memconform.workbench.places import places_of
from memconform.workbench.scenario import one_target

_STYLE = {"description_width": "130px"}


@dataclass(frozen=True)
class Compared:
    """What two stores answered to one query."""

    query: Query
    first: Answer
    second: Answer

    @property
    def same(self) -> bool:
        """Whether the same memories came back, in the same order."""
        return self.first.selected == self.second.selected

    @property
    def differences(self) -> list[str]:
        """Where the two differ, a sentence each; empty where they don't."""
        told = []
        if set(self.first.selected) != set(self.second.selected):
            for name, one, another in (
                ("first", self.first.selected, self.second.selected),
                ("second", self.second.selected, self.first.selected),
            ):
                if extra := [id for id in one if id not in another]:
                    told.append(f"Only the {name} store found {listed(extra)}.")
        elif not self.same:
            told.append("The same memories in another order.")
        if self.first.characters != self.second.characters:
            told.append(
                f"{number(self.first.characters, 'character')} of content against "
                f"{self.second.characters:,}."
            )
        if self.first.trace is not None and self.second.trace is not None:
            before, after = (
                {each.memory_id: (each.features, each.final_score) for each in told_by.rankings}
                for told_by in (self.first.trace, self.second.trace)
            )
            other = [id for id in before if id in after and before[id] != after[id]]
            if other:
                told.append(f"Other features for {listed(other)}.")
        return told


class ModeParity:
    """Two stores side by side: type a query, see whether both give the same answer.

    Each is filled with the records of a dataset and asked as an evaluation asks. What could run
    in this process runs in one of its own. ``close`` ends both.

    Args:
        first: a TARGET string.
        second: another one.
        dataset: the memories, and the queries of ``compare_all``.
        query: what is asked first; else the first query of the dataset.
        place: from where; else the place of that query.
        k: the most memories of an answer.
        gate: the relevance gate; another one than foundation-v1 needs the capability ``mode``.

    Raises:
        UsageError: one of the targets doesn't exist.
        EvaluationError: a store can't be filled.
    """

    def __init__(
        self,
        first: str,
        second: str,
        dataset: Dataset,
        *,
        query: str | None = None,
        place: str | None = None,
        k: int = 5,
        gate: RelevanceMode = "foundation-v1",
    ) -> None:
        self.names = (first, second)
        self._dataset = dataset
        self._lock = threading.Lock()  # a connection carries one call at a time
        self._connections: list[Connection] = []
        try:
            self._stores = [self._filled(name, gate) for name in self.names]
        except BaseException:
            self.close()
            raise
        self._places = places_of(dataset.stored)
        self._template = dataset.queries[0]
        self._latest: Latest[tuple[str, Access, int], Compared] = Latest(
            self._compare, self._show, self._failed
        )
        self._quiet = True
        self._make(self._template.query if query is None else query, place, k)
        self._quiet = False
        self.ask()

    def _filled(self, name: str, gate: RelevanceMode) -> StoreContender:
        target = one_target(name, wire=True)
        target.prepare()
        connection = target.connect()
        self._connections.append(connection)
        return StoreContender(connection, self._dataset, gate)

    def _make(self, query: str, place: str | None, k: int) -> None:
        access = self._template.access
        first = next((name for name, there in self._places.items() if there == access), None)
        wide = ipw.Layout(width="99%")
        self.query = ipw.Text(
            value=query,
            description="Query",
            tooltip="The question that both stores are asked",
            continuous_update=False,
            style=_STYLE,
            layout=wide,
        )
        self.place = ipw.Dropdown(
            options=list(self._places),
            value=place or first or next(iter(self._places)),
            description="Asked from",
            tooltip="The workspace of whoever asks",
            style=_STYLE,
        )
        self.k = ipw.IntSlider(
            value=k,
            min=1,
            max=8,
            description="K (memories)",
            tooltip="The most memories of an answer",
            style=_STYLE,
        )
        self._told = ipw.HTML()
        self._flow = charts.shown(charts.nothing())
        self._picture = ipw.HBox([self._flow])
        self.widget = ipw.VBox(
            [self.query, ipw.HBox([self.place, self.k]), self._told, self._picture],
            layout=ipw.Layout(max_width="1000px"),
        )
        for control in (self.query, self.place, self.k):
            control.observe(self._moved, names="value")

    def _moved(self, _: Any) -> None:
        if not self._quiet:
            self._latest.ask(self._asked())

    def _asked(self) -> tuple[str, Access, int]:
        return self.query.value, self._places[self.place.value], self.k.value

    def ask(self, query: str | None = None, *, place: str | None = None) -> Compared:
        """Ask both at once, and show what comes of it."""
        self._quiet = True
        try:
            if query is not None:
                self.query.value = query
            if place is not None:
                self.place.value = place
        finally:
            self._quiet = False
        self._latest.forget()
        self._show(self._compare(self._asked()))
        return self.compared

    def compare_all(self, split: Split = "development", *, k: int = 5) -> list[Compared]:
        """Ask both every query of a split."""
        return [self._both(query, k) for query in self._dataset.split(split)]

    def _compare(self, asked: tuple[str, Access, int]) -> Compared:
        text, access, k = asked
        query = msgspec.structs.replace(
            self._template,
            id="typed",
            query=text,
            workspace=access.workspace,
            project=access.project,
        )
        return self._both(query, k)

    def _both(self, query: Query, k: int) -> Compared:
        with self._lock:
            first, second = (store.answer(query, k) for store in self._stores)
        return Compared(query, first, second)

    def _show(self, compared: Compared) -> None:
        self.compared = compared
        self._told.value = str(side_by_side(compared, self.names))
        orders = (compared.first.selected, compared.second.selected)
        if any(orders):
            charts.replace(
                self._flow,
                charts.flow(*orders, sides=_sides(self.names), title="Where each memory stands"),
            )
        self._picture.layout.display = "" if any(orders) else "none"

    def _failed(self, error: Exception) -> None:
        self._told.value = str(fragment(paragraph(f"That did not work: {error}")))

    def close(self) -> None:
        """End both stores."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


def _sides(names: Sequence[str]) -> tuple[str, str]:
    """Names of the two sides of a chart; of one store asked twice, told apart."""
    first, second = charts.names(list(names))
    return first, second


def side_by_side(compared: Compared, names: Sequence[str]) -> Markup:
    """Two answers to one query, beside each other."""
    differences = compared.differences
    chosen = number(len(compared.first.selected), "memory", "memories")
    head = f"The same answer: {chosen}." if not differences else " ".join(differences)
    sides = []
    for name, answer in zip(names, (compared.first, compared.second), strict=True):
        scores = {}
        told = "no trace"
        if answer.trace is not None:
            scores = {each.memory_id: each for each in answer.trace.rankings}
            told = f"answered as {answer.trace.mode}"
        rows: list[list[object]] = []
        for place, id in enumerate(answer.selected, 1):
            ranking = scores.get(id)
            coverage = None if ranking is None else ranking.features.lexical
            rows.append(
                [place, code(id), coverage, None if ranking is None else ranking.final_score]
            )
        shown = (
            table(["", "memory", "coverage", "score"], rows, caption=f"answer of {name}")
            if rows
            else paragraph("Nothing.")
        )
        sides.append(Markup("<div>{}{}{}</div>").format(heading(name), paragraph(told), shown))
    both = Markup('<div style="display:flex;gap:3em;flex-wrap:wrap">{}</div>').format(
        Markup("").join(sides)
    )
    sign = marked("≠", "the answers differ", BAD) if differences else marked("=", "equal", GOOD)
    return fragment(figure(head), paragraph(sign), both)
