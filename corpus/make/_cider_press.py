"""Programs over plain PyTorch that are no classifiers: a policy for counters, a pair of networks for light curves, an autoencoder of tiles told in German."""

POLICY = '''"""Which counter to open next: policy gradient with a value baseline on a simulated post office."""
import argparse
import collections
import os
import time

import torch
from torch import nn
from torch.distributions import Categorical

ap = argparse.ArgumentParser()
ap.add_argument("--updates", type=int, default=160)
ap.add_argument("--envs", type=int, default=48)
ap.add_argument("--horizon", type=int, default=24)
ap.add_argument("--lr", type=float, default=4e-3)
ap.add_argument("--entropy", type=float, default=0.01)
ap.add_argument("--counters", type=int, default=4)
ap.add_argument("--run-dir", default="runs/office")
ap.add_argument("--load", help="policy to go on with")
ap.add_argument("--eval", type=int, default=0, help="only play this many episodes")
ap.add_argument("--seed", type=int, default=0)
a = ap.parse_args()
torch.manual_seed(a.seed)
os.makedirs(a.run_dir, exist_ok=True)
print("args:", " ".join(f"{k}={v}" for k, v in sorted(vars(a).items())))
#: early


class Office:
    """Queues at counters; the action sends the clerk to one of them."""

    def __init__(self, envs, counters):
        self.envs, self.counters = envs, counters
        self.rates = torch.linspace(0.1, 0.55, counters)

    def reset(self):
        self.queue = torch.randint(0, 4, (self.envs, self.counters)).float()
        return self.queue / 5

    def step(self, action):
        self.queue += torch.bernoulli(self.rates.expand(self.envs, -1))
        served = torch.zeros_like(self.queue).scatter_(1, action[:, None], 2.0)
        self.queue = (self.queue - served).clamp(min=0)
        return self.queue / 5, -self.queue.sum(1) / 10


office = Office(a.envs, a.counters)
trunk = nn.Sequential(nn.Linear(a.counters, 32), nn.Tanh())
actor, critic = nn.Linear(32, a.counters), nn.Linear(32, 1)
nets = nn.ModuleDict({"trunk": trunk, "actor": actor, "critic": critic})
optimizer = torch.optim.Adam(nets.parameters(), lr=a.lr)
begin = 1
if a.load:
    #: resume
    blob = torch.load(a.load)
    nets.load_state_dict(blob["nets"])
    optimizer.load_state_dict(blob["optimizer"])
    begin = blob["update"] + 1
    print(f"policy of {a.load} loaded, next update is {begin}")
recent = collections.deque(maxlen=20)
#: ready
if a.eval:
    with torch.no_grad():
        total, obs = torch.zeros(a.envs), office.reset()
        for _ in range(a.eval):
            obs, reward = office.step(actor(trunk(obs)).argmax(1))
            total += reward
    print(f"evaluation only: mean return {total.mean():.3f} +- {total.std():.3f} over {a.envs} episodes of {a.eval} steps, no updates made")
    raise SystemExit
clock = time.perf_counter()
for update in range(begin, a.updates + 1):
    obs = office.reset()
    logps, values, rewards, entropies = [], [], [], []
    for t in range(a.horizon):
        h = trunk(obs)
        policy = Categorical(logits=actor(h))
        action = policy.sample()
        logps.append(policy.log_prob(action))
        values.append(critic(h)[:, 0])
        entropies.append(policy.entropy())
        obs, reward = office.step(action)
        #: env
        rewards.append(reward)
    returns, run = [], torch.zeros(a.envs)
    for reward in reversed(rewards):
        run = reward + 0.95 * run
        returns.insert(0, run)
    returns, values, logps = torch.stack(returns), torch.stack(values), torch.stack(logps)
    advantage = (returns - values).detach()
    pi_loss = -(logps * (advantage - advantage.mean()) / (advantage.std() + 1e-6)).mean()
    v_loss = (returns - values).pow(2).mean()
    entropy = torch.stack(entropies).mean()
    loss = pi_loss + 0.5 * v_loss - a.entropy * entropy
    #: loss
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(nets.parameters(), 0.5)
    optimizer.step()
    recent.append(torch.stack(rewards).sum(0).mean().item())
    #: update
    if update % 4 == 0:
        fps = (update - begin + 1) * a.envs * a.horizon / (time.perf_counter() - clock)
        print(f"update {update:4d}/{a.updates} | ep_return {recent[-1]:8.3f} | mean20 {sum(recent) / len(recent):8.3f} | pi_loss {pi_loss.item():8.4f} | v_loss {v_loss.item():8.4f} | H {entropy.item():.3f} | {fps:7.0f} fps")
    if update % 40 == 0 or update == a.updates:
        torch.save({"nets": nets.state_dict(), "optimizer": optimizer.state_dict(), "update": update}, f"{a.run_dir}/policy_{update}.pt")
        print(f"policy saved: {a.run_dir}/policy_{update}.pt")
#: end
print(f"{a.updates - begin + 1} updates, {(a.updates - begin + 1) * a.envs * a.horizon} steps of the office, mean return of the last 20 updates {sum(recent) / len(recent):.3f}")
'''

CURVES = '''# light curves of variable stars: generator against critic (WGAN with gradient penalty)
import math
import os
import sys
import time
import traceback

import torch
import torch.nn as nn

CFG = {"iters": 300, "critic_steps": 2, "latent": 8, "points": 48, "batch": 32, "lr": 5e-4, "gp": 10.0, "log": 6, "ckpt": 100, "out": "stars", "from": "", "seed": 13}
for token in sys.argv[1:]:
    k, v = token.split(":", 1)
    CFG[k] = type(CFG[k])(v)
print("[cfg]", "; ".join(f"{k}: {v}" for k, v in CFG.items()))
torch.manual_seed(CFG["seed"])
os.makedirs(CFG["out"], exist_ok=True)
#: early


def observed(n):
    t = torch.linspace(0, 2 * math.pi, CFG["points"])
    amplitude, phase = 0.5 + torch.rand(n, 1), 0.6 * torch.randn(n, 1)
    return amplitude * torch.sin(t + phase) + 0.3 * amplitude * torch.sin(2 * t + 2 * phase) + 0.05 * torch.randn(n, CFG["points"])


#: data
G = nn.Sequential(nn.Linear(CFG["latent"], 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, CFG["points"]))
D = nn.Sequential(nn.Linear(CFG["points"], 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=CFG["lr"], betas=(0.5, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=CFG["lr"], betas=(0.5, 0.9))
first = 0
if CFG["from"]:
    #: resume
    part = torch.load(CFG["from"])
    G.load_state_dict(part["G"])
    D.load_state_dict(part["D"])
    first = part["it"]
    print(f"[ckpt] {CFG['from']} read: iteration {first}")
reference = observed(400)
fixed = torch.randn(400, CFG["latent"])
t0 = time.time()


def distance():
    with torch.no_grad():
        made = G(fixed)
    return ((made.mean(0) - reference.mean(0)).pow(2).mean() + (made.std(0) - reference.std(0)).pow(2).mean()).sqrt().item()


print(f"[init] moment distance {distance():.4f} before the first iteration")
#: ready
for it in range(first + 1, CFG["iters"] + 1):
    for _ in range(CFG["critic_steps"]):
        real = observed(CFG["batch"])
        #: real
        made = G(torch.randn(CFG["batch"], CFG["latent"])).detach()
        mix = torch.rand(CFG["batch"], 1)
        between = (mix * real + (1 - mix) * made).requires_grad_(True)
        slope = torch.autograd.grad(D(between).sum(), between, create_graph=True)[0].norm(dim=1)
        d_loss = D(made).mean() - D(real).mean() + CFG["gp"] * (slope - 1).pow(2).mean()
        #: critic
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()
    g_loss = -D(G(torch.randn(CFG["batch"], CFG["latent"]))).mean()
    #: gen
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    #: it
    if it % CFG["log"] == 0:
        print(f"[it {it:5d}/{CFG['iters']}] D {d_loss.item():+9.4f}  G {g_loss.item():+9.4f}  moment distance {distance():.4f}  {time.time() - t0:.1f}s", flush=True)
    if it % CFG["ckpt"] == 0:
        torch.save({"G": G.state_dict(), "D": D.state_dict(), "it": it}, f"{CFG['out']}/gan-{it}.pth")
        print(f"[ckpt] {CFG['out']}/gan-{it}.pth")
#: end
print(f"[end] {CFG['iters']} iterations, moment distance {distance():.4f}")
'''

TILES = '''"""Entrauscher für Luftbildkacheln (Autoencoder)."""
import os
import sys
import time
from datetime import datetime

import torch
from torch import nn

PFAD = "modelle"
VORGABE = {"durchläufe": 25, "kacheln": 600, "stapel": 24, "kanäle": 12, "lernrate": 2e-3, "ordner": PFAD, "fortsetzen": "", "vorlage": "", "sichern": 5, "geduld": 0, "keim": 2}
wahl = dict(VORGABE)
for teil in sys.argv[1:]:
    name, _, wert = teil.partition("=")
    if name not in wahl:
        raise ValueError(f"unbekannte Angabe: {name!r}; bekannt sind {', '.join(VORGABE)}")
    wahl[name] = type(VORGABE[name])(wert)


def melde(text):
    print(f"{datetime.now():%d.%m.%Y %H:%M:%S} | {text}", flush=True)


melde("Vorgaben: " + ", ".join(f"{k} = {v}" for k, v in wahl.items()))
torch.manual_seed(wahl["keim"])
os.makedirs(wahl["ordner"], exist_ok=True)
#: early


def kacheln(anzahl, keim, seite=16):
    g = torch.Generator().manual_seed(keim)
    yy, xx = torch.meshgrid(torch.arange(seite), torch.arange(seite), indexing="ij")
    mitte = torch.randint(3, seite - 3, (anzahl, 2, 1, 1), generator=g)
    weite = torch.randint(2, 6, (anzahl, 1, 1), generator=g)
    sauber = (((xx - mitte[:, 0]).abs() < weite) & ((yy - mitte[:, 1]).abs() < weite)).float()[:, None]
    return sauber + 0.5 * torch.randn(sauber.shape, generator=g), sauber


roh, rein = kacheln(wahl["kacheln"], 1)
p_roh, p_rein = kacheln(120, 2)
#: data
k = wahl["kanäle"]
netz = nn.Sequential(nn.Conv2d(1, k, 3, padding=1), nn.ReLU(), nn.Conv2d(k, k, 3, stride=2, padding=1), nn.ReLU(), nn.ConvTranspose2d(k, k, 2, stride=2), nn.ReLU(), nn.Conv2d(k, 1, 3, padding=1))
optimierer = torch.optim.Adam(netz.parameters(), lr=wahl["lernrate"])
ab = 1
if wahl["vorlage"]:
    netz.load_state_dict(torch.load(wahl["vorlage"])["netz"])
    melde(f"Gewichte aus {wahl['vorlage']} übernommen, neuer Sensor")
if wahl["fortsetzen"]:
    #: resume
    stand = torch.load(wahl["fortsetzen"])
    netz.load_state_dict(stand["netz"])
    optimierer.load_state_dict(stand["optimierer"])
    ab = stand["durchlauf"] + 1
    melde(f"{wahl['fortsetzen']} geladen, weiter mit Durchlauf {ab}")
bester, ohne = 1e9, 0
anfang = time.time()
#: ready
for durchlauf in range(ab, wahl["durchläufe"] + 1):
    summe, stapel = 0.0, 0
    for auswahl in torch.randperm(len(roh)).split(wahl["stapel"]):
        x, y = roh[auswahl], rein[auswahl]
        #: batch
        verlust = nn.functional.mse_loss(netz(x), y)
        #: loss
        optimierer.zero_grad()
        verlust.backward()
        optimierer.step()
        summe, stapel = summe + verlust.item(), stapel + 1
        #: step
        if stapel % 12 == 0:
            melde(f"Durchlauf {durchlauf}/{wahl['durchläufe']}, Stapel {stapel}: Verlust {verlust.item():.5f}")
    with torch.no_grad():
        prüf = nn.functional.mse_loss(netz(p_roh), p_rein).item()
    melde(f"Durchlauf {durchlauf} beendet: Verlust {summe / stapel:.5f}, Prüfverlust {prüf:.5f}, {time.time() - anfang:.1f} s")
    bester, ohne = (prüf, 0) if prüf < bester else (bester, ohne + 1)
    #: epoch
    if durchlauf % wahl["sichern"] == 0 or durchlauf == wahl["durchläufe"]:
        torch.save({"netz": netz.state_dict(), "optimierer": optimierer.state_dict(), "durchlauf": durchlauf}, f"{wahl['ordner']}/stand_{durchlauf}.pt")
        melde(f"Stand gesichert: {wahl['ordner']}/stand_{durchlauf}.pt")
    if wahl["geduld"] and ohne >= wahl["geduld"]:
        melde(f"seit {ohne} Durchläufen keine Besserung, vorzeitiges Ende wie vereinbart")
        break
#: end
melde(f"Training abgeschlossen, bester Prüfverlust {bester:.5f}")
'''
