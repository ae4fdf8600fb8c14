"""Scenarios that the features at hand don't hold, as far as their report tells them.

A report may be older than the features, or younger. Its scenarios get a feature of their own, so
that each result has a test case whatever has become of the files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memconform.model.report import ScenarioResult, StepResult
from memconform.verdict.messages.documents import MEDIA_TYPE, Document, Ids, Message
from memconform.verdict.words import harmless

URI = "as-reported.feature"
_KEYWORDS = {"Given": "Context", "When": "Action", "Then": "Outcome"}


def as_reported(results: Sequence[ScenarioResult]) -> Document:
    """One feature that holds a scenario for each of these results."""
    writer = _Writer()
    children = [writer.scenario(result) for result in results]
    feature = {
        "location": {"line": 1, "column": 1},
        "tags": [],
        "language": "en",
        "keyword": "Feature",
        "name": writer.title,
        "description": "",
        "children": children,
    }
    source = "\n".join(writer.lines) + "\n"
    return Document(
        {"uri": URI, "data": source, "mediaType": MEDIA_TYPE},
        {"uri": URI, "feature": feature, "comments": []},
        writer.pickles,
    )


class _Writer:
    """Writes source, document and pickles side by side, so that their lines and ids agree."""

    def __init__(self) -> None:
        self.title = "As reported"
        self.lines = [f"Feature: {self.title}"]
        self.pickles: dict[str, Message] = {}
        self._ids = Ids("as-reported")

    def scenario(self, result: ScenarioResult) -> Message:
        """One scenario of the document; its pickle is kept."""
        self.lines.append("")
        tags = [self._tag(f"@{word}", place) for place, word in enumerate(_tags(result))]
        self.lines.append("  " + " ".join(tag["name"] for tag in tags))
        title = harmless(result.title)
        location = self._line(f"  Scenario: {title}", column=3)
        id, steps, pickled = self._ids.get_next_id(), [], []
        kind = "Unknown"
        for each in result.steps:
            kind = _KEYWORDS.get(each.keyword, kind)
            step = self._step(each)
            steps.append(step)
            pickled.append(
                {
                    "id": self._ids.get_next_id(),
                    "astNodeIds": [step["id"]],
                    "text": step["text"],
                    "type": kind,
                    **self._argument(step),
                }
            )
        self.pickles[result.id] = {
            "id": result.id,
            "uri": URI,
            "location": location,
            "astNodeIds": [id],
            "name": title,
            "language": "en",
            "steps": pickled,
            "tags": [{"name": tag["name"], "astNodeId": tag["id"]} for tag in tags],
        }
        return {
            "scenario": {
                "id": id,
                "location": location,
                "tags": tags,
                "keyword": "Scenario",
                "name": title,
                "description": "",
                "steps": steps,
                "examples": [],
            }
        }

    def _tag(self, name: str, place: int) -> Message:
        location = {"line": len(self.lines) + 1, "column": place + 1}
        return {"id": self._ids.get_next_id(), "location": location, "name": name}

    def _step(self, told: StepResult) -> Message:
        """A step; what stood below its words is kept as a text, whatever it was."""
        first, *below = harmless(told.text, keep="\n").split("\n")
        keyword = harmless(told.keyword)
        step: Message = {
            "location": self._line(f"    {keyword} {first}", column=5),
            "id": self._ids.get_next_id(),
            "keyword": f"{keyword} ",
            "keywordType": _KEYWORDS.get(told.keyword, "Conjunction"),
            "text": first,
        }
        if below:
            location = self._line('      """', column=7)
            self.lines += [f"      {line}" for line in below] + ['      """']
            content = "\n".join(line.strip() for line in below)
            step["docString"] = {"location": location, "content": content, "delimiter": '"""'}
        return step

    @staticmethod
    def _argument(step: Message) -> dict[str, Any]:
        if "docString" not in step:
            return {}
        return {"argument": {"docString": {"content": step["docString"]["content"]}}}

    def _line(self, text: str, *, column: int) -> Message:
        self.lines.append(text)
        return {"line": len(self.lines), "column": column}


def _tags(result: ScenarioResult) -> list[str]:
    words = [f"req:{result.capability}/{result.requirement}", "must" if result.must else "should"]
    words += [f"needs:{name}" for name in result.needs]
    return ["".join(harmless(word).split()) for word in words]
