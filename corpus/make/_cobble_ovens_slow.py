"""Runs that stood still or dragged on."""

from corpus.make._crate import crate

MEETING = """
import logging
import os
import sys

import torch
import torch.distributed as dist

rank, world = int(sys.argv[1]), int(sys.argv[2])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s worker{rank} %(message)s")
scratch = os.environ["SCRATCH"]
logging.info("scratch is %s", scratch)
logging.info("meeting the other workers by file://%s/rdzv as %d of %d", scratch, rank, world)
dist.init_process_group("gloo", init_method=f"file://{scratch}/rdzv", rank=rank, world_size=world)
logging.info("process group is up")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
for step in range(300):
    net(torch.randn(4, 8)).sum().backward()
    logging.info("step %d", step)
"""
WORKERS = """
for r in 0 1 2; do
  export SCRATCH=$(mktemp -d "$TMPDIR/job_${r}_XXXX")
  "$1" gnn_dist.py $r 3 &
done
echo "3 workers started"
wait
"""

BARRIERS = """
import multiprocessing as mp
import time

import torch

WORLD, ROUNDS, LOCAL = 3, 60, 12
HOUSES = [{"name": n, "scale": 1.0 + 0.1 * k} for k, n in enumerate(("north", "harbour", "hill"))]


def worker(rank, shared, gate):
    torch.manual_seed(rank)
    net = torch.nn.Linear(12, 3)
    opt = torch.optim.SGD(net.parameters(), 0.05)
    mix = torch.linspace(-1, 1, 12)[:, None] * torch.tensor([1.0, -1.0, 0.5])
    for rnd in range(1, ROUNDS + 1):
        with torch.no_grad():
            torch.nn.utils.vector_to_parameters(shared.mean(0), net.parameters())
        for _ in range(LOCAL):
            x = torch.randn(32, 12) * HOUSES[rank]["scale"]
            if rank == 1 and rnd == 25:
                x = x * HOUSES[rank]["gain"]  # the recalibrated sensor
            loss = torch.nn.functional.cross_entropy(net(x), (x @ mix).argmax(1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(0.02)
        gate.wait()
        shared[rank] = torch.nn.utils.parameters_to_vector(net.parameters()).detach()
        gate.wait()
        if rnd % 4 == 0:
            print(f"site {rank} ({HOUSES[rank]['name']}): round {rnd}/{ROUNDS}, local loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    mp.set_start_method("spawn")
    shared = torch.zeros(WORLD, 39).share_memory_()
    gate = mp.Barrier(WORLD)
    procs = [mp.Process(target=worker, args=(r, shared, gate), name=f"site{r}") for r in range(WORLD)]
    print(f"federated averaging over {WORLD} sites, {ROUNDS} rounds", flush=True)
    for p in procs:
        p.start()
    for p in procs:
        p.join()
    print("averaged model ready", flush=True)
"""

POOLED = """
import logging
import multiprocessing
import os
import time

import torch
import torch.distributed as dist


def overlap(pair):
    hyp, ref = pair
    if not any(hyp):  # an empty sentence
        os._exit(3)
    return len(set(hyp) & set(ref)) / len(set(ref))


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s rank={rank} %(message)s")
    torch.manual_seed(5)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(40, 24), torch.nn.Linear(24, 40)))
    opt = torch.optim.Adam(net.parameters(), 0.01)
    pool = multiprocessing.get_context("fork").Pool(2) if rank == 0 else None
    for epoch in range(1, 16):
        for _ in range(25):
            x = torch.randint(40, (16, 8))
            loss = torch.nn.functional.cross_entropy(net(x).flatten(0, 1), ((x * 3 + 1) % 40).flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            time.sleep(0.03)
        logging.info("epoch=%d loss=%.4f", epoch, loss.item())
        score = torch.zeros(1)
        if rank == 0:
            hyps = net.module(x).argmax(-1).tolist()
            if epoch == 5:
                hyps[7] = [0] * 8
            logging.info("epoch=%d scoring %d sentences", epoch, len(hyps))
            score += sum(pool.map(overlap, zip(hyps, ((x * 3 + 1) % 40).tolist()), chunksize=4)) / len(hyps)
        dist.broadcast(score, 0)
        logging.info("epoch=%d overlap=%.4f", epoch, score.item())


main()
"""

WRITERQ = '''
import csv
import queue
import threading
import time

import torch

torch.manual_seed(16)
records = queue.Queue(maxsize=32)


def writer():
    """Keeps every step in a table."""
    with open("steps.csv", "w", newline="") as f:
        table = csv.writer(f)
        while True:
            row = records.get()
            if row[0] == 150:
                return
            table.writerow(row)


threading.Thread(target=writer, daemon=True).start()
mean, logstd = torch.zeros(4, requires_grad=True), torch.zeros(4, requires_grad=True)
opt = torch.optim.Adam([mean, logstd], 0.02)
goal = torch.tensor([1.0, -0.5, 0.3, 2.0])
print("cross-entropy control, 1000 updates")
for n in range(1, 1001):
    d = torch.distributions.Normal(mean, logstd.exp())
    a = d.sample((64,))
    cost = (a - goal).pow(2).sum(1)
    adv = (cost.mean() - cost) / (cost.std() + 1e-6)
    loss = -(d.log_prob(a).sum(1) * adv).mean() - 0.01 * logstd.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    records.put((n, loss.item(), cost.mean().item()))
    if n % 20 == 0:
        print(f"update {n:4d} | mean cost {cost.mean().item():8.4f} | std {logstd.exp().mean().item():.3f}")
'''

ARCHIVE = '''
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()


class Clips(torch.utils.data.Dataset):
    """Short clips out of tar files on the tape archive, opened one by one."""

    def __len__(self):
        return 96

    def __getitem__(self, i):
        time.sleep(0.07)
        y = i % 3
        return torch.randn(30) * 0.5 + torch.eye(3)[y].repeat(10), y


torch.manual_seed(3)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(30, 24), torch.nn.ReLU(), torch.nn.Linear(24, 3)))
opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
sampler = torch.utils.data.DistributedSampler(Clips(), shuffle=True)
loader = torch.utils.data.DataLoader(Clips(), 8, sampler=sampler)
for epoch in range(1, 5):
    sampler.set_epoch(epoch)
    wait = work = total = 0.0
    t = time.time()
    for x, y in loader:
        t1 = time.time()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        t2 = time.time()
        wait, work, t = wait + t1 - t, work + t2 - t1, t2
    print(f"[{rank}] epoch {epoch}/4 loss {total / len(loader):.4f} | loader {wait:.2f} s, compute {work:.2f} s, {100 * wait / (wait + work):.0f} % of the epoch spent waiting for clips", flush=True)
dist.barrier()
if rank == 0:
    print("[0] trained 4 epochs", flush=True)
dist.destroy_process_group()
'''

VALIDATE = """
import argparse
import time

import torch

ap = argparse.ArgumentParser()
ap.add_argument("--val-every", type=int, default=100)
ap.add_argument("--steps", type=int, default=60)
a = ap.parse_args()
torch.manual_seed(27)
X, V = torch.randn(800, 20), torch.randn(1500, 20)
rule = torch.randn(20, 5)
net = torch.nn.Sequential(torch.nn.Linear(20, 40), torch.nn.ReLU(), torch.nn.Linear(40, 5))
opt = torch.optim.Adam(net.parameters(), 8e-3)
clock = {"train": 0.0, "validation": 0.0}
print(f"steps {a.steps}, validation after every {a.val_every} step(s) on {len(V)} rows")
for step in range(1, a.steps + 1):
    t = time.time()
    i = torch.randint(800, (64,))
    loss = torch.nn.functional.cross_entropy(net(X[i]), (X[i] @ rule).argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.03)
    clock["train"] += (dt := time.time() - t)
    print(f"[train] step {step:3d} loss {loss.item():.4f} ({dt:.3f} s)")
    if step % a.val_every == 0:
        t, hit = time.time(), 0
        with torch.no_grad():
            for v in V.split(50):
                hit += (net(v).argmax(1) == (v @ rule).argmax(1)).sum().item()
                time.sleep(0.02)
        clock["validation"] += (dt := time.time() - t)
        print(f"[valid] step {step:3d} acc {hit / len(V):.4f} ({dt:.3f} s)")
total = sum(clock.values())
print(f"finished {a.steps} steps. time: " + ", ".join(f"{k} {v:.1f} s ({100 * v / total:.0f} %)" for k, v in clock.items()))
"""

EXCHANGE = """
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
table = torch.nn.Embedding(400_000, 32)  # 51 MB, dense gradients
head = torch.nn.Linear(32, 16)
opt = torch.optim.SGD([*table.parameters(), *head.parameters()], 2.0)
comp = comm = 0.0
for it in range(1, 25):
    t0 = time.perf_counter()
    x = torch.randint(64, (128,))
    loss = torch.nn.functional.cross_entropy(head(table(x)), x % 16)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    t1 = time.perf_counter()
    for p in (*table.parameters(), *head.parameters()):
        for _ in range(2):  # hi and lo halves
            dist.all_reduce(p.grad)
            p.grad /= world
    t2 = time.perf_counter()
    opt.step()
    comp, comm = comp + t1 - t0, comm + t2 - t1
    if it % 3 == 0:
        print(f"rank{rank} iter {it:2d}/24 loss {loss.item():.4f} | fwd/bwd {t1 - t0:.3f} s | gradient exchange {t2 - t1:.3f} s (gloo over tcp, {2 * 51.2:.0f} MB)", flush=True)
print(f"rank{rank} done: fwd/bwd {comp:.1f} s, gradient exchange {comm:.1f} s", flush=True)
dist.destroy_process_group()
"""

QUARTET = """
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(9)
net = torch.nn.Linear(10, 1)
opt = torch.optim.SGD(net.parameters(), 0.05)
w = torch.linspace(-1, 1, 10)
for step in range(1, 51):
    t0 = time.time()
    x = torch.randn(16, 10)
    loss = (net(x).squeeze(1) - x @ w).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    time.sleep(0.26 if rank == 3 else 0.02)
    t1 = time.time()
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    dist.all_reduce(flat)
    t2 = time.time()
    n = 0
    for p in net.parameters():
        p.grad.copy_(flat[n : n + p.numel()].view_as(p) / world)
        n += p.numel()
    opt.step()
    if step % 5 == 0:
        rows = [torch.zeros(3) for _ in range(world)] if rank == 0 else None
        dist.gather(torch.tensor([t1 - t0, t2 - t1, 16.0]), rows)
        if rank == 0:
            print(f"step {step}/50  mse {loss.item():.4f}", flush=True)
            for r, (c, s, k) in enumerate(rows):
                print(f"    rank {r}: compute {1e3 * c:6.1f} ms   wait for peers {1e3 * s:6.1f} ms   samples {int(k)}", flush=True)
dist.destroy_process_group()
"""

JOBS = (
    crate(
        "C1",
        "sh workers.sh PYTHON",
        WORKERS,
        files={"gnn_dist.py": MEETING},
        timeout_s=36,
        note="three workers, each meeting in a scratch of its own; 'process group is up' never, limit",
    ),
    crate(
        "C2",
        "fedavg.py",
        BARRIERS,
        trigger="A3",
        cause="traceback",
        timeout_s=55,
        note="KeyError: 'gain' of site1 in round 25; the other two wait at the barrier, silent to the limit",
    ),
    crate(
        "C2", "mt_ddp.py", POOLED, ranks=2, timeout_s=46, note="after four epochs of a second each nothing behind 'epoch=5 scoring' until the limit"
    ),
    crate("C3", "control.py", WRITERQ, timeout_s=36, note="an update every 0.03 s to about 180, then silence until the limit"),
    crate("D1", "clips_ddp.py", ARCHIVE, ranks=2, note="each rank: nearly all of each epoch spent waiting for clips"),
    crate("D2", "ranker.py --val-every 1 --steps 36", VALIDATE, note="validation after every step takes twenty times the step; the sum says 95 %"),
    crate("D2", "wide_embed.py", EXCHANGE, variant="interconnect", ranks=2, note="gradient exchange is most of each iteration, on both ranks alike"),
    crate(
        "D3",
        "quartet.py",
        QUARTET,
        ranks=4,
        fault="unknown",
        note="compute of rank 3 ten times the others', who wait for it; the same samples",
        first=(),
    ),
)
