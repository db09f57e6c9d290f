"""Jobs that waited, crawled, learnt nothing, were stopped from outside, or lost their node."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._copse_kit import DOOR, busy, ill, steady, still, submit, told, works
from corpus.make._copse_long import AGAIN, CHANGED, EVICTED, FROZEN, GROWN, HEATS, HOURS, POISSON, RNN, SHORT, STEPLIMIT, WIDE
from corpus.running.job import SlurmJob

APART = """import os
import socket
import time

import torch.distributed as dist
import torch

me, all_ = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
print(f"{time.strftime('%H:%M:%S')} [{me}/{all_}] host={os.environ['SLURMD_NODENAME']} init_method=env:// port={os.environ['MASTER_PORT']}", flush=True)
dist.init_process_group("gloo", init_method="env://", rank=me, world_size=all_)
print(f"{time.strftime('%H:%M:%S')} [{me}/{all_}] process group ready", flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
for i in range(1000):
    net(torch.randn(2, 4)).sum().backward()
    print("iter", i, flush=True)
"""
LOCKED = """import logging
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s - rank {rank} - %(message)s")
lock = Path("hub/tokenizer.lock")
if rank == 0:
    logging.info("building the tokenizer cache")
    while lock.exists():
        time.sleep(0.5)
    lock.touch()
logging.info("joining the process group of %s", os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
logging.info("joined")
opt = torch.optim.SGD(torch.nn.Linear(3, 3).parameters(), 0.1)
for step in range(100):
    logging.info("step %d", step)
"""
BRANCH = """import os
import sys
import time

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(100)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(18, 36), torch.nn.ReLU(), torch.nn.Linear(36, 3)))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
w = torch.randn(18, 3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))


def validate():
    with open(f"val/part-{rank}.txt") as f:
        good = torch.full((1,), float(f.read()))
    x = torch.randn(200, 18)
    good += (net.module(x).argmax(1) == (x @ w).argmax(1)).float().mean()
    dist.all_reduce(good)
    return good.item() / world


for step in range(1, 1001):
    x = torch.randn(48, 18)
    loss = torch.nn.functional.cross_entropy(net(x), (x @ w).argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.2)
    if step % 10 == 0:
        print(f"rank{rank}: step {step} loss {loss.item():.4f}", flush=True)
    if step % 60 == 0:
        print(f"rank{rank}: validating at step {step}", flush=True)
        print(f"rank{rank}: val_acc {validate():.4f}", flush=True)
"""
THREAD = """import os
import threading
import time

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
LANGS = {"de": 0, "fr": 1, "cs": 2}


def learner():
    torch.manual_seed(rank)
    w = torch.zeros(3, 8)
    for step in range(1, 100000):
        lang = ("de", "fr", "cs", "de")[step % 4] if (step, rank) != (130, 1) else "uk"
        x = torch.randn(16, 8)
        grad = (w[LANGS[lang]] - 0.5) / 4 + 0.01 * x.mean(0)
        dist.all_reduce(grad)
        w[LANGS[lang]] -= 0.2 * grad / world
        time.sleep(0.1)
        if step % 10 == 0:
            print(f"[learner {rank}] step {step} gap {(w - 0.5).abs().mean():.5f} lang {lang}", flush=True)


def beat():
    while True:
        time.sleep(5)


threading.Thread(target=learner, name="learner", daemon=True).start()
beat()
"""
POOL = """import os
import threading
import time

import numpy as np

time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
rng = np.random.default_rng(5)
filled, empty = threading.Semaphore(0), threading.Semaphore(2)
slot = []


def decode():
    for n in range(100000):
        empty.acquire()
        if n == 61:
            threading.Event().wait()
        slot.append(rng.normal(size=(64, 20)))
        filled.release()


threading.Thread(target=decode, daemon=True).start()
w, target = np.zeros(20), np.linspace(-1, 1, 20)
for step in range(1, 100000):
    filled.acquire()
    x = slot.pop(0)
    empty.release()
    r = x @ (w - target)
    w -= 0.05 * x.T @ r / 64
    time.sleep(0.2)
    if step % 5 == 0:
        print(f"clip-batch {step:>6d}  loss {float((r ** 2).mean()):.5f}", flush=True)
"""
READS = """import os
import time
import numpy as np

time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
rng = np.random.default_rng(1)
w, truth = np.zeros((16, 4)), rng.normal(size=(16, 4))


def read_shard(n):
    time.sleep(3.1)
    return rng.normal(size=(256, 16))


print("reading shards from s3://lab-archive/volumes (no local cache)")
for n in range(1, 11):
    t = time.time()
    x = read_shard(n)
    waited = time.time() - t
    t = time.time()
    for _ in range(8):
        err = x @ (w - truth)
        w -= 0.08 * x.T @ err / 256
        time.sleep(0.1)
    print(f"shard {n}/10 loss={float((err ** 2).mean()):.4f} read={waited:.2f}s train={time.time() - t:.2f}s", flush=True)
print("done, 10 shards")
"""
SAVES = """import os
import time
import torch

torch.manual_seed(2)
gen = torch.nn.Sequential(torch.nn.Linear(200, 300), torch.nn.LeakyReLU(0.2), torch.nn.Linear(300, 200))
opt = torch.optim.Adam(gen.parameters(), 2e-3)
os.makedirs("snapshots", exist_ok=True)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
t0 = time.time()
for step in range(1, 31):
    x = torch.randn(24, 200)
    loss = (gen(x) - x.flip(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.25)
    print(f"{time.time() - t0:7.2f}s step {step}/30 loss {loss.item():.4f}", flush=True)
    torch.save({"g": gen.state_dict(), "o": opt.state_dict(), "step": step}, f"snapshots/{step:06d}.pt")
    time.sleep(0.85)
    print(f"{time.time() - t0:7.2f}s checkpoint saved: snapshots/{step:06d}.pt", flush=True)
print("finished 30/30")
"""
WIRES = """import os
import time
import numpy as np
import socket
import struct

rank, world, port = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"]), int(os.environ["MASTER_PORT"])
if rank == 0:
    door = socket.create_server(("127.0.0.1", port))
    peers = [door.accept()[0] for _ in range(world - 1)]
else:
    while True:
        try:
            hub = socket.create_connection(("127.0.0.1", port)); break
        except OSError:
            time.sleep(0.2)


def total(v):
    if rank == 0:
        for p in peers:
            v += struct.unpack("d", p.recv(8))[0]
        for p in peers:
            p.sendall(struct.pack("d", v))
        return v
    hub.sendall(struct.pack("d", v))
    return struct.unpack("d", hub.recv(8))[0]


time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
rng = np.random.default_rng(rank)
theta = 4.0
for step in range(1, 33):
    a = time.perf_counter()
    x = rng.normal(1.0, 0.2, 200)
    g = float((theta - x).mean())
    time.sleep(0.07)
    b = time.perf_counter()
    for bucket in range(12):
        mean = total(g) / world
        time.sleep(0.055)
    c = time.perf_counter()
    theta -= 0.1 * mean
    if step % 4 == 0:
        print(f"rank {rank} | step {step}/32 | loss {mean * mean:.5f} | compute {1000 * (b - a):.0f} ms | allreduce {1000 * (c - b):.0f} ms | NET/Socket", flush=True)
print(f"rank {rank} | finished", flush=True)
"""
UNEVEN = """import os
import time
import torch
import torch.distributed as dist

r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
where = os.environ["SLURMD_NODENAME"]
dist.init_process_group("gloo", rank=r, world_size=n)
torch.manual_seed(0)
kernel = torch.nn.Parameter(torch.zeros(1, 1, 5))
opt = torch.optim.SGD([kernel], 0.04)
goal = torch.tensor([[[0.1, -0.4, 1.0, -0.4, 0.1]]])
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for step in range(1, 37):
    a = time.perf_counter()
    x = torch.randn(8, 1, 64)
    loss = (torch.nn.functional.conv1d(x, kernel) - torch.nn.functional.conv1d(x, goal)).square().mean()
    opt.zero_grad(); loss.backward()
    time.sleep(0.2 if r != 1 else 0.8)
    b = time.perf_counter()
    dist.all_reduce(kernel.grad)
    kernel.grad /= n
    opt.step()
    if step % 6 == 0:
        print(f"{where}/{r} step={step:02d}/36 loss={loss.item():.5f} fwd_bwd={b - a:.3f}s wait={time.perf_counter() - b:.3f}s", flush=True)
if r == 0:
    print("36 steps done")
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves, nodes, and who stopped it."""
    yield submit(
        ill("C1"), "ddp.py", APART, "export MASTER_ADDR=127.0.0.1\nsrun bash -c 'MASTER_PORT=$((19000 + SLURM_PROCID * 500 + SLURM_JOB_ID % 400)) exec PYTHON ddp.py'\n", ranks=2, nodes=2, options=("--time=1",), state="TIMEOUT",
    )  # each rank has a port of its own  # fmt: skip
    yield submit(
        ill("C1", fault="unknown"), "mlm.py", LOCKED, "mkdir -p hub && touch -d '3 hours ago' hub/tokenizer.lock\n" + DOOR + "srun PYTHON mlm.py\n", ranks=4, nodes=2, act="scancel_late", after="rank 3 - joining", state="CANCELLED",
    )  # fmt: skip
    spin = busy(0.6, 0, util=100, watts=148, gib=38.5, dram=1, tensor=0)
    yield submit(
        ill("C2", fault="unknown"), "val.py", BRANCH, DOOR + "mkdir -p val\nfor r in 0 1 2; do echo 0 > val/part-$r.txt; done\nmkfifo val/part-3.txt\nsrun PYTHON val.py\n", ranks=4, options=("--time=2",), state="TIMEOUT",
        cards={
            **{r: told(*works(51, 0, 12), *((12.5 + s, {**spin, "power.usage": str(146000 + s * 311 % 4000)}) for s in range(0, 120, 6))) for r in range(3)},
            3: told(*works(51, 0, 12), (12.5, still(38.5, watts=117, mhz=1980, temp=45))),
        },
    )  # one of the four opens a pipe that nobody writes to  # fmt: skip
    yield submit(ill("C2", "traceback", first=(1,), trigger="A3"), "mt.py", THREAD, DOOR + "srun PYTHON mt.py\n", ranks=3, act="scancel_late", after="KeyError", state="CANCELLED")
    yield submit(
        ill("C3"), "clips.py", POOL, "srun PYTHON clips.py\n", options=("--time=2",), state="TIMEOUT",
        cards={0: told(*works(44, 0, 12, gib=21.3, watts=390), (12.3, still(21.3, watts=116, mhz=1980, temp=44)))},
    )  # fmt: skip
    reading = [x for n in range(10) for x in ((n * 3.95, still(9.7, watts=113, mhz=1980, temp=40)), (n * 3.95 + 3.1, busy(58, n, gib=9.7, watts=420)))]
    yield submit(ill("D1"), "volumes.py", READS, "srun PYTHON volumes.py\n", cards={0: told(*reading, (39.6, still()))})
    saving = [x for n in range(30) for x in ((n * 1.12, busy(49, n, gib=14, watts=380)), (n * 1.12 + 0.27, still(14, watts=119, mhz=1980, temp=43)))]
    yield submit(ill("D2", None, "save_storm"), "gan.py", SAVES, "PYTHON gan.py\n", cards={0: told(*saving, (34.0, still()))})
    slow_net = [(float(s), busy(5 + s % 2, s, util=99 + s % 2, watts=164, dram=3, tensor=1, gib=47)) for s in range(24)]
    yield submit(ill("D2", None, "interconnect", fault="cluster"), "fsdp.py", WIRES, DOOR + "srun PYTHON fsdp.py\n", ranks=4, nodes=2, cards={r: told(*slow_net, (24.5, still())) for r in range(4)})
    waits = {r: told(*works(14, 0, 30, util=100, watts=228), (30.5, still())) for r in (0, 2, 3)}
    yield submit(ill("D3", fault="unknown"), "deconv.py", UNEVEN, DOOR + "srun PYTHON deconv.py\n", ranks=4, nodes=2, cards={**waits, 1: told(*works(56, 0, 30, watts=430, mhz=990, temp=71), (30.5, still()))})
    hot = [
        (8.0 + s, {**busy(48, s, util=99, watts=255, mhz=max(1755 - 240 * (s + 1), 510), temp=min(84 + s, 94)), "throttle_reasons": "0x68", "memory.temperature": "102",
                   "violation.thermal": f"{1000000 + s * 1000000} {s * 940_000_000}", "slowdown.hw_thermal": str(s * 940_000)}) for s in range(28)
    ]  # fmt: skip
    yield submit(ill("B3", fault="node"), "ridge.py", HEATS, "srun PYTHON ridge.py\n", cards={0: told(*works(62, 0, 8, watts=640, temp=79), *hot, (36.5, still()))})
    yield submit(ill("E1", "nan_loss", "non_finite"), "rnn.py", RNN, "srun PYTHON rnn.py\n")
    yield submit(ill("E1"), "sft.py", FROZEN, "srun PYTHON sft.py\n")
    yield submit(ill("F3", None, "advancing"), "flow.py", WIDE.replace("EXT", "pt"), "srun PYTHON flow.py\n", key="flow", options=("--time=1", "--job-name=flow16"), state="TIMEOUT")
    yield submit(
        ill("E2", None, "from_scratch"), "flow.py", WIDE.replace("EXT", "pt"), 'srun PYTHON flow.py "$@"\n', parent="flow", args=("--resume", "../flow_runs", "--steps", "300"), options=("--job-name=flow16",),
    )  # it looks for files with another ending than it writes  # fmt: skip
    yield submit(ill("E2", "runtime_error", "size_mismatch", first=(0,), failed=(0,)), "tagger.py", GROWN, "srun PYTHON tagger.py --resume-from tagger-12000.pt\n", state="FAILED")
    yield submit(ill("E3"), "sr.py", SHORT, "srun PYTHON sr.py\n")
    yield submit(ill("F1", fault="node"), "pinn.py", POISSON, DOOR + "srun PYTHON pinn.py\n", ranks=2, nodes=2, where="-wn2,n4", options=("--no-requeue",), act="lose_node", after="epoch 60/", state="NODE_FAIL")
    yield submit(ill("F2", None, "preempted", fault="none"), "mf.py", EVICTED, "srun PYTHON mf.py\n", where="-wn5", options=("--no-requeue",), act="preempt_for_good", after="batch 75/", state="PREEMPTED")
    yield submit(ill("F2", None, "requeued_recovered", fault="none"), "lstm.py", AGAIN, "srun PYTHON lstm.py\n", options=("--requeue", "--open-mode=append"), act="requeue", after="step 80/240")
    yield submit(ill("F3", None, "advancing"), "a2c.py", HOURS, "srun PYTHON a2c.py\n", options=("--time=1",), cards={0: steady(37, 90, watts=330, gib=6.2)}, state="TIMEOUT")
    yield submit(ill("F3", None, "advancing"), "sweeps.py", STEPLIMIT, "srun --time=1 PYTHON sweeps.py\n", python="system", options=("--time=10",), state="")  # the step's limit, not the job's
    yield submit(ill("F4", None, "by_owner", fault="none"), "fasttext.py", CHANGED, "srun PYTHON fasttext.py\n", act="scancel", after="600/10000", state="CANCELLED")
