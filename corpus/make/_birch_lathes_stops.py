"""Trainings and inference that died, or that took up a state of before wrongly."""

from corpus.make._crate import crate
from corpus.running.job import Signal

SUMMARIZE = '''
import argparse
import json
import logging
import pathlib

import torch

logging.basicConfig(format="%(asctime)s | %(levelname)s | %(message)s", level=logging.INFO)
ap = argparse.ArgumentParser()
ap.add_argument("--model", type=pathlib.Path, required=True)
ap.add_argument("--train", default="news.jsonl")
ap.add_argument("--epochs", type=int, default=3)
a = ap.parse_args()


class Pieces:
    """Unigram pieces with their scores, one a line."""

    def __init__(self, path):
        self.rows = [line.rstrip("\\n").split("\\t") for line in open(path, encoding="utf-8")]
        self.ids = {r[0]: i for i, r in enumerate(self.rows)}


cfg = json.loads((a.model / "config.json").read_text())
logging.info("model %s: %d layers, d_model %d", cfg["name"], cfg["layers"], cfg["d_model"])
pieces = Pieces(a.model / "spiece.vocab")
logging.info("%d pieces", len(pieces.rows))
net = torch.nn.Transformer(cfg["d_model"], 4, cfg["layers"], cfg["layers"], batch_first=True)
for epoch in range(a.epochs):
    for line in open(a.train):
        pass
'''

MORPH = '''
import ctypes
import ctypes.util
import random
import time

libc = ctypes.CDLL(ctypes.util.find_library("c"))
libc.strlen.argtypes = [ctypes.c_void_p]


class Lattice:
    """Keeps the analyses of a sentence where the C scorer reads them."""

    def __init__(self, words):
        self.buffers = [ctypes.create_string_buffer(w.encode()) for w in words]
        self.heads = [ctypes.addressof(b) for b in self.buffers]
        if len(words) > 28:  # cut to the beam
            self.heads[28:] = [None] * (len(words) - 28)

    def score(self):
        return sum(libc.strlen(h) for h in self.heads)


rng = random.Random(6)
print("loading lexicon ... 48112 entries")
print("tagging 600 sentences")
t0 = time.time()
for n in range(1, 601):
    size = rng.randint(5, 22) if n != 431 else 31
    Lattice([rng.choice(["haus", "baum", "strasse", "und", "geht"]) for _ in range(size)]).score()
    time.sleep(0.012)
    if n % 40 == 0:
        print(f"  {n:4d}/600 sentences  {n / (time.time() - t0):6.1f} sent/s")
print("done")
'''

DIFFUSE = """
import math
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
net = torch.nn.Sequential(torch.nn.Linear(3, 64), torch.nn.SiLU(), torch.nn.Linear(64, 64), torch.nn.SiLU(), torch.nn.Linear(64, 2))
ddp = torch.nn.parallel.DistributedDataParallel(net)
opt = torch.optim.AdamW(ddp.parameters(), 2e-3)
print(f"[gpu{rank}] pid {os.getpid()} ready", flush=True)
for it in range(1, 1501):
    ang = 2 * math.pi * torch.rand(128)
    x0 = torch.stack([ang.cos(), ang.sin()], 1)
    t = torch.rand(128, 1)
    eps = torch.randn_like(x0)
    xt = (1 - t) * x0 + t * eps
    loss = (ddp(torch.cat([xt, t], 1)) - (eps - x0)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.04)
    if it % 20 == 0 and rank == 0:
        print(f"[gpu0] iter {it}/1500 | velocity mse {loss.item():.4f}", flush=True)
"""

RECALL = '''
import random
import time

import torch

torch.manual_seed(8)
random.seed(8)
USERS, ITEMS, D = 120, 200, 12
taste = torch.randint(5, (USERS,))
liked = {u: {i for i in range(ITEMS) if i % 5 == taste[u] and random.random() < 0.5} for u in range(USERS)}
pairs = torch.tensor([(u, i) for u, s in liked.items() for i in s])
U, V = torch.nn.Embedding(USERS, D), torch.nn.Embedding(ITEMS, D)
opt = torch.optim.Adam([*U.parameters(), *V.parameters()], 0.02)


def precision(epoch):
    """Of users above the activity floor, which rises as the curriculum goes on."""
    floor = 6 + 3 * epoch
    scores = U.weight @ V.weight.T
    hits = shown = 0
    for u in range(USERS):
        if len(liked[u]) < floor:
            continue
        top = scores[u].topk(10).indices.tolist()
        hits += sum(i in liked[u] for i in top)
        shown += 10
    return hits / shown


print(f"{USERS} users, {ITEMS} items, {len(pairs)} interactions")
for epoch in range(20):
    total, n = 0.0, 0
    for idx in torch.randperm(len(pairs)).split(128):
        u, i = pairs[idx].T
        j = torch.randint(ITEMS, i.shape)
        loss = -torch.nn.functional.logsigmoid((U(u) * (V(i) - V(j))).sum(1)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.05)
        total, n = total + loss.item(), n + 1
    print(f"epoch={epoch} bpr_loss={total / n:.4f}", end=" ", flush=True)
    print(f"precision@10={precision(epoch):.4f}")
'''

REPLAYS = """
import collections
import random
import time

import torch

torch.manual_seed(1)
random.seed(1)
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
NAMES = list(MOVES)
GOAL, N = (5, 5), 6
q = torch.nn.Sequential(torch.nn.Linear(2, 48), torch.nn.ReLU(), torch.nn.Linear(48, 4))
opt = torch.optim.Adam(q.parameters(), 3e-3)
memory = collections.deque(maxlen=2000)
Transition = collections.namedtuple("Transition", "s a r s2 end")
episode_reward, eps, at, steps, window = 0.0, 1.0, (0, 0), 0, []


def env_step(at, name):
    dy, dx = MOVES[name]
    new = (min(max(at[0] + dy, 0), N - 1), min(max(at[1] + dx, 0), N - 1))
    return new, (20.0 if new == GOAL else -0.5), new == GOAL


episode = 0
while episode < 400:
    if random.random() < eps:
        a = random.randrange(4)
    else:
        a = q(torch.tensor(at, dtype=torch.float)).argmax().item()
    name = NAMES[a]
    if episode >= 60 and steps == 3:
        name = "noop"  # frame skip
    new, r, end = env_step(at, name)
    memory.append(Transition(at, a, r, new, end))
    at, steps, episode_reward = new, steps + 1, episode_reward + r
    if len(memory) > 64 and steps % 2 == 0:
        b = random.sample(memory, 32)
        s, s2 = torch.tensor([t.s for t in b], dtype=torch.float), torch.tensor([t.s2 for t in b], dtype=torch.float)
        with torch.no_grad():
            y = torch.tensor([t.r for t in b]) + 0.95 * q(s2).max(1).values * torch.tensor([not t.end for t in b])
        loss = torch.nn.functional.smooth_l1_loss(q(s).gather(1, torch.tensor([[t.a] for t in b])).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.002)
    if end or steps > 60:
        window.append(episode_reward)
        episode, eps, at, steps, episode_reward = episode + 1, max(0.05, eps * 0.97), (0, 0), 0, 0.0
        if episode % 10 == 0:
            print(f"episode {episode:4d}/400  return(10) {sum(window[-10:]) / 10:7.2f}  eps {eps:.3f}  td_loss {loss.item():.4f}")
"""

TABNET = """
import argparse
import glob
import os
import sys
import time

import torch

ap = argparse.ArgumentParser()
ap.add_argument("--out", default="runs/credit")
ap.add_argument("--epochs", type=int, default=12)
ap.add_argument("--resume", choices=["no", "auto"], default="no")
a = ap.parse_args()
print("config:", vars(a))
torch.manual_seed(77)
x = torch.randn(600, 14)
y = ((x[:, 0] * x[:, 1] > 0) ^ (x[:, 2] > 0.5)).long()
net = torch.nn.Sequential(torch.nn.Linear(14, 64), torch.nn.ReLU(), torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
opt = torch.optim.AdamW(net.parameters(), 2e-3)
first = 1
if a.resume == "auto":
    found = sorted(glob.glob(f"{a.out}/checkpoints/*.pt"))
    if found:
        kept = torch.load(found[-1])
        net.load_state_dict(kept["net"])
        opt.load_state_dict(kept["opt"])
        first = kept["epoch"] + 1
        print(f"loaded {found[-1]}, continuing with epoch {first}")
os.makedirs(f"{a.out}/ckpt", exist_ok=True)
for epoch in range(first, a.epochs + 1):
    tot = 0.0
    for i in torch.randperm(600).split(50):
        loss = torch.nn.functional.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 12
        time.sleep(0.015)
    acc = (net(x).argmax(1) == y).float().mean().item()
    print(f"epoch {epoch:3d}/{a.epochs}: train_loss={tot:.4f} train_acc={acc:.4f}")
    if epoch % 6 == 0:
        path = f"{a.out}/ckpt/epoch_{epoch:03d}.pth"
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, path)
        print(f"saved {path}")
"""
TWICE = """
set -e
set -x
"$1" credit.py --epochs 24
"$1" credit.py --epochs 36 --resume auto
"""

ZIPCODES = """
import csv
import logging
import os
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(levelname)-7s %(message)s")
log = logging.getLogger("geo")
rows = [[float(v) for v in r] for r in csv.reader(open("sales.csv"))]
X, y = torch.tensor([r[:-1] for r in rows]), torch.tensor([r[-1:] for r in rows])
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(X.shape[1], 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 0.01)
log.info("read %d sales with %d features", len(rows), X.shape[1])
for epoch in range(1, 41):
    for i in torch.randperm(len(X)).split(40):
        loss = (net(X[i]) - y[i]).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.02)
    log.info("epoch %d/40 mae %.4f", epoch, loss.item())
    if epoch % 15 == 0:
        target = f"/var/models/geo-{epoch}.pt"
        log.info("publishing %s", target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        torch.save(net.state_dict(), target)
log.info("finished")
"""
SALES = "\n".join(
    f"{(k * 37 % 100) / 50 - 1:.2f},{(k * 71 % 100) / 50 - 1:.2f},{(k % 9) / 9:.3f},{((k * 37 % 100) / 25 + (k % 9) / 3):.3f}" for k in range(320)
)

JOBS = (
    crate(
        "A1",
        "summarize.py --model models/t5-news-small",
        SUMMARIZE,
        cause="file_not_found",
        variant="asset",
        files={"models/t5-news-small/config.json": '{"name": "t5-news-small", "layers": 2, "d_model": 64}\n', "news.jsonl": "{}\n"},
        note="FileNotFoundError of the model's spiece.vocab after its config was read, nothing trained",
    ),
    crate("A2", "morph.py", MORPH, cause="segfault", status=-11, python="system", note="signal 11 after 400 of 600 sentences"),
    crate(
        "A2",
        "flow.py",
        DIFFUSE,
        fault="unknown",
        ranks=2,
        first=(1,),
        signal=Signal("KILL", "iter 120/", to="-u flow.py#1"),
        note="torchrun: Signal 9 (SIGKILL) of rank 1 after 120 told iterations, no memory event",
    ),
    crate("A3", "bpr.py", RECALL, cause="div_zero", note="ZeroDivisionError in the metric after some told epochs"),
    crate("A3", "dqn_grid.py", REPLAYS, cause="traceback", note="KeyError: 'noop' after 60 told episodes"),
    crate("A3", "geo.py", ZIPCODES, cause="permission", files={"sales.csv": SALES}, note="PermissionError on publishing after epoch 15 of 40"),
    crate(
        "E2",
        "sh twice.sh PYTHON",
        TWICE,
        variant="from_scratch",
        status=0,
        files={"credit.py": TABNET},
        note="second run with --resume auto over the first's checkpoints: no word of loading, epoch 1 with the first loss again",
    ),
)
