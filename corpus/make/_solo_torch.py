"""Training programs of one process over plain PyTorch, as four people write them, with places for what a case does."""

GLYPHS = '''"""Small CNN on 16x16 glyphs."""
import argparse
import logging
import math
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

logger = logging.getLogger("glyphs")


class Glyphs(Dataset):
    def __init__(self, n, size=16, seed=0):
        gen = torch.Generator().manual_seed(seed)
        self.proto = torch.randn(10, 1, size, size, generator=torch.Generator().manual_seed(99))
        self.labels = torch.randint(0, 10, (n,), generator=gen)
        self.noise = torch.randn(n, 1, size, size, generator=gen)
        #: dataset

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        #: item
        return self.proto[self.labels[idx]] + self.noise[idx], self.labels[idx]


class SmallCNN(nn.Module):
    def __init__(self, width=8, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1, stride=2)
        self.head = nn.Linear(2 * width * 16, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.relu(self.conv2(x))
        return self.head(x.flatten(1))


def get_args():
    p = argparse.ArgumentParser("glyphs")
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--width", type=int, default=8)
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--samples", type=int, default=960)
    p.add_argument("--device", default="cpu")
    p.add_argument("--resume", default="")
    p.add_argument("--output-dir", default="out")
    p.add_argument("--log-every", type=int, default=5)
    return p.parse_args()


def evaluate(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in loader:
            #: score
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return hits / total


def main():
    args = get_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s")
    logger.info("Args: %s", vars(args))
    torch.manual_seed(42)
    #: early
    device = torch.device(args.device)
    model = SmallCNN(args.width).to(device)
    logger.info("Model has %d parameters", sum(p.numel() for p in model.parameters()))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    loader = DataLoader(Glyphs(args.samples), args.batch_size, shuffle=True, num_workers=args.workers)
    val_loader = DataLoader(Glyphs(200, seed=1), 100)
    start_epoch = 0
    if args.resume:
        logger.info("Loading checkpoint %s", args.resume)
        state = torch.load(args.resume, map_location="cpu")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start_epoch = state["epoch"] + 1
        logger.info("Resumed from %s (epoch %d)", args.resume, state["epoch"])
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(loader))
    #: ready
    for epoch in range(start_epoch, args.epochs):
        model.train()
        for i, (x, y) in enumerate(loader):
            step = epoch * len(loader) + i + 1
            #: mid
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            #: loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            #: grads
            optimizer.step()
            scheduler.step()
            if step % args.log_every == 0:
                logger.info("Epoch: [%d/%d]  Iter: [%d/%d]  Loss: %.4f  LR: %.2e", epoch + 1, args.epochs, i + 1, len(loader), loss.item(), scheduler.get_last_lr()[0])
            #: after
        acc = evaluate(model, val_loader)
        logger.info("Epoch %d done. Val accuracy: %.2f%%", epoch + 1, 100 * acc)
        #: epoch
    logger.info("Training finished, best accuracy %.2f%%", 100 * acc)
    #: late


if __name__ == "__main__":
    main()
'''
FORECAST = '''import csv
import os
import sys
import time
from pathlib import Path

import torch
import yaml
from loguru import logger
from omegaconf import OmegaConf
from torch import nn

logger.remove()
logger.add(sys.stdout, format="{time:YYYY-MM-DD HH:mm:ss} | {level: <7} | {name}:{line} - {message}")


class Forecaster(nn.Module):
    def __init__(self, hidden, horizon):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, horizon)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


def series(n, length, horizon):
    phase = torch.rand(n, 1) * 6.28
    t = torch.arange(length + horizon) * 0.3
    wave = torch.sin(t + phase) + 0.05 * torch.randn(n, length + horizon)
    return wave[:, :length, None], wave[:, length:]


@logger.catch(reraise=True)
def run(cfg):
    logger.info("config:\\n{}", OmegaConf.to_yaml(cfg))
    torch.manual_seed(cfg.seed)
    #: early
    x, y = series(cfg.data.windows, cfg.data.length, cfg.data.horizon)
    #: data
    net = Forecaster(cfg.model.hidden, cfg.data.horizon)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.optim.lr)
    Path("metrics").mkdir(exist_ok=True)
    table = csv.writer(open("metrics/train.csv", "w", newline=""))
    table.writerow(("step", "mse"))
    first = 1
    #: ready
    for step in range(first, cfg.optim.steps + 1):
        #: mid
        rows = torch.randint(0, len(x), (cfg.optim.batch,))
        loss = (net(x[rows]) - y[rows]).pow(2).mean()
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        table.writerow((step, loss.item()))
        if step % cfg.log_every == 0:
            logger.info("step {:>4}/{} | mse {:.5f} | {:.1f} windows/s", step, cfg.optim.steps, loss.item(), cfg.optim.batch / 0.01)
        #: after
        time.sleep(cfg.pause)
    #: late
    logger.success("run complete after {} steps, final mse {:.5f}", step, loss.item())


if __name__ == "__main__":
    base = OmegaConf.load("config.yaml")
    run(OmegaConf.merge(base, OmegaConf.from_cli()))
'''
FORECAST_YAML = """seed: 7
log_every: 10
pause: 0.02
data:
  windows: 400
  length: 24
  horizon: 4
model:
  hidden: 16
optim:
  lr: 0.01
  batch: 32
  steps: 180
"""
GRID = '''#!/usr/bin/env python
import itertools
import os
import random
import sys
from collections import deque

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import nn
from torch.distributions import Categorical

console = Console(width=110)
ITERS = int(sys.argv[1]) if len(sys.argv) > 1 else 36


class GridWorld:
    """Walk from one corner to the other."""

    def __init__(self, n=5):
        self.n = n

    def reset(self):
        self.pos, self.t = [0, 0], 0
        return self.obs()

    def obs(self):
        return torch.tensor([self.pos[0] / self.n, self.pos[1] / self.n, self.t / 40])

    def step(self, action):
        #: env
        dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[action]
        self.pos = [min(self.n - 1, max(0, self.pos[0] + dx)), min(self.n - 1, max(0, self.pos[1] + dy))]
        self.t += 1
        done = self.pos == [self.n - 1, self.n - 1]
        return self.obs(), 1.0 if done else -0.02, done or self.t >= 40


torch.manual_seed(3)
#: early
policy = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 4))
value = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.01)
env, recent, frames = GridWorld(), deque(maxlen=30), 0
#: ready
for it in range(1, ITERS + 1):
    #: mid
    logp, vals, rets, ents = [], [], [], []
    for _ in range(6):
        obs, done, rew = env.reset(), False, []
        while not done:
            dist = Categorical(logits=policy(obs))
            act = dist.sample()
            logp.append(dist.log_prob(act))
            vals.append(value(obs).squeeze())
            ents.append(dist.entropy())
            obs, r, done = env.step(act.item())
            rew.append(r)
            frames += 1
        recent.append(sum(rew))
        rets += [sum(rew[i:]) for i in range(len(rew))]
    ret, val = torch.tensor(rets), torch.stack(vals)
    adv = ret - val.detach()
    pi_loss = -(torch.stack(logp) * adv).mean()
    v_loss = (ret - val).pow(2).mean()
    loss = pi_loss + 0.5 * v_loss - 0.01 * torch.stack(ents).mean()
    #: loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 2 == 0:
        table = Table(title=f"Iteration {it}/{ITERS}")
        for name in ("frames", "ep_rew_mean", "policy_loss", "value_loss", "entropy"):
            table.add_column(name, justify="right")
        table.add_row(str(frames), f"{np.mean(recent):.3f}", f"{pi_loss.item():.4f}", f"{v_loss.item():.4f}", f"{torch.stack(ents).mean().item():.3f}")
        console.print(table)
    #: after
#: late
console.print(f"[bold green]Training complete[/]: {frames} frames, mean reward {np.mean(recent):.3f}")
'''
DENOISE = '''"""Denoising diffusion on 2-d points (two moons)."""
import json
import math
import os
import time

import torch
from torch import nn
from tqdm import tqdm

EPOCHS = int(os.environ.get("EPOCHS", 6))
T = 50
betas = torch.linspace(1e-4, 0.05, T)
abar = torch.cumprod(1 - betas, 0)


def moons(n):
    t = torch.rand(n) * math.pi
    flip = (torch.rand(n) < 0.5).float()
    x = torch.stack([torch.cos(t) * (1 - 2 * flip) + flip, torch.sin(t) * (1 - 2 * flip) + 0.5 * flip], 1)
    return x + 0.05 * torch.randn_like(x)


class Eps(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, dim), nn.SiLU(), nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, t[:, None] / T], 1))


if __name__ == "__main__":
    torch.manual_seed(0)
    #: early
    model, data = Eps(), moons(2000)
    ema = {k: v.clone() for k, v in model.state_dict().items()}
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    step = 0
    #: ready
    for epoch in range(EPOCHS):
        bar = tqdm(range(60), desc=f"Epoch {epoch + 1}/{EPOCHS}", ncols=90, mininterval=0.3)
        for _ in bar:
            step += 1
            #: mid
            x0 = data[torch.randint(0, len(data), (128,))]
            t = torch.randint(0, T, (128,))
            noise = torch.randn_like(x0)
            xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * noise
            loss = (model(xt, t.float()) - noise).pow(2).mean()
            #: loss
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            for k, v in model.state_dict().items():
                ema[k].lerp_(v, 0.01)
            bar.set_postfix(loss=f"{loss.item():.4f}")
            time.sleep(0.01)
        print(json.dumps({"epoch": epoch + 1, "train/loss": round(loss.item(), 5), "step": step}), flush=True)
        #: epoch
    #: late
    print("saved samples.pt; done", flush=True)
'''
