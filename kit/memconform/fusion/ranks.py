"""Merging by rank, and a second opinion.

Scores of different channels have different scales; their ranks don't. What is lost is by how much
one is better than the next.

Source: context-injection, "Channels are merged by rank", "A reranker replaces and may fail".
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from memconform.fusion.channels import Signals
from memconform.fusion.constants import FIGURES, Figures
from memconform.fusion.fuse import raw_of

INJECTED_CHANNELS = ("semantic", "bm25", "graph", "tags")  # time only orders
Reranker = Callable[[str, Sequence[str]], Sequence[float]]


@dataclass(frozen=True)
class Placed:
    """A candidate with the sum of its reciprocal ranks.

    Attributes:
        ranks: by channel, from 1; a channel that has nothing for the candidate is missing.
        score: the sum, or what a reranker gave in its place.
    """

    signals: Signals
    ranks: Mapping[str, int]
    score: float


def reciprocal_rank_fusion(
    candidates: Sequence[Signals], figures: Figures = FIGURES
) -> tuple[Placed, ...]:
    """Best first by the sum over four channels of 1 / (constant + rank), ranks from 1.

    A channel ranks only what it has anything for; in a tie the newer memory is first.
    """
    ranks: dict[str, dict[str, int]] = {signals.memory.id: {} for signals in candidates}
    for channel in INJECTED_CHANNELS:
        heard = [(raw_of(signals)[channel], signals.memory) for signals in candidates]
        heard = [(raw, memory) for raw, memory in heard if raw > 0]
        heard.sort(key=lambda pair: (-pair[0], -pair[1].written_at, pair[1].id))
        for rank, (_, memory) in enumerate(heard, start=1):
            ranks[memory.id][channel] = rank
    placed = [
        Placed(signals, own, sum(1 / (figures.rank_constant + rank) for rank in own.values()))
        for signals, own in ((signals, ranks[signals.memory.id]) for signals in candidates)
    ]
    return tuple(sorted(placed, key=_key))


def _key(placed: Placed) -> tuple[float, float, str]:
    memory = placed.signals.memory
    return (-placed.score, -memory.written_at, memory.id)


@dataclass(frozen=True)
class Reranked:
    """The order after a reranker had its say.

    Attributes:
        note: why the order is as it was: ``few``, ``exact-look-up``, ``homogeneous``, ``failed``;
            None where the reranker's scores rule.
    """

    placed: tuple[Placed, ...]
    note: str | None


def reason_not_to_rerank(
    query: str, placed: Sequence[Placed], figures: Figures = FIGURES
) -> str | None:
    """Why a reranker could only cost time here; None where it may help."""
    if len(placed) < figures.least_to_rerank:
        return "few"
    if any(character.isdigit() for character in query):
        return "exact-look-up"  # a number or a model: the letters decide
    cosines = [p.signals.semantic for p in placed if p.signals.semantic is not None]
    if cosines and max(cosines) - statistics.median(cosines) < figures.homogeneous_spread:
        return "homogeneous"
    return None


def rerank(
    query: str,
    placed: Sequence[Placed],
    reranker: Reranker | None,
    figures: Figures = FIGURES,
) -> Reranked:
    """The reranker's scores in place of the ranks' ones; two scales are never mixed.

    An optional gain must not become a way to fail: whatever goes wrong in a reranker, a wrong
    number of scores or a score that is no number included, the order stays as it was.
    """
    if reranker is None:
        return Reranked(tuple(placed), None)
    note = reason_not_to_rerank(query, placed, figures)
    if note is not None:
        return Reranked(tuple(placed), note)
    try:
        scores = [float(s) for s in reranker(query, [p.signals.memory.content for p in placed])]
    except Exception:  # whatever a foreign model raises, the answer must stand
        return Reranked(tuple(placed), "failed")
    if len(scores) != len(placed) or any(map(math.isnan, scores)):
        return Reranked(tuple(placed), "failed")
    judged = [replace(p, score=score) for p, score in zip(placed, scores, strict=True)]
    return Reranked(tuple(sorted(judged, key=_key)), None)
