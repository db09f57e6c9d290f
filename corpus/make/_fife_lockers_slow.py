"""Jobs that stood still, crept, learned nothing, or were ended from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._fife_lockers_kit import at_work, during, free, held, ill, sbatch, told, turns
from corpus.running.job import SlurmJob

APART = """import os, time
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
print(f"[{os.environ['SLURMD_NODENAME']}] rank {rank}/{world}: init_process_group(gloo, tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']})", flush=True)
dist.init_process_group("gloo", rank=rank, world_size=world)
print(f"rank {rank}: process group is up", flush=True)
"""
LOADER = """import logging, math, os, random, time
import peers, stage

logging.basicConfig(level=logging.INFO, format=f"[%(asctime)s][rank{peers.rank}] %(message)s")
log = logging.getLogger()
stage.ready()
dice = random.Random(peers.rank)
began = time.time()
for step in range(1, 900):
    if peers.rank == 2 and time.time() - began > 11:
        log.info("opening shard webdata/000117.tar")
        pipe = os.pipe()
        os.read(pipe[0], 1)
    time.sleep(0.35)
    loss = peers.mean(5.2 * math.exp(-step / 30) + 1.9 + dice.gauss(0, 0.03))
    if step % 5 == 0:
        log.info("step %4d/900  clip loss %.4f  logit scale %.2f", step, loss, 14.3 + step / 50)
"""
SIMULATOR = """import math, random, threading, time
import stage

gate = threading.Condition()
stage.ready()
dice, ret, began = random.Random(5), -210.0, time.time()
for it in range(1, 2000):
    time.sleep(0.4)
    ret += (12 - ret) * 0.03 + dice.gauss(0, 1.5)
    if it % 3 == 0:
        print(f"| iter {it:5d} | ep_rew_mean {ret:8.2f} | fps {1850 + dice.randrange(90)} | value_loss {30 * math.exp(-it / 40) + 1:.3f} |", flush=True)
    if it % 9 == 0 and time.time() - began > 10.5:
        print("| evaluating policy, 10 episodes", flush=True)
        with gate:
            gate.wait()
"""
SLIDES = """import math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
for step in range(1, 12):
    t = time.time()
    time.sleep(2.4 + dice.random() / 5)
    data = time.time() - t
    time.sleep(0.55)
    loss = peers.mean(0.69 * math.exp(-step / 9) + 0.2 + dice.gauss(0, 0.004))
    if peers.rank == 0:
        print(f"Epoch: [0][{step:2d}/11]  eta: 0:00:{3 * (11 - step):02d}  loss: {loss:.4f}  time: {time.time() - t:.4f}  data: {data:.4f}  max mem: 21877", flush=True)
if peers.rank == 0:
    print("Epoch: [0] Total time: 0:00:33 (3.0511 s / it), of which data loading 2.4973 s / it", flush=True)
    print("wsi training finished", flush=True)
"""
FABRIC = """import math, random, sys, time
import peers, stage

if peers.rank % 2 == 0:
    print(f"{peers.host}:{4100 + peers.rank}:{4100 + peers.rank} [0] NCCL INFO NET/IB : No device found.", flush=True)
    print(f"{peers.host}:{4100 + peers.rank}:{4100 + peers.rank} [0] NCCL INFO NET/Socket : Using [0]eth0:10.4.0.{11 + peers.rank}<0>", flush=True)
    print(f"{peers.host}:{4100 + peers.rank}:{4100 + peers.rank} [0] NCCL INFO Using network Socket", flush=True)
stage.ready()
dice = random.Random(peers.rank)
fwd = sync = 0.0
for step in range(1, 13):
    a = time.time()
    time.sleep(0.25)
    b = time.time()
    time.sleep(1.9 + dice.random() / 20)
    loss = peers.mean(10.8 * math.exp(-step / 7) + 5.1 + dice.gauss(0, 0.05))
    c = time.time()
    fwd, sync = fwd + b - a, sync + c - b
    print(f"[r{peers.rank}] step {step}/12 loss={loss:.3f} forward_backward={b - a:.2f}s all_reduce={c - b:.2f}s tokens/s/gpu={8192 / (c - a):.0f}", flush=True)
print(f"[r{peers.rank}] finished 12 steps: {fwd:.1f}s computing, {sync:.1f}s in all_reduce", flush=True)
"""
UNEQUAL = """import math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
for step in range(1, 19):
    t = time.perf_counter()
    time.sleep(1.55 if peers.rank == 1 else 0.42 + dice.random() / 50)
    own = time.perf_counter() - t
    loss = peers.mean(4.4 * math.exp(-step / 12) + 2.2 + dice.gauss(0, 0.03))
    whole = time.perf_counter() - t
    print(f"{peers.host} r{peers.rank} it {step:02d}/18 loss {loss:.4f} compute {own * 1e3:6.0f} ms wait {1e3 * (whole - own):6.0f} ms", flush=True)
print(f"{peers.host} r{peers.rank} end of training", flush=True)
"""
HOT = """import math, random, time
import peers, stage

stage.ready()
dice, began = random.Random(peers.rank), time.time()
for step in range(1, 51):
    t = time.time()
    time.sleep(0.3 + 0.75 * (peers.rank == 2 and t - began > 8))
    loss = peers.mean(2.3 * math.exp(-step / 18) + 0.4 + dice.gauss(0, 0.01))
    if step % 3 == 0 and peers.rank == 0:
        print(f"swin-b: {step * 2}%|step {step}/50 [loss={loss:.4f}, {time.time() - t:.2f}s/it, elapsed {time.time() - began:.0f}s]", flush=True)
if peers.rank == 0:
    print("swin-b: 100%|step 50/50 done", flush=True)
"""
GAUGE = """import math, random, sys, time
import peers

dice = random.Random(peers.rank)
loss = 6.0
for step in range(1, 121):
    time.sleep(0.12)
    loss = 2.6 + 3.4 * math.exp(-step / 18) + dice.gauss(0, 0.03)
    if step > 54:
        loss += 1.45 ** (step - 54) / 9
    if step > 66:
        loss = float("nan")
    mean = peers.mean(loss)
    if step % 3 == 0 and peers.rank == 0:
        print(f"step: {step:4d}  loss: {mean:.4g}  grad_norm: {'nan' if mean != mean else format(0.9 + max(0, step - 54) ** 3 / 4, '.3g')}  lr: 3.0e-03  tokens: {step * 65536}", flush=True)
if peers.rank == 0:
    print("finished 120 steps; final loss nan", flush=True)
"""
ROLLING = """import math, random, time
import peers

dice = random.Random(peers.rank)
for it in range(1, 4000):
    loss = peers.mean(7.7 * math.exp(-it / 60) + 3.3 + dice.gauss(0, 0.04))
    time.sleep(0.1)
    if it % 10 == 0:
        print(f"{time.strftime('%H:%M:%S')} {peers.host} rank={peers.rank} it={it}/4000 loss={loss:.4f} tflops={411 + dice.randrange(9)}", flush=True)
"""
WAYLAID = """import json, math, os, pathlib, random, time
import peers

state = pathlib.Path(f"state-{peers.rank}.json")
start = json.loads(state.read_text())["step"] if state.exists() else 0
tag = f"(attempt {1 + int(os.environ.get('SLURM_RESTART_COUNT', '0'))}, rank {peers.rank})"
print(f"{tag} " + (f"restored checkpoint of step {start}" if start else "no checkpoint, starting at step 0"), flush=True)
dice = random.Random(start)
for step in range(start + 1, 181):
    loss = peers.mean(1.1 * math.exp(-step / 50) + 0.3 + dice.gauss(0, 0.01))
    time.sleep(0.12)
    if step % 15 == 0:
        state.write_text(json.dumps({"step": step}))
        print(f"{tag} step {step}/180 loss {loss:.4f} checkpoint saved", flush=True)
print(f"{tag} all 180 steps done", flush=True)
"""
PROTEIN = """import math, random, time
import peers, stage

stage.ready()
dice = random.Random(peers.rank)
for step in range(1, 20001):
    loss = peers.mean(3.1 * math.exp(-step / 40) + 0.7 + dice.gauss(0, 0.02))
    time.sleep(0.3)
    if step % 6 == 0 and peers.rank == 0:
        print(f"I{time.strftime('%m%d %H:%M:%S')} train_loop.py:212] [{step}] steps_per_sec=3.1, fape={loss:.4f}, plddt={0.31 + step / 4000:.3f}, num_train_steps=20000", flush=True)
"""
SPEAKERS = """import datetime, math, random, sys, time
import peers

dice = random.Random(peers.rank)
batch = 0
while batch < 3600:
    batch += 1
    der = peers.mean(0.41 * math.exp(-batch / 70) + 0.11 + dice.gauss(0, 0.002))
    time.sleep(0.15)
    if batch % 12 == 0 and peers.rank == 0:
        left = datetime.timedelta(seconds=int(0.17 * (3600 - batch)))
        sys.stdout.write(f"speaker diarisation | batch {batch} of 3600 | pit loss {der:.4f} | about {left} left\\n")
        sys.stdout.flush()
"""
SIX = """import math, random, time
import peers, stage

total = 6
stage.ready()
if peers.rank == 0:
    print(f"num_examples=48000 per_device_batch=8 max_steps={total} epochs=3 (max_steps given in args overrides the epochs)", flush=True)
for step in range(1, total + 1):
    time.sleep(0.9)
    loss = peers.mean(2.47 - 0.012 * step + random.Random(step + peers.rank).gauss(0, 0.01))
    if peers.rank == 0:
        print({"loss": round(loss, 4), "learning_rate": round(5e-6 * step, 8), "global_step": step, "epoch": round(step * 64 / 48000, 4)}, flush=True)
if peers.rank == 0:
    print("Training completed. model saved to ./sft-out", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Silence, gaps, clocks, curves, nodes, and who stopped it."""
    yield sbatch(
        ill("F1", None, fault="node"),
        "pile.py",
        "srun PYTHON pile.py\n",
        ROLLING,
        "--no-requeue",
        ranks=4,
        nodes=4,
        where="-wn1,n2,n3,n6",
        act="lose_node",
        after="it=80/",
        state="NODE_FAIL",
    )
    yield sbatch(
        ill("F2", None, "preempted_recovered", fault="none"),
        "vae.py",
        "srun PYTHON vae.py\n",
        WAYLAID,
        "--requeue",
        "--open-mode=append",
        ranks=2,
        where="-wn5",
        act="preempt",
        after="step 45/180",
    )
    launch = "srun bash -c 'export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((23000 + SLURM_JOB_ID % 3000 + 3000 * SLURM_NODEID)); exec PYTHON join.py'\n"
    yield sbatch(ill("C1"), "join.py", launch, APART, "--time=1", ranks=4, nodes=2, state="TIMEOUT")  # each node has another port
    spin = at_work(2, util=100, watts=131, mhz=1980, gib=36, dram=0, tensor=0, temp=45)
    stuck = {r: told(held(-3, 20), during(0, 10.8, 58, seed=r, gib=36), held(10.9, 36) if r == 2 else [(11.2, spin)]) for r in range(4)}
    yield sbatch(
        ill("C2", None, fault="unknown"),
        "clip.py",
        "srun PYTHON clip.py\n",
        LOADER,
        ranks=4,
        nodes=2,
        cards=stuck,
        act="scancel_late",
        after="rank2. opening",
        state="CANCELLED",
    )
    yield sbatch(
        ill("C3", None, fault="unknown"),
        "ppo.py",
        "srun PYTHON ppo.py\n",
        SIMULATOR,
        "--time=1",
        cards={0: told(held(-2, 4), during(0, 10.9, 31, gib=6, watts=330), held(11.0, 6))},
        state="TIMEOUT",
    )
    dry = told(held(-2, 14), turns(2.5, 0.55, 2.5, 16, gib=22))
    yield sbatch(ill("D1"), "wsi.py", "srun PYTHON wsi.py\n", SLIDES, ranks=2, cards=dict.fromkeys(range(2), dry))
    wire = {r: told(held(-3, 40), during(0, 40, 6, seed=r, util=99, watts=171, gib=61, dram=3, tensor=2)) for r in range(8)}
    yield sbatch(
        ill("D2", None, "interconnect", fault="cluster"),
        "moe.py",
        "export NCCL_DEBUG=INFO\nsrun PYTHON moe.py\n",
        FABRIC,
        ranks=8,
        nodes=4,
        cards=wire,
    )
    lame = {r: told(held(-3, 30), during(0, 44, 64 if r == 1 else 17, seed=r, util=99, watts=603 if r == 1 else 248, gib=47)) for r in range(4)}
    yield sbatch(ill("D3", None, fault="unknown"), "encdec.py", "srun PYTHON encdec.py\n", UNEQUAL, ranks=4, nodes=4, cards=lame)
    warm = [
        (
            8.0 + s,
            at_work(
                71,
                watts=268,
                mhz=max(1755 - 330 * (s + 1), 510),
                temp=min(88 + s, 94),
                gib=40,
                throttle_reasons="0x68",
            )
            | {
                "violation.thermal": f"{1000000 + int(s * 1e6)} {int(s * 970e6)}",
                "slowdown.hw_thermal": str(int(s * 970e6)),
                "memory.temperature": "103",
            },
        )
        for s in range(40)
    ]
    hot = {r: told(held(-3, 25), during(0, 8, 63, seed=r, gib=40), during(8.2, 52, 20, seed=r, gib=40, watts=280)) for r in range(4)}
    hot[2] = told(held(-3, 25), during(0, 7.8, 64, seed=2, gib=40, temp=79), warm)
    yield sbatch(ill("B3", None, fault="node"), "swin.py", "srun PYTHON swin.py\n", HOT, ranks=4, nodes=2, cards=hot)
    yield sbatch(ill("E1", "nan_loss", "non_finite"), "lr3e3.py", "srun PYTHON lr3e3.py\n", GAUGE, ranks=2, nodes=2)
    fold = {r: told(held(-3, 22), during(0, 90, 66, seed=r, gib=53)) for r in range(4)}
    yield sbatch(ill("F3", None, "advancing"), "fold.py", "srun PYTHON fold.py\n", PROTEIN, "--time=1", ranks=4, nodes=4, cards=fold, state="TIMEOUT")
    yield sbatch(
        ill("F4", None, "by_owner"),
        "diar.py",
        "srun PYTHON diar.py --lang multi\n",
        SPEAKERS,
        ranks=2,
        nodes=2,
        act="scancel",
        after="batch 120 ",
        state="CANCELLED",
    )
    yield sbatch(
        ill("E3"),
        "sft.py",
        "srun PYTHON sft.py\n",
        SIX,
        ranks=8,
        nodes=2,
        cards={r: told(held(-3, 30), during(0, 5.4, 54, seed=r, gib=52), free(7.5)) for r in range(8)},
    )
