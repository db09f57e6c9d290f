"""Programs over plain PyTorch from the sciences: energies of small clusters in columns, a diffusion of points with a run's summary, a graph of papers behind a bar."""

CLUSTERS = '''# fits energies and forces of 5-atom clusters (Morse), float64; output: columns, like the old Fortran code had
import json
import sys
import time
import torch

inp = dict(n_train=240, n_test=60, sel=24, width=20, lr0=0.01, lr_end=2e-5, numb_steps=800, disp_freq=40, save_freq=200, bs=12, pref_e=1.0, pref_f=20.0,
           restart="", finetune="", model="cluster.model", seed=7, wait=0.0)
if len(sys.argv) > 1:
    with open(sys.argv[1]) as f:
        given = json.load(f)
    for key in given:
        if key not in inp:
            sys.exit(f"input error: unknown key {key} in {sys.argv[1]}")
    inp.update(given)
    print(f"# {sys.argv[1]}: " + ", ".join(f"{k} {v}" for k, v in given.items()))
torch.set_default_dtype(torch.float64)
torch.manual_seed(inp["seed"])
#: early
PAIRS = torch.combinations(torch.arange(5))


def distances(r):
    return (r[:, PAIRS[:, 0]] - r[:, PAIRS[:, 1]]).norm(dim=2)


def morse(r):
    e = torch.exp(-1.2 * (distances(r) - 1.3))
    return (e * e - 2 * e).sum(1)


def sample(n):
    lattice = torch.tensor([[0.0, 0, 0], [1.3, 0, 0], [0, 1.3, 0], [0, 0, 1.3], [1.3, 1.3, 0]])
    r = (lattice + 0.16 * torch.randn(n, 5, 3)).requires_grad_()
    e = morse(r)
    f = -torch.autograd.grad(e.sum(), r)[0]
    return r.detach(), e.detach(), f


train, test = sample(inp["n_train"]), sample(inp["n_test"])
#: data
net = torch.nn.Sequential(torch.nn.Linear(10, inp["width"]), torch.nn.Tanh(), torch.nn.Linear(inp["width"], inp["width"]), torch.nn.Tanh(), torch.nn.Linear(inp["width"], 1))
bias = train[1].mean()
opt = torch.optim.Adam(net.parameters(), lr=inp["lr0"])
start = 0
if inp["finetune"]:
    net.load_state_dict(torch.load(inp["finetune"])["net"])
    print(f"# finetune: parameters from {inp['finetune']}, step counter and optimizer begin anew")
if inp["restart"]:
    #: restart
    frozen = torch.load(inp["restart"])
    net.load_state_dict(frozen["net"])
    opt.load_state_dict(frozen["opt"])
    start = frozen["step"]
    print(f"# restart from {inp['restart']}, step {start}")


def predict(r):
    r = r.clone().requires_grad_()
    e = net(torch.exp(-1.2 * (distances(r) - 1.3))).squeeze(1) + bias
    return e, -torch.autograd.grad(e.sum(), r, create_graph=True)[0]


def rmse(a, b):
    return ((a - b) ** 2).mean().sqrt().item()


print(f"# {len(train[0])} frames, {sum(p.numel() for p in net.parameters())} parameters, energy bias {bias:.4f} eV")
print("#  step      rmse_e_val    rmse_e_trn    rmse_f_val    rmse_f_trn         lr      time/s", flush=True)
t0 = time.time()
for step in range(start + 1, inp["numb_steps"] + 1):
    frac = step / inp["numb_steps"]
    lr = inp["lr0"] * (inp["lr_end"] / inp["lr0"]) ** frac
    #: rate
    opt.param_groups[0]["lr"] = lr
    pick = torch.randint(0, len(train[0]), (inp["bs"],))
    r, e, f = train[0][pick], train[1][pick], train[2][pick]
    #: batch
    pe, pf = predict(r)
    loss = inp["pref_e"] * ((pe - e) ** 2).mean() + inp["pref_f"] * ((pf - f) ** 2).mean()
    #: loss
    opt.zero_grad()
    loss.backward()
    #: grads
    opt.step()
    time.sleep(inp["wait"])
    if step % inp["disp_freq"] == 0 or step == start + 1:
        ve, vf = predict(test[0])
        print(f"{step:7d}  {rmse(ve, test[1]):12.4e}  {rmse(pe, e):12.4e}  {rmse(vf, test[2]):12.4e}  {rmse(pf, f):12.4e}  {lr:9.2e}  {time.time() - t0:9.2f}", flush=True)
    if step % inp["save_freq"] == 0:
        torch.save(dict(net=net.state_dict(), opt=opt.state_dict(), step=step), inp["model"])
        #: saved
    #: after
#: finish
ve, vf = predict(test[0])
print(f"# finished: energy {1000 * rmse(ve, test[1]) / 5:.2f} meV/atom, forces {rmse(vf, test[2]):.4f} eV/A on {len(test[0])} test frames")
'''

SPIRALS = '''"""Denoising diffusion on a two-armed spiral."""
import contextlib
import os
import sys
import time
from dataclasses import dataclass, fields

import torch
from torch import nn


@dataclass
class Run:
    name: str = "spiral"
    project: str = "toy-diffusion"
    iterations: int = 900
    batch: int = 128
    width: int = 96
    lr: float = 2e-3
    noise_steps: int = 40
    ema: float = 0.99
    report: int = 60
    keep: int = 300
    home: str = "ckpt"
    resume_from: str = ""
    lazy: float = 0.0

    @classmethod
    def from_line(cls, words):
        types = {f.name: type(f.default) for f in fields(cls)}
        return cls(**{k.replace("-", "_"): types[k.replace("-", "_")](v) for k, v in (w.removeprefix("--").split("=") for w in words)})


run = Run.from_line(sys.argv[1:])
print(f"tracker: offline mode, run {run.name!r} of project {run.project!r} is kept in ./tracker/{run.name}")
HISTORY = {"denoise_mse": [], "grad_norm": [], "samples_per_s": []}
torch.manual_seed(2)
#: early


def spiral(n):
    t = 0.4 + 2.6 * torch.rand(n, 1)
    side = torch.where(torch.rand(n, 1) > 0.5, 1.0, -1.0)
    return side * torch.cat([t * torch.cos(2.5 * t), t * torch.sin(2.5 * t)], 1) / 2 + 0.03 * torch.randn(n, 2)


#: data
alpha = torch.cumprod(1 - torch.linspace(1e-3, 0.12, run.noise_steps), 0)
net = nn.Sequential(nn.Linear(6, run.width), nn.SiLU(), nn.Linear(run.width, run.width), nn.SiLU(), nn.Linear(run.width, 2))
shadow = {k: v.clone() for k, v in net.state_dict().items()}
opt = torch.optim.AdamW(net.parameters(), run.lr)
first = 1
os.makedirs(run.home, exist_ok=True)
if run.resume_from:
    #: resume
    old = torch.load(run.resume_from)
    net.load_state_dict(old["net"])
    opt.load_state_dict(old["opt"])
    shadow, first = old["ema"], old["iteration"] + 1
    print(f"resuming {run.resume_from}: {old['iteration']} iterations are done already")


def features(x, s):
    u = s / run.noise_steps
    return torch.cat([x, u, u**2, torch.sin(6 * u), torch.cos(6 * u)], 1)


def spark(values):
    low, high = min(values), max(values)
    return "".join("▁▂▃▄▅▆▇█"[int(7 * (v - low) / (high - low + 1e-9))] for v in values[:: max(1, len(values) // 30)])


print(f"parameters: {sum(p.numel() for p in net.parameters())}   device: {'cuda' if torch.cuda.is_available() else 'cpu'}", flush=True)
began = tick = time.time()
for iteration in range(first, run.iterations + 1):
    x0, s = spiral(run.batch), torch.randint(0, run.noise_steps, (run.batch, 1))
    #: batch
    eps, a = torch.randn_like(x0), alpha[s]
    xt = a.sqrt() * x0 + (1 - a).sqrt() * eps
    loss = ((net(features(xt, s.float())) - eps) ** 2).mean()
    #: loss
    opt.zero_grad()
    loss.backward()
    g = nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    #: grads
    opt.step()
    for k, v in net.state_dict().items():
        shadow[k].mul_(run.ema).add_(v, alpha=1 - run.ema)
    time.sleep(run.lazy)
    HISTORY["denoise_mse"].append(loss.item())
    HISTORY["grad_norm"].append(g.item())
    if iteration % run.report == 0:
        speed = run.report * run.batch / (time.time() - tick)
        HISTORY["samples_per_s"].append(speed)
        tick = time.time()
        recent = HISTORY["denoise_mse"][-run.report :]
        print(f"[{100 * iteration / run.iterations:5.1f}%] it={iteration} denoise_mse={sum(recent) / len(recent):.5f} grad_norm={g.item():.3f} samples/s={speed:.0f}", flush=True)
    if iteration % run.keep == 0 or iteration == run.iterations:
        torch.save({"net": net.state_dict(), "ema": shadow, "opt": opt.state_dict(), "iteration": iteration}, f"{run.home}/{run.name}-{iteration}.ckpt")
        #: saved
    #: after
#: finish
print(f"\\ntracker: Run history of {run.name}:")
for k, v in HISTORY.items():
    if v:
        print(f"tracker:   {k:>14} {spark(v)}")
print("tracker: Run summary:")
for k, v in {**{k: round(v[-1], 5) for k, v in HISTORY.items() if v}, "iterations": iteration, "runtime_s": round(time.time() - began, 1)}.items():
    print(f"tracker:   {k:>14} {v}")
'''

PAPERS = '''"""Topic of papers from who cites whom (graph network on a made-up citation graph). Bar on stderr, results on stdout."""
import argparse
import pathlib
import sys
import time

import torch
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=60)
ap.add_argument("--hid", type=int, default=16)
ap.add_argument("--lr", type=float, default=0.02)
ap.add_argument("--papers", type=int, default=600)
ap.add_argument("--topics", type=int, default=5)
ap.add_argument("--patience", type=int, default=0)
ap.add_argument("--store", type=pathlib.Path, default=pathlib.Path("store"))
ap.add_argument("--cont", type=pathlib.Path)
ap.add_argument("--snap", type=int, default=20)
ap.add_argument("--hold", type=float, default=0.04, help="seconds between epochs, other people use this machine too")
A = ap.parse_args()
A.store.mkdir(exist_ok=True, parents=True)
torch.manual_seed(12)
#: early
Y = torch.randint(0, A.topics, (A.papers,))
same = Y[:, None] == Y[None, :]
ADJ = (torch.rand(A.papers, A.papers) < torch.where(same, 0.03, 0.004)).float()
ADJ = ((ADJ + ADJ.T + torch.eye(A.papers)) > 0).float()
DEG = ADJ.sum(1)
NORM = ADJ / (DEG[:, None] * DEG[None, :]).sqrt()
X = F.one_hot(Y, A.topics).float() * 0.8 + torch.randn(A.papers, A.topics) * 1.5
TRAIN = torch.rand(A.papers) < 0.3
#: graph


class Cites(torch.nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.one, self.two = torch.nn.Linear(i, h), torch.nn.Linear(h, o)

    def forward(self, x):
        return NORM @ self.two(F.dropout(F.relu(NORM @ self.one(x)), 0.3, self.training))


net = Cites(A.topics, A.hid, A.topics)
opt = torch.optim.Adam(net.parameters(), A.lr, weight_decay=1e-4)
e0 = 0
if A.cont:
    #: cont
    snap = torch.load(A.cont)
    net.load_state_dict(snap["net"])
    opt.load_state_dict(snap["opt"])
    e0 = snap["epoch"]
    print(f"continue from {A.cont} (epoch {e0})", flush=True)


def bar(e, **values):
    full = int(24 * e / A.epochs)
    sys.stderr.write(f"\\rEpochs: {100 * e // A.epochs:3d}%|{'█' * full}{' ' * (24 - full)}| {e}/{A.epochs} [{time.time() - T0:.0f}s, " + ", ".join(f"{k}={v:.4f}" for k, v in values.items()) + "]")
    sys.stderr.flush()


T0, best, stale = time.time(), 0.0, 0
for e in range(e0 + 1, A.epochs + 1):
    net.train()
    out = net(X)
    #: out
    loss = F.cross_entropy(out[TRAIN], Y[TRAIN])
    #: loss
    opt.zero_grad()
    loss.backward()
    #: grads
    opt.step()
    net.eval()
    with torch.no_grad():
        acc = (net(X).argmax(1) == Y)[~TRAIN].float().mean().item()
    #: valid
    stale = 0 if acc > best else stale + 1
    best = max(best, acc)
    bar(e, loss=loss.item(), acc=acc)
    time.sleep(A.hold)
    if e % A.snap == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": e}, A.store / "snap.pth")
        #: saved
    #: after
    if A.patience and stale >= A.patience:
        sys.stderr.write("\\n")
        print(f"stopped at epoch {e}: accuracy has not risen for {stale} epochs")
        break
sys.stderr.write("\\n")
#: finish
print(f"best accuracy on {int((~TRAIN).sum())} papers: {best:.4f}; last loss {loss.item():.4f}")
'''
