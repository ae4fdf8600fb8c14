"""memconform: certify, explore and teach the retrieval of agent memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconform.protocol import System

__version__ = "0.1.0"


def serve(system: System | Callable[[], System]) -> None:
    """Serve a memory store to the kit over standard input and output, until the input ends.

    Args:
        system: a System (see ``memconform.protocol.system``), or a function that makes one.
    """
    # Imported here because most users of the package serve nothing.
    from memconform.wire.serve import serve as run

    run(system)


def load_ipython_extension(shell: object) -> None:
    """``%load_ext memconform`` in a notebook: see ``memconform.workbench.magics``."""
    from memconform.workbench import load

    load("magics").load(shell)
