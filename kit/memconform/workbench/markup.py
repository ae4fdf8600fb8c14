"""Pieces of HTML in which every text is text.

``Markup`` (of MarkupSafe, which Jinja brings along) escapes whatever is formatted into it that
isn't Markup itself, so a text can only get in unescaped by being declared Markup. ``shown`` also
writes out the characters that act instead of standing, such as bidi controls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from memconform.verdict.words import harmless, number, shortened

# The style names its class twice: a notebook's own rules for tables weigh as much as one class.
# Blue and orange stay apart for every kind of colour vision; each colour has a sign beside it.
GOOD, BAD, MIDDLING, QUIET = "mc-good", "mc-bad", "mc-middling", "mc-quiet"

LONG = 30  # characters from which on a text may be broken anywhere

STYLE = Markup(
    """<style>
.mc{color:var(--jp-content-font-color1,#222);font-size:13px;line-height:1.45;max-width:1000px;
 overflow-x:auto}
.mc.mc h4{margin:.9em 0 .3em;font-size:14px}
.mc.mc p{margin:.3em 0}
.mc.mc table{border-collapse:collapse;margin:.3em 0;font-size:12px}
.mc.mc th,.mc.mc td{text-align:left;vertical-align:top;padding:2px 10px 2px 0;
 border-bottom:1px solid var(--jp-border-color2,#ddd);max-width:32em}
.mc.mc th{font-weight:600;white-space:nowrap}
.mc.mc td:has(>.mc-n){text-align:right}
.mc.mc td>.mc-sign,.mc.mc td>code:not(.mc-long){white-space:nowrap}
.mc.mc .mc-long{overflow-wrap:anywhere}
.mc.mc .mc-n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.mc.mc pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3em 0;padding:6px 8px;font-size:12px;
 background:var(--jp-layout-color2,#f3f3f3);max-height:24em;overflow:auto}
.mc.mc code{font-size:12px}
.mc.mc details>summary{cursor:pointer}
.mc.mc .mc-chip{display:inline-block;margin:1px 3px 1px 0;padding:0 6px;border-radius:3px;
 border:1px solid var(--jp-border-color1,#aaa);font-family:var(--jp-code-font-family,monospace)}
.mc.mc .mc-good{color:var(--mc-blue,#0060a0)}
.mc.mc .mc-bad{color:#b34000}
.mc.mc .mc-middling{color:#7a6000}
.mc.mc .mc-quiet{color:var(--jp-content-font-color2,#666)}
[data-jp-theme-light="false"] .mc.mc .mc-good{color:#6cb8f0}
[data-jp-theme-light="false"] .mc.mc .mc-bad{color:#ff9a5c}
[data-jp-theme-light="false"] .mc.mc .mc-middling{color:#e3c84b}
.mc.mc .mc-figure{font-size:15px;font-weight:600;margin:.4em 0}
.mc.mc .mc-bar{display:inline-block;width:240px;height:10px;border:1px solid #777;
 vertical-align:middle}
.mc.mc .mc-bar span{display:block;height:10px;background:#0072b2}
</style>"""
)


def shown(text: object) -> Markup:
    """Any text as it stands; Markup stays what it is."""
    if isinstance(text, Markup):
        return text
    return escape(harmless(str(text)))


def fragment(*parts: Markup) -> Markup:
    """A piece that can be shown on its own."""
    return STYLE + Markup('<div class="mc">{}</div>').format(Markup("").join(parts))


def heading(text: str) -> Markup:
    """A small heading."""
    return Markup("<h4>{}</h4>").format(shown(text))


def paragraph(*texts: object, kind: str = "") -> Markup:
    """A paragraph; what isn't Markup is escaped."""
    inner = Markup("").join(shown(text) for text in texts)
    return Markup('<p class="{}">{}</p>').format(kind, inner)


def figure(text: str) -> Markup:
    """A sentence that changes while a slider moves; a screen reader says it when it does."""
    return Markup('<p class="mc-figure" role="status" aria-live="polite">{}</p>').format(
        shown(text)
    )


def marked(sign: str, text: object, kind: str) -> Markup:
    """A sign and a text in one of the colours; the sign says the same as the colour."""
    return Markup('<span class="mc-sign {}">{} {}</span>').format(kind, sign, shown(text))


def chip(text: str, title: str) -> Markup:
    """A token in a frame, with what it is on hover."""
    return Markup('<span class="mc-chip" title="{}">{}</span> ').format(title, shown(text))


def code(text: object) -> Markup:
    """A text in the typeface of code."""
    told = str(text)
    kind = "mc-long" if len(told) > LONG else ""
    return Markup('<code class="{}">{}</code>').format(kind, shown(told))


def block(text: str) -> Markup:
    """Several lines as they stand."""
    return Markup("<pre>{}</pre>").format(escape(harmless(text, keep="\n\t")))


def details(summary: object, *inner: Markup, open: bool = False) -> Markup:
    """What is shown when it is asked for."""
    return Markup("<details{}><summary>{}</summary>{}</details>").format(
        Markup(" open") if open else "", shown(summary), Markup("").join(inner)
    )


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str,
    most: int = 50,
) -> Markup:
    """A table; numbers stand right, at most so many rows are shown and the rest is counted.

    Args:
        columns: the headings.
        rows: of cells; a cell that isn't Markup is escaped.
        caption: what the table is, for a screen reader.
        most: rows shown.
    """
    given = list(rows)
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(shown(c)) for c in columns)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(_cell(cell) for cell in row))
        for row in given[:most]
    )
    drawn = Markup(
        '<table aria-label="{}"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
    ).format(shown(caption), head, body)
    if len(given) > most:
        drawn += paragraph(f"and {number(len(given) - most, 'row')} more", kind=QUIET)
    return drawn


def numeral(text: str) -> Markup:
    """A figure that is written already; a cell of it stands right."""
    return Markup('<span class="mc-n">{}</span>').format(text)


def _cell(value: object) -> Markup:
    if isinstance(value, bool) or value is None:
        value = {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        return Markup('<td class="mc-n">{}</td>').format(f"{value:.6g}")
    if isinstance(value, int):
        return Markup('<td class="mc-n">{}</td>').format(f"{value:,}")
    kind = "mc-long" if not isinstance(value, Markup) and len(str(value)) > LONG else ""
    return Markup('<td class="{}">{}</td>').format(kind, shown(value))


def short(text: str, limit: int) -> str:
    """The beginning of a text, and how long it is."""
    return shortened(text, limit)


def bar(part: int, whole: int, words: str) -> Markup:
    """A bar that is filled as far as ``part`` of ``whole``, and the same in words."""
    percent = 0.0 if whole <= 0 else min(100.0, 100.0 * part / whole)
    return Markup(
        '<span class="mc-bar" role="img" aria-label="{}"><span style="width:{}%"></span></span> {}'
    ).format(words, f"{percent:.1f}", words)
