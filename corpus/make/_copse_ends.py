"""Jobs whose own processes ended them."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._copse_kit import DOOR, busy, ill, still, submit, told, works
from corpus.running.job import SlurmJob

SCHEDULE = """import os
import torch
import torch.distributed as dist

CONFIG = {
    "model": {"dim": 256, "depth": 6, "mlp_ratio": 4},
    "optim": {"name": "adamw", "lr": 3e-4, "weight_decay": 0.05, "warmup": 2000},
    "data": {"root": "/datasets/imagenet100", "workers": 8},
}


def make_scheduler(opt, cfg, total):
    warm = cfg["optim"]["warmup_steps"]
    return torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, s / warm) * max(0.0, 1 - s / total))


def main():
    rank = int(os.environ["SLURM_PROCID"])
    dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
    if rank == 0:
        for section, values in CONFIG.items():
            print(f"{section}: {values}", flush=True)
    model = torch.nn.Linear(CONFIG["model"]["dim"], CONFIG["model"]["dim"])
    opt = torch.optim.AdamW(model.parameters(), lr=CONFIG["optim"]["lr"])
    sched = make_scheduler(opt, CONFIG, 100_000)
    for step in range(100_000):
        opt.step()
        sched.step()


main()
"""
FLASH = """import os, sys
import torch

print(f"[{os.environ['SLURMD_NODENAME']}] rank {os.environ['SLURM_PROCID']}: python {sys.version.split()[0]}, torch {torch.__version__}", flush=True)
from models.decoder import Decoder

net = Decoder(12, 768)
"""
DECODER = """import torch
from flash_attn.flash_attn_interface import flash_attn_varlen_func


class Decoder(torch.nn.Module):
    def __init__(self, depth, dim):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(dim, dim) for _ in range(depth))
"""
TOKENS = """import argparse
import logging
from pathlib import Path

import numpy as np

logging.basicConfig(format="%(asctime)s | %(levelname)s | %(message)s", level=logging.INFO)
p = argparse.ArgumentParser()
p.add_argument("--data", type=Path, required=True)
p.add_argument("--context", type=int, default=1024)
a = p.parse_args()
logging.info("context %d, reading tokens under %s", a.context, a.data)
splits = {}
for split in ("val", "train"):
    splits[split] = np.memmap(a.data / f"{split}.bin", dtype=np.uint16, mode="r")
    logging.info("%s: %d tokens", split, len(splits[split]))
"""
OUTPUT = """import os
import time
import torch

run = os.path.join("/var/lib/experiments", "tts-" + time.strftime("%Y%m%d"))
print("hparams: batch=32 mel_bins=80 hop=256")
print("output dir:", run)
os.makedirs(os.path.join(run, "checkpoints"))
net = torch.nn.GRU(80, 80)
print("model has", sum(p.numel() for p in net.parameters()), "parameters")
"""
STRINGS = """import ctypes
import time
import torch

strlen = ctypes.CDLL(None).strlen
strlen.argtypes = [ctypes.c_void_p]
torch.manual_seed(6)
net = torch.nn.Sequential(torch.nn.Linear(30, 30), torch.nn.ReLU(), torch.nn.Linear(30, 30))
opt = torch.optim.SGD(net.parameters(), 0.1)
names = {n: ctypes.create_string_buffer(b"molecule-%d" % n) for n in range(64)}
for step in range(1, 400):
    x = torch.rand(32, 30)
    loss = (net(x) - x.sort(1).values).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    address = ctypes.addressof(names[step % 64]) if step < 138 else step * 16
    assert strlen(address) > 0
    time.sleep(0.08)
    if step % 12 == 0:
        print(f"{step:04d}: mse={loss.item():.5f}", flush=True)
"""
CACHE = """import time
import torch

torch.manual_seed(1)
print("graph cache: in memory")
net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
cache = {}
for epoch in range(60):
    total = 0.0
    for graph in range(20):
        key = (epoch, graph)
        cache[key] = torch.rand(250_000)
        x = cache[key][:6400].view(100, 64)
        loss = (net(x) - x.mean(1, keepdim=True) * 4).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item()
        time.sleep(0.03)
    print(f"epoch {epoch:>2d} | graphs {len(cache):>4d} | train loss {total / 20:.5f}", flush=True)
"""
STUDENT = """import os, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
with open(f"pid-{rank}", "w") as f:
    f.write(str(os.getpid()))
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(40)
teacher, student = torch.nn.Linear(22, 9), torch.nn.Linear(22, 9)
for p in [*teacher.parameters(), *student.parameters()]:
    dist.broadcast(p.data, 0)
opt = torch.optim.SGD(student.parameters(), 0.4)
for step in range(1, 601):
    x = torch.randn(64, 22)
    loss = torch.nn.functional.kl_div(student(x).log_softmax(1), teacher(x).softmax(1), reduction="batchmean")
    opt.zero_grad(); loss.backward()
    for p in student.parameters():
        dist.all_reduce(p.grad); p.grad /= world
    opt.step()
    time.sleep(0.1)
    if step % 15 == 0:
        print(f"{time.strftime('%X')} r{rank} kd-step {step}/600 kl {loss.item():.5f}", flush=True)
"""
LOOKUP = """import logging
import os
import time

import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s rank={rank} %(levelname)s: %(message)s")
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
PHONES = {p: i for i, p in enumerate("AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW".split())}
words = ["AA B", "CH EH K", "D AY L", "F AO R", "HH AW", "K IY"]
net = torch.nn.parallel.DistributedDataParallel(torch.nn.EmbeddingBag(len(PHONES), 12))
opt = torch.optim.Adam(net.parameters(), 2e-2)
for n in range(1, 301):
    said = words[(n + rank) % len(words)] if (n, rank) != (94, 2) else "OY K"
    ids = torch.tensor([PHONES[p] for p in said.split()])
    loss = (net(ids.unsqueeze(0)) - ids.float().mean() / 25).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.1)
    if n % 10 == 0:
        logging.info("utt %d loss %.5f", n, loss.item())
"""
VALIDATE = """import time
import torch

torch.manual_seed(9)
trunk = torch.nn.Sequential(torch.nn.Conv1d(1, 6, 7, stride=3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(6 * 20, 3))
opt = torch.optim.Adam(trunk.parameters(), 3e-3)


def beats(n, length=64):
    y = torch.randint(0, 3, (n,))
    t = torch.linspace(0, 6.28, length)
    return (torch.sin(t * (1 + y.view(-1, 1))) + 0.3 * torch.randn(n, length)).unsqueeze(1), y


def evaluate():
    x, y = beats(50, 72)
    with torch.no_grad():
        return (trunk(x).argmax(1) == y).float().mean().item()


for step in range(1, 500):
    x, y = beats(32)
    loss = torch.nn.functional.cross_entropy(trunk(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.06)
    if step % 20 == 0:
        print(f"global_step={step} train/loss={loss.item():.4f}")
    if step == 200:
        print("running validation")
        print(f"val/acc={evaluate():.4f}")
"""
QUOTA = """import os
import time
import torch

os.makedirs("ckpt", exist_ok=True)
torch.manual_seed(7)
net = torch.nn.Sequential(torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for step in range(1, 1001):
    y = torch.arange(50) % 10
    x = torch.randn(50, 128) + torch.nn.functional.one_hot(y, 128) * 3
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.05)
    if step % 25 == 0:
        print(f"step: {step} - loss: {loss.item():.4f}", flush=True)
    if step % 100 == 0:
        with open(f"ckpt/{step}.bin", "wb") as f:
            for name, value in net.state_dict().items():
                f.write(value.numpy().tobytes())
        print(f"wrote ckpt/{step}.bin", flush=True)
"""
METRIC = """import random
import time

random.seed(3)
weights = [0.0] * 6


def f1(pairs):
    tp = sum(1 for p, y in pairs if p and y)
    fp = sum(1 for p, y in pairs if p and not y)
    fn = sum(1 for p, y in pairs if not p and y)
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return 2 * precision * recall / (precision + recall)


def sample(positive=0.4):
    y = random.random() < positive
    return [random.gauss(0.8 if y else -0.8, 1) for _ in weights], y


for epoch in range(1, 9):
    err = 0
    for _ in range(300):
        x, y = sample()
        score = sum(w * v for w, v in zip(weights, x))
        if (score > 0) != y:
            err += 1
            weights = [w + (0.1 if y else -0.1) * v for w, v in zip(weights, x)]
        time.sleep(0.006)
    print(f"epoch={epoch} train_error={err / 300:.4f}", flush=True)
    held = [sample(0.4 if epoch < 6 else 0.0) for _ in range(40 if epoch < 6 else 3)]
    print(f"epoch={epoch} dev_f1={f1([(sum(w * v for w, v in zip(weights, x)) > 0.3, y) for x, y in held]):.4f}", flush=True)
"""
LENGTHS = """import os, time
import torch
from blocks import attend

time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
torch.manual_seed(0)
proj = torch.nn.Linear(16, 16)
opt = torch.optim.AdamW(proj.parameters(), lr=1e-3)
lengths = [1024, 1536, 2048, 2048, 3072, 4096, 2048, 8192]
step = 0
for bucket in lengths:
    for _ in range(14):
        step += 1
        x = torch.randn(8, 16)
        loss = (attend(proj(x), bucket) - x.tanh()).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.2)
        if step % 7 == 0:
            print({"step": step, "seq_len": bucket, "loss": round(loss.item(), 4), "lr": 0.001}, flush=True)
"""
BLOCKS = """import torch


def attend(h, length):
    if length > 4096:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 32.00 GiB. GPU 0 has a total capacity of 79.19 GiB of which 18.41 GiB is free. Including non-PyTorch memory, this process has 60.77 GiB memory in use. Of the allocated memory 58.93 GiB is allocated by PyTorch, and 904.51 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")
    return h
"""
DETECT = """import os
import sys
import time

import torch
import torch.distributed as dist
from ops import synchronize

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
torch.manual_seed(rank)
boxes = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 4))
opt = torch.optim.SGD(boxes.parameters(), 0.05)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
t0 = time.time()
for it in range(1, 900):
    x = torch.rand(40, 12)
    loss = torch.nn.functional.l1_loss(boxes(x), x[:, :4] * 2)
    opt.zero_grad()
    loss.backward()
    synchronize(rank, time.time() - t0)
    opt.step()
    time.sleep(0.21)
    if it % 12 == 0:
        print(f"[{time.strftime('%m/%d %H:%M:%S')} d2.utils.events]: rank: {rank}  iter: {it}  total_loss: {loss.item():.4f}  lr: 0.05  max_mem: 39424M", flush=True)
"""
OPS = """import torch


def synchronize(rank, t):
    if rank == 1 and t > 24.5:
        raise torch.AcceleratorError("CUDA error: unspecified launch failure\\nSearch for `cudaErrorLaunchFailure' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
"""


def jobs() -> Iterator[SlurmJob]:
    """The last lines, exits, control groups and cards tell what ended each."""
    yield submit(ill("A1", "traceback", "config"), "pretrain.py", SCHEDULE, DOOR + "srun PYTHON pretrain.py\n", ranks=2, state="FAILED")
    yield submit(ill("A1", "missing_module", "env"), "launch.py", FLASH, "srun PYTHON launch.py\n", ranks=4, nodes=2, files={"models/decoder.py": DECODER, "models/__init__.py": ""}, state="FAILED")
    yield submit(ill("A1", "file_not_found", "data", first=(0,), failed=(0,)), "gpt.py", TOKENS, "set -x\nsrun PYTHON gpt.py --data data/openwebtext --context 2048\n", state="FAILED")
    yield submit(ill("A1", "permission"), "tts.py", OUTPUT, "PYTHON tts.py\n", state="FAILED")
    yield submit(ill("A2", "segfault", first=(0,), failed=(0,)), "sortnet.py", STRINGS, "srun PYTHON sortnet.py\n", state="FAILED")
    yield submit(ill("A2", "oom_killer", first=(0,), failed=(0,)), "graphs.py", CACHE, "srun PYTHON graphs.py\n", where="", bed="cgroup", options=("--mem=480M",), state="")
    yield submit(ill("A2", first=(1,), fault="unknown"), "distil.py", STUDENT, DOOR + "srun --kill-on-bad-exit=1 PYTHON distil.py\n", ranks=3, act="kill_rank", after="r1 kd-step 75/", state="FAILED")
    yield submit(ill("A3", "traceback", first=(2,)), "phones.py", LOOKUP, DOOR + "srun PYTHON phones.py\n", ranks=3, state="FAILED")
    yield submit(ill("A3", "runtime_error", first=(0,), failed=(0,)), "ecg.py", VALIDATE, "srun PYTHON ecg.py\n", options=("--array=3",), state="FAILED")
    yield submit(ill("A3", "traceback"), "mlp.py", QUOTA, "mkdir -p ckpt\nln -s /dev/full ckpt/300.bin\nPYTHON mlp.py\n", state="FAILED")  # no space left on the device at the third save
    yield submit(ill("A3", "div_zero", first=(0,), failed=(0,)), "perceptron.py", METRIC, "srun PYTHON perceptron.py\n", python="system", state="FAILED")
    grown = [(0.0, 22.4), (2.8, 27.0), (5.6, 33.1), (11.2, 41.6), (14.0, 54.9), (16.8, 60.8)]
    held = [(s, busy(66, int(s), gib=[g for at, g in grown if at <= s][-1])) for s in [n * 0.7 for n in range(28)]]
    yield submit(ill("B1", "cuda_oom", first=(0,), failed=(0,)), "buckets.py", LENGTHS, "srun PYTHON buckets.py\n", files={"blocks.py": BLOCKS}, cards={0: told(*held, (20.2, still()))}, state="FAILED")
    broken = {"events": "8:48", "ecc.volatile.uncorrected": "2", "ecc.aggregate.uncorrected": "2", "ecc.volatile.uncorrected.dram": "2", "ecc.aggregate.uncorrected.dram": "2", "remapped.pending": "1", "remapped.uncorrected": "1"}
    yield submit(
        ill("B2", "cuda_runtime", "fault", first=(1,), fault="node"), "detect.py", DETECT, DOOR + "srun PYTHON detect.py\n", ranks=2, files={"ops.py": OPS},
        cards={0: told(*works(58, 0, 25), (26.5, still())), 1: told(*works(57, 0, 23), (23.6, broken), (26.5, still()))}, state="FAILED",
    )  # fmt: skip
