"""Which column of a foreign table is what, read from a TOML file.

::

    [columns]                # ours = theirs
    query_id = "request"
    memory_id = "doc"
    final_score = "score"
    lexical = "coverage"

    [values]                 # what is the same in every row
    store = "my store"
    language = "latin"

    [retrieval]
    by = ["request", "asked_at"]     # rows that agree in these are one retrieval

A column that isn't named keeps its own name, where that is one of ours. Without ``by`` a retrieval
is what has one ``retrieval_id``, or else one query and one timestamp. Where there is a
``query_text`` and no ``query_id``, id and language are made of the text.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from memconform.traces.errors import TraceError
from memconform.traces.schema import CANDIDATES, RETRIEVALS

# What an import works out itself.
_OURS_ALONE = {"day", "gate_value", "passes_always", "gate_code", "selected_count"}
KNOWN = tuple(
    dict.fromkeys(n for n in (*RETRIEVALS.names, *CANDIDATES.names) if n not in _OURS_ALONE)
)


class Retrieval(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which columns tell one retrieval from another."""

    by: tuple[str, ...] = ()


class Mapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    columns: dict[str, str] = {}
    values: dict[str, str | float | bool] = {}
    retrieval: Retrieval = Retrieval()


def load(path: Path) -> Mapping:
    """Read a mapping.

    Raises:
        TraceError: it can't be read, or names what there is not.
    """
    try:
        mapping = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Mapping)
    except OSError as error:
        raise TraceError(f"--mapping {path} can't be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise TraceError(f"--mapping {path} is no mapping: {error}.") from error
    strange = sorted({*mapping.columns, *mapping.values} - set(KNOWN))
    if strange:
        raise TraceError(
            f"--mapping {path} names {strange[0]!r}, which is no column of a trace store; "
            f"there are {', '.join(KNOWN)}."
        )
    twice = sorted(set(mapping.columns) & set(mapping.values))
    if twice:
        raise TraceError(f"--mapping {path} has {twice[0]!r} both as a column and as a value.")
    return mapping
