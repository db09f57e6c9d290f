"""Programs over plain PyTorch: residues of proteins told as JSON lines, power of wind farms told in aligned columns."""

CHAINS = '''"""Three-state secondary structure from sequence (H/E/C), 1-D convolutions."""
import json
import os
import random
import sys
import time
import warnings
from dataclasses import asdict, dataclass

import torch
from torch import nn


@dataclass
class Settings:
    run: str = "ss3"
    updates: int = 800
    batch: int = 12
    width: int = 40
    kernel: int = 9
    lr: float = 3e-3
    report: int = 20
    validate: int = 100
    snapshot: int = 200
    resume: str = ""
    init: str = ""
    only_eval: bool = False
    clip: float = 1.0
    seed: int = 1


def read_settings(words):
    known = Settings()
    for word in words:
        key, _, text = word.lstrip("-").partition("=")
        old = getattr(known, key)
        setattr(known, key, text.lower() == "true" if isinstance(old, bool) else type(old)(text))
    return known


def emit(event, **fields):
    print(json.dumps({"ts": round(time.time(), 3), "event": event, **fields}), flush=True)


S = read_settings(sys.argv[1:])
torch.manual_seed(S.seed)
os.makedirs(S.run, exist_ok=True)
emit("settings", **asdict(S))
AMINO, STATES = "ACDEFGHIKLMNPQRSTVWY", "HEC"
FAVOURS = {"H": "AELMQKRH", "E": "VIYCWFT", "C": "GNPSD"}
#: early


def chain(draw):
    residues, states = [], []
    while len(residues) < 64:
        state = draw.choice(STATES)
        for _ in range(draw.randrange(4, 12)):
            residues.append(draw.choice(FAVOURS[state]) if draw.random() < 0.6 else draw.choice(AMINO))
            states.append(state)
    return "".join(residues[:64]), "".join(states[:64])


def load(count, seed):
    draw = random.Random(seed)
    pairs = [chain(draw) for _ in range(count)]
    #: load
    seq = torch.tensor([[AMINO.index(a) for a in s] for s, _ in pairs])
    dssp = torch.tensor([[STATES.index(a) for a in t] for _, t in pairs])
    return seq, dssp


train_x, train_y = load(2400, 10)
test_x, test_y = load(96, 11)


class Tagger(nn.Module):
    def __init__(self, width, kernel):
        super().__init__()
        self.embed = nn.Embedding(len(AMINO), width)
        self.body = nn.Sequential(nn.Conv1d(width, width, kernel, padding=kernel // 2), nn.GELU(), nn.Conv1d(width, width, kernel, padding=kernel // 2), nn.GELU())
        self.out = nn.Linear(width, len(STATES))

    def forward(self, seq):
        return self.out(self.body(self.embed(seq).transpose(1, 2)).transpose(1, 2))


def cross_entropy(logits, y):
    return nn.functional.cross_entropy(logits.reshape(-1, len(STATES)), y.reshape(-1))


def q3():
    with torch.no_grad():
        logits = model(test_x)
    return cross_entropy(logits, test_y).item(), (logits.argmax(-1) == test_y).float().mean().item()


model = Tagger(S.width, S.kernel)
opt = torch.optim.Adam(model.parameters(), lr=S.lr)
emit("model", parameters=sum(p.numel() for p in model.parameters()), chains=len(train_x), device="cpu", torch=torch.__version__)
update = 0
if S.init:
    model.load_state_dict(torch.load(S.init)["model"])
    emit("initialised", weights=S.init, optimizer="new")
if S.resume:
    #: resume
    saved = torch.load(S.resume)
    model.load_state_dict(saved["model"])
    opt.load_state_dict(saved["opt"])
    update = saved["update"]
    emit("resumed", file=S.resume, update=update)
#: ready
if S.only_eval:
    loss, acc = q3()
    emit("evaluation", loss=round(loss, 4), q3=round(acc, 4), chains=len(test_x))
    sys.exit(0)
start = time.time()
while update < S.updates:
    update += 1
    rows = torch.randint(0, len(train_x), (S.batch,))
    x, y = train_x[rows], train_y[rows]
    #: batch
    loss = cross_entropy(model(x), y)
    #: loss
    opt.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), S.clip)
    #: grad
    opt.step()
    #: step
    if update % S.report == 0:
        emit("train", update=update, total=S.updates, loss=round(loss.item(), 5), grad_norm=round(norm.item(), 4), lr=opt.param_groups[0]["lr"], elapsed=round(time.time() - start, 2))
        #: report
    if update % S.validate == 0:
        vloss, acc = q3()
        emit("valid", update=update, loss=round(vloss, 5), q3=round(acc, 4))
        #: valid
    if update % S.snapshot == 0:
        torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "update": update}, f"{S.run}/u{update:06d}.pt")
        emit("snapshot", file=f"{S.run}/u{update:06d}.pt")
#: end
vloss, acc = q3()
emit("done", updates=update, loss=round(vloss, 5), q3=round(acc, 4), seconds=round(time.time() - start, 1))
'''

WINDS = '''#!/usr/bin/env python
# Power of the park for the next two hours from the last twelve (SCADA, 10 min means).
import configparser
import logging
import math
import os
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(asctime)s,%(msecs)03d [%(process)d] %(levelname)-7s %(message)s", datefmt="%d/%m/%Y %H:%M:%S")
log = logging.getLogger("park")
ini = configparser.ConfigParser()
ini.read_string("""
[data]
days = 120
turbines = 4
window = 72
ahead = 12
[train]
epochs = 15
batch = 64
rate = 0.002
seed = 3
patience = 0
[files]
folder = park
start =
continue =
keep_every = 5
""")
ini.read(sys.argv[1])
for section in ini.sections():
    log.info("[%s] %s", section, ", ".join(f"{k}={v}" for k, v in ini[section].items()))
data, conf, files = ini["data"], ini["train"], ini["files"]
torch.manual_seed(conf.getint("seed"))
os.makedirs(files["folder"], exist_ok=True)
#: early


def scada(days, seed):
    g = np.random.default_rng(seed)
    t = np.arange(days * 144)
    speed = 8 + 3 * np.sin(t / 144 * 2 * np.pi) + 2 * np.sin(t / 700)
    gust = np.zeros(len(t))
    for i in range(1, len(t)):
        gust[i] = 0.97 * gust[i - 1] + 0.3 * g.standard_normal()
    speed = np.clip(speed + gust, 0, 25)
    return (1 / (1 + np.exp(-(speed - 9)))).astype(np.float32)


series = scada(data.getint("days"), 1)
late = scada(20, 2)
#: data
W, A = data.getint("window"), data.getint("ahead")


def cut(values):
    view = np.lib.stride_tricks.sliding_window_view(values, W + A)[::3]
    return torch.tensor(view[:, :W].copy()), torch.tensor(view[:, W:].copy())


X, Y = cut(series)
VX, VY = cut(late)


class Causal(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(1 if i == 0 else channels, channels, 3, dilation=2**i) for i in range(4))
        self.last = nn.Linear(channels, A)

    def forward(self, x):
        x = x[:, None]
        for i, layer in enumerate(self.layers):
            x = F.leaky_relu(layer(F.pad(x, (2 * 2**i, 0))))
        return self.last(x[:, :, -1])


net = Causal(data.getint("channels", 16))
optim = torch.optim.AdamW(net.parameters(), conf.getfloat("rate"))
log.info("windows: %d train, %d validation; %d parameters", len(X), len(VX), sum(p.numel() for p in net.parameters()))
epoch0 = 1
if files["start"]:
    net.load_state_dict(torch.load(files["start"])["net"])
    log.info("net of %s is the start for this park", files["start"])
if files["continue"]:
    #: resume
    old = torch.load(files["continue"])
    net.load_state_dict(old["net"])
    optim.load_state_dict(old["optim"])
    epoch0 = old["epoch"] + 1
    log.info("continuing %s with epoch %d", files["continue"], epoch0)
EPOCHS = conf.getint("epochs")
best, since = math.inf, 0
#: ready
log.info("  epoch     train       val   skill     sec")
for epoch in range(epoch0, EPOCHS + 1):
    t0 = time.time()
    total, steps = 0.0, 0
    for rows in torch.randperm(len(X)).split(conf.getint("batch")):
        x, y = X[rows], Y[rows]
        #: batch
        loss = F.mse_loss(net(x), y)
        #: loss
        optim.zero_grad()
        loss.backward()
        optim.step()
        total, steps = total + loss.item(), steps + 1
        #: step
    with torch.no_grad():
        val = F.mse_loss(net(VX), VY).item()
    naive = F.mse_loss(VX[:, -1:].expand(-1, A), VY).item()
    log.info("%3d/%-3d %9.6f %9.6f %7.3f %7.2f", epoch, EPOCHS, total / steps, val, 1 - val / naive, time.time() - t0)
    best, since = (val, 0) if val < best else (best, since + 1)
    #: epoch
    if epoch % files.getint("keep_every") == 0 or epoch == EPOCHS:
        torch.save({"net": net.state_dict(), "optim": optim.state_dict(), "epoch": epoch}, f"{files['folder']}/park-{epoch:03d}.pt")
        log.info("written: %s/park-%03d.pt", files["folder"], epoch)
    if conf.getint("patience") and since >= conf.getint("patience"):
        log.info("no lower validation error for %d epochs, patience is over; best %.6f", since, best)
        break
#: end
log.info("training is complete, best validation error %.6f", best)
'''
