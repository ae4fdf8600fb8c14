"""What one process forgets, another goes on recalling, however long it waits.

Command line, HTTP and MCP server work on one directory; the README offers all of them at once. A
process notices a change by the time of the database file, which SQLite leaves alone while changes
go to the write-ahead log.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as one, MemoryBrain(home) as other:
    id = one.retain("The safe opens with blue whale seven")
    other.recall("blue whale")
    one.forget(id)
    seen = [record["content"] for _, record, _ in other.recall("safe blue whale")]

print("expected: []")
print(f"seen:     {seen}")
sys.exit(bool(seen))
