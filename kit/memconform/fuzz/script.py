"""A program and what it should have shown, as a Python script that needs only memconform."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memconform.fuzz.expect import (
    Among,
    Answered,
    Broken,
    Expectation,
    Found,
    GivesWay,
    Kept,
    Refused,
    Says,
    Unseen,
)
from memconform.fuzz.steps import Program, Step, made, references, referred

_RUN = re.compile(r"(.)\1{23,}", re.DOTALL)
_POSITION = re.compile(r"-?[0-9]+")


def script(
    target: str, program: Program, broken: Broken, *, wire: bool = False, batch: bool = True
) -> str:
    """The script; while the fault is there it ends with an AssertionError or the wire's own error.

    Args:
        target: the TARGET string.
        program: what is done.
        broken: what should have been seen and wasn't.
        wire: whether the target was run in a process of its own.
        batch: whether it takes many memories in one call.
    """
    return "\n".join((*_lines(target, program, broken, wire=wire, batch=batch), ""))


def _lines(
    target: str, program: Program, broken: Broken, *, wire: bool, batch: bool
) -> Iterator[str]:
    # What goes into the script is data: as a literal it can't end the string that it stands in.
    yield f"# {broken.requirement}"
    yield f"# Expected: {_comment(str(broken.expected))}."
    if isinstance(broken.expected, Refused):
        yield "from memconform.protocol import StoreError"
    if _needs_plain(broken.expected):
        yield "from memconform.model import to_plain"
    yield "from memconform.targets import resolve"
    yield ""
    way = ", wire=True" if wire else ""
    yield f"connection = resolve({target!r}{way})[0].connect()"
    used = {key for step in program for key in references(step.params)}
    used |= set(_mentioned(broken.expected))
    for step in program[:-1]:
        yield from _statement(step, program, used, batch=batch)
    yield from _ending(program, used, broken.expected, batch=batch)


def _comment(text: str) -> str:
    return ascii(text)[1:-1][:200]


def _needs_plain(expected: Expectation) -> bool:
    return isinstance(expected, (Says, Kept, GivesWay))


def _mentioned(expected: Expectation) -> Iterator[str]:
    match expected:
        case Found(keys=keys):
            yield from keys
        case Among(key=key):
            yield key
        case Unseen(key=key, masked=False):
            yield key
        case GivesWay(old=old, new=new):
            yield from (old, new)
        case Says(part=part, path=path, value=value):
            yield from references(value)
            yield from (key for key in re.findall(r"\[([^\]]*)\]", path) if not _is_number(key))
            if part.startswith("hit "):
                yield part.removeprefix("hit ")


def _is_number(name: str) -> bool:
    return bool(_POSITION.fullmatch(name))


# --- calls ---------------------------------------------------------------------------------------


def _call(step: Step) -> str:
    """The expression that makes a call."""
    if step.operation == "open":
        return f"connection.open({literal(step.params) if step.params else ''})"
    if step.operation == "reopen":
        return f"store.reopen({literal(step.params) if step.params else ''})"
    arguments = "".join(f", {_snake(n)}={literal(value)}" for n, value in step.params.items())
    return f"store.call({step.operation!r}{arguments})"


def _statement(
    step: Step, program: Program, used: set[str], *, batch: bool, last: bool = False
) -> Iterator[str]:
    """The lines of a step; the answer of the last one is called ``seen``."""
    keys = [key for key in made(step) if key in used]
    match step.operation:
        case "open" | "reopen":
            yield f"store = {_call(step)}"
            if step.operation == "open" and any(s.operation == "use" for s in program):
                yield "connections = {'first': store}"
            elif any(s.operation == "use" for s in program):
                yield "connections['first'] = store"
        case "use":
            which = step.params["connection"]
            if which == "second":
                yield "connections['second'] = connections.get('second') or store.second()"
            yield f"store = connections[{which!r}]"
        case "keep":
            yield "kept = to_plain(seen)"
        case "many":
            yield from _many(step, batch)
        case "write_batch":
            yield f"seen = {_call(step)}"
            for place, key in enumerate(made(step)):
                if key in used:
                    yield f"{key} = seen.outcomes[{place}].id"
        case _ if keys:
            yield f"seen = {_call(step)}" if last else f"{keys[0]} = {_call(step)}.id"
        case _:
            kept = any(s.operation == "keep" for s in program)
            yield f"seen = {_call(step)}" if last or kept else _call(step)


def _many(step: Step, batch: bool) -> Iterator[str]:
    count, pattern = step.params["count"], step.params["pattern"]
    content = f"{pattern!r}.replace('(n)', str(i))"
    yield f"records = [{{'key': f'n{{i}}', 'content': {content}}} for i in range(1, {count + 1})]"
    if batch:
        yield "n = [made.id for made in store.call('write_batch', records=records).outcomes]"
    else:
        yield "n = [store.call('write', record=record).id for record in records]"


def name(key: str) -> str:
    """The variable that holds the id of a memory; those of a crowd are in a list."""
    return f"n[{int(key[1:]) - 1}]" if key.startswith("n") else key


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), name)


def literal(value: Any) -> str:
    """A JSON-like value as Python; a reference is the variable of its key."""
    if isinstance(value, str):
        key = referred(value)
        return name(key) if key is not None else _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {literal(item)}" for name, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    return repr(value)


def _text(text: str) -> str:
    parts, last = [], 0
    for match in _RUN.finditer(text):
        if match.start() > last:
            parts.append(repr(text[last : match.start()]))
        parts.append(f"{match[1]!r} * {len(match[0])}")
        last = match.end()
    if last < len(text) or not parts:
        parts.append(repr(text[last:]))
    return " + ".join(parts)


# --- the end -------------------------------------------------------------------------------------


def _ending(
    program: Program, used: set[str], expected: Expectation, *, batch: bool
) -> Iterator[str]:
    last = program[-1]
    if isinstance(expected, Refused):
        yield "try:"
        yield f"    raise AssertionError({_call(last)})"
        yield "except StoreError as error:"
        yield f"    assert error.code == {expected.code!r}, error"
        return
    if last.operation != "same":
        yield from _statement(last, program, used, batch=batch, last=True)
    if last.operation in ("write", "correct"):
        yield from (f"{key} = seen.id" for key in made(last) if key in used)
    yield from _assertion(last, expected)


def _assertion(last: Step, expected: Expectation) -> Iterator[str]:
    hits = "seen.records" if last.operation == "list_records" else "seen.hits"
    ids = f"[hit.id for hit in {hits}]"
    match expected:
        case Answered():
            return
        case Found(keys=keys, ordered=ordered):
            wanted = f"[{', '.join(map(name, keys))}]"
            yield (
                f"assert {ids} == {wanted}, seen"
                if ordered or not keys
                else f"assert sorted({ids[1:-1]}) == sorted({wanted}), seen"
            )
        case Among(key=key, there=there):
            yield f"assert {name(key)} {'in' if there else 'not in'} {ids}, seen"
        case GivesWay(old=old, new=new, hidden=hidden):
            yield f"ids, states = {ids}, {{hit.id: hit.state for hit in {hits}}}"
            yield f"assert {new} in ids, seen"
            if hidden:
                yield f"assert {old} not in ids, seen"
            else:
                below = f"ids.index({new}) < ids.index({old})"
                yield f"assert {old} not in ids or {below}, seen"
                yield f"assert states.get({old}, 'superseded') == 'superseded', seen"
        case Kept():
            yield "now = to_plain(seen)"
            yield "for answer in (kept, now):"
            yield "    (answer.get('trace') or {}).pop('timestamp', None)"
            yield "assert now == kept, (kept, now)"
        case Unseen(key=key, content=content, masked=masked):
            if not masked:
                yield f"assert {name(key)} not in [*seen.ids, *seen.cut], seen"
            yield f"assert {literal(content)} not in seen.text, seen"
        case Says():
            yield from _says(last, expected, hits)


def _says(last: Step, expected: Says, hits: str) -> Iterator[str]:
    part, _, key = expected.part.partition(" ")
    start = "to_plain(seen)"
    if part == "trace":
        start = "to_plain(seen.trace)"
    elif part == "hit":
        start = f"to_plain(next(hit for hit in {hits} if hit.id == {name(key)}))"
    elif part == "outcome" and last.operation == "write_batch":
        place = list(made(last)).index(key)
        start = f"to_plain(seen.outcomes[{place}])"
    yield f"value = {start}{_path(expected.path)}"
    value = literal(expected.value)
    if expected.path.endswith("length"):
        yield f"assert len(value) {'<=' if expected.bound == 'at most' else '=='} {value}, value"
    elif isinstance(expected.value, float):
        yield f"assert abs(value - {value}) < 1e-9, value"
    else:
        sign = {"": "==", "at most": "<=", "at least": ">=", "other than": "!="}
        if expected.bound == "containing":
            yield f"assert {value} in value, value"
        else:
            yield f"assert value {sign[expected.bound]} {value}, value"


def _path(path: str) -> str:
    """A path of the suite's tables as Python subscripts; a length is taken at the end."""
    shown = ""
    for part in re.findall(r"[^.\[\]]+|\[[^\]]*\]", path):
        if part == "length":
            continue
        if not part.startswith("["):
            shown += f"[{part!r}]"
        elif _is_number(part[1:-1]):
            shown += part
        else:
            ids = f"[entry['memoryId'] for entry in to_plain(seen.trace){shown}]"
            shown += f"[{ids}.index({name(part[1:-1])})]"
    return shown
