"""What goes on slowly, or not for long, or stands still with a card in hand."""

from __future__ import annotations

from corpus.make._magpie_kit import ran
from corpus.running.job import Signal

# The batches come from a slow store; the loop says how long it waited and how long it computed.
STARVED = r"""
import time
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Remote(Dataset):
    def __len__(self):
        return 10_000

    def __getitem__(self, i):
        time.sleep(0.045)
        g = torch.Generator().manual_seed(i)
        x = torch.rand(3, 64, 64, generator=g)
        return x, int(x.mean() * 1000) % 10


device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Conv2d(3, 32, 5, 2), nn.ReLU(), nn.Conv2d(32, 64, 5, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).to(device)
opt = torch.optim.SGD(model.parameters(), 0.1)


class Meter:
    def __init__(self):
        self.sum = self.n = self.val = 0.0

    def add(self, v):
        self.val, self.sum, self.n = v, self.sum + v, self.n + 1


data_t, gpu_t, losses = Meter(), Meter(), Meter()
end = time.time()
loader = DataLoader(Remote(), 8, num_workers=0)
for i, (x, y) in enumerate(loader):
    data_t.add(time.time() - end)
    t = time.time()
    loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.add(loss.item())
    gpu_t.add(time.time() - t)
    print(f"Epoch: [0][{i:3d}/30]  Data {data_t.val:.3f} ({data_t.sum / data_t.n:.3f})  Compute {gpu_t.val:.3f} ({gpu_t.sum / gpu_t.n:.3f})  Loss {losses.val:.4f} ({losses.sum / losses.n:.4f})")
    if i == 30:
        break
    end = time.time()
print(f"epoch 0 took {data_t.sum + gpu_t.sum:.1f} s, {data_t.sum:.1f} s of it in the data loader")
"""

# Decoding on one thread: samples per second against what the network could take, in the run's own words.
DECODE = r"""
import logging, queue, threading, time
import numpy as np
import torch

logging.basicConfig(format="%(levelname)s:%(name)s:%(message)s", level=logging.INFO)
log = logging.getLogger("asr")
dev = "cuda" if torch.cuda.is_available() else "cpu"
ready = queue.Queue(maxsize=4)


def decode():
    rng = np.random.default_rng(0)
    for n in range(36):
        t = time.monotonic()
        wave = rng.normal(size=16000).astype(np.float32)
        while time.monotonic() - t < 0.27:
            spec = np.abs(np.fft.rfft(wave.reshape(-1, 400), axis=1)).astype(np.float32)
        ready.put(spec[:, :200])
    ready.put(None)


threading.Thread(target=decode, daemon=True).start()
net = torch.nn.GRU(200, 64, batch_first=True).to(dev)
head = torch.nn.Linear(64, 200).to(dev)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], 3e-3)
net(torch.zeros(1, 2, 200, device=dev))
step = 0
idle = busy = 0.0
while True:
    t0 = time.monotonic()
    item = ready.get()
    if item is None:
        break
    t1 = time.monotonic()
    x = torch.from_numpy(item).to(dev)[None]
    loss = (head(net(x)[0][:, :-1]) - x[:, 1:]).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    loss = loss.item()
    t2 = time.monotonic()
    idle, busy, step = idle + t1 - t0, busy + t2 - t1, step + 1
    if step % 4 == 0:
        log.info("step %d loss %.3f | queue empty %.0f%% of the time, gpu busy %.0f ms of %.0f ms", step, loss, 100 * idle / (idle + busy), 1e3 * busy, 1e3 * (idle + busy))
        idle = busy = 0.0
log.info("end of data after %d utterances", step)
"""

# A whole save, synced, after each step; the loop tells what it costs.
EACH = r"""
import os, time
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 1024)).to(device)
opt = torch.optim.AdamW(net.parameters(), 3e-4)
mix = torch.randn(1024, 1024, device=device) / 32
os.makedirs("checkpoints")
for step in range(1, 41):
    t = time.time()
    x = torch.randn(256, 1024, device=device)
    loss = (net(x) - x @ mix).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    value = loss.item()
    t_step = time.time() - t
    t = time.time()
    path = f"checkpoints/step_{step % 3}.pt"
    with open(path, "wb") as f:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, f)
        f.flush()
        os.fsync(f.fileno())
    print(f"step {step}/40 loss {value:.4f} time {t_step:.3f}s | saved {path} ({os.path.getsize(path) >> 20} MiB) in {time.time() - t:.3f}s")
print("done")
"""

# The Trainer saves at every step, and says so.
STORM = r"""
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments


class Say(TrainerCallback):
    def on_save(self, args, state, control, **kwargs):
        print(f"checkpoint-{state.global_step} written", flush=True)


torch.manual_seed(0)
rows = [{"input_ids": (t := (torch.arange(48) * (1 + i % 5) + i) % 400), "labels": t} for i in range(400)]
model = GPT2LMHeadModel(GPT2Config(vocab_size=400, n_positions=64, n_embd=512, n_layer=4, n_head=8))
args = TrainingArguments("out", per_device_train_batch_size=8, max_steps=24, learning_rate=3e-4, logging_steps=2, save_strategy="steps", save_steps=1, save_total_limit=2, report_to=[], disable_tqdm=True)
Trainer(model=model, args=args, train_dataset=rows, callbacks=[Say()]).train()
"""

# Advancing, with a plan far beyond the limit.
LONG = r"""
import time
import torch
from torch import nn
from tqdm import trange

dev = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Linear(2, 256), nn.SiLU(), nn.Linear(256, 256), nn.SiLU(), nn.Linear(256, 2)).to(dev)
opt = torch.optim.Adam(net.parameters(), 1e-3)
EPOCHS = 400
for epoch in range(1, EPOCHS + 1):
    agg = 0.0
    began = time.time()
    for _ in trange(60, desc=f"flow {epoch}/{EPOCHS}", leave=False, mininterval=2):
        x1 = torch.randn(512, 2, device=dev).sign() + 0.1 * torch.randn(512, 2, device=dev)
        x0, t = torch.randn(512, 2, device=dev), torch.rand(512, 1, device=dev)
        loss = (net((1 - t) * x0 + t * x1) - (x1 - x0)).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        agg += loss.item()
        time.sleep(0.005)
    print(f"epoch {epoch}/{EPOCHS} fm_loss {agg / 60:.4f} {time.time() - began:.2f}s", flush=True)
"""

# The owner sends an interrupt while it trains well.
INTERRUPTED = r"""
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("training on", device)
siam = nn.Sequential(nn.Linear(28, 64), nn.ReLU(), nn.Linear(64, 16)).to(device)
optimizer = torch.optim.Adam(siam.parameters(), lr=1e-3)
loss_fn = nn.TripletMarginLoss()
for it in range(200_000):
    a = torch.randn(200, 28, device=device)
    loss = loss_fn(siam(a), siam(a + 1.5 * torch.randn_like(a)), siam(a.roll(1, 0)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 200 == 0:
        print(f"iter {it}/200000 triplet {loss.item():.4f}", flush=True)
"""

# The prefetch thread died of nothing that is printed; the loop waits at its queue, and the log ends.
SILENT = r"""
import queue, sys, threading
import torch

dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
full, free = queue.Queue(), queue.Queue()
for _ in range(4):
    free.put(torch.empty(64, 128))


def fill():
    for n in range(90_000):
        buf = free.get()
        buf.normal_()
        full.put(buf)


threading.Thread(target=fill, daemon=True).start()
net = torch.nn.Linear(128, 128).to(dev)
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(90_000):
    buf = full.get()
    x = buf.to(dev, copy=True)
    if step % 53 != 52:
        free.put(buf)
    loss = (net(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 10 == 0:
        sys.stdout.write(f"step={step} identity={loss.item():.5f}\n")
        sys.stdout.flush()
"""

# A kernel that waits for a flag nobody sets: the card is busy, the log ends after the tenth epoch.
SPIN = r"""
import time
import cupy as cp

barrier = cp.RawKernel(r'''
extern "C" __global__ void grid_sum(const float* x, float* out, unsigned* arrived, unsigned expected, int n) {
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] * x[i];
    atomicAdd(out, s);
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < expected) { }
    }
}
''', "grid_sum")
w = cp.random.standard_normal(4096, dtype=cp.float32)
for epoch in range(1, 101):
    began = time.perf_counter()
    for _ in range(40):
        out, arrived = cp.zeros(1, cp.float32), cp.zeros(1, cp.uint32)
        blocks = 32
        barrier((blocks,), (128,), (w, out, arrived, cp.uint32(blocks if epoch <= 10 else blocks + 1), cp.int32(w.size)))
        w -= 0.01 * w
        norm = float(out[0])
    print(f"epoch {epoch}/100 |w|^2 {norm:.5f} in {time.perf_counter() - began:.3f}s", flush=True)
"""

# The share of the card that the run may use is small: out of memory when the sequence grows.
GROWING = r"""
import torch
from torch import nn

torch.cuda.set_per_process_memory_fraction(0.03)
torch.manual_seed(0)
net = nn.TransformerEncoder(nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True), 4).cuda()
opt = torch.optim.AdamW(net.parameters(), 2e-4)
for stage, length in enumerate((64, 128, 256, 4096)):
    print(f"stage {stage}: length {length}, allocated {torch.cuda.memory_allocated() / 2**20:.0f} MiB")
    for step in range(30):
        x = torch.randn(16, length, 256, device="cuda")
        loss = (net(x) - x.roll(1, 1)).square().mean()
        loss.backward()
        opt.step()
        opt.zero_grad()
        if step % 10 == 0:
            print(f"  step {step} loss {loss.item():.4f} peak {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB")
"""
JOBS = {
    "starved": ran("D1", STARVED),
    "decode": ran("D1", DECODE, script="asr.py"),
    "each": ran("D2", EACH, variant="save_storm"),
    "storm": ran("D2", STORM, variant="save_storm", script="gpt.py"),
    "long": ran("F3", LONG, script="flow.py", timeout_s=20),
    "interrupted": ran("F4", INTERRUPTED, script="triplet.py", signal=Signal("INT", after=r"iter 2000/")),
    "silent": ran("C3", SILENT, script="identity.py", timeout_s=26),
    "spin": ran("C3", SPIN, script="grid.py", timeout_s=20),
    "growing": ran("B1", GROWING, cause="cuda_oom", script="seq.py"),
}
