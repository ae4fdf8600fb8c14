"""Colours that stay apart for every kind of eye, and the sizes that charts share.

The palette is that of Okabe and Ito (2008), "Color Universal Design". No chart tells anything by
colour alone: shape, dash, place or a label says the same.
"""

from __future__ import annotations

BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#767676",
)
CATEGORICAL = [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 1]]
WIDTH, HEIGHT = 460, 240
LABEL = 200  # pixels of a label before it is cut
