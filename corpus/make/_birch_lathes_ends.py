"""Trainings that learned nothing, did next to nothing, or were ended from outside."""

from corpus.make._crate import crate
from corpus.running.job import Signal

GAUSSVAE = """
import time

import torch

torch.manual_seed(14)
X = torch.randn(512, 4) @ torch.randn(4, 16) + 0.1 * torch.randn(512, 16)
enc, mu, var, dec = torch.nn.Linear(16, 32), torch.nn.Linear(32, 3), torch.nn.Linear(32, 3), torch.nn.Linear(3, 16)
params = [p for m in (enc, mu, var, dec) for p in m.parameters()]
torch.nn.init.zeros_(var.weight)
opt = torch.optim.Adam(params, 3e-3)
print("epoch,recon,kl,elbo")
for epoch in range(1, 61):
    rec = kl = 0.0
    for i in torch.randperm(512).split(64):
        h = torch.tanh(enc(X[i]))
        m, s2 = mu(h), 0.7 + var(h) - 0.02 * epoch  # variance head without a floor
        z = m + s2.sqrt() * torch.randn_like(m)
        r = (dec(z) - X[i]).pow(2).sum(1).mean()
        k = 0.5 * (m.pow(2) + s2 - s2.log() - 1).sum(1).mean()
        opt.zero_grad()
        (r + 0.5 * k).backward()
        opt.step()
        time.sleep(0.01)
        rec, kl = rec + r.item() / 8, kl + k.item() / 8
    print(f"{epoch},{rec:.4f},{kl:.4f},{-(rec + kl):.4f}")
torch.save([m.state_dict() for m in (enc, mu, var, dec)], "vae.pt")
print("saved vae.pt")
"""

WARMRESTART = """
import argparse
import time

import torch

p = argparse.ArgumentParser()
p.add_argument("--max-lr", type=float, default=0.05)
p.add_argument("--restart-every", type=int, default=150)
a = p.parse_args()
torch.manual_seed(23)
X = torch.randn(600, 12)
Y = (X[:, :4].sum(1, keepdim=True) + X[:, 4:5] * X[:, 5:6]) / 2
net = torch.nn.Sequential(torch.nn.Linear(12, 48), torch.nn.ReLU(), torch.nn.Linear(48, 1))
opt = torch.optim.SGD(net.parameters(), a.max_lr)
print(f"training on {len(X)} rows, restart of the schedule every {a.restart_every} steps")
for step in range(1, 301):
    cycle, k = divmod(step - 1, a.restart_every)
    lr = a.max_lr * (60.0**cycle) * (1 - 0.3 * k / a.restart_every)
    opt.param_groups[0]["lr"] = lr
    i = torch.randint(600, (64,))
    loss = (net(X[i]) - Y[i]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
    time.sleep(0.01)
    if step % 10 == 0:
        print(f"{step:5d}  lr={lr:.5f}  grad={gn:9.3f}  mse={loss.item():.5f}")
print("300 steps done")
"""

ACCUM = """
import logging
import math

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s - INFO - trainer - %(message)s")
say = logging.info
N, BATCH, ACCUM, EPOCHS = 1024, 8, 64, 1
torch.manual_seed(2)
X = torch.randint(90, (N, 16))
emb, head = torch.nn.Embedding(90, 32), torch.nn.Linear(32, 90)
opt = torch.optim.AdamW([*emb.parameters(), *head.parameters()], 2e-5)
total = math.ceil(N / BATCH / ACCUM) * EPOCHS
say("***** Instruction tuning *****")
say("  Examples = %d", N)
say("  Epochs = %d", EPOCHS)
say("  Batch per device = %d, gradient accumulation = %d", BATCH, ACCUM)
say("  Optimizer updates in all = %d", total)
done = 0
for epoch in range(EPOCHS):
    for k, x in enumerate(X.split(BATCH), 1):
        loss = torch.nn.functional.cross_entropy(head(emb(x[:, :-1])).flatten(0, 1), x[:, 1:].flatten())
        (loss / ACCUM).backward()
        if k % ACCUM == 0:
            opt.step()
            opt.zero_grad()
            done += 1
            say("update %d/%d loss %.4f", done, total, loss.item())
torch.save(emb.state_dict(), "adapter.bin")
say("Training completed after %d updates. Saved adapter.bin", done)
"""

FACTORS = """
import random
import time

rng = random.Random(5)
U, I, K, EPOCHS = 60, 80, 6, 400
truth = [[(u % 4) + (i % 3) + rng.gauss(0, 0.2) for i in range(I)] for u in range(U)]
p = [[rng.gauss(0, 0.3) for _ in range(K)] for _ in range(U)]
q = [[rng.gauss(0, 0.3) for _ in range(K)] for _ in range(I)]
start = time.time()
for epoch in range(1, EPOCHS + 1):
    sse = n = 0
    for u in range(U):
        for i in range(u % 2, I, 4):
            e = truth[u][i] - sum(a * b for a, b in zip(p[u], q[i]))
            sse, n = sse + e * e, n + 1
            for k in range(K):
                p[u][k], q[i][k] = p[u][k] + 0.01 * e * q[i][k], q[i][k] + 0.01 * e * p[u][k]
    time.sleep(0.35)
    spent = time.time() - start
    left = spent / epoch * (EPOCHS - epoch)
    print(f"epoch {epoch:3d}/{EPOCHS} rmse {(sse / n) ** 0.5:.4f} elapsed {spent:5.1f}s remaining {int(left // 60)}m{int(left % 60):02d}s")
"""

DENOISE = """
import sys
import time

import torch

torch.manual_seed(50)
net = torch.nn.Sequential(torch.nn.Conv1d(1, 16, 9, padding=4), torch.nn.ReLU(), torch.nn.Conv1d(16, 1, 9, padding=4))
opt = torch.optim.Adam(net.parameters(), 2e-3)
EPOCHS = 120
try:
    for epoch in range(1, EPOCHS + 1):
        run = 0.0
        for _ in range(10):
            clean = torch.sin(torch.arange(200) * (0.05 + 0.2 * torch.rand(24, 1)))[:, None]
            loss = (net(clean + 0.4 * torch.randn_like(clean)) - clean).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            run += loss.item() / 10
            time.sleep(0.03)
        print(f"Epoch {epoch}/{EPOCHS}\\t denoising loss {run:.5f}", flush=True)
except KeyboardInterrupt:
    torch.save(net.state_dict(), "partial.pt")
    print(f"\\nstopped by hand in epoch {epoch}, partial.pt kept", flush=True)
    sys.exit(130)
"""

JOBS = (
    crate("E1", "gauss_vae.py", GAUSSVAE, cause="nan_loss", variant="non_finite", note="all three columns nan from some epoch to the end, exit 0"),
    crate(
        "E1",
        "restarts.py --max-lr 0.08",
        WARMRESTART,
        variant="spike",
        note="mse falls until the schedule starts again sixty times as high, then far above its start to the end",
    ),
    crate("E3", "tune_small.py", ACCUM, note="two optimiser updates, exit 0"),
    crate(
        "F3",
        "factors.py",
        FACTORS,
        variant="advancing",
        timeout_s=20,
        python="system",
        note="an epoch every 0.4 s to the limit, of 400, with minutes left by its own word",
    ),
    crate(
        "F4",
        "denoise1d.py",
        DENOISE,
        signal=Signal("INT", r"Epoch 18/"),
        note="Ctrl-C while epochs go by: 'stopped by hand', signal noted by the runner",
    ),
)
