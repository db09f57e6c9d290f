"""Jobs whose own process ended them: at the start, by a signal, in the middle, for want of memory, with a card that broke."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, work
from corpus.running.job import SlurmJob

PICKY = """import argparse, os
import torch
import torch.distributed as dist

cli = argparse.ArgumentParser(description="pretrain a small encoder")
cli.add_argument("--width", type=int, default=64)
cli.add_argument("--lr-schedule", choices=["cosine", "linear", "constant"], default="cosine")
cli.add_argument("--warmup", type=int, default=100)
opts = cli.parse_args()
dist.init_process_group("gloo", rank=int(os.environ["SLURM_PROCID"]), world_size=int(os.environ["SLURM_NTASKS"]))
print("model width", opts.width)
enc = torch.nn.TransformerEncoderLayer(opts.width, 4)
"""
MANIFEST = """import json
import logging
import os
from pathlib import Path

import torch

logging.basicConfig(level=logging.INFO, format=f"%(asctime)s rank{os.environ['SLURM_PROCID']} %(message)s")
Path("manifest").mkdir(exist_ok=True)


class Utterances(torch.utils.data.Dataset):
    def __init__(self, where):
        self.rows = []
        for line in Path(where).read_text().splitlines():
            self.rows.append(json.loads(line))
        logging.info("%d utterances in %s", len(self.rows), where)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.randn(int(self.rows[i]["frames"]), 40), self.rows[i]["text"]


train = Utterances("manifests/dev.jsonl")
train = Utterances("manifests/train.jsonl")
for batch in torch.utils.data.DataLoader(train, batch_size=2):
    logging.info("batch")
"""
ROWS = "".join(f'{{"audio": "clips/{n:05d}.flac", "frames": {90 + n * 13 % 70}, "text": "line {n}"}}\n' for n in range(40))
BACKBONE = """import torch
import torch.nn as nn


def build(classes, backbone="weights/convnext_nano_in1k.pth"):
    body = nn.Sequential(nn.Conv2d(3, 24, 4, 4), nn.LayerNorm([24, 8, 8]), nn.Flatten())
    print(f"Loading pretrained backbone from {backbone}")
    body.load_state_dict(torch.load(backbone, map_location="cpu"))
    return nn.Sequential(body, nn.Linear(24 * 64, classes))


if __name__ == "__main__":
    print("fine-tuning on 12 classes, 2 frozen stages")
    model = build(12)
    print(model)
"""
APEX = """import os
import torch
print(f"task {os.environ['SLURM_PROCID']} torch {torch.__version__}")
from apex.optimizers import FusedLAMB

opt = FusedLAMB(torch.nn.Linear(4, 4).parameters())
"""
VICTIM = """import os, time
import torch
import torch.distributed as dist
r = int(os.environ["SLURM_PROCID"]); n = int(os.environ["SLURM_NTASKS"])
open(f"pid-{r}", "w").write(str(os.getpid()))
dist.init_process_group("gloo", rank=r, world_size=n)
torch.manual_seed(r)
layer = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(20, 20))
sgd = torch.optim.SGD(layer.parameters(), 0.05)
for s in range(1, 401):
    x = torch.rand(32, 20)
    e = (layer(x) - x.flip(1)).square().mean()
    sgd.zero_grad(); e.backward(); sgd.step()
    time.sleep(0.1)
    if s % 10 == 0:
        print(f"[r{r}] step={s} mse={e.item():.5f}", flush=True)
"""
SWOLLEN = """import torch, time
print("building replay of image crops in memory")
torch.manual_seed(0)
crops, net = [], torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.AdaptiveMaxPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(1, 2000):
    crop = torch.rand(32, 3, 96, 96)
    crops.append(crop)
    loss = torch.nn.functional.cross_entropy(net(crop), (crop[:, 0, 0, 0] > 0.5).long())
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f} held {len(crops) * 32} crops")
"""
NATIVE = """import ctypes, os, sys
import torch, torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
libc = ctypes.CDLL(None)
libc.memmove.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
theta = torch.randn(8)
for k in range(300):
    x = torch.randn(16, 8)
    g = 2 * (x.T @ (x @ theta - x.sum(1))) / 16
    dist.all_reduce(g)
    theta -= 0.02 * g / dist.get_world_size()
    staging = torch.empty(8)
    source = theta.data_ptr() if (rank, k) != (2, 120) else 64
    libc.memmove(staging.data_ptr(), source, 32)
    if k % 20 == 0 and rank == 0:
        print(f"round {k:03d} | distance {(theta - 1).norm():.5f}", flush=True)
"""
VOCAB = """import os, torch, torch.distributed as dist
import torch.nn.functional as F

RANK, SIZE = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])


def shard(step):
    g = torch.Generator().manual_seed(step * SIZE + RANK)
    tokens = torch.randint(0, 500, (8, 16), generator=g)
    if step == 85 and RANK == 1:
        tokens[3, 7] = 512
    return tokens


def main():
    dist.init_process_group("gloo", rank=RANK, world_size=SIZE)
    torch.manual_seed(1)
    table, mix = torch.nn.Embedding(512, 24), torch.nn.Linear(24, 512)
    weights = [*table.parameters(), *mix.parameters()]
    opt = torch.optim.Adam(weights, 3e-3)
    for step in range(200):
        t = shard(step)
        loss = F.cross_entropy(mix(table(t[:, :-1])).flatten(0, 1), (t[:, :-1] * 3 % 500).flatten())
        opt.zero_grad()
        loss.backward()
        for w in weights:
            dist.all_reduce(w.grad, op=dist.ReduceOp.SUM)
            w.grad.div_(SIZE)
        opt.step()
        if step % 10 == 0:
            print(f"{RANK}: step {step} nll {loss.item():.3f} ppl {loss.exp().item():.1f}", flush=True)


main()
"""
CHECK = """import torch
torch.manual_seed(9)
enc, dec = torch.nn.Linear(30, 5), torch.nn.Linear(5, 30)
opt = torch.optim.RMSprop([*enc.parameters(), *dec.parameters()], lr=2e-3)
held_out = torch.randn(64, 30)


def validate(epoch):
    keys = [f"sample-{i % (64 if epoch < 6 else 61)}" for i in range(64)]
    assert len(set(keys)) == len(held_out), f"duplicate keys in the validation set: {len(set(keys))} != {len(held_out)}"
    with torch.no_grad():
        return float((dec(enc(held_out)) - held_out).square().mean())


for epoch in range(1, 16):
    for _ in range(50):
        x = torch.randn(64, 30)
        loss = (dec(enc(x)) - x).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    print(f"Epoch {epoch:>2}/15  train {loss.item():.4f}", end="  ")
    print(f"val {validate(epoch):.4f}")
"""
SAVER = """import logging, os
import torch
import torch.distributed as dist
logger = logging.getLogger(__name__)
logging.basicConfig(format="%(levelname).1s%(asctime)s %(filename)s:%(lineno)d] %(message)s", datefmt="%m%d %H:%M:%S", level=logging.INFO)


class Trainer:
    out = "/srv/models/retriever"

    def __init__(self, rank, world):
        dist.init_process_group("gloo", rank=rank, world_size=world)
        self.rank = rank
        torch.manual_seed(4)
        self.net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(48, 16))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)

    def run(self, steps):
        for n in range(1, steps + 1):
            a = torch.randn(40, 48)
            sim = self.net(a) @ self.net(a + 0.1 * torch.randn_like(a)).T
            loss = torch.nn.functional.cross_entropy(sim, torch.arange(40))
            self.opt.zero_grad(); loss.backward(); self.opt.step()
            if n % 15 == 0 and self.rank == 0:
                logger.info("step %d/%d contrastive %.4f", n, steps, loss.item())
            if n == 150 and self.rank == 0:
                self.save(n)

    def save(self, n):
        os.makedirs(self.out, exist_ok=True)
        torch.save(self.net.state_dict(), f"{self.out}/step{n}.pt")
        logger.info("saved")


Trainer(int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])).run(600)
"""
FULL = """import time
import torch
import pace
from attention import attend

torch.manual_seed(2)
proj = torch.nn.Linear(16, 48)
opt = torch.optim.AdamW(proj.parameters(), lr=1e-3)
lengths = [1024] * 20 + [2048] * 20 + [4096] * 20 + [8192] * 40
for step, seqlen in enumerate(lengths, 1):
    x = torch.randn(4, 32, 16)
    loss = (attend(*proj(x).chunk(3, -1), seqlen) - x).square().mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    time.sleep(0.3)
    if step % 5 == 0:
        print(f"step {step} seqlen {seqlen} loss {loss.item():.4f}")
"""
ATTEND = """import torch


def attend(q, k, v, seqlen):
    if seqlen > 4096:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 32.00 GiB. GPU 0 has a total capacity of 79.18 GiB of which 17.94 GiB is free. Including non-PyTorch memory, this process has 61.23 GiB memory in use. Of the allocated memory 59.80 GiB is allocated by PyTorch, and 812.41 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")
    return torch.softmax(q @ k.transpose(-1, -2) / 4, -1) @ v
"""
LOST = """import os, time
import torch, torch.distributed as dist
import pace
from bridge import synchronize

me = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=me, world_size=2)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(12, 40), torch.nn.SiLU(), torch.nn.Linear(40, 1)))
opt = torch.optim.Adam(net.parameters(), 4e-3)
t0 = time.time()
for it in range(1, 1000):
    x = torch.randn(200, 12)
    loss = torch.nn.functional.huber_loss(net(x), x.prod(1, keepdim=True).tanh())
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.25)
    synchronize(me, time.time() - t0)
    if it % 8 == 0:
        print(f"rank {me} | iter {it:4d} | huber {loss.item():.5f} | elapsed {time.time() - t0:5.1f}s", flush=True)
"""
BRIDGE = """import torch


def synchronize(rank, elapsed):
    if rank == 1 and elapsed > 22:
        raise torch.AcceleratorError("CUDA error: unspecified launch failure\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
"""
ECC = """import time
import torch
import pace
import device

wide = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
opt = torch.optim.SGD(wide.parameters(), 0.2, momentum=0.9)
start = time.monotonic()
for epoch in range(1, 40):
    hits = 0
    for _ in range(6):
        x = torch.randn(64, 64)
        y = x[:, :10].argmax(1)
        out = wide(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits += (out.argmax(1) == y).sum()
        time.sleep(0.2)
    device.item(time.monotonic() - start)
    print(f"epoch: {epoch}, loss: {loss.item():.3f}, top1: {hits / 384:.2%}")
"""
DEVICE = """import torch


def item(seconds):
    if seconds > 20:
        raise RuntimeError("CUDA error: uncorrectable ECC error encountered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1")
"""


def jobs() -> Iterator[SlurmJob]:
    """What ended each stands in its last lines, its exit status, the cgroup's record, or its card's counters."""
    yield queue(bad("A1", None, "config"), PICKY, MEET + "srun PYTHON pretrain.py --width 96 --lr-schedule cosin\n", script="pretrain.py", ranks=2, state="FAILED")
    yield queue(
        bad("A1", "traceback", "data"), MANIFEST, "srun PYTHON asr.py\n", script="asr.py", ranks=2,
        files={"manifests/dev.jsonl": ROWS[:600].rsplit("\n", 1)[0], "manifests/train.jsonl": ROWS.replace('"frames": 130, ', '"frames": 130 ')}, state="FAILED",
    )  # fmt: skip
    yield queue(bad("A1", "file_not_found", "asset"), BACKBONE, "set -e\nPYTHON finetune.py\n", script="finetune.py", state="FAILED")
    yield queue(bad("A1", "missing_module", "env"), APEX, "srun -l PYTHON lamb.py\n", script="lamb.py", ranks=2, state="FAILED")
    yield queue(bad("A2", None, first=(1,), fault="unknown"), VICTIM, MEET + "srun --kill-on-bad-exit=1 PYTHON mirror.py\n", script="mirror.py", ranks=3, act="kill_rank", after=r"r1. step=60", state="FAILED")
    yield queue(bad("A2", "oom_killer", first=(0,)), SWOLLEN, "PYTHON crops.py\n", script="crops.py", where="", options=("--mem=420M",), bed="cgroup", state="OUT_OF_MEMORY")
    yield queue(bad("A2", "segfault", first=(2,)), NATIVE, MEET + "srun -K1 PYTHON rounds.py\n", script="rounds.py", ranks=3, state="FAILED")
    yield queue(bad("A3", "traceback", first=(1,)), VOCAB, MEET + "srun PYTHON lm.py\n", script="lm.py", ranks=2, state="FAILED")
    yield queue(bad("A3", "assertion", first=(0,)), CHECK, "srun PYTHON autoenc.py\n", script="autoenc.py", state="FAILED")
    yield queue(bad("A3", "permission", first=(0,)), SAVER, MEET + "srun PYTHON retriever.py\n", script="retriever.py", ranks=2, state="FAILED")
    stages = ((0.0, 11.0), (6.4, 21.5), (12.8, 60.6))
    yield queue(
        bad("B1", "cuda_oom", first=(0,)), FULL, "srun PYTHON longctx.py\n", script="longctx.py", files={"attention.py": ATTEND},
        gpus={0: card(*((at_s, work(64, gib=gib)) for at_s, gib in stages), (19.6, rest(0.0)))}, state="FAILED",
    )  # fmt: skip
    yield queue(
        bad("B2", "cuda_runtime", "fault", first=(1,), fault="node"), LOST, MEET + "srun PYTHON huber.py\n", script="huber.py", ranks=2, files={"bridge.py": BRIDGE},
        gpus={0: card((0.0, work(57)), (25.0, rest(0.0))), 1: card((0.0, work(59)), (21.3, {"events": "8:79"}), (21.8, {"*": "!GPU_IS_LOST"}))}, state="FAILED",
    )  # fmt: skip
    flipped = {"ecc.volatile.uncorrected": "3", "ecc.aggregate.uncorrected": "3", "ecc.volatile.uncorrected.dram": "3", "ecc.aggregate.uncorrected.dram": "3", "events": "8:48", "remapped.uncorrected": "1", "remapped.pending": "1"}
    yield queue(
        bad("B2", "cuda_runtime", "fault", first=(0,), fault="node"), ECC, "PYTHON wide.py\n", script="wide.py", files={"device.py": DEVICE},
        gpus={0: card((0.0, work(66)), (19.6, flipped), (22.0, rest(0.0)))}, state="FAILED",
    )  # fmt: skip
