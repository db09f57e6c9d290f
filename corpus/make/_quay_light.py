"""Programs of several ranks that need little: outer steps over a store, click-through with a server of parameters, a mixture over MPI, a swarm of agents."""

from __future__ import annotations

OUTER = '''"""Workers train alone for some inner steps, then leave their change in a store and wait for that of the others."""
import csv, datetime, os, pickle, sys, time
import torch
from torch.distributed import TCPStore
#: top

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
rounds = int(os.environ.get("ROUNDS", 60))
inner = int(os.environ.get("INNER", 6))
nap = float(os.environ.get("NAP", 0.05))
patience = float(os.environ.get("PATIENCE", 7200))
torch.set_num_threads(1)
table = csv.writer(sys.stdout)


def note(*cells):
    table.writerow([datetime.datetime.now().strftime("%H:%M:%S"), f"w{rank}", *cells])
    sys.stdout.flush()


#: before
store = TCPStore("127.0.0.1", int(os.environ["PORT"]), world, rank == 0, datetime.timedelta(seconds=patience))
note("store", "open", world)
torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Linear(10, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
target = torch.randn(10)
start = 1
#: early
outer = {k: v.clone() for k, v in net.state_dict().items()}
sgd = torch.optim.SGD(net.parameters(), float(os.environ.get("RATE", 0.05)))
g = torch.Generator().manual_seed(rank)
if rank == 0:
    table.writerow(["time", "who", "round", "of", "inner_loss", "drift"])
for n in range(start, rounds + 1):
    net.load_state_dict(outer)
    for k in range(inner):
        #: inner
        x = torch.randn(32, 10, generator=g)
        loss = ((net(x)[:, 0] - torch.tanh(0.3 * x @ target)) ** 2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        time.sleep(nap)
    #: mid
    store.set(f"delta/{n}/{rank}", pickle.dumps({k: v - outer[k] for k, v in net.state_dict().items()}))
    #: sent
    store.wait([f"delta/{n}/{other}" for other in range(world)])
    deltas = [pickle.loads(store.get(f"delta/{n}/{other}")) for other in range(world)]
    for k in outer:
        outer[k] = outer[k] + sum(d[k] for d in deltas) / world
    drift = max(float(d["0.weight"].abs().max()) for d in deltas)
    #: after
    if rank == 0 and n % 4 == 0:
        note(n, rounds, f"{loss.item():.5f}", f"{drift:.4f}")
#: late
store.set(f"bye/{rank}", "1")
if rank == 0:
    store.wait([f"bye/{other}" for other in range(world)])
    note("all", rounds, "rounds are over")
    time.sleep(0.5)
'''

CLICKS = '''import math
import os
import random
import sys
import threading
import time
from multiprocessing.connection import Client, Listener

import numpy as np
#: top

ME, ALL = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
PLACE = ("127.0.0.1", int(os.environ["PORT"]))
opts = dict(arg.split(":", 1) for arg in sys.argv[1:])
STEPS, EVERY, NAP, LR = int(opts.get("steps", 240)), int(opts.get("every", 10)), float(opts.get("nap", 0.05)), float(opts.get("lr", 0.5))
BORN = time.time()


def fmt(level, **fields):
    print(f"t={time.time() - BORN:.1f} lvl={level} node={os.environ.get('SLURMD_NODENAME')} worker={ME} " + " ".join(f"{k}={v}" for k, v in fields.items()), flush=True)


class Table(threading.Thread):
    """Worker 0 also holds the weights: all send gradients, and get the mean."""

    def __init__(self):
        super().__init__(daemon=True)
        self.door = Listener(PLACE, backlog=64)

    def run(self):
        links = [self.door.accept() for _ in range(ALL)]
        while True:
            try:
                grads = [link.recv() for link in links]
            except (EOFError, OSError):
                for link in links:
                    link.close()
                return
            mean = np.mean(grads, axis=0)
            for link in links:
                link.send(mean)


#: before
if ME == 0:
    Table().start()
for trial in range(900):
    try:
        link = Client(PLACE)
        break
    except OSError:
        time.sleep(0.2)
else:
    raise TimeoutError(f"no server at {PLACE[0]}:{PLACE[1]}")
fmt("info", event="connected", workers=ALL)
rng = np.random.default_rng(ME)
truth = np.random.default_rng(99).normal(size=12)
weights = np.zeros(12)
first = 1
#: early
for step in range(first, STEPS + 1):
    tick = time.time()
    #: data
    x = rng.normal(size=(64, 12))
    y = (rng.random(64) < 1 / (1 + np.exp(-x @ truth))).astype(float)
    p = 1 / (1 + np.exp(-x @ weights))
    #: mid
    logloss = float(-np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9)))
    #: loss
    link.send(x.T @ (p - y) / 64)
    #: sent
    grad = link.recv()
    weights -= LR * grad
    time.sleep(NAP)
    #: after
    if step % EVERY == 0 and ME == 0:
        fmt("info", step=f"{step}/{STEPS}", logloss=f"{logloss:.5f}", gnorm=f"{np.linalg.norm(grad):.4f}", ms=f"{1000 * (time.time() - tick):.0f}")
    #: end
#: late
fmt("info", event="trained", steps=STEPS, logloss=f"{logloss:.5f}")
time.sleep(1 if ME == 0 else 0)
'''

SWIM = '''import math
import random
import sys
import time

from mpi4py import MPI
#: top

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
generations = int(sys.argv[1]) if len(sys.argv) > 1 else 200
nap = float(sys.argv[2]) if len(sys.argv) > 2 else 0.05


def tell(text):
    print("%-9s [%d] %s" % (time.strftime("%H:%M:%S"), rank, text), flush=True)


def cost(p):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(p, p[1:]))


tell("up on %s" % MPI.Get_processor_name().split(".")[0][:0] + "rank %d of %d" % (rank, size))
#: early
dice = random.Random(rank)
swarm = [[dice.uniform(-2, 2) for _ in range(4)] for _ in range(12)]
speed = [[0.0] * 4 for _ in swarm]
best = [list(p) for p in swarm]
for gen in range(1, generations + 1):
    #: mid
    mine = min(best, key=cost)
    lead = min(comm.allgather((cost(mine), mine)))
    for i, p in enumerate(swarm):
        for k in range(4):
            speed[i][k] = 0.7 * speed[i][k] + 1.4 * dice.random() * (best[i][k] - p[k]) + 1.4 * dice.random() * (lead[1][k] - p[k])
            p[k] += speed[i][k]
        if cost(p) < cost(best[i]):
            best[i] = list(p)
    time.sleep(nap)
    #: after
    if gen % 10 == 0 and rank == 0:
        tell("generation %4d/%d   best objective %.6e" % (gen, generations, lead[0]))
#: late
comm.Barrier()
if rank == 0:
    tell("swarm has settled: objective %.6e after %d generations" % (lead[0], generations))
'''
FILES = {"OUTER": "outer_steps.py", "CLICKS": "clicks_ps.py", "SWIM": "swim.py"}
