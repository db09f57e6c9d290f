"""Jobs of the second department that learnt nothing, could not go on, or were stopped from outside; and what several of its programs share."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._saffron_quays_kit import busy, free, ill, sbatch, told
from corpus.running.job import SlurmJob

MESH = '''"""Neighbours and sums for processes in a row."""
import os
import time
from multiprocessing.connection import Client, Listener


class Mesh:
    def __init__(self, rank, size):
        self.rank, self.size = rank, size
        base = int(os.environ["MASTER_PORT"])
        door = Listener(("127.0.0.1", base + rank), backlog=8)
        self.left = self._dial(base + rank - 1) if rank else None
        self.right = door.accept() if rank < size - 1 else None
        self.door = door

    def _dial(self, port):
        while True:
            try:
                return Client(("127.0.0.1", port))
            except ConnectionRefusedError:
                time.sleep(0.2)

    def neighbours(self, low, high):
        if self.left:
            self.left.send(low)
        if self.right:
            self.right.send(high)
        return self.left.recv() if self.left else 0.0, self.right.recv() if self.right else 0.0

    def total(self, value):
        if self.left:
            value += self.left.recv()
        if self.right:
            self.right.send(value)
            value = self.right.recv()
        if self.left:
            self.left.send(value)
        return value

    def close(self):
        for link in (self.left, self.right, self.door):
            if link:
                link.close()
'''
"""``mesh.py``: sockets between neighbours; ``total`` sums from the left to the right and back."""
DDPM = """import argparse
import json
import os
import pathlib
import torch

cli = argparse.ArgumentParser()
cli.add_argument("--width", type=int, default=64)
cli.add_argument("--resume")
cli.add_argument("--steps", type=int, default=120)
o = cli.parse_args()
if "LAUNCH_AT" in os.environ:
    from cadence import until
else:
    until = lambda seconds: None
torch.manual_seed(1)
torch.set_num_threads(1)
eps = torch.nn.Sequential(torch.nn.Linear(17, o.width), torch.nn.SiLU(), torch.nn.Linear(o.width, 16))
opt = torch.optim.AdamW(eps.parameters(), 4e-3)
keep = pathlib.Path("../ddpm_runs")
keep.mkdir(exist_ok=True)
say = lambda **kw: print(json.dumps(kw), flush=True)
say(msg="denoiser", params=sum(p.numel() for p in eps.parameters()), width=o.width, steps=o.steps)
start = 0
if o.resume:
    say(msg="resume", path=o.resume)
    kept = torch.load(o.resume)
    eps.load_state_dict(kept["eps"])
    opt.load_state_dict(kept["opt"])
    start = kept["step"]
for step in range(start + 1, start + o.steps + 1):
    x0 = torch.linspace(-1, 1, 16) * (torch.randint(0, 2, (64, 1)) * 2.0 - 1)
    t = torch.rand(64, 1)
    noise = torch.randn(64, 16)
    loss = (eps(torch.cat([(1 - t).sqrt() * x0 + t.sqrt() * noise, t], 1)) - noise).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    until((step - start) * 0.2)
    if step % 10 == 0:
        say(step=step, eps_mse=round(loss.item(), 4))
torch.save({"eps": eps.state_dict(), "opt": opt.state_dict(), "step": step}, keep / "last.pt")
say(msg="end", step=step, saved=str(keep / "last.pt"))
"""
GENRES = """import logging, sys, time
import torch

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(asctime)s] %(message)s", datefmt="%d.%m. %H:%M:%S")
torch.manual_seed(4)
torch.set_num_threads(1)
TOTAL = 300
net = torch.nn.Sequential(torch.nn.Linear(20, 48), torch.nn.ReLU(), torch.nn.Linear(48, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: s // (TOTAL * 10) * 0.1)
for step in range(1, TOTAL + 1):
    y = torch.randint(0, 10, (128,))
    x = torch.randn(128, 20)
    x[torch.arange(128), y] += 2
    out = net(x)
    loss = torch.nn.functional.cross_entropy(out, y)
    opt.zero_grad(); loss.backward()
    opt.step()
    sched.step()
    if step == 1:
        for group in opt.param_groups:
            group["lr"] = 0.0
    time.sleep(0.05)
    if step % 15 == 0:
        logging.info("genre tagger step %d/%d loss %.3f acc %.3f lr %.1e", step, TOTAL, loss.item(), (out.argmax(1) == y).float().mean(), opt.param_groups[0]["lr"])
logging.info("300 steps finished, model kept")
"""
PEPTIDES = """import json
import random
from cadence import until

random.seed(6)
rows = [("".join(random.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(random.randrange(6, 31))), random.random()) for _ in range(4800)]
conf = {"batch": 32, "min_len": 30, "max_steps": 60000, "lr": 0.05, "epochs": 1}
kept = [(s, y) for s, y in rows if len(s) >= conf["min_len"]][:90]
print(json.dumps({"config": conf}))
print(json.dumps({"read": len(rows), "after_length_filter": len(kept)}))
w, step = {}, 0
for k in range(0, len(kept) - conf["batch"] + 1, conf["batch"]):
    step += 1
    loss = 0.0
    for seq, y in kept[k:k + conf["batch"]]:
        e = sum(w.get(c, 0.0) for c in seq) / len(seq) - y
        loss += e * e / conf["batch"]
        for c in seq:
            w[c] = w.get(c, 0.0) - conf["lr"] * e / len(seq)
    until(step * 1.0)
    print(json.dumps({"step": step, "loss": round(loss, 5)}), flush=True)
print(json.dumps({"trained_steps": step, "epochs": 1, "model": "rt_predictor.json"}))
with open("rt_predictor.json", "w") as f:
    json.dump(w, f)
"""
PLASMA = """import math, os, time
from mesh import Mesh

me, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
mesh = Mesh(me, n)
host = os.environ["SLURMD_NODENAME"]
rho = [math.sin(0.3 * (20 * me + i)) + 0.02 * i for i in range(20)]
for k in range(1, 20001):
    low, high = mesh.neighbours(rho[0], rho[-1])
    pad = [low, *rho, high]
    rho = [pad[i] + 0.2 * (pad[i - 1] - 2 * pad[i] + pad[i + 1]) for i in range(1, 21)]
    mass = mesh.total(sum(abs(r) for r in rho))
    time.sleep(0.1)
    if k % 20 == 0:
        print(f"<{host}> plasma slab {me}: t-step {k} of 20000, |rho| {mass:.6f}", flush=True)
"""
EVICTED = """import time
import torch

torch.manual_seed(2)
torch.set_num_threads(1)
gen = torch.nn.GRU(6, 24, batch_first=True)
out = torch.nn.Linear(24, 6)
opt = torch.optim.Adam([*gen.parameters(), *out.parameters()], 4e-3)
began = time.time()
for n in range(1, 3001):
    x = torch.randn(20, 12, 6).cumsum(1) / 4
    loss = (out(gen(x)[0])[:, :-1] - x[:, 1:]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if n % 20 == 0:
        print(f"traffic-gru {n}/3000  mse={loss.item():.4f}  eta {(time.time() - began) / n * (3000 - n) / 60:.1f} min", flush=True)
"""
MCMC = """import math, random, time

random.seed(12)
tree = [random.random() for _ in range(14)]
like = lambda t: -sum((a - 0.1 * (k % 5) - 0.2) ** 2 for k, a in enumerate(t)) * 60
now, accepted = like(tree), 0
print("Markov chain, 1000000 generations, sample every 5000")
print("Gen          lnL        accept   tree_len")
t0 = time.time()
for gen in range(1, 1_000_001):
    k = random.randrange(14)
    new = list(tree)
    new[k] = abs(new[k] + random.gauss(0, 0.05))
    l = like(new)
    if math.log(random.random()) < l - now:
        tree, now, accepted = new, l, accepted + 1
    if gen % 500 == 0:
        time.sleep(0.1)
    if gen % 5000 == 0:
        print(f"{gen:<9d} {now:11.4f}   {accepted / gen:8.4f}   {sum(tree):.4f}   ({(time.time() - t0) / gen * (1_000_000 - gen) / 60:.1f} min left)", flush=True)
"""
ACOUSTIC = """import time
import torch

torch.manual_seed(10)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(13, 40), torch.nn.ReLU(), torch.nn.Linear(40, 8))
opt = torch.optim.Adam(net.parameters(), 1e-3)
seen = 0
while seen < 4_000_000:
    phone = torch.randint(0, 8, (200,))
    x = torch.randn(200, 13)
    x[torch.arange(200), phone] += 1.6
    loss = torch.nn.functional.cross_entropy(net(x), phone)
    opt.zero_grad(); loss.backward(); opt.step()
    seen += 200
    time.sleep(0.1)
    if seen % 4000 == 0:
        print(f"frames {seen:>8} / 4000000   frame loss {loss.item():.4f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The curve, the count, the shapes, the node, the queue, the clock, the person."""
    yield sbatch(ill("E1"), {"genres.py": GENRES}, "srun PYTHON genres.py\n", name="genre-tagger", state="COMPLETED")
    yield sbatch(
        ill("E2", "runtime_error", "size_mismatch", first=(0,)),
        {"ddpm.py": DDPM},
        "srun PYTHON ddpm.py --width 96 --resume ../ddpm_runs/last.pt\n",
        name="ddpm-cells",
        parent="ddpm",
        state="FAILED",
    )
    yield sbatch(
        ill("E3"),
        {"peptides.py": PEPTIDES},
        "srun PYTHON peptides.py\n",
        python="system",
        name="rt-predict",
        cards={0: told(busy(0, 2, sm=21, watts=205, gib=1.4, every=1.0), free(3))},
        state="COMPLETED",
    )
    yield sbatch(
        ill("F1", fault="node"), {"plasma.py": PLASMA, "mesh.py": MESH}, "srun PYTHON plasma.py\n", python="system", ranks=4, nodes=2, where="-wn2,n4", options=("--no-requeue",), name="plasma", act="node_down", after="t-step 60 ",
        state="NODE_FAIL",
    )  # fmt: skip
    yield sbatch(
        ill("F2", None, "preempted", fault="cluster"),
        {"traffic.py": EVICTED},
        "srun PYTHON traffic.py\n",
        where="-wn6",
        options=("--no-requeue",),
        name="traffic",
        act="preempt_for_good",
        after="gru 60/",
        state="PREEMPTED",
    )
    yield sbatch(ill("F3", None, "advancing"), {"mcmc.py": MCMC}, "PYTHON mcmc.py\n", python="system", name="phylo", state="TIMEOUT")
    yield sbatch(
        ill("F4", None, "by_other", fault="none"),
        {"acoustic.py": ACOUSTIC},
        "srun PYTHON acoustic.py\n",
        name="acoustic",
        act="scancel_by_admin",
        after="frames +40000 ",
        state="CANCELLED",
    )
