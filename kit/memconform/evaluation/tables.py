"""The tables of a report as rows of text, for Markdown and for the terminal alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memconform.evaluation.report import (
    Baseline,
    Comparison,
    EvaluationReport,
    GateResult,
    GatesDecided,
    Group,
)
from memconform.evaluation.scorers import DecisionScores, FoundationScores
from memconform.verdict.words import number


@dataclass(frozen=True)
class Rows:
    """A table: a title, and cells.

    Attributes:
        words: how many columns are text, from the left; the others are figures.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


def tables(report: EvaluationReport) -> list[Rows]:
    """All tables of a report but those of differences by group and of the queries."""
    return [
        *([] if report.gates is None else [_gates(report.gates)]),
        _decision(report),
        _foundation(report),
        *_comparisons(report),
        *_candidate(report),
        _groups("By category", report.categories, report.k),
        _groups("By language", report.languages, report.k),
    ]


def safety(decision: DecisionScores) -> str:
    """Whether it is safe, in a sentence."""
    found = [
        f"{count} {name}"
        for name, count in (
            ("scope leaks", decision.scope_leaks),
            ("lifecycle leaks", decision.lifecycle_leaks),
            ("authority violations", decision.authority_violations),
            ("unknown selections", decision.unknown_selections),
        )
        if count
    ]
    if not found:
        return "Safe: no scope leak, no lifecycle leak, no directive, nothing unknown."
    return f"No-go, whatever the quality: {', '.join(found)}."


def undeclared(report: EvaluationReport) -> str:
    """What the store lacks and the dataset may call for, in a sentence; empty where nothing."""
    if not report.undeclared:
        return ""
    return (
        f"Not declared: {', '.join(report.undeclared)}. What depends on one of these shows that "
        "the store has no such thing, not that it has a broken one."
    )


def failed(report: EvaluationReport) -> str:
    """How many queries came to no answer, in a sentence; empty where none."""
    if not report.failed:
        return ""
    count, asked = len(report.failed), report.dataset.queries
    return (
        f"{count} of {number(asked, 'query', 'queries')} failed and "
        f"{'is' if count == 1 else 'are'} in no figure of this store; the others beside it are "
        "judged on all of them, the paired differences on those that both answered."
    )


def blind(report: EvaluationReport) -> str:
    """How many queries expect what the store does not have, in a sentence; empty where none."""
    missing = {each.id for each in report.left_out}
    count = sum(not missing.isdisjoint(each.expected_ids) for each in report.queries)
    if not count:
        return ""
    return (
        f"{number(count, 'query', 'queries')} "
        f"{'expects' if count == 1 else 'expect'} one of the records that the store does not have."
    )


def settings(report: EvaluationReport) -> list[tuple[str, str]]:
    """What was measured and with which figures, by name."""
    dataset, own = report.dataset, "mode" in report.undeclared
    asked = number(dataset.queries, "query", "queries")
    told = [
        ("dataset", f"{dataset.name}, {dataset.split}, {asked}"),
        ("data", f"{report.marker}, manifest {dataset.digest[:12]}"),
        ("time", dataset.evaluation_time),
        ("gate", "its own" if own else report.gate),
        ("K", str(report.k)),
        ("mode", ", ".join(report.modes) or "not told"),
        ("weights", _weights(report)),
        ("floors", "not told" if own else _floors(report)),
    ]
    if report.lock is not None:
        told.append(("lock", report.lock[:12]))
    if report.terminology is not None:
        used = report.terminology
        told.append(("terms", f"{used.name}, {number(used.terms, 'term')}, {used.digest[:12]}"))
    if report.gates is not None:
        told.append(("gates", f"declared beforehand, {report.gates.digest[:12]}"))
    return told


def decided(report: EvaluationReport) -> str:
    """What the gates say, in a sentence; empty where there are none."""
    gates = report.gates
    if gates is None:
        return ""
    here = [result for result in gates.results if result.outcome != "other-split"]
    held = sum(result.outcome == "go" for result in here)
    of = f"{held} of {number(len(here), 'gate')}"
    if gates.go:
        return f"Go: {of} {'holds' if held == 1 else 'hold'}."
    causes = [
        *([] if held == len(here) else [f"{of} {'holds' if held == 1 else 'hold'}"]),
        *([] if report.safe else ["something unsafe was selected"]),
        *([] if not report.failed else ["queries failed"]),
    ]
    return f"No-go: {' and '.join(causes)}."


def gate_words(result: GateResult) -> str:
    """What a gate asks for, in words."""
    figure = result.metric.replace("-", " ")
    if result.of != "this":
        figure += f" of {result.of}"
    if result.against is not None:
        figure += f", difference to {result.against}"
    if result.on != "value":
        figure += f", {'lower' if result.on == 'low' else 'upper'} end"
    only = [each for each in (result.language, result.category) if each is not None]
    if only:
        figure += f", {' '.join(only)} only"
    return f"{figure} {result.comparison} {result.threshold:.6g}"


def gate_figure(result: GateResult) -> str:
    """What was held against the threshold, or why nothing was."""
    if result.figure is not None:
        return f"{result.figure:.3f}".removesuffix(".000")
    return result.why or f"for {result.split}"


_OUTCOMES = {
    "go": "go",
    "no-go": "NO-GO",
    "not-measured": "NO-GO, not measured",
    "other-split": "not here",
}


def _gates(decided: GatesDecided) -> Rows:
    return Rows(
        "Gates declared beforehand",
        ("gate", "asks for", "figure", "outcome"),
        tuple(
            (each.name, gate_words(each), gate_figure(each), _OUTCOMES[each.outcome])
            for each in decided.results
        ),
        words=4,
    )


def _weights(report: EvaluationReport) -> str:
    weights = report.weights
    if weights is None:
        return "not told"
    return (
        f"lexical {weights.lexical}, scope {weights.scope_affinity}, "
        f"type {weights.type_affinity}, freshness {weights.freshness}, "
        f"importance {weights.importance}, confidence {weights.confidence}"
    )


def _floors(report: EvaluationReport) -> str:
    floors = report.floors
    if floors is None:
        return "any coverage above 0"
    return f"Latin {floors.latin:.6g}, CJK {floors.cjk:.6g}"


def figure(value: float | None) -> str:
    """A mean as it is shown: three decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.3f}"


def _decision(report: EvaluationReport) -> Rows:
    sides = [report.decision, *(baseline.decision for baseline in report.baselines)]

    def row(name: str, *cells: str) -> tuple[str, ...]:
        return (name, *cells)

    def count(name: str, field: str) -> tuple[str, ...]:
        return row(name, *(str(getattr(side, field)) for side in sides))

    def share(name: str, field: str) -> tuple[str, ...]:
        return row(name, *(figure(getattr(side, field)) for side in sides))

    k = report.k
    return Rows(
        f"Decision scorer: {report.decision.answerable} queries that expect something, "
        f"{report.decision.unanswerable} that expect nothing",
        _columns(report),
        (
            share(f"recall@{k}", "recall_at_k"),
            share(f"precision@{k}", "precision_at_k"),
            share("MRR", "mrr"),
            share("abstention accuracy", "abstention_accuracy"),
            count("false-positive selections", "false_positive_selections"),
            count("explicit forbidden selections", "explicit_forbidden_selections"),
            count("scope leaks", "scope_leaks"),
            count("lifecycle leaks", "lifecycle_leaks"),
            count("authority violations", "authority_violations"),
            count("unknown selections", "unknown_selections"),
        ),
    )


def _foundation(report: EvaluationReport) -> Rows:
    sides: list[FoundationScores] = [
        report.foundation,
        *(baseline.foundation for baseline in report.baselines),
    ]
    k = report.k
    return Rows(
        "Foundation scorer: silence counts where nothing is expected",
        _columns(report),
        (
            (f"recall@{k}", *(figure(side.recall_at_k) for side in sides)),
            (f"precision@{k}", *(figure(side.precision_at_k) for side in sides)),
            ("MRR", *(figure(side.mrr) for side in sides)),
            ("forbidden selections", *(str(side.scope_leaks) for side in sides)),
            ("selected characters", *(str(side.selected_characters) for side in sides)),
        ),
    )


def _columns(report: EvaluationReport) -> tuple[str, ...]:
    return ("measure", "this", *(other.name for other in report.baselines))


def _comparisons(report: EvaluationReport) -> list[Rows]:
    return [
        _paired(f"Paired with {baseline.name}", baseline, report) for baseline in report.baselines
    ]


def _candidate(report: EvaluationReport) -> list[Rows]:
    """What the terminology map gains."""
    used = report.terminology
    if used is None:
        return []
    return [_paired(f"terminology-map, paired with {it.name}", it, report) for it in used.against]


def by_group(report: EvaluationReport) -> list[Rows]:
    """The paired differences by language and category: long tables, for a page."""
    found = [
        (f"Paired with {each.name}, by language and category", each) for each in report.baselines
    ]
    if report.terminology is not None:
        found += [
            (f"terminology-map, paired with {each.name}, by language and category", each)
            for each in report.terminology.against
        ]
    return [
        Rows(
            title,
            ("", *_paired("", other, report).columns),
            tuple(
                (group.name, *_comparison(each))
                for group in other.groups
                for each in group.comparisons
            ),
        )
        for title, other in found
    ]


def _paired(title: str, other: Baseline, report: EvaluationReport) -> Rows:
    return Rows(
        title,
        (
            "measure",
            "queries",
            "difference",
            f"{report.bootstrap.level:.0%} interval",
            "better",
            "worse",
        ),
        tuple(_comparison(each) for each in other.comparisons),
    )


def _comparison(told: Comparison) -> tuple[str, ...]:
    return (
        told.measure,
        str(told.queries),
        f"{told.difference:+.3f}",
        f"{told.low:+.3f} to {told.high:+.3f}",
        str(told.better),
        str(told.worse),
    )


def _groups(title: str, groups: Sequence[Group], k: int) -> Rows:
    return Rows(
        title,
        ("", f"R@{k}", f"P@{k}", "MRR", "abstention", "false pos."),
        tuple(_group(group.name, group.decision) for group in groups),
    )


def _group(name: str, decision: DecisionScores) -> tuple[str, ...]:
    return (
        name,
        figure(decision.recall_at_k),
        figure(decision.precision_at_k),
        figure(decision.mrr),
        figure(decision.abstention_accuracy),
        str(decision.false_positive_selections),
    )
