"""``memconform init``: a small store that conforms, as a beginning for one's own.

The files are those of ``templates/LANGUAGE``, with the name put in; nothing else is decided here,
so that the same call writes the same bytes everywhere.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from memconform.cli.errors import Refusal, did_you_mean
from memconform.verdict.words import harmless

TEMPLATES = Path(__file__).resolve().parent / "templates"
# Language -> its files in the order in which they are worth reading, and the command that
# certifies them, run in their folder. The generated README shows the same command.
FILES = {
    "python": ("README.md", "store.py", "pyproject.toml"),
    "node": ("README.md", "store.js", "server.js", "package.json"),
    "mcp": ("README.md", "server.py", "mapping.toml", "requirements.txt"),
}
COMMANDS = {
    "python": "memconform certify python:store:factory --out report",
    "node": "memconform certify 'stdio:node server.js' --out report",
    "mcp": "memconform certify mcp:mapping.toml --out report",
}
# What both Python and Node packages may be called; no path and no quotation mark fits in.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")


def init_one(language: str, name: str, parent: Path) -> int:
    """Write the files into a new folder and say what to run next; returns the exit code.

    Raises:
        Refusal: there is no such language, the name won't do, the folder exists or can't be made.
    """
    if language not in FILES:
        raise Refusal(
            f"There is no template for {language!r}; there are {', '.join(FILES)}."
            f"{did_you_mean(language, FILES)}"
        )
    if not _NAME.fullmatch(name):
        raise Refusal(
            f"{name!r} can't be the name of a store; use up to 64 letters, digits, - and _,"
            " with a letter or a digit at both ends."
        )
    folder = parent / name
    texts = {file: _filled(language, file, name) for file in FILES[language]}
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()  # fails where anything is there already: nobody's files are overwritten
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
    except FileExistsError as error:
        taken = error.filename or str(folder)
        raise Refusal(f"{taken} is there already; choose another name or another --dir.") from error
    except OSError as error:
        raise Refusal(
            f"{folder} can't be written: {error.strerror or error}; choose another --dir."
        ) from error
    lines = [f"Wrote {folder / file}" for file in FILES[language]]
    lines += ["", "Next:", f"  cd {shlex.quote(str(folder))}", f"  {COMMANDS[language]}"]
    sys.stdout.write("\n".join(harmless(line) for line in lines) + "\n")
    return 0


def _filled(language: str, file: str, name: str) -> str:
    text = (TEMPLATES / language / file).read_text(encoding="utf-8")
    # npm knows names in small letters only.
    return text.replace("my-memory", name.lower() if file == "package.json" else name)
