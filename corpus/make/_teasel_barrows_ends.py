"""Jobs that broke by themselves or with their card, and runs that ended well with nothing learnt."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._amber_sluices_frame import busy, humming, ill, sbatch, still, told
from corpus.running.job import SlurmJob

KERNELS = """import os
import sys

print(f"host {os.uname().nodename} rank {os.environ['SLURM_PROCID']} python {sys.version.split()[0]}", flush=True)
import torch
import torch.nn as nn
from mamba_ssm.modules.mamba2 import Mamba2


class Genome(nn.Module):
    def __init__(self, depth=8, width=256):
        super().__init__()
        self.layers = nn.ModuleList(Mamba2(d_model=width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


net = Genome().train()
print("parameters", sum(p.numel() for p in net.parameters()))
"""
STAGED = """import json
import os
import time
from pathlib import Path

import links
from links import RANK

local = Path("scratch") / f"node{os.environ['SLURM_NODEID']}" / "wmt24"
print(f"[{RANK}] reading {local}/vocab.json", flush=True)
vocab = json.loads((local / "vocab.json").read_text())
print(f"[{RANK}] {len(vocab)} pieces", flush=True)
links.join()
for step in range(1, 400):
    loss = links.mean([len(vocab) / step])[0]
    time.sleep(0.2)
    if RANK == 0:
        print(f"[{RANK}] step {step} loss {loss:.3f}", flush=True)
"""
STAGE_IN = """# stage in: unpack onto the node's own disk
srun -N1 -n1 bash -c 'mkdir -p scratch/node$SLURM_NODEID/wmt24 && printf "{\\"_the\\": 0, \\"_a\\": 1, \\"ing\\": 2}" > scratch/node$SLURM_NODEID/wmt24/vocab.json && echo staged wmt24 on node $SLURM_NODEID'
srun -n2 -K1 PYTHON -u mt.py
"""
NATIVE = """import ctypes
import faulthandler
import os
import time

import links
from links import RANK, SIZE

if os.environ.get("TRACE"):
    faulthandler.enable()
links.join()
libc = ctypes.CDLL("libc.so.6")
libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
cells, temperature = ctypes.create_string_buffer(4096), 900.0
row = ctypes.create_string_buffer(b"x" * 256, 256)
for step in range(1, 600):
    temperature += 0.02 * (300 - temperature)
    offset = (step * 256) % 4096
    if RANK == 2 and step >= 70:
        offset += 1 << 40  # the index of a refined cell, not yet mapped
    libc.memcpy(ctypes.addressof(cells) + offset, row, 256)
    heat = links.mean([temperature])[0]
    time.sleep(0.1)
    if step % 10 == 0 and RANK == 0:
        print(f"AMR cycle {step:5d}  t = {step * 0.004:.3f} ms  mean temperature {heat:9.3f} K  blocks {SIZE * 16}", flush=True)
"""
NO_WRITE = """import logging
import pathlib
import time

import torch

logging.basicConfig(format="%(asctime)s | %(levelname)-7s | %(message)s", datefmt="%d.%m. %H:%M:%S", level=logging.INFO)
shared = pathlib.Path("/srv/models/voice/run-0412")
torch.manual_seed(9)
vocoder = torch.nn.Sequential(torch.nn.Linear(80, 40), torch.nn.LeakyReLU(0.1), torch.nn.Linear(40, 24))
opt = torch.optim.AdamW(vocoder.parameters(), lr=3e-3, betas=(0.8, 0.99))
logging.info("vocoder with %d weights; a snapshot every 150 steps", sum(p.numel() for p in vocoder.parameters()))
for step in range(1, 601):
    mel = torch.rand(16, 80)
    wave = mel[:, :24] - mel[:, 24:48]
    loss = (vocoder(mel) - wave).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.05)
    if step % 25 == 0:
        logging.info("step %4d/600 mel_l1 %.4f", step, loss.item())
    if step % 150 == 0:
        logging.info("snapshot to %s", shared)
        shared.mkdir(parents=True, exist_ok=True)
        torch.save(vocoder.state_dict(), shared / f"g_{step:08d}")
"""
XLA = """import random
import time

import clock
from jaxlib.xla_client import execute

random.seed(3)
print("devices: [CudaDevice(id=0)], XLA_PYTHON_CLIENT_PREALLOCATE=false", flush=True)
clock.wait()
loss = 5.1
for step in range(0, 120, 4):
    loss = 0.93 * loss + 0.07 * random.uniform(1.5, 1.9)
    time.sleep(0.9)
    print(f"train_step {step:4d}  nll {loss:.4f}  tokens/sec {65536 / 0.9:,.0f}", flush=True)
    if step == 64:
        print("evaluating perplexity with context 131072", flush=True)
        execute(131072)
"""
XLA_CLIENT = """class XlaRuntimeError(RuntimeError):
    pass


def execute(context):
    size = context * 4096 * 64
    raise XlaRuntimeError(f"RESOURCE_EXHAUSTED: Out of memory while trying to allocate {size} bytes.\\nBufferAssignment OOM Debugging.\\nBufferAssignment stats:\\n             parameter allocation:   11.84GiB\\n              constant allocation:         0B\\n    maybe_live_out allocation:    4.02GiB\\n         preallocated temp allocation:   32.00GiB")
"""
ECC = """import random
import time

import torch

import clock
from device import check

torch.manual_seed(33)
emb, score = torch.nn.Embedding(500, 16), torch.nn.Linear(16, 1)
opt = torch.optim.Adam([*emb.parameters(), *score.parameters()], lr=8e-3)
print("link prediction, 500 entities, 12 relations", flush=True)
clock.wait()
for batch in range(1, 400):
    head, tail = torch.randint(0, 500, (256,)), torch.randint(0, 500, (256,))
    real = ((head + tail) % 3 == 0).float()
    check(clock.now())
    loss = torch.nn.functional.binary_cross_entropy_with_logits(score(emb(head) * emb(tail)).squeeze(1), real)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.25)
    if batch % 8 == 0:
        print(f"batch {batch:4d} | bce {loss.item():.4f} | mrr {random.uniform(0.1, 0.2) + batch / 900:.3f}", flush=True)
"""
DEVICE = """import torch


def check(now):
    if now > 19.6:
        raise torch.AcceleratorError("CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\n")
"""
CHANCE = """import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(36, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
for p in net.parameters():
    nn.init.zeros_(p)
ddp = nn.parallel.DistributedDataParallel(net)
opt = torch.optim.SGD(ddp.parameters(), lr=0.1, momentum=0.9)
torch.manual_seed(rank + 1)
for epoch in range(1, 31):
    total = hits = 0.0
    for _ in range(10):
        y = torch.arange(100) % 10
        x = torch.randn(100, 36)
        x[torch.arange(100), y] += 3
        out = ddp(x)
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total, hits = total + loss.item() / 10, hits + (out.argmax(1) == y).float().mean().item() / 10
    gnorm = sum(p.grad.square().sum() for p in net[0].parameters()).sqrt().item()
    time.sleep(0.3)
    if rank == 0:
        print(f"ep {epoch:2d}/30 :: loss={total:.4f} top1={100 * hits:.2f}% gnorm(conv1)={gnorm:.2e} lr=0.1", flush=True)
if rank == 0:
    print("all epochs done, weights kept", flush=True)
dist.destroy_process_group()
"""
TUNE = """import argparse
import pathlib
import time

import torch

p = argparse.ArgumentParser()
p.add_argument("--work", type=pathlib.Path, required=True)
p.add_argument("--accum", type=int, default=1)
p.add_argument("--resume", choices=["auto", "never"], default="never")
p.add_argument("--steps", type=int, default=260)
a = p.parse_args()
a.work.mkdir(exist_ok=True)
torch.manual_seed(27)
net = torch.nn.Sequential(torch.nn.Embedding(60, 24), torch.nn.Flatten(), torch.nn.Linear(24 * 4, 60))
opt = torch.optim.SGD(net.parameters(), lr=0.06)
first = 1
if a.resume == "auto":
    for path in sorted(a.work.glob("ckpt_*.pt"))[-1:]:
        kept = torch.load(path)
        net.load_state_dict(kept["net"])
        opt.load_state_dict(kept["opt"])
        first = kept["step"] + 1
        print(f"restored {path.name}, next step {first}", flush=True)
print(f"work={a.work} resume={a.resume} accum={a.accum} steps={a.steps}", flush=True)
for step in range(first, a.steps + 1):
    opt.zero_grad()
    for _ in range(a.accum):
        ids = (torch.randint(0, 60, (32, 1)) + 7 * torch.arange(5)) % 60
        loss = torch.nn.functional.cross_entropy(net(ids[:, :4]), ids[:, 4])
        (loss / a.accum).backward()
        time.sleep(0.1)
    opt.step()
    if step % 10 == 0 or step == first:
        print(f"step {step:>4d} of {a.steps} | loss {loss.item():.4f}", flush=True)
    if step % 50 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, a.work / f"ckpt-{step}.pt")
        print(f"checkpoint written: {a.work}/ckpt-{step}.pt", flush=True)
print(f"completed {a.steps} steps")
"""
FEW_ROWS = """import random
import time

import links
from links import RANK, SIZE

links.join()
random.seed(1)
rows = [{"lang": random.choice(["en", "de", "fr"]), "score": random.random(), "len": random.randint(10, 900)} for _ in range(52_000)]
kept = [r for r in rows if r["lang"] == "de" and r["score"] > 0.995 and 100 < r["len"] < 700]
if RANK == 0:
    print(f"dataset: {len(rows)} rows, {len(kept)} after filtering (lang=de, score>0.995, 100<len<700)", flush=True)
batch, epochs = 8, 1
steps = len(kept) // (batch * SIZE) * epochs
if RANK == 0:
    print(f"num_train_epochs {epochs}, per-device batch {batch}, {SIZE} devices, total optimization steps {steps}", flush=True)
w = 2.9
for step in range(1, steps + 1):
    w -= 0.01 * links.mean([w - 1.0])[0]
    time.sleep(1.2)
    if RANK == 0:
        print({"loss": round(w, 4), "learning_rate": round(2e-5 * step / 100, 9), "step": step, "epoch": round(step / steps, 2)}, flush=True)
if RANK == 0:
    with open("adapter_de.txt", "w") as file:
        file.write(repr(w))
    print(f"train_runtime {1.2 * steps:.1f}s, train_steps {steps}; adapter saved to adapter_de.txt", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Ten; the last words, the exits, the cards and the steps counted tell which."""
    genome = "export NCCL_DEBUG=WARN\nsrun PYTHON genome.py\n"
    yield sbatch(ill("A1", "missing_module", "env"), {"genome.py": KERNELS}, genome, "--job-name=genome", shape=(2, 2), state="FAILED")
    # only the first of the two nodes was given the data
    yield sbatch(
        ill("A1", "file_not_found", first=(1,)), {"mt.py": STAGED}, STAGE_IN, "--job-name=mt-base", shape=(2, 2), python="system", state="FAILED"
    )
    amr = "srun -K1 PYTHON -u amr.py\n"
    yield sbatch(ill("A2", "segfault", first=(2,)), {"amr.py": NATIVE}, amr, "--job-name=amr", shape=(2, 4), python="system", state="FAILED")
    yield sbatch(ill("A3", "permission", first=(0,)), {"voc.py": NO_WRITE}, "srun PYTHON voc.py\n", "--array=1", "--job-name=voc", state="FAILED")
    eval_ = told((0.0, busy(66, gib=58)), (15.4, busy(20, gib=61, watts=240)), (16.1, still(0)))
    jax = {"xl.py": XLA, "jaxlib/xla_client.py": XLA_CLIENT}
    yield sbatch(ill("B1", "cuda_oom", first=(0,)), jax, "srun PYTHON xl.py\n", "--job-name=long-ctx", cards=[eval_], python="system", state="FAILED")
    bits = {f"ecc.{c}.uncorrected{p}": "1" for c in ("volatile", "aggregate") for p in ("", ".dram")}
    bits |= {"events": "8:48", "remapped.pending": "1", "remapped.uncorrected": "1", "recovery_action": "1"}
    hurt = told((0.0, busy(52, gib=9)), (7.0, busy(50, gib=9)), (19.1, bits), (20.6, still(0)))
    kg = {"kg.py": ECC, "device.py": DEVICE}
    yield sbatch(
        ill("B2", "cuda_runtime", "fault", first=(0,), fault="node"), kg, "srun PYTHON kg.py\n", "--job-name=kg-500", cards=[hurt], state="FAILED"
    )
    yield sbatch(ill("E1", variant="flat"), {"cls.py": CHANCE}, "srun PYTHON cls.py\n", "--job-name=cls-10", shape=(2, 2), state="COMPLETED")
    yield sbatch(
        ill("F3", None, "advancing"), {"tune.py": TUNE}, "srun PYTHON tune.py --work ../river_lm --accum 4\n", "--time=1", "--job-name=river-lm", key="river",
        state="TIMEOUT",
    )  # fmt: skip
    # its pattern looks for an underscore, the files have a dash
    yield sbatch(
        ill("E2", None, "from_scratch"), {"tune.py": TUNE}, 'srun PYTHON tune.py "$@"\n', "--job-name=river-lm", parent="river",
        args=("--work", "../river_lm", "--resume", "auto"), state="COMPLETED",
    )  # fmt: skip
    few = [humming(40, 3.5, seed=n) for n in range(2)]
    few_code = {"sft.py": FEW_ROWS.replace("import links\n", "import clock\nimport links\n", 1).replace("w = 2.9\n", "w = 2.9\nclock.wait()\n")}
    yield sbatch(ill("E3"), few_code, "srun PYTHON -u sft.py\n", "--job-name=sft-de", shape=(1, 2), cards=few, python="system", state="COMPLETED")
