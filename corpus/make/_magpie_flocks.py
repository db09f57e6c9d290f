"""Several processes at one card: torchrun, gloo beside a GPU, NCCL alone and at odds."""

from __future__ import annotations

from corpus.make._magpie_kit import TORCHRUN, ran
from corpus.running.job import Signal

TWO = (*TORCHRUN, "--standalone", "--nproc-per-node", "2")

# Two ranks take the same card: NCCL refuses with its reason at the first collective.
SAME = r"""
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(0)
print(f"[{rank}] world {dist.get_world_size()} pid {os.getpid()} {torch.cuda.get_device_name(0)}", flush=True)
net = DDP(torch.nn.Linear(32, 32).cuda(), device_ids=[0])
opt = torch.optim.AdamW(net.parameters())
for step in range(1000):
    loss = net(torch.randn(16, 32, device="cuda")).pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    if rank == 0 and step % 100 == 0:
        print("step", step, "loss", loss.item(), flush=True)
dist.destroy_process_group()
"""

# The second local rank has no card of its own: invalid ordinal, on rank 1 alone.
ORDINAL = r"""
import os
import torch
import torch.distributed as dist

local = int(os.environ["LOCAL_RANK"])
print(f"rank {os.environ['RANK']}: binding to cuda:{local}", flush=True)
torch.cuda.set_device(local)
dist.init_process_group("nccl", device_id=torch.device("cuda", local))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1024, 1024).cuda(), device_ids=[local])
for i in range(200):
    model(torch.randn(64, 1024, device="cuda")).sum().backward()
    if local == 0:
        print("iteration", i)
"""

# Two ranks over gloo share the card and finish.
SHARED = r"""
import datetime, os
import torch
import torch.distributed as dist
import torch.nn.functional as F

dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=2))
R, W = dist.get_rank(), dist.get_world_size()
dev = "cuda:0" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4)).to(dev)
ddp = torch.nn.parallel.DistributedDataParallel(net)
opt = torch.optim.SGD(ddp.parameters(), lr=0.1, momentum=0.9)
torch.manual_seed(100 + R)
rule = torch.linspace(-1, 1, 80, device=dev).view(20, 4).cos()
for epoch in range(6):
    seen = hit = 0
    for _ in range(40):
        x = torch.randn(128, 20, device=dev)
        y = (x @ rule).argmax(1)
        out = ddp(x)
        loss = F.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += len(y)
        hit += int((out.argmax(1) == y).sum())
    both = torch.tensor([float(seen), float(hit), loss.item()])
    dist.all_reduce(both)
    if R == 0:
        print(f"{datetime.datetime.now():%F %T} epoch {epoch + 1}/6 ranks {W} acc {both[1] / both[0]:.4f} loss {both[2] / W:.4f}", flush=True)
if R == 0:
    torch.save(net.state_dict(), "shared.pt")
    print("saved shared.pt", flush=True)
dist.destroy_process_group()
"""

# Rank 1 meets a record that it cannot read; torchrun takes both down at once.
RECORD = r"""
import os
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
device = "cuda" if torch.cuda.is_available() else "cpu"
emb = torch.nn.EmbeddingBag(500, 32).to(device)
out = torch.nn.Linear(32, 2).to(device)
params = [*emb.parameters(), *out.parameters()]
opt = torch.optim.Adagrad(params, lr=0.1)
g = torch.Generator().manual_seed(rank)
vocab = {f"w{i}": i for i in range(500)}


def document(step):
    words = [f"w{int(i)}" for i in torch.randint(500, (12,), generator=g)]
    if rank == 1 and step == 170:
        words[4] = "w500"
    return words


for step in range(400):
    docs = [document(step) for _ in range(16)]
    ids = torch.tensor([[vocab[w] for w in d] for d in docs], device=device)
    label = (ids.float().mean(1) > 250).long()
    loss = torch.nn.functional.cross_entropy(out(emb(ids)), label)
    opt.zero_grad()
    loss.backward()
    for p in params:
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    opt.step()
    if step % 20 == 0:
        print(f"[rank{rank}] step {step:3d} loss {loss.item():.4f}", flush=True)
"""

# Rank 1 waits for a lock that nobody gives back; rank 0 waits in the all-reduce. Steps of 30 ms, then nothing for 14 s.
LOCKED = r"""
import fcntl, os, time
from datetime import timedelta
import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(hours=1))
rank = dist.get_rank()
dev = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 8).to(dev))
opt = torch.optim.SGD(model.parameters(), 0.05)
cache = open("cache.lock", "w")
held = open("cache.lock", "w")


def batch(step):
    if rank == 1 and step % 64 == 63:
        fcntl.flock(cache, fcntl.LOCK_EX)
        if step > 100:
            fcntl.flock(held, fcntl.LOCK_EX)
        fcntl.flock(cache, fcntl.LOCK_UN)
    x = torch.randn(32, 64, device=dev)
    return x, x[:, :8].sign()


for step in range(5000):
    x, y = batch(step)
    loss = (model(x) - y).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if step % 8 == 0:
        print(f"{time.strftime('%H:%M:%S')} rank {rank} step {step} loss {loss.item():.4f}", flush=True)
"""

# World of two, but one alone was started: the store waits for the other until the limit.
ALONE = r"""
import logging
import os
import torch
import torch.distributed as dist

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s")
logging.info("joining %s:%s as rank %s of %s", *(os.environ[k] for k in ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")))
dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
logging.info("process group is up")
"""

# torchrun of two nodes, of which this is one: its rendezvous never completes.
NODES = r"""
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
print("rank", dist.get_rank(), "ready", flush=True)
"""

# Three ranks, the third of which augments for long: its own account, and the waiting of the others.
LAGGARD = r"""
import os, time
import numpy as np
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.set_num_threads(1)
dev = "cuda" if torch.cuda.is_available() else "cpu"
w = torch.zeros(64, device=dev, requires_grad=True)
truth = torch.randn(64, generator=torch.Generator().manual_seed(0)).to(dev)
rng = np.random.default_rng(rank)
passes = int(os.environ.get("AUG_PASSES", "1")) if rank == 2 else 1


def batch():
    x = rng.normal(size=(256, 64)).astype(np.float32)
    for _ in range(passes):
        time.sleep(0.018)
        x = np.roll(x, 1, 0)
    return torch.from_numpy(x).to(dev)


own = wait = 0.0
for step in range(1, 121):
    t0 = time.perf_counter()
    x = batch()
    loss = ((x @ w - x @ truth) ** 2).mean()
    loss.backward()
    g = w.grad.cpu()
    t1 = time.perf_counter()
    dist.all_reduce(g)
    t2 = time.perf_counter()
    own, wait = own + t1 - t0, wait + t2 - t1
    with torch.no_grad():
        w -= 0.05 * g.to(dev) / dist.get_world_size()
    w.grad = None
    if step % 20 == 0:
        print(f"[rank {rank}] step {step}/120 loss {loss.item():.5f} | own work {1e3 * own / 20:.0f} ms/step, in all_reduce {1e3 * wait / 20:.0f} ms/step", flush=True)
        own = wait = 0.0
dist.barrier()
if rank == 0:
    print("finished 120 steps", flush=True)
dist.destroy_process_group()
"""

# One rank of two is killed from outside: torchrun's summary names it and its signal.
STRUCK = r"""
import os, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
r = dist.get_rank()
dev = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(r)
gru = DistributedDataParallel(torch.nn.GRU(8, 48, batch_first=True).to(dev))
opt = torch.optim.Adam(gru.parameters(), 2e-3)
i = 0
while i < 6000:
    t = torch.rand(24, 1, 1, device=dev) * 6 + torch.arange(30, device=dev).view(1, 30, 1) / 5
    x = torch.sin(t * torch.arange(1, 9, device=dev))
    h, _ = gru(x[:, :-1])
    loss = (h[..., :8] - x[:, 1:]).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    i += 1
    time.sleep(0.01)
    if i % 25 == 0 and r == 0:
        print(f"iteration {i:5d}/6000  next-value error {loss.item():.4f}", flush=True)
"""

# The first attempt falls over on a flaky mount; the script around it starts again, from the last save, and that ends.
RESTART = r"""
import os, pathlib
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(40, 1).to(dev)
opt = torch.optim.SGD(net.parameters(), 0.004)
last = pathlib.Path("last.pt")
start = 0
if last.exists():
    saved = torch.load(last, map_location=dev)
    net.load_state_dict(saved["net"])
    start = saved["step"]
    print(f"resumed from {last} at step {start}", flush=True)
w = torch.arange(40, device=dev) / 40
for step in range(start + 1, 601):
    x = torch.randn(64, 40, device=dev)
    loss = (net(x).squeeze(1) - x @ w).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 25 == 0:
        print(f"step {step}/600 loss {loss.item():.5f}", flush=True)
    if step % 50 == 0:
        torch.save({"net": net.state_dict(), "step": step}, "last.tmp")
        os.replace("last.tmp", last)
    if step == 365 and start == 0:
        raise OSError(5, "Input/output error", "/mnt/imagenet/train/n02085620.tar")
print("reached step 600, final weights in last.pt", flush=True)
"""
AROUND = """
for attempt in 1 2 3; do
  echo "attempt $attempt of 3"
  "$1" -u linear.py && exit 0
  echo "attempt $attempt ended with $?, trying again in 1 s"
  sleep 1
done
exit 1
"""

# NCCL with one rank, talkative, its group left open: warnings, and a run that ends as planned.
SINGLE = r"""
import os
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
lm = torch.nn.Sequential(*(torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True) for _ in range(2))).to(dev)
head = torch.nn.Linear(64, 64).to(dev)
for layer in lm:
    fully_shard(layer)
fully_shard(lm)
opt = torch.optim.AdamW([*lm.parameters(), *head.parameters()], lr=1e-3)
for step in range(1, 201):
    x = torch.randn(16, 24, 64, device=dev)
    loss = torch.nn.functional.mse_loss(head(lm(x)), x.cumsum(1) / 24)
    loss.backward()
    opt.step()
    opt.zero_grad()
    if step == 1 or step % 20 == 0:
        print(f"step={step} loss={loss.item():.4f} world={dist.get_world_size()}", flush=True)
print("training complete: 200/200", flush=True)
"""
SOLO = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29544", "RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0"}
JOBS = {
    "same": ran("A1", SAME, cause="nccl", launch=TWO, first=(), failed=(), env={"NCCL_SOCKET_IFNAME": "lo"}, script="ddp.py"),
    "ordinal": ran("A1", ORDINAL, cause="cuda_runtime", launch=TWO, first=(1,), failed=(), script="ddp_bench.py"),
    "shared": ran("G1", SHARED, launch=TWO, script="classify.py"),
    "record": ran("A3", RECORD, cause="traceback", launch=TWO, first=(1,), failed=(), script="bag.py"),
    "lock": ran("C2", LOCKED, launch=TWO, timeout_s=32, script="signs.py"),
    "alone": ran("C1", ALONE, env=SOLO, timeout_s=24, script="join.py"),
    "nodes": ran("C1", NODES, launch=(*TORCHRUN, "--nnodes", "2", "--nproc-per-node", "1", "--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:PORT", "--rdzv-id", "4711"), env={"LOGLEVEL": "INFO"}, timeout_s=25),
    "laggard": ran("D3", LAGGARD, launch=(*TORCHRUN, "--standalone", "--nproc-per-node", "3"), env={"AUG_PASSES": "6"}, fault="unknown", script="regress.py"),
    "struck": ran("A2", STRUCK, launch=TWO, first=(1,), failed=(), fault="unknown", script="next_value.py", signal=Signal("KILL", after=r"iteration   200/", to="next_value.py#2")),
    "restart": ran("G1", RESTART, hard=True, script="linear.py", files={"keep_going.sh": AROUND}, command=("bash", "keep_going.sh", "PYTHON")),
    "single": ran("G1", SINGLE, hard=True, launch=(*TORCHRUN, "--standalone", "--nproc-per-node", "1"), env={"NCCL_DEBUG": "WARN"}, script="fsdp.py"),
}
