"""The step texts of the suite as Cucumber expressions, and which of them a step matches."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memconform.suite.steps import VOCABULARY, StepText
from memconform.verdict.messages.documents import Message

_PLACEHOLDER = re.compile(r"\{(\w+)(:\w+)?\}")
_FILE = "memconform/suite/steps.py"


@dataclass(frozen=True)
class Definition:
    """One step text.

    Attributes:
        id: of its message.
        text: as the suite writes it.
        names: its placeholders, in order.
    """

    id: str
    text: str
    names: tuple[str, ...]

    @functools.cached_property
    def pattern(self) -> StepText:
        """What matches a step."""
        return StepText(self.text)

    @property
    def expression(self) -> str:
        """The text as a Cucumber expression: placeholders without their kind."""
        return _PLACEHOLDER.sub(r"{\1}", self.text)

    def arguments(self, values: dict[str, str]) -> list[Message]:
        """Where each value stands in a step that matches, counted in UTF-16 units as readers do."""
        literals = _PLACEHOLDER.sub("\0", self.text).split("\0")
        found, place = [], _units(literals[0])
        for name, literal in zip(self.names, literals[1:], strict=True):
            value = values[name]
            group = {"start": place, "value": value}
            found.append({"group": group, "parameterTypeName": name})
            place += _units(value) + _units(literal)
        return found


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@functools.cache
def definitions() -> tuple[Definition, ...]:
    """All step texts of the suite, in their order."""
    return tuple(
        Definition(f"step-{n}", text, tuple(name for name, _ in _PLACEHOLDER.findall(text)))
        for n, text in enumerate(VOCABULARY, 1)
    )


def envelopes() -> Iterator[Message]:
    """The placeholders as parameter types, then the step texts."""
    kinds = {name: kind for text in VOCABULARY for name, kind in _PLACEHOLDER.findall(text)}
    for name, kind in kinds.items():
        expression = r"\d+" if kind == ":n" else ".*" if name == "query" else '[^"]*'
        yield {
            "parameterType": {
                "id": f"parameter-{name}",
                "name": name,
                "regularExpressions": [expression],
                "preferForRegularExpressionMatch": False,
                "useForSnippets": False,
            }
        }
    for one in definitions():
        yield {
            "stepDefinition": {
                "id": one.id,
                "pattern": {"source": one.expression, "type": "CUCUMBER_EXPRESSION"},
                "sourceReference": {"uri": _FILE},
            }
        }


@functools.lru_cache(maxsize=4096)
def matched(text: str) -> tuple[list[str], list[Message]]:
    """The definitions that a step matches, and the arguments of each."""
    ids, lists = [], []
    for one in definitions():
        values = one.pattern.parse_arguments(text)
        if values is not None:
            ids.append(one.id)
            lists.append({"stepMatchArguments": one.arguments(values)})
    return ids, lists
