"""Authority as pure functions: retrieved is not injected, every candidate gets a decision first.

Reading order: constants, places, script, synonyms, terms, belief, decision, ranking, injection,
learning, secrets, extraction, turn, design. Nothing here reads a file or a clock.
"""

from memconform.authority.belief import after, belief, first_belief, increments
from memconform.authority.constants import AUTHORITY, Constants
from memconform.authority.decision import POLICY, Subject, decide, risk_of
from memconform.authority.design import DESIGN, Design
from memconform.authority.extraction import Message, TurnEnd, extract, learnable
from memconform.authority.injection import Decided, Injection, inject
from memconform.authority.learning import Run, learned_terms
from memconform.authority.ranking import Candidate, Ranked, capsules, freshness, merged, ranked
from memconform.authority.secrets import redacted, secret_label
from memconform.authority.terms import claim_terms, lexical, query_terms
from memconform.authority.turn import Step, question, with_recall

__all__ = [
    "AUTHORITY",
    "DESIGN",
    "POLICY",
    "Candidate",
    "Constants",
    "Decided",
    "Design",
    "Injection",
    "Message",
    "Ranked",
    "Run",
    "Step",
    "Subject",
    "TurnEnd",
    "after",
    "belief",
    "capsules",
    "claim_terms",
    "decide",
    "extract",
    "first_belief",
    "freshness",
    "increments",
    "inject",
    "learnable",
    "learned_terms",
    "lexical",
    "merged",
    "query_terms",
    "question",
    "ranked",
    "redacted",
    "risk_of",
    "secret_label",
    "with_recall",
]
