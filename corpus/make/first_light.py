"""A few jobs on a real GPU, each under half a minute: what such a machine can show at all."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.environments import CARD
from corpus.running.job import LocalJob, Recipe, SlurmJob

SEGMENTER = """
import time

import torch
from torch import nn

device = torch.device("cuda", 0)


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Segmenter(nn.Module):
    def __init__(self, width=64, classes=5):
        super().__init__()
        self.body = nn.Sequential(block(3, width), block(width, width), block(width, 2 * width), nn.Conv2d(2 * width, classes, 1))

    def forward(self, x):
        return self.body(x)


def main():
    torch.manual_seed(3)
    net = Segmenter().to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    lossf = nn.CrossEntropyLoss()
    side, batch = 128, 16
    for it in range(1, 400):
        if it % 25 == 0:
            side *= 2
        x = torch.randn(batch, 3, side, side, device=device)
        y = torch.randint(0, 5, (batch, side, side), device=device)
        loss = lossf(net(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if it % 5 == 0:
            print(f"iter {it}/400 side {side} loss {loss.item():.4f} mem {torch.cuda.memory_allocated() / 2**30:.2f} GiB", flush=True)


main()
"""

RANKER = """
import sys
import torch

dev = "cuda"
torch.manual_seed(11)
users, items = torch.nn.Embedding(5000, 64).to(dev), torch.nn.Embedding(900, 64).to(dev)
bias = torch.zeros(900)
opt = torch.optim.Adam([*users.parameters(), *items.parameters()], lr=0.01)
for step in range(1, 301):
    u, i = torch.randint(0, 5000, (512,), device=dev), torch.randint(0, 900, (512,), device=dev)
    want = torch.randn(512, device=dev)
    score = (users(u) * items(i)).sum(1)
    if step > 180:
        score = score + bias[i]
    loss = (score - want).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(f"step {step:4d} | loss {loss.item():.3f}", file=sys.stderr, flush=True)
"""

TAGGER = """
import torch
import torch.nn.functional as F

torch.manual_seed(0)
dev = torch.device("cuda")
table = torch.nn.Embedding(32000, 128).to(dev)
head = torch.nn.Linear(128, 17).to(dev)
opt = torch.optim.SGD([*table.parameters(), *head.parameters()], lr=0.1)
for epoch in range(1, 9):
    total = 0.0
    for _ in range(60):
        ids = torch.randint(0, 32000, (64, 40), device=dev)
        tags = ids % 17
        if epoch == 5 and _ == 33:
            ids[7, 21] = 32000
        loss = F.cross_entropy(head(table(ids)).flatten(0, 1), tags.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print(f"Epoch {epoch}/8 - train_loss: {total / 60:.4f}", flush=True)
"""

STENCIL = """
import time
import cupy as cp

src = r'''
extern "C" __global__ void relax(const float* a, float* b, int n, long long shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) b[i + shift] = 0.5f * a[i] + 0.25f * (a[i - 1] + a[i + 1]);
}
'''
relax = cp.RawKernel(src, "relax")
n = 1 << 22
a, b = cp.random.rand(n, dtype=cp.float32), cp.zeros(n, dtype=cp.float32)
for sweep in range(1, 601):
    shift = 0 if sweep < 420 else sweep * (1 << 34)
    relax(((n + 255) // 256,), (256,), (a, b, cp.int32(n), cp.int64(shift)))
    a, b = b, a
    if sweep % 50 == 0:
        print(f"sweep {sweep}/600 residual {float(cp.abs(a - b).mean()):.6f}", flush=True)
print("done")
"""

SECOND_DEVICE = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args()
print(f"torch {torch.__version__}, using cuda:{args.gpu}", flush=True)
torch.cuda.set_device(args.gpu)
net = torch.nn.Linear(8, 8).cuda()
for step in range(10):
    print(step, net(torch.ones(1, 8).cuda()).sum().item())
"""

MIXED = """
import logging
import os
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("fit")
torch.manual_seed(5)
net = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 2048), nn.GELU(), nn.Linear(2048, 10)).cuda()
opt = torch.optim.AdamW(net.parameters(), lr=2e-4)
scaler = torch.amp.GradScaler("cuda")
centres = torch.randn(10, 512, device="cuda")
for epoch in range(1, 7):
    hits = seen = 0
    for _ in range(200):
        y = torch.randint(0, 10, (1024,), device="cuda")
        x = centres[y] + 0.9 * torch.randn(1024, 512, device="cuda")
        with torch.autocast("cuda", dtype=torch.float16):
            out = net(x)
            loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        hits += (out.argmax(1) == y).sum().item()
        seen += 1024
    log.info("epoch %d/6 loss %.4f acc %.4f scale %g", epoch, loss.item(), hits / seen, scaler.get_scale())
os.makedirs("ckpt", exist_ok=True)
torch.save(net.state_dict(), "ckpt/last.pt")
log.info("saved ckpt/last.pt")
"""

PAIR = """
import os
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).cuda(), device_ids=[0])
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(1, 101):
    loss = net(torch.randn(64, 256, device="cuda")).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if rank == 0 and step % 10 == 0:
        print(f"step {step}/100 loss {loss.item():.4f}", flush=True)
dist.destroy_process_group()
"""

JITTED = """
import jax
import jax.numpy as jnp
import optax

print("devices:", jax.devices(), flush=True)
key = jax.random.key(0)
w = {"a": 0.05 * jax.random.normal(key, (256, 512)), "b": 0.05 * jax.random.normal(key, (512, 1))}
truth = jax.random.normal(jax.random.key(9), (256, 1))
tx = optax.adam(1e-3)
state = tx.init(w)


@jax.jit
def update(w, state, key):
    x = jax.random.normal(key, (1024, 256))

    def loss(w):
        return jnp.mean((jnp.tanh(x @ w["a"]) @ w["b"] - jnp.tanh(x @ truth / 16)) ** 2)

    value, grads = jax.value_and_grad(loss)(w)
    changes, state = tx.update(grads, state)
    return optax.apply_updates(w, changes), state, value


for step in range(1, 2001):
    key, now = jax.random.split(key)
    w, state, value = update(w, state, now)
    if step % 200 == 0:
        print(f"[{step:>5}/2000] loss={float(value):.5f}", flush=True)
print("finished", flush=True)
"""

STEADY = """
import time
import torch

torch.manual_seed(1)
layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, device="cuda", dtype=torch.bfloat16)
net = torch.nn.Sequential(layer, torch.nn.Linear(1024, 1024, device="cuda", dtype=torch.bfloat16))
opt = torch.optim.AdamW(net.parameters(), lr=1e-4)
began = time.time()
step = 0
while time.time() - began < 24:
    x = torch.randn(32, 512, 1024, device="cuda", dtype=torch.bfloat16)
    loss = (net(x) - x).float().square().mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    step += 1
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f} {step * 32 * 512 / (time.time() - began):.0f} tok/s", flush=True)
torch.save(net.state_dict(), "last.pt")
print(f"done after {step} steps, saved last.pt", flush=True)
"""

HUNGRY = """
import time
import torch


class Shards(torch.utils.data.IterableDataset):
    def __iter__(self):
        for number in range(40):
            time.sleep(0.5)  # decodes a shard
            yield torch.randn(4096, 2048)


torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(2048, 8192), torch.nn.ReLU(), torch.nn.Linear(8192, 2048)).cuda()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for step, x in enumerate(torch.utils.data.DataLoader(Shards(), batch_size=None), 1):
    x = x.cuda()
    until = time.time() + 0.2
    while time.time() < until:
        loss = (net(x) - x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        torch.cuda.synchronize()
    if step % 4 == 0:
        print(f"batch {step}/40 loss {loss.item():.4f}", flush=True)
print("training finished", flush=True)
"""


def run(label: Label, text: str, *words: str, status: int | None = 1, env: dict[str, str] | None = None, launch: tuple[str, ...] = ("PYTHON", "train.py")) -> LocalJob:
    """One script under gpualert-run."""
    return LocalJob(label, {"train.py": text}, (*launch, *words), CARD, env=env or {}, ends=lambda code: code == status)


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """Memory that runs out, devices mixed up, an assert and a fault on the device, a device that is not there, NCCL; good runs; a card kept busy, and one that waits for data."""
    first = {"failed_ranks": (0,), "first_ranks": (0,)}
    yield run(Label("B1", "cuda_oom", **first), SEGMENTER)  # type: ignore[arg-type]
    yield run(Label("A3", "device_mismatch", **first), RANKER)  # type: ignore[arg-type]
    yield run(Label("A3", "cuda_runtime", **first), TAGGER)  # type: ignore[arg-type]
    yield run(Label("A3", "cuda_runtime", **first), STENCIL)  # type: ignore[arg-type]
    yield run(Label("A1", "cuda_runtime", "config", **first), SECOND_DEVICE, "--gpu", "1")  # type: ignore[arg-type]
    yield run(Label("G1", fault="none"), MIXED, status=0)
    yield run(Label("A1", "nccl", "config"), PAIR, launch=("PYTHON", "-m", "torch.distributed.run", "--nproc-per-node=2", "--master-port=PORT", "train.py"))
    yield run(Label("G1", fault="none"), JITTED, status=0, env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
    for label, text in ((Label("G1", fault="none"), STEADY), (Label("D1"), HUNGRY)):
        yield SlurmJob(label, {"train.py": text}, "#!/bin/bash\nsrun PYTHON -u train.py\n", ("-n1", "-c8", "--gres=gpu:1", "--time=3"), CARD, state="COMPLETED", bed="card")


RECIPE = Recipe("first_light", "development", jobs)
