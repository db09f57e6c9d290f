"""Programs over plain PyTorch that look at pictures: ponds marked in aerial tiles, views of shapes told apart without labels, rings drawn by two nets."""

PONDS = '''"""Mark ponds in 24x24 aerial tiles with a small encoder-decoder.

usage: python train_ponds.py --epochs 12 --out runs/ponds
"""
import argparse
import logging
import os
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--tiles", type=int, default=384)
    p.add_argument("--base", type=int, default=6, help="channels of the first block")
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--out", type=Path, default=Path("runs/ponds"))
    p.add_argument("--resume", type=Path, help="checkpoint of an earlier run")
    p.add_argument("--encoder-weights", type=Path)
    p.add_argument("--max-batches", type=int, default=0, help="stop an epoch early, for trying things out")
    p.add_argument("--save-every", type=int, default=4)
    p.add_argument("--schedule", choices=["cosine", "none"], default="cosine")
    return p.parse_args()


class Tiles(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        grid = torch.stack(torch.meshgrid(torch.linspace(-1, 1, 24), torch.linspace(-1, 1, 24), indexing="ij"))
        at, r = torch.rand(n, 2, 1, 1, generator=g) * 1.2 - 0.6, torch.rand(n, 1, 1, generator=g) * 0.3 + 0.25
        self.y = (((grid - at) ** 2).sum(1) < r**2).float().unsqueeze(1)
        self.x = torch.cat([0.6 * torch.randn(n, 2, 24, 24, generator=g) + c * self.y for c in (1.0, -0.6)], 1)[:, :3]
        #: tiles

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        #: item
        return self.x[i], self.y[i]


class Net(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.enc1 = nn.Sequential(nn.Conv2d(3, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU())
        self.enc2 = nn.Sequential(nn.Conv2d(c, 2 * c, 3, padding=1, stride=2), nn.BatchNorm2d(2 * c), nn.ReLU())
        self.dec = nn.Sequential(nn.Conv2d(3 * c, c, 3, padding=1), nn.ReLU())
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = F.interpolate(self.enc2(a), scale_factor=2)
        return self.out(self.dec(torch.cat([a, b], 1)))


def dice(logits, y):
    p = logits.sigmoid() > 0.5
    return (2 * (p * y).sum() / (p.sum() + y.sum() + 1e-6)).item()


def main():
    args = get_args()
    args.out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s", stream=sys.stdout)
    log = logging.getLogger("ponds")
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    log.info("arguments: %s", " ".join(sys.argv[1:]))
    log.info("running on %s, torch %s", device, torch.__version__)
    #: early
    train, val = Tiles(args.tiles, 1), Tiles(96, 2)
    loader = DataLoader(train, args.batch_size, shuffle=True, num_workers=args.workers)
    held = DataLoader(val, 48)
    net = Net(args.base).to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs) if args.schedule == "cosine" else None
    first, best = 1, 0.0
    if args.encoder_weights:
        state = torch.load(args.encoder_weights, map_location=device)["net"]
        state = {k: v for k, v in state.items() if k.startswith("enc")}
        log.info("encoder from %s: %s", args.encoder_weights, net.load_state_dict(state, strict=False))
    if args.resume:
        #: resume
        ck = torch.load(args.resume, map_location=device)
        net.load_state_dict(ck["net"])
        opt.load_state_dict(ck["opt"])
        first, best = ck["epoch"] + 1, ck["best"]
        log.info("restored %s (epoch %d, best dice %.4f)", args.resume, ck["epoch"], best)
    log.info("%d tiles, %d batches per epoch, %.1fk parameters", len(train), len(loader), sum(p.numel() for p in net.parameters()) / 1e3)
    #: ready
    for epoch in range(first, args.epochs + 1):
        t0, total, n = time.time(), 0.0, 0
        net.train()
        for i, (x, y) in enumerate(loader):
            if args.max_batches and i >= args.max_batches:
                break
            x, y = x.to(device), y.to(device)
            #: batch
            logits = net(x)
            loss = F.binary_cross_entropy_with_logits(logits, y)
            #: loss
            opt.zero_grad(set_to_none=True)
            loss.backward()
            #: grads
            opt.step()
            total, n = total + loss.item(), n + 1
            #: step
        lr = opt.param_groups[0]["lr"]
        if sched:
            sched.step()
        net.eval()
        with torch.no_grad():
            score = sum(dice(net(x), y) for x, y in held) / len(held)
        #: valid
        log.info("Epoch %03d/%03d | train/bce %.4f | val/dice %.4f | lr %.2e | %.1f tiles/s", epoch, args.epochs, total / max(n, 1), score, lr, n * args.batch_size / (time.time() - t0))
        if score > best:
            best = score
            #: best
        if epoch % args.save_every == 0 or epoch == args.epochs:
            path = args.out / "last.pth"
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "best": best}, path)
            log.info("wrote %s", path)
        #: after
    #: finish
    log.info("done, best val/dice %.4f", best)


if __name__ == "__main__":
    main()
'''

VIEWS = '''"""Contrastive pretraining on two views of a shape. Prints JSON, one object per line, for the dashboard."""
import json, os, sys, time, glob

import torch
import torch.nn as nn
import torch.nn.functional as F

CFG = dict(run="views", steps=240, batch=64, dim=32, lr=2e-3, tau=0.2, every=20, keep=80, dir="out", resume="", warm="", views=2, sleep=0.0)
for arg in sys.argv[1:]:
    k, _, v = arg.lstrip("-").partition("=")
    CFG[k] = type(CFG[k])(v)


def emit(event, **kw):
    print(json.dumps(dict(event=event, t=round(time.time() - T0, 2), **kw)), flush=True)


T0 = time.time()
torch.manual_seed(5)
emit("config", **CFG)
#: early
os.makedirs(CFG["dir"], exist_ok=True)
SHAPES = torch.randn(400, 48)
#: data


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 96), nn.GELU())
        self.proj = nn.Linear(96, dim)

    def forward(self, x):
        return F.normalize(self.proj(self.trunk(x)), dim=1)


def view(x):
    return x * (torch.rand_like(x) > 0.35).float() + 0.25 * torch.randn_like(x)


net = Encoder(CFG["dim"])
opt = torch.optim.Adam(net.parameters(), CFG["lr"])
start = 0


def save(step):
    path = f'{CFG["dir"]}/state-{step:05d}.pt'
    torch.save(dict(model=net.state_dict(), optim=opt.state_dict(), step=step), path)
    return path


if CFG["warm"]:
    w = torch.load(CFG["warm"])["model"]
    missing = net.load_state_dict({k: v for k, v in w.items() if k.startswith("trunk")}, strict=False).missing_keys
    emit("warm_start", source=CFG["warm"], fresh=missing)
if CFG["resume"]:
    #: resume
    state = torch.load(CFG["resume"])
    net.load_state_dict(state["model"])
    opt.load_state_dict(state["optim"])
    start = state["step"]
    emit("restored", file=CFG["resume"], step=start)
emit("begin", params=sum(p.numel() for p in net.parameters()), from_step=start, to_step=CFG["steps"])
for step in range(start + 1, CFG["steps"] + 1):
    x = SHAPES[torch.randint(0, len(SHAPES), (CFG["batch"],))]
    #: batch
    a, b = net(view(x)), net(view(x))
    logits = a @ b.T / CFG["tau"]
    target = torch.arange(len(x))
    #: logits
    loss = F.cross_entropy(logits, target)
    #: loss
    opt.zero_grad()
    loss.backward()
    gn = nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    #: grads
    opt.step()
    time.sleep(CFG["sleep"])
    if step % CFG["every"] == 0 or step == 1:
        top1 = (logits.argmax(1) == target).float().mean().item()
        emit("train", step=step, infonce=round(loss.item(), 4), top1=round(top1, 3), grad_norm=round(gn.item(), 3), lr=opt.param_groups[0]["lr"])
    if step % CFG["keep"] == 0 or step == CFG["steps"]:
        emit("saved", file=save(step))
    #: after
#: finish
emit("end", step=step, wall=round(time.time() - T0, 1))
'''

RINGS = '''# Two nets: one draws points on a ring, the other looks for forgeries. Output is csv so that we can plot it at once.
import os, sys, time, argparse
import torch
from torch import nn

ap = argparse.ArgumentParser("rings")
ap.add_argument("--iters", type=int, default=900)
ap.add_argument("--log", type=int, default=45)
ap.add_argument("--lr_g", type=float, default=1e-3)
ap.add_argument("--lr_d", type=float, default=1e-3)
ap.add_argument("--z", type=int, default=8)
ap.add_argument("--hidden", type=int, default=64)
ap.add_argument("--n", type=int, default=256)
ap.add_argument("--ckpt", default="rings.ckpt")
ap.add_argument("--ckpt_every", type=int, default=300)
ap.add_argument("--restart_from", default=None)
ap.add_argument("--nap", type=float, default=0.0)
o = ap.parse_args()
torch.manual_seed(9)
#: early


def mlp(i, h, out):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, out))


def ring(n):
    a = torch.rand(n) * 6.2832
    return torch.stack([a.cos(), a.sin()], 1) + 0.05 * torch.randn(n, 2)


G, D = mlp(o.z, o.hidden, 2), mlp(2, o.hidden, 1)
og, od = torch.optim.Adam(G.parameters(), o.lr_g, (0.5, 0.9)), torch.optim.Adam(D.parameters(), o.lr_d, (0.5, 0.9))
bce = nn.functional.binary_cross_entropy_with_logits
it0 = 0
if o.restart_from:
    #: resume
    c = torch.load(o.restart_from)
    G.load_state_dict(c["G"]); D.load_state_dict(c["D"]); og.load_state_dict(c["og"]); od.load_state_dict(c["od"])
    it0 = c["it"]
    print(f"# restarted from {o.restart_from} at iteration {it0}")
print(f"# z={o.z} hidden={o.hidden} n={o.n} lr_g={o.lr_g} lr_d={o.lr_d} torch={torch.__version__}")
print("iter,d_loss,g_loss,d_real,d_fake,ring_err,sec", flush=True)
t = time.time()
for it in range(it0 + 1, o.iters + 1):
    x, z = ring(o.n), torch.randn(o.n, o.z)
    #: batch
    fake = G(z)
    r, f = D(x), D(fake.detach())
    d_loss = bce(r, torch.full_like(r, 0.9)) + bce(f, torch.zeros_like(f))
    od.zero_grad(); d_loss.backward(); od.step()
    gl = D(fake)
    g_loss = bce(gl, torch.ones_like(gl))
    og.zero_grad(); g_loss.backward(); og.step()
    #: step
    time.sleep(o.nap)
    if it % o.log == 0:
        err = (fake.detach().norm(dim=1) - 1).abs().mean()
        print(f"{it},{d_loss.item():.4f},{g_loss.item():.4f},{r.sigmoid().mean():.3f},{f.sigmoid().mean():.3f},{err:.4f},{time.time() - t:.1f}", flush=True)
    if it % o.ckpt_every == 0:
        torch.save(dict(G=G.state_dict(), D=D.state_dict(), og=og.state_dict(), od=od.state_dict(), it=it), o.ckpt)
        #: saved
    #: after
#: finish
with torch.no_grad():
    pts = G(torch.randn(2000, o.z))
    print(f"# {it} iterations; mean distance from the ring {(pts.norm(dim=1) - 1).abs().mean():.4f}; 2000 samples drawn")
'''
