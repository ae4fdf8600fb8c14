"""Expanding a memory shows none of its neighbours.

The tool promises graph neighbours with an expanded memory. The entities of a memory and the nodes
of the graph are found by two rules that cut the same sentence differently, so the look-up of the
one in the other finds nothing; asked for the node itself, the graph has the edge.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    id = brain.retain("用户的显卡是 RTX 4090")
    shown = brain.expand_memory(id)["neighbors"]
    edges = brain.graph_query("用户")["edges"]
    near = [name for levels in shown.values() for name in levels["depth_1"]]

print("expected: RTX 4090 beside 用户, as the graph has it:")
print(f"          {[(e['from'], e['qualifier'], e['to']) for e in edges]}")
print(f"seen:     {near}, looked up by {sorted(shown)}")
sys.exit(bool(edges) and not near)
