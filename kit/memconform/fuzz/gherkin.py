"""A program and what it should have shown, as a scenario in the suite's own steps.

Source of the words and of how cells are read: memconform.suite.steps, memconform.suite.cells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memconform.fuzz.expect import (
    Among,
    Answered,
    Expectation,
    Found,
    GivesWay,
    Kept,
    Refused,
    Says,
    Unseen,
)
from memconform.fuzz.steps import Program, Step, referred
from memconform.protocol import OPERATIONS, RECALL_OPTIONS, Capability
from memconform.verdict.layout import aligned

Table = Sequence[tuple[str, ...]]
Line = tuple[str, Table]  # the text of a step and the rows of its table

_PLAIN = re.compile(r"[^\W\d_](?:[\w ,.'?!-]*[\w.?!])?")
_PLAIN_QUERY = re.compile(r"[\w](?:[\w ,.'?!-]*[\w.?!])?")
_RUN = re.compile(r"([^\"\\{}\s])\1{23,}")
_ACCESS = ("workspace", "project", "namespace", "session", "agent")
# Fields of a record that need a capability beside the operation.
_FIELDS: Mapping[str, Capability] = {
    "workspace": "workspaces",
    "project": "projects",
    "namespace": "namespaces",
    "tags": "tags",
    "confidence": "confidence",
    "validFrom": "validity",
    "validTo": "validity",
    "expiresAt": "validity",
    "ttlMs": "validity",
}


def scenario(title: str, program: Program, expected: Expectation) -> str:
    """The scenario, indented as it stands under a rule, its tags above it."""
    lines = [f"    {' '.join(_tags(program))}"] if _tags(program) else []
    lines.append(f"    Scenario: {title}")
    *before, (last, table) = _told(program)
    keyword = "Given"
    for text, rows in before:
        lines += _written(keyword, text, rows)
        keyword = "And"
    lines += _written("When", last, table)
    text, rows = _look(program[-1], expected)
    lines += _written("Then", text, rows)
    return "\n".join(lines) + "\n"


def steps(program: Program) -> int:
    """How many steps the scenario of a program has, its last look included."""
    return len(_told(program)) + 1


def needs(program: Program) -> list[Capability]:
    """The capabilities that a program asks for, sorted."""
    found: set[Capability] = set()
    for step in program:
        row = OPERATIONS.get({"use": "second"}.get(step.operation, step.operation))
        if row is not None and row.capability is not None:
            found.add(row.capability)
        names = [name for record in step.records for name in record]
        found.update(_FIELDS[name] for name in (*names, *step.access) if name in _FIELDS)
        if step.operation == "recall":
            found.update(RECALL_OPTIONS[name] for name in step.params if name in RECALL_OPTIONS)
        if step.operation in ("open", "reopen") and "clock" in step.params:
            found.add("clock")
    return sorted(found)


def _tags(program: Program) -> list[str]:
    return [f"@needs:{capability}" for capability in needs(program)]


def _written(keyword: str, text: str, rows: Table) -> list[str]:
    table = aligned(rows) if rows else []
    return [f"      {keyword} {text}", *(f"        {line}" for line in table)]


# --- cells ---------------------------------------------------------------------------------------


def text_cell(text: str) -> str:
    """A text in a column of texts: as it stands, or as JSON where it would be misread."""
    return _escaped(_runs(text, quoted=not (_PLAIN.fullmatch(text) and not _is_json(text))))


def value_cell(value: Any) -> str:
    """A value as JSON, its texts always in quotes."""
    return _escaped(_json(value))


def _json(value: Any) -> str:
    if isinstance(value, str):
        key = referred(value)
        return json.dumps(value) if key is not None else _runs(value, quoted=True)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_json(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(k)}: {_json(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def _runs(text: str, *, quoted: bool) -> str:
    """A text with long runs of one letter in the suite's short form."""
    shown, last = "", 0
    for match in _RUN.finditer(text):
        shown += _plain_json(text[last : match.start()]) if quoted else text[last : match.start()]
        shown += f'{{{len(match[0])} times "{match[1]}"}}'
        last = match.end()
    rest = text[last:]
    return f'"{shown}{_plain_json(rest)}"' if quoted else shown + rest


def _plain_json(text: str) -> str:
    """The inside of a JSON string; what can't be seen, or would be filled in, is escaped."""
    shown = ""
    for character in text:
        if character == "{" or not character.isprintable() or character in "\u0300\u0301":
            shown += json.dumps(character)[1:-1] if character != "{" else "\\u007b"
        else:
            shown += json.dumps(character, ensure_ascii=False)[1:-1]
    return shown


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", "\\n")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def header(name: str) -> str:
    """A field as a table's words: ``validFrom`` is ``valid from``."""
    return re.sub(r"[A-Z]", lambda match: " " + match[0].lower(), name)


# --- steps ---------------------------------------------------------------------------------------


def _told(program: Program) -> list[Line]:
    """The steps as the suite says them; writes that follow one another share a table."""
    lines: list[Line] = []
    writes: list[Mapping[str, Any]] = []
    for step in program:
        if step.operation == "write":
            writes.append(step.params["record"])
            continue
        if writes:
            lines.append(("these memories are written:", _records(writes)))
            writes = []
        if step.operation != "same":
            lines.append(_line(step))
    if writes:
        lines.append(("these memories are written:", _records(writes)))
    return lines


def _line(step: Step) -> Line:  # noqa: PLR0911 - one return a kind of step
    params = step.params
    match step.operation:
        case "open":
            return ("an empty store with:", _settings(params)) if params else ("an empty store", ())
        case "reopen":
            if params:
                return "the store is restarted with:", _settings(params)
            return "the store is restarted", ()
        case "use":
            return f"the {params['connection']} connection is used", ()
        case "set_clock":
            return f'the clock shows "{params["time"]}"', ()
        case "keep":
            return "the answer is kept", ()
        case "many":
            return f'{params["count"]} memories are written like "{params["pattern"]}"', ()
        case "write_batch":
            return "these memories are written in one batch:", _records(params["records"])
        case "forget" if set(params) == {"id"}:
            return f'"{referred(params["id"])}" is forgotten', ()
        case "recall" if _PLAIN_QUERY.fullmatch(params["query"]):
            rest = {name: value for name, value in params.items() if name != "query"}
            text = f'"{params["query"]}" is recalled'
            return (f"{text} with:", _arguments(rest)) if rest else (text, ())
    table = _arguments(params) or [("access", "{}")]  # a step with a table needs one
    return f'the operation "{step.operation}" is called with:', table


def _settings(params: Mapping[str, Any]) -> Table:
    rows: list[tuple[str, ...]] = []
    for name, value in params.items():
        for inner, item in value.items() if name == "policy" else ((name, value),):
            cell = ", ".join(item) if isinstance(item, list) else item
            rows.append((header(inner), cell if isinstance(cell, str) else json.dumps(cell)))
    return rows


def _records(records: Iterable[Mapping[str, Any]]) -> Table:
    records = list(records)
    names = list(dict.fromkeys(name for record in records for name in record))
    rows = [tuple(_field(name, record.get(name)) for name in names) for record in records]
    return [tuple(header(name) for name in names), *rows]


def _field(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "tags":
        return _escaped(", ".join(value))
    if name == "supersedes":
        return referred(value) or ""
    return text_cell(value) if isinstance(value, str) else value_cell(value)


def _arguments(params: Mapping[str, Any]) -> Table:
    rows: list[tuple[str, ...]] = []
    for name, value in params.items():
        if name == "access":
            rows += [(place, text_cell(at)) for place, at in value.items()]
        elif name == "filters":
            rows += [(field, _escaped(", ".join(some))) for field, some in value.items()]
        elif name in ("id", "by"):
            rows.append((name, referred(value) or ""))
        elif isinstance(value, str):
            rows.append((name, text_cell(value)))
        else:
            rows.append((name, value_cell(value)))
    return rows


# --- looks ---------------------------------------------------------------------------------------


def _look(  # noqa: PLR0911 - one return a kind of look
    last: Step, expected: Expectation
) -> Line:
    match expected:
        case Found(keys=()):
            return "nothing is found", ()
        case Found(keys=keys, ordered=ordered):
            return f"these are found{' in order' if ordered else ''}:", [(key,) for key in keys]
        case Among(key=key, there=there):
            return f'"{key}" is {"" if there else "not "}found', ()
        case GivesWay(old=old, new=new):
            return f'"{old}" gives way to "{new}"', ()
        case Refused(code=code):
            return f'the call is refused as "{code}"', ()
        case Kept():
            return "the answer equals the kept one", ()
        case Unseen(key=key, query=query, access=access):
            table = _arguments({"query": query, "access": access})
            return f'"{key}" is seen on no surface with:', table
        case Says(part=part, path=path, value=value, bound=bound):
            cell = f"{bound} {_json(value)}".strip()
            return f'the "{part}" says:', [(path, _escaped(cell))]
        case Answered():
            return _any_answer(last)


def _any_answer(last: Step) -> Line:
    """A look at something that every answer to this step has: it fails where there is none."""
    if last.operation in ("open", "use", "reopen"):
        return 'the "store" says:', [("name", "other than null")]
    return 'the "answer" says:', [("*", "other than null")]
