"""Random retrievals for the tests of the sweep, and the plain loop that it must equal."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from memconform.sweep import Rows


@dataclass(frozen=True)
class Candidate:
    gate: float
    always: bool
    grade: int
    importance: float = 0.5
    characters: int = 100


@dataclass(frozen=True)
class Retrieval:
    candidates: tuple[Candidate, ...]
    relevant: int
    silent: bool
    language: str
    category: str


def drawn(
    seed: int, *, retrievals: int = 60, most: int = 40, values: int = 12, infinities: bool = True
) -> list[Retrieval]:
    """Retrievals with ties, empty ones, unjudged ones, and gate values of either infinity."""
    rng = np.random.default_rng(seed)
    grid = np.round(np.sort(rng.random(values)), 3)
    if infinities:
        grid[0], grid[-1] = -np.inf, np.inf
    made = []
    for _ in range(retrievals):
        size = int(rng.integers(0, most + 1)) if rng.random() > 0.1 else 0
        kind = rng.choice(["answerable", "silent", "unjudged"], p=[0.6, 0.3, 0.1])
        shares = [0.2, 0.1] if kind == "answerable" else [0.0, 0.1]
        grades = rng.choice([1, -1, 0], size=size, p=[*shares, 1 - sum(shares)])
        found = int((grades > 0).sum())
        relevant = found + int(rng.integers(0, 3)) if kind == "answerable" else 0
        made.append(
            Retrieval(
                tuple(
                    Candidate(
                        float(rng.choice(grid)),
                        bool(rng.random() < 0.05),
                        int(grade),
                        float(np.round(rng.random(), 2)),
                        int(rng.integers(1, 300)),
                    )
                    for grade in grades
                ),
                relevant,
                kind == "silent",
                str(rng.choice(["latin", "cjk"])),
                str(rng.choice(["a", "b", "c"])),
            )
        )
    return made


def rows_of(retrievals: list[Retrieval]) -> Rows:
    flat = [c for r in retrievals for c in r.candidates]
    return Rows.of(
        [c.gate for c in flat],
        [len(r.candidates) for r in retrievals],
        np.array([c.grade for c in flat], np.int64),
        always=[c.always for c in flat],
        relevant=[r.relevant for r in retrievals],
        silent=[r.silent for r in retrievals],
        groups={
            "language": [r.language for r in retrievals],
            "category": [r.category for r in retrievals],
        },
    )


def selected(retrieval: Retrieval, threshold: float, k: int) -> list[Candidate]:
    """Filter, then take the first K: what the sweep is about, as it is said."""
    passed = [c for c in retrieval.candidates if c.always or c.gate >= threshold]
    return passed[:k]


def refiltered(retrievals: list[Retrieval], threshold: float, k: int) -> dict[str, float | None]:
    """Every figure at one threshold, by filtering anew and counting."""
    answerable = [r for r in retrievals if r.relevant]
    silent = [r for r in retrievals if r.silent]
    recall, precision, reciprocal, success = Fraction(), Fraction(), Fraction(), 0
    for r in answerable:
        chosen = [c.grade > 0 for c in selected(r, threshold, k)]
        recall += Fraction(sum(chosen), r.relevant)
        precision += Fraction(sum(chosen), len(chosen)) if chosen else 0
        reciprocal += Fraction(1, chosen.index(True) + 1) if any(chosen) else 0
        success += any(chosen)
    chosen_of = [(r, selected(r, threshold, k)) for r in retrievals]
    passing = sum(c.always or c.gate >= threshold for r in retrievals for c in r.candidates)

    def mean(total: Fraction | int, count: int) -> float | None:
        return float(Fraction(total, count)) if count else None

    return {
        "recall": mean(recall, len(answerable)),
        "precision": mean(precision, len(answerable)),
        "mrr": mean(reciprocal, len(answerable)),
        "success": mean(success, len(answerable)),
        "abstention": mean(sum(not selected(r, threshold, k) for r in silent), len(silent)),
        "false_positives": sum(len(chosen) for r, chosen in chosen_of if r.silent),
        "forbidden": sum(c.grade < 0 for _, chosen in chosen_of for c in chosen),
        "selected": mean(sum(len(chosen) for _, chosen in chosen_of), len(retrievals)),
        "passed": mean(passing, len(retrievals)),
        "hits": sum(c.grade > 0 for _, chosen in chosen_of for c in chosen),
    }
