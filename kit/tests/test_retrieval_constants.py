"""Every constant acts: changing any one of them changes something that can be looked at."""

import dataclasses

import pytest

from memconform.model import Access, Features, Policy, RecordDraft, SourceDraft
from memconform.protocol import Invalid
from memconform.retrieval import (
    FOUNDATION,
    Constants,
    Pipeline,
    RetrievalRequest,
    record_from_draft,
)
from memconform.retrieval.context import freshness_class, source_label
from memconform.retrieval.ranking import (
    final_score,
    freshness,
    scope_affinity,
    type_affinity,
    type_hints,
)
from memconform.retrieval.records import type_from_tags
from memconform.retrieval.relevance import floor_for
from memconform.retrieval.request import record_limit
from memconform.retrieval.tokens import query_tokens, record_tokens

NOW = "2026-06-30T00:00:00.000Z"
ACCESS = Access(workspace="/w")


def make(constants=FOUNDATION, *, id="one", content="The ferry runs daily", **fields):
    draft = RecordDraft(content=content, workspace="/w", **fields)
    return record_from_draft(draft, id=id, now=NOW, constants=constants)


def accepts(*, id="one", **source):
    """Whether a record with this id and, if anything else is given, this source is taken."""

    def look(constants):
        try:
            make(constants, id=id, sources=(SourceDraft(**source),) if source else ())
        except Invalid:
            return False
        return True

    return look


def takes_eight_sources(constants):
    try:
        make(constants, sources=(SourceDraft(),) * 8)
    except Invalid:
        return False
    return True


def hinted(query):
    return lambda constants: type_hints(query, constants).types


def affinity(query, tag):
    record = make(type="insight", tags=(tag,))
    return lambda constants: type_affinity(record, type_hints(query, constants))


def nearness(scope):
    return lambda constants: scope_affinity(make(scope=scope), constants)


def score_of(feature):
    values = dict.fromkeys(Features.__struct_fields__, 0.0) | {feature: 1.0}
    return lambda constants: (
        final_score(Features(**values), constants),
        getattr(constants.weights, feature),
    )


def limit_of(constants):
    request = RetrievalRequest(query="ferry", access=ACCESS)
    return record_limit(request, Policy(max_injected_records=100), constants)


def found(constants, contents, budget=None):
    return Pipeline(constants=constants).retrieve(
        [make(id=f"m{n}", content=content) for n, content in enumerate(contents)],
        RetrievalRequest(query="ferry", access=ACCESS, budget=budget),
        now=NOW,
    )


def block_size(constants):
    return len(found(constants, ["ferry " * 2000]).block)


def is_cut(constants):
    # The frame and the labels take some 400 characters, so that under 200 are left.
    return bool(found(constants, ["ferry " * 2000], budget=500).selected)


def traced(constants):
    return len(found(constants, [f"ferry {n}" for n in range(10)]).trace.rankings)


def label(constants):
    return source_label(make(sources=(SourceDraft(locator="a" * 200),)), constants)


CHANGES = {
    "cjk_ranges": (((0x4E00, 0x4E01),), lambda c: query_tokens("渡轮", c)),
    "gram_length": (4, lambda c: query_tokens("ferry", c)),
    "cjk_gram_length": (3, lambda c: query_tokens("渡轮时", c)),
    "record_token_limit": (5, lambda c: record_tokens(make(), c)),
    "query_token_limit": (3, lambda c: query_tokens("ferry", c)),
    "type_tags": ((("insight", ("tea",)),), lambda c: type_from_tags(["tea"], c)),
    "importance_by_source": (
        (("web", 0.9),),
        lambda c: make(c, sources=(SourceDraft(kind="web"),)).importance,
    ),
    "importance_otherwise": (0.4, lambda c: make(c).importance),
    "default_confidence": (0.9, lambda c: make(c).confidence),
    "source_limit": (7, takes_eight_sources),
    "identifier_length": (127, accepts(id="x" * 128)),
    "locator_length": (1023, accepts(locator="x" * 1024)),
    "excerpt_length": (511, accepts(excerpt="x" * 512)),
    "preference_hints": (("tea",), hinted("tea")),
    "decision_hints": (("tea",), hinted("tea")),
    "identity_hints": (("茶",), hinted("喝茶")),
    "identity_tags": (("tea",), affinity("who am i", "tea")),
    "preference_tags": (("tea",), affinity("what do i like", "tea")),
    "project_affinity": (0.7, nearness("project")),
    "workspace_affinity": (0.7, nearness("workspace")),
    "user_affinity": (0.7, nearness("user")),
    "half_life_days": (
        90.0,
        lambda c: freshness(make(observed_at="2026-01-01T00:00:00Z"), NOW, c),
    ),
    "lexical_weight": (0.5, score_of("lexical")),
    "scope_weight": (0.2, score_of("scope_affinity")),
    "type_weight": (0.2, score_of("type_affinity")),
    "freshness_weight": (0.2, score_of("freshness")),
    "importance_weight": (0.2, score_of("importance")),
    "confidence_weight": (0.2, score_of("confidence")),
    "floor": (0.402, lambda c: floor_for("ferry", c)),
    "cjk_floor": (0.4, lambda c: floor_for("渡轮", c)),
    "record_limit_cap": (63, limit_of),
    "prompt_character_budget": (5999, block_size),
    "least_cut": (200, is_cut),
    "freshness_classes": ((("fresh", 0.9),), lambda c: freshness_class(0.85, c)),
    "stalest_class": ("old", lambda c: freshness_class(0.1, c)),
    "shown_locator_length": (159, label),
    "trace_limit": (9, traced),
}


def test_every_constant_is_looked_at():
    assert list(CHANGES) == [field.name for field in dataclasses.fields(Constants)]


@pytest.mark.parametrize("name", CHANGES)
def test_a_constant_acts(name):
    value, look = CHANGES[name]
    assert look(dataclasses.replace(FOUNDATION, **{name: value})) != look(FOUNDATION)


def test_the_weights_add_up_to_one():
    weights = FOUNDATION.weights
    total = sum(getattr(weights, name) for name in weights.__struct_fields__)
    assert round(total, 9) == 1
