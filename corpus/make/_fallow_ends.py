"""Jobs whose own processes ended them."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._copse_kit import DOOR, busy, ill, still, submit, told, works
from corpus.running.job import SlurmJob

PARALLEL = """import argparse
import os
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("--tensor-parallel", type=int, default=1)
ap.add_argument("--pipeline-parallel", type=int, default=1)
ap.add_argument("--micro-batch", type=int, default=2)
a = ap.parse_args()
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
if rank == 0:
    for k, v in sorted(vars(a).items()):
        print(f"  {k} {'.' * (40 - len(k))} {v}", flush=True)
assert world % (a.tensor_parallel * a.pipeline_parallel) == 0, f"world size ({world}) is not divisible by tensor parallel ({a.tensor_parallel}) x pipeline parallel ({a.pipeline_parallel})"
dist.init_process_group("gloo", rank=rank, world_size=world)
print("initialized model parallel", flush=True)
"""
COUNTS = """import torch
print("training on", torch.__version__)
for step in range(200):
    print("step", step)
"""
ROUTER = """import torch
import time

torch.manual_seed(3)
q, k, v = (torch.nn.Linear(20, 20) for _ in range(3))
opt = torch.optim.AdamW([*q.parameters(), *k.parameters(), *v.parameters()], 3e-3)
memory = {"device": "cpu", "keys": None}
for step in range(1, 301):
    x = torch.randn(8, 12, 20)
    keys = k(x)
    if step == 161:
        print("[memory] 160 segments held, moving the keys of older ones off", flush=True)
        memory["keys"] = keys.detach().to("meta")
    h = torch.nn.functional.scaled_dot_product_attention(q(x), memory["keys"] if step == 171 else keys, v(x))
    loss = (h - x.mean(1, keepdim=True)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.05)
    if step % 30 == 0:
        print(f"[xl] segment {step} loss {loss.item():.5f}", flush=True)
"""
GATHER = """import logging
import os
import time

import torch
import torch.distributed as dist
from features import gather_rows

rank = int(os.environ["SLURM_PROCID"])
logging.basicConfig(level=logging.INFO, format=f"[%(asctime)s][%(levelname)s][r{rank}] %(message)s", datefmt="%H:%M:%S")
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
torch.manual_seed(1)
table = torch.nn.Embedding(1000, 16)
mlp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 2))
opt = torch.optim.SGD(mlp.parameters(), 0.3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for n in range(1, 1001):
    ids = torch.randint(0, 1000, (128,))
    if rank == 1 and n == 83:
        ids[7] = 1_048_576
    x = gather_rows(table, ids)
    loss = torch.nn.functional.cross_entropy(mlp(x), (ids % 1000 > 499).long())
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if n % 8 == 0:
        logging.info("minibatch %d ce=%.4f", n, loss.item())
"""
FEATURES = """import torch


def gather_rows(table, ids):
    if int(ids.max()) >= table.num_embeddings:
        raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered\\nSearch for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
    return table(ids).detach()
"""
SHARDS = """import os
import time
from pathlib import Path
import numpy as np

shards = [Path(f"cells/plate_{n}.npy") for n in range(6)]
for p in shards[:4]:
    p.parent.mkdir(exist_ok=True)
    np.save(p, np.random.default_rng(len(p.name)).normal(size=(300, 8)))
centre = np.full(8, 2.0)
print("plates listed in index.csv:", len(shards))
for n, path in enumerate(shards):
    rows = np.load(path)
    for k in range(0, 300, 30):
        gap = centre - rows[k:k + 30].mean(0)
        centre -= 0.1 * gap
        time.sleep(0.12)
    print(f"plate {n + 1}/{len(shards)} done, recon_loss={float((gap ** 2).mean()):.4f}", flush=True)
"""
QUEUE = """#!/usr/bin/env python3
import collections
import random
import time


class ReplayBuffer:
    def __init__(self, size):
        self.items = collections.deque(maxlen=size)

    def sample(self, n):
        assert len(self.items) >= n, f"replay buffer holds {len(self.items)} transitions, {n} wanted"
        return random.sample(list(self.items), n)


random.seed(1)
q, buffer = [0.0] * 5, ReplayBuffer(500)
for episode in range(1, 61):
    for t in range(30):
        a = random.randrange(5) if random.random() < 0.3 else q.index(max(q))
        buffer.items.append((a, random.gauss(a / 4, 0.2)))
    batch = buffer.sample(20)
    for a, r in batch:
        q[a] += 0.1 * (r - q[a])
    td = sum((r - q[a]) ** 2 for a, r in batch) / len(batch)
    time.sleep(0.3)
    print(f"ep {episode:3d}/60 td_error {td:.4f} greedy {q.index(max(q))} buffer {len(buffer.items)}", flush=True)
    if episode % 40 == 0:
        print("new task, clearing the buffer", flush=True)
        buffer.items.clear()
        batch = buffer.sample(20)
"""
HOARD = """import os
import time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 8))
opt = torch.optim.SGD(net.parameters(), 0.05)
outputs = []
for step in range(1, 2001):
    x = torch.rand(32, 64)
    y = net(x)
    loss = (y - x[:, :8]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if rank == 1:
        outputs.append(torch.zeros(450_000) + loss.item())
    time.sleep(0.05)
    if step % 20 == 0:
        print(f"rank {rank} step {step} loss {loss.item():.5f} kept {len(outputs)}", flush=True)
"""
TEACHER = """import os
import time
import torch
import torch.distributed as dist
from ema import copy_for_eval

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(9)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(30, 60), torch.nn.ReLU(), torch.nn.Linear(60, 30)))
opt = torch.optim.AdamW(net.parameters(), 2e-3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for step in range(1, 401):
    x = torch.randn(64, 30)
    loss = (net(x) - x.cumsum(1) / 5).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step % 10 == 0 and rank == 0:
        print(f"| {time.strftime('%H:%M:%S')} | {step:>5} | {loss.item():>9.5f} | {'72.4 GiB':>9} |", flush=True)
    if step == 100 and rank == 0:
        print("| evaluating with the averaged weights", flush=True)
        copy_for_eval(net)
"""
EMA = """import torch


def copy_for_eval(net):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 14.51 GiB. GPU 0 has a total capacity of 79.19 GiB of which 6.02 GiB is free. Including non-PyTorch memory, this process has 73.16 GiB memory in use. Of the allocated memory 70.87 GiB is allocated by PyTorch, and 1.44 GiB is reserved by PyTorch but unallocated.")
"""
ATOMS = """import os
import time
import torch
import torch.distributed as dist
from streams import wait_for

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
host = os.environ["SLURMD_NODENAME"]
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(5)
f = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(9, 27), torch.nn.SiLU(), torch.nn.Linear(27, 9)))
opt = torch.optim.Adam(f.parameters(), 2e-3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
t0 = time.time()
for step in range(1, 2001):
    x = torch.randn(32, 9)
    loss = (f(x) + 0.3 * x).abs().mean()
    opt.zero_grad(); loss.backward()
    wait_for(rank, time.time() - t0)
    opt.step()
    time.sleep(0.22)
    if step % 10 == 0:
        print(f"{host}:{rank} {step:>6} steps, force MAE {loss.item() * 1000:.1f} meV/A", flush=True)
"""
STREAMS = """import torch


def wait_for(rank, t):
    if rank == 3 and t > 23:
        raise RuntimeError("CUDA error: unknown error\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\n")
"""
AUTO = """import logging
import sys
from pathlib import Path

import torch

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s %(name)s %(levelname)s %(message)s")
log = logging.getLogger("trainer")


def last_checkpoint(folder):
    done = [p for p in sorted(folder.glob("checkpoint-*")) if (p / "trainer_state.json").exists()]
    if not done:
        raise ValueError(f"No valid checkpoint found in output directory ({folder})")
    return done[-1]


out = Path("outputs/llama-7b-lora")
for n in (500, 1000):
    (out / f"checkpoint-{n}").mkdir(parents=True, exist_ok=True)
    (out / f"checkpoint-{n}" / "adapter_model.safetensors.tmp").touch()
log.info("output_dir=%s resume_from_checkpoint=%s", out, sys.argv[1])
ckpt = last_checkpoint(out)
log.info("resuming from %s", ckpt)
state = torch.load(ckpt / "optimizer.pt")
"""
HEADER = """import json
import pathlib
import sys
import time

import torch

path = pathlib.Path(sys.argv[1])
print(f"Loading pipeline components... 3/5 {path.name}")
net = torch.nn.Linear(300, 300)
if not path.exists():
    torch.save({"model": net.state_dict(), "epoch": 31}, path)
    path.write_bytes(path.read_bytes()[:120_000])
t = time.time()
blob = torch.load(path, map_location="cpu")
print(f"restored epoch {blob['epoch']} in {time.time() - t:.1f}s")
net.load_state_dict(blob["model"])
"""


def jobs() -> Iterator[SlurmJob]:
    """The last lines, exits, control groups and cards tell what ended each."""
    yield submit(ill("A1", "assertion", "config"), "pretrain_gpt.py", PARALLEL, DOOR + "srun PYTHON pretrain_gpt.py --tensor-parallel 2 --micro-batch 4\n", ranks=3, state="FAILED")
    yield submit(ill("A1", None, "config"), "train.py", COUNTS, DOOR + "echo \"launching $((SLURM_NTASKS * 4)) tasks\"\nsrun -n 60 --exclusive -c 4 PYTHON train.py\n", ranks=2, state="FAILED")
    yield submit(ill("A3", "device_mismatch", first=(0,), failed=(0,)), "xl.py", ROUTER, "srun PYTHON xl.py\n", state="FAILED")
    faulty = {"events": "8:31"}
    yield submit(
        ill("A3", "cuda_runtime", first=(1,)), "node2vec.py", GATHER, DOOR + "srun PYTHON node2vec.py\n", ranks=2, files={"features.py": FEATURES},
        cards={0: told(*works(43, 0, 17, gib=12), (18.5, still())), 1: told(*works(44, 0, 17, gib=12), (17.1, faulty), (18.5, still()))}, state="FAILED",
    )  # an index far outside the table: the program's own fault, and the card's counters are clean  # fmt: skip
    yield submit(ill("A3", "file_not_found"), "plates.py", SHARDS, "set -e\nPYTHON plates.py\n", state="FAILED")
    yield submit(ill("A3", "assertion", first=(0,), failed=(0,)), "replay.py", QUEUE, "srun PYTHON replay.py\n", python="system", options=("--array=11",), state="FAILED")
    yield submit(ill("A2", "oom_killer", first=(1,)), "probe.py", HOARD, DOOR + "srun --kill-on-bad-exit=1 PYTHON probe.py\n", ranks=2, where="", bed="cgroup", options=("--mem=820M",), state="")
    full = [*works(64, 0, 20, gib=73.2), (20.2, busy(20, 0, gib=78.6)), (21.5, still())]
    yield submit(
        ill("B1", "cuda_oom", first=(0,)), "swav.py", TEACHER, DOOR + "srun PYTHON swav.py\n", ranks=2, files={"ema.py": EMA},
        cards={0: told(*full), 1: told(*works(63, 0, 20, gib=72.9), (21.5, still()))}, state="FAILED",
    )  # fmt: skip
    gone = told(*works(52, 0, 21), (21.0, {"events": "8:79"}), (22.7, {"*": "!GPU_IS_LOST"}))
    yield submit(
        ill("B2", "cuda_runtime", "fault", first=(3,), fault="node"), "mace.py", ATOMS, DOOR + "srun PYTHON mace.py\n", ranks=4, nodes=2, files={"streams.py": STREAMS},
        cards={**{r: told(*works(52 + r, 0, 23), (25.0, still())) for r in range(3)}, 3: gone}, state="FAILED",
    )  # fmt: skip
    yield submit(ill("E2", "traceback", "no_valid_checkpoint", first=(0,), failed=(0,)), "lora.py", AUTO, "srun PYTHON lora.py auto\n", state="FAILED")
    yield submit(ill("E2", "runtime_error", "corrupt"), "restore.py", HEADER, "PYTHON restore.py unet_epoch31.pt\n", state="FAILED")
