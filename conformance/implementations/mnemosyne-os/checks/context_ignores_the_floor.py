"""recall knows that nothing is relevant; the context puts everything into the prompt all the same.

inject_context is the call that the README prefers for preparing a prompt. It switches the relevance
floor off, so each prompt carries the whole store, up to the budget, whatever was asked.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Greta keeps the spare key of the boat house")
    brain.retain("用户的显卡是 RTX 4090")
    recalled = [record["content"] for _, record, _ in brain.recall("photosynthesis")]
    injected = [
        item["excerpt"] for item in brain.inject_context("photosynthesis")["task_related"]["items"]
    ]

print(f"expected: recall and context agree that nothing is known: {recalled}")
print(f"seen:     the context holds {injected}")
sys.exit(injected != recalled)
