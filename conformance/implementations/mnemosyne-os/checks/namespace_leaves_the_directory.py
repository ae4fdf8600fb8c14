"""A namespace is pasted into a path: an absolute one, or one with "..", is stored somewhere else.

Namespaces come from clients. One of them can write databases to, and read them from, any place that
the server may write to, other tenants' directories among them.
"""

import os
import sys
import tempfile

from mnemosyne import MemoryBrain

with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as elsewhere:
    seen = []
    for namespace in (elsewhere, f"../../../{os.path.basename(elsewhere)}/deeper"):
        try:
            with MemoryBrain(home, namespace=namespace) as brain:
                brain.retain("The canteen serves soup at noon")
                path = os.path.realpath(brain.store.db_path)
        except ValueError:
            continue
        if not path.startswith(os.path.realpath(home) + os.sep):
            seen.append((namespace, path))

print("expected: both namespaces refused, or kept inside the directory")
print(f"seen:     {seen}")
sys.exit(bool(seen))
