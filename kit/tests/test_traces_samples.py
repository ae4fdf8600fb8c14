"""The sample traces are what their script makes, and have planted in them what their page says."""

import hashlib
import importlib.util
import json
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from memconform.resources import find
from memconform.traces.formats import kind_of

FOLDER = find("fixtures") / "traces-v1"
SCRIPT = Path(__file__).parents[1] / "bench" / "sample_traces.py"
DAYS = ("2026-05-11", "2026-05-12")


def lines(name):
    return [json.loads(line) for line in (FOLDER / name).read_bytes().splitlines()]


@pytest.fixture(scope="module")
def labels():
    return {said["queryId"]: said for said in lines("labels.jsonl")}


@pytest.fixture(scope="module")
def days():
    return [lines(f"{day}.jsonl") for day in DAYS]


def script():
    spec = importlib.util.spec_from_file_location("sample_traces", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["sample_traces"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_folder_is_what_its_script_makes():
    assert script().files() == {
        path.name: path.read_bytes() for path in FOLDER.iterdir() if path.name != "README.md"
    }
    wrong = subprocess.run(
        [sys.executable, str(SCRIPT)], timeout=60, check=False, capture_output=True
    )
    assert wrong.returncode == 2


def test_the_sums_and_the_size():
    sums = (FOLDER / "SHA256SUMS").read_text().splitlines()
    assert [line.split()[1] for line in sums] == [*(f"{day}.jsonl" for day in DAYS), "labels.jsonl"]
    for line in sums:
        digest, name = line.split()
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 500_000
    assert {kind_of(FOLDER / f"{day}.jsonl") for day in DAYS} == {"log"}


def judged(day, labels):
    """Each judged line of a day with its judgement."""
    return [(said, labels[said["queryId"]]) for said in day if said["queryId"] in labels]


def chosen(said):
    return [found["memoryId"] for found in said["candidates"] if found.get("selected")]


def test_half_of_what_is_injected_is_unrelated(days, labels):
    selected = [(id, of) for said, of in judged(days[0], labels) for id in chosen(said)]
    relevant = [id for id, of in selected if id in of["relevant"]]
    assert (len(selected), len(relevant)) == (123, 66)
    assert max(len(chosen(said)) for said in days[0]) == 3


@pytest.mark.parametrize(
    ("language", "lowest", "highest"), [("latin", 6 / 15, 11 / 28), ("cjk", 2 / 6, 7 / 23)]
)
def test_a_floor_between_the_two_costs_nothing(days, labels, language, lowest, highest):
    relevant, unrelated = [], []
    for said, of in judged(days[0], labels):
        if said["language"] != language:
            continue
        for found in said["candidates"]:
            if found["memoryId"] in of["relevant"]:
                relevant.append(found["features"]["lexical"])
            elif not of["relevant"]:
                unrelated.append(found["features"]["lexical"])
    assert min(relevant) == lowest
    assert max(unrelated) == highest
    assert not any(
        found["features"]["typeAffinity"] for said in days[0] for found in said["candidates"]
    )


def recall(day, labels, language):
    return statistics.mean(
        sum(id in of["relevant"] for id in chosen(said)) / len(of["relevant"])
        for said, of in judged(day, labels)
        if of["relevant"] and said["language"] == language
    )


def test_the_second_day_finds_little_in_chinese_and_the_same_in_english(days, labels):
    assert [recall(day, labels, "latin") for day in days] == [21 / 23, 21 / 23]
    first, second = (recall(day, labels, "cjk") for day in days)
    assert first == 1
    assert second == pytest.approx(0.267, abs=0.0005)
    for language, same in (("latin", True), ("cjk", False)):
        features = [
            {
                (said["queryId"], found["memoryId"]): found["features"]["lexical"]
                for said in day
                if said["language"] == language
                for found in said["candidates"]
            }
            for day in days
        ]
        assert (features[0] == features[1]) is same
    assert [{said["gate"] for said in day} for day in days] == [
        {"historical-v1"},
        {"foundation-v1"},
    ]


def test_forbidden_memories_of_two_kinds(days, labels):
    found = {
        candidate["memoryId"]: candidate["features"]["lexical"]
        for said, of in judged(days[0], labels)
        for candidate in said["candidates"]
        if candidate["memoryId"] in of["forbidden"]
    }
    assert {id: round(lexical, 3) for id, lexical in found.items()} == {
        "en-debt": 0.292,
        "zh-debt": 0.25,
        "en-lock-old": 0.826,
        "zh-lock-old": 0.778,
    }
    for said, of in judged(days[0], labels):
        if said["queryId"] in labels and set(of["forbidden"]) & {"en-lock-old", "zh-lock-old"}:
            right = max(
                candidate["features"]["lexical"]
                for candidate in said["candidates"]
                if candidate["memoryId"] in of["relevant"]
            )
            assert all(found[id] >= right for id in of["forbidden"])


def test_silence_slowness_and_what_nobody_judged(days, labels):
    assert sum(not of["relevant"] for of in labels.values()) == 8
    chinese = [said for said in days[0] if said["language"] == "cjk"]
    assert sum(not said["candidates"] for said in chinese) == 3
    for day in days:
        assert len(day) == 50
        assert sum(said["queryId"] not in labels for said in day) == 4
        assert sum(said["latencyMs"] > 40 for said in day) == 3
        assert sum(said["latencyMs"] < 5 for said in day) == 47
    assert Counter(of["split"] for of in labels.values())["holdout"] >= 12
