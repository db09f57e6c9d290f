"""Jobs of the second department that broke by themselves, at the start or on the way, and two whose card did."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._juniper_vats_stops import MESH
from corpus.make._saffron_quays_kit import busy, free, ill, sbatch, still, told, values
from corpus.running.job import SlurmJob

REPORTS = """import json
import os
import sys
from pathlib import Path

import torch


class BytePairs:
    def __init__(self, folder):
        with open(Path(folder) / "tokenizer.json") as f:
            self.vocab = json.load(f)["model"]["vocab"]


rank = os.environ["SLURM_PROCID"]
folder = sys.argv[1]
settings = json.loads((Path(folder) / "config.json").read_text())
print(f"({rank}) radiology reports, model {settings['arch']}, {settings['layers']} layers, torch {torch.__version__}", flush=True)
torch.set_num_threads(1)
net = torch.nn.ModuleList([torch.nn.TransformerEncoderLayer(settings["dim"], 4) for _ in range(settings["layers"])])
tokens = BytePairs(folder)
for epoch in range(3):
    print("epoch", epoch)
"""
SHELLS = """import ctypes, math, os
import sys, time
from mesh import Mesh

me, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
mesh = Mesh(me, size)
Rho = ctypes.c_double * 64
rho, scratch = Rho(*[1 + 0.3 * math.sin(i + 9 * me) for i in range(64)]), Rho()
print(f"scf rank {me} of {size}: 64 grid points", flush=True)
for cycle in range(1, 400):
    ctypes.memmove(scratch, rho, 512 if (me, cycle) != (1, 78) else 1 << 33)
    for i in range(64):
        rho[i] = 0.7 * scratch[i] + 0.3 * (1 + 0.1 * math.cos(scratch[i]))
    change = mesh.total(sum(abs(a - b) for a, b in zip(rho, scratch)))
    time.sleep(0.1)
    if cycle % 6 == 0:
        print(f"scf rank {me} cycle {cycle:3d}  dRho {change:.3e}", flush=True)
"""
TILES = """import logging
import sys
import time
import torch

logging.basicConfig(stream=sys.stdout, format="%(levelname)s:%(asctime)s:%(message)s", level=logging.INFO)
torch.manual_seed(0)
torch.set_num_threads(1)
names = open("manifest.txt").read().split()
logging.info("manifest.txt names %d tile files", len(names))
net = torch.nn.Sequential(torch.nn.Linear(16, 24), torch.nn.ReLU(), torch.nn.Linear(24, 3))
opt = torch.optim.Adam(net.parameters(), 4e-3)
for n, name in enumerate(names, 1):
    with open(f"tiles/{name}.csv") as f:
        x = torch.tensor([[float(v) for v in row.split(",")] for row in f])
    for _ in range(25):
        loss = torch.nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.015)
    logging.info("tile file %d of %d (%s): land-cover loss %.4f", n, len(names), name, loss.item())
logging.info("epoch done")
"""
RINGS = """import time
import torch

torch.manual_seed(3)
torch.set_num_threads(1)


def molecule(n):
    atoms = torch.randn(4 + n % 7, 11)
    return atoms if n != 1190 else torch.cat([atoms, torch.zeros(len(atoms), 1)], 1)


embed, read = torch.nn.Linear(11, 20), torch.nn.Linear(20, 1)
opt = torch.optim.Adam([*embed.parameters(), *read.parameters()], 5e-3)
seen = 0
print("solubility net, 5000 molecules, batches of 16")
for batch in range(313):
    loss = 0.0
    for n in range(16 * batch, 16 * batch + 16):
        atoms = molecule(n)
        pooled = torch.relu(embed(atoms)).mean(0)
        loss = loss + (read(pooled) - atoms[:, :3].mean()).square().mean() / 16
    opt.zero_grad(); loss.backward(); opt.step()
    seen += 16
    time.sleep(0.15)
    if batch % 6 == 0:
        print(f"molecules {seen:5d}/5000   logS mse {loss.item():.4f}", flush=True)
"""
TURBULENCE = """import math, random
from cadence import until
from cupy.cuda.memory import Pool

random.seed(1)
pool = Pool(79.1)
modes = [random.gauss(0, 1) / (k + 1) for k in range(64)]
grid, step = 256, 0
print("pseudo-spectral turbulence, adaptive grid, starts at 256^3")
for level, count in ((256, 24), (512, 24), (1024, 60)):
    if level != grid:
        print(f"refine: {grid}^3 -> {level}^3, the small scales are not resolved (kmax*eta < 1.5)", flush=True)
        grid = level
    for name in ("u_hat", "v_hat", "w_hat", "rhs", "work"):
        pool.take(name, level ** 3 * 16)
    for _ in range(count):
        step += 1
        modes = [m * math.exp(-0.0008 * k * k) + 0.01 * random.gauss(0, 1) / (k + 1) for k, m in enumerate(modes)]
        until(step * 0.45)
        if step % 4 == 0:
            print(f"step {step:4d}  t={step * 0.004:.4f}  E={0.5 * sum(m * m for m in modes):.5f}  eps={sum(0.001 * k * k * m * m for k, m in enumerate(modes)):.6f}", flush=True)
"""
CUPY = '''class OutOfMemoryError(MemoryError):
    def __init__(self, size, total):
        super().__init__(f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes).")


class Pool:
    """Buffers by name; a new one of a name takes the old one\'s place when it is filled."""

    def __init__(self, gib):
        self.limit, self.held = int(gib * 2**30), {}

    def take(self, name, size):
        total = sum(self.held.values())
        if total + size > self.limit:
            raise OutOfMemoryError(size, total)
        self.held[name] = size
'''
IMPUTE = """import math, os, random
from cadence import until
from device import sync
from mesh import Mesh

me, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
mesh = Mesh(me, size)
random.seed(60 + me)
freq = [0.5] * 12
true = [random.Random(k).uniform(0.05, 0.95) for k in range(12)]
print(f"impute[{me}]: panel of 12 sites, chunk {me + 1} of {size}", flush=True)
for it in range(1, 300):
    haps = [[random.random() < p for p in true] for _ in range(40)]
    fresh = [sum(h[k] for h in haps) / 40 for k in range(12)]
    freq = [f + 0.08 * (mesh.total(g) / size - f) for f, g in zip(freq, fresh)]
    nll = -sum(t * math.log(f) + (1 - t) * math.log(1 - f) for f, t in zip(freq, true)) / 12
    until(it * 0.28)
    sync(me, it)
    if it % 8 == 0:
        print(f"impute[{me}]: em round {it}, nll {nll:.5f}", flush=True)
"""
DEVICE = '''import time


class CudaError(RuntimeError):
    """What the driver answered."""


def sync(rank, it):
    if rank == 1 and it == 75:
        time.sleep(4)
        raise CudaError("cudaStreamSynchronize(stream) -> 214: uncorrectable ECC error encountered (device 1)")
'''
OCEAN = """import os, time
import torch, torch.distributed as dist
from cadence import until

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(50 + rank)
core = torch.nn.Sequential(torch.nn.Linear(14, 36), torch.nn.Softplus(), torch.nn.Linear(36, 14))
net = torch.nn.parallel.DistributedDataParallel(core)
opt = torch.optim.AdamW(net.parameters(), 4e-3)
at = 0.0
for it in range(1, 64):
    t0 = time.time()
    x = torch.randn(40, 14)
    loss = (net(x) - x.roll(2, 1).tanh()).square().mean()
    own = 0.3 if it <= 26 else min(0.3 + 0.2 * (it - 26), 0.8)
    until(at + (own if rank >= 2 else 0.25))
    t1 = time.time()
    opt.zero_grad(); loss.backward(); opt.step()
    at += own
    until(at)
    if it % 6 == 0:
        print(f"{os.environ['SLURMD_NODENAME']} gpu{rank % 2} it {it:02d}/63 mse {loss.item():.4f} forward {t1 - t0:.2f} s whole {time.time() - t0:.2f} s", flush=True)
dist.barrier()
if rank == 0:
    print("63 of 63 iterations, weights in ocean.pt", flush=True)
    torch.save(core.state_dict(), "ocean.pt")
"""


def braked(begin: float, end: float, seed: int) -> list[tuple[float, dict[str, str]]]:
    """The power supply asks for less: the brake is on, and the clock is a third."""
    out = []
    for n in range(int(end - begin)):
        mhz = max(1755 - 540 * (n + 1), 585)
        mine = {"violation.power": f"{1000000 + n * 1000000} {int(n * 0.96e9)}", "slowdown.hw_power_brake": str(int(n * 0.96e9))}
        out.append(
            (
                begin + n,
                values(
                    util=99,
                    sm=64 - (n + seed) % 4,
                    watts=228 + (n + seed) % 6,
                    mhz=mhz,
                    temp=55 - min(n // 5, 4),
                    gib=31,
                    dram=14,
                    reasons="0x88",
                    **mine,
                ),
            )
        )
    return out


def jobs() -> Iterator[SlurmJob]:
    """What ended each is in its last words, its status or its card's counters; one is only slowed."""
    yield sbatch(
        ill("A1", "file_not_found", "asset"), {"reports.py": REPORTS, "base/config.json": '{"arch": "clinical-bert", "layers": 4, "dim": 64}\n', "base/vocab.txt": "[PAD]\n[UNK]\n"},
        "srun PYTHON reports.py base\n", ranks=2, name="rad-reports", state="FAILED",
    )  # fmt: skip
    yield sbatch(
        ill("A2", "segfault", first=(1,)),
        {"scf.py": SHELLS, "mesh.py": MESH},
        "ulimit -c 0\nsrun --kill-on-bad-exit=1 PYTHON scf.py\n",
        python="system",
        ranks=2,
        name="scf",
        state="FAILED",
    )
    tiles = {
        f"tiles/t{n:03d}.csv": "".join(",".join(f"{(n * 13 + r * 7 + c * c * 3) % 97 / 97:.3f}" for c in range(16)) + "\n" for r in range(30))
        for n in range(30)
        if n != 23
    }
    yield sbatch(
        ill("A3", "file_not_found", first=(0,)),
        {"landcover.py": TILES, "manifest.txt": "\n".join(f"t{n:03d}" for n in range(30)) + "\n", **tiles},
        "srun PYTHON landcover.py\n",
        name="landcover",
        state="FAILED",
    )
    yield sbatch(
        ill("A3", "runtime_error", first=(0,)),
        {"solubility.py": RINGS},
        "srun PYTHON solubility.py\n",
        name="solubility",
        options=("--array=2",),
        state="FAILED",
    )
    held = [(0.0, 1.8), (10.8, 10.6)]
    grown = [r for at, gib in held for r in busy(at, at + 10.4, sm=66, gib=gib, watts=460, dram=58)] + [
        (21.3, values(util=35, sm=8, watts=180, mhz=1980, temp=50, gib=66.5, dram=6))
    ]
    yield sbatch(
        ill("B1", "cuda_oom", first=(0,)), {"turb.py": TURBULENCE, "cupy/__init__.py": "", "cupy/cuda/__init__.py": "", "cupy/cuda/memory.py": CUPY}, "srun PYTHON turb.py\n", python="system", name="turb-dns",
        cards={0: told(grown, free(23))}, state="FAILED",
    )  # fmt: skip
    ecc = {
        "events": "8:95",
        "ecc.volatile.uncorrected": "2",
        "ecc.aggregate.uncorrected": "2",
        "ecc.volatile.uncorrected.sram": "2",
        "ecc.aggregate.uncorrected.sram": "2",
        "recovery_action": "1",
    }
    yield sbatch(
        ill("B2", "cuda_runtime", "fault", first=(1,), fault="node"), {"impute.py": IMPUTE, "device.py": DEVICE, "mesh.py": MESH}, "srun PYTHON impute.py\n", python="system", ranks=2, name="impute",
        cards={0: told(busy(0, 21, sm=53, gib=24), free(26)), 1: told(busy(0, 20, sm=54, gib=24, seed=2), [(20.9, ecc)], still(21.2, gib=24), free(26))}, state="FAILED",
    )  # fmt: skip
    yield sbatch(
        ill("B3", fault="node"), {"ocean.py": OCEAN}, "srun PYTHON ocean.py\n", ranks=4, nodes=2, name="ocean-emu",
        cards={r: told(busy(0, 8, sm=60, gib=31, seed=r), braked(8, 37, r) if r >= 2 else busy(8, 37, sm=22, util=99, watts=262, gib=31, dram=11, seed=r), free(38)) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
