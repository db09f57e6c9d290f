"""Runs that ended by an error or a kill, or that stood still."""

from corpus.make._copper_thimbles_kit import RUN2, told
from corpus.running.job import Signal

NOFLASH = """
import os, torch, torch.distributed as dist
print(f"local rank {os.environ['LOCAL_RANK']}: torch {torch.__version__}, loading attention backend", flush=True)
from modeling.attention import backend
dist.init_process_group("gloo")
print("attention backend:", backend)
"""
ATTENTION = """
from flash_attn import flash_attn_varlen_func
from flash_attn.bert_padding import pad_input, unpad_input
backend = "flash"
"""

KILLED = """
import argparse, os, time, torch, torch.distributed as dist
from torch import nn
p = argparse.ArgumentParser(); p.add_argument("--model"); p.add_argument("--max_steps", type=int); a = p.parse_args()
dist.init_process_group("gloo"); r = dist.get_rank(); print(f"[r{r}] pid {os.getpid()} ready, finetuning {a.model}", flush=True); torch.manual_seed(0)
net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(18, 54), nn.SiLU(), nn.Linear(54, 18))); opt = torch.optim.AdamW(net.parameters(), 2e-3); t0 = time.time()
for step in range(1, a.max_steps + 1):
    x = torch.randn(24, 18); loss = (net(x) - x.cummax(1)[0]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.03)
    if step % 10 == 0: print(f"[r{r}] step={step}/{a.max_steps} train_loss={loss.item():.4f} elapsed={time.time() - t0:.1f}s", flush=True)
"""

DATALOCK = """
import os, pathlib, sys, time, torch, torch.distributed as dist
rank = int(os.environ["RANK"]); cache = pathlib.Path("cache/indices"); lock = cache / f"shuffle_idx_{rank}.lock"
def p(m): print(f"rank {rank} [{time.strftime('%X')}] {m}", flush=True)
def build_index(n=200_000):
    waited = 0
    while True:
        try: os.close(os.open(lock, os.O_CREAT | os.O_EXCL)); break
        except FileExistsError:
            if waited == 0: p(f"{lock} exists, another process builds this index; waiting")
            time.sleep(1); waited += 1
    g = torch.Generator().manual_seed(rank); idx = torch.randperm(n, generator=g); lock.unlink(); return idx
p("building shuffle index"); idx = build_index(); p(f"shuffle index of {len(idx)} documents ready, joining the process group")
dist.init_process_group("gloo"); p("process group of %d joined" % dist.get_world_size())
"""

FOUROF5 = """
import socket, struct, sys, time
# coordinator (node 0) and members of a domain decomposition; "start.sh" passes rank, number of domains, port
rank, size, port = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
def say(m): print(f"domain {rank}: {m}", flush=True)
def coordinate():
    s = socket.create_server(("127.0.0.1", port)); peers = {}; say(f"coordinator listens, expecting {size - 1} other domains")
    while len(peers) < size - 1: c, _ = s.accept(); k = struct.unpack("i", c.recv(4))[0]; peers[k] = c; say(f"domain {k} connected ({len(peers)}/{size - 1})")
    for c in peers.values(): c.sendall(b"go")
    return peers
def join():
    for _ in range(100):
        try: c = socket.create_connection(("127.0.0.1", port)); break
        except ConnectionRefusedError: time.sleep(0.1)
    c.sendall(struct.pack("i", rank)); say("connected, waiting for the start signal")
    if c.recv(2) != b"go": sys.exit(1)
    return c
link = coordinate() if rank == 0 else join()
for step in range(1, 51): say(f"step {step}"); time.sleep(0.1)
"""
FOUROF5SH = """
#!/bin/sh
NDOMAINS=5
echo "starting domains 0..3 of $NDOMAINS"
for k in 0 1 2 3; do python3 domain.py $k $NDOMAINS "$1" & done
wait
"""

DEADWORKER = """
import math, multiprocessing as mp, random, time
# replica exchange: each rank moves its own replica, all meet after every block to swap temperatures
def rank_main(rank, temps, barrier, energies):
    rng, x, block, taken = random.Random(rank), [0.0] * 8, 0, 0
    while block < 120:
        taken = 0
        for _ in range(120):
            k = rng.randrange(8); y = x[k] + rng.uniform(-0.3, 0.3) * (1 if rank != 3 or block < 34 else 0.0) + (1e3 if rank == 3 and block >= 34 else 0)
            if rng.random() < math.exp(max(-700, min(0, (x[k] ** 2 - y ** 2) / temps[rank]))): x[k], taken = y, taken + 1
        block += 1; energies[rank] = sum(v * v for v in x); cost = 120 / taken
        if block % 4 == 0: print(f"rank {rank} block {block:3d}/120 E={energies[rank]:.4f} moves/accept={cost:.2f}", flush=True)
        time.sleep(0.06); barrier.wait()
if __name__ == "__main__":
    T = [0.2, 0.4, 0.8, 1.6]; b, e = mp.Barrier(4), mp.Array("d", 4); ps = [mp.Process(target=rank_main, args=(r, T, b, e), name=f"rank-{r}") for r in range(4)]
    for p in ps: p.start()
    for p in ps: p.join()
    print("replica exchange finished:", list(e))
"""

ABBA = '''
import threading, time, sys
class Box:
    def __init__(s, name): s.name, s.lock, s.mass = name, threading.Lock(), 500.0
left, right = Box("left"), Box("right"); done = {"left": 0, "right": 0}
def flow(src, dst, steps):
    """Moves mass over the interface; both boxes are locked while it does."""
    for k in range(1, steps + 1):
        with src.lock:
            if k >= 180: time.sleep(0.2)
            with dst.lock: dm = 0.01 * src.mass; src.mass -= dm; dst.mass += dm; done[src.name] = k
        time.sleep(0.02 if src is left else 0.0203)
        if k % 20 == 0: print(f"{src.name:>5} -> {dst.name:<5} step {k:5d}/2000  mass {left.mass:9.4f} {right.mass:9.4f}  sum {left.mass + right.mass:.6f}", flush=True)
ts = [threading.Thread(target=flow, args=a) for a in ((left, right, 2000), (right, left, 2000))]
for t in ts: t.start()
for t in ts: t.join()
print("steady state reached")
'''

PIPEFULL = """
import json, subprocess, sys, time, torch
# captions are post-processed by a helper program over its pipes
torch.manual_seed(4); enc = torch.nn.Linear(48, 48); helper = subprocess.Popen([sys.executable, "-S", "postprocess.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
todo = 600; print(f"captioning {todo} images in batches of 8, postprocess.py running", flush=True); t0 = time.time()
for b in range(1, todo // 8 + 1):
    with torch.no_grad(): feats = enc(torch.randn(8, 48)).tanh()
    for row in feats.tolist(): helper.stdin.write(json.dumps({"b": b, "row": [round(v, 3) for v in row]}) + "\\n")
    helper.stdin.flush(); time.sleep(0.08)
    if b % 4 == 0: print(f"{b * 8:4d}/{todo} images captioned, {b * 8 / (time.time() - t0):.1f} img/s", flush=True)
helper.stdin.close(); out = helper.stdout.read(); print(len(out), "characters of captions")
"""
POSTPROCESS = """
import sys
for n, line in enumerate(sys.stdin):
    print(line.strip()[::-1])  # nobody reads this before the end
"""

PRETRAINLIMIT = """
import datetime, time, torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo"); r = dist.get_rank(); torch.manual_seed(1); TOTAL, SEQ = 20000, 32
net = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Embedding(96, 48), nn.Linear(48, 96))); opt = torch.optim.AdamW(net.parameters(), 2e-3); t0 = time.time()
for it in range(1, TOTAL + 1):
    ids = torch.randint(96, (SEQ,)); loss = nn.functional.cross_entropy(net(ids), (ids * 5 + 3) % 96); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.05)
    if r == 0 and it % 20 == 0: eta = datetime.timedelta(seconds=int((TOTAL - it) * (time.time() - t0) / it)); print(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S} | iter {it}/{TOTAL} | loss {loss.item():.4f} | {2 * SEQ * it / (time.time() - t0):.0f} tok/s | ETA {eta}", flush=True)
"""

TRANSLATE = """
import random, sys, time
rng = random.Random(3); words = "ash birch cedar elm fir hazel juniper larch maple oak pine rowan".split()
def translate(s, beam=4): return " ".join(max((w[::-1] for w in rng.choices(words, k=beam)), key=len) for _ in s.split())
N = 4000; t0 = time.time(); out = open("hyp.txt", "w"); print(f"translating {N} segments, beam 4", flush=True)
for k in range(1, N + 1):
    out.write(translate(" ".join(rng.choices(words, k=12))) + "\\n"); time.sleep(0.02)
    if k % 50 == 0: out.flush(); rate = k / (time.time() - t0); print(f"  {k:5d}/{N}  {100 * k / N:5.1f} %  {rate:.1f} seg/s  {int((N - k) / rate)} s to go", flush=True)
"""

NBODY = r"""
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define N 64
static double p[N][3], v[N][3]; static volatile sig_atomic_t asked; static void on_int(int s) { asked = s; }
int main(int c, char **a) {
    int steps = atoi(a[1]); signal(SIGINT, on_int); srand(8); for (int i = 0; i < N; i++) for (int d = 0; d < 3; d++) p[i][d] = rand() / (double)RAND_MAX - .5;
    printf("nbody: %d bodies, softening 0.05, %d steps\n", N, steps); fflush(stdout);
    for (int s = 1; s <= steps; s++) {
        double U = 0, K = 0; for (int i = 0; i < N; i++) { double f[3] = {0}; for (int j = 0; j < N; j++) if (j != i) { double r2 = .0025, q[3]; for (int d = 0; d < 3; d++) { q[d] = p[j][d] - p[i][d]; r2 += q[d] * q[d]; }
            double w = 1. / (N * r2 * sqrt(r2)); U -= .5 / (N * (double)N * sqrt(r2)); for (int d = 0; d < 3; d++) f[d] += w * q[d]; }
            for (int d = 0; d < 3; d++) { v[i][d] += .002 * f[d]; K += .5 * v[i][d] * v[i][d] / N; } }
        for (int i = 0; i < N; i++) for (int d = 0; d < 3; d++) p[i][d] += .002 * v[i][d];
        if (s % 25 == 0) { printf("%7d  K %.5f  U %.5f  E %.5f\n", s, K, U, K + U); fflush(stdout); }
        usleep(8000);
        if (asked) { printf("interrupt from the keyboard at step %d of %d: writing nbody.snap, leaving\n", s, steps); FILE *o = fopen("nbody.snap", "wb"); fwrite(p, sizeof p, 1, o); fclose(o); return 130; }
    }
    puts("done"); return 0;
}
"""
NBODYSH = """
#!/bin/bash
cc -O2 nbody.c -o nbody -lm && exec ./nbody 20000
"""

JOBS = (
    told(
        "A1",
        f"{RUN2} finetune_long.py",
        {"finetune_long.py": NOFLASH, "modeling/attention.py": ATTENTION, "modeling/__init__.py": ""},
        "both ranks: ModuleNotFoundError of flash_attn before the group",
        cause="missing_module",
        variant="env",
    ),
    told(
        "A2",
        f"{RUN2} finetune.py --model base-350m --max_steps 1500",
        {"finetune.py": KILLED},
        "torchrun: Signal 9 (SIGKILL) of rank 1 while advancing, no memory event",
        fault="unknown",
        first=(1,),
        signal=Signal("KILL", r"step=140/", to="-u finetune.py#1"),
    ),
    told(
        "C1",
        f"{RUN2} index_first.py",
        {"index_first.py": DATALOCK, "cache/indices/shuffle_idx_1.lock": ""},
        "rank 1 waits for a stale lock, rank 0 is ready and waits in the group's making, to the limit",
        timeout_s=45,
    ),
    told(
        "C1",
        "sh start.sh PORT",
        {"start.sh": FOUROF5SH, "domain.py": FOUROF5},
        "coordinator has 3 of 4, all wait for the fifth that nobody started",
        python="system",
        timeout_s=25,
    ),
    told(
        "C2",
        "PYTHON replica_exchange.py",
        {"replica_exchange.py": DEADWORKER},
        "rank 3's ZeroDivisionError in block 35; the other three stand at the barrier, silent to the limit",
        trigger="A3",
        cause="div_zero",
        first=(3,),
        python="system",
        timeout_s=30,
    ),
    told(
        "C3",
        "PYTHON two_boxes.py",
        {"two_boxes.py": ABBA},
        "steps every 0.02 s, then silence of some 20 s to the limit, one process",
        python="system",
        timeout_s=30,
    ),
    told(
        "C3",
        "PYTHON caption.py",
        {"caption.py": PIPEFULL, "postprocess.py": POSTPROCESS},
        "images by the dozen for some seconds, then silence to the limit, one process",
        timeout_s=55,
    ),
    told(
        "F3",
        f"{RUN2} pretrain_dense2.py",
        {"pretrain_dense2.py": PRETRAINLIMIT},
        "advancing to the limit, ETA of a quarter of an hour",
        variant="advancing",
        timeout_s=75,
    ),
    told(
        "F3",
        "PYTHON translate.py",
        {"translate.py": TRANSLATE},
        "advancing to the limit, a minute to go by its own word",
        variant="advancing",
        python="system",
        timeout_s=18,
    ),
    told(
        "F4",
        "bash go.sh",
        {"go.sh": NBODYSH, "nbody.c": NBODY},
        "signal 2 noted by the runner while it advances; the program says so too, exit 130",
        python="system",
        signal=Signal("INT", " 425  K"),
    ),
)
