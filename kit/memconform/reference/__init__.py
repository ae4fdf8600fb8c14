"""Stores that satisfy the protocol over the pure rooms.

- ``filesystem``: plain files, and answers out of them.
- ``hybrid``: the same files and the same answers, out of an SQLite index that can be rebuilt.
- ``fusion``: several signals over one SQLite database.
- ``authority``: claims in SQLite, and a decision on each before it may be used.

Each module has a ``factory`` for the kit and a store class for users and notebooks.
"""
