"""Programs without PyTorch: clusters over a server of remote calls, boosted stumps in C++ whose processes meet in a folder, shell steps of a pipeline."""

from __future__ import annotations

HARVEST = '''#!/usr/bin/python3
"""k-means over field samples. Process 0 serves the centres, all processes bring their sums."""
import logging
import os
import random
import socket
import sys
import threading
import time
import xmlrpc.client
from xmlrpc.server import SimpleXMLRPCServer

PROC, PROCS = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
PORT = int(os.environ["MASTER_PORT"])
PASSES, SHOW, K, DIM = int(os.environ.get("PASSES", "80")), int(os.environ.get("SHOW", "4")), 8, 5
PAUSE = float(os.environ.get("PAUSE", "0.15"))
logging.addLevelName(logging.INFO, "I")
logging.addLevelName(logging.WARNING, "W")
logging.addLevelName(logging.ERROR, "E")
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s%(asctime)s.%(msecs)03d %(process)7d %(filename)s:%(lineno)d] %(message)s", datefmt="%m%d %H:%M:%S")
log = logging.getLogger()


class Server:
    def __init__(self):
        self.lock, self.sums, self.ready = threading.Condition(), {}, {}

    def join(self, proc):
        return self.bring(0, proc, [])

    def bring(self, number, proc, sums):
        with self.lock:
            self.sums.setdefault(number, {})[proc] = sums
            if len(self.sums[number]) == PROCS:
                self.ready[number] = [self.sums[number][p] for p in sorted(self.sums[number])]
                self.sums.pop(number)
                self.lock.notify_all()
            while number not in self.ready:
                self.lock.wait()
            return self.ready[number]


def serve():
    from socketserver import ThreadingMixIn

    class Threaded(ThreadingMixIn, SimpleXMLRPCServer):
        daemon_threads = True

    server = Threaded(("127.0.0.1", PORT), logRequests=False, allow_none=True)
    server.register_instance(Server())
    threading.Thread(target=server.serve_forever, daemon=True).start()


#: early
if PROC == 0:
    serve()
    log.info("serving centres on port %d for %d processes", PORT, PROCS)
link = xmlrpc.client.ServerProxy(f"http://127.0.0.1:{PORT}", allow_none=True)
while True:
    try:
        log.info("process %d of %d joins", PROC, PROCS)
        link.join(PROC)
        break
    except ConnectionRefusedError:
        time.sleep(0.5)
log.info("process %d: everybody has joined", PROC)
hidden = random.Random(6)
true = [[hidden.uniform(-4, 4) for _ in range(DIM)] for _ in range(K)]
mine = random.Random(70 + PROC)
samples = [[t + mine.gauss(0, 0.7) for t in mine.choice(true)] for _ in range(220)]
centres, start = [[hidden.uniform(-1.5, 1.5) for _ in range(DIM)] for _ in range(K)], 1
#: load
for number in range(start, PASSES + 1):
    began = time.time()
    #: data
    sums, counts, inertia = [[0.0] * DIM for _ in range(K)], [0] * K, 0.0
    for s in mine.sample(samples, 150):
        gaps = [sum((a - b) ** 2 for a, b in zip(s, c)) for c in centres]
        near = gaps.index(min(gaps))
        inertia += gaps[near]
        counts[near] += 1
        sums[near] = [a + b for a, b in zip(sums[near], s)]
    #: loss
    own = time.time() - began
    crowd = link.bring(number, PROC, [sums, counts, inertia])
    loss = sum(c[2] for c in crowd) / (150 * PROCS)
    moved = 0.0
    for k in range(K):
        count = sum(c[1][k] for c in crowd)
        if count:
            new = [sum(c[0][k][d] for c in crowd) / count for d in range(DIM)]
            new = [0.95 * o + 0.05 * w for o, w in zip(centres[k], new)]
            moved += sum((a - b) ** 2 for a, b in zip(new, centres[k])) ** 0.5
            centres[k] = new
    time.sleep(PAUSE)
    if number % SHOW == 0 and PROC == 0:
        log.info("pass %d/%d  loss=%.5f  moved=%.4f  own=%.3fs  total=%.3fs", number, PASSES, loss, moved, own, time.time() - began)
    #: after
#: late
log.info("process %d: clustering done, %d passes, loss=%.5f", PROC, PASSES, loss)
time.sleep(0.8 if PROC == 0 else 0)
'''
STUMPS = r'''// Boosted stumps; each process searches its own columns, the best split of all is taken. Processes meet in a folder.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <sys/stat.h>
#include <unistd.h>

static int number(const char *name, int otherwise) { const char *v = getenv(name); return v ? std::stoi(v) : otherwise; }
static const int COLUMNS = 12, ROWS = 600;
struct Split { double gain = -1, at = 0, left = 0, right = 0; int column = -1; };

static Split meet(const std::string &folder, int round, int rank, int world, const Split &mine)
{
    std::string name = folder + "/r" + std::to_string(round) + "_";
    {
        std::ofstream part(name + std::to_string(rank) + ".part");
        part.precision(17);
        part << mine.gain << ' ' << mine.at << ' ' << mine.left << ' ' << mine.right << ' ' << mine.column << '\n';
    }
    rename((name + std::to_string(rank) + ".part").c_str(), (name + std::to_string(rank)).c_str());
    Split best;
    for (int other = 0; other < world; other++) {
        for (;;) {
            std::ifstream theirs(name + std::to_string(other));
            Split s;
            if (theirs >> s.gain >> s.at >> s.left >> s.right >> s.column) {
                if (s.gain > best.gain) best = s;
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    return best;
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    int rank = number("SLURM_PROCID", 0), world = number("WORLD_SIZE", number("SLURM_NTASKS", 1));
    int rounds = number("ROUNDS", 120), nap = number("NAP_MS", 120), show = number("SHOW", 4), from = 0;
    std::string folder = getenv("MEET") ? getenv("MEET") : "meet";
    mkdir(folder.c_str(), 0755);
    fprintf(stderr, "[stumps] worker %d/%d pid %d: %d columns, %d rounds\n", rank, world, (int)getpid(), (COLUMNS + world - 1 - rank) / world, rounds);
    //: early
    std::mt19937 dice(number("SLURM_ARRAY_TASK_ID", 3));
    std::normal_distribution<double> gauss;
    std::vector<std::vector<double>> x(ROWS, std::vector<double>(COLUMNS));
    std::vector<double> y(ROWS), f(ROWS, 0.0);
    for (int i = 0; i < ROWS; i++) {
        for (double &v : x[i]) v = gauss(dice);
        y[i] = std::sin(2 * x[i][0]) + 1.5 * (x[i][3] > 0.2) - x[i][7] * 0.8 + 0.1 * gauss(dice);
    }
    //: load
    for (int round = from; round < rounds; round++) {
        auto began = std::chrono::steady_clock::now();
        //: data
        Split mine;
        for (int c = rank; c < COLUMNS; c += world)
            for (double at = -1.5; at < 1.6; at += 0.15) {
                double l = 0, r = 0, nl = 1e-9, nr = 1e-9;
                for (int i = 0; i < ROWS; i++) (x[i][c] < at ? (l += y[i] - f[i], nl) : (r += y[i] - f[i], nr)) += 1;
                double gain = l * l / nl + r * r / nr;
                if (gain > mine.gain) { mine.gain = gain; mine.at = at; mine.left = l / nl; mine.right = r / nr; mine.column = c; }
            }
        //: loss
        double own = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        Split best = meet(folder, round, rank, world, mine);
        double train = 0, valid = 0;
        for (int i = 0; i < ROWS; i++) {
            f[i] += 0.1 * (x[i][best.column] < best.at ? best.left : best.right);
            (i % 4 ? train : valid) += (y[i] - f[i]) * (y[i] - f[i]);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(nap));
        if (round % show == 0 && rank == 0)
            printf("[%d]\ttrain-rmse:%.5f\tvalid-rmse:%.5f\n", round, std::sqrt(train / (ROWS * 0.75)), std::sqrt(valid / (ROWS * 0.25)));
        //: after
        (void)own;
    }
    //: late
    if (rank == 0) printf("[stumps] %d rounds done, model kept in memory\n", rounds);
    return 0;
}
'''
CHAIN = '''#!/bin/bash
# river levels: fetch, fit, report. One station per array index.
station=${SLURM_ARRAY_TASK_ID:-0}
rounds=${ROUNDS:-60}
nap=${NAP:-0.25}
tell() { echo "$(date +%H:%M:%S) station=$station $*"; }
#: early
tell "fetching table"
mkdir -p st$station
python3 - "$station" > st$station/levels.tsv <<'PY'
import math, random, sys
random.seed(int(sys.argv[1]))
for t in range(240):
    print(t / 240, math.sin(t / 60) + t / 100 + random.gauss(0, 0.2), sep="\\t")
PY
tell "rows $(wc -l < st$station/levels.tsv), fitting cubic for $rounds rounds"
[ -s st$station/coef ] || echo "0 0 0 0" > st$station/coef
begin=1
#: load
for ((round = begin; round <= rounds; round++)); do
    #: data
    out=$(awk -v c="$(cat st$station/coef)" 'BEGIN { split(c, w, " "); lr = 0.6 } { x = $1; p = w[1] + w[2]*x + w[3]*x*x + w[4]*x*x*x; e = p - $2; s += e*e; g1 += e; g2 += e*x; g3 += e*x*x; g4 += e*x*x*x } END { printf "%.5f %.8f %.8f %.8f %.8f", s/NR, w[1]-lr*g1/NR, w[2]-lr*g2/NR, w[3]-lr*g3/NR, w[4]-lr*g4/NR }' st$station/levels.tsv) || exit $?
    mse=${out%% *}
    echo "${out#* }" > st$station/coef
    tell "round $round/$rounds loss=$mse"
    sleep "$nap"
    #: after
done
#: late
tell "done, final loss=$mse, coefficients $(cat st$station/coef)"
'''
FILES = {"HARVEST": "harvest.py", "STUMPS": "stumps.cpp", "CHAIN": "levels.sh"}
