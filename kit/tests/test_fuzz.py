"""Fuzzing itself: what it asks, whom it blames, how small it gets, what it writes."""

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memconform.cli.app import run
from memconform.fuzz import campaign, texts
from memconform.fuzz.campaign import Campaign, Options, fuzz
from memconform.fuzz.core import Core, fact
from memconform.fuzz.expect import Broken, Found, Kept, Refused, Says
from memconform.fuzz.foundation import Foundation
from memconform.fuzz.generate import Author
from memconform.fuzz.gherkin import scenario, text_cell, value_cell
from memconform.fuzz.gherkin import steps as count_of
from memconform.fuzz.machine import Drawn
from memconform.fuzz.script import literal, script
from memconform.fuzz.shrink import Shrinker
from memconform.fuzz.steps import Step, usable
from memconform.fuzz.suite import NoPlace, add
from memconform.fuzz.trial import Names, Outcome, Trial, Unusable
from memconform.model import from_plain
from memconform.protocol import OPERATIONS, Hello, NotFound
from memconform.spec.gherkin import parse
from memconform.suite import cells, location
from memconform.targets import resolve
from memconform.targets.imported import ImportedTarget
from memconform.wire.loading import load_factory

HERE = Path(__file__).parent
CORE = "memory-core/"


def target(name):
    [found] = resolve(f"python:fuzz_stores:{name}")
    return found


def found_in(name, cases, **options):
    return fuzz(target(name), Options(cases=cases, **options))


# --- who is blamed, and who isn't ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cases"),
    [("plain", 120), ("merges_equal_texts", 60), ("marks_the_corrected", 60), ("sound", 40)],
)
def test_nothing_is_found_in_a_sound_store(name, cases):
    ended = found_in(name, cases)
    assert [finding.broken for finding in ended.findings] == []
    assert ended.cases == cases
    assert ended.asked > cases  # it did ask


SINS = {
    "recalls_from_everywhere": ("scope-is-a-wall", 0, 6),
    "gets_forgotten_text": ("forgotten-is-gone-at-once-and-everywhere", 0, 5),
    "merges_what_looks_alike": ("different-facts-stay-apart", 0, 4),
    "one_hit_too_many": ("limits-hold", 0, 5),
    "quotes_are_syntax": ("any-text-is-a-query", 1, 11),
    "asking_changes_the_order": ("results-are-stable", 0, 5),
    "trims": ("written-is-findable", 0, 12),
    "first_memory_only": ("written-is-findable", 0, 19),
}


@pytest.mark.parametrize("name", SINS)
def test_a_sin_is_found_under_its_requirement(name):
    requirement, seed, cases = SINS[name]
    ended = found_in(name, cases, seed=seed)
    meant = [f for f in ended.findings if f.broken.requirement == CORE + requirement]
    assert meant
    assert all(f.repeats and count_of(f.program) <= 6 for f in meant)


def test_several_findings_of_one_run_are_told_apart():
    ended = found_in("recalls_from_everywhere", 40)
    names = [finding.broken.name for finding in ended.findings]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "kind", "limit"),
    [("dies_of_a_digit", "crash", 10.0), ("hangs_on_a_digit", "timeout", 1.5)],
)
def test_a_crash_and_a_hang_are_findings_and_not_the_end(name, kind, limit, monkeypatch):
    monkeypatch.chdir(HERE)  # where the process imports the store from
    monkeypatch.setattr(campaign, "TRIES_OF_A_HANG", 3)  # each costs a whole time limit
    monkeypatch.setattr(campaign, "TRIES", 9)  # and each crash a new process
    aimed = ImportedTarget(f"python:fuzz_stores:{name}", "wire", time_limit_s=limit)
    ended = fuzz(aimed, Options(cases=12, seed=1))
    assert [f.broken.fault for f in ended.findings] == [kind]
    assert ended.cases == 12
    [finding] = ended.findings
    assert finding.case < ended.cases  # the first one is kept, and others came after it
    assert any(c.isdigit() for c in finding.program[-1].params["query"])
    assert finding.exchanges[-1].fault is not None


# --- only what is declared -----------------------------------------------------------------------


class Recorder:
    """A trial that does nothing but remember, for an author to write into."""

    def __init__(self, hello):
        self.hello, self.names, self.connections, self.answered = hello, Names(), {"first"}, True

    def do(self, step):
        for record in step.records:
            self.names.ids[record["key"]] = record["key"]


def hello(*capabilities):
    declared = load_factory("fuzz_stores:plain").hello()
    return from_plain(
        {**json.loads(json.dumps(_plain(declared))), "capabilities": list(capabilities)}, Hello
    )


def _plain(message):
    from memconform.model import to_plain

    return to_plain(message)


KINDS = (
    "write", "batch", "many", "recall", "again", "context", "read", "forget", "correct", "change",
    "clock", "restart", "other_connection",
)  # fmt: skip


@pytest.mark.parametrize(
    "capabilities",
    [
        (), ("batch",), ("projects", "correct"), ("workspaces", "clock", "validity", "tags"),
        ("durable", "shared", "purge", "mask"), ("listing", "context", "budget", "update"),
    ],
)  # fmt: skip
def test_only_what_is_declared_is_asked(capabilities):
    rng = random.Random(str(capabilities))
    declared = hello(*capabilities)
    seen = set()
    for _ in range(150):
        trial = Recorder(declared)
        author = Author(trial, None)
        for kind in ("opening", *(rng.choice(KINDS) for _ in range(12))):
            author.choices = Drawn(rng.getrandbits(32))
            for step in getattr(author, kind)():
                trial.do(step)
                seen.add(step.operation)
                check_declared(step, declared)
    optional = {row.name for row in OPERATIONS.values() if row.capability in capabilities}
    asked = {"second" if name == "use" else name for name in seen}
    assert optional <= asked | {"enable"}  # all that is declared has its turn


def check_declared(step, declared):
    row = OPERATIONS.get("second" if step.operation == "use" else step.operation)
    if row is not None and row.capability is not None:
        assert row.capability in declared.capabilities
    for record in step.records:
        for field, capability in (
            ("workspace", "workspaces"), ("project", "projects"), ("namespace", "namespaces"),
            ("tags", "tags"), ("confidence", "confidence"), ("expiresAt", "validity"),
        ):  # fmt: skip
            assert field not in record or capability in declared.capabilities
    assert step.operation != "recall" or set(step.params) <= {"query", "access", "limit", "budget"}
    assert "budget" not in step.params or "budget" in declared.capabilities


# --- judging -------------------------------------------------------------------------------------


def judged(judge, step, *, answer=None, error=None, ids=()):
    names = Names(ids=dict(ids))
    return [broken.requirement for broken in judge.judge(step, Outcome(answer, error), names)]


def test_a_place_that_may_not_be_seen_must_say_not_found():
    judge = Core(hello("workspaces"))
    from memconform.model import created, done

    draft = {"key": "m1", "content": "Marta manages Olga", "workspace": "/a"}
    ids = {"m1": "id-1"}
    assert judged(judge, Step("write", {"record": draft}), answer=created("id-1"), ids=ids) == []
    foreign = Step("forget", {"id": "key:m1", "access": {"workspace": "/b"}})
    assert judged(judge, foreign, error=NotFound("no"), ids=ids) == []
    assert judged(judge, foreign, answer=done(), ids=ids) == [CORE + "scope-is-a-wall"]


def test_what_a_text_says_is_its_letters_and_digits():
    assert fact(' "Marta  manages Olga." 🌻\n') == fact("marta manages olga")
    assert fact("5 days") != fact("15 days")
    assert fact("Marta manages Olga") != fact("Olga manages Marta")
    assert fact("港口的密码是5") != fact("港口的密码是15")


def test_a_model_refuses_what_the_design_refuses():
    """validFrom after validTo: a store that keeps it breaks "Contradictory drafts are refused"."""
    from memconform.model import created

    judge = Foundation(load_factory("fuzz_stores:sound").hello())
    judge.began({"clock": texts.START})
    record = {
        "key": "m1", "content": "tea",
        "validFrom": "2026-05-02T00:00:00Z", "validTo": "2026-05-01T00:00:00Z",
    }  # fmt: skip
    step = Step("write", {"record": record})
    assert judged(judge, step, answer=created("m1"), ids={"m1": "m1"}) == [
        "retrieval-foundation/contradictory-drafts-are-refused"
    ]
    right = Step("write", {"record": {**record, "validTo": "2026-05-03T00:00:00Z"}})
    assert judged(judge, right, answer=created("m1"), ids={"m1": "m1"}) == []


def test_only_the_same_question_without_a_change_must_have_the_same_answer():
    connection = target("plain").connect()
    write = Step("write", {"record": {"key": "m1", "content": "Marta manages Olga"}})
    ask = Step("recall", {"query": "Marta manages Olga"})
    other = Step("recall", {"query": "Olga"})
    steps = (Step("open", {}), write, ask, Step("keep", {}))

    def tried(*more):
        trial = Trial(connection, connection.hello(), [])
        return trial.run((*steps, *more, Step("same", {})))

    assert tried(other, ask) is None
    for more in (
        (),
        (other,),
        (replace(write, params={"record": {"key": "m2", "content": "x"}}), ask),
    ):
        with pytest.raises(Unusable):
            tried(*more)
    connection.close()


# --- shrinking -----------------------------------------------------------------------------------

BROKEN = Broken(requirement="a/b", aspect="c", expected=Found(()), seen="")


def shrunk(program, shows, tries=500):
    """The smallest program for which ``shows`` holds, and how many were run."""
    run_ = []

    def attempt(candidate):
        run_.append(candidate)
        return BROKEN if shows(candidate) else None

    small, _ = Shrinker(attempt, BROKEN.name, tries, lambda: True).shrink(program, BROKEN)
    return small, run_


def test_steps_fields_and_words_that_do_not_matter_go():
    records = [
        {"key": f"m{n}", "content": f"one two needle{n} three", "type": "fact", "tags": ["x"]}
        for n in range(1, 6)
    ]
    program = (
        Step("open", {"clock": texts.START}),
        *(Step("write", {"record": record}) for record in records),
        Step("forget", {"id": "key:m4"}),
        Step("recall", {"query": "two needle3", "limit": 9}),
    )

    def shows(candidate):
        contents = [r["content"] for step in candidate for r in step.records]
        asked = candidate[-1].operation == "recall" and "needle3" in candidate[-1].params["query"]
        return asked and any("needle3" in content for content in contents)

    small, _ = shrunk(program, shows)
    assert small == (
        Step("open", {"clock": texts.START}),
        Step("write", {"record": {"key": "m1", "content": "needle3"}}),
        Step("recall", {"query": "needle3"}),
    )


def test_a_reference_keeps_what_it_refers_to():
    program = (
        Step("open", {}),
        Step("many", {"count": 9, "pattern": "Ferry (n)"}),
        Step("forget", {"id": "key:n7"}),
        Step("get", {"id": "key:n7"}),
    )
    small, tried = shrunk(program, lambda p: [s.operation for s in p[-2:]] == ["forget", "get"])
    assert all(usable(each) for each in tried)
    assert small == (
        Step("open", {}),
        Step("write", {"record": {"key": "m1", "content": "7"}}),
        Step("forget", {"id": "key:m1"}),
        Step("get", {"id": "key:m1"}),
    )


def test_shrinking_runs_no_more_programs_than_it_may():
    program = (Step("open", {}), *(Step("recall", {"query": f"a b c {n}"}) for n in range(30)))
    _, tried = shrunk(program, lambda p: len(p) > 20, tries=15)
    assert len(tried) == 15


# --- writing it out ------------------------------------------------------------------------------

HARD = [
    *texts.HOSTILE, *texts.SIGNS, *texts.LOCATORS, *texts.CJK, "true", "12", "null", ' "', '"a"',
    "a | b", "\\n", "back\\slash\\", "{3 times \"ab\"}", "{kept:hits}", "at most 3",
    "by ids: own x",
    "b" * 100, f"ferry {'b' * 3000} é", "\u0301x", "🌻" * 30, "<row>", "{" * 40, "a" * 23, "a" * 24,
]  # fmt: skip


def read_back(cell):
    """A cell as a feature file gives it back."""
    source = (
        "Feature: f\n\n  Rule: r\n\n    Scenario: s\n      Given an empty store with:\n"
        f"        | x | {cell} |\n"
    )
    [step] = parse(source, "x.feature").scenarios[0].pickles[0].steps
    return step.table[0][1]


@pytest.mark.parametrize("text", HARD)
def test_a_text_comes_back_out_of_its_cell(text):
    written = cells.fill(read_back(text_cell(text)), None, {})
    assert cells.text(written) == text


@pytest.mark.parametrize("text", HARD)
def test_an_expected_value_comes_back_out_of_its_cell(text):
    for value in (text, [text, 1, None], {"a": text}):
        written = cells.fill(read_back(value_cell(value)), None, {})
        words, holds = cells.expectation(written, {})
        assert holds(value), words


@pytest.mark.parametrize("text", HARD)
def test_a_text_is_the_same_in_a_script(text):
    assert eval(literal({"a": [text]})) == {"a": [text]}


def test_a_script_runs_nothing_that_a_memory_says():
    hostile = "')\nraise SystemExit(9)\n#"
    program = (
        Step("open", {}),
        Step("write", {"record": {"key": "m1", "content": hostile}}),
        Step("recall", {"query": hostile}),
    )
    broken = replace(BROKEN, expected=Says("answer", "hits", hostile, "other than"), seen=hostile)
    text = script("python:fuzz_stores:plain", program, broken)
    assert "\nraise SystemExit" not in text
    exec(text, {})


def test_writes_in_a_row_are_one_table():
    program = (
        Step("open", {}),
        Step(
            "write", {"record": {"key": "m1", "content": "tea", "validTo": "2026-03-01T00:00:00Z"}}
        ),
        Step("write", {"record": {"key": "m2", "content": "oak | fog"}}),
        Step("forget", {"id": "key:m1"}),
        Step("get", {"id": "key:m1", "access": {"workspace": "/a"}}),
    )
    assert scenario("Title", program, Refused("not_found")) == (
        "    @needs:validity @needs:workspaces\n"
        "    Scenario: Title\n"
        "      Given an empty store\n"
        "      And these memories are written:\n"
        "        | key | content      | valid to               |\n"
        '        | m1  | tea          | "2026-03-01T00:00:00Z" |\n'
        '        | m2  | "oak \\| fog" |                        |\n'
        '      And "m1" is forgotten\n'
        '      When the operation "get" is called with:\n'
        "        | id        | m1   |\n"
        '        | workspace | "/a" |\n'
        '      Then the call is refused as "not_found"\n'
    )
    assert count_of(program) == 5


def test_the_same_answer_is_looked_for_in_the_suites_words():
    ask = Step("recall", {"query": "tea"})
    program = (Step("open", {}), ask, Step("keep", {}), ask, Step("same", {}))
    assert scenario("Title", program, Kept()).splitlines()[1:] == [
        "      Given an empty store",
        '      And "tea" is recalled',
        "      And the answer is kept",
        '      When "tea" is recalled',
        "      Then the answer equals the kept one",
    ]


# --- a run ---------------------------------------------------------------------------------------


def test_the_same_seed_finds_the_same_whatever_was_imported():
    """A second process has imported other modules, and none of the tests."""
    code = (
        "from test_fuzz import told; import sys; sys.stdout.buffer.write(told(5).encode('utf-8'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, check=True)
    assert done.stdout.decode() == told(5)
    assert told(5) != told(6)


def told(seed):
    """Every step of a run, and what was found."""
    programs = []

    class Listening(Campaign):
        def _count(self):
            if self._trial is not None:
                programs.append(repr(self._trial.program))
            super()._count()

    ended = Listening(target("trims"), Options(cases=8, seed=seed)).run()
    return "\n".join([*programs, *(repr(finding) for finding in ended.findings)])


def test_the_time_limit_ends_a_run():
    seconds = iter(range(1000))
    ended = fuzz(target("plain"), Options(cases=500, seconds=20), clock=lambda: next(seconds))
    assert 0 < ended.cases < 20
    assert not ended.in_time


def test_parts_of_a_run_try_different_programs(monkeypatch):
    monkeypatch.setattr(campaign, "PART", 3)
    programs = []

    class Listening(Campaign):
        def _count(self):
            if self._trial is not None:
                programs.append(repr(self._trial.program))
            super()._count()

    assert Listening(target("plain"), Options(cases=8)).run().cases == 8
    assert programs[:3] != programs[3:6]
    assert len(programs) == 8


def test_progress_is_told():
    heard = []
    fuzz(target("plain"), Options(cases=5), progress=heard.append)
    assert [each.cases for each in heard] == [0, 1, 2, 3, 4]
    assert {each.of for each in heard} == {5}


# --- the command ---------------------------------------------------------------------------------


def test_exit_codes(capfd, monkeypatch):
    monkeypatch.chdir(HERE)
    assert run(["fuzz", "python:fuzz_stores:plain", "--cases", "4"]) == 0
    assert "Nothing found." in capfd.readouterr().out
    assert run(["fuzz", "python:fuzz_stores:trims", "--cases", "30"]) == 1
    out = capfd.readouterr()
    assert "memory-core/written-is-findable" in out.out
    assert "Scenario:" in out.out
    assert "\x1b" not in out.out + out.err  # neither colours nor a bar in a pipe
    assert run(["fuzz", "python:fuzz_stores:nobody"]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--cases", "0"], "--cases must be at least 1"),
        (["--steps", "-1"], "--steps must be at least 1"),
        (["--time", "0"], "--time must be a number of seconds above 0"),
        (["--time", "nan"], "--time must be a number of seconds above 0"),
    ],
)
def test_bad_options_are_one_sentence(arguments, words, capfd):
    assert run(["fuzz", "reference:filesystem", *arguments]) == 2
    captured = capfd.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1


def test_without_hypothesis_one_sentence(monkeypatch, capfd):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(["fuzz", "reference:filesystem"]) == 2
    assert "install memconform[fuzz]" in capfd.readouterr().err


def test_files_of_a_run_are_the_same_each_time(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(HERE)
    arguments = ["fuzz", "python:fuzz_stores:trims", "--cases", "30", "--seed", "2"]
    for folder in ("one", "two"):
        options = ["--out", str(tmp_path / folder), "--add", str(tmp_path / folder / "suite")]
        assert run([*arguments, *options]) == 1
    one, two = (files_in(tmp_path / folder) for folder in ("one", "two"))
    assert one == two
    assert {path.name for path in one} >= {"scenario.feature", "transcript.ndjson", "reproduce.py"}
    assert "certify python:fuzz_stores:trims --features" in capfd.readouterr().out


def files_in(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_suite_with_specs_of_its_own_is_left_alone(tmp_path):
    (tmp_path / "docs" / "openspec").mkdir(parents=True)
    [finding, *_] = found_in("trims", 30).findings
    with pytest.raises(NoPlace, match="spec first"):
        add(finding, None, tmp_path)
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == []


def test_certify_shows_the_finding_and_the_command_that_repeats_it(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(HERE)
    [finding, *_] = found_in("trims", 12).findings
    add(finding, location.installed().library(), tmp_path)
    assert run(["certify", "python:fuzz_stores:trims", "--features", str(tmp_path)]) == 1
    assert f"--features {tmp_path}" in capfd.readouterr().out
    assert run(["certify", "python:fuzz_stores:plain", "--features", str(tmp_path)]) == 0


def test_features_that_are_no_suite_are_refused(tmp_path, capfd):
    assert run(["certify", "reference:filesystem", "--features", str(tmp_path)]) == 2
    assert "memconform fuzz --add makes one" in capfd.readouterr().err


def test_a_second_connection_keeps_its_settings_when_the_first_is_restarted():
    """Each has the policy that it was opened with: eight records here, none there."""
    connection = target("sound").connect()
    judge = Foundation(connection.hello())
    program = (
        Step("open", {"clock": texts.START}),
        Step("write", {"record": {"key": "m1", "content": "tea"}}),
        Step("use", {"connection": "second"}),
        Step("use", {"connection": "first"}),
        Step("reopen", {"clock": texts.START, "policy": {"maxInjectedRecords": 0}}),
        Step("use", {"connection": "second"}),
        Step("recall", {"query": "tea", "trace": True}),
        Step("use", {"connection": "first"}),
        Step("recall", {"query": "tea", "trace": True}),
    )
    trial = Trial(connection, connection.hello(), [judge])
    assert trial.run(program) is None
    asked = [call.result for call in trial.exchanges if call.operation == "recall"]
    assert [result["trace"]["recordLimit"] for result in asked] == [8, 0]
    connection.close()
