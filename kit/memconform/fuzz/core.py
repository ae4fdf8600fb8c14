"""The judge of any store: what every memory must do, whatever its design.

It knows which memories were acknowledged, where they are and what became of them, and asks only
for what a store declares. Where a policy leaves a choice (a text that is stored already, say), the
store's own answer tells what it chose.

Source: memory-core.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memconform.fuzz.expect import (
    Among,
    Broken,
    Expectation,
    Found,
    GivesWay,
    Refused,
    Says,
    Unseen,
)
from memconform.fuzz.steps import Step, referred
from memconform.fuzz.trial import ALIVE, ANY_TEXT, NOTHING_LOST, Names, Outcome, refused
from memconform.model import BatchResult, Hit, WriteResult, to_plain
from memconform.protocol import Hello
from memconform.suite.cells import same

FINDABLE = "memory-core/written-is-findable"
ACTIONABLE = "memory-core/a-hit-can-be-acted-on"
FORGOTTEN = "memory-core/forgotten-is-gone-at-once-and-everywhere"
CORRECTION = "memory-core/a-correction-wins"
WALL = "memory-core/scope-is-a-wall"
CJK = "memory-core/cjk-text-is-found"
FACTS = "memory-core/different-facts-stay-apart"
LIMITS = "memory-core/limits-hold"

PLACES = ("workspace", "project", "namespace")
# A question with the exact words of a memory must bring it back as long as no more memories than
# this are in its place: fewer than the limit of any store that leaves it to a default.
FEW = 3
# Letters and digits that a text must have before it is looked for inside another one.
TELLING = 8

State = Literal[
    "active", "forgotten", "purged", "disabled", "masked", "expired", "superseded", "unknown"
]
GONE: tuple[State, ...] = ("forgotten", "purged", "disabled", "masked", "expired")


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What is known of one memory.

    Attributes:
        place: of the caller that may see it; empty is the default place.
        way: the operation that brought its text in.
        connection: the one by which it was written or changed last.
        life: how often the store had been restarted by then.
        successor: key of the memory that replaces it.
        expires: when it expires; null for never.
    """

    key: str
    content: str
    place: Mapping[str, Any]
    way: str
    connection: str
    life: int
    state: State = "active"
    successor: str | None = None
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    expires: str | None = None

    @property
    def gone(self) -> bool:
        """Whether it may be shown on no surface."""
        return self.state in GONE


def fact(content: str) -> str:
    """What a text says: its letters and digits, without case, signs and spaces around them."""
    folded = unicodedata.normalize("NFKC", content).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


class Core:
    """Judges one trial of any store.

    Attributes:
        memories: by key, those that are gone included.
    """

    def __init__(self, hello: Hello) -> None:
        self.memories: dict[str, Memory] = {}
        self._hello = hello
        self._life = 0
        self._now = ""
        self._ids: dict[str, str] = {}

    def began(self, settings: Mapping[str, Any]) -> None:
        """Nothing of the settings matters here."""

    def here(self, place: Mapping[str, Any]) -> list[Memory]:
        """The memories that a caller of this place must be able to see."""
        return [m for m in self.memories.values() if m.state == "active" and m.place == place]

    def judge(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        """What is wrong with an answer; then the memories follow what was acknowledged."""
        name = step.operation
        self._ids = names.ids
        if name in ("write", "write_batch"):
            yield from self._written(step, outcome, names)
        elif name == "reopen":
            self._life += 1
        elif name in ("recall", "list_records", "context"):
            yield from self._asked(step, outcome, names)
        elif name == "get":
            yield from self._got(step, outcome, names)
        elif name == "set_clock":
            self._expire(step.params["time"])
        elif name != "use":
            yield from self._changed(step, outcome, names)

    # --- writing -----------------------------------------------------------------------------

    def _written(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        if outcome.answer is None:
            if outcome.error is not None and outcome.error.code == "not_found":
                yield refused(step, outcome, ALIVE)
            return
        answer = outcome.answer
        results = answer.outcomes if isinstance(answer, BatchResult) else [answer]
        if len(results) != len(step.records):
            yield Broken(
                requirement=FINDABLE,
                aspect="outcomes of a batch",
                expected=Says("answer", "outcomes.length", len(step.records)),
                seen=str(len(results)),
            )
        for draft, result in zip(step.records, results, strict=False):
            if not draft["content"].strip():
                yield from _empty(step, draft["key"], result)
                continue
            memory = Memory(
                key=draft["key"],
                content=draft["content"],
                place={place: draft[place] for place in PLACES if place in draft},
                way=step.operation,
                connection=names.connection,
                life=self._life,
                tags=tuple(draft.get("tags", ())),
                confidence=draft.get("confidence"),
                expires=draft.get("expiresAt"),
            )
            yield from self._stored(memory, result, names)

    def _stored(self, memory: Memory, result: WriteResult, names: Names) -> Iterator[Broken]:
        if result.id is None:
            return
        # One id may have two names, after a merge; the latest text is the one that it stands for.
        for other in list(self.memories.values()):
            if other.key == memory.key or self._ids.get(other.key) not in (result.id, result.other):
                continue
            if other.state == "active":
                yield from self._swallowed(memory, other, result)
            replaced = self._ids.get(other.key) == result.id
            if replaced:
                del self.memories[other.key]
            elif result.outcome == "superseded":
                self.memories[other.key] = replace(other, state="superseded", successor=memory.key)
        self.memories[memory.key] = memory
        self._expire(self._now)

    def _swallowed(self, memory: Memory, other: Memory, result: WriteResult) -> Iterator[Broken]:
        """A text that took the place of another one though both say different things."""
        if other.place != memory.place:
            yield Broken(
                requirement=WALL,
                aspect="merged into another place",
                expected=Says(f"outcome {memory.key}", "outcome", result.outcome, "other than"),
                seen=f"{result.outcome} with {other.key} of another place",
            )
        elif fact(other.content) != fact(memory.content):
            yield Broken(
                requirement=FACTS,
                aspect=f"{result.outcome} by {memory.way}",
                expected=Says(f"outcome {memory.key}", "outcome", result.outcome, "other than"),
                seen=f"{result.outcome} with {other.key}, which says {other.content!r}",
            )

    def _expire(self, now: str) -> None:
        self._now = now
        # Times of programs are spelt alike, so the texts compare as the times do.
        for memory in list(self.memories.values()):
            if memory.state == "active" and memory.expires is not None and memory.expires <= now:
                self.memories[memory.key] = replace(memory, state="expired")

    # --- changing ----------------------------------------------------------------------------

    def _changed(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        memory = self.memories.get(referred(step.params.get("id")) or "")
        if memory is None or memory.state == "purged":
            return
        if memory.place != step.access:
            yield from _kept_out(step, outcome)
            if outcome.error is None:
                self.memories[memory.key] = replace(memory, state="unknown")
            return
        name = step.operation
        if not step.params.get("content", "text").strip():
            if outcome.error is None:
                yield Broken(
                    requirement=ALIVE,
                    aspect=f"an empty text by {name}",
                    expected=Refused("invalid"),
                    seen=outcome.told,
                )
                self.memories[memory.key] = replace(memory, state="unknown")
            return
        if name == "forget" and memory.state == "active":
            if outcome.error is not None:
                yield refused(step, outcome, ACTIONABLE)
            elif not outcome.answer.done:
                yield Broken(
                    requirement=ACTIONABLE,
                    aspect="forget not done",
                    expected=Says("answer", "done", True),
                    seen=outcome.told,
                )
        if outcome.error is None and getattr(outcome.answer, "done", True):
            self._follow(step, memory, outcome, names)

    def _follow(self, step: Step, memory: Memory, outcome: Outcome, names: Names) -> None:
        name, key = step.operation, memory.key
        memory = replace(memory, connection=names.connection, life=self._life)
        states: dict[str, State] = {
            "forget": "forgotten", "purge": "purged", "mask": "masked", "disable": "disabled",
        }  # fmt: skip
        if name in states:
            self.memories[key] = replace(memory, state=states[name])
        elif name == "enable" and memory.state == "disabled":
            self.memories[key] = replace(memory, state="active")
        elif name == "update":
            self.memories[key] = replace(
                memory,
                way="update" if "content" in step.params else memory.way,
                content=step.params.get("content", memory.content),
                tags=tuple(step.params.get("tags", memory.tags)),
                confidence=step.params.get("confidence", memory.confidence),
            )
        elif name == "supersede":
            by = referred(step.params["by"])
            self.memories[key] = replace(memory, state="superseded", successor=by)
        elif name == "correct" and outcome.answer.id is not None:
            new = step.params["key"]
            if outcome.answer.id != names.ids.get(key):
                self.memories[key] = replace(memory, state="superseded", successor=new)
            else:
                del self.memories[key]
            self.memories[new] = replace(
                memory,
                key=new,
                content=step.params["content"],
                way="correct",
                state="active",
                # What a correction keeps beside the text is the store's choice.
                tags=(),
                confidence=None,
            )

    # --- asking ------------------------------------------------------------------------------

    def _asked(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        if outcome.answer is None:
            yield refused(
                step, outcome, ACTIONABLE if step.operation == "list_records" else ANY_TEXT
            )
            return
        yield from self._shown(step, outcome, names)
        if step.operation == "recall":
            yield from self._limited(step, outcome.answer)
            yield from self._hits(step, outcome.answer.hits, names)
            yield from self._superseded(step, outcome.answer.hits, names)
        if step.operation == "context":
            yield from self._within(step, outcome.answer.text)
        yield from self._missing(step, outcome, names)

    def _shown(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        """Memories that may not be seen here: gone, or of another place."""
        answer = outcome.answer
        if step.operation == "context":
            ids, texts = [*answer.ids, *answer.cut], [answer.text]
        else:
            hits = answer.hits if step.operation == "recall" else answer.records
            ids = [hit.id for hit in hits if hit.state != "masked"]
            texts = [hit.content for hit in hits if hit.content is not None]
        for memory in self.memories.values():
            foreign = memory.place != step.access
            if not (memory.gone or foreign) or memory.state == "unknown":
                continue
            # What is masked may keep its place, as long as nothing of its text is left.
            by_id = self._ids.get(memory.key) in ids and memory.state != "masked"
            by_text = (
                len(fact(memory.content)) >= TELLING
                and any(memory.content in text for text in texts)
                and not self._elsewhere(memory, step.access)
            )
            if by_id or by_text:
                yield Broken(
                    requirement=WALL if foreign else FORGOTTEN,
                    aspect=(
                        f"{'another place' if foreign else memory.state} in {step.operation}"
                        f"{self._via(memory, names)}"
                    ),
                    expected=_unseen(step, memory),
                    seen=f"{memory.key} in the answer{'' if by_id else ' by its text'}",
                )

    def _elsewhere(self, memory: Memory, place: Mapping[str, Any]) -> bool:
        """Whether the same text may be seen here for another reason."""
        return any(
            memory.content in other.content
            for other in self.memories.values()
            if other is not memory and not other.gone and other.place == place
        )

    def _limited(self, step: Step, answer: Any) -> Iterator[Broken]:
        limit, budget = step.params.get("limit"), step.params.get("budget")
        whole = [hit for hit in answer.hits if hit.form != "reference"]
        if limit is not None and len(whole) > max(0, limit):
            yield Broken(
                requirement=LIMITS,
                aspect="limit" if budget is None else "limit beside a budget",
                expected=Says("answer", "hits.length", max(0, limit), "at most"),
                seen=f"{len(whole)} hits",
            )
        if (
            budget is not None
            and answer.ledger is not None
            and self._hello.policies.over_budget == "never"
            and answer.ledger.used > budget
        ):
            yield Broken(
                requirement=LIMITS,
                aspect="budget of recall",
                expected=Says("answer", "ledger.used", budget, "at most"),
                seen=str(answer.ledger.used),
            )
        if not any(c.isalnum() for c in step.params["query"]) and answer.hits:
            yield Broken(
                requirement=ANY_TEXT,
                aspect="a question without a word",
                expected=Found(()),
                seen=f"{len(answer.hits)} hits",
            )

    def _within(self, step: Step, text: str) -> Iterator[Broken]:
        budget, policies = step.params.get("budget"), self._hello.policies
        # How long a text is in UTF-16 a scenario can't say: its bound in code points follows.
        if budget is None or policies.over_budget != "never":
            return
        if policies.budget_unit in ("codepoint", "utf16") and len(text) > max(0, budget):
            yield Broken(
                requirement=LIMITS,
                aspect="budget of a context",
                expected=Says("answer", "text.length", max(0, budget), "at most"),
                seen=f"{len(text)} characters",
            )

    def _hits(self, step: Step, hits: Sequence[Hit], names: Names) -> Iterator[Broken]:
        """What a hit shows of the memory that was asked for by its own words."""
        declared = self._hello.capabilities
        for hit in hits:
            memory = self.memories.get(names.key_of(hit.id) or "")
            if memory is None or memory.state != "active" or hit.form != "content":
                continue
            if memory.content != step.params["query"]:
                continue
            shown: list[tuple[str, Any, str]] = []
            if not hit.flags:  # a text that was cut is flagged
                shown.append(("content", memory.content, FINDABLE))
            shown.append(("state", "active", ACTIONABLE))
            if "tags" in declared and memory.way in ("write", "write_batch"):
                shown.append(("tags", list(memory.tags), ACTIONABLE))
            if "confidence" in declared and memory.confidence is not None:
                shown.append(("confidence", memory.confidence, ACTIONABLE))
            plain = to_plain(hit)
            for path, value, requirement in shown:
                if not same(plain[path], value):
                    yield Broken(
                        requirement=requirement,
                        aspect=f"{path} of a hit of {memory.way}",
                        expected=Says(f"hit {memory.key}", path, value),
                        seen=repr(plain[path]),
                    )

    def _superseded(self, step: Step, hits: Sequence[Hit], names: Names) -> Iterator[Broken]:
        """The old text of a correction, where it is found."""
        found = [hit.id for hit in hits]
        hidden = self._hello.policies.superseded == "hidden"
        for old in self.memories.values():
            id = self._ids.get(old.key)
            new = self.memories.get(old.successor or "")
            if old.state != "superseded" or id not in found or new is None:
                continue
            if new.state != "active" or old.place != step.access:
                continue
            if not _answers(new.content, step.params["query"]):
                continue
            successor = self._ids.get(new.key)
            hit = hits[found.index(id or "")]
            marked = hit.state == "superseded" and hit.superseded_by == successor
            if hidden:
                aspect = "not hidden"
            elif successor not in found:
                aspect = "without its correction"
            elif found.index(id or "") < found.index(successor or ""):
                aspect = "before its correction"
            elif not marked:
                aspect = "not marked"
            else:
                continue
            yield Broken(
                requirement=CORRECTION,
                aspect=aspect + self._via(new, names),
                expected=GivesWay(old.key, new.key, hidden),
                seen=names.told(found),
            )

    def _missing(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        """Memories of this place that their own words, or a list, must bring back."""
        here = self.here(step.access)
        answer, name = outcome.answer, step.operation
        if name == "list_records":
            found = [hit.id for hit in answer.records]
            wanted = here
        elif name == "recall" and step.params.get("budget") is None:
            found = [hit.id for hit in answer.hits]
            limit = step.params.get("limit")
            crowd = [m for m in self.memories.values() if not m.gone and m.place == step.access]
            room = len(crowd) <= (FEW if limit is None else limit)
            wanted = [m for m in here if m.content == step.params["query"]] if room else []
        else:
            return
        for memory in wanted:
            if self._ids.get(memory.key) in found:
                continue
            yield Broken(
                requirement=self._owed(memory, names),
                aspect=f"of {memory.way} in {name}{self._via(memory, names)}",
                expected=Among(memory.key, there=True),
                seen=names.told(found),
            )

    def _owed(self, memory: Memory, names: Names) -> str:
        if self._via(memory, names):
            return NOTHING_LOST
        if memory.way == "correct":
            return CORRECTION
        letters = [c for c in memory.content if c.isalpha()]
        return CJK if all("\u3400" <= c <= "\u9fff" for c in letters) else FINDABLE

    def _got(self, step: Step, outcome: Outcome, names: Names) -> Iterator[Broken]:
        memory = self.memories.get(referred(step.params.get("id")) or "")
        if memory is None or memory.state == "unknown":
            return
        if memory.place != step.access:
            yield from _kept_out(step, outcome)
            return
        via = self._via(memory, names)
        answer = outcome.answer
        if memory.state in ("forgotten", "purged", "masked"):
            content = None if answer is None else answer.record.content
            left = memory.state == "masked" and content is not None
            if content is not None and (not left or memory.content in content):
                expected: Expectation = Says("answer", "record.content", None)
                if left:
                    expected = Says("answer", "record.content", memory.content, "other than")
                yield Broken(
                    requirement=FORGOTTEN,
                    aspect=f"{memory.state} by id{via}",
                    expected=expected,
                    seen=repr(content),
                )
        elif memory.state == "active":
            if answer is None:
                yield refused(step, outcome, self._owed(memory, names))
            elif answer.record.content != memory.content:
                yield Broken(
                    requirement=FINDABLE,
                    aspect=f"content by id of {memory.way}{via}",
                    expected=Says("answer", "record.content", memory.content),
                    seen=repr(answer.record.content),
                )

    def _via(self, memory: Memory, names: Names) -> str:
        """What lies between the last change of a memory and its reader, and may be the cause."""
        if names.connection != memory.connection:
            return ", by another connection"
        return ", after a restart" if self._life != memory.life else ""


def _unseen(step: Step, memory: Memory) -> Expectation:
    if step.operation == "context":
        masked = memory.state == "masked"
        return Unseen(memory.key, memory.content, step.params["query"], step.access, masked)
    return Among(memory.key, there=False)


def _empty(step: Step, key: str, result: WriteResult) -> Iterator[Broken]:
    """A text of nothing is stored and nobody could ever ask for it."""
    if result.id is not None:
        expected: Expectation = Refused("invalid")
        if step.operation == "write_batch":
            expected = Says(f"outcome {key}", "id", None)
        yield Broken(
            requirement=ALIVE,
            aspect=f"an empty text by {step.operation}",
            expected=expected,
            seen=f"{key} {result.outcome} as {result.id!r}",
        )


def _answers(content: str, query: str) -> bool:
    """Whether a text holds every word of a question, so that any store must find it."""
    words = fact(query).split()
    return bool(words) and set(words) <= set(fact(content).split())


def _kept_out(step: Step, outcome: Outcome) -> Iterator[Broken]:
    """An id of another place is not found, as if it didn't exist."""
    if outcome.error is None or outcome.error.code != "not_found":
        yield Broken(
            requirement=WALL,
            aspect=f"{step.operation} of another place",
            expected=Refused("not_found"),
            seen=outcome.told,
        )
