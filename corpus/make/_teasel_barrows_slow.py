"""Jobs that wait for ever, or for too long, or whose end came from Slurm and its people."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._amber_sluices_frame import bursts, busy, humming, ill, sbatch, still, told
from corpus.running.job import SlurmJob

BRAKED = """import random
import time

import clock
import links
from links import RANK, SIZE

links.join()
random.seed(RANK + 60)
clock.wait()
perplexity = 60.0
for step in range(1, 71):
    t = time.time()
    perplexity += 0.05 * (14 - perplexity) + random.gauss(0, 0.2)
    time.sleep(0.22 if clock.now() < 8 else 0.85)  # as fast as the clocks of its card
    shown = links.mean([perplexity])[0]
    if RANK == 0 and step % 5 == 0:
        print(f"{step}/70 ppl={shown:.2f} step_time={time.time() - t:.2f}s tok/s={8192 / (time.time() - t):.0f}", flush=True)
if RANK == 0:
    print("70/70 finished, exported", flush=True)
"""
HELLO = """import os

import torch.distributed as dist

dist.init_process_group("gloo")
print(f"rank {dist.get_rank()} of {dist.get_world_size()} on {os.uname().nodename}", flush=True)
"""
GATHER = """export LOGLEVEL=INFO
nnodes=3
echo "launching $nnodes x 1 workers, rendezvous 127.0.0.1:$MASTER_PORT, nodes: $SLURM_JOB_NODELIST"
srun --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=$nnodes --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$MASTER_PORT --rdzv-conf=join_timeout=3600 --rdzv-id=$SLURM_JOB_ID --local-addr=127.0.0.1 pre.py
"""
EXCHANGE = '''import json
import os
import pathlib
import random
import time

me, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
box = pathlib.Path("weights")
box.mkdir(exist_ok=True)
random.seed(me)
LABELS = {"cat": 0.9, "dog": -0.4, "owl": 0.3}


def swap(round_, value):
    """Leave mine for the others, wait for theirs."""
    part = box / f".{round_:04d}.{me}"
    part.write_text(json.dumps(value))
    part.rename(box / f"{round_:04d}.{me}")
    theirs = [box / f"{round_:04d}.{k}" for k in range(n)]
    while not all(p.exists() for p in theirs):
        time.sleep(0.05)
    return sum(json.loads(p.read_text()) for p in theirs) / n


w = 3.0
for round_ in range(1, 1200):
    names = random.choices(list(LABELS), k=16)
    if me == 1 and round_ == 64:
        names[3] = "0wl"
    goal = sum(LABELS[name] for name in names) / 16
    w = swap(round_, w - 0.1 * (w - goal))
    time.sleep(0.1)
    if round_ % 8 == 0:
        print(f"federated client {me}: round {round_} w={w:.4f} loss={(w - 0.27) ** 2:.5f}", flush=True)
'''
TWO_LOCKS = """import threading
import time

import torch

import clock

stats_lock, model_lock = threading.Lock(), threading.Lock()
torch.manual_seed(3)
policy = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ELU(), torch.nn.Linear(32, 4))
opt = torch.optim.Adam(policy.parameters(), lr=2e-3)
publish = threading.Event()


def publisher():
    while True:
        publish.wait()
        publish.clear()
        with stats_lock:
            time.sleep(0.6)
            with model_lock:
                torch.save(policy.state_dict(), "published.pt")


threading.Thread(target=publisher, daemon=True).start()
clock.wait()
for update in range(1, 4000):
    if update == 33:
        publish.set()
        time.sleep(0.2)
    with model_lock:
        state = torch.randn(64, 10)
        loss = torch.nn.functional.cross_entropy(policy(state), state[:, :4].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.4)
        with stats_lock:
            if update % 4 == 0:
                print(f"[learner] update={update} bc_loss={loss.item():.4f} published={'yes' if update > 33 else 'not yet'}", flush=True)
"""
TAPES = """import logging
import random
import time

import clock

logging.basicConfig(format="%(relativeCreated)8.0f %(name)s %(message)s", level=logging.INFO)
log, io = logging.getLogger("train"), logging.getLogger("reader")
random.seed(10)
clock.wait()
loss, stalled, began = 4.0, 0.0, time.time()
for chunk in range(1, 11):
    t = time.time()
    time.sleep(2.9)  # tapes give 12 MB/s
    stalled += time.time() - t
    io.info("queue was empty for %.1f s; chunk_%02d.tar read at %.1f MB/s", time.time() - t, chunk, 34.8 / (time.time() - t))
    for _ in range(4):
        loss = 0.92 * loss + 0.08 * random.uniform(0.6, 0.9)
        time.sleep(0.15)
    log.info("batch %d/40 loss=%.4f", chunk * 4, loss)
log.info("40 batches in %.1f s, of which %.1f s the model had nothing to work on", time.time() - began, stalled)
"""
SOCKETS = """import os
import random
import time

import clock
import links
from links import RANK, SIZE

links.join()
random.seed(RANK)
if RANK == 0:
    print(f"world {SIZE}, NCCL INFO NET/Socket : Using [0]eth0:10.40.2.17<0>, no IB device found", flush=True)
    print("NCCL INFO Using network Socket", flush=True)
clock.wait()
compute = exchange = 0.0
nll = 6.0
for step in range(1, 23):
    a = time.time()
    time.sleep(0.14)
    nll = 0.9 * nll + 0.1 * random.uniform(2.0, 2.4)
    b = time.time()
    shown = links.mean([nll])[0]
    time.sleep(1.1)  # 2.6 GB of gradients over a 10 GbE wire
    compute, exchange = compute + b - a, exchange + time.time() - b
    if RANK == 0:
        print(f"step {step}: nll {shown:.4f} | fwd+bwd {b - a:.2f}s | reduce-scatter+all-gather {time.time() - b:.2f}s", flush=True)
print(f"rank {RANK} summary: compute {compute:.1f}s, communication {exchange:.1f}s ({100 * exchange / (compute + exchange):.0f}%)", flush=True)
"""
ONE_SLOW = """import os
import time

import torch
import torch.distributed as dist

import clock

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(14, 28), torch.nn.GELU(), torch.nn.Linear(28, 1)))
opt = torch.optim.Adam(net.parameters(), lr=8e-3)
clock.wait()
for step in range(1, 41):
    x = torch.randn(64, 14)
    a = time.time()
    loss = (net(x) - x.abs().mean(1, keepdim=True)).square().mean()
    time.sleep(0.62 if rank == 2 else 0.2)
    b = time.time()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 8 == 0:
        print(f"r{rank} @ {step}/40: loss {loss.item():.4f}, own work {1000 * (b - a):.0f} ms, then waited {1000 * (time.time() - b):.0f} ms", flush=True)
if rank == 0:
    print("40/40 done", flush=True)
dist.destroy_process_group()
"""
ORPHANS = """import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, node = dist.get_rank(), os.environ["SLURMD_NODENAME"]
torch.manual_seed(rank)
gnn = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(7, 21), torch.nn.ReLU(), torch.nn.Linear(21, 7)))
opt = torch.optim.NAdam(gnn.parameters(), lr=2e-3)
for k in range(1, 50_000):
    x = torch.randn(60, 7)
    loss = (gnn(x) - x.flip(1).clamp(-1, 1)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.1)
    if k % 25 == 0:
        print(f"{node}/{rank}: minibatch {k} energy_mae {loss.item() ** 0.5:.4f} eV", flush=True)
"""
ORPHAN_RUN = "srun --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$MASTER_PORT --rdzv-id=$SLURM_JOB_ID --local-addr=127.0.0.1 gnn.py\n"
SPOT = """import random
import time

random.seed(18)
theta, generation = [4.0, -3.0, 2.0], 0
print("CMA-like search, population 24, budget 4000 generations", flush=True)
while generation < 4000:
    generation += 1
    trial = [[t + random.gauss(0, 0.3) for t in theta] for _ in range(24)]
    trial.sort(key=lambda v: sum(x * x for x in v))
    theta = [sum(v[k] for v in trial[:6]) / 6 for k in range(3)]
    time.sleep(0.1)
    if generation % 20 == 0:
        print(f"gen {generation:>4} f_best {sum(x * x for x in trial[0]):.6f} theta {[round(t, 3) for t in theta]}", flush=True)
"""
ITSELF = """import os
import pathlib
import pickle
import random
import sys
import time

budget_s, began = 9.0, time.time()
place = pathlib.Path("som.pkl")
lap = int(os.environ.get("SLURM_RESTART_COUNT", 0))
if place.exists():
    iteration, grid = pickle.loads(place.read_bytes())
    print(f"lap {lap}: som.pkl read, going on at iteration {iteration}", flush=True)
else:
    random.seed(0)
    iteration, grid = 0, [[random.random() for _ in range(3)] for _ in range(25)]
    print(f"lap {lap}: new map, 25 cells", flush=True)
while iteration < 150:
    x = [random.random() ** 2 for _ in range(3)]
    near = min(range(25), key=lambda c: sum((a - b) ** 2 for a, b in zip(grid[c], x)))
    grid[near] = [a + 0.2 * (b - a) for a, b in zip(grid[near], x)]
    iteration += 1
    time.sleep(0.1)
    if iteration % 15 == 0:
        error = sum((a - b) ** 2 for a, b in zip(grid[near], x)) + 1 / iteration
        print(f"lap {lap}: iteration {iteration}/150 quantisation error {error:.4f}", flush=True)
    if time.time() - began > budget_s and lap == 0:
        place.write_bytes(pickle.dumps((iteration, grid)))
        print(f"lap {lap}: my slice is over, kept iteration {iteration} in som.pkl", flush=True)
        sys.exit(85)
print(f"lap {lap}: map finished after {iteration} iterations", flush=True)
"""
AGAIN = """srun PYTHON som.py
code=$?
if [ $code -eq 85 ]; then
    echo "asking for another lap"
    scontrol requeue $SLURM_JOB_ID
    sleep 30
fi
exit $code
"""
LONG_EVAL = """import os
import random
import time

task = int(os.environ["SLURM_ARRAY_TASK_ID"])
random.seed(task)
print(f"docking library slice {task}: 9000 ligands against 6LU7", flush=True)
best = 0.0
for ligand in range(1, 9001):
    best = min(best, random.gauss(-5.5, 1.1))
    time.sleep(0.05)
    if ligand % 80 == 0:
        print(f"slice {task}: {ligand:5d}/9000 docked, best affinity {best:.2f} kcal/mol", flush=True)
"""

CENTRES = """import os
import random
import time

import links
from links import RANK, SIZE

links.join()
random.seed(RANK)
mine = [(random.choice((-4, 0, 5)) + random.gauss(0, 1), random.choice((2, -3)) + random.gauss(0, 1)) for _ in range(400)]
if RANK == 0:
    print(f"k-means over {SIZE} partitions x 400 points on {os.environ['SLURM_JOB_NODELIST']}, k=6, 5000 passes or no change", flush=True)
random.seed(1)
centres = [[random.uniform(-6, 6), random.uniform(-5, 4)] for _ in range(6)]
for turn in range(1, 5001):
    sums = [[0.0, 0.0, 1e-9] for _ in centres]
    inertia = 0.0
    for x, y in random.sample(mine, 200):
        d, k = min(((x - a) ** 2 + (y - b) ** 2, k) for k, (a, b) in enumerate(centres))
        inertia += d
        sums[k] = [sums[k][0] + x, sums[k][1] + y, sums[k][2] + 1]
    flat = links.mean([v for row in sums for v in row] + [inertia])
    new = [[flat[3 * k] / flat[3 * k + 2], flat[3 * k + 1] / flat[3 * k + 2]] for k in range(6)]
    centres = [[0.8 * a + 0.2 * b for a, b in zip(old, fresh)] for old, fresh in zip(centres, new)]
    time.sleep(0.8)
    if RANK == 0:
        print(f"  pass {turn}: inertia {flat[-1]:.2f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Clocks, silence, gaps, wires, nodes, people."""
    pulled = []
    for s in range(34):
        held = int(s * 0.97e9)
        pulled.append((8.0 + s, {
            "throttle_reasons": "0x88", "clock.sm": str(max(1755 - 500 * (s + 1), 390)), "clock.graphics": str(max(1755 - 500 * (s + 1), 390)),
            "power.usage": str(198000 + s % 4 * 900), "slowdown.hw_power_brake": str(held), "violation.power": f"{1000000 + s * 1000000} {held}",
        }))  # fmt: skip
    brake = told((0.0, busy(59, gib=61, watts=640)), *pulled, (39.5, still()))
    yield sbatch(
        ill("B3", fault="node"), {"ft.py": BRAKED}, "srun PYTHON -u ft.py\n", shape=(1, 2), cards=(brake, brake), python="system", state="COMPLETED"
    )
    # three nodes are asked for, the job has two
    yield sbatch(
        ill("C1"), {"pre.py": HELLO}, GATHER, "--job-name=pre-8b", shape=(2, 2), act="scancel_late", after="Rendezvous'ing", state="CANCELLED"
    )
    yield sbatch(
        ill("C2", "traceback", first=(1,), trigger="A3"), {"fed.py": EXCHANGE}, "srun -n4 PYTHON -u fed.py\n", "--time=1", "--job-name=fed", shape=(2, 4),
        python="system", state="TIMEOUT",
    )  # fmt: skip
    asleep = told((0.0, busy(31, gib=6, watts=340)), (13.4, still(6, watts=113, mhz=1980, temp=41)))
    yield sbatch(
        ill("C3", fault="unknown"), {"bc.py": TWO_LOCKS}, "srun PYTHON bc.py\n", "--time=2", "--job-name=bc", cards=[asleep], state="TIMEOUT"
    )
    thirst = bursts(0.6, 2.9, 10, sm=46, gib=18, first_idle=True)
    yield sbatch(ill("D1"), {"tape.py": TAPES}, "srun PYTHON tape.py\n", "--job-name=tape", cards=[thirst], python="system", state="COMPLETED")
    wire = [humming(6, 27.5, seed=r + 30, watts=168, swing=3, util=99, tensor=1, dram=2) for r in range(4)]
    yield sbatch(
        ill("D2", variant="interconnect", fault="cluster"), {"zero.py": SOCKETS}, "srun PYTHON -u zero.py\n", "--job-name=zero3", shape=(2, 4), cards=wire,
        python="system", state="COMPLETED",
    )  # fmt: skip
    low = [(float(s), busy(64 + s % 3, gib=12, watts=431 + s % 5, mhz=1005, temp=60)) for s in range(25)]
    near = [[(float(s), busy(19 + (s + r) % 3, gib=12, watts=262 + s % 7, util=100, temp=52)) for s in range(25)] for r in range(3)]
    third = told(*low, (25.8, still()))
    lame = [third if r == 2 else told(*near[r], (25.8, still())) for r in range(3)]
    tri = "srun -n1 --gres=gpu:3 PYTHON -m torch.distributed.run --nnodes=1 --nproc-per-node=3 --master-port=$MASTER_PORT tri.py\n"
    yield sbatch(ill("D3", fault="unknown"), {"tri.py": ONE_SLOW}, tri, shape=(1, 3), cards=lame, state="COMPLETED")
    yield sbatch(
        ill("F1", fault="node"), {"gnn.py": ORPHANS}, ORPHAN_RUN, "--no-requeue", "--job-name=gnn-ev", shape=(2, 2), where="-wn2,n3", act="lose_node",
        after="minibatch 75 ", state="NODE_FAIL",
    )  # fmt: skip
    yield sbatch(
        ill("F2", None, "preempted", fault="cluster"), {"cma.py": SPOT}, "srun PYTHON cma.py\n", "--no-requeue", "--job-name=cma", where="-wn5",
        python="system", act="preempt_for_good", after="gen +60 ", state="PREEMPTED",
    )  # fmt: skip
    yield sbatch(
        ill("F2", None, "requeued_recovered", fault="none"), {"som.py": ITSELF}, AGAIN, "--requeue", "--open-mode=append", "--job-name=som", python="system",
        act="requeues_itself", after="asking for another lap", state="COMPLETED",
    )  # fmt: skip
    yield sbatch(
        ill("F3", None, "advancing"), {"dock.py": LONG_EVAL}, "srun PYTHON dock.py\n", "--array=17", "--time=1", python="system", state="TIMEOUT"
    )
    yield sbatch(
        ill("F4", None, "by_other", fault="none"), {"clusters.py": CENTRES}, "srun PYTHON -u clusters.py\n", "--job-name=centres", shape=(2, 6),
        python="system", act="scancel_by_admin", after="pass 12:", state="CANCELLED",
    )  # fmt: skip
