"""With a budget, k is ignored: one hit is asked for, all are given, and with k=0 too.

A caller that makes room for one memory gets as many as the budget holds.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    for day in ("Monday", "Tuesday", "Friday"):
        brain.retain(f"The gate alarm was tested on {day}")
    seen = {k: len(brain.recall("gate alarm", k=k, budget_tokens=1000)[0]) for k in (0, 1, 2)}

print("expected: {0: 0, 1: 1, 2: 2}")
print(f"seen:     {seen}")
sys.exit(seen != {0: 0, 1: 1, 2: 2})
