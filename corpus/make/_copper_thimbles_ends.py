"""Runs that ended by an error of their own, or by a kill."""

from corpus.make._copper_thimbles_kit import RUN2, told

LAYOUT = '''
import argparse, os, torch, torch.distributed as dist
p = argparse.ArgumentParser(description="mini-LM pretraining")
p.add_argument("--tensor-parallel", type=int, default=1); p.add_argument("--pipeline-parallel", type=int, default=1); p.add_argument("--global-batch", type=int, default=64)
a = p.parse_args(); dist.init_process_group("gloo"); r, world = dist.get_rank(), dist.get_world_size()
print(f"[rank {r}] up, torch {torch.__version__}, world {world}", flush=True)
class Grid:
    """Who is in which tensor, pipeline and data group."""
    def __init__(self, world, tp, pp):
        assert world % (tp * pp) == 0, f"world size {world} cannot be divided into tensor_parallel {tp} x pipeline_parallel {pp} = {tp * pp} ranks per replica"
        self.dp = world // (tp * pp)
grid = Grid(world, a.tensor_parallel, a.pipeline_parallel)
print(f"[rank {r}] data parallel {grid.dp}")
'''

NOTOKENIZER = """
import json, logging, os, pathlib
logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s"); log = logging.getLogger("sft_lora")
class BPE:
    def __init__(self, spec): self.ranks = {tuple(m.split()): i for i, m in enumerate(spec["model"]["merges"])}
    @classmethod
    def from_dir(cls, where): return cls(json.loads((pathlib.Path(where) / "tokenizer.json").read_text()))
def main(cfg):
    log.info("run %s: base model %s, lora r=%d alpha=%d", cfg["run_name"], cfg["base"], cfg["lora"]["r"], cfg["lora"]["alpha"])
    model_cfg = json.loads((pathlib.Path(cfg["base"]) / "config.json").read_text()); log.info("architecture %s, %d layers", model_cfg["arch"], model_cfg["layers"])
    tok = BPE.from_dir(cfg["base"]); log.info("tokenizer with %d merges", len(tok.ranks))
main(json.load(open("configs/lora_7b.json")))
"""

HEATC = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* two-dimensional heat equation with a window of tracers that follows the front */
typedef struct { int n; double *u, *w; long *window; } field;
static double sweep(field *s) {
    double r = 0; int n = s->n;
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) {
        double d = s->u[(i - 1) * n + j] + s->u[(i + 1) * n + j] + s->u[i * n + j - 1] + s->u[i * n + j + 1] - 4 * s->u[i * n + j]; s->w[i * n + j] = s->u[i * n + j] + .2 * d; r += d * d; }
    double *t = s->u; s->u = s->w; s->w = t; return r;
}
int main(int argc, char **argv) {
    field s = {64}; int steps = atoi(argv[1]); s.u = calloc(64 * 64, 8); s.w = calloc(64 * 64, 8); s.window = calloc(256, sizeof(long));
    for (int j = 0; j < 64; j++) s.u[j] = s.w[j] = 100.;
    printf("heat2d: grid 64x64, %d steps, tracers on\n", steps);
    for (int k = 1; k <= steps; k++) {
        double r = sweep(&s); s.window[k < 650 ? k % 256 : (long)k << 20] = k;
        if (k % 50 == 0) { printf("step %5d / %d   residual %.6e   centre %.4f\n", k, steps, r, s.u[32 * 64 + 32]); fflush(stdout); usleep(150000); }
    }
    puts("finished"); return 0;
}
"""
HEATRUN = """
#!/bin/bash
set -eu
cc -O1 -o heat2d heat2d.c 2>build.log
exec ./heat2d 2000
"""

DEDUP = """
import argparse, hashlib, os, resource, time
p = argparse.ArgumentParser(); p.add_argument("--shards", type=int); p.add_argument("--ngram", type=int, default=13); a = p.parse_args()
def rss(): return int(open("/proc/self/statm").read().split()[1]) * 4 // 1024
print(f"exact-substring dedup over {a.shards} shards, {a.ngram}-grams, in-memory index", flush=True)
index, dup = {}, 0
for s in range(a.shards):
    t = time.time()
    for d in range(600):
        base = hashlib.sha256(b"%d/%d" % (s, d // 2)).hexdigest()
        for k in range(0, 260):
            key = f"{base}{k:06d}" * 2
            if key in index: dup += 1
            index[key] = (s, d, k)
    print(f"shard {s:>3}/{a.shards}  index={len(index):,} entries  duplicates={dup:,}  rss={rss()} MiB  {time.time() - t:.2f}s", flush=True)
print("writing keep lists")
"""

RECORDS = """
import json, sys, time
from datetime import datetime
def say(m): print(f"[{datetime.now():%H:%M:%S}] {m}", flush=True)
def render(rec): return f"<|user|>\\n{rec['instruction']}\\n<|assistant|>\\n"
def complete(text): return text[::-1][: 40 + len(text) % 17]
lines = open("eval/requests.jsonl").read().splitlines(); say(f"{len(lines)} requests, batch size 25, greedy decoding")
chars = 0
with open("responses.jsonl", "w") as out:
    for b in range(0, len(lines), 25):
        recs = [json.loads(l) for l in lines[b:b + 25]]
        for text in [render(r) for r in recs]:
            c = complete(text); chars += len(c); out.write(json.dumps({"response": c}) + "\\n")
        time.sleep(0.25); say(f"batch {b // 25 + 1:>2}/{-(-len(lines) // 25)} done, {b + len(recs)} responses, {chars} characters")
say("all requests answered")
"""
REQUESTS = "\n".join(
    f'{{"id": {i}, "{"instruction" if i != 412 else "instructions"}": "Summarise paragraph {i} in {i % 5 + 1} words."}}' for i in range(500)
)

DISKFULL = """
import array, logging, math, os, random, time
logging.basicConfig(format="%(asctime)s.%(msecs)03d [%(levelname).1s] %(message)s", datefmt="%H:%M:%S", level="INFO"); random.seed(2)
N, D = 300, 40
xs = [[random.gauss(0, 1) for _ in range(D)] for _ in range(N)]; true = [random.gauss(0, 1) for _ in range(D)]; ys = [sum(a * b for a, b in zip(x, true)) for x in xs]
w, m, v = [0.0] * D, [0.0] * D, [0.0] * D
def save(step):
    path = f"full/step-{step:06d}.state"; logging.info("saving %s (weights, two moments, replay of 250k draws)", path)
    with open(path, "wb") as f:
        array.array("d", w + m + v).tofile(f); array.array("d", [random.random() for _ in range(250_000)]).tofile(f)
for step in range(1, 601):
    i = random.sample(range(N), 16); err = [sum(a * b for a, b in zip(xs[k], w)) - ys[k] for k in i]
    g = [2 * sum(e * xs[k][d] for e, k in zip(err, i)) / 16 for d in range(D)]
    for d in range(D):
        m[d] = 0.9 * m[d] + 0.1 * g[d]; v[d] = 0.99 * v[d] + 0.01 * g[d] ** 2; w[d] -= 0.006 * m[d] / (math.sqrt(v[d]) + 1e-8)
    time.sleep(0.01)
    if step % 20 == 0: logging.info("step %4d/600  mse %.5f", step, sum(e * e for e in err) / 16)
    if step % 100 == 0: save(step)
logging.info("finished")
"""

VOCABIDX = """
import os, sys, time, torch, torch.distributed as dist
import torch.nn as nn
dist.init_process_group("gloo"); R = dist.get_rank(); W = dist.get_world_size()
VOCAB, T = 512, 16
torch.manual_seed(42)
class Decoder(nn.Module):
    def __init__(s): super().__init__(); s.tok = nn.Embedding(VOCAB, 24); s.cell = nn.LSTM(24, 32, batch_first=True); s.lm_head = nn.Linear(32, VOCAB)
    def forward(s, ids): return s.lm_head(s.cell(s.tok(ids))[0])
net = nn.parallel.DistributedDataParallel(Decoder()); opt = torch.optim.AdamW(net.parameters(), 5e-3)
def packed(step):
    g = torch.Generator().manual_seed(step * W + R); ids = (torch.randint(VOCAB, (4, 1), generator=g) + torch.arange(T + 1)) % VOCAB
    if R == 1 and step == 87: ids[2, 5] = VOCAB + 3  # a token that was added to the tokenizer, not to the table
    return ids
if R == 0: print("| step | loss | tokens |\\n|------|------|--------|", flush=True)
for step in range(1, 201):
    ids = packed(step); loss = nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()); opt.zero_grad(); loss.backward(); opt.step()
    if R == 0 and step % 8 == 0: print(f"| {step} | {loss.item():.4f} | {step * 4 * T * W} |", flush=True)
dist.destroy_process_group()
"""

JOBS = (
    told(
        "A1",
        f"{RUN2} pretrain_mini.py --tensor-parallel 2 --pipeline-parallel 2",
        {"pretrain_mini.py": LAYOUT},
        "both ranks: AssertionError of the layout, before any step",
        cause="assertion",
        variant="config",
    ),
    told(
        "A1",
        "PYTHON sft_lora.py",
        {
            "sft_lora.py": NOTOKENIZER,
            "configs/lora_7b.json": '{"run_name": "lora-support-chat", "base": "models/base-7b", "lora": {"r": 16, "alpha": 32}}',
            "models/base-7b/config.json": '{"arch": "DecoderLM", "layers": 32}',
        },
        "FileNotFoundError of the base model's tokenizer.json",
        cause="file_not_found",
        variant="asset",
        python="system",
    ),
    told(
        "A2",
        "bash run_heat.sh",
        {"run_heat.sh": HEATRUN, "heat2d.c": HEATC},
        "signal 11 after step 600 of 2000, no traceback",
        cause="segfault",
        status=-11,
        python="system",
    ),
    told(
        "A2",
        "PYTHON dedup.py --shards 40",
        {"dedup.py": DEDUP},
        "oom_kill of the control group, rss growing shard by shard, signal 9",
        cause="oom_killer",
        status=-9,
        python="system",
        group_mib=300,
    ),
    told(
        "A3",
        "PYTHON respond.py",
        {"respond.py": RECORDS, "eval/requests.jsonl": REQUESTS},
        "KeyError 'instruction' after 16 told batches",
        cause="traceback",
        python="system",
    ),
    told(
        "A3",
        "PYTHON fit_linear.py",
        {"fit_linear.py": DISKFULL},
        "OSError 28 on the third or fourth save while the loss falls",
        cause="traceback",
        python="system",
        disk_mib=7,
    ),
    told(
        "A3",
        f"{RUN2} decoder_pretrain.py",
        {"decoder_pretrain.py": VOCABIDX},
        "rank 1's IndexError of the embedding at step 87",
        cause="traceback",
        first=(1,),
    ),
)
