"""Engines that are busy on all ranks while the cards draw hardly more than at rest: they wait in a kernel, for each other's data.

NVML's utilisation counts a kernel that spins for its peers as work; it draws little. Where SM activity was not read (no DCGM, a card that does not
offer it), the power tells: several ranks, engines at their full and every card below a third of its limit, at a full clock.
"""

from __future__ import annotations

import statistics

from gpualert_slurm.classifier.activity import BUSY_PERCENT
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.evidence import Evidence

LOW_SHARE = 0.33
"""Of the power limit. A card at rest draws 0.1 to 0.15 of it, one that computes 0.5 to 1; one that waits in a collective 0.25 to 0.3."""
FULL_CLOCK = 0.85
"""Of the highest SM clock: below it the card was slowed down, and draws little for that."""
LEAST_READINGS = 5


def low_power(facts: Facts) -> tuple[str, tuple[Evidence, ...]] | None:
    """The numbers in words, and readings of a few cards; None where a card's are not known, or one of them computed."""
    known = {g.uuid: g for g in facts.hardware.gpus}
    window, cards = facts.activity.work, facts.activity.sampled
    if len(cards) < 2 or facts.ranks_total < 2:
        return None
    engines, watts, limits = [], [], []
    for card in cards:
        engine, power, gpu = card.engine(window, LEAST_READINGS), card.mean("gpu_power_mw", window, LEAST_READINGS), known.get(card.uuid)
        if engine is None or power is None or gpu is None or not gpu.power_limit_mw:
            return None
        if engine < BUSY_PERCENT or power > LOW_SHARE * gpu.power_limit_mw:
            return None
        clock = card.mean("gpu_sm_clock_mhz", window, LEAST_READINGS)
        if clock is not None and gpu.sm_clock_max_mhz and clock < FULL_CLOCK * gpu.sm_clock_max_mhz:
            return None
        engines.append(engine)
        watts.append(power / 1000)
        limits.append(gpu.power_limit_mw / 1000)
    drawn = f"{statistics.fmean(watts):.0f} W of {statistics.fmean(limits):.0f} W"
    shown = f"engines {statistics.fmean(engines):.0f} % busy at {drawn} on all {len(cards)} GPUs"
    names = ("gpu_utilization_percent", "gpu_power_mw")
    return shown, tuple(e for c in cards[:4] for n in names if (e := c.cite(n, "interconnect_bound")) is not None)
