"""The mapping file: which server, how a fresh store comes about, which tool does what.

These are its tables; ``loading`` reads a file and says what is wrong with it.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from memconform.model import from_plain
from memconform.protocol import Capability, ErrorCode, Policies, policies
from memconform.wire.transport import TIME_LIMIT_S

SCHEMA = "memconform-mcp-mapping/1"
START_LIMIT_S = 30.0
REQUIRED = ("write", "recall", "forget", "get")
PLACES = ("workspace", "project", "namespace")

Fresh = Literal["process", "files", "reset", "argument"]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a mapping."""


class Call(_Table, frozen=True, kw_only=True):
    """A tool and its arguments, with placeholders."""

    tool: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class Server(_Table, frozen=True, kw_only=True):
    """How the server is reached, and how it gives a fresh store.

    Attributes:
        command: the program, started without a shell; else there is ``url``.
        args: its arguments; {root}, {here} and {python} stand for folders and the kit's Python.
        env: variables beside the kit's own, with the same placeholders.
        cwd: where it runs; the folder of the mapping when absent.
        url: of a server that runs already, by streamable HTTP on this machine.
        fresh: what ``open`` does: a new process in a new folder; the folder emptied; a tool that
            empties the store; or a name of its own for the store in every call's arguments.
        reset: that tool.
        time_limit_s: for what the kit asks for, in seconds.
        start_limit_s: for a start of the server, in seconds.
    """

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    fresh: Fresh = "process"
    reset: Call | None = None
    time_limit_s: Annotated[float, Meta(gt=0.0, le=600.0)] = TIME_LIMIT_S
    start_limit_s: Annotated[float, Meta(gt=0.0, le=600.0)] = START_LIMIT_S


class Store(_Table, frozen=True, kw_only=True):
    """What ``hello`` says; name and version are the server's own words when absent."""

    name: str | None = None
    version: str | None = None
    language: str = "mcp"
    homepage: str | None = None
    capabilities: tuple[Capability, ...] = ()
    profiles: tuple[str, ...] = ()
    policies: dict[str, Any] = msgspec.field(default_factory=dict)


class Field(_Table, frozen=True, kw_only=True):
    """A value of an answer, told more closely than by a path.

    Attributes:
        path: where it stands; for a regex, the text that is searched, ``text`` when absent.
        regex: takes a part of that text: the group ``value``, else the first group, else all.
        split: makes a list of a text that is divided by this.
        map: makes a word of the protocol of each word of the server.
        default: when there is nothing at the path, or the regex isn't found.
        value: this, whatever is answered.
    """

    path: str | None = None
    regex: str | None = None
    split: str | None = None
    map: dict[str, Any] | None = None
    default: Any = msgspec.UNSET
    value: Any = msgspec.UNSET


class Each(_Table, frozen=True, kw_only=True):
    """The memories in an answer of prose: each place where the regex is found is one.

    Attributes:
        regex: its named groups are the fields of the memory.
        path: the text that is searched.
    """

    regex: str
    path: str = "text"


class OperationTable(_Table, frozen=True, kw_only=True):
    """What an operation of the protocol is at the server.

    Attributes:
        tool: the tool that does it.
        arguments: what it is given, with placeholders.
        unsupported: instead of a tool, why there is none.
        each: where the memories stand in the answer; of ``get``, the one with the id is taken.
        none: a regex; an answer whose text it is found in holds no memory.
        result: the fields of the answer, or of each memory: a path, or a table.
    """

    tool: str | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    unsupported: str | None = None
    each: str | Each | None = None
    none: str | None = None
    result: dict[str, str | Field] = msgspec.field(default_factory=dict)


class ErrorRule(_Table, frozen=True, kw_only=True):
    """What a refusal in the server's words is in the protocol's.

    Attributes:
        match: a regex that is searched in the text.
        code: the protocol's code.
        within: ``error``: only answers marked as errors, and errors of JSON-RPC; ``any``: others
            too, for a server that says so in an ordinary answer.
        operations: null is all.
    """

    match: str
    code: ErrorCode
    within: Literal["error", "any"] = "error"
    operations: tuple[str, ...] | None = None


class Mapping(_Table, frozen=True, kw_only=True):
    """A mapping file.

    Attributes:
        mapping: the version of what stands here.
        server: the table [server].
        store: the table [store].
        operations: the tables [operations.NAME].
        errors: the tables [[errors]], the first that fits counts.
    """

    mapping: Literal[1]
    server: Server
    store: Store = Store()
    operations: dict[str, OperationTable] = msgspec.field(default_factory=dict)
    errors: tuple[ErrorRule, ...] = ()

    @property
    def declared(self) -> Policies:
        """The policies of a plain store, with what is said of them here."""
        plain = {**msgspec.to_builtins(policies()), **self.store.policies}
        return from_plain(plain, Policies)


def regular(regex: str) -> re.Pattern[str]:
    """A regular expression as mappings mean it: ``.`` stops at a line's end, ``^`` sees each line.

    Raises:
        re.error: it is none.
    """
    return re.compile(regex, re.MULTILINE)
