"""Language models: trainings, evaluations, generations and preparations that did what they were to do, the first sheet."""

from corpus.make._crate import crate

GPT = '''
"""Minimal GPT on characters, DDP over gloo when started by torchrun."""
import math
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

out_dir = "out-fables"
eval_interval, log_interval, max_iters = 60, 10, 240
batch_size, block_size, n_embd, n_head, n_layer = 8, 32, 32, 4, 2
learning_rate, warmup_iters = 3e-3, 20

ddp = int(os.environ.get("RANK", -1)) != -1
if ddp:
    dist.init_process_group(backend="gloo")
rank, world = (dist.get_rank(), dist.get_world_size()) if ddp else (0, 1)
master = rank == 0
tokens_per_iter = world * batch_size * block_size
if master:
    os.makedirs(out_dir, exist_ok=True)
    print(f"tokens per iteration will be: {tokens_per_iter:,}")
torch.manual_seed(1337 + rank)
text = open("fables.txt").read()
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
split = int(0.9 * len(data))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attn = nn.MultiheadAttention(n_embd, n_head, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        m = torch.triu(torch.ones(x.size(1), x.size(1), dtype=torch.bool), 1)
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=m, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(len(chars), n_embd), nn.Embedding(block_size, n_embd)
        self.h = nn.Sequential(*(Block() for _ in range(n_layer)))
        self.ln, self.head = nn.LayerNorm(n_embd), nn.Linear(n_embd, len(chars))

    def forward(self, i):
        return self.head(self.ln(self.h(self.wte(i) + self.wpe(torch.arange(i.size(1))))))


def get_batch(part):
    d = data[:split] if part == "train" else data[split:]
    ix = torch.randint(len(d) - block_size - 1, (batch_size,))
    return torch.stack([d[i:i + block_size] for i in ix]), torch.stack([d[i + 1:i + 1 + block_size] for i in ix])


model = GPT()
if master:
    print("number of parameters: %.2fM" % (sum(p.numel() for p in model.parameters()) / 1e6,))
opt = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0.1)
raw = model
if ddp:
    model = DDP(model)
t0, best = time.time(), 1e9
for it in range(max_iters + 1):
    lr = learning_rate * min(1, (it + 1) / warmup_iters) * (0.1 + 0.45 * (1 + math.cos(math.pi * it / max_iters)))
    for g in opt.param_groups:
        g["lr"] = lr
    if it % eval_interval == 0 and master:
        raw.eval()
        with torch.no_grad():
            est = {p: sum(F.cross_entropy(raw(x).flatten(0, 1), y.flatten()).item() for x, y in (get_batch(p) for _ in range(5))) / 5 for p in ("train", "val")}
        raw.train()
        print(f"step {it}: train loss {est['train']:.4f}, val loss {est['val']:.4f}")
        if est["val"] < best and it:
            best = est["val"]
            print(f"saving checkpoint to {out_dir}")
            torch.save({"model": raw.state_dict(), "iter_num": it, "best_val_loss": best}, os.path.join(out_dir, "ckpt.pt"))
    x, y = get_batch("train")
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    dt, t0 = time.time() - t0, time.time()
    if it % log_interval == 0 and master:
        print(f"iter {it}: loss {loss.item():.4f}, time {dt * 1000:.2f}ms, lr {lr:.2e}")
if ddp:
    dist.barrier()
    dist.destroy_process_group()
'''


FABLES = "\n".join(
    f'A {a} {v} a {b} near the {p}. "{w}," said the {b}, and the {a} {e}.'
    for a, v, e in (("fox", "met", "ran home"), ("crow", "mocked", "flew off"), ("wolf", "followed", "lay down"), ("hare", "passed", "laughed"))
    for b, w in (("stork", "Wait for me"), ("lamb", "Spare me"), ("mouse", "Look behind you"))
    for p in ("river", "old mill", "vineyard", "gate")
)


HARNESS = """
import argparse
import logging
import random
import time

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--model_args", default="pretrained=./exp/lm-40m,dtype=float32")
parser.add_argument("--tasks", default="boolq_mini,copa_mini,hellaswag_mini")
parser.add_argument("--num_fewshot", type=int, default=0)
parser.add_argument("--batch_size", type=int, default=16)
args = parser.parse_args()
logging.basicConfig(format="%(asctime)s,%(msecs)03d %(levelname)-8s [%(filename)s:%(lineno)d] %(message)s", datefmt="%Y-%m-%d:%H:%M:%S", level=logging.INFO)
eval_logger = logging.getLogger("lm-eval")
random.seed(1234)
torch.manual_seed(1234)
eval_logger.info("Setting random seed to 1234 | Setting torch manual seed to 1234")
eval_logger.info("Initializing model with arguments: %s", dict(kv.split("=") for kv in args.model_args.split(",")))
lm = torch.nn.Sequential(torch.nn.Embedding(300, 32), torch.nn.Flatten(), torch.nn.Linear(32 * 12, 2))
rows = []
for task in args.tasks.split(","):
    n = {"boolq_mini": 320, "copa_mini": 96, "hellaswag_mini": 400}[task]
    eval_logger.info("Building contexts for %s on rank 0...", task)
    x = torch.randint(300, (n, 12))
    gold = torch.where(torch.rand(n) < 0.12, torch.randint(2, (n,)), lm(x).argmax(1)) if task != "copa_mini" else torch.where(torch.rand(n) < 0.6, torch.randint(2, (n,)), lm(x).argmax(1))
    right = 0
    eval_logger.info("Running loglikelihood requests")
    with torch.no_grad():
        for k, i in enumerate(torch.arange(n).split(args.batch_size)):
            right += (lm(x[i]).log_softmax(1).argmax(1) == gold[i]).sum().item()
            time.sleep(0.12)
            if k % 8 == 0:
                print(f"Running loglikelihood requests: {100 * (k * args.batch_size) // n:3d}%| {2 * k * args.batch_size}/{2 * n}")
    acc = right / n
    rows.append((task, n, acc, (acc * (1 - acc) / n) ** 0.5))
print(f"hf ({args.model_args}), limit: None, num_fewshot: {args.num_fewshot}, batch_size: {args.batch_size}")
print("|    Tasks     |Version|Filter|n-shot|Metric|   |Value |   |Stderr|")
print("|--------------|------:|------|-----:|------|---|-----:|---|-----:|")
for t, n, a, s in rows:
    print(f"|{t:<14}|      1|none  |{args.num_fewshot:>6}|acc   |↑  |{a:.4f}|±  |{s:.4f}|")
"""


GENERATE = '''
"""Offline batch generation, prompts are dealt out over the ranks."""
import json
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
V, H = 200, 48
emb, gru, head = torch.nn.Embedding(V, H), torch.nn.GRU(H, H, batch_first=True), torch.nn.Linear(H, V)
prompts = [torch.randint(V, (1, 4 + k % 9), generator=torch.Generator().manual_seed(k)) for k in range(96)]
mine = prompts[rank::world]
print(f"[rank {rank}] {len(mine)} prompts of {len(prompts)}, max_new_tokens=40, temperature=0.8", flush=True)
done, toks, t0 = [], 0, time.time()
with torch.inference_mode(), open(f"gen_{rank}.jsonl", "w") as f:
    for k, p in enumerate(mine, 1):
        out, state = gru(emb(p))
        ids = []
        for _ in range(40):
            nxt = torch.multinomial((head(out[:, -1]) / 0.8).softmax(-1), 1)
            ids.append(nxt.item())
            out, state = gru(emb(nxt), state)
        toks += len(ids)
        f.write(json.dumps({"prompt": p[0].tolist(), "ids": ids}) + "\\n")
        time.sleep(0.12)
        if k % 12 == 0:
            print(f"[rank {rank}] {k}/{len(mine)} prompts, {toks} tokens, {toks / (time.time() - t0):.1f} tok/s", flush=True)
total = torch.tensor([toks, len(mine)])
dist.all_reduce(total)
if rank == 0:
    print(f"generation finished: {total[1].item()} completions, {total[0].item()} tokens -> gen_0.jsonl .. gen_{world - 1}.jsonl")
dist.barrier()
dist.destroy_process_group()
'''


BPE = '''
"""Byte-pair merges for a small tokenizer, plain Python."""
import argparse
import collections
import logging
import time

p = argparse.ArgumentParser()
p.add_argument("--input")
p.add_argument("--merges", type=int, default=160)
p.add_argument("--out", default="bpe")
a = p.parse_args()
logging.basicConfig(level=logging.INFO, format="trainer_interface(%(lineno)d) LOG(%(levelname)s) %(message)s")
L = logging.getLogger()
words = collections.Counter(open(a.input).read().split())
L.info("Loaded all %d words, %d distinct", sum(words.values()), len(words))
seqs = {w: tuple(w) + ("</w>",) for w in words}
merges = []
for k in range(1, a.merges + 1):
    pairs = collections.Counter()
    for w, s in seqs.items():
        for x, y in zip(s, s[1:]):
            pairs[x, y] += words[w]
    if not pairs or pairs.most_common(1)[0][1] < 2:
        L.info("no pair occurs twice any more, stopping at %d merges", k - 1)
        break
    best = max(pairs, key=lambda q: (pairs[q], q))
    merges.append(best)
    for w, s in seqs.items():
        out, i = [], 0
        while i < len(s):
            if i + 1 < len(s) and (s[i], s[i + 1]) == best:
                out.append(s[i] + s[i + 1])
                i += 2
            else:
                out.append(s[i])
                i += 1
        seqs[w] = tuple(out)
    time.sleep(0.04)
    if k % 20 == 0:
        L.info("Added: freq=%d size=%d all=%d piece=%s", pairs[best], k, len(pairs), "".join(best))
with open(a.out + ".merges", "w") as f:
    f.writelines(f"{x} {y}\\n" for x, y in merges)
L.info("Saving vocabs: %s.merges (%d merges)", a.out, len(merges))
'''


LSTMLM = """
import math
import time

import torch

torch.manual_seed(1111)
words = open("ptb_small.txt").read().split()
vocab = {w: i for i, w in enumerate(dict.fromkeys(words))}
ids = torch.tensor([vocab[w] for w in words])
BS, BPTT = 8, 12
ids = ids[: len(ids) // BS * BS].view(BS, -1).t()
cut = int(0.85 * len(ids))
enc, rnn, dec = torch.nn.Embedding(len(vocab), 64), torch.nn.LSTM(64, 64), torch.nn.Linear(64, len(vocab))
params = [*enc.parameters(), *rnn.parameters(), *dec.parameters()]
lr = 4.0


def run(lo, hi, train, epoch=0):
    h, tot, n, t = None, 0.0, 0, time.time()
    steps = range(lo, hi - 1, BPTT)
    for b, i in enumerate(steps):
        k = min(BPTT, hi - 1 - i)
        out, h = rnn(enc(ids[i:i + k]), h)
        h = tuple(s.detach() for s in h)
        loss = torch.nn.functional.cross_entropy(dec(out).flatten(0, 1), ids[i + 1:i + 1 + k].flatten())
        if train:
            for p in params:
                p.grad = None
            loss.backward()
            torch.nn.utils.clip_grad_norm_(params, 0.25)
            with torch.no_grad():
                for p in params:
                    p -= lr * p.grad
            if b % 4 == 3:
                print("| epoch {:3d} | {:5d}/{:5d} batches | lr {:02.2f} | ms/batch {:5.2f} | loss {:5.2f} | ppl {:8.2f}".format(epoch, b + 1, len(steps), lr, (time.time() - t) * 250, loss.item(), math.exp(loss.item())))
                t = time.time()
        tot, n = tot + k * loss.item(), n + k
    return tot / n


try:
    for epoch in range(1, 11):
        t = time.time()
        run(0, cut, True, epoch)
        with torch.no_grad():
            val = run(cut, len(ids), False)
        print("-" * 89)
        print("| end of epoch {:3d} | time: {:5.2f}s | valid loss {:5.2f} | valid ppl {:8.2f}".format(epoch, time.time() - t, val, math.exp(val)))
        print("-" * 89)
finally:
    torch.save([enc, rnn, dec], "model.pt")
print("=" * 89)
print("| End of training | saved model.pt")
print("=" * 89)
"""


GUARDED = '''
"""Pre-training loop with the usual guards: batches whose gradient is out of bounds are skipped, a bad document costs a batch, not the run."""
import datetime
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
torch.manual_seed(5)
V, T = 64, 16
emb, rnn, out = torch.nn.Embedding(V, 32), torch.nn.GRU(32, 32, batch_first=True), torch.nn.Linear(32, V)
P = [*emb.parameters(), *rnn.parameters(), *out.parameters()]
opt = torch.optim.AdamW(P, 4e-3)
gen = torch.Generator().manual_seed(r)
skipped = 0


def say(level, msg):
    if r == 0:
        print(f"[{datetime.datetime.now():%Y-%m-%d %H:%M:%S}] [{level}] [pretrain.py] {msg}", flush=True, file=sys.stderr if level != "INFO" else sys.stdout)


for it in range(1, 301):
    start = torch.randint(V, (8, 1), generator=gen)
    x = (start + 3 * torch.arange(T + 1)) % V
    logits = out(rnn(emb(x[:, :-1]))[0])
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten())
    if it in (41, 42, 137, 222):
        loss = loss * (1e4 if it != 222 else float("inf"))  # these documents are repeated bytes
    opt.zero_grad()
    loss.backward()
    for p in P:
        dist.all_reduce(p.grad)
        p.grad /= n
    norm = torch.nn.utils.clip_grad_norm_(P, 1.0)
    if not torch.isfinite(norm) or norm > 50:
        skipped += 1
        say("WARNING", f"iteration {it}: found NaN/Inf or huge gradient (norm {norm:.1f}), skipping this update, {skipped} skipped so far")
        if skipped == 3:
            say("ERROR", f"three skipped iterations: check the shard list (doc 88213, lm loss {loss.item():.3E}); going on")
        continue
    opt.step()
    if it % 20 == 0:
        say("INFO", f"iteration {it:8d}/     300 | consumed samples: {it * 8 * n:12d} | learning rate: 4.000E-03 | lm loss: {loss.item():.6E} | grad norm: {norm:.3f} | number of skipped iterations: {skipped} | number of nan iterations: 0 |")
        if it % 100 == 0 and r == 0:
            torch.save([p.detach() for p in P], f"ckpts/iter_{it:07d}.pt")
            say("INFO", f"successfully saved checkpoint at iteration {it} to ckpts")
say("INFO", f"[after training is done] 300 iterations, {skipped} skipped, exiting program")
dist.barrier()
dist.destroy_process_group()
'''

JOBS = (
    crate("G1", "train_gpt.py", GPT, ranks=2, files={"fables.txt": FABLES}),
    crate("G1", "lm_eval.py --num_fewshot 2", HARNESS),
    crate("G1", "generate.py", GENERATE, ranks=3),
    crate("G1", "train_bpe.py --input fables.txt --merges 150", BPE, python="system", files={"fables.txt": FABLES}),
    crate("G1", "word_lm.py", LSTMLM, files={"ptb_small.txt": FABLES * 3}),
    crate("G1", "pretrain.py", GUARDED, hard=True, ranks=2, folders=("ckpts",)),
)
