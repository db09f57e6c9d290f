"""A few more jobs that end well, for all three recipes of batch jobs."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, queue, wavy
from corpus.make._nutmeg_good import RUN
from corpus.running.job import SlurmJob

GRIDS = """import os
import time

import torch
import torch.distributed as dist

RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])


def laplace(u):
    return u.roll(1, 1) + u.roll(-1, 1) + u.roll(1, 2) + u.roll(-1, 2) - 4 * u


class Surrogate(torch.nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.lift = torch.nn.Conv2d(1, width, 3, padding=1, padding_mode="circular")
        self.drop = torch.nn.Conv2d(width, 1, 1)

    def forward(self, u):
        return self.drop(torch.nn.functional.gelu(self.lift(u.unsqueeze(1)))).squeeze(1)


def run():
    dist.init_process_group("gloo", rank=RANK, world_size=WORLD)
    torch.manual_seed(77)
    net = torch.nn.parallel.DistributedDataParallel(Surrogate())
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 180)
    best = None
    for it in range(1, 181):
        u = torch.randn(8, 16, 16)
        loss = (net(u) - 0.2 * laplace(u)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        time.sleep(0.06)
        best = loss.item() if best is None else min(best, loss.item())
        if it % 20 == 0 and RANK == 0:
            print(f"{it:>4}/180  rel {loss.item():.3e}  best {best:.3e}  lr {sched.get_last_lr()[0]:.1e}", flush=True)
    dist.barrier()
    if RANK == 0:
        print("surrogate trained: 180 iterations", flush=True)


run()
"""
DEADLINE = """import os, signal, sys, time
import torch
import torch.distributed as dist

asked = False


def on_usr1(number, frame):
    global asked
    asked = True
    print("WARNING: got SIGUSR1, the time limit is near; a checkpoint will be written after this step", file=sys.stderr, flush=True)


signal.signal(signal.SIGUSR1, on_usr1)
rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
torch.manual_seed(3)
dec = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.ReLU(), torch.nn.Linear(20, 40)))
opt = torch.optim.Adam(dec.parameters(), lr=3e-3)
basis = torch.randn(10, 40)
for step in range(1, 301):
    z = torch.randn(64, 10)
    loss = (dec(z) - z @ basis).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if asked:
        asked = False
        if rank == 0:
            torch.save(dec.module.state_dict(), "interim.pt")
            print(f"interim checkpoint at step {step}", flush=True)
    if step % 30 == 0 and rank == 0:
        print(f"step {step} / 300: L1 {loss.item():.4f}", flush=True)
if rank == 0:
    print("300 of 300 steps done, before the limit", flush=True)
"""
WARMER = """import math
import time
import torch
import torch.distributed as dist
import pace


def lr_at(step, peak=8e-3, warm=20, total=110):
    return peak * (step / warm if step < warm else 0.5 * (1 + math.cos(math.pi * (step - warm) / (total - warm))))


dist.init_process_group("gloo")
torch.manual_seed(5)
seq = torch.nn.ModuleDict({"e": torch.nn.Embedding(24, 20), "p": torch.nn.Embedding(12, 20), "a": torch.nn.TransformerEncoderLayer(20, 2, 40, 0.0, batch_first=True), "o": torch.nn.Linear(20, 24)})
opt = torch.optim.AdamW(seq.parameters(), lr=8e-3)
mask = torch.nn.Transformer.generate_square_subsequent_mask(11)
tokens = 0
for step in range(1, 111):
    for g in opt.param_groups:
        g["lr"] = lr_at(step)
    start = torch.randint(0, 24, (16, 1))
    row = (start + torch.arange(12) * (1 + start % 3)) % 24
    h = seq["a"](seq["e"](row[:, :-1]) + seq["p"](torch.arange(11)), src_mask=mask)
    loss = torch.nn.functional.cross_entropy(seq["o"](h).flatten(0, 1), row[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    for p in seq.parameters():
        if p.grad is not None:
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
    opt.step()
    tokens += row.numel() * dist.get_world_size()
    time.sleep(0.2)
    if dist.get_rank() == 0 and step % 10 == 0:
        print(f"step={step} tokens={tokens} loss={loss.item():.3f} lr={lr_at(step):.2e}", flush=True)
if dist.get_rank() == 0:
    print(f"training finished at step=110 tokens={tokens}", flush=True)
"""
LEFTOVER = """import os, pathlib, subprocess, sys, time
import torch

lock = pathlib.Path(".compile.lock")
lock.write_text("99999")
print("INFO compile cache is locked by pid 99999 of an earlier run", flush=True)
for _ in range(3):
    print("WARNING waiting for the lock on .compile.lock", flush=True)
    time.sleep(1)
    if not pathlib.Path("/proc/99999").exists():
        break
lock.unlink()
print("INFO stale lock removed", flush=True)
done = subprocess.run([sys.executable, "-c", "import torch; torch.ones(2) @ torch.ones(3)"], capture_output=True, text=True)
print("ERROR self test of the optional kernel failed, falling back to eager:", done.stderr.strip().splitlines()[-1], flush=True)
torch.manual_seed(1)
table = torch.nn.EmbeddingBag(50, 12)
tower = torch.nn.Sequential(torch.nn.Linear(12, 24), torch.nn.PReLU(), torch.nn.Linear(24, 1))
opt = torch.optim.Adam([*table.parameters(), *tower.parameters()], 5e-3)
weight = torch.linspace(-1, 1, 50)
for epoch in range(1, 13):
    run = 0.0
    for _ in range(30):
        x = torch.randint(0, 50, (64, 5))
        loss = torch.nn.functional.mse_loss(tower(table(x)).squeeze(1), weight[x].mean(1) * 4)
        opt.zero_grad(); loss.backward(); opt.step()
        run += loss.item() / 30
    time.sleep(0.3)
    print(f"INFO epoch {epoch:2d} of 12 finished, mean loss {run:.5f}", flush=True)
print("INFO done", flush=True)
"""


def barley() -> Iterator[SlurmJob]:
    """Under srun."""
    yield queue(GOOD, GRIDS, MEET + "srun PYTHON laplace.py\n", script="laplace.py", ranks=2, nodes=2, state="COMPLETED")
    yield queue(HARD, DEADLINE, MEET + "(sleep 22; scancel --signal=USR1 $SLURM_JOB_ID.0) &\nsrun PYTHON basis.py\n", script="basis.py", ranks=2, options=("--time=3",), state="COMPLETED")  # a warning signal, and all steps after it


def nutmeg() -> Iterator[SlurmJob]:
    """Under torchrun, or alone."""
    yield queue(GOOD, WARMER, f"{RUN}2 counting.py\n", script="counting.py", ranks=2, gpus={r: wavy(47 + r, 25, 29.0, gib=18) for r in range(2)}, state="COMPLETED")
    yield queue(HARD, LEFTOVER, "srun PYTHON bagged.py\n", script="bagged.py", state="COMPLETED")


SURGE = """import logging
import os
import sys
import time

import torch
import torch.distributed as dist
import pace

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
log = logging.getLogger("clip")
log.addHandler(logging.StreamHandler(sys.stdout))
log.setLevel(logging.INFO if rank == 0 else logging.ERROR)
torch.manual_seed(11)
image, text = torch.nn.Linear(32, 16), torch.nn.Linear(24, 16)
scale = torch.nn.Parameter(torch.tensor(2.0))
params = [*image.parameters(), *text.parameters(), scale]
for p in params:
    dist.broadcast(p.data, 0)
opt = torch.optim.AdamW(params, lr=1e-2)
mixing = torch.randn(32, 24, generator=torch.Generator().manual_seed(1))
for step in range(1, 121):
    x = torch.randn(48, 32)
    y = x @ mixing / 6
    if 58 <= step <= 60:
        y = y[torch.randperm(48)]
    a = torch.nn.functional.normalize(image(x), dim=1)
    b = torch.nn.functional.normalize(text(y), dim=1)
    logits = scale.exp() * a @ b.T
    loss = torch.nn.functional.cross_entropy(logits, torch.arange(48))
    opt.zero_grad()
    loss.backward()
    for p in params:
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    norm = torch.nn.utils.clip_grad_norm_(params, 1.0).item()
    opt.step()
    time.sleep(0.18)
    if norm > 4:
        log.warning("step %d: gradient norm %.1f, clipped to 1.0", step, norm)
    if step % 10 == 0 or 57 <= step <= 61:
        log.info("step %d/120 loss %.4f grad_norm %.2f logit_scale %.2f", step, loss.item(), norm, scale.exp().item())
log.info("done, final contrastive loss %.4f", loss.item())
dist.destroy_process_group()
"""
TABLED = """import csv
import pathlib
import time

import torch

torch.manual_seed(101)
out = pathlib.Path("metrics.csv")
columns = ["epoch", "train_loss", "valid_loss", "seconds"]
print(",".join(columns))
net = torch.nn.Sequential(torch.nn.Linear(5, 48), torch.nn.SiLU(), torch.nn.Linear(48, 48), torch.nn.SiLU(), torch.nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)


def sample(n):
    x = torch.rand(n, 5) * 2 - 1
    return x, (10 * torch.sin(3 * x[:, :1] * x[:, 1:2]) + 5 * x[:, 2:3] ** 2 + x[:, 3:4]) / 10


valid = sample(500)
with out.open("w", newline="") as f:
    writer = csv.writer(f)
    writer.writerow(columns)
    for epoch in range(1, 19):
        began, total = time.time(), 0.0
        for _ in range(40):
            x, y = sample(64)
            loss = torch.nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            time.sleep(0.01)
        with torch.no_grad():
            v = torch.nn.functional.mse_loss(net(valid[0]), valid[1]).item()
        row = [epoch, f"{total / 40:.5f}", f"{v:.5f}", f"{time.time() - began:.2f}"]
        writer.writerow(row)
        print(",".join(map(str, row)))
torch.save(net.state_dict(), "friedman.pt")
print("# finished 18 epochs, weights in friedman.pt")
"""


def pewter() -> Iterator[SlurmJob]:
    """One with cards, one without."""
    yield queue(HARD, SURGE, MEET + "srun PYTHON clip.py\n", script="clip.py", ranks=2, gpus={r: wavy(55 + r, 25, 28.0, gib=35) for r in range(2)}, state="COMPLETED")  # three steps of shuffled pairs, and it comes back
    yield queue(GOOD, TABLED, "PYTHON friedman.py\n", script="friedman.py", options=("--array=5",), state="COMPLETED")
