"""What every target offers, whatever kind it is of."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Protocol

from memconform.wire.client import Connection
from memconform.wire.transport import Way

Progress = Callable[[str], None]  # is told one sentence for each thing that takes a while


def silent(sentence: str) -> None:
    """Report no progress."""


class Target(Protocol):
    """Something that can be connected to and measured."""

    @property
    def name(self) -> str:
        """The TARGET string that names it, and only it."""
        ...

    @property
    def slug(self) -> str:
        """A name for its folder of reports: ASCII letters, digits, dots and hyphens."""
        ...

    @property
    def way(self) -> Way:
        """How it is reached."""
        ...

    @property
    def time_limit_s(self) -> float:
        """Time limit of a call in seconds; no limit is kept in process."""
        ...

    @property
    def has_system(self) -> bool:
        """Whether it is an adapter with a system behind it that it may not answer without.

        A store that is imported is its own system; of a program nobody can tell.
        """
        ...

    @property
    def cut_off(self) -> Mapping[str, str]:
        """Environment variables under which its adapter can't reach its system."""
        ...

    def prepare(self, progress: Progress = silent) -> None:
        """Do once what takes long, such as making an environment; cheap when it has been done.

        Raises:
            UsageError: it can't be done.
        """
        ...

    def connect(self) -> Connection:
        """A new connection, to a new process where the way is the wire.

        Raises:
            UsageError: there is nothing to connect to.
        """
        ...

    def apart(self, variables: Mapping[str, str], *, bare: bool = False) -> Connection | None:
        """A connection to a new process, whatever the way, which may need no restart.

        Args:
            variables: environment variables that it has besides.
            bare: without the packages of its system; null where there are none to leave out.

        Raises:
            UsageError: there is nothing to connect to.
        """
        ...


def slug(name: str) -> str:
    """A safe folder name for a target; different targets have different ones.

    Colons and hashes become hyphens. Whatever else is lost, such as the blanks of a command or the
    case of letters, is made up for by eight digits of a digest.
    """
    plain = re.sub(r"[:#]", "-", name)
    safe = re.sub(r"[^a-z0-9.]+", "-", plain.lower()).strip("-.")[:60]
    if safe == plain:
        return safe
    return f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
