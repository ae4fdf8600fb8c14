"""What one process stores, another that has been asked before doesn't find.

The user tells the assistant in the editor something, and the one on the command line knows nothing
of it until it is started again.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as one, MemoryBrain(home) as other:
    one.retain("The canteen serves soup at noon")
    other.recall("canteen")
    one.retain("Greta takes over the night shift in May")
    seen = [record["content"] for _, record, _ in other.recall("Greta night shift")]

print("expected: ['Greta takes over the night shift in May']")
print(f"seen:     {seen}")
sys.exit(not seen)
