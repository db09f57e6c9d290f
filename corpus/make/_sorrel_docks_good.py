"""Jobs that end well; the later ones have something in them that would worry."""

from __future__ import annotations

import json
from collections.abc import Iterator

from corpus.make._sorrel_docks_kit import FINE, GRIM, busy, hand_in, held, span, still
from corpus.running.job import SlurmJob

LEAVES = """import math
import random

from beat import until

CLASSES, DIM, PER_EPOCH, EPOCHS = 4, 6, 12, 8
dice = random.Random(3)
centres = [[dice.gauss(0, 1.4) for _ in range(DIM)] for _ in range(CLASSES)]
weights = [[0.0] * DIM for _ in range(CLASSES)]


def draw(n):
    return [([c + dice.gauss(0, 1) for c in centres[k]], k) for k in (dice.randrange(CLASSES) for _ in range(n))]


def probs(x):
    raw = [sum(w * v for w, v in zip(row, x)) for row in weights]
    top = max(raw)
    e = [math.exp(r - top) for r in raw]
    return [v / sum(e) for v in e]


def loss_and_hits(rows):
    ps = [(probs(x), k) for x, k in rows]
    return -sum(math.log(p[k]) for p, k in ps) / len(ps), sum(p.index(max(p)) == k for p, k in ps) / len(ps)


held_out = draw(200)
print("leaf-health classifier | 4 classes | 8 epochs x 12 iterations | GPU 0")
print(f"{'epoch':>5} {'train loss':>11} {'val loss':>9} {'val acc':>8} {'lr':>8}")
for epoch in range(EPOCHS):
    lr, seen = 0.3 * 0.75**epoch, 0.0
    for k in range(PER_EPOCH):
        rows = draw(24)
        seen += loss_and_hits(rows)[0] / PER_EPOCH
        for x, y in rows:
            for c, p in enumerate(probs(x)):
                for d in range(DIM):
                    weights[c][d] -= lr * (p - (c == y)) * x[d] / 24
        until((epoch * PER_EPOCH + k + 1) * 0.25)
    val, acc = loss_and_hits(held_out)
    print(f"{epoch + 1:>5} {seen:>11.4f} {val:>9.4f} {acc:>8.3f} {lr:>8.4f}")
with open("leaf.weights", "w") as f:
    f.write(repr(weights))
print("weights written to leaf.weights, training complete")
"""
RIDGE = """import csv
import itertools
import os
import random
import sys
import time

task = int(os.environ["SLURM_ARRAY_TASK_ID"])
grid = list(itertools.product([0.002, 0.005, 0.01], [0.0, 0.01, 0.1]))
lr, l2 = grid[task]
dice = random.Random(task)
truth = [dice.gauss(0, 1) for _ in range(8)]
out = csv.writer(sys.stdout)
print(f"# sweep member {task} of {len(grid)}: lr={lr} l2={l2}")
out.writerow(["fold", "pass", "train_mse", "holdout_mse"])
scores = []
for fold in range(4):
    w = [0.0] * 8
    rows = [[dice.gauss(0, 1) for _ in range(8)] for _ in range(90)]
    rows = [(x, sum(a * b for a, b in zip(truth, x)) + dice.gauss(0, 0.2)) for x in rows]
    mse = lambda part: sum((sum(a * b for a, b in zip(w, x)) - y) ** 2 for x, y in part) / len(part)
    for n in range(1, 9):
        for x, y in rows[:60]:
            err = sum(a * b for a, b in zip(w, x)) - y
            w = [a - lr * (err * b + l2 * a) for a, b in zip(w, x)]
        time.sleep(0.25)
        out.writerow([fold, n, f"{mse(rows[:60]):.5f}", f"{mse(rows[60:]):.5f}"])
    scores.append(mse(rows[60:]))
print(f"# member {task} finished, mean holdout mse over 4 folds {sum(scores) / 4:.5f}")
"""
CHAIN = """import math
import random

from beat import until

N, DT, EVERY, STEPS = 24, 0.004, 250, 5000
dice = random.Random(11)
x = [1.12 * i + dice.gauss(0, 0.01) for i in range(N)]
v = [dice.gauss(0, 0.3) for _ in range(N)]
drift = sum(v) / N
v = [u - drift for u in v]


def forces():
    f, e = [0.0] * N, 0.0
    for i in range(N - 1):
        r = x[i + 1] - x[i]
        s6 = (1 / r) ** 6
        e += 4 * (s6 * s6 - s6)
        g = 24 * (2 * s6 * s6 - s6) / r
        f[i] -= g
        f[i + 1] += g
    return f, e


print("lj-chain  24 particles, NVE, dt = 0.004, 5000 steps, offload: device 0")
print("    step        time        e_pot        e_kin        e_tot     temp")
f, pot = forces()
for step in range(1, STEPS + 1):
    v = [u + 0.5 * DT * a for u, a in zip(v, f)]
    x = [p + DT * u for p, u in zip(x, v)]
    f, pot = forces()
    v = [u + 0.5 * DT * a for u, a in zip(v, f)]
    if step % EVERY == 0:
        kin = 0.5 * sum(u * u for u in v)
        until(step * 0.0046)
        print(f"{step:8d} {step * DT:11.4f} {pot:12.5f} {kin:12.5f} {pot + kin:12.5f} {2 * kin / N:8.4f}")
print("restart file chain.5000 written")
open("chain.5000", "w").write("\\n".join(f"{a:.9f} {b:.9f}" for a, b in zip(x, v)))
print("normal end of run")
"""
TIDES = """import json
import math
import os
import random
import time

import team
from beat import since, until

team.meet()
dice = random.Random(100 + team.rank)
a, b, c = 0.0, 0.0, 0.0
host = os.environ["SLURMD_NODENAME"]
print(json.dumps({"event": "ready", "rank": team.rank, "host": host, "world": team.size}), flush=True)
for step in range(1, 101):
    rows = []
    for _ in range(40):
        t = dice.uniform(0, 6.28)
        rows.append((t, 1.7 * math.sin(t) - 0.6 * math.cos(t) + 0.3 + dice.gauss(0, 0.1)))
    errs = [(a * math.sin(t) + b * math.cos(t) + c - y, t) for t, y in rows]
    loss = sum(e * e for e, _ in errs) / 40
    grads = [sum(e * math.sin(t) for e, t in errs) / 20, sum(e * math.cos(t) for e, t in errs) / 20, sum(e for e, _ in errs) / 20, loss]
    ga, gb, gc, loss = team.mean(grads)
    a, b, c = a - 0.1 * ga, b - 0.1 * gb, c - 0.1 * gc
    until(step * 0.24)
    if step % 10 == 0 and team.rank == 0:
        print(json.dumps({"event": "train", "step": step, "of": 100, "loss": round(loss, 5), "samples_per_s": round(160 * step / since(), 1)}), flush=True)
team.mean([0.0])
if team.rank == 0:
    print(json.dumps({"event": "saved", "path": "tides.json", "coef": [round(v, 4) for v in (a, b, c)]}), flush=True)
print(json.dumps({"event": "exit", "rank": team.rank, "status": 0}), flush=True)
"""
POOL = """import logging
import os
import pathlib
import random
import time

me, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s worker-{me} %(levelname)s %(message)s", datefmt="%H:%M:%S")
pathlib.Path("stitched").mkdir(exist_ok=True)


def fetch(tile, attempt):
    if tile % 13 == 5 and attempt == 1:
        raise TimeoutError(f"tile server gave no answer for tile {tile:03d} within 0.4 s")
    if tile == 22 and attempt < 3:
        return bytes(10)
    return random.Random(tile).randbytes(600)


def depth(raw):
    if len(raw) != 600:
        raise ValueError(f"expected 600 bytes, got {len(raw)}")
    return sum(raw) / len(raw)


again = 0
mine = range(me, 44, n)
for tile in mine:
    for attempt in (1, 2, 3, 4):
        try:
            value = depth(fetch(tile, attempt))
            break
        except (TimeoutError, ValueError):
            again += 1
            logging.exception("tile %03d, attempt %d of 4 did not work, trying again", tile, attempt)
            time.sleep(0.3)
    pathlib.Path(f"stitched/{tile:03d}.depth").write_text(f"{value:.4f}")
    time.sleep(0.9)
    logging.info("tile %03d ok, mean depth %.2f", tile, value)
logging.info("queue drained: %d tiles written, %d attempts repeated, 0 tiles lost", len(mine), again)
"""
PICKUP = """import json
import pathlib
import random
import time
import traceback

kept = sorted(pathlib.Path("state").glob("pass_*.json"), reverse=True)
w, first = [0.0] * 5, 1
print(f"found {len(kept)} saved states: {', '.join(p.name for p in kept)}")
for p in kept:
    try:
        said = json.loads(p.read_text())
    except ValueError:
        traceback.print_exc()
        print(f"WARNING {p.name} cannot be read (node reboot during the write?), falling back to the one before")
        continue
    w, first = said["w"], said["pass"] + 1
    print(f"restored {p.name}: pass {said['pass']}, loss was {said['loss']:.4f}; going on with pass {first}")
    break
dice = random.Random(first)
truth = [0.8, -1.1, 0.35, 2.0, -0.4]
for n in range(first, 31):
    total = 0.0
    for _ in range(60):
        x = [dice.gauss(0, 1) for _ in truth]
        e = sum((a - t) * v for a, t, v in zip(w, truth, x)) + dice.gauss(0, 0.25)
        total += e * e / 60
        w = [a - 0.004 * e * v for a, v in zip(w, x)]
    time.sleep(0.8)
    print(f"pass {n:2d}/30  loss {total:.4f}")
    if n % 3 == 0:
        pathlib.Path(f"state/pass_{n:02d}.json").write_text(json.dumps({"pass": n, "w": w, "loss": total}))
print("finished all 30 passes")
"""
STATES = {
    "state/pass_09.json": json.dumps({"pass": 9, "w": [0.55, -0.71, 0.2, 1.42, -0.29], "loss": 0.6541}),
    "state/pass_12.json": json.dumps({"pass": 12, "w": [0.63, -0.85, 0.26, 1.62, -0.33], "loss": 0.3468}),
    "state/pass_15.json": json.dumps({"pass": 15, "w": [0.69, -0.93, 0.29, 1.74, -0.35], "loss": 0.2102})[:41],
}
PROBE = """import torch
from beat import until
from arena import forward_memory

net = torch.nn.Sequential(torch.nn.Linear(24, 48), torch.nn.SiLU(), torch.nn.Linear(48, 24))
opt = torch.optim.AdamW(net.parameters(), lr=6e-3)
batch = 2048
while True:
    try:
        forward_memory(batch)
        net(torch.randn(batch, 24)).sum().backward()
        opt.zero_grad()
        break
    except torch.OutOfMemoryError as error:
        print(f"[batch finder] {batch} does not fit: {error}")
        batch //= 2
print(f"[batch finder] using per_device_batch={batch}")
for step in range(1, 81):
    x = torch.randn(batch, 24)
    loss = torch.nn.functional.smooth_l1_loss(net(x), x.flip(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    until(3 + step * 0.25)
    if step % 8 == 0:
        print(f"[{step:3d}/80] smooth_l1 {loss.item():.5f} batch {batch}")
torch.save(net.state_dict(), "mirror.pt")
print("training over, mirror.pt saved")
"""
ARENA = """import torch
from beat import until

FREE_GIB, PER_ROW_GIB = 71.2, 0.0684


def forward_memory(batch):
    need = batch * PER_ROW_GIB
    until({2048: 0.5, 1024: 1.7}.get(batch, 2.8))
    if need > FREE_GIB - 1:
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {need:.2f} GiB. GPU 0 has a total capacity of 79.18 GiB of which {FREE_GIB:.2f} GiB is free. Including non-PyTorch memory, this process has 7.96 GiB memory in use.")
"""
AUDIT = """import random
import sys
import warnings

from beat import until

dice = random.Random(8)
names = ["heron", "bittern", "egret", "spoonbill", "ibis", "crane", "rail", "coot", "moorhen", "gallinule", "snipe", "godwit"]
nan = float("nan")


def average_precision(scored):
    found, area = 0, 0.0
    if not any(hit for _, hit in scored):
        warnings.warn("no positive sample in this class, its score is nan", RuntimeWarning, stacklevel=2)
        return nan
    for n, (_, hit) in enumerate(sorted(scored, reverse=True), 1):
        if hit:
            found += 1
            area += found / n
    return area / found


print("evaluation of detector-v7 on the wetland split, 12 classes, 3600 crops")
table = {}
for n, name in enumerate(names, 1):
    positives = 0 if name in ("ibis", "godwit") else 20 + n
    rows = [(dice.gauss(1.6, 1), True) for _ in range(positives)] + [(dice.gauss(0, 1), False) for _ in range(300 - positives)]
    table[name] = average_precision(rows)
    until(n * 1.9)
    print(f"  {name:<10} n_pos={positives:<3d} AP={table[name]:.3f}")
valid = [v for v in table.values() if v == v]
print(f"mAP over all classes  {sum(table.values()) / 12:.3f}")
print(f"mAP over {len(valid)} classes with positives  {sum(valid) / len(valid):.3f}")
print("report written to wetland.txt")
open("wetland.txt", "w").write(str(table))
"""


def jobs() -> Iterator[SlurmJob]:
    """Eight, half of them hard."""
    yield hand_in(FINE, "COMPLETED", "srun PYTHON leaf.py\n", {"leaf.py": LEAVES}, cards={0: [*span(62, 0, 24), (24.2, still())]}, name="leaf-health")
    yield hand_in(FINE, "COMPLETED", "PYTHON ridge.py\n", {"ridge.py": RIDGE}, options=("--array=4",), name="ridge-grid")
    yield hand_in(
        FINE,
        "COMPLETED",
        "srun PYTHON chain.py\n",
        {"chain.py": CHAIN},
        cards={0: [*span(84, 0, 23, watts=610, gib=4), (23.2, still())]},
        name="lj-chain",
    )
    yield hand_in(
        FINE, "COMPLETED", "srun PYTHON tides.py\n", {"tides.py": TIDES}, tasks=4, nodes=2,
        cards={r: [*span(55 + r, 0, 24, gib=47 + r), (24.3, still())] for r in range(4)}, name="tide-fit",
    )  # fmt: skip
    yield hand_in(GRIM, "COMPLETED", "srun PYTHON tiles.py\n", {"tiles.py": POOL}, tasks=4, name="tile-pool")  # what did not work was done again
    yield hand_in(GRIM, "COMPLETED", "srun PYTHON pickup.py\n", {"pickup.py": PICKUP, **STATES})  # the newest state is torn, the one before is good
    full = [(0.0, held(8)), (1.2, busy(24, gib=78, watts=240))]
    yield hand_in(
        GRIM, "COMPLETED", "srun PYTHON mirror.py\n", {"mirror.py": PROBE, "arena.py": ARENA}, python="torch", begin_s=32,
        cards={0: [*full, *span(60, 3, 23, gib=78), (23.3, still())]}, name="mirror",
    )  # it looks for the largest batch that fits  # fmt: skip
    yield hand_in(
        GRIM, "COMPLETED", "srun PYTHON audit.py\n", {"audit.py": AUDIT}, cards={0: [*span(9, 0, 23, util=31, watts=148, gib=6), (23.0, still())]}, name="eval-v7",
    )  # no score for a class without birds; a small network keeps a third of the card's time busy, evenly  # fmt: skip
