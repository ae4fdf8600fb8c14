"""Blanks and line breaks at both ends of a text are cut off without a word.

What is indented, or ends with a line break that counts, isn't what was stored.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

text = "    return total  # the last line of the function\n"
with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    seen = brain.expand_memory(brain.retain(text))["content"]

print(f"expected: {text!r}")
print(f"seen:     {seen!r}")
sys.exit(seen != text)
