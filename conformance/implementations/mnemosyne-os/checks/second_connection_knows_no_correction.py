"""What one process corrects, another goes on telling in its old form, unmarked.

The user corrects an address in one program and is sent to the old one by the next.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as one, MemoryBrain(home) as other:
    old = one.retain("The office is in Berlin")
    other.recall("office")
    one.correct(old, "The office is in Munich")
    seen = {r["content"]: r["verification"] for _, r, _ in other.recall("where is the office")}

print("expected: Munich, and Berlin superseded if at all")
print(f"seen:     {seen}")
sys.exit("The office is in Munich" not in seen)
