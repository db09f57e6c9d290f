"""Words from a job, made fit for a header: a job's name is its owner's text, and reaches every header's neighbour."""

from __future__ import annotations

import unicodedata

HEADER_CHARS = 200
UNSAFE_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Control, format (zero width, bidi), surrogates, private, unassigned, line and paragraph separators."""


def header_text(text: str, max_chars: int) -> str:
    """``text`` on one line, without control or format characters and without ``=?``, at most ``max_chars`` characters.

    ``=?`` begins an encoded word (RFC 2047): Python before its fix of CVE-2024-6923 wrote what such a word decodes to
    as a header of its own. Breaking it also keeps a job from choosing what a reader sees.
    """
    plain = "".join(" " if unicodedata.category(c) in UNSAFE_CATEGORIES else c for c in text)
    plain = " ".join(plain.split())
    while "=?" in plain:
        plain = plain.replace("=?", "= ?")
    return plain if len(plain) <= max_chars else f"{plain[: max(0, max_chars - 3)].rstrip()}..."[:max_chars]


def file_name(text: str, max_chars: int = 80) -> str:
    """``text`` as the name of an attachment: ASCII letters, digits, ``._-``, no leading dot; the end is kept, it has the suffix."""
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in text)
    return safe[-max_chars:].lstrip(".-_") or "file"
