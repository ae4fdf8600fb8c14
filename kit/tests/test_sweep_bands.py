"""Bands over a sweep: those of counting everything anew without each group of retrievals."""

import numpy as np
import pytest
from sweep_data import drawn, refiltered, rows_of

from memconform.sweep import Sweep, bands


@pytest.mark.parametrize("group", [None, ("language", "cjk")])
def test_bands_are_those_of_leaving_each_group_out(group):
    retrievals = drawn(5, retrievals=80, infinities=False)
    swept = Sweep.of(rows_of(retrievals), k=3)
    told = bands(swept, ("recall", "abstention"), group=group, groups=6, seed=9)
    # The same deal, then everything counted anew without each hand.
    hand = np.random.default_rng(9).integers(0, 6, size=80)
    mine = [
        (r, h)
        for r, h in zip(retrievals, hand, strict=True)
        if group is None or r.language == "cjk"
    ]
    for name, band in told.items():
        for at in range(0, len(band.thresholds) - 1, 3):
            floor = float(band.thresholds[at])
            whole = refiltered([r for r, _ in mine], floor, 3)[name]
            without = np.array(
                [refiltered([r for r, h in mine if h != o], floor, 3)[name] for o in range(6)]
            )
            spread = 1.959963984540054 * np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum())
            assert band.values[at] == pytest.approx(whole)
            assert band.low[at] == pytest.approx(max(0, whole - spread))
            assert band.high[at] == pytest.approx(min(1, whole + spread))


def test_a_count_has_no_band():
    swept = Sweep.of(rows_of(drawn(5, retrievals=8, infinities=False)), k=3)
    with pytest.raises(ValueError, match="forbidden is a count"):
        bands(swept, ("forbidden",))


def test_one_seed_one_deal():
    swept = Sweep.of(rows_of(drawn(5, retrievals=80, infinities=False)), k=3)
    one, again, other = (
        bands(swept, ("recall",), groups=6, seed=seed)["recall"] for seed in (9, 9, 10)
    )
    assert (one.low == again.low).all()
    assert (one.values == other.values).all()
    assert (one.low != other.low).any()
