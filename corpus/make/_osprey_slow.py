"""Jobs that stood still, crept, learned nothing, or that others ended, and what was slow or stood in its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, work
from corpus.running.job import SlurmJob

LAGGARD = """import os, time
import torch
import torch.distributed as dist
import pace

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(1)
net = torch.nn.Linear(24, 8)
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(1, 46):
    t0 = time.time()
    x = torch.randn(40, 24)
    loss = (net(x) - x[:, ::3]).square().mean()
    opt.zero_grad(); loss.backward()
    time.sleep(0.62 if rank == 3 else 0.13)
    t1 = time.time()
    for p in net.parameters():
        dist.all_reduce(p.grad); p.grad /= world
    opt.step()
    if step % 9 == 0:
        print(f"{os.environ['SLURMD_NODENAME']}:{rank} step {step}/45 loss {loss.item():.4f} fwd_bwd {t1 - t0:.3f}s sync {time.time() - t1:.3f}s", flush=True)
print(f"rank {rank} done", flush=True)
"""

RISING = """import math
import numpy as np
import time

rng = np.random.default_rng(4)
w1, w2 = rng.standard_normal((20, 40)) * 0.2, rng.standard_normal((40, 1)) * 0.2
np.seterr(all="ignore")
for epoch in range(1, 31):
    lr = 0.004 if epoch < 9 else 0.9
    for _ in range(20):
        x = rng.standard_normal((64, 20))
        y = x[:, :1] * x[:, 1:2] + x[:, 2:3]
        h = np.maximum(x @ w1, 0)
        err = h @ w2 - y
        g2, g1 = h.T @ err / 64, x.T @ ((err @ w2.T) * (h > 0)) / 64
        w1, w2 = w1 - lr * g1, w2 - lr * g2
    time.sleep(0.8)
    print(f"Epoch {epoch}/30 - loss: {(err**2).mean():.4f} - lr: {lr}", flush=True)
    if not math.isfinite((err**2).mean()):
        raise FloatingPointError(f"loss is {(err**2).mean()} in epoch {epoch}; aborting")
"""

STUCKACC = """import torch, time
torch.manual_seed(5)
net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
opt = torch.optim.SGD(net.parameters(), lr=1e-9)
x = torch.randn(1000, 32)
y = x[:, :10].argmax(1)
print("CIFAR-style classifier, 10 classes, 1000 samples")
for epoch in range(1, 31):
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0).item()
    opt.step()
    time.sleep(0.7)
    acc = (net(x).argmax(1) == y).float().mean().item()
    print(f"epoch {epoch:3d} | loss {loss.item():.4f} | acc {100 * acc:.1f}% | grad {norm:.4f} | lr {opt.param_groups[0]['lr']:.1e}", flush=True)
print("training complete, final accuracy {:.1f}%".format(100 * acc))
"""

FEW = """import torch, time
steps = 3
print(f"***** Running training *****\\n  Num examples = 52,002\\n  Num Epochs = 1\\n  Instantaneous batch size per device = 8\\n  Total optimization steps = {steps}")
net = torch.nn.Linear(12, 12)
opt = torch.optim.AdamW(net.parameters(), lr=2e-5)
t = time.time()
for s in range(1, steps + 1):
    x = torch.randn(8, 12)
    loss = (net(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(2)
    print({"loss": round(loss.item(), 4), "learning_rate": 2e-5 * (1 - s / steps), "epoch": 0.0}, flush=True)
print({"train_runtime": round(time.time() - t, 4), "train_samples_per_second": 3.9, "train_loss": round(loss.item(), 4), "epoch": 0.0})
print("Saving model checkpoint to alpaca-lora/")
"""

PAIR = """import os, time
import torch
import torch.distributed as dist
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(3)
enc = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(18, 18))
opt = torch.optim.RMSprop(enc.parameters(), 2e-3)
for k in range(1, 4001):
    x = torch.randn(30, 18)
    loss = (enc(x) - x.cummax(1).values).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.11)
    if k % 20 == 0:
        print(f"{os.environ['SLURMD_NODENAME']} | {k:>4}/4000 | {loss.item():.4f}", flush=True)
"""

COMEBACK = """import json, os, pathlib, random, time
state = pathlib.Path("diffusion_state.json")
start, ema = 1, 1.0
if state.exists():
    kept = json.loads(state.read_text())
    start, ema = kept["step"] + 1, kept["ema"]
    print(f"Resuming from checkpoint diffusion_state.json (step {kept['step']}, restart {os.environ.get('SLURM_RESTART_COUNT')})", flush=True)
else:
    print("no checkpoint found, starting fresh", flush=True)
random.seed(start)
for step in range(start, 281):
    ema = 0.98 * ema + 0.02 * (0.05 + random.random() * 0.02)
    time.sleep(0.12)
    if step % 20 == 0:
        state.write_text(json.dumps({"step": step, "ema": ema}))
        print(f"ddpm step {step}/280 eps_mse {ema:.4f} checkpoint written", flush=True)
print("ddpm: 280 steps finished")
"""

GENOME = """import os, pathlib, time
import numpy as np
keep = pathlib.Path("../dna_runs"); keep.mkdir(exist_ok=True)
rng = np.random.default_rng(3)
w, goal = np.zeros((4, 16)), rng.standard_normal((4, 16))
for step in range(1, 6001):
    x = rng.standard_normal((50, 4))
    diff = x @ (w - goal)
    w -= 0.003 * x.T @ diff / 50
    time.sleep(0.1)
    if step % 25 == 0:
        print(f"[dna-lm] step {step} / 6000 loss {(diff**2).mean():.4f} {10:.1f} step/s", flush=True)
    if step % 100 == 0:
        np.savez(keep / f"ckpt-{step}.npz", w=w, step=step)
        print(f"[dna-lm] saved {keep}/ckpt-{step}.npz", flush=True)
"""

GENOME_AGAIN = """import pathlib, sys, time
import numpy as np
where = pathlib.Path(sys.argv[2])
rng = np.random.default_rng(3)
w, goal = np.zeros((4, 16)), rng.standard_normal((4, 16))
first = 1
for f in sorted(where.glob("checkpoint-*/state.npz"))[-1:]:
    kept = np.load(f)
    w, first = kept["w"], int(kept["step"]) + 1
    print(f"[dna-lm] restored {f} at step {first - 1}")
for step in range(first, 351):
    x = rng.standard_normal((50, 4))
    diff = x @ (w - goal)
    w -= 0.003 * x.T @ diff / 50
    time.sleep(0.08)
    if step % 25 == 0:
        print(f"[dna-lm] step {step} / 350 loss {(diff**2).mean():.4f}", flush=True)
print("[dna-lm] end of run")
"""

SLOWPOKE = """import os, time, random
random.seed(0)
n_eval = 900
ok = 0
for i in range(1, n_eval + 1):
    time.sleep(0.2)
    ok += random.random() < 0.63
    if i % 15 == 0:
        print(f"gsm8k: {i}/{n_eval} problems, exact match {ok / i:.3f}, {5.0:.1f} problems/s", flush=True)
print(f"gsm8k exact match {ok / n_eval:.4f}")
"""

SWEEP = """import random, time
random.seed(8)
best = 9.0
for trial in range(1, 61):
    lr, width = 10 ** random.uniform(-4, -2), random.choice([64, 128, 256])
    loss = 1.0
    for e in range(6):
        loss *= random.uniform(0.75, 0.95)
        time.sleep(0.15)
    best = min(best, loss)
    print(f"[I {time.strftime('%Y-%m-%d %H:%M:%S')}] Trial {trial} finished with value: {loss:.5f} and parameters: {{'lr': {lr:.5f}, 'width': {width}}}. Best value: {best:.5f}.", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The record shows the silence, the gaps, the saves, the curve, the node, or who ended it."""
    yield queue(
        bad("D3", None, fault="unknown"), LAGGARD, MEET + "srun PYTHON reg.py\n", script="reg.py", ranks=4, nodes=2,
        gpus={r: card((0.0, work(60, watts=470, mhz=1755)), (10.0, work(62, watts=476, mhz=1755)), (20.0, work(59, watts=472, mhz=1755)), (28.5, rest()))
              if r == 3 else card(*((float(s), work(13 + (s + r) % 3, util=100, watts=228 + s % 7, mhz=1755, temp=51)) for s in range(28)), (28.5, rest())) for r in range(4)},
        state="COMPLETED",
    )  # fmt: skip
    yield queue(bad("E1", "nan_loss", "non_finite"), RISING, "PYTHON product.py\n", script="product.py", state="FAILED")
    yield queue(bad("E1"), STUCKACC, "srun PYTHON cifar.py\n", script="cifar.py", state="COMPLETED")
    yield queue(bad("E3"), FEW, "srun PYTHON alpaca.py\n", script="alpaca.py", state="COMPLETED")
    yield queue(
        bad("F1", None, fault="node"),
        PAIR,
        MEET + "srun PYTHON cummax.py\n",
        script="cummax.py",
        ranks=2,
        nodes=2,
        where="-wn2,n4",
        options=("--no-requeue",),
        act="lose_node",
        after="60/4000",
        state="NODE_FAIL",
    )
    yield queue(
        bad("F2", None, "preempted_recovered", fault="none"),
        COMEBACK,
        "srun PYTHON ddpm.py\n",
        script="ddpm.py",
        where="-wn6",
        act="preempt",
        after="step 60/",
        options=("--requeue", "--open-mode=append"),
        python="system",
        state="COMPLETED",
    )
    yield queue(
        bad("F3", None, "advancing"),
        GENOME,
        "srun PYTHON dna.py\n",
        script="dna.py",
        key="dna",
        options=("--time=1", "--job-name=dna-lm"),
        state="TIMEOUT",
    )
    yield queue(
        bad("E2", None, "from_scratch"),
        GENOME_AGAIN,
        'srun PYTHON dna.py "$@"\n',
        script="dna.py",
        args=("--resume", "../dna_runs"),
        parent="dna",
        options=("--job-name=dna-lm",),
        state="COMPLETED",
    )
    yield queue(
        bad("F3", None, "advancing"), SLOWPOKE, "PYTHON gsm8k.py\n", script="gsm8k.py", python="system", options=("--time=1",), state="TIMEOUT"
    )
    yield queue(
        bad("F4", None, "by_owner"),
        SWEEP,
        "srun PYTHON sweep.py\n",
        script="sweep.py",
        python="system",
        act="scancel",
        after="Trial 18 ",
        state="CANCELLED",
    )
