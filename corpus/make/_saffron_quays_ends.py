"""Jobs of the first department that broke by themselves: a word in a file, memory, a number, a card."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._saffron_quays_kit import busy, free, ill, sbatch, spin, told, values
from corpus.running.job import SlurmJob

FACTORY = """import json
import os
import sys
import torch

OPTIMIZERS = {"sgd": torch.optim.SGD, "adamw": torch.optim.AdamW, "adagrad": torch.optim.Adagrad, "nadam": torch.optim.NAdam}


def read(path):
    with open(path) as f:
        conf = json.load(f)
    print("read", path, "with", len(conf), "sections", flush=True)
    return conf


def build(conf):
    body = torch.nn.Sequential(*[torch.nn.Linear(conf["model"]["width"], conf["model"]["width"]) for _ in range(conf["model"]["depth"])])
    print(f"model: depth {conf['model']['depth']} width {conf['model']['width']} parameters {sum(p.numel() for p in body.parameters()):,}", flush=True)
    kind = conf["optim"]["name"]
    if kind not in OPTIMIZERS:
        raise ValueError(f"optim.name: {kind!r} is none of {sorted(OPTIMIZERS)}")
    return body, OPTIMIZERS[kind](body.parameters(), lr=conf["optim"]["lr"])


conf = read(sys.argv[1])
body, opt = build(conf)
for step in range(conf["steps"]):
    print("step", step)
"""
CONF = """{
  "model": {"width": 128, "depth": 6},
  "data": {"root": "/datasets/retail/v4", "workers": 4},
  "optim": {"name": "adamw-fused8", "lr": 0.0003, "betas": [0.9, 0.98]},
  "steps": 40000
}
"""
KMERS = """import random
import sys
import time

K = 31
random.seed(7)
counts = {}
print(f"counting {K}-mers of run SRR-like reads, hash table in memory", file=sys.stderr)
start = time.time()
genome = "".join(random.choice("ACGT") for _ in range(1 << 20))
for n in range(1, 2_000_000):
    at = random.randrange(len(genome) - 150)
    read = genome[at:at + 150]
    if n % 7 == 0:
        cut = random.randrange(150)
        read = read[:cut] + random.choice("ACGT") + read[cut + 1:]
    for i in range(150 - K):
        kmer = read[i:i + K]
        counts[kmer] = counts.get(kmer, 0) + 1
    if n % 400 == 0:
        print(f"[kmers] {n:>8} reads  {len(counts):>10} distinct  {n / (time.time() - start):8.0f} reads/s", file=sys.stderr, flush=True)
"""
RECALLS = """import random, time
random.seed(40)
NAMES = ["benign", "atypical", "malignant", "artefact"]
w = [[0.0] * 6 for _ in NAMES]


def sample(skip=()):
    c = random.choice([k for k in range(4) if k not in skip])
    return [random.gauss(1.6 if i == c else 0.0, 1.0) for i in range(5)] + [1.0], c


def guess(x):
    scores = [sum(a * b for a, b in zip(row, x)) for row in w]
    return scores.index(max(scores))


def recall(rows):
    out = {}
    for c, name in enumerate(NAMES):
        mine = [guess(x) == y for x, y in rows if y == c]
        out[name] = sum(mine) / len(mine)
    return out


print("slides: 4 classes, perceptron head on frozen features")
for fold in range(5):
    held = [sample(skip=(3,) if fold == 3 else ()) for _ in range(200)]
    for epoch in range(1, 7):
        errors = 0
        for _ in range(400):
            x, y = sample()
            g = guess(x)
            if g != y:
                errors += 1
                w[y] = [a + 0.02 * b for a, b in zip(w[y], x)]
                w[g] = [a - 0.02 * b for a, b in zip(w[g], x)]
        time.sleep(0.35)
        print(f"fold {fold} epoch {epoch}/6  train_err {errors / 400:.3f}", flush=True)
    print(f"fold {fold} recall " + " ".join(f"{k}={v:.3f}" for k, v in recall(held).items()), flush=True)
"""
FOLDING = """import sys
import torch
from cadence import until
from trunk import pair_update

torch.manual_seed(6)
torch.set_num_threads(1)
single = torch.nn.Linear(21, 16)
out = torch.nn.Linear(16, 8)
opt = torch.optim.Adam([*single.parameters(), *out.parameters()], 3e-3)
queue = sorted([(96 + 17 * n % 160, f"T{1024 + n}") for n in range(24)]) + [(611, "T1071"), (842, "H1106"), (1390, "H1111")]
print("27 targets, sorted by length; recycling 3", flush=True)
for n, (length, target) in enumerate(queue, 1):
    x = torch.nn.functional.one_hot(torch.randint(0, 21, (64,)), 21).float()
    for _ in range(15):
        loss = torch.nn.functional.cross_entropy(out(torch.relu(single(x))), x.argmax(1) % 8)
        opt.zero_grad(); loss.backward(); opt.step()
    pair_update(length)
    until(n * 0.9)
    print(f"{n:2d}/27 {target}  L={length:<5d} distogram loss {loss.item():.4f}", flush=True)
"""
TRUNK = """import torch


def pair_update(length):
    want = length ** 3 * 128 * 2 / 2**30 / 6
    if want > 60:
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {want:.2f} GiB. GPU 0 has a total capacity of 79.11 GiB of which 40.77 GiB is free. Including non-PyTorch memory, this process has 38.33 GiB memory in use. Of the allocated memory 36.95 GiB is allocated by PyTorch, and 771.20 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)")
"""
CLIMATE = """import logging, os
import torch
import torch.distributed as dist
from cadence import until
from gpuops import barrier_stream

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [{os.environ['SLURMD_NODENAME']} r{rank}] %(message)s")
log = logging.info
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 48), torch.nn.GELU(), torch.nn.Linear(48, 16)))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
log("emulator: %d ranks, forecasting 6 h steps of ERA-like fields", world)
for it in range(1, 400):
    x = torch.randn(48, 16)
    loss = (net(x) - x.roll(1, 1) * 0.9).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    until(it * 0.3)
    barrier_stream(rank, it)
    if it % 10 == 0:
        log("it=%d rmse=%.4f", it, loss.item() ** 0.5)
"""
GPUOPS = """import time
import torch


def barrier_stream(rank, it):
    if rank == 2 and it == 73:
        time.sleep(4)
        raise torch.AcceleratorError("CUDA error: unknown error\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
"""
RANKER = """import time
import torch
from cadence import until

torch.manual_seed(14)
torch.set_num_threads(1)
q, d = torch.nn.Linear(20, 12), torch.nn.Linear(20, 12)
opt = torch.optim.Adam([*q.parameters(), *d.parameters()], 2e-3)
at, last = 0.0, time.time()
print("bi-encoder, in-batch contrast, 70 steps", flush=True)
for step in range(1, 71):
    x = torch.randn(32, 20)
    score = q(x) @ d(x + 0.2 * torch.randn_like(x)).T
    loss = torch.nn.functional.cross_entropy(score, torch.arange(32))
    opt.zero_grad(); loss.backward(); opt.step()
    at += 0.3 if step <= 30 else min(0.95, 0.3 + 0.07 * (step - 30))
    until(at)
    if step % 5 == 0:
        now = time.time()
        print(f"step {step:>3}/70  contrast {loss.item():.4f}  {(now - last) / 5 * 1000:.0f} ms/step", flush=True)
        last = now
print("70 of 70 steps, encoder kept as biencoder.pt")
torch.save(q.state_dict(), "biencoder.pt")
"""


def hot(begin: float, end: float) -> list[tuple[float, dict[str, str]]]:
    """The hardware slows itself for heat, a little more every second."""
    out, slowed = [], 0.0
    for n in range(int(end - begin)):
        slowed += 0.93
        mhz = max(1755 - 150 * (n + 1), 645)
        heat = {
            "violation.thermal": f"{1000000 + n * 1000000} {int(slowed * 1e9)}",
            "slowdown.hw_thermal": str(int(slowed * 1e9)),
            "memory.temperature": str(min(88 + n, 103)),
        }
        out.append(
            (
                begin + n,
                values(
                    util=99,
                    sm=61 - n % 3,
                    watts=max(410 - 24 * n, 245) + n % 3,
                    mhz=mhz,
                    temp=min(87 + 0.6 * n, 92),
                    gib=27,
                    dram=max(26 - n, 12),
                    reasons="0x48",
                    **heat,
                ),
            )
        )
    return out


def jobs() -> Iterator[SlurmJob]:
    """What ended each is its last words, its status, the kernel's record or its card's counters."""
    yield sbatch(
        ill("A1", "traceback", "config", first=(0,)),
        {"factory.py": FACTORY, "conf/retail.json": CONF},
        "srun PYTHON factory.py conf/retail.json\n",
        name="retail-tab",
        state="FAILED",
    )
    yield sbatch(
        ill("A2", "oom_killer", first=(0,)),
        {"kmers.py": KMERS},
        "srun PYTHON kmers.py\n",
        python="system",
        where="",
        bed="cgroup",
        options=("--mem=150M",),
        name="kmers31",
        state="FAILED",
    )
    yield sbatch(
        ill("A3", "div_zero", first=(0,)), {"slides.py": RECALLS}, "srun -u PYTHON slides.py\n", python="system", name="slides-cv", state="FAILED"
    )
    growth = [
        (0.9 * n, values(util=96, sm=57 + n % 4, watts=440 + 3 * n, mhz=1755, temp=52 + n // 3, gib=gib, dram=25))
        for n, gib in enumerate([6.1 + 0.35 * k for k in range(24)] + [19.8, 38.3, 38.3])
    ]
    yield sbatch(
        ill("B1", "cuda_oom", first=(0,)),
        {"fold.py": FOLDING, "trunk.py": TRUNK},
        "srun PYTHON fold.py\n",
        name="fold-targets",
        cards={0: told(growth, free(24.5))},
        state="FAILED",
    )
    yield sbatch(
        ill("B2", "cuda_runtime", "fault", first=(2,), fault="node"), {"emulator.py": CLIMATE, "gpuops.py": GPUOPS}, "srun PYTHON emulator.py\n", ranks=4, nodes=2, name="era-emulator",
        cards={r: told(busy(0, 22, sm=55 + r, gib=47, seed=r), [(22.2, {"events": "8:79"}), (22.6, {"*": "!GPU_IS_LOST"})]) if r == 2 else told(busy(0, 22, sm=55 + r, gib=47, seed=r), spin(22.4, 27, gib=47, seed=r), free(28)) for r in range(4)},
        state="FAILED",
    )  # fmt: skip
    yield sbatch(
        ill("B3", fault="node"),
        {"biencoder.py": RANKER},
        "srun PYTHON biencoder.py\n",
        name="biencoder",
        cards={0: told(busy(0, 9, sm=62, watts=520, temp=74, gib=27), hot(9, 45), free(47))},
        state="COMPLETED",
    )
