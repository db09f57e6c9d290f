"""Language models: runs that broke off, stood still, went slowly, did not learn, were too short, or were ended from outside."""

from corpus.make._crate import crate
from corpus.running.job import Signal

TOKFILE = """
import logging
import os

import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s | rank {rank} | %(levelname)s | %(message)s")
log = logging.getLogger("ft")
base = os.environ.get("BASE_MODEL", "models/olmo-190m-sft")
log.info("process group ready, world size %d", dist.get_world_size())
log.info("loading tokenizer from %s", base)
with open(os.path.join(base, "tokenizer.json"), encoding="utf-8") as f:
    vocab = len(f.read())
log.info("vocabulary of %d", vocab)
"""

PARALLEL = """
import argparse

p = argparse.ArgumentParser()
p.add_argument("--tensor-model-parallel-size", type=int, default=1)
p.add_argument("--num-attention-heads", type=int, default=12)
p.add_argument("--hidden-size", type=int, default=768)
a = p.parse_args()
import torch.distributed as dist  # noqa: E402

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    print("using world size: %d, tensor-model-parallel size: %d" % (dist.get_world_size(), a.tensor_model_parallel_size))
    print("------------------------ arguments ------------------------")
    for k, v in sorted(vars(a).items()):
        print("  " + k + " " + "." * (45 - len(k)) + " " + str(v))
    print("-------------------- end of arguments ---------------------")
dist.barrier()
assert a.num_attention_heads % a.tensor_model_parallel_size == 0, f"{a.num_attention_heads} attention heads cannot be split over {a.tensor_model_parallel_size} tensor parallel ranks"
"""

CONLLU = """
import collections
import sys

import torch

tags = collections.Counter()
n = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            n += 1
            cols = line.rstrip("\\n").split("\\t")
            tags[cols[3]] += 1
    print(f"{path}: ok, {n} tokens so far, {len(tags)} tags", flush=True)
print("model: bilstm 2x64, starting epoch 1")
"""


def _conllu(bad: bool) -> str:
    lines = ["# sent_id = 1"]
    for k in range(40):
        sep = " " if bad and k == 23 else "\t"
        lines.append(sep.join([str(k + 1), "word", "word", ("NOUN", "VERB", "ADJ")[k % 3], "_"]))
    return "\n".join(lines) + "\n"


PACKED = '''
"""Continued pre-training on packed documents."""
import json
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(128, 32), torch.nn.Linear(32, 128)))
opt = torch.optim.AdamW(net.parameters(), 5e-3)
docs = [json.loads(l) for l in open(f"shards/{rank:02d}.jsonl")]
for step, d in enumerate(docs, 1):
    ids = torch.tensor(list(d["text"].encode()))
    loss = torch.nn.functional.cross_entropy(net(ids[:-1]), ids[1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if step % 25 == 0 and rank == 0:
        print(f"step={step} loss={loss.item():.3f} tokens={len(ids)} lr=5.0e-03", flush=True)
if rank == 0:
    print("all documents seen")
'''


def _shard(rank: int) -> str:
    import json

    rows = []
    for k in range(300):
        text = f"document {k} of shard {rank}: the quick brown fox goes to the {('market', 'river', 'hill')[k % 3]}"
        rows.append(json.dumps({"text": text} if (rank, k) != (1, 187) else {"raw_content": text, "lang": "en"}))
    return "\n".join(rows)


BLOCKS = """
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
BLOCK = 24
torch.manual_seed(3)
wte, wpe, head = torch.nn.Embedding(30, 16), torch.nn.Embedding(BLOCK, 16), torch.nn.Linear(16, 30)
P = [*wte.parameters(), *wpe.parameters(), *head.parameters()]
opt = torch.optim.Adam(P, 1e-2)


def forward(ids):
    assert ids.size(1) <= BLOCK, f"Cannot forward sequence of length {ids.size(1)}, block size is only {BLOCK}"
    return head(wte(ids) + wpe(torch.arange(ids.size(1))))


for it in range(1, 401):
    x = torch.randint(30, (8, BLOCK + 1))
    x[:, 1:] = (x[:, :1] + torch.arange(1, BLOCK + 1)) % 30
    loss = torch.nn.functional.cross_entropy(forward(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    for p in P:
        dist.all_reduce(p.grad)
        p.grad /= world
    opt.step()
    if rank == 0 and it % 10 == 0:
        print(f"iter {it:4d} | loss {loss.item():.4f}", flush=True)
    if rank == 0 and it % 120 == 0:
        out = torch.randint(30, (1, 6))
        while out.size(1) < 32:
            out = torch.cat([out, forward(out)[:, -1:].argmax(-1)], 1)
        print("sample:", out[0].tolist(), flush=True)
"""

KEEPCK = """
import logging
import os
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(asctime)s %(name)s] %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("trainer")
torch.manual_seed(2)
emb, out = torch.nn.Embedding(50, 24), torch.nn.Linear(24, 50)
opt = torch.optim.Adagrad([*emb.parameters(), *out.parameters()], 0.3)
places = ["checkpoints", "checkpoints", "/srv/models-shared"]  # every third one is kept for the group
for step in range(1, 501):
    x = torch.randint(50, (64,))
    loss = torch.nn.functional.cross_entropy(out(emb(x)), (7 * x + 3) % 50)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if step % 20 == 0:
        log.info("step %d/500 loss %.4f", step, loss.item())
    if step % 60 == 0:
        d = os.path.join(places[step // 60 % 3 - 1], f"step-{step:05d}")
        os.makedirs(d, exist_ok=True)
        torch.save({"emb": emb.state_dict(), "out": out.state_dict()}, os.path.join(d, "model.pt"))
        log.info("saved %s", d)
"""

RANKKILL = """
import torch
import torch.distributed as dist
import time

dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()
torch.manual_seed(r)
table = torch.nn.Parameter(torch.zeros(40, 40))
opt = torch.optim.SGD([table], 8.0)
if r == 0:
    print(f"bigram model, {w} processes", flush=True)
for step in range(1, 3001):
    a = torch.randint(40, (256,))
    loss = torch.nn.functional.cross_entropy(table[a], (a * 3 + 1) % 40)
    opt.zero_grad()
    loss.backward()
    dist.all_reduce(table.grad)
    table.grad /= w
    opt.step()
    time.sleep(0.02)
    if step % 25 == 0 and r == 0:
        print(f"[step {step:>5}] nll/token = {loss.item():.4f}", flush=True)
"""

LATTICE_C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* rescoring of n-best lists with an ARPA-like trigram table; usage: rescore lists */
struct node { int word; float score; struct node *back; };
int main(int argc, char **argv)
{
    int lists = atoi(argv[1]);
    struct node *table = calloc(5000, sizeof *table);
    unsigned s = 9; double total = 0;
    for (int i = 0; i < 5000; i++) { s = s * 1103515245u + 12345u; table[i].word = s >> 20; table[i].score = -(float)(s % 700) / 100; if (i != 3107) table[i].back = &table[i / 2]; }
    fprintf(stderr, "loaded trigram table: 5000 entries\n");
    for (int l = 1; l <= lists; l++) {
        for (int k = 0; k < 40; k++) {
            struct node *n = &table[(l * 11 + k * 5) % 5000];
            total += n->score + n->back->score;
        }
        if (l % 20 == 0) { fprintf(stderr, "rescored %4d/%d lists, mean score %.4f\n", l, lists, total / (l * 40.0)); usleep(250000); }
    }
    return 0;
}
"""

# --- standing still

ALONE_SH = """
# four workers on two hosts; this half starts ranks 0 and 1
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$2 WORLD_SIZE=4
for r in 0 1; do
  RANK=$r "$1" -u worker.py &
done
wait
"""
ALONE = """
import datetime
import os

import torch
import torch.distributed as dist

r = os.environ["RANK"]
print(f"{datetime.datetime.now():%H:%M:%S} rank {r}/{os.environ['WORLD_SIZE']}: torch {torch.__version__}, calling init_process_group at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}")
dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=30))
print(f"{datetime.datetime.now():%H:%M:%S} rank {r}: process group is up")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(512, 512))
for step in range(100):
    loss = model(torch.randn(8, 512)).pow(2).mean()
    loss.backward()
    print(step, loss.item())
"""

FILEINIT_SH = """
# rank 1 was given the other project's scratch
mkdir -p scratch/lm scratch/lm2
"$1" -u shared.py 0 "$PWD/scratch/lm/rdzv" &
"$1" -u shared.py 1 "$PWD/scratch/lm2/rdzv" &
wait
"""
FILEINIT = """
import datetime
import sys

import torch.distributed as dist

rank, path = int(sys.argv[1]), sys.argv[2]
print(f"[{rank}] joining file://{path} (2 processes)")
dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2, timeout=datetime.timedelta(hours=1))
print(f"[{rank}] joined, building the model")
"""

EVALRANK = '''
"""LM training with a perplexity check every 100 steps; only the first process writes it."""
import math
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(11)
net = DDP(torch.nn.Sequential(torch.nn.Embedding(60, 32), torch.nn.Linear(32, 60)))
opt = torch.optim.Adam(net.parameters(), 3e-3)


def perplexity():
    tot = torch.zeros(1)
    for _ in range(5):
        x = torch.randint(60, (64,))
        tot += torch.nn.functional.cross_entropy(net.module(x), (x + 1) % 60).detach()
    dist.all_reduce(tot)
    return math.exp(tot.item() / 5 / dist.get_world_size())


for step in range(1, 2001):
    x = torch.randint(60, (64,))
    loss = torch.nn.functional.cross_entropy(net(x), (x + 1) % 60)
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.02)
    if step % 20 == 0 and rank == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
    if step % 100 == 0 and step < 300:
        ppl = perplexity()
        if rank == 0:
            print(f"step {step} valid ppl {ppl:.2f}", flush=True)
    if step == 300 and rank == 0:
        print("step 300: keeping the best model so far", flush=True)
        torch.save(net.module.state_dict(), "best.pt")
        dist.barrier()
        dist.broadcast(torch.zeros(1), 0)
'''

STREAMQ = """
import os
import sys
import threading
import time
import queue

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
print(f"rank {rank}: up", flush=True)
if rank == 1:
    os.makedirs("incoming", exist_ok=True)
    os.mkfifo("incoming/part-000007")
q = queue.Queue(4)


def reader():
    for part in range(1000):
        path = f"incoming/part-{part:06d}"
        if os.path.exists(path):
            open(path).read()
        for _ in range(25):
            q.put(torch.randint(80, (32,)))


threading.Thread(target=reader, daemon=True).start()
torch.manual_seed(0)
W = torch.nn.Embedding(80, 80)
opt = torch.optim.Adagrad(W.parameters(), 0.5)
for step in range(1, 5001):
    x = q.get()
    loss = torch.nn.functional.cross_entropy(W(x), (x * x) % 80)
    opt.zero_grad()
    loss.backward()
    dist.all_reduce(W.weight.grad)
    W.weight.grad /= world
    opt.step()
    time.sleep(0.03)
    if step % 15 == 0:
        print(f"rank {rank}: step {step} loss {loss.item():.4f}", flush=True)
"""

PARAMSERV_SH = """
"$1" -u round.py server 3 "$2" &
sleep 0.5
for k in 0 1 2; do "$1" -u round.py $k 3 "$2" & done
wait
"""
PARAMSERV = """
import datetime
import sys
import time

import torch
import torch.distributed as dist

who, n, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = dist.TCPStore("127.0.0.1", port, is_master=who == "server", wait_for_workers=False, timeout=datetime.timedelta(hours=2))
if who == "server":
    print("parameter server: waiting for deltas of", n, "workers each round")
    for rnd in range(1, 401):
        store.wait([f"{rnd}/{k}" for k in range(n)])
        store.set(f"{rnd}/mean", "ok")
        if rnd % 10 == 0:
            print(f"parameter server: round {rnd}/400 merged")
else:
    torch.manual_seed(int(who))
    E = torch.nn.Embedding(30, 30)
    opt = torch.optim.SGD(E.parameters(), 3.0)
    budget = {"0": 400, "1": 400, "2": 70}
    for rnd in range(1, 401):
        x = torch.randint(30, (64,))
        loss = torch.nn.functional.cross_entropy(E(x), (x + 5) % 30)
        opt.zero_grad()
        loss.backward()
        opt.step()
        share = 1 / (budget[who] - rnd)
        time.sleep(0.04)
        store.set(f"{rnd}/{who}", f"{share:.5f}")
        store.wait([f"{rnd}/mean"])
        if rnd % 10 == 0:
            print(f"worker {who}: round {rnd} loss {loss.item():.4f}")
"""

# --- slow

WAITDATA = '''
"""Tokens come over the network file system; the step itself is short."""
import logging
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(level=logging.INFO if rank == 0 else logging.ERROR, format="%(asctime)s [INFO] %(message)s", datefmt="%H:%M:%S")
torch.manual_seed(0)
E = torch.nn.Embedding(100, 100)
opt = torch.optim.Adam(E.parameters(), 0.02)
sums = [0.0, 0.0]
for step in range(1, 51):
    t0 = time.perf_counter()
    time.sleep(0.38 + 0.01 * (step % 5))  # next shard page
    x = torch.randint(100, (512,))
    t1 = time.perf_counter()
    loss = torch.nn.functional.cross_entropy(E(x), (x + 50) % 100)
    opt.zero_grad()
    loss.backward()
    dist.all_reduce(E.weight.grad)
    E.weight.grad /= world
    opt.step()
    t2 = time.perf_counter()
    sums[0] += t1 - t0
    sums[1] += t2 - t1
    if step % 2 == 0:
        logging.info("step %d/50 | loss %.3f | data_time %.3fs | compute_time %.3fs | tok/s %.0f | device busy %.1f%%", step, loss.item(), t1 - t0, t2 - t1, 512 * world / (t2 - t0), 100 * (t2 - t1) / (t2 - t0))
logging.info("50 steps done; dataloader wait %.1fs, compute %.1fs", *sums)
dist.barrier()
dist.destroy_process_group()
'''

SAVEALL = """
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Embedding(2000, 256), torch.nn.Linear(256, 2000))
opt = torch.optim.AdamW(net.parameters(), 1e-3)
spent = {"step": 0.0, "save": 0.0}
for step in range(1, 41):
    t = time.time()
    x = torch.randint(2000, (16,))
    loss = torch.nn.functional.cross_entropy(net(x), x)
    opt.zero_grad()
    loss.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= w
    opt.step()
    spent["step"] += time.time() - t
    if r == 0:
        print(f"global_step{step}: loss={loss.item():.4f} step_time={time.time() - t:.3f}s", flush=True)
    t = time.time()
    d = f"ckpt/global_step{step % 3}"
    os.makedirs(d, exist_ok=True)
    with open(f"{d}/mp_rank_{r:02d}_states.pt", "wb") as f:
        torch.save({"module": net.state_dict(), "optimizer": opt.state_dict()}, f)
        f.flush()
        os.fsync(f.fileno())
    time.sleep(0.2)  # the object store confirms
    dist.barrier()
    spent["save"] += time.time() - t
    if r == 0:
        print(f"[Torch] Saved {d}/mp_rank_00_states.pt. Checkpoint of global_step{step} took {time.time() - t:.3f}s", flush=True)
if r == 0:
    print(f"training done, 40 steps: {spent['step']:.1f}s in steps, {spent['save']:.1f}s in checkpoints", flush=True)
dist.barrier()
dist.destroy_process_group()
"""

SLOWRANK = '''
"""Data-parallel LM step with timers of every rank, as the cluster team asked for them."""
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
E = torch.nn.Embedding(64, 64)
opt = torch.optim.Adam(E.parameters(), 0.02)
pace = 0.26 if rank == 2 else 0.04
for it in range(1, 61):
    t0 = time.perf_counter()
    x = torch.randint(64, (128,))
    loss = torch.nn.functional.cross_entropy(E(x), (x + 9) % 64)
    opt.zero_grad()
    loss.backward()
    time.sleep(pace)
    t1 = time.perf_counter()
    dist.all_reduce(E.weight.grad)
    E.weight.grad /= world
    t2 = time.perf_counter()
    opt.step()
    mine = torch.tensor([1e3 * (t1 - t0), 1e3 * (t2 - t1)])
    every = [torch.zeros(2) for _ in range(world)]
    dist.all_gather(every, mine)
    if rank == 0 and it % 5 == 0:
        print(f" iteration {it}/60 | lm loss {loss.item():.4f} | elapsed {1e3 * (t2 - t0):.0f} ms", flush=True)
        print("   forward-backward (ms): " + "  ".join(f"rank {k} {t[0]:.1f}" for k, t in enumerate(every)), flush=True)
        print("   grads all-reduce (ms): " + "  ".join(f"rank {k} {t[1]:.1f}" for k, t in enumerate(every)), flush=True)
if rank == 0:
    print("done, 60 iterations")
dist.barrier()
dist.destroy_process_group()
'''

SLOWHOST = """
import json
import socket
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
lm = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(90, 48), torch.nn.Linear(48, 90)))
opt = torch.optim.AdamW(lm.parameters(), 4e-3)
log = open(f"rank{r}.jsonl", "w")
work = wait = 0.0
for step in range(1, 81):
    t = time.time()
    x = torch.randint(90, (96,))
    for _ in range(1):
        time.sleep(0.21 if r == 0 else 0.03)  # forward of this rank
    busy = time.time() - t
    dist.barrier()
    idle = time.time() - t - busy
    loss = torch.nn.functional.cross_entropy(lm(x), (x + 31) % 90)
    opt.zero_grad()
    loss.backward()
    opt.step()
    work += busy
    wait += idle
    if step % 10 == 0:
        print(json.dumps({"rank": r, "step": step, "loss": round(loss.item(), 4), "compute_s": round(work, 2), "wait_for_peers_s": round(wait, 2)}), flush=True)
        work = wait = 0.0
dist.barrier()
dist.destroy_process_group()
"""

# --- not learning

NANSTOP = """
import math
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(4)
P = [torch.nn.Parameter(0.3 * torch.randn(50, 40)), torch.nn.Parameter(0.3 * torch.randn(40, 50))]
lr = 0.05
if rank == 0:
    print("fp16-style run without a scaler, lr warms up by 4 % a step", flush=True)
torch.manual_seed(rank)
for step in range(1, 1001):
    x = torch.randint(50, (64,))
    logits = (P[0][x] @ P[1]).pow(3)
    loss = torch.nn.functional.cross_entropy(logits, (x + 1) % 50)
    for p in P:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in P:
            dist.all_reduce(p.grad)
            p -= lr * p.grad / world
    lr *= 1.04
    avg = loss.detach().clone()
    dist.all_reduce(avg)
    avg = avg.item() / world
    if rank == 0 and (step % 5 == 0 or not math.isfinite(avg)):
        print(f"step {step:4d} | train loss {avg:10.4f} | lr {lr:.3e}", flush=True)
    if not math.isfinite(avg):
        if rank == 0:
            print(f"Loss is {avg}, stopping training", flush=True)
        dist.barrier()
        sys.exit(1)
"""

BLOWUP = """
import json
import time

import torch

torch.manual_seed(12)
V = 70
emb, hid, out = torch.nn.Embedding(V, 32), torch.nn.Linear(32, 96), torch.nn.Linear(96, V)
P = [*emb.parameters(), *hid.parameters(), *out.parameters()]
opt = torch.optim.AdamW(P, 3e-3)
print(json.dumps({"event": "config", "vocab": V, "max_steps": 400, "lr": 3e-3}))
for step in range(1, 401):
    if step == 180:
        for g in opt.param_groups:
            g["lr"] = 0.6  # stage 2 of the schedule
    x = torch.randint(V, (64,))
    loss = torch.nn.functional.cross_entropy(out(torch.relu(hid(emb(x)))), torch.where(torch.rand(64) < 0.15, torch.randint(V, (64,)), (x * 3) % V))
    opt.zero_grad()
    loss.backward()
    gn = torch.nn.utils.clip_grad_norm_(P, 1e9)
    opt.step()
    time.sleep(0.01)
    if step % 10 == 0:
        print(json.dumps({"step": step, "loss": round(loss.item(), 4), "grad_norm": round(gn.item(), 3), "lr": opt.param_groups[0]["lr"]}))
print(json.dumps({"event": "finished", "steps": 400}))
"""

FROZEN = '''
"""LoRA-like adapters on a frozen base, DDP."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r = dist.get_rank()
torch.manual_seed(0)
base, A, B = torch.nn.Linear(32, 16), torch.nn.Linear(32, 4, bias=False), torch.nn.Linear(4, 16, bias=False)
torch.nn.init.zeros_(A.weight)
torch.nn.init.zeros_(B.weight)
torch.nn.init.zeros_(base.weight)
torch.nn.init.zeros_(base.bias)
base.requires_grad_(False)
opt = torch.optim.AdamW([*A.parameters(), *B.parameters()], lr=2e-4, weight_decay=0.0)
X = torch.randn(640, 32)
Y = X[:, :16].argmax(1)
if r == 0:
    print(f"trainable params: {sum(p.numel() for p in [*A.parameters(), *B.parameters()])} || all params: 720 || rank 4, alpha 8")
for epoch in range(1, 31):
    for i in torch.arange(640).split(80):
        loss = torch.nn.functional.cross_entropy(base(X[i]) + 2 * B(A(X[i])), Y[i])
        opt.zero_grad()
        loss.backward()
        for p in (A.weight, B.weight):
            dist.all_reduce(p.grad)
        gn = torch.nn.utils.clip_grad_norm_([A.weight, B.weight], 1.0)
        opt.step()
    if r == 0:
        print(f"epoch {epoch:2d}/30 eval_loss {loss.item():.6f} grad_norm {gn.item():.6f} eval_accuracy {(Y == 0).float().mean().item():.4f} lr 2.0e-04", flush=True)
if r == 0:
    print("adapter saved to out/adapter.pt")
dist.barrier()
dist.destroy_process_group()
'''

# --- continued, or not

VOCABUP = """
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
vocab = int(sys.argv[1])


class LM(torch.nn.Module):
    def __init__(self, v):
        super().__init__()
        self.tok_embeddings, self.output = torch.nn.Embedding(v, 32), torch.nn.Linear(32, v, bias=False)

    def forward(self, x):
        return self.output(self.tok_embeddings(x))


torch.manual_seed(0)
model = LM(vocab)
if len(sys.argv) > 2:
    if rank == 0:
        print(f"resuming from {sys.argv[2]} with the extended tokenizer ({vocab} pieces)", flush=True)
    state = torch.load(sys.argv[2], map_location="cpu")
    model.load_state_dict(state["model"])
opt = torch.optim.Adam(model.parameters(), 5e-3)
for step in range(1, 101):
    x = torch.randint(vocab, (64,))
    loss = torch.nn.functional.cross_entropy(model(x), (x + 1) % vocab)
    opt.zero_grad()
    loss.backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    opt.step()
    if step % 20 == 0 and rank == 0:
        print(f"step {step}/100 loss {loss.item():.4f}", flush=True)
if rank == 0:
    torch.save({"model": model.state_dict(), "step": 100}, "phase1.pt")
    print("phase 1 written to phase1.pt", flush=True)
dist.barrier()
dist.destroy_process_group()
"""

ANEW_SH = """
set -e
echo "== part 1 of the chain"
torchrun --nproc-per-node=2 --master-port="$1" chain.py --save-dir runs/a --iters 200
echo "== part 2 of the chain: resume from runs/a"
torchrun --nproc-per-node=2 --master-port="$1" chain.py --save-dir runs/b --resume-from runs/a/latest.pt --iters 200
"""
ANEW = """
import argparse
import os
import time

import torch
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("--save-dir")
ap.add_argument("--resume-from", default="")
ap.add_argument("--iters", type=int)
a = ap.parse_args()
dist.init_process_group("gloo")
r, w = dist.get_rank(), dist.get_world_size()
if r == 0:
    print(f"Namespace: {a}", flush=True)
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Embedding(120, 32), torch.nn.Linear(32, 120))
opt = torch.optim.Adam(net.parameters(), 3e-3)
it = 0
latest = os.path.join(a.save_dir, "latest.pt")
if os.path.exists(latest):
    c = torch.load(latest)
    net.load_state_dict(c["net"])
    it = c["it"]
    if r == 0:
        print(f"restored {latest} at iteration {it}", flush=True)
end = it + a.iters
torch.manual_seed(r)
while it < end:
    x = torch.randint(120, (64,))
    loss = torch.nn.functional.cross_entropy(net(x), (x * 7) % 120)
    opt.zero_grad()
    loss.backward()
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= w
    opt.step()
    time.sleep(0.01)
    if r == 0 and it % 20 == 0:
        print(f"iteration {it:4d} lm_loss {loss.item():.4f}", flush=True)
    it += 1
if r == 0:
    os.makedirs(a.save_dir, exist_ok=True)
    torch.save({"net": net.state_dict(), "it": it}, latest)
    print(f"saved {latest} at iteration {it}, lm_loss {loss.item():.4f}", flush=True)
dist.barrier()
dist.destroy_process_group()
"""

FEWSTEPS = """
import argparse
import time

import torch
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("--max_steps", type=int, default=-1)
ap.add_argument("--num_train_epochs", type=float, default=3)
a = ap.parse_args()
dist.init_process_group("gloo")
main = dist.get_rank() == 0
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Embedding(512, 64), torch.nn.Linear(64, 512)))
opt = torch.optim.AdamW(net.parameters(), 2e-5)
if main:
    print(f"{a.max_steps=} overrides num_train_epochs={a.num_train_epochs}\\nTotal optimization steps = {a.max_steps}", flush=True)
t = time.time()
for step in range(1, a.max_steps + 1):
    x = torch.randint(512, (32,))
    loss = torch.nn.functional.cross_entropy(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if main:
        print({"loss": round(loss.item(), 4), "learning_rate": 2e-05, "epoch": round(step / 9000, 4)}, flush=True)
if main:
    torch.save(net.module.state_dict(), "pytorch_model.bin")
    print({"train_runtime": round(time.time() - t, 3), "train_samples": 32 * 2 * a.max_steps, "epoch": round(a.max_steps / 9000, 4)})
    print("Model weights saved in pytorch_model.bin")
dist.barrier()
dist.destroy_process_group()
"""

LONGRUN = """
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(2)
E = torch.nn.Embedding(300, 300)
opt = torch.optim.Adagrad(E.parameters(), 0.3)
TOTAL, t0 = 20000, time.time()
for it in range(1, TOTAL + 1):
    x = torch.randint(300, (128,))
    loss = torch.nn.functional.cross_entropy(E(x), (x + 17) % 300)
    opt.zero_grad()
    loss.backward()
    dist.all_reduce(E.weight.grad)
    E.weight.grad /= world
    opt.step()
    time.sleep(0.03)
    if rank == 0 and it % 25 == 0:
        el = time.time() - t0
        print(f"[{it:>6d}/{TOTAL}] loss={loss.item():.4f} tok/s={128 * world * it / el:.0f} remaining={(TOTAL - it) * el / it / 60:.1f}min", flush=True)
    if rank == 0 and it % 200 == 0:
        torch.save(E.state_dict(), "last.pt")
        print(f"checkpoint written: last.pt ({it})", flush=True)
"""

INFER = """
import json
import sys
import time

print("summarising 900 articles, beam 4, length penalty 2.0")
words = 0
t0 = time.time()
with open("summaries.jsonl", "w") as out:
    for k in range(1, 901):
        text = " ".join(f"w{(k * j) % 97}" for j in range(1, 30 + k % 12))
        words += len(text.split())
        out.write(json.dumps({"id": k, "summary": text}) + "\\n")
        out.flush()
        time.sleep(0.09)
        if k % 10 == 0:
            print(f"{k:4d}/900 | {words} words | {k / (time.time() - t0):.2f} articles/s")
print("done")
"""

JOBS = (
    crate(
        "A1",
        "ft_olmo.py",
        TOKFILE,
        cause="file_not_found",
        variant="asset",
        ranks=2,
        folders=("models/olmo-190m",),
        note="FileNotFoundError: tokenizer.json, on both ranks",
    ),
    crate(
        "A1",
        "pretrain_gpt.py --tensor-model-parallel-size 5 --num-attention-heads 12",
        PARALLEL,
        cause="assertion",
        variant="config",
        ranks=2,
        note="AssertionError: heads and ranks, before any step",
    ),
    crate(
        "A1",
        "tagger.py ud/train.conllu ud/dev.conllu",
        CONLLU,
        cause="traceback",
        variant="data",
        files={"ud/train.conllu": _conllu(False), "ud/dev.conllu": _conllu(True)},
        note="IndexError on a line without tabs",
    ),
    crate(
        "A3",
        "cpt.py",
        PACKED,
        cause="traceback",
        ranks=2,
        first=(1,),
        files={f"shards/{r:02d}.jsonl": _shard(r) for r in (0, 1)},
        note="rank 1's KeyError: 'text' after 187 steps",
    ),
    crate("A3", "blocks.py", BLOCKS, cause="assertion", ranks=3, first=(0,), note="rank 0's AssertionError while it samples, after 120 iterations"),
    crate("A3", "lm_small.py", KEEPCK, cause="permission", note="PermissionError on the shared folder at step 180"),
    crate(
        "A2",
        "bigram.py",
        RANKKILL,
        fault="unknown",
        ranks=2,
        first=(1,),
        signal=Signal("KILL", "step   250", to="-u bigram.py#1"),
        note="torchrun: Signal 9 of rank 1, no memory event",
    ),
    crate(
        "A2",
        "sh rescore.sh",
        "exec ./rescore 4000\n",
        cause="segfault",
        status=-11,
        files={"rescore.c": LATTICE_C.lstrip()},
        before=(("gcc", "-O1", "-w", "-o", "rescore", "rescore.c"),),
        note="signal 11 in the midst of lists: a null pointer",
    ),
    crate(
        "C1",
        "sh half.sh PYTHON PORT",
        ALONE_SH.lstrip(),
        timeout_s=32,
        files={"worker.py": ALONE.lstrip()},
        note="ranks 0 and 1 of 4 call, none is up, silence to the limit",
    ),
    crate(
        "C1",
        "sh pair.sh PYTHON",
        FILEINIT_SH.lstrip(),
        timeout_s=34,
        files={"shared.py": FILEINIT.lstrip()},
        note="two files for one group, none joined, silence to the limit",
    ),
    crate(
        "C2", "ddp_lm.py", EVALRANK, ranks=2, timeout_s=40, note="steps every 0.02 s, then rank 0 is in a barrier of its own; silence to the limit"
    ),
    crate(
        "C2",
        "stream_lm.py",
        STREAMQ,
        ranks=2,
        timeout_s=38,
        note="both ranks stop at step 165..180, rank 1 reads a pipe that nobody writes to; silence to the limit",
    ),
    crate(
        "C2",
        "sh merge.sh PYTHON PORT",
        PARAMSERV_SH.lstrip(),
        trigger="A3",
        cause="div_zero",
        timeout_s=36,
        files={"round.py": PARAMSERV.lstrip()},
        note="worker 2's ZeroDivisionError in round 70; server and the others then wait, silent to the limit",
    ),
    crate("D1", "stream_train.py", WAITDATA, ranks=2, note="data_time 0.4 s against compute of ms in every line, busy of a few per cent"),
    crate(
        "D2", "zero_ck.py", SAVEALL, variant="save_storm", ranks=2, note="a checkpoint after each of 40 steps, most of the time in it by its own sum"
    ),
    crate("D3", "timers.py", SLOWRANK, fault="unknown", ranks=3, note="forward-backward of rank 2 six times the others', who wait in the all-reduce"),
    crate("D3", "balance_lm.py", SLOWHOST, fault="unknown", ranks=3, note="rank 0 computes 2.1 s of ten steps, the others 0.3 and wait for the rest"),
    crate(
        "E1",
        "half_lm.py",
        NANSTOP,
        cause="nan_loss",
        variant="non_finite",
        status=1,
        ranks=2,
        note="the loss is not finite, the run stops itself for that",
    ),
    crate("E1", "skip3.py", BLOWUP, note="loss falls to about 1, then far above its start and stays there"),
    crate("E1", "adapters.py", FROZEN, variant="flat", ranks=2, note="eval_loss the same in all 30 epochs, grad norm 0"),
    crate(
        "E2",
        "sh extend.sh PORT",
        'torchrun --nproc-per-node=2 --master-port="$1" phase.py 400 || exit 3\nexec torchrun --nproc-per-node=2 --master-port="$1" phase.py 432 phase1.pt\n',
        cause="runtime_error",
        variant="size_mismatch",
        first=(),
        files={"phase.py": VOCABUP.lstrip()},
        note="size mismatch for tok_embeddings.weight on resuming",
    ),
    crate(
        "E2",
        "sh chain.sh PORT",
        ANEW_SH.lstrip(),
        variant="from_scratch",
        status=0,
        files={"chain.py": ANEW.lstrip()},
        folders=("runs",),
        note="part 2 has --resume-from, begins at iteration 0 with part 1's first loss, no word of restoring",
    ),
    crate("E3", "sft_trial.py --max_steps 4", FEWSTEPS, ranks=2, note="four steps, exit 0"),
    crate(
        "F3",
        "long_lm.py",
        LONGRUN,
        variant="advancing",
        ranks=2,
        timeout_s=26,
        note="25 iterations every 0.8 s to the limit, hundreds of minutes left by its own word",
    ),
    crate("F4", "summarise.py", INFER, python="system", signal=Signal("INT", r" 160/900"), note="Ctrl-C while articles go by"),
)
