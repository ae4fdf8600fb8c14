"""Programs, step by step: what may be done next to a store that declares what it declares.

Every choice comes from outside (Hypothesis in a run, anything else in a test), so that a program
is a function of its choices. Only what a store declares is ever asked of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

from memconform.fuzz import texts
from memconform.fuzz.core import PLACES
from memconform.fuzz.foundation import Foundation
from memconform.fuzz.steps import Step, numbered, reference, referred
from memconform.fuzz.trial import Trial
from memconform.model import MEMORY_TYPES
from memconform.protocol import Capability, Hello

T = TypeVar("T")
Fields = dict[str, Any]
UNITS = (0.0, 0.1, 0.3, 0.5, 0.8, 1.0)
LIMITS = (0, -1, 1, 2, 3, 7, 8, 9, 63, 64, 65, 100)


class Choices(Protocol):
    """Where choices come from."""

    def pick(self, options: Sequence[T]) -> T:
        """One of some."""
        ...

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count - 1``."""
        ...


# What a kind of step needs a store to declare, one of these.
NEEDED: dict[str, tuple[Capability, ...]] = {
    "batch": ("batch",),
    "context": ("context",),
    "correct": ("correct",),
    "change": ("update", "disable", "supersede", "purge", "mask"),
    "clock": ("clock",),
    "restart": ("durable",),
    "other_connection": ("shared",),
}


class Author:
    """Writes the program of one trial.

    Args:
        trial: what has been done so far, and came of it.
        foundation: the model of a store that claims foundation; null for any other store.

    Attributes:
        choices: decides; may be another one for each step.
    """

    choices: Choices

    def __init__(self, trial: Trial, foundation: Foundation | None) -> None:
        self._trial = trial
        self._model = foundation
        self._made = 0
        self._many = False
        self._asked: list[Step] = []
        self._contents: dict[str, str] = {}
        self._places: dict[str, Fields] = {}
        self._records: list[Fields] = []
        self._moved = False

    @property
    def _hello(self) -> Hello:
        return self._trial.hello

    def declares(self, capability: str) -> bool:
        """Whether the store says that it has this."""
        return capability in self._hello.capabilities

    # --- choices -----------------------------------------------------------------------------

    def _now_and_then(self, one_in: int) -> bool:
        return self.choices.below(one_in) == one_in - 1

    def _some(self, options: Sequence[T], most: int) -> list[T]:
        count = self.choices.below(most + 1)
        return list(dict.fromkeys(self.choices.pick(options) for _ in range(count)))

    # --- the store ---------------------------------------------------------------------------

    def opening(self) -> Iterator[Step]:
        """``open``; the time is given wherever a store takes one, so that nothing ages."""
        settings: Fields = {"clock": texts.START} if self.declares("clock") else {}
        if self._model is not None:
            policy = self._policy()
            if policy:
                settings["policy"] = policy
            if self.declares("mode") and self._now_and_then(8):
                settings["evaluation"] = True
        yield Step("open", settings)

    def _policy(self) -> Fields:
        policy: Fields = {}
        if self._now_and_then(3):
            policy["maxInjectedRecords"] = self.choices.pick((2, 1, 9, 64, 100, 0))
        if self._now_and_then(12):
            policy["scopes"] = self.choices.pick(
                (["user"], ["workspace"], ["project", "workspace"], ["user", "project"])
            )
        if self._now_and_then(30):
            policy["enabled"] = False
        return policy

    def restart(self) -> Iterator[Step]:
        """A restart, now and then with other settings."""
        if not self.declares("durable") or self._trial.names.connection != "first":
            return
        if self._moved:
            return  # what becomes of a moved clock is the store's choice
        policy = self._policy() if self._model is not None else {}
        clock = self._clock() if policy else {}
        yield Step("reopen", {**clock, "policy": policy} if policy else {})

    def _clock(self) -> Fields:
        if self._model is None or not self.declares("clock"):
            return {}
        return {"clock": self._model.now("first")}

    def other_connection(self) -> Iterator[Step]:
        """To the other one of two connections."""
        if self.declares("shared") and not (self._moved and self._model is None):
            first = self._trial.names.connection == "first"
            yield Step("use", {"connection": "second" if first else "first"})

    def clock(self) -> Iterator[Step]:
        """The time moves; of a store that claims no design only forwards, and for all."""
        if not self.declares("clock"):
            return
        if self._model is not None:
            yield Step("set_clock", {"time": self.choices.pick(texts.INSTANTS)})
        elif "second" not in self._trial.connections and not self._moved:
            self._moved = True
            yield Step("set_clock", {"time": texts.instant(hours=2)})

    # --- writing -----------------------------------------------------------------------------

    def write(self) -> Iterator[Step]:
        """One memory; of some a question follows at once of which it covers just enough."""
        record = self._record()
        yield Step("write", {"record": record})
        counted = record["content"].startswith("001") and record["key"] in self._trial.names.ids
        if counted and self._now_and_then(2):
            yield self._asking(*self._at_a_floor(record["key"]))

    def batch(self) -> Iterator[Step]:
        """A few memories in one call."""
        if self.declares("batch"):
            count = 1 + self.choices.below(4)
            yield Step("write_batch", {"records": [self._record() for _ in range(count)]})

    def many(self) -> Iterator[Step]:
        """A crowd of memories that answer one question, once in a program."""
        if self._many or (self._model is None and len(self._contents) > 1):
            return
        self._many = True
        if self._model is None:
            count, pattern = 2, self.choices.pick(("Crane (n) is red", "港口起重机(n)是红色的"))
        else:
            count = self.choices.pick((2, 9, 12, 66))
            pattern = self.choices.pick(("Ferry (n) runs daily", "tea (n) oak", "水管(n)"))
        yield Step("many", {"count": count, "pattern": pattern})
        for number in range(1, count + 1):
            self._remember(f"n{number}", numbered(pattern, number), {})

    def _record(self) -> Fields:
        key = self._key()
        if self._records and self._model is not None and self._now_and_then(8):
            # Alike but for the time: what comes first then hangs on nothing else.
            record = {**self.choices.pick(self._records), "key": key}
            record["updatedAt"] = self.choices.pick(texts.INSTANTS)
        elif self._model is not None:
            record = {"key": key, "content": self._content(), **self._fields()}
        else:
            record = {"key": key, "content": self._fact(), **self._place(), **self._beside()}
        place = {name: record[name] for name in PLACES if name in record}
        self._remember(key, record["content"], place)
        self._records.append(record)
        return record

    def _key(self) -> str:
        self._made += 1
        return f"m{self._made}"

    def _remember(self, key: str, content: str, place: Fields) -> None:
        self._contents[key] = content
        self._places[key] = place

    def _fact(self) -> str:
        pattern = self.choices.pick(texts.FACTS)
        first = self.choices.below(len(texts.NAMES))
        text = pattern.format(
            a=texts.NAMES[first],
            b=texts.NAMES[first - 1],
            n=self.choices.pick(texts.NUMBERS) if "{n}" in pattern else "",
        )
        if self._now_and_then(60):
            return self.choices.pick((" ", "\n\t"))  # must be refused
        before, after = self.choices.pick(texts.AROUND)
        return before + text + after

    def _beside(self) -> Fields:
        """What a store that claims no design is given beside a text: only what it keeps."""
        fields: Fields = {}
        if self.declares("tags") and self._now_and_then(4):
            fields["tags"] = self._some(("tea", "garden", "身份"), 2)
        if self.declares("confidence") and self._now_and_then(6):
            fields["confidence"] = self.choices.pick((0.25, 0.5, 1.0))
        if self.declares("validity") and self.declares("clock") and self._now_and_then(6):
            fields["expiresAt"] = texts.instant(hours=1)
        return fields

    def _place(self) -> Fields:
        """A place of a store that claims no design: one kind, plainly spelt."""
        for kind in ("workspace", "project", "namespace"):
            if self.declares(f"{kind}s"):
                slash = "/" if kind == "workspace" else ""
                place = self.choices.pick((None, None, "alpha", "beta"))
                return {} if place is None else {kind: slash + place}
        return {}

    def _content(self) -> str:
        shape = self.choices.below(12)
        if shape == 0:
            n, _ = self.choices.pick((*texts.COVERAGE, *texts.CJK_COVERAGE))
            return numbers(n)
        if shape in (1, 4):
            word = self.choices.pick(texts.WORDS)
            return f"{word} {self.choices.pick('bé水<')}{'b' * self.choices.pick(texts.RUNS)}"
        if shape == 2 and self._contents:
            return self.choices.pick(list(self._contents.values()))
        if shape == 3:
            return self.choices.pick(texts.SIGNS)  # an empty one must be refused
        return self._words(6)

    def _words(self, most: int) -> str:
        count = 1 + self.choices.below(most)
        words = [
            self.choices.pick(
                (texts.WORDS, texts.WORDS, texts.WORDS, texts.CJK, texts.HOSTILE)[
                    self.choices.below(5)
                ]
            )
            for _ in range(count)
        ]
        return ("" if self._now_and_then(8) else " ").join(words)

    def _fields(self) -> Fields:
        """What goes with a text where foundation is claimed: any field, odd values too."""
        fields: Fields = {}
        scope = self.choices.pick((None, None, None, "workspace", "project", "user"))
        if scope is not None:
            fields["scope"] = scope
        if scope != "user" and self._now_and_then(3):
            fields["workspace"] = self.choices.pick(texts.PATHS)
        if (scope == "project" or self._now_and_then(12)) and self._now_and_then(2):
            fields["project"] = self.choices.pick(texts.PATHS)
        options: tuple[tuple[int, str, Sequence[Any]], ...] = (
            (5, "type", MEMORY_TYPES),
            (10, "authority", ("directive", "reference")),
            (5, "importance", UNITS),
            (5, "confidence", UNITS),
            (4, "updatedAt", texts.INSTANTS),
            (8, "createdAt", texts.INSTANTS),
            (5, "observedAt", texts.INSTANTS),
            (9, "validFrom", texts.INSTANTS),
            (9, "validTo", texts.INSTANTS),
            (9, "expiresAt", texts.INSTANTS),
            (20, "ttlMs", (1, 3_600_000, 0)),
            (20, "agentVisible", (False,)),
        )
        for one_in, name, values in options:
            if self._now_and_then(one_in):
                fields[name] = self.choices.pick(values)
        if self._now_and_then(4):
            fields["tags"] = self._some(texts.TAGS, 2)
        if self._now_and_then(8):
            source: Fields = {"kind": self.choices.pick(("user", "file", "web", "legacy"))}
            if self._now_and_then(2):
                source["locator"] = self.choices.pick(texts.LOCATORS)
            fields["sources"] = [source]
        if self._now_and_then(12) and self._known():
            fields["supersedes"] = reference(self.choices.pick(self._known()))
        return fields

    # --- changing ----------------------------------------------------------------------------

    def _known(self) -> list[str]:
        return [key for key in self._trial.names.ids if key in self._contents]

    def _target(self) -> tuple[str, Fields] | None:
        """A memory and a caller: mostly of its place."""
        known = self._known()
        if not known:
            return None
        key = self.choices.pick(known)
        place = self._access() if self._now_and_then(6) else self._places[key]
        return key, {"access": place} if place else {}

    def forget(self) -> Iterator[Step]:
        """A memory is forgotten."""
        target = self._target()
        if target is not None:
            yield from self._changed(Step("forget", {"id": reference(target[0]), **target[1]}))

    def correct(self) -> Iterator[Step]:
        """A new text in the place of an old one."""
        target = self._target()
        if target is not None and self.declares("correct"):
            content = self._content() if self._model is not None else self._fact()
            key = self._key()
            place = self._places[target[0]]
            self._remember(key, content, place)
            yield from self._changed(
                Step(
                    "correct",
                    {"id": reference(target[0]), "content": content, "key": key, **target[1]},
                )
            )

    def change(self) -> Iterator[Step]:
        """Any other change of a memory that the store offers."""
        names = [
            name
            for name, capability in (
                ("update", "update"), ("disable", "disable"), ("enable", "disable"),
                ("supersede", "supersede"), ("purge", "purge"), ("mask", "mask"),
            )
            if self.declares(capability)
        ]  # fmt: skip
        target = self._target() if names else None
        if target is None:
            return
        key, access = target
        params: Fields = {"id": reference(key), **access}
        name = self.choices.pick(names)
        if name == "supersede":
            others = [other for other in self._known() if other != key]
            if not others:
                return
            params["by"] = reference(self.choices.pick(others))
        elif name == "update":
            params["content"] = self._content() if self._model is not None else self._fact()
            if self.declares("confidence") and self._now_and_then(4):
                params["confidence"] = self.choices.pick(UNITS)
        yield from self._changed(Step(name, params))
        if "content" in params and self._trial.answered:
            self._contents[key] = params["content"]

    def _changed(self, step: Step) -> Iterator[Step]:
        """A change, and often a look at what it changed, before and after it."""
        key = referred(step.params["id"]) or ""
        before = self._look(key)
        if self._now_and_then(2):
            yield before
        yield step
        if self._now_and_then(2):
            yield before
        elif self._now_and_then(2):
            yield self._look(key)

    def _look(self, key: str) -> Step:
        """One memory on one of the surfaces, as a caller of its place."""
        place = self._places[key]
        access = {"access": place} if place else {}
        surfaces = ["recall", "get"]
        surfaces += ["list_records"] if self.declares("listing") else []
        surfaces += ["context"] if self.declares("context") else []
        name = self.choices.pick(surfaces)
        if name == "list_records":
            return Step(name, access)
        if name == "get":
            return Step(name, {"id": reference(key), **access})
        return Step(name, {"query": self._contents[key], **access})

    # --- asking ------------------------------------------------------------------------------

    def recall(self) -> Iterator[Step]:
        """A question."""
        yield self._question()

    def again(self) -> Iterator[Step]:
        """A question twice, with others in between: the answer is the same."""
        question = self._question()
        yield question
        if not self._trial.answered:
            return
        yield Step("keep", {})
        for _ in range(self.choices.below(3)):
            yield self._question()
        yield question
        yield Step("same", {})

    def _question(self) -> Step:
        if self._asked and self._now_and_then(4):
            return self.choices.pick(self._asked)
        return self._asking(*self._query())

    def _asking(self, query: str, place: Fields) -> Step:
        params: Fields = {"query": query}
        if place:
            params["access"] = place
        if self._now_and_then(3):
            limits = LIMITS if self._model is not None else (0, -1, 1, 2, 8)
            params["limit"] = self.choices.pick(limits)
        if self._model is not None:
            params |= self._options()
        elif self.declares("budget") and self._now_and_then(6):
            params["budget"] = self.choices.pick((0, 1, 20, 100, 1000))
        step = Step("recall", params)
        self._asked.append(step)
        return step

    def _options(self) -> Fields:
        params: Fields = {}
        if self.declares("purpose") and self._now_and_then(6):
            params["purpose"] = "tool"
        if self.declares("mode") and self._now_and_then(12):
            params["mode"] = "historical-v1"
        if self.declares("filters") and self._now_and_then(8):
            filters = {
                "types": self._some(MEMORY_TYPES, 2),
                "scopes": self._some(("user", "workspace", "project"), 1),
                "authorities": self._some(("reference", "directive"), 1),
            }
            params["filters"] = {name: some for name, some in filters.items() if some}
        if self.declares("trace"):
            params["trace"] = True
        return params

    def _query(self) -> tuple[str, Fields]:  # noqa: PLR0911 - one return a kind of question
        """A question and a caller: mostly about a memory, and of its place."""
        known = [key for key in self._contents if key in self._trial.names.ids]
        counted = [key for key in known if self._contents[key].startswith("001")]
        if counted and self._now_and_then(3):
            return self._at_a_floor(self.choices.pick(counted))
        shape = self.choices.below(9)
        if known and shape < 6:
            key = self.choices.pick(known)
            place = self._access() if self._now_and_then(3) else self._places[key]
            content = self._contents[key]
            if self._model is None and shape < 4:
                return content, place
            return (content if shape < 2 else self._part(content)), place
        if shape == 6:
            return self.choices.pick((*texts.SIGNS, *texts.HOSTILE)), self._access()
        if self._model is None:
            return self._words(3), self._access()
        if shape == 7:
            return self.choices.pick(texts.HINTS), self._access()
        return self._words(5), self._access()

    def _at_a_floor(self, key: str) -> tuple[str, Fields]:
        """A question of which a memory covers as much as a floor asks for, or nearly."""
        covered = len(self._contents[key].split())
        chinese = [asked for n, asked in texts.CJK_COVERAGE if n == covered]
        latin = [asked for n, asked in texts.COVERAGE if n == covered]
        asked = self.choices.pick(chinese + latin)
        if asked in chinese:
            return f"{numbers(asked - 1)} 水", self._places[key]
        return numbers(asked), self._places[key]

    def _part(self, content: str) -> str:
        words = content.split()
        if len(words) < 2:
            return content
        start = self.choices.below(len(words))
        some = words[start : start + 1 + self.choices.below(4)]
        return " ".join(
            [*some, *([self.choices.pick(texts.WORDS)] if self._now_and_then(2) else [])]
        )

    def _access(self) -> Fields:
        if self._model is None:
            return self._place()
        access: Fields = {}
        if self._now_and_then(3):
            access["workspace"] = self.choices.pick(texts.PATHS)
        if self._now_and_then(5):
            access["project"] = self.choices.pick(texts.PATHS)
        return access

    def context(self) -> Iterator[Step]:
        """The block for a question, with a budget at which it just fits or just doesn't."""
        if not self.declares("context"):
            return
        query, place = self._query()
        params: Fields = {"query": query}
        if place:
            params["access"] = place
        budget = self._budget(Step("context", params))
        yield Step("context", params if budget is None else {**params, "budget": budget})

    def _budget(self, step: Step) -> int | None:
        if self._model is None:
            if self.declares("budget") and self._now_and_then(2):
                return self.choices.pick((0, 1, 20, 100, 300))
            return None
        if self._now_and_then(3):
            return None
        roomy = Step("context", {**step.params, "budget": 100_000})
        wanted = self._model.retrieval(roomy, self._trial.names)
        fits = len(wanted.block)
        least = fits
        if wanted.selected:
            # Room for 96 characters of the last memory, the shortest cut that there may be.
            least = fits - max(0, len(wanted.selected[-1].content) - 96)
        base = self.choices.pick((fits, least, least, least, 400))
        return max(0, base + self.choices.pick((-1, 0, 1)))

    def read(self) -> Iterator[Step]:
        """A memory by its id, or all of a place."""
        if self.declares("listing") and self._now_and_then(2):
            access = self._access()
            yield Step("list_records", {"access": access} if access else {})
            return
        target = self._target()
        if target is not None:
            yield Step("get", {"id": reference(target[0]), **target[1]})


def numbers(count: int) -> str:
    """So many words of three digits: no slices, so that each is one token."""
    return " ".join(f"{number:03}" for number in range(1, count + 1))
