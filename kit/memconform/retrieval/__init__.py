"""Foundation as pure functions: which memories a question gets to see, and why.

Reading order: constants, times, tokens, records, stage, request, scope, lifecycle, ranking,
relevance, context, budget, trace, pipeline. Nothing here reads a file, a clock or a setting.
"""

from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.context import Entry, Layout, context_block
from memconform.retrieval.pipeline import Eligible, Pipeline, Question, Retrieval
from memconform.retrieval.ranking import Hints, Match, Ranked
from memconform.retrieval.records import record_from_draft, revised, stored_record
from memconform.retrieval.relevance import Gate
from memconform.retrieval.request import RetrievalRequest
from memconform.retrieval.stage import Dropped, Stage
from memconform.retrieval.trace import Counts, trace_hash

__all__ = [
    "FOUNDATION",
    "Constants",
    "Counts",
    "Dropped",
    "Eligible",
    "Entry",
    "Gate",
    "Hints",
    "Layout",
    "Match",
    "Pipeline",
    "Question",
    "Ranked",
    "Retrieval",
    "RetrievalRequest",
    "Stage",
    "context_block",
    "record_from_draft",
    "revised",
    "stored_record",
    "trace_hash",
]
