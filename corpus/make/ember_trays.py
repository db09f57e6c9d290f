"""Ranks beside cards whose readings were told beforehand: cards that break under way, that are held back, and that do well. The programs slow down and fall in earnest."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._windlass import CLOCK, IDLE, Readings, carded, when
from corpus.running.job import Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
RUNTIME = '''"""Thin layer over the driver: one call, one status."""
import time

NAMES = {0: "no error", 214: "uncorrectable ECC error encountered", 220: "uncorrectable NVLink error detected during the execution", 719: "unspecified launch failure", 999: "unknown error"}


class CudaError(RuntimeError):
    pass


class Stream:
    def __init__(self, query):
        self.query = query

    def synchronize(self):
        status = self.query()
        if status:
            raise CudaError(f"CUDA error: {NAMES[status]} (status {status} from cuStreamSynchronize)")
'''
ENGINE = '''"""Matrix products of the denoiser."""


class BlasError(RuntimeError):
    pass


STATUS = ("CUBLAS_STATUS_SUCCESS", "CUBLAS_STATUS_EXECUTION_FAILED")


def flush(status):
    """What the library says of all that was queued."""
    if status:
        raise BlasError(f"CUDA error: {STATUS[status]} when calling `cublasSgemm( handle, opa, opb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)`")
'''


def holds(gib: int, readings: Readings) -> Readings:
    """With so much memory in use."""
    kept = {"memory.used": str(gib << 30)}
    return {**readings[0], **kept}, tuple((at, {**kept, **changes} if "*" not in changes else changes) for at, changes in readings[1])


def errors(count: int, **more: str) -> dict[str, str]:
    """Uncorrectable ones."""
    return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **more}


def broken() -> Iterator[SlurmJob]:
    """B2."""
    breaks, told = 62.0, 65.0

    def label(rank: int) -> Label:
        return Label(mode="B2", cause="cuda_runtime", fault="node", first_ranks=(rank,))

    def stream(name: str, status: int, rank: int) -> dict[str, str]:
        who = {"UNET": "RANK", "LM": "rank", "RANKER": "ME", "DENOISE": "rango", "MOLEC": "r"}[name]
        return {"top": "from gpu.runtime import Stream", "ready": f"stream = Stream(lambda: {status} * ({who} == {rank} and {CLOCK} > {told}))", "compute": "stream.synchronize()"}

    files = {"gpu/__init__.py": "", "gpu/runtime.py": RUNTIME}
    here = {"kidney3d/gpu/__init__.py": "", "kidney3d/gpu/runtime.py": RUNTIME}
    fine = holds(31, (work(53), ()))
    yield carded(label(1), "UNET", {1: holds(31, (work(52), ((breaks, errors(2, events="8:48")),)))}, fine, 2, given="--epochs 400", code=stream("UNET", 214, 1), files=here, **FAILED)
    gone = holds(47, (work(61), ((breaks, {"events": "8:79"}), (breaks + 1, {"*": "!GPU_IS_LOST"}))))
    yield carded(label(2), "LM", {2: gone}, holds(47, (work(60), ())), 4, 2, "tasks", given="--steps=90000", srun="-K", code=stream("LM", 999, 2), files=files, **FAILED)
    wire = {"nvlink.2.replay": "61", "nvlink.2.recovery": "5", "nvlink.2.crc_flit": "744", "events": "8:74"}
    yield carded(label(0), "RANKER", {0: holds(12, (work(45), ((breaks, wire),)))}, holds(12, (work(45), ())), 2, head="export RANKER_CONFIG='{\"epochs\": 900}'\n", code=stream("RANKER", 220, 0), files=files, **FAILED)
    remap = errors(3, **{"remapped.uncorrected": "1", "remapped.pending": "1", "events": "8:63", "recovery_action": "1"})
    blas = {"top": "import motor", "ready": f"estado = lambda: int({CLOCK} > {told})", "compute": "motor.flush(estado())"}
    yield carded(label(0), "DENOISE", {}, holds(24, (work(49), ((breaks, remap),))), 1, head="export PASOS=90000\n", code=blas, files={"motor.py": ENGINE}, **FAILED)


def held() -> Iterator[SlurmJob]:
    """B3."""
    label, since = Label(mode="B3", fault="node"), 30

    def back(busy: float, clock: int, why: str, gib: int, seconds: int = 100) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 91, 262_000), "brake": ("power", "hw_power_brake", "0x88", 57, 205_000)}[why]
        later = tuple((float(since + k), {
            "temperature": str(degrees + k % 4), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 4)), "power.usage": str(watts + 1700 * (k % 4)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 970_000_000}", f"slowdown.{field}": str((k + 1) * 970_000_000)}) for k in range(seconds))  # fmt: skip
        return holds(gib, (work(busy), later))

    def slower(name: str, extra: float, rank: int | None = None) -> dict[str, str]:
        return {"compute": when(name, f"time.sleep({extra})", rank=rank, since_s=since)}

    fine = holds(22, (work(31), ()))
    yield carded(label, "UNET", {1: back(63, 540, "heat", 22)}, fine, 2, given="--epochs 11 --iters 50", code=slower("UNET", 0.25, 1), **DONE)
    yield carded(label, "LM", {}, back(66, 615, "heat", 55), 1, given="--steps=520 --pace=0.12 --every=10", code=slower("LM", 0.22), **DONE)
    yield carded(label, "MOLEC", {2: back(58, 480, "brake", 17)}, holds(17, (work(28), ())), 3, 1, "tasks", given="420 0.1", head="export EACH=1\n", code=slower("MOLEC", 0.2, 2), **DONE)
    yield carded(label, "DENOISE", {0: back(60, 570, "brake", 9), 1: back(60, 585, "brake", 9)}, fine, 2, head="export PASOS=450 RITMO=0.1 CADA=10\n", code=slower("DENOISE", 0.2), **DONE)
    yield carded(label, "RANKER", {3: back(57, 510, "heat", 33)}, holds(33, (work(27), ())), 4, 2, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 18, \"pace\": 0.12}'\n", code=slower("RANKER", 0.22, 3), **DONE)
    yield carded(label, "UNET", {}, back(71, 660, "heat", 68), 1, given="--epochs 11 --iters 50 --print-every 5", code=slower("UNET", 0.2), **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    rest = when("LM", "print('note=held-out perplexity on the host, cards idle meanwhile', flush=True)\ntime.sleep(20)", step=300)
    pause: Readings = (work(57), ((33.0, dict(IDLE)), (54.0, work(57))))
    yield carded(HARD, "LM", {}, holds(26, pause), 2, 1, "tasks", given="--steps=700 --pace=0.09", code={"after": rest}, **DONE)
    scarred = holds(40, ({**work(51), "ecc.aggregate.uncorrected": "7", "remapped.uncorrected": "1", "remapped.corrected": "5", "pcie.replay": "3"}, ((20.0, {"ecc.volatile.corrected": "14", "ecc.aggregate.corrected": "211"}),)))
    yield carded(HARD, "MOLEC", {1: scarred}, holds(40, (work(52), ())), 2, given="640 0.1", **DONE)
    warm = holds(73, ({**work(77), "temperature": "80", "throttle_reasons": "0x4", "clock.sm": "1590", "power.usage": "699100"}, ()))
    yield carded(HARD, "UNET", {}, warm, 2, 2, "torchrun", given="--epochs 10 --iters 55", code={"early": "logger.warning('previous job on this node ended with Xid 79 (GPU has fallen off the bus), node was rebooted since')"}, **DONE)
    yield carded(GOOD, "RANKER", {}, holds(15, (work(48), ())), 2, head="export RANKER_CONFIG='{\"epochs\": 12}'\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (broken, held, well):
        yield from part()


RECIPE = Recipe("ember_trays", "development", jobs)
