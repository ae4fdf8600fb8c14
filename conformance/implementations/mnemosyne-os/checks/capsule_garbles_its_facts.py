"""A capsule of facts holds words that were never written.

What doesn't fit whole becomes a capsule of its facts. Numbers are joined with whatever word stands
before them, so that "and 64 GB" and "on 2026" become facts of their own, and a model's name is
written differently than it was stored: who looks for it in the prompt doesn't find it.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain(
        "The workstation under the desk was bought on 2026-03-15 with an RTX 4090 and 64 GB of "
        "memory, after the old one had failed twice in a row during the long winter render, and "
        "is meant to last until the office moves to the new building"
    )
    ((_, record, _),), _ = brain.recall("workstation desk", budget_tokens=50)

print("expected: 2026-03-15, RTX 4090 and 64 GB, as they were written, and nothing else")
print(f"seen:     {record['_capsule']['atoms']}")
sys.exit({"and64", "on2026"} <= set(record["_capsule"]["atoms"]))
