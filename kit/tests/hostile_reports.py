"""A report in which everything that a store or its folder could write is hostile."""

from __future__ import annotations

from msgspec import structs
from verdict_fakes import failed_in_full, failure, implementation, report, result

from memconform.model.base import to_plain
from memconform.model.report import CallRecord, Outcome, Probe, Report, StepResult

MARKUP = (
    "\"'><script>alert(1)</script></style></title></svg></pre></details>"
    "<img src=x onerror=alert(1)><a href=javascript:alert(1)>x</a>"
    "]]>--><!--{{ 7 * 7 }}{% raw %}&lt;&#60;"
)
# An escape sequence, a bell, NUL, DEL, a next line, RTL override and isolate, a tag letter, line
# and paragraph separators, a byte-order mark, the text of a surrogate's escape, Hebrew, an emoji.
ACTIVE = (
    "\x1b[2J\x1b]0;owned\x07\x00\x7f\x85\u202egnp.exe\u2066\U000e0041\u2028\u2029\ufeff"
    "\\ud800\\u202e\r\n\tשלום 🙂"
)
HOSTILE = f"{MARKUP}{ACTIVE}"
GONE = (
    "\x1b", "\x07", "\x00", "\x7f", "\x85", "\u202e", "\u2066", "\U000e0041", "\u2028", "\u2029",
    "\ufeff", "\r",
)  # fmt: skip


def hostile(text: str = HOSTILE) -> Report:
    """A report of all kinds of outcomes, with this text in every place that holds free text."""
    calls = [
        CallRecord(operation=text, arguments={text: [text, {text: text}]}, answer=None, error=error,
                   fault=fault)
        for error, fault in (({"code": text, "message": text}, None), (None, text))
    ]  # fmt: skip
    calls.append(structs.replace(calls[0], error=None, answer={"hits": [{text: text}]}))
    steps = [
        StepResult(keyword="Given", text=f"an empty store\n  | {text} |", outcome="passed"),
        StepResult(keyword=text, text=text, outcome="failed"),
    ]
    told = failure(step=text, expected=text, seen=text, evidence=text)
    evil = structs.replace(
        failed_in_full("evil", title=text, rule=text, needs=[text], defects=[text]),
        failure=told, steps=steps, calls=calls, reproduce=text,
    )  # fmt: skip
    who = to_plain(implementation(name=text, version=text, language=text, homepage=text))
    who |= {"capabilities": ["namespaces", "tags", text], "policies": {text: {text: text}}}
    made = report(
        result("good", title=text, rule=text),
        evil,
        result("ought", "failed", must=False, failure=told, title=text, rule=text),
        result("absent", "unsupported", missing=["batch"], title=text, rule=text),
        target=f"stdio:{text}",
        implementation=who,
    )
    results = [
        *made.results[:3],
        structs.replace(made.results[3], missing=[text], needs=[text]),
        structs.replace(evil, id="memory-core/disputed", outcome=Outcome.DISPUTED),
        structs.replace(evil, id="memory-core/unstable", outcome=Outcome.UNSTABLE),
        structs.replace(evil, id="memory-core/not-testable", outcome=Outcome.NOT_TESTABLE),
        structs.replace(evil, id="memory-core/lost", outcome=Outcome.NOT_RUN, steps=[], calls=[]),
    ]
    return structs.replace(
        made,
        results=results,
        profiles=[structs.replace(made.profiles[0], reasons=[text, text])],
        error=text,
        kit=text,
        suite=text,
        started=text,
        probes=[
            Probe(subject=text, finding="own memory", told=text, evidence=text),
            Probe(subject="batch", finding="over-claimed", told=text, evidence=None),
        ],
    )
