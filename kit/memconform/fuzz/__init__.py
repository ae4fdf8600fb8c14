"""Random programs against a store, judged by the pure pipeline or by the core requirements.

A *program* (steps) is written choice by choice (generate) by a Hypothesis state machine (machine)
and run on an empty store (trial), where each answer is judged (foundation, core). What is broken is
an *expectation* (expect); the program is made small (shrink) and written out as a scenario
(gherkin), as messages (transcript) and as a script (script). A whole run is a *campaign*.

Hypothesis is needed for ``machine`` alone: ``memconform[fuzz]``.
"""
