"""Crews on Slurm beside whose ranks the cards' readings are told beforehand: broken, full, hot, idle, starved, waiting for the wire or for one of them, and well.

No GPU is there: what a program says of CUDA it says by itself. It waits, starves, lags and saves in earnest.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.make.fates_in_the_queue import BASH, C_CODE, COMPILE
from corpus.running.crewed import CLOCK, cards
from corpus.running.crews import at, crew
from corpus.running.job import Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "88000", "throttle_reasons": "0x1"}
GONE = ((10.0, {"events": "8:79"}), (11.0, {"*": "!GPU_IS_LOST"}))
FULL = "CUDA out of memory. Tried to allocate 1.75 GiB. GPU {} has a total capacity of 79.65 GiB of which 911.19 MiB is free. Including non-PyTorch memory, this process has 78.74 GiB memory in use. Of the allocated memory 74.02 GiB is allocated by PyTorch, and 4.01 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation."


def when(after_s: float, code: str, rank: int | None = None) -> str:
    """From so many seconds behind the script's start on."""
    who = "" if rank is None else f"rank == {rank} and "
    return f"if {who}{CLOCK} > {after_s}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def reads(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """First, and from when on what else."""
    return first, later


def ecc(count: int, **more: str) -> dict[str, str]:
    """Uncorrectable errors."""
    return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.sram": str(count), **more}


def broken() -> Iterator[SlurmJob]:
    """B2: a card fails, and the run ends with it."""

    def label(rank: int, failed: tuple[int, ...], cause: str | None = "cuda_runtime") -> Label:
        return Label(mode="B2", cause=cause, fault="node", failed_ranks=failed, first_ranks=(rank,))

    fine = reads(work(49))
    bad: dict[str, Any] = {"state": "FAILED"}
    text = crew("ring", total=900, pause=0.04, mid=when(12, "raise RuntimeError('CUDA error: uncorrectable ECC error encountered')", 1))
    yield cards(label(1, (0, 1)), text, 2, {(0, 0): fine, (0, 1): reads(work(50), (9.5, ecc(1, events="8:48")))}, srun="--wait=20", **bad)
    text = crew("star", total=900, pause=0.04, mid=when(12, "raise OSError('cudaStreamSynchronize: unspecified launch failure (719)')", 2))
    yield cards(label(2, (2,)), text, 3, {(0, 0): fine, (0, 1): fine, (0, 2): reads(work(51), *GONE)}, srun="-K", **bad)
    text = C_CODE.replace("usleep(pause", 'if (t == 300) { fprintf(stderr, "relax.cu:88: cudaErrorECCUncorrectable: uncorrectable ECC error encountered\\n"); return 3; }\n        usleep(pause')
    yield cards(label(0, (0,)), text, 1, {(0, 0): reads(work(63), (10.5, ecc(4, **{"remapped.uncorrected": "1", "remapped.pending": "1"})))}, name="relax.c", head=COMPILE, command="./relax 9000 40", **bad)
    link = {"nvlink.1.replay": "19", "nvlink.1.recovery": "4", "nvlink.1.crc_data": "133", "events": "8:74"}
    text = crew("gram", total=900, pause=0.04, mid=when(12, "raise RuntimeError('CUDA error: uncorrectable NVLink error detected during the execution')", 0))
    yield cards(label(0, (0,)), text, 2, {(0, 0): reads(work(46), (9.5, link)), (0, 1): reads(work(45))}, srun="-K", **bad)
    text = crew("box", total=900, pause=0.04, mid=when(12, "import signal\nos.kill(os.getpid(), signal.SIGBUS)\ntime.sleep(5)", 1))
    yield cards(label(1, (1,), None), text, 4, {(0, 0): fine, (0, 1): reads(work(52), *GONE), (1, 0): fine, (1, 1): fine}, 2, srun="-K", **bad)
    worn = ecc(9, **{"remapped.uncorrected": "3", "remapped.failure": "1", "events": "8:64", "recovery_action": "2"})
    text = crew("desk", total=900, pause=0.04, mid=when(12, "raise RuntimeError('CUDA error: an illegal memory access was encountered')", 1))
    yield cards(label(1, (1,)), text, 2, {(0, 0): fine, (0, 1): reads(work(55), (9.5, worn))}, srun="-K", **bad)


def full() -> Iterator[SlurmJob]:
    """B1: its memory was not enough."""
    grows = reads({**work(44), "memory.used": str(21 << 30)}, *((1.0 + k, {"memory.used": str(min(79, 24 + 5 * k) << 30)}) for k in range(12)))
    most = reads({**work(44), "memory.used": str(66 << 30)})

    def label(rank: int, failed: tuple[int, ...]) -> Label:
        return Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=failed, first_ranks=(rank,))

    raises = "import torch\nraise torch.OutOfMemoryError('" + FULL.format(0) + "')"
    yield cards(label(0, (0,)), crew("box", total=900, pause=0.04, mid=when(13, raises)), 1, {(0, 0): grows}, python="torch", state="FAILED")
    yield cards(label(1, (0, 1, 2)), crew("ring", total=900, pause=0.04, mid=when(13, raises.replace("GPU 0", "GPU 1"), 1)), 3, {(0, 0): most, (0, 1): grows, (0, 2): most}, python="torch", srun="--wait=20", state="FAILED")
    yield cards(label(3, (3,)), crew("gram", total=900, pause=0.04, mid=when(13, raises.replace("GPU 0", "GPU 1"), 3)), 4, {(0, 0): most, (0, 1): most, (1, 0): most, (1, 1): grows}, 2, python="torch", srun="-K", state="FAILED")
    text = C_CODE.replace("usleep(pause", 'if (t == 320) { fprintf(stderr, "relax: cudaMalloc((void **)&halo, 5368709120) -> cudaErrorMemoryAllocation: out of memory\\n"); return 2; }\n        usleep(pause')
    yield cards(label(0, (0,)), text, 1, {(0, 0): grows}, name="relax.c", head=COMPILE, command="./relax 9000 40", state="FAILED")


def hot() -> Iterator[SlurmJob]:
    """B3: the clock is held down, and everything takes longer."""
    label = Label(mode="B3", fault="node")

    def held(since: float, clock: int, *, heat: bool = True, seconds: int = 46) -> Readings:
        policy, field, mask, degrees = ("thermal", "hw_thermal", "0x60", 91) if heat else ("power", "hw_power_brake", "0x88", 61)
        return reads(work(66), *((since + k, {
            "temperature": str(degrees + k % 3), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 4)), "power.usage": "310000" if heat else "205000",
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 940_000_000}", f"slowdown.{field}": str((k + 1) * 940_000_000)}) for k in range(seconds)))  # fmt: skip

    slow = when(10, "time.sleep(0.1)")
    yield cards(label, crew("box", total=300, pause=0.04, mid=slow), 1, {(0, 0): held(9, 690)}, state="COMPLETED")
    yield cards(label, crew("ring", total=300, pause=0.04, mid=slow), 2, {(0, 0): reads(work(31)), (0, 1): held(9, 540)}, state="COMPLETED")
    yield cards(label, crew("star", total=300, pause=0.04, mid=slow), 4, {(0, 0): held(9, 480, heat=False), (0, 1): reads(work(30)), (1, 0): reads(work(30)), (1, 1): reads(work(29))}, 2, state="COMPLETED")
    yield cards(label, crew("post", total=280, pause=0.04, mid=slow), 1, {(0, 0): held(9, 405, heat=False)}, state="COMPLETED")
    yield cards(label, crew("desk", total=300, pause=0.04, mid=slow), 2, {(0, g): held(9, 615 + 90 * g) for g in range(2)}, state="COMPLETED")
    text = C_CODE.replace("usleep(pause * 1000);", "usleep((t > 220 ? 140 : 40) * 1000);")
    yield cards(label, text, 1, {(0, 0): held(10, 780)}, name="relax.c", head=COMPILE, command="./relax 460 40", state="COMPLETED")


def stuck() -> Iterator[SlurmJob]:
    """C3: one process on one card stands still with its memory held."""
    label, kept = Label(mode="C3", fault="user"), {"memory.used": str(33 << 30)}
    gpu = {(0, 0): reads({**work(58), **kept}, (10.0, {**REST, **kept}))}
    over: dict[str, Any] = {"state": "TIMEOUT"}
    yield cards(label, crew("ring", total=900, pause=0.04, mid=when(9, "import threading\nthreading.Event().wait()")), 1, gpu, **over)
    yield cards(label, crew("box", total=900, pause=0.04, mid=when(9, "os.read(os.pipe()[0], 1)")), 1, gpu, **over)
    yield cards(label, crew("post", total=900, pause=0.04, mid=when(9, "import queue\nrows = queue.Queue()\nrows.get()")), 1, gpu, **over)
    yield cards(label, crew("star", total=900, pause=0.04, mid=when(9, "await asyncio.Event().wait()")), 1, gpu, **over)
    yield cards(label, crew("desk", total=900, pause=0.04, mid=when(9, "threading.Barrier(2).wait()")), 1, gpu, **over)
    text = C_CODE.replace("#include <time.h>", "#include <semaphore.h>\n#include <time.h>").replace("usleep(pause", "if (t == 220) { sem_t filled; sem_init(&filled, 0, 0); sem_wait(&filled); }\n        usleep(pause")
    yield cards(label, text, 1, gpu, name="relax.c", head="gcc -O1 -o relax relax.c -lpthread\n", command="./relax 9000 40", **over)
    pool = "import multiprocessing\nlog('scoring', 12, 'candidates with 1 worker')\nmultiprocessing.get_context('fork').Pool(1).apply(os._exit, (1,))"
    yield cards(label, crew("gram", total=900, pause=0.04, mid=when(9, pool)), 1, gpu, state="CANCELLED", act="scancel_late", after="scoring 12")
    text = BASH.replace('sleep "${2:-0.1}"', 'sleep "${2:-0.1}"\n    if ((i == 110)); then mkfifo next-batch; read -r batch < next-batch; fi')
    yield cards(label, text, 1, gpu, name="evolve.sh", command="bash evolve.sh 9000 0.07", **over)


def starved() -> Iterator[SlurmJob]:
    """D1: the cards wait for data, again and again."""
    label = Label(mode="D1", fault="user")
    done: dict[str, Any] = {"state": "COMPLETED"}

    def gaps(busy: float, every: int) -> Readings:
        return reads(work(9), *((1.0 + k, work(busy) if k % every == 0 else REST) for k in range(66)))

    def lag(seconds: float, each: int = 1, say: str = "") -> str:
        return f"if step % {each} == 0:\n    time.sleep({seconds})" + (f"\n    {say}" if say else "")

    yield cards(label, crew("ring", total=20, every=1, mid=lag(2.2)), 1, {(0, 0): gaps(33, 3)}, **done)
    yield cards(label, crew("box", total=44, every=2, mid=lag(4.4, 4, "say.info('loader: 4.4 s for the next shard')")), 1, {(0, 0): gaps(38, 5)}, **done)
    yield cards(label, crew("star", total=22, every=1, mid=lag(2.1)), 2, {(0, g): gaps(30, 3) for g in range(2)}, **done)
    yield cards(label, crew("post", total=30, every=2, mid=lag(3.2, 2)), 1, {(0, 0): gaps(27, 4)}, **done)
    yield cards(label, crew("desk", total=60, every=3, mid=lag(6.1, 9)), 1, {(0, 0): gaps(41, 6)}, **done)
    yield cards(label, crew("gram", total=24, every=1, mid="import subprocess\nsubprocess.run('sleep 1; head -c 400000 /dev/urandom | xz -1 | xz -d > /dev/null; sleep 0.7', shell=True)"), 2, {(n, 0): gaps(24, 3) for n in range(2)}, 2, **done)
    yield cards(label, C_CODE.replace("if (t % 20 == 0)", "if (t % 2 == 0)"), 1, {(0, 0): gaps(22, 3)}, name="relax.c", head=COMPILE, command="./relax 24 1900", **done)
    yield cards(label, BASH.replace("i % 10", "i % 2"), 1, {(0, 0): gaps(19, 4)}, name="evolve.sh", command="bash evolve.sh 18 2.6", **done)
    remote = "import socket\nlink = socket.create_connection(('127.0.0.1', port + 90))\nlink.sendall(b'GET\\n')\nlink.recv(1 << 16)\nlink.close()"
    store = "python3 -c \"import os, socketserver, time\nclass H(socketserver.BaseRequestHandler):\n    def handle(self):\n        self.request.recv(9)\n        time.sleep(1.9)\n        self.request.sendall(b'x' * 500)\nsocketserver.ThreadingTCPServer(('127.0.0.1', int(os.environ['PORT']) + 90), H).serve_forever()\" &\nsleep 1\n"
    yield cards(label, crew("ring", total=22, every=1, mid=remote), 2, {(0, g): gaps(36, 3) for g in range(2)}, head=store, **done)


def bound() -> Iterator[SlurmJob]:
    """D2: all alike wait for the wire, for each launch, for each save."""
    wire = Label(mode="D2", variant="interconnect", fault="cluster")
    done: dict[str, Any] = {"state": "COMPLETED"}
    spin = {**work(9, memory=3, tensor=1), "utilization.gpu": "100", "power.usage": "198000"}
    yield cards(wire, crew("ring", total=220, pause=0.12), 4, {(n, g): reads(spin) for n in range(2) for g in range(2)}, 2, **done)
    yield cards(wire, crew("star", total=220, pause=0.12), 4, {(n, g): reads({**spin, "gpm.2": "12"}) for n in range(2) for g in range(2)}, 2, **done)
    flag = Label(mode="D2", variant="launch_blocking", fault="user")
    yield cards(flag, crew("desk", total=200, pause=0.12), 2, {(0, g): reads({**work(18, memory=8, tensor=3), "utilization.gpu": "68"}) for g in range(2)}, head="export CUDA_LAUNCH_BLOCKING=1\n", **done)
    storm = Label(mode="D2", variant="save_storm", fault="user")
    idle = reads({**work(7, memory=3, tensor=1), "utilization.gpu": "16", "power.usage": "131000"})
    saves = at(0, None, "import pickle\nbegan = time.time()\nwith open(f'centres-{step:05d}.pkl', 'wb') as out:\n    pickle.dump(centres * 40000, out)\n    os.fsync(out.fileno())\ntime.sleep(0.5)\nsay.info('saved checkpoint centres-%05d.pkl (%.2f s)', step, time.time() - began)")
    yield cards(storm, crew("box", total=50, every=1, pause=0.02, mid=saves), 2, {(0, g): idle for g in range(2)}, **done)
    saves = "if step:\n    time.sleep(0.6)\n    open(f'ring-{step}.bin', 'wb').write(bytes(4_000_000))\n    print(f'ring[{rank}/{world}] checkpoint ring-{step}.bin written in 0.6 s', flush=True)"
    yield cards(storm, crew("ring", total=44, every=1, pause=0.02, mid=saves), 1, {(0, 0): idle}, tail="code=$?; rm -f ring-*.bin; exit $code\n", **done)


def lagging() -> Iterator[SlurmJob]:
    """D3: one computes while the others wait for it."""
    label = Label(mode="D3", fault="unknown")
    for name, ranks, nodes, slow, high, low, clock in (("ring", 4, 2, 2, 58, 15, 0), ("star", 3, 1, 2, 63, 18, 0), ("desk", 4, 1, 1, 55, 13, 975), ("gram", 4, 2, 3, 67, 17, 0), ("box", 3, 1, 1, 52, 12, 0)):
        per = ranks // nodes
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        gpus = {(r // per, r % per): reads(own if r == slow else work(low, memory=7, tensor=2)) for r in range(ranks)}
        yield cards(label, crew(name, total=230, pause=0.02, mid=f"time.sleep(0.1 if rank == {slow} else 0.01)"), ranks, gpus, nodes, state="COMPLETED")


def well() -> Iterator[SlurmJob]:
    """G1: cards that rest for good reasons, are warm, or have a past."""
    good = Label(mode="G1", fault="none")
    done: dict[str, Any] = {"state": "COMPLETED"}
    hard = good.but(hard=True)
    kept = {"memory.used": str(15 << 30)}
    pause = "if step == 200:\n    emit(event='evaluation', rows=40000)\n    time.sleep(13)\n    emit(event='evaluation', brier=0.171)"
    yield cards(hard, crew("star", total=380, mid=pause), 2, {(0, g): reads({**work(57), **kept}, (12.0, {**REST, **kept}), (26.0, work(57))) for g in range(2)}, **done)
    index = "for shard in range(8):\n    print(f'ring[{rank}/{world}] packing sequences, shard {shard + 1} of 8', flush=True)\n    time.sleep(1.8)"
    yield cards(hard, crew("ring", total=320, early=index), 2, {(0, g): reads(REST, (15.0, work(61))) for g in range(2)}, **done)
    warm = {**work(70), "temperature": "84", "throttle_reasons": "0x4", "clock.sm": "1590", "power.usage": "699000", "ecc.volatile.corrected": "31", "ecc.aggregate.corrected": "412"}
    yield cards(hard, crew("box", total=380), 2, {(n, 0): reads(warm) for n in range(2)}, 2, **done)
    past = {**work(53), "ecc.aggregate.uncorrected": "9", "remapped.uncorrected": "3", "remapped.corrected": "2"}
    yield cards(hard, crew("gram", total=400), 3, {(0, 0): reads(work(54)), (0, 1): reads(past), (0, 2): reads(work(52))}, **done)
    yield cards(hard, crew("post", total=330), 2, {(0, 0): reads(work(48), (8.0, {"pcie.replay": "3", "ecc.volatile.corrected": "2"})), (0, 1): reads(work(49), (14.0, {"pcie.replay": "1"}))}, **done)
    yield cards(good, C_CODE, 2, {(n, 0): reads(work(45)) for n in range(2)}, 2, name="relax.c", head=COMPILE, command="./relax 420 40", **done)
    yield cards(good, crew("desk", total=360), 1, {(0, 0): reads(work(59))}, **done)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (stuck, broken, full, hot, starved, bound, lagging, well):
        yield from part()


RECIPE = Recipe("cards_in_company", "development", jobs)
