"""The whole design as replaceable parts: a store is made over one, and a changed part is another.

::

    careful = dataclasses.replace(DESIGN, constants=dataclasses.replace(AUTHORITY, kept_runs=100))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memconform.authority.belief import after
from memconform.authority.constants import AUTHORITY, Constants
from memconform.authority.decision import decide
from memconform.authority.injection import Injection, inject
from memconform.authority.learning import learned_terms
from memconform.authority.ranking import Candidate, Ranked, capsules, merged
from memconform.authority.secrets import redacted, secret_label
from memconform.authority.terms import claim_terms, query_terms
from memconform.model.authority import Belief, Decision


@dataclass(frozen=True, kw_only=True)
class Design:
    """How claims are told apart, found, believed, decided on and shown."""

    constants: Constants = AUTHORITY
    claim_terms: Callable[..., tuple[str, ...]] = claim_terms
    query_terms: Callable[..., tuple[str, ...]] = query_terms
    decide: Callable[..., Decision] = decide
    after: Callable[..., Belief] = after
    capsules: Callable[..., tuple[Candidate, ...]] = capsules
    merged: Callable[..., tuple[Ranked, ...]] = merged
    inject: Callable[..., Injection] = inject
    learned_terms: Callable[..., tuple[str, ...]] = learned_terms
    secret_label: Callable[[Iterable[str]], str | None] = secret_label
    redacted: Callable[[str], str] = redacted


DESIGN = Design()
