"""A memory of one project is merged into a similar one of another, and shows there alone.

Project b stores a sentence and can't find it; project a, which never had it, can, and has lost its
own.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Alice manages Bob", project="a")
    brain.retain("Bob manages Alice", project="b")
    seen = {
        project: [r["content"] for _, r, _ in brain.recall("manages", project=project)]
        for project in ("a", "b")
    }

expected = {"a": ["Alice manages Bob"], "b": ["Bob manages Alice"]}
print(f"expected: {expected}")
print(f"seen:     {seen}")
sys.exit(seen != expected)
