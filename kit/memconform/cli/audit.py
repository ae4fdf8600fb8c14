"""``audit``: do specs, features and steps say the same, and is all of it in use?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from memconform.cli.documents import (
    AUDIT_SCHEMA,
    Audit,
    AuditFinding,
    StepUse,
    print_document,
)
from memconform.cli.names import library
from memconform.spec import links
from memconform.spec.findings import Finding, in_order
from memconform.spec.library import Library
from memconform.verdict.layout import bullet, console
from memconform.verdict.words import harmless, number

MANY = 20  # unconfirmed scenarios; beyond this they are told in one sentence

if TYPE_CHECKING:
    from memconform.suite.guards import StepDefinition


def audit_all(*, json: bool) -> int:
    """Audit the suite that the kit brings along; 1 where there is a finding."""
    told = audit(library())
    if json:
        print_document(told)
    else:
        _show(told, console())
    return 1 if told.findings else 0


def confirm_all() -> int:
    """Sign that features and specs were compared; refused while they don't belong together."""
    from memconform.suite import guards, steps

    suite, out = library(), console()
    findings = guards.check(suite, guards.registered_steps(steps))
    if findings:
        out.print(
            Text("✗ Not confirmed: mend what memconform audit finds first.", style="bold red")
        )
        return 1
    changed = links.confirm(suite)
    for path in changed:
        out.print(Text(f"✓ {harmless(str(path))}"), soft_wrap=True)
    if not changed:
        out.print(Text("✓ Everything was confirmed already.", style="bold green"))
    return 0


def audit(suite: Library) -> Audit:
    """Everything that can be found without a store."""
    from memconform.suite import guards, steps

    definitions = guards.registered_steps(steps)
    vocabulary = _vocabulary(suite, definitions, steps.VOCABULARY)
    findings = in_order([*guards.check(suite, definitions), *links.stale(suite)])
    return Audit(
        schema=AUDIT_SCHEMA,
        suite=suite.digest,
        specs=len(suite.specs),
        requirements=len(suite.requirements),
        features=len(suite.features),
        scenarios=len(suite.scenarios()),
        vocabulary=vocabulary,
        findings=[_finding(each) for each in findings],
    )


def _vocabulary(
    suite: Library, definitions: Sequence[StepDefinition], texts: Sequence[str]
) -> list[StepUse]:
    """How often each text of the vocabulary is used.

    A definition knows the pattern that was made of its text, and there may be two of one text
    (Given and When); patterns and texts stand in the same order.
    """
    by_pattern: dict[str, list[StepDefinition]] = {}
    for definition in definitions:
        by_pattern.setdefault(definition.text, []).append(definition)
    written = [
        step
        for _, scenario in suite.feature_scenarios.values()
        for pickle in scenario.pickles
        for step in pickle.steps
    ]
    return [
        StepUse(text=text, uses=sum(any(d.serves(step) for d in same) for step in written))
        for text, same in zip(texts, by_pattern.values(), strict=True)
    ]


def _finding(finding: Finding) -> AuditFinding:
    return AuditFinding(code=finding.code, where=finding.where, message=finding.message)


def _show(told: Audit, out: Console) -> None:
    out.print(
        Text(
            f"{number(told.requirements, 'requirement')} in {number(told.specs, 'spec')}, "
            f"{number(told.scenarios, 'scenario')} in {number(told.features, 'feature')}, "
            f"{number(len(told.vocabulary), 'step text')}",
        )
    )
    place = ""
    unconfirmed = [each for each in told.findings if each.code == "unconfirmed"]
    if len(unconfirmed) > MANY:
        out.print()
        summary = (
            f"{number(len(unconfirmed), 'scenario')} have not been confirmed against their spec: "
            "compare the two, then run memconform audit --confirm."
        )
        out.print(bullet(Text("·"), Text(summary), width=5))
    for finding in told.findings:
        if finding in unconfirmed and len(unconfirmed) > MANY:
            continue
        file, _, line = finding.where.rpartition(":")
        if not line.isdigit():
            file, line = finding.where, ""
        if file != place:
            out.print()
            out.print(Text(harmless(file), style="bold"), soft_wrap=True)
            place = file
        sentence = Text(f"{harmless(finding.message)} [{finding.code}]")
        out.print(bullet(Text(line, style="dim", justify="right"), sentence, width=5))
    out.print()
    if told.findings:
        out.print(Text(f"✗ {number(len(told.findings), 'finding')}", style="bold red"))
    else:
        out.print(Text("✓ Specs, features and steps say the same.", style="bold green"))
