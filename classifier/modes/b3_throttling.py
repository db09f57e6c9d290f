"""B3: a GPU was slowed down by heat or power."""

from __future__ import annotations

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Assessment, FailureMode, Said, latent, not_testable, ruled_out

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
        """A single snapshot warns; without readings over time nothing is confirmed."""
        flip = "hardware slowdown bits held over the run with the SM clock down"
        seen = [(g, mask) for r in facts.job.reports for g in r.gpus_after if (mask := g.throttle_reasons) is not None]
        if not seen:
            return not_testable("no throttle reasons were read", flip)
        warnings = []
        for gpu, mask in seen:
            names = [name for bit, name in SEVERE.items() if mask & bit]
            if names:
                heat = f" at {gpu.temperature_c} °C" if gpu.temperature_c is not None else ""
                cite = citations.field(
                    "gpu_latent", f"GPU {gpu.uuid} on {gpu.node}", "NVML after the job", "throttle_reasons", f"{mask:#x}", time_ns=gpu.time_ns
                )
                warnings.append(Said(f"GPU {gpu.uuid} on {gpu.node} was under {', '.join(names)}{heat} at the end", (cite,)))
        if warnings:
            return latent("slowdown bits at the end; how long they were held is not known", flip, *warnings[:4])
        gpu, mask = seen[0]
        cite = citations.field(
            "gpu_latent", f"GPU {gpu.uuid} on {gpu.node}", "NVML after the job", "throttle_reasons", f"{mask:#x}", time_ns=gpu.time_ns
        )
        return ruled_out("no slowdown bit was set at the end", flip, cite)


MODE = Throttling()
