"""Jobs whose cards were held back, waited, or did nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import beats, ill, left, level, off, on, post
from corpus.running.job import SlurmJob

WARM = r"""import math
import random
import time

import comms

comms.connect()
comms.start()
for step in range(1, 57):
    pause = 0.3 if step <= 28 else 0.85
    began = time.perf_counter()
    time.sleep(pause)
    loss = comms.all_reduce(2.1 + 3 * math.exp(-step / 17) + random.gauss(0, 0.02)) / comms.WORLD
    took = time.perf_counter() - began
    if step % 4 == 0 and comms.RANK == 0:
        print(f"step {step:>3}/56 | loss {loss:.4f} | {took:.3f} s/it | {131072 / took / 1e3:.1f}k tok/s", flush=True)
if comms.RANK == 0:
    print("finished 56 steps", flush=True)
"""
BRAKED = r"""import logging
import math
import os
import random
import time

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(name)s | %(message)s")
log = logging.getLogger("bevdet")
time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
for it in range(1, 49):
    dt = 0.32 if it <= 24 else 1.05
    time.sleep(dt)
    if it % 3 == 0:
        log.info("iter %d/48 loss_heatmap=%.3f loss_bbox=%.3f fps=%.1f", it, 0.9 + 2 * math.exp(-it / 15), 0.4 + math.exp(-it / 12) + random.gauss(0, 0.01), 8 / dt)
log.info("iter 48/48 reached, checkpoint bevdet_48.pth")
"""
ALONE = r"""import datetime
import os
import time

import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
port = int(os.environ["MASTER_PORT"]) + int(os.environ["SLURM_NODEID"])
print(f"[{time.strftime('%T')}] {os.environ['SLURMD_NODENAME']} rank={rank} world={world} tcp://127.0.0.1:{port} joining process group", flush=True)
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world, timeout=datetime.timedelta(minutes=90))
print(f"[{time.strftime('%T')}] rank={rank} joined", flush=True)
"""
LOCKED = r"""import math
import os
import queue
import random
import threading
import time

time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
pages = queue.Queue(2)


def prefetch():
    for n in range(34):
        pages.put(n)
    threading.Event().wait()


threading.Thread(target=prefetch, daemon=True).start()
step = 0
while True:
    pages.get()
    step += 1
    time.sleep(0.4)
    if step % 3 == 0:
        print(f"[ocr] {step:>6} cer={0.08 + 0.8 * math.exp(-step / 12) + random.gauss(0, 0.004):.4f} loss={0.3 + 2 * math.exp(-step / 11):.4f}", flush=True)
"""
READERS = r"""import math
import random
import time

import comms

comms.connect()
comms.start()
for step in range(1, 17):
    t = time.perf_counter()
    time.sleep(2.0 + random.random() / 4)
    comms.all_reduce(0.0)
    data = time.perf_counter() - t
    time.sleep(0.35)
    loss = comms.all_reduce(0.9 + 1.6 * math.exp(-step / 6) + random.gauss(0, 0.02)) / comms.WORLD
    if comms.RANK == 0:
        print(f"step={step:02d}/16 loss={loss:.4f} time/data_wait={data:.2f} time/fwd_bwd=0.35 queue_depth=0", flush=True)
if comms.RANK == 0:
    print("epoch done: 16 steps, 86 % of wall time in next(loader) (webdataset over s3, 2 workers)", flush=True)
"""
KEEPER = r"""import math
import pathlib
import random
import time

import comms

comms.connect()
comms.start()
spent = {"train": 0.0, "save": 0.0}
for step in range(1, 23):
    t = time.time()
    time.sleep(0.4)
    loss = comms.all_reduce(1.7 + 2.2 * math.exp(-step / 8) + random.gauss(0, 0.02)) / comms.WORLD
    spent["train"] += time.time() - t
    t = time.time()
    if comms.RANK == 0:
        print(f"{time.strftime('%H:%M:%S')} step {step}/22 loss {loss:.4f}; saving ckpt/step_{step:04d} ...", flush=True)
        pathlib.Path(f"ckpt_step_{step:04d}.bin").write_bytes(b"\0" * 4096)
    time.sleep(0.9)
    comms.all_reduce(0.0)
    spent["save"] += time.time() - t
    if comms.RANK == 0:
        print(f"{time.strftime('%H:%M:%S')} saved ckpt/step_{step:04d} (14.2 GB) in {time.time() - t:.1f} s", flush=True)
if comms.RANK == 0:
    print(f"done, {spent['train']:.1f} s in steps and {spent['save']:.1f} s in checkpoints", flush=True)
"""
CLOCK = r"""import math
import os
import random
import time

import comms

comms.connect()
comms.start()
for step in range(1, 37):
    t = time.perf_counter()
    time.sleep(0.8 if comms.RANK == 6 else 0.22 + random.random() / 50)
    mine = time.perf_counter() - t
    loss = comms.all_reduce(0.45 + 1.5 * math.exp(-step / 13) + random.gauss(0, 0.01)) / comms.WORLD
    whole = time.perf_counter() - t
    if step % 6 == 0:
        print(f"{os.environ['SLURMD_NODENAME']}/{comms.RANK}: it={step} loss={loss:.4f} fwdbwd_ms={1e3 * mine:.0f} sync_ms={1e3 * (whole - mine):.0f}", flush=True)
if comms.RANK == 0:
    print("36 iterations complete", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Clocks, gaps and silence."""
    hot = [
        (
            9.0 + s,
            on(
                *(57 + s % 3, 40), watts=248 + s % 9, mhz=max(1755 - 380 * (s + 1), 585), temp=min(84 + s, 94), why="0x48",
                also={"slowdown.hw_thermal": str(int(s * 960e6)), "violation.thermal": f"{1000000 + s * 1000000} {int(s * 960e6)}"},
            ),
        )
        for s in range(24)
    ]  # fmt: skip
    yield post(
        ill("B3", None, fault="node"), "warm_lm.py", WARM, ranks=2, name="lm-410m", cards={r: [*level(59 + r, 40, 0, 9, temp=78), *hot, *left(34)] for r in range(2)}, state="COMPLETED",
    )  # fmt: skip
    brake = [
        (
            8.0 + s,
            on(
                *(54 + s % 4, 31), watts=205 + s % 7, mhz=max(1755 - 450 * (s + 1), 420), temp=59, why="0x88",
                also={"slowdown.hw_power_brake": str(int(s * 980e6)), "violation.power": f"{1000000 + s * 1000000} {int(s * 980e6)}"},
            ),
        )
        for s in range(26)
    ]  # fmt: skip
    yield post(
        ill("B3", None, fault="node"), "bevdet.py", BRAKED, name="bevdet", cards={0: [*level(60, 31, 0, 8), *brake, *left(35)]}, state="COMPLETED"
    )
    yield post(
        ill("C1", None), "join.py", ALONE, ranks=4, nodes=2, python="torch", options=("--time=1",), state="TIMEOUT"
    )  # each node takes a port of its own
    yield post(
        ill("C3", None, fault="unknown"), "ocr.py", LOCKED, name="ocr", act="scancel_late", after=r"\[ocr\]     33", cards={0: [*level(51, 17, 0, 14, watts=360), (14.0, off(17, watts=112)), *left(110)]}, state="CANCELLED",
    )  # fmt: skip
    thirst = [*beats(off(24, watts=121), on(52, 24, watts=400), 2.1, 0.4, 16), *left(41)]
    yield post(ill("D1", None), "wds_clip.py", READERS, ranks=4, nodes=4, name="clip", cards=dict.fromkeys(range(4), thirst), state="COMPLETED")
    store = [*beats(on(55, 62, watts=510), off(62, watts=124), 0.42, 0.9, 22), *left(31)]
    yield post(
        ill("D2", None, "save_storm"), "cpt.py", KEEPER, ranks=2, nodes=2, name="cpt-13b", cards=dict.fromkeys(range(2), store), state="COMPLETED"
    )
    waits = [(float(s), on(13 + s % 3, 36, util=100, watts=236 + s % 8, temp=50, dram=8, tensor=5)) for s in range(29)]
    lame = [(float(s), on(64 + s % 4, 36, watts=243 + s % 6, mhz=810, temp=58, why="0x2")) for s in range(29)]
    yield post(
        ill("D3", None, fault="unknown"), "ssl_vit.py", CLOCK, ranks=8, nodes=4, name="dino", cards={r: [*(lame if r == 6 else waits), *left(31)] for r in range(8)}, state="COMPLETED",
    )  # fmt: skip
