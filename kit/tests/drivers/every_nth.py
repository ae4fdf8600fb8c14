"""A pytest plugin that leaves out all but every n-th scenario of a feature, openly.

So a run is short and still has something of each feature, the first scenario at least.
"""

import os
from itertools import groupby

from pytest_bdd.scenario import scenario_wrapper_template_registry


def feature_of(item):
    return scenario_wrapper_template_registry[item.obj].feature.filename


def pytest_collection_modifyitems(config, items):
    n = int(os.environ["EVERY_NTH"])
    in_order = sorted(items, key=lambda item: (feature_of(item), item.nodeid))
    kept = {item for _, own in groupby(in_order, feature_of) for item in list(own)[::n]}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
