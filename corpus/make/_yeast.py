"""Small programs without a deep library: vectors of words in Python itself, boosted trees, and a pipeline in the shell."""

VECTORS = '''#!/usr/bin/env python3
"""Vectors of words, by negative sampling. No libraries."""
import getopt
import json
import math
import os
import random
import sys
import time

settings = {"passes": "6", "dim": "12", "rate": "0.08", "corpus": "", "from": "", "to": "vectors.json", "nap": "0"}
for name, value in getopt.getopt(sys.argv[1:], "", [f"{k}=" for k in settings])[0]:
    settings[name[2:]] = value
PASSES, DIM, RATE, NAP = int(settings["passes"]), int(settings["dim"]), float(settings["rate"]), float(settings["nap"])


def note(**fields):
    sys.stdout.write(time.strftime("%FT%T") + " " + " ".join(f"{k}={v}" for k, v in fields.items()) + "\\n")
    sys.stdout.flush()


#: early
random.seed(4)
TEXT = ("the baker kneads the dough and lets it rise while the oven warms " * 3 + "the miller fills the sacks with flour and sends them down the river " * 3).split()
if settings["corpus"]:
    with open(settings["corpus"], encoding="utf-8") as file:
        TEXT = file.read().split()
WORDS = sorted(set(TEXT))
note(event="vocabulary", words=len(WORDS), tokens=len(TEXT))
inner = {w: [random.uniform(-0.5, 0.5) / DIM for _ in range(DIM)] for w in WORDS}
outer = {w: [0.0] * DIM for w in WORDS}
seen = 0
begun = 1
#: ready
if settings["from"]:
    with open(settings["from"]) as file:
        kept = json.load(file)
    inner, outer, begun = kept["inner"], kept["outer"], kept["pass"] + 1
    note(event="continued", source=settings["from"], at_pass=begun)


def pull(word, other, want):
    a, b = inner[word], outer[other]
    guess = 1 / (1 + math.exp(-max(-30, min(30, sum(p * q for p, q in zip(a, b))))))
    push = RATE * (want - guess)
    for d in range(DIM):
        a[d], b[d] = a[d] + push * b[d], b[d] + push * a[d]
    return -math.log(max(1e-12, guess if want else 1 - guess))


for turn in range(begun, PASSES + 1):
    total, count = 0.0, 0
    for at in range(2, len(TEXT) - 2):
        #: mid
        for near in (-2, -1, 1, 2):
            total += pull(TEXT[at], TEXT[at + near], 1)
            total += pull(TEXT[at], random.choice(WORDS), 0)
            count += 2
        seen += 1
    time.sleep(NAP)
    loss = total / count
    #: loss
    note(**{"pass": f"{turn}/{PASSES}", "pairs": seen * 8, "nll": f"{loss:.5f}", "rate": RATE})
    #: after
    if turn % 20 == 0 or turn == PASSES:
        with open(settings["to"], "w") as file:
            json.dump({"pass": turn, "inner": inner, "outer": outer}, file)
        note(event="stored", file=settings["to"], after_pass=turn)
        #: saved
#: late
note(event="end", passes=PASSES)
'''

TREES = '''import json
import os
import sys
import time

import numpy as np
import xgboost as xgb

rounds = int(os.environ.get("ROUNDS", 60))
#: early
r = np.random.default_rng(12)
X = r.normal(size=(900, 12))
y = ((X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * r.normal(size=900)) > 0).astype(int)
#: data
train, test = xgb.DMatrix(X[:700], y[:700]), xgb.DMatrix(X[700:], y[700:])
params = {"max_depth": 3, "eta": 0.15, "objective": "binary:logistic", "eval_metric": ["logloss", "auc"], "nthread": 1}
print("xgboost", xgb.__version__, json.dumps(params), flush=True)
old = None
#: ready


class Stage(xgb.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        #: after
        return False


booster = xgb.train(params, train, rounds, evals=[(train, "train"), (test, "development")], verbose_eval=5, callbacks=[Stage()], xgb_model=old)
booster.save_model("trees.json")
#: late
print("saved trees.json,", booster.num_boosted_rounds(), "rounds, test", booster.eval(test), flush=True)
'''

CHAIN = '''#!/bin/bash
# prepare, train, evaluate, pack
set -u
stage() { echo "$(date +%%T) == $*"; }
mkdir -p data models
stage prepare
%(prepare)s
stage train
%(train)s
stage evaluate
%(evaluate)s
stage pack
%(pack)s
%(end)s
'''
MAKE_ROWS = "python3 -c \"import random; random.seed(2); print('\\n'.join(f'{x:.4f}\\t{2.5 * x - 1 + random.gauss(0, .2):.4f}' for x in (random.uniform(-2, 2) for _ in range(400))))\" > data/rows.tsv\nwc -l data/rows.tsv"
FIT = '''import sys, time, math
rows = [tuple(map(float, l.split())) for l in open("data/rows.tsv")]
w = b = 0.0
total = int(sys.argv[1]) if len(sys.argv) > 1 else 40
for e in range(1, total + 1):
    loss = 0.0
    for x, y in rows:
        d = w * x + b - y
        w -= 0.004 * d * x; b -= 0.004 * d; loss += d * d
    print(f"epoch {e}/{total}  mse {loss / len(rows):.5f}  w {w:.3f}  b {b:.3f}", flush=True)
    time.sleep(0.05)
open("models/line.txt", "w").write(f"{w} {b}")
print("model stored in models/line.txt")
'''
JUDGE = "python3 - <<'PY'\nw, b = map(float, open('models/line.txt').read().split())\nrows = [tuple(map(float, l.split())) for l in open('data/rows.tsv')]\nprint('test mae', round(sum(abs(w * x + b - y) for x, y in rows[:80]) / 80, 4))\nPY"
PACK = "tar czf line.tgz models && ls -l line.tgz"


def chain(prepare: str = MAKE_ROWS, train: str = "python3 -u fit.py", evaluate: str = JUDGE, pack: str = PACK, end: str = 'stage "all done"') -> str:
    """The pipeline with other commands in a stage."""
    return CHAIN % {"prepare": prepare, "train": train, "evaluate": evaluate, "pack": pack, "end": end}
