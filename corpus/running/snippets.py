"""Code that goes wrong, as it does in real programs: by cause, each with where in a program it may stand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Snippet:
    """``code`` fails when it runs. ``stages`` are where it makes sense; ``kind`` is A1's variant for a failure before progress."""

    code: str
    cause: str
    kind: str
    stages: tuple[str, ...] = ("config", "data", "first", "mid")
    needs: str = ""
    """``torch`` or ``numpy`` where it needs that library's model."""
    helpers: str = ""
    locked: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    folders: tuple[str, ...] = ()


EARLY = ("config", "data", "first")
