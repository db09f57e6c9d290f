"""Jobs that hang, wait, crawl, or are stopped from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._amber_sluices_frame import bursts, busy, humming, ill, sbatch, still, told
from corpus.make._amber_sluices_good import ICE, ICE_RUN
from corpus.running.job import SlurmJob

WARMING = """import random
import time

import clock

random.seed(12)
print("tracker-s, 1 card, 640 px, fp16", flush=True)
clock.wait()
box = 3.1
for it in range(1, 73):
    began = time.time()
    box = 0.97 * box + 0.03 * random.uniform(0.3, 0.7)
    # the kernels take as long as the card's clock makes them
    time.sleep(0.25 if clock.now() < 9 else 0.78)
    if it % 6 == 0:
        print(f"  {it:3d}/72  box_loss {box:.3f}  cls_loss {box / 2.2:.3f}  {1000 * (time.time() - began):6.1f} ms/iter", flush=True)
print("72 iterations completed, results are the lines above")
"""
LOCKED = '''import fcntl
import os
import socket
import time

import links
from links import RANK, SIZE

who = f"{socket.gethostname()}#{RANK}"


def tokenizer():
    """One worker unpacks it, the others wait for its lock."""
    lock = open(".tok.lock", "w")
    print(f"{who} acquiring .tok.lock", flush=True)
    fcntl.flock(lock, fcntl.LOCK_EX)
    print(f"{who} has .tok.lock", flush=True)
    return lock


if RANK == SIZE - 1:
    time.sleep(2)
    keep = tokenizer()
    again = tokenizer()
print(f"{who} init_process_group: connecting {SIZE} workers at 127.0.0.1:{os.environ['MASTER_PORT']}", flush=True)
links.join()
print(f"{who} all {SIZE} workers connected", flush=True)
for step in range(500):
    links.mean([0.0])
'''
HALO = """import random
import socket
import time

import clock
import links
from links import RANK, SIZE

links.join()
random.seed(RANK)
sensor, plugged = socket.socketpair()
energy = 90.0 + RANK
clock.wait()
for step in range(1, 2000):
    energy += 0.08 * (31.0 - energy) + random.gauss(0, 0.05)
    time.sleep(0.25)
    if RANK == 2 and step == 48:
        print(f"rank {RANK}: flushing trajectory block 3 to the collector", flush=True)
        sensor.sendall(b"block 3")
        sensor.recv(1)
    mean = links.mean([energy])[0]
    if step % 4 == 0:
        print(f"rank {RANK}: step {step} allreduce ok, energy {mean:.4f}", flush=True)
"""
PREFETCH = """import queue
import random
import threading
import time

import clock

random.seed(2)
ready, free = queue.Queue(4), queue.Queue()
for slot in range(4):
    free.put(slot)


def prefetch():
    n = 0
    while True:
        slot = free.get()
        n += 1
        ready.put((slot, [random.gauss(0.4, 1) for _ in range(64)]))


threading.Thread(target=prefetch, daemon=True).start()
mean = 5.0
print("prefetch: 4 pinned buffers", flush=True)
clock.wait()
for step in range(1, 5000):
    slot, batch = ready.get()
    mean += 0.1 * (sum(batch) / 64 - mean)
    time.sleep(0.3)
    if step % 12:
        free.put(slot)
    if step % 3 == 0:
        print(f"step={step:05d} nll={(mean - 0.4) ** 2 + 1.42:.5f}", flush=True)
"""
STARVED = """import random
import time

import clock
import links
from links import RANK, SIZE

links.join()
random.seed(RANK)
clock.wait()
waited = worked = 0.0
theta = 2.0
for step in range(1, 13):
    a = time.time()
    rows = []
    for _ in range(16):  # one thread opens, inflates and resizes every picture
        time.sleep(0.14)
        rows.append(random.gauss(0.5, 0.2))
    b = time.time()
    g = links.mean([sum(theta - r for r in rows) / 16])[0]
    theta -= 0.4 * g
    time.sleep(0.4)
    waited, worked = waited + b - a, worked + time.time() - b
    if RANK == 0:
        print(f"Train: [{step}/12]  loss {g * g + 0.04:.4f}  DataTime {b - a:.3f}  BatchTime {time.time() - a:.3f}", flush=True)
if RANK == 0:
    print(f"Epoch finished. dataloader {waited:.1f}s ({100 * waited / (waited + worked):.0f}% of wall), forward+backward {worked:.1f}s", flush=True)
"""
SAVES = """import hashlib
import logging
import os
import time

import torch

import clock

logging.basicConfig(format="%(levelname)s:%(name)s:%(message)s", level=logging.INFO)
log = logging.getLogger("surrogate")
torch.manual_seed(8)
net = torch.nn.Sequential(torch.nn.Linear(6, 128), torch.nn.Tanh(), torch.nn.Linear(128, 3))
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
spent = {"train": 0.0, "checkpoint": 0.0}
clock.wait()
for step in range(1, 27):
    t = time.time()
    x = torch.rand(128, 6)
    loss = (net(x) - torch.stack([x.sum(1), x.prod(1), x.amax(1)], 1)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.3)
    spent["train"] += time.time() - t
    t = time.time()
    with open(f"ck_{step:04d}.pt", "wb") as f:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict()}, f)
        f.flush()
        os.fsync(f.fileno())
    time.sleep(0.8)  # the parallel file system takes its time
    digest = hashlib.sha1(open(f.name, "rb").read()).hexdigest()[:8]
    spent["checkpoint"] += time.time() - t
    log.info("step %d loss %.5f | wrote %s (%s) in %.2fs", step, loss.item(), f.name, digest, time.time() - t)
log.info("26 steps; seconds by phase: %s", {k: round(v, 1) for k, v in spent.items()})
"""
LAGGARD = """import random
import time

import clock
import links
from links import RANK, SIZE

links.join()
random.seed(40 + RANK)
w = 4.0
clock.wait()
for step in range(1, 37):
    a = time.time()
    g = w - random.gauss(1.0, 0.3)
    time.sleep(0.72 if RANK == 1 else 0.16)
    own = time.time() - a
    w -= 0.12 * links.mean([g])[0]
    own_times = links.gather(own)
    if RANK == 0 and step % 3 == 0:
        print(f"step {step:>2}/36 loss {(w - 1) ** 2 + 0.09:.4f} | compute s by rank: " + " ".join(f"{t:.2f}" for t in own_times), flush=True)
if RANK == 0:
    print("36 steps complete", flush=True)
"""
ADRIFT = """import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo", rank=int(os.environ["SLURM_PROCID"]), world_size=int(os.environ["SLURM_NTASKS"]))
node = os.environ["SLURMD_NODENAME"]
torch.manual_seed(1)
unet = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(18, 36), torch.nn.Mish(), torch.nn.Linear(36, 18)))
opt = torch.optim.AdamW(unet.parameters(), lr=2e-3)
print(f"{node} ready", flush=True)
for n in range(1, 60_000):
    x0 = torch.randn(64, 3) @ torch.ones(3, 18).triu()
    eps = torch.randn_like(x0)
    loss = (unet(0.8 * x0 + 0.6 * eps) - eps).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.1)
    if n % 20 == 0 and dist.get_rank() == 0:
        print(f"{node} {n}/60000 eps_mse={loss.item():.4f}", flush=True)
"""
LONELY = """import math
import os
import random
import time

random.seed(77)
node = os.environ["SLURMD_NODENAME"]
temperature, length = 10.0, 400.0
print(f"tour optimiser on {node}: 160 cities, cooling 0.9995", flush=True)
for sweep in range(1, 100_000):
    length += -0.004 * (length - 120) + random.gauss(0, 0.02 * temperature)
    temperature *= 0.9995
    time.sleep(0.1)
    if sweep % 30 == 0:
        print(f"sweep {sweep} length {length:.3f} T {temperature:.4f} acceptance {math.exp(-1 / temperature):.3f}", flush=True)
"""
EVICT = """import json
import os
import pathlib
import random
import time

attempt = os.environ.get("SLURM_RESTART_COUNT", "0")
state = {"epoch": 0, "w": 3.0, "b": -2.0}
kept = pathlib.Path("progress.json")
if kept.exists():
    state = json.loads(kept.read_text())
    print(f"(run {attempt}) restored progress.json, continuing with epoch {state['epoch'] + 1}", flush=True)
else:
    print(f"(run {attempt}) nothing to restore", flush=True)
random.seed(state["epoch"])
while state["epoch"] < 32:
    loss = 0.0
    for _ in range(200):
        x = random.uniform(-1, 1)
        e = state["w"] * x + state["b"] - (0.5 * x + 0.25)
        state["w"], state["b"], loss = state["w"] - 0.005 * e * x, state["b"] - 0.005 * e, loss + e * e / 200
    time.sleep(1.0)
    state["epoch"] += 1
    kept.write_text(json.dumps(state))
    print(f"(run {attempt}) epoch {state['epoch']:02d}/32 mse {loss:.5f}", flush=True)
print(f"(run {attempt}) finished: w={state['w']:.3f} b={state['b']:.3f}", flush=True)
"""
STOPPED = """import os
import random
import time

import links
from links import RANK, SIZE

links.join()
random.seed(RANK)
score = -200.0
if RANK == 0:
    print(f"ppo walker: {SIZE} actors on {os.environ['SLURM_JOB_NODELIST']}, 2.0e6 frames", flush=True)
frames = 0
while frames < 2_000_000:
    score += 0.05 * (180 + random.gauss(0, 60) - score)
    mean = links.mean([score])[0]
    frames += 2048 * SIZE
    time.sleep(0.4)
    if RANK == 0 and frames % 16384 == 0:
        print(f"frames {frames:>9,d} | episode reward {mean:8.2f} | fps {2048 * SIZE / 0.4:,.0f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, saves, nodes, limits, and who stopped it."""
    hot = []
    for s in range(32):
        mhz, held = max(1755 - 290 * (s + 1), 585), int(s * 0.94e9)
        moves = {
            "temperature": str(min(84 + s, 94)),
            "memory.temperature": "103",
            "clock.sm": str(mhz),
            "clock.graphics": str(mhz),
            "power.usage": "281000",
        }
        moves |= {"throttle_reasons": "0x60", "slowdown.hw_thermal": str(held), "violation.thermal": f"{1000000 + s * 1000000} {held}"}
        hot.append((9.0 + s, moves))
    yield sbatch(
        ill("B3", fault="node"), {"track.py": WARMING}, "srun PYTHON track.py\n", cards=[told((0.0, busy(60)), *hot, (41.0, still()))], python="system",
        state="COMPLETED",
    )  # fmt: skip
    lock = "srun -l PYTHON -u start.py\n"
    yield sbatch(
        ill("C1"), {"start.py": LOCKED}, lock, "--time=1", shape=(2, 4), python="system", state="TIMEOUT"
    )  # its own second lock; it never joins
    spinning = busy(2, gib=30, watts=131, util=100, mhz=1980, temp=47, dram=0, tensor=0)
    hung = [told((0.0, busy(50 + r, gib=30)), (12.4, still(30, watts=115, mhz=1980, temp=42) if r == 2 else spinning)) for r in range(4)]
    yield sbatch(
        ill("C2", fault="unknown"), {"md.py": HALO}, "srun PYTHON -u md.py\n", "--time=2", shape=(2, 4), cards=hung, python="system", state="TIMEOUT"
    )
    # four buffers, and each twelfth batch's is not given back: after 48 there is none
    dry = told((0.0, busy(36, gib=13, watts=366)), (14.7, still(13, watts=114, mhz=1980, temp=42)))
    yield sbatch(
        ill("C3", fault="unknown"), {"nll.py": PREFETCH}, "srun PYTHON nll.py\n", cards=[dry], python="system", act="scancel_late", after="step=00048",
        state="CANCELLED",
    )  # fmt: skip
    waits = bursts(0.4, 2.24, 12, sm=51, gib=27, first_idle=True)
    yield sbatch(ill("D1"), {"jpeg.py": STARVED}, "srun PYTHON -u jpeg.py\n", shape=(2, 4), cards=[waits] * 4, python="system", state="COMPLETED")
    saving = bursts(0.3, 0.83, 26, sm=44, gib=7)
    yield sbatch(ill("D2", variant="save_storm"), {"pinn.py": SAVES}, "srun PYTHON pinn.py\n", cards=[saving], begin_s=60, state="COMPLETED")
    lag = [humming(62 if r == 1 else 14, 27.5, seed=r + 1, watts=585 if r == 1 else 236, swing=3, util=99) for r in range(4)]
    yield sbatch(
        ill("D3", fault="unknown"), {"ddp.py": LAGGARD}, "srun PYTHON -u ddp.py\n", shape=(2, 4), cards=lag, python="system", state="COMPLETED"
    )
    yield sbatch(
        ill("F1", fault="node"), {"eps.py": ADRIFT}, "srun PYTHON eps.py\n", "--no-requeue", "--job-name=ddpm", shape=(2, 2), where="-wn2,n4", act="lose_node",
        after=" 80/60000", state="NODE_FAIL",
    )  # fmt: skip
    yield sbatch(
        ill("F1", fault="node"), {"tour.py": LONELY}, "srun PYTHON tour.py\n", "--no-requeue", where="-wn3", python="system", act="node_down",
        after="sweep 90 ", state="NODE_FAIL",
    )  # fmt: skip
    yield sbatch(
        ill("F2", None, "preempted_recovered", fault="none"), {"fit.py": EVICT}, "srun PYTHON fit.py\n", "--requeue", "--open-mode=append", where="-wn6",
        python="system", act="preempt", after="epoch 06/32", state="COMPLETED",
    )  # fmt: skip
    yield sbatch(ill("F3", None, "advancing"), {"ice.py": ICE}, ICE_RUN, "--time=1", "--job-name=ice-flow", key="ice", state="TIMEOUT")
    yield sbatch(
        ill("F4", None, "by_owner"), {"ppo.py": STOPPED}, "srun PYTHON -u ppo.py\n", shape=(2, 4), python="system", act="scancel", after="frames +98,304",
        state="CANCELLED",
    )  # fmt: skip
