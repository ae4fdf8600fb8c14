"""A question that names no project is answered out of every project.

The project is documented as optional; one call that leaves it out mixes the customers.
"""

import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, MemoryBrain(home) as brain:
    brain.retain("The gate alarm was tested on Monday")
    brain.retain("The gate alarm was replaced on Tuesday", project="oak")
    seen = [record["content"] for _, record, _ in brain.recall("gate alarm")]

print("expected: ['The gate alarm was tested on Monday']")
print(f"seen:     {seen}")
sys.exit("The gate alarm was replaced on Tuesday" in seen)
