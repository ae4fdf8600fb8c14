"""From a program that shows a finding to a small one that still does.

Done to the program itself and not to Hypothesis's choices, so that "small" means what a reader
sees: few steps, few fields, few words. Every candidate is run on a store of its own; what shows
the same requirement broken in the same aspect is kept. The order of the candidates depends on the
program alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from memconform.fuzz.expect import Broken
from memconform.fuzz.steps import (
    Program,
    Step,
    made,
    numbered,
    reference,
    references,
    referred,
    usable,
)

Try = Callable[[Program], Broken | None]
_NEEDED = {
    "key", "id", "by", "query", "content", "record", "records", "time", "connection", "clock",
    "count", "pattern",
}  # fmt: skip
# Values that are left out or stay as they are.
_ATOMS = {
    "key", "id", "by", "supersedes", "connection", "clock", "time", "scope", "type", "authority",
    "createdAt", "updatedAt", "observedAt", "validFrom", "validTo", "expiresAt", "scopes", "types",
    "authorities", "purpose", "mode", "kind",
}  # fmt: skip
_PLAIN_WORDS = ("tea", "oak", "fog", "map", "jar", "ferry", "garden", "lantern")
_RUN = re.compile(r"(.)\1{7,}", re.DOTALL)


class Shrinker:
    """Makes one finding small.

    Args:
        attempt: runs a program; what is broken, or null.
        name: of the finding that must stay.
        tries: the most programs that are run.
        more: whether there is time for another one.
    """

    def __init__(
        self, attempt: Try, name: tuple[str, str], tries: int, more: Callable[[], bool]
    ) -> None:
        self._attempt = attempt
        self._name = name
        self._left = tries
        self._more = more
        self._seen: set[str] = set()

    def shrink(self, program: Program, broken: Broken) -> tuple[Program, Broken]:
        """The smallest program found, and what it shows."""
        self._best = program, broken
        while self._left > 0:
            before = self._best[0]
            self._fewer_steps()
            self._plain_writes()
            self._updated_at_once()
            self._fewer_places()
            self._smaller_steps()
            if self._best[0] == before:
                break
        self._plainer_words()
        self._plainer_keys()
        return self._best

    def _accept(self, program: Program) -> bool:
        """Whether a candidate still shows the finding; then it is the best so far."""
        told = repr(program)
        if self._left <= 0 or told in self._seen or not usable(program) or not self._more():
            return False
        self._seen.add(told)
        self._left -= 1
        broken = self._attempt(program)
        if broken is None or broken.name != self._name:
            return False
        self._best = program, broken
        return True

    def _fewer_steps(self) -> None:
        """Leave out runs of steps, long ones first; the step ``open`` stays."""
        length = max(1, len(self._best[0]) // 2)
        while length:
            end = len(self._best[0])
            while end - length >= 1:
                program = self._best[0]
                self._accept(program[: end - length] + program[end:])
                end = min(end - 1, len(self._best[0]))
            length //= 2

    def _smaller_steps(self) -> None:
        for place in range(len(self._best[0])):
            progress = True
            while progress:
                progress = False
                program = self._best[0]
                for step in _simpler(program[place]):
                    if self._accept((*program[:place], step, *program[place + 1 :])):
                        progress = True
                        break
                    twin = self._twin(program, place, step)
                    if twin is not None and self._accept(twin):
                        progress = True
                        break

    def _plain_writes(self) -> None:
        """A write for each memory of a batch or of a small crowd."""
        for place, step in enumerate(self._best[0]):
            program = self._best[0]
            if step.operation == "write_batch" and len(step.records) > 1:
                writes = tuple(Step("write", {"record": record}) for record in step.records)
                self._accept((*program[:place], *writes, *program[place + 1 :]))
                return
            if step.operation == "many":
                needed = {key for other in program for key in references(other.params)}
                self._accept(_singly(program, place, needed))
                self._accept(_singly(program, place, set(list(made(step))[:2])))
                return

    def _updated_at_once(self) -> None:
        """Memories written with the text that they are updated to."""
        for place, step in enumerate(self._best[0]):
            program = self._best[0]
            if step.operation == "update" and "content" in step.params:
                rest = program[place + 1 :]
                self._accept((*_with_content(program[:place], step.params), *rest))
                return

    def _fewer_places(self) -> None:
        """Without one kind of place, wherever it stands."""
        for name in ("workspace", "project", "namespace", "access"):
            program = tuple(
                Step(step.operation, _without(step.params, name)) for step in self._best[0]
            )
            if program != self._best[0]:
                self._accept(program)

    def _plainer_words(self) -> None:
        """A plain word for an odd one, wherever it stands, as long as any word will do."""
        odd = dict.fromkeys(
            word for step in self._best[0] for word in _words(step.params) if not _plain(word)
        )
        for word in odd:
            program = self._best[0]
            there = {other for step in program for other in _words(step.params)}
            free = next((plain for plain in _PLAIN_WORDS if plain not in there), None)
            if free is not None:
                self._accept(_reworded(program, word, free))

    def _plainer_keys(self) -> None:
        """m1, m2 ... for what is left."""
        program = self._best[0]
        keys = [key for step in program for key in made(step) if step.operation != "many"]
        new = {key: f"m{number}" for number, key in enumerate(keys, 1)}
        new |= {reference(key): reference(name) for key, name in new.items()}
        self._accept(tuple(Step(step.operation, _renamed(step.params, new)) for step in program))

    def _twin(self, program: Program, place: int, step: Step) -> Program | None:
        """The same change in every equal step: a question asked twice stays one question."""
        old = program[place]
        if sum(each == old for each in program) < 2:
            return None
        return tuple(step if each == old else each for each in program)


def _simpler(step: Step) -> Iterator[Step]:
    """Steps a little simpler than this one: a batch of one memory is a plain write."""
    if step.operation == "write_batch" and len(step.records) == 1:
        yield Step("write", {"record": step.records[0]})
    if step.operation == "correct":
        yield Step("write", {"record": {n: step.params[n] for n in ("key", "content")}})
    for params in _smaller(step.params):
        yield Step(step.operation, params)


def _smaller(value: Any) -> Iterator[Any]:
    """Values a little simpler than this one, the boldest first."""
    if isinstance(value, Mapping):
        yield from _smaller_mapping(value)
    elif isinstance(value, list):
        for place in range(len(value)):
            yield value[:place] + value[place + 1 :]
        for place, item in enumerate(value):
            for smaller in _smaller(item):
                yield [*value[:place], smaller, *value[place + 1 :]]
    elif isinstance(value, str):
        yield from _smaller_text(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        for simple in (1, 2, value // 2, value - 1):
            if 0 <= simple < value:
                yield simple


def _smaller_mapping(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in value:
        if name not in _NEEDED:
            yield {other: item for other, item in value.items() if other != name}
    for name, item in value.items():
        if name not in _ATOMS:
            for smaller in _smaller(item):
                yield {**value, name: smaller}


def _smaller_text(text: str) -> Iterator[str]:
    """Without some words, without some characters, with a shorter run of one letter."""
    words = text.split(" ")
    if len(words) > 1:
        size = len(words) // 2
        while size:
            for start in range(0, len(words), size):
                left = words[:start] + words[start + size :]
                if left:
                    yield " ".join(left)
            size //= 2
    for match in _RUN.finditer(text):
        length = len(match[0])
        for shorter in (length // 2, length - 10, length - 1):
            yield text[: match.start()] + match[1] * shorter + text[match.end() :]
    if len(words) == 1 and 1 < len(text) <= 24 and not _plain(text):
        for place in range(len(text)):
            yield text[:place] + text[place + 1 :]


def _singly(program: Program, place: int, wanted: Collection[str]) -> Program:
    """A write for each of some memories of a crowd, in its place."""
    crowd = program[place]
    names = {key: f"m9{key}" for key in made(crowd)}
    names |= {reference(key): reference(name) for key, name in names.items()}
    writes = (
        Step("write", {"record": {"key": names[key], "content": content}})
        for number, key in enumerate(made(crowd), 1)
        if key in wanted and (content := numbered(crowd.params["pattern"], number))
    )
    rest = (Step(step.operation, _renamed(step.params, names)) for step in program[place + 1 :])
    return (*program[:place], *writes, *rest)


def _with_content(program: Program, update: Mapping[str, Any]) -> Program:
    """A program whose writes give a memory the text of an update."""
    key, content = referred(update["id"]), update["content"]
    return tuple(
        Step("write", {"record": {**step.params["record"], "content": content}})
        if step.operation == "write" and step.params["record"]["key"] == key
        else step
        for step in program
    )


def _without(value: Any, name: str) -> Any:
    """A JSON-like value without a field, however deep."""
    if isinstance(value, Mapping):
        return {key: _without(item, name) for key, item in value.items() if key != name}
    return [_without(item, name) for item in value] if isinstance(value, list) else value


_TEXTS = ("content", "query", "pattern")


def _words(value: Any) -> Iterator[str]:
    """The words of all contents and questions."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name in _TEXTS:
                yield from item.split()
            else:
                yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)


def _plain(word: str) -> bool:
    return word.isascii() and word.isalnum() and word.lower() == word


def _reworded(program: Program, old: str, new: str) -> Program:
    def change(text: str) -> str:
        return " ".join(new if word == old else word for word in text.split(" "))

    def inner(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {n: change(v) if n in _TEXTS else inner(v) for n, v in value.items()}
        return [inner(item) for item in value] if isinstance(value, list) else value

    return tuple(Step(step.operation, inner(step.params)) for step in program)


def _renamed(value: Any, names: Mapping[str, str], field: str = "") -> Any:
    """A JSON-like value with other keys; texts that only look like one stay."""
    if isinstance(value, Mapping):
        return {name: _renamed(item, names, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, str) and field in ("key", "id", "by", "supersedes"):
        return names.get(value, value)
    return value
