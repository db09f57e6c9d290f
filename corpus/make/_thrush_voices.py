"""Programs: phones by CTC from lists of utterances (a speech group), carts and poles by an actor and a critic (a group for control)."""

PHONES = r'''"""CTC phone recogniser. Lists in data/, experiments in exp/."""
import argparse
import json
import logging
import os
import sys
import time

import numpy as np
import torch
import torch.nn as nn

p = argparse.ArgumentParser()
p.add_argument("--train", default="data/train.lst")
p.add_argument("--dev", default="data/dev.lst")
p.add_argument("--exp", default="exp")
p.add_argument("--epochs", type=int, default=15)
p.add_argument("--chunk", type=int, default=5, help="minibatches a line")
p.add_argument("--hidden", type=int, default=40)
p.add_argument("--lr", type=float, default=3e-3)
p.add_argument("--warmup", type=int, default=1)
p.add_argument("--continue", dest="go_on", action="store_true")
p.add_argument("--limit", type=int, default=0)
p.add_argument("--slack", type=float, default=0.02)
opt = p.parse_args()
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s.%(msecs)03d | %(levelname)-7s | %(message)s", datefmt="%H:%M:%S")
L = logging.getLogger("phones")
L.info("command: %s", " ".join(sys.argv))
SET = "aa ae b d eh f g iy k l m n".split()
rng = np.random.default_rng(11)
torch.manual_seed(11)
VOICE = rng.normal(size=(len(SET) + 1, 20))
#: start


def listed(path):
    utts = []
    with open(path, encoding="utf-8") as f:
        for row in f:
            name, speaker, phones = row.rstrip("\n").split("|")
            labels = [SET.index(w) + 1 for w in phones.split()]
            frames = np.concatenate([np.repeat(VOICE[k : k + 1], rng.integers(3, 7), 0) for k in labels] or [VOICE[:1]])
            utts.append((name, speaker, torch.tensor(frames + rng.normal(0, 0.6, frames.shape), dtype=torch.float32), torch.tensor(labels)))
    return utts


train, dev = listed(opt.train), listed(opt.dev)
#: data
if opt.limit:
    train = train[: opt.limit]
L.info("train %d utterances (%.1f min), dev %d (%.1f min)", len(train), sum(len(u[2]) for u in train) / 6000, len(dev), sum(len(u[2]) for u in dev) / 6000)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
        self.gru = nn.GRU(32, opt.hidden, batch_first=True)
        self.out = nn.Linear(opt.hidden, len(SET) + 1)

    def forward(self, x):
        return self.out(self.gru(self.front(x))[0]).log_softmax(-1)


net = Net()
adam = torch.optim.Adam(net.parameters(), lr=opt.lr)
ctc = nn.CTCLoss()
begun, seen, tag = 0, 0, f"gru{opt.hidden}_lr{opt.lr:g}"
folder = f"{opt.exp}/{tag}"
os.makedirs(folder, exist_ok=True)
#: model
if opt.go_on:
    #: resume
    state = torch.load(f"{folder}/last.state")
    net.load_state_dict(state["net"])
    adam.load_state_dict(state["adam"])
    begun, seen = state["epoch"], state["seen"]
    L.info("%s/last.state loaded, %d epochs are done", folder, begun)


def collate(utts):
    lens, sizes = torch.tensor([len(u[2]) for u in utts]), torch.tensor([len(u[3]) for u in utts])
    return nn.utils.rnn.pad_sequence([u[2] for u in utts], batch_first=True), lens, torch.cat([u[3] for u in utts]), sizes


def errors(ref, hyp):
    row = list(range(len(hyp) + 1))
    for i, r in enumerate(ref, 1):
        last, row[0] = row[0], i
        for j, h in enumerate(hyp, 1):
            last, row[j] = row[j], min(last + (r != h), row[j] + 1, row[j - 1] + 1)
    return row[-1]


@torch.no_grad()
def score():
    x, lens, y, sizes = collate(dev)
    z = net(x)
    loss = ctc(z.transpose(0, 1), y, lens, sizes).item()
    wrong, by = 0, {}
    for (name, speaker, _, ref), row, n in zip(dev, z.argmax(-1), lens):
        best = [int(k) for k, before in zip(row[:n], [0, *row[: n - 1].tolist()]) if int(k) and int(k) != before]
        e = errors(ref.tolist(), best)
        wrong += e
        by.setdefault(speaker, [0, 0])
        by[speaker][0] += e
        by[speaker][1] += len(ref)
    return loss, wrong, by


t_start, t_read, t_keep = time.time(), 0.0, 0.0
for epoch in range(begun + 1, opt.epochs + 1):
    order = rng.permutation(len(train))
    batches = [[train[k] for k in order[a : a + 12]] for a in range(0, len(order), 12)]
    told, t_mark, read, t_epoch = [], time.time(), 0.0, time.time()
    #: epoch_top
    for n, utts in enumerate(batches, 1):
        t0 = time.time()
        x, lens, y, sizes = collate(utts)
        #: fetch
        read += time.time() - t0
        t_read += time.time() - t0
        seen += 1
        adam.param_groups[0]["lr"] = opt.lr * min(1, seen / opt.warmup)
        #: rate
        loss = ctc(net(x).transpose(0, 1), y, lens, sizes)
        #: loss
        adam.zero_grad()
        loss.backward()
        g = float(nn.utils.clip_grad_norm_(net.parameters(), 5.0))
        adam.step()
        time.sleep(opt.slack)
        told.append(loss.item())
        #: after
        if n % opt.chunk == 0 or n == len(batches):
            L.info("epoch %d, batches to %d/%d: ctc %.4f, |g| %.2f, lr %.2e, %.1f utt/s", epoch, n, len(batches), sum(told) / len(told), g, adam.param_groups[0]["lr"], 12 * len(told) / (time.time() - t_mark))
            #: told
            told, t_mark = [], time.time()
    v, wrong, by = score()
    phones_in_dev = sum(len(u[3]) for u in dev)
    L.info("epoch %d, dev: ctc %.4f, PER %.2f %% (%d of %d phones)", epoch, v, 100 * wrong / phones_in_dev, wrong, phones_in_dev)
    #: epoch
    t1 = time.time()
    torch.save({"net": net.state_dict(), "adam": adam.state_dict(), "epoch": epoch, "seen": seen}, f"{folder}/last.state")
    #: saved
#: finish
L.info("training finished after epoch %d (%d minibatches), %s/last.state has PER %.2f %%", epoch, seen, folder, 100 * wrong / phones_in_dev)
'''

CARTS = r'''"""Advantage actor-critic on a cart with a pole; the physics is NumPy. carts.py [--flags]"""
import argparse
import glob
import os
import time
from collections import deque

import numpy as np
import torch
from torch import nn

flags = argparse.ArgumentParser()
flags.add_argument("--task", default="balance")
flags.add_argument("--updates", type=int, default=400)
flags.add_argument("--carts", type=int, default=16)
flags.add_argument("--horizon", type=int, default=32)
flags.add_argument("--report", type=int, default=10)
flags.add_argument("--keep", type=int, default=100)
flags.add_argument("--lr", type=float, default=4e-3)
flags.add_argument("--units", type=int, default=32)
flags.add_argument("--runs", default="runs/cart")
flags.add_argument("--newest", action="store_true", help="go on from the newest policy in --runs")
flags.add_argument("--calm", type=float, default=0.0)
a = flags.parse_args()
FORCES = {"balance": 10.0, "balance-weak": 4.0, "swing": 12.0}
LIMIT = 300
rng = np.random.default_rng(3)
torch.manual_seed(3)
print(f"task {a.task}: {a.carts} carts, horizon {a.horizon}, {a.updates} updates planned ({a.updates * a.carts * a.horizon} transitions)", flush=True)
#: start


class Carts:
    def __init__(self, n, force):
        self.n, self.force = n, force
        self.s = rng.uniform(-0.05, 0.05, (n, 4))
        self.age = np.zeros(n, int)

    def step(self, act):
        assert self.s.shape == (self.n, 4), f"state is {self.s.shape}, {self.n} carts expected"
        x, v, th, w = self.s.T
        f = np.where(act == 1, self.force, -self.force)
        cos, sin = np.cos(th), np.sin(th)
        temp = (f + 0.05 * w**2 * sin) / 1.1
        acc_t = (9.8 * sin - cos * temp) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        acc_x = temp - 0.05 * acc_t * cos / 1.1
        self.s = np.stack([x + 0.02 * v, v + 0.02 * acc_x, th + 0.02 * w, w + 0.02 * acc_t], 1)
        self.age += 1
        down = (np.abs(self.s[:, 0]) > 2.4) | (np.abs(self.s[:, 2]) > 0.21)
        over = down | (self.age >= LIMIT)
        lengths = self.age[over].tolist()
        self.s[over] = rng.uniform(-0.05, 0.05, (int(over.sum()), 4))
        self.age[over] = 0
        return down, over, lengths


world = Carts(a.carts, FORCES[a.task])
body = nn.Sequential(nn.Linear(4, a.units), nn.Tanh(), nn.Linear(a.units, 3))
adam = torch.optim.Adam(body.parameters(), lr=a.lr)
done, lengths, clock = 0, deque(maxlen=50), {"rollout": 0.0, "learn": 0.0, "keep": 0.0}
if a.newest:
    print(f"looking for the newest policy in {a.runs}", flush=True)
    path = max(glob.glob(f"{a.runs}/policy_*.pt"), key=os.path.getmtime)
    kept = torch.load(path)
    body.load_state_dict(kept["body"])
    adam.load_state_dict(kept["adam"])
    done = kept["update"]
    lengths.extend(kept["lengths"])
    print(f"{path} loaded: {done} updates behind us, mean return {np.mean(lengths):.1f}", flush=True)
os.makedirs(a.runs, exist_ok=True)
for update in range(done + 1, a.updates + 1):
    t0 = time.time()
    obs, acts, rewards, ends = [], [], [], []
    #: rollout
    for _ in range(a.horizon):
        with torch.no_grad():
            o = torch.tensor(world.s, dtype=torch.float32)
            p = body(o)[:, :2].softmax(-1)[:, 1].numpy()
        act = (rng.random(a.carts) < p).astype(int)
        down, over, fell = world.step(act)
        lengths.extend(fell)
        obs.append(o)
        acts.append(torch.tensor(act))
        rewards.append(1.0 - down)
        ends.append(over)
    #: collected
    t1 = time.time()
    with torch.no_grad():
        value = body(torch.tensor(world.s, dtype=torch.float32))[:, 2].numpy() * 20
    gains = []
    for r, e in zip(reversed(rewards), reversed(ends)):
        value = r + 0.98 * value * (1 - e)
        gains.append(torch.tensor(value, dtype=torch.float32))
    gain = torch.cat(gains[::-1])
    #: gain
    out = body(torch.cat(obs))
    logp = out[:, :2].log_softmax(-1)
    adv = gain - out[:, 2].detach() * 20
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    policy_loss = -(logp.gather(1, torch.cat(acts)[:, None])[:, 0] * adv).mean()
    value_loss = ((out[:, 2] - gain / 20) ** 2).mean()
    entropy = -(logp.exp() * logp).sum(-1).mean()
    loss = policy_loss + 0.5 * value_loss - 0.003 * entropy
    #: loss
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(body.parameters(), 0.5)
    adam.step()
    time.sleep(a.calm)
    t2 = time.time()
    clock["rollout"] += t1 - t0
    clock["learn"] += t2 - t1
    #: after
    if update % a.report == 0:
        print(f"-- update {update}/{a.updates} " + "-" * 30)
        print(f"   transitions       {update * a.carts * a.horizon}")
        print(f"   return, last {len(lengths):2d}   {np.mean(lengths):.1f}   (min {min(lengths)}, max {max(lengths)})")
        print(f"   entropy           {entropy.item():.4f}")
        print(f"   value loss        {value_loss.item():.4f}")
        print(f"   policy loss       {policy_loss.item():+.4f}", flush=True)
        #: told
    if update % a.keep == 0:
        torch.save({"body": body.state_dict(), "adam": adam.state_dict(), "update": update, "lengths": list(lengths)}, f"{a.runs}/policy_{update:05d}.pt")
        print(f"   kept as           {a.runs}/policy_{update:05d}.pt", flush=True)
        #: kept
#: finish
print(f"{a.updates} updates done, mean return {np.mean(lengths):.1f} over the last {len(lengths)} episodes", flush=True)
'''
