"""Finding a floor for the raw cosine of one embedder, and seeing what it can't do.

For each floor: which unrelated memories it lets through, and which answers it loses. Where the
lowest floor that lets nothing through is above the highest that loses nothing, no floor is right,
and the structural signals have to carry what is between.

Source: relevance-floor, "The floor stands on raw signals".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memconform.fusion.channels import Sight
from memconform.fusion.embedding import Embedder
from memconform.fusion.floor import Floor, reason_to_stay
from memconform.fusion.graph import graph_of
from memconform.fusion.memory import Memory

Kind = Literal["paraphrase", "same-topic", "unrelated"]


@dataclass(frozen=True)
class Question:
    """A question and the ids of the memories that answer it; none for an unrelated one."""

    id: str
    text: str
    language: str
    kind: Kind
    relevant: frozenset[str]


@dataclass(frozen=True)
class Pair:
    """A question, a memory and their raw cosine.

    Attributes:
        otherwise: what lets the memory in whatever the cosine is; None where nothing does.
    """

    question: Question
    memory: Memory
    cosine: float
    otherwise: str | None

    @property
    def relevant(self) -> bool:
        """Whether the memory answers the question."""
        return self.memory.id in self.question.relevant


@dataclass(frozen=True)
class Row:
    """What one floor does.

    Attributes:
        let_through: memories that an unrelated question brings.
        lost: answers that stay out, by the cosine alone.
        lost_after_all: those of them that no other signal lets in either.
        extra: memories that a related question brings and that don't answer it, by cosine alone.
    """

    floor: float
    let_through: int
    lost: int
    lost_after_all: int
    extra: int


@dataclass(frozen=True)
class Calibration:
    """Every pair of a question and a memory, and what any floor does with them.

    Attributes:
        embedder: the floor that is chosen belongs to it.
        pairs: by falling cosine.
    """

    embedder: str
    pairs: tuple[Pair, ...]

    def at(self, floor: float) -> Row:
        """What this floor does."""
        over = [pair for pair in self.pairs if pair.cosine >= floor]
        lost = [pair for pair in self.pairs if pair.relevant and pair.cosine < floor]
        return Row(
            floor=floor,
            let_through=sum(pair.question.kind == "unrelated" for pair in over),
            lost=len(lost),
            lost_after_all=sum(pair.otherwise is None for pair in lost),
            extra=sum(p.question.kind != "unrelated" and not p.relevant for p in over),
        )

    @property
    def silent(self) -> float:
        """The lowest cosine that is above every unrelated pair; 1.0 or more where there is none."""
        worst = max((p.cosine for p in self.pairs if p.question.kind == "unrelated"), default=-1.0)
        above = sorted(p.cosine for p in self.pairs if p.cosine > worst)
        return above[0] if above else worst + 1e-9

    @property
    def complete(self) -> float:
        """The highest floor that loses no answer by the cosine alone."""
        return min((p.cosine for p in self.pairs if p.relevant), default=1.0)

    @property
    def separable(self) -> bool:
        """Whether one floor lets nothing through and loses nothing."""
        return self.silent <= self.complete

    @property
    def overlap(self) -> tuple[Pair, ...]:
        """The answers below the best unrelated pair, the nearest first: no floor saves them all."""
        return tuple(p for p in self.pairs if p.relevant and p.cosine < self.silent)

    def steps(self, number: int = 9) -> tuple[Row, ...]:
        """The floors between the two, and a little around, to look at: evenly spaced, rounded."""
        low, high = sorted((self.complete, self.silent))
        width = max(high - low, 0.02)
        first, last = low - width / 4, high + width / 4
        floors = {round(first + (last - first) * n / (number - 1), 3) for n in range(number)}
        return tuple(self.at(floor) for floor in sorted(floors))

    def chosen(self) -> Floor:
        """The lowest floor that lets nothing unrelated through: silence is the safer mistake."""
        return Floor(self.silent, self.embedder)


def calibrate(
    memories: Sequence[Memory], questions: Sequence[Question], embedder: Embedder
) -> Calibration:
    """Compares every question with every memory."""
    texts = [memory.content for memory in memories]
    vectors = dict(zip((m.id for m in memories), embedder.encode(texts, "passage"), strict=True))
    sight = Sight(memories, vectors, graph_of(()), embedder, now=0.0)
    nothing = Floor(2.0, embedder.name)  # no cosine reaches it: what is left is the other signals
    pairs = [
        Pair(question, signals.memory, signals.semantic or 0.0, reason_to_stay(signals, nothing))
        for question in questions
        for signals in sight.signals(question.text)
    ]
    pairs.sort(key=lambda p: (-p.cosine, p.question.id, p.memory.id))
    return Calibration(embedder.name, tuple(pairs))
