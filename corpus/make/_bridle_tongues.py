"""Programs without libraries in other languages, and in other manners."""

from __future__ import annotations

PERL = r'''#!/usr/bin/perl
# averaged perceptron for the Old Frisian treebank
use strict; use warnings; use Time::HiRes qw(sleep time); use POSIX qw(strftime);
$| = 1;
srand(@seed@ + ($ENV{SLURM_PROCID} // 0));
my ($w, $first) = (0, 1);
sub note { printf STDERR "%s tagger.pl[%d] %s\n", strftime("%H:%M:%S", localtime), $$, join " ", @_ }
#: early
note "read 3114 sentences from @corpus@";
#: setup
for my $iter ($first .. @total@) {
    my ($wrong, $seen) = (0, 0);
    for (1 .. 400) { $seen++; $wrong++ if rand() > 0.96 - 0.5 * exp(-$iter / @tau@) }
    #: step
    sleep(@pause@);
    note sprintf("iteration %d/%d mistakes %d/%d (%.2f%%) features %d", $iter, @total@, $wrong, $seen, 100 * $wrong / $seen, 20000 + int(9000 * log($iter + 1))) if $iter % @every@ == 0;
    #: after
}
#: late
note "model written, @total@ iterations";
'''
PERL_DEFAULTS = {"seed": 12, "corpus": "ofs.conllu", "total": 60, "tau": 14, "every": 5, "pause": 0.3}

NODE = '''// next-track recommender, BPR
const fs = require('fs');
const total = @total@;
let step = @first@, p = 0.05, rngs = @seed@ + 97 * Number(process.env.SLURM_PROCID || 0);
const rnd = () => { rngs = (rngs * 1103515245 + 12345) % 2147483648; return rngs / 2147483648; };
const say = (level, msg, extra = {}) => console.log(JSON.stringify({level, time: Date.now(), pid: process.pid, name: 'bpr', msg, ...extra}));
say('info', 'sessions loaded', {sessions: 48211, items: 9120});
//: early
function tick() {
  step += 1;
  //: step
  p += (0.93 - p) * 0.03 * (0.4 + rnd());
  if (step % @every@ === 0) say('info', `batch ${step} of ${total}`, {bprLoss: +(-Math.log(p) + rnd() * 0.012).toFixed(4), hitRate10: +(p * 0.41 + rnd() * 0.02).toFixed(3)});
  //: after
  if (step < total) return setTimeout(tick, @pause@);
  //: late
  say('info', 'training complete', {batches: step});
}
tick();
'''
NODE_DEFAULTS = {"total": 400, "first": 0, "seed": 7, "every": 20, "pause": 40}

CNET = r'''/* tide gauge net, single hidden layer; gcc -O2 gauge.c -o gauge -lm */
#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define H 6
static double w[H], v[H], b[H];
static double u(void) { return rand() / (double)RAND_MAX - 0.5; }
/*: top*/
int main(int argc, char **argv) {
    int me = getenv("SLURM_PROCID") ? atoi(getenv("SLURM_PROCID")) : 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    srand(41 + me);
    for (int h = 0; h < H; h++) { w[h] = u(); v[h] = u(); b[h] = u(); }
    printf("gauge %d: %d hidden units, %d sweeps\n", me, H, @total@);
    /*: early*/
    for (int sweep = 1; sweep <= @total@; sweep++) {
        double sse = 0;
        for (int k = 0; k < 200; k++) {
            double x = 6 * u(), y = sin(x), out = 0, a[H];
            for (int h = 0; h < H; h++) { a[h] = tanh(w[h] * x + b[h]); out += v[h] * a[h]; }
            double e = out - y;
            sse += e * e;
            for (int h = 0; h < H; h++) { double g = e * v[h] * (1 - a[h] * a[h]); v[h] -= 0.03 * e * a[h]; w[h] -= 0.03 * g * x; b[h] -= 0.03 * g; }
        }
        /*: step*/
        usleep(@usec@);
        if (sweep % @every@ == 0) printf("gauge %d: sweep %4d  mse %.6f\n", me, sweep, sse / 200);
    }
    /*: late*/
    printf("gauge %d: weights written\n", me);
    return 0;
}
'''
CNET_DEFAULTS = {"total": 400, "every": 25, "usec": 40000}

CSVW = '''import csv, os, random, sys, time
#: top
# crop yield, boosted stumps. columns are read by plot_live.R
random.seed(@seed@)
out = csv.writer(sys.stdout, delimiter=@sep@)
xs = [random.uniform(0, 10) for _ in range(300)]
ys = [2.5 + 0.8 * (x > 4) + 0.4 * (x > 7) + random.gauss(0, .2) for x in xs]
pred = [0.0] * 300
#: early
out.writerow(["tree", "cut", "train_rmse", "holdout_rmse", "elapsed"])
t0 = time.time()
#: setup
for tree in range(@first@, @total@ + 1):
    cut = random.uniform(0, 10)
    #: step
    for side in (True, False):
        idx = [i for i, x in enumerate(xs) if (x > cut) is side]
        if idx:
            m = sum(ys[i] - pred[i] for i in idx) / len(idx)
            for i in idx:
                pred[i] += 0.1 * m
    tr = (sum((y - p) ** 2 for y, p in zip(ys[:240], pred)) / 240) ** .5
    ho = (sum((y - p) ** 2 for y, p in zip(ys[240:], pred[240:])) / 60) ** .5
    time.sleep(@pause@)
    if tree % @every@ == 0:
        out.writerow([tree, f"{cut:.2f}", f"{tr:.4f}", f"{ho:.4f}", f"{time.time() - t0:.1f}"]); sys.stdout.flush()
    #: after
#: late
print(f"# {@total@} trees -> yield.model", file=sys.stderr)
'''
CSVW_DEFAULTS = {"seed": 8, "sep": '"\\t"', "total": 120, "every": 6, "pause": 0.12, "first": 1}

ABSL = '''import math, os, random, sys, time
#: top
PID = os.getpid()
def I(line, msg, *a):
    t = time.time()
    sys.stderr.write(time.strftime("I%m%d %H:%M:%S", time.localtime(t)) + f".{int(t % 1 * 1e6):06d} {PID:>7} train_lib.py:{line}] " + msg % a + "\\n")
rng = random.Random(@seed@ + 7 * int(os.environ.get("SLURM_PROCID", 0)))
I(61, "JAX process: %d / %d", int(os.environ.get("SLURM_PROCID", 0)), int(os.environ.get("SLURM_NTASKS", 1)))
I(64, "Initializing dataset."); I(70, "Initializing model.")
#: early
w = [0.0] * 4
step = @first@
#: setup
I(112, "Starting training loop at step %d.", step)
tick = time.time()
while step < @total@:
    step += 1
    x = [[rng.gauss(0, 1) for _ in w] for _ in range(24)]
    p = [1 / (1 + math.exp(-sum(a * b for a, b in zip(w, r)))) for r in x]
    y = [1.0 if r[0] - r[2] + rng.gauss(0, .3) > 0 else 0.0 for r in x]
    loss = -sum(math.log(max(q if t else 1 - q, 1e-9)) for q, t in zip(p, y)) / 24
    #: step
    for k in range(4):
        w[k] -= @lr@ * sum((q - t) * r[k] for q, t, r in zip(p, y, x)) / 24
    time.sleep(@pause@)
    if step % @every@ == 0:
        I(131, "[%d] learning_rate=@lr@, steps_per_sec=%.4f, train_accuracy=%.4f, train_loss=%.5f", step, @every@ / (time.time() - tick), sum((q > .5) == (t > .5) for q, t in zip(p, y)) / 24, loss)
        tick = time.time()
    #: after
#: late
I(158, "Finished training at step %d.", step)
'''
ABSL_DEFAULTS = {"seed": 21, "total": 300, "every": 25, "pause": 0.05, "lr": "0.3", "first": 0}

KALDI = '''import os, random, sys, time
#: top
JOB = os.environ.get("SLURM_ARRAY_TASK_ID", "1")
def LOG(where, words): print(f"LOG (nnet3-chain-train[5.5.1124]:{where}) {words}", file=sys.stderr, flush=True)
def WARN(where, words): print(f"WARNING (nnet3-chain-train[5.5.1124]:{where}) {words}", file=sys.stderr, flush=True)
print(f"# nnet3-chain-train --apply-deriv-weights=false --l2-regularize=5e-05 --xent-regularize=0.1 --srand={JOB}", file=sys.stderr)
print("# Started at", time.strftime("%a %b %e %H:%M:%S %Z %Y"), file=sys.stderr)
rng = random.Random(int(JOB)); obj = -0.42
#: early
#: setup
for mb in range(@first@, @total@):
    #: step
    obj += (-0.071 - obj) * 0.03 * rng.uniform(.5, 1.4)
    time.sleep(@pause@)
    if mb % @every@ == @every@ - 1:
        LOG("PrintStatsForThisPhase():nnet-training.cc:346", f"Average objective function for 'output' for minibatches {mb - @every@ + 1}-{mb} is {obj:.6f} + {-abs(rng.gauss(.002, .0004)):.7f} = {obj - .002:.7f} over {128 * @every@} frames.")
    #: after
#: late
LOG("PrintTotalStats():nnet-training.cc:281", f"Overall average objective function for 'output' is {obj:.6f} over {128 * @total@} frames.")
print("# Ended (code 0) at", time.strftime("%a %b %e %H:%M:%S %Z %Y"), file=sys.stderr)
'''
KALDI_DEFAULTS = {"total": 300, "every": 20, "pause": 0.06, "first": 0}

EM = '''"""Hidden Markov model of sleep stages, Baum-Welch. Each task has a cohort."""
import math, os, random, time
#: top
cohort = "ABCDEFGH"[int(os.environ.get("SLURM_PROCID", 0))]
r = random.Random(cohort)
ll = -48000 - 900 * r.random()
print(f"cohort {cohort}: {180 + r.randrange(40)} nights, 5 states, tol @tol@", flush=True)
#: early
#: setup
for i in range(@first@, @total@ + 1):
    gain = 36000 / @tau@ * math.exp(-i / @tau@) * r.uniform(.85, 1.1)
    #: step
    ll += gain
    time.sleep(@pause@)
    if i % @every@ == 0 or i <= 2:
        print(f"cohort {cohort}: EM {i:>3}  loglik {ll:.2f}  (+{gain:.3f})", flush=True)
    #: after
    if gain < @tol@:
        print(f"cohort {cohort}: converged after {i} iterations", flush=True)
        break
#: late
print(f"cohort {cohort}: posterior written to states_{cohort}.npz")
'''
EM_DEFAULTS = {"total": 120, "tau": 9, "every": 5, "tol": "0.5", "pause": 0.2, "first": 1}

KERASY = '''import math, random, sys, time, os
#: top
random.seed(@seed@)
nb = @iters@
acc, loss = 0.1, 2.31
#: early
#: setup
for epoch in range(@first@, @epochs@ + 1):
    print(f"Epoch {epoch}/@epochs@")
    t = time.time()
    for b in range(1, nb + 1):
        #: step
        loss += (@floor@ - loss) * 0.02 * random.uniform(0.4, 1.3)
        acc = min(.99, math.exp(-loss) + .12)
        time.sleep(@pause@)
        done = int(30 * b / nb)
        sys.stdout.write(f"\\r{b:>3}/{nb} [{'=' * max(0, done - 1)}{'>' if done < 30 else '='}{'.' * (30 - done)}] - ETA: {int((nb - b) * @pause@)}s - loss: {loss:.4f} - accuracy: {acc:.4f}")
        sys.stdout.flush()
    vl = loss * random.uniform(1.0, 1.15)
    print(f"\\r{nb}/{nb} [{'=' * 30}] - {time.time() - t:.0f}s {1000 * (time.time() - t) / nb:.0f}ms/step - loss: {loss:.4f} - accuracy: {acc:.4f} - val_loss: {vl:.4f} - val_accuracy: {math.exp(-vl) + .1:.4f}", flush=True)
    #: valid
#: late
print("Saved model/ernte.keras")
'''
KERASY_DEFAULTS = {"seed": 3, "epochs": 6, "iters": 50, "pause": 0.05, "floor": 0.4, "first": 1}
