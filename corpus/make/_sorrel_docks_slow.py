"""Jobs that stand still, starve or crawl, learn nothing, or are stopped from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._sorrel_docks_kit import busy, hand_in, held, ill, span, still, stutter
from corpus.running.job import SlurmJob

MEETING = """import os
import time

import team


def say(here, wanted):
    print(f"{time.strftime('%X')} rank 0: {here} of {wanted} peers have connected", flush=True)


print(f"{time.strftime('%X')} rank {team.rank} of {team.size}: coordinator {team.address[0]}:{team.address[1]}", flush=True)
team.meet(say)
print(f"{time.strftime('%X')} rank {team.rank}: all here", flush=True)
for step in range(1, 500):
    team.mean([float(step)])
    print("step", step)
"""
LATTICE = """import os
import random

import team
from beat import until

with open(f"pid-{team.rank}", "w") as f:
    f.write(str(os.getpid()))
team.meet()
dice = random.Random(team.rank)
host = os.environ["SLURMD_NODENAME"]
theta = 2.0
print(f"({host}) replica {team.rank} of {team.size} in", flush=True)
for sweep in range(1, 100001):
    draws = [dice.gauss(0.7, 0.5) for _ in range(30)]
    grad = sum(theta - d for d in draws) / 30
    until(sweep * 0.2)
    (grad,) = team.mean([grad])
    theta -= 0.03 * grad
    if sweep % 10 == 0:
        print(f"({host}) replica {team.rank} sweep {sweep:6d} theta {theta:.5f}", flush=True)
"""
INDEX = """import fcntl
import random

from beat import until

dice = random.Random(17)
table = {w: dice.gauss(0, 0.1) for w in range(40)}
truth = {w: (w % 7) / 3 for w in range(40)}


def refresh():
    with open("neighbours.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return sorted(table, key=table.get)


for step in range(1, 20001):
    w = dice.randrange(40)
    batch = [w, (w * 3 + step) % 40, dice.randrange(40), dice.randrange(40)]
    loss = sum((table[i] - truth[i]) ** 2 for i in batch) / 4
    for i in batch:
        table[i] -= 0.4 * (table[i] - truth[i])
    until(step * 0.24)
    if step % 5 == 0:
        print(f"retriever step={step} loss={loss:.5f} table=40x1", flush=True)
    if step % 50 == 0:
        order = refresh()
"""
DECODE = """import random
import time
import zlib

from beat import until

dice = random.Random(9)
w, b = 0.0, 0.0
waited = computed = 0.0
print("volumes: 8 shards on /archive, zlib level 9, one reader thread")
until(0)
for n in range(1, 9):
    began = time.time()
    until((n - 1) * 3.4 + 2.5)
    rows = [(x / 255, 0.6 * x / 255 + 0.2 + dice.gauss(0, 0.05)) for x in zlib.decompress(zlib.compress(dice.randbytes(800), 9))]
    got = time.time()
    loss = 0.0
    for x, y in rows:
        e = w * x + b - y
        loss += e * e / len(rows)
        w, b = w - 0.003 * e * x, b - 0.003 * e
    until(n * 3.4)
    end = time.time()
    waited, computed = waited + got - began, computed + end - got
    print(f"shard {n}/8 loss {loss:.5f} | waiting for input {got - began:.2f} s | on the device {end - got:.2f} s")
print(f"finished. input {waited:.1f} s, device {computed:.1f} s")
"""
SAVING = """import os
import pickle
import random
import time

from beat import until

dice = random.Random(4)
w = [0.0] * 6
truth = [0.5, -0.2, 0.9, 1.1, -1.3, 0.1]
spent = {"update": 0.0, "save": 0.0}
until(0)
for n in range(1, 23):
    t = time.time()
    total = 0.0
    for _ in range(50):
        x = [dice.gauss(0, 1) for _ in w]
        e = sum((a - b) * v for a, b, v in zip(w, truth, x)) + dice.gauss(0, 0.2)
        total += e * e / 50
        w = [a - 0.006 * e * v for a, v in zip(w, x)]
    until((n - 1) * 1.2 + 0.35)
    spent["update"] += time.time() - t
    print(f"update {n:02d}/22 loss {total:.4f} took {time.time() - t:.2f}s")
    t = time.time()
    with open(f"all_{n:02d}.pkl", "wb") as f:
        pickle.dump({"w": w, "n": n, "filler": os.urandom(1 << 20)}, f)
        f.flush()
        os.fsync(f.fileno())
    until(n * 1.2)
    spent["save"] += time.time() - t
    print(f"checkpoint all_{n:02d}.pkl saved in {time.time() - t:.2f}s (weights, optimizer, replay buffer)")
print("done,", ", ".join(f"{k} {v:.1f}s" for k, v in spent.items()))
"""
OVEN = """import random

from beat import since, until

dice = random.Random(30)
mu, at, last = 4.0, 0.0, 0.0
until(0)
for n in range(1, 61):
    batch = [dice.gauss(1.0, 0.6) for _ in range(160)]
    loss = sum((mu - v) ** 2 for v in batch) / 160
    mu -= 0.06 * sum(mu - v for v in batch) / 160
    at += 0.2 if n <= 40 else 0.95
    until(at)
    if n % 4 == 0:
        now = since()
        print(f"it {n:3d}/60  loss {loss:7.4f}  {4 / (now - last):5.2f} it/s")
        last = now
print("60 iterations, model kept")
"""
LAG = """import os
import random
import time

import team
from beat import until

team.meet()
dice = random.Random(team.rank)
slope, own, waits = 0.0, 0.0, 0.0
tag = f"{os.environ['SLURMD_NODENAME']}:gpu{os.environ['SLURM_LOCALID']}"
until(0)
for step in range(1, 31):
    t = time.time()
    rows = [(v, 1.9 * v + dice.gauss(0, 0.2)) for v in (dice.uniform(-1, 1) for _ in range(50))]
    loss = sum((slope * v - y) ** 2 for v, y in rows) / 50
    grad = sum((slope * v - y) * v for v, y in rows) / 25
    until((step - 1) * 0.85 + (0.8 if team.rank == 2 else 0.19))
    u = time.time()
    grad, loss = team.mean([grad, loss])
    slope -= 0.25 * grad
    own, waits = own + u - t, waits + time.time() - u
    if step % 5 == 0:
        print(f"{tag} rank {team.rank} step {step}/30 loss {loss:.4f} | compute {u - t:.2f}s | allreduce {time.time() - u:.2f}s", flush=True)
print(f"{tag} rank {team.rank} finished: compute {own:.1f}s, allreduce {waits:.1f}s", flush=True)
"""
OVERFLOW = """import random
import time

dice = random.Random(1)
w = [0.3, -0.2, 0.5]
target = [1.0, 2.0, -1.0]
lr = 6.0
print(f"config: lr={lr} clip=None warmup=0 epochs=26")
for epoch in range(1, 27):
    total = 0.0
    for _ in range(25):
        x = [dice.gauss(0, 1.5) for _ in w]
        e = sum((a - b) * v for a, b, v in zip(w, target, x))
        total += e * e / 25
        w = [a - lr / 4 * e * v for a, v in zip(w, x)]
    time.sleep(0.5)
    print(f"epoch {epoch}/26 - train_loss: {total:.4g} - weight_norm: {sum(a * a for a in w) ** 0.5:.4g}")
print("Saved final weights to w.txt")
"""
SURVEY = """import argparse
import json
import pathlib
import random
import time

ap = argparse.ArgumentParser()
ap.add_argument("--keep", default="../survey_runs/segnet-07")
ap.add_argument("--resume-from")
ap.add_argument("--iterations", type=int, default=6000)
a = ap.parse_args()
dice = random.Random(6)
w, start = [0.0] * 7, 0
truth = [1.2, -0.7, 0.4, 2.2, -1.6, 0.9, 0.1]
if a.resume_from:
    kept = sorted(pathlib.Path(a.resume_from).glob("it*.json"))
    if kept:
        said = json.loads(kept[-1].read_text())
        w, start = said["w"], said["it"]
        print(f"restored {kept[-1]} (iteration {start})")
    else:
        print(f"checkpoints under {a.resume_from}: 0")
pathlib.Path(a.keep).mkdir(parents=True, exist_ok=True)
smooth = None
for it in range(start + 1, a.iterations + 1):
    x = [dice.gauss(0, 1) for _ in w]
    e = sum((p - q) * v for p, q, v in zip(w, truth, x)) + dice.gauss(0, 0.1)
    smooth = e * e if smooth is None else 0.9 * smooth + 0.1 * e * e
    w = [p - 0.012 * e * v for p, v in zip(w, x)]
    time.sleep(0.11)
    if it % 25 == 0:
        print(f"iteration {it} of {a.iterations}: loss {smooth:.4f}", flush=True)
    if it % 100 == 0:
        (pathlib.Path(a.keep) / f"it{it:06d}.json").write_text(json.dumps({"w": w, "it": it}))
        print(f"iteration {it}: checkpoint {a.keep}/it{it:06d}.json", flush=True)
print(f"end after {a.iterations} iterations")
"""
TINY = """import random

cfg = {"epochs": 40, "max_steps": 3, "batch_size": 64, "lr": 0.05, "train_rows": 51200}
print("settings:", ", ".join(f"{k}={v}" for k, v in cfg.items()))
dice = random.Random(0)
w = [0.0, 0.0]
for step in range(1, cfg["max_steps"] + 1):
    rows = [(dice.gauss(0, 1), dice.gauss(0, 1)) for _ in range(cfg["batch_size"])]
    errs = [(w[0] * a + w[1] * b - 3 * a + b, a, b) for a, b in rows]
    loss = sum(e * e for e, _, _ in errs) / len(errs)
    w = [w[0] - cfg["lr"] * sum(e * a for e, a, _ in errs) / 32, w[1] - cfg["lr"] * sum(e * b for e, _, b in errs) / 32]
    print(f"step {step}/{cfg['max_steps']} loss {loss:.4f}")
print(f"stopping: max_steps={cfg['max_steps']} reached (epoch 0.00 of {cfg['epochs']})")
open("plane.txt", "w").write(repr(w))
print("model exported to plane.txt")
"""
EPIDEMIC = """import os
import random
import time

import team

team.meet()
dice = random.Random(team.rank)
host, beta = os.environ["SLURMD_NODENAME"], 0.9
print(f"{host}: ensemble half {team.rank} of {team.size} ready", flush=True)
for n in range(1, 9001):
    guess = beta + dice.gauss(0, 0.05)
    (miss,) = team.mean([(guess - 0.31) * 0.5])
    beta -= 0.02 * miss
    time.sleep(0.12)
    if n % 15 == 0:
        print(f"{host}: assimilation cycle {n} of 9000, beta {beta:.4f}, misfit {miss * miss:.6f}", flush=True)
"""
VISITS = """import json
import os
import pathlib
import random
import time

state = pathlib.Path("visits.state")
w, step = [0.0] * 4, 0
print("slurm restart count:", os.environ.get("SLURM_RESTART_COUNT", 0))
if state.exists():
    said = json.loads(state.read_text())
    w, step = said["w"], said["step"]
    print(f"state of step {step} loaded")
dice = random.Random(step)
while step < 200:
    step += 1
    x = [dice.gauss(0, 1) for _ in w]
    e = sum((a - b) * v for a, b, v in zip(w, (1, 2, 3, 4), x))
    w = [a - 0.04 * e * v for a, v in zip(w, x)]
    time.sleep(0.12)
    if step % 20 == 0:
        state.write_text(json.dumps({"w": w, "step": step}))
        print(f"step {step}/200 abs err {abs(e):.4f} (state written)", flush=True)
print("all 200 steps done")
"""
SWEEPER = """import random
import time

dice = random.Random(77)
best = None
for trial in range(1, 401):
    lr, depth = 10 ** dice.uniform(-3, -0.5), dice.choice([2, 3, 4])
    w = 0.0
    for _ in range(30):
        x = dice.gauss(0, 1)
        w -= lr * (w * x - depth * x) * x
        time.sleep(0.02)
    score = abs(w - depth) / depth
    if best is None or score < best[0]:
        best = (score, trial, lr, depth)
    print(f"trial {trial}/400 lr={lr:.5f} depth={depth} score={score:.4f} (best so far {best[0]:.4f}, trial {best[1]})", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The record shows the silence, the gaps, the saves, the clock, the curve, the node or who stopped it."""
    yield hand_in(
        ill("C1"), "CANCELLED", "export TEAM_SIZE=4\nsrun PYTHON begin.py\n", {"begin.py": MEETING}, tasks=3, act="scancel_late", after="2 of 3 peers",
        cards={r: [(0.0, still(0.5))] for r in range(3)}, name="begin",
    )  # three tasks, and they wait for a fourth  # fmt: skip
    spinning = [*span(57, 0, 16, gib=30), *((16.0 + s, busy(1 + s % 2 * 0.5, util=100, watts=127 + s % 3, gib=30)) for s in range(60))]
    cold = [*span(57, 0, 15.5, gib=30), (15.5, held(30))]
    yield hand_in(
        ill("C2", fault="unknown"), "TIMEOUT", "srun PYTHON replicas.py\n", {"replicas.py": LATTICE}, tasks=4, nodes=2, act="stop_rank", after="replica 0 sweep +70 ",
        cards={0: spinning, 1: cold, 2: spinning, 3: spinning}, options=("--time=1",), name="replicas",
    )  # fmt: skip
    yield hand_in(
        ill("C3", fault="unknown"), "CANCELLED", "touch neighbours.lock\nflock neighbours.lock sleep 500 &\nsleep 1\nsrun PYTHON retriever.py\n", {"retriever.py": INDEX},
        act="scancel_late", after="step=50 ", cards={0: [*span(48, 0, 12, gib=31), (12.0, held(31))]}, name="retriever",
    )  # fmt: skip
    yield hand_in(ill("D1"), "COMPLETED", "srun PYTHON volumes.py\n", {"volumes.py": DECODE}, cards={0: stutter(0.9, 2.5, 8)}, name="volumes")
    yield hand_in(
        ill("D2", None, "save_storm"),
        "COMPLETED",
        "srun PYTHON replay.py\n",
        {"replay.py": SAVING},
        cards={0: [x for n in range(22) for x in ((n * 1.2, busy(42, gib=12, watts=390)), (n * 1.2 + 0.35, held(12)))] + [(26.6, still())]},
        name="replay",
    )
    hot = []
    for s in range(20):
        shut = str(int(s * 970e6))
        hot.append((8.0 + s, {"temperature": str(min(87 + s, 94)), "throttle_reasons": "0x68", "clock.sm": str(max(1395 - 240 * s, 480)), "clock.graphics": str(max(1395 - 240 * s, 480)), "power.usage": str(271000 - 900 * (s % 4)),
                             "memory.temperature": "103", "slowdown.hw_thermal": shut, "violation.thermal": f"{1000000 + int(s * 1e6)} {shut}"}))  # fmt: skip
    yield hand_in(
        ill("B3", fault="node"),
        "COMPLETED",
        "srun PYTHON oven.py\n",
        {"oven.py": OVEN},
        cards={0: [*span(63, 0, 8, warm=76), *hot, (28.0, still())]},
        name="mean-field",
    )
    quick = [*span(13, 0, 26, util=99, watts=235, gib=29), (26.4, still())]
    yield hand_in(
        ill("D3", fault="unknown"), "COMPLETED", "srun PYTHON slope.py\n", {"slope.py": LAG}, tasks=4, nodes=2,
        cards={0: quick, 1: quick, 2: [*span(64, 0, 26, watts=470, gib=29), (26.4, still())], 3: quick}, name="slope",
    )  # fmt: skip
    yield hand_in(ill("E1", "nan_loss", "non_finite"), "COMPLETED", "srun PYTHON plane.py\n", {"plane.py": OVERFLOW}, name="plane-fit")
    yield hand_in(
        ill("F3", None, "advancing"),
        "TIMEOUT",
        'srun PYTHON survey.py "$@"\n',
        {"survey.py": SURVEY},
        key="survey",
        options=("--time=1",),
        name="segnet-07",
    )
    yield hand_in(
        ill("E2", None, "from_scratch"), "COMPLETED", 'srun PYTHON survey.py "$@"\n', {"survey.py": SURVEY}, parent="survey", name="segnet-07",
        args=("--resume-from", "../survey_runs/segnet07", "--keep", "../survey_runs/segnet-07b", "--iterations", "200"),
    )  # a dash is missing in the folder's name  # fmt: skip
    yield hand_in(ill("E3"), "COMPLETED", "srun PYTHON plane.py\n", {"plane.py": TINY}, name="export-plane")
    yield hand_in(
        ill("F1", fault="node"),
        "NODE_FAIL",
        "srun PYTHON cycles.py\n",
        {"cycles.py": EPIDEMIC},
        tasks=2,
        nodes=2,
        where="-wn2,n4",
        options=("--no-requeue",),
        act="lose_node",
        after="cycle 60 ",
        name="cycles",
    )
    yield hand_in(
        ill("F2", None, "requeued_recovered", fault="none"),
        "COMPLETED",
        "srun PYTHON visits.py\n",
        {"visits.py": VISITS},
        options=("--open-mode=append",),
        act="requeue",
        after="step 60/",
        name="visits",
    )
    yield hand_in(
        ill("F4", None, "by_owner"), "CANCELLED", "srun PYTHON sweep.py\n", {"sweep.py": SWEEPER}, act="scancel", after="trial 16/", name="sweep"
    )
