"""Faults of the fusion store: writing, indexes, places, forgetting, and what is taken for one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, ids
from memconform.faults.fusion_seams import hits, part, store, tables
from memconform.fusion import Edge, Memory
from memconform.fusion.channels import Corpus
from memconform.model import (
    Access,
    BatchCounts,
    BatchResult,
    Done,
    Hit,
    RecallResult,
    RecordDraft,
    WriteResult,
)
from memconform.reference.fusion import FusionStore
from memconform.reference.fusion_tables import Row, Tables

EVERY_INDEX = ids("memory-integrity", "every-way-of-writing-reaches-every-index")
NAME = ids("memory-integrity", "a-name-is-a-wall-for-candidates-too")
KEPT = ids("memory-integrity", "what-was-passed-is-what-is-kept")
NO_CACHE = ids("memory-integrity", "a-forgotten-memory-is-in-no-cache")
SUBJECT = ids("memory-integrity", "statements-have-a-subject-and-a-source")
RESTATED = ids("memory-integrity", "restated-is-one-different-is-two")
LOOP = ids("memory-integrity", "the-loop-is-closed")


def _skipping(*operations: str) -> Any:
    """Seeds operations that make no vector."""

    def make(mark: Mark) -> type[FusionStore]:
        class Store(FusionStore):
            """Some of its ways of writing pass the vector index by."""

            def _vector(self, content: str) -> Any:
                if self.__dict__.get("_skips"):
                    mark()
                    return None
                return super()._vector(content)

        def skipping(name: str) -> Any:
            right = getattr(FusionStore, name)

            def operation(self: FusionStore, *args: Any, **more: Any) -> Any:
                self.__dict__["_skips"] = True
                try:
                    return right(self, *args, **more)
                finally:
                    self.__dict__["_skips"] = False

            return operation

        for name in operations:
            setattr(Store, name, skipping(name))
        return Store

    return store(make)


def _reindex_elsewhere(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Makes the vectors anew, and not in the copy that ranking reads."""

        def reindex(self) -> Done:
            mark()
            return Done(done=True, cause=None)

    return Store


def _silently_lost(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Says nothing of a vector that couldn't be written, and forgets that it owes it."""

        def _outcome(self, outcome: str, *args: Any, **more: Any) -> WriteResult:
            if outcome == "deferred":
                mark()
                return super()._outcome("created", *args, **{**more, "cause": None})
            return super()._outcome(outcome, *args, **more)

        def _heal(self) -> None:
            """What was lost is lost."""

    return Store


def _one_window(mark: Mark) -> type[Tables]:
    class All(Tables):
        """Looks for candidates in all places together, and drops foreign ones afterwards."""

        def by_words(self, place: int, corpus: Corpus, window: int) -> list[Row]:
            mark()
            found: list[tuple[int, Row]] = []
            for (number,) in self._db.execute("SELECT id FROM places ORDER BY id").fetchall():
                there = self.corpus(number, list(corpus.having))
                found += [(number, row) for row in super().by_words(number, there, window)]
            found.sort(key=lambda pair: -pair[1].number)  # the newest
            return [row for number, row in found[:window] if number == place]

        def by_ngrams(self, place: int, ngrams: Any, window: int) -> list[Row]:
            return []

    return All


def _always_default(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Says ``default``, whatever namespace it was opened with."""

        def write(self, record: RecordDraft) -> WriteResult:
            mark()
            return msgspec.structs.replace(super().write(record), namespace="default")

        def recall(self, *args: Any, **more: Any) -> RecallResult:
            mark()
            return msgspec.structs.replace(super().recall(*args, **more), namespace="default")

    return Store


def _warm_and_empty(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Remembers from its warm-up that there is nothing."""

        def warmup(self) -> Done:
            self.__dict__["_empty"] = not self.list_records().records
            return super().warmup()

        def recall(self, *args: Any, **more: Any) -> RecallResult:
            answer = super().recall(*args, **more)
            if not self.__dict__.get("_empty"):
                return answer
            mark()
            return msgspec.structs.replace(answer, hits=[])

    return Store


def _assessed(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Sets each confidence to its own opinion."""

        def _write(self, draft: RecordDraft) -> WriteResult:
            mark()
            return super()._write(msgspec.structs.replace(draft, confidence=0.7))

    return Store


def _bare_batch(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Passes on the texts of a batch, and counts what it was given."""

        def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
            mark()
            bare = tuple(RecordDraft(content=r.content, key=r.key) for r in records)
            return super().write_batch(bare)

    return Store


def _uncounted_batch(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Counts the items of a batch, and not what they had."""

        def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
            mark()
            number = len(records)
            counts = BatchCounts(tags=number, confidence=number, importance=number)
            return msgspec.structs.replace(super().write_batch(records), passed_on=counts)

    return Store


def _ids_of_hits(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Gives hits ids of their own, which forgetting takes and does nothing with."""

        def recall(self, *args: Any, **more: Any) -> RecallResult:
            answer = super().recall(*args, **more)
            shown = [msgspec.structs.replace(h, id=f"hit-{n}") for n, h in enumerate(answer.hits)]
            return msgspec.structs.replace(answer, hits=shown)

        def forget(self, id: str, access: Access = Access()) -> Done:
            if not id.startswith("hit-"):
                return super().forget(id, access)
            mark()
            return Done(done=True, cause=None)

    return Store


def _light(hit: Hit) -> Hit:
    return msgspec.structs.replace(hit, superseded_by=None, version=1, state="active")


def _kept_answers(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Keeps each answer until something is written; forgetting doesn't count as that."""

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None, **more: Any
        ) -> RecallResult:
            kept = self.__dict__.setdefault("_answers", {})
            key = (query, str(access), limit, str(more))
            if key in kept:
                mark()
            else:
                kept[key] = super().recall(query, access, limit, **more)
            answer: RecallResult = kept[key]
            return answer

        def _write(self, draft: RecordDraft) -> WriteResult:
            self.__dict__.pop("_answers", None)
            return super()._write(draft)

    return Store


def _own_changes_only(mark: Mark) -> type[FusionStore]:
    class Store(_kept_answers(mark)):  # type: ignore[misc]  # the base is made for this mark
        """The same, but its own forgetting counts."""

        def forget(self, id: str, access: Access = Access()) -> Done:
            self.__dict__.pop("_answers", None)
            done: Done = super().forget(id, access)
            return done

    return Store


def _whole_phrases(mark: Mark) -> type[Tables]:
    class Phrases(Tables):
        """Takes what somebody has for the subject of what it is."""

        def _statements(self, memory: Memory) -> Sequence[Edge]:
            mark()
            return [
                Edge(f"{e.subject}的{e.qualifier}", e.relation, e.object, None, e.memory)
                if e.qualifier
                else e
                for e in super()._statements(memory)
            ]

    return Phrases


def _forgotten_until_restart(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Keeps in its head what was forgotten."""

        def forget(self, id: str, access: Access = Access()) -> Done:
            mark()
            self._own(id, access)
            self.__dict__.setdefault("_gone", set()).add(id)
            return Done(done=True, cause=None)

        def recall(self, *args: Any, **more: Any) -> RecallResult:
            answer = super().recall(*args, **more)
            gone = self.__dict__.get("_gone", set())
            shown = [hit for hit in answer.hits if hit.id not in gone]
            return msgspec.structs.replace(answer, hits=shown)

    return Store


_numbers = count()


def _never_the_same(content: str, tags: Sequence[str]) -> str:
    return str(next(_numbers))


def _similar(content: str, tags: Sequence[str]) -> str:
    """Letters without their order, without numbers and without a no."""
    text = re.sub(r"\bdo(es)? not\b", "", content.lower())
    letters = re.sub(r"[\d\s-]", "", text).replace("likes", "like")
    return "".join(sorted(letters))


FAULTS = (
    Fault(
        name="single-writes-skip-the-vectors",
        change="A memory that is written by itself gets no vector.",
        suffers="Words still find it, so nobody notices that meaning never does.",
        breaks=EVERY_INDEX,
        killed_by=ids("memory-integrity", "a-single-write-is-in-the-vector-index"),
        base="fusion",
        seed=_skipping("write"),
    ),
    Fault(
        name="batches-skip-the-vectors",
        change="The memories of a batch get no vectors.",
        suffers="Everything that was imported is out of reach of meaning.",
        breaks=EVERY_INDEX,
        killed_by=ids("memory-integrity", "a-batch-is-in-the-vector-index"),
        base="fusion",
        seed=_skipping("write_batch"),
    ),
    Fault(
        name="changes-skip-the-vectors",
        change="An update or a correction gets no vector.",
        suffers="A memory is found by meaning until it is put right.",
        breaks=EVERY_INDEX,
        killed_by=ids("memory-integrity", "updates-and-corrections-are-in-the-vector-index"),
        base="fusion",
        seed=_skipping("update", "correct"),
    ),
    Fault(
        name="reindex-fills-another-copy",
        change="Reindexing leaves alone what ranking reads.",
        suffers="The repair reports success, and the memory stays at the end of every answer.",
        breaks=EVERY_INDEX,
        killed_by=ids("memory-integrity", "a-reindexed-memory-has-its-old-place"),
        base="fusion",
        seed=store(_reindex_elsewhere),
    ),
    Fault(
        name="deferred-vectors-are-lost",
        change="While the vector backend is down a write says created, and nothing is made up for.",
        suffers="An hour's memories are out of reach for good, and no figure shows it.",
        breaks=EVERY_INDEX,
        killed_by=ids("memory-integrity", "writes-while-the-vectors-are-down-are-not-lost"),
        base="fusion",
        seed=store(_silently_lost),
    ),
    Fault(
        name="one-window-for-all-namespaces",
        change="Candidates are looked for in all namespaces, and foreign ones dropped afterwards.",
        suffers="A busy neighbour empties the answers of a quiet one.",
        breaks=NAME,
        killed_by=ids("memory-integrity", "a-full-neighbour-changes-no-answer"),
        base="fusion",
        seed=tables(_one_window),
    ),
    Fault(
        name="answers-name-the-default-namespace",
        change="Each answer names the namespace ``default``.",
        suffers="Who looks for where something was written is sent to the wrong place.",
        breaks=NAME,
        killed_by=ids("memory-integrity", "every-answer-names-its-namespace"),
        base="fusion",
        seed=store(_always_default),
    ),
    Fault(
        name="warm-and-empty",
        change="What the warm-up found is kept for the first question.",
        suffers="A store that was warmed up before it was filled answers nothing.",
        breaks=NAME,
        killed_by=ids("memory-integrity", "a-warm-store-answers-the-first-question"),
        base="fusion",
        seed=store(_warm_and_empty),
    ),
    Fault(
        name="confidence-is-assessed-anew",
        change="An assessor's 0.7 stands where a confidence was given.",
        suffers="'Certain' and 'hardly' are stored alike, and no error says so.",
        breaks=KEPT,
        killed_by=ids("memory-integrity", "a-given-confidence-is-kept"),
        base="fusion",
        seed=store(_assessed),
    ),
    Fault(
        name="batches-drop-metadata",
        change="The items of a batch lose tags, confidence and importance.",
        suffers="Everything imported is untagged, and preferences are never found by their tag.",
        breaks=KEPT,
        killed_by=ids("memory-integrity", "each-item-of-a-batch-keeps-its-own"),
        base="fusion",
        seed=store(_bare_batch),
    ),
    Fault(
        name="batches-count-their-items",
        change="A batch says that every item's metadata was passed on.",
        suffers="Who checks the counts takes lost metadata for stored.",
        breaks=KEPT,
        killed_by=ids("memory-integrity", "a-batch-counts-what-it-passed-on"),
        base="fusion",
        seed=store(_uncounted_batch),
    ),
    Fault(
        name="hits-have-ids-of-their-own",
        change="A hit has another id than its memory, and forgetting by it does nothing.",
        suffers="'Forgotten', says the store, and finds it again.",
        breaks=KEPT,
        killed_by=ids("memory-integrity", "a-hit-can-be-forgotten-by-its-id"),
        base="fusion",
        seed=store(_ids_of_hits),
    ),
    Fault(
        name="hits-null-what-is-stored",
        change="A hit leaves out its state, its successor and its version.",
        suffers="A corrected text is quoted as if it held.",
        breaks=KEPT,
        killed_by=ids("memory-integrity", "a-marked-memory-shows-its-successor-and-its-version"),
        base="fusion",
        seed=hits(_light),
    ),
    Fault(
        name="forgetting-leaves-the-answers",
        change="Answers are kept until something is written; forgetting doesn't count as that.",
        suffers="What was forgotten is still answered to whoever asks the same again.",
        breaks=NO_CACHE,
        killed_by=ids("memory-integrity", "the-same-words-find-it-no-more"),
        base="fusion",
        seed=store(_kept_answers),
    ),
    Fault(
        name="another-connection-keeps-its-answers",
        change="Answers are kept until this connection changes something.",
        suffers="What was forgotten in one window is still answered in the other.",
        breaks=NO_CACHE,
        killed_by=ids("memory-integrity", "a-second-connection-finds-it-no-more"),
        base="fusion",
        seed=store(_own_changes_only),
    ),
    Fault(
        name="the-subject-is-the-whole-phrase",
        change="'The user's graphics card' is the subject of what the card is.",
        suffers="Nothing is known of the user, however much was written.",
        breaks=SUBJECT,
        killed_by=ids("memory-integrity", "the-user-has-neighbours"),
        base="fusion",
        seed=tables(_whole_phrases),
    ),
    Fault(
        name="restated-memories-pile-up",
        change="No memory is the same as another.",
        suffers="Five copies of one preference fill every answer.",
        breaks=RESTATED,
        killed_by=ids("memory-integrity", "a-preference-told-five-times"),
        base="fusion",
        seed=part(sameness=_never_the_same),
    ),
    Fault(
        name="similar-memories-are-merged",
        change="Memories of the same letters are one, whatever their numbers and their order.",
        suffers="15 days of leave are taken for 5, and nobody can see it.",
        breaks=RESTATED,
        killed_by=ids("memory-integrity", "different-facts-stay-apart"),
        base="fusion",
        seed=part(sameness=_similar),
    ),
    Fault(
        name="forgotten-until-the-restart",
        change="What is forgotten is kept in mind and not in the database.",
        suffers="After a restart everything that was forgotten is back.",
        breaks=LOOP,
        killed_by=ids("memory-integrity", "from-writing-to-forgetting"),
        base="fusion",
        seed=store(_forgotten_until_restart),
    ),
)
