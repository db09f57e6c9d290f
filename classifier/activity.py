"""What the job's GPUs did, by NVML's own readings: engine, SMs, power, clocks, over the training and at the end. SYSTEM trust."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gpualert_slurm.classifier import citations
from gpualert_slurm.evidence import Evidence, Trust
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.series import Series

ENGINE = ("gpu_duty_percent", "gpu_utilization_percent")
"""The engine's duty: NVML's own sample buffer where it was read, else the reading at each sample."""
SM = "gpu_sm_activity_percent"
IDLE_PERCENT = 5.0
BUSY_PERCENT = 90.0
STARVED_SM_PERCENT = 20.0
"""An engine that is busy with SMs below this is waiting or spinning, not computing (seen in hangs: ~0; bound by the fabric: ~10)."""
PLAUSIBLE = 1e18
"""No reading of a GPU or a host is larger; what is (or is not a number) is no reading."""
Window = tuple[int | None, int | None]
WHOLE: Window = (None, None)
AT_ONCE_NS = 1_000_000_000
"""Progress that all arrived within a second came out of a buffer, as stdout's into a file: when what it tells was done, it does not say."""


def at_once(times_ns: Collection[int]) -> bool:
    """Whether lines of progress that arrived at these times came out of a buffer together."""
    return max(times_ns) - min(times_ns) < AT_ONCE_NS


@dataclass(frozen=True)
class Card:
    """One GPU of the job with its series by name; ``rank`` where one rank alone is known to have held it."""

    node: str
    uuid: str
    rank: int | None
    serial: str | None
    model: str | None
    """NVML's name of the card."""
    series: dict[str, Series]

    @property
    def name(self) -> str:
        """``rank 3's GPU GPU-… (serial 1652) on n1``, as far as it is known."""
        whose = f"rank {self.rank}'s GPU" if self.rank is not None else "GPU"
        return f"{whose} {self.uuid}" + (f" (serial {self.serial})" if self.serial else "") + f" on {self.node}"

    def values(self, name: str, window: Window = WHOLE) -> tuple[float, ...]:
        """Finite readings within ``window``; a reading without a time counts only for the whole run."""
        one = self.series.get(name)
        return within(one, window) if one is not None else ()

    def mean(self, name: str, window: Window = WHOLE, least: int = 1) -> float | None:
        """The mean of at least ``least`` readings, else None."""
        values = self.values(name, window)
        return statistics.fmean(values) if len(values) >= max(1, least) else None

    def engine(self, window: Window = WHOLE, least: int = 1) -> float | None:
        """Mean engine duty, percent."""
        found = (self.mean(name, window, least) for name in ENGINE)
        return next((value for value in found if value is not None), None)

    def cite(self, name: str, says: str = "series", window: Window = WHOLE) -> Evidence | None:
        """The series as evidence (engine duty by whichever series has it)."""
        names = ENGINE if name in ENGINE else (name,)
        one = next((self.series[n] for n in names if n in self.series), None)
        if one is None:
            return None
        start = 0
        if window[0] is not None:
            start = next((i for i, t in enumerate(one.times_ns) if t is not None and t >= window[0]), max(0, len(one.values) - 3))
        cited = citations.series(one, start, trust=Trust.SYSTEM)
        return None if cited is None else cited.model_copy(update={"says": says, "id": cited.id if says == "series" else f"{cited.id}{says[:6]}"})


def within(one: Series, window: Window) -> tuple[float, ...]:
    """Plausible values of a series whose times lie in ``window``."""
    begin, end = window
    if begin is None and end is None:
        return tuple(v for v in one.values if abs(v) <= PLAUSIBLE)
    return tuple(
        v
        for t, v in zip(one.times_ns, one.values, strict=False)
        if t is not None and abs(v) <= PLAUSIBLE and (begin is None or t >= begin) and (end is None or t <= end)
    )


def cards_of(job: JobRecord, series: Iterable[Series], tasks: dict[str, str]) -> tuple[Card, ...]:
    """Every GPU that has samples or snapshots, by node and UUID.

    Args:
        job: for processes, exit records and snapshots.
        series: all series; those of GPUs are taken.
        tasks: ``node/local rank`` to UUID where a task had exactly one GPU.
    """
    found: dict[tuple[str, str], dict[str, Series]] = {}
    ranks: dict[tuple[str, str], set[int]] = {}
    cards: dict[tuple[str, str], GpuSnapshot] = {}
    for one in series:
        node, uuid = one.where.node, one.where.gpu_uuid
        if node is None or uuid is None or not one.values:
            continue
        found.setdefault((node, uuid), {}).setdefault(one.name, one)
        if one.where.rank is not None:
            ranks.setdefault((node, uuid), set()).add(one.where.rank)
    for report in job.reports:
        for gpu in (*report.gpus_before, *report.gpus_after):
            cards[(report.node, gpu.uuid)] = gpu
            found.setdefault((report.node, gpu.uuid), {})
        for process in report.processes:
            for uuid in process.gpu_uuids:
                if process.rank is not None:
                    ranks.setdefault((report.node, uuid), set()).add(process.rank)
        for end in report.exits:
            known = tasks.get(f"{end.node}/{end.local_rank}")
            if known is not None and end.rank is not None:
                ranks.setdefault((report.node, known), set()).add(end.rank)
    made = []
    for key in sorted(found):
        whose = ranks.get(key, set())
        card = cards.get(key)
        made.append(
            Card(
                key[0],
                key[1],
                next(iter(whose)) if len(whose) == 1 else None,
                card.serial if card is not None else None,
                card.name if card is not None else None,
                found[key],
            )
        )
    return tuple(made)


@dataclass(frozen=True)
class Activity:
    """All GPUs of the job; ``work`` is the time of its progress, ``recent`` from the last sign of it to the end."""

    cards: tuple[Card, ...]
    work: Window
    recent: Window

    @property
    def sampled(self) -> tuple[Card, ...]:
        """GPUs whose engine was sampled."""
        return tuple(c for c in self.cards if any(n in c.series for n in ENGINE))

    @property
    def with_sm(self) -> tuple[Card, ...]:
        """GPUs whose SM activity was read."""
        return tuple(c for c in self.cards if SM in c.series)

    def last(self, card: Card, name: str, least: int = 3) -> float | None:
        """Mean of the recent window; without times, of the last three readings."""
        value = card.mean(name, self.recent, least) if self.recent[0] is not None else None
        if value is not None:
            return value
        values = card.values(name)
        return statistics.fmean(values[-least:]) if len(values) >= least else None

    def last_engine(self, card: Card) -> float | None:
        """Engine duty of the recent window."""
        return next((v for n in ENGINE if (v := self.last(card, n)) is not None), None)

    def idle_at_end(self) -> tuple[Card, ...]:
        """GPUs whose engine stood near zero in the recent window."""
        return tuple(c for c in self.sampled if (v := self.last_engine(c)) is not None and v <= IDLE_PERCENT)

    def spinning_at_end(self) -> tuple[Card, ...]:
        """GPUs that were busy by their engine while their SMs (else their power) say that they computed nothing: they waited in a kernel."""
        return tuple(c for c in self.sampled if (v := self.last_engine(c)) is not None and v >= BUSY_PERCENT and self._nothing_done(c))

    def working_at_end(self) -> tuple[Card, ...]:
        """GPUs that computed in the recent window: SMs above the floor; without SM readings, an engine at neither end of its scale."""
        working = []
        for card in self.sampled or self.with_sm:
            sm, engine = self.last(card, SM), self.last_engine(card)
            if sm is not None:
                if sm >= STARVED_SM_PERCENT:
                    working.append(card)
            elif engine is not None and IDLE_PERCENT < engine < 95.0:
                working.append(card)
        return tuple(working)

    def _nothing_done(self, card: Card) -> bool:
        sm = self.last(card, SM)
        if sm is not None:
            return sm <= IDLE_PERCENT
        before, now = card.mean("gpu_power_mw", self.work, 3), self.last(card, "gpu_power_mw")
        return before is not None and now is not None and now <= 0.6 * before
