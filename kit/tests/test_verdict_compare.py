import json

import msgspec
from verdict_fakes import failure, implementation, report, result

from memconform.model.base import to_plain
from memconform.verdict.compare import Changes, compare, sentences

ONE = report(result("a"), result("b", "failed"), result("c", "unsupported", missing=["batch"]))


def ids(changes):
    return [change.id.removeprefix("memory-core/") for change in changes]


def test_the_same_outcomes_are_no_change_failures_among_them():
    # Another failure of the same scenario is the same outcome.
    other = report(
        result("a"),
        result("b", "failed", failure=failure(seen="coffee")),
        result("c", "unsupported", missing=["batch"]),
    )
    changes = compare(ONE, other)
    assert changes.none
    assert sentences(changes) == ["Every outcome equals the baseline."]


def test_each_kind_of_change_has_its_place():
    new = report(
        result("a", "error"),
        result("b"),
        result("c", "failed"),
        result("d", must=False),
    )
    old = report(result("a"), result("b", "not-testable"), result("c", "error"), result("e"))
    changes = compare(old, new)
    assert ids(changes.regressions) == ["a"]
    assert ids(changes.fixed) == ["b"]
    assert ids(changes.changed) == ["c"]
    assert ids(changes.new) == ["d"]
    assert ids(changes.gone) == ["e"]
    assert not changes.none
    told = "\n".join(sentences(changes))
    assert "1 regression:\n- memory-core/a: passed, now error" in told
    assert "- memory-core/d: passed (a SHOULD)" in told
    assert told.index("regression") < told.index("fixed")


def test_a_pass_that_became_unsupported_is_a_change_not_silence():
    changes = compare(report(result("a")), report(result("a", "unsupported", missing=["batch"])))
    assert ids(changes.changed) == ["a"]
    assert not changes.none


def test_verdicts_and_the_implementation_are_told():
    new = report(
        result("a", "failed"),
        result("b", "failed"),
        result("c", "unsupported", missing=["batch"]),
        implementation=to_plain(implementation(version="2.0.0")),
    )
    old = report(result("a"), result("b"), result("c", "unsupported", missing=["batch"]))
    told = sentences(compare(old, new))
    assert "The verdict of core was conformant and is non-conformant now." in told
    assert "The baseline is about tiny-store 1.2.3, this run about tiny-store 2.0.0." in told


def test_another_suite_is_told_even_where_no_outcome_differs():
    changes = compare(report(result("a")), report(result("a"), suite="e" * 64))
    assert changes.none
    assert changes.suite_differs
    assert any("suite is another one" in sentence for sentence in sentences(changes))


def test_only_what_was_asked_for_is_compared():
    old = report(result("a"), result("b", profile="foundation"))
    changes = compare(old, report(result("a")), chosen=lambda one: one.profile == "core")
    assert changes.none
    assert changes.verdicts == []


def test_long_lists_may_be_cut_and_say_by_how_much():
    old = report(*[result(f"s{i}") for i in range(20)])
    new = report(*[result(f"s{i}", "failed") for i in range(20)])
    told = sentences(compare(old, new), most=12)
    assert told[0] == "20 regressions:"
    assert "- 8 scenarios more" in told


def test_changes_are_a_document():
    changes = compare(ONE, report(result("a", "failed")))
    data = msgspec.json.encode(changes)
    assert msgspec.json.decode(data, type=Changes) == changes
    assert json.loads(data)["suiteDiffers"] is False
