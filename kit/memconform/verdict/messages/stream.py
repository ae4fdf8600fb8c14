"""All messages of a report, in the order in which a run would have sent them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from memconform.model.report import Report, ScenarioResult
from memconform.verdict.json_text import compact
from memconform.verdict.messages import vocabulary
from memconform.verdict.messages.as_reported import as_reported
from memconform.verdict.messages.attempts import HOOK, RUN, Attempt, instant, nanos, timestamp
from memconform.verdict.messages.documents import Document, Message, documents, tells_of
from memconform.verdict.words import harmless

NAME = "messages.ndjson"
PROTOCOL = "34.2.0"  # of the Cucumber Messages that these are


def messages(report: Report, features: Path) -> bytes:
    """The messages, UTF-8, one a line; the same for the same report and features.

    Args:
        report: what was measured.
        features: the folder of the features that were run, with ``<profile>/*.feature``.
    """
    lines = [compact(envelope) for envelope in envelopes(report, features)]
    return ("\n".join(lines) + "\n").encode()


def envelopes(report: Report, features: Path) -> Iterator[Message]:
    """The same, one by one."""
    yield {"meta": _meta(report)}
    found = list(_about(report.results, features))
    pickle_of = {id: pickle for document in found for id, pickle in document.pickles.items()}
    for document in found:
        yield {"source": document.source}
        yield {"gherkinDocument": document.document}
        yield from ({"pickle": pickle} for pickle in document.pickles.values())
    if found:
        yield from vocabulary.envelopes()
    attempts = [Attempt(result, pickle_of[result.id]) for result in report.results]
    if any("hookId" in step.body for each in attempts for step in each.steps):
        where = {"uri": "memconform/suite/plugin.py"}
        yield {"hook": {"id": HOOK, "name": "outside of the steps", "sourceReference": where}}
    now = instant(report.started)
    end = now + nanos(report.seconds)
    yield {"testRunStarted": {"id": RUN, "timestamp": timestamp(now)}}
    for each in attempts:
        yield each.test_case()
    for each in attempts:
        yield from each.envelopes(now)
        now += nanos(each.result.seconds)
    green = all(each.green for each in attempts)
    yield {"testRunFinished": _finished(report, max(now, end), green=green)}


def _about(results: Iterable[ScenarioResult], features: Path) -> Iterator[Document]:
    """The features of these results, each with the pickles of them alone, then what is in none."""
    owed = {result.id: result for result in results}
    profiles = [result.profile for result in owed.values()]
    for document in documents(features, profiles) if owed else ():
        own = {
            id: pickle
            for id, pickle in document.pickles.items()
            if id in owed and tells_of(pickle, owed[id])
        }
        for id in own:
            del owed[id]
        if own:
            yield Document(document.source, document.document, own)
    if owed:
        yield as_reported(list(owed.values()))


def _meta(report: Report) -> Message:
    # A report keeps nothing of the machine, so that two machines write the same one.
    unknown = {"name": "not recorded"}
    return {
        "protocolVersion": PROTOCOL,
        "implementation": {"name": "memconform", "version": harmless(report.kit)},
        "runtime": {"name": "Python"},
        "os": unknown,
        "cpu": unknown,
    }


def _finished(report: Report, end: int, *, green: bool) -> Message:
    """The end of the run; its message holds the verdicts, which are more than success or not."""
    who = report.implementation
    name = f"{who.name} {who.version}" if who else report.target
    told = [f"{verdict.profile} is {verdict.verdict.value}" for verdict in report.profiles]
    told += [probe.told for probe in report.probes if probe.disqualifies]
    finished: Message = {
        "testRunStartedId": RUN,
        "success": bool(report.results) and green and report.error is None,
        "message": harmless(f"{name}: {'; '.join(told) or 'nothing was measured'}."),
        "timestamp": timestamp(end),
    }
    if report.error is not None:
        message = harmless(report.error, keep="\n")
        finished["exception"] = {"type": "not measured", "message": message}
    return finished
