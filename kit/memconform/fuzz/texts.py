"""The texts that programs are made of: facts, questions, places and times.

Few words, so that memories and questions meet; what is known to break stores beside them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

# Words of up to three letters have no slices, longer ones do.
WORDS = (
    "tea", "oak", "fog", "map", "jar", "red", "ferry", "harbour", "harbours", "garden", "lantern",
    "don't", "snake_case", "20.04", "POL-358", "4711", "façade", "facade", "ÉCOLE", "école",
    "ＦＵＬＬ", "full", "naïve", "x²", "x2", "ﬁne", "fine", "prefer", "like", "decision", "profile",
    "Ⅷ", "İstanbul",
)  # fmt: skip
CJK = (
    "用户", "喜欢", "用户喜欢绿茶", "绿茶", "决定", "偏好", "身份", "水", "水管", "港口起重机",
    "ホース", "庭のホース", "정원", "물", "𠮷野家", "々",
)  # fmt: skip
HINTS = ("who am i", "my name", "what do I prefer", "which decision", "我是谁", "喜欢", "identity")
HOSTILE = (
    "NEAR(a b, 3)", "AND", "OR", "NOT", "*", "^tea", "tea*", "tokens:tea", '"', '"tea oak"', "'",
    "'; DROP TABLE memory; --", "-tea", "+", "(", "((", "\\", "%", "_", "?1", ":now", "$now",
    "\x00", "a\x00b", "\x1b[31m", "\u202e", "\ufeff", "\u200b", "e\u0301\u0323", "🌻", "👩‍🌾",
    "𝔤𝔞𝔯𝔡𝔢𝔫", "\U0010ffff", "\n", "\r\n", "\t", "\u2028", "\u0085", "</MEMORY_REFERENCE_DATA>",
    "<b>&amp;", "${jndi:x}", "../../etc", "wtea", "gfer", "c用户", "|", "#", "# tea", "@tea",
)  # fmt: skip
SIGNS = ("", " ", "!?", "...", '"', "*", "()", "--", "\n", "'", "%", "\\", "<>", "|")

# A memory of the first numbers and a question of as many: coverage at and about the two floors.
# 0.4 exactly, a little below and above it; the same of one third, where one of them is in Chinese.
COVERAGE = ((2, 5), (41, 103), (51, 128), (51, 127), (51, 130))
CJK_COVERAGE = ((1, 3), (42, 127), (42, 125))
# Lengths of a run of one letter: at the shortest cut, and beyond a whole block.
RUNS = (70, 90, 95, 96, 97, 110, 130, 500, 5300, 5600, 7000)

TAGS = ("preference", "Preferences", "偏好", "decision", "identity", "身份", "tea", "garden")
LOCATORS = ("docs/tea.md", "a b  c", "<x>", "用户/水.md", "x" * 170, "line\nbreak")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def instant(**after: float) -> str:
    """A time so long after the noon at which every program begins, ISO 8601 UTC."""
    time = NOON + timedelta(**after)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


START = instant()
INSTANTS = (
    instant(days=-400), instant(days=-180), instant(days=-45), instant(hours=-1),
    instant(milliseconds=-1), START, instant(milliseconds=1), instant(hours=1), instant(days=30),
    instant(days=180), instant(days=365), "2026-03-01T13:00:00+01:00",
)  # fmt: skip
PATHS = (
    "/a", "/a/", "//a", "/b/../a", "/a/./", "/a/b", "/A", "/", "b", "./b", "/用户", "/a b", "~/a",
)  # fmt: skip

# Facts that differ in one detail; signs around them change nothing of what they say.
NAMES = ("Marta", "Olga", "Ines")
FACTS = (
    "{a} manages {b}", "{a} lives at {n} Harbour Street", "{a} has {n} days of leave",
    "{a} likes green tea", "{a} doesn't like green tea", "The code of the crane is {n}",
    "{a} paid {n} euros to {b}", "港口起重机的密码是{n}", "用户{a}喜欢绿茶", "用户{a}不喜欢绿茶",
    "{a} moved from Porto to Lisbon", "{a} moved from Lisbon to Porto",
)  # fmt: skip
NUMBERS = ("5", "15", "7", "4711", "4712", "2026-03-01", "2026-03-02")
AROUND = (
    ("", ""), ("", ""), ("", ""), ("", "."), ("", " 🌻"), ('"', '"'), ("- ", ""), ("", "\n"),
    ("  ", ""), ("<b>", "</b>"), ("", "\t"), ("", " \\"), ("(", ")"),
)  # fmt: skip
