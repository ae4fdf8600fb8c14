"""OpenSpec specs and Gherkin features: parsed, joined by identity, linted.

Reading order: ``findings`` (what a complaint is), ``openspec`` and ``gherkin`` (one document each),
``library`` (all of them joined: the suite), ``links`` (has a spec changed since its feature was
last looked at?).
"""
