"""Where the specs and features of this run are: the kit's own, or a folder of the user's.

pytest-bdd reads feature files while a test module is imported, so the plugin says where they are
before that.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from memconform.resources import find
from memconform.spec.library import Library, load, profiles_in
from memconform.suite.profiles import PROFILES


@dataclass(frozen=True)
class SuiteFolders:
    """The two folders that a suite consists of.

    Attributes:
        openspec: holds ``specs/<capability>/spec.md``.
        features: holds ``<profile>/*.feature``.
    """

    openspec: Path
    features: Path

    def library(self, profiles: Collection[str] | None = None) -> Library:
        """Specs and features, read and joined: of all profiles, or as a run of some needs them."""
        if profiles is None:
            return load(self.openspec, self.features)
        owed = [name for profile in profiles for name in PROFILES[profile].capabilities]
        return load(self.openspec, self.features, profiles, owed)

    @property
    def profiles(self) -> list[str]:
        """The profiles that have features here."""
        return profiles_in(self.features)


def installed() -> SuiteFolders:
    """The suite that the kit brings along."""
    return SuiteFolders(openspec=find("openspec"), features=find("features"))


def at(folder: Path) -> SuiteFolders:
    """A suite laid out as this project: ``features`` beside ``docs/openspec`` or ``openspec``.

    Raises:
        NotADirectoryError: one of the two isn't there.
    """
    candidates = [folder / "docs" / "openspec", folder / "openspec"]
    openspec = next((path for path in candidates if path.is_dir()), candidates[-1])
    for path in (openspec, folder / "features"):
        if not path.is_dir():
            raise NotADirectoryError(f"a suite needs a folder {path}")
    return SuiteFolders(openspec=openspec, features=folder / "features")


_current: list[SuiteFolders] = []
_chosen: list[Path] = []


def use(folders: SuiteFolders) -> None:
    """Make these the suite of the pytest session that is being configured."""
    _current[:] = [folders]


def choose(profiles: Collection[str]) -> None:
    """Let pytest collect the features of these profiles alone."""
    _chosen[:] = [current().features / profile for profile in profiles]


def chosen() -> bool:
    """Whether this pytest session is a run of the suite."""
    return bool(_current)


def current() -> SuiteFolders:
    """The suite of this pytest session; there is one where it is chosen."""
    return _current[0]


def chosen_features() -> list[Path]:
    """The folders of features that this pytest session is to collect."""
    return list(_chosen)
