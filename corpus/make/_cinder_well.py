"""Evaluation, fine-tuning, science and vision jobs that reach their planned ends."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, queue, wavy
from corpus.running.job import SlurmJob

LORA = """import pathlib, sys, time
import torch

base = pathlib.Path("base.pt")
torch.manual_seed(1)
lin = torch.nn.Linear(24, 24, bias=False)
if sys.argv[1] == "base":
    torch.save(torch.eye(24) + 0.02 * torch.randn(24, 24), base)
    print("base weights prepared")
    raise SystemExit
lin.weight.data = torch.load(base)
lin.weight.requires_grad = False
a, b = torch.nn.Parameter(torch.randn(2, 24) * 0.1), torch.nn.Parameter(torch.zeros(24, 2))
u, v = torch.randn(24, 1), torch.randn(24, 1)
print("warm start from base.pt; optimizer and step counter start anew (first step is 1)")
opt = torch.optim.AdamW([a, b], 2e-2)
for s in range(1, 101):
    x = torch.randn(64, 24)
    loss = (lin(x) + x @ a.T @ b.T - x @ (torch.eye(24) + 0.3 * u @ v.T)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.15)
    if s % 10 == 0:
        print(f"sft | {s:>3}/100 | loss {loss.item():.4f} | gnorm {b.grad.norm():.3f}", flush=True)
torch.save({"a": a, "b": b}, "adapter.pt")
print("adapter saved; base unchanged")
"""
BENCH = """import os, time, collections
import torch
r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
torch.manual_seed(40 + r)
tasks = ["arc_error_analysis", "hella", "piqa", "crash_reports_qa", "boolq", "winogrande"][r::n]
for t in tasks:
    good = 0
    for k in range(1, 41):
        logits = torch.randn(4)
        logits[k % 4] += 1.2
        good += int(logits.argmax() == k % 4)
        time.sleep(0.12)
        if k % 20 == 0:
            print(f"[worker {r}] {t}: {k}/40 items, acc {good / k:.3f}", flush=True)
    print(f"[worker {r}] {t} finished, acc={good / 40:.4f}, failed requests: 0", flush=True)
print(f"[worker {r}] {len(tasks)} tasks evaluated", flush=True)
"""
BAR = """import sys, time, warnings
import torch
import pace
torch.manual_seed(0)
warnings.warn("lr_scheduler.step() was called before optimizer.step(); the first value of the schedule is skipped")
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(108, 32), torch.nn.GELU(), torch.nn.Linear(32, 6))
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
for epoch in range(4):
    for i in range(1, 16):
        y = torch.randint(0, 6, (48,))
        x = torch.randn(48, 3, 6, 6)
        x[torch.arange(48), 0, y, 0] += 3
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.4)
        done = 20 * i // 15
        sys.stderr.write(f"\\rEpoch {epoch + 1}/4: {100 * i // 15:3d}%|{'#' * done}{' ' * (20 - done)}| {i}/15 [loss={loss.item():.3f}]")
        sys.stderr.flush()
    sys.stderr.write("\\n")
    print(f"epoch {epoch + 1}: train_loss {loss.item():.4f} top1 {(net(x).argmax(1) == y).float().mean():.3f}", flush=True)
torch.save(net.state_dict(), "deit_tiny.pth")
print("Training time 0:00:24")
"""
SCALER = """import logging, os, time
import torch
import torch.distributed as dist
logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(asctime)s:%(message)s")
r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=r, world_size=n)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(9, 9))
opt = torch.optim.SGD(net.parameters(), 0.1)
scale, step = 2.0 ** 18, 0
while step < 70:
    x = torch.randn(40, 9)
    loss = (net(x) - 0.5 * x).square().mean()
    if scale > 2 ** 15:
        scale /= 2
        if r == 0:
            logging.warning("Gradient overflow (inf/nan in gradients). Skipping step, reducing loss scale to %.0f", scale)
        continue
    opt.zero_grad(); loss.backward(); opt.step()
    step += 1
    time.sleep(0.25)
    if step % 10 == 0 and r == 0:
        logging.info("iteration %d/ 70 | lm loss: %.5f | loss scale: %.1f | number of skipped iterations: 0 | number of nan iterations: 0", step, loss.item(), scale)
if r == 0:
    logging.info("exiting after 70 iterations, checkpoint at iter_0000070")
    torch.save(net.module.state_dict(), "iter_0000070.pt")
dist.barrier()
"""
RESUMED = """import pathlib, time, torch
torch.manual_seed(0)
net = torch.nn.Linear(14, 1)
opt = torch.optim.Adam(net.parameters(), 3e-2)
p, s0 = pathlib.Path("state.bin"), 0
try:
    k = torch.load(pathlib.Path("state.tmp"))
except FileNotFoundError as e:
    print(f"WARNING could not read newest state: {e!r}; looking for the one before")
    if p.exists():
        k = torch.load(p); net.load_state_dict(k["n"]); s0 = k["s"]
        print(f"Loaded state.bin, continuing at step {s0}")
stop = 60 if s0 == 0 else 130
for s in range(s0 + 1, stop + 1):
    x = torch.randn(64, 14)
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.15)
    if s % 10 == 0:
        print(f"emulator step={s} mse={loss.item():.4f}", flush=True)
torch.save({"n": net.state_dict(), "s": stop}, p)
print(f"segment complete at step {stop}, state.bin written")
"""
SLOWLY = """import time, datetime
import random
random.seed(2)
w = [0.0] * 5
t = [1.0, -1.0, 0.5, 2.0, 0.0]
for sweep in range(1, 13):
    err = 0.0
    for _ in range(150):
        x = [random.gauss(0, 1) for _ in w]
        e = sum((a - b) * c for a, b, c in zip(w, t, x))
        w = [a - 0.02 * e * c for a, c in zip(w, x)]
        err += e * e / 150
    time.sleep(3.2)
    print(f"{datetime.datetime.now().isoformat(timespec='seconds')}  sweep {sweep:2d} of 12  chi2 {err:.5f}", flush=True)
print("converged set written; 12 sweeps")
"""
CAUGHT = """import os, subprocess, time, traceback, logging
import torch
logging.basicConfig(level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s")
log = logging.getLogger("tracker")
try:
    import wandb
except ModuleNotFoundError:
    log.error("experiment tracker is not installed, going on without it", exc_info=True)
g = torch.nn.Sequential(torch.nn.Linear(4, 24), torch.nn.ReLU(), torch.nn.Linear(24, 2))
opt = torch.optim.Adam(g.parameters(), 5e-3)
skipped = 0
for step in range(1, 101):
    try:
        if step in (17, 52):
            raise OSError(5, "Input/output error", f"tiles/{step:05d}.npz")
        z = torch.randn(64, 4)
        loss = (g(z).mean(0) - torch.tensor([1.0, -2.0])).square().sum() + 0.1 * (g(z).std(0) - 1).square().sum()
    except OSError:
        skipped += 1
        log.warning("bad tile skipped:\\n%s", traceback.format_exc())
        continue
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if step % 10 == 0:
        log.info("step %d/100 mmd=%.4f skipped=%d", step, loss.item(), skipped)
log.info("finished; %d tiles skipped", skipped)
"""


def jobs() -> Iterator[SlurmJob]:
    """Each ends as planned."""
    yield queue(HARD, LORA, "set -euo pipefail\nPYTHON lora.py base\nsrun PYTHON lora.py tune\necho tune ok\n", script="lora.py", state="COMPLETED")
    yield queue(HARD, BENCH, "srun -l PYTHON bench.py\n", script="bench.py", ranks=3, state="COMPLETED")
    yield queue(GOOD, BAR, "srun PYTHON deit.py\n", script="deit.py", gpus={0: wavy(48, 25, 26.0, gib=30)}, state="COMPLETED")
    yield queue(HARD, SCALER, MEET + "srun PYTHON lm.py\n", script="lm.py", ranks=2, state="COMPLETED")
    yield queue(HARD, RESUMED, "for part in 1 2; do echo segment $part; PYTHON emu.py || exit 1; done\n", script="emu.py", state="COMPLETED")
    yield queue(GOOD, SLOWLY, "module list 2>/dev/null\nsrun PYTHON chi.py\n", script="chi.py", python="system", state="COMPLETED")
    yield queue(HARD, CAUGHT, "srun PYTHON tiles.py\n", script="tiles.py", state="COMPLETED")
