"""A pole on a cart, eight of them at once, and a clipped policy gradient: an RL group's lines with bars between."""

POLES = r'''"""PPO on a batch of cart-poles.   usage: python balance.py [--name=value ...]"""
import os
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical
#: imports

CFG = {"updates": 60, "envs": 8, "horizon": 64, "lr": 4e-3, "gamma": 0.98, "lam": 0.95, "clip": 0.2, "passes": 4, "hidden": 32, "ent": 0.005, "target_kl": 0.0,
       "load": "", "out": "agents", "keep": 20, "lull": 0.1, "seed": 3, "play": 0}
for arg in sys.argv[1:]:
    name, eq, value = arg.lstrip("-").partition("=")
    if name not in CFG or not eq:
        print(f"balance.py: error: unrecognised argument {arg!r}", file=sys.stderr)
        sys.exit(2)
    CFG[name] = type(CFG[name])(value)
print("config |", " ".join(f"{k}={v}" for k, v in CFG.items()), flush=True)
#: start
rng = np.random.default_rng(CFG["seed"])
torch.manual_seed(CFG["seed"])


class Poles:
    """x, v, angle, angular speed."""

    def __init__(self, n):
        self.s = rng.uniform(-0.05, 0.05, (n, 4))
        self.age = np.zeros(n, int)

    def step(self, push):
        x, v, a, w = self.s.T
        force = np.where(push == 1, 10.0, -10.0)
        t = (force + 0.05 * w**2 * np.sin(a)) / 1.1
        wd = (9.8 * np.sin(a) - np.cos(a) * t) / (0.5 * (4 / 3 - 0.1 * np.cos(a) ** 2 / 1.1))
        vd = t - 0.05 * wd * np.cos(a) / 1.1
        self.s = np.stack([x + 0.02 * v, v + 0.02 * vd, a + 0.02 * w, w + 0.02 * wd], 1)
        #: physics
        self.age += 1
        over = (np.abs(self.s[:, 0]) > 2.4) | (np.abs(self.s[:, 2]) > 0.21) | (self.age >= 300)
        done = self.age[over].tolist()
        self.s[over] = rng.uniform(-0.05, 0.05, (int(over.sum()), 4))
        self.age[over] = 0
        return self.s.astype("float32"), over, done


class Agent(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi, self.v = nn.Linear(hidden, 2), nn.Linear(hidden, 1)

    def forward(self, s):
        h = self.body(s)
        return self.pi(h), self.v(h).squeeze(-1)


agent = Agent(CFG["hidden"])
opt = torch.optim.Adam(agent.parameters(), lr=CFG["lr"])
first, frames, recent = 1, 0, []
if CFG["load"]:
    #: load
    print(f"load   | {CFG['load']}", flush=True)
    kept = torch.load(CFG["load"], weights_only=False)
    agent.load_state_dict(kept["agent"])
    opt.load_state_dict(kept["opt"])
    first, frames, recent = kept["update"] + 1, kept["frames"], kept["recent"]
    print(f"load   | agent of update {kept['update']}, {frames} frames, return {np.mean(recent):.1f}", flush=True)
os.makedirs(CFG["out"], exist_ok=True)
poles = Poles(CFG["envs"])
obs = poles.s.astype("float32")
if CFG["play"]:
    for match in range(1, 13):
        ends = []
        while len(ends) < 10:
            with torch.no_grad():
                obs, _, done = poles.step(agent(torch.from_numpy(obs))[0].argmax(1).numpy())
            ends += done
        #: match
        print(f"play   | match {match:2d}/12 | return {np.mean(ends):6.1f} ± {np.std(ends):5.1f} | worst {min(ends):3d}", flush=True)
        time.sleep(0.5)
    print("play   | all matches played", flush=True)
    sys.exit(0)
for update in range(first, CFG["updates"] + 1):
    t0 = time.time()
    S, A, LP, RW, D, V = [], [], [], [], [], []
    for _ in range(CFG["horizon"]):
        with torch.no_grad():
            logits, value = agent(torch.from_numpy(obs))
            dist = Categorical(logits=logits)
            act = dist.sample()
        S.append(torch.from_numpy(obs)), A.append(act), LP.append(dist.log_prob(act)), V.append(value)
        obs, over, done = poles.step(act.numpy())
        RW.append(torch.from_numpy(np.where(over, 0.0, 1.0).astype("float32"))), D.append(torch.from_numpy(over.astype("float32")))
        recent = (recent + done)[-40:]
    frames += CFG["horizon"] * CFG["envs"]
    t_roll = time.time() - t0
    #: rolled
    with torch.no_grad():
        nxt = agent(torch.from_numpy(obs))[1]
    adv, gae = [None] * CFG["horizon"], torch.zeros(CFG["envs"])
    for t in reversed(range(CFG["horizon"])):
        delta = RW[t] + CFG["gamma"] * nxt * (1 - D[t]) - V[t]
        gae = delta + CFG["gamma"] * CFG["lam"] * (1 - D[t]) * gae
        adv[t], nxt = gae, V[t]
    adv, S, A, LP = torch.stack(adv).flatten(), torch.cat(S), torch.cat(A), torch.cat(LP)
    ret = adv + torch.stack(V).flatten()
    #: target
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    passes = 0
    for _ in range(CFG["passes"]):
        passes += 1
        logits, value = agent(S)
        dist = Categorical(logits=logits)
        lp = dist.log_prob(A)
        ratio = (lp - LP).exp()
        pg = -torch.min(ratio * adv, ratio.clamp(1 - CFG["clip"], 1 + CFG["clip"]) * adv).mean()
        vl = 0.5 * (value - ret).pow(2).mean()
        loss = pg + 0.5 * vl - CFG["ent"] * dist.entropy().mean()
        #: loss
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        opt.step()
        kl = (LP - lp).mean().item()
        if CFG["target_kl"] and kl > CFG["target_kl"]:
            print(f"kl     | early stopping of update {update} in pass {passes}: kl {kl:.4f} > {CFG['target_kl']}", flush=True)
            break
    time.sleep(CFG["lull"])
    #: after
    mean = float(np.mean(recent)) if recent else 0.0
    print(f"upd {update:4d} | frames {frames:6d} | return {mean:6.1f} | v_loss {vl.item():8.3f} | ent {dist.entropy().mean().item():.3f} | kl {kl:7.4f} | fps {CFG['horizon'] * CFG['envs'] / (time.time() - t0):5.0f}", flush=True)
    #: told
    if update % CFG["keep"] == 0:
        name = f"{CFG['out']}/agent_{update:04d}.pt"
        torch.save({"agent": agent.state_dict(), "opt": opt.state_dict(), "update": update, "frames": frames, "recent": recent}, name)
        #: kept
        print(f"keep   | {name}", flush=True)
#: finish
print(f"end    | {update} updates, {frames} frames, return {np.mean(recent):.1f}", flush=True)
'''
