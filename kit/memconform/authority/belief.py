"""How far a claim is believed: two weights, moved by what people report and by nothing else.

Source: claim-authority, "Belief starts by origin and moves by feedback".
"""

from __future__ import annotations

from memconform.authority.constants import AUTHORITY, Constants
from memconform.model.authority import Belief, Consumed, Origin

_DECIMALS = 9


def compared(score: float) -> float:
    """A score as it is compared: rounded to nine decimals, since .12 + .3 isn't .42 in binary."""
    return round(score, _DECIMALS)


def belief(alpha: float, beta: float, harmful_count: int = 0) -> Belief:
    """A belief of these weights; alpha + beta must be above 0."""
    return Belief(alpha=alpha, beta=beta, harmful_count=harmful_count, score=alpha / (alpha + beta))


def first_belief(origin: Origin, constants: Constants = AUTHORITY) -> Belief:
    """What a new claim starts with: 6, 1 when somebody said it, 4, 2 when it was guessed."""
    weights = {name: (alpha, beta) for name, alpha, beta in constants.first_belief}
    return belief(*weights[origin])


def increments(outcome: Consumed, constants: Constants = AUTHORITY) -> tuple[float, float, int]:
    """What a report adds to alpha, to beta and to the count of harm."""
    return {name: (alpha, beta, harm) for name, alpha, beta, harm in constants.reports}[outcome]


def after(current: Belief, outcome: Consumed, constants: Constants = AUTHORITY) -> Belief:
    """The belief once a person has reported this outcome; ``unknown`` leaves it as it is."""
    alpha, beta, harm = increments(outcome, constants)
    return belief(current.alpha + alpha, current.beta + beta, current.harmful_count + harm)
