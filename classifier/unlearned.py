"""What shows that a finite loss came of no learning: it lies where it began, though it wobbles, or what was learned is gone again.

A loss that wobbles about one height is no proof by itself: a model that was tuned from another's weights may hover, too. What makes it
one is a learning rate of nought, an evaluation that gives the same number each time, or the height of a guess (ln 10 of ten classes).
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator, Sequence

from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.table import DISTANCES, LOSS_WORDS
from gpualert_slurm.classifier.tongues import LOSSES
from gpualert_slurm.job_record import JobRecord

LEAST_WITH_PROOF = 5
"""Values of the loss where the learning rate or the evaluation shows that nothing moved."""
LEAST_AT_CHANCE = 8
LEAST_STILL, HIGH, STILL = 24, 0.6, 0.012
"""So many values of a loss above a coin's toss (ln 2), with so little spread for their height, and no trend: nothing was learned."""
LEAST_SAME, SAME = 6, 0.001
"""Fewer values will do where they are as good as one."""
LEAST_LOST = 16
FALLS = 0.1
"""A fall of this share of its height, or of FALLS_STEADILY, is a trend: something was learned."""
FALLS_STEADILY = -2.5
"""Slope by its own error (Student's t): below it a loss falls."""
AT_CHANCE = 0.015
WOBBLE = 0.06
CLASSES = (2, 3, 4, 5, 8, 10, 16, 20, 50, 100, 128, 200, 256, 512, 1000, 1024, 10_000, 32_000, 50_257, 65_536, 128_256)
NOUGHT = 1e-9
VANISHED = 2e-6
"""Of the highest rate, one that moves nothing any more."""
FIRST_RATES = 0.15
"""Of all rates that are told, so many may have been something before they are nought for good."""
LAST_RATES = 0.5
"""No schedule has so many of its rates behind its end."""
LEAST_EVALUATIONS = 4
GONE = 0.7
"""Of what was learned, lost again."""
LEARNED = 0.15
WORSE = 1.2
"""A loss that stands at so many times its best to the last digit is where nothing moves any more."""
FROZEN = 10
NEVER = 0.002
"""A distance that moved by less than this over the run never moved."""
MOST_TEXT = 120_000
MOST_COMMAND, MOST_PROCESSES = 4000, 64
_RATE = re.compile(
    r"(?<![\w.-])(?:(?:base|init|initial|peak|max|current|train)[_/ ])?(?:lr|learning[_ -]?rate|Lernrate"
    r"|tasa(?: de aprendizaje)?|taux(?: d'apprentissage)?|taxa(?: de aprendizado)?)['\"]?"
    rf"\s{{0,3}}[:=]?\s{{0,3}}\[?(?P<rate>{NUMBER})(?![\w%]|,\d)",
    re.IGNORECASE,
)
_NORM = re.compile(
    r"(?:\|\s?g(?:rad)?\s?\||(?<![A-Za-z])g(?:rad(?:ient)?)?[_ -]?norm|(?<![A-Za-z])grad(?:ient(?:e|en)?)?)['\"]?"
    rf"\s{{0,3}}[:=]?\s{{0,3}}(?P<norm>{NUMBER})(?![\w%])",
    re.IGNORECASE,
)
LEAST_NORM = 4
"""Letters of a norm that is told exactly enough: ``0.000``."""
_BLURRED = re.compile(r"0?\.0{2,7}\Z")
"""A number that is nought to so few digits only."""
_EVALUATED = re.compile(
    rf"(?<![A-Za-z])(?P<name>(?:val(?:id(?:ation)?)?|eval(?:uation)?|dev|held-?out|test)[ _/.-]?(?:{LOSS_WORDS}|{DISTANCES}|ppl|perplexity)"
    rf"|(?:Pr[üu]f|Validierungs|Kontroll)-?(?:{LOSSES}|fehler)|(?:{LOSSES}|erreur|error) (?:de |di )?(?:la )?(?:validation|validaci[óo]n"
    rf"|validazione|valida[çc][ãa]o))"
    rf"(?![A-Za-z])['\"]?\s{{0,3}}[:=]?\s{{0,3}}(?P<value>{NUMBER})(?![\w%])",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"\bep(?:och)?\D{0,4}(\d{1,6})", re.IGNORECASE)
_TUNED = re.compile(
    r"pre-?trained(?!['\"]?\s?[:=]\s?['\"]?(?:false|none|null|no\b|0))|from_pretrained|checkpoint shards|fine-?tun"
    r"|\bload(?:s|ed|ing)? (?:\w+ ){0,2}(?:weights|model|checkpoint|state|param\w*)\b"
    r"|\blora\b|\bpeft\b|\badapters?\b|warm[- ]start|\b(?:loaded|restored|resum(?:ed|ing)|initiali[sz]ed from)\b",
    re.IGNORECASE,
)
_TUNES = re.compile(
    r"(?<![A-Za-z])(?:sft|fine-?tun\w{0,6}|q?lora|peft|dpo|grpo|rlhf)(?![A-Za-z])"
    r"|(?:^|\s)--?(?:model[_-]name[_-]or[_-]path|pretrained(?:[_-]\w{1,24})?|(?:from|base)[_-](?:model|pretrained)|init[_-](?:from|weights|checkpoint)"
    r"|load[_-](?:weights|model))[ =](?!-|none|scratch|false|no\b|0)\S",
    re.IGNORECASE,
)
"""Words of a command that begins with somebody's weights."""
_GAMES = re.compile(
    r"loss[ _/]?(?:d|g|gen|disc)\b|\b(?:d|g|gen|disc|critic|generator|discriminator)[ _/]loss|adversar"
    r"|\bgan\b|contrastive|\bpolicy\b|self[-_ ]?play|\bwin[ _-]?rate|diffusion|denois|\bbenchmark(?:s|ing)?\b|\bdummy data|\brandom tokens",
    re.IGNORECASE,
)
"""Losses that hover while something is learned, or where nothing is there to be learned."""


def noughts(job: JobRecord, numbers: Sequence[float]) -> str | None:
    """Why a loss without a trend is one of weights that did not change; None where nothing shows it."""
    if (why := unmoved(job, numbers)) is not None:
        return why
    if len(numbers) < LEAST_WITH_PROOF or not level(numbers):
        return None
    text = "\n".join(_texts(job))
    return None if _TUNED.search(text) or _GAMES.search(text) else _at_one_height(numbers)


def unmoved(job: JobRecord, numbers: Sequence[float]) -> str | None:
    """What the program itself shows of weights that never changed, where a number without a trend would be theirs."""
    if len(numbers) < LEAST_WITH_PROOF or not level(numbers, steadily=False):
        return None
    text = "\n".join(_texts(job))
    if _no_rate(text):
        return "the learning rate is zero"
    same = _same_evaluation(text) if level(numbers) else None
    return f"each evaluation gave {same}" if same is not None else None


def no_rate(job: JobRecord) -> bool:
    """Whether every learning rate that the program tells is nought."""
    return _no_rate("\n".join(_texts(job)))


def rates_told(job: JobRecord) -> list[float]:
    """The learning rates that the log with the most of them tells, in its order, without what its settings and its last word tell."""
    told = ([value for found in _RATE.finditer(text) if (value := number(found["rate"])) is not None] for text in _texts(job))
    rates = max(told, key=len, default=[])
    rates = rates[1:] if len(rates) > 2 and rates[0] > rates[1] else rates
    return rates[:-1] if len(rates) > 2 and rates[-3] < rates[-2] > rates[-1] else rates


def rate_gone(job: JobRecord) -> tuple[int, int] | None:
    """How many of the last learning rates are nought to the last digit, and of how many; where they are half or more, and not all."""
    for text in _texts(job):
        told = [found["rate"] for found in _RATE.finditer(text)]
        least = VANISHED * max((abs(value) for rate in told if (value := number(rate)) is not None), default=0.0)
        gone = next((n for n, rate in enumerate(reversed(told)) if not abs(number(rate) or 0.0) <= least or _BLURRED.fullmatch(rate)), len(told))
        if LEAST_AT_CHANCE <= gone < len(told) and gone >= LAST_RATES * len(told):
            return gone, len(told)
    return None


def no_norm(job: JobRecord) -> int:
    """How many gradient norms the log with the most of them tells, where all of them are nought to three digits; else 0."""
    told = max(([found["norm"] for found in _NORM.finditer(text)] for text in _texts(job)), key=len, default=[])
    return len(told) if all(_BLURRED.fullmatch(norm) and len(norm) > LEAST_NORM for norm in told) else 0


def tuned_or_played(job: JobRecord) -> bool:
    """Whether the program, or its command, tells of somebody's weights it began with, or of losses that hover while something is learned."""
    return any(_TUNED.search(text) or _GAMES.search(text) for text in _texts(job)) or any(_TUNES.search(line) for line in _commands(job))


def _at_one_height(numbers: Sequence[float]) -> str | None:
    """Why numbers without a trend are a loss that never was another: a guess's, or so many values so near to each other."""
    mean, spread = statistics.fmean(numbers), statistics.pstdev(numbers)
    if len(numbers) >= LEAST_SAME and mean >= HIGH and spread <= SAME * mean:
        return "its values are as good as one" if spread else "all its values are one"
    if len(numbers) < LEAST_AT_CHANCE or spread > WOBBLE * mean:
        return None
    classes = next((n for n in CLASSES if abs(mean - math.log(n)) <= AT_CHANCE * math.log(n)), None)
    if classes is not None:
        return f"it is a guess's among {classes}"
    still = len(numbers) >= LEAST_STILL and mean >= HIGH and spread <= STILL * mean
    return f"none of its {len(numbers)} values lies apart from the others" if still else None


def plays(job: JobRecord) -> bool:
    """Whether the program tells of losses that rise and hover while something is learned: of two that play against each other, say."""
    return any(_GAMES.search(text) for text in _texts(job))


def lost_again(numbers: Sequence[float]) -> str | None:
    """In words, where most of what had been learned was lost for good, or the loss stands still far above its best."""
    if len(numbers) < LEAST_LOST:
        return None
    smooth = [statistics.median(numbers[max(0, i - 1) : i + 2]) for i in range(len(numbers))]
    start, best = statistics.median(numbers[:3]), min(smooth)
    lowest = min(numbers)
    if len(set(numbers[-FROZEN:])) == 1 and numbers[-1] > WORSE * lowest and start - lowest > LEARNED * start:
        return f"the loss had come down to {lowest:.4g} and stands at {numbers[-1]:.4g} since, to the last digit"
    tail = numbers[-max(5, len(numbers) // 5) :]
    learned = start - best
    if learned <= LEARNED * start or smooth.index(best) >= len(numbers) - len(tail):
        return None
    half = len(tail) // 2
    falls = statistics.median(tail[:half]) - statistics.median(tail[half:]) > 0.1 * learned
    still = max(tail) - min(tail) <= learned / 4
    if still and not falls and min(tail) >= best + GONE * learned:
        return f"the loss had come down to {best:.4g} and stands at {tail[-1]:.4g} again"
    return None


def never_moved(numbers: Sequence[float]) -> bool:
    """Whether a distance lies where it lay from the first value to the last."""
    return len(numbers) >= LEAST_AT_CHANCE and 0 < max(numbers) - min(numbers) <= NEVER * max(numbers)


def level(numbers: Sequence[float], *, steadily: bool = True) -> bool:
    """Whether the numbers have no trend downwards; ``steadily``: nor a small one that is more than their noise."""
    count, mean = len(numbers), statistics.fmean(numbers)
    if not 0 < mean < 1e9:
        return False
    third = max(1, count // 3)
    fall = (statistics.fmean(numbers[:third]) - statistics.fmean(numbers[-third:])) / mean
    head = (statistics.fmean(numbers[:3]) - statistics.fmean(numbers[3:])) / mean
    middle = (count - 1) / 2
    spread = sum((i - middle) ** 2 for i in range(count))
    slope = sum((i - middle) * (v - mean) for i, v in enumerate(numbers)) / spread
    rest = math.sqrt(sum((v - mean - slope * (i - middle)) ** 2 for i, v in enumerate(numbers)) / max(1, count - 2))
    steady = steadily and slope * math.sqrt(spread) < FALLS_STEADILY * rest
    return abs(fall) <= FALLS and abs(head) <= FALLS and not steady


def _commands(job: JobRecord) -> Iterator[str]:
    """What was started."""
    yield " ".join(job.command or ())[:MOST_COMMAND]
    yield from (row.submit_line[:MOST_COMMAND] for row in job.accounting if row.submit_line)
    yield from (" ".join(one.command)[:MOST_COMMAND] for report in job.reports for one in report.processes[:MOST_PROCESSES] if one.command)


def _texts(job: JobRecord) -> Iterator[str]:
    for report in job.reports:
        for one in report.excerpts:
            yield one.text[:MOST_TEXT]


def _no_rate(text: str) -> bool:
    """Whether every learning rate that is told is nought, and one of them to the last digit; or nearly all from the first ones on."""
    told = [found["rate"] for found in _RATE.finditer(text)]
    begun = next((at for at, rate in enumerate(told) if number(rate) == 0 and not _BLURRED.fullmatch(rate)), len(told))
    if len(told) >= LEAST_AT_CHANCE and begun <= FIRST_RATES * len(told) and all(number(rate) == 0 for rate in told[begun:]):
        return True
    if any((value := number(rate)) is None or not abs(value) <= NOUGHT for rate in told):
        return False
    return any(not _BLURRED.fullmatch(rate) for rate in told)


def _same_evaluation(text: str) -> str | None:
    """``val_loss: 1.1186``, where all of several evaluations gave it."""
    found: dict[str, dict[str, str]] = {}
    for number_, line in enumerate(text.splitlines()):
        for one in _EVALUATED.finditer(line[:600]):
            epoch = _EPOCH.search(line)
            found.setdefault(one["name"].lower(), {})[epoch[1] if epoch else f"line {number_}"] = one["value"]
    for name, told in found.items():
        by_epoch = {key: value for key, value in told.items() if not key.startswith("line")}
        values = by_epoch or told  # a summary behind the epochs may have other digits
        value = min(values.values(), key=len)
        digits = len(value.partition(".")[2])
        same = all(len(v) >= len(value) and f"{float(v):.{digits}f}" == value for v in values.values())
        if same and len(values) >= LEAST_EVALUATIONS and "." in value and len(value.lstrip("0.").replace(".", "")) >= 3:
            return f"{name} {value}"
    return None
