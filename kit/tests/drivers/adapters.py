"""Adapters for the looks at an implementation's word, named for what they do.

``python adapters.py NAME`` serves one on standard input and output; ``drivers.adapters:NAME`` is
the same in process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import memconform
from memconform.model import GetResult, created, done, hit, recalled
from memconform.protocol import NotFound, Unavailable, system


class Notes:
    """An honest little store: words in common, in a dictionary of its own."""

    def __init__(self, settings):
        self.texts = {}
        self.gone = set()

    def close(self):
        pass

    def write(self, record):
        id = f"note-{len(self.texts) + 1}"
        self.texts[id] = record.content
        return created(id)

    def recall(self, query, access, limit=None):
        asked = set(query.lower().split())
        found = [
            hit(id, text)
            for id, text in self.texts.items()
            if id not in self.gone and asked & set(text.lower().split())
        ]
        return recalled(found[:limit])

    def forget(self, id, access):
        self.gone.add(id)
        return done()

    def get(self, id, access):
        if id not in self.texts:
            raise NotFound(f"no note {id}")
        return GetResult(record=hit(id, self.texts[id]), namespace=None)


class OnDisk(Notes):
    """Keeps every note in a file, and reads the files when it is restarted."""

    def __init__(self, settings, folder=None):
        super().__init__(settings)
        self.folder = folder or Path(tempfile.mkdtemp(prefix="notes-"))
        for path in sorted(self.folder.glob("note-*")):
            self.texts[path.name] = path.read_text(encoding="utf-8")

    def write(self, record):
        written = super().write(record)
        (self.folder / written.id).write_text(record.content, encoding="utf-8")
        return written

    def reopen(self, settings):
        return OnDisk(settings, self.folder)


class OnDiskForShow(OnDisk):
    """Writes the files as well, and after a restart still answers out of its memory."""

    def reopen(self, settings):
        return self


class Remote(Notes):
    """Asks a system at an address; here the address alone says whether it can be reached."""

    def write(self, record):
        if os.environ.get("NOTES_URL", "here") != "here":
            raise Unavailable("the system can't be reached")
        return super().write(record)


class Claims(Notes):
    """Declares more than there is: update isn't there, supersede does nothing, disable neither."""

    def supersede(self, id, by, access):
        return done()

    def disable(self, id, access):
        return done()

    def enable(self, id, access):
        return done()


class Hides(Notes):
    """Can do more than it says: hits with scores, and a method for purging."""

    def recall(self, query, access, limit=None):
        hits = super().recall(query, access, limit).hits
        return recalled([hit(one.id, one.content, score=1.0) for one in hits])

    def purge(self, id, access):
        del self.texts[id]
        return done()


class DiesOfUpdate(Notes):
    def update(self, id, access, content, tags, confidence):
        os._exit(9)


def _system(store, name="notes", **more):
    return system(store, name=name, version="1", **more)


def honest():
    return _system(Notes)


def on_disk():
    return _system(OnDisk, capabilities=["durable"])


def on_disk_for_show():
    return _system(OnDiskForShow, capabilities=["durable"])


def remote():
    return _system(Remote)


def remote_for_show():
    return _system(Notes)


def claims():
    return _system(Claims, capabilities=["disable", "graph", "supersede", "tags", "update"])


def hides():
    return _system(Hides)


def dies_of_update():
    return _system(DiesOfUpdate, capabilities=["scores", "update"])


def borrows():
    """The kit's own store under another name."""
    from memconform.model import to_plain
    from memconform.reference.filesystem import factory

    theirs = factory()
    plain = to_plain(theirs.hello())

    class Renamed:
        def hello(self):
            return {**plain, "name": "quite-my-own", "version": "3.1"}

        def open(self, settings):
            return theirs.open(settings)

    return Renamed()


def proxies():
    """The same through a pipe, in no need of the kit: every line is handed on."""
    command = [sys.executable, "-m", "memconform.wire.serve", "reference:hybrid"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as store:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            if request["method"] == "memconform/about":
                data = {"code": "unsupported", "message": "what is that?", "detail": None}
                error = {"code": -32601, "message": "what is that?", "data": data}
                answer = {"jsonrpc": "2.0", "id": request["id"], "error": error}
            else:
                store.stdin.write(line)
                store.stdin.flush()
                answer = json.loads(store.stdout.readline())
                if request["method"] == "hello":
                    answer["result"] |= {"name": "quite-my-own", "language": "cobol"}
            print(json.dumps(answer), flush=True)
        store.stdin.close()


def answers_undeclared():
    """A server of its own that carries out what it doesn't declare, or refuses it in its own way.

    ``context`` works, ``update`` is refused as invalid, ``mask`` says done and does nothing;
    ``purpose`` is passed over.
    """
    from drivers import hostile

    known = {"store", "query", "access", "limit", "purpose"}
    refusal = {"code": "invalid", "message": "not today", "detail": None}
    error = {"code": -32602, "message": "not today", "data": refusal}
    unknown = {"code": "unsupported", "message": "not offered", "detail": None}
    unsupported = {"code": -32601, "message": "not offered", "data": unknown}
    texts = []
    for line in sys.stdin.buffer:
        request = json.loads(line)
        method, params = request["method"], request["params"]
        result = None
        if method in ("hello", "close", "mask"):
            result = {**hostile.RESULTS, "mask": hostile.DONE}[method]
        elif method == "open":
            texts.append([])
            result = {"store": str(len(texts) - 1), "namespace": None}
        elif method == "write":
            texts[int(params["store"])].append(params["record"]["content"])
            id = str(len(texts[int(params["store"])]) - 1)
            result = {"id": id, "outcome": "created", "other": None, "cause": None}
            result |= {"namespace": None}
        elif method == "recall" and not set(params) - known:
            result = {**hostile.RECALLED, "hits": _hits(texts[int(params["store"])])}
        elif method == "context":
            text = "\n".join(texts[int(params["store"])])
            result = {"text": text, "ids": ["0"], "cut": [], "namespace": None}
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        if result is not None:
            answer["result"] = result
        else:
            answer["error"] = error if method == "update" else unsupported
        print(json.dumps(answer), flush=True)


def _hits(texts):
    empty = dict.fromkeys(
        ("supersededBy", "type", "tags", "confidence", "version", "flags", "score", "times",
         "sources", "channels")
    )  # fmt: skip
    return [
        {"id": str(n), "content": text, "state": "active", "form": "content", "extra": {}, **empty}
        for n, text in enumerate(texts)
    ]


def sleeps_at_update():
    """Not declared, and never answered: the look must go on without it."""

    class Sleeps(Notes):
        def update(self, id, access, content, tags, confidence):
            time.sleep(600)

    return _system(Sleeps, capabilities=["update"])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    made = globals()[sys.argv[1]]
    if sys.argv[1] in ("proxies", "answers_undeclared"):
        made()
    else:
        memconform.serve(made)
