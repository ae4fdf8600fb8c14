"""The trace store's tables: what import writes, and what sweep, charts and free SQL read.

A store is a folder::

    traces.json                                the list of parts; only what it names is in the store
    retrievals/day=YYYY-MM-DD/PART.parquet     one row a retrieval
    candidates/day=YYYY-MM-DD/PART.parquet     one row a candidate, in (retrieval, rank) order
    gate_values/day=YYYY-MM-DD/PART.parquet    what the gate codes of this part mean
    labels.parquet, query_labels.parquet       judgements, where there are any

The three files of a part have one name and belong together: every retrieval of the one has all its
candidates in the other, so each part can be swept alone and the sums added up. ``day`` is in the
path, not in the file; the views have it as a column.

Gate codes: ``gate_code`` is the place (from 0) of ``gate_value`` among the distinct gate values of
its part, in ascending order, and one above the highest place where ``passes_always``. So codes
compare as the values do, nothing is lost however many values there are, and a new part never
changes an old one. Row ``gate_code`` of the part's ``gate_values`` has the value itself.

Source: retrieval-foundation, "The trace explains without showing", and the workbench's needs.
"""

from __future__ import annotations

from dataclasses import dataclass

STORE_SCHEMA = "memconform/trace-store/1"
MANIFEST = "traces.json"


@dataclass(frozen=True)
class Column:
    """One column: its name, its SQL type, and what it holds."""

    name: str
    type: str
    note: str


@dataclass(frozen=True)
class Table:
    """One table: its name, which is also the view's, and its columns in order."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)


RETRIEVALS = Table(
    "retrievals",
    (
        Column("retrieval_id", "VARCHAR", "unique: made of what the line says, or given by it"),
        Column("query_id", "VARCHAR", "hash of the query, or the id that the source gave it"),
        Column("day", "DATE", "UTC day of the timestamp; the partition"),
        Column("timestamp", "TIMESTAMP", "UTC; null where the source has none"),
        Column("store", "VARCHAR", "which store answered; null where unknown"),
        Column("mode", "VARCHAR", "sqlite-fts5, filesystem and so on; null where unknown"),
        Column("gate", "VARCHAR", "foundation-v1, historical-v1, authority-v1; null where unknown"),
        Column("language", "VARCHAR", "latin or cjk: the class of the query; null where unknown"),
        Column("query_token_count", "INTEGER", "null where unknown"),
        Column("query_tokens_truncated", "BOOLEAN", "null where unknown"),
        Column("candidate_count", "INTEGER", "records that reached ranking, logged or not"),
        Column("filtered_scope", "INTEGER", "records out of the caller's scope"),
        Column("filtered_lifecycle", "INTEGER", "records in scope that were not active"),
        Column("filtered_irrelevant", "INTEGER", "candidates that the gate refused"),
        Column("record_limit", "INTEGER", "the most records"),
        Column("prompt_character_budget", "INTEGER", "the most code points of the block"),
        Column("selected_characters", "INTEGER", "code points of the assembled block"),
        Column("selected_count", "INTEGER", "candidates that were selected"),
        Column("latency_ms", "DOUBLE", "null unless known"),
        Column(
            "swept_from",
            "DOUBLE",
            "lowest gate value from which the candidates are complete; 0: all; null: unknown",
        ),
        # The weights are here because a stacked score can't be drawn without them.
        Column("weight_lexical", "DOUBLE", "of the final score; null where unknown"),
        Column("weight_scope_affinity", "DOUBLE", "as above"),
        Column("weight_type_affinity", "DOUBLE", "as above"),
        Column("weight_freshness", "DOUBLE", "as above"),
        Column("weight_importance", "DOUBLE", "as above"),
        Column("weight_confidence", "DOUBLE", "as above"),
        Column("query_text", "VARCHAR", "null unless imported with text"),
    ),
)

CANDIDATES = Table(
    "candidates",
    (
        Column("retrieval_id", "VARCHAR", "of retrievals"),
        Column("query_id", "VARCHAR", "of retrievals"),
        Column("day", "DATE", "of retrievals; the partition"),
        Column("rank", "INTEGER", "from 1 by final score: the order in which the store ranked"),
        Column("memory_id", "VARCHAR", ""),
        Column("channel", "VARCHAR", "how it was found; null where unknown"),
        Column("lexical", "DOUBLE", "0..1; null where unknown, as the features below"),
        Column("scope_affinity", "DOUBLE", "0..1"),
        Column("type_affinity", "DOUBLE", "0..1"),
        Column("freshness", "DOUBLE", "0..1"),
        Column("importance", "DOUBLE", "0..1"),
        Column("confidence", "DOUBLE", "0..1"),
        Column("final_score", "DOUBLE", "finite"),
        Column("gate_value", "DOUBLE", "finite: lexical; the final score where that is unknown"),
        Column("passes_always", "BOOLEAN", "type affinity lets it pass whatever the floor"),
        Column("gate_code", "INTEGER", "see the module"),
        Column("passed", "BOOLEAN", "whether it passed the gate; null where unknown"),
        Column("selected", "BOOLEAN", "whether it is in the block"),
        # A cut record is selected; without this a trace couldn't be written back.
        Column("truncated", "BOOLEAN", "whether only its beginning is in the block"),
        Column(
            "reason",
            "VARCHAR",
            "null when selected, else below-floor, limit, budget, duplicate or unknown",
        ),
        Column("characters", "INTEGER", "code points of the content; null where unknown"),
        Column("content", "VARCHAR", "null unless imported with text"),
    ),
)

GATE_VALUES = Table(
    "gate_values",
    (
        Column("gate_code", "INTEGER", "0, 1, 2 and so on, without gaps"),
        Column("gate_value", "DOUBLE", "strictly ascending"),
    ),
)

LABELS = Table(
    "labels",
    (
        Column("query_id", "VARCHAR", "of retrievals"),
        Column("memory_id", "VARCHAR", "of candidates"),
        Column("grade", "INTEGER", "> 0 relevant, 0 not relevant, -1 forbidden"),
    ),
)

QUERY_LABELS = Table(
    "query_labels",
    (
        Column("query_id", "VARCHAR", "of retrievals; every judged query is here, once"),
        Column("category", "VARCHAR", "null where unknown"),
        Column("split", "VARCHAR", "development, holdout; null where unknown"),
        Column("language", "VARCHAR", "as the labels say; null where they don't"),
        Column("expects_nothing", "BOOLEAN", "no memory is relevant, so none should be selected"),
    ),
)

REASONS = ("below-floor", "limit", "budget", "duplicate", "unknown")
FORBIDDEN = -1
