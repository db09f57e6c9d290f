"""Jobs of several groups with a card for each rank, whose readings were told beforehand: broken, hot, left alone, starved, waiting for the wire or for one of them, and well.

No GPU is there: a program says by itself what it would have of the runtime. It waits, lags and starves in earnest. What befell a card is seen by the next job
on it for a moment: the broken and the hot have nodes to themselves, none of which another recipe may lose. Make this one by itself.
"""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make import _bridle_nets as nets
from corpus.make import _bridle_plain as plain
from corpus.make import _moss_tools as tools
from corpus.make import _pebble_shop as shop
from corpus.make._bridle import GOOD, HARD, IDLE, Readings, busy, gaps, made, reads, rows, sbatch, spin, still, then
from corpus.running.job import Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

HEAD = "export T0=$(date +%s) PORT=$((17000 + SLURM_JOB_ID * 11)) MASTER_ADDR=127.0.0.1 MASTER_PORT=$((15000 + SLURM_JOB_ID * 9))\n"
RANKED = "srun {o} bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS exec PYTHON -u {f}'"
MEET = {"hub": plain.HUB, "notes": plain.NOTES, "gossip": plain.GOSSIP, "cudart": shop.CUDART}
ENDS: list[dict[str, Any]] = [{"state": s} for s in ("FAILED", "COMPLETED", "TIMEOUT", "CANCELLED")]
FAILED, DONE, OVER, GONE = ENDS
CLOCK = "time.time() - T0"
BREAKS, TELLS = 29.0, 36
EXIT = "rc=$?\nsleep 0.5\nexit $rc\n"


def cards(label: Label, program: str, readings: dict[tuple[int, int], Readings], ranks: int = 1, nodes: int = 1, *, run: str = "srun {o} PYTHON -u {f}", o: str = "", f: str = "train.py", head: str = "", tail: str = EXIT, name: str, **rest: Any) -> SlurmJob:
    """One task a card."""
    program = program.replace("scene courtyard", f"scene {name.partition('-')[2]}").replace("rtmdet_s_potholes", name.replace("-", "_"))
    files = {f: program, **{f"{m}.py": text for m, text in MEET.items() if f"from {m} import" in program or f"import {m}" in program}}
    script = f"#!/bin/bash\n#SBATCH --nodes={nodes} --ntasks={ranks}\n#SBATCH --gpus-per-node={ranks // nodes}\n{HEAD}{head}{run.format(o=o, f=f)}\n{tail}"
    return sbatch(label.but(gpu="scripted"), files, script, f"-N{nodes}", f"-n{ranks}", f"--ntasks-per-node={ranks // nodes}", f"--gres=gpu:{ranks // nodes}", name=name, gpus=readings, **rest)


def mmeng(values: dict[str, object] | None = None, **codes: str) -> str:
    """Detection."""
    return made(shop.MMENG, {**shop.MMENG_DEFAULTS, **(values or {})}, **codes)


def sft(values: dict[str, object] | None = None, **codes: str) -> str:
    """Instruction tuning."""
    return made(shop.SFT, {**shop.SFT_DEFAULTS, **(values or {})}, **codes)


def timed(values: dict[str, object] | None = None, **codes: str) -> str:
    """The forecasters, who time everything."""
    return made(shop.TIMED, {**shop.TIMED_DEFAULTS, **(values or {})}, **codes)


def litbar(values: dict[str, object] | None = None, **codes: str) -> str:
    """Speech with bars."""
    return made(shop.LITBAR, {**shop.LITBAR_DEFAULTS, **(values or {})}, **codes)


def worker(values: dict[str, object] | None = None, **codes: str) -> str:
    """Views of a scene."""
    return made(shop.WORKER, {**shop.WORKER_DEFAULTS, **(values or {})}, **codes)


def ecc(count: int, **others: str) -> dict[str, str]:
    """Uncorrectable errors of memory."""
    return {"ecc.volatile.uncorrected": str(count), "ecc.aggregate.uncorrected": str(count), "ecc.volatile.uncorrected.dram": str(count), **others}


def hit(code: int, who: str = "", kind: str = "Stream") -> dict[str, str]:
    """The runtime answers with that code from then on (to who is meant)."""
    mine = f"{code} if {who} else 0" if who else str(code)
    return {"top": f"from cudart import {kind}", "setup": f"stream = {kind}({mine}, T0 + {TELLS})", "step": "stream.synchronize()"}


LONG = 40_000


def broken() -> Iterator[SlurmJob]:
    """B2."""
    def label(rank: int, cause: str | None = "cuda_runtime") -> Label:
        return Label(mode="B2", variant="fault", cause=cause, fault="node", first_ranks=(rank,))

    yield cards(label(1), mmeng({"total": LONG}, **hit(214, "RANK == 1")), rows(2, 1, {1: then(busy(63, seed=1), BREAKS, (0, ecc(1, events="8:48")))}, lambda r: busy(61, seed=2 + r)), 2, name="potholes", where="-wn5", o="-K", **FAILED)
    lost = ((0.0, {"events": "8:79"}), (1.0, {"*": "!GPU_IS_LOST"}))
    yield cards(label(0), worker({"total": LONG}, **hit(719)), rows(1, 1, {0: then(busy(71, held_gib=9), BREAKS, *lost)}), name="gs-courtyard", where="-wn5", f="fit_scene.py", **FAILED)
    wire = {"nvlink.0.replay": "412", "nvlink.0.recovery": "9", "nvlink.0.crc_flit": "3120", "events": "8:74"}
    yield cards(label(2, "nccl"), sft({"total": LONG}, **hit(1, "R == 2", "Comm")), rows(4, 2, {2: then(busy(58, seed=3), BREAKS, (0, wire))}, lambda r: busy(57, seed=40 + r)), 4, 2, name="sft-mixtral", where="-wn4,n6", f="sft.py", o="-K", **FAILED)
    remap = ecc(9, **{"remapped.uncorrected": "8", "remapped.failure": "1", "events": "8:64", "recovery_action": "3"})
    yield cards(label(0, None), litbar({"epochs": 900}, step=f"if {CLOCK} > {TELLS}:\n    os.abort()"), rows(1, 1, {0: then(busy(66, held_gib=44), BREAKS, (0, remap))}), name="conformer-l", where="-wn5", f="train_ctc.py", **FAILED)
    lib = "def synchronize():\n    if rank == 0 and iteration > 60 and time.time() - float(os.environ['T0']) > 42:\n        raise torch.AcceleratorError(f'CUDA error: {REASON}\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.')\n\n\nREASON = 'an illegal memory access was encountered'"
    mega = made(nets.MEGA, {**nets.MEGA_DEFAULTS, "total": LONG, "pause": 0.08}, top=lib, step="synchronize()")
    yield cards(label(0), mega, rows(2, 2, {0: then(busy(69, seed=5), BREAKS + 6, (0, ecc(4, events="8:95", recovery_action="1")))}, lambda r: busy(68, seed=6 + r)), 2, 2, name="ctx-1b", where="-wn4,n6", run=RANKED, o="-K -l", f="pretrain_ctx.py", python="torch", **FAILED)
    hung = ((0.0, {"events": "8:119", "recovery_action": "1"}), (1.0, {"*": "!GPU_IS_LOST"}))
    yield cards(label(1), timed({"total": LONG}, **hit(46, "me == 1")), rows(3, 1, {1: then(busy(54, seed=7), BREAKS, *hung)}, lambda r: busy(55, seed=8 + r)), 3, name="mesh-z500", where="-wn5", f="forecast.py", o="-K", **FAILED)


def hot() -> Iterator[SlurmJob]:
    """B3."""
    label = Label(mode="B3", fault="node")

    def held(since: float, clock: int, kind: str, sm: float = 62) -> Readings:
        policy, field, mask, degrees, watts = {"heat": ("thermal", "hw_thermal", "0x60", 91, 290_000), "brake": ("power", "hw_power_brake", "0x88", 57, 205_000)}[kind]
        return then(busy(sm, seed=clock), since, *((float(k), {
            "temperature": str(degrees + k % 3), "throttle_reasons": mask, "clock.sm": str(clock + 15 * (k % 3)), "power.usage": str(watts + 1300 * (k % 5)),
            f"violation.{policy}": f"{1_000_000 + (k + 1) * 1_000_000} {(k + 1) * 950_000_000}", f"slowdown.{field}": str((k + 1) * 950_000_000)}) for k in range(80)))  # fmt: skip

    def slow(who: str, more_s: float) -> str:
        return f"if {who}{CLOCK} > 16:\n    time.sleep({more_s})"

    yield cards(label, worker({"total": 300, "seed": 4}, step=slow("", 0.14)), rows(1, 1, {0: held(15, 540, "heat")}), name="gs-attic", where="-wn3", f="fit_scene.py", **DONE)
    yield cards(label, mmeng({"total": 340, "all": True}, step=slow("RANK == 1 and ", 0.12)), rows(2, 1, {1: held(15, 615, "heat")}, lambda r: busy(31, seed=11 + r)), 2, name="rtmdet-heat", where="-wn3", **DONE)
    yield cards(label, sft({"total": 260}, step=slow("", 0.13)), rows(2, 2, {0: held(15, 585, "brake"), 1: held(15, 600, "brake")}), 2, 2, name="sft-rack7", where="-wn4,n6", f="sft.py", **DONE)
    yield cards(label, litbar({"epochs": 5, "seed": 9}, step=slow("", 0.12)), rows(1, 1, {0: held(15, 495, "brake", 70)}), name="conformer-s", where="-wn3", f="train_ctc.py", **DONE)
    yield cards(label, timed({"total": 390, "pause": 0.07}, step=slow("me == 2 and ", 0.14)), rows(4, 2, {2: held(15, 570, "heat")}, lambda r: busy(28, seed=12 + r)), 4, 2, name="mesh-t850", where="-wn4,n6", f="forecast.py", **DONE)
    paced = '"step {}/{} loss {:.5g} ({:.3f} s/step)", step, cfg.max_steps, loss, time.perf_counter() - t'
    yield cards(label, made(tools.LOGU, {**tools.LOGU_DEFAULTS, "total": 330, "pause": 0.09, "every": 10, "lr": 0.02, "line": paced}, step="if time.time() - float(os.environ['T0']) > 16:\n    time.sleep(0.11)"), rows(1, 1, {0: held(15, 660, "heat", 55)}), name="wake-gpu", where="-wn3", f="wake.py", python="annex", **DONE)


def left_alone() -> Iterator[SlurmJob]:
    """C3, and C2 with its cards."""
    label, gone = Label(mode="C3", fault="user"), 23.0

    def card(sm: float, gib: float) -> dict[tuple[int, int], Readings]:
        return rows(1, 1, {0: then(busy(sm, held_gib=gib), gone + 1, *still(gib))})

    def stops(code: str) -> str:
        return f"if {CLOCK} > {gone}:\n" + "\n".join(f"    {line}" for line in code.splitlines())

    yield cards(label, worker({"total": LONG}, step=stops("import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()")), card(67, 11), name="gs-lobby", where="-wn3", f="fit_scene.py", **OVER)
    yield cards(label, mmeng({"total": LONG}, data=stops("import multiprocessing as mp\nbatches = mp.get_context('fork').Queue()\nbatches.get()")), card(52, 24), name="rtmdet-q", where="-wn3", **OVER)
    yield cards(label, litbar({"epochs": 400}, after=stops("import socket\nsink = socket.create_server(('127.0.0.1', int(os.environ['PORT'])))\nmeter = socket.create_connection(('127.0.0.1', int(os.environ['PORT'])))\nmeter.sendall(b'GET /flush HTTP/1.0\\r\\n\\r\\n')\nmeter.recv(4096)")), card(61, 38), name="conformer-m", f="train_ctc.py", act="scancel_late", after=r"Epoch 2", **GONE)
    yield cards(label, sft({"total": LONG}, step=stops("import fcntl\na = open('dataset.lock', 'w')\nfcntl.flock(a, fcntl.LOCK_EX)\nb = open('dataset.lock', 'w')\nfcntl.flock(b, fcntl.LOCK_EX)")), card(74, 61), name="sft-7b", where="-wn3", f="sft.py", **OVER)
    ads = made(tools.STRUCT, {**tools.STRUCT_DEFAULTS, "total": LONG, "pause": 0.1}, after="if time.time() - float(os.environ['T0']) > 23:\n    import subprocess\n    subprocess.run(['sh', '-c', 'cat > /dev/null'], stdin=os.pipe()[0])")
    yield cards(label, ads, rows(1, 1, {0: then(busy(45, held_gib=6), 24, *still(6))}), name="ctr-fm", where="-wn5", f="ctr.py", python="annex", **OVER)
    hang = Label(mode="C2", fault="user")
    stuck = f"if RANK == 1 and {CLOCK} > {gone}:\n    log('epoch cache is stale, rebuilding')\n    import select\n    select.select([], [], [])"
    yield cards(hang, mmeng({"total": LONG, "all": True}, data=stuck), rows(4, 2, {1: then(busy(56, seed=1), gone + 1, *still(24))}, lambda r: then(busy(55, seed=2 + r), gone + 1, *spin(24 + r / 64))), 4, 2, name="rtmdet-4x", **OVER)
    quiet = f"if R == 2 and {CLOCK} > {gone}:\n    import queue\n    queue.Queue().get()"
    yield cards(hang, sft({"total": 3000}, step=quiet), rows(3, 1, {2: then(busy(64, seed=3), gone + 1, *still(52))}, lambda r: then(busy(65, seed=4 + r), gone + 1, *spin(52 + r / 64))), 3, name="sft-13b", f="sft.py", **OVER)


def apart() -> Iterator[SlurmJob]:
    """C1; the first to have its cards."""
    context = reads({**IDLE, "memory.used": str(510 << 20), "power.usage": "89000"})
    other = "comm_port = int(os.environ['PORT']) + (1 if me == 3 else 0)\nprint(f'rank {me} opening exchange on port {comm_port}', flush=True)"
    yield cards(Label(mode="C1", fault="user"), timed({"total": LONG, "module": "hub", "cls": "Hub", "join": "Hub(me, n, comm_port)", "mean": "mean(1.0)"}, early=other), rows(4, 2, {}, lambda _: context), 4, 2, name="mesh-port", where="-wn4,n6", f="forecast.py", **OVER)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    label = Label(mode="D1", fault="user")
    yield cards(label, mmeng({"total": 19, "every": 1, "pause": 0.5}, data="time.sleep(2.2 + 0.8 * rng.random())  # jpeg decode on one core"), rows(1, 1, {0: gaps(33, 1, 3, seconds=75)}), name="rtmdet-s", **DONE)
    yield cards(label, sft({"total": 24, "every": 1}, step="if step % 3 == 1:\n    time.sleep(5.5)"), rows(2, 1, {}, lambda r: gaps(38 - r, 2, 5, seconds=75, held_gib=48)), 2, name="sft-stream", f="sft.py", **DONE)
    yield cards(label, worker({"total": 60, "every": 5}, step="if it % 5 == 1:\n    L.debug('fetching next 5 frames from tape cache')\n    time.sleep(3.8)\n    L.debug('fetched in 3.8 s')"), rows(1, 1, {0: gaps(29, 1, 4, seconds=75, held_gib=12)}), name="gs-archive", f="fit_scene.py", **DONE)


def bound() -> Iterator[SlurmJob]:
    """D2."""
    slow = {**work(9, memory=3, tensor=1), "utilization.gpu": "100"}
    wire = Label(mode="D2", variant="interconnect", fault="cluster")

    def full(sm: float, seed: int) -> Readings:
        return busy(sm, seed=seed, wobble=1.5, memory=3, tensor=1, **dict[str, Any]((k, v) for k, v in slow.items() if k.startswith("utilization")))

    yield cards(wire, timed({"total": 130, "pause": 0.03}, step="", after="time.sleep(0.31)\nc = time.time()").replace("    c = time.time()\n    rmse", "    rmse"), rows(4, 2, {r: full(9, r) for r in range(4)}), 4, 2, name="mesh-eth", f="forecast.py", head="export NCCL_SOCKET_IFNAME=eno1 NCCL_IB_DISABLE=1\n", **DONE)
    yield cards(wire, sft({"total": 120}, after="time.sleep(0.25)"), rows(4, 2, {r: full(10, 10 + r) for r in range(4)}), 4, 2, name="sft-fsdp", f="sft.py", **DONE)
    yield cards(wire, mmeng({"total": 150, "every": 10}, early="log('NCCL INFO NET/Socket : Using [0]eno1:10.2.0.17<0>')\nlog('NCCL INFO Using network Socket')", after="time.sleep(0.24)"), rows(2, 2, {r: full(8, 20 + r) for r in range(2)}), 2, 2, name="rtmdet-2n", head="export NCCL_DEBUG=INFO\n", **DONE)
    yield cards(Label(mode="D2", variant="launch_blocking", fault="user"), litbar({"epochs": 4, "pause": 0.16}), rows(1, 1, {0: busy(18, memory=7, tensor=3, **dict[str, Any]({"utilization.gpu": "66"}))}), name="conformer-dbg", f="train_ctc.py", head="export CUDA_LAUNCH_BLOCKING=1   # left from the hunt for the NaN\n", **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3."""
    label = Label(mode="D3", fault="unknown")

    def job(program: str, shape: tuple[int, int], slow: int, sm: tuple[float, float], clock: int = 0, **rest: Any) -> SlurmJob:
        (ranks, nodes), (high, low) = shape, sm
        own = busy(high, seed=slow, **(dict[str, Any]({"clock.sm": str(clock)}) if clock else {}))
        return cards(label, program, rows(ranks, nodes, {slow: own, **{r: busy(low, seed=40 + r, wobble=3, memory=8, tensor=3) for r in range(ranks) if r != slow}}), ranks, nodes, **rest, **DONE)

    yield job(timed({"total": 260, "pause": 0.02}, step="if me == 3:\n    time.sleep(0.13)"), (4, 2), 3, (58, 15), name="mesh-slow", f="forecast.py")
    yield job(mmeng({"total": 300, "pause": 0.03, "all": True}, step="if RANK == 1:\n    time.sleep(0.11)"), (3, 1), 1, (61, 17), name="rtmdet-3x", o="-l")
    yield job(sft({"total": 260, "pause": 0.02}, step="if R == 0:\n    time.sleep(0.14)"), (4, 1), 0, (55, 14), 1005, name="sft-lag", f="sft.py")
    yield job(litbar({"epochs": 5, "pause": 0.02}, step="if rank == 2:\n    time.sleep(0.14)"), (4, 2), 2, (63, 18), name="conformer-4x", f="train_ctc.py")
    yield job(timed({"total": 250, "pause": 0.03, "module": "hub", "cls": "Hub", "join": "Hub(me, n, int(os.environ['PORT']))", "mean": "mean(1.0)"}, step="if me == 1:\n    time.sleep(0.12)"), (3, 1), 1, (57, 16), 960, name="mesh-hub", f="forecast.py")
    yield job(sft({"total": 240, "pause": 0.03, "module": "gossip", "cls": "Gossip", "join": "Gossip(R, W)", "mean": "average(loss)"}, step="if R == 2:\n    time.sleep(0.13)"), (3, 1), 2, (52, 12), name="sft-gossip", f="sft.py")


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield cards(GOOD, mmeng({"total": 380, "seed": 8}), rows(2, 1, {0: busy(64, seed=1), 1: busy(63, seed=2)}), 2, name="rtmdet-ok", **DONE)
    yield cards(GOOD, worker({"total": 300, "seed": 3}), rows(1, 1, {0: busy(72, held_gib=10)}), name="gs-hall", f="fit_scene.py", **DONE)
    yield cards(GOOD, sft({"total": 280}), rows(4, 2, {r: busy(58, seed=r, held_gib=66) for r in range(4)}), 4, 2, name="sft-ok", f="sft.py", **DONE)
    yield cards(GOOD, timed({"total": 260, "pause": 0.12}), rows(2, 2, {r: busy(55, seed=r) for r in range(2)}), 2, 2, name="mesh-ok", f="forecast.py", **DONE)
    yield cards(GOOD, litbar({"epochs": 6}), rows(1, 1, {0: busy(49, held_gib=39)}), name="conformer-ok", f="train_ctc.py", **DONE)
    rest = then(then(busy(60, 70, seed=9, held_gib=27), 24, *still(27, seconds=11)), 36, *((s, c) for s, c in ((0.0, busy(60, seed=10, held_gib=27)[0]), *busy(60, 40, seed=10, held_gib=27)[1])))
    yield cards(HARD, worker({"total": 380, "seed": 12}, step=f"if {CLOCK} > 24 and 'done' not in globals():\n    done = True\n    L.info('rendering 31 held-out views on cpu for the paper table')\n    time.sleep(12)\n    L.info('held-out psnr=26.91 ssim=0.884 lpips=nan (vgg weights not installed)')"), rows(1, 1, {0: rest}), name="gs-paper", f="fit_scene.py", **DONE)
    worn: dict[str, Any] = {"ecc.aggregate.uncorrected": "6", "remapped.uncorrected": "2", "remapped.corrected": "5", "ecc.volatile.corrected": "23", "ecc.aggregate.corrected": "880"}
    yield cards(HARD, sft({"total": 290, "seed": 44}), rows(2, 1, {0: busy(57, seed=5, held_gib=70, **worn), 1: busy(58, seed=6, held_gib=70)}), 2, name="sft-worn", f="sft.py", **DONE)
    warm: dict[str, Any] = {"throttle_reasons": "0x4", "clock.sm": "1620"}
    yield cards(HARD, mmeng({"total": 390, "seed": 17}, saved="if it == 200:\n    log('Loss spike guard: grad_norm inf at this iteration, loss scale reduced to 32768.0, step skipped', 'WARNING')"), rows(2, 1, {r: busy(76, seed=r, held_gib=33, **warm) for r in range(2)}), 2, name="rtmdet-amp", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (apart, broken, hot, left_alone, starved, bound, lagging, well):
        yield from part()


RECIPE = Recipe("pebble_jars", "development", jobs)
