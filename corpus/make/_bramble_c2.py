"""Runs of single users that stood still, went slowly, did not learn, were too short, or were ended from outside, the second sheet."""

from corpus.make._crate import crate
from corpus.running.job import Signal

JUMP = """
import torch

torch.manual_seed(3)
X = torch.randn(1024, 20)
T = torch.tanh(X @ torch.randn(20, 4) / 4)
net = torch.nn.Sequential(torch.nn.Linear(20, 80), torch.nn.ReLU(), torch.nn.Linear(80, 80), torch.nn.ReLU(), torch.nn.Linear(80, 4))
opt = torch.optim.Adam(net.parameters(), 1e-3)
pieces = {0: 1e-3, 12: 3e-3, 18: 0.5, 19: 3e-4}
for epoch in range(40):
    if epoch in pieces:
        for g in opt.param_groups:
            g["lr"] = pieces[epoch]
    s = 0.0
    for i in torch.randperm(1024).split(64):
        loss = torch.nn.functional.mse_loss(net(X[i]), T[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 16
    print(f"epoch {epoch + 1:>3d} | train mse {s:12.5f} | lr {opt.param_groups[0]['lr']:.0e}")
print("end of schedule")
"""


TRIFLE = '''
"""Keypoint regression on fly wings."""
import argparse
import json
import pathlib

import torch

ap = argparse.ArgumentParser()
ap.add_argument("--data", default="wings.json")
ap.add_argument("--epochs", type=int, default=1)
ap.add_argument("--batch-size", type=int, default=64)
a = ap.parse_args()
items = json.loads(pathlib.Path(a.data).read_text())
X = torch.tensor([w["v"] for w in items])
net = torch.nn.Linear(X.shape[1], 2)
opt = torch.optim.Adam(net.parameters(), 1e-3)
n = -(-len(X) // a.batch_size)
print(f"{len(X)} wings, {n} batches an epoch, {a.epochs} epoch(s)")
step = 0
for e in range(a.epochs):
    for x in X.split(a.batch_size):
        loss = (net(x) - x[:, :2]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        print(f"epoch {e + 1} step {step}/{n * a.epochs} loss {loss.item():.4f}")
torch.save(net.state_dict(), "wings.pt")
print("saved wings.pt; training finished")
'''


NBODY_C = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define N 180
static double p[N][3], v[N][3];
int main(int argc, char **argv)
{
    long steps = atol(argv[1]);
    srand(5);
    for (int i = 0; i < N; i++) for (int k = 0; k < 3; k++) p[i][k] = rand() / (double)RAND_MAX - 0.5;
    printf("nbody: N=%d steps=%ld snapshot every 100\n", N, steps);
    for (long s = 1; s <= steps; s++) {
        double ek = 0, ep = 0;
        for (int i = 0; i < N; i++) for (int j = 0; j < i; j++) {
            double d[3], r2 = 0.01;
            for (int k = 0; k < 3; k++) { d[k] = p[j][k] - p[i][k]; r2 += d[k] * d[k]; }
            double f = 1.0 / (N * r2 * sqrt(r2)); ep -= 1.0 / (N * (double)N * sqrt(r2));
            for (int k = 0; k < 3; k++) { v[i][k] += 1e-3 * f * d[k]; v[j][k] -= 1e-3 * f * d[k]; }
        }
        for (int i = 0; i < N; i++) for (int k = 0; k < 3; k++) { p[i][k] += 1e-3 * v[i][k]; ek += v[i][k] * v[i][k] / (2.0 * N); }
        if (s % 100 == 0) { usleep(400000); printf("step %ld/%ld t=%.3f Ekin=%.6f Epot=%.6f Etot=%.6f\n", s, steps, s * 1e-3, ek, ep, ek + ep); fflush(stdout); }
    }
    return 0;
}
"""


LONGVAE = """
import sys
import time

import torch

EPOCHS = 400
torch.manual_seed(0)
base = torch.rand(5, 49)
X = base[torch.randint(5, (512,))] + 0.1 * torch.randn(512, 49)
enc, dec = torch.nn.Linear(49, 8), torch.nn.Linear(4, 49)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 1e-3)
t0 = time.time()
for ep in range(1, EPOCHS + 1):
    for x in X.split(64):
        m, lv = enc(x).chunk(2, 1)
        rec = (dec(m + torch.randn_like(m) * (lv / 2).exp()) - x).pow(2).sum(1).mean()
        kl = -0.5 * (1 + lv - m * m - lv.exp()).sum(1).mean()
        opt.zero_grad()
        (rec + 0.1 * kl).backward()
        opt.step()
        time.sleep(0.04)
    el = time.time() - t0
    print(f"Epoch {ep}/{EPOCHS}  {'#' * (20 * ep // EPOCHS):<20}  rec {rec.item():.4f}  kl {kl.item():.4f}  elapsed {el:.0f}s  eta {el / ep * (EPOCHS - ep):.0f}s")
"""


WHISTLE = """
import logging
import time

import numpy as np

logging.basicConfig(level=logging.INFO, format="[%(levelname)s|%(name)s:%(lineno)d] %(asctime)s >> %(message)s")
log = logging.getLogger("bioacoustics")
rng = np.random.default_rng(1)
X = rng.normal(size=(2000, 40))
w_true = rng.normal(size=40)
y = (X @ w_true > 0).astype(float)
w = np.zeros(40)
log.info("humpback call detector, %d clips, 300 epochs", len(X))
for epoch in range(1, 301):
    perm = rng.permutation(2000)
    for i in range(0, 2000, 100):
        b = perm[i:i + 100]
        p = 1 / (1 + np.exp(-X[b] @ w))
        w -= 0.02 * X[b].T @ (p - y[b]) / 100
    p = np.clip(1 / (1 + np.exp(-X @ w)), 1e-7, 1 - 1e-7)
    log.info("epoch %d: bce %.4f, AP %.3f", epoch, -(y * np.log(p) + (1 - y) * np.log(1 - p)).mean(), ((p > 0.5) == y).mean())
    time.sleep(0.25)
"""


WINGS = "[" + ", ".join(f'{{"v": [{k % 7 / 7:.3f}, {k % 11 / 11:.3f}, {k % 5 / 5:.3f}, {k % 3 / 3:.3f}]}}' for k in range(180)) + "]"

JOBS = (
    crate("E1", "regress4.py", JUMP, variant="spike", note="mse falls, then far above the start and stays there"),
    crate("E3", "wings.py", TRIFLE, files={"wings.json": WINGS}, note="three steps of one epoch, exit 0"),
    crate(
        "F3",
        "sh orbit.sh",
        "exec ./nbody 20000\n",
        variant="advancing",
        timeout_s=25,
        files={"nbody.c": NBODY_C.lstrip()},
        before=(("gcc", "-O2", "-o", "nbody", "nbody.c", "-lm"),),
        note="steps go on to the limit, some 5000 of 20000",
    ),
    crate("F3", "vae.py", LONGVAE, variant="advancing", timeout_s=24, note="an epoch every 0.35 s to the limit, of 400"),
    crate("F4", "calls.py", WHISTLE, signal=Signal("INT", r"epoch 31: "), note="Ctrl-C while epochs go by"),
)
