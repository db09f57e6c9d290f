"""One rank that is slower than all of its peers at the same thing, line after line: in a time of its own, or in its rate.

``[rank5] step 10 compute 854 ms`` beside 400 ms of the others; ``[1,4]<stdout>: 116.6 img/sec`` beside 210. Where all step together a step takes the
same for each, so what differs is their own. Peers must be alike: work that is uneven by design, or takes its turn, shows no one rank.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpualert_slurm.classifier.balance import TIMED
from gpualert_slurm.classifier.line_times import seconds_of
from gpualert_slurm.classifier.shared_logs import own_logs, sharing
from gpualert_slurm.classifier.time_kinds import LOAD, PEERS, SAVE, TALK, WAIT, kind_of
from gpualert_slurm.job_record import JobRecord

LEAST_LINES, LEAST_RANKS = 4, 3
SLOWER, ALIKE = 1.6, 1.35
"""Of the slowest of its peers, how much slower it is; and how far apart these may be."""
STEADY, STEADILY = 0.8, 1.3
"""Of its lines, those in which it is slower than its peers' middle one, by so much."""
LEAST_S = 0.005
WAITS = frozenset({LOAD, PEERS, SAVE, TALK, WAIT})
MOST_LINE, MOST_NAMES = 400, 8
_IN_NAME = re.compile(r"(?P<name>[A-Za-z_][\w-]{0,30}_(?P<unit>ms|s|secs?|seconds))['\"]?\s?[:=]\s{0,2}(?P<value>\d{1,6}(?:\.\d{1,6})?)(?![\w.%/])")
"""``"fwdbwd_s": 3.004``."""
_RATE = re.compile(
    r"(?P<value>\d{1,7}(?:\.\d{1,4})?)\s?(?P<name>(?:it|iters?|samples?|images?|imgs?|tok(?:en)?s?|examples?|steps?|frames?|seqs?|sequences?|words?|rows?"
    r"|graphs?|docs?|batch(?:es)?|px|atoms?)\s?/\s?s(?:ec)?)(?![A-Za-z])",
    re.IGNORECASE,
)
NOT_ITS_STEP = re.compile(
    r"elapsed|total|eta|remaining|left|wall|since|uptime|eval|valid|test|timeout|interval|every|startup|init|compil"
    r"|load(?:ed|ing) (?:model|weights)",
    re.IGNORECASE,
)
"""Times of no step."""


@dataclass(frozen=True)
class Apart:
    """``rank`` tells ``own`` where its peers tell ``peers`` (in the unit of the line ``said``)."""

    rank: int
    own: float
    peers: float
    said: str


def standing_apart(job: JobRecord) -> Apart | None:
    """The one rank that is slower than all others; None where no log, or logs, show one."""
    for _, ranks in (*own_logs(job), *sharing(job, _tells)):
        if len(ranks) >= LEAST_RANKS and (found := _of(ranks)) is not None:
            return found
    return None


def _tells(line: str) -> bool:
    return bool(_times(line[:MOST_LINE])) or _RATE.search(line[:MOST_LINE]) is not None


def _times(text: str) -> list[re.Match[str]]:
    """Times that have a unit, behind the number or at the end of the name."""
    return [*(one for one in TIMED.finditer(text) if one["unit"]), *_IN_NAME.finditer(text)]


def _of(ranks: Mapping[int, Sequence[str]]) -> Apart | None:
    told = {rank: _columns(lines) for rank, lines in ranks.items()}
    names = set.intersection(*(set(columns) for columns in told.values()))
    if any(kind_of(name.replace("_", " ")) in WAITS for name in names):
        names = {name for name in names if name.startswith("/")}  # who tells its waits, too, is judged by both
    if len(names) > MOST_NAMES:
        return None
    for name in sorted(names):
        values = {rank: columns[name] for rank, columns in told.items()}
        sign = -1 if name.startswith("/") else 1
        middles = {rank: statistics.median(one) ** sign for rank, one in values.items()}
        slow = max(middles, key=lambda rank: middles[rank])
        peers = [middle for rank, middle in middles.items() if rank != slow]
        usual = statistics.median(peers)
        if middles[slow] < SLOWER * max(peers) or max(peers) > ALIKE * min(peers) or (sign > 0 and middles[slow] < LEAST_S):
            continue
        if sum(one**sign >= STEADILY * usual for one in values[slow]) >= STEADY * len(values[slow]):
            return Apart(slow, statistics.median(values[slow]), usual**sign, ranks[slow][-1].strip())
    return None


def _columns(lines: Sequence[str]) -> dict[str, list[float]]:
    """What LEAST_LINES and more of a rank's lines tell: times in seconds by their name, and rates by their unit, which begins with ``/`` here."""
    found: dict[str, list[float]] = {}
    for line in lines:
        text = line[:MOST_LINE]
        for one in _times(text):
            if NOT_ITS_STEP.search(one["name"]) is None:
                found.setdefault(one["name"], []).append(float(one["value"]) * seconds_of(one["unit"]))
        for one in _RATE.finditer(text):
            found.setdefault(f"/{one['name'].lower()}", []).append(float(one["value"]))
    return {name: values for name, values in found.items() if len(values) >= LEAST_LINES and min(values) > 0}
