"""What an agent is paid, by any name that a pattern knows, and a run in which it was lost again.

A return wobbles; but one that had come up by far, and lies in all of its last lines where it had begun or below, was lost. Where others learn against
the agent, or its task gets harder, it may go back for a good reason.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.measures import MOST_LINES, Measure, Measured, Series, series_of
from gpualert_slurm.job_record import JobRecord

RETURN = re.compile(
    r"(?:\b|_)(?:rewards?|returns?|ret|rets|rew|rews|fitness|solved"
    r"|success(?:es)?(?:[ _]rate)?|wins?|won|win[ _]?rate|right|correct"
    r"|belohnung\w{0,2}|r[ée]compenses?|recompensas?|ricompens[ae]|beloning"
    r"|bel[öo]nning|bel[öo]ning|nagrod[ay]|odm[ěe]na|[öo]d[üu]l|jutalom"
    r"|наград\w{1,2}|вознагражд\w{1,6}|奖励|回报|報酬|보상)(?:\b|_|\Z)",
    re.IGNORECASE,
)
LEAST = 12
LEAST_TAIL = 4
GAINED = 0.4
"""A return that grew by this share of the larger of both had been learned."""
KEPT = 0.15
"""No more of it is left."""
LEAST_SUNK, SUNK = 20, 1.0
"""Lines; and of what its first ones reach over, how far below them returns lie that sank."""
FAR, ROSE = 0.3, 1.1
"""Of the lowest of its first ones, what it ends at: then it need not have grown by so much, but to so many times the highest of these."""
_LOWERED = re.compile(
    r"non_?score|chosen|rejected|logps|\bkl\b|loss|err(?:or)?\b|cost|penalt|regret|variance|std|fehler|perte|p[ée]rdida", re.IGNORECASE
)
_PAID = re.compile(r"(?:\b|_)(?:rewards?|returns?|ret|rew|belohnung|r[ée]compenses?|recompensas?|ricompens[ae])(?:\b|_|\Z)", re.IGNORECASE)
"""What is surely to rise."""
MOST_TEXT = 65_536
LEAST_WHOLE = 10
"""Of fewer than so many a share is no measure."""
_OF_ALL = re.compile(r"of|/|out of|von|sur|de|di|från|z|из", re.IGNORECASE)
_HARDER = re.compile(r"self[-_ ]?play|opponent|league|adversar|curriculum|\b(?:level|stage|difficulty|task)[ _:=#]{0,3}\d", re.IGNORECASE)


def lost_return(facts: Facts, found: Measured | None) -> str | None:
    """In words, where a return that the lines of a run tell was lost again."""
    measures = found.measures if found is not None else ()
    told = [m for m in measures if RETURN.search(m.name) and not _LOWERED.search(m.name) and not m.straight]
    for m in told or shares(facts.job):
        if len(m.finite) == len(m.values) and (lost := lost_again(m.values)) is not None and not _gets_harder(facts):
            return f"{m.called} had come up to {lost:.4g} and is back at {m.values[-1]:.4g}"
        if len(m.finite) == len(m.values) and _PAID.search(m.name) and sunk(m.values) and not _gets_harder(facts):
            return f"{m.called} sank from {m.values[0]:.4g} to {m.values[-1]:.4g}"
    return None


def lost_again(values: Sequence[float]) -> float | None:
    """The height from which the returns came back to where they had begun, or below; None where they did not."""
    if len(values) < LEAST:
        return None
    smooth = [statistics.median(values[max(0, i - 1) : i + 2]) for i in range(len(values))]
    start, best = statistics.median(values[:3]), max(smooth)
    tail, gained = values[-max(LEAST_TAIL, len(values) // 4) :], best - start
    if gained <= 0:
        return None  # nothing was ever learned that could be lost
    far_below = 0 <= max(tail) <= FAR * min(values[:3]) and best > ROSE * max(values[:3])
    if (gained < GAINED * max(abs(start), abs(best)) and not far_below) or smooth.index(best) >= len(values) - len(tail):
        return None
    return best if max(tail) <= start + KEPT * gained else None


def sunk(values: Sequence[float]) -> bool:
    """Whether returns that never rose sank far below all that they were at first, and stayed there."""
    if len(values) < LEAST_SUNK:
        return False
    first, tail = values[: max(LEAST_TAIL, len(values) // 4)], values[-max(LEAST_TAIL, len(values) // 4) :]
    reach = max(first) - min(first)
    return reach > 0 and max(tail) < min(first) - SUNK * reach and max(tail) < statistics.median(first) - abs(min(first)) / 2


def shares(job: JobRecord) -> list[Measure]:
    """What an agent, or whoever sorts, got right of so many in each line: ``won 41 of 50``."""
    found = []
    for one in (x for report in job.reports for x in report.excerpts):
        for group in series_of(one.text[:MOST_TEXT].splitlines()[:MOST_LINES], LEAST).values():
            for part, whole in pairwise(group):
                if RETURN.search(part.name) and _OF_ALL.fullmatch(part.behind.strip()) and (share := _share(part, whole)) is not None:
                    found.append(share)
    return found


def _share(part: Series, whole: Series) -> Measure | None:
    if len(set(whole.texts)) > 1 or not all(text.isdigit() for text in (*part.texts, whole.texts[0])):
        return None
    values, of = part.values(), float(whole.texts[0])
    if of < LEAST_WHOLE or max(values) > of:
        return None
    return Measure(part.name, tuple(v / of for v in values), straight=False, percent=False, digits=max(len(text) for text in part.texts))


def _gets_harder(facts: Facts) -> bool:
    return any(_HARDER.search(text) for text in heads(facts.job, MOST_TEXT))
