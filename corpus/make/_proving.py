"""Programs that print as large code bases do: iterations with a time left, JSON of a log, a bar of counters; and one that streams."""

ITERS = '''import argparse
import datetime
import importlib.util
import logging
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


class Ring:
    """Median of the last values."""

    def __init__(self, size=20):
        self.size, self.values = size, []

    def put(self, value):
        self.values = [*self.values, value][-self.size:]

    @property
    def median(self):
        return sorted(self.values)[len(self.values) // 2]


parser = argparse.ArgumentParser("detector")
parser.add_argument("config")
parser.add_argument("--resume", action="store_true")
parser.add_argument("--weights", default="")
parser.add_argument("opts", nargs="*")
args = parser.parse_args()
spec = importlib.util.spec_from_file_location("cfg", args.config)
cfg = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cfg)
for word in args.opts:
    key, value = word.split("=")
    setattr(cfg, key, type(getattr(cfg, key))(value))
logging.basicConfig(format="[%(asctime)s %(name)s]: %(message)s", datefmt="%m/%d %H:%M:%S", level=logging.INFO, stream=sys.stdout)
logger = logging.getLogger("det2go")
logger.info("Command line: %s", " ".join(sys.argv))
logger.info("Environment: torch %s, cuda %s", torch.__version__, torch.cuda.is_available())
#: early
torch.manual_seed(cfg.SEED)


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, cfg.CHANNELS, 3, 2, 1)
        self.cls = nn.Linear(cfg.CHANNELS, cfg.CLASSES)
        self.box = nn.Linear(cfg.CHANNELS, 4)

    def forward(self, x):
        h = F.relu(self.conv(x)).mean((2, 3))
        return self.cls(h), self.box(h)


model = Head()
logger.info("Model:\\n%s", model)
optimizer = torch.optim.SGD(model.parameters(), lr=cfg.LR, momentum=0.9)
tints = torch.rand(cfg.CLASSES, 3, 1, 1)
start = 0
last = os.path.join(cfg.OUTPUT, "last_checkpoint")
os.makedirs(cfg.OUTPUT, exist_ok=True)
#: ready
if args.resume and os.path.exists(last):
    path = os.path.join(cfg.OUTPUT, open(last).read().strip())
    logger.info("[Checkpointer] Loading from %s ...", path)
    state = torch.load(path)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    start = state["iteration"] + 1
elif args.weights:
    logger.info("[Checkpointer] Loading from %s ...", args.weights)
    model.load_state_dict(torch.load(args.weights)["model"])
else:
    logger.info("No checkpoint found. Initializing model from scratch")
logger.info("Starting training from iteration %d", start)
rings = {k: Ring() for k in ("total_loss", "loss_cls", "loss_box_reg", "time", "data_time")}
for iteration in range(start, cfg.MAX_ITER):
    tick = time.perf_counter()
    #: mid
    y = torch.randint(0, cfg.CLASSES, (12,))
    x = tints[y] + 0.3 * torch.randn(12, 3, 12, 12)
    rings["data_time"].put(time.perf_counter() - tick)
    scores, boxes = model(x)
    loss_cls, loss_box = F.cross_entropy(scores, y), F.smooth_l1_loss(boxes, tints[y].mean((1, 2, 3))[:, None].expand(-1, 4))
    loss = loss_cls + loss_box
    #: loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for name, value in (("total_loss", loss), ("loss_cls", loss_cls), ("loss_box_reg", loss_box)):
        rings[name].put(value.item())
    rings["time"].put(time.perf_counter() - tick)
    if iteration % 20 == 19 or iteration == cfg.MAX_ITER - 1:
        eta = datetime.timedelta(seconds=int(rings["time"].median * (cfg.MAX_ITER - iteration - 1)))
        logger.info(" eta: %s  iter: %d  %s  time: %.4f  data_time: %.4f  lr: %.5g", eta, iteration, "  ".join(f"{k}: {rings[k].median:.4g}" for k in ("total_loss", "loss_cls", "loss_box_reg")), rings["time"].median, rings["data_time"].median, optimizer.param_groups[0]["lr"])
    #: after
    if iteration % cfg.PERIOD == cfg.PERIOD - 1:
        name = f"model_{iteration:07d}.pth"
        logger.info("Saving checkpoint to %s/%s", cfg.OUTPUT, name)
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "iteration": iteration}, os.path.join(cfg.OUTPUT, name))
        open(last, "w").write(name)
        #: saved
#: late
logger.info("Overall training speed: %d iterations in %s", cfg.MAX_ITER - start, datetime.timedelta(seconds=int(rings["time"].median * (cfg.MAX_ITER - start))))
'''
ITERS_CFG = "SEED = 11\nCHANNELS = 12\nCLASSES = 5\nLR = 0.05\nMAX_ITER = 300\nPERIOD = 100\nOUTPUT = 'output/det'\n"

UPDATES = '''"""Translate reversed numbers; log as JSON of one line each."""
import json
import math
import os
import random
import sys
import time
from collections import OrderedDict
from pathlib import Path

import torch

ARGS = dict(max_update=260, log_interval=20, save_interval_updates=80, lr=0.004, max_epoch=0, restore_file="checkpoint_last.pt", reset=False, save_dir="checkpoints", dim=24, patience=-1)
for pair in sys.argv[1:]:
    key, value = pair.lstrip("-").replace("-", "_").split("=", 1)
    ARGS[key] = type(ARGS[key])(value) if not isinstance(ARGS[key], bool) else value == "true"
A = type("A", (), ARGS)
torch.manual_seed(1)
random.seed(1)


def info(who, text):
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} | INFO | {who} | {text}", flush=True)


def warn(who, text):
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} | WARNING | {who} | {text}", flush=True)


info("translate", json.dumps(ARGS))


#: early
dictionary = list("0123456789") + ["<pad>", "<eos>"]
info("tasks.translation", f"[num] dictionary: {len(dictionary)} types")
info("tasks.translation", f"[rev] dictionary: {len(dictionary)} types")


class Seq(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.embed = torch.nn.Embedding(len(dictionary), dim)
        self.place = torch.nn.Parameter(torch.zeros(6, dim))
        self.mix = torch.nn.Linear(6 * dim, 6 * dim)
        self.project = torch.nn.Linear(dim, len(dictionary))

    def forward(self, tokens):
        h = self.embed(tokens) + self.place
        return self.project(torch.relu(self.mix(h.flatten(1))).view(len(tokens), 6, -1))


model = Seq(A.dim)
optimizer = torch.optim.Adam(model.parameters(), lr=A.lr, betas=(0.9, 0.98))
updates = 0
folder = Path(A.save_dir)
folder.mkdir(exist_ok=True)
given = folder / A.restore_file
info("trainer", f"Preparing to load checkpoint {given}")
#: ready
if given.exists():
    state = torch.load(given)
    model.load_state_dict(state["model"])
    if not A.reset:
        optimizer.load_state_dict(state["last_optimizer_state"])
    updates = state["num_updates"]
    info("trainer", f"Loaded checkpoint {given} (epoch {1 + updates // 100} @ {updates} updates)")
else:
    info("trainer", f"No existing checkpoint found {given}")
info("translate", f"num. model params: {sum(p.numel() for p in model.parameters()):,}")
info("trainer", "begin training epoch 1")
began, stats = time.time(), []
while updates < A.max_update:
    #: mid
    tokens = torch.randint(0, 10, (20, 6))
    logits = model(tokens)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flip(1).flatten(), label_smoothing=0.1)
    #: loss
    optimizer.zero_grad()
    loss.backward()
    gnorm = float(torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0))
    optimizer.step()
    updates += 1
    stats.append(loss.item() / math.log(2))
    if updates % A.log_interval == 0:
        mean = sum(stats[-A.log_interval:]) / A.log_interval
        info("train_inner", json.dumps(OrderedDict(epoch=1 + updates // 100, update=round(updates / 100, 3), loss=f"{mean:.3f}", ppl=f"{2 ** min(mean, 60):.2f}", wps=f"{120 * updates / (time.time() - began):.1f}", num_updates=str(updates), lr=f"{A.lr:g}", gnorm=f"{gnorm:.3f}", wall=f"{time.time() - began:.0f}")))
    #: after
    if updates % A.save_interval_updates == 0:
        torch.save({"model": model.state_dict(), "last_optimizer_state": optimizer.state_dict(), "num_updates": updates}, folder / "checkpoint_last.pt")
        info("checkpoint_utils", f"Saved checkpoint {folder}/checkpoint_last.pt (epoch {1 + updates // 100} @ {updates} updates, score {stats[-1]:.3f}) (writing took {random.random() / 9:.4f} seconds)")
        #: saved
#: late
info("translate", f"done training in {time.time() - began:.1f} seconds")
'''

STREAM = '''import os, re, sys, time
import torch

# one file, no classes: contrastive pairs of shapes
flags = dict(steps=240, bs=24, lr=3e-3, temp=0.2, every=8, keep=60, ckpt="", name="pairs")
for f in sys.argv[1:]:
    k, v = re.match(r"--(\\w+)=(.*)", f).groups()
    flags[k] = type(flags[k])(v)
globals().update(flags)
t00 = time.time()
def P(*a): print(f"{time.time()-t00:8.2f}s", *a, file=sys.stderr, flush=True)
P("flags:", flags)
torch.manual_seed(42)
#: early
enc = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.SiLU(), torch.nn.Linear(32, 8))
opt = torch.optim.AdamW(enc.parameters(), lr=lr)
i0 = 0
#: ready
if ckpt:
    P("load", ckpt)
    d = torch.load(ckpt)
    enc.load_state_dict(d["enc"]); opt.load_state_dict(d["opt"]); i0 = d["i"]
    P("ok, from", i0)
ema = None
for i in range(i0 + 1, steps + 1):
    #: mid
    z = torch.randn(bs, 4)
    a, b = (torch.cat([z, 0.4 * torch.randn(bs, 8)], 1) for _ in "ab")
    u, v = (torch.nn.functional.normalize(enc(q), dim=1) for q in (a, b))
    sim = u @ v.T / temp
    loss = torch.nn.functional.cross_entropy(sim, torch.arange(bs))
    #: loss
    opt.zero_grad(); loss.backward(); opt.step()
    ema = loss.item() if ema is None else 0.9 * ema + 0.1 * loss.item()
    if i % every == 0:
        P(f"i={i:<5d} nce={loss.item():.4f} ema={ema:.4f} r@1={(sim.argmax(1) == torch.arange(bs)).float().mean().item():.3f} |g|={sum(p.grad.norm().item() for p in enc.parameters()):.3f}")
    #: after
    if i % keep == 0:
        torch.save(dict(enc=enc.state_dict(), opt=opt.state_dict(), i=i), f"{name}_{i}.pt"); P("->", f"{name}_{i}.pt")
        #: saved
#: late
P("bye", f"nce {ema:.4f} after {steps} steps")
'''
