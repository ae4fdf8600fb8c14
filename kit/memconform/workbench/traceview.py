"""TraceExplorer: filter a trace log, see what is left, and look at one retrieval in full."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as ipw  # type: ignore[import-untyped] # it ships no types
from markupsafe import Markup

from memconform.model import Features
from memconform.traces import TraceStore, open_store
from memconform.verdict.words import harmless, number, shortened
from memconform.workbench import charts, story
from memconform.workbench.latest import Latest
from memconform.workbench.markup import (
    code,
    figure,
    fragment,
    heading,
    numeral,
    paragraph,
    short,
    table,
)

if TYPE_CHECKING:
    import duckdb
    import polars as pl

KEPT = 200  # retrievals that can be chosen
LISTED = 12  # of them in the table
_STYLE = {"description_width": "110px"}
_PRESETS = (
    ("everything", ""),
    ("nothing selected", "selected_count = 0"),
    ("something refused by the gate", "filtered_irrelevant > 0"),
    ("Chinese, Japanese or Korean", "language = 'cjk'"),
    ("full blocks", "selected_characters > 0.9 * prompt_character_budget"),
    ("slow: over 100 ms", "latency_ms > 100"),
)
_REASONS: dict[str, story.Fate] = {
    "below-floor": "below the floor",
    "limit": "over the limit",
    "budget": "no room",
    "duplicate": "duplicate",
}


@dataclass(frozen=True)
class Filtered:
    """What a filter leaves.

    Attributes:
        text: the filter, a condition on the columns of ``retrievals``.
        count: of the retrievals that it leaves.
        of: of all retrievals.
        rows: the first ``KEPT`` of them by time, then id.
    """

    text: str
    count: int
    of: int
    rows: pl.DataFrame


class FilterError(ValueError):
    """The filter is no condition on the columns; the message says what DuckDB makes of it."""


class TraceExplorer:
    """A trace store, filtered by a condition in DuckDB's words, one retrieval at a time in full.

    The condition is about the columns of ``retrievals``, such as
    ``day = '2026-02-03' and selected_count = 0``. ``filtered`` has what it leaves as a Polars
    frame, and ``connection`` is there for whatever else is to be asked.

    Args:
        traces: a trace store or its folder.
        where: the filter to begin with.

    Raises:
        TraceError: there is no such store.
        FilterError: the filter can't be used.
    """

    def __init__(self, traces: TraceStore | Path | str, *, where: str = "") -> None:
        store = traces if isinstance(traces, TraceStore) else open_store(traces)
        self.connection: duckdb.DuckDBPyConnection = store.connect()
        self._lock = threading.Lock()  # DuckDB's connection carries one question at a time
        self._latest: Latest[str, Filtered] = Latest(self._filter, self._show, self._failed)
        self._quiet = True
        self._make(where)
        self._quiet = False
        self.set(where)

    def _make(self, where: str) -> None:
        wide = ipw.Layout(width="99%")
        self.preset = ipw.Dropdown(
            options=_PRESETS,
            value="",
            description="Show",
            tooltip="Filters to begin with",
            style=_STYLE,
        )
        self.where = ipw.Text(
            value=where,
            description="Filter",
            placeholder="such as: selected_count = 0 and language = 'cjk'",
            tooltip="A condition on the columns of retrievals, in DuckDB's SQL",
            continuous_update=False,
            style=_STYLE,
            layout=wide,
        )
        self.retrieval = ipw.Dropdown(
            options=[],
            description="One in full",
            tooltip="Which retrieval is shown with all of its candidates",
            style=_STYLE,
            layout=wide,
        )
        self._told = ipw.HTML()
        self._table = ipw.HTML()
        self._one = ipw.HTML()
        self._gate = charts.shown(charts.nothing())
        self._score = charts.shown(charts.nothing())
        self._pictures = ipw.HBox(
            [self._gate, self._score], layout=ipw.Layout(flex_flow="row wrap", display="none")
        )
        self.widget = ipw.VBox(
            [
                self.preset,
                self.where,
                self._told,
                self._table,
                self.retrieval,
                self._pictures,
                self._one,
            ],
            layout=ipw.Layout(max_width="1000px"),
        )
        self.preset.observe(self._chosen, names="value")
        self.where.observe(self._moved, names="value")
        self.retrieval.observe(self._picked, names="value")

    def _chosen(self, change: Any) -> None:
        if not self._quiet:
            self.where.value = change["new"]

    def _moved(self, _: Any) -> None:
        if not self._quiet:
            self._latest.ask(self.where.value)

    def _picked(self, _: Any) -> None:
        if not self._quiet and self.retrieval.value is not None:
            self.show(self.retrieval.value)

    # --- filtering -------------------------------------------------------------------------------

    def set(self, where: str) -> Filtered:
        """Filter at once, and show what is left.

        Raises:
            FilterError: the filter can't be used.
        """
        self._quiet = True
        try:
            self.where.value = where
        finally:
            self._quiet = False
        self._latest.forget()
        self._show(self._filter(where))
        return self.filtered

    def _filter(self, where: str) -> Filtered:
        import duckdb

        with self._lock:
            everything = self.connection.table("retrievals")
            try:
                # A subquery or a second statement isn't a condition: DuckDB refuses it here.
                left = everything.filter(where) if where.strip() else everything
                rows = left.order("timestamp, retrieval_id").limit(KEPT).pl()
                return Filtered(where, _count(left), _count(everything), rows)
            except duckdb.Error as error:
                first = str(error).strip().splitlines()[0]
                raise FilterError(f"DuckDB can't use this filter: {first}") from error

    def _show(self, found: Filtered) -> None:
        self.filtered = found
        told = f"{found.count:,} of {number(found.of, 'retrieval')}"
        more = f", the first {KEPT} to choose from" if found.count > KEPT else ""
        self._told.value = str(fragment(figure(f"{told}{more}.")))
        self._table.value = str(fragment(listing(found.rows)))
        rows = found.rows.to_dicts()
        ids = [row["retrieval_id"] for row in rows]
        self._quiet = True
        try:
            self.retrieval.options = [(name_of(row), row["retrieval_id"]) for row in rows]
            self.retrieval.value = ids[0] if ids else None
        finally:
            self._quiet = False
        if ids:
            self.show(ids[0])
        else:
            self._pictures.layout.display = "none"
            self._one.value = ""

    def _failed(self, error: Exception) -> None:
        self._told.value = str(fragment(figure(str(error))))

    # --- one in full -----------------------------------------------------------------------------

    def show(self, retrieval_id: str) -> list[story.Candidate]:
        """Show one retrieval with all of its candidates, and give them.

        Raises:
            KeyError: there is no such retrieval.
        """
        import duckdb

        wanted = duckdb.ColumnExpression("retrieval_id") == duckdb.ConstantExpression(retrieval_id)
        with self._lock:
            (retrieval,) = self.connection.table("retrievals").filter(wanted).pl().to_dicts() or [
                None
            ]
            if retrieval is None:
                raise KeyError(retrieval_id)
            rows = self.connection.table("candidates").filter(wanted).order("rank").pl().to_dicts()
        found = [candidate_of(row, retrieval) for row in rows]
        if (
            self.retrieval.value != retrieval_id
            and retrieval_id in dict(self.retrieval.options).values()
        ):
            self._quiet = True
            try:
                self.retrieval.value = retrieval_id
            finally:
                self._quiet = False
        floor = _floor_of(rows)
        charts.replace(self._gate, charts.gate(found, floor=floor))
        charts.replace(self._score, charts.score_composition(found))
        self._pictures.layout.display = "" if found else "none"
        self._one.value = str(fragment(in_full(retrieval, found)))
        return found

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


def _count(relation: Any) -> int:
    ((told,),) = relation.count("*").fetchall()
    return int(told)


def _floor_of(rows: list[dict[str, Any]]) -> float:
    """About where the gate stood: the least coverage that passed by itself; 0 where none did."""
    passed = [r["lexical"] or 0.0 for r in rows if r["passed"] and not r["passes_always"]]
    return min(passed, default=0.0)


def candidate_of(row: dict[str, Any], retrieval: dict[str, Any]) -> story.Candidate:
    """A row of ``candidates`` as the charts take it; a feature that isn't known counts as 0."""
    names = [name for name, _ in story.FEATURES]
    features = Features(**{name: row[name] or 0.0 for name in names})
    fate: story.Fate = "in the block" if row["selected"] else "below the floor"
    if row["selected"] and row["truncated"]:
        fate = "cut to fit"
    elif not row["selected"]:
        fate = _REASONS.get(row["reason"] or "", "below the floor")
    return story.Candidate(
        rank=row["rank"],
        id=row["memory_id"],
        content=row["content"] or "",
        features=features,
        contributions=tuple(
            (retrieval[f"weight_{name}"] or 0.0) * getattr(features, name) for name in names
        ),
        score=row["final_score"],
        fate=fate,
        place=None,
    )


def name_of(row: dict[str, Any]) -> str:
    """A retrieval in a list: its question where the log holds texts, else its id."""
    told = row["query_text"] or row["retrieval_id"]
    return f"{row['timestamp']} {harmless(shortened(told, 80))}"


def listing(rows: pl.DataFrame) -> Markup:
    """Retrievals as a table."""
    columns = [
        ("day", "day"),
        ("retrieval_id", "retrieval"),
        ("language", "language"),
        ("mode", "mode"),
        ("candidate_count", "candidates"),
        ("filtered_irrelevant", "refused"),
        ("selected_count", "selected"),
        ("selected_characters", "characters"),
        ("latency_ms", "ms"),
    ]
    told = [
        [
            code(row[name][:12]) if name == "retrieval_id" else _plain(row[name])
            for name, _ in columns
        ]
        for row in rows.to_dicts()
    ]
    return table([title for _, title in columns], told, caption="retrievals", most=LISTED)


def _plain(value: Any) -> object:
    if isinstance(value, float):
        return numeral("–" if math.isnan(value) else f"{value:.2f}")
    return value if value is None or isinstance(value, int) else str(value)


def in_full(retrieval: dict[str, Any], found: list[story.Candidate]) -> Markup:
    """One retrieval: its own figures, then its candidates."""
    facts = [[name, _plain(value)] for name, value in retrieval.items() if value is not None]
    rows = [
        [
            each.rank,
            code(each.id),
            each.fate,
            *(numeral(f"{getattr(each.features, name):.4g}") for name, _ in story.FEATURES),
            numeral(f"{each.score:.4g}"),
            *([short(each.content, 160)] if each.content else []),
        ]
        for each in found
    ]
    columns = ["rank", "memory", "fate", *(label for _, label in story.FEATURES), "score"]
    if any(each.content for each in found):
        columns.append("content")
    return Markup("").join(
        [
            heading(f"{number(len(found), 'candidate')}, best first"),
            table(columns, rows, caption="candidates") if rows else paragraph("None was logged."),
            heading("The retrieval"),
            table(["column", "value"], facts, caption="columns of the retrieval"),
        ]
    )
