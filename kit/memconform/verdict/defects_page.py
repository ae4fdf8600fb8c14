"""docs/defects.md: the defects that were found in use, their faults, and who keeps them.

``python -m memconform.verdict.defects_page --write`` writes the page from the scenarios, the seeded
faults and the reports in conformance/reports; ``--check`` says whether the one there is current.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from memconform.faults import FAULTS
from memconform.model.report import Report
from memconform.resources import find
from memconform.spec import library
from memconform.verdict import defects, report_json

PAGE = "defects.md"


def page(reports: Mapping[str, Report]) -> str:
    """docs/defects.md: one row a defect, one column a report."""
    suite = library.load(find("openspec"), find("features"))
    titles: dict[str, dict[str, str]] = {}
    for each in suite.scenarios():
        for defect in each.defects:
            titles.setdefault(defect, {})[each.base] = each.title
    told = {name: defects.by_defect(report.results) for name, report in reports.items()}
    lines = [
        "# Defects that were found in use",
        "",
        f"{len(titles)} defects of one memory system, found after it had been taken into use, by",
        "the ids under which they are known. Each is a scenario that a store without it passes,",
        "and a seeded fault that this scenario kills (`memconform explain FAULT` tells its story).",
        "`memconform certify TARGET --profile integrity` asks them of any store, and the summary",
        "that it writes answers by defect, as below.",
        "",
        "At the right are the answers in the committed reports: *not asked* names the capabilities",
        "that a store would have to declare first, *in part* those that some scenarios ask for.",
        "",
        f"| id | what a user suffers | scenarios | faults | {' | '.join(f'`{n}`' for n in told)} |",
        f"| --- | --- | --- | --- |{' --- |' * len(told)}",
    ]
    for id in defects.in_order(set(titles)):
        named = [f for f in FAULTS.values() if set(titles[id]) & set(f.killed_by)]
        cells = [
            id,
            " ".join(dict.fromkeys(f.suffers for f in named)),
            "; ".join(dict.fromkeys(titles[id].values())),
            ", ".join(f"`{f.name}`" for f in named),
            *(str(defects.answer(told[name].get(id, []))) for name in told),
        ]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def committed() -> dict[str, Report]:
    """The reports in conformance/reports, by folder."""
    folder = find("conformance") / "reports"
    return {p.parent.name: report_json.load(p) for p in sorted(folder.glob("*/report.json"))}


def main(arguments: list[str]) -> int:
    """Write the page, or check it; 1 when it is not current, 2 for a wrong call."""
    if arguments not in (["--write"], ["--check"]):
        sys.stderr.write("usage: python -m memconform.verdict.defects --write | --check\n")
        return 2
    path = find("schemas").parent / PAGE
    text = page(committed())
    if arguments == ["--write"]:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{path.name} is not current; run this with --write\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
