"""MCP servers as stores: a mapping file says which tool, which arguments, where the answer is.

``mapping`` has the file's tables and ``loading`` reads them, ``placeholders`` fills arguments,
``paths`` and ``reading`` find values in answers, ``session`` talks to the server by the official
package, ``store`` makes a System of it all. That System is served by a process of its own,
``python -m memconform.wire.mcp FILE``, which ``transport`` starts and ends together with whatever
servers it had started.

Nothing here imports the package ``mcp`` but ``session``, and that only in the process of its own.
"""

from memconform.wire.mcp.loading import MappingError, read_mapping
from memconform.wire.mcp.mapping import Mapping
from memconform.wire.mcp.transport import McpTransport

__all__ = ["Mapping", "MappingError", "McpTransport", "read_mapping"]
