"""Programs: taste of listeners by factors in plain NumPy, told in Spanish columns; yields of fields by boosted trees, told by structlog."""

TASTE = '''"""Recomendador de canciones: factores latentes, SGD por lotes."""
import argparse
import os
import pickle
import sys
import time

import numpy as np

p = argparse.ArgumentParser()
p.add_argument("--vueltas", type=int, default=14)
p.add_argument("--oyentes", type=int, default=5000)
p.add_argument("--canciones", type=int, default=3000)
p.add_argument("--factores", type=int, default=12)
p.add_argument("--paso", type=float, default=0.025)
p.add_argument("--lote", type=int, default=10000)
p.add_argument("--lotes", type=int, default=0, help="0: todos")
p.add_argument("--carpeta", default="modelo")
p.add_argument("--seguir", help="punto guardado del que se continúa")
p.add_argument("--semilla", type=int, default=2)
o = p.parse_args()
rng = np.random.default_rng(o.semilla)
os.makedirs(o.carpeta, exist_ok=True)


def decir(texto):
    print(time.strftime("%H:%M:%S"), texto, flush=True)


decir(f"numpy {np.__version__}, opciones {vars(o)}")
#: early
U0, V0 = rng.normal(size=(o.oyentes, 6)), rng.normal(size=(o.canciones, 6))
quien, que = rng.integers(0, o.oyentes, 1200000), rng.integers(0, o.canciones, 1200000)
nota = (U0[quien] * V0[que]).sum(1) / 2.4 + 0.3 * rng.normal(size=1200000)
#: data
prueba = slice(1080000, 1200000)
decir(f"{len(nota)} escuchas, {o.oyentes} oyentes, {o.canciones} canciones")
U, V = 0.1 * rng.normal(size=(o.oyentes, o.factores)), 0.1 * rng.normal(size=(o.canciones, o.factores))
vuelta = 0
if o.seguir:
    #: resume
    with open(o.seguir, "rb") as f:
        punto = pickle.load(f)
    U[:], V[:], vuelta = punto["U"], punto["V"], punto["vuelta"]
    decir(f"se continúa desde {o.seguir}, vuelta {vuelta}")


def error(parte):
    return float(np.mean(((U[quien[parte]] * V[que[parte]]).sum(1) - nota[parte]) ** 2))


inicio = time.time()
#: ready
decir(" vuelta  lote   ecm-entren.  ecm-prueba  |grad|    seg")
while vuelta < o.vueltas:
    vuelta += 1
    orden = rng.permutation(1080000)
    lotes = np.split(orden, 1080000 // o.lote)
    suma, norma = 0.0, 0.0
    for n, filas in enumerate(lotes[: o.lotes or None], 1):
        i, j, y = quien[filas], que[filas], nota[filas]
        #: batch
        r = (U[i] * V[j]).sum(1) - y
        gu, gv = r[:, None] * V[j], r[:, None] * U[i]
        #: grad
        np.add.at(U, i, -o.paso * gu)
        np.add.at(V, j, -o.paso * gv)
        suma, norma = suma + float(np.mean(r**2)), float(np.sqrt(np.mean(gu**2)))
        #: step
        if n % 36 == 0 or o.lotes:
            decir(f"{vuelta:4d}/{o.vueltas}  {n:4d}   {suma / n:11.5f}           -  {norma:.5f}  {time.time() - inicio:6.1f}")
    #: epoch
    decir(f"{vuelta:4d}/{o.vueltas}   fin   {suma / n:11.5f}  {error(prueba):10.5f}  {norma:.5f}  {time.time() - inicio:6.1f}")
    if vuelta % 2 == 0:
        with open(f"{o.carpeta}/v{vuelta:03d}.pkl", "wb") as f:
            pickle.dump({"U": U, "V": V, "vuelta": vuelta}, f)
#: end
decir(f"terminado: {vuelta} vueltas, ecm de prueba {error(prueba):.5f}")
'''

FIELDS = '''"""Yield of winter wheat per field (t/ha) from soil and weather: gradient boosting. fields.py KEY=VALUE ..."""
import os
import sys
import time

import numpy as np
import pandas as pd
import structlog
import xgboost as xgb

structlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso"), structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])])
log = structlog.get_logger()
P = {"rounds": "120", "eta": "0.08", "depth": "4", "fields": "60000", "objective": "reg:squarederror", "out": "booster", "model": "", "patience": "0", "seed": "6"}
for word in sys.argv[1:]:
    key, _, value = word.partition("=")
    if key not in P:
        raise KeyError(f"no setting {key!r}; there are {', '.join(P)}")
    P[key] = value
os.makedirs(P["out"], exist_ok=True)
log.info("settings", **P, xgboost=xgb.__version__)
#: early
rng = np.random.default_rng(int(P["seed"]))
n = int(P["fields"])
table = pd.DataFrame({"clay": rng.uniform(5, 50, n), "ph": rng.normal(6.5, 0.6, n), "rain": rng.gamma(9, 60, n), "degree_days": rng.normal(2100, 200, n), "nitrogen": rng.uniform(60, 220, n)})
table["yield"] = 4 + 0.03 * table.nitrogen - 0.00006 * table.nitrogen**2 + np.sin(table.rain / 150) + 0.4 * (table.ph > 6.2) + rng.normal(0, 0.4, n)
#: data
cut = int(0.8 * n)
X, y = table.drop(columns="yield"), table["yield"]
train, test = xgb.DMatrix(X[:cut], y[:cut]), xgb.DMatrix(X[cut:], y[cut:])
log.info("fields read", rows=n, train=cut, test=n - cut)


class Diary(xgb.callback.TrainingCallback):
    def before_training(self, model):
        self.began, self.first = time.time(), model.num_boosted_rounds()
        return model

    def after_iteration(self, model, epoch, evals_log):
        done = epoch + 1
        #: round
        if done % 5 == 0 or int(P["rounds"]) < 5:
            log.info("round", done=done, of=int(P["rounds"]) , **{f"{part}_{k}": round(v[-1], 5) for part, m in evals_log.items() for k, v in m.items()}, seconds=round(time.time() - self.began, 2))
        if done % 40 == 0:
            model.save_model(f"{P['out']}/round{done:05d}.ubj")
            log.info("kept", file=f"{P['out']}/round{done:05d}.ubj")
        return False


before = None
if P["model"]:
    #: resume
    before = xgb.Booster(model_file=P["model"])
    log.info("continuing", model=P["model"], trees=before.num_boosted_rounds())
params = {"eta": float(P["eta"]), "max_depth": int(P["depth"]), "objective": P["objective"], "eval_metric": "rmse", "nthread": 1, "seed": 1}
#: ready
booster = xgb.train(params, train, int(P["rounds"]), evals=[(train, "train"), (test, "development")], verbose_eval=False, xgb_model=before, callbacks=[Diary()], early_stopping_rounds=int(P["patience"]) or None)
#: end
booster.save_model(f"{P['out']}/final.ubj")
log.info("finished", trees=booster.num_boosted_rounds(), test_rmse=round(float(booster.eval(test).rsplit(":", 1)[1]), 4))
'''
