"""How tests start a pytest of their own.

The plugins of notebooks and of Hypothesis take seconds to import and have no part in the suite; a
run that is to be like that of any project leaves them in.
"""

UNRELATED = ("-p no:nbmake", "-p no:hypothesispytest", "-p no:anyio")
LIGHT = {"PYTEST_ADDOPTS": " ".join(UNRELATED)}
