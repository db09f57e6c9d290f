"""A fingerprint of a failure: equal for failures that look equal, whatever their job, rank, node and time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from gpualert_slurm.classifier.lines import heard

_MASKS = (
    (re.compile(r"0x[0-9a-fA-F]+"), "H"),
    (re.compile(r"\b[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*\b"), "H"),
    (re.compile(r"(?:/[\w.@+~-]+)+/"), "/"),
    (re.compile(r"\d+(?:\.\d+)?"), "N"),
)


def mask(text: str) -> str:
    """A message without numbers, addresses and folders: two ranks' words become equal."""
    for regex, instead in _MASKS:
        text = regex.sub(instead, text)
    return " ".join(text.split())[:2000]


WINDOW_LINES = 8
_ODD = re.compile(r"\x1b\[[0-9;?]{0,32}[@-~]|[\x00-\x1f\x7f]+")
_NAMED = re.compile(
    r"""(?P<quote>['"`])[^'"`]{1,200}(?P=quote)"""
    r"|\b[\w.+-]{1,64}@[\w.-]{1,100}"  # a mail address
    r"|\b[a-z][\w-]{0,40}\d[\w-]{0,20}(?:\.[a-z][\w.-]{1,80})?"  # a host, a user, a shard: a name with a number
)


def terminal(lines: Sequence[str]) -> str:
    """The template of a log's last words: its last distinct lines without what differs between equal failures.

    Prefixes, times, numbers, addresses, folders, quoted words, hosts and users are masked; ranks that speak at once, or in another
    order, and lines that are repeated make no difference. Empty for a log that says nothing.
    """
    seen: dict[str, None] = {}
    for line in reversed(lines):
        text, _ = heard(_ODD.sub(" ", line).strip())
        if any(char.isalpha() for char in text):
            seen.setdefault(mask(_NAMED.sub("X", text)))
        if len(seen) == WINDOW_LINES:
            break
    return "\n".join(sorted(seen))


def fingerprint(mode: str, cause: str | None, detail: str | None, message: str, place: str) -> str:
    """Twelve hex digits of mode, cause, masked message and the innermost frame (its file's name and function, no line)."""
    told = "\0".join((mode, cause or "", detail or "", mask(message), place))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
