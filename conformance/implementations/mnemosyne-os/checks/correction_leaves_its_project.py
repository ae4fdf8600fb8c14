"""A correction belongs to no project, so the project goes on finding the wrong text alone.

It loses the tags of the memory too. correct is documented as the way for a user's correction.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    old = brain.retain("The office is in Berlin", project="a", tags=["address"])
    brain.correct(old, "The office is in Munich")
    seen = [record["content"] for _, record, _ in brain.recall("office", project="a")]

print("expected: 'The office is in Munich' first")
print(f"seen:     {seen}")
sys.exit(seen[:1] != ["The office is in Munich"])
