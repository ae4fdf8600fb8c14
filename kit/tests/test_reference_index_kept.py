"""What the index keeps in mind between two questions never outlives a change, whoever makes it.

The plain store keeps nothing of the kind, so it says what is right: both stores are asked the same
over the same folder, again and again, and what they answer and count must be equal. While files
are too young to be relied upon, each question compares them all and nothing is kept; so the tests
wait until they are old enough.
"""

import itertools
import time

import pytest

from memconform.model import Access, Filters, RecordDraft, Settings
from memconform.reference import index as index_module
from memconform.reference.files import UNSETTLED_NS
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.hybrid import HybridStore

HOME = "/home/me/garden"
NOON = "2026-05-01T12:00:00.000Z"


class Pair:
    """Both stores over one folder; the hybrid one is asked first and keeps what it can."""

    def __init__(self, root):
        settings = Settings(clock=NOON)
        self.hybrid = HybridStore(root, settings, workspace=HOME)
        self.plain = FilesystemStore(root, settings, workspace=HOME)

    def clock(self, time):
        self.hybrid.set_clock(time)
        self.plain.set_clock(time)

    def settle(self):
        """From the next question but one on, whatever can be kept is."""
        time.sleep(2 * UNSETTLED_NS / 1e9)
        self.hybrid.recall("settled")

    def ids(self, query, access=None, **options):
        """The ids that both find; the traces must count alike."""
        access = access or Access()
        found = self.hybrid.recall(query, access, trace=True, **options)
        right = self.plain.recall(query, access, trace=True, **options)
        assert found.hits == right.hits
        assert found.trace.mode == "sqlite-fts5"
        for counted in ("candidate_count", "filtered", "selected_ids", "excluded_by_prompt_budget"):
            assert getattr(found.trace, counted) == getattr(right.trace, counted)
        return {hit.id for hit in found.hits}


@pytest.fixture
def pair(tmp_path):
    made = Pair(tmp_path / "notes")
    yield made
    made.hybrid.close()
    made.plain.close()


def test_time_alone_changes_what_is_found_forwards_and_backwards(pair):
    """Nothing is written between the questions: only the clock moves over the limits."""
    drafts = (
        RecordDraft(key="always", content="green tea"),
        RecordDraft(key="later", content="green tea later", valid_from="2026-05-02T00:00:00Z"),
        RecordDraft(key="until", content="green tea until", valid_to="2026-05-03T00:00:00Z"),
        RecordDraft(key="expires", content="green tea expires", expires_at="2026-05-04T00:00:00Z"),
    )
    pair.hybrid.write_batch(drafts)
    pair.settle()
    # A start is inclusive, an end exclusive; between the limits, and a millisecond at each side.
    expected = {
        "2026-05-01T12:00:00.000Z": {"always", "until", "expires"},
        "2026-05-01T23:59:59.999Z": {"always", "until", "expires"},
        "2026-05-02T00:00:00.000Z": {"always", "later", "until", "expires"},
        "2026-05-02T23:59:59.999Z": {"always", "later", "until", "expires"},
        "2026-05-03T00:00:00.000Z": {"always", "later", "expires"},
        "2026-05-03T23:59:59.999Z": {"always", "later", "expires"},
        "2026-05-04T00:00:00.000Z": {"always", "later"},
        "2030-01-01T00:00:00.000Z": {"always", "later"},
    }
    for now in [*expected, *reversed(expected)]:
        pair.clock(now)
        assert pair.ids("green tea") == expected[now], now
        assert pair.ids("green tea") == expected[now], now


def test_a_replacement_that_is_not_valid_yet_takes_over_when_it_is(pair):
    pair.hybrid.write(RecordDraft(key="old", content="green tea at four"))
    pair.hybrid.write(
        RecordDraft(
            key="new",
            content="green tea at five",
            supersedes="old",
            valid_from="2026-05-02T00:00:00Z",
        )
    )
    pair.settle()
    assert pair.ids("green tea") == {"old"}
    pair.clock("2026-05-02T00:00:00Z")
    assert pair.ids("green tea") == {"new"}
    pair.clock(NOON)
    assert pair.ids("green tea") == {"old"}


CHANGES = {
    "write": (lambda s: s.write(RecordDraft(key="c", content="green tea cup")), {"a", "b", "c"}),
    "update": (lambda s: s.update("a", Access(), content="black coffee"), {"b"}),
    "forget": (lambda s: s.forget("a"), {"b"}),
    "purge": (lambda s: s.purge("a"), {"b"}),
    "disable": (lambda s: s.disable("a"), {"b"}),
    "correct": (lambda s: s.correct("a", "green tea pot", Access(), "c"), {"b", "c"}),
}


@pytest.mark.parametrize("who", ["this connection", "another connection", "the plain store"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_by_the_next_question(pair, change, who):
    drafts = (
        RecordDraft(key="a", content="green tea leaf"),
        RecordDraft(key="b", content="green tea bag"),
        RecordDraft(key="other", content="the bicycle has a flat tyre"),
    )
    pair.hybrid.write_batch(drafts)
    pair.settle()
    for _ in range(2):
        assert pair.ids("green tea") == {"a", "b"}
    another = pair.hybrid.second()
    another.recall("green tea")
    stores = {"this connection": pair.hybrid, "another connection": another}
    make, expected = CHANGES[change]
    make(stores.get(who, pair.plain))
    if who == "another connection":
        # It also brings the index to the new state, and leaves nothing for us to compare.
        time.sleep(2 * UNSETTLED_NS / 1e9)
        another.recall("green tea")
    assert pair.ids("green tea") == expected
    another.close()


def test_an_enabled_memory_comes_back(pair):
    pair.hybrid.write(RecordDraft(key="a", content="green tea"))
    for _ in range(2):
        assert pair.ids("green tea") == {"a"}
        pair.hybrid.disable("a")
        assert pair.ids("green tea") == set()
        pair.hybrid.enable("a")


def test_every_place_and_filter_has_its_own_ground(pair, monkeypatch):
    """More of them than are kept, asked in turns, with and without what the others allow."""
    places = [f"/srv/garden/{number}" for number in range(6)]
    for place in places:
        for type in ("fact", "decision"):
            pair.hybrid.write(
                RecordDraft(
                    key=f"{type}-{place[-1]}",
                    content=f"green tea, {type}",
                    type=type,
                    scope="workspace",
                    workspace=place,
                )
            )
    pair.settle()
    monkeypatch.setattr(index_module, "_GROUNDS_KEPT", 3)
    for _, place in itertools.product(range(2), places):
        access = Access(workspace=place)
        both = {f"fact-{place[-1]}", f"decision-{place[-1]}"}
        assert pair.ids("green tea", access) == both
        for type in ("fact", "decision"):
            filters = Filters(types=(type,))
            assert pair.ids("green tea", access, filters=filters) == {f"{type}-{place[-1]}"}
        assert pair.ids("green tea", access, filters=Filters(types=("insight",))) == set()


def test_every_purpose_has_its_own_ground(pair):
    """The same place and no filter: what differs is nothing but who may see a directive."""
    pair.hybrid.write(RecordDraft(key="rule", content="green tea only", authority="directive"))
    pair.hybrid.write(RecordDraft(key="note", content="green tea leaf"))
    pair.settle()
    for _ in range(2):
        assert pair.ids("green tea", purpose="injection") == {"note"}
        assert pair.ids("green tea", purpose="tool") == {"note", "rule"}


def test_a_hinted_type_of_another_place_stays_out(pair):
    """Who may see it is asked of the ground, which the hint alone knows nothing of."""
    for key, place in (("mine", HOME), ("theirs", "/srv/elsewhere")):
        pair.hybrid.write(
            RecordDraft(key=key, content="oat milk", type="preference", workspace=place)
        )
    pair.settle()
    for _ in range(2):
        assert pair.ids("What do I prefer?") == {"mine"}


@pytest.mark.parametrize("kept", [0, 1, 5])
def test_nothing_is_lost_when_too_much_is_kept(pair, monkeypatch, kept):
    monkeypatch.setattr(index_module, "_NUMBERS_KEPT", kept)
    texts = {"a": "green tea", "b": "green bicycle", "c": "black bicycle"}
    pair.hybrid.write_batch(tuple(RecordDraft(key=k, content=t) for k, t in texts.items()))
    pair.settle()
    for _ in range(3):
        assert pair.ids("green") == {"a", "b"}
        assert pair.ids("green tea") == {"a", "b"}
        assert pair.ids("black bicycle") == {"b", "c"}
        assert pair.ids("zeppelin") == set()


def test_no_more_postings_are_kept_than_a_question_needs_beyond_the_limit(pair, monkeypatch):
    monkeypatch.setattr(index_module, "_NUMBERS_KEPT", 0)
    pair.hybrid.write(RecordDraft(key="a", content="sun moon"))
    pair.settle()
    # A word of three letters is one token, one of four has two slices beside.
    for query, tokens in (
        ("sun", {"wsun"}),
        ("moon", {"wmoon", "gmoo", "goon"}),
        ("sun", {"wsun"}),
    ):
        pair.hybrid.recall(query)
        assert set(pair.hybrid._index._memory.postings) == tokens
