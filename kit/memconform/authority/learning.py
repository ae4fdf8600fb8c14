"""What a claim learns when it helped: the words of the questions that it was injected for.

Source: claim-recall, "What helped is found by a paraphrase".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memconform.authority.constants import AUTHORITY, Constants
from memconform.retrieval.times import milliseconds

_DAY = 24 * 60 * 60 * 1000


@dataclass(frozen=True, kw_only=True)
class Run:
    """A retrieval that injected the claim: when (ISO 8601 UTC), and the terms of its question."""

    at: str
    terms: tuple[str, ...]


def learned_terms(
    own: Iterable[str],
    learned: Sequence[str],
    runs: Iterable[Run],
    now: str,
    constants: Constants = AUTHORITY,
) -> tuple[str, ...]:
    """What the claim has learned from now on: what it had, and what is new, at most 40 in all.

    Args:
        own: the claim's own terms; they need not be learned.
        learned: what it had learned before; it stays, in its order.
        runs: those that injected the claim, the newest first. Only the newest 20 of the last 14
            days count; one of exactly 14 days ago still does.
        now: ISO 8601 UTC.
        constants: the limits.
    """
    at = milliseconds(now) or 0
    own = frozenset(own)
    known = dict.fromkeys(learned)
    young = [
        run for run in runs if at - (milliseconds(run.at) or 0) <= constants.learning_days * _DAY
    ]
    for run in young[: constants.learning_runs]:
        known |= dict.fromkeys(term for term in run.terms if term not in own)
    return tuple(known)[: constants.learned_term_limit]
