"""A context holds the corrected text beside its correction, and nothing tells which one holds.

The model reads two addresses and may take either.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    old = brain.retain("The office is in Berlin")
    brain.correct(old, "The office is in Munich")
    text = brain.inject_context("The office is in Berlin")["text"]

print("expected: Berlin left out, or marked")
print(f"seen:     {text!r}")
sys.exit("- The office is in Berlin\n" in text + "\n")
