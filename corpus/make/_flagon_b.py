"""Language models: runs that broke off, stood still, went slowly, did not learn, were too short, or were ended from outside, the first sheet."""

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
)
