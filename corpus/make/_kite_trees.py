"""Programs over XGBoost and scikit-learn: late trains, and wine told by its own estimators; with places for what a case does."""

TRAINS = '''#!/usr/bin/env python3
"""Delay of trains in minutes: boosted trees, grown a few at a time."""
import argparse
import csv
import glob
import json
import os
import random
import sys
import time

import numpy as np
import xgboost as xgb

ap = argparse.ArgumentParser()
ap.add_argument("--trees", type=int, default=120)
ap.add_argument("--portion", type=int, default=10, help="trees between two reports")
ap.add_argument("--eta", type=float, default=0.1)
ap.add_argument("--depth", type=int, default=4)
ap.add_argument("--table")
ap.add_argument("--grow-on", help="booster to add trees to")
ap.add_argument("--keep", default="trains.ubj")
ap.add_argument("--rows", type=int, default=2500)
ap.add_argument("--objective", default="reg:squarederror")
ap.add_argument("--idle", type=float, default=0.05)
a = ap.parse_args()


def tell(event, **more):
    print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), event.upper(), json.dumps(more), flush=True)


rng = np.random.default_rng(12)
#: early
X = np.column_stack([rng.integers(0, 24, a.rows), rng.integers(0, 7, a.rows), rng.random((a.rows, 6))]).astype("f4")
y = 2 + 6 * np.exp(-((X[:, 0] - 17) ** 2) / 8) + 4 * X[:, 2] * (X[:, 1] < 5) + 3 * X[:, 3] ** 2 + rng.normal(0, 0.7, a.rows)
if a.table:
    with open(a.table, newline="") as f:
        rows = [r for r in csv.reader(f)][1:]
    X, y = np.array([r[:-1] for r in rows], dtype="f4"), np.array([float(r[-1]) for r in rows])
#: data
cut = int(0.8 * len(y))
train, valid = xgb.DMatrix(X[:cut], y[:cut]), xgb.DMatrix(X[cut:], y[cut:])
params = {"eta": a.eta, "max_depth": a.depth, "objective": a.objective, "nthread": 1, "seed": 3, "base_score": 0.0}
bst, grown = None, 0
if a.grow_on:
    #: before_grow_on
    bst = xgb.Booster()
    bst.load_model(a.grow_on)
    #: grow_on
    grown = bst.num_boosted_rounds()
    tell("loaded", booster=a.grow_on, trees=grown)
tell("begin", rows=cut, valid=len(y) - cut, trees=a.trees, xgboost=xgb.__version__)
#: ready
while grown < a.trees:
    #: mid
    scores = {}
    bst = xgb.train(params, train, a.portion, evals=[(train, "train"), (valid, "valid")], xgb_model=bst, evals_result=scores, verbose_eval=False)
    grown += a.portion
    err = {k: round(next(iter(v.values()))[-1], 4) for k, v in scores.items()}
    #: after
    tell("grown", trees=grown, of=a.trees, **err)
    #: save
    bst.save_model(a.keep)
    #: saved
    time.sleep(a.idle)
#: late
tell("end", trees=grown, file=a.keep, mae=round(float(np.abs(bst.predict(valid) - y[cut:]).mean()), 3))
'''

WINE = '''import os, sys, time, json, warnings
import joblib
import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

what = sys.argv[1] if len(sys.argv) > 1 else "net"
given = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
rs = np.random.RandomState(21)
#: early
names = ["acid", "sugar", "salt", "sulphur", "density", "ph", "alcohol", "tannin"]
X = rs.normal(size=(given.pop("bottles", 900), 8))
y = (X[:, 6] - 0.7 * X[:, 0] * X[:, 7] + 0.4 * rs.normal(size=len(X)) > 0).astype(int)
#: data
X = StandardScaler().fit_transform(X)
cut = int(0.75 * len(X))
print("wine:", what, len(X), "bottles", json.dumps(given), flush=True)
#: ready
if what == "net":
    memory = given.pop("memory", "")
    clf = MLPClassifier((24, 12), **{"max_iter": 30, "verbose": True, "random_state": 1, "n_iter_no_change": 40, **given})
    if memory:
        #: before_memory
        clf = joblib.load(memory)
        #: memory
        clf.set_params(warm_start=True, max_iter=given.get("max_iter", 30))
        print("memory:", memory, "had", clf.n_iter_, "iterations, loss", round(clf.loss_, 4), flush=True)
    #: fit
    clf.fit(X[:cut], y[:cut])
elif what == "trees":
    clf = GradientBoostingRegressor(verbose=1, random_state=1, **given)
    clf.fit(X[:cut], y[:cut] + 0.0)
elif what == "grid":
    clf = GridSearchCV(SGDClassifier(loss="log_loss", random_state=1, max_iter=400), given or {"alpha": [1e-4, 1e-3, 1e-2], "penalty": ["l2", "l1"]}, cv=4, verbose=3)
    #: grid
    clf.fit(X[:cut], y[:cut])
    print("best:", clf.best_params_, round(clf.best_score_, 4))
elif what == "passes":
    clf = SGDClassifier(loss="log_loss", **given)
    for n in range(1, 31):
        #: pass
        clf.partial_fit(X[:cut], y[:cut], classes=[0, 1])
        p = clf.predict_proba(X[:cut])[:, 1]
        ll = -np.mean(np.log(np.where(y[:cut] == 1, p, 1 - p) + 1e-12))
        #: passed
        print(f"pass {n:2d}/30 | log loss {ll:.4f} | held out {clf.score(X[cut:], y[cut:]):.3f}", flush=True)
        #: save
        joblib.dump((clf, n), "passes.joblib")
        time.sleep(0.03)
else:
    raise NotImplementedError(f"no model is called {what!r}")
#: fitted
joblib.dump(clf, "wine.joblib")
print("held out:", round(clf.score(X[cut:], y[cut:]), 4), "-> wine.joblib", flush=True)
'''
