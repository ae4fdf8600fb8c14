"""With an id, any project reads, forgets and corrects the memories of any other.

These calls take no project, so a server that serves one customer at a time can't say which.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    id = brain.retain("The gate alarm was tested on Monday", project="birch")
    seen = {}
    for call in (brain.expand_memory, brain.forget):
        try:
            seen[call.__name__] = bool(call(id, project="oak"))
        except TypeError:  # it takes no project, so it is called as everybody has to call it
            seen[call.__name__] = bool(call(id))

print("expected: {'expand_memory': False, 'forget': False}")
print(f"seen:     {seen}")
sys.exit(any(seen.values()))
