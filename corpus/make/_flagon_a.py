"""Language models: trainings, evaluations, generations and preparations that did what they were to do."""

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

# good although they look bad

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

MATHEVAL = """
import json
import random
import re
import sys
import time
import warnings

random.seed(7)
warnings.simplefilter("always")
items = [json.loads(l) for l in open("gsm_tiny.jsonl")]
print(f"Loaded {len(items)} problems, 4-shot chain of thought, greedy, model ckpts/base-70m (not instruction tuned)")
right = invalid = 0
with open("predictions.jsonl", "w") as out:
    for k, it in enumerate(items, 1):
        n = 480 + 37 * (k % 11)
        if n > 760:
            warnings.warn(f"Token indices sequence length is longer than the specified maximum sequence length for this model ({n} > 760). Running this sequence through the model will result in indexing errors")
        text = " ".join(random.choice(["so", "the", "cat", "total", "is", "and", str(random.randint(1, 40)), "#"]) for _ in range(30))
        if random.random() < 0.6:
            text += f" #### {it['answer'] if random.random() < 0.06 else random.randint(1, 99)}"
        m = re.search(r"#### (-?\\d+)", text)
        if not m:
            invalid += 1
        right += bool(m) and int(m[1]) == it["answer"]
        out.write(json.dumps({"id": k, "output": text, "extracted": m and m[1]}) + "\\n")
        time.sleep(0.07)
        if k % 16 == 0:
            print(f"{k}/{len(items)}  exact match so far {right / k:.3f}  ([invalid] answers: {invalid})")
print("WARNING: no answer could be extracted from %d of %d generations" % (invalid, len(items)), file=sys.stderr)
print(json.dumps({"task": "gsm_tiny", "exact_match": right / len(items), "invalid": invalid, "n": len(items)}))
print("Results saved to predictions.jsonl. Evaluation done.")
"""
GSM = "\n".join(f'{{"question": "Ann has {k} nuts and finds {2 * k} more. How many?", "answer": {3 * k}}}' for k in range(1, 129))

SERVED = '''
"""Annotate documents through a local inference server; failed requests are tried again."""
import asyncio
import json
import random
import sys
import time

rng = random.Random(3)
busy = {"until": 0.0}


async def serve(reader, writer):
    while line := await reader.readline():
        doc = json.loads(line)
        if time.monotonic() < busy["until"]:
            reply = {"error": {"code": 503, "message": "engine is overloaded, queue full (256)"}}
        elif rng.random() < 0.06:
            await asyncio.sleep(1.0)
            reply = {"text": "late"}
        else:
            await asyncio.sleep(0.03)
            reply = {"text": max(set(doc["text"].split()), key=len)}
        writer.write(json.dumps(reply).encode() + b"\\n")
        await writer.drain()


async def ask(doc):
    for attempt in range(1, 7):
        try:
            r, w = await asyncio.open_connection("127.0.0.1", PORT)
            w.write(json.dumps(doc).encode() + b"\\n")
            reply = json.loads(await asyncio.wait_for(r.readline(), 0.5))
            w.close()
            if "error" in reply:
                raise RuntimeError(f"HTTP {reply['error']['code']}: {reply['error']['message']}")
            return reply["text"]
        except (asyncio.TimeoutError, RuntimeError, OSError) as e:
            print(f"ERROR request {doc['id']} failed ({type(e).__name__}: {e}), retry {attempt}/6 in {0.2 * attempt:.1f}s", file=sys.stderr)
            await asyncio.sleep(0.2 * attempt)
    raise SystemExit(f"request {doc['id']}: no answer")


async def main():
    global PORT
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    PORT = server.sockets[0].getsockname()[1]
    print(f"engine is ready on port {PORT}")
    docs = [{"id": k, "text": " ".join(rng.choice(["loan", "river", "administration", "peat", "verb"]) for _ in range(20))} for k in range(400)]
    out, t0 = [], time.monotonic()
    for lo in range(0, 400, 4):
        if lo == 200:
            busy["until"] = time.monotonic() + 1.0
        out += await asyncio.gather(*(ask(d) for d in docs[lo:lo + 4]))
        if len(out) % 40 == 0:
            print(f"annotated {len(out)}/400 ({len(out) / (time.monotonic() - t0):.0f} docs/s)")
    with open("annotations.jsonl", "w") as f:
        f.writelines(json.dumps(t) + "\\n" for t in out)
    print(f"done: {len(out)} of 400 documents annotated, 0 lost")
    server.close()


asyncio.run(main())
'''

SFT = '''
"""Supervised fine-tuning on a small set of dialogues: one epoch, which is all there is."""
import json
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(42)
dialogues = json.load(open("dialogues.json"))
vocab = {c: i for i, c in enumerate(sorted({c for d in dialogues for c in d}))}
model = torch.nn.ModuleDict({"e": torch.nn.Embedding(len(vocab), 48), "g": torch.nn.GRU(48, 48, batch_first=True), "o": torch.nn.Linear(48, len(vocab))})
model["lm_head_unused"] = torch.nn.Linear(48, 2)


class Wrap(torch.nn.Module):
    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, x):
        return self.m["o"](self.m["g"](self.m["e"](x))[0])


net = torch.nn.parallel.DistributedDataParallel(Wrap(model), find_unused_parameters=True)
opt = torch.optim.AdamW(net.parameters(), 1e-2)
mine = dialogues[rank::world]
steps = len(mine) // 2
if rank == 0:
    print("***** Running training *****")
    print(f"  Num examples = {len(dialogues):,}\\n  Num Epochs = 1\\n  Instantaneous batch size per device = 2\\n  Total train batch size (w. parallel, distributed & accumulation) = {2 * world}\\n  Total optimization steps = {steps}")
    print("Could not estimate the number of tokens of the input, floating-point operations will not be computed")
t0 = time.time()
for s in range(1, steps + 1):
    rows = mine[2 * s - 2:2 * s]
    L = min(map(len, rows))
    x = torch.tensor([[vocab[c] for c in d[:L]] for d in rows])
    loss = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    time.sleep(0.05)
    if rank == 0 and s % 5 == 0:
        print({"loss": round(loss.item(), 4), "grad_norm": round(gn.item(), 4), "learning_rate": 1e-2, "epoch": round(s / steps, 2)}, flush=True)
if rank == 0:
    print({"train_runtime": round(time.time() - t0, 4), "train_steps_per_second": round(steps / (time.time() - t0), 3), "train_loss": round(loss.item(), 4), "epoch": 1.0})
    torch.save(model.state_dict(), "sft-final.bin")
    print("Saving model checkpoint to sft-final.bin")
dist.barrier()
dist.destroy_process_group()
'''
TALKS = [
    f"user: where is the {t}? bot: the {t} is {p} the {u}."
    for t in ("key", "lamp", "cup", "map", "coat")
    for p in ("on", "under", "behind", "near")
    for u in ("desk", "door", "bed", "shelf", "stove", "rug")
]

PREEMPTED_SH = """
# resubmits itself on the spot when the queue takes the slot away (exit 99)
tries=0
while :; do
  tries=$((tries + 1))
  torchrun --nproc-per-node=2 --master-port="$1" mlm.py --total 160 --ckpt state/last.pt
  rc=$?
  [ $rc -eq 0 ] && break
  echo "run_mlm.sh: attempt $tries ended with $rc" >&2
  if [ -e state/taken ] && [ $tries -lt 4 ]; then rm state/taken; sleep 1; else exit $rc; fi
done
echo "run_mlm.sh: complete after $tries attempts"
"""
MLM = """
import argparse
import os
import sys

import torch
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("--total", type=int)
ap.add_argument("--ckpt")
a = ap.parse_args()
dist.init_process_group("gloo")
r = dist.get_rank()
torch.manual_seed(0)
E, O = torch.nn.Embedding(41, 24), torch.nn.Linear(48, 40)
P = [*E.parameters(), *O.parameters()]
opt, first = torch.optim.Adam(P, 1e-2), 1
if os.path.exists(a.ckpt):
    c = torch.load(a.ckpt)
    E.load_state_dict(c["E"]); O.load_state_dict(c["O"]); opt.load_state_dict(c["opt"])
    first = c["step"] + 1
    if r == 0:
        print(f"loaded checkpoint {a.ckpt}, resuming from step {c['step']} (mlm loss {c['loss']:.4f})", flush=True)
torch.manual_seed(100 * first + r)
for step in range(first, a.total + 1):
    left = torch.randint(38, (32,))
    loss = torch.nn.functional.cross_entropy(O(torch.cat([E(left), E(left + 2)], 1)), left + 1)
    opt.zero_grad()
    loss.backward()
    for p in P:
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    opt.step()
    if r == 0 and step % 10 == 0:
        print(f"step {step}/{a.total} mlm_loss {loss.item():.4f}", flush=True)
    if step == 70 and first == 1:
        if r == 0:
            print("SLOT WILL BE TAKEN IN 30 s (higher priority job): saving and leaving", flush=True)
            torch.save({"E": E.state_dict(), "O": O.state_dict(), "opt": opt.state_dict(), "step": step, "loss": loss.item()}, a.ckpt)
            open("state/taken", "w").close()
        dist.barrier()
        sys.exit(99)
if r == 0:
    torch.save({"E": E.state_dict(), "O": O.state_dict()}, "state/mlm_final.pt")
    print(f"finished {a.total} steps, final mlm_loss {loss.item():.4f}", flush=True)
dist.barrier()
dist.destroy_process_group()
"""


def _talks() -> str:
    import json
    import random

    rows = list(TALKS)
    random.Random(0).shuffle(rows)
    return json.dumps(rows)


JOBS = (
    crate("G1", "train_gpt.py", GPT, ranks=2, files={"fables.txt": FABLES}),
    crate("G1", "lm_eval.py --num_fewshot 2", HARNESS),
    crate("G1", "generate.py", GENERATE, ranks=3),
    crate("G1", "train_bpe.py --input fables.txt --merges 150", BPE, python="system", files={"fables.txt": FABLES}),
    crate("G1", "word_lm.py", LSTMLM, files={"ptb_small.txt": FABLES * 3}),
    crate("G1", "pretrain.py", GUARDED, hard=True, ranks=2, folders=("ckpts",)),
    crate("G1", "eval_gsm.py", MATHEVAL, hard=True, python="system", files={"gsm_tiny.jsonl": GSM}),
    crate("G1", "annotate.py", SERVED, hard=True, python="system"),
    crate("G1", "sft.py", SFT, hard=True, ranks=2, files={"dialogues.json": _talks()}),
    crate("G1", "sh run_mlm.sh PORT", PREEMPTED_SH.lstrip(), hard=True, files={"mlm.py": MLM.lstrip()}, folders=("state",)),
)
