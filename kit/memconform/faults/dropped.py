"""Changes that were considered as faults and dropped, each with the reason.

Most are equivalent: no call of the protocol can tell the changed store from the right one. Such a
change is no fault, so it must not stand in the catalogue and be excused there.
"""

from __future__ import annotations

DROPPED: dict[str, str] = {
    "paths without case": (
        "letter case of a path ignored. The design itself ignores it on Windows, so that a "
        "scenario would hold on one computer and not on another."
    ),
    "updates compared as texts": (
        "order of updates by their texts instead of their instants. Every time is stored in one "
        "spelling, UTC with three decimals, in which the order of texts is that of instants."
    ),
    "CJK floor lower by 0.002": (
        "1/3 - 0.002. A coverage is n/m with m at most 128 tokens; the greatest such share under "
        "1/3 is 42/127 = 0.3307, which is refused by this floor, too. The fault seeded instead is "
        "lower by 0.003."
    ),
    "gate replaced on the index path": (
        "another `Pipeline.gate` under the hybrid store. A store whose gate is replaced answers "
        "out of the files, so that the index has no part in it; those faults are seeded into the "
        "filesystem store."
    ),
    "score added up in another order": (
        "differs from the right sum in its last binary digit at most. Figures are compared to nine "
        "decimals, and an order that hangs on such a digit is left open by the design: ties are of "
        "records with identical features."
    ),
    "ranks of claims without rounding": (
        "the rank of a claim left as it adds up. Figures are compared to nine decimals, and two "
        "ranks that are equal on paper are of claims whose parts are equal, so that they add up to "
        "the same in binary, too."
    ),
    "guesses as capsules": (
        "a capsule that need not be said by anybody. Capsules are global, and a guess that is "
        "global is refused when it is written: there is none that could come."
    ),
    "tombstones in the full-text index": (
        "a forgotten claim left among the indexed terms. What is found there is looked up in the "
        "table of claims, which says that it is forgotten; the same holds for corrected claims."
    ),
    "small and capital letters in the index": (
        "ASCII letters of terms kept as they are on both sides. The index folds them itself, so "
        "that a claim is found all the same; the faults seeded instead show on other letters."
    ),
    "learning from whoever speaks": (
        "claims extracted from an assistant, a tool or a replay, and a recall in a later step of a "
        "turn. No operation of the protocol shows a turn; the kit's own tests hold these rules, "
        "and claim-injection says so."
    ),
}
