"""A card that was slowed down, by what the program itself prints of it: its clock, whether a slowdown is active, and how long a step takes.

Read only where the watcher read no reasons of the driver's. What a job prints blames no node: it shows that the run was slow, and how to look.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from gpualert_slurm.job_record import JobRecord

LEAST, LEAST_LOW = 8, 4
"""Lines that tell the clock, and of them those that tell it far down."""
DOWN, HELD = 0.7, 0.25
"""Of the highest clock that is told; and of all such lines, those that are below it: at least."""
SLOWER, LEAST_HIGH = 1.3, 3
"""Times the step of the lines at the full clock, where no line tells of a slowdown; and how many of these there must be."""
MOSTLY = 0.8
MOST_TEXT, MOST_LINE = 96 * 1024, 300
_CLOCK = re.compile(r"(?<![\w.])(?P<now>\d{3,4}) ?MHz(?:\s?(?:of|/|von|sur|de)\s?(?P<full>\d{3,4}) ?MHz)?", re.IGNORECASE)
_MEMORY = re.compile(r"\b(?:mem\w{0,5}|vram|hbm|cpu|host)\b[^\d|,;]{0,16}\Z", re.IGNORECASE)
"""What stands before a clock that is another's."""
_ACTIVE = re.compile(
    r"(?:slow-?down|throttl\w{1,5}|power[ _]brake)['\"]?(?:[ _](?:reasons?|active|state))?\W{1,4}"
    r"(?P<is>not active|none|no\b|false|0\b|off|active|yes|true|1\b|on\b|hw\w*|sw\w*|thermal)",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?<![A-Za-z])(?:step|iter(?:ation)?|batch)[_ ]?(?:time|ms|s|sec|dt)?(?:[_ ](?:ms|s))?\W{1,3}"
    r"(?P<value>\d{1,6}(?:\.\d{1,6})?) ?(?:ms|s)?(?![\w./])",
    re.IGNORECASE,
)
_TIMED = re.compile(r"(?<![A-Za-z])(?:step|iter(?:ation)?|batch)[_ ](?:time|ms|s|sec|dt)\b|\d ?(?:ms|s)\s?/\s?(?:step|it|batch)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ToldClock:
    """The clock in MHz where it was far down, and at its highest; ``said`` is the last line that tells it down."""

    low_mhz: float
    full_mhz: float
    share: float
    """Of the lines that tell a clock, those far down."""
    said: str


def told_clock(job: JobRecord) -> ToldClock | None:
    """The clock of a card that a log tells as slowed for a good part of the run; None where none does."""
    for one in (x for report in job.reports for x in report.excerpts):
        if "MHz" in one.text and (found := _of_lines(one.text[-MOST_TEXT:].splitlines())) is not None:
            return found
    return None


def _of_lines(lines: Sequence[str]) -> ToldClock | None:
    told: list[tuple[float, str]] = []
    full = 0.0
    for line in lines:
        clock = _CLOCK.search(line[:MOST_LINE])
        if clock is None or _MEMORY.search(line[: clock.start()]):
            continue
        told.append((float(clock["now"]), line.strip()))
        full = max(full, float(clock["now"]), float(clock["full"] or 0))
    low, high = [one for one in told if one[0] <= DOWN * full], [one for one in told if one[0] > DOWN * full]
    if len(told) < LEAST or len(low) < max(LEAST_LOW, HELD * len(told)):
        return None
    states = [found["is"].lower() for _, line in low if (found := _ACTIVE.search(line)) is not None]
    active = [state for state in states if not state.startswith(("not", "no", "false", "0", "off"))]
    if len(active) < MOSTLY * len(low) and (states or not _slower(low, high)):
        return None
    return ToldClock(statistics.median(v for v, _ in low), full, len(low) / len(told), low[-1][1])


def _slower(low: Sequence[tuple[float, str]], high: Sequence[tuple[float, str]]) -> bool:
    """Whether a step took longer in the lines that tell the clock down."""
    slow, usual = _steps(low), _steps(high)
    return len(usual) >= LEAST_HIGH and len(slow) >= LEAST_LOW and statistics.median(slow) >= SLOWER * statistics.median(usual)


def _steps(told: Sequence[tuple[float, str]]) -> list[float]:
    lines = [line for _, line in told if _TIMED.search(line)]
    return [float(found["value"]) for line in lines if (found := next((m for m in _STEP.finditer(line) if _TIMED.match(m[0])), None)) is not None]
