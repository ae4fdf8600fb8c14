"""messages.ndjson: the report as Cucumber Messages, one envelope a line, for whatever reads them.

Written from the features and the report, not by the test runner: the sources, documents and
pickles are those of the official parser and compiler, what came of them is what the report says.
"""

from memconform.verdict.messages.stream import NAME, PROTOCOL, messages

__all__ = ["NAME", "PROTOCOL", "messages"]
