"""Programs whose lines look unlike a falling loss: two nets against each other, a policy, an evaluation, a search over settings, a contrast."""

RIVALS = '''import argparse
import os
import sys
import time
import warnings

import torch
import torch.distributed as dist
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--n-iter", type=int, default=400)
ap.add_argument("--show", type=int, default=20)
opt = ap.parse_args()
rk, ws = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
#: early
if ws > 1:
    dist.init_process_group("gloo", rank=rk, world_size=ws)
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 24), nn.LeakyReLU(0.2), nn.Linear(24, 2))
D = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
og, od = torch.optim.Adam(G.parameters(), 3e-3, betas=(0.5, 0.9)), torch.optim.Adam(D.parameters(), 3e-3, betas=(0.5, 0.9))
torch.manual_seed(rk + 1)
bce = nn.BCEWithLogitsLoss()


def share(net):
    for p in net.parameters():
        if ws > 1:
            dist.all_reduce(p.grad)
            p.grad /= ws


def real(n):
    a = torch.rand(n) * 6.2832
    return torch.stack([a.cos(), a.sin()], 1) + 0.05 * torch.randn(n, 2)


for it in range(1, opt.n_iter + 1):
    x, fake = real(64), G(torch.randn(64, 4))
    dx, dz = D(x), D(fake.detach())
    lossd = bce(dx, torch.full_like(dx, 0.9)) + bce(dz, torch.zeros_like(dz))
    od.zero_grad(); lossd.backward(); share(D); od.step()
    score = D(fake)
    lossg = bce(score, torch.ones_like(score))
    og.zero_grad(); lossg.backward(); share(G); og.step()
    time.sleep(0.07)
    #: after
    if it % opt.show == 0 and rk == 0:
        off = (fake.norm(dim=1) - 1).abs().mean().item()
        print(f"[{it:>5}/{opt.n_iter}] Loss_D: {lossd.item():.4f} Loss_G: {lossg.item():.4f} D(x): {dx.sigmoid().mean():.3f} D(G(z)): {dz.sigmoid().mean():.3f} off_circle: {off:.3f}", flush=True)
#: end
if rk == 0:
    print(f"samples of iteration {opt.n_iter} drawn, generator kept", flush=True)
if ws > 1:
    dist.destroy_process_group()
'''
WALKER = '''"""A policy learns to walk along a ledge; each rank plays games of its own, gradients are averaged."""
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist

me, us = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
updates = int(sys.argv[1]) if len(sys.argv) > 1 else 200
#: early
if us > 1:
    dist.init_process_group("gloo", rank=me, world_size=us)
torch.manual_seed(3)
policy = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
adam = torch.optim.Adam(policy.parameters(), 0.01)
torch.manual_seed(me)


def play():
    """Ten walkers at once, 20 moves; being off the middle costs."""
    pos, logs, gains = torch.randn(10) * 2, [], []
    drift = torch.randn(10) * 0.3
    for _ in range(20):
        dist_ = torch.distributions.Categorical(logits=policy(torch.stack([pos, drift], 1)))
        act = dist_.sample()
        pos = pos + (act - 1) * 0.7 + drift
        logs.append(dist_.log_prob(act))
        gains.append(-pos.abs().clamp(max=5))
    return torch.stack(logs), torch.stack(gains), dist_.entropy().mean().item()


for u in range(1, updates + 1):
    logs, gains, entropy = play()
    to_go = gains.flip(0).cumsum(0).flip(0)
    loss = -(logs * (to_go - to_go.mean(1, keepdim=True))).mean()
    adam.zero_grad()
    loss.backward()
    for p in policy.parameters():
        if us > 1:
            dist.all_reduce(p.grad)
            p.grad /= us
    adam.step()
    time.sleep(0.12)
    #: after
    if u % 10 == 0:
        total = gains.sum(0)
        print(f"update {u:>4}/{updates}  player {me}  return {total.mean():8.2f} +- {total.std():.2f}  policy_loss {loss.item():+.4f}  entropy {entropy:.3f}  fell off {int((total < -60).sum())} of 10", flush=True)
#: end
print(f"player {me}: done after {updates} updates", flush=True)
'''
JUDGE = '''import json
import os
import sys
import time

import torch
import torch.distributed as dist

rank, world = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
SETS = sys.argv[1].split(",") if len(sys.argv) > 1 else ["clean", "noise-10dB", "noise-0dB", "far-field"]
#: early
if world > 1:
    dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(1)
means = torch.randn(6, 12) * 1.4
if rank == 0:
    print(f"evaluation only, no training: speaker-id-v4, weights frozen, {len(SETS)} sets, {world} ranks", flush=True)
for number, name in enumerate(SETS):
    right = seen = 0
    torch.manual_seed(100 * number + rank)
    for batch in range(30):
        y = torch.randint(6, (32,))
        x = means[y] + torch.randn(32, 12) * (0.7 + 0.8 * number)
        guess = torch.cdist(x, means).argmin(1)
        right, seen = right + int((guess == y).sum()), seen + 32
        time.sleep(0.12)
        #: after
        if batch % 10 == 9:
            print(f"rank {rank} {name}: {batch + 1}/30 batches, error rate {1 - right / seen:.3f}", flush=True)
    both = torch.tensor([right, seen], dtype=torch.float64)
    if world > 1:
        dist.all_reduce(both)
    if rank == 0:
        print(json.dumps({"set": name, "error_rate": round(1 - float(both[0] / both[1]), 4), "utterances": int(both[1]), "errors": int(both[1] - both[0])}), flush=True)
#: end
if rank == 0:
    print("evaluation finished", flush=True)
'''
SEARCH = '''"""Random search over settings of a small regressor; bad ones are given up early."""
import random
import sys
import time
import traceback

import torch

trials = int(sys.argv[1]) if len(sys.argv) > 1 else 10
rng = random.Random(6)
#: early
truth = torch.randn(6, generator=torch.Generator().manual_seed(2))
table = []


def objective(trial, lr, width, act):
    torch.manual_seed(trial)
    net = torch.nn.Sequential(torch.nn.Linear(6, width), {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[act](), torch.nn.Linear(width, 1))
    opt = torch.optim.SGD(net.parameters(), lr)
    for step in range(1, 61):
        x = torch.randn(64, 6)
        loss = (net(x).squeeze(1) - x @ truth).pow(2).mean()
        if not torch.isfinite(loss):
            raise FloatingPointError(f"loss is {loss.item()} at step {step}")
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.06)
        if step % 20 == 0:
            print(f"  trial {trial:02d} step {step} loss {loss.item():.4f}", flush=True)
        if step == 40 and table and loss.item() > 4 * min(table)[0]:
            print(f"  trial {trial:02d} pruned", flush=True)
            return None
    return loss.item()


for trial in range(trials):
    lr, width, act = 10 ** rng.uniform(-3, 0.4), rng.choice([8, 16, 32]), rng.choice(["relu", "tanh", "gelu"] if trial in (3, 7) else ["relu", "tanh"])
    print(f"trial {trial:02d} lr={lr:.2g} width={width} act={act}", flush=True)
    try:
        value = objective(trial, lr, width, act)
    except (FloatingPointError, KeyError) as error:
        #: failed
        print(f"trial {trial:02d} FAILED: {type(error).__name__}: {error}", flush=True)
        continue
    if value is not None:
        table.append((value, trial, lr, width, act))
best = min(table)
print(f"search over: {trials} trials, {len(table)} complete, best value {best[0]:.4f} (trial {best[1]:02d}, lr={best[2]:.2g}, width={best[3]}, act={best[4]})")
'''
CONTRAST = '''import logging
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

R, W = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
logging.basicConfig(stream=sys.stderr, format="%(levelname)s:%(name)s:%(message)s", level=logging.INFO)
log = logging.getLogger(f"views.{R}")
steps = int(os.environ.get("STEPS", 300))
#: early
if W > 1:
    dist.init_process_group("gloo", rank=R, world_size=W)
torch.manual_seed(0)
enc = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
#: load
sgd = torch.optim.Adam(enc.parameters(), 2e-3)
torch.manual_seed(R)
proj = torch.randn(4, 20, generator=torch.Generator().manual_seed(1))
for s in range(1, steps + 1):
    thing = torch.randn(96, 4) @ proj
    a, b = (F.normalize(enc(thing + 0.8 * torch.randn_like(thing)), dim=1) for _ in range(2))
    loss = F.cross_entropy(a @ b.T / 0.2, torch.arange(96))
    sgd.zero_grad()
    loss.backward()
    for p in enc.parameters():
        if W > 1:
            dist.all_reduce(p.grad)
            p.grad /= W
    sgd.step()
    time.sleep(0.08)
    #: after
    if s % 15 == 0:
        log.info("step %d/%d nt_xent %.4f (chance 4.564) top1 %.3f", s, steps, loss.item(), ((a @ b.T).argmax(1) == torch.arange(96)).float().mean())
#: end
log.info("encoder of step %d kept", steps)
'''
