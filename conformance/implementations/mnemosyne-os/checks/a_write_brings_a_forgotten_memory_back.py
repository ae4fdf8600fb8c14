"""Forget a memory, store another one, and the forgotten text is recalled again, evicted or not.

forget asks for a new search index; the next write repairs the old one instead, with the forgotten
memory still in it, and calls it fresh. Agents write after nearly every turn.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    id = brain.retain("The safe opens with blue whale seven")
    brain.forget(id, evict=True)
    brain.retain("The canteen serves soup at noon")
    seen = [record["content"] for _, record, _ in brain.recall("safe blue whale")]

print("expected: []")
print(f"seen:     {seen}")
sys.exit(bool(seen))
