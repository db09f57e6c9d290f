"""doc/matrix.md: which versions, which plugins, which tests, when, and how they ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .folder import Made
from .outcome import Outcome
from .suite import Suite, Tracking

HEAD = """# Slurm versions

The system tests (`tests/system/`) on real Slurm clusters of three versions, each with the plugin built against that version's
headers by that suite's compiler, and with that suite's Python. `linuxproc`: `proctrack/linuxproc`, `task/none`,
`jobacct_gather/linux`. `cgroup`: `proctrack/cgroup`, `task/cgroup` with `ConstrainRAMSpace`, `jobacct_gather/cgroup`, on control
groups version 1; with it run the tests that start, hold and end processes (of the plugin, the node's reports, the tracking and the test
bed), with linuxproc all of them. Written by `make matrix`.
"""

TABLE = (
    "| Debian | Slurm | Python | processes | plugin | passed | failed | skipped | time | result |",
    "|---|---|---|---|---|---:|---:|---:|---:|---|",
)


@dataclass(frozen=True)
class Row:
    """One line of the table. ``made`` is None where the suite could not be had; ``why`` then says why."""

    suite: Suite
    tracking: Tracking
    made: Made | None
    plugin: str = ""
    outcome: Outcome | None = None
    why: str = ""


def page(rows: Sequence[Row], command: str, commit: str, when: str, seconds: float) -> str:
    """The whole page."""
    lines = [HEAD, f"`{command}` on {when}, commit {commit}, {_span(seconds)} in all.", "", *TABLE]
    lines += [_line(row) for row in rows]
    lines += _details("Failed", rows, lambda outcome: outcome.failed)
    lines += _details("Skipped", rows, lambda outcome: outcome.skipped)
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    why = _flat(row.why.partition(":\n")[0])  # what follows quotes a log
    if row.made is None:
        return f"| {row.suite.name} | {row.suite.slurm} | | {row.tracking.value} | | | | | | not run: {why} |"
    head = f"| {row.made.codename} | {row.made.slurm} | {row.made.python} | {row.tracking.value} | {row.plugin} "
    if row.outcome is None:
        return f"{head}| | | | | not run: {why} |"
    done = row.outcome
    result = "good" if done.good else _flat(done.ended) or ("failed" if done.failed else "no test ran")
    return f"{head}| {done.passed} | {len(done.failed)} | {len(done.skipped)} | {_span(done.seconds)} | {result} |"


def _details(title: str, rows: Sequence[Row], of: Callable[[Outcome], dict[str, str]]) -> list[str]:
    """One line a test and reason: the same test may be skipped, or fail, for another reason elsewhere."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.outcome is not None and row.made is not None:
            for name, words in of(row.outcome).items():
                found.setdefault((name, _flat(words)), []).append(f"{row.made.slurm} {row.tracking.value}")
    if not found:
        return []
    return ["", f"## {title}", "", *(f"- `{name}` ({', '.join(where)}): {words}" for (name, words), where in found.items())]


def _flat(words: str) -> str:
    """One line for a table; no addresses: where this host fetches from is nobody's concern."""
    return re.sub(r"\b[a-z+]{2,10}://\S+", "(address)", " ".join(words.split())).replace("|", "\\|")[:300]


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def write(path: Path, text: str) -> None:
    """Replace the page."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)
