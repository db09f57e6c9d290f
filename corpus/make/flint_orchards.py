"""Ranks beside cards whose readings are told: worn, hot, starved, uneven; and well. The programs wait and lag in earnest."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from corpus.make._tansy_jobs import DONE, HARD, carded, true, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import CLOCK, Readings

FAILED: dict[str, Any] = {"state": "FAILED", "srun": "-K"}


def runs(sm: float, dram: float = 27, tensor: float = 21, watts: int = 455, clock: int = 1740, engine: int = 97, degrees: int = 60) -> dict[str, str]:  # noqa: PLR0917
    """A card that computes."""
    return {
        "utilization.gpu": str(engine), "utilization.memory": str(int(dram)), "gpm.2": str(sm), "gpm.3": str(round(sm / 2, 1)), "gpm.5": str(tensor), "gpm.10": str(dram),
        "power.usage": str(1000 * watts), "clock.sm": str(clock), "throttle_reasons": "0x0", "temperature": str(degrees),
    }  # fmt: skip


STILL = {**runs(0, 0, 0, 91, 345, 0, 38), "throttle_reasons": "0x1"}


def told(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]], gib: int) -> Readings:
    """First, and from when on what else, with so much held."""
    kept = {"memory.used": str(gib << 30)}
    return {**first, **kept}, tuple((s, {**kept, **changes}) for s, changes in later)


def at(seconds: float, what: str, test: str = "True") -> str:
    """Code from so many seconds on, as the readings count."""
    return when(f"{test} and {CLOCK} > {seconds}", what)


def hot(clock: int, field: str, from_s: int, gib: int) -> Readings:
    """Held back from then on."""
    policy, mask, degrees, watts = {"hw_thermal": ("thermal", "0x60", 94, 262), "hw_power_brake": ("power", "0x88", 54, 214)}[field]
    return told(runs(64, watts=590), *((float(from_s + 2 * k), {
        "temperature": str(degrees - k % 2), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 2)), "power.usage": str(1000 * watts + 900 * (k % 5)),
        f"violation.{policy}": f"{1_000_000 + (2 * k + 2) * 1_000_000} {(2 * k + 2) * 970_000_000}", f"slowdown.{field}": str((2 * k + 2) * 970_000_000)}) for k in range(65)), gib=gib)  # fmt: skip


def jobs() -> Iterator[SlurmJob]:
    """B2, B3, D1, D3, G1."""
    fine, ecc_s, says_s = told(runs(59), gib=38), 44.0, 47.0
    worn = {"ecc.volatile.uncorrected": "3", "ecc.aggregate.uncorrected": "3", "ecc.volatile.uncorrected.dram": "3", "events": "8:48", "recovery_action": "1"}
    text = "raise torch.AcceleratorError('CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1')"
    yield carded(true("B2", "cuda_runtime", 1, fault="node"), "WHEAT", 2, {1: told(runs(59), (ecc_s, worn), gib=38)}, fine, "--epochs 900", code={"data": "time.sleep(0.15)", "loss": at(says_s, text, "rank == 1")}, **FAILED)
    lost = told(runs(55), (ecc_s, {"events": "8:79"}), (ecc_s + 1, {"*": "!GPU_IS_LOST"}), gib=21)
    text = "raise torch.AcceleratorError('CUDA error: unspecified launch failure\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.')"
    yield carded(true("B2", "cuda_runtime", 1, fault="node"), "GLYPH", 2, {1: lost}, told(runs(55), gib=21), head="export TURNS=9000 NAP=0.2\n", code={"loss": at(says_s, text, "me == 1")}, hand=1, **FAILED)
    what = true("B3", fault="node")
    yield carded(what, "WHEAT", 2, {1: hot(525, "hw_thermal", 15, 30)}, told(runs(26, watts=290), gib=30), "--epochs 15", code={"data": "time.sleep(0.08)\n" + at(15, "time.sleep(0.25)", "rank == 1")}, **DONE)
    yield carded(what, "MAREE", 1, {}, hot(600, "hw_power_brake", 15, 47), head="export EPOQUES=100\n", code={"data": at(15, "time.sleep(0.05)")}, hand=2, **DONE)
    gaps = told(STILL, *((0.5 + k, runs(34) if k % 5 == 0 else STILL) for k in range(120)), gib=12)
    yield carded(true("D1"), "WHEAT", 2, {}, gaps, "--epochs 4 --steps 5", code={"data": "time.sleep(4.4)"}, hand=1, **DONE)
    what = true("D3", fault="unknown")
    yield carded(what, "GLYPH", 3, {2: told(runs(58), gib=33)}, told(runs(15, 6, 2, 210), gib=33), head="export TURNS=230 NAP=0.03\n", code={"loss": "time.sleep(0.33 if me == 2 else 0.02)"}, **DONE)
    yield carded(what, "WHEAT", 3, {0: told(runs(61, clock=1095), gib=26)}, told(runs(16, 6, 2, 205), gib=26), "--epochs 12", code={"loss": "compute = time.time()\ntime.sleep(0.34 if rank == 0 else 0.03)\nif step == 10:\n    log.info('forward pass %.2f s on this rank', time.time() - compute)"}, hand=2, **DONE)
    past = {"ecc.aggregate.uncorrected": "5", "remapped.uncorrected": "2", "remapped.corrected": "3"}
    rest = "log.warning('scoring 41,200 fields on the host, cards idle meanwhile')\ntime.sleep(15)\nlog.info('host scoring ended: rmse 0.41 t/ha')"
    pauses = told(runs(53), (32.0, STILL), (47.0, runs(53)), gib=36)
    last = carded(HARD, "WHEAT", 2, {}, pauses, "--epochs 11", code={"data": "time.sleep(0.24)", "save": when("epoch == 5", when("rank == 0", rest) + "\ndist.barrier()")}, **DONE)
    first, later = last.gpus[0, 0]
    yield replace(last, gpus={**last.gpus, (0, 0): ({**first, **past}, later)})


RECIPE = Recipe("flint_orchards", "development", jobs)
