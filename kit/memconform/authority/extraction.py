"""What is learned from a conversation: little, and only what a person said plainly.

A sentence becomes a claim when it begins like one of the forms below. "Remember that ..." is
explicit; everything else is a guess and begins below the belief that is needed to be used.

Source: claim-injection, "Only people are learned from".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from memconform.authority.secrets import secret_label
from memconform.model.authority import ClaimKind, Origin, Speaker

# What a person says to the memory itself is an order to it, not a question and not a claim.
COMMAND = "/memory"
LONGEST = 300  # code points; a longer sentence is a text to work on, not something about the user
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTED = re.compile(r"(?m)^[ \t]*>.*$")
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]+)*[.!?。！？]*")
_REMEMBER = re.compile(
    r"(?:please\s+)?remember(?:\s+that|\s*:)\s+(?P<rest>\S.*)"
    r"|(?:请)?(?:记住|记得)[,，:：\s]*(?P<cjk>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_FORMS: tuple[tuple[ClaimKind, str], ...] = (
    (
        "preference",
        r"i (?:always |usually |really )?(?:prefer|like|love|hate|dislike)\b"
        r"|my (?:favou?rite|preferred)\b|我(?:更|很|最)?(?:喜欢|偏好|偏爱|讨厌|习惯)",
    ),
    ("warning", r"(?:be careful|careful|beware|watch out|warning)\b|注意|小心|当心|警告"),
    (
        "constraint",
        r"(?:never|always|do not|don't|you must(?: not)?|avoid)\b"
        r"|不要|禁止|必须|务必|永远不要|总是",
    ),
    ("procedure", r"to [a-z]+ .+?, (?:first |always )?(?:run|use|call|open)\b|步骤[:：]"),
)
_KINDS = tuple((kind, re.compile(form, re.IGNORECASE)) for kind, form in _FORMS)


@dataclass(frozen=True, kw_only=True)
class Extracted:
    """A claim on its way in, its scope still open."""

    content: str
    kind: ClaimKind
    origin: Origin


@dataclass(frozen=True, kw_only=True)
class Message:
    """Something that was said in a turn. ``event`` names it for good, in a replay, too."""

    event: str
    turn: str
    speaker: Speaker
    text: str

    @property
    def spoken(self) -> bool:
        """Whether a person said it to the model."""
        return self.speaker == "user" and not self.text.lstrip().startswith(COMMAND)


@dataclass(frozen=True, kw_only=True)
class TurnEnd:
    """The turn is over."""

    turn: str


def extract(text: str) -> tuple[Extracted, ...]:
    """The claims in what a person said, in order, each once; none that holds a secret.

    Questions, code, quoted lines and long sentences say nothing about the user.
    """
    found: dict[Extracted, None] = {}
    for match in _SENTENCE.finditer(_QUOTED.sub(" ", _CODE.sub(" ", text))):
        claim = _claim(match.group().strip())
        if claim is not None:
            found[claim] = None
    return tuple(found)


def _claim(sentence: str) -> Extracted | None:
    if not sentence or len(sentence) > LONGEST or sentence[-1] in "?？":
        return None
    if secret_label([sentence]) is not None:
        return None
    told = _REMEMBER.fullmatch(sentence)
    if told is not None:
        content = (told["rest"] or told["cjk"]).strip()
        return Extracted(content=content, kind=_kind(content) or "fact", origin="explicit")
    kind = _kind(sentence)
    return None if kind is None else Extracted(content=sentence, kind=kind, origin="heuristic")


def _kind(sentence: str) -> ClaimKind | None:
    return next((kind for kind, form in _KINDS if form.match(sentence)), None)


def learnable(events: Iterable[Message | TurnEnd], known: Set[str]) -> tuple[Message, ...]:
    """The messages to learn from: a person's, of turns that have ended, each once.

    Args:
        events: the session's, in order.
        known: the events that were learned from before; a replay brings them again.
    """
    waiting: dict[str, dict[str, Message]] = {}
    ended: dict[str, Message] = {}
    for event in events:
        if isinstance(event, TurnEnd):
            ended |= waiting.pop(event.turn, {})
        elif event.spoken and event.event not in known and event.event not in ended:
            waiting.setdefault(event.turn, {}).setdefault(event.event, event)
    return tuple(ended.values())
