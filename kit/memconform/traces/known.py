"""A set of millions of ids in little memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class KnownIds:
    """Ids of 32 hexadecimal digits, 16 bytes each, that can be asked many at a time.

    They lie in sorted arrays, the later ones smaller; adding merges those of like size, so that
    adding n ids in small portions costs n log n in all.
    """

    def __init__(self) -> None:
        self._runs: list[NDArray[np.uint64]] = []  # each of shape (n, 2), sorted by rows

    def add(self, ids: list[str]) -> list[bool]:
        """Add ids; returns for each whether it was new, also within the list itself."""
        if not ids:
            return []
        pairs = _pairs(ids)
        known = np.zeros(len(pairs), dtype=np.bool_)
        for run in self._runs:
            known |= _contains(run, pairs)
        _, first = np.unique(pairs, axis=0, return_index=True)
        fresh = np.zeros(len(pairs), dtype=np.bool_)
        fresh[first] = True
        fresh &= ~known
        self._keep(pairs[fresh])
        return [bool(new) for new in fresh]

    def _keep(self, pairs: NDArray[np.uint64]) -> None:
        if not len(pairs):
            return
        run = pairs
        while self._runs and len(self._runs[-1]) <= 2 * len(run):
            run = np.concatenate([self._runs.pop(), run])
        self._runs.append(run[np.lexsort((run[:, 1], run[:, 0]))])


def _pairs(ids: list[str]) -> NDArray[np.uint64]:
    return np.frombuffer(bytes.fromhex("".join(ids)), dtype=">u8").reshape(-1, 2).astype(np.uint64)


def _contains(run: NDArray[np.uint64], pairs: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which pairs are rows of a sorted run."""
    left = np.searchsorted(run[:, 0], pairs[:, 0], side="left")
    right = np.searchsorted(run[:, 0], pairs[:, 0], side="right")
    found = np.zeros(len(pairs), dtype=np.bool_)
    # Rows with an equal first half are nearly never more than one.
    for step in range(int((right - left).max(initial=0))):
        place = np.minimum(left + step, len(run) - 1)
        found |= (left + step < right) & (run[place, 1] == pairs[:, 1])
    return found
