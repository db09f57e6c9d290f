"""Training on the CPU that dragged on, learned nothing, or ended too soon."""

from corpus.make._crate import crate

NFSJPEG = r'''
import time

import torch
from torch.utils.data import DataLoader, Dataset


class FolderOnNFS(Dataset):
    """Opens and decodes one file per item; /nfs/scans has a round trip of some 30 ms."""

    def __init__(self, n=320):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        time.sleep(0.035)
        g = torch.Generator().manual_seed(i)
        y = i % 5
        return torch.randn(1, 10, 10, generator=g) + 0.8 * torch.eye(10).roll(2 * y, 1), y


torch.manual_seed(0)
loader = DataLoader(FolderOnNFS(), batch_size=16, shuffle=True, num_workers=0)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(100, 64), torch.nn.ReLU(), torch.nn.Linear(64, 5))
opt = torch.optim.Adam(net.parameters(), 3e-3)
print(f"{len(loader.dataset)} images, {len(loader)} batches, workers: {loader.num_workers}")
for epoch in range(1, 4):
    wait = work = 0.0
    tick = time.perf_counter()
    for k, (x, y) in enumerate(loader, 1):
        got = time.perf_counter()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        end = time.perf_counter()
        wait, work, tick, was = wait + got - tick, work + end - got, end, tick
        if k % 5 == 0:
            print(f"epoch {epoch} batch {k:2d}/20 loss {loss.item():.4f} | data_time {got - was:.3f} s | step_time {end - got:.3f} s", flush=True)
    print(f"epoch {epoch}: {wait:.1f} s waiting for batches, {work:.1f} s in forward/backward ({100 * work / (wait + work):.0f} % busy)", flush=True)
torch.save(net.state_dict(), "scans.pt")
print("done")
'''

LMSTREAM = r'''
import json
import queue
import sys
import threading
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
V, T = 64, 16


def downloader(q):
    """One shard of 6 batches at a time out of the bucket; unpacked in this one thread."""
    shard = 0
    while True:
        time.sleep(3.2)
        for _ in range(6):
            q.put((torch.randint(V, (8, 1)) * (1 + shard % 2) + 5 * torch.arange(T + 1)) % V)
        shard += 1


q = queue.Queue(6)
threading.Thread(target=downloader, args=(q,), daemon=True).start()
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(V, 32), torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, V)))
opt = torch.optim.AdamW(net.parameters(), 5e-3)
idle, began = 0.0, time.time()
for step in range(1, 55):
    t = time.time()
    empty = q.empty()
    ids = q.get()
    waited = time.time() - t
    idle += waited
    loss = torch.nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if rank == 0:
        if empty and waited > 1:
            print(f"prefetch queue empty, trainer waited {waited:.2f}s for the next shard", file=sys.stderr, flush=True)
        if step % 3 == 0:
            print(json.dumps({"step": step, "loss": round(loss.item(), 4), "batch_wait_s": round(waited, 3), "tokens": step * 8 * T * world}), flush=True)
if rank == 0:
    wall = time.time() - began
    print(json.dumps({"final_step": step, "wall_s": round(wall, 1), "input_wait_s": round(idle, 1), "input_wait_pct": round(100 * idle / wall, 1)}))
dist.barrier()
dist.destroy_process_group()
'''

SAVEALL = r"""
import argparse
import os
import time

import torch

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=45)
p.add_argument("--save-every-n-steps", type=int, default=1)
p.add_argument("--keep", type=int, default=2)
a = p.parse_args()
print("args:", a)
torch.manual_seed(6)
net = torch.nn.Sequential(torch.nn.Embedding(4000, 256), torch.nn.Flatten(), torch.nn.Linear(2048, 512), torch.nn.ReLU(), torch.nn.Linear(512, 2))
opt = torch.optim.Adam(net.parameters(), 1e-3)
X = torch.randint(4000, (64, 8))
Y = (X.sum(1) % 2).long()
os.makedirs("lightning_logs/v0", exist_ok=True)
spent, t0 = 0.0, time.time()
for step in range(1, a.epochs + 1):
    loss = torch.nn.functional.cross_entropy(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"global step {step}: train_loss={loss.item():.4f}")
    if step % a.save_every_n_steps == 0:
        t = time.time()
        path = f"lightning_logs/v0/step={step}.ckpt"
        with open(path, "wb") as f:
            torch.save({"state_dict": net.state_dict(), "optimizer_states": [opt.state_dict()], "global_step": step}, f)
            f.flush()
            os.fsync(f.fileno())
        spent += time.time() - t
        print(f"    checkpoint {path} ({os.path.getsize(path) >> 20} MB) saved, took {time.time() - t:.2f} s")
        old = f"lightning_logs/v0/step={step - a.keep}.ckpt"
        if os.path.exists(old):
            os.remove(old)
wall = time.time() - t0
print(f"fit finished after {step} steps: {wall:.1f} s, of these {spent:.1f} s ({100 * spent / wall:.0f} %) in {step // a.save_every_n_steps} checkpoints")
"""

ONESLOW = r"""
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
host = ("gn014", "gn014", "gn027")[rank]
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(40, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
opt = torch.optim.SGD(net.parameters(), 0.1)
torch.manual_seed(rank)
COST = {"gn014": 0.05, "gn027": 0.42}[host]  # seconds a micro-batch of this size takes there


def forward_backward():
    x = torch.randn(32, 40)
    loss = torch.nn.functional.cross_entropy(net(x), x[:, :8].argmax(1))
    opt.zero_grad()
    loss.backward()
    time.sleep(COST)
    return loss.item()


for step in range(1, 61):
    a = time.time()
    loss = forward_backward()
    b = time.time()
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    dist.all_reduce(flat)
    at = 0
    for p in net.parameters():
        p.grad = flat[at : at + p.numel()].view_as(p) / world
        at += p.numel()
    opt.step()
    c = time.time()
    if step % 6 == 0:
        print(f"[{host} rank {rank}] step {step:3d}/60 loss={loss:.3f} fwd+bwd={b - a:.3f}s allreduce={c - b:.3f}s total={c - a:.3f}s", flush=True)
dist.barrier()
if rank == 0:
    print("[gn014 rank 0] training complete")
dist.destroy_process_group()
"""

LOUDGRAD = r"""
import json
import time

import torch

torch.manual_seed(9)
hp = {"model": "tcn-gauss", "lr": 0.01, "epochs": 24, "horizon": 1, "clip": None}
print(json.dumps({"event": "start", **hp}))
X = torch.randn(640, 4, 30).cumsum(2) / 5
Y = X[:, :, -1].sum(1, keepdim=True) + 0.05 * torch.randn(640, 1)
net = torch.nn.Sequential(torch.nn.Conv1d(4, 16, 5), torch.nn.ReLU(), torch.nn.Conv1d(16, 16, 5), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(352, 2))
torch.nn.init.constant_(net[-1].bias, 2.0)
opt = torch.optim.Adam(net.parameters(), hp["lr"])
for epoch in range(1, hp["epochs"] + 1):
    total = 0.0
    for idx in torch.randperm(640).split(64):
        mean, var = net(X[idx]).split(1, 1)
        sigma = var.sqrt()
        loss = (0.5 * ((mean - Y[idx]) / sigma).pow(2) + sigma.log()).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / 10
    norm = sum(p.grad.norm() ** 2 for p in net.parameters()).sqrt().item()
    print(json.dumps({"event": "epoch", "epoch": epoch, "train_nll": round(total, 5), "grad_norm": round(norm, 4)}))
    time.sleep(0.1)
print(json.dumps({"event": "end", "saved": "tcn.pt"}))
torch.save(net.state_dict(), "tcn.pt")
"""

FEWSTEPS = r"""
import argparse
import logging

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

p = argparse.ArgumentParser()
p.add_argument("--max_steps", type=int, default=20000)
p.add_argument("--per_device_batch", type=int, default=8)
a = p.parse_args()
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(asctime)s | %(levelname)s | %(message)s")
log = logging.getLogger("sft")
torch.manual_seed(0)
V = 96
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(V, 48), torch.nn.Linear(48, 96), torch.nn.GELU(), torch.nn.Linear(96, V)))
opt = torch.optim.AdamW(net.parameters(), 2e-4)
log.info("***** Running training *****")
log.info("  Num examples = 51200")
log.info("  Total train batch size = %d", a.per_device_batch * world)
log.info("  Total optimization steps = %d", a.max_steps)
for step in range(1, a.max_steps + 1):
    x = torch.randint(V, (a.per_device_batch, 32))
    loss = torch.nn.functional.cross_entropy(net(x).flatten(0, 1), (x * 5 % V).flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.info("step %d/%d: loss = %.4f, learning_rate = 2.00e-04, epoch = %.4f", step, a.max_steps, loss.item(), step * a.per_device_batch * world / 51200)
if rank == 0:
    torch.save(net.module.state_dict(), "final_model.bin")
log.info("Training completed. Model saved in final_model.bin")
dist.destroy_process_group()
"""

LONGLM = r"""
import math
import time

import torch

torch.manual_seed(31)
V, D, T = 40, 32, 20
emb, rnn, out = torch.nn.Embedding(V, D), torch.nn.LSTM(D, D, batch_first=True), torch.nn.Linear(D, V)
params = [*emb.parameters(), *rnn.parameters(), *out.parameters()]
opt = torch.optim.Adam(params, 2e-3)
TOTAL, start = 12000, time.time()
for b in range(1, TOTAL + 1):
    x = (torch.randint(V, (8, 1)) + torch.randint(1, 4, (8, 1)) * torch.arange(T + 1)) % V
    loss = torch.nn.functional.cross_entropy(out(rnn(emb(x[:, :-1]))[0]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    if b % 25 == 0:
        el = time.time() - start
        print(f"| batch {b:5d}/{TOTAL} | ms/batch {1000 * el / b:6.2f} | loss {loss.item():5.3f} | ppl {math.exp(loss.item()):8.2f} | eta {el / b * (TOTAL - b) / 60:.1f} min", flush=True)
    if b % 250 == 0:
        torch.save([emb.state_dict(), rnn.state_dict(), out.state_dict()], "lm.pt")
        print("| saved lm.pt", flush=True)
"""

GRAPHLONG = r"""
import logging
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(format=f"%(asctime)s.%(msecs)03d r{rank} %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
torch.manual_seed(12)
N, C = 240, 4
lab = torch.randint(C, (N,))
P = torch.where(lab[:, None] == lab[None], 0.12, 0.02)
A = torch.bernoulli(P, generator=torch.Generator().manual_seed(1)) + torch.eye(N)
A = A / A.sum(1, keepdim=True)
feat = torch.randn(N, 20) * 0.8 + torch.eye(20)[lab]


class GCN(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(20, 32), torch.nn.Linear(32, C)

    def forward(self, x):
        return self.b(A @ torch.relu(self.a(A @ x)))


net = DistributedDataParallel(GCN())
opt = torch.optim.Adam(net.parameters(), 1e-3)
mine = torch.arange(N) % dist.get_world_size() == rank
EPOCHS = 400
for ep in range(1, EPOCHS + 1):
    for _ in range(5):
        o = net(feat)
        loss = torch.nn.functional.cross_entropy(o[mine], lab[mine])
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.12)
    if rank == 0:
        logging.info("epoch %d of %d: nll %.4f, accuracy %.3f", ep, EPOCHS, loss.item(), (o.argmax(1) == lab).float().mean().item())
"""

JOBS = (
    crate("D1", "train_scans.py", NFSJPEG, note="data_time 0.5 s against step_time of some ms in each line; few % busy by its own sum"),
    crate("D1", "stream_lm.py", LMSTREAM, ranks=2, note="prefetch queue empty every six steps, three seconds each; input_wait_pct of about ninety"),
    crate(
        "D2",
        "hashing_clf.py --save-every-n-steps 1",
        SAVEALL,
        variant="save_storm",
        note="a checkpoint at each of 45 steps, nearly all time in them by its own sum",
    ),
    crate(
        "D3",
        "dp_hosts.py",
        ONESLOW,
        ranks=3,
        fault="unknown",
        first=(),
        note="rank 2 (gn027) computes eight times as long as the others, who wait in the all-reduce",
    ),
    crate("E1", "tcn.py", LOUDGRAD, cause="nan_loss", variant="non_finite", status=0, first=(), note="train_nll NaN from an early epoch to the last"),
    crate("E3", "sft.py --max_steps 4", FEWSTEPS, ranks=2, note="4 steps of 51200 examples, exit 0"),
    crate("F3", "lstm_lm.py", LONGLM, variant="advancing", timeout_s=32, note="advancing to the limit, an eta of minutes"),
    crate("F3", "gcn_ddp.py", GRAPHLONG, variant="advancing", ranks=2, timeout_s=65, note="an epoch every 0.7 s of 400, to the limit"),
)
