"""Correct a memory, store another one, and the old text is current again, unmarked.

As with forget: the next write declares the search index fresh, and the mark isn't in it.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    old = brain.retain("The office is in Berlin")
    brain.correct(old, "The office is in Munich")
    brain.retain("The canteen serves soup at noon")
    found = brain.recall("office in Berlin")
    seen = {record["content"]: record["verification"] for _, record, _ in found}

print("expected: Berlin superseded, or not found")
print(f"seen:     {seen}")
sys.exit(seen.get("The office is in Berlin", "superseded") != "superseded")
