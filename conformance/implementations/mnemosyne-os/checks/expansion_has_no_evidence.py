"""Expanding a corrected memory doesn't lead to its correction, nor the other way round.

The tool promises the evidence chain of an expanded memory. After a correction the chain of either
memory is empty, though the stored records name each other: who expands the old one by its id takes
it for what holds.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    old = brain.retain("The meeting is held on Monday")
    new = brain.correct(old, "The meeting is held on Tuesday")
    chains = {}
    for name, id in (("old", old), ("new", new)):
        envelope = brain.expand_memory(id)["envelope"]
        chains[name] = [*envelope["evidence"], *envelope["derived_from"]]

print(f"expected: the old one leads to {new}, the new one to {old}")
print(f"          stored: superseded_by {brain.store.find_by_id(old)['superseded_by']}")
print(f"seen:     {chains}")
sys.exit(not any(chains.values()))
