"""Work with PyTorch on the CPU that was slow: it waited for its input, its saves, its wires or one of its own."""

from corpus.make._crate import crate

RESAMPLE = r'''
import logging
import time

import torch
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s,%(msecs)03d | %(message)s", datefmt="%m-%d %H:%M:%S")
log = logging.getLogger("vad")


class Calls(Dataset):
    """Phone calls, 44.1 kHz on the share, resampled by the reader at each access."""

    def __len__(self):
        return 288

    def __getitem__(self, k):
        g = torch.Generator().manual_seed(k)
        time.sleep(0.075)
        y = k % 2
        return torch.randn(160, generator=g) * (0.4 + 0.8 * y), float(y)


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Unflatten(1, (1, 160)), torch.nn.Conv1d(1, 8, 9, stride=4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(304, 1))
opt = torch.optim.Adam(net.parameters(), 4e-3)
loader = DataLoader(Calls(), batch_size=24, shuffle=True, num_workers=1)
log.info("one reader process, %d batches an epoch", len(loader))
it = 0
for epoch in range(1, 3):
    t0 = time.time()
    for x, y in loader:
        t1 = time.time()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y.float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        t2 = time.time()
        it += 1
        log.info("it %02d/24 | loss %.4f | waited for loader %.2f s | model %.3f s | utilisation %.1f %%", it, loss.item(), t1 - t0, t2 - t1, 100 * (t2 - t1) / (t2 - t0))
        t0 = time.time()
    log.info("epoch %d/2 over", epoch)
log.info("finished")
'''

DDPSAVES = r'''
import json
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
cfg = {"max_iters": 40, "ckpt_interval": 2, "out_dir": "ckpts", "params": 0}
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(512, 1500), torch.nn.GELU(), torch.nn.Linear(1500, 512)))
cfg["params"] = sum(p.numel() for p in net.parameters())
opt = torch.optim.AdamW(net.parameters(), 1e-3)
torch.manual_seed(rank)
mix = torch.randn(20, 512) / 4
if rank == 0:
    os.makedirs(cfg["out_dir"])
    print("CONFIG", json.dumps(cfg), flush=True)


def save(it):
    """Weights, optimiser and an averaged copy, each file synced to the shared file system."""
    t, size = time.time(), 0
    for name, what in (("model", net.state_dict()), ("optim", opt.state_dict()), ("ema", net.state_dict()), ("backup", opt.state_dict())):
        path = f"{cfg['out_dir']}/{name}.pt"
        with open(path, "wb") as f:
            torch.save(what, f)
            f.flush()
            os.fsync(f.fileno())
        size += os.path.getsize(path)
        time.sleep(0.25)
    return size, time.time() - t


start, saving = time.time(), 0.0
for it in range(1, cfg["max_iters"] + 1):
    t = time.time()
    x = torch.randn(16, 20) @ mix
    loss = (net(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if rank == 0:
        print(json.dumps({"iter": it, "loss": round(loss.item(), 5), "step_s": round(time.time() - t, 3)}), flush=True)
    if it % cfg["ckpt_interval"] == 0:
        if rank == 0:
            size, dt = save(it)
            saving += dt
            print(json.dumps({"iter": it, "checkpoint": cfg["out_dir"], "mib": size >> 20, "save_s": round(dt, 2)}), flush=True)
        dist.barrier()
if rank == 0:
    print(json.dumps({"done": it, "wall_s": round(time.time() - start, 1), "save_s": round(saving, 1)}))
dist.destroy_process_group()
'''

WIRES = r'''
import os
import socket
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
RATE = 4.0e6  # bytes per second that come through between the nodes


def paced(t):
    """All-reduce in pieces of 256 KiB, as the shaped link takes them."""
    for piece in t.split(65536):
        dist.all_reduce(piece)
        time.sleep(piece.numel() * 4 / RATE)


print(f"rank {rank}: transport TCP sockets on eth0 (no InfiniBand device found), {world} nodes", flush=True)
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(256, 1200), torch.nn.ReLU(), torch.nn.Linear(1200, 64))
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
torch.manual_seed(rank)
n = sum(p.numel() for p in net.parameters())
if rank == 0:
    print(f"gradient volume {4 * n / 1e6:.2f} MB per step", flush=True)
comm_all = step_all = 0.0
for step in range(1, 61):
    t0 = time.time()
    x = torch.randn(32, 256)
    loss = torch.nn.functional.cross_entropy(net(x), x[:, :64].argmax(1))
    opt.zero_grad()
    loss.backward()
    t1 = time.time()
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    paced(flat)
    at = 0
    for p in net.parameters():
        p.grad.copy_(flat[at : at + p.numel()].view_as(p) / world)
        at += p.numel()
    t2 = time.time()
    opt.step()
    comm_all, step_all = comm_all + t2 - t1, step_all + time.time() - t0
    if step % 6 == 0:
        print(f"rank {rank} step {step:2d}/60 loss {loss.item():.4f} compute {1000 * (t1 - t0):5.0f} ms  gradient exchange {1000 * (t2 - t1):5.0f} ms  ({4 * n / (t2 - t1) / 1e6:.1f} MB/s)", flush=True)
print(f"rank {rank} finished: {100 * comm_all / step_all:.0f} % of the time in gradient exchange", flush=True)
dist.destroy_process_group()
'''

FOURRANKS = r"""
import json
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
U, I = 120, 90
mf = torch.nn.ModuleList([torch.nn.Embedding(U, 12), torch.nn.Embedding(I, 12)])
opt = torch.optim.SGD(mf.parameters(), 2.0)
torch.manual_seed(10 + rank)
window = []
for step in range(1, 73):
    t0 = time.time()
    u, i = torch.randint(U, (200,)), torch.randint(I, (200,))
    loss = ((mf[0](u) * mf[1](i)).sum(1) - ((u + i) % 2).float()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    time.sleep(0.33 if rank == 3 else 0.03)
    t1 = time.time()
    for p in mf.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world
    t2 = time.time()
    opt.step()
    window.append((t1 - t0, t2 - t1))
    if step % 8 == 0:
        own, sync = (sum(w[k] for w in window) for k in (0, 1))
        print(json.dumps({"step": step, "of": 72, "rank": rank, "loss": round(loss.item(), 4), "own_compute_s": round(own, 2), "sync_wait_s": round(sync, 2), "own_rate": round(8 * 200 / own)}), flush=True)
        window.clear()
dist.barrier()
if rank == 0:
    print(json.dumps({"event": "done", "steps": 72}), flush=True)
dist.destroy_process_group()
"""

SLOWEST = r'''
import logging
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.WARNING, format="%(asctime)s %(message)s")
torch.manual_seed(3)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Conv1d(1, 12, 7), torch.nn.ReLU(), torch.nn.Conv1d(12, 1, 7)))
opt = torch.optim.Adam(net.parameters(), 3e-3)
torch.manual_seed(30 + rank)


def augment(x):
    """Room impulse responses; the convolution is done on the rank's own share of cores."""
    time.sleep(0.38 if rank == 1 else 0.045)
    return x + 0.2 * torch.randn_like(x)


for it in range(1, 51):
    a = time.time()
    clean = torch.sin(torch.rand(8, 1, 1) * 3 + torch.arange(64) * 0.3)
    noisy = augment(clean)
    b = time.time()
    loss = (net(noisy) - clean[:, :, 6:-6]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    c = time.time()
    if it % 5 == 0:
        every = [None] * world
        dist.all_gather_object(every, (b - a, c - b))
        own = [e[0] for e in every]
        logging.info("it %d/50 mse %.4f | own work by rank: %s s | backward incl. sync by rank: %s s | slowest: rank %d (%.1fx the median)", it, loss.item(),
                     " ".join(f"{v:.3f}" for v in own), " ".join(f"{e[1]:.3f}" for e in every), own.index(max(own)), max(own) / sorted(own)[world // 2])
dist.barrier()
logging.info("enhancement model trained, 50 iterations")
dist.destroy_process_group()
'''

JOBS = (
    crate("D1", "vad.py", RESAMPLE, note="waited some 2 s for the loader against some ms of the model, at each of 24 iterations"),
    crate(
        "D2",
        "lm_ddp.py",
        DDPSAVES,
        variant="save_storm",
        ranks=2,
        note="a checkpoint at every second iteration, more than a second each against some ms a step",
    ),
    crate(
        "D2",
        "wide_mlp.py",
        WIRES,
        variant="interconnect",
        fault="cluster",
        ranks=2,
        note="both ranks: some ms of compute, 400 ms of gradient exchange over TCP sockets, at every step",
    ),
    crate(
        "D3",
        "mf_four.py",
        FOURRANKS,
        ranks=4,
        fault="unknown",
        first=(),
        note="rank 3's own_compute_s ten times the others', whose sync_wait_s fills the rest",
    ),
    crate("D3", "enhance.py", SLOWEST, ranks=3, fault="unknown", first=(), note="rank 1 named as the slowest each time, eight times the median"),
)
