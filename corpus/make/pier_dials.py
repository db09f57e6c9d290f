"""Several ranks with a card beside each, whose readings are told beforehand: full, broken, hot, starved, waiting for the wire, for saves, for launches, or for one of them; and well.

No GPU is there: what a program says of CUDA it says by itself. It starves, lags and saves in earnest.
"""

from collections.abc import Iterator
from typing import Any

from corpus.make._quay import GOOD, HARD, label, laden, past
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

FAILED: dict[str, Any] = {"state": "FAILED"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "88000", "throttle_reasons": "0x1"}
BREAKS_S, TELLS_S = 29.0, 33.0


def reads(first: dict[str, str], *later: tuple[float, dict[str, str]]) -> Readings:
    """First, and from when on what else."""
    return first, later


def full() -> Iterator[SlurmJob]:
    """B1."""
    def fills(per_s: float, top: float) -> Readings:
        return reads({**work(51), "memory.used": str(24 << 30)}, *((1.5 * k, {"memory.used": str(int(min(top, 24 + 1.5 * per_s * k) * (1 << 30)))}) for k in range(1, 23)))

    level = reads({**work(50), "memory.used": str(49 << 30)})
    says = "CUDA out of memory. Tried to allocate {} GiB. GPU {} has a total capacity of 79.11 GiB of which {} MiB is free. Process {} has 78.{} GiB memory in use. Of the allocated memory 75.02 GiB is allocated by PyTorch, and 1.88 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    code = past(TELLS_S, f"raise torch.OutOfMemoryError('{says.format('1.58', 0, '861.31', 401266, '25')}')", 2, who="r", behind="it > 40")
    yield laden(label("B1", "cuda_oom", (2,)), "PAIRS", 4, {2: fills(1.7, 78.2)}, level, 2, how="env", srun="-K", given="--iters 40000", code={"loss": code}, **FAILED)
    jax = past(TELLS_S, "try:\n    raise jax.errors.JaxRuntimeError('RESOURCE_EXHAUSTED: Out of memory while trying to allocate 12884902400 bytes.')\nexcept jax.errors.JaxRuntimeError:\n    logging.exception('step %d', step)\n    os._exit(1)", 1, behind="step > 20")
    yield laden(label("B1", "cuda_oom", (1,)), "PATCHES", 2, {1: fills(1.5, 76.0)}, level, srun="-K", given="--num_steps 40000", code={"mid": jax}, **FAILED)
    first = reads({**work(2), "memory.used": str(2 << 30)}, *((k + 1.0, {"memory.used": str(min(77, 9 + 8 * k) << 30)}) for k in range(11)))
    start = f"time.sleep(12)\nprint(f' > allocating optimizer states on rank {{rank}}', flush=True)\nraise torch.OutOfMemoryError('{says.format('9.25', '{0}', '643.06', '{1}', '47')}'.format(rank, os.getpid()))"
    yield laden(label("B1", "cuda_oom"), "GPT", 2, {}, first, given="--train-iters=900", code={"early": start}, **FAILED)


def broken() -> Iterator[SlurmJob]:
    """B2, and a program that fails by itself beside a card with a past."""
    fine = reads(work(53))

    def counts(number: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(number), "ecc.aggregate.uncorrected": str(number), "ecc.volatile.uncorrected.dram": str(number), **more}

    stop = "raise RuntimeError('CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.')"
    yield laden(label("B2", "cuda_runtime", (3,), fault="node"), "SEG", 4, {3: reads(work(55), (BREAKS_S, counts(2, events="8:48")))}, fine, 2, srun="-K", head="export MAX_ITERS=40000\n", code={"loss": past(TELLS_S, stop, 3, behind="it > 40")}, **FAILED)
    gone = reads(work(49), (BREAKS_S, {"events": "8:79"}), (BREAKS_S + 1, {"*": "!GPU_IS_LOST"}))
    lost = "raise SystemError('cuMemcpyDtoHAsync failed: CUDA_ERROR_UNKNOWN (999): unknown error')"
    yield laden(label("B2", "cuda_runtime", (1,), fault="node"), "CLICKS", 6, {1: gone}, fine, 2, srun="-K", given="steps:40000", code={"loss": past(TELLS_S, lost, 1, who="ME", behind="step > 40")}, **FAILED)
    remap = counts(1, **{"remapped.uncorrected": "1", "remapped.pending": "1", "events": "8:63", "recovery_action": "1"})
    yield laden(label("B2", "cuda_runtime", (0,), fault="node"), "PAIRS", 2, {0: reads(work(57), (BREAKS_S, remap))}, fine, how="env", srun="-K", given="--iters 40000", code={"after": past(TELLS_S, "raise torch.AcceleratorError('CUDA error: uncorrectable ECC error encountered')", 0, who="r", behind="it > 40")}, **FAILED)
    worn = {**work(54), "ecc.aggregate.uncorrected": "5", "remapped.uncorrected": "2", "remapped.corrected": "6"}
    yield laden(label("A3", "file_not_found", (2,)), "CLICKS", 4, {2: reads(worn)}, fine, 2, srun="-K", given="steps:40000", code={"data": past(TELLS_S, "day = open(f'criteo/day_{step % 24}.parquet', 'rb').read()", 2, who="ME", behind="step > 40")}, **FAILED)


def hot() -> Iterator[SlurmJob]:
    """B3."""
    what, since = label("B3", fault="node"), 16

    def held(clock: int, kind: str) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 91, 287_000), "brake": ("power", "hw_power_brake", "0x88", 55, 201_000)}[kind]
        return reads(work(61), *((since + k, {
            "temperature": str(degrees + k % 2), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 3)), "power.usage": str(watts + 1700 * (k % 5)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 960_000_000}", f"slowdown.{field}": str((k + 1) * 960_000_000)}) for k in range(90)))  # fmt: skip

    fine = reads(work(29))
    yield laden(what, "CLICKS", 4, {2: held(510, "heat")}, fine, 2, given="steps:430", code={"data": past(since, "time.sleep(0.13)", 2, who="ME")}, **DONE)
    yield laden(what, "SEG", 2, {0: held(600, "brake")}, fine, head="export MAX_ITERS=400\n", code={"data": past(since, "time.sleep(0.15)", 0)}, **DONE)
    yield laden(what, "OUTER", 3, {1: held(555, "heat")}, fine, head="export ROUNDS=80\n", code={"inner": past(since, "time.sleep(0.12)", 1)}, **DONE)
    yield laden(what, "CLICKS", 8, {}, held(480, "brake"), 2, given="steps:400", code={"data": past(since, "time.sleep(0.14)")}, **DONE)
    yield laden(what, "PAIRS", 2, {1: held(660, "heat")}, fine, 2, how="env", given="--iters 400", code={"data": past(since, "time.sleep(0.15)", 1, who="r")}, **DONE)


def slow() -> Iterator[SlurmJob]:
    """D1 and D2."""
    def gaps(busy: float, every: int) -> Readings:
        return reads(work(6), *((1.0 + k, work(busy) if k % every == 0 else REST) for k in range(120)))

    starved = label("D1")
    yield laden(starved, "SPEECH", 2, {}, gaps(31, 3), given="conf.json max_update=34 log_interval=2", files={"conf.json": '{"lr": 0.002}'}, code={"data": "time.sleep(1.8)"}, **DONE)
    yield laden(starved, "CLICKS", 6, {}, gaps(36, 5), 2, given="steps:60 every:5", code={"data": "if step % 6 == 0:\n    time.sleep(5.4)  # next part of the day's file"}, **DONE)
    yield laden(starved, "OUTER", 3, {}, gaps(27, 4), head="export ROUNDS=32 INNER=2\n", code={"inner": "time.sleep(0.8)  # rows are parsed here"}, **DONE)
    wire = reads({**work(9, memory=5, tensor=1), "utilization.gpu": "100", "power.usage": "199000"})
    yield laden(label("D2", fault="cluster", variant="interconnect"), "CLICKS", 8, {}, wire, 4, given="steps:230 nap:0.2", head="export NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=eno1\n", **DONE)
    idle = reads({**work(5, memory=2, tensor=1), "utilization.gpu": "11", "power.usage": "124000"})
    save = "if r == 0:\n    tick = time.time()\n    torch.save({'towers': towers.state_dict(), 'bank': torch.zeros(1_400_000), 'it': it}, f'towers-{it % 3}.pth')\n    os.sync()\n    time.sleep(0.6)\n    say(f\"=> saved checkpoint 'towers-{it % 3}.pth' (it {it}) in {time.time() - tick:.2f} s\")"
    yield laden(label("D2", variant="save_storm"), "PAIRS", 2, {}, idle, how="env", given="--iters 60 --show 1", code={"after": save}, **DONE)
    store = "if ME == 0:\n    tick = time.time()\n    with open(f'table-{step}.npz', 'wb') as file:\n        np.savez(file, weights=weights, slots=np.zeros(900_000))\n        os.fsync(file.fileno())\n    time.sleep(0.5)\n    fmt('info', event='checkpoint', step=step, file=f'table-{step}.npz', s=f'{time.time() - tick:.2f}')\n    os.path.exists(f'table-{step - 2}.npz') and os.remove(f'table-{step - 2}.npz')"
    yield laden(label("D2", variant="save_storm"), "CLICKS", 4, {}, idle, 2, given="steps:70 every:2", code={"after": store}, **DONE)
    blocked = reads({**work(18, memory=8, tensor=3), "utilization.gpu": "63"})
    yield laden(label("D2", variant="launch_blocking"), "SEG", 2, {}, blocked, head="export CUDA_LAUNCH_BLOCKING=1 MAX_ITERS=190 PAUSE=0.18\n", **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3: one computes while the others wait for it."""
    what = label("D3", fault="unknown")

    def lags(name: str, ranks: int, nodes: int, slow: int, high: float, low: float, clock: int = 0, **more: Any) -> SlurmJob:  # noqa: PLR0917
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        place, who = {"CLICKS": ("data", "ME"), "SEG": ("data", "rank"), "PAIRS": ("data", "r"), "OUTER": ("inner", "rank"), "PATCHES": ("data", "rank")}[name]
        return laden(what, name, ranks, {slow: reads(own)}, reads(work(low, memory=8, tensor=2)), nodes, code={place: f"time.sleep(0.12 if {who} == {slow} else 0.004)"}, **more, **DONE)

    yield lags("CLICKS", 8, 2, 6, 58, 15, given="steps:390 nap:0.02")
    yield lags("CLICKS", 4, 4, 1, 63, 17, 990, given="steps:380 nap:0.02")
    yield lags("SEG", 3, 1, 2, 55, 14, head="export MAX_ITERS=370 PAUSE=0.02\n")
    yield lags("PAIRS", 2, 2, 0, 61, 18, how="env", given="--iters 370 --nap 0.02")
    yield lags("OUTER", 4, 2, 3, 57, 13, head="export ROUNDS=70 NAP=0.02\n")
    yield lags("CLICKS", 6, 2, 2, 54, 16, 1050, given="steps:400 nap:0.02 every:20")


def well() -> Iterator[SlurmJob]:
    """G1: cards that rest for good reasons, are warm, unlike by design, or have a past."""
    fine, kept = work(56), {"memory.used": str(31 << 30)}
    rest = "if step == 220 and ME == 0:\n    fmt('info', event='eval', files=24)\n    time.sleep(28)\n    fmt('info', event='eval', auc=0.7831)"
    yield laden(HARD, "CLICKS", 4, {}, reads({**fine, **kept}, (12.0, {**REST, **kept}), (41.0, {**fine, **kept})), 2, given="steps:520 every:20", code={"after": rest}, **DONE)
    past_life = {**fine, "ecc.aggregate.uncorrected": "9", "remapped.uncorrected": "3", "remapped.corrected": "7", "recovery_action": "0"}
    yield laden(HARD, "SEG", 2, {1: reads(past_life)}, reads(fine, (14.0, {"pcie.replay": "3", "ecc.volatile.corrected": "6"})), head="export MAX_ITERS=520\n", **DONE)
    warm = {**work(74), "temperature": "84", "throttle_reasons": "0x4", "clock.sm": "1545", "power.usage": "698400", "ecc.volatile.corrected": "31"}
    yield laden(HARD, "CLICKS", 8, {}, reads(warm), 2, given="steps:600 every:25", **DONE)
    half = past(18, "globals()['cut'] = True\nsay(f'it {it}: CUDA out of memory. Tried to allocate 3.12 GiB; cache emptied, chunk 24 -> 12, repeated')", 1, who="r", behind="not globals().get('cut') and it > 20")
    grows = (*((1.0 * k, {"memory.used": str(min(78, 34 + 3 * k) << 30)}) for k in range(1, 17)), (20.0, {"memory.used": str(38 << 30)}))
    yield laden(HARD, "PAIRS", 2, {1: ({**work(52), "memory.used": str(34 << 30)}, grows)}, reads({**work(52), "memory.used": str(34 << 30)}), how="env", given="--iters 460", code={"after": half}, **DONE)
    xid = "if step == 260 and ME == 3:\n    fmt('warning', event='kernel failed', error='CUDA_ERROR_ASSERT (device-side assert triggered)', action='worker process started anew, step repeated')"
    yield laden(HARD, "CLICKS", 4, {3: reads(fine, (15.0, {"events": "8:43"}))}, reads(fine), given="steps:560 every:20", code={"after": xid}, **DONE)
    yield laden(GOOD, "OUTER", 3, {}, reads(work(47)), 3, head="export ROUNDS=90\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (full, broken, hot, slow, lagging, well):
        yield from part()


RECIPE = Recipe("pier_dials", "development", jobs)
