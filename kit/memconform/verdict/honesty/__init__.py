"""Looks, beside the scenarios, at whether an implementation is what it says it is.

The scenarios take its word: what it declares is asked for, what it answers is taken for the
system's answer. Here the word itself is looked at: does each declared capability work at all, and
is each other one refused; are the answers the system's, or the kit's own, or the adapter's.
"""

from memconform.verdict.honesty.all import look, with_probes

__all__ = ["look", "with_probes"]
