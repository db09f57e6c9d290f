"""One process on one card that trained and then ends by its own exception, or by a signal."""

from __future__ import annotations

from corpus.make._magpie_kit import ran
from corpus.running.job import Signal

# Shard 3 is not there; two shards were trained on.
SHARDS = r"""
import time
import numpy as np
import torch

rng = np.random.default_rng(5)
for s in (0, 1, 2, 4, 5):
    a = rng.normal(size=(4000, 24)).astype("float32")
    np.savez(f"data/part-{s}.npz", x=a, y=np.tanh(a[:, :6].sum(1)))
dev = "cuda" if torch.cuda.is_available() else "cpu"
reg = torch.nn.Sequential(torch.nn.Linear(24, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1)).to(dev)
opt = torch.optim.Adam(reg.parameters(), lr=1e-3)
t0 = time.perf_counter()
for s in range(6):
    part = np.load(f"data/part-{s}.npz")
    x, y = torch.from_numpy(part["x"]).to(dev), torch.from_numpy(part["y"]).to(dev)
    for k in range(0, 4000, 100):
        e = torch.nn.functional.huber_loss(reg(x[k:k + 100]).squeeze(1), y[k:k + 100])
        opt.zero_grad(); e.backward(); opt.step()
        if k % 1000 == 0:
            print(f"[{time.perf_counter() - t0:6.2f}s] part {s} rows {k:4d}  huber {e.item():.5f}")
print("all parts seen")
"""

# Nothing predicted positive in a validation slice: a division by zero, after epochs.
PRECISION = r"""
import torch
from tqdm import tqdm

torch.manual_seed(2)
device = "cuda" if torch.cuda.is_available() else "cpu"
w = torch.randn(18, device=device)
clf = torch.nn.Linear(18, 1).to(device)
opt = torch.optim.SGD(clf.parameters(), lr=0.2)


def score(shift):
    x = torch.randn(500, 18, device=device)
    pred = clf(x).squeeze(1) - shift > 0
    true = x @ w > 0
    tp = int((pred & true).sum())
    precision = tp / int(pred.sum())
    recall = tp / int(true.sum())
    return 2 * precision * recall / (precision + recall)


for epoch in range(8):
    bar = tqdm(range(120), desc=f"epoch {epoch}", ncols=80, mininterval=1.0)
    for _ in bar:
        x = torch.randn(64, 18, device=device)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(clf(x).squeeze(1), (x @ w > 0).float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
    for slice_, shift in (("all", 0.0), ("strict", 4.0 * epoch ** 2)):
        tqdm.write(f"  val F1 on {slice_}: {score(shift):.3f}")
"""

# The whole similarity matrix on the host: NumPy is refused its terabytes after training went well.
SIMILAR = r"""
import numpy as np
import torch
import torch.nn.functional as F

dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
users, items, dim = 4000, 6_500_000, 16
U = torch.nn.Embedding(users, dim, device=dev)
V = torch.nn.Embedding(items, dim, device=dev, sparse=True)
opt_u, opt_v = torch.optim.Adam(U.parameters(), 0.01), torch.optim.SparseAdam(V.parameters(), 0.01)
for step in range(1, 301):
    u = torch.randint(users, (2048,), device=dev)
    pos = (u * 293 + torch.randint(8, (2048,), device=dev)) % items
    neg = torch.randint(items, (2048,), device=dev)
    margin = (U(u) * (V(pos) - V(neg))).sum(1)
    loss = -F.logsigmoid(margin).mean()
    opt_u.zero_grad(); opt_v.zero_grad()
    loss.backward()
    opt_u.step(); opt_v.step()
    if step % 30 == 0:
        print(f"bpr step={step} loss={loss.item():.4f}")
print("building the item-item table")
v = V.weight.detach().cpu().numpy()
table = np.empty((items, items), dtype=np.float32)
for i in range(0, items, 4096):
    table[i:i + 4096] = v[i:i + 4096] @ v.T
np.save("item_item.npy", table)
"""

# The last, shorter batch does not fit the queue of keys.
QUEUE = r"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(4)
dev = "cuda" if torch.cuda.is_available() else "cpu"
BATCH, N, K = 96, 5000, 960
images = torch.rand(N, 3, 32, 32, device=dev)
enc = nn.Sequential(nn.Conv2d(3, 32, 4, 4), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 64, 64)).to(dev)
opt = torch.optim.SGD(enc.parameters(), 0.03, momentum=0.9)
queue, ptr = F.normalize(torch.randn(64, K, device=dev), dim=0), 0
order = torch.randperm(N, device=dev)
for epoch in range(10):
    for b, at in enumerate(range(0, N, BATCH)):
        x = images[order[at:at + BATCH]]
        q = F.normalize(enc(x + 0.05 * torch.randn_like(x)), dim=1)
        with torch.no_grad():
            k = F.normalize(enc(x), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue], 1) / 0.2
        loss = F.cross_entropy(logits, torch.zeros(len(x), dtype=torch.long, device=dev))
        opt.zero_grad(); loss.backward(); opt.step()
        queue[:, ptr:ptr + BATCH] = k.T
        ptr = (ptr + BATCH) % K
        if b % 13 == 0:
            print(f"[moco] e{epoch} b{b}/{-(-N // BATCH)} info_nce={loss.item():.3f} ptr={ptr}")
"""

# The first evaluation imports what is not installed.
LVIS = r"""
import logging, sys
import torch
from torch import nn

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(levelname).1s %(asctime)s] %(message)s", datefmt="%H:%M:%S")
dev = "cuda" if torch.cuda.is_available() else "cpu"
backbone = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.SiLU()).to(dev)
box, cls = nn.Conv2d(32, 4, 1).to(dev), nn.Conv2d(32, 11, 1).to(dev)
opt = torch.optim.AdamW([*backbone.parameters(), *box.parameters(), *cls.parameters()], 1e-3)
target = torch.rand(1, 4, 20, 20, device=dev)
logging.info("detector with %d classes on %s", 10, dev)


def evaluate():
    from lvis import LVIS, LVISEval, LVISResults
    gt = LVIS("annotations/lvis_val.json")
    run = LVISEval(gt, LVISResults(gt, "detections.json"), "bbox")
    run.run()
    return run.get_results()["AP"]


for it in range(1, 901):
    f = backbone(torch.rand(8, 3, 80, 80, device=dev))
    lb, lc = (box(f) - target).abs().mean(), nn.functional.cross_entropy(cls(f), torch.zeros(8, 20, 20, dtype=torch.long, device=dev))
    (lb + lc).backward(); opt.step(); opt.zero_grad(set_to_none=True)
    if it % 50 == 0:
        logging.info("iter %4d/900  loss_bbox %.4f  loss_cls %.4f", it, lb.item(), lc.item())
    if it % 300 == 0:
        logging.info("mAP %.3f", evaluate())
"""

# The monitored metric is never logged: Lightning raises at the end of the first epoch.
MONITOR = r"""
import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Ranker(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(25, 64), nn.ReLU(), nn.Linear(64, 1))

    def training_step(self, batch, i):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x).squeeze(1), y)
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        self.log("val/ndcg", 1 - nn.functional.mse_loss(self.net(x).squeeze(1), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 3e-3)


def rows(n):
    x = torch.randn(n, 25)
    return TensorDataset(x, x[:, 0] * x[:, 1])


L.seed_everything(7)
keep = ModelCheckpoint("ckpt", monitor="val/ndcg@10", mode="max", save_top_k=2)
trainer = L.Trainer(max_epochs=12, accelerator="auto", devices=1, callbacks=[keep], logger=False, enable_model_summary=True)
trainer.fit(Ranker(), DataLoader(rows(6400), 64, shuffle=True), DataLoader(rows(640), 64))
"""

# A C library that reads beyond its buffer: SIGSEGV at batch 5xx, no traceback.
PACK_C = r"""
#include <stddef.h>
void pack(const float *in, float *out, long n, long shift) {
    for (long i = 0; i < n; i++) out[i * shift] = in[i] * 0.5f + 0.25f;
}
"""
PACK = r"""
import ctypes
import time
import numpy as np
import torch

lib = ctypes.CDLL("./libpack.so")
FP = ctypes.POINTER(ctypes.c_float)
lib.pack.argtypes = [FP, FP, ctypes.c_long, ctypes.c_long]
dev = "cuda" if torch.cuda.is_available() else "cpu"
ae = torch.nn.Sequential(torch.nn.Linear(512, 32), torch.nn.ReLU(), torch.nn.Linear(32, 512)).to(dev)
opt = torch.optim.Adam(ae.parameters(), 1e-3)
rng = np.random.default_rng(1)
start = time.time()
for batch in range(1000):
    raw = rng.random((64, 512), dtype=np.float32)
    out = np.empty_like(raw)
    stride = 1 if batch < 540 else 1 << 14
    lib.pack(raw.ctypes.data_as(FP), out.ctypes.data_as(FP), raw.size, stride)
    x = torch.from_numpy(out).to(dev)
    loss = torch.nn.functional.mse_loss(ae(x), x)
    opt.zero_grad(); loss.backward(); opt.step()
    if batch % 60 == 0:
        print(f"{time.time() - start:7.2f} batch {batch:4d} recon {loss.item():.5f}")
"""

# Memory is freed twice in C: glibc aborts the process.
ARENA_C = r"""
#include <stdlib.h>
static char *slots[4096];
int arena_take(int n) { slots[n] = malloc(48); return slots[n] != 0; }
void arena_give(int n) { free(slots[n]); }
"""
ARENA = r"""
import ctypes
import torch
from torch import nn

arena = ctypes.CDLL("./libarena.so")
device = "cuda" if torch.cuda.is_available() else "cpu"
policy = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 3)).to(device)
opt = torch.optim.Adam(policy.parameters(), 5e-3)
best = torch.tensor([0.3, -1.0, 0.8], device=device)
slot = 0
for update in range(1, 241):
    obs = torch.randn(256, 6, device=device)
    arena.arena_take(slot)
    dist = torch.distributions.Categorical(logits=policy(obs))
    act = dist.sample()
    reward = best[act]
    loss = -(dist.log_prob(act) * (reward - reward.mean())).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    arena.arena_give(slot)
    if update == 150:
        arena.arena_give(slot)
    slot += 1
    if update % 15 == 0:
        print(f"update {update:4d} | mean reward {reward.mean().item():+.3f} | entropy {dist.entropy().mean().item():.3f}")
"""

# SIGKILL from outside, after some hundred steps; who sent it stands nowhere.
KILLED = r"""
import torch
from torch import nn

torch.manual_seed(1)
dev = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Conv1d(1, 16, 9, padding=4), nn.ReLU(), nn.Conv1d(16, 1, 9, padding=4)).to(dev)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for step in range(1, 100001):
    clean = torch.sin(torch.linspace(0, 20, 400, device=dev) * (1 + torch.rand(32, 1, 1, device=dev)))
    loss = (net(clean + 0.3 * torch.randn_like(clean)) - clean).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"denoise step {step}/100000 mse {loss.item():.5f}")
"""
GCC = ("gcc", "-shared", "-fPIC", "-O1", "-o")
JOBS = {
    "shards": ran("A3", SHARDS, cause="file_not_found", folders=("data",)),
    "precision": ran("A3", PRECISION, cause="div_zero"),
    "similar": ran("A3", SIMILAR, cause="ram_oom", script="bpr.py"),
    "queue": ran("A3", QUEUE, cause="runtime_error", script="moco.py"),
    "lvis": ran("A3", LVIS, cause="missing_module", script="det/train.py"),
    "monitor": ran("A3", MONITOR, cause="traceback", script="rank_lit.py"),
    "pack": ran("A2", PACK, -11, cause="segfault", files={"pack.c": PACK_C}, before=((*GCC, "libpack.so", "pack.c"),)),
    "arena": ran("A2", ARENA, -6, files={"arena.c": ARENA_C}, before=((*GCC, "libarena.so", "arena.c"),), script="reinforce.py"),
    "killed": ran("A2", KILLED, -9, fault="unknown", script="denoise.py", signal=Signal("KILL", after=r"step 900/", to="denoise.py")),
}
