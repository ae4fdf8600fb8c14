"""Faults of the relevance gate: floors, which floor a query gets, the old gate."""

from __future__ import annotations

from memconform.faults.fault import Fault, abstention, foundation
from memconform.faults.seams import figure, stage
from memconform.model import RelevanceMode
from memconform.retrieval import FOUNDATION, Constants, Gate
from memconform.retrieval.relevance import gate_for

LATIN_FLOOR = abstention("the-floor-of-a-latin-query-is-0-40")
CJK_FLOOR = abstention("the-floor-of-a-query-with-cjk-text-is-one-third")


def _old_gate(query: str, mode: RelevanceMode, constants: Constants) -> Gate:
    return gate_for(query, "historical-v1", constants)


FAULTS = (
    Fault(
        name="latin-floor-a-little-low",
        change="The floor of a Latin query is 0.398 instead of 0.40.",
        suffers="A chance match is put into the prompt now and then.",
        breaks=LATIN_FLOOR,
        killed_by=abstention("fifty-one-of-a-hundred-and-twenty-eight-tokens-are-too-few"),
        base="filesystem",
        seed=figure(floor=FOUNDATION.floor - 0.002),
    ),
    Fault(
        name="latin-floor-a-little-high",
        change="The floor of a Latin query is 0.402 instead of 0.40.",
        suffers="A memory that holds two of five words is no longer found.",
        breaks=LATIN_FLOOR,
        killed_by=abstention("two-of-five-words-are-enough"),
        base="filesystem",
        seed=figure(floor=FOUNDATION.floor + 0.002),
    ),
    Fault(
        name="cjk-floor-a-little-high",
        change="The floor of a query with CJK text is 1/3 + 0.002.",
        suffers="A Chinese question in other words loses a memory that answers it.",
        breaks=CJK_FLOOR,
        killed_by=abstention("two-of-six-pairs-are-enough"),
        base="filesystem",
        seed=figure(cjk_floor=FOUNDATION.cjk_floor + 0.002),
    ),
    Fault(
        name="old-gate-in-production",
        change="Every question is judged by the historical gate: any shared token passes.",
        suffers="Any question fills the prompt with memories that have nothing to do with it.",
        breaks=(
            *abstention("weak-lexical-matches-are-refused"),
            *foundation("the-old-gate-is-for-evaluation-only"),
        ),
        killed_by=(
            *abstention("a-question-for-a-password-finds-no-release-notes"),
            *foundation("an-evaluation-uses-the-current-gate-unless-it-says-otherwise"),
        ),
        base="filesystem",
        seed=stage(gate_for=_old_gate),
    ),
)
