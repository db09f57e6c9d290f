"""Programs of evening students over plain PyTorch: bird calls, tide heights out of a notebook, molecules, a pole on a cart; with places for what a case does."""

BIRDS = '''import argparse, os, sys, time
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split

SPECIES = ["robin", "wren", "blackcap", "chiffchaff", "dunnock"]

ap = argparse.ArgumentParser(description="bird call classifier")
ap.add_argument("--root", default="")
ap.add_argument("-e", "--epochs", type=int, default=6)
ap.add_argument("-b", "--bs", type=int, default=20)
ap.add_argument("--lr", type=float, default=2e-3)
ap.add_argument("--mels", type=int, default=16)
ap.add_argument("--calls", type=int, default=500)
ap.add_argument("--resume", default="")
ap.add_argument("--patience", type=int, default=50)
ap.add_argument("--workers", type=int, default=0)
ap.add_argument("--device", default="cpu")
opt = ap.parse_args()
torch.manual_seed(99)
np.random.seed(99)
#: early


class Calls(Dataset):
    """each species whistles on its own mel band"""

    def __init__(self, n):
        self.y = np.random.randint(0, len(SPECIES), n)
        self.x = np.random.randn(n, 1, opt.mels, 24).astype("float32")
        for k in range(n):
            self.x[k, 0, 3 * self.y[k] : 3 * self.y[k] + 3, 6:18] += 0.9
        #: data

    def __len__(self):
        return len(self.y)

    def __getitem__(self, k):
        #: item
        return torch.from_numpy(self.x[k]), int(self.y[k])


class BirdNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 12, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d((5, 2)))
        self.fc = nn.Linear(12 * 5 * 2, len(SPECIES))

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


def evaluate(net, loader):
    net.eval()
    hit = n = loss = 0
    with torch.no_grad():
        for x, y in loader:
            out = net(x)
            loss += ce(out, y).item() * len(y)
            hit += (out.argmax(1) == y).sum().item()
            n += len(y)
    #: evaluated
    net.train()
    return loss / n, hit / n


full = Calls(opt.calls)
trainset, testset = random_split(full, [int(0.8 * len(full)), len(full) - int(0.8 * len(full))])
trainloader = DataLoader(trainset, opt.bs, shuffle=True, num_workers=opt.workers)
testloader = DataLoader(testset, 50)
print("%d training calls, %d test calls, %d species" % (len(trainset), len(testset), len(SPECIES)))
net = BirdNet().to(opt.device)
ce = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=10 * opt.lr, momentum=0.9)
start, best, bad = 0, 0.0, 0
if opt.resume:
    print("=> picking up where we left off:", opt.resume)
    saved = torch.load(opt.resume)
    net.load_state_dict(saved["weights"])
    optimizer.load_state_dict(saved["optim"])
    start, best = saved["epoch"], saved["best"]
    print("=> back at epoch", start, "best accuracy so far %.1f%%" % (100 * best))
#: ready
for epoch in range(start, opt.epochs):
    tic = time.time()
    running, seen = 0.0, 0
    for i, (x, y) in enumerate(trainloader):
        x, y = x.to(opt.device), y.to(opt.device)
        #: mid
        out = net(x)
        loss = ce(out, y)
        #: loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
        seen += 1
        if i % 5 == 4:
            print("  ep %d batch %d of %d: loss = %.3f" % (epoch + 1, i + 1, len(trainloader), running / seen))
        #: after
    vl, acc = evaluate(net, testloader)
    print("Epoch %d finished in %.1fs. Train loss %.3f. Test loss %.3f. Test accuracy %.1f%%" % (epoch + 1, time.time() - tic, running / max(seen, 1), vl, 100 * acc))
    if acc > best:
        best, bad = acc, 0
        torch.save({"weights": net.state_dict(), "optim": optimizer.state_dict(), "epoch": epoch + 1, "best": best}, "birds_best.pth")
        print("  new best model -> birds_best.pth")
    else:
        bad += 1
    #: epoch
    if bad >= opt.patience:
        print("No improvement for %d epochs, early stop." % bad)
        break
#: late
print("Done! best accuracy %.1f%%" % (100 * best))
'''
TIDES = '''#!/usr/bin/env python
# coding: utf-8

# # Tide gauge forecasting
# exported from tides.ipynb

# In[1]:


import os, sys, time
import numpy as np
import pandas as pd
import torch
from torch import nn
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0); rng = np.random.default_rng(0)
EPOCHS = int(os.environ.get("EPOCHS", 60))
LR = float(os.environ.get("LR", "0.01"))
LOOKBACK = int(os.environ.get("LOOKBACK", 36))
HIDDEN = int(os.environ.get("HIDDEN", 20))
SHOW = int(os.environ.get("SHOW", 5))
#: early

# In[2]:


hours = np.arange(1500)
height = 1.9 * np.sin(hours * 2 * np.pi / 12.42) + 0.5 * np.sin(hours * 2 * np.pi / 24.07) + 0.12 * rng.standard_normal(len(hours))
df = pd.DataFrame({"hour": hours, "height_m": height})
#: data
print(df.describe().round(3))


# In[3]:


scaler = StandardScaler()
z = scaler.fit_transform(df[["height_m"]]).astype("float32")[:, 0]
X = torch.tensor(np.stack([z[i : i + LOOKBACK] for i in range(len(z) - LOOKBACK)]))[..., None]
y = torch.tensor(z[LOOKBACK:])[:, None]
split = int(len(X) * 0.75)
X_tr, y_tr, X_te, y_te = X[:split], y[:split], X[split:], y[split:]
print("shapes:", X_tr.shape, y_tr.shape, X_te.shape, y_te.shape)


# In[4]:


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, HIDDEN, batch_first=True)
        self.head = nn.Linear(HIDDEN, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])


model = Forecaster()
print(model)
mse = nn.MSELoss()
optim = torch.optim.Adam(model.parameters(), lr=LR)
history = []
#: ready

# In[5]:


for epoch in range(1, EPOCHS + 1):
    perm = torch.randperm(len(X_tr))[:256]
    xb, yb = X_tr[perm], y_tr[perm]
    #: mid
    loss = mse(model(xb), yb)
    #: loss
    optim.zero_grad(); loss.backward(); optim.step()
    history.append(loss.item())
    if epoch % SHOW == 0 or epoch == 1:
        with torch.no_grad():
            test = mse(model(X_te), y_te).item()
        print(f"Epoch {epoch} - train MSE {loss.item():.4f} - test MSE {test:.4f}")
    #: after


# In[6]:


with torch.no_grad():
    pred = scaler.inverse_transform(model(X_te).numpy())
rmse = float(np.sqrt(np.mean((pred[:, 0] - df["height_m"].values[LOOKBACK + split :]) ** 2)))
#: late
print(f"Test RMSE: {rmse:.3f} m, naive (12 h ago): {np.sqrt(np.mean((height[12:] - height[:-12]) ** 2)):.3f} m")
'''
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
