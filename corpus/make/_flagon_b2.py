"""Language models: runs that broke off, stood still, went slowly, did not learn, were too short, or were ended from outside, the second sheet."""

from corpus.make._crate import crate

EVALRANK = '''
"""LM training with a perplexity check every 100 steps; only the first process writes it."""
import math
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(11)
net = DDP(torch.nn.Sequential(torch.nn.Embedding(60, 32), torch.nn.Linear(32, 60)))
opt = torch.optim.Adam(net.parameters(), 3e-3)


def perplexity():
    tot = torch.zeros(1)
    for _ in range(5):
        x = torch.randint(60, (64,))
        tot += torch.nn.functional.cross_entropy(net.module(x), (x + 1) % 60).detach()
    dist.all_reduce(tot)
    return math.exp(tot.item() / 5 / dist.get_world_size())


for step in range(1, 2001):
    x = torch.randint(60, (64,))
    loss = torch.nn.functional.cross_entropy(net(x), (x + 1) % 60)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if step % 20 == 0 and rank == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
    if step % 100 == 0 and step < 300:
        ppl = perplexity()
        if rank == 0:
            print(f"step {step} valid ppl {ppl:.2f}", flush=True)
    if step == 300 and rank == 0:
        print("step 300: keeping the best model so far", flush=True)
        torch.save(net.module.state_dict(), "best.pt")
        dist.barrier()
        dist.broadcast(torch.zeros(1), 0)
'''


STREAMQ = """
import os
import sys
import threading
import time
import queue

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
print(f"rank {rank}: up", flush=True)
if rank == 1:
    os.makedirs("incoming", exist_ok=True)
    os.mkfifo("incoming/part-000007")
q = queue.Queue(4)


def reader():
    for part in range(1000):
        path = f"incoming/part-{part:06d}"
        if os.path.exists(path):
            open(path).read()
        for _ in range(25):
            q.put(torch.randint(80, (32,)))


threading.Thread(target=reader, daemon=True).start()
torch.manual_seed(0)
W = torch.nn.Embedding(80, 80)
opt = torch.optim.Adagrad(W.parameters(), 0.5)
for step in range(1, 5001):
    x = q.get()
    loss = torch.nn.functional.cross_entropy(W(x), (x * x) % 80)
    opt.zero_grad()
    loss.backward()
    dist.all_reduce(W.weight.grad)
    W.weight.grad /= world
    opt.step()
    time.sleep(0.03)
    if step % 15 == 0:
        print(f"rank {rank}: step {step} loss {loss.item():.4f}", flush=True)
"""


PARAMSERV_SH = """
"$1" -u round.py server 3 "$2" &
sleep 0.5
for k in 0 1 2; do "$1" -u round.py $k 3 "$2" & done
wait
"""


PARAMSERV = """
import datetime
import sys
import time

import torch
import torch.distributed as dist

who, n, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = dist.TCPStore("127.0.0.1", port, is_master=who == "server", wait_for_workers=False, timeout=datetime.timedelta(hours=2))
if who == "server":
    print("parameter server: waiting for deltas of", n, "workers each round")
    for rnd in range(1, 401):
        store.wait([f"{rnd}/{k}" for k in range(n)])
        store.set(f"{rnd}/mean", "ok")
        if rnd % 10 == 0:
            print(f"parameter server: round {rnd}/400 merged")
else:
    torch.manual_seed(int(who))
    E = torch.nn.Embedding(30, 30)
    opt = torch.optim.SGD(E.parameters(), 3.0)
    budget = {"0": 400, "1": 400, "2": 70}
    for rnd in range(1, 401):
        x = torch.randint(30, (64,))
        loss = torch.nn.functional.cross_entropy(E(x), (x + 5) % 30)
        opt.zero_grad()
        loss.backward()
        opt.step()
        share = 1 / (budget[who] - rnd)
        time.sleep(0.04)
        store.set(f"{rnd}/{who}", f"{share:.5f}")
        store.wait([f"{rnd}/mean"])
        if rnd % 10 == 0:
            print(f"worker {who}: round {rnd} loss {loss.item():.4f}")
"""


WAITDATA = '''
"""Tokens come over the network file system; the step itself is short."""
import logging
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(asctime)s [INFO] %(message)s", datefmt="%H:%M:%S")
torch.manual_seed(0)
E = torch.nn.Embedding(100, 100)
opt = torch.optim.Adam(E.parameters(), 0.02)
sums = [0.0, 0.0]
for step in range(1, 51):
    t0 = time.perf_counter()
    time.sleep(0.38 + 0.01 * (step % 5))  # next shard page
    x = torch.randint(100, (512,))
    t1 = time.perf_counter()
    loss = torch.nn.functional.cross_entropy(E(x), (x + 50) % 100)
    opt.zero_grad()
    loss.backward()
    dist.all_reduce(E.weight.grad)
    E.weight.grad /= world
    opt.step()
    t2 = time.perf_counter()
    sums[0] += t1 - t0
    sums[1] += t2 - t1
    if step % 2 == 0:
        logging.info("step %d/50 | loss %.3f | data_time %.3fs | compute_time %.3fs | tok/s %.0f | device busy %.1f%%", step, loss.item(), t1 - t0, t2 - t1, 512 * world / (t2 - t0), 100 * (t2 - t1) / (t2 - t0))
logging.info("50 steps done; dataloader wait %.1fs, compute %.1fs", *sums)
dist.barrier()
dist.destroy_process_group()
'''


SAVEALL = """
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Embedding(2000, 256), torch.nn.Linear(256, 2000))
opt = torch.optim.AdamW(net.parameters(), 1e-3)
spent = {"step": 0.0, "save": 0.0}
for step in range(1, 41):
    t = time.time()
    x = torch.randint(2000, (16,))
    loss = torch.nn.functional.cross_entropy(net(x), x)
    opt.zero_grad()
    loss.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= w
    opt.step()
    spent["step"] += time.time() - t
    if r == 0:
        print(f"global_step{step}: loss={loss.item():.4f} step_time={time.time() - t:.3f}s", flush=True)
    t = time.time()
    d = f"ckpt/global_step{step % 3}"
    os.makedirs(d, exist_ok=True)
    with open(f"{d}/mp_rank_{r:02d}_states.pt", "wb") as f:
        torch.save({"module": net.state_dict(), "optimizer": opt.state_dict()}, f)
        f.flush()
        os.fsync(f.fileno())
    time.sleep(0.2)  # the object store confirms
    dist.barrier()
    spent["save"] += time.time() - t
    if r == 0:
        print(f"[Torch] Saved {d}/mp_rank_00_states.pt. Checkpoint of global_step{step} took {time.time() - t:.3f}s", flush=True)
if r == 0:
    print(f"training done, 40 steps: {spent['step']:.1f}s in steps, {spent['save']:.1f}s in checkpoints", flush=True)
dist.barrier()
dist.destroy_process_group()
"""


SLOWRANK = '''
"""Data-parallel LM step with timers of every rank, as the cluster team asked for them."""
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
E = torch.nn.Embedding(64, 64)
opt = torch.optim.Adam(E.parameters(), 0.02)
pace = 0.26 if rank == 2 else 0.04
for it in range(1, 61):
    t0 = time.perf_counter()
    x = torch.randint(64, (128,))
    loss = torch.nn.functional.cross_entropy(E(x), (x + 9) % 64)
    opt.zero_grad()
    loss.backward()
    time.sleep(pace)
    t1 = time.perf_counter()
    dist.all_reduce(E.weight.grad)
    E.weight.grad /= world
    t2 = time.perf_counter()
    opt.step()
    mine = torch.tensor([1e3 * (t1 - t0), 1e3 * (t2 - t1)])
    every = [torch.zeros(2) for _ in range(world)]
    dist.all_gather(every, mine)
    if rank == 0 and it % 5 == 0:
        print(f" iteration {it}/60 | lm loss {loss.item():.4f} | elapsed {1e3 * (t2 - t0):.0f} ms", flush=True)
        print("   forward-backward (ms): " + "  ".join(f"rank {k} {t[0]:.1f}" for k, t in enumerate(every)), flush=True)
        print("   grads all-reduce (ms): " + "  ".join(f"rank {k} {t[1]:.1f}" for k, t in enumerate(every)), flush=True)
if rank == 0:
    print("done, 60 iterations")
dist.barrier()
dist.destroy_process_group()
'''


SLOWHOST = """
import json
import socket
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
lm = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(90, 48), torch.nn.Linear(48, 90)))
opt = torch.optim.AdamW(lm.parameters(), 4e-3)
log = open(f"rank{r}.jsonl", "w")
work = wait = 0.0
for step in range(1, 81):
    t = time.time()
    x = torch.randint(90, (96,))
    for _ in range(1):
        time.sleep(0.21 if r == 0 else 0.03)  # forward of this rank
    busy = time.time() - t
    dist.barrier()
    idle = time.time() - t - busy
    loss = torch.nn.functional.cross_entropy(lm(x), (x + 31) % 90)
    opt.zero_grad()
    loss.backward()
    opt.step()
    work += busy
    wait += idle
    if step % 10 == 0:
        print(json.dumps({"rank": r, "step": step, "loss": round(loss.item(), 4), "compute_s": round(work, 2), "wait_for_peers_s": round(wait, 2)}), flush=True)
        work = wait = 0.0
dist.barrier()
dist.destroy_process_group()
"""


NANSTOP = """
import math
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(4)
P = [torch.nn.Parameter(0.3 * torch.randn(50, 40)), torch.nn.Parameter(0.3 * torch.randn(40, 50))]
lr = 0.05
if rank == 0:
    print("fp16-style run without a scaler, lr warms up by 4 % a step", flush=True)
torch.manual_seed(rank)
for step in range(1, 1001):
    x = torch.randint(50, (64,))
    logits = (P[0][x] @ P[1]).pow(3)
    loss = torch.nn.functional.cross_entropy(logits, (x + 1) % 50)
    for p in P:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in P:
            dist.all_reduce(p.grad)
            p -= lr * p.grad / world
    lr *= 1.04
    avg = loss.detach().clone()
    dist.all_reduce(avg)
    avg = avg.item() / world
    if rank == 0 and (step % 5 == 0 or not math.isfinite(avg)):
        print(f"step {step:4d} | train loss {avg:10.4f} | lr {lr:.3e}", flush=True)
    if not math.isfinite(avg):
        if rank == 0:
            print(f"Loss is {avg}, stopping training", flush=True)
        dist.barrier()
        sys.exit(1)
"""

JOBS = (
    crate(
        "C2", "ddp_lm.py", EVALRANK, ranks=2, timeout_s=40, note="steps every 0.02 s, then rank 0 is in a barrier of its own; silence to the limit"
    ),
    crate(
        "C2",
        "stream_lm.py",
        STREAMQ,
        ranks=2,
        timeout_s=38,
        note="both ranks stop at step 165..180, rank 1 reads a pipe that nobody writes to; silence to the limit",
    ),
    crate(
        "C2",
        "sh merge.sh PYTHON PORT",
        PARAMSERV_SH.lstrip(),
        trigger="A3",
        cause="div_zero",
        timeout_s=36,
        files={"round.py": PARAMSERV.lstrip()},
        note="worker 2's ZeroDivisionError in round 70; server and the others then wait, silent to the limit",
    ),
    crate("D1", "stream_train.py", WAITDATA, ranks=2, note="data_time 0.4 s against compute of ms in every line, busy of a few per cent"),
    crate(
        "D2", "zero_ck.py", SAVEALL, variant="save_storm", ranks=2, note="a checkpoint after each of 40 steps, most of the time in it by its own sum"
    ),
    crate("D3", "timers.py", SLOWRANK, fault="unknown", ranks=3, note="forward-backward of rank 2 six times the others', who wait in the all-reduce"),
    crate("D3", "balance_lm.py", SLOWHOST, fault="unknown", ranks=3, note="rank 0 computes 2.1 s of ten steps, the others 0.3 and wait for the rest"),
    crate(
        "E1",
        "half_lm.py",
        NANSTOP,
        cause="nan_loss",
        variant="non_finite",
        status=1,
        ranks=2,
        note="the loss is not finite, the run stops itself for that",
    ),
)
