"""When a recall may join a conversation, and what happens to the conversation when it can't.

Source: claim-injection, "Only the first step of a person's turn" and "Failure changes nothing".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memconform.authority.extraction import Message
from memconform.authority.injection import Injection


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of a turn, before the model is asked.

    Attributes:
        number: from 1; the later steps of a turn answer tools, not people.
        cancelled: whether the person has taken the turn back.
        messages: what the model is to see, in order.
    """

    number: int
    cancelled: bool
    messages: tuple[Message, ...]


def question(step: Step) -> str | None:
    """What a recall would be asked: the last thing a person said. None where it has no place."""
    if step.number != 1 or step.cancelled:
        return None
    said = [m.text for m in step.messages if m.spoken and m.text.strip()]
    return said[-1] if said else None


def with_recall(step: Step, recall: Callable[[str], tuple[str, Injection]]) -> Sequence[Message]:
    """The messages of a step, with the recall after them where there is one.

    Args:
        step: what is about to happen.
        recall: given the question, the message's id and the injection. Whatever it raises, the
            messages come back as they were.
    """
    asked = question(step)
    if asked is None:
        return step.messages
    try:
        id, injection = recall(asked)
    except Exception:
        return step.messages
    if not injection.ids:
        return step.messages
    turn = step.messages[-1].turn
    message = Message(event=id, turn=turn, speaker=injection.source.kind, text=injection.text)
    return (*step.messages, message)
