"""Programs of jobs that learn nothing, or are stopped."""

from __future__ import annotations

BRAKED = """import os, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo", rank=int(os.environ["SLURM_PROCID"]), world_size=int(os.environ["SLURM_NTASKS"]))
r = dist.get_rank()
torch.manual_seed(7)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 16)))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
time.sleep(max(0.0, float(os.environ["BEGIN_AT"]) - time.time()))
for step in range(1, 65):
    t = time.time()
    x = torch.randn(50, 16)
    loss = (net(x) - x.roll(2, 1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.23 if step <= 36 else 0.8)
    if step % 4 == 0 and r == 0:
        print(f"iteration {step:>3}/64 | elapsed time per iteration (ms): {1000 * (time.time() - t):.1f} | lm loss: {loss.item():.6E} | grad norm: 0.8 |", flush=True)
if r == 0:
    print("[exiting program after 64 iterations]", flush=True)
"""
LEAPS = """import torch
import time

torch.manual_seed(81)
enc = torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.ReLU(), torch.nn.Linear(64, 24))
opt = torch.optim.Adam(enc.parameters(), 2e-3)
steps = 260
for step in range(1, steps + 1):
    if step == 150:
        for g in opt.param_groups:
            g["lr"] = 2.0
    x = torch.randn(64, 24)
    loss = (enc(x) - x.sort(1).values).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.05)
    if step % 10 == 0:
        bar = "=" * (20 * step // steps)
        print(f"{step:>4}/{steps} [{bar:<20}] - loss: {loss.item():.4f} - lr: {opt.param_groups[0]['lr']:.4f}", flush=True)
print("Finished training")
"""
DYING = """import json
import time
import torch

torch.manual_seed(18)
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
opt = torch.optim.SGD([{"params": net[:4].parameters()}, {"params": net[4].parameters()}], 0.3)
x = torch.randn(640, 16)
y = x[:, :8].argmax(1)
for epoch in range(1, 41):
    lr = 0.3 if epoch < 12 else 400.0 if epoch == 12 else 0.1
    opt.param_groups[0]["lr"] = lr
    norms, total = [], 0.0
    for k in range(0, 640, 64):
        loss = torch.nn.functional.cross_entropy(net(x[k:k + 64]), y[k:k + 64])
        opt.zero_grad(); loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(net[:4].parameters(), 1.0).item())
        torch.nn.utils.clip_grad_norm_(net[4:].parameters(), 1.0)
        opt.step()
        total += loss.item()
    time.sleep(0.3)
    print(json.dumps({"epoch": epoch, "train_loss": round(total / 10, 4), "trunk_grad_norm": round(sum(norms) / 10, 7), "lr": lr, "acc": round((net(x).argmax(1) == y).float().mean().item(), 4)}), flush=True)
print(json.dumps({"finished": True, "epochs": 40}), flush=True)
"""
TWO = """import logging
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname)s] %(message)s")
settings = {"max_steps": 2, "eval_steps": 500, "save_steps": 500, "gradient_accumulation_steps": 16}
logging.info("settings %s", settings)
asr = torch.nn.GRU(20, 30, batch_first=True)
ctc = torch.nn.Linear(30, 12)
opt = torch.optim.AdamW([*asr.parameters(), *ctc.parameters()], 1e-4)
for step in range(1, settings["max_steps"] + 1):
    opt.zero_grad()
    for _ in range(settings["gradient_accumulation_steps"]):
        out = ctc(asr(torch.randn(4, 25, 20))[0]).log_softmax(-1).transpose(0, 1)
        loss = torch.nn.functional.ctc_loss(out, torch.randint(1, 12, (4, 6)), torch.full((4,), 25), torch.full((4,), 6))
        (loss / 16).backward()
    opt.step()
    logging.info("step %d loss %.4f", step, loss.item())
logging.info("max_steps reached, saving the final model")
torch.save(ctc.state_dict(), "final.pt")
"""
FIELDS = """import os, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(2)
op = torch.nn.parallel.DistributedDataParallel(torch.nn.Conv1d(1, 1, 5, padding=2, padding_mode="circular", bias=False))
opt = torch.optim.Adam(op.parameters(), 5e-3)
for n in range(1, 8001):
    u = torch.randn(16, 1, 48)
    loss = (op(u) - 0.5 * (u.roll(1, 2) + u.roll(-1, 2))).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if n % 25 == 0:
        print(f"{time.strftime('%d.%m. %H:%M:%S')} {os.environ['SLURMD_NODENAME']} p{rank}: sample block {n}, rel. L2 {loss.item():.3e}", flush=True)
"""
KEEPS = """import os
import pathlib
import time
import torch

where = pathlib.Path("snap/model.pt")
where.parent.mkdir(exist_ok=True)
torch.manual_seed(3)
net = torch.nn.Sequential(torch.nn.Linear(7, 28), torch.nn.Softplus(), torch.nn.Linear(28, 1))
opt = torch.optim.Adam(net.parameters(), 4e-3)
done = 0
if where.exists():
    s = torch.load(where)
    net.load_state_dict(s["net"]); opt.load_state_dict(s["opt"]); done = s["done"]
    print(f"restart {os.environ.get('SLURM_RESTART_COUNT')}: continuing after iteration {done}", flush=True)
for it in range(done + 1, 261):
    x = torch.rand(80, 7)
    loss = (net(x) - x.square().sum(1, keepdim=True)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.11)
    if it % 20 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "done": it}, where)
        print(f"it {it}/260 loss {loss.item():.5f}", flush=True)
print("complete", flush=True)
"""
ELASTIC = """import os
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
lead = dist.get_rank() == 0
torch.manual_seed(5)
critic = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(10, 40), torch.nn.ReLU(), torch.nn.Linear(40, 1)))
opt = torch.optim.Adam(critic.parameters(), 2e-3)
for batch in range(1, 6001):
    better, worse = torch.randn(64, 10) + 0.3, torch.randn(64, 10)
    loss = -torch.nn.functional.logsigmoid(critic(better) - critic(worse)).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if lead and batch % 20 == 0:
        print(f"reward-model | batch {batch} of 6000 | pair loss {loss.item():.4f} | eta {(6000 - batch) * 0.12 / 60:.0f} min", flush=True)
"""
FOREST = """#!/usr/bin/env python3
import random
import time

random.seed(77)
xs = [[random.random() for _ in range(4)] for _ in range(300)]
ys = [10 * x[0] + 4 * (x[1] > 0.5) - 3 * x[2] for x in xs]
pred = [sum(ys) / 300] * 300
for tree in range(1, 3001):
    best = None
    for _ in range(12):
        f, cut = random.randrange(4), random.random()
        left = [y - p for x, y, p in zip(xs, ys, pred) if x[f] < cut]
        right = [y - p for x, y, p in zip(xs, ys, pred) if x[f] >= cut]
        if left and right:
            a, b = sum(left) / len(left), sum(right) / len(right)
            gain = len(left) * a * a + len(right) * b * b
            if best is None or gain > best[0]:
                best = gain, f, cut, a, b
    _, f, cut, a, b = best
    pred = [p + 0.1 * (a if x[f] < cut else b) for x, p in zip(xs, pred)]
    time.sleep(0.1)
    if tree % 20 == 0:
        print(f"[{tree}]\\ttrain-rmse:{(sum((y - p) ** 2 for y, p in zip(ys, pred)) / 300) ** 0.5:.5f}", flush=True)
"""
