"""Sentences for people: headlines safe for a subject, durations, sizes, paste-ready lines."""

from __future__ import annotations

import re
import unicodedata

from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.evidence import Evidence, Quote

MAX_HEADLINE = 140


def headline(text: str) -> str:
    """One line without control or format characters, ``=?`` broken up, cut to a subject's length."""
    plain = text
    if not (text.isascii() and text.isprintable()):
        plain = "".join(" " if unicodedata.category(c)[0] == "C" or c in "\u2028\u2029" else c for c in text)
    plain = re.sub(r"\s+", " ", plain).replace("=?", "= ?").strip()
    return plain if len(plain) <= MAX_HEADLINE else plain[: MAX_HEADLINE - 1].rstrip() + "…"


def told(error: Evidence) -> str:
    """What an error says, in one line: ``FileNotFoundError: [Errno 2] …``."""
    kind, message = error.data.get("type"), error.data.get("message")
    if kind:
        return f"{kind}: {message}" if message else str(kind)
    if isinstance(error.source, Quote):
        return error.source.text.strip()
    return str(getattr(error.source, "value", error.says))


def place_of(error: Evidence) -> str | None:
    """``train.py:10 in main``: the innermost frame of the user's code."""
    file, line = error.data.get("file"), error.data.get("frame_line")
    if not isinstance(file, str):
        return None
    where = f"{file}:{line}"
    function = error.data.get("function")
    return f"{where} in {function}" if function and function != "<module>" else where


def who(failure: Failure | None, error: Evidence | None) -> str:
    """``rank 3 on n2``, as far as anything says it."""
    if failure is not None and failure.step == "run":
        return ""  # one command outside Slurm: there is nobody else it could be
    if failure is not None and failure.rank is not None:
        return failure.name
    where = error.where if error is not None else None
    if where is not None and where.rank is not None:
        return f"rank {where.rank}" + (f" on {where.node}" if where.node else "")
    return failure.name if failure is not None and failure.node and failure.step == "batch" else ""


def subject(who_: str, what: str) -> str:
    """``who: what`` or just ``what``."""
    return headline(f"{who_}: {what}" if who_ else what)


def size(number: int | float) -> str:
    """Bytes in binary units: ``1.5 GiB``."""
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024 or unit == "TiB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def duration(seconds: float) -> str:
    """``2 h 05 min``, ``40 s``."""
    whole = max(0, round(seconds))
    if whole < 120:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


def slurm_time(seconds: float) -> str:
    """``D-HH:MM:SS`` for ``--time``, rounded up to a minute."""
    minutes = int(-(-seconds // 60))
    days, rest = divmod(minutes, 24 * 60)
    clock = f"{rest // 60:02d}:{rest % 60:02d}:00"
    return f"{days}-{clock}" if days else clock


def parse_size(text: object) -> float | None:
    """``20.00 MiB`` to bytes."""
    found = re.match(r"([\d.]{1,16}) ?([KMGT])?i?B?(?:ytes)?", str(text))
    if not found:
        return None
    try:
        return float(found[1]) * float(1024 ** (" KMGT".index(found[2]) if found[2] else 0))
    except ValueError:
        return None
