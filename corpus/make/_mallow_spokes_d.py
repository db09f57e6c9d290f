"""More jobs that did what they were to do."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import WELL, WELL_BUT_UGLY, Span, batch, card
from corpus.running.job import SlurmJob

ZEROSHOT = """import random
import time

from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(500 + RANK)
names = ["caltech101", "dtd", "eurosat", "flowers102", "pets"]
rates = [0.871, 0.462, 0.389, 0.704, 0.885]
if RANK == 0:
    print(f"open_clip ViT-B-32 laion2b, zero-shot evaluation on {len(names)} datasets with {WORLD} processes", flush=True)
table = []
for name, rate in zip(names, rates):
    hits = sum(dice.random() < rate for _ in range(800))
    for part in range(1, 9):
        time.sleep(0.45)
        if part % 4 == 0:
            print(f"{NODE}:{RANK} {name} {100 * part}/800 images", flush=True)
    table.append((name, crew.mean(hits / 800)))
if RANK == 0:
    print("dataset      top1")
    for name, top1 in table:
        print(f"{name:<12} {top1:.4f}")
    print(f"mean         {sum(t for _, t in table) / len(table):.4f}")
    print("results appended to zeroshot.csv", flush=True)
"""
FIT = """import math
import random
import sys
import time

import opening

dice = random.Random(2)
print("Found 8144 files belonging to 196 classes.", flush=True)
for epoch in range(1, 9):
    print(f"Epoch {epoch}/8", flush=True)
    for b in range(1, 21):
        time.sleep(0.21)
        loss = 0.6 + 4.7 * math.exp(-(20 * epoch - 20 + b) / 50) + dice.gauss(0, 0.03)
        if b % 5 == 0:
            sys.stdout.write(f"\\r{b}/20 {'━' * b:<20} {'' if b == 20 else str((20 - b) * 21 // 100) + 's '}210ms/step - accuracy: {1 / (1 + loss):.4f} - loss: {loss:.4f}")
            sys.stdout.flush()
    print(f" - val_accuracy: {0.83 - 0.8 * math.exp(-epoch / 2.7):.4f} - val_loss: {0.75 + 4.5 * math.exp(-epoch / 2.4):.4f}", flush=True)
print("saved cars196.keras", flush=True)
"""
FLAPS = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew

crew = Crew()
dice = random.Random(RANK)
for step in range(1, 101):
    time.sleep(0.33)
    if step in (31, 32):
        if RANK == 3:
            print(f"{NODE}:{9120 + RANK}:{9188 + RANK} [{RANK % 2}] NCCL WARN NET/IB : Got async event : port error on mlx5_2, port 1", flush=True)
            print(f"{NODE}:{9120 + RANK}:{9188 + RANK} [{RANK % 2}] NCCL INFO NET/IB : port active again on mlx5_2, resuming", flush=True)
            time.sleep(1.3)
    if step == 60:
        if RANK == 0:
            print("WARNING: could not write tensorboard event: [Errno 28] No space left on device: '/tmp/tb/events.out'; logging to tensorboard is switched off", flush=True)
    loss = crew.mean(1.05 + 2.6 * math.exp(-step / 24) + dice.gauss(0, 0.02))
    if RANK == 0 and step % 5 == 0:
        print(f"[{time.strftime('%H:%M:%S')}] step {step}/100 loss={loss:.4f} samples/s={WORLD * 16 / 0.33:.0f}", flush=True)
if RANK == 0:
    print("100 steps done, final checkpoint in runs/owl/last", flush=True)
"""
SPECIES = """import math
import random
import time

from crew import RANK, WORLD, Crew

crew = Crew()
dice = random.Random(90 + RANK)
bad = 0
if RANK == 0:
    print("iNat21-mini, 10000 classes, chance is 0.01 %", flush=True)
for step in range(1, 161):
    if dice.random() < 0.03:
        bad += 1
        print(f"[rank {RANK}] error while decoding train/{dice.randrange(10000):05d}/{dice.randrange(99999):05d}.jpg: image file is truncated ({dice.randrange(90)} bytes not processed); another image is taken", flush=True)
    time.sleep(0.18)
    loss = crew.mean(7.05 + 2.16 * math.exp(-step / 60) + dice.gauss(0, 0.015))
    if RANK == 0 and step % 10 == 0:
        print(f"step {step:>4}/160  ce {loss:.3f}  top1 {0.01 + 3.4 * (1 - math.exp(-step / 90)):.2f} %  top5 {0.05 + 9.9 * (1 - math.exp(-step / 80)):.2f} %", flush=True)
print(f"[rank {RANK}] planned 160 steps done, {bad} images replaced", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """Two plain ones, two with a rough surface."""
    yield batch(WELL, ZEROSHOT, "srun PYTHON zeroshot.py\n", name="zeroshot.py", ranks=3, nodes=3, state="COMPLETED")
    yield batch(WELL, FIT, "PYTHON cars.py\n", name="cars.py", cards={0: card(Span(34, sm=45, gib=19), seed=600)}, state="COMPLETED")
    yield batch(
        WELL_BUT_UGLY,
        FLAPS,
        "srun PYTHON owl.py\n",
        name="owl.py",
        ranks=4,
        nodes=2,
        cards={r: card(Span(36, sm=56, gib=35), seed=610 + r) for r in range(4)},
        state="COMPLETED",
    )
    yield batch(WELL_BUT_UGLY, SPECIES, "srun PYTHON inat.py\n", name="inat.py", ranks=4, nodes=2, state="COMPLETED")
