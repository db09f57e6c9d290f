"""What the numbers of a run did, whatever they are called: became nan, flew off by orders of magnitude, or never moved.

Which way is better no name tells here. But nothing that is measured of a run that goes well becomes a hundred times what it was at first and at its
lowest, or lies from the first line to the last where it lay, with all that is measured beside it.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence

from gpualert_slurm.classifier.chance import at_chance, blown_up, changing, of_the_mean
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.fallen_away import fell_away
from gpualert_slurm.classifier.fallen_back import fallen_back, lost_again
from gpualert_slurm.classifier.gone import LEAST_GONE, OTHERS
from gpualert_slurm.classifier.hover import KNOWS, stuck, trend
from gpualert_slurm.classifier.idle import idle, trains
from gpualert_slurm.classifier.lineage import COUNTS
from gpualert_slurm.classifier.measures import Measure, Measured
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.classifier.ran_up import ran_up
from gpualert_slurm.classifier.rate_columns import rate_column_gone
from gpualert_slurm.classifier.score_at_chance import score_at_chance
from gpualert_slurm.classifier.scores import SCORE
from gpualert_slurm.classifier.stages import stages
from gpualert_slurm.classifier.stood import stood
from gpualert_slurm.classifier.table import DISTANCES, LOSS_WORDS
from gpualert_slurm.classifier.undone import undone
from gpualert_slurm.classifier.unlearned import HIGH, no_norm, rate_gone, tuned_or_played

LEAST_FLOWN, LEAST_STILL = 6, 10
FLOWN, JUMPED, STAYS, LEAST_BESIDE = 100.0, 10.0, 0.8, 3
"""Of its first values and of its lowest, what a number has flown to; of all before, what it jumped to at once; of that, what it ends at; lines
before and behind."""
LOST, FALLEN = 5.0, 2.0
"""Of its lowest, where a number stands that had come down to it; of its lowest, what it was at first, at least."""
SETTLED, MANY = 5, 20
"""Values in a row of which the middle one is taken, where there are so many in all."""
STANDS = 0.01
LITTLE, NOISE, STEADY = 0.012, 0.05, 2.0
"""Of its height: all that a number moved; its noise, where it has no slope by its own error."""
UNMOVED = 0.9
"""Of its first third, what the last third of a number that did not come down is at least."""
OUTLIER, NOUGHT = 3.0, 1e-6
LEAST_DIGITS, MANY_DIGITS = 3, 5
HEIGHT, NAILED, POOR = 0.05, 1e-3, 0.3
"""What a loss is at least; of it, all that it moved; and what the score beside it is at most."""
MANY_MORE = 3
WARMING = 100
"""Of fewer steps a rate may still be rising."""
_GAINS = re.compile(r"reward|return|score|elo\b|length|rating|profit|level|snr|energy|accept", re.IGNORECASE)
_AN_ERROR = re.compile(r"(?:\b|_)(?:r?mse|mae|mape|loss|err(?:or)?)\Z", re.IGNORECASE)
"""Of what gains and energies: ``energy_mae``."""
_GROWS = re.compile(r"(?:\b|_)(?:kl\w{0,3}|sum|total|length|distance|dist|size|population|reach|height|speed|visited|seen)(?:\b|_)", re.IGNORECASE)
_RAISED = re.compile(rf"{SCORE.pattern}|(?:\b|_)(?:p?snr|si-?s[dn]ri?|sdr|ssim|elo)(?:\b|_)(?![ _/.-]?(?:loss|err(?:or)?)\b)", re.IGNORECASE)
_SUMMED = re.compile(r"\blog[ _-]?(?:joint|post\w{0,6}|lik\w{0,8}|evidence|density)\b|\bl(?:og)?l(?:ik)?\b", re.IGNORECASE)
"""Summed over all data: a small share of its height may be all that there is to learn."""
_SUM = re.compile(r"\b(?:total|sum)\b", re.IGNORECASE)
_PLAYED = re.compile(r"episod|frame|game|rollout|env", re.IGNORECASE)
"""What an agent counts by."""
_DOES = re.compile(
    r"scor|process|\brows?\b|\bread\b|wrote|written|\bfiles?\b|\bitems?\b|predict|eval|infer|test|valid|render|convert|\btiles?\b|bench",
    re.IGNORECASE,
)
"""What is counted where nothing is learned."""
_RIVAL = re.compile(r"(?:(?:loss|err)[ _]?)?(?:[dg]|disc\w{0,12}|gen\w{0,8}|critic|actor|adv\w{0,10})(?:[ _]?(?:loss|err))?\Z", re.IGNORECASE)
"""Of two that play against each other: where neither wins, both of their losses lie at chance, however well they play."""
_PHYSICAL = re.compile(
    r"(?:(?:total|potential|kinetic|pot|kin|free|internal)[ _.])?"
    r"(?:E|U|H|K|P|V|T|e_?(?:tot|pot|kin|pair|mol|coul|vdwl|bond|long)|(?:tot|pot|kin)eng|press|etotal|energ(?:y|ie|[íi]a)|temp\w{0,8}|pressure|density|volume|mass)"
    r"(?:[ _]?(?:tot(?:al)?|pot|kin))?",
    re.IGNORECASE,
)
"""What a simulation tells of what it keeps."""
_LOWERED = re.compile(rf"(?<![A-Za-z])(?:{LOSS_WORDS}|{DISTANCES}|mean squ?are)(?![A-Za-z])", re.IGNORECASE)
_COUNTS = re.compile(rf"(?:\b|_)(?:{COUNTS}|ep|e|n|i|t)(?:\b|_)", re.IGNORECASE)
_STEPS = re.compile(r"(?:global|train)?[_ ]?(?:steps?|it|iter(?:ation)?s?|upd(?:ate)?s?|batch(?:es)?)\Z", re.IGNORECASE)


def shape_of(facts: Facts) -> tuple[str, str] | None:
    """Variant of a run that did not learn, and the words; None where the numbers do not show it."""
    found = facts.measured
    if found is None:
        return None
    flown = _gone(found) or _flown(found) or fell_away(facts) or ran_up(facts) or _blown_up(facts, found)
    lies_there = flown or _lost(facts, found) or undone(facts, found) or score_at_chance(facts) or _stood(found)
    lies_there = lies_there or _nailed(facts, found) or _guessed(facts, found)
    return lies_there or _without_gradient(facts, found) or _still(facts, found) or _idle(facts, found) or _rate_gone(facts)


def of_odd_lines(facts: Facts, losses: tuple[float, ...]) -> bool:
    """Whether no loss that is known is a number, and they are of a few lines beside many more in which what is measured stays one to the end."""
    found = facts.measured
    if found is None or finite(losses) or not facts.ended_well or len(found.counter.counts) < MANY_MORE * len(losses):
        return False
    return all(len(m.finite) == len(m.values) for m in found.measures)


def _stood(found: Measured) -> tuple[str, str] | None:
    """What it was held at; a player's reward may settle."""
    return None if any(_GAINS.search(m.name) for m in found.measures) else stood(found)


def _gone(found: Measured) -> tuple[str, str] | None:
    """The first of its measures is no number at the end, and not of validation alone."""
    own = [m for m in found.measures if OTHERS.search(m.name) is None]
    if not own or len(own[0].values) < LEAST_GONE:
        return None
    first = own[0]
    if any(math.isfinite(v) for v in first.values[-3:]):
        return None
    all_along = not first.finite
    return "non_finite", f"{first.called} was no number {'from the first line on' if all_along else 'any more at the end'}"


def _flown(found: Measured) -> tuple[str, str] | None:
    for m in found.measures[:1]:  # others may grow as they please: a divergence, a norm, a rate
        values = m.finite
        if len(values) < LEAST_FLOWN or len(values) < len(m.values) or min(values) < 0 or m.straight or m.percent:
            continue
        if (_GAINS.search(m.name) and not _AN_ERROR.search(m.name)) or SCORE.search(m.name) or _GROWS.search(m.name):
            continue
        first, last, lowest = statistics.median(values[:2]), statistics.median(values[-3:]), min(values)
        if last > max(FLOWN * first, FLOWN * lowest, 1.0) and first > 0:
            return "spike", f"{m.called} went from {values[0]:.4g} to {values[-1]:.4g}"
        if (jump := _jump(values)) is not None:
            return "spike", f"{m.called} jumped from {jump[0]:.4g} to {jump[1]:.4g}, and stayed up to the last line ({values[-1]:.4g})"
        tail = values[-max(4, len(values) // 6) :]
        at = values.index(lowest)
        stands = max(tail) - min(tail) <= STANDS * last
        if stands and lowest > 0 and last >= max(LOST * lowest, values[0]) and values[0] >= FALLEN * lowest and 0 < at < 0.8 * len(values):
            return "plateau", f"{m.called} had come down from {values[0]:.4g} to {lowest:.4g}, and stands at {last:.4g}"
    return None


def _nailed(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """A loss of training that lies where it lay to a thousandth, beside a score that is low to the end."""
    first, scores = found.measures[0], [m for m in found.measures if SCORE.search(m.name)]
    if len(first.values) < LEAST_STILL + 2 or first.digits < LEAST_DIGITS or len(first.finite) < len(first.values) or OTHERS.search(first.name):
        return None
    mean = statistics.fmean(first.values)
    lain = mean > HEIGHT and max(first.values) - min(first.values) <= NAILED * mean
    low = bool(scores) and all(max(m.values) <= 1 and m.values[-1] < POOR for m in scores)
    if not lain or not low or not found.counter.from_the_first or facts.advance.loaded or tuned_or_played(facts.job) or changing(facts.job):
        return None
    return "flat", f"{first.called} lay at {mean:.4g} from the first line to the last, and {scores[0].called} ended at {scores[0].values[-1]:.4g}"


def _blown_up(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """The first of its measures had come down, shot up, and did not come back."""
    first = found.measures[0]
    unfit = len(first.finite) < len(first.values) or min(first.values) < 0 or first.straight or first.percent
    if unfit or any(kind.search(first.name) for kind in (_GAINS, SCORE, _GROWS, OTHERS)):
        return None
    return None if (why := blown_up(facts.job, first.values, first.called)) is None else ("spike", why)


def _lost(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """The first of its measures had come down and is back, while nothing beside it that is to rise got better."""
    first = found.measures[0]
    if (fell := next((told for m in found.measures if _RAISED.search(m.name) and (told := lost_again(m))), None)) is not None:
        return None if changing(facts.job) or tuned_or_played(facts.job) or stages(facts.job) is not None else fell
    name = _SUM.sub("", first.name)  # which may be a loss's
    if any(kind.search(name) for kind in (_GAINS, SCORE, _GROWS, OTHERS)):
        return None
    better = any(_GAINS.search(m.name) or (SCORE.search(m.name) and stuck(m.finite) is False) for m in found.measures)
    if better or _PLAYED.search(found.counter.word):
        return None
    if (told := fallen_back(first)) is None or changing(facts.job) or tuned_or_played(facts.job):
        return None
    return told


def _rate_gone(facts: Facts) -> tuple[str, str] | None:
    if (told := rate_gone(facts.job) or rate_column_gone(facts.job)) is None:
        return None
    return "plateau", f"the learning rate was nought, or as good as nought, in the last {told[0]} of the {told[1]} lines that tell it"


def _guessed(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """A number of training that lies where a guess's loss does, beside a score that is a guess's, too; a squared error of 1."""
    first, scores = found.measures[0], [m for m in found.measures if SCORE.search(m.name)]
    if len(first.values) < LEAST_STILL or len(first.finite) < len(first.values) or OTHERS.search(first.name) or not found.counter.from_the_first:
        return None
    if facts.advance.loaded or first in scores or _GAINS.search(first.name):
        return None
    poor = bool(scores) and all(statistics.fmean(m.values) < POOR * (100 if max(m.values) > 1 else 1) for m in scores)
    why = of_the_mean([first.name], first.values) or (at_chance(facts.job, first.values, scores[0].values) if poor else None)
    return None if why is None else ("flat", f"{first.called} lay about {statistics.fmean(first.values):.4g} from the first line to the last: {why}")


def _without_gradient(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """A gradient norm of nought in all lines that tell of one, by any name, while what is measured first did not come down."""
    values, count = found.measures[0].values, no_norm(facts.job)
    third = len(values) // 3
    if count < LEAST_STILL or len(values) < LEAST_STILL or not all(math.isfinite(v) for v in values) or min(values) <= STANDS:
        return None
    exactly = len(set(values)) == 1 and found.measures[0].digits > LEAST_DIGITS  # nothing was tuned, whosever weights they are
    if statistics.median(values[-third:]) < UNMOVED * statistics.median(values[:third]) or (tuned_or_played(facts.job) and not exactly):
        return None
    return "flat", f"the gradient norm was nought in all of {count} lines, and {found.measures[0].called} did not come down"


def _jump(values: Sequence[float]) -> tuple[float, float] | None:
    """The two values between which all that follows came to lie far above all that was before."""
    for at in range(LEAST_BESIDE, len(values) - LEAST_BESIDE + 1):
        stays = statistics.median(values[-3:]) >= STAYS * values[at]  # another stage's loss would come down again
        if stays and min(values[at:]) >= JUMPED * max(values[:at]) > 0:
            return values[at - 1], values[at]
    return None


def _still(facts: Facts, found: Measured) -> tuple[str, str] | None:
    measures = [m for m in found.measures if m.digits]
    if not measures or any(_SUMMED.search(m.name) or len(m.finite) < len(m.values) or not lies(m.values) for m in measures):
        return None
    counts = not found.counter.word or _COUNTS.search(found.counter.word) is not None
    if not _had_to_move(facts, found, measures) or not counts or not (trains(facts) or _LOWERED.search(measures[0].name)):
        return None
    moved = any(len(set(m.values)) > 1 and m.digits >= LEAST_DIGITS for m in measures)
    stood = sum(m.digits >= MANY_DIGITS for m in measures)
    both = stood > 0 and sum(m.digits > LEAST_DIGITS for m in measures) > 1
    one = len(measures) > 1 and len(found.counter.counts) >= MANY and all(len(set(m.values)) == 1 and m.digits > LEAST_DIGITS for m in measures)
    if not (moved or both or one or stood > 1 or (stood and len(found.counter.counts) >= LEAST_STILL + 2)):
        return None
    first = next((m for m in measures if len(set(m.values)) > 1), measures[0])
    height = f"{statistics.fmean(first.values):.4g}"
    return "flat", f"{first.called} lay about {height} from the first line to the last, with all that is told beside it"


def _idle(facts: Facts, found: Measured) -> tuple[str, str] | None:
    """Nothing that is told has a trend, however noisy it is; what is measured is not of a player, nor of something else than training."""
    first = found.measures[0]
    other = any(kind.search(first.name) for kind in (_GROWS, OTHERS)) or any(_GAINS.search(m.name) for m in found.measures)
    return None if other or not _had_to_move(facts, found, found.measures) else idle(facts, found)


def _had_to_move(facts: Facts, found: Measured, measures: Sequence[Measure]) -> bool:
    """Whether the run counts from the first one, far enough, and is one that learns something which it did not know before."""
    counter, loss = found.counter, facts.advance.loss
    few = len(counter.counts) < LEAST_STILL or (_STEPS.search(counter.word) is not None and counter.counts[-1] < WARMING)
    if few or not counter.from_the_first or facts.advance.loaded or tuned_or_played(facts.job) or changing(facts.job):
        return False
    if _DOES.search(counter.word) or any(_GAINS.search(m.name) for m in measures) or _DOES.search(measures[0].name):
        return False
    if sum(_RIVAL.match(m.name) is not None for m in measures) > 1 or _PHYSICAL.fullmatch(measures[0].name):
        return False
    if loss is not None and statistics.fmean(finite(loss.values) or [0.0]) < HIGH:
        return False  # it may have learned what there is
    scores = [m for m in measures if SCORE.search(m.name)]
    knows = any((abs(m.values[-1]) if max(m.values) <= 1 else m.values[-1] / 100) > KNOWS for m in scores)
    return len(scores) < len(measures) and not knows


def settled_best(values: Sequence[float]) -> float:
    """The best that held: the lowest median of SETTLED values in a row, where there are MANY; of fewer, the lowest value.

    One lucky batch of a noisy loss is far below all others, and the end is then no spike.
    """
    if len(values) < MANY:
        return min(values)
    return min(statistics.median(values[i : i + SETTLED]) for i in range(len(values) - SETTLED + 1))


def lies(values: Sequence[float]) -> bool:
    """Whether numbers lie where they lay: they moved by next to nothing, or are noise without a slope and without a first value apart."""
    middle = statistics.fmean(values)
    mean = abs(middle)
    if max(abs(v) for v in values) <= NOUGHT:
        return False  # what is left over where a solver had converged
    if middle > 0 and max(values) - min(values) <= LITTLE * mean:  # an energy, a likelihood below nought has a height by chance
        return True
    rest = values[1:]
    apart = abs(values[0] - statistics.fmean(rest)) > OUTLIER * statistics.pstdev(rest)
    return mean > 0 and not apart and len(values) >= LEAST_STILL + 2 and statistics.pstdev(values) <= NOISE * mean and abs(trend(values)) < STEADY
