"""Where the files that ship with the package are: in a checkout, or in an installed wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Kind = Literal["features", "openspec", "fixtures", "conformance", "schemas", "notebooks"]

PACKAGE = Path(__file__).resolve().parent
# Kind -> its folder in a checkout. In a wheel each is memconform/_data/<kind> (see pyproject.toml).
_IN_CHECKOUT: dict[Kind, str] = {
    "features": "features",
    "openspec": "docs/openspec",
    "fixtures": "fixtures",
    "conformance": "conformance",
    "schemas": "docs/schemas",
    "notebooks": "notebooks",
}


def checkout() -> Path | None:
    """The root of the checkout that this package runs from; null where it is installed.

    Only ``<root>/kit/memconform`` counts: another project's root above an installed package may
    have a pyproject.toml and features of its own.
    """
    root = PACKAGE.parent.parent
    here = PACKAGE.parent.name == "kit" and (root / "pyproject.toml").is_file()
    return root if here and (root / "features").is_dir() else None


def find(kind: Kind) -> Path:
    """The folder that holds the files of this kind.

    Raises:
        FileNotFoundError: it is not there; the installation is incomplete.
    """
    if kind not in _IN_CHECKOUT:
        raise ValueError(f"there is no kind of files {kind!r}; there are {', '.join(_IN_CHECKOUT)}")
    root = checkout()
    folder = PACKAGE / "_data" / kind if root is None else root / _IN_CHECKOUT[kind]
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is missing; install memconform again")
    return folder
