"""Programs over plain PyTorch from the sciences: heat in a rod by residuals, a pole on a cart."""

ROD = '''"""Temperature of a rod: a network that is made to obey u_t = a u_xx (residuals, Adam, then L-BFGS)."""
import math
import os
import sys
import time

import numpy as np
import torch

torch.set_default_dtype(torch.float32)
PARAMS = dict(adam=900, lbfgs=0, lr=2e-3, hidden=24, layers=3, points=256, alpha=0.1, every=50, ckpt_every=300, seed=1234, ckpt="", init="", rundir="rod", nap=0.0)


def read_params(path):
    """name = value, one a line, # for remarks"""
    p = dict(PARAMS)
    for n, line in enumerate(open(path), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, value = (w.strip() for w in line.split("="))
        if name not in p:
            raise SystemExit(f"{path}:{n}: unknown parameter '{name}'")
        p[name] = type(p[name])(value)
    return p


def mlp(hidden, layers):
    sizes = [2] + [hidden] * layers
    mods = []
    for a, b in zip(sizes, sizes[1:]):
        mods += [torch.nn.Linear(a, b), torch.nn.Tanh()]
    return torch.nn.Sequential(*mods, torch.nn.Linear(hidden, 1))


def exact(x, t, a):
    return torch.exp(-a * math.pi**2 * t) * torch.sin(math.pi * x)


def residual(net, xt, a):
    xt = xt.requires_grad_(True)
    u = net(xt)
    du = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
    uxx = torch.autograd.grad(du[:, 0].sum(), xt, create_graph=True)[0][:, :1]
    return du[:, 1:] - a * uxx


def main():
    P = read_params(sys.argv[1]) if len(sys.argv) > 1 else dict(PARAMS)
    torch.manual_seed(P["seed"])
    os.makedirs(P["rundir"], exist_ok=True)
    print("#", time.strftime("%c"), "on", "cuda" if torch.cuda.is_available() else "cpu", "torch", torch.__version__)
    for k, v in P.items():
        print(f"# {k:>10} = {v}")
    #: early
    net = mlp(P["hidden"], P["layers"])
    opt = torch.optim.Adam(net.parameters(), lr=P["lr"])
    it = 0
    if P["init"]:
        net.load_state_dict(torch.load(P["init"])["u"])
        print(f"# network from {P['init']}, another alpha, iteration 0")
    if P["ckpt"]:
        #: resume
        c = torch.load(P["ckpt"])
        net.load_state_dict(c["u"])
        opt.load_state_dict(c["adam"])
        it = c["it"]
        print(f"# restart from {P['ckpt']}, iteration {it}")
    grid = torch.cartesian_prod(torch.linspace(0, 1, 21), torch.linspace(0, 1, 11))
    truth = exact(grid[:, :1], grid[:, 1:], P["alpha"])
    #: ready
    print(f"{'it':>7} {'pde':>11} {'boundary':>11} {'initial':>11} {'total':>11} {'rel.err':>9} {'ms/it':>7}")

    def losses():
        n = P["points"]
        xt = torch.rand(n, 2)
        side = torch.cat([torch.randint(0, 2, (n // 4, 1)).float(), torch.rand(n // 4, 1)], 1)
        x0 = torch.rand(n // 4, 1)
        #: points
        pde = residual(net, xt, P["alpha"]).square().mean()
        bc = net(side).square().mean()
        ic = (net(torch.cat([x0, torch.zeros_like(x0)], 1)) - torch.sin(math.pi * x0)).square().mean()
        return pde, bc, ic

    def row(it, pde, bc, ic, ms):
        with torch.no_grad():
            err = ((net(grid) - truth).norm() / truth.norm()).item()
        print(f"{it:7d} {pde:11.4e} {bc:11.4e} {ic:11.4e} {pde + bc + ic:11.4e} {err:9.4f} {ms:7.2f}", flush=True)
        return err

    t0, err = time.time(), float("nan")
    while it < P["adam"]:
        it += 1
        pde, bc, ic = losses()
        total = pde + bc + ic
        #: loss
        opt.zero_grad()
        total.backward()
        #: grads
        opt.step()
        if P["nap"]:
            time.sleep(P["nap"])
        #: step
        if it % P["every"] == 0:
            err = row(it, pde.item(), bc.item(), ic.item(), 1e3 * (time.time() - t0) / P["every"])
            t0 = time.time()
        if it % P["ckpt_every"] == 0:
            torch.save({"u": net.state_dict(), "adam": opt.state_dict(), "it": it}, f"{P['rundir']}/u_{it}.pt")
            print(f"# wrote {P['rundir']}/u_{it}.pt", flush=True)
            #: saved
    if P["lbfgs"]:
        print("# L-BFGS takes over", flush=True)
        fine = torch.optim.LBFGS(net.parameters(), max_iter=20, history_size=20, line_search_fn="strong_wolfe")
        for k in range(P["lbfgs"]):
            torch.manual_seed(k)

            def closure():
                torch.manual_seed(k)
                fine.zero_grad()
                loss = sum(losses())
                loss.backward()
                return loss

            fine.step(closure)
            #: fine
            err = row(it + 20 * (k + 1), *(v.item() for v in losses()), 0.0)
    np.save(f"{P['rundir']}/u.npy", net(grid).detach().numpy())
    print(f"# end. relative error {err:.4f}")


main()
'''

CART = '''#!/usr/bin/env python3
"""Policy gradient with a value baseline on a pole that stands on a cart. No gym, the physics is below."""
import argparse
import collections
import json
import math
import os
import random
import sys
import time

import torch
import torch.nn as nn

P = argparse.ArgumentParser()
P.add_argument("-u", "--updates", type=int, default=45)
P.add_argument("--steps", type=int, default=256, help="environment steps per update")
P.add_argument("--envs", type=int, default=8)
P.add_argument("--lr", type=float, default=8e-3)
P.add_argument("--gamma", type=float, default=0.98)
P.add_argument("--clip", type=float, default=0.2)
P.add_argument("--entropy", type=float, default=0.01)
P.add_argument("--hidden", type=int, default=32)
P.add_argument("--store", default="agent.pt")
P.add_argument("--store-every", type=int, default=15)
P.add_argument("--restore")
P.add_argument("--wait", type=float, default=0.0)
A = P.parse_args()


class Carts:
    def __init__(self, n):
        self.s, self.t = torch.zeros(n, 4), torch.zeros(n)
        self.reset(torch.ones(n, dtype=torch.bool))

    def reset(self, which):
        self.s[which] = 0.1 * torch.rand(int(which.sum()), 4) - 0.05
        self.t[which] = 0

    def step(self, a):
        x, v, th, w = self.s.unbind(1)
        f = 20.0 * a.float() - 10.0
        tmp = (f + 0.05 * w**2 * th.sin()) / 1.1
        acc = (9.8 * th.sin() - th.cos() * tmp) / (0.5 * (4 / 3 - 0.1 * th.cos() ** 2 / 1.1))
        self.s = torch.stack([x + 0.02 * v, v + 0.02 * (tmp - 0.05 * acc * th.cos() / 1.1), th + 0.02 * w, w + 0.02 * acc], 1)
        self.t += 1
        over = (self.s[:, 0].abs() > 2.4) | (self.s[:, 2].abs() > 0.21) | (self.t >= 200)
        length = self.t[over].tolist()
        self.reset(over)
        return torch.ones(len(a)), over, length


class Agent(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(4, h), nn.Tanh(), nn.Linear(h, 2))
        self.v = nn.Sequential(nn.Linear(4, h), nn.Tanh(), nn.Linear(h, 1))


def main():
    random.seed(2), torch.manual_seed(2)
    print(sys.executable, *sys.argv)
    #: early
    agent, envs = Agent(A.hidden), Carts(A.envs)
    opt = torch.optim.Adam(agent.parameters(), lr=A.lr)
    done, recent = 0, collections.deque(maxlen=40)
    if A.restore:
        #: resume
        z = torch.load(A.restore)
        agent.load_state_dict(z["agent"])
        opt.load_state_dict(z["opt"])
        done = z["updates"]
        recent.extend(z["recent"])
        print(f"restored {A.restore}: {done} updates, mean return {sum(recent) / len(recent):.1f}")
    print(f"{sum(p.numel() for p in agent.parameters())} parameters, {A.envs} carts")
    #: ready
    for update in range(done + 1, A.updates + 1):
        t0 = time.time()
        S, ACT, LP, R, D = [], [], [], [], []
        for _ in range(A.steps // A.envs):
            with torch.no_grad():
                dist = torch.distributions.Categorical(logits=agent.pi(envs.s))
                a = dist.sample()
            S.append(envs.s), ACT.append(a), LP.append(dist.log_prob(a))
            r, over, lengths = envs.step(a)
            #: reward
            R.append(r), D.append(over.float())
            recent.extend(lengths)
        with torch.no_grad():
            ret, out = agent.v(envs.s).squeeze(1), []
            for r, d in zip(reversed(R), reversed(D)):
                ret = r + A.gamma * ret * (1 - d)
                out.append(ret)
        s, a, lp, g = torch.cat(S), torch.cat(ACT), torch.cat(LP), torch.cat(out[::-1])
        adv = g - agent.v(s).squeeze(1).detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        #: adv
        for _ in range(4):
            dist = torch.distributions.Categorical(logits=agent.pi(s))
            ratio = (dist.log_prob(a) - lp).exp()
            pl = -torch.minimum(ratio * adv, ratio.clamp(1 - A.clip, 1 + A.clip) * adv).mean()
            vl = nn.functional.smooth_l1_loss(agent.v(s).squeeze(1), g)
            ent = dist.entropy().mean()
            loss = pl + 0.5 * vl - A.entropy * ent
            #: loss
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            opt.step()
        if A.wait:
            time.sleep(A.wait)
        mean = sum(recent) / max(1, len(recent))
        #: update
        print(f"update {update:4d} | return {mean:6.1f} | policy {pl.item():+.4f} | value {vl.item():8.4f} | entropy {ent.item():.3f} | {A.steps / (time.time() - t0):.0f} fps", flush=True)
        if update % A.store_every == 0:
            torch.save({"agent": agent.state_dict(), "opt": opt.state_dict(), "updates": update, "recent": list(recent)}, A.store)
            print(f"  stored {A.store} (update {update})", flush=True)
            #: stored
    json.dump({"return": mean, "updates": update}, open("result.json", "w"))
    print(f"finished {A.updates} updates; mean return of the last {len(recent)} episodes: {mean:.1f}")


main()
'''
