"""Text written in full width, as Chinese and Japanese keyboards do, isn't found in half width.

It is the same text to its reader: １００元 is 100 yuan.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("押金为１００元")
    seen = [record["content"] for _, record, _ in brain.recall("100")]

print("expected: ['押金为１００元']")
print(f"seen:     {seen}")
sys.exit(not seen)
