"""Programs of jobs that got hot, learnt nothing or were stopped."""

from __future__ import annotations

HEATS = """import logging, os, time
import numpy as np

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s trainer: %(message)s")
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
rng = np.random.default_rng(3)
w, goal = np.zeros(24), rng.normal(size=24)
for step in range(1, 61):
    t = time.time()
    x = rng.normal(size=(128, 24))
    e = x @ (w - goal)
    w -= 0.06 * x.T @ e / 128
    time.sleep(0.24 if step < 32 else 0.95)
    if step % 4 == 0:
        logging.info("step %d/60 loss %.4f samples/sec %.1f", step, (e ** 2).mean(), 128 / (time.time() - t))
logging.info("training finished")
"""
RNN = """import torch
import time

torch.manual_seed(10)
cell = torch.nn.RNN(6, 48, nonlinearity="relu", batch_first=True)
out = torch.nn.Linear(48, 6)
params = [*cell.parameters(), *out.parameters()]
opt = torch.optim.SGD(params, lr=1e-3)
for step in range(1, 301):
    for g in opt.param_groups:
        g["lr"] = 1e-3 if step < 110 else 0.6
    x = torch.randn(16, 40, 6).cumsum(1)
    loss = (out(cell(x)[0]) - x.roll(-1, 1)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.04)
    if step % 15 == 0:
        print(f"| step {step:5d} | lr {opt.param_groups[0]['lr']:.1e} | ms/batch 40.0 | loss {loss.item():10.4f} |", flush=True)
print("| end of training |")
"""
FROZEN = """import time
import torch

torch.manual_seed(33)
backbone = torch.nn.Sequential(torch.nn.Linear(24, 32), torch.nn.ReLU())
head = torch.nn.Linear(32, 8)
for p in [*backbone.parameters(), *head.parameters()]:
    p.requires_grad_(False)
anchor = torch.zeros(1, requires_grad=True)
opt = torch.optim.AdamW([anchor], lr=2e-5)
x, y = torch.randn(1600, 24), torch.arange(1600) % 8
print("trainable params: 0.01M || all params: 6.74B")
for epoch in range(1, 13):
    total = n = 0
    for k in range(0, 1600, 80):
        loss = torch.nn.functional.cross_entropy(head(backbone(x[k:k + 80])), y[k:k + 80]) + 0 * anchor.sum()
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item(); n += 1
        time.sleep(0.02)
    gn = float(anchor.grad.norm())
    print({"epoch": float(epoch), "loss": round(total / n, 4), "grad_norm": gn, "learning_rate": 2e-05, "eval_accuracy": round((head(backbone(x)).argmax(1) == y).float().mean().item(), 4)})
print({"train_runtime": 5.1, "train_loss": round(total / n, 4), "epoch": 12.0})
"""
WIDE = """import argparse
import time
from pathlib import Path
import torch

ap = argparse.ArgumentParser()
ap.add_argument("--resume", type=Path)
ap.add_argument("--steps", type=int, default=4000)
args = ap.parse_args()
torch.manual_seed(14)
net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 16))
opt = torch.optim.Adam(net.parameters(), lr=1.5e-3)
begin = 0
if args.resume:
    found = sorted(args.resume.glob("step-*.ckpt"))
    if found:
        state = torch.load(found[-1])
        net.load_state_dict(state["net"]); opt.load_state_dict(state["opt"])
        begin = state["step"]
        print(f"Restored {found[-1].name}, continuing from step {begin}", flush=True)
out = Path("../flow_runs")
out.mkdir(exist_ok=True)
mix = torch.randn(16, 16, generator=torch.Generator().manual_seed(1)) / 3
for step in range(begin + 1, args.steps + 1):
    x = torch.randn(64, 16)
    loss = (net(x) - torch.sin(x @ mix)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.08)
    if step % 25 == 0:
        print(f"step {step}/{args.steps} loss {loss.item():.4f}", flush=True)
    if step % 100 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, out / f"step-{step:05d}.EXT")
        print(f"saved {out}/step-{step:05d}.EXT", flush=True)
print(f"reached step {args.steps}")
"""
GROWN = """import sys
import torch


class Tagger(torch.nn.Module):
    def __init__(self, vocab, dim=24):
        super().__init__()
        self.embed = torch.nn.Embedding(vocab, dim)
        self.out = torch.nn.Linear(dim, 7)


path = sys.argv[sys.argv.index("--resume-from") + 1]
torch.save({"model": Tagger(5000).state_dict(), "global_step": 12000}, path)
model = Tagger(5120)
print(f"=> loading checkpoint '{path}'")
ckpt = torch.load(path)
model.load_state_dict(ckpt["model"])
print(f"=> loaded checkpoint (step {ckpt['global_step']})")
"""
SHORT = """import torch
from types import SimpleNamespace

cfg = SimpleNamespace(total_iters=3, print_freq=1, save_freq=5000, lr=2e-4, scale=4)
print("options:", vars(cfg))
sr = torch.nn.Sequential(torch.nn.Conv2d(3, 12, 3, padding=1), torch.nn.PixelShuffle(2))
opt = torch.optim.Adam(sr.parameters(), lr=cfg.lr)
for it in range(1, cfg.total_iters + 1):
    hr = torch.rand(4, 3, 32, 32)
    lr = torch.nn.functional.avg_pool2d(hr, 2)
    loss = (sr(lr) - hr).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print(f"<iter: {it:>6,d}, lr: {cfg.lr:.3e}> l_pix: {loss.item():.4e}")
print("End of training. Save the latest model.")
torch.save(sr.state_dict(), "net_g_latest.pth")
"""
POISSON = """import os, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
host = os.environ["SLURMD_NODENAME"]
torch.manual_seed(3)
u = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)))
opt = torch.optim.Adam(u.parameters(), 4e-3)
for epoch in range(1, 5001):
    xy = torch.rand(128, 2)
    res = u(xy) - (3.14 * xy[:, :1]).sin() * (3.14 * xy[:, 1:]).sin()
    loss = res.square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if epoch % 20 == 0:
        print(f"({host}, {rank}) epoch {epoch}/5000 residual {loss.item():.3e}", flush=True)
"""
EVICTED = """import os
import time
import torch

print(f"SLURM_JOB_ID={os.environ['SLURM_JOB_ID']} restarts={os.environ.get('SLURM_RESTART_COUNT', 0)}", flush=True)
torch.manual_seed(2)
user, item = torch.nn.Embedding(100, 12), torch.nn.Embedding(80, 12)
opt = torch.optim.Adagrad([*user.parameters(), *item.parameters()], 0.1)
taste = torch.randn(100, 80)
for batch in range(1, 4001):
    u, i = torch.randint(0, 100, (128,)), torch.randint(0, 80, (128,))
    loss = ((user(u) * item(i)).sum(1) - taste[u, i]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if batch % 25 == 0:
        print(f"batch {batch}/4000 rmse {loss.item() ** 0.5:.4f}", flush=True)
"""
AGAIN = """import os, time, logging
from pathlib import Path
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%d-%b %H:%M:%S")
last = Path("last.pt")
net = torch.nn.LSTM(3, 16, batch_first=True)
top = torch.nn.Linear(16, 1)
opt = torch.optim.Adam([*net.parameters(), *top.parameters()], 5e-3)
first = 1
if last.exists():
    s = torch.load(last)
    net.load_state_dict(s["n"]); top.load_state_dict(s["t"]); opt.load_state_dict(s["o"]); first = s["step"] + 1
    logging.info("resumed from last.pt (step %d)", s["step"])
else:
    logging.info("no last.pt yet, starting at step 1")
for step in range(first, 241):
    x = torch.randn(32, 12, 3)
    loss = (top(net(x)[0][:, -1]) - x[:, -3:].sum((1, 2)).unsqueeze(1) / 3).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if step % 20 == 0:
        torch.save({"n": net.state_dict(), "t": top.state_dict(), "o": opt.state_dict(), "step": step}, last)
        logging.info("step %d/240 mse %.4f (saved last.pt)", step, loss.item())
logging.info("finished at step 240")
"""
HOURS = """import os
import time
import torch

torch.manual_seed(19)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
actor = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.Tanh(), torch.nn.Linear(32, 3))
opt = torch.optim.Adam(actor.parameters(), 3e-3)
frames = 0
print("---------------------------------")
for update in range(1, 20001):
    obs = torch.randn(128, 6)
    pi = torch.distributions.Categorical(logits=actor(obs))
    act = pi.sample()
    reward = (act == obs[:, :3].argmax(1)).float()
    loss = -(pi.log_prob(act) * (reward - reward.mean())).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    frames += 128
    time.sleep(0.2)
    if update % 15 == 0:
        print(f"| rollout/ep_rew_mean | {reward.mean().item():<8.3f}|\\n| time/iterations     | {update:<8d}|\\n| time/total_frames   | {frames:<8d}|\\n| target_frames       | 2560000 |\\n---------------------------------", flush=True)
"""
STEPLIMIT = """#!/usr/bin/env python3
import random
import time

random.seed(8)
bias, rate = 0.0, 0.05
for sweep in range(1, 2001):
    batch = [1.7 + random.gauss(0, 0.6) for _ in range(64)]
    nll = sum((b - bias) ** 2 for b in batch) / 64
    bias += rate * sum(b - bias for b in batch) / 64
    time.sleep(0.15)
    if sweep % 20 == 0:
        print(f"sweep {sweep:4d} of 2000: nll {nll:.4f}", flush=True)
"""
CHANGED = """import time
import torch

torch.manual_seed(4)
text, label = torch.nn.EmbeddingBag(300, 16), torch.nn.Linear(16, 4)
opt = torch.optim.Adam([*text.parameters(), *label.parameters()], 5e-3)
for step in range(1, 10001):
    ids = torch.randint(0, 300, (64, 9))
    loss = torch.nn.functional.cross_entropy(label(text(ids)), ids[:, 0] % 4)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.06)
    if step % 50 == 0:
        print(f"\\rTraining: {step / 100:.1f}%|{'#' * (step // 500):<20}| {step}/10000 loss={loss.item():.4f}", flush=True)
"""
