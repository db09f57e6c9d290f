"""B3: held slowdown with the clock down and the steps longer; violation times, throttle bits."""

from __future__ import annotations

import math

from gpualert_slurm.classifier.modes.b3_throttling import SEVERE
from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import busy, done, gpu, series, sm, trained

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


def _waited_for(held_s: float, others: float = 25.0, *, known_before: bool = True, first: float = 0.0) -> Run:
    """Two ranks for 200 s: the first one's card is held down by its own count, and its SMs work 60 % of the time."""
    run = trained(200, ranks=2, nodes=("n1",))
    held = {"violation_hw_power_brake_ns": int(held_s * 1e9)}
    before = {"violation_hw_power_brake_ns": 0} if known_before else {}
    watched = series("violation_hw_power_brake_ns", "n1", [first, *(held_s * 1e9 * i / 20 for i in range(1, 21))], uuid="GPU-0", every=10)
    return run.node(
        "n1",
        gpus_before=(gpu("n1", "GPU-0", **before), gpu("n1", "GPU-1")),
        gpus_after=(gpu("n1", "GPU-0", 205, **held), gpu("n1", "GPU-1", 205)),
        series=[sm("n1", [60.0] * 21, "GPU-0", every=10), sm("n1", [others] * 21, "GPU-1", every=10), *(() if known_before else (watched,))],
    )


def _all_along(bit: int, clock: float) -> Run:
    """200 steps under the bit from the first to the last, at one clock."""
    run = trained(200)
    told = [series("gpu_throttle_reasons", "n1", [bit] * 21, every=10), series("gpu_sm_clock_mhz", "n1", [clock] * 21, every=10)]
    return run.node("n1", gpus_after=(gpu("n1", when=205, sm_clock_max_mhz=1980),), series=[busy("n1", [99.0] * 21, every=10), *told])


def _after_a_rest(clock: float = 900.0) -> Run:
    """As ``_uneven``, with the card idle at 345 MHz for as long before the first step: what it runs at when nothing does."""
    times = [200.0 + i for i in range(1, 101)] + [300 + i * 2.0 for i in range(1, 101)]
    run = Run().rank(0, "n1", steps(1, 200), code=0, end=505, times=times)
    clocks = [345.0] * 20 + [1900.0] * 10 + [clock] * 20
    run.node(
        "n1",
        gpus_after=(gpu("n1", when=505),),
        series=[
            busy("n1", [0.0] * 20 + [99.0] * 30, every=10),
            series("gpu_throttle_reasons", "n1", [0x1] * 20 + [0] * 10 + [SLOWDOWN] * 20, every=10),
            series("gpu_sm_clock_mhz", "n1", clocks, every=10),
        ],
    )
    return run


EXAMPLES = {
    "behind a long rest": lambda: done(_after_a_rest(), end=510),
    "held from the first step to the last, the clock far down": lambda: done(_all_along(THERMAL, 700.0)),
    "its peers waited for it": lambda: done(_waited_for(80)),
    "its peers waited for it, and the counter could be read only later": lambda: done(_waited_for(80, known_before=False)),
    "hardware thermal": lambda: done(_uneven(THERMAL), end=320),
    "power brake": lambda: done(_uneven(BRAKE), end=320),
    "hardware slowdown": lambda: done(_uneven(SLOWDOWN), end=320),
    "violation times confirm": lambda: done(
        _uneven(THERMAL, before={"violation_hw_thermal_ns": 0}, after={"violation_hw_thermal_ns": 200 * 10**9}), end=320
    ),
}
NEAR_MISSES = {
    "held from the first step to the last, and the clock hardly down": lambda: done(_all_along(THERMAL, 1700.0)),
    "a low clock all along, and no slowdown": lambda: done(_all_along(0x2, 700.0)),
    "peers that worked as much": lambda: done(_waited_for(80, others=58.0)),
    "a straggler that was held down for moments": lambda: done(_waited_for(15)),
    "a counter whose first reading is no number": lambda: done(_waited_for(80, known_before=False, first=math.nan)),
    "behind a long rest, and the clock did not fall": lambda: done(_after_a_rest(1880.0), end=510),
    "the clock did not fall": lambda: done(_uneven(THERMAL, clock=1880.0), end=320),
    "the steps took no longer": lambda: done(_uneven(THERMAL, slow_step=1.0), end=320),
    "a soft power cap": lambda: done(_uneven(0x4), end=320),
    "one sample after the end": lambda: done(trained(200).node("n1", gpus_after=(gpu("n1", when=211, throttle_reasons=THERMAL, temperature_c=88),))),
}
