"""A masked text is still recalled, word for word, until the process ends.

The user says "don't keep this", the agent masks the memory and is told that it is done. The next
question brings the text back, and so does every context.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    id = brain.retain("The safe opens with blue whale seven")
    brain.recall("blue whale")
    answer = brain.mask_memory(id)
    recalled = [record["content"] for _, record, _ in brain.recall("safe blue whale")]
    injected = brain.inject_context("safe blue whale")["text"]

print(f"expected: the text nowhere, as mask_memory says: {answer}")
print(f"seen:     recalled {recalled}; in the context: {'blue whale' in injected}")
sys.exit("blue whale" in injected + " ".join(recalled))
