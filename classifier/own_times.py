"""A straggler by the ranks' own account: one of them works while the others tell that they wait: ``own 0.38 s, waiting for others 0.003 s``.

Each rank's own log, or the lines that begin with its number where ranks share one, must tell, again and again, how long its work took beside how
long it waited for the others, or beside the whole step. Then one rank whose work takes 1.6 times that of its peers and more, and most of the step,
while its peers wait for a good part of theirs, holds them up.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from gpualert_slurm.classifier.balance import balance_of
from gpualert_slurm.classifier.line_times import parts_of
from gpualert_slurm.classifier.shared_logs import own_logs, sharing
from gpualert_slurm.classifier.time_kinds import LOAD, PEERS, REST, TALK, WAIT, WHOLE, WORK
from gpualert_slurm.classifier.told_shares import seconds
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord

LEAST_LINES, LEAST_RANKS = 4, 2
MOST_TEXT, MOST_LINE = 64 * 1024, 400
SLOWER = 1.6
"""Times its peers' work, at least: an uneven share of work is less."""
HOLDS, WAITS = 0.7, 0.3
"""Of its step, the work of who holds up the others; and what its peers wait of theirs: at least."""
RESTS, MOSTLY = 0.4, 0.5
"""Of the shortest wait of its peers, what who is waited for waits itself, at most; and of their steps, what they wait: whatever it works at."""
LEAST_S = 0.01
"""Work of less is nothing to wait for."""
_UNIT = r"(?:ms|milliseconds|secs?|seconds?|secondes?|segundos?|Sekunden|s)"
_VALUE = re.compile(rf"(?<![\w.])(?P<value>\d{{1,6}}(?:\.\d{{1,6}})?)(?:\s?(?P<unit>{_UNIT}))?(?![\w.%/])")
_NAME = re.compile(r"(?P<name>[^\W\d][^\W\d /+-]{0,24}(?:[ /+-][^\W\d /+-]{1,24}){0,5})['\"]?\s?[:=]?\s{0,2}\Z")
MOST_NAME = 52
"""A name and a time; the unit may be the end of the name (``own_sec``)."""
_BEHIND = re.compile(rf"(?<![\w.])(?P<value>\d{{1,6}}(?:\.\d{{1,6}})?)\s?(?P<unit>{_UNIT}) (?P<name>[^\W\d][^\d,;|()]{{2,40}})")
"""``0.42 s in the wind model, 0.05 s for the rest and waiting``."""
_IN_NAME = re.compile(r"_(ms|s|secs?|seconds)\Z", re.IGNORECASE)
_OTHERS = r"others?|peers?|barrier|slowest|stragglers?|ranks?|neighbou?rs?|everyone|rest|all|autres|otros|anderen?"
_STANDS = r"wait\w{0,3}|idle|wart\w{1,4}|attente|espera\w{0,3}"
_WAIT = re.compile(
    rf"\b(?:{_OTHERS})\b.{{0,24}}\b(?:{_STANDS})\b|\b(?:{_STANDS})\b.{{0,24}}\b(?:{_OTHERS})\b"
    rf"|\bbarrier\b|\bsync(?:hroni[sz]\w{{2,5}})?\b|\ball[- ]?reduce\b|\bexchange\b|\bcommunication\b"
    rf"|\A(?:{_STANDS}|blocked|attend\w{{0,2}})(?: (?:s|ms|secs?|seconds|time))?\Z",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:own|comput\w{1,3}|forward\w{0,4}|fwd\w{0,5}|backward|work(?:ing)?|local|rechnen|rechenzeit|eigene\w{0,2}|calcul|c[áa]lculo|propre|propio|busy)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:whole|total|gesamt|overall|step|round|iter(?:ation)?|wall|entier|schritt|dur[ée]e|sec/step)\b", re.IGNORECASE)


@dataclass(frozen=True)
class HeldUpBy:
    """``where`` is the slow rank's; times are of the middle of its lines, and of its peers'; ``said`` is its last line."""

    where: Where
    own_s: float
    peers_s: float
    peers_wait_s: float
    said: str


@dataclass(frozen=True)
class _Times:
    where: Where
    work_s: float
    whole_s: float
    wait_s: float
    said: str


def held_up_by(job: JobRecord) -> HeldUpBy | None:
    """The one rank that holds up the others, as all of them tell; None where they tell no such thing."""
    found: dict[tuple[str | None, str | None, int | None], _Times] = {}
    for report in job.reports:
        for one in report.excerpts:
            if one.where.local_rank is not None and (times := _of_log(one.text[-MOST_TEXT:], one.where)) is not None:
                found.setdefault((one.where.node, one.where.step, one.where.local_rank), times)
    ranks = list(found.values()) if len(found) > 1 else _of_shared(job)
    return (_apart(ranks) if len(ranks) >= LEAST_RANKS else None) or _by_balance(job)


def _by_balance(job: JobRecord) -> HeldUpBy | None:
    """The rank whose two times stand the other way round than those of all its peers, while they come to the same: whatever they are called."""
    for where, ranks in (*own_logs(job), *sharing(job)):
        if (found := balance_of(ranks)) is not None:
            return HeldUpBy(_ranked(where, found.rank), found.own_s, found.peers_s, found.peers_wait_s, found.said)
    return None


def _apart(ranks: list[_Times]) -> HeldUpBy | None:
    """The one rank of them that works while the others wait."""
    slow = max(ranks, key=lambda times: times.work_s)
    peers = [times for times in ranks if times is not slow]
    work_s = statistics.median(times.work_s for times in peers)
    wait_s = statistics.median(max(0.0, times.whole_s - times.work_s) for times in peers)
    alone = min(ranks, key=lambda times: times.wait_s)
    others = [times for times in ranks if times is not alone]
    if alone.wait_s <= RESTS * min(times.wait_s for times in others) and all(t.wait_s >= MOSTLY * t.whole_s and t.wait_s >= LEAST_S for t in others):
        wait_s = statistics.median(t.wait_s for t in others)
        return HeldUpBy(alone.where, alone.work_s, statistics.median(t.work_s for t in others), wait_s, alone.said)
    holds = slow.work_s >= max(SLOWER * max(times.work_s for times in peers), LEAST_S) and slow.work_s >= HOLDS * slow.whole_s
    waits = wait_s >= WAITS * statistics.median(times.whole_s for times in peers) and wait_s >= WAITS * slow.work_s
    return HeldUpBy(slow.where, slow.work_s, work_s, wait_s, slow.said) if holds and waits else None


def _of_shared(job: JobRecord) -> list[_Times]:
    """The times of ranks that write into one log, each behind its own number; empty where none is written so."""
    for where, ranks in sharing(job, lambda line: _of_line(line) is not None):
        each = [_of_log("\n".join(lines), _ranked(where, rank)) for rank, lines in ranks.items()]
        if (times := [t for t in each if t is not None]) and len(times) == len(ranks):
            return times
    return []


def _ranked(where: Where, rank: int) -> Where:
    return where.model_copy(update={"rank": rank, "local_rank": rank})


def _of_log(text: str, where: Where) -> _Times | None:
    """The middle one of the times that a log's lines tell of work beside waiting, or beside the whole; None where too few do."""
    told = [times for line in text.splitlines() if len(line) <= MOST_LINE and (times := _of_line(line)) is not None]
    if len(told) < LEAST_LINES:
        return None
    works, wholes = [work for work, _, _ in told], [whole for _, whole, _ in told]
    waits = [whole - work for work, whole, _ in told]
    return _Times(where, statistics.median(works), statistics.median(wholes), max(0.0, statistics.median(waits)), told[-1][2].strip())


def _of_line(line: str) -> tuple[float, float, str] | None:
    """Work and whole step in seconds, and the line."""
    own, waited, every = _by_kind(line)
    if own is not None and waited is not None:
        every = max(every or 0.0, own + waited)
        return (own, every, line) if every > 0 else None
    work = wait = whole = None
    for name, value_s in _times(line):
        if _WAIT.search(name):
            wait = value_s if wait is None else wait + value_s
        elif _WORK.search(name):
            work = value_s if work is None else work + value_s
        elif _WHOLE.search(name):
            whole = value_s
    if work is None and wait is None:
        work, wait = _two_behind(line)
    if work is None or (wait is None and whole is None):
        work, wait, whole = _by_kind(line)
    if work is None or (wait is None and whole is None):
        return None
    every = max(whole or 0.0, work + (wait or 0.0))
    return (work, every, line) if every > 0 else None


def _by_kind(line: str) -> tuple[float | None, float | None, float | None]:
    """What a line's times are of by the words for them: a rank's own work (its loading, too), its waits for the others, and the whole."""
    parts = parts_of(line)
    timed = [one for one in parts if not one.share] or [one for one in parts if one.share]
    own = [one.seconds for one in timed if one.kind in {WORK, LOAD, REST}]
    waits = [one.seconds for one in timed if one.kind in {PEERS, TALK, WAIT}]
    wholes = [one.seconds for one in timed if one.kind == WHOLE and not one.bare]
    if not waits and not any(one.kind == WORK for one in timed):
        return None, None, None
    return (sum(own) if own else None), (sum(waits) if waits else None), max(wholes, default=None)


def _two_behind(line: str) -> tuple[float | None, float | None]:
    """Of a line of two times with their names behind them, the one that is no wait, and the one that is; None where it is no such line."""
    two = [(found["name"], float(found["value"]) * seconds(found["unit"])) for found in _BEHIND.finditer(line)]
    waits = [_WAIT.search(name) is not None for name, _ in two]
    if len(two) != 2 or sum(waits) != 1:
        return None, None
    return two[waits.index(False)][1], two[waits.index(True)][1]


def _times(line: str) -> Iterator[tuple[str, float]]:
    for found in _VALUE.finditer(line):
        named = _NAME.search(line[max(0, found.start() - MOST_NAME) : found.start()])
        if named is None:
            continue
        unit = found["unit"] or (match[1] if (match := _IN_NAME.search(named["name"])) is not None else None)
        if unit is not None:
            yield named["name"].replace("_", " "), float(found["value"]) * seconds(unit)
