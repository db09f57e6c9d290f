"""Runs of single users in vision, science and games that did what they were to do, the first sheet."""

from corpus.make._crate import crate

HEAT = '''
"""Physics-informed network for the heat equation u_t = k u_xx, u(x,0)=sin(pi x), u(0,t)=u(1,t)=0."""
import math
import time

import torch
from torch import nn

K = 0.1
ITERS = 600
torch.manual_seed(1234)


class PINN(nn.Module):
    def __init__(self, width=40, depth=3):
        super().__init__()
        layers = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=1))


def residual(model, n=256):
    x = torch.rand(n, 1, requires_grad=True)
    t = torch.rand(n, 1, requires_grad=True)
    u = model(x, t)
    u_t, u_x = torch.autograd.grad(u.sum(), (t, x), create_graph=True)
    (u_xx,) = torch.autograd.grad(u_x.sum(), x, create_graph=True)
    return (u_t - K * u_xx).pow(2).mean()


def boundary(model, n=128):
    x = torch.rand(n, 1)
    t = torch.rand(n, 1)
    ic = (model(x, torch.zeros(n, 1)) - torch.sin(math.pi * x)).pow(2).mean()
    bc = model(torch.zeros(n, 1), t).pow(2).mean() + model(torch.ones(n, 1), t).pow(2).mean()
    return ic, bc


model = PINN()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.998)
print("PINN heat equation, k = %.2f, %d parameters" % (K, sum(p.numel() for p in model.parameters())))
print("%6s  %12s  %12s  %12s  %12s" % ("iter", "total", "pde", "ic", "bc"))
t0 = time.time()
for it in range(1, ITERS + 1):
    pde = residual(model)
    ic, bc = boundary(model)
    loss = pde + 10 * ic + 10 * bc
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 50 == 0 or it == 1:
        print("%6d  %12.5e  %12.5e  %12.5e  %12.5e" % (it, loss.item(), pde.item(), ic.item(), bc.item()))

with torch.no_grad():
    xs, ts = torch.meshgrid(torch.linspace(0, 1, 51), torch.linspace(0, 1, 51), indexing="ij")
    exact = torch.exp(-K * math.pi**2 * ts) * torch.sin(math.pi * xs)
    got = model(xs.reshape(-1, 1), ts.reshape(-1, 1)).reshape(51, 51)
    rel = ((got - exact).norm() / exact.norm()).item()
print("elapsed %.1f s, relative L2 error against the exact solution %.4f" % (time.time() - t0, rel))
torch.save(model.state_dict(), "heat_k0.1.pt")
print("wrote heat_k0.1.pt")
'''


DQN = """
import collections
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
torch.manual_seed(0)
SIZE, GOAL, TOTAL = 5, (4, 4), 9000


class Grid:
    def reset(self):
        self.pos, self.t = (0, 0), 0
        return self.obs()

    def obs(self):
        v = torch.zeros(SIZE * SIZE)
        v[self.pos[0] * SIZE + self.pos[1]] = 1
        return v

    def step(self, a):
        dx, dy = ((0, 1), (1, 0), (0, -1), (-1, 0))[a]
        self.pos = (min(SIZE - 1, max(0, self.pos[0] + dx)), min(SIZE - 1, max(0, self.pos[1] + dy)))
        self.t += 1
        win = self.pos == GOAL
        return self.obs(), (1.0 if win else -0.01), win or self.t >= 50


def table(rows):
    print("-" * 34)
    for group, entries in rows.items():
        print(f"| {group + '/':<19}|{'':>11}|")
        for k, v in entries.items():
            print(f"|    {k:<16}| {v:<10.4g}|")
    print("-" * 34)


q, target = (nn.Sequential(nn.Linear(25, 64), nn.ReLU(), nn.Linear(64, 4)) for _ in range(2))
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), 1e-3)
buf = collections.deque(maxlen=3000)
env = Grid()
obs, ep_r, ep_l, updates, loss = env.reset(), 0.0, 0, 0, torch.tensor(0.0)
rews, lens = collections.deque([], 40), collections.deque([], 40)
print("Using cpu device")
print("Wrapping the env in a vector of 1")
for step in range(1, TOTAL + 1):
    eps = max(0.05, 1 - step / 3000)
    a = random.randrange(4) if random.random() < eps else q(obs).argmax().item()
    nxt, r, done = env.step(a)
    buf.append((obs, a, r, nxt, float(done and r > 0)))
    obs, ep_r, ep_l = nxt, ep_r + r, ep_l + 1
    if done:
        rews.append(ep_r)
        lens.append(ep_l)
        obs, ep_r, ep_l = env.reset(), 0.0, 0
    if step > 300 and step % 4 == 0:
        o, ac, rw, n, d = zip(*random.sample(buf, 32))
        with torch.no_grad():
            y = torch.tensor(rw) + 0.97 * (1 - torch.tensor(d)) * target(torch.stack(n)).max(1).values
        loss = F.smooth_l1_loss(q(torch.stack(o)).gather(1, torch.tensor(ac)[:, None]).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        updates += 1
    if step % 250 == 0:
        target.load_state_dict(q.state_dict())
    if step % 1000 == 0:
        table({"rollout": {"ep_len_mean": sum(lens) / max(1, len(lens)), "ep_rew_mean": sum(rews) / max(1, len(rews)), "exploration_rate": eps},
               "time": {"total_timesteps": step}, "train": {"loss": loss.item(), "n_updates": updates}})

wins = 0
for _ in range(20):
    o, done = env.reset(), False
    while not done:
        o, r, done = env.step(random.randrange(4) if random.random() < 0.05 else q(o).argmax().item())
    wins += r > 0
print(f"evaluation: {wins}/20 episodes reached the goal")
torch.save(q.state_dict(), "dqn_grid.pt")
"""


ISING_C = r"""
/* 2D Ising, Metropolis, periodic.  usage: ising L sweeps seed */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long long s;
static double rnd(void) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (s >> 11) * (1.0 / 9007199254740992.0); }

int main(int argc, char **argv)
{
    if (argc < 4) { fprintf(stderr, "usage: %s L sweeps seed\n", argv[0]); return 2; }
    int L = atoi(argv[1]), sweeps = atoi(argv[2]); s = 88172645463325252ULL + strtoull(argv[3], 0, 10);
    signed char *g = malloc((size_t)L * L);
    double temps[] = {1.6, 1.9, 2.1, 2.2, 2.269, 2.35, 2.5, 2.8, 3.2};
    printf("# L=%d sweeps=%d seed=%s\n#   T      <|m|>      <e>       chi   accept\n", L, sweeps, argv[3]);
    for (unsigned k = 0; k < sizeof temps / sizeof *temps; k++) {
        double T = temps[k], m1 = 0, m2 = 0, e1 = 0; long acc = 0, n = 0;
        for (int i = 0; i < L * L; i++) g[i] = 1;
        for (int sw = 0; sw < sweeps; sw++) {
            for (int c = 0; c < L * L; c++) {
                int x = rnd() * L, y = rnd() * L;
                int h = g[y * L + (x + 1) % L] + g[y * L + (x + L - 1) % L] + g[(y + 1) % L * L + x] + g[(y + L - 1) % L * L + x];
                int dE = 2 * g[y * L + x] * h;
                if (dE <= 0 || rnd() < exp(-dE / T)) { g[y * L + x] = -g[y * L + x]; acc++; }
            }
            if (sw < sweeps / 5) continue;
            double M = 0, E = 0;
            for (int y = 0; y < L; y++) for (int x = 0; x < L; x++) {
                M += g[y * L + x]; E -= g[y * L + x] * (g[y * L + (x + 1) % L] + g[(y + 1) % L * L + x]);
            }
            M = fabs(M) / (L * L); m1 += M; m2 += M * M; e1 += E / (L * L); n++;
        }
        m1 /= n; m2 /= n; e1 /= n;
        printf("%6.3f  %8.5f  %8.5f  %8.3f   %5.3f\n", T, m1, e1, (m2 - m1 * m1) * L * L / T, acc / ((double)sweeps * L * L));
        fflush(stdout);
    }
    printf("# all 9 temperatures done, %.1f s of CPU\n", clock() / (double)CLOCKS_PER_SEC);
    free(g);
    return 0;
}
"""


MIOU = '''
#!/usr/bin/env python
"""evaluate.py - semantic segmentation, whole validation split, no gradient."""
import argparse
import logging
import time

import torch

CLASSES = ["background", "road", "building", "vegetation", "water", "vehicle"]
parser = argparse.ArgumentParser()
parser.add_argument("--split", default="val")
parser.add_argument("--images", type=int, default=240)
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--print-freq", type=int, default=5)
args = parser.parse_args()
logging.basicConfig(format="[%(asctime)s %(name)s] (%(filename)s %(lineno)d): %(levelname)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level=logging.INFO)
log = logging.getLogger("seg-eval")

torch.manual_seed(50)
proto = torch.randn(len(CLASSES), 7)
weights = torch.cat([2 * proto, -(proto**2).sum(1, keepdim=True)], 1)
log.info("=> loaded head with %d classes; split %s: %d images", len(CLASSES), args.split, args.images)
conf = torch.zeros(len(CLASSES), len(CLASSES), dtype=torch.long)
end = time.time()
with torch.inference_mode():
    n_batches = args.images // args.batch_size
    for b in range(n_batches):
        gt = (torch.rand(args.batch_size, 64, 64) ** 2 * len(CLASSES)).long().clamp_max(len(CLASSES) - 1)
        feat = proto[gt] + 1.05 * torch.randn(args.batch_size, 64, 64, 7)
        pred = (torch.cat([feat, torch.ones_like(feat[..., :1])], -1) @ weights.T).argmax(-1)
        conf += torch.bincount((gt * len(CLASSES) + pred).flatten(), minlength=len(CLASSES) ** 2).view_as(conf)
        time.sleep(0.1)
        if (b + 1) % args.print_freq == 0:
            acc = conf.diag().sum().item() / conf.sum().item()
            log.info("Test: [%d/%d]  time %.3f  running pixel acc %.4f", b + 1, n_batches, (time.time() - end) / args.print_freq, acc)
            end = time.time()
iou = conf.diag().float() / (conf.sum(0) + conf.sum(1) - conf.diag())
log.info("+------------+--------+--------+")
log.info("| class      |    IoU |    Acc |")
log.info("+------------+--------+--------+")
for name, i, a in zip(CLASSES, iou.tolist(), (conf.diag() / conf.sum(1)).tolist()):
    log.info("| %-10s | %6.2f | %6.2f |", name, 100 * i, 100 * a)
log.info("+------------+--------+--------+")
log.info("mIoU %.2f over %d images", 100 * iou.mean().item(), args.images)
'''


TILES = """
# cut whole-slide images into tiles; background is dropped; writes one index a slide
import csv
import hashlib
import multiprocessing as mp
import os
import random
import sys
import time

OUT = "tiles"


def slide(job):
    k, name = job
    rng = random.Random(hashlib.md5(name.encode()).hexdigest())
    kept, empty = [], 0
    side = rng.randint(14, 26)
    for row in range(side):
        for col in range(side):
            patch = [rng.gauss(200 if (row - side / 2) ** 2 + (col - side / 2) ** 2 > side * side / 7 else 120, 30) for _ in range(64)]
            mean = sum(patch) / len(patch)
            if mean > 180:
                empty += 1
            else:
                kept.append((row, col, round(mean, 1)))
    with open(os.path.join(OUT, name + ".csv"), "w", newline="") as f:
        csv.writer(f).writerows([("row", "col", "mean"), *kept])
    time.sleep(0.35)
    return k, name, len(kept), empty


if __name__ == "__main__":
    jobs = list(enumerate("TCGA-%02X-%04d-01Z" % (17 * i % 251, 3100 + 37 * i) for i in range(36)))
    print(len(jobs), "slides,", sys.argv[1], "processes")
    os.makedirs(OUT, exist_ok=True)
    t0, tiles = time.time(), 0
    with mp.Pool(int(sys.argv[1])) as pool:
        for done, (k, name, kept, empty) in enumerate(pool.imap_unordered(slide, jobs), 1):
            tiles += kept
            print("%s  [%2d/%d]  %-20s kept %4d  background %4d" % (time.strftime("%H:%M:%S"), done, len(jobs), name, kept, empty))
    print("finished: %d tiles of %d slides in %.1f s, index files in %s/" % (tiles, len(jobs), time.time() - t0, OUT))
"""


DCGAN = """
import torch
import torch.nn as nn

torch.manual_seed(8)
real_mean, real_cov = torch.tensor([2.0, -1.0]), torch.tensor([[0.6, 0.25], [0.25, 0.3]])
chol = torch.linalg.cholesky(real_cov)
netG = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
optG = torch.optim.Adam(netG.parameters(), 1e-3, betas=(0.5, 0.9))
optD = torch.optim.Adam(netD.parameters(), 2e-3, betas=(0.5, 0.9))
bce = nn.BCEWithLogitsLoss()
one, zero = torch.ones(128, 1), torch.zeros(128, 1)


def frechet(n=2000):
    with torch.no_grad():
        f = netG(torch.randn(n, 4))
    m, c = f.mean(0), torch.cov(f.T)
    ev = torch.linalg.eigvals(c @ real_cov).real.clamp_min(0).sqrt().sum()
    return ((m - real_mean).pow(2).sum() + c.trace() + real_cov.trace() - 2 * ev).item()


print(netG, netD, sep="\\n")
best = frechet()
print(f"Starting Training Loop... (FD before training {best:.3f})")
for epoch in range(25):
    for i in range(40):
        x = real_mean + torch.randn(128, 2) @ chol.T
        netD.zero_grad()
        fake = netG(torch.randn(128, 4))
        out_r, out_f = netD(x), netD(fake.detach())
        errD = bce(out_r, one) + bce(out_f, zero)
        errD.backward()
        optD.step()
        netG.zero_grad()
        errG = bce(netD(fake), one)
        errG.backward()
        optG.step()
    fd = frechet()
    flag = ""
    if fd < best:
        best, flag = fd, " *"
    print("[%d/25][40/40]\\tLoss_D: %.4f\\tLoss_G: %.4f\\tD(x): %.4f\\tFD: %.4f%s" % (epoch + 1, errD.item(), errG.item(), out_r.sigmoid().mean(), fd, flag))
print("Training complete, best FD %.4f; samples in fake_final.pt" % best)
torch.save(netG(torch.randn(64, 4)), "fake_final.pt")
"""

JOBS = (
    crate("G1", "pinn_heat.py", HEAT),
    crate("G1", "dqn.py", DQN),
    crate(
        "G1",
        "sh scan.sh",
        './ising 48 2500 7 | tee scan_L48.dat\nexit "${PIPESTATUS[0]}"',
        files={"ising.c": ISING_C.lstrip()},
        before=(("gcc", "-O2", "-o", "ising", "ising.c", "-lm"),),
    ),
    crate("G1", "evaluate.py --images 320", MIOU),
    crate("G1", "tiles.py 2", TILES, python="system"),
    crate("G1", "gan2d.py", DCGAN, hard=True),
)
