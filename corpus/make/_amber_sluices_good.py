"""Jobs that came to their planned end, half of them with something on the way that frightens."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._amber_sluices_frame import GOOD, HARD, humming, sbatch
from corpus.running.job import SlurmJob

RDZV = "srun --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=2 --nproc-per-node=2 --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$MASTER_PORT --rdzv-id=$SLURM_JOB_ID --local-addr=127.0.0.1 {}\n"
REVIEWS = '''import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as Wrap

VOCAB, CLASSES, EPOCHS, BATCHES = 600, 5, 8, 20


class Stars(torch.nn.Module):
    """Mean of word vectors, then two layers."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.EmbeddingBag(VOCAB, 48)
        self.head = torch.nn.Sequential(torch.nn.Linear(48, 48), torch.nn.ReLU(), torch.nn.Linear(48, CLASSES))

    def forward(self, ids):
        return self.head(self.words(ids))


def reviews(gen, n=64):
    stars = torch.randint(0, CLASSES, (n,), generator=gen)
    ids = torch.randint(0, VOCAB, (n, 30), generator=gen)
    told = stars[:, None] * (VOCAB // CLASSES) + torch.randint(0, VOCAB // CLASSES, (n, 8), generator=gen)
    ids[:, :8] = told
    return ids, stars


dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(4)
net = Wrap(Stars())
opt = torch.optim.AdamW(net.parameters(), lr=6e-3)
gen = torch.Generator().manual_seed(100 + rank)
if rank == 0:
    print(f"{dist.get_world_size()} workers on {os.environ['SLURM_JOB_NUM_NODES']} nodes ({os.environ['SLURM_JOB_NODELIST']})")
    print("+-------+----------+----------+---------+")
    print("| epoch |   loss   | accuracy |  rev/s  |")
    print("+-------+----------+----------+---------+")
for epoch in range(1, EPOCHS + 1):
    began, total, hits = time.time(), torch.zeros(2), 0
    for _ in range(BATCHES):
        ids, stars = reviews(gen)
        logits = net(ids)
        loss = F.cross_entropy(logits, stars)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += torch.tensor([loss.item(), (logits.argmax(1) == stars).float().mean().item()])
        time.sleep(0.05)
    dist.all_reduce(total)
    total /= BATCHES * dist.get_world_size()
    if rank == 0:
        print(f"| {epoch:>5} | {total[0]:8.4f} | {total[1]:8.3f} | {BATCHES * 64 * 4 / (time.time() - began):7.0f} |")
if rank == 0:
    print("+-------+----------+----------+---------+")
    torch.save(net.module.state_dict(), "stars.pt")
    print("stored stars.pt; all 8 epochs complete")
dist.destroy_process_group()
'''
PLATE = """import math
import time

import clock
import links
from links import RANK, SIZE

ROWS, COLS, SWEEPS = 24, 24, 130
links.join()
if RANK == 0:
    print(f"PLATE 2.1  grid {ROWS * SIZE} x {COLS}, {SIZE} slabs, SOR omega 1.5, at most {SWEEPS} sweeps, tolerance 1.0e-02", flush=True)
clock.wait()
t = [[0.0] * COLS for _ in range(ROWS)]
for i in range(ROWS):
    t[i][0] = math.sin(math.pi * i / (ROWS - 1)) * (RANK + 1) * 25
began = time.time()
for sweep in range(1, SWEEPS + 1):
    change = 0.0
    for i in range(1, ROWS - 1):
        for j in range(1, COLS - 1):
            new = 0.25 * (t[i - 1][j] + t[i + 1][j] + t[i][j - 1] + t[i][j + 1])
            step = 1.5 * (new - t[i][j])
            t[i][j] += step
            change += step * step
    residual = math.sqrt(links.mean([change])[0])
    time.sleep(0.17)
    if RANK == 0 and (sweep % 10 == 0 or residual < 1e-2):
        print(f"  sweep {sweep:4d}   residual {residual:.6e}   wall {time.time() - began:7.2f}", flush=True)
    if residual < 1e-2:
        break
heat = links.mean([sum(map(sum, t))])[0]
if RANK == 0:
    print(f"  converged after {sweep} sweeps, mean heat content {heat:.4f}" if residual < 1e-2 else f"  {sweep} sweeps done, residual {residual:.3e}, heat {heat:.4f}")
    print("PLATE normal end")
"""
SHARDS = '''"""Cut a slice of the crawl into token shards; one task of the array does one slice."""
import hashlib
import json
import os
import pathlib
import random
import time

task = int(os.environ["SLURM_ARRAY_TASK_ID"])
random.seed(task)
WORDS = "rain harbour quay lamp gull mist rope tar oar keel mast bell fog pier tide net".split()


def say(kind, **fields):
    print(json.dumps({"t": time.strftime("%H:%M:%S"), "slice": task, "kind": kind, **fields}), flush=True)


out = pathlib.Path("shards")
out.mkdir(exist_ok=True)
say("open", docs=2400, out=str(out))
seen, tokens, kept, dropped = set(), 0, 0, {"short": 0, "duplicate": 0}
for part in range(12):
    rows = []
    for _ in range(200):
        doc = [random.choice(WORDS) for _ in range(random.randint(3, 80))]
        digest = hashlib.md5(" ".join(doc[:4]).encode()).hexdigest()
        if len(doc) < 8:
            dropped["short"] += 1
        elif digest in seen:
            dropped["duplicate"] += 1
        else:
            seen.add(digest)
            rows.append([WORDS.index(w) for w in doc])
    (out / f"slice{task:02d}-{part:03d}.json").write_text(json.dumps(rows))
    kept, tokens = kept + len(rows), tokens + sum(map(len, rows))
    time.sleep(0.6)
    say("shard", n=part + 1, of=12, docs=len(rows), tokens=tokens, dropped=dropped)
say("close", shards=12, docs=kept, tokens=tokens, seconds=round(time.process_time(), 2))
'''
CAPTIONS = """import random
import time

import clock

random.seed(8)
BATCH, TOTAL = 16, 640
NOUNS, VERBS, PLACES = ["dog", "tram", "child", "baker", "heron"], ["waits", "runs", "sleeps", "turns"], ["by the canal", "in the snow", "on a bridge"]
print(f"captioner-base | bf16 | beam 3 | {TOTAL} images in batches of {BATCH}")
clock.wait()
began, written = time.time(), 0
with open("captions.tsv", "w") as out:
    for first in range(0, TOTAL, BATCH):
        for image in range(first, first + BATCH):
            out.write(f"img_{image:05d}\\ta {random.choice(NOUNS)} {random.choice(VERBS)} {random.choice(PLACES)}\\n")
            written += 1
        time.sleep(0.55)
        if (first // BATCH) % 5 == 4:
            print(f"{written:4d}/{TOTAL} images  {written / (time.time() - began):5.1f} img/s  eta {(TOTAL - written) * (time.time() - began) / written:4.0f}s", flush=True)
print(f"wrote {written} captions to captions.tsv in {time.time() - began:.1f}s")
"""
ELASTIC = """import os
import pathlib
import time

import torch
import torch.distributed as dist

attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
meet = pathlib.Path(f"meet.{attempt}").absolute()  # a store of its own for each attempt
dist.init_process_group("gloo", init_method=f"file://{meet}", rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
rank = dist.get_rank()
torch.manual_seed(2)
pose = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(34, 64), torch.nn.SiLU(), torch.nn.Linear(64, 51)))
lift = torch.randn(34, 51) / 6
opt = torch.optim.Adam(pose.parameters(), lr=3e-3)
last, begin = pathlib.Path("pose_last.pt"), 0
if last.exists():
    kept = torch.load(last)
    pose.module.load_state_dict(kept["pose"])
    opt.load_state_dict(kept["opt"])
    begin = kept["step"]
    if rank == 0:
        print(f"[attempt {attempt}] picked up pose_last.pt, going on after step {begin}", flush=True)
dist.barrier()
for step in range(begin + 1, 161):
    if step == 93 and attempt == 0 and rank == 1:
        raise ConnectionResetError(104, "Connection reset by peer: reading frames from nfs04")
    x = torch.randn(48, 34)
    loss = (pose(x) - torch.tanh(x @ lift)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.04)
    if step % 10 == 0 and rank == 0:
        print(f"[attempt {attempt}] step {step}/160 mpjpe {100 * loss.item() ** 0.5:.2f} mm", flush=True)
    if step % 40 == 0:
        if rank == 0:
            torch.save({"pose": pose.module.state_dict(), "opt": opt.state_dict(), "step": step}, last)
        dist.barrier()
if rank == 0:
    print("160 steps done, best pose model is pose_last.pt", flush=True)
dist.destroy_process_group()
"""
QUEUEING = """import logging
import math
import random
import time

import links
from links import RANK, SIZE

logging.basicConfig(format=f"%(asctime)s.%(msecs)03d w{RANK} %(levelname).1s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
log = logging.getLogger()
links.join()
log.info("joined, %d workers", SIZE)
random.seed(RANK)
a, b, lr = 0.0, 0.0, 0.08
for round_ in range(1, 151):
    ga = gb = cost = 0.0
    for _ in range(60):
        x = random.uniform(-2, 2)
        y = 1.7 * x - 0.6 + random.gauss(0, 0.1)
        e = a * x + b - y
        ga, gb, cost = ga + 2 * e * x / 60, gb + 2 * e / 60, cost + e * e / 60
    ga, gb, cost = links.mean([ga, gb, cost])
    a, b = a - lr * ga, b - lr * gb
    time.sleep(0.12)
    if round_ % 15 == 0 and RANK == 0:
        log.info("round %d of 150: rmse=%.4f a=%.3f b=%.3f", round_, math.sqrt(cost), a, b)
if RANK == 0:
    log.info("regression finished: a=%.4f b=%.4f", a, b)
"""
ICE = """import argparse
import pathlib
import time

import torch

cli = argparse.ArgumentParser()
cli.add_argument("--ckpt-dir", type=pathlib.Path, required=True)
cli.add_argument("--max-iters", type=int, default=900)
args = cli.parse_args()
args.ckpt_dir.mkdir(exist_ok=True)
torch.manual_seed(19)
flow = torch.nn.Sequential(torch.nn.Linear(12, 96), torch.nn.GELU(), torch.nn.Linear(96, 12))
target = torch.nn.Sequential(torch.nn.Linear(12, 20), torch.nn.Tanh(), torch.nn.Linear(20, 12)).requires_grad_(False)
opt = torch.optim.AdamW(flow.parameters(), lr=8e-4, weight_decay=0.01)
it = 0
found = sorted(args.ckpt_dir.glob("iter_*.pt"))
if found:
    bag = torch.load(found[-1])
    flow.load_state_dict(bag["flow"])
    target.load_state_dict(bag["target"])
    opt.load_state_dict(bag["opt"])
    it = bag["it"]
    print(f"loaded checkpoint {found[-1]} (iteration {it}, loss was {bag['loss']:.5f})", flush=True)
else:
    print(f"{args.ckpt_dir} is empty: new run", flush=True)
while it < args.max_iters:
    it += 1
    x = torch.randn(64, 12)
    loss = (flow(x) - target(x)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.11)
    if it % 25 == 0:
        print(f"iteration {it:5d}/{args.max_iters} | velocity mse {loss.item():.5f}", flush=True)
    if it % 100 == 0:
        torch.save({"flow": flow.state_dict(), "target": target.state_dict(), "opt": opt.state_dict(), "it": it, "loss": loss.item()}, args.ckpt_dir / f"iter_{it:06d}.pt")
        print(f"  saved {args.ckpt_dir / f'iter_{it:06d}.pt'}", flush=True)
print(f"reached {args.max_iters} iterations", flush=True)
"""
TINY = """import math
import random
import time

import clock

random.seed(3)
print("mlp 4-16-1, 1.1k rows, float32; this is far too small for the card but the pipeline wants it there")
rows = [[random.gauss(0, 1) for _ in range(4)] for _ in range(220)]
label = [1.0 if r[0] - 0.7 * r[1] + 0.3 * r[2] > 0 else 0.0 for r in rows]
w, b = [0.0] * 4, 0.0
clock.wait()
for epoch in range(1, 41):
    began, loss, right = time.time(), 0.0, 0
    for r, y in zip(rows, label):
        p = 1 / (1 + math.exp(-sum(x * c for x, c in zip(r, w)) - b))
        loss -= math.log(max(p if y else 1 - p, 1e-9))
        right += (p > 0.5) == (y > 0.5)
        w = [c - 0.05 * (p - y) * x for c, x in zip(w, r)]
        b -= 0.05 * (p - y)
    time.sleep(0.68)
    if epoch % 4 == 0 or epoch == 1:
        print(f"Epoch {epoch}/40 - {time.time() - began:.2f}s - binary_crossentropy: {loss / 220:.4f} - accuracy: {right / 220:.4f}", flush=True)
with open("churn_v0.json", "w") as file:
    print({"w": w, "b": b}, file=file)
print("Fit complete, model written to churn_v0.json")
"""
ICE_RUN = "srun PYTHON ice.py --ckpt-dir ../ice_flow\n"


def jobs() -> Iterator[SlurmJob]:
    """Eight; each says its planned end, and the status is 0."""
    yield sbatch(GOOD, {"stars.py": REVIEWS}, RDZV.format("stars.py"), "--job-name=stars5", shape=(2, 2), state="COMPLETED")
    heat = [humming(52 + n, 21, seed=n + 3, gib=17 + n, tensor=0) for n in range(4)]
    yield sbatch(
        GOOD, {"plate.py": PLATE}, "srun PYTHON -u plate.py\n", "--job-name=plate", shape=(2, 4), cards=heat, python="system", state="COMPLETED"
    )
    yield sbatch(GOOD, {"shard.py": SHARDS}, "srun PYTHON shard.py\n", "--array=11", "--job-name=crawl-shards", python="system", state="COMPLETED")
    yield sbatch(
        GOOD,
        {"caption.py": CAPTIONS},
        "srun PYTHON caption.py\n",
        "--job-name=captions",
        cards=[humming(41, 22.5, seed=9, gib=24)],
        python="system",
        state="COMPLETED",
    )
    # one worker loses its file server, torchrun starts both again, and they reach the last step
    again = "srun PYTHON -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --max-restarts=2 --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$MASTER_PORT --local-addr=127.0.0.1 pose.py\n"
    yield sbatch(HARD, {"pose.py": ELASTIC}, again, "--job-name=pose-lift", shape=(1, 1), state="COMPLETED")
    yield sbatch(
        HARD,
        {"reg.py": QUEUEING},
        "srun PYTHON -u reg.py\n",
        shape=(2, 3),
        python="system",
        act="suspend",
        after="round 60 of 150",
        state="COMPLETED",
    )
    # the job before it ran into its limit; this one goes on from its last save
    yield sbatch(HARD, {"ice.py": ICE}, ICE_RUN, "--job-name=ice-flow", parent="ice", state="COMPLETED")
    light = humming(9, 28.5, seed=5, gib=2, watts=128, util=13, swing=2, tensor=0, dram=4)
    yield sbatch(HARD.but(variant="slow"), {"churn.py": TINY}, "srun PYTHON churn.py\n", cards=[light], python="system", state="COMPLETED")
