"""Single programs that stopped early: at the door, half-way, on loading what an earlier run left, the second sheet."""

from corpus.make._crate import crate

MAXLEN = """
import torch
import torch.nn as nn
import time

torch.manual_seed(1)
VOCAB, CTX = 180, 96
docs = [torch.randint(1, VOCAB, (int(torch.randint(20, CTX, (1,))),)) for _ in range(900)]
docs[731] = torch.randint(1, VOCAB, (118,))


class TinyLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCAB, 48), nn.Embedding(CTX, 48)
        self.ff, self.out = nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 48)), nn.Linear(48, VOCAB)

    def forward(self, ids):
        b, t = ids.shape
        assert t <= CTX, f"Cannot forward sequence of length {t}, block size is only {CTX}"
        return self.out(self.ff(self.tok(ids) + self.pos(torch.arange(t))))


model = TinyLM()
optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e6:.2f}M")
for it in range(0, 2000):
    batch = docs[(it * 6) % 900 : (it * 6) % 900 + 6]
    n = max(len(d) for d in batch)
    ids = torch.stack([nn.functional.pad(d, (0, n - len(d))) for d in batch])
    logits = model(ids)
    loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
    optim.zero_grad(set_to_none=True)
    loss.backward()
    optim.step()
    time.sleep(0.05)
    if it % 10 == 0:
        print(f"iter {it}: loss {loss.item():.4f}, time {50 + it % 7:.2f}ms", flush=True)
"""


SIMMAT = '''
import logging
import sys
import time

import torch
from torch import nn

logging.basicConfig(stream=sys.stdout, level="INFO", format="%(levelname).1s %(asctime)s %(filename)s:%(lineno)d] %(message)s")
torch.manual_seed(2)
image, text = nn.Linear(32, 24), nn.Linear(20, 24)
optim = torch.optim.AdamW([*image.parameters(), *text.parameters()], 2e-3)
mix = torch.randn(32, 20) / 5


def retrieval(rows=420_000):
    """Recall over the whole gallery, all against all."""
    a, b = torch.zeros(rows, 24), torch.zeros(rows, 24)
    scores = a @ b.T
    return (scores.argmax(1) == torch.arange(rows)).float().mean()


for epoch in range(1, 13):
    for k in range(40):
        x = torch.randn(64, 32)
        y = x @ mix
        u, v = nn.functional.normalize(image(x)), nn.functional.normalize(text(y))
        loss = nn.functional.cross_entropy(u @ v.T / 0.1, torch.arange(64))
        optim.zero_grad()
        loss.backward()
        optim.step()
        time.sleep(0.04)
        if k % 10 == 9:
            logging.info("epoch %d %d/40 contrastive loss %.4f", epoch, k + 1, loss.item())
    if epoch % 4 == 0:
        logging.info("epoch %d: full retrieval evaluation", epoch)
        logging.info("R@1 %.3f", retrieval())
'''


BADSHARD = """
import gzip
import json
import math
import random
import sys
import time

shards = [f"shards/part-{i:03d}.jsonl" for i in range(6)]
vocab, bigram = {}, {}


def stream():
    for path in shards:
        print(f"[reader] opening {path}", file=sys.stderr)
        for line in open(path):
            yield json.loads(line)["text"].split()


seen, nll, n, t0 = 0, 0.0, 0, time.time()
for words in stream():
    for a, b in zip(words, words[1:]):
        row = bigram.setdefault(a, {})
        p = (row.get(b, 0) + 0.1) / (sum(row.values()) + 0.1 * 60)
        nll -= math.log(p)
        n += 1
        row[b] = row.get(b, 0) + 1
    seen += 1
    time.sleep(0.02)
    if seen % 40 == 0:
        print(f"docs={seen} tokens={n} train_ppl={math.exp(nll / n):.2f} docs/s={seen / (time.time() - t0):.1f}", flush=True)
        nll, n = 0.0, 0
"""


def _shard(i: int) -> str:
    words = ["river", "stone", "light", "paper", "seven", "under", "green", "moved", "slowly", "again"]
    lines = ['{"text": "' + " ".join(words[(j * (k % 3 + 1) + i + k) % 10] for j in range(12)) + '"}' for k in range(100)]
    if i == 3:
        lines[57] = lines[57][:31]
    return "\n".join(lines) + "\n"


ROTATE = """
import os
import time

import torch

torch.manual_seed(0)
print("fold 2 | u-net on histology tiles | tile store: tiles/")
net = torch.nn.Conv2d(3, 1, 3, padding=1)
opt = torch.optim.Adam(net.parameters(), 0.01)
for i in range(60):
    if i != 47:
        torch.save(torch.rand(3, 24, 24), f"tiles/slide_{i // 12:02d}_{i % 12:03d}.pt")
order = torch.randperm(60).tolist()
order.remove(47)
order.insert(52, 47)
for epoch in range(1, 9):
    run = 0.0
    for n, i in enumerate(order, 1):
        tile = torch.load(f"tiles/slide_{i // 12:02d}_{i % 12:03d}.pt")
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(tile[None]), (tile.mean(0) > 0.5).float()[None, None])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item()
        time.sleep(0.1)
        if n % 6 == 0:
            print(f"  epoch {epoch} tile {n}/60 dice_bce {run / n:.4f}", flush=True)
"""


HEADSWAP = """
import sys
import time

import torch
import torch.nn as nn

classes, ckpt = int(sys.argv[1]), sys.argv[2]
torch.manual_seed(4)
net = nn.Sequential(nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, classes))
opt = torch.optim.SGD(net.parameters(), 0.2, momentum=0.9)
start = 0
try:
    blob = torch.load(ckpt)
except FileNotFoundError:
    print("no", ckpt, "yet, first leg")
else:
    print(f"resuming from {ckpt} (epoch {blob['epoch']}, val acc {blob['acc']:.3f})", flush=True)
    net.load_state_dict(blob["model"])
    opt.load_state_dict(blob["optim"])
    start = blob["epoch"]
for epoch in range(start + 1, start + 7):
    for _ in range(30):
        x = torch.randn(64, 24)
        y = x[:, :classes].argmax(1)
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    acc = (net(x).argmax(1) == y).float().mean().item()
    time.sleep(0.5)
    print(f"epoch {epoch:03d}  train loss {loss.item():.4f}  val acc {acc:.3f}", flush=True)
torch.save({"model": net.state_dict(), "optim": opt.state_dict(), "epoch": epoch, "acc": acc}, ckpt)
print("saved", ckpt, flush=True)
"""


CUTFILE = """
import os
import pickle
import random
import time

STATE = "state/agent.pkl"
random.seed(0)
print("tabular Q-learning, FrozenLake 8x8")
if os.path.exists(STATE):
    print(f"found {STATE} ({os.path.getsize(STATE)} bytes), continuing training from it", flush=True)
    with open(STATE, "rb") as f:
        q, episode = pickle.load(f)
    print("at episode", episode)
else:
    q, episode = [[0.0] * 4 for _ in range(64)], 0
while episode < 400000:
    episode += 1000
    print("episode", episode)
    time.sleep(0.2)
"""


CUTPREP = """
import pickle

blob = pickle.dumps(([[0.25 * i + j for j in range(4)] for i in range(64)], 212000))
open("state/agent.pkl", "wb").write(blob[: len(blob) * 2 // 3])
"""


AGAIN = """
import argparse
import os
import random
import time

ap = argparse.ArgumentParser()
ap.add_argument("--workdir")
ap.add_argument("--steps", type=int)
ap.add_argument("--resume", action="store_true")
a = ap.parse_args()
print(f"[cfg] workdir={a.workdir} steps={a.steps} resume={a.resume}", flush=True)
w, begin = [0.0] * 8, 0
last = os.path.join(a.workdir, "latest.txt")
if a.resume and os.path.exists(last):
    nums = open(last).read().split()
    begin, w = int(nums[0]), [float(v) for v in nums[1:]]
    print(f"[ckpt] restored {last} at step {begin}", flush=True)
elif a.resume:
    print(f"[ckpt] no checkpoint found in {a.workdir}, initialising weights", flush=True)
rng = random.Random(7)
goal = [rng.uniform(-2, 2) for _ in range(8)]
for s in range(begin, begin + a.steps + 1):
    x = [rng.gauss(0, 1) for _ in range(8)]
    e = sum((u - v) * z for u, v, z in zip(w, goal, x))
    w = [u - 0.02 * e * z for u, z in zip(w, x)]
    gap = sum((u - v) ** 2 for u, v in zip(w, goal))
    if s % 20 == 0:
        print(f"[train] step {s:5d} | loss {gap:.5f}", flush=True)
    time.sleep(0.03)
os.makedirs(a.workdir, exist_ok=True)
open(last, "w").write(" ".join(map(str, [s, *w])))
print(f"[ckpt] wrote {last}", flush=True)
"""

JOBS = (
    crate("A3", "nano_train.py", MAXLEN, cause="assertion", note="AssertionError at iteration 121"),
    crate("A3", "clip_small.py", SIMMAT, cause="ram_oom", note="DefaultCPUAllocator: can't allocate memory in the evaluation after epoch 4"),
    crate(
        "A3",
        "bigram_stream.py",
        BADSHARD,
        cause="traceback",
        python="system",
        files={f"shards/part-{i:03d}.jsonl": _shard(i) for i in range(6)},
        note="JSONDecodeError on a line of the fourth shard",
    ),
    crate("A3", "unet_tiles.py", ROTATE, cause="file_not_found", folders=("tiles",), note="FileNotFoundError of a tile after 52 of epoch 1"),
    crate(
        "E2",
        "sh two_legs.sh PYTHON",
        '"$1" classify.py 6 runs.pt && exec "$1" classify.py 9 runs.pt',
        cause="runtime_error",
        variant="size_mismatch",
        files={"classify.py": HEADSWAP},
        note="size mismatch for 2.weight on resuming",
    ),
    crate(
        "E2",
        "q_lake.py",
        CUTFILE,
        cause="traceback",
        variant="corrupt",
        python="system",
        folders=("state",),
        files={"prep.py": CUTPREP},
        before=(("PYTHON", "prep.py"),),
        note="pickle data was truncated / EOFError on continuing",
    ),
    crate(
        "E2",
        "sh chain.sh PYTHON",
        '"$1" fit.py --workdir out/run1 --steps 200 && exec "$1" fit.py --workdir out/run_1 --steps 200 --resume',
        variant="from_scratch",
        status=0,
        python="system",
        files={"fit.py": AGAIN},
        note="--resume with another folder: step 0 with the first loss again",
    ),
)
