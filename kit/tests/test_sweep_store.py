"""A trace store is swept as its candidates and labels say, part by part."""

import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sweep_data import drawn, refiltered, rows_of, selected
from sweep_stores import query_id, write_store
from test_sweep_sums import same

from memconform.sweep import (
    Floors,
    Sweep,
    SweepError,
    read,
    sweep,
    sweep_budget,
)
from memconform.traces import TraceError


@pytest.fixture(scope="module")
def retrievals():
    return drawn(41, retrievals=150, infinities=False)


@pytest.fixture
def store(tmp_path, retrievals):
    folder = tmp_path / "traces [a]*"  # a pattern, if it were taken for one
    write_store(folder, [retrievals[:50], retrievals[50:51], retrievals[51:]])
    return folder


def test_equals_the_plain_loop(store, retrievals):
    found = sweep(store, 5)
    assert found.candidates == sum(len(r.candidates) for r in retrievals)
    for threshold in found.thresholds:
        same(found.at(threshold), refiltered(retrievals, threshold, 5))
    for category in "abc":
        # Only a label says the category.
        mine = [r for r in retrievals if r.category == category and (r.relevant or r.silent)]
        same(found.by("category")[category].at(0.5), refiltered(mine, 0.5, 5))
    low, high = found.at(latin=0.2, cjk=0.6), found.at(latin=0.6, cjk=0.2)
    both = {name: [r for r in retrievals if r.language == name] for name in ("latin", "cjk")}
    assert low.hits == sum(
        refiltered(both[c], t, 5)["hits"] for c, t in (("latin", 0.2), ("cjk", 0.6))
    )
    assert high.hits != low.hits


def test_labels_are_joined_once_and_again_when_they_change(store, retrievals):
    before = sweep(store).at(0.4)
    kept = sorted((store / ".sweep").iterdir())
    assert len(kept) == 3
    assert sweep(store).at(0.4) == before
    # What is kept is used: other figures in it are other figures in the sweep.
    shutil.copy(kept[0], kept[0].with_suffix(".bak"))
    with np.load(kept[0]) as arrays:
        np.savez(
            kept[0],
            **{
                **arrays,
                "relevances": ~arrays["relevances"],
                "relevant": arrays["relevant"] * 0 + 40,
                "silent": arrays["silent"] & False,
            },
        )
    assert sweep(store).at(0.4) != before
    kept[0].write_bytes(b"damaged")
    assert sweep(store).at(0.4) == before
    labels = pl.read_parquet(store / "labels.parquet", glob=False)
    labels.filter(pl.col("grade") > 0).write_parquet(store / "labels.parquet")
    assert sweep(store).at(0.4).forbidden == 0 < before.forbidden


def test_a_store_that_can_not_be_written_to_is_swept_all_the_same(store, retrievals):
    (store / ".sweep").write_text("in the way")
    same(sweep(store).at(0.4), refiltered(retrievals, 0.4, 5))


@pytest.mark.parametrize("kind", ["qrels", "csv", "jsonl"])
def test_labels_of_a_file(store, retrievals, tmp_path, kind):
    expected = [
        replace(r, relevant=sum(c.grade > 0 for c in r.candidates[:4]), silent=False)
        for r in retrievals
    ]
    lines = [
        (query_id(at), f"m{at}-{rank}", c.grade)
        for at, r in enumerate(retrievals)
        for rank, c in enumerate(r.candidates[:4], 1)
        if c.grade > 0
    ]
    path = tmp_path / f"labels.{kind}"
    if kind == "qrels":
        path.write_text("".join(f"{q} 0 {m} {g}\n" for q, m, g in lines))
    elif kind == "csv":
        rows = "".join(f"{q},{m},{g}\n" for q, m, g in lines)
        path.write_text("query_id,memory_id,grade\n" + rows)
    else:
        path.write_text(
            "".join(f'{{"queryId": "{q}", "relevant": ["{m}"]}}\n' for q, m, _ in lines)
        )
    found = sweep(store, labels=path)
    for threshold in (0.0, 0.4, 0.7):
        # Beyond the first four candidates nothing is judged any more.
        unlabelled = [
            replace(
                r,
                candidates=tuple(
                    replace(c, grade=max(c.grade, 0) if at < 4 else 0)
                    for at, c in enumerate(r.candidates)
                ),
            )
            for r in expected
        ]
        same(found.at(threshold), refiltered(unlabelled, threshold, 5))


def test_the_holdout_is_left_out_unless_asked_for(tmp_path, retrievals):
    split = ["holdout" if at % 3 == 0 else "development" for at in range(150)]
    write_store(tmp_path, [retrievals[:70], retrievals[70:]], split=split)
    judged = [bool(r.relevant or r.silent) for r in retrievals]
    hidden = [s == "holdout" and j for s, j in zip(split, judged, strict=True)]
    shown = [r for r, away in zip(retrievals, hidden, strict=True) if not away]
    found = sweep(tmp_path)
    assert found.notes[0].startswith(f"{sum(hidden)} retrievals of holdout queries are left out")
    for threshold in (0.2, 0.5):
        same(found.at(threshold), refiltered(shown, threshold, 5))
    holdout = [r for r, away in zip(retrievals, hidden, strict=True) if away]
    same(sweep(tmp_path, split="holdout").at(0.5), refiltered(holdout, 0.5, 5))
    names = {flip.query_id for flip in found.flips(0.2, 0.7).told}
    changed = {
        query_id(at)
        for at, (r, away) in enumerate(zip(retrievals, hidden, strict=True))
        if not away and selected(r, 0.2, 5) != selected(r, 0.7, 5)
    }
    assert names == changed
    with pytest.raises(SweepError, match="no retrievals of the split 'test' to sweep"):
        sweep(tmp_path, split="test")


def test_flips_name_retrievals_queries_and_memories(store, retrievals):
    flips = sweep(store).flips(0.3, 0.6)
    assert flips.total > 20
    for flip in flips.told:
        number = int(flip.query_id[1:])
        assert flip.retrieval_id == f"r{number:06d}"
        was, now = (selected(retrievals[number], t, 5) for t in (0.3, 0.6))
        rank = {id(c): f"m{number}-{at}" for at, c in enumerate(retrievals[number].candidates, 1)}
        assert [m.memory_id for m in flip.left] == [rank[id(c)] for c in was if c not in now]
        assert [m.memory_id for m in flip.came] == [rank[id(c)] for c in now if c not in was]


def test_below_what_was_logged_nothing_is_said(tmp_path, retrievals):
    write_store(tmp_path, [retrievals], swept_from=0.4)
    found = sweep(tmp_path)
    assert found.thresholds[0] >= 0.4
    with pytest.raises(SweepError, match=r"only from 0\.4 on"):
        found.at(0.39)
    with pytest.raises(SweepError, match=r"only from 0\.4 on"):
        found.flips(0.39, 0.5)
    with pytest.raises(SweepError, match=r"only from 0\.4 on"):
        sweep_budget(read(tmp_path), 0.39)


def test_what_is_not_known_is_said(tmp_path, retrievals):
    write_store(tmp_path, [retrievals], swept_from=None, language=False)
    found = sweep(tmp_path)
    assert "Of 150 retrievals it is unknown from which threshold on" in found.notes[0]
    # The language of the label stands in for the class of the query; unjudged ones have neither.
    by = found.by("language")
    judged = [r for r in retrievals if r.relevant or r.silent]
    assert by["cjk"].retrievals == sum(r.language == "cjk" for r in judged)
    assert by["unknown"].retrievals == 150 - len(judged)
    with pytest.raises(SweepError, match="neither latin nor cjk"):
        found.at(latin=0.4, cjk=0.4)


def test_a_floor_on_another_feature(store, retrievals):
    found = sweep(store, feature="importance")
    plain = [
        replace(
            r, candidates=tuple(replace(c, gate=c.importance, always=False) for c in r.candidates)
        )
        for r in retrievals
    ]
    for threshold in found.thresholds[::9]:
        same(found.at(threshold), refiltered(plain, threshold, 5))
    with pytest.raises(SweepError, match="no feature 'colour' to sweep; there are lexical, final"):
        sweep(store, feature="colour")
    with pytest.raises(SweepError, match="don't say the freshness of every candidate"):
        sweep(store, feature="freshness")


@pytest.mark.parametrize("floors", [0.4, Floors(latin=0.3, cjk=0.6)])
def test_the_prompt_budget(store, retrievals, floors):
    found = sweep_budget(read(store), floors, 5)

    def fitting(retrieval, characters):
        """The loop that is meant: contents in order, until the first that doesn't fit."""
        floor = floors if isinstance(floors, float) else getattr(floors, retrieval.language)
        kept, used = [], 0
        for candidate in selected(retrieval, floor, 5):
            used += candidate.characters
            if used > characters:
                break
            kept.append(candidate)
        return kept

    sums = {
        sum(c.characters for c in chosen[: at + 1])
        for r in retrievals
        for chosen in [fitting(r, 10**9)]
        for at in range(len(chosen))
    }
    assert set(found.budgets) == sums
    for characters in (0, 50, 300, 700, 10_000):
        kept = [fitting(r, characters) for r in retrievals]
        # All that is kept passes: nothing is left to filter.
        expected = refiltered(
            [replace(r, candidates=tuple(k)) for r, k in zip(retrievals, kept, strict=True)], -1, 5
        )
        same(found.at(characters), expected)
    assert found.pl()["characters"].to_list() == sorted(sums)
    at = list(found.budgets).index(sorted(sums)[40])
    assert found.metric("recall")[at] == found.at(int(sorted(sums)[40])).recall
    assert found.to_dict()["overall"]["recall"][at] == found.metric("recall")[at]


def test_labels_that_contradict_themselves_are_refused(store):
    labels = pl.read_parquet(store / "labels.parquet", glob=False)
    pl.concat([labels, labels.head(1)]).write_parquet(store / "labels.parquet")
    with pytest.raises(SweepError, match=r"judge memory '.*' twice for query 'q"):
        sweep(store)
    labels.write_parquet(store / "labels.parquet")
    queries = pl.read_parquet(store / "query_labels.parquet", glob=False)
    queries.with_columns(expects_nothing=True).write_parquet(store / "query_labels.parquet")
    with pytest.raises(SweepError, match="that nothing is expected and that a memory is relevant"):
        sweep(store)


def test_labels_with_a_bad_line_are_refused(store, tmp_path):
    path = tmp_path / "labels.qrels"
    path.write_text("q000001 0 m1-1 1\nq000001 0 m1-2\n")
    with pytest.raises(
        SweepError, match=r"1 judgements of .* the first in line 2: it is not topic"
    ):
        sweep(store, labels=path)


def test_a_part_out_of_order_is_refused(store):
    (path,) = (store / "candidates" / "day=2026-01-01").iterdir()
    pl.read_parquet(path, glob=False).sample(fraction=1, shuffle=True, seed=1).write_parquet(path)
    with pytest.raises(SweepError, match="part part1 of the traces is not in the order"):
        sweep(store)


def test_parts_without_candidates(tmp_path, retrievals):
    empty = [replace(r, candidates=()) for r in retrievals[:5]]
    write_store(tmp_path / "mixed", [empty, retrievals[5:60]])
    mixed = [*empty, *retrievals[5:60]]
    same(sweep(tmp_path / "mixed").at(0.4), refiltered(mixed, 0.4, 5))
    assert sweep(tmp_path / "mixed").flips(0.2, 0.6).total > 5
    write_store(tmp_path / "none", [empty])
    same(sweep(tmp_path / "none").at(0.4), refiltered(empty, 0.4, 5))


def test_no_store_and_no_labels(tmp_path, store):
    with pytest.raises(TraceError, match="holds no traces"):
        sweep(tmp_path / "none")
    (store / "labels.parquet").unlink()
    with pytest.raises(SweepError, match="has no labels; name a file of judgements with --labels"):
        sweep(store)


def test_parts_add_up_to_what_arrays_say(store, retrievals):
    found, whole = sweep(store, 3), Sweep.of(rows_of(retrievals), 3)
    assert np.array_equal(found.metric("recall"), whole.metric("recall"))
    assert np.array_equal(found.thresholds, whole.thresholds)
