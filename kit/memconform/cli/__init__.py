"""The command line: thin commands over the rooms below; ``main`` is the installed one."""

from memconform.cli.app import main, run

__all__ = ["main", "run"]
