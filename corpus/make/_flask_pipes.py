"""Make, shell and small crews of plain Python."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob
from corpus.running.slots import fill

SAGA = "there was a man named grim who lived in the west fjords he had three sons and a ship of twenty oars\nin the spring they sailed to norway and sold wool and in the autumn they came back with timber\nhis youngest son was restless and would not stay at home that winter\nthe sons quarrelled over the ship and grim said that none of them should have it\n" * 30  # fmt: skip
MAKEFILE = """PY ?= python3
EPOCHS = 12

all: report.txt

data/tokens.txt: data/saga.txt tok.py
\t$(PY) tok.py data/saga.txt > $@

plot.png: loss.tsv
\t-gnuplot -e "set term png; set out 'plot.png'; plot 'loss.tsv'"

loss.tsv: data/tokens.txt lm.py
\t$(PY) lm.py data/tokens.txt $(EPOCHS)

report.txt: loss.tsv EXTRA
\t$(PY) report.py loss.tsv > $@
\t@tail -n 3 $@
"""
TOK = 'import sys\nfor line in open(sys.argv[1], encoding="utf-8"):\n    print("<s>", *line.split(), "</s>")\n'
REPORT = 'import sys\nrows = [l.split() for l in open(sys.argv[1])]\nprint("epochs:", len(rows))\nprint("first perplexity:", rows[0][1])\nprint("last perplexity:", rows[-1][1])\n'
LM = r'''import math, random, sys, time
random.seed(2)
path, epochs = sys.argv[1], int(sys.argv[2])
sents = [l.split() for l in open(path, encoding="utf-8")]
V = sorted({w for s in sents for w in s}); ix = {w: i for i, w in enumerate(V)}
D = 8
E = [[random.gauss(0, .3) for _ in range(D)] for _ in V]
O = [[random.gauss(0, .3) for _ in range(D)] for _ in V]
print(f"lm: {len(sents)} lines, {len(V)} types, perplexity at start about {len(V)}", flush=True)
with open("loss.tsv", "w") as out:
    for ep in range(1, epochs + 1):
        random.shuffle(sents)
        nll = n = 0
        for s in sents[:60]:
            for a, b in zip(s, s[1:]):
                h = E[ix[a]]
                z = [sum(x * y for x, y in zip(h, o)) for o in O]
                m = max(z); p = [math.exp(v - m) for v in z]; t = sum(p)
                k = ix[b]
                nll -= math.log(p[k] / t); n += 1
                gh = [0.0] * D
                for j in range(len(V)):
                    g = p[j] / t - (j == k)
                    o = O[j]
                    for d in range(D):
                        gh[d] += g * o[d]; o[d] -= .2 * g * h[d]
                for d in range(D):
                    h[d] -= .2 * gh[d]
        print(f"lm: epoch {ep}/{epochs} nll {nll / n:.4f} ppl {math.exp(nll / n):.2f}", flush=True)
        print(ep, round(math.exp(nll / n), 3), sep="\t", file=out)
        #: epoch
print("lm: loss.tsv complete")
'''
CREW = r'''"""Data-parallel logistic regression over worker processes: python crew.py WORKERS EPOCHS"""
import json
import math
import multiprocessing as mp
import os
import random
import sys
import time

D = 24
PARTIES = int(os.environ.get("PARTIES", sys.argv[1]))


def shard(rank, n=1500):
    rng = random.Random(100 + rank)
    true = [math.sin(3 * i) * 2 for i in range(D)]
    rows = []
    for _ in range(n):
        x = [rng.gauss(0, 1) for _ in range(D)]
        rows.append((x, float(sum(a * b for a, b in zip(x, true)) + rng.gauss(0, .5) > 0)))
    return rows


def worker(rank, world, epochs, w, grads, losses, times, gate):
    def out(*words):
        print(f"[{time.strftime('%H:%M:%S')} w{rank}/{world} pid {os.getpid()}]", *words, flush=True)

    rows = shard(rank)
    out("shard ready,", len(rows), "rows")
    gate.wait()
    for ep in range(1, epochs + 1):
        t0 = time.perf_counter()
        #: epoch
        g = [0.0] * D
        loss = 0.0
        for x, y in rows:
            #: row
            p = 1 / (1 + math.exp(-max(-30, min(30, sum(a * b for a, b in zip(w, x))))))
            loss -= math.log(p if y else 1 - p)
            for i in range(D):
                g[i] += (p - y) * x[i] / len(rows)
        grads[rank * D:(rank + 1) * D] = g
        losses[rank] = loss / len(rows)
        mine = time.perf_counter() - t0
        times[rank] = mine
        gate.wait()
        waited = time.perf_counter() - t0 - mine
        if rank == 0:
            for i in range(D):
                w[i] -= 2.0 * sum(grads[r * D + i] for r in range(world)) / world
            out(f"epoch {ep}/{epochs} loss {sum(losses) / world:.4f} compute {mine:.2f}s barrier {waited:.2f}s")
        #: told
        gate.wait()
    out("finished")


def main():
    world, epochs = int(sys.argv[1]), int(sys.argv[2])
    ctx = mp.get_context("fork")
    w = ctx.Array("d", D, lock=False); grads = ctx.Array("d", D * world, lock=False)
    losses = ctx.Array("d", world, lock=False); times = ctx.Array("d", world, lock=False)
    gate = ctx.Barrier(PARTIES)
    print(f"[main] starting {world} workers, {epochs} epochs, barrier of {PARTIES}", flush=True)
    ps = [ctx.Process(target=worker, args=(r, world, epochs, w, grads, losses, times, gate)) for r in range(world)]
    for p in ps:
        p.start()
    #: watch
    for p in ps:
        p.join()
    bad = [p.exitcode for p in ps if p.exitcode]
    print("exit codes", [p.exitcode for p in ps])
    if not bad:
        json.dump(list(w), open("weights.json", "w"))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
'''
PERCEPTRON_C = r'''/* multi-class perceptron, digits of a seven segment display */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const unsigned char seg[10] = {0x7e, 0x30, 0x6d, 0x79, 0x33, 0x5b, 0x5f, 0x70, 0x7f, 0x7b};
static int *histogram;
int main(int argc, char **argv) {
    int epochs = argc > 1 ? atoi(argv[1]) : 20;
    double w[10][8];
    memset(w, 0, sizeof w);
    srand(1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    histogram = argc > 2 ? NULL : calloc(64, sizeof *histogram);
    for (int e = 1; e <= epochs; e++) {
        int miss = 0;
        for (int k = 0; k < 20000; k++) {
            int d = rand() % 10, best = 0;
            double x[8], top = -1e9;
            for (int i = 0; i < 7; i++) x[i] = ((seg[d] >> i) & 1) ^ (rand() % 100 < 2);
            x[7] = 1;
            for (int c = 0; c < 10; c++) {
                double s = 0;
                for (int i = 0; i < 8; i++) s += w[c][i] * x[i];
                if (s > top) { top = s; best = c; }
            }
            if (best != d) {
                miss++;
                for (int i = 0; i < 8; i++) { w[d][i] += 0.1 * x[i]; w[best][i] -= 0.1 * x[i]; }
            }
        }
        printf("epoch %d: %d mistakes of 20000 (%.2f %%)\n", e, miss, miss / 200.0);
        if (e % 5 == 0) histogram[miss / 500]++;
        usleep(400000);
    }
    printf("ready\n");
    return 0;
}
'''
BUILD = "#!/bin/bash\nset -e\necho \"+ gcc\"\ngcc -O2 -o percep percep.c\necho '+ run'\n./percep \"$@\"\necho '+ done'\n"
FEED = r'''"""Pages of the harbour log, one at a time (the archive asks for a pause between requests)."""
import json, random, sys, time
random.seed(3)
for page in range(int(sys.argv[1])):
    time.sleep(float(sys.argv[2]))
    rows = []
    for _ in range(50):
        wind, tide, draft = random.uniform(0, 20), random.uniform(-2, 2), random.uniform(2, 9)
        rows.append([wind / 10, tide, draft / 5, 30 + 4 * wind - 12 * tide + 6 * draft + random.gauss(0, 4)])
    print(json.dumps({"page": page, "rows": rows}), flush=True)
'''
HARBOUR = r'''# mooring time in minutes ~ wind, tide, draft.  reads pages on stdin
import json, sys, time
w = [0.0] * 4
idle = work = 0.0
mark = time.monotonic()
for n, line in enumerate(sys.stdin, 1):
    got = time.monotonic(); idle += got - mark
    rows = json.loads(line)["rows"]
    for *x, y in rows:
        e = sum(a * b for a, b in zip(w, x + [1.0])) - y
        w = [a - 0.004 * e * b for a, b in zip(w, x + [1.0])]
    mae = sum(abs(sum(a * b for a, b in zip(w, [*r[:3], 1.0])) - r[3]) for r in rows) / len(rows)
    mark = time.monotonic(); work += mark - got
    if n % 4 == 0:
        print(f"page {n:3d}  MAE {mae:6.2f} min   waited for input {idle:5.1f} s, trained {work:5.2f} s", flush=True)
print("weights", [round(v, 2) for v in w])
'''
KMEANS = "#!/bin/bash\n# k-means of stops, nothing but awk\nK=4; ITER=${1:-12}\nawk 'BEGIN{srand(7); for(i=0;i<6000;i++){c=int(rand()*4); print (c%2)*10+rand()*4, int(c/2)*10+rand()*4}}' > stops.tsv\nhead -n $K stops.tsv > cent.tsv\nfor i in $(seq 1 \"$ITER\"); do\n  awk -v k=$K 'NR==FNR{cx[NR]=$1;cy[NR]=$2;next}{b=1e9;for(j=1;j<=k;j++){d=($1-cx[j])^2+($2-cy[j])^2;if(d<b){b=d;m=j}};sx[m]+=$1;sy[m]+=$2;n[m]++;t+=b}END{for(j=1;j<=k;j++)print (n[j]?sx[j]/n[j]:cx[j]),(n[j]?sy[j]/n[j]:cy[j])>\"new.tsv\";printf \"%.4f\\n\",t/FNR>\"inertia\"}' cent.tsv stops.tsv\n  mv new.tsv cent.tsv\n  echo \"iter $i/$ITER  inertia $(cat inertia)\"\n  SLOT\ndone\necho \"centres:\"; cat cent.tsv\n"
EVOLVE = r'''"""Evolves a controller for a pole on a cart; (mu, lambda) with restarts."""
import math, os, pickle, random, subprocess, sys, time

rng = random.Random(int(os.environ.get("SEED", 5)))
GENS = int(sys.argv[1])


def balance(g):
    x = v = th = om = 0.0; th = 0.05
    for t in range(500):
        f = 10 * math.tanh(g[0] * x + g[1] * v + g[2] * th + g[3] * om)
        a = (f + 0.1 * math.sin(th) * (9.8 * math.cos(th) + om * om)) / (1 + 0.1 * math.sin(th) ** 2)
        om += 0.02 * (9.8 * math.sin(th) - a * math.cos(th)) / 0.5; th += 0.02 * om
        v += 0.02 * a; x += 0.02 * v
        if abs(th) > 0.4 or abs(x) > 2.4:
            break
    return t + 1 - 0.001 * sum(q * q for q in g)


mean, sigma = [0.0] * 4, 2.0
t0 = time.time()
for gen in range(1, GENS + 1):
    pop = [[m + sigma * rng.gauss(0, 1) for m in mean] for _ in range(30)]
    fit = sorted(((balance(g), g) for g in pop), reverse=True)
    elite = [g for _, g in fit[:8]]
    mean = [sum(c) / 8 for c in zip(*elite)]
    sigma = max(0.3, sigma * 0.97)
    print(f"gen {gen:3d}/{GENS}  best {fit[0][0]:8.3f}  median {fit[15][0]:8.3f}  sigma {sigma:.3f}  {time.time() - t0:6.1f}s", flush=True)
    #: gen
print("best controller", [round(v, 3) for v in mean])
'''
REFEREE = 'if gen % 6 == 0:\n    p = subprocess.Popen([sys.executable, "referee.py", str(gen)], stdout=subprocess.PIPE)\n    print(f"   referee plays {gen} games ...", flush=True)\n    p.wait()\n    print("   verdict:", p.stdout.read().split()[-1].decode(), flush=True)'
REFEREE_PY = 'import sys\nfor game in range(int(sys.argv[1])):\n    for move in range(90):\n        print("game", game, "move", move, "cart ok pole ok")\nprint("passed")\n'
PICKLE = 'if True:  # keep everything, for the film later\n    s = time.time()\n    os.makedirs("film", exist_ok=True)\n    with open(f"film/gen{gen:04d}.pkl", "wb") as f:\n        pickle.dump({"pop": pop, "trail": [(g, [rng.random() for _ in range(6000)]) for g in pop]}, f)\n        f.flush(); os.fsync(f.fileno())\n    print(f"      film/gen{gen:04d}.pkl {time.time() - s:.2f}s", flush=True)'


def book(extra: str, held: str = "", **more: str) -> dict[str, str]:
    """The saga's pipeline."""
    return {"Makefile": MAKEFILE.replace("EXTRA", extra), "tok.py": TOK, "lm.py": fill(LM, epoch=held), "report.py": REPORT, "data/saga.txt": SAGA, **more}


def crew(**codes: str) -> dict[str, str]:
    """The processes."""
    return {"crew.py": fill(CREW, **codes)}


def evolve(**codes: str) -> dict[str, str]:
    """The pole."""
    return {"evolve.py": fill(EVOLVE, **codes)}


LOST = 'if rank == 2 and ep == 6:\n    with open(f"shards/part-{rank:03d}.{ep // 6}.json") as f:\n        rows += [tuple(r) for r in json.load(f)]'
NULL = "if rank == 1 and ep == 5:\n    import ctypes\n    ctypes.string_at(0)"
WATCH = "seen = set()\nwhile any(p.is_alive() for p in ps):\n    for r, p in enumerate(ps):\n        if p.exitcode and r not in seen:\n            seen.add(r)\n            print(f'[main] worker {r} (pid {p.pid}) is gone, exit code {p.exitcode}', flush=True)\n    time.sleep(1)"
GUNZIP = 'if rank == 3:  # this one reads from the old archive, packed\n    import gzip\n    for _ in range(7):\n        gzip.decompress(gzip.compress(repr(rows[:300]).encode()))'
SLOWEST = 'if rank == 0:\n    out("   per worker:", " ".join(f"w{r} {times[r]:.2f}s" for r in range(world)))'
FETCH = "#!/bin/bash\nfor n in 1 2 3; do\n  if curl -sS -m 2 -o data/extra.txt http://127.0.0.1:9/extra.txt 2>&1; then break; fi\n  echo \"attempt $n failed, waiting\"; sleep 1\ndone\n[ -s data/extra.txt ] || { echo 'ERROR: extra text not available, using the copy in attic/'; cp attic/extra.txt data/extra.txt; }\n$1 evolve.py 120\n"
PIPES: tuple[LocalJob, ...] = (
    run("G1", None, None, book(""), "make all", python="system"),
    run("G1", None, None, book("plot.png"), "make report.txt EPOCHS=9", python="system", hard=True),
    run("A1", "file_not_found", "data", {k: v for k, v in book("").items() if k != "data/saga.txt"}, "make -j2 all", python="system", status=2),
    run("A3", "file_not_found", None, book("", 'if ep % 5 == 0:\n    held = [l.split() for l in open("data/heldout.txt", encoding="utf-8")]\n    print("lm: heldout", len(held), flush=True)'), "make all EPOCHS=20", python="system", status=2),
    run("G1", None, None, crew(), "PYTHON crew.py 3 32", python="system"),
    run("C2", "file_not_found", None, crew(epoch=LOST), "PYTHON crew.py 3 40", python="system", trigger="A3", timeout_s=80),
    run("C2", "segfault", None, crew(epoch=NULL, watch=WATCH), "PYTHON crew.py 4 30", python="system", trigger="A2", timeout_s=85),
    run("C1", None, None, crew(), "PYTHON crew.py 3 30", python="system", env={"PARTIES": "4"}, timeout_s=80),
    run("D3", None, None, crew(epoch=GUNZIP, told=SLOWEST), "PYTHON crew.py 4 12", python="system"),
    run("G1", None, None, {"percep.c": PERCEPTRON_C, "run.sh": BUILD}, "bash run.sh 14", python="system"),
    run("A2", "segfault", None, {"percep.c": PERCEPTRON_C, "run.sh": BUILD}, "bash run.sh 40 nohist", python="system", status=139),
    run("D1", None, None, {"feed.py": FEED, "harbour.py": HARBOUR}, ("bash", "-c", "PYTHON feed.py 36 0.8 | PYTHON harbour.py"), python="system"),
    run("E3", None, None, {"kmeans.sh": KMEANS.replace("SLOT", ":")}, "bash kmeans.sh 2", python="system"),
    run("C3", None, None, {**evolve(gen=REFEREE), "referee.py": REFEREE_PY}, "PYTHON evolve.py 60", python="system", timeout_s=80),
    run("D2", None, "save_storm", evolve(gen=PICKLE), "PYTHON evolve.py 48", python="system", env={"SEED": "8"}),
    run("F3", None, "advancing", crew(epoch="time.sleep(0.4)  # shard comes over NFS"), "PYTHON crew.py 2 600", python="system", timeout_s=40),
    run("G1", None, None, {**evolve(), "fetch.sh": FETCH, "attic/extra.txt": "tail wind 3\n"}, "bash fetch.sh PYTHON", python="system", hard=True),
)  # fmt: skip
