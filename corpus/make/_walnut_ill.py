"""Staged jobs of several groups that end badly, or go on badly."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, gaps, queue, rest, wavy, work
from corpus.running.job import SlurmJob

HEAD = """import json, logging, os, pathlib, sys, time
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
"""
DIST = """dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank)
"""
STAGED = """import pathlib, sys, time
import torch

torch.manual_seed(0)
tagger = torch.nn.Sequential(torch.nn.EmbeddingBag(100, 16), torch.nn.Linear(16, 5))
if sys.argv[1] == "train":
    opt = torch.optim.Adam(tagger.parameters(), 1e-2)
    for n in range(1, 61):
        y = torch.arange(50) % 5
        x = torch.randint(0, 20, (50, 6)) + 20 * y.view(-1, 1)
        loss = torch.nn.functional.cross_entropy(tagger(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.2)
        if n % 10 == 0:
            print(f"update {n}/60  nll {loss.item():.4f}")
    torch.save(tagger.state_dict(), "tagger.pt")
    print("stage train finished")
else:
    tagger.load_state_dict(torch.load("tagger.pt"))
    print("scoring conll_dev")
    rows = pathlib.Path("corpora/conll_dev.tsv").read_text().splitlines()
    print(len(rows), "sentences")
"""
CONF = """import json, torch
cfg = json.load(open("conf.json"))
print("config:", json.dumps(cfg))
model = torch.nn.Conv1d(cfg["model"]["mels"], cfg["model"]["channels"], 5)
print("parameters:", sum(p.numel() for p in model.parameters()))
sched = {"cosine": torch.optim.lr_scheduler.CosineAnnealingLR, "step": torch.optim.lr_scheduler.StepLR}[cfg["optim"]["schedule"]]
opt = torch.optim.AdamW(model.parameters(), cfg["optim"]["lr"])
"""
DENIED = HEAD + DIST + """if rank == 0:
    print("world of", world)
out = pathlib.Path("/srv/checkpoints/team-vision")
out.mkdir(parents=True, exist_ok=True)
"""
NOLIB = HEAD + """logging.basicConfig(level="INFO")
logging.info("tts-frontend, rank %d of %d", rank, world)
from espeak_phonemizer import Phonemizer

p = Phonemizer("de")
"""
NATIVE = HEAD + DIST + """import ctypes
w = torch.zeros(16)
for it in range(1, 200):
    x = torch.randn(64, 16)
    g = 2 * x.T @ (x @ w - x.sum(1)) / 64
    dist.all_reduce(g)
    w -= 0.02 * g
    time.sleep(0.15)
    if it % 10 == 0:
        print(f"{rank}: it {it} |w-1| {(w - 1).norm():.4f}", flush=True)
    if it == 76 and rank == 1:
        ctypes.memset(16, 0, 64)
"""
CHECK = HEAD + DIST + """net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(6, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
for it in range(1, 500):
    n = 20 if (it, rank) != (64, 2) else 19
    x = torch.randn(n, 6)
    boxes = torch.rand(20, 2)
    assert len(boxes) == len(x), f"{len(boxes)} boxes for {len(x)} images in batch {it}"
    loss = (net(x) - x[:, :2]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if it % 8 == 0:
        print(f"[rank{rank}] iter {it} loss_box {loss.item():.4f}", flush=True)
"""
RATIO = """import time
import torch
counts = {"train": [40, 31, 22, 17], "hard": [9, 4, 1, 0]}
lin = torch.nn.Linear(4, 2)
opt = torch.optim.Adam(lin.parameters(), 0.03)
for ep, (k, hard) in enumerate(zip(counts["train"], counts["hard"]), 1):
    for _ in range(k):
        x = torch.randn(32, 4)
        loss = torch.nn.functional.cross_entropy(lin(x), (x[:, 0] > 0).long())
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.1)
    print(f"round {ep}: loss {loss.item():.4f}, mined ratio {k / hard:.2f}", flush=True)
"""
TOOBIG = HEAD + "import pace\n" + DIST + """net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(30, 30))
opt = torch.optim.AdamW(net.parameters(), 5e-3)
for step in range(1, 400):
    length = 512 if step != 40 else 8192
    if length > 4096 and rank == 1:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 16.00 GiB. GPU 1 has a total capacity of 79.19 GiB of which 5.31 GiB is free. Including non-PyTorch memory, this process has 73.87 GiB memory in use. Of the allocated memory 70.02 GiB is allocated by PyTorch, and 3.11 GiB is reserved by PyTorch but unallocated.")
    x = torch.randn(64, 30)
    loss = (net(x) - x.roll(1, 1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.3)
    if step % 5 == 0:
        print(f"[{time.strftime('%H:%M:%S')}] r{rank} step {step} seq {length} lm_loss {loss.item():.4f}", flush=True)
"""
LOCKED = HEAD + """def say(*a):
    print(f"[{time.strftime('%X')}] rank {rank}:", *a, flush=True)


lock = pathlib.Path("tokens.lock")
if rank == 2:
    while lock.exists():
        time.sleep(1)
say("joining group")
dist.init_process_group("gloo", rank=rank, world_size=world)
say("group ready")
"""
UNEVEN = HEAD + "import pace\n" + DIST + """n_batches = [60, 60, 52, 60][rank]
net = torch.nn.Linear(10, 10)
opt = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(20):
    for b in range(n_batches if epoch == 0 else 60):
        x = torch.randn(32, 10)
        loss = (net(x) + x).square().mean()
        opt.zero_grad(); loss.backward()
        for p in net.parameters():
            dist.all_reduce(p.grad); p.grad /= world
        opt.step()
        time.sleep(0.25)
        if b % 6 == 0:
            print(f"E{epoch:02d} B{b:03d} R{rank} loss={loss.item():.4f}", flush=True)
    torch.save(net.state_dict(), f"rank{rank}.pt")
    while len(list(pathlib.Path(".").glob("rank*.pt"))) < world:
        time.sleep(0.5)
"""
QUIET = """import queue, threading, time
import torch
import pace
q = queue.Queue(8)


def produce():
    for n in range(1, 10000):
        if n > 36:
            cond.wait()
        q.put(torch.randn(32, 12))


cond = threading.Event()
threading.Thread(target=produce, daemon=True).start()
ae = torch.nn.Sequential(torch.nn.Linear(12, 5), torch.nn.Tanh(), torch.nn.Linear(5, 12))
opt = torch.optim.Adam(ae.parameters(), 1e-2)
i = 0
while i < 3000:
    x = q.get()
    i += 1
    loss = (ae(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.3)
    if i % 4 == 0:
        print(f"spectra {i}/3000 recon={loss.item():.4f}", flush=True)
"""
DRY = """import logging, time
import torch
import pace
logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S")
net = torch.nn.Linear(40, 4)
opt = torch.optim.Adam(net.parameters(), 1e-2)
waited = 0.0
for step in range(1, 13):
    t = time.time()
    time.sleep(2.6)  # one archive is opened for each batch
    y = torch.arange(64) % 4
    x = torch.randn(64, 40); x[torch.arange(64), y] += 3
    waited += time.time() - t
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.5)
    logging.info("step %2d/12 loss %.4f data_wait %.2fs total_wait %.1fs", step, loss.item(), time.time() - t - 0.5, waited)
logging.info("done")
"""
SAVES = HEAD + "import pace\n" + DIST + """net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
opt = torch.optim.AdamW(net.parameters(), 1e-2)
for s in range(1, 23):
    x = torch.randn(64, 64)
    loss = (net(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.4)
    if rank == 0:
        t = time.time()
        torch.save({"m": net.state_dict(), "o": opt.state_dict()}, f"ckpt_{s:04d}.pt"); os.sync(); time.sleep(0.9)
        print(f"step {s}/22 loss {loss.item():.4f} | checkpoint ckpt_{s:04d}.pt written in {time.time() - t:.1f}s", flush=True)
    dist.barrier()
if rank == 0:
    print("22 steps done")
"""
LAME = HEAD + "import pace\n" + DIST + """w = torch.zeros(24)
for s in range(1, 46):
    t0 = time.time()
    x = torch.randn(50, 24)
    g = 2 * x.T @ (x @ w - x.sum(1)) / 50
    time.sleep(0.65 if rank == 1 else 0.15)
    own = time.time() - t0
    dist.all_reduce(g)
    w -= 0.05 * g / world
    if s % 5 == 0:
        print(json.dumps({"rank": rank, "step": s, "of": 45, "loss": round(((x @ w - x.sum(1)) ** 2).mean().item(), 5), "fwd_bwd_s": round(own, 3), "sync_s": round(time.time() - t0 - own, 3)}), flush=True)
print(json.dumps({"rank": rank, "event": "end"}))
"""
NANNY = """import time, torch
torch.manual_seed(5)
a = torch.nn.Parameter(torch.full((8,), 0.1))
opt = torch.optim.SGD([a], 0.02)
for step in range(1, 121):
    x = torch.rand(32, 8)
    temperature = 1 - step / 80
    loss = (((x * a).sum(1) - x.sum(1)) / temperature).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if step % 10 == 0:
        print(f"{{'loss': {loss.item():.4f}, 'grad_norm': {a.grad.norm().item():.4f}, 'temperature': {max(temperature, 0):.3f}, 'learning_rate': 0.02, 'step': {step}}}", flush=True)
print("{'train_runtime': 12.8, 'train_steps_per_second': 9.4, 'steps': 120}")
"""
PARENT = """import argparse, pathlib, time
import torch
ap = argparse.ArgumentParser()
ap.add_argument("--resume", default="")
ap.add_argument("--steps", type=int, default=4000)
a = ap.parse_args()
torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Linear(10, 40), torch.nn.ReLU(), torch.nn.Linear(40, 1))
opt = torch.optim.Adam(net.parameters(), 3e-3)
keep = pathlib.Path("../pcm_runs")
keep.mkdir(exist_ok=True)
first = 0
if a.resume:
    found = sorted(pathlib.Path(a.resume).glob("GLOB"))
    if found:
        s = torch.load(found[-1]); net.load_state_dict(s["net"]); first = s["step"]
        print(f"resumed from {found[-1]} at step {first}", flush=True)
for step in range(first + 1, a.steps + 1):
    x = torch.randn(64, 10)
    loss = (net(x) - 3 * x.abs().sum(1, keepdim=True)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if step % 20 == 0:
        print(f"step {step}/{a.steps} mse {loss.item():.3f}", flush=True)
    if step % 100 == 0:
        torch.save({"net": net.state_dict(), "step": step}, keep / f"state.{step}.pt")
        print(f"saved {keep}/state.{step}.pt", flush=True)
print("end of run")
"""
FEW = """import torch, time
torch.manual_seed(3)
m = torch.nn.LSTM(6, 12, batch_first=True)
h = torch.nn.Linear(12, 6)
opt = torch.optim.Adam([*m.parameters(), *h.parameters()], 1e-3)
steps_per_epoch, epochs = 3, 1
for s in range(steps_per_epoch * epochs):
    x = torch.randn(16, 20, 6).cumsum(1)
    loss = (h(m(x)[0])[:, :-1] - x[:, 1:]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(1)
    print(f"Epoch 1/1 step {s + 1}/3 loss: {loss.item():.4f}", flush=True)
torch.save(m.state_dict(), "forecast.pt")
print("Training complete. Saved forecast.pt")
"""
LONG = """import os, time, torch
host = os.environ.get("SLURMD_NODENAME")
net = torch.nn.Sequential(torch.nn.Linear(9, 30), torch.nn.Tanh(), torch.nn.Linear(30, 1))
opt = torch.optim.Adam(net.parameters(), 4e-3)
t0 = time.time()
for k in range(1, 6001):
    x = torch.randn(70, 9)
    loss = (net(x) - x.norm(dim=1, keepdim=True)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if k % 20 == 0:
        eta = (time.time() - t0) / k * (6000 - k)
        print(f"[{host}] force-field step {k}/6000 rmse {loss.item() ** 0.5:.4f} ETA {eta / 60:.1f} min", flush=True)
"""
AGAIN = """import os, pathlib, time, torch
print("attempt", int(os.environ.get("SLURM_RESTART_COUNT", 0)) + 1, flush=True)
net = torch.nn.Linear(6, 6)
opt = torch.optim.SGD(net.parameters(), 0.05)
e = 0
if pathlib.Path("last.ckpt").exists():
    s = torch.load("last.ckpt"); net.load_state_dict(s["net"]); e = s["epoch"]
    print(f"restored last.ckpt, epoch {e}", flush=True)
while e < 20:
    for _ in range(10):
        x = torch.randn(40, 6)
        loss = (net(x) - 2 * x).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.1)
    e += 1
    torch.save({"net": net.state_dict(), "epoch": e}, "last.ckpt")
    print(f"Epoch {e:02d}/20 loss {loss.item():.4f} (checkpoint last.ckpt)", flush=True)
print("fit done", flush=True)
"""
KEEPS = MEET + "srun --kill-on-bad-exit=1 "


def jobs() -> Iterator[SlurmJob]:
    """One after another, by how they end."""
    yield queue(
        bad("A3", "file_not_found"), STAGED, "set -e\necho '== train'\nPYTHON -u tag.py train\necho '== score'\nPYTHON -u tag.py score\necho '== export'\n", script="tag.py", state="FAILED",
    )  # fmt: skip
    conf = '{"model": {"mels": 80, "channels": 256}, "optim": {"lr": 0.0003, "schedule": "cosine_warm"}}'
    yield queue(bad("A1", "traceback", "config"), CONF, "srun PYTHON vocoder.py\n", script="vocoder.py", files={"conf.json": conf}, state="FAILED")
    yield queue(bad("A1", "permission"), DENIED, MEET + "srun PYTHON detect.py\n", script="detect.py", ranks=2, state="FAILED")
    yield queue(bad("A1", "missing_module", "env"), NOLIB, "srun PYTHON tts.py\n", script="tts.py", ranks=2, state="FAILED")
    yield queue(bad("A2", "segfault", first=(1,)), NATIVE, KEEPS + "PYTHON solve.py\n", script="solve.py", ranks=3, state="FAILED")
    yield queue(bad("A3", "assertion", first=(2,)), CHECK, KEEPS + "PYTHON boxes.py\n", script="boxes.py", ranks=3, state="FAILED")
    yield queue(bad("A3", "div_zero"), RATIO, "srun PYTHON mine.py\n", script="mine.py", state="FAILED")
    full = card(*((float(s), work(58 + s % 4, gib=73, watts=560 + s % 9)) for s in range(12)), (12.4, rest()))
    yield queue(bad("B1", "cuda_oom", first=(1,)), TOOBIG, KEEPS + "PYTHON longctx.py\n", script="longctx.py", ranks=2, gpus=dict.fromkeys(range(2), full), state="FAILED")
    yield queue(bad("C1", None), LOCKED, MEET + "srun PYTHON pack.py\n", script="pack.py", ranks=3, files={"tokens.lock": "4117\n"}, options=("--time=1",), state="TIMEOUT")
    spin = work(1, util=100, watts=131, dram=0, tensor=0, gib=28, mhz=1980, temp=46)
    yield queue(
        bad("C2", None, fault="unknown"), UNEVEN, MEET + "srun PYTHON aug.py\n", script="aug.py", ranks=4, options=("--time=2",),
        gpus={r: card((0.0, work(49 + r, gib=28)), (13.6, spin if r != 2 else rest(28, watts=115, mhz=1980, temp=43))) for r in range(4)}, state="TIMEOUT",
    )  # fmt: skip
    still = card((0.0, work(37, gib=17, watts=370)), (11.2, rest(17, watts=116, mhz=1980, temp=44)))
    yield queue(bad("C3", None, fault="unknown"), QUIET, "srun PYTHON spectra.py\n", script="spectra.py", gpus={0: still}, act="scancel_late", after="spectra 36/", state="CANCELLED")
    yield queue(bad("D1", None), DRY, "srun PYTHON archive.py\n", script="archive.py", gpus={0: gaps(0.6, 2.5, 12)}, state="COMPLETED")
    yield queue(bad("D2", None, "save_storm"), SAVES, MEET + "srun PYTHON proj.py\n", script="proj.py", ranks=2, gpus=dict.fromkeys(range(2), gaps(0.4, 0.95, 22, gib=19)), state="COMPLETED")
    yield queue(
        bad("D3", None, fault="unknown"), LAME, MEET + "srun PYTHON fit.py\n", script="fit.py", ranks=4,
        gpus={r: wavy(59, 29, 30.0, watts=585) if r == 1 else card(*((float(s), work(14 + (s + r) % 3, util=100, watts=235 + s % 6)) for s in range(29)), (30.0, rest())) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield queue(bad("E1", "nan_loss", "non_finite"), NANNY, "srun PYTHON count.py\n", script="count.py", state="COMPLETED")
    yield queue(bad("F3", None, "advancing"), PARENT.replace("GLOB", "state.*.pt"), "srun PYTHON pcm.py\n", script="pcm.py", key="pcm", options=("--time=1", "--job-name=pcm"), state="TIMEOUT")
    yield queue(
        bad("E2", None, "from_scratch"), PARENT.replace("GLOB", "state_*.pt").replace("../pcm_runs", "runs"), 'srun PYTHON pcm.py "$@"\n', script="pcm.py",
        args=("--resume", "../pcm_runs", "--steps", "300"), parent="pcm", options=("--job-name=pcm",), state="COMPLETED",
    )  # fmt: skip
    yield queue(bad("E3", None), FEW, "srun PYTHON lstm.py\n", script="lstm.py", state="COMPLETED")
    yield queue(bad("F1", None, fault="node"), LONG, "srun PYTHON ff.py\n", script="ff.py", where="-wn4", options=("--no-requeue",), act="lose_node", after="step 60/", state="NODE_FAIL")
    yield queue(bad("F2", None, "requeued_recovered", fault="none"), AGAIN, "srun PYTHON again.py\n", script="again.py", where="-wn3", options=("--requeue", "--open-mode=append"), act="requeue", after="Epoch 07/20", state="COMPLETED")
    yield queue(bad("F4", None, "by_owner"), LONG.replace("force-field", "dipole"), "srun PYTHON dip.py\n", script="dip.py", act="scancel", after="step 160/", state="CANCELLED")
