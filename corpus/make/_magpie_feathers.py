"""A second helping: limits, interrupts, waiting ranks, and more that goes well on a card."""

from __future__ import annotations

from corpus.make._magpie_kit import TORCHRUN, ran
from corpus.running.job import Signal

# The interface of the wish is not there: NCCL cannot even begin, with one rank.
INTERFACE = r"""
import os
import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
print(f"rank {rank}/{dist.get_world_size()} initialised, NCCL {torch.cuda.nccl.version()}", flush=True)
weights = torch.ones(1 << 20, device="cuda")
dist.all_reduce(weights)
print("warm-up all-reduce done", flush=True)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).cuda())
for step in range(300):
    model(torch.randn(32, 256, device="cuda")).square().mean().backward()
dist.destroy_process_group()
"""

# The Trainer goes on well, and its limit ends it far from the planned steps.
LIMITED = r"""
import torch
from transformers import RobertaConfig, RobertaForMaskedLM, Trainer, TrainingArguments

torch.manual_seed(0)
config = RobertaConfig(vocab_size=300, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256, max_position_embeddings=70)


class Masked(torch.utils.data.Dataset):
    def __len__(self):
        return 200_000

    def __getitem__(self, i):
        ids = (torch.arange(40) * (1 + i % 7) + i) % 296 + 4
        hide = torch.rand(40) < 0.15
        return {"input_ids": ids.masked_fill(hide, 3), "labels": ids.masked_fill(~hide, -100)}


args = TrainingArguments("out/mlm", per_device_train_batch_size=32, num_train_epochs=10, learning_rate=5e-4, logging_steps=50, save_strategy="no", report_to=[], disable_tqdm=True)
Trainer(model=RobertaForMaskedLM(config), args=args, train_dataset=Masked()).train()
"""

# Ctrl-C by hand, met with a save.
CTRL_C = r"""
import sys
import time
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Linear(10, 50), nn.ReLU(), nn.Linear(50, 10)).to(device)
opt = torch.optim.Adam(net.parameters(), 1e-3)
perm = torch.randperm(10, generator=torch.Generator().manual_seed(0)).to(device)
epoch, epochs = 0, 500
try:
    for epoch in range(1, epochs + 1):
        s = 0.0
        for _ in range(100):
            x = torch.randn(64, 10, device=device)
            loss = (net(x) - x[:, perm]).pow(2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
            s += loss.item()
        print(f"epoch {epoch:3d}/{epochs}: {s / 100:.5f}", flush=True)
        time.sleep(0.05)
except KeyboardInterrupt:
    print(f"\nKeyboardInterrupt in epoch {epoch}, saving to interrupted.pt", flush=True)
    torch.save(net.state_dict(), "interrupted.pt")
    sys.exit(130)
"""

# Uneven shards: the rank with fewer batches waits at the barrier, the others in their all-reduce, for good.
UNEVEN = r"""
import datetime
import logging
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo", timeout=datetime.timedelta(hours=2))
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [r{rank}] %(message)s")
dev = "cuda" if torch.cuda.is_available() else "cpu"
images = 4096 - (160 if rank == 1 else 0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Conv2d(1, 8, 5), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 24 * 24, 10)).to(dev))
opt = torch.optim.SGD(net.parameters(), 0.01)
logging.info("%d images in this shard", images)
g = torch.Generator().manual_seed(rank)
for epoch in range(5):
    for b in range(images // 32):
        y = torch.randint(10, (32,), generator=g)
        x = torch.rand(32, 1, 28, 28, generator=g) + y.view(-1, 1, 1, 1) / 10
        loss = torch.nn.functional.cross_entropy(net(x.to(dev)), y.to(dev))
        opt.zero_grad(); loss.backward(); opt.step()
        if b % 16 == 0:
            logging.info("epoch %d batch %d/%d loss %.4f", epoch, b, images // 32, loss.item())
    logging.info("epoch %d finished, entering barrier", epoch)
    dist.barrier()
    if rank == 0:
        torch.save(net.module.state_dict(), f"epoch{epoch}.pt")
"""

# Rank 0 draws figures at every step while the other waits: its own times say so.
DRAWS = r"""
import json
import time
import numpy as np
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(128, 128).to(dev)
opt = torch.optim.SGD(net.parameters(), 0.5)
torch.manual_seed(50 + rank)
target = torch.eye(128, device=dev).roll(3, 1)


def figure(w):
    began = time.perf_counter()
    while time.perf_counter() - began < 0.11:
        spectrum = np.abs(np.fft.fft2(np.kron(w, np.ones((2, 2)))))
    return spectrum.max()


clock = {"compute": 0.0, "figures": 0.0, "sync": 0.0}
for step in range(1, 81):
    t = time.perf_counter()
    x = torch.randn(256, 128, device=dev)
    loss = (net(x) - x @ target).square().mean()
    loss.backward()
    value = loss.item()
    t1 = time.perf_counter()
    if rank == 0:
        figure(net.weight.detach().cpu().numpy())
    t2 = time.perf_counter()
    for p in net.parameters():
        g = p.grad.cpu()
        dist.all_reduce(g)
        p.grad.copy_(g / dist.get_world_size())
    t3 = time.perf_counter()
    opt.step()
    opt.zero_grad()
    for key, spent in zip(clock, (t1 - t, t2 - t1, t3 - t2)):
        clock[key] += spent
    if step % 10 == 0:
        print(json.dumps({"rank": rank, "step": step, "of": 80, "loss": round(value, 5), **{f"{k}_ms": round(100 * v, 1) for k, v in clock.items()}}), flush=True)
        clock = dict.fromkeys(clock, 0.0)
dist.destroy_process_group()
"""

# accelerate's loop with accumulation, plainly good.
ACCELERATE = r"""
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
import logging

logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
logger = get_logger(__name__)
accelerator = Accelerator(mixed_precision="bf16" if torch.cuda.is_available() else "no", gradient_accumulation_steps=2)
set_seed(11)
logger.info(accelerator.state)
x = torch.randn(6400, 32)
y = (x[:, :16].sum(1) > x[:, 16:].sum(1)).long()
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=32, shuffle=True)
net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
net, opt, data = accelerator.prepare(net, opt, data)
done = 0
for epoch in range(3):
    total = 0.0
    for bx, by in data:
        with accelerator.accumulate(net):
            loss = torch.nn.functional.cross_entropy(net(bx), by)
            total += loss.detach().float()
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        done += accelerator.sync_gradients
    logger.info("epoch %d: train_loss = %.4f, completed_steps = %d", epoch, total.item() / len(data), done)
accelerator.save_model(net, "accelerated")
logger.info("Model weights saved in accelerated/model.safetensors")
"""

# A mirror that refuses three times, then the copy on disk: it trains to the end.
MIRROR = r"""
import io
import logging
import time
import urllib.request
import numpy as np
import torch

logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(levelname)8s %(name)s %(message)s")
log = logging.getLogger("wine")
np.savetxt("data/wine.csv", np.random.default_rng(0).normal(size=(800, 12)), delimiter=",")


def rows(url, local, tries=3):
    for attempt in range(1, tries + 1):
        try:
            return np.loadtxt(io.StringIO(urllib.request.urlopen(url, timeout=2).read().decode()), delimiter=",")
        except OSError as error:
            log.error("download of %s failed (attempt %d/%d): %s", url, attempt, tries, error)
            time.sleep(0.3 * attempt)
    log.warning("using the copy in %s", local)
    return np.loadtxt(local, delimiter=",")


table = torch.tensor(rows("http://127.0.0.1:9/uci/wine.csv", "data/wine.csv"), dtype=torch.float32)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y = table[:, :11].to(dev), (table[:, :11].sum(1) / 3).sin().to(dev)
net = torch.nn.Sequential(torch.nn.Linear(11, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)).to(dev)
opt = torch.optim.Adam(net.parameters(), 5e-3)
for epoch in range(1, 401):
    loss = (net(x)[:, 0] - y).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 40 == 0:
        log.info("epoch %d/400 rmse %.4f", epoch, loss.item() ** 0.5)
log.info("fit complete")
"""

# Two batches give a loss that is not finite; they are left out, told with the word, and the run is fine.
GUARD = r"""
import torch
from torch import nn

torch.manual_seed(9)
dev = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Linear(8, 64), nn.SiLU(), nn.Linear(64, 2)).to(dev)
opt = torch.optim.Adam(net.parameters(), 2e-3)
dropped = 0
for step in range(1, 401):
    x = torch.rand(256, 8, device=dev)
    y = x.sum(1) + 0.1 * torch.randn(256, device=dev)
    if step in (57, 233):
        x[13, 2] = float("nan")
    mean, logvar = net(x).unbind(1)
    nll = 0.5 * (logvar + (y - mean) ** 2 / logvar.exp()).mean()
    if not torch.isfinite(nll):
        dropped += 1
        print(f"[warn] step {step}: non-finite loss ({nll.item()}), sample {int(torch.isnan(x).any(1).nonzero()[0])} has NaN features - batch skipped")
        continue
    opt.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    if step % 40 == 0:
        rmse = (mean - y).square().mean().sqrt().item()
        print(f"[train] step {step}/400 nll {nll.item():.4f} rmse {rmse:.4f} skipped batches {dropped}")
print("[done] weights written to hetero.pt")
torch.save(net.state_dict(), "hetero.pt")
"""

# CuPy alone: a Boltzmann machine, epochs and a falling error.
BOLTZMANN = r"""
import cupy as cp

cp.random.seed(5)
patterns = (cp.random.rand(12, 196) > 0.6).astype(cp.float32)
W = 0.01 * cp.random.standard_normal((196, 80), dtype=cp.float32)
bv, bh = cp.zeros(196, cp.float32), cp.zeros(80, cp.float32)


def sigmoid(a):
    return 1 / (1 + cp.exp(-a))


for epoch in range(1, 31):
    err = 0.0
    for _ in range(40):
        v = patterns[cp.random.randint(0, 12, 64)]
        v = cp.where(cp.random.rand(*v.shape) < 0.03, 1 - v, v).astype(cp.float32)
        h = sigmoid(v @ W + bh)
        v2 = sigmoid((cp.random.rand(*h.shape) < h).astype(cp.float32) @ W.T + bv)
        h2 = sigmoid(v2 @ W + bh)
        W += 0.1 * (v.T @ h - v2.T @ h2) / 64
        bv += 0.1 * (v - v2).mean(0)
        bh += 0.1 * (h - h2).mean(0)
        err += float(((v - v2) ** 2).mean())
    if epoch % 3 == 0:
        print(f"RBM epoch {epoch:2d}/30 reconstruction error {err / 40:.5f}")
cp.save("rbm_w.npy", W)
print("weights in rbm_w.npy")
"""

# A graph network of PyTorch Geometric, plainly good.
GEOMETRIC = r"""
import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
n, k = 900, 3
y = torch.arange(n) % k
a, b = torch.randint(n, (2, 14_000))
keep = (y[a] == y[b]) | (torch.rand(14_000) < 0.15)
data = Data(x=F.one_hot(y, k).float() * 0.3 + torch.randn(n, k), edge_index=torch.stack([torch.cat([a[keep], b[keep]]), torch.cat([b[keep], a[keep]])]), y=y).to(device)
train = torch.rand(n, device=device) < 0.2


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = GCNConv(k, 32), GCNConv(32, k)

    def forward(self, d):
        h = F.dropout(self.one(d.x, d.edge_index).relu(), 0.3, self.training)
        return self.two(h, d.edge_index)


model = Net().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
print(data, model)
for epoch in range(1, 121):
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(data)[train], data.y[train])
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        model.eval()
        hit = model(data).argmax(1) == data.y
        print(f"Epoch: {epoch:03d}, Loss: {loss:.4f}, Train: {hit[train].float().mean():.4f}, Test: {hit[~train].float().mean():.4f}")
"""

# A signal of the batch system is met by a save, the same process goes on and ends as planned.
USR1 = r"""
import os
import signal
import torch

wish = {"save": False}


def on_usr1(number, frame):
    print(f"caught signal {number} (SIGUSR1): checkpoint requested by the scheduler, time limit is near", flush=True)
    wish["save"] = True


signal.signal(signal.SIGUSR1, on_usr1)
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).to(dev)
opt = torch.optim.Adam(net.parameters(), 2e-3)
for step in range(1, 4001):
    x = torch.randn(128, 16, device=dev)
    loss = (net(x)[:, 0] - x.abs().mean(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if wish["save"]:
        torch.save({"net": net.state_dict(), "step": step}, "preempt.pt")
        print(f"wrote preempt.pt at step {step} ({os.path.getsize('preempt.pt')} bytes), continuing", flush=True)
        wish["save"] = False
    if step % 200 == 0:
        print(f"step {step}/4000: {loss.item():.6f}", flush=True)
print("reached the last step", flush=True)
"""
ONE = (*TORCHRUN, "--standalone", "--nproc-per-node", "1")
THREE = (*TORCHRUN, "--standalone", "--nproc-per-node", "3")
JOBS = {
    "interface": ran("A1", INTERFACE, cause="nccl", launch=ONE, env={"NCCL_SOCKET_IFNAME": "ib0", "NCCL_DEBUG": "WARN"}, script="pretrain.py"),
    "limited": ran("F3", LIMITED, script="mlm.py", timeout_s=26),
    "ctrl c": ran("F4", CTRL_C, 130, script="permute.py", signal=Signal("INT", after=r"epoch  12/", to="permute.py")),
    "uneven": ran("C2", UNEVEN, launch=THREE, script="shards.py", timeout_s=32),
    "draws": ran("D3", DRAWS, launch=(*TORCHRUN, "--standalone", "--nproc-per-node", "2"), fault="unknown", script="roll.py"),
    "accelerate": ran("G1", ACCELERATE, script="accelerated.py"),
    "mirror": ran("G1", MIRROR, hard=True, script="wine.py", folders=("data",)),
    "guard": ran("G1", GUARD, hard=True, script="hetero.py"),
    "boltzmann": ran("G1", BOLTZMANN, script="rbm.py"),
    "geometric": ran("G1", GEOMETRIC, script="gcn.py"),
    "usr1": ran("G1", USR1, hard=True, script="usr1.py", signal=Signal("USR1", after=r"step 1200/", to="usr1.py")),
}
