"""Every figure of the authority design that isn't a threshold of the decision, in one place.

The thresholds of the decision are ``DecisionPolicy``: they are configuration. A heading names the
requirement that the figures below it come from.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memconform.model.authority import ClaimScope, Consumed, DecisionPolicy, Origin


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The figures of one version of the design. Lengths are in code points."""

    decision: DecisionPolicy = field(default_factory=DecisionPolicy)

    # claim-authority, "Belief starts by origin and moves by feedback": alpha and beta

    first_belief: tuple[tuple[Origin, float, float], ...] = (
        ("explicit", 6.0, 1.0),
        ("heuristic", 4.0, 2.0),
    )
    # What a report adds to alpha, to beta and to the count of harm.
    reports: tuple[tuple[Consumed, float, float, int], ...] = (
        ("helped", 1.0, 0.0, 0),
        ("harmful", 0.0, 5.0, 1),
        ("stale", 0.0, 2.0, 0),
        ("conflict", 0.0, 4.0, 0),
        ("unknown", 0.0, 0.0, 0),
    )

    # claim-recall, "Claims and questions have the same terms"

    least_word: int = 2
    claim_term_limit: int = 80
    query_term_limit: int = 24

    # claim-recall, "What helped is found by a paraphrase"

    learning_days: int = 14
    learning_runs: int = 20
    learned_term_limit: int = 40

    # claim-recall, "Rank adds five parts"

    half_life_days: float = 180.0
    lexical_weight: float = 0.62
    belief_weight: float = 0.23
    freshness_weight: float = 0.15
    scope_boosts: tuple[tuple[ClaimScope, float], ...] = (
        ("session", 0.08),
        ("workspace", 0.05),
        ("global", 0.0),
    )
    capsule_boost: float = 0.12

    # claim-recall, "Trusted capsules need no shared word"

    capsule_limit: int = 2
    capsule_relevance: float = 0.35

    # claim-recall, "Every candidate gets a decision"

    candidate_limit: int = 16

    # claim-injection, "Three claims and 1,200 characters"

    injected_claim_limit: int = 3
    injected_character_limit: int = 1200

    # claim-audit, "The newest 5,000 runs are kept"

    kept_runs: int = 5000


AUTHORITY = Constants()
