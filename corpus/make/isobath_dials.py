"""Parties beside cards whose readings are told beforehand: at rest for good, fed too slowly, uneven, held back, broken; and well. The programs wait, lag and stop in earnest."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.make._survey_jobs import HARD, carded, since, true
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

DONE: dict[str, Any] = {"state": "COMPLETED"}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=6",)}
FAILED: dict[str, Any] = {"state": "FAILED", "srun": "-K"}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "88700", "throttle_reasons": "0x1", "clock.sm": "345"}
SPIN = {**work(1.1, memory=0.2, tensor=0), "utilization.gpu": "100", "utilization.memory": "1", "power.usage": "137500"}


def gauge(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]], gib: int) -> Readings:
    """First this, and from when on what else; so much is held."""
    held = {"memory.used": str(gib << 30)}
    return {**first, **held}, tuple((at_s, {**held, **changes}) for at_s, changes in later)


def at_rest() -> Iterator[SlurmJob]:
    """C3, C2."""
    rest = gauge(work(57), (12.0, REST), gib=44)
    lock = "import threading\nsay('viewer', port=6006)\nbuffers = threading.Lock()\nbuffers.acquire()\nbuffers.acquire()"
    yield carded(true("C3"), "RELIEF", 1, {}, rest, 1, "train.steps=90000", code={"data": since(11, lock, "step > 20")}, after="port=6006", **LATE)
    pool = "from concurrent.futures import ThreadPoolExecutor\nlog.info('exporting a preview')\npool = ThreadPoolExecutor(1)\npool.submit(lambda: pool.submit(len, 'ab').result()).result()"
    yield carded(true("C3"), "SONAR", 1, {}, rest, 1, "--epochs 9000", code={"data": since(11, pool)}, after="preview", hand=1, **LATE)
    fifo = "print('processus 1 : lecture de la table des styles', flush=True)\nos.mkfifo('styles.fifo')\nopen('styles.fifo').read()"
    yield carded(true("C2"), "GLYPHES", 3, {1: gauge(work(49), (12.0, REST), gib=26)}, gauge(work(49), (12.0, SPIN), gib=26), head="export EPOQUES=9000\n", code={"data": since(11, fifo, "rang == 1")}, after="table des styles", **LATE)


def uneven() -> Iterator[SlurmJob]:
    """D3."""
    def one(high: float, **more: str) -> Readings:
        return gauge({**work(high), **more}, gib=39)

    def wait(low: float) -> Readings:
        return gauge(work(low, memory=5, tensor=2), gib=39)

    what = true("D3", fault="unknown")
    yield carded(what, "RELIEF", 4, {2: one(56)}, wait(14), 2, "train.steps=170 train.nap=0.01", code={"data": "time.sleep(0.16 if RANK == 2 else 0)"}, **DONE)
    yield carded(what, "SONAR", 3, {1: one(61, **{"clock.sm": "1110"})}, wait(17), 1, "--epochs 4 --nap 0.01", code={"data": "time.sleep(0.17 if rank == 1 else 0)"}, hand=2, **DONE)
    yield carded(what, "GLYPHES", 3, {0: one(54)}, wait(15), 1, head="export EPOQUES=6 SIESTE=0.01\n", code={"data": "time.sleep(0.15 if rang == 0 else 0)"}, hand=1, **DONE)


def slow() -> Iterator[SlurmJob]:
    """D1, B3."""
    def bursts(busy: float, each: int, gib: int) -> Readings:
        return gauge(REST, *((0.5 + k, work(busy) if k % each == 0 else REST) for k in range(80)), gib=gib)

    yield carded(true("D1"), "RELIEF", 2, {}, bursts(32, 4, 17), 1, "train.steps=20 train.show=1 train.keep=10", code={"data": "time.sleep(2.4)  # patches are cut from the orthophoto"}, **DONE)
    yield carded(true("D1"), "SEISMO", 1, {}, bursts(27, 5, 8), 1, head="export PASSES=1\n", code={"data": "time.sleep(1.3 if trace % 3 else 0.1)  # one reader, gzip"}, **DONE)
    hot = 10

    def held(clock: int) -> Readings:
        return gauge(work(58), *((float(hot + k), {
            "temperature": str(93 - k % 2), "throttle_reasons": "0x60", "clock.sm": str(clock + 15 * (k % 2)), "power.usage": str(263_000 + 900 * (k % 4)),
            "violation.thermal": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 960_000_000}", "slowdown.hw_thermal": str((k + 1) * 960_000_000)}) for k in range(60)), gib=33)  # fmt: skip

    yield carded(true("B3", fault="node"), "SONAR", 2, {1: held(600)}, gauge(work(36), gib=33), 1, "--epochs 7", code={"data": since(hot, "time.sleep(0.14)", "rank == 1")}, **DONE)


def broken() -> Iterator[SlurmJob]:
    """B2."""
    at_s, says_s = 13.0, 16.0

    def errors(count: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **more}

    what = true("B2", "cuda_runtime", fault="node")
    says = "raise RuntimeError('CUDA error: uncorrectable ECC error encountered\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.')"
    yield carded(what.but(failed_ranks=(1,), first_ranks=(1,)), "RELIEF", 2, {1: gauge(work(52), (at_s, errors(1, events="8:48")), gib=51)}, gauge(work(52), gib=51), 1, "train.steps=90000", code={"data": since(says_s, says, "RANK == 1")}, **FAILED)
    lost = gauge(work(47), (at_s, {"events": "8:79"}), (at_s + 1, {"*": "!GPU_IS_LOST"}), gib=22)
    yield carded(what.but(failed_ranks=(0,), first_ranks=(0,)), "GLYPHES", 1, {0: lost}, lost, 1, head="export EPOQUES=9000\n", code={"data": since(says_s, "raise RuntimeError('CUDA error: unknown error (copie vers la carte)')")}, hand=2, **FAILED)


def well() -> Iterator[SlurmJob]:
    """G1."""
    fine = work(53)
    pause = since(8, "if rank == 0 and not globals().get('compared'):\n    globals()['compared'] = True\n    log.warning('comparing with the multibeam grid on the host, cards idle for a while')\n    time.sleep(15)\n    log.info('rms against multibeam 0.21 m')")
    yield carded(HARD, "SONAR", 2, {}, gauge(fine, (9.0, REST), (23.0, fine), gib=30), 1, "--epochs 9", code={"epoch": pause}, **DONE)
    worn = gauge({**fine, "ecc.aggregate.uncorrected": "3", "remapped.uncorrected": "2", "remapped.corrected": "5"}, (8.0, {"ecc.volatile.corrected": "6", "pcie.replay": "2"}), gib=19)
    yield carded(HARD, "FLOW", 2, {1: worn}, gauge(fine, gib=19), 2, head="export ROUNDS=60\n", **DONE)
    capped = gauge({**work(71), "temperature": "82", "throttle_reasons": "0x4", "clock.sm": "1590", "power.usage": "697100"}, gib=70)
    yield carded(HARD, "GLYPHES", 2, {}, capped, 1, head="export EPOQUES=11\n", hand=1, **DONE)
    small = {**work(6, memory=2, tensor=1), "utilization.gpu": "16", "power.usage": "128500"}
    yield carded(HARD, "SEISMO", 1, {}, gauge(small, gib=1), 1, head="export PASSES=14\n", hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (at_rest, uneven, slow, broken, well):
        yield from part()


RECIPE = Recipe("isobath_dials", "development", jobs)
