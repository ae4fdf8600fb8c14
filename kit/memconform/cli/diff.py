"""``diff``: two reports, or two folders of them, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from memconform.cli.documents import DIFF_SCHEMA, DiffDocument, print_document
from memconform.cli.reports import below, many, one
from memconform.verdict import report_json
from memconform.verdict.diff import Differences, differences
from memconform.verdict.diff_words import groups
from memconform.verdict.layout import bullet, console, indented
from memconform.verdict.words import harmless

_LISTED = 30  # lines of each group; --json has all


@dataclass(frozen=True, kw_only=True)
class _Compared:
    pairs: list[Differences]
    only_old: list[str]
    only_new: list[str]

    @property
    def exit_code(self) -> int:
        same = all(pair.none for pair in self.pairs)
        return 0 if same and not self.only_old and not self.only_new else 1


def diff(old: Path, new: Path, *, json: bool) -> int:
    """Compare; 0 where nothing differs in what was found and declared, 1 where something does."""
    compared = _compare(old, new)
    if json:
        print_document(
            DiffDocument(
                schema=DIFF_SCHEMA,
                exit_code=compared.exit_code,
                differences=compared.pairs,
                only_old=compared.only_old,
                only_new=compared.only_new,
            )
        )
    else:
        _show(compared, console())
    return compared.exit_code


def _compare(old: Path, new: Path) -> _Compared:
    if not (many(old) and many(new)):
        return _Compared(pairs=[_pair(one(old), one(new))], only_old=[], only_new=[])
    before, after = below(old), below(new)
    return _Compared(
        pairs=[_pair(file, after[name]) for name, file in before.items() if name in after],
        only_old=[name for name in before if name not in after],
        only_new=[name for name in after if name not in before],
    )


def _pair(old: Path, new: Path) -> Differences:
    return differences(report_json.load(old), report_json.load(new))


def _show(compared: _Compared, out: Console) -> None:
    for place, pair in enumerate(compared.pairs):
        if place:
            out.print()
        _show_pair(pair, out)
    for names, where in ((compared.only_old, "old"), (compared.only_new, "new")):
        for name in names:
            told = f"{harmless(name)} has a report in the {where} folder only."
            out.print(bullet(Text("✗", style="bold red"), Text(told)))


def _show_pair(told: Differences, out: Console) -> None:
    found = groups(told, most=_LISTED)
    sign, style = ("✓", "bold green") if told.none else ("✗", "bold red")
    says = "nothing differs" if told.none else "something differs"
    out.print(Text.assemble((f"{sign} ", style), (harmless(told.new.target), "bold"), f": {says}"))
    for sentence in told.circumstances:
        out.print(indented(bullet(Text("·", style="dim"), Text(harmless(sentence))), 2))
    for group in found:
        out.print()
        out.print(indented(Text(group.heading, style="bold" if group.work else "dim bold"), 2))
        for line in group.lines:
            out.print(indented(bullet(Text("·", style="dim"), Text(line)), 4))
