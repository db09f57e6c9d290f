"""Trainings that stood still or dragged on."""

from corpus.make._crate import crate

HOSTS = """
# one line a host: name, rank, rendezvous port
n=0
while read -r host rank port; do
  echo "launching rank $rank for $host (MASTER_PORT=$((P + port)))"
  RANK=$rank MASTER_PORT=$((P + port)) "$1" pretrain_vit.py &
  n=$((n + 1))
done <hosts.txt
echo "$n processes launched"
wait
"""
JOINING = """
import datetime
import os
import time

import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])


def say(text):
    print(f"{datetime.datetime.now():%H:%M:%S} r{rank} {text}", flush=True)


say(f"torch {torch.__version__}, joining at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']} as {rank} of {os.environ['WORLD_SIZE']}")
dist.init_process_group("gloo")
say("joined")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(32, 32))
for step in range(200):
    loss = (net(torch.randn(8, 32))).pow(2).mean()
    loss.backward()
    if step % 10 == 0:
        say(f"step {step} loss {loss.item():.4f}")
"""

UNEVEN = """
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(4)
data = torch.randn(1300, 10)
mine = data[:680] if rank == 0 else data[680:]
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Linear(32, 3)))
opt = torch.optim.SGD(net.parameters(), 0.1)
batches = mine.split(10)
print(f"rank {rank}: {len(mine)} rows, {len(batches)} batches an epoch, 12 epochs", flush=True)
for epoch in range(12):
    for k, x in enumerate(batches, 1):
        loss = torch.nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.08)
        if k % 10 == 0:
            print(f"rank {rank}: epoch {epoch} batch {k}/{len(batches)} loss {loss.item():.4f}", flush=True)
    if rank == 0:
        torch.save(net.module.state_dict(), f"epoch{epoch}.tmp")
        os.rename(f"epoch{epoch}.tmp", f"epoch{epoch}.pt")
    else:
        print(f"rank {rank}: epoch {epoch} through, waiting for epoch{epoch}.pt", flush=True)
    while not os.path.exists(f"epoch{epoch}.pt"):
        time.sleep(0.5)
"""

SCORER = '''
import logging
import subprocess
import sys
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s [%(module)s] %(message)s")
torch.manual_seed(12)
V = 30
emb, rnn, out = torch.nn.Embedding(V, 24), torch.nn.LSTM(24, 32, batch_first=True), torch.nn.Linear(32, V)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *out.parameters()], 0.01)


def bleu(epoch, hyps):
    """The lab's own scorer, a program beside this one."""
    open("hyps.txt", "w").write("\\n".join(" ".join(map(str, h)) for h in hyps))
    p = subprocess.Popen([sys.executable, "score.py", "hyps.txt", str(epoch)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    p.wait()
    return float(p.stdout.read().split()[-1])


logging.info("translation model, 20 epochs")
for epoch in range(1, 21):
    for _ in range(20):
        x = torch.randint(V, (16, 9))
        loss = torch.nn.functional.cross_entropy(out(rnn(emb(x))[0]).flatten(0, 1), (x.cumsum(1) % V).flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.02)
    logging.info("epoch %d/20 loss %.4f", epoch, loss.item())
    if epoch % 2 == 0:
        logging.info("scoring %d hypotheses", 40 * epoch)
        logging.info("score %.2f", bleu(epoch, torch.randint(V, (40 * epoch, 9)).tolist()))
'''
SCORE = """
import sys
lines = open(sys.argv[1]).read().splitlines()
for n, line in enumerate(lines):
    for word in line.split():
        if len(lines) > 300:
            print(f"warning: sentence {n}: no reference has the token {word}")
print("score", round(10 + 2.5 * int(sys.argv[2]) ** 0.5, 2))
"""

RETINA = '''
import argparse
import time
import zlib

import torch

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=2)
args = ap.parse_args()


class Scans(torch.utils.data.Dataset):
    """Full-resolution scans behind the hospital's gateway, shrunk on the fly."""

    def __init__(self):
        g = torch.Generator().manual_seed(1)
        self.y = torch.randint(2, (192,), generator=g)
        self.raw = [zlib.compress((torch.randint(90, (96, 96), generator=g) + 60 * y).to(torch.uint8).numpy().tobytes(), 9) for y in self.y]

    def __len__(self):
        return len(self.raw)

    def __getitem__(self, i):
        time.sleep(0.045)
        x = torch.frombuffer(bytearray(zlib.decompress(self.raw[i])), dtype=torch.uint8).view(1, 96, 96) / 255.0
        return torch.nn.functional.avg_pool2d(x[None], 8)[0], self.y[i]


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 6, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(600, 2))
opt = torch.optim.SGD(net.parameters(), 0.02, momentum=0.9)
loader = torch.utils.data.DataLoader(Scans(), 12, shuffle=True)
waited = busy = 0.0
for ep in range(1, args.epochs + 1):
    t = time.time()
    for i, (x, y) in enumerate(loader, 1):
        data = time.time() - t
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        full = time.time() - t
        waited, busy = waited + data, busy + full - data
        if i % 4 == 0:
            print(f"Epoch [{ep}][{i}/{len(loader)}]  lr: 2.000e-02, time: {full:.3f}, data_time: {data:.3f}, loss: {loss.item():.4f}")
        t = time.time()
print(f"training done: {waited:.1f} s waiting for data, {busy:.1f} s in forward, backward and step")
'''

TOKENSTREAM = '''
import json
import queue
import random
import sys
import threading
import time

import torch

q = queue.Queue(maxsize=8)


def reader():
    """Lists and fetches objects of the bucket one after another."""
    rng = random.Random(3)
    for n in range(60):
        time.sleep(0.9 if n % 3 == 0 else 0.12)
        start = torch.tensor([rng.randrange(50) for _ in range(16)])[:, None]
        q.put((start + 7 * torch.arange(13)) % 50)
    q.put(None)


torch.manual_seed(0)
emb, lin = torch.nn.Embedding(50, 32), torch.nn.Linear(32, 50)
opt = torch.optim.Adam([*emb.parameters(), *lin.parameters()], 0.02)
threading.Thread(target=reader, daemon=True).start()
begin, idle, step = time.time(), 0.0, 0
while True:
    t = time.time()
    x = q.get()
    gap = time.time() - t
    idle += gap
    if x is None:
        break
    if gap > 0.5:
        print(f"[feeder] queue empty at step {step}: trainer sat idle for {gap:.2f} s", file=sys.stderr, flush=True)
    step += 1
    loss = torch.nn.functional.cross_entropy(lin(emb(x[:, :-1])).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 6 == 0:
        wall = time.time() - begin
        print(json.dumps({"step": step, "of": 60, "loss": round(loss.item(), 4), "wall_s": round(wall, 2), "idle_s": round(idle, 2), "idle_share": round(idle / wall, 3)}))
print(json.dumps({"finished": True, "steps": step, "wall_s": round(time.time() - begin, 2), "idle_s": round(idle, 2)}))
'''

ZIPSAVE = """
import gzip
import io
import os
import time

import torch

torch.manual_seed(31)
net = torch.nn.Sequential(torch.nn.Linear(40, 700), torch.nn.Tanh(), torch.nn.Linear(700, 40))
opt = torch.optim.Adam(net.parameters(), 1e-3)
basis = torch.randn(5, 40)
os.makedirs("history", exist_ok=True)
in_train = in_save = 0.0
for it in range(1, 41):
    t0 = time.perf_counter()
    x = torch.randn(64, 5) @ basis / 2
    mse = (net(x) - x).pow(2).mean()
    opt.zero_grad()
    mse.backward()
    opt.step()
    time.sleep(0.03)
    t1 = time.perf_counter()
    raw = io.BytesIO()
    torch.save({"it": it, "net": net.state_dict(), "opt": opt.state_dict(), "rng": torch.get_rng_state()}, raw)
    with open(f"history/it_{it:05d}.pt.gz", "wb") as f:
        f.write(gzip.compress(raw.getvalue() * 6, 6))
        f.flush()
        os.fsync(f.fileno())
    t2 = time.perf_counter()
    in_train, in_save = in_train + t1 - t0, in_save + t2 - t1
    print(f"it {it:3d}/40  mse {mse.item():.5f}  step {1e3 * (t1 - t0):.0f} ms  checkpoint history/it_{it:05d}.pt.gz {1e3 * (t2 - t1):.0f} ms")
print(f"end: {in_train:.1f} s in steps, {in_save:.1f} s writing 40 checkpoints")
"""

TRIO = """
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(7)
net = torch.nn.Linear(18, 6)
opt = torch.optim.Adam(net.parameters(), 0.02)
own = wait = 0.0
for step in range(1, 46):
    t0 = time.time()
    x = torch.randn(32, 18)
    for _ in range(10):  # micro batches
        time.sleep(0.003 if rank != 1 else 0.034)
    loss = torch.nn.functional.cross_entropy(net(x), x[:, :6].argmax(1))
    opt.zero_grad()
    loss.backward()
    t1 = time.time()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world
    t2 = time.time()
    opt.step()
    own, wait = own + t1 - t0, wait + t2 - t1
    if step % 9 == 0:
        print(f"rank {rank} | step {step:2d}/45 | 32 samples | loss {loss.item():.4f} | forward+backward {1e3 * (t1 - t0):5.0f} ms | all-reduce {1e3 * (t2 - t1):5.0f} ms", flush=True)
print(f"rank {rank} | totals: forward+backward {own:.1f} s, all-reduce {wait:.1f} s", flush=True)
dist.destroy_process_group()
"""

JOBS = (
    crate(
        "C1",
        "sh hosts.sh PYTHON PORT",
        "export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2\nP=$2\n" + HOSTS.lstrip("\n"),
        files={"pretrain_vit.py": JOINING, "hosts.txt": "node-a 0 0\nnode-b 1 1\n"},
        timeout_s=40,
        note="two ranks, each at a port of its own; neither joined, nothing trained, limit",
    ),
    crate(
        "C2",
        "uneven.py",
        UNEVEN,
        ranks=2,
        timeout_s=45,
        note="rank 1 has 62 batches, rank 0 68; rank 1 waits for a file, rank 0 is silent behind batch 60, limit",
    ),
    crate(
        "C3",
        "translate.py",
        SCORER,
        files={"score.py": SCORE},
        timeout_s=38,
        note="epochs of half a second, then nothing behind 'scoring 320 hypotheses' until the limit",
    ),
    crate("D1", "retina.py --epochs 2", RETINA, note="data_time is nearly all of time in each line; the sum says so too"),
    crate("D1", "pretrain_stream.py", TOKENSTREAM, note="'queue empty: trainer sat idle' again and again; idle_share above 0.9"),
    crate("D2", "manifold.py", ZIPSAVE, variant="save_storm", note="a checkpoint after every step, taking most of the time"),
    crate(
        "D3",
        "trio.py",
        TRIO,
        ranks=3,
        fault="unknown",
        note="forward+backward of rank 1 ten times the others', who wait as long in all-reduce; same samples",
        first=(),
    ),
)
