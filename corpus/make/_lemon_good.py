"""Runs of JAX, Flax, scikit-learn and boosted trees that came to their planned end."""

from corpus.make._crate import crate

FLAXCNN = '''
import jax, jax.numpy as jnp, optax, time
from flax import linen as nn
from flax.training import train_state
from absl import logging, app, flags
FLAGS = flags.FLAGS; flags.DEFINE_integer("num_epochs", 6, "epochs"); flags.DEFINE_float("learning_rate", 0.003, "lr")
class CNN(nn.Module):
    @nn.compact
    def __call__(self, x): x = nn.relu(nn.Conv(8, (3, 3))(x)); x = nn.avg_pool(x, (2, 2), (2, 2)); return nn.Dense(4)(x.reshape((x.shape[0], -1)))
@jax.jit
def step(st, x, y):
    def lf(p): o = st.apply_fn({"params": p}, x); return optax.softmax_cross_entropy_with_integer_labels(o, y).mean(), o
    (l, o), g = jax.value_and_grad(lf, has_aux=True)(st.params); return st.apply_gradients(grads=g), l, (o.argmax(1) == y).mean()
def main(_):
    logging.set_verbosity(logging.INFO); k = jax.random.PRNGKey(0); y = jax.random.randint(k, (512,), 0, 4); x = jax.random.normal(k, (512, 12, 12, 1)) * 0.5; x = x.at[jnp.arange(512), y * 3].add(1.0)
    m = CNN(); st = train_state.TrainState.create(apply_fn=m.apply, params=m.init(k, x[:1])["params"], tx=optax.adam(FLAGS.learning_rate)); logging.info("JAX local devices: %r", jax.local_devices())
    for e in range(1, FLAGS.num_epochs + 1):
        t = time.time(); ls, ac = [], []
        for i in range(0, 512, 32): st, l, a = step(st, x[i:i + 32], y[i:i + 32]); ls.append(l); ac.append(a)
        logging.info("epoch:% 3d, train_loss: %.4f, train_accuracy: %.2f, %.1fs", e, sum(ls) / 16, 100 * sum(ac) / 16, time.time() - t)
    logging.info("training complete")
app.run(main)
'''
XGBREG = '''
import numpy as np, pandas as pd, xgboost as xgb, argparse
p = argparse.ArgumentParser(); p.add_argument("--rounds", type=int, default=120); p.add_argument("--eta", type=float, default=0.1); a = p.parse_args()
df = pd.read_csv("houses.csv"); print(df.describe().round(2).to_string())
y = np.log(df.pop("price")); cut = int(len(df) * 0.8); dtr, dva = xgb.DMatrix(df[:cut], y[:cut]), xgb.DMatrix(df[cut:], y[cut:])
hist = {}; b = xgb.train({"objective": "reg:squarederror", "eta": a.eta, "max_depth": 4, "nthread": 1, "seed": 3}, dtr, a.rounds, [(dtr, "train"), (dva, "valid")], evals_result=hist, verbose_eval=10)
b.save_model("houses.ubj"); print(f"final valid rmse {hist['valid']['rmse'][-1]:.4f} after {b.num_boosted_rounds()} rounds; model saved to houses.ubj")
'''
HOUSES = "rooms,area,age,price\n" + "\n".join(f"{1 + i % 6},{30 + (i * 37) % 140},{(i * 13) % 70},{1000 * (30 + (i * 37) % 140) + 9000 * (i % 6) - 300 * ((i * 13) % 70) + 40000}" for i in range(400))
SGDPART = '''
import logging, numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
logging.basicConfig(format="%(asctime)s %(levelname)-5s %(message)s", level=logging.INFO); r = np.random.default_rng(1)
X = r.normal(size=(6000, 25)) * r.uniform(0.5, 4, 25); y = (X[:, :4].sum(1) + r.normal(size=6000) > 0).astype(int); sc = StandardScaler(); clf = SGDClassifier(loss="log_loss", alpha=1e-4, random_state=0)
for k in range(0, 5000, 250): sc.partial_fit(X[k:k + 250])
for epoch in range(1, 11):
    for k in range(0, 5000, 250): clf.partial_fit(sc.transform(X[k:k + 250]), y[k:k + 250], classes=[0, 1])
    p = clf.predict_proba(sc.transform(X[5000:])); logging.info("epoch %d/10 holdout log loss %.4f accuracy %.4f", epoch, log_loss(y[5000:], p), clf.score(sc.transform(X[5000:]), y[5000:]))
import joblib; joblib.dump((sc, clf), "sgd.joblib"); logging.info("model dumped to sgd.joblib")
'''
LGBM = '''
import lightgbm as lgb, numpy as np
r = np.random.default_rng(5); X = r.normal(size=(3000, 12)); y = (X[:, 0] * X[:, 1] > 0.1).astype(int)
tr = lgb.Dataset(X[:2400], y[:2400]); va = lgb.Dataset(X[2400:], y[2400:], reference=tr)
m = lgb.train(dict(objective="binary", metric="auc,binary_logloss", num_leaves=15, learning_rate=0.08, num_threads=1, seed=1), tr, 100, valid_sets=[va], callbacks=[lgb.log_evaluation(10)])
m.save_model("gbdt.txt"); print("best_iteration", m.best_iteration or m.current_iteration(), "| model written")
'''
JAXDQN = '''
import jax, jax.numpy as jnp, numpy as np, random
random.seed(0); rng = np.random.default_rng(0); W = 8
def init(k): a, b = jax.random.split(k); return {"w1": jax.random.normal(a, (2 * W, 48)) * 0.3, "w2": jax.random.normal(b, (48, 2)) * 0.3}
q = lambda p, s: jnp.tanh(s @ p["w1"]) @ p["w2"]
@jax.jit
def td(p, t, s, a, r, s2, d): f = lambda p: ((q(p, s)[jnp.arange(len(a)), a] - (r + 0.9 * (1 - d) * q(t, s2).max(1))) ** 2).mean(); l, g = jax.value_and_grad(f)(p); return jax.tree.map(lambda x, y: x - 0.15 * y, p, g), l
enc = lambda pos, goal: np.eye(W)[pos].tolist() + np.eye(W)[goal].tolist()
p = init(jax.random.PRNGKey(1)); tgt = p; buf = []; rets = []
for ep in range(1, 401):
    pos, goal = rng.permutation(W)[:2]; R = 0.0
    for t in range(16):
        a = int(rng.integers(2)) if random.random() < max(0.02, 1 - ep / 160) else int(q(p, np.array(enc(pos, goal))).argmax()); n = int(np.clip(pos + (1 if a else -1), 0, W - 1)); done = n == goal; rew = 1.0 if done else -0.05
        buf.append((enc(pos, goal), a, rew, enc(n, goal), float(done))); R += rew; pos = n
        if done: break
    b = random.sample(buf, min(64, len(buf)))
    if len(b) == 64:
        for _ in range(10): p, l = td(p, tgt, *map(np.array, zip(*b)))
    if ep % 10 == 0: tgt = p
    rets.append(R)
    if ep % 40 == 0: print(f"episode={ep} avg_return={np.mean(rets[-40:]):.3f} td_loss={float(l):.5f} replay={len(buf)} eps={max(0.02, 1 - ep / 160):.2f}")
print("finished 400 episodes")
'''

# Good runs that look bad.

GRIDFIT = '''
import warnings, numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
r = np.random.default_rng(0); X = r.normal(size=(240, 8)); y = (X[:, 0] ** 2 + X[:, 1] > 0.8).astype(int)
g = GridSearchCV(MLPClassifier(max_iter=60, random_state=1), {"hidden_layer_sizes": [(16,), (0,)], "learning_rate_init": [0.01, 0.05], "solver": ["adam"]}, cv=3, verbose=2, error_score=np.nan)
g.fit(X, y); print("best parameters", g.best_params_, f"cv accuracy {g.best_score_:.4f}"); print("train accuracy", round(g.score(X, y), 4))
'''
XGBCV = '''
import logging, numpy as np, xgboost as xgb
logging.basicConfig(format="%(asctime)s|%(levelname)s|%(message)s", level="INFO"); log = logging.getLogger("cv"); r = np.random.default_rng(2); X = r.normal(size=(900, 10)); y = (X[:, 2] - X[:, 5] + 0.5 * r.normal(size=900) > 0).astype(int); folds = np.arange(900) % 5; scores = []
for device in ("cuda", "cpu"):
    try:
        bad = xgb.train({"device": device, "tree_method": "hist", "verbosity": 2, "nthread": 1}, xgb.DMatrix(X[:90], y[:90]), 2); log.info("device %s accepted", device); break
    except xgb.core.XGBoostError as e: log.error("device %s: %s", device, str(e).splitlines()[0])
for f in range(5):
    tr, va = xgb.DMatrix(X[folds != f], y[folds != f]), xgb.DMatrix(X[folds == f], y[folds == f]); res = {}
    b = xgb.train({"objective": "binary:logistic", "eval_metric": "logloss", "eta": 0.3, "max_depth": 3, "nthread": 1}, tr, 200, [(va, "val")], early_stopping_rounds=8, evals_result=res, verbose_eval=False)
    scores.append(b.best_score); log.info("fold %d: stopped at round %d of 200, best logloss %.4f", f, len(res["val"]["logloss"]), b.best_score)
log.info("5 folds done, mean logloss %.4f +- %.4f", np.mean(scores), np.std(scores))
'''
JAXNAN = '''
import jax, jax.numpy as jnp, optax, time
key = jax.random.PRNGKey(3); p = {"w": jax.random.normal(key, (10, 1)) * 0.1, "b": jnp.zeros(1)}; tx = optax.apply_if_finite(optax.adam(0.05), 20); s = tx.init(p)
print("WARNING: no GPU/TPU found, falling back to CPU. (set JAX_PLATFORMS=cpu to silence)")
@jax.jit
def step(p, s, x, y): l, g = jax.value_and_grad(lambda q: ((x @ q["w"] + q["b"] - y) ** 2).mean())(p); u, s = tx.update(g, s, p); return optax.apply_updates(p, u), s, l
for i in range(1, 161):
    k = jax.random.fold_in(key, i); x = jax.random.normal(k, (32, 10)); y = x[:, :1] * 2 - x[:, 3:4]
    if i in (31, 77, 78): x = x.at[0, 0].set(jnp.inf)
    p, s, l = step(p, s, x, y)
    if not jnp.isfinite(l): print(f"step {i}: loss is {l}, update rejected ({int(s.total_notfinite)} so far)")
    elif i % 16 == 0: print(f"step {i}/160 mse {l:.5f}")
print("done; rejected", int(s.total_notfinite), "of 160 updates")
'''
RESTORE = '''
import os, pickle, sys, numpy as np
from sklearn.ensemble import GradientBoostingRegressor
r = np.random.default_rng(0); X = r.uniform(size=(500, 6)); y = np.sin(5 * X[:, 0]) + X[:, 1]; PATH = "gbr.pkl"; n = int(sys.argv[1]) if len(sys.argv) > 1 else 0
try: m = pickle.load(open(PATH, "rb")); print(f"warm start from {PATH}: {m.n_estimators_} trees")
except (OSError, EOFError, pickle.UnpicklingError) as e: print(f"[warn] cannot use {PATH}: {type(e).__name__}: {e}; starting anew"); m = GradientBoostingRegressor(n_estimators=20, warm_start=True, random_state=0, learning_rate=0.15); m.fit(X, y)
while m.n_estimators_ < 120:
    m.set_params(n_estimators=m.n_estimators_ + 20).fit(X, y); print(f"trees {m.n_estimators_:4d} train mse {m.train_score_[-1]:.6f}")
    with open(PATH + ".tmp", "wb") as f: pickle.dump(m, f)
    os.replace(PATH + ".tmp", PATH)
    if n and m.n_estimators_ >= n: print("time slice used up, exiting with 99"); sys.exit(99)
print("120 trees reached")
'''
LGBSTOP = '''
import lightgbm as lgb, numpy as np, warnings
warnings.warn("feature names of train and valid differ in case; matching by position", RuntimeWarning)
r = np.random.default_rng(9); X = r.normal(size=(800, 6)); X[::50, 2] = np.nan; X[7, 4] = np.inf; y = (np.nan_to_num(X[:, 0]) * 2 + r.normal(size=800)).astype(float)
try: lgb.LGBMRegressor(device="gpu", n_estimators=2, verbose=-1).fit(X, y)
except lgb.basic.LightGBMError as e: print("[fallback] LightGBMError:", e)
m = lgb.LGBMRegressor(n_estimators=500, learning_rate=0.05, num_leaves=7, n_jobs=1, min_child_samples=40); m.fit(X[:600], y[:600], eval_set=[(X[600:], y[600:])], callbacks=[lgb.early_stopping(15), lgb.log_evaluation(5)])
print("best iteration", m.best_iteration_, "of at most 500; l2", round(m.best_score_["valid_0"]["l2"], 4)); m.booster_.save_model("lgb.txt"); print("Job finished.")
'''

BOSTON = '''
from sklearn.ensemble import HistGradientBoostingRegressor
import numpy as np, time
r = np.random.default_rng(0); X = r.normal(size=(2500, 9)); X[r.random(X.shape) < 0.05] = np.nan; y = 3 * np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 + 0.3 * r.normal(size=2500); t = time.time()
m = HistGradientBoostingRegressor(max_iter=60, verbose=2, validation_fraction=0.2, early_stopping=True, n_iter_no_change=60, random_state=0).fit(X, y)
print(f"fit took {time.time() - t:.2f} s; iterations {m.n_iter_}; R2 {m.score(X, y):.4f}")
'''
NNXLM = '''
import jax, jax.numpy as jnp, optax, json, os, sys, warnings
from flax import nnx
if not os.path.exists("/tmp/jax-cache-shared/index"): warnings.warn("compilation cache /tmp/jax-cache-shared is not there, every function will be compiled anew")
class LM(nnx.Module):
    def __init__(self, rngs): self.e = nnx.Embed(28, 24, rngs=rngs); self.l1 = nnx.Linear(72, 64, rngs=rngs); self.l2 = nnx.Linear(64, 28, rngs=rngs)
    def __call__(self, x): return self.l2(nnx.gelu(self.l1(self.e(x).reshape(x.shape[0], -1))))
def codes(s): return [0 if c == "." else 1 + ord(c) - 97 for c in s]
names = [l.strip() for l in open("names.txt")]; bad = [n for n in names if not n.isalpha()]; names = [n for n in names if n not in bad]
print(f"{len(bad)} malformed names dropped: {bad}", file=sys.stderr)
rows = [codes("..." + n + ".") for n in names]; X = jnp.array([r[i:i + 3] for r in rows for i in range(len(r) - 3)]); Y = jnp.array([r[i + 3] for r in rows for i in range(len(r) - 3)])
m = LM(nnx.Rngs(0)); opt = nnx.Optimizer(m, optax.adamw(5e-3), wrt=nnx.Param); k = jax.random.PRNGKey(0)
@nnx.jit
def step(m, opt, x, y): l, g = nnx.value_and_grad(lambda m: optax.softmax_cross_entropy_with_integer_labels(m(x), y).mean())(m); opt.update(m, g); return l
for s in range(1, 181):
    i = jax.random.randint(jax.random.fold_in(k, s), (64,), 0, len(X)); l = step(m, opt, X[i], Y[i])
    if s % 15 == 0: print(json.dumps({"step": s, "of": 180, "nll": round(float(l), 4)}), flush=True)
print(json.dumps({"finished": True, "final_nll": round(float(l), 4)}))
'''

JOBS = (
    crate("G1", "hist_gbr.py", BOSTON, python="trees-51"),
    crate("G1", "names_nnx.py", NNXLM, hard=True, python="trees-51", files={"names.txt": "\n".join(a + b + c for a in ("al", "be", "ka", "mo", "ri") for b in ("r", "n", "l", "st") for c in ("a", "o", "in", "ette")) + "\n?\nx-1\n"}),
    crate("G1", "flax_cnn.py --num_epochs=6", FLAXCNN, python="trees-51"),
    crate("G1", "houses.py --rounds 120", XGBREG, python="trees-51", files={"houses.csv": HOUSES}),
    crate("G1", "sgd_stream.py", SGDPART, python="trees-51"),
    crate("G1", "gbdt.py", LGBM, python="trees-51"),
    crate("G1", "dqn_jax.py", JAXDQN, python="trees-51"),
    crate("G1", "grid_mlp.py", GRIDFIT, hard=True, python="trees-51"),
    crate("G1", "cv5.py", XGBCV, hard=True, python="trees-51"),
    crate("G1", "linreg_jax.py", JAXNAN, hard=True, python="trees-51"),
    crate("G1", "sh slices.sh PYTHON", '"$1" gbr.py 80\n[ $? -eq 99 ] || exit 1\necho "-- continuing in the next slice"\nexec "$1" gbr.py', hard=True, python="trees-51", files={"gbr.py": RESTORE}),
    crate("G1", "lgb_reg.py", LGBSTOP, hard=True, python="trees-51"),
)
