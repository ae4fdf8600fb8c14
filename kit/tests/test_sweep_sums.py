"""The sweep's arithmetic equals filtering anew and counting, at every threshold."""

from dataclasses import replace

import numpy as np
import pytest
from sweep_data import drawn, refiltered, rows_of

from memconform.sweep import Rows, SweepError, curve, merge, partial
from memconform.sweep import places as places_module
from memconform.sweep import sums as sums_module
from memconform.sweep.places import places

KS = (1, 2, 3, 5, 8, 13, 64)


def same(figures, expected):
    for name, value in expected.items():
        found = getattr(figures, name)
        if value is None:
            assert found is None, name
        else:
            assert found == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("k", KS)
def test_equals_filtering_anew_at_200_thresholds(k):
    rng = np.random.default_rng(k)
    looked_at = 0
    for seed in range(5):
        retrievals = drawn(seed * 100 + k, retrievals=25, values=30)
        found = curve(partial(rows_of(retrievals), k))
        between = rng.uniform(-0.1, 1.1, 40 - len(found))
        for threshold in [*found.thresholds, *between]:
            same(found.at(threshold), refiltered(retrievals, threshold, k))
            looked_at += 1
    assert looked_at >= 200


def test_every_row_its_own_threshold():
    retrievals = [
        replace(
            r,
            candidates=tuple(
                replace(c, gate=c.gate + i / 1e6 + j / 1e3) for j, c in enumerate(r.candidates)
            ),
        )
        for i, r in enumerate(drawn(7, retrievals=40, infinities=False))
    ]
    gates = {c.gate for r in retrievals for c in r.candidates if not c.always}
    found = curve(partial(rows_of(retrievals), 5))
    assert len(gates) > 500
    assert set(found.thresholds[:-1]) == gates
    for threshold in found.thresholds[::25]:
        same(found.at(threshold), refiltered(retrievals, threshold, 5))


def test_a_threshold_for_every_distinct_value_and_one_above_all():
    rows = Rows.of([0.5, 0.25, 0.5, 1.0], [3, 1], [1, 0, 0, 0], always=[False, False, False, True])
    found = curve(partial(rows, 5))
    # 1.0 passes always, so nothing changes there.
    assert found.thresholds.tolist() == [0.25, 0.5, np.inf]
    assert found.metric("passed").tolist() == [2.0, 1.5, 0.5]
    assert found.metric("recall").tolist() == [1.0, 1.0, 0.0]
    assert found.metric("precision").tolist() == [1 / 3, 1 / 2, 0.0]


def test_by_hand():
    # In rank order: gate values .2 .9 .5 .9 of which the third is relevant, one more is not found.
    # K 2. At .2: the first two are selected. Above .2: the second and third, the relevant one
    # second: recall 1/2, precision 1/2, reciprocal rank 1/2. Above .5: second and fourth.
    rows = Rows.of([0.2, 0.9, 0.5, 0.9], [4], [0, 0, 1, -1], relevant=[2])
    found = curve(partial(rows, 2))
    assert found.thresholds.tolist() == [0.2, 0.5, 0.9, np.inf]
    assert found.metric("recall").tolist() == [0, 0.5, 0, 0]
    assert found.metric("precision").tolist() == [0, 0.5, 0, 0]
    assert found.metric("mrr").tolist() == [0, 0.5, 0, 0]
    assert found.metric("selected").tolist() == [2, 2, 2, 0]
    assert found.metric("forbidden").tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("width", [1, 7, 10_000])
def test_shards_add_up_to_the_whole_exactly(width):
    retrievals = drawn(11, retrievals=90)
    rows = rows_of(retrievals)
    whole = curve(partial(rows, 5))
    parts = [partial(shard, 5) for shard in rows.shards(width)]
    assert len(parts) > 1 or width > rows.candidates
    assert sum(int(part.retrievals.sum()) for part in parts) == 90
    for some in (parts, parts[::-1], [merge(parts[:2]), *parts[2:]]):
        added = curve(merge(some))
        for name, values in whole.frame.items():
            assert np.array_equal(values, added.frame[name], equal_nan=True), name


def test_shards_with_values_of_their_own_add_up():
    retrievals = drawn(12, retrievals=60)
    pieces = [rows_of(retrievals[:10]), rows_of(retrievals[10:11]), rows_of(retrievals[11:])]
    assert len({len(piece.values) for piece in pieces}) > 1
    whole, added = (
        curve(partial(rows_of(retrievals), 5)),
        curve(merge(partial(p, 5) for p in pieces)),
    )
    for name, values in whole.frame.items():
        assert np.array_equal(values, added.frame[name], equal_nan=True), name


def test_each_group_is_swept_as_if_alone():
    retrievals = drawn(13, retrievals=80)
    part = partial(rows_of(retrievals), 3)
    at = part.dimensions.index("category")
    for category in ("a", "b", "c"):
        mine = [r for r in retrievals if r.category == category]
        found = curve(part, [cell for cell, name in enumerate(part.names) if name[at] == category])
        alone = curve(partial(rows_of(mine), 3))
        for name, values in alone.frame.items():
            assert np.array_equal(values, found.frame[name], equal_nan=True), name


def test_long_retrievals_and_short_ones_are_looked_at_alike(monkeypatch):
    rows = rows_of(drawn(14, retrievals=50))
    side_by_side = places(rows, 5)
    monkeypatch.setattr(places_module, "LONG", 0)
    alone = places(rows, 5)
    monkeypatch.setattr(places_module, "LONG", 20)
    mixed = places(rows, 5)
    monkeypatch.setattr(places_module, "BLOCK", 7)
    in_blocks = places(rows, 5)
    for other in (alone, mixed, in_blocks):
        for name in ("tops", "own", "above", "rival"):
            assert np.array_equal(getattr(side_by_side, name), getattr(other, name)), name


def test_counting_by_sorting_equals_counting_by_place(monkeypatch):
    rows = rows_of(drawn(15))
    dense = partial(rows, 5)
    monkeypatch.setattr(sums_module, "DENSE", 0)
    sparse = partial(rows, 5)
    for kind, ends in dense.ends.items():
        for name in ("cell", "share", "level", "count"):
            assert np.array_equal(getattr(ends, name), getattr(sparse.ends[kind], name)), kind


def test_more_than_65_thousand_distinct_values_are_wider_numbers():
    rng = np.random.default_rng(16)
    gate = rng.permutation(70_000) / 70_000
    rows = Rows.of(gate, np.full(7_000, 10), rng.integers(0, 2, 70_000))
    assert rows.codes.dtype.itemsize == 4
    found = curve(partial(rows, 3))
    half = gate.reshape(7_000, 10) >= 0.5
    assert found.at(0.5).passed == half.sum() / 7_000
    assert found.at(0.5).selected == np.minimum(half.sum(axis=1), 3).mean()


def test_shares_add_up_to_one_exactly():
    # 64 relevant candidates, all selected: 64 precisions of 1/64, and 49 recalls of 1/49.
    for count in (3, 7, 49, 64):
        rows = Rows.of(np.full(count, 0.5), [count], np.ones(count))
        figures = curve(partial(rows, 64)).at(0.5)
        assert (figures.recall, figures.precision, figures.mrr) == (1.0, 1.0, 1.0)


def test_nothing_at_all_is_refused_and_no_candidates_are_not():
    with pytest.raises(SweepError, match="nothing to sweep"):
        merge([])
    rows = Rows.of([], [0, 0], [], relevant=[1, 0])
    found = curve(partial(rows, 5))
    assert found.thresholds.tolist() == [np.inf]
    figures = found.at(0.3)
    assert (figures.recall, figures.abstention, figures.selected) == (0.0, 1.0, 0.0)
    empty = curve(partial(Rows.of([], [], []), 5)).at(0.3)
    assert (empty.recall, empty.abstention, empty.selected, empty.retrievals) == (
        None,
        None,
        None,
        0,
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Rows.of([0.1, np.nan], [2], [0, 0]),
            "Candidate 1 has a gate value that is no number",
        ),
        (lambda: Rows.of([0.1], [2], [0]), "1 gate values and 1 grades are not the 2 candidates"),
        (lambda: Rows.of([0.1, 0.2], [2], [1, 1], relevant=[1]), "2 relevant candidates and 1"),
        (lambda: Rows.of([0.1], [1], [0], relevant=[1], silent=[True]), "expects nothing, and has"),
        (
            lambda: Rows.of([0.1], [1], [0], groups={"language": ["a", "b"]}),
            "2 groups are given for 1",
        ),
        (lambda: partial(Rows.of([0.1], [1], [0]), 0), "K is 0"),
        (lambda: partial(Rows.of([0.1], [1], [0]), 1025), "from 1 to 1024"),
        (
            lambda: merge([partial(Rows.of([0.1], [1], [0]), k) for k in (1, 2)]),
            "with K 1 by .* and with K 2",
        ),
        (lambda: curve(partial(Rows.of([0.1], [1], [0]), 1)).at(np.nan), "NaN is none"),
        (lambda: curve(partial(Rows.of([0.1], [1], [0]), 1)).metric("f1"), "no figure 'f1'"),
    ],
)
def test_what_can_not_be_swept_is_refused_with_a_sentence(make, sentence):
    with pytest.raises(SweepError, match=sentence):
        make()


def test_below_what_was_logged_nothing_is_said():
    rows = Rows.of(
        [0.4, 0.6, 0.35, 0.5],
        [2, 2],
        [1, 0, 0, 1],
        groups={"language": ["latin", "cjk"]},
        complete_from=[0.4, 1 / 3],
    )
    part = partial(rows, 5)
    whole = curve(part)
    assert whole.thresholds.tolist() == [0.4, 0.5, 0.6, np.inf]  # without 0.35
    with pytest.raises(
        SweepError, match=r"only from 0.4 on, so nothing can be said of the thre.* 0.39"
    ):
        whole.at(0.39)
    assert whole.at(0.4).recall == 1.0
    cjk = curve(part, [part.names.index(("cjk",))])
    assert cjk.at(0.35).passed == 2
    with pytest.raises(SweepError, match=r"0\.333333 on"):
        cjk.at(0.33)
