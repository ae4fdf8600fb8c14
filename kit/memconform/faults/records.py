"""Faults of what a record becomes when it is written: defaults, and drafts that contradict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, core, foundation
from memconform.faults.seams import figure, store
from memconform.model import Record, RecordDraft
from memconform.protocol import Invalid
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.retrieval import FOUNDATION

DEFAULTS = foundation("records-get-typed-defaults")
REFUSED = foundation("contradictory-drafts-are-refused")
BAD_INPUT = core("bad-input-is-refused-and-the-server-lives")


def drafted(change: Callable[[RecordDraft], RecordDraft]) -> Seed:
    """Seeds that a draft is another one when it is read; sets the mark where it is."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Reads a draft in its own way."""

            def _create(self, draft: RecordDraft) -> Record:
                read = change(draft)
                if read != draft:
                    mark()
                return super()._create(read)

        return Store

    return store(make)


def stored(change: Callable[[Record], Record]) -> Seed:
    """Seeds that a record is another one when it is stored; sets the mark where it is."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Stores something else than what was said."""

            def _add(self, record: Record) -> None:
                kept = change(record)
                if kept != record:
                    mark()
                super()._add(kept)

        return Store

    return store(make)


def _tags_as_written(record: Record) -> Record:
    """The type of a record by its tags without NFKC and lower case."""
    names = {name for _, known in FOUNDATION.type_tags for name in known}
    kinds = {kind for kind, _ in FOUNDATION.type_tags}
    if record.type in kinds and record.tags and not names & set(record.tags):
        return msgspec.structs.replace(record, type="fact")
    return record


def _part_of_a_tag(draft: RecordDraft) -> RecordDraft:
    """A tag that holds the name of a type says that type."""
    if draft.type is not None:
        return draft
    for kind, names in FOUNDATION.type_tags:
        if any(name in tag.lower() for tag in draft.tags for name in names):
            return msgspec.structs.replace(draft, type=kind)
    return draft


def _first_tag(draft: RecordDraft) -> RecordDraft:
    """Of two tags the first says the type."""
    if draft.type is not None:
        return draft
    for tag in draft.tags:
        for kind, names in FOUNDATION.type_tags:
            if tag.lower() in names:
                return msgspec.structs.replace(draft, type=kind)
    return draft


def _tags_outweigh(draft: RecordDraft) -> RecordDraft:
    for kind, names in FOUNDATION.type_tags:
        if set(draft.tags) & set(names):
            return msgspec.structs.replace(draft, type=kind)
    return draft


def _last_source(draft: RecordDraft) -> RecordDraft:
    if draft.importance is None and len(draft.sources) > 1:
        known = dict(FOUNDATION.importance_by_source)
        last: Any = draft.sources[-1].kind
        return msgspec.structs.replace(
            draft, importance=known.get(last, FOUNDATION.importance_otherwise)
        )
    return draft


def _by_source(draft: RecordDraft) -> RecordDraft:
    """A given importance gives way to the one of the source."""
    return msgspec.structs.replace(draft, importance=None) if draft.sources else draft


def _rounded_confidence(draft: RecordDraft) -> RecordDraft:
    if draft.confidence is None:
        return draft
    return msgspec.structs.replace(draft, confidence=round(draft.confidence, 1))


def _user_scope(draft: RecordDraft) -> RecordDraft:
    if draft.scope is None and draft.workspace is not None:
        return msgspec.structs.replace(draft, scope="user")
    return draft


def _no_offset(draft: RecordDraft) -> RecordDraft:
    """The offset of a time is thrown away."""

    def local(text: str | None) -> str | None:
        return text[:-6] + "Z" if text and text[-6:-5] in ("+", "-") else text

    fields = ("created_at", "updated_at", "observed_at", "valid_from", "valid_to", "expires_at")
    return msgspec.structs.replace(draft, **{f: local(getattr(draft, f)) for f in fields})


def _no_thread(record: Record) -> Record:
    sources = [msgspec.structs.replace(s, thread_id=None, excerpt=None) for s in record.sources]
    return msgspec.structs.replace(record, sources=sources)


def _imported_is_inferred(record: Record) -> Record:
    sources = [
        msgspec.structs.replace(s, trust="inferred") if s.trust == "imported" else s
        for s in record.sources
    ]
    return msgspec.structs.replace(record, sources=sources)


def _swapped(draft: RecordDraft) -> RecordDraft:
    if draft.valid_from and draft.valid_to and draft.valid_from > draft.valid_to:
        return msgspec.structs.replace(draft, valid_from=draft.valid_to, valid_to=draft.valid_from)
    return draft


def _expiry_wins(draft: RecordDraft) -> RecordDraft:
    if draft.ttl_ms is not None and draft.expires_at is not None:
        return msgspec.structs.replace(draft, ttl_ms=None)
    return draft


def _no_lifetime(draft: RecordDraft) -> RecordDraft:
    if draft.ttl_ms is not None and draft.ttl_ms <= 0:
        return msgspec.structs.replace(draft, ttl_ms=None)
    return draft


def _placeholder(draft: RecordDraft) -> RecordDraft:
    if not draft.content.strip():
        return msgspec.structs.replace(draft, content="(no text)")
    return draft


def _clamped(draft: RecordDraft) -> RecordDraft:
    def within(value: float | None) -> float | None:
        return None if value is None else min(1.0, max(0.0, value))

    return msgspec.structs.replace(
        draft, confidence=within(draft.confidence), importance=within(draft.importance)
    )


def _unique_sources(draft: RecordDraft) -> RecordDraft:
    seen = {source.id: source for source in reversed(draft.sources) if source.id is not None}
    if len(seen) == sum(source.id is not None for source in draft.sources):
        return draft
    nameless = [source for source in draft.sources if source.id is None]
    return msgspec.structs.replace(draft, sources=(*seen.values(), *nameless))


def _known_words(draft: RecordDraft) -> RecordDraft:
    from memconform.model import MEMORY_TYPES
    from memconform.retrieval.records import AUTHORITIES, SCOPES

    return msgspec.structs.replace(
        draft,
        type=draft.type if draft.type in (None, *MEMORY_TYPES) else "fact",
        scope=draft.scope if draft.scope in (None, *SCOPES) else "workspace",
        authority=draft.authority if draft.authority in (None, *AUTHORITIES) else "reference",
    )


def _known_sources(draft: RecordDraft) -> RecordDraft:
    from memconform.retrieval.records import SOURCE_KINDS, SOURCE_TRUSTS

    return msgspec.structs.replace(
        draft,
        sources=tuple(
            msgspec.structs.replace(
                source,
                kind=source.kind if source.kind in SOURCE_KINDS else "legacy",
                trust=source.trust if source.trust in SOURCE_TRUSTS else "legacy",
            )
            for source in draft.sources
        ),
    )


def _known_times(draft: RecordDraft) -> RecordDraft:
    from memconform.retrieval.times import canonical_time

    def known(text: str | None) -> str | None:
        if text is None:
            return None
        try:
            return canonical_time(text)
        except ValueError:
            return None

    fields = ("created_at", "updated_at", "observed_at", "valid_from", "valid_to", "expires_at")
    return msgspec.structs.replace(draft, **{f: known(getattr(draft, f)) for f in fields})


def _stored_first(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Stores the text before it looks at the rest, and refuses then."""

        def _create(self, draft: RecordDraft) -> Record:
            try:
                return super()._create(draft)
            except Invalid:
                if draft.content.strip():
                    mark()
                    plain = RecordDraft(
                        content=draft.content, workspace=draft.workspace, project=draft.project
                    )
                    super()._create(plain)
                raise

    return Store


def _ids_by_the_text(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """The id of a memory is made of its first word."""

        def _create(self, draft: RecordDraft) -> Record:
            if draft.key is None and draft.content.strip():
                mark()
                word = "".join(c for c in draft.content.split()[0] if c.isascii() and c.isalnum())
                draft = msgspec.structs.replace(draft, key=word or "memory")
                self._cache.refresh()
                if (known := self._cache.records.get(draft.key or "")) is not None:
                    return known
            return super()._create(draft)

    return Store


def _default(name: str, change: str, suffers: str, seed: Seed, *killed_by: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=DEFAULTS,
        killed_by=foundation(*killed_by),
        base="filesystem",
        seed=seed,
    )


def _lenient(name: str, change: str, suffers: str, seed: Seed, *killed_by: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=REFUSED,
        killed_by=foundation(*killed_by),
        base="filesystem",
        seed=seed,
    )


def _importance(kind: str, wrong: float) -> Fault:
    """The importance of one kind of source, off by a little."""
    kinds = tuple(
        (known, wrong if known == kind else right)
        for known, right in FOUNDATION.importance_by_source
    )
    return _default(
        f"{kind}-importance-a-little-off",
        f"A source of kind {kind} gives an importance of {wrong}.",
        "Memories of two sources come in the wrong order.",
        figure(importance_by_source=kinds),
        "importance-follows-the-kind-of-the-source",
    )


FAULTS = (
    _default(
        "type-tags-as-written",
        "Tags say a type only where they are written in ordinary small letters.",
        "A preference tagged Preference is kept as a fact and never asked for as one.",
        stored(_tags_as_written),
        "a-tag-in-another-spelling-names-the-type",
    ),
    _default(
        "no-tag-names-a-type",
        "Tags say no type.",
        "Every memory is a fact.",
        figure(type_tags=()),
        "a-tag-names-the-type",
        "every-type-has-its-tags",
    ),
    _default(
        "part-of-a-tag-names-a-type",
        "A tag that holds the name of a type says this type.",
        "What is tagged indecision counts as a decision.",
        drafted(_part_of_a_tag),
        "a-tag-that-names-no-type-leaves-a-fact",
    ),
    _default(
        "the-first-tag-names-the-type",
        "Of two tags that say a type the one written first wins.",
        "The same tags in another order make another memory of it.",
        drafted(_first_tag),
        "of-two-tags-the-order-of-the-types-decides",
        "of-neighbouring-types-the-earlier-one-wins",
    ),
    _default(
        "tags-outweigh-the-type",
        "A tag that says a type outweighs the type that is given.",
        "What the user calls an episode is kept as a decision.",
        drafted(_tags_outweigh),
        "a-type-that-is-given-outweighs-the-tags",
    ),
    _importance("user", 0.79),
    _importance("file", 0.61),
    _importance("tool", 0.51),
    _importance("web", 0.41),
    _importance("inference", 0.31),
    _default(
        "importance-otherwise-a-little-off",
        "A memory without a source has an importance of 0.51.",
        "What the agent noted by itself comes before what a tool reported.",
        figure(importance_otherwise=0.51),
        "importance-follows-the-kind-of-the-source",
    ),
    _default(
        "the-last-source-says-the-importance",
        "Of several sources the last says the importance.",
        "A fact of the user's that was looked up on the web counts as web.",
        drafted(_last_source),
        "the-first-of-two-sources-says-the-importance",
    ),
    _default(
        "importance-always-by-the-source",
        "The importance that is given gives way to that of the source.",
        "What the user marks as important isn't.",
        drafted(_by_source),
        "an-importance-that-is-given-stays",
    ),
    _default(
        "web-above-file",
        "A web page gives an importance of 0.6 and a file one of 0.4.",
        "A forum answers before the project's own documents.",
        figure(
            importance_by_source=(
                ("user", 0.8),
                ("file", 0.4),
                ("tool", 0.5),
                ("web", 0.6),
                ("inference", 0.3),
            )
        ),
        "a-file-weighs-more-than-a-web-page",
    ),
    _default(
        "confidence-of-nine-tenths",
        "A memory that doesn't say has a confidence of 0.9.",
        "Plain facts are told as guesses.",
        figure(default_confidence=0.9),
        "a-plain-text-becomes-an-active-fact",
    ),
    _default(
        "confidence-in-tenths",
        "Confidence is kept in tenths.",
        "0.95 becomes certainty.",
        drafted(_rounded_confidence),
        "a-confidence-that-is-given-stays",
    ),
    _default(
        "user-is-the-default-scope",
        "A memory without a scope belongs to the user.",
        "What was said in one project is known in all.",
        drafted(_user_scope),
        "a-memory-without-a-scope-belongs-to-the-workspace",
    ),
    _default(
        "offsets-are-thrown-away",
        "The offset of a time is thrown away instead of reckoned in.",
        "A meeting at two o'clock in Rome is at two o'clock in London.",
        drafted(_no_offset),
        "a-time-that-is-given-stays-in-utc",
        "a-time-with-an-offset-is-the-same-instant",
    ),
    _default(
        "sources-lose-their-thread",
        "Thread and excerpt of a source aren't kept.",
        "Nobody can go back to where a memory came from.",
        stored(_no_thread),
        "a-source-is-kept-as-it-was-given",
    ),
    _default(
        "imported-counts-as-inferred",
        "A source that was imported is kept as inferred.",
        "An import of checked facts is told as guesswork.",
        stored(_imported_is_inferred),
        "every-trust-of-a-source-is-accepted",
    ),
    _default(
        "ids-by-the-first-word",
        "The id of a memory is its first word, and a second one of that word isn't stored.",
        "The second note that begins with 'The' is lost.",
        store(_ids_by_the_text),
        "every-memory-gets-an-id-of-its-own",
    ),
    # --- drafts that contradict ------------------------------------------------------------------
    _lenient(
        "validity-is-put-right",
        "A validity that ends before it begins is turned round.",
        "A typing error becomes a memory that is valid at the wrong time.",
        drafted(_swapped),
        "validity-that-ends-before-it-begins-is-refused",
        "validity-that-ends-a-millisecond-before-it-begins-is-refused",
    ),
    _lenient(
        "a-lifetime-gives-way-to-an-expiry",
        "Of a lifetime and an expiry the expiry is kept.",
        "The caller believes in the one and the store keeps the other.",
        drafted(_expiry_wins),
        "a-lifetime-beside-an-expiry-is-refused",
    ),
    _lenient(
        "no-lifetime-is-for-ever",
        "A lifetime of zero or less means none.",
        "What was to vanish at once stays for ever.",
        drafted(_no_lifetime),
        "a-lifetime-that-is-not-positive-is-refused",
    ),
    Fault(
        name="no-content-is-a-placeholder",
        change="A memory without content is stored with a text that says so.",
        suffers="An empty memory haunts every answer.",
        breaks=(*REFUSED, *BAD_INPUT),
        killed_by=(
            *foundation("a-memory-without-content-is-refused"),
            *core("empty-content-is-refused"),
        ),
        base="filesystem",
        seed=drafted(_placeholder),
    ),
    Fault(
        name="out-of-range-is-clamped",
        change="A confidence or importance out of range is clamped, though declared as refused.",
        suffers="A confidence of 7, meant as a percentage, becomes certainty.",
        breaks=(*REFUSED, *BAD_INPUT),
        killed_by=(
            *foundation("a-confidence-or-importance-out-of-range-is-refused"),
            *core("a-confidence-out-of-range-is-refused-or-clamped"),
        ),
        base="filesystem",
        seed=drafted(_clamped),
    ),
    _lenient(
        "nine-sources",
        "A record may have nine sources.",
        "Another store of the same design refuses what this one exports.",
        figure(source_limit=9),
        "a-ninth-source-is-refused",
    ),
    _lenient(
        "sources-of-one-id-are-one",
        "Of two sources with one id the first is kept.",
        "A source is lost without a word.",
        drafted(_unique_sources),
        "two-sources-of-one-id-are-refused",
    ),
    *(
        _lenient(
            f"{field.replace('_', '-')}-one-over",
            f"The limit called {field.replace('_', ' ')} is one character more.",
            "Another store of the same design refuses what this one exports.",
            figure(**{field: getattr(FOUNDATION, field) + 1}),
            "a-source-that-is-too-long-is-refused",
        )
        for field in ("identifier_length", "locator_length", "excerpt_length")
    ),
    _lenient(
        "unknown-words-become-the-default",
        "An unknown type, scope or authority becomes the default one.",
        "A misspelt scope makes a private memory one of the workspace.",
        drafted(_known_words),
        "a-word-that-the-design-doesn-t-know-is-refused",
    ),
    _lenient(
        "unknown-sources-are-legacy",
        "An unknown kind or trust of a source becomes legacy.",
        "A misspelt trust makes a checked fact a doubtful one.",
        drafted(_known_sources),
        "a-source-of-an-unknown-kind-or-trust-is-refused",
    ),
    Fault(
        name="unreadable-times-are-dropped",
        change="A time that is none is left out.",
        suffers="A memory with a misspelt expiry never expires.",
        breaks=(*REFUSED, *BAD_INPUT),
        killed_by=(
            *foundation("a-time-that-is-none-is-refused"),
            *core("a-time-that-is-no-time-is-refused"),
        ),
        base="filesystem",
        seed=drafted(_known_times),
    ),
    Fault(
        name="refused-and-stored",
        change="The text of a refused memory is stored all the same.",
        suffers="The caller mends the call, and the memory is there twice.",
        breaks=REFUSED,
        killed_by=foundation("a-refused-memory-leaves-nothing-behind"),
        base="filesystem",
        seed=store(_stored_first),
    ),
)
