"""Programs over scikit-learn, XGBoost and LightGBM: rents, returns of parcels, handwriting learnt in portions; with places for what a case does."""

RENTS = '''import argparse
import os
import sys
import time

import numpy as np
import pandas as pd
import xgboost as xgb

p = argparse.ArgumentParser()
p.add_argument("--table", default="")
p.add_argument("--rounds", type=int, default=60)
p.add_argument("--eta", type=float, default=0.15)
p.add_argument("--objective", default="reg:squarederror")
p.add_argument("--start-from", default=None)
p.add_argument("--rows", type=int, default=1500)
p.add_argument("--verbose-eval", type=int, default=5)
a = p.parse_args()
print("xgboost", xgb.__version__)
rng = np.random.default_rng(0)
#: early
if a.table:
    df = pd.read_csv(a.table)
else:
    df = pd.DataFrame({"sqm": rng.uniform(20, 140, a.rows), "floor": rng.integers(0, 9, a.rows), "year": rng.integers(1890, 2024, a.rows), "km": rng.exponential(4, a.rows)})
    df["rent"] = 4 * df.sqm + 0.8 * (df.year - 1950) - 22 * df.km + 60 + rng.normal(0, 35, a.rows)
#: data
y = df.pop("rent")
cut = int(len(df) * 0.8)
dtrain, dvalid = xgb.DMatrix(df[:cut], y[:cut]), xgb.DMatrix(df[cut:], y[cut:])
print(f"{dtrain.num_row()} rows for fitting, {dvalid.num_row()} aside, {dtrain.num_col()} columns")
params = {"eta": a.eta, "max_depth": 4, "objective": a.objective, "nthread": 1, "seed": 1}
calls = []
#: ready
t0 = time.time()
booster = xgb.train(params, dtrain, num_boost_round=a.rounds, evals=[(dtrain, "fit"), (dvalid, "aside")], verbose_eval=a.verbose_eval, xgb_model=a.start_from, callbacks=calls)
#: late
booster.save_model("rents.ubj")
print(f"{booster.num_boosted_rounds()} trees kept in rents.ubj ({time.time() - t0:.1f}s)")
'''

PARCELS = '''# will the parcel come back?
import json
import logging
import os
import sys
import time

import lightgbm as lgb
import numpy as np

settings = {"num_boost_round": 80, "learning_rate": 0.08, "objective": "binary", "metric": "binary_logloss", "num_leaves": 15, "verbosity": 1, "num_threads": 1, "rows": 1800, "show": 10, "stop_after": 0, "init_model": None}
settings.update(json.load(open(sys.argv[1])) if len(sys.argv) > 1 else {})
logging.basicConfig(format="%(levelname)s:%(name)s:%(message)s", level=logging.INFO, stream=sys.stdout)
lgb.register_logger(logging.getLogger("parcels"))
log = logging.getLogger("parcels.run")
rng = np.random.default_rng(9)
#: early
X = rng.normal(size=(settings["rows"], 8))
y = (X[:, 0] * X[:, 1] + 0.7 * X[:, 2] + rng.normal(0, 0.6, len(X)) > 0).astype(int)
#: data
keep = {k: settings.pop(k) for k in ("num_boost_round", "rows", "show", "stop_after", "init_model")}
cut = int(0.75 * len(X))
train = lgb.Dataset(X[:cut], y[:cut])
valid = lgb.Dataset(X[cut:], y[cut:], reference=train)
calls = [lgb.log_evaluation(keep["show"])]
if keep["stop_after"]:
    calls.append(lgb.early_stopping(keep["stop_after"]))
#: ready
model = lgb.train(settings, train, keep["num_boost_round"], valid_sets=[train, valid], valid_names=["seen", "unseen"], callbacks=calls, init_model=keep["init_model"])
#: late
model.save_model("parcels.txt")
log.info("model with %d trees is in parcels.txt", model.num_trees())
'''

PORTIONS = '''"""Handwriting, learnt in portions by scikit-learn's SGDClassifier or MLPClassifier.

    portions.py [--kind=sgd|mlp] [--portions=N] [--alpha=A] [--memory=FILE]
"""
import os
import sys
import time
import warnings

import joblib
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

opts = {"kind": "sgd", "portions": "30", "alpha": "0.0005", "memory": "", "rate": "0.002", "out": "portions.joblib", "pause": "0.05", **dict(w[2:].split("=", 1) for w in sys.argv[1:])}
#: early
X, y = load_digits(return_X_y=True)
X = StandardScaler().fit_transform(X)
rng = np.random.RandomState(4)
order = rng.permutation(len(X))
X, y = X[order], y[order]
#: data
Xv, yv, X, y = X[:300], y[:300], X[300:], y[300:]
rate = float(opts["rate"])
if opts["kind"] == "mlp":
    clf = MLPClassifier((24,), learning_rate_init=rate, random_state=3)
else:
    clf = SGDClassifier("log_loss", alpha=float(opts["alpha"]), learning_rate="constant", eta0=rate, random_state=3)
done = 0
if opts["memory"]:
    #: restore
    clf, done = joblib.load(opts["memory"])
    print(f"* classifier of {done} portions from {opts['memory']}")
print(f"* {len(X)} digits, {opts['portions']} portions, {type(clf).__name__}")
#: ready
for k in range(done + 1, int(opts["portions"]) + 1):
    take = rng.choice(len(X), min(200, len(X)), replace=False)
    xb, yb = X[take], y[take]
    #: mid
    clf.partial_fit(xb, yb, classes=np.arange(10))
    #: fitted
    proba = clf.predict_proba(Xv)
    loss, acc = log_loss(yv, np.clip(proba, 1e-9, 1), labels=np.arange(10)), accuracy_score(yv, proba.argmax(1))
    #: loss
    print(f"* portion {k:>3} | loss {loss:8.4f} | acc {acc:6.1%}", flush=True)
    #: after
    if k % 10 == 0:
        joblib.dump((clf, k), opts["out"])
        print(f"  (kept: {opts['out']})")
    time.sleep(float(opts["pause"]))
#: late
print("* end")
'''
