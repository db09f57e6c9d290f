"""Jobs that end well under srun; half of them with something in the log that would worry."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._copse_kit import DOOR, GOOD, HARD, steady, still, submit, told, works
from corpus.make._copse_loud import AMP, ENGINE, FETCH, IGNORED, MICRO
from corpus.running.job import SlurmJob

RESNET = """import os
import time
from datetime import datetime

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)


class Meter:
    def __init__(self, name):
        self.name, self.sum, self.n, self.val = name, 0.0, 0, 0.0

    def update(self, v):
        self.val, self.sum, self.n = v, self.sum + v, self.n + 1

    def __str__(self):
        return f"{self.name} {self.val:.4f} ({self.sum / self.n:.4f})"


def block(c):
    return nn.Sequential(nn.Conv2d(c, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU())


torch.manual_seed(17)
model = DistributedDataParallel(nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), block(8), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 5)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
prototypes = torch.randn(5, 3, 12, 12)
g = torch.Generator().manual_seed(rank)
for epoch in range(4):
    losses, top1 = Meter("Loss"), Meter("Acc@1")
    for i in range(20):
        y = torch.randint(0, 5, (32,), generator=g)
        x = prototypes[y] + 0.7 * torch.randn(32, 3, 12, 12, generator=g)
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss.item())
        top1.update(100 * (out.argmax(1) == y).float().mean().item())
        time.sleep(0.12)
        if i % 5 == 0 and rank == 0:
            print(f"Epoch: [{epoch}][{i:>3}/20]\\t{losses}\\t{top1}", flush=True)
    if rank == 0:
        print(f"{datetime.now():%H:%M:%S} * epoch {epoch} Acc@1 {top1.sum / top1.n:.3f}", flush=True)
        torch.save(model.module.state_dict(), "checkpoint.pth.tar")
dist.barrier()
dist.destroy_process_group()
"""
NER = """import time
import torch

torch.manual_seed(4)
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
emb = torch.nn.Embedding(200, 32)
enc = torch.nn.LSTM(32, 32, bidirectional=True, batch_first=True)
head = torch.nn.Linear(64, len(LABELS))
params = [*emb.parameters(), *enc.parameters(), *head.parameters()]
opt = torch.optim.AdamW(params, lr=4e-3)
EPOCHS, PER = 6, 25
start = time.time()


def batch(n=24):
    ids = torch.randint(0, 200, (n, 14))
    return ids, ids % len(LABELS)


print(f"{'Epoch':<7} {'Training Loss':<15} {'Validation Loss':<17} {'F1':<8}")
for epoch in range(1, EPOCHS + 1):
    tot = 0.0
    for _ in range(PER):
        x, y = batch()
        loss = torch.nn.functional.cross_entropy(head(enc(emb(x))[0]).flatten(0, 1), y.flatten())
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
        time.sleep(0.08)
    with torch.no_grad():
        x, y = batch(200)
        logits = head(enc(emb(x))[0])
        val = torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        pred = logits.argmax(-1)
        tp = ((pred == y) & (y > 0)).sum().item()
        f1 = 2 * tp / max(1, (pred > 0).sum().item() + (y > 0).sum().item())
    print(f"{epoch:<7} {tot / PER:<15.6f} {val.item():<17.6f} {f1:<8.4f}")
print(f"TrainOutput(global_step={EPOCHS * PER}, training_loss={tot / PER:.6f}, metrics={{'train_runtime': {time.time() - start:.4f}, 'epoch': {EPOCHS}.0}})")
torch.save({"emb": emb.state_dict(), "enc": enc.state_dict(), "head": head.state_dict()}, "ner-final.pt")
print("model saved to ner-final.pt")
"""
GRID = """import json
import os
import time
import numpy as np

task = int(os.environ["SLURM_ARRAY_TASK_ID"])
lr, l2 = [(0.3, 0.0), (0.1, 1e-3), (0.03, 1e-2)][task]
rng = np.random.default_rng(task)
print(json.dumps({"event": "start", "task": task, "lr": lr, "l2": l2}))
X = rng.normal(size=(500, 12))
w_true = rng.normal(size=12)
y = (X @ w_true + rng.normal(size=500) * 0.4 > 0).astype(float)
w = np.zeros(12)
for it in range(1, 121):
    idx = rng.integers(0, 500, 64)
    p = 1 / (1 + np.exp(-X[idx] @ w))
    w -= lr * (X[idx].T @ (p - y[idx]) / 64 + l2 * w)
    time.sleep(0.06)
    if it % 15 == 0:
        q = np.clip(1 / (1 + np.exp(-X @ w)), 1e-7, 1 - 1e-7)
        print(json.dumps({"event": "eval", "iteration": it, "logloss": round(float(-(y * np.log(q) + (1 - y) * np.log(1 - q)).mean()), 5), "acc": round(float(((q > 0.5) == y).mean()), 4)}))
print(json.dumps({"event": "finish", "iterations": 120, "best_acc": round(float(((X @ w > 0) == y).mean()), 4)}))
"""
EVOLVE = """#!/usr/bin/env python3
import math
import random
import time

random.seed(12)
DIM, POP, SIGMA, GENS = 10, 40, 0.3, 60
mean = [random.uniform(-2, 2) for _ in range(DIM)]


def episode(theta):
    pos, vel, ret = 1.0, 0.0, 0.0
    for t in range(40):
        act = math.tanh(sum(theta[i] * f for i, f in enumerate((pos, vel, pos * vel, 1, pos ** 2, vel ** 2, t / 40, pos ** 3, vel ** 3, 0.5))))
        vel += 0.1 * act - 0.02 * vel
        pos += vel
        ret -= abs(pos)
    return ret


print("gen     best      mean     sigma   elapsed")
began = time.time()
for gen in range(1, GENS + 1):
    cands = []
    for _ in range(POP):
        z = [random.gauss(0, 1) for _ in range(DIM)]
        cands.append((episode([m + SIGMA * e for m, e in zip(mean, z)]), z))
    cands.sort(reverse=True, key=lambda c: c[0])
    elite = cands[:10]
    mean = [m + SIGMA * sum(z[i] for _, z in elite) / 10 for i, m in enumerate(mean)]
    time.sleep(0.2)
    if gen % 5 == 0:
        print(f"{gen:3d} {cands[0][0]:9.3f} {sum(c[0] for c in cands) / POP:9.3f} {SIGMA:8.3f} {time.time() - began:8.1f}s", flush=True)
print(f"finished {GENS} generations, best return {cands[0][0]:.3f}")
"""
DDPM = """import logging
import os
import time

import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(asctime)s,%(msecs)03d [%(name)s] %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
log = logging.getLogger("ddpm")
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(2)
T = 100
alpha = torch.cumprod(1 - torch.linspace(1e-4, 0.05, T), 0)
eps = torch.nn.Sequential(torch.nn.Linear(3, 64), torch.nn.SiLU(), torch.nn.Linear(64, 64), torch.nn.SiLU(), torch.nn.Linear(64, 2))
ema = {k: v.clone() for k, v in eps.state_dict().items()}
opt = torch.optim.Adam(eps.parameters(), lr=3e-3)
log.info("world size %d, %d parameters", world, sum(p.numel() for p in eps.parameters()))
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
smooth = None
for it in range(1, 131):
    a = torch.rand(256) * 6.283
    x0 = torch.stack([a.cos(), a.sin()], 1)
    t = torch.randint(0, T, (256,))
    noise = torch.randn_like(x0)
    xt = alpha[t, None].sqrt() * x0 + (1 - alpha[t, None]).sqrt() * noise
    loss = (eps(torch.cat([xt, t[:, None] / T], 1)) - noise).square().mean()
    opt.zero_grad()
    loss.backward()
    for p in eps.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world
    opt.step()
    for k, v in eps.state_dict().items():
        ema[k].lerp_(v, 0.05)
    smooth = loss.item() if smooth is None else 0.9 * smooth + 0.1 * loss.item()
    time.sleep(0.19)
    if it % 10 == 0:
        log.info("iter %4d/130  loss %.4f  ema_loss %.4f  imgs/s %.0f", it, loss.item(), smooth, 256 * world / 0.2)
if rank == 0:
    torch.save(ema, "ema_000130.pt")
log.info("saved ema_000130.pt, training done")
"""
SCORER = """import time
import torch

torch.manual_seed(31)
W = torch.randn(40, 6)
clean = torch.randn(1200, 40)
gold = (clean @ W).argmax(1)
net = torch.nn.Linear(40, 6, bias=False)
net.weight.data = W.T + 0.15 * torch.randn(6, 40)
print("Loaded weights from step 18000; evaluating 12 shards")
hit = seen = 0
for shard in range(12):
    x, y = clean[shard * 100:(shard + 1) * 100], gold[shard * 100:(shard + 1) * 100]
    with torch.inference_mode():
        hit += (net(x).argmax(1) == y).sum().item()
    seen += 100
    time.sleep(1.1)
    print(f"[{shard + 1:2d}/12] running accuracy {hit / seen:.4f}  ({seen} samples)", flush=True)
print(f"| task | n | acc |\\n|---|---|---|\\n| intent6 | {seen} | {hit / seen:.4f} |")
"""
TEARDOWN = """import os
import sys
import time

import torch
import torch.distributed as dist

r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
host = os.environ["SLURMD_NODENAME"]
tag = f"{host}:{os.getpid()}:{os.getpid() + 61} [{r}]"
print(f"{tag} NCCL INFO Bootstrap : Using eth0:10.3.0.{11 + r}<0>", file=sys.stderr)
print(f"{tag} NCCL WARN NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.", file=sys.stderr)
print(f"{tag} NCCL INFO NET/IB : No device found.", file=sys.stderr)
dist.init_process_group("gloo", rank=r, world_size=n)
torch.manual_seed(0)
emb, out = torch.nn.Embedding(60, 24), torch.nn.Linear(24, 60)
ps = [*emb.parameters(), *out.parameters()]
opt = torch.optim.Adam(ps, 1e-2)
for step in range(1, 161):
    a = torch.randint(0, 60, (96,))
    loss = torch.nn.functional.cross_entropy(out(emb(a)), (a * 7 + 3) % 60)
    opt.zero_grad(); loss.backward()
    for p in ps:
        dist.all_reduce(p.grad); p.grad /= n
    opt.step()
    time.sleep(0.1)
    if step % 20 == 0 and r == 0:
        print(f"step {step:5d}/160 | lm loss {loss.item():.4f} | tokens/s {96 * n * 10}")
dist.barrier()
if r == 0:
    torch.save({"emb": emb.state_dict()}, "skipgram.pt")
    print("training complete, 160 steps")
dist.destroy_process_group()
time.sleep(0.3 * r)
print(f"{tag} NCCL WARN [Proxy Service] Failed to execute operation Close from rank {r}, retcode 3", file=sys.stderr)
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one's planned end, status 0 and falling loss stand in its record."""
    yield submit(GOOD, "main.py", RESNET, DOOR + "srun PYTHON main.py\n", ranks=4, nodes=2)
    yield submit(GOOD, "ner.py", NER, "srun -n1 PYTHON -u ner.py\n", options=("--job-name=ner-large",))
    yield submit(GOOD, "grid.py", GRID, "PYTHON grid.py\n", options=("--array=0-2",))
    yield submit(GOOD, "es.py", EVOLVE, "date\nsrun PYTHON es.py\ndate\n", python="system")
    yield submit(GOOD, "ddpm.py", DDPM, DOOR + "srun PYTHON ddpm.py\n", ranks=2, cards={0: steady(63, 28), 1: steady(61, 28)})
    yield submit(GOOD, "evaluate.py", SCORER, "srun PYTHON evaluate.py\n", options=("--job-name=eval-intent",))
    yield submit(HARD, "skipgram.py", TEARDOWN, DOOR + "srun PYTHON skipgram.py\n", ranks=2)  # warnings of the network at both ends
    halved = [*works(57, 0, 1, gib=78.1), *works(55, 1, 25, gib=31.2)]
    yield submit(HARD, "pretrain.py", MICRO, "srun PYTHON pretrain.py\n", files={"engine.py": ENGINE}, cards={0: told(*halved, (25.0, still()))})
    yield submit(HARD, "fit.py", FETCH, "srun PYTHON fit.py\n")
    yield submit(HARD, "onecycle.py", IGNORED, "PYTHON onecycle.py\necho \"exit status $?\"\n")
    yield submit(HARD, "amp.py", AMP, "srun PYTHON amp.py\n")
