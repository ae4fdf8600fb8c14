"""junit.xml: the report in the format that CI systems read.

One test suite a profile, one test case a scenario. The format knows only failure, error and
skipped, and readers turn a build red on the first two, so what never changes a verdict (a SHOULD,
a disputed scenario) is skipped, with its finding as the message; and what was not run is an error,
because a skipped test reads as green.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from memconform.model.report import Outcome, ProfileVerdict, Report, ScenarioResult
from memconform.verdict.blame import AT_FAULT, party
from memconform.verdict.words import call_words, harmless, listed

NAME = "junit.xml"


def junit(report: Report) -> bytes:
    """The report as JUnit XML, UTF-8. Any text of a store is valid in it."""
    root = ET.Element("testsuites", {"name": _text(f"memconform {report.target}")})
    if report.error is not None:
        root.append(_run_error(report))
    for told in report.profiles:
        own = [result for result in report.results if result.profile == told.profile]
        root.append(_suite(told, own))
    _count(root)
    root.set("time", f"{report.seconds:.3f}")
    ET.indent(root, " ")
    text = ET.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n".encode()


def _suite(told: ProfileVerdict, results: Sequence[ScenarioResult]) -> ET.Element:
    suite = ET.Element("testsuite", {"name": _text(told.profile)})
    properties = ET.SubElement(suite, "properties")
    _property(properties, "verdict", told.verdict.value)
    for reason in told.reasons:
        _property(properties, "reason", reason)
    for result in results:
        suite.append(_case(result))
    _count(suite)
    suite.set("time", f"{sum(result.seconds for result in results):.3f}")
    return suite


def _case(result: ScenarioResult) -> ET.Element:
    case = ET.Element(
        "testcase",
        {
            "classname": _text(f"{result.capability}.{result.requirement}"),
            "name": _text(result.id.removeprefix(f"{result.capability}/")),
            "time": f"{result.seconds:.3f}",
        },
    )
    properties = ET.SubElement(case, "properties")
    _property(properties, "title", result.title)
    _property(properties, "keyword", "MUST" if result.must else "SHOULD")
    _property(properties, "outcome", result.outcome.value)
    tag, message = _told(result)
    if tag is not None:
        element = ET.SubElement(case, tag, {"message": _text(message)})
        if tag != "skipped":
            element.set("type", result.outcome.value)
        element.text = _text(_details(result))
    return case


def _told(result: ScenarioResult) -> tuple[str | None, str]:
    """The element that stands for an outcome (null for passed), and its message."""
    if result.outcome is Outcome.PASSED:
        return None, ""
    if result.outcome is Outcome.UNSUPPORTED:
        return "skipped", f"unsupported: {listed(result.missing)} not declared"
    seen = result.outcome.value.replace("-", " ")
    if result.failure is not None:
        seen = f"expected {result.failure.expected}; seen {result.failure.seen}"
    if result.outcome is Outcome.DISPUTED:
        return "skipped", f"disputed, not scored: {seen}"
    if not result.must:
        return "skipped", f"{result.outcome.value}, but only a SHOULD: {seen}"
    if result.outcome is Outcome.UNSTABLE:
        seen = f"unstable, {seen}"
    tags = {Outcome.NOT_RUN: "error", Outcome.ERROR: "error"}
    return tags.get(result.outcome, "failure"), seen


def _details(result: ScenarioResult) -> str:
    lines = [f"{result.rule}: {result.title}"]
    if result.failure is not None:
        lines += [f"at: {result.failure.step}", f"{AT_FAULT[party(result.failure)]}."]
    for step in result.steps:
        lines.append(f"{step.outcome:>8}  {step.keyword} {step.text}")
    for call in result.calls:
        asked, came = call_words(call)
        lines.append(f"{asked} -> {came}")
    if result.failure is not None and result.failure.evidence:
        lines += ["evidence:", result.failure.evidence]
    return "\n".join([*lines, f"alone: {result.reproduce}"])


def _run_error(report: Report) -> ET.Element:
    suite = ET.Element("testsuite", {"name": "run", "time": "0.000"})
    case = ET.SubElement(
        suite, "testcase", {"classname": "memconform", "name": "run", "time": "0.000"}
    )
    error = _text(report.error or "")
    element = ET.SubElement(case, "error", {"message": error.split("\n", 1)[0], "type": "run"})
    element.text = error
    _count(suite)
    return suite


def _count(parent: ET.Element) -> None:
    cases = list(parent.iter("testcase"))
    parent.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        parent.set(attribute, str(sum(case.find(tag) is not None for case in cases)))


def _property(properties: ET.Element, name: str, value: str) -> None:
    ET.SubElement(properties, "property", {"name": name, "value": _text(value)})


def _text(text: str) -> str:
    """Text that any XML 1.0 reader takes: active characters are written out.

    XML forbids most control characters, lone surrogates and two code points more, even escaped.
    """
    return harmless(text, keep="\n\t").replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
