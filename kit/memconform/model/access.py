"""Who asks, and for which place."""

from __future__ import annotations

from typing import Literal

from memconform.model.base import Request

Purpose = Literal["injection", "tool"]
RelevanceMode = Literal["foundation-v1", "historical-v1"]
ScopeName = Literal["user", "workspace", "project", "namespace", "session", "global"]


class Access(Request, frozen=True, kw_only=True):
    """The caller's place. Null everywhere is the default place that ``open`` gave.

    A store reads the kinds of place that it declares and may ignore the rest.
    """

    workspace: str | None = None
    project: str | None = None
    namespace: str | None = None
    session: str | None = None
    agent: str | None = None


class Filters(Request, frozen=True, kw_only=True):
    """What a caller narrows a recall to (capability ``filters``). Empty filters nothing."""

    scopes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    authorities: tuple[str, ...] = ()


class Policy(Request, frozen=True, kw_only=True):
    """A store's own settings; they act at the next retrieval, without a rebuild.

    Source: memory-retrieval-foundation, "Record limit" and "Scope".
    """

    enabled: bool = True
    scopes: tuple[ScopeName, ...] = ("user", "workspace", "project")
    max_injected_records: int = 8


class Settings(Request, frozen=True, kw_only=True):
    """What ``open`` and ``reopen`` are given.

    Attributes:
        clock: the time that the store takes for now, ISO 8601 UTC (capability ``clock``).
        policy: see Policy; null leaves the store's defaults.
        namespace: the namespace that calls without one mean (capability ``namespaces``).
        evaluation: opens the store for an evaluation run, the only place where the historical
            relevance gate may be asked for (capability ``mode``).
    """

    clock: str | None = None
    policy: Policy | None = None
    namespace: str | None = None
    evaluation: bool = False
