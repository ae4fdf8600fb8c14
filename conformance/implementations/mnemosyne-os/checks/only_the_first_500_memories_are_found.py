"""In a store of 600 memories, the newest can't be found, not even by their exact words.

Keyword search is what picks 500 candidates out of a store. It never runs (see
keyword_channel_never_runs.py), so the first 500 are taken, and up to 50 more that share a name.
After some weeks an assistant remembers nothing new, and its health check says that all is well.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

ropes = ["red", "blue", "green", "white", "black", "brown"]
texts = [f"Shelf {n * 7 + 1000} holds {ropes[n % 6]} rope from lot {n * 31}" for n in range(600)]
with tempfile.TemporaryDirectory() as home:
    with MemoryBrain(home) as brain:
        brain.retain_batch([(text,) for text in texts])
    with MemoryBrain(home) as brain:
        newest = texts[-30:]
        found = sum(text in [r["content"] for _, r, _ in brain.recall(text)] for text in newest)

print("expected: each of the 30 newest of 600 memories found by its own words")
print(f"seen:     {found} of 30")
sys.exit(found < 30)
