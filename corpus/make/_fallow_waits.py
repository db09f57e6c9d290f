"""Programs of jobs that wait."""

from __future__ import annotations

HELLO = """import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
print(f"rank {dist.get_rank()} of {dist.get_world_size()} ready", flush=True)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(6, 6))
for step in range(500):
    net(torch.randn(3, 6)).square().mean().backward()
    time.sleep(0.1)
    print("step", step, flush=True)
"""
HALTED = """import os
import time

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
name = f"{os.environ['SLURMD_NODENAME']}.{rank}"
open(f"pid-{rank}", "w").write(str(os.getpid()))
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank)
w = torch.zeros(40)
goal = torch.sin(torch.arange(40.0))
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for k in range(1, 100000):
    g = (w - goal) + 0.05 * torch.randn(40)
    dist.all_reduce(g)
    w -= 0.05 * g / world
    time.sleep(0.19)
    if k % 10 == 0:
        print(f"{name}\\t{k}\\t{(w - goal).norm().item():.5f}", flush=True)
"""
FOLDERS = """#!/usr/bin/env python3
import os
import random
import sys
import time
from pathlib import Path

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
sync = Path("sync")
sync.mkdir(exist_ok=True)


def average(step, value):
    part = sync / f"{step}.{rank}"
    draft = sync / f"draft-{rank}"
    draft.write_text(repr(value))
    draft.rename(part)
    parts = [sync / f"{step}.{r}" for r in range(world)]
    while not all(p.exists() for p in parts):
        time.sleep(0.05)
    return sum(float(p.read_text()) for p in parts) / world


random.seed(rank)
theta = 3.0
for step in range(1, 2001):
    if step % 50 == 1:
        lines = open(f"corpus/part{step // 50}.txt").read().split() if rank == 2 else ["0.5"] * 40
    g = average(step, theta - float(random.choice(lines)) + random.gauss(0, 0.1))
    theta -= 0.05 * g
    time.sleep(0.1)
    if step % 10 == 0:
        print(f"worker {rank}: step {step}, theta {theta:.4f}, loss {g * g:.5f}", flush=True)
"""
WEIGHTS = """import os
import socket
import time
import torch

print("loading checkpoint shards: 1/3", flush=True)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
print("loading checkpoint shards: 2/3", flush=True)
time.sleep(3)
print("loading checkpoint shards: 3/3", flush=True)
time.sleep(2)
print("model on device, 13.4 GiB; asking the data service for the first batch", flush=True)
door = socket.create_server(("127.0.0.1", 0))
feed = socket.create_connection(door.getsockname())
torch.manual_seed(0)
net = torch.nn.Linear(10, 10)
while True:
    rows = feed.recv(4000)
    print("batch of", len(rows), "bytes", flush=True)
"""
POOL = """import multiprocessing as mp
import os
import time
import numpy as np

lock = mp.get_context("fork").Lock()


def score(k):
    with lock:
        return k * 2


if __name__ == "__main__":
    time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
    rng = np.random.default_rng(2)
    w, goal = np.zeros(15), rng.normal(size=15)
    for epoch in range(1, 10):
        for _ in range(10):
            x = rng.normal(size=(50, 15))
            e = x @ (w - goal)
            w -= 0.05 * x.T @ e / 50
            time.sleep(0.2)
        print(f"epoch {epoch} train loss {float((e ** 2).mean()):.5f}", flush=True)
        if epoch == 5:
            print("computing FID with 2 workers", flush=True)
            with lock:
                with mp.get_context("fork").Pool(2) as pool:
                    print("FID", sum(pool.map(score, range(8))), flush=True)
"""
LOADER = """import os
import time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(6)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(48, 6))
opt = torch.optim.SGD(net.parameters(), 0.1)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
end = time.time()
for i in range(1, 13):
    time.sleep(2.6)
    y = torch.arange(60) % 6
    x = torch.randn(60, 48) + torch.nn.functional.one_hot(y, 48)
    data = time.time() - end
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.5)
    if rank == 0:
        print(f"Train: [{i:2d}/12] Time {time.time() - end:.3f}s Data {data:.3f}s Loss {loss.item():.4f} LR 0.1", flush=True)
    end = time.time()
if rank == 0:
    print("Train: finished", flush=True)
"""
AUGMENT = """import json
import os
import time
import numpy as np

time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
rng = np.random.default_rng(9)
w, goal = np.zeros(12), rng.normal(size=12)
print(json.dumps({"msg": "config", "num_workers": 0, "augment": "elastic3d", "batch": 4}), flush=True)
for it in range(1, 15):
    a = time.time()
    time.sleep(1.9 + 0.2 * (it % 3))
    x = rng.normal(size=(40, 12))
    b = time.time()
    for _ in range(6):
        e = x @ (w - goal)
        w -= 0.05 * x.T @ e / 40
    time.sleep(0.45)
    print(json.dumps({"it": it, "of": 14, "loss": round(float((e ** 2).mean()), 5), "t_augment": round(b - a, 2), "t_step": round(time.time() - b, 2)}), flush=True)
print(json.dumps({"msg": "done", "it": 14}), flush=True)
"""
BLOCKING = """import os
import time
import torch

torch.manual_seed(15)
lm = torch.nn.Sequential(torch.nn.Embedding(64, 24), torch.nn.Flatten(), torch.nn.Linear(24 * 6, 64))
opt = torch.optim.AdamW(lm.parameters(), 4e-3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for name in ("CUDA_LAUNCH_BLOCKING", "NCCL_DEBUG", "TORCH_SHOW_CPP_STACKTRACES"):
    print(f"env {name}={os.environ.get(name, '(unset)')}", flush=True)
for step in range(1, 33):
    t = time.perf_counter()
    ids = torch.randint(0, 64, (48, 6))
    loss = torch.nn.functional.cross_entropy(lm(ids), ids[:, 1])
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.85)
    if step % 2 == 0:
        ms = 1000 * (time.perf_counter() - t)
        print(f"step {step:>3}/32 | loss {loss.item():.4f} | {ms:6.0f} ms/step | {48 * 6 / ms * 1000:6.0f} tok/s | mfu 3.1%", flush=True)
print("training done", flush=True)
"""
DUMPS = """import logging
import os
import time
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S")
torch.manual_seed(24)
net = torch.nn.Sequential(torch.nn.Linear(400, 400), torch.nn.ReLU(), torch.nn.Linear(400, 20))
opt = torch.optim.Adam(net.parameters(), 1e-3)
os.makedirs("ckpts", exist_ok=True)
for step in range(1, 41):
    y = torch.arange(80) % 20
    x = torch.randn(80, 400) + 4 * torch.nn.functional.one_hot(y, 400)
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    logging.info("step %d/40 loss %.4f", step, loss.item())
    if step % 2 == 0:
        logging.info("Saving model checkpoint to ckpts/step-%d", step)
        with open(f"ckpts/step-{step}", "wb") as f:
            torch.save({"model": net.state_dict(), "optimizer": opt.state_dict()}, f)
            f.flush()
            os.fsync(f.fileno())
        time.sleep(1.3)
        logging.info("Saved model checkpoint to ckpts/step-%d", step)
logging.info("Training completed after 40 steps")
"""
COLUMNS = """import os
import time
import numpy as np
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
torch.manual_seed(1)
w = torch.zeros(20)
goal = torch.linspace(0, 2, 20)
compute = wait = 0.0
for step in range(1, 41):
    a = time.perf_counter()
    x = torch.randn(60, 20)
    g = x.T @ (x @ (w - goal)) / 60
    time.sleep(SLOW if rank == WHO else FAST)
    b = time.perf_counter()
    dist.all_reduce(g)
    w -= 0.1 * g / world
    compute, wait = compute + b - a, wait + time.perf_counter() - b
    if step % 8 == 0:
        print(f"[{os.environ['SLURMD_NODENAME']} gpu{os.environ['SLURM_LOCALID']} rank{rank}] {step}/40 err {(w - goal).norm().item():.4f} busy {compute:.1f}s waiting {wait:.1f}s", flush=True)
print(f"[rank{rank}] end of training", flush=True)
"""
