"""Stores for the tests of fuzzing: ten reference stores with one fault, and small ones with a sin.

Each name is a factory, reached as ``python:fuzz_stores:NAME``. The sound store under a fault is
``sound``; that of the small ones is ``plain``, which declares next to nothing and keeps to core.
"""

import time
from dataclasses import replace

from memconform.cli.templates.python import store as template
from memconform.model import Access, WriteResult, hit
from memconform.protocol import system
from memconform.protocol.policies import policies
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.system import ReferenceSystem
from memconform.retrieval import FOUNDATION, Layout, Pipeline, Stage
from memconform.retrieval.budget import within_budget
from memconform.retrieval.context import LAYOUT, record_line
from memconform.retrieval.lifecycle import still_active
from memconform.retrieval.stage import sift

RIGHT = Pipeline()


def reference(pipeline=RIGHT, store=FilesystemStore):
    return ReferenceSystem("reference with a fault", store, pipeline)


def sound():
    return reference()


# --- ten faults of the foundation design ---------------------------------------------------------


def floor_a_little_high():
    return reference(Pipeline(constants=replace(FOUNDATION, floor=0.402)))


def chinese_floor_a_little_low():
    return reference(Pipeline(constants=replace(FOUNDATION, cjk_floor=0.33)))


def budget_one_over():
    def budget(ranked, *, characters, **rest):
        return within_budget(ranked, characters=characters + 1, **rest)

    return reference(Pipeline(budget=budget))


def valid_through_its_end():
    def lifecycle(records, now):
        # As if validTo and expiresAt were reached a millisecond later.
        records = tuple(records)
        at_the_end = {r.id for r in records if now in (r.valid_to, r.expires_at)}
        stage = still_active(records, now)
        late = [r for r in records if r.id in at_the_end and r.deleted_at is None]
        dropped = tuple(d for d in stage.dropped if d.id not in at_the_end)
        return Stage((*stage.kept, *late), dropped)

    return reference(Pipeline(lifecycle=lifecycle))


def paths_as_they_are():
    def scope(records, access, policy):
        def reason(record):
            if record.scope not in policy.scopes:
                return "out-of-scope"
            if record.scope == "user":
                return None if record.agent_visible else "out-of-scope"
            theirs = record.workspace if record.scope == "workspace" else record.project
            ours = access.workspace if record.scope == "workspace" else access.project
            if record.scope == "project":
                theirs, ours = theirs or record.workspace, ours or access.workspace
            return None if access.workspace and theirs == ours else "out-of-scope"

        return sift(records, reason)

    return reference(Pipeline(scope=scope))


class WarmStore(FilesystemStore):
    """Remembers its answers until something is written; forgetting isn't writing."""

    def _begin(self):
        self.answers = {}

    def recall(self, query, access=Access(), limit=None, **options):
        key = (query, str(access), limit, str(options))
        if key not in self.answers:
            self.answers[key] = super().recall(query, access, limit, **options)
        return self.answers[key]

    def _stored(self, record, stamp):
        if record.deleted_at is None:
            self.answers.clear()


def answers_kept_too_long():
    return reference(store=WarmStore)


def angle_brackets_stay():
    def line(entry, constants):
        return record_line(entry, constants).replace("\\u003c", "<").replace("\\u003e", ">")

    return reference(Pipeline(layout=Layout(line=line, frame=LAYOUT.frame)))


def oldest_comes_first():
    def key(ranked):
        return (-ranked.score, ranked.record.updated_at, ranked.record.id)

    return reference(Pipeline(order_key=key))


class ListingStore(FilesystemStore):
    """Lists what was forgotten."""

    def _begin(self):
        self.forgotten = []

    def forget(self, id, access=Access()):
        self.forgotten.append(self._own(id, access))
        return super().forget(id, access)

    def _listed(self, access):
        scope = self._pipeline.scope(self.forgotten, access, self._policy)
        return [*super()._listed(access), *scope.kept]


def forgotten_is_listed():
    return reference(store=ListingStore)


def half_life_a_day_short():
    return reference(Pipeline(constants=replace(FOUNDATION, half_life_days=179.0)))


# --- small stores, each with a sin ---------------------------------------------------------------


def small(store, **declared):
    choices = {
        "scope_levels": ["workspace"],
        "stop_words": "filtered",
        "token_classes": ["word", "number", "cjk-bigram"],
        **declared.pop("policies", {}),
    }
    return system(
        store,
        name="small",
        version="1",
        capabilities=["workspaces", *declared.pop("capabilities", [])],
        policies=policies(**choices),
    )


def plain():
    return small(template.Store)


def sin(**methods):
    return type("Sinner", (template.Store,), methods)


def recalls_from_everywhere():
    def recall(self, query, access, limit=None):
        places = {memory.place for memory in self.memories.values()}
        answers = [template.Store.recall(self, query, Access(workspace=p), None) for p in places]
        hits = [hit for answer in answers for hit in answer.hits]
        return template.recalled(hits if limit is None else hits[: max(0, limit)])

    return small(sin(recall=recall))


def gets_forgotten_text():
    def forget(self, id, access):
        self._find(id, access).words = set()
        return template.done()

    return small(sin(forget=forget))


def merged(id, outcome="merged", other=None):
    return WriteResult(id=id, outcome=outcome, other=other or id, cause=None, namespace=None)


def without_digits(text):
    return "".join(c for c in text or "" if not c.isdigit())


def merges_what_looks_alike():
    def write(self, record):
        for id, memory in self.memories.items():
            alike = without_digits(memory.content) == without_digits(record.content)
            if memory.content and alike and memory.place == template.place_of(record.workspace):
                memory.content = record.content
                return merged(id)
        return template.Store.write(self, record)

    return small(sin(write=write))


def one_hit_too_many():
    def recall(self, query, access, limit=None):
        more = None if limit is None else limit + 1
        return template.Store.recall(self, query, access, more)

    return small(sin(recall=recall))


def quotes_are_syntax():
    def recall(self, query, access, limit=None):
        if query.count('"') % 2:
            raise ValueError("unterminated string")
        return template.Store.recall(self, query, access, limit)

    return small(sin(recall=recall))


def asking_changes_the_order():
    def recall(self, query, access, limit=None):
        answer = template.Store.recall(self, query, access, limit)
        self.asked = getattr(self, "asked", 0) + 1
        return template.recalled(answer.hits[:: -1 if self.asked % 2 else 1])

    return small(sin(recall=recall))


def trims():
    def write(self, record):
        answer = template.Store.write(self, record)
        self.memories[answer.id].content = record.content.strip()
        return answer

    return small(sin(write=write))


def first_memory_only():
    """Reads its index once: what is written after the first question is never found."""

    def recall(self, query, access, limit=None):
        self.index = getattr(self, "index", None) or set(self.memories)
        answer = template.Store.recall(self, query, access, None)
        hits = [hit for hit in answer.hits if hit.id in self.index]
        return template.recalled(hits if limit is None else hits[: max(0, limit)])

    return small(sin(recall=recall))


def dies_of_a_digit():
    def recall(self, query, access, limit=None):
        if any(c.isdigit() for c in query):
            raise SystemExit(3)
        return template.Store.recall(self, query, access, limit)

    return small(sin(recall=recall))


def hangs_on_a_digit():
    def recall(self, query, access, limit=None):
        if any(c.isdigit() for c in query):
            time.sleep(60)
        return template.Store.recall(self, query, access, limit)

    return small(sin(recall=recall))


# --- what isn't a sin where it is declared -------------------------------------------------------


def merges_equal_texts():
    """One text is one memory, as it declares."""

    def write(self, record):
        place = template.place_of(record.workspace)
        for id, memory in self.memories.items():
            if memory.content == record.content and memory.place == place:
                return merged(id)
        return template.Store.write(self, record)

    return small(sin(write=write), policies={"duplicates": "exact"})


class Marking(template.Store):
    """Shows a corrected text below its correction, marked."""

    def correct(self, id, content, access, key=None):
        old = self._find(id, access)
        if old.content is None:
            raise template.NotFound("forgotten")
        new = self.write(template.RecordDraft(content=content, workspace=access.workspace))
        self.successors = {**getattr(self, "successors", {}), id: new.id}
        return merged(new.id, "superseded", id)

    def recall(self, query, access, limit=None):
        hits = super().recall(query, access).hits
        successors = getattr(self, "successors", {})
        fresh = [found for found in hits if found.id not in successors]
        old = [
            hit(found.id, found.content, "superseded", superseded_by=successors[found.id])
            for found in hits
            if found.id in successors
        ]
        found = [*fresh, *old]
        return template.recalled(found if limit is None else found[: max(limit, 0)])


def marks_the_corrected():
    return small(Marking, capabilities=["correct"], policies={"superseded": "marked"})
