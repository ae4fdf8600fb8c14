import json

import jsonschema
import pytest
from verdict_fakes import failed_in_full, failure, report, result

from memconform.verdict.report_json import ReportError, load, read, schema, write

REPORT = report(
    result("a"),
    failed_in_full("b"),
    result("c", "unsupported", missing=["batch"]),
    result("d", "error", must=False, failure=failure(seen="\x1b[2J茶 \u202e\x00")),
)


def changed(**changes):
    plain = json.loads(write(REPORT))
    plain.update(changes)
    return json.dumps(plain).encode()


def test_a_report_comes_back_as_it_was_written():
    assert read(write(REPORT)) == REPORT


def test_a_report_keeps_to_its_published_schema():
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(write(REPORT)), schema())


def test_the_schema_refuses_a_report_without_an_outcome():
    plain = json.loads(write(REPORT))
    del plain["results"][0]["outcome"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plain, schema())


def test_text_is_written_as_it_is_and_the_file_ends_with_a_line_feed():
    data = write(REPORT)
    assert "茶".encode() in data
    assert data.endswith(b"}\n")
    assert b'\n "schema": "memconform-report-1"' in data  # indented by one


def test_free_keys_are_sorted_so_that_two_runs_give_the_same_bytes():
    def with_arguments(arguments):
        call = failed_in_full().calls[0]
        call = type(call)(**{**{n: getattr(call, n) for n in call.__struct_fields__},
                             "arguments": arguments})  # fmt: skip
        return write(report(result("a", "failed", calls=[call])))

    one = with_arguments({"b": 1, "a": {"d": 1, "c": 2}})
    assert one == with_arguments({"a": {"c": 2, "d": 1}, "b": 1})


@pytest.mark.parametrize("kept", [0, 1, 100, -2])
def test_a_truncated_report_is_refused(kept):
    with pytest.raises(ReportError, match=r"whole JSON document|is empty"):
        read(write(REPORT)[:kept])


def test_a_report_followed_by_more_is_refused():
    with pytest.raises(ReportError):
        read(write(REPORT) + b"{}")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (changed(schema="memconform-report-9"), "memconform-report-9"),
        (changed(collected=REPORT.collected[:-1]), "has a result and was not collected"),
        (changed(collected=[*REPORT.collected, "memory-core/e"]), "was collected and has no"),
        (changed(collected=REPORT.collected[::-1]), "another order"),
        (changed(collected=[*REPORT.collected, "memory-core/a"]), "collected more than once"),
        (changed(profiles=[]), "core has results and no verdict"),
        (changed(repeat=0), "tells of 0 runs"),
        (changed(repeat=-3), "tells of -3 runs"),
        (changed(score=97), "another shape"),
        (changed(results="none"), "another shape"),
        (b"\xff\xfe", "whole JSON document"),
        (b"[]", "another shape"),
    ],
)
def test_a_report_that_says_something_against_itself_is_refused(data, told):
    with pytest.raises(ReportError, match=told):
        read(data)


def test_a_refusal_is_short_whatever_a_report_holds():
    with pytest.raises(ReportError) as caught:
        read(changed(collected=[*REPORT.collected, "x" * 100_000]))
    assert len(str(caught.value)) < 500


def test_a_doubled_result_is_refused():
    plain = json.loads(write(REPORT))
    plain["results"].append(plain["results"][0])
    with pytest.raises(ReportError, match="more than one result"):
        read(json.dumps(plain).encode())


def test_a_result_made_green_by_hand_is_refused():
    plain = json.loads(write(REPORT))
    assert plain["results"][1]["outcome"] == "failed"
    plain["results"][1]["outcome"] = "passed"
    with pytest.raises(ReportError, match="memory-core/b has passed and says why it has not"):
        read(json.dumps(plain).encode())
    plain["results"][1]["failure"] = None
    with pytest.raises(ReportError, match="the MUST counts of core"):
        read(json.dumps(plain).encode())


def test_a_file_that_is_not_there_is_told_with_its_name(tmp_path):
    with pytest.raises(ReportError, match=r"nowhere\.json can't be read: No such file"):
        load(tmp_path / "nowhere.json")
    (tmp_path / "half.json").write_bytes(write(REPORT)[:500])
    with pytest.raises(ReportError, match=r"half\.json isn't a report to rely on"):
        load(tmp_path / "half.json")
