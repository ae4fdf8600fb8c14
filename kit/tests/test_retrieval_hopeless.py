"""A store may leave out of the ranking what can't pass the gate: nobody sees a difference."""

import pytest

from memconform.model import Access, RecordDraft
from memconform.retrieval import Pipeline, RetrievalRequest, record_from_draft
from memconform.retrieval.relevance import relevant

NOW = "2026-05-01T12:00:00.000Z"
PLACE = "/home/me/garden"
# Tokens of the query: pruning 1 + 5 slices, roses 1 + 3, in 1, early 1 + 3, spring 1 + 4, of which
# "ing" is had already: 19. The floor of 0.40 asks for 8 of them, since 7 / 19 = 0.37.
QUERY = "pruning roses in early spring"
RECORDS = {
    "whole": "pruning roses in early spring",
    "edge": "early roses",  # 4 + 4
    "below": "pruning in",  # 6 + 1
    "none": "bicycle",
    "liked": "oat milk",  # no word shared
}


def records():
    return [
        record_from_draft(
            RecordDraft(
                content=text,
                workspace=PLACE,
                scope="workspace",
                type="preference" if key == "liked" else "fact",
            ),
            id=key,
            now=NOW,
        )
        for key, text in RECORDS.items()
    ]


def asked(query, pipeline=None, *, hopeless, mode="foundation-v1"):
    request = RetrievalRequest(query=query, access=Access(workspace=PLACE), relevance_mode=mode)
    return (pipeline or Pipeline()).retrieve(records(), request, now=NOW, hopeless=hopeless)


@pytest.mark.parametrize("mode", ["foundation-v1", "historical-v1"])
@pytest.mark.parametrize(
    "query", [QUERY, f"I prefer {QUERY}", "roses", "in", "zeppelin", "", "春天修剪玫瑰"]
)
def test_answer_and_trace_are_the_same(query, mode):
    whole, short = (asked(query, hopeless=each, mode=mode) for each in (True, False))
    assert short.trace == whole.trace
    assert short.block == whole.block
    assert short.passed == whole.passed
    assert short.selected == whole.selected
    assert short.excluded_ids == whole.excluded_ids
    assert short.early == whole.early


def test_only_what_can_pass_is_ranked():
    whole, short = (asked(QUERY, hopeless=each) for each in (True, False))
    assert {ranked.record.id for ranked in whole.ranked} == {"whole", "edge", "below"}
    assert {ranked.record.id for ranked in short.ranked} == {"whole", "edge"}
    assert short.trace.candidate_count == 3
    assert short.trace.filtered.irrelevant == 1


def test_a_hinted_type_can_always_pass():
    short = asked(f"I prefer {QUERY}", hopeless=False)
    assert "liked" in {ranked.record.id for ranked in short.ranked}


def test_another_gate_sees_everything():
    """What it lets pass isn't known, so nothing is hopeless."""
    seen = []

    def gate(ranked, gate):
        ranked = list(ranked)
        seen.extend(each.record.id for each in ranked)
        return relevant(ranked, gate)

    asked(QUERY, Pipeline(gate=gate), hopeless=False)
    assert set(seen) == {"whole", "edge", "below"}
