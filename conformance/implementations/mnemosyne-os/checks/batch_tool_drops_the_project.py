"""The MCP tool retain_batch takes a project and stores without it.

Its schema lists the field; what is stored belongs to no project and isn't found in the one named.
"""

import sys
import tempfile

from mnemosyne.webui import mcp_server

with tempfile.TemporaryDirectory() as home:
    mcp_server._brain_dir = home  # what --brain-dir sets
    tool = next(tool for tool in mcp_server.TOOLS if tool["name"] == "retain_batch")
    accepted = "project" in tool["inputSchema"]["properties"]
    items = [{"content": "Nairobi lies in Kenya"}]
    mcp_server.handle_tools_call("retain_batch", {"items": items, "project": "a"})
    seen = mcp_server.handle_tools_call("list_projects", {})["projects"]

print(
    "expected: ['a'], since the schema takes a project" if accepted else "expected: no such field"
)
print(f"seen:     {seen}")
sys.exit(accepted and seen != ["a"])
