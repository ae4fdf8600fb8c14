"""A reference store as a system: what it declares, and an empty store for whoever opens one."""

from __future__ import annotations

from collections.abc import Callable

from memconform import __version__
from memconform.model import Settings
from memconform.protocol import PROTOCOL_VERSION, Capability, Hello, Policies, policies
from memconform.reference.home import Home
from memconform.reference.store import ReferenceStore
from memconform.retrieval import Pipeline

# The place of whoever doesn't name one. A path, since places are compared as paths.
DEFAULT_WORKSPACE = "/memconform/default"

CAPABILITIES: tuple[Capability, ...] = (
    "workspaces",
    "projects",
    "batch",
    "update",
    "disable",
    "supersede",
    "correct",
    "purge",
    "listing",
    "purpose",
    "filters",
    "mode",
    "trace",
    "context",
    "scores",
    "confidence",
    "tags",
    "versions",
    "validity",
    "clock",
    "durable",
    "shared",
    "diagnostics",
    "retrieval-feedback",
)
PROFILES: tuple[str, ...] = ("foundation", "abstention", "feedback")


def declared_policies() -> Policies:
    """What the reference stores choose where the protocol leaves a choice."""
    return policies(
        scope_levels=["user", "workspace", "project"],
        scope_filter="before-limit",
        superseded="hidden",
        duplicates="none",
        overflow="cut",
        budget_unit="codepoint",
        over_budget="never",
        out_of_range="refuse",
        stop_words="kept",
        token_classes=["word", "number", "underscore", "trigram", "cjk-single", "cjk-bigram"],
        consistency="immediate",
        ids="given",
        surfaces=["recall", "list", "context", "get"],
    )


class ReferenceSystem:
    """A kind of reference store, ready to be opened.

    Args:
        name: as reports show it.
        store: the class of its stores.
        pipeline: how they answer a question.
    """

    def __init__(self, name: str, store: type[ReferenceStore], pipeline: Pipeline) -> None:
        self._name = name
        self._store = store
        self._pipeline = pipeline

    def hello(self) -> Hello:
        """Who this is and what it declares: exactly what works."""
        return Hello(
            name=self._name,
            version=__version__,
            language="python",
            homepage=None,
            protocol=PROTOCOL_VERSION,
            capabilities=[*CAPABILITIES, *self._store.MORE],
            profiles=list(PROFILES),
            policies=declared_policies(),
        )

    def with_store(
        self, change: Callable[[type[ReferenceStore]], type[ReferenceStore]]
    ) -> ReferenceSystem:
        """The same system with another class of stores, made of the one that it has."""
        return ReferenceSystem(self._name, change(self._store), self._pipeline)

    def open(self, settings: Settings) -> ReferenceStore:
        """An empty store in a fresh temporary folder, which goes with its last connection."""
        home = Home.temporary()
        return self._store(
            home.root,
            settings,
            pipeline=self._pipeline,
            workspace=DEFAULT_WORKSPACE,
            home=home,
        )
