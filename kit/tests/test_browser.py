"""The notebooks in a real browser: cells run, sliders move by keyboard, pictures follow.

No request leaves the machine, and a memory that is made to do harm stands there as text.
"""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("jupyterlab", reason="the lab extra isn't installed: make test does it")
sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")

from lab_browser import FLAGS, chromium, opened, server  # noqa: E402 # after what it needs

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "browser"

pytestmark = [
    pytest.mark.xdist_group("browser"),  # one JupyterLab for all of them
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
        line = book.wait_for_lines(0.4)
        # Thirty steps of 1/300 to the right; the depot's hours cover 0.708 and stay.
        book.press(book.slider("Floor"), "ArrowRight", 30)
        book.wait_for_figure("coverage of at least 0.5")
        assert book.readout("Floor") == "0.500"
        assert book.wait_for_lines(0.5) != line
        book.picture(PICTURES / "01-from-query-to-prompt.png")
        settled(book)


def test_when_nothing_should_be_found(lab):
    browser, url, _ = lab
    with opened(browser, url, "02-when-nothing-should-be-found.ipynb") as book:
        book.wait_for_figure("0 of 5 candidates passed the gate (coverage of at least 0.4)")
        (before, _) = book.wait_for_lines(0.4, times=2)  # the other chart has no slider
        # 11/28 is below 0.4 and above 0.39: three steps of a third of a hundredth.
        book.press(book.slider("Floor"), "ArrowLeft", 3)
        book.wait_for_figure("1 of 5 candidates passed the gate (coverage of at least 0.39)")
        assert book.readout("Floor") == "0.390"
        assert book.wait_for_lines(0.39) != [before]
        book.picture(PICTURES / "02-when-nothing-should-be-found.png")
        settled(book)


def test_two_modes_one_answer(lab):
    browser, url, _ = lab
    with opened(browser, url, "05-two-modes-one-answer.ipynb") as book:
        book.wait_for_figure("The same answer: 2 memories.")
        field = book.page.get_by_label("Query", exact=True)
        field.fill("When does the tram depot open on Sundays?")
        field.press("Enter")
        book.wait_for_figure("The same answer: 1 memory.")
        book.wait_for_chart("reference:hybrid: tram-depot-hours 1 and 1")
        book.picture(PICTURES / "05-two-modes-one-answer.png")
        settled(book)


HOSTILE = """<img src=x onerror="window.harmed='content'"><script>window.harmed='script'</script>"""


def test_a_hostile_memory_stands_there_as_text(lab):
    browser, url, root = lab
    cells = [
        f"HOSTILE = {HOSTILE!r} + ' </pre></td></table>\\u202e evil harbour ${{alert(1)}}'",
        "from memconform.model import RecordDraft, SourceDraft, Access\n"
        "from memconform.retrieval import *\n"
        "from memconform.workbench import PipelineStepper\n"
        "NOW = '2026-01-01T00:00:00Z'\n"
        "source = SourceDraft(kind='web', locator=HOSTILE)\n"
        "draft = RecordDraft(content=HOSTILE, tags=(HOSTILE[:20],), sources=(source,),\n"
        "                    workspace='/<i>place</i>')\n"
        "records = [record_from_draft(draft, id='<b onclick=1>id', now=NOW)]\n"
        "stepper = PipelineStepper(records, now=NOW, query='evil harbour <img>' )\n"
        "stepper",
        "stepper.retrieval",
        "stepper.retrieval.trace",
        "%load_ext memconform",
        "%%scenario reference:filesystem\n"
        "Scenario: <img src=y onerror=\"window.harmed='title'\">\n"
        "  Given an empty store\n"
        "  And these memories are written:\n"
        "    | key | content |\n"
        "    | bad | <img src=z onerror=\"window.harmed='cell'\"> evil harbour |\n"
        '  When "<img src=q onerror=1> evil harbour" is recalled\n'
        "  Then nothing is found",
        "from memconform.fusion import Memory\n"
        "from memconform.workbench import BudgetExplorer, FusionExplorer\n"
        "memories = [Memory(id='<b onclick=1>id', content=HOSTILE, tags=(HOSTILE,)),\n"
        "            Memory(id=HOSTILE, content='harbour', kind='constraint')]\n"
        "FusionExplorer(memories, now=0.0, query='evil harbour <img>')",
        "BudgetExplorer(memories, now=0.0, query='evil harbour <img>', budget=300)",
    ]
    path = root / "hostile.ipynb"
    path.write_text(json.dumps(notebook(cells)))
    with opened(browser, url, path.name) as book:
        book.wait_for_figure("1 of 1 candidate passed the gate")
        book.wait_for_figure("2 of 2 memories stay")
        book.wait_for_figure("At 300 tokens: 2 whole")
        book.wait_for_chart("Bars of the form of 2 memories")
        assert book.evaluate("() => window.harmed ?? null") is None
        outputs = book.page.locator(".jp-OutputArea")
        assert outputs.locator("img, script, b[onclick], i").count() == 0
        *texts, channels, budget = outputs.all_inner_texts()
        text = " ".join(texts)
        # In the table of candidates, of the widget and of the retrieval; a block escapes it itself.
        assert text.count("<img src=x onerror=") == 2
        assert "<b onclick=1>id" in text
        assert "/<i>place</i>" in book.evaluate(
            "() => [...document.querySelectorAll('option')].map(o => o.text).join()"
        )
        assert "<img src=y onerror=" in text
        # As an id and as a content, in both tables of the one and of the other.
        assert min(channels.count("<img src=x onerror="), budget.count("<img src=x onerror=")) > 1
        assert "\u202e" not in text + channels + budget
        book.picture(PICTURES / "hostile.png")
        settled(book)


def notebook(cells):
    """A notebook of these code cells."""
    code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [{**code, "id": f"c{n}", "source": cell} for n, cell in enumerate(cells)],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def test_choose_a_floor(lab):
    browser, url, _ = lab
    with opened(browser, url, "03-choose-a-floor.ipynb") as book:
        # The last cells have moved the sliders to what was chosen.
        before = book.wait_for_figure("At 0.400 and 0.333, K 3")
        assert "silent where it must be 1.000, 1 forbidden" in before
        lines, still = book.wait_for_lines(0.4, times=2), book.wait_for_lines(1 / 3, times=2)
        book.press(book.slider("Floor, Latin"), "ArrowLeft", 36)
        after = book.wait_for_figure("At 0.280 and 0.333, K 3")
        assert "silent where it must be 1.000, 2 forbidden" in after
        assert book.readout("Floor, Latin") == "0.280"
        # The line of the Latin curves and the upright one of the plane, and neither of the others.
        after = book.wait_for_lines(0.28, times=2)
        assert not {*lines} & {*after}
        assert book.wait_for_lines(1 / 3, times=2) == still
        book.page.get_by_role("button", name="Save as configuration").click()
        book.page.get_by_text("memconform evaluate python:chosen_floors:factory").first.wait_for()
        book.picture(PICTURES / "03-choose-a-floor.png")
        settled(book)


def test_read_your_traces(lab):
    browser, url, _ = lab
    with opened(browser, url, "04-read-your-traces.ipynb") as book:
        before = book.wait_for_figure("of 100 retrievals")
        field = book.page.get_by_label("Filter", exact=True)
        field.fill("latency_ms > 60 and day = '2026-05-11'")
        field.press("Enter")
        assert book.wait_for_figure("3 of 100 retrievals.") != before
        field.fill("no such column > 1")
        field.press("Enter")
        book.wait_for_figure("DuckDB can't use this filter")
        field.fill("")
        field.press("Enter")
        book.wait_for_figure("100 of 100 retrievals")
        book.picture(PICTURES / "04-read-your-traces.png")
        settled(book)


def test_five_channels_one_order(lab):
    browser, url, _ = lab
    with opened(browser, url, "08-five-channels-one-order.ipynb") as book:
        book.wait_for_figure("4 of 10 memories stay, floor 0.55; first is allergy (keyword).")
        book.wait_for_chart("Bars of the raw cosine of each memory, with the floor at 0.550")
        before = book.wait_for_lines(0.55)
        # The first has a raw cosine of 1/sqrt(3 * 2), .408: thirteen steps don't reach it.
        book.press(book.slider("Floor (cosine)"), "ArrowLeft", 13)
        book.wait_for_figure("floor 0.42; first is allergy (keyword).")
        assert book.readout("Floor (cosine)") == "0.42"
        assert book.wait_for_lines(0.42) != before
        book.press(book.slider("Floor (cosine)"), "ArrowLeft", 2)
        book.wait_for_figure("floor 0.4; first is allergy (semantic + keyword).")
        # The same memories by rank: first by meaning and second by words is 1/61 + 1/62.
        book.page.get_by_label("Order by", exact=True).select_option(index=1)
        book.wait_for_chart("Stacked bars of what each signal adds for each memory: allergy 0.0325")
        book.picture(PICTURES / "08-five-channels-one-order.png")
        settled(book)


def test_what_fits_the_budget(lab):
    browser, url, _ = lab
    with opened(browser, url, "09-what-fits-the-budget.ipynb") as book:
        book.wait_for_figure("At 120 tokens: 6 whole, 1 capsule and 3 pointers; 119 used.")
        book.wait_for_chart("Bars of the form of 10 memories at budgets from 10 to 500 tokens")
        before = book.wait_for_lines(120)
        # Sixteen steps of five: the notebook's own table has 200.
        book.press(book.slider("Budget (tokens)"), "ArrowRight", 16)
        book.wait_for_figure("At 200 tokens: 9 whole, 0 capsules and 1 pointer; 192 used.")
        assert book.readout("Budget (tokens)") == "200"
        assert book.wait_for_lines(200) != before
        # 30 % of 166 are 49, and the constraints and the preference cost 17 + 12 + 15.
        book.wait_for_chart("profile 44 of 49 tokens")
        book.picture(PICTURES / "09-what-fits-the-budget.png")
        settled(book)


def test_may_this_claim_speak(lab):
    browser, url, _ = lab
    with opened(browser, url, "10-may-this-claim-speak.ipynb") as book:
        book.wait_for_figure("Use: nothing speaks against it (belief 0.857, risk 0.323)")
        before = book.wait_for_lines(0.75, name="atRelevance")
        upright = book.wait_for_lines(6 / 7, name="atBelief")
        book.press(book.slider("Relevance"), "ArrowLeft", 5)
        assert book.wait_for_lines(0.7, name="atRelevance") != before
        assert book.wait_for_lines(6 / 7, name="atBelief") == upright
        assert book.readout("Relevance") == "0.70"
        # By keyboard, as whoever has no mouse: 6 of 12 is believed, .28 + .15 + .15 is risked.
        book.page.get_by_role("button", name="It did harm").press("Enter")
        book.wait_for_figure(
            "Verify: it is not believed enough and it is too risky (belief 0.500, risk 0.580)"
        )
        assert book.readout("Harmful reports") == "1"
        book.wait_for_chart("new 0.857 use, harmful 0.500 verify")
        # The last cells have left the list at another claim; this one has 6 of 11.
        book.page.get_by_label("Claim", exact=True).select_option("frost")
        book.wait_for_figure("3 decisions, 2 reports; the belief is 0.545 now, 0 harmful.")
        book.wait_for_chart("asked 0.857 use, stale 0.667")
        book.picture(PICTURES / "10-may-this-claim-speak.png")
        settled(book)
