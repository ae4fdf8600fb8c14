"""What can be asked: the legacy behaviour by hand, and stores of every kind, filled rightly."""

import pytest
from evaluation_data import NOW, Parts
from evaluation_stores import (
    Clinging,
    Full,
    Ghostly,
    Haughty,
    Picky,
    Stateful,
    Store,
    Stubborn,
    Sulky,
    Workshop,
)

from memconform.evaluation.contenders import (
    UNKNOWN,
    EvaluationError,
    LegacyContender,
    PipelineContender,
    StoreContender,
)
from memconform.evaluation.dataset import load
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport


@pytest.fixture
def quay(tmp_path):
    return load(Parts().write(tmp_path))


def query(dataset, id):
    return next(each for each in dataset.queries if each.id == id)


def contend(workshop, dataset, gate="foundation-v1"):
    return StoreContender(Connection(LocalTransport(workshop.system)), dataset, gate)


# --- the legacy behaviour ------------------------------------------------------------------------


def test_legacy_puts_users_first_and_counts_substrings(quay):
    # Words of "How much does the crane lift?": how much does the crane lift?
    # crane: the, crane -> 2 ("lift?" with its mark is nowhere); buoy: the -> 1; pilot: the -> 1;
    # tide: none. Of the two with 1, pilot is from 4 January and buoy from 2 January.
    answer = LegacyContender(quay).answer(query(quay, "q1"), 5)
    assert answer.selected == ("name", "crane", "pilot", "buoy")
    # Called Ines, The crane lifts nine tonnes, Ask the pilot first, The buoy is green
    assert answer.characters == 11 + 27 + 19 + 17
    assert answer.trace is None


def test_legacy_finds_no_words_in_a_chinese_sentence_and_still_injects_the_user(quay):
    assert LegacyContender(quay).answer(query(quay, "q3"), 5).selected == ("name",)


def test_legacy_stops_at_k(quay):
    assert LegacyContender(quay).answer(query(quay, "q1"), 2).selected == ("name", "crane")


def test_legacy_sees_neither_inactive_nor_foreign_records(quay):
    # "buoy and high tide": the red buoy is disabled, the old tide superseded, the lamp elsewhere.
    answer = LegacyContender(quay).answer(query(quay, "q2"), 5)
    assert answer.selected == ("name", "tide", "buoy")


# --- foundation as functions ---------------------------------------------------------------------


def test_the_pipeline_finds_what_the_labels_say(quay):
    contender = PipelineContender(quay)
    assert contender.answer(query(quay, "q1"), 5).selected == ("crane",)
    assert contender.answer(query(quay, "q3"), 5).selected == ()
    assert contender.left_out == []


def test_the_gate_is_the_one_that_was_asked_for(quay):
    asked = query(quay, "q1")
    old = PipelineContender(quay, "historical-v1").answer(asked, 5)
    # The word "the" alone joins the buoy to the question.
    assert "buoy" in old.selected
    assert "buoy" not in PipelineContender(quay).answer(asked, 5).selected


# --- stores --------------------------------------------------------------------------------------


def test_a_store_is_opened_for_an_evaluation_at_its_time(quay):
    told = Workshop(Store, "clock", "validity")
    contend(told, quay)
    assert told.store.settings.evaluation
    assert told.store.settings.clock == NOW
    timeless = Workshop(Store)
    contend(timeless, quay)
    assert timeless.store.settings.clock is None


def test_ids_of_the_stores_own_are_translated(quay):
    workshop = Workshop(Store)
    contender = contend(workshop, quay)
    # "buoy" is a word of the green buoy; the red one could not be disabled and was left out.
    assert contender.answer(query(quay, "q2"), 5).selected == ("buoy", "tide-old", "tide")
    assert [each.id for each in contender.left_out] == ["buoy-red"]
    supersedes = {draft.key: draft.supersedes for draft in workshop.store.drafts.values()}
    assert supersedes["tide"] == "m3"  # the id that the store gave to tide-old


def test_states_are_brought_about_after_everything_is_written(quay):
    workshop = Workshop(Stateful, "disable", "supersede", "eventual")
    contender = contend(workshop, quay)
    assert workshop.store.calls == [
        "disable m3 in /srv/quay",
        "supersede m4 by m5",
        "barrier",
    ]
    assert contender.left_out == []
    assert contender.answer(query(quay, "q2"), 5).selected == ("buoy", "tide")


def test_a_record_whose_state_is_refused_does_not_stay(quay):
    workshop = Workshop(Stubborn, "disable", "supersede")
    contender = contend(workshop, quay)
    assert {each.id: each.cause for each in contender.left_out} == {
        "tide-old": "its state is refused: never"
    }
    assert workshop.store.calls[-1] == "forget m4"  # after crane, buoy and buoy-red
    assert contender.answer(query(quay, "q2"), 5).selected == ("buoy", "tide")


def test_a_deleted_record_is_forgotten(tmp_path):
    parts = Parts()
    parts.record("lamp")["deletedAt"] = NOW
    workshop = Workshop(Store)
    contend(workshop, load(parts.write(tmp_path)))
    assert workshop.store.calls == ["forget m6"]  # crane, buoy, two tides, pilot, lamp


@pytest.mark.parametrize(
    "limits",
    [
        {"validFrom": "2026-03-01T09:00:00.001Z"},
        {"validTo": NOW},
        {"expiresAt": "2026-02-28T00:00:00Z"},
    ],
)
def test_what_only_its_time_keeps_out_needs_a_store_that_knows_the_time(limits, tmp_path):
    parts = Parts()
    parts.record("lamp").update(limits)
    dataset = load(parts.write(tmp_path))
    timeless = contend(Workshop(Stateful, "disable", "validity"), dataset)
    assert [each.id for each in timeless.left_out] == ["lamp"]
    assert contend(Workshop(Stateful, "disable", "validity", "clock"), dataset).left_out == []


def test_what_is_still_valid_is_written_to_any_store(tmp_path):
    parts = Parts()
    parts.record("lamp").update(validFrom=NOW, validTo="2026-03-01T09:00:00.001Z")
    dataset = load(parts.write(tmp_path))
    assert contend(Workshop(Stateful, "disable"), dataset).left_out == []


def test_options_go_to_stores_that_declare_them(quay):
    bare = Workshop(Store)
    contend(bare, quay).answer(query(quay, "q1"), 5)
    assert bare.store.calls[-1] == "recall 5 {}"
    rich = Workshop(Store, "mode")
    contend(rich, quay, "historical-v1").answer(query(quay, "q1"), 3)
    assert rich.store.calls[-1] == 'recall 3 {"mode": "historical-v1"}'


def test_the_historical_gate_can_be_asked_of_who_knows_it_alone(quay):
    with pytest.raises(EvaluationError, match="does not declare the capability mode"):
        contend(Workshop(Store), quay, "historical-v1")


def test_what_a_store_does_not_take_is_left_out_with_its_cause(quay):
    contender = contend(Workshop(Picky), quay)
    assert {each.id: each.cause for each in contender.left_out} == {
        "buoy-red": "the store can't disable a record",
        "tide": "merged into tide-old",
        "pilot": "deferred: ask again",
        "name": "refused as invalid: no users here",
    }


def test_what_is_no_record_is_unknown_and_everything_is_kept(quay):
    answer = contend(Workshop(Ghostly), quay).answer(query(quay, "q1"), 2)
    assert answer.selected[0] == UNKNOWN + "x|</script>`\x1b[31m"
    assert len(answer.selected) == 8  # the ghost and the seven that it has, two asked for
    assert answer.characters == len("boo") + sum(
        len(record.content) for record in quay.records if record.id != "buoy-red"
    )


def test_a_refusal_ends_the_evaluation_with_its_words(quay):
    with pytest.raises(EvaluationError, match="refused the query q1: unavailable, not today"):
        contend(Workshop(Sulky), quay).answer(query(quay, "q1"), 5)
    with pytest.raises(EvaluationError, match="filled with the dataset: unavailable, the disk"):
        contend(Workshop(Full), quay)


def test_a_store_that_takes_nothing_has_nothing(quay):
    assert len(contend(Workshop(Haughty), quay).left_out) == len(quay.records)


def test_closing_closes_the_store(quay):
    workshop = Workshop(Store)
    contend(workshop, quay).close()
    assert workshop.store.calls[-1] == "close"


def test_a_store_that_will_not_close_is_told(quay):
    with pytest.raises(EvaluationError, match="could not be closed: unavailable, still busy"):
        contend(Workshop(Clinging), quay).close()
