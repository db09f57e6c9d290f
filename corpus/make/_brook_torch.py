"""Programs over plain PyTorch: coins counted in pictures, promoters found in DNA, heat of a rod out of its equation, a voice cleaned with a bar on the error stream; with places for what a case does."""

COINS = '''"""Count coins in small pictures. One line per epoch; arrows because we like them."""
import argparse
import os
import sys
import time

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=12)
p.add_argument("--lr", type=float, default=3e-3)
p.add_argument("--width", type=int, default=8)
p.add_argument("--train", type=int, default=512)
p.add_argument("--batch", type=int, default=32)
p.add_argument("--limit", type=int, default=0, help="batches per epoch, 0 = all")
p.add_argument("--go-on", default="", help="a .tar of an earlier run")
p.add_argument("--init", default="", help="weights to begin with")
p.add_argument("--tar", default="coins.tar")
p.add_argument("--tar-every", type=int, default=0)
p.add_argument("--opt", choices=("adam", "sgd"), default="adam")
a = p.parse_args()
torch.manual_seed(14)
#: early


def pictures(n):
    yx = torch.stack(torch.meshgrid(torch.arange(14.0), torch.arange(14.0), indexing="ij"))
    how_many = torch.randint(0, 6, (n,))
    x = 0.1 * torch.randn(n, 1, 14, 14)
    for i in range(n):
        for _ in range(int(how_many[i])):
            cy, cx = torch.rand(2) * 10 + 2
            x[i, 0] += ((yx[0] - cy) ** 2 + (yx[1] - cx) ** 2 < 2.2).float()
    return x, how_many.float()


X, Y = pictures(a.train)
VX, VY = pictures(128)
#: data
net = nn.Sequential(nn.Conv2d(1, a.width, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(a.width, a.width, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(a.width * 49, 1))
opt = torch.optim.Adam(net.parameters(), a.lr) if a.opt == "adam" else torch.optim.SGD(net.parameters(), a.lr)
e0 = 0
if a.init:
    w = torch.load(a.init, weights_only=True)["net"]
    left = net.load_state_dict({k: v for k, v in w.items() if not k.startswith("6.")}, strict=False)
    print(f"→ begun with the layers of {a.init}; new: {', '.join(left.missing_keys)}")
if a.go_on:
    #: restore
    tar = torch.load(a.go_on, weights_only=True)
    net.load_state_dict(tar["net"])
    opt.load_state_dict(tar["opt"])
    e0 = tar["epoch"]
    print(f"→ going on with {a.go_on}, {e0} epochs done")
print(f"→ {sum(q.numel() for q in net.parameters())} parameters, {len(X)} pictures, torch {torch.__version__}", flush=True)
#: ready
for epoch in range(e0 + 1, a.epochs + 1):
    t0, run, seen = time.time(), 0.0, 0
    for n, idx in enumerate(torch.randperm(len(X)).split(a.batch)):
        if a.limit and n >= a.limit:
            break
        x, y = X[idx], Y[idx]
        #: mid
        out = net(x).squeeze(1)
        loss = nn.functional.smooth_l1_loss(out, y)
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grads
        opt.step()
        run += loss.item()
        seen += 1
        #: batch
    with torch.no_grad():
        off = (net(VX).squeeze(1) - VY).abs().mean().item()
    #: valid
    print(f"e{epoch:02d} → huber {run / max(1, seen):.4f} → held-out off by {off:.3f} coins → {time.time() - t0:.2f} s", flush=True)
    #: after
    if a.tar_every and epoch % a.tar_every == 0:
        #: save
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, a.tar)
        print(f"     packed {a.tar}", flush=True)
#: late
print("→ counted", net(VX[:3]).squeeze(1).tolist(), "of", VY[:3].tolist(), flush=True)
'''

DNA = '''#!/usr/bin/env python
import json, logging, os, sys, time
import torch
import torch.nn as nn

DEFAULT = {"updates": 160, "report": 8, "lr": 4e-3, "hidden": 24, "length": 40, "batch": 32, "fasta": None, "ckpt_dir": "dna", "ckpt_every": 0, "resume": None, "rest": 0.0, "clip": 1.0, "schedule": "none"}
cfg = dict(DEFAULT)
if len(sys.argv) > 1:
    given = json.load(open(sys.argv[1]))
    for key in given:
        if key not in DEFAULT:
            raise KeyError(f"unknown setting {key!r}, did you mean one of {sorted(DEFAULT)}?")
    cfg.update(given)
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname).1s%(asctime)s %(module)s:%(lineno)d] %(message)s", datefmt="%m%d %H:%M:%S")
L = logging.getLogger("dna")
torch.manual_seed(23)
#: early
MOTIF = torch.tensor([3, 0, 3, 0, 0, 3])


def batch(n):
    x = torch.randint(0, 4, (n, cfg["length"]))
    y = torch.rand(n) < 0.5
    for i in torch.nonzero(y)[:, 0].tolist():
        at = int(torch.randint(0, cfg["length"] - 6, ()))
        x[i, at : at + 6] = MOTIF
    return x, y.float()


if cfg["fasta"]:
    with open(cfg["fasta"]) as f:
        seqs = [["ACGT".index(ch) for ch in line.strip()] for line in f if not line.startswith(">")]
    L.info("%d sequences in %s", len(seqs), cfg["fasta"])
    pool = torch.tensor(seqs)


class Finder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.emb = nn.Embedding(4, 8)
        self.conv = nn.Conv1d(8, hidden, 6)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(2 * hidden, 1)

    def forward(self, x):
        h = torch.relu(self.conv(self.emb(x).transpose(1, 2)))
        #: inside
        _, last = self.rnn(h.transpose(1, 2))
        return self.out(torch.cat([last[0], h.amax(2)], 1))[:, 0]


model = Finder(cfg["hidden"])
opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
done = 0
#: built
if cfg["resume"]:
    #: restore
    ck = torch.load(cfg["resume"], map_location="cpu", weights_only=True)
    model.load_state_dict(ck["model"])
    opt.load_state_dict(ck["opt"])
    done = ck["update"]
    L.info("resumed from %s at update %d", cfg["resume"], done)
L.info("settings %s", {k: v for k, v in cfg.items() if v != DEFAULT[k]})
L.info("training for %d updates", cfg["updates"] - done)
bce, right, count, tick = 0.0, 0.0, 0, time.time()
#: ready
for update in range(done + 1, cfg["updates"] + 1):
    x, y = batch(cfg["batch"])
    #: mid
    logit = model(x)
    loss = nn.functional.binary_cross_entropy_with_logits(logit, y)
    #: loss
    opt.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), cfg["clip"])
    #: grads
    opt.step()
    bce, right, count = bce + loss.item(), right + ((logit > 0) == (y > 0)).float().mean().item(), count + 1
    if update % cfg["report"] == 0:
        L.info("update %d nll %.4f hits %.3f gnorm %.3f lr %.1e (%.0f bases/s)", update, bce / count, right / count, float(norm), opt.param_groups[0]["lr"], count * cfg["batch"] * cfg["length"] / (time.time() - tick))
        bce, right, count, tick = 0.0, 0.0, 0, time.time()
    #: after
    if cfg["ckpt_every"] and update % cfg["ckpt_every"] == 0:
        os.makedirs(cfg["ckpt_dir"], exist_ok=True)
        path = os.path.join(cfg["ckpt_dir"], f"u{update:06d}.pth")
        #: save
        torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "update": update}, path)
        L.info("checkpoint %s", path)
    time.sleep(cfg["rest"])
#: late
L.info("finished %d updates", cfg["updates"])
'''

ROD = '''# heat along a rod: u_t = u_xx, learned from the equation alone
import math, os, sys, time
import torch

kv = dict(w.lstrip("-").split("=", 1) for w in sys.argv[1:])
SWEEPS = int(kv.pop("sweeps", 300))
SHOW = int(kv.pop("show", 15))
RATE = float(kv.pop("rate", "4e-3"))
POINTS = int(kv.pop("points", 96))
UNITS = int(kv.pop("units", 20))
LOAD, STORE, EACH = kv.pop("load", None), kv.pop("store", "rod.pt"), int(kv.pop("each", 0))
if kv:
    sys.exit(f"rod.py: unknown option(s): {' '.join(sorted(kv))}")
torch.manual_seed(1822)
#: early
u = torch.nn.Sequential(torch.nn.Linear(2, UNITS), torch.nn.Tanh(), torch.nn.Linear(UNITS, UNITS), torch.nn.Tanh(), torch.nn.Linear(UNITS, 1))
adam = torch.optim.Adam(u.parameters(), RATE)
sweep0 = 0
if LOAD:
    #: restore
    d = torch.load(LOAD, weights_only=False)
    u.load_state_dict(d["u"])
    adam.load_state_dict(d["adam"])
    sweep0 = d["sweep"]
    print(f"* read {LOAD}: sweep {sweep0}", flush=True)
print(f"* rod of length 1, {POINTS} points a sweep, {SWEEPS} sweeps", flush=True)
print("*  sweep   lg(residual)  lg(ends)   lg(sum)", flush=True)
#: ready
for sweep in range(sweep0 + 1, SWEEPS + 1):
    z = torch.rand(POINTS, 2, requires_grad=True)
    #: mid
    f = u(z)
    g = torch.autograd.grad(f.sum(), z, create_graph=True)[0]
    fxx = torch.autograd.grad(g[:, 0].sum(), z, create_graph=True)[0][:, :1]
    residual = ((g[:, 1:] - 0.1 * fxx) ** 2).mean()
    t = torch.rand(POINTS, 1)
    x = torch.rand(POINTS, 1)
    zero = torch.zeros_like(t)
    ends = (u(torch.cat([zero, t], 1)) ** 2).mean() + (u(torch.cat([zero + 1, t], 1)) ** 2).mean() + ((u(torch.cat([x, zero], 1)) - torch.sin(math.pi * x)) ** 2).mean()
    total = residual + ends
    #: loss
    adam.zero_grad()
    total.backward()
    adam.step()
    if sweep % SHOW == 0:
        r, e, s = (float(torch.log10(v)) for v in (residual, ends, total))
        print(f"   {sweep:6d}   {r:10.3f}   {e:8.3f}   {s:8.3f}", flush=True)
    #: after
    if EACH and sweep % EACH == 0:
        #: save
        torch.save({"u": u.state_dict(), "adam": adam.state_dict(), "sweep": sweep}, STORE)
        print(f"* stored {STORE} (sweep {sweep})", flush=True)
#: late
print(f"* u(0.5, 0.5) = {float(u(torch.tensor([[0.5, 0.5]]))):.4f}, exact {math.exp(-0.05 * math.pi**2):.4f}", flush=True)
'''

VOICE = '''"""Takes hiss off a voice. Progress goes to stderr as a bar, results to stdout."""
import os
import sys
import time

import torch
import torch.nn.functional as F

E = os.environ.get
ROUNDS, CLIPS, LR, CH = int(E("ROUNDS", "6")), int(E("CLIPS", "40")), float(E("LR", "0.004")), int(E("CH", "12"))
LAST, KEEP, BREATH = E("LAST", ""), E("KEEP", "0"), float(E("BREATH", "0.0"))
torch.manual_seed(5)
#: early


def clip(n=4, length=256):
    t = torch.linspace(0, 1, length)
    clean = torch.sin(2 * torch.pi * (3 + 9 * torch.rand(n, 1)) * t) * (0.5 + 0.5 * torch.rand(n, 1))
    return clean[:, None] + 0.4 * torch.randn(n, 1, length), clean[:, None]


class Clean(torch.nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.a = torch.nn.Conv1d(1, ch, 9, padding=4)
        self.b = torch.nn.Conv1d(ch, ch, 9, padding=16, dilation=4)
        self.c = torch.nn.Conv1d(ch, 1, 9, padding=4)

    def forward(self, x):
        return self.c(torch.tanh(self.b(torch.tanh(self.a(x)))))


def draw(r, k, value, began):
    n = 20 * k // CLIPS
    sys.stderr.write(f"\\rround {r}/{ROUNDS} {'=' * n}{'>' if n < 20 else ''}{' ' * (19 - n)} {k}/{CLIPS} mse {value:.4f} {k / (time.time() - began + 1e-6):.1f} clips/s ")
    sys.stderr.flush()


net = Clean(CH)
opt = torch.optim.RMSprop(net.parameters(), lr=LR)
r0, history = 0, []
if LAST:
    #: restore
    s = torch.load(LAST)
    net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])
    r0, history = s["round"], s["history"]
    print(f"have {LAST}: round {r0}, mse was {history[-1]:.4f}", flush=True)
#: ready
for r in range(r0 + 1, ROUNDS + 1):
    began, mean = time.time(), 0.0
    for k in range(1, CLIPS + 1):
        noisy, clean = clip()
        #: mid
        mse = F.mse_loss(net(noisy), clean)
        #: loss
        opt.zero_grad()
        mse.backward()
        opt.step()
        mean += (mse.item() - mean) / k
        if k % 5 == 0 or k == CLIPS:
            draw(r, k, mean, began)
        #: after
        time.sleep(BREATH)
    sys.stderr.write("\\n")
    history.append(mean)
    #: round
    if KEEP != "0":
        #: save
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "round": r, "history": history}, KEEP)
        print(f"kept {KEEP} after round {r}", flush=True)
#: late
print(f"mse by round: {' '.join(f'{v:.4f}' for v in history)}", flush=True)
'''
