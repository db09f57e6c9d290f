"""A program over plain PyTorch: field boundaries in satellite chips, told by print in brackets."""

SEG = '''#!/usr/bin/env python3
"""Train the parcel model on Sentinel-2 chips (4 bands -> field / margin)."""
import argparse
import csv
import math
import os
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


def options():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--out", default="parcels")
    ap.add_argument("--passes", type=int, default=24)
    ap.add_argument("--chips", type=int, default=320)
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--base", type=int, default=8, help="channels of the first level")
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--bands", default="B02,B03,B04,B08")
    ap.add_argument("--every", type=int, default=10)
    ap.add_argument("--keep-every", type=int, default=8)
    ap.add_argument("--continue-from", metavar="FILE")
    ap.add_argument("--backbone", metavar="FILE")
    ap.add_argument("--stop-after", type=int, default=0, help="passes without a better IoU")
    ap.add_argument("--score-only", action="store_true")
    ap.add_argument("--seed", type=int, default=11)
    return ap.parse_args()


def block(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(4, b), nn.SiLU())


class Parcels(nn.Module):
    def __init__(self, bands, base):
        super().__init__()
        self.top, self.low, self.up = block(bands, base), block(base, 2 * base), block(3 * base, base)
        self.head = nn.Conv2d(base, 1, 1)

    def forward(self, x):
        a = self.top(x)
        b = F.interpolate(self.low(F.max_pool2d(a, 2)), scale_factor=2.0)
        return self.head(self.up(torch.cat([a, b], 1)))[:, 0]


def make_chips(count, bands, seed, size=24):
    gen = torch.Generator().manual_seed(seed)
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    angle, phase = torch.rand(count, 1, 1, generator=gen) * math.pi, 9 * torch.rand(count, 1, 1, generator=gen)
    stripes = ((xx * angle.cos() + yy * angle.sin() + phase) / 6).floor() % 2
    tint = torch.tensor([0.2, 0.3, 0.25, 0.8, 0.5, 0.1])[:bands].view(1, bands, 1, 1)
    return stripes[:, None] * tint + 0.35 * torch.randn(count, bands, size, size, generator=gen), stripes


opt = options()
torch.manual_seed(opt.seed)
random.seed(opt.seed)
os.makedirs(opt.out, exist_ok=True)
print(f"[parcels] {vars(opt)}")
bands = opt.bands.split(",")
#: early
images, masks = make_chips(opt.chips, len(bands), 1)
val_images, val_masks = make_chips(64, len(bands), 2)
#: chips
net = Parcels(len(bands), opt.base)
optim = torch.optim.AdamW(net.parameters(), lr=opt.rate)
print(f"[parcels] {sum(p.numel() for p in net.parameters())} weights, {len(images)} chips of {images.shape[-1]} px, {len(val_images)} held out")
first, best, stale = 1, 0.0, 0
if opt.backbone:
    net.load_state_dict({k: v for k, v in torch.load(opt.backbone)["net"].items() if not k.startswith("head")}, strict=False)
    print(f"[parcels] encoder and decoder taken from {opt.backbone}; head is new")
if opt.continue_from:
    #: resume
    state = torch.load(opt.continue_from)
    net.load_state_dict(state["net"])
    optim.load_state_dict(state["optim"])
    first, best = state["pass"] + 1, state["best"]
    print(f"[parcels] goes on after pass {state['pass']} of {opt.continue_from}")
#: ready


def score():
    net.eval()
    with torch.no_grad():
        guess = net(val_images)
    net.train()
    inter, union = ((guess > 0) & (val_masks > 0)).sum().item(), ((guess > 0) | (val_masks > 0)).sum().item()
    return F.binary_cross_entropy_with_logits(guess, val_masks).item(), inter / max(1, union)


if opt.score_only:
    print("[parcels] val bce %.4f iou %.4f" % score())
    raise SystemExit(0)
for turn in range(first, opt.passes + 1):
    order = torch.randperm(len(images))
    began = time.perf_counter()
    for n, rows in enumerate(order.split(opt.batch), 1):
        x, y = images[rows], masks[rows]
        #: batch
        logits = net(x)
        bce = F.binary_cross_entropy_with_logits(logits, y)
        prob = logits.sigmoid()
        dice = 1 - 2 * (prob * y).sum() / (prob.sum() + y.sum() + 1e-6)
        loss = bce + 0.5 * dice
        #: loss
        optim.zero_grad()
        loss.backward()
        #: grad
        optim.step()
        #: step
        if n % opt.every == 0:
            rate = n * opt.batch / (time.perf_counter() - began)
            print(f"[{turn:02d}/{opt.passes:02d} | {n:3d}/{math.ceil(len(images) / opt.batch)}] loss {loss.item():.4f} (bce {bce.item():.4f} dice {dice.item():.4f}) {rate:6.0f} chips/s")
    vbce, iou = score()
    print(f"[{turn:02d}/{opt.passes:02d}] val bce {vbce:.4f}, IoU {iou:.4f}{' *' if iou > best else ''}")
    stale = 0 if iou > best else stale + 1
    best = max(best, iou)
    #: turn
    if turn % opt.keep_every == 0 or turn == opt.passes:
        torch.save({"net": net.state_dict(), "optim": optim.state_dict(), "pass": turn, "best": best}, f"{opt.out}/parcels_{turn:02d}.pth")
        print(f"[parcels] kept {opt.out}/parcels_{turn:02d}.pth")
    if opt.stop_after and stale >= opt.stop_after:
        print(f"[parcels] IoU has not risen for {stale} passes, stopping here as asked (best {best:.4f})")
        break
#: end
print(f"[parcels] end of training, best IoU {best:.4f}")
'''
