"""The text of a forgotten memory is handed out by four calls that take its id.

Ids stay in prompts, logs and notes of agents. The forgotten text is one call away, and stays so
for ever: forget only sets a status that these calls don't look at.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    id = brain.retain("The safe opens with blue whale seven")
    brain.forget(id)
    seen = {
        "expand_memory": (brain.expand_memory(id) or {}).get("content"),
        "memory_envelope": (brain.memory_envelope(id) or {}).get("content"),
        "expand": brain.expand(f"m:{id}").get("content"),
        "capsule": brain.capsule(id).get("text"),
    }

print("expected: the text nowhere")
print(f"seen:     {seen}")
sys.exit(any("blue whale" in (text or "") for text in seen.values()))
