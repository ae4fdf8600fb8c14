import pytest
from verdict_fakes import END, ended, failure, found, lines, result, start, whole

from memconform.model.report import Outcome, Verdict
from memconform.verdict.events import parse
from memconform.verdict.measure import assemble
from memconform.verdict.report_json import findings

A, B = result("a"), result("b")


def report_of(events, *, way="in-process", scenario=None, profiles=(), exitstatus=0, output=""):
    told = assemble(
        ended(events, exitstatus=exitstatus, output=output),
        target="reference:filesystem",
        profiles=profiles,
        way=way,
        scenario=scenario,
    )
    assert findings(told) == []  # whatever came in, what goes out agrees with itself
    return told


def verdicts(report):
    return {told.profile: told.verdict for told in report.profiles}


def test_a_whole_run_is_judged():
    told = report_of(whole(A, B))
    assert told.error is None
    assert told.collected == ["memory-core/a", "memory-core/b"]
    assert verdicts(told) == {"core": Verdict.CONFORMANT}
    assert told.implementation.name == "tiny-store"
    assert told.started == "2026-01-02T03:04:05Z"


def test_results_stand_in_the_order_of_collection_whatever_the_order_of_running():
    told = report_of(lines(start(A, B), found(B), found(A), END))
    assert [r.id for r in told.results] == ["memory-core/a", "memory-core/b"]


def test_a_collected_scenario_without_a_result_is_not_run():
    told = report_of(lines(start(A, B), found(A), END))
    assert told.error is None
    assert told.results[1].outcome is Outcome.NOT_RUN
    assert verdicts(told) == {"core": Verdict.NOT_MEASURED}


def test_a_missing_result_spoils_its_own_profile_only():
    other = result("c", profile="foundation")
    told = report_of(lines(start(A, other), found(A), END))
    assert verdicts(told) == {"core": Verdict.CONFORMANT, "foundation": Verdict.NOT_MEASURED}


def test_a_run_without_an_end_is_not_measured():
    told = report_of(lines(start(A, B), found(A)), exitstatus=-11, output="Segmentation fault\n")
    assert verdicts(told) == {"core": Verdict.NOT_MEASURED}
    assert "after 1 of 2 scenarios; memory-core/b was next" in told.error
    assert "signal 11" in told.error
    assert "--wire" in told.error
    assert "Segmentation fault" in told.error


def test_an_exit_status_of_pytest_means_something_else_once_the_suite_has_started():
    # An implementation in process may exit with any status, also one that pytest uses.
    told = report_of(lines(start(A)), exitstatus=3)
    assert "The process ended with exit status 3." in told.error
    assert "--wire" in told.error
    told = report_of(b"", exitstatus=3)
    assert "pytest failed inside itself (exit status 3)." in told.error
    assert "--wire" not in told.error


def test_a_run_without_an_end_is_not_measured_even_when_every_result_is_there():
    told = report_of(lines(start(A), found(A)))
    assert verdicts(told) == {"core": Verdict.NOT_MEASURED}


def test_the_advice_to_use_the_wire_is_not_given_on_the_wire():
    told = report_of(lines(start(A, way="wire")), way="wire", exitstatus=1)
    assert "--wire" not in told.error


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (lines(start(A, A), found(A), END), "Collected more than once: memory-core/a."),
        (lines(start(A), found(A), found(A), END), "memory-core/a has more than one result."),
        (lines(start(A), found(A), found(B), END), "memory-core/b has a result, but was not"),
        (lines(start(A), start(A), found(A), END), "is a second start"),
        (lines(start(A), found(A), END, found(A)), "comes after their end"),
        (lines(start(A), found(A), END)[:-5], "written only in part"),
        (lines(start(A), found(A)) + b"\n" + lines(END), "Line 3 of the events is not one"),
        (lines(start(A), found(A), {"event": "pause"}, END), "names no known event"),
        (lines(start(A), found(A), {**END, "error": "disk full"}), "with an error: disk full"),
        (lines(start(A), found(A), {**END, "exitstatus": 3}), "pytest failed inside itself"),
        (lines(start(A), found(result("a", must=False)), END), "another must than when it was"),
        (lines(start(A), found(result("a", failure=failure())), END), "has passed and says why"),
        (b"", "The suite never started."),
    ],
)
def test_an_unsound_run_is_not_measured_and_says_why(events, told):
    report = report_of(events)
    assert told in report.error
    assert verdicts(report) == {"core": Verdict.NOT_MEASURED}


def test_of_two_results_none_makes_a_verdict():
    report = report_of(lines(start(A), found(A), found(result("a", "failed")), END))
    assert verdicts(report) == {"core": Verdict.NOT_MEASURED}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (result("a", "failed", failure=None), "is failed and doesn't say why"),
        (result("a", "unsupported"), "names no missing capability"),
        (result("a", missing=["batch"]), "is passed and names missing capabilities"),
        (result("a", "unsupported", missing=["batch"], needs=[]), "which it doesn't need"),
        # The implementation of these events declares namespaces and tags.
        (result("a", "unsupported", missing=["tags"]), "misses tags, which is declared"),
    ],
)
def test_a_result_that_contradicts_itself_is_none(wrong, told):
    report = report_of(lines(start(wrong), found(wrong), END))
    assert told in report.error
    assert report.results[0].outcome is Outcome.NOT_RUN


def test_an_unsound_suite_is_listed_and_nothing_is_measured():
    events = lines({"event": "abort", "findings": ["a.feature:3: no Then", "b.feature:9: twice"]})
    report = report_of(events, profiles=["core", "foundation"], exitstatus=4)
    assert report.error.splitlines()[0] == "The suite is unsound, 2 findings; nothing was run."
    assert "- b.feature:9: twice" in report.error
    assert set(verdicts(report).values()) == {Verdict.NOT_MEASURED}
    assert report.implementation is None


def test_an_end_after_an_abort_changes_nothing():
    abort = {"event": "abort", "findings": ["a.feature:3: no Then"]}
    report = report_of(lines(abort, {**END, "exitstatus": 4}), exitstatus=4)
    assert report.error.startswith("The suite is unsound, 1 finding;")


@pytest.mark.parametrize(
    ("blame", "told"),
    [("implementation", "The adapter is at fault"), ("harness", "nothing was asked")],
)
def test_an_unreachable_target_is_not_measured_whoever_is_to_blame(blame, told):
    events = lines({"event": "unreachable", "error": "no answer in 10 s", "blame": blame})
    report = report_of(events, exitstatus=4)
    assert told in report.error
    assert "no answer in 10 s" in report.error
    assert verdicts(report) == {"core": Verdict.NOT_MEASURED}


def test_one_scenario_alone_is_never_a_verdict():
    report = report_of(whole(A), scenario="memory-core/a")
    assert verdicts(report) == {"core": Verdict.NOT_MEASURED}
    assert report.error is None


def test_a_profile_asked_for_without_a_scenario_is_not_measured():
    report = report_of(whole(A), profiles=["core", "abstention"])
    assert verdicts(report) == {"core": Verdict.CONFORMANT, "abstention": Verdict.NOT_MEASURED}


def test_a_profile_that_the_run_chose_and_nothing_was_collected_for_is_not_measured():
    report = report_of(whole(A, profiles=["core", "foundation"]))
    assert verdicts(report) == {"core": Verdict.CONFORMANT, "foundation": Verdict.NOT_MEASURED}


def test_scenarios_of_an_unknown_profile_spoil_the_run():
    report = report_of(whole(A, result("b", profile="telepathy")))
    assert "for no known profile: telepathy" in report.error
    assert verdicts(report) == {"core": Verdict.NOT_MEASURED}


def test_a_lone_surrogate_in_an_answer_is_written_out():
    wrong = result("a", "failed", failure=failure(seen="half \ud83d of a face"))
    report = report_of(whole(wrong))
    assert report.error is None
    assert report.results[0].failure.seen == "half \\ud83d of a face"


def test_parse_never_raises_wherever_a_stream_is_cut():
    stream = whole(A, result("b", "failed"))
    for cut in range(len(stream)):
        events = parse(stream[:cut])
        assert events.problems, f"a stream cut at byte {cut} was taken for whole"
    assert parse(stream).problems == []
