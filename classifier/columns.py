"""What the numbers in lines of progress did, by the words before them: perplexities, accuracies, returns and errors, where no loss shows it.

Lines alike but for their numbers are a table: each number's place is a column, the word before it the column's name. Read are the lines of progress
that are kept anyway, and only of a run that ended well without a loss that fell.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gpualert_slurm.classifier.chance import at_chance, changing, near_guess, of_noise, rose
from gpualert_slurm.classifier.crept import crept
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.hover import stuck
from gpualert_slurm.classifier.numbers import finite, pointed
from gpualert_slurm.classifier.recount import begins_within, counted_steps
from gpualert_slurm.classifier.table import DISTANCES, LOSS_WORDS
from gpualert_slurm.classifier.unlearned import HIGH, level, no_rate, tuned_or_played
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord

LEAST, LEAST_ALONE = 8, 20
LEAST_ROWS = 4
MOST_KINDS = 3
MOST_TEXT, MOST_HEAD = 400, 8192
SHARE = 0.67
"""An accuracy above it was learned somewhere."""
FALLEN = 0.97
"""Of its first third, what the last third of a number that got better is at most."""
ROUGH, HIGHER = 0.005, 1.03
"""How exactly a share is one class's; and what a loss was at first, at most, that did not come down."""
LEAST_SCORES, GUESSES = 12, (2, 3, 4, 5, 10, 20, 100, 1000)
NEAR_GUESS, SPREAD_GUESS = 0.08, 0.03
"""Of a guess's share, how far the mean of a score may lie from it; and the noise of a score about it."""
FLEW, FAR = 3.0, 1.5
"""An error at so many times its best, and its start."""
FOR_GOOD = 4.0
DIGITS = 5
"""Letters of a number that is told exactly enough to be told from one that is rounded."""
_NUMBER = re.compile(r"(?<![\w.])([-+]?(?:\d{1,60}(?:\.\d{0,18})?(?:e[-+]?\d{1,3})?|(?:nan|inf(?:inity)?)(?![A-Za-z_])))", re.IGNORECASE)
_BEHIND = re.compile(r"\s?(bits? per \w{1,12}|nats(?: per \w{1,12})?|perplexity)\b", re.IGNORECASE)
"""What a number is of, where that stands behind it."""
_CELL = re.compile(r"[\s,;|│┃\t]+")
_NAME = re.compile(r"([A-Za-z][\w ./@()+-]{0,30}?(?:(?<=[A-Za-z-])\d{1,2})?)[^A-Za-z]{0,12}\Z")
_LOWER = re.compile(
    rf"(?:\b|_)(?:{LOSS_WORDS}|{DISTANCES}|err(?:or)?s?|[wc]er|ppl|perplexity|bp[bc]|bits?|brier|residual|fid|surprise|Fehler"
    r"|misfit|discrepancy|inertia|distortion|deviance)(?:\b|_)", re.IGNORECASE
)
_HIGHER = re.compile(
    r"(?:\b|_)(?:acc(?:uracy)?|top-?[15]|auc|f1|dice|m?iou|map|bleu|r2|recall|precision|elbo|log[_-]?likelihood)(?:\b|_)",
    re.IGNORECASE,
)
_RETURN = re.compile(r"(?:\b|_)(?:reward|return)(?:\b|_)", re.IGNORECASE)
_HELD_OUT = re.compile(r"(?:\b|_)(?:val\w*|test|eval\w*|dev|held\w*|hold\w*)(?:\b|_)", re.IGNORECASE)
_NO_MEASURE = re.compile(r"(?:\b|_)(?:best|max|min|prev|last|lr|rate|time|eta|scale|norm|target)(?:\b|_)", re.IGNORECASE)
_PERPLEXITY = re.compile(r"\bppl\b|perplexity", re.IGNORECASE)
_BITS = re.compile(r"\bbits?\b|\bbp[bc]\b", re.IGNORECASE)
_DISTANCE = re.compile(r"(?:\b|_)(?:r?ms(?:l)?e|mae|mape|l[12]|misfit|discrepancy|inertia|distortion|deviance|residual)(?:\b|_)", re.IGNORECASE)
"""Which no guess among classes has a height of."""
_WRONG = re.compile(r"\b[wc]er\b", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """One place of a number in lines of one kind."""

    name: str
    values: tuple[float, ...]
    marks: tuple[Evidence, ...]

    @property
    def loses(self) -> bool:
        """Whether its word is of something that training lowers."""
        return _LOWER.search(self.name) is not None and _NO_MEASURE.search(self.name) is None

    @property
    def gains(self) -> bool:
        """Whether its word is of something that training raises."""
        return _HIGHER.search(self.name) is not None and _NO_MEASURE.search(self.name) is None

    @property
    def returns(self) -> bool:
        """Whether it is an agent's return."""
        return _RETURN.search(self.name) is not None and _NO_MEASURE.search(self.name) is None

    @property
    def counts(self) -> bool:
        """Whether it is a counter, whatever word stands before it (``loss @ 200: 0.31``)."""
        return all(v.is_integer() for v in self.values) and all(a < b for a, b in pairwise(self.values))

    @property
    def one(self) -> bool:
        """Whether it is the same to the last digit in every line."""
        return len(set(self.values)) == 1

    def better(self) -> bool:
        """Whether it came nearer to where training takes it."""
        third = max(1, len(self.values) // 3)
        first, last = statistics.median(self.values[:third]), statistics.median(self.values[-third:])
        first, last = (-first, -last) if self.gains or self.returns else (first, last)
        return last < first - (1 - FALLEN) * abs(first)


def columns(marks: Sequence[Evidence], job: JobRecord) -> tuple[Column, ...]:
    """The columns of the commonest kinds of line among ``marks``; a table's have the names of its header."""
    kinds: dict[tuple[str, ...], list[tuple[Evidence, list[str]]]] = {}
    for mark in marks:
        if isinstance(mark.source, Quote):
            text = pointed(mark.source.text[:MOST_TEXT])
            parts = _NUMBER.split(CLOCK.sub("", text) if ":" in text else text)
            kinds.setdefault(tuple(part.strip() for part in parts[::2]), []).append((mark, parts))
    found = []
    for rows in sorted(kinds.values(), key=len, reverse=True)[:MOST_KINDS]:
        if len(rows) < LEAST_ROWS:
            continue
        names = _names(rows[0][1])
        if len(names) > 1 and not any(names):
            names = _header(job, len(names)) or names
        where = tuple(mark for mark, _ in rows)
        found += [Column(name, tuple(float(parts[2 * at + 1]) for _, parts in rows), where) for at, name in enumerate(names)]
    return tuple(found)


def _of_one_log(marks: Sequence[Evidence]) -> Sequence[Evidence]:
    """Those of the first log: a script's repeats its steps', and ranks tell alike."""
    files = [(mark.where.node, mark.source.file if isinstance(mark.source, Quote) else "") for mark in marks]
    return [mark for mark, file in zip(marks, files, strict=True) if file == files[0]]


def _names(parts: Sequence[str]) -> list[str]:
    """The word before each number, or behind it."""
    around = zip(parts[::2], parts[2::2], strict=False)
    named = (_BEHIND.match(behind) or _NAME.search(before) for before, behind in around)
    return [found[1].strip() if found else "" for found in named]


def _header(job: JobRecord, cells: int) -> list[str]:
    """The names above a table of so many columns."""
    for text in heads(job, MOST_HEAD):
        for line in text.splitlines():
            names = [name for name in _CELL.split(line.strip(" |│┃\t,;")) if name]
            if len(names) == cells and all(name[0].isalpha() for name in names) and any(_LOWER.search(n) or _HIGHER.search(n) for n in names):
                return names
    return []


def unlearned(facts: Facts) -> tuple[str, str, tuple[Evidence, ...]] | None:
    """Variant, words and lines, where the columns show that nothing was learned; None where they do not."""
    marks = _of_one_log(facts.advance.marks)
    if len(marks) < LEAST:
        return None
    found = [c for c in columns(marks, facts.job) if len(c.values) >= LEAST and len(finite(c.values)) == len(c.values) and not c.counts]
    measures = [c for c in found if c.loses or c.gains or c.returns]
    if not measures or any(c.better() for c in measures):
        return _guessed(facts, found)
    trained = [c for c in measures if _HELD_OUT.search(c.name) is None] or measures
    for column in trained:
        if column.loses and (said := _of_loss(facts, column)) is not None:
            return said
    if all(level([abs(v) for v in c.values], steadily=False) for c in measures) and no_rate(facts.job):
        return "flat", f"{trained[0].name} did not change, and the learning rate is zero", trained[0].marks[-3:]
    return _frozen(facts, measures) or _of_guesses(facts, measures) or _same(facts, trained, measures) or _guessed(facts, found)


def _of_loss(facts: Facts, column: Column) -> tuple[str, str, tuple[Evidence, ...]] | None:
    """A number that is to be lowered and lies at a guess's height, or flew away from where it had been."""
    values, name = list(column.values), column.name
    if min(values) > 0:
        logs = [math.log(v) for v in values] if _PERPLEXITY.search(name) else [v * math.log(2) for v in values] if _BITS.search(name) else values
        if min(logs) > 0 and not _DISTANCE.search(name) and (why := at_chance(facts.job, logs, ())) is not None:
            return "flat", f"{name} lies at {statistics.fmean(values):.4g} from the start to the end: {why}", column.marks[-3:]
    if (why := of_noise(name, values)) is not None:
        return "flat", f"{name} lies at {statistics.fmean(values):.4g} from the start to the end: {why}", column.marks[-3:]
    steps = counted_steps(facts)
    anew = bool(steps) and steps[0] <= begins_within(steps) and not facts.advance.loaded and facts.advance.loss is None and not column.one
    if anew and (why := crept(facts.job, values)) is not None:
        return "flat", f"{name} lay about {statistics.fmean(values):.4g} from the start to the end: {why}", column.marks[-3:]
    if min(values) < 0 or facts.advance.loss is not None or _HELD_OUT.search(name) or tuned_or_played(facts.job) or changing(facts.job):
        return None
    start, best, last = max(statistics.median(values[:3]), values[0]), min(values), statistics.median(values[-3:])
    flew = last > FLEW * best and last > FAR * start and last - best > 0.5 and (values[-1] >= max(values[:-2]) or _stays(values, start, best))
    if flew or rose(facts.job, values) is not None:
        return "spike", f"{name} rose from {values[0]:.4g} to {values[-1]:.4g}, its best was {best:.4g}", column.marks[-3:]
    return None


def _stays(values: Sequence[float], start: float, best: float) -> bool:
    """Whether it is far off for good: in all of its last third, after it had come down, and nearly all of it in one step."""
    tail = values[-max(LEAST_ROWS, len(values) // 3) :]
    leap = max(b - a for a, b in pairwise(values))
    return best < start and min(tail) > FOR_GOOD * start and leap > 0.5 * (statistics.median(tail) - best)


def _frozen(facts: Facts, measures: Sequence[Column]) -> tuple[str, str, tuple[Evidence, ...]] | None:
    """Several measures, or one in very many lines, that are each one number from the first step on, to all its digits: what learns leaves none so."""
    if len({c.values for c in measures}) < 2 and (len(measures[0].values) < LEAST_ALONE or measures[0].values[0] < HIGH):
        return None
    if not all(c.one and c.loses and len(f"{c.values[0]:g}") >= DIGITS for c in measures):
        return None
    steps = counted_steps(facts)
    if not steps or steps[0] > begins_within(steps) or facts.advance.loaded or tuned_or_played(facts.job):
        return None
    told = " and ".join(f"{c.name} {c.values[0]:.6g}" for c in measures[:2])
    return "flat", f"{told} from the start to the end, to the last digit", measures[0].marks[-3:]


def _of_guesses(facts: Facts, measures: Sequence[Column]) -> tuple[str, str, tuple[Evidence, ...]] | None:
    """Scores alone, all of which lie from the first line to the last where a guess among so many classes lies, but for their noise."""
    scores = [[v / 100 if max(c.values) > 1 else v for v in c.values] for c in measures if c.gains]
    if len(scores) < len(measures) or not scores or len(scores[0]) < LEAST_SCORES or tuned_or_played(facts.job):
        return None
    means = [statistics.fmean(s) for s in scores]
    classes = next((n for n in GUESSES if all(abs(m - 1 / n) <= NEAR_GUESS / n for m in means)), None)
    noisy = [s for s in scores if len(set(s)) > 1]  # of held-out data, who gives one answer always has one share
    if classes is None or not noisy or any(stuck(s) is not True or statistics.pstdev(s) > SPREAD_GUESS for s in noisy):
        return None
    return "flat", f"{measures[0].name} lay about {means[0]:.3g} from the start to the end: a guess's among {classes}", measures[0].marks[-3:]


def _same(facts: Facts, trained: Sequence[Column], found: Sequence[Column]) -> tuple[str, str, tuple[Evidence, ...]] | None:
    """A score that is one number to the last digit in every line, and none that a model has that knows something."""
    returns = [c for c in trained if c.returns]
    if returns and all(c.one for c in returns) and (stuck := returns[0]).values[0] <= 0:
        return "flat", f"{stuck.name} was {stuck.values[0]:.6g} from the start to the end", stuck.marks[-3:]
    losses = [c for c in trained if c.loses]
    for column in trained:
        if not column.one or not _a_guess_s(column, losses, found) or tuned_or_played(facts.job):
            continue
        value = column.values[0] / 100 if column.values[0] > 1 else column.values[0]
        low = 0 <= value <= SHARE if column.gains else _WRONG.search(column.name) is not None and value >= 1
        if low and all(c.one for c in trained if c.gains):
            return "flat", f"{column.name} was {column.values[0]:.6g} from the start to the end, to the last digit", column.marks[-3:]
    return None


def _a_guess_s(column: Column, losses: Sequence[Column], found: Sequence[Column]) -> bool:
    """Whether a score is of the same answer to everything.

    It is nought or one class's share, and no loss beside it was higher at first; without a loss, another score is the very same: of other data.
    """
    if not losses:
        return sum(c.gains and c.values == column.values for c in found) > 1
    value = column.values[0] / 100 if column.values[0] > 1 else column.values[0]
    share = value in {0.0, 1.0} or any(abs(value - 1 / n) <= ROUGH / n for n in range(2, 101))
    return share and all(c.values[0] <= HIGHER * statistics.median(c.values[-max(1, len(c.values) // 3) :]) for c in losses)


def _guessed(facts: Facts, found: Sequence[Column]) -> tuple[str, str, tuple[Evidence, ...]] | None:
    """A number of any name that lies, line for line, at the logarithm of as many classes as the program tells."""
    for column in found:
        if min(column.values) > 0 and not column.one and not column.gains and (classes := near_guess(facts.job, column.values)):
            told = f"its lines tell {statistics.fmean(column.values):.4g} from the start to the end: a guess's among {classes}"
            return "flat", told, column.marks[-3:]
    return None
