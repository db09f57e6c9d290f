"""Jobs of the second department in which somebody waited: for who never came, for a disk, for a lock, for a wire."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._juniper_vats_stops import MESH
from corpus.make._saffron_quays_kit import bursts, busy, free, ill, sbatch, spin, still, told
from corpus.running.job import SlurmJob

EIGHTS = """import os
import socket
import time

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
port = int(os.environ["MASTER_PORT"])
print(f"{time.strftime('%H:%M:%S')} process {rank}: waiting for all {world} processes at 127.0.0.1:{port}", flush=True)
if rank == 0:
    door = socket.create_server(("127.0.0.1", port))
    links = []
    while len(links) < world - 1:
        links.append(door.accept()[0])
        print(f"{time.strftime('%H:%M:%S')} process 0: {len(links) + 1} of {world} are here", flush=True)
else:
    while True:
        try:
            link = socket.create_connection(("127.0.0.1", port))
            break
        except OSError:
            time.sleep(0.3)
    if not link.recv(1):
        os._exit(1)
print("all here")
"""
FEATURES = """import os, random, socket
from cadence import until
from mesh import Mesh

me, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
mesh = Mesh(me, size)
store, far = socket.socketpair()
random.seed(me)
w, true = [0.0] * 8, [0.5 * k - 1 for k in range(8)]


def fetch(it):
    store.sendall(b"GET features/%d/%d\\n" % (me, it))
    if (me, it) != (3, 38):
        far.recv(200)
        far.sendall(b"ok")
    store.recv(8)
    return [[random.gauss(0, 1) for _ in w] for _ in range(12)]


for it in range(1, 5000):
    rows = fetch(it)
    err = [sum((a - b) * x for a, b, x in zip(w, true, row)) for row in rows]
    grad = [sum(e * row[k] for e, row in zip(err, rows)) / 12 for k in range(8)]
    w = [a - 0.05 * mesh.total(g) / size for a, g in zip(w, grad)]
    until(it * 0.3)
    if it % 4 == 0:
        print(f"worker {me}/{size} batch {it:4d} sq_err {sum(e * e for e in err) / 12:.4f}", flush=True)
"""
FRACTURE = """import fcntl
import torch
from cadence import until

torch.manual_seed(7)
torch.set_num_threads(1)
u = torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1))
opt = torch.optim.Adam(u.parameters(), 5e-3)
print("phase-field fracture, physics loss, results go to frames.h5 every 40 steps", flush=True)
for step in range(1, 4000):
    p = torch.rand(200, 2)
    loss = (u(p) - (3 * p[:, :1]).sin() * p[:, 1:]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    until(step * 0.2)
    if step % 8 == 0:
        print(f"load step {step}: energy residual {loss.item():.5f}", flush=True)
    if step % 40 == 0:
        with open("frames.h5", "a") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.write(f"{step}\\n")
"""
SPECTRUM = """import gzip, os, random, time
from cadence import until
from mesh import Mesh

me, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
mesh = Mesh(me, size)
random.seed(me)
with gzip.open(f"part{me}.mgf.gz", "wt") as f:
    for n in range(3000):
        f.write(f"{n % 40} " + " ".join(f"{random.random() + (k == n % 8):.4f}" for k in range(8)) + "\\n")
w = [[0.0] * 8 for _ in range(40)]
read = open_s = 0.0
stream = gzip.open(f"part{me}.mgf.gz", "rt")
for it in range(1, 13):
    t0 = time.time()
    batch = [stream.readline().split() for _ in range(200)]
    rows = [(int(r[0]), [float(v) for v in r[1:]]) for r in batch]
    until((it - 1) * 3.3 + 2.8)
    t1 = time.time()
    sq = 0.0
    for charge, x in rows:
        for k in range(8):
            e = w[charge][k] - x[k]
            sq += e * e
            w[charge][k] -= 0.25 * e
    sq = mesh.total(sq) / size / 1600
    until(it * 3.3)
    print(f"[{me}] batch {it}/12 mse {sq:.4f}: {t1 - t0:.1f} s for reading + parsing mgf.gz, {time.time() - t1:.1f} s on device", flush=True)
print(f"[{me}] file read to its end, training pass over", flush=True)
"""
SHARDED = """import os, time
import torch, torch.distributed as dist
from cadence import until

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
torch.set_num_threads(1)
print(f"[{rank}] net: no IB device found, transport is sockets over eno1 (1 Gb/s)", flush=True)
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(5 + rank)
shard = [torch.randn(64, 32) for _ in range(6)]
spent = {"compute": 0.0, "all_gather": 0.0, "reduce_scatter": 0.0}
for it in range(1, 21):
    base = (it - 1) * 1.8
    for part, share in (("all_gather", 0.75), ("compute", 0.2), ("reduce_scatter", 0.85)):
        t = time.time()
        if part == "compute":
            grads = [w - 0.3 for w in shard]
        else:
            for w in shard:
                dist.all_reduce(w.clone() if part == "all_gather" else torch.zeros(64, 32))
        base += share
        until(base)
        spent[part] += time.time() - t
    shard = [w - 0.15 * g for w, g in zip(shard, grads)]
    if it % 2 == 0:
        print(f"[{rank}] it {it}/20 loss {sum(g.square().mean().item() for g in grads) / 6:.4f} | " + " ".join(f"{k} {v / it:.2f}s" for k, v in spent.items()), flush=True)
print(f"[{rank}] finished: {spent['compute'] / sum(spent.values()):.0%} of the time was compute", flush=True)
"""
CELLS = """import logging, os, time
import torch, torch.distributed as dist
from cadence import until

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s r{rank} %(message)s", datefmt="%H:%M:%S")
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank)
enc = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(30, 10), torch.nn.ReLU(), torch.nn.Linear(10, 30)))
opt = torch.optim.Adam(enc.parameters(), 6e-3)
base = torch.randn(10, 30, generator=torch.Generator().manual_seed(1))
for it in range(1, 46):
    t0 = time.time()
    x = torch.randn(64, 10) @ base / 3
    loss = (enc(x) - x).square().mean()
    until((it - 1) * 0.8 + (0.7 if rank == 2 else 0.29))
    t1 = time.time()
    opt.zero_grad(); loss.backward(); opt.step()
    until(it * 0.8)
    if it % 9 == 0:
        logging.info("single-cell AE it %d/45 loss %.4f fwd %.2f s sync+step %.2f s (batch 64 on every rank)", it, loss.item(), t1 - t0, time.time() - t1)
logging.info("45 iterations, done")
"""


def jobs() -> Iterator[SlurmJob]:
    """The cards' readings and the logs' times say it together."""
    yield sbatch(
        ill("C1"), {"eights.py": EIGHTS}, "export WORLD_SIZE=$((SLURM_JOB_NUM_NODES * 8))\nsrun bash -c 'RANK=$SLURM_PROCID exec PYTHON eights.py'\n", python="system", ranks=2, nodes=2, name="moe-eights",
        cards={r: told(still(0, gib=0.4, watts=73, mhz=345, temp=32)) for r in range(2)}, act="scancel_late", after="2 of 16 are here", state="CANCELLED",
    )  # one process a node was started, sixteen are waited for  # fmt: skip
    yield sbatch(
        ill("C2", fault="unknown"), {"features.py": FEATURES, "mesh.py": MESH}, "srun PYTHON features.py\n", python="system", ranks=4, nodes=2, name="feat-reg", act="scancel_late", after=r"worker 0/4 batch +36 ",
        cards={r: told(busy(0, 11.2, sm=47 + r, gib=20, seed=r), still(11.4, gib=20, watts=117) if r == 3 else spin(11.4, 90, gib=20, seed=r)) for r in range(4)}, state="CANCELLED",
    )  # fmt: skip
    yield sbatch(
        ill("C3", fault="unknown"), {"fracture.py": FRACTURE}, "touch frames.h5\nflock frames.h5 sleep 900 &\nPYTHON fracture.py\n", name="fracture", options=("--time=1",),
        cards={0: told(busy(0, 8, sm=43, gib=7.5, watts=350), still(8.2, gib=7.5))}, state="TIMEOUT",
    )  # a viewer that was left open has the file's lock  # fmt: skip
    yield sbatch(
        ill("D1"), {"spectrum.py": SPECTRUM, "mesh.py": MESH}, "srun PYTHON spectrum.py\n", python="system", ranks=2, name="ms-intensity",
        cards={r: told(bursts(0.5, 2.8, 12, gib=13.5 + r, sm=49), free(41)) for r in range(2)}, state="COMPLETED",
    )  # fmt: skip
    yield sbatch(
        ill("D2", None, "interconnect", fault="cluster"), {"sharded.py": SHARDED}, "srun PYTHON sharded.py\n", ranks=4, nodes=2, name="sharded-lm",
        cards={r: told(busy(0, 36, sm=7, util=100, watts=168, mhz=1980, temp=44, gib=58, dram=4, seed=r), free(37)) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield sbatch(
        ill("D3", fault="unknown"), {"cells.py": CELLS}, "srun PYTHON cells.py\n", ranks=4, nodes=2, name="cells-ae",
        cards={
            r: told(busy(0, 36, sm=74 if r == 2 else 31, util=99, watts=236 if r == 2 else 268, mhz=765 if r == 2 else 1755, temp=47, gib=26, dram=13, seed=r, reasons="0x2" if r == 2 else "0x0"), free(37))
            for r in range(4)
        },
        state="COMPLETED",
    )  # fmt: skip
