"""Laboratory programs that broke down."""

from corpus.make._crate import crate

SAGE = '''
#!/usr/bin/env python
"""GraphSAGE for the citation graph. Needs the lab's graph environment (module load graph/2024b)."""
import argparse
import torch
print("torch", torch.__version__, flush=True)
from models import SAGE

ap = argparse.ArgumentParser()
ap.add_argument("--fanout", type=int, nargs="+", default=[15, 10])
args = ap.parse_args()
print(SAGE(128, 40))
'''
SAGEMODELS = """
import torch
from torch_scatter import scatter_mean


class SAGE(torch.nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.lin = torch.nn.Linear(2 * d, k)

    def forward(self, x, src, dst):
        return self.lin(torch.cat([x, scatter_mean(x[src], dst, 0)], 1))
"""

SWARM = """
import configparser, logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S")
cfg = configparser.ConfigParser()
cfg.read(sys.argv[1])
logging.debug("sections: %s", ", ".join(cfg.sections()))
env = cfg["env"]
logging.debug("env %s with %d agents", env["name"], env.getint("agents"))
ppo = cfg["ppo"]
horizon, minibatches = ppo.getint("horizon"), ppo.getint("minibatches")
logging.debug("horizon %d, %d minibatches", horizon, minibatches)
clip = ppo.getfloat("clip_range")
logging.debug("building policy")
for update in range(10000):
    logging.debug("update %d", update)
"""
SWARMINI = "[env]\nname = swarm-forage\nagents = 12\n\n[ppo]\nhorizon = 512\nminibatches = 8\nclip_range = 0,2\ngamma = 0.995\n"

LATTICE = '''
"""Phi-4 lattice, Metropolis sweeps through the compiled kernel."""
import ctypes, math, random, time
libc = ctypes.CDLL(None)
N, SWEEPS = 32, 400
rng = random.Random(4)
phi = (ctypes.c_double * (N * N))(*[rng.gauss(0, 1) for _ in range(N * N)])
halo = (ctypes.c_double * N)()

def action(i, v):
    nb = phi[(i + 1) % (N * N)] + phi[i - 1] + phi[(i + N) % (N * N)] + phi[i - N]
    return -v * nb * 0.4 + 2 * v * v + 0.5 * v ** 4

def exchange(sweep):
    # halo copy; rows are addressed by offset, as the MPI version does
    row = (sweep * N) % (N * N) if sweep < 230 else sweep * N << 18
    libc.memcpy(ctypes.byref(halo), ctypes.c_void_p(ctypes.addressof(phi) + 8 * row), 8 * N)

print("lattice %dx%d, %d sweeps" % (N, N, SWEEPS))
for sweep in range(1, SWEEPS + 1):
    acc = 0
    for i in range(0, N * N, 2):
        v = phi[i] + rng.uniform(-1, 1)
        if math.log(rng.random() + 1e-300) < action(i, phi[i]) - action(i, v):
            phi[i] = v
            acc += 1
    exchange(sweep)
    time.sleep(0.01)
    if sweep % 20 == 0:
        print("sweep %4d  <phi^2> = %.5f  acceptance %.2f" % (sweep, sum(p * p for p in phi) / N ** 2, 2 * acc / N ** 2), flush=True)
print("done")
'''
LATTICESH = """
#!/bin/bash
# production run, beta series
echo "host $(uname -m), started $(date -R)"
"$1" lattice.py
rc=$?
echo "lattice.py ended with status $rc at $(date -R)"
exit $rc
"""

FEATURES = """
import argparse, collections, random, time
ap = argparse.ArgumentParser(); ap.add_argument("--sessions", type=int, default=4000); a = ap.parse_args()
rng = random.Random(0); pairs = collections.defaultdict(bytearray); t0 = time.time()
for s in range(1, a.sessions + 1):
    basket = [rng.randrange(500_000) for _ in range(12)]
    for i in basket: pairs[i] += bytes(18_000)  # dense co-visit row of the item
    if s % 100 == 0:
        rss = next(l.split()[1] for l in open("/proc/self/status") if l.startswith("VmRSS"))
        print(f"{time.time() - t0:7.1f}s sessions={s}/{a.sessions} items={len(pairs)} rss={int(rss) // 1024}MB", flush=True)
    time.sleep(0.004)
print("writing covisit.npz")
"""

TWOTOWER = '''
"""Two-tower retrieval model, in-batch softmax."""
import logging, pathlib, time, torch
logging.basicConfig(level="INFO", format="%(asctime)s %(process)d %(levelname)s %(filename)s] %(message)s")
torch.manual_seed(14)
users, items = torch.nn.Embedding(500, 24), torch.nn.Embedding(300, 24)
taste = torch.randint(300, (500,))
opt = torch.optim.Adagrad([*users.parameters(), *items.parameters()], lr=0.2)
EXPORT = pathlib.Path("serving/current")
for epoch in range(1, 11):
    total = 0.0
    for u in torch.randperm(500).split(50):
        logits = users(u) @ items(taste[u]).T
        loss = torch.nn.functional.cross_entropy(logits - 1e9 * ((taste[u][:, None] == taste[u]) & ~torch.eye(len(u), dtype=torch.bool)), torch.arange(len(u)))
        opt.zero_grad(); loss.backward(); opt.step(); total += loss.item()
    logging.info("epoch %d/10 in-batch softmax loss %.4f", epoch, total / 10)
    time.sleep(0.3)
    if epoch % 4 == 0:
        logging.info("publishing item vectors of epoch %d", epoch)
        with open(EXPORT / f"items_{epoch:03d}.bin", "wb") as f:
            f.write(items.weight.detach().numpy().tobytes())
'''

ROLLOUTS = '''
import random, statistics, time
random.seed(77)

class Batch:
    """Returns of the episodes that ended within the window."""
    def __init__(self): self.returns, self.lengths = [], []
    def mean_return(self): return sum(self.returns) / len(self.returns)

class Walker:
    def __init__(self): self.limit, self.t, self.ret = 30, 0, 0.0
    def step(self, skill):
        self.t += 1
        self.ret += 1
        fell = random.random() < 0.2 / (1 + skill)
        if fell or self.t >= self.limit:
            r = (self.ret, self.t); self.t, self.ret = 0, 0.0
            return r

walkers = [Walker() for _ in range(3)]
skill = 0.0
for update in range(1, 201):
    b = Batch()
    for w in walkers:
        for _ in range(64):
            if (end := w.step(skill)): b.returns.append(end[0]); b.lengths.append(end[1])
    skill += 0.08
    if update == 60:
        print("-- curriculum: episode limit raised 30 -> 5000, falls off")
        for w in walkers: w.limit = 5000
        skill = 1e9
    m = b.mean_return()
    time.sleep(0.05)
    if update % 5 == 0: print(f"upd {update:>4} | episodes {len(b.returns):>3} | return {m:7.2f} | len {statistics.mean(b.lengths):6.1f}", flush=True)
'''

REPLAY = '''
"""Offline Q-learning from logged games; transitions are kept in memory."""
import random, sys, time
from dataclasses import dataclass, field

@dataclass
class Buffer:
    rows: list = field(default_factory=list)

    def extend(self, games):
        for g in games:
            self.rows.append(bytearray(84 * 84 * 4) * g)

def main():
    rng, buf, q = random.Random(5), Buffer(), 0.0
    for it in range(1, 1001):
        buf.extend(rng.randint(8, 24) for _ in range(4))
        target = 10 * (1 - 0.99 ** it)
        q += 0.05 * (target - q)
        time.sleep(0.02)
        if it % 10 == 0:
            print(f"iteration={it} transitions={sum(len(r) for r in buf.rows) // 28224} td_error={target - q:.4f} mean_q={q:.4f}", file=sys.stderr, flush=True)

main()
'''

PHASE = '''
"""Phase-field solver with a learned closure; state every 40 steps."""
import os, pickle, random, sys, time

def save(path, state):
    with open(path, "wb") as f:
        pickle.dump(state, f)

path = sys.argv[1]
if os.path.exists(path):
    print(f"restart file {path}: {os.path.getsize(path)} bytes")
    with open(path, "rb") as f:
        state = pickle.load(f)
    print("continuing at step", state["step"])
else:
    print("cold start")
    state = {"step": 0, "field": [random.random() for _ in range(20000)]}
while state["step"] < int(sys.argv[2]):
    state["step"] += 1
    f = state["field"]
    state["field"] = [v + 0.1 * (f[i - 1] + f[(i + 1) % len(f)] - 2 * v) for i, v in enumerate(f)]
    if state["step"] % 10 == 0:
        print(f"step {state['step']:5d}  interface energy {sum((v - 0.5) ** 2 for v in state['field']) / len(f):.6f}", flush=True)
    if state["step"] % 40 == 0:
        save(path, state)
        print(f"state saved to {path}")
'''
PHASESH = """
"$1" phase.py restart.pkl 80
# the scratch quota cut the copy short last week
cp restart.pkl /tmp/restart.$$ && head -c 61000 /tmp/restart.$$ > restart.pkl && rm /tmp/restart.$$
echo "--- second allocation ---"
exec "$1" phase.py restart.pkl 200
"""

RANKER = """
import argparse, torch
ap = argparse.ArgumentParser()
ap.add_argument("--catalogue", type=int); ap.add_argument("--warm-from"); ap.add_argument("--epochs", type=int, default=5)
a = ap.parse_args()
torch.manual_seed(9)
model = torch.nn.ModuleDict({"item_emb": torch.nn.Embedding(a.catalogue, 16), "gru": torch.nn.GRU(16, 16, batch_first=True), "out": torch.nn.Linear(16, a.catalogue)})
print(f"GRU4Rec, catalogue of {a.catalogue} items")
if a.warm_from:
    print(f"loading {a.warm_from}")
    model.load_state_dict(torch.load(a.warm_from)["model"])
    print("weights loaded")
opt = torch.optim.Adam(model.parameters(), 0.01)
for e in range(a.epochs):
    for _ in range(15):
        s = (torch.randint(a.catalogue, (32, 1)) + 3 * torch.arange(9)) % a.catalogue
        h, _ = model["gru"](model["item_emb"](s[:, :-1]))
        loss = torch.nn.functional.cross_entropy(model["out"](h).flatten(0, 1), s[:, 1:].flatten())
        opt.zero_grad(); loss.backward(); opt.step()
    print(f"epoch {e}: train loss {loss.item():.4f}", flush=True)
torch.save({"model": model.state_dict()}, "gru4rec.pt")
print("saved gru4rec.pt")
"""

JOBS = (
    crate(
        "A1",
        "train_sage.py --fanout 25 10",
        SAGE,
        cause="missing_module",
        variant="env",
        files={"models.py": SAGEMODELS},
        note="ModuleNotFoundError: torch_scatter on importing the models",
    ),
    crate(
        "A1",
        "marl.py swarm.ini",
        SWARM,
        cause="traceback",
        variant="config",
        python="system",
        files={"swarm.ini": SWARMINI},
        note="ValueError: could not convert string to float: '0,2' of the ini file, before any update",
    ),
    crate(
        "A2",
        "sh production.sh PYTHON",
        LATTICESH,
        cause="segfault",
        status=139,
        python="system",
        files={"lattice.py": LATTICE},
        note="bash: Segmentation fault of lattice.py after sweep 220 of 400; exit 139",
    ),
    crate(
        "A2",
        "covisit.py --sessions 4000",
        FEATURES,
        cause="oom_killer",
        status=-9,
        python="system",
        group_mib=420,
        note="rss grows to the group's limit; oom_kill event, signal 9",
    ),
    crate(
        "A3",
        "two_tower.py",
        TWOTOWER,
        cause="permission",
        folders=("serving/current",),
        locked=("serving/current",),
        note="PermissionError on serving/current after four epochs",
    ),
    crate(
        "A3", "walkers.py", ROLLOUTS, cause="div_zero", python="system", note="ZeroDivisionError of mean_return in update 60, no episode having ended"
    ),
    crate(
        "A3",
        "offline_q.py",
        REPLAY,
        cause="ram_oom",
        python="system",
        memory_mib=700,
        note="MemoryError after some hundred iterations, the transitions growing",
    ),
    crate(
        "E2",
        "sh twice.sh PYTHON",
        PHASESH,
        cause="traceback",
        variant="corrupt",
        python="system",
        files={"phase.py": PHASE},
        note="the restart file is cut short: UnpicklingError: pickle data was truncated on loading",
    ),
    crate(
        "E2",
        "sh weekly.sh PYTHON",
        '"$1" gru4rec.py --catalogue 180 || exit\necho "catalogue update: 180 -> 204 items"\n"$1" gru4rec.py --catalogue 204 --warm-from gru4rec.pt',
        cause="runtime_error",
        variant="size_mismatch",
        files={"gru4rec.py": RANKER},
        note="size mismatch for item_emb.weight on loading gru4rec.pt",
    ),
)
