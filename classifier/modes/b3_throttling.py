"""B3: a GPU was slowed down by heat or power."""

from __future__ import annotations

import itertools
import math
import statistics

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.activity import SM, Card
from gpualert_slurm.classifier.advance import paced
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, latent, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.told_clock import ToldClock, told_clock
from gpualert_slurm.evidence import Evidence, Reading, Role, Trust, Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.series import Series
from gpualert_slurm.verdict import Fault

SEVERE = {0x8: "hardware slowdown", 0x40: "hardware thermal slowdown", 0x80: "hardware power brake"}
"""NVML's throttle bits that are not the usual business of a busy GPU."""
ALL_SEVERE = sum(SEVERE)
IDLE = 0x1
"""NVML's bit for a clock that is low because nothing runs: no clock to compare with."""
SOFT_THERMAL = 0x20
"""Software's thermal slowdown: counts only where the clock fell with it."""
VIOLATIONS = {
    "violation_thermal_ns": "thermal slowdown",
    "violation_hw_thermal_ns": "hardware thermal slowdown",
    "violation_hw_power_brake_ns": "hardware power brake",
}
"""Times that NVML counts; ``violation_power_ns`` is the usual soft power cap, and no reason."""
HELD_SHARE = 0.05
"""Of the run's time, by the violation counters: less is a moment of heat."""
HELD_SAMPLES = 0.2
CLOCK_DOWN = 0.9
MOSTLY, FAR_DOWN = 0.5, 0.7
"""Hardware's slowdown for so much of the run, with the clock so far down, says what the steps cannot: all of them were slow."""
STEP_UP = 1.1
"""A step time up by a tenth (Greyhound's smallest change that counts)."""
WAITED_FOR = 2.0
"""SM activity to the median of the peers' (as for a straggler, D3)."""
LEAST = 3
FLIP = "hardware slowdown held over the run with the SM clock down and the step time up"


class Throttling(FailureMode):
    """Confirmed where slowdown was held, the clock fell and the steps took longer; anything less warns."""

    code = "B3"
    title = "throttled by heat or power"
    place = 84
    needs = "violation times or throttle reasons, clocks, and step times over the run"
    positive = "HW slowdown, thermal or power brake held (violation times), the SM clock down, the step time up against the run's own or its peers'"
    excludes = "idle, application clocks, a soft power cap at normal temperature"
    leaves_open = "the environment's part"

    def assess(self, facts: Facts) -> Assessment:
        """IN where slowdown, clock and step time agree in a run that ended well; a warning where only the first is known."""
        timed = _violations(facts)
        held = [s for s in facts.series if s.name == "gpu_throttle_reasons" and s.values]
        masks = [(g, mask) for r in facts.job.reports for g in r.gpus_after if (mask := g.throttle_reasons) is not None]
        if timed is None and not held and not masks:
            own = told_clock(facts.job) if facts.ended_well and facts.advanced else None
            if own is not None:
                return ruled_in("by its own readings its card's clock was held down", "a clock that is kept", _by_its_word(facts, own))
            return not_testable("neither violation times nor throttle reasons were read", FLIP)
        severe = [v for v in timed or () if v[1] >= HELD_SHARE]
        said = [_held(s) for s in held]
        sampled = {s.where.gpu_uuid for s in held}
        warnings = [v[2] for v in severe] + [s for s in said if s is not None]
        warnings += [s for gpu, mask in masks if gpu.uuid not in sampled and (s := _at_end(gpu, mask)) is not None]
        cards = {c.uuid: c for c in facts.activity.cards}
        hot = {s.where.gpu_uuid or "": s for s in held if _share(s, SOFT_THERMAL) >= HELD_SAMPLES}
        for uuid in dict.fromkeys([v[0] for v in severe] + [s.where.gpu_uuid or "" for s in held if _share(s) >= HELD_SAMPLES] + [*hot]):
            card = cards.get(uuid)
            share = max((v[1] for v in severe if v[0] == uuid), default=0.0)
            cost = (_cost(facts, card) or _waited_for(facts, card, share)) if card is not None else None
            if card is not None and cost is not None and facts.ended_well:
                mine = [w for w in warnings if any(e.where.gpu_uuid == uuid for e in w.evidence)]
                mine += [w for s in [hot[uuid]] if (w := _held(s, SOFT_THERMAL)) is not None] if uuid in hot else []
                return ruled_in(
                    mine[0].text if mine else "slowdown was held",
                    "no slowdown, or a clock, steps and peers that did not suffer",
                    _account(facts, card, mine, cost),
                )
        if warnings:
            return latent("slowdown was seen; that the clock fell and the steps took longer is not shown", FLIP, *warnings[:4])
        cites = [c for s in held[:2] if (c := citations.series(s, trust=Trust.SYSTEM)) is not None]
        cites += [v[2].evidence[0] for v in (timed or ())[:2]]
        return ruled_out("no hardware slowdown was seen", FLIP, *(cites or [_cite(*masks[0])]))


def _by_its_word(facts: Facts, own: ToldClock) -> Account:
    """The account of a run that prints its card's clock itself; what a job prints blames no node."""
    numbers = f"its card's clock was told as {own.low_mhz:.0f} MHz of {own.full_mhz:.0f} MHz, in {own.share:.0%} of the lines that tell it"
    shows = [Said(f"{numbers}: {words.headline(own.said)}", facts.advance.marks[-1:])]
    shows += [Said("the run ended well", facts.cite_end())] if facts.cite_end() else []
    return Account(
        headline=words.headline(f"completed, slowed: {numbers}"),
        shows=tuple(shows),
        fault=Fault.UNKNOWN,
        cannot_decide=("whether cooling, the power supply, a power cap or a setting is the reason: the driver's own reasons were not read",),
        advice=("Look at the card while a job runs on it: nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER,CLOCK",),
        lost=False,
    )


def _violations(facts: Facts) -> list[tuple[str, float, Said]] | None:
    """GPU, share of the run that it was held down, and the words: from NVML's counters before and after; None where it has none."""
    found: list[tuple[str, float, Said]] = []
    known = False
    watched = {(s.name, s.where.gpu_uuid): s for s in facts.series if s.name in VIOLATIONS and len(s.values) > 1 and math.isfinite(s.values[0])}
    for report in facts.job.reports:
        before = {g.uuid: g for g in report.gpus_before}
        for after in report.gpus_after:
            old = before.get(after.uuid)
            for name, what in VIOLATIONS.items():
                now, then = getattr(after, name), getattr(old, name) if old is not None else None
                since_ns = old.time_ns if old is not None else None
                if not isinstance(then, int) and (first := watched.get((name, after.uuid))) is not None:  # not readable before the job
                    then, since_ns = int(first.values[0]), first.times_ns[0]
                if since_ns is None or not isinstance(now, int) or not isinstance(then, int):
                    continue
                known = True
                span, held = after.time_ns - since_ns, now - then
                if held < 0 or span <= 0:
                    continue  # the counter was reset in between
                share = min(1.0, held / span)
                reading = Reading(
                    source=f"NVML {name}", unit="ns", time_from_ns=since_ns, time_to_ns=after.time_ns, values=(float(then), float(now))
                )
                cite = Evidence(
                    id=f"v{name[10:16]}-{after.uuid}"[:40], says="gpu_slowed", role=Role.CONFIRMATION, trust=Trust.SYSTEM, source=reading,
                    where=Where(node=after.node, gpu_uuid=after.uuid), time_ns=after.time_ns,
                )  # fmt: skip
                found.append((after.uuid, share, Said(f"GPU {after.uuid} on {after.node} was under {what} for {share:.0%} of the time", (cite,))))
    return sorted(found, key=lambda v: -v[1]) if known else None


def _severe(card: Card | None, value: float) -> bool:
    mask = int(value) if math.isfinite(value) else 0
    return bool(_names(mask)) or (card is not None and bool(mask & SOFT_THERMAL))


def _cost(facts: Facts, card: Card) -> tuple[Said, ...] | None:
    """The clock fell and the steps took longer: both shown, or None."""
    reasons, clocks = card.series.get("gpu_throttle_reasons"), card.series.get("gpu_sm_clock_mhz")
    if clocks is None:
        return None
    bad = (
        sorted(t for t, v in zip(reasons.times_ns, reasons.values, strict=False) if t is not None and _severe(card, v)) if reasons is not None else []
    )
    spans = (bad[0], bad[-1]) if bad else None
    inside = [v for t, v in zip(clocks.times_ns, clocks.values, strict=False) if t is not None and spans and spans[0] <= t <= spans[1]]
    masks = list(zip(reasons.times_ns, reasons.values, strict=False)) if reasons is not None else []
    rested = {t for t, v in masks if math.isfinite(v) and int(v) & IDLE}
    mostly = _share(reasons) * len(masks) >= MOSTLY * max(1, len(masks) - len(rested)) if reasons is not None else False
    awake = [(t, v) for t, v in zip(clocks.times_ns, clocks.values, strict=False) if t is not None and t not in rested]
    outside = [v for t, v in awake if not (spans and spans[0] <= t <= spans[1])]
    peers = [m for c in facts.activity.cards if c is not card and (m := c.mean("gpu_sm_clock_mhz", facts.activity.work, LEAST)) is not None]
    low = statistics.fmean(inside) if len(inside) >= LEAST else card.mean("gpu_sm_clock_mhz", facts.activity.work, LEAST)
    few = len(outside) < LEAST and len(peers) > 0  # a reading before the first step is of a card at rest
    own = (statistics.fmean(outside) if len(outside) >= LEAST else max(outside)) if len(inside) >= LEAST and outside and not few else None
    usual, whose = (own, "before and after") if own is not None else (statistics.median(peers), "the median of its peers") if peers else (None, "")
    most = next((g.sm_clock_max_mhz for g in facts.hardware.gpus if g.uuid == card.uuid), None)
    if most and (usual is None or usual < most) and own is None and mostly:
        usual, whose = float(most), "its highest"
    if low is None or usual is None or low > CLOCK_DOWN * usual:
        return None
    slow = _steps(facts, spans) if spans else None
    if slow is None and own is None and peers and facts.ranks_total > 1:
        slow = ()  # held from start to end: its peers, which wait for it, are the baseline
    if slow is None and mostly and low <= FAR_DOWN * usual:
        slow = ()  # no stretch without it to compare steps with, and a busy engine at such a clock needs no proof
    if slow is None:
        return None
    cite = card.cite("gpu_sm_clock_mhz", "gpu_slowed")
    return (Said(f"its SM clock was {low:.0f} MHz, {usual:.0f} MHz {whose}", (cite,) if cite else ()), *slow)


def _waited_for(facts: Facts, card: Card, share: float) -> tuple[Said, ...] | None:
    """By NVML's own count its clocks were held down for long, and it computed while its peers waited: that is what it cost."""
    window = facts.activity.work
    duties = {c.uuid: m for c in facts.activity.cards if (m := c.mean(SM, window, LEAST)) is not None}
    mine, others = duties.get(card.uuid), [m for uuid, m in duties.items() if uuid != card.uuid]
    cite = card.cite(SM, "gpu_slowed")
    if share < HELD_SAMPLES or mine is None or not others or cite is None or facts.ranks_total < 2 or mine < WAITED_FOR * statistics.median(others):
        return None
    return (Said(f"its SMs worked {mine:.0f} % of the time, its peers' {statistics.median(others):.0f} %: they waited for it", (cite,)),)


def _steps(facts: Facts, spans: tuple[int, int]) -> tuple[Said, ...] | None:
    """Time of a step within and without the stretch of slowdown, where both are known and the first is longer."""
    for one in facts.series:
        if one.name not in {"step", "loss"}:
            continue
        points = paced(one)
        each = [((a + b) // 2, (b - a) / 1e9 / (n - m)) for (a, m), (b, n) in itertools.pairwise(points) if n > m and b > a]
        inside = [s for t, s in each if spans[0] <= t <= spans[1]]
        outside = [s for t, s in each if not spans[0] <= t <= spans[1]]
        if len(inside) < LEAST or len(outside) < LEAST:
            continue
        slow, usual = statistics.median(inside), statistics.median(outside)
        cite = citations.series(one)
        if slow >= STEP_UP * usual and cite is not None:
            return (Said(f"a step took {slow:.2f} s meanwhile, {usual:.2f} s otherwise", (cite,)),)
        return None
    return None


def _account(facts: Facts, card: Card, held: list[Said], cost: tuple[Said, ...]) -> Account:
    heat = card.values("gpu_temperature_c")
    shows = [*held[:2], *(s for s in cost if s.evidence)]
    cite = card.cite("gpu_temperature_c")
    if heat and cite is not None:
        shows.append(Said(f"it was at up to {max(heat):.0f} °C", (cite,)))
    if facts.cite_end():
        shows.append(Said("the run ended well", facts.cite_end()))
    what = held[0].text if held else f"GPU {card.uuid} on {card.node} was slowed down"
    return Account(
        headline=words.headline(f"completed, slowed: {what}"),
        shows=tuple(shows),
        fault=Fault.NODE,
        implies=("the whole run went at that card's pace",) if facts.ranks_total > 1 else (),
        cannot_decide=("whether cooling, the power supply or the room is the reason",),
        advice=(
            f"#SBATCH --exclude={card.node}   # until the operators have looked at it",
            f"For the operators: {card.node}, GPU {card.uuid}"
            + (f", serial {card.serial}" if card.serial else "")
            + ": nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER",
        ),
        lost=False,
    )


def _names(mask: int, also: int = 0) -> str:
    return ", ".join(name for bit, name in (*SEVERE.items(), (also, "software thermal slowdown")) if mask & bit)


def _share(series: Series, also: int = 0) -> float:
    bad = ALL_SEVERE | also
    return sum(1 for v in series.values if math.isfinite(v) and int(v) & bad) / len(series.values)


def _held(series: Series, also: int = 0) -> Said | None:
    """The share of samples with a severe bit, or with the one that counts here also."""
    bad = [int(value) for value in series.values if math.isfinite(value) and int(value) & (ALL_SEVERE | also)]
    cite = citations.series(series, trust=Trust.SYSTEM)
    if not bad or cite is None:
        return None
    cite = cite.model_copy(update={"says": "gpu_slowed"})
    how = f"{_names(bad[0], also)} in {_share(series, also):.0%} of the samples"
    return Said(f"GPU {series.where.gpu_uuid} on {series.where.node} was under {how}", (cite,))


def _at_end(gpu: GpuSnapshot, mask: int) -> Said | None:
    heat = f" at {gpu.temperature_c} °C" if gpu.temperature_c is not None else ""
    return Said(f"GPU {gpu.uuid} on {gpu.node} was under {_names(mask)}{heat} at the end", (_cite(gpu, mask),)) if _names(mask) else None


def _cite(gpu: GpuSnapshot, mask: int) -> Evidence:
    return citations.field("gpu_latent", f"GPU {gpu.uuid} on {gpu.node}", "NVML after the job", "throttle_reasons", f"{mask:#x}", time_ns=gpu.time_ns)


MODE = Throttling()
