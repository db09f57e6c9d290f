"""More of evening students: molecules, a pole on a cart."""

MOLS = '''"""beta-VAE on toy SMILES."""
import csv
import logging
import math
import os
import random
import time
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn

logging.basicConfig(format="%(levelname).1s %(asctime)s.%(msecs)03d %(module)s:%(lineno)d] %(message)s", datefmt="%m-%d %H:%M:%S", level=logging.INFO)
L = logging.getLogger("molvae")
HP = dict(iters=400, lr=4e-3, beta=0.02, latent=8, hidden=48, bs=48, log_every=20, save_every=100, maxlen=14)
for kv in os.environ.get("HP", "").split():
    k, v = kv.split("=")
    HP[k] = type(HP[k])(v)
L.info("hyperparameters: %s", HP)
random.seed(7)
torch.manual_seed(7)
#: early
ATOMS = ["C", "N", "O", "c1ccccc1", "C(=O)", "S", "F"]
CHARS = sorted(set("".join(ATOMS))) + ["_"]


def molecule():
    s = ""
    while len(s) < HP["maxlen"]:
        s += random.choice(ATOMS[:3] * 4 + ATOMS)
    return s[: HP["maxlen"]]


smiles = [molecule() for _ in range(2000)]
#: data
onehot = torch.stack([F.one_hot(torch.tensor([CHARS.index(c) for c in s]), len(CHARS)).float() for s in smiles])
L.info("dataset: %d molecules, alphabet of %d", len(smiles), len(CHARS))


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        d = HP["maxlen"] * len(CHARS)
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(d, HP["hidden"]), nn.SiLU())
        self.mu, self.logvar = nn.Linear(HP["hidden"], HP["latent"]), nn.Linear(HP["hidden"], HP["latent"])
        self.dec = nn.Sequential(nn.Linear(HP["latent"], HP["hidden"]), nn.SiLU(), nn.Linear(HP["hidden"], d))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z).view_as(x), mu, logvar


vae = VAE()
opt = torch.optim.AdamW(vae.parameters(), lr=HP["lr"])
start = 0
if os.environ.get("CKPT"):
    L.info("restoring %s", os.environ["CKPT"])
    blob = torch.load(os.environ["CKPT"])
    vae.load_state_dict(blob["vae"]); opt.load_state_dict(blob["opt"]); start = blob["it"]
    L.info("restored, continuing at iteration %d", start)
out = csv.DictWriter(open("curve.csv", "w"), ["it", "rec", "kl", "elbo"])
out.writeheader()
recent = deque(maxlen=20)
tick = time.perf_counter()
#: ready
for it in range(start + 1, HP["iters"] + 1):
    x = onehot[torch.randint(len(onehot), (HP["bs"],))]
    #: mid
    logits, mu, logvar = vae(x)
    rec = F.cross_entropy(logits.flatten(0, 1), x.flatten(0, 1).argmax(1))
    kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()
    loss = rec + HP["beta"] * min(1, it / 200) * kl
    #: loss
    opt.zero_grad()
    loss.backward()
    gnorm = nn.utils.clip_grad_norm_(vae.parameters(), 5.0)
    opt.step()
    recent.append(loss.item())
    out.writerow({"it": it, "rec": rec.item(), "kl": kl.item(), "elbo": -loss.item()})
    if it % HP["log_every"] == 0:
        L.info("it %d/%d  elbo %.4f (rec %.4f kl %.3f)  |g| %.3f  %.1f it/s", it, HP["iters"], -sum(recent) / len(recent), rec.item(), kl.item(), gnorm, it / (time.perf_counter() - tick))
    if HP["save_every"] and it % HP["save_every"] == 0:
        torch.save({"vae": vae.state_dict(), "opt": opt.state_dict(), "it": it}, f"molvae_{it}.ckpt")
        L.info("wrote molvae_%d.ckpt", it)
    #: after
#: late
L.info("finished %d iterations in %.1f s", HP["iters"], time.perf_counter() - tick)
'''
POLE = '''# dqn on a cart pole written from scratch, one file
import math
import os
import random
import sys
import time
from dataclasses import dataclass, fields

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Args:
    exp_name: str = "dqn_pole"
    seed: int = 1
    total_timesteps: int = 6000
    learning_rate: float = 2.5e-3
    buffer_size: int = 5000
    gamma: float = 0.97
    batch_size: int = 64
    train_every: int = 4
    target_every: int = 200
    start_e: float = 1.0
    end_e: float = 0.05
    save_model: bool = False


args = Args()
for word in sys.argv[1:]:
    key, value = word.lstrip("-").split("=")
    names = {f.name.replace("_", "-"): f for f in fields(Args)}
    field = names[key]
    setattr(args, field.name, {"int": int, "float": float, "bool": lambda v: v == "True", "str": str}[field.type if isinstance(field.type, str) else field.type.__name__](value))
run_name = f"pole__{args.exp_name}__{args.seed}__{int(time.time())}"
print(f"run {run_name}")
random.seed(args.seed); np.random.seed(args.seed); torch.manual_seed(args.seed)
#: early


class Pole:
    """cart, pole, a push to the left or right"""

    def reset(self):
        self.s = np.random.uniform(-0.05, 0.05, 4)
        self.t = 0
        return self.s.astype("float32")

    def step(self, action):
        x, v, a, w = self.s
        force = 10.0 if action else -10.0
        cos, sin = math.cos(a), math.sin(a)
        temp = (force + 0.05 * w * w * sin) / 1.1
        acc_a = (9.8 * sin - cos * temp) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
        acc = temp - 0.05 * acc_a * cos / 1.1
        self.s = np.array([x + 0.02 * v, v + 0.02 * acc, a + 0.02 * w, w + 0.02 * acc_a])
        self.t += 1
        #: env
        down = abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21
        return self.s.astype("float32"), 1.0, down, self.t >= 200


q = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 2))
target = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 2))
target.load_state_dict(q.state_dict())
optimizer = torch.optim.Adam(q.parameters(), lr=args.learning_rate)
buffer = []
env = Pole()
obs, ret, returns, start_time = env.reset(), 0.0, [], time.time()
#: ready
for global_step in range(1, args.total_timesteps + 1):
    eps = max(args.end_e, args.start_e - global_step / (0.5 * args.total_timesteps))
    action = random.randrange(2) if random.random() < eps else int(q(torch.from_numpy(obs)).argmax())
    nxt, reward, down, cut = env.step(action)
    buffer.append((obs, action, reward, nxt, down))
    if len(buffer) > args.buffer_size:
        buffer.pop(0)
    obs, ret = nxt, ret + reward
    if down or cut:
        returns.append(ret)
        if len(returns) % 10 == 0:
            print(f"global_step={global_step}, episodic_return={ret:.1f}, mean_return={np.mean(returns[-10:]):.2f}")
        obs, ret = env.reset(), 0.0
    #: mid
    if global_step > 200 and global_step % args.train_every == 0:
        b = random.sample(buffer, args.batch_size)
        s, a, r, n, d = (np.array(c) for c in zip(*b))
        with torch.no_grad():
            goal = torch.tensor(r, dtype=torch.float32) + args.gamma * target(torch.tensor(n)).max(1).values * (1 - torch.tensor(d, dtype=torch.float32))
        loss = F.mse_loss(q(torch.tensor(s)).gather(1, torch.tensor(a)[:, None])[:, 0], goal)
        #: loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if global_step % 500 == 0:
            print(f"SPS: {int(global_step / (time.time() - start_time))} td_loss={loss.item():.4f} epsilon={eps:.2f}")
    if global_step % args.target_every == 0:
        target.load_state_dict(q.state_dict())
    #: after
#: late
if args.save_model:
    torch.save(q.state_dict(), f"runs_{args.exp_name}.model")
    print(f"model saved to runs_{args.exp_name}.model")
print(f"done, {len(returns)} episodes, last ten {np.mean(returns[-10:]):.1f}")
'''
