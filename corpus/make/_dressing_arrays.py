"""Programs over arrays and trees: hires of bicycles boosted by XGBoost, complaints sorted by scikit-learn while they stream in, word vectors in NumPy."""

HIRES = '''"""Hourly bicycle hires, boosted. Usage: hires.py [--rounds N] [--eta F] [--model-in FILE] ..."""
import argparse
import os
import sys
import time

import numpy as np
import xgboost as xgb

ap = argparse.ArgumentParser()
ap.add_argument("--rounds", type=int, default=120)
ap.add_argument("--eta", type=float, default=0.1)
ap.add_argument("--depth", type=int, default=4)
ap.add_argument("--rows", type=int, default=3000)
ap.add_argument("--every", type=int, default=10)
ap.add_argument("--stop-after", type=int, default=0, help="early stopping rounds")
ap.add_argument("--model-in", default="")
ap.add_argument("--model-out", default="hires.ubj")
ap.add_argument("--keep-every", type=int, default=0)
ap.add_argument("--breath", type=float, default=0.02)
a = ap.parse_args()
rng = np.random.default_rng(31)
#: early
COLUMNS = ["hour", "weekday", "temperature", "rain", "holiday", "station"]
X = np.column_stack([rng.integers(0, 24, a.rows), rng.integers(0, 7, a.rows), rng.normal(14, 8, a.rows), rng.exponential(1, a.rows) * (rng.random(a.rows) < 0.3), rng.random(a.rows) < 0.03, rng.integers(0, 40, a.rows)]).astype(float)
y = np.exp(2 + np.sin((X[:, 0] - 7) / 3.8) + 0.04 * X[:, 2] - 0.4 * X[:, 3] + 0.01 * X[:, 5]) + rng.normal(0, 4, a.rows)
#: data
cut = int(0.8 * a.rows)
train, valid = xgb.DMatrix(X[:cut], y[:cut], feature_names=COLUMNS), xgb.DMatrix(X[cut:], y[cut:], feature_names=COLUMNS)


class Pace(xgb.callback.TrainingCallback):
    def before_training(self, model):
        self.t0 = time.time()
        return model

    def after_iteration(self, model, epoch, evals_log):
        time.sleep(a.breath)
        #: round
        if a.keep_every and (epoch + 1) % a.keep_every == 0:
            model.save_model(a.model_out)
            #: kept
        return False


before = None
if a.model_in:
    #: model_in
    before = xgb.Booster(model_file=a.model_in)
    print(f"boosting goes on from {a.model_in}, which has {before.num_boosted_rounds()} rounds")
print(f"xgboost {xgb.__version__}: {cut} rows to learn from, {a.rows - cut} held out, {a.rounds} rounds", flush=True)
params = {"eta": a.eta, "max_depth": a.depth, "objective": "reg:squarederror", "tree_method": "hist", "nthread": 1, "seed": 4}
#: params
booster = xgb.train(params, train, a.rounds, evals=[(train, "train"), (valid, "valid")], verbose_eval=a.every, early_stopping_rounds=a.stop_after or None, callbacks=[Pace()], xgb_model=before)
#: finish
booster.save_model(a.model_out)
gain = sorted(booster.get_score(importance_type="gain").items(), key=lambda kv: -kv[1])
print("gain:", ", ".join(f"{k} {v:.0f}" for k, v in gain))
print(f"{booster.num_boosted_rounds()} rounds are in {a.model_out}")
'''

COMPLAINTS = '''"""Sorts complaints to departments, day by day (partial_fit), for the city's help desk."""
import json
import logging
import pickle
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import accuracy_score, log_loss

logging.basicConfig(format="%(levelname).1s%(asctime)s %(process)d complaints.py] %(message)s", datefmt="%m%d %H:%M:%S", level=logging.INFO, stream=sys.stdout)
log = logging.getLogger()
opts = {"days": 40, "per_day": 120, "alpha": 2e-4, "eta0": 0.6, "rate": "invscaling", "state": "desk.pkl", "state_every": 10, "take_up": "", "pause": 0.06, "bits": 12}
opts.update(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
rng = np.random.default_rng(77)
#: early
DEPARTMENTS = {"roads": "pothole asphalt kerb sign crossing", "water": "leak pipe pressure brown meter", "parks": "bench tree swing dog litter", "noise": "party drill siren music night"}
COMMON = "please since weeks again nobody came street number very near our house error broken failed dead".split()


def day(n):
    labels = rng.choice(list(DEPARTMENTS), n)
    return [" ".join(rng.choice(DEPARTMENTS[d].split() if rng.random() < 0.3 else COMMON) for _ in range(9)) for d in labels], labels


vec = HashingVectorizer(n_features=2 ** opts["bits"], alternate_sign=False)
clf = SGDClassifier(loss="log_loss", alpha=opts["alpha"], learning_rate=opts["rate"], eta0=opts["eta0"], power_t=0.3, random_state=5)
classes = sorted(DEPARTMENTS)
test_x, test_y = day(400)
#: data
first = 1
if opts["take_up"]:
    #: take_up
    with open(opts["take_up"], "rb") as f:
        clf, first = pickle.load(f)
    log.info("took up %s, first day is %d", opts["take_up"], first)
log.info("%d days of %d complaints, departments: %s", opts["days"], opts["per_day"], " ".join(classes))
for d in range(first, opts["days"] + 1):
    texts, labels = day(opts["per_day"])
    #: day
    x = vec.transform(texts)
    clf.partial_fit(x, labels, classes=classes)
    #: fitted
    p = clf.predict_proba(vec.transform(test_x))
    #: judged
    log.info("day %2d logloss %.4f accuracy %.3f |w| %.2f", d, log_loss(test_y, p, labels=classes), accuracy_score(test_y, clf.classes_[p.argmax(1)]), np.linalg.norm(clf.coef_))
    time.sleep(opts["pause"])
    if d % opts["state_every"] == 0:
        with open(opts["state"], "wb") as f:
            pickle.dump((clf, d + 1), f)
        #: state
    #: after
#: finish
log.info("the desk is up to date: %d days", opts["days"])
'''

NEIGHBOURS = '''# skip-gram with negative samples, numpy only; progress in one line like the C tool
import os, sys, time
import numpy as np

opt = dict(size="16", window="3", negative="4", alpha="0.06", passes="6", report="2000", seed="3", vectors="vectors.npz", base="", threads="1", min_alpha="0.0001")
words = sys.argv[1:]
for k, v in zip(words[::2], words[1::2]):
    name = k.lstrip("-").replace("-", "_")
    if name not in opt:
        sys.stderr.write(f"Unknown option {k}\\nOptions: {' '.join('-' + o for o in opt)}\\n")
        sys.exit(1)
    opt[name] = v
rng = np.random.default_rng(int(opt["seed"]))
#: early
GROUPS = [["oak", "elm", "ash", "fir", "yew"], ["tin", "zinc", "gold", "iron", "lead"], ["carp", "pike", "eel", "perch"], ["flute", "drum", "harp", "viola", "horn"]]
vocab = [w for g in GROUPS for w in g] + ["the", "and", "with"]
index = {w: i for i, w in enumerate(vocab)}
text = np.array([index[w] for _ in range(420) for g in [GROUPS[rng.integers(4)]] for w in [*rng.choice(g, 4), "and", "the"]])
#: text
size, window, negative, passes = int(opt["size"]), int(opt["window"]), int(opt["negative"]), int(opt["passes"])
V, U = (rng.random((len(vocab), size)) - 0.5) / size, np.zeros((len(vocab), size))
if opt["base"]:
    #: base
    with np.load(opt["base"]) as z:
        V[:], U[:] = z["V"], z["U"]
    print(f"Starting with vectors {opt['base']}")
print(f"Vocab size: {len(vocab)}\\nWords in train file: {len(text)}", flush=True)
total, done, acc, n, t0 = passes * len(text), 0, 0.0, 0, time.time()
for sweep in range(passes):
    for at in range(len(text)):
        alpha = max(float(opt["min_alpha"]), float(opt["alpha"]) * (1 - done / total))
        done += 1
        c = text[at]
        for o in (*range(max(0, at - window), at), *range(at + 1, min(len(text), at + window + 1))):
            ids = np.concatenate([[text[o]], rng.integers(0, len(vocab), negative)])
            want = np.zeros(negative + 1)
            want[0] = 1.0
            z = U[ids] @ V[c]
            #: scores
            p = 1 / (1 + np.exp(-z))
            g = alpha * (want - p)
            dv = g @ U[ids]
            U[ids] += g[:, None] * V[c]
            V[c] += dv
            acc -= np.log(np.where(want > 0, p, 1 - p) + 1e-9).sum()
            n += 1
        #: word
        if done % int(opt["report"]) == 0:
            print(f"Alpha: {alpha:.6f}  Progress: {100 * done / total:.2f}%  Words/sec: {done / (time.time() - t0) / 1000:.2f}k  Loss: {acc / n:.6f}", flush=True)
            acc, n = 0.0, 0
            #: report
    #: sweep
np.savez(opt["vectors"], V=V, U=U)
#: finish
unit = V / (np.linalg.norm(V, axis=1, keepdims=True) + 1e-9)
for w in ("oak", "gold", "eel"):
    near = np.argsort(-unit @ unit[index[w]])[1:4]
    print(f"{w}: " + ", ".join(f"{vocab[i]} {unit[i] @ unit[index[w]]:.2f}" for i in near))
'''
