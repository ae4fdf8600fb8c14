"""The suite as a whole: every spec and every feature, joined by identity.

The wording of a feature is written by hand; that it belongs to the spec is checked here. A
requirement is joined to the Rule with its ``@req`` tag and title, a scenario to the Scenario of
the same title under that Rule. Nothing is guessed: what doesn't fit is a finding.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memconform.spec import gherkin, openspec, tags
from memconform.spec.findings import Finding, in_order, normalise, slugify
from memconform.spec.gherkin import FeatureDoc, FeatureScenario
from memconform.spec.openspec import Requirement, Scenario, Spec

_HEAD = re.compile(r"(feature|background|rule|scenarios?|scenario outline|examples?)\s*:.*", re.I)
_STEP = re.compile(r"(given|when|then|and|but)\s.*|\*.*", re.I)
_STRICT_STEP = re.compile(r"(Given|When|Then)\s.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteScenario:
    """One scenario, or one row of an outline, as it runs and as reports know it.

    Attributes:
        id: ``capability/scenario-slug``, with ``[n]`` for the n-th example row; never changes
            while the title stays.
        profile: the folder of its feature.
        requirement: slug of its requirement.
        rule: title of its requirement.
        needs: capabilities without which it is unsupported, sorted.
        defects: ids of the recorded defects that it is about, sorted.
        path: of the feature file.
        row: number of the example row, from 1; None without Examples.
        line: of the scenario, or of its row.
    """

    id: str
    profile: str
    capability: str
    requirement: str
    rule: str
    title: str
    must: bool
    level: tags.Level
    needs: tuple[str, ...]
    defects: tuple[str, ...]
    slow: bool
    path: Path
    row: int | None
    line: int

    @property
    def base(self) -> str:
        """The id without the row: that of the scenario in the spec."""
        return self.id.partition("[")[0]


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature file in its place."""

    profile: str
    file: Path
    doc: FeatureDoc


@dataclass(frozen=True)
class Library:
    """All specs and features of one suite.

    Attributes:
        specs: sorted by capability.
        features: sorted by profile and file name.
        features_root: where the profiles' folders are.
        digest: SHA-256 over the names and normalised texts of all specs and features.
        unreadable: findings about files that aren't in ``specs`` or ``features``.
        owed: capabilities of which every requirement must have a Rule in ``features``; None where
            all features were read, and so all of them must.
    """

    specs: tuple[Spec, ...]
    features: tuple[Feature, ...]
    features_root: Path
    digest: str
    unreadable: tuple[Finding, ...]
    owed: frozenset[str] | None = None

    @property
    def profiles(self) -> list[str]:
        """Names of the folders that hold features, sorted."""
        return sorted({feature.profile for feature in self.features})

    @cached_property
    def requirements(self) -> dict[str, Requirement]:
        """Every requirement by ``capability/slug``, in the order of the specs."""
        return {f"{s.capability}/{r.slug}": r for s in self.specs for r in s.requirements}

    @cached_property
    def spec_scenarios(self) -> dict[str, Scenario]:
        """Every scenario of the specs by ``capability/slug``, in the order of the specs."""
        return {f"{s.capability}/{each.slug}": each for s in self.specs for each in s.scenarios}

    @cached_property
    def requirement_of(self) -> dict[str, str]:
        """The id of a scenario's requirement, by the scenario's id without its row."""
        return {
            f"{spec.capability}/{scenario.slug}": f"{spec.capability}/{requirement.slug}"
            for spec in self.specs
            for requirement in spec.requirements
            for scenario in requirement.scenarios
        }

    @cached_property
    def feature_scenarios(self) -> dict[str, tuple[Feature, FeatureScenario]]:
        """Every scenario of the features that is in its spec too, by its id without a row."""
        found: dict[str, tuple[Feature, FeatureScenario]] = {}
        for feature in self.features:
            for scenario in feature.doc.scenarios:
                id = scenario.id
                if id is not None and self.requirement_of.get(id) == scenario.requirement:
                    found.setdefault(id, (feature, scenario))
        return found

    def scenarios(self, profiles: Sequence[str] | None = None) -> list[SuiteScenario]:
        """The scenarios of some profiles, or of all: by profile as given, file and line.

        Raises:
            LookupError: a profile has no folder with features.
        """
        wanted = list(dict.fromkeys(self.profiles if profiles is None else profiles))
        for profile in wanted:
            if profile not in self.profiles:
                names = ", ".join(self.profiles) or "none"
                raise LookupError(f"there is no profile {profile!r}; choose among: {names}")
        return [each for profile in wanted for each in self._of_profile[profile]]

    @cached_property
    def _of_profile(self) -> dict[str, list[SuiteScenario]]:
        found: dict[str, list[SuiteScenario]] = {profile: [] for profile in self.profiles}
        for id, (feature, scenario) in self.feature_scenarios.items():
            found[feature.profile].extend(_expanded(id, feature, scenario, self.requirement_of[id]))
        return found

    def findings(self) -> list[Finding]:
        """Everything that keeps specs and features from saying the same, in order of place."""
        return in_order(
            (
                *self.unreadable,
                *(each for spec in self.specs for each in openspec.lint(spec)),
                *(each for feature in self.features for each in _document(feature.doc)),
                *self._clashes(),
                *self._join(),
            )
        )

    def _clashes(self) -> Iterator[Finding]:
        """Identities that stand in several places of one spec or of its features."""
        for spec in self.specs:
            rules: list[tuple[str, str, str]] = []
            scenarios: list[tuple[str, str, str]] = []
            for feature in self.features:
                for rule in feature.doc.rules:
                    names = [t.name for t in rule.tags if gherkin.is_requirement(t.name)]
                    where = f"{feature.doc.path}:{rule.line}"
                    rules += [
                        (n, where, rule.title) for n in names if _capability(n) == spec.capability
                    ]
                for scenario in feature.doc.scenarios:
                    if scenario.id and scenario.id.split("/")[0] == spec.capability:
                        where = f"{feature.doc.path}:{scenario.line}"
                        scenarios.append((scenario.id, where, scenario.title))
            yield from _repeated("rule", rules)
            yield from _repeated("scenario", scenarios)

    def _join(self) -> Iterator[Finding]:
        ruled: set[str] = set()
        for feature in self.features:
            for rule in feature.doc.rules:
                for tag in rule.tags:
                    if gherkin.is_requirement(tag.name) and tags.wrong(tag.name) is None:
                        id = tag.name.removeprefix(gherkin.REQUIREMENT_TAG)
                        ruled.add(id)
                        yield from self._rule(f"{feature.doc.path}:{rule.line}", rule.title, id)
            for scenario in feature.doc.scenarios:
                yield from self._scenario(feature, scenario)
        for spec in self.specs:
            if self.owed is not None and spec.capability not in self.owed:
                continue
            for requirement in spec.requirements:
                id = f"{spec.capability}/{requirement.slug}"
                if id not in ruled:
                    yield Finding(
                        "missing-rule",
                        f"{spec.path}:{requirement.line}",
                        f"Requirement {requirement.title!r} has no Rule in any feature: "
                        f"add one tagged @req:{id}.",
                    )
                    continue  # its scenarios are missing with it
                for each in requirement.scenarios:
                    if f"{spec.capability}/{each.slug}" not in self.feature_scenarios:
                        yield Finding(
                            "missing-scenario",
                            f"{spec.path}:{each.line}",
                            f"Scenario {each.title!r} has no Scenario in any feature: "
                            f"add one of this title under the rule {requirement.title!r}.",
                        )

    def _rule(self, where: str, title: str, id: str) -> Iterator[Finding]:
        requirement = self.requirements.get(id)
        if requirement is None:
            folders = {spec.capability for spec in self.specs}
            capability = id.partition("/")[0]
            yield Finding(
                "unknown-requirement",
                where,
                f"@req:{id} names no requirement of the spec {capability!r}: correct the tag."
                if capability in folders
                else f"@req:{id} names a capability that has no spec: correct the tag "
                f"or write specs/{capability}/spec.md.",
            )
        elif requirement.title != title:
            yield Finding(
                "rule-title",
                where,
                f"The rule is called {title!r}, its requirement {requirement.title!r}: "
                "give both the same title.",
            )

    def _scenario(self, feature: Feature, scenario: FeatureScenario) -> Iterator[Finding]:
        requirement = self.requirements.get(scenario.requirement or "")
        if requirement is None or scenario.id is None:
            return  # the finding about the rule or its tag says why
        where = f"{feature.doc.path}:{scenario.line}"
        told = next((s for s in requirement.scenarios if s.slug == slugify(scenario.title)), None)
        if told is None:
            elsewhere = self.requirement_of.get(scenario.id)
            place = f" (it is told under {elsewhere})" if elsewhere else ""
            yield Finding(
                "orphan-scenario",
                where,
                f"Scenario {scenario.title!r} isn't in the spec under requirement "
                f"{requirement.title!r}{place}: add it there, or take it out here.",
            )
        elif told.title != scenario.title:
            yield Finding(
                "scenario-title",
                where,
                f"The scenario is called {scenario.title!r} here and {told.title!r} in the spec: "
                "give both the same title.",
            )
        must = tags.read(scenario.tags).must
        if must and not requirement.must:
            yield Finding(
                "strength",
                where,
                f"Scenario {scenario.title!r} is tagged @must, but its requirement begins with "
                "SHOULD: tag it @should, or change the requirement.",
            )
        if must is False and requirement.must and not requirement.recommends:
            yield Finding(
                "strength",
                where,
                f"Scenario {scenario.title!r} is tagged @should, but its requirement knows no "
                "SHOULD: tag it @must, or change the requirement.",
            )


def load(
    openspec_root: Path,
    features_root: Path,
    profiles: Collection[str] | None = None,
    owed: Collection[str] = (),
) -> Library:
    """Read a whole suite, or what a run of some profiles needs of it.

    Files that can't be read become findings, never exceptions.

    Args:
        openspec_root: the folder that holds ``specs/<capability>/spec.md``.
        features_root: the folder that holds ``<profile>/*.feature``.
        profiles: parse the features of these alone; the digest is of the whole suite all the same.
            Parsing takes most of the time that a short run needs.
        owed: with profiles, the capabilities that these are made of.
    """
    openspec_root, features_root = openspec_root.resolve(), features_root.resolve()
    base = Path(os.path.commonpath((openspec_root.parent, features_root.parent)))
    loader = _Loader(base)
    specs = loader.specs(openspec_root / "specs")
    features, sources = loader.features(features_root, profiles)
    return Library(
        specs=specs,
        features=features,
        features_root=features_root,
        digest=_digest(
            (
                *((f"specs/{spec.capability}", spec.source) for spec in specs),
                *((f"features/{name}", source) for name, source in sources),
            )
        ),
        unreadable=tuple(loader.findings),
        owed=None if profiles is None else frozenset(owed),
    )


def profiles_in(features_root: Path) -> list[str]:
    """The profiles that have a feature in this folder, sorted, without reading any."""
    return sorted({path.parent.name for path in features_root.glob("*/*.feature")})


class _Loader:
    """Reads files and keeps what can't be read as findings, with paths below one folder."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self.findings: list[Finding] = []

    def specs(self, root: Path) -> tuple[Spec, ...]:
        found: list[Spec] = []
        for folder in _sorted(root.iterdir()) if root.is_dir() else ():
            if folder.is_dir() and not (folder / "spec.md").is_file():
                self._find("no-spec", folder, 1, "This folder holds no spec.md: add it.")
        for file in _sorted(root.rglob("spec.md")):
            if len(file.relative_to(root).parts) != 2:
                message = "A spec stands in a folder of its own right under specs: move it."
                self._find("misplaced-spec", file, 1, message)
            elif (source := self._text(file)) is not None:
                found.append(openspec.parse(source, file.parent.name, self._name(file)))
        if not found:
            self._find("no-specs", root, 1, "There is no spec here: nothing could be tested.")
        return tuple(found)

    def features(
        self, root: Path, profiles: Collection[str] | None
    ) -> tuple[tuple[Feature, ...], list[tuple[str, str]]]:
        """The features of some profiles, or all; and the name and text of every readable one."""
        found: list[Feature] = []
        sources: list[tuple[str, str]] = []
        for file in _sorted(root.rglob("*.feature")):
            parts = file.relative_to(root).parts
            if len(parts) != 2:
                message = "A feature stands right in the folder of its profile: move it."
                self._find("misplaced-feature", file, 1, message)
            elif (source := self._text(file)) is not None:
                name = (file.relative_to(root).as_posix(), source)
                if profiles is not None and parts[0] not in profiles:
                    sources.append(name)
                    continue
                try:
                    doc = gherkin.parse(source, self._name(file))
                except gherkin.GherkinError as error:
                    message = f"This feature can't be read: {error.message}."
                    self._find("unreadable-feature", file, error.line, message)
                else:
                    found.append(Feature(parts[0], file, doc))
                    sources.append(name)
        if not found:
            self._find("no-features", root, 1, "There is no feature here: nothing could be tested.")
        return tuple(found), sources

    def _text(self, file: Path) -> str | None:
        try:
            return normalise(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            self._find("unreadable-file", file, 1, f"This file can't be read as UTF-8: {error}.")
            return None

    def _name(self, path: Path) -> str:
        return path.relative_to(self._base).as_posix()

    def _find(self, code: str, path: Path, line: int, message: str) -> None:
        self.findings.append(Finding(code, f"{self._name(path)}:{line}", message))


def _sorted(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: path.parts)


def _digest(texts: Iterable[tuple[str, str]]) -> str:
    """Each name and text with its length before it, so that no two suites run into one."""
    total = hashlib.sha256()
    for part in (part for name_and_text in sorted(texts) for part in name_and_text):
        data = part.encode()
        total.update(f"{len(data)}:".encode() + data)
    return total.hexdigest()


def _capability(req_tag: str) -> str:
    return req_tag.removeprefix(gherkin.REQUIREMENT_TAG).partition("/")[0]


def _expanded(
    id: str, feature: Feature, scenario: FeatureScenario, requirement: str
) -> Iterator[SuiteScenario]:
    capability, _, slug = requirement.partition("/")
    meaning = tags.read(scenario.tags)
    for pickle in scenario.pickles:
        row = pickle.row
        yield SuiteScenario(
            id=id if row is None else f"{id}[{row.number}]",
            profile=feature.profile,
            capability=capability,
            requirement=slug,
            rule=scenario.rule.title if scenario.rule else "",
            title=scenario.title,
            must=meaning.must is not False,
            level=meaning.level,
            needs=meaning.needs,
            defects=meaning.defects,
            slow=meaning.slow,
            path=feature.file,
            row=None if row is None else row.number,
            line=scenario.line if row is None else row.line,
        )


def _repeated(kind: str, places: Iterable[tuple[str, str, str]]) -> Iterator[Finding]:
    """Identities that stand in more than one file; within a file ``_document`` says it."""
    first: dict[str, str] = {}
    for id, where, title in places:
        before = first.setdefault(id, where)
        if before.rpartition(":")[0] != where.rpartition(":")[0]:
            yield Finding(
                f"duplicate-{kind}",
                where,
                f"The {kind} {title!r} stands already in {before}: "
                "give each its own title, or join the two.",
            )


# --- one feature -----------------------------------------------------------------------------


def _document(doc: FeatureDoc) -> Iterator[Finding]:
    """What is wrong with one feature, whatever the specs say."""
    for code, line, message in (
        *openspec.repeated_titles("rule", ((rule.title, rule.line) for rule in doc.rules)),
        *openspec.repeated_titles("scenario", ((s.title, s.line) for s in doc.scenarios)),
        *_tags(doc),
        *_hidden(doc),
    ):
        yield Finding(code, f"{doc.path}:{line}", message)
    if not doc.scenarios:
        yield Finding(
            "empty-feature", f"{doc.path}:{doc.line}", "This feature holds no scenario: add one."
        )


_Note = tuple[str, int, str]


def _tags(doc: FeatureDoc) -> Iterator[_Note]:
    written = [
        *((tag, "a Feature") for tag in doc.tags),
        *((tag, "a Rule") for rule in doc.rules for tag in rule.tags),
        *((tag, "a Scenario") for scenario in doc.scenarios for tag in scenario.own_tags),
        *((t, "Examples") for s in doc.scenarios for table in s.examples for t in table.tags),
    ]
    for tag, place in written:
        mistake = tags.wrong(tag.name)
        if mistake:
            yield mistake[0], tag.line, mistake[1]
        if place == "Examples":
            yield (
                "tag-on-examples",
                tag.line,
                f"{tag.name} stands on Examples, where no tag is heeded: "
                "move it to the scenario, or split the scenario.",
            )
        elif gherkin.is_requirement(tag.name) and place != "a Rule":
            yield "misplaced-tag", tag.line, f"{tag.name} stands on {place}: move it to the Rule."
    for rule in doc.rules:
        count = sum(gherkin.is_requirement(tag.name) for tag in rule.tags)
        if count != 1:
            yield (
                "no-req" if count == 0 else "two-reqs",
                rule.line,
                f"Rule {rule.title!r} has {count or 'no'} @req tag{'s'[: count > 1]}: "
                "give it exactly one.",
            )
    for scenario in doc.scenarios:
        if scenario.rule is None:
            yield (
                "no-rule",
                scenario.line,
                f"Scenario {scenario.title!r} stands under no Rule: move it under one.",
            )
        for code, message in tags.contradictions(scenario.tags):
            yield code, scenario.line, f"Scenario {scenario.title!r} {message}"


def _hidden(doc: FeatureDoc) -> Iterator[_Note]:
    """Descriptions that look like steps or headings: a wrong letter there makes a test vanish."""
    for scenario in doc.scenarios:
        for line, text in scenario.description:
            if _STEP.fullmatch(text) or _HEAD.fullmatch(text):
                yield "hidden-step", line, _hidden_message(text)
    for line, text in (*doc.description, *(d for rule in doc.rules for d in rule.description)):
        if _STRICT_STEP.fullmatch(text) or _HEAD.fullmatch(text):
            yield "hidden-step", line, _hidden_message(text)


def _hidden_message(text: str) -> str:
    return (
        f"{text!r} is read as a description and never run: "
        "write the keyword as Gherkin does, or reword the line."
    )
