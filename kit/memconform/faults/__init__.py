"""Seeded faults: each a small named mistake in a store that is otherwise right.

What a conformance suite is worth is what it catches. ``FAULTS`` is what this one must catch: every
fault by its name, each with the sentence that a user would complain with and the scenarios that are
there for it. Each can be measured like any other store, as the target ``fault:NAME``.
"""

from memconform.faults.catalogue import FAULTS, SPECS, UnknownFault, fault, written_in
from memconform.faults.dropped import DROPPED
from memconform.faults.fault import Fault, FaultySystem, Mark

__all__ = [
    "DROPPED",
    "FAULTS",
    "SPECS",
    "Fault",
    "FaultySystem",
    "Mark",
    "UnknownFault",
    "fault",
    "written_in",
]
