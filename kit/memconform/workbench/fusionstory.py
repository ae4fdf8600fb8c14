"""An answer of the fusion design as a story: who stays and why, and what a budget makes of it.

Tables only; charts and widgets are made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from memconform.fusion import (
    FIGURES,
    Block,
    Figures,
    Floor,
    Fused,
    Injection,
    Memory,
    Portions,
    Recalled,
    Signals,
    quotas,
    within_budget,
)
from memconform.fusion.block import line_cost
from memconform.fusion.recall import CORRECTION, LEXICAL
from memconform.model.results import Form
from memconform.verdict.words import listed, number

Fate = Literal["by its cosine", "by another signal", "by the fallback", "removed"]
FATES: tuple[Fate, ...] = ("by its cosine", "by another signal", "by the fallback", "removed")


@dataclass(frozen=True)
class Standing:
    """One memory and what became of it.

    Attributes:
        fused: its place in the order; None where it was removed.
        why: what lets it in, or why nothing does, in words with the figures.
    """

    signals: Signals
    fused: Fused | None
    fate: Fate
    why: str

    @property
    def id(self) -> str:
        """Of the memory."""
        return self.signals.memory.id

    @property
    def cosine(self) -> float | None:
        """The raw one; None without a vector."""
        return self.signals.semantic


def standings(told: Recalled, floor: Floor, figures: Figures = FIGURES) -> tuple[Standing, ...]:
    """Those that stay in their order, then those that don't, the nearest first."""
    stay = []
    for place, fused in enumerate(told.kept):
        lets_in = told.lets_in[fused.signals.memory.id]
        parts = [_why(reason, fused, floor) for reason in lets_in]
        parts += _moved(fused, told.kept[place + 1 :])
        stay.append(Standing(fused.signals, fused, _fate(lets_in), "; ".join(parts)))
    go = [Standing(s, None, "removed", _why_not(s, floor, figures)) for s in told.removed]
    return (*stay, *go)


def _fate(lets_in: Sequence[str]) -> Fate:
    if LEXICAL in lets_in:
        return "by the fallback"
    return "by its cosine" if "cosine" in lets_in else "by another signal"


def _why(reason: str, fused: Fused, floor: Floor) -> str:
    """What one signal that lets a memory in says, with its figure."""
    signals = fused.signals
    shared = f"{number(signals.words, 'content word')} shared"
    return {
        "tag": "a tag of the family that is asked for",
        "synonym": "another word for the same thing",
        "n-grams": f"{signals.ngrams:.0%} of the question's letters",
        "cosine": f"raw cosine {signals.semantic or 0.0:.3f}, floor {floor.cosine:.4g}",
        "word": shared,
        LEXICAL: f"no cosine reaches the floor; {shared}",
        CORRECTION: "corrects a memory that stays",
    }[reason]


def _moved(fused: Fused, behind: Sequence[Fused]) -> list[str]:
    """Why a memory goes before one with a higher score; nothing where it doesn't."""
    id = fused.signals.memory.id
    higher = [other for other in behind if other.score > fused.score]
    if not higher or LEXICAL in (fused.reason, higher[0].reason):
        return []
    if any(other.signals.memory.superseded_by == id for other in behind):
        return ["goes before what it corrects"]
    return ["a constraint goes before an event"]


def _why_not(signals: Signals, floor: Floor, figures: Figures) -> str:
    """How far below the floor each signal is that could have let it in."""
    raw = signals.semantic
    cosine = "no vector" if raw is None else f"raw cosine {raw:.3f} below {floor.cosine:.4g}"
    words = f"{number(signals.words, 'content word') if signals.words else 'no word'} shared"
    letters = f"{signals.ngrams:.0%}" if signals.ngrams else "none"
    return f"{cosine}; {words}; {letters} of the letters (floor {figures.ngram_floor:.0%})"


def summary(told: Recalled, floor: Floor, generalises: bool) -> str:
    """What came of a question, in a sentence."""
    there, stay = told.diagnostics.candidates, len(told.kept)
    if not there:
        return "No memory is stored."
    memories = number(there, "memory", "memories")
    if not stay:
        known = "" if generalises else " This embedder knows no words but those that are written."
        return f"None of {memories} stays: nothing is the answer.{known}"
    first = told.kept[0]
    tail = f"first is {first.signals.memory.id} ({first.reason})."
    if told.lexical:
        return (
            f"No raw cosine reaches {floor.cosine:.4g}: {stay} of {memories} "
            f"by the lexical fallback; {tail}"
        )
    return (
        f"{stay} of {memories} {'stays' if stay == 1 else 'stay'}, floor {floor.cosine:.4g}; {tail}"
    )


def diagnostics_words(told: Recalled) -> str:
    """How the raw cosines lie, so that a floor that fits badly shows."""
    seen = told.diagnostics
    parts = [f"{number(seen.removed, 'memory', 'memories')} removed"]
    if seen.first_cosine is not None:
        parts.append(f"raw cosine of the first {seen.first_cosine:.3f}")
    if seen.median_cosine is not None:
        parts.append(f"median of all {seen.median_cosine:.3f}")
    return ", ".join(parts) + "."


# --- a budget --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rung:
    """Budgets next to each other at which a memory is given in one form.

    Attributes:
        first, last: where the piece begins and ends, in tokens.
        cost: at the first of them; a pointer costs nothing.
    """

    id: str
    form: Form
    first: float
    last: float
    cost: int


def rungs(memories: Sequence[Memory], budgets: Sequence[int]) -> tuple[Rung, ...]:
    """Each memory's forms over growing budgets, memory after memory, in their order.

    Args:
        memories: best first.
        budgets: at least one, growing; a piece reaches half-way to the next budget.
    """
    fitted = [within_budget(memories, budget).portions for budget in budgets]
    middles = [(one + other) / 2 for one, other in pairwise(budgets)]
    edges = [float(budgets[0]), *middles, float(budgets[-1])]
    found: list[Rung] = []
    for place, memory in enumerate(memories):
        begin = 0
        for at in range(1, len(budgets) + 1):
            portion = fitted[begin][place]
            if at == len(budgets) or fitted[at][place].form != portion.form:
                found.append(Rung(memory.id, portion.form, edges[begin], edges[at], portion.cost))
                begin = at
    return tuple(found)


def forms_words(told: Portions) -> str:
    """How many are given in which form, and what is used, in a sentence."""
    forms = [portion.form for portion in told.portions]
    budget = number(told.ledger.budget, "token")
    if not forms:
        return f"At {budget}: nothing is found, nothing is used."
    parts = [
        f"{forms.count('content')} whole",
        number(forms.count("capsule"), "capsule"),
        number(forms.count("reference"), "pointer"),
    ]
    return f"At {budget}: {listed(parts)}; {told.ledger.used:,} used."


@dataclass(frozen=True)
class Account:
    """One of the four accounts of a prompt.

    Attributes:
        share: in hundredths of what is left when the frame is paid.
        quota, used: in tokens.
        holds: who is in it, each with the form; pointers cost nothing and stay out of the text.
        dropped: layers of the profile that had no room.
    """

    name: str
    share: int
    quota: int
    used: int
    holds: tuple[tuple[str, Form], ...]
    dropped: tuple[str, ...] = ()


def accounts(told: Injection, budget: int, figures: Figures = FIGURES) -> tuple[Account, ...]:
    """The four accounts, in the order in which a prompt has them.

    Args:
        told: filled with the cost of lines.
        budget: that it was filled with: without the frame.
        figures: that it was filled with.
    """
    quota = quotas(budget, figures)
    profile = Account(
        "profile",
        figures.profile_quota,
        quota.profile,
        sum(line_cost(m, m.content) for m in told.profile.memories),
        tuple((id, "content") for id in told.profile.ids),
        told.profile.dropped,
    )
    others = (
        ("task", figures.task_quota, quota.task, told.task),
        ("methods", figures.experience_quota, quota.experience, told.experience),
        ("open items", figures.open_quota, quota.open_items, told.open_items),
    )
    return (
        profile,
        *(
            Account(name, share, most, of.ledger.used, _holds(of))
            for name, share, most, of in others
        ),
    )


def _holds(told: Portions) -> tuple[tuple[str, Form], ...]:
    return tuple((portion.memory.id, portion.form) for portion in told.portions)


def block_words(made: Block, cost: Callable[[str], int]) -> str:
    """What the assembled text holds and costs."""
    if not made.text:
        return "Nothing, not even a frame."
    parts = [f"{number(len(made.ids), 'memory', 'memories')} whole"]
    if made.capsules:
        parts.append(number(len(made.capsules), "capsule"))
    return f"{listed(parts)}, {number(cost(made.text), 'token')} with the frame."
