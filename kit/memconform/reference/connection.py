"""What every kind of reference store shares as an open connection: its time, its end, its like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Self

import msgspec

from memconform.model import Done, Settings, WriteResult, done
from memconform.protocol import Invalid, StoreError, Unavailable
from memconform.retrieval.times import canonical_time, format_time

Clock = Callable[[], str]


def system_clock() -> str:
    """The time of the computer, ISO 8601 UTC."""
    return format_time(datetime.now(UTC))


class Connection(ABC):
    """An open connection to what a store holds. One thread at a time may use it.

    Args:
        settings: those that it was opened with.
        clock: gives the time, ISO 8601 UTC, where the settings have none.

    Raises:
        Invalid: the settings' clock is no time.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._fixed = None if settings.clock is None else checked_time("clock", settings.clock)
        self._settings = settings
        self._clock = clock
        self._closed = False
        self._last_injected: tuple[str, ...] = ()

    @abstractmethod
    def _another(self, settings: Settings) -> Self:
        """Another connection to the same data, or an error where this one is closed."""

    @abstractmethod
    def _end(self) -> None:
        """Give back what the connection holds; called once."""

    @property
    def closed(self) -> bool:
        """Whether this connection has been closed."""
        return self._closed

    def close(self) -> None:
        """Give back what the store holds; a temporary folder goes with its last connection."""
        if not self._closed:
            self._closed = True
            self._end()

    def reopen(self, settings: Settings | None = None) -> Self:
        """A restart over the same data; this connection is closed.

        Args:
            settings: null keeps the old ones, the time that ``set_clock`` gave included.
        """
        successor = self._another(settings or self._current_settings())
        self.close()
        return successor

    def second(self) -> Self:
        """Another connection to the same data, with the settings and the time of this one."""
        return self._another(self._current_settings())

    def set_clock(self, time: str) -> Done:
        """The time that this connection takes for now from here on.

        Raises:
            Invalid: it is no ISO 8601 time with a zone.
        """
        self._check_open()
        self._fixed = checked_time("time", time)
        return done()

    def _current_settings(self) -> Settings:
        return msgspec.structs.replace(self._settings, clock=self._fixed)

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("this connection is closed; open another one")

    @property
    def _now(self) -> str:
        return self._fixed or canonical_time(self._clock())


def checked_time(field: str, time: str) -> str:
    """A time in its one spelling.

    Raises:
        Invalid: it is none; ``detail["field"]`` names the field.
    """
    try:
        return canonical_time(time)
    except ValueError as error:
        raise Invalid(
            f"{field} is no time; give ISO 8601 with a zone, such as 2026-01-01T00:00:00Z",
            {"field": field},
        ) from error


def refused(refusal: StoreError, namespace: str | None = None) -> WriteResult:
    """What becomes of one memory of a batch that a rule refuses."""
    return WriteResult(
        id=None, outcome="refused", other=None, cause=refusal.message, namespace=namespace
    )
