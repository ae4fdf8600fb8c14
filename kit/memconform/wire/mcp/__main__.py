"""The adapter: ``python -m memconform.wire.mcp FILE [FOLDER]`` speaks the protocol of the kit.

FOLDER is where the servers get folders of their own, and is removed at the end; without it one is
made.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from memconform.wire.mcp.loading import MappingError, read_mapping
from memconform.wire.mcp.transport import GROUPS
from memconform.wire.serve import serve


def main(arguments: list[str]) -> int:
    """Serve the mapping named on the command line; 2 when there is none."""
    if len(arguments) not in (1, 2):
        sys.stderr.write("usage: python -m memconform.wire.mcp FILE [FOLDER]\n")
        return 2
    file = Path(arguments[0]).resolve()
    if len(arguments) == 1:
        return _serve(file, Path(tempfile.mkdtemp(prefix="memconform-mcp-")))
    return _serve(file, Path(arguments[1]))


def _serve(file: Path, work: Path) -> int:
    try:
        mapping = read_mapping(file)
    except MappingError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    # What the package holds answers against would first compile a grammar of IRIs where one is
    # installed: more than a second at every start, for a format that no answer here has.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type] # None: not there
    from anyio.from_thread import start_blocking_portal

    from memconform.wire.mcp.store import McpSystem

    with start_blocking_portal() as portal:
        system = McpSystem(
            mapping, here=file.parent, work=work, groups=work / GROUPS, portal=portal
        )
        try:
            serve(system)
        finally:
            system.close()
            shutil.rmtree(work, ignore_errors=True)  # a kit that was killed can't
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
