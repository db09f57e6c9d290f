"""What pytest said about one run, read from its JUnit file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from .space import LATE


@dataclass(frozen=True)
class Outcome:
    """One run of the tests: how many passed, failed and were skipped, which failed and why (one line each), seconds of wall time."""

    passed: int
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    ended: str = ""  # why there is no whole run: late, or pytest itself failed

    @property
    def good(self) -> bool:
        """Every test ran to its end and none failed."""
        return not self.failed and not self.ended and self.passed > 0


def read(path: Path, status: int, seconds: float, limit_s: float) -> Outcome:
    """The run whose pytest ended with ``status``; without the file (pytest killed or never started) the reason is in ``ended``."""
    ended = {0: "", 1: "", LATE: f"not done after {limit_s:.0f} s"}.get(status, f"pytest ended with {status}")
    try:
        cases = list(ET.parse(path).iter("testcase"))
    except (OSError, ET.ParseError):
        return Outcome(0, seconds=seconds, ended=ended or "pytest left no results")
    failed: dict[str, str] = {}
    skipped: dict[str, str] = {}
    for case in cases:
        name = f"{(case.get('classname') or '').rpartition('.')[2]}::{case.get('name')}"
        for part in case:
            words = " ".join((part.get("message") or "").split())[:200]
            if part.tag in ("failure", "error"):
                failed.setdefault(name, words)
            elif part.tag == "skipped":
                skipped[name] = words
    names = {f"{(case.get('classname') or '').rpartition('.')[2]}::{case.get('name')}" for case in cases}
    return Outcome(len(names - set(failed) - set(skipped)), failed, skipped, seconds, ended)
