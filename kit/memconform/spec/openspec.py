"""OpenSpec specs: a parser that keeps names and lines, and a lint for what OpenSpec lets pass.

``openspec validate --strict`` accepts a scenario without WHEN or THEN, an empty scenario beside a
good one, a title that stands twice, a scenario one heading level too deep and a requirement whose
heading lacks ``Requirement:``; its JSON output drops all titles. Titles are identities here, so
the Markdown is read again, and read more strictly.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memconform.spec.findings import Finding, in_order, normalise, slugify

PURPOSE_MINIMUM = 50  # characters; below it OpenSpec's strict validation fails too

_HEADING = re.compile(r"(#{1,6})\s+(.*?)(?:\s+#+)?\s*")
_NEARLY_HEADING = re.compile(r"\s+#{2,6}\s.*|\s*#{2,6}[A-Za-z].*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_STEP = re.compile(r"- \*\*(GIVEN|WHEN|THEN|AND)\*\*\s+(\S.*)")
_KEYWORD = re.compile(r"\b(SHALL|MUST|SHOULD)\b")
_REQUIREMENT = "Requirement:"
_SCENARIO = "Scenario:"


@dataclass(frozen=True, slots=True)
class SpecStep:
    """One bullet of a scenario.

    Attributes:
        keyword: GIVEN, WHEN, THEN or AND, as written.
        text: what follows it, wrapped lines joined by a space.
    """

    keyword: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario of a requirement.

    Attributes:
        text: everything under its heading.
        digest: SHA-256 of title and text; rewrapping and spacing don't change it.
    """

    title: str
    slug: str
    text: str
    steps: tuple[SpecStep, ...]
    digest: str
    line: int


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement.

    Attributes:
        text: what it demands, without the reason.
        why: its reason, the paragraph that begins with ``Why:``; empty if there is none.
        must: whether the first keyword of the text is SHALL or MUST. OpenSpec wants one of the two
            in each requirement, so a recommendation begins with SHOULD and says MUST later on.
    """

    title: str
    slug: str
    text: str
    why: str
    must: bool
    scenarios: tuple[Scenario, ...]
    line: int

    @property
    def recommends(self) -> bool:
        """Whether the text holds a SHOULD, so that a scenario may be tagged ``@should``."""
        return "SHOULD" in _KEYWORD.findall(self.text)


@dataclass(frozen=True, slots=True)
class Spec:
    """One capability.

    Attributes:
        capability: the name of its folder.
        path: how findings name the file.
        source: the whole file, normalised.
    """

    capability: str
    path: str
    purpose: str
    requirements: tuple[Requirement, ...]
    source: str

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios of all requirements, in their order in the file."""
        return tuple(s for requirement in self.requirements for s in requirement.scenarios)


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading and the lines down to the next heading that isn't deeper than a scenario's."""

    level: int
    title: str
    line: int
    body: tuple[tuple[int, str], ...]  # number and text of each line
    section: str  # title of the level-2 heading above, "" if there is none

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.body).strip()


def parse(source: str, capability: str, path: str | None = None) -> Spec:
    """Read a spec. Whatever doesn't keep to the grammar is left out here and named by ``lint``."""
    source = normalise(source)
    purpose = ""
    requirements: list[tuple[_Block, list[_Block]]] = []
    open_requirement = False
    for block in _blocks(source):
        if block.level == 2:
            open_requirement = False
            if block.title == "Purpose" and not purpose:
                purpose = block.text
        elif block.level == 3:
            open_requirement = block.section == "Requirements" and _named(block, _REQUIREMENT)
            if open_requirement:
                requirements.append((block, []))
        elif block.level == 4 and open_requirement and _named(block, _SCENARIO):
            requirements[-1][1].append(block)
    return Spec(
        capability=capability,
        path=path or f"{capability}/spec.md",
        purpose=purpose,
        requirements=tuple(_requirement(head, bodies) for head, bodies in requirements),
        source=source,
    )


def lint(spec: Spec) -> list[Finding]:
    """Everything about one spec that keeps it from being the ground of a suite."""
    return in_order(
        Finding(code, f"{spec.path}:{line}", message)
        for code, line, message in (
            *_shape(spec),
            *_titles(spec),
            *_strays(_blocks(spec.source)),
            *(each for requirement in spec.requirements for each in _demands(requirement)),
            *(each for scenario in spec.scenarios for each in _story(scenario)),
        )
    )


# --- reading ---------------------------------------------------------------------------------


def _lines(source: str) -> Iterator[tuple[int, str, bool]]:
    """Number and text of each line, and whether it belongs to a code fence."""
    fence = ""
    for number, line in enumerate(source.split("\n"), start=1):
        match = _FENCE.fullmatch(line)
        if not fence:
            fence = match[1] if match else ""
            yield number, line, bool(match)
            continue
        yield number, line, True
        if match and match[1].startswith(fence) and not match[2].strip():
            fence = ""


def _blocks(source: str) -> list[_Block]:
    blocks: list[_Block] = []
    body: list[tuple[int, str]] = []
    section = ""
    head: tuple[int, str, int] | None = None

    def close() -> None:
        if head is not None:
            blocks.append(_Block(*head, tuple(body), section))

    for number, line, fenced in _lines(source):
        match = None if fenced else _HEADING.fullmatch(line)
        if match is None or len(match[1]) > 4:
            body.append((number, line))
            continue
        close()
        body = []
        head = (len(match[1]), match[2], number)
        if head[0] <= 2:
            section = head[1] if head[0] == 2 else ""
    close()
    return blocks


def _named(block: _Block, prefix: str) -> bool:
    return block.title.startswith(prefix) and bool(_name(block, prefix))


def _name(block: _Block, prefix: str) -> str:
    return block.title.removeprefix(prefix).strip()


def _requirement(head: _Block, scenarios: Iterable[_Block]) -> Requirement:
    title = _name(head, _REQUIREMENT)
    demands: list[str] = []
    reasons: list[str] = []
    for paragraph in re.split(r"\n\s*\n", head.text):
        (reasons if paragraph.lstrip().startswith("Why:") else demands).append(paragraph.strip())
    text = "\n\n".join(demands)
    keyword = _KEYWORD.search(text)
    return Requirement(
        title=title,
        slug=slugify(title),
        text=text,
        why=" ".join(" ".join(reasons).split()).removeprefix("Why:").strip(),
        must=keyword is None or keyword[1] != "SHOULD",
        scenarios=tuple(_scenario(block) for block in scenarios),
        line=head.line,
    )


def _scenario(block: _Block) -> Scenario:
    title = _name(block, _SCENARIO)
    canonical = "\n".join((title, " ".join(block.text.split())))
    return Scenario(
        title=title,
        slug=slugify(title),
        text=block.text,
        steps=tuple(_steps(block)),
        digest=hashlib.sha256(canonical.encode()).hexdigest(),
        line=block.line,
    )


def _steps(block: _Block) -> Iterator[SpecStep]:
    step: SpecStep | None = None
    for number, line in block.body:
        match = _STEP.fullmatch(line.rstrip())
        if match:
            if step:
                yield step
            step = SpecStep(match[1], match[2], number)
        elif step and line.startswith("  ") and line.strip():
            step = SpecStep(step.keyword, f"{step.text} {line.strip()}", step.line)
    if step:
        yield step


# --- lint ------------------------------------------------------------------------------------

_Note = tuple[str, int, str]  # code, line, message


def _shape(spec: Spec) -> Iterator[_Note]:
    """Sections and headings."""
    yield from _markup(spec.source)
    blocks = _blocks(spec.source)
    sections = [block for block in blocks if block.level == 2]
    for name in ("Purpose", "Requirements"):
        lines = [block.line for block in sections if block.title == name]
        if not lines:
            yield "no-section", 1, f"The spec has no '## {name}' section: add one."
        for line in lines[1:]:
            yield "section-twice", line, f"'## {name}' stands twice: join the two sections."
    if len(spec.purpose) < PURPOSE_MINIMUM and any(b.title == "Purpose" for b in sections):
        line = next(block.line for block in sections if block.title == "Purpose")
        yield (
            "short-purpose",
            line,
            f"The purpose has {len(spec.purpose)} characters: "
            f"say in at least {PURPOSE_MINIMUM} what this capability is for.",
        )
    if not spec.requirements:
        yield "no-requirement", 1, "The spec has no requirement: add '### Requirement: TITLE'."
    yield from _headings(blocks)


def _markup(source: str) -> Iterator[_Note]:
    fence_line = 0
    fenced_before = False
    for number, line, fenced in _lines(source):
        if fenced and not fenced_before:
            fence_line = number
        fenced_before = fenced
        match = None if fenced else _HEADING.fullmatch(line)
        if match and len(match[1]) > 4:
            yield (
                "deep-heading",
                number,
                f"A heading of level {len(match[1])} is read by nobody: "
                "scenarios stand at level 4, '#### Scenario: TITLE'.",
            )
        elif not fenced and not match and _NEARLY_HEADING.fullmatch(line):
            yield (
                "broken-heading",
                number,
                f"{line.strip()!r} is no heading: "
                "begin the line with its '#' signs and put a space after them.",
            )
    if _fence_is_open(source):
        yield (
            "open-fence",
            fence_line,
            "This code fence never ends and hides the rest of the spec: close it.",
        )


def _fence_is_open(source: str) -> bool:
    """Whether a line added at the end would still be code."""
    return list(_lines(source + "\n"))[-1][2]


def _headings(blocks: list[_Block]) -> Iterator[_Note]:
    open_requirement = False
    for block in blocks:
        if block.level == 2:
            open_requirement = False
            if block.title not in ("Purpose", "Requirements"):
                yield (
                    "unknown-section",
                    block.line,
                    f"'## {block.title}' isn't a section of a spec: "
                    "only '## Purpose' and '## Requirements' are.",
                )
        elif block.level == 3:
            open_requirement = block.section == "Requirements" and _named(block, _REQUIREMENT)
            if block.section != "Requirements":
                yield (
                    "misplaced-heading",
                    block.line,
                    f"'### {block.title}' isn't read outside '## Requirements': move it.",
                )
            elif not open_requirement:
                yield (
                    "not-a-requirement",
                    block.line,
                    f"'### {block.title}' isn't a requirement: write '### Requirement: TITLE'.",
                )
        elif block.level == 4 and not _named(block, _SCENARIO):
            yield (
                "not-a-scenario",
                block.line,
                f"'#### {block.title}' isn't a scenario: write '#### Scenario: TITLE'.",
            )
        elif block.level == 4 and not open_requirement:
            yield (
                "misplaced-heading",
                block.line,
                f"'#### {block.title}' belongs to no requirement and isn't read: move it.",
            )


def _titles(spec: Spec) -> Iterator[_Note]:
    for kind, parts in (("requirement", spec.requirements), ("scenario", spec.scenarios)):
        yield from repeated_titles(kind, ((part.title, part.line) for part in parts))


def repeated_titles(kind: str, titles: Iterable[tuple[str, int]]) -> Iterator[_Note]:
    """Titles of one document that are no identity: empty slug, same title, same slug.

    Args:
        kind: what the titles belong to, for the message.
        titles: title and line of each, in order.
    """
    seen: dict[str, tuple[str, int]] = {}
    for title, line in titles:
        slug = slugify(title)
        if not slug:
            yield (
                "bad-title",
                line,
                f"The {kind} title {title!r} has no ASCII letter or digit to make an id of: "
                "reword it.",
            )
            continue
        before = seen.setdefault(slug, (title, line))
        if before[1] == line:
            continue
        if before[0] == title:
            yield (
                f"duplicate-{kind}",
                line,
                f"The {kind} title {title!r} already stands on line {before[1]}: "
                "give each its own title.",
            )
        else:
            yield (
                "same-slug",
                line,
                f"The {kind} titles {title!r} and {before[0]!r} (line {before[1]}) "
                f"have the same id {slug!r}: reword one.",
            )


def _demands(requirement: Requirement) -> Iterator[_Note]:
    line, title = requirement.line, requirement.title
    if not {"SHALL", "MUST"} & set(_KEYWORD.findall(requirement.text)):
        yield (
            "no-keyword",
            line,
            f"Requirement {title!r} says neither SHALL nor MUST: say what is demanded "
            "(a recommendation begins with SHOULD and says MUST later on).",
        )
    if not requirement.why:
        yield (
            "no-why",
            line,
            f"Requirement {title!r} gives no reason: add a paragraph that begins with 'Why:'.",
        )
    if not requirement.scenarios:
        yield (
            "no-scenario",
            line,
            f"Requirement {title!r} has no scenario: add '#### Scenario: TITLE'.",
        )


def _story(scenario: Scenario) -> Iterator[_Note]:
    line, title = scenario.line, scenario.title
    if not scenario.text:
        yield "empty-scenario", line, f"Scenario {title!r} is empty: write its WHEN and THEN."
        return
    keywords = [step.keyword for step in scenario.steps]
    for keyword in ("WHEN", "THEN"):
        if keyword not in keywords:
            yield (
                f"no-{keyword.lower()}",
                line,
                f"Scenario {title!r} has no {keyword}: add a bullet '- **{keyword}** ...'.",
            )
    if keywords[:1] == ["AND"]:
        yield (
            "leading-and",
            scenario.steps[0].line,
            f"Scenario {title!r} begins with AND: begin with GIVEN or WHEN.",
        )


def _strays(blocks: Iterable[_Block]) -> Iterator[_Note]:
    """Lines of scenarios that no step holds: they would be demanded and never tested."""
    for block in blocks:
        if block.level != 4 or not _named(block, _SCENARIO):
            continue
        held = False
        for number, text in block.body:
            if _STEP.fullmatch(text.rstrip()):
                held = True
            elif text.strip() and not (held and text.startswith("  ")):
                yield (
                    "stray-text",
                    number,
                    f"Scenario {_name(block, _SCENARIO)!r} holds a line that is no step: "
                    f"{text.strip()!r}; write '- **GIVEN|WHEN|THEN|AND** ...' "
                    "and indent what continues a step.",
                )
