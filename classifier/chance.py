"""What a loss looks like that never left a guess's height, that rose all the way, or that ran off within a few values.

A guess's height is ln 10 of ten classes; of how many, the program may tell (``vocab size: 25``). A loss that settles there from above has learned
no more than how often each class is right; that the accuracy is a guess's too is a second witness.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.unlearned import CLASSES, level, tuned_or_played
from gpualert_slurm.job_record import JobRecord

LEAST = 6
LEAST_SETTLED = 16
NEAR, NEAR_WITH_WITNESS, NEAR_SETTLED = 0.01, 0.02, 0.006
NOISE = 0.03
"""Of single values about a height that the program itself tells."""
SETTLING = 0.15
"""Of the values, those in which a loss may come down to its height."""
CALM = 0.012
MOST_START = 1.2
"""A start so many times higher is one of something to learn."""
UNSURE = 0.03
MOST_COMMON = 4
"""Logarithms of fewer classes are numbers that anything may have."""
LEAST_RISING = 10
RISEN, RISES_STEADILY = 1.25, 6.0
"""The last third over the first, and the slope by its own error."""
LEAST_RUN_OFF = 5
RUN_OFF = 50.0
MOST_TEXT = 16_384
_TOLD = re.compile(
    r"(?<![\w.,-])(?P<n>\d{1,6}) (?:classes|unique|labels|categories|symbols|species|kinds|tokens in (?:the )?vocab\w*)\b"
    r"|(?<![A-Za-z])(?:num_?classes|n_?classes|classes|vocab(?:_?size| size)?|num_?labels)['\"]?\s?[:=]\s?(?P<m>\d{1,6})(?![\d.])",
    re.IGNORECASE,
)
_CONTRASTIVE = re.compile(r"info_?nce|nt_?xent|\bn_?pair|simclr|\bclip_loss", re.IGNORECASE)
_BATCH = re.compile(r"(?<![A-Za-z])(?:micro_?|per_?device_?)?batch(?:_?size| size)?['\"]?\s?[:=]\s?(\d{1,6})(?![\d.])", re.IGNORECASE)
"""Where the others of a batch are what to guess among, it is of that many, or of both views of each."""
_HEIGHT = re.compile(
    r"\b(?:chance|random guess(?:ing|es)?)(?: level| loss| value)?(?: ?[:=]| is| would be| gives| lies at) {0,3}"
    r"(?P<height>\d{1,3}\.\d{1,8})(?![\d.]| ?%)",
    re.IGNORECASE,
)
"""``InfoNCE at chance is 4.159``: of how many there are to guess among, only the program knows."""
LEAST_LEAPT = 8
LEAPT = 4.0
"""Of all that came before, what a loss is that leapt and stayed there, in at least three of its last values."""
LEAST_OF_MEAN, AT_ONE = 8, 0.02
BLOWN_UP, LEAPT_FROM, LEARNED, NOT_BACK = 3.0, 10.0, 0.6, 0.6
"""Of its start (of 1 at the least): what a loss shot up to, at once to so many times the values before; what it had come down to, and what it
never came below again."""
BEYOND = 1e3
"""Of its start: more than a loss that plays against another comes to."""
ABOUT_ONE = 0.06
_NOISE = re.compile(r"denois|(?:\b|_)(?:noise|eps|epsilon)(?:\b|_)", re.IGNORECASE)
_SQUARED = re.compile(r"(?:\b|_)(?:mse|l2)(?:\b|_)", re.IGNORECASE)
_CHANGING = re.compile(
    r"curriculum|anneal|distill|\bkl[_ ]?weight|penalt|lambda[_ ]?(?:sched|ramp)|hardness|\bema\b(?!['\"]?(?:[_ ]decay)?['\"]?\s?[:=]\s?0?\.\d)"
    r"|adversar|continual|\btask \d",
    re.IGNORECASE,
)
"""Losses whose measure changes while they are lowered."""


def at_chance(job: JobRecord, numbers: Sequence[float], accuracies: Sequence[float]) -> str | None:
    """Why a loss is one of guesses; None where nothing shows it."""
    if len(numbers) < LEAST or min(numbers) <= 0:
        return None
    if (height := _where_it_says(job, numbers)) is not None:
        return f"that is where the program says that chance lies ({height:.4g})"
    if tuned_or_played(job):
        return None
    told = _told(job)
    found = (_among(numbers, accuracies, classes, told=classes in told) for classes in sorted({*CLASSES, *(n for n in told if n > 1)}))
    return next((why for why in found if why is not None), None)


def _among(numbers: Sequence[float], accuracies: Sequence[float], classes: int, *, told: bool) -> str | None:
    """Why the numbers are a guess's among so many classes."""
    height = math.log(classes)
    if all(abs(v - height) <= NEAR * height for v in numbers):
        return f"it is a guess's among {classes}"
    if _witnessed(numbers, accuracies, classes, told=told):
        return f"it came to a guess's among {classes} or is worse, and so is the accuracy"
    return f"it settled at a guess's among {classes}" if _settled(numbers, height) else None


def _where_it_says(job: JobRecord, numbers: Sequence[float]) -> float | None:
    """The height of chance that the program tells, where the numbers lie about it; its own word holds for any kind of loss."""
    late = numbers[len(numbers) // 4 :]
    for height in {float(found["height"]) for text in heads(job, MOST_TEXT) for found in _HEIGHT.finditer(text)}:
        near = abs(statistics.fmean(late) - height) <= NEAR * height and statistics.pstdev(late) <= NOISE * height
        if height > 0 and max(numbers) <= MOST_START * height and near and level(late):
            return height
    return None


def of_the_mean(lines: Sequence[str], numbers: Sequence[float]) -> str | None:
    """Why a squared error is that of who always says the mean, of targets scaled to a variance of one; ``lines``: those that tell of progress."""
    near = len(numbers) >= LEAST_OF_MEAN and all(abs(v - 1.0) <= AT_ONE for v in numbers)
    if not near or numbers[0] - numbers[-1] > AT_ONE / 2 or not all(_SQUARED.search(line) for line in lines):
        return None
    return "a squared error of 1 is what always saying the mean of scaled targets has"


def of_noise(name: str, numbers: Sequence[float]) -> str | None:
    """Why a squared error of denoising is that of who always says nought: the noise that is to be told has a variance of one."""
    if len(numbers) < LEAST_SETTLED or not _NOISE.search(name) or abs(statistics.fmean(numbers) - 1.0) > AT_ONE or not level(numbers):
        return None
    if any(abs(v - 1.0) > ABOUT_ONE for v in numbers):
        return None
    return "a squared error of 1 is what always saying nought has, of noise with a variance of one"


def near_guess(job: JobRecord, numbers: Sequence[float]) -> int | None:
    """Of how many classes, as the program tells them, each of the numbers is a guess's loss."""
    if len(numbers) < LEAST_SETTLED or max(numbers) - min(numbers) > 2 * NEAR * max(numbers) or tuned_or_played(job):
        return None
    return next((n for n in sorted(_told(job)) if n > MOST_COMMON and all(abs(v - math.log(n)) <= NEAR * math.log(n) for v in numbers)), None)


def _told(job: JobRecord) -> set[int]:
    told = {int(found["n"] or found["m"]) for text in heads(job, MOST_TEXT) for found in _TOLD.finditer(text)}
    sizes = (int(found[1]) for text in heads(job, MOST_TEXT) if _CONTRASTIVE.search(text) for found in _BATCH.finditer(text))
    return told | {n for size in sizes if size > MOST_COMMON for n in (size, 2 * size, 2 * size - 1)}


def _witnessed(numbers: Sequence[float], accuracies: Sequence[float], classes: int, *, told: bool) -> bool:
    """Whether the second half of loss and accuracy alike is a guess's; of a loss that is worse than a guess, only where the classes are told."""
    height, tail = math.log(classes), numbers[len(numbers) // 2 :]
    if len(accuracies) < LEAST - 1 or min(tail if told else numbers) < 0.97 * height:
        return False
    share = [a / 100 if max(accuracies) > 1 else a for a in accuracies]
    late = share[len(share) // 2 :]
    guessed = abs(statistics.fmean(late) - 1 / classes) <= min(UNSURE, 0.5 / classes) and max(share) <= 1 / classes + 4 * UNSURE
    return guessed and (told or all(abs(v - height) <= NEAR_WITH_WITNESS * height for v in tail))


def _settled(numbers: Sequence[float], height: float) -> bool:
    if len(numbers) < LEAST_SETTLED or max(numbers) > MOST_START * height:
        return False
    rest = numbers[math.ceil(SETTLING * len(numbers)) :]
    mean = statistics.fmean(rest)
    return abs(mean - height) <= NEAR_SETTLED * height and statistics.pstdev(rest) <= CALM * mean and level(rest)


def changing(job: JobRecord) -> bool:
    """Whether the program tells of a measure that changes while it is lowered."""
    return any(_CHANGING.search(text) for text in heads(job, MOST_TEXT))


def rose(job: JobRecord, numbers: Sequence[float]) -> str | None:
    """In words, where the loss of training rose from its first values to its last, or left them by far within a few."""
    if len(numbers) < LEAST_RUN_OFF or min(numbers) < 0:
        return None
    if (lost := blown_up(job, numbers) or _ran_off(numbers)) is not None:
        return lost
    start, last = statistics.median(numbers[:3]), numbers[-1]
    late = numbers[-max(3, len(numbers) // 4) :]
    before = max(numbers[: len(numbers) // 2], default=0.0)
    if len(numbers) >= LEAST_LEAPT and min(late) > max(LEAPT * before, before + 1.0) and not changing(job) and not tuned_or_played(job):
        return f"the loss leapt from {before:.4g} at the most to {last:.4g}, and stayed there"
    if len(numbers) < LEAST_RISING or changing(job) or tuned_or_played(job):
        return None
    count, third = len(numbers), len(numbers) // 3
    first, end = statistics.median(numbers[:third]), statistics.median(numbers[-third:])
    middle, mean = (count - 1) / 2, statistics.fmean(numbers)
    spread = sum((i - middle) ** 2 for i in range(count))
    slope = sum((i - middle) * (v - mean) for i, v in enumerate(numbers)) / spread
    rest = math.sqrt(sum((v - mean - slope * (i - middle)) ** 2 for i, v in enumerate(numbers)) / max(1, count - 2))
    steady = slope * math.sqrt(spread) > RISES_STEADILY * rest
    if steady and end > RISEN * first and end > RISEN * start and end - start > 0.3 and min(numbers) > 0.8 * start:
        return f"the loss rose all the way, from {start:.4g} to {last:.4g}"
    return None


def _ran_off(numbers: Sequence[float]) -> str | None:
    start, last = statistics.median(numbers[:3]), numbers[-1]
    off = last > RUN_OFF * max(start, numbers[0]) and last - start > RUN_OFF and last >= max(numbers[:-1])
    return f"the loss ran off from {numbers[0]:.4g} to {last:.4g}" if off else None


def blown_up(job: JobRecord, numbers: Sequence[float], called: str = "the loss") -> str | None:
    """In words, where a loss that had come down shot up past all it had been, and what had been learned did not come back by the end."""
    at = max(range(len(numbers)), key=numbers.__getitem__)
    before, start, peak = numbers[:at], statistics.median(numbers[:3]), numbers[at]
    height = max(start, 1.0)
    if len(before) < LEAST or peak < BLOWN_UP * height or min(before) > LEARNED * start:
        return None
    leap = next(i for i, v in enumerate(numbers) if i and v >= BLOWN_UP * height)
    if numbers[leap] < LEAPT_FROM * statistics.median(numbers[max(0, leap - LEAST) : leap]):
        return None
    hovers = peak < BEYOND * height and (changing(job) or tuned_or_played(job))
    if hovers or min(numbers[at:]) < max(2 * min(before), NOT_BACK * start):
        return None
    return f"{called} had come to {min(before):.4g}, shot up to {peak:.4g}, and ended at {statistics.median(numbers[-3:]):.4g}"
