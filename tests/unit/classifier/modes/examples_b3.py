"""B3: held slowdown with the clock down and the steps longer; violation times, throttle bits."""

from __future__ import annotations

from gpualert_slurm.classifier.modes.b3_throttling import SEVERE
from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import busy, done, gpu, series, trained

THERMAL, BRAKE, SLOWDOWN = 0x40, 0x80, 0x8
assert {THERMAL, BRAKE, SLOWDOWN} == set(SEVERE)


def _uneven(bit: int, *, slow_step: float = 2.0, clock: float = 900.0, **fields) -> Run:
    """100 steps at 1 s, then 100 at ``slow_step`` under the bit, with the clock at ``clock`` MHz instead of 1900."""
    times = [float(i) for i in range(1, 101)] + [100 + i * slow_step for i in range(1, 101)]
    end = times[-1] + 5
    run = Run().rank(0, "n1", steps(1, 200), code=0, end=end, times=times)
    points = round(end / 10)
    bad = [i * 10 > 100 for i in range(points)]
    run.node(
        "n1",
        gpus_before=(gpu("n1", **fields.get("before", {})),),
        gpus_after=(gpu("n1", when=end, **fields.get("after", {})),),
        series=[
            busy("n1", [99.0] * points, every=10),
            series("gpu_throttle_reasons", "n1", [bit if b else 0 for b in bad], every=10),
            series("gpu_sm_clock_mhz", "n1", [clock if b else 1900.0 for b in bad], every=10),
            series("gpu_temperature_c", "n1", [91.0 if b else 70.0 for b in bad], every=10),
        ],
    )
    run.end_s = end
    return run


EXAMPLES = {
    "hardware thermal": lambda: done(_uneven(THERMAL), end=320),
    "power brake": lambda: done(_uneven(BRAKE), end=320),
    "hardware slowdown": lambda: done(_uneven(SLOWDOWN), end=320),
    "violation times confirm": lambda: done(
        _uneven(THERMAL, before={"violation_hw_thermal_ns": 0}, after={"violation_hw_thermal_ns": 200 * 10**9}), end=320
    ),
}
NEAR_MISSES = {
    "the clock did not fall": lambda: done(_uneven(THERMAL, clock=1880.0), end=320),
    "the steps took no longer": lambda: done(_uneven(THERMAL, slow_step=1.0), end=320),
    "a soft power cap": lambda: done(_uneven(0x4), end=320),
    "one sample after the end": lambda: done(trained(200).node("n1", gpus_after=(gpu("n1", when=211, throttle_reasons=THERMAL, temperature_c=88),))),
}
