import pytest
from verdict_fakes import failure, result

from memconform.model.report import Outcome, Verdict
from memconform.suite.profiles import PROFILES
from memconform.verdict.judge import judge

CORE, FOUNDATION = PROFILES["core"], PROFILES["foundation"]


def verdict(*results, declared=("namespaces",), profile=CORE, broken=None):
    return judge(profile, results, declared, broken=broken)


def test_every_must_passed_is_conformant():
    told = verdict(result("a"), result("b"))
    assert told.verdict is Verdict.CONFORMANT
    assert told.reasons == []
    assert told.counts["passed"] == 2
    assert set(told.counts) == {outcome.value for outcome in Outcome}


@pytest.mark.parametrize("outcome", ["failed", "error", "not-testable"])
def test_one_broken_must_is_not_conformant(outcome):
    told = verdict(result("a"), result("b", outcome))
    assert told.verdict is Verdict.NON_CONFORMANT
    assert len(told.reasons) == 1
    assert "Forgotten is gone" in told.reasons[0]
    assert "memory-core/b" in told.reasons[0]


def test_a_requirement_is_told_once_whatever_broke_in_it():
    told = verdict(
        result("a", "failed"),
        result("b", "error"),
        result("c", "failed", rule="Scope is a wall", requirement="scope-is-a-wall"),
    )
    assert len(told.reasons) == 2
    assert "1 scenario failed (memory-core/a); 1 scenario ended in an error" in told.reasons[0]


@pytest.mark.parametrize("outcome", ["failed", "error", "not-testable", "unsupported", "not-run"])
def test_should_never_changes_a_verdict(outcome):
    missing = ["workspaces"] if outcome == "unsupported" else []
    told = verdict(result("a"), result("b", outcome, must=False, missing=missing), declared=())
    assert told.verdict is Verdict.CONFORMANT
    assert told.counts[outcome] == 0
    assert told.should_counts[outcome] == 1


def test_should_alone_measures_nothing():
    assert verdict(result("a", must=False)).verdict is Verdict.NOT_MEASURED


def test_nothing_selected_is_not_measured():
    told = verdict()
    assert told.verdict is Verdict.NOT_MEASURED
    assert told.reasons == ["No MUST scenario of core was selected."]


def test_scenarios_of_other_profiles_do_not_count():
    told = verdict(result("a", profile="foundation"))
    assert told.verdict is Verdict.NOT_MEASURED


def test_only_unsupported_is_not_measured_even_where_all_of_it_is_optional():
    told = verdict(result("a", "unsupported", missing=["batch"]))
    assert told.verdict is Verdict.NOT_MEASURED


def test_one_scenario_not_run_is_not_measured_even_beside_failures():
    told = verdict(result("a", "failed"), result("b", "not-run"))
    assert told.verdict is Verdict.NOT_MEASURED
    assert told.reasons == ["1 of 2 MUST scenarios was not run: memory-core/b."]


def test_a_harness_fault_is_not_held_against_the_implementation():
    ours = result("b", "error", failure=failure(blame="harness", kind="exception"))
    told = verdict(result("a"), ours)
    assert told.verdict is Verdict.NOT_MEASURED
    assert "not the implementation" in told.reasons[0]


def test_a_harness_fault_in_a_should_scenario_changes_nothing():
    ours = result("b", "error", must=False, failure=failure(blame="harness", kind="exception"))
    assert verdict(result("a"), ours).verdict is Verdict.CONFORMANT


def test_disputed_is_never_scored():
    disputed = result("b", "disputed", failure=failure())
    assert verdict(result("a"), disputed).verdict is Verdict.CONFORMANT
    assert verdict(disputed).verdict is Verdict.NOT_MEASURED
    assert verdict(result("a"), disputed).counts["disputed"] == 1


def test_a_disputed_harness_fault_is_not_scored_either():
    ours = result("b", "disputed", failure=failure(blame="harness", kind="exception"))
    assert verdict(result("a"), ours).verdict is Verdict.CONFORMANT


def test_an_optional_capability_may_be_missing():
    told = verdict(result("a"), result("b", "unsupported", missing=["batch"]))
    assert told.verdict is Verdict.CONFORMANT
    assert told.counts["unsupported"] == 1


def test_a_capability_that_is_owed_makes_it_partial():
    told = verdict(
        result("a", profile="foundation"),
        result("b", "unsupported", profile="foundation", missing=["batch", "trace"]),
        result("c", "unsupported", profile="foundation", missing=["trace"]),
        profile=FOUNDATION,
    )
    assert told.verdict is Verdict.PARTIAL
    assert told.reasons == [
        "2 MUST scenarios need trace, which is not declared and which foundation can't do without."
    ]


def test_a_failure_outweighs_a_missing_capability():
    told = verdict(
        result("a", "failed", profile="foundation"),
        result("b", "unsupported", profile="foundation", missing=["trace"]),
        profile=FOUNDATION,
    )
    assert told.verdict is Verdict.NON_CONFORMANT


def test_core_asks_for_one_kind_of_place_and_then_excuses_the_others():
    walls = [
        result("a"),
        result("b", "unsupported", missing=["workspaces"]),
        result("c", "unsupported", missing=["projects"]),
    ]
    assert verdict(*walls, declared=["namespaces"]).verdict is Verdict.CONFORMANT
    told = verdict(*walls, declared=["tags"])
    assert told.verdict is Verdict.PARTIAL
    assert "at least one of workspaces, projects and namespaces" in told.reasons[0]


def test_a_broken_run_is_not_measured_whatever_passed():
    told = verdict(result("a"), broken="The run broke off.")
    assert told.verdict is Verdict.NOT_MEASURED
    assert told.reasons == ["The run broke off."]
    assert told.counts["passed"] == 1


def test_exit_codes_of_verdicts():
    # The published contract: 0 conformant, 1 not conformant (partial is not), 2 not measured.
    assert [v.exit_code for v in Verdict] == [0, 1, 1, 2]


def test_profiles_name_only_capabilities_that_exist():
    from memconform.protocol import CAPABILITIES

    for profile in PROFILES.values():
        assert profile.optional <= CAPABILITIES
        assert all(profile.why_optional.values())
        assert not any(member in profile.optional for group in profile.one_of for member in group)
