"""Programs over scikit-learn, XGBoost and LightGBM: current drawn by trams told as CSV, lines of machines' journals sorted into kinds, a harvest told in Spanish; and a shell's pipeline with a small net, and settings tried in a row; with places for what a case does."""

TRAMS = '''"""Current drawn by a tram between two stops; boosted trees, one row of CSV per round."""
import argparse
import csv
import os
import sys
import time

import numpy as np
import xgboost as xgb

ap = argparse.ArgumentParser(prog="trams")
ap.add_argument("--num-rounds", type=int, default=40)
ap.add_argument("--eta", type=float, default=0.15)
ap.add_argument("--max-depth", type=int, default=3)
ap.add_argument("--rides", type=int, default=600)
ap.add_argument("--objective", default="reg:squarederror")
ap.add_argument("--metric", default="rmse")
ap.add_argument("--table", help="CSV: load,slope,stops,temp,amps")
ap.add_argument("--base-model")
ap.add_argument("--dump-every", type=int, default=0)
ap.add_argument("--dump", default="trams.ubj")
ap.add_argument("--stop-after", type=int, default=0)
ap.add_argument("--wait", type=float, default=0.0)
a = ap.parse_args()
rng = np.random.default_rng(21)
#: early
if a.table:
    with open(a.table) as f:
        rows = [[float(v) for v in r.values()] for r in csv.DictReader(f)]
    T = np.array(rows)
    X, y = T[:, :4], T[:, 4]
else:
    X = rng.uniform(0, 1, (a.rides, 4))
    y = 40 + 60 * X[:, 0] * (1 + X[:, 1]) - 15 * np.abs(X[:, 3] - 0.5) + 3 * rng.normal(size=len(X))
#: data
cut = max(1, len(X) * 4 // 5)
fit, held = xgb.DMatrix(X[:cut], y[:cut]), xgb.DMatrix(X[cut:], y[cut:])
params = {"objective": a.objective, "eta": a.eta, "max_depth": a.max_depth, "eval_metric": a.metric, "nthread": 1, "base_score": 0.5}


class Rows(xgb.callback.TrainingCallback):
    def __init__(self, done):
        self.done, self.t0 = done, time.perf_counter()

    def after_iteration(self, model, epoch, evals_log):
        n = self.done + epoch + 1
        fitted, other = (evals_log[k][a.metric][-1] for k in ("fit", "held"))
        #: mid
        print(f"{n},{a.num_rounds},{fitted:.5f},{other:.5f},{time.perf_counter() - self.t0:.2f}", flush=True)
        #: after
        if a.dump_every and n % a.dump_every == 0:
            #: save
            model.save_model(a.dump)
            print(f"# {a.dump} holds {n} rounds", flush=True)
        time.sleep(a.wait)
        return False


base, done = None, 0
if a.base_model:
    #: restore
    base = xgb.Booster(model_file=a.base_model)
    done = base.num_boosted_rounds()
    print(f"# {a.base_model}: {done} rounds, going on", flush=True)
print(f"# xgboost {xgb.__version__}, {len(X)} rides, {a.num_rounds} rounds", flush=True)
print(f"round,of,fit_{a.metric},held_{a.metric},seconds", flush=True)
#: ready
stop = [xgb.callback.EarlyStopping(a.stop_after, data_name="held")] if a.stop_after else []
model = xgb.train(params, fit, max(0, a.num_rounds - done), [(fit, "fit"), (held, "held")], verbose_eval=False, xgb_model=base, callbacks=[Rows(done), *stop])
#: late
print(f"# {model.num_boosted_rounds()} rounds in the model", flush=True)
'''

JOURNAL = '''"""Sort lines of machines' journals into kinds, chunk by chunk. Layout of our lines: time | level | place - text"""
import datetime, os, pickle, random, sys, time
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss

ARGS = dict(a.split("=", 1) for a in sys.argv[1:])
CHUNKS, SIZE, ETA = int(ARGS.get("chunks", 40)), int(ARGS.get("size", 64)), float(ARGS.get("eta", 0.5))
PICKLE, EACH, OLD, NAP = ARGS.get("pickle", "sorter.pkl"), int(ARGS.get("each", 0)), ARGS.get("old"), float(ARGS.get("nap", 0.01))
SPREAD = int(ARGS.get("bits", 10))


def line(text, level="INFO", place="fit:chunk"):
    print(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S.%f} | {level:<8} | {place}:{sys._getframe(1).f_lineno} - {text}", file=sys.stderr, flush=True)


random.seed(6)
KINDS = {
    "disk": "no space left on device write failed inode sector".split(),
    "memory": "out of memory killed process score oom allocation".split(),
    "net": "connection reset by peer timeout unreachable refused".split(),
    "crash": "segfault at ip error core dumped traceback signal".split(),
    "calm": "started session closed for user rotated daily".split(),
}
NAMES = sorted(KINDS)
#: early


def chunk(n):
    ys = [random.choice(NAMES) for _ in range(n)]
    xs = [" ".join(random.choice(KINDS[y] if random.random() < 0.6 else KINDS[random.choice(NAMES)]) for _ in range(6)) for y in ys]
    return xs, [NAMES.index(y) for y in ys]


#: data
vec = HashingVectorizer(n_features=2**SPREAD, alternate_sign=False)
clf = SGDClassifier(loss="log_loss", learning_rate="constant", eta0=ETA, alpha=1e-5, random_state=0)
begin = 0
if OLD:
    #: restore
    with open(OLD, "rb") as f:
        begin, clf = pickle.load(f)
    line(f"read {OLD}, {begin} chunks have been seen")
test_x, test_y = chunk(200)
test = vec.transform(test_x)
line(f"{CHUNKS} chunks of {SIZE} lines, kinds {', '.join(NAMES)}", place="main:setup")
#: ready
for n in range(begin + 1, CHUNKS + 1):
    xs, ys = chunk(SIZE)
    #: mid
    clf.partial_fit(vec.transform(xs), ys, classes=range(len(NAMES)))
    proba = clf.predict_proba(test)
    ll, hit = log_loss(test_y, proba, labels=range(len(NAMES))), float((proba.argmax(1) == test_y).mean())
    #: loss
    line(f"chunk {n:>3}/{CHUNKS}: log_loss={ll:.4f} right={hit:.3f} |w|={np.abs(clf.coef_).mean():.4f}")
    #: after
    if EACH and n % EACH == 0:
        #: save
        with open(PICKLE, "wb") as f:
            pickle.dump((n, clf), f)
        line(f"{PICKLE} written after chunk {n}", "SUCCESS", "fit:keep")
    time.sleep(NAP)
#: late
for k, name in enumerate(NAMES):
    line(f"{name:<7} right in {float((proba.argmax(1) == k)[np.array(test_y) == k].mean()):.2f} of its lines", place="main:report")
line("everything sorted", "SUCCESS", "main:report")
'''

COSECHA = '''import os, sys, time
import numpy as np
import lightgbm as lgb

RONDAS = int(os.environ.get("RONDAS", "40"))
TASA = float(os.environ.get("TASA", "0.1"))
HOJAS = int(os.environ.get("HOJAS", "7"))
PARCELAS = int(os.environ.get("PARCELAS", "500"))
MODELO_PREVIO = os.environ.get("MODELO_PREVIO")
GUARDAR = int(os.environ.get("GUARDAR", "0"))
DESTINO = os.environ.get("DESTINO", "cosecha.txt")
PAUSA = float(os.environ.get("PAUSA", "0"))
azar = np.random.default_rng(77)
#: inicio
X = azar.normal(size=(PARCELAS, 5))
y = 3 + 1.5 * X[:, 0] - np.abs(X[:, 1]) + X[:, 2] * (X[:, 3] > 0) + 0.3 * azar.normal(size=PARCELAS)
#: datos
corte = max(1, PARCELAS * 3 // 4)
ajuste = lgb.Dataset(X[:corte], y[:corte], free_raw_data=False)
prueba = lgb.Dataset(X[corte:], y[corte:], reference=ajuste, free_raw_data=False)
hechas, previo, mejor = 0, None, [9e9]
if MODELO_PREVIO:
    #: previo
    previo = lgb.Booster(model_file=MODELO_PREVIO)
    hechas = previo.num_trees()
    print(f">> se continúa {MODELO_PREVIO}, que tiene {hechas} árboles", flush=True)
print(f">> {PARCELAS} parcelas; {RONDAS} rondas; tasa {TASA}", flush=True)


def contar(e):
    ronda = e.iteration + 1 + (hechas if e.begin_iteration == 0 else 0)
    valores = {(q, m): v for q, m, v, *_ in e.evaluation_result_list}
    dentro, fuera = valores["ajuste", "l2"], valores["prueba", "l2"]
    mejor[0] = min(mejor[0], fuera)
    #: ronda
    print(f"   ronda {ronda:>3} de {RONDAS}   ajuste {dentro:.4f}   prueba {fuera:.4f}   mejor {mejor[0]:.4f}", flush=True)
    #: despues
    if GUARDAR and ronda % GUARDAR == 0:
        #: guardar
        e.model.save_model(DESTINO)
        print(f">> modelo de {ronda} rondas en {DESTINO}", flush=True)
    time.sleep(PAUSA)


contar.order = 40
opciones = {"objective": "regression", "metric": "l2", "learning_rate": TASA, "num_leaves": HOJAS, "min_data_in_leaf": 5, "verbosity": -1, "num_threads": 1, "boost_from_average": False}
#: listo
m = lgb.train(opciones, ajuste, max(1, RONDAS - hechas), valid_sets=[ajuste, prueba], valid_names=["ajuste", "prueba"], init_model=previo, callbacks=[contar])
#: fin
print(f">> fin: {m.num_trees()} árboles, mejor error {mejor[0]:.4f}", flush=True)
'''

PIPE = r'''#!/bin/bash
# mend.sh: windows -> fit -> sheet. Forecast of wear on loom belts.
cd "$(dirname "$0")" || exit 2
: "${STEPS:=90}" "${GO_ON:=}" "${KEEP:=30}" "${PY:=python3}"
say() { printf '==> [%s] %s\n' "$1" "$2"; }
#: early
say 1/3 "cutting windows"
$PY windows.py || { say 1/3 "FAILED with $?"; exit 3; }
#: cut
say 2/3 "fitting, $STEPS steps"
$PY fit.py "$STEPS" "$KEEP" "$GO_ON"
rc=$?
#: fitted
if [ $rc -ne 0 ]; then say 2/3 "fit.py left with $rc"; exit $rc; fi
say 3/3 "writing the sheet"
#: sheet
$PY -c "import json; d = json.load(open('sheet.json')); print('\n'.join(f'    {k:<12}{v}' for k, v in d.items()))"
#: late
say 3/3 "ready"
'''
WINDOWS = '''import numpy as np
rng = np.random.default_rng(9)
wear = np.cumsum(rng.gamma(0.4, 0.5, 900)) % 20 / 10 - 1
#: wear
X = np.stack([wear[i : i + 8] for i in range(860)])
np.savez("windows.npz", X=X, y=wear[8:868])
print(f"    {len(X)} windows of 8 hours", flush=True)
'''
FIT = '''import json, os, sys, time
import numpy as np
steps, keep, go_on = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with np.load("windows.npz") as z:
    X, y = z["X"], z["y"]
rng = np.random.default_rng(1)
A, B, at = rng.normal(0, 0.3, (8, 12)), np.zeros(12), 0
rate = float(os.environ.get("RATE", "0.08"))
#: early
if go_on:
    #: restore
    with np.load(go_on) as z:
        A, B, at = z["A"], z["B"], int(z["at"])
    print(f"    {go_on} taken, {at} steps are behind it", flush=True)
#: ready
for step in range(at + 1, steps + 1):
    i = rng.integers(0, len(X), 64)
    #: mid
    H = np.tanh(X[i] @ A)
    err = H @ B - y[i]
    mse = float((err**2).mean())
    #: loss
    gB, gA = H.T @ err / 64, X[i].T @ (np.outer(err, B) * (1 - H**2)) / 64
    A, B = A - rate * gA, B - rate * gB
    if step % 5 == 0:
        print(f"    step={step:<5d}mse={mse:<10.5f}grad={np.sqrt((gA**2).sum() + (gB**2).sum()):<10.4f}", flush=True)
    #: after
    if keep and step % keep == 0:
        #: save
        np.savez("belt.npz", A=A, B=B, at=step)
        print(f"    belt.npz <- step {step}", flush=True)
    time.sleep(0.01)
json.dump({"steps": steps, "mse": round(mse, 5)}, open("sheet.json", "w"))
'''

TRYOUTS = '''"""Tries settings of a small net for grading apples, keeps the best one."""
import itertools, os, random, sys, time, traceback
import torch
from torch import nn

SHORT = int(os.environ.get("SHORT", "40"))
LONG = int(os.environ.get("LONG", "150"))
GRID = list(itertools.product((0.3, 0.05, 0.005), (8, 24)))[: int(os.environ.get("TRIES", "6"))]
torch.manual_seed(2)
print(f"{len(GRID)} settings to try, {SHORT} steps each, then {LONG} steps with the best", flush=True)
#: early
X = torch.randn(400, 6)
y = (X[:, 0] * X[:, 1] + X[:, 2] > 0.3).long() + (X[:, 3] > 1).long()
#: data


def train(rate, units, steps, name, every):
    net = nn.Sequential(nn.Linear(6, units), nn.Tanh(), nn.Linear(units, 3))
    opt = torch.optim.SGD(net.parameters(), rate, momentum=0.9)
    #: built
    for step in range(1, steps + 1):
        i = torch.randint(0, 400, (32,))
        #: mid
        loss = nn.functional.cross_entropy(net(X[i]), y[i])
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % every == 0:
            full = nn.functional.cross_entropy(net(X), y).item()
            print(f"  <{name}> {step:>4}/{steps}  ce {full:.4f}", flush=True)
        #: after
        time.sleep(0.004)
    return nn.functional.cross_entropy(net(X), y).item(), net


results = []
for k, (rate, units) in enumerate(GRID, 1):
    print(f"setting {k} of {len(GRID)}: rate {rate:g}, {units} units", flush=True)
    #: setting
    try:
        #: trying
        results.append((train(rate, units, SHORT, f"s{k}", max(1, SHORT // 2))[0], rate, units))
    except Exception as e:
        #: caught
        traceback.print_exc()
        print(f"setting {k} left out ({type(e).__name__})", flush=True)
results.sort()
print("ranking: " + "; ".join(f"{r:g}/{u}: {v:.3f}" for v, r, u in results), flush=True)
#: best
final, net = train(results[0][1], results[0][2], LONG, "best", 15)
torch.save(net.state_dict(), "apples.pt")
#: late
print(f"kept apples.pt, ce {final:.4f}", flush=True)
'''
