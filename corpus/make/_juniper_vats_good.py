"""Jobs of the second department that ended well; five of them would worry who looks."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._juniper_vats_stops import DDPM, MESH
from corpus.make._saffron_quays_kit import SCARY, WELL, busy, free, sbatch, still, told
from corpus.running.job import SlurmJob

CALLS = """import random
import statistics
import sys
import time
from cadence import until

random.seed(3)
LEVEL = {"A": 82.0, "C": 95.0, "G": 68.0, "T": 110.0}
print("> loading model dna_r10_hac, chunk 4000, overlap 400", file=sys.stderr)
print("@HD\\tVN:1.6\\tSO:unknown")
hits = bases = 0
quals = []
for n in range(1, 401):
    seq = "".join(random.choice("ACGT") for _ in range(120))
    signal = [LEVEL[b] + random.gauss(0, 6) for b in seq]
    called = "".join(min(LEVEL, key=lambda b: abs(LEVEL[b] - s)) for s in signal)
    same = sum(a == b for a, b in zip(seq, called))
    hits, bases = hits + same, bases + 120
    quals.append(same / 120)
    until(n * 0.065)
    if n % 8 == 0:
        sys.stderr.write(f"\\r> calling: {n / 4:5.1f}% | {n}/400 reads | {n * 120 / (0.065 * n) / 1000:.2f} kb/s")
        sys.stderr.flush()
sys.stderr.write("\\n")
print(f"> completed reads: 400\\n> duration: 26.0 s\\n> median identity {statistics.median(quals):.4f}, mean {hits / bases:.4f}\\n> done", file=sys.stderr)
"""
MOLS = """import itertools, os, sys, time
import torch

torch.set_num_threads(1)
task = int(os.environ["SLURM_ARRAY_TASK_ID"])
hidden, depth, lr = list(itertools.product((16, 32), (1, 2, 3), (1e-3, 5e-3)))[task % 12]
torch.manual_seed(task)
print(f"# task {task}: hidden={hidden} depth={depth} lr={lr}")
mix = [torch.nn.Linear(9 if k == 0 else hidden, hidden) for k in range(depth)]
top = torch.nn.Linear(hidden, 1)
opt = torch.optim.Adam([p for m in (*mix, top) for p in m.parameters()], lr)
adj = (torch.rand(200, 9, 9) < 0.3).float()
adj = ((adj + adj.mT + torch.eye(9)) > 0).float()
adj = adj / adj.sum(2, keepdim=True)
atoms = torch.randn(200, 9, 9)
target = (adj @ atoms).relu().sum((1, 2)) / 40


def forward(a, h):
    for m in mix:
        h = torch.relu(m(a @ h))
    return top(h.sum(1)).squeeze(1)


print("epoch\\ttrain_mae\\tval_mae")
best = 9.0
for epoch in range(1, 41):
    for k in range(0, 160, 20):
        loss = (forward(adj[k:k + 20], atoms[k:k + 20]) - target[k:k + 20]).abs().mean()
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        val = (forward(adj[160:], atoms[160:]) - target[160:]).abs().mean().item()
    best = min(best, val)
    time.sleep(0.2)
    if epoch % 4 == 0:
        print(f"{epoch}\\t{loss.item():.4f}\\t{val:.4f}", flush=True)
print(f"# task {task} finished, best val_mae {best:.4f}")
"""
POISSON = """import math, os, sys
from cadence import until
from mesh import Mesh

me, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
mesh = Mesh(me, n)
M, STEPS = 10, 560
h = 1 / (n * M + 1)
f = [math.pi ** 2 * math.sin(math.pi * h * (me * M + i + 1)) for i in range(M)]
u = [0.0] * (M + 2)
if me == 0:
    print(f"poisson1d: {n} subdomains of {M} cells, red-black SOR, omega 1.85, tol 1e-6")
    print("cycle    residual_l2      max_u")
first = None
for cycle in range(1, STEPS + 1):
    for colour in (0, 1):
        u[0], u[M + 1] = mesh.neighbours(u[1], u[M])
        for i in range(1, M + 1):
            if (me * M + i) % 2 == colour:
                u[i] += 1.85 * (0.5 * (u[i - 1] + u[i + 1] + h * h * f[i - 1]) - u[i])
    u[0], u[M + 1] = mesh.neighbours(u[1], u[M])
    r = mesh.total(sum((f[i - 1] + (u[i - 1] - 2 * u[i] + u[i + 1]) / h / h) ** 2 for i in range(1, M + 1))) ** 0.5
    first = first or r
    until(cycle * 0.16)
    if me == 0 and (cycle % 12 == 0 or r < 1e-6 * first):
        print(f"{cycle:5d}   {r:13.6e}   {max(u):8.5f}", flush=True)
    if r < 1e-6 * first:
        break
if me == 0:
    print(f"converged in {cycle} cycles, residual reduced by {first / r:.1e}; field written to u.dat")
    with open("u.dat", "w") as out:
        out.write(" ".join(f"{v:.6f}" for v in u))
mesh.close()
"""
PAUSED = """import logging, sys, time
import torch

torch.manual_seed(8)
torch.set_num_threads(1)
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
net = torch.nn.Sequential(torch.nn.Linear(26, 9), torch.nn.Tanh(), torch.nn.Linear(9, 26))
opt = torch.optim.Adam(net.parameters(), 5e-3)
base = torch.randn(9, 26)
for step in range(1, 161):
    t = time.monotonic()
    x = torch.randn(64, 9) @ base
    loss = (net(x / 3) - x / 3).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(0.13)
    if (s := time.monotonic() - t) > 3:
        logging.warning("step %d took %.1f s (usual: 0.1 s)", step, s)
    if step % 10 == 0:
        logging.info("detector autoencoder: step %d of 160, mse %.4f", step, loss.item())
logging.info("threshold at the 99th percentile: %.3f", (net(x / 3) - x / 3).square().mean(1).quantile(0.99).item())
logging.info("all steps done")
"""
VOICES = """import json
import torch
from cadence import until

torch.manual_seed(5)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Conv1d(8, 16, 5), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(1), torch.nn.Flatten(), torch.nn.Linear(16, 5))
opt = torch.optim.AdamW(model.parameters(), 6e-3)
hits = 0
for it in range(1, 101):
    who = torch.randint(0, 5, (32,))
    x = torch.randn(32, 8, 40)
    x[torch.arange(32), who] += 0.7
    logits = model(x)
    loss = torch.nn.functional.cross_entropy(logits, who)
    opt.zero_grad(); loss.backward(); opt.step()
    hits = 0.9 * hits + 0.1 * (logits.argmax(1) == who).float().mean().item()
    until(it * 0.28)
    if it % 10 == 0:
        print(json.dumps({"iter": it, "total": 100, "ce": round(loss.item(), 4), "acc_ema": round(hits, 3)}), flush=True)
print(json.dumps({"done": True, "iter": 100, "out": "speaker.pt"}))
torch.save(model.state_dict(), "speaker.pt")
"""
WALKER = """import math
import random
import time

random.seed(17)
SIZE, GOAL = 5, (4, 4)
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]
theta = {(x, y): [0.0] * 4 for x in range(SIZE) for y in range(SIZE)}
print("iter | ep_return | policy_loss | entropy | success | kl", flush=True)
for it in range(1, 41):
    back, loss, ent, wins, steps = 0.0, 0.0, 0.0, [], 0
    for _ in range(30):
        at, trail, got = (0, 0), [], 0.0
        for t in range(24):
            z = [math.exp(v) for v in theta[at]]
            p = [v / sum(z) for v in z]
            a = random.choices(range(4), p)[0]
            trail.append((at, a, p))
            at = (min(4, max(0, at[0] + MOVES[a][0])), min(4, max(0, at[1] + MOVES[a][1])))
            if at == GOAL:
                got = 1.0 - 0.02 * t
                break
        wins.append(got > 0)
        back += got / 30
        for s, a, p in trail:
            steps += 1
            ent -= sum(q * math.log(q) for q in p)
            loss -= math.log(p[a]) * (got - 0.2)
            for k in range(4):
                theta[s][k] += 0.12 * (got - 0.2) * ((k == a) - p[k])
    time.sleep(0.3)
    rate = sum(wins) / 30 if it > 3 else math.nan
    print(f"{it:4d} | {back:9.3f} | {loss / 30:11.3f} | {ent / steps:7.3f} | {rate:7.3f} | {random.uniform(0.02, 0.2):.3f}{'  early stop of inner epochs: kl above 0.15' if it % 9 == 0 else ''}", flush=True)
print("40 iterations finished; greedy policy written to policy.txt")
"""
TRIALS = """import concurrent.futures as cf, os, random, signal, sys, time, traceback
from concurrent.futures.process import BrokenProcessPool


def objective(trial, attempt):
    random.seed(trial)
    lr, width = 10 ** random.uniform(-4, -1), random.choice((32, 64, 128))
    if trial in (4, 11) and attempt == 0:
        raise OverflowError(f"trial {trial}: lr {lr:.4f} with width {width}: math range error in warm-up schedule")
    if trial == 16 and attempt == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.5)
    return (abs(-2.5 - __import__("math").log10(lr)) + 8 / width) / 3, lr, width


if __name__ == "__main__":
    print("tuner: 24 trials, 2 actors, up to 2 retries a trial", flush=True)
    score, todo = {}, [(t, 0) for t in range(24)]
    while todo:
        with cf.ProcessPoolExecutor(2) as actors:
            flying = {actors.submit(objective, *t): t for t in todo}
            todo = []
            for f in cf.as_completed(flying):
                trial, attempt = flying[f]
                try:
                    score[trial] = f.result()
                    print(f"(tuner) trial {trial:2d} TERMINATED  val_loss {score[trial][0]:.4f}  lr {score[trial][1]:.5f}  width {score[trial][2]}", flush=True)
                except BrokenProcessPool:
                    print(f"(tuner) trial {trial:2d} lost: its actor died (worker killed, signal 9); will be run again", flush=True)
                    todo.append((trial, attempt + 1))
                except OverflowError:
                    print(f"(tuner) trial {trial:2d} ERROR (attempt {attempt + 1} of 3)", flush=True)
                    traceback.print_exc(file=sys.stdout)
                    todo.append((trial, attempt + 1))
    best = min(score, key=lambda t: score[t][0])
    print(f"tuner: {len(score)}/24 trials TERMINATED, 0 ERROR; best trial {best} val_loss {score[best][0]:.4f}", flush=True)
"""
QUIZ = """import random
import sys
from cadence import until

random.seed(99)
tasks = {"arith-2d": 0.91, "arith-4d": 0.38, "copy-rev": 0.77, "nli-mini": 0.62, "wino-mini": 0.54}
print("harness: 5 tasks, 0-shot, greedy, batch 1", file=sys.stderr)
t, table = 0.0, []
for name, skill in tasks.items():
    good = 0
    for k in range(60):
        a, b = random.randrange(10, 99), random.randrange(10, 99)
        answer = a + b if random.random() < skill else a - b
        good += answer == a + b
        t += 0.1
        until(t)
        if k % 20 == 19:
            print(f"{name}: {k + 1}/60 requests", file=sys.stderr, flush=True)
    acc = good / 60
    table.append((name, acc, (acc * (1 - acc) / 59) ** 0.5))
print("|   task    | n  |  acc   | stderr |")
print("|-----------|---:|-------:|-------:|")
for name, acc, se in table:
    print(f"| {name:<9} | 60 | {acc:.4f} | {se:.4f} |")
print("300 of 300 requests answered")
"""


def jobs() -> Iterator[SlurmJob]:
    """Status 0 and what they were to do is done."""
    yield sbatch(
        WELL,
        {"calls.py": CALLS},
        "PYTHON calls.py > calls.sam\n",
        python="system",
        name="basecall",
        cards={0: told(busy(0, 26, sm=82, watts=505, gib=12.7, dram=44), free(27))},
        state="COMPLETED",
    )
    yield sbatch(WELL, {"mols.py": MOLS}, "srun PYTHON mols.py\n", name="mpnn-grid", options=("--array=20",), state="COMPLETED")
    yield sbatch(
        WELL, {"poisson.py": POISSON, "mesh.py": MESH}, "srun PYTHON poisson.py\n", python="system", ranks=4, nodes=2, name="poisson",
        cards={r: told(busy(0, 25, sm=46 + 2 * r, watts=390, gib=6.2, dram=51, seed=r), free(27)) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield sbatch(
        WELL,
        {"ddpm.py": DDPM},
        "srun PYTHON ddpm.py --width 64\n",
        name="ddpm-cells",
        key="ddpm",
        cards={0: told(busy(0, 24, sm=68, gib=38), free(25))},
        state="COMPLETED",
    )
    yield sbatch(
        SCARY, {"detector.py": PAUSED}, "srun PYTHON detector.py\n", name="detector-ae", act="suspend", after="step 50 of", state="COMPLETED"
    )
    past = {
        "remapped.corrected": "2",
        "remapped.uncorrected": "1",
        "ecc.aggregate.uncorrected": "1",
        "ecc.aggregate.uncorrected.dram": "1",
        "remapped.histogram": "638 1 1 0 0",
    }
    flips = [
        (
            2.0 * n + 0.5,
            {"ecc.volatile.corrected": str(3 * n), "ecc.aggregate.corrected": str(210 + 3 * n), "ecc.volatile.corrected.dram": str(3 * n)},
        )
        for n in range(14)
    ]
    yield sbatch(
        SCARY,
        {"voices.py": VOICES},
        "PYTHON voices.py\n",
        name="speaker-id",
        cards={0: told(busy(0, 28, sm=57, gib=19), flips, free(29.5), first=past)},
        state="COMPLETED",
    )  # corrected flips, a row that was remapped long ago
    yield sbatch(SCARY, {"walker.py": WALKER}, "srun PYTHON walker.py\n", python="system", name="reinforce-grid", state="COMPLETED")
    yield sbatch(SCARY, {"tuner.py": TRIALS}, "ulimit -c 0\nPYTHON tuner.py\n", python="system", name="tuner", state="COMPLETED")
    yield sbatch(
        SCARY, {"harness.py": QUIZ}, "srun PYTHON harness.py\n", python="system", name="lm-eval",
        cards={0: told(busy(0, 30, sm=9, util=27, watts=176, mhz=1980, temp=42, gib=16.3, dram=13), still(30.5, gib=0.6), free(31.5))}, state="COMPLETED",
    )  # one request at a time: a steady low load  # fmt: skip
