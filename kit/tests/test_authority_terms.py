"""Terms, worked out by hand; learning; ranking; the two channels."""

import builtins
import math
from dataclasses import replace

import pytest

from memconform.authority import (
    AUTHORITY,
    Candidate,
    Run,
    belief,
    capsules,
    claim_terms,
    freshness,
    learned_terms,
    lexical,
    merged,
    query_terms,
    ranked,
)
from memconform.authority import script as script_module
from memconform.authority.places import session_key, workspace_key
from memconform.authority.script import converts, simplified
from memconform.authority.synonyms import SYNONYMS
from memconform.authority.terms import STOP_CHARACTERS, STOP_WORDS, has_cjk, normalise

NOW = "2026-06-30T00:00:00Z"

needs_opencc = pytest.mark.skipif(
    not converts(), reason="opencc is not installed: memconform[opencc]"
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        # the and is are stop words; a and 5 have one character
        ("The ferry is a late 5 o'clock ferry", ("ferry", "late", "clock")),
        ("ＦＥＲＲＹ ﬁne", ("ferry", "fine")),
        ("gate_plan 20.04 v2", ("gate_plan", "20", "04", "v2")),
        # pairs with 的 are dropped: 港口, (口的), (的起), 起重, 重机
        ("港口的起重机", ("港口", "起重", "重机")),
        # one character has no pair
        ("茶", ()),
        ("我们用Redis缓存", ("redis", "们用", "缓存")),
        ("火曜日", ("火曜", "曜日")),
        ("항구", ("항구",)),
        # of two members of a group there is one token, and it comes first
        ("vim editor", ("recall_alias_editor", "vim", "editor")),
        ("编辑器 编辑器", ("recall_alias_editor", "编辑", "辑器")),
        ("Dark Mode", ("recall_alias_theme", "dark", "mode")),
        ("darkmode", ("darkmode",)),
        ("mode dark", ("mode", "dark")),
        ("the of and", ()),
        ("", ()),
        ("🚢 → …", ()),
    ],
)
def test_terms_by_hand(text, terms):
    assert claim_terms(text) == terms
    assert query_terms(text) == terms


def test_tags_are_terms_of_a_claim():
    assert claim_terms("Ferry at nine", ("harbour", "时刻")) == ("ferry", "nine", "harbour", "时刻")


def test_the_limits():
    text = " ".join(f"word{n}" for n in range(100))
    assert claim_terms(text) == tuple(f"word{n}" for n in range(80))
    assert query_terms(text) == tuple(f"word{n}" for n in range(24))


def test_a_limit_cuts_the_tail_and_not_the_bridge():
    text = " ".join(f"word{n}" for n in range(100)) + " 数据库"
    assert claim_terms(text)[0] == "recall_alias_database"
    assert len(claim_terms(text)) == 80


@needs_opencc
@pytest.mark.parametrize(
    ("traditional", "simple"),
    [
        ("資料庫", "资料库"),
        ("編輯器", "编辑器"),
        ("乾燥", "干燥"),
        ("乾坤", "乾坤"),
        ("臺灣", "台湾"),
    ],
)
def test_traditional_becomes_simplified(traditional, simple):
    # Pairs of the same word in both scripts, as any dictionary lists them.
    assert simplified(traditional) == simple
    assert claim_terms(traditional) == claim_terms(simple)


def test_kana_and_hangul_need_no_conversion():
    assert simplified("クレーン 크레인 crane") == "クレーン 크레인 crane"


def test_without_the_package_all_else_works(monkeypatch):
    """As in an environment without it: the import fails, and nothing else does."""
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "opencc":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    script_module._converter.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse)
    try:
        assert not converts()
        assert claim_terms("港口的起重机 crane") == ("crane", "港口", "起重", "重机")
        assert claim_terms("編輯器") == ("編輯", "輯器")
        assert "memconform[opencc]" in script_module.MISSING
    finally:
        script_module._converter.cache_clear()


def test_the_groups_are_well_formed():
    members = [member for group in SYNONYMS.values() for member in group]
    assert len(members) == len(set(members)), "a word of two groups means two things"
    for name, group in SYNONYMS.items():
        assert name.isascii()
        assert any(map(has_cjk, group)), name
        assert any(not has_cjk(member) for member in group), name
        for member in group:
            assert normalise(member) == member
            assert member not in STOP_WORDS
            assert not set(member) & STOP_CHARACTERS
            assert len(member) > 1


def test_lexical_is_matched_by_asked():
    assert lexical(("ab", "cd", "ef"), {"ab", "ef", "zz"}) == pytest.approx(2 / 3)
    assert lexical(("ab",), set()) == 0
    assert lexical((), {"ab"}) == 0


def test_a_question_in_the_other_language_meets_the_group():
    # editor: alias and the word, 2 terms; 编辑器: alias and two pairs. 1 of 2.
    claim = frozenset(claim_terms("编辑器用Vim"))
    assert lexical(query_terms("Which editor?"), claim) == 0.5


# --- places ----------------------------------------------------------------------------------


def test_keys_of_places():
    assert session_key("s-1") == "session:s-1"
    # printf %s /home/garden | sha256sum
    assert workspace_key("/home/garden") == "workspace:" + GARDEN[:24]
    assert workspace_key("/home//x/../garden/") == workspace_key("/home/garden")
    assert workspace_key("/home/garden") != workspace_key("/home/kitchen")
    assert "garden" not in workspace_key("/home/garden")


GARDEN = "57db534a7a2438f607059fc00c1e340bd782808a8bf8dbb107a293553d029812"


# --- learning --------------------------------------------------------------------------------


def run(at, *terms):
    return Run(at=at, terms=terms)


def test_what_is_learned():
    runs = [run(NOW, "hose", "shed", "green"), run("2026-06-20T00:00:00Z", "green", "water")]
    assert learned_terms(("hose",), (), runs, NOW) == ("shed", "green", "water")
    # What was learned before stays and stands first.
    assert learned_terms(("hose",), ("pipe", "green"), runs, NOW) == (
        "pipe",
        "green",
        "shed",
        "water",
    )


def test_only_the_last_fourteen_days_teach():
    exactly = run("2026-06-16T00:00:00Z", "kept")
    older = run("2026-06-15T23:59:59.999Z", "lost")
    assert learned_terms((), (), [exactly, older], NOW) == ("kept",)


def test_only_twenty_runs_teach():
    runs = [run(NOW, f"term{n}") for n in range(25)]
    assert learned_terms((), (), runs, NOW) == tuple(f"term{n}" for n in range(20))


def test_at_most_forty_terms_are_learned():
    runs = [run(NOW, *(f"r{n}t{m}" for m in range(24))) for n in range(3)]
    learned = learned_terms((), (), runs, NOW)
    assert len(learned) == 40
    assert learned[24] == "r1t0"
    assert learned_terms((), learned, [run(NOW, "more")], NOW) == learned


# --- rank ------------------------------------------------------------------------------------


def candidate(id="a", **fields):
    plain = {
        "kind": "preference",
        "scope": "global",
        "origin": "explicit",
        "content": "x",
        "belief": belief(6, 1),
        "updated_at": NOW,
        "valid_until": None,
        "lexical": 0.0,
    }
    return Candidate(id=id, **(plain | fields))


@pytest.mark.parametrize(
    ("updated", "expected"),
    [
        (NOW, 1.0),
        ("2026-01-01T00:00:00Z", 0.5),  # 180 days
        ("2025-07-05T00:00:00Z", 0.25),  # 360 days
        ("2026-04-01T00:00:00Z", math.sqrt(0.5)),  # 90 days
        ("2026-07-01T00:00:00Z", 1.0),  # of the future
        ("no time", 1.0),
    ],
)
def test_freshness(updated, expected):
    assert freshness(updated, NOW) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # .62 x .5 + .23 x .8 + .15 x .5 = .31 + .184 + .075 = .569
        ({"scope": "global"}, 0.569),
        ({"scope": "workspace"}, 0.619),
        ({"scope": "session"}, 0.649),
        # a capsule with lexical .5: its boost alone is added
        ({"scope": "global", "channel": "capsule"}, 0.689),
        # a capsule without a word: .62 x .35 + .184 + .075 + .12 = .217 + .379 = .596
        ({"scope": "global", "channel": "capsule", "lexical": 0.0}, 0.596),
        # with lexical .34 it is lifted, with .36 it is not: .2232 + .379 = .6022
        ({"scope": "global", "channel": "capsule", "lexical": 0.34}, 0.596),
        ({"scope": "global", "channel": "capsule", "lexical": 0.36}, 0.6022),
    ],
)
def test_rank(fields, expected):
    given = {"lexical": 0.5, "belief": belief(4, 1), "updated_at": "2026-01-01T00:00:00Z"}
    assert ranked(candidate(**(given | fields)), NOW).rank == pytest.approx(expected, abs=1e-9)


def test_the_half_life_is_a_constant_like_the_others():
    slow = replace(AUTHORITY, half_life_days=360.0)
    old = candidate(updated_at="2026-01-01T00:00:00Z")
    assert ranked(old, NOW, slow).freshness == pytest.approx(math.sqrt(0.5))


# --- channels --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "fit"),
    [
        ({}, True),
        ({"kind": "constraint"}, True),
        ({"kind": "fact"}, False),
        ({"kind": "procedure"}, False),
        ({"kind": "warning"}, False),
        ({"scope": "workspace"}, False),
        ({"scope": "session"}, False),
        ({"origin": "heuristic"}, False),
        ({"belief": belief(7, 3)}, True),
        ({"belief": belief(6.99999999, 3.00000001)}, False),
        ({"belief": belief(98, 2, 1)}, True),
        ({"belief": belief(98, 2, 2)}, False),
    ],
)
def test_who_comes_as_a_capsule(fields, fit):
    assert bool(capsules([candidate(**fields)])) is fit


def test_two_capsules_by_belief_then_update_then_id():
    later = "2026-06-30T00:00:01Z"
    some = [
        candidate("d", belief=belief(8, 2)),
        candidate("c", belief=belief(9, 1)),
        candidate("b", belief=belief(9, 1)),
        candidate("a", belief=belief(9, 1), updated_at=later),
    ]
    assert [c.id for c in capsules(some)] == ["a", "b"]
    assert [c.id for c in capsules(some[:2])] == ["c", "d"]
    assert all(c.channel == "capsule" for c in capsules(some))


def test_the_capsule_wins_the_merge():
    claim = candidate(lexical=0.2)
    (only,) = merged(capsules([claim]), [claim], NOW)
    assert (only.candidate.channel, only.relevance) == ("capsule", 0.35)


def test_merged_in_the_order_of_rank_then_update_then_id():
    some = [
        candidate("low", lexical=0.1),
        candidate("tie-b", lexical=0.5),
        candidate("tie-a", lexical=0.5),
        # a minute makes a freshness that differs, so the newer comes first by rank already;
        # of the future both are as fresh, and the update decides.
        candidate("newer", lexical=0.5, updated_at="2026-07-02T00:00:00Z"),
        candidate("high", lexical=0.9),
    ]
    assert [r.candidate.id for r in merged([], some, NOW)] == [
        "high",
        "newer",
        "tie-a",
        "tie-b",
        "low",
    ]


def test_at_most_sixteen_are_decided_on():
    some = [candidate(f"c{n:02}", lexical=n / 40) for n in range(20)]
    kept = [r.candidate.id for r in merged([], some, NOW)]
    assert kept == [f"c{n:02}" for n in range(19, 3, -1)]
