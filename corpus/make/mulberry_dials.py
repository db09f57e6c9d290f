"""Ranks on the bed beside cards whose readings are told: starved, hot, worn out, waiting, uneven, slowed by the wire; and well. The programs lag and wait in earnest."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.make._otter_jobs import DONE, GOOD, HARD, behind, carded, on, true
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings

FAILED: dict[str, Any] = {"state": "FAILED", "srun": "-K"}
LATE: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}


def busy(sm: float, dram: float = 24, tensor: float = 18, watts: int = 420, clock: int = 1755, engine: int = 98, degrees: int = 58) -> dict[str, str]:  # noqa: PLR0917
    """A card that computes."""
    return {
        "utilization.gpu": str(engine), "utilization.memory": str(int(dram)), "gpm.2": str(sm), "gpm.3": str(round(sm * 0.55, 1)), "gpm.5": str(tensor), "gpm.10": str(dram),
        "power.usage": str(1000 * watts), "clock.sm": str(clock), "throttle_reasons": "0x0", "temperature": str(degrees),
    }  # fmt: skip


REST = {**busy(0, 0, 0, 88, 345, 0, 36), "throttle_reasons": "0x1"}
SPINS = busy(0.9, 0.1, 0, 129, 1980, 100, 44)


def dial(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]], gib: int) -> Readings:
    """First, and from when on what else, with so much held."""
    kept = {"memory.used": str(gib << 30)}
    return {**first, **kept}, tuple((s, {**kept, **changes}) for s, changes in later)


def broken() -> Iterator[SlurmJob]:
    """B2; and an error of the program's own beside a card with a past."""
    fine, at_s, says_s = dial(busy(61), gib=44), 45.0, 48.0

    def ecc(count: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **more}

    def bad(rank: int) -> Any:
        return true("B2", "cuda_runtime", rank, fault="node")

    cuda = "raise torch.AcceleratorError('CUDA error: {}\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1')"
    yield carded(bad(1), "SEABED", 3, {1: dial(busy(61), (at_s, ecc(1, events="8:48", recovery_action="1")), gib=44)}, fine, 1, "--epochs 900 --width 8", code={"data": "time.sleep(0.15)", "loss": behind(says_s, cuda.format("uncorrectable ECC error encountered"), "rank == 1")}, **FAILED)
    yield carded(bad(2), "BASKET", 4, {2: dial(busy(57), (at_s, {"events": "8:79"}), (at_s + 1, {"*": "!GPU_IS_LOST"}), gib=12)}, dial(busy(57), gib=12), 2, head="export CONF='{\"updates\": 9000}'\n", code={"data": "time.sleep(0.2)", "loss": behind(says_s, cuda.format("unspecified launch failure"), "RANK == 2")}, hand=1, **FAILED)
    yield carded(bad(0), "PAIRS", 2, {0: dial(busy(66), (at_s, ecc(2, events="8:95")), gib=70)}, dial(busy(66), gib=70), 2, head="export STEPS=9000\n", code={"data": "time.sleep(0.2)", "loss": behind(says_s, cuda.format("uncorrectable ECC error encountered"), "R == 0")}, hand=2, **FAILED)
    yield carded(bad(1), "KLICKS", 3, {1: dial(busy(43), (at_s, ecc(4, events="8:63", **{"remapped.uncorrected": "1", "remapped.failure": "1"})), gib=25)}, dial(busy(43), gib=25), 1, head="export SCHRITTE=9000 PAUSE=0.2\n", code={"data": behind(says_s, "raise RuntimeError('cuMemcpyDtoH: CUDA_ERROR_ECC_UNCORRECTABLE (214): uncorrectable ECC error encountered')", "ich == 1")}, **FAILED)
    past = {**busy(52), "ecc.aggregate.uncorrected": "3", "remapped.uncorrected": "2"}
    yield carded(true("A3", "traceback", 1), "LATIDO", 2, {1: dial(past, gib=19)}, dial(busy(52), gib=19), 1, head="export EPOCAS=900\n", code={"data": "time.sleep(0.2)\n" + behind(says_s, "paciente = {'edad': 61, 'sexo': 'f'}\nperiodo = paciente['frecuencia']", "YO == 1")}, **FAILED)


def held() -> Iterator[SlurmJob]:
    """B3."""
    what, from_s = true("B3", fault="node"), 18

    def back(clock: int, why: str, gib: int) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 95, 255), "brake": ("power", "hw_power_brake", "0x88", 52, 205)}[why]
        return dial(busy(63, watts=610), *((float(from_s + 2 * k), {
            "temperature": str(degrees - k % 3), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 2)), "power.usage": str(1000 * watts + 700 * (k % 6)),
            f"violation.{policy}": f"{1_000_000 + (2 * k + 2) * 1_000_000} {(2 * k + 2) * 960_000_000}", f"slowdown.{field}": str((2 * k + 2) * 960_000_000)}) for k in range(60)), gib=gib)  # fmt: skip

    def lag(who: str, quick: float = 0.12, slow: float = 0.42) -> str:
        return f"time.sleep({quick})\n" + behind(from_s, f"time.sleep({slow - quick:.2f})", *([who] if who else []))

    fine = dial(busy(28, watts=300), gib=33)
    yield carded(what, "SEABED", 3, {2: back(510, "heat", 33)}, fine, 1, "--epochs 13 --width 8", code={"data": lag("rank == 2")}, **DONE)
    yield carded(what, "BASKET", 2, {0: back(630, "brake", 33)}, fine, 2, head="export CONF='{\"updates\": 290}'\n", code={"data": "pass", "loss": lag("RANK == 0")}, hand=1, **DONE)
    yield carded(what, "PAIRS", 2, {0: back(480, "heat", 40), 1: back(495, "heat", 40)}, fine, 1, head="export STEPS=280\n", code={"data": lag("")}, **DONE)
    yield carded(what, "KLICKS", 3, {1: back(570, "brake", 33)}, fine, 1, head="export SCHRITTE=280 PAUSE=0.02\n", code={"loss": lag("ich == 1")}, hand=2, **DONE)
    yield carded(what, "LATIDO", 1, {}, back(540, "heat", 51), 1, head="export EPOCAS=14\n", code={"data": lag("")}, hand=1, **DONE)
    yield carded(what, "QUILL", 2, {0: back(465, "brake", 60), 1: back(480, "brake", 60)}, fine, 1, head="export MAX_ITERS=280\n", code={"data": lag("")}, **DONE)
    yield carded(what, "SWARM", 2, {1: back(600, "heat", 9)}, dial(busy(22), gib=9), 2, head="export GENERATIONS=240 PAUSE=0.02\n", code={"data": lag("worker == 1"), "after": on("generation % 12 == 0", "status(f'generation {generation} after {time.time() - float(os.environ[\"T0\"]):.1f} s')")}, **DONE)


def uneven() -> Iterator[SlurmJob]:
    """D3; D2 by the wire."""
    what = true("D3", fault="unknown")
    high, low = dial(busy(64, watts=540), gib=36), dial(busy(13, 6, 4, 190), gib=36)
    yield carded(what, "BASKET", 4, {2: high}, low, 2, head="export CONF='{\"updates\": 170}'\n", code={"loss": "time.sleep(0.45 if RANK == 2 else 0.03)", "grad": "own = time.time() - began", "after": on("update % 10 == 0", "emit('timing', update=update, own_sec=round(own, 3), wait_for_others_sec=round(time.time() - began - own, 3))")}, **DONE)
    yield carded(what, "KLICKS", 3, {0: high}, low, 1, head="export SCHRITTE=170 PAUSE=0.01\n", code={"loss": "time.sleep(0.46 if ich == 0 else 0.02)"}, hand=1, **DONE)
    timing = on("step % 16 == 0", "print(f'rank {R}: step {step}: forward+backward {own:.3f} s, waiting in all_gather {waits:.3f} s', flush=True)")
    yield carded(what, "PAIRS", 3, {1: high}, low, 3, head="export STEPS=160\n", where="-xn4,n5,n6", code={"data": "t0 = time.time()\ntime.sleep(0.5 if R == 1 else 0.04)\nown = time.time() - t0\nt0 = time.time()\ndist.barrier()\nwaits = time.time() - t0", "after": timing}, hand=2, **DONE)
    wire = dial(busy(8, 4, 2, 165, 1980, 100), gib=57)
    slow = "t_comm = time.time()\ntime.sleep(0.55)  # hosts are on the 1 GbE leaf\n"
    yield carded(true("D2", variant="interconnect", fault="cluster"), "BASKET", 4, {}, wire, 2, head="export CONF='{\"updates\": 130}'\necho 'NCCL INFO NET/IB : No device found.'; echo 'NCCL INFO NET/Socket : Using [0]eno1:10.20.4.17<0>'\n", code={"grad": slow, "after": on("update % 10 == 0", "emit('timing', update=update, allreduce_sec=round(time.time() - t_comm, 3), share_of_step=round((time.time() - t_comm) / (time.time() - began), 2))")}, **DONE)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    what = true("D1")

    def gaps(sm: float, each: int, gib: int) -> Readings:
        return dial(busy(sm), *((float(k), busy(sm, engine=30) if k % each == 0 else REST) for k in range(1, 110)), gib=gib)

    yield carded(what, "SEABED", 2, {}, gaps(34, 5, 15), 1, "--epochs 4 --tiles 128 --log-every 1", code={"data": "fetched = time.time()\ntime.sleep(4.2)  # next tile pack from the tape archive\nlog.info('input wait %.2f s', time.time() - fetched)"}, **DONE)
    yield carded(what, "BASKET", 2, {}, gaps(30, 4, 8), 2, head="export CONF='{\"updates\": 24, \"log_every\": 1}'\n", code={"data": "time.sleep(3.4)"}, **DONE)


def still() -> Iterator[SlurmJob]:
    """C3; C2."""
    alone = true("C3")
    yield carded(alone, "LATIDO", 1, {}, dial(busy(55), (18.0, REST), gib=30), 1, head="export EPOCAS=900\n", code={"data": "time.sleep(0.2)\n" + behind(17, "import queue\ndi('pidiendo el siguiente registro al lector')\nqueue.Queue().get()")}, **LATE)
    yield carded(alone, "KLICKS", 1, {}, dial(busy(47), (18.0, REST), gib=62), 1, head="export SCHRITTE=9000 PAUSE=0.2\n", code={"data": behind(17, "import threading\nmelde('warte auf das Schloss des Zwischenspeichers')\nschloss = threading.Lock()\nschloss.acquire()\nschloss.acquire()")}, hand=1, **LATE)
    yield carded(true("C2"), "PAIRS", 3, {2: dial(busy(58), (18.0, REST), gib=26)}, dial(busy(58), (18.0, SPINS), gib=26), 1, head="export STEPS=9000\n", code={"data": "time.sleep(0.2)\n" + behind(17, "import queue\nprint(f'rank {R}: waiting for the augmentation worker', flush=True)\nqueue.Queue().get()", "R == 2")}, **LATE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    fine = busy(59)
    yield carded(GOOD, "SEABED", 2, {}, dial(fine, gib=40), 2, "--epochs 11 --width 8", code={"data": "time.sleep(0.2)"}, **DONE)
    pause = on("generation == 90", "status('rendering a video of the best gait, the card has nothing to do meanwhile')\ntime.sleep(15)\nstatus('video written')")
    yield carded(HARD, "SWARM", 2, {}, dial(busy(38), (22.0, REST), (37.0, busy(38)), gib=7), 1, head="export GENERATIONS=260 PAUSE=0.2\n", code={"after": pause}, **DONE)
    worn = {**fine, "ecc.aggregate.uncorrected": "2", "remapped.uncorrected": "2", "remapped.corrected": "5", "ecc.aggregate.corrected": "311"}
    yield carded(HARD, "BASKET", 3, {0: dial(worn, (20.0, {"ecc.volatile.corrected": "3"}), gib=29)}, dial(fine, gib=29), 1, head="export CONF='{\"updates\": 270}'\n", code={"data": "time.sleep(0.22)"}, **DONE)
    cap = {**busy(78, 41, 44, 698, 1530), "throttle_reasons": "0x4", "temperature": "74"}
    yield carded(HARD, "PAIRS", 2, {}, dial(cap, gib=73), 2, head="export STEPS=260\n", code={"data": "time.sleep(0.22)", "early": "import warnings\nif R == 0:\n    warnings.warn('power cap of this partition is 700 W, clocks will be below the maximum')"}, hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All with cards."""
    for part in (broken, held, uneven, starved, still, well):
        yield from part()


RECIPE = Recipe("mulberry_dials", "development", jobs)
