"""How good is what a store brings back: datasets, scorers, baselines, intervals, a lock.

Reading order: dataset, shipped, scorers, contenders, bootstrap, report, frozen, lock,
configuration, run, tables, markdown.
"""
