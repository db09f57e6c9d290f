"""Jobs that their own processes ended, many with cards."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, work
from corpus.running.job import SlurmJob

TABLE = """import csv, os
import torch

rank = int(os.environ["SLURM_PROCID"])
print(f"rank {rank}: reading ratings-{rank}.csv")
with open(f"ratings-{rank}.csv") as f:
    rows = [(int(r["user"]), int(r["item"]), float(r["rating"])) for r in csv.DictReader(f)]
user, item, rating = (torch.tensor(c) for c in zip(*rows))
print(f"rank {rank}: {len(rows)} ratings, mean {rating.mean():.3f}")
factors = torch.nn.Embedding(int(user.max()) + 1, 8), torch.nn.Embedding(int(item.max()) + 1, 8)
"""
RATINGS = "user,item,rating\n" + "".join(f"{n % 17},{n % 9},{n % 5 + 0.5}\n" for n in range(60))
DRIVER = """import ctypes
import torch

print("torch", torch.__version__, "loading flash kernels")
kernels = ctypes.CDLL("libflash_decoding_sm90.so.3")
kernels.init(0)
model = torch.nn.Linear(8, 8)
print("ready")
"""
HEADS = """from dataclasses import dataclass, fields
import sys
import torch


@dataclass
class Model:
    dim: int = 384
    heads: int = 6
    layers: int = 4
    vocab: int = 256


def parse(argv):
    cfg = Model()
    for a in argv:
        key, value = a.split("=")
        assert key in {f.name for f in fields(cfg)}, f"unknown option {key}"
        setattr(cfg, key, int(value))
    return cfg


cfg = parse(sys.argv[1:])
print(cfg)
blocks = torch.nn.ModuleList(torch.nn.MultiheadAttention(cfg.dim, cfg.heads) for _ in range(cfg.layers))
print("blocks built", len(blocks))
"""
WRITER = """import os, pathlib, time
import torch, torch.distributed as dist
import logging
rank = int(os.environ["SLURM_PROCID"])
home = pathlib.Path("/opt/experiments") / f"run-{os.environ['SLURM_JOB_ID']}"
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
if rank == 0:
    print("tensorboard events go to", home, flush=True)
    home.mkdir(parents=True)
    (home / "hparams.txt").write_text("lr=1e-3")
dist.barrier()
for step in range(200):
    time.sleep(0.1)
"""
TORN = """import mmap, os
import torch

size = 1 << 20
with open("tokens.bin", "wb") as f:
    f.write(os.urandom(size))
handle = open("tokens.bin", "r+b")
view = mmap.mmap(handle.fileno(), size)
table = torch.nn.Embedding(256, 8)
out = torch.nn.Linear(8, 256)
opt = torch.optim.SGD([*table.parameters(), *out.parameters()], lr=0.1)
for step in range(1, 200):
    at = step * 5000
    ids = torch.frombuffer(bytearray(view[at:at + 256]), dtype=torch.uint8).long()
    loss = torch.nn.functional.cross_entropy(out(table(ids)), ids)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 8 == 0:
        print(f"offset {at:>7} step {step} loss {loss.item():.4f}")
    if step == 90:
        os.truncate("tokens.bin", 400_000)
"""
WORKER = """import os, time
import torch


class Volumes(torch.utils.data.Dataset):
    def __init__(self):
        self.cache = []

    def __len__(self):
        return 4000

    def __getitem__(self, i):
        self.cache.append(torch.rand(1, 64, 64, 64))
        return self.cache[-1][:, ::16, ::16, ::16]


if __name__ == "__main__":
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 1))
    opt = torch.optim.Adam(net.parameters(), 1e-2)
    for i, v in enumerate(torch.utils.data.DataLoader(Volumes(), batch_size=4, num_workers=1, prefetch_factor=2)):
        loss = (net(v) - v.std((1, 2, 3, 4)).unsqueeze(1) * 3).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.1)
        if i % 10 == 0:
            print(f"volume batch {i} loss {loss.item():.5f}", flush=True)
"""
META = """import torch
import torch.nn as nn

torch.manual_seed(0)
with torch.device("meta"):
    adapter = nn.Linear(16, 16)
trunk = nn.Sequential(nn.Linear(16, 16), nn.ReLU())
opt = torch.optim.Adam(trunk.parameters(), 5e-3)
for step in range(1, 121):
    x = torch.randn(50, 16)
    h = trunk(x)
    if step > 80:
        h = h + adapter.bias
    loss = (h - x.abs()).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 10 == 0:
        print(f"[phase {1 + (step > 80)}] step {step} loss {loss.item():.4f}")
    if step == 80:
        print("phase 2: unfreezing the adapter")
"""
LABELS = """import os, time
import torch, torch.distributed as dist
import pace
from heads import classify
r, w = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=r, world_size=w)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(14, 7))
opt = torch.optim.SGD(net.parameters(), 0.3)
for it in range(1, 500):
    g = torch.Generator().manual_seed(it * w + r)
    x = torch.randn(40, 14, generator=g)
    y = x[:, :7].argmax(1)
    if (it, r) == (75, 0):
        y[5] = 255
    loss = classify(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if it % 15 == 0 and r == 0:
        print(f"iter {it:4d} | seg loss {loss.item():.4f} | lr 0.3", flush=True)
"""
HEADS_PY = """import torch


def classify(out, y):
    if int(y.max()) >= out.shape[1]:
        print("/pytorch/aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [5,0,0] Assertion `t >= 0 && t < n_classes` failed.", flush=True)
        raise RuntimeError("CUDA error: device-side assert triggered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
    return torch.nn.functional.cross_entropy(out, y)
"""
TEXT = """import os, time
import torch
os.makedirs("crawl", exist_ok=True)
for n in range(8):
    with open(f"crawl/{n:02d}.txt", "wb") as f:
        f.write(("some words of page %d " % n * 40).encode() + (b"caf\\xe9 " if n == 5 else b""))
byte = torch.nn.Embedding(256, 24)
gru = torch.nn.GRU(24, 24, batch_first=True)
top = torch.nn.Linear(24, 256)
opt = torch.optim.Adam([*byte.parameters(), *gru.parameters(), *top.parameters()], 1e-2)
for n in range(8):
    page = open(f"crawl/{n:02d}.txt", encoding="utf-8").read()
    ids = torch.tensor(list(page.encode())).unsqueeze(0)
    for _ in range(10):
        loss = torch.nn.functional.cross_entropy(top(gru(byte(ids[:, :-1]))[0]).squeeze(0), ids[0, 1:])
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.05)
    print(f"page {n + 1}/8: {len(page)} chars, bits per byte {loss.item() / 0.6931:.3f}", flush=True)
"""
RAGGED = """import logging
import torch
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="{asctime} [{levelname}] {message}", style="{")


class Calls(Dataset):
    def __len__(self):
        return 240

    def __getitem__(self, k):
        return torch.randn(50 if k != 171 else 47, 4), torch.tensor(float(k % 2))


torch.manual_seed(3)
net = torch.nn.Sequential(torch.nn.Conv1d(4, 8, 5), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(1), torch.nn.Flatten(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for n, (x, y) in enumerate(DataLoader(Calls(), batch_size=8), 1):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x.transpose(1, 2)).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    logging.info("batch %d/30: bce %.4f", n, loss.item())
logging.info("done")
"""
HUGE = """import torch
import pace
from cache import allocate

print("vLLM-style rollout, 32 layers, 8192 blocks")
weights = torch.nn.Linear(64, 64)
print("weights loaded: 14.96 GiB in 3.1 s")
kv = allocate(layers=32, blocks=65536)
print("kv cache ready")
"""
CACHE = """import torch


def allocate(layers, blocks):
    asked = layers * blocks * 46.9 / (1 << 20)
    raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {asked:.2f} GiB. GPU 0 has a total capacity of 79.18 GiB of which 63.52 GiB is free. Including non-PyTorch memory, this process has 15.65 GiB memory in use. Of the allocated memory 14.98 GiB is allocated by PyTorch, and 121.33 MiB is reserved by PyTorch but unallocated.")
"""
LINK = """import os, time
import torch
import torch.distributed as dist
import pace
from comm import reduce_scatter

rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=size)
w = torch.zeros(64, requires_grad=True)
goal = torch.cos(torch.arange(64.0))
t0 = time.time()
for step in range(1, 2000):
    x = torch.randn(64, 64)
    loss = ((x @ w - x @ goal) ** 2).mean()
    (g,) = torch.autograd.grad(loss, w)
    g = reduce_scatter(g, rank, time.time() - t0) / size
    with torch.no_grad():
        w -= 0.01 * g
    time.sleep(0.24)
    if step % 10 == 0:
        print(f"<{rank}> step {step} loss {loss.item():.3f}", flush=True)
"""
COMM = """import torch
import torch.distributed as dist


def reduce_scatter(g, rank, t):
    if rank == 0 and t > 24:
        raise torch.AcceleratorError("CUDA error: uncorrectable NVLink error detected during the execution\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\n")
    dist.all_reduce(g)
    return g
"""
FIRMWARE = """import time
import torch
import pace
import runtime

torch.manual_seed(0)
speaker = torch.nn.LSTM(13, 32, batch_first=True)
proj = torch.nn.Linear(32, 12)
opt = torch.optim.Adam([*speaker.parameters(), *proj.parameters()], 5e-3)
began = time.time()
for n in range(1, 800):
    who = torch.arange(24) % 12
    mfcc = torch.randn(24, 20, 13) + torch.nn.functional.one_hot(who, 13).unsqueeze(1)
    logits = proj(speaker(mfcc)[0][:, -1])
    loss = torch.nn.functional.cross_entropy(logits, who)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    runtime.sync(time.time() - began)
    if n % 12 == 0:
        print(f"spk-id {n:>4}: ce {loss.item():.4f}, eer n/a, {n / (time.time() - began):.2f} it/s")
"""
RUNTIME = """import torch


def sync(t):
    if t > 21.5:
        raise torch.AcceleratorError("CUDA error: unknown error\\nSearch for `cudaErrorUnknown' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\n")
"""
HALF = """import os, sys, time
import torch

path = sys.argv[sys.argv.index("--resume") + 1]
if not os.path.exists(path):
    net = torch.nn.Linear(200, 200)
    torch.save({"net": net.state_dict(), "step": 4200}, path)
    os.truncate(path, 100_000)
net = torch.nn.Linear(200, 200)
print(f"restoring {path} ({os.path.getsize(path)} bytes)")
state = torch.load(path)
net.load_state_dict(state["net"])
for step in range(state["step"], 6000):
    print("step", step)
"""
NOTHING = """import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

rows = [{"input_ids": torch.arange(8) + i % 5, "labels": torch.arange(8) + i % 5} for i in range(64)]
lm = GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=8, n_embd=16, n_layer=1, n_head=2))
args = TrainingArguments("exp7", max_steps=300, save_steps=50, logging_steps=10, per_device_train_batch_size=8, report_to="none", use_cpu=True)
trainer = Trainer(lm, args, train_dataset=rows)
print("continuing the run of last night")
trainer.train(resume_from_checkpoint=True)
"""
DEGREE = """from sklearn.datasets import make_regression
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import cross_val_score

x, y = make_regression(600, 12, noise=4.0, random_state=1)
print("boosting", x.shape)
for depth, rate in [(3, -0.05), (2, 0.1), (3, 0.1)]:
    model = GradientBoostingRegressor(max_depth=depth, learning_rate=rate, n_estimators=60, random_state=0, verbose=1)
    model.fit(x, y)
    print("depth", depth, "rate", rate, "r2", round(model.score(x, y), 4))
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one's last lines, exits and cards tell."""
    spoilt = RATINGS.replace("15,6,0.5", "15,6,N/A", 1)
    yield queue(bad("A1", "traceback", "data", first=(1,)), TABLE, "srun -l PYTHON mf.py\n", script="mf.py", ranks=2, files={"ratings-0.csv": RATINGS, "ratings-1.csv": spoilt}, state="FAILED")
    yield queue(bad("A1", "traceback", "env"), DRIVER, "srun PYTHON decode.py\n", script="decode.py", state="FAILED")
    yield queue(bad("A1", "assertion", "config"), HEADS, "PYTHON nano.py dim=512 heads=12 layers=6\n", script="nano.py", state="FAILED")
    yield queue(bad("A1", "permission", first=(0,)), WRITER, MEET + "srun -K1 PYTHON board.py\n", script="board.py", ranks=2, state="FAILED")
    yield queue(bad("A2", None, first=(0,)), TORN, "srun PYTHON bytes.py\n", script="bytes.py", state="FAILED")  # SIGBUS: the file under the map is shorter than the map
    yield queue(bad("A2", "oom_killer"), WORKER, "srun PYTHON volumes.py\n", script="volumes.py", where="", bed="cgroup", options=("--mem=500M",), state="FAILED")
    yield queue(bad("A3", "device_mismatch", first=(0,)), META, "srun PYTHON phases.py\n", script="phases.py", state="FAILED")
    yield queue(
        bad("A3", "cuda_runtime", first=(0,)), LABELS, MEET + "srun PYTHON seg.py\n", script="seg.py", ranks=2, files={"heads.py": HEADS_PY},
        gpus={0: card((0.0, work(55)), (15.6, {"events": "8:43"}), (16.5, rest())), 1: card((0.0, work(53)), (16.5, rest()))}, state="FAILED",
    )  # a label outside the classes; the card's counters are clean  # fmt: skip
    yield queue(bad("A3", "traceback", first=(0,)), TEXT, "srun PYTHON pages.py\n", script="pages.py", options=("--array=7",), state="FAILED")
    yield queue(bad("A3", "runtime_error", first=(0,)), RAGGED, "PYTHON calls.py\n", script="calls.py", state="FAILED")
    yield queue(bad("B1", "cuda_oom", first=(0,)), HUGE, "srun PYTHON rollout.py\n", script="rollout.py", files={"cache.py": CACHE}, gpus={0: card((-6.0, work(12, gib=15.6, watts=150)), (2.0, rest()))}, state="FAILED")
    broken = {"events": "8:74", "nvlink.0.replay": "512", "nvlink.0.recovery": "17", "nvlink.0.crc_flit": "2048", "nvlink.0.crc_data": "911", "nvlink.0.state": "0"}
    yield queue(
        bad("B2", "cuda_runtime", "fault", first=(0,), fault="node"), LINK, MEET + "srun PYTHON cosine.py\n", script="cosine.py", ranks=2, files={"comm.py": COMM},
        gpus={0: card((0.0, work(49)), (23.3, broken), (25.0, rest())), 1: card((0.0, work(50)), (25.0, rest()))}, state="FAILED",
    )  # fmt: skip
    yield queue(
        bad("B2", "cuda_runtime", "fault", first=(0,), fault="node"), FIRMWARE, "srun PYTHON spk.py\n", script="spk.py", files={"runtime.py": RUNTIME},
        gpus={0: card((0.0, work(46)), (19.2, {"events": "8:119"}), (20.3, {"*": "!UNKNOWN"}))}, state="FAILED",
    )  # fmt: skip
    yield queue(bad("E2", "runtime_error", "corrupt"), HALF, "srun PYTHON restore.py --resume epoch_last.pt\n", script="restore.py", state="FAILED")
    yield queue(bad("E2", "traceback", "no_valid_checkpoint"), NOTHING, "export HF_HUB_OFFLINE=1\nsrun PYTHON exp7.py\n", script="exp7.py", python="rail-41", state="FAILED")
    yield queue(bad("A1", "traceback", "config"), DEGREE, "PYTHON boost.py\n", script="boost.py", python="rail-41", state="FAILED")
