"""Traditional to simplified Chinese, by the data of OpenCC (package ``opencc``, about 7 MB).

Text without Chinese characters needs no conversion and never loads the package. Where the package
isn't installed, Chinese text stays as it is: simplified text is found as always, and traditional
text finds only traditional text. ``converts`` says which of the two holds here.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencc import OpenCC

# The blocks that hold Chinese characters; kana and hangul are no subject of the conversion.
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
MISSING = (
    "traditional Chinese is not converted to simplified here, so that the two don't find each "
    'other; install "memconform[opencc]"'
)


@cache
def _converter() -> OpenCC | None:
    try:
        import opencc
    except ImportError:
        return None
    return opencc.OpenCC("t2s")


def converts() -> bool:
    """Whether traditional characters are converted here."""
    return _converter() is not None


def simplified(text: str) -> str:
    """The text with traditional characters as simplified ones, where it has any and can be."""
    if _HAN.search(text) is None:
        return text
    converter = _converter()
    return text if converter is None else str(converter.convert(text))
