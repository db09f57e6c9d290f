"""Jobs that end well: data parallel under srun, sweeps, resumed runs; half of them with something in them that would worry."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, queue, wavy, with_past
from corpus.running.job import SlurmJob

CIFAR = """import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel

logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s | %(message)s", level=logging.INFO)
log = logging.getLogger("cifar")


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(x + self.norm(self.conv(x)))


def loader(rank, batches=30, size=24):
    made = torch.Generator().manual_seed(17 + rank)
    for _ in range(batches):
        label = torch.randint(0, 4, (size,), generator=made)
        picture = torch.randn(size, 3, 12, 12, generator=made) * 0.6
        picture[torch.arange(size), label % 3] += (1.0 + label.float() / 2).view(-1, 1, 1)
        yield picture, label


def main():
    rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), Block(16), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
    net = DistributedDataParallel(net)
    sgd = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    if rank == 0:
        log.info("world %d, %d parameters", world, sum(p.numel() for p in net.parameters()))
    for epoch in range(1, 7):
        seen = right = total = 0
        for picture, label in loader(rank):
            out = net(picture)
            loss = nn.functional.cross_entropy(out, label)
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            seen, right, total = seen + len(label), right + int((out.argmax(1) == label).sum()), total + float(loss) * len(label)
        if rank == 0:
            log.info("epoch %d/6 train_loss %.4f train_acc %.3f", epoch, total / seen, right / seen)
    dist.barrier()
    if rank == 0:
        torch.save(net.module.state_dict(), "cifar_small.pt")
        log.info("finished, weights in cifar_small.pt")
    dist.destroy_process_group()


main()
"""
CHARS = """import time

import torch
from torch import nn

TEXT = "the ferry leaves at nine and the ferry returns at ten, bring your own bread and a warm coat. " * 30
letters = sorted(set(TEXT))
ids = torch.tensor([letters.index(c) for c in TEXT])
batch, context, iters = 16, 24, 360
model = nn.ModuleDict({"emb": nn.Embedding(len(letters), 32), "gru": nn.GRU(32, 64, batch_first=True), "head": nn.Linear(64, len(letters))})
opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
print(f"corpus: {len(TEXT):,} chars, vocab {len(letters)}, {sum(p.numel() for p in model.parameters())/1e3:.1f}k params")
t0 = time.time()
for it in range(iters + 1):
    at = torch.randint(0, len(ids) - context - 1, (batch,))
    x = torch.stack([ids[i:i + context] for i in at])
    y = torch.stack([ids[i + 1:i + context + 1] for i in at])
    hidden, _ = model["gru"](model["emb"](x))
    loss = nn.functional.cross_entropy(model["head"](hidden).flatten(0, 1), y.flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    time.sleep(0.03)
    if it % 20 == 0:
        dt, t0 = time.time() - t0, time.time()
        print(f"iter {it}: loss {loss.item():.4f}, time {dt*1000/20:.2f}ms/it, {20*batch*context/max(dt, 1e-6):,.0f} chars/s")
sample = [0]
for _ in range(60):
    h, _ = model["gru"](model["emb"](torch.tensor([sample])))
    sample.append(int(model["head"](h[:, -1]).argmax()))
print("sample>", "".join(letters[i] for i in sample))
"""
CLICKS = """import json
import os
import sys
import time

import torch
import torch.distributed as dist

import pace

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))


def emit(**row):
    if rank == 0:
        print(json.dumps({"ts": round(time.time(), 3), **row}), flush=True)


torch.manual_seed(3)
users, items = torch.nn.Embedding(400, 12), torch.nn.Embedding(300, 12)
tower = torch.nn.Sequential(torch.nn.Linear(24, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
params = [*users.parameters(), *items.parameters(), *tower.parameters()]
opt = torch.optim.Adam(params, lr=0.01)
emit(event="start", ranks=dist.get_world_size(), params=sum(p.numel() for p in params))
for step in range(1, 151):
    u, i = torch.randint(0, 400, (256,)), torch.randint(0, 300, (256,))
    click = ((u % 7 + i % 5) > 5).float()
    logit = tower(torch.cat([users(u), items(i)], 1)).squeeze(1)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logit, click)
    opt.zero_grad()
    loss.backward()
    for p in params:
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    opt.step()
    time.sleep(0.15)
    if step % 10 == 0:
        emit(event="train", step=step, total=150, logloss=round(loss.item(), 5), auc_proxy=round(float(((logit > 0) == (click > 0.5)).float().mean()), 4))
emit(event="done", steps=150)
dist.destroy_process_group()
"""
SWEEP = """import os
import torch

task = int(os.environ["SLURM_ARRAY_TASK_ID"])
lr, wd = [(0.3, 0.0), (0.1, 0.0), (0.03, 1e-3), (0.01, 1e-3)][task]
print(f"[sweep {os.environ['SLURM_ARRAY_JOB_ID']}_{task}] lr={lr} weight_decay={wd}")
torch.manual_seed(task)
x = torch.randn(600, 10)
y = (x @ torch.linspace(-1, 1, 10) > 0.1).long()
net = torch.nn.Sequential(torch.nn.Linear(10, 24), torch.nn.Tanh(), torch.nn.Linear(24, 2))
opt = torch.optim.SGD(net.parameters(), lr=lr, weight_decay=wd)
best = 0.0
for epoch in range(40):
    net.train()
    for k in range(0, 500, 50):
        loss = torch.nn.functional.cross_entropy(net(x[k:k + 50]), y[k:k + 50])
        opt.zero_grad()
        loss.backward()
        opt.step()
    acc = (net(x[500:]).argmax(1) == y[500:]).float().mean().item()
    best = max(best, acc)
    if epoch % 4 == 3:
        print(f"[sweep {task}] epoch {epoch + 1:3d}/40  loss={loss.item():.4f}  val_acc={acc:.3f}  best={best:.3f}")
print(f"[sweep {task}] result val_acc={best:.3f}")
"""
BASE = """import pathlib
import time

import torch

place = pathlib.Path("../segmenter_runs")
place.mkdir(exist_ok=True)
torch.manual_seed(11)
unet = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 1, 3, padding=1))
opt = torch.optim.Adam(unet.parameters(), lr=2e-3)
for step in range(1, 301):
    image = torch.rand(8, 1, 20, 20)
    mask = (torch.nn.functional.avg_pool2d(image, 3, 1, 1) > 0.5).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(unet(image), mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if step % 25 == 0:
        print(f"step {step}/300 bce {loss.item():.4f}")
    if step % 100 == 0:
        torch.save({"net": unet.state_dict(), "opt": opt.state_dict(), "step": step}, place / "seg_last.pt")
        print(f"saved {place / 'seg_last.pt'} at step {step}")
print("stage 1 done")
"""
GO_ON = """import argparse
import time

import torch

p = argparse.ArgumentParser()
p.add_argument("--resume", default=None)
p.add_argument("--steps", type=int, default=600)
a = p.parse_args()
net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 1, 3, padding=1))
adam = torch.optim.Adam(net.parameters(), lr=2e-3)
first = 0
if a.resume:
    kept = torch.load(a.resume)
    net.load_state_dict(kept["net"])
    adam.load_state_dict(kept["opt"])
    first = kept["step"]
    print(f"=> resumed from {a.resume} (step {first})")
for step in range(first + 1, a.steps + 1):
    image = torch.rand(8, 1, 20, 20)
    mask = (torch.nn.functional.avg_pool2d(image, 3, 1, 1) > 0.5).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(net(image), mask)
    adam.zero_grad()
    loss.backward()
    adam.step()
    time.sleep(0.02)
    if step % 30 == 0:
        print(f"step {step}/{a.steps} bce {loss.item():.4f}")
print("stage 2 done, total steps", step)
"""
SCALER = """import torch

print("precision: mixed, loss scale 65536 (dynamic)")
torch.manual_seed(5)
lstm, out = torch.nn.LSTM(6, 32, batch_first=True), torch.nn.Linear(32, 1)
params = [*lstm.parameters(), *out.parameters()]
opt = torch.optim.AdamW(params, lr=3e-3)
scale, clean = 65536.0, 0
t = torch.linspace(0, 60, 2400)
series = torch.stack([torch.sin(t * k) for k in (1.0, 1.3, 1.7, 2.1, 0.4, 0.9)], 1)
for step in range(1, 261):
    i = torch.randint(0, 2300, (24,))
    x = torch.stack([series[j:j + 40] for j in i])
    y = torch.stack([series[j + 40, :1] for j in i])
    loss = torch.nn.functional.mse_loss(out(lstm(x)[0][:, -1]), y)
    opt.zero_grad()
    (loss.half() * scale if step < 40 and scale > 30000 else loss * scale).backward()
    norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() / scale for p in params]))
    if not torch.isfinite(norm) or (step in (97, 98)):
        scale /= 2
        print(f"WARNING step {step}: gradient overflow (grad_norm={norm.item():.1f}), skipping update, reducing loss scale to {scale:.0f}")
        continue
    for p in params:
        p.grad /= scale
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    if step % 13 == 0:
        print(f"step {step:>4} | mse {loss.item():.5f} | grad_norm {norm.item():.3f} | scale {scale:.0f}")
print(f"training complete: 260 steps, final mse {loss.item():.5f}")
"""
MIRROR = """import logging
import pathlib
import time
import urllib.request

import torch

logging.basicConfig(level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s")
log = logging.getLogger("vocab")


def fetch(url, to, tries=3):
    for n in range(1, tries + 1):
        try:
            urllib.request.urlretrieve(url, to)
            return True
        except OSError:
            log.exception("download of %s failed (attempt %d of %d)", url, n, tries)
            time.sleep(1.5 * n)
    return False


if not fetch("http://127.0.0.1:9/vocab.txt", "vocab.txt"):
    log.warning("hub is not reachable, taking the copy that came with the code")
    pathlib.Path("vocab.txt").write_text("\\n".join(f"tok{i}" for i in range(120)))
vocab = pathlib.Path("vocab.txt").read_text().split()
log.info("vocabulary of %d tokens", len(vocab))
bag = torch.nn.EmbeddingBag(len(vocab), 20)
head = torch.nn.Linear(20, 3)
opt = torch.optim.Adagrad([*bag.parameters(), *head.parameters()], lr=0.2)
for epoch in range(12):
    total = 0.0
    for _ in range(25):
        x = torch.randint(0, len(vocab), (32, 9))
        y = x.max(1).values * 3 // len(vocab)
        loss = torch.nn.functional.cross_entropy(head(bag(x)), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    time.sleep(0.3)
    log.info("Epoch %02d - loss: %.4f", epoch, total / 25)
log.info("Done: 12 epochs")
"""
PAUSED = """import os, time
import torch, torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(0)
w = torch.zeros(16, requires_grad=True)
goal = torch.linspace(0, 2, 16)
began = last = time.time()
for it in range(1, 181):
    x = torch.randn(64, 16)
    loss = ((x @ w - x @ goal) ** 2).mean()
    loss.backward()
    dist.all_reduce(w.grad)
    with torch.no_grad():
        w -= 0.01 * w.grad / world
        w.grad = None
    time.sleep(0.1)
    if it % 12 == 0 and rank == 0:
        took, last = time.time() - last, time.time()
        print(f"{it:5d}/180  loss {loss.item():9.5f}  {12 / took:6.2f} it/s", flush=True)
if rank == 0:
    print(f"total time {time.time() - began:.1f}s for 180 iterations")
"""
CHECKED = """import torch

print("using cached features" )
f = torch.load("features.pt")
probe = torch.nn.Linear(f["x"].shape[1], 5)
opt = torch.optim.LBFGS(probe.parameters(), max_iter=4)
for r in range(30):
    def closure():
        opt.zero_grad()
        loss = torch.nn.functional.cross_entropy(probe(f["x"]), f["y"])
        loss.backward()
        return loss
    value = opt.step(closure)
    if r % 3 == 0:
        acc = (probe(f["x"]).argmax(1) == f["y"]).float().mean()
        print(f"round {r:2d}: objective={value.item():.4f} accuracy={acc.item():.3f}")
print("linear probe finished")
"""
FEATURES = """import torch
y = torch.randint(0, 5, (500,))
torch.save({"x": torch.randn(500, 40) + torch.nn.functional.one_hot(y, 40) * 2, "y": y}, "features.pt")
print("wrote features.pt (500 x 40)")
"""
OLD_CARD = """import time
import torch
import pace

g = torch.Generator().manual_seed(21)
net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 32))
opt = torch.optim.NAdam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=5e-3, total_steps=120)
for i in range(120):
    x = torch.randn(128, 32, generator=g)
    loss = torch.nn.functional.mse_loss(net(x + 0.3 * torch.randn(128, 32, generator=g)), x)
    loss.backward()
    opt.step()
    sched.step()
    opt.zero_grad()
    time.sleep(0.2)
    if (i + 1) % 10 == 0:
        print(f"denoise [{i + 1:3d}/120] l2={loss.item():.4f} lr={sched.get_last_lr()[0]:.2e}")
print("best checkpoint: none kept (debug=False, save=False); bye")
"""
OLD = {"remapped.corrected": "3", "remapped.uncorrected": "2", "ecc.aggregate.uncorrected": "2", "ecc.aggregate.uncorrected.dram": "2", "ecc.aggregate.corrected": "811", "pcie.replay": "6"}


def jobs() -> Iterator[SlurmJob]:
    """Eleven of them; the record shows each one's planned end, status 0 and a falling loss."""
    yield queue(GOOD, CIFAR, MEET + "srun python3 -V\nsrun -n3 PYTHON train.py\n", ranks=3, state="COMPLETED")
    yield queue(GOOD, CHARS, "echo job $SLURM_JOB_ID on $SLURMD_NODENAME\nPYTHON charlm.py\n", script="charlm.py", options=("--job-name=charlm",), state="COMPLETED")
    yield queue(GOOD, CLICKS, MEET + "srun PYTHON ctr.py\n", script="ctr.py", ranks=2, gpus={r: wavy(58 + r, 26, 31.0) for r in range(2)}, state="COMPLETED")
    yield queue(GOOD, SWEEP, "srun PYTHON sweep.py\n", script="sweep.py", options=("--array=2-3",), state="COMPLETED")
    yield queue(GOOD, BASE, "srun -n1 PYTHON stage1.py\n", script="stage1.py", key="seg", options=("--job-name=seg-stage1",), state="COMPLETED")
    yield queue(GOOD, GO_ON, "srun -n1 PYTHON stage2.py --resume ../segmenter_runs/seg_last.pt\n", script="stage2.py", parent="seg", options=("--job-name=seg-stage2",), state="COMPLETED")
    yield queue(HARD, SCALER, "srun PYTHON forecast.py\n", script="forecast.py", state="COMPLETED")  # overflows are skipped, and it goes on to its last step
    yield queue(HARD, MIRROR, "srun PYTHON classify.py\n", script="classify.py", state="COMPLETED")  # three tracebacks, then a copy, then twelve epochs
    yield queue(HARD, PAUSED, MEET + "srun -n2 PYTHON fit.py\n", script="fit.py", ranks=2, act="suspend", after=r" 48/180", state="COMPLETED")
    yield queue(
        HARD, CHECKED, "srun -n1 test -s features.pt\nif [ $? -ne 0 ]; then echo 'features.pt not found, extracting'; srun -n1 PYTHON extract.py || exit 1; fi\nsrun -n1 PYTHON probe.py\n",
        script="probe.py", files={"extract.py": FEATURES}, state="COMPLETED",
    )  # fmt: skip
    yield queue(HARD, OLD_CARD, "nvidia-smi -L || true\nPYTHON denoise.py\n", script="denoise.py", gpus={0: with_past(wavy(52, 24, 27.5), OLD)}, state="COMPLETED")
