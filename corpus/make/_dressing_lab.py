"""A laboratory's own small framework (three files, colours, hooks) with two tasks for it, and a hand-made DQN in a corridor of ice."""

ENGINE = '''"""labkit.engine: the loop that all our papers use."""
import sys
import time
from pathlib import Path

import torch

COLOURS = {"INFO": "32", "WARNING": "33", "ERROR": "31", "SUCCESS": "36"}


def say(level, where, text):
    now = time.strftime("%Y-%m-%d %H:%M:%S")
    sys.stderr.write(f"\\x1b[90m{now}\\x1b[0m | \\x1b[1;{COLOURS[level]}m{level:<8}\\x1b[0m | \\x1b[36m{where}\\x1b[0m - {text}\\n")


class Hook:
    def before(self, engine): ...
    def after_step(self, engine): ...
    def after_epoch(self, engine): ...
    def end(self, engine): ...


class Engine:
    def __init__(self, task, cfg, hooks):
        self.task, self.cfg, self.hooks = task, cfg, hooks
        self.net = task.model(cfg)
        self.opt = torch.optim.RMSprop(self.net.parameters(), lr=cfg["lr"])
        self.epoch, self.step, self.epochs, self.stop = 0, 0, cfg["epochs"], False

    def call(self, name):
        for hook in self.hooks:
            getattr(hook, name)(self)

    def fit(self):
        self.call("before")
        n = sum(p.numel() for p in self.net.parameters())
        say("INFO", "labkit.engine:fit", f"task {self.task.__name__}, {n} parameters, epochs {self.epoch + 1}..{self.epochs}")
        while self.epoch < self.epochs and not self.stop:
            self.epoch += 1
            self.seen, self.sum, self.began = 0, 0.0, time.time()
            self.net.train()
            for self.batch in self.task.batches(self.cfg, self.epoch):
                #: batch
                self.loss = self.task.loss(self.net, self.batch)
                #: loss
                self.opt.zero_grad()
                self.loss.backward()
                #: grads
                self.opt.step()
                self.step += 1
                self.seen, self.sum = self.seen + 1, self.sum + self.loss.item()
                self.call("after_step")
            self.net.eval()
            with torch.no_grad():
                self.score = self.task.score(self.net, self.cfg)
            self.call("after_epoch")
        self.call("end")
        say("SUCCESS", "labkit.engine:fit", f"finished after {self.epoch} epochs and {self.step} steps")
'''

HOOKS = '''"""labkit.hooks"""
import time
from pathlib import Path

import torch

from labkit.engine import Hook, say


class Report(Hook):
    def before(self, engine):
        print(f"{'epoch':>6} {'steps':>7} {engine.task.loss_name:>12} {engine.task.score_name:>10} {'s/epoch':>8}", flush=True)
        print("-" * 47, flush=True)

    def after_epoch(self, engine):
        print(f"{engine.epoch:>6} {engine.step:>7} {engine.sum / max(1, engine.seen):>12.5f} {engine.score:>10.4f} {time.time() - engine.began:>8.2f}", flush=True)


class Keeper(Hook):
    def __init__(self, folder, every, resume):
        self.folder, self.every, self.resume = Path(folder), every, resume
        self.folder.mkdir(parents=True, exist_ok=True)

    def before(self, engine):
        if self.resume:
            #: resume
            path = sorted(self.folder.glob("*.ck"))[-1] if self.resume == "latest" else Path(self.resume)
            say("INFO", "labkit.hooks:Keeper", f"loading {path}")
            state = torch.load(path)
            engine.net.load_state_dict(state["net"])
            engine.opt.load_state_dict(state["opt"])
            engine.epoch, engine.step = state["epoch"], state["step"]
            say("INFO", "labkit.hooks:Keeper", f"went back to epoch {engine.epoch}, step {engine.step}")

    def after_epoch(self, engine):
        if engine.epoch % self.every == 0:
            #: keep
            path = self.folder / f"e{engine.epoch:04d}.ck"
            torch.save({"net": engine.net.state_dict(), "opt": engine.opt.state_dict(), "epoch": engine.epoch, "step": engine.step}, path)
            for old in sorted(self.folder.glob("*.ck"))[:-2]:
                old.unlink()
            #: kept


class Patience(Hook):
    def __init__(self, n):
        self.n, self.best, self.at = n, None, 0

    def after_epoch(self, engine):
        if self.best is None or engine.score > self.best + 1e-4:
            self.best, self.at = engine.score, engine.epoch
        elif self.n and engine.epoch - self.at >= self.n:
            say("WARNING", "labkit.hooks:Patience", f"no progress since epoch {self.at} (best {self.best:.4f}), stopping early")
            engine.stop = True


class Extra(Hook):
    def after_step(self, engine):
        #: step
        pass

    def after_epoch(self, engine):
        #: epoch
        pass

    def end(self, engine):
        #: end
        pass
'''

MAIN = '''import configparser
import sys

import torch

from labkit.engine import Engine, say
from labkit.hooks import Extra, Keeper, Patience, Report
from tasks import TASKS

ini = configparser.ConfigParser(inline_comment_prefixes=";")
if not ini.read(sys.argv[1]):
    sys.exit(f"main.py: cannot read settings {sys.argv[1]!r}")
run = ini["run"]
cfg = {"lr": run.getfloat("lr", 0.002), "epochs": run.getint("epochs", 14), "batch": run.getint("batch", 32), "size": run.getint("size", 24), "batches": run.getint("batches", 30)}
torch.manual_seed(run.getint("seed", 0))
#: early
say("INFO", "main", f"{sys.argv[1]}: " + ", ".join(f"{k}={v}" for k, v in run.items()))
engine = Engine(TASKS[run["task"]], cfg, [Report(), Keeper(run.get("folder", "ck"), run.getint("keep", 5), run.get("resume", "")), Patience(run.getint("patience", 0)), Extra()])
#: ready
engine.fit()
'''

TASKS_PY = '''import torch
from torch import nn
from torch.nn import functional as F


class Denoise:
    """Clean 1d signals: masked autoencoder of small waves."""

    loss_name, score_name = "masked mse", "psnr"

    def model(cfg):
        return nn.Sequential(nn.Linear(32, 2 * cfg["size"]), nn.ReLU(), nn.Linear(2 * cfg["size"], cfg["size"]), nn.ReLU(), nn.Linear(cfg["size"], 32))

    def wave(n):
        t = torch.linspace(0, 3, 32)
        return torch.sin((1 + 3 * torch.rand(n, 1)) * t + 6 * torch.rand(n, 1))

    def batches(cfg, epoch):
        for _ in range(cfg["batches"]):
            yield Denoise.wave(cfg["batch"])

    def loss(net, x):
        seen = torch.rand_like(x) > 0.4
        return F.mse_loss(net(x * seen)[~seen], x[~seen])

    def score(net, cfg):
        x = Denoise.wave(200)
        seen = torch.rand_like(x) > 0.4
        return (-10 * torch.log10(F.mse_loss(net(x * seen), x))).item()


class Density:
    """Two moons under a flow of affine couplings; the loss is a negative log-likelihood and may go below zero."""

    loss_name, score_name = "nll", "bits"

    def model(cfg):
        return Flow(cfg["size"])

    def moons(n):
        a, up = 3.1416 * torch.rand(n), torch.rand(n) > 0.5
        x = torch.where(up, a.cos(), 1 - a.cos())
        return 0.7 * torch.stack([x - 0.5, torch.where(up, a.sin(), 0.5 - a.sin()) - 0.25], 1) + 0.03 * torch.randn(n, 2)

    def batches(cfg, epoch):
        for _ in range(cfg["batches"]):
            yield Density.moons(2 * cfg["batch"])

    def loss(net, x):
        return net(x)

    def score(net, cfg):
        return -net(Density.moons(400)).item() / 1.386


class Flow(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.nets = nn.ModuleList(nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 2)) for _ in range(6))

    def forward(self, x):
        logdet = 0.0
        for i, n in enumerate(self.nets):
            a, b = x[:, i % 2 : i % 2 + 1], x[:, 1 - i % 2 : 2 - i % 2]
            s, t = n(a).chunk(2, 1)
            b = b * torch.exp(torch.tanh(s) * 1.5) + t
            logdet = logdet + 1.5 * torch.tanh(s).squeeze(1)
            x = torch.cat([a, b], 1) if i % 2 == 0 else torch.cat([b, a], 1)
        return (0.5 * (x**2).sum(1) + 1.8379 - logdet).mean()


TASKS = {"denoise": Denoise, "density": Density}
'''

ICE = '''#!/usr/bin/env python
"""DQN on a corridor of thin ice: walk right to the house, do not stand still for long. Everything by hand, no gym."""
import argparse
import collections
import random
import sys
import time

import torch
import torch.nn as nn

P = argparse.ArgumentParser()
P.add_argument("--episodes", type=int, default=260)
P.add_argument("--length", type=int, default=9)
P.add_argument("--gamma", type=float, default=0.95)
P.add_argument("--lr", type=float, default=2e-3)
P.add_argument("--units", type=int, default=32)
P.add_argument("--eps-end", type=float, default=0.03)
P.add_argument("--show", type=int, default=20)
P.add_argument("--brain", default="brain.pt")
P.add_argument("--brain-every", type=int, default=100)
P.add_argument("--load-brain", default=None)
P.add_argument("--slow", type=float, default=0.0)
C = P.parse_args()
random.seed(8)
torch.manual_seed(8)
#: early


def features(pos, cracks):
    v = torch.zeros(C.length + 1)
    v[pos] = 1.0
    v[-1] = cracks / 4
    return v


def walk(pos, cracks, action):
    """0 left, 1 wait, 2 right; ice breaks at the fourth crack."""
    slip = random.random() < 0.15
    move = 0 if slip else action - 1
    pos = max(0, pos + move)
    cracks = cracks + 1 if move == 0 else max(0, cracks - 1)
    if cracks >= 4:
        return pos, cracks, -1.0, True
    if pos >= C.length - 1:
        return C.length - 1, cracks, 1.0, True
    return pos, cracks, -0.02, False


def brain():
    return nn.Sequential(nn.Linear(C.length + 1, C.units), nn.ReLU(), nn.Linear(C.units, 3))


q, target = brain(), brain()
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), C.lr)
memory = collections.deque(maxlen=4000)
ep0 = 0
if C.load_brain:
    #: load
    b = torch.load(C.load_brain)
    q.load_state_dict(b["q"])
    target.load_state_dict(b["q"])
    opt.load_state_dict(b["opt"])
    ep0 = b["episode"]
    print(f"woke up with {C.load_brain} after episode {ep0}")
print(f"corridor of {C.length}, {sum(p.numel() for p in q.parameters())} weights, seed 8", flush=True)
returns, losses = collections.deque(maxlen=C.show), collections.deque(maxlen=50)
steps, t0 = 0, time.time()
for episode in range(ep0 + 1, C.episodes + 1):
    eps = max(C.eps_end, 1.0 - episode / (0.6 * C.episodes))
    pos, cracks, total, over, n = 0, 0, 0.0, False, 0
    while not over and n < 60:
        s = features(pos, cracks)
        with torch.no_grad():
            a = random.randrange(3) if random.random() < eps else int(q(s).argmax())
        pos, cracks, reward, over = walk(pos, cracks, a)
        #: reward
        memory.append((s, a, reward, features(pos, cracks), float(over)))
        total, n, steps = total + reward, n + 1, steps + 1
        if len(memory) >= 64 and steps % 2 == 0:
            S, A, R, N, D = zip(*random.sample(memory, 32))
            S, A, R, N, D = torch.stack(S), torch.tensor(A), torch.tensor(R), torch.stack(N), torch.tensor(D)
            #: replay
            with torch.no_grad():
                goal = R + C.gamma * (1 - D) * target(N).max(1).values
            loss = nn.functional.mse_loss(q(S).gather(1, A[:, None]).squeeze(1), goal)
            #: loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
            #: step
    time.sleep(C.slow)
    returns.append(total)
    if episode % 10 == 0:
        target.load_state_dict(q.state_dict())
    if episode % C.show == 0:
        td = sum(losses) / max(1, len(losses))
        print(f"episode {episode:5d}   mean return {sum(returns) / len(returns):+.3f}   td {td:.5f}   eps {eps:.2f}   {steps} moves   {time.time() - t0:.0f} s", flush=True)
    if episode % C.brain_every == 0:
        torch.save({"q": q.state_dict(), "opt": opt.state_dict(), "episode": episode}, C.brain)
        #: saved
    #: after
#: finish
print(f"over. {steps} moves in {C.episodes - ep0} episodes, last mean return {sum(returns) / max(1, len(returns)):+.3f}")
'''
