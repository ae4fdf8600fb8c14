"""What is in a trace store, in figures."""

from __future__ import annotations

from typing import Any

from memconform.traces.answers import INFO_SCHEMA, Info, Slice
from memconform.traces.schema import STORE_SCHEMA
from memconform.traces.store import TraceStore

_SLICES = """
SELECT r.day::VARCHAR AS day, store, gate, language, count(*)::INTEGER AS retrievals,
       coalesce(sum(c.candidates), 0)::BIGINT AS candidates,
       sum(selected_count)::BIGINT AS selected,
       (count(*) FILTER (selected_count = 0))::INTEGER AS none_selected,
       quantile_cont(latency_ms, 0.5) AS p50_ms, quantile_cont(latency_ms, 0.95) AS p95_ms,
       CASE WHEN count(swept_from) = count(*) THEN max(swept_from) END AS swept_from
FROM retrievals r
LEFT JOIN (SELECT retrieval_id, count(*) AS candidates FROM candidates GROUP BY ALL) c
USING (retrieval_id)
GROUP BY ALL ORDER BY store, gate, day, language
"""
_WHOLE = """
SELECT count(DISTINCT query_id) AS queries,
       count(*) FILTER (query_id IN (SELECT query_id FROM query_labels)) AS judged_retrievals,
       count(query_text) > 0 OR (SELECT count(content) FROM candidates) > 0 AS with_text,
       (SELECT count(*) FROM labels) AS labels,
       (SELECT count(*) FROM query_labels) AS judged_queries,
       (SELECT count(*) FROM query_labels WHERE expects_nothing) AS expecting_nothing
FROM retrievals
"""


def info_of(store: TraceStore) -> Info:
    """The figures of a store.

    Raises:
        MissingPackage: DuckDB is not installed.
    """
    with store.connect() as connection:

        def rows(query: str) -> list[dict[str, Any]]:
            found = connection.execute(query)
            names = [column[0] for column in found.description or []]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

        slices = [Slice(**row) for row in rows(_SLICES)]
        whole = rows(_WHOLE)[0]
    return Info(
        schema=INFO_SCHEMA,
        store_schema=STORE_SCHEMA,
        retrievals=sum(part.retrievals for part in store.parts),
        candidates=sum(part.candidates for part in store.parts),
        parts=len(store.parts),
        bytes=sum(path.stat().st_size for path in store.folder.rglob("*.parquet")),
        slices=slices,
        **whole,
    )
