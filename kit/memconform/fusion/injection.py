"""From a question to what goes into the prompt: one way, five steps, four accounts.

    query -> four channels -> merged by rank -> reranked -> within four quotas

The weighted sum serves recall; ranks serve injection. What one account leaves unused is not given
to another: a prompt that is built alike every time can be relied on, and a long answer never
pushes out what is still open.

Source: context-injection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memconform.fusion.budget import Cost, Portions, plain_cost, within_budget
from memconform.fusion.card import Card, card
from memconform.fusion.channels import Signals
from memconform.fusion.constants import FIGURES, Figures
from memconform.fusion.floor import Floor, reason_to_stay
from memconform.fusion.memory import Kind, Memory
from memconform.fusion.ranks import Placed, Reranker, reciprocal_rank_fusion, rerank
from memconform.fusion.words import content_words

PROFILE: frozenset[Kind] = frozenset(("constraint", "identity", "preference"))
METHODS: frozenset[Kind] = frozenset(("experience", "taboo"))


@dataclass(frozen=True)
class Quotas:
    """What each account may spend, in tokens."""

    profile: int
    task: int
    experience: int
    open_items: int


def quotas(budget: int, figures: Figures = FIGURES) -> Quotas:
    """The shares of a budget, each rounded down, in whole numbers so that none is off by one."""
    budget = max(0, budget)
    return Quotas(
        profile=budget * figures.profile_quota // 100,
        task=budget * figures.task_quota // 100,
        experience=budget * figures.experience_quota // 100,
        open_items=budget * figures.open_quota // 100,
    )


@dataclass(frozen=True)
class Injection:
    """What goes in, by account.

    Attributes:
        rerank_note: why a reranker had no say; None where it had, or where there is none.
    """

    profile: Card
    task: Portions
    experience: Portions
    open_items: Portions
    rerank_note: str | None


def by_marginal_value(placed: Sequence[Placed]) -> tuple[Memory, ...]:
    """Next is always what adds most: its score, less what those before it have said already.

    The share of a memory's content words that are new, times its score. In a tie the order stays.
    """
    left = [(p, frozenset(content_words(p.signals.memory.content))) for p in placed]
    said, order = set[str](), list[Memory]()
    while left:
        values = [_new(words, said) * p.score for p, words in left]
        chosen, words = left.pop(values.index(max(values)))
        said.update(words)
        order.append(chosen.signals.memory)
    return tuple(order)


def _new(words: frozenset[str], said: set[str]) -> float:
    return len(words - said) / len(words) if words else 0.0


def inject(
    query: str,
    candidates: Sequence[Signals],
    budget: int,
    floor: Floor,
    *,
    reranker: Reranker | None = None,
    cost: Cost = plain_cost,
    figures: Figures = FIGURES,
) -> Injection:
    """Fills four accounts.

    profile: constraints, identity and preferences, whatever was asked; whole layers or none.
    task: what the question is about, by marginal value; the floor holds.
    experience: methods and taboos that the question is about, the most applicable first.
    open items: the newest first, whatever was asked.

    Args:
        query: what is asked.
        candidates: all memories in scope that hold, with their signals.
        budget: in what ``cost`` counts.
        floor: of the embedder whose cosines the candidates carry.
        reranker: gives a score for each content; None for none.
        cost: what a memory costs in a form.
        figures: the figures in force.
    """
    holding = [s for s in candidates if s.memory.superseded_by is None]
    relevant = [s for s in holding if reason_to_stay(s, floor, figures) is not None]
    memories = [s.memory for s in holding]
    task = reciprocal_rank_fusion(
        [s for s in relevant if s.memory.kind not in PROFILE | METHODS | {"open-item"}], figures
    )
    judged = rerank(query, task, reranker, figures)
    methods = reciprocal_rank_fusion([s for s in relevant if s.memory.kind in METHODS], figures)
    waiting = sorted(
        (m for m in memories if m.kind == "open-item"), key=lambda m: (-m.written_at, m.id)
    )
    share = quotas(budget, figures)

    def spent(own: Sequence[Memory], quota: int) -> Portions:
        return within_budget(own, quota, cost=cost, figures=figures)

    return Injection(
        profile=card([m for m in memories if m.kind in PROFILE], share.profile, cost),
        task=spent(by_marginal_value(judged.placed), share.task),
        experience=spent([p.signals.memory for p in methods], share.experience),
        open_items=spent(waiting, share.open_items),
        rerank_note=judged.note,
    )
