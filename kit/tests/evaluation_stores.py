"""Small stores for the tests of the evaluation, named for what they do."""

from __future__ import annotations

import json
import os

import msgspec

from memconform.model import Done, RecallResult, WriteResult, created, done, hit, recalled
from memconform.protocol import Invalid, Unavailable, policies, system


class Store:
    """Makes its own ids, knows no scope and no state, finds a memory by any word of it."""

    def __init__(self, settings):
        self.settings = settings
        self.drafts = {}
        self.gone = set()
        self.calls = []

    def close(self):
        self.calls.append("close")

    def write(self, record) -> WriteResult:
        id = f"m{len(self.drafts) + 1}"
        self.drafts[id] = record
        return created(id)

    def recall(self, query, access, limit, **options) -> RecallResult:
        self.calls.append(f"recall {limit} {json.dumps(options)}")
        words = set(query.lower().split())
        hits = [
            hit(id, draft.content)
            for id, draft in self.drafts.items()
            if id not in self.gone and words & set(draft.content.lower().split())
        ]
        return recalled(hits[:limit])

    def forget(self, id, access) -> Done:
        self.calls.append(f"forget {id}")
        self.gone.add(id)
        return done()

    def get(self, id, access):
        raise NotImplementedError


class Stateful(Store):
    """Can disable and supersede, and wants to be waited for."""

    def disable(self, id, access) -> Done:
        self.calls.append(f"disable {id} in {access.workspace}")
        self.gone.add(id)
        return done()

    def supersede(self, id, by, access) -> Done:
        self.calls.append(f"supersede {id} by {by}")
        self.gone.add(id)
        return done()

    def barrier(self) -> Done:
        self.calls.append("barrier")
        return done()


class Picky(Store):
    """Refuses users' memories, defers directives, merges what is about tides."""

    def write(self, record) -> WriteResult:
        if record.scope == "user":
            raise Invalid("no users here")
        outcome, cause, other = "created", None, None
        if record.authority == "directive":
            outcome, cause = "deferred", "ask again"
        elif "tide" in record.content and any("tide" in d.content for d in self.drafts.values()):
            outcome, other = (
                "merged",
                next(i for i, d in self.drafts.items() if "tide" in d.content),
            )
        if outcome == "created":
            return super().write(record)
        return WriteResult(id=other, outcome=outcome, other=other, cause=cause, namespace=None)


class Ghostly(Store):
    """Answers with a memory that nobody wrote, and more than it was asked for."""

    def recall(self, query, access, limit, **options) -> RecallResult:
        real = [hit(id, draft.content) for id, draft in self.drafts.items()]
        return recalled([hit("x|</script>`\x1b[31m", "boo"), *real])


class Sulky(Store):
    def recall(self, query, access, limit, **options) -> RecallResult:
        raise Unavailable("not today")


class Full(Store):
    def write(self, record) -> WriteResult:
        raise Unavailable("the disk is full")


class Clinging(Store):
    def close(self):
        raise Unavailable("still busy")


class Haughty(Store):
    def write(self, record) -> WriteResult:
        raise Invalid("beneath me")


class Workshop:
    """Opens stores of one kind and keeps them, to be looked at."""

    def __init__(self, kind, *capabilities, name="tiny"):
        self.opened = []
        self.system = system(
            self._open,
            name=name,
            version="1.0",
            capabilities=list(capabilities),
            policies=policies(),
        )
        self._kind = kind

    def _open(self, settings):
        self.opened.append(self._kind(settings))
        return self.opened[-1]

    @property
    def store(self):
        return self.opened[-1]


def plain():
    return Workshop(Store).system


def ghostly():
    return Workshop(Ghostly, name="\x1b[2J|`# evil").system


def sulky():
    return Workshop(Sulky).system


def full():
    return Workshop(Full).system


def haughty():
    return Workshop(Haughty).system


class Moody(Store):
    """Refuses every question about the tide."""

    def recall(self, query, access, limit, **options) -> RecallResult:
        if "tide" in query:
            raise Unavailable("not <b>today</b>\x1b[2J")
        return super().recall(query, access, limit, **options)


class Garbled(Store):
    """Answers every question about the tide with half a message."""

    def recall(self, query, access, limit, **options) -> RecallResult:
        result = super().recall(query, access, limit, **options)
        return msgspec.structs.replace(result, hits=None) if "tide" in query else result


class Mortal(Store):
    """Takes its process along at every question about the tide."""

    def recall(self, query, access, limit, **options) -> RecallResult:
        if "tide" in query:
            os._exit(3)
        return super().recall(query, access, limit, **options)


class Stubborn(Stateful):
    """Declares that it can supersede, and refuses to."""

    def supersede(self, id, by, access) -> Done:
        raise Unavailable("never")


class Scoring(Store):
    """Gives the first of its hits a score, and the others none."""

    def recall(self, query, access, limit, **options) -> RecallResult:
        hits = super().recall(query, access, limit, **options).hits
        if hits:
            hits[0] = msgspec.structs.replace(hits[0], score=2.5)
        return recalled(hits)


def moody():
    return Workshop(Moody).system


def mortal():
    return Workshop(Mortal).system
