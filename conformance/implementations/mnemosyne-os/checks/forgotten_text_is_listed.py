"""temporal_query, which lists records without being given an id, lists forgotten ones with text.

Nothing in its answer tells them from the others.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.forget(brain.retain("The safe opens with blue whale seven"))
    brain.retain("The canteen serves soup at noon")
    seen = [row["content"] for row in brain.temporal_query()]

print("expected: ['The canteen serves soup at noon']")
print(f"seen:     {seen}")
sys.exit(any("blue whale" in text for text in seen))
