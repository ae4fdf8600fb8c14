"""A process that hears a text a second time deletes what other processes have stored meanwhile.

A repeated or a merged text makes it write the whole table anew, out of the records that it had read
before. The other process was told that its memory is stored; it is gone from the disk.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as one, MemoryBrain(home) as other:
    one.retain("The spare key is under the blue pot")
    id = other.retain("Greta takes over the night shift in May")
    one.retain("The spare key is under the blue pot")
    with MemoryBrain(home) as fresh:
        seen = fresh.expand_memory(id)

print("expected: the other process's memory, read from disk")
print(f"seen:     {seen}")
sys.exit(seen is None)
