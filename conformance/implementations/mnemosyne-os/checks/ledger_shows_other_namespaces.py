"""Namespaces have a database each, and one ledger and one graph for all of them.

With the id of a memory, any namespace reads the first fifty characters of another's; with two
names, how they are connected there.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with (
    tempfile.TemporaryDirectory() as home,
    MemoryBrain(home, namespace="ours") as ours,
    MemoryBrain(home, namespace="theirs") as theirs,
):
    id = theirs.retain("用户的显卡是 RTX 4090")
    ledger = [entry["data_summary"] for entry in ours.ledger_audit(id)]
    path = ours.graph_path("用户", "RTX 4090")

print("expected: nothing of the other namespace")
print(f"seen:     ledger {ledger}, graph {path}")
sys.exit(bool(ledger) or path == ["用户", "RTX 4090"])
