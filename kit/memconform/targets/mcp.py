"""``mcp:FILE.toml``: a name that is kept for MCP servers."""

from __future__ import annotations

from memconform.targets.base import Target
from memconform.targets.errors import UsageError


def mcp(file: str) -> Target:
    """The server that a mapping file describes.

    Raises:
        UsageError: always, in this version; the message says what to do instead.
    """
    raise UsageError(
        f"mcp:{file} can't be measured: MCP servers are not available in this version;"
        " write a small adapter for it and name that as stdio:COMMAND."
    )
