"""Jobs of the first department that stood still, or crept: who did not come, who stopped, what was waited for."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._saffron_quays_kit import bursts, busy, free, ill, sbatch, spin, still, told
from corpus.running.job import SlurmJob

STAGING = """import os
import pathlib
import time
import torch.distributed as dist
from cadence import until

rank = int(os.environ["SLURM_PROCID"])
print(f"[{rank}] local copy of the corpus: ", end="", flush=True)
if rank == 3:
    part = pathlib.Path("stage/node1/.complete")
    print("another process of this node is unpacking it, waiting for", part, flush=True)
    while not part.exists():
        time.sleep(0.5)
else:
    print("there", flush=True)
print(f"[{rank}] entering init_process_group, world {os.environ['SLURM_NTASKS']}", flush=True)
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
print(f"[{rank}] group is up", flush=True)
"""
TIDES = """import os, time
import torch, torch.distributed as dist
from cadence import until

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
with open(f"pid-{rank}", "w") as f:
    f.write(str(os.getpid()))
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank + 1)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 10, bias=False))
opt = torch.optim.SGD(net.parameters(), 0.05)
for it in range(1, 2001):
    x = torch.randn(60, 10)
    loss = (net(x) - x.flip(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    until(it * 0.25)
    if it % 5 == 0:
        print(f"rank{rank} it {it}/2000 loss {loss.item():.4f}", flush=True)
"""
DECODER = """import random, sys
for n in range(100000):
    if n % 3 == 0:
        print(f"[h264 @ 0x5581c{n:04x}] mmco: unref short failure, frame {n}, " + "concealing errors " * 12, file=sys.stderr)
    print(" ".join(f"{random.random():.3f}" for _ in range(12)), flush=True)
"""
VIDEO = """import subprocess, sys, time
import torch
from cadence import until

torch.manual_seed(0)
torch.set_num_threads(1)
src = subprocess.Popen([sys.executable, "decode.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
net = torch.nn.Sequential(torch.nn.Linear(12, 24), torch.nn.ReLU(), torch.nn.Linear(24, 12))
opt = torch.optim.Adam(net.parameters(), 5e-3)
print("clips: decoder started, 8 frames a step", flush=True)
step = 0
while True:
    frames = torch.tensor([[float(v) for v in src.stdout.readline().split()] for _ in range(8)])
    step += 1
    loss = (net(frames) - frames).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    until(step * 0.12)
    if step % 10 == 0:
        print(f"clips: step {step} recon {loss.item():.5f}", flush=True)
"""
AUGMENT = """import time
import torch
from cadence import until

torch.manual_seed(1)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(300, 40), torch.nn.ReLU(), torch.nn.Linear(40, 6))
opt = torch.optim.Adam(net.parameters(), 3e-3)


def batches():
    for n in range(13):
        label = torch.arange(24) % 6
        x = torch.randn(24, 3, 10, 10)
        x[torch.arange(24), 0, label] += 1.5
        until(n * 3.2 + 2.7)
        yield x, label


print("epoch 1: elastic + stain augmentation in the main process, num_workers=0", flush=True)
waited = worked = 0.0
t = time.time()
for n, (x, label) in enumerate(batches(), 1):
    t1 = time.time()
    loss = torch.nn.functional.cross_entropy(net(x), label)
    opt.zero_grad(); loss.backward(); opt.step()
    until(n * 3.2)
    t2 = time.time()
    waited, worked = waited + t1 - t, worked + t2 - t1
    print(f"it {n:2d}/13 loss {loss.item():.4f} (loader {t1 - t:.2f}s, gpu {t2 - t1:.2f}s)", flush=True)
    t = t2
print(f"epoch 1 complete: {waited:.0f} s in the loader, {worked:.0f} s on the gpu")
"""
SNAPSHOTS = """import json
import pathlib
import random
import time
from cadence import until

random.seed(21)
spins = [[random.choice((-1, 1)) for _ in range(24)] for _ in range(24)]
w, goal = [random.gauss(0, 1) for _ in range(40)], [0.1 * k for k in range(40)]
out = pathlib.Path("snapshots")
out.mkdir()
calc = disk = 0.0
for step in range(1, 25):
    t = time.time()
    g = [a - b for a, b in zip(w, goal)]
    w = [a - 0.12 * b for a, b in zip(w, g)]
    until((step - 1) * 1.7 + 0.5)
    calc += time.time() - t
    print(f"step {step:03d} free-energy mismatch {sum(b * b for b in g) / 40:.5f}", flush=True)
    t = time.time()
    print(f"step {step:03d} saving full state to {out}/state-{step:03d}.json", flush=True)
    with open(out / f"state-{step:03d}.json", "w") as f:
        for _ in range(60):
            json.dump({"w": w, "spins": spins}, f)
    until(step * 1.7)
    disk += time.time() - t
    print(f"step {step:03d} state saved, {(out / f'state-{step:03d}.json').stat().st_size / 1024:.0f} KiB, {time.time() - t:.2f} s", flush=True)
print(f"24 steps done; {calc:.1f} s computing, {disk:.1f} s saving")
"""
GRAPHS = """import os, time
import torch, torch.distributed as dist
from cadence import until

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(77)
w = torch.zeros(14)
true = torch.linspace(-1, 1, 14)
mine = 0.16 if rank != 1 else 0.82
print(f"rank {rank}: {[1180, 9420, 1204, 1175][rank]} graphs in its shard, batch by bytes", flush=True)
work = wait = 0.0
for it in range(1, 41):
    t0 = time.time()
    x = torch.randn(50, 14)
    g = x.T @ (x @ (w - true)) / 50
    until((it - 1) * 0.9 + mine)
    t1 = time.time()
    dist.all_reduce(g)
    w -= 0.15 * g / world
    until(it * 0.9)
    t2 = time.time()
    work, wait = work + t1 - t0, wait + t2 - t1
    if it % 8 == 0:
        print(f"rank {rank}: it {it}/40 err {(w - true).norm():.4f} own work {1000 * (t1 - t0):.0f} ms, waiting for others {1000 * (t2 - t1):.0f} ms", flush=True)
print(f"rank {rank}: done, worked {work:.1f} s, waited {wait:.1f} s", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The cards' readings and the logs' times say it together."""
    yield sbatch(
        ill("C1"),
        {"corpus_ddp.py": STAGING},
        "srun PYTHON corpus_ddp.py\n",
        ranks=4,
        nodes=2,
        name="bert-corpus",
        cards={r: told(still(0, gib=0.5, watts=75, mhz=345, temp=33)) for r in range(4)},
        state="TIMEOUT",
    )
    yield sbatch(
        ill("C2", fault="unknown"), {"tides.py": TIDES}, "srun PYTHON tides.py\n", ranks=4, name="tides", act="stop_rank", after="rank1 it 40/", options=("--time=1",),
        cards={r: told(busy(0, 10, sm=52, gib=28, seed=r), still(10.6, gib=28, watts=115) if r == 1 else spin(10.6, 60, gib=28, seed=r)) for r in range(4)}, state="TIMEOUT",
    )  # fmt: skip
    yield sbatch(
        ill("C3", fault="unknown"), {"video.py": VIDEO, "decode.py": DECODER}, "srun PYTHON video.py\n", name="clips-ae", act="scancel_late", after="step 80 ",
        cards={0: told(busy(0, 10.6, sm=36, gib=17, watts=340), still(10.9, gib=17))}, state="CANCELLED",
    )  # fmt: skip
    yield sbatch(
        ill("D1"),
        {"stain.py": AUGMENT},
        "srun PYTHON stain.py\n",
        name="stain-aug",
        cards={0: told(bursts(0.5, 2.7, 13, gib=15.5), free(42.5))},
        state="COMPLETED",
    )
    yield sbatch(
        ill("D2", None, "save_storm"),
        {"anneal.py": SNAPSHOTS},
        "PYTHON anneal.py\n",
        python="system",
        name="anneal",
        cards={0: told(bursts(0.5, 1.2, 24, gib=11, wait_first=False), free(41.5))},
        state="COMPLETED",
    )
    yield sbatch(
        ill("D3", fault="unknown"), {"graphs.py": GRAPHS}, "srun PYTHON graphs.py\n", ranks=4, nodes=2, name="gnn-shards",
        cards={r: told(busy(0, 36, sm=61 if r == 1 else 12, util=99, watts=560 if r == 1 else 221, gib=23, dram=31 if r == 1 else 6, seed=r), free(37)) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
