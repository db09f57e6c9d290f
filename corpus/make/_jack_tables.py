"""Programs over tables: a search over settings, three stages behind a shell script, demand by LightGBM, soils by scikit-learn that asks for labels."""

SEARCH = '''"""Random search for a small regressor of concrete strength. One line a trial, details of a trial indented."""
import argparse
import json
import math
import os
import random
import time
import traceback

import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--trials", type=int, default=8)
ap.add_argument("--epochs", type=int, default=12)
ap.add_argument("--rows", type=int, default=900)
ap.add_argument("--study", default="study.json")
ap.add_argument("--continue", dest="cont", action="store_true", help="go on with the trials in the study file")
ap.add_argument("--strict", action="store_true", help="a failing trial ends the search")
ap.add_argument("--quiet", action="store_true")
ap.add_argument("--seed", type=int, default=21)
opt = ap.parse_args()


def concrete(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 7, generator=g)
    y = 40 * x[:, 0] - 22 * x[:, 1] + 15 * (x[:, 2] * x[:, 3]).sqrt() + 8 * torch.log1p(6 * x[:, 6]) + torch.randn(n, generator=g)
    return x, (y - 14) / 14


def propose(rng):
    s = {"width": rng.choice([8, 16, 32, 64]), "layers": rng.choice([1, 2, 3]), "lr": round(10 ** rng.uniform(-3.3, -1.7), 5), "batch": rng.choice([16, 32, 64]), "drop": rng.choice([0.0, 0.1])}
    #: propose
    return s


def build(s):
    mods, last = [], 7
    for _ in range(s["layers"]):
        mods += [nn.Linear(last, s["width"]), nn.SiLU(), nn.Dropout(s["drop"])]
        last = s["width"]
    return nn.Sequential(*mods, nn.Linear(last, 1))


def trial(k, s, data):
    (x, y), (vx, vy) = data
    torch.manual_seed(k)
    net = build(s)
    optim = torch.optim.Adam(net.parameters(), lr=s["lr"])
    #: trial
    for epoch in range(1, opt.epochs + 1):
        net.train()
        total = 0.0
        for rows in torch.randperm(len(x)).split(s["batch"]):
            #: batch
            loss = nn.functional.mse_loss(net(x[rows]).squeeze(1), y[rows])
            #: loss
            optim.zero_grad()
            loss.backward()
            optim.step()
            total += loss.item() * len(rows)
            #: step
        net.eval()
        with torch.no_grad():
            rmse = math.sqrt(nn.functional.mse_loss(net(vx).squeeze(1), vy).item()) * 14
        if not opt.quiet and epoch % 4 == 0:
            print(f"    epoch {epoch:2d}: mse {total / len(x):.4f}, rmse {rmse:.2f} MPa", flush=True)
        #: epoch
    #: tried
    return rmse


def main():
    rng, done = random.Random(opt.seed), []
    print(f"search of {opt.trials} trials, seed {opt.seed}")
    #: early
    data = concrete(opt.rows, 1), concrete(200, 2)
    #: data
    if opt.cont:
        #: resume
        with open(opt.study) as f:
            done = json.load(f)["trials"]
        for _ in done:
            propose(rng)
        print(f"{opt.study}: {len(done)} trials are there, the best with {min(d['rmse'] for d in done if d['rmse']):.2f} MPa; going on with trial {len(done)}")
    #: ready
    for k in range(len(done), opt.trials):
        s, t0 = propose(rng), time.time()
        try:
            rmse = trial(k, s, data)
        except Exception:
            if opt.strict:
                raise
            print(f"trial {k:3d} FAILED and is left out: {traceback.format_exc().strip().splitlines()[-1]}", flush=True)
            rmse = None
        done.append({"k": k, "rmse": rmse, **s})
        good = [d["rmse"] for d in done if d["rmse"] is not None]
        if rmse is not None:
            print(f"trial {k:3d}  rmse {rmse:6.2f} MPa  best {min(good):6.2f}  {json.dumps(s)}  {time.time() - t0:.1f} s", flush=True)
        with open(opt.study + ".new", "w") as f:
            json.dump({"trials": done}, f)
        os.replace(opt.study + ".new", opt.study)
        #: recorded
    best = min((d for d in done if d["rmse"] is not None), key=lambda d: d["rmse"])
    print(f"best of {len(done)} trials: {best}")


main()
'''

STAGES_SH = '''#!/bin/bash
# clean -> fit -> judge; each stage leaves its files in work/
set -e
PY=${PY:-python3}
mkdir -p work
for stage in ${STAGES:-clean fit judge}; do
    echo "=== $stage ($(date +%T)) ==="
    $PY $stage.py ${ARGS}
done
echo "=== all stages done ==="
'''

CLEAN = '''import csv
import math
import random
import sys

random.seed(5)
RAW = "work/raw.csv"
with open(RAW, "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["hour", "wind", "sun", "demand"])
    for h in range(2400):
        wind, sun = 6 + 3 * math.sin(h / 37) + random.gauss(0, 1), max(0.0, math.sin((h % 24 - 6) / 12 * math.pi))
        w.writerow([h, round(wind, 2), round(sun, 3), round(40 + 9 * math.sin(h % 24 / 24 * 6.28) - 1.1 * wind - 4 * sun + random.gauss(0, 0.7), 2)])
#: raw
kept, dropped = [], 0
for row in csv.DictReader(open(RAW)):
    try:
        kept.append([float(row[c]) for c in ("hour", "wind", "sun", "demand")])
    except ValueError:
        dropped += 1
        if dropped <= 3:
            print(f"clean: hour {row['hour']}: not a number in {list(row.values())[1:]}, row dropped", file=sys.stderr)
#: kept
with open("work/clean.csv", "w", newline="") as f:
    csv.writer(f).writerows([["hour", "wind", "sun", "demand"], *kept])
print(f"clean: {len(kept)} rows kept, {dropped} dropped")
'''

FIT = '''import argparse
import csv
import os
import time

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=15)
p.add_argument("--lr", type=float, default=7e-4)
p.add_argument("--hidden", type=int, default=32)
p.add_argument("--window", type=int, default=24)
p.add_argument("--again", action="store_true", help="go on from work/fit.pt")
p.add_argument("--keep-every", type=int, default=5)
a = p.parse_args()
torch.manual_seed(0)
#: early
rows = [[float(v) for v in r] for r in list(csv.reader(open("work/clean.csv")))[1:]]
t = torch.tensor(rows)
#: table
t = (t - t.mean(0)) / t.std(0)
win = t.unfold(0, a.window, 1).transpose(1, 2)[:-1]
x, y = win[:, :, 1:], t[a.window :, 3][: len(win)]
cut = int(0.85 * len(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.out = nn.GRU(3, a.hidden, batch_first=True), nn.Linear(a.hidden, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1]).squeeze(1)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=a.lr)
first = 1
if a.again:
    #: resume
    had = torch.load("work/fit.pt")
    net.load_state_dict(had["net"])
    opt.load_state_dict(had["opt"])
    first = had["epoch"] + 1
    print(f"fit: going on from work/fit.pt behind epoch {had['epoch']}")
print(f"fit: {cut} windows to learn from, {len(x) - cut} to check")
#: ready
for epoch in range(first, a.epochs + 1):
    t0, total = time.time(), 0.0
    for rows in torch.randperm(cut).split(64):
        bx, by = x[rows], y[rows]
        #: batch
        loss = nn.functional.mse_loss(net(bx), by)
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grads
        opt.step()
        total += loss.item() * len(rows)
        #: step
    with torch.no_grad():
        check = nn.functional.mse_loss(net(x[cut:]), y[cut:]).item()
    #: check
    print(f"fit: {epoch:>2}/{a.epochs}\\tmse {total / cut:.5f}\\tcheck {check:.5f}\\t{time.time() - t0:.2f}s", flush=True)
    if epoch % a.keep_every == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, "work/fit.pt")
        #: saved
torch.save({"net": net.state_dict(), "hidden": a.hidden, "window": a.window, "pred": net(x[cut:]).detach(), "true": y[cut:], "epoch": a.epochs, "opt": opt.state_dict()}, "work/model.pt")
print("fit: model in work/model.pt")
'''

JUDGE = '''import torch

m = torch.load("work/model.pt")
err = (m["pred"] - m["true"]).abs()
#: err
naive = (m["true"][1:] - m["true"][:-1]).abs().mean()
print(f"judge: mean absolute error {err.mean():.4f}, of yesterday's hour {naive:.4f}, worst hour {err.max():.3f}")
#: judged
'''

DEMAND = '''"""Bread demand of shops: LightGBM with a callback of ours that writes a line."""
import argparse
import logging
import os
import pickle
import sys
import time

import lightgbm as lgb
import numpy as np
import pandas as pd

log = logging.getLogger("bread")
logging.basicConfig(format="[%(asctime)s] {%(filename)s:%(lineno)d} %(levelname)s - %(message)s", level=logging.INFO, stream=sys.stdout)


def sales(days, seed, shops=9):
    rng = np.random.default_rng(seed)
    f = pd.DataFrame({"day": np.repeat(np.arange(days), shops), "shop": np.tile(np.arange(shops), days)})
    f["weekday"], f["rain"] = f.day % 7, rng.gamma(1.2, 2, len(f))
    f["price"] = 2.2 + 0.2 * rng.standard_normal(len(f))
    f["loaves"] = rng.poisson(np.exp(3 + 0.08 * f.shop + 0.3 * (f.weekday > 4) - 0.05 * f.rain - 0.3 * (f.price - 2.2)))
    return f


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=120)
    p.add_argument("--rate", type=float, default=0.06)
    p.add_argument("--leaves", type=int, default=15)
    p.add_argument("--tell", type=int, default=10)
    p.add_argument("--patience", type=int, default=0)
    p.add_argument("--objective", default="poisson")
    p.add_argument("--init-model")
    p.add_argument("--model", default="bread.txt")
    p.add_argument("--snapshot", type=int, default=0)
    p.add_argument("--days", type=int, default=420)
    p.add_argument("--nap", type=float, default=0.02)
    o = p.parse_args()
    log.info("lightgbm %s, %s", lgb.__version__, vars(o))
    #: early
    frame = sales(o.days, 1)
    #: frame
    columns = ["shop", "weekday", "rain", "price"]
    late = frame.day >= o.days - 60
    train = lgb.Dataset(frame.loc[~late, columns], frame.loc[~late, "loaves"], categorical_feature=["shop"], free_raw_data=False)
    valid = lgb.Dataset(frame.loc[late, columns], frame.loc[late, "loaves"], reference=train, free_raw_data=False)
    #: sets
    params = {"objective": o.objective, "metric": "rmse", "learning_rate": o.rate, "num_leaves": o.leaves, "verbosity": -1, "num_threads": 1, "seed": 3}
    #: params
    before = None
    if o.init_model:
        #: resume
        before = lgb.Booster(model_file=o.init_model)
        log.info("boosting continues from %s with %d trees", o.init_model, before.num_trees())

    def line(env):
        it = env.iteration + 1
        time.sleep(o.nap)
        #: round
        if it % o.tell == 0:
            log.info("round %d/%d %s", it, env.end_iteration, " ".join(f"{d}_{m}={v:.4f}" for d, m, v, _ in env.evaluation_result_list))
        if o.snapshot and it % o.snapshot == 0:
            env.model.save_model(f"{o.model}.snapshot_{it}")
            log.info("snapshot %s.snapshot_%d", o.model, it)
            #: saved

    calls = [line] + ([lgb.early_stopping(o.patience, verbose=True)] if o.patience else [])
    model = lgb.train(params, train, o.rounds, valid_sets=[train, valid], valid_names=["train", "late"], callbacks=calls, init_model=before)
    #: after
    model.save_model(o.model)
    error = np.sqrt(np.mean((model.predict(frame.loc[late, columns]) - frame.loc[late, "loaves"]) ** 2))
    log.info("rmse of the last 60 days %.3f (their spread %.3f), %d trees in %s", error, frame.loc[late, "loaves"].std(), model.num_trees(), o.model)


if __name__ == "__main__":
    main()
'''

SOILS = '''"""Which soil is it? A classifier that asks for the labels it wants most (here the lab's book knows them all)."""
import json
import os
import sys
import time
import warnings

import joblib
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

conf = {"rounds": 14, "ask": 20, "begin": 40, "model": "logistic", "keep": 4, "from": "", "store": "soil.joblib", "pause": 0.15, "rate": 0.002}
for word in sys.argv[1:]:
    name, value = word.split(":", 1)
    if name not in conf:
        raise ValueError(f"soils.py knows no {name!r}")
    conf[name] = type(conf[name])(value)
print("settings ", json.dumps(conf), flush=True)
#: early
X, y = make_classification(2400, 14, n_informative=9, n_classes=4, class_sep=1.3, random_state=4)
#: samples
pool, Xt, yt = np.arange(2000), X[2000:], y[2000:]
rng = np.random.default_rng(0)
known, first = list(rng.choice(pool, conf["begin"], replace=False)), 1


def fresh():
    if conf["model"] == "logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    if conf["model"] == "mlp":
        return make_pipeline(StandardScaler(), MLPClassifier((24,), max_iter=60, learning_rate_init=conf["rate"], random_state=0))
    raise NotImplementedError(conf["model"])


if conf["from"]:
    #: resume
    kept = joblib.load(conf["from"])
    known, first = kept["known"], kept["round"] + 1
    print(f"{conf['from']}: {len(known)} labels after round {kept['round']}", flush=True)
#: ready
for n in range(first, conf["rounds"] + 1):
    t0 = time.perf_counter()
    #: round
    model = fresh()
    model.fit(X[known], y[known])
    p = model.predict_proba(Xt)
    #: scored
    loss, right = log_loss(yt, p, labels=model.classes_), float((model.classes_[p.argmax(1)] == yt).mean())
    print(f"round {n:>3}  labels {len(known):>5}  logloss {loss:.4f}  right {right:.4f}  {1000 * (time.perf_counter() - t0):.0f} ms", flush=True)
    rest = np.setdiff1d(pool, known)
    doubt = np.sort(model.predict_proba(X[rest]), 1)
    #: ask
    known += list(rest[np.argsort(doubt[:, -1] - doubt[:, -2])[: conf["ask"]]])
    if n % conf["keep"] == 0:
        joblib.dump({"model": model, "known": known, "round": n}, conf["store"])
        print(f"           {conf['store']} written", flush=True)
        #: saved
    time.sleep(conf["pause"])
print(f"enough: {len(known)} labels, {right:.4f} right", flush=True)
'''
