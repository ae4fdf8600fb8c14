"""A context holds the corrected text before its correction, and nothing tells which one holds.

The model reads two addresses and takes the first.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    old = brain.retain("The office is in Berlin")
    brain.correct(old, "The office is in Munich")
    answer = brain.inject_context("The office is in Berlin")
    seen = [item["excerpt"] for item in answer["task_related"]["items"]]

print("expected: 'The office is in Munich' first")
print(f"seen:     {seen}")
sys.exit(seen[:1] != ["The office is in Munich"])
