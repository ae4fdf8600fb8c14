"""The store that the README shows, taken from the README: what it promises is what is tested."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def notes_source() -> str:
    """The Python block of the README that defines the store."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (source,) = [block for block in blocks if "class Notes" in block]
    return source
