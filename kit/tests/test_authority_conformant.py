"""The stores that come with the kit conform to authority and feedback, whole profiles at once."""

import pytest

from memconform.model.report import Outcome, Verdict
from memconform.suite import run as suite_run
from memconform.verdict.measure import assemble


@pytest.mark.parametrize(
    ("target", "profile", "least"),
    [
        ("reference:authority", "authority", 250),
        ("reference:filesystem", "feedback", 30),
        ("reference:hybrid", "feedback", 30),
    ],
)
def test_a_reference_store_conforms(target, profile, least):
    ended = suite_run.run(target, [profile])
    report = assemble(ended, target=target, profiles=[profile], way="in-process")
    not_passed = [r.id for r in report.results if r.outcome is not Outcome.PASSED]
    assert not_passed == []
    assert len(report.results) >= least
    (verdict,) = report.profiles
    assert (verdict.profile, verdict.verdict) == (profile, Verdict.CONFORMANT)
