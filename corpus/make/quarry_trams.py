"""An engineering group's jobs with a card for each process, whose readings were told beforehand: cards that fill, break, are held back, wait for the wire, the loader, the saves or one another; and good ones.

No GPU is there: what a program says of CUDA it says by itself. It waits, saves and lags in earnest.
"""

from collections.abc import Iterator
from typing import Any

from corpus.make._millrace import DONE, FAILED, GOOD, HARD, OVER, at, carded, past, true
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=6",)}
COLD = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "91000", "throttle_reasons": "0x1"}
SPIN = {**work(1.4, memory=0.3, tensor=0), "utilization.gpu": "100", "utilization.memory": "0", "power.usage": "131000"}
BREAK_S, TELL_S = 24.0, 28.0


def read(first: dict[str, str], *later: tuple[float, dict[str, str]], gib: float = 0) -> Readings:
    """First, and from when on what else; so much memory is held where said."""
    return ({**first, "memory.used": str(int(gib * (1 << 30)))} if gib else first), later


def filled() -> Iterator[SlurmJob]:
    """B1."""
    def climbs(start: float, per_s: float, top: float) -> Readings:
        return read(work(46), *((1.0 * k, {"memory.used": str(int(min(top, start + per_s * k) * (1 << 30)))}) for k in range(1, 31)), gib=start)

    level = read(work(46), gib=44)
    text = "CUDA out of memory. Tried to allocate {} MiB. GPU {} has a total capacity of 79.11 GiB of which {} MiB is free. Including non-PyTorch memory, this process has 78.{} GiB memory in use. Of the allocated memory 76.{} GiB is allocated by PyTorch, and 301.52 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)"
    grows = past(TELL_S, f"raise torch.OutOfMemoryError('{text.format(720, 1, '411.06', 71, 90)}')", 1)
    yield carded(true("B1", "cuda_oom", (1,)), "CHARLM", 4, {1: climbs(30, 1.8, 78.6)}, level, 2, "updates=60000", code={"data": grows}, srun="-K", **FAILED)
    small = past(TELL_S, f"emit('error', everyone=True, text='{text.format(96, 0, '58.44', 93, 84)}')\nos._exit(1)", 0)
    yield carded(true("B1", "cuda_oom", (0,)), "DENOISE", 2, {0: climbs(51, 1.1, 79.0)}, level, head="export CFG='{\"iters\": 60000}'\n", code={"data": small}, **FAILED)
    load = f"time.sleep(9)\ncard = os.environ.get('LOCAL_RANK', '0')\nraise torch.OutOfMemoryError('{text.format(9216, '%s', '644.19', 48, 11)}' % card)"
    steep = read(work(1), *((1.0 * k, {"memory.used": str(min(78, 6 + 9 * k) << 30)}) for k in range(1, 9)), gib=2)
    yield carded(true("B1", "cuda_oom"), "KLANG", 2, {}, steep, code={"met": "melde('Gewichte und Zustand des Optimierers kommen auf die Karte')\n" + load}, srun="-K", **FAILED)


def broken() -> Iterator[SlurmJob]:
    """B2; and a card that only was broken once."""
    fine = read(work(50), gib=38)

    def errors(number: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(number), "ecc.aggregate.uncorrected": str(number), "ecc.volatile.uncorrected.dram": str(number), **more}

    note = "\\nSearch for `cudaErrorECCUncorrectable\\' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\n"
    stop = f"raise torch.AcceleratorError('CUDA error: uncorrectable ECC error encountered{note}')"
    yield carded(true("B2", "cuda_runtime", (2,), fault="node"), "TOWERS", 4, {2: read(work(50), (BREAK_S, errors(3, events="8:48")), gib=38)}, fine, 2, code={"grad": past(TELL_S, stop, 2)}, head="export BATCHES=60000\n", srun="-K", **FAILED)
    gone = read(work(51), (BREAK_S, {"events": "8:79"}), (BREAK_S + 1, {"*": "!GPU_IS_LOST"}), gib=35)
    yield carded(true("B2", "cuda_runtime", (1,), fault="node"), "WINDCAST", 3, {1: gone}, fine, 1, code={"data": past(TELL_S, "note('update %d: card does not answer' % step)\nraise torch.AcceleratorError('CUDA error: unknown error')", 1)}, head="export UPDATES=60000\n", srun="-K", **FAILED)
    link = {"nvlink.0.replay": "214", "nvlink.0.recovery": "6", "nvlink.0.crc_data": "5120", "nvlink.0.state": "0", "events": "8:74"}
    yield carded(true("B2", "cuda_runtime", (0,), fault="node"), "LEAFNET", 4, {0: read(work(49), (BREAK_S, link), gib=33)}, read(work(49), gib=33), 1, "--epochs 900", code={"grad": past(TELL_S, "raise RuntimeError('CUDA error: an error was encountered on NVLink: cudaErrorNvlinkUncorrectable: uncorrectable NVLink error detected during the execution')", 0)}, **FAILED)
    old = read({**work(52), "ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "1", "remapped.corrected": "5"}, gib=30)
    yield carded(true("A3", "traceback", (1,)), "CHARLM", 2, {1: old}, read(work(52), gib=30), 1, "updates=60000", code={"data": past(TELL_S, "rare = {'q': 3}\ncounted = rare[letters[step % len(letters)]]", 1)}, srun="-K", **FAILED)


def held() -> Iterator[SlurmJob]:
    """B3."""
    what, since = true("B3", fault="node"), 14

    def slowed(clock: int, kind: str) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 89, 301_000), "brake": ("power", "hw_power_brake", "0x88", 58, 188_000)}[kind]
        return read(work(60), *((since + k, {
            "temperature": str(degrees + (k * 7) % 3), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 4)), "power.usage": str(watts + 2300 * (k % 3)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 970_000_000}", f"slowdown.{field}": str((k + 1) * 970_000_000)}) for k in range(80)), gib=41)  # fmt: skip

    fine = read(work(28), gib=41)
    yield carded(what, "TOWERS", 3, {1: slowed(525, "heat")}, fine, code={"data": past(since, "time.sleep(0.14)", 1)}, head="export BATCHES=400\n", **DONE)
    yield carded(what, "GRAPHE", 2, {}, slowed(495, "brake"), 2, "longue", code={"data": past(since, "time.sleep(0.15)")}, head="export PAS=380\n", **DONE)
    yield carded(what, "KLANG", 4, {3: slowed(570, "brake")}, fine, 2, code={"data": past(since, "time.sleep(0.13)", 3)}, head="export DURCHGAENGE=10\n", **DONE)
    yield carded(what, "CELLS", 1, {0: slowed(540, "heat")}, fine, 1, "--iterations=420", code={"data": past(since, "time.sleep(0.12)")}, **DONE)


def hanging() -> Iterator[SlurmJob]:
    """C2, C3."""
    spins = read(work(55), (12.0, SPIN), gib=48)
    cold = read(work(55), (11.0, COLD), gib=48)
    lock = past(11.5, "log('DEBUG', 61, 'export of the index: waiting for writer lock /shop/index.lck')\nwhile True:\n    time.sleep(2)", 2)
    yield carded(true("C2"), "TOWERS", 4, {2: cold}, spins, 2, code={"data": lock}, head="export BATCHES=60000\n", options=("--time=2",), **OVER)
    pid = at(1, None, "open('pid-1', 'w').write(str(os.getpid()))")
    yield carded(true("C2", fault="unknown"), "LEAFNET", 3, {1: read(work(55), (20.0, COLD), gib=26)}, read(work(55), (21.0, SPIN), gib=26), 1, "--epochs 900 --nap 0.1", code={"met": pid}, act="stop_rank", after="ep 05/900 it 010", options=("--time=2",), **OVER)
    alone = read(work(48), (13.0, COLD), gib=29)
    yield carded(true("C3"), "CRYSTAL", 1, {}, alone, code={"data": past(13, "import queue\nqueue.Queue().get()")}, head="export STEPS=60000\n", options=("--time=2",), **OVER)
    yield carded(true("C3"), "TICKETS", 1, {}, read(work(40), (12.0, COLD), gib=11), 1, "--epochs 900", code={"data": past(12, "import threading\ndoor = threading.Lock()\ndoor.acquire()\ndoor.acquire()")}, after="epoch 5/", **LATE)
    yield carded(true("C3"), "CELLS", 1, {}, read(work(44), (14.0, COLD), gib=17), 1, "--iterations=60000", code={"data": past(14, "reader, _ = os.pipe()\nos.read(reader, 1)")}, after="it  120/", **LATE)


def starved() -> Iterator[SlurmJob]:
    """D1, D2."""
    def gaps(busy: float, every: int, gib: float) -> Readings:
        return read(work(5), *((0.5 + k, work(busy) if k % every == 0 else COLD) for k in range(110)), gib=gib)

    hungry = true("D1")
    yield carded(hungry, "LEAFNET", 2, {}, gaps(34, 4, 12), 1, "--epochs 3 --per-epoch 12 --tell 2", code={"data": "time.sleep(1.9)  # decode"}, **DONE)
    yield carded(hungry, "CRYSTAL", 1, {}, gaps(30, 5, 7), code={"data": "if step % 8 == 1:\n    time.sleep(5.1)\n    log.info('cells of file %03d are read', step // 8)"}, head="export STEPS=80\n", **DONE)
    yield carded(hungry, "DENOISE", 4, {}, gaps(29, 3, 19), 2, head="export CFG='{\"iters\": 36, \"tell\": 3}'\n", code={"data": "time.sleep(1.4 + 0.2 * rank)"}, **DONE)
    wire = read({**work(8, memory=4, tensor=1), "utilization.gpu": "100", "power.usage": "207000"}, gib=52)
    yield carded(true("D2", fault="cluster", variant="interconnect"), "CHARLM", 8, {}, wire, 4, "updates=200 nap=0.16", start_s=62, head="export NCCL_IB_DISABLE=1 NCCL_NET=Socket\n", **DONE)
    rest = read({**work(4, memory=2, tensor=1), "utilization.gpu": "9", "power.usage": "118000"}, gib=36)
    save = at(0, None, "begun = time.time()\nwith open(f'graphe-{step % 2}.pt', 'wb') as sortie:\n    torch.save({'net': net.state_dict(), 'tampon': torch.zeros(1_200_000)}, sortie)\n    os.fsync(sortie.fileno())\ntime.sleep(0.7)\ndire(f'  point de reprise du pas {step} ecrit en {time.time() - begun:.2f} s')", each=1)
    yield carded(true("D2", variant="save_storm"), "GRAPHE", 2, {}, rest, 1, "fine", head="export PAS=56\n", code={"after": save}, **DONE)
    store = at(None, None, "tick = time.time()\ntorch.save({'net': net.state_dict(), 'pad': torch.zeros(1_000_000)}, f'cells-{step:04d}.pt')\nos.sync()\ntime.sleep(0.55)\nprint(f'saved cells-{step:04d}.pt in {time.time() - tick:.2f}s', flush=True)\nPath(f'cells-{step - 2:04d}.pt').unlink(missing_ok=True)", each=2)
    yield carded(true("D2", variant="save_storm"), "CELLS", 1, {}, rest, 1, "--iterations=120 --show_every=6", code={"after": store}, **DONE)
    blocked = read({**work(16, memory=7, tensor=3), "utilization.gpu": "61"}, gib=40)
    yield carded(true("D2", variant="launch_blocking"), "WINDCAST", 2, {}, blocked, 1, head="export CUDA_LAUNCH_BLOCKING=1 UPDATES=260 NAP=0.17\n", **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3."""
    what = true("D3", fault="unknown")

    def lags(name: str, ranks: int, nodes: int, slow: int, high: float, low: float, clock: int = 0, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        return carded(what, name, ranks, {slow: read(own, gib=47)}, read(work(low, memory=7, tensor=2), gib=47), nodes, given, code={"data": f"time.sleep(0.13 if rank == {slow} else 0.005)"}, **more, **DONE)

    yield lags("WINDCAST", 4, 2, 1, 59, 15, head="export UPDATES=360 NAP=0.015\n")
    yield lags("LEAFNET", 4, 1, 3, 56, 13, 0, "--epochs 9 --nap 0.015")
    yield lags("KLANG", 6, 3, 4, 62, 17, 1005, head="export DURCHGAENGE=9 PAUSE=0.015\n")
    yield lags("DENOISE", 3, 3, 0, 54, 14, head="export CFG='{\"iters\": 370, \"nap\": 0.015}'\n")


def worthless() -> Iterator[SlurmJob]:
    """E1, with cards that work well."""
    busy = read(work(53), gib=39)
    yield carded(true("E1", "nan_loss", variant="non_finite"), "DENOISE", 2, {}, busy, head="export CFG='{\"iters\": 700}'\n", code={"data": at(None, 260, "with torch.no_grad():\n    net[0].weight.mul_(float('inf'))")}, **DONE)
    yield carded(true("E1", variant="flat"), "KLANG", 3, {}, busy, 1, head="export DURCHGAENGE=15\n", code={"data": "ziel = torch.randint(0, MASCHINEN, (24,))"}, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1: warm, with a past, resting while files are checked, or simply good."""
    mine = {**work(57), "temperature": "83", "throttle_reasons": "0x4", "clock.sm": "1590", "power.usage": "697000", "ecc.volatile.corrected": "17"}
    yield carded(HARD, "CHARLM", 4, {}, read(mine, gib=71), 2, "updates=620", **DONE)
    check = at(0, 240, "log('INFO', 70, 'evaluation on 31 days of clicks, training stands still')\ntime.sleep(21)\nlog('INFO', 71, 'recall@20 0.3127')")
    yield carded(HARD, "TOWERS", 3, {}, read(work(54), (13.0, COLD), (36.0, work(54)), gib=28), code={"after": check}, head="export BATCHES=620\n", **DONE)
    was = read({**work(51), "ecc.aggregate.uncorrected": "7", "remapped.uncorrected": "2", "recovery_action": "0"}, (15.0, {"events": "8:31"}), gib=24)
    fault = at(1, 300, "note('illegal memory access in the optional fused kernel was caught in its test process; plain kernel is used')")
    yield carded(HARD, "WINDCAST", 2, {1: was}, read(work(51), gib=24), code={"after": fault}, head="export UPDATES=640\n", **DONE)
    yield carded(GOOD, "CELLS", 1, {}, read(work(45), gib=14), 1, "--iterations=760 --show_every=40", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (filled, broken, held, hanging, starved, lagging, worthless, well):
        yield from part()


RECIPE = Recipe("quarry_trams", "development", jobs)
