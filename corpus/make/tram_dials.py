"""Crews beside cards whose readings were told beforehand: still, starved, held back, broken, uneven; and well. The programs wait, lag and stop in earnest."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.make._tram_jobs import GOOD, HARD, behind, carded, on, true
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

DONE: dict[str, Any] = {"state": "COMPLETED"}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=6",)}
FAILED: dict[str, Any] = {"state": "FAILED", "srun": "-K"}
COLD = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "92300", "throttle_reasons": "0x1", "clock.sm": "345"}
TURNING = {**work(1.4, memory=0.3, tensor=0), "utilization.gpu": "100", "utilization.memory": "1", "power.usage": "141000"}


def dial(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]], gib: int = 0) -> Readings:
    """First, and from when on what else, with so much held."""
    kept = {"memory.used": str(gib << 30)} if gib else {}
    return {**first, **kept}, tuple((s, {**kept, **changes}) for s, changes in later)


def still() -> Iterator[SlurmJob]:
    """C3; C2."""
    alone, rest = true("C3"), dial(work(52), (13.0, COLD), gib=29)
    yield carded(alone, "MELT", 1, {}, rest, given="--iters 90000", code={"data": behind(12, "out('INFO', 'waiting for the viewer to take the snapshot')\nsocket.create_server(('127.0.0.1', 0)).accept()", "it > 20")}, after="viewer", **LATE)
    yield carded(alone, "POLLEN", 1, {}, rest, head="export DAYS=90000\n", code={"data": behind(12, "note('handing the grid to the plot thread')\ndrawn = threading.Semaphore(0)\ndrawn.acquire()", "day > 20")}, after="plot thread", **LATE)
    yield carded(alone, "MOTIF", 1, {}, rest, head="export EPOQUES=9000\n", code={"epoch": behind(12, "import multiprocessing\ndire('validation dans un processus à part')\nenfant = multiprocessing.get_context('fork').Process(target=multiprocessing.get_context('fork').Event().wait)\nenfant.start()\nenfant.join()", "epoque > 2")}, after="validation", **LATE)
    yield carded(alone, "MELT", 1, {}, dial(work(61), (13.0, COLD), gib=66), given="--iters 90000 --each 15", code={"data": behind(12, "import select\nr, w = os.pipe()\nselect.poll().poll()", "it > 20")}, state="TIMEOUT", options=("--time=2",))
    yield carded(true("C2"), "MELT", 3, {1: dial(work(55), (13.0, COLD), gib=40)}, dial(work(55), (13.0, TURNING), gib=40), given="--iters 90000", code={"data": behind(12, "out('INFO', 'mould map: waiting for a free handle', everyone=True)\nimport queue\nqueue.SimpleQueue().get()", "ME == 1", "it > 20")}, after="free handle", **LATE)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    def gaps(busy: float, each: int, gib: int) -> Readings:
        return dial(work(4), *((0.5 + k, work(busy) if k % each == 0 else COLD) for k in range(90)), gib=gib)

    what = true("D1")
    yield carded(what, "MELT", 2, {}, gaps(31, 4, 14), 1, "--iters 20 --each 1", code={"data": "time.sleep(2.2)  # sections come from the archive"}, **DONE)
    yield carded(what, "POLLEN", 1, {}, gaps(35, 5, 9), 1, head="export DAYS=24 STEP_LOG=1\n", code={"data": "if day % 3 == 1:\n    t = time.time()\n    time.sleep(5.1)\n    note('next chunk unpacked', sec=f'{time.time() - t:.1f}')"}, **DONE)
    yield carded(what, "MOTIF", 2, {}, gaps(28, 4, 11), 2, head="export EPOQUES=2 PAS=10\n", code={"data": "time.sleep(2.3)  # lecture des fichiers audio\nif RANG == 0 and pas % 5 == 1:\n    dire('lecture 2.3 s, calcul 0.1 s')"}, **DONE)


def held() -> Iterator[SlurmJob]:
    """B3."""
    what, from_s = true("B3", fault="node"), 12

    def back(clock: int, why: str) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 94, 281_000), "brake": ("power", "hw_power_brake", "0x88", 55, 226_000)}[why]
        return dial(work(60), *((float(from_s + k), {
            "temperature": str(degrees - k % 3), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 3)), "power.usage": str(watts + 1300 * (k % 5)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 950_000_000}", f"slowdown.{field}": str((k + 1) * 950_000_000)}) for k in range(70)), gib=37)  # fmt: skip

    fine = dial(work(33), gib=37)
    yield carded(what, "MELT", 3, {2: back(570, "heat")}, fine, 1, "--iters 380", code={"data": behind(from_s, "time.sleep(0.13)", "ME == 2")}, **DONE)
    yield carded(what, "POLLEN", 1, {}, back(645, "brake"), 1, head="export DAYS=320\n", code={"data": behind(from_s, "time.sleep(0.15)")}, **DONE)
    yield carded(what, "MOTIF", 2, {0: back(495, "heat"), 1: back(510, "heat")}, fine, 1, head="export EPOQUES=22\n", code={"data": behind(from_s, "time.sleep(0.12)")}, **DONE)


def broken() -> Iterator[SlurmJob]:
    """B2."""
    fine, at_s, says_s = dial(work(50), gib=31), 16.0, 19.0

    def errors(count: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **more}

    def bad(rank: int) -> Any:
        return true("B2", "cuda_runtime", rank, fault="node")

    yield carded(bad(2), "MELT", 3, {2: dial(work(50), (at_s, errors(2, events="8:48")), gib=31)}, fine, 1, "--iters 90000", code={"data": behind(says_s, "raise RuntimeError('CUDA driver error 214 in cuEventSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE')", "ME == 2", "it > 30")}, **FAILED)
    yield carded(bad(1), "POLLEN", 2, {1: dial(work(48), (at_s, {"events": "8:79"}), (at_s + 1, {"*": "!GPU_IS_LOST"}), gib=18)}, dial(work(48), gib=18), 2, head="export DAYS=90000\n", code={"data": behind(says_s, "raise OSError('cudaMemcpyAsync(DeviceToHost, 2097152 bytes) failed: cudaErrorUnknown (999), unknown error')", "rank == 1", "day > 30")}, **FAILED)
    yield carded(bad(0), "MOTIF", 1, {0: dial(work(58), (at_s, errors(1, events="8:63", recovery_action="1", **{"remapped.uncorrected": "1", "remapped.pending": "1"})), gib=45)}, fine, 1, head="export EPOQUES=9000\n", code={"data": behind(says_s, "raise RuntimeError('CUDA error: uncorrectable ECC error encountered (noyau attention_fwd)')", "epoque > 2")}, **FAILED)


def uneven() -> Iterator[SlurmJob]:
    """D3."""
    def lags(name: str, ranks: int, nodes: int, slow: int, high: float, low: float, who: str, given: str = "", clock: int = 0, **more: Any) -> SlurmJob:  # noqa: PLR0917
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        return carded(true("D3", fault="unknown"), name, ranks, {slow: dial(own, gib=35)}, dial(work(low, memory=6, tensor=2), gib=35), nodes, given, code={"data": f"time.sleep(0.15 if {who} == {slow} else 0.01)"}, **more, **DONE)

    yield lags("MELT", 4, 2, 3, 57, 15, "ME", "--iters 190 --nap 0.02")
    yield lags("POLLEN", 3, 1, 1, 60, 16, "rank", clock=1050, head="export DAYS=110 PAUSE=0.02\n")
    yield lags("MOTIF", 3, 1, 2, 54, 14, "RANG", head="export EPOQUES=9 SIESTE=0.02\n")


def well() -> Iterator[SlurmJob]:
    """G1."""
    fine = work(54)
    pause = on("it == 130 and ME == 0", "out('WARNING', 'comparing with the finite elements on the host; the cards rest')\ntime.sleep(16)\nout('INFO', 'rms against finite elements: 3.1 K')")
    yield carded(HARD, "MELT", 2, {}, dial(fine, (8.0, COLD), (24.0, fine), gib=28), 1, "--iters 400", code={"after": pause}, **DONE)
    worn = dial({**fine, "ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "1", "remapped.corrected": "6"}, (9.0, {"ecc.volatile.corrected": "5", "pcie.replay": "1"}), gib=20)
    yield carded(HARD, "POLLEN", 2, {1: worn}, dial(fine, gib=20), 2, head="export DAYS=130\n", **DONE)
    capped = dial({**work(74), "temperature": "81", "throttle_reasons": "0x4", "clock.sm": "1575", "power.usage": "698800"}, gib=71)
    yield carded(HARD, "MOTIF", 2, {}, capped, 1, head="export EPOQUES=20\n", code={"early": "dire('attention : ancienne carte 3 remplacée hier, voir le ticket')"}, **DONE)
    grows = dial(work(47), *((float(k), {"memory.used": str(min(79, 34 + 4 * k) << 30)}) for k in range(1, 12)), (14.0, {"memory.used": str(39 << 30)}))
    again = behind(12, "smaller = True\nnote('allocation of 6.1 GiB failed: out of memory; chunk halved, same day once more', 'warn')", "not globals().get('smaller')")
    yield carded(HARD, "POLLEN", 1, {}, grows, 1, head="export DAYS=420\n", code={"after": again}, **DONE)
    small = {**work(8, memory=2, tensor=1), "utilization.gpu": "19", "power.usage": "139000"}
    yield carded(HARD, "MOTIF", 2, {}, dial(small, gib=2), 1, head="export EPOQUES=18\n", code={"early": "dire('petit modèle : 0,2 M de paramètres, la carte suffit largement')"}, **DONE)
    yield carded(GOOD, "MELT", 2, {}, dial(work(49), gib=16), 2, "--iters 320", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (still, starved, held, broken, uneven, well):
        yield from part()


RECIPE = Recipe("tram_dials", "development", jobs)
