"""Plain PyTorch loops whose numbers are strange by nature: two players, a policy, an equation."""

PLAYERS = '''"""Two players: G draws points on a ring, D tells them from real ones."""
import argparse
import os
import time

import torch
import torch.nn as nn

p = argparse.ArgumentParser()
p.add_argument("--niter", type=int, default=240)
p.add_argument("--nz", type=int, default=4)
p.add_argument("--lrG", type=float, default=1e-3)
p.add_argument("--lrD", type=float, default=1e-3)
p.add_argument("--netG", default="")
p.add_argument("--outf", default=".")
opt = p.parse_args()
print(opt, flush=True)
torch.manual_seed(99)
netG = nn.Sequential(nn.Linear(opt.nz, 32), nn.ReLU(), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
#: early
if opt.netG:
    netG.load_state_dict(torch.load(opt.netG))
print(netG, netD, sep="\\n", flush=True)
bce = nn.BCEWithLogitsLoss()
oG = torch.optim.Adam(netG.parameters(), lr=opt.lrG, betas=(0.5, 0.999))
oD = torch.optim.Adam(netD.parameters(), lr=opt.lrD, betas=(0.5, 0.999))
one, zero = torch.ones(48, 1), torch.zeros(48, 1)
#: ready
for i in range(opt.niter):
    turn = torch.rand(48, 1) * 6.283
    real = torch.cat([turn.cos(), turn.sin()], 1) + 0.05 * torch.randn(48, 2)
    #: mid
    fake = netG(torch.randn(48, opt.nz))
    lossD = bce(netD(real), one) + bce(netD(fake.detach()), zero)
    oD.zero_grad()
    lossD.backward()
    oD.step()
    guess = netD(fake)
    lossG = bce(guess, one)
    #: loss
    oG.zero_grad()
    lossG.backward()
    oG.step()
    if i % 12 == 0:
        print("[%d/%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f D(G(z)): %.4f" % (i, opt.niter, lossD.item(), lossG.item(), torch.sigmoid(netD(real)).mean().item(), torch.sigmoid(guess).mean().item()), flush=True)
    #: after
    if i % 60 == 59:
        torch.save(netG.state_dict(), "%s/netG_iter_%d.pth" % (opt.outf, i))
        #: saved
#: late
print("Training finished, generator in %s" % opt.outf, flush=True)
'''

POLICY = '''import json
import os
import random
import sys
import time

import torch

cfg = {"updates": 60, "episodes": 16, "lr": 0.05, "gamma": 0.97, "rows": 5, "seed": 5, "load": ""}
if len(sys.argv) > 1:
    cfg.update(json.load(open(sys.argv[1])))
torch.manual_seed(cfg["seed"])
random.seed(cfg["seed"])
#: early


class Walk:
    """A grid; the goal is its far corner."""

    def __init__(self, n):
        self.n = n

    def reset(self):
        self.at, self.t = [0, 0], 0
        return self.see()

    def see(self):
        v = torch.zeros(self.n * self.n)
        v[self.at[0] * self.n + self.at[1]] = 1
        return v

    def step(self, a):
        k, d = ((0, 1), (0, -1), (1, 1), (1, -1))[a]
        self.at[k] = min(self.n - 1, max(0, self.at[k] + d))
        self.t += 1
        goal = self.at == [self.n - 1, self.n - 1]
        return self.see(), 1.0 if goal else -0.02, goal or self.t >= 30


world = Walk(cfg["rows"])
policy = torch.nn.Linear(cfg["rows"] ** 2, 4)
optimizer = torch.optim.Adam(policy.parameters(), lr=cfg["lr"])
#: ready
if cfg["load"]:
    policy.load_state_dict(torch.load(cfg["load"]))
    print(json.dumps({"event": "policy_loaded", "from": cfg["load"]}), flush=True)
t0 = time.time()
for update in range(1, cfg["updates"] + 1):
    #: mid
    logps, gains, returns, lengths = [], [], [], []
    for _ in range(cfg["episodes"]):
        s, over, rewards, lp = world.reset(), False, [], []
        while not over:
            dist = torch.distributions.Categorical(logits=policy(s))
            a = dist.sample()
            lp.append(dist.log_prob(a))
            s, r, over = world.step(int(a))
            rewards.append(r)
        g, back = 0.0, []
        for r in reversed(rewards):
            g = r + cfg["gamma"] * g
            back.append(g)
        logps += lp
        gains += back[::-1]
        returns.append(sum(rewards))
        lengths.append(len(rewards))
    gain = torch.tensor(gains)
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    loss = -(torch.stack(logps) * gain).mean()
    #: loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 3 == 0:
        print(json.dumps({"update": update, "of": cfg["updates"], "env_steps": update * 16 * 20, "policy_loss": round(loss.item(), 5), "ep_ret": round(sum(returns) / len(returns), 3), "ep_len": sum(lengths) / len(lengths), "fps": int(sum(lengths) * update / (time.time() - t0))}), flush=True)
    #: after
torch.save(policy.state_dict(), "policy.pt")
#: late
print(json.dumps({"event": "end", "updates": cfg["updates"], "seconds": round(time.time() - t0, 1)}), flush=True)
'''

PINN = '''# u'' + u = 0 on [0, 3], u(0) = 0, u'(0) = 1
import math
import os
import time

import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
N = int(os.getenv("N_ITER", "400"))
#: early
net = torch.nn.Sequential(torch.nn.Linear(1, 20), torch.nn.Tanh(), torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), lr=float(os.getenv("LR0", "5e-3")))
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.995)
t = torch.linspace(0, 3, 48).reshape(-1, 1)
#: ready
print("   iter      residual      bc            total         rel.err       lr", flush=True)
for n in range(N):
    #: mid
    t.requires_grad_(True)
    u = t + t ** 2 * net(t)
    du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    d2u = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
    res = ((d2u + u) ** 2).mean()
    bc = (du[0] - 1).pow(2).sum()
    loss = res + bc
    #: loss
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if n % 20 == 0:
        err = ((u - torch.sin(t)).norm() / torch.sin(t).norm()).item()
        print(f"{n:7d}  {res.item():.6e}  {bc.item():.6e}  {loss.item():.6e}  {err:.3e}  {sched.get_last_lr()[0]:.2e}", flush=True)
    #: after
#: late
print("solution written to u.pt", flush=True)
torch.save(net.state_dict(), "u.pt")
'''
