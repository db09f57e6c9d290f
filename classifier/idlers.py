"""Ranks that only repeat themselves: a retry, a count that does not grow, a sign of life beside no progress.

Work that goes on prints lines that differ. A line that comes again and again with nothing in it but its clock, a number of its own tries and a count
that stands (``2/4``) tells of none, in whatever language.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.meeting import IDLE_WORDS, LACK_WORDS, WAIT_WORDS, of_meeting, of_work, tails_by_path
from gpualert_slurm.job_record import JobRecord

LEAST_TIMES, LEAST_STILL = 4, 3
"""Lines alike; and of those that say how long they have waited by now."""
MOST_LINE = 400
_CLOCK = re.compile(
    r"\d{4}-\d\d-\d\d[T ]?|\d{1,2}[./]\d{1,2}[./](?:\d{2,4})?|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?|\b\d{10}\.\d{1,9}\b|\b1[67]\d{8}(?:\d{3})?\b"
)
_TOOK = re.compile(
    r"(?<![\w.])\d{1,7}(?:[.,]\d{1,3})? ?(?:s|sec|secs|seconds?|min|minutes?|Sekunden|secondes?|segundos?|secondi|сек\w{0,3}|秒|초|分)(?![A-Za-z])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,12}(?:[.,]\d{1,9})?")
_PART = re.compile(
    r"(?<![\w.:/-])(\d{1,5})\s?(?:[a-z]{3,14} )?(?:/|of|out of|von|de|sur|su|di|z|van|av|из|iz|中)\s?(\d{1,5})(?![\w.:/])", re.IGNORECASE
)


_BEATS = re.compile(r"\bheart-?beat|\bkeep-?alive|\balive\b|\bstill\b", re.IGNORECASE)
_STILL = re.compile(r"\bstill (?:wait|not|no\b|miss)", re.IGNORECASE)
_SETTINGS = re.compile(r"config|argument|\bargs\b|option|setting|\bflags?\b|ya?ml|toml|environment", re.IGNORECASE)
"""They are read in no time."""


def idles(lines: Sequence[str], *, alone: bool = False) -> bool:
    """Whether the last lines of a log are one line that tells of nothing new."""
    counts = _counts_its_wait(lines[-LEAST_STILL:])
    least = LEAST_STILL if counts else LEAST_TIMES
    last = [_CLOCK.sub("", line[:MOST_LINE]) for line in lines[-least:]]
    if len(last) < least or len({_NUMBER.sub("#", line) for line in last}) > 1:
        return False
    timeless = [_TOOK.sub("", line) for line in last]
    if len(set(timeless)) == 1 and _STILL.search(last[-1]) is not None:
        return True  # ``still no part_1.npy``, word for word
    stands = WAIT_WORDS.search(last[-1]) is not None and _lacks(timeless)  # ``3/4 connected, waiting for the rest`` is no group that is complete
    if of_work(last[-1], alone=alone) and not (stands or counts or of_meeting(last[-1])):
        return False
    told = list(zip(*(_NUMBER.findall(line) for line in timeless), strict=False))
    moving = [row for row in told if len(set(row)) > 1]
    if any("." in n or "," in n for row in moving for n in row):
        return False
    waits = WAIT_WORDS.search(last[-1]) is not None or of_meeting(last[-1])
    if moving:
        return (waits or _lacks(timeless) or _BEATS.search(last[-1]) is not None) and len(moving) == 1 and _grows(moving[0])
    return waits or _lacks(timeless) or any(pattern.search(last[-1]) for pattern in (LACK_WORDS, IDLE_WORDS))


def _counts_its_wait(lines: Sequence[str]) -> bool:
    """Whether lines say that something is still waited for, and for how long: ``still waiting for READY (20 s)``."""
    if len(lines) < LEAST_STILL or not all(_STILL.search(line) for line in lines):
        return False
    waited = [_TOOK.findall(_CLOCK.sub("", line)) for line in lines]
    times = [float(re.sub(r"[^\d.]", "", one[-1].replace(",", ".")) or 0) for one in waited if one]
    return len(times) == LEAST_STILL and all(a < b for a, b in pairwise(times))


def _grows(row: Sequence[str]) -> bool:
    numbers = [int(n) for n in row]
    return numbers == sorted(numbers) or numbers == sorted(numbers, reverse=True)


def _lacks(lines: Sequence[str]) -> bool:
    """A part of a whole that is the same in all lines."""
    parts = {tuple(_PART.findall(line)) for line in lines}
    return len(parts) == 1 and any(int(a) < int(b) for a, b in next(iter(parts)))


def all_idle(job: JobRecord, paths: Collection[str]) -> bool:
    """Whether each of these logs ends in a line that only repeats itself."""
    tails = tails_by_path(job, paths)
    return bool(tails) and all(idles(lines) for _, lines in tails)


def _only_meets(lines: Sequence[str]) -> bool:
    """Whether a log has hardly more lines than two of meeting the others, however far apart they came."""
    return 1 < len(lines) < LEAST_TIMES and all(of_meeting(line) for line in lines[-2:])


def idling_since(job: JobRecord, *, alone: bool = False) -> int | None:
    """Since when every log was silent but those that only repeat a wait, and nobody's last word was of work; None where that is not so."""
    tails = tails_by_path(job)
    idle = {path for path, lines in tails if idles(lines, alone=alone) or _only_meets(lines)}
    others = [lines for path, lines in tails if path not in idle]
    if not idle or any(of_work(lines[-1]) and not of_meeting(lines[-1]) for lines in others):
        return None
    logs = [log for r in job.reports for log in r.logs if log.step not in SCRIPT]
    began = [r.job_started_ns for r in job.reports if r.job_started_ns]
    return max([log.last_write_ns or 0 for log in logs if log.path not in idle] + began[:1], default=0) or None


def begun_unevenly(job: JobRecord, last: dict[int, str]) -> bool:
    """Whether most ranks' last line is the same, and each of the others ended with one that those had left behind them."""
    shapes = {rank: _shape(line) for rank, line in last.items()}
    common = max(set(shapes.values()), key=list(shapes.values()).count, default="")
    ahead = [r for r, shape in shapes.items() if shape == common]
    late = {r for r, shape in shapes.items() if shape != common}
    if not late or len(ahead) <= len(late) or any(of_work(last[r]) and not _SETTINGS.search(last[r]) for r in late):
        return False
    texts = [x.text for report in job.reports for x in report.excerpts if x.where.rank in ahead and x.where.step not in SCRIPT]
    before = {_shape(line) for text in texts for line in text.splitlines()}
    return all(shapes[r] in before for r in late)


def _shape(line: str) -> str:
    return _NUMBER.sub("#", _CLOCK.sub("", line[:MOST_LINE])).strip()
