"""A second lexical candidate: foundation, asked in the words that the memories use, too.

People ask for the weekend and the memory says Sundays; they ask in one language and the memory is
in the other. Foundation knows no synonyms and misses those. A terminology map, declared in a file,
says which words of a query stand for which words of the memories. The query is then asked twice,
as it stands and rewritten, each time by foundation whole: scope, gate and floor are what they were,
and the floor is that of the language of what is asked. Of a record that passes both times, the
better score counts. So a map can only ever add what passes the gate by the memory's own words, and
what it adds is what an evaluation measures.

A map belongs to the data it was made for. Make it on development; its digest stands in the lock.

Source: retrieval-foundation leaves synonyms out on purpose; the map is this kit's own candidate.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec

from memconform.evaluation.contenders import Answer, PipelineContender
from memconform.evaluation.dataset import Dataset, Query
from memconform.evaluation.report import TERMINOLOGY_SCHEMA, digest
from memconform.model import RelevanceMode
from memconform.model.base import Request
from memconform.retrieval import FOUNDATION, Constants, Pipeline
from memconform.retrieval.pipeline import DEFAULT_POLICY
from memconform.retrieval.request import character_budget
from memconform.retrieval.tokens import has_cjk, normalise, words

NAME = "terminology-map"
MOST_BYTES = 1 << 20


class TerminologyError(Exception):
    """The map can't be used; the message is one sentence that says why."""


class Term(Request, frozen=True, kw_only=True):
    """Words of a query and the words of the memories that they stand for.

    Attributes:
        said: in the query: whole words, or a run of characters where the term has any CJK one.
        stored: what takes their place.
    """

    said: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    stored: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class _File(Request, frozen=True, kw_only=True):
    schema: str
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    terms: Annotated[tuple[Term, ...], msgspec.Meta(min_length=1, max_length=5_000)]


class _Version(msgspec.Struct):
    schema: Any = None


@dataclass(frozen=True)
class Terminology:
    """A map, read.

    Attributes:
        terms: what is said, in NFKC and lower case -> what is stored.
        digest: SHA-256 of the file.
    """

    name: str
    terms: Mapping[str, str]
    digest: str

    def rewritten(self, query: str) -> str:
        """The query in the words of the memories; as it was where it says none of the terms.

        At each place the longest term counts, from left to right, and what was put in is not
        looked at again.
        """
        text = normalise(query)
        found = self._pattern.sub(lambda match: f" {self.terms[match.group()]} ", text)
        return query if found == text else " ".join(found.split())

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Not a letter, figure or underscore beside it, unless that is CJK: those are no words.
        cjk = "".join(f"{chr(a)}-{chr(b)}" for a, b in FOUNDATION.cjk_ranges)
        letter = rf"[^\W{cjk}]"
        longest_first = sorted(self.terms, key=lambda said: (-len(said), said))
        return re.compile(
            "|".join(
                re.escape(said) if has_cjk(said) else rf"(?<!{letter}){re.escape(said)}(?!{letter})"
                for said in longest_first
            )
        )


def load(path: Path) -> Terminology:
    """Read a map.

    Raises:
        TerminologyError: the file isn't there, or anything about it is wrong.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise TerminologyError(f"The map {path} can't be read: {error.strerror}.") from error
    if len(data) > MOST_BYTES:
        raise TerminologyError(f"{path} is larger than {MOST_BYTES:,} bytes.")
    try:
        plain = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TerminologyError(f"{path} is no TOML: {error}.") from error
    version = msgspec.convert(plain, _Version).schema
    if version != TERMINOLOGY_SCHEMA:
        raise TerminologyError(
            f"{path} has the schema {version!r}; this kit reads {TERMINOLOGY_SCHEMA!r}."
        )
    try:
        declared = msgspec.convert(plain, _File, strict=True)
    except msgspec.ValidationError as error:
        raise TerminologyError(f"{path} is no terminology map: {error}.") from error
    return Terminology(declared.name, _checked(declared.terms, path), digest(data))


def _checked(terms: Iterable[Term], path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for term in terms:
        said = " ".join(normalise(term.said).split())
        stored = " ".join(term.stored.split())
        for text in (said, stored):
            if not _has_token(text):
                raise TerminologyError(f"{path} has a term without a letter or figure: {text!r}.")
        if said in found:
            raise TerminologyError(f"{path} has two terms for {said!r}.")
        if said == normalise(stored):
            raise TerminologyError(f"{path} puts {said!r} in its own place.")
        found[said] = stored
    return found


def _has_token(text: str, constants: Constants = FOUNDATION) -> bool:
    return has_cjk(text, constants) or any(words(normalise(text), constants))


class TerminologyContender(PipelineContender):
    """Foundation as pure functions, asked as the query stands and rewritten by a map.

    Args:
        dataset: the records and the evaluation time.
        terminology: the map.
        gate: which relevance gate.
        pipeline: how each of the two is answered.
    """

    def __init__(
        self,
        dataset: Dataset,
        terminology: Terminology,
        gate: RelevanceMode = "foundation-v1",
        *,
        pipeline: Pipeline = Pipeline(),
    ) -> None:
        super().__init__(dataset, gate, pipeline=pipeline)
        self._terminology = terminology

    def answer(self, query: Query, k: int) -> Answer:
        """The best k of both askings."""
        rewritten = self._terminology.rewritten(query.query)
        if rewritten == query.query:
            return super().answer(query, k)
        best = {each.record.id: each for each in self._retrieved(query, rewritten, k).passed}
        for each in self._retrieved(query, query.query, k).passed:
            id = each.record.id
            if id not in best or each.score >= best[id].score:
                best[id] = each
        pipeline, request = self._pipeline, self._request(query, query.query, k)
        budget = pipeline.budget(
            sorted(best.values(), key=pipeline.order_key),
            limit=pipeline.record_limit(request, DEFAULT_POLICY, pipeline.constants),
            characters=character_budget(request, pipeline.constants),
            layout=pipeline.layout,
            constants=pipeline.constants,
        )
        chosen = budget.kept
        return Answer(
            tuple(each.ranked.record.id for each in chosen),
            sum(len(each.content) for each in chosen),
            None,
            tuple(each.ranked.score for each in chosen),
        )
