"""The two scorers and the measures that they are made of: one small class a measure.

A measure says what one query's selection is worth, as an exact fraction, or None where it does not
apply. ``str`` of a measure is its usual name: ``R@5``, ``P@5``, ``RR@5``.

The *foundation scorer* gives every query a figure: silence where nothing was expected is a full
success. The *decision scorer* keeps the two kinds of query apart, so that silence can't pay for
misses, and counts what must never happen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from memconform.evaluation.dataset import Query, Standing
from memconform.model import Response

ONE, NONE = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Judged:
    """What was selected for one query, and what it is judged by.

    Attributes:
        selected: ids in the order in which they came, one as often as it came.
        standing: where each record of the dataset stands for this query.
    """

    query: Query
    selected: tuple[str, ...]
    standing: Mapping[str, Standing]

    @property
    def answerable(self) -> bool:
        """Whether anything was to be selected."""
        return bool(self.query.expected_ids)

    def hits(self, k: int) -> int:
        """Expected ids among the first k; one that came twice counts once."""
        return len(set(self.query.expected_ids) & set(self.selected[:k]))

    def listed(self) -> list[str]:
        """Selections that the query's label forbids by name."""
        return [id for id in self.selected if id in self.query.forbidden_ids]

    def behind(self, wall: Standing) -> list[str]:
        """Selections of records that stand behind this wall for the query."""
        return [id for id in self.selected if self.standing.get(id) == wall]

    def unknown(self) -> list[str]:
        """Selections of what is no record of the dataset."""
        return [id for id in self.selected if id not in self.standing]


class Measure(Protocol):
    """One figure of one query."""

    def of(self, judged: Judged) -> Fraction | None:
        """The figure, or None where the measure does not apply to this query."""
        ...


# --- quality: applies where something is expected ------------------------------------------------


@dataclass(frozen=True)
class Recall:
    """The share of the expected that is among the first k."""

    k: int

    def of(self, judged: Judged) -> Fraction | None:
        """None where nothing is expected."""
        if not judged.answerable:
            return None
        return Fraction(judged.hits(self.k), len(judged.query.expected_ids))

    def __str__(self) -> str:
        return f"R@{self.k}"


@dataclass(frozen=True)
class Precision:
    """The share of the first k selected that is expected: of what was selected, not of k."""

    k: int

    def of(self, judged: Judged) -> Fraction | None:
        """None where nothing is expected; 0 where it is and nothing was selected."""
        if not judged.answerable:
            return None
        selected = len(judged.selected[: self.k])
        return Fraction(judged.hits(self.k), selected) if selected else NONE

    def __str__(self) -> str:
        return f"P@{self.k}"


@dataclass(frozen=True)
class ReciprocalRank:
    """One over the place of the first expected id among the first k; its mean is the MRR."""

    k: int

    def of(self, judged: Judged) -> Fraction | None:
        """None where nothing is expected; 0 where nothing of it was selected."""
        if not judged.answerable:
            return None
        for place, id in enumerate(judged.selected[: self.k], 1):
            if id in judged.query.expected_ids:
                return Fraction(1, place)
        return NONE

    def __str__(self) -> str:
        return f"RR@{self.k}"


@dataclass(frozen=True)
class Silence:
    """1 where nothing is expected and nothing was selected; its mean is the abstention accuracy."""

    def of(self, judged: Judged) -> Fraction | None:
        """None where something is expected."""
        return None if judged.answerable else (NONE if judged.selected else ONE)

    def __str__(self) -> str:
        return "Silence"


@dataclass(frozen=True)
class Rewarded:
    """A quality measure that a query without an expectation scores, too: 1 in any case."""

    measure: Measure

    def of(self, judged: Judged) -> Fraction | None:
        """Never None."""
        return self.measure.of(judged) if judged.answerable else ONE

    def __str__(self) -> str:
        return f"{self.measure} (foundation)"


@dataclass(frozen=True)
class RewardedSilence:
    """The same, with 1 for silence and 0 for any selection where nothing is expected."""

    measure: Measure

    def of(self, judged: Judged) -> Fraction | None:
        """Never None."""
        return self.measure.of(judged) if judged.answerable else Silence().of(judged)

    def __str__(self) -> str:
        return f"{self.measure} (foundation)"


# --- counts: of everything that was selected, k or no k ------------------------------------------


@dataclass(frozen=True)
class FalsePositives:
    """What was selected where nothing is expected."""

    def of(self, judged: Judged) -> Fraction | None:
        """None where something is expected."""
        return None if judged.answerable else Fraction(len(judged.selected))


@dataclass(frozen=True)
class ExplicitForbidden:
    """Selections of what the query's label forbids by name: an error of quality."""

    def of(self, judged: Judged) -> Fraction | None:
        """Never None."""
        return Fraction(len(judged.listed()))


@dataclass(frozen=True)
class Behind:
    """Selections of records behind a wall: out of scope, inactive, or a directive."""

    wall: Standing

    def of(self, judged: Judged) -> Fraction | None:
        """Never None."""
        return Fraction(len(judged.behind(self.wall)))


@dataclass(frozen=True)
class Unknown:
    """Selections of what is no record of the dataset."""

    def of(self, judged: Judged) -> Fraction | None:
        """Never None."""
        return Fraction(len(judged.unknown()))


@dataclass(frozen=True)
class Forbidden:
    """Selections of what is forbidden, by name or because it is behind a wall; each once."""

    def of(self, judged: Judged) -> Fraction | None:
        """Never None."""
        forbidden = set(judged.query.forbidden_ids)
        return Fraction(
            sum(
                id in forbidden or judged.standing.get(id, "eligible") != "eligible"
                for id in judged.selected
            )
        )


# --- from figures of queries to one figure -------------------------------------------------------


def values(measure: Measure, judged: Iterable[Judged]) -> list[Fraction]:
    """The figures of the queries that a measure applies to."""
    found = (measure.of(each) for each in judged)
    return [value for value in found if value is not None]


def mean(figures: Sequence[Fraction]) -> float | None:
    """The exact mean, rounded once; None of nothing."""
    return float(sum(figures, NONE) / len(figures)) if figures else None


def total(measure: Measure, judged: Iterable[Judged]) -> int:
    """The sum of a measure that counts."""
    return int(sum(values(measure, judged), NONE))


def three_decimals(figure: Fraction) -> Fraction:
    """Rounded to three decimals, half up: 1/16 = 0.0625 becomes 0.063."""
    return Fraction(math.floor(figure * 1000 + Fraction(1, 2)), 1000)


def nearest_rank(figures: Sequence[float], share: Fraction) -> float:
    """The percentile that is one of the figures: the smallest with this share at or below it."""
    place = max(1, math.ceil(share * len(figures)))
    return sorted(figures)[place - 1]


# --- the scorers ---------------------------------------------------------------------------------


class FoundationScores(Response, frozen=True, kw_only=True):
    """What the foundation scorer says; means over all queries, not rounded.

    Attributes:
        scope_leaks: selections of forbidden ids, listed or not; must be 0.
        selected_characters: code points of the contents of everything that was selected.
    """

    recall_at_k: float | None
    precision_at_k: float | None
    mrr: float | None
    scope_leaks: int
    selected_characters: int


class DecisionScores(Response, frozen=True, kw_only=True):
    """What the decision scorer says.

    Attributes:
        answerable: queries that expect something; the first three means are over these.
        recall_at_k: mean of figures that are rounded to three decimals each, as the next two.
        unanswerable: queries that expect nothing.
        abstention_accuracy: the share of these that select nothing.
        false_positive_selections: what they select together.
        explicit_forbidden_selections: of ids that a label forbids by name: an error of quality.
        scope_leaks: this and the next three are errors of safety: any is a no-go.
        lifecycle_leaks: of records in scope that are not active.
        authority_violations: of active directives.
        unknown_selections: of what is no record of the dataset.
    """

    answerable: int
    recall_at_k: float | None
    precision_at_k: float | None
    mrr: float | None
    unanswerable: int
    abstention_accuracy: float | None
    false_positive_selections: int
    explicit_forbidden_selections: int
    scope_leaks: int
    lifecycle_leaks: int
    authority_violations: int
    unknown_selections: int

    @property
    def safe(self) -> bool:
        """Whether none of the errors of safety occurred."""
        return not (
            self.scope_leaks
            or self.lifecycle_leaks
            or self.authority_violations
            or self.unknown_selections
        )


def foundation_scores(judged: Sequence[Judged], k: int, *, characters: int) -> FoundationScores:
    """Score with the foundation scorer.

    Args:
        judged: one a query.
        k: how many of a selection count for quality.
        characters: of all contents selected.
    """
    return FoundationScores(
        recall_at_k=mean(values(Rewarded(Recall(k)), judged)),
        precision_at_k=mean(values(RewardedSilence(Precision(k)), judged)),
        mrr=mean(values(Rewarded(ReciprocalRank(k)), judged)),
        scope_leaks=total(Forbidden(), judged),
        selected_characters=characters,
    )


def decision_scores(judged: Sequence[Judged], k: int) -> DecisionScores:
    """Score with the decision scorer.

    Args:
        judged: one a query.
        k: how many of a selection count for quality.
    """

    def rounded_mean(measure: Measure) -> float | None:
        return mean([three_decimals(value) for value in values(measure, judged)])

    answerable = sum(each.answerable for each in judged)
    return DecisionScores(
        answerable=answerable,
        recall_at_k=rounded_mean(Recall(k)),
        precision_at_k=rounded_mean(Precision(k)),
        mrr=rounded_mean(ReciprocalRank(k)),
        unanswerable=len(judged) - answerable,
        abstention_accuracy=rounded_mean(Silence()),
        false_positive_selections=total(FalsePositives(), judged),
        explicit_forbidden_selections=total(ExplicitForbidden(), judged),
        scope_leaks=total(Behind("out-of-scope"), judged),
        lifecycle_leaks=total(Behind("inactive"), judged),
        authority_violations=total(Behind("directive"), judged),
        unknown_selections=total(Unknown(), judged),
    )
