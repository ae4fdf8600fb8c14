"""Whatever a memory, a store or a person writes stands in a page as text."""

from html.parser import HTMLParser

import msgspec
import pytest

pytest.importorskip("ipywidgets", reason="the lab extra isn't installed")

from memconform.fusion import Floor, HashedProjection, Memory, recall, sight_of
from memconform.model import Access, RecordDraft, SourceDraft
from memconform.model.report import (
    REPORT_SCHEMA,
    CallRecord,
    Failure,
    Implementation,
    Outcome,
    ProfileVerdict,
    Report,
    ScenarioResult,
    StepResult,
    Verdict,
)
from memconform.retrieval import Pipeline, RetrievalRequest, record_from_draft
from memconform.workbench import budgetview, fusionview, html, markup
from memconform.workbench.fusionstory import standings
from memconform.workbench.scenario import Played, PlayedScenario, PlayedStep

EVIL = (
    "<img src=x onerror=alert(1)></td></table></pre></style><script>harm()</script>\u202e&quot;\"'"
)
TAGS = {
    *("style", "div", "p", "h4", "table", "thead", "tbody", "tr", "th", "td", "code", "pre"),
    *("span", "details", "summary", "ul", "li"),
}
ATTRIBUTES = {"class", "style", "scope", "aria-label", "aria-live", "role", "title", "open"}


class Reader(HTMLParser):
    """Which tags and attributes a page really has, and its text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text, self.open = set(), set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, "tags close in the order in which they were opened"

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(str(page))
    reader.close()
    assert reader.open == []
    assert reader.tags <= TAGS
    assert reader.attributes <= ATTRIBUTES
    assert "\u202e" not in str(page)
    return "".join(reader.text)


def evil_retrieval():
    draft = RecordDraft(
        content=EVIL,
        workspace=EVIL,
        tags=(EVIL,),
        sources=(SourceDraft(kind="web", locator=EVIL),),
    )
    record = record_from_draft(draft, id="<b onclick=1>", now="2026-01-01T00:00:00Z")
    gone = record_from_draft(draft, id="<i>gone", now="2026-01-01T00:00:00Z")
    request = RetrievalRequest(query=EVIL, access=Access(workspace=EVIL))
    return Pipeline().retrieve([record, gone], request, now="2026-01-01T00:00:00Z")


def evil_result():
    return ScenarioResult(
        id=EVIL,
        profile="core",
        capability=EVIL,
        requirement=EVIL,
        rule=EVIL,
        title=EVIL,
        must=True,
        level="behaviour",
        needs=[],
        defects=[],
        slow=False,
        outcome=Outcome.FAILED,
        missing=[EVIL],
        failure=Failure(
            step=EVIL,
            expected=EVIL,
            seen=EVIL,
            blame="harness",
            kind="assertion",
            evidence=EVIL,
        ),
        steps=[StepResult(keyword="Given", text=f"{EVIL}\n | {EVIL} |", outcome="failed")],
        calls=[evil_call()],
        reproduce=EVIL,
        seconds=1.0,
    )


def evil_call():
    return CallRecord(
        operation=EVIL, arguments={EVIL: EVIL}, answer={"a": EVIL}, error=None, fault=None
    )


def evil_report(**fields):
    who = Implementation(
        name=EVIL,
        version=EVIL,
        language=EVIL,
        homepage=EVIL,
        protocol="1.0",
        capabilities=[],
        profiles=[],
        policies={},
    )
    verdict = ProfileVerdict(
        profile=EVIL,
        verdict=Verdict.NON_CONFORMANT,
        reasons=[EVIL],
        counts={"failed": 1, "passed": 0},
        should_counts={},
    )
    told = {
        "schema": REPORT_SCHEMA,
        "target": EVIL,
        "way": "in-process",
        "kit": "0",
        "suite": "0",
        "implementation": who,
        "profiles": [verdict],
        "collected": [EVIL],
        "results": [evil_result()],
        "error": None,
        "started": "2026-01-01T00:00:00Z",
        "seconds": 1.0,
    }
    return Report(**{**told, **fields})


def evil_played():
    step = PlayedStep(
        keyword="Given",
        text=EVIL,
        table=((EVIL, EVIL),),
        outcome="failed",
        calls=(evil_call(),),
        expected=EVIL,
        seen=EVIL,
    )
    scenario = PlayedScenario(title=EVIL, outcome=Outcome.FAILED, steps=(step,), missing=(EVIL,))
    return Played(target=EVIL, store=EVIL, scenarios=(scenario,))


def evil_memories():
    return (
        Memory(id="<b onclick=1>", content=EVIL, tags=(EVIL,)),
        Memory(id="<i>long", content=EVIL * 9),
        Memory(id=EVIL, content=f"{EVIL} always", kind="constraint"),
    )


def evil_fusion():
    embedder = HashedProjection()
    floor = Floor(0.55, embedder.name)
    asked = fusionview.Asked(
        query=EVIL, weights=embedder.weights, floor=floor, order="weighted-sum", gate="any-signal"
    )
    found = recall(EVIL, sight_of(evil_memories(), embedder, 0.0), floor)
    return markup.fragment(
        fusionview.who_stays(standings(found, floor), ()), fusionview.channels_of(found, asked)
    )


@pytest.mark.parametrize("budget", [30, 500])
def test_hostile_text_is_text_at_any_budget(budget, monkeypatch):
    monkeypatch.setattr("altair.JupyterChart.enable_offline", lambda: None)
    widget = budgetview.BudgetExplorer(evil_memories(), now=0.0, query=EVIL, budget=budget)
    told = read(widget._told.value + widget._given.value + widget._prompt.value)
    assert "<b onclick=1>" in told
    # A block escapes it itself, so that no memory can end it.
    assert told.count("</MEMORY_DATA>") == (budget == 500)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(lambda: html.retrieval(evil_retrieval()), id="retrieval"),
        pytest.param(lambda: html.trace(evil_retrieval().trace), id="trace"),
        pytest.param(lambda: html.report(evil_report()), id="report"),
        pytest.param(lambda: html.report(evil_report(error=EVIL)), id="broken report"),
        pytest.param(lambda: html.report(evil_report(implementation=None)), id="no one"),
        pytest.param(lambda: html.scenario(evil_result()), id="scenario"),
        pytest.param(lambda: html.played(evil_played()), id="played"),
        pytest.param(evil_fusion, id="fusion"),
    ],
)
def test_hostile_text_is_text(page):
    told = read(page())
    assert "onerror=alert(1)" in told or "<b onclick=1>" in told


def test_a_report_says_what_holds_and_what_does_not():
    told = read(html.report(evil_report()))
    assert "✗ non-conformant" in told
    assert "What does not hold: 1 scenario" in told
    assert "The kit or the adapter is at fault" in told


def test_a_scenario_that_came_out_both_ways_has_a_sign_of_its_own():
    told = msgspec.structs.replace(evil_result(), title="Gone", outcome=Outcome.UNSTABLE)
    assert "≈ Gone: unstable" in read(html.scenario(told))
    assert set(html._OUTCOMES) == set(Outcome)  # and so has whatever else can come out


def test_columns_are_those_that_count_something():
    told = read(html.report(evil_report()))
    assert "failed" in told
    assert "disputed" not in told


def test_a_retrieval_says_where_each_record_went():
    told = read(html.retrieval(evil_retrieval()))
    assert "duplicate 1" in told
    assert "✓ in the block" in told
    assert "= duplicate" in told


def test_an_empty_retrieval_says_so():
    request = RetrievalRequest(query="", access=Access())
    told = read(html.retrieval(Pipeline().retrieve([], request, now="2026-01-01T00:00:00Z")))
    assert "It has no tokens." in told
    assert "Nothing, not even a frame." in told


def test_a_long_table_is_cut_and_counted():
    told = read(markup.fragment(markup.table(["a"], [[n] for n in range(60)], caption="c")))
    assert "and 10 rows more" in told


def test_cells_of_figures_and_of_nothing():
    told = read(markup.table(["a"], [[0.392857142, 1234567, None, True]], caption="c"))
    assert told == "a0.3928571,234,567–yes"


def test_a_bar_is_never_longer_than_the_whole():
    assert "width:100.0%" in markup.bar(7, 5, "7 of 5")
    assert "width:0.0%" in markup.bar(1, 0, "1 of 0")
