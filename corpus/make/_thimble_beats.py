"""Programs over plain PyTorch: rhythms of hearts told by Python's logging, and names of villages spelt letter by letter."""

ECG = '''#!/usr/bin/env python
"""Rhythm classification on 2 s Holter windows (normal / AF / flutter / PVC)."""
import argparse
import json
import logging
import math
import os
import sys
import time
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F

RHYTHMS = ["NSR", "AFIB", "AFL", "PVC"]


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--max-epochs", type=int, default=30)
    p.add_argument("--bs", type=int, default=40)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--wd", type=float, default=1e-4)
    p.add_argument("--filters", type=int, default=12)
    p.add_argument("--windows", type=int, default=800)
    p.add_argument("--workdir", type=Path, default=Path("exp/ecg"))
    p.add_argument("--resume", type=Path)
    p.add_argument("--init-weights", type=Path)
    p.add_argument("--patience", type=int, default=0)
    p.add_argument("--ckpt-interval", type=int, default=5)
    p.add_argument("--eval-only", action="store_true")
    p.add_argument("--seed", type=int, default=1234)
    return p.parse_args()


class RhythmNet(nn.Module):
    def __init__(self, c, n_out=4):
        super().__init__()
        self.stem = nn.Conv1d(1, c, 9, stride=2, padding=4)
        self.b1 = nn.Conv1d(c, c, 5, padding=2)
        self.b2 = nn.Conv1d(c, 2 * c, 5, stride=2, padding=2)
        self.head = nn.Linear(2 * c, n_out)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = x + F.relu(self.b1(x))
        x = F.relu(self.b2(x)).amax(-1)
        return self.head(x)


def windows(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 4, (n,), generator=g)
    t = torch.linspace(0, 2 * math.pi, 100)
    f = torch.tensor([3.0, 6.0, 11.0, 4.5])[y][:, None] + 0.3 * torch.randn(n, 1, generator=g)
    x = torch.sin(f * t + 6 * torch.rand(n, 1, generator=g)).pow(3) + 0.35 * torch.randn(n, 100, generator=g)
    x[y == 3, 40:52] += 1.2
    return x[:, None], y


def main():
    args = get_args()
    args.workdir.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(levelname)-7s %(name)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S", stream=sys.stdout)
    log = logging.getLogger("ecg")
    torch.manual_seed(args.seed)
    log.info("args: %s", json.dumps({k: str(v) for k, v in vars(args).items()}))
    #: early
    xtr, ytr = windows(args.windows, 1)
    xva, yva = windows(200, 2)
    #: data
    model = RhythmNet(args.filters)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.wd)
    log.info("model: %d parameters; %d train windows, %d val windows", sum(p.numel() for p in model.parameters()), len(ytr), len(yva))
    start, best, stale = 1, 0.0, 0
    if args.init_weights:
        model.load_state_dict(torch.load(args.init_weights)["model"])
        log.info("initialised from %s, head re-drawn for this hospital", args.init_weights)
        model.head.reset_parameters()
    if args.resume:
        #: resume
        blob = torch.load(args.resume)
        model.load_state_dict(blob["model"])
        opt.load_state_dict(blob["opt"])
        start, best = blob["epoch"] + 1, blob["best"]
        log.info("resumed %s (epoch %d, best acc %.4f)", args.resume, blob["epoch"], best)
    #: ready
    for epoch in range(start, args.max_epochs + 1):
        t0, tot, seen = time.time(), 0.0, 0
        model.train()
        perm = torch.randperm(len(ytr))
        for it, idx in enumerate(perm.split(args.bs)):
            x, y = xtr[idx], ytr[idx]
            #: batch
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            #: loss
            opt.zero_grad(set_to_none=True)
            loss.backward()
            #: grad
            opt.step()
            tot, seen = tot + loss.item() * len(y), seen + len(y)
            #: step
        model.eval()
        with torch.no_grad():
            out = model(xva)
            vloss, acc = F.cross_entropy(out, yva).item(), (out.argmax(-1) == yva).float().mean().item()
        log.info("epoch %03d/%03d  train_loss=%.4f  val_loss=%.4f  val_acc=%.4f  (%.2f s)", epoch, args.max_epochs, tot / seen, vloss, acc, time.time() - t0)
        stale = 0 if acc > best else stale + 1
        best = max(best, acc)
        #: epoch
        if epoch % args.ckpt_interval == 0 or epoch == args.max_epochs:
            torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "best": best}, args.workdir / f"ckpt_{epoch:03d}.pt")
            log.info("wrote %s", args.workdir / f"ckpt_{epoch:03d}.pt")
        if args.patience and stale >= args.patience:
            log.info("early stopping: val_acc has not improved for %d epochs (best %.4f)", stale, best)
            break
    #: end
    log.info("finished. best val_acc %.4f", best)


if __name__ == "__main__":
    main()
'''

NAMES = '''# village names, letter by letter. usage: python names.py config.json
import json, math, os, random, sys, time
import torch
from torch import nn

C = dict(steps=1200, warmup=40, lr=3e-3, width=48, heads=2, layers=1, batch=24, log=25, save=300, ctx=24, out="out-names", resume=False, clip=1.0, seed=7)
C.update(json.load(open(sys.argv[1])))
torch.manual_seed(C["seed"]); random.seed(C["seed"])
print("config:", C)
os.makedirs(C["out"], exist_ok=True)
HEADS = "ober unter nieder gross klein neu alt hohen bad sankt".split()
STEMS = "bach wald stein berg feld brunn kirch mühl winkel eich birk linden hasel rohr see".split()
TAILS = "hausen dorf heim ingen stadt au ried hofen kirchen moos".split()
#: early
text = "\\n".join(random.choice(HEADS) * (random.random() < .4) + random.choice(STEMS) + random.choice(TAILS) for _ in range(3000))
chars = sorted(set(text)); stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
print(f"{len(data):,} characters, vocabulary {len(chars)}")
#: data

class Speller(nn.Module):
    def __init__(self, vocab, w, heads, layers, ctx):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, w), nn.Embedding(ctx, w)
        self.body = nn.ModuleList(nn.TransformerEncoderLayer(w, heads, 2 * w, 0.0, batch_first=True, norm_first=True) for _ in range(layers))
        self.out = nn.Linear(w, vocab)
    def forward(self, idx):
        t = idx.shape[1]
        h = self.tok(idx) + self.pos(torch.arange(t))
        m = nn.Transformer.generate_square_subsequent_mask(t)
        for b in self.body: h = b(h, src_mask=m, is_causal=True)
        return self.out(h)

net = Speller(len(chars), C["width"], C["heads"], C["layers"], C["ctx"])
opt = torch.optim.AdamW(net.parameters(), lr=C["lr"], betas=(0.9, 0.95))
step = 0
if C["resume"]:
    #: resume
    snap = torch.load(f"{C['out']}/latest.pt")
    net.load_state_dict(snap["net"]); opt.load_state_dict(snap["opt"]); step = snap["step"]
    print(f"continuing {C['out']}/latest.pt at step {step}")
print(f"{sum(p.numel() for p in net.parameters())/1e3:.1f}k weights")
#: ready
t0, seen = time.time(), 0
while step < C["steps"]:
    step += 1
    lr = C["lr"] * min(1.0, step / C["warmup"])
    for g in opt.param_groups: g["lr"] = lr
    at = torch.randint(0, len(data) - C["ctx"] - 1, (C["batch"],))
    x = torch.stack([data[i:i + C["ctx"]] for i in at]); y = torch.stack([data[i + 1:i + C["ctx"] + 1] for i in at])
    #: batch
    loss = nn.functional.cross_entropy(net(x).flatten(0, 1), y.flatten())
    #: loss
    opt.zero_grad(); loss.backward()
    gn = nn.utils.clip_grad_norm_(net.parameters(), C["clip"])
    #: grad
    opt.step()
    seen += x.numel()
    if step % C["log"] == 0 or step == 1:
        dt = time.time() - t0
        print(f"[{step:>6}/{C['steps']}] ce {loss.item():.4f} | bpc {loss.item()/math.log(2):.3f} | gnorm {gn:.3f} | lr {lr:.2e} | {seen/dt:,.0f} tok/s", flush=True)
    #: step
    if step % C["save"] == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, f"{C['out']}/latest.pt")
        print(f"-> {C['out']}/latest.pt", flush=True)
#: end
net.eval()
with torch.no_grad():
    idx = torch.zeros(1, 1, dtype=torch.long)
    for _ in range(40):
        p = net(idx[:, -C["ctx"]:])[0, -1].softmax(-1)
        idx = torch.cat([idx, torch.multinomial(p, 1)[None]], 1)
print("sample:", "".join(chars[i] for i in idx[0].tolist()).split("\\n")[1:4])
print(f"all {C['steps']} steps done in {time.time()-t0:.0f} s")
'''
