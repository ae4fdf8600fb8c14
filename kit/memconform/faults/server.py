"""Faults of listening: a call that should be refused is heard as one that can be served."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memconform.faults.fault import Arguments, Fault, Mark, core, foundation
from memconform.model import RelevanceMode
from memconform.protocol import System
from memconform.reference.filesystem import factory

BAD_INPUT = core("bad-input-is-refused-and-the-server-lives")
ANY_TEXT = core("any-text-is-a-query")
REFUSED = foundation("contradictory-drafts-are-refused")
OLD_GATE = foundation("the-old-gate-is-for-evaluation-only")

_GATES: tuple[RelevanceMode, ...] = ("foundation-v1", "historical-v1")
_ASKING = ("recall", "context")
_WITH_ID = ("get", "forget")
_LABELS = ("tags", "confidence", "importance")


def _right(mark: Mark) -> System:
    return factory()


def _drafts(change: Callable[[Arguments], Arguments]) -> Callable[[str, Arguments], Arguments]:
    """A change of each memory that is written."""

    def heard(method: str, given: Arguments) -> Arguments:
        if method == "write" and isinstance(given.get("record"), dict):
            given["record"] = change(given["record"])
        return given

    return heard


def _no_query(method: str, given: Arguments) -> Arguments:
    if method in _ASKING and "query" not in given:
        given["query"] = ""
    return given


def _any_query(method: str, given: Arguments) -> Arguments:
    if method in _ASKING and "query" in given and not isinstance(given["query"], str):
        given["query"] = str(given["query"])
    return given


def _no_limit(method: str, given: Arguments) -> Arguments:
    limit = given.get("limit")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool)):
        del given["limit"]
    return given


def _no_id(method: str, given: Arguments) -> Arguments:
    if method in _WITH_ID and not isinstance(given.get("id"), str):
        given["id"] = str(given.get("id", "none"))
    return given


def _no_content(draft: Arguments) -> Arguments:
    draft.setdefault("content", "(no text)")
    return draft


def _any_content(draft: Arguments) -> Arguments:
    if "content" in draft and not isinstance(draft["content"], str):
        draft["content"] = str(draft["content"])
    return draft


def _no_labels(draft: Arguments) -> Arguments:
    tags, confidence = draft.get("tags", []), draft.get("confidence", 0)
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        del draft["tags"]
    if confidence is not None and not isinstance(confidence, (int, float)):
        del draft["confidence"]
    return draft


def _known_fields(draft: Arguments) -> Arguments:
    from memconform.model import RecordDraft

    known = set(RecordDraft.__struct_encode_fields__)
    return {name: value for name, value in draft.items() if name in known}


def _no_correction(method: str, given: Arguments) -> Arguments:
    if method == "correct":
        given.setdefault("content", "(no text)")
    return given


def _no_batch(method: str, given: Arguments) -> Arguments:
    if method == "write_batch" and not isinstance(given.get("records"), list):
        given["records"] = []
    return given


def _known_gates(method: str, given: Arguments) -> Arguments:
    if method == "recall" and given.get("mode") not in (None, *_GATES):
        del given["mode"]
    return given


def _whole(value: Any) -> Any:
    """A value with each half of a surrogate pair as the mark of something lost."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return value


def _no_surrogates(method: str, given: Arguments) -> Arguments:
    heard: Arguments = _whole(given)
    return heard


def _ends_small(draft: Arguments) -> Arguments:
    """Zero counts as not said."""
    for name in _LABELS:
        if draft.get(name) == 0:
            del draft[name]
    return draft


def _fault(
    name: str,
    change: str,
    suffers: str,
    mishears: Callable[[str, Arguments], Arguments],
    breaks: tuple[str, ...],
    *killers: str,
) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=killers,
        base="filesystem",
        seed=_right,
        mishears=mishears,
    )


FAULTS = (
    _fault(
        "no-query-is-an-empty-one",
        "A question without a text is taken for an empty one.",
        "A caller that forgets the question is told that there is no memory.",
        _no_query,
        BAD_INPUT,
        *core("a-question-without-a-text-is-refused", "a-context-without-a-question-is-refused"),
    ),
    _fault(
        "anything-is-a-query",
        "A question that is no text is turned into one.",
        "A caller that hands over an object gets an answer to its brackets.",
        _any_query,
        BAD_INPUT,
        *core("a-question-that-is-no-text-is-refused"),
    ),
    _fault(
        "a-limit-that-is-none-is-dropped",
        "A limit that is no whole number is left out.",
        "A limit of '3' means all.",
        _no_limit,
        BAD_INPUT,
        *core("a-limit-that-is-no-whole-number-is-refused"),
    ),
    _fault(
        "anything-is-an-id",
        "An id that is missing or no text is turned into one, and not found.",
        "A caller that forgets the id is told that the memory is gone.",
        _no_id,
        BAD_INPUT,
        *core("a-missing-id-is-refused", "an-id-that-is-no-text-is-refused"),
    ),
    _fault(
        "no-content-is-some",
        "A memory without a content gets one that says so.",
        "Empty memories haunt every answer.",
        _drafts(_no_content),
        BAD_INPUT,
        *core("a-memory-without-content-is-refused"),
    ),
    _fault(
        "anything-is-a-content",
        "A content that is no text is turned into one.",
        "A list is remembered with its brackets, and null as a word.",
        _drafts(_any_content),
        BAD_INPUT,
        *core("content-that-is-no-text-is-refused"),
    ),
    _fault(
        "labels-of-another-type-are-dropped",
        "Tags and a confidence of a wrong type are left out.",
        "A guess becomes a fact because its confidence was written as a word.",
        _drafts(_no_labels),
        BAD_INPUT,
        *core(
            "tags-that-are-no-list-of-texts-are-refused",
            "a-confidence-that-is-no-number-is-refused",
            "a-refused-write-leaves-nothing-behind",
        ),
    ),
    _fault(
        "zero-is-nothing",
        "A confidence of zero counts as not said.",
        "What is surely wrong is told as certain.",
        _drafts(_ends_small),
        BAD_INPUT,
        *core("the-ends-of-the-confidence-range-are-kept"),
    ),
    _fault(
        "unknown-fields-are-dropped",
        "A field that nobody knows is left out.",
        "A misspelt 'expireAt' makes a memory last for ever.",
        _drafts(_known_fields),
        REFUSED,
        *foundation("an-unknown-field-is-refused"),
    ),
    _fault(
        "no-correction-is-one",
        "A correction without a text gets one that says so.",
        "A forgotten argument deletes a fact.",
        _no_correction,
        BAD_INPUT,
        *core("a-correction-without-a-text-is-refused"),
    ),
    _fault(
        "anything-is-an-empty-batch",
        "A batch that is no list is taken for an empty one.",
        "An import of nothing is acknowledged.",
        _no_batch,
        BAD_INPUT,
        *core("a-batch-that-is-no-list-is-refused"),
    ),
    _fault(
        "unknown-gates-are-the-current-one",
        "A gate that nobody knows is taken for the current one.",
        "An evaluation of a misspelt gate measures another one.",
        _known_gates,
        OLD_GATE,
        *foundation("a-gate-that-doesn-t-exist-is-refused"),
    ),
    _fault(
        "half-a-character-is-replaced",
        "Half of a surrogate pair is replaced by a mark.",
        "A text is kept that nobody wrote.",
        _no_surrogates,
        (*BAD_INPUT, *ANY_TEXT),
        *core("a-lone-surrogate-is-refused", "a-lone-surrogate-as-content-is-refused"),
    ),
)
