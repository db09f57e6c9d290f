"""D3: one rank computed while the others waited for it."""

from __future__ import annotations

import statistics

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Assessment, FailureMode, Said, latent, not_testable, ruled_out
from gpualert_slurm.evidence import Trust
from gpualert_slurm.series import Series

RATIO = 1.3
"""Duty of a straggler to the median of its peers (nvidia-resiliency-ext calls a score below 0.75 one)."""
MIN_POINTS = 10
SUSTAINED = 0.8


class Straggler(FailureMode):
    """SM duty by rank decides; power is what is sampled, and makes it suspected: a warning. Utilisation is 100 % on a waiting rank too."""

    code = "D3"
    title = "straggler"
    place = 86
    needs = "SM activity, else power, and clocks, of every rank's GPU over the run"
    positive = "one rank's SM (else power) duty far above the median, sustained, or its clock below; counts equal"
    excludes = "pipeline stages, work that is uneven by design"
    leaves_open = "the host's part; the loss without a baseline"

    def assess(self, facts: Facts) -> Assessment:
        """OUT for a single rank or even power; suspected where one GPU draws far more than the median over the run."""
        flip = f"one rank's SM duty or power at {RATIO} times the median or more, sustained"
        if facts.ranks_total < 2:
            return ruled_out("one rank alone has no peers", "two ranks or more")
        drawn = [s for s in facts.series if s.name == "gpu_power_mw" and len(s.values) >= MIN_POINTS]
        if len(drawn) < 3 or not facts.advance.seen:
            return not_testable("no SM activity, and too little power of too few GPUs, to compare ranks by", flip)
        hottest = max(drawn, key=lambda s: statistics.fmean(s.values))
        others = [s for s in drawn if s is not hottest]
        median = statistics.median(statistics.fmean(s.values) for s in others)
        cites = tuple(c for s in (hottest, *others[:2]) if (c := citations.series(s, trust=Trust.SYSTEM)) is not None)
        ratio = statistics.fmean(hottest.values) / median if median > 0 else 0.0
        held = sum(v >= RATIO * median for v in hottest.values) / len(hottest.values)
        if ratio < RATIO or held < SUSTAINED:
            return ruled_out(f"no GPU drew {RATIO} times the median power, sustained (the highest: {ratio:.2f})", flip, *cites)
        return latent(
            "suspected only, by power: SM activity was not read",
            flip,
            Said(f"{_named(hottest)} drew {ratio:.1f} times the median power of its peers", cites),
        )


def _named(series: Series) -> str:
    return f"GPU {series.where.gpu_uuid} on {series.where.node}"


MODE = Straggler()
