"""One of several hosts, tasks or workers that works while the others wait, by lines that each tell of one of them.

``{"node": "a100-07", "compute_ms_avg": 2914, "barrier_ms_avg": 98}`` beside nodes that compute 1100 and wait 1890; ``task 3 c102 solve 1131.5
wait_halo 9.9``. Both must show: its work is far longer than that of any other, these are alike, and it alone does not wait. Of the time of work
alone, lines again and again must show it, with a unit.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gpualert_slurm.classifier.standing_apart import NOT_ITS_STEP
from gpualert_slurm.classifier.time_kinds import LOAD, PEERS, TALK, WAIT, WORK, kind_of

LEAST_MEMBERS, LEAST_LINES, LAST_LINES, MOST_LINE, MOST_MEMBERS = 3, 4, 80, 400, 4096
SLOWER, ALIKE, RESTS, WAITS, FAR = 1.6, 1.35, 0.4, 0.3, 2.5
"""Its work by the longest of its peers', and theirs by one another; its wait by the shortest of theirs; of both, what they wait."""
_WHO = re.compile(
    r"(?<![A-Za-z])['\"]?(?P<what>node|host(?:name)?|task|worker|actor|device|gpu|card|proc(?:ess)?|rank|client|site|replica|participant)['\"]?\s{0,2}[:=#-]?\s{0,6}['\"]?"
    r"(?P<who>[A-Za-z][\w.-]{0,40}\d[\w.-]{0,20}|\d{1,5}|[a-z])(?![\w.%])",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?P<name>[A-Za-z_][\w/-]{1,30})(?P<unit_of>\[(?:ms|s)\])?['\"]?\s?[:=]?\s{0,8}(?P<value>\d{1,9}(?:\.\d{1,6})?)"
    r"(?P<unit>\s?(?:ms|s)\b)?(?![\w.%/:])"
)
_AHEAD = re.compile(r"(?P<name>[A-Za-z]{3,20}) ?[:=]? (?P<value>\d{1,9}(?:\.\d{1,6})?)\s?(?P<unit>ms|s)\b")
_RATE = re.compile(r"(?<![\w.])(?P<value>\d{1,9}(?:\.\d{1,6})?) (?P<name>[a-z]{2,16}/s)(?:ec)?\b")
_TIMED = re.compile(r"(?:\A|_)(?:ms|s|secs?|seconds)(?:_|\Z)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_OF_ANOTHER = re.compile(r"step|epoch|iter|clock|temp|power|mem|util|count|bytes|size|batch|loss|port|pid|rate|seed|total|avg_power", re.IGNORECASE)


@dataclass(frozen=True)
class Member:
    """``who`` works ``own`` where its peers work ``peers``, as the line ``said`` tells; ``place`` is where it stands among them all."""

    who: str
    place: int
    own: float
    peers: float
    said: str


@dataclass
class _Told:
    lines: int = 0
    last: str = ""
    columns: dict[str, list[float]] = field(default_factory=dict)
    timed: set[str] = field(default_factory=set)
    rates: dict[str, list[float]] = field(default_factory=dict)


def slow_member(lines: Sequence[str]) -> Member | None:
    """The one that stands apart; None where no lines show one."""
    for members in _kinds(lines):
        many = [one.lines for one in members.values()]
        if len(members) < LEAST_MEMBERS or max(many) > min(many) + 1:
            continue
        names = set.intersection(*(set(one.columns) for one in members.values()))
        middles = {who: {name: statistics.median(one.columns[name]) for name in names} for who, one in members.items()}
        timed = {name for name in names if all(name in one.timed for one in members.values()) and NOT_ITS_STEP.search(name) is None}
        works = [name for name in sorted(names) if kind_of(name) in {WORK, LOAD} or name in timed]
        waits = [name for name in sorted(names) if kind_of(name) in {PEERS, TALK, WAIT}]
        for work in works:
            slow = max(middles, key=lambda who: middles[who][work])
            own, peers = middles[slow][work], [one[work] for who, one in middles.items() if who != slow]
            if own < SLOWER * max(peers) or max(peers) > ALIKE * min(peers) or min(peers) <= 0:
                continue
            far = min(many) >= LEAST_LINES - 1 and own >= FAR * max(peers) and work in timed
            waited = far or any(_alone_rests(middles, slow, work, wait) for wait in waits)
            again = min(many) >= LEAST_LINES and not waits and work in timed and kind_of(work) in {WORK, LOAD}
            if waited or again:
                return Member(slow, list(members).index(slow), own, statistics.median(peers), members[slow].last)
    return None


def _alone_rests(middles: Mapping[str, Mapping[str, float]], slow: str, work: str, wait: str) -> bool:
    peers = [one for who, one in middles.items() if who != slow]
    rests = middles[slow][wait] <= RESTS * min(one[wait] for one in peers)
    return rests and all(one[wait] >= WAITS * (one[work] + one[wait]) for one in peers)


def _kinds(lines: Sequence[str]) -> Iterator[dict[str, _Told]]:
    """Lines alike but for their numbers and for whom they tell of: by these."""
    kinds: dict[str, dict[str, _Told]] = {}
    for line in lines:
        if len(line) > MOST_LINE or (found := _WHO.search(line)) is None:
            continue
        rest = line[: found.start("who")] + "*" + line[found.end() :]
        told = kinds.setdefault(_shape(rest), {}).setdefault(found["who"], _Told())
        if len(kinds) > MOST_MEMBERS:
            return
        told.lines += 1
        told.last = line.strip()
        for rate in _RATE.finditer(rest):
            told.rates.setdefault(rate["name"], []).append(float(rate["value"]))
        for value in (*_VALUE.finditer(rest), *_AHEAD.finditer(rest)):
            if _OF_ANOTHER.search(value["name"]) is None:
                told.columns.setdefault(value["name"], []).append(float(value["value"]))
                if value["unit"] or value.groupdict().get("unit_of") or _TIMED.search(value["name"]):
                    told.timed.add(value["name"])
    yield from kinds.values()


def slow_rate(lines: Sequence[str]) -> Member | None:
    """The one whose rate is far below that of any other, of those that tell of it again and again."""
    for members in _kinds(lines):
        names = set.intersection(*(set(one.rates) for one in members.values())) if len(members) >= LEAST_MEMBERS else set()
        for name in sorted(names):
            middles = {who: statistics.median(one.rates[name]) for who, one in members.items()}
            slow = min(middles, key=lambda who: middles[who])
            peers = [value for who, value in middles.items() if who != slow]
            again = all(len(one.rates[name]) >= LEAST_LINES - 1 for one in members.values())
            if again and 0 < FAR * middles[slow] <= min(peers) and max(peers) <= ALIKE * min(peers):
                return Member(slow, list(members).index(slow), middles[slow], statistics.median(peers), members[slow].last)
    return None


def _shape(rest: str) -> str:
    """A line without its numbers, and without a second name of whom it tells (``task 3 c102``)."""
    return re.sub(r"(?<![\w.])[A-Za-z]{1,12}-?#(?![\w.])", "@", _NUMBER.sub("#", rest)).replace(" ", "")
