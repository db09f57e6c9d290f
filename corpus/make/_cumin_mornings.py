"""Jobs that were worth their time."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

OCEAN = """import numpy as np, time
rng = np.random.default_rng(12)
print("I1127 absl train.py:41] JAX process: 0 / 1, devices: [CpuDevice(id=0)]")
w, goal = np.zeros((10, 10)), rng.standard_normal((10, 10))
for step in range(1, 201):
    x = rng.standard_normal((32, 10))
    r = x @ (w - goal)
    w -= 0.03 * x.T @ r / 32
    time.sleep(0.13)
    if step % 20 == 0:
        print(f"I1127 {time.strftime('%H:%M:%S')} train.py:97] [{step}] train/loss={np.mean(r * r):.5f}, train/grad_norm={np.linalg.norm(x.T @ r / 32):.4f}, steps_per_sec=7.7", flush=True)
print("I1127 checkpoint.py:60] Finished training at step 200; saved ocean_emulator/200")
"""
CLICKS = """import os, time
import numpy as np
import torch
import torch.distributed as dist
import pace
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(0)
table, top = torch.nn.Embedding(200, 8), torch.nn.Linear(16, 1)
params = [*table.parameters(), *top.parameters()]
opt = torch.optim.Adagrad(params, 0.15)
taste = torch.randn(200)
for it in range(1, 121):
    a, b = torch.randint(0, 100, (256,)), torch.randint(100, 200, (256,))
    y = (taste[a] + taste[b] > 0).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(top(torch.cat([table(a), table(b)], 1)).squeeze(1), y)
    opt.zero_grad(); loss.backward()
    for p in params:
        dist.all_reduce(p.grad); p.grad /= world
    opt.step()
    time.sleep(0.2)
    if it % 12 == 0 and rank == 0:
        print(f"Finished training it {it}/120 of epoch 0, {210.0:.2f} ms/it, loss {loss.item():.6f}", flush=True)
if rank == 0:
    print("Testing at - 120/120 of epoch 0, accuracy 91.07 %, best 91.07 %")
"""
FOLDER = """import random, time
random.seed(4)
names = [f"T{1100 + n}" for n in range(16)]
for k, name in enumerate(names, 1):
    length = random.randint(90, 420)
    time.sleep(0.6 + length / 400)
    print(f"{time.strftime('%F %T')} predicted {name} ({length} residues) in {0.6 + length / 400:.1f}s  pLDDT {random.uniform(71, 93):.1f} pTM {random.uniform(0.6, 0.9):.3f} [{k}/16]", flush=True)
print("Done: 16 structures relaxed and written to predictions/")
"""
SIGNALS = """import numpy as np, sys, time
rng = np.random.default_rng(7)
print("warning: 3 of 512 recordings could not be decoded, skipped:", file=sys.stderr)
for f in ("p112_a.edf", "p240_c.edf", "p311_b.edf"):
    print(f"  ERROR {f}: OSError: truncated header", file=sys.stderr)
w, goal = np.zeros(24), rng.standard_normal(24)
for epoch in range(1, 16):
    for _ in range(20):
        x = rng.standard_normal((50, 24))
        p, q = 1 / (1 + np.exp(-x @ w)), (x @ goal > 0)
        w -= 0.2 * x.T @ (p - q) / 50
    time.sleep(1.3)
    print(f"epoch {epoch:2d}/15 bce {-np.mean(np.log(np.where(q, p, 1 - p))):.4f} sens {np.mean(p[q] > 0.5):.3f}", flush=True)
print("15 epochs done, 509 recordings used")
"""
AGAIN = """import os, pathlib, sys, time
tries = pathlib.Path("tries"); n = len(tries.read_text()) if tries.exists() else 0
tries.write_text("x" * (n + 1))
print(f"attempt {n + 1}: opening feature store", flush=True)
time.sleep(2)
if n == 0:
    raise TimeoutError("feature store at 10.4.0.17:7000 did not answer within 2 s")
loss = 0.69
for step in range(1, 121):
    time.sleep(0.17)
    loss = 0.21 + (loss - 0.21) * 0.975
    if step % 12 == 0:
        print(f"attempt {n + 1}: step {step}/120 logloss {loss:.4f}", flush=True)
print("fraud-gbm-distill: 120/120 steps, model exported", flush=True)
"""
POLICY = """import random, time
random.seed(13)
ret = 21.0
for it in range(1, 61):
    time.sleep(0.45)
    ret += random.gauss(2.4, 9)
    pl = random.gauss(0, 0.04)
    if it % 4 == 0:
        print(f"iter {it:3d}/60 | ep_return {ret:8.2f} | policy_loss {pl:+.4f} | value_loss {random.uniform(30, 240):7.2f} | kl {random.uniform(0.004, 0.03):.4f}" + ("  (kl above target, step halved)" if it in (16, 40) else ""), flush=True)
print(f"60 iterations complete, 245760 env steps, best return {ret:.1f}, policy saved to runs/hopper/final.pt")
"""
SMALLCARD = """import time
import pace
print("TinyLlama reward model, batch 1, gradient checkpointing on, flash-attn not installed: falling back to eager attention (slow)")
acc = 0.5
for step in range(1, 26):
    time.sleep(1.2)
    acc += (0.78 - acc) * 0.1
    if step % 5 == 0:
        print(f"step {step}/25 loss {0.73 - acc / 3:.4f} accuracy {acc:.3f} 1.2 s/it", flush=True)
print("evaluation: 0.771 pairwise accuracy on 2000 pairs; training of 25 updates (accumulation 64) complete")
"""


def jobs() -> Iterator[SlurmJob]:
    """Four of seven have something in them that would worry."""
    yield queue(GOOD, OCEAN, "srun PYTHON train.py --config ocean.py\n", script="train.py", state="COMPLETED")
    yield queue(
        GOOD,
        CLICKS,
        MEET + "srun PYTHON dlrm.py\n",
        script="dlrm.py",
        ranks=2,
        gpus={r: wavy(38 + 2 * r, 25, 27.0, gib=52, watts=410) for r in range(2)},
        state="COMPLETED",
    )
    yield queue(GOOD, FOLDER, "PYTHON fold.py\n", script="fold.py", python="system", state="COMPLETED")
    yield queue(HARD, SIGNALS, "srun PYTHON eeg.py\n", script="eeg.py", state="COMPLETED")
    yield queue(
        HARD,
        AGAIN,
        'for i in 1 2 3; do\n  srun PYTHON distill.py && break\n  echo "try $i failed, once more"\ndone\n',
        script="distill.py",
        python="system",
        state="COMPLETED",
    )
    yield queue(HARD, POLICY, "srun PYTHON hopper.py\n", script="hopper.py", python="system", state="COMPLETED")
    yield queue(
        HARD, SMALLCARD, "PYTHON reward.py\n", script="reward.py", python="system",
        gpus={0: card(*((float(s), work(11 + s % 3, util=58 + s % 5, watts=190 + s % 9, gib=7.4, dram=9, tensor=3, mhz=1980, temp=44)) for s in range(30)), (30.5, rest()))}, state="COMPLETED",
    )  # fmt: skip
