"""The plain reference store over a folder that can't be one.

Apart from the other small stores: whoever loads the kit's own store is told so by certify.
"""

import os
from pathlib import Path

from memconform.reference import filesystem


class Rootless:
    """It says what it is, and can't be opened."""

    def hello(self):
        return filesystem.factory().hello()

    def open(self, settings):
        return filesystem.FilesystemStore(Path(os.devnull, "root"), settings)


def factory():
    return Rootless()
