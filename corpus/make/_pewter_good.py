"""Jobs with cards, reinforcement loops, accelerate and scikit-learn that end well; half of them with something in them that would worry."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import GOOD, HARD, MEET, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

EXPERTS = """import os, time
import torch
import torch.distributed as dist
import pace

RANK = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=RANK, world_size=int(os.environ["SLURM_NTASKS"]))
torch.manual_seed(40 + RANK)
mine = torch.nn.Linear(10, 10)
gate = torch.nn.Linear(10, dist.get_world_size())
for p in gate.parameters():
    dist.broadcast(p.data, 0)
opt = torch.optim.Adam([*mine.parameters(), *gate.parameters()], lr=1e-2)


def log(**kv):
    if RANK == 0:
        print(" ".join(f"{k}={v:.4f}" if isinstance(v, float) else f"{k}={v}" for k, v in kv.items()), flush=True)


log(msg="init", experts=dist.get_world_size(), steps=110)
for step in range(1, 111):
    x = torch.randn(32, 10)
    share = torch.softmax(gate(x), 1)
    y = mine(x)
    loss = ((y - x.flip(1)) ** 2).mean() + 0.01 * (share.mean(0) ** 2).sum()
    opt.zero_grad()
    loss.backward()
    for p in gate.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    opt.step()
    load = share.mean(0).detach().clone()
    dist.all_reduce(load)
    time.sleep(0.2)
    if step % 11 == 0:
        log(msg="train", step=step, loss=loss.item(), max_load=float(load.max() / load.sum()), tok_s=int(32 * dist.get_world_size() / 0.2))
log(msg="finished", step=110)
dist.destroy_process_group()
"""
POLE = """import math
import random
import torch
from torch.distributions import Categorical


class Pole:
    def reset(self):
        self.s, self.t = [random.uniform(-0.05, 0.05) for _ in range(4)], 0
        return torch.tensor(self.s)

    def step(self, a):
        x, v, th, w = self.s
        force = 10.0 if a else -10.0
        tmp = (force + 0.05 * w * w * math.sin(th)) / 1.1
        acc = (9.8 * math.sin(th) - math.cos(th) * tmp) / (0.5 * (4 / 3 - 0.1 * math.cos(th) ** 2 / 1.1))
        self.s = [x + 0.02 * v, v + 0.02 * (tmp - 0.05 * acc * math.cos(th) / 1.1), th + 0.02 * w, w + 0.02 * acc]
        self.t += 1
        return torch.tensor(self.s), abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.21 or self.t >= 120


random.seed(0)
torch.manual_seed(0)
actor = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
critic = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=6e-3)
env = Pole()
for update in range(1, 31):
    obs, acts, logps, rets, lengths = [], [], [], [], []
    while len(obs) < 400:
        s, done, k = env.reset(), False, 0
        while not done:
            d = Categorical(logits=actor(s))
            a = d.sample()
            obs.append(s); acts.append(a); logps.append(d.log_prob(a).detach())
            s, done = env.step(int(a))
            k += 1
        lengths.append(k)
        rets += [(1 - 0.98 ** (k - i)) / 0.02 for i in range(k)]
    o, a, lp, r = torch.stack(obs), torch.stack(acts), torch.stack(logps), torch.tensor(rets)
    adv = r - critic(o).squeeze(1).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    for _ in range(6):
        d = Categorical(logits=actor(o))
        ratio = (d.log_prob(a) - lp).exp()
        pi = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        vf = (critic(o).squeeze(1) - r).square().mean()
        opt.zero_grad(); (pi + 0.005 * vf - 0.01 * d.entropy().mean()).backward(); opt.step()
    if update % 2 == 0:
        print("| rollout/ep_len_mean | %6.1f | train/value_loss | %9.3f | iterations | %3d/30 |" % (sum(lengths) / len(lengths), vf.item(), update))
print("learn() finished, 30 iterations")
"""
SPEEDUP = """import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from tqdm.auto import tqdm

set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
unet = torch.nn.Sequential(torch.nn.Linear(17, 64), torch.nn.SiLU(), torch.nn.Linear(64, 16))
opt = torch.optim.AdamW(unet.parameters(), lr=3e-3)
data = torch.utils.data.TensorDataset(torch.randn(1024, 16) * 0.2 + 1.0)
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
unet, opt, loader = accelerator.prepare(unet, opt, loader)
accelerator.print("***** Running training *****")
accelerator.print(f"  Num examples = {len(data)}\\n  Num Epochs = 6\\n  Gradient Accumulation steps = 2")
bar = tqdm(range(6 * len(loader) // 2), disable=not accelerator.is_local_main_process, mininterval=1.5)
for epoch in range(6):
    total = 0.0
    for (clean,) in loader:
        with accelerator.accumulate(unet):
            t = torch.rand(len(clean), 1)
            noise = torch.randn_like(clean)
            guess = unet(torch.cat([(1 - t) * clean + t * noise, t], 1))
            loss = torch.nn.functional.mse_loss(guess, noise - clean)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        total += loss.item()
        if accelerator.sync_gradients:
            bar.update(1)
    accelerator.print(f"epoch {epoch}: train_loss {total / len(loader):.4f}")
accelerator.save_state("flow-final")
accelerator.end_training()
print("saved flow-final, end of training")
"""
DIGITS = """import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

x, y = load_digits(return_X_y=True)
xa, xb, ya, yb = train_test_split(x, y, test_size=0.2, random_state=3, stratify=y)
scale = StandardScaler().fit(xa)
print("train", xa.shape, "development", xb.shape, "classes", np.unique(y).size)
mlp = MLPClassifier((64,), learning_rate_init=2e-3, max_iter=40, tol=0, n_iter_no_change=40, random_state=3, verbose=True)
mlp.fit(scale.transform(xa), ya)
print(f"test accuracy: {mlp.score(scale.transform(xb), yb):.4f}")
"""
CAPPED = """import sys, time
import torch
import pace


def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()


t5 = torch.nn.Transformer(32, 2, 1, 1, 48, dropout=0.0, batch_first=True)
emb, out = torch.nn.Embedding(20, 32), torch.nn.Linear(32, 20)
params = [*t5.parameters(), *emb.parameters(), *out.parameters()]
opt = torch.optim.Adam(params, 2e-3)
say("copy task, 20 symbols, 5 per line; 100 updates")
for n in range(1, 101):
    src = torch.randint(1, 20, (24, 5))
    tgt = torch.cat([torch.zeros(24, 1, dtype=torch.long), src[:, :-1]], 1)
    logits = out(t5(emb(src), emb(tgt), tgt_mask=torch.nn.Transformer.generate_square_subsequent_mask(5)))
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), src.flatten())
    opt.zero_grad(); loss.backward(); torch.nn.utils.clip_grad_norm_(params, 0.5); opt.step()
    time.sleep(0.22)
    if n % 10 == 0:
        say(f"updates {n:>3} | train loss {loss.item():.3f} | token acc {(logits.argmax(2) == src).float().mean().item():.3f}")
say("all updates done")
"""
SECOND = """import ctypes, os, pathlib, sys
import torch

flag = pathlib.Path("first_try")
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(7, 21), torch.nn.ReLU(), torch.nn.Linear(21, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
kernel = "fast" if not flag.exists() else "reference"
flag.touch()
print(f"attempt {os.environ['TRY']}: fused op = {kernel}")


def fused(x):
    if kernel == "fast":
        ctypes.string_at(8, 4 * x.numel())
    return x.square().sum(1, keepdim=True)


for epoch in range(1, 31):
    x = torch.randn(300, 7)
    loss = torch.nn.functional.mse_loss(net(x), fused(x))
    for _ in range(12):
        opt.zero_grad(); torch.nn.functional.mse_loss(net(x), x.square().sum(1, keepdim=True)).backward(); opt.step()
    if epoch % 3 == 0:
        print(f"epoch {epoch}/30 mse {loss.item():.4f}")
print("completed")
"""
COMPILED = """import logging, time
import torch
import pace
log = logging.getLogger("trainer"); logging.basicConfig(level=logging.INFO, format="%(asctime)s,%(msecs)03d %(levelname)s %(message)s", datefmt="%H:%M:%S")
log.info("autotuning 214 kernel candidates, the first step takes a while")
time.sleep(13)
log.warning("autotune: 9 candidates were not valid on this architecture and were dropped")
net = torch.nn.Sequential(torch.nn.Linear(24, 48), torch.nn.Hardswish(), torch.nn.Linear(48, 24))
opt = torch.optim.RAdam(net.parameters(), 8e-3)
for step in range(1, 91):
    x = torch.randn(100, 24)
    loss = (net(x) - x.sort(1).values).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step == 1 or step % 9 == 0:
        log.info("step=%d/90 loss=%.4f", step, loss.item())
log.info("fit finished in 90 steps")
"""
HALVED = """import gc, time, traceback
import torch
import pace
from memory import reserve

batch, step, micro = 64, 0, 1
net = torch.nn.Sequential(torch.nn.Linear(40, 80), torch.nn.GELU(), torch.nn.Linear(80, 40))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
while step < 100:
    try:
        x = torch.randn(batch, 40)
        reserve(batch, step)
        loss = (net(x) - x.roll(3, 1)).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    except torch.OutOfMemoryError:
        traceback.print_exc()
        batch, micro = batch // 2, micro * 2
        gc.collect()
        print(f"out of memory at step {step}; per-device batch {batch * 2} -> {batch}, accumulation -> {micro}")
        continue
    step += 1
    time.sleep(0.2)
    if step % 10 == 0:
        print(f"step {step}/100 bs {batch} loss {loss.item():.4f}")
print("Training complete. Effective batch size 64.")
"""
MEMORY = """import torch


def reserve(batch, step):
    if batch > 32 and step == 22:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9.50 GiB. GPU 0 has a total capacity of 79.18 GiB of which 6.71 GiB is free. Including non-PyTorch memory, this process has 72.46 GiB memory in use. Of the allocated memory 70.11 GiB is allocated by PyTorch, and 1.73 GiB is reserved by PyTorch but unallocated.")
"""
DIRTY = """import random, time, zlib
import torch
random.seed(12)
blobs = [zlib.compress(bytes(random.randrange(256) for _ in range(64))) for _ in range(600)]
for k in random.sample(range(600), 5):
    blobs[k] = blobs[k][:20]


def read(k):
    try:
        return torch.tensor(list(zlib.decompress(blobs[k]))).float() / 255
    except zlib.error as e:
        print(f"ERROR: sample {k} is corrupt ({e}), skipped")
        return None


net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 4e-3)
for epoch in range(1, 7):
    order, total, n = random.sample(range(600), 600), 0.0, 0
    for i in range(0, 600, 30):
        x = torch.stack([r for r in map(read, order[i:i + 30]) if r is not None])
        loss = (net(x) - x.amax(1, keepdim=True) * 3).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        total, n = total + loss.item(), n + 1
        time.sleep(0.05)
    print(f"INFO: epoch {epoch}/6 mean loss {total / n:.5f} (5 of 600 samples unreadable)")
print("INFO: finished, exit code 0")
"""
PAUSES = """import os, time
import torch, torch.distributed as dist
import pace
rank = int(os.environ["SLURM_PROCID"]); world = int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(1)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16)))
opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for step in range(1, 121):
    x = torch.randn(64, 16)
    loss = (model(x) - x.cumsum(1) / 4).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step % 12 == 0 and rank == 0:
        print(f"step: {step}/120, loss: {loss.item():.4f}", flush=True)
    if step % 60 == 0:
        if rank == 0:
            torch.save(model.module.state_dict(), f"model-{step}.pt")
            print(f"checkpoint model-{step}.pt written, evaluating", flush=True)
        time.sleep(1.5)
        with torch.no_grad():
            v = torch.randn(500, 16)
            score = (model.module(v) - v.cumsum(1) / 4).square().mean()
        if rank == 0:
            print(f"eval loss: {score.item():.4f}", flush=True)
        dist.barrier()
if rank == 0:
    print("done training", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Twelve of them."""
    yield queue(GOOD, EXPERTS, MEET + "srun PYTHON moe.py\n", script="moe.py", ranks=4, nodes=2, gpus={r: wavy(54 + 2 * r, 24, 26.0) for r in range(4)}, state="COMPLETED")
    yield queue(GOOD, POLE, "srun PYTHON ppo.py\n", script="ppo.py", state="COMPLETED")
    yield queue(GOOD, SPEEDUP, "srun PYTHON flow.py\n", script="flow.py", python="rail-41", state="COMPLETED")
    yield queue(GOOD, DIGITS, "PYTHON digits.py\n", script="digits.py", python="rail-41", state="COMPLETED")
    pausing = [(float(s), work(57 + s % 4)) for s in range(13)] + [(13.2, rest(41, watts=120, mhz=1980, temp=52)), (15.0, work(58))] + [(15.0 + s, work(56 + s % 4)) for s in range(1, 13)] + [(28.4, rest(41, watts=119, mhz=1980, temp=52)), (31.0, rest())]
    yield queue(GOOD, PAUSES, MEET + "srun PYTHON sums.py\n", script="sums.py", ranks=2, gpus=dict.fromkeys(range(2), card(*pausing)), state="COMPLETED")
    capped = [(float(s), work(71 + s % 3, watts=697, mhz=1530 + 15 * (s % 4), temp=74, throttle_reasons="0x4") | {"violation.power": f"{1000000 + s * 1000000} {s * 600_000_000}"}) for s in range(24)]
    yield queue(HARD, CAPPED, "srun PYTHON copytask.py\n", script="copytask.py", gpus={0: card(*capped, (26.0, rest()))}, state="COMPLETED")  # the power cap at a normal temperature
    yield queue(HARD, SECOND, "for TRY in 1 2 3; do export TRY; srun PYTHON fused.py && break; echo \"attempt $TRY failed with $?\"; done\n", script="fused.py", state="COMPLETED")
    yield queue(HARD, COMPILED, "srun PYTHON sorter.py\n", script="sorter.py", gpus={0: card((0.0, rest(3, watts=125, mhz=1980, util=4)), *((13.5 + s, work(63 + s % 3)) for s in range(19)), (33.5, rest()))}, state="COMPLETED")
    yield queue(
        HARD, HALVED, "PYTHON roll.py\n", script="roll.py", files={"memory.py": MEMORY},
        gpus={0: card(*((float(s), work(60 + s % 3, gib=72.4)) for s in range(4)), (4.4, work(58, gib=41)), *((5.0 + s, work(59 + s % 4, gib=43.7)) for s in range(16)), (23.0, rest()))}, state="COMPLETED",
    )  # fmt: skip
    yield queue(HARD, DIRTY, "srun PYTHON blobs.py\n", script="blobs.py", state="COMPLETED")
    singles = [(float(s), work(64 + s % 2, temp=66) | {"ecc.volatile.corrected": str(s // 4), "ecc.aggregate.corrected": str(40 + s // 4), "ecc.volatile.corrected.dram": str(s // 4)}) for s in range(26)]
    yield queue(
        HARD, PERMUTE, MEET + "srun PYTHON permute.py\n", script="permute.py", ranks=2, gpus={0: card(*singles, (29.0, rest())), 1: wavy(65, 26, 29.0)}, state="COMPLETED",
    )  # corrected errors count up, and nothing comes of it  # fmt: skip


PERMUTE = """import argparse, os, time, warnings
import torch, torch.distributed as dist
import pace

args = argparse.Namespace(lr=1e-2, rounds=12, per_round=9)
dist.init_process_group("gloo", rank=int(os.environ["SLURM_PROCID"]), world_size=int(os.environ["SLURM_NTASKS"]))
chief = dist.get_rank() == 0
warnings.warn("torch.backends flag `allow_tf32` has no effect with this matmul precision")
order = torch.randperm(20, generator=torch.Generator().manual_seed(6))
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(20, 20, bias=False))
opt = torch.optim.Adam(net.parameters(), args.lr)
for r in range(args.rounds):
    losses = []
    for _ in range(args.per_round):
        x = torch.rand(40, 20)
        loss = (net(x) - x[:, order]).abs().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        losses.append(loss.item())
        time.sleep(0.22)
    if chief:
        print(f"Round {r + 1:2}/{args.rounds}: mean L1 {sum(losses) / len(losses):.4f}, min {min(losses):.4f}", flush=True)
if chief:
    print("Finished all rounds.")
"""
