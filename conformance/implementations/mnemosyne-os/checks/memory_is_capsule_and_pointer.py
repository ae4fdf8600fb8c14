"""With a small budget a memory comes twice: as a capsule without anything in it, and as a pointer.

What fits no more is to stand in an index of pointers. The first memory gets an empty capsule, which
costs more than the whole budget, and stands in the index besides; whoever counts the answers counts
one memory too many.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    for text in (
        "The ferry leaves from the north pier every day at six",
        "The ferry carries forty cars and two hundred people",
        "The ferry has a canteen with hot soup that opens in winter",
    ):
        brain.retain(text)
    found, cost = brain.recall("ferry", budget_tokens=1)
    packed = [record["id"] for _, record, _ in found]
    pointers = [entry.get("memory_id") or entry["ref"] for entry in cost["precision_index"]]
    twice = [id for id in packed if any(id[:12] in pointer for pointer in pointers)]

print("expected: three memories, each once, within 1 token")
print(f"seen:     {len(packed)} packed, {len(pointers)} pointers, {len(twice)} of them in both;")
print(f"          {cost['budget_used']} tokens used")
sys.exit(bool(twice))
