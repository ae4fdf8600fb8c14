"""report.html: complete, the same again, inert whatever a store says, whole without a network."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hostile_reports import GONE, HOSTILE, hostile
from lab_browser import FLAGS, chromium
from msgspec import structs
from verdict_fakes import ended, failed_in_full, failure, lines, report, result, start

from memconform.model.report import Outcome, Probe
from memconform.suite import location
from memconform.verdict.clusters import clusters, common_cause
from memconform.verdict.measure import assemble, unprepared
from memconform.verdict.page import bar, page, page_of_all

# Elements without an end tag, as HTML has them.
VOID = {"meta", "br"}
KNOWN = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section"),
    *("nav", "a", "h1", "h2", "h3", "p", "div", "span", "b", "bdi", "code", "pre", "br"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary", "svg", "rect", "text"),
}
ATTRIBUTES = {
    *("lang", "charset", "name", "content", "http-equiv", "class", "href", "id", "role", "scope"),
    *("tabindex", "aria-label", "aria-labelledby", "aria-hidden", "x", "y", "width", "height"),
}


class Reader(HTMLParser):
    """What a page consists of; a tag that closes another than the open one is an error."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self._open = [], [], [], []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] != "style":
            self.texts.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def requirements():
    return location.installed().library(()).requirements


def made(told, requirements=None):
    return page(told, requirements or {}, digest=told.suite)


def words(told, requirements=None):
    return Reader(made(told, requirements)).words


# --- inert -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [made(hostile()), page_of_all([("../\"'<x>", hostile()), ("b", report(result("a")))])],
    ids=["one", "several"],
)
def test_a_hostile_report_is_shown_and_not_obeyed(text):
    read = Reader(text)
    assert set(read.tags) <= KNOWN
    assert {name for name, _ in read.attributes} <= ATTRIBUTES
    assert [character for character in GONE if character in text] == []
    assert "<script>alert(1)</script></style></title></svg></pre></details><img" in read.words
    assert "\\x1b[2J" in read.words
    assert "\\u202egnp.exe\\u2066\\U000e0041" in read.words
    assert "{{ 7 * 7 }}{% raw %}&lt;" in read.words  # neither template nor entity is read again
    assert "שלום 🙂" in read.words


def test_it_is_whole_in_itself():
    for text in (made(hostile()), page_of_all([("a", report(result("a")))])):
        read = Reader(text)
        links = [value for name, value in read.attributes if name == "href"]
        assert all(link.startswith(("#", "./")) for link in links)
        style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
        assert not re.search(r"url\(|@import|https?:", style)
        assert (
            "content",
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        ) in read.attributes
        assert text.startswith("<!DOCTYPE html>")


def test_every_link_within_the_page_leads_somewhere():
    read = Reader(made(report(failed_in_full(), result("b"))))
    ids = [value for name, value in read.attributes if name == "id"]
    targets = {value[1:] for name, value in read.attributes if name == "href"}
    assert len(ids) == len(set(ids))
    assert {"mend", "m1", "who", "passed"} <= targets <= set(ids)


def test_long_texts_do_not_make_a_long_page():
    told = hostile("x" * 2**20 + "</details>")
    assert len(made(told).encode()) < 2**20
    assert "1,048,586 characters in all" in words(told)


def test_many_failures_do_not_make_an_endless_page():
    many = [failed_in_full(f"f{n}") for n in range(300)]
    told = words(report(*many))
    assert told.count("What the store was asked") == 250
    assert told.count("Its steps and calls are in report.json.") == 50
    assert told.count("--scenario memory-core/f") == 300


def test_it_is_the_same_again():
    assert made(hostile()) == made(hostile())


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium or Chrome here")
def test_a_browser_asks_for_nothing_and_needs_no_script(tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
    file = tmp_path / "report.html"
    file.write_text(made(hostile()), encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        shown = browser.new_page(viewport={"width": 360, "height": 700}, color_scheme="dark")
        asked, said = [], []
        shown.on("request", lambda request: asked.append(request.url))
        shown.on("console", lambda message: said.append(message.text))
        shown.on("dialog", lambda dialog: said.append(dialog.message))
        shown.goto(file.as_uri())
        summary = shown.locator("details.scenario > summary").first
        before = shown.locator("dl.compared").first.is_visible()
        summary.focus()
        shown.keyboard.press("Enter")
        shown.locator("dl.compared").first.wait_for(state="visible", timeout=5000)
        measured = shown.evaluate(
            "() => [document.scripts.length, document.documentElement.scrollWidth, innerWidth,"
            " getComputedStyle(document.body).backgroundColor]"
        )
        browser.close()
    assert before is False
    assert (asked, said) == ([file.as_uri()], [])
    assert measured == [0, 360, 360, "rgb(20, 24, 29)"]


# --- what it tells ---------------------------------------------------------------------------


def test_it_says_who_was_measured_and_what_came_of_it():
    told = words(report(result("a"), failed_in_full()))
    for part in (
        "tiny-store 1.2.3",
        "✗ Non-conformant in core.",
        "in process, 2026-01-02 03:04:05 UTC",
        "1 passed ✗ 1 failed of 2 MUST scenarios",
        "“Forgotten is gone” does not hold",
        "Kit memconform 0.1.0",
        f"Suite {'d' * 64}",
        "Protocol 1.0",
        "Capabilities that it declares: 2 namespaces tags",
        'consistency "immediate"',
    ):
        assert part in told
    assert "%" not in told


def test_a_failing_scenario_says_what_a_person_needs(requirements):
    told = words(report(failed_in_full(requirement="written-is-findable")), requirements)
    for part in (
        # The reason stands in the spec memory-core, not in the report.
        "Why: people tell an assistant something, hear",
        "What is required A memory that a store has acknowledged SHALL be found",
        "expected “tea” not to be found by the words “green tea”",
        "seen its id is hit 1",
        "The implementation is at fault, the adapter speaks the protocol.",
        'passed: When "tea" is forgotten',
        'failed: Then "green tea" finds nothing',
        "not reached: And the store still answers",
        "| tea | Mia drinks green tea. |",
        '3 calls write {"record": {"content": "Mia drinks green tea.", "key": "tea"}}',
        'answer {"done": true} recall {"query": "green tea"}',  # without what is null
        "memconform certify reference:filesystem --scenario memory-core/forget-then-ask",
    ):
        assert part in told


def test_what_breaks_the_most_must_scenarios_stands_first():
    told = [
        failed_in_full("a", requirement="one", rule="One"),
        *(failed_in_full(f"s{n}", requirement="should", rule="Ought", must=False)
          for n in range(4)),
        *(failed_in_full(f"b{n}", requirement="three", rule="Three") for n in range(3)),
        failed_in_full("c", requirement="other", rule="Other one"),
        result("d", requirement="good", rule="Good"),
    ]  # fmt: skip
    found = clusters(told)
    assert [(one.rule, one.must) for one in found] == [
        ("Three", 3), ("One", 1), ("Other one", 1), ("Ought", 0),
    ]  # fmt: skip
    shown = words(report(*told))
    places = [
        shown.index(part)
        for part in (
            "5 MUST scenarios under 3 requirements do not hold",
            "1. Three 3 broken scenarios of core",
            "2. One 1 broken scenario",
            "3. Other one",
            "Recommended, never changes a verdict",
            "1. Ought 4 broken scenarios",
        )
    ]
    assert places == sorted(places)


def test_one_cause_of_many_failures_is_told_first():
    alike = [failed_in_full(f"f{n}") for n in range(10)]
    others = [result(f"o{n}", "failed", failure=failure(seen=f"{n}")) for n in range(9)]
    assert common_cause([*alike, *others]) == ("its id is hit 1", 10)
    assert common_cause([*alike[:9]]) is None  # too few
    assert common_cause([*alike, *others, result("x", "failed")]) is None  # no longer most
    silent = [result(f"s{n}", "failed", failure=failure(seen="nothing")) for n in range(30)]
    assert common_cause(silent) is None  # found nothing, each for a reason of its own
    assert "10 of them broke in the same way; begin with it: its id is hit 1" in words(
        report(*alike, *others)
    )


def test_what_is_not_declared_is_grouped_by_capability():
    told = words(
        report(
            result("a"),
            result("d", "unsupported", missing=["mask"], must=False, title="Masked"),
            result("b", "unsupported", missing=["batch"], title="One batch"),
            result("c[1]", "unsupported", missing=["batch"], title="Rows"),
            result("c[2]", "unsupported", missing=["batch"], title="Rows"),
        )
    )
    assert (  # the one that most scenarios need stands first
        "batch : 3 scenarios of core Forgotten is gone One batch Rows 2 rows "
        "mask : 1 scenario of core, 1 of them SHOULD Forgotten is gone Masked"
    ) in told


def test_bars_are_counts_that_fill_the_whole_and_hide_nothing():
    drawn = bar({"passed": 1770, "failed": 1, "error": 0, "unsupported": 3})
    assert drawn.words == "1,770 passed, 1 failed, 3 unsupported"
    assert drawn.total == 1774
    assert [part.count for part in drawn.parts] == [1770, 1, 3]
    assert sum(part.width for part in drawn.parts) == pytest.approx(100, abs=0.05)
    assert min(part.width for part in drawn.parts) > 0.8  # a thousandth could not be seen
    assert [part.label for part in drawn.parts] == ["1,770", "", ""]
    for part, following in zip(drawn.parts, drawn.parts[1:], strict=False):
        assert part.x + part.width == pytest.approx(following.x, abs=0.05)
    assert bar({"passed": 0}).total == 0


def test_the_pictures_are_sound_svg():
    text = made(report(result("a"), failed_in_full()))
    pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(pictures) == 2  # of core, and of the only requirement that breaks
    labels = [ElementTree.fromstring(picture).get("aria-label") for picture in pictures]
    assert labels == ["1 passed, 1 failed of 2 MUST scenarios", None]


def test_what_measured_nothing_says_so():
    told = words(unprepared("stdio:./s p", [], way="wire", error="no such package\nline two"))
    assert "? Nothing was measured, so there is no verdict." in told
    assert "nothing was asked of it: no such package line two" in told
    assert "memconform smoke 'stdio:./s p'" in told
    assert "It never said who it is." in told
    assert "What holds" not in told


def test_a_run_that_broke_off_says_so_and_lists_what_was_not_run():
    told = assemble(
        ended(lines(start(result("a", title="Never ran")))),
        target="reference:filesystem", profiles=(), way="in-process",
    )  # fmt: skip
    shown = words(told)
    assert "? The run can’t be relied on, so there is no verdict." in shown
    assert "Not run They belong to the profiles" in shown
    assert "Forgotten is gone Never ran" in shown


def test_an_adapter_that_answers_for_its_system_is_no_verdict():
    probes = [
        Probe(subject="cut-off", finding="own memory", told="It still knows.", evidence="Mia"),
        Probe(subject="batch", finding="over-claimed", told="batch does nothing.", evidence=None),
    ]
    told = words(structs.replace(report(result("a")), probes=probes))
    assert "? It is not the system itself that answered, so there is no verdict." in told
    assert "Is it the system that answers, not the adapter? own memory It still knows." in told
    assert "Is batch there exactly if it is declared? over-claimed batch does nothing." in told


def test_outcomes_that_are_not_scored_stand_apart():
    one = structs.replace(failed_in_full(), outcome=Outcome.DISPUTED)
    told = words(structs.replace(report(result("a"), failed_in_full()), results=[one]))
    assert "Disputed, shown and not scored ~ disputed Forget then ask" in told
    assert "What to mend first" not in told


def test_reasons_of_another_suite_are_told_as_such(requirements):
    told = report(failed_in_full(requirement="written-is-findable"))
    other = Reader(page(told, requirements, digest="e" * 64)).words
    assert "which are another version than the suite that was run" in other
    assert "another version" not in words(told, requirements)


def test_several_reports_make_one_table():
    told = page_of_all(
        [
            ("reference-hybrid", report(result("a"))),
            ("other", report(result("a"), failed_in_full(), target="stdio:./other")),
            ("bad", unprepared("stdio:false", [], way="wire", error="it ended")),
        ]
    )
    read = Reader(told)
    assert ("href", "./reference-hybrid/report.html") in read.attributes
    assert ("href", "./bad/report.html") in read.attributes
    assert "reference:filesystem ✓ conformant 1 passed of 1 MUST scenario" in read.words
    assert "stdio:./other ✗ non-conformant 1 passed of 2 MUST scenarios" in read.words
    assert "stdio:false stdio:false ? not measured" in read.words
    assert re.search(r"stdio:false was not measured The target could not .* it ended$", read.words)
    assert read.tags.count("tr") == 4


def test_hostile_text_is_where_the_test_believes_it_is():
    """So that what is looked for above can't be missing because it was never put in."""
    assert HOSTILE in hostile().results[1].calls[0].error["message"]
