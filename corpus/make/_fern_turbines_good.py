"""Jobs that end well; the later ones have something in them that would worry."""

from __future__ import annotations

import random
from collections.abc import Iterator

from corpus.make._fern_turbines_wire import WIRE
from corpus.make._sorrel_docks_kit import FINE, GRIM, SLOW_S, hand_in, held, span, still
from corpus.running.job import SlurmJob

PHONES = """import torch
from beat import until

torch.manual_seed(40)
PHONES, BANDS = 9, 14
prototypes = torch.randn(PHONES, BANDS)
encoder = torch.nn.GRU(BANDS, 28, batch_first=True)
top = torch.nn.Linear(28, PHONES)
params = [*encoder.parameters(), *top.parameters()]
opt = torch.optim.AdamW(params, lr=6e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1.2e-2, total_steps=96)
print("| 2 layers | 9 phones | 96 updates | bf16 off |")
for update in range(1, 97):
    spoken = torch.randint(0, PHONES, (20, 12))
    frames = prototypes[spoken] + 0.9 * torch.randn(20, 12, BANDS)
    logits = top(encoder(frames)[0])
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), spoken.flatten())
    opt.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    sched.step()
    until(update * 0.23)
    if update % 12 == 0:
        per = (logits.argmax(2) != spoken).float().mean().item()
        print(f"| update {update:3d} | loss {loss.item():6.3f} | per {100 * per:5.1f} | gnorm {norm.item():5.2f} | lr {sched.get_last_lr()[0]:.2e} |")
torch.save(top.state_dict(), "phones_last.pt")
print("| best and last model in phones_last.pt | end of training |")
"""
BENCH = """import json
import random
import time

model = json.load(open("reader.json"))
tasks = ["opposites", "plurals", "odd-one-out", "copy", "sorting", "counting"]
print(f"harness: model {model['name']}, {len(tasks)} tasks, 0-shot, limit none")
rows = []
for name in tasks:
    dice = random.Random(name)
    hits, n = 0, 160
    started = time.time()
    for _ in range(n):
        x = [dice.gauss(0, 1) for _ in model["w"]]
        answer = sum(a * b for a, b in zip(model["w"], x)) > 0
        hits += answer == (sum(x) + dice.gauss(0, 1) > 0)
        time.sleep(0.01)
    rows.append((name, n, hits / n, (hits / n * (1 - hits / n) / n) ** 0.5))
    print(f"harness: {name} done, {n} documents in {time.time() - started:.1f} s")
print("|task       |  n|  acc |stderr|")
print("|-----------|--:|-----:|-----:|")
for name, n, acc, err in rows:
    print(f"|{name:<11}|{n}|{acc:.4f}|{err:.4f}|")
json.dump(rows, open("results.json", "w"))
print("harness: results.json written")
"""
PLATE = """import wire
from beat import until

wire.join()
mine = [0.0] * 14
edge = 100.0 if wire.me == 0 else 20.0
if wire.me == 0:
    print(f"plate: {14 * wire.count} cells on {wire.count} devices, dirichlet 100 / 20, tolerance 5e-2", flush=True)
for it in range(1, 4001):
    ends = wire.everyone([mine[0], mine[-1]])
    left = 100.0 if wire.me == 0 else ends[wire.me - 1][1]
    right = 20.0 if wire.me == wire.count - 1 else ends[wire.me + 1][0]
    line = [left, *mine, right]
    new = [0.5 * (line[i - 1] + line[i + 1]) for i in range(1, 15)]
    residual = max(abs(a - b) for a, b in zip(new, mine))
    mine = new
    residual = max(r[0] for r in wire.everyone([residual]))
    until(it * 0.044)
    if wire.me == 0 and it % 50 == 0:
        print(f"plate: sweep {it:5d}  max change {residual:.5e}", flush=True)
    if residual < 5e-2:
        break
if wire.me == 0:
    print(f"plate: converged after {it} sweeps, max change {residual:.3e}", flush=True)
print(f"plate: part {wire.me} from {mine[0]:.2f} to {mine[-1]:.2f} written", flush=True)
"""
STUDY = """import os
import random
import sqlite3
import time

who = f"w{os.environ['SLURM_PROCID']}"
db = sqlite3.connect("study.db", timeout=60, isolation_level=None)
done = 0
while True:
    db.execute("BEGIN IMMEDIATE")
    row = db.execute("SELECT id, lr, width FROM trial WHERE owner IS NULL ORDER BY id LIMIT 1").fetchone()
    if row is None:
        db.execute("COMMIT")
        break
    db.execute("UPDATE trial SET owner = ? WHERE id = ?", (who, row[0]))
    db.execute("COMMIT")
    number, lr, width = row
    dice, w = random.Random(number), 0.0
    for _ in range(12 * width):
        x = dice.gauss(0, 1)
        w -= lr * (w - 2.5) * x * x
        time.sleep(0.04)
    db.execute("UPDATE trial SET value = ? WHERE id = ?", ((w - 2.5) ** 2, number))
    done += 1
    print(f"{time.strftime('%H:%M:%S')} {who} trial {number:2d} lr={lr:.4f} width={width} -> objective {(w - 2.5) ** 2:.5f}", flush=True)
print(f"{time.strftime('%H:%M:%S')} {who} no open trials left, {done} done here", flush=True)
"""
FILLED = """import random
import sqlite3

dice = random.Random(3)
with sqlite3.connect("study.db") as db:
    db.execute("CREATE TABLE trial (id INTEGER PRIMARY KEY, lr REAL, width INTEGER, owner TEXT, value REAL)")
    db.executemany("INSERT INTO trial (lr, width) VALUES (?, ?)", [(10 ** dice.uniform(-2.5, -0.5), dice.choice([3, 4, 5, 6])) for _ in range(28)])
print("study.db: 28 open trials")
"""
CONVERT = """import struct
import sys
import warnings

src, dst = sys.argv[1:3]
print(f"convert {src} -> {dst} (float64 -> float16)")
worst = total = 0
with open(src) as f, open(dst, "wb") as out:
    for line in f:
        name, *numbers = line.split()
        values = [float(v) for v in numbers]
        packed = struct.pack(f"{len(values)}e", *values)
        back = struct.unpack(f"{len(values)}e", packed)
        off = max(abs(a - b) for a, b in zip(values, back))
        worst = max(worst, off)
        if name.endswith("running_var"):
            warnings.warn(f"{name}: legacy buffer, kept though it is not in the new layout", DeprecationWarning, stacklevel=1)
        out.write(packed)
        total += 1
        print(f"  {name:<28} {len(values):>4} values  max err {off:.2e}")
print(f"{total} tensors converted, 0 skipped, worst rounding error {worst:.2e}")
"""
_DICE = random.Random(6)
TENSORS = "".join(
    f"block{b}.{part} " + " ".join(f"{_DICE.gauss(0, 1):.7f}" for _ in range(20)) + "\n"
    for b in range(6)
    for part in ("conv.weight", "norm.weight", "norm.running_var")
)
STREAM = """import logging
import random
import sys

from beat import until

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)-8s %(name)s  %(message)s")
log = logging.getLogger("stream")
dice = random.Random(14)
broken = {9: 2, 25: 1, 26: 1, 44: 1}


class StoreBusy(OSError):
    pass


def read(shard):
    if broken.get(shard, 0):
        broken[shard] -= 1
        raise StoreBusy(f"503 Slow Down: GET shard-{shard:05d}.tar")
    return [(x, 1.5 * x - 0.7 + dice.gauss(0, 0.2)) for x in (dice.uniform(-2, 2) for _ in range(64))]


w = b = 0.0
tries = 0
for shard in range(1, 61):
    for wait in (0.05, 0.1, 0.2):
        try:
            rows = read(shard)
            break
        except StoreBusy:
            tries += 1
            log.warning("read failed, retry in %.2f s", wait, exc_info=True)
    loss = sum((w * x + b - y) ** 2 for x, y in rows) / 64
    w, b = w - 0.05 * sum((w * x + b - y) * x for x, y in rows) / 32, b - 0.05 * sum(w * x + b - y for x, y in rows) / 32
    until(shard * 0.38)
    if shard % 6 == 0:
        log.info("shard %02d/60  loss %.4f  w %.3f  b %.3f", shard, loss, w, b)
log.info("epoch end: 60 shards read, %d reads repeated, none skipped", tries)
"""
SCALER = """import random

from beat import until

dice = random.Random(28)
scale, skipped = 65536.0, 0
theta = [0.0] * 8
truth = [dice.uniform(-1, 1) for _ in theta]
print("amp: dynamic loss scale, initial 65536, growth interval 2000")
for it in range(1, 111):
    x = [[dice.gauss(0, 1) for _ in theta] for _ in range(30)]
    errs = [sum((a - t) * v for a, t, v in zip(theta, truth, row)) + dice.gauss(0, 0.1) for row in x]
    loss = sum(e * e for e in errs) / 30
    grads = [sum(e * row[d] for e, row in zip(errs, x)) / 15 for d in range(8)]
    until(it * 0.22)
    if max(abs(g) for g in grads) * scale > 15000:
        scale /= 2
        skipped += 1
        print(f"iteration {it}: inf in the scaled gradients, update skipped, loss scale -> {scale:.0f}")
        continue
    theta = [a - 0.05 * g for a, g in zip(theta, grads)]
    if it % 10 == 0:
        print(f"iteration {it:3d}/110 loss {loss:.5f} scale {scale:.0f} skipped {skipped} nan 0")
print(f"finished 110 iterations, {skipped} of them skipped by the scaler")
"""
ROVER = """import math
import random
import time

dice = random.Random(50)
logit = [-1.0] * 4
value, returns = 0.0, []
print("rover-grid | a2c | 60 updates of 24 episodes")
for update in range(1, 61):
    batch = []
    for _ in range(24):
        total, picks = 0.0, []
        for s in range(4):
            p = 1 / (1 + math.exp(-logit[s]))
            a = dice.random() < p
            picks.append((s, a, p))
            total += a * (s + 1) - 0.2
        batch.append((total, picks))
    mean = sum(t for t, _ in batch) / 24
    var = sum((t - mean) ** 2 for t, _ in batch) / 24
    ev = float("nan") if update == 1 else 1 - sum((t - value) ** 2 for t, _ in batch) / 24 / max(var, 1e-9)
    v_loss = sum((t - value) ** 2 for t, _ in batch) / 24
    for t, picks in batch:
        for s, a, p in picks:
            logit[s] += 0.012 * (t - value) * (a - p)
    value += 0.3 * (mean - value)
    returns.append(mean)
    time.sleep(0.3)
    if update % 5 == 0 or update == 1:
        print(f"update {update:2d} | ep_return {mean:6.2f} | value_loss {v_loss:7.3f} | policy_loss {-0.1 * v_loss:+.3f} | explained_var {ev:.3f}", flush=True)
print(f"training done: last-10 return {sum(returns[-10:]) / 10:.2f}, first-10 return {sum(returns[:10]) / 10:.2f}")
"""


def jobs() -> Iterator[SlurmJob]:
    """Eight, half of them hard."""
    yield hand_in(
        FINE,
        "COMPLETED",
        "srun PYTHON phones.py\n",
        {"phones.py": PHONES},
        python="torch",
        begin_s=SLOW_S,
        cards={0: [*span(53, 0, 22, gib=21), (22.4, still())]},
        name="phones",
    )
    model = '{"name": "reader-small", "w": [0.9, 1.1, 0.7, 1.0, 1.3]}\n'
    yield hand_in(FINE, "COMPLETED", "srun PYTHON harness.py\n", {"harness.py": BENCH, "reader.json": model}, name="harness")
    yield hand_in(
        FINE, "COMPLETED", "srun PYTHON plate.py\n", {"plate.py": PLATE, "wire.py": WIRE}, tasks=2, cards={r: [*span(71 - r, 0, 23, gib=16, watts=545), (24.0, still())] for r in range(2)}, name="plate",
    )  # fmt: skip
    yield hand_in(FINE, "COMPLETED", "PYTHON fill.py\nsrun PYTHON study.py\n", {"study.py": STUDY, "fill.py": FILLED}, tasks=4, name="study")
    yield hand_in(
        GRIM, "COMPLETED", "srun PYTHON -W always convert.py old.txt new.bin\n", {"convert.py": CONVERT, "old.txt": TENSORS}, name="convert"
    )  # over in a second or two
    yield hand_in(
        GRIM, "COMPLETED", "srun PYTHON stream.py\n", {"stream.py": STREAM}, cards={0: [*span(51, 0, 22.8, gib=25), (23.0, still())]}, name="stream"
    )
    past = {
        "remapped.corrected": "3", "remapped.uncorrected": "1", "ecc.aggregate.uncorrected": "2", "ecc.aggregate.uncorrected.dram": "2", "ecc.aggregate.corrected": "61",
        "ecc.aggregate.corrected.dram": "61", "pcie.replay": "4",
    }  # fmt: skip
    aged = [(at_s, {**values, **past}) for at_s, values in span(60, 0, 24, gib=40)]
    yield hand_in(
        GRIM, "COMPLETED", "srun PYTHON amp.py\n", {"amp.py": SCALER}, cards={0: [(-21.9, {**held(0.4), **past}), *aged, (24.6, still())]}, name="amp-fit",
    )  # counters of long ago, and a loss scale that finds its size  # fmt: skip
    yield hand_in(
        GRIM, "COMPLETED", "srun PYTHON rover.py\n", {"rover.py": ROVER}, act="suspend", after="update 15 ", name="rover"
    )  # an operator stops it for some seconds; its losses go up with its returns
