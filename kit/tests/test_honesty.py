"""The looks beside the scenarios: each adapter that isn't what it says is caught, no other one."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from verdict_fakes import report, result

from memconform.cli import run
from memconform.cli.certify import exit_code
from memconform.model.report import Probe, Verdict
from memconform.protocol import CAPABILITIES, system
from memconform.protocol.policies import policies as choose
from memconform.targets import resolve
from memconform.targets.environment import Environment
from memconform.targets.folder import FolderTarget, Manifest, Packages
from memconform.verdict import report_json
from memconform.verdict.compare import compare
from memconform.verdict.honesty import look, with_probes
from memconform.verdict.honesty.attempts import ATTEMPTS, CALLED
from memconform.verdict.honesty.borrowed import borrowed
from memconform.verdict.honesty.claims import claims
from memconform.verdict.honesty.cut_off import cut_off
from memconform.verdict.honesty.policies import policies
from memconform.verdict.summary import summary

HERE = Path(__file__).parent
DRIVER = HERE / "drivers" / "adapters.py"


@pytest.fixture(autouse=True)
def _beside_the_drivers(monkeypatch):
    monkeypatch.chdir(HERE)


def python(name):
    (target,) = resolve(f"python:drivers.adapters:{name}")
    return target


def program(name):
    (target,) = resolve(f"stdio:{sys.executable} {DRIVER} {name}")
    return target


def whose(target):
    return borrowed(target.name, lambda: target.apart({}))


def told(target):
    """What there is to say of a target's claims, by capability."""
    found = {probe.subject: probe for probe in claims(lambda: target.apart({}))}
    return {name: (p.finding, p.told) for name, p in found.items() if p.told}


# --- whose store is it -------------------------------------------------------------------------


def test_an_adapter_that_imports_the_kits_own_store_is_caught():
    probe = whose(python("borrows"))
    assert (probe.finding, probe.disqualifies) == ("borrowed", True)
    assert "has loaded memconform.reference" in probe.told


def test_one_that_hands_every_message_on_to_it_is_caught_by_its_sentences():
    probe = whose(program("proxies"))
    assert probe.finding == "borrowed"
    assert "word for word those of reference:" in probe.told
    # Sentences that only the kit's store has, as evidence.
    assert "there is no memory 'no-such-heron' in this place" in probe.evidence
    assert len(probe.evidence.splitlines()) >= 3


@pytest.mark.parametrize("target", [python("honest"), program("answers_undeclared")])
def test_a_store_of_its_own_is_not(target):
    assert whose(target).finding == "kept"


def test_the_kits_own_stores_may_answer_as_themselves():
    (target,) = resolve("reference:filesystem")
    assert whose(target).finding == "kept"


# --- does it answer without its system -----------------------------------------------------------


def folder_target(tmp_path, adapter):
    """A folder's adapter with an environment that holds one package, made without a registry."""
    import venv

    import msgspec

    environment = Environment("some-memory", ("some-memory==1.0",), tmp_path / "cache")
    venv.create(environment.folder, symlinks=True)
    (packages,) = environment.folder.glob("lib/python*/site-packages")
    (packages / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    (packages / "some_memory.py").write_text("TEXTS = {}\n", encoding="utf-8")
    folder = tmp_path / "some-memory"
    folder.mkdir()
    (folder / "adapter.py").write_text(
        f"import sys\nsys.path.append({str(HERE)!r})\n{adapter}", encoding="utf-8"
    )
    manifest = Manifest(
        name="some-memory",
        version="1.0",
        environment=Packages(packages=("some-memory==1.0",)),
    )
    return FolderTarget(
        name="some-memory",
        folder=folder,
        manifest=manifest,
        configuration=None,
        environment=environment,
    )


SERVE = "import memconform\nfrom drivers import adapters\nmemconform.serve(adapters.honest)\n"


def test_an_adapter_that_never_touches_its_package_is_caught(tmp_path):
    probe = cut_off(folder_target(tmp_path, SERVE), {})
    assert (probe.finding, probe.disqualifies) == ("own memory", True)
    assert probe.told.startswith("Without the packages that its manifest lists, it still keeps")


def test_an_adapter_that_needs_its_package_is_not(tmp_path):
    target = folder_target(tmp_path, f"import some_memory\n{SERVE}")
    connection = target.connect()
    assert connection.hello().name == "notes"  # with the package it answers
    connection.close()
    assert cut_off(target, {}).finding == "kept"


@pytest.mark.parametrize(
    ("name", "finding"), [("remote", "kept"), ("remote_for_show", "own memory")]
)
def test_a_variable_cuts_the_adapter_off(name, finding):
    probe = cut_off(program(name), {"NOTES_URL": "http://127.0.0.1:9"})
    assert probe.finding == finding
    if finding == "own memory":
        assert probe.told.startswith("With NOTES_URL=http://127.0.0.1:9, it still keeps a memory")


def test_a_manifest_may_name_the_variable(tmp_path):
    target = folder_target(tmp_path, f"import some_memory\n{SERVE}")
    from memconform.targets.folder import CutOff

    manifest = Manifest(
        name="some-memory", version="1.0", cut_off=CutOff(env={"NOTES_URL": "http://127.0.0.1:9"})
    )
    probe = cut_off(replace(target, manifest=manifest), {})
    assert probe.told.startswith("With NOTES_URL=http://127.0.0.1:9")


def test_a_store_whose_files_are_gone_must_not_know_them_after_a_restart():
    assert cut_off(program("on_disk"), {}).finding == "kept"
    probe = cut_off(program("on_disk_for_show"), {})
    assert probe.finding == "own memory"
    assert "the folder that held its files was moved away" in probe.told


def test_what_could_not_be_looked_at_is_said_of_a_program_alone():
    """An imported store is the system itself: there is nothing it could be cut off from."""
    probe = cut_off(program("honest"), {})
    assert (probe.finding, probe.disqualifies) == ("not looked at", False)
    assert "--cut-off NAME=VALUE" in probe.told
    assert cut_off(python("honest"), {}).told == ""


# --- capabilities --------------------------------------------------------------------------------


def test_an_honest_store_has_nothing_told_of_it():
    assert told(python("honest")) == {}


@pytest.mark.parametrize(
    ("capabilities", "choices", "words"),
    [
        (["context"], {}, "context is declared, but context is not among the surfaces"),
        (["listing"], {"surfaces": ["recall", "get"]}, "listing is declared, but list is not"),
        ([], {"surfaces": ["recall", "get", "graph"]}, "graph is among the surfaces, but graph is"),
        ([], {"surfaces": ["recall"]}, "get is not among the surfaces, though every store has it."),
        (["eventual"], {}, "the consistency is immediate, but eventual is declared."),
        (
            ["eventual"],
            {"consistency": "bounded"},
            "the consistency is bounded, but no bound is given.",
        ),
        (
            [],
            {"consistency": "bounded", "consistency_bound_ms": 100},
            "the consistency is bounded, but eventual is not declared.",
        ),
        (["budget"], {}, "budget is declared, but no unit that it is counted in."),
    ],
)
def test_a_contradiction_in_what_is_declared_is_told(capabilities, choices, words):
    declared = system(
        print, name="x", version="1", capabilities=capabilities, policies=choose(**choices)
    ).hello()
    (found,) = policies(declared)
    assert (found.subject, found.finding, found.disqualifies) == (
        "policies",
        "contradictory",
        False,
    )
    assert found.told.startswith(words)


def test_what_agrees_with_itself_is_no_finding():
    declared = system(
        print,
        name="x",
        version="1",
        capabilities=["budget", "context", "eventual", "listing"],
        policies=choose(
            surfaces=["recall", "get", "list", "context"],
            budget_unit="tokens",
            consistency="bounded",
            consistency_bound_ms=50,
        ),
    ).hello()
    assert policies(declared) == []


@pytest.mark.parametrize("name", ["filesystem", "hybrid"])
def test_the_reference_stores_declare_exactly_what_works(name):
    (target,) = resolve(f"reference:{name}")
    found = list(claims(lambda: target.apart({})))
    assert [probe.subject for probe in found] == sorted(CAPABILITIES)
    assert [probe.told for probe in found if probe.told] == []


def test_claims_that_do_not_hold_are_told():
    assert told(python("claims")) == {
        "disable": ("over-claimed", "disable is declared, but a disabled memory is found."),
        "graph": (
            "over-claimed",
            "graph is declared, but refused as unsupported: Claims has no method graph",
        ),
        "policies": (
            "contradictory",
            "graph is declared, but graph is not among the surfaces, so nothing is looked for"
            " there.",
        ),
        "supersede": (
            "over-claimed",
            "supersede is declared, but a superseded memory is found as if nothing had replaced"
            " it.",
        ),
        "tags": (
            "over-claimed",
            "tags is declared, but the tags of a memory are not shown in its hit.",
        ),
        "update": (
            "over-claimed",
            "update is declared, but refused as unsupported: Claims has no method update",
        ),
    }


def test_what_works_and_is_not_declared_is_told():
    assert told(python("hides")) == {
        "purge": ("under-claimed", "purge is not declared, but the store has a method for it."),
        "scores": ("under-claimed", "scores works, but is not declared."),
    }


def test_what_is_not_declared_must_be_refused_as_unsupported():
    assert told(program("answers_undeclared")) == {
        "context": ("under-claimed", "context works, but is not declared."),
        "mask": (
            "refused otherwise",
            "mask is not declared and not refused as unsupported, but the text of a masked memory"
            " is found.",
        ),
        # The answer is the same with it as without: nobody can say that it works.
        "purpose": (
            "refused otherwise",
            "purpose is not declared and not refused as unsupported.",
        ),
        "update": (
            "refused otherwise",
            "update is not declared, and refused as invalid instead of unsupported: not today",
        ),
    }


def test_an_attempt_that_kills_the_process_takes_no_other_with_it():
    found = told(python("dies_of_update"))
    assert set(found) == {"scores", "update"}
    assert found["scores"][0] == "over-claimed"  # comes before update
    finding, words = found["update"]
    assert finding == "broke off"
    assert "exit status 9" in words


def test_an_attempt_that_hangs_takes_no_other_with_it():
    target = replace(python("sleeps_at_update"), time_limit_s=2.0)
    probes = list(claims(lambda: target.apart({})))
    assert [probe.subject for probe in probes] == sorted(CAPABILITIES)
    (update,) = [probe for probe in probes if probe.told]
    assert (update.subject, update.finding) == ("update", "broke off")
    assert "No answer came within 2 seconds" in update.told


def test_a_store_that_finds_nothing_can_not_be_tried():
    (target,) = resolve("python:cli_stores:finds_nothing")
    (probe,) = claims(lambda: target.apart({}))
    assert (probe.subject, probe.finding) == ("probes", "broke off")
    assert "a memory written is not found by its own words" in probe.told


def test_every_operation_that_needs_a_capability_is_tried_by_it():
    """So that a new operation can't be overlooked; the others are told by what they keep."""
    assert CALLED - set(ATTEMPTS) <= {
        "authority", "disclosure", "warmup", "reindex", "drop-embeddings", "eventual",
        "diagnostics", "graph", "retrieval-feedback",
    }  # fmt: skip


# --- what it makes of a report --------------------------------------------------------------------


def probe(subject, finding, words="It is so."):
    return Probe(subject=subject, finding=finding, told=words, evidence=None)


@pytest.mark.parametrize("finding", ["borrowed", "own memory"])
def test_an_adapter_that_was_caught_leaves_every_profile_not_measured(finding):
    caught = with_probes(report(result("a")), [probe("reference", finding, "Caught [b](c) <i>.")])
    assert caught.profiles[0].verdict is Verdict.NOT_MEASURED
    assert caught.profiles[0].reasons == ["Caught [b](c) <i>."]
    assert caught.profiles[0].counts["passed"] == 1
    assert report_json.read(report_json.write(caught)) == caught
    assert "- Caught \\[b\\](c) &lt;i&gt;." in summary(caught)


def test_no_baseline_makes_up_for_an_adapter_that_was_caught():
    old = report(result("a"))
    caught = with_probes(report(result("a")), [probe("cut-off", "own memory")])
    assert compare(old, caught).none
    assert exit_code(caught, compare(old, caught), alone=False) == 2


@pytest.mark.parametrize(
    "finding", ["over-claimed", "under-claimed", "refused otherwise", "broke off", "not looked at"]
)
def test_whatever_else_is_found_is_told_and_changes_no_verdict(finding):
    told = with_probes(report(result("a")), [probe("update", finding), probe("mask", "kept", "")])
    assert told.profiles[0].verdict is Verdict.CONFORMANT
    assert [each.subject for each in told.probes] == ["update"]
    assert "## What it says of itself\n\n- It is so." in summary(told)


def test_certify_looks_and_says_so(capsys, tmp_path):
    target = "python:drivers.adapters:borrows"
    arguments = ["certify", target, "--profile", "abstention", "--out", str(tmp_path)]
    assert run(arguments) == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert "? not measured" in shown
    assert "has loaded memconform.reference" in shown
    kept = report_json.load(tmp_path / "report.json")
    assert {p.subject: p.finding for p in kept.probes}["reference"] == "borrowed"
    assert not [r for r in kept.results if r.outcome.breaks]  # it would have been conformant


def test_certify_takes_the_variable_of_a_cut_off(capsys):
    arguments = ["certify", f"stdio:{sys.executable} {DRIVER} remote_for_show"]
    arguments += ["--profile", "abstention", "--json", "--cut-off", "NOTES_URL=nowhere"]
    assert run(arguments) == 2
    (told,) = json.loads(capsys.readouterr().out)["reports"]
    assert {p["subject"]: p["finding"] for p in told["probes"]}["cut-off"] == "own memory"


@pytest.mark.parametrize("text", ["NOTES_URL", "=x", "A\0=x"])
def test_a_cut_off_that_sets_no_variable_is_refused(text, capsys):
    assert run(["certify", "reference:filesystem", "--cut-off", text]) == 2
    assert "write NAME=VALUE" in capsys.readouterr().err


def test_looking_leaves_no_process_and_changes_no_variable():
    before = dict(os.environ)
    look(python("honest"))
    assert dict(os.environ) == before
