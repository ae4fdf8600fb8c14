"""The profile at the head of each context is made of all projects, whichever the context is for.

What a customer's project holds about people goes into the prompts of every other customer's.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("The build uses make", project="a")
    brain.retain("Never call Dora before noon", mtype="preference", project="b")
    text = brain.inject_context("build", project="a")["text"]

print("expected: nothing of project b")
print(f"seen:     {text!r}")
sys.exit("Dora" in text)
