"""What a person types in a notebook: scenarios, certificates, and the command that opens it."""

import sys

import pytest

pytest.importorskip("ipywidgets", reason="the lab extra isn't installed")

from IPython.core.error import UsageError as CellError
from IPython.core.interactiveshell import InteractiveShell

import memconform
from memconform import workbench
from memconform.cli import lab
from memconform.cli.errors import Refusal
from memconform.model.report import Outcome, Report, Verdict
from memconform.retrieval import Pipeline, RetrievalRequest
from memconform.targets import UsageError
from memconform.workbench.scenario import ScenarioError, play

STORE = "reference:filesystem"
GONE = """
Scenario: What was forgotten is gone
  Given an empty store
  And these memories are written:
    | key   | content                            |
    | crane | The harbour crane needs new brakes |
  When "crane" is forgotten
  And "harbour crane" is recalled
  Then nothing is found
"""


# --- scenarios in a cell ---------------------------------------------------------------------


def test_a_scenario_shows_each_step_with_its_calls():
    played = play(GONE, STORE)
    assert played.passed
    (scenario,) = played.scenarios
    assert scenario.title == "What was forgotten is gone"
    told = [(step.keyword, [call.operation for call in step.calls]) for step in scenario.steps]
    assert told == [
        ("Given", ["open"]),
        ("And", ["write"]),
        ("When", ["forget"]),
        ("And", ["recall"]),
        ("Then", []),
    ]
    assert scenario.steps[3].calls[0].answer["hits"] == []
    assert "nothing is found" in played._repr_html_()


def test_a_disappointed_step_says_what_was_seen_and_the_rest_is_skipped():
    played = play(
        GONE.replace("nothing is found", '"crane" is found\n  And nothing is found'), STORE
    )
    (scenario,) = played.scenarios
    assert not played.passed
    assert scenario.outcome is Outcome.FAILED
    found, after = scenario.steps[-2:]
    assert (found.outcome, found.expected) == ("failed", "'crane' among the hits")
    assert found.seen == "nothing"
    assert after.outcome == "skipped"


def test_a_prerequisite_that_fails_is_not_the_question():
    source = 'Given an empty store\nAnd "crane" is forgotten\nWhen "x" is recalled'
    (scenario,) = play(source, STORE).scenarios
    assert scenario.outcome in (Outcome.NOT_TESTABLE, Outcome.ERROR)
    assert scenario.steps[1].outcome != "passed"


def test_a_whole_feature_with_rows_and_tags_is_played():
    source = """
Feature: Boats
  @req:boats/x @must
  Rule: Boats are found
    Scenario Outline: A boat is found
      Given an empty store
      And these memories are written:
        | key  | content               |
        | boat | The <colour> boat sank |
      When "<colour> boat" is recalled
      Then "boat" is found
      Examples:
        | colour |
        | red    |
        | blue   |
    @needs:namespaces
    Scenario: Of two crews
      Given an empty store
      When "x" is recalled
      Then nothing is found
"""
    played = play(source, STORE)
    assert [(s.title, s.outcome) for s in played.scenarios] == [
        ("A boat is found [1]", Outcome.PASSED),
        ("A boat is found [2]", Outcome.PASSED),
        ("Of two crews", Outcome.UNSUPPORTED),
    ]
    assert played.scenarios[2].missing == ("namespaces",)
    assert not played.passed


def test_a_crash_ends_its_scenario_and_not_the_next(tmp_path, monkeypatch):
    (tmp_path / "crashing.py").write_text(
        "import os\n"
        "from memconform.protocol import system\n"
        "from memconform.model import recalled\n"
        "class Store:\n"
        "    def __init__(self, settings): pass\n"
        "    def recall(self, query, access, limit=None):\n"
        "        if query == 'die': os._exit(3)\n"
        "        return recalled([])\n"
        "    def write(self, record): ...\n"
        "    def forget(self, id, access): ...\n"
        "    def get(self, id, access): ...\n"
        "    def close(self): pass\n"
        "def factory(): return system(Store, name='crashing', version='1')\n"
    )
    monkeypatch.chdir(tmp_path)
    played = play(
        'Scenario: a\nGiven an empty store\nWhen "die" is recalled\nThen nothing is found\n'
        'Scenario: b\nGiven an empty store\nWhen "live" is recalled\nThen nothing is found\n',
        "python:crashing:factory",
    )
    assert [s.outcome for s in played.scenarios] == [Outcome.ERROR, Outcome.PASSED]


def test_a_store_that_does_not_close_is_a_step_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "clinging.py").write_text(
        "from memconform.protocol import Unavailable, system\n"
        "from memconform.model import recalled\n"
        "class Store:\n"
        "    def __init__(self, settings): pass\n"
        "    def recall(self, query, access, limit=None): return recalled([])\n"
        "    def write(self, record): ...\n"
        "    def forget(self, id, access): ...\n"
        "    def get(self, id, access): ...\n"
        "    def close(self): raise Unavailable('still <busy>')\n"
        "def factory(): return system(Store, name='clinging', version='1')\n"
    )
    monkeypatch.chdir(tmp_path)
    source = 'Given an empty store\nWhen "x" is recalled\nThen nothing is found'
    played = play(source, "python:clinging:factory")
    (scenario,) = played.scenarios
    assert scenario.outcome is Outcome.FAILED
    assert [step.outcome for step in scenario.steps] == ["passed", "passed", "passed", "failed"]
    assert scenario.steps[-1].text == "closing the store"
    assert "still <busy>" in scenario.steps[-1].seen
    assert "still &lt;busy&gt;" in played._repr_html_()


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (" \n", "The cell is empty"),
        ("Scenario: nothing in it", "There is no step in the cell"),
        (
            'Given an empty store\nThen "crane" is not fuond',
            'There is no step “Then "crane" is not fuond”. Near it: “"{key}" is not found”',
        ),
        ("Given an empty store\n  | a |\n  | b | c |", "is no Gherkin"),
        ("Given an empty store\nthis is prose", "Line 2 of the cell is no Gherkin"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_sentence(source, told):
    with pytest.raises(ScenarioError) as caught:
        play(source, STORE)
    assert told in str(caught.value)


def test_an_unknown_target_is_told():
    with pytest.raises(UsageError, match="There is no target 'nowhere'"):
        play(GONE, "nowhere")


def test_a_step_without_its_table_is_told():
    source = 'Given an empty store\nAnd these memories are written:\nWhen "x" is recalled'
    (scenario,) = play(source, STORE).scenarios
    assert scenario.outcome is Outcome.ERROR
    assert scenario.steps[1].expected == "a table below the step"


# --- magics ----------------------------------------------------------------------------------


@pytest.fixture
def shell():
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "memconform")
    yield shell
    InteractiveShell.clear_instance()


def test_the_scenario_magic_gives_what_was_played(shell):
    assert shell.run_cell_magic("scenario", STORE, GONE).passed


def test_the_certify_magic_gives_the_report(shell, capsys):
    report = shell.run_line_magic(
        "certify", f"{STORE} --scenario memory-core/the-exact-words-find-a-memory"
    )
    assert isinstance(report, Report)
    assert {r.outcome for r in report.results if r.outcome is not Outcome.NOT_RUN} == {
        Outcome.PASSED
    }
    assert {told.verdict for told in report.profiles} == {Verdict.NOT_MEASURED}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "required: target"),
        ("nowhere", "There is no target 'nowhere'"),
        (f"{STORE} --profile cor", "invalid choice: 'cor'"),
        (f"{STORE} 'half", "No closing quotation"),
    ],
)
def test_a_wrong_certify_line_is_told_in_a_sentence(shell, line, told):
    with pytest.raises(CellError) as caught:
        shell.run_line_magic("certify", line)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("line", "cell", "told"),
    [("", GONE, "Name a store"), ("nowhere", GONE, "no target"), (STORE, " ", "cell is empty")],
)
def test_a_wrong_scenario_cell_is_told_in_a_sentence(shell, line, cell, told):
    with pytest.raises(CellError, match=told):
        shell.run_cell_magic("scenario", line, cell)


def test_a_notebook_shows_the_objects_of_the_rooms_below(shell):
    found = Pipeline().retrieve(
        [], RetrievalRequest(query="<b>x", access=memconform_access()), now="2026-01-01T00:00:00Z"
    )
    for told in (found, found.trace):
        data, _ = shell.display_formatter.format(told)
        assert '<div class="mc">' in data["text/html"]
        assert "<b>" not in data["text/html"]


def memconform_access():
    from memconform.model import Access

    return Access()


# --- what is missing -------------------------------------------------------------------------


def test_a_missing_package_is_told_with_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.delitem(sys.modules, "memconform.workbench.stepper", raising=False)
    with pytest.raises(workbench.LabMissing) as caught:
        workbench.PipelineStepper  # noqa: B018 - looking it up is what imports it
    assert str(caught.value) == (
        "The workbench needs ipywidgets, which isn't installed here: pip install 'memconform[lab]'."
    )


def test_another_missing_module_is_no_matter_of_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "memconform.workbench.places", None)
    monkeypatch.delitem(sys.modules, "memconform.workbench.stepper", raising=False)
    with pytest.raises(ModuleNotFoundError) as caught:
        workbench.load("stepper")
    assert not isinstance(caught.value, workbench.LabMissing)


def test_unknown_names_are_unknown():
    with pytest.raises(AttributeError, match="no attribute 'Steppr'"):
        workbench.Steppr  # noqa: B018 - looking it up is the test


# --- memconform lab --------------------------------------------------------------------------


def test_lab_copies_and_starts(tmp_path, capsys):
    started = []
    folder = tmp_path / "mine"
    assert lab.lab_one(folder, browser=False, start=lambda c: started.append(c) or 0) == 0
    (command,) = started
    assert command[1:3] == ["-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={folder}" in command
    assert "--no-browser" in command
    assert "--ServerApp.ip=127.0.0.1" in command
    there = sorted(path.name for path in folder.iterdir())
    assert there[0] == "01-from-query-to-prompt.ipynb"
    assert f"{len(there)} notebooks put into" in capsys.readouterr().out


def test_lab_leaves_a_notebook_that_somebody_worked_on(tmp_path, capsys):
    mine = tmp_path / "01-from-query-to-prompt.ipynb"
    mine.write_text("mine")
    lab.lab_one(tmp_path, browser=True, start=lambda command: 0)
    assert mine.read_text() == "mine"
    # Where a line is broken hangs on the length of the folder's name.
    assert "Left as they are" in " ".join(capsys.readouterr().out.split())
    lab.lab_one(tmp_path, browser=True, start=lambda command: 0)
    assert "0 notebooks put into" in " ".join(capsys.readouterr().out.split())


def test_lab_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "NEEDED", ("jupyterlab", "no_such_package_here"))
    with pytest.raises(Refusal, match=r"need no_such_package_here.*memconform\[lab\]"):
        lab.lab_one(tmp_path, browser=True, start=lambda command: 0)


def test_lab_says_where_it_cannot_write(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Refusal, match="can't hold the notebooks"):
        lab.lab_one(tmp_path / "file", browser=True, start=lambda command: 0)


def test_lab_says_how_jupyter_ended(tmp_path):
    with pytest.raises(Refusal, match="exit status 3"):
        lab.lab_one(tmp_path, browser=True, start=lambda command: 3)


def test_the_extension_is_the_packages():
    assert memconform.load_ipython_extension
