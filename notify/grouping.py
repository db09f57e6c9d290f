"""Which judged runs are mailed by themselves, and which wait to be told together. Pure: times come in, decisions go out.

Of an array the first failure is told at once, and what follows in digests at growing intervals. The parts of a
heterogeneous job are one mail. Failures that look equal, of jobs that ran side by side, are one mail and then digests; a
job that was started after the owner had been told of the last one is told at once again. And no address gets more than
the site's limit in an hour: what is beyond it comes in one digest that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

S = 1_000_000_000
HOUR_NS = 3600 * S
REMEMBERED_NS = 24 * HOUR_NS
"""A group about which nothing was mailed for so long begins anew."""
HET_WAIT_NS = 30 * S
"""The parts of a heterogeneous job end together; their reports are a few seconds apart."""
LONGEST_INTERVAL_NS = 6 * HOUR_NS
MOST_ALIKE_AN_HOUR = 5
"""So many equal failures one after the other are told one by one: after that something resubmits them, and no one reads each."""
MOST_IN_DIGEST = 500


class Kind(str, Enum):
    """What the runs of a message have in common."""

    ONE = "one"
    ARRAY = "array"
    HET = "het"
    ALIKE = "alike"
    LIMIT = "limit"


@dataclass(frozen=True)
class Waiting:
    """A judged run whose mail was not composed yet."""

    run_id: int
    cluster: str
    uid: int
    addresses: tuple[str, ...]
    problem: bool
    judged_ns: int
    started_ns: int | None = None
    array_job_id: int | None = None
    het_job_id: int | None = None
    fingerprint: str | None = None

    @property
    def group(self) -> tuple[Kind, str]:
        """What it belongs to, and that group's name; addresses are part of it, since one message goes to one set of people."""
        whose = f"{self.cluster}/{self.uid}/{','.join(sorted(self.addresses))}"
        if self.het_job_id is not None:
            return Kind.HET, f"het/{self.het_job_id}/{whose}"
        if self.array_job_id is not None:
            return Kind.ARRAY, f"array/{self.array_job_id}/{whose}"
        if self.fingerprint and self.problem:
            return Kind.ALIKE, f"alike/{self.fingerprint}/{whose}"
        return Kind.ONE, f"one/{self.run_id}/{whose}"


@dataclass(frozen=True)
class Mailed:
    """A message of the last day."""

    group: str
    addresses: tuple[str, ...]
    at_ns: int


@dataclass(frozen=True)
class Limits:
    """The site's settings; ``interval_s`` 0: nothing is grouped; ``address_per_hour`` 0: no limit."""

    interval_s: float = 600.0
    address_per_hour: int = 30


@dataclass(frozen=True)
class Message:
    """One message about these runs, oldest first; ``held_back`` says that the limit made them wait."""

    kind: Kind
    group: str
    run_ids: tuple[int, ...]
    held_back: bool = False


@dataclass
class _Sent:
    """What went out, and what this plan adds to it."""

    by_group: dict[str, list[int]] = field(default_factory=dict)
    by_address: dict[str, list[int]] = field(default_factory=dict)

    def add(self, group: str, addresses: Iterable[str], at_ns: int) -> None:
        self.by_group.setdefault(group, []).append(at_ns)
        for address in addresses:
            self.by_address.setdefault(address.lower(), []).append(at_ns)


def plan(waiting: Sequence[Waiting], mailed: Iterable[Mailed], limits: Limits, now_ns: int, *, gather: bool = True) -> list[Message]:
    """What is to be mailed now; runs that are in none of the messages wait on.

    ``gather`` is False while more runs are to come: then only what is told by itself.
    """
    sent = _Sent()
    for one in sorted(mailed, key=lambda m: m.at_ns):
        if now_ns - one.at_ns < REMEMBERED_NS:
            sent.add(one.group, one.addresses, one.at_ns)
    groups: dict[str, list[Waiting]] = {}
    kinds: dict[str, Kind] = {}
    for run in sorted(waiting, key=lambda w: (not w.problem, w.judged_ns, w.run_id)):
        kind, name = run.group if limits.interval_s > 0 else (Kind.ONE, f"one/{run.run_id}")
        kinds[name] = kind
        groups.setdefault(name, []).append(run)
    found: list[Message] = []
    over: dict[tuple[str, ...], list[Waiting]] = {}
    for name, runs in groups.items():
        for chosen in _due(kinds[name], runs, sent.by_group.get(name, []), limits, now_ns, gather=gather):
            if _over_limit(chosen, sent, limits):
                over.setdefault(tuple(sorted(a.lower() for a in chosen[0].addresses)), []).extend(chosen)
                continue
            kind = kinds[name] if len(chosen) > 1 else Kind.ONE
            found.append(_message(kind, name, chosen))
            sent.add(name, chosen[0].addresses, now_ns)
    for addresses, runs in over.items() if gather else ():
        found += _held_back(addresses, runs, sent, now_ns)
    return found


def _due(kind: Kind, runs: list[Waiting], before: list[int], limits: Limits, now_ns: int, *, gather: bool) -> list[list[Waiting]]:
    """The messages of one group that are due by themselves: the runs come with the oldest problem first."""
    if kind is Kind.ONE:
        return [[run] for run in runs]
    if kind is Kind.HET:
        return _parts(runs) if gather and now_ns - min(r.judged_ns for r in runs) >= HET_WAIT_NS else []
    chosen: list[list[Waiting]] = []
    rest: list[Waiting] = []
    for run in runs:
        if run.problem and (not before or (kind is Kind.ALIKE and _told_before(run, before, now_ns))):
            chosen.append([run])
            before = [*before, now_ns]
        else:
            rest.append(run)
    if not rest or not gather:
        return chosen
    since = before[-1] if before else min(r.judged_ns for r in rest)
    interval = min(int(limits.interval_s * S) * 2 ** min(max(0, len(before) - 1), 16), LONGEST_INTERVAL_NS)
    return [*chosen, *_parts(rest)] if now_ns - since >= interval else chosen


def _told_before(run: Waiting, before: list[int], now_ns: int) -> bool:
    """Whether the owner could know of the last equal failure when this run began, and equal ones are not all too many."""
    lately = sum(1 for at in before if now_ns - at < HOUR_NS)
    return run.started_ns is not None and run.started_ns > before[-1] and lately < MOST_ALIKE_AN_HOUR


def _over_limit(runs: Sequence[Waiting], sent: _Sent, limits: Limits) -> bool:
    """Whether one of the addresses had its share, counted from an hour before these runs were judged: what the limit has
    held back once stays held, and does not go out one by one when the hour is over.
    """
    if limits.address_per_hour <= 0:
        return False
    since = max(r.judged_ns for r in runs) - HOUR_NS
    return any(sum(1 for at in sent.by_address.get(a.lower(), []) if at > since) >= limits.address_per_hour for a in runs[0].addresses)


def _held_back(addresses: tuple[str, ...], runs: list[Waiting], sent: _Sent, now_ns: int) -> list[Message]:
    """All that waits in one message: an hour after the first was held back, and an hour after the last such message."""
    name = f"limit/{','.join(addresses)}"
    since = max([min(r.judged_ns for r in runs), *sent.by_group.get(name, [])])
    if now_ns - since < HOUR_NS:
        return []
    sent.add(name, addresses, now_ns)
    return [_message(Kind.LIMIT, name, part, held_back=True) for part in _parts(runs)]


def _parts(runs: list[Waiting]) -> list[list[Waiting]]:
    return [runs[i : i + MOST_IN_DIGEST] for i in range(0, len(runs), MOST_IN_DIGEST)]


def _message(kind: Kind, group: str, runs: Sequence[Waiting], *, held_back: bool = False) -> Message:
    return Message(kind, group, tuple(r.run_id for r in runs), held_back)
