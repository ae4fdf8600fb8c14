"""What retain_batch has stored can't be recalled until the process ends.

An agent that imports notes in bulk is told that they are stored, asks, and finds nothing: the
search index of a process that has been asked or written to before isn't told of the batch.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home:
    with MemoryBrain(home) as brain:
        brain.retain("The canteen serves soup at noon")
        brain.retain_batch([("Nairobi lies in Kenya", "semantic", {"tags": ["geography"]})])
        warm = [record["content"] for _, record, _ in brain.recall("Nairobi Kenya")]
    with MemoryBrain(home) as brain:
        cold = [record["content"] for _, record, _ in brain.recall("Nairobi Kenya")]

print(f"expected: the same as after a restart: {cold}")
print(f"seen:     {warm}")
sys.exit(warm != cold)
