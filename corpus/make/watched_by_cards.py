"""Companies of PyTorch ranks with a card beside each, whose readings are told beforehand: broken, full, hot, left alone, starved, waiting for the wire, for saves or for one of them, and well.

No GPU is there: what a program says of CUDA it says by itself. It waits, starves, lags and saves in earnest.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.make._stands import CLOCK, beside
from corpus.make._troupes import only
from corpus.running.job import Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
STILL = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "92000", "throttle_reasons": "0x1", "clock.sm": "345"}
SPIN = {**work(2, memory=0.3, tensor=0), "utilization.gpu": "100", "utilization.memory": "1", "power.usage": "128000"}
TOO_MUCH = ("CUDA out of memory. Tried to allocate 2.42 GiB. GPU {} has a total capacity of 79.11 GiB of which 1.66 GiB is free. Including non-PyTorch memory, this process has 77.44 GiB memory in use. Of the allocated memory 74.90 GiB is allocated "
            "by PyTorch, and 1.33 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")  # fmt: skip
KERNELS = "\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
FAILED: dict[str, Any] = {"state": "FAILED"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
BREAKS_S, TELLS_S = 30.0, 33.0
LONG = 40_000


def late(code: str, rank: int | None = None, since_s: float = TELLS_S, steps: int = 40) -> str:
    """From so many seconds behind the script's start on, and not before so many steps."""
    who = "" if rank is None else f"rank == {rank} and "
    return f"if {who}step > {steps} and {CLOCK} > {since_s}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def reads(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """First, and from when on what else."""
    return first, later


def ecc(count: int, **more: str) -> dict[str, str]:
    """Uncorrectable errors."""
    return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **more}


def cards(ranks: int, nodes: int, of: Mapping[int, Readings], others: Readings) -> dict[tuple[int, int], Readings]:
    """By rank; the others alike."""
    per = ranks // nodes
    return {(r // per, r % per): of.get(r, others) for r in range(ranks)}


def broken() -> Iterator[SlurmJob]:
    """B2, and what looks like it."""
    fine = reads(work(51))
    lost = ((BREAKS_S, {"events": "8:79"}), (BREAKS_S + 1, {"*": "!GPU_IS_LOST"}))

    def label(rank: int, cause: str | None = "cuda_runtime") -> Label:
        return Label(mode="B2", cause=cause, fault="node", first_ranks=(rank,))

    says = "raise torch.AcceleratorError('CUDA error: {}" + KERNELS + "')"
    yield beside(label(1), "ASR", 2, cards(2, 1, {1: reads(work(50), (BREAKS_S, ecc(1, events="8:48")))}, fine), how="srun", launch={"srun": "-K"}, places={"mid": late(says.format("uncorrectable ECC error encountered"), 1), "total": LONG}, **FAILED)
    yield beside(label(2), "GPT", 4, cards(4, 2, {2: reads(work(55), *lost)}, fine), 2, places={"mid": late(says.format("unspecified launch failure"), 2), "total": LONG}, **FAILED)
    wire = {"nvlink.0.replay": "88", "nvlink.0.recovery": "6", "nvlink.0.crc_flit": "902", "events": "8:74"}
    yield beside(label(0), "DET", 2, cards(2, 1, {0: reads(work(47), (BREAKS_S, wire))}, fine), places={"mid": late("raise RuntimeError('CUDA error: uncorrectable NVLink error detected during the execution')", 0), "total": LONG}, python="torch", **FAILED)
    yield beside(label(0), "ZERO", 2, cards(2, 2, {0: reads(work(62), (BREAKS_S, ecc(3, events="8:94", recovery_action="2")))}, fine), 2, "srun", launch={"srun": "-K -l"}, places={"mid": late(says.format("an illegal memory access was encountered"), 0), "total": LONG}, **FAILED)
    remap = ecc(2, **{"remapped.uncorrected": "1", "remapped.pending": "1", "events": "8:63", "recovery_action": "1"})
    yield beside(label(1), "VIT", 3, cards(3, 1, {1: reads(work(44), (BREAKS_S, remap))}, fine), python="torch", places={"mid": late("raise RuntimeError('cuDNN error: CUDNN_STATUS_EXECUTION_FAILED')", 1), "total": LONG}, **FAILED)
    yield beside(label(3, None), "EACH", 4, cards(4, 2, {3: reads(work(53), *lost)}, fine), 2, "srun", launch={"srun": "-K"}, places={"mid": late("os.kill(os.getpid(), 7)\ntime.sleep(5)", 3), "total": LONG}, python="torch", **FAILED)
    broken_for_good = ecc(11, **{"remapped.uncorrected": "8", "remapped.failure": "1", "events": "8:64", "recovery_action": "3"})
    yield beside(label(1), "CLIP", 2, cards(2, 1, {1: reads(work(58), (BREAKS_S, broken_for_good))}, fine), places={"mid": late(says.format("uncorrectable ECC error encountered"), 1), "total": LONG}, **FAILED)
    # an old scar, and a program that fails by itself
    worn = {**work(51), "ecc.aggregate.uncorrected": "4", "remapped.uncorrected": "2", "remapped.corrected": "7"}
    own = Label(mode="A3", cause="file_not_found", fault="user", first_ranks=(0,))
    yield beside(own, "SEG", 2, cards(2, 1, {0: reads(worn)}, fine), places={"mid": late("open('val/list.txt')", 0), "total": LONG}, **FAILED)
    stray = Label(mode="A3", cause="cuda_runtime", fault="user", first_ranks=(1,))
    yield beside(stray, "GPT", 2, cards(2, 1, {1: reads(work(51), (BREAKS_S + 2.5, {"events": "8:31"}))}, fine), how="srun", launch={"srun": "-K"}, places={"mid": late(says.format("an illegal memory access was encountered"), 1), "total": LONG}, **FAILED)


def full() -> Iterator[SlurmJob]:
    """B1."""
    def grows(to: float) -> Readings:
        return reads({**work(46), "memory.used": str(18 << 30)}, *((2.0 * k, {"memory.used": str(int(min(to, 18 + 4.2 * k) * (1 << 30)))}) for k in range(1, 17)))

    flat = reads({**work(46), "memory.used": str(61 << 30)})
    raises = "raise torch.OutOfMemoryError('" + TOO_MUCH + "')"

    def label(rank: int | None) -> Label:
        return Label(mode="B1", cause="cuda_oom", fault="user", first_ranks=() if rank is None else (rank,))

    yield beside(label(0), "ASR", 2, cards(2, 1, {0: grows(78.9)}, flat), places={"mid": late(raises.format(0), 0), "total": LONG}, **FAILED)
    yield beside(label(3), "ZERO", 4, cards(4, 2, {3: grows(79)}, flat), 2, "srun", launch={"srun": "-K"}, python="torch", places={"mid": late(raises.format(1), 3), "total": LONG}, **FAILED)
    yield beside(label(None), "DET", 2, cards(2, 1, {}, reads({**work(3), "memory.used": str(2 << 30)}, (8.0, {"memory.used": str(77 << 30)}))), places={"before": "time.sleep(14)", "early": raises.replace("{}", "' + str(rank) + '")}, **FAILED)
    again = only(None, 60, "try:\n    raise torch.OutOfMemoryError('" + TOO_MUCH.format(0) + "')\nexcept torch.OutOfMemoryError as error:\n    logging.warning('out of memory in step %d, batch halved: %s', step, error)")
    yield beside(Label(mode="G1", fault="none", hard=True), "CLIP", 2, cards(2, 1, {}, grows(70)), places={"mid": again, "total": 700, "pause": 0.04}, **DONE)


def hot() -> Iterator[SlurmJob]:
    """B3."""
    label = Label(mode="B3", fault="node")

    def held(since: float, clock: int, kind: str = "heat", seconds: int = 60) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 92, 305_000), "brake": ("power", "hw_power_brake", "0x88", 58, 214_000)}[kind]
        return reads(work(60), *((since + k, {
            "temperature": str(degrees + k % 2), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 3)), "power.usage": str(watts + 1000 * (k % 5)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 960_000_000}", f"slowdown.{field}": str((k + 1) * 960_000_000)}) for k in range(seconds)))  # fmt: skip

    slow = f"time.sleep(0.13 if {CLOCK} > 22 else 0)"
    fine = reads(work(29))
    for number, (name, ranks, nodes, sick, kind) in enumerate((("SEG", 2, 1, 1, "heat"), ("EACH", 4, 2, 3, "heat"), ("GPT", 2, 2, 0, "brake"), ("ZERO", 3, 1, 2, "brake"), ("VIT", 2, 1, 0, "heat"))):
        yield beside(label, name, ranks, cards(ranks, nodes, {sick: held(22, 520 + 45 * number, kind)}, fine), nodes, "srun" if number % 2 else "torchrun", python="torch" if number > 2 else "torch-28", places={"mid": only(sick, None, slow), "total": 400, "pause": 0.04}, **DONE)


def left_alone() -> Iterator[SlurmJob]:
    """C3: one process and its card; C1 and C2 as their cards show them."""
    still = {**STILL, "memory.used": str(29 << 30)}
    card = {(0, 0): reads({**work(57), "memory.used": str(29 << 30)}, (24.0, still))}
    label = Label(mode="C3", fault="user")
    yield beside(label, "VIT", 1, card, places={"mid": late("import threading\nthreading.Condition().__enter__()\nthreading.Event().wait()", since_s=24), "total": LONG}, **OVER)
    yield beside(label, "ASR", 1, card, how="srun", places={"mid": late("import queue\nqueue.SimpleQueue().get()", since_s=24), "total": LONG}, **OVER)
    yield beside(label, "SEG", 1, card, python="torch", places={"mid": late("import subprocess\nsubprocess.run(['sleep', '900'])", since_s=24), "total": LONG}, act="scancel_late", after=" 240/", state="CANCELLED")
    kept = {"memory.used": str(41 << 30)}
    spins, cold = reads({**work(52), **kept}, (24.0, {**SPIN, **kept})), reads({**work(52), **kept}, (24.0, {**STILL, **kept}))
    hang = Label(mode="C2", fault="user")
    stuck = late("import select\nselect.select([], [], [])", 1, since_s=24)
    yield beside(hang, "GPT", 4, cards(4, 2, {1: cold}, spins), 2, "srun", places={"mid": stuck, "total": LONG}, **OVER)
    yield beside(hang, "DET", 3, cards(3, 1, {1: cold}, spins), python="torch", places={"mid": stuck, "total": LONG}, **OVER)
    context = reads({**STILL, "memory.used": str(500 << 20)})
    yield beside(Label(mode="C1", fault="unknown"), "EACH", 4, cards(4, 2, {}, context), 2, "srun", places={"before": only(3, None, "os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 1)"), "total": LONG}, python="torch", **OVER)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    label = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int) -> Readings:
        return reads(STILL, *((1.0 + k, work(busy) if k % every == 0 else STILL) for k in range(110)))

    yield beside(label, "SEG", 2, cards(2, 1, {}, gaps(31, 4)), places={"item": "time.sleep(0.6)  # the volume is on tape", "total": 18, "every": 1}, **DONE)
    yield beside(label, "EACH", 2, cards(2, 2, {}, gaps(24, 3)), 2, "srun", places={"mid": "time.sleep(2.3)", "total": 20, "every": 2}, **DONE)
    yield beside(label, "ASR", 2, cards(2, 1, {}, gaps(35, 5)), python="torch", places={"mid": "if step % 5 == 1:\n    time.sleep(5.2)", "total": 45, "every": 5}, **DONE)
    unpack = "import subprocess\nsubprocess.run('head -c 300000 /dev/urandom | xz -1 | xz -dc | wc -c; sleep 2.1', shell=True, check=True, stdout=subprocess.DEVNULL)"
    yield beside(label, "ZERO", 2, cards(2, 1, {}, gaps(28, 3)), how="srun", places={"mid": unpack, "total": 18, "every": 1}, **DONE)
    yield beside(label, "VIT", 2, cards(2, 1, {}, gaps(22, 4)), places={"mid": "if index % 4 == 0:\n    time.sleep(3.4)", "total": 40, "every": 4}, python="torch", **DONE)


def bound() -> Iterator[SlurmJob]:
    """D2."""
    slow = {**work(9, memory=3, tensor=1), "utilization.gpu": "100", "power.usage": "186000"}
    wire = Label(mode="D2", variant="interconnect", fault="cluster")
    for number, (name, how) in enumerate((("GPT", "srun"), ("CLIP", "torchrun"), ("EACH", "srun"))):
        head = ("", "", "export NCCL_SOCKET_IFNAME=eth0 NCCL_IB_DISABLE=1\n")[number]
        yield beside(wire, name, 4, cards(4, 2, {}, reads({**slow, "gpm.2": str(8 + number)})), 2, how, head=head, python="torch" if number else "torch-28", places={"mid": "time.sleep(0.25)", "total": 160, "every": 5}, **DONE)
    flag = Label(mode="D2", variant="launch_blocking", fault="user")
    for name in ("DET", "ASR"):
        yield beside(flag, name, 2, cards(2, 1, {}, reads({**work(17, memory=7, tensor=3), "utilization.gpu": "63"})), head="export CUDA_LAUNCH_BLOCKING=1\n", python="torch", places={"mid": "time.sleep(0.14)", "total": 200}, **DONE)
    storm, idle = Label(mode="D2", variant="save_storm", fault="user"), reads({**work(6, memory=2, tensor=1), "utilization.gpu": "14", "power.usage": "126000"})
    keep = only(0, None, "tick = time.time()\ntorch.save({'step': step, 'pad': torch.zeros(2_000_000)}, f'ckpt-{step % 3}.pt')\ntime.sleep(0.7)\nprint(f'[checkpoint] saved ckpt-{step % 3}.pt at step {step} in {time.time() - tick:.2f} s', flush=True)")
    yield beside(storm, "EACH", 2, cards(2, 1, {}, idle), places={"after": keep, "total": 42, "every": 1}, **DONE)
    yield beside(storm, "ZERO", 2, cards(2, 1, {}, idle), how="srun", python="torch", places={"after": keep.replace("print(f'[checkpoint] saved", "log_dist(f'Saving model checkpoint:").replace(", flush=True)", ")"), "total": 44, "every": 1}, **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3."""
    label = Label(mode="D3", fault="unknown")
    for number, (name, ranks, nodes, slow, high, low, clock) in enumerate((("GPT", 4, 2, 1, 57, 14, 0), ("SEG", 3, 1, 2, 61, 17, 0), ("EACH", 4, 2, 3, 54, 15, 930), ("CLIP", 3, 1, 0, 66, 19, 0), ("VIT", 4, 1, 2, 52, 12, 1005))):
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        yield beside(label, name, ranks, cards(ranks, nodes, {slow: reads(own)}, reads(work(low, memory=7, tensor=2))), nodes, "torchrun" if number % 2 else "srun", python="torch" if number % 2 else "torch-28", places={"mid": f"time.sleep(0.11 if rank == {slow} else 0.01)", "total": 280, "pause": 0.02}, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    good = Label(mode="G1", fault="none")
    hard = good.but(hard=True)
    kept = {"memory.used": str(23 << 30)}
    pause = only(None, 200, "print(f'[{rank}] evaluating on 50000 held-out samples', flush=True)\ntime.sleep(14)")
    yield beside(hard, "EACH", 2, cards(2, 1, {}, reads({**work(56), **kept}, (26.0, {**STILL, **kept}), (40.0, work(56)))), how="srun", places={"mid": pause, "total": 480}, **DONE)
    cache = "for part in range(9):\n    print_rank_0(f' > building the shuffle index, shard {part} of 9')\n    time.sleep(1.5)"
    yield beside(hard, "GPT", 4, cards(4, 2, {}, reads(STILL, (28.0, work(60)))), 2, python="torch", places={"early": cache, "total": 420}, **DONE)
    warm = {**work(72), "temperature": "83", "throttle_reasons": "0x4", "clock.sm": "1605", "power.usage": "698500", "ecc.volatile.corrected": "19", "ecc.aggregate.corrected": "230"}
    yield beside(hard, "SEG", 2, cards(2, 1, {}, reads(warm)), places={"total": 420}, **DONE)
    past = {**work(52), "ecc.aggregate.uncorrected": "6", "remapped.uncorrected": "1", "remapped.corrected": "3"}
    yield beside(hard, "ZERO", 3, cards(3, 1, {2: reads(past)}, reads(work(53))), how="srun", python="torch", places={"total": 440}, **DONE)
    yield beside(hard, "DET", 2, cards(2, 2, {0: reads(work(47), (20.0, {"events": "8:43", "pcie.replay": "2"}))}, reads(work(48))), 2, places={"total": 500}, **DONE)
    yield beside(good, "CLIP", 2, cards(2, 1, {}, reads(work(58))), python="torch", places={"total": 420}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (left_alone, broken, full, hot, starved, bound, lagging, well):
        yield from part()


RECIPE = Recipe("watched_by_cards", "development", jobs)
