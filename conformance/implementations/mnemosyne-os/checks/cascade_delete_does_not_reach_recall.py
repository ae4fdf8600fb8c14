"""cascade_delete says that it has cleared the retrieval cache; the text is recalled all the same.

It looks for methods of these names on the retrieval, which has none. A hard delete empties the row
on disk, and the process goes on telling the text.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    id = brain.retain("The safe opens with blue whale seven")
    brain.recall("blue whale")
    answer = brain.cascade_delete(id, hard=True)
    seen = [record["content"] for _, record, _ in brain.recall("safe blue whale")]

print(f"expected: [], since cache_cleared is {answer['cache_cleared']}")
print(f"seen:     {seen}")
sys.exit(bool(seen))
