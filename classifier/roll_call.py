"""A count of those that have come, told by one process in one log, which stopped short of all: ``domain 2 connected (3/4)``, ``4 of 5 clients``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.classifier.meeting import LACK_WORDS, WAIT_WORDS, tails_by_path
from gpualert_slurm.job_record import JobRecord

MOST_LINE, LEAST_COUNTS = 300, 2
_COUNT = re.compile(r"(?<![\w./:-])(?P<came>\d{1,5})\s?(?:/|of|out of)\s?(?P<all>\d{1,5})(?![\w./:%-])")
_COMES = re.compile(
    r"\b(?:connect(?:ed|ions?)|join(?:ed|s)|arriv(?:ed|es)|register(?:ed|s)|checked in|here|present|online|attached|enrol\w{2,4}|reported in)\b",
    re.IGNORECASE,
)


def roll_call(job: JobRecord) -> str | None:
    """In words, how many of how many came, where the count rose, did not come to its end, and nobody said anything else behind it."""
    for _, lines in tails_by_path(job):
        if (told := _unfinished([line[:MOST_LINE] for line in lines if line.strip()])) is not None:
            return f"{told[0]} of {told[1]} had come by its last count, and nobody else came"
    return None


def _unfinished(lines: Sequence[str]) -> tuple[int, int] | None:
    counts: list[tuple[int, int]] = []
    for line in lines:
        if _COMES.search(line) and (found := list(_COUNT.finditer(line))):
            counts.append((int(found[-1]["came"]), int(found[-1]["all"])))
        elif counts and not (_COMES.search(line) or WAIT_WORDS.search(line) or LACK_WORDS.search(line)):
            return None
    came = [one for one, _ in counts]
    rose = len(set(came)) >= LEAST_COUNTS and came == sorted(came) and len({of for _, of in counts}) == 1
    return counts[-1] if rose and came[-1] < counts[-1][1] else None
