"""The pytest plugin: pytest-bdd runs the steps; what is collected and what it means is ours.

Without ``--memory-store`` the plugin does nothing. With it, a run goes

1. configure: the target is resolved, asked who it is, and the step vocabulary is registered;
2. collection: the nine guards look at the Gherkin documents, the items are matched with them by
   identity, and what belongs to other profiles is deselected; any finding ends the run;
3. each scenario: what isn't declared is unsupported; else the steps run against a new store;
4. the end: one event a scenario has been written, and a last one that says that it was the last.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from memconform.spec.library import Library, SuiteScenario
    from memconform.suite.recorder import Recorder
    from memconform.suite.session import TargetSession
    from memconform.suite.world import World

RESULT = "memconform-result"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the suite."""
    group = parser.getgroup("memconform", "conformance of a memory store")
    group.addoption("--memory-store", metavar="TARGET", help="what to certify, as memconform does")
    group.addoption("--memory-wire", action="store_true", help="talk to it over the wire")
    group.addoption("--memory-profile", action="append", default=[], metavar="P")
    group.addoption("--memory-scenario", metavar="ID", help="run this scenario alone")
    group.addoption("--memory-events", metavar="FILE", help="write events to this file")


def pytest_configure(config: pytest.Config) -> None:
    """Register the suite's own plugin where a target is named."""
    for marker in (
        "req(id): the requirement that a scenario belongs to",
        "needs(capability): a capability without which a scenario is unsupported",
        "level(name): behaviour, explain or exact",
        "defect(id): a recorded defect that a scenario is about",
        "must: decides the verdict",
        "should: is listed, never decides",
        "slow: volume or many processes",
    ):
        config.addinivalue_line("markers", marker)
    if config.getoption("--memory-store"):
        config.pluginmanager.register(SuitePlugin(config), "memconform-suite")


def pytest_bdd_apply_tag(tag: str, function: Any) -> bool | None:
    """Turn ``@req:a/b`` into ``mark.req(id="a/b")``: a colon is no marker name for pytest."""
    name, colon, value = tag.partition(":")
    keyword = {"req": "id", "needs": "capability", "level": "name", "defect": "id"}.get(name)
    if colon and keyword is not None:
        getattr(pytest.mark, name)(**{keyword: value})(function)
        return True
    return None


class SuitePlugin:
    """One run of the suite against one target."""

    def __init__(self, config: pytest.Config) -> None:
        from memconform.suite import steps
        from memconform.suite.events import EventLog
        from memconform.suite.session import TargetSession
        from memconform.targets import UsageError, resolve

        self.config = config
        self.is_worker = hasattr(config, "workerinput")
        wire = bool(config.getoption("--memory-wire"))
        try:
            targets = resolve(config.getoption("--memory-store"), wire=wire)
            if len(targets) != 1:
                names = ", ".join(target.name for target in targets)
                raise UsageError(f"one target at a time here; choose among {names}")
            targets[0].prepare()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        self.session: TargetSession = TargetSession(targets[0])
        events = config.getoption("--memory-events")
        self.events = EventLog(Path(events) if events and not self.is_worker else None)
        self.library: Library | None = None
        self.selected: dict[str, SuiteScenario] = {}
        self.scenario_of: dict[str, SuiteScenario] = {}
        self.recorders: dict[str, Recorder] = {}
        config.pluginmanager.register(steps, "memconform-steps")

    # --- collection ------------------------------------------------------------------------

    def profiles(self) -> list[str]:
        """The profiles asked for, else core and what the implementation claims."""
        from memconform.suite.profiles import PROFILES

        asked = self.config.getoption("--memory-profile")
        claimed = ["core", *self.session.hello.profiles]
        return [name for name in PROFILES if name in (asked or claimed)]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Audit what was collected, then keep what belongs to the profiles of this run."""
        from memconform.suite.collection import identify
        from memconform.suite.guards import check, compare, registered_steps
        from memconform.spec.library import load_installed
        from memconform.suite import steps
        from memconform.wire.errors import WireError

        self.library = library = load_installed()
        try:
            hello = self.session.hello
            profiles = self.profiles()
        except WireError as error:
            self.events.write("unreachable", error=str(error), blame=error.blame)
            raise pytest.UsageError(f"the target can't be reached: {error}") from error
        mine = identify(items, library)
        every = [scenario.id for scenario in library.scenarios()]
        findings = [
            *check(library, registered_steps(steps)),
            *compare(every, [scenario.id for scenario in mine.values()]),
        ]
        if findings:
            lines = [f"{finding.where}: {finding.message}" for finding in findings]
            self.events.write("abort", findings=lines)
            raise pytest.UsageError("the suite itself is at fault:\n" + "\n".join(lines))
        belongs = {scenario.id: scenario for scenario in library.scenarios(profiles)}
        alone = self.config.getoption("--memory-scenario")
        self.selected = {
            id: scenario
            for id, scenario in belongs.items()
            if alone is None or id == alone or id.partition("[")[0] == alone
        }
        if not self.selected:
            message = f"no scenario is selected: {alone or 'no profile holds any'}"
            self.events.write("abort", findings=[message])
            raise pytest.UsageError(message)
        keep = [item for item in items if item not in mine or mine[item].id in self.selected]
        self.config.hook.pytest_deselected(items=[item for item in items if item not in keep])
        items[:] = keep
        self.scenario_of = {item.nodeid: mine[item] for item in keep if item in mine}
        self.events.write(
            "start",
            target=self.session.target.name,
            way=self.session.target.way,
            kit=_kit_version(),
            suite=library.digest,
            profiles=profiles,
            implementation=implementation_of(hello),
            collected=[row(scenario) for scenario in self.selected.values()],
        )

    # --- one scenario ----------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start recording; what needs an undeclared capability is unsupported, never passed."""
        from memconform.suite.recorder import Recorder

        scenario = self.scenario_of.get(item.nodeid)
        if scenario is None:
            return
        recorder = self.recorders[item.nodeid] = Recorder(scenario, self.session)
        try:
            missing = [c for c in scenario.needs if c not in self.session.hello.capabilities]
        except Exception as error:
            recorder.fail(error, step="opening the connection", prerequisite=False)
            raise
        if missing:
            recorder.unsupported(missing)
            pytest.skip(f"unsupported: {', '.join(missing)} not declared")

    @pytest.fixture
    def world(self, request: pytest.FixtureRequest) -> Iterator[World]:
        """The scenario's own world; its stores are closed when it ends."""
        from memconform.suite.world import World

        recorder = self.recorders[request.node.nodeid]
        connection = self.session.connection()
        connection.transcript.clear()
        recorder.connection = connection
        world = World(connection=connection, hello=self.session.hello)
        yield world
        recorder.finish(world)

    def pytest_bdd_before_scenario(self, request: pytest.FixtureRequest, scenario: Any) -> None:
        """Remember the steps, so that those never reached show too."""
        self.recorders[request.node.nodeid].begin(scenario.steps)

    def pytest_bdd_before_step_call(self, request: pytest.FixtureRequest, step: Any) -> None:
        """Tell the world under which keyword the step stands."""
        request.getfixturevalue("world").step_type = step.type

    def pytest_bdd_after_step(self, request: pytest.FixtureRequest, step: Any) -> None:
        """A step came to its end."""
        self.recorders[request.node.nodeid].step_passed()

    def pytest_bdd_step_error(
        self, request: pytest.FixtureRequest, step: Any, exception: Exception
    ) -> None:
        """A step did not."""
        self.recorders[request.node.nodeid].fail(
            exception, step=f"{step.keyword} {step.name}", prerequisite=step.type == "given"
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the result to the last report of an item, so that it survives xdist."""
        recorder = self.recorders.get(item.nodeid)
        if recorder is not None:
            recorder.seconds += call.duration
            if call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
                recorder.fail(call.excinfo.value, step=f"({call.when})", prerequisite=False)
            if call.when == "teardown":
                del self.recorders[item.nodeid]
                encoded = msgspec.json.encode(recorder.result()).decode()
                item.user_properties.append((RESULT, encoded))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the result; only the process that talks to the user does."""
        if report.when != "teardown" or self.is_worker:
            return
        for name, value in report.user_properties:
            if name == RESULT:
                self.events.write("result", result=msgspec.Raw(str(value).encode()))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Close the connection and say that this was all."""
        self.session.close()
        self.events.write("end", exitstatus=int(exitstatus), error=None)


def _kit_version() -> str:
    from memconform import __version__

    return __version__


def implementation_of(hello: Any) -> dict[str, Any]:
    """Who was measured, as the report keeps it."""
    from memconform.model import to_plain

    return dict(to_plain(hello))


def row(scenario: SuiteScenario) -> dict[str, Any]:
    """A collected scenario as the events list it."""
    return {
        "id": scenario.id,
        "profile": scenario.profile,
        "capability": scenario.capability,
        "requirement": scenario.requirement,
        "rule": scenario.rule,
        "title": scenario.title,
        "must": scenario.must,
        "level": scenario.level,
        "needs": list(scenario.needs),
        "defects": list(scenario.defects),
        "slow": scenario.slow,
    }
