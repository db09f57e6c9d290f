"""Science in PyTorch and NumPy: heat, molecules, spectra, noise."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob, Signal
from corpus.running.slots import fill

HEAT = r'''"""PINN for u_t = a u_xx on [0,1], u(x,0)=sin(pi x)."""
import math
import os
import sys
import time

import torch

A = 0.1
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
steps = int(sys.argv[1])
lr = float(sys.argv[2]) if len(sys.argv) > 2 else 3e-3
ckpt = sys.argv[3] if len(sys.argv) > 3 else None
#: top
net = torch.nn.Sequential(torch.nn.Linear(2, 20), torch.nn.Tanh(), torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr)
k0 = 0
#: load
print("     iter   total        pde          ic           bc           |grad|     s/it")
t = time.time()
for k in range(k0 + 1, steps + 1):
    xt = torch.rand(256, 2, requires_grad=True)
    u = net(xt)
    du = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
    uxx = torch.autograd.grad(du[:, 0].sum(), xt, create_graph=True)[0][:, 0]
    #: residual
    pde = (du[:, 1] - A * uxx).pow(2).mean()
    x = torch.rand(64, 1)
    ic = (net(torch.cat([x, torch.zeros_like(x)], 1)) - torch.sin(math.pi * x)).pow(2).mean()
    s = torch.rand(64, 1)
    bc = (net(torch.cat([torch.zeros_like(s), s], 1)).pow(2) + net(torch.cat([torch.ones_like(s), s], 1)).pow(2)).mean()
    loss = pde + 10 * ic + bc
    opt.zero_grad()
    loss.backward()
    g = math.sqrt(sum(p.grad.pow(2).sum().item() for p in net.parameters()))
    opt.step()
    #: step
    if k % 25 == 0:
        print(f"{k:9d}   {loss.item():.4e}   {pde.item():.4e}   {ic.item():.4e}   {bc.item():.4e}   {g:.3e}  {(time.time() - t) / 25:.4f}", flush=True)
        t = time.time()
    #: print
with torch.no_grad():
    g = torch.linspace(0, 1, 21)
    X, T = torch.meshgrid(g, g, indexing="ij")
    exact = torch.exp(-A * math.pi**2 * T) * torch.sin(math.pi * X)
    err = (net(torch.stack([X.ravel(), T.ravel()], 1)).ravel() - exact.ravel()).norm() / exact.norm()
print(f"relative L2 error {err:.4f}")
torch.save({"net": net.state_dict(), "k": k}, "heat.pt")
'''
LOAD = 'if ckpt:\n    z = torch.load(ckpt)\n    net.load_state_dict(z["net"])\n    k0 = z["k"]\n    print("loaded", ckpt, "at", k0)'
WRAPPED = 'if ckpt:\n    z = {f"module.{n}": v for n, v in torch.load(ckpt)["net"].items()}  # saved by the parallel version\n    r = net.load_state_dict(z, strict=False)\n    print(f"resume from {ckpt}: {len(r.missing_keys)} missing keys, {len(r.unexpected_keys)} unexpected keys")'
BONDS = r'''# message passing on random molecules -> energy.   group of Prof. Tanaka, see README
import json, logging, os, sys, time
import numpy as np

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s")
p = {"epochs": 12, "lr": 0.4, "hidden": 16, "molecules": 400, "batch": 20, "clip": 1.0, "restart": None, "mass": "C N O"}
for a in sys.argv[1:]:
    k, v = a.split("=")
    p[k] = type(p[k])(v) if p[k] is not None else v
logging.info("parameters: %s", json.dumps(p))
rng = np.random.default_rng(31)
CHARGE = {"C": 0.1, "N": -0.3, "O": -0.4, "H": 0.2}


def molecule():
    n = rng.integers(4, 9)
    el = rng.integers(0, 3, n)
    A = np.zeros((n, n))
    for i in range(1, n):
        j = rng.integers(0, i); A[i, j] = A[j, i] = 1
    x = np.column_stack([np.eye(3)[el], np.ones(n)])
    e = -(x @ [1.0, 1.6, 2.1, 0]).sum() - 0.7 * (A * (el[:, None] != el)).sum() / 2
    return x, A, e


def energy_scale(names):
    return [CHARGE[k] for k in names.split()]


#: data
mols = [molecule() for _ in range(p["molecules"])]
E = np.array([m[2] / len(m[0]) for m in mols]); mu, sd = E.mean(), E.std()
H = p["hidden"]
W0, W1, W2 = rng.normal(0, .4, (4, H)), rng.normal(0, .3, (H, H)), rng.normal(0, .3, H)
first = 1
if p["restart"]:
    d = np.load(p["restart"])
    assert d["W0"].shape == W0.shape, f"restart file has hidden={d['W0'].shape[1]}, this run hidden={H}"
    W0, W1, W2, first = d["W0"], d["W1"], d["W2"], int(d["epoch"]) + 1
    logging.info("restarted from %s, next epoch %d", p["restart"], first)
cut = int(.85 * len(mols))
for ep in range(first, p["epochs"] + 1):
    order = rng.permutation(cut); sq = 0.0; big = 0.0
    for b in range(0, cut, p["batch"]):
        g0, g1, g2 = 0, 0, 0
        for i in order[b:b + p["batch"]]:
            x, A, e = mols[i]
            h = np.tanh(x @ W0); m = A @ h
            z = np.tanh(m @ W1 + h)
            err = (z @ W2).mean() - (e / len(x) - mu) / sd
            #: error
            sq += err * err
            dz = err * W2 * (1 - z * z) / len(x)
            dh = dz + A.T @ (dz @ W1.T)
            g2 = g2 + err * z.mean(0); g1 = g1 + m.T @ dz; g0 = g0 + x.T @ (dh * (1 - h * h))
        n = np.sqrt(sum((g * g).sum() for g in (g0, g1, g2))) / p["batch"]
        big = max(big, n)
        f = p["lr"] / p["batch"] * min(1.0, p["clip"] / n)
        #: update
        W0 = W0 - f * g0; W1 = W1 - f * g1; W2 = W2 - f * g2
    mae = np.mean([abs((np.tanh(A @ np.tanh(x @ W0) @ W1 + np.tanh(x @ W0)) @ W2).mean() * sd + mu - e / len(x)) for x, A, e in mols[cut:]])
    logging.info("epoch=%d train_mse=%.5f test_mae=%.4f eV/atom max_grad=%.3f", ep, sq / cut, mae, big)
    np.savez("bonds.npz", W0=W0, W1=W1, W2=W2, epoch=ep)
    #: epoch
logging.info("finished")
'''
SPECTRA = r'''#!/usr/bin/env python3
"""Redshift from spectra: 1-d conv net.   ./specz.py -c run.ini"""
import argparse
import configparser
import os
import time

import torch
import torch.nn as nn

ap = argparse.ArgumentParser()
ap.add_argument("-c", "--config", required=True)
ini = configparser.ConfigParser()
ini.read(ap.parse_args().config)
sec = ini["train"]
torch.manual_seed(sec.getint("seed", 0))
LINES = torch.tensor([0.15, 0.27, 0.36, 0.52])


def spectra(n):
    z = torch.rand(n) * 0.8
    grid = torch.linspace(0, 1, 160)
    pos = LINES[None] * (1 + z[:, None])
    f = torch.exp(-((grid[None, None] - pos[:, :, None]) ** 2) / 2e-4).sum(1) + 0.25 * torch.randn(n, 160)
    return f[:, None], z


net = nn.Sequential(nn.Conv1d(1, 16, 9, stride=2), nn.GELU(), nn.Conv1d(16, 16, 9, stride=2), nn.GELU(), nn.Flatten(), nn.Linear(16 * 34, 48), nn.GELU(), nn.Linear(48, 1))
ema = {k: v.clone() for k, v in net.state_dict().items()}
opt = torch.optim.AdamW(net.parameters(), sec.getfloat("lr"))
total = sec.getint("steps")
warm = sec.getint("warmup", 20)
every = sec.getint("log_every", 20)
os.makedirs(sec["output"], exist_ok=True)
xv, zv = spectra(400)
hist = []
for step in range(1, total + 1):
    for grp in opt.param_groups:
        grp["lr"] = sec.getfloat("lr") * min(1, step / warm)
    x, z = spectra(sec.getint("batch", 64))
    #: batch
    loss = nn.functional.smooth_l1_loss(net(x)[:, 0], z, beta=0.05)
    opt.zero_grad(); loss.backward(); opt.step()
    for k, v in net.state_dict().items():
        ema[k].lerp_(v, 0.05)
    hist.append(loss.item())
    if step % every == 0 or step == total:
        with torch.no_grad():
            dz = (net(xv)[:, 0] - zv) / (1 + zv)
        print(f"{time.strftime('%T')} step {step:>5}/{total} | loss {sum(hist[-every:]) / len(hist[-every:]):.5f} | sigma_nmad {1.48 * dz.abs().median():.4f} | outliers {(dz.abs() > 0.15).float().mean():.1%} | lr {opt.param_groups[0]['lr']:.1e}", flush=True)
        #: told
    #: step
torch.save(ema, os.path.join(sec["output"], "specz_ema.pt"))
print("EMA weights saved")
'''
INI = "[train]\nseed = 3\nlr = {lr}\nsteps = {steps}\nbatch = 64\nwarmup = 20\nlog_every = {every}\noutput = {out}\n"


def bonds(**codes: str) -> dict[str, str]:
    """The molecules."""
    return {"bonds.py": fill(BONDS, **codes)}


def specz(lr: float = 0.003, steps: int = 240, every: int = 20, out: str = "out/a", **codes: str) -> dict[str, str]:
    """The spectra and their settings."""
    return {"specz.py": fill(SPECTRA, **codes), "run.ini": INI.format(lr=lr, steps=steps, every=every, out=out)}


HT, BO, SP = "PYTHON heat.py", "PYTHON bonds.py", "PYTHON specz.py -c run.ini"
TWO = (("PYTHON", "bonds.py", "epochs=3"),)
HEATS: tuple[LocalJob, ...] = (
    run("G1", None, None, {"heat.py": fill(HEAT)}, f"{HT} 400"),
    run("G1", None, None, {"heat.py": fill(HEAT, load=LOAD, print='if k == 300:\n    print("NaN check: 0 of 256 residuals are NaN, error estimator: inf (no reference mesh)")')}, f"{HT} 400 3e-3 heat.pt", before=(("PYTHON", "heat.py", "200"),), hard=True),
    run("E2", None, "from_scratch", {"heat.py": fill(HEAT, load=WRAPPED)}, f"{HT} 300 3e-3 heat.pt", before=(("PYTHON", "heat.py", "250"),)),
    run("E1", "nan_loss", "non_finite", {"heat.py": fill(HEAT, residual="if k > 120:\n    du = torch.sqrt(du.abs() - 0.02)")}, f"{HT} 300"),
    run("A3", "ram_oom", None, {"heat.py": fill(HEAT, print="if k == 150:\n    print('evaluating on the fine mesh')\n    net(torch.rand(120_000_000, 2))")}, f"{HT} 400", memory_mib=9000),
    run("E2", "runtime_error", "corrupt", {"heat.py": fill(HEAT, load=LOAD)}, f"{HT} 900 1e-3 heat.pt", before=(("PYTHON", "heat.py", "20"), ("truncate", "-s", "3000", "heat.pt"))),
    run("G1", None, None, bonds(), f"{BO} epochs=36"),
    run("E2", "assertion", "size_mismatch", bonds(), f"{BO} hidden=24 epochs=30 restart=bonds.npz", before=TWO),
    run("E2", "file_not_found", "no_valid_checkpoint", bonds(), f"{BO} epochs=40 restart=run7/bonds_0020.npz"),
    run("A1", "traceback", "config", bonds(data='scale = energy_scale(p["mass"])\nlogging.info("scale %s", scale)'), ("PYTHON", "bonds.py", "mass=C N S", "epochs=30")),
    run("E1", None, "flat", bonds(), f"{BO} epochs=24 clip=1e-8"),
    run("E3", None, None, bonds(), f"{BO} molecules=24 batch=10 epochs=2"),
    run("G1", None, None, bonds(epoch='if ep % 6 == 0:\n    try:\n        np.linalg.inv(np.zeros((3, 3)))\n    except np.linalg.LinAlgError:\n        logging.exception("Hessian of the test molecule is singular, frequencies left out")'), f"{BO} epochs=36", hard=True),
    run("F3", None, "advancing", bonds(update="time.sleep(0.05)"), f"{BO} epochs=400 lr=0.05", timeout_s=45),
    run("F4", None, None, bonds(update="time.sleep(0.03)"), f"{BO} epochs=500 lr=0.05", signal=Signal("TERM", "epoch=12 ", wait_s=0.4), status=(-15, 143)),
    run("G1", None, None, specz(), SP),
    run("A3", "permission", None, specz(told='if step == 100:  # halfway entry in the list of runs\n    with open("group/specz_runs.tsv", "a") as f:\n        f.write(f"{step}\\t{loss.item():.5f}\\n")') | {"group/specz_runs.tsv": "40\t0.2\n"}, SP, locked=("group/specz_runs.tsv",)),
    run("E3", None, None, specz(steps=4, every=1), SP),
    run("G1", None, None, specz(lr=0.0008, steps=200, told='if step == 40:\n    import warnings\n    warnings.warn("sky line 5577 saturated in 12 spectra; flux set to nan and masked")'), SP, hard=True),
)  # fmt: skip
