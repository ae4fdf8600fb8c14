"""Nine different facts become one, because a number of one digit doesn't count.

Each write overwrites the one before and answers with its id, so the user is told nine times that
the fact is stored, and eight are lost.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    ids = [brain.retain(f"Locker {n} belongs to team {10 - n}") for n in range(1, 10)]
    left = [row["content"] for row in brain.temporal_query()]

print("expected: 9 ids, 9 memories")
print(f"seen:     {len(set(ids))} ids, {len(left)} memories: {left}")
sys.exit(len(left) != 9)
