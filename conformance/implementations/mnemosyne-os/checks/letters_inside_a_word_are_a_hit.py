"""The word "OR" finds a memory about outdoors.

Pairs of letters are compared, and pairs that lie in the middle of a word count like words.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Willow baskets dry slowly outdoors")
    seen = [record["content"] for _, record, _ in brain.recall("OR")]

print("expected: []")
print(f"seen:     {seen}")
sys.exit(bool(seen))
