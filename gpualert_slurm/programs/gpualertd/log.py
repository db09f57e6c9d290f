"""What the daemon says: one line an event, ``key=value``, with the journal's severity in front."""

from __future__ import annotations

import logging
import os
import sys
import time

SEVERITY = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""Syslog's numbers, which journald reads as ``<6>`` at the start of a line (sd-daemon(3))."""

SPECIAL = frozenset(" \"'=\\")
"""A value with one of these is quoted."""


class Journal(logging.Formatter):
    """``<6>event key=value``: journald adds the time; a line never breaks."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; newlines and control characters as escapes."""
        words = record.getMessage()
        if record.exc_info:
            words += f" traceback={self.formatException(record.exc_info)}"
        return f"<{SEVERITY.get(record.levelno, 6)}>{one_line(words)}"


class Terminal(logging.Formatter):
    """For people: the time of day (UTC) in front."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the traceback below it."""
        words = f"{time.strftime('%H:%M:%S', time.gmtime(record.created))} {record.levelname.lower():7} {one_line(record.getMessage())}"
        return f"{words}\n{self.formatException(record.exc_info)}" if record.exc_info else words


def set_up(*, for_people: bool) -> None:
    """Send every record to stderr, once."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Terminal() if for_people else Journal())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG if os.environ.get("GPUALERT_DEBUG") == "1" else logging.INFO)
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def one_line(words: str) -> str:
    """Text of any origin so that it stays one line of a log."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)


def value(thing: object) -> str:
    """A value of ``key=value``: quoted where it holds a blank, a quote or nothing."""
    text = str(thing)
    if text and all(c.isprintable() and c not in SPECIAL for c in text):
        return text
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def line(event: str, **facts: object) -> str:
    """``event key=value …`` with absent values left out."""
    return " ".join([event, *(f"{key}={value(fact)}" for key, fact in facts.items() if fact is not None)])
