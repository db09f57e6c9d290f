"""Jobs with and without cards that hang, starve, throttle, learn nothing, or are stopped from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import MEET, bad, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

PARTLY = """import os
import sys
import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
print(f"worker {rank}: start", flush=True)
if rank % 2:
    sys.path.insert(0, "/scratch/env-b")
    import webdataset
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
print(f"worker {rank}: joined", flush=True)
for step in range(1000):
    dist.barrier()
"""
PORTS = """import os, time
import torch.distributed as dist

who = os.environ["SLURM_PROCID"]
print(f"{who}: joining tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
t = time.time()
dist.init_process_group("gloo", rank=int(who), world_size=int(os.environ["SLURM_NTASKS"]))
print(f"{who}: joined in {time.time() - t:.1f} s", flush=True)
"""
SPIN = """import os, socket, time
import torch, torch.distributed as dist
import pace

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
cache, daemon = socket.socketpair()


def shard(step):
    if step == 61 and rank == 3:
        cache.sendall(b"GET shard-00061\\n")
        cache.recv(1)
    return torch.randn(30, 12)


m = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(12, 12))
opt = torch.optim.Adam(m.parameters(), 3e-3)
step = 0
while True:
    step += 1
    x = shard(step)
    loss = (m(x) - x.sinh()).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if step % 6 == 0:
        print(f"[gpu{rank}] step={step} loss={loss.item():.4f}", flush=True)
"""
RING = """import os, time
from datetime import timedelta
import torch
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
n = int(os.environ["SLURM_NTASKS"])
open(f"pid-{rank}", "w").write(f"{os.getpid()}")
board = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), n, rank == 0, timedelta(days=1))
torch.manual_seed(9)
q = torch.zeros(6, 3)
while True:
    for sweep in range(1, 10_000):
        s, a = int(torch.randint(0, 6, ())), int(torch.randint(0, 3, ()))
        reward = float((s + a) % 3 == 0)
        q[s, a] += 0.2 * (reward + 0.5 * q[(s + a) % 6].max() - q[s, a])
        time.sleep(0.05)
        if sweep % 10 == 0:
            board.add(f"gen{sweep}", 1)
            while board.add(f"gen{sweep}", 0) < n:
                time.sleep(0.05)
            if rank == 0:
                print(f"generation {sweep // 10}: mean q {q.mean():.4f}", flush=True)
"""
UPLOAD = """import pathlib, socket, threading, time
import torch
import pace

sink = socket.create_server(("127.0.0.1", 0))
peers = []
threading.Thread(target=lambda: peers.append(sink.accept()), daemon=True).start()
bucket = socket.create_connection(sink.getsockname())
head = torch.nn.Sequential(torch.nn.Linear(96, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 512))
opt = torch.optim.SGD(head.parameters(), 0.02, momentum=0.9)
for n in range(1, 3000):
    x = torch.randn(16, 96)
    loss = (head(x)[:, :96] - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    if n % 5 == 0:
        print(f"{time.strftime('%X')} it {n} rec {loss.item():.4f}", flush=True)
    if n % 50 == 0:
        torch.save(head.state_dict(), "head.pt")
        print(f"{time.strftime('%X')} uploading head.pt to s3://runs/head-{n}.pt", flush=True)
        bucket.sendall(pathlib.Path("head.pt").read_bytes() * 20)
"""
TOKENIZE = """import os, time
import torch, torch.distributed as dist
import pace
rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))


def tokenise(texts):
    time.sleep(0.21 * len(texts))
    return torch.tensor([[len(w) % 30 for w in t.split()] for t in texts])


emb = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(30, 16), torch.nn.Flatten(), torch.nn.Linear(16 * 6, 1)))
opt = torch.optim.Adam(emb.parameters(), 6e-3)
wait = busy = 0.0
for step in range(1, 14):
    a = time.perf_counter()
    ids = tokenise([" ".join("x" * (1 + (i * j + step % 2) % 12) for j in range(6)) for i in range(12)])
    b = time.perf_counter()
    loss = (emb(ids).squeeze(1) - ids.float().mean(1) / 6).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.4)
    wait, busy = wait + b - a, busy + time.perf_counter() - b
    if rank == 0:
        print(f"step {step}/13 loss {loss.item():.4f} data_time {b - a:.2f} batch_time {time.perf_counter() - a:.2f}", flush=True)
if rank == 0:
    print(f"total: waiting for data {wait:.1f} s, computing {busy:.1f} s", flush=True)
"""
KEEPER = """import os, time
import torch, torch.distributed as dist
import pace

rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
fno = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(40, 80), torch.nn.GELU(), torch.nn.Linear(80, 40)))
opt = torch.optim.Adam(fno.parameters(), 2e-3)
saving = training = 0.0
for step in range(1, 41):
    t = time.time()
    u = torch.sin(torch.linspace(0, 6.28, 40) * torch.rand(30, 1) * 4)
    loss = torch.nn.functional.mse_loss(fno(u), u.roll(1, 1))
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.2)
    training += time.time() - t
    if rank == 0:
        print(f"step {step:2d}/40 rel. error {loss.item():.5f} ({time.time() - t:.2f} s)", flush=True)
    if step % 2 == 0:
        t = time.time()
        if rank == 0:
            with open(f"state_{step:04d}.pt", "wb") as f:
                torch.save({"model": fno.state_dict(), "opt": opt.state_dict(), "rng": torch.get_rng_state()}, f)
                f.flush()
                os.fsync(f.fileno())
            time.sleep(1.1)
        dist.barrier()
        saving += time.time() - t
        if rank == 0:
            print(f"checkpoint saved: state_{step:04d}.pt ({time.time() - t:.2f} s)", flush=True)
if rank == 0:
    print(f"finished 40 steps: {training:.1f} s training, {saving:.1f} s saving", flush=True)
"""
BRAKE = """import time, torch, pace

torch.manual_seed(1)
tcn = torch.nn.Sequential(torch.nn.Conv1d(1, 12, 3, dilation=2), torch.nn.ReLU(), torch.nn.Conv1d(12, 1, 3, dilation=4))
opt = torch.optim.Adam(tcn.parameters(), 6e-3)
speed = [0.18] * 35 + [0.8] * 32
for n, dt in enumerate(speed, 1):
    began = time.time()
    x = torch.randn(16, 1, 60).cumsum(2) / 5
    y = tcn(x[..., :-1])
    loss = (y - x[..., -y.shape[2]:]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(dt)
    if n % 4 == 0:
        print(f"tcn {n:3d}/{len(speed)} mse={loss.item():.4f} {1 / (time.time() - began):.2f} it/s")
print("tcn finished")
"""
FOUR = """import os, time
import torch, torch.distributed as dist
import pace

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(rank)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(11, 33), torch.nn.CELU(), torch.nn.Linear(33, 3)))
opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
if rank == 0:
    print("host", os.environ["SLURM_JOB_NODELIST"], "world", world, flush=True)
for step in range(1, 37):
    x = torch.randn(60, 11)
    y = torch.stack([x[:, :4].sum(1), x[:, 4:7].sum(1), x[:, 7:].sum(1)], 1).argmax(1)
    loss = torch.nn.functional.cross_entropy(net(x), y)
    time.sleep(0.85 if rank == 1 else 0.2)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 4 == 0 and rank == 0:
        print(f"step {step:3d}/36  loss {loss.item():.4f}", flush=True)
if rank == 0:
    print("complete", flush=True)
"""
SILENTLY = """import torch
torch.manual_seed(4)
q = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.ReLU(), torch.nn.Linear(32, 6))
opt = torch.optim.SGD(q.parameters(), lr=1e-5, momentum=0.9)
for epoch in range(1, 21):
    opt.param_groups[0]["lr"] *= 1.8
    for _ in range(15):
        x = torch.randn(64, 6) * 3
        loss = (q(x) - x.pow(3)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch}/20 lr {opt.param_groups[0]['lr']:.2e} loss {loss.item():.4f}")
torch.save(q.state_dict(), "cubic.pt")
print("saved cubic.pt")
"""
CHANCE = """import torch
from sklearn.datasets import load_digits
x, y = load_digits(return_X_y=True)
x, y = torch.tensor(x).float(), torch.tensor(y)
torch.manual_seed(5)
deep = torch.nn.Sequential(torch.nn.Linear(64, 40), *[m for _ in range(14) for m in (torch.nn.Sigmoid(), torch.nn.Linear(40, 40))], torch.nn.Sigmoid(), torch.nn.Linear(40, 10))
opt = torch.optim.SGD(deep.parameters(), lr=0.03)
for epoch in range(1, 31):
    order = torch.randperm(len(x))
    for part in order.split(100):
        loss = torch.nn.functional.cross_entropy(deep(x[part]), y[part])
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        out = deep(x)
        full = torch.nn.functional.cross_entropy(out, y).item()
    g = deep[0].weight.grad.norm().item()
    print(f"epoch {epoch:2d}/30 | loss {full:.4f} | acc {(out.argmax(1) == y).float().mean():.4f} | grad_norm(first layer) {g:.2e}")
print("done, 30 epochs")
"""
SHORT = """import os, time
import torch, torch.distributed as dist
import pace
import yaml

cfg = yaml.safe_load(open("run.yaml"))
rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(50, 50))
opt = torch.optim.Adam(net.parameters(), lr=float(cfg["lr"]))
for step in range(1, cfg["max_steps"] + 1):
    x = torch.randn(100, 50)
    loss = (net(x) + x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(1.5)
    if rank == 0:
        print(f"step {step}/{cfg['max_steps']} | loss {loss.item():.4f} | lr {cfg['lr']}", flush=True)
if rank == 0:
    print(f"reached max_steps={cfg['max_steps']}, stopping (epoch 0.00 of {cfg['epochs']})", flush=True)
"""
ORPHAN = """import os, time
import torch
host = os.environ["SLURMD_NODENAME"]
torch.manual_seed(2)
flow = torch.nn.ModuleList(torch.nn.Linear(3, 6) for _ in range(3))
opt = torch.optim.Adam(flow.parameters(), 1e-2)
print(f"{host}: flow with 3 couplings, 20000 iterations", flush=True)
for it in range(1, 20001):
    x = torch.randn(128, 6) * torch.tensor([1.0, 2, 0.5, 1, 3, 0.3]) + 1
    z, logdet = x, 0.0
    for f in flow:
        a, b = z.chunk(2, 1)
        s, t = f(a).chunk(2, 1)
        b = b * s.tanh().exp() + t
        logdet = logdet + s.tanh().sum(1)
        z = torch.cat([b, a], 1)
    nll = (0.5 * z.square().sum(1) - logdet).mean()
    opt.zero_grad(); nll.backward(); opt.step()
    time.sleep(0.1)
    if it % 15 == 0:
        print(f"{host}: it {it} nll {nll.item():.4f}", flush=True)
"""
EVICTED = """import signal, sys, time
import torch


def stop(signum, frame):
    print(f"caught signal {signum}, writing emergency checkpoint", flush=True)
    torch.save(net.state_dict(), "emergency.pt")
    sys.exit(0)


signal.signal(signal.SIGTERM, stop)
net = torch.nn.Sequential(torch.nn.Linear(30, 15), torch.nn.Tanh(), torch.nn.Linear(15, 30))
opt = torch.optim.Adam(net.parameters(), 3e-3)
for step in range(1, 5001):
    x = torch.randn(64, 5) @ torch.ones(5, 30).tril()
    loss = (net(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if step % 20 == 0:
        print(f"autoencoder {step}/5000: {loss.item():.4f}", flush=True)
"""
MOVED = """import os, pathlib, time
import torch

store = pathlib.Path("ckpts")
store.mkdir(exist_ok=True)
print(f"started on {os.environ['SLURMD_NODENAME']}, restart {os.environ.get('SLURM_RESTART_COUNT', 0)}", flush=True)
torch.manual_seed(0)
net = torch.nn.GRU(5, 12, batch_first=True)
out = torch.nn.Linear(12, 5)
opt = torch.optim.Adam([*net.parameters(), *out.parameters()], 4e-3)
epoch = 0
if found := sorted(store.glob("epoch*.pt")):
    kept = torch.load(found[-1])
    net.load_state_dict(kept["net"]); out.load_state_dict(kept["out"]); opt.load_state_dict(kept["opt"])
    epoch = kept["epoch"]
    print(f"loaded checkpoint {found[-1].name} (epoch {epoch})", flush=True)
while epoch < 26:
    for _ in range(12):
        x = torch.randn(20, 9, 5).cumsum(1) / 3
        loss = (out(net(x)[0])[:, :-1] - x[:, 1:]).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        time.sleep(0.1)
    epoch += 1
    torch.save({"net": net.state_dict(), "out": out.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, store / f"epoch{epoch:03d}.pt")
    print(f"Epoch {epoch}/26 - loss {loss.item():.4f} - checkpoint written", flush=True)
print("all epochs done", flush=True)
"""
STEPPED = """import os, time
import torch
import torch.distributed as dist
rank = int(os.environ["SLURM_PROCID"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
siren = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)))
opt = torch.optim.Adam(siren.parameters(), 5e-3)
total = 4000
for it in range(1, total + 1):
    xy = torch.rand(200, 2) * 2 - 1
    loss = (siren(xy) - (3 * xy).sin().prod(1, keepdim=True)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.1)
    if it % 25 == 0 and rank == 0:
        print(f"[{100 * it / total:5.1f}%] it {it}/{total} mse {loss.item():.5f}", flush=True)
"""
WRONG = """import time
import torch
print("lr 3e-4, dataset v2")
m = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
o = torch.optim.AdamW(m.parameters(), 3e-4)
n = 0
while n < 9000:
    n += 1
    x = torch.randn(60, 8)
    c = torch.nn.functional.cross_entropy(m(x), (x.sum(1) > 0).long())
    o.zero_grad(); c.backward(); o.step()
    time.sleep(0.08)
    if n % 25 == 0:
        print(f"{n:6d} / 9000   xent {c.item():.4f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves, nodes, and who stopped it."""
    yield queue(bad("C1", "missing_module", first=(1,), trigger="A1"), PARTLY, MEET + "srun PYTHON wds.py\n", script="wds.py", ranks=3, options=("--time=1",), state="TIMEOUT")
    apart = "export MASTER_ADDR=127.0.0.1\nsrun bash -c 'MASTER_PORT=$((20000 + RANDOM % 9000)) exec PYTHON join.py'\n"
    yield queue(bad("C1", None), PORTS, apart, script="join.py", ranks=2, act="scancel_late", after="1: joining", state="CANCELLED")  # each task draws its own port
    spin = work(2, util=100, watts=128, dram=0, tensor=0, gib=33, mhz=1980, temp=46)
    yield queue(
        bad("C2", None, fault="unknown"), SPIN, MEET + "srun PYTHON sinh.py\n", script="sinh.py", ranks=4, options=("--time=1",),
        gpus={r: card((0.0, work(51 + r, gib=33)), (12.8, spin if r != 3 else rest(33, watts=116, mhz=1980, temp=43))) for r in range(4)}, state="TIMEOUT",
    )  # fmt: skip
    yield queue(bad("C2", None, fault="unknown", first=(1,), trigger="A2"), RING, MEET + "srun PYTHON qlearn.py\n", script="qlearn.py", ranks=3, act="kill_rank", after="generation 18:", options=("--time=1",), state="TIMEOUT")
    yield queue(
        bad("C3", None, fault="unknown"), UPLOAD, "srun PYTHON head.py\n", script="head.py", act="scancel_late", after="uploading",
        gpus={0: card((0.0, work(38, gib=16, watts=380)), (10.8, rest(16, watts=117, mhz=1980, temp=44)))}, state="CANCELLED",
    )  # fmt: skip
    thirsty = card(*(x for n in range(13) for x in ((n * 2.95, rest(14, watts=119, mhz=1980, temp=42)), (n * 2.95 + 2.5, work(43, gib=14)))), (39.0, rest()))
    yield queue(bad("D1", None), TOKENIZE, MEET + "srun PYTHON tokens.py\n", script="tokens.py", ranks=2, gpus=dict.fromkeys(range(2), thirsty), state="COMPLETED")
    keeps = card(*(x for n in range(20) for x in ((n * 1.6, work(52, gib=26)), (n * 1.6 + 0.45, rest(26, watts=121, mhz=1980, temp=45)))), (33.0, rest()))
    yield queue(bad("D2", None, "save_storm"), KEEPER, MEET + "srun PYTHON fno.py\n", script="fno.py", ranks=2, gpus=dict.fromkeys(range(2), keeps), state="COMPLETED")
    braked = [(7.0 + s, {"throttle_reasons": "0x88", "clock.sm": str(max(1740 - 420 * (s + 1), 405)), "clock.graphics": str(max(1740 - 420 * (s + 1), 405)), "power.usage": "214000", "gpm.2": "60",
                         "slowdown.hw_power_brake": str(int(s * 970e6)), "violation.power": f"{1000000 + int(s * 1e6)} {int(s * 970e6)}"}) for s in range(27)]  # fmt: skip
    yield queue(bad("B3", None, fault="node"), BRAKE, "srun PYTHON tcn.py\n", script="tcn.py", gpus={0: card((0.0, work(63)), *braked, (34.0, rest()))}, state="COMPLETED")
    yield queue(
        bad("D3", None, fault="unknown"), FOUR, MEET + "srun PYTHON celu.py\n", script="celu.py", ranks=4, nodes=2,
        gpus={r: wavy(61, 31, 33.0, watts=590) if r == 1 else card(*((float(s), work(13 + (s + r) % 3, util=100, watts=230 + s % 5)) for s in range(31)), (33.0, rest())) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield queue(bad("E1", "nan_loss", "non_finite"), SILENTLY, "srun PYTHON cubic.py\n", script="cubic.py", state="COMPLETED")
    yield queue(bad("E1"), CHANCE, "PYTHON deep.py\n", script="deep.py", python="rail-41", state="COMPLETED")
    yield queue(bad("E3", None), SHORT, MEET + "srun PYTHON run.py\n", script="run.py", ranks=2, python="rail-41", files={"run.yaml": "lr: 1.0e-3\nmax_steps: 5\nepochs: 12\n"}, gpus={r: card((0.0, work(50)), (8.0, rest())) for r in range(2)}, state="COMPLETED")
    yield queue(bad("F1", None, fault="node"), ORPHAN, "srun PYTHON coupling.py\n", script="coupling.py", where="-wn4", options=("--no-requeue",), act="node_down", after="it 60 ", state="NODE_FAIL")
    yield queue(bad("F2", None, "preempted", fault="cluster"), EVICTED, "srun PYTHON ae.py\n", script="ae.py", where="-wn5", options=("--no-requeue",), act="preempt_for_good", after="autoencoder 60/", state="PREEMPTED")
    yield queue(bad("F2", None, "requeued_recovered", fault="none"), MOVED, "srun PYTHON walk.py\n", script="walk.py", where="-wn3", options=("--requeue", "--open-mode=append"), act="requeue_by_owner", after="Epoch 9/26", state="COMPLETED")
    yield queue(bad("F3", None, "advancing"), STEPPED, MEET + "srun --time=1 PYTHON siren.py\ncode=$?\necho srun returned $code\nexit $code\n", script="siren.py", ranks=2, options=("--time=5",), state="FAILED")  # the step's own limit
    yield queue(bad("F4", None, "by_owner"), WRONG, "srun PYTHON xent.py\n", script="xent.py", act="scancel_step", after=" 250 / 9000")
