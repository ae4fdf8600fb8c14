"""From what a tool answers to what the protocol wants, or to what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping as Table
from dataclasses import dataclass, field
from typing import Any

import msgspec

from memconform.protocol import StoreError, error_from
from memconform.protocol.errors import ErrorData
from memconform.wire.mcp import paths
from memconform.wire.mcp.faults import ServerFault
from memconform.wire.mcp.mapping import Each, ErrorRule, Field, OperationTable, regular

_SHOWN = 600  # characters of an answer that are kept to look at


class Unreadable(Exception):
    """An answer has another shape than the mapping says; the message says which."""


@dataclass
class Answer:
    """What a tool answered.

    Attributes:
        content: its content blocks as they came.
        structured: its structured content; null when there was none.
        is_error: whether the server marked it as an error.
        message: of an error of JSON-RPC instead of an answer.
    """

    content: list[Any] = field(default_factory=list)
    structured: Any = None
    is_error: bool = False
    message: str | None = None

    @property
    def text(self) -> str:
        """The texts of its content, one below the other."""
        if self.message is not None:
            return self.message
        texts = [block.get("text") for block in self.content if block.get("type") == "text"]
        return "\n".join(text for text in texts if isinstance(text, str))

    def shown(self) -> str:
        """For whoever has to see what came."""
        whole = self.text or json.dumps(self.structured, ensure_ascii=False)
        return whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}... ({len(whole)} characters)"

    def root(self, path: paths.Path) -> dict[str, Any]:
        """What a path of a mapping begins in; the text is read as JSON only when it is wanted."""
        root: dict[str, Any] = {"content": self.content, "text": self.text}
        root["isError"] = self.is_error
        if self.structured is not None:
            root["structuredContent"] = self.structured
        elif path.start == "structuredContent":
            raise Unreadable("it has no structuredContent")
        if path.start == "json":
            try:
                root["json"] = msgspec.json.decode(self.text)
            except (msgspec.DecodeError, RecursionError) as error:
                raise Unreadable(f"its text is no JSON: {error}") from error
        return root


def refusal(answer: Answer, operation: str, rules: tuple[ErrorRule, ...]) -> StoreError | None:
    """The structured error that an answer is; null where it is none.

    What no rule fits is ``internal``: nobody said what it means, so no scenario may expect it.
    """
    marked = answer.is_error or answer.message is not None
    text = answer.text
    for rule in rules:
        if rule.operations is not None and operation not in rule.operations:
            continue
        if (marked or rule.within == "any") and regular(rule.match).search(text):
            return error_from(ErrorData(code=rule.code, message=_sentence(text), detail=None))
    if not marked:
        return None
    how = "an error of JSON-RPC" if answer.message is not None else "an answer marked as an error"
    told = f"{how} that no rule of the mapping fits: {_sentence(text)}"
    return error_from(ErrorData(code="internal", message=told, detail=None))


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return f"{text[:300]}..." if len(text) > 300 else text or "(no text)"


def unreadable(operation: str, tool: str, told: str, answer: Answer) -> ServerFault:
    """The fault of an answer that the mapping can't read."""
    return ServerFault(
        "bad-answer",
        f"The answer of the tool {tool} can't be read as one to {operation}: {told}.",
        hint="Compare the paths of the mapping with what came.",
        evidence=answer.shown(),
    )


def memories(table: OperationTable, answer: Answer) -> list[dict[str, Any]]:
    """The memories of an answer, each with its fields.

    Raises:
        Unreadable: they aren't where the mapping says.
    """
    assert table.each is not None
    if table.none is not None and regular(table.none).search(answer.text):
        return []
    if isinstance(table.each, Each):
        searched = _text_at(table.each.path, answer)
        found: list[Any] = [m.groupdict() for m in regular(table.each.regex).finditer(searched)]
        if not found:
            # Without a sign that nothing was found, the regex may as well be the wrong one.
            raise Unreadable(
                "no memory is found in its text by the regex of each, and it doesn't say that there"
                " is none (none = a regex)"
            )
    else:
        path = paths.parse(table.each)
        found = paths_found(path, answer.root(path))
    return [fields(table.result, item, None) for item in found]


def fields(wanted: Table[str, str | Field], value: Any, answer: Answer | None) -> dict[str, Any]:
    """The wanted fields out of a memory, or out of a whole answer.

    Args:
        wanted: by the protocol's name.
        value: the memory; unused where the fields stand in the whole answer.
        answer: the whole answer; null where they stand in the memory.

    Raises:
        Unreadable: one isn't there, or isn't what it should be.
    """
    found = {}
    for name, told in wanted.items():
        spec = Field(path=told) if isinstance(told, str) else told
        try:
            found[name] = _field(spec, value, answer)
        except Unreadable as error:
            raise Unreadable(f"for {name}, {error}") from error
    return found


def _field(spec: Field, value: Any, answer: Answer | None) -> Any:
    if spec.value is not msgspec.UNSET:
        return spec.value
    path = paths.parse(spec.path or "text")
    try:
        found = paths_found(path, value if answer is None else answer.root(path))
        if spec.regex is not None and found is not None:
            found = _searched(spec.regex, found)
    except Unreadable:
        if spec.default is msgspec.UNSET:
            raise
        return spec.default
    if found is None and spec.default is not msgspec.UNSET:
        return spec.default
    if spec.split is not None and found is not None:
        found = [part.strip() for part in _as_text(found).split(spec.split) if part.strip()]
    if spec.map is not None and found is not None:
        word = _as_text(found)
        if word not in spec.map:
            raise Unreadable(f"{word[:80]!r} is none of the words of map: {', '.join(spec.map)}")
        return spec.map[word]
    return found


def _searched(regex: str, found: Any) -> Any:
    text = _as_text(found)
    match = regular(regex).search(text)
    if match is None:
        raise Unreadable(f"the regex {regex!r} is not found in its text")
    if "value" in match.groupdict():
        return match["value"]
    return match[1] if match.re.groups else match[0]


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None or isinstance(value, (int, float)):
        return json.dumps(value)
    raise Unreadable(f"a text is wanted and {paths.kind(value)} is there")


def _text_at(path: str, answer: Answer) -> str:
    parsed = paths.parse(path)
    return _as_text(paths_found(parsed, answer.root(parsed)))


def paths_found(path: paths.Path, value: Any) -> Any:
    """The value at a path.

    Raises:
        Unreadable: there is none.
    """
    try:
        return paths.find(path, value)
    except paths.Missing as error:
        raise Unreadable(str(error)) from error
