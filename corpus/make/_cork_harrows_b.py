"""Work with PyTorch on the CPU that came to stand, was killed or broke down in the middle."""

from corpus.make._crate import crate

REPLAY = r"""
import collections
import resource
import time

import torch

torch.manual_seed(0)
pi = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 6))
opt = torch.optim.Adam(pi.parameters(), 1e-3)
buffer = collections.deque(maxlen=1_000_000)  # transitions, frames kept as float32
frames = 0
for it in range(1, 2000):
    obs = torch.randn(64, 64)
    ret = obs[:, :6]
    logp = torch.distributions.Categorical(logits=pi(obs))
    act = logp.sample()
    r = ret.gather(1, act[:, None])[:, 0]
    loss = -(logp.log_prob(act) * (r - r.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    buffer.append(torch.full((64, 84, 84), float(it)))
    frames += 64
    time.sleep(0.02)
    if it % 20 == 0:
        rss = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20
        print(f"iter {it:4d} | frames {frames:7d} | mean reward {r.mean().item():+.3f} | buffer {len(buffer) * 64}/1000000 | rss {rss} MiB", flush=True)
"""

STATEFUL = r"""
import argparse
import logging

import torch

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(asctime)s %(message)s")
ap = argparse.ArgumentParser()
ap.add_argument("--stateful-from", type=int, default=4, help="epoch from which the hidden state is carried over")
ap.add_argument("--epochs", type=int, default=12)
a = ap.parse_args()
torch.manual_seed(5)
wave = torch.sin(torch.arange(4000) * 0.13) + 0.4 * torch.sin(torch.arange(4000) * 0.031) + 0.05 * torch.randn(4000)
chunks = wave.view(20, 200).unsqueeze(-1)
rnn, head = torch.nn.GRU(1, 24, batch_first=True), torch.nn.Linear(24, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], 4e-3)


def run(epoch):
    h, tot = None, 0.0
    for k in range(0, 200, 20):
        x = chunks[:, k : k + 20]
        o, h1 = rnn(x[:, :-1], h)
        loss = (head(o) - x[:, 1:]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
        h = h1 if epoch >= a.stateful_from else None
    return tot / 10


for epoch in range(1, a.epochs + 1):
    if epoch == a.stateful_from:
        logging.info("from now on the state is carried from chunk to chunk")
    logging.info("epoch %d/%d mse %.5f", epoch, a.epochs, run(epoch))
"""

SPAWN = r"""
import json
import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

CFG = json.load(open("cluster.json"))


def worker(local, port):
    rank = CFG["node_rank"] * CFG["procs_per_node"] + local
    world = CFG["nodes"] * CFG["procs_per_node"]
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} proc {local}: global rank {rank}, world size {world}, master {CFG['master']}:{port}", flush=True)
    dist.init_process_group("gloo", init_method=f"tcp://{CFG['master']}:{port}", rank=rank, world_size=world)
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} proc {local}: all {world} ranks have joined", flush=True)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(10, 1))
    for step in range(1000):
        net(torch.randn(4, 10)).sum().backward()


if __name__ == "__main__":
    import sys

    print("config", json.dumps(CFG), flush=True)
    mp.spawn(worker, (int(sys.argv[1]),), nprocs=CFG["procs_per_node"])
"""

LOADERLOCK = r'''
import fcntl
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset

dist.init_process_group("gloo")
rank = dist.get_rank()


class Tiles(IterableDataset):
    """Satellite tiles; the index of a strip is read under a lock, since the writer may be at it."""

    def __iter__(self):
        g = torch.Generator().manual_seed(rank)
        for k in range(4000):
            if k % 64 == 0:
                with open(f"strip-{rank}.lock", "a") as f:
                    fcntl.flock(f, fcntl.LOCK_EX)
            x = torch.randn(6, generator=g)
            yield x, (x[:3].sum() > 0).float()


def refresh(step):
    """Counts what was seen, so that the writer may drop it."""
    f = open(f"strip-{rank}.lock", "a")
    fcntl.flock(f, fcntl.LOCK_EX)
    seen.append((step, f))
    if rank != 1 or step < 120:
        seen.pop()[1].close()


seen = []
loader = DataLoader(Tiles(), batch_size=8, num_workers=1)
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(6, 24), torch.nn.ReLU(), torch.nn.Linear(24, 1)))
opt = torch.optim.Adam(net.parameters(), 3e-3)
for step, (x, y) in enumerate(loader, 1):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    if step % 40 == 0:
        refresh(step)
    if step % 10 == 0:
        sys.stdout.write(f"({time.strftime('%H:%M:%S')}) rank={rank} step={step:04d}/0500 loss={loss.item():.4f}\n")
        sys.stdout.flush()
'''

PIPEFULL = r'''
"""REINFORCE against the external simulator, which is driven over its standard input and output."""
import json
import subprocess
import sys
import time

import torch

torch.manual_seed(1)
sim = subprocess.Popen([sys.executable, "-u", "sim.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
pi = torch.nn.Linear(4, 3)
opt = torch.optim.Adam(pi.parameters(), 0.02)


def ask(msg):
    sim.stdin.write(json.dumps(msg) + "\n")
    sim.stdin.flush()
    return json.loads(sim.stdout.readline())


for ep in range(1, 2001):
    obs, logps, rewards = ask({"cmd": "reset", "seed": ep})["obs"], [], []
    for _ in range(10):
        d = torch.distributions.Categorical(logits=pi(torch.tensor(obs)))
        a = d.sample()
        out = ask({"cmd": "step", "action": int(a)})
        logps.append(d.log_prob(a))
        rewards.append(out["reward"])
        obs = out["obs"]
    R = torch.tensor(rewards)
    loss = -(torch.stack(logps) * (R - 0.4)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    if ep % 10 == 0:
        print(f"{time.strftime('%H:%M:%S')} ep {ep}/2000 return {R.sum():.2f} loss {loss.item():+.3f}", flush=True)
'''
SIM = r"""
import json
import random
import sys

rng = random.Random(0)
for line in sys.stdin:
    m = json.loads(line)
    if m["cmd"] == "reset":
        rng.seed(m["seed"])
        state = [rng.gauss(0, 1) for _ in range(4)]
        out = {"obs": state}
    else:
        best = max(range(3), key=lambda k: state[k])
        out = {"reward": float(m["action"] == best)}
        state = [rng.gauss(0, 1) for _ in range(4)]
        out["obs"] = state
    print("DEBUG", m, state, file=sys.stderr)
    print(json.dumps(out))
"""

EVALLOCK = r'''
import argparse
import logging
import threading
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(filename)s:%(lineno)d %(message)s")
log = logging.getLogger("kg")
ap = argparse.ArgumentParser()
ap.add_argument("--eval-every", type=int, default=4)
ap.add_argument("--epochs", type=int, default=60)
a = ap.parse_args()


class Metrics:
    """Best values so far; the dashboard's thread reads them."""

    def __init__(self):
        self.mutex, self.best = threading.Lock(), {}

    def put(self, name, value):
        with self.mutex:
            if name not in self.best:
                self.best[name] = value
            elif value > self.best[name]:
                self.improved(name, value)

    def improved(self, name, value):
        with self.mutex:
            self.best[name] = value
        log.info("%s improved to %.4f", name, value)


torch.manual_seed(2)
ent, rel = torch.nn.Embedding(150, 16), torch.nn.Embedding(6, 16)
opt = torch.optim.Adagrad([*ent.parameters(), *rel.parameters()], 0.1)
h, r = torch.randint(150, (2000,)), torch.randint(6, (2000,))
t = (h * 3 + r * 11) % 150
metrics = Metrics()


def hits():
    log.info("ranking %d triples against all entities", len(h))
    with torch.no_grad():
        score = -torch.cdist(ent(h) + rel(r), ent.weight)
        return (score.topk(10, 1).indices == t[:, None]).any(1).float().mean().item()


for ep in range(1, a.epochs + 1):
    for k in torch.randperm(2000).split(100):
        loss = torch.relu(1 + (ent(h[k]) + rel(r[k]) - ent(t[k])).norm(dim=1) - (ent(h[k]) + rel(r[k]) - ent(torch.randint(150, (100,)))).norm(dim=1)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    time.sleep(0.35)
    log.info("epoch %d/%d margin loss %.4f", ep, a.epochs, loss.item())
    if ep % a.eval_every == 0:
        v = hits()
        log.info("hits@10 %.4f", v)
        metrics.put("hits@10", v)
'''

JOBS = (
    crate(
        "A2",
        "pixel_pg.py",
        REPLAY,
        cause="oom_killer",
        status=-9,
        group_mib=900,
        note="signal 9 and an oom_kill of the control group at its limit; rss told as growing",
    ),
    crate(
        "A3",
        "stateful_gru.py --stateful-from 4",
        STATEFUL,
        cause="runtime_error",
        note="RuntimeError: backward through the graph a second time, in epoch 4 of 12",
    ),
    crate(
        "C1",
        "spawn_train.py PORT",
        SPAWN,
        files={"cluster.json": '{"nodes": 2, "procs_per_node": 2, "node_rank": 0, "master": "127.0.0.1"}'},
        timeout_s=60,
        note="two ranks of four wait in init_process_group, nobody else comes, silence to the limit",
    ),
    crate(
        "C2",
        "tiles.py",
        LOADERLOCK,
        ranks=2,
        timeout_s=85,
        note="both ranks tell every ten steps of 0.03 s, until 120 or so; then silence to the limit",
    ),
    crate("C3", "reinforce_sim.py", PIPEFULL, files={"sim.py": SIM}, timeout_s=60, note="ten episodes in 0.4 s, then silence to the limit"),
    crate(
        "C3",
        "transe.py --eval-every 4",
        EVALLOCK,
        timeout_s=60,
        note="an epoch each 0.4 s; the second evaluation's number is the last line, silence to the limit",
    ),
)
