"""What must never be stored: keys, tokens and passwords, found by their shape.

Text is looked at as it stands and after NFKC, since terms are stored in that form.

Source: claim-audit, "Secrets are refused before anything is stored".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_ASSIGNED = r"\s*(?:=|:|:=|=>)\s*['\"]?"
Patterns = tuple[tuple[str, re.Pattern[str]], ...]
PATTERNS: Patterns = (
    (
        "private key",
        re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    ),
    (
        "GitHub token",
        re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ),
    ("AWS access key", re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])")),
    (
        "AWS secret key",
        re.compile(
            r"(?i)aws_?(?:secret)?_?(?:access)?_?key(?:_id)?" + _ASSIGNED + r"[A-Za-z0-9/+]{16,}"
        ),
    ),
    (
        "API key",
        re.compile(
            r"(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}"
            r"|xox[abprs]-[A-Za-z0-9-]{10,})"
        ),
    ),
    (
        "API key",
        re.compile(
            r"(?i)(?:api|access|secret|auth)[ _-]?(?:key|token)"
            + _ASSIGNED
            + r"[A-Za-z0-9_./+=-]{8,}"
        ),
    ),
    ("Bearer token", re.compile(r"(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{16,}")),
    (
        "password",
        re.compile(r"(?i)(?:password|passwd|passphrase|\bpwd|密码|密碼|口令)" + _ASSIGNED + r"\S+"),
    ),
)
REDACTED = " "


def secret_label(texts: Iterable[str], patterns: Patterns = PATTERNS) -> str | None:
    """What kind of secret one of the texts holds, None for none. Never the secret itself."""
    for text in texts:
        for form in {text, unicodedata.normalize("NFKC", text)}:
            for label, pattern in patterns:
                if pattern.search(form):
                    return label
    return None


def redacted(text: str, patterns: Patterns = PATTERNS) -> str:
    """The text in NFKC without its secrets, to make terms of that may be stored."""
    text = unicodedata.normalize("NFKC", text)
    for _, pattern in patterns:
        text = pattern.sub(REDACTED, text)
    return text
