"""What every renderer must hold to, whatever a store puts into its text."""

import io
import re
from xml.etree import ElementTree as ET

import msgspec
import pytest
from msgspec import structs
from rich.console import Console
from verdict_fakes import (
    END,
    ended,
    failed_in_full,
    failure,
    found,
    implementation,
    lines,
    report,
    result,
    start,
)

from memconform.model.base import to_plain
from memconform.model.report import CallRecord, StepResult
from memconform.verdict import report_json, terminal
from memconform.verdict.junit import junit
from memconform.verdict.measure import assemble
from memconform.verdict.summary import code, fenced, prose, summary, summary_of_all
from memconform.verdict.words import call_words, harmless, listed, number, shortened

ESCAPE, BELL, BIDI, TAG = "\x1b[2J\x1b]0;owned\x07", "\x07", "\u202e", "\U000e0041"
HOSTILE = (
    f"{ESCAPE}{BELL}{BIDI}{TAG}[bold red]x[/] :smile:\r\n```\n# Owned\n<script>alert(1)</script>"
    "<img src=x> ![p](http://evil.example/p.png) |cell| \x00\x0b\ufffe\u2028 ]]> --> &amp;"
)


def hostile_report():
    call = CallRecord(
        operation="write",
        arguments={"record": {"content": HOSTILE}, HOSTILE: 1},
        answer=None,
        error={"code": "invalid", "message": HOSTILE},
        fault=None,
    )
    wrong = failed_in_full(
        "evil", must=True, title=HOSTILE, rule=HOSTILE, needs=[], reproduce=f"memconform {HOSTILE}"
    )
    plain = {name: getattr(wrong, name) for name in wrong.__struct_fields__}
    plain |= {
        "calls": [call],
        "failure": failure(expected=HOSTILE, seen=HOSTILE, evidence=HOSTILE, step=HOSTILE),
    }
    wrong = type(wrong)(**plain)
    who = to_plain(implementation(name=HOSTILE, version=HOSTILE, language=HOSTILE))
    return report(
        result("a"),
        wrong,
        result("s", "failed", must=False, failure=failure(seen=HOSTILE)),
        implementation=who,
        target=f"stdio:{HOSTILE}",
    )


def shown(report_, *, width=80, alone=False):
    out = Console(width=width, force_terminal=True, markup=False, emoji=False, highlight=False)
    with out.capture() as captured:
        terminal.show(report_, out, alone=alone)
    return captured.get()


def plain(text):
    """Without the colours that the renderer itself puts in."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


# --- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plain", "plain"),
        ("茶 naïve 🙂", "茶 naïve 🙂"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("\x9b31m", "\\x9b31m"),  # the one-character form of the same escape
        ("abc\u202edef", "abc\\u202edef"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("a\u200bb", "a\\u200bb"),
        ("\U000e0041", "\\U000e0041"),  # an invisible tag letter
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\ud83d", "\\ud83d"),
        ("👩\u200d💻", "👩\u200d💻"),  # joiners shape emoji and letters
    ],
)
def test_active_characters_are_written_out(text, told):
    assert harmless(text) == told


def test_kept_characters_stay():
    assert harmless("a\nb\x00", keep="\n") == "a\nb\\x00"


def test_counted_things_and_lists():
    assert number(1, "call") == "1 call"
    assert number(1204, "call") == "1,204 calls"
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefg"), most=4) == "a, b, c and 4 more"  # d e f g
    assert shortened("abcdef", 3) == "abc… (6 characters in all)"
    assert shortened("abc", 3) == "abc"


@pytest.mark.parametrize("render", [junit, summary, lambda told: shown(told, alone=True)])
def test_a_report_that_is_read_back_is_told_in_the_same_words(render):
    """Its names are sorted in report.json; the order of a store's own answer is lost there."""
    call = CallRecord(
        operation="recall",
        arguments={"query": "tea", "limit": 1, "access": {"workspace": "w", "agent": "a"}},
        answer={
            "namespace": "n",
            "hits": [{"score": 1, "id": "i", "content": "c", "flags": ["f"]}],
        },
        error=None,
        fault=None,
    )
    told = report(structs.replace(failed_in_full(), calls=[call]))
    assert render(report_json.read(report_json.write(told))) == render(told)
    asked, came = call_words(call)
    assert asked == 'recall(query="tea", access={"agent": "a", "workspace": "w"}, limit=1)'
    assert came.startswith('{"hits": [{"id": "i", "content": "c", "flags": ["f"], "score": 1}]')


def test_a_call_is_told_without_what_says_nothing():
    call = failed_in_full().calls[1]
    assert call_words(call) == ('forget(id="1")', '{"done": true}')


# --- terminal --------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_terminal_obeys_nothing_of_a_hostile_report(width):
    told = plain(shown(hostile_report(), width=width))
    for character in ("\x1b", "\x07", "\r", "\x00", "\x0b", BIDI, TAG, "\u2028"):
        assert character not in told
    assert "[bold red]x[/]" in re.sub(r"\s", "", told).replace("[boldred]", "[bold red]")
    assert ":smile:" in told


def test_no_line_is_wider_than_the_terminal_but_the_command_to_copy():
    long = result("a", "failed", failure=failure(seen="茶" * 300 + " " + "x" * 300))
    for line in plain(shown(report(long), width=80)).splitlines():
        assert len(line) <= 80 or "memconform certify" in line


def test_a_failing_scenario_says_what_a_person_needs():
    told = plain(shown(report(result("a"), failed_in_full())))
    for part in (
        "tiny-store 1.2.3",
        "non-conformant",
        "1 of 2 passed",
        "Forgotten is gone",
        "memory-core/forget-then-ask",
        "“tea” not to be found by the words “green tea”",
        "its id is hit 1",
        '✗ Then  "green tea" finds nothing',
        "· And   the store still answers",
        "| tea | Mia drinks green tea. |",
        'recall(query="green tea")',
        "memconform certify reference:filesystem --scenario memory-core/forget-then-ask",
    ):
        assert part in told


def test_a_table_of_memories_too_wide_for_the_terminal_stands_upright():
    text = (
        f"these memories are written:\n| key | content | scope |\n| tea | {'leaf ' * 20}x | user |"
    )
    steps = [StepResult(keyword="And", text=text, outcome="passed")]
    told = report(structs.replace(failed_in_full(), steps=steps))
    narrow = plain(shown(told, width=80))
    for line in ("1 key: tea", "content: leaf leaf", "scope: user"):
        assert line in narrow
    assert "| key" not in narrow
    assert "| key | content" in plain(shown(told, width=200))


def test_must_and_should_stand_apart():
    told = plain(shown(report(result("a"), result("b", "failed", must=False))))
    assert "✓ conformant" in told
    assert "1 of 1 passed" in told
    assert "0 of 1 passed" in told
    assert "Recommended (SHOULD), never changes a verdict" in told


def test_a_harness_fault_is_told_as_one():
    ours = result("a", "error", failure=failure(blame="harness", kind="exception"))
    told = plain(shown(report(ours)))
    assert "not measured" in told
    assert "The kit itself is at fault" in told


def test_many_failures_do_not_bury_each_other():
    """One of a requirement in full, so that six of one kind don't hide the others."""
    failed = [
        msgspec.structs.replace(
            failed_in_full(f"f{i}"), requirement=f"r{i % 10}", rule=f"R{i % 10}"
        )
        for i in range(30)
    ]
    told = plain(shown(report(*failed)))
    in_full = told[: told.index("And 24 scenarios more")]
    assert in_full.count("What the store was asked") == terminal.IN_FULL
    assert all(f"\nmemory-core/f{i}\n" in in_full for i in range(6))
    assert all(f"memory-core/f{i}" in told for i in range(30))


def test_one_cause_of_many_failures_is_said_first():
    alike = [failed_in_full(f"f{i}") for i in range(12)]
    told = plain(shown(report(*alike)))
    cause = told.index("12 of 12 broken scenarios broke in the same way; begin with it:")
    assert cause < told.index("does not hold")
    few = plain(shown(report(*alike[:9])))
    assert "in the same way" not in few


def test_a_known_failure_is_not_told_again():
    out = Console(file=io.StringIO(), width=80)
    terminal.show(report(failed_in_full("f0")), out, known=True)
    assert "What the store was asked" not in out.file.getvalue()
    assert "non-conformant" in out.file.getvalue()


def test_long_calls_are_cut_and_the_last_ones_shown():
    one = failed_in_full()
    huge = type(one.calls[2])(
        operation="recall", arguments={"query": "q" * 10**6}, answer={}, error=None, fault=None
    )
    calls = [*[one.calls[0]] * 20, huge]
    told = plain(shown(report(result("a", "failed", calls=calls))))
    assert "(15 earlier calls left out)" in told  # 21 calls, the last 6 shown
    assert "1,000,002 characters in all" in told  # the query and its quotes
    assert len(told) < 10_000


def test_what_is_not_declared_is_listed():
    told = plain(shown(report(result("a"), result("b", "unsupported", missing=["batch"]))))
    assert "Not declared, so not asked for: batch (1)" in told


def test_one_scenario_alone_is_shown_in_full_even_when_it_passed():
    told = plain(shown(report(result("a"), scenario="memory-core/a"), alone=True))
    assert "✓ passed" in told
    assert "not measured" not in told


def test_several_reports_make_one_table():
    out = Console(width=100, markup=False, emoji=False, highlight=False)
    with out.capture() as captured:
        terminal.show_table(
            [report(result("a")), report(result("a", "failed"), target="stdio:./other")], out
        )
    told = captured.get()
    assert told.count("Target") == 1
    assert "✓ conformant" in told
    assert "✗ non-conformant" in told
    assert "stdio:./other" in told


def test_a_table_too_wide_for_its_terminal_has_a_row_for_each_profile():
    names = ["core", "foundation", "abstention", "feedback", "fusion", "disclosure"]
    wide = report(*(result(f"{name}-1", profile=name) for name in names))
    narrow = Console(width=80)
    with narrow.capture() as captured:
        terminal.show_table([wide, report(result("a", "failed"), target="stdio:./other")], narrow)
    lines = captured.get().splitlines()
    # A row may begin with its target.
    rows = [line.split()[-6:] for line in lines if "conformant" in line]
    assert sorted(rows[:6]) == [[name, "✓", "conformant", "1", "of", "1"] for name in sorted(names)]
    assert rows[6:] == [["core", "✗", "non-conformant", "0", "of", "1"]]


# --- Markdown --------------------------------------------------------------------------------


def outside_fences(markdown):
    """The lines that Markdown reads as markup, code spans taken out."""
    kept, fence = [], None
    for line in markdown.splitlines():
        ticks = re.match(r"(`{3,})", line)
        if fence is None and ticks:
            fence = ticks[1]
        elif fence is not None and line.strip() == fence:
            fence = None
        elif fence is None:
            kept.append(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "CODE", line))
    assert fence is None
    return kept


def test_hostile_text_makes_no_markup():
    told = outside_fences(summary(hostile_report()))
    for line in told:
        assert "<script" not in line
        assert "<img" not in line
        assert not re.search(r"(?<!\\)\]\(", line)
        assert not line.startswith("# Owned")
    headings = [line for line in told if line.startswith("#")]
    assert headings[0] == "# CODE"
    assert "## What does not hold" in headings


def test_every_row_of_the_tables_has_as_many_cells_as_its_head():
    for text in (summary(hostile_report()), summary_of_all([hostile_report(), hostile_report()])):
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        tables = [re.findall(r"(?<!\\)\|", row) for row in rows if not row.startswith("| tea")]
        assert len({len(row) for row in tables}) == 1


def test_a_code_span_or_fence_cannot_be_closed_from_inside():
    assert code("a `` b") == "```a `` b```"
    assert code("`") == "`` ` ``"
    assert fenced("x\n```\ny")[0] == "````text"
    assert fenced("x\n```\ny")[-1] == "````"


def test_prose_is_text():
    assert prose("[x](y) <b> *a* https://e.example") == (
        "\\[x\\](y) &lt;b&gt; \\*a\\* https\\://e.example"
    )
    assert prose("1. a") == "1\\. a"
    assert prose("- a") == "\\- a"


def test_a_summary_stays_below_what_a_ci_page_takes():
    huge = failure(seen="s" * 10**5, evidence="e" * 10**5)
    many = [result(f"f{i}", "failed", failure=huge) for i in range(300)]
    assert len(summary(report(*many)).encode()) < 2**20


def test_a_broken_run_says_so_in_the_summary():
    told = assemble(
        ended(lines(start(result("a")))),
        target="reference:filesystem",
        profiles=(),
        way="in-process",
    )
    assert "**The run can't be relied on.**" in summary(told)


# --- JUnit -----------------------------------------------------------------------------------


def cases(data):
    root = ET.fromstring(data)
    return root, {case.get("name"): case for case in root.iter("testcase")}


def tags(case):
    return [child.tag for child in case if child.tag != "properties"]


def test_hostile_text_is_valid_xml_and_comes_back_as_text():
    root, by_name = cases(junit(hostile_report()))
    message = by_name["evil"].find("failure").get("message")
    assert "\\x00\\x0b\\ufffe\\u2028 ]]> --> &amp;" in message
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "".join(root.itertext()))


@pytest.mark.parametrize(
    ("one", "tag"),
    [
        (result("a"), None),
        (result("a", "failed"), "failure"),
        (result("a", "not-testable"), "failure"),
        (result("a", "error"), "error"),
        (result("a", "not-run"), "error"),
        (result("a", "unsupported", missing=["batch"]), "skipped"),
        (result("a", "disputed", failure=failure()), "skipped"),
        (result("a", "failed", must=False), "skipped"),
    ],
)
def test_outcomes_in_junit(one, tag):
    events = lines(start(one), *([found(one)] if one.outcome.value != "not-run" else []), END)
    told = assemble(ended(events), target="reference:filesystem", profiles=(), way="in-process")
    root, by_name = cases(junit(told))
    assert tags(by_name["a"]) == ([tag] if tag else [])
    counted = {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")}
    one_of = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    assert counted == {
        "tests": "1", "failures": "0", "errors": "0", "skipped": "0",
        **({one_of[tag]: "1"} if tag else {}),
    }  # fmt: skip


def test_a_run_that_measured_nothing_is_red():
    told = assemble(ended(b""), target="reference:filesystem", profiles=(), way="in-process")
    root, by_name = cases(junit(told))
    assert tags(by_name["run"]) == ["error"]
    assert root.get("errors") == "1"


def test_profiles_are_suites_with_their_verdicts():
    told = report(result("a"), result("b", profile="foundation"))
    root, _ = cases(junit(told))
    suites = {suite.get("name"): suite for suite in root.iter("testsuite")}
    assert list(suites) == ["core", "foundation"]
    assert suites["core"].find("properties/property[@name='verdict']").get("value") == "conformant"
    assert root.find("testsuite/testcase").get("classname") == "memory-core.forgotten-is-gone"
