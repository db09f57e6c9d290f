"""Jobs that went wrong."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._bench_trestle import bad, card, queue, rest, wavy, work
from corpus.running.job import SlurmJob

HOT = """import time
import pace
loss = 1.4
for step in range(1, 200):
    t = time.time()
    time.sleep(0.25 if step < 32 else 0.85)
    loss = 0.3 + (loss - 0.3) * 0.96
    if step % 4 == 0:
        print(f"[nerf] {step:4d}/60 psnr {22 - 6 * loss:.2f} loss {loss:.4f} {time.time() - t:.2f} s/it", flush=True)
    if step == 60:
        break
print("[nerf] done")
"""
FUTEX = """import threading, time
import pace
gate = threading.Event()
for n in range(1, 400):
    time.sleep(0.3)
    if n % 6 == 0:
        print(f"{time.strftime('%H:%M:%S')} frame batch {n}/400 chamfer {0.9 / (1 + n / 12):.4f}", flush=True)
    if n == 48:
        gate.wait()
"""
DNS = """import os, socket, time
rank = os.environ["SLURM_PROCID"]
print(f"rank {rank} on {os.environ['SLURMD_NODENAME']}: connecting to coordinator {os.environ['COORD']}", flush=True)
tries = 0
while True:
    try:
        socket.create_connection(os.environ["COORD"].split(":"), timeout=2).close()
        break
    except OSError as e:
        tries += 1
        if tries % 8 == 0:
            print(f"rank {rank}: coordinator not reachable yet ({e.strerror or e}), retrying; 0 of 2 processes connected", flush=True)
        time.sleep(1)
"""
ROWS = """import time
import pace
for k in range(1, 12):
    time.sleep(3.2)
    time.sleep(0.5)
    print(f"batch {k}/11 | loader 3.2 s | compute 0.5 s | dice {0.3 + 0.04 * k:.3f}", flush=True)
print("1 epoch over 11 volumes, loader was 86 % of the time")
"""
FABRIC = """import os, time
import pace
r = os.environ["SLURM_PROCID"]
if r == "0":
    print("n1:4410:4410 [0] NCCL INFO NET/IB : No device found.\\nn1:4410:4410 [0] NCCL INFO NET/Socket : Using [0]eth0:10.3.0.11<0>\\nn1:4410:4410 [0] NCCL INFO Using network Socket", flush=True)
loss = 9.0
for s in range(1, 16):
    time.sleep(2)
    loss = 4 + (loss - 4) * 0.9
    if r == "0":
        print(f"step {s}/15 loss {loss:.3f} step_time 2.00s forward+backward 0.16s grad_allreduce 1.81s optimizer 0.03s", flush=True)
if r == "0":
    print("reached step 15, stopping")
"""
ONE_SLOW = """import os, time
import pace
r = int(os.environ["SLURM_PROCID"])
for s in range(1, 31):
    mine = 0.95 if r == 1 else 0.2
    time.sleep(1.0)
    if s % 6 == 0:
        print(f"[{os.environ['SLURMD_NODENAME']}/{r}] step {s}/30 loss {5 / (1 + s / 9):.4f} compute {mine:.2f} s, waiting in reduce {1.0 - mine:.2f} s", flush=True)
print(f"[{r}] end of epoch", flush=True)
"""
JUMP = """import random, time
random.seed(3)
loss = 7.6
for step in range(10, 610, 10):
    time.sleep(0.4)
    loss = 2.2 + (loss - 2.2) * 0.9 if step < 320 else min(11.4, loss * 1.5)
    print(f"step {step}/600 train_loss {loss + random.gauss(0, 0.04):.4f} ppl {2.71828 ** min(loss, 12):.1f} grad_norm {0.9 + random.random() / 5 if step < 320 else 48 + random.random() * 30:.2f} lr 6.0e-04", flush=True)
print("training finished, 600 steps")
"""
DIVIDES = """import time
batches = [["ok"] * 8] * 30 + [["masked"] * 8] + [["ok"] * 8] * 30
total = 0.0
for n, b in enumerate(batches, 1):
    time.sleep(0.5)
    good = [t for t in b if t == "ok"]
    nll = 4.0 / (1 + n / 10) * len(good) / len(good)
    total += nll
    if n % 5 == 0:
        print(f"step {n}/61 nll per target token {nll:.4f}", flush=True)
"""
WATCHDOG = """import os, time
import pace, comms
r = int(os.environ["SLURM_PROCID"])
for s in range(1, 2000):
    time.sleep(0.4)
    if s % 10 == 0 and r == 0:
        print(f"| epoch 1 | {s}/2000 | loss {6 / (1 + s / 30):.3f} | wps 18211", flush=True)
    comms.all_reduce(s, r)
"""
COMMS = """class DistBackendError(RuntimeError):
    pass


DistBackendError.__module__ = "torch.distributed"


def all_reduce(step, rank):
    if step == 52:
        raise DistBackendError("NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3356, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\\nLast error:\\nsocketProgressOpt: Call to recv from 10.3.0.12<41022> failed : Connection reset by peer")
"""
TABLE = """import resource, time
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
import numpy as np
users = []
for step in range(1, 400):
    users.append(np.ones((1 << 20,)))
    time.sleep(0.4)
    if step % 4 == 0:
        print(f"als sweep {step}/400 rmse {0.9 + 0.6 / step:.4f} rows cached {step << 20}", flush=True)
"""
MOVED = """import os, pathlib, time
mark = pathlib.Path("epoch.txt")
first = int(mark.read_text()) + 1 if mark.exists() else 1
if first > 1:
    print(f"restart {os.environ.get('SLURM_RESTART_COUNT')}: loaded state of epoch {first - 1}", flush=True)
for e in range(first, 25):
    time.sleep(1.2)
    mark.write_text(str(e))
    print(f"epoch {e}/24 ctc {3.1 / (1 + e / 6):.4f} cer {40 / (1 + e / 5):.2f}%", flush=True)
print("24 epochs done")
"""
TOPIC = """import time
for it in range(1, 3000):
    time.sleep(0.2)
    if it % 10 == 0:
        print(f"vae it {it}/3000 -elbo {140 - 40 * (1 - 0.99**it):.3f}", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Each of them for one reason."""
    hot = [(8.0 + s, {"temperature": str(min(85 + s, 92)), "throttle_reasons": "0x60", "clock.sm": str(max(1740 - 260 * (s + 1), 585)), "clock.graphics": str(max(1740 - 260 * (s + 1), 585)), "power.usage": "251000",
                      "violation.thermal": f"{1000000 + int(s * 1e6)} {int(s * 955e6)}", "slowdown.hw_thermal": str(int(s * 955e6)), "memory.temperature": "99"}) for s in range(24)]  # fmt: skip
    yield queue(
        bad("B3", None, fault="node"),
        HOT,
        "srun PYTHON nerf.py\n",
        script="nerf.py",
        python="system",
        gpus={0: card((0.0, work(64, gib=21)), *hot, (32.5, rest()))},
        state="COMPLETED",
    )
    yield queue(
        bad("C3", None, fault="unknown"),
        FUTEX,
        "srun PYTHON points.py\n",
        script="points.py",
        python="system",
        options=("--time=1",),
        gpus={0: card((0.0, work(47, gib=11)), (14.6, rest(11, watts=115, mhz=1980, temp=41)))},
        state="TIMEOUT",
    )
    yield queue(
        bad("C1", None, fault="unknown"),
        DNS,
        "export COORD=127.0.0.1:9\nsrun PYTHON join.py\n",
        script="join.py",
        ranks=2,
        nodes=2,
        python="system",
        options=("--time=1",),
        state="TIMEOUT",
    )
    dry = [x for n in range(11) for x in ((n * 3.7, rest(29, watts=119, mhz=1980, temp=42)), (n * 3.7 + 3.2, work(61, gib=29, watts=455)))]
    yield queue(
        bad("D1"), ROWS, "srun PYTHON seg3d.py\n", script="seg3d.py", python="system", gpus={0: card(*dry, (41.0, rest()))}, state="COMPLETED"
    )
    slowly = [(float(s), work(6 + s % 3, util=99, watts=168 + s % 6, dram=3, tensor=1, gib=66)) for s in range(30)]
    yield queue(
        bad("D2", None, "interconnect", fault="cluster"),
        FABRIC,
        "srun PYTHON pretrain.py\n",
        script="pretrain.py",
        ranks=4,
        nodes=2,
        python="system",
        gpus={r: card(*slowly, (30.5, rest())) for r in range(4)},
        state="COMPLETED",
    )
    quick = [(float(s), work(14 + s % 3, util=100, watts=235 + s % 5)) for s in range(30)]
    yield queue(
        bad("D3", None, fault="unknown"),
        ONE_SLOW,
        "srun PYTHON reduce.py\n",
        script="reduce.py",
        ranks=3,
        python="system",
        gpus={r: wavy(64, 30, 30.5, watts=500) if r == 1 else card(*quick, (30.5, rest())) for r in range(3)},
        state="COMPLETED",
    )
    yield queue(bad("E1"), JUMP, "PYTHON lm.py\n", script="lm.py", python="system", state="COMPLETED")
    yield queue(bad("A3", "div_zero", first=(0,)), DIVIDES, "srun PYTHON mlm.py\n", script="mlm.py", python="system", state="FAILED")
    yield queue(
        bad("A3", "nccl", fault="unknown"),
        WATCHDOG,
        "srun PYTHON fairseq_train.py\n",
        script="fairseq_train.py",
        files={"comms.py": COMMS},
        ranks=2,
        nodes=2,
        python="system",
        gpus={r: wavy(55 + r, 20, 20.9, gib=36) for r in range(2)},
        state="FAILED",
    )
    yield queue(bad("A3", "ram_oom", first=(0,)), TABLE, "PYTHON als.py\n", script="als.py", state="FAILED")
    yield queue(
        bad("F2", None, "requeued_recovered", fault="none"),
        MOVED,
        "srun PYTHON ctc.py\n",
        script="ctc.py",
        where="-wn3",
        options=("--requeue", "--open-mode=append"),
        act="requeue",
        after="epoch 9/24",
        python="system",
        state="COMPLETED",
    )
    yield queue(
        bad("F4", None, "by_other", fault="none"),
        TOPIC,
        "srun PYTHON vae.py\n",
        script="vae.py",
        act="scancel_by_admin",
        after="it 90/",
        python="system",
        state="CANCELLED",
    )
