"""The budget ladder: whole, or a capsule, or a pointer; never half a sentence, never nothing.

Half a sentence is worse than none: it reads like a whole one and may say the opposite. So what
doesn't fit is given in another form, and what became of it is on the ledger.

Source: budgeted-recall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memconform.fusion.atoms import atoms
from memconform.fusion.constants import FIGURES, Figures
from memconform.fusion.graph import edges
from memconform.fusion.memory import Memory
from memconform.fusion.words import tokens
from memconform.model import Ledger
from memconform.model.results import Form

Cost = Callable[[Memory, str], int]
"""What a text costs as a memory's share of an answer."""

NOT_EVEN_A_CAPSULE = "the budget holds no memory and no capsule: these are pointers only"


@dataclass(frozen=True)
class Portion:
    """A memory in the form that fits.

    Attributes:
        text: the stored content byte for byte, a capsule, or None for a pointer.
        cost: in tokens; a pointer costs nothing of the budget.
    """

    memory: Memory
    form: Form
    text: str | None
    cost: int


@dataclass(frozen=True)
class Portions:
    """Everything that was handed in, in its order, each in one form.

    Attributes:
        ledger: budget, used, how many are pointers, whether anything is less than whole.
        notice: says so where nothing but pointers fitted; else None.
    """

    portions: tuple[Portion, ...]
    ledger: Ledger
    notice: str | None


def plain_cost(memory: Memory, text: str) -> int:
    """The tokens of the text alone."""
    return tokens(text)


def capsule(memory: Memory, figures: Figures = FIGURES) -> str:
    """A memory in short: a pointer, what it states, and the atoms that must not be lost.

    What is taken from the content is taken as it stands there; a quotation or an address is either
    in it whole or not at all.
    """
    stated = [
        " ".join(part for part in (edge.subject, edge.qualifier, edge.object) if part)
        for edge in edges(memory)[:1]
        if len(edge.object) <= figures.capsule_object
    ]
    kept = [a for a in atoms(memory.content) if not any(a in text for text in stated)]
    return f"[{memory.id}] " + "; ".join((memory.kind, *stated, *kept[: figures.capsule_atoms]))


def within_budget(
    memories: Iterable[Memory],
    budget: int,
    *,
    cost: Cost = plain_cost,
    figures: Figures = FIGURES,
) -> Portions:
    """Gives each memory the best form that the rest of the budget holds, in their order.

    Args:
        memories: best first.
        budget: in what ``cost`` counts; nothing or less holds pointers only.
        cost: what a memory costs in a form.
        figures: the figures in force.
    """
    left, portions = max(0, budget), []
    for memory in memories:
        portion = _portion(memory, left, cost, figures)
        left -= portion.cost
        portions.append(portion)
    pointers = sum(portion.form == "reference" for portion in portions)
    ledger = Ledger(
        budget=budget,
        used=sum(portion.cost for portion in portions),
        dropped_count=pointers,
        truncated=any(portion.form != "content" for portion in portions),
    )
    nothing = bool(portions) and pointers == len(portions)
    return Portions(tuple(portions), ledger, NOT_EVEN_A_CAPSULE if nothing else None)


def _portion(memory: Memory, left: int, cost: Cost, figures: Figures) -> Portion:
    forms: tuple[tuple[Form, Callable[[], str]], ...] = (
        ("content", lambda: memory.content),
        ("capsule", lambda: capsule(memory, figures)),
    )
    for form, made in forms:
        text = made()
        spent = cost(memory, text)
        if spent <= left:
            return Portion(memory, form, text, spent)
    return Portion(memory, "reference", None, 0)
