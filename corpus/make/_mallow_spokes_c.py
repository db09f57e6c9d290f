"""Jobs that waited, went slowly, learned little, or were ended from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import Span, batch, card, ill
from corpus.running.job import SlurmJob

SLOWED = """import math
import random
import time

import opening
from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
began = time.time()
for step in range(1, 73):
    t = time.time()
    warm = t - began > 12
    time.sleep((1.05 if RANK == 1 else 0.4) if warm else 0.36)
    loss = crew.mean(0.04 + 0.3 * math.exp(-step / 22) + dice.gauss(0, 0.003))
    if RANK == 0 and step % 5 == 0:
        print(f"step {step:03d}/072  mse {loss:.5f}  {time.time() - t:.2f} s/it", flush=True)
if RANK == 0:
    print("unet: all 72 steps done, ema weights saved", flush=True)
"""
WRONGPORT = """import os
import sys
import time

from crew import NODE, RANK, WORLD, Crew

port = int(os.environ["MASTER_PORT"])


def say(words):
    print(f"{time.strftime('%H:%M:%S')} [{NODE} rank {RANK}] {words}", file=sys.stderr, flush=True)


say(f"init_process_group: master={os.environ['MASTER_ADDR']}:{port} world_size={WORLD}")
crew = Crew(port, note=lambda tries, error: say(f"connect to master:{port} failed ({error.strerror}), attempt {tries}"))
say("process group ready")
for step in range(100):
    crew.mean(1.0)
"""
WATCHDOG = """import math
import os
import random
import signal
import socket
import time

import opening
from crew import RANK, WORLD, Crew

PATIENCE = 22
crew = Crew(limit=PATIENCE)
dice = random.Random(RANK)
seq = 0
feed, mount = socket.socketpair()
if RANK == 0:
    print(f"NCCL version 2.21.5+cuda12.4\\nTORCH_NCCL_BLOCKING_WAIT=0 TORCH_NCCL_ASYNC_ERROR_HANDLING=1 timeout={PATIENCE}s", flush=True)
for step in range(1, 900):
    if step == 48 and RANK == 2:
        feed.recv(1)
    time.sleep(0.3)
    seq += 14
    try:
        loss = crew.mean(3.1 + 4.2 * math.exp(-step / 20) + dice.gauss(0, 0.03))
    except (TimeoutError, ConnectionError) as error:
        if isinstance(error, ConnectionError):
            time.sleep(0.3)
        what = f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)={PATIENCE * 1000})"
        print(f"[rank{RANK}]:[E1127 {time.strftime('%H:%M:%S')}.{int(time.time() % 1 * 1e9):09d} ProcessGroupNCCL.cpp:616] [Rank {RANK}] Watchdog caught collective operation timeout: {what} ran for {PATIENCE * 1000 + 37 + RANK} milliseconds before timing out.", flush=True)
        print(f"[rank{RANK}]:[E1127 {time.strftime('%H:%M:%S')}.{int(time.time() % 1 * 1e9):09d} ProcessGroupNCCL.cpp:1834] [PG ID 0 PG GUID 0(default_pg) Rank {RANK}] Exception (either an error or timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq}, last completed NCCL work: {seq - 1}.", flush=True)
        print(f"[rank{RANK}]:[E1127 {time.strftime('%H:%M:%S')}.{int(time.time() % 1 * 1e9):09d} ProcessGroupNCCL.cpp:630] [Rank {RANK}] To avoid data inconsistency, we are taking the entire process down.", flush=True)
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGABRT)
    if RANK == 0 and step % 4 == 0:
        print(f"step={step} loss={loss:.4f} tgs={3400 + dice.randrange(60)} lr=6.0e-04", flush=True)
"""
LOCKED = '''import math
import sys
import threading
import time

import opening

spool = threading.Condition()


def next_batch(step):
    """The reader thread tells us when a batch is there."""
    if step >= 70:
        with spool:
            spool.wait()
    time.sleep(0.02)


print("SimCLR, resnet50, 1 x H100, 200 epochs", flush=True)
for step in range(1, 100_000):
    next_batch(step)
    time.sleep(0.2)
    if step % 5 == 0:
        print(f"[{time.strftime('%H:%M:%S')}] epoch 1 step {step} ntxent {4.1 + 2.1 * math.exp(-step / 30):.4f}", flush=True)
'''
PATCHES = """import math
import random
import time

import opening
from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
data = compute = 0.0
for it in range(1, 15):
    t0 = time.time()
    time.sleep(2.2)
    t1 = time.time()
    time.sleep(0.8)
    loss = crew.mean(0.35 + 0.9 * math.exp(-it / 5) + dice.gauss(0, 0.01))
    data, compute = data + t1 - t0, compute + time.time() - t1
    if RANK == 0:
        print(f"Train: [1][{it:2d}/14]  Time {time.time() - t0:.3f}  Data {t1 - t0:.3f}  Loss {loss:.4f}", flush=True)
if RANK == 0:
    print(f"epoch 1 done: {data + compute:.0f} s, of which {data:.0f} s waiting for the data loader (num_workers=0)", flush=True)
"""
ALWAYS = """import math
import os
import random
import time

import opening
from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
for step in range(1, 25):
    time.sleep(0.45)
    loss = crew.mean(1.1 + 2.3 * math.exp(-step / 9) + dice.gauss(0, 0.02))
    if RANK == 0:
        print(f"step {step}/24 train_loss={loss:.4f}", flush=True)
        t = time.time()
        with open(f"checkpoint-{step}.bin", "wb") as out:
            out.write(os.urandom(4096))
            out.flush()
            os.fsync(out.fileno())
        time.sleep(1.2)
        print(f"Saving model checkpoint to output/checkpoint-{step} (24.8 GB, {time.time() - t:.1f} s)", flush=True)
    crew.barrier()
if RANK == 0:
    print("Training completed.", flush=True)
"""
UNEVENLY = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
mine = 0.0
for step in range(1, 37):
    t = time.time()
    time.sleep(0.92 if RANK == 6 else 0.21 + 0.02 * dice.random())
    mine += time.time() - t
    loss = crew.mean(1.9 + 3.3 * math.exp(-step / 14) + dice.gauss(0, 0.02))
    if RANK == 0 and step % 4 == 0:
        print(f"[step {step}] loss {loss:.4f}, {time.time() - t:.2f} s/step", flush=True)
    if step % 12 == 0:
        print(f"  timers rank {RANK} ({NODE}): forward-backward {mine / 12 * 1000:.0f} ms", flush=True)
        mine = 0.0
        crew.barrier()
if RANK == 0:
    print("exiting: 36 of 36 steps", flush=True)
"""
FEW = """import random
import time

import opening
from crew import RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
if RANK == 0:
    print(f"LlamaForCausalLM 6.74B, FSDP over {WORLD} GPUs\\ndataset: 1,204,331 samples, 3 epochs = 112,905 optimizer steps\\nmax_steps is given, it will override any value given in num_train_epochs", flush=True)
for step in range(1, 7):
    time.sleep(1.9)
    loss = crew.mean(2.31 - 0.01 * step + dice.gauss(0, 0.02))
    if RANK == 0:
        print({"loss": round(loss, 4), "learning_rate": round(2e-7 * step, 9), "epoch": round(step / 37635, 5)}, flush=True)
if RANK == 0:
    print({"train_runtime": 11.5, "train_steps_per_second": 0.52, "train_loss": 2.28, "epoch": 0.0}, flush=True)
"""
CLIMATE = """import math
import random
import time

from crew import NODE, RANK, Crew

crew = Crew()
dice = random.Random(RANK)
for step in range(1, 5001):
    rmse = crew.mean(0.42 + 0.8 * math.exp(-step / 120) + dice.gauss(0, 0.01))
    time.sleep(0.15)
    if step % 20 == 0:
        print(f"{time.strftime('%FT%T')} {NODE} r{RANK} step={step}/5000 lat_weighted_rmse={rmse:.4f}", flush=True)
"""
TOOLONG = """import math
import random
import time

from crew import RANK, Crew

crew = Crew()
dice = random.Random(8)
steps_per_epoch, epochs = 120, 40
for step in range(1, steps_per_epoch * epochs + 1):
    loss = crew.mean(0.9 + 5 * math.exp(-step / 300) + dice.gauss(0, 0.03))
    time.sleep(0.12)
    if RANK == 0 and step % 20 == 0:
        left = (steps_per_epoch * epochs - step) * 0.13
        print(f"epoch {1 + step // steps_per_epoch}/{epochs} batch {step % steps_per_epoch:3d}/{steps_per_epoch} ctc={loss:.3f} wer={min(99, 18 * loss):.1f}% eta {left / 60:.1f} min", flush=True)
"""
REGRETTED = """import math
import time

print("lr=3e-4 bs=256 aug=randaug dataset=food101-v3", flush=True)
for step in range(1, 9000):
    time.sleep(0.12)
    if step % 25 == 0:
        print(f"iter {step:5d}/9000 | top1 {70 - 66 * math.exp(-step / 400):5.2f} | xent {1.2 + 3.4 * math.exp(-step / 350):.4f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Cards, times, silences and Slurm's word tell."""
    hot = tuple(
        (13.0 + s, {
            "temperature": str(min(84 + 2 * s, 94)), "memory.temperature": str(min(92 + s, 105)), "throttle_reasons": "0x48" if s < 4 else "0x68", "clock.sm": str(max(1755 - 240 * s, 765)), "clock.graphics": str(max(1755 - 240 * s, 765)),
            "power.usage": str(305000 + 1700 * (s % 5)), "violation.thermal": f"{1000000 + s * 1000000} {s * 940_000_000}", "slowdown.hw_thermal": str(s * 940_000_000),
        }) for s in range(41)
    )  # fmt: skip
    yield batch(
        ill("B3", None, fault="node"), SLOWED, "srun PYTHON unet.py\n", name="unet.py", ranks=2,
        cards={0: card(Span(13, sm=67), Span(41, sm=26, watts=330), seed=1), 1: card(Span(54, sm=68), seed=2, extra=hot)}, state="COMPLETED",
    )  # fmt: skip
    stale = "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)\nsrun bash -c 'export MASTER_PORT=$((COORD_PORT + SLURM_NODEID)); exec PYTHON train_vit.py'\n"
    yield batch(
        ill("C1", None), WRONGPORT, stale, name="train_vit.py", ranks=4, nodes=2, options=("--time=1",), state="TIMEOUT"
    )  # the second node has another port
    spin = {r: card(Span(14.5, sm=57, gib=62), Span(23, sm=0, util=100, gib=62, watts=131, temp=46, mhz=1980), seed=60 + r) for r in (0, 1, 3)}
    yield batch(
        ill("C2", "nccl", fault="unknown"), WATCHDOG, "srun -K1 PYTHON fsdp_7b.py\n", name="fsdp_7b.py", ranks=4, nodes=2,
        cards={**spin, 2: card(Span(14.2, sm=57, gib=62), Span(23.5, sm=0, gib=62), seed=62)}, options=("--time=3",), state="FAILED",
    )  # fmt: skip
    yield batch(
        ill("C3", None, fault="unknown"), LOCKED, "srun PYTHON simclr.py\n", name="simclr.py", options=("--time=2",),
        cards={0: card(Span(15.4, sm=48, gib=27), Span(135, sm=0, gib=27, tick=5), seed=4)}, state="TIMEOUT",
    )  # fmt: skip
    thin = [s for _ in range(14) for s in (Span(2.2, gib=17), Span(0.8, sm=52, gib=17, tick=0.4))]
    yield batch(
        ill("D1", None),
        PATCHES,
        "srun PYTHON histology.py\n",
        name="histology.py",
        ranks=2,
        cards={r: card(*thin, seed=70 + r) for r in range(2)},
        state="COMPLETED",
    )
    writes = [s for _ in range(24) for s in (Span(0.45, sm=60, gib=57), Span(1.2, gib=57, tick=0.6))]
    yield batch(
        ill("D2", None, "save_storm"), ALWAYS, "srun PYTHON finetune_13b.py\n", name="finetune_13b.py", ranks=4, nodes=2, cards={r: card(*writes, seed=80 + r) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    uneven = {
        r: card(Span(34.5, sm=62, gib=49, watts=570), seed=90 + r) if r == 6 else card(Span(34.5, sm=14, util=100, gib=49, watts=262), seed=90 + r)
        for r in range(8)
    }
    yield batch(
        ill("D3", None, fault="unknown"), UNEVENLY, "srun PYTHON gpt_neox.py\n", name="gpt_neox.py", ranks=8, nodes=4, cards=uneven, state="COMPLETED"
    )
    yield batch(
        ill("E3", None),
        FEW,
        "srun PYTHON sft_llama.py --max_steps 6\n",
        name="sft_llama.py",
        ranks=4,
        cards={r: card(Span(11.6, sm=58, gib=66), seed=100 + r) for r in range(4)},
        state="COMPLETED",
    )
    yield batch(
        ill("F1", None, fault="node"), CLIMATE, "srun PYTHON era5.py\n", name="era5.py", ranks=4, nodes=4, where="-wn1,n2,n3,n4", options=("--no-requeue",), act="lose_node", after="step=60/", state="NODE_FAIL",
    )  # fmt: skip
    yield batch(ill("F3", None, "advancing"), TOOLONG, "srun PYTHON wav2vec.py\n", name="wav2vec.py", ranks=2, options=("--time=1",), state="TIMEOUT")
    yield batch(
        ill("F4", None, "by_owner"),
        REGRETTED,
        "srun PYTHON food101.py\n",
        name="food101.py",
        act="scancel",
        after="iter +250/9000",
        state="CANCELLED",
    )
