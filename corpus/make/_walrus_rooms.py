"""Jobs that want more of the card's memory than it has, at one point or another; some get by."""

from __future__ import annotations

from corpus.make._magpie_kit import ran
from corpus.make._walrus_halls import DOCUMENTS, DROPPED, LARGE, LIT, REPLAY
from corpus.make._walrus_heads import HEAD

BUILD = r"""
import logging
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)s | %(message)s", datefmt="%H:%M:%S")
free, total = torch.cuda.mem_get_info()
logging.info("%s, %.1f of %.1f GiB free", torch.cuda.get_device_name(), free / 2**30, total / 2**30)
torch.set_default_device("cuda")
torch.set_default_dtype(torch.bfloat16)
D, FF, LAYERS = 8192, 28672, 160
layers = nn.ModuleList()
for i in range(LAYERS):
    layers.append(nn.ModuleDict({"q": nn.Linear(D, D, bias=False), "o": nn.Linear(D, D, bias=False), "up": nn.Linear(D, FF, bias=False), "down": nn.Linear(FF, D, bias=False)}))
    if i % 8 == 0:
        logging.info("layer %d of %d, %.2f B parameters", i, LAYERS, sum(p.numel() for p in layers.parameters()) / 1e9)
opt = torch.optim.SGD(layers.parameters(), 1e-4)
logging.info("ready to train")
"""

# Weights and gradients fit; the optimiser's two moments in single precision do not: refused in the first optimizer step.
MOMENTS = HEAD + r"""
torch.manual_seed(0)
free = torch.cuda.mem_get_info()[0]
D = 16384
n = int(free * 0.40 / (4 * D * D))
tower = nn.Sequential(*(nn.Linear(D, D, bias=False, device="cuda") for _ in range(n)))
print(f"{n} layers, {sum(p.numel() for p in tower.parameters()) / 1e9:.2f}B params, {torch.cuda.memory_allocated() / 2**30:.1f} GiB")
opt = torch.optim.AdamW(tower.parameters(), lr=1e-4, foreach=False)
for step in range(1, 101):
    x = torch.randn(4, D, device="cuda")
    loss = F.mse_loss(tower(x), x)
    print(f"step {step} loss {loss.item():.4f} ({torch.cuda.memory_allocated() / 2**30:.1f} GiB after forward)", flush=True)
    loss.backward()
    opt.step()
    opt.zero_grad()
print("done")
"""

# Batches of growing length; the long one is too much in the backward pass, after logged steps.
BACKWARD = HEAD + r"""
torch.manual_seed(1)
dev = torch.device("cuda")
emb = nn.Embedding(32000, 1024, device=dev)
block = nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, device=dev)
head = nn.Linear(1024, 32000, device=dev)
params = [*emb.parameters(), *block.parameters(), *head.parameters()]
opt = torch.optim.AdamW(params, 1e-4)
free = torch.cuda.mem_get_info()[0]
lengths = [512] * 14 + [int(free / 32000 / 4 / 8 * 0.35)]
for i, n in enumerate(lengths):
    ids = torch.randint(32000, (8, n), device=dev)
    logits = head(block(emb(ids)))
    loss = F.cross_entropy(logits.view(-1, 32000), ids.roll(-1, 1).view(-1))
    if i % 2 == 0 or n > 512:
        print(f"[{i:03d}] tokens/seq={n} loss={loss.item():.3f} mem={torch.cuda.memory_allocated() >> 20} MiB", flush=True)
    loss.backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
"""

# Trains well; the evaluation keeps every output on the card until it is full.
EVALUATION = HEAD + r"""
import time

torch.manual_seed(2)
net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1)).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for epoch in range(3):
    t = time.time()
    for _ in range(25):
        x = torch.rand(16, 3, 128, 128, device="cuda")
        loss = (net(x)[:, :3] - x).abs().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    print(f"epoch {epoch} train L1 {loss.item():.4f} in {time.time() - t:.2f}s")
    if epoch < 2:
        continue
    print("running the full-resolution evaluation")
    maps, errors = [], []
    for image in range(400):
        with torch.no_grad():
            x = torch.rand(1, 3, 2048, 2048, device="cuda")
        y = net(x)
        maps.append(y)
        errors.append((y[:, :3] - x).abs().mean().item())
        if image % 10 == 0:
            print(f"  eval image {image}/400 L1 {errors[-1]:.4f}", flush=True)
    print("eval L1", sum(errors) / len(errors))
"""

# Losses are kept with their graphs: each step holds more, until the card is full at step some hundred.
LEAK = r"""
import sys
import torch

dev = "cuda"
torch.manual_seed(4)
net = torch.nn.LSTM(512, 2048, 2, batch_first=True).to(dev)
out = torch.nn.Linear(2048, 512).to(dev)
opt = torch.optim.SGD([*net.parameters(), *out.parameters()], 0.02)
total_loss = 0
for step in range(1, 4001):
    x = torch.randn(64, 96, 512, device=dev)
    h, _ = net(x)
    pred = out(h)
    loss = (pred[:, :-1] - x[:, 1:]).square().mean()
    reg = pred.abs().mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
    total_loss = total_loss + reg
    if step % 5 == 0:
        sys.stderr.write(f"step {step}: mse {loss.item():.4f}, cuda memory {torch.cuda.memory_allocated() / 1e9:.2f} GB\n")
"""

# Reserved and unallocated memory in pieces: the last, large request fits nowhere.
PIECES = HEAD + r"""
torch.manual_seed(7)
free = torch.cuda.mem_get_info()[0]
net = nn.Linear(4096, 4096).cuda()
opt = torch.optim.SGD(net.parameters(), 0.01)
piece = 96 << 20
cache = []
for step in range(1, 61):
    x = torch.randn(64, 4096, device="cuda")
    loss = (net(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    want = int(free * 0.93 * step / 60) // piece
    while len(cache) < want:
        cache.append(torch.empty(piece, dtype=torch.uint8, device="cuda"))
    if step % 6 == 0:
        print(f"step {step:2d}/200  loss {loss.item():.4f}  cached blocks {len(cache)}  reserved {torch.cuda.memory_reserved() / 2**30:.1f} GiB", flush=True)
cache = cache[::2]
print(f"evicted every other block: allocated {torch.cuda.memory_allocated() / 2**30:.1f} GiB, reserved {torch.cuda.memory_reserved() / 2**30:.1f} GiB", flush=True)
pins = [torch.empty(4 << 20, dtype=torch.uint8, device="cuda") for _ in range(len(cache))]
for step in range(61, 201):
    big = torch.empty(int(free * 0.55), dtype=torch.uint8, device="cuda")
    print(f"step {step:2d}/200  second stage, buffer of {big.numel() / 2**30:.1f} GiB", flush=True)
"""

# JAX without preallocation limits: a cross product of 140 GB at step 3 of the second stage.
JAX = r"""
import logging
import time
import jax
import jax.numpy as jnp
from jax import random

logging.basicConfig(level=logging.WARNING)
print(f"{time.strftime('%X')} backend={jax.default_backend()} local devices={jax.local_device_count()}", flush=True)


def kernel(x):
    d = ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)
    return jnp.exp(-d / x.shape[1])


@jax.jit
def sgd(w, x, y):
    def loss(w):
        k = kernel(x * w)
        k = k / k.sum(1, keepdims=True)
        return jnp.mean((k @ y - y) ** 2)
    value, g = jax.value_and_grad(loss)(w)
    return w - 0.5 * g, value


w = jnp.ones(16)
for n in (1000, 4000, 260_000):
    x = random.normal(random.key(n), (n, 16))
    y = jnp.sin(x[:, 0]) + x[:, 1]
    print(f"{time.strftime('%X')} n={n}", flush=True)
    for i in range(20):
        w, value = sgd(w, x, y)
        if i % 5 == 0:
            print(f"{time.strftime('%X')}   it {i:2d} loss {value:.5f}", flush=True)
"""

# CuPy: the Gram matrix of the whole set.
CUPY = r"""
import time
import cupy as cp

rng = cp.random.default_rng(0)
free, total = cp.cuda.runtime.memGetInfo()
print("free %.1f GB of %.1f GB" % (free / 1e9, total / 1e9))
for n in (2_000, 8_000, 24_000, 72_000, 216_000):
    t = time.time()
    x = rng.standard_normal((n, 20), dtype=cp.float32)
    y = cp.sign(x[:, 0] * x[:, 1])
    gram = (1 + x @ x.T) ** 2
    alpha = cp.zeros(n, cp.float32)
    for sweep in range(5):
        margin = y * (gram @ (alpha * y))
        alpha = cp.maximum(0, alpha + (1 - margin) / gram.diagonal().max() * 0.2)
    print(f"n={n:>7d}: hinge {float(cp.maximum(0, 1 - margin).mean()):.4f}  pool {cp.get_default_memory_pool().used_bytes() / 1e9:.2f} GB  {time.time() - t:.2f} s", flush=True)
"""

# Too large a batch is refused by the whole card and found smaller by the program: a good run with tracebacks.
FINDER = HEAD + r"""
import gc
import traceback

torch.manual_seed(5)
net = nn.Sequential(nn.Conv2d(3, 128, 3, padding=1), nn.GELU(), nn.Conv2d(128, 128, 3, padding=1), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 8)).cuda()
opt = torch.optim.AdamW(net.parameters(), 2e-3)


def update(n):
    y = torch.randint(8, (n,), device="cuda")
    x = torch.rand(n, 3, 64, 64, device="cuda") * 0.5
    x[torch.arange(n), y % 3] += (y // 3 + 1)[:, None, None] * 0.25
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


batch = 131072
while True:
    try:
        update(batch)
    except torch.cuda.OutOfMemoryError:
        traceback.print_exc()
        print(f"batch_size={batch} does not fit into memory, trying {batch // 4}", flush=True)
        batch //= 4
        gc.collect()
        torch.cuda.empty_cache()
    else:
        break
print(f"scaled batch size: {batch}; training with micro-batches of 256")
for step in range(1, 181):
    loss = update(256)
    if step % 20 == 0:
        print(f"step {step}/180 loss {loss:.4f} max mem {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB", flush=True)
print("Training finished")
"""

# Nearly the whole card is in use from the first step to the last, as planned: large, and good.
JOBS = {
    "build": ran("B1", BUILD, cause="cuda_oom", script="pretrain_70b.py"),
    "evaluation": ran("B1", EVALUATION, cause="cuda_oom", script="restore.py"),
    "finder": ran("G1", FINDER, hard=True, script="scale_batch.py"),
    "moments": ran("B1", MOMENTS, cause="cuda_oom", script="tower.py"),
    "jax": ran("B1", JAX, cause="cuda_oom", script="kernel_reg.py"),
    "backward": ran("B1", BACKWARD, cause="cuda_oom", script="packed.py"),
    "cupy": ran("B1", CUPY, cause="cuda_oom", script="svm.py"),
    "dropped": ran("G1", DROPPED, hard=True, script="probe.py"),
    "leak": ran("B1", LEAK, cause="cuda_oom", script="lstm.py"),
    "documents": ran("B1", DOCUMENTS, cause="cuda_oom", script="neox.py"),
    "large": ran("G1", LARGE, script="wide.py"),
    "pieces": ran("B1", PIECES, cause="cuda_oom", script="two_stage.py"),
    "lit": ran("B1", LIT, cause="cuda_oom", script="volumes.py"),
    "replay": ran("B1", REPLAY, cause="cuda_oom", script="dqn.py"),
}
