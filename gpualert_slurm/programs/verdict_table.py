"""The verdicts on many jobs as a table for a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Sequence

from gpualert_slurm.programs.many_jobs import Outcome

COLUMNS = ("job", "mode", "cause", "who", "sure")
WIDEST = 24
WIDEST_NAME = 64
"""A job's name is what finds it again: it is cut last."""
LEAST = 30
"""Columns for what happened: on a narrow terminal the cause, how sure it is, and who must act make room for it."""
EXPENDABLE = ("cause", "sure", "who")


def table(found: Sequence[Outcome], columns: int | None = None) -> str:
    """A line a job, then how many of each mode and how many look alike; nothing in it that a terminal would obey.

    Lines are cut to ``columns``, else to the terminal (or to COLUMNS where that is set); what goes into a file or a pipe is not cut.
    """
    from gpualert_slurm.notify.plain import visible

    width = columns or _terminal()
    rows = [(*COLUMNS, "what"), *(tuple(visible(cell) for cell in _row(one)) for one in found)]
    most = [WIDEST_NAME, *[WIDEST] * (len(COLUMNS) - 1)]
    widths = {name: min(most[at], max(len(row[at]) for row in rows)) for at, name in enumerate(COLUMNS)}
    for name in EXPENDABLE:
        if width is not None and sum(widths.values()) + 2 * len(widths) + LEAST > width:
            del widths[name]
    if width is not None:
        widths["job"] = max(8, min(widths["job"], width - sum(widths.values()) + widths["job"] - 2 * len(widths) - LEAST // 2))
    lines = []
    for row in rows:
        cells = "".join(f"{_fit(row[COLUMNS.index(name)], size, tail=name == 'job')}  " for name, size in widths.items())
        lines.append(_cut(f"{cells}{row[-1]}".rstrip(), width))
    return "\n".join([*lines, "", *(_cut(line, width and max(width, 200)) for line in _sums(found))])


def _terminal() -> int | None:
    """How wide the terminal is that this is printed to; None where it is none and nothing else says."""
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return max(20, shutil.get_terminal_size((120, 24)).columns)
    return None


def _cut(line: str, width: int | None) -> str:
    return line if width is None or len(line) <= width else f"{line[: width - 1]}…"


def _row(one: Outcome) -> tuple[str, ...]:
    verdict = one.verdict
    if verdict is None:
        return (one.label, "-", "-", "-", "-", f"no verdict: {one.why}")
    mode = f"{verdict.mode} {verdict.variant}" if verdict.variant else verdict.mode
    return (one.label, mode, verdict.cause.value if verdict.cause else "-", verdict.fault.value, f"{verdict.confidence:.0%}", verdict.headline)


def _fit(text: str, width: int, *, tail: bool = False) -> str:
    """Blanks to ``width``, or a cut; with ``tail`` in the middle, for names of runs often differ at their ends."""
    if len(text) <= width:
        return text.ljust(width)
    kept = (width - 1) // 2 if tail else 0
    return f"{text[: width - 1 - kept]}…{text[len(text) - kept :] if kept else ''}"


def _sums(found: Sequence[Outcome]) -> list[str]:
    from gpualert_slurm.notify.plain import visible

    judged = [one.verdict for one in found if one.verdict is not None]
    modes = Counter(v.mode for v in judged)
    counted = ", ".join(f"{count} {mode}" for mode, count in sorted(modes.items(), key=lambda pair: (-pair[1], pair[0])))
    sums = [f"{len(judged)} of {len(found)} jobs judged" + (f": {counted}" if counted else "")]
    alike = Counter(v.fingerprint for v in judged if v.mode != "G1" and v.fingerprint)
    for print_, count in alike.most_common(3):
        if count > 1:
            same = [v for v in judged if v.fingerprint == print_]
            users, nodes = {v.user for v in same if v.user}, {node for v in same for node in v.nodes}
            of = [f"{len(some)} {word}{'s' if len(some) != 1 else ''}" for some, word in ((users, "user"), (nodes, "node")) if some]
            sums.append(visible(f"seen {', '.join([f'{count} times', *of])}: {same[0].headline}"))
    return sums
