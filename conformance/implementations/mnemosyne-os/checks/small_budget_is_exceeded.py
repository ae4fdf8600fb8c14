"""A small budget is exceeded, although the tool says that a budget never is.

What is given is a capsule of what doesn't fit, with a flag budget_respected that says so.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("用户的显卡是 RTX 4090，购于二〇二四年三月，放在书房的主机里")
    seen = {b: brain.recall("显卡", budget_tokens=b)[1]["budget_used"] for b in (0, 1, 5, 10)}

print("expected: at most 0, 1, 5 and 10 tokens used")
print(f"seen:     {seen}")
sys.exit(any(used > budget for budget, used in seen.items()))
