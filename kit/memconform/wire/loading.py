"""From a name to a System that runs in this process."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from memconform.protocol import System

# The reference stores, loaded when asked for: an adapter's environment holds msgspec and no more.
REFERENCES = {
    "filesystem": "memconform.reference.filesystem:factory",
    "hybrid": "memconform.reference.hybrid:factory",
    "authority": "memconform.reference.authority:factory",
    "fusion": "memconform.reference.fusion:factory",
}

# What goes around a System when the variable is set: also loaded only then.
WRAPPERS = {"MEMCONFORM_TRACE_LOG": "memconform.traces.wrap:from_environment"}


class LoadFailed(Exception):
    """A name led to no System; the message says where it went wrong and what is expected."""


def load(target: str) -> System:
    """The System of ``reference:NAME``, ``fault:NAME`` or ``python:package.module:factory``.

    Raises:
        LoadFailed: there is none.
    """
    kind, _, rest = target.partition(":")
    if kind == "reference" and rest in REFERENCES:
        return load_factory(REFERENCES[rest])
    if kind == "reference":
        raise LoadFailed(
            f"There is no reference store {rest!r}; there are {', '.join(REFERENCES)}."
        )
    if kind == "fault":
        return _faulty(rest)
    if kind == "python":
        return load_factory(rest)
    raise LoadFailed(f"{target!r} does not run in a Python process; name python:MODULE:FACTORY.")


def wrapped(system: System) -> System:
    """The System with whatever the environment puts around it, such as a trace log.

    Raises:
        LoadFailed: that can't be put around it; the message says why.
    """
    for variable, path in WRAPPERS.items():
        if os.environ.get(variable):
            module, _, name = path.partition(":")
            try:
                system = getattr(importlib.import_module(module), name)(system)
            except Exception as error:
                raise LoadFailed(f"{variable} is set and can't be obeyed: {error}") from error
    return system


def _faulty(name: str) -> System:
    from memconform.faults import UnknownFault, fault

    try:
        return fault(name).system()
    except UnknownFault as error:
        raise LoadFailed(str(error)) from error


def load_factory(path: str) -> System:
    """The System that ``package.module:factory`` is or returns; the working folder is searched too.

    Raises:
        LoadFailed: the module can't be imported, has no such name, or that is and returns no
            System.
    """
    module_name, colon, name = path.partition(":")
    if not colon or not module_name or not name:
        raise LoadFailed(f"{path!r} is no factory; write package.module:factory.")
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise LoadFailed(
            f"{module_name} can't be imported: {type(error).__name__}: {error}."
            " Run from the folder that holds it, or install it."
        ) from error
    try:
        found = getattr(module, name)
    except AttributeError as error:
        raise LoadFailed(f"{module_name} has no {name!r}; {_there_is(module, name)}") from error
    # A class has the methods of its instances, and is no System for that.
    if isinstance(found, type) or not isinstance(found, System):
        if not callable(found):
            raise LoadFailed(f"{path} is a {type(found).__name__}, neither a System nor a factory.")
        try:
            found = found()
        except Exception as error:
            raise LoadFailed(f"{path} raised {type(error).__name__}: {error}.") from error
    if isinstance(found, type) or not isinstance(found, System):
        raise LoadFailed(
            f"{path} gave a {type(found).__name__}, which is no System:"
            " it needs the methods hello() and open(settings)."
        )
    return found


def _there_is(module: ModuleType, wanted: str) -> str:
    """What could have been meant: its own functions and systems, not what it has imported."""
    own = [name for name, value in vars(module).items() if _may_be_meant(module, name, value)]
    near = difflib.get_close_matches(wanted, own, n=2)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"it has {', '.join(own) or 'nothing that could be one'}.{meant}"


def _may_be_meant(module: ModuleType, name: str, value: Any) -> bool:
    if name.startswith("_"):
        return False
    if isinstance(value, System) and not isinstance(value, type):
        return True
    return callable(value) and getattr(value, "__module__", None) == module.__name__
