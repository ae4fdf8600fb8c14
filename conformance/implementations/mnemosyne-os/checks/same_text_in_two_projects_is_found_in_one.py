"""A text that another project holds already isn't found in the project that it was just stored in.

The second record is on disk, but the running process never looks at it; after a restart it is
there. Teams that share a house rule see it in one project only.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Releases go out on Tuesday", project="a")
    brain.retain("Releases go out on Tuesday", project="b")
    seen = [record["content"] for _, record, _ in brain.recall("releases", project="b")]

print("expected: ['Releases go out on Tuesday']")
print(f"seen:     {seen}")
sys.exit(not seen)
