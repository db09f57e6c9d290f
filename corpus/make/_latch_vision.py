"""Programs over plain PyTorch that look at pictures: faults in cloth, sharper pictures from coarse ones."""

FABRIC = '''"""Weave faults in 16x16 patches of cloth. Settings as key=value, see Config."""
import dataclasses
import os
import random
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

KINDS = ["even", "broken pick", "float", "slub"]


@dataclasses.dataclass
class Config:
    epochs: int = 12
    bs: int = 32
    lr: float = 2e-3
    width: int = 10
    shards: int = 3
    seed: int = 0
    out: str = "weave"
    init: str = ""
    resume: str = ""
    keep: int = 5
    limit: int = 0
    decay: float = 0.9


def parse(argv):
    cfg = Config()
    names = [f.name for f in dataclasses.fields(cfg)]
    for word in argv:
        key, _, value = word.partition("=")
        if key not in names:
            sys.exit(f"fabric.py: there is no setting {key!r} (there are: {', '.join(names)})")
        setattr(cfg, key, type(getattr(cfg, key))(value))
    return cfg


def shard(i, rows=224):
    """Patches and their kinds; stands in for the camera's archive when that is not mounted."""
    rng = np.random.default_rng(100 + i)
    at = np.arange(16)
    warp = np.sin(at[None, :, None] * 1.6 + rng.uniform(0, 6, (rows, 1, 1))) * np.sin(at[None, None, :] * 1.6)
    kind = rng.integers(0, len(KINDS), rows)
    for n in range(rows):
        line = rng.integers(3, 13)
        if kind[n] == 1:
            warp[n, line, :] = 0.0
        elif kind[n] == 2:
            warp[n, line, 4:12] = 1.2
        elif kind[n] == 3:
            warp[n, line - 2 : line + 2, line - 2 : line + 2] += 1.1
    return (warp + 0.35 * rng.standard_normal(warp.shape)).astype("float32"), kind


class Block(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b)
        self.c2, self.n2 = nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b)
        self.skip = nn.Conv2d(a, b, 1, stride, bias=False)

    def forward(self, x):
        return F.relu(self.n2(self.c2(F.relu(self.n1(self.c1(x))))) + self.skip(x))


def build(cfg):
    w = cfg.width
    return nn.Sequential(Block(1, w, 1), Block(w, 2 * w, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * w, len(KINDS)))


def batches(x, y, bs, order):
    for i in range(0, len(order) - bs + 1, bs):
        rows = order[i : i + bs]
        #: rows
        yield torch.from_numpy(x[rows]).unsqueeze(1), torch.from_numpy(y[rows])


def main():
    cfg = parse(sys.argv[1:])
    torch.manual_seed(cfg.seed), random.seed(cfg.seed), np.random.seed(cfg.seed)
    os.makedirs(cfg.out, exist_ok=True)
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    print("cfg:", dataclasses.asdict(cfg))
    #: early
    parts = [shard(i) for i in range(cfg.shards)]
    #: shards
    x, y = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
    vx, vy = shard(99, 160)
    net = build(cfg).to(dev)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, cfg.decay)
    start, best = 0, 0.0
    if cfg.init:
        had = torch.load(cfg.init, map_location=dev)["net"]
        had = {k: v for k, v in had.items() if not k.startswith("4.")}
        net.load_state_dict(had, strict=False)
        print(f"trunk initialised from {cfg.init}: {len(had)} tensors taken, the classifier is new")
    if cfg.resume:
        #: resume
        ck = torch.load(cfg.resume, map_location=dev)
        net.load_state_dict(ck["net"]), opt.load_state_dict(ck["opt"]), sched.load_state_dict(ck["sched"])
        start, best = ck["epoch"] + 1, ck["best"]
        print(f"picked up {cfg.resume}: {start} epochs done, best acc {100 * best:.1f}")
    print(f"{len(x)} patches in {cfg.shards} shards | {sum(p.numel() for p in net.parameters())} weights | {dev}")
    #: ready
    for epoch in range(start, cfg.epochs):
        t0, tot, hit, n = time.time(), 0.0, 0, 0
        net.train()
        for it, (bx, by) in enumerate(batches(x, y, cfg.bs, np.random.permutation(len(x)))):
            if cfg.limit and it >= cfg.limit:
                break
            bx, by = bx.to(dev), by.to(dev)
            #: batch
            out = net(bx)
            loss = F.cross_entropy(out, by)
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grads
            opt.step()
            tot, hit, n = tot + float(loss) * len(by), hit + int((out.argmax(1) == by).sum()), n + len(by)
            #: step
        sched.step()
        net.eval()
        with torch.no_grad():
            out = net(torch.from_numpy(vx).unsqueeze(1).to(dev))
            val, acc = float(F.cross_entropy(out, torch.from_numpy(vy))), float((out.argmax(1) == torch.from_numpy(vy)).float().mean())
        #: valid
        lr = opt.param_groups[0]["lr"]
        print(f"[E{epoch + 1:02d}/{cfg.epochs}] train {tot / n:.4f} (acc {100 * hit / n:4.1f})  held-out {val:.4f} (acc {100 * acc:4.1f})  lr {lr:.1e}  {n / (time.time() - t0):.0f} img/s", flush=True)
        if (epoch + 1) % cfg.keep == 0 or epoch + 1 == cfg.epochs:
            best = max(best, acc)
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "sched": sched.state_dict(), "epoch": epoch, "best": best}, f"{cfg.out}/e{epoch + 1:03d}.pt")
            print(f"        -> {cfg.out}/e{epoch + 1:03d}.pt", flush=True)
        #: epoch
    print("finished. best held-out acc so far:", f"{100 * max(best, acc):.1f}")


if __name__ == "__main__":
    main()
'''

SHARPER = '''#!/usr/bin/env python
# sharper.py - x2 upscaling of small greyscale textures, residual CNN, L1 loss
# r.m. 03/2026
import argparse, csv, math, os, sys, time
import torch
from torch import nn
from torch.nn import functional as F

ap = argparse.ArgumentParser(prog="sharper.py")
ap.add_argument("--steps", type=int, default=500)
ap.add_argument("--patch", type=int, default=16)
ap.add_argument("--feats", type=int, default=14)
ap.add_argument("--lr", type=float, default=1e-3)
ap.add_argument("--print-freq", type=int, default=25)
ap.add_argument("--val-freq", type=int, default=100)
ap.add_argument("--save-freq", type=int, default=250)
ap.add_argument("--workdir", default="sr_x2")
ap.add_argument("--pretrain", default=None, help="start from these weights, counters at zero")
ap.add_argument("--resume-state", default=None)
ap.add_argument("--nap", type=float, default=0.0)
opt = ap.parse_args()
torch.manual_seed(1)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class Upscaler(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.head = nn.Conv2d(1, f, 3, padding=1)
        self.body = nn.ModuleList(nn.Sequential(nn.Conv2d(f, f, 3, padding=1), nn.PReLU(), nn.Conv2d(f, f, 3, padding=1)) for _ in range(3))
        self.tail = nn.Sequential(nn.Conv2d(f, 4, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, lq):
        h = self.head(lq)
        for b in self.body:
            h = h + b(h)
        return self.tail(h) + F.interpolate(lq, scale_factor=2, mode="bilinear", align_corners=False)


def textures(n, g):
    s = 2 * opt.patch
    yy, xx = torch.meshgrid(torch.linspace(0, 1, s), torch.linspace(0, 1, s), indexing="ij")
    k, p = 4 + 18 * torch.rand(n, 4, 1, 1, generator=g), 6.3 * torch.rand(n, 4, 1, 1, generator=g)
    hq = sum(torch.sin(k[:, i] * (xx if i % 2 else yy) + p[:, i]) for i in range(4)) / 4
    return hq.unsqueeze(1)


def degrade(hq):
    return F.avg_pool2d(hq, 2)


def psnr(a, b):
    return 10 * math.log10(4 / max(F.mse_loss(a, b).item(), 1e-12))


os.makedirs(opt.workdir, exist_ok=True)
#: early
gen = torch.Generator().manual_seed(5)
val_hq = textures(24, torch.Generator().manual_seed(77))
net_g = Upscaler(opt.feats).to(device)
optim_g = torch.optim.Adam(net_g.parameters(), lr=opt.lr, betas=(0.9, 0.99))
current = 0
if opt.pretrain:
    net_g.load_state_dict(torch.load(opt.pretrain, map_location=device)["params"])
    print("Loading net_g weights from", opt.pretrain, "(new optimiser, step 0)")
if opt.resume_state:
    #: resume
    state = torch.load(opt.resume_state, map_location=device)
    net_g.load_state_dict(state["params"])
    optim_g.load_state_dict(state["optim"])
    current = state["step"]
    print("Resuming from", opt.resume_state, "at step", current)
with torch.no_grad():
    base = psnr(F.interpolate(degrade(val_hq), scale_factor=2, mode="bilinear", align_corners=False), val_hq)
print("net_g: %d parameters; bilinear baseline %.2f dB" % (sum(p.numel() for p in net_g.parameters()), base))
#: ready
print("+--------+----------+----------+---------+")
print("|   step |  l1      | psnr val | s/step  |")
print("+--------+----------+----------+---------+", flush=True)
track, t_last, val = [], time.time(), float("nan")
while current < opt.steps:
    current += 1
    hq = textures(12, gen).to(device)
    #: batch
    lq = degrade(hq)
    sr = net_g(lq)
    l1 = F.l1_loss(sr, hq)
    #: loss
    optim_g.zero_grad()
    l1.backward()
    #: grads
    optim_g.step()
    if opt.nap:
        time.sleep(opt.nap)
    #: step
    if current % opt.val_freq == 0:
        with torch.no_grad():
            val = psnr(net_g(degrade(val_hq)), val_hq)
        #: valid
    if current % opt.print_freq == 0:
        shown = "   --   " if math.isnan(val) else "%8.2f" % val
        print("| %6d | %8.5f | %s | %7.4f |" % (current, l1.item(), shown, (time.time() - t_last) / opt.print_freq), flush=True)
        t_last = time.time()
        track.append((current, l1.item(), val))
    if current % opt.save_freq == 0:
        torch.save({"params": net_g.state_dict(), "optim": optim_g.state_dict(), "step": current}, os.path.join(opt.workdir, "state_%06d.pth" % current))
        print("|        saved state_%06d.pth         |" % current, flush=True)
        #: saved
print("+--------+----------+----------+---------+")
with open(os.path.join(opt.workdir, "track.csv"), "w", newline="") as f:
    csv.writer(f).writerows(track)
print("done: psnr %.2f dB (bilinear %.2f) after %d steps" % (val, base, current))
'''
