"""Profiles: which specs a verdict is about, and which missing capabilities it can bear.

A scenario whose capability isn't declared is unsupported. Whether that leaves its profile
conformant is said here and nowhere else, with the reason for each capability.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memconform.protocol import CAPABILITIES, Capability


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One thing that can be certified.

    Attributes:
        name: as ``--profile`` and reports call it.
        title: what it promises, in a few words.
        capabilities: names of the specs whose scenarios it consists of.
        why_optional: a capability the profile can do without, and the reason.
        one_of: groups of which one member must be declared; then the others may be missing.
    """

    name: str
    title: str
    capabilities: tuple[str, ...]
    why_optional: Mapping[Capability, str]
    one_of: tuple[tuple[Capability, ...], ...] = ()

    @property
    def optional(self) -> frozenset[Capability]:
        """Capabilities whose absence leaves the verdict conformant."""
        return frozenset(self.why_optional)

    def owed(self, missing: Iterable[str], declared: Collection[str]) -> list[str]:
        """Those of the missing capabilities that this profile can't do without, sorted.

        Args:
            missing: capabilities that a scenario needs and the store doesn't declare.
            declared: all capabilities that the store declares.
        """
        return sorted(
            name
            for name in set(missing)
            if name not in self.why_optional and not self._has_another(name, declared)
        )

    def _has_another(self, name: str, declared: Collection[str]) -> bool:
        return any(
            name in group and any(member in declared for member in group) for group in self.one_of
        )


_PLACES: tuple[Capability, ...] = ("workspaces", "projects", "namespaces")

# Core asks the seven required operations of every store (spec memory-protocol); whatever else it
# asks for is asked only of a store that says it has it. A wall needs two sides: without any second
# place "Scope is a wall" would never be looked at, so one kind of place must be there.
_CORE_OPTIONAL: dict[Capability, str] = {
    name: "core asks for it only where a store declares it"
    for name in sorted(CAPABILITIES)
    if name not in _PLACES
}

# What the foundation design leaves to the store. Its lifecycle, trace, context block, budget,
# clock and durability are the design itself, so those are owed.
_FOUNDATION_OPTIONAL: dict[Capability, str] = {
    "batch": "the design describes one write; how many go into one call is the store's choice",
    "faults": "switching simulated failures is a help to the suite, not a duty of a store",
    "mask": "the design's lifecycle has no masked state",
    "purge": "forgetting marks a record as deleted; erasing it for good is left open",
    "shared": "the design is about one store over one root, not about a second connection",
    "targets": "finding a record by description is a service beside retrieval",
    "update": "a text is changed by a correction that supersedes it; editing in place is left open",
}

# What the authority design leaves to the store. Decisions, the message, the clock that freshness
# and validity go by, and an audit that outlasts a restart are the design itself: those are owed.
_AUTHORITY_OPTIONAL: dict[Capability, str] = {
    "batch": "the design describes one write; how many go into one call is the store's choice",
    "correct": "the design knows superseded claims and leaves open what supersedes them",
    "faults": "switching simulated failures is a help to the suite, not a duty of a store",
    "shared": "the design is about one database; a second connection to it is a convenience",
}

# Events of what was shown are a layer over any design that puts memories into a prompt.
_FEEDBACK_OPTIONAL: dict[Capability, str] = {
    "correct": "a store without corrections has none to be replayed",
    "listing": "listing is one of the ways to look that must leave no event",
    "scores": "a store that shows no score can't let feedback into it",
    "shared": "the design is about one store, not about a second connection",
    "trace": "without traces there are no features to compare",
    "workspaces": "places are the design's underneath",
}

# The fusion design is looked at through what a store declares; what it can't show it isn't asked.
_FUSION_OPTIONAL: dict[Capability, str] = dict.fromkeys(
    sorted(CAPABILITIES - {"tags", "budget", "context", "disclosure"}),
    "the design asks for it only where a store declares it",
)

_ALL = (
    Profile(
        name="core",
        title="what any agent memory must do, whatever its design",
        capabilities=("memory-core",),
        why_optional=_CORE_OPTIONAL,
        one_of=(_PLACES,),
    ),
    Profile(
        name="foundation",
        title="retrieval by scope, lifecycle, ranking, relevance and budget, in this order",
        capabilities=("retrieval-foundation",),
        why_optional=_FOUNDATION_OPTIONAL,
    ),
    Profile(
        name="abstention",
        title="nothing rather than something unrelated",
        capabilities=("lexical-abstention",),
        why_optional=_FOUNDATION_OPTIONAL,
    ),
    Profile(
        name="fusion",
        title="several signals, one order, and a floor on what each says by itself",
        capabilities=("signal-fusion", "relevance-floor"),
        why_optional=_FUSION_OPTIONAL,
    ),
    Profile(
        name="disclosure",
        title="first a catalog, then what was picked out of it",
        capabilities=("progressive-disclosure",),
        why_optional=_FUSION_OPTIONAL,
    ),
    Profile(
        name="budget",
        title="whole, or smaller, or a pointer, and a ledger of it",
        capabilities=("budgeted-recall",),
        why_optional=_FUSION_OPTIONAL,
    ),
    Profile(
        name="injection",
        title="from a question to a prompt, in four accounts",
        capabilities=("context-injection",),
        why_optional=_FUSION_OPTIONAL,
    ),
    Profile(
        name="integrity",
        title="none of twenty-three defects that were found in use",
        capabilities=("memory-integrity",),
        why_optional=_FUSION_OPTIONAL,
    ),
    Profile(
        name="authority",
        title="a decision with reasons before a memory may enter a prompt, and people's say in it",
        capabilities=("claim-authority", "claim-recall", "claim-injection", "claim-audit"),
        why_optional=_AUTHORITY_OPTIONAL,
    ),
    Profile(
        name="feedback",
        title="what was really shown is kept, and changes nothing",
        capabilities=("retrieval-feedback",),
        why_optional=_FEEDBACK_OPTIONAL,
    ),
)

PROFILES: dict[str, Profile] = {profile.name: profile for profile in _ALL}
