"""Scope, lifecycle, purpose and filters: who may be ranked, and why not."""

import msgspec
import pytest

from memconform.model import Access, Filters, Policy, RecordDraft
from memconform.protocol import Invalid
from memconform.retrieval.lifecycle import state_of, still_active, superseded_ids
from memconform.retrieval.records import record_from_draft
from memconform.retrieval.request import (
    RetrievalRequest,
    as_filtered,
    character_budget,
    for_purpose,
    record_limit,
)
from memconform.retrieval.scope import in_scope, normalise_path, within_scope
from memconform.retrieval.stage import Dropped

NOW = "2026-06-01T00:00:00.000Z"
BEFORE = "2026-05-31T23:59:59.999Z"
AFTER = "2026-06-01T00:00:00.001Z"
RED = Access(workspace="/w/red")


def make(id="one", *, scope="workspace", workspace="/w/red", **fields):
    draft_fields = {
        k: fields.pop(k) for k in ("type", "authority", "project", "agent_visible") if k in fields
    }
    draft = RecordDraft(
        content="The ferry runs daily", scope=scope, workspace=workspace, **draft_fields
    )
    record = record_from_draft(draft, id=id, now="2026-01-01T00:00:00Z")
    return msgspec.structs.replace(record, **fields)


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("/w/red", "/w/red"),
        ("/w/red/", "/w/red"),
        ("//w///red//", "/w/red"),
        ("/w/./red", "/w/red"),
        ("/w/blue/../red", "/w/red"),
        ("/../w/red", "/w/red"),
        ("./red", "red"),
        ("red/", "red"),
        ("/W/Red", "/W/Red"),
        ("/", "/"),
    ],
)
def test_spellings_of_a_path(path, normal):
    assert normalise_path(path, windows=False) == normal


def test_windows_paths_know_no_case():
    assert normalise_path("C:/W/Red/", windows=True) == normalise_path("c:\\w\\red", windows=True)
    assert normalise_path("C:\\w\\x\\..\\RED", windows=True) == "c:\\w\\red"


SCOPES = {
    "same workspace": (make(), RED, True),
    "other spelling": (make(), Access(workspace="/w/blue/..//red/"), True),
    "other workspace": (make(), Access(workspace="/w/blue"), False),
    "other case": (make(), Access(workspace="/w/Red"), False),
    "below it": (make(), Access(workspace="/w/red/deep"), False),
    "caller without a workspace": (make(), Access(), False),
    "empty workspace": (make(), Access(workspace=""), False),
    "only a project": (make(), Access(project="/w/red"), False),
    "user record, caller without a workspace": (make(scope="user"), Access(), True),
    "missing equals nothing": (
        msgspec.structs.replace(make(), workspace=None),
        Access(),
        False,
    ),
    "user anywhere": (make(scope="user", workspace=None), RED, True),
    "user hidden from agents": (
        make(scope="user", workspace=None, agent_visible=False),
        Access(workspace="/w/red", agent="helper"),
        False,
    ),
    "workspace hidden from agents": (make(agent_visible=False), RED, True),
    "same project": (
        make(scope="project", project="/w/red/a"),
        Access(workspace="/w/red", project="/w/red/a/"),
        True,
    ),
    "other project": (
        make(scope="project", project="/w/red/a"),
        Access(workspace="/w/red", project="/w/red/b"),
        False,
    ),
    "project without a workspace": (
        make(scope="project", project="/w/red/a"),
        Access(project="/w/red/a"),
        False,
    ),
    "no project named on either side": (make(scope="project"), RED, True),
    "the caller's workspace is the project": (
        make(scope="project", workspace="/w/blue", project="/w/red"),
        RED,
        True,
    ),
    "same workspace, a project on one side": (
        make(scope="project", project="/w/red/a"),
        RED,
        False,
    ),
}


@pytest.mark.parametrize(("record", "access", "visible"), SCOPES.values(), ids=SCOPES.keys())
def test_scope(record, access, visible):
    assert in_scope(record, access, Policy()) is visible


@pytest.mark.parametrize("scope", ["user", "workspace", "project"])
def test_a_scope_that_the_policy_does_not_allow(scope):
    others = tuple(s for s in ("user", "workspace", "project") if s != scope)
    assert in_scope(make(scope=scope), RED, Policy())
    assert not in_scope(make(scope=scope), RED, Policy(scopes=others))


def test_the_stage_counts_what_is_out():
    near, far = make("near"), make("far", workspace="/w/blue")
    stage = within_scope([far, near], RED, Policy())
    assert stage.kept == (near,)
    assert stage.dropped == (Dropped("far", "out-of-scope"),)


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, "active"),
        ({"deleted_at": AFTER}, "deleted"),
        ({"disabled_at": AFTER}, "disabled"),
        ({"superseded_at": AFTER}, "superseded"),
        ({"valid_from": AFTER}, "not-yet-valid"),
        ({"valid_from": NOW}, "active"),
        ({"valid_from": BEFORE}, "active"),
        ({"valid_to": AFTER}, "active"),
        ({"valid_to": NOW}, "expired"),
        ({"valid_to": BEFORE}, "expired"),
        ({"expires_at": AFTER}, "active"),
        ({"expires_at": NOW}, "expired"),
        ({"expires_at": BEFORE}, "expired"),
        ({"valid_to": AFTER, "expires_at": NOW}, "expired"),
        # The same instants, written by another program.
        ({"valid_from": "2026-06-01T02:00:00+02:00"}, "active"),
        ({"valid_to": "2026-06-01T02:00:00+02:00"}, "expired"),
        # Who cannot read a limit does not show what it limits.
        ({"valid_from": "soon"}, "not-yet-valid"),
        ({"valid_to": "later"}, "expired"),
        ({"expires_at": "later"}, "expired"),
    ],
)
def test_the_state_at_its_instant(fields, state):
    assert state_of(make(**fields), NOW) == state


def test_the_first_state_that_applies():
    marks = {
        "deleted_at": BEFORE,
        "disabled_at": BEFORE,
        "superseded_at": BEFORE,
        "valid_from": AFTER,
        "valid_to": BEFORE,
    }
    seen = []
    for mark in list(marks):
        seen.append(state_of(make(**marks), NOW))
        del marks[mark]
    assert seen == ["deleted", "disabled", "superseded", "not-yet-valid", "expired"]


def states(records, now=NOW):
    stage = still_active(records, now)
    return [r.id for r in stage.kept], {d.id: d.reason for d in stage.dropped}


def test_of_a_chain_only_the_newest_is_left():
    chain = [make("a"), make("b", supersedes="a"), make("c", supersedes="b")]
    expected = (["c"], {"a": "superseded", "b": "superseded"})
    assert states(chain) == expected
    assert states(chain[::-1]) == expected


@pytest.mark.parametrize(
    "mark",
    [{"disabled_at": BEFORE}, {"deleted_at": BEFORE}, {"valid_from": AFTER}, {"valid_to": NOW}],
)
def test_a_successor_that_is_not_active_silences_nothing(mark):
    kept, _ = states([make("a"), make("b", supersedes="a", **mark)])
    assert kept == ["a"]


def test_what_is_dropped_twice_keeps_its_own_state():
    records = [make("a", disabled_at=BEFORE), make("b", supersedes="a")]
    assert states(records) == (["b"], {"a": "disabled"})


def test_two_that_supersede_each_other_are_both_out():
    assert states([make("a", supersedes="b"), make("b", supersedes="a")])[0] == []


def test_a_successor_of_nothing_here():
    assert superseded_ids([make("a", supersedes="gone"), make("b")]) == {"gone"}
    assert states([make("a", supersedes="gone")])[0] == ["a"]


def test_purpose():
    rule, note = make("rule", authority="directive"), make("note")
    injected = for_purpose([rule, note], "injection")
    assert injected.kept == (note,)
    assert injected.dropped == (Dropped("rule", "directive"),)
    assert for_purpose([rule, note], "tool").kept == (rule, note)


@pytest.mark.parametrize(
    ("filters", "kept", "reason"),
    [
        (None, ["mine", "ours"], None),
        (Filters(), ["mine", "ours"], None),
        (Filters(scopes=("user",)), ["mine"], "scope-filter"),
        (Filters(types=("decision",)), ["ours"], "type-filter"),
        (Filters(authorities=("directive",)), ["ours"], "authority-filter"),
        (Filters(scopes=("user",), types=("decision",)), [], "scope-filter"),
        (Filters(types=("decision", "fact")), ["mine", "ours"], None),
    ],
)
def test_filters(filters, kept, reason):
    mine = make("mine", scope="user")
    ours = make("ours", type="decision", authority="directive")
    stage = as_filtered([mine, ours], filters)
    assert [r.id for r in stage.kept] == kept
    assert all(d.reason in (reason, "type-filter") for d in stage.dropped)


@pytest.mark.parametrize(
    "filters",
    [Filters(scopes=("world",)), Filters(types=("facts",)), Filters(authorities=("order",))],
)
def test_a_filter_for_what_no_record_can_be_is_refused(filters):
    with pytest.raises(Invalid):
        RetrievalRequest(query="q", access=RED, filters=filters)


@pytest.mark.parametrize("limit", [float("nan"), float("inf")])
def test_a_limit_that_is_no_number_is_refused(limit):
    with pytest.raises(Invalid):
        RetrievalRequest(query="q", access=RED, limit=limit)


@pytest.mark.parametrize(
    ("limit", "policy", "expected"),
    [
        (None, Policy(), 8),
        (3, Policy(), 3),
        (3.9, Policy(), 3),
        (0.9, Policy(), 0),
        (100, Policy(), 8),
        (0, Policy(), 0),
        (-1, Policy(), 0),
        (None, Policy(max_injected_records=3), 3),
        (None, Policy(max_injected_records=100), 64),
        (100, Policy(max_injected_records=100), 64),
        (63, Policy(max_injected_records=100), 63),
        (5, Policy(max_injected_records=-2), 0),
        (5, Policy(enabled=False), 0),
    ],
)
def test_the_record_limit(limit, policy, expected):
    assert record_limit(RetrievalRequest(query="q", access=RED, limit=limit), policy) == expected


@pytest.mark.parametrize(("budget", "expected"), [(None, 6000), (0, 0), (10**6, 10**6)])
def test_the_character_budget(budget, expected):
    request = RetrievalRequest(query="q", access=RED, budget=budget)
    assert character_budget(request) == expected
