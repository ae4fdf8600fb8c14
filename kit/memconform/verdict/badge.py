"""What a project may hang out: badge.json for a shields.io endpoint, or a small picture of its own.

Words and never a percentage, and every profile that was judged, the bad ones among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import msgspec

from memconform.model.base import Response
from memconform.model.report import ProfileVerdict, Report, Verdict
from memconform.verdict.words import harmless

NAME = "badge.json"
LABEL = "memconform"


class Badge(Response, frozen=True, kw_only=True):
    """A shields.io endpoint document (its schema, version 1)."""

    schema_version: int
    label: str
    message: str
    color: str


@dataclass(frozen=True, slots=True)
class _Look:
    """The colour as shields names it, and ground and ink of the picture, in hexadecimal."""

    shields: str
    ground: str
    ink: str


# The worst comes first: one bad profile colours the whole.
_LOOKS = {
    Verdict.NON_CONFORMANT: _Look("red", "#b3261e", "#fff"),
    Verdict.NOT_MEASURED: _Look("lightgrey", "#6b7075", "#fff"),
    Verdict.PARTIAL: _Look("yellow", "#f2c037", "#1c1c1c"),
    Verdict.CONFORMANT: _Look("brightgreen", "#1a7a36", "#fff"),
}
_SAID_IN_ORDER = (
    Verdict.CONFORMANT,
    Verdict.PARTIAL,
    Verdict.NON_CONFORMANT,
    Verdict.NOT_MEASURED,
)

# Advance widths of Verdana, in thousandths of the font's size, by the characters that have them;
# others count as wide. The text is fitted to what they come to, whatever font is there.
_WIDTHS = {
    width: characters
    for characters, width in (("ijl,.: ", 330), ("frt;-()", 430), ("abcdeghknopqsuvxyz", 600))
}
_WIDE = 850
_SIZE = 11
_HEIGHT = 20
_SIDE = 6  # pixels left and right of a text


def badge(report: Report, profile: str | None = None) -> bytes:
    """badge.json of a report.

    Args:
        report: which has been verified; here it is taken at its word.
        profile: speak of this one alone.
    """
    chosen = _chosen(report, profile)
    told = Badge(
        schema_version=1,
        label=LABEL,
        message=message(chosen),
        color=_look(chosen).shields,
    )
    return msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n"


def picture(report: Report, profile: str | None = None) -> bytes:
    """The same as an SVG picture that asks for nothing: no network, no script, no font."""
    chosen = _chosen(report, profile)
    said, look = message(chosen), _look(chosen)
    left, right = _width(LABEL) + 2 * _SIDE, _width(said) + 2 * _SIDE
    whole, name = left + right, escape(f"{LABEL}: {said}", {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_HEIGHT}" '
        f'viewBox="0 0 {whole} {_HEIGHT}" role="img" aria-label="{name}">\n'
        f"<title>{name}</title>\n"
        f'<clipPath id="round"><rect width="{whole}" height="{_HEIGHT}" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#round)"><rect width="{left}" height="{_HEIGHT}" fill="#3f4448"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{look.ground}"/></g>\n'
        f'<g font-family="Verdana,DejaVu Sans,sans-serif" font-size="{_SIZE}">\n'
        f"{_text(LABEL, _SIDE, '#fff')}\n{_text(said, left + _SIDE, look.ink)}\n</g>\n</svg>\n"
    ).encode()


def message(profiles: Sequence[ProfileVerdict]) -> str:
    """``core conformant``, ``conformant: core, budget; partial: fusion`` or ``not measured``."""
    by_verdict = {
        verdict: [harmless(each.profile) for each in profiles if each.verdict is verdict]
        for verdict in _SAID_IN_ORDER
    }
    if len(by_verdict[Verdict.NOT_MEASURED]) == len(profiles):
        return Verdict.NOT_MEASURED.value
    if len(profiles) == 1:
        return f"{harmless(profiles[0].profile)} {profiles[0].verdict.value}"
    return "; ".join(
        f"{verdict.value}: {', '.join(names)}" for verdict, names in by_verdict.items() if names
    )


def _chosen(report: Report, profile: str | None) -> list[ProfileVerdict]:
    return [each for each in report.profiles if profile in (None, each.profile)]


def _look(profiles: Sequence[ProfileVerdict]) -> _Look:
    found = {each.verdict for each in profiles}
    worst = next((verdict for verdict in _LOOKS if verdict in found), Verdict.NOT_MEASURED)
    return _LOOKS[worst]


def _text(text: str, x: int, ink: str) -> str:
    return (
        f'<text x="{x}" y="14" fill="{ink}" textLength="{_width(text)}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )


def _width(text: str) -> int:
    """Pixels that a text is given."""
    widths = (next((w for w, known in _WIDTHS.items() if c in known), _WIDE) for c in text)
    return round(sum(widths) * _SIZE / 1000)
