"""Programs of several ranks, or of one, without PyTorch: a federated click model, evolution with a board in SQLite, factors in C, shell steps of an array, Perl."""

from __future__ import annotations

KLICKS = '''#!/usr/bin/env python3
"""Klickvorhersage, verteilt: Arbeiter rechnen Gradienten, Arbeiter 0 mittelt sie."""
import math
import os
import random
import socket
import struct
import sys
import time

ich, alle = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
port = int(os.environ["MASTER_PORT"])
schritte, alle_n, pause = int(os.environ.get("SCHRITTE", "300")), int(os.environ.get("MELDE", "20")), float(os.environ.get("PAUSE", "0.04"))
rate = float(os.environ.get("RATE", "0.6"))
BREITE = 24


def melde(text, stufe="INFO"):
    print(f"{time.strftime('%d.%m.%Y %H:%M:%S')} {stufe:5} [Arbeiter {ich}] {text}", flush=True)


def lies(leitung, n):
    daten = b""
    while len(daten) < n:
        stueck = leitung.recv(n - len(daten))
        if not stueck:
            #: closed
            raise ConnectionError("Leitung von der Gegenstelle geschlossen")
        daten += stueck
    return daten


class Verbund:
    def __init__(self):
        self.bau, self.andere = struct.Struct(f"{BREITE}d"), {}
        if ich == 0:
            tuer = socket.create_server(("127.0.0.1", port))
            while len(self.andere) < alle - 1:
                leitung, _ = tuer.accept()
                wer = struct.unpack("i", lies(leitung, 4))[0]
                self.andere[wer] = leitung
                melde(f"Arbeiter {wer} ist da ({len(self.andere) + 1} von {alle})")
        else:
            melde(f"suche Arbeiter 0 an 127.0.0.1:{port}")
            while True:
                try:
                    leitung = socket.create_connection(("127.0.0.1", port))
                    break
                except OSError:
                    time.sleep(0.3)
            leitung.sendall(struct.pack("i", ich))
            self.andere[0] = leitung

    def mittel(self, zahlen):
        if ich:
            self.andere[0].sendall(self.bau.pack(*zahlen))
            return self.bau.unpack(lies(self.andere[0], self.bau.size))
        summe = list(zahlen)
        for wer in sorted(self.andere):
            for k, z in enumerate(self.bau.unpack(lies(self.andere[wer], self.bau.size))):
                summe[k] += z
        summe = [s / alle for s in summe]
        for leitung in self.andere.values():
            leitung.sendall(self.bau.pack(*summe))
        return summe


wahr = [math.sin(3.0 * k) for k in range(BREITE)]
gewicht, wuerfel, ab = [0.0] * BREITE, random.Random(17 + ich), 1
#: early
verbund = Verbund()
melde(f"Verbund steht, {schritte} Schritte, Lernrate {rate}")
#: load
for schritt in range(ab, schritte + 1):
    beginn = time.time()
    #: data
    zeilen = [[wuerfel.choice((0, 0, 1)) for _ in range(BREITE)] for _ in range(64)]
    gradient, verlust = [0.0] * BREITE, 0.0
    for zeile in zeilen:
        klick = 1.0 if wuerfel.random() < 1 / (1 + math.exp(-2 * sum(a * b for a, b in zip(wahr, zeile)))) else 0.0
        p = 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(a * b for a, b in zip(gewicht, zeile))))))
        verlust -= math.log(max(1e-9, p if klick else 1 - p)) / 64
        for k, z in enumerate(zeile):
            gradient[k] += (p - klick) * z / 64
    #: loss
    rechnen = time.time() - beginn
    gradient = verbund.mittel(gradient)
    gewicht = [g - rate * d for g, d in zip(gewicht, gradient)]
    time.sleep(pause)
    if schritt % alle_n == 0:
        melde(f"Schritt {schritt}/{schritte} Verlust {verlust:.4f} Rechnen {rechnen:.3f}s gesamt {time.time() - beginn:.3f}s")
    #: after
#: late
melde(f"fertig nach {schritte} Schritten, Verlust {verlust:.4f}")
time.sleep(0.4 if ich == 0 else 0)
'''
SWARM = '''"""Evolution strategies for a gait controller; workers share their results on a board (SQLite)."""
import math
import os
import random
import sqlite3
import sys
import time

worker, workers = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
GENERATIONS, REPORT = int(os.environ.get("GENERATIONS", "80")), int(os.environ.get("REPORT", "4"))
SIGMA, STEP = 0.15, float(os.environ.get("STEP", "0.25"))
PAUSE = float(os.environ.get("PAUSE", "0.1"))


def status(line):
    print(f"w{worker:02d}> {line}", flush=True)


class Board:
    def __init__(self, path="board.sqlite"):
        self.db = sqlite3.connect(path, timeout=60, isolation_level=None)
        self.db.execute("create table if not exists results (generation int, worker int, fitness real, noise text, unique (generation, worker))")

    def publish(self, generation, fitness, noise):
        self.db.execute("insert or replace into results values (?, ?, ?, ?)", (generation, worker, fitness, " ".join(map(repr, noise))))

    def collect(self, generation):
        while True:
            rows = self.db.execute("select worker, fitness, noise from results where generation = ? order by worker", (generation,)).fetchall()
            if len(rows) == workers:
                return [(w, f, [float(v) for v in n.split()]) for w, f, n in rows]
            #: waiting
            time.sleep(0.05)


def reward(gait):
    swing = sum((g - math.cos(k)) ** 2 for k, g in enumerate(gait))
    return 120 / (1 + swing) + random.gauss(0, 0.6)


gait, born = [0.0] * 10, 1
#: early
board = Board()
status(f"up, waiting for {workers} workers on the board")
board.publish(0, 0.0, [0.0])
board.collect(0)
status("everybody has signed the board")
#: load
for generation in range(born, GENERATIONS + 1):
    random.seed(generation * 1000 + worker)
    #: data
    trials = []
    for _ in range(8):
        noise = [random.gauss(0, 1) for _ in gait]
        #: trial
        trials.append((reward([g + SIGMA * n for g, n in zip(gait, noise)]) - reward([g - SIGMA * n for g, n in zip(gait, noise)]), noise))
    pull = [sum(f * n[k] for f, n in trials) / len(trials) for k in range(len(gait))]
    fitness = reward(gait)
    #: fitness
    board.publish(generation, fitness, pull)
    crowd = board.collect(generation)
    total = [sum(n[k] for _, _, n in crowd) / workers for k in range(len(gait))]
    size = math.sqrt(sum(v * v for v in total)) or 1.0
    gait = [g + STEP * v / size * min(1.0, size / 10) for g, v in zip(gait, total)]
    time.sleep(PAUSE)
    if generation % REPORT == 0 and worker == 0:
        mean = sum(f for _, f, _ in crowd) / workers
        status(f"generation {generation:>4} of {GENERATIONS}   mean reward {mean:8.3f}   best {max(f for _, f, _ in crowd):8.3f}   loss {120 - mean:8.3f}")
    #: after
#: late
status(f"evolution finished, {GENERATIONS} generations")
'''
FACTORS = r'''/* Matrix factors by stochastic gradient descent over ratings. cc -O2 -g -o factors factors.c -lm */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define USERS 200
#define FILMS 120
#define K 8

static double u[USERS][K], f[FILMS][K], tu[USERS][K], tf[FILMS][K];

static double uniform(void) { return rand() / (RAND_MAX + 1.0) - 0.5; }

int main(int argc, char **argv)
{
    int epochs = argc > 1 ? atoi(argv[1]) : 60;
    double rate = argc > 2 ? atof(argv[2]) : 0.02;
    int pause_ms = argc > 3 ? atoi(argv[3]) : 60, from = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    srand(atoi(getenv("SLURM_ARRAY_TASK_ID") ? getenv("SLURM_ARRAY_TASK_ID") : "1"));
    printf("factors: %d users, %d films, rank %d, rate %g, %d epochs\n", USERS, FILMS, K, rate, epochs);
    //: early
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < USERS; i++) { tu[i][k] = uniform(); u[i][k] = 0.6 * uniform(); }
        for (int j = 0; j < FILMS; j++) { tf[j][k] = uniform(); f[j][k] = 0.6 * uniform(); }
    }
    //: load
    for (int epoch = from; epoch <= epochs; epoch++) {
        double sum = 0;
        clock_t began = clock();
        for (int n = 0; n < 20000; n++) {
            int i = rand() % USERS, j = rand() % FILMS;
            double want = 0, is = 0;
            for (int k = 0; k < K; k++) { want += 4 * tu[i][k] * tf[j][k]; is += u[i][k] * f[j][k]; }
            double e = want + 0.05 * uniform() - is;
            sum += e * e;
            for (int k = 0; k < K; k++) { double a = u[i][k]; u[i][k] += rate * e * f[j][k]; f[j][k] += rate * e * a; }
        }
        //: data
        usleep(1000 * pause_ms);
        printf("epoch %3d/%d  rmse %.5f  %.0f ratings/s\n", epoch, epochs, sqrt(sum / 20000), 20000 / (1e-9 + (clock() - began) / (double)CLOCKS_PER_SEC));
        //: after
    }
    //: late
    printf("factors: done, %d epochs\n", epochs);
    return 0;
}
'''
MINNOW = '''#!/bin/bash
# one cell of the sweep: awk perceptron on a small table, a step of the shell per epoch
cell=${SLURM_ARRAY_TASK_ID:-0}
epochs=${EPOCHS:-60}
pause=${PAUSE:-0.2}
rate=${RATE:-0.1}
say() { printf '%(%FT%T)T cell=%s %s\\n' -1 "$cell" "$*"; }
work=cell_$cell
#: early
mkdir -p "$work"
awk -v s="$cell" 'BEGIN { srand(s + 3); for (i = 0; i < 300; i++) { a = rand() - .5; b = rand() - .5; print a, b, (2 * a - b + .1 * (rand() - .5) > 0) ? 1 : -1 } }' > "$work/rows.txt"
say "rows=$(wc -l < "$work/rows.txt") rate=$rate epochs=$epochs"
[ -s "$work/weights" ] || echo "0 0 0" > "$work/weights"
from=1
#: load
for ((epoch = from; epoch <= epochs; epoch++)); do
    read -r w0 w1 w2 < "$work/weights"
    #: data
    line=$(awk -v w0="$w0" -v w1="$w1" -v w2="$w2" -v rate="$rate" '{ z = w0 + w1 * $1 + w2 * $2; m = $3 * z; l = log(1 + exp(-m)); sum += l; g = -$3 / (1 + exp(m)); w0 -= rate * g; w1 -= rate * g * $1; w2 -= rate * g * $2; if (m <= 0) bad++ } END { printf "%.5f %.3f %.6f %.6f %.6f", sum / NR, 1 - bad / NR, w0, w1, w2 }' "$work/rows.txt")
    read -r loss acc w0 w1 w2 <<< "$line"
    echo "$w0 $w1 $w2" > "$work/weights"
    say "epoch=$epoch loss=$loss accuracy=$acc"
    sleep "$pause"
    #: after
done
#: late
say "finished epochs=$epochs loss=$loss"
'''
PERLEN = '''#!/usr/bin/perl
# word vectors by negative sampling, small corpus, one process
use strict;
use warnings;
use Time::HiRes qw(time sleep);
$| = 1;
my $passes = $ENV{PASSES} // 50;
my $nap    = $ENV{NAP} // 0.15;
my $rate   = $ENV{RATE} // 0.08;
srand($ENV{SEED} // 4);
my @text = split ' ', join ' ', map { ('the sun warms the sea and the moon moves the tide', 'a tide lifts the boat and a wind turns the boat', 'the wind cools the sun lit sand by the sea') } 1 .. 12;
my %in;
my $dim = 8;
my (%v, %c);
for my $w (@text) { $v{$w} //= [map { rand() - 0.5 } 1 .. $dim]; $c{$w} //= [map { rand() - 0.5 } 1 .. $dim]; }
my @words = sort keys %v;
#: early
printf "perlen: %d tokens, %d words, dim %d\\n", scalar @text, scalar @words, $dim;
my $first = 1;
#: load
for my $pass ($first .. $passes) {
    my ($loss, $n, $t0) = (0, 0, time);
    #: data
    for my $i (1 .. $#text) {
        for my $pair ([$text[$i - 1], 1], [$words[rand @words], 0]) {
            my ($a, $b) = ($v{$text[$i]}, $c{$pair->[0]});
            my $z = 0;
            $z += $a->[$_] * $b->[$_] for 0 .. $dim - 1;
            my $p = 1 / (1 + exp(-$z));
            $loss -= log(($pair->[1] ? $p : 1 - $p) + 1e-12);
            $n++;
            my $g = $rate * ($pair->[1] - $p);
            for (0 .. $dim - 1) { my $old = $a->[$_]; $a->[$_] += $g * $b->[$_]; $b->[$_] += $g * $old; }
        }
    }
    sleep $nap;
    printf "pass %d/%d avg_loss=%.4f (%.2fs)\\n", $pass, $passes, $loss / $n, time - $t0;
    #: after
}
#: late
print "perlen: trained $passes passes\\n";
'''
FILES = {"KLICKS": "klicks.py", "SWARM": "swarm.py", "FACTORS": "factors.c", "MINNOW": "minnow.sh", "PERLEN": "perlen.pl"}
