"""The README promises BM25 keyword search beside the vectors. It never runs.

Exact names, numbers and error codes are what people ask a memory for, and what keyword search is
for. The search for candidates raises a NameError at every question; the error is swallowed and all
records are compared by vector instead, so nobody notices but by the answers.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Pump EX-7731 was serviced by Greta")
    brain.retain("The canteen serves soup at noon")
    reasons = brain.recall("Pump EX-7731 was serviced by Greta")[0][2]
    try:
        cause = brain.store.search_ids("pump")
    except NameError as error:
        cause = error

print("expected: the keyword channel (关键词) among the reasons of a hit by its exact words")
print(f"seen:     {reasons}; asked directly, the keyword search gives: {cause}")
sys.exit("关键词" not in reasons)
