"""The word "the" alone finds every memory that holds it, in the band "high".

A floor that a stop word passes is no floor: any English sentence shares one with any other.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("The deploy runs every Friday evening")
    brain.retain("The user prefers dark mode in the editor")
    seen = [(r["content"], r["_relevance_band"]) for _, r, _ in brain.recall("the")]

print("expected: []")
print(f"seen:     {seen}")
sys.exit(bool(seen))
