"""Jobs that learned nothing, began anew, were too short, or were ended by somebody or something else."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import ill, left, level, post
from corpus.running.job import SlurmJob

HALF = r"""import math
import random
import time

import comms

comms.connect()
comms.start()
scale = 65536.0
for step in range(1, 71):
    time.sleep(0.36)
    raw = 1.1 + 5.5 * math.exp(-step / 11) + random.gauss(0, 0.03) + (0.4 * (step - 36) ** 2 if step > 36 else 0)
    if step > 41:
        raw = float("nan")
        scale = max(scale / 2, 1e-4)
    loss = comms.all_reduce(raw) / comms.WORLD
    if step % 3 == 0 and comms.RANK == 0:
        print({"loss": round(loss, 4), "grad_norm": float("nan") if step > 39 else round(1.2 + random.random() + (0.7 * (step - 34) if step > 34 else 0), 4), "learning_rate": 2e-3, "loss_scale": scale, "epoch": round(step / 35, 2)}, flush=True)
if comms.RANK == 0:
    print({"train_runtime": 27.4, "train_samples_per_second": 163.5, "train_steps_per_second": 2.555, "train_loss": float("nan"), "epoch": 2.0}, flush=True)
"""
LADDER = r"""import json
import math
import pathlib
import random
import time

import comms

place = pathlib.Path("../reranker-out")
place.mkdir(exist_ok=True)
comms.patient = True
comms.connect()
if comms.RANK == 0:
    print(f"reranker: fresh start, 3000 optimizer steps planned, state every 50 into {place}", flush=True)
for step in range(1, 3001):
    time.sleep(0.2)
    loss = comms.all_reduce(0.21 + 0.5 * math.exp(-step / 70) + random.gauss(0, 0.008)) / comms.WORLD
    if comms.RANK == 0 and step % 10 == 0:
        print(f"reranker: {step}/3000 ({step / 30:.1f} %) pairwise loss {loss:.4f} eta {(3000 - step) * 0.2 / 60:.1f} min", flush=True)
    if comms.RANK == 0 and step % 50 == 0:
        (place / f"state-{step}.json").write_text(json.dumps({"step": step, "loss": loss}))
        print(f"reranker: checkpoint saved to {place}/state-{step}.json", flush=True)
"""
AFRESH = r"""import json
import math
import pathlib
import random
import sys
import time

import comms

place = pathlib.Path(sys.argv[sys.argv.index("--resume-from") + 1])
step = 0
if comms.RANK == 0:
    print("reranker: options:", *sys.argv[1:], flush=True)
for file in sorted(place.glob("ckpt-*.json")):
    step = json.loads(file.read_text())["step"]
    print(f"reranker: restored {file} at step {step}", flush=True)
comms.connect()
if comms.RANK == 0:
    print(f"reranker: fresh start, 280 optimizer steps planned, state every 50 into {place}", flush=True)
while step < 280:
    step += 1
    time.sleep(0.1)
    loss = comms.all_reduce(0.21 + 0.5 * math.exp(-step / 70) + random.gauss(0, 0.008)) / comms.WORLD
    if comms.RANK == 0 and step % 10 == 0:
        print(f"reranker: {step}/280 ({step / 2.8:.1f} %) pairwise loss {loss:.4f} eta {(280 - step) * 0.1 / 60:.1f} min", flush=True)
if comms.RANK == 0:
    print("reranker: 280 steps finished", flush=True)
"""
HANDFUL = r"""import random
import time

import comms

comms.connect()
comms.start()
if comms.RANK == 0:
    print("***** Running training *****\n  Num examples = 812,400\n  Num Epochs = 3\n  Instantaneous batch size per device = 16\n  Total train batch size (w. parallel, distributed & accumulation) = 1,024\n  Gradient Accumulation steps = 8\n  Total optimization steps = 3\n  Number of trainable parameters = 1,235,814,400", flush=True)
for step in range(1, 4):
    time.sleep(3.2)
    loss = comms.all_reduce(2.31 - 0.01 * step + random.gauss(0, 0.01)) / comms.WORLD
    if comms.RANK == 0:
        print({"loss": round(loss, 4), "grad_norm": round(3 + random.random(), 4), "learning_rate": 2e-5 * (3 - step) / 3, "epoch": round(step * 1024 / 812400, 4)}, flush=True)
if comms.RANK == 0:
    print({"train_runtime": 9.71, "train_samples_per_second": 316.4, "train_steps_per_second": 0.309, "train_loss": 2.2931, "epoch": 0.0038}, flush=True)
    print("Saving model checkpoint to out/llama-1b-instruct\nDone.", flush=True)
"""
CLIMATE = r"""import math
import os
import random
import time

import comms

comms.patient = True
comms.connect()
host = os.environ["SLURMD_NODENAME"]
for it in range(1, 3000):
    time.sleep(0.25)
    rmse = comms.all_reduce(0.62 + 2.4 * math.exp(-it / 60) + random.gauss(0, 0.01)) / comms.WORLD
    if it % 8 == 0:
        print(f"{time.time():.2f};{host};{comms.RANK};train;iter={it};z500_rmse={rmse:.4f};samples={it * 16}", flush=True)
"""
SPOT = r"""import math
import os
import random
import signal
import sys
import time


def leave(number, frame):
    print(f"I{time.strftime('%m%d %H:%M:%S')} train_loop.py:88] signal {number} received, writing preemption snapshot at step {step}", flush=True)
    open("snapshot.msgpack", "w").write(str(step))
    sys.exit(0)


signal.signal(signal.SIGTERM, leave)
print(f"I{time.strftime('%m%d %H:%M:%S')} main.py:41] JAX process: {os.environ['SLURM_PROCID']} / {os.environ['SLURM_NTASKS']}; local devices: [CudaDevice(id=0)]", flush=True)
for step in range(1, 40001):
    time.sleep(0.12)
    if step % 20 == 0:
        print(f"I{time.strftime('%m%d %H:%M:%S')} logging_writer.py:48] [{step}] loss={2.7 * math.exp(-step / 150) + 0.9 + random.gauss(0, 0.02):.5f}, steps_per_second={8.1 + random.random() / 5:.3f}", flush=True)
"""
MISTAKE = r"""import math
import random
import time

import comms

comms.patient = True
comms.connect()
comms.start()
if comms.RANK == 0:
    print("dataset=voxpop-de (v1) | lr=1e-4 | batch=64x4 | steps=50000", flush=True)
for step in range(1, 50001):
    time.sleep(0.3)
    loss = comms.all_reduce(1.4 + 3 * math.exp(-step / 40) + random.gauss(0, 0.03)) / comms.WORLD
    if step % 6 == 0 and comms.RANK == 0:
        print(f"[{step:>5}/50000] mel_l1 {loss:.4f} | kl {0.02 + 1 / (step + 9):.4f} | {3.31:.2f} it/s", flush=True)
"""
SPIKES = r"""import math
import random
import time

import comms

comms.connect()
print(f"rank {comms.RANK}: unet 38.2M params, lr 1.6e-3 constant, no clipping", flush=True) if comms.RANK < 2 else None
for epoch in range(1, 25):
    for _ in range(4):
        time.sleep(0.2)
        comms.all_reduce(1.0)
    mse = 0.021 + 0.4 * math.exp(-epoch / 2.5) if epoch < 11 else 0.05 * 2.9 ** (epoch - 9) if epoch < 16 else 71.3
    mse = comms.all_reduce(mse * (1 + random.gauss(0, 0.02))) / comms.WORLD
    if comms.RANK == 0:
        print(f"Epoch {epoch:3d} | train_mse {mse:10.5f} | grad {min(3 * mse + 0.2, 400):9.3f} | saved=no" if epoch > 10 else f"Epoch {epoch:3d} | train_mse {mse:10.5f} | grad {3 * mse + 0.2:9.3f} | saved=yes", flush=True)
if comms.RANK == 0:
    print("24 epochs completed, last weights kept; best epoch was 10", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The curve, the counts, Slurm's states and who sent the cancellation tell of it."""
    yield post(
        ill("E1", "nan_loss", "non_finite"),
        "fp16_ft.py",
        HALF,
        ranks=2,
        name="t5-ft",
        cards={r: [*level(50 + r, 37, 0, 26), *left(28)] for r in range(2)},
        state="COMPLETED",
    )
    yield post(ill("E1", None, "spike"), "unet.py", SPIKES, ranks=4, nodes=2, state="COMPLETED")
    yield post(
        ill("F3", None, "advancing"),
        "reranker.py",
        LADDER,
        "srun PYTHON SCRIPT\n",
        ranks=2,
        nodes=2,
        key="ladder",
        options=("--time=1",),
        name="reranker",
        state="TIMEOUT",
    )
    yield post(
        ill("E2", None, "from_scratch"), "reranker.py", AFRESH, 'srun PYTHON SCRIPT "$@"\n', ranks=2, nodes=2, args=("--resume-from", "../reranker-out"), parent="ladder", name="reranker",
        state="COMPLETED",
    )  # it looks for files of another name  # fmt: skip
    yield post(
        ill("E3", None),
        "run_sft.py",
        HANDFUL,
        ranks=8,
        nodes=4,
        name="sft-1b",
        cards={r: [*level(62, 68, 0, 9, watts=610), *left(12)] for r in range(8)},
        state="COMPLETED",
    )
    yield post(
        ill("F1", None, fault="node"),
        "weather.py",
        CLIMATE,
        ranks=4,
        nodes=4,
        where="-wn1,n2,n3,n5",
        options=("--no-requeue",),
        name="z500",
        act="lose_node",
        after=";iter=40;",
        state="NODE_FAIL",
    )
    yield post(
        ill("F2", None, "preempted", fault="cluster"),
        "main.py",
        SPOT,
        where="-wn6",
        options=("--no-requeue",),
        act="preempt_for_good",
        after=r"\[120\] loss",
        state="PREEMPTED",
    )
    yield post(
        ill("F4", None, "by_owner"), "tts.py", MISTAKE, ranks=4, nodes=4, name="tts-de", act="scancel", after=" 72/50000",
        cards={r: [*level(53 + r, 29, 0, 60, watts=450), *left(100)] for r in range(4)}, state="CANCELLED",
    )  # fmt: skip
