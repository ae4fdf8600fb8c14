"""The relevance floor: what stays out however high it ranks.

Each channel's best is 1 after normalisation, whatever was asked, so no threshold on a fused score
can tell an answer from noise. The floor stands on the raw signals, and one of them is enough.

Source: relevance-floor.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memconform.fusion.channels import Signals
from memconform.fusion.constants import FIGURES, Figures


@dataclass(frozen=True)
class Floor:
    """The least raw cosine that is a reason by itself, for one embedder.

    Attributes:
        cosine: found by calibration; 0.55 in the published design, for its embedder and corpus.
        embedder: the name of the embedder that it was found with.
    """

    cosine: float
    embedder: str

    def for_embedder(self, name: str) -> Floor:
        """The floor itself, if it belongs to this embedder.

        Raises:
            ValueError: it was calibrated for another one, whose cosines mean something else.
        """
        if name != self.embedder:
            raise ValueError(
                f"the floor {self.cosine} was calibrated for {self.embedder} and says nothing of "
                f"{name}: calibrate one for it"
            )
        return self


def reasons_to_stay(signals: Signals, floor: Floor, figures: Figures = FIGURES) -> Iterator[str]:
    """Each signal that makes a candidate relevant; none for one that is not."""
    if signals.tags:
        yield "tag"
    if signals.synonym:
        yield "synonym"
    if signals.ngrams >= figures.ngram_floor:
        yield "n-grams"
    if signals.semantic is not None and signals.semantic >= floor.cosine:
        yield "cosine"
    if signals.words:
        yield "word"


def reason_to_stay(signals: Signals, floor: Floor, figures: Figures = FIGURES) -> str | None:
    """The first signal that makes a candidate relevant; None for one that is not."""
    return next(reasons_to_stay(signals, floor, figures), None)


@dataclass(frozen=True)
class Diagnostics:
    """How the candidates lie, so that a floor that fits a corpus badly shows.

    Attributes:
        candidates: how many were looked at.
        removed: how many the floor took out. Close to all of them: it is too high.
        first_cosine, median_cosine: of the candidates that have one, else None. Close together:
            the whole corpus is about one thing, and no floor on cosines can help.
    """

    candidates: int
    removed: int
    first_cosine: float | None
    median_cosine: float | None


def diagnostics(candidates: Sequence[Signals], removed: int) -> Diagnostics:
    """The figures of one question; ``candidates`` in their final order."""
    cosines = [c.semantic for c in candidates if c.semantic is not None]
    return Diagnostics(
        candidates=len(candidates),
        removed=removed,
        first_cosine=candidates[0].semantic if candidates else None,
        median_cosine=statistics.median(cosines) if cosines else None,
    )


def lexical_fallback(candidates: Iterable[Signals]) -> tuple[Signals, ...]:
    """Where the main retrieval found nothing: whatever shares a content word, most shared first."""
    shared = [signals for signals in candidates if signals.words]
    return tuple(sorted(shared, key=lambda s: (-s.words, -s.memory.written_at, s.memory.id)))
