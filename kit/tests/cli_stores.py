"""Small stores for the tests of the command line, named for their sin."""

from __future__ import annotations

import os
import time
from pathlib import Path

from memconform.model import (
    Done,
    GetResult,
    RecallResult,
    WriteResult,
    created,
    done,
    hit,
    recalled,
)
from memconform.protocol import Internal, NotFound, Unsupported, policies, system


class Store:
    """Finds a memory by any word of it."""

    def __init__(self):
        self.texts = {}
        self.forgotten = set()

    def close(self):
        pass

    def write(self, record) -> WriteResult:
        id = f"m{len(self.texts) + 1}"
        self.texts[id] = record.content
        return created(id)

    def recall(self, query, access, limit) -> RecallResult:
        words = set(query.lower().split())
        hits = [
            hit(id, text)
            for id, text in self.texts.items()
            if id not in self.forgotten and words & set(text.lower().split())
        ]
        return recalled(hits[:limit])

    def forget(self, id, access) -> Done:
        self.forgotten.add(id)
        return done()

    def get(self, id, access) -> GetResult:
        if id not in self.texts:
            raise NotFound(f"nothing has the id {id}")
        gone = id in self.forgotten
        record = hit(id, None if gone else self.texts[id], "forgotten" if gone else "active")
        return GetResult(record=record, namespace=None)


class FindsEverything(Store):
    def recall(self, query, access, limit) -> RecallResult:
        return recalled([hit(id, text) for id, text in self.texts.items()][:limit])


class FindsNothing(Store):
    def recall(self, query, access, limit) -> RecallResult:
        return recalled([])


class NeverForgets(Store):
    def forget(self, id, access) -> Done:
        return done()


class ChangesText(Store):
    def write(self, record) -> WriteResult:
        return super().write(record.__class__(content=record.content.upper().lower()))


class Refuses(Store):
    def write(self, record) -> WriteResult:
        return WriteResult(id=None, outcome="refused", other=None, cause="too dull", namespace=None)


class CannotWrite(Store):
    def write(self, record) -> WriteResult:
        raise Internal("the disk is full")


class HasNoGet(Store):
    def get(self, id, access) -> GetResult:
        raise Unsupported("no get here")


class AnswersNonsense(Store):
    def recall(self, query, access, limit) -> RecallResult:
        return {"hits": "many"}


class Exits(Store):
    def write(self, record) -> WriteResult:
        os._exit(3)


class Sleeps(Store):
    """Says who it is in a file, then never answers."""

    def write(self, record) -> WriteResult:
        mark = Path(os.environ["CLI_STORES_MARK"])
        mark.with_suffix(".part").write_text(str(os.getpid()))
        mark.with_suffix(".part").rename(mark)
        time.sleep(600)


def _system(store, name="tiny"):
    return system(lambda settings: store(), name=name, version="1.0", policies=policies())


def good():
    return _system(Store)


def finds_everything():
    return _system(FindsEverything)


def finds_nothing():
    return _system(FindsNothing)


def never_forgets():
    return _system(NeverForgets)


def changes_text():
    return _system(ChangesText)


def refuses():
    return _system(Refuses)


def cannot_write():
    return _system(CannotWrite)


def has_no_get():
    return _system(HasNoGet)


def answers_nonsense():
    return _system(AnswersNonsense)


def exits():
    return _system(Exits)


def sleeps():
    return _system(Sleeps)


def hostile():
    return _system(FindsEverything, name="\x1b[2J\u202eevil [red]|`\n# x")
