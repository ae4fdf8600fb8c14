"""Who manages whom is the whole content of the two sentences; the second overwrites the first.

Words are counted without their order, so the two look equal.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Alice manages Bob")
    brain.retain("Bob manages Alice")
    seen = sorted(row["content"] for row in brain.temporal_query())

print("expected: ['Alice manages Bob', 'Bob manages Alice']")
print(f"seen:     {seen}")
sys.exit(seen != ["Alice manages Bob", "Bob manages Alice"])
