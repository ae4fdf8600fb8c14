"""How a notebook shows the objects of the rooms below, which know nothing of HTML.

IPython keeps a table of types and functions; types are named by where they live, so nothing is
imported until an object of the type is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

# (module, type) -> the function of ``html`` that shows it.
SHOWN_BY: dict[tuple[str, str], str] = {
    ("memconform.retrieval.pipeline", "Retrieval"): "retrieval",
    ("memconform.model.trace", "Trace"): "trace",
    ("memconform.model.report", "Report"): "report",
    ("memconform.model.report", "ScenarioResult"): "scenario",
}


def register(shell: Any) -> None:
    """Teach an IPython shell to show these types; doing it again changes nothing."""
    formatter = shell.display_formatter.formatters["text/html"]
    for (module, name), function in SHOWN_BY.items():
        formatter.for_type_by_name(module, name, _by(function))


def register_here() -> None:
    """The same for the shell that this code runs in, where there is one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        register(shell)


def _by(function: str) -> Callable[[Any], str]:
    def render(told: Any) -> str:
        from memconform.workbench import html

        return str(getattr(html, function)(told))

    return render
