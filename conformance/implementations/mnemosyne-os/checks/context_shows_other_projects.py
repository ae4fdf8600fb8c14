"""A context for one project holds memories of every other project.

One of the four ways in which the context looks for memories follows names through the whole store
and doesn't ask which project they belong to.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("The Kestrel deploy key lives in the vault of Anna", project="a")
    brain.retain("The Kestrel customer pays late", project="b")
    text = brain.inject_context("Kestrel deploy key", project="a")["text"]

print("expected: nothing of project b")
print(f"seen:     {text!r}")
sys.exit("pays late" in text)
