"""Squads of ranks with a card beside each, whose readings are told beforehand: full, broken, hot, starved, waiting for the wire, for saves, for launches, or for one of them.

No GPU is there: what a program says of CUDA it says by itself. It starves, lags and saves in earnest.
"""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._squad_jobs import at, beside, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

FAILED: dict[str, Any] = {"state": "FAILED"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "86000", "throttle_reasons": "0x1"}
LONG = "--steps 40000"
BREAKS_S, TELLS_S = 30.0, 34.0
FULL = ("CUDA out of memory. Tried to allocate {} GiB. GPU {} has a total capacity of 79.18 GiB of which {} GiB is free. Including non-PyTorch memory, this process has 77.92 GiB memory in use. Of the allocated memory 74.31 GiB is allocated by PyTorch, "
        "and 2.06 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")  # fmt: skip
HIP = "HIP out of memory. Tried to allocate 6.00 GiB. GPU 0 has a total capacity of 191.98 GiB of which 4.11 GiB is free. Of the allocated memory 180.20 GiB is allocated by PyTorch, and 5.61 GiB is reserved by PyTorch but unallocated."


def reads(first: dict[str, str], *later: tuple[float, dict[str, str]]) -> Readings:
    """First, and from when on what else."""
    return first, later


def full() -> Iterator[SlurmJob]:
    """B1."""
    def grows(per_s: float, to: float) -> Readings:
        return reads({**work(49), "memory.used": str(20 << 30)}, *((1.5 * k, {"memory.used": str(int(min(to, 20 + 2 * per_s * k) * (1 << 30)))}) for k in range(1, 22)))

    steady = reads({**work(47), "memory.used": str(58 << 30)})

    def label(*first: int) -> Label:
        return Label(mode="B1", cause="cuda_oom", fault="user", first_ranks=first)

    yield beside(label(1).but(failed_ranks=(1,)), "LM", 2, {1: grows(1.5, 78.4)}, steady, how="env", srun="-K", given=LONG, code={"loss": when(TELLS_S, "raise torch.OutOfMemoryError('" + FULL.format("3.05", 1, "1.26") + "')", 1, who="RANK", behind="step > 40")}, **FAILED)
    yield beside(label(3), "VISION", 4, {3: grows(1.4, 77.9)}, steady, 2, how="env", srun="-K", given="--epochs 900 --train-size 1280", code={"check": when(TELLS_S, "raise torch.OutOfMemoryError('" + FULL.format("12.50", 1, "1.19") + "')", 3, who="dist.get_rank()")}, **FAILED)
    yield beside(label(0), "POD", 2, {0: grows(1.6, 75.5)}, steady, given="--num_train_steps=40000", srun="-K -l", code={"after": when(TELLS_S, "raise jax.errors.JaxRuntimeError('RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.')", 0, who="host", behind="step > 20")}, **FAILED)
    load = reads({**work(1), "memory.used": str(1 << 30)}, *((1.0 + k, {"memory.used": str(min(78, 4 + 7 * k) << 30)}) for k in range(12)))
    yield beside(label().but(failed_ranks=(0, 1)), "TUNE", 2, {}, load, code={"early": "time.sleep(12)\nlogger.info('loading 3 of 4 shards', main_process_only=False)\nraise torch.OutOfMemoryError('" + FULL.format("1.07", "{rank}", "0.91").replace("{rank}", "' + str(rank) + '") + "')"}, **FAILED)
    yield beside(label(2).but(failed_ranks=(2,)), "TONES", 3, {2: grows(1.3, 77)}, steady, srun="-K", given="updates=40000", code={"loss": when(TELLS_S, "raise torch.OutOfMemoryError('" + HIP + "')", 2, who="me", behind="update > 40")}, **FAILED)


def broken() -> Iterator[SlurmJob]:
    """B2, and two programs that fail by themselves beside a card with a past."""
    fine = reads(work(52))

    def ecc(count: int, **more: str) -> dict[str, str]:
        return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.sram": str(count), **more}

    def label(rank: int, cause: str | None = "cuda_runtime") -> Label:
        return Label(mode="B2", cause=cause, fault="node", first_ranks=(rank,))

    lost = ((BREAKS_S, {"events": "8:79"}), (BREAKS_S + 1, {"*": "!GPU_IS_LOST"}))
    says = "raise torch.AcceleratorError('CUDA error: {}\\nSearch for `cudaErrorECCUncorrectable` in the runtime API documentation for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call.')"
    yield beside(label(1), "LM", 2, {1: reads(work(51), (BREAKS_S, ecc(1, events="8:48")))}, fine, 2, how="env", given=LONG, code={"loss": when(TELLS_S, says.format("uncorrectable ECC error encountered"), 1, who="RANK", behind="step > 40")}, **FAILED)
    yield beside(label(2).but(failed_ranks=(2,)), "TONES", 3, {2: reads(work(54), *lost)}, fine, srun="-K", given="updates=40000", code={"loss": when(TELLS_S, "raise RuntimeError('CUDA error: unspecified launch failure')", 2, who="me", behind="update > 40")}, **FAILED)
    wire = {"nvlink.2.replay": "41", "nvlink.2.recovery": "9", "nvlink.2.crc_data": "377", "events": "8:74"}
    yield beside(label(0), "VISION", 2, {0: reads(work(46), (BREAKS_S, wire))}, fine, given="--epochs 90", code={"loss": when(TELLS_S, "raise RuntimeError('CUDA error: uncorrectable NVLink error detected during the execution')", 0, behind="step > 40")}, **FAILED)
    remap = ecc(1, **{"remapped.uncorrected": "1", "remapped.pending": "1", "events": "8:63", "recovery_action": "1"})
    yield beside(label(1), "CLICKS", 4, {1: reads(work(57), (BREAKS_S, remap))}, fine, 4, given="--train_steps=40000", srun="-K", code={"after": when(TELLS_S, "raise SystemError('cudaStreamSynchronize failed: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered')", 1, behind="global_step > 20")}, **FAILED)
    yield beside(label(0, None), "ROLES", 3, {0: reads(work(50), *lost)}, fine, srun="-K", head="export UPDATES=40000\n", code={"learner": when(TELLS_S, "import signal\nos.kill(os.getpid(), signal.SIGBUS)\ntime.sleep(5)", behind="update > 40")}, **FAILED)
    reset = ecc(2, events="8:95", recovery_action="2")
    yield beside(label(2), "STAGES", 4, {2: reads(work(48), (BREAKS_S, reset))}, fine, 2, srun="-K", head="export ITERS=40000\n", code={"mid": when(TELLS_S, "raise RuntimeError('CUDA error: an illegal memory access was encountered')", 2, behind="it > 40")}, **FAILED)
    worn = {**work(51), "ecc.aggregate.uncorrected": "7", "remapped.uncorrected": "3", "remapped.corrected": "4"}
    own = Label(mode="A3", cause="assertion", fault="user", first_ranks=(1,))
    yield beside(own, "LM", 3, {1: reads(worn)}, fine, given=LONG, code={"data": when(TELLS_S, "assert VOCAB.index('z') >= 0 if 'z' in VOCAB else len(VOCAB) == 27, f'vocabulary of {len(VOCAB)} signs'", 1, who="RANK", behind="step > 40")}, **FAILED)
    stray = Label(mode="A3", cause="cuda_runtime", fault="user", first_ranks=(0,))
    yield beside(stray, "TONES", 2, {0: reads(work(51), (TELLS_S - 0.5, {"events": "8:43"}))}, fine, 2, srun="-K", given="updates=40000", code={"loss": when(TELLS_S, "raise torch.AcceleratorError('CUDA error: device-side assert triggered\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.')", 0, who="me", behind="update > 40")}, **FAILED)


def hot() -> Iterator[SlurmJob]:
    """B3: slow, and slower than its own beginning, for the clock is held down."""
    label = Label(mode="B3", fault="node")
    since = 16

    def held(clock: int, kind: str) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 90, 296_000), "brake": ("power", "hw_power_brake", "0x88", 57, 208_000)}[kind]
        return reads(work(63), *((since + k, {
            "temperature": str(degrees + k % 3), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 2)), "power.usage": str(watts + 2000 * (k % 4)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 950_000_000}", f"slowdown.{field}": str((k + 1) * 950_000_000)}) for k in range(90)))  # fmt: skip

    fine, lag = reads(work(30)), when(since, "time.sleep(0.14)")
    yield beside(label, "LM", 2, {1: held(525, "heat")}, fine, how="env", given="--steps 420", code={"data": when(since, "time.sleep(0.14)", 1, who="RANK")}, **DONE)
    yield beside(label, "CLICKS", 8, {2: held(645, "brake")}, fine, 2, given="--train_steps=420", code={"data": when(since, "time.sleep(0.14)", 2)}, **DONE)
    yield beside(label, "FED", 6, {0: held(570, "heat"), 1: held(585, "heat"), 2: held(540, "heat")}, fine, 2, head="export ROUNDS=220\n", code={"client": when(since, "time.sleep(0.3)", 1) + "\n" + when(since, "time.sleep(0.3)", 2)}, **DONE)
    yield beside(label, "STAGES", 3, {}, held(465, "brake"), head="export ITERS=420\n", code={"mid": "if rank == 0:\n" + "\n".join(f"    {one}" for one in lag.splitlines())}, **DONE)
    yield beside(label, "CLICKS", 4, {0: held(705, "heat")}, fine, 4, given="--train_steps=380", code={"mid": when(since, "time.sleep(0.14)", 0)}, **DONE)
    yield beside(label, "FED", 3, {1: held(435, "heat"), 2: held(450, "heat")}, fine, head="export ROUNDS=170\n", code={"client": lag.replace("0.14", "0.4")}, **DONE)


def starved() -> Iterator[SlurmJob]:
    """D1: seconds without work between short bursts."""
    label = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int) -> Readings:
        return reads(work(7), *((1.0 + k, work(busy) if k % every == 0 else REST) for k in range(120)))

    yield beside(label, "LM", 2, {}, gaps(34, 3), how="env", given="--steps 36 --log-every 2", code={"data": "time.sleep(1.7)  # reads its next shard"}, **DONE)
    yield beside(label, "TONES", 2, {}, gaps(29, 4), 2, given="updates=30 every=1", code={"data": "wait = time.time()\ntime.sleep(2.0)\nif me == 0: tell('io', fetch_s=round(time.time() - wait, 2))"}, **DONE)
    yield beside(label, "VISION", 2, {}, gaps(26, 3), how="env", given="--workers 1 --epochs 2 --train-size 512 --print-freq 2", code={"item": "time.sleep(0.12)"}, **DONE)
    yield beside(label, "CLICKS", 4, {}, gaps(38, 6), 2, given="--train_steps=60 --log_steps=5", code={"data": "if global_step % 6 == 0:\n    time.sleep(5.2)  # next file of the click log"}, **DONE)
    yield beside(label, "ROLES", 3, {}, gaps(22, 4), head="export UPDATES=40\n", code={"actor": "time.sleep(1.6)  # the environment resets"}, **DONE)
    yield beside(label, "FED", 3, {}, gaps(31, 5), head="export ROUNDS=28\n", code={"client": "time.sleep(1.5)  # rows come from a database"}, **DONE)


def bound() -> Iterator[SlurmJob]:
    """D2: all alike."""
    wire = reads({**work(10, memory=4, tensor=1), "utilization.gpu": "100", "power.usage": "205000"})
    yield beside(Label(mode="D2", variant="interconnect", fault="cluster"), "CLICKS", 8, {}, wire, 4, given="--train_steps=240 --pause=0.2", head="export NCCL_DEBUG=WARN NCCL_IB_DISABLE=1\n", **DONE)
    idle = reads({**work(6, memory=2, tensor=1), "utilization.gpu": "12", "power.usage": "129000"})
    save = at(0, None, "tick = time.time()\ntorch.save({'update': update, 'net': net.state_dict(), 'pad': torch.zeros(1_500_000)}, f'ck-{update % 2}.pt')\nos.sync()\ntime.sleep(0.6)\ntell('checkpoint', update=update, path=f'ck-{update % 2}.pt', seconds=round(time.time() - tick, 2))", who="me")
    yield beside(Label(mode="D2", variant="save_storm", fault="user"), "TONES", 2, {}, idle, given="updates=60 every=1", code={"after": save}, **DONE)
    slow = reads({**work(19, memory=9, tensor=3), "utilization.gpu": "66"})
    yield beside(Label(mode="D2", variant="launch_blocking", fault="user"), "VISION", 2, {}, slow, how="env", given="--epochs 3 --pause 0.18 --train-size 1920", head="export CUDA_LAUNCH_BLOCKING=1\n", **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3: one computes while the others wait for it."""
    label = Label(mode="D3", fault="unknown")
    turns = (("LM", 3, 1, 2, 56, 15, 0), ("TONES", 4, 2, 3, 53, 13, 0), ("VISION", 3, 1, 1, 62, 18, 0), ("CLICKS", 2, 2, 1, 58, 14, 960), ("CLICKS", 4, 4, 3, 65, 19, 0), ("FED", 5, 1, 3, 54, 12, 1035), ("POD", 2, 2, 1, 60, 16, 0), ("CLICKS", 8, 2, 2, 57, 17, 0))
    given = {"LM": "--steps 380 --pause 0.02", "TONES": "updates=380 pause=0.02", "VISION": "--epochs 9 --pause 0.02 --train-size 1920", "CLICKS": "--train_steps=380 --pause=0.02", "POD": "--num_train_steps=340 --pause=0.02", "FED": ""}
    slot = {"LM": ("data", "RANK"), "TONES": ("data", "me"), "VISION": ("mid", "rank"), "CLICKS": ("data", "rank"), "POD": ("mid", "host"), "FED": ("client", "rank")}
    for name, ranks, nodes, slow, high, low, clock in turns:
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        place, who = slot[name]
        how = {"how": "env"} if name in ("LM", "VISION") and nodes == 1 else {"head": "export ROUNDS=320 PAUSE=0.01\n"} if name == "FED" else {}
        yield beside(label, name, ranks, {slow: reads(own)}, reads(work(low, memory=7, tensor=2)), nodes, given=given[name], code={place: f"time.sleep(0.12 if {who} == {slow} else 0.005)"}, **how, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (full, broken, hot, starved, bound, lagging):
        yield from part()


RECIPE = Recipe("racks_and_meters", "development", jobs)
