"""Lines of a log that are alike but for their numbers, and each tell a time of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.job_record import JobRecord

MOST_LINE, MOST_TEXT = 300, 128 * 1024
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
Told = list[tuple[float, str]]


def alike(job: JobRecord, told_s: Callable[[str], float | None]) -> Iterator[tuple[Told, float]]:
    """Of each log: the lines of one kind with what ``told_s`` reads of them, and how many times as many the whole log may hold (1 or more)."""
    for one in (x for report in job.reports for x in report.excerpts):
        text = one.text
        kinds: dict[str, Told] = {}
        for line in text[:MOST_TEXT].splitlines():
            if len(line) <= MOST_LINE and (took := told_s(line)) is not None:
                kinds.setdefault(_NUMBER.sub("#", line), []).append((took, line))
        yield from ((lines, left_out(one)) for lines in kinds.values())


def left_out(one: Excerpt) -> float:
    """How many times as long a log is as what is known of it, 1 or more."""
    return max(1.0, one.bytes_total / max(1, len(one.text.encode("utf-8", "replace"))))


def is_clock(values: list[float]) -> bool:
    """Whether times only grow: they are counted from the beginning, and none is a line's own."""
    return all(a <= b for a, b in pairwise(values)) and values[-1] > 2 * values[0]
