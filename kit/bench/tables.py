"""The results as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from results import OURS, Results, Row


def markdown(results: Results) -> str:
    """Table, growth, comparison with re-reading, and what was wanted of them."""
    return "\n".join([*_head(results), "", *_recall(results), "", *_rest(results), ""])


def _head(results: Results) -> Iterator[str]:
    machine = results.machine
    before, after = machine.load
    yield (
        f"{machine.system}, {machine.cores} cores, Python {machine.python}, SQLite"
        f" {machine.sqlite}; load {before:.1f} before and {after:.1f} after;"
        f" seed {results.plan.seed}, {results.plan.rounds} rounds."
    )


def _recall(results: Results) -> Iterator[str]:
    yield from _table(
        ["store", "records", "questions", "median", "p95", "after a pause", "times", "found"],
        [
            [
                row.target,
                f"{row.records:,}",
                row.kind,
                _ms(row.p50_ms),
                _ms(row.p95_ms),
                _ms(row.pause_ms),
                _times(row),
                f"{row.found:.0%}",
            ]
            for row in results.rows
        ],
    )
    yield ""
    yield (
        f"Milliseconds. *times*: how many times longer than {OURS} in the same run, in a row and"
        " (after a pause). *found*: the memory that the question is about is among the hits."
    )


def _rest(results: Results) -> Iterator[str]:
    for kind, exponent in results.slopes.items():
        yield f"- {OURS}, {kind} questions, grows with an exponent of {exponent:.2f}"
    reread = results.reread
    yield (
        f"- a warm answer over {reread.records:,} plain files takes {_ms(reread.warm_ms)} ms, with"
        f" re-reading {_ms(reread.reread_ms)} ms: {reread.share:.3f} of it; a change of another"
        f" process is {'seen' if reread.change_seen else 'NOT SEEN'}"
    )
    for system in results.systems:
        yield (
            f"- {system.target} {system.version}: {system.records:,} memories by"
            f" {system.filled_by} in {system.fill_s:.1f} s, first answer after"
            f" {system.first_answer_ms / 1000:.2f} s"
        )
    yield ""
    yield from _table(
        ["goal", "measured", "held"],
        [[goal.claim, f"{goal.measured:.3g}", _yes(goal.held)] for goal in results.goals],
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _ms(milliseconds: float | None) -> str:
    if milliseconds is None:
        return ""
    return f"{milliseconds:.1f}" if milliseconds < 100 else f"{milliseconds:,.0f}"


def _times(row: Row) -> str:
    if row.times is None:
        return ""
    paused = "" if row.times_pause is None else f" ({row.times_pause:.1f})"
    return f"{row.times:.1f}{paused}"


def _yes(held: bool) -> str:
    return "yes" if held else "**no**"
