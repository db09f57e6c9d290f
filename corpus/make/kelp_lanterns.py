"""Ranks beside cards whose readings are told: worn out, hot, braked, uneven, fed too slowly, waiting; and well. The programs lag, wait and break in earnest."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.make._wren_jobs import FINE, LOUD, WELL, dialled, since, so, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings

KILLS: dict[str, Any] = {"state": "FAILED", "srun": "--kill-on-bad-exit=1"}
LIMIT: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}
NAP = "time.sleep(0.2)"


def glow(sm: float, watts: int = 455, *, dram: float = 21, tensor: float = 15, clock: int = 1770, engine: int = 97, degrees: int = 61) -> dict[str, str]:
    """A card at work."""
    return {
        "utilization.gpu": str(engine), "utilization.memory": str(int(dram)), "gpm.2": str(sm), "gpm.3": str(round(sm * 0.6, 1)), "gpm.5": str(tensor), "gpm.10": str(dram),
        "power.usage": str(1000 * watts), "clock.sm": str(clock), "throttle_reasons": "0x0", "temperature": str(degrees),
    }  # fmt: skip


DARK = {**glow(0, 91, dram=0, tensor=0, clock=345, engine=0, degrees=38), "throttle_reasons": "0x1"}
POLLS = glow(1.1, 133, dram=0.2, tensor=0, clock=1965, engine=100, degrees=46)


def held(gib: int, first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """First, and from when on what else, with so much memory in use."""
    kept = {"memory.used": str(gib << 30)}
    return {**first, **kept}, tuple((s, {**kept, **changes}) for s, changes in later)


def worn() -> Iterator[SlurmJob]:
    """B2; and a slip of the program beside a card with a past."""
    at_s, says_s = 41.0, 45.0

    def counted(n: int, **more: str) -> dict[str, str]:
        return {**{f"ecc.{k}.uncorrected{p}": str(n) for k in ("volatile", "aggregate") for p in ("", ".dram")}, **more}

    def bad(rank: int) -> Label:
        return so("B2", "cuda_runtime", rank, fault="node")

    error = "raise torch.AcceleratorError('CUDA error: {}\\nSearch for cudaError{} in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.')"
    ecc, bus = error.format("uncorrectable ECC error encountered", "ECCUncorrectable"), error.format("unspecified launch failure", "LaunchFailure")
    busy = held(37, glow(58))
    yield dialled(bad(2), "FIRN", 4, {2: held(37, glow(58), (at_s, counted(1, events="8:48")))}, busy, 2, head="export EPOCHS=400\n", code={"data": NAP, "grad": since(says_s, ecc, "RANK == 2")}, **KILLS)
    yield dialled(bad(0), "WIDE", 2, {0: held(51, glow(63), (at_s, {"events": "8:79"}), (at_s + 1, {"*": "!GPU_IS_LOST"}))}, held(51, glow(63)), 2, "--train-iters 9000", code={"data": NAP, "loss": since(says_s, bus, "rank == 0")}, way=1, **KILLS)
    row = counted(3, events="8:94", **{"remapped.uncorrected": "1", "remapped.pending": "1", "recovery_action": "1"})
    yield dialled(bad(1), "RELAIS", 3, {1: held(8, glow(33), (at_s, row))}, held(8, glow(33)), 1, head="export ITERATIONS=9000\n", code={"data": NAP, "loss": since(says_s, ecc, "rang == 1")}, way=2, **KILLS)
    fatal = since(says_s, "log.error('process 2: cudaMemcpyAsync: CUDA_ERROR_ECC_UNCORRECTABLE')\nraise RuntimeError('CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered (code 214)')", "PROC == 2")
    yield dialled(bad(2), "HARVEST", 3, {2: held(19, glow(44), (at_s, counted(2, events="8:48", **{"remapped.failure": "1"})))}, held(19, glow(44)), 3, where="-xn4,n5,n6", head="export PASSES=9000 PAUSE=0.25\n", code={"data": fatal}, **KILLS)
    past = {**glow(55), "ecc.aggregate.uncorrected": "2", "ecc.aggregate.uncorrected.dram": "2", "remapped.uncorrected": "2"}
    gone = "with open('lidar/tile_0417.las', 'rb') as tile:\n    header = tile.read(375)"
    yield dialled(so("A3", "file_not_found", 1), "FIRN", 2, {1: held(26, past)}, held(26, glow(55)), 1, head="export EPOCHS=400\n", code={"data": NAP + "\n" + since(says_s, gone, "RANK == 1")}, **KILLS)


def slowed() -> Iterator[SlurmJob]:
    """B3."""
    what, from_s = so("B3", fault="node"), 17

    def hot(gib: int, clock: int, degrees: int = 94) -> Readings:
        return held(gib, glow(64, 630), *((from_s + 2.0 * k, {
            "temperature": str(degrees - k % 2), "throttle_reasons": "0x68", "clock.sm": str(clock + 30 * (k % 2)), "power.usage": str(268000 + 900 * (k % 5)),
            "violation.thermal": f"{1_000_000 + (2 * k + 2) * 1_000_000} {(2 * k + 2) * 970_000_000}", "slowdown.hw_thermal": str((2 * k + 2) * 970_000_000)}) for k in range(60)))  # fmt: skip

    def braked(gib: int, clock: int) -> Readings:
        return held(gib, glow(64, 630), *((from_s + 2.0 * k, {
            "temperature": "49", "throttle_reasons": "0x88", "clock.sm": str(clock + 15 * (k % 3)), "power.usage": str(187000 + 600 * (k % 4)),
            "violation.power": f"{1_000_000 + (2 * k + 2) * 1_000_000} {(2 * k + 2) * 950_000_000}", "slowdown.hw_power_brake": str((2 * k + 2) * 950_000_000)}) for k in range(60)))  # fmt: skip

    def lag(who: str = "", quick: float = 0.11, slow: float = 0.46) -> str:
        return f"time.sleep({quick})\n" + since(from_s, f"time.sleep({slow - quick:.2f})", *([who] if who else []))

    peers = held(42, glow(27, 310))
    yield dialled(what, "FIRN", 2, {1: hot(42, 540)}, peers, 1, head="export EPOCHS=11\n", code={"data": lag("RANK == 1")}, **WELL)
    yield dialled(what, "WIDE", 4, {3: braked(42, 615)}, peers, 2, "--train-iters 270", code={"data": lag("rank == 3")}, way=1, **WELL)
    yield dialled(what, "FORGE", 2, {0: hot(11, 480, 96), 1: hot(11, 495, 95)}, peers, 1, head="export NUM_EPOCHS=9\n", code={"data": lag(), "after": when("i % 10 == 0", "say(f'  {time.strftime(\"%H:%M:%S\")} step took {time.time() - began_step:.3f} s') if 'began_step' in globals() else None") + "\nbegan_step = time.time()"}, way=2, **WELL)
    yield dialled(what, "RELAIS", 2, {1: hot(15, 570)}, held(15, glow(22, 240)), 2, head="export ITERATIONS=280\n", code={"data": lag("rang == 1")}, **WELL)
    yield dialled(what, "HARVEST", 3, {0: braked(23, 525)}, held(23, glow(24, 260)), 1, head="export PASSES=290 PAUSE=0.01\n", code={"data": lag("PROC == 0")}, way=1, **WELL)
    yield dialled(what, "HOVER", 1, {}, braked(4, 465), 1, head="export TOTAL_TIMESTEPS=192000\n", code={"data": lag()}, **WELL)
    yield dialled(what, "WIDE", 2, {0: hot(66, 510, 97)}, held(66, glow(29, 330)), 1, "--train-iters 270 --log-interval 5", code={"data": lag("rank == 0")}, way=2, **WELL)


def uneven() -> Iterator[SlurmJob]:
    """D3; the wire, D2."""
    what = so("D3", fault="unknown")
    far, near = held(31, glow(66, 560)), held(31, glow(12, 185, dram=5, tensor=3))

    def own(who: str, tell: str, place: str = "grad") -> dict[str, str]:
        return {"data": "began_own = time.time()\n" + f"time.sleep(0.52 if {who} else 0.03)", place: "own_s = time.time() - began_own\nwaits = time.time()\ndist.barrier()\nwaits = time.time() - waits", "after": tell}

    yield dialled(what, "FIRN", 4, {1: far}, near, 2, head="export EPOCHS=7\n", code=own("RANK == 1", place="loss", tell=when("it % 8 == 0", "logfmt('info', 'step timing', node=os.environ['SLURMD_NODENAME'], compute_s=f'{own_s:.3f}', wait_for_peers_s=f'{waits:.3f}')")), **WELL)
    yield dialled(what, "WIDE", 3, {0: far}, near, 1, "--train-iters 165", code=own("rank == 0", when("iteration % 15 == 0", "print(f'rank {rank} timers (ms): forward-backward {1000 * own_s:.1f} | barrier {1000 * waits:.1f}', flush=True)")), way=1, **WELL)
    yield dialled(what, "HARVEST", 3, {2: far}, near, 3, where="-xn4,n5,n6", head="export PASSES=150 PAUSE=0.02\n", code={"data": "time.sleep(0.55 if PROC == 2 else 0.02)", "after": when("number % 12 == 0", "log.info('process %d on %s: own work %.3f s, waiting for the others %.3f s', PROC, os.environ['SLURMD_NODENAME'], own, time.time() - began - own - PAUSE)")}, way=2, **WELL)
    lamp = when("iterations % 6 == 0", "print(f'worker {WORKER}: simulation and gradient {own_s:.2f} s, at the all-reduce gate {gate_s:.2f} s', flush=True)")
    yield dialled(what, "HOVER", 2, {1: far}, near, 2, head="export TOTAL_TIMESTEPS=90000\n", code={"data": "began_own = time.time()\ntime.sleep(0.6 if WORKER == 1 else 0.03)", "loss": "own_s = time.time() - began_own\ndist.barrier()\ngate_s = time.time() - began_own - own_s", "after": lamp}, **WELL)
    wire = held(58, glow(7.5, 171, dram=4, tensor=2, clock=1980, engine=100))
    head = "echo 'gpu-n1:4127:4127 [0] NCCL INFO NET/IB : No device found.'\necho 'gpu-n1:4127:4127 [0] NCCL INFO Using network Socket'\n"
    tells = when("iteration % 10 == 0 and rank == 0", "print(f'    timers: all-reduce {1000 * wire_s:.1f} ms of {1000 * (time.time() - began_it):.1f} ms per iteration', flush=True)")
    yield dialled(so("D2", variant="interconnect", fault="cluster"), "WIDE", 4, {}, wire, 2, "--train-iters 130", head=head, code={"data": "began_it = time.time()", "grad": "wire_s = time.time()\ntime.sleep(0.58)", "step": "wire_s = time.time() - wire_s", "after": tells}, **WELL)


def hungry() -> Iterator[SlurmJob]:
    """D1."""
    def gaps(sm: float, each: int, gib: int) -> Readings:
        return held(gib, glow(sm), *((float(k), glow(sm, engine=24) if k % each == 0 else DARK) for k in range(1, 110)))

    what = so("D1")
    yield dialled(what, "FIRN", 2, {}, gaps(31, 5, 13), 2, head="export EPOCHS=3 ITERS=7 EVERY=1\n", code={"data": "asked = time.time()\ntime.sleep(3.9)\nlogfmt('info', 'batch arrived', waited_s=f'{time.time() - asked:.2f}', reader='nfs-archive')"}, **WELL)
    yield dialled(what, "HARVEST", 2, {}, gaps(26, 4, 6), 1, head="export PASSES=25 SHOW=1 PAUSE=0.01\n", code={"data": "time.sleep(3.1)\nlog.info('chunk %d read in %.2f s', number, time.time() - began)\nbegan = time.time()"}, way=1, **WELL)


def still() -> Iterator[SlurmJob]:
    """C3; C2."""
    alone = so("C3")
    yield dialled(alone, "WIDE", 1, {}, held(48, glow(61), (18.0, DARK)), 1, "--train-iters 9000", code={"data": NAP + "\n" + since(17, "import multiprocessing\nprint_rank_0('asking the tokenizer process for the next shard')\nmultiprocessing.SimpleQueue().get()")}, **LIMIT)
    yield dialled(alone, "HOVER", 1, {}, held(9, glow(35), (18.0, DARK)), 1, head="export TOTAL_TIMESTEPS=9000000\n", code={"data": NAP + "\n" + since(17, "import socket\nprint('connecting to the renderer', flush=True)\nhall, _ = socket.create_server(('127.0.0.1', 0)).accept()")}, way=1, **LIMIT)
    yield dialled(alone, "HARVEST", 1, {}, held(27, glow(40), (18.0, DARK)), 1, head="export PASSES=9000 PAUSE=0.2\n", code={"data": since(17, "log.info('rotating sample file')\nturn = threading.Lock()\nturn.acquire()\nturn.acquire()")}, way=2, **LIMIT)
    quiet = since(17, "import threading\nlogfmt('info', 'waiting for prefetch thread')\nthreading.Event().wait()", "RANK == 1")
    yield dialled(so("C2"), "FIRN", 3, {1: held(34, glow(57), (18.0, DARK))}, held(34, glow(57), (18.0, POLLS)), 1, head="export EPOCHS=400\n", code={"data": NAP + "\n" + quiet}, **LIMIT)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield dialled(FINE, "FIRN", 2, {}, held(40, glow(62)), 2, head="export EPOCHS=12\n", code={"data": NAP}, **WELL)
    old = {**glow(57), "ecc.aggregate.uncorrected": "1", "remapped.uncorrected": "1", "remapped.corrected": "4", "ecc.aggregate.corrected": "96", "pcie.replay": "2"}
    yield dialled(LOUD, "WIDE", 2, {1: held(45, old, (20.0, {"ecc.volatile.corrected": "2", "ecc.aggregate.corrected": "98"}))}, held(45, glow(57)), 1, "--train-iters 290", code={"data": NAP}, way=1, **WELL)
    board = when("iterations == 100", "print('writing 400 videos of flights for the report, training goes on afterwards', flush=True)\ntime.sleep(14)")
    yield dialled(LOUD, "HOVER", 2, {}, held(6, glow(41), (29.0, DARK), (41.0, glow(41))), 1, head="export TOTAL_TIMESTEPS=170000\n", code={"data": NAP, "after": board}, way=2, **WELL)


def jobs() -> Iterator[SlurmJob]:
    """All with cards."""
    for part in (worn, slowed, uneven, hungry, still, well):
        yield from part()


RECIPE = Recipe("kelp_lanterns", "development", jobs)
