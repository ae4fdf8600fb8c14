"""Asked in the words of the old text, the memory answers with the old text first.

That is how a user asks who remembers it wrongly. The mark "superseded" only lowers two of the
parts of the score.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    old = brain.retain("The ferry timetable changes in March")
    brain.correct(old, "As of now the ferry timetable changes in May")
    found = brain.recall("The ferry timetable changes in March")
    seen = [(record["content"], record["verification"]) for _, record, _ in found]

print("expected: 'As of now the ferry timetable changes in May' first")
print(f"seen:     {seen}")
sys.exit("May" not in seen[0][0])
