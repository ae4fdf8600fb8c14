"""The suite as pytest sees it: every scenario of the chosen profiles, one item each.

Run it by ``memconform certify TARGET``, or in a project's own CI by
``pytest --pyargs memconform.suite --memory-store TARGET``.
"""

import pytest
from pytest_bdd import scenarios

from memconform.suite.location import chosen, chosen_features

if not chosen():
    raise pytest.Collector.CollectError(
        "memconform.suite needs a memory store to run against: add --memory-store TARGET."
    )
scenarios(*map(str, chosen_features()))
