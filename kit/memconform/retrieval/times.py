"""Times: many spellings in, one out, so that the order of texts is the order of times."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
# Narrower than what datetime reads: week dates and times without a zone are no instants.
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)


def parse_time(text: str) -> datetime:
    """The instant that an ISO 8601 text with a zone names, in UTC.

    Raises:
        ValueError: the text is no such time.
    """
    if not _INSTANT.fullmatch(text):
        raise ValueError("not an ISO 8601 time with a zone, such as 2026-01-01T00:00:00Z")
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("a time that does not exist, or outside the years 1 to 9999") from error


def format_time(time: datetime) -> str:
    """The one spelling that is stored, ``2026-01-01T00:00:00.000Z``; finer parts are dropped."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def canonical_time(text: str) -> str:
    """The same instant in the one spelling that is stored.

    Raises:
        ValueError: the text is no ISO 8601 time with a zone.
    """
    return format_time(parse_time(text))


@lru_cache(maxsize=1 << 16)
def milliseconds(text: str) -> int | None:
    """Whole milliseconds since 1970, or None for a text that cannot be read as a time."""
    try:
        return (parse_time(text) - _EPOCH) // _MILLISECOND
    except ValueError:
        return None
