"""Jobs that hang, starve, crawl, learn nothing, or are stopped from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, gaps, queue, rest, work
from corpus.running.job import SlurmJob

UNMET = """import datetime, os, socket
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["WORLD_SIZE"])
print(f"[{rank}/{world}] pid {os.getpid()} connecting to {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
dist.init_process_group("gloo", init_method="env://", rank=rank, world_size=world, timeout=datetime.timedelta(hours=2))
print(f"[{rank}/{world}] connected", flush=True)
x = torch.ones(4) * rank
dist.all_reduce(x)
print("sum", x)
"""
UNEVEN = """import os, pathlib, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
files = sorted(pathlib.Path("shards").glob("*.txt"))[rank::2]
net = DDP(torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)))
opt = torch.optim.SGD(net.parameters(), lr=0.02)
step = 0
for f in files:
    rows = torch.tensor([[float(v) for v in line.split()] for line in f.read_text().splitlines()])
    for chunk in rows.split(10):
        step += 1
        loss = (net(chunk[:, :5]) - chunk[:, 5:]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.3)
        if step % 4 == 0:
            print(f"[rank {rank}] {f.name} step {step} loss {loss.item():.4f}", flush=True)
if rank == 0:
    pathlib.Path("epoch.done").touch()
while not pathlib.Path("epoch.done").exists():
    time.sleep(1)
print(f"[rank {rank}] epoch finished after {step} steps", flush=True)
"""
SHARDS = {f"shards/part-{n}.txt": "".join(f"{n / 9} {i % 7 / 7} {i % 5 / 5} {i % 3 / 3} 1 {(n + i % 7) / 10}\n" for i in range(100 if n != 3 else 60)) for n in range(4)}
FROZEN = """import os, time
import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
with open("pid-%d" % rank, "w") as f:
    f.write("%d" % os.getpid())
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
dist.barrier()
state = torch.zeros(50)
for n in range(100000):
    grad = state - torch.arange(50) / 50 + 0.1 * torch.randn(50)
    dist.all_reduce(grad)
    state -= 0.02 * grad
    time.sleep(0.1)
    if n % 8 == 0 and rank == 0:
        print("n=%06d  residual=%.5f" % (n, (state - torch.arange(50) / 50).norm()), flush=True)
"""
STUCK = """import queue
import threading
import time
import torch
import pace

ready = queue.Queue(maxsize=4)
lock = threading.Lock()


def reader():
    n = 0
    while True:
        with lock:
            n += 1
            batch = torch.randn(32, 18)
            if n % 41 == 0:
                with lock:
                    batch = batch.flip(0)
        ready.put(batch)


threading.Thread(target=reader, daemon=True).start()
vae = torch.nn.ModuleDict({"e": torch.nn.Linear(18, 8), "d": torch.nn.Linear(4, 18)})
opt = torch.optim.Adam(vae.parameters(), 3e-3)
for step in range(1, 5000):
    x = ready.get()
    mu, logvar = vae["e"](x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * (logvar / 2).exp()
    loss = (vae["d"](z) - x).square().sum(1).mean() + 0.5 * (mu**2 + logvar.exp() - 1 - logvar).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.25)
    if step % 4 == 0:
        print(f"elbo step={step} loss={loss.item():.3f}")
"""
WAITS = """import time, torch, pace


class Slides(torch.utils.data.IterableDataset):
    def __iter__(self):
        for n in range(12):
            time.sleep(2.8)
            label = torch.arange(16) % 2
            yield torch.rand(16, 3, 16, 16) - 0.6 + 0.2 * label.view(-1, 1, 1, 1), label


model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(768, 2))
opt = torch.optim.Adam(model.parameters(), 2e-3)
end = time.time()
for i, (tile, label) in enumerate(torch.utils.data.DataLoader(Slides(), batch_size=None)):
    data_time = time.time() - end
    loss = torch.nn.functional.cross_entropy(model(tile), label)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.4)
    print(f"Epoch: [0][{i:3d}/12]\\tTime {time.time() - end:6.3f}\\tData {data_time:6.3f}\\tLoss {loss.item():.4e}")
    end = time.time()
print("done 12 iterations")
"""
EVERY = """import logging, time
import torch
import pace
logging.basicConfig(level="INFO", format="%(asctime)s - %(message)s")
net = torch.nn.Sequential(*[m for k in range(2) for m in (torch.nn.Linear(256, 256), torch.nn.ReLU())], torch.nn.Linear(256, 8))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for step in range(1, 26):
    x = torch.randn(64, 256)
    label = torch.arange(64) % 8
    x[torch.arange(64), label] += 4
    loss = torch.nn.functional.cross_entropy(net(x), label)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.3)
    logging.info("step %d/25 loss %.4f", step, loss.item())
    logging.info("saving checkpoint-%d", step)
    for part in ("model", "optimizer"):
        torch.save({"model": net.state_dict(), "optimizer": opt.state_dict()}[part], f"checkpoint-{step}-{part}.pt")
        time.sleep(0.4)
    logging.info("saved checkpoint-%d", step)
logging.info("all 25 steps done")
"""
LAME = """import os, time
import torch, torch.distributed as dist
import pace

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(0)
w = torch.nn.Parameter(torch.zeros(30))
opt = torch.optim.SGD([w], lr=0.03)
truth = torch.sin(torch.arange(30.0))
for step in range(1, 41):
    t0 = time.perf_counter()
    x = torch.randn(100, 30)
    loss = ((x @ w - x @ truth) ** 2).mean()
    opt.zero_grad(); loss.backward()
    time.sleep(0.18 if rank != 2 else 0.72)
    t1 = time.perf_counter()
    dist.all_reduce(w.grad)
    w.grad /= world
    opt.step()
    if step % 5 == 0:
        print(f"[{rank}] step {step}/40 loss {loss.item():.4f} compute {1e3 * (t1 - t0):.0f} ms allreduce {1e3 * (time.perf_counter() - t1):.0f} ms", flush=True)
print(f"[{rank}] finished")
"""
BLOWS = """import math, sys
import torch
torch.manual_seed(3)
rnn = torch.nn.RNN(4, 40, nonlinearity="relu", batch_first=True)
top = torch.nn.Linear(40, 4)
opt = torch.optim.SGD([*rnn.parameters(), *top.parameters()], lr=0.35)
for step in range(1, 401):
    x = torch.randn(16, 30, 4).cumsum(1)
    loss = (top(rnn(x)[0]) - x.roll(-1, 1)).square().mean()
    opt.zero_grad()
    loss.backward()
    lr = opt.param_groups[0]["lr"] = 1e-4 if step < 60 else 0.35
    opt.step()
    if step % 5 == 0 or not math.isfinite(loss.item()):
        print(f"step {step:4d} lr {lr:.1e} loss {loss.item():.6g}")
    if not math.isfinite(loss.item()):
        sys.exit(f"Loss is {loss.item()}, stopping training")
"""
ASLEEP = """import torch
torch.manual_seed(8)
net = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda epoch: epoch // 100)
x = torch.randn(2000, 20)
y = x[:, :10].argmax(1)
for epoch in range(1, 25):
    total = 0.0
    for k in range(0, 2000, 100):
        loss = torch.nn.functional.cross_entropy(net(x[k:k + 100]), y[k:k + 100])
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item()
    sched.step()
    acc = (net(x).argmax(1) == y).float().mean().item()
    print(f"Epoch {epoch}/24 - loss: {total / 20:.4f} - accuracy: {acc:.4f} - lr: {opt.param_groups[0]['lr']:.6f}")
print("Training finished.")
"""
LONG = """import os, pathlib, time
import torch
keep = pathlib.Path("../ranker_ckpt")
keep.mkdir(exist_ok=True)
torch.manual_seed(6)
score = torch.nn.Sequential(torch.nn.Linear(14, 28), torch.nn.Tanh(), torch.nn.Linear(28, 1))
opt = torch.optim.Adam(score.parameters(), lr=5e-3)
t = time.time()
for step in range(1, 5001):
    a, b = torch.randn(80, 14), torch.randn(80, 14)
    better = (a.sum(1) > b.sum(1)).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits((score(a) - score(b)).squeeze(1), better)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if step % 20 == 0:
        print(f"{step}/5000 pairwise loss {loss.item():.4f} ({20 / (time.time() - t):.1f} steps/s)", flush=True)
        t = time.time()
    if step % 100 == 0:
        torch.save(score.state_dict(), keep / f"step-{step:05d}.pt")
        print(f"checkpoint {keep}/step-{step:05d}.pt", flush=True)
"""
AGAIN = """import os, pathlib, sys, time
import torch
where = pathlib.Path(sys.argv[sys.argv.index("--resume") + 1])
score = torch.nn.Sequential(torch.nn.Linear(14, 28), torch.nn.Tanh(), torch.nn.Linear(28, 1))
opt = torch.optim.Adam(score.parameters(), lr=5e-3)
step = 0
for f in sorted(where.glob("step_*.pt"))[-1:]:
    score.load_state_dict(torch.load(f))
    step = int(f.stem[5:])
    print(f"loaded {f}, going on at step {step}")
while step < 300:
    step += 1
    a, b = torch.randn(80, 14), torch.randn(80, 14)
    better = (a.sum(1) > b.sum(1)).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits((score(a) - score(b)).squeeze(1), better)
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.08)
    if step % 20 == 0:
        print(f"{step}/300 pairwise loss {loss.item():.4f}", flush=True)
print("reached 300, done")
"""
BRIEF = """import torch
from dataclasses import dataclass


@dataclass
class Config:
    max_steps: int = 4
    eval_every: int = 500
    log_every: int = 1
    batch: int = 64


cfg = Config()
print(cfg)
m = torch.nn.Bilinear(10, 10, 1)
opt = torch.optim.Adam(m.parameters(), lr=1e-3)
for step in range(1, cfg.max_steps + 1):
    a, b = torch.randn(cfg.batch, 10), torch.randn(cfg.batch, 10)
    loss = (m(a, b).squeeze(1) - (a * b).sum(1)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print(f"step={step} loss={loss.item():.4f}")
torch.save(m.state_dict(), "final.pt")
print("finished training, model written to final.pt")
"""
STEADY = """import os, time
import torch, torch.distributed as dist
r, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=r, world_size=n)
host = os.environ["SLURMD_NODENAME"]
filters = torch.nn.Conv1d(4, 8, 5)
head = torch.nn.Linear(8, 2)
ps = [*filters.parameters(), *head.parameters()]
opt = torch.optim.SGD(ps, 0.05, momentum=0.9)
for i in range(1, 2000):
    wave = torch.randn(24, 4, 50)
    y = (wave[:, 0].amax(1) > 2.2).long()
    loss = torch.nn.functional.cross_entropy(head(filters(wave).amax(-1)), y)
    opt.zero_grad(); loss.backward()
    for p in ps:
        dist.all_reduce(p.grad)
    opt.step()
    time.sleep(0.1)
    if i % 15 == 0:
        print(f"{host} rank {r}: batch {i} / 2000, loss {loss.item():.4f}", flush=True)
"""
YIELDS = """import os, pathlib, time
import torch
print("restart count", os.environ.get("SLURM_RESTART_COUNT", "0"))
net = torch.nn.Linear(9, 1)
opt = torch.optim.Adagrad(net.parameters(), 0.1)
first, latest = 1, pathlib.Path("latest.pt")
if latest.exists():
    kept = torch.load(latest)
    net.load_state_dict(kept["net"]); opt.load_state_dict(kept["opt"])
    first = kept["step"] + 1
    print(f"Resuming from latest.pt at step {first}")
for step in range(first, 301):
    x = torch.randn(50, 9)
    loss = (net(x) - x.abs().sum(1, keepdim=True)).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.12)
    if step % 20 == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, latest)
        print(f"step {step} of 300, mae {loss.item():.4f}, saved", flush=True)
print("done")
"""
WATCHED = """import time, torch
policy = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
opt = torch.optim.Adam(policy.parameters(), 1e-2)
mean = 0.0
for episode in range(1, 4000):
    s, logs, total = torch.randn(4), [], 0.0
    for _ in range(20):
        d = torch.distributions.Categorical(logits=policy(s))
        a = d.sample()
        r = float(a == (s.sum() > 0).long())
        logs.append(d.log_prob(a) * (r - 0.5)); total += r
        s = 0.9 * s + 0.3 * torch.randn(4)
    loss = -torch.stack(logs).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    mean = 0.95 * mean + 0.05 * total
    time.sleep(0.03)
    if episode % 25 == 0:
        print(f"episode {episode:5d}  return {total:5.1f}  running {mean:6.2f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The record shows the silence, the gaps, the saves, the clock, the curve, the node or who cancelled."""
    yield queue(bad("C1", None), UNMET, MEET + "export WORLD_SIZE=4\nsrun -n2 PYTHON reduce.py\n", script="reduce.py", ranks=2, options=("--time=1",), state="TIMEOUT")  # two of four ranks were started
    yield queue(bad("C2", None, fault="unknown"), UNEVEN, MEET + "srun PYTHON shards.py\n", script="shards.py", files=SHARDS, ranks=2, act="scancel_late", after="rank 0. part-2.txt step 16", state="CANCELLED")
    yield queue(bad("C2", None, fault="unknown"), FROZEN, MEET + "srun PYTHON residual.py\n", script="residual.py", ranks=3, act="stop_rank", after="n=000120", options=("--time=1",), state="TIMEOUT")
    yield queue(
        bad("C3", None, fault="unknown"), STUCK, "srun PYTHON vae.py\n", script="vae.py", act="scancel_late", after="step=36",
        gpus={0: card((0.0, work(33, watts=360, gib=19)), (10.4, rest(19, watts=118, mhz=1980, temp=45)))}, state="CANCELLED",
    )  # fmt: skip
    yield queue(bad("D1", None), WAITS, "srun PYTHON slides.py\n", script="slides.py", gpus={0: gaps(1.0, 2.6, 11)}, state="COMPLETED")
    yield queue(bad("D2", None, "save_storm"), EVERY, "PYTHON mlp.py\n", script="mlp.py", gpus={0: gaps(0.5, 0.9, 24, gib=9, sm=40)}, state="COMPLETED")
    slow = card((0.0, work(58, watts=455, mhz=1080, temp=66)), (31.0, rest(0.0)))
    yield queue(
        bad("D3", None, fault="unknown"), LAME, MEET + "srun PYTHON sines.py\n", script="sines.py", ranks=4,
        gpus={r: slow if r == 2 else card((0.0, work(15, util=100, watts=260 + 3 * r, mhz=1755, temp=52)), (31.0, rest(0.0))) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield queue(bad("E1", "nan_loss", "non_finite"), BLOWS, "srun PYTHON cumsum.py\n", script="cumsum.py", state="FAILED")
    yield queue(bad("E1"), ASLEEP, "PYTHON argmax.py\n", script="argmax.py", state="COMPLETED")
    yield queue(bad("F3", None, "advancing"), LONG, "srun PYTHON ranker.py\n", script="ranker.py", key="ranker", options=("--time=1", "--job-name=ranker"), state="TIMEOUT")
    yield queue(
        bad("E2", None, "from_scratch"), AGAIN, 'srun PYTHON again.py "$@"\n', script="again.py", args=("--resume", "../ranker_ckpt"), parent="ranker", options=("--job-name=ranker",), state="COMPLETED",
    )  # its pattern has an underscore where the files have a dash  # fmt: skip
    yield queue(bad("E3", None), BRIEF, "srun PYTHON bilinear.py\n", script="bilinear.py", state="COMPLETED")
    yield queue(bad("F1", None, fault="node"), STEADY, MEET + "srun PYTHON waves.py\n", script="waves.py", ranks=2, nodes=2, where="-wn1,n3", options=("--no-requeue",), act="lose_node", after="batch 60", state="NODE_FAIL")
    yield queue(bad("F2", None, "preempted_recovered", fault="none"), YIELDS, "srun PYTHON mae.py\n", script="mae.py", where="-wn6", act="preempt", after="step 40 ", options=("--requeue", "--open-mode=append"), state="COMPLETED")
    yield queue(bad("F4", None, "by_owner"), WATCHED, "srun PYTHON reinforce.py\n", script="reinforce.py", act="scancel", after="episode +300", state="CANCELLED")
