"""What can be seen of a job afterwards, with everything that changes from run to run taken out."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A slurmstepd's own words carry ids, times, node names and pids; bash's carry a pid.
_CHANGING = (
    (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?"), b"<time>"),  # with milliseconds at the beginning of slurmstepd's lines in 26.05
    (re.compile(rb"\bn\d+\b"), b"<node>"),
    (re.compile(rb"(line \d+:) +\d+ "), rb"\1 <pid> "),
    (re.compile(rb"job0*\d+/"), b"job<id>/"),
)
LAST_WORDS = re.compile(rb"srun: (?:error: <node>: tasks? \S+: .*|forcing job termination|got SIGCONT)\n")


@dataclass(frozen=True)
class Observed:
    """The accounting rows of job and steps (step, state, exit code, derived exit code), and the bytes of every output."""

    accounting: tuple[tuple[str, str, str, str], ...]
    files: tuple[tuple[str, bytes], ...]

    def unlike(self, others: list[Observed]) -> str:
        """How this differs from the first of ``others``; empty when it is equal to any of them."""
        if self in others:
            return ""
        first = others[0]
        if self.accounting != first.accounting:
            return f"sacct says {self.accounting}, without gpualert {first.accounting}"
        mine, theirs = dict(self.files), dict(first.files)
        names = [name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)]
        return "; ".join(f"{name} has {mine.get(name)!r}, without gpualert {theirs.get(name)!r}" for name in sorted(names))


def normal(content: bytes, job: int, folder: str, *, mixed: bool) -> bytes:
    """Output with job id, times, node, pids and the run's own folder replaced; ``mixed``: lines in a fixed order."""
    text = content.replace(folder.encode(), b"<folder>")
    for pattern, words in _CHANGING:
        text = pattern.sub(words, text)
    text = re.sub(rb"\b%d\b" % job, b"<job>", text)
    return b"".join(sorted(text.splitlines(keepends=True))) if mixed else text
