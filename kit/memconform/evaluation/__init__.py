"""How good is what a store brings back: datasets, scorers, baselines, intervals, gates, a lock.

Reading order: dataset, shipped, scorers, contenders, report, measuring, bootstrap, terminology,
frozen, rivals, gates, lock, configuration, run, tables, markdown, pictures, page.
"""
