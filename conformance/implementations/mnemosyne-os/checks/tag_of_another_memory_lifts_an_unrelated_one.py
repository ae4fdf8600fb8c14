"""With a filter, the tag of one memory is credited to another, which then passes the floor.

Places in the unfiltered list are used in the filtered one. A question for "zoo" among preferences
answers with how invoices are paid, because the first memory of all is tagged "zoo".
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Turtles live long", tags=["zoo"])
    brain.retain("Invoices are paid monthly", mtype="preference")
    seen = [(r["content"], why) for _, r, why in brain.recall("zoo", mtype="preference")]

print("expected: []")
print(f"seen:     {seen}")
sys.exit(bool(seen))
