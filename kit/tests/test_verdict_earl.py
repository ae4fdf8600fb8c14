"""earl.jsonld: one assertion a scenario, in the W3C's words, whole without a network."""

import json
import re

import pytest
from hostile_reports import GONE, HOSTILE, hostile
from msgspec import structs
from verdict_fakes import failed_in_full, failure, implementation, report, result

from memconform.model.base import to_plain
from memconform.model.report import Outcome
from memconform.verdict.earl import earl, iri
from memconform.verdict.measure import unprepared


def read(told):
    return json.loads(earl(told))


def of(document, kind):
    def kinds(node):
        return [node["@type"]] if isinstance(node["@type"], str) else node["@type"]

    return [node for node in document["@graph"] if kind in kinds(node)]


@pytest.mark.parametrize(
    ("one", "outcome"),
    [
        (result("a"), "earl:passed"),
        (result("a", "failed"), "earl:failed"),
        (result("a", "unstable"), "earl:failed"),
        (result("a", "not-testable"), "earl:failed"),
        (result("a", "error"), "earl:failed"),
        (result("a", "error", failure=failure(blame="harness")), "earl:cantTell"),
        (result("a", "disputed", failure=failure()), "earl:cantTell"),
        (result("a", "unsupported", missing=["batch"]), "earl:inapplicable"),
        (result("a", "not-run"), "earl:untested"),
    ],
)
def test_outcomes_in_the_words_of_earl(one, outcome):
    told = structs.replace(report(result("a")), results=[one])
    (assertion,) = of(read(told), "earl:Assertion")
    assert assertion["result"]["outcome"] == outcome


def test_an_assertion_says_who_found_what_of_whom_by_which_test():
    document = read(report(result("a"), failed_in_full("tea-row[2]", must=False)))
    (kit,), (subject,) = of(document, "earl:Assertor"), of(document, "earl:TestSubject")
    assert kit["name"] == "memconform"
    assert kit["release"]["revision"] == "0.1.0"
    assert "doap:Project" in subject["@type"]
    assert (subject["name"], subject["release"]["revision"]) == ("tiny-store", "1.2.3")
    _, assertion = of(document, "earl:Assertion")
    assert assertion["assertedBy"] == kit["@id"]
    assert assertion["subject"] == subject["@id"]
    assert assertion["mode"] == "earl:automatic"
    assert assertion["test"] == {
        "@id": "urn:memconform:scenario:memory-core/tea-row%5B2%5D",
        "@type": "earl:TestCase",
        "title": "Tea row[2]",
        "partOf": "urn:memconform:requirement:memory-core/forgotten-is-gone",
        "m:profile": "core",
        "m:keyword": "SHOULD",
    }
    assert assertion["result"]["info"] == (
        "failed: expected “tea” not to be found by the words “green tea”; seen its id is hit 1"
    )
    assert assertion["result"]["date"] == "2026-01-02T03:04:05Z"
    assert "@id" not in assertion  # two documents can be put together
    (run,) = of(document, "m:Run")
    assert [(each["m:profile"], each["m:is"]) for each in run["m:verdict"]] == [
        ("core", "conformant")
    ]


def test_every_term_is_defined_in_the_document_itself():
    """Nothing has to be fetched, and no key is dropped by a reader as unknown."""
    for told in (report(result("a"), failed_in_full()), hostile()):
        document = read(told)
        context = document["@context"]
        assert isinstance(context, dict)
        assert all(term == "@graph" or term in context for term in set(keys(document["@graph"])))
        prefixes = {name for name, value in context.items() if isinstance(value, str)}
        assert {"earl", "doap", "dct", "m", "xsd"} == prefixes


def keys(node):
    if isinstance(node, dict):
        for key, inner in node.items():
            if not key.startswith("@"):
                yield "m" if key.startswith("m:") else key
            yield from keys(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from keys(inner)


def test_each_scenario_is_one_test_and_each_requirement_one_node():
    told = report(*(result(f"s[{n}]") for n in range(1, 12)), failed_in_full(requirement="other"))
    document = read(told)
    tests = [assertion["test"] for assertion in of(document, "earl:Assertion")]
    assert len({test["@id"] for test in tests}) == len(told.results) == 12
    wanted = {node["@id"] for node in of(document, "earl:TestRequirement")}
    assert {test["partOf"] for test in tests} == wanted
    assert len(wanted) == 2


def test_names_are_iris_whatever_they_name():
    for text in (HOSTILE, "x" * 2**20, "茶 [1]", "a:b#c?d"):
        told = iri("scenario", text)
        assert re.fullmatch(r"urn:memconform:scenario:([A-Za-z0-9./_~-]|%[0-9A-F]{2})+", told)
        assert len(told) < 5000
    assert iri("scenario", "x" * 300 + "a") != iri("scenario", "x" * 300 + "b")


@pytest.mark.parametrize(
    ("homepage", "kept"),
    [
        ("https://store.example/?a=1#top", True),
        ("javascript:alert(1)", False),
        ("https://store.example/ x", False),
        ("https://[\u202e", False),
        (None, False),
    ],
)
def test_a_homepage_is_a_name_only_if_it_is_one(homepage, kept):
    who = to_plain(implementation(homepage=homepage))
    (subject,) = of(read(report(result("a"), implementation=who)), "earl:TestSubject")
    assert subject.get("homepage") == (homepage if kept else None)


def test_a_hostile_report_stays_data():
    text = earl(hostile()).decode()
    assert [character for character in GONE if character in text] == []
    document = json.loads(text)
    assert len(of(document, "earl:Assertion")) == len(hostile().results)
    assert "date" not in of(document, "m:Run")[0]  # what it says of its time is no time


def test_what_measured_nothing_asserts_nothing_and_says_why():
    document = read(unprepared("stdio:false", [], way="wire", error="it ended"))
    assert of(document, "earl:Assertion") == []
    assert "it ended" in of(document, "m:Run")[0]["info"]


def test_it_is_the_same_again():
    assert earl(hostile()) == earl(hostile())


def test_every_outcome_has_a_word():
    for outcome in Outcome:
        told = structs.replace(failed_in_full(), outcome=outcome)
        assert earl(structs.replace(report(result("a")), results=[told]))
