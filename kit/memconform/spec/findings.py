"""What the lint, the join and the guards have to say: a code, a place, a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_NOT_A_WORD = re.compile(r"[^a-z0-9]+")
_LINE = re.compile(r"(.*):(\d+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with the suite, so that it can't be trusted as it stands.

    Attributes:
        code: what kind of thing, in lower-case words with hyphens; stable.
        where: ``file:line``, or a scenario id where no file is to blame.
        message: one sentence that says what is wrong and what to do.
    """

    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.code}]"


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, by file, line and code."""
    return sorted(set(findings), key=_place)


def _place(finding: Finding) -> tuple[str, int, str, str]:
    match = _LINE.fullmatch(finding.where)
    path, line = (match[1], int(match[2])) if match else (finding.where, 0)
    return path, line, finding.code, finding.message


def slugify(title: str) -> str:
    """A title as lower-case ASCII words with hyphens: ``Don't merge 5 & 15``: ``don-t-merge-5-15``.

    Accents are dropped, other letters beyond ASCII have no slug of their own. Two titles may share
    a slug; the lint reports it, since the slug is the identity of a requirement or scenario.
    """
    decomposed = unicodedata.normalize("NFKD", title)
    ascii_only = decomposed.encode("ascii", "ignore").decode("ascii")
    return _NOT_A_WORD.sub("-", ascii_only.lower()).strip("-")


def normalise(source: str) -> str:
    """A file's text without a byte-order mark and with line feeds as its only line ends."""
    return source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
