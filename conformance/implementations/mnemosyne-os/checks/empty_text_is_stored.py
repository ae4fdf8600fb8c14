"""An empty memory is stored and acknowledged with an id.

A template that wasn't filled, or a reply that failed, counts as something that the user said.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    seen = []
    for text in ("", "   "):
        try:
            seen.append(brain.expand_memory(brain.retain(text))["content"])
        except ValueError:
            continue
    try:
        id = brain.correct(brain.retain("The office is in Berlin"), "")
        seen.append(brain.expand_memory(id)["content"])
    except ValueError:
        pass

print("expected: two memories and a correction refused")
print(f"seen:     stored as {seen}")
sys.exit(bool(seen))
