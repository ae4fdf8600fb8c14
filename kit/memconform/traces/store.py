"""A trace store on disk: its parts, and a DuckDB connection with its tables as views."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from memconform.traces.errors import MissingPackage, TraceStoreError
from memconform.traces.schema import (
    CANDIDATES,
    LABELS,
    MANIFEST,
    QUERY_LABELS,
    RETRIEVALS,
    STORE_SCHEMA,
    Table,
)

if TYPE_CHECKING:
    import duckdb


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Retrievals of one day that were imported together, with all of their candidates."""

    name: str
    day: str
    retrievals: int
    candidates: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The list of parts. It is replaced whole, so an interrupted import leaves the old one."""

    schema: str
    parts: list[Part]


@dataclass(frozen=True)
class TraceStore:
    """A folder of traces and what is in it at this moment."""

    folder: Path
    parts: tuple[Part, ...]

    def path(self, table: str, part: Part) -> Path:
        """The file of one part: ``table`` is retrievals, candidates or gate_values."""
        return self.folder / table / f"day={part.day}" / f"{part.name}.parquet"

    @property
    def labels(self) -> Path | None:
        """The labels, where there are any."""
        path = self.folder / "labels.parquet"
        return path if path.is_file() else None

    @property
    def query_labels(self) -> Path | None:
        """The judged queries, where there are any."""
        path = self.folder / "query_labels.parquet"
        return path if path.is_file() else None

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A DuckDB connection in memory with views; ``.sql("...").pl()`` gives a Polars frame.

        Raises:
            MissingPackage: DuckDB is not installed.
        """
        try:
            import duckdb
        except ImportError as error:
            raise MissingPackage("duckdb") from error
        connection = duckdb.connect()
        for table in (RETRIEVALS, CANDIDATES):
            files = [self.path(table.name, part) for part in self.parts]
            connection.execute(view_of(table, files, partitioned=True))
        for table, file in ((LABELS, self.labels), (QUERY_LABELS, self.query_labels)):
            connection.execute(view_of(table, [file] if file else [], partitioned=False))
        return connection


def open_store(folder: Path | str) -> TraceStore:
    """The trace store in a folder.

    Raises:
        TraceStoreError: there is none, or its list of parts can't be read.
    """
    folder = Path(folder)
    path = folder / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError as error:
        raise TraceStoreError(
            f"{folder} holds no traces; make some with memconform traces import SOURCE --out DIR."
        ) from error
    except (OSError, msgspec.DecodeError) as error:
        raise TraceStoreError(f"{path} can't be read: {error}.") from error
    if manifest.schema != STORE_SCHEMA:
        raise TraceStoreError(
            f"{path} is {manifest.schema!r}, not {STORE_SCHEMA}; import the traces anew."
        )
    return TraceStore(folder.absolute(), tuple(manifest.parts))


def connect(folder: Path | str) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection with views retrievals, candidates, labels and query_labels.

    Raises:
        TraceStoreError: the folder holds no traces.
        MissingPackage: DuckDB is not installed.
    """
    return open_store(folder).connect()


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def view_of(table: Table, files: list[Path], *, partitioned: bool) -> str:
    """The statement that makes the view of a table over its files, which may be none."""
    if not files:
        columns = ", ".join(f"NULL::{c.type} AS {c.name}" for c in table.columns)
        return f"CREATE VIEW {table.name} AS SELECT {columns} LIMIT 0"
    columns = ", ".join(f'"{c.name}"::{c.type} AS "{c.name}"' for c in table.columns)
    paths = ", ".join(literal(file) for file in files)
    how = ", hive_partitioning = true, hive_types = {'day': DATE}" if partitioned else ""
    return f"CREATE VIEW {table.name} AS SELECT {columns} FROM read_parquet([{paths}]{how})"  # noqa: S608 - names of this module, quoted paths


def literal(path: Path) -> str:
    """A path as an SQL literal that means this file and no pattern."""
    return quoted("".join(f"[{c}]" if c in "*?[" else c for c in str(path)))
