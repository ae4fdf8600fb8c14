"""Small datasets for the tests of the evaluation: one that is whole, and changes to it."""

from __future__ import annotations

import copy
import hashlib
import json

NOW = "2026-03-01T09:00:00.000Z"
WORKSPACE = "/srv/quay"

RECORDS = [
    {"id": "crane", "content": "The crane lifts nine tonnes", "workspace": WORKSPACE,
     "createdAt": "2026-01-01T00:00:00Z"},
    {"id": "buoy", "content": "The buoy is green", "workspace": WORKSPACE,
     "createdAt": "2026-01-02T00:00:00Z"},
    {"id": "buoy-red", "content": "The buoy is red", "workspace": WORKSPACE,
     "createdAt": "2025-01-02T00:00:00Z", "disabledAt": "2025-06-01T00:00:00Z"},
    {"id": "tide-old", "content": "High tide at noon", "workspace": WORKSPACE,
     "createdAt": "2025-01-03T00:00:00Z"},
    {"id": "tide", "content": "High tide at nine", "workspace": WORKSPACE,
     "createdAt": "2026-01-03T00:00:00Z", "supersedes": "tide-old"},
    {"id": "pilot", "content": "Ask the pilot first", "workspace": WORKSPACE,
     "authority": "directive", "createdAt": "2026-01-04T00:00:00Z"},
    {"id": "lamp", "content": "The lamp burns oil", "workspace": "/srv/lighthouse",
     "createdAt": "2026-01-05T00:00:00Z"},
    {"id": "name", "content": "Called Ines", "scope": "user",
     "createdAt": "2026-01-06T00:00:00Z"},
]  # fmt: skip
QUERIES = [
    {"id": "q1", "split": "development", "language": "en", "category": "lexical-control",
     "query": "How much does the crane lift?", "workspace": WORKSPACE, "project": None,
     "expectedIds": ["crane"], "forbiddenIds": ["buoy"], "rationale": "The crane's own record."},
    {"id": "q2", "split": "development", "language": "en", "category": "multi-relevant",
     "query": "buoy and high tide", "workspace": WORKSPACE, "project": None,
     "expectedIds": ["buoy", "tide"], "forbiddenIds": [], "rationale": "One for each half."},
    {"id": "q3", "split": "development", "language": "zh", "category": "cross-lingual",
     "query": "浮标是什么颜色", "workspace": WORKSPACE, "project": None,
     "expectedIds": [], "forbiddenIds": [], "rationale": "没有中文记录。"},
    {"id": "q4", "split": "holdout", "language": "en", "category": "lexical-control",
     "query": "Where does the lamp burn oil?", "workspace": WORKSPACE, "project": None,
     "expectedIds": [], "forbiddenIds": ["lamp"], "rationale": "The lamp is elsewhere."},
]  # fmt: skip
MANIFEST = {
    "schemaVersion": 1,
    "name": "quay",
    "description": "A small harbour.",
    "evaluationTime": NOW,
    "counts": {"records": 8, "development": 3, "holdout": 1},
    "quotas": {
        "development": {
            "lexical-control": {"en": 1},
            "multi-relevant": {"en": 1},
            "cross-lingual": {"zh": 1},
        },
        "holdout": {"lexical-control": {"en": 1}},
    },
}


class Parts:
    """The three documents of a dataset, to be changed before they are written."""

    def __init__(self):
        self.records = copy.deepcopy(RECORDS)
        self.queries = copy.deepcopy(QUERIES)
        self.manifest = copy.deepcopy(MANIFEST)

    def record(self, id):
        return next(record for record in self.records if record["id"] == id)

    def query(self, id):
        return next(query for query in self.queries if query["id"] == id)

    def write(self, folder):
        """Write them, with hashes that are right unless the manifest has some already."""
        folder.mkdir(parents=True, exist_ok=True)
        files = {"records.json": self.records, "queries.json": self.queries}
        hashes = {}
        for name, content in files.items():
            data = json.dumps(content, ensure_ascii=False).encode()
            (folder / name).write_bytes(data)
            hashes[name] = hashlib.sha256(data).hexdigest()
        manifest = {"files": hashes, **self.manifest}
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return folder
