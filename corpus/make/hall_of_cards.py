"""The houses' programs with a card beside each rank, whose readings are told beforehand: cards that break, are held back, starve, wait for the wire or for one of them, stand still, or do their work.

No GPU is there: what a program says of CUDA it says by itself. It waits, starves, lags and saves in earnest.
"""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bureaus import on
from corpus.make._hauls import DONE, ENDLESS, FAILED, HUSH, OVER, SPIN, Readings, beside, deck, reads
from corpus.make._meshes import mesh
from corpus.running.crewed import CLOCK
from corpus.running.job import Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

BREAKS_S, TELLS_S = 27.0, 30.0
ASYNC = "\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
JAX = "torch-29"


def late(code: str, rank: int | None = None, since_s: float = TELLS_S, word: str = "rank", count: str = "step", least: int = 40) -> str:  # noqa: PLR0917
    """From so many seconds behind the script's start on."""
    who = "" if rank is None else f"{word} == {rank} and "
    return f"if {who}{count} > {least} and {CLOCK} > {since_s}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def broken() -> Iterator[SlurmJob]:
    """B2."""
    fine = reads(work(47))

    def label(rank: int, cause: str | None = "cuda_runtime") -> Label:
        return Label(mode="B2", cause=cause, fault="node", first_ranks=(rank,))

    ecc = {"ecc.volatile.uncorrected": "1", "ecc.aggregate.uncorrected": "1", "ecc.volatile.uncorrected.dram": "1", "events": "8:48"}
    says = "raise torch.AcceleratorError('CUDA error: {}" + ASYNC + "')"
    yield beside(label(1), "SPEED", 2, deck(2, 1, {1: reads(work(52), (BREAKS_S, ecc))}, fine), srun="-K", given={"mid": late(says.format("uncorrectable ECC error encountered"), 1), "steps": ENDLESS}, **FAILED)
    lost = ((BREAKS_S, {"events": "8:79"}), (BREAKS_S + 1, {"*": "!GPU_IS_LOST"}))
    yield beside(label(3), "NOWCAST", 4, deck(4, 2, {3: reads(work(49), *lost)}, fine), 2, srun="-K", given={"mid": late(says.format("unspecified launch failure"), 3, TELLS_S, "RANK"), "steps": ENDLESS}, **FAILED)
    deaf = ((BREAKS_S, {"events": "8:119"}), (BREAKS_S + 1.5, {"*": "!GPU_IS_LOST"}))
    yield beside(label(0), "FOLD", 2, deck(2, 1, {0: reads(work(61), *deaf)}, fine), how="torchrun", given={"mid": late(says.format("unknown error"), 0), "steps": ENDLESS}, **FAILED)
    bus = late("os.kill(os.getpid(), 7)\ntime.sleep(5)", 2, TELLS_S, "ROLE_RANK", "round_")
    yield beside(label(2, None), "SHOP", 3, deck(3, 1, {2: reads(work(44), *lost)}, fine), srun="-K", given={"work": bus, "steps": ENDLESS}, **FAILED)
    worn = {"ecc.volatile.uncorrected": "6", "ecc.aggregate.uncorrected": "6", "ecc.volatile.uncorrected.sram": "6", "remapped.uncorrected": "2", "remapped.pending": "1", "events": "8:95", "recovery_action": "1"}
    text = mesh("JAXED", steps=ENDLESS, mid=late("raise jax.errors.JaxRuntimeError('INTERNAL: CUDA error: Failed call to cuStreamSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered')", 1, TELLS_S, "process_id", "step", 20))
    yield beside(label(1), "SPEED", 2, deck(2, 1, {1: reads(work(57), (BREAKS_S, worn))}, fine), text=text, srun="-K", python=JAX, file="denoise/main.py", **FAILED)


def held(since: float, clock: int, kind: str = "heat", seconds: int = 70) -> Readings:
    """Its clock is kept down from then on."""
    policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 93, 288_000), "brake": ("power", "hw_power_brake", "0x88", 55, 231_000)}[kind]
    return reads(work(59), *((since + k, {
        "temperature": str(degrees - k % 2), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 2)), "power.usage": str(watts + 1500 * (k % 4)),
        f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 970_000_000}", f"slowdown.{field}": str((k + 1) * 970_000_000)}) for k in range(seconds)))  # fmt: skip


def hot() -> Iterator[SlurmJob]:
    """B3."""
    label, cold = Label(mode="B3", fault="node"), reads(work(27))
    slow = f"time.sleep(0.14 if {CLOCK} > 20 else 0)"
    yield beside(label, "SPEED", 2, deck(2, 1, {1: held(20, 585)}, cold), given={"mid": on(1, None, slow), "steps": 330}, **DONE)
    yield beside(label, "NOWCAST", 4, deck(4, 2, {0: held(20, 510, "brake")}, cold), 2, given={"mid": on(0, None, slow, word="RANK"), "steps": 290}, **DONE)
    yield beside(label, "FOLD", 2, deck(2, 1, {0: held(20, 660), 1: held(20, 645)}, cold), how="torchrun", given={"mid": slow, "steps": 270}, **DONE)
    yield beside(label, "SHOP", 3, deck(3, 1, {1: held(20, 420, "brake")}, cold), given={"work": "if ROLE_RANK == 1:\n    " + slow, "steps": 280}, **DONE)
    yield beside(label, "SPEED", 1, {(0, 0): held(18, 735)}, given={"mid": slow.replace("> 20", "> 18"), "steps": 320}, **DONE)
    text = mesh("JAXED", steps=250, mid=on(1, None, slow, word="process_id"))
    yield beside(label, "SPEED", 2, deck(2, 2, {1: held(20, 600)}, cold), 2, text=text, python=JAX, file="denoise/main.py", **DONE)
    yield beside(label, "NOWCAST", 2, deck(2, 1, {1: held(20, 375, "brake")}, cold), srun="-l", given={"mid": on(1, None, slow, word="RANK"), "steps": 310}, **DONE)


def standing() -> Iterator[SlurmJob]:
    """C3, and C1 and C2 as their cards show them."""
    label, kept = Label(mode="C3", fault="user"), {"memory.used": str(38 << 30)}
    card = {(0, 0): reads({**work(55), **kept}, (22.0, {**HUSH, **kept}))}
    yield beside(label, "SPEED", 1, card, given={"mid": late("print('next shard: fineweb_train_000031.bin', flush=True)\nimport queue\nqueue.Queue().get()", None, 22), "steps": ENDLESS}, **OVER)
    yield beside(label, "FOLD", 1, card, how="torchrun", given={"mid": late("import threading\nthreading.Barrier(2).wait()", None, 22), "steps": ENDLESS}, **OVER)
    yield beside(label, "NOWCAST", 1, card, given={"mid": late("out('evaluating in a helper process')\nimport multiprocessing as mp\nmp.get_context('fork').Pool(1).apply(os._exit, (0,))", None, 22), "steps": ENDLESS}, act="scancel_late", after="in a helper", state="CANCELLED")
    yield beside(label, "SPEED", 1, card, text=mesh("JAXED", steps=ENDLESS, mid=late("import socket\nsocket.create_server(('127.0.0.1', 0)).accept()", None, 22)), python=JAX, file="denoise/main.py", **OVER)
    hang = Label(mode="C2", fault="user")
    spins, cold = reads({**work(50), **kept}, (22.0, {**SPIN, **kept})), reads({**work(50), **kept}, (22.0, {**HUSH, **kept}))
    yield beside(hang, "NOWCAST", 4, deck(4, 2, {2: cold}, spins), 2, given={"mid": late("import select\nselect.select([], [], [])", 2, 22, "RANK"), "steps": ENDLESS}, **OVER)
    yield beside(hang, "FOLD", 2, deck(2, 1, {0: cold}, spins), how="torchrun", given={"mid": late("log.info('exporting an intermediate model')\nos.mkfifo('export.pt')\nopen('export.pt', 'wb')", 0, 22), "steps": ENDLESS}, **OVER)
    text = mesh("JAXED", steps=ENDLESS, mid=late("logging.info('host 1 waits for its turn at the file server')\nimport threading\nthreading.Event().wait()", 1, 22, "process_id"))
    yield beside(hang, "SPEED", 2, deck(2, 2, {1: cold}, spins), 2, text=text, python=JAX, file="denoise/main.py", **OVER)
    context = reads({**HUSH, "memory.used": str(480 << 20)})
    yield beside(Label(mode="C1", fault="unknown"), "SPEED", 3, deck(3, 1, {}, context), head="export WANT=4\n", given={"before": "print(f'rank {rank}: init_process_group({world})', flush=True)"}, **OVER)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    label = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int) -> Readings:
        return reads(HUSH, *((1.0 + k, HUSH if k % every else work(busy)) for k in range(150) if k % every < 2))

    yield beside(label, "SPEED", 2, deck(2, 1, {}, gaps(28, 4)), given={"mid": "time.sleep(2.2)  # tokens come over NFS", "steps": 16, "every": 1}, **DONE)
    yield beside(label, "NOWCAST", 2, deck(2, 1, {}, gaps(33, 3)), given={"item": "time.sleep(0.25)", "steps": 18, "every": 2}, **DONE)
    yield beside(label, "FOLD", 2, deck(2, 1, {}, gaps(30, 5)), how="torchrun", given={"mid": "if step % 4 == 1:\n    time.sleep(4.5)", "steps": 32, "every": 4}, **DONE)
    unpack = "import subprocess\nsubprocess.run('for i in 1 2 3; do head -c 200000 /dev/urandom | gzip -9 | gunzip | md5sum; sleep 0.7; done', shell=True, check=True, stdout=subprocess.DEVNULL)"
    yield beside(label, "SPEED", 1, {(0, 0): gaps(36, 3)}, given={"mid": unpack, "steps": 16, "every": 1}, **DONE)
    yield beside(label, "SHOP", 3, deck(3, 1, {}, gaps(21, 4)), given={"work": "if round_ % 3 == 0:\n    event('reading', what='next parquet row group')\n    time.sleep(5.0)", "steps": 22, "every": 1}, **DONE)
    yield beside(label, "SPEED", 2, deck(2, 1, {}, gaps(25, 3)), text=mesh("JAXED", steps=20, every=1, mid="time.sleep(1.9)"), python=JAX, file="denoise/main.py", **DONE)


def bound() -> Iterator[SlurmJob]:
    """D2."""
    slow = {**work(10, memory=4, tensor=1), "utilization.gpu": "100", "power.usage": "191000"}
    wire = Label(mode="D2", variant="interconnect", fault="cluster")
    yield beside(wire, "FOLD", 4, deck(4, 2, {}, reads(slow)), 2, "torchrun", head="export NCCL_IB_DISABLE=1 NCCL_DEBUG=WARN\n", given={"mid": "time.sleep(0.3)", "steps": 110, "every": 5}, **DONE)
    yield beside(wire, "SPEED", 4, deck(4, 2, {}, reads({**slow, "gpm.2": "8"})), 2, given={"mid": "time.sleep(0.28)", "steps": 130, "every": 5}, **DONE)
    yield beside(Label(mode="D2", variant="launch_blocking", fault="user"), "NOWCAST", 2, deck(2, 1, {}, reads({**work(16, memory=6, tensor=2), "utilization.gpu": "61"})), head="export CUDA_LAUNCH_BLOCKING=1  # left over from last week\n", given={"mid": "time.sleep(0.13)", "steps": 200}, **DONE)
    idle = reads({**work(5, memory=2, tensor=1), "utilization.gpu": "12", "power.usage": "121000"})
    keep = on(0, None, "tick = time.time()\ntorch.save({'step': step, 'pad': torch.zeros(1_500_000)}, f'state_{step % 2}.pt')\ntime.sleep(0.7)\nprint0(f'step:{step} checkpoint state_{step % 2}.pt written, {time.time() - tick:.2f}s')")
    yield beside(Label(mode="D2", variant="save_storm", fault="user"), "SPEED", 2, deck(2, 1, {}, idle), given={"after": keep, "steps": 40, "every": 1}, **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3."""
    label = Label(mode="D3", fault="unknown")

    def cards(ranks: int, nodes: int, slow: int, high: int, low: int, clock: int = 0) -> dict[tuple[int, int], Readings]:  # noqa: PLR0917
        return deck(ranks, nodes, {slow: reads({**work(high), **({"clock.sm": str(clock)} if clock else {})})}, reads(work(low, memory=6, tensor=2)))

    def lag(slow: int, word: str = "rank") -> str:
        return f"time.sleep(0.1 if {word} == {slow} else 0.008)"

    yield beside(label, "SPEED", 4, cards(4, 2, 3, 58, 14), 2, given={"mid": lag(3), "steps": 260, "pause": 0.02}, **DONE)
    yield beside(label, "NOWCAST", 3, cards(3, 1, 1, 63, 17), given={"mid": lag(1, "RANK"), "steps": 250, "pause": 0.02}, **DONE)
    yield beside(label, "FOLD", 4, cards(4, 2, 0, 54, 15, 945), 2, "torchrun", given={"mid": lag(0), "steps": 240, "pause": 0.02}, **DONE)
    yield beside(label, "SPEED", 3, cards(3, 1, 2, 67, 18), how="torchrun", given={"mid": lag(2), "steps": 260, "pause": 0.02}, **DONE)
    yield beside(label, "SPEED", 3, cards(3, 1, 0, 52, 13, 1020), text=mesh("JAXED", steps=240, pause=0.02, mid=lag(0, "process_id")), python=JAX, file="denoise/main.py", **DONE)
    yield beside(label, "NOWCAST", 4, cards(4, 1, 3, 60, 16), srun="-l", given={"mid": lag(3, "RANK"), "steps": 230, "pause": 0.02}, **DONE)
    yield beside(label, "SPEED", 4, cards(4, 2, 1, 56, 12, 880), 2, "torchrun", given={"mid": lag(1), "steps": 250, "pause": 0.02}, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    good = Label(mode="G1", fault="none")
    hard = good.but(hard=True)
    kept = {"memory.used": str(31 << 30)}
    warm = {**work(68), "temperature": "84", "throttle_reasons": "0x4", "clock.sm": "1590", "power.usage": "697000", "ecc.volatile.corrected": "31", "ecc.aggregate.corrected": "411"}
    yield beside(hard, "SPEED", 2, deck(2, 1, {1: reads({**warm, "temperature": "86"})}, reads(warm)), given={"steps": 420}, **DONE)
    bins = {0: reads(work(43)), 1: reads(work(51)), 2: reads(work(57)), 3: reads(work(46))}
    yield beside(hard, "NOWCAST", 4, deck(4, 2, bins, reads(work(50))), 2, given={"mid": "time.sleep(0.01 * ((step * 7 + RANK * 3) % 5))", "steps": 300}, **DONE)
    pack = "for part in range(9):\n    log.info('packing chains into crops, part %d of 9', part + 1)\n    time.sleep(1.4)"
    yield beside(hard, "FOLD", 2, deck(2, 1, {}, reads(HUSH, (24.0, work(53)))), how="torchrun", given={"early": pack, "steps": 330}, **DONE)
    past = {**work(52), "ecc.aggregate.uncorrected": "5", "remapped.uncorrected": "3", "remapped.corrected": "2"}
    yield beside(hard, "SHOP", 3, deck(3, 1, {1: reads(past, (18.0, {"events": "8:43"}))}, reads(work(49))), given={"work": "if ROLE_RANK == 1 and round_ == 150:\n    event('warning', message='cuda context of the previous scorer was killed, starting a new one')", "steps": 380}, **DONE)
    small = {**work(13, memory=6, tensor=2), "utilization.gpu": "43", "power.usage": "178000"}
    yield beside(hard, "SPEED", 1, {(0, 0): reads(small)}, given={"steps": 500, "pause": 0.04}, **DONE)
    export = on(0, None, "print0('exporting to ONNX and int8 ...')\ntime.sleep(max(4, 62 - (time.time() - float(os.environ['T0']))))\nprint0('export done, max abs difference 0.0007')") + "\ndist.barrier()"
    yield beside(hard, "SPEED", 2, deck(2, 1, {}, reads({**work(55), **kept}, (47.0, {**HUSH, **kept}))), given={"late": export, "steps": 380, "pause": 0.035}, **DONE)
    yield beside(good, "SPEED", 2, deck(2, 2, {}, reads(work(58))), 2, text=mesh("JAXED", steps=420), python=JAX, file="denoise/main.py", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (broken, hot, standing, starved, bound, lagging, well):
        yield from part()


RECIPE = Recipe("hall_of_cards", "development", jobs)
