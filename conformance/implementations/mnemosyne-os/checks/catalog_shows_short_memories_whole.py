"""A catalog gives short memories away.

A catalog is to show titles and hints, and content only for what is expanded. The hint of a memory
that is no longer than 28 characters is the memory itself, whole; a sensitive one is shown to
whoever may only look through the catalog, which costs more than what it is to save.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Gate 7")
    (entry,) = brain.recall_catalog("gate")["items"]
    total = brain.recall_catalog("gate")["catalog_tokens"]

print("expected: an entry without the text of the memory")
print(f"seen:     title {entry['title']!r}, hint {entry['hint']!r}")
print(f"          the catalog costs {total} tokens, the memory {entry['tokens_if_expanded']}")
sys.exit("Gate 7" in (entry["title"], entry["hint"]))
