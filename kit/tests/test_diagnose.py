"""diagnose: each cause made by hand, on the store that has it."""

import json

import pytest
from published import keeps_to

from memconform.cli.app import run

MEMORIES = [
    {"key": "card", "content": "用户的显卡是 RTX 4090"},
    {"key": "spare", "content": "备用显卡放在柜子里"},
    {
        "key": "third",
        "content": "第三块显卡卖掉了，买家是邻居家的孩子，价格没有谈拢，最后几乎是送的",
    },
    {"key": "dims", "content": "The embedding has 384 dimensions in all"},
    {"key": "style", "content": "先把结论说清楚，再给依据"},
    {"key": "again", "content": "用户的显卡是 RTX 4090"},
    {"key": "empty", "content": "  "},
    {"key": "over", "content": "The offer was valid in May", "validTo": "2020-01-01T00:00:00Z"},
]


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "memories.jsonl"
    path.write_text("\n".join(json.dumps(memory) for memory in MEMORIES), encoding="utf-8")
    return path


def diagnosed(capsys, records, query, expect, *more, target="reference:fusion"):
    code = run(
        [
            "diagnose",
            target,
            "--records",
            str(records),
            "--query",
            query,
            "--expect",
            expect,
            "--json",
            *more,
        ]
    )
    document = json.loads(capsys.readouterr().out)
    keeps_to(document, "diagnose-1")
    return code, document


@pytest.mark.parametrize(
    ("query", "expect", "more", "code", "cause", "rank"),
    [
        ("我的显卡是什么", "card", [], 0, "found", 1),
        ("我的显卡是什么", "third", ["-k", "1"], 1, "room", 3),
        ("显卡", "third", ["--budget", "20"], 1, "smaller", 3),
        (
            "the strange old business somebody mentioned about one dimension",
            "dims",
            [],
            1,
            "floor",
            None,
        ),
        ("你觉得怎么写好", "style", [], 1, "no-signal", None),
        ("embedding", "empty", [], 1, "not-stored", None),
        ("offer valid", "over", [], 1, "not-stored", None),
    ],
)
def test_each_cause_is_told_from_the_others(
    capsys, records, query, expect, more, code, cause, rank
):
    seen, document = diagnosed(capsys, records, query, expect, *more)
    assert (document["cause"], document["rank"], seen) == (cause, rank, code)
    assert document["evidence"]
    assert document["hint"]


def test_a_merged_memory_is_the_one_that_it_was_merged_into(capsys, records):
    _, document = diagnosed(capsys, records, "我的显卡是什么", "again")
    assert document["cause"] == "found"
    assert "Writing it gave merged." in document["evidence"]


def test_a_store_without_targets_is_asked_what_it_can(capsys, records):
    code, document = diagnosed(
        capsys, records, "how to bake a cake", "dims", target="reference:filesystem"
    )
    assert (code, document["cause"]) == (1, "no-signal")
    assert "Its own words find it, in place 1." in document["evidence"]


def test_it_is_said_in_sentences(capsys, records):
    code = run(
        [
            "diagnose",
            "reference:fusion",
            "--records",
            str(records),
            "--query",
            "我的显卡是什么",
            "--expect",
            "third",
            "-k",
            "1",
        ]
    )
    out = capsys.readouterr().out
    assert code == 1
    assert "there was no room for it" in out
    assert "Asked for 1,000 hits, it is number 3 of 3." in out
    assert "ask for more hits" in out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", "line 1 is no memory"),
        ('{"content": "x"}', "line 1 has no key"),
        ("no json", "line 1 is no memory"),
        ('{"key": "a", "content": "x"}', "has the key 'card'"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(capsys, tmp_path, text, sentence):
    path = tmp_path / "memories.jsonl"
    path.write_text(text, encoding="utf-8")
    code = run(
        ["diagnose", "reference:fusion", "--records", str(path), "--query", "x", "--expect", "card"]
    )
    err = capsys.readouterr().err
    assert code == 2
    assert sentence in err
    assert "Traceback" not in err


@pytest.mark.parametrize("bad", ["missing", "folder"])
def test_a_file_that_is_not_there(capsys, tmp_path, bad):
    path = tmp_path if bad == "folder" else tmp_path / "nothing.jsonl"
    code = run(
        ["diagnose", "reference:fusion", "--records", str(path), "--query", "x", "--expect", "card"]
    )
    assert code == 2
    assert "can't be read" in capsys.readouterr().err
