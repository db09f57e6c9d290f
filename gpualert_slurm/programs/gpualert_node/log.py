"""What the service says: a line an event on stderr, with the journal's severity in front."""

from __future__ import annotations

import contextlib
import sys

INFO, WARNING, ERROR = 6, 4, 3


def say(words: str, severity: int = INFO) -> None:
    """One line; control characters as escapes, for names come from jobs. A stderr that is gone is no reason to end."""
    line = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in words)
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"<{severity}>{line[:2000]}\n" if not sys.stderr.isatty() else f"{line[:2000]}\n")
        sys.stderr.flush()
