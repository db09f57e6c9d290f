"""Runs that stood still, or were ended from outside."""

from corpus.make._copper_thimbles_kit import RUN2, told
from corpus.running.job import Signal

WRONGPORT = """
import os, sys, time, torch, torch.distributed as dist
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
print(f"(rank {rank}/{world}) init_process_group tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
t = time.time(); dist.init_process_group("gloo")
print(f"(rank {rank}/{world}) process group ready after {time.time() - t:.1f} s", flush=True)
x = torch.ones(1); dist.all_reduce(x); print("ranks seen:", int(x))
"""
WRONGPORTSH = """
#!/bin/bash
# one line a node, as ssh would start them
export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2
echo "launching 2 ranks, coordinator port $2"
RANK=0 MASTER_PORT=$2 "$1" train_ranks.py &
sleep 1
RANK=1 MASTER_PORT=$(($2 + 1)) "$1" train_ranks.py &
wait
"""

UNEVEN = """
import json, os, time, torch, torch.distributed as dist, torch.nn as nn
dist.init_process_group("gloo"); rank = dist.get_rank()
def note(**k): print(json.dumps({"rank": rank, **k}), flush=True)
torch.manual_seed(0); net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 12)); opt = torch.optim.Adam(net.parameters(), 3e-3)
shard = list(range(150 if rank == 0 else 131))  # the last shard of the set is shorter
note(event="data", batches=len(shard), epochs=2)
for epoch in range(2):
    for k in shard:
        g = torch.Generator().manual_seed(1000 * rank + k); x = torch.randn(16, 12, generator=g); loss = (net(x) - x.flip(1)).pow(2).mean(); opt.zero_grad(); loss.backward()
        flat = torch.cat([p.grad.flatten() for p in net.parameters()]); dist.all_reduce(flat); at = 0
        for p in net.parameters(): p.grad.copy_(flat[at:at + p.numel()].view_as(p)); p.grad /= 2; at += p.numel()
        opt.step(); time.sleep(0.02)
        if k % 10 == 0: note(epoch=epoch, batch=k, loss=round(loss.item(), 4))
    note(event="epoch_end", epoch=epoch); metrics = [None, None]; dist.all_gather_object(metrics, loss.item()); note(event="metrics", values=metrics)
"""

LOCKORDER = """
import fcntl, math, multiprocessing as mp, os, random, sys, time
# four walkers, each on its own core; energies are averaged every block, walker 0 writes the restart file
def walker(me, n, bar, acc):
    rng = random.Random(me); x, e = 0.5 * me, 0.0
    for block in range(1, 201):
        for _ in range(400):
            y = x + rng.uniform(-1, 1)
            if rng.random() < math.exp(min(0, (x * x - y * y))): x = y
            e += x * x
        acc[me] = e / (400 * block); time.sleep(0.1)
        if block % 5 == 0: print(f"walker {me}: block {block}/200  <x2> = {acc[me]:.5f}", flush=True)
        if block % 30 == 0:
            with open("restart.lock", "w") as lock:
                if me == 0: fcntl.flock(lock, fcntl.LOCK_EX); print("walker 0: holding restart.lock, waiting at the barrier for walkers 1, 2, 3", flush=True); bar.wait()
                else:
                    time.sleep(0.3); fcntl.flock(lock, fcntl.LOCK_EX); print(f"walker {me}: got restart.lock", flush=True); bar.wait()
        else: bar.wait()
if __name__ == "__main__":
    bar, acc = mp.Barrier(4), mp.Array("d", 4); ps = [mp.Process(target=walker, args=(k, 4, bar, acc)) for k in range(4)]
    [p.start() for p in ps]; [p.join() for p in ps]; print(f"<x2> of all walkers {sum(acc) / 4:.5f}")
"""

SERVERHANG = """
import json, socket, socketserver, threading, time
class Scorer(socketserver.StreamRequestHandler):
    seen = 0
    def handle(self):
        for line in self.rfile:
            Scorer.seen += 1
            if Scorer.seen > 70: threading.Event().wait()  # its queue is full and nobody drains it
            self.wfile.write(json.dumps({"score": sum(line) % 97 / 97}).encode() + b"\\n")
srv = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Scorer); srv.daemon_threads = True; threading.Thread(target=srv.serve_forever, daemon=True).start()
s = socket.create_connection(srv.server_address); f = s.makefile("rwb")
print("reward client connected to 127.0.0.1, scoring 400 rollouts", flush=True); total = 0.0
for k in range(1, 401):
    t = time.time(); f.write(f"rollout {k} {'abc' * (k % 9)}\\n".encode()); f.flush(); total += json.loads(f.readline())["score"]; time.sleep(0.08)
    if k % 5 == 0: print(f"rollout {k}/400 mean_reward={total / k:.4f} latency={1000 * (time.time() - t):.0f}ms", flush=True)
print("done")
"""

WAVES = """
#!/usr/bin/env python3
import argparse, math, time
p = argparse.ArgumentParser(); p.add_argument("--t-end", type=float); p.add_argument("--nx", type=int); a = p.parse_args()
dx = 1 / a.nx; dt = 0.5 * dx; u = [math.exp(-200 * (i * dx - 0.3) ** 2) for i in range(a.nx)]; old = u[:]; n, t, began = 0, 0.0, time.time()
print(f"1D wave equation, nx={a.nx}, dt={dt:.5f}, t_end={a.t_end} ({int(a.t_end / dt)} steps)", flush=True)
while t < a.t_end:
    new = [0.0] * a.nx
    for i in range(1, a.nx - 1): new[i] = 2 * u[i] - old[i] + 0.25 * (u[i + 1] - 2 * u[i] + u[i - 1])
    old, u, n, t = u, new, n + 1, t + dt; time.sleep(0.004)
    if n % 100 == 0:
        left = (a.t_end - t) * (time.time() - began) / t
        print(f"n={n:6d} t={t:8.4f} ({100 * t / a.t_end:5.2f}%) max|u|={max(map(abs, u)):.5f} remaining ~{left / 60:.1f} min", flush=True)
"""

LORA = """
import torch, time, sys
from torch import nn
torch.manual_seed(3); base = nn.Linear(64, 64); base.requires_grad_(False); A, B = nn.Parameter(torch.randn(4, 64) * 0.1), nn.Parameter(torch.zeros(64, 4))
target = base.weight + torch.randn(64, 4) @ torch.randn(4, 64) / 8; opt = torch.optim.AdamW([A, B], 3e-3)
print("trainable params: 512 || all params: 4,672 || trainable%: 10.96"); best = 9e9
for step in range(1, 3001):
    x = torch.randn(32, 64); loss = (base(x) + x @ A.T @ B.T - x @ target.T - base.bias).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.02); best = min(best, loss.item())
    if step % 25 == 0: print(f"{step}/3000 [train] loss={loss.item():.4f} best={best:.4f} lr=3.0e-03", flush=True)
"""

JOBS = (
    told(
        "C1",
        "bash start_ranks.sh PYTHON PORT",
        {"start_ranks.sh": WRONGPORTSH, "train_ranks.py": WRONGPORT},
        "rank 1 goes to another port than rank 0; neither gets a group, until the limit",
        timeout_s=45,
        first=(),
    ),
    told(
        "C2",
        f"{RUN2} reverse_fit.py",
        {"reverse_fit.py": UNEVEN},
        "rank 1 ends its epoch at batch 130 and gathers, rank 0 is in the gradients' all-reduce of batch 131; both silent to the limit",
        timeout_s=60,
    ),
    told(
        "C2",
        "PYTHON vmc_walkers.py",
        {"vmc_walkers.py": LOCKORDER},
        "walker 0 holds the lock and waits for all, the others never get it: nothing after block 30 until the limit",
        python="system",
        timeout_s=30,
    ),
    told(
        "C3",
        "PYTHON score_rollouts.py",
        {"score_rollouts.py": SERVERHANG},
        "rollouts ten a second up to 70, then silence to the limit",
        python="system",
        timeout_s=40,
    ),
    told(
        "F3",
        "PYTHON wave1d.py --t-end 40 --nx 200",
        {"wave1d.py": WAVES},
        "advancing to the limit, minutes remaining by its own word",
        variant="advancing",
        python="system",
        timeout_s=16,
    ),
    told("F4", "PYTHON lora_fit.py", {"lora_fit.py": LORA}, "Ctrl-C while it goes on", signal=Signal("INT", "175/3000")),
)
