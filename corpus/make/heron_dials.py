"""Ranks with a card beside each that reads what was told beforehand: full, broken, held back, starved, at rest, slowed by saves or by the wire, uneven; and well.

No GPU is there: what a program says of CUDA it says by itself. It lags, starves, saves and stands in earnest.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.make._weir import GOOD, HARD, dialled, label, since, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

FAILED: dict[str, Any] = {"state": "FAILED", "srun": "-K"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=3",)}
STILL = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "81500", "throttle_reasons": "0x1", "clock.sm": "345"}
SPIN = {**work(1, memory=0.2, tensor=0), "utilization.gpu": "100", "utilization.memory": "0", "power.usage": "133000"}
BREAKS_S, SAYS_S = 24.0, 27.0
ACC = "raise torch.AcceleratorError('CUDA error: {}\\nSearch for `{}\\' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.')"
CUPY = "raise type('CUDARuntimeError', (RuntimeError,), {{'__module__': 'cupy_backends.cuda.api.runtime'}})('{}')"


def at(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]], gib: int = 0) -> Readings:
    """First, and from when on what else; with so much memory in use."""
    kept = {"memory.used": str(gib << 30)} if gib else {}
    return {**first, **kept}, tuple((s, {**kept, **changes}) for s, changes in later)


def full() -> Iterator[SlurmJob]:
    """B1."""
    says = "CUDA out of memory. Tried to allocate {want}. GPU 0 has a total capacity of 79.11 GiB of which {free} MiB is free. Including non-PyTorch memory, this process has {used} GiB memory in use. Of the allocated memory {mine} GiB is allocated by PyTorch, and {kept} GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    fills = at({**work(46), "memory.used": str(31 << 30)}, *((2.0 * k, {"memory.used": str(min(78, 31 + 4 * k) << 30)}) for k in range(1, 14)))
    text = says.format(want="896.00 MiB", free="431.56", used="78.68", mine="74.91", kept="2.40")
    yield dialled(label("B1", "cuda_oom", 1), "TEJEDOR", 3, {1: fills}, at(work(46), gib=38), head="export VUELTAS=4000\n", code={"loss": since(SAYS_S, f"raise torch.OutOfMemoryError('{text}')", "YO == 1")}, **FAILED)
    text = says.format(want="12.21 GiB", free="6911.19", used="72.36", mine="71.02", kept="0.61")
    yield dialled(label("B1", "cuda_oom"), "MURMUR", 2, {}, at(work(2), *((1.0 + k, {"memory.used": str(min(72, 6 * k) << 30)}) for k in range(1, 13))), given="--epochs 40", code={"net": f"time.sleep(15)\nprint(f'rank {{rank}}: building the wide model', flush=True)\nraise torch.OutOfMemoryError('{text}')"}, state="FAILED")


def broken() -> Iterator[SlurmJob]:
    """B2, and a program's own error beside a card with a past."""
    fine = at(work(51), gib=33)

    def errors(count: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **more}

    def bad(rank: int) -> Any:
        return label("B2", "cuda_runtime", rank, fault="node")

    yield dialled(bad(2), "WEIRS", 4, {2: at(work(51), (BREAKS_S, errors(3, events="8:48")), gib=33)}, fine, 2, "--sweeps 9000", code={"loss": since(SAYS_S, CUPY.format("cudaErrorECCUncorrectable: uncorrectable ECC error encountered"), "me == 2", "sweep > 40")}, **FAILED)
    yield dialled(bad(1), "LACE", 3, {1: at(work(47), (BREAKS_S, {"events": "8:79"}), (BREAKS_S + 1, {"*": "!GPU_IS_LOST"}), gib=21)}, at(work(47), gib=21), 3, head="export CONF='epochs=9000'\n", code={"loss": since(SAYS_S, CUPY.format("cudaErrorUnknown: unknown error (cudaMemcpyAsync of 4718592 bytes to the host)"), "R == 1", "epoch > 0")}, **FAILED)
    remap = errors(1, **{"remapped.uncorrected": "1", "remapped.pending": "1", "events": "8:63", "recovery_action": "1"})
    yield dialled(bad(0), "TEJEDOR", 2, {0: at(work(58), (BREAKS_S, remap), gib=52)}, at(work(58), gib=52), head="export VUELTAS=4000\n", code={"loss": since(SAYS_S, ACC.format("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable"), "YO == 0", "vuelta > 1")}, **FAILED)
    contained = errors(2, events="8:95", recovery_action="2")
    yield dialled(bad(5), "BOTEN", 6, {5: at(work(44), (BREAKS_S, contained), gib=27)}, at(work(44), gib=27), 2, "9000", code={"loss": since(SAYS_S, "raise RuntimeError('CUDA-Fehler 214 (CUDA_ERROR_ECC_UNCORRECTABLE) in cuStreamSynchronize')", "ICH == 5", "runde > 30")}, **FAILED)
    past = {**work(49), "ecc.aggregate.uncorrected": "6", "remapped.uncorrected": "3", "remapped.corrected": "4"}
    yield dialled(label("A3", "traceback", 1), "PANIER", 3, {1: at(past, gib=19)}, at(work(49), gib=19), head="export TOURS=9000\n", code={"loss": since(SAYS_S, "noms = dict(enumerate(('pain', 'lait', 'miel')))\nnoms[tour]", "RANG == 1", "tour > 40")}, **FAILED)


def held() -> Iterator[SlurmJob]:
    """B3."""
    what, from_s = label("B3", fault="node"), 15

    def back(clock: int, why: str) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 93, 268_000), "brake": ("power", "hw_power_brake", "0x88", 58, 214_000)}[why]
        return at(work(58), *((float(from_s + k), {
            "temperature": str(degrees - k % 2), "throttle_reasons": mask, "clock.sm": str(clock + 30 * (k % 2)), "power.usage": str(watts + 900 * (k % 7)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 940_000_000}", f"slowdown.{field}": str((k + 1) * 940_000_000)}) for k in range(80)), gib=41)  # fmt: skip

    fine = at(work(31), gib=41)
    yield dialled(what, "WEIRS", 4, {3: back(585, "heat")}, fine, 2, "--sweeps 780", code={"data": since(from_s, "time.sleep(0.12)", "me == 3")}, **DONE)
    yield dialled(what, "BOTEN", 3, {0: back(690, "brake")}, fine, 1, "560", code={"data": since(from_s, "time.sleep(0.13)", "ICH == 0")}, **DONE)
    yield dialled(what, "LACE", 4, {}, back(525, "brake"), 2, head="export CONF='epochs=25 nap=0.03'\n", code={"data": since(from_s, "time.sleep(0.12)")}, **DONE)
    yield dialled(what, "PANIER", 2, {1: back(630, "heat")}, fine, 2, head="export TOURS=500\n", code={"data": since(from_s, "time.sleep(0.14)", "RANG == 1")}, **DONE)


def stuck() -> Iterator[SlurmJob]:
    """C2 and C3."""
    spin, cold = at(work(54), (30.0, SPIN), gib=47), at(work(54), (30.0, STILL), gib=47)
    yield dialled(label("C2"), "WEIRS", 6, {4: cold}, spin, 2, "--sweeps 90000", code={"data": since(29, "import select\ninbox, outbox = os.pipe()\nselect.select([inbox], [], [])", "me == 4", "sweep > 40")}, **OVER)
    yield dialled(label("C2"), "BOTEN", 3, {0: cold}, spin, 1, "90000", code={"after": since(29, "sage('schreibe Zwischenstand nach fach/stand.tar')\nimport threading\nriegel = threading.Lock(); riegel.acquire(); riegel.acquire()", "ICH == 0", "runde > 40")}, **OVER)
    alone, rest = label("C3"), at(work(57), (32.0, STILL), gib=36)
    yield dialled(alone, "PANIER", 1, {0: rest}, rest, 1, head="export TOURS=90000\n", code={"data": since(31, "import queue\nlots = queue.LifoQueue()\nlots.get()", "tour > 40")}, **OVER)
    yield dialled(alone, "BOTEN", 1, {0: rest}, rest, 1, "90000", code={"after": since(31, "import subprocess\nsage('gebe Modell an den Dienst weiter')\nsubprocess.run(['flock', '.', 'flock', '.', 'true'])", "runde > 40")}, **OVER)
    yield dialled(alone, "LACE", 1, {0: rest}, rest, 1, head="export CONF='epochs=90000'\n", code={"epoch": since(31, "import multiprocessing as mp\nmailbox = mp.get_context('fork').SimpleQueue()\nemit('validate', files=12)\nmailbox.get()", "epoch > 1")}, **OVER)
    yield dialled(alone, "MURMUR", 1, {0: rest}, rest, 1, "--epochs 9000", code={"epoch": since(31, "import threading\nwriter = threading.Thread(target=threading.Event().wait)\nwriter.start()\nwriter.join()", "epoch > 1")}, **OVER)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    def gaps(busy: float, each: int, gib: int = 12) -> Readings:
        return at(work(5), *((1.0 + k, work(busy) if k % each == 0 else STILL) for k in range(120)), gib=gib)

    what = label("D1")
    yield dialled(what, "WEIRS", 2, {}, gaps(33, 3), 1, "--sweeps 32 --tell 1", code={"data": "time.sleep(2.1)  # levels of the day, from tape"}, **DONE)
    yield dialled(what, "LACE", 4, {}, gaps(29, 5), 2, head="export CONF='epochs=3 per_epoch=30 note=3'\n", code={"data": "if batch % 3 == 0:\n    time.sleep(1.9)\n    emit('chunk', s=1.9) if R == 0 else None"}, **DONE)
    yield dialled(what, "PANIER", 1, {}, gaps(36, 6), 1, head="export TOURS=44 VOIR=2\n", code={"data": "if tour % 4 == 1:\n    time.sleep(5.2)  # decompression"}, **DONE)
    yield dialled(what, "BOTEN", 3, {}, gaps(26, 3), 1, "32 0.04 1", code={"data": "warten = time.time()\ntime.sleep(1.9)\nif ICH == 0:\n    sage(f'Daten nach {time.time() - warten:.1f} s da')"}, **DONE)


def slowed() -> Iterator[SlurmJob]:
    """D2."""
    slack = at({**work(6, memory=3, tensor=1), "utilization.gpu": "14", "power.usage": "127000"}, gib=24)
    wire = at({**work(10, memory=4, tensor=1), "utilization.gpu": "99", "power.usage": "207000"}, gib=58)
    yield dialled(label("D2", variant="interconnect", fault="cluster"), "WEIRS", 8, {}, wire, 4, "--sweeps 230 --rest 0.2 --tell 10", head="export NCCL_DEBUG=WARN NCCL_NET=Socket NCCL_SOCKET_IFNAME=eth0\n", code={"start": "log('NET/Socket : Using [0]eth0:10.41.7.3<0>', all=True)"}, **DONE)
    yield dialled(label("D2", variant="launch_blocking"), "LACE", 2, {}, at({**work(19, memory=9, tensor=3), "utilization.gpu": "61"}, gib=16), head="export CUDA_LAUNCH_BLOCKING=1 CONF='epochs=9 nap=0.16'\n", **DONE)
    keep = "if me == 0:\n    t = time.time()\n    with open(f'gauges.{sweep % 2}.state', 'wb') as f:\n        f.write(os.urandom(1 << 20) * 6)\n        os.fsync(f.fileno())\n    time.sleep(0.7)\n    log(f'state written to gauges.{sweep % 2}.state ({time.time() - t:.2f} s)')"
    yield dialled(label("D2", variant="save_storm"), "WEIRS", 2, {}, slack, 1, "--sweeps 50 --tell 1", code={"after": keep}, **DONE)
    stand = "if ICH == 0:\n    zeit = time.time()\n    pathlib.Path(f'stand-{runde}.json').write_text(json.dumps({'w': w, 'runde': runde, 'optimierer': [0.1] * 200000}))\n    os.sync()\n    time.sleep(0.9)\n    sage(f'Checkpoint stand-{runde}.json gespeichert, {time.time() - zeit:.2f} s')\n    pathlib.Path(f'stand-{runde - 2}.json').unlink(missing_ok=True)"
    yield dialled(label("D2", variant="save_storm"), "BOTEN", 2, {}, slack, 2, "44 0.05 1", code={"after": stand}, **DONE)


def uneven() -> Iterator[SlurmJob]:
    """D3: one computes while the others wait for it."""
    def lags(name: str, ranks: int, nodes: int, slow: int, high: float, low: float, who: str, given: str = "", clock: int = 0, **more: Any) -> SlurmJob:  # noqa: PLR0917
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        return dialled(label("D3", fault="unknown"), name, ranks, {slow: at(own, gib=40)}, at(work(low, memory=7, tensor=2), gib=40), nodes, given, code={"data": f"time.sleep(0.14 if {who} == {slow} else 0.01)"}, **more, **DONE)

    yield lags("WEIRS", 8, 2, 5, 59, 14, "me", "--sweeps 330 --rest 0.02")
    yield lags("LACE", 4, 2, 2, 56, 16, "R", clock=1005, head="export CONF='epochs=11 nap=0.02'\n")
    yield lags("PANIER", 3, 1, 1, 62, 17, "RANG", head="export TOURS=320 SIESTE=0.02\n")
    yield lags("BOTEN", 4, 4, 3, 54, 15, "ICH", "310 0.02 20")


def well() -> Iterator[SlurmJob]:
    """G1: cards that rest for a reason, are warm, have a past, or are unlike by design."""
    fine = work(56)
    pause = when("sweep == 190 and me == 0", "log('hindcast of 2019 on the host, the cards rest meanwhile', 'WARNING')\ntime.sleep(24)\nlog('hindcast nse 0.871')")
    yield dialled(HARD, "WEIRS", 4, {}, at(fine, (11.0, STILL), (36.0, fine), gib=30), 2, "--sweeps 760 --rest 0.04", code={"after": pause}, **DONE)
    worn = at({**fine, "ecc.aggregate.uncorrected": "11", "remapped.uncorrected": "2", "remapped.corrected": "9"}, (12.0, {"ecc.volatile.corrected": "3", "pcie.replay": "2"}), gib=25)
    yield dialled(HARD, "LACE", 2, {1: worn}, at(fine, gib=25), head="export CONF='epochs=14 nap=0.08'\n", **DONE)
    capped = at({**work(77), "temperature": "79", "throttle_reasons": "0x4", "clock.sm": "1590", "power.usage": "699200"}, gib=70)
    yield dialled(HARD, "BOTEN", 6, {}, capped, 2, "420 0.08", **DONE)
    again = since(16, "seen = True\nemit('warn', text='cuda allocation of 4.4 GiB refused (RESOURCE_EXHAUSTED), batch split in two and repeated')", "R == 1", "not globals().get('seen')")
    grows = at({**work(50), "memory.used": str(40 << 30)}, *((float(k), {"memory.used": str(min(78, 40 + 3 * k) << 30)}) for k in range(1, 15)), (18.0, {"memory.used": str(44 << 30)}))
    yield dialled(HARD, "LACE", 3, {1: grows}, at(work(50), gib=40), head="export CONF='epochs=13 nap=0.08'\n", code={"after": again}, **DONE)
    stages = {0: at(work(34), gib=22), 1: at(work(58), gib=44), 2: at(work(41), gib=29)}
    yield dialled(HARD, "SLUICE", 3, stages, at(work(40), gib=30), head="export STEPS=260 REST=0.1\n", **DONE)
    yield dialled(GOOD, "PANIER", 4, {}, at(work(48), gib=17), 2, head="export TOURS=330 SIESTE=0.1\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (full, broken, held, stuck, starved, slowed, uneven, well):
        yield from part()


RECIPE = Recipe("heron_dials", "development", jobs)
