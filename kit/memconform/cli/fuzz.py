"""``fuzz``: look for programs that a store gets wrong, and write out what was found."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from memconform.cli import files
from memconform.cli.errors import Refusal
from memconform.cli.names import known_targets, library
from memconform.fuzz import gherkin
from memconform.fuzz.campaign import Ended, Finding, Options, Progress, fuzz, silent
from memconform.fuzz.script import script
from memconform.fuzz.suite import NoPlace, add, feature, title
from memconform.fuzz.transcript import transcript
from memconform.spec.findings import slugify
from memconform.targets import Target, UsageError
from memconform.verdict.layout import console, copied
from memconform.verdict.words import harmless, number, shortened
from memconform.wire.errors import WireError

NOTHING, FOUND, NOT_MEASURED = 0, 1, 2
SHOWN = 400  # characters of what was seen


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    target: str
    options: Options
    wire: bool = False
    add: Path | None = None
    out: Path | None = None


@dataclass(frozen=True, kw_only=True)
class _Page:
    """What is told of one target: where to, and with which options."""

    request: Request
    target: Target
    console: Console


def fuzz_one(request: Request) -> int:
    """Fuzz every configuration that the target names; the exit code is the worst of all."""
    _check(request)
    targets = known_targets([request.target], wire=request.wire)
    for option, folder in (("--out", request.out), ("--add", request.add)):
        if folder is not None:
            files.writable(folder, option)
    codes = [_fuzz(target, request, console()) for target in targets]
    return max(codes)


def _check(request: Request) -> None:
    if importlib.util.find_spec("hypothesis") is None:
        raise Refusal("fuzz needs Hypothesis; install memconform[fuzz].")
    options = request.options
    for name, value in (("--cases", options.cases), ("--steps", options.steps)):
        if value < 1:
            raise Refusal(f"{name} must be at least 1, not {value}.")
    if options.seconds is not None and not 0 < options.seconds < float("inf"):
        raise Refusal(f"--time must be a number of seconds above 0, not {options.seconds:g}.")


def _fuzz(target: Target, request: Request, out: Console) -> int:
    with _watching(target.name, request.options.cases) as (sentence, progress):
        try:
            target.prepare(sentence)
            ended = fuzz(target, request.options, progress=progress)
        except (UsageError, WireError) as error:
            _say(out, f"{target.name} was not measured: {error}")
            return NOT_MEASURED
    page = _Page(request=request, target=target, console=out)
    _summary(ended, page)
    for place, finding in enumerate(ended.findings, 1):
        _show(place, finding, ended, page)
    if not ended.cases:
        return NOT_MEASURED
    return FOUND if ended.findings else NOTHING


def _summary(ended: Ended, page: _Page) -> None:
    options, hello = page.request.options, ended.hello
    judge = "the pure pipeline" if ended.model else "the core requirements"
    _say(
        page.console,
        f"{page.target.name}: {harmless(hello.name)} {harmless(hello.version)}, judged by {judge}.",
    )
    told = f"{number(ended.cases, 'case')}, {number(ended.steps, 'step')}, "
    told += f"{number(ended.asked, 'question')}; seed {options.seed}, "
    told += f"{number(options.steps, 'step')} at most chosen for a case."
    _say(page.console, told)
    if ended.cases < options.cases:
        _say(page.console, f"The time was up before all {number(options.cases, 'case')}.")
    found = number(len(ended.findings), "finding") if ended.findings else "Nothing"
    _say(page.console, f"{found} found." if not ended.findings else f"{found}.")


def _show(place: int, finding: Finding, ended: Ended, page: _Page) -> None:
    out, broken = page.console, finding.broken
    out.print()
    out.print(Text(f"{place}. {broken.requirement}", style="bold"), soft_wrap=True)
    _say(out, f"   {_known(finding)}: {broken.aspect}; first in case {finding.case}.")
    _say(out, f"   expected {harmless(str(broken.expected))}")
    _say(out, f"   seen {shortened(harmless(broken.seen), SHOWN)}")
    if not finding.repeats:
        _say(out, "   It didn't show again on a store of its own; the calls stand as they were.")
    lines = gherkin.scenario(title(finding), finding.program, broken.expected)
    out.print()
    for line in lines.rstrip("\n").split("\n"):
        out.print(Text(line), soft_wrap=True)
    out.print()
    if page.request.out is not None:
        for path in _write(place, finding, ended, page):
            copied(str(path), out)
    else:
        for line in _script(finding, ended, page).rstrip("\n").split("\n"):
            copied(harmless(line), out)
    if page.request.add is not None:
        _add(finding, page)


def _known(finding: Finding) -> str:
    return library().requirements[finding.broken.requirement].title


def _script(finding: Finding, ended: Ended, page: _Page) -> str:
    return script(
        page.target.name,
        finding.program,
        finding.broken,
        wire=page.request.wire and page.target.name.startswith(files_of_this_process()),
        batch="batch" in ended.hello.capabilities,
    )


def files_of_this_process() -> tuple[str, ...]:
    """How targets begin that may be run in process or over the wire."""
    return ("reference:", "python:", "fault:")


def _write(place: int, finding: Finding, ended: Ended, page: _Page) -> Sequence[Path]:
    assert page.request.out is not None
    aspect = slugify(f"{finding.broken.requirement.partition('/')[2]} {finding.broken.aspect}")
    folder = page.request.out / page.target.slug / f"{place:02}-{aspect[:80].strip('-')}"
    texts = {
        "scenario.feature": feature(finding, library()),
        "transcript.ndjson": transcript(finding.exchanges),
        "reproduce.py": _script(finding, ended, page),
    }
    return [files.written(folder / name, text.encode()) for name, text in texts.items()]


def _add(finding: Finding, page: _Page) -> None:
    assert page.request.add is not None
    try:
        add(finding, library(), page.request.add)
    except NoPlace as error:
        raise Refusal(str(error)) from error
    words = f"memconform certify {page.target.name} --features {page.request.add}"
    copied(harmless(words), page.console)


def _say(out: Console, sentence: str) -> None:
    out.print(Text(harmless(sentence)), soft_wrap=True)


@contextmanager
def _watching(
    name: str, cases: int
) -> Iterator[tuple[Callable[[str], None], Callable[[Progress], None]]]:
    """Show how far a run has come, on standard error, while the block runs."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield (lambda told: None), silent
        return
    columns = (
        TextColumn("{task.fields[name]}", style="bold", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    with Bar(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=cases, name=shortened(harmless(name), 30))

        def told(progress: Progress) -> None:
            found = f"{number(progress.findings, 'finding')} " if progress.findings else ""
            words = shortened(f"{found}{progress.doing}", 60)
            bar.update(task, completed=progress.cases, description=words)

        yield (lambda sentence: bar.update(task, description=shortened(sentence, 60))), told
