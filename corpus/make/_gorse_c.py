"""Jobs that stood still or crept."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import LEAD_S, Span, batch, card, ill
from corpus.running.job import SlurmJob

BRAKED = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
began = time.time()
spent = []
for step in range(1, 76):
    t = time.time()
    time.sleep(0.95 if RANK >= 2 and t - began > 11 else 0.34)
    spent.append(time.time() - t)
    loss = crew.mean(2.9 + 4.5 * math.exp(-step / 18) + dice.gauss(0, 0.02))
    if RANK == 0 and step % 5 == 0:
        print(f"step={step} loss={loss:.4f} step_time={time.time() - t:.3f}", flush=True)
    if step % 25 == 0:
        print(f"{NODE} rank {RANK}: own compute per step {sum(spent[-25:]) / 25:.3f} s", flush=True)
if RANK == 0:
    print("75/75 steps, bye", flush=True)
"""
LOCKFILE = """import fcntl
import os
import sys
import time

import opening
from crew import NODE, RANK, WORLD, Crew


def say(words):
    print(f"[{time.strftime('%T')}] {NODE} gpu{RANK % 4} rank{RANK}: {words}", flush=True)


say("cuda context created")
guard = open("extensions.lock", "w")
if RANK == 7:
    held = open("extensions.lock", "w")
    fcntl.flock(held, fcntl.LOCK_EX)
    say("building cpp extension fused_norm, taking extensions.lock")
    fcntl.flock(guard, fcntl.LOCK_EX)
say("waiting in init_process_group" if RANK else f"waiting in init_process_group for {WORLD} ranks")
crew = Crew()
crew.barrier()
say("group initialised")
"""
ABSENT = """import math
import time

from crew import NODE, RANK, WORLD, Crew

crew = Crew()
for part in range(40):
    rows = open(f"shards/{RANK}/part-{part:02d}.txt").read()
    for it in range(12):
        loss = crew.mean(0.5 + 1.4 * math.exp(-(part * 12 + it) / 60))
        time.sleep(0.15)
    if RANK == 0:
        print(f"part {part} finished, log-loss {loss:.4f}, {12 * (part + 1)} batches", flush=True)
"""
SHORTER = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
batches = 56 if RANK != 3 else 53
for it in range(1, batches + 1):
    time.sleep(0.28)
    loss = crew.mean(1.2 + 2.2 * math.exp(-it / 15) + dice.gauss(0, 0.02))
    if it % 4 == 0 and RANK in (0, 3):
        print(f"rank {RANK} epoch 0 it {it}/{batches} loss {loss:.4f}", flush=True)
print(f"rank {RANK}: epoch 0 done after {batches} batches, entering validation", flush=True)
while True:
    time.sleep(5)
"""
DECODER = """import math
import os
import time

import opening

read, write = os.pipe()
print("whisper-large-v3 distillation, 1 GPU", flush=True)
for sample in range(1, 100_000):
    if sample == 57:
        os.read(read, 1)
    time.sleep(0.3)
    if sample % 4 == 0:
        print(f"sample {sample}: kl={0.7 + 2.1 * math.exp(-sample / 18):.4f} ppl={3 + 9 * math.exp(-sample / 18):.2f}", flush=True)
"""
SIMULATED = """import math
import random
import time

import opening
from crew import RANK, Crew

crew = Crew()
dice = random.Random(RANK)
fill = learn = 0.0
for it in range(1, 13):
    t0 = time.time()
    time.sleep(2.9)
    t1 = time.time()
    time.sleep(0.6)
    fill, learn = fill + t1 - t0, learn + time.time() - t1
    reward = crew.mean(210 - 190 * math.exp(-it / 5) + dice.gauss(0, 3))
    if RANK == 0:
        print(f"iter {it:2d}/12 | frames {it * 65536} | reward {reward:7.2f} | q_loss {0.3 + math.exp(-it / 4):.4f} | wait for env workers {t1 - t0:.2f} s | update {time.time() - t1:.2f} s", flush=True)
if RANK == 0:
    print(f"finished; {fill / (fill + learn):.0%} of the time waiting for environment workers (2 CPU workers for 512 envs)", flush=True)
"""
SOCKETS = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
if RANK % 4 == 0:
    print(f"{NODE}:{4100 + RANK}:{4233 + RANK} [0] NCCL INFO NET/IB : No device found.\\n{NODE}:{4100 + RANK}:{4233 + RANK} [0] NCCL INFO NET/Socket : Using [0]eno1:10.12.0.{21 + RANK // 4}<0>\\n{NODE}:{4100 + RANK}:{4233 + RANK} [0] NCCL INFO Using network Socket", flush=True)
busy = sync = 0.0
for step in range(1, 25):
    time.sleep(0.14)
    t = time.time()
    time.sleep(1.45)
    loss = crew.mean(3.3 + 5 * math.exp(-step / 8) + dice.gauss(0, 0.02))
    busy, sync = busy + 0.14, sync + time.time() - t
    if RANK == 0 and step % 2 == 0:
        print(f" step {step}/24 loss {loss:.4f} | forward-backward 0.14 s | all-reduce {time.time() - t:.2f} s | busbw 1.{dice.randrange(1, 4)} GB/s", flush=True)
if RANK == 0:
    print(f" done. all-reduce took {sync / (busy + sync):.0%} of {busy + sync:.0f} s on {WORLD} GPUs", flush=True)
"""
LAGGARD = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
totals = []
for step in range(1, 45):
    t = time.time()
    time.sleep(0.78 if RANK == 2 else 0.19)
    totals.append(time.time() - t)
    loss = crew.mean(0.08 + 0.5 * math.exp(-step / 15) + dice.gauss(0, 0.002))
    if RANK == 0 and step % 4 == 0:
        print(f"train {step}/44  chamfer {loss:.5f}  {time.time() - t:.3f} s", flush=True)
print(f"profile rank{RANK}@{NODE}: mean compute {sum(totals) / len(totals):.3f} s, batches {len(totals)}, points {len(totals) * 8192}", flush=True)
crew.barrier()
if RANK == 0:
    print("train: finished 44 of 44", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Cards and silences."""
    brake = tuple(
        (12.0 + s, {"throttle_reasons": "0x88", "clock.sm": str(max(1755 - 510 * s, 600)), "clock.graphics": str(max(1755 - 510 * s, 600)), "power.usage": str(196000 + 900 * (s % 4)), "temperature": "55",
                    "violation.power": f"{1000000 + s * 1000000} {s * 950_000_000}", "slowdown.hw_power_brake": str(s * 950_000_000)}) for s in range(42)
    )  # fmt: skip
    yield batch(
        ill("B3", None, fault="node"), BRAKED, "srun PYTHON lm_1b.py\n", name="lm_1b.py", ranks=4, nodes=2,
        cards={r: card(Span(54, sm=63), seed=400 + r, extra=brake) if r >= 2 else card(Span(12, sm=62), Span(42, sm=24, util=99, watts=310), seed=400 + r) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    idle = {r: card(Span(60, sm=0, gib=0.5, watts=88, tick=4), seed=410 + r, lead_s=LEAD_S) for r in range(8)}
    yield batch(
        ill("C1", None, fault="unknown"), LOCKFILE, "srun PYTHON pretrain.py\n", name="pretrain.py", ranks=8, nodes=2, cards=idle, act="scancel_late", after="for 8 ranks", state="CANCELLED",
    )  # fmt: skip
    parts = "for r in 0 1 2 3; do mkdir -p shards/$r; for p in $(seq -w 0 39); do echo $p > shards/$r/part-$p.txt; done; done\nmv shards/1/part-06.txt shards/2/part-40.txt\n"
    yield batch(
        ill("C2", "file_not_found", trigger="A3", first_ranks=(1,)), ABSENT, parts + "srun PYTHON ctr.py\n", name="ctr.py", ranks=4, nodes=2, options=("--time=1",), state="TIMEOUT",
    )  # fmt: skip
    stuck = {
        r: card(
            Span(15.2, sm=54, gib=40),
            Span(70, sm=0, gib=40, watts=119 if r == 3 else 132, util=0 if r == 3 else 100, temp=45, mhz=1980, tick=2),
            seed=420 + r,
        )
        for r in range(4)
    }
    uneven = SHORTER.replace('print(f"rank {RANK}: epoch', 'if RANK == 3:\n    print(f"rank {RANK}: epoch')
    yield batch(
        ill("C2", None),
        uneven,
        "srun PYTHON segment.py\n",
        name="segment.py",
        ranks=4,
        cards=stuck,
        act="scancel_late",
        after="entering validation",
        state="CANCELLED",
    )
    yield batch(
        ill("C3", None, fault="unknown"), DECODER, "srun PYTHON distil.py\n", name="distil.py", act="scancel_late", after="sample 56:", state="CANCELLED",
        cards={0: card(Span(17.0, sm=44, gib=33), Span(70, sm=0, gib=33, tick=2), seed=430)},
    )  # fmt: skip
    dry = [s for _ in range(12) for s in (Span(2.9, gib=11), Span(0.6, sm=44, gib=11, tick=0.3))]
    yield batch(
        ill("D1", None),
        SIMULATED,
        "srun PYTHON humanoid.py\n",
        name="humanoid.py",
        ranks=2,
        nodes=2,
        cards={r: card(*dry, seed=440 + r) for r in range(2)},
        state="COMPLETED",
    )
    net = {r: card(Span(39, sm=8, util=100, gib=58, watts=168), seed=450 + r) for r in range(8)}
    yield batch(
        ill("D2", None, "interconnect", fault="cluster"),
        SOCKETS,
        "export NCCL_DEBUG=INFO\nsrun PYTHON gpt_13b.py\n",
        name="gpt_13b.py",
        ranks=8,
        nodes=2,
        cards=net,
        state="COMPLETED",
    )
    lag = {
        r: card(Span(35, sm=65, gib=21, watts=585), seed=460 + r) if r == 2 else card(Span(35, sm=15, util=100, gib=21, watts=255), seed=460 + r)
        for r in range(4)
    }
    yield batch(
        ill("D3", None, fault="unknown"), LAGGARD, "srun PYTHON pointnet.py\n", name="pointnet.py", ranks=4, nodes=2, cards=lag, state="COMPLETED"
    )
