"""Runs that died before they began, on the way, or at a state of before."""

from corpus.make._crate import crate

INTENTS = """
import json
import sys
from collections import Counter

import torch

print("reading", sys.argv[1])
texts, labels = [], []
with open(sys.argv[1], encoding="utf-8") as f:
    for line in f:
        row = json.loads(line)
        texts.append(row["utterance"].split())
        labels.append(row["intent"])
print(f"{len(texts)} utterances, {len(set(labels))} intents")
vocab = {w: i for i, (w, _) in enumerate(Counter(w for t in texts for w in t).most_common())}
net = torch.nn.Sequential(torch.nn.EmbeddingBag(len(vocab), 32), torch.nn.Linear(32, len(set(labels))))
opt = torch.optim.Adam(net.parameters(), 1e-2)
names = sorted(set(labels))
for epoch in range(20):
    for words, label in zip(texts, labels):
        loss = torch.nn.functional.cross_entropy(net(torch.tensor([[vocab[w] for w in words]])), torch.tensor([names.index(label)]))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
"""
UTTERANCES = "\n".join(
    f'{{"utterance": "please {v} the {n} now", "intent": "{v}_{n}"}}'
    if k != 57
    else '{"utterance": "please open the "blue" door", "intent": "open_door"}'
    for k, (v, n) in enumerate((v, n) for _ in range(6) for v in ("open", "close", "check") for n in ("door", "light", "gate", "blind"))
)

SEQPAR = '''
import argparse
import os

import torch
import torch.distributed as dist

p = argparse.ArgumentParser()
p.add_argument("--global-batch", type=int, default=64)
p.add_argument("--micro-batch", type=int, default=8)
p.add_argument("--iters", type=int, default=500)
a = p.parse_args()
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
if rank == 0:
    print("arguments:", " ".join(f"{k}={v}" for k, v in sorted(vars(a).items())), flush=True)


def micro_batches():
    """How many micro batches make one update on each rank."""
    assert a.global_batch % (a.micro_batch * world) == 0, f"global batch {a.global_batch} is no multiple of micro batch {a.micro_batch} x {world} ranks"
    return a.global_batch // (a.micro_batch * world)


n = micro_batches()
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 16))
for it in range(a.iters):
    for _ in range(n):
        net(torch.randn(a.micro_batch, 16)).pow(2).mean().backward()
    if rank == 0:
        print("iteration", it, flush=True)
'''

CROSSES = """
import array
import itertools
import sys

print("Python", sys.version.split()[0])
ROWS, COLS = 40_000, 48
print(f"table: {ROWS} rows, {COLS} columns")
columns = [array.array("d", bytes(8 * ROWS)) for _ in range(COLS)]
print("crossing all pairs of columns before the first tree is grown")
crossed = []
for a, b in itertools.combinations(range(COLS), 2):
    crossed.append(array.array("d", (x * y for x, y in zip(columns[a], columns[b]))))
    if len(crossed) % 20 == 0:
        print(f"  {len(crossed)} of {COLS * (COLS - 1) // 2} crosses ({len(crossed) * ROWS * 8 / 2**20:.0f} MiB)")
for tree in range(100):
    print("tree", tree)
"""

NGRAMS = """
import collections
import logging
import random
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.info
rng = random.Random(2)
FILES = 60
counts = collections.Counter()


def rss():
    return int(open("/proc/self/statm").read().split()[1]) * 4 // 1024


log("counting 7-grams of %d files", FILES)
for n in range(1, FILES + 1):
    words = [rng.randrange(50_000) for _ in range(48_000)]
    for k in range(len(words) - 6):
        counts[" ".join(map(str, words[k : k + 7]))] += 1
    time.sleep(0.05)
    log("file %2d/%d: %d different 7-grams, resident %d MB", n, FILES, len(counts), rss())
log("pruning and writing")
"""

SHARDED = """
import datetime
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()


def out(text):
    print(f"{datetime.datetime.now().isoformat(timespec='milliseconds')} [{rank}/{world}] {text}", flush=True)


if rank == 0:
    os.makedirs("mels", exist_ok=True)
    for s in range(12):
        if s != 8:
            torch.save(torch.randn(200, 20) * (1 + s / 20), f"mels/shard_{s:03d}.pt")
dist.barrier()
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(20, 6), torch.nn.Linear(6, 20)))
opt = torch.optim.Adam(net.parameters(), 0.01)
for turn in range(12 // world):
    name = f"mels/shard_{turn * world + rank:03d}.pt"
    mels = torch.load(name)
    for k, x in enumerate(mels.split(10)):
        loss = (net(x) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.06)
        if k % 10 == 9:
            out(f"{name} batch {k + 1}/20 loss {loss.item():.4f}")
out("all shards seen")
"""

VOCABGROW = """
import sys

import torch


class Tagger(torch.nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = torch.nn.Embedding(words, 32)
        self.rnn = torch.nn.GRU(32, 32, batch_first=True, bidirectional=True)
        self.tags = torch.nn.Linear(64, tags)

    def forward(self, x):
        return self.tags(self.rnn(self.embed(x))[0])


def main(words, tags, init):
    torch.manual_seed(1)
    net = Tagger(words, tags)
    print(f"tagger with {words} words and {tags} tags")
    if init:
        print(f"initialising from {init}")
        net.load_state_dict(torch.load(init, weights_only=True)["model"])
        print("weights loaded")
    opt = torch.optim.Adam(net.parameters(), 5e-3)
    for step in range(1, 101):
        x = torch.randint(words, (16, 12))
        loss = torch.nn.functional.cross_entropy(net(x).flatten(0, 1), (x % tags).flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    torch.save({"model": net.state_dict(), "step": step}, "tagger.pt")


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
"""

QTABLE = """
import os
import pickle
import random
import sys
import time

STATES, ACTIONS, EPISODES = 400, 4, 3000
path = "agent/q_table.pkl"
random.seed(3)
if os.path.exists(path):
    print(f"found {path} ({os.path.getsize(path)} bytes), restoring")
    with open(path, "rb") as f:
        kept = pickle.load(f)
    q, first = kept["q"], kept["episode"]
    print(f"restored, episode {first}")
else:
    q, first = {(s, a): 0.0 for s in range(STATES) for a in range(ACTIONS)}, 0
    print("no agent yet, starting with zeros")
limit = int(sys.argv[1])
for ep in range(first + 1, limit + 1):
    s, total = 0, 0.0
    for _ in range(120):
        a = random.randrange(4) if random.random() < max(0.1, 1 - ep / 800) else max(range(4), key=lambda k: q[s, k])
        n = min(max(s + (1, -1, 20, -20)[a], 0), STATES - 1)
        r = 10.0 if n == STATES - 1 else -0.05
        q[s, a] += 0.3 * (r + 0.97 * max(q[n, k] for k in range(4)) - q[s, a])
        s, total = n, total + r
        if n == STATES - 1:
            break
    if ep % 200 == 0:
        print(f"episode {ep}/{EPISODES} return {total:.2f}")
os.makedirs("agent", exist_ok=True)
with open(path, "wb") as f:
    pickle.dump({"q": q, "episode": limit}, f)
print(f"{path} written at episode {limit}")
"""

JOBS = (
    crate(
        "A1",
        "intents.py data/utterances.jsonl",
        INTENTS,
        cause="traceback",
        variant="data",
        files={"data/utterances.jsonl": UTTERANCES + "\n"},
        note="JSONDecodeError on a line of the training file while it is read, nothing trained",
    ),
    crate(
        "A1",
        "pretrain_mlm.py --global-batch 64 --micro-batch 8",
        SEQPAR,
        cause="assertion",
        variant="config",
        ranks=3,
        note="AssertionError of all three ranks: the global batch does not divide; nothing trained",
    ),
    crate(
        "A1",
        "crosses.py",
        CROSSES,
        cause="ram_oom",
        python="system",
        memory_mib=120,
        note="MemoryError while the table is widened, before the first tree",
    ),
    crate(
        "A2",
        "ngrams.py",
        NGRAMS,
        cause="oom_killer",
        status=-9,
        python="system",
        group_mib=300,
        note="oom_kill event of the control group at its limit, resident memory growing in each line, signal 9",
    ),
    crate(
        "A3",
        "vocoder.py",
        SHARDED,
        cause="file_not_found",
        ranks=3,
        first=(2,),
        note="rank 2 alone: FileNotFoundError of mels/shard_008.pt after two shards; torchrun takes the others down",
    ),
    crate(
        "E2",
        "tagger.py 520 9 base/tagger.pt",
        VOCABGROW,
        cause="runtime_error",
        variant="size_mismatch",
        folders=("base",),
        before=(("PYTHON", "tagger.py", "480", "9"), ("mv", "tagger.pt", "base/tagger.pt")),
        note="size mismatch for embed.weight on loading base/tagger.pt",
    ),
    crate(
        "E2",
        "qlearn.py 3000",
        QTABLE,
        cause="traceback",
        variant="corrupt",
        python="system",
        before=(("PYTHON", "qlearn.py", "1400"), ("truncate", "-s", "6000", "agent/q_table.pkl")),
        note="UnpicklingError: pickle data was truncated, right behind 'restoring'",
    ),
)
