"""Two ranks of which one's card is held down, in the readings that different drivers give; and clocks that are low for another reason."""

from __future__ import annotations

from tests.unit.classifier.records import Run
from tests.unit.classifier.signals import busy, done, gpu, series, sm, trained

HOT, COLD = "GPU-0", "GPU-1"


def pair(*more, clocks: tuple[float, float] = (980.0, 1755.0), heat: float = 91.0, duty: tuple[float, float] | None = (62.0, 27.0), **fields) -> Run:
    """Two ranks for 200 s; the first one's card has ``clocks[0]``."""
    run = trained(200, ranks=2, nodes=("n1",))
    told = [series("gpu_sm_clock_mhz", "n1", [mhz] * 21, uuid=uuid, every=10) for mhz, uuid in zip(clocks, (HOT, COLD), strict=True)]
    told += [series("gpu_temperature_c", "n1", [heat] * 21, uuid=HOT, every=10)]
    told += [busy("n1", [98.0] * 21, uuid, every=10) for uuid in (HOT, COLD)]
    told += [sm("n1", [v] * 21, uuid, every=10) for v, uuid in zip(duty or (), (HOT, COLD), strict=False)]
    return run.node("n1", series=[*told, *more], **fields)


def reasons(bits: int, uuid: str = HOT):
    return series("gpu_throttle_reasons", "n1", [float(bits)] * 21, uuid=uuid, every=10)


def test_heat_and_brakes_that_are_held_are_told_before_the_straggler_that_they_make():
    assert done(pair(reasons(0x40))).mode == "B3"
    assert done(pair(reasons(0x80), heat=60.0)).mode == "B3"
    assert done(pair(reasons(0x8), duty=None)).mode == "B3"


def test_the_drivers_own_slowdown_by_heat_is_heat():
    """Bit 0x20: software holds the clocks down since the card, or its memory, is too hot."""
    assert done(pair(reasons(0x20))).mode == "B3"
    assert done(pair(reasons(0x24), duty=None)).mode == "B3"


def test_counters_alone():
    held = {"gpus_before": (gpu("n1", HOT, violation_thermal_ns=0), gpu("n1", COLD)), "gpus_after": (gpu("n1", HOT, 205, violation_thermal_ns=150 * 10**9), gpu("n1", COLD, 205))}
    assert done(pair(**held)).mode == "B3"
    assert done(pair(duty=None, **held)).mode == "B3"


def test_clocks_that_are_low_for_another_reason_make_a_straggler():
    """Set by somebody, or not known why."""
    assert done(pair(reasons(0x2), heat=55.0)).mode == "D3"
    assert done(pair(heat=55.0)).mode == "D3"


def test_a_hot_card_that_kept_its_clock_costs_nothing():
    assert done(pair(reasons(0x20), clocks=(1740.0, 1755.0), duty=(50.0, 49.0))).mode == "G1"
    assert done(pair(reasons(0x4), clocks=(1700.0, 1755.0), heat=70.0, duty=(50.0, 49.0))).mode == "G1"
