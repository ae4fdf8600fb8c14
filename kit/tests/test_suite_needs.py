"""What a scenario asks of a store stands in its tags, so that no store is failed for its silence.

A store without a clock answers a scenario that sets one with whatever its own clock says; where a
design leaves the clock to the store, such a scenario has to say that it needs one.
"""

from memconform.resources import find
from memconform.spec.library import load
from memconform.suite.profiles import PROFILES

# When something was observed is data; these decide by comparison with a clock.
TIMES = {"updated at", "valid from", "valid to", "expires at"}


def asks_for_a_clock(scenario):
    for step in scenario.steps:
        rows = step.table or ()
        if rows and (TIMES & set(rows[0]) or any(row[0] == "clock" for row in rows)):
            return True
        if step.text.startswith("the clock shows"):
            return True
    return False


def test_a_scenario_that_sets_a_clock_needs_one_where_the_design_owes_none():
    silent, seen = [], 0
    for feature in load(find("openspec"), find("features")).features:
        if "clock" not in PROFILES[feature.profile].why_optional:
            continue
        for scenario in filter(asks_for_a_clock, feature.doc.scenarios):
            seen += 1
            if not {"@needs:clock", "@needs:validity"} & set(scenario.tags):
                silent.append(f"{feature.profile}: {scenario.title}")
    assert seen > 5
    assert silent == []
