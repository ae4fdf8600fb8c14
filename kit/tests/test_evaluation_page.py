"""report.html: complete, the same again, inert whatever a store says, light and dark."""

from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from evaluation_data import Parts
from evaluation_stores import Ghostly, Moody, Scoring, Store, Workshop

from memconform.evaluation import pictures
from memconform.evaluation.contenders import PipelineContender, StoreContender
from memconform.evaluation.dataset import load
from memconform.evaluation.page import page
from memconform.evaluation.report import (
    Baseline,
    Comparison,
    Evaluated,
    GateResult,
    GatesDecided,
    QueryResult,
)
from memconform.evaluation.run import report_of, run
from memconform.evaluation.terminology import Terminology
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport

HOSTILE = '"><img src=x onerror=alert(1)></svg><script>alert(1)</script>\u202e{{ 7 * 7 }}'


@pytest.fixture
def quay(tmp_path):
    return load(Parts().write(tmp_path / "quay"))


def report(data, kind=None, **more):
    contender = PipelineContender(data)
    if kind is not None:
        connection = Connection(LocalTransport(Workshop(kind).system))
        contender = StoreContender(connection, data, "foundation-v1")
    return report_of(
        run(contender, data, "development", 5),
        data,
        contender,
        Evaluated(target="tiny", name="a store", version="1"),
        marker="given-folder",
        split="development",
        gate="foundation-v1",
        k=5,
        **more,
    )


def gated(made, name, *, go):
    result = GateResult(
        name=name,
        metric="recall",
        on="low",
        of="this",
        against="legacy",
        split=None,
        language="zh",
        category=None,
        comparison=">=",
        threshold=0.25,
        figure=0.5 if go else None,
        queries=1,
        outcome="go" if go else "not-measured",
        why=None if go else "no query that it applies to",
    )
    gates = GatesDecided(digest="d" * 64, go=go, results=[result])
    return msgspec.structs.replace(made, gates=gates)


class Seen(HTMLParser):
    """The elements of a page, what they name, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = set(), [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data + " "


def told(made):
    return " ".join(Seen(page(made)).text.split())


def test_it_is_the_same_again_and_asks_for_nothing(quay):
    made = report(quay)
    assert page(made) == page(made)
    seen = Seen(page(made))
    assert not {"script", "img", "link", "iframe", "object"} & seen.tags
    assert not {"src", "href", "action", "onload"} & {name for name, _ in seen.attributes}
    assert "url(" not in page(made)


def test_it_has_the_figures_and_the_settings(quay):
    text = told(report(quay))
    # Of "buoy and high tide" the buoy is missed: recall (1 + 1/2) / 2.
    for part in (
        "Evaluation of tiny",
        "a store 1 on quay, development, 3 queries over 8 records",
        "✓ Safe: no scope leak",
        "recall@5 0.750",
        "Paired with legacy, by language and category",
        "Latin 0.4, CJK 0.333333",
        "found some of it",
        "seed 1",
    ):
        assert part in text
    for absent in ("Gates declared", "second lexical candidate", "failed", "Not declared"):
        assert absent not in text


def test_gates_open_the_page(quay):
    text = told(gated(report(quay), "enough", go=True))
    assert "✓ Go: 1 of 1 gate holds." in text
    words = "enough recall, difference to legacy, lower end, zh only >= 0.25"
    assert f"{words} 0.500 ✓ go" in text
    text = told(gated(report(quay), "enough", go=False))
    assert "✗ No-go: 0 of 1 gate hold." in text
    assert f"{words} no query that it applies to ✗ NO-GO, not measured" in text


def test_what_is_not_there_is_not_shown(quay):
    assert "scores" not in told(report(quay, Store))
    assert "2.500, –, –, –" in told(report(quay, Scoring))
    text = told(report(quay, Moody))
    assert "? 1 of 3 queries failed and is in no figure" in text
    assert "q2 en multi-relevant unavailable not <b>today</b>\\x1b[2J" in text
    assert "buoy-red the store can't disable a record" in text


def test_the_second_candidate_has_its_pictures(quay):
    made = report(quay, terminology=Terminology("words & more", {"crane": "winch"}, "d" * 64))
    text = told(made)
    assert "words & more, 1 term. It changes 1 of the queries." in text
    assert "q1 how much does the winch lift?" in text
    assert "What terminology-map gained on foundation-v1, by language and category" in text


def test_hostile_text_stands_there_as_text(quay):
    made = report(quay, Ghostly)
    query = msgspec.structs.replace(made.queries[0], id=HOSTILE, selected_ids=[HOSTILE])
    made = msgspec.structs.replace(
        gated(made, HOSTILE, go=False),
        evaluated=Evaluated(target=HOSTILE, name=HOSTILE, version=HOSTILE),
        baselines=[msgspec.structs.replace(each, name=HOSTILE) for each in made.baselines],
        queries=[query, *made.queries[1:]],
    )
    text = page(made)
    seen = Seen(text)
    assert not {"script", "img"} & seen.tags
    assert "onerror" not in {name for name, _ in seen.attributes}
    assert "<script>alert(1)</script>\\u202e{{ 7 * 7 }}" in seen.text
    assert "\u202e" not in text
    for svg in text.split("<svg")[1:]:  # each is well-formed by itself
        ElementTree.fromstring("<svg" + svg.split("</svg>")[0] + "</svg>")


# --- the pictures --------------------------------------------------------------------------------


def test_a_mean_stands_at_its_place(quay):
    # The scale begins at 215 and is 375 long: 0.75 is at 496.25, in the first of three lanes.
    drawn = str(pictures.glance(report(quay)))
    assert "<title>tiny, recall@5: 0.750</title>" in drawn
    assert 'transform="translate(496.2 44.5)" class="mark c0"' in drawn


@pytest.mark.parametrize(
    ("low", "difference", "high", "verdict", "places"),
    [
        (-0.5, 0.0, 0.5, 1, ("308.8", "402.5", "496.2")),
        (0.5, 0.5, 1.0, 0, ("496.2", "496.2", "590")),
        (-1.0, -0.5, -0.2, 2, ("215", "308.8", "365")),
        (0.0, 0.5, 1.0, 1, ("402.5", "496.2", "590")),  # an end at 0 can't be told
    ],
)
def test_a_difference_and_its_interval_stand_at_their_places(
    low, difference, high, verdict, places, quay
):
    # From -1 at 215 to 1 at 590: a unit is 187.5 long, and 0 is at 402.5.
    made = report(quay).baselines[0]
    comparison = Comparison(
        measure="R@5", queries=2, difference=difference, low=low, high=high, better=1, worse=0
    )
    other = Baseline(
        name="other",
        foundation=made.foundation,
        decision=made.decision,
        comparisons=[comparison],
        groups=[],
    )
    drawn = str(pictures.differences([other], "this store", 0.95))
    left, middle, right = places
    assert f'd="M{left} 63.5L{right} 63.5" class="interval v{verdict}"' in drawn
    assert f'transform="translate({middle} 63.5)" class="mark v{verdict}"' in drawn
    assert "recall@5, 2 queries" in drawn


@pytest.mark.parametrize(
    ("recall", "selected", "forbidden", "unsafe", "expected"),
    [
        (1.0, ["a"], [], [], pictures.FOUND),
        (0.5, ["a"], [], [], pictures.PARTLY),
        (0.0, ["b"], [], [], pictures.MISSED),
        (None, [], [], [], pictures.SILENT),
        (None, ["b"], [], [], pictures.FALSE),
        (1.0, ["a", "b"], ["b"], [], pictures.FORBIDDEN),
        (1.0, ["a", "c"], ["b"], ["c"], pictures.UNSAFE),
    ],
)
def test_the_worst_of_a_query_counts(recall, selected, forbidden, unsafe, expected):
    query = QueryResult(
        id="q",
        language="en",
        category="lexical-control",
        expected_ids=[] if recall is None else ["a"],
        selected_ids=selected,
        recall_at_k=recall,
        precision_at_k=recall,
        reciprocal_rank=recall,
        abstained=None if recall is not None else not selected,
        forbidden=forbidden,
        unsafe=unsafe,
        candidates=None,
        filtered=None,
        trace_hash=None,
    )
    assert pictures.mark(query) is expected


def test_the_map_has_a_cell_for_every_query_that_failed_too(quay):
    drawn = str(pictures.query_map(report(quay, Moody)))
    assert drawn.count('<g class="cell') == 3 + 3  # and one for each sign in the legend
    assert "q2 (en): came to no answer" in drawn


# --- in a browser --------------------------------------------------------------------------------


def test_it_is_inert_and_readable_in_light_and_dark(quay, tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright isn't installed")
    from lab_browser import FLAGS, chromium

    if chromium() is None:
        pytest.skip("there is no Chromium or Chrome here")
    made = msgspec.structs.replace(
        gated(report(quay, Ghostly), HOSTILE, go=False),
        evaluated=Evaluated(target=HOSTILE, name="a store", version="1"),
    )
    path = tmp_path / "report.html"
    path.write_text(page(made), encoding="utf-8")
    pictures_of = Path(__file__).parents[2] / "build" / "browser"
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        contrasts = {}
        for scheme in ("light", "dark"):
            context = browser.new_context(
                color_scheme=scheme, viewport={"width": 420, "height": 800}
            )
            tab = context.new_page()
            asked, said = [], []
            tab.on("request", lambda request, asked=asked: asked.append(request.url))
            tab.on("console", lambda message, said=said: said.append(message.text))
            tab.on("dialog", lambda dialog, said=said: said.append(dialog.message))
            tab.goto(path.as_uri())
            assert asked == [path.as_uri()]
            assert said == []
            # Wide pictures and tables scroll by themselves, never the page.
            assert tab.evaluate("document.documentElement.scrollWidth") == 420
            contrasts[scheme] = tab.evaluate(
                "['backgroundColor', 'color'].map(it => getComputedStyle(document.body)[it])"
            )
            fill = tab.evaluate("getComputedStyle(document.querySelector('svg text')).fill")
            assert fill == contrasts[scheme][1]
            tab.screenshot(path=pictures_of / f"evaluation-{scheme}.png", full_page=True)
            context.close()
        browser.close()
    assert contrasts == {
        "light": ["rgb(255, 255, 255)", "rgb(31, 35, 40)"],
        "dark": ["rgb(20, 24, 29)", "rgb(230, 233, 237)"],
    }
