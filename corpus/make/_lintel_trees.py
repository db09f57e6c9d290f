"""Trainings over boosters and scikit-learn, of six hands: a bakery, rides, loans, a stream of messages, a grid of small nets, a study of parameters."""

BAKERY = '''
# demand per shop and day, XGBoost; run nightly
import os, sys, datetime
import numpy as np
import xgboost as xgb

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 150
EVERY = int(os.environ.get("EVERY", "10"))
MODEL = os.environ.get("MODEL", "bakery.ubj")
CONT = os.environ.get("CONT")
print(datetime.datetime.now().isoformat(timespec="seconds"), "xgboost", xgb.__version__, flush=True)
#: early
rng = np.random.default_rng(8)
N = int(os.environ.get("DAYS", "3000"))
X = np.column_stack([rng.integers(0, 7, N), rng.integers(0, 52, N), rng.normal(12, 8, N), rng.integers(0, 2, N), rng.gamma(2, 30, N)])
y = 140 + 25 * (X[:, 0] > 4) + 12 * np.sin(X[:, 1] / 8) - 0.8 * np.abs(X[:, 2] - 15) + 30 * X[:, 3] + 0.2 * X[:, 4] + rng.normal(0, 6, N)
NAMES = ["weekday", "week", "temperature", "holiday_next", "orders"]
#: data
cut = int(N * 0.8)
dtrain = xgb.DMatrix(X[:cut], y[:cut], feature_names=NAMES)
dval = xgb.DMatrix(X[cut:], y[cut:], feature_names=NAMES)
params = {"eta": 0.08, "max_depth": 5, "objective": "reg:squarederror", "eval_metric": ["rmse"], "nthread": 1, "seed": 1, "base_score": 100}
#: params


class Nightly(xgb.callback.TrainingCallback):
    def before_iteration(self, model, epoch, evals_log):
        #: before
        return False

    def after_iteration(self, model, epoch, evals_log):
        #: after
        return False


more = {}
#: more
bst = xgb.train(params, dtrain, ROUNDS, evals=[(dtrain, "train"), (dval, "val")], verbose_eval=EVERY, callbacks=[Nightly()], xgb_model=CONT, **more)
#: trained
bst.save_model(MODEL)
p = bst.predict(dval)
print(f"shops: mean error {np.abs(p - y[cut:]).mean():.2f} loaves, bias {np.mean(p - y[cut:]):+.2f}; {bst.num_boosted_rounds()} trees in {MODEL}")
#: late
'''

RIDES = '''
import argparse
import logging
import pathlib
import time

import lightgbm as lgb
import numpy as np

logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(name)s %(levelname)s: %(message)s", datefmt="%Y-%m-%dT%H:%M:%S")
logger = logging.getLogger("cancellations")
lgb.register_logger(logging.getLogger("lightgbm"))
parser = argparse.ArgumentParser()
parser.add_argument("--num-boost-round", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=0.06)
parser.add_argument("--leaves", type=int, default=15)
parser.add_argument("--init-model", default=None)
parser.add_argument("--rides", type=int, default=4000)
parser.add_argument("--period", type=int, default=20)
parser.add_argument("--model-dir", type=pathlib.Path, default=pathlib.Path("models"))
opts = parser.parse_args()
logger.info("options: %s", vars(opts))
opts.model_dir.mkdir(exist_ok=True)
#: early
rng = np.random.default_rng(21)
n = opts.rides
wait, dist, surge, hour, rating = rng.gamma(2, 3, n), rng.gamma(1.5, 4, n), rng.uniform(1, 3, n), rng.integers(0, 24, n), rng.normal(4.6, 0.3, n)
X = np.column_stack([wait, dist, surge, hour, rating])
y = (rng.uniform(size=n) < 1 / (1 + np.exp(-(0.45 * wait - 0.2 * dist + 1.2 * surge - 6 + 1.5 * (hour > 21))))).astype(int)
#: data
logger.info("%d rides, %.1f%% cancelled", n, 100 * y.mean())
cut = int(n * 0.75)
train = lgb.Dataset(X[:cut], y[:cut], feature_name=["wait", "dist", "surge", "hour", "rating"], free_raw_data=False)
valid = lgb.Dataset(X[cut:], y[cut:], reference=train, free_raw_data=False)
params = dict(objective="binary", metric=["binary_logloss", "auc"], learning_rate=opts.learning_rate, num_leaves=opts.leaves, num_threads=1, seed=4, verbosity=1)
#: params


def each(env):
    it = env.iteration + 1
    time.sleep(0.01)
    #: each


calls = [lgb.log_evaluation(opts.period), each]
#: calls
booster = lgb.train(params, train, opts.num_boost_round, valid_sets=[train, valid], valid_names=["train", "valid"], callbacks=calls, init_model=opts.init_model)
#: trained
booster.save_model(opts.model_dir / "cancel.txt")
logger.info("best iteration %s, %d trees written to %s", booster.best_iteration, booster.num_trees(), opts.model_dir / "cancel.txt")
#: late
'''

LOANS = '''
import json, os, sys, time
import numpy as np
from catboost import CatBoostClassifier, Pool

conf = {"iterations": 220, "learning_rate": 0.07, "depth": 4, "metric_period": 20, "train_dir": "loans_info", "snapshot": "", "wait": 0.01}
conf.update(json.loads(os.environ.get("LOANS", "{}")))
print("conf =", json.dumps(conf))
#: early
rng = np.random.default_rng(5)
n = 3500
age, income, debt = rng.integers(18, 80, n), rng.lognormal(10, 0.5, n), rng.lognormal(8, 1, n)
city = rng.choice(["Porto", "Braga", "Faro", "Évora"], n)
trouble = ((debt / income + 0.02 * (age < 25) + 0.15 * (city == "Faro") + rng.normal(0, 0.1, n)) > 0.3).astype(int)
rows = [[int(a), float(i), float(d), str(c)] for a, i, d, c in zip(age, income, debt, city)]
#: data
print(f"{n} loans, default rate {trouble.mean():.3f}")
train, test = Pool(rows[:2600], trouble[:2600], cat_features=[3]), Pool(rows[2600:], trouble[2600:], cat_features=[3])


class After:
    def after_iteration(self, info):
        time.sleep(conf["wait"])
        it = info.iteration
        #: after
        return True


more = {}
#: more
model = CatBoostClassifier(**{**dict(iterations=conf["iterations"], learning_rate=conf["learning_rate"], depth=conf["depth"], loss_function="Logloss", eval_metric="AUC", random_seed=3, thread_count=1, metric_period=conf["metric_period"], train_dir=conf["train_dir"], custom_metric=["Logloss"]), **more})
model.fit(train, eval_set=test, callbacks=[After()])
#: fitted
model.save_model("loans.cbm")
print("best:", model.get_best_score().get("validation"), "at", model.get_best_iteration())
for name, v in zip(["age", "income", "debt", "city"], model.get_feature_importance()):
    print(f"  {name:8s}{v:6.2f}")
#: late
'''

STREAM = '''
"""Spam filter for the mailing lists, trained on the stream (out of core)."""
import os, pickle, sys, time
from pathlib import Path
import numpy as np
import structlog
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

structlog.configure(processors=[structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False), structlog.processors.add_log_level, structlog.dev.ConsoleRenderer(colors=False, pad_event=34)])
log = structlog.get_logger()
env = os.environ.get
CHUNKS, SIZE, STORE = int(env("CHUNKS", "90")), int(env("SIZE", "120")), Path(env("STORE", "filter.pkl"))
ALPHA, ETA = float(env("ALPHA", "1e-4")), float(env("ETA", "0"))
PAUSE = float(env("PAUSE", "0.08"))
vec = HashingVectorizer(n_features=2**12, alternate_sign=False)
clf = SGDClassifier(loss="log_loss", alpha=ALPHA, random_state=2, **({"learning_rate": "constant", "eta0": ETA} if ETA else {}))
#: early
rng = np.random.default_rng(9)
HAM = "meeting minutes agenda release patch review branch build thanks question version install docs mailing list".split()
SPAM = "winner prize casino pills discount click offer limited invoice crypto bonus free urgent account verify".split()


def mails(n):
    ys = rng.integers(0, 2, n)
    texts = [" ".join([*rng.choice(HAM, 9), *rng.choice(SPAM, 2 if y else 1)]) for y in ys]
    return texts, ys


def loss_of(x, y):
    p = clf.predict_proba(x)[:, 1]
    return float(-np.mean(np.log(np.clip(np.where(y == 1, p, 1 - p), 1e-15, 1)))), float(np.mean((p > 0.5) == y))


vt, vy = mails(300)
vx = vec.transform(vt)
first = 0
#: store
log.info("filter", chunks=CHUNKS, size=SIZE, alpha=ALPHA, first=first)
for chunk in range(first + 1, CHUNKS + 1):
    texts, y = mails(SIZE)
    #: chunk
    x = vec.transform(texts)
    clf.partial_fit(x, y, classes=[0, 1])
    time.sleep(PAUSE)
    #: fitted
    if chunk % 6 == 0 or chunk == 1:
        loss, acc = loss_of(vx, vy)
        log.info("chunk", n=chunk, of=CHUNKS, log_loss=round(loss, 4), accuracy=round(acc, 3), seen=chunk * SIZE)
        #: told
    if chunk % 30 == 0:
        STORE.write_bytes(pickle.dumps({"clf": clf, "chunk": chunk}))
        log.info("stored", path=str(STORE), chunk=chunk)
        #: stored
log.info("stream over", chunks=CHUNKS)
#: late
'''

GRID = '''
"""Which small net for the valve wear table? (scikit-learn, one process)"""
import sys, time, warnings
import numpy as np
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(12)
n = 900
X = rng.normal(size=(n, 9))
y = (X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.3 * rng.normal(size=n) > 0).astype(int)
#: data
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, random_state=0)
print(f"table: {Xtr.shape[0]} + {Xte.shape[0]} valves, {X.shape[1]} readings, worn: {y.mean():.2f}", flush=True)
opts = dict(hidden_layer_sizes=(24,), learning_rate_init=5e-3, max_iter=120, random_state=1, verbose=True, tol=1e-4)
#: opts
net = MLPClassifier(**opts)
#: fit
net.fit(StandardScaler().fit_transform(Xtr), ytr)
scaler = StandardScaler().fit(Xtr)
print(f"accuracy on held-out valves: {net.score(scaler.transform(Xte), yte):.3f} (loss {net.loss_:.4f} after {net.n_iter_} epochs)")
#: late
'''

STUDY = '''
import logging, os, sys, time
import numpy as np, optuna, xgboost as xgb
from rich.console import Console
from rich.table import Table

TRIALS = int(os.environ.get("TRIALS", "14"))
STORE = os.environ.get("STORE", "sqlite:///wind.db")
console = Console(width=110)
optuna.logging.enable_propagation(); optuna.logging.disable_default_handler()
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(levelname)1.1s %(asctime)s] %(message)s")
#: early
rng = np.random.default_rng(2)
X = rng.normal(size=(1500, 8))
power = np.clip(X[:, 0] ** 3 / 4 + X[:, 1] + 0.4 * X[:, 2] * X[:, 3], -2, 3) + 0.2 * rng.normal(size=1500)
d = xgb.DMatrix(X[:1100], power[:1100]); v = xgb.DMatrix(X[1100:], power[1100:])


def objective(trial):
    p = {"eta": trial.suggest_float("eta", 0.02, 0.4, log=True), "max_depth": trial.suggest_int("max_depth", 2, 7), "lambda": trial.suggest_float("lambda", 0.1, 10, log=True), "nthread": 1}
    #: trial
    bst = None
    for k in range(8):
        bst = xgb.train(p, d, 12, xgb_model=bst)
        rmse = float(np.sqrt(np.mean((bst.predict(v) - power[1100:]) ** 2)))
        time.sleep(0.04)
        trial.report(rmse, k)
        #: report
        if trial.should_prune():
            raise optuna.TrialPruned()
    return rmse


study = optuna.create_study(study_name="wind", storage=STORE, load_if_exists=True, direction="minimize", sampler=optuna.samplers.TPESampler(seed=7), pruner=optuna.pruners.MedianPruner(4, 2))
#: study
logging.info("wind: %d trials wanted, %d in %s so far", TRIALS, len(study.trials), STORE)
study.optimize(objective, n_trials=TRIALS, catch=(ZeroDivisionError, xgb.core.XGBoostError))
table = Table("trial", "state", "rmse", "eta", "depth")
for t in study.trials:
    table.add_row(str(t.number), t.state.name, f"{t.value:.4f}" if t.value is not None else "-", f"{t.params.get('eta', float('nan')):.3f}", str(t.params.get("max_depth", "-")))
console.print(table)
console.print(f"best rmse {study.best_value:.4f} with {study.best_params}")
#: late
'''
