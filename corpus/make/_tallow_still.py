"""Runs that stand still: at the meeting, in a collective, alone before an idle card."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, rest, work
from corpus.make._tallow_kit import put
from corpus.running.job import SlurmJob

PREP = """import time
time.sleep(1)
print("prepare: 412 volumes resampled to 1mm, 0 skipped")
"""
ABSENT = """import sys
from lab import *

print(f"{time.strftime('%X')} rank {rank}/{world} host {host} starting", flush=True)
if rank == 2:
    with open("/scratch/fold2/labels.csv") as f:
        labels = f.read()
print(f"{time.strftime('%X')} rank {rank} labels ready, init_process_group(gloo, env://)", flush=True)
join()
print(f"{time.strftime('%X')} rank {rank} group is up", flush=True)
fit = Fit(1, shared=True)
while True:
    fit.step()
"""
EIGHT = """import logging
from lab import *

logging.basicConfig(level=logging.INFO, format="[%(asctime)s][%(levelname)s] %(message)s")
expected = int(os.environ["WORLD_SIZE"])
logging.info("initializing distributed backend, rank %d of %d, master %s:%s", rank, expected, os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
dist.init_process_group("gloo", rank=rank, world_size=expected)
logging.info("distributed backend ready")
fit = Fit(2, shared=True)
for step in range(1000):
    fit.step()
"""
LOCKED = """from lab import *

lock = "cache/.tokenized.lock"
print(f"[r{rank}] tokenizing wmt24 with 1 process per node", flush=True)
if rank == 1:
    t = time.time()
    while os.path.exists(lock):
        time.sleep(5)
        print(f"[r{rank}] cache is locked by another process ({lock}), waiting, {time.time() - t:.0f}s", flush=True)
print(f"[r{rank}] dataset ready, connecting to {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
join()
print(f"[r{rank}] connected", flush=True)
fit = Fit(3, shared=True)
for n in range(1000):
    fit.step()
"""
EXCHANGE = """import pathlib
from lab import *

with open(f"pid-{rank}", "w") as f:
    f.write(str(os.getpid()))
box = pathlib.Path("exchange")
box.mkdir(exist_ok=True)
fit = Fit(4, classes=12)
go()
for rnd in range(1, 2000):
    for _ in range(8):
        loss = fit.step(48, 0.08)
    torch.save(fit.bare.state_dict(), box / f"w{rank}.tmp")
    os.rename(box / f"w{rank}.tmp", box / f"r{rnd:05d}-w{rank}.pt")
    while not all((box / f"r{rnd:05d}-w{k}.pt").exists() for k in range(world)):
        time.sleep(0.05)
    if rnd % 2 == 0:
        print(f"[worker {rank}] averaging round {rnd}: loss {loss:.4f}, {world} of {world} weights in", flush=True)
"""
UNEVEN = """from datetime import timedelta
from lab import *

join()
board = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]) + 1, world, rank == 0, timedelta(days=1))
fit = Fit(5, classes=80, shared=True)
batches = (132, 132, 118, 132)[rank]
print(f"rank {rank}: {batches * 64} samples in my shard, {batches} batches per epoch", flush=True)
for epoch in range(1, 6):
    for b in range(1, batches + 1):
        loss = fit.step(64, 0.12)
        if b % 11 == 0:
            print(f"rank {rank} ep {epoch} batch {b}/{batches} loss {loss:.4f}", flush=True)
    print(f"rank {rank} epoch {epoch} finished, waiting for the others before validation", flush=True)
    board.set(f"e{epoch}r{rank}", "ok")
    board.wait([f"e{epoch}r{k}" for k in range(world)], timedelta(days=1))
"""
FROZEN = """from lab import *

with open(f"pid-{rank}", "w") as f:
    f.write(str(os.getpid()))
join()
fit = Fit(6, classes=50, shared=True)
for it in range(1, 5000):
    loss = fit.step(64, 0.14)
    if it % 10 == 0:
        print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} rank={rank} iteration={it} lm-loss={loss:.4E} grad-norm={fit.grad:.3f}", flush=True)
"""
DEADFS = """import threading
from lab import *

join()
fit = Fit(7, classes=33, shared=True)
r, w = os.pipe()
for step in range(1, 5000):
    if rank == 3 and step == 71:
        os.read(r, 1)
    loss = fit.step(64, 0.16)
    if step % 7 == 0:
        print(f"node={host} rank={rank} global_step={step} loss={loss:.4f} samples/s={64 / 0.17:.0f}", flush=True)
"""
WORKERS = """import multiprocessing as mp, threading
from lab import *

fit = Fit(8, classes=10)
guard = threading.Lock()
go()
print("Epoch 1/40 - dataset PatchCamelyon, 8 loader workers", flush=True)
n = 0
for epoch in range(1, 41):
    for b in range(1, 19):
        n += 1
        loss = fit.step(64, 0.16)
        if n == 62:
            guard.acquire()
            with guard:
                pass
        if b % 6 == 0:
            print(f"{b}/18 - {time.strftime('%X')} - loss: {loss:.4f} - accuracy: {fit.acc:.4f}", flush=True)
"""
TRACKER = """import socket
from lab import *

server = socket.create_server(("127.0.0.1", 0))
line = socket.create_connection(server.getsockname())
fit = Fit(9, classes=64)
go()
for step in range(1, 3000):
    loss = fit.step(64, 0.2)
    if step % 5 == 0:
        print(f"step: {step} | train/loss: {loss:.4f} | train/lr: 1.0e-04 | gpu_mem: 23.9", flush=True)
    if step == 55:
        print(f"step: {step} | logging 64 audio samples to the tracker", flush=True)
        line.recv(4)
"""


def jobs() -> Iterator[SlurmJob]:
    """Three at the start, four in the middle, two alone."""
    yield put(bad("C1", "file_not_found", first=(2,), trigger="A1"), MEET + "srun -n1 PYTHON prep.py\nsrun PYTHON unet3d.py\n", {"unet3d.py": ABSENT, "prep.py": PREP}, name="unet3d", ranks=4, nodes=2, options=("--time=1",), state="TIMEOUT")
    yield put(bad("C1", None), MEET + "export WORLD_SIZE=8\nsrun PYTHON dinov2.py\n", {"dinov2.py": EIGHT}, name="dinov2", ranks=4, nodes=2, act="scancel_late", after="initializing distributed", state="CANCELLED")
    idle = card((2.0, rest(0.5, watts=72)))
    yield put(
        bad("C1", None), MEET + "mkdir -p cache; touch cache/.tokenized.lock\nsrun PYTHON mt.py\n", {"mt.py": LOCKED}, name="wmt-big", ranks=2,
        gpus=dict.fromkeys(range(2), idle), options=("--time=1",), state="TIMEOUT",
    )  # fmt: skip
    yield put(bad("C2", None, fault="unknown", first=(1,), trigger="A2"), "srun PYTHON localsgd.py\n", {"localsgd.py": EXCHANGE}, name="local-sgd", ranks=3, act="kill_rank", after="averaging round 16:", options=("--time=1",), state="TIMEOUT")
    yield put(bad("C2", None), MEET + "srun PYTHON cls.py\n", {"cls.py": UNEVEN}, name="birds-cls", ranks=4, act="scancel_late", after="rank 2 epoch 1 finished", state="CANCELLED")
    spin = work(1, util=100, watts=131, dram=0, tensor=0, gib=44, mhz=1980, temp=45)
    yield put(bad("C2", None, fault="unknown"), MEET + "srun PYTHON megatron.py\n", {"megatron.py": FROZEN}, name="megatron-125m", ranks=3, act="stop_rank", after="iteration=110", options=("--time=1",), state="TIMEOUT")
    yield put(
        bad("C2", None, fault="unknown"), MEET + "srun PYTHON unicorn.py\n", {"unicorn.py": DEADFS}, name="unicorn", ranks=4, nodes=2, options=("--time=1",),
        gpus={r: card(*((float(s), work(53 + (r + s) % 3, gib=44)) for s in range(12)), (12.4, spin if r != 3 else rest(44, watts=118, mhz=1980, temp=42))) for r in range(4)}, state="TIMEOUT",
    )  # fmt: skip
    yield put(
        bad("C3", None, fault="unknown"), "srun PYTHON pcam.py\n", {"pcam.py": WORKERS}, name="pcam-r34", act="scancel_late", after=r"(?s)(?:accuracy.*?){10}", options=("--time=3",),
        gpus={0: card(*((float(s), work(41 + s % 3, gib=21, watts=402)) for s in range(10)), (10.3, rest(21, watts=119, mhz=1980, temp=44)))}, state="CANCELLED",
    )  # fmt: skip
    yield put(
        bad("C3", None, fault="unknown"), "srun PYTHON vocoder.py\n", {"vocoder.py": TRACKER}, name="hifigan", options=("--time=1",),
        gpus={0: card(*((float(s), work(59 + s % 4, gib=24)) for s in range(11)), (11.6, rest(24, watts=121, mhz=1980, temp=46)))}, state="TIMEOUT",
    )  # fmt: skip
