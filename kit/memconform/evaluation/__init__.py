"""How good is what a store brings back: datasets, scorers, baselines, bootstrap, lock.

Reading order: dataset, scorers, contenders, bootstrap, report, run, evidence, lock.
"""
