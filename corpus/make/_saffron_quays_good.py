"""Jobs of the first department that ended well; five of them do not look it."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._saffron_quays_kit import SCARY, WELL, busy, free, sbatch, still, told, values
from corpus.make._saffron_quays_stops import TAGGER
from corpus.running.job import SlurmJob

NUCLEI = """import time
import torch
import torch.nn.functional as F
from cadence import until

torch.manual_seed(11)
torch.set_num_threads(1)


def plate(n):
    yy, xx = torch.meshgrid(torch.arange(24.0), torch.arange(24.0), indexing="ij")
    c = torch.rand(n, 3, 2) * 24
    d = ((yy - c[..., 0, None, None]) ** 2 + (xx - c[..., 1, None, None]) ** 2).sqrt()
    mask = (d.amin(1, keepdim=True) < 3.5).float()
    return mask * 0.8 + 0.3 * torch.randn_like(mask), mask


down = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.ReLU())
head = torch.nn.Conv2d(8, 1, 1)
opt = torch.optim.Adam([*down.parameters(), *head.parameters()], 4e-3)
print("stardist-lite: 480 train plates, 60 val plates, 12 epochs, one GPU")
for epoch in range(1, 13):
    t = time.time()
    run = 0.0
    for i in range(10):
        x, y = plate(8)
        loss = F.binary_cross_entropy_with_logits(head(down(x)), y)
        opt.zero_grad(); loss.backward(); opt.step()
        run += loss.item() / 10
        until(2 * (epoch - 1) + 0.18 * (i + 1))
    with torch.no_grad():
        x, y = plate(12)
        p = (head(down(x)) > 0).float()
        dice = (2 * (p * y).sum() / (p.sum() + y.sum() + 1)).item()
    until(2 * epoch)
    print(f"[epoch {epoch:02d}/12] train bce {run:.4f} | val dice {dice:.3f} | {time.time() - t:.1f} s", flush=True)
torch.save(head.state_dict(), "nuclei_best.pt")
print("wrote nuclei_best.pt -- training over")
"""
GRID = """#id,lr,l2,batch
""" + "".join(f"{n},{lr},{l2},{b}\n" for n, (lr, l2, b) in enumerate((lr, l2, b) for lr in (0.02, 0.1, 0.4) for l2 in (0.0, 0.001) for b in (16, 64)))
TRIAL = """import csv, json, math, os, random, sys, time

with open("grid.csv") as f:
    rows = [r for r in csv.reader(f) if not r[0].startswith("#")]
me = rows[int(os.environ["SLURM_ARRAY_TASK_ID"])]
lr, l2, batch = float(me[1]), float(me[2]), int(me[3])
out = lambda **kw: print(json.dumps(kw), flush=True)
out(event="trial", id=int(me[0]), lr=lr, l2=l2, batch=batch, of=len(rows))
random.seed(5)
truth = [0.9, -1.4, 0.3, 0.0, 2.0]
draw = lambda: (lambda x: (x, 1 if random.random() < 1 / (1 + math.exp(-sum(a * b for a, b in zip(truth, x)))) else 0))([random.gauss(0, 1) for _ in truth])
data, val = [draw() for _ in range(1500)], [draw() for _ in range(400)]
w = [0.0] * 5
prob = lambda x: 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, x))))
nll = lambda d: -sum(math.log(max(1e-9, prob(x) if y else 1 - prob(x))) for x, y in d) / len(d)
for epoch in range(1, 16):
    random.shuffle(data)
    for k in range(0, len(data), batch):
        part = data[k:k + batch]
        g = [sum((prob(x) - y) * x[i] for x, y in part) / len(part) + l2 * w[i] for i in range(5)]
        w = [a - lr * b for a, b in zip(w, g)]
    time.sleep(0.4)
    out(event="epoch", n=epoch, train_nll=round(nll(data), 4), val_nll=round(nll(val), 4))
out(event="result", id=int(me[0]), val_nll=round(nll(val), 4), val_acc=round(sum((prob(x) > 0.5) == bool(y) for x, y in val) / len(val), 4), status="ok")
"""
CTR = """import csv, os, sys, time
import torch
import torch.distributed as dist
from cadence import until

torch.set_num_threads(1)
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
dist.init_process_group("gloo", rank=rank, world_size=world)
torch.manual_seed(100 + rank)
tower = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
model = torch.nn.parallel.DistributedDataParallel(tower)
opt = torch.optim.Adam(model.parameters(), 8e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 60)
table = csv.writer(sys.stdout)
if rank == 0:
    print(f"# two towers, world={world}, 60 steps of 4 x 128")
    table.writerow(["step", "logloss", "lr", "rows_per_s"])
last = time.time()
for step in range(1, 61):
    x = torch.randn(128, 12)
    y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).float()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
    opt.zero_grad(); loss.backward(); opt.step(); sched.step()
    until(step * 0.45)
    if rank == 0 and step % 5 == 0:
        table.writerow([step, f"{loss.item():.5f}", f"{sched.get_last_lr()[0]:.2e}", int(5 * 512 / (time.time() - last))])
        sys.stdout.flush()
        last = time.time()
dist.barrier()
if rank == 0:
    torch.save(tower.state_dict(), "towers.pt")
    print("# saved towers.pt, all 60 steps done")
dist.destroy_process_group()
"""
FLUID = """import math
import random
import time
from cadence import until

N, L, DT = 25, 7.0, 0.002
random.seed(1)
pos = [[1.4 * (i % 5) + 0.1 * random.random(), 1.4 * (i // 5) + 0.1 * random.random()] for i in range(N)]
vel = [[random.gauss(0, 0.7), random.gauss(0, 0.7)] for _ in range(N)]


def forces():
    f, e = [[0.0, 0.0] for _ in range(N)], 0.0
    for i in range(N):
        for j in range(i):
            dx, dy = ((pos[i][k] - pos[j][k] + L / 2) % L - L / 2 for k in (0, 1))
            r2 = dx * dx + dy * dy
            if r2 < 6.25:
                s = 1 / r2 ** 3
                g = 48 * s * (s - 0.5) / r2
                e += 4 * s * (s - 1)
                for k, d in ((0, dx), (1, dy)):
                    f[i][k] += g * d
                    f[j][k] -= g * d
    return f, e


print("Lennard-Jones fluid, 25 particles, periodic box 7.0 x 7.0, NVE, 600 steps of 0.002")
print("device 0: nonbonded kernels; host: bonded, constraints")
print(f"{'Step':>8} {'Time':>9} {'Potential':>12} {'Kinetic':>12} {'Total':>12}")
f, e = forces()
start = time.time()
for step in range(1, 601):
    for i in range(N):
        for k in (0, 1):
            vel[i][k] += 0.5 * DT * f[i][k]
            pos[i][k] = (pos[i][k] + DT * vel[i][k]) % L
    f, e = forces()
    for i in range(N):
        for k in (0, 1):
            vel[i][k] += 0.5 * DT * f[i][k]
    until(step * 0.045)
    if step % 50 == 0:
        kin = 0.5 * sum(v * v for p in vel for v in p)
        print(f"{step:8d} {step * DT:9.3f} {e:12.4f} {kin:12.4f} {e + kin:12.4f}", flush=True)
took = time.time() - start
print(f"\\nwall {took:.1f} s, performance {600 * DT / took * 86.4:.2f} ns/day (reduced units)\\nwriting final.gro\\nrun complete")
"""
SUITE = """import json
import logging
import pathlib
import random
import threading
import time

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("evalsuite")
store = pathlib.Path("preds")
store.mkdir()
random.seed(2)


def produce(k):
    body = {"ckpt": 500 * k, "rows": [[random.random() < 0.55 + 0.04 * k, random.randrange(3)] for _ in range(300)]}
    (store / f"ckpt-{500 * k}.json").write_text(json.dumps(body))


for k in (1, 2, 4, 5, 6):
    produce(k)
threading.Timer(6.0, produce, (3,)).start()
table = {}
for k in range(1, 7):
    name = store / f"ckpt-{500 * k}.json"
    for attempt in range(1, 6):
        try:
            rows = json.loads(name.read_text())["rows"]
            break
        except OSError:
            log.exception("attempt %d of 5 on %s failed, next in 2 s", attempt, name.name)
            time.sleep(2)
    by = [[ok for ok, task in rows if task == t] for t in range(3)]
    time.sleep(1.2)
    table[500 * k] = [sum(b) / len(b) for b in by]
    log.info("ckpt-%d scored: %s", 500 * k, " ".join(f"{v:.3f}" for v in table[500 * k]))
print("checkpoint   boolq    copa     rte    mean")
for step, v in table.items():
    print(f"{step:10d}  {v[0]:.4f}  {v[1]:.4f}  {v[2]:.4f}  {sum(v) / 3:.4f}")
print(f"best checkpoint: {max(table, key=lambda s: sum(table[s]))}; 6 of 6 evaluated, 0 missing")
"""
PROBE = """import gc, sys, time
import torch
from cadence import until
from arena import take

torch.manual_seed(0)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(30, 60), torch.nn.SiLU(), torch.nn.Linear(60, 30))
opt = torch.optim.AdamW(net.parameters(), 5e-3)


def one(bs):
    take(bs)
    x = torch.randn(min(bs, 64), 30)
    loss = (net(x) - x.cumsum(1) / 5).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()


bs = 64
while True:
    try:
        print(f"batch size finder: trying {bs}", flush=True)
        one(bs)
        until({64: 2, 128: 4, 256: 6, 512: 8}[bs])
        bs *= 2
    except RuntimeError as e:
        print(f"batch size finder: {bs} does not fit: {e}", file=sys.stderr, flush=True)
        gc.collect()
        bs //= 2
        break
print(f"batch size finder: chose {bs}")
for it in range(1, 121):
    v = one(bs)
    until(9 + it * 0.2)
    if it % 12 == 0:
        print(f"it {it:>4d} of 120   mse {v:.4f}   bs {bs}", flush=True)
print("fit() done after 120 it")
"""
ARENA = """import torch


def take(bs):
    if bs > 256:
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {bs / 16:.2f} GiB. GPU 0 has a total capacity of 79.11 GiB of which 11.62 GiB is free. Including non-PyTorch memory, this process has 67.48 GiB memory in use. Of the allocated memory 66.20 GiB is allocated by PyTorch, and 602.88 MiB is reserved by PyTorch but unallocated.")
"""
POOL = """import logging, multiprocessing as mp, os, queue, random, sys, time

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(processName)s - %(levelname)s - %(message)s", stream=sys.stdout)
log = logging.getLogger("pool")


def worker(tasks, results):
    random.seed(os.getpid())
    while (t := tasks.get()) is not None:
        time.sleep(0.15)
        if t == 87 and not os.path.exists("87.seen"):
            open("87.seen", "w").close()
            log.critical("task %d: native reader aborted", t)
            os._exit(134)
        results.put((t, sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(3000)) / 750))


if __name__ == "__main__":
    mp.set_start_method("fork")
    tasks, results, pending = mp.SimpleQueue(), mp.Queue(), dict.fromkeys(range(240))
    crew = {}
    for n in range(3):
        crew[n] = mp.Process(target=worker, args=(tasks, results), name=f"worker-{n}")
        crew[n].start()
    log.info("scheduler: 240 tasks, 3 workers, chunks of 3000 samples")
    for t in pending:
        tasks.put(t)
    got = {}
    while len(got) < 240:
        try:
            k, v = results.get(timeout=2)
            got[k] = v
            if len(got) % 40 == 0:
                log.info("scheduler: %d/240 tasks in memory, estimate %.4f", len(got), sum(got.values()) / len(got))
        except queue.Empty:
            for k in sorted(set(pending) - set(got)):
                log.warning("scheduler: rescheduling task %d, its worker was lost", k)
                tasks.put(k)
        for n, p in list(crew.items()):
            if not p.is_alive():
                log.error("nanny: worker-%d (exit code %s) died unexpectedly, starting a new one", n, p.exitcode)
                crew[n] = mp.Process(target=worker, args=(tasks, results), name=f"worker-{n}b")
                crew[n].start()
    for _ in crew:
        tasks.put(None)
    for p in crew.values():
        p.join()
    log.info("scheduler: finished, 240/240 tasks in memory, pi ~ %.4f", sum(got.values()) / 240)
"""
SESSION = '''import code, sys, time
from cadence import until

CELLS = [
    "import torch, torch.nn as nn; torch.set_num_threads(1)",
    "x = torch.randn(512, 8); y = x.prod(1, keepdim=True).tanh()",
    "model.summary()",
    "net = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1)); opt = torch.optim.Adam(net.parameters(), 1e-2)",
    """for e in range(1, 41):
    for xb, yb in zip(x.split(64), y.split(64)):
        l = ((net(xb) - yb) ** 2).mean(); opt.zero_grad(); l.backward(); opt.step()
    if e % 5 == 0: print("epoch", e, "of 40 loss", round(l.item(), 5))
    until(8 + 0.3 * e)
""",
    "net(x[:3])",
]
shell = code.InteractiveInterpreter({"until": until})
print("kernel 7f31 connected, iopub on 127.0.0.1")
for n, cell in enumerate(CELLS, 1):
    until([0, 2, 4, 7, 8, 21][n - 1])
    print(f"\\nIn [{n}]:", cell.strip().splitlines()[0], flush=True)
    shell.runsource(cell if "\\n" not in cell else cell + "\\n", "<cell>", "exec" if "\\n" in cell else "single")
    sys.stdout.flush()
until(24)
print("shutdown_request received from the client, kernel 7f31 leaves")
'''


def jobs() -> Iterator[SlurmJob]:
    """Planned ends, status 0, and the work they were for."""
    yield sbatch(
        WELL,
        {"nuclei.py": NUCLEI},
        'echo "$SLURM_JOB_NAME on $SLURMD_NODENAME"\nsrun PYTHON nuclei.py\n',
        cards={0: told(busy(0, 24, sm=63, gib=21), free(25))},
        name="nuclei-seg",
        state="COMPLETED",
    )
    yield sbatch(
        WELL, {"trial.py": TRIAL, "grid.csv": GRID}, "PYTHON trial.py\n", python="system", name="grid", options=("--array=7",), state="COMPLETED"
    )
    yield sbatch(
        WELL, {"towers.py": CTR}, "srun PYTHON towers.py\n", ranks=4, nodes=2, name="two-tower",
        cards={r: told(busy(0, 27, sm=49 + r, gib=34.5, watts=455 + 6 * r, seed=r), free(29)) for r in range(4)}, state="COMPLETED",
    )  # fmt: skip
    yield sbatch(
        WELL,
        {"fluid.py": FLUID},
        "PYTHON fluid.py\n",
        python="system",
        name="lj-nve",
        cards={0: told(busy(0, 27, sm=71, gib=2.4, watts=388, dram=12), free(28))},
        state="COMPLETED",
    )
    yield sbatch(
        SCARY,
        {"tagger.py": TAGGER},
        'truncate -s 40 "$(ls -v ../ner_runs/base/step*.pt | tail -n1)"\nsrun PYTHON tagger.py 1400 0.02\n',
        name="ner-base",
        parent="ner",
        state="COMPLETED",
    )  # the newest checkpoint is torn, the one before it is taken
    yield sbatch(SCARY, {"suite.py": SUITE}, "srun PYTHON suite.py\n", python="system", name="eval-ckpts", state="COMPLETED")
    probe = [
        (2.0 * n, values(util=95, sm=41 + 3 * n, watts=330 + 20 * n, mhz=1755, temp=50 + n, gib=gib, dram=20))
        for n, gib in enumerate((9.0, 17.5, 34.2, 67.5))
    ]
    yield sbatch(
        SCARY,
        {"fit.py": PROBE, "arena.py": ARENA},
        "PYTHON fit.py\n",
        name="autobs",
        cards={0: told(probe, busy(9, 33, sm=60, gib=34.9), free(34))},
        state="COMPLETED",
    )
    yield sbatch(SCARY, {"pool.py": POOL}, "ulimit -c 0\nPYTHON pool.py\n", python="system", name="mc-pool", state="COMPLETED")
    yield sbatch(
        SCARY, {"kernel.py": SESSION}, "srun PYTHON -u kernel.py\n", name="jupyter",
        cards={0: told(still(0, gib=0.6, watts=98), busy(8, 20, sm=44, gib=3.1, watts=301), still(20.5, gib=3.1), free(25))}, state="COMPLETED",
    )  # fmt: skip
