"""Programs of evening students over plain PyTorch: bird calls, tide heights out of a notebook; with places for what a case does."""

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
