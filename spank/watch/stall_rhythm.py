"""Whether a run stands still, by its own rhythm: how long nobody has written, against how long that usually takes. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

FEWEST_GAPS = 5
"""Fewer intervals are no rhythm: then silence counts from ``MOST_SILENCE_S`` on."""
MOST_SILENCE_S = 1800.0
"""Without a rhythm: the older default of NCCL's watchdog. A run that never wrote is left to its time limit."""
BEYOND_LONGEST = 1.5
"""Longer than its own longest pause by half: an evaluation or a checkpoint that came before comes again."""
FLAT_SHARE = 0.2
"""Power within a fifth of its mean, activity within so many points: a run that works moves more, from step to step."""
FLAT_POINTS = 10.0
IDLE_POINTS = 5.0


@dataclass(frozen=True)
class Suspicion:
    """Why a run is taken to stand still."""

    silence_s: float
    needed_s: float
    usual_s: float | None
    gpu_idle: bool | None
    by_state: bool = False
    """Not by silence: a rank was found stopped, or waiting in the kernel, at every look."""


@dataclass
class Stuck:
    """Since when ranks have been found stopped (T) or waiting uninterruptibly (D) at every look: what shows on a node whose ranks never write."""

    _since: dict[tuple[int, int], float] = field(default_factory=dict)

    def look(self, states: Mapping[tuple[int, int], str], now: float) -> float:
        """For how long the rank that is so longest has been so, seconds; 0 where none is. By pid and start time: a pid comes again."""
        self._since = {who: self._since.get(who, now) for who, state in states.items() if state in ("T", "t", "D")}
        return now - min(self._since.values(), default=now)


@dataclass
class GpuFlatness:
    """The last samples of the job's GPUs: whether anything about them moves."""

    most: int = 30
    _seen: dict[str, list[Mapping[str, float]]] = field(default_factory=dict)

    def add(self, samples: Mapping[str, Mapping[str, float]]) -> None:
        """One sample: {uuid: numbers by series' name}."""
        for uuid, numbers in samples.items():
            kept = self._seen.setdefault(uuid, [])
            kept.append(numbers)
            del kept[: -self.most]

    def judge(self, uuids: Sequence[str], fewest: int = 6) -> tuple[bool | None, bool | None]:
        """(flat, idle) over the last ``fewest`` samples of these cards; (None, None) where they are not known."""
        series = [self._seen.get(uuid, [])[-fewest:] for uuid in uuids]
        if not series or any(len(numbers) < fewest for numbers in series):
            return None, None
        cards = [_card(numbers) for numbers in series]
        if any(card is None for card in cards):
            return None, None
        known = [card for card in cards if card is not None]
        return all(flat for flat, _ in known), all(idle for _, idle in known)


def _card(numbers: Sequence[Mapping[str, float]]) -> tuple[bool, bool] | None:
    for name in ("gpu_sm_activity_percent", "gpu_utilization_percent"):
        values = [n[name] for n in numbers if name in n]
        if len(values) != len(numbers):
            continue
        power = [n["gpu_power_mw"] for n in numbers if "gpu_power_mw" in n]
        still = max(values) - min(values) <= FLAT_POINTS
        even = not power or max(power) - min(power) <= FLAT_SHARE * statistics.fmean(power)
        return still and even, max(values) <= IDLE_POINTS
    return None


def suspect(
    silence_s: float | None, gaps_s: Sequence[float], longest_gap_s: float, gpus: tuple[bool | None, bool | None], *, factor: float, least_s: float
) -> Suspicion | None:
    """Whether silence is a standstill.

    Args:
        silence_s: since anybody on the node wrote last; None where nobody ever did.
        gaps_s: the run's own intervals between bursts of output, the latest few hundred.
        longest_gap_s: the longest of all of them.
        gpus: (flat, idle) of its GPUs; a run whose GPUs are at work, unevenly, is at work.
        factor: so many of its usual intervals (nvidia-resiliency-ext: 5).
        least_s: never sooner.
    """
    flat, idle = gpus
    if silence_s is None or flat is False:
        return None
    if len(gaps_s) < FEWEST_GAPS:
        usual, needed = None, max(least_s, MOST_SILENCE_S)
    else:
        usual = statistics.median(gaps_s)
        needed = max(least_s, factor * usual, BEYOND_LONGEST * longest_gap_s)
    return Suspicion(silence_s, needed, usual, idle) if silence_s >= needed else None
