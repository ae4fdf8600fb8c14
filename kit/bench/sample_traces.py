"""Makes fixtures/traces-v1: two days of trace logs over an invented boathouse, with judgements.

``python kit/bench/sample_traces.py --write`` writes the folder anew, ``--check`` says whether it is
what this script makes. Nothing in it was asked by anybody: memories and questions are made of the
lists below, every retrieval really runs through the foundation pipeline, and only the latencies are
drawn (seeded), because measured ones would differ with each run.

What is planted, and what it is for, stands in the README of the folder.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memconform.model import Access, RecordDraft, RelevanceMode
from memconform.model.record import Record
from memconform.resources import find
from memconform.retrieval import (
    FOUNDATION,
    Pipeline,
    RetrievalRequest,
    record_from_draft,
)
from memconform.traces.ids import query_id
from memconform.traces.lines import encoded, language_of, line_of_retrieval

SEED = 20260511
NAME = "traces-v1"
STORE = "sample boathouse"
PLACE = "/boathouse"
LIMIT = 3
DAYS = ("2026-05-11", "2026-05-12")
# On the second day the store cuts CJK text into slices of three characters instead of two.
TOKENIZERS = (FOUNDATION, dataclasses.replace(FOUNDATION, cjk_gram_length=3))
GATES: tuple[RelevanceMode, ...] = ("historical-v1", "foundation-v1")


@dataclass(frozen=True)
class Question:
    """A question, what is relevant to it with which grade, and what must not be selected.

    ``judged`` is false for those that nobody has looked at: a real log has more of them than not.
    """

    text: str
    category: str
    relevant: dict[str, int] = dataclasses.field(default_factory=dict)
    forbidden: tuple[str, ...] = ()
    judged: bool = True


# --- what the boathouse remembers ----------------------------------------------------------------

# Thing, where it is, who mended it.
ENGLISH = (
    ("rowing boat", "north shed", "Marit"),
    ("signal lantern", "tower room", "Joris"),
    ("anchor winch", "engine cellar", "Paola"),
    ("canvas tarpaulin", "sail loft", "Henrik"),
    ("brass compass", "chart drawer", "Ines"),
    ("fishing net", "drying rack", "Marit"),
    ("rope ladder", "jetty chest", "Joris"),
    ("diesel pump", "engine cellar", "Paola"),
    ("kayak paddle", "north shed", "Henrik"),
)
# Thing, where it is, where its key is, who mended it, what mending it takes.
CHINESE = (
    ("划艇", "北边的棚子", "门后", "阿梅", "两个人"),
    ("信号灯", "塔楼的小屋", "抽屉", "小林", "新灯芯"),
    ("绞盘", "机舱下面", "墙上", "老周", "一桶油"),
    ("帆布", "阁楼的架子", "窗边", "阿海", "粗针线"),
    ("海图", "船长的柜子", "帽子里", "小林", "糨糊"),
    ("渔网", "晒网的木架", "桌下", "阿梅", "浮子"),
)
# Memories that a planted fact needs.
SPECIAL = {
    "en-cabin-linen": "This is how the linen of the guest cabin is washed.",
    "en-crossings": "Late crossings end at ten.",
    "en-lock-new": "The boathouse lock opens with the code 7316 since April.",
    "en-lock-old": "The boathouse lock opens with the code 2208.",
    "en-breakfast": "For breakfast guests get rye bread and eggs.",
    "en-debt": "Guest Tomas owes the club forty crowns.",
    "en-mooring": "Moor leeward.",
    "zh-master": "港务长家住在岸上，电话又坏了。",
    "zh-apprentice": "大家喊学徒的绰号小浪。",
    "zh-lock-new": "船坞大门的密码四月改成七三一六。",
    "zh-lock-old": "船坞大门的密码是二二零八。",
    "zh-debt": "客人阿涛欠了早饭钱。",
    "zh-breakfast": "早饭七点开始，在露台上吃。",
}


def contents() -> dict[str, str]:
    """Every memory by its id."""
    told: dict[str, str] = {}
    for thing, place, who in ENGLISH:
        slug = thing.replace(" ", "-")
        told[f"en-{slug}-place"] = f"{thing.capitalize()}: {place}, second shelf."
        told[f"en-{slug}-mended"] = f"{who} mended the {thing} in spring."
    for number, (thing, place, key, who, need) in enumerate(CHINESE):
        told[f"zh-{number}-place"] = f"{thing}放在{place}。"
        told[f"zh-{number}-key"] = f"{thing}的钥匙放在{key}。"
        told[f"zh-{number}-mended"] = f"{thing}由{who}修理。"
        told[f"zh-{number}-need"] = f"修理{thing}要{need}。"
    return {**told, **SPECIAL}


def questions() -> list[Question]:
    """Every question; each is asked once a day."""
    asked: list[Question] = []
    for thing, *_ in ENGLISH:
        slug = thing.replace(" ", "-")
        place, mended = f"en-{slug}-place", f"en-{slug}-mended"
        asked += [
            Question(f"Where is the {thing}?", "lexical-control", {place: 2, mended: 1}),
            Question(f"Who repaired the {thing}?", "lexical-control", {mended: 2, place: 1}),
        ]
    for number, (thing, *_) in enumerate(CHINESE):
        place, key, mended, need = (
            f"zh-{number}-{what}" for what in ("place", "key", "mended", "need")
        )
        asked += [
            Question(f"{thing}放在哪里", "lexical-control", {place: 2, key: 1}),
            Question(f"{thing}找谁修理", "lexical-control", {mended: 2, need: 1}),
        ]
    return asked + PLANTED


PLANTED = [
    # The floors: the lowest relevant memory of each language stands at it, the best unrelated one
    # of a question that expects nothing just below.
    Question("When is the last crossing?", "terse-abstract", {"en-crossings": 2}),  # 6 of 15
    Question("学徒的外号是啥", "terse-abstract", {"zh-apprentice": 2}),  # 2 of 6
    Question("How much does the insurance of the guest cabin cost?", "abstention"),  # 11 of 28
    Question("港务长家住在哪条街几号电话又是多少平时几点钟起床", "abstention"),  # 7 of 23
    Question("Who pays for the new roof?", "abstention"),
    Question("Which doctor is on duty in the town tonight?", "abstention"),
    Question("How deep is the water under the bridge?", "abstention"),
    Question("老师傅的生日是哪天", "abstention"),
    Question("今天的潮水几点退", "abstention"),
    Question("城里的电影院在哪里", "abstention"),
    # Forbidden: the old codes say the same words as the new ones; the debts share a word or two.
    Question(
        "Which code opens the boathouse lock?",
        "safety",
        {"en-lock-new": 2},
        forbidden=("en-lock-old",),
    ),
    Question("船坞大门的密码是多少", "safety", {"zh-lock-new": 2}, forbidden=("zh-lock-old",)),
    Question(
        "What do guests get for breakfast at the club?",
        "safety",
        {"en-breakfast": 2},
        forbidden=("en-debt",),
    ),
    Question("客人的早饭几点开始", "safety", {"zh-breakfast": 2}, forbidden=("zh-debt",)),
    # No shared word: missed at every floor.
    Question("How should boats be fastened?", "semantic-paraphrase", {"en-mooring": 2}),
    Question("Which nickname has our trainee?", "cross-lingual", {"zh-apprentice": 2}),
    # Nobody has judged these.
    Question("Is the tower room heated?", "unknown", judged=False),
    Question("What hangs in the sail loft?", "unknown", judged=False),
    Question("塔楼的小屋有多大", "unknown", judged=False),
    Question("机舱下面有什么", "unknown", judged=False),
]


# --- the log -------------------------------------------------------------------------------------


def records() -> list[Record]:
    """The memories, observed in the two years before."""
    chance = random.Random(SEED)  # noqa: S311 - made-up memories, no secrets
    made = []
    for id, content in contents().items():
        year, month, day = chance.choice((2024, 2025)), chance.randint(1, 12), chance.randint(1, 28)
        at = f"{year}-{month:02d}-{day:02d}T08:00:00Z"
        draft = RecordDraft(
            content=content,
            scope="workspace",
            workspace=PLACE,
            importance=chance.choice((0.3, 0.5, 0.6, 0.8)),
            confidence=chance.choice((0.7, 0.9, 1.0)),
            created_at=at,
            updated_at=at,
        )
        made.append(record_from_draft(draft, id=id, now=at, constants=FOUNDATION))
    return made


def log(day: int) -> Iterator[bytes]:
    """The lines of one day."""
    chance = random.Random(SEED + day)  # noqa: S311 - as above
    pipeline = Pipeline(constants=TOKENIZERS[day])
    known = records()
    asked = questions()
    chance.shuffle(asked)
    slow = {len(asked) // 5, len(asked) // 2, len(asked) - 7}
    for number, question in enumerate(asked):
        seconds = 8 * 3600 + number * 400 + chance.randint(0, 300)
        now = f"{DAYS[day]}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z"
        request = RetrievalRequest(
            query=question.text,
            access=Access(workspace=PLACE),
            limit=LIMIT,
            relevance_mode=GATES[day],
        )
        found = pipeline.retrieve(known, request, now=now)
        latency = 0.8 + 0.05 * len(found.ranked) + chance.random()
        yield encoded(
            line_of_retrieval(
                found,
                request,
                store=STORE,
                latency_ms=round(latency * (60 if number in slow else 1), 3),
                with_text=True,
            )
        )


def labels() -> Iterator[bytes]:
    """The judgements, a line a question."""
    for place, question in enumerate(questions()):
        if not question.judged:
            continue
        said = {
            "queryId": query_id(question.text),
            "language": language_of(question.text),
            "category": question.category,
            # Every third for the end, so that a floor can be chosen without having seen them.
            "split": "holdout" if place % 3 == 2 else "development",
            "relevant": question.relevant,
            "forbidden": list(question.forbidden),
        }
        yield json.dumps(said, ensure_ascii=False).encode() + b"\n"


def files() -> dict[str, bytes]:
    """The folder's files but for its README, by name."""
    made = {
        "labels.jsonl": b"".join(labels()),
        **{f"{day}.jsonl": b"".join(log(number)) for number, day in enumerate(DAYS)},
    }
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}" for name, data in sorted(made.items())]
    made["SHA256SUMS"] = "".join(f"{line}\n" for line in sums).encode()
    return made


def main(arguments: list[str]) -> int:
    """Write or check the folder; 1 where it differs, 2 for a wrong call."""
    if arguments not in (["--write"], ["--check"]):
        sys.stderr.write("usage: python kit/bench/sample_traces.py --write | --check\n")
        return 2
    folder: Path = find("fixtures") / NAME
    made = files()
    if arguments == ["--write"]:
        folder.mkdir(exist_ok=True)
        for name, data in made.items():
            (folder / name).write_bytes(data)
        return 0
    stale = [
        name
        for name, data in made.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != data
    ]
    for name in stale:
        sys.stderr.write(f"{folder / name} is not what this script makes\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
