"""Two reports side by side: what there is to do, and what is known of why."""

from msgspec import structs
from verdict_fakes import failed_in_full, implementation, report, result

from memconform.model.base import to_plain
from memconform.model.report import Probe, StepResult
from memconform.verdict.diff import differences
from memconform.verdict.diff_words import groups
from memconform.verdict.measure import unprepared


def ids(shifts):
    return [shift.id.partition("/")[2] for shift in shifts]


def declaring(*names, **changes):
    return to_plain(implementation(capabilities=list(names), **changes))


def headings(told):
    return [group.heading for group in groups(told)]


OLD = report(
    result("worse"),
    result("better", "failed"),
    result("withdrawn"),
    result("since-and-holds", "unsupported", missing=["batch"]),
    result("since-and-fails", "unsupported", missing=["batch"]),
    result("gone"),
    result("otherwise", "failed"),
    result("as-before", "failed"),
    suite="a" * 64,
    implementation=declaring("mask", version="1.0"),
)
NEW = report(
    result("worse", "failed"),
    result("better"),
    result("withdrawn", "unsupported", missing=["mask"]),
    result("since-and-holds", needs=["batch"]),
    result("since-and-fails", "failed", needs=["batch"]),
    result("otherwise", "error"),
    result("as-before", "failed"),
    result("new-and-holds"),
    result("new-and-fails", "failed"),
    result("new-should", "failed", must=False),
    suite="b" * 64,
    implementation=declaring("batch", version="2.0"),
)


def test_each_difference_has_its_place_by_what_there_is_to_do():
    told = differences(OLD, NEW)
    assert ids(told.regressions) == ["worse"]
    assert ids(told.newly_required) == ["new-and-fails"]
    assert ids(told.newly_asked) == ["since-and-fails"]
    assert told.withdrawn == ["mask"]
    assert ids(told.unsupported) == ["withdrawn"]
    assert ids(told.changed) == ["otherwise"]
    assert ids(told.gone) == ["gone"]
    assert ids(told.fixed) == ["better"]
    assert told.supported == ["batch"]
    assert ids(told.newly_supported) == ["since-and-holds"]
    assert ids(told.added) == ["new-and-holds", "new-should"]
    assert told.verdicts == []  # non-conformant both times
    assert not told.none
    assert len(told.shifts) == 10


def test_what_asks_for_work_is_told_first():
    told = headings(differences(OLD, NEW))
    assert [heading.partition(":")[0] for heading in told] == [
        "Mend", "Mend", "Mend", "Decide", "Look at", "Look at", "Fixed", "Newly supported",
        "New, and nothing to do",
    ]  # fmt: skip
    assert told[0] == "Mend: 1 scenario, passed before and doesn't hold any more"
    assert told[3] == "Decide: withdrawn: mask"


def test_the_same_report_has_no_differences_and_says_nothing():
    told = differences(OLD, structs.replace(OLD, started="2027-01-01T00:00:00Z", seconds=9.0))
    assert told.none
    assert groups(told) == []
    assert told.circumstances == []


def test_versions_and_suites_alone_are_told_and_are_no_difference():
    other = report(
        *OLD.results, suite="b" * 64, kit="0.2.0", target="python:x:y",
        implementation=declaring("mask", version="1.1"),
    )  # fmt: skip
    told = differences(OLD, other)
    assert told.none
    assert told.circumstances == [
        "The targets are two: reference:filesystem and python:x:y.",
        "The old report is about tiny-store 1.0, the new one about tiny-store 1.1.",
        "The suites are two: aaaaaaaaaaaa and bbbbbbbbbbbb.",
        "The old report was written by kit 0.1.0, the new one by 0.2.0.",
    ]


def test_with_another_suite_only_what_is_known_is_said_of_the_origin():
    told = differences(OLD, NEW)
    assert [each.origin for each in (*told.newly_required, *told.added, *told.gone)] == [
        "suite"
    ] * 4
    assert told.newly_supported[0].origin == "declaration"
    assert told.regressions[0].origin == "open"  # no steps are kept, so its words aren't known
    sentences = " ".join(told.circumstances)
    assert "it isn't known whether the suite or the implementation made the difference" in sentences


def test_the_words_of_a_scenario_tell_the_suite_apart():
    same, other = failed_in_full("same"), failed_in_full("other")
    steps = [StepResult(keyword="Given", text="a full store", outcome="passed")]
    passed = [structs.replace(s, outcome="passed") for s in same.steps]
    old = report(result("same", steps=passed), result("other", steps=steps), suite="a" * 64)
    new = report(same, other, suite="b" * 64)
    told = differences(old, new)
    assert {s.id: s.origin for s in told.regressions} == {
        "memory-core/same": "not the suite",
        "memory-core/other": "wording",
    }
    sentences = " ".join(told.circumstances)
    assert "1 scenario differs though asked in the same words by the same kit" in sentences
    (lines,) = [group.lines for group in groups(told) if group.heading.startswith("Mend")]
    assert lines == [
        "memory-core/same: passed, now failed",
        "memory-core/other: passed, now failed (the suite asks otherwise now)",
    ]


def test_another_kit_leaves_the_origin_open_though_the_words_are_the_same():
    passed = [structs.replace(s, outcome="passed") for s in failed_in_full().steps]
    old = report(result("a", steps=passed), kit="0.0.9")
    told = differences(old, report(failed_in_full("a")))
    assert told.regressions[0].origin == "open"
    assert any("whether the kit or the implementation" in each for each in told.circumstances)


def test_with_the_same_suite_and_kit_the_implementation_or_what_no_report_records():
    old = report(result("a"))
    sentences = differences(old, report(result("a", "failed"))).circumstances
    assert any("doesn't record, such as code" in sentence for sentence in sentences)
    new = report(result("a", "failed"), implementation=declaring("namespaces", "tags", version="2"))
    told = differences(old, new).circumstances
    assert any("Suite and kit are the same in both, so what differs came with" in s for s in told)


def test_a_must_that_became_a_should_is_told_whatever_came_of_it():
    told = differences(report(result("a")), report(result("a", must=False)))
    assert ids(told.keywords) == ["a"]
    assert not told.none
    assert "Read again: 1 scenario, another keyword" in headings(told)


def test_a_profile_that_only_one_run_was_about():
    old = report(result("a"), result("b", profile="foundation"))
    told = differences(old, report(result("a")))
    assert told.gone[0].origin == "profiles"
    assert [(v.profile, v.new) for v in told.verdicts] == [("foundation", None)]


def test_what_is_declared_otherwise_and_what_the_probes_say():
    who = implementation()
    other = structs.replace(who, policies={**who.policies, "overflow": "\x1b[2J", "extra": ["a"]})
    probe = Probe(subject="mask", finding="over-claimed", told="It doesn't.", evidence=None)
    seen = Probe(subject="reference", finding="kept", told="", evidence=None)
    old = structs.replace(report(result("a")), implementation=who, probes=[seen])
    new = structs.replace(old, implementation=other, probes=[seen, probe])
    told = differences(old, new)
    assert sorted(each.name for each in told.policies) == ["extra", "overflow"]
    assert [(each.subject, each.old, each.new) for each in told.probes] == [
        ("mask", None, "over-claimed")
    ]
    lines = [line for group in groups(told) for line in group.lines]
    assert any("now \\x1b[2J" in line for line in lines)
    assert "extra: not declared, now a" in lines
    assert "mask: nothing to say, now over-claimed" in lines
    unlooked = differences(structs.replace(old, probes=[]), new)
    assert unlooked.probes == []  # of a run that didn't look nothing is known


def test_long_groups_may_be_cut_and_say_by_how_much():
    old = report(*[result(f"s{n}") for n in range(20)])
    told = differences(old, report(*[result(f"s{n}", "failed") for n in range(20)]))
    (group,) = [g for g in groups(told, most=12) if g.heading.startswith("Mend")]
    assert len(group.lines) == 13
    assert group.lines[-1] == "8 more"


def test_a_capability_that_no_scenario_shows_is_told_and_so_is_a_scenario_without_one():
    old = report(result("a"), implementation=declaring("mask"))
    (group,) = groups(differences(old, report(result("a"), implementation=declaring())))
    assert group.heading == "Decide: withdrawn: mask"
    assert group.lines == ["No scenario came out otherwise by it."]
    # What the suite asks for more is no capability that was withdrawn.
    new = report(result("a", "unsupported", missing=["batch"]), suite="b" * 64)
    told = differences(report(result("a")), new)
    assert told.withdrawn == []
    assert told.unsupported[0].origin == "wording"
    assert headings(told)[0] == "Look at: 1 scenario, not asked any more"
    assert (
        headings(differences(new, report(result("a"))))[0] == "Newly asked: 1 scenario, and holds"
    )


def test_a_run_that_broke_off_is_told_first():
    none = unprepared("reference:filesystem", ["core"], way="in-process", error="no\nevidence")
    told = differences(report(result("a")), none)
    assert told.circumstances[0].startswith("The new run can't be relied on: ")
    assert "evidence" not in told.circumstances[0]
    assert ids(told.gone) == ["a"]
