"""How a command says no: one sentence on standard error, exit code 2, never a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from memconform.verdict.words import harmless


class Refusal(Exception):
    """What was asked for can't be done; the message is a sentence that says what to do."""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`` Did you mean a or b?``, or nothing where nothing is near.

    A name that the word is a part of is near too, so that half an id is enough to be helped.
    """
    names = list(dict.fromkeys(candidates))
    lowered = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), lowered, n=3, cutoff=0.6)
    near = [lowered[name] for name in close]
    near += [name for name in names if len(word) > 2 and word.lower() in name.lower()]
    near = list(dict.fromkeys(near))[:3]
    return f" Did you mean {' or '.join(harmless(name) for name in near)}?" if near else ""
