"""A question about something else is answered with whatever shares a word like "the" or "is".

An agent that asks its memory about the weather gets billing contacts and office rules into its
prompt, each with the confidence band "medium", and can't tell that nothing is known.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("Anna is the contact for billing questions")
    brain.retain("The deploy runs every Friday evening")
    brain.retain("The user prefers dark mode in the editor")
    seen = [record["content"] for _, record, _ in brain.recall("what is the weather")]

print("expected: []")
print(f"seen:     {seen}")
sys.exit(bool(seen))
