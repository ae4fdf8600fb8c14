"""The catalogue of seeded faults: each is told whole, goes in by its seam, and comes out again."""

import pytest

from memconform.authority import decision
from memconform.authority.secrets import PATTERNS
from memconform.cli.names import library
from memconform.faults import (
    DROPPED,
    FAULTS,
    SPECS,
    UnknownFault,
    authority_audit,
    authority_seams,
    fault,
    written_in,
)
from memconform.faults.fault import Fault, Mark
from memconform.faults.seams import figure, figures
from memconform.model import Access, RecordDraft, Settings
from memconform.reference.filesystem import factory
from memconform.retrieval import FOUNDATION
from memconform.suite.attack import attack
from memconform.suite.play import scripts
from memconform.targets import UsageError, resolve

AUTHORITY_SPECS = ("claim-authority", "claim-recall", "claim-injection", "claim-audit")


@pytest.fixture(scope="module")
def suite():
    return scripts(library(), SPECS)


def kills(faulty: Fault, suite) -> dict[str, bool]:
    plan = dict.fromkeys(faulty.killed_by, True)
    return {cell.scenario: cell.kills for cell in attack(faulty, suite, plan)}


def test_there_are_more_than_eighty_and_no_two_of_one_name():
    assert len(FAULTS) >= 80
    assert all(name == each.name for name, each in FAULTS.items())


@pytest.mark.parametrize("each", FAULTS.values(), ids=lambda each: each.name)
def test_each_is_told_whole(each):
    """Sentences for people, ids that exist, a scenario of each... and nothing of a machine."""
    assert each.change.endswith(".")
    assert each.suffers.endswith(".")
    assert each.change != each.suffers
    assert each.breaks
    assert each.killed_by
    assert set(each.breaks) <= set(library().requirements)
    assert set(each.killed_by) <= set(library().spec_scenarios)
    owners = {library().requirement_of[id] for id in each.killed_by}
    assert owners & set(each.breaks), "no scenario that kills it belongs to what it breaks"
    assert written_in(each).read_text(encoding="utf-8").count(each.name.split("-")[0])


def test_every_requirement_has_a_fault():
    broken = {id for each in FAULTS.values() for id in each.breaks}
    assert [id for id in library().requirements if id not in broken] == []
    assert set(SPECS) == {id.partition("/")[0] for id in library().requirements}


@pytest.mark.parametrize(
    "name",
    [
        "latin-floor-a-little-low",  # a figure
        "older-update-first",  # a stage
        "brackets-are-not-escaped",  # the layout of the block
        "forget-leaves-the-query-cache",  # a method of the store
        "anything-is-a-query",  # what the server hears
        "trouble-names-the-path",  # the index beside it
        "a-restart-loses-the-last",  # what is on the disk
        "capsule-boost-a-little-low",  # a figure of the authority design
        "quarantine-after-three",  # a threshold of its policy
        "irrelevance-before-quarantine",  # two rules of its decision
        "only-english-synonyms",  # how its terms are made
        "github-tokens-are-stored",  # its patterns of secrets
        "age-counts-from-the-creation",  # its database
        "the-message-fails-when-locked",  # a method of its store
        "known-events-count",  # the log of what was shown
    ],
)
def test_one_of_each_seam_is_killed_by_every_scenario_named_for_it(name, suite):
    assert all(kills(FAULTS[name], suite).values())


def test_a_store_without_its_fault_kills_nothing(suite):
    right = Fault(
        name="none",
        change="",
        suffers="",
        breaks=(),
        killed_by=FAULTS["brackets-are-not-escaped"].killed_by,
        base="filesystem",
        seed=lambda mark: factory(),
    )
    assert not any(kills(right, suite).values())


def test_the_authority_store_that_faults_are_put_into_is_right(suite):
    """It copies its empty file and waits for nobody: no scenario but the slow one may notice."""
    unchanged = Fault(
        name="none",
        change="",
        suffers="",
        breaks=(),
        killed_by=(),
        base="authority",
        seed=authority_seams.right,
    )
    plan = {
        id: True
        for id, rows in suite.items()
        if id.partition("/")[0] in AUTHORITY_SPECS and not rows[0].scenario.slow
    }
    assert len(plan) > 150
    told = {cell.scenario: cell.told for cell in attack(unchanged, suite, plan)}
    assert {id: words for id, words in told.items() if words} == {}


def test_a_changed_figure_of_the_authority_is_read_by_its_database_too():
    """By hand: of three claims that share a word two may be decided on."""
    store = authority_seams.figure(candidate_limit=2)(Mark()).open(Settings())
    for name in ("a", "b", "c"):
        store.write(RecordDraft(content=f"The ferry number {name}", key=name))
    assert len(store.recall("ferry", Access(), None).hits) == 2
    store.close()


def test_of_two_rules_exactly_the_named_pair_is_exchanged():
    """A claim that is expired, harmful and irrelevant: only rules 2 and 3 are exchanged."""
    seed = authority_seams.later_wins(decision.expired, decision.harmful)
    store = seed(Mark()).open(Settings())
    given = {
        **{"kind": "fact", "alpha": 6, "beta": 1, "freshness": 1, "time": "2026-06-30T00:00:00Z"},
        "valid_until": "2026-06-01T00:00:00Z",
    }
    assert store.decide(**given, relevance=0, harmful_count=2).reasons == ["harmful_quarantine"]
    assert store.decide(**given, relevance=0, harmful_count=1).reasons == ["claim_expired"]
    store.close()


def test_there_is_no_pattern_without_the_part_that_a_fault_leaves_out():
    with pytest.raises(AssertionError, match="no part"):
        authority_audit._without("ssh-rsa")(PATTERNS)


def test_reading_a_changed_figure_sets_the_mark_and_reading_another_does_not():
    mark = Mark()
    changed = figures(mark, floor=0.5)
    assert changed.cjk_floor == FOUNDATION.cjk_floor
    assert mark.times == 0
    assert changed.floor == 0.5
    assert mark.times == 1


def test_a_changed_weight_is_told_by_the_trace_too():
    changed = figures(Mark(), lexical_weight=0.6)
    assert changed.weights.lexical == 0.6
    assert changed.weights.importance == FOUNDATION.importance_weight


def test_there_is_no_figure_of_a_misspelt_name():
    with pytest.raises(AttributeError):
        figure(flor=0.4)(Mark())


def test_a_faulty_store_says_so_and_declares_what_the_right_one_does():
    system = FAULTS["cut-at-95"].system()
    right = factory().hello()
    assert "cut-at-95" in system.hello().name
    assert system.hello().capabilities == right.capabilities
    assert system.hello().policies == right.policies


def test_a_query_cache_keeps_what_was_forgotten():
    """By hand: found, forgotten, asked again; the right store finds nothing."""
    found = {}
    for name, system in (
        ("right", factory()),
        ("faulty", FAULTS["forget-leaves-the-query-cache"].system()),
    ):
        store = system.open(Settings())
        written = store.write(RecordDraft(content="The spare key hangs in the shed"))
        store.recall("spare key", Access(), None)
        store.forget(written.id, Access())
        found[name] = [hit.id for hit in store.recall("spare key", Access(), None).hits]
        store.close()
    assert found["right"] == []
    assert len(found["faulty"]) == 1


@pytest.mark.parametrize("wire", [False, True])
def test_a_fault_is_a_target_whichever_way(wire):
    (target,) = resolve("fault:anything-is-a-query", wire=wire)
    connection = target.connect()
    try:
        store = connection.open()
        # The right store refuses this as invalid; this one looks for "42".
        assert store.raw("recall", {"query": 42}).hits == []
    finally:
        connection.close()
    assert target.name == "fault:anything-is-a-query"


def test_an_unknown_fault_is_told_with_what_is_near():
    with pytest.raises(UnknownFault, match="cut-at-95"):
        fault("cut-at-94")
    with pytest.raises(UsageError, match="There is no fault"):
        resolve("fault:cut-at-94")


def test_what_was_dropped_has_a_reason():
    assert DROPPED
    assert all(len(reason) > 80 for reason in DROPPED.values())
    assert not DROPPED.keys() & FAULTS.keys()
