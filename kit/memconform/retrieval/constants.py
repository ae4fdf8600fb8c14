"""Every figure and every word list of foundation, in one place.

Each stage is handed a ``Constants``, so that one figure can be replaced and the effect looked at::

    lower = dataclasses.replace(FOUNDATION, floor=0.35)

They are versioned constants of the code and no settings: who changes one has another design.
A heading names the requirement that the figures below it come from.
"""

from __future__ import annotations

from dataclasses import dataclass

from memconform.model import MemoryType, Weights
from memconform.model.record import SourceKind


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The figures of one version of the design. Lengths and limits are in code points."""

    # retrieval-foundation, "Tokens are words, their slices and CJK pairs"

    # Code point ranges (first, last) of the CJK class.
    cjk_ranges: tuple[tuple[int, int], ...] = (
        (0x3400, 0x9FFF),  # ideographs
        (0x3040, 0x30FF),  # kana
        (0xAC00, 0xD7AF),  # hangul
    )
    # A word longer than this gives its slices of this length, too.
    gram_length: int = 3
    # A CJK run of at least this length gives its slices of this length.
    cjk_gram_length: int = 2
    # At these numbers of tokens the rest is left away, and said to be.
    record_token_limit: int = 512
    query_token_limit: int = 128

    # retrieval-foundation, "Records get typed defaults" and "Contradictory drafts are refused"

    # The tags that say a record's type, the first type in this order wins.
    type_tags: tuple[tuple[MemoryType, tuple[str, ...]], ...] = (
        ("preference", ("preference", "preferences", "偏好")),
        ("decision", ("decision", "决定")),
        ("episode", ("episode", "经历")),
        ("relationship", ("relationship", "关系")),
        ("insight", ("insight", "洞察")),
    )
    # Importance by the kind of the first source, and without one that is listed.
    importance_by_source: tuple[tuple[SourceKind, float], ...] = (
        ("user", 0.8),
        ("file", 0.6),
        ("tool", 0.5),
        ("web", 0.4),
        ("inference", 0.3),
    )
    importance_otherwise: float = 0.5
    # What a draft that does not say gets.
    default_confidence: float = 1.0
    # Bounds of what a record may carry.
    source_limit: int = 8
    identifier_length: int = 128
    locator_length: int = 1024
    excerpt_length: int = 512

    # lexical-abstention, "A hinted type passes without shared words"

    # Words of a query that ask for a type. A phrase with a CJK character is looked for as it is,
    # any other as whole words.
    preference_hints: tuple[str, ...] = (
        "prefer",
        "preference",
        "favorite",
        "favourite",
        "like",
        "偏好",
        "喜欢",
        "习惯",
    )
    decision_hints: tuple[str, ...] = (
        "decide",
        "decision",
        "chosen",
        "choice",
        "决定",
        "选择",
        "决策",
    )
    identity_hints: tuple[str, ...] = (
        "who am i",
        "my name",
        "identity",
        "profile",
        "我是谁",
        "我的名字",
        "身份",
    )
    # The tags that answer a hint, whatever the type of the record.
    identity_tags: tuple[str, ...] = ("identity", "profile", "身份")
    preference_tags: tuple[str, ...] = ("preference", "preferences", "偏好")

    # retrieval-foundation, "Six features make one score"

    # How near each scope is.
    project_affinity: float = 1.0
    workspace_affinity: float = 0.9
    user_affinity: float = 0.8
    # Age at which a memory is half as fresh, in days.
    half_life_days: float = 180.0

    # The weights, summed in this order.
    lexical_weight: float = 0.55
    scope_weight: float = 0.10
    type_weight: float = 0.10
    freshness_weight: float = 0.10
    importance_weight: float = 0.075
    confidence_weight: float = 0.075

    # lexical-abstention, "The floor of a Latin query is 0.40" and "The floor of a query with
    # CJK text is one third"

    # Least coverage of a query without a CJK character, and of one with any.
    floor: float = 0.40
    cjk_floor: float = 1 / 3

    # retrieval-foundation, "The record limit holds"

    # The most records of one retrieval, whatever the policy says (whose default is 8).
    record_limit_cap: int = 64

    # retrieval-foundation, "The character budget holds"

    # Characters of the whole block when the request does not say.
    prompt_character_budget: int = 6000
    # A content cut to fewer characters than this is left out instead.
    least_cut: int = 96

    # retrieval-foundation, "The block gives memory no authority"

    # Least freshness of each class, the freshest first; below all, ``stale``.
    freshness_classes: tuple[tuple[str, float], ...] = (
        ("fresh", 0.8),
        ("recent", 0.5),
        ("aging", 0.25),
    )
    stalest_class: str = "stale"
    # Characters of a locator that are shown.
    shown_locator_length: int = 160

    # retrieval-foundation, "The trace explains without showing"

    # The most entries of its rankings, its excluded and its truncated ids.
    trace_limit: int = 64

    @property
    def weights(self) -> Weights:
        """The six weights as a trace states them."""
        return Weights(
            lexical=self.lexical_weight,
            scope_affinity=self.scope_weight,
            type_affinity=self.type_weight,
            freshness=self.freshness_weight,
            importance=self.importance_weight,
            confidence=self.confidence_weight,
        )


FOUNDATION = Constants()
