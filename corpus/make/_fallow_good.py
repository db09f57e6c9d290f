"""Jobs that end well; half of them with something in the record that would worry."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._copse_kit import DOOR, GOOD, HARD, busy, steady, still, submit, told, works
from corpus.running.job import SlurmJob

RUN = "PYTHON -m torch.distributed.run --standalone --nproc-per-node="
TRAINER = """import math
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
torch.manual_seed(42)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(128, 32), torch.nn.Flatten(), torch.nn.Linear(32 * 8, 128)))
optim = torch.optim.AdamW(model.parameters(), lr=4e-3)
total, warm = 110, 11
if dist.get_rank() == 0:
    print(f"***** Running training *****\\n  Num examples = 3,520\\n  Instantaneous batch size per device = 16\\n  Total optimization steps = {total}", flush=True)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
t0 = time.time()
for step in range(1, total + 1):
    lr = 4e-3 * min(step / warm, 0.5 * (1 + math.cos(math.pi * step / total)))
    for g in optim.param_groups:
        g["lr"] = lr
    ids = torch.randint(0, 128, (32, 8))
    loss = torch.nn.functional.cross_entropy(model(ids), ids[:, 2])
    optim.zero_grad(); loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optim.step()
    time.sleep(0.2)
    if step % 10 == 0 and dist.get_rank() == 0:
        print({"loss": f"{loss.item():.4g}", "grad_norm": f"{norm.item():.4g}", "learning_rate": f"{lr:.4g}", "epoch": f"{step / total:.4g}"}, flush=True)
if dist.get_rank() == 0:
    print({"train_runtime": f"{time.time() - t0:.4g}", "train_steps_per_second": f"{total / (time.time() - t0):.4g}", "train_loss": f"{loss.item():.4g}", "epoch": "1"}, flush=True)
dist.destroy_process_group()
"""
STAGE = """import pathlib
import sys
import time

import torch

stage, until = sys.argv[1], int(sys.argv[2])
keep = pathlib.Path("../depth_net/latest.pth")
keep.parent.mkdir(exist_ok=True)
torch.manual_seed(70)
net = torch.nn.Sequential(torch.nn.Linear(12, 40), torch.nn.ELU(), torch.nn.Linear(40, 1))
opt = torch.optim.Adam(net.parameters(), 3e-3)
it = 0
if keep.exists():
    s = torch.load(keep)
    net.load_state_dict(s["net"]); opt.load_state_dict(s["opt"]); it = s["it"]
    print(f"[{stage}] loaded {keep} at iteration {it}", flush=True)
else:
    print(f"[{stage}] no checkpoint at {keep}, initialising", flush=True)
while it < until:
    it += 1
    x = torch.rand(64, 12)
    loss = (net(x) - (x[:, :4].prod(1) * 6 + x[:, 5]).unsqueeze(1)).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.07)
    if it % 20 == 0:
        print(f"[{stage}] iteration {it}/{until} absrel {loss.item():.4f}", flush=True)
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it}, keep)
print(f"[{stage}] saved {keep} at iteration {it}, stage complete", flush=True)
"""
POTENTIAL = """import os, time
import torch
import torch.distributed as dist

rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=size)
torch.manual_seed(rank)
if rank == 0:
    print("#  batch      energy_rmse      force_rmse        lr", flush=True)
w = torch.zeros(10, requires_grad=True)
opt = torch.optim.Adam([w], 2e-2)
true = torch.linspace(-1, 1, 10)
for batch in range(1, 201):
    r = torch.rand(80, 1, requires_grad=True) * 2 + 0.8
    basis = torch.exp(-((r - torch.linspace(0.8, 2.8, 10)) ** 2) * 4)
    diff = basis @ w - basis @ true
    loss = diff.square().mean()
    opt.zero_grad(); loss.backward()
    dist.all_reduce(w.grad); w.grad /= size
    opt.step()
    time.sleep(0.09)
    if batch % 20 == 0 and rank == 0:
        print(f"{batch:8d}   {loss.item() ** 0.5:13.3e}  {(w.grad.norm().item()):13.3e}   {opt.param_groups[0]['lr']:.1e}", flush=True)
if rank == 0:
    print("# finished training; model frozen to graph.pb", flush=True)
"""
PREP = """import json
import random
import time

random.seed(5)
with open("pairs.jsonl", "w") as f:
    for n in range(1200):
        a = [random.gauss(0, 1) for _ in range(6)]
        f.write(json.dumps({"x": a, "y": sum(a[:3]) - 0.5 * a[4]}) + "\\n")
    time.sleep(3)
print("wrote 1200 rows to pairs.jsonl")
"""
REGRESS = """import json
import time
import numpy as np

rows = [json.loads(line) for line in open("pairs.jsonl")]
x, y = np.array([r["x"] for r in rows]), np.array([r["y"] for r in rows])
w = np.zeros(6)
n = len(y) // 5 * 4
for epoch in range(1, 16):
    for k in range(0, n, 60):
        e = x[k:k + 60] @ w - y[k:k + 60]
        w -= 0.03 * x[k:k + 60].T @ e / 60
    time.sleep(0.5)
    print("epoch %2d   train mse %.5f   holdout mse %.5f" % (epoch, np.mean((x[:n] @ w - y[:n]) ** 2), np.mean((x[n:] @ w - y[n:]) ** 2)), flush=True)
np.save("w.npy", w)
print("weights saved")
"""
TINY = """import os
import time
import torch

torch.manual_seed(77)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
q = torch.nn.Sequential(torch.nn.Linear(4, 24), torch.nn.ReLU(), torch.nn.Linear(24, 2))
opt = torch.optim.RMSprop(q.parameters(), 1e-3)
eps = 1.0
for episode in range(1, 141):
    s = torch.randn(64, 4)
    right = (s.sum(1) > 0).long()
    a = torch.where(torch.rand(64) < eps, torch.randint(0, 2, (64,)), q(s).argmax(1))
    reward = (a == right).float()
    loss = (q(s).gather(1, a[:, None]).squeeze(1) - reward).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    eps = max(0.05, eps * 0.975)
    time.sleep(0.19)
    if episode % 14 == 0:
        print(f"episode={episode}/140\\teps={eps:.2f}\\tavg_return={100 * reward.mean().item():.1f}\\ttd_loss={loss.item():.4f}", flush=True)
print("all episodes played; policy stored as dqn.pt")
torch.save(q.state_dict(), "dqn.pt")
"""
BOUND = """import os, socket, sys, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
if rank == 0 and os.environ["TRY"] == "1":
    squatter = socket.create_server(("127.0.0.1", int(os.environ["MASTER_PORT"])))
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(12)
m = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(25, 5))
o = torch.optim.SGD(m.parameters(), 0.2)
proto = torch.randn(5, 25)
for s in range(1, 151):
    y = torch.randint(0, 5, (40,))
    l = torch.nn.functional.cross_entropy(m(proto[y] + torch.randn(40, 25)), y)
    o.zero_grad(); l.backward(); o.step()
    time.sleep(0.08)
    if s % 15 == 0 and rank == 0:
        print(f"{s}/150 ce={l.item():.4f}", flush=True)
if rank == 0:
    print("done: 150/150", flush=True)
"""
PPO = """import logging
import time
import torch

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("ppo")
torch.manual_seed(51)
pi = torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
opt = torch.optim.Adam(pi.parameters(), 4e-3)
for update in range(1, 41):
    obs = torch.randn(256, 5)
    d = torch.distributions.Categorical(logits=pi(obs))
    act = d.sample()
    rew = (act == obs[:, :4].argmax(1)).float() * 2 - 1
    old = d.log_prob(act).detach()
    adv = rew - rew.mean()
    for _ in range(4):
        d = torch.distributions.Categorical(logits=pi(obs))
        ratio = (d.log_prob(act) - old).exp()
        loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean() - 0.01 * d.entropy().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.08)
    kl = (old - d.log_prob(act)).mean().item()
    if abs(kl) > 0.02:
        log.warning("approx_kl %.4f over the target 0.02, stopping the inner epochs", kl)
    if update % 4 == 0:
        log.info("update %d/40 policy_loss %.5f entropy %.3f mean_reward %.3f clip_fraction %.2f", update, loss.item(), d.entropy().mean().item(), rew.mean().item(), ((ratio - 1).abs() > 0.2).float().mean().item())
log.info("40 updates done, mean reward %.3f", rew.mean().item())
"""
SCARRED = """import os
import time
import torch

torch.manual_seed(61)
unet = torch.nn.Sequential(torch.nn.Conv2d(1, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(6, 1, 3, padding=1))
opt = torch.optim.AdamW(unet.parameters(), 6e-3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for epoch in range(1, 11):
    dice = bce = 0.0
    for _ in range(10):
        img = torch.rand(6, 1, 20, 20)
        mask = (torch.nn.functional.avg_pool2d(img, 3, 1, 1) > 0.5).float()
        out = unet(img)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(out, mask)
        opt.zero_grad(); loss.backward(); opt.step()
        p = out.sigmoid() > 0.5
        dice += (2 * (p * mask).sum() / (p.sum() + mask.sum() + 1)).item() / 10
        bce += loss.item() / 10
        time.sleep(0.22)
    print(f"Epoch {epoch:03d}: BCE {bce:.4f}  Dice {dice:.4f}", flush=True)
print("Best model: epoch 010 -> unet_best.pth")
"""
ECHO = """import json
import sys
import time
import torch

cfg = {
    "on_error": "abort", "nan_policy": "raise", "oom_retries": 3, "watchdog": {"timeout_s": 1800, "on_timeout": "SIGKILL"},
    "handlers": {"CUDA error": "dump", "Traceback": "mail", "Segmentation fault": "core"}, "fault_tolerance": {"max_failures": 2, "restart_on": ["NodeFail", "Preempted"]},
    "loss": {"kind": "focal", "ignore_index": -100, "fail_on_nan": True}, "steps": 140, "lr": 0.004,
}
print(json.dumps(cfg, indent=2))
print("UserWarning: lr_scheduler.step() was called before optimizer.step(); the first value of the schedule is skipped", file=sys.stderr)
torch.manual_seed(88)
net = torch.nn.Sequential(torch.nn.Linear(18, 36), torch.nn.ReLU(), torch.nn.Linear(36, 6))
opt = torch.optim.Adam(net.parameters(), cfg["lr"])
w = torch.randn(18, 6)
errors = 0
for step in range(1, cfg["steps"] + 1):
    x = torch.randn(64, 18)
    out, y = net(x), (x @ w).argmax(1)
    ce = torch.nn.functional.cross_entropy(out, y, reduction="none")
    loss = ((1 - (-ce).exp()) ** 2 * ce).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    errors = (out.argmax(1) != y).sum().item()
    time.sleep(0.1)
    if step % 14 == 0:
        print(json.dumps({"step": step, "focal_loss": round(loss.item(), 5), "errors": errors, "nan_batches": 0, "failed_samples": 0}), flush=True)
print(json.dumps({"status": "ok", "steps": cfg["steps"], "final_errors": errors}))
"""
SPOILT = """import io
import time
import traceback
import wave

import numpy as np
import torch


def load(n):
    raw = io.BytesIO()
    with wave.open(raw, "wb") as w:
        w.setnchannels(1); w.setsampwidth(2); w.setframerate(8000)
        w.writeframes((np.sin(np.arange(400) * (0.05 + 0.01 * (n % 3))) * 9000).astype("<i2").tobytes())
    data = raw.getvalue() if n not in (17, 44, 45) else raw.getvalue()[:10]
    with wave.open(io.BytesIO(data)) as w:
        return np.frombuffer(w.readframes(400), "<i2") / 9000.0


torch.manual_seed(4)
net = torch.nn.Sequential(torch.nn.Linear(400, 32), torch.nn.ReLU(), torch.nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), 1e-3)
used = skipped = 0
for n in range(180):
    try:
        clip = load(n % 60)
    except (EOFError, wave.Error):
        print(f"could not decode clips/{n % 60:04d}.wav, left out", flush=True)
        if n < 60:
            traceback.print_exc()
        skipped += 1
        continue
    x = torch.tensor(clip, dtype=torch.float32) + 0.2 * torch.randn(16, 400)
    loss = torch.nn.functional.cross_entropy(net(x), torch.full((16,), n % 3))
    opt.zero_grad(); loss.backward(); opt.step()
    used += 1
    time.sleep(0.07)
    if n % 15 == 14:
        print(f"[{time.strftime('%H:%M:%S')}] clip {n + 1}/180 xent {loss.item():.4f}", flush=True)
print(f"trained on {used} clips, {skipped} left out; acoustic.pt written")
torch.save(net.state_dict(), "acoustic.pt")
"""


def jobs() -> Iterator[SlurmJob]:
    """Each one's planned end, status 0 and falling loss stand in its record."""
    yield submit(GOOD, "run_clm.py", TRAINER, f"srun -n1 -c2 --gres=gpu:2 {RUN}2 run_clm.py\n", ranks=2, cards={0: steady(70, 24, gib=61), 1: steady(68, 24, gib=61)})
    yield submit(GOOD, "depth.py", STAGE, "srun PYTHON depth.py warm 160\n", key="depth", options=("--job-name=depth-warm",))
    yield submit(GOOD, "depth.py", STAGE, "srun PYTHON depth.py main 360\n", parent="depth", options=("--job-name=depth-main",))
    yield submit(GOOD, "nep.py", POTENTIAL, DOOR + "srun PYTHON nep.py\n", ranks=2, nodes=2)
    yield submit(GOOD, "fit.py", REGRESS, "set -euo pipefail\nsrun -n1 PYTHON prep.py\nsrun -n1 PYTHON fit.py\nsrun -n1 ls -l w.npy\n", files={"prep.py": PREP})
    small = [(float(s), busy(6, s, util=27 + s % 6, watts=138, gib=2.4, dram=2, tensor=0)) for s in range(28)]
    yield submit(HARD, "dqn.py", TINY, "srun PYTHON dqn.py\n", cards={0: told(*small, (28.5, still()))})  # steady and low, without gaps: a small network
    again = DOOR + "for TRY in 1 2; do\n  export TRY\n  srun --kill-on-bad-exit=1 PYTHON lin.py && exit 0\n  echo \"srun ended with $?, next try with another port\"\n  export MASTER_PORT=$((MASTER_PORT + 1))\ndone\nexit 1\n"
    yield submit(HARD, "lin.py", BOUND, again, ranks=2)
    yield submit(HARD, "ppo.py", PPO, "PYTHON ppo.py\n", options=("--array=6",))
    old = {"ecc.aggregate.corrected": "211", "ecc.aggregate.uncorrected": "1", "ecc.aggregate.uncorrected.dram": "1", "remapped.uncorrected": "1", "remapped.corrected": "2", "pcie.replay": "9"}
    first, later = told(*works(53, 0, 24, gib=17), (25.0, still()))
    yield submit(HARD, "unet.py", SCARRED, "nvidia-smi || true\nsrun PYTHON unet.py\n", cards={0: ({**first, **old}, later)})  # rows remapped long ago
    yield submit(HARD, "focal.py", ECHO, "srun PYTHON focal.py\n")
    yield submit(HARD, "acoustic.py", SPOILT, "srun -u PYTHON acoustic.py\n")
