"""Lines of trace logs for tests, and stores made of them."""

import json

from memconform.traces.intake import ingest

FEATURES = ("lexical", "scopeAffinity", "typeAffinity", "freshness", "importance", "confidence")
WEIGHTS = dict(zip(FEATURES, (0.55, 0.1, 0.1, 0.1, 0.075, 0.075), strict=True))


def features(lexical, type_affinity=0.0, **other):
    found = dict(zip(FEATURES, (lexical, 0.9, type_affinity, 1.0, 0.5, 1.0), strict=True))
    return {**found, **other}


def candidate(id, score, lexical, *, passed=True, selected=False, type_affinity=0.0, **other):
    return {
        "memoryId": id,
        "finalScore": score,
        "passed": passed,
        "selected": selected,
        "features": features(lexical, type_affinity),
        **other,
    }


def line(candidates, query="q1", at="2026-03-01T09:00:00.000Z", **other):
    return {
        "schema": "memconform/trace-log/1",
        "queryId": query,
        "timestamp": at,
        "language": "latin",
        "candidates": candidates,
        **other,
    }


def write(path, lines):
    path.write_text("".join(json.dumps(said) + "\n" for said in lines), encoding="utf-8")
    return path


def store_of(folder, *sources, **options):
    """Imports sources; returns the summary."""
    return ingest(list(sources), folder, **options)


def rows(connection, query):
    found = connection.execute(query)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
