"""B3: a GPU was slowed down by heat or power."""

from __future__ import annotations

import math

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Assessment, FailureMode, Said, latent, not_testable, ruled_out
from gpualert_slurm.evidence import Evidence, Trust
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.series import Series

SEVERE = {0x8: "hardware slowdown", 0x40: "hardware thermal slowdown", 0x80: "hardware power brake"}
"""NVML's throttle bits that are not the usual business of a busy GPU."""


class Throttling(FailureMode):
    """A mask read after the job is a sample: it warns; held slowdown over the run confirms."""

    code = "B3"
    title = "throttled by heat or power"
    place = 84
    needs = "violation-time counters or throttle bits, clocks, and step times over the run"
    positive = "HW slowdown, thermal or power brake held, the SM clock down, the step time up"
    excludes = "idle, application clocks, a soft power cap at normal temperature"
    leaves_open = "the environment's part"

    def assess(self, facts: Facts) -> Assessment:
        """A warning with the share of samples; without a baseline of step times nothing is confirmed."""
        flip = "hardware slowdown bits held over the run with the SM clock down and the step time up"
        held = [s for s in facts.series if s.name == "gpu_throttle_reasons" and s.values]
        masks = [(g, mask) for r in facts.job.reports for g in r.gpus_after if (mask := g.throttle_reasons) is not None]
        if not held and not masks:
            return not_testable("no throttle reasons were read", flip)
        warnings = [said for series in held if (said := _held(series)) is not None]
        sampled = {series.where.gpu_uuid for series in held}
        warnings += [said for gpu, mask in masks if gpu.uuid not in sampled and (said := _at_end(gpu, mask)) is not None]
        if warnings:
            return latent("slowdown was seen; what it cost is not known without a baseline of step times", flip, *warnings[:4])
        cites = [c for s in held[:2] if (c := citations.series(s, trust=Trust.SYSTEM)) is not None]
        return ruled_out("no hardware slowdown was seen", flip, *(cites or [_cite(*masks[0])]))


def _names(mask: int) -> str:
    return ", ".join(name for bit, name in SEVERE.items() if mask & bit)


def _held(series: Series) -> Said | None:
    """The share of samples with a severe bit."""
    bad = [int(value) for value in series.values if math.isfinite(value) and _names(int(value))]
    cite = citations.series(series, trust=Trust.SYSTEM)
    if not bad or cite is None:
        return None
    share = len(bad) / len(series.values)
    return Said(f"GPU {series.where.gpu_uuid} on {series.where.node} was under {_names(bad[0])} in {share:.0%} of the samples", (cite,))


def _at_end(gpu: GpuSnapshot, mask: int) -> Said | None:
    heat = f" at {gpu.temperature_c} °C" if gpu.temperature_c is not None else ""
    return Said(f"GPU {gpu.uuid} on {gpu.node} was under {_names(mask)}{heat} at the end", (_cite(gpu, mask),)) if _names(mask) else None


def _cite(gpu: GpuSnapshot, mask: int) -> Evidence:
    return citations.field("gpu_latent", f"GPU {gpu.uuid} on {gpu.node}", "NVML after the job", "throttle_reasons", f"{mask:#x}", time_ns=gpu.time_ns)


MODE = Throttling()
