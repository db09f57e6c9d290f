"""Jobs that stand still, starve or crawl, learn nothing, or are stopped from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._fern_turbines_wire import WIRE
from corpus.make._sorrel_docks_kit import busy, hand_in, held, ill, span, still
from corpus.running.job import SlurmJob

GREET = """import os
import time

import wire

stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
role = "listening on" if wire.me == 0 else "connecting to"
print(f"{stamp} {os.environ['SLURMD_NODENAME']} process {wire.me}/{wire.count} {role} 127.0.0.1:{wire.port}", flush=True)
wire.join()
print(f"{stamp} process {wire.me} joined", flush=True)
for step in range(1, 2001):
    wire.everyone(step)
    time.sleep(0.1)
"""
BUCKETS = """import json
import os
import pathlib
import random
import time

from beat import until

me, count = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
desk = pathlib.Path("exchange")
desk.mkdir(exist_ok=True)
shards = pathlib.Path("rows")


def swap(step, value):
    mine = desk / f"{step}-{me}.tmp"
    mine.write_text(json.dumps(value))
    mine.rename(desk / f"{step}-{me}")
    said = []
    for other in range(count):
        while not (desk / f"{step}-{other}").exists():
            time.sleep(0.02)
        said.append(json.loads((desk / f"{step}-{other}").read_text()))
    return said


dice, w, step = random.Random(me), 0.0, 0
print(f"process {me}: {count} of us, shards {[n for n in range(12) if n % count == me]}", flush=True)
for shard in range(me, 12, count):
    rows = [float(v) for v in (shards / f"part{shard:02d}.txt").read_text().split()]
    for k in range(24):
        step += 1
        grad = sum((w * r - 0.5 * r) * r for r in rows) / len(rows)
        w -= 0.3 * sum(swap(step, grad)) / count
        until(step * 0.22)
        if k % 8 == 7:
            print(f"process {me}: shard {shard:02d} step {step} mse {(w - 0.5) ** 2 + 1e-4 * dice.random():.6f}", flush=True)
print(f"process {me}: all shards read", flush=True)
"""
PARTS = {f"rows/part{n:02d}.txt": " ".join(str(round(((n * 7 + i * 13) % 19 - 9) / 6, 3)) for i in range(30)) + "\n" for n in range(12) if n != 8}
PREFETCH = """import pathlib
import queue
import random
import threading

from beat import until

clips = sorted(pathlib.Path("clips").glob("*.txt"))
ahead = queue.Queue(maxsize=6)


def load():
    for clip in clips:
        ahead.put([float(v) for v in clip.read_text().split()])


threading.Thread(target=load, daemon=True, name="prefetch").start()
dice = random.Random(2)
gain = 0.1
per_epoch = 64
print(f"pose-net: {per_epoch} clips per epoch, 30 epochs", flush=True)
for epoch in range(1, 31):
    for n in range(1, per_epoch + 1):
        clip = ahead.get()
        loss = sum((gain * v - 1.4 * v) ** 2 for v in clip) / len(clip) + abs(dice.gauss(0, 0.002))
        gain -= 0.08 * sum((gain - 1.4) * v * v for v in clip) / len(clip)
        until(((epoch - 1) * per_epoch + n) * 0.23)
        if n % 6 == 0:
            print(f"pose-net: epoch {epoch} clip {n}/{per_epoch} loss {loss:.5f}", flush=True)
"""
CLIPS = {f"clips/c{n:03d}.txt": " ".join(str(round(((n * 5 + i * 11) % 23 - 11) / 8, 3)) for i in range(20)) + "\n" for n in range(60)}
NEIGHBOURS = """import random
import time

import wire
from beat import until

dice = random.Random(wire.me)
edges = [[dice.randrange(600) for _ in range(8)] for _ in range(600)]
wire.join()
until(0)
bias, sampling, device = 2.0, 0.0, 0.0
for n in range(1, 9):
    a = time.time()
    seeds = [dice.randrange(600) for _ in range(40)]
    hood = {v for s in seeds for u in edges[s] for v in edges[u]}
    until((n - 1) * 3.5 + 2.6)
    b = time.time()
    grad = bias - len(hood) / 2000 - 0.4
    grads = wire.everyone(grad)
    bias -= 0.35 * sum(grads) / len(grads)
    until(n * 3.5)
    c = time.time()
    sampling, device = sampling + b - a, device + c - b
    if wire.me == 0:
        print(f"minibatch {n}/8  loss {grad * grad:.5f}  sampler {b - a:5.2f}s  gpu {c - b:5.2f}s", flush=True)
if wire.me == 0:
    print(f"epoch over. neighbour sampler {sampling:.1f}s, gpu {device:.1f}s; the loader ran with num_workers=0", flush=True)
"""
GRADIENTS = """import os
import random
import time

import wire
from beat import until

wire.join()
dice = random.Random(wire.me)
until(0)
w = [3.0, -3.0, 1.0]
calc = talk = 0.0
for n in range(1, 21):
    a = time.time()
    grad = [v - t + dice.gauss(0, 0.05) for v, t in zip(w, (0.5, 0.25, -1))]
    until((n - 1) * 1.3 + 0.16)
    b = time.time()
    for bucket in range(3):
        said = wire.everyone(grad[bucket])
        w[bucket] -= 0.2 * sum(said) / wire.count
        until((n - 1) * 1.3 + 0.16 + 0.38 * (bucket + 1))
    c = time.time()
    calc, talk = calc + b - a, talk + c - b
    if n % 4 == 0:
        loss = sum(g * g for g in grad)
        print(f"{os.environ['SLURMD_NODENAME']} r{wire.me} step {n}/20 loss {loss:.4f} fwd/bwd {1000 * (b - a):.0f} ms all-reduce {1000 * (c - b):.0f} ms (3 buckets, socket transport)", flush=True)
print(f"{os.environ['SLURMD_NODENAME']} r{wire.me} finished: fwd/bwd {calc:.1f} s, all-reduce {talk:.1f} s", flush=True)
"""
ARRIVALS = """import random
import time

import wire
from beat import until

wire.join()
dice = random.Random(wire.me)
until(0)
q, late = 1.5, [0.0] * wire.count
for n in range(1, 27):
    xs = [dice.uniform(0, 2) for _ in range(30)]
    grad = sum((q - 0.4) * x for x in xs) / 30
    until((n - 1) + (0.93 if wire.me == 1 else 0.2))
    said = wire.everyone([grad, time.time()])
    first = min(t for _, t in said)
    late = [a + t - first for a, (_, t) in zip(late, said)]
    q -= 0.12 * sum(g for g, _ in said) / wire.count
    if wire.me == 0 and n % 4 == 0:
        print(f"step {n:2d}/26 loss {(q - 0.4) ** 2:.5f} arrival after the first: " + " ".join(f"r{r}=+{t - first:.2f}s" for r, (_, t) in enumerate(said)), flush=True)
if wire.me == 0:
    print("done, 26 steps; late in all: " + " ".join(f"r{r}={v:.1f}s" for r, v in enumerate(late)), flush=True)
"""
BRAKES = """import random

import wire
from beat import since, until

wire.join()
dice = random.Random(wire.me)
until(0)
c, at, seen = -2.0, 0.0, 0.0
for n in range(1, 53):
    xs = [dice.gauss(0.5, 0.4) for _ in range(100)]
    grads = wire.everyone(sum(c - x for x in xs) / 100)
    c -= 0.07 * sum(grads) / wire.count
    at += 0.24 if n <= 36 else 1.0
    until(at)
    if wire.me == 0 and n % 4 == 0:
        print(f"[{n:02d}/52] energy {sum((c - x) ** 2 for x in xs) / 100:.4f}  {1000 * (since() - seen) / 4:.0f} ms/step", flush=True)
        seen = since()
if wire.me == 0:
    print("[52/52] finished", flush=True)
"""
COPY = """import copy
import math
import random
import time

dice = random.Random(16)
CLASSES, DIM = 10, 12
net = [[dice.gauss(0, 0.01) for _ in range(DIM)] for _ in range(CLASSES)]
trained = copy.deepcopy(net)  # handed to the optimizer
centres = [[dice.gauss(0, 1.5) for _ in range(DIM)] for _ in range(CLASSES)]
held_out = [(c, [v + dice.gauss(0, 1) for v in centres[c]]) for c in range(CLASSES) for _ in range(30)]


def predict(weights, x):
    raw = [sum(a * b for a, b in zip(row, x)) for row in weights]
    e = [math.exp(r - max(raw)) for r in raw]
    return [v / sum(e) for v in e]


print("digits10 | linear probe | 30 epochs | sgd lr 0.1 | chance 0.10, ln(10) = 2.3026")
for epoch in range(1, 31):
    seen = 0.0
    for _ in range(60):
        c = dice.randrange(CLASSES)
        x = [v + dice.gauss(0, 1) for v in centres[c]]
        p = predict(net, x)
        seen -= math.log(p[c]) / 60
        for k in range(CLASSES):
            for d in range(DIM):
                trained[k][d] -= 0.1 * (p[k] - (k == c)) * x[d]
    ps = [(c, predict(net, x)) for c, x in held_out]
    loss = -sum(math.log(p[c]) for c, p in ps) / len(ps)
    acc = sum(p.index(max(p)) == c for c, p in ps) / len(ps)
    time.sleep(0.45)
    print(f"epoch {epoch:02d}/30 | train loss {seen:.4f} | val loss {loss:.4f} | val acc {acc:.3f} | lr 0.1")
print("linear probe finished, weights in probe.txt")
open("probe.txt", "w").write(repr(net))
"""
FILTERED = """import random

dice = random.Random(4)
rows = [(dice.uniform(-1, 1), dice.random()) for _ in range(9000)]
print(f"loaded {len(rows)} rows")
rows = [(x, 2 * x + 1) for x, quality in rows if quality > 0.9925]
batch, epochs = 32, 1
print(f"after quality filter: {len(rows)} rows; batch {batch}, epochs {epochs}, drop_last=True -> {len(rows) // batch * epochs} optimizer steps")
w = b = 0.0
for step in range(1, len(rows) // batch * epochs + 1):
    part = rows[(step - 1) * batch:step * batch]
    errs = [(w * x + b - y, x) for x, y in part]
    print(f"step {step}: loss {sum(e * e for e, _ in errs) / batch:.4f}")
    w, b = w - 1e-3 * sum(e * x for e, x in errs) / batch, b - 1e-3 * sum(e for e, _ in errs) / batch
print("fine-tuning done, adapter saved to adapter.txt")
open("adapter.txt", "w").write(f"{w} {b}")
"""
CURRENTS = """import os
import random
import time

import wire

wire.join()
dice = random.Random(wire.me)
host, k = os.environ["SLURMD_NODENAME"], 5.0
for n in range(1, 20001):
    said = wire.everyone(k - 1.2 + dice.gauss(0, 0.2))
    k -= 0.03 * sum(said) / len(said)
    time.sleep(0.11)
    if n % 20 == 0:
        print(f"{time.strftime('%H:%M:%S')} {host} member {wire.me}: iteration {n}/20000, cost {(k - 1.2) ** 2:.5f}", flush=True)
"""
COUPLED = """import random
import signal
import sys
import time

dice = random.Random(90)


def leave(number, frame):
    print(f"signal {number} received at epoch {epoch}, closing files", flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, leave)
a = 3.0
for epoch in range(1, 2001):
    for _ in range(4):
        x = dice.gauss(0, 1)
        a -= 0.01 * (a - 0.9) * x * x
        time.sleep(0.1)
    if epoch % 5 == 0:
        print(f"tabular-ae epoch {epoch:4d}/2000 recon {(a - 0.9) ** 2:.5f}", flush=True)
"""
PROTEIN = """import math
import random
import time

dice = random.Random(1)
q, p, total, dt = 1.0, 0.0, 400000, 0.05
print("villin-hp35 | 400000 steps | 2 fs | langevin 300 K | out every 1000")
began = time.time()
for step in range(1, total + 1):
    p += -q * dt - 0.02 * p * dt + 0.05 * dice.gauss(0, 1) * math.sqrt(dt)
    q += p * dt
    if step % 100 == 0:
        time.sleep(0.2)
    if step % 1000 == 0:
        speed = step / (time.time() - began)
        print(f"step {step:7d}  potential {0.5 * q * q:9.5f}  kinetic {0.5 * p * p:9.5f}  {speed:8.1f} steps/s  remaining {(total - step) / speed:7.0f} s", flush=True)
print("400000 steps finished")
"""
TOPIC = """import random
import sys
import time

dice = random.Random(31)
table = [[dice.random() + 0.1 for _ in range(5)] for _ in range(30)]
for it in range(1, 3001):
    total = 0.0
    for row in table:
        s = sum(row)
        for k, v in enumerate(row):
            row[k] = 0.97 * v / s + 0.03 * (k == 2)
        total += 1 - row[2]
    time.sleep(0.12)
    if it % 12 == 0:
        sys.stderr.write(f"[{time.strftime('%d/%b %H:%M:%S')}] em-iteration {it}/3000 objective {total / 30:.5f}\\n")
"""


def _brake(s: int) -> dict[str, str]:
    """A card that the board's power brake has held for so many seconds."""
    shut, mhz = str(int((s + 0.3) * 985e6)), str(510 + 15 * (s % 2))
    return {
        "throttle_reasons": "0x88", "clock.sm": mhz, "clock.graphics": mhz, "power.usage": str(198000 + 700 * (s % 5)), "temperature": str(55 - min(s, 6)),
        "slowdown.hw_power_brake": shut, "violation.board_limit": f"{1000000 + int(s * 1e6)} {shut}",
    }  # fmt: skip


def jobs() -> Iterator[SlurmJob]:
    """The record shows the silence, the gaps, the clock, the curve, the node or who stopped it."""
    apart = "srun --ntasks-per-node=1 bash -c 'WIRE_PORT=$((23000 + SLURM_JOB_ID % 900 * 8 + SLURM_NODEID)) exec PYTHON greet.py'\n"
    yield hand_in(
        ill("C1"), "TIMEOUT", apart, {"greet.py": GREET, "wire.py": WIRE}, tasks=2, nodes=2, cards={r: [(0.0, still(0.5))] for r in range(2)}, options=("--time=1",), name="greet",
    )  # each node takes another port  # fmt: skip
    spin = [*span(54, 0, 10.6, gib=36), *((10.6 + s, busy(1 + s % 3 * 0.3, util=100, watts=131 + s % 4, gib=36)) for s in range(60))]
    yield hand_in(
        ill("C2", "file_not_found", first=(2,), trigger="A3"), "CANCELLED", "srun PYTHON buckets.py\n", {"buckets.py": BUCKETS, **PARTS}, tasks=3, act="scancel_late", after="FileNotFoundError",
        cards={0: spin, 1: spin, 2: [*span(54, 0, 10.6, gib=36), (11.0, still())]}, name="buckets",
    )  # fmt: skip
    yield hand_in(
        ill("C3", fault="unknown"), "TIMEOUT", "srun PYTHON pose.py\n", {"pose.py": PREFETCH, **CLIPS}, cards={0: [*span(46, 0, 13.8, gib=19), (13.9, held(19))]}, options=("--time=1",), name="pose",
    )  # fewer clips than it counts on, and nobody tells the reader  # fmt: skip
    starved = [x for n in range(8) for x in ((n * 3.5, held(26)), (n * 3.5 + 2.6, busy(53 + n % 3, watts=400, gib=26)))]
    yield hand_in(
        ill("D1"),
        "COMPLETED",
        "srun PYTHON sage.py\n",
        {"sage.py": NEIGHBOURS, "wire.py": WIRE},
        tasks=2,
        cards={r: [*starved, (28.0, still())] for r in range(2)},
        name="sage",
    )
    crowded = [*span(7, 0, 26, util=99, watts=163, gib=58), (26.3, still())]
    yield hand_in(
        ill("D2", None, "interconnect", fault="cluster"), "COMPLETED", "srun PYTHON gradients.py\n", {"gradients.py": GRADIENTS, "wire.py": WIRE}, tasks=4, nodes=2, cards=dict.fromkeys(range(4), crowded),
        name="gradients",
    )  # fmt: skip
    ready = [*span(15, 0, 26, util=99, watts=228, gib=34), (26.3, still())]
    yield hand_in(
        ill("D3", fault="unknown"), "COMPLETED", "srun PYTHON arrivals.py\n", {"arrivals.py": ARRIVALS, "wire.py": WIRE}, tasks=4,
        cards={r: [*span(68, 0, 26, watts=505, gib=34), (26.3, still())] if r == 1 else ready for r in range(4)}, name="arrivals",
    )  # fmt: skip
    braked = [(8.7 + s, _brake(s)) for s in range(16)]
    yield hand_in(
        ill("B3", fault="node"), "COMPLETED", "srun PYTHON energy.py\n", {"energy.py": BRAKES, "wire.py": WIRE}, tasks=2, cards={r: [*span(62 - r, 0, 8.6), *braked, (24.9, still())] for r in range(2)}, name="energy",
    )  # fmt: skip
    yield hand_in(ill("E1", None, "flat"), "COMPLETED", "srun PYTHON probe.py\n", {"probe.py": COPY}, name="linear-probe")  # the optimizer has a copy
    yield hand_in(ill("E3"), "COMPLETED", "PYTHON adapt.py\n", {"adapt.py": FILTERED}, name="adapt")
    yield hand_in(
        ill("F1", fault="node"), "NODE_FAIL", "srun PYTHON currents.py\n", {"currents.py": CURRENTS, "wire.py": WIRE}, tasks=2, nodes=2, where="-wn1,n3", options=("--no-requeue",), act="node_down", after="iteration 60/", name="currents",
    )  # fmt: skip
    yield hand_in(
        ill("F2", None, "preempted", fault="cluster"),
        "PREEMPTED",
        "srun PYTHON tabae.py\n",
        {"tabae.py": COUPLED},
        where="-wn6",
        options=("--no-requeue",),
        act="preempt_for_good",
        after="epoch +15/",
        name="tabular-ae",
    )
    yield hand_in(ill("F3", None, "advancing"), "TIMEOUT", "srun PYTHON villin.py\n", {"villin.py": PROTEIN}, options=("--time=1",), name="villin")
    yield hand_in(
        ill("F4", None, "by_other", fault="none"),
        "CANCELLED",
        "srun PYTHON em.py\n",
        {"em.py": TOPIC},
        act="scancel_by_admin",
        after="em-iteration 96/",
        name="em",
    )
