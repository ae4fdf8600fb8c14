"""Frozen evidence is what the stores give today, byte for byte; and the four silent queries."""

import functools
import hashlib
from typing import Literal

import msgspec
import pytest

from memconform.evaluation.contenders import PipelineContender, StoreContender
from memconform.evaluation.dataset import load
from memconform.evaluation.report import Evaluated, Evidence, encoded, evidence_of
from memconform.evaluation.run import report_of, run
from memconform.resources import find
from memconform.retrieval import FOUNDATION, trace_hash
from memconform.targets import resolve

EVIDENCE = find("fixtures") / "evidence"
GATES = ["foundation-v1", "historical-v1"]
STORES = ["reference:filesystem", "reference:hybrid"]
K = 5


@functools.cache
def dataset(name="anonymous-v1"):
    return load(find("fixtures") / name)


@functools.cache
def asked(target, gate, name="anonymous-v1"):
    """The store's answers and the report on them."""
    (found,) = resolve(target)
    connection = found.connect()
    try:
        contender = StoreContender(connection, dataset(name), gate)
        assert contender.left_out == []
        measured = run(contender, dataset(name), "development", K)
        contender.close()
    finally:
        connection.close()
    report = report_of(
        measured,
        dataset(name),
        contender,
        Evaluated(target=target, name="", version=""),
        marker="checked-in-anonymous-fixtures",
        split="development",
        gate=gate,
        k=K,
    )
    return measured, report


def frozen(gate):
    return (EVIDENCE / f"anonymous-v1.development.{gate}.json").read_bytes()


@pytest.mark.parametrize("gate", GATES)
def test_the_filesystem_store_gives_the_frozen_bytes(gate):
    _, report = asked("reference:filesystem", gate)
    assert encoded(evidence_of(report)) == frozen(gate)


def as_from_files(trace):
    """A trace as a store without an index would have written it: another mode and channel."""
    rankings = [msgspec.structs.replace(r, channel="filesystem") for r in trace.rankings]
    return msgspec.structs.replace(trace, mode="filesystem", rankings=rankings)


@pytest.mark.parametrize("gate", GATES)
def test_the_hybrid_store_gives_the_same_apart_from_mode_and_channel(gate):
    measured, report = asked("reference:hybrid", gate)
    evidence = evidence_of(report)
    assert evidence.modes == ["sqlite-fts5"]
    queries = [
        msgspec.structs.replace(query, trace_hash=trace_hash(as_from_files(answer.trace)))
        for query, answer in zip(evidence.queries, measured.answers, strict=True)
    ]
    same = msgspec.structs.replace(evidence, modes=["filesystem"], queries=queries)
    assert encoded(same) == frozen(gate)


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("target", STORES)
def test_on_the_constants_too_every_store_answers_like_the_functions(target, gate):
    measured, _ = asked(target, gate, "constants-v1")
    pure = run(PipelineContender(dataset("constants-v1"), gate), dataset("constants-v1"),
               "development", K)  # fmt: skip
    for theirs, ours in zip(measured.answers, pure.answers, strict=True):
        assert theirs.selected == ours.selected
        assert trace_hash(as_from_files(theirs.trace)) == trace_hash(ours.trace)
        assert theirs.characters == ours.characters


@pytest.mark.parametrize("gate", GATES)
def test_evidence_can_be_read_and_is_of_this_dataset(gate):
    evidence = msgspec.json.decode(frozen(gate), type=Evidence)
    assert evidence.dataset.digest == dataset().digest
    assert evidence.gate == gate
    assert len(evidence.queries) == 40


def test_the_checksums_are_right_and_complete():
    listed = dict(
        reversed(line.split("  "))
        for line in (EVIDENCE / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    )
    assert sorted(listed) == sorted(path.name for path in EVIDENCE.glob("*.json"))
    for name, digest in listed.items():
        assert hashlib.sha256((EVIDENCE / name).read_bytes()).hexdigest() == digest


# --- the regression fixture ------------------------------------------------------------------


class Silent(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    id: str
    expected_ids: list[str]
    forbidden_ids: list[str]
    observed_before_fix: list[str]
    expected_after_fix: list[str]


class Regression(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    schema_version: Literal[1]
    foundation_threshold: float
    queries: list[Silent]


@functools.cache
def regression():
    path = EVIDENCE / "lexical-abstention-regression.v1.json"
    return msgspec.json.decode(path.read_bytes(), type=Regression)


def results(target, gate):
    return {query.id: query for query in asked(target, gate)[1].queries}


def test_the_threshold_is_the_latin_floor():
    assert regression().foundation_threshold == FOUNDATION.floor == 0.4
    assert len(regression().queries) == 4


def test_two_queries_met_unrelated_records_before_and_two_met_nothing():
    observed = [query.observed_before_fix for query in regression().queries]
    assert [bool(ids) for ids in observed] == [True, True, False, False]
    for query in regression().queries[:2]:
        assert set(query.forbidden_ids) & set(query.observed_before_fix)


@pytest.mark.parametrize("target", STORES)
@pytest.mark.parametrize("place", range(4))
def test_a_silent_query_then_and_now(target, place):
    query = regression().queries[place]
    label = next(each for each in dataset().queries if each.id == query.id)
    assert list(label.expected_ids) == query.expected_ids == []
    assert list(label.forbidden_ids) == query.forbidden_ids
    before = results(target, "historical-v1")[query.id]
    after = results(target, "foundation-v1")[query.id]
    assert before.selected_ids == query.observed_before_fix
    assert after.selected_ids == query.expected_after_fix == []
    assert not set(after.selected_ids) & set(query.forbidden_ids)
    # Whatever got in before is now counted as irrelevant, and nothing else.
    assert after.filtered.irrelevant == len(query.observed_before_fix)


def test_the_best_coverages_of_the_silent_queries():
    best = [
        max((c.features.lexical for c in results("reference:filesystem", "historical-v1")[
            query.id].candidates), default=None)
        for query in regression().queries
    ]  # fmt: skip
    assert best == [11 / 28, 7 / 23, None, None]
