"""``mcp:FILE.toml``: an MCP server, reached as a mapping file says."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping as Table
from dataclasses import dataclass
from pathlib import Path

from memconform.targets.base import Progress, silent, slug
from memconform.targets.errors import UsageError
from memconform.wire.client import Connection
from memconform.wire.mcp import Mapping, MappingError, McpTransport, read_mapping
from memconform.wire.transport import Way


@dataclass(frozen=True)
class McpTarget:
    """A server behind a mapping, which has been read."""

    name: str
    file: Path
    mapping: Mapping
    way: Way = "wire"

    @property
    def slug(self) -> str:
        """A safe folder name."""
        return slug(self.name)

    @property
    def time_limit_s(self) -> float:
        """As the mapping says."""
        return self.mapping.server.time_limit_s

    @property
    def has_system(self) -> bool:
        """The mapping keeps nothing; what is behind its tools isn't known."""
        return True

    @property
    def cut_off(self) -> Table[str, str]:
        """Nothing is known of it."""
        return {}

    def prepare(self, progress: Progress = silent) -> None:
        """Nothing takes long."""

    def connect(self) -> Connection:
        """A connection that starts the adapter, and it the server, with its first message."""
        return self._started(None)

    def apart(self, variables: Table[str, str], *, bare: bool = False) -> Connection | None:
        """The same with more variables; what packages the server uses isn't known."""
        return None if bare else self._started({**os.environ, **variables})

    def _started(self, env: Table[str, str] | None) -> Connection:
        server = self.mapping.server
        transport = McpTransport(
            self.file,
            time_limit_s=server.time_limit_s,
            start_limit_s=server.start_limit_s,
            env=env,
        )
        return Connection(transport)


def mcp(file: str) -> McpTarget:
    """The server that a mapping file describes.

    Raises:
        UsageError: the package for MCP isn't installed, or the file is no mapping.
    """
    if not file.strip():
        raise UsageError("mcp: names no mapping; write mcp:FILE.toml (docs/mcp.md).")
    if importlib.util.find_spec("mcp") is None:
        raise UsageError(
            f"mcp:{file} needs the package mcp, which isn't installed here;"
            " pip install 'memconform[mcp]' brings it."
        )
    path = Path(file)
    try:
        mapping = read_mapping(path)
    except MappingError as error:
        raise UsageError(str(error)) from error
    return McpTarget(f"mcp:{file}", path.resolve(), mapping)
