"""Runs of JAX, Flax, scikit-learn and boosted trees that stood still, dragged on, learned nothing or ended too soon."""

from corpus.make._crate import crate
from corpus.running.job import Signal

JAXWAIT = '''
import jax, sys, time
print(time.strftime("%H:%M:%S"), "coordinator on", sys.argv[1], "- process 0 of 2", flush=True)
jax.distributed.initialize(sys.argv[1], num_processes=2, process_id=0)
print(time.strftime("%H:%M:%S"), "devices:", jax.devices(), flush=True)
'''
HOSTCALL = '''
import jax, jax.numpy as jnp, threading, time
gate = threading.Event(); gate.set()
def tap(l, i):
    gate.wait()
    if int(i) % 10 == 0: print(f"step {int(i):4d} loss {float(l):.5f}", flush=True)
    if int(i) == 130: gate.clear()
@jax.jit
def step(w, i, x):
    l, g = jax.value_and_grad(lambda w: ((jnp.tanh(x @ w) - x.sum(1, keepdims=True) / 4) ** 2).mean())(w); jax.debug.callback(tap, l, i, ordered=True); return w - 0.1 * g
w = jnp.zeros((8, 1)); k = jax.random.PRNGKey(0)
for i in range(600): w = step(w, i, jax.random.normal(jax.random.fold_in(k, i), (32, 8))); jax.block_until_ready(w); time.sleep(0.02)
print("finished")
'''
JOBQUEUE = '''
import multiprocessing as mp, numpy as np, time
from sklearn.linear_model import SGDClassifier
def reader(q):
    r = np.random.default_rng(0)
    for c in range(60): X = r.normal(size=(200, 10)); q.put((X, (X[:, 0] > 0).astype(int)))
if __name__ == "__main__":
    q = mp.Queue(4); mp.Process(target=reader, args=(q,), daemon=True).start(); m = SGDClassifier(loss="log_loss"); seen = 0; t0 = time.time()
    for chunk in range(1, 101):
        X, y = q.get(); m.partial_fit(X, y, classes=[0, 1]); seen += len(y); time.sleep(0.08)
        print(f"chunk {chunk} of 100: {seen} rows, accuracy {m.score(X, y):.4f}, {seen / (time.time() - t0):.0f} rows/s", flush=True)
'''
GZIPFEED = '''
import gzip, io, json, time, jax, jax.numpy as jnp, numpy as np, optax
def records(n):
    for i in range(n):
        r = np.random.default_rng(i); blob = gzip.compress(json.dumps(r.normal(size=(32, 6)).round(4).tolist()).encode()); time.sleep(0.28); yield jnp.array(json.loads(gzip.decompress(blob)))
w = jnp.zeros((6, 1)); tx = optax.adam(0.05); s = tx.init(w)
@jax.jit
def up(w, s, x): l, g = jax.value_and_grad(lambda w: ((x @ w - x[:, :1] + x[:, 2:3]) ** 2).mean())(w); u, s = tx.update(g, s); return w + u, s, l
up(w, s, jnp.ones((32, 6))); src = records(48); stall = dev = 0.0
for i in range(1, 49):
    a = time.perf_counter(); x = next(src); b = time.perf_counter(); w, s, l = up(w, s, x); jax.block_until_ready(w); c = time.perf_counter(); stall += b - a; dev += c - b
    if i % 6 == 0: print(f"step {i}/48 loss {float(l):.4f} | infeed stall {1e3 * (b - a):.1f} ms, device {1e3 * (c - b):.2f} ms | device busy {100 * dev / (dev + stall):.1f}%", flush=True)
print("train loop done")
'''
XGBCKPT = '''
import os, time, numpy as np, xgboost as xgb
class Keep(xgb.callback.TrainingCallback):
    def after_iteration(self, model, epoch, log):
        t = time.time(); model.save_model(f"rounds/{epoch:04d}.json"); fd = os.open(f"rounds/{epoch:04d}.json", os.O_RDONLY); os.fsync(fd); os.close(fd); model.dump_model(f"rounds/{epoch:04d}.txt", with_stats=True)
        print(f"[{epoch}] logloss {log['train']['logloss'][-1]:.5f} -> saved rounds/{epoch:04d}.json ({time.time() - t:.3f}s)", flush=True); return False
r = np.random.default_rng(0); X = r.normal(size=(2000, 10)); y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int); t0 = time.time(); os.makedirs("rounds", exist_ok=True)
xgb.train({"objective": "binary:logistic", "eval_metric": "logloss", "max_depth": 7, "nthread": 1}, d := xgb.DMatrix(X, y), 70, [(d, "train")], callbacks=[Keep()], verbose_eval=False); print(f"70 rounds in {time.time() - t0:.1f}s")
'''
ORBAXLESS = '''
import jax, jax.numpy as jnp, flax.linen as nn, optax, os, time
from flax import serialization
m = nn.Dense(2000); x = jax.random.normal(jax.random.PRNGKey(0), (32, 120)); p = m.init(jax.random.PRNGKey(1), x); tx = optax.adamw(1e-2); s = tx.init(p); y = jnp.tanh(jnp.tile(x, (1, 17))[:, :2000])
step = jax.jit(lambda p, s: (lambda lg: (*(lambda us: (optax.apply_updates(p, us[0]), us[1]))(tx.update(lg[1], s, p)), lg[0]))(jax.value_and_grad(lambda p: ((m.apply(p, x) - y) ** 2).mean())(p)))
for i in range(1, 61):
    p, s, l = step(p, s); t = time.time(); b = serialization.to_bytes({"params": p, "opt": s, "step": i})
    with open("ckpt.tmp", "wb") as f: f.write(b); f.flush(); os.fsync(f.fileno())
    os.replace("ckpt.tmp", f"ckpt_{i % 2}.msgpack"); print(f"step={i} mse={float(l):.5f} ckpt={len(b) / 1e6:.1f}MB save_time={time.time() - t:.3f}s")
print("finished at step 60")
'''
JAXINF = '''
import jax, jax.numpy as jnp, sys
k = jax.random.PRNGKey(2); ps = [jax.random.normal(jax.random.fold_in(k, i), (16, 16)) * 0.6 for i in range(4)]
def f(ps, x):
    for w in ps: x = jax.nn.leaky_relu(x @ w)
    return x
@jax.jit
def up(ps, x, lr): l, g = jax.value_and_grad(lambda q: jnp.square(f(q, x) - x[:, ::-1]).mean())(ps); return [w - lr * d for w, d in zip(ps, g)], l
for i in range(100):
    ps, l = up(ps, jax.random.normal(jax.random.fold_in(k, 100 + i), (64, 16)), 0.002 * 1.15 ** i)
    if i % 4 == 0: print(f"iteration {i:3d}   objective {float(l):.6g}", flush=True)
print("optimisation finished after 100 iterations")
'''
ETA0 = '''
import lightgbm as lgb, numpy as np
r = np.random.default_rng(1); X = r.normal(size=(1500, 20)); y = (X[:, 3] + X[:, 7] > 0).astype(int); rows = np.arange(1500)
lgb.train({"objective": "binary", "metric": ["binary_logloss", "auc"], "min_data_in_leaf": 900, "num_threads": 1, "learning_rate": 0.1}, lgb.Dataset(X[:1200], y[:1200]), 60, valid_sets=[lgb.Dataset(X[1200:], y[1200:])], callbacks=[lgb.log_evaluation(4)]).save_model("m.txt"); print("saved m.txt")
'''
MLPSTUCK = '''
import numpy as np
from sklearn.neural_network import MLPClassifier
from sklearn.metrics import log_loss
r = np.random.default_rng(8); X = 1e-9 * r.normal(size=(900, 12)); y = (X[:, 0] > 0).astype(int); m = MLPClassifier((16,), solver="sgd", learning_rate_init=0.001, momentum=0.0, alpha=0, random_state=0, batch_size=90)
for ep in range(1, 31):
    m.partial_fit(X, y, classes=[0, 1]); g = np.abs(m.coefs_[0]).mean(); print(f"epoch {ep:2d}/30 loss {m.loss_:.5f} accuracy {m.score(X, y):.3f}")
print("finished; predictions are all of class", np.unique(m.predict(X)))
'''
CONTINUE = '''
import argparse, numpy as np, os, xgboost as xgb
p = argparse.ArgumentParser(); p.add_argument("--rounds", type=int); p.add_argument("--out"); p.add_argument("--continue-from", dest="base"); a = p.parse_args()
r = np.random.default_rng(0); X = r.normal(size=(700, 9)); y = 10 + 4 * X[:, 0] + X[:, 1] ** 2; d = xgb.DMatrix(X, y); print("options:", vars(a))
base = a.base if a.base and os.path.exists(a.base + ".model") else None
if base: print("continuing from", base)
b = xgb.train({"eta": 0.1, "max_depth": 4, "base_score": 0.0, "nthread": 1}, d, a.rounds, [(d, "train")], verbose_eval=10, xgb_model=base); b.save_model(a.out); print("saved", a.out)
'''
DEBUGRUN = '''
import jax, jax.numpy as jnp, optax, os
STEPS = int(os.environ.get("MAX_STEPS", 20000)); k = jax.random.PRNGKey(0); p = {"emb": jax.random.normal(k, (50, 16)), "out": jax.random.normal(k, (16, 50)) * 0.1}; tx = optax.adamw(1e-3); s = tx.init(p)
for i in range(1, STEPS + 1):
    x = jax.random.randint(jax.random.fold_in(k, i), (64,), 0, 50); l, g = jax.value_and_grad(lambda p: optax.softmax_cross_entropy_with_integer_labels(p["emb"][x] @ p["out"], (x + 1) % 50).mean())(p); u, s = tx.update(g, s, p); p = optax.apply_updates(p, u)
    print(f"{{step: {i}/{STEPS}, loss: {float(l):.4f}}}")
jnp.savez("params.npz", **p); print("wrote params.npz")
'''
TWOROUNDS = '''
import json, numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import hinge_loss
cfg = json.load(open("cfg.json")); r = np.random.default_rng(0); X = r.normal(size=(300, 5)); y = (X[:, 0] > 0).astype(int); m = SGDClassifier()
for it in range(cfg["max_iter"]): m.partial_fit(X[it * 50:(it + 1) * 50], y[it * 50:(it + 1) * 50], classes=[0, 1]); print(f"iteration {it + 1} of {cfg['max_iter']}: hinge loss {hinge_loss(y, m.decision_function(X)):.4f}")
print("model fitted, coefficients", m.coef_.round(2).tolist())
'''
LGBSLOW = '''
import lightgbm as lgb, numpy as np, time
r = np.random.default_rng(0); X = r.normal(size=(4000, 30)); y = X[:, 0] * X[:, 1] + X[:, 2]; pause = lambda env: time.sleep(0.15)
def shown(env): (env.iteration + 1) % 5 == 0 and print(f"boosting round {env.iteration + 1}/{env.end_iteration}: {env.evaluation_result_list[0][1]} {env.evaluation_result_list[0][2]:.5f}", flush=True)
lgb.train({"objective": "l2", "num_leaves": 31, "num_threads": 1, "verbose": -1}, lgb.Dataset(X[:3200], y[:3200]), 1200, valid_sets=[lgb.Dataset(X[3200:], y[3200:])], callbacks=[pause, shown])
'''
JAXCTRL = '''
import jax, jax.numpy as jnp, numpy as np, time, logging
logging.basicConfig(level=20, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S"); k = jax.random.PRNGKey(7); A = jax.random.normal(k, (12, 12)) / 4
@jax.jit
def upd(A, x): l, g = jax.value_and_grad(lambda A: jnp.mean((x @ A @ A.T - x) ** 2))(A); return A - 0.02 * g, l
for ep in range(1, 301):
    for b in range(8): A, l = upd(A, jax.random.normal(jax.random.fold_in(k, 8 * ep + b), (40, 12))); time.sleep(0.02)
    logging.info("epoch %d/300: linear autoencoder error %.5f", ep, l)
'''

BARRIER = '''
import multiprocessing as mp, numpy as np, time, sys
from sklearn.linear_model import SGDRegressor
def worker(k, n, bar, shared):
    r = np.random.default_rng(k); m = SGDRegressor(eta0=0.002, learning_rate="constant"); w = r.normal(size=8) * 0 + np.arange(8); caps = {0: 1.0, 1: 0.8}
    for rnd in range(1, 101):
        X = r.normal(size=(64, 8)); m.partial_fit(X, X @ w)
        if rnd > 45: m.coef_ *= caps[k] ** 0
        shared[k * 8:(k + 1) * 8] = m.coef_; bar.wait(); m.coef_ = np.array(shared[:]).reshape(n, 8).mean(0); bar.wait(); time.sleep(0.04)
        if rnd % 5 == 0: print(f"proc {k} | round {rnd} of 100 | mae {np.abs(m.coef_ - w).mean():.4f}", flush=True)
if __name__ == "__main__":
    n = 3; bar, shared = mp.Barrier(n), mp.Array("d", 8 * n); ps = [mp.Process(target=worker, args=(k, n, bar, shared)) for k in range(n)]; [p.start() for p in ps]; [p.join() for p in ps]; print("joined")
'''
XGBPACE = '''
import time, numpy as np, xgboost as xgb
class Pace(xgb.callback.TrainingCallback):
    def before_training(self, model): self.t = time.time(); return model
    def after_iteration(self, model, epoch, log):
        time.sleep(0.12)
        if epoch % 8 == 7: print(f"{epoch + 1} of 2000 trees | valid mae {log['valid']['mae'][-1]:.4f} | {(epoch + 1) / (time.time() - self.t):.1f} trees/s", flush=True)
        return False
r = np.random.default_rng(6); X = r.uniform(size=(3000, 12)); y = 10 * np.sin(3 * X[:, 0] * X[:, 1]) + 5 * X[:, 2]; xgb.train({"eta": 0.03, "eval_metric": "mae", "nthread": 1, "max_depth": 5}, xgb.DMatrix(X[:2500], y[:2500]), 2000, evals=[(xgb.DMatrix(X[2500:], y[2500:]), "valid")], callbacks=[Pace()], verbose_eval=False)
'''

JOBS = (
    crate("C1", "dist_jax.py 127.0.0.1:PORT", JAXWAIT, python="trees-51", timeout_s=34, note="process 0 of 2 waits for the other at its coordinator, silent to the limit"),
    crate("C3", "tapped_jax.py", HOSTCALL, python="trees-51", timeout_s=34, note="a line every ten steps of 0.03 s to step 130, then silence to the limit"),
    crate("C3", "chunks.py", JOBQUEUE, python="trees-51", timeout_s=34, note="a chunk every 0.1 s to the 60th of 100, then silence to the limit"),
    crate("D1", "feed_jax.py", GZIPFEED, python="trees-51", note="infeed stall against device time, device busy a per cent"),
    crate("D2", "keep_rounds.py", XGBCKPT, variant="save_storm", python="trees-51", note="a save each round"),
    crate("D2", "dense_flax.py", ORBAXLESS, variant="save_storm", python="trees-51", note="a checkpoint each step, most of the time in saves"),
    crate("E1", "stack_jax.py", JAXINF, cause="nan_loss", variant="non_finite", python="trees-51", note="objective grows, then nan to the end, exit 0"),
    crate("E1", "leafless.py", ETA0, variant="flat", python="trees-51", note="LightGBM finds no split; logloss the same and auc 0.5 in all rounds"),
    crate("E1", "tiny_mlp.py", MLPSTUCK, variant="flat", python="trees-51", note="loss 0.693 and accuracy at chance in all 30 epochs"),
    crate("E2", "sh more.sh PYTHON", '"$1" more_trees.py --rounds 60 --out first.json && exec "$1" more_trees.py --rounds 60 --out second.json --continue-from first.json', variant="from_scratch", status=0, python="trees-51", files={"more_trees.py": CONTINUE}, note="continue_from given, no word of continuing, round 0 with the first run's first rmse"),
    crate("E3", "skip_jax.py", DEBUGRUN, python="trees-51", env={"MAX_STEPS": "5"}, note="five steps of the 20000 it has by default, exit 0"),
    crate("E3", "hinge.py", TWOROUNDS, python="trees-51", files={"cfg.json": '{"max_iter": 2}'}, note="two updates of 50 rows, exit 0"),
    crate("F3", "slow_gbm.py", LGBSLOW, variant="advancing", python="trees-51", timeout_s=25, note="rounds go on to the limit, of 1200"),
    crate("F4", "linae_jax.py", JAXCTRL, python="trees-51", signal=Signal("INT", "epoch 19/300"), note="Ctrl-C while epochs go by"),
    crate("C2", "three_sgd.py", BARRIER, trigger="A3", cause="traceback", python="trees-51", timeout_s=32, note="proc 2's KeyError after round 45; the others wait at the barrier to the limit"),
    crate("F3", "trees2000.py", XGBPACE, variant="advancing", python="trees-51", timeout_s=22, note="trees go on to the limit, of 2000"),
)
