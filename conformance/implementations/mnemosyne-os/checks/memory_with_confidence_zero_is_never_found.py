"""A memory stored with the confidence 0, an allowed value, is acknowledged and never recalled.

A rumour that the user wants remembered as one is lost; the source says that 0 means withdrawn, and
the tool that takes the value doesn't.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("The north gate may be haunted", confidence=0.0)
    seen = [record["content"] for _, record, _ in brain.recall("north gate haunted")]

print("expected: ['The north gate may be haunted']")
print(f"seen:     {seen}")
sys.exit(not seen)
