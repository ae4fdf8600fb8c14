"""From draft to record: every default, every refusal with its accepted twin, and times."""

import msgspec
import pytest

from memconform.model import RecordDraft, SourceDraft, to_plain
from memconform.protocol import Invalid
from memconform.retrieval.records import record_from_draft, revised, stored_record
from memconform.retrieval.times import canonical_time, milliseconds, parse_time

NOW = "2026-06-30T00:00:00Z"
KEPT_NOW = "2026-06-30T00:00:00.000Z"


def make(content="The kettle takes two minutes", *, id="one", **fields):
    fields.setdefault("workspace", "/w/red")
    return record_from_draft(RecordDraft(content=content, **fields), id=id, now=NOW)


def test_a_plain_text_gets_the_defaults():
    record = make(" The kettle ")
    assert to_plain(record) == {
        "id": "one",
        # Byte for byte, spaces too.
        "content": " The kettle ",
        "scope": "workspace",
        "workspace": "/w/red",
        "project": None,
        "type": "fact",
        "authority": "reference",
        "tags": [],
        "confidence": 1.0,
        "importance": 0.5,
        "createdAt": KEPT_NOW,
        "updatedAt": KEPT_NOW,
        "observedAt": None,
        "validFrom": None,
        "validTo": None,
        "expiresAt": None,
        "disabledAt": None,
        "deletedAt": None,
        "supersededAt": None,
        "supersedes": None,
        "agentVisible": True,
        "sources": [],
        "version": 1,
    }


@pytest.mark.parametrize(
    ("tags", "kind"),
    [
        ((), "fact"),
        (("kettle",), "fact"),
        (("preference",), "preference"),
        (("preferences",), "preference"),
        (("偏好",), "preference"),
        (("decision",), "decision"),
        (("决定",), "decision"),
        (("episode",), "episode"),
        (("经历",), "episode"),
        (("relationship",), "relationship"),
        (("关系",), "relationship"),
        (("insight",), "insight"),
        (("洞察",), "insight"),
        (("ＤＥＣＩＳＩＯＮ",), "decision"),
        # The order of the types decides, not that of the tags.
        (("insight", "relationship", "preference"), "preference"),
        (("洞察", "决定"), "decision"),
        # A tag is compared whole.
        (("decision-log",), "fact"),
    ],
)
def test_the_type_comes_from_the_tags(tags, kind):
    assert make(tags=tags).type == kind


def test_a_given_type_beats_the_tags():
    assert make(tags=("preference",), type="episode").type == "episode"


@pytest.mark.parametrize(
    ("kinds", "importance"),
    [
        ((), 0.5),
        (("user",), 0.8),
        (("file",), 0.6),
        (("tool",), 0.5),
        (("web",), 0.4),
        (("inference",), 0.3),
        (("imported",), 0.5),
        (("legacy",), 0.5),
        (("web", "user"), 0.4),
    ],
)
def test_importance_comes_from_the_first_source(kinds, importance):
    sources = tuple(SourceDraft(kind=kind) for kind in kinds)
    assert make(sources=sources).importance == importance
    assert make(sources=sources, importance=0.1).importance == 0.1


def test_sources_get_ids_that_are_not_taken():
    sources = (SourceDraft(), SourceDraft(id="source-1"), SourceDraft())
    assert [s.id for s in make(sources=sources).sources] == ["source-2", "source-1", "source-3"]


def test_times():
    record = make(created_at="2026-01-01T00:00:00+02:00", valid_to="2026-02-01T00:00Z")
    assert record.created_at == "2025-12-31T22:00:00.000Z"
    # Nobody has updated what was only created.
    assert record.updated_at == record.created_at
    assert record.valid_to == "2026-02-01T00:00:00.000Z"
    assert make(updated_at="2026-01-01T00:00:00Z").created_at == "2026-01-01T00:00:00.000Z"


def test_a_lifetime_counts_from_the_write():
    record = make(ttl_ms=1500, created_at="2020-01-01T00:00:00Z")
    assert record.expires_at == "2026-06-30T00:00:01.500Z"


MONTH = "2026-06-01T00:00:00Z"
REFUSED = {
    "empty content": ({"content": ""}, {"content": "x"}, "content"),
    "blank content": ({"content": " \n\u3000"}, {"content": " x "}, "content"),
    "lone surrogate": ({"content": "a\ud800"}, {"content": "a\U00010000"}, "content"),
    "lone surrogate in a tag": ({"tags": ("\udc00",)}, {"tags": ("t",)}, "content"),
    "confidence too big": ({"confidence": 1.01}, {"confidence": 1}, "confidence"),
    "confidence too small": ({"confidence": -0.01}, {"confidence": 0}, "confidence"),
    "confidence no number": ({"confidence": float("nan")}, {"confidence": 0.5}, "confidence"),
    "importance too big": ({"importance": 7.0}, {"importance": 1.0}, "importance"),
    "validity backwards": (
        {"valid_from": MONTH, "valid_to": "2026-05-31T23:59:59.999Z"},
        {"valid_from": MONTH, "valid_to": MONTH},
        "validFrom",
    ),
    # As texts the first would be later.
    "validity backwards across zones": (
        {"valid_from": "2026-06-01T00:00:00Z", "valid_to": "2026-06-01T01:00:00+02:00"},
        {"valid_from": "2026-06-01T02:00:00+02:00", "valid_to": "2026-06-01T00:00:00Z"},
        "validFrom",
    ),
    "lifetime and expiry": ({"ttl_ms": 1, "expires_at": MONTH}, {"expires_at": MONTH}, "ttlMs"),
    "no lifetime": ({"ttl_ms": 0}, {"ttl_ms": 1}, "ttlMs"),
    "endless lifetime": ({"ttl_ms": 10**18}, {"ttl_ms": 10**12}, "ttlMs"),
    "unknown scope": ({"scope": "global"}, {"scope": "user"}, "scope"),
    "empty scope": ({"scope": ""}, {"scope": "project"}, "scope"),
    "unknown type": ({"type": "rumour"}, {"type": "insight"}, "type"),
    "unknown authority": ({"authority": "order"}, {"authority": "directive"}, "authority"),
    "workspace record without one": (
        {"workspace": None, "project": "/p"},
        {"workspace": "/w"},
        "workspace",
    ),
    "project record without a place": (
        {"scope": "project", "workspace": None},
        {"scope": "project", "workspace": None, "project": "/p"},
        "project",
    ),
    "empty workspace": ({"workspace": " "}, {"workspace": "."}, "workspace"),
    "empty project": ({"project": ""}, {"project": "p"}, "project"),
    "itself superseded": ({"supersedes": "one"}, {"supersedes": "zero"}, "supersedes"),
    "empty id": ({"id": ""}, {"id": "x"}, "id"),
    "long id": ({"id": "x" * 129}, {"id": "x" * 128}, "id"),
    "unreadable time": ({"observed_at": "yesterday"}, {"observed_at": MONTH}, "observedAt"),
    "time without a zone": (
        {"created_at": "2026-06-01T00:00:00"},
        {"created_at": MONTH},
        "createdAt",
    ),
    "no such day": (
        {"updated_at": "2026-02-29T00:00:00Z"},
        {"updated_at": "2028-02-29T00:00:00Z"},
        "updatedAt",
    ),
    "nine sources": (
        {"sources": (SourceDraft(),) * 9},
        {"sources": (SourceDraft(),) * 8},
        "sources",
    ),
    "same source id": (
        {"sources": (SourceDraft(id="a"), SourceDraft(id="a"))},
        {"sources": (SourceDraft(id="a"), SourceDraft(id="b"))},
        "sources",
    ),
    "empty source id": (
        {"sources": (SourceDraft(id=""),)},
        {"sources": (SourceDraft(id="a"),)},
        "sources.id",
    ),
    "long source id": (
        {"sources": (SourceDraft(id="a" * 129),)},
        {"sources": (SourceDraft(id="a" * 128),)},
        "sources.id",
    ),
    "unknown source kind": (
        {"sources": (SourceDraft(kind="hearsay"),)},
        {"sources": (SourceDraft(kind="tool"),)},
        "sources.kind",
    ),
    "unknown trust": (
        {"sources": (SourceDraft(trust="blind"),)},
        {"sources": (SourceDraft(trust="explicit-user"),)},
        "sources.trust",
    ),
    "long locator": (
        {"sources": (SourceDraft(locator="a" * 1025),)},
        {"sources": (SourceDraft(locator="a" * 1024),)},
        "sources.locator",
    ),
    "long excerpt": (
        {"sources": (SourceDraft(excerpt="a" * 513),)},
        {"sources": (SourceDraft(excerpt="a" * 512),)},
        "sources.excerpt",
    ),
}


@pytest.mark.parametrize(("wrong", "right", "field"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_wrong_is_refused_and_its_twin_is_not(wrong, right, field):
    with pytest.raises(Invalid) as refusal:
        make(**wrong)
    assert refusal.value.detail == {"field": field}
    # One sentence, and nothing of what was sent.
    assert refusal.value.message.endswith(".")
    assert "\n" not in refusal.value.message
    assert "rumour" not in refusal.value.message
    record = make(**right)
    # What is kept passes the check of its own type.
    assert stored_record(to_plain(record)) == record


def test_a_revision_keeps_the_rest():
    old = make(tags=("tea",), confidence=0.4)
    new = revised(old, now="2026-07-01T00:00:00Z", content="Three minutes")
    assert new == msgspec.structs.replace(
        old, content="Three minutes", updated_at="2026-07-01T00:00:00.000Z", version=2
    )
    assert revised(old, now=NOW, tags=(), confidence=0).tags == []
    assert revised(old, now=NOW, confidence=0).confidence == 0


@pytest.mark.parametrize(
    "change",
    [{"content": " "}, {"content": "\ud800"}, {"tags": ["\ud800"]}, {"confidence": 1.5}],
)
def test_a_revision_breaks_no_rule(change):
    with pytest.raises(Invalid):
        revised(make(), now=NOW, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"content": ""},
        {"content": 5},
        {"confidence": 2},
        {"scope": "global"},
        {"extra": 1},
        {"validFrom": "2026-06-02T00:00:00Z", "validTo": "2026-06-01T00:00:00Z"},
        {"validTo": "soon"},
        {"expiresAt": "2026-06-01"},
        {"supersedes": "one"},
        {"content": "\ud800"},
    ],
)
def test_a_malformed_stored_record_is_refused_without_its_text(change):
    plain = to_plain(make("The secret kettle"))
    with pytest.raises(Invalid) as refusal:
        stored_record({**plain, **change})
    assert "secret" not in refusal.value.message


@pytest.mark.parametrize("shape", [None, [], "text", {}])
def test_what_is_no_record_is_refused(shape):
    with pytest.raises(Invalid):
        stored_record(shape)


def test_stored_sources_have_ids_of_their_own():
    plain = to_plain(make(sources=(SourceDraft(), SourceDraft())))
    plain["sources"][1]["id"] = plain["sources"][0]["id"]
    with pytest.raises(Invalid):
        stored_record(plain)


def test_a_stored_time_that_decides_nothing_may_be_unreadable():
    plain = {**to_plain(make()), "observedAt": "once", "createdAt": "2026-06-01T02:00:00+02:00"}
    record = stored_record(plain)
    assert record.observed_at == "once"
    assert record.created_at == "2026-06-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"),
        ("2026-01-01T00:00Z", "2026-01-01T00:00:00.000Z"),
        ("2026-01-01T00:00:00.1239Z", "2026-01-01T00:00:00.123Z"),
        ("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.123Z"),
        ("2025-12-31T19:00:00-05:00", "2026-01-01T00:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ],
)
def test_one_spelling_of_a_time(text, canonical):
    assert canonical_time(text) == canonical
    assert canonical_time(canonical) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-W01-1T00:00:00Z",
        "20260101T000000Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:60Z",
        "2026-13-01T00:00:00Z",
        "2026-01-01T00:00:00Z\n",
        "２０２６-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2026-01-01T00:00:00+99:00",
    ],
)
def test_what_is_no_time(text):
    with pytest.raises(ValueError, match="time"):
        parse_time(text)
    assert milliseconds(text) is None


def test_milliseconds_since_1970():
    # 2026-01-01 is 56 years with 14 leap days after 1970-01-01: 20454 days.
    assert milliseconds("2026-01-01T00:00:00.007Z") == 20454 * 86_400_000 + 7
    assert milliseconds("1969-12-31T23:59:59.999Z") == -1
