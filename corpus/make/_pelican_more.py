"""More programs of several ranks without PyTorch: replicas through a database, an agent beside a cliff, stumps, word vectors in C, letters in awk."""

FILES = {"REPLICA": "anneal.py", "CLIFF": "agent.py", "STUMPS": "boost.py", "GLOVE": "glove.c", "LITERY": "litery.awk"}

REPLICA = '''"""A small network fitted by annealing replicas that swap through a database file."""
import math
import os
import random
import sqlite3
import sys
import time
from datetime import datetime, timezone

me, replicas = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
SWEEPS, NAP = int(os.environ.get("SWEEPS", 160)), float(os.environ.get("NAP", 0.05))
EVERY = int(os.environ.get("EVERY", 10))
DB = os.environ.get("DB", "replicas.db")
T = 0.002 * 2.2**me
dice = random.Random(17 + me)


def line(*cells):
    print(datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), f"replica {me}", *cells, sep=" | ", flush=True)


def ask(query, *values, patience=30.0):
    with sqlite3.connect(DB, timeout=patience) as db:
        rows = db.execute(query, values).fetchall()
    db.close()
    return rows


def loss_of(w):
    total = 0.0
    for k in range(24):
        x = -2 + k / 6
        y = sum(w[3 * j] * math.tanh(w[3 * j + 1] * x + w[3 * j + 2]) for j in range(3))
        total += (y - math.sin(1.7 * x)) ** 2
    return total / 24


line("temperature", f"{T:.4f}", "database", DB, "sweeps", SWEEPS)
#: early
ask("CREATE TABLE IF NOT EXISTS state (sweep INTEGER, replica INTEGER, loss REAL, weights TEXT, PRIMARY KEY (sweep, replica))")
#: made
weights = [dice.gauss(0, 1) for _ in range(9)]
best, swaps, begin = 9.9, 0, 1
#: load
loss = loss_of(weights)
#: ready
for sweep in range(begin, SWEEPS + 1):
    t = time.time()
    time.sleep(NAP)
    #: data
    for _ in range(30):
        new = [w + dice.gauss(0, 0.12) for w in weights]
        if (other := loss_of(new)) < loss or dice.random() < math.exp((loss - other) / T):
            weights, loss = new, other
    best = min(best, loss)
    #: loss
    work = time.time() - t
    ask("INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?)", sweep, me, loss, " ".join(map(repr, weights)))
    while len(rows := ask("SELECT replica, loss, weights FROM state WHERE sweep = ? ORDER BY replica", sweep)) < replicas:
        time.sleep(0.03)
    wait = time.time() - t - work
    mate = me + 1 if (me + sweep) % 2 == 0 else me - 1
    if 0 <= mate < replicas:
        cold, warm = rows[min(me, mate)], rows[max(me, mate)]
        if warm[1] < cold[1]:
            _, loss, text = rows[mate]
            weights, swaps = [float(w) for w in text.split()], swaps + 1
    #: after
    if sweep % EVERY == 0:
        line(f"sweep {sweep}/{SWEEPS}", f"loss {loss:.5f}", f"best {best:.5f}", f"swaps {swaps}", f"work {work:.2f} s", f"wait {wait:.2f} s")
    #: save
#: end
line("annealed", f"best {best:.5f}")
'''

CLIFF = '''"""Q-learning beside a cliff."""
import json
import os
import random
import sys
import time
import warnings

import argparse

p = argparse.ArgumentParser()
p.add_argument("--timesteps", type=int, default=40_000)
p.add_argument("--n-steps", type=int, default=800)
p.add_argument("--eps", type=float, default=0.1)
p.add_argument("--render-s", type=float, default=0.2)
p.add_argument("--save-path", default="")
p.add_argument("--load-path", default="")
a = p.parse_args()
random.seed(int(os.environ.get("SEED", 6)))
Q = [[0.0] * 4 for _ in range(48)]
done, iterations, extra = 0, 0, {}
print("Using cpu device" if not os.environ.get("CUDA_VISIBLE_DEVICES") else "Using cuda device", flush=True)
#: early


def step(at, act):
    row, col = divmod(at, 12)
    row, col = max(0, min(3, row + (0, 1, 0, -1)[act])), max(0, min(11, col + (1, 0, -1, 0)[act]))
    if row == 3 and 0 < col < 11:
        return 36, -100, False
    return row * 12 + col, -1, (row, col) == (3, 11)


def table(**groups):
    print("-" * 40)
    for group, values in groups.items():
        print(f"| {group + '/':<20} | {'':<13} |")
        for name, value in values.items():
            print(f"|    {name:<17} | {value:<13.5g} |")
    print("-" * 40, flush=True)


#: load
began = time.time()
at, score, length, scores, lengths = 36, 0, 0, [], []
while done < a.timesteps:
    time.sleep(a.render_s)
    #: data
    moved = 0.0
    for _ in range(a.n_steps):
        act = random.randrange(4) if random.random() < a.eps else max(range(4), key=Q[at].__getitem__)
        to, gain, over = step(at, act)
        miss = gain + (0 if over else 0.99 * max(Q[to])) - Q[at][act]
        Q[at][act] += 0.4 * miss
        moved += abs(miss) / a.n_steps
        at, score, length, done = to, score + gain, length + 1, done + 1
        if over or length > 200:
            scores.append(score)
            lengths.append(length)
            at, score, length = 36, 0, 0
    iterations += 1
    last = scores[-20:] or [float(score)]
    #: loss
    table(
        rollout={"ep_len_mean": sum(lengths[-20:]) / max(1, len(lengths[-20:])), "ep_rew_mean": sum(last) / len(last), "exploration_rate": a.eps},
        time={"fps": done / (time.time() - began), "iterations": iterations, "time_elapsed": time.time() - began, "total_timesteps": done},
        train={"td_error": moved, **extra},
    )
    #: after
#: end
print(f"trained for {done} timesteps, mean reward of the last 20 episodes {sum(last) / len(last):.1f}", flush=True)
'''

STUMPS = '''import csv
import io
import os
import pickle
import random
import sys
import time

TREES = int(os.environ.get("TREES", 150))
ETA = float(os.environ.get("ETA", 0.15))
PAUSE = float(os.environ.get("PAUSE", 0.06))


def houses(n, seed):
    dice = random.Random(seed)
    rows = []
    for _ in range(n):
        size, age, walk, floor = dice.uniform(30, 160), dice.uniform(0, 90), dice.uniform(1, 30), dice.randrange(9)
        rows.append(((size, age, walk, floor), 2.1 * size - 0.6 * age - 2.5 * walk + (15 if floor > 4 else 0) + dice.gauss(0, 8)))
    return rows


def rmse(rows, guess):
    return (sum((y - g) ** 2 for (_, y), g in zip(rows, guess)) / len(rows)) ** 0.5


train, valid = houses(160, 1), houses(60, 2)
print(f"[boost] {len(train)} train rows, {len(valid)} valid rows, {TREES} trees, eta {ETA}", flush=True)
#: early
mean = sum(y for _, y in train) / len(train)
model, begin = [], 0
#: load


def value(x, stumps):
    return mean + ETA * sum(low if x[f] < cut else high for f, cut, low, high in stumps)


fit, held = [value(x, model) for x, _ in train], [value(x, model) for x, _ in valid]
for tree in range(begin, TREES):
    time.sleep(PAUSE)
    #: data
    gaps = [y - g for (_, y), g in zip(train, fit)]
    best = None
    for f in range(4):
        for cut in random.Random(31 * tree + f).sample([x[f] for x, _ in train], 6):
            left = [g for (x, _), g in zip(train, gaps) if x[f] < cut]
            right = [g for (x, _), g in zip(train, gaps) if x[f] >= cut]
            if left and right:
                low, high = sum(left) / len(left), sum(right) / len(right)
                gain = len(left) * low**2 + len(right) * high**2
                if best is None or gain > best[0]:
                    best = gain, (f, cut, low, high)
    model.append(best[1])
    f, cut, low, high = best[1]
    fit = [g + ETA * (low if x[f] < cut else high) for (x, _), g in zip(train, fit)]
    held = [g + ETA * (low if x[f] < cut else high) for (x, _), g in zip(valid, held)]
    #: loss
    print(f"[{tree}]\\ttrain-rmse:{rmse(train, fit):.5f}\\tvalid-rmse:{rmse(valid, held):.5f}", flush=True)
    #: after
#: end
with open("model.pkl", "wb") as out:
    pickle.dump(model, out)
print(f"[boost] {len(model)} trees in model.pkl, valid-rmse {rmse(valid, held):.3f}", flush=True)
'''

GLOVE = '''/* word vectors from co-occurrences: weighted least squares, AdaGrad */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORDS 60
#define DIM 8
typedef struct { int a, b; float x; } cell;
static float (*w)[DIM], (*c)[DIM], (*gw)[DIM], (*gc)[DIM];
static cell *cells;
static long many;

static double one_pass(float eta) {
    double cost = 0;
    for (long k = 0; k < many; k++) {
        cell *m = &cells[k];
        float gap = -logf(m->x), weight = m->x > 20 ? 1 : powf(m->x / 20, 0.75f);
        for (int d = 0; d < DIM; d++) gap += w[m->a][d] * c[m->b][d];
        cost += 0.5 * weight * gap * gap;
        for (int d = 0; d < DIM; d++) {
            float p = weight * gap * c[m->b][d], q = weight * gap * w[m->a][d];
            w[m->a][d] -= eta * p / sqrtf(gw[m->a][d] += p * p);
            c[m->b][d] -= eta * q / sqrtf(gc[m->b][d] += q * q);
        }
    }
    return cost / many;
}

int main(int argc, char **argv) {
    int iters = argc > 1 ? atoi(argv[1]) : 60, ms = argc > 2 ? atoi(argv[2]) : 100;
    float eta = argc > 3 ? atof(argv[3]) : 0.05f;
    setvbuf(stdout, NULL, _IONBF, 0);
    fprintf(stderr, "TRAINING MODEL\\n");
    #: early
    srand(3);
    w = malloc(4 * sizeof *w * WORDS); c = w + WORDS; gw = c + WORDS; gc = gw + WORDS;
    for (int i = 0; i < WORDS; i++)
        for (int d = 0; d < DIM; d++) {
            w[i][d] = rand() / (float)RAND_MAX - 0.5f; c[i][d] = rand() / (float)RAND_MAX - 0.5f;
            gw[i][d] = gc[i][d] = 1;
        }
    cells = malloc(sizeof *cells * WORDS * WORDS);
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < WORDS; j++)
            if (rand() % 3 == 0) cells[many++] = (cell){i, j, 1 + 40.0f / (1 + abs(i - j)) + rand() % 3};
    fprintf(stderr, "Read %ld co-occurrences, vocabulary %d.\\nUsing random seed 3, vector size %d, x_max 20, alpha 0.75\\n", many, WORDS, DIM);
    #: load
    for (int it = 1; it <= iters; it++) {
        usleep(1000 * ms);
        #: data
        double cost = one_pass(eta);
        #: loss
        char when[40];
        time_t now = time(NULL);
        strftime(when, sizeof when, "%x - %I:%M.%S%p", localtime(&now));
        fprintf(stderr, "%s, iter: %03d, cost: %lf\\n", when, it, cost);
        #: after
    }
    #: end
    FILE *out = fopen("vectors.txt", "w");
    for (int i = 0; i < WORDS; i++)
        for (int d = 0; d < DIM; d++) fprintf(out, "%f%c", w[i][d] + c[i][d], d == DIM - 1 ? '\\n' : ' ');
    fclose(out);
    fprintf(stderr, "saved vectors.txt\\n");
    return 0;
}
'''

LITERY = '''# rozpoznawanie liter: perceptron wieloklasowy
function mow(tekst) { printf "%s  %s\\n", strftime("%H:%M:%S"), tekst; fflush() }
BEGIN {
    epok = ENVIRON["EPOK"] ? ENVIRON["EPOK"] : 60; pauza = ENVIRON["PAUZA"] ? ENVIRON["PAUZA"] : 0.25
    srand(11); klas = 6; cech = 14; od = 1
    mow("perceptron, klas: " klas ", cech: " cech ", epok: " epok)
    #: early
    for (k = 0; k < klas; k++) for (i = 0; i < cech; i++) wzor[k, i] = (rand() < 0.5) ? -1 : 1
    #: load
    for (e = od; e <= epok; e++) {
        system("sleep " pauza)
        #: data
        bledy = 0
        for (n = 0; n < 300; n++) {
            k = int(rand() * klas); naj = -1e9; kto = 0
            for (i = 0; i < cech; i++) x[i] = wzor[k, i] + 2.6 * (rand() + rand() + rand() - 1.5)
            for (j = 0; j < klas; j++) { s = 0; for (i = 0; i < cech; i++) s += waga[j, i] * x[i]; if (s > naj) { naj = s; kto = j } }
            if (kto != k) { bledy++; for (i = 0; i < cech; i++) { waga[k, i] += x[i] / (e * 2); waga[kto, i] -= x[i] / (e * 2) } }
        }
        mow(sprintf("epoka %3d/%d  bledow %3d z 300  (%.1f%%)", e, epok, bledy, bledy / 3))
        #: after
    }
    #: end
    mow("koniec nauki, bledow w ostatniej epoce: " bledy)
}
'''
