"""Runs that came to their planned end: pretraining, tuning, generation, molecules, kinetics, preparation."""

from corpus.make._copper_thimbles_kit import RUN2, told

PRETRAIN = """
import argparse, datetime, os, time
import torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as LocalDDP

def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--num-layers", type=int, default=2); p.add_argument("--hidden-size", type=int, default=32)
    p.add_argument("--seq-length", type=int, default=24); p.add_argument("--micro-batch-size", type=int, default=8)
    p.add_argument("--train-iters", type=int, default=160); p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--log-interval", type=int, default=20); p.add_argument("--save-interval", type=int, default=80); p.add_argument("--save", default="ckpts")
    return p.parse_args()

def print_rank_0(*words):
    if dist.get_rank() == 0: print(*words, flush=True)

class Layer(nn.Module):
    def __init__(self, h):
        super().__init__(); self.n1, self.n2 = nn.LayerNorm(h), nn.LayerNorm(h); self.qkv, self.proj = nn.Linear(h, 3 * h), nn.Linear(h, h)
        self.up, self.down = nn.Linear(h, 4 * h), nn.Linear(4 * h, h)
    def forward(self, x):
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1); x = x + self.proj(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return x + self.down(F.gelu(self.up(self.n2(x))))

class Model(nn.Module):
    def __init__(self, a, vocab=48):
        super().__init__(); self.word, self.pos = nn.Embedding(vocab, a.hidden_size), nn.Embedding(a.seq_length, a.hidden_size)
        self.layers = nn.Sequential(*(Layer(a.hidden_size) for _ in range(a.num_layers))); self.out = nn.Linear(a.hidden_size, vocab)
    def forward(self, t): return self.out(self.layers(self.word(t) + self.pos(torch.arange(t.shape[1]))))

args = parse(); dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size()
print_rank_0("using world size: %d, data-parallel-size: %d, tensor-model-parallel size: 1, pipeline-model-parallel size: 1" % (world, world))
print_rank_0("------------------------ arguments ------------------------")
for k, v in sorted(vars(args).items()): print_rank_0("  %s %s %s" % (k, "." * (42 - len(k)), v))
print_rank_0("-------------------- end of arguments ---------------------")
torch.manual_seed(1234); model = LocalDDP(Model(args)); opt = torch.optim.AdamW(model.parameters(), args.lr, betas=(0.9, 0.95))
print_rank_0(" > number of parameters on (tensor, pipeline) model parallel rank (0, 0): %d" % sum(p.numel() for p in model.parameters()))
gen = torch.Generator().manual_seed(rank); samples, t0 = 0, time.time(); since = []
def get_batch():
    first = torch.randint(48, (args.micro_batch_size, 1), generator=gen); stride = torch.randint(1, 5, (args.micro_batch_size, 1), generator=gen)
    seq = (first + stride * torch.arange(args.seq_length + 1)) % 48
    return seq[:, :-1], seq[:, 1:]
print_rank_0("training ..."); print_rank_0("[before the start of training step] datetime: %s " % datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"))
for it in range(1, args.train_iters + 1):
    for g in opt.param_groups: g["lr"] = args.lr * min(1, it / 20) * (1 - 0.9 * it / args.train_iters)
    x, y = get_batch(); loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten()); opt.zero_grad(); loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0); opt.step(); samples += world * args.micro_batch_size; since.append(loss.item())
    if it % args.log_interval == 0:
        ms = (time.time() - t0) * 1000 / args.log_interval; t0 = time.time()
        print_rank_0(f" iteration {it:8d}/{args.train_iters:8d} | consumed samples: {samples:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {opt.param_groups[0]['lr']:.3E} | global batch size: {world * args.micro_batch_size:5d} | lm loss: {sum(since) / len(since):.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"); since = []
    if it % args.save_interval == 0:
        if rank == 0:
            os.makedirs(args.save, exist_ok=True); torch.save(model.module.state_dict(), f"{args.save}/iter_{it:07d}.pt")
        print_rank_0(f"saving checkpoint at iteration {it:7d} to {args.save}\\n  successfully saved checkpoint at iteration {it:7d} to {args.save}"); dist.barrier()
print_rank_0("[after training is done] datetime: %s " % datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"))
dist.destroy_process_group()
"""

SFT = '''
"""Supervised tuning of a small decoder on instruction pairs; prints what a trainer prints."""
import json, math, random, sys, time, torch
from torch import nn
rows = [json.loads(l) for l in open("data/pairs.jsonl")]
vocab = {c: i for i, c in enumerate(sorted({c for r in rows for c in r["q"] + r["a"]} | {"|", "$"}))}
def encode(r): return torch.tensor([vocab[c] for c in f"{r['q']}|{r['a']}$"])
random.seed(0); torch.manual_seed(0); random.shuffle(rows); held, rows = rows[:12], rows[12:]
emb, rnn, head = nn.Embedding(len(vocab), 40), nn.GRU(40, 64, batch_first=True), nn.Linear(64, len(vocab)); params = [*emb.parameters(), *rnn.parameters(), *head.parameters()]
opt = torch.optim.AdamW(params, 4e-3, weight_decay=0.0)
EPOCHS, ACC = 3, 2; total = EPOCHS * (len(rows) // ACC)
def nll(r):
    t = encode(r)[None]; logits = head(rnn(emb(t[:, :-1]))[0]); cut = len(r["q"])
    return nn.functional.cross_entropy(logits[0, cut:], t[0, 1 + cut:])
print("***** Running training *****"); print(f"  Num examples = {len(rows):,}\\n  Num Epochs = {EPOCHS:,}\\n  Instantaneous batch size per device = 1\\n  Gradient Accumulation steps = {ACC}\\n  Total optimization steps = {total:,}\\n  Number of trainable parameters = {sum(p.numel() for p in params):,}")
step, began, run, everything = 0, time.time(), 0.0, 0.0
for epoch in range(EPOCHS):
    for i in range(0, len(rows) - ACC + 1, ACC):
        opt.zero_grad(); loss = sum(nll(r) for r in rows[i:i + ACC]) / ACC; loss.backward(); gn = nn.utils.clip_grad_norm_(params, 1.0)
        lr = 4e-3 * (1 - step / total); opt.param_groups[0]["lr"] = lr; opt.step(); step += 1; run += loss.item(); everything += loss.item()
        if step % 10 == 0: print({"loss": f"{run / 10:.4f}", "grad_norm": f"{gn:.4f}", "learning_rate": f"{lr:.3e}", "epoch": f"{step / (total / EPOCHS):.2f}"}); run = 0.0
        sys.stderr.write(f"\\r{100 * step // total:3d}%|{'█' * (20 * step // total):<20}| {step}/{total} [{time.time() - began:05.1f}s]"); sys.stderr.flush()
    with torch.no_grad(): ev = sum(nll(r).item() for r in held) / len(held)
    print({"eval_loss": round(ev, 4), "eval_runtime": 0.1, "epoch": epoch + 1.0})
took = time.time() - began
print({"train_runtime": f"{took:.3f}", "train_samples_per_second": f"{EPOCHS * len(rows) / took:.2f}", "train_loss": f"{everything / step:.4f}", "epoch": "3"})
torch.save({"emb": emb.state_dict(), "rnn": rnn.state_dict(), "head": head.state_dict()}, "pytorch_model.bin"); print("Model weights saved in pytorch_model.bin")
'''
PAIRS = "\n".join(f'{{"q": "{a}+{b}", "a": "{a + b}"}}' for a in range(1, 9) for b in range(1, 13))

GENERATE = """
import argparse, collections, json, random, time
ap = argparse.ArgumentParser(); ap.add_argument("--prompts"); ap.add_argument("--out"); ap.add_argument("--max-new", type=int, default=60); ap.add_argument("--batch", type=int, default=16); a = ap.parse_args()
text = open("lm/train.txt").read().split(); table = collections.defaultdict(list)
for u, v, w in zip(text, text[1:], text[2:]): table[u, v].append(w)
prompts = [l.rstrip("\\n") for l in open(a.prompts)]
print(f"INFO loaded trigram table with {len(table)} contexts; {len(prompts)} prompts, batch {a.batch}")
random.seed(11); done = tokens = 0; t0 = time.time()
with open(a.out, "w") as out:
    for k in range(0, len(prompts), a.batch):
        for p in prompts[k:k + a.batch]:
            words = p.split()
            for _ in range(a.max_new):
                nxt = table.get(tuple(words[-2:]))
                if not nxt: break
                words.append(random.choice(nxt)); tokens += 1
            out.write(json.dumps({"prompt": p, "completion": " ".join(words[len(p.split()):])}) + "\\n"); done += 1
        time.sleep(0.12)
        print(f"INFO generated {done:>4}/{len(prompts)} | {tokens} new tokens | {tokens / (time.time() - t0):.0f} tok/s | batch latency 0.12 s")
print(f"INFO finished: {done} completions in {time.time() - t0:.1f} s -> {a.out}")
"""
STORY = " ".join(
    f"the {a} went to the {b} and the {b} gave the {a} a {c} ."
    for a in ("fox", "smith", "queen")
    for b in ("river", "market", "tower")
    for c in ("coin", "song", "lamp")
)
ASKED = "\n".join(f"{s} {t}" for s, t in [("the", "fox"), ("the", "smith"), ("went", "to"), ("gave", "the"), ("and", "the")] * 40)

LJ = r"""
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#define N 108
static double x[N][3], v[N][3], f[N][3], L, pot, vir;
static void forces(void) {
    pot = vir = 0; for (int i = 0; i < N; i++) for (int d = 0; d < 3; d++) f[i][d] = 0;
    for (int i = 0; i < N; i++) for (int j = i + 1; j < N; j++) {
        double r[3], r2 = 0; for (int d = 0; d < 3; d++) { r[d] = x[i][d] - x[j][d]; r[d] -= L * rint(r[d] / L); r2 += r[d] * r[d]; }
        if (r2 > 6.25) continue;
        double i6 = 1 / (r2 * r2 * r2), w = 24 * i6 * (2 * i6 - 1) / r2; pot += 4 * i6 * (i6 - 1); vir += w * r2;
        for (int d = 0; d < 3; d++) { f[i][d] += w * r[d]; f[j][d] -= w * r[d]; } }
}
int main(int argc, char **argv) {
    int steps = 0, every = 1; double rho = 0, T = 0, dt = 0; char key[32]; double val; FILE *in = fopen(argv[1], "r");
    while (fscanf(in, "%31s %lf", key, &val) == 2) { if (*key == 's') steps = val; else if (*key == 'e') every = val; else if (*key == 'r') rho = val; else if (*key == 'T') T = val; else dt = val; }
    L = cbrt(N / rho); printf("lj: %d atoms, box %.4f, dt %.4f, %d steps\n\n", N, L, dt, steps); srand(4711);
    int n = 0; double a = L / 3; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < 3; k++) for (int b = 0; b < 4; b++, n++) {
        x[n][0] = (i + (b == 1 || b == 2) * .5) * a; x[n][1] = (j + (b == 1 || b == 3) * .5) * a; x[n][2] = (k + (b == 2 || b == 3) * .5) * a; }
    for (int i = 0; i < N; i++) for (int d = 0; d < 3; d++) v[i][d] = (rand() / (double)RAND_MAX - .5) * sqrt(12 * T);
    forces(); printf("%8s %10s %12s %12s %12s\n", "Step", "Temp", "E_pair", "TotEng", "Press");
    for (int s = 0; s <= steps; s++) {
        double ke = 0; for (int i = 0; i < N; i++) for (int d = 0; d < 3; d++) ke += .5 * v[i][d] * v[i][d];
        if (s % every == 0) { printf("%8d %10.5f %12.6f %12.6f %12.6f\n", s, 2 * ke / (3. * N), pot / N, (pot + ke) / N, rho * 2 * ke / (3. * N) + vir / (3 * L * L * L)); fflush(stdout); }
        for (int i = 0; i < N; i++) for (int d = 0; d < 3; d++) { v[i][d] += .5 * dt * f[i][d]; x[i][d] += dt * v[i][d]; }
        forces(); for (int i = 0; i < N; i++) for (int d = 0; d < 3; d++) v[i][d] += .5 * dt * f[i][d]; }
    puts("\nTotal wall time within limits; restart written to melt.rst"); FILE *o = fopen("melt.rst", "wb"); fwrite(x, sizeof x, 1, o); fclose(o); return 0;
}
"""
LJ_RUN = """
#!/bin/bash
set -e
echo "== host $(hostname | wc -c) chars, $(gcc --version | head -1)"
gcc -O2 -std=c99 -D_DEFAULT_SOURCE -o lj lj.c -lm
time ./lj in.melt
echo "== done, rc $?"
"""

KINETICS = """
# stiff kinetics (three species) by backward Euler with its own Newton; steps are cut where Newton fails
import math, sys, warnings
def rhs(y): a, b, c = y; return [-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b, 3e7 * b * b]
def jac(y): a, b, c = y; return [[-0.04, 1e4 * c, 1e4 * b], [0.04, -1e4 * c - 6e7 * b, -1e4 * b], [0.0, 6e7 * b, 0.0]]
def solve3(M, r):
    M = [row[:] + [v] for row, v in zip(M, r)]
    for i in range(3):
        p = max(range(i, 3), key=lambda k: abs(M[k][i])); M[i], M[p] = M[p], M[i]
        for k in range(i + 1, 3):
            q = M[k][i] / M[i][i]; M[k] = [u - q * w for u, w in zip(M[k], M[i])]
    out = [0.0] * 3
    for i in (2, 1, 0): out[i] = (M[i][3] - sum(M[i][j] * out[j] for j in range(i + 1, 3))) / M[i][i]
    return out
def newton(y, h, tol=1e-11):
    z = [v * (1 + 30 * h if h > 500 else 1) for v in y]
    for k in range(5):
        F = [zi - yi - h * fi for zi, yi, fi in zip(z, y, rhs(z))]
        d = solve3([[(i == j) - h * J for j, J in enumerate(row)] for i, row in enumerate(jac(z))], [-v for v in F]); z = [u + w for u, w in zip(z, d)]
        if max(map(abs, d)) < tol: return z, k + 1
    raise ArithmeticError(f"Newton failed to converge in 5 iterations (|dy| = {max(map(abs, d)):.2e})")
y, t, h, n, cut = [1.0, 0.0, 0.0], 0.0, 1e-5, 0, 0; mark = 1e-4
print("t              A              B              C              h          newton  rejected")
while t < 4e5:
    h = min(h, 4e5 - t)
    try: z, k = newton(y, h)
    except ArithmeticError as e:
        cut += 1; h /= 4
        if cut % 6 == 1: print(f"*** WARNING at t={t:.4e}: {e}; step REJECTED, cutting dt to {h:.3e}", file=sys.stderr)
        continue
    y, t, n = z, t + h, n + 1; h *= 1.6
    if t >= mark: print(f"{t:<14.6e} {y[0]:<14.6e} {y[1]:<14.6e} {y[2]:<14.6e} {h:<10.3e} {k:<7d} {cut}"); mark = t * 2.2
print(f"\\nIntegration complete at t = {t:.3e}: {n} accepted, {cut} rejected (error test failures: {cut}, singular matrices: 0, nan residuals: 0); mass defect {abs(sum(y) - 1):.1e}")
"""

NEAREND = """
import argparse, os, time, torch
p = argparse.ArgumentParser(); p.add_argument("--max-epochs", type=int); p.add_argument("--ckpt-path"); a = p.parse_args()
torch.manual_seed(5); X = torch.randn(640, 16); Y = (X[:, :4].sum(1) > X[:, 4:8].sum(1)).long()
net = torch.nn.Sequential(torch.nn.Linear(16, 48), torch.nn.SiLU(), torch.nn.Linear(48, 2)); opt = torch.optim.Adam(net.parameters(), 2e-3); first = gstep = 0
if a.ckpt_path:
    print(f"Restoring states from the checkpoint path at {a.ckpt_path}"); c = torch.load(a.ckpt_path); net.load_state_dict(c["state_dict"]); opt.load_state_dict(c["optimizer"]); first, gstep = c["epoch"] + 1, c["global_step"]
    print(f"Restored all states from the checkpoint at {a.ckpt_path} (epoch {c['epoch']}, global_step {gstep}, train_loss {c['train_loss']:.4f})")
print("  | Name | Type       | Params\\n------------------------------------\\n0 | net  | Sequential | %d\\n------------------------------------" % sum(q.numel() for q in net.parameters()))
for ep in range(first, a.max_epochs):
    t = time.time()
    for b in torch.randperm(640).split(160):
        l = torch.nn.functional.cross_entropy(net(X[b]), Y[b]); opt.zero_grad(); l.backward(); opt.step(); gstep += 1
    print(f"Epoch {ep}: 100%|##########| 4/4 [{time.time() - t:.2f}s, v_num=1, train_loss={l.item():.4f}, step={gstep}]")
torch.save({"state_dict": net.state_dict(), "optimizer": opt.state_dict(), "epoch": a.max_epochs - 1, "global_step": gstep, "train_loss": l.item()}, f"epoch={a.max_epochs - 1}.ckpt")
print(f"`fit` stopped: `max_epochs={a.max_epochs}` reached.")
"""

POOL = """
import concurrent.futures as cf, gzip, json, logging, os, sys
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(processName)s %(levelname)s %(message)s"); log = logging.getLogger("prep")
os.makedirs("raw", exist_ok=True); os.makedirs("clean", exist_ok=True)
for k in range(24):
    with gzip.open(f"raw/part-{k:03d}.jsonl.gz", "wb") as f:
        for i in range(300): f.write((json.dumps({"id": k * 300 + i, "text": f"page {i} of site {k} " * (i % 7)}) + "\\n").encode() if (k, i) not in {(3, 40), (11, 7)} else b"\\xff\\xfe broken\\n")
def clean(k, attempt):
    if k == 17 and attempt == 1: os._exit(9)  # the tokenizer's extension does this now and then
    kept = dropped = 0
    with gzip.open(f"raw/part-{k:03d}.jsonl.gz", "rb") as f, open(f"clean/{k:03d}.jsonl", "w") as out:
        for n, line in enumerate(f):
            try: r = json.loads(line.decode())
            except UnicodeDecodeError: log.exception("part %d line %d is not UTF-8, dropped", k, n); dropped += 1; continue
            if len(r["text"]) > 40: out.write(json.dumps(r) + "\\n"); kept += 1
    return kept, dropped
def sweep(parts, attempt):
    left, got = [], 0
    with cf.ProcessPoolExecutor(2) as pool:
        jobs = {pool.submit(clean, k, attempt): k for k in parts}
        for j in cf.as_completed(jobs):
            try: kept, dropped = j.result(); got += kept; log.info("part %03d: kept %d, dropped %d", jobs[j], kept, dropped)
            except cf.process.BrokenProcessPool as e: left.append(jobs[j])
    return left, got
todo, total = list(range(24)), 0
for attempt in (1, 2, 3):
    todo, got = sweep(todo, attempt); total += got
    if not todo: break
    log.error("attempt %d: a worker died abruptly, %d parts to be done again: %s", attempt, len(todo), sorted(todo))
log.info("24 of 24 parts written to clean/, %d documents kept", total)
"""

SHRINK = """
import hashlib, time
print("embedding 6,000 passages, d=768; trying the largest batch that fits")
batch, done, oom = 4096, 0, 0
def embed(n):
    work = bytearray(n * 768 * 4 * 96)  # activations
    for k in range(n): work[k * 768] = hashlib.blake2b(b"%d" % (done + k)).digest()[0]
    time.sleep(n / 3000); return work[0]
t0 = time.time()
while done < 6000:
    n = min(batch, 6000 - done)
    try: embed(n)
    except MemoryError:
        oom += 1; print(f"[embed] out of memory with batch_size={batch} (MemoryError), retrying with {batch // 2}"); batch //= 2; continue
    done += n
    print(f"[embed] {done}/6000 passages | batch_size={n} | {done / (time.time() - t0):.1f} passages/s")
print(f"[embed] index.bin complete: 6000 vectors, {oom} out-of-memory retries, final batch_size {batch}")
"""

JOBS = (
    told("G1", f"{RUN2} pretrain_gpt.py --num-layers 2 --train-iters 160", {"pretrain_gpt.py": PRETRAIN}),
    told("G1", "PYTHON sft.py", {"sft.py": SFT, "data/pairs.jsonl": PAIRS}),
    told(
        "G1",
        "PYTHON generate.py --prompts prompts.txt --out completions.jsonl",
        {"generate.py": GENERATE, "lm/train.txt": STORY, "prompts.txt": ASKED},
        python="system",
    ),
    told(
        "G1",
        "bash run_melt.sh",
        {"run_melt.sh": LJ_RUN, "lj.c": LJ, "in.melt": "rho 0.8442\nT 1.44\ndt 0.004\nsteps 4000\nevery 200\n"},
        python="system",
    ),
    told("G1", "PYTHON robertson.py", {"robertson.py": KINETICS}, hard=True, python="system"),
    told(
        "G1",
        "PYTHON fit.py --max-epochs 40 --ckpt-path epoch=37.ckpt",
        {"fit.py": NEAREND},
        hard=True,
        before=(("PYTHON", "fit.py", "--max-epochs", "38"),),
    ),
    told("G1", "PYTHON prep/clean_parts.py", {"prep/clean_parts.py": POOL}, hard=True, python="system"),
    told("G1", "PYTHON embed_passages.py", {"embed_passages.py": SHRINK}, hard=True, python="system", memory_mib=420),
)
