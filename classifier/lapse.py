"""A run that counts on from a state and learns all over: the count was taken over, what had been learned was not.

Its first lines say how far the state had come, and the run counts on right behind that. What it then loses comes down at once, as only what begins
with nothing does: from far above what the state's own line says that it had come to, or by most of its fall in its first few lines. What went on
falls slowly, or in mid-run, with the learning rate.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.columns import columns
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.lineage import LEAST_LOSSES, OTHERS, READ, RESUMES, RIGHT, before_progress
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.classifier.recount import counted_steps
from gpualert_slurm.evidence import Evidence, Quote

HIGHEST = 0.97
ABOVE, BACK = 1.8, 1.6
"""So many times what the state's line says is where such a run begins, at least; and what it comes back to, at most."""
MOST_BEFORE = 1e6
"""Had it come down before as it does in its first lines, it would have begun so many times higher, and more: no loss does."""
STILL_HIGH = 1.5
"""So many times where it ends is its second value, too: one alone may be of one odd batch."""
DEEP, FIRST_PART, MOST_OF_IT = 3.0, 0.2, 0.75
"""By how many times the first loss is above all those behind the first part of the run; and how much of the fall that part has."""
_SAYS = re.compile(
    r"(?<![A-Za-z])(?:loss|val(?:id(?:ation)?)?|dev|best|rmse|mse|mae|err(?:or)?|nll|xent|ppl|perplexity|bpc|wer|cer|Verlust|perte|p[ée]rdida|perdita)"
    r"(?:[ _](?:loss|so far|val|dev|rmse|mse|err|nll|ppl|value))?['\"]?\W{0,4}(?P<value>\d{1,6}[.,]\d{1,8})(?![\w.%])",
    re.IGNORECASE,
)
_RIGHT_SAYS = re.compile(
    r"(?<![A-Za-z])(?:acc(?:uracy)?|top-?[15]|f1|iou|miou|auc|best)['\"]?\W{0,4}(?P<value>\d{1,3}[.,]\d{1,8})(?![\w.])", re.IGNORECASE
)
_WHOLE = re.compile(r"(?<![\w.,])\d{1,9}(?![\w]|[.,]\d)|(?<![\d.])\d{1,9}(?=\.[A-Za-z])")


def learned_again(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """In words, that a run counts on from a state that it does not go on from, and what is cited for it; None where that does not show."""
    steps = counted_steps(facts) or list(facts.measured.counter.counts if facts.measured is not None else ())
    apart = next((b - a for a, b in pairwise(steps) if b > a), 0)
    if len(steps) < LEAST_LOSSES or steps[0] <= max(1, apart):
        return None
    lines = before_progress(facts)
    if any(OTHERS.search(text) for text in (*lines, *(line for line, _ in command_lines(facts.job, facts.row)))):
        return None
    told = [e for e in facts.advance.loaded if isinstance(e.source, Quote)]
    texts = {e.source.text.strip() for e in told if isinstance(e.source, Quote)}
    taken = [line for line in lines if line.strip() in texts or READ.search(line) or RESUMES.search(line)]
    reach = [at for line in taken for at in _counts(line) if steps[0] - max(1, apart) <= at <= steps[0]]
    if not reach:
        return None
    had = [float(found["value"].replace(",", ".")) for line in taken for found in _SAYS.finditer(line)]
    before = max(reach) / max(1, apart)
    right = [_share(found["value"]) for line in taken for found in _RIGHT_SAYS.finditer(line)]
    if not any(_fell(values, had, before) for values in _lowered(facts)) and not _rose(facts, right):
        return None
    return f"it counts on from {max(reach)}, and what it loses comes down from where nothing had been learned", (*told[:1], *facts.advance.marks[:1])


def _counts(line: str) -> list[int]:
    return [int(found[0]) for found in _WHOLE.finditer(line)]


def _lowered(facts: Facts) -> list[Sequence[float]]:
    """What the run tells that training lowers."""
    found = [facts.advance.loss.values] if facts.advance.loss is not None else []
    found += [column.values for column in columns(facts.advance.marks, facts.job) if column.loses and not column.counts]
    told = facts.measured.measures if facts.measured is not None else ()
    return [*found, *(measure.values for measure in told if RIGHT.search(measure.name) is None)]


def _share(text: str) -> float:
    value = float(text.replace(",", "."))
    return value / 100 if value > 1 else value


def _rose(facts: Facts, had: Sequence[float]) -> bool:
    """Whether a share of what is right begins far below what the state ``had`` come to, and comes back to it."""
    for measure in facts.measured.measures if facts.measured is not None else ():
        values = [v / 100 if max(measure.finite, default=0.0) > 1 else v for v in measure.finite]
        if RIGHT.search(measure.name) is None or len(values) < LEAST_LOSSES:
            continue
        if any(0 <= values[0] <= one / ABOVE and statistics.median(values[-3:]) >= one / BACK for one in had):
            return True
    return False


def _fell(numbers: Sequence[float], had: Sequence[float], before: float) -> bool:
    """Whether values come down as from nothing: from far above what the state ``had`` come to, or nearly at once from above all the others.

    ``before`` is how many values the state had behind it.
    """
    values = [v for v in numbers if math.isfinite(v) and v > 0]
    if len(values) < LEAST_LOSSES or len(values) < len(numbers):
        return False
    first, last = values[0], statistics.median(values[-3:])
    behind = values[max(1, int(FIRST_PART * len(values))) :]
    if first < HIGHEST * max(values):
        return False
    if any(first >= ABOVE * one and last <= BACK * one and first >= ABOVE * last for one in had):
        return True
    if values[1] >= first or values[1] < STILL_HIGH * last or before * math.log(first / values[1]) < math.log(MOST_BEFORE):
        return False
    return first >= DEEP * max(behind) and first - statistics.median(behind[:3]) >= MOST_OF_IT * (first - last)
