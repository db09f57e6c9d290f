"""Plain PyTorch loops of several hands: keyword spotting, a character model, depth from pictures."""

KWS = '''#!/usr/bin/env python
# keyword spotting, log-mel in, word out
import argparse
import math
import os
import sys
import time

import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=5)
ap.add_argument("--bs", type=int, default=16)
ap.add_argument("--lr", type=float, default=4e-3)
ap.add_argument("--words", type=int, default=8)
ap.add_argument("--its", type=int, default=30)
ap.add_argument("--width", type=int, default=16)
ap.add_argument("--init", default="", help="start from these weights")
ap.add_argument("--out", default="exp/kws")
ap.add_argument("--opt", default="adam", choices=["adam", "sgd"])
o = ap.parse_args()
torch.manual_seed(1234)
os.makedirs(o.out, exist_ok=True)


def tell(*words):
    print("[kws]", *words, flush=True)


#: early
tell("args", vars(o))
centres = torch.randn(o.words, 40)


def draw(n):
    y = torch.randint(0, o.words, (n,))
    return centres[y].unsqueeze(1) + 0.9 * torch.randn(n, 8, 40), y


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.front = nn.Linear(40, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, o.words)

    def forward(self, x):
        h, _ = self.rnn(torch.tanh(self.front(x)))
        return self.head(h.mean(1))


net = Net(o.width)
opt = torch.optim.Adam(net.parameters(), lr=o.lr) if o.opt == "adam" else torch.optim.SGD(net.parameters(), lr=o.lr)
first = 1
best = 0.0
#: ready
if o.init:
    state = torch.load(o.init)
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    first = state["ep"] + 1
    tell(f"resumed {o.init}, next ep is {first}")
dev = draw(256)
for ep in range(first, o.epochs + 1):
    net.train()
    for it in range(1, o.its + 1):
        tick = time.perf_counter()
        #: mid
        x, y = draw(o.bs)
        loss = nn.functional.cross_entropy(net(x), y)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        #: after
        if it % 10 == 0:
            tell(f"ep {ep}/{o.epochs} it {it:>3}/{o.its} | xent {loss.item():.4f} | lr {opt.param_groups[0]['lr']:.2e} | {1e3 * (time.perf_counter() - tick):.1f} ms")
    with torch.no_grad():
        out = net(dev[0])
        hit = (out.argmax(1) == dev[1]).float().mean().item()
    best = max(best, hit)
    tell(f"ep {ep} done | dev xent {nn.functional.cross_entropy(out, dev[1]).item():.4f} | dev hit {100 * hit:.1f} % | best {100 * best:.1f} %")
    #: epoch
    torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "ep": ep}, f"{o.out}/ep{ep}.pt")
    tell(f"wrote {o.out}/ep{ep}.pt")
#: late
tell(f"all {o.epochs} epochs done, best dev hit {100 * best:.1f} %")
'''

CHARS = '''"""Next-character model on a text file. Overrides: key=value."""
import json
import logging
import math
import os
import sys
import time
from dataclasses import asdict, dataclass, fields

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    max_steps: int = 300
    eval_every: int = 50
    batch: int = 24
    context: int = 16
    dim: int = 32
    lr: float = 0.004
    warmup: int = 20
    clip: float = 1.0
    resume: str = "never"  # never | auto | must
    folder: str = "runs/verse"
    seed: int = 7


conf = Config()
kinds = {f.name: type(getattr(conf, f.name)) for f in fields(conf)}
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    if key not in kinds:
        raise SystemExit(f"unknown setting {key!r}; known are {', '.join(kinds)}")
    setattr(conf, key, kinds[key](value))
logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)-7s | %(name)s | %(message)s", stream=sys.stdout)
log = logging.getLogger("verse")
log.info("config %s", json.dumps(asdict(conf)))
torch.manual_seed(conf.seed)
os.makedirs(conf.folder, exist_ok=True)
#: early
VERSE = "the miller turns the wheel at dawn and grinds the barley and the corn. the river runs below the town and carries all the sawdust down. "
text = VERSE * 60
#: data
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
cut = int(0.9 * len(ids))
log.info("%d characters, %d of them different; %d held out", len(ids), len(chars), len(ids) - cut)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(chars), conf.dim)
        self.mix = nn.Linear(conf.dim * conf.context, 4 * conf.dim)
        self.out = nn.Linear(4 * conf.dim, len(chars))

    def forward(self, x):
        return self.out(F.gelu(self.mix(self.emb(x).flatten(1))))


def batch(low, high):
    at = torch.randint(low, high - conf.context - 1, (conf.batch,))
    return torch.stack([ids[a : a + conf.context] for a in at]), torch.stack([ids[a + conf.context] for a in at])


model = Model()
optim = torch.optim.AdamW(model.parameters(), lr=conf.lr, weight_decay=0.01)
done = 0
path = os.path.join(conf.folder, "last.ckpt")
#: ready
if conf.resume == "must" or (conf.resume == "auto" and os.path.exists(path)):
    had = torch.load(path, weights_only=False)
    model.load_state_dict(had["model"])
    optim.load_state_dict(had["optim"])
    done = had["step"]
    log.info("continuing from %s at step %d", path, done)
elif conf.resume == "auto":
    log.warning("resume=auto, but there is no %s: a fresh model", path)
log.info("model has %.3f M parameters", sum(p.numel() for p in model.parameters()) / 1e6)
began = time.time()
for step in range(done + 1, conf.max_steps + 1):
    lr = conf.lr * min(1, step / max(1, conf.warmup)) * (0.55 + 0.45 * math.cos(math.pi * step / conf.max_steps))
    for group in optim.param_groups:
        group["lr"] = lr
    #: mid
    x, y = batch(0, cut)
    loss = F.cross_entropy(model(x), y)
    #: loss
    optim.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), conf.clip)
    optim.step()
    #: after
    if step % 10 == 0:
        log.info("step %d of %d: train_loss=%.4f grad_norm=%.3f lr=%.2e chars/s=%.0f", step, conf.max_steps, loss.item(), norm.item(), lr, conf.batch * step / (time.time() - began))
    if step % conf.eval_every == 0:
        with torch.no_grad():
            x, y = batch(cut, len(ids))
            log.info("held-out loss %.4f after step %d", F.cross_entropy(model(x), y).item(), step)
        torch.save({"model": model.state_dict(), "optim": optim.state_dict(), "step": step}, path)
        log.info("kept %s (step %d)", path, step)
        #: saved
#: late
log.info("finished %d steps in %.1f s", conf.max_steps, time.time() - began)
'''

DEPTH = '''import csv
import os
import random
import time
from datetime import datetime

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = int(os.environ.get("EPOCHS", 3))
ITEMS = int(os.environ.get("ITEMS", 160))
LR = float(os.environ.get("LR", 1e-3))
WORKERS = int(os.environ.get("WORKERS", 0))
RESUME = os.environ.get("RESUME", "")
random.seed(3)
np.random.seed(3)
torch.manual_seed(3)


def now():
    return datetime.now().strftime("%H:%M:%S")


#: early
class Scenes(Dataset):
    """Ramps seen from above, with their depth."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = np.random.default_rng(i)
        a, b = g.uniform(-1, 1, 2)
        depth = np.add.outer(a * np.linspace(0, 1, 16), b * np.linspace(0, 1, 16)).astype("float32")
        #: item
        return torch.from_numpy(np.stack([depth, depth ** 2, g.normal(size=depth.shape).astype("float32") * 0.1])), torch.from_numpy(depth)[None]


net = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 1))
adam = torch.optim.Adam(net.parameters(), lr=LR)
begin = 0
#: ready
if RESUME:
    print(f"{now()} loading {RESUME}", flush=True)
    blob = torch.load(RESUME)
    net.load_state_dict(blob["weights"], strict=True)
    begin = blob["epoch"]
    print(f"{now()} loaded weights of epoch {begin}", flush=True)
train = DataLoader(Scenes(ITEMS), batch_size=8, shuffle=True, num_workers=WORKERS)
table = csv.writer(open("depth_log.csv", "a", newline=""))
print(f"{now()} {len(train)} batches an epoch, {EPOCHS} epochs, {sum(p.numel() for p in net.parameters())} weights", flush=True)
print("epoch,batch,abs_rel,rmse,sec", flush=True)
for epoch in range(begin, EPOCHS):
    clock = time.time()
    for b, (pic, depth) in enumerate(train):
        #: mid
        guess = net(pic)
        loss = (guess - depth).abs().mean()
        #: loss
        adam.zero_grad()
        loss.backward()
        adam.step()
        if b % 4 == 3:
            row = [epoch + 1, b + 1, f"{loss.item():.5f}", f"{(guess - depth).pow(2).mean().sqrt().item():.5f}", f"{time.time() - clock:.2f}"]
            table.writerow(row)
            print(*row, sep=",", flush=True)
        #: after
    #: epoch
    torch.save({"weights": net.state_dict(), "epoch": epoch + 1}, f"depth_{epoch + 1:03d}.pth")
    print(f"{now()} epoch {epoch + 1} took {time.time() - clock:.1f} s, saved depth_{epoch + 1:03d}.pth", flush=True)
#: late
print(f"{now()} done", flush=True)
'''
