"""messages.ndjson: what Cucumber's own types take, each result once, by identity."""

import json
import types
import typing
from collections import Counter
from dataclasses import fields, is_dataclass
from pathlib import Path

import cucumber_messages
import pytest
from cucumber_messages import message_converter
from hostile_reports import ACTIVE, GONE, HOSTILE, hostile
from msgspec import structs
from verdict_fakes import ended, failed_in_full, lines, report, result, start

from memconform.model.report import Outcome, StepResult
from memconform.resources import find
from memconform.suite import location
from memconform.suite.steps import VOCABULARY
from memconform.verdict.json_text import inert
from memconform.verdict.measure import assemble, unprepared
from memconform.verdict.messages import messages
from memconform.verdict.messages.vocabulary import definitions, matched

NOWHERE = Path("no-such-folder")
ABSTAINED = "lexical-abstention/an-unrelated-user-record-stays-out"


@pytest.fixture(scope="module")
def library():
    return location.installed().library(["abstention", "core"])


def steps_of(library, scenario):
    """The steps of a scenario as a report has them, by the kit's own reading of the features."""
    _, written = library.feature_scenarios[scenario.base]
    pickle = next(p for p in written.pickles if (p.row and p.row.number) == scenario.row)
    told = []
    for step in pickle.steps:
        rows = [f"\n  | {' | '.join(row)} |" for row in step.table or ()]
        told.append(
            StepResult(keyword=step.keyword, text=step.text + "".join(rows), outcome="passed")
        )
    return told


def result_of(library, scenario, outcome="passed", **changes):
    same = ("id", "profile", "capability", "requirement", "rule", "title", "must", "level", "slow")
    plain = {name: getattr(scenario, name) for name in same}
    plain |= {"needs": list(scenario.needs), "defects": [], "steps": steps_of(library, scenario)}
    return result("x", outcome, **{**plain, **changes})


@pytest.fixture(scope="module")
def whole(library):
    """A report in which every scenario of abstention and core has passed."""
    told = [result_of(library, scenario) for scenario in library.scenarios()]
    return structs.replace(report(result("a")), results=told, collected=[r.id for r in told])


@pytest.fixture(scope="module")
def stream(whole):
    return read(messages(whole, find("features")))


def read(data):
    text = data.decode()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.removesuffix("\n").split("\n")]


def of(stream, kind):
    return [envelope[kind] for envelope in stream if kind in envelope]


def statuses(stream):
    """Status and message of every step, by the pickle."""
    case = {one["id"]: one["pickleId"] for one in of(stream, "testCase")}
    attempt = {one["id"]: case[one["testCaseId"]] for one in of(stream, "testCaseStarted")}
    found = {}
    for one in of(stream, "testStepFinished"):
        told = one["testStepResult"]
        found.setdefault(attempt[one["testCaseStartedId"]], []).append(
            (told["status"], told.get("message"))
        )
    return found


def accepted(envelope):
    """Read by the official package: nothing unknown, nothing missing, nothing of another type."""
    told = message_converter.from_dict(envelope, cucumber_messages.Envelope)
    assert message_converter.to_dict(told) == envelope
    typed(told)


def typed(value):
    hints = typing.get_type_hints(type(value), vars(cucumber_messages._messages))
    for one in fields(value):
        inner = getattr(value, one.name)
        kinds = typing.get_args(hints[one.name])
        kind = kinds[0] if types.NoneType in kinds else hints[one.name]
        if inner is None:
            assert types.NoneType in kinds, one.name
            continue
        if typing.get_origin(kind) is list:
            (kind,) = typing.get_args(kind)
        for each in inner if isinstance(inner, list) else [inner]:
            assert type(each) is kind, (one.name, each)
            if is_dataclass(each):
                typed(each)


# --- the oracle ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        report(result("a"), failed_in_full(), result("c", "unsupported", missing=["batch"])),
        hostile(),
        unprepared("stdio:false", [], way="wire", error="it ended"),
    ],
    ids=["small", "hostile", "not measured"],
)
def test_the_official_types_take_every_message(told):
    for envelope in read(messages(told, find("features"))):
        accepted(envelope)


def test_the_official_types_take_the_messages_of_real_features(stream):
    """Every document, and every fiftieth of the other kinds, of which there are thousands."""
    seen = Counter()
    for envelope in stream:
        (kind,) = envelope
        if kind == "gherkinDocument" or seen[kind] % 50 == 0:
            accepted(envelope)
        seen[kind] += 1
    assert len(seen) == 13


def test_the_oracle_would_complain():
    good = {"testRunStarted": {"id": "run", "timestamp": {"seconds": 1, "nanos": 2}}}
    accepted(good)
    for bad in (
        {"testRunStarted": {"id": "run"}},
        {"testRunStarted": {"id": "run", "timestamp": {"seconds": "1", "nanos": 2}}},
        {"testRunStarted": {**good["testRunStarted"], "colour": "red"}},
    ):
        with pytest.raises((TypeError, AssertionError)):
            accepted(bad)


# --- by identity -----------------------------------------------------------------------------


def test_every_result_has_exactly_one_test_case_and_its_own_pickle(library, whole, stream):
    pickles = {pickle["id"]: pickle for pickle in of(stream, "pickle")}
    cases = [case["pickleId"] for case in of(stream, "testCase")]
    assert cases == [result.id for result in whole.results]
    assert sorted(pickles) == sorted(cases)
    assert len(of(stream, "testCaseStarted")) == len(of(stream, "testCaseFinished")) == len(cases)
    # The kit reads the features in another way, and says in which file and line each stands.
    for scenario in library.scenarios():
        pickle = pickles[scenario.id]
        assert pickle["uri"] == f"features/{scenario.profile}/{scenario.path.name}"
        assert pickle["location"]["line"] == scenario.line
        assert pickle["name"] == scenario.title


def test_a_row_of_an_outline_is_told_by_its_own_values(library, stream):
    rows = [scenario for scenario in library.scenarios() if scenario.row is not None]
    assert len(rows) > 100
    pickles = {pickle["id"]: pickle for pickle in of(stream, "pickle")}
    for scenario in rows:
        told = [step.text.split("\n")[0] for step in steps_of(library, scenario)]
        assert [step["text"] for step in pickles[scenario.id]["steps"]] == told


def test_every_reference_leads_to_a_message(stream):
    """No id stands for two things, and nothing points to what isn't there."""
    own = {}
    for kind in ("pickle", "testCase", "testCaseStarted", "stepDefinition", "testRunStarted"):
        own[kind] = [one["id"] for one in of(stream, kind)]
    own["pickleStep"] = [step["id"] for p in of(stream, "pickle") for step in p["steps"]]
    own["testStep"] = [step["id"] for case in of(stream, "testCase") for step in case["testSteps"]]
    nodes = {id for document in of(stream, "gherkinDocument") for id in ids_in(document)}
    for kind, ids in own.items():
        assert len(ids) == len(set(ids)), kind
    known = {kind: set(ids) for kind, ids in own.items()}
    for pickle in of(stream, "pickle"):
        assert set(pickle["astNodeIds"]) <= nodes
        assert {id for step in pickle["steps"] for id in step["astNodeIds"]} <= nodes
    for case in of(stream, "testCase"):
        assert case["testRunStartedId"] in known["testRunStarted"]
        for step in case["testSteps"]:
            assert step["pickleStepId"] in known["pickleStep"]
            assert len(step["stepDefinitionIds"]) == 1
            assert set(step["stepDefinitionIds"]) <= known["stepDefinition"]
    finished = [one["testStepId"] for one in of(stream, "testStepFinished")]
    assert finished == [one["testStepId"] for one in of(stream, "testStepStarted")]
    assert sorted(finished) == sorted(own["testStep"])


def ids_in(node):
    if isinstance(node, dict):
        if "id" in node:
            yield node["id"]
        for inner in node.values():
            yield from ids_in(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from ids_in(inner)


def test_arguments_stand_where_a_reader_of_utf_16_finds_them():
    text = '3 reports of "🙂 used" are made on "a🙂b"'
    (id,), (found,) = matched(text)
    told = [one["group"] for one in found["stepMatchArguments"]]
    units = text.encode("utf-16-le")
    assert [group["value"] for group in told] == ["3", "🙂 used", "a🙂b"]
    for group in told:
        value = group["value"].encode("utf-16-le")
        start_ = 2 * group["start"]
        assert units[start_ : start_ + len(value)] == value
    assert id == next(one.id for one in definitions() if "reports of" in one.text)
    assert matched("a step that nobody has written") == ([], [])


def test_a_feature_that_has_changed_since_is_told_as_it_was_reported(library):
    scenario = next(s for s in library.scenarios() if s.id == ABSTAINED)
    one = result_of(library, scenario)
    other = structs.replace(one, steps=[structs.replace(one.steps[0], text="another step")])
    gone = failed_in_full("forget-then-ask")
    told = structs.replace(report(gone), results=[other, gone])
    stream = read(messages(told, find("features")))
    assert [document["uri"] for document in of(stream, "gherkinDocument")] == [
        "as-reported.feature"
    ]
    first, second = of(stream, "pickle")
    assert (first["id"], second["id"]) == (ABSTAINED, "memory-core/forget-then-ask")
    assert [step["text"] for step in first["steps"]] == ["another step"]
    assert [step["type"] for step in second["steps"]] == [
        "Context", "Context", "Action", "Outcome", "Outcome",
    ]  # fmt: skip
    # Where the document says that a thing stands, the source has it.
    source = of(stream, "source")[0]["data"].split("\n")
    (document,) = of(stream, "gherkinDocument")
    for child in document["feature"]["children"]:
        told = child["scenario"]
        assert source[told["location"]["line"] - 1].strip() == f"Scenario: {told['name']}"
        for step in told["steps"]:
            line = source[step["location"]["line"] - 1].strip()
            assert line == f"{step['keyword']}{step['text']}"
        for tag in told["tags"]:
            assert tag["name"] in source[tag["location"]["line"] - 1]


def test_without_features_everything_is_as_reported():
    stream = read(messages(report(failed_in_full()), NOWHERE))
    assert [pickle["uri"] for pickle in of(stream, "pickle")] == ["as-reported.feature"]


# --- outcomes --------------------------------------------------------------------------------


def told_of(one):
    """Status and message of the steps of one result, and whether the run was a success."""
    made = structs.replace(report(result("a")), results=[one])
    stream = read(messages(made, NOWHERE))
    return statuses(stream)[one.id], of(stream, "testRunFinished")[0]["success"]


SEEN = (
    "expected “tea” not to be found by the words “green tea”\nseen its id is hit 1\n"
    "The implementation is at fault, the adapter speaks the protocol."
)


@pytest.mark.parametrize(
    ("outcome", "status", "success"),
    [
        (Outcome.FAILED, [*["PASSED"] * 3, "FAILED", "SKIPPED"], False),
        (Outcome.ERROR, [*["PASSED"] * 3, "FAILED", "SKIPPED"], False),
        (Outcome.UNSTABLE, [*["PASSED"] * 3, "FAILED", "SKIPPED"], False),
        (Outcome.NOT_TESTABLE, [*["PASSED"] * 3, "FAILED", "SKIPPED"], False),
        (Outcome.DISPUTED, ["SKIPPED"] * 5, True),
        (Outcome.UNSUPPORTED, ["SKIPPED"] * 5, True),
        (Outcome.NOT_RUN, ["UNKNOWN"] * 5, False),
        (Outcome.PASSED, ["PASSED"] * 5, True),
    ],
)
def test_outcomes_in_the_words_of_cucumber(outcome, status, success):
    one = structs.replace(failed_in_full(), outcome=outcome)
    if outcome in (Outcome.PASSED, Outcome.UNSUPPORTED, Outcome.NOT_RUN):
        one = structs.replace(one, failure=None)
    if outcome is Outcome.UNSUPPORTED:
        one = structs.replace(one, missing=["batch", "mask"])
    told, green = told_of(one)
    assert [each for each, _ in told] == status
    assert green is success
    messages_ = [message for _, message in told if message]
    assert messages_ == {
        Outcome.PASSED: [],
        Outcome.DISPUTED: [f"disputed, not scored\n{SEEN}"],
        Outcome.UNSUPPORTED: ["unsupported: batch and mask not declared"],
        Outcome.NOT_RUN: ["not run"],
    }.get(outcome, [SEEN])


def test_what_broke_outside_of_the_steps_is_a_hook():
    """After the last step where they all passed, before the first where none was reached."""
    one = failed_in_full()
    passed = [structs.replace(step, outcome="passed") for step in one.steps]
    told, _ = told_of(structs.replace(one, steps=passed))
    assert [status for status, _ in told] == [*["PASSED"] * 5, "FAILED"]
    skipped = [structs.replace(step, outcome="skipped") for step in one.steps]
    told, _ = told_of(structs.replace(one, steps=skipped))
    assert [status for status, _ in told] == ["FAILED", *["SKIPPED"] * 5]
    told, _ = told_of(structs.replace(one, steps=[]))
    assert told == [("FAILED", SEEN)]


def test_a_hook_is_only_told_of_where_there_is_one():
    without = read(messages(report(failed_in_full()), NOWHERE))
    assert of(without, "hook") == []
    stream = read(messages(report(result("a", "failed")), NOWHERE))
    (hook,), (case,) = of(stream, "hook"), of(stream, "testCase")
    assert [step["hookId"] for step in case["testSteps"]] == [hook["id"]]


def test_what_there_is_to_look_at_hangs_on_the_step_that_failed():
    stream = read(messages(report(failed_in_full()), NOWHERE))
    steps = of(stream, "testCase")[0]["testSteps"]
    command, calls = of(stream, "attachment")
    assert command["body"].startswith("Repeat it: memconform certify reference:filesystem")
    assert {command["testStepId"], calls["testStepId"]} == {steps[3]["id"]}
    assert [call["operation"] for call in json.loads(calls["body"])] == [
        "write", "forget", "recall",
    ]  # fmt: skip


def test_the_clock_is_that_of_the_report():
    """Started 2026-01-02T03:04:05Z, 1.5 s long; two scenarios of half a second each."""
    stream = read(messages(report(failed_in_full(), result("b")), NOWHERE))
    noon = 1767323045  # date -d 2026-01-02T03:04:05Z +%s
    start_, end = of(stream, "testRunStarted")[0], of(stream, "testRunFinished")[0]
    assert start_["timestamp"] == {"seconds": noon, "nanos": 0}
    assert end["timestamp"] == {"seconds": noon + 1, "nanos": 500_000_000}
    started = [one["timestamp"] for one in of(stream, "testCaseStarted")]
    assert started == [
        {"seconds": noon, "nanos": 0}, {"seconds": noon, "nanos": 500_000_000},
    ]  # fmt: skip
    durations = [one["testStepResult"]["duration"] for one in of(stream, "testStepFinished")]
    half, none = {"seconds": 0, "nanos": 500_000_000}, {"seconds": 0, "nanos": 0}
    assert durations == [none, none, none, half, none, half]


def test_a_run_that_cannot_be_relied_on_is_no_success():
    told = assemble(
        ended(lines(start(result("a")))),
        target="reference:filesystem", profiles=(), way="in-process",
    )  # fmt: skip
    stream = read(messages(told, NOWHERE))
    (end,) = of(stream, "testRunFinished")
    assert end["success"] is False
    assert "The run broke off" in end["exception"]["message"]
    assert end["message"] == "tiny-store 1.2.3: core is not measured."
    assert statuses(stream)["memory-core/a"] == [("UNKNOWN", "not run")]


def test_nothing_measured_is_no_success():
    stream = read(messages(unprepared("x", [], way="wire", error="gone"), find("features")))
    assert [kind for envelope in stream for kind in envelope] == [
        "meta", "testRunStarted", "testRunFinished",
    ]  # fmt: skip
    assert stream[-1]["testRunFinished"]["success"] is False


# --- whatever a store says -------------------------------------------------------------------


def test_a_hostile_report_breaks_no_line_and_acts_on_no_screen():
    data = messages(hostile(), find("features"))
    text = data.decode()
    assert [character for character in GONE if character in text] == []
    assert len(text.splitlines()) == text.count("\n")
    stream = read(data)
    assert "<script>alert(1)</script>" in text
    calls = json.loads(of(stream, "attachment")[2]["body"])
    assert calls[0]["error"]["message"] == HOSTILE  # as JSON it is the same value


def test_json_is_made_inert_without_being_changed():
    for value in (ACTIVE, HOSTILE, "\U0010ffff\U000e0001", {"\u202e": ["\u2028", "茶", "🙂"]}):
        told = inert(json.dumps(value, ensure_ascii=False))
        assert json.loads(told) == value
        assert [character for character in GONE if character in told] == []
    assert inert('"\u202e\U000e0041 茶"') == '"\\u202e\\udb40\\udc41 茶"'


def test_a_long_text_is_one_line():
    one = failed_in_full()
    told = "x\n\u202e" * 2**18
    one = structs.replace(one, failure=structs.replace(one.failure, seen=told))
    (found,) = of(read(messages(report(one), NOWHERE)), "testStepFinished")[3:4]
    assert found["testStepResult"]["message"].count("x\n\\u202e") == 2**18


def test_it_is_the_same_again(whole):
    assert messages(hostile(), NOWHERE) == messages(hostile(), NOWHERE)
    few = structs.replace(whole, results=whole.results[:40])
    assert messages(few, find("features")) == messages(few, find("features"))


def test_every_step_text_is_a_definition():
    assert [one.text for one in definitions()] == VOCABULARY
