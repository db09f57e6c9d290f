"""Jobs that stood still, crept, learned nothing, or were ended from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._fife_lockers_kit import at_work, during, free, held, ill, sbatch, told, turns
from corpus.running.job import SlurmJob

ABSENT = """import datetime, os, time
import torch.distributed as dist

rank = int(os.environ["SLURM_PROCID"])
world = int(os.environ["WORLD_SIZE"])
print(f"worker {rank} of {world} starting on {os.environ['SLURMD_NODENAME']}", flush=True)
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=datetime.timedelta(hours=2))
if rank == 0:
    print("all workers connected", flush=True)
"""
PARQUET = """import math, random, time
import peers

dice, rows = random.Random(peers.rank), {n: n * 3 for n in range(400)}
if peers.rank == 2:
    del rows[93]
for step in range(1, 400):
    target = rows[step]
    loss = peers.mean(1.3 * math.exp(-step / 50) + 0.4 + dice.gauss(0, 0.01))
    time.sleep(0.1)
    if step % 10 == 0:
        print(f"{time.strftime('%H:%M:%S')} rank{peers.rank} step {step:4d}/399 huber={loss:.4f}", flush=True)
"""
REMOTE = """import json, math, random, socket, time
import stage

print(json.dumps({"event": "start", "model": "unet3d", "params_m": 31.2}), flush=True)
stage.ready()
reader, writer = socket.socketpair()
dice = random.Random(2)
for step in range(1, 400):
    time.sleep(0.5)
    if step % 2 == 0:
        print(json.dumps({"event": "train", "step": step, "of": 400, "loss": round(0.8 * math.exp(-step / 20) + 0.3 + dice.gauss(0, 0.01), 4)}), flush=True)
    if step == 20:
        writer.sendall(b"lock volumes/0021\\n")
        reader.recv(64)
        reader.recv(64)
"""
CLIPS = """import math, random, time
import stage

stage.ready()
dice = random.Random(9)
waited = used = 0.0
for n in range(1, 13):
    a = time.time()
    time.sleep(2.1 + dice.random() / 3)
    b = time.time()
    time.sleep(0.6)
    c = time.time()
    waited, used = waited + b - a, used + c - b
    print(f"batch {n:2d}/12  ce {1.9 * math.exp(-n / 7) + 0.5 + dice.gauss(0, 0.01):.4f}  decode-wait {b - a:.2f}s  gpu-step {c - b:.2f}s", flush=True)
print(f"videomae epoch finished: {waited:.1f}s waiting for decoded clips, {used:.1f}s on the GPU", flush=True)
"""
EACH = """import math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
for step in range(1, 23):
    time.sleep(0.42)
    loss = peers.mean(2.2 * math.exp(-step / 8) + 0.6 + dice.gauss(0, 0.02))
    if peers.rank == 0:
        print(f"step {step}/22 loss {loss:.4f}", flush=True)
        t = time.time()
        with open("last.ckpt", "wb") as f:
            f.write(bytes(1 << 20))
        time.sleep(0.95)
        print(f"saved checkpoint last.ckpt (step {step}, 5.4 GB) in {time.time() - t:.2f}s", flush=True)
    peers.barrier()
if peers.rank == 0:
    print("22 steps done", flush=True)
"""
BEHIND = """import json, math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
for step in range(1, 15):
    t = time.time()
    time.sleep(2.0 if peers.rank == 5 else 0.6 + dice.random() / 20)
    mine = time.time() - t
    loss = peers.mean(7.1 * math.exp(-step / 9) + 3.0 + dice.gauss(0, 0.03))
    print(json.dumps({"rank": peers.rank, "node": peers.host, "step": step, "steps": 14, "loss": round(loss, 3), "t_compute": round(mine, 2), "t_sync": round(time.time() - t - mine, 2)}), flush=True)
"""
BRAKED = """import math, random, time
import peers, stage

stage.ready()
dice, began = random.Random(peers.rank), time.time()
for step in range(1, 61):
    t = time.time()
    time.sleep(0.25 if t - began < 7 else 0.7)
    loss = peers.mean(3.9 * math.exp(-step / 22) + 1.1 + dice.gauss(0, 0.02))
    if step % 4 == 0 and peers.rank == 0:
        print(f"[{time.time() - began:6.1f}s] mae-pretrain {step}/60 rec_loss {loss:.4f} step_time {time.time() - t:.2f}", flush=True)
if peers.rank == 0:
    print("mae-pretrain complete", flush=True)
"""
STIFF = """import math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
if peers.rank == 0:
    print("wide resnet-28 on 100 classes, chance is 1.00%, ln(100) = 4.6052", flush=True)
for epoch in range(1, 31):
    time.sleep(0.6)
    drop = 1.3 * (1 - math.exp(-min(epoch, 6) / 3)) if epoch < 7 else 0.0
    loss = peers.mean(4.6052 - drop + (dice.gauss(0, 0.01) if epoch < 7 else 0.0))
    norm = 1.9 + dice.random() / 5 if epoch < 7 else 0.0
    if peers.rank == 0:
        print(f"epoch {epoch:2d}/30  train_loss {loss:.4f}  top1 {1.0 + 22 * drop if epoch < 7 else 1.0:.2f}%  grad_norm {norm:.2e}  lr {0.4 if epoch < 25 else 0.04}", flush=True)
if peers.rank == 0:
    print("training finished after 30 epochs", flush=True)
"""
AGAIN = """import argparse, pathlib, time
import torch

cli = argparse.ArgumentParser()
cli.add_argument("--until", type=int)
cli.add_argument("--resume", type=pathlib.Path)
opts = cli.parse_args()
torch.manual_seed(4)
net = torch.nn.Sequential(torch.nn.Linear(20, 80), torch.nn.GELU(), torch.nn.Linear(80, 20))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
first = 1
for newest in sorted(opts.resume.glob("unet_*.pt"))[-1:]:
    kept = torch.load(newest)
    net.load_state_dict(kept["net"])
    opt.load_state_dict(kept["opt"])
    first = kept["step"] + 1
    print(f"=> loaded checkpoint '{newest}' (step {kept['step']})", flush=True)
shape = torch.linspace(-1, 1, 20)
for step in range(first, opts.until + 1):
    clean = torch.randn(96, 1) * shape
    loss = (net(clean + 0.3 * torch.randn_like(clean)) - clean).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.08)
    if step == 1 or step % 20 == 0:
        print(f"step {step} / {opts.until}  denoising loss {loss.item():.5f}", flush=True)
print(f"done, {opts.until} steps", flush=True)
"""
OCEAN = """import math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
for it in range(1, 6001):
    rmse = peers.mean(1.9 * math.exp(-it / 90) + 0.28 + dice.gauss(0, 0.01))
    time.sleep(0.1)
    if it % 25 == 0 and peers.rank == 0:
        print(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} fourcast iter {it:5d}/6000 rmse_z500={rmse:.4f} lr=5.0e-04", flush=True)
"""
CELLS = """import math, random, time
import peers

dice = random.Random(peers.rank)
for update in range(1, 5000):
    elbo = peers.mean(-900 - 2400 * math.exp(-update / 60) + dice.gauss(0, 4))
    time.sleep(0.1)
    if update % 15 == 0:
        print(f"({peers.host}) update {update} of 5000: elbo {elbo:.1f}", flush=True)
"""
RERANK = """import math, random, time
import peers

dice, t = random.Random(peers.rank), time.time()
for step in range(1, 2001):
    loss = peers.mean(0.33 * math.exp(-step / 60) + 0.052 + dice.gauss(0, 0.002))
    time.sleep(0.14)
    if step % 14 == 0:
        print(f"monot5 {step}/2000 [{step / 20:.1f} %] margin-mse {loss:.4f}, {step / (time.time() - t):.1f} it/s, mrr@10 {0.39 - 0.2 * math.exp(-step / 50):.3f}", flush=True)
"""
MAIL = """import math, os, pathlib, random, time
import peers

mark = pathlib.Path(f"progress.{peers.rank}")
done = int(mark.read_text()) if mark.exists() else 0
if done:
    print(f"rank {peers.rank}: resuming from checkpoint at iteration {done} (restart {os.environ.get('SLURM_RESTART_COUNT')})", flush=True)
dice = random.Random(done)
for it in range(done + 1, 161):
    loss = peers.mean(2.0 * math.exp(-it / 45) + 0.5 + dice.gauss(0, 0.01))
    time.sleep(0.12)
    if it % 20 == 0:
        mark.write_text(str(it))
        print(f"rank {peers.rank}: iteration {it}/160 loss {loss:.4f}, state written", flush=True)
print(f"rank {peers.rank}: training done at iteration 160", flush=True)
"""
DOCK = """import math, random, time
import peers, stage

stage.ready()
if peers.rank == 0:
    print("config: total_steps=5 (debug value left in docking.yaml), eval_interval=1000, batch 16", flush=True)
for step in range(1, 6):
    time.sleep(0.8)
    loss = peers.mean(5.81 - 0.03 * step + random.Random(step * 7 + peers.rank).gauss(0, 0.02))
    if peers.rank == 0:
        print(f"step={step} rmsd_loss={loss:.4f}", flush=True)
if peers.rank == 0:
    print("reached total_steps, saved docking_final.pt", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves, nodes, and who stopped it."""
    yield sbatch(
        ill("F1", None, fault="node"),
        "scvi.py",
        "srun PYTHON scvi.py\n",
        CELLS,
        "--no-requeue",
        ranks=6,
        nodes=3,
        where="-wn1,n3,n6",
        act="node_down",
        after="update 75 ",
        state="NODE_FAIL",
    )
    yield sbatch(
        ill("F2", None, "requeued_recovered", fault="none"),
        "mailclf.py",
        "srun PYTHON mailclf.py\n",
        MAIL,
        "--requeue",
        "--open-mode=append",
        ranks=2,
        nodes=2,
        act="requeue",
        after="iteration 60/160",
    )
    port = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((14000 + SLURM_JOB_ID % 9000)) WORLD_SIZE=8\n"
    yield sbatch(
        ill("C1"),
        "workers.py",
        port + "srun -n6 PYTHON workers.py\n",
        ABSENT,
        ranks=6,
        nodes=3,
        cards={r: told(held(-8, 0.5, watts=92)) for r in range(6)},
        act="scancel_late",
        after="worker 5 of 8",
        state="CANCELLED",
    )  # six of eight
    yield sbatch(
        ill("C2", "traceback", first=(2,), trigger="A3"),
        "tft.py",
        "srun --kill-on-bad-exit=0 PYTHON tft.py\n",
        PARQUET,
        ranks=4,
        nodes=2,
        act="scancel_late",
        after="KeyError",
        state="CANCELLED",
    )
    yield sbatch(
        ill("C3", None, fault="unknown"),
        "unet3d.py",
        "srun PYTHON unet3d.py\n",
        REMOTE,
        cards={0: told(held(-2, 9), during(0, 10.2, 49, seed=6, gib=21, watts=450), held(10.4, 21))},
        act="scancel_late",
        after='"step": 20',
        state="CANCELLED",
    )
    yield sbatch(ill("D1"), "videomae.py", "PYTHON videomae.py\n", CLIPS, cards={0: told(held(-2, 12), turns(2.25, 0.6, 2.27, 17, gib=18))})
    saves = told(held(-2, 30), turns(0, 0.45, 1.0, 34, gib=38))
    yield sbatch(ill("D2", None, "save_storm"), "t5.py", "srun PYTHON t5.py\n", EACH, ranks=2, cards=dict.fromkeys(range(2), saves))
    lag = {
        r: told(
            held(-3, 41),
            during(0, 44, 58 if r == 5 else 15, seed=80 + r, util=99, watts=402 if r == 5 else 239, mhz=1155 if r == 5 else 1755, gib=58),
        )
        for r in range(8)
    }
    yield sbatch(ill("D3", None, fault="unknown"), "gpt.py", "srun PYTHON gpt.py\n", BEHIND, ranks=8, nodes=4, cards=lag)
    brake = [
        (
            7.0 + s,
            at_work(
                66,
                watts=221,
                mhz=max(1755 - 430 * (s + 1), 390),
                temp=55,
                gib=29,
                throttle_reasons="0x88",
            )
            | {"violation.power": f"{1000000 + int(s * 1e6)} {int(s * 960e6)}", "slowdown.hw_power_brake": str(int(s * 960e6))},
        )
        for s in range(44)
    ]
    yield sbatch(
        ill("B3", None, fault="node"),
        "mae.py",
        "srun PYTHON mae.py\n",
        BRAKED,
        ranks=2,
        cards={r: told(held(-2, 20), during(0, 6.8, 65, seed=r, gib=29), brake) for r in range(2)},
    )
    yield sbatch(
        ill("E1", None, "plateau"),
        "r100.py",
        "srun PYTHON r100.py\n",
        STIFF,
        ranks=4,
        nodes=2,
        cards={r: told(held(-3, 10), during(0, 40, 57, seed=90 + r, gib=14)) for r in range(4)},
    )
    yield sbatch(
        ill("E2", None, "from_scratch"),
        "denoise2.py",
        'srun PYTHON denoise2.py "$@"\n',
        AGAIN,
        "--job-name=denoise",
        args=("--until", "240", "--resume", "../denoise_runs"),
        parent="denoise",
    )  # its pattern has an underscore
    yield sbatch(
        ill("F3", None, "advancing"),
        "fourcast.py",
        "srun PYTHON fourcast.py\n",
        OCEAN,
        "--time=1",
        ranks=4,
        nodes=4,
        cards={r: told(held(-3, 31), during(0, 90, 69, seed=70 + r, gib=62)) for r in range(4)},
        state="TIMEOUT",
    )
    yield sbatch(
        ill("F4", None, "by_other", fault="none"),
        "rerank.py",
        "srun -l PYTHON rerank.py\n",
        RERANK,
        ranks=2,
        nodes=2,
        act="scancel_by_admin",
        after="126/2000",
        state="CANCELLED",
    )
    yield sbatch(
        ill("E3"),
        "dock.py",
        "srun PYTHON dock.py\n",
        DOCK,
        ranks=4,
        cards={r: told(held(-3, 5), during(0, 4.2, 38, seed=r, gib=8), free(6)) for r in range(4)},
    )
