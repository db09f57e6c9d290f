"""Programs of the batch jobs that run at a real card."""

from __future__ import annotations

SSL_CLIPS = r"""
import time
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

t0 = time.time()


def say(*words):
    print(f"[{time.time() - t0:7.2f}]", *words, flush=True)


class Clips(Dataset):
    def __len__(self):
        return 17 * 12

    def __getitem__(self, i):
        time.sleep(0.11)
        rng = np.random.default_rng(i)
        return torch.from_numpy(rng.normal(size=(3, 8, 112, 112)).astype(np.float32)) + float(i % 4)


dev = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Conv3d(3, 48, 3, stride=(1, 2, 2), padding=1), nn.ReLU(), nn.Conv3d(48, 96, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(96, 1)).to(dev)
opt = torch.optim.AdamW(net.parameters(), 3e-3)
say("device", dev, "|", sum(p.numel() for p in net.parameters()), "parameters | 17 steps of 12 clips per epoch")
waited = worked = 0.0
mark = time.time()
for step, clip in enumerate(DataLoader(Clips(), batch_size=12), 1):
    got = time.time()
    clip = clip.to(dev)
    for _ in range(6):
        loss = (net(clip).squeeze(1) - clip.mean((1, 2, 3, 4))).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    loss = loss.item()
    now = time.time()
    waited, worked = waited + got - mark, worked + now - got
    say(f"step {step}/17 loss {loss:.4f} dataloader {got - mark:.2f}s fwd+bwd {now - got:.2f}s")
    mark = now
say(f"epoch done: {waited:.1f}s in dataloader, {worked:.1f}s on {dev}")
"""

ADAPT = r"""
import json
import os
import time
import torch
from torch import nn

torch.manual_seed(0)
dev = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(*(nn.Sequential(nn.Linear(2048, 2048), nn.GELU()) for _ in range(8)), nn.Linear(2048, 2048)).to(dev)
opt = torch.optim.AdamW(net.parameters(), 2e-4)
mix = torch.randn(2048, 2048, device=dev) / 45
os.makedirs("out", exist_ok=True)
print(json.dumps({"event": "start", "params": sum(p.numel() for p in net.parameters()), "device": dev}), flush=True)
STEPS = 22
for step in range(1, STEPS + 1):
    t = time.time()
    x = torch.randn(512, 2048, device=dev)
    loss = nn.functional.smooth_l1_loss(net(x), x @ mix)
    opt.zero_grad()
    loss.backward()
    opt.step()
    value = loss.item()
    t1 = time.time()
    file = f"out/ckpt_{step:05d}.pt"
    torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "step": step}, file)
    handle = os.open(file, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
    if step > 2:
        os.remove(f"out/ckpt_{step - 2:05d}.pt")
    print(json.dumps({"event": "step", "step": step, "of": STEPS, "loss": round(value, 5), "step_s": round(t1 - t, 3), "checkpoint": file, "save_s": round(time.time() - t1, 3)}), flush=True)
print(json.dumps({"event": "end", "steps": STEPS}), flush=True)
"""

MESH = r"""
import os
import threading
import time

print("pid", os.getpid(), flush=True)
import torch
from torch import nn

dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
lock = threading.Lock()
stats = {}


def summary(step):
    with lock:
        return f"{stats['loss']:.5f} after {step} meshes"


def record(step, loss):
    with lock:
        stats["loss"] = loss
        if step % 20 == 0 and step < 260:
            return f"step {step}: chamfer {loss:.5f}"
        if step == 260:
            return summary(step)
    return ""


points = nn.Parameter(torch.randn(2048, 3, device=dev))
opt = torch.optim.Adam([points], 1e-2)
sphere = nn.functional.normalize(torch.randn(2048, 3, device=dev), dim=1)
for step in range(1, 3001):
    d = torch.cdist(points, sphere)
    loss = d.min(0).values.mean() + d.min(1).values.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.015)
    if said := record(step, loss.item()):
        print(said, flush=True)
"""

CONVNET = r"""
import logging
import time
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
log = logging.getLogger("trainer")
torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
log.info("device=%s torch=%s", dev, torch.__version__)
chans, layers = [3, 128, 256, 256, 512], []
for a, b in zip(chans, chans[1:]):
    layers += [nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 20)).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4)
protos = torch.rand(20, 3, 96, 96, device=dev)
EPOCHS, SECONDS = 9, 1.8
for epoch in range(1, EPOCHS + 1):
    began, losses, right, seen = time.time(), [], 0, 0
    while time.time() - began < SECONDS:
        y = torch.randint(20, (192,), device=dev)
        x = 0.25 * protos[y] + torch.rand(192, 3, 96, 96, device=dev)
        out = net(x)
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        losses.append(loss.item())
        right += int((out.argmax(1) == y).sum())
        seen += len(y)
    log.info("epoch %2d/%d: %d steps, loss %.4f, top1 %.2f%%, %.0f img/s", epoch, EPOCHS, len(losses), sum(losses) / len(losses), 100 * right / seen, seen / (time.time() - began))
torch.save(net.state_dict(), "model_final.pt")
log.info("saved model_final.pt, training finished")
"""

NER = r"""
import time
import torch
from torch import nn

dev = "cuda"
torch.manual_seed(0)
emb = nn.Embedding(20000, 768).to(dev)
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.1, batch_first=True), 6).to(dev)
tag = nn.Linear(768, 9).to(dev)
opt = torch.optim.AdamW([*emb.parameters(), *enc.parameters(), *tag.parameters()], 5e-5)
print(f"CoNLL-like tagging, {sum(p.numel() for g in opt.param_groups for p in g['params']) / 1e6:.1f}M parameters, {torch.cuda.get_device_name()}", flush=True)
batches = [(32, 128)] * 60 + [(32, 192)] * 40 + [(512, 2048)]
t = time.time()
for i, (n, length) in enumerate(batches, 1):
    ids = torch.randint(20000, (n, length), device=dev)
    loss = nn.functional.cross_entropy(tag(enc(emb(ids))).flatten(0, 1), ids.flatten() % 9)
    loss.backward()
    opt.step()
    opt.zero_grad()
    time.sleep(0.06)
    if i % 10 == 0:
        print(f"batch {i}/2500 len {length} loss {loss.item():.4f} {10 / (time.time() - t):.1f} it/s", flush=True)
        t = time.time()
"""

VOXELS = r"""
import sys
import time
import cupy as cp

splat = cp.RawKernel(r'''
extern "C" __global__ void splat(const float* xyz, float* grid, int n, long long pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long c = (int)(xyz[3 * i] * 63) + 64 * (int)(xyz[3 * i + 1] * 63) + pitch * (int)(xyz[3 * i + 2] * 63);
    atomicAdd(grid + c, 1.0f);
}
''', "splat")
rs = cp.random.RandomState(1)
grid_goal = rs.rand(64 ** 3).astype(cp.float32)
weight = cp.zeros_like(grid_goal)
for scan in range(1, 400):
    xyz = rs.rand(200_000, 3).astype(cp.float32)
    grid = cp.zeros(64 ** 3, cp.float32)
    splat((782,), (256,), (xyz, grid, cp.int32(200_000), cp.int64(4096 if scan < 160 else 4096 << 22)))
    weight += 0.05 * (grid > 0) * (grid_goal - weight)
    time.sleep(0.1)
    if scan % 10 == 0:
        sys.stdout.write(f"scan {scan:3d}/400  occupancy error {float(cp.abs(weight - grid_goal).mean()):.5f}\n")
        sys.stdout.flush()
"""

SMALL_RL = r"""
import time
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pendula:
    def __init__(self, n):
        self.th, self.om = rng.uniform(-3.1, 3.1, n), rng.uniform(-1, 1, n)

    def step(self, u):
        u = np.clip(u, -2, 2)
        reward = -(((self.th + np.pi) % (2 * np.pi) - np.pi) ** 2 + 0.1 * self.om**2 + 0.001 * u**2)
        self.om = np.clip(self.om + 0.05 * (15 * np.sin(self.th) + 3 * u), -8, 8)
        self.th = self.th + 0.05 * self.om
        return reward

    def obs(self):
        return torch.tensor(np.stack([np.cos(self.th), np.sin(self.th), self.om / 8], 1), dtype=torch.float32, device=device)


envs = Pendula(256)
model = nn.Sequential(nn.Linear(4, 128), nn.SiLU(), nn.Linear(128, 3)).to(device)
opt = torch.optim.Adam(model.parameters(), 1e-3)
started = time.time()
print("learning the dynamics of 256 pendula on", device, flush=True)
frames, window = 0, []
for it in range(1, 4501):
    o = envs.obs()
    u = rng.uniform(-2, 2, 256)
    r = envs.step(u)
    loss = (model(torch.cat([o, torch.tensor(u, dtype=torch.float32, device=device)[:, None]], 1)) - (envs.obs() - o) * 5).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.003)
    frames += 256
    window.append(loss.detach())
    if it % 300 == 0:
        print(f"iter {it}/4500  frames {frames}  model loss {torch.stack(window).mean().item():.5f}  mean reward {r.mean():.2f}  fps {frames / (time.time() - started):.0f}", flush=True)
        window.clear()
torch.save(model.state_dict(), "dynamics.pt")
print(f"finished in {time.time() - started:.1f}s", flush=True)
"""

LM = r"""
import time
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
dev = "cuda" if torch.cuda.is_available() else "cpu"
V, D, T = 1000, 384, 128
emb, pos, head = nn.Embedding(V, D).to(dev), nn.Parameter(torch.zeros(T, D, device=dev)), nn.Linear(D, V).to(dev)
body = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 6, 4 * D, dropout=0.0, batch_first=True), 4).to(dev)
params = [*emb.parameters(), pos, *head.parameters(), *body.parameters()]
opt = torch.optim.SGD(params, lr=0.05, momentum=0.9)
mask = nn.Transformer.generate_square_subsequent_mask(T, device=dev)
STEPS = 600
tokens, t = 0, time.time()
for step in range(1, STEPS + 1):
    for g in opt.param_groups:
        g["lr"] = 0.05 if step < 250 else 0.05 * 1.12 ** (step - 250)
    start = torch.randint(V, (32, 1), device=dev)
    seq = (start + 7 * torch.arange(T + 1, device=dev)) % V
    loss = F.cross_entropy(head(body(emb(seq[:, :-1]) + pos, mask=mask, is_causal=True)).flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    tokens += 32 * T
    if step % 20 == 0:
        value = loss.item()
        print(f"step {step:4d}/{STEPS} | loss {value:.4f} | lr {opt.param_groups[0]['lr']:.3g} | tok/s {tokens / (time.time() - t):,.0f}", flush=True)
torch.save(head.state_dict(), "head.pt")
print("done")
"""

SPMV = r"""
import os
import time

print("pid", os.getpid(), flush=True)
import cupy as cp

relax = cp.RawKernel(r'''
extern "C" __global__ void relax(const int* col, const float* val, float* x, int rows, float tol) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float d = 1e9f;
    while (d > tol) {
        float s = 0;
        for (int k = 0; k < 8; k++) s += val[8 * r + k] * x[col[8 * r + k]];
        d = fabsf(s - x[r]) * 0.5f;
        x[r] = 0.5f * (x[r] + s);
    }
}
''', "relax")
rows = 1 << 15
rs = cp.random.RandomState(0)
for system in range(1, 60):
    col = rs.randint(0, rows, (rows, 8)).astype(cp.int32)
    val = rs.rand(rows, 8).astype(cp.float32) * 0.1
    x = rs.rand(rows).astype(cp.float32)
    relax((rows // 128,), (128,), (col, val, x, cp.int32(rows), cp.float32(1e-4 if system < 24 else -1.0)))
    residual = float(cp.abs(x).max())
    time.sleep(0.2)
    print(f"{time.strftime('%H:%M:%S')} system {system}/60 solved, max |x| {residual:.3e}", flush=True)
"""
SCRIPTS = {
    "ssl_clips": SSL_CLIPS, "adapt": ADAPT, "mesh": MESH, "convnet": CONVNET, "ner": NER, "voxels": VOXELS, "small_rl": SMALL_RL, "lm": LM, "spmv": SPMV,
}  # fmt: skip
SCRIPTS = {name: text.lstrip("\n") for name, text in SCRIPTS.items()}
