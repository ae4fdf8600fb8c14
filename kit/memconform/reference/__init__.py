"""Stores that satisfy the protocol over the pure rooms; the canonical memories are plain files.

- ``filesystem``: answers out of the files.
- ``hybrid``: the same answers out of an SQLite index that can be rebuilt from the files.

Each module has a ``factory`` for the kit and a store class for users and notebooks.
"""
