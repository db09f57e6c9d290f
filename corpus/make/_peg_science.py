"""Programs over plain PyTorch from the sciences: heat in a rod by residuals, a pole on a cart, energies of chains of beads, borrowers and books behind a bar."""

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

BEADS = '''"""Energies of chains of beads from their shape: message passing, mean absolute error in meV."""
import logging
import os
import time
from argparse import ArgumentParser
from types import SimpleNamespace

import torch
from torch import nn

LOG = logging.getLogger(os.path.basename(__file__).removesuffix(".py"))


def frames(n, beads, seed):
    g = torch.Generator().manual_seed(seed)
    step = torch.randn(n, beads, 3, generator=g)
    r = torch.cumsum(step / step.norm(dim=2, keepdim=True), 1)
    d = torch.cdist(r, r)
    pair = torch.triu(torch.exp(-d) - 0.6 * torch.exp(-((d - 1.6) ** 2) * 3), 2)
    return r, pair.sum((1, 2))


class Network(nn.Module):
    def __init__(self, width, depth, radial=12, cutoff=5.0):
        super().__init__()
        self.register_buffer("centres", torch.linspace(0.0, cutoff, radial))
        self.embed = nn.Parameter(torch.randn(width) * 0.3)
        self.filters = nn.ModuleList(nn.Sequential(nn.Linear(radial, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(depth))
        self.update = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(depth))
        self.energy = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, r):
        d = (r[:, :, None] - r[:, None]).square().sum(-1).add(1e-9).sqrt()
        basis = torch.exp(-4 * (d[..., None] - self.centres) ** 2)
        basis = basis * (1 - torch.eye(r.shape[1]))[..., None]
        h = self.embed.expand(r.shape[0], r.shape[1], -1)
        for f, u in zip(self.filters, self.update):
            h = h + u((f(basis) * h[:, None]).sum(2) / r.shape[1] ** 0.5)
        return self.energy(h).sum((1, 2))


def main(o):
    logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
    torch.manual_seed(o.seed)
    os.makedirs(o.model_dir, exist_ok=True)
    LOG.info("options: %s", ", ".join(f"{k}={v}" for k, v in vars(o).items()))
    #: early
    r, e = frames(o.frames, o.beads, 1)
    vr, ve = frames(160, o.beads, 2)
    mean, std = e.mean(), e.std()
    #: data
    net = Network(o.width, o.depth)
    opt = torch.optim.Adam(net.parameters(), lr=o.lr)
    plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=3)
    start, best = 0, float("inf")
    if o.foundation:
        net.load_state_dict(torch.load(o.foundation)["model"])
        LOG.info("foundation model %s loaded for fine-tuning, all layers trainable", o.foundation)
    if o.restart_latest:
        #: resume
        found = sorted(f for f in os.listdir(o.model_dir) if f.endswith(".ckpt"))
        state = torch.load(os.path.join(o.model_dir, found[-1]))
        net.load_state_dict(state["model"])
        opt.load_state_dict(state["optimizer"])
        plan.load_state_dict(state["plan"])
        start, best = state["epoch"] + 1, state["best"]
        LOG.info("restarted from %s: epoch %d, best MAE %.2f meV", found[-1], state["epoch"], best)
    LOG.info("%d frames of %d beads, energies %.3f +- %.3f eV, %d parameters", len(r), o.beads, mean, std, sum(p.numel() for p in net.parameters()))
    #: ready
    for epoch in range(start, o.max_num_epochs):
        t0, acc = time.perf_counter(), SimpleNamespace(loss=0.0, n=0)
        for rows in torch.randperm(len(r)).split(o.batch_size):
            br, be = r[rows], (e[rows] - mean) / std
            #: batch
            pred = net(br)
            loss = (pred - be).square().mean()
            #: loss
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 10)
            #: grads
            opt.step()
            acc.loss, acc.n = acc.loss + loss.item(), acc.n + 1
            #: step
        with torch.no_grad():
            mae = 1000 * ((net(vr) * std + mean) - ve).abs().mean().item()
        plan.step(mae)
        #: valid
        LOG.info("Epoch %d: loss=%.6f, MAE_E=%.2f meV, lr=%.1e, %.2f s", epoch, acc.loss / acc.n, mae, opt.param_groups[0]["lr"], time.perf_counter() - t0)
        best = min(best, mae)
        if epoch % o.save_interval == o.save_interval - 1:
            name = f"{o.name}_epoch-{epoch:04d}.ckpt"
            torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "plan": plan.state_dict(), "epoch": epoch, "best": best}, os.path.join(o.model_dir, name))
            LOG.info("checkpoint %s", name)
            #: saved
        #: epoch
    torch.save({"model": net.state_dict()}, f"{o.name}.model")
    LOG.info("Training complete: best MAE_E %.2f meV, model %s.model", best, o.name)


if __name__ == "__main__":
    p = ArgumentParser()
    p.add_argument("--name", default="beads")
    p.add_argument("--model_dir", default="checkpoints")
    p.add_argument("--frames", type=int, default=640)
    p.add_argument("--beads", type=int, default=8)
    p.add_argument("--width", type=int, default=16)
    p.add_argument("--depth", type=int, default=2)
    p.add_argument("--lr", type=float, default=0.005)
    p.add_argument("--batch_size", type=int, default=32)
    p.add_argument("--max_num_epochs", type=int, default=24)
    p.add_argument("--save_interval", type=int, default=8)
    p.add_argument("--foundation")
    p.add_argument("--restart_latest", action="store_true")
    p.add_argument("--seed", type=int, default=17)
    main(p.parse_args())
'''

BOOKS = '''"""Which book next? Two towers over borrowers and books, negatives from the batch."""
import json
import math
import os
import sys
import time

import torch
from torch import nn


class Bar:
    """What we need of a progress bar, without another dependency."""

    def __init__(self, total, head, width=24, stream=sys.stderr):
        self.total, self.head, self.width, self.stream, self.n, self.t0, self.drawn = total, head, width, stream, 0, time.time(), 0.0

    def up(self, **shown):
        self.n += 1
        if time.time() - self.drawn < 0.1 and self.n != self.total:
            return
        self.drawn = time.time()
        k = self.n * self.width // self.total
        each = (time.time() - self.t0) / self.n
        more = " ".join(f"{a}={b:.4g}" for a, b in shown.items())
        self.stream.write(f"\\r{self.head} {'=' * k}{'>' if k < self.width else ''}{'.' * (self.width - k - 1)} {self.n}/{self.total} eta {each * (self.total - self.n):.0f}s {more}")
        self.stream.flush()

    def close(self):
        self.stream.write("\\n")


def loans(people, books, each, seed):
    g = torch.Generator().manual_seed(seed)
    taste, kind = torch.randn(people, 6, generator=torch.Generator().manual_seed(8)), torch.randn(books, 6, generator=torch.Generator().manual_seed(9))
    pick = torch.multinomial((taste @ kind.T * 1.5).softmax(1), each, generator=g)
    return torch.stack([torch.arange(people).repeat_interleave(each), pick.flatten()], 1)


class Towers(nn.Module):
    def __init__(self, people, books, dim):
        super().__init__()
        self.who, self.what = nn.Embedding(people, dim), nn.Embedding(books, dim)
        self.a, self.b = nn.Linear(dim, dim), nn.Linear(dim, dim)
        nn.init.normal_(self.who.weight, std=0.3), nn.init.normal_(self.what.weight, std=0.3)

    def forward(self, u, i):
        return self.a(self.who(u)), self.b(self.what(i))


def main(path):
    with open(path) as f:
        c = {"epochs": 10, "dim": 16, "lr": 0.01, "batch": 128, "people": 400, "books": 220, "loans": 12, "out": "towers", "keep": 5, "continue_from": None, "items_from": None, "stop_after": 0, **json.load(f)}
    torch.manual_seed(6)
    os.makedirs(c["out"], exist_ok=True)
    print("config", json.dumps(c, sort_keys=True))
    #: early
    data, test = loans(c["people"], c["books"], c["loans"], 1), loans(c["people"], c["books"], 1, 2)
    #: data
    net = Towers(c["people"], c["books"], c["dim"])
    opt = torch.optim.Adagrad(net.parameters(), lr=c["lr"] * 8)
    begin, top = 1, 0.0
    if c["items_from"]:
        had = torch.load(c["items_from"])["net"]
        net.what.weight.data.copy_(had["what.weight"])
        print("book vectors from", c["items_from"], "- borrowers start new")
    if c["continue_from"]:
        #: resume
        had = torch.load(c["continue_from"])
        net.load_state_dict(had["net"])
        opt.load_state_dict(had["opt"])
        begin, top = had["epoch"] + 1, had["top"]
        print(f"continuing {c['continue_from']} (epoch {had['epoch']}, recall {top:.4f})")
    print(f"{len(data)} loans of {c['books']} books by {c['people']} people; {math.ceil(len(data) / c['batch'])} batches an epoch", flush=True)
    #: ready
    worse = 0
    for epoch in range(begin, c["epochs"] + 1):
        parts = data[torch.randperm(len(data))].split(c["batch"])
        bar, total = Bar(len(parts), f"{epoch}/{c['epochs']}"), 0.0
        for n, part in enumerate(parts, 1):
            #: batch
            u, i = net(part[:, 0], part[:, 1])
            logits = u @ i.T
            logits = logits.masked_fill((part[:, 1][None] == part[:, 1][:, None]) & ~torch.eye(len(part), dtype=torch.bool), -1e9)
            loss = nn.functional.cross_entropy(logits, torch.arange(len(part)))
            #: loss
            opt.zero_grad()
            loss.backward()
            #: grads
            opt.step()
            total += loss.item()
            bar.up(loss=total / n)
            #: step
        bar.close()
        with torch.no_grad():
            rank = (net.a(net.who(test[:, 0])) @ net.b(net.what.weight).T).topk(20).indices
            recall = (rank == test[:, 1:]).any(1).float().mean().item()
        #: valid
        print(f"epoch {epoch}: loss {total / len(parts):.4f}, recall@20 {recall:.4f}", flush=True)
        worse = 0 if recall > top else worse + 1
        top = max(top, recall)
        if epoch % c["keep"] == 0:
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "top": top}, f"{c['out']}/towers{epoch}.pt")
            print(f"towers{epoch}.pt is in {c['out']}", flush=True)
            #: saved
        if c["stop_after"] and worse >= c["stop_after"]:
            print(f"recall has not risen for {worse} epochs, stopping here (best {top:.4f})")
            break
        #: epoch
    print(f"best recall@20 {top:.4f}, {epoch} epochs done")


main(sys.argv[1])
'''
