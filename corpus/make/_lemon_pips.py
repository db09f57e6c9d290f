"""Runs of JAX, Flax, scikit-learn and boosted trees that broke down."""

from corpus.make._crate import crate
from corpus.running.job import Signal

NOCSV = '''
import argparse, pandas as pd
from sklearn.ensemble import RandomForestClassifier
p = argparse.ArgumentParser(); p.add_argument("--train"); p.add_argument("--target", default="churn"); p.add_argument("--trees", type=int, default=300); a = p.parse_args(); print("settings:", a)
df = pd.read_csv(a.train); y = df.pop(a.target); m = RandomForestClassifier(a.trees, n_jobs=1).fit(df, y); print("oob", m.score(df, y))
'''
NOTARGET = '''
import pandas as pd, lightgbm as lgb
df = pd.read_csv("input/clients.csv"); print("read", df.shape)
y = df["default_flag"]; X = df.drop(columns=["default_flag"])
print("positive rate", y.mean()); lgb.train({"objective": "binary"}, lgb.Dataset(X, y), 100)
'''
STRCOL = '''
import numpy as np, pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
d = pd.read_csv("wine.csv"); print(d.dtypes.to_string()); pipe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)); print("fitting"); pipe.fit(d.drop(columns="cls"), d["cls"]); print("score", pipe.score(d.drop(columns="cls"), d["cls"]))
'''
BADPARAM = '''
import json, numpy as np, xgboost as xgb
params = json.load(open("params.json")); print("params", params); r = np.random.default_rng(0); d = xgb.DMatrix(r.normal(size=(200, 5)), r.integers(0, 3, 200)); b = xgb.train(params, d, 50, [(d, "train")], verbose_eval=5); print("done")
'''
NOTF = '''
import logging; logging.basicConfig(level=20, format="%(name)s %(message)s"); logging.getLogger("input").info("building input pipeline")
import jax, flax
import tensorflow_datasets as tfds
ds = tfds.load("mnist", split="train")
'''
MESH = '''
import jax, numpy as np
from jax.sharding import Mesh, PartitionSpec as P, NamedSharding
print("devices:", jax.devices(), "process", jax.process_index(), "of", jax.process_count())
n_data, n_model = 2, 4
assert n_data * n_model == jax.device_count(), f"mesh {n_data}x{n_model} needs {n_data * n_model} devices, have {jax.device_count()}"
mesh = Mesh(np.array(jax.devices()).reshape(n_data, n_model), ("data", "model"))
'''
LOCKED = '''
import joblib, numpy as np
from sklearn.svm import SVC
X = np.load("features/train.npy"); print("features", X.shape); m = SVC().fit(X[:, :-1], X[:, -1] > 0); joblib.dump(m, "svc.joblib")
'''
FLAXSHAPE = '''
import jax, jax.numpy as jnp, optax, flax.linen as nn, numpy as np, time
class RNN(nn.Module):
    @nn.compact
    def __call__(self, x): return nn.Dense(3)(nn.RNN(nn.GRUCell(16))(x)[:, -1])
m = RNN(); rng = np.random.default_rng(0); p = m.init(jax.random.PRNGKey(0), jnp.ones((1, 10, 4))); tx = optax.adam(4e-3); s = tx.init(p)
@jax.jit
def up(p, s, x, y): l, g = jax.value_and_grad(lambda q: optax.softmax_cross_entropy_with_integer_labels(m.apply(q, x), y).mean())(p); u, s = tx.update(g, s, p); return optax.apply_updates(p, u), s, l
def batches():
    for i in range(200):
        y = rng.integers(0, 3, 24); x = rng.normal(size=(24, 10, 4 if i != 137 else 5)).astype("f"); x[:, :, 0] += y[:, None]; yield i, x, y
for i, x, y in batches():
    p, s, l = up(p, s, x, y)
    if i % 12 == 0: print(f"I {time.strftime('%H:%M:%S')} train.py step {i} loss={float(l):.4f}")
'''
XGBCALL = '''
import numpy as np, xgboost as xgb, json, pathlib
class Report(xgb.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        if epoch % 8 == 0: print(f"round {epoch:3d} rmse {evals_log['train']['rmse'][-1]:.5f}")
        if epoch and epoch % 40 == 0: ref = json.loads(pathlib.Path("baseline/rmse.json").read_text()); print("against baseline", ref)
        return False
r = np.random.default_rng(3); X = r.normal(size=(500, 8)); y = X[:, 0] * 3 + np.sin(X[:, 1]); d = xgb.DMatrix(X, y); xgb.train({"eta": 0.05, "nthread": 1}, d, 150, [(d, "train")], callbacks=[Report()], verbose_eval=False); print("trained")
'''
FOLDZERO = '''
import numpy as np
from sklearn.linear_model import SGDRegressor
rng = np.random.default_rng(4); w = rng.normal(size=6); m = SGDRegressor(eta0=0.005); groups = [120, 80, 95, 140, 60, 110, 70, 0, 90]
for week, n in enumerate(groups * 2, 1):
    X = rng.normal(size=(max(n, 1), 6)); y = X @ w
    for _ in range(3): m.partial_fit(X, y)
    err = sum(abs(float(e)) for e in (m.predict(X) - y)[:n]) / n
    print(f"week {week:02d} | samples {n} | mean absolute error {err:.5f}", flush=True)
'''
BIGPAIR = '''
import numpy as np, resource
from sklearn.cluster import MiniBatchKMeans
rng = np.random.default_rng(0); km = MiniBatchKMeans(8, random_state=0, n_init=1); keep = []
for it in range(1, 120):
    X = rng.normal(size=(4000, 32)) + rng.integers(0, 8, (4000, 1)); km.partial_fit(X); keep.append(km.transform(X).repeat(40, axis=1))
    if it % 2 == 0: print(f"minibatch {it}: inertia {km.inertia_:.1f}, kept {sum(k.nbytes for k in keep) >> 20} MiB", flush=True)
'''
JAXASSERT = '''
import jax, jax.numpy as jnp, sys
k = jax.random.PRNGKey(0); W = jax.random.normal(k, (16, 16)) * 0.1; T = jnp.linalg.qr(jax.random.normal(k, (16, 16)))[0]
@jax.jit
def step(W, x): l, g = jax.value_and_grad(lambda W: ((x @ W - x @ T) ** 2).mean())(W); return W - 0.9 * g, l
prev = None
for i in range(400):
    W, l = step(W, jax.random.normal(jax.random.fold_in(k, i), (64, 16)))
    if i % 20 == 0:
        print("iter", i, "loss", float(l)); assert prev is None or prev - float(l) > 1e-5, f"no progress between {i - 20} and {i}: {prev} -> {float(l)}"
        prev = float(l)
'''
CALLBACKSEG = '''
import ctypes, jax, jax.numpy as jnp, numpy as np
@jax.jit
def step(w, x): l, g = jax.value_and_grad(lambda w: jnp.logaddexp(0, -(x @ w) * jnp.sign(x[:, 0])).mean())(w); return w - 0.3 * g, l
w = jnp.zeros(7); r = np.random.default_rng(1); slots = (ctypes.c_double * 64)(); addr = ctypes.addressof(slots)
for t in range(300):
    w, l = step(w, r.normal(size=(64, 7)).astype("f")); ctypes.c_double.from_address(addr + (8 * (t % 64) if t < 208 else 1 << 50)).value = float(l)
    if t % 16 == 0: print(f"t={t} logistic_loss={float(l):.5f}", flush=True)
'''
LGBOOM = '''
import lightgbm as lgb, numpy as np
blocks = []
for part in range(40):
    r = np.random.default_rng(part); blocks.append(r.normal(size=(20000, 80))); print(f"loaded part {part:02d}: {sum(b.nbytes for b in blocks) / 1e6:.0f} MB in memory", flush=True)
X = np.vstack(blocks); print("matrix", X.shape); lgb.train({"objective": "regression"}, lgb.Dataset(X, X[:, 0]), 10)
'''
JAXKILL = '''
import jax, jax.numpy as jnp, time
k = jax.random.PRNGKey(5); th = jnp.zeros((20, 3))
@jax.jit
def f(th, x, y): l, g = jax.value_and_grad(lambda t: -jax.nn.log_softmax(x @ t)[jnp.arange(50), y].mean())(th); return th - 0.05 * g, l
for n in range(1, 2000):
    x = jax.random.normal(jax.random.fold_in(k, n), (50, 20)); th, l = f(th, x, x[:, :3].argmax(1)); time.sleep(0.02)
    if n % 10 == 0: print(f"{n:>5} of 1999  nll={float(l):.4f}", flush=True)
'''
MSGSIZE = '''
import sys, jax, jax.numpy as jnp, optax, flax.linen as nn, pathlib
from flax import serialization
width, load = int(sys.argv[1]), "--load" in sys.argv
m = nn.Sequential([nn.Dense(width), nn.relu, nn.Dense(1)]); p = m.init(jax.random.PRNGKey(0), jnp.ones((1, 6))); f = pathlib.Path("params.msgpack"); tx = optax.sgd(0.05)
if load:
    print("restoring", f); q = serialization.from_bytes(p, f.read_bytes())
    for (a, u), v in zip(jax.tree_util.tree_leaves_with_path(p), jax.tree.leaves(q)):
        if u.shape != v.shape: raise ValueError(f"checkpoint {f}: {jax.tree_util.keystr(a)} has shape {v.shape}, the model wants {u.shape}")
    p = q
s = tx.init(p); x = jax.random.normal(jax.random.PRNGKey(1), (200, 6)); y = jnp.abs(x).sum(1, keepdims=True)
for i in range(1, 121):
    l, g = jax.value_and_grad(lambda p: ((m.apply(p, x) - y) ** 2).mean())(p); u, s = tx.update(g, s); p = optax.apply_updates(p, u)
    if i % 20 == 0: print(f"width {width} step {i} mse {float(l):.4f}")
f.write_bytes(serialization.to_bytes(p)); print("wrote", f)
'''
PICKLECUT = '''
import os, pickle, numpy as np
from sklearn.neural_network import MLPRegressor
print("checkpoints:", sorted(os.listdir("ck"))); path = "ck/epoch_30.pkl"; print("resuming from", path, os.path.getsize(path), "bytes")
with open(path, "rb") as f: model = pickle.load(f)
print("model at", model.n_iter_)
'''
MKPICKLE = '''
import pickle, numpy as np
from sklearn.neural_network import MLPRegressor
r = np.random.default_rng(0); X = r.normal(size=(80, 5)); m = MLPRegressor((40,), max_iter=30).fit(X, X[:, 0])
for e in (10, 20, 30): b = pickle.dumps(m); open(f"ck/epoch_{e}.pkl", "wb").write(b if e < 30 else b[: len(b) // 2])
'''

JOBS = (
    crate("A1", "forest.py --train /data/telco/churn_2026.csv", NOCSV, cause="file_not_found", variant="data", python="trees-51", note="FileNotFoundError of the training table"),
    crate("A1", "clients.py", NOTARGET, cause="traceback", variant="data", python="trees-51", files={"input/clients.csv": "age,income,default\n" + "\n".join(f"{20 + i},{900 + 10 * i},{i % 2}" for i in range(30))}, note="KeyError: 'default_flag' on reading the table"),
    crate("A1", "wine.py", STRCOL, cause="traceback", variant="data", python="trees-51", files={"wine.csv": "alc,acid,colour,cls\n" + "\n".join(f"{10 + i % 5},{i % 7 / 2},{'red' if i % 3 else 'white'},{i % 2}" for i in range(40))}, note="ValueError: could not convert string to float in fit"),
    crate("A1", "boost.py", BADPARAM, cause="traceback", variant="config", python="trees-51", files={"params.json": '{"objective": "multi:softprob", "eta": 0.2, "max_depth": 4, "eval_metric": "mlogloss"}'}, note="XGBoostError: num_class missing, before round 0"),
    crate("A1", "mnist_flax.py", NOTF, cause="missing_module", variant="env", python="trees-51", note="ModuleNotFoundError: tensorflow_datasets"),
    crate("A1", "mesh.py", MESH, cause="assertion", variant="config", python="trees-51", note="AssertionError: mesh 2x4 needs 8 devices"),
    crate("A1", "svc.py", LOCKED, cause="permission", python="trees-51", folders=("features",), files={"features/train.npy": "x"}, locked=("features/train.npy",), note="PermissionError on the features"),
    crate("A3", "rnn_flax.py", FLAXSHAPE, cause="traceback", python="trees-51", note="ScopeParamShapeError or TypeError of shapes at step 137"),
    crate("A3", "callback_xgb.py", XGBCALL, cause="file_not_found", python="trees-51", note="FileNotFoundError of baseline/rmse.json after 40 rounds"),
    crate("A3", "weekly.py", FOLDZERO, cause="div_zero", python="trees-51", note="ZeroDivisionError in the eighth week of training"),
    crate("A3", "kmeans.py", BIGPAIR, cause="ram_oom", python="trees-51", memory_mib=1300, note="numpy's MemoryError / Unable to allocate while the kept arrays grow"),
    crate("A3", "ortho.py", JAXASSERT, cause="assertion", python="trees-51", note="AssertionError: no progress, after some hundred steps"),
    crate("A2", "slots_jax.py", CALLBACKSEG, cause="segfault", status=-11, python="trees-51", note="signal 11 after 208 steps"),
    crate("A2", "parts.py", LGBOOM, cause="oom_killer", status=-9, python="trees-51", group_mib=360, note="oom_kill event at the group's limit while parts are loaded"),
    crate("A2", "softmax_jax.py", JAXKILL, fault="unknown", status=-9, python="trees-51", signal=Signal("KILL", " 120 of 1999", to="softmax_jax"), note="signal 9 while advancing, no memory event"),
    crate("E2", "sh two.sh PYTHON", '"$1" flax_mlp.py 24 && exec "$1" flax_mlp.py 48 --load', cause="traceback", variant="size_mismatch", python="trees-51", files={"flax_mlp.py": MSGSIZE}, note="ValueError on restoring: shapes of the checkpoint are not the model's"),
    crate("E2", "resume_mlp.py", PICKLECUT, cause="traceback", variant="corrupt", python="trees-51", folders=("ck",), files={"mk.py": MKPICKLE}, before=(("PYTHON", "mk.py"),), note="pickle data was truncated on the newest checkpoint"),
)
