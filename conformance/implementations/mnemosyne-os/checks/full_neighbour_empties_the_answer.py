"""A project's own memory isn't found where another project has more on the same subject.

The best k of all projects are taken first, and those of other projects are dropped afterwards.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("The gate code of the north yard is kept by the gardener", project="a")
    for n in range(12):
        brain.retain(f"gate code {n * 37}", project="b")
    seen = [record["content"] for _, record, _ in brain.recall("gate code", k=5, project="a")]

print("expected: ['The gate code of the north yard is kept by the gardener']")
print(f"seen:     {seen}")
sys.exit(not seen)
