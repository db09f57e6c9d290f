"""Programs: masks of nuclei on small patches (a vision lab), a language model told by a TOML file (a start-up)."""

MASKS = r'''"""Nuclei masks on 32 x 32 patches, one fold a job."""
import argparse
import os
import time
from datetime import datetime

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
#: imports

ap = argparse.ArgumentParser(prog="train_masks.py")
ap.add_argument("--fold", type=int, default=0)
ap.add_argument("--epochs", type=int, default=30)
ap.add_argument("--iters", type=int, default=40)
ap.add_argument("--print-freq", type=int, default=10)
ap.add_argument("--save-freq", type=int, default=5)
ap.add_argument("--width", type=int, default=8)
ap.add_argument("--lr", type=float, default=6e-3)
ap.add_argument("--optim", choices=["adamw", "sgd"], default="adamw")
ap.add_argument("--patience", type=int, default=0)
ap.add_argument("--out", default="runs/fold0")
ap.add_argument("--resume", default="")
ap.add_argument("--weights", default="")
ap.add_argument("--eval-only", action="store_true")
ap.add_argument("--pace", type=float, default=0.008)
args = ap.parse_args()


def say(text):
    print(f"{datetime.now():%d.%m. %H:%M:%S} fold{args.fold} {text}", flush=True)


say("args " + " ".join(f"{k}={v}" for k, v in vars(args).items() if v not in ("", False)))
rng = np.random.default_rng(100 + args.fold)
torch.manual_seed(args.fold)
yy, xx = np.mgrid[:32, :32]


def patches(n):
    mask = np.zeros((n, 1, 32, 32), "float32")
    for one in mask[:, 0]:
        for _ in range(rng.integers(1, 5)):
            cy, cx, r = rng.integers(4, 28), rng.integers(4, 28), rng.uniform(2.0, 5.0)
            one[(yy - cy) ** 2 + (xx - cx) ** 2 < r * r] = 1.0
    image = mask * rng.uniform(0.5, 1.0, (n, 1, 1, 1)) + rng.normal(0, 0.6, mask.shape)
    return torch.tensor(image, dtype=torch.float32), torch.tensor(mask)


train_x, train_m = patches(480)
val_x, val_m = patches(96)
#: data
say(f"{len(train_x)} patches for training, {len(val_x)} for validation, {float(train_m.mean()):.1%} of pixels are nuclei")


class MaskNet(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv2d(1, w, 3, padding=1), nn.BatchNorm2d(w), nn.ReLU(), nn.Conv2d(w, 2 * w, 3, stride=2, padding=1), nn.BatchNorm2d(2 * w), nn.ReLU()
        )
        self.up = nn.Sequential(nn.ConvTranspose2d(2 * w, w, 2, stride=2), nn.ReLU(), nn.Conv2d(w, 1, 1))

    def forward(self, x):
        return self.up(self.down(x))


net = MaskNet(args.width)
opt = torch.optim.AdamW(net.parameters(), lr=args.lr) if args.optim == "adamw" else torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
first, best, best_ep = 1, 0.0, 0
#: model
if args.weights:
    net.load_state_dict(torch.load(args.weights)["net"])
    say(f"weights of {args.weights}")
if args.resume:
    #: resume
    state = torch.load(args.resume)
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    first, best, best_ep = state["epoch"] + 1, state["best"], state["best_ep"]
    say(f"resumed from {args.resume}: {state['epoch']} epochs done, best IoU {best:.1f}")
os.makedirs(args.out, exist_ok=True)


@torch.no_grad()
def validate():
    net.eval()
    z = net(val_x)
    loss = F.binary_cross_entropy_with_logits(z, val_m).item()
    p = z > 0
    inter, union = (p & (val_m > 0)).sum().item(), (p | (val_m > 0)).sum().item()
    net.train()
    return loss, 100 * inter / max(union, 1)


if args.eval_only:
    for k in range(12):
        keep = torch.tensor(rng.permutation(len(val_x)))
        val_x, val_m = val_x[keep].flip(k % 2 + 2), val_m[keep].flip(k % 2 + 2)
        loss, iou = validate()
        say(f"tta view {k + 1:2d}/12: loss {loss:.4f}, IoU {iou:.1f}")
        time.sleep(0.4)
    say("evaluation over, nothing was trained")
    raise SystemExit(0)
for epoch in range(first, args.epochs + 1):
    t_epoch, total, waited, t_mark = time.time(), 0.0, 0.0, time.time()
    #: epoch_top
    for it in range(1, args.iters + 1):
        t0 = time.time()
        at = torch.tensor(rng.integers(0, len(train_x), 16))
        x, m = train_x[at], train_m[at]
        #: fetch
        waited += time.time() - t0
        logits = net(x)
        loss = F.binary_cross_entropy_with_logits(logits, m)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(args.pace)
        total += loss.item()
        #: after
        if it % args.print_freq == 0 or it == args.iters:
            say(f"[{epoch:3d}/{args.epochs}][{it:3d}/{args.iters}] bce {loss.item():.4f} (avg {total / it:.4f})  lr {opt.param_groups[0]['lr']:.1e}  iter {(time.time() - t_mark) / args.print_freq:.3f} s")
            t_mark = time.time()
            #: told
    v, iou = validate()
    if iou > best:
        best, best_ep = iou, epoch
    say(f"== epoch {epoch}: train {total / args.iters:.4f} | val {v:.4f} | IoU {iou:.1f} | best {best:.1f} (epoch {best_ep}) | {time.time() - t_epoch:.1f} s")
    #: epoch
    if epoch % args.save_freq == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "best": best, "best_ep": best_ep}, f"{args.out}/ep{epoch:03d}.pth")
        say(f"   {args.out}/ep{epoch:03d}.pth written")
    if args.patience and epoch - best_ep >= args.patience:
        say(f"IoU did not rise for {args.patience} epochs: early stopping, best is epoch {best_ep} with {best:.1f}")
        break
#: finish
say(f"fold {args.fold} done: best IoU {best:.1f} in epoch {best_ep}")
'''

QUILL = r'''"""quill: small decoder-only language models. quill.py RUN.toml"""
import json
import math
import os
import sys
import time
import tomllib

import torch
import torch.nn as nn
import torch.nn.functional as F
#: imports

DEFAULTS = {"total_steps": 800, "log_every": 20, "save_every": 200, "eval_every": 100, "d_model": 32, "n_head": 4, "n_layer": 2, "ctx": 24, "batch": 16,
            "peak_lr": 1e-3, "warmup": 40, "schedule": "cosine", "clip": 1.0, "run_dir": "ckpt", "resume": "", "init": "", "tokenizer": "", "rest": 0.0, "seed": 7}
with open(sys.argv[1], "rb") as f:
    given = tomllib.load(f)
cfg = {**DEFAULTS, **given}
BORN = time.time()


def log(text):
    print(f"[{time.time() - BORN:8.2f}s] {text}", flush=True)


log(f"quill run {os.path.splitext(sys.argv[1])[0]}: " + json.dumps(given))
torch.manual_seed(cfg["seed"])
gen = torch.Generator().manual_seed(cfg["seed"] + 1)
#: start
subjects = "the miller|a heron|our neighbour|the old pilot|someone|the baker's cat|a stranger|my aunt".split("|")
verbs = "saw|carried|painted|forgot|sold|counted|followed|mended".split("|")
objects = "the lamp|two boats|a letter|the fence|green apples|the clock|a ladder|nothing".split("|")
ends = "at noon .|in the rain .|again .|before dinner .|by the river .|twice .".split("|")
pick = lambda words: words[int(torch.randint(len(words), (1,), generator=gen))]
text = " ".join(f"{pick(subjects)} {pick(verbs)} {pick(objects)} {pick(ends)}" for _ in range(4000)).split()
if cfg["tokenizer"]:
    with open(cfg["tokenizer"]) as f:
        vocab = json.load(f)["model"]["vocab"]
else:
    vocab = {w: i for i, w in enumerate(sorted(set(text)))}
ids = torch.tensor([vocab[w] for w in text])
cut = int(len(ids) * 0.95)
#: data
log(f"{len(ids)} tokens, vocabulary {len(vocab)}, {cut} tokens to train on")


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        assert d % h == 0, f"d_model ({d}) must be divisible by n_head ({h})"
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (a.view(b, t, self.h, -1).transpose(1, 2) for a in self.qkv(self.n1(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.n2(x))


class Quill(nn.Module):
    def __init__(self):
        super().__init__()
        d = cfg["d_model"]
        self.wte, self.wpe = nn.Embedding(len(vocab), d), nn.Embedding(cfg["ctx"], d)
        self.blocks = nn.ModuleList(Block(d, cfg["n_head"]) for _ in range(cfg["n_layer"]))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, len(vocab), bias=False)

    def forward(self, x):
        h = self.wte(x) + self.wpe.weight[: x.shape[1]]
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


def batch(part):
    at = torch.randint(len(part) - cfg["ctx"] - 1, (cfg["batch"],), generator=gen)
    return torch.stack([part[a : a + cfg["ctx"]] for a in at]), torch.stack([part[a + 1 : a + 1 + cfg["ctx"]] for a in at])


model = Quill()
optim = torch.optim.AdamW(model.parameters(), lr=cfg["peak_lr"], betas=(0.9, 0.95), weight_decay=0.1)
done = 0
log(f"{sum(p.numel() for p in model.parameters()) / 1e3:.1f}k parameters")
if cfg["init"]:
    model.load_state_dict(torch.load(cfg["init"])["model"])
    log(f"initialised from {cfg['init']}")
if cfg["resume"]:
    #: resume
    state = torch.load(cfg["resume"])
    model.load_state_dict(state["model"])
    optim.load_state_dict(state["optim"])
    done = state["step"]
    log(f"resumed {cfg['resume']} at step {done} (held-out ce {state['heldout']:.4f})")
os.makedirs(cfg["run_dir"], exist_ok=True)


def rate(step):
    if step <= cfg["warmup"]:
        return cfg["peak_lr"] * step / cfg["warmup"]
    far = (step - cfg["warmup"]) / max(cfg["total_steps"] - cfg["warmup"], 1)
    return {"cosine": cfg["peak_lr"] * (0.1 + 0.45 * (1 + math.cos(math.pi * min(far, 1)))), "constant": cfg["peak_lr"]}[cfg["schedule"]]


@torch.no_grad()
def heldout():
    return sum(F.cross_entropy(model(a).flatten(0, 1), b.flatten()).item() for a, b in (batch(ids[cut:]) for _ in range(4))) / 4


held, mark, t_wait, t_save = float("inf"), time.time(), 0.0, 0.0
for step in range(done + 1, cfg["total_steps"] + 1):
    lr = rate(step)
    #: rate
    for g in optim.param_groups:
        g["lr"] = lr
    x, y = batch(ids[:cut])
    #: batch
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    #: loss
    optim.zero_grad(set_to_none=True)
    loss.backward()
    norm = float(nn.utils.clip_grad_norm_(model.parameters(), cfg["clip"]))
    #: grads
    optim.step()
    time.sleep(cfg["rest"])
    #: after
    if step % cfg["log_every"] == 0:
        ce = loss.item()
        speed = cfg["log_every"] * cfg["batch"] * cfg["ctx"] / (time.time() - mark)
        log(f"step {step:>5}/{cfg['total_steps']} · ce {ce:.4f} · ppl {math.exp(min(ce, 50)):.2f} · lr {lr:.2e} · gnorm {norm:.3f} · {speed / 1e3:.1f}k tok/s")
        #: told
        mark = time.time()
    if step % cfg["eval_every"] == 0:
        held = heldout()
        log(f"held-out ce {held:.4f}")
    if step % cfg["save_every"] == 0:
        torch.save({"model": model.state_dict(), "optim": optim.state_dict(), "step": step, "heldout": held}, f"{cfg['run_dir']}/step{step:06d}.pt")
        log(f"saved {cfg['run_dir']}/step{step:06d}.pt")
        #: saved
#: finish
log(f"all {step} steps done, held-out ce {heldout():.4f}")
'''
