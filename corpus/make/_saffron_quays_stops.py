"""Jobs of the first department that learnt nothing or hardly ran, and those that were stopped from outside."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._saffron_quays_kit import busy, free, ill, sbatch, told
from corpus.running.job import SlurmJob

TAGGER = """import json, logging, os, pathlib, sys, time
import torch

torch.set_num_threads(1)
logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)-7s | %(message)s", stream=sys.stdout)
say = logging.getLogger("ner")
goal, pause = int(sys.argv[1]), float(sys.argv[2])
home = pathlib.Path("../ner_runs/base")
home.mkdir(parents=True, exist_ok=True)
torch.manual_seed(3)
emb, lin = torch.nn.Embedding(60, 24), torch.nn.Linear(24, 5)
opt = torch.optim.Adam([*emb.parameters(), *lin.parameters()], 6e-4)
done = 0
lock = home / "writer.lock"
if lock.exists():
    say.warning("stale lock %s left by job %s, removing it", lock, lock.read_text())
kept = sorted(home.glob("step*.pt"), key=lambda p: int(p.stem[4:]))
if kept:
    try:
        s = torch.load(kept[-1])
    except Exception as e:
        say.error("cannot read %s (%s); falling back to %s", kept[-1].name, e.__class__.__name__, kept[-2].name)
        s = torch.load(kept[-2])
    emb.load_state_dict(s["emb"]); lin.load_state_dict(s["lin"]); opt.load_state_dict(s["opt"])
    done = s["step"]
    say.info("restored weights and optimizer of step %d", done)
lock.write_text(os.environ["SLURM_JOB_ID"])
say.info("training to step %d", goal)
g = torch.Generator().manual_seed(done)
while done < goal:
    done += 1
    tok = torch.randint(0, 60, (16, 10), generator=g)
    loss = torch.nn.functional.cross_entropy(lin(emb(tok)).flatten(0, 1), (tok % 5).flatten())
    opt.zero_grad(); loss.backward(); opt.step()
    time.sleep(pause)
    if done % 20 == 0:
        say.info("step %d/%d  token_nll=%.4f", done, goal, loss.item())
    if done % 100 == 0:
        torch.save({"emb": emb.state_dict(), "lin": lin.state_dict(), "opt": opt.state_dict(), "step": done}, home / f"step{done}.pt")
        say.info("checkpoint step%d.pt", done)
lock.unlink()
say.info("goal reached at step %d, bye", done)
"""
SPECTRA = """import torch

torch.manual_seed(9)
torch.set_num_threads(1)
enc = torch.nn.Sequential(torch.nn.Linear(32, 40), torch.nn.ReLU(), torch.nn.Linear(40, 12))
dec = torch.nn.Linear(6, 32)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=1e-3, momentum=0.9)
print("spectra: 900 x 32, latent 6, 30 epochs")
print(f"{'epoch':>5} {'lr':>9} {'recon':>12} {'kl':>12} {'total':>12}")
data = torch.randn(900, 6) @ torch.randn(6, 32)
for epoch in range(1, 31):
    lr = 1e-3 if epoch < 8 else 0.02 * 1.6 ** (epoch - 8)
    for group in opt.param_groups:
        group["lr"] = lr
    total = r = k = 0.0
    for x in data.split(60):
        mu, lv = enc(x).chunk(2, 1)
        z = mu + (lv / 2).exp() * torch.randn_like(mu)
        recon = (dec(z) - x).square().mean()
        kl = 0.01 * (mu ** 2 + lv.exp() - 1 - lv).sum(1).mean()
        loss = recon + kl
        opt.zero_grad(); loss.backward(); opt.step()
        total, r, k = total + loss.item() / 15, r + recon.item() / 15, k + kl.item() / 15
    print(f"{epoch:5d} {lr:9.2e} {r:12.5g} {k:12.5g} {total:12.5g}", flush=True)
print("written: spectra_vae.pt")
torch.save([enc.state_dict(), dec.state_dict()], "spectra_vae.pt")
"""
DOCKING = """import argparse
import json
import math
import pathlib
import random
import time

cli = argparse.ArgumentParser()
cli.add_argument("--runs", default="../dock_runs")
cli.add_argument("--steps", type=int, default=6000)
cli.add_argument("--pause", type=float, default=0.05)
cli.add_argument("--resume", action="store_true")
cli.add_argument("--suffix", default="json")
o = cli.parse_args()
runs = pathlib.Path(o.runs)
runs.mkdir(exist_ok=True)
random.seed(4)
w, first = [0.0] * 10, 1
truth = [math.cos(k) * 2 for k in range(10)]
print(f"scoring function fit: {vars(o)}")
if o.resume:
    for f in sorted(runs.glob(f"score-*.{o.suffix}"))[-1:]:
        state = json.loads(f.read_text())
        w, first = state["w"], state["step"] + 1
        print("continuing", f.name, "from step", first)
for step in range(first, o.steps + 1):
    g, loss = [0.0] * 10, 0.0
    for _ in range(16):
        x = [random.gauss(0, 1) for _ in w]
        e = sum((a - b) * c for a, b, c in zip(w, truth, x)) + random.gauss(0, 0.1)
        loss += e * e / 16
        g = [a + e * c / 16 for a, c in zip(g, x)]
    w = [a - 0.01 * b for a, b in zip(w, g)]
    time.sleep(o.pause)
    if step == 1 or step % 25 == 0:
        print(f"{step}/{o.steps}: affinity mse {loss:.4f}", flush=True)
    if step % 100 == 0:
        (runs / f"score-{step:06d}.json").write_text(json.dumps({"w": w, "step": step}))
        print(f"kept score-{step:06d}.json", flush=True)
print("fit complete")
"""
PHASES = """import glob
import time
import torch
from cadence import until

torch.set_num_threads(1)
CONFIG = {"epochs": 1, "batch": 64, "lr": 3e-4, "warmup_steps": 500, "planned_steps": 20000, "data": "shards/*/*.txt"}
print("config", CONFIG)
rows = []
for path in sorted(glob.glob(CONFIG["data"])):
    with open(path) as f:
        rows += [[float(v) for v in line.split()] for line in f]
data = torch.tensor(rows)
print(f"samples: {len(data)} from {CONFIG['data']}")
net = torch.nn.Sequential(torch.nn.Linear(3, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.0)
step = 0
for epoch in range(CONFIG["epochs"]):
    for x in data.split(CONFIG["batch"]):
        step += 1
        opt.param_groups[0]["lr"] = CONFIG["lr"] * min(1, step / CONFIG["warmup_steps"])
        loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        until(step * 0.6)
        print(f"step {step} lr {opt.param_groups[0]['lr']:.2e} loss {loss.item():.4f}", flush=True)
    print(f"epoch {epoch} over, no more data")
torch.save(net.state_dict(), "phase_model.pt")
print("model saved: phase_model.pt; exit")
"""
WAVES = """import os
import torch
import torch.distributed as dist
from cadence import until

rank = int(os.environ["SLURM_PROCID"])
torch.set_num_threads(1)
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
tag = f"{os.environ['SLURMD_NODENAME']}:{rank}"
torch.manual_seed(31 + rank)
field = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)))
opt = torch.optim.Adam(field.parameters(), 3e-3)
for it in range(1, 9001):
    p = torch.rand(128, 2, requires_grad=True)
    u = field(p)
    du = torch.autograd.grad(u.sum(), p, create_graph=True)[0]
    res = (du[:, :1] + 0.5 * du[:, 1:] - torch.cos(p[:, :1])).square().mean() + 4 * (field(p * torch.tensor([1.0, 0.0])) - p[:, :1].sin()).square().mean()
    opt.zero_grad(); res.backward(); opt.step()
    until(it * 0.15)
    if it % 20 == 0:
        print(f"{tag} it {it}/9000 residual {res.item():.3e}", flush=True)
"""
CHEAP = """import json, math, os, pathlib, random, sys, time

ck = pathlib.Path("sweep_state.json")
print(f"attempt {int(os.environ.get('SLURM_RESTART_COUNT', 0)) + 1} of job {os.environ['SLURM_JOB_ID']}", flush=True)
theta, start = [3.0, -3.0, 0.5], 0
if ck.exists():
    s = json.loads(ck.read_text())
    theta, start = s["theta"], s["iter"]
    print(f"state of iteration {start} taken from {ck}", flush=True)
random.seed(start)
for i in range(start + 1, 351):
    xs = [random.uniform(-2, 2) for _ in range(60)]
    err = [theta[0] * x * x + theta[1] * x + theta[2] - (x * x + x) + random.gauss(0, 0.1) for x in xs]
    for k in range(3):
        theta[k] -= 0.015 * sum(e * x ** (2 - k) for e, x in zip(err, xs)) / 60
    time.sleep(0.12)
    if i % 10 == 0:
        ck.write_text(json.dumps({"theta": theta, "iter": i}))
        print(f"iter={i}/350 loss={sum(e * e for e in err) / 60:.4f}", flush=True)
print("iter=350, converged schedule complete", flush=True)
"""


def jobs() -> Iterator[SlurmJob]:
    """The curve, the count of steps, the node, the queue, the clock, or who cancelled it."""
    yield sbatch(ill("E1", "nan_loss", "non_finite"), {"spectra.py": SPECTRA}, "srun PYTHON spectra.py\n", name="spectra-vae", state="COMPLETED")
    yield sbatch(
        ill("E2", None, "from_scratch"), {"dock.py": DOCKING}, 'PYTHON dock.py "$@"\n', python="system", name="dock-score", parent="dock", state="COMPLETED",
        args=("--steps", "600", "--pause", "0.03", "--resume", "--suffix", "jsonl"),
    )  # the checkpoints are called .json  # fmt: skip
    shards = {
        f"shards/{part}/phase.txt": "".join(f"{(7 * n + k) % 11 / 11:.3f} {(3 * n) % 13 / 13:.3f} {n % 5 / 5:.3f}\n" for n in range(90))
        for k, part in enumerate(("a", "b"))
    }
    yield sbatch(
        ill("E3"),
        {"phase.py": PHASES, **shards},
        "srun PYTHON phase.py\n",
        name="phase-net",
        cards={0: told(busy(0, 2, sm=18, watts=190, gib=1.9, every=1.0), free(3))},
        state="COMPLETED",
    )
    yield sbatch(
        ill("F1", fault="node"), {"pinn.py": WAVES}, "srun PYTHON pinn.py\n", ranks=2, nodes=2, where="-wn1,n3", options=("--no-requeue",), name="pinn-waves", act="lose_node", after="it 60/",
        cards={0: told(busy(0, 22, sm=56, gib=9), free(24)), 1: told(busy(0, 90, sm=57, gib=9, seed=2))}, state="NODE_FAIL",
    )  # fmt: skip
    yield sbatch(
        ill("F2", None, "preempted_recovered", fault="none"), {"theta.py": CHEAP}, "srun PYTHON theta.py\n", python="system", where="-wn6", options=("--requeue", "--open-mode=append"), name="theta", act="preempt", after="iter=60/",
        state="COMPLETED",
    )  # fmt: skip
    yield sbatch(ill("F3", None, "advancing"), {"tagger.py": TAGGER}, "srun PYTHON tagger.py 1400 0.1\n", name="ner-base", key="ner", state="TIMEOUT")
    yield sbatch(
        ill("F4", None, "by_owner"),
        {"dock.py": DOCKING},
        "PYTHON dock.py --steps 600\n",
        python="system",
        name="dock-score",
        key="dock",
        act="scancel",
        after="375/600",
        state="CANCELLED",
    )
