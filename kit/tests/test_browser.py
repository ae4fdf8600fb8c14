"""The notebooks in a real browser: cells run, sliders move by keyboard, pictures follow.

No request leaves the machine, and a memory that is made to do harm stands there as text.
"""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("jupyterlab", reason="the lab extra isn't installed: make test does it")
sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")

from lab_browser import FLAGS, chromium, opened, server  # noqa: E402 # after what it needs

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "browser"

pytestmark = [
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium or Chrome here"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Copies of the notebooks behind one JupyterLab, and one browser for all tests."""
    root = tmp_path_factory.mktemp("notebooks")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(path, root)
    with (
        server(root, tmp_path_factory.mktemp("jupyter")) as url,
        sync_api.sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=FLAGS)
        yield browser, url, root
        browser.close()


def settled(book):
    """What must hold of every notebook when it has been looked at."""
    assert book.complaints() == []
    assert book.errors == []
    assert book.outside == []
    assert any(url.startswith(book.url) for url in book.asked)


def test_query_to_prompt(lab):
    browser, url, _ = lab
    with opened(browser, url, "01-from-query-to-prompt.ipynb") as book:
        before = book.wait_for_figure(
            "1 of 12 candidates passed the gate (coverage of at least 0.4)"
        )
        assert "1 memory in a block" in before
        line = book.rules()
        # Ten steps of 0.01 to the right, then the memory that covers 0.5 is still in.
        book.press(book.slider("Floor"), "ArrowRight", 10)
        book.wait_for_figure("coverage of at least 0.5")
        assert book.readout("Floor") == "0.500"
        moved = book.wait_for_moved(line)
        assert len(moved) == len(line) > 0
        book.picture(PICTURES / "01-from-query-to-prompt.png")
        settled(book)
