"""More training programs of one process: a GAN, two towers in JSON lines, keywords in sound, points that are denoised."""

GAN = '''from __future__ import print_function
import os, random, sys, time
import torch
import torch.nn as nn

nz, ngf, batchSize, niter = 8, 24, 32, int(os.getenv("NITER", "4"))
manualSeed = 999
print("Random Seed: ", manualSeed)
torch.manual_seed(manualSeed)
#: early
rings = torch.rand(1024, 1) * 6.2832
dataset = torch.cat([torch.cos(rings), torch.sin(rings)], 1) + 0.05 * torch.randn(1024, 2)
#: data
netG = nn.Sequential(nn.Linear(nz, ngf), nn.ReLU(True), nn.Linear(ngf, ngf), nn.ReLU(True), nn.Linear(ngf, 2))
netD = nn.Sequential(nn.Linear(2, ngf), nn.LeakyReLU(0.2), nn.Linear(ngf, ngf), nn.LeakyReLU(0.2), nn.Linear(ngf, 1), nn.Sigmoid())
print(netG)
print(netD)
criterion = nn.BCELoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=0.002, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=0.002, betas=(0.5, 0.999))
#: ready
print("Starting Training Loop...", flush=True)
for epoch in range(niter):
    for i, real in enumerate(dataset[torch.randperm(1024)].split(batchSize)):
        #: mid
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        netD.zero_grad()
        output = netD(real)
        errD_real = criterion(output, ones)
        D_x = output.mean().item()
        fake = netG(torch.randn(len(real), nz))
        output = netD(fake.detach())
        errD = errD_real + criterion(output, zeros)
        errD.backward()
        D_G_z1 = output.mean().item()
        optimizerD.step()
        netG.zero_grad()
        output = netD(fake)
        errG = criterion(output, ones)
        #: loss
        errG.backward()
        D_G_z2 = output.mean().item()
        optimizerG.step()
        if i % 8 == 0:
            print("[%d/%d][%d/%d]\\tLoss_D: %.4f\\tLoss_G: %.4f\\tD(x): %.4f\\tD(G(z)): %.4f / %.4f" % (epoch, niter, i, 1024 // batchSize, errD.item(), errG.item(), D_x, D_G_z1, D_G_z2), flush=True)
        #: after
    torch.save(netG.state_dict(), "netG_epoch_%d.pth" % epoch)
    #: epoch
#: late
'''
TOWER = '''import json, os, signal, sys, time, uuid
from datetime import datetime, timezone

import torch
import torch.nn as nn
import torch.nn.functional as F

RUN = uuid.UUID(int=77).hex[:8]
cfg = {"steps": 240, "dim": 16, "lr": 0.05, "batch": 64, "users": 300, "items": 200, "report": 10, "snapshot": 80, "pause": 0.0, "restore": None}
if len(sys.argv) > 1:
    cfg.update(json.load(open(sys.argv[1])))


def emit(level, event, **more):
    row = {"ts": datetime.now(timezone.utc).isoformat(timespec="milliseconds"), "level": level, "run": RUN, "event": event, **more}
    print(json.dumps(row), flush=True)


class TwoTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.user = nn.Embedding(cfg["users"], dim)
        self.item = nn.Embedding(cfg["items"], dim)
        self.scale = nn.Parameter(torch.tensor(4.0))

    def forward(self, u, i):
        return self.scale * F.normalize(self.user(u), dim=-1) @ F.normalize(self.item(i), dim=-1).T


def main():
    emit("info", "config", **cfg)
    torch.manual_seed(11)
    #: early
    taste = torch.randint(0, 8, (cfg["users"],))
    kind = torch.arange(cfg["items"]) % 8
    #: data
    model = TwoTower(cfg["dim"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    first = 1
    if cfg["restore"]:
        emit("info", "restoring", path=cfg["restore"])
        state = torch.load(cfg["restore"])
        model.load_state_dict(state["model"])
        first = state["step"] + 1
        emit("info", "restored", step=state["step"])
    #: ready
    for step in range(first, cfg["steps"] + 1):
        began = time.perf_counter()
        users = torch.randint(0, cfg["users"], (cfg["batch"],))
        items = (torch.randint(0, cfg["items"] // 8, (cfg["batch"],)) * 8 + taste[users]) % cfg["items"]
        #: mid
        scores = model(users, items)
        same = (kind[items][:, None] == taste[users][None]).float().T
        loss = F.binary_cross_entropy_with_logits(scores, same)
        #: loss
        optimizer.zero_grad()
        loss.backward()
        grad = float(nn.utils.clip_grad_norm_(model.parameters(), 5.0))
        optimizer.step()
        if step % cfg["report"] == 0:
            emit("info", "train_step", step=step, of=cfg["steps"], loss=round(loss.item(), 5), grad_norm=round(grad, 4), lr=optimizer.param_groups[0]["lr"], ms=round(1000 * (time.perf_counter() - began), 2))
        if step % cfg["snapshot"] == 0:
            torch.save({"model": model.state_dict(), "step": step}, f"snap_{step:05d}.pt")
            emit("info", "snapshot", path=f"snap_{step:05d}.pt", step=step)
        #: after
        time.sleep(cfg["pause"])
    #: late
    emit("info", "finished", step=step, loss=round(loss.item(), 5))


if __name__ == "__main__":
    main()
'''
KWS = '''#!/usr/bin/env python
# keyword spotting on synthetic tones
import configparser
import logging
import os
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

log = logging.getLogger(__name__)
CONF = Path(sys.argv[1] if len(sys.argv) > 1 else "kws.ini")


class Spotter(nn.Module):
    def __init__(self, channels, words):
        super().__init__()
        self.front = nn.Conv1d(1, channels, 31, stride=8)
        self.body = nn.Conv1d(channels, channels, 9, stride=4)
        self.cls = nn.Linear(channels, words)

    def forward(self, wave):
        h = torch.relu(self.front(wave[:, None]))
        return self.cls(torch.relu(self.body(h)).amax(-1))


def tones(rng, n, words):
    y = rng.integers(0, words, n)
    t = np.arange(800) / 800
    x = np.sin(2 * np.pi * (20 + 25 * y[:, None]) * t + rng.uniform(0, 6.28, (n, 1))) + rng.normal(0, 0.7, (n, 800))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


def main():
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(asctime)s] %(levelname).1s %(message)s", datefmt="%H:%M:%S")
    conf = configparser.ConfigParser()
    with CONF.open() as f:
        conf.read_file(f)
    opt, data = conf["optim"], conf["data"]
    words = data.getint("words")
    rng = np.random.default_rng(4)
    torch.manual_seed(4)
    #: early
    train_x, train_y = tones(rng, data.getint("utterances"), words)
    dev_x, dev_y = tones(rng, 120, words)
    #: data
    log.info("%d utterances for training, %d for dev", len(train_x), len(dev_x))
    model = Spotter(conf["model"].getint("channels"), words)
    optimizer = torch.optim.SGD(model.parameters(), lr=opt.getfloat("lr"), momentum=0.9)
    #: ready
    n = 0
    for epoch in range(1, opt.getint("epochs") + 1):
        seen = 0
        for rows in torch.randperm(len(train_x)).split(24):
            x, y = train_x[rows], train_y[rows]
            #: mid
            loss = nn.functional.cross_entropy(model(x), y)
            #: loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            n, seen = n + 1, seen + len(rows)
            if n % 8 == 0:
                log.info("Train Epoch: %d [%d/%d (%.0f%%)]\\tLoss: %.6f", epoch, seen, len(train_x), 100 * seen / len(train_x), loss.item())
            #: after
        with torch.no_grad():
            wer = 100 * (model(dev_x).argmax(1) != dev_y).float().mean().item()
        log.info("epoch %d dev error rate %.1f%%", epoch, wer)
        #: epoch
    torch.save(model.state_dict(), "spotter.pt")
    #: late
    log.info("Bye, total updates: %d", n)


main()
'''
KWS_INI = """[data]
words = 6
utterances = 480

[model]
channels = 16

[optim]
lr = 0.05
epochs = 5
"""
PREP = '''"""Builds token shards from raw text, with a pool of helpers."""
import argparse
import gzip
import hashlib
import json
import logging
import multiprocessing as mp
import os
import random
import sys
import time
from collections import Counter

import numpy as np

log = logging.getLogger("prep")
WORDS = "time river stone light under over green quick slow model data paper night house field small".split()


def make_raw(folder, files):
    rng = random.Random(2)
    os.makedirs(folder, exist_ok=True)
    for k in range(files):
        with gzip.open(f"{folder}/part-{k:03d}.jsonl.gz", "wt") as f:
            for d in range(120):
                f.write(json.dumps({"id": f"{k}-{d}", "text": " ".join(rng.choice(WORDS) for _ in range(rng.randrange(20, 60)))}) + "\\n")


def shard(task):
    path, out, vocab = task
    ids, bad = [], 0
    with gzip.open(path, "rt") as f:
        for number, line in enumerate(f):
            #: line
            doc = json.loads(line)
            words = doc["text"].split()
            if len(words) < 22:
                bad += 1
                continue
            ids += [vocab[w] for w in words] + [0]
    #: shard
    np.save(out, np.array(ids, dtype=np.uint16))
    return path, len(ids), bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--raw", default="raw")
    p.add_argument("--out", default="shards")
    p.add_argument("--files", type=int, default=24)
    p.add_argument("--procs", type=int, default=1)
    p.add_argument("--make", action="store_true")
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(levelname)-7s %(message)s", stream=sys.stderr)
    if args.make:
        make_raw(args.raw, args.files)
    #: early
    vocab = {w: i + 1 for i, w in enumerate(WORDS)}
    paths = sorted(os.path.join(args.raw, n) for n in os.listdir(args.raw))
    os.makedirs(args.out, exist_ok=True)
    log.info("%d input files, %d processes", len(paths), args.procs)
    tasks = [(path, os.path.join(args.out, f"{k:05d}.npy"), vocab) for k, path in enumerate(paths)]
    #: ready
    total = dropped = 0
    began = time.time()
    with mp.get_context("fork").Pool(args.procs) as pool:
        for k, (path, n, bad) in enumerate(pool.imap(shard, tasks), 1):
            total, dropped = total + n, dropped + bad
            log.info("[%d/%d] %s: %d tokens, %d documents dropped (%.0f tok/s)", k, len(tasks), path, n, bad, total / (time.time() - began + 1e-3))
            #: after
            time.sleep(0.05)
    #: late
    json.dump({"tokens": total, "files": len(tasks)}, open(os.path.join(args.out, "meta.json"), "w"))
    log.info("wrote %d tokens into %d shards, %d documents were too short", total, len(tasks), dropped)


if __name__ == "__main__":
    main()
'''
