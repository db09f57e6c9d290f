"""Programs over PyTorch: a lift that learns whom to fetch (DQN, CSV on stdout), textures by two nets against each other, a denoiser told through tqdm."""

LIFT = '''"""DQN for the lift of a six-storey house. Output is CSV, comments begin with #."""
import argparse, collections, csv, os, random, sys, time
import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--episodes", type=int, default=120)
ap.add_argument("--horizon", type=int, default=30)
ap.add_argument("--gamma", type=float, default=0.9)
ap.add_argument("--lr", type=float, default=2e-3)
ap.add_argument("--units", type=int, default=48)
ap.add_argument("--eps-end", type=float, default=0.05)
ap.add_argument("--memory", type=int, default=4000)
ap.add_argument("--policy", default="lift_policy.pt")
ap.add_argument("--load")
ap.add_argument("--every", type=int, default=5)
ap.add_argument("--play", action="store_true", help="no learning")
ap.add_argument("--tick", type=float, default=0.0)
opt = ap.parse_args()
random.seed(8); torch.manual_seed(8)
FLOORS = 6
w = csv.writer(sys.stdout, lineterminator="\\n")
print("#", " ".join(sys.argv), flush=True)
#: early


class House:
    def reset(self):
        self.at, self.calls, self.t = 0, [random.random() < 0.4 for _ in range(FLOORS)], 0
        return self.view()

    def view(self):
        return torch.tensor([float(self.at == f) for f in range(FLOORS)] + [float(c) for c in self.calls])

    def step(self, a):
        self.t += 1
        self.at = max(0, min(FLOORS - 1, self.at + (a - 1)))
        r = -0.1 * sum(self.calls)
        if a == 1 and self.calls[self.at]:
            r, self.calls[self.at] = r + 1.5, False
        if random.random() < 0.15:
            self.calls[random.randrange(FLOORS)] = True
        return self.view(), r, self.t >= opt.horizon


def mlp():
    return nn.Sequential(nn.Linear(2 * FLOORS, opt.units), nn.ReLU(), nn.Linear(opt.units, opt.units), nn.ReLU(), nn.Linear(opt.units, 3))


q, target = mlp(), mlp()
adam, first = torch.optim.Adam(q.parameters(), opt.lr), 1
if opt.load:
    #: load
    kept = torch.load(opt.load)
    q.load_state_dict(kept["q"])
    first = kept["episode"] + 1
    print(f"# policy {opt.load} of episode {kept['episode']} loaded", flush=True)
target.load_state_dict(q.state_dict())
memory, env = collections.deque(maxlen=opt.memory), House()
#: ready
w.writerow("episode return mean20 td_loss epsilon transitions seconds".split()); sys.stdout.flush()
last, t0 = collections.deque(maxlen=20), time.time()
for episode in range(first, opt.episodes + 1):
    eps = 0.0 if opt.play else max(opt.eps_end, 1.0 - episode / 40)
    s, total, done, losses = env.reset(), 0.0, False, []
    while not done:
        with torch.no_grad():
            a = random.randrange(3) if random.random() < eps else int(q(s).argmax())
        s2, r, done = env.step(a)
        #: reward
        memory.append((s, a, r, s2, float(done)))
        s, total = s2, total + r
        if len(memory) >= 64 and not opt.play:
            S, A, R, S2, D = zip(*random.sample(memory, 64))
            S, S2, A, R, D = torch.stack(S), torch.stack(S2), torch.tensor(A), torch.tensor(R), torch.tensor(D)
            with torch.no_grad():
                goal = R + opt.gamma * (1 - D) * target(S2).max(1).values
            loss = nn.functional.smooth_l1_loss(q(S).gather(1, A[:, None])[:, 0], goal)
            #: loss
            adam.zero_grad(); loss.backward(); adam.step()
            losses.append(loss.item())
        time.sleep(opt.tick)
    last.append(total)
    w.writerow([episode, f"{total:.2f}", f"{sum(last)/len(last):.3f}", f"{sum(losses)/len(losses):.5f}" if losses else "", f"{eps:.3f}", len(memory), f"{time.time()-t0:.2f}"]); sys.stdout.flush()
    #: episode
    if episode % opt.every == 0:
        target.load_state_dict(q.state_dict())
    if episode % 25 == 0 and not opt.play:
        torch.save({"q": q.state_dict(), "episode": episode}, opt.policy)
#: end
print(f"# {opt.episodes} episodes played, mean return of the last {len(last)}: {sum(last)/len(last):.3f}")
'''

TEXTURES = '''import argparse
import os
import time

import torch
import torch.nn as nn

p = argparse.ArgumentParser("weave")
p.add_argument("--kimg", type=float, default=24, help="thousand images shown to D")
p.add_argument("--batch", type=int, default=32)
p.add_argument("--glr", type=float, default=1e-3)
p.add_argument("--dlr", type=float, default=5e-4)
p.add_argument("--z", type=int, default=16)
p.add_argument("--snap", type=float, default=8)
p.add_argument("--resume", default=None)
p.add_argument("--outdir", default="weave-runs")
p.add_argument("--tick", type=float, default=0.8, help="kimg per line")
args = p.parse_args()
torch.manual_seed(2)
os.makedirs(args.outdir, exist_ok=True)
for k, v in vars(args).items():
    print(f"{k:>12s} : {v}")
#: early


def real(n):
    u, v = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
    f = 0.5 + torch.rand(n, 1, 1)
    return torch.tanh(torch.sin(f * u) * torch.cos(f * v) + 0.1 * torch.randn(n, 12, 12)).flatten(1)


def generator():
    return nn.Sequential(nn.Linear(args.z, 96), nn.LeakyReLU(0.2), nn.Linear(96, 144), nn.Tanh())


G, D = generator(), nn.Sequential(nn.Linear(144, 96), nn.LeakyReLU(0.2), nn.Linear(96, 1))
og, od = torch.optim.Adam(G.parameters(), args.glr, (0.5, 0.99)), torch.optim.Adam(D.parameters(), args.dlr, (0.5, 0.99))
bce = nn.BCEWithLogitsLoss()
shown = 0
if args.resume:
    #: resume
    snap = torch.load(args.resume)
    G.load_state_dict(snap["G"]); D.load_state_dict(snap["D"])
    shown = snap["shown"]
    print(f"Resuming from {args.resume} at kimg {shown / 1000:.1f}")
print("Training for", args.kimg, "kimg...")
start, tick, nexttick, nextsnap = time.time(), 0, shown, shown + args.snap * 1000
while shown < args.kimg * 1000:
    x = real(args.batch)
    #: batch
    fake = G(torch.randn(args.batch, args.z))
    r, f = D(x), D(fake.detach())
    loss_d = bce(r, torch.ones_like(r)) + bce(f, torch.zeros_like(f))
    #: loss
    od.zero_grad(); loss_d.backward(); od.step()
    loss_g = bce(D(fake), torch.ones_like(r))
    og.zero_grad(); loss_g.backward(); og.step()
    shown += args.batch
    #: step
    if shown >= nexttick:
        gap = (fake.mean(0) - x.mean(0)).abs().mean().item()
        print(f"tick {tick:<5d} kimg {shown / 1000:<8.1f} time {time.time() - start:<8.1f} Loss/D {loss_d.item():<8.4f} Loss/G {loss_g.item():<8.4f} real {torch.sigmoid(r).mean().item():.3f} fake {torch.sigmoid(f).mean().item():.3f} gap {gap:.4f}", flush=True)
        tick, nexttick = tick + 1, nexttick + args.tick * 1000
        #: tick
    if shown >= nextsnap:
        torch.save({"G": G.state_dict(), "D": D.state_dict(), "shown": shown}, f"{args.outdir}/snapshot-{shown // 1000:06d}.pt")
        print(f"saved snapshot-{shown // 1000:06d}.pt", flush=True)
        nextsnap += args.snap * 1000
#: end
print("Exiting... reached", shown / 1000, "kimg")
'''

DENOISE = '''"""Noise off seismograms: a small network of convolutions, progress through tqdm (stderr), one line an epoch (stdout)."""
import os
import sys
import time
import traceback

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm

EPOCHS, LR, CHANNELS, TRACES = int(os.getenv("EPOCHS", "12")), float(os.getenv("LR", "3e-3")), int(os.getenv("CHANNELS", "10")), int(os.getenv("TRACES", "480"))
WORKERS, LOAD, OUT = int(os.getenv("WORKERS", "0")), os.getenv("LOAD", ""), os.getenv("OUT", "quiet")
torch.manual_seed(0)
os.makedirs(OUT, exist_ok=True)
print(f"pid {os.getpid()}  torch {torch.__version__}  epochs={EPOCHS} lr={LR} channels={CHANNELS} traces={TRACES} workers={WORKERS} load={LOAD or None}", flush=True)
#: early


class Seismograms(Dataset):
    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(self.seed * 100003 + i)
        t = np.linspace(0, 1, 128, dtype="f4")
        clean = np.exp(-((t - rng.uniform(0.2, 0.8)) ** 2) / 0.005) * np.sin(2 * np.pi * rng.uniform(8, 20) * t)
        #: item
        return torch.from_numpy((clean + 0.4 * rng.normal(size=128)).astype("f4"))[None], torch.from_numpy(clean.astype("f4"))[None]


class Quiet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, c, 11, padding=5), nn.GELU(), nn.Conv1d(c, c, 11, padding=5), nn.GELU())
        self.out = nn.Conv1d(c, 1, 11, padding=5)

    def forward(self, x):
        return self.out(self.enc(x))


net = Quiet(CHANNELS)
opt = torch.optim.AdamW(net.parameters(), lr=LR)
begin = 0
if LOAD:
    #: load
    saved = torch.load(LOAD, weights_only=True)
    net.load_state_dict(saved["net"])
    begin = saved["epoch"]
    print(f"loaded {LOAD}, next epoch is {begin + 1}", flush=True)
loader = DataLoader(Seismograms(TRACES, 1), 24, shuffle=True, num_workers=WORKERS)
held = DataLoader(Seismograms(96, 2), 48)
#: ready
for epoch in range(begin + 1, EPOCHS + 1):
    total, waited, t1 = 0.0, 0.0, time.time()
    mark = time.time()
    bar = tqdm(loader, desc=f"epoch {epoch}/{EPOCHS}", ncols=90, mininterval=0.5, leave=False)
    for k, (x, y) in enumerate(bar):
        waited += time.time() - mark
        #: batch
        loss = nn.functional.mse_loss(net(x), y)
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grad
        opt.step()
        total += loss.item()
        bar.set_postfix(loss=f"{loss.item():.4f}")
        #: step
        mark = time.time()
    with torch.no_grad():
        v = np.mean([nn.functional.mse_loss(net(x), y).item() for x, y in held])
    print(f"epoch {epoch:2d}/{EPOCHS}  mse {total / len(loader):.5f}  held-out mse {v:.5f}  {time.time() - t1:.2f} s (waiting for data {waited:.2f} s)", flush=True)
    #: epoch
    if epoch % 4 == 0 or epoch == EPOCHS:
        torch.save({"net": net.state_dict(), "epoch": epoch}, f"{OUT}/quiet_{epoch}.pt")
#: end
print("done:", sorted(os.listdir(OUT)), flush=True)
'''
