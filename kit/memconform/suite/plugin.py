"""The pytest plugin: pytest-bdd runs the steps; what is collected and what it means is ours.

Without ``--memory-store`` the plugin does nothing. With it, a run goes

1. configure: the target is resolved and the step vocabulary is registered;
2. start: the guards look at the Gherkin documents and the steps, the target is asked who it is,
   the scenarios are chosen; then pytest collects, and its items are matched with the documents by
   identity; any finding ends the run;
3. each scenario: what isn't declared is unsupported; else the steps run against a new store;
4. the end: one event a scenario has been written, and a last one that says that it was the last.
"""

from __future__ import annotations

import gc
import os
import random
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from memconform.model import to_plain
from memconform.suite.run import CALL_LIMIT_S

if TYPE_CHECKING:
    from memconform.spec.findings import Finding
    from memconform.spec.library import Library, SuiteScenario
    from memconform.suite.recorder import Recorder
    from memconform.suite.session import TargetSession
    from memconform.suite.world import World
    from memconform.wire.watch import Hang

RESULT = "memconform-result"
FINDINGS = "memconform-findings"  # of a worker of a parallel run
LEFT_OUT = "memconform-left-out"  # likewise
SHOWN = 20  # findings; the events hold all of them


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the suite."""
    group = parser.getgroup("memconform", "conformance of a memory store")
    group.addoption("--memory-store", metavar="TARGET", help="what to certify, as memconform does")
    group.addoption("--memory-wire", action="store_true", help="talk to it over the wire")
    group.addoption("--memory-profile", action="append", default=[], metavar="P")
    group.addoption("--memory-scenario", metavar="ID", help="run this scenario alone")
    group.addoption(
        "--memory-quick",
        action="store_true",
        help="leave the @slow scenarios out, for a look in between; no verdict is made of it",
    )
    group.addoption(
        "--memory-suite",
        metavar="DIR",
        help="specs and features of your own, laid out as the kit's",
    )
    group.addoption("--memory-events", metavar="FILE", help="write events to this file")
    group.addoption(
        "--memory-shuffle", metavar="SEED", help="run the scenarios in the order of this seed"
    )
    group.addoption(
        "--memory-call-limit",
        metavar="SECONDS",
        type=float,
        default=CALL_LIMIT_S,
        help="in process, end the run when a call takes longer",
    )
    group.addoption(
        "--memory-silent", action="store_true", help="no letter for each scenario: events tell it"
    )


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


@pytest.hookimpl(tryfirst=True)
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
        from memconform.suite import location, lookup, steps
        from memconform.suite.events import EventLog
        from memconform.suite.session import TargetSession
        from memconform.targets import UsageError, resolve
        from memconform.wire.watch import CallWatch

        self.config = config
        self.is_worker = hasattr(config, "workerinput")
        wire = bool(config.getoption("--memory-wire"))
        folder = config.getoption("--memory-suite")
        try:
            targets = resolve(config.getoption("--memory-store"), wire=wire)
            self.folders = location.installed() if folder is None else location.at(Path(folder))
        except (UsageError, NotADirectoryError) as error:
            raise pytest.UsageError(str(error)) from error
        if len(targets) != 1:
            names = ", ".join(target.name for target in targets)
            raise pytest.UsageError(f"one target at a time here; choose among {names}")
        try:
            targets[0].prepare()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        location.use(self.folders)
        watch = CallWatch(config.getoption("--memory-call-limit"), self.hung)
        self.session: TargetSession = TargetSession(targets[0], watch)
        events = config.getoption("--memory-events")
        self.events = EventLog(Path(events) if events and not self.is_worker else None)
        self.library: Library  # read when it is known which profiles are run
        self.selected: dict[str, SuiteScenario] = {}
        self.scenario_of: dict[str, SuiteScenario] = {}
        self.recorders: dict[str, Recorder] = {}
        self.deselected: set[pytest.Item] = set()
        self.left_out: list[str] = []
        config.pluginmanager.register(steps, "memconform-steps")
        config.add_cleanup(lookup.install())

    # --- collection ------------------------------------------------------------------------

    def profiles(self) -> list[str]:
        """The profiles asked for, else core and what the implementation claims."""
        from memconform.suite.profiles import PROFILES

        asked = self.config.getoption("--memory-profile")
        claimed = ["core", *self.session.hello.profiles]
        # A suite of one's own may hold nothing of a profile that is claimed.
        there = asked or [name for name in claimed if name in self.folders.profiles]
        return [name for name in PROFILES if name in there]

    def step_modules(self) -> list[ModuleType]:
        """Every module whose steps pytest-bdd would run; its own debugging step apart."""
        plugins = self.config.pluginmanager.get_plugins()
        modules = [each for each in plugins if isinstance(each, ModuleType)]
        return [module for module in modules if module.__name__ != "pytest_bdd.plugin"]

    def pytest_sessionstart(self) -> None:
        """Ask who is there, audit the suite's documents, and choose what is to be run.

        Before collection, because some of what the guards look for would break it in words that
        help nobody; and in every process of a parallel run alike.
        """
        from memconform.suite import location
        from memconform.suite.guards import check, registered_steps, selected
        from memconform.targets import UsageError
        from memconform.wire.errors import WireError

        try:
            hello = self.session.hello
        except (WireError, UsageError) as error:
            blame = error.blame if isinstance(error, WireError) else "harness"
            self.events.write("unreachable", error=str(error), blame=blame)
            raise pytest.UsageError(f"the target can't be reached: {error}") from error
        profiles = self.profiles()
        location.choose(profiles)
        self.library = self.folders.library(profiles)
        if not self.is_worker:  # what starts the workers has looked already
            findings = check(self.library, registered_steps(*self.step_modules()))
            # A step that this run doesn't use is the kit's matter (memconform audit).
            self.refuse([finding for finding in findings if finding.code != "unused-step"])
        alone = self.config.getoption("--memory-scenario")
        quick = self.config.getoption("--memory-quick")
        self.selected = {
            scenario.id: scenario
            for scenario in self.library.scenarios(profiles)
            if (alone is None or alone in (scenario.id, scenario.base))
            and not (quick and scenario.slow)
        }
        self.refuse(selected(self.selected, alone or f"profile {', '.join(profiles)}"))
        self.events.write(
            "start",
            target=self.session.target.name,
            way=self.session.target.way,
            kit=_kit_version(),
            suite=self.library.digest,
            profiles=profiles,
            implementation=to_plain(hello),
            collected=[row(scenario) for scenario in self.selected.values()],
        )

    def refuse(self, findings: Sequence[Finding]) -> None:
        """End the run where the suite itself can't be trusted."""
        self.abort([str(finding) for finding in findings])

    def abort(self, lines: Sequence[str]) -> None:
        """End the run with these findings; a worker leaves it to the process that shows them."""
        if lines:
            if self.is_worker:
                self.config.workeroutput[FINDINGS] = lines  # type: ignore[attr-defined] # by xdist
            self.events.write("abort", findings=lines)
            more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
            shown = "\n".join([*lines[:SHOWN], *more])
            raise pytest.UsageError(f"the suite itself is at fault:\n{shown}")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of a parallel run has ended; what it found in its collection ends the run."""
        output = getattr(node, "workeroutput", {})
        self.leave_out(output.get(LEFT_OUT, []))
        self.abort(output.get(FINDINGS, []))

    def leave_out(self, ids: Sequence[str]) -> None:
        """Scenarios that pytest was told not to run: allowed, and no verdict comes of it."""
        if not ids or self.left_out:  # every worker of a parallel run says the same
            return
        self.left_out = list(ids)
        if self.is_worker:
            self.config.workeroutput[LEFT_OUT] = self.left_out  # type: ignore[attr-defined] # by xdist
        self.events.write("selection", leftOut=self.left_out, by=_selection(self.config))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say that a selection is no measurement, however green it is."""
        if self.left_out and not self.is_worker:
            terminalreporter.write_line(
                f"memconform: not measured: {len(self.left_out)} of {len(self.selected)} scenarios "
                f"were left out ({_selection(self.config)}); a verdict needs all of them."
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Collect the suite's own module by the kit's names; every other file as always."""
        from memconform.suite.collection import MODULE, SuiteModule

        found = yield
        if file_path.name != MODULE.name or not file_path.samefile(MODULE):
            return found
        return [SuiteModule.from_parent(parent, path=file_path)]

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Remember what is left out openly, as by ``-k``; whatever else is missing is a finding."""
        self.deselected.update(items)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Match what was collected with the documents, and keep what was chosen.

        Before anybody leaves an item out, because which row of an outline an item is shows only
        among all of them; and after everybody has.
        """
        from memconform.suite.collection import identify
        from memconform.suite.guards import compare

        mine = identify(items, self.library)
        yield
        expected = [scenario.id for scenario in self.library.scenarios()]
        there = [item for item in items if item in mine]
        left_out = [item for item in mine if item in self.deselected and item not in set(there)]
        self.refuse(compare(expected, [mine[item].id for item in (*there, *left_out)]))
        self.leave_out([mine[item].id for item in left_out if mine[item].id in self.selected])
        keep = [item for item in items if item not in mine or mine[item].id in self.selected]
        self.config.hook.pytest_deselected(items=[item for item in items if item not in keep])
        items[:] = shuffled(keep, mine, self.config.getoption("--memory-shuffle"))
        self.scenario_of = {item.nodeid: mine[item] for item in keep if item in mine}

    def pytest_collection_finish(self) -> None:
        """What was collected stays to the end, so the garbage collector may pass it by."""
        gc.freeze()

    # --- one scenario ----------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start recording; what needs an undeclared capability is unsupported, never passed."""
        from memconform.suite.recorder import Recorder

        scenario = self.scenario_of.get(item.nodeid)
        if scenario is None:
            return
        hello = self.session.hello
        by_default = ("core", *hello.profiles)
        recorder = Recorder(scenario, self.session.target, by_default)
        self.recorders[item.nodeid] = recorder
        missing = [c for c in scenario.needs if c not in hello.capabilities]
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
            # Only what is unsupported may be skipped: nothing else was skipped by this suite.
            if call.excinfo is not None and not recorder.is_unsupported:
                recorder.fail(call.excinfo.value, step=f"({call.when})", prerequisite=False)
            if call.when == "teardown":
                del self.recorders[item.nodeid]
                encoded = msgspec.json.encode(recorder.result()).decode()
                item.user_properties.append((RESULT, encoded))
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.TestReport, config: pytest.Config
    ) -> tuple[str, str, str] | None:
        """No dots where nobody reads them: they would stand before what a store has printed."""
        told = report.when == "call" or report.failed or report.skipped
        if not config.getoption("--memory-silent") or not told:
            return None
        return "error" if report.failed and report.when != "call" else report.outcome, "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the result; only the process that talks to the user does."""
        if report.when != "teardown" or self.is_worker:
            return
        for name, value in report.user_properties:
            if name == RESULT:
                self.events.write("result", result=msgspec.Raw(str(value).encode()))

    def hung(self, hang: Hang) -> None:
        """A call in this process doesn't come back: say which, and end the process."""
        running = [recorder.scenario.id for recorder in self.recorders.values()]
        scenario = running[0] if running else None
        self.events.write(
            "hang",
            scenario=scenario,
            operation=hang.operation,
            seconds=hang.limit_s,
            evidence=hang.where,
        )
        where = f" in {scenario}" if scenario else ""
        sys.__stderr__.write(  # type: ignore[union-attr] # pytest has one
            f"\nmemconform: {hang.operation} did not answer within {hang.limit_s:g} seconds"
            f"{where}; add --memory-wire to run on after it. It stands here:\n{hang.where}"
        )
        sys.__stderr__.flush()  # type: ignore[union-attr] # as above
        os._exit(1)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Close the connection and say that this was all."""
        fault = self.session.close()
        error = None if fault is None else str(fault)
        self.events.write("end", exitstatus=int(exitstatus), error=error)


def _selection(config: pytest.Config) -> str:
    """The options of pytest that leave items out, as they were typed."""
    known = {"-k": config.option.keyword, "-m": config.option.markexpr}
    words = [f"{name} {value!r}" for name, value in known.items() if value]
    return " ".join(words) or "by another option of pytest"


def _kit_version() -> str:
    from memconform import __version__

    return __version__


def shuffled(
    items: Sequence[pytest.Item], mine: Mapping[pytest.Item, SuiteScenario], seed: str | None
) -> list[pytest.Item]:
    """The suite's items in the order of a seed; those of others stay where they are.

    The order depends on the seed and on the scenarios' ids alone, so that it is the same on every
    machine, in every process of a parallel run, and whatever order they were collected in.
    """
    if seed is None:
        return list(items)
    ours = sorted((item for item in items if item in mine), key=lambda item: mine[item].id)
    random.Random(seed).shuffle(ours)  # noqa: S311 - an order, no secret
    places = iter(ours)
    return [next(places) if item in mine else item for item in items]


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
