"""earl.jsonld: the report in the W3C's Evaluation and Report Language (EARL 1.0), as JSON-LD.

One assertion a scenario, about the implementation, by the kit. The context stands in the document,
so that nobody has to fetch anything; every name is an IRI that needs no network either.

=======================================  =================
outcome                                  earl:outcome
=======================================  =================
passed                                   earl:passed
failed, unstable, not-testable, error    earl:failed
the same, where the kit is at fault      earl:cantTell
disputed                                 earl:cantTell
unsupported                              earl:inapplicable
not-run                                  earl:untested
=======================================  =================
"""

from __future__ import annotations

import hashlib
import re
from typing import Any
from urllib.parse import quote

from memconform.model.report import Implementation, Outcome, Report, ScenarioResult
from memconform.verdict.json_text import compact
from memconform.verdict.judge import at_fault_ourselves
from memconform.verdict.words import harmless, listed

NAME = "earl.jsonld"
ROOT = "urn:memconform:"
LONG = 200  # characters of a text within a name

Node = dict[str, Any]

_CONTEXT: Node = {
    "earl": "http://www.w3.org/ns/earl#",
    "doap": "http://usefulinc.com/ns/doap#",
    "dct": "http://purl.org/dc/terms/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "m": f"{ROOT}term:",
    "assertedBy": {"@id": "earl:assertedBy", "@type": "@id"},
    "subject": {"@id": "earl:subject", "@type": "@id"},
    "test": {"@id": "earl:test", "@type": "@id"},
    "mode": {"@id": "earl:mode", "@type": "@id"},
    "outcome": {"@id": "earl:outcome", "@type": "@id"},
    "result": {"@id": "earl:result"},
    "info": {"@id": "earl:info"},
    "name": {"@id": "doap:name"},
    "release": {"@id": "doap:release"},
    "revision": {"@id": "doap:revision"},
    "language": {"@id": "doap:programming-language"},
    "homepage": {"@id": "doap:homepage", "@type": "@id"},
    "title": {"@id": "dct:title"},
    "description": {"@id": "dct:description"},
    "partOf": {"@id": "dct:isPartOf", "@type": "@id"},
    "date": {"@id": "dct:date", "@type": "xsd:dateTime"},
}
_OUTCOMES = {
    Outcome.PASSED: "earl:passed",
    Outcome.FAILED: "earl:failed",
    Outcome.ERROR: "earl:failed",
    Outcome.UNSTABLE: "earl:failed",
    Outcome.NOT_TESTABLE: "earl:failed",
    Outcome.UNSUPPORTED: "earl:inapplicable",
    Outcome.DISPUTED: "earl:cantTell",
    Outcome.NOT_RUN: "earl:untested",
}
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_WEB = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+")


def earl(report: Report) -> bytes:
    """The report as JSON-LD, UTF-8: the same for the same report, an assertion a line."""
    kit, subject = _kit(report), _subject(report)
    about = {"assertedBy": kit["@id"], "subject": subject["@id"], "mode": "earl:automatic"}
    nodes = [kit, subject, _run(report, subject["@id"])]
    nodes += [_requirement(id, rule) for id, rule in _requirements(report).items()]
    nodes += [_assertion(result, about, report.started) for result in report.results]
    lines = ",\n  ".join(compact(node) for node in nodes)
    return f'{{"@context": {compact(_CONTEXT)},\n "@graph": [\n  {lines}\n]}}\n'.encode()


def iri(kind: str, *parts: str) -> str:
    """A name that needs no network: ``urn:memconform:scenario:memory-core/tea%5B1%5D``."""
    return f"{ROOT}{kind}:" + ":".join(map(_part, parts))


def _part(text: str) -> str:
    """A text as part of a name; of a long one the beginning, and a digest for the rest."""
    if len(text) > LONG:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        text = f"{text[:LONG]}~{digest[:16]}"
    return quote(harmless(text), safe="/.-_~")


def _kit(report: Report) -> Node:
    return {
        "@id": iri("kit", report.kit),
        "@type": ["earl:Assertor", "earl:Software", "doap:Project"],
        "name": "memconform",
        "release": {"@type": "doap:Version", "revision": harmless(report.kit)},
    }


def _subject(report: Report) -> Node:
    who = report.implementation
    node: Node = {
        "@type": ["earl:TestSubject", "doap:Project"],
        "m:target": harmless(report.target),
    }
    if who is None:
        return {"@id": iri("target", report.target), **node, "name": harmless(report.target)}
    # Two configurations of one implementation are two targets, and may well have two outcomes.
    return {
        "@id": iri("implementation", who.name, who.version, report.target),
        **node,
        **_project(who),
    }


def _project(who: Implementation) -> Node:
    node: Node = {
        "name": harmless(who.name),
        "release": {"@type": "doap:Version", "revision": harmless(who.version)},
        "language": harmless(who.language),
    }
    if who.homepage is not None and _WEB.fullmatch(who.homepage):
        node["homepage"] = who.homepage
    return node


def _run(report: Report, subject: str) -> Node:
    """What the assertions have in common, and the verdicts, for which EARL has no word."""
    node: Node = {
        "@id": iri("run", report.target, report.started),
        "@type": "m:Run",
        "subject": subject,
        "m:way": report.way,
        "m:suite": harmless(report.suite),
        "m:verdict": [
            {
                "m:profile": harmless(told.profile),
                "m:is": told.verdict.value,
                "description": [harmless(reason) for reason in told.reasons],
            }
            for told in report.profiles
        ],
        **_date(report.started),
    }
    if report.error is not None:
        node["info"] = harmless(report.error, keep="\n")
    return node


def _requirements(report: Report) -> dict[str, str]:
    return {f"{r.capability}/{r.requirement}": r.rule for r in report.results}


def _requirement(id: str, rule: str) -> Node:
    return {
        "@id": iri("requirement", id),
        "@type": "earl:TestRequirement",
        "title": harmless(rule),
    }


def _assertion(result: ScenarioResult, about: Node, started: str) -> Node:
    outcome = _OUTCOMES[result.outcome]
    if result.outcome.breaks and at_fault_ourselves(result):
        outcome = "earl:cantTell"
    found: Node = {"@type": "earl:TestResult", "outcome": outcome, **_date(started)}
    if told := _told(result):
        found["info"] = told
    # Without a name of its own, so that documents about several stores can be put together.
    return {
        "@type": "earl:Assertion",
        **about,
        "test": {
            "@id": iri("scenario", result.id),
            "@type": "earl:TestCase",
            "title": harmless(result.title),
            "partOf": iri("requirement", f"{result.capability}/{result.requirement}"),
            "m:profile": harmless(result.profile),
            "m:keyword": "MUST" if result.must else "SHOULD",
        },
        "result": found,
    }


def _told(result: ScenarioResult) -> str:
    """What else there is to say, in words."""
    if result.outcome is Outcome.PASSED:
        return ""
    if result.outcome is Outcome.UNSUPPORTED:
        return harmless(f"unsupported: {listed(result.missing)} not declared")
    told = result.outcome.value
    if result.failure is not None:
        told += f": expected {result.failure.expected}; seen {result.failure.seen}"
    return harmless(told)


def _date(started: str) -> Node:
    """The time of the run, where it is one."""
    return {"date": started} if _DATE_TIME.fullmatch(started) else {}
