"""Programs over tables: subscribers who leave (XGBoost, loguru), tickets sorted by a linear model (structlog), a search over LightGBM's settings (rich)."""

CHURN = '''"""Monthly churn model. Run by cron on the gpu partition: python -m churn or python churn.py --conf conf/prod.yml"""
import argparse
import os
import pathlib
import sys
import time

import numpy as np
import pandas as pd
import xgboost as xgb
import yaml
from loguru import logger

logger.remove()
logger.add(sys.stderr, format="{time:HH:mm:ss.SSS} | {level: <8} | {name}:{function}:{line} - {message}", colorize=False, diagnose=False)

DEFAULTS = {
    "rounds": 200, "eta": 0.08, "depth": 4, "subscribers": 1500, "early_stop": None, "report_every": 10, "model_dir": "models", "continue": None,
    "snapshot_every": 0, "sleep": 0.0, "objective": "binary:logistic", "min_child_weight": 1.0,
}


def load_config(path):
    conf = dict(DEFAULTS)
    if path:
        conf.update(yaml.safe_load(pathlib.Path(path).read_text()) or {})
    unknown = set(conf) - set(DEFAULTS)
    if unknown:
        raise ValueError(f"unknown settings in {path}: {sorted(unknown)}")
    return conf


def subscribers(n, seed=3):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "tenure_months": rng.gamma(2.0, 14, n).round(1), "plan": rng.choice(["basic", "family", "student", "pro"], n),
        "calls_to_support": rng.poisson(1.3, n), "monthly_bill": rng.normal(38, 12, n).clip(5).round(2), "gb_used": rng.exponential(9, n).round(2),
        "nan_share": rng.uniform(0, 0.2, n).round(3), "errors_in_app": rng.poisson(0.8, n),
    })
    z = 0.9 * df.calls_to_support - 0.04 * df.tenure_months + 0.03 * df.monthly_bill + (df.plan == "student") * 0.7 - 2.0
    df["left"] = (rng.uniform(size=n) < 1 / (1 + np.exp(-z))).astype(int)
    return df


class Report(xgb.callback.TrainingCallback):
    def __init__(self, conf, done):
        self.conf, self.done, self.t0 = conf, done, time.perf_counter()

    def after_iteration(self, model, epoch, evals_log):
        n = self.done + epoch + 1
        got = {f"{d}-{m}": v[-1] for d, ms in evals_log.items() for m, v in ms.items()}
        if n % self.conf["report_every"] == 0 or n == 1:
            logger.info("round {:>4} of {} | {} | {:.1f} s", n, self.conf["rounds"], " ".join(f"{k}={v:.5f}" for k, v in got.items()), time.perf_counter() - self.t0)
        #: round
        if self.conf["snapshot_every"] and n % self.conf["snapshot_every"] == 0:
            model.save_model(f"{self.conf['model_dir']}/churn_{n:04d}.json")
            logger.debug("snapshot churn_{:04d}.json", n)
        time.sleep(self.conf["sleep"])
        return False


@logger.catch(reraise=True)
def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--conf")
    conf = load_config(ap.parse_args().conf)
    os.makedirs(conf["model_dir"], exist_ok=True)
    logger.info("xgboost {} on {} threads, settings {}", xgb.__version__, 1, conf)
    #: early
    df = subscribers(conf["subscribers"])
    #: frame
    y = df.pop("left").to_numpy()
    X = pd.get_dummies(df, columns=["plan"], dtype=float)
    cut = int(len(X) * 0.8)
    logger.info("{} subscribers, {} columns, {:.1%} of them left", len(X), X.shape[1], y.mean())
    dtrain, dvalid = xgb.DMatrix(X[:cut], y[:cut]), xgb.DMatrix(X[cut:], y[cut:])
    params = {
        "objective": conf["objective"], "eta": conf["eta"], "max_depth": conf["depth"], "nthread": 1, "eval_metric": ["auc", "logloss"],
        "min_child_weight": conf["min_child_weight"],
    }
    before, done = None, 0
    if conf["continue"]:
        #: resume
        before = xgb.Booster(model_file=conf["continue"])
        done = before.num_boosted_rounds()
        logger.info("continuing {} after {} rounds", conf["continue"], done)
    #: ready
    booster = xgb.train(
        params, dtrain, conf["rounds"] - done, evals=[(dtrain, "train"), (dvalid, "valid")], xgb_model=before, verbose_eval=False,
        early_stopping_rounds=conf["early_stop"], callbacks=[Report(conf, done)],
    )
    #: end
    if conf["early_stop"] and booster.num_boosted_rounds() < conf["rounds"]:
        logger.info("early stopping: no better valid-logloss for {} rounds; best {:.5f} in round {}", conf["early_stop"], booster.best_score, booster.best_iteration + 1)
    booster.save_model(f"{conf['model_dir']}/churn.json")
    logger.success("saved {}/churn.json with {} rounds", conf["model_dir"], booster.num_boosted_rounds())


main()
'''

TICKETS = '''import os, sys, time, pickle, random
import numpy as np
import structlog
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

structlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso"), structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
                    logger_factory=structlog.PrintLoggerFactory(sys.stdout))
log = structlog.get_logger(service="ticket-router")

PASSES = int(os.environ.get("PASSES", 20))
ALPHA = float(os.environ.get("ALPHA", 1e-4))
RATE = os.environ.get("RATE", "invscaling")
ETA0 = float(os.environ.get("ETA0", 0.5))
BITS = int(os.environ.get("BITS", 14))
TICKETS = int(os.environ.get("TICKETS", 1200))
STORE = os.environ.get("STORE", "router")
WARM = os.environ.get("WARM_START")
NAP = float(os.environ.get("NAP", 0))
os.makedirs(STORE, exist_ok=True)

QUEUES = ["billing", "outage", "hardware", "account"]
WORDS = [
    "invoice refund charge tax receipt card payment twice".split(), "down slow error timeout 502 crashed unreachable failed".split(),
    "router cable screen printer battery fan broken killed".split(), "password login locked email name delete reset verify".split(),
]
FILLER = "the my please since yesterday again why is not and help today still urgent with for".split()

def tickets(n, seed):
    r = random.Random(seed); texts, y = [], []
    for _ in range(n):
        k = r.randrange(4)
        words = [r.choice(WORDS[k] if r.random() < .35 else FILLER) for _ in range(r.randint(6, 18))]
        if r.random() < .25: words.append(r.choice(WORDS[r.randrange(4)]))
        texts.append(" ".join(words)); y.append(k)
    return texts, np.array(y)

log.info("start", passes=PASSES, alpha=ALPHA, learning_rate=RATE, eta0=ETA0, bits=BITS, warm_start=WARM)
#: early
texts, y = tickets(TICKETS, 1); held, yh = tickets(300, 2)
#: data
vec = HashingVectorizer(n_features=2 ** BITS, alternate_sign=False)
X, Xh = vec.transform(texts), vec.transform(held)
log.info("vectorised", tickets=X.shape[0], features=X.shape[1], example=held[0])
clf, first = SGDClassifier(loss="log_loss", alpha=ALPHA, learning_rate=RATE, eta0=ETA0, power_t=0.3), 1
if WARM:
    #: resume
    state = pickle.load(open(WARM, "rb"))
    clf, first = state["clf"], state["pass"] + 1
    log.info("warm_start", path=WARM, after_pass=state["pass"])
#: ready
for p in range(first, PASSES + 1):
    t0 = time.monotonic()
    order = np.random.default_rng(p).permutation(len(y))
    for part in np.array_split(order, 12):
        Xb, yb = X[part], y[part]
        #: batch
        clf.partial_fit(Xb, yb, classes=np.arange(4))
        #: step
        time.sleep(NAP)
    proba = clf.predict_proba(Xh)
    #: proba
    log.info("pass", n=p, of=PASSES, loss=round(float(-np.log(proba[np.arange(len(yh)), yh] + 1e-12).mean()), 5), accuracy=round(float((proba.argmax(1) == yh).mean()), 4), seconds=round(time.monotonic() - t0, 3))
    #: after
    if p % 5 == 0 or p == PASSES:
        with open(f"{STORE}/router-{p:03d}.pkl", "wb") as f:
            pickle.dump({"clf": clf, "pass": p}, f)
        log.info("stored", path=f"{STORE}/router-{p:03d}.pkl")
log.info("done", passes=PASSES, queues={q: round(float((clf.predict(Xh)[yh == i] == i).mean()), 3) for i, q in enumerate(QUEUES)})
'''

LEAVES = '''"""random search over LightGBM for the wind park's hourly yield"""
import sys, time, json, warnings
from itertools import count
import numpy as np
import lightgbm as lgb
from rich.console import Console
from rich.table import Table

warnings.filterwarnings("ignore", category=UserWarning)
TRIALS, ROUNDS, SEED = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
out = Console(width=110, force_terminal=False, highlight=False)
rng = np.random.default_rng(SEED)
#: early
v, d, T = rng.weibull(2.0, 900) * 8, rng.uniform(0, 360, 900), rng.normal(9, 7, 900)
y = np.clip(v, 3, 13) ** 3 / 20 * (1 - 0.15 * np.cos(np.radians(d - 240))) - 0.1 * T + rng.normal(0, 4, 900)
X = np.c_[v, np.sin(np.radians(d)), np.cos(np.radians(d)), T]
#: data
BINS = dict(feature_pre_filter=False, max_bin=127, verbosity=-1)
train, valid = lgb.Dataset(X[:700], y[:700], params=BINS, free_raw_data=False), lgb.Dataset(X[700:], y[700:], params=BINS, free_raw_data=False)
out.rule("wind park B, search of %d trials" % TRIALS)
results, t0 = [], time.time()
for trial in range(1, TRIALS + 1):
    params = dict(objective="regression", metric="l2", verbosity=-1, num_threads=1, seed=trial, learning_rate=float(10 ** rng.uniform(-2, -0.5)),
                  num_leaves=int(rng.integers(4, 40)), min_data_in_leaf=int(rng.integers(5, 60)), feature_fraction=float(rng.uniform(0.5, 1)))
    #: params
    curve = {}
    try:
        model = lgb.train(params, train, ROUNDS, valid_sets=[valid], valid_names=["holdout"], callbacks=[lgb.record_evaluation(curve)])
    except lgb.basic.LightGBMError as e:
        #: refused
        out.print(f"trial {trial:3d}  [FAILED] {e}")
        continue
    rmse = float(np.sqrt(curve["holdout"]["l2"][-1]))
    #: scored
    results.append((rmse, trial, params))
    best = min(results)
    out.print(f"trial {trial:3d}  rmse {rmse:7.3f}  (lr {params['learning_rate']:.4f}, leaves {params['num_leaves']}, min_data {params['min_data_in_leaf']})  best {best[0]:.3f} in trial {best[1]}  {time.time() - t0:.1f} s")
    #: after
t = Table(title="best of the search")
for c in ("rank", "trial", "rmse", "learning_rate", "num_leaves"): t.add_column(c)
for k, (rmse, trial, p) in enumerate(sorted(results, key=lambda r: r[0])[:5], 1): t.add_row(str(k), str(trial), f"{rmse:.3f}", f"{p['learning_rate']:.4f}", str(p["num_leaves"]))
out.print(t)
json.dump([r[2] for r in sorted(results, key=lambda r: r[0])[:1]], open("best.json", "w"))
out.print(f"{len(results)} of {TRIALS} trials finished, best.json written")
'''
