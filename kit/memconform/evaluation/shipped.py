"""The datasets that come with the kit, and any other that is named by its folder."""

from __future__ import annotations

from pathlib import Path

from memconform.evaluation.dataset import MANIFEST, DatasetError
from memconform.evaluation.report import Marker
from memconform.resources import find


def names() -> list[str]:
    """The names of the shipped datasets."""
    return sorted(manifest.parent.name for manifest in find("fixtures").glob(f"*/{MANIFEST}"))


def located(text: str) -> tuple[Path, Marker]:
    """The folder that a name or a path means, and where its data comes from.

    Raises:
        DatasetError: there is neither a shipped dataset nor a folder of this name.
    """
    fixtures = find("fixtures")
    if text in names():
        return fixtures / text, "checked-in-anonymous-fixtures"
    folder = Path(text)
    if not (folder / MANIFEST).is_file():
        raise DatasetError(
            f"There is no dataset {text!r}; name a folder that holds {MANIFEST}, "
            f"or one of {', '.join(names())}."
        )
    inside = folder.resolve().parent == fixtures.resolve()
    return folder, "checked-in-anonymous-fixtures" if inside else "given-folder"
