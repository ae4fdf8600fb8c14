"""How often the indexed store looks at every file: in time, and never all the time.

The clock is the test's own, and looking at the files takes as long as it says.
"""

import time

import pytest

from memconform.model import RecordDraft
from memconform.reference import hybrid
from memconform.reference.files import UNSETTLED_NS, RecordFiles
from memconform.reference.hybrid import HybridStore


class Sweeps:
    """Counts how often all files are looked at; each time the clock goes on by ``takes``."""

    def __init__(self, store, monkeypatch):
        self.store = store
        self.now = 1000.0
        self.takes = 0.0
        self.seen = 0
        scan = RecordFiles.scan

        def scanned(files):
            self.seen += 1
            self.now += self.takes
            return scan(files)

        monkeypatch.setattr(RecordFiles, "scan", scanned)
        monkeypatch.setattr(hybrid.time, "monotonic", lambda: self.now)

    def ask(self, after):
        """Ask after so many seconds; whether every file was looked at."""
        self.now += after
        before = self.seen
        assert [hit.id for hit in self.store.recall("green tea").hits] == ["tea"]
        return self.seen > before


@pytest.fixture
def sweeps(tmp_path, monkeypatch):
    store = HybridStore(tmp_path / "notes", workspace="/home/me/garden")
    store.write(RecordDraft(key="tea", content="green tea"))
    time.sleep(2 * UNSETTLED_NS / 1e9)
    yield Sweeps(store, monkeypatch)
    store.close()


def test_a_small_folder_is_looked_at_once_a_second(sweeps):
    sweeps.ask(after=60)
    assert not sweeps.ask(after=0.5)
    assert not sweeps.ask(after=0.4)
    assert sweeps.ask(after=0.2)  # 1.1 s after the last time
    assert not sweeps.ask(after=0.9)


def test_looking_at_a_large_folder_takes_a_twentieth_of_the_time_at_most(sweeps):
    sweeps.takes = 0.5
    assert sweeps.ask(after=60)
    # It began 0.5 s ago and is good for 20 times 0.5 s.
    assert not sweeps.ask(after=9.4)
    assert sweeps.ask(after=0.2)


def test_reading_what_is_new_does_not_count_as_looking(sweeps, monkeypatch):
    """A new index is filled for minutes; that is no reason to look away for an hour."""
    read = RecordFiles.read

    def slowly(files, id):
        sweeps.now += 100.0
        return read(files, id)

    sweeps.ask(after=60)
    monkeypatch.setattr(RecordFiles, "read", slowly)
    sweeps.store.write(RecordDraft(key="ink", content="black ink"))
    time.sleep(2 * UNSETTLED_NS / 1e9)
    assert sweeps.ask(after=0.1)
    assert sweeps.ask(after=1.1)
    assert not sweeps.ask(after=0.9)
