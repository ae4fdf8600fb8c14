"""From a TARGET string to a connection: one small interface over every kind of target."""

from memconform.targets.base import Progress, Target
from memconform.targets.errors import EnvironmentFailed, UsageError
from memconform.targets.folder import implementations
from memconform.targets.resolve import resolve

__all__ = [
    "EnvironmentFailed",
    "Progress",
    "Target",
    "UsageError",
    "implementations",
    "resolve",
]
