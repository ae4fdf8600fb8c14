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
}
