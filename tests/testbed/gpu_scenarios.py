"""What can become of a GPU while a job runs, as readings over time for the project's own NVML: seconds count from the moment the job starts.

Numbers are such as the public reports of these failures give (a straggler's SM activity 0.55 against 0.16; a spinning collective busy at 100 % with
hardly any SM active). They were scripted, not recorded: no GPU was at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_AT_WORK = {"utilization.gpu": "98", "utilization.memory": "45", "power.usage": "520000", "clock.sm": "1755", "temperature": "62", "throttle_reasons": "0x0"}


@dataclass(frozen=True)
class GpuScenario:
    """``first`` holds from the beginning, ``later`` from so many seconds on."""

    first: Mapping[str, str] = field(default_factory=dict)
    later: tuple[tuple[float, Mapping[str, str]], ...] = ()


def work(sm: float, memory: float = 30.0, tensor: float = 10.0) -> dict[str, str]:
    """A GPU in training whose SMs are active for ``sm`` percent of the time."""
    return _AT_WORK | {"gpm.2": f"{sm:g}", "gpm.3": f"{sm / 3:g}", "gpm.5": f"{tensor:g}", "gpm.10": f"{memory:g}"}


def _ecc(count: int) -> dict[str, str]:
    return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count)}


HEALTHY = GpuScenario(work(48))
SCENARIOS = {
    "ecc_burst_at_the_end": GpuScenario(work(48), ((3.0, _ecc(2)), (3.5, _ecc(7)))),
    "ecc_early_then_flat": GpuScenario(work(48), ((1.0, _ecc(1)),)),
    "remap_pending": GpuScenario(work(48), ((2.0, {"remapped.uncorrected": "1", "remapped.pending": "1", "recovery_action": "1"}),)),
    "old_flat_remaps": GpuScenario(work(48) | {"remapped.corrected": "5", "remapped.uncorrected": "2", "ecc.aggregate.uncorrected": "2"}),
    "thermal_throttle": GpuScenario(
        work(48),
        tuple(
            (at_s, {"temperature": "91", "throttle_reasons": "0x60", "clock.sm": "810", "violation.thermal": f"{1000000 + int(at_s * 1e6)} {held}",
                    "slowdown.hw_thermal": f"{held}"})
            for at_s, held in ((1.0, 200_000_000), (2.0, 1_100_000_000), (3.0, 2_050_000_000))
        ),
    ),
    "off_the_bus": GpuScenario(work(48), ((1.5, {"events": "8:79"}), (2.5, {"*": "!GPU_IS_LOST"}))),
    "idle": GpuScenario({"utilization.gpu": "0", "throttle_reasons": "0x1"}),
    "busy_spin": GpuScenario(work(3, memory=0.2, tensor=0) | {"utilization.gpu": "100", "utilization.memory": "0", "power.usage": "125000"}),
    "straggler": GpuScenario(work(55)),
    "waiting_for_the_straggler": GpuScenario(work(16)),
    "nvlink_errors": GpuScenario(work(48), ((2.0, {"nvlink.0.replay": "4", "nvlink.1.crc_data": "9", "pcie.replay": "3"}),)),
    "before_hopper": GpuScenario(_AT_WORK | {f"gpm.{name}": "!NOT_SUPPORTED" for name in ("2", "3", "5", "10")} | {"gpm.supported": "0"}),
    "ecc_reset": GpuScenario(work(48) | _ecc(4), ((2.0, _ecc(0)),)),
}
"""By name. A neighbour's process and what slices of a card do need pids, and are made by the tests."""
HANGING = GpuScenario(work(48), ((2.5, {"*": "@hang=60 !GPU_IS_LOST"}),))
"""A card off the bus whose calls do not return: with it nothing can be read of its node's other cards either."""
SLICES = ("MIG-6e0a1c5e-0000-5d2c-9b61-000000000001", "MIG-6e0a1c5e-0000-5d2c-9b61-000000000002")
SLICED = GpuScenario(
    work(48)
    | {"mig.mode": "1", "mig.pending": "1", "mig.0.uuid": SLICES[0], "mig.0.instance": "7", "mig.1.uuid": SLICES[1], "mig.1.instance": "8"}
    | {"utilization.gpu": "!NOT_SUPPORTED", "utilization.memory": "!NOT_SUPPORTED"}
)
"""Two slices of one card, GPU instances 7 and 8. Of a sliced card NVML gives no utilisation."""
