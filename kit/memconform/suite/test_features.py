"""The suite as pytest sees it: every scenario of every feature, one item each.

Run it by ``memconform certify TARGET``, or in a project's own CI by
``pytest --pyargs memconform.suite --memory-store TARGET``.
"""

from pytest_bdd import scenarios

from memconform.suite.location import current

scenarios(str(current().features))
