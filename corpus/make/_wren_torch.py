"""Programs of several ranks over gloo: glacier masks, a language model with wide lines, a generator and its critic, a hovering drone, layers on a chain of ranks."""

from __future__ import annotations

from corpus.make._wren_relay import RELAIS

__all__ = ["FILES", "FIRN", "FORGE", "HOVER", "RELAIS", "WIDE"]

FIRN = '''#!/usr/bin/env python3
"""Glacier outlines from radar scenes (DDP). One process per card."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

RANK = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
WORLD = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
EPOCHS, ITERS = int(os.environ.get("EPOCHS", 6)), int(os.environ.get("ITERS", 24))
EVERY = int(os.environ.get("EVERY", 4))
BASE_LR = float(os.environ.get("BASE_LR", 0.01))
CHANNELS = int(os.environ.get("CHANNELS", 12))


def logfmt(level, msg, **kv):
    head = time.strftime("ts=%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(head, f"level={level}", f"rank={RANK}", f'msg="{msg}"', *(f"{k}={v}" for k, v in kv.items()), flush=True)


class Outline(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = torch.nn.Conv2d(2, CHANNELS, 3, padding=1)
        self.mid = torch.nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.out = torch.nn.Conv2d(CHANNELS, 1, 1)

    def forward(self, scene):
        h = F.relu(self.enc(scene))
        return self.out(F.relu(self.mid(h)))


def scenes(n, g):
    yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
    cy, cx, r = (5 + 6 * torch.rand(n, 1, 1, generator=g) for _ in range(3))
    mask = (((yy - cy) ** 2 + (xx - cx) ** 2) < (r / 1.6) ** 2).float().unsqueeze(1)
    radar = torch.cat([mask * 1.2, -mask], 1) + 0.8 * torch.randn(n, 2, 16, 16, generator=g)
    return radar, mask


def dice(logits, mask):
    p = torch.sigmoid(logits)
    return 1 - (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)


def main():
    #: early
    logfmt("info", "joining process group", world=WORLD, master=os.environ["MASTER_ADDR"], port=os.environ["MASTER_PORT"])
    dist.init_process_group("gloo", rank=RANK, world_size=WORLD)
    logfmt("info", "process group ready", backend="gloo")
    torch.manual_seed(41)
    net = Outline()
    first = 1
    #: load
    model = torch.nn.parallel.DistributedDataParallel(net)
    opt = torch.optim.AdamW(model.parameters(), lr=BASE_LR)
    g = torch.Generator().manual_seed(1000 + RANK)
    total = 0
    #: ready
    for epoch in range(first, EPOCHS + 1):
        began, seen = time.time(), 0.0
        for it in range(1, ITERS + 1):
            total += 1
            #: data
            scene, mask = scenes(8, g)
            logits = model(scene)
            loss = F.binary_cross_entropy_with_logits(logits, mask) + dice(logits, mask)
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grad
            opt.step()
            seen += loss.item()
            if it % EVERY == 0 and RANK == 0:
                logfmt("info", "train", epoch=epoch, it=f"{it}/{ITERS}", loss=f"{loss.item():.4f}", lr=BASE_LR, scenes_per_s=f"{8 * WORLD * it / (time.time() - began):.1f}")
            #: after
        if RANK == 0:
            logfmt("info", "epoch done", epoch=f"{epoch}/{EPOCHS}", mean_loss=f"{seen / ITERS:.4f}", wall_s=f"{time.time() - began:.1f}")
        #: epoch
    #: late
    logfmt("info", "all epochs done", epochs=EPOCHS, steps=total)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
'''
WIDE = '''"""A small decoder on bytes; every rank has its own shard, gradients are summed over all of them."""
import argparse
import os
import time

import torch
import torch.distributed as dist

ap = argparse.ArgumentParser(description="pretrain on bytes")
ap.add_argument("--train-iters", type=int, default=240)
ap.add_argument("--log-interval", type=int, default=10)
ap.add_argument("--micro-batch-size", type=int, default=8)
ap.add_argument("--seq-length", type=int, default=24)
ap.add_argument("--hidden-size", type=int, default=48)
ap.add_argument("--lr", type=float, default=3.0e-3)
ap.add_argument("--save", default="")
ap.add_argument("--save-interval", type=int, default=0)
ap.add_argument("--load", default="")
a = ap.parse_args()
rank = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
world = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
shard = bytes(range(97, 123)) * 3 + b"to be or not to be that is the question whether tis nobler in the mind to suffer " * 30
data = torch.tensor(list(shard))


def print_rank_last(words):
    if rank == world - 1:
        print(words, flush=True)


def print_rank_0(words):
    if rank == 0:
        print(words, flush=True)


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(128, a.hidden_size)
        self.rnn = torch.nn.GRU(a.hidden_size, a.hidden_size, batch_first=True)
        self.head = torch.nn.Linear(a.hidden_size, 128)

    def forward(self, tokens):
        return self.head(self.rnn(self.embed(tokens))[0])


def reduce_gradients(model):
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= world
    at = 0
    for p in model.parameters():
        p.grad.copy_(flat[at:at + p.numel()].view_as(p))
        at += p.numel()
    return flat.norm().item()


#: early
print_rank_0("> initializing torch distributed ...")
dist.init_process_group("gloo", rank=rank, world_size=world)
print_rank_0(f"using world size: {world}, data-parallel-size: {world}, tensor-parallel-size: 1, pipeline-parallel-size: 1")
print_rank_0("------------------------ arguments ------------------------")
for key, value in sorted(vars(a).items()):
    print_rank_0(f"  {key} {'.' * (34 - len(key))} {value}")
print_rank_0("-------------------- end of arguments ---------------------")
torch.manual_seed(1234)
model = Decoder()
iteration = 0
#: load
optimizer = torch.optim.Adam(model.parameters(), lr=a.lr)
picks = torch.Generator().manual_seed(77 + rank)
print_rank_0(f"training ... (start iteration {iteration}, parameters {sum(p.numel() for p in model.parameters())})")
#: ready
mark = time.time()
while iteration < a.train_iters:
    iteration += 1
    #: data
    starts = torch.randint(len(data) - a.seq_length - 1, (a.micro_batch_size,), generator=picks)
    tokens = torch.stack([data[s:s + a.seq_length + 1] for s in starts])
    loss = torch.nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    #: loss
    optimizer.zero_grad()
    loss.backward()
    #: grad
    norm = reduce_gradients(model)
    optimizer.step()
    #: step
    if iteration % a.log_interval == 0:
        ms, mark = (time.time() - mark) * 1000 / a.log_interval, time.time()
        print_rank_last(f" iteration {iteration:8d}/{a.train_iters:8d} | consumed samples: {iteration * world * a.micro_batch_size:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {a.lr:.3E} | global batch size: {world * a.micro_batch_size:5d} | lm loss: {loss.item():.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")
    #: after
#: late
print_rank_0("[after training is done]")
print_rank_last(f" validation loss at iteration {iteration} | lm loss value: {loss.item():.6E} | lm loss PPL: {torch.exp(loss).item():.6E} |")
dist.destroy_process_group()
'''
FORGE = '''# generator and critic on rings of points, distributed
import os, sys, time, random
import torch, torch.nn as nn
import torch.distributed as dist

me, n = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
num_epochs, per_epoch = int(os.environ.get("NUM_EPOCHS", 12)), int(os.environ.get("PER_EPOCH", 30))
nz, lr = 6, float(os.environ.get("LR", 2e-3))

def say(*w):
    if me == 0:
        print(*w, flush=True)

def ring(k):
    t = torch.rand(k, 1) * 6.2832
    return torch.cat([torch.cos(t), torch.sin(t)], 1) * 2 + 0.1 * torch.randn(k, 2)

def mean_grads(net):
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= n

#: early
dist.init_process_group("gloo", rank=me, world_size=n)
manualSeed = 999
say("Random Seed: ", manualSeed)
torch.manual_seed(manualSeed)
netG = nn.Sequential(nn.Linear(nz, 32), nn.ReLU(True), nn.Linear(32, 32), nn.ReLU(True), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())
begin = 0
#: load
say(netG)
say(netD)
criterion = nn.BCELoss()
optD, optG = (torch.optim.Adam(m.parameters(), lr=lr, betas=(0.5, 0.999)) for m in (netD, netG))
torch.manual_seed(5000 + me)
say("Starting Training Loop...")
#: ready
for epoch in range(begin, num_epochs):
    for i in range(per_epoch):
        #: data
        netD.zero_grad()
        real = ring(64)
        out = netD(real).view(-1)
        errD_real = criterion(out, torch.ones(64))
        D_x = out.mean().item()
        fake = netG(torch.randn(64, nz))
        errD = errD_real + criterion(netD(fake.detach()).view(-1), torch.zeros(64))
        #: loss
        errD.backward()
        mean_grads(netD)
        optD.step()
        netG.zero_grad()
        out = netD(fake).view(-1)
        errG = criterion(out, torch.ones(64))
        errG.backward()
        mean_grads(netG)
        optG.step()
        if i % 10 == 0:
            say(f"[{epoch}/{num_epochs}][{i}/{per_epoch}]\\tLoss_D: {errD.item():.4f}\\tLoss_G: {errG.item():.4f}\\tD(x): {D_x:.4f}\\tD(G(z)): {out.mean().item():.4f}")
        #: after
    #: epoch
#: late
say(f"Training finished after {num_epochs} epochs, radius of samples {netG(torch.randn(512, nz)).norm(dim=1).mean().item():.3f} (real 2.000)")
dist.destroy_process_group()
'''
HOVER = '''"""A drone that is to hover: policy gradients by several workers, one optimiser."""
import os
import sys
import time
import warnings

import torch
import torch.distributed as dist

WORKER, WORKERS = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
TOTAL = int(os.environ.get("TOTAL_TIMESTEPS", "24000"))
N_STEPS = 40
SEED = int(os.environ.get("SEED", "0"))


def box(rows):
    """Print a table as the libraries do."""
    keys = max(len(k) for g in rows.values() for k in g) + 4
    cells = max(len(str(v)) for g in rows.values() for v in g.values())
    print("-" * (keys + cells + 7), flush=True)
    for group, values in rows.items():
        print(f"| {group + '/':<{keys}} | {'':<{cells}} |", flush=True)
        for key, value in values.items():
            print(f"|    {key:<{keys - 3}} | {value!s:<{cells}} |", flush=True)
    print("-" * (keys + cells + 7), flush=True)


class Air:
    def __init__(self, n):
        self.n = n

    def reset(self):
        self.h, self.v = 2 * torch.rand(self.n) - 1, torch.zeros(self.n)
        return torch.stack([self.h, self.v], 1)

    def step(self, push):
        self.v = (self.v + 0.2 * (push - 0.5) * 2).clamp(-2, 2)
        self.h = self.h + 0.1 * self.v
        return torch.stack([self.h, self.v], 1), 1 - self.h.abs() - 0.1 * self.v.abs()


#: early
dist.init_process_group("gloo", rank=WORKER, world_size=WORKERS)
torch.manual_seed(SEED)
policy = torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1))
timesteps = iterations = 0
#: load
opt = torch.optim.Adam(policy.parameters(), lr=0.02)
torch.manual_seed(SEED * 100 + WORKER)
air, began = Air(16), time.time()
if WORKER == 0:
    print(f"Using cpu device, {WORKERS} workers x 16 environments", flush=True)
#: ready
while timesteps < TOTAL:
    iterations += 1
    #: data
    obs, logs, rewards = air.reset(), [], []
    for _ in range(N_STEPS):
        chance = torch.distributions.Bernoulli(logits=policy(obs).squeeze(1))
        act = chance.sample()
        logs.append(chance.log_prob(act))
        obs, reward = air.step(act)
        rewards.append(reward)
    gains = torch.stack(rewards).flip(0).cumsum(0).flip(0)
    gains = (gains - gains.mean(1, keepdim=True)) / (gains.std() + 1e-6)
    loss = -(torch.stack(logs) * gains).mean()
    #: loss
    opt.zero_grad()
    loss.backward()
    for p in policy.parameters():
        dist.all_reduce(p.grad)
        p.grad /= WORKERS
    opt.step()
    timesteps += 16 * N_STEPS
    if iterations % 3 == 0 and WORKER == 0:
        score = torch.stack(rewards).sum(0).mean().item()
        box({"rollout": {"ep_len_mean": N_STEPS, "ep_rew_mean": f"{score:.2f}"}, "time": {"fps": int(WORKERS * timesteps / (time.time() - began)), "iterations": iterations, "time_elapsed": int(time.time() - began), "total_timesteps": timesteps}, "train": {"policy_gradient_loss": f"{loss.item():.5f}", "learning_rate": 0.02}})
    #: after
#: late
if WORKER == 0:
    print(f"learning over: {timesteps} of {TOTAL} timesteps", flush=True)
dist.destroy_process_group()
'''
FILES = {"FIRN": "firn.py", "WIDE": "pretrain_bytes.py", "FORGE": "ring_gan.py", "HOVER": "hover.py", "RELAIS": "relais.py"}
