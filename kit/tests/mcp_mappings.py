"""Mappings of the notebook server of drivers/mcp_server.py, for the tests of MCP targets."""

import json
import sys
from pathlib import Path

DRIVER = Path(__file__).parent / "drivers" / "mcp_server.py"

OPERATIONS = """
[operations.write]
tool = "keep"
arguments = { text = "{content}" }
result = { id = "structuredContent.id" }

[operations.recall]
tool = "find"
arguments = { query = "{query}" }
each = "structuredContent.items[*]"
result = { id = "id", content = "text" }

[operations.get]
tool = "show"
arguments = { id = "{id:int}" }
result.id = "structuredContent.id"
result.content = "structuredContent.text"
result.state = { path = "structuredContent.status", map = { here = "active", gone = "forgotten" } }

[operations.forget]
tool = "drop"
arguments = { id = "{id:int}" }

[[errors]]
match = "there is no note"
code = "not_found"
"""


def server(sin="keeps to all", pids=None, more="", *, python=sys.executable):
    """The beginning of a mapping, up to its operations."""
    args = ["-S", "-E", str(DRIVER), sin, *([str(pids)] if pids else [])]
    command = f"command = {json.dumps(python)}\nargs = {json.dumps(args)}"
    return f"mapping = 1\n[server]\n{command}\n{more}\n"


def notebook(sin="keeps to all", pids=None, more=""):
    """A whole mapping."""
    return server(sin, pids, more) + OPERATIONS
