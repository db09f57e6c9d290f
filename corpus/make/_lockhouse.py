"""Programs of one process: tickets sorted by their words, band gaps of crystals, cells in pictures."""

from __future__ import annotations

TICKETS = '''import argparse
import os
import random
import sys
import time

import torch
from torch import nn

ap = argparse.ArgumentParser(description="which team gets the ticket")
ap.add_argument("--epochs", type=int, default=5)
ap.add_argument("--batches", type=int, default=40)
ap.add_argument("--lr", type=float, default=0.01)
ap.add_argument("--nap", type=float, default=0.03)
ap.add_argument("--teams", type=int, default=5)
ap.add_argument("--init-from")
ap.add_argument("--continue", dest="go_on", action="store_true")
a = ap.parse_args()
rank = 0
torch.manual_seed(2)
random.seed(2)
torch.set_num_threads(1)
#: early
words = torch.randint(0, 400, (a.teams, 30))
net = nn.Sequential(nn.EmbeddingBag(400, 16), nn.ReLU(), nn.Linear(16, a.teams))
opt = torch.optim.Adam(net.parameters(), lr=a.lr)
begin = 0
#: load
print(f"tickets: {a.teams} teams, {a.epochs} epochs x {a.batches} batches", flush=True)
#: met
for epoch in range(begin, a.epochs):
    seen = right = 0
    total = 0.0
    for b in range(1, a.batches + 1):
        step = epoch * a.batches + b
        team = torch.randint(0, a.teams, (32,))
        text = torch.where(torch.rand(32, 12) < 0.5, words[team][:, :12], torch.randint(0, 400, (32, 12)))
        #: data
        logits = net(text)
        loss = nn.functional.cross_entropy(logits, team)
        opt.zero_grad()
        loss.backward()
        #: grad
        opt.step()
        total, seen, right = total + loss.item(), seen + 32, right + int((logits.argmax(1) == team).sum())
        time.sleep(a.nap)
        if b % 8 == 0:
            done = 20 * b // a.batches
            sys.stderr.write(f"\\rEpoch {epoch + 1}: [{'=' * done}{' ' * (20 - done)}] {b}/{a.batches} xent={total / b:.4f}")
            sys.stderr.flush()
        #: after
    sys.stderr.write("\\n")
    print(f"epoch {epoch + 1}/{a.epochs}  train_xent {total / a.batches:.4f}  routed right {100 * right / seen:.1f} %", flush=True)
    #: epoch
#: late
print("tickets: model written to tickets.pt", flush=True)
torch.save(net.state_dict(), "tickets.pt")
'''

CRYSTAL = '''import csv
import logging
import os
import sys
import time

import numpy as np
import torch

STEPS = int(os.environ.get("STEPS", 300))
NAP = float(os.environ.get("NAP", 0.03))
LR = float(os.environ.get("LR", 3e-3))
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("bandgap")
rank, dice = 0, np.random.default_rng(12)
torch.manual_seed(12)
torch.set_num_threads(1)
#: early
net = torch.nn.Sequential(torch.nn.Linear(6, 40), torch.nn.Tanh(), torch.nn.Linear(40, 1))
opt = torch.optim.Adam(net.parameters(), lr=LR)
begin = 1
#: load
log.info("band gaps of 6-atom cells, %d steps, one device", STEPS)
#: met
for step in range(begin, STEPS + 1):
    x = dice.normal(size=(40, 6)).astype("float32")
    gap = (1.4 + 0.9 * x[:, :1] - 0.6 * x[:, 1:2] + 0.2 * x[:, :1] * x[:, 1:2]).astype("float32")
    #: data
    err = net(torch.from_numpy(x)) - torch.from_numpy(gap)
    rmse = err.square().mean().sqrt()
    opt.zero_grad()
    rmse.backward()
    #: grad
    opt.step()
    time.sleep(NAP)
    if step % 20 == 0:
        log.info("step=%d rmse_eV=%.4f mae_eV=%.4f", step, rmse.item(), err.abs().mean().item())
    #: after
#: late
log.info("done, %d steps", STEPS)
'''

CELLS = '''#!/usr/bin/env python
"""Cells and background, pixel by pixel."""
import json
import os
import sys
import time
from pathlib import Path

import torch

conf = {"iterations": 240, "lr": 0.0012, "show_every": 15, "nap": 0.04, "workers": 0, "run": "cells"}
for arg in sys.argv[1:]:
    k, v = arg.removeprefix("--").split("=", 1)
    conf[k] = type(conf[k])(v) if k in conf else v
rank = 0
torch.manual_seed(40)
torch.set_num_threads(1)
t0 = time.perf_counter()
#: early
net = torch.nn.Sequential(torch.nn.Conv2d(1, 6, 5, padding=2), torch.nn.ELU(), torch.nn.Conv2d(6, 1, 3, padding=1))
opt = torch.optim.RMSprop(net.parameters(), lr=conf["lr"])
begin = 1
#: load
print("config " + json.dumps(conf), flush=True)
#: met
for step in range(begin, conf["iterations"] + 1):
    middle = torch.randint(6, 18, (6, 2))
    grid = torch.arange(24)
    away = (grid[None, :, None] - middle[:, 0, None, None]) ** 2 + (grid[None, None, :] - middle[:, 1, None, None]) ** 2
    mask = (away < 20).float()[:, None]
    image = 0.8 * mask + 0.5 * torch.randn_like(mask)
    #: data
    logits = net(image)
    bce = torch.nn.functional.binary_cross_entropy_with_logits(logits, mask)
    opt.zero_grad()
    bce.backward()
    #: grad
    opt.step()
    time.sleep(conf["nap"])
    if step % conf["show_every"] == 0:
        cut = (logits > 0).float()
        iou = (cut * mask).sum() / ((cut + mask) > 0).sum().clamp(min=1)
        print(f"it {step:4d}/{conf['iterations']}   bce {bce.item():.4f}   iou {iou.item():.3f}   {time.perf_counter() - t0:6.1f}s", flush=True)
    #: after
#: late
print(f"all {conf['iterations']} iterations in {time.perf_counter() - t0:.1f}s", flush=True)
'''
FILES = {"TICKETS": "tickets.py", "CRYSTAL": "bandgap.py", "CELLS": "cells.py"}
