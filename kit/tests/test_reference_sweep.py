"""How often the indexed store looks at files for one rewritten in place: in rounds, few at a time.

The clock is the test's own.
"""

import time

import pytest

from memconform.model import RecordDraft
from memconform.reference import hybrid
from memconform.reference.files import UNSETTLED_NS, RecordFiles
from memconform.reference.hybrid import HybridStore

SHARE = 3  # files looked at in a question


class Sweeps:
    """Notes which files are looked at beside the one that is the answer."""

    def __init__(self, store, monkeypatch):
        self.store = store
        self.now = 1000.0
        self.looked = []
        self.whole = 0
        scan, stamps = RecordFiles.scan, RecordFiles.stamps

        def scanned(files):
            self.whole += 1
            return scan(files)

        def stamped(files, ids):
            self.looked.append(list(ids))
            return stamps(files, self.looked[-1])

        monkeypatch.setattr(RecordFiles, "scan", scanned)
        monkeypatch.setattr(RecordFiles, "stamps", stamped)
        monkeypatch.setattr(hybrid.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(hybrid, "_SWEEP_FILES", SHARE)

    def ask(self, after):
        """Ask after so many seconds: the files looked at, the answer's own apart."""
        self.now += after
        self.looked, self.whole = [], 0
        assert [hit.id for hit in self.store.recall("green tea").hits] == ["tea"]
        *others, answer = self.looked
        assert answer == ["tea"]
        return [id for ids in others for id in ids]


@pytest.fixture
def sweeps(tmp_path, monkeypatch):
    store = HybridStore(tmp_path / "notes", workspace="/home/me/garden")
    store.write(RecordDraft(key="tea", content="green tea"))
    for name in "abcdefg":
        store.write(RecordDraft(key=name, content=f"black coffee {name}"))
    time.sleep(2 * UNSETTLED_NS / 1e9)
    yield Sweeps(store, monkeypatch)
    store.close()


def test_a_round_is_shared_among_the_questions_and_begins_a_second_after_the_last(sweeps):
    assert sweeps.ask(after=0) == []
    assert sweeps.whole == 1  # the index is new, so everything is looked at
    assert sweeps.ask(after=0.5) == []
    assert sweeps.ask(after=0.4) == []
    # Eight files: three, three and two, at whatever intervals.
    assert sweeps.ask(after=60) == ["a", "b", "c"]
    assert sweeps.ask(after=0) == ["d", "e", "f"]
    assert sweeps.ask(after=5) == ["g", "tea"]
    assert sweeps.ask(after=0.9) == []
    assert sweeps.ask(after=0.2) == ["a", "b", "c"]


def test_an_untouched_folder_is_never_looked_at_as_a_whole_again(sweeps):
    sweeps.ask(after=0)
    for _ in range(10):
        sweeps.ask(after=3600)
        assert sweeps.whole == 0


def test_a_round_that_ends_with_a_full_share_ends_all_the_same(sweeps, monkeypatch):
    monkeypatch.setattr(hybrid, "_SWEEP_FILES", 4)
    sweeps.ask(after=0)
    assert sweeps.ask(after=2) == ["a", "b", "c", "d"]
    assert sweeps.ask(after=0) == ["e", "f", "g", "tea"]
    assert sweeps.ask(after=0.9) == []  # nothing is left, and now the round is over
    assert sweeps.ask(after=0) == []
    assert sweeps.ask(after=1.1) == ["a", "b", "c", "d"]


def test_looking_at_everything_for_another_reason_is_a_round(sweeps):
    sweeps.ask(after=0)
    assert sweeps.ask(after=2) == ["a", "b", "c"]
    sweeps.store.write(RecordDraft(key="ink", content="black ink"))
    time.sleep(2 * UNSETTLED_NS / 1e9)
    assert sweeps.ask(after=0) == []
    assert sweeps.whole == 1
    assert sweeps.ask(after=0.9) == []
    assert sweeps.ask(after=0.2) == ["a", "b", "c"]
