"""Reports side by side, and the badge: what is shown of whom, in words."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from markdown_it import MarkdownIt
from msgspec import structs
from published import keeps_to
from verdict_fakes import implementation, report, result

from memconform.model.base import to_plain
from memconform.model.report import Probe
from memconform.verdict import badge, matrix_markdown, matrix_page
from memconform.verdict.honesty import with_probes
from memconform.verdict.matrix import cell_words, matrix, near_words, suites_words
from memconform.verdict.measure import unprepared

TENS = {"requirement": "tens", "rule": "Tens hold"}
ONES = {"requirement": "ones", "rule": "Ones hold"}
RARE = {"requirement": "rare", "rule": "Rare holds"}
FIRST = report(
    result("a", "failed", **TENS),
    result("b", "failed", **TENS),
    result("c", "error", **TENS),
    result("d", **TENS),
    result("e", "failed", **ONES),
    result("f", "unsupported", missing=["batch"], **ONES),
    result("g", "failed", must=False, **RARE),
    result("h", "unsupported", profile="foundation", missing=["trace"], **RARE),
    result("i", profile="foundation", **TENS),
    target="python:one:x",
    profiles=["core", "foundation"],
)
SECOND = report(result("a", **TENS), result("e", "unstable", **ONES), target="python:two:x")


def words(told):
    return {
        (row.profile, row.rule): [
            cell_words(cell, column, row.profile)
            for cell, column in zip(row.cells, told.columns, strict=True)
        ]
        for row in told.rows
    }


def test_a_cell_is_the_worst_outcome_and_how_many_came_to_each():
    assert words(matrix([FIRST, SECOND])) == {
        ("core", "Tens hold"): ["✗ 2 failed, 1 error, 1 passed", "✓ 1 passed"],
        ("core", "Ones hold"): ["✗ 1 failed, 1 unsupported", "≈ 1 unstable"],
        ("core", "Rare holds"): ["✗ 1 failed", "not asked"],
        ("foundation", "Rare holds"): ["– 1 unsupported", "not asked"],
        ("foundation", "Tens hold"): ["✓ 1 passed", "not asked"],
    }


def test_a_should_is_marked_as_one():
    page = matrix_markdown.markdown(matrix([FIRST]))
    assert "| Rare holds (SHOULD) | ✗ 1 failed |" in page
    assert "| Tens hold | ✗ 2 failed, 1 error, 1 passed |" in page


def test_how_near_counts_what_there_is_the_nearest_profile_first():
    (column,) = matrix([FIRST]).columns
    assert [near_words(near) for near in column.near] == [
        "No requirement of foundation is broken. It lacks trace (1 MUST scenario), which isn't "
        "declared; whether the scenarios that need it hold isn't known.",
        "2 requirements short of conformant on core. Most would be won by “Tens hold”: 3 of "
        "4 broken MUST scenarios; then “Ones hold” (1).",
    ]


def test_a_group_of_which_one_is_enough():
    bare = report(
        result("a", "unsupported", missing=["projects"]),
        result("b", "unsupported", missing=["workspaces"]),
        result("c"),
        implementation=to_plain(implementation(capabilities=[])),
    )
    (near,) = matrix([bare]).columns[0].near
    assert near.short == 1
    told = "It lacks one of workspaces, projects, namespaces (2 MUST scenarios), which isn't"
    assert told in near_words(near)


def test_each_capability_that_is_owed_is_counted_by_the_scenarios_that_need_it():
    told = report(
        result("a", "unsupported", profile="foundation", missing=["trace"]),
        result("b", "unsupported", profile="foundation", missing=["clock", "trace"]),
        result("c", "unsupported", profile="foundation", missing=["batch"]),  # left to the store
        result("d", "failed", profile="foundation"),
        profiles=["foundation"],
    )
    (near,) = matrix([told]).columns[0].near
    assert near.short == 3
    assert near_words(near).endswith(
        " It also lacks trace (2 MUST scenarios) and clock (1), which aren't declared; "
        "whether the scenarios that need them hold isn't known."
    )


def test_a_conformant_profile_is_not_near():
    assert matrix([report(result("a"))]).columns[0].near == []


def test_nothing_is_shown_of_a_run_that_cannot_be_relied_on():
    caught = Probe(subject="reference", finding="borrowed", told="It is the kit's.", evidence=None)
    borrowed = with_probes(SECOND, [caught])
    told = matrix([FIRST, borrowed, unprepared("stdio:false", [], way="wire", error="no")])
    assert words(told)["core", "Tens hold"][1:] == ["? not measured", "? not measured"]
    assert words(told)["foundation", "Tens hold"][1:] == ["not asked", "not asked"]
    # Nor in the document: whoever reads it by a program sees no outcome of such a run.
    assert {cell.worst for row in told.rows for cell in row.cells[1:]} == {None}
    page = matrix_markdown.markdown(told)
    assert "| foundation | **◐ partial**: 1 unsupported, 1 passed | not asked | not asked |" in page
    assert re.search(r"\| core \| \*\*✗ non-conformant\*\*: [^|]+\| \? not measured \| \? n", page)


def test_differing_suites_are_told_in_the_table():
    assert suites_words(matrix([FIRST, SECOND])) is None
    other = structs.replace(SECOND, suite="e" * 64)
    told = matrix([FIRST, other])
    page = matrix_markdown.markdown(told)
    assert "| suite | `dddddddddddd` | `eeeeeeeeeeee` |" in page
    assert "**2 suites were run" in page
    assert "2 suites were run" in matrix_page.page(told)


def test_no_percentage_anywhere():
    told = matrix([FIRST, SECOND])
    body = matrix_page.page(told).partition("</style>")[2]
    assert "%" not in matrix_markdown.markdown(told) + body


# --- hostile names -----------------------------------------------------------------------------

EVIL = "x|`y`\\|<script>alert(1)</script><!--\n# z\x1b[2J\u202e</style>{{ 7*7 }}&lt;"


def hostile():
    evil = {"requirement": "evil", "rule": EVIL}
    who = to_plain(implementation(name=EVIL, version=EVIL))
    return report(result("a", "failed", **evil), target=EVIL, implementation=who, suite=EVIL)


def test_no_name_leaves_its_cell_in_markdown():
    """Another reader of Markdown finds the tables whole, and no markup of a name."""
    page = matrix_markdown.markdown(matrix([hostile(), SECOND]))
    assert "\x1b" not in page
    assert "\u202e" not in page
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(page)
    inline = [each for token in tokens for each in token.children or ()]
    kinds = {token.type for token in (*tokens, *inline)}
    assert not {each for each in kinds if each.startswith(("html", "link", "image"))}
    rows = "".join(
        {"tr_open": "\n", "td_open": "c", "th_open": "c"}.get(t.type, "") for t in tokens
    )
    assert set(rows.split()) == {"ccc"}
    shown = EVIL.replace("\n", "\\n").replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")
    spans = [token.content for token in inline if token.type == "code_inline"]
    assert spans.count(shown) == 3  # the column of both tables, and how near it is
    assert any(token.type == "inline" and "&lt;script&gt;" in token.content for token in tokens)
    headings = [tokens[n + 1].content for n, t in enumerate(tokens) if t.type == "heading_open"]
    assert [each for each in headings if "`" not in each] == [
        "Conformance matrix", "How near", "Signs", "core",
    ]  # fmt: skip


class Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.asked = [], "", []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.asked += [v for n, v in attrs if n in ("src", "href", "onerror", "onload")]

    def handle_data(self, data):
        self.text += data


def test_the_page_is_one_file_that_asks_for_nothing_and_shows_names_as_text():
    page = matrix_page.page(matrix([hostile(), SECOND]))
    seen = Seen()
    seen.feed(page)
    assert seen.asked == []
    assert not {"script", "img", "link", "iframe", "object"} & set(seen.tags)
    assert "<script>alert(1)</script>" in seen.text
    assert "{{ 7*7 }}" in seen.text
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "default-src 'none'" in page
    assert page.count("<table>") == page.count("</table>") == 2
    assert "position:sticky;top:0" in page


# --- the badge -----------------------------------------------------------------------------------

BOTH = report(result("a"), result("b", profile="foundation"), profiles=["core", "foundation"])
MIXED = report(
    result("a"), result("b", "failed", profile="foundation"), profiles=["core", "foundation"]
)
PARTIAL = report(
    result("a", profile="foundation"),
    result("b", "unsupported", profile="foundation", missing=["trace"]),
    profiles=["foundation"],
)


@pytest.mark.parametrize(
    ("told", "profile", "message", "color"),
    [
        (report(result("a")), None, "core conformant", "brightgreen"),
        (report(result("a", "failed")), None, "core non-conformant", "red"),
        (PARTIAL, None, "foundation partial", "yellow"),
        (report(), None, "not measured", "lightgrey"),
        (unprepared("x", [], way="wire", error="no"), None, "not measured", "lightgrey"),
        (BOTH, None, "conformant: core, foundation", "brightgreen"),
        (BOTH, "foundation", "foundation conformant", "brightgreen"),
        (MIXED, None, "conformant: core; non-conformant: foundation", "red"),
        (MIXED, "core", "core conformant", "brightgreen"),
        (
            report(result("a"), profiles=["core", "foundation"]),
            None,
            "conformant: core; not measured: foundation",
            "lightgrey",
        ),
    ],
)
def test_a_badge_says_it_in_words_the_worst_colours_it(told, profile, message, color):
    data = json.loads(badge.badge(told, profile))
    keeps_to(data, "badge-1")
    # What shields.io asks of an endpoint: these names, version 1.
    assert data == {
        "schemaVersion": 1, "label": "memconform", "message": message, "color": color,
    }  # fmt: skip
    picture = ET.fromstring(badge.picture(told, profile))
    assert picture.get("aria-label") == f"memconform: {message}"
    texts = picture.findall(".//{http://www.w3.org/2000/svg}text")
    assert [text.text for text in texts] == ["memconform", message]
    for text in texts:  # what a text is fitted to lies within the picture
        end = float(text.get("x")) + float(text.get("textLength"))
        assert end < float(picture.get("width"))


def test_a_badge_with_an_unknown_key_is_none():
    data = json.loads(badge.badge(BOTH))
    with pytest.raises(jsonschema.ValidationError):
        keeps_to({**data, "percent": 97}, "badge-1")


def test_a_picture_asks_for_nothing_and_holds_no_markup_of_a_name():
    told = report(result("a"))
    evil = structs.replace(told.profiles[0], profile='"><script>alert(1)</script>\x1b&')
    picture = badge.picture(structs.replace(told, profiles=[evil]))
    root = ET.fromstring(picture)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names == {"svg", "title", "clipPath", "rect", "g", "text"}
    assert b"http" not in picture.replace(b"http://www.w3.org/2000/svg", b"")
