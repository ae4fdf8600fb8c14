"""Tokens, coverage and the index query, with figures worked out by hand."""

import sqlite3

import pytest

from memconform.model import RecordDraft, SourceDraft
from memconform.retrieval.records import record_from_draft
from memconform.retrieval.tokens import (
    coverage,
    fts_query,
    has_cjk,
    overlap,
    query_tokens,
    record_text,
    record_tokens,
    share,
)

NOW = "2026-06-30T00:00:00.000Z"
SLICES_OF_SNAKE_CASE = ("sna", "nak", "ake", "ke_", "e_c", "_ca", "cas", "ase")


def a_record(content, **fields):
    draft = RecordDraft(content=content, scope="user", **fields)
    return record_from_draft(draft, id="one", now=NOW)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ()),
        (" ?! — … ", ()),
        ("to do", ("wto", "wdo")),
        # Three letters are no longer than three: no slice.
        ("the", ("wthe",)),
        ("Ferry", ("wferry", "gfer", "gerr", "grry")),
        # Unique: the second word repeats all of the first but itself.
        ("ferry ferry's", ("wferry", "gfer", "gerr", "grry", "ws")),
        (
            "snake_case 20.04",
            ("wsnake_case", *(f"g{s}" for s in SLICES_OF_SNAKE_CASE), "w20", "w04"),
        ),
        # NFKC: full width and ligature; then lower case.
        ("ＦＥＲ ﬁn", ("wfer", "wfin")),
        ("用户", ("c用户",)),
        ("用", ("c用",)),
        # Runs are apart: no pair across the Latin word; words come first, whatever the text says.
        ("用户id名字", ("wid", "c用户", "c名字")),
        # A CJK run is a space for the words beside it.
        ("to用do", ("wto", "wdo", "c用")),
        # Kana and hangul belong to the class; half-width kana does after NFKC.
        ("カナ", ("cカナ",)),
        ("ｶﾅ", ("cカナ",)),
        ("한국어", ("c한국", "c국어")),
        # Beyond the basic plane an ideograph is a letter like any other.
        ("𠮷野", ("w𠮷", "c野")),
        ("Straße", ("wstraße", "gstr", "gtra", "graß", "gaße")),
    ],
)
def test_tokens_of_a_text(text, tokens):
    assert query_tokens(text).tokens == tokens


@pytest.mark.parametrize(
    ("first", "last", "outside"),
    [
        ("\u3400", "\u9fff", "\ua000"),
        ("\u3041", "\u30ff", "\u3005"),
        ("\uac00", "\ud7a3", "\ud7b0"),
    ],
)
def test_the_ranges_of_the_cjk_class(first, last, outside):
    assert has_cjk(f"a{first}b")
    assert has_cjk(f"a{last}b")
    assert not has_cjk(f"a{outside}b")


def test_cjk_is_looked_for_after_nfkc():
    # Half-width katakana lies outside the ranges until NFKC moves it in.
    assert has_cjk("ｶ")
    assert not has_cjk("ＡＢＣ")


def test_the_warehouse_figure():
    # what 3, is 1, the 1, warehouse 1 + 7, alarm 1 + 3, passcode 1 + 6: 24 tokens.
    query = query_tokens("What is the warehouse alarm passcode?").tokens
    assert len(query) == 24
    # The record shares "the" and warehouse with its seven slices: 9.
    record = a_record("The harbour warehouse closes at 18:30 in winter.", type="fact")
    tokens = set(record_tokens(record).tokens)
    assert overlap(query, tokens) == 9
    assert coverage(query, tokens) == 0.375


def test_the_chinese_name_figure():
    query = query_tokens("用户叫什么名字").tokens
    assert query == ("c用户", "c户叫", "c叫什", "c什么", "c么名", "c名字")
    # Two of the six: 用户 and 名字.
    tokens = set(record_tokens(a_record("用户的名字很短")).tokens)
    assert coverage(query, tokens) == 2 / 6


def test_a_query_without_tokens_covers_nothing():
    assert coverage((), {"wferry"}) == 0
    assert share(0, 0) == 0


@pytest.mark.parametrize(
    ("read", "limit"),
    [
        (query_tokens, 128),
        (lambda text: record_tokens(a_record(text)), 512),
    ],
)
def test_limits_are_inclusive(read, limit):
    # Words of at most three characters give one token each; a record adds its type: "fact" gives
    # wfact, gfac, gact, last of all.
    of_type = 3 if limit == 512 else 0
    words = [f"{n:03x}" for n in range(limit + 1)]
    exact = read(" ".join(words[: limit - of_type]))
    assert len(exact.tokens) == limit
    assert not exact.truncated
    over = read(" ".join(words[: limit - of_type + 1]))
    assert len(over.tokens) == limit
    assert over.truncated
    assert over.tokens[: limit - of_type] == exact.tokens[: limit - of_type]


def test_a_repeat_beyond_the_limit_truncates_nothing():
    words = [f"{n:03d}" for n in range(128)]
    assert not query_tokens(" ".join([*words, *words])).truncated


def test_what_of_a_record_can_be_found():
    record = a_record(
        "Soup",
        tags=("canteen", "食堂"),
        type="episode",
        sources=(
            SourceDraft(kind="file", locator="menu/friday.md"),
            SourceDraft(kind="user"),
        ),
    )
    assert record_text(record) == "Soup\ncanteen 食堂\nepisode\nfile menu/friday.md\nuser "
    tokens = record_tokens(record).tokens
    assert {"wsoup", "wcanteen", "c食堂", "wepisode", "wfile", "wfriday", "wuser"} <= set(tokens)


def test_the_index_query_quotes_each_token():
    assert fts_query(("wa", 'w"b')) == '"wa" OR "w""b"'
    assert fts_query(()) == ""


@pytest.mark.parametrize(
    "typed", ['a" OR "b', "NEAR(a b)", "content:x", "a*", "-a", "^a", "'", "("]
)
def test_nothing_typed_is_syntax_to_the_index(typed):
    db = sqlite3.connect(":memory:")
    db.execute('CREATE VIRTUAL TABLE t USING fts5(tokens, tokenize="unicode61")')
    db.execute("INSERT INTO t VALUES ('wsoup')")
    query = fts_query([*query_tokens(typed).tokens, typed])
    assert db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (query,)).fetchone() == (0,)
    db.close()
