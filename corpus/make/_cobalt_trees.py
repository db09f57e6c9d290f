"""scikit-learn and boosters of one process: claims of insurers in chunks told by logging, the load of a power grid told by XGBoost and LightGBM."""

CLAIMS = '''"""Fraud in claims: out-of-core fit, chunk by chunk (scikit-learn).

python claims.py [--chunks N] [--model sgd|mlp] [--warm FILE] [--dir DIR]
"""
import argparse
import logging
import os
import pathlib
import time
import warnings

import joblib
import numpy as np
import pandas as pd
import sklearn
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

cli = argparse.ArgumentParser()
cli.add_argument("--chunks", type=int, default=60)
cli.add_argument("--rows", type=int, default=800)
cli.add_argument("--model", choices=["sgd", "mlp"], default="mlp")
cli.add_argument("--rate", type=float, default=0.002)
cli.add_argument("--units", type=int, default=24)
cli.add_argument("--warm")
cli.add_argument("--dir", default="claims_model", type=pathlib.Path)
cli.add_argument("--pause", type=float, default=0.05)
cli.add_argument("--seed", type=int, default=2)
args = cli.parse_args()
logging.basicConfig(level="INFO", format="[%(asctime)s] %(levelname).1s %(message)s")
log = logging.getLogger()
logging.captureWarnings(True)
args.dir.mkdir(exist_ok=True, parents=True)
log.info("scikit-learn %s, pandas %s, %s", sklearn.__version__, pd.__version__, vars(args))
#: early
COLUMNS = ["amount", "days_to_report", "age_of_contract", "claims_before", "garage_distance", "night", "witnesses", "speed"]
truth = np.random.default_rng(40).normal(0, 1, len(COLUMNS))


def chunk(number, rows=None):
    rng = np.random.default_rng(1000 * args.seed + number)
    frame = pd.DataFrame(rng.normal(0, 1, (rows or args.rows, len(COLUMNS))), columns=COLUMNS)
    odds = frame.to_numpy() @ truth + 0.8 * frame["amount"] * frame["night"] - 1.2
    frame["fraud"] = (rng.random(len(frame)) < 1 / (1 + np.exp(-1.5 * odds))).astype(int)
    #: chunk
    return frame


held = chunk(0, 3000)
scaler = StandardScaler().fit(held[COLUMNS])
model = SGDClassifier("log_loss", learning_rate="constant", eta0=args.rate, random_state=1) if args.model == "sgd" else MLPClassifier((args.units,), learning_rate_init=args.rate, random_state=1)
first = 1
#: model
if args.warm:
    model, first = joblib.load(args.warm)
    log.info("warm start: %s has seen chunks 1 to %d", args.warm, first - 1)
began = time.time()
#: ready
for number in range(first, args.chunks + 1):
    frame = chunk(number)
    #: frame
    x, y = scaler.transform(frame[COLUMNS]), frame["fraud"].to_numpy()
    #: before
    model.partial_fit(x, y, classes=[0, 1])
    time.sleep(args.pause)
    #: step
    if number % 2 == 0 or args.chunks < 10:
        p = model.predict_proba(scaler.transform(held[COLUMNS]))[:, 1]
        log.info("chunk %3d/%d  logloss=%.4f  held_logloss=%.4f  held_auc=%.4f  rows=%d", number, args.chunks, log_loss(y, model.predict_proba(x)[:, 1], labels=[0, 1]), log_loss(held["fraud"], p), roc_auc_score(held["fraud"], p), number * args.rows)
        #: told
    if number % 10 == 0:
        joblib.dump((model, number + 1), args.dir / f"after_{number:04d}.joblib")
#: after
joblib.dump((model, number + 1), args.dir / "final.joblib")
log.info("fit of %d chunks took %.1f s; stored %s", number - first + 1, time.time() - began, args.dir / "final.joblib")
'''

GRID = '''"""Tomorrow's load of the grid, quarter hours, with XGBoost or LightGBM."""
import json
import os
import sys
import time

import numpy as np
import pandas as pd

OPT = {"kind": "xgb", "rounds": 120, "stop": 0, "eta": 0.1, "days": 120, "depth": 4, "continue_from": "", "dir": "grid", "show": 5, "seed": 1, "only_score": 0, "objective": ""}
OPT.update(json.loads(os.environ.get("GRID", "{}")))
print("grid load forecast", json.dumps(OPT))
os.makedirs(OPT["dir"], exist_ok=True)
#: early


def quarter_hours(days, seed):
    rng = np.random.default_rng(seed)
    at = np.arange(days * 96)
    hour, day, warmth = at % 96 / 4, at // 96 % 7, 12 + 9 * np.sin(at / 96 / 58) + rng.normal(0, 1.5, len(at))
    load = 42 + 11 * np.sin((hour - 7) / 24 * 2 * np.pi) - 6 * (day > 4) + 0.06 * (warmth - 16) ** 2 + rng.normal(0, 1.2, len(at))
    return pd.DataFrame({"hour": hour, "day": day, "warmth": warmth, "yesterday": np.roll(load, 96), "last_week": np.roll(load, 672), "load": load}).iloc[672:]


table = quarter_hours(OPT["days"], OPT["seed"])
#: table
cut = int(len(table) * 0.8)
X, y = table.drop(columns="load"), table["load"]
print(f"rows {len(table)}, {cut} to learn from, columns {list(X.columns)}")
start = time.time()
#: ready
if OPT["kind"] == "xgb":
    import xgboost as xgb

    class Each(xgb.callback.TrainingCallback):
        def after_iteration(self, model, epoch, evals_log):
            #: step
            return False

    learn, test = xgb.DMatrix(X[:cut], y[:cut]), xgb.DMatrix(X[cut:], y[cut:])
    if OPT["only_score"]:
        booster = xgb.Booster(model_file=OPT["continue_from"])
        print("only scoring:", booster.eval(test, "development"))
        sys.exit()
    params = {"eta": OPT["eta"], "max_depth": OPT["depth"], "nthread": 1, "objective": OPT["objective"] or "reg:squarederror", "eval_metric": "rmse", "seed": OPT["seed"]}
    #: params
    booster = xgb.train(params, learn, OPT["rounds"], [(learn, "learn"), (test, "development")], early_stopping_rounds=OPT["stop"] or None, verbose_eval=OPT["show"], xgb_model=OPT["continue_from"] or None, callbacks=[Each()])
    booster.save_model(f"{OPT['dir']}/load.ubj")
    done = booster.num_boosted_rounds()
else:
    import lightgbm as lgb

    def each(env):
        epoch = env.iteration
        #: leaf

    params = {"learning_rate": OPT["eta"], "num_leaves": 2 ** OPT["depth"], "num_threads": 1, "objective": OPT["objective"] or "regression", "metric": "rmse", "seed": OPT["seed"], "verbosity": 1}
    #: params_lgb
    callbacks = [lgb.log_evaluation(OPT["show"]), each] + ([lgb.early_stopping(OPT["stop"])] if OPT["stop"] else [])
    learn = lgb.Dataset(X[:cut], y[:cut], free_raw_data=False)
    booster = lgb.train(params, learn, OPT["rounds"], [learn, lgb.Dataset(X[cut:], y[cut:], reference=learn, free_raw_data=False)], ["learn", "development"], init_model=OPT["continue_from"] or None, callbacks=callbacks)
    booster.save_model(f"{OPT['dir']}/load.txt")
    done = booster.current_iteration()
#: after
print(f"{done} trees in {time.time() - start:.1f} s, written to {OPT['dir']}")
'''
