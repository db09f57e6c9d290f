"""A fingerprint of a failure: equal for failures that look equal, whatever their job, rank, node and time."""

from __future__ import annotations

import hashlib
import re

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
    return " ".join(text.split())[:300]


def fingerprint(mode: str, cause: str | None, detail: str | None, message: str, place: str) -> str:
    """Twelve hex digits of mode, cause, masked message and the innermost frame (its file's name and function, no line)."""
    told = "\0".join((mode, cause or "", detail or "", mask(message), place))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]
