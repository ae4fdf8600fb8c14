"""mnemosyne-os as it is: each operation of the protocol is a call of its public Python API.

Nothing is cached, filtered, mended or made up here: what the system answers is translated field by
field. What it doesn't offer isn't declared; a place that one of its calls takes no argument for is
refused as unsupported where leaving it out would change what is written. README.md says how places
are mapped, and where the system's documentation claims each capability.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Literal

from mnemosyne import MemoryBrain
from mnemosyne.capsule import parse_ref

import memconform
from memconform.model import (
    Access,
    BatchCounts,
    BatchResult,
    CatalogEntry,
    CatalogResult,
    ContextResult,
    DiagnosticsResult,
    Done,
    ExpandResult,
    GetResult,
    GraphEdge,
    GraphResult,
    Hit,
    Ledger,
    RecallResult,
    RecordDraft,
    Settings,
    Target,
    TargetsResult,
    Times,
    WriteResult,
    created,
    done,
    hit,
)
from memconform.model.results import State
from memconform.protocol import Capability, NotFound, System, Unsupported, policies, system

Configuration = Literal["projects", "namespaces"]

# Beside each, where its documentation claims it. "README" is the one that the package carries,
# "tool NAME" the description of an MCP tool, which runs the same engine.
CAPABILITIES: list[Capability] = [
    "batch",  # README, native tools: retain_batch writes in bulk; docstring of retain_batch
    "correct",  # docstring of correct; tool retain, supersedes
    "mask",  # README, runtime layer: memory_mask puts a placeholder in place of the body
    "purge",  # docstring of forget and tool forget: evict=true deletes physically
    "targets",  # README, native tools: forget finds its target by a description; dry_run in tool
    "budget",  # README, Python API: recall with budget_tokens; tool recall
    "context",  # README, runtime layer: memory_inject gives text that is ready to inject
    "disclosure",  # README, native tools: recall_catalog, and expand_memory which pairs with it
    "graph",  # README: graph memory, always on; native tools: graph_query
    "scores",  # docstring of recall: each hit comes with a score
    "confidence",  # tool retain: 0 to 1, given by the caller; tool recall shows it
    "tags",  # tool retain: an array of tags; tool recall shows them
    "versions",  # README, capability matrix: version chains; tool recall: version, superseded_by
    "durable",  # README, title: SQLite on your own disk
    "shared",  # module docstring of storage.sqlite_backend: concurrent readers and writers
    "diagnostics",  # README, native tools: doctor tells integrity, counts and backend state
]

# What it means by the state of a record. Any other state would be an error of this adapter.
STATES: dict[str, State] = {
    "active": "active",
    "deleted": "forgotten",
    "superseded": "superseded",
}


class Directory:
    """A temporary directory that goes when the last connection to it has closed."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="mnemosyne-os-")
        self._connections = 0

    def connect(self) -> None:
        """One connection more."""
        self._connections += 1

    def disconnect(self) -> None:
        """One connection less; without any, the directory is removed."""
        self._connections -= 1
        if self._connections == 0:
            shutil.rmtree(self.path, ignore_errors=True)


class Store:
    """A connection to one directory of memories."""

    def __init__(
        self, directory: Directory, configuration: Configuration, namespace: str | None
    ) -> None:
        self._directory = directory
        self._configuration = configuration
        self._projects = configuration == "projects"
        self._default_namespace = None if self._projects else namespace
        self._brains: dict[str | None, MemoryBrain] = {}
        directory.connect()
        try:
            self.namespace = self._brain(Access()).namespace
        except BaseException:
            directory.disconnect()
            raise

    # --- places ------------------------------------------------------------------------------

    def _brain(self, place: Access | RecordDraft) -> MemoryBrain:
        """The system's own object for a namespace; its MCP server keeps one for each likewise."""
        namespace = self._default_namespace
        if not self._projects and place.namespace is not None:
            namespace = place.namespace
        if namespace not in self._brains:
            brain = MemoryBrain(self._directory.path, namespace=namespace)
            brain.ensure_init()
            self._brains[namespace] = brain
        return self._brains[namespace]

    def _project(self, place: Access | RecordDraft) -> dict[str, str]:
        """The argument that names the place; without a place none, as a user leaves it out."""
        if self._projects and place.project is not None:
            return {"project": place.project}
        return {}

    # --- writing -----------------------------------------------------------------------------

    def write(self, record: RecordDraft) -> WriteResult:
        """``retain_detailed``: ``retain``, answering with the whole record."""
        brain = self._brain(record)
        arguments = metadata(record) | self._project(record)
        if record.type is not None:
            arguments["mtype"] = record.type
        if record.supersedes is not None:
            arguments["supersedes"] = record.supersedes
        kept = brain.retain_detailed(record.content, **arguments)
        return outcome(brain, kept, record.supersedes)

    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        """``retain_batch``, once for each namespace; it takes no project and no supersedes."""
        for record in records:
            if self._project(record):
                raise Unsupported("retain_batch takes no project: write these one by one")
            if record.supersedes is not None:
                raise Unsupported("retain_batch supersedes nothing: write these one by one")
        kept: dict[int, Mapping[str, Any]] = {}
        outcomes: dict[int, WriteResult] = {}
        for namespace in dict.fromkeys(record.namespace for record in records):
            brain = self._brain(Access(namespace=namespace))
            numbers = [n for n, record in enumerate(records) if record.namespace == namespace]
            answers = brain.retain_batch([batch_item(records[n]) for n in numbers])
            for n, answer in zip(numbers, answers, strict=True):
                kept[n] = answer
                outcomes[n] = created(answer["id"], brain.namespace)
        given = [(metadata(record), kept[n]) for n, record in enumerate(records)]
        passed_on = {
            name: sum(name in asked and asked[name] == answer[name] for asked, answer in given)
            for name in ("tags", "confidence", "importance")
        }
        return BatchResult(
            outcomes=[outcomes[n] for n in range(len(records))], passed_on=BatchCounts(**passed_on)
        )

    def correct(self, id: str, content: str, access: Access, key: str | None) -> WriteResult:
        """``correct``, which hands a project on to ``retain``; None means an unknown id."""
        brain = self._brain(access)
        new = brain.correct(id, content, **self._project(access))
        if new is None:
            raise NotFound(f"correct: no memory has the id {id!r}")
        return WriteResult(
            id=new, outcome="superseded", other=id, cause=None, namespace=brain.namespace
        )

    # --- reading -----------------------------------------------------------------------------

    def recall(
        self, query: str, access: Access, limit: int | None, budget: int | None = None
    ) -> RecallResult:
        """``recall``; with a budget its answer is a pair, and names memories that didn't fit."""
        brain = self._brain(access)
        arguments: dict[str, Any] = dict(self._project(access))
        if limit is not None:
            arguments["k"] = limit
        if budget is None:
            found, ledger, references = brain.recall(query, **arguments), None, []
        else:
            found, cost = brain.recall(query, budget_tokens=budget, **arguments)
            references = [reference(entry) for entry in cost.get("precision_index", [])]
            ledger = Ledger(
                budget=cost["budget_limit"],
                used=cost["budget_used"],
                dropped_count=cost["dropped_count"],
                truncated=cost["truncated"],
            )
        hits = [seen(record, score, reasons) for score, record, reasons in found]
        return RecallResult(
            hits=hits + references, namespace=brain.namespace, ledger=ledger, trace=None
        )

    def get(self, id: str, access: Access) -> GetResult:
        """``expand_memory``, what an agent gets for an id; the record adds what that leaves out."""
        brain = self._brain(access)
        shown = brain.expand_memory(id, include_neighbors=False)
        if shown is None:
            raise NotFound(f"expand_memory: no memory has the id {id!r}")
        record = {**brain.store.find_by_id(id), **shown}
        return GetResult(record=seen(record), namespace=brain.namespace)

    def catalog(self, query: str, access: Access, k: int | None) -> CatalogResult:
        """``recall_catalog``; its second line of an entry is called a hint there."""
        brain = self._brain(access)
        arguments: dict[str, Any] = dict(self._project(access))
        if k is not None:
            arguments["k"] = k
        answer = brain.recall_catalog(query, **arguments)
        return CatalogResult(
            entries=[
                CatalogEntry(
                    id=item["id"],
                    title=item["title"],
                    summary=item["hint"],
                    expand_cost=item["tokens_if_expanded"],
                )
                for item in answer["items"]
            ],
            cost=answer["catalog_tokens"],
            namespace=brain.namespace,
        )

    def expand(self, id: str, access: Access) -> ExpandResult:
        """``expand_memory``: neighbours as it names them, the evidence out of its envelope.

        It shows the neighbours of each entity by name alone. The edges between the two are those of
        ``graph_query``, which says what relation it is.
        """
        brain = self._brain(access)
        shown = brain.expand_memory(id)
        if shown is None:
            raise NotFound(f"expand_memory: no memory has the id {id!r}")
        near = {
            (entity, other)
            for entity, levels in shown.get("neighbors", {}).items()
            for other in levels["depth_1"]
        }
        edges = {
            (edge.subject, edge.relation, edge.object, edge.record): edge
            for entity in dict(sorted(near))
            for edge in map(stated, brain.graph_query(entity)["edges"])
            if (edge.subject, edge.object) in near or (edge.object, edge.subject) in near
        }
        envelope = shown["envelope"]
        return ExpandResult(
            record=seen({**brain.store.find_by_id(id), **shown}),
            neighbours=list(edges.values()),
            evidence=[str(e) for e in [*envelope["evidence"], *envelope["derived_from"]]],
            namespace=brain.namespace,
        )

    def graph(self, entity: str, access: Access) -> GraphResult:
        """``graph_query`` at its usual depth of two; it takes no project.

        Among its nodes is the entity that was asked for, which is no neighbour of itself.
        """
        if self._project(access):
            raise Unsupported("graph_query takes no project: leave it out")
        answer = self._brain(access).graph_query(entity)
        return GraphResult(
            nodes=[node for node in answer["nodes"] if node != entity],
            edges=[stated(edge) for edge in answer["edges"]],
        )

    def find_targets(self, description: str, access: Access) -> TargetsResult:
        """``forget_targets`` as a dry run; it takes no project."""
        if self._project(access):
            raise Unsupported("forget_targets takes no project: leave it out")
        report = self._brain(access).forget_targets(query=description, dry_run=True)
        return TargetsResult(
            candidates=[
                Target(
                    id=target["memory_id"],
                    score=target["score"],
                    band=target["confidence_band"],
                    similarity=target["semantic_similarity"],
                )
                for target in report["targets"]
            ]
        )

    def context(self, query: str, access: Access, budget: int | None) -> ContextResult:
        """``inject_context``; it names the memories of its sections, not those of the profile."""
        brain = self._brain(access)
        arguments: dict[str, Any] = dict(self._project(access))
        if budget is not None:
            arguments["budget_tokens"] = budget
        answer = brain.inject_context(query, **arguments)
        whole: list[str] = []
        cut: list[str] = []
        for section in ("task_related", "experience", "pending"):
            for item in answer[section]["items"]:
                stored = brain.store.find_by_id(item["id"])["content"].strip()
                (whole if item["excerpt"] == stored else cut).append(item["id"])
        return ContextResult(text=answer["text"], ids=whole, cut=cut, namespace=brain.namespace)

    def diagnostics(self) -> DiagnosticsResult:
        """``doctor``; it keeps no note of what was injected last."""
        report = self._brain(Access()).doctor()
        operations = report["vector_ops"]
        return DiagnosticsResult(
            records=report["active_records"],
            malformed=report["corrupt_records"],
            index=None,
            last_injected_ids=[],
            last_trace=None,
            failures={name: n for name, n in operations.items() if name.endswith("_fail")},
        )

    # --- taking away -------------------------------------------------------------------------
    # Its ids are addressed without a project: it has no such argument to hand a place on to.

    def forget(self, id: str, access: Access) -> Done:
        """``forget``, soft as it is by default."""
        return forgotten(id, self._brain(access).forget(id))

    def purge(self, id: str, access: Access) -> Done:
        """``forget`` with ``evict``."""
        return forgotten(id, self._brain(access).forget(id, evict=True))

    def mask(self, id: str, access: Access) -> Done:
        """``mask_memory``, keeping no original, as it does by default."""
        report = self._brain(access).mask_memory(id)
        if report.get("error") == "not_found":
            raise NotFound(f"mask_memory: no memory has the id {id!r}")
        return Done(done=report["ok"], cause=report.get("error"))

    # --- connections -------------------------------------------------------------------------

    def second(self) -> Store:
        """Objects of their own over the same directory, as another process would have them."""
        return Store(self._directory, self._configuration, self._default_namespace)

    def reopen(self, settings: Settings | None) -> Store:
        """New objects over the same directory, the old ones closed."""
        namespace = self._default_namespace if settings is None else settings.namespace
        self._close_brains()
        store = Store(self._directory, self._configuration, namespace)
        self._directory.disconnect()
        return store

    def close(self) -> None:
        """Close what is open; the last connection takes the directory with it."""
        try:
            self._close_brains()
        finally:
            self._directory.disconnect()

    def _close_brains(self) -> None:
        for brain in self._brains.values():
            brain.close()
        self._brains.clear()


# --- in -------------------------------------------------------------------------------------------


def metadata(record: RecordDraft) -> dict[str, Any]:
    """What goes with a content into ``retain`` and ``retain_batch`` alike.

    Importance is 1 to 5 there and 0 to 1 here: the ends meet the ends.
    """
    arguments: dict[str, Any] = {}
    if record.tags:
        arguments["tags"] = list(record.tags)
    if record.confidence is not None:
        arguments["confidence"] = record.confidence
    if record.importance is not None:
        arguments["importance"] = round(1 + 4 * record.importance)
    return arguments


def batch_item(record: RecordDraft) -> tuple[str, str, dict[str, Any]]:
    """An item of ``retain_batch``; a memory without a type is what it is for ``retain``."""
    return record.content, record.type or "semantic", metadata(record)


# --- out ------------------------------------------------------------------------------------------


def outcome(
    brain: MemoryBrain, kept: Mapping[str, Any], asked_to_supersede: str | None
) -> WriteResult:
    """What the returned record says became of a write.

    A near duplicate is merged into the older record, whose id comes back. The same text again is a
    new version that names the old one. A record that the caller wanted superseded names the new one
    itself.
    """
    id = kept["id"]
    if "merge_dedup" in kept["meta"]:
        return WriteResult(id=id, outcome="merged", other=id, cause=None, namespace=brain.namespace)
    old = kept.get("supersedes")
    if old is None and asked_to_supersede is not None:
        record = brain.store.find_by_id(asked_to_supersede)
        if record is not None and record.get("superseded_by") == id:
            old = asked_to_supersede
    if old is not None:
        return WriteResult(
            id=id, outcome="superseded", other=old, cause=None, namespace=brain.namespace
        )
    return created(id, brain.namespace)


def forgotten(id: str, answer: bool) -> Done:
    """``forget`` answers False where nothing has the id."""
    if not answer:
        raise NotFound(f"forget: no memory has the id {id!r}")
    return done()


def state(record: Mapping[str, Any]) -> State:
    """The state, out of its three places: the status, the verification, the mark of a mask."""
    status = STATES[record.get("status") or "active"]
    if status == "active" and record.get("verification") in ("superseded", "outdated"):
        return "superseded"
    if status == "active" and record.get("meta", {}).get("masked"):
        return "masked"
    return status


def seen(
    record: Mapping[str, Any], score: float | None = None, reasons: list[str] | None = None
) -> Hit:
    """A record as the system shows it; an absent list is an empty one, as its MCP server has it."""
    capsule = record.get("_capsule")
    return hit(
        record["id"],
        record["content"],
        state(record),
        # a lossless capsule is the text itself, whole
        form="content" if capsule is None or capsule["lossless"] else "capsule",
        superseded_by=record.get("superseded_by"),
        type=record.get("type"),
        tags=record.get("tags") or [],
        confidence=record.get("confidence"),
        version=record.get("version"),
        flags=record.get("flags") or [],
        score=score,
        times=Times(
            created_at=utc(record.get("created_at")),
            updated_at=utc(record.get("updated_at")),
            observed_at=None,
            valid_from=None,
            valid_to=None,
            expires_at=None,
        ),
        extra={
            "project": record.get("project"),
            "importance": record.get("importance"),
            "verification": record.get("verification"),
            "confidence_band": record.get("_relevance_band"),
            "reasons": reasons,
            "capsule": capsule,
        },
    )


def reference(entry: Mapping[str, Any]) -> Hit:
    """An entry of the index of what a budget left out: a pointer to the memory, and a preview."""
    pointer = parse_ref(entry["ref"])
    return hit(pointer["id"], None, form="reference", extra={"index": dict(entry)})


def stated(edge: Mapping[str, Any]) -> GraphEdge:
    """An edge; one that has lost its memory names none, which the protocol writes as empty."""
    return GraphEdge(
        record=edge.get("memory_id") or "",
        subject=edge["from"],
        relation=edge["relation"],
        object=edge["to"],
        qualifier=edge.get("qualifier") or None,
    )


def utc(time: str | None) -> str | None:
    """Its times carry an offset; the protocol's are UTC."""
    if time is None:
        return None
    return datetime.fromisoformat(time).astimezone(UTC).isoformat().replace("+00:00", "Z")


# --- the system -----------------------------------------------------------------------------------


def mnemosyne_os(configuration: Configuration) -> System:
    """The system with its places mapped to projects or to namespaces."""
    return system(
        lambda settings: Store(Directory(), configuration, settings.namespace),
        name="mnemosyne-os",
        version=version("mnemosyne-os"),
        homepage="https://github.com/MnemosyneOS/mnemosyne",
        capabilities=[*CAPABILITIES, configuration],
        policies=policies(
            scope_levels=["project" if configuration == "projects" else "namespace"],
            # docstring of recall: only memories of the project are searched; README: one file for
            # each scope
            scope_filter="before-limit",
            superseded="marked",  # tool recall: verification tells what must not be cited any more
            duplicates="supersede",  # docstring of retain: the same text is the next version
            overflow="capsule",  # tool recall and README, lossless compression
            budget_unit="tokens",
            over_budget="never",  # tool recall: never beyond the budget
            out_of_range="clamp",  # said nowhere; it is what retain does with a confidence
            stop_words="kept",  # said nowhere to be otherwise
            # README, "Chinese-optimised": bigrams, and Latin script in full;
            # storage.sqlite_backend: of two characters both and the pair
            token_classes=["word", "number", "cjk-single", "cjk-bigram"],
            ids="own",  # retain returns the id
            surfaces=["recall", "context", "catalog", "expand", "graph", "get"],
        ),
        # README: five signals fused, with relevance floors and a lexical fallback; recall_catalog
        # and expand_memory; budget_tokens; memory_inject. Its changelog names the defects mended.
        profiles=["fusion", "disclosure", "budget", "injection", "integrity"],
    )


def main() -> None:
    """Serve one configuration on standard input and output."""
    parser = argparse.ArgumentParser(description="mnemosyne-os over the memconform protocol")
    parser.add_argument("--configuration", choices=("projects", "namespaces"), required=True)
    memconform.serve(mnemosyne_os(parser.parse_args().configuration))


if __name__ == "__main__":
    main()
