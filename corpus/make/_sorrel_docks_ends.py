"""Jobs that ended themselves, or whose own kernel or card ended them."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._sorrel_docks_kit import SLOW_S, busy, hand_in, ill, span, still
from corpus.running.job import SlurmJob

SMILES = """import os
import sys

print(f"[{os.environ['SLURM_PROCID']}] featurizer starting, python {sys.version.split()[0]}", flush=True)
import selfies

alphabet = selfies.get_alphabet_from("ligands.smi")
print("alphabet of", len(alphabet), "tokens")
"""
FINGERPRINTS = """import random
import time

dice = random.Random(5)
store = {}
print("fingerprint table: 2400 ligands, 2^16 bits each, kept as byte maps in memory")
for n in range(1, 2401):
    bits = bytearray(1 << 18)
    for _ in range(200):
        bits[dice.randrange(1 << 18)] = 1
    store[n] = bytes(bits)
    time.sleep(0.006)
    if n % 150 == 0:
        print(f"{time.strftime('%H:%M:%S')} {n}/2400 ligands, table {sum(map(len, store.values())) >> 20} MiB")
print("table complete")
"""
WINDOWS = """import random
import time

dice = random.Random(21)


class Curriculum:
    def __init__(self, length, shrink):
        self.length, self.shrink = length, shrink

    def window(self, epoch):
        lo, hi = 4 * epoch, self.length - self.shrink * epoch
        assert lo < hi, f"empty time window [{lo}, {hi}) in epoch {epoch}"
        return lo, hi


series = [0.0]
for _ in range(120):
    series.append(0.86 * series[-1] + dice.gauss(0, 0.4))
plan, phi = Curriculum(len(series), 5), -0.5
for epoch in range(24):
    lo, hi = plan.window(epoch)
    total = 0.0
    for _ in range(6):
        for t in range(lo, hi - 1):
            err = phi * series[t] - series[t + 1]
            phi -= 0.004 * err * series[t]
            total += err * err / (6 * (hi - lo))
    time.sleep(0.7)
    print(f"Epoch {epoch:03d} | window {lo}:{hi} | one-step mse {total:.4f} | phi {phi:+.4f}")
print("Fit complete")
"""
NIGHT = """import logging

import torch
from beat import until
from embed import gallery_scores

logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(name)s: %(message)s")
log = logging.getLogger("reid")
torch.manual_seed(12)
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.PReLU(), torch.nn.Linear(32, 8))
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
anchors = torch.randn(8, 16)
for epoch in range(1, 4):
    for n in range(24):
        who = torch.randint(0, 8, (48,))
        x = anchors[who] + 0.6 * torch.randn(48, 16)
        loss = torch.nn.functional.cross_entropy(net(x), who)
        opt.zero_grad()
        loss.backward()
        opt.step()
        until(((epoch - 1) * 24 + n + 1) * 0.26)
    log.info("epoch %d/3: id loss %.4f, %d batches", epoch, loss.item(), 24)
torch.save(net.state_dict(), "reid.pt")
log.info("reid.pt saved, ranking 19281 queries against 182093 gallery crops")
gallery_scores(19281, 182093)
"""
EMBED = """import torch
from beat import until


def gallery_scores(queries, gallery):
    until(21)
    gib = queries * gallery * 4 / (1 << 30)
    raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {gib:.2f} GiB. GPU 0 has a total capacity of 79.18 GiB of which 8.11 GiB is free. Including non-PyTorch memory, this process has 71.06 GiB memory in use. Of the allocated memory 69.40 GiB is allocated by PyTorch, and 812.15 MiB is reserved by PyTorch but unallocated.")
"""
POISSON = """import math
import os

import team
from beat import since, until
from device import sync

team.meet()
host = os.environ["SLURMD_NODENAME"]
n = 40
b = [math.sin((team.rank * n + i) / 9) for i in range(n)]
x, r = [0.0] * n, b[:]
print(f"{host} block {team.rank}: {n} unknowns on cuda:{int(os.environ['SLURM_LOCALID'])}", flush=True)
for it in range(1, 4001):
    ax = [2.05 * x[i] - (x[i - 1] if i else 0.0) - (x[i + 1] if i < n - 1 else 0.0) for i in range(n)]
    r = [p - q for p, q in zip(b, ax)]
    x = [p + 0.22 * q for p, q in zip(x, r)]
    until(it * 0.1)
    sync(team.rank, since())
    (norm,) = team.mean([sum(v * v for v in r)])
    if it % 20 == 0 and team.rank == 0:
        print(f"{host} it {it:5d}  ||r|| = {math.sqrt(norm):.6e}", flush=True)
"""
DEVICE = """class CUDARuntimeError(RuntimeError):
    pass


def sync(rank, seconds):
    if rank == 3 and seconds > 19.4:
        raise CUDARuntimeError("cudaErrorUnknown: unknown error")
"""


def jobs() -> Iterator[SlurmJob]:
    """Their last lines, exits and cards tell."""
    yield hand_in(
        ill("A1", "missing_module", "env"),
        "FAILED",
        "srun PYTHON featurize.py\n",
        {"featurize.py": SMILES, "ligands.smi": "CCO\nc1ccccc1\n"},
        tasks=3,
        name="ligands",
    )
    yield hand_in(
        ill("A2", "oom_killer", first=(0,)), "FAILED", "srun PYTHON fingerprints.py\n", {"fingerprints.py": FINGERPRINTS}, where="", bed="cgroup", options=("--mem=340M",), name="fp-table",
    )  # fmt: skip
    yield hand_in(ill("A3", "assertion", first=(0,)), "FAILED", "PYTHON ar1.py\n", {"ar1.py": WINDOWS}, name="ar1")
    yield hand_in(
        ill("B1", "cuda_oom", first=(0,)), "FAILED", "srun PYTHON reid.py\n", {"reid.py": NIGHT, "embed.py": EMBED}, python="torch", begin_s=SLOW_S,
        cards={0: [*span(59, 0, 19, gib=38), (19.2, busy(44, gib=71, watts=410)), (22.0, still())]}, name="reid",
    )  # fmt: skip
    gone = [*span(66, 0, 17, gib=27, watts=530), (17.0, {"events": "8:79"}), (19.0, {"*": "!GPU_IS_LOST"})]
    yield hand_in(
        ill("B2", "cuda_runtime", "fault", first=(3,), fault="node"), "FAILED", "srun PYTHON poisson.py\n", {"poisson.py": POISSON, "device.py": DEVICE}, tasks=4, nodes=2,
        cards={**{r: [*span(64 + r, 0, 20, gib=27, watts=525), (20.6, still())] for r in range(3)}, 3: gone}, name="poisson",
    )  # fmt: skip
