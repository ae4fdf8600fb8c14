"""A dataset is whole, or refused whole with one sentence."""

import hashlib
import json

import pytest
from evaluation_data import NOW, WORKSPACE, Parts

from memconform.evaluation.dataset import DatasetError, load, standings
from memconform.evaluation.shipped import located, names
from memconform.model import Access
from memconform.resources import find


def test_a_whole_dataset_is_read(tmp_path):
    dataset = load(Parts().write(tmp_path))
    assert dataset.name == "quay"
    assert dataset.now == NOW
    assert [q.id for q in dataset.split("development")] == ["q1", "q2", "q3"]
    assert [q.id for q in dataset.split("holdout")] == ["q4"]
    assert dataset.successors == {"tide-old": "tide"}
    assert dataset.queries[0].access == Access(workspace=WORKSPACE)


def test_where_records_stand_for_a_query(tmp_path):
    dataset = load(Parts().write(tmp_path))
    assert dataset.standing(dataset.queries[0]) == {
        "crane": "eligible",
        "buoy": "eligible",
        "buoy-red": "inactive",
        "tide-old": "inactive",
        "tide": "eligible",
        "pilot": "directive",
        "lamp": "out-of-scope",
        "name": "eligible",
    }


def test_without_a_workspace_only_the_users_own_is_in_scope(tmp_path):
    dataset = load(Parts().write(tmp_path))
    standing = standings(dataset.stored, Access(), NOW)
    assert [id for id, where in standing.items() if where != "out-of-scope"] == ["name"]


def set_(document, key, value):
    def change(parts):
        getattr(parts, document)[key] = value

    return change


def in_query(id, **changes):
    return lambda parts: parts.query(id).update(changes)


def in_record(id, **changes):
    return lambda parts: parts.record(id).update(changes)


def without(finder, id, key):
    return lambda parts: getattr(parts, finder)(id).pop(key)


def twice(documents, id):
    def change(parts):
        listed = getattr(parts, documents)
        listed.append(next(each for each in listed if each["id"] == id))

    return change


def quota(split, category, language, number):
    def change(parts):
        parts.manifest["quotas"][split].setdefault(category, {})[language] = number

    return change


def count(name, number):
    return lambda parts: parts.manifest["counts"].__setitem__(name, number)


BAD_HASH = {"records.json": "0" * 64, "queries.json": "0" * 64}

MALFORMED = {
    "unknown field of a record": (in_record("crane", colour="red"), "unknown field `colour`"),
    "unknown field of a query": (in_query("q1", note="x"), "unknown field `note`"),
    "unknown field of the manifest": (set_("manifest", "note", 1), "unknown field `note`"),
    "missing field of a query": (without("query", "q1", "project"), "required field `project`"),
    "missing content": (without("record", "crane", "content"), "required field `content`"),
    "unknown category": (in_query("q1", category="odd"), "Invalid enum value 'odd'"),
    "unknown split": (in_query("q1", split="train"), "Invalid enum value 'train'"),
    "a text for a list": (in_query("q1", expectedIds="crane"), "Expected `array`"),
    "duplicate record": (twice("records", "crane"), "record id 'crane' occurs twice"),
    "duplicate query": (twice("queries", "q1"), "query id 'q1' occurs twice"),
    "unresolved expected id": (
        in_query("q1", expectedIds=["gull"]),
        "'q1' names 'gull' in expectedIds",
    ),
    "unresolved forbidden id": (
        in_query("q1", forbiddenIds=["gull"]),
        "'q1' names 'gull' in forbiddenIds",
    ),
    "id twice in a label": (
        in_query("q1", expectedIds=["crane", "crane"]),
        "names an id twice in expectedIds",
    ),
    "conflicting label": (
        in_query("q1", forbiddenIds=["crane"]),
        "both expects and forbids 'crane'",
    ),
    "missing rationale": (in_query("q1", rationale=" "), "'q1' has no rationale"),
    "no rationale at all": (without("query", "q1", "rationale"), "required field `rationale`"),
    "unresolved successor": (in_record("tide", supersedes="gull"), "supersedes 'gull'"),
    "successor before its predecessor": (
        in_record("crane", supersedes="buoy"),
        "supersedes 'buoy', which is no record before it",
    ),
    "superseded by nobody": (
        in_record("buoy", supersededAt=NOW),
        "'buoy' has a supersededAt and no record supersedes it",
    ),
    "wrong quota": (quota("development", "lexical-control", "en", 2), "is 2, there are 1"),
    "quota of what isn't there": (quota("holdout", "terse-abstract", "zh", 1), "there are 0"),
    "quota that is missing": (
        lambda parts: parts.manifest["quotas"].pop("holdout"),
        "quota of holdout queries in lexical-control, en is 0, there are 1",
    ),
    "wrong count of records": (count("records", 7), "counts 7 records, there are 8"),
    "wrong count of queries": (count("holdout", 0), "counts 0 holdout queries, there are 1"),
    "wrong hash": (set_("manifest", "files", BAD_HASH), "records.json has the SHA-256"),
    "hash of one file only": (
        set_("manifest", "files", {"records.json": "0" * 64}),
        "must name the files records.json and queries.json, not records.json",
    ),
    "later version": (set_("manifest", "schemaVersion", 2), "schemaVersion 2; this kit reads 1"),
    "no version": (lambda parts: parts.manifest.pop("schemaVersion"), "schemaVersion None"),
    "true for a version": (set_("manifest", "schemaVersion", True), "schemaVersion True"),
    "time without a zone": (
        set_("manifest", "evaluationTime", "2026-03-01T09:00:00"),
        "evaluationTime that is not an ISO 8601 time with a zone",
    ),
    "day that doesn't exist": (
        set_("manifest", "evaluationTime", "2026-02-30T09:00:00.000Z"),
        "evaluationTime that is a time that does not exist",
    ),
    "time in another spelling": (
        set_("manifest", "evaluationTime", "2026-03-01T10:00:00+01:00"),
        "write '2026-03-01T09:00:00.000Z'",
    ),
    "expected out of scope": (
        in_query("q1", expectedIds=["lamp"]),
        "'q1' expects 'lamp', which is out of its scope",
    ),
    "expected disabled": (
        in_query("q1", expectedIds=["buoy-red"]),
        "'q1' expects 'buoy-red', which is inactive",
    ),
    "expected superseded": (
        in_query("q1", expectedIds=["tide-old"]),
        "'q1' expects 'tide-old', which is inactive",
    ),
    "expected directive": (
        in_query("q1", expectedIds=["pilot"]),
        "'q1' expects 'pilot', which is a directive",
    ),
    "record that no store may take": (
        in_record("crane", confidence=7),
        "Record 'crane' is malformed: confidence is out of range",
    ),
    "record with a state at no time": (
        in_record("crane", deletedAt="yesterday"),
        "Record 'crane' is malformed: deletedAt is not an ISO 8601 time",
    ),
}


@pytest.mark.parametrize("way", MALFORMED)
def test_a_malformed_dataset_is_refused_whole(way, tmp_path):
    change, told = MALFORMED[way]
    parts = Parts()
    change(parts)
    with pytest.raises(DatasetError) as refusal:
        load(parts.write(tmp_path))
    sentence = str(refusal.value)
    assert told in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize("name", ["manifest.json", "records.json", "queries.json"])
def test_a_file_that_is_missing_or_no_json_is_named(name, tmp_path):
    folder = Parts().write(tmp_path)
    (folder / name).write_text("[", encoding="utf-8")
    with pytest.raises(DatasetError, match=name):
        load(folder)
    (folder / name).unlink()
    with pytest.raises(DatasetError, match=f"{name} can't be read: No such file"):
        load(folder)


def test_one_changed_character_is_noticed(tmp_path):
    folder = Parts().write(tmp_path)
    path = folder / "queries.json"
    path.write_bytes(path.read_bytes().replace(b"crane lift", b"crane hold"))
    with pytest.raises(DatasetError, match="restore the file"):
        load(folder)


def test_half_a_surrogate_pair_is_refused(tmp_path):
    parts = Parts()
    parts.query("q1")["query"] = "\ud800"
    folder = tmp_path
    # json would write it as an escape, which is no Unicode text either.
    data = json.dumps(parts.queries)
    parts.queries = []
    parts.write(folder)
    (folder / "queries.json").write_text(data, encoding="utf-8")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["queries.json"] = hashlib.sha256(data.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DatasetError, match=r"queries\.json does not have the shape"):
        load(folder)


# --- names and folders -----------------------------------------------------------------------


def test_the_shipped_datasets_have_names():
    assert names() == ["anonymous-v1", "constants-v1"]
    folder, marker = located("anonymous-v1")
    assert folder == find("fixtures") / "anonymous-v1"
    assert marker == "checked-in-anonymous-fixtures"
    assert located(str(folder)) == (folder, marker)


def test_another_folder_is_not_marked_as_checked_in(tmp_path):
    folder = Parts().write(tmp_path / "anonymous-v1")
    assert located(str(folder)) == (folder, "given-folder")


def test_what_is_no_dataset_is_told_what_there_is(tmp_path):
    with pytest.raises(DatasetError, match="one of anonymous-v1, constants-v1"):
        located(str(tmp_path))
