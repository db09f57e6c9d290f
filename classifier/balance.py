"""Two times that every rank tells and that come to the same for all, but stand the other way round for one of them: the others wait for it.

Where ranks step together, what one works longer its peers wait longer. So the slow one shows by the numbers alone, whatever its times are called:
``t_prepare 0.40 t_step_incl_sync 0.02`` beside ``t_prepare 0.06 t_step_incl_sync 0.36``.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from gpualert_slurm.classifier.line_times import seconds_of
from gpualert_slurm.classifier.time_kinds import LOAD, SAVE, kind_of

LEAST_LINES, LEAST_RANKS, LEAST_S = 4, 3, 0.01
SAME = 1.2
"""What the two come to for one rank, of what they come to for another, at most."""
SLOWER, RESTS, WAITS = 1.6, 0.4, 0.3
"""Times the work of the slowest of its peers, at least; of the shortest wait of theirs, its own at most; of both, what each of its peers waits."""
MOST_LINE, MOST_NAMES = 400, 12
TIMED = re.compile(
    r"(?P<name>[A-Za-z_][\w/-]{0,30}(?: [a-z][\w-]{1,20}){0,2})['\"]?\s?[:=]?\s{0,2}(?P<value>\d{1,6}(?:\.\d{1,6})?)"
    r"\s?(?P<unit>ms|secs?|seconds|s)?(?![\w.%/])"
)
"""``compute 0.42 s``, ``"t_prepare": 0.4``: a name, a number, and its unit where there is one."""
_A_TIME = re.compile(
    r"(?:\A|[_ /-])(?:t|dt|time|s|secs?|seconds|ms|wait(?:ing)?|sync|comm|compute|prepare|prep|load|io|data|fwd|bwd|forward|backward|idle|barrier)"
    r"(?:\Z|[_ /-])",
    re.IGNORECASE,
)
_IN_MS = re.compile(r"(?:\A|[_ /-])ms\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Balance:
    """``rank`` works ``own_s`` where its peers work ``peers_s`` and wait ``peers_wait_s``, by the middle of their lines; ``said`` is its last one."""

    rank: int
    own_s: float
    peers_s: float
    peers_wait_s: float
    said: str


def balance_of(ranks: Mapping[int, Sequence[str]]) -> Balance | None:
    """The rank that holds up the others, by the lines of each; None where the numbers show none."""
    if len(ranks) < LEAST_RANKS:
        return None
    middles = {rank: _middles(lines) for rank, lines in ranks.items()}
    names = set.intersection(*(set(one) for one in middles.values()))
    if not 1 < len(names) <= MOST_NAMES:
        return None
    for work, wait in permutations(sorted(names), 2):
        if kind_of(wait.replace("_", " ")) in {LOAD, SAVE}:
            continue  # that is waited for by itself
        slow = max(middles, key=lambda rank: middles[rank][work])
        own, peers = middles[slow], [one for rank, one in middles.items() if rank != slow]
        sums = [one[work] + one[wait] for one in middles.values()]
        if min(sums) < LEAST_S or max(sums) > SAME * min(sums) or own[work] < SLOWER * max(one[work] for one in peers):
            continue
        if own[wait] <= RESTS * min(one[wait] for one in peers) and all(one[wait] >= WAITS * (one[work] + one[wait]) for one in peers):
            peers_s, wait_s = (statistics.median(one[name] for one in peers) for name in (work, wait))
            return Balance(slow, own[work], peers_s, wait_s, ranks[slow][-1].strip())
    return None


def _middles(lines: Sequence[str]) -> dict[str, float]:
    """The middle one of each time, in seconds, that LEAST_LINES and more of a rank's lines tell by one name."""
    told: dict[str, list[float]] = {}
    for line in lines:
        for found in TIMED.finditer(line[:MOST_LINE]):
            name = found["name"]
            if found["unit"] or _A_TIME.search(name):
                told.setdefault(name, []).append(float(found["value"]) * seconds_of(found["unit"] or ("ms" if _IN_MS.search(name) else "s")))
    return {name: statistics.median(values) for name, values in told.items() if len(values) >= LEAST_LINES}
