"""``mcp:FILE.toml``: a name that is kept for MCP servers."""

from __future__ import annotations

from typing import NoReturn

from memconform.targets.errors import UsageError


def mcp(file: str) -> NoReturn:
    """Say that there is none yet, and what to do instead."""
    raise UsageError(
        f"mcp:{file} can't be measured: MCP servers are not available in this version;"
        " write a small adapter for it and name that as stdio:COMMAND."
    )
