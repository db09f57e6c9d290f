"""Jobs that ended as they were meant to; some of them with a scare on the way."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_kit import FINE, ODD, beats, left, level, off, on, post
from corpus.running.job import SlurmJob

DENOISE = r"""import json
import math
import pathlib
import random
import time

import comms

state = json.loads(pathlib.Path("runs/ddpm/last.json").read_text())
step = state["global_step"]
if comms.RANK == 0:
    print(f"Resuming from runs/ddpm/last.json: global_step={step}, ema_decay=0.9999, best_fid={state['fid']}", flush=True)
comms.connect()
comms.start()
while step < 6000:
    step += 1
    time.sleep(0.33)
    loss = comms.all_reduce(0.0312 + 0.004 * math.exp(-(step - 5900) / 60) + random.gauss(0, 0.0006)) / comms.WORLD
    if step % 10 == 0 and comms.RANK == 0:
        print(f"Steps: {step / 60:5.1f}%|{'#' * (step // 300):<20}| {step}/6000 [loss={loss:.5f}, lr=1.00e-04, samples/s={64 / 0.33:.0f}]", flush=True)
if comms.RANK == 0:
    print("Reached global_step 6000. FID(10k)=7.81 (previous best 8.02). Pipeline saved in runs/ddpm/final", flush=True)
"""
FIELD = r"""import math
import os
import random
import sys
import time


def info(where, text):
    sys.stderr.write(f"I{time.strftime('%m%d %H:%M:%S')}.{random.randrange(10**6):06d} {os.getpid()} {where}] {text}\n")


info("xla_bridge.py:889", "Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory")
info("simulate.py:61", "lattice 64^3, 4 replicas, dt=2.0 fs, 24000 steps, potential=mace-small")
time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
print(f"{'step':>8} {'time[ps]':>9} {'Epot[eV]':>12} {'T[K]':>8} {'ns/day':>7}", flush=True)
for step in range(1000, 24001, 1000):
    time.sleep(1.15)
    print(f"{step:8d} {step * 0.002:9.3f} {-18422.7 - 31 * (1 - math.exp(-step / 5000)) + random.gauss(0, 0.6):12.4f} {300 + random.gauss(0, 2.4):8.2f} {1.52 + random.random() / 50:7.2f}", flush=True)
info("simulate.py:140", "24000 steps done, trajectory in traj.h5 (412 frames), drift 0.3 meV/atom/ps")
"""
SHARDS = r"""import logging
import os
import random
import time

me, all_ = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s.%(msecs)03d tok-{me:02d} %(levelname)-7s %(message)s", datefmt="%H:%M:%S")
random.seed(me)
total = 0
for n, shard in enumerate(range(me, 48, all_), 1):
    time.sleep(1.6 + random.random())
    docs, tokens = random.randrange(8000, 9000), random.randrange(5_100_000, 6_400_000)
    total += tokens
    open(f"tokens_{shard:03d}.bin", "wb").write(b"\0" * 64)
    if shard in (13, 30):
        logging.warning("shard %03d: 3 documents are not valid UTF-8, replaced bad bytes", shard)
    logging.info("shard %03d -> tokens_%03d.bin docs=%d tokens=%.2fM (%d of %d)", shard, shard, docs, tokens / 1e6, n, 48 // all_)
logging.info("finished %d shards, %.1fM tokens, exit", 48 // all_, total / 1e6)
"""
LADDER = r"""import math
import os
import random
import sys
import time

lr = float(sys.argv[1])
trial = sys.argv[2]
random.seed(int(trial))
pace = {0.3: 2.2, 0.1: 4.0, 0.03: 7.0, 0.01: 13.0}[lr]
for epoch in range(1, 21):
    time.sleep(0.8)
    print(f"trial={trial} host={os.environ['SLURMD_NODENAME']} lr={lr} epoch={epoch:02d}/20 val_f1={0.87 - 0.5 * math.exp(-epoch / pace) + random.gauss(0, 0.004):.4f} val_loss={0.31 + 0.9 * math.exp(-epoch / pace):.4f}", flush=True)
print(f"trial={trial} final val_f1={0.87 - 0.5 * math.exp(-20 / pace):.4f}", flush=True)
"""
GRID = r"""n=0
for lr in 0.3 0.1 0.03 0.01; do
  n=$((n + 1))
  srun --nodes=1 --ntasks=1 --exact PYTHON SCRIPT $lr $n &
done
wait
echo "grid: 4 trials finished"
"""
SHRINK = r"""import math
import os
import random
import sys
import time
import traceback

from memory import OutOfMemoryError, try_batch

time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
size = 64
while True:
    try:
        try_batch(size)
        break
    except OutOfMemoryError:
        traceback.print_exc()
        print(f"batch size {size} does not fit, trying {size // 2}", file=sys.stderr, flush=True)
        size //= 2
        time.sleep(1)
print(f"Batch size {size} will be used, gradient accumulation {64 // size}", flush=True)
for step in range(1, 71):
    time.sleep(0.36)
    if step % 5 == 0:
        print(f"step: {step}/70 train/loss: {1.31 + 2.2 * math.exp(-step / 18) + random.gauss(0, 0.02):.4f} train/acc: {0.66 - 0.45 * math.exp(-step / 22):.3f}", flush=True)
print("training finished, adapter saved to lora-out/", flush=True)
"""
MEMORY = r"""class OutOfMemoryError(RuntimeError):
    __module__ = "torch.cuda"


def try_batch(size):
    if size > 16:
        raise OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size * 0.19:.2f} GiB. GPU 0 has a total capacity of 79.15 GiB of which 3.02 GiB is free. Including non-PyTorch memory, this process has 76.12 GiB memory in use.")
"""
PATIENT = r"""import random
import time

import comms

comms.connect()
random.seed(4)
curve = [0.71, 0.64, 0.602, 0.581, 0.570, 0.5641, 0.5602, 0.5588, 0.5590, 0.5594, 0.5601, 0.5599, 0.5604]
for epoch, value in enumerate(curve):
    for _ in range(6):
        time.sleep(0.25)
        comms.all_reduce(1.0)
    if comms.RANK == 0:
        print(f"{epoch:>4}  train {value - 0.02:.4f}  valid {value:.4f}  auc {0.5 + (0.8 - value) * 1.4:.4f}  lr {2e-3 * 0.5 ** max(0, (epoch - 8) // 2):.1e}", flush=True)
        if epoch > 7:
            print(f"      valid did not improve for {epoch - 7} of 5 epochs", flush=True)
if comms.RANK == 0:
    print("EarlyStopping: monitored valid loss has not improved in the last 5 epochs. Best 0.5588 at epoch 7. Restoring best weights.\nctr model exported (auc 0.8377 on test). bye.", flush=True)
"""
CAPPED = r"""import math
import random
import time

import comms

comms.connect()
comms.start()
print(f"WARNING rank {comms.RANK}: GPU reports 11 aggregate corrected ECC errors, 1 remapped row (correctable), continuing", flush=True) if comms.RANK == 1 else None
for it in range(1, 57):
    time.sleep(0.5)
    loss = comms.all_reduce(0.11 + 0.5 * math.exp(-it / 14) + random.gauss(0, 0.004)) / comms.WORLD
    if it % 4 == 0 and comms.RANK == 0:
        print(f"mmengine - INFO - Iter(train) [{it:3d}/56]  base_lr: 1.0000e-03  eta: 0:00:{(56 - it) // 2:02d}  time: 0.5{random.randrange(10)}  data_time: 0.01{random.randrange(10)}  memory: 61204  loss_seg: {loss:.4f}", flush=True)
    if it == 28 and comms.RANK == 0:
        print("mmengine - INFO - Saving checkpoint at 28 iterations\nmmengine - INFO - Iter(val) [50/50]    aAcc: 71.3000  mIoU: 29.8800  mAcc: 41.0200", flush=True)
if comms.RANK == 0:
    print("mmengine - INFO - Saving checkpoint at 56 iterations\nmmengine - INFO - Iter(val) [50/50]    aAcc: 76.9100  mIoU: 35.4700  mAcc: 46.8800", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The first four look as they are."""
    yield post(
        FINE, "ddpm.py", DENOISE, ranks=4, nodes=2, name="ddpm-256", files={"runs/ddpm/last.json": '{"global_step": 5910, "fid": 8.02}\n'},
        cards={r: [*level(68 + r, 55, 0, 30, watts=600), *left(32)] for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield post(
        FINE, "simulate.py", FIELD, name="md-water", cards={0: [*level(71, 12, 0, 28, watts=420, tensor=2, dram=44), *left(29)]}, state="COMPLETED"
    )
    yield post(FINE, "tokenize_shards.py", SHARDS, ranks=6, nodes=3, name="tok", state="COMPLETED")
    yield post(FINE, "trial.py", LADDER, GRID, ranks=4, nodes=4, name="lr-grid", state="COMPLETED")
    yield post(
        ODD, "lora.py", SHRINK, files={"memory.py": MEMORY}, name="lora-vl",
        cards={0: [(0.0, on(20, 76.1, watts=260)), (1.0, on(35, 76.1, watts=300)), *level(58, 51, 2, 28), *left(29)]}, state="COMPLETED",
    )  # fmt: skip
    yield post(ODD, "ctr.py", PATIENT, "srun --label PYTHON SCRIPT\n", ranks=2, nodes=2, name="ctr", state="COMPLETED")
    cap = [
        (
            float(s),
            on(
                66 + s % 4,
                60,
                watts=694 + s % 6,
                mhz=1470 + 15 * (s % 5),
                temp=71,
                why="0x4",
                also={"violation.power": f"{1000000 + s * 1000000} {s * 480000000}"},
            ),
        )
        for s in range(30)
    ]
    worn = {"ecc.aggregate.corrected": "11", "ecc.aggregate.corrected.dram": "11", "remapped.corrected": "1"}
    yield post(
        ODD, "seg_train.py", CAPPED, ranks=2, name="segformer", cards={0: [*cap, *left(31)], 1: [(-8.0, worn), *cap, *left(31)]}, state="COMPLETED"
    )
    pulse = beats(on(61, 26, watts=440), off(26), 9.0, 2.0, 3)
    yield post(ODD, "finetune_vit.py", QUICK, name="vit-cars", cards={0: [*pulse, *left(33)]}, state="COMPLETED")


QUICK = r"""import math
import os
import random
import sys
import time

time.sleep(max(0.0, float(os.environ["T0"]) - time.time()))
for epoch in range(1, 4):
    for it in range(30):
        time.sleep(0.3)
        if it % 10 == 9:
            print(f"Train: {epoch} [{it + 1:>4d}/30 ({100 * (it + 1) / 30:.0f}%)]  Loss: {3.9 - 1.1 * epoch + 1.1 * math.exp(-it / 12):#.3g}  LR: {5e-5 * (4 - epoch):.3e}  Data: 0.01{random.randrange(9)} (0.021)", flush=True)
    time.sleep(2)
    print(f"Test: {epoch} [  78/78]  Acc@1: {41 + 11 * epoch:.3f} ({40.2 + 11 * epoch:.3f})  Acc@5: {70 + 7 * epoch:.3f}", flush=True)
    print(f"Error in atexit-style hook 'tensorboard flush': BrokenPipeError(32, 'Broken pipe'), ignored", file=sys.stderr) if epoch == 2 else None
print("*** Best metric: 73.2 (epoch 3)", flush=True)
"""
