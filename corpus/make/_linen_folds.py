"""Programs over LightGBM, Optuna and NumPy: claims of an insurer, strength of concrete, loans of a library."""

CLAIMS = '''"""Claim frequency of household policies: LightGBM, Poisson loss. Settings on the command line as key=value (OmegaConf)."""
import os
import sys
import time

import lightgbm as lgb
import numpy as np
import pandas as pd
from omegaconf import OmegaConf

DEFAULTS = """
rounds: 200
objective: poisson
learning_rate: 0.05
leaves: 15
min_in_leaf: 40
policies: 6000
print_every: 10
stop: 0
model_dir: claims
continue_from: null
save_every: 50
threads: 1
"""
base = OmegaConf.create(DEFAULTS)
OmegaConf.set_struct(base, True)
cfg = OmegaConf.merge(base, OmegaConf.from_dotlist(sys.argv[1:]))
print("=" * 30, "CONFIG", "=" * 30)
print(OmegaConf.to_yaml(cfg))
print("=" * 68)
os.makedirs(cfg.model_dir, exist_ok=True)
#: early


def policies(count, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "age_building": rng.integers(0, 120, count), "sqm": rng.gamma(6, 18, count), "basement": rng.integers(0, 2, count),
        "flood_zone": rng.integers(1, 5, count), "deductible": rng.choice([0, 150, 300, 500], count), "exposure": rng.uniform(0.2, 1, count),
    })
    rate = 0.08 * np.exp(0.008 * frame.age_building + 0.004 * frame.sqm + 0.5 * frame.basement * (frame.flood_zone > 2) - 0.002 * frame.deductible)
    frame["claims"] = rng.poisson(rate * frame.exposure * 3)
    return frame


frame, hold = policies(cfg.policies, 1), policies(2000, 2)
#: data
columns = ["age_building", "sqm", "basement", "flood_zone", "deductible", "exposure"]
train = lgb.Dataset(frame[columns], frame.claims)
valid = lgb.Dataset(hold[columns], hold.claims, reference=train)
params = {"objective": cfg.objective, "metric": "poisson", "learning_rate": cfg.learning_rate, "num_leaves": cfg.leaves, "min_data_in_leaf": cfg.min_in_leaf, "num_threads": cfg.threads, "verbosity": 1, "seed": 8}
begun = time.time()


def each(env):
    it = env.iteration + 1
    #: each
    if cfg.save_every and it % cfg.save_every == 0:
        env.model.save_model(f"{cfg.model_dir}/claims_{it}.txt")
        print(f"model of {it} rounds -> {cfg.model_dir}/claims_{it}.txt")


calls = [lgb.log_evaluation(cfg.print_every), each]
if cfg.stop:
    calls.append(lgb.early_stopping(cfg.stop))
earlier = None
if cfg.continue_from:
    #: resume
    earlier = lgb.Booster(model_file=cfg.continue_from)
    print(f"adding to {cfg.continue_from}, which has {earlier.current_iteration()} rounds")
#: ready
model = lgb.train(params, train, cfg.rounds, valid_sets=[train, valid], valid_names=["train", "hold"], callbacks=calls, init_model=earlier)
model.save_model(f"{cfg.model_dir}/claims_final.txt")
#: end
print(f"{model.current_iteration()} rounds in {time.time() - begun:.1f} s")
print(pd.Series(model.feature_importance("gain"), columns).sort_values(ascending=False).round(1).to_string())
'''

MIXES = '''"""Compressive strength of concrete mixes: search over small networks."""
import argparse
import sys
import time
import warnings

import numpy as np
import optuna
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import mean_squared_error
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler

args = argparse.ArgumentParser()
args.add_argument("--trials", type=int, default=20)
args.add_argument("--epochs", type=int, default=30)
args.add_argument("--mixes", type=int, default=800)
args.add_argument("--sampler", choices=["tpe", "random", "cmaes"], default="tpe")
args.add_argument("--storage", default=None)
args.add_argument("--study", default="concrete")
args = args.parse_args()
warnings.simplefilter("ignore", ConvergenceWarning)
#: early
rng = np.random.default_rng(6)
cement, water, ash, age = rng.uniform(150, 500, args.mixes), rng.uniform(130, 230, args.mixes), rng.uniform(0, 180, args.mixes), rng.choice([3, 7, 28, 90], args.mixes)
strength = 90 * (cement + 0.4 * ash) / (cement + ash + 2.5 * water) + 8 * np.log(age) + rng.normal(0, 2, args.mixes)
X = StandardScaler().fit_transform(np.stack([cement, water, ash, np.log(age)], 1))
y = (strength - strength.mean()) / strength.std()
cut = args.mixes * 3 // 4
#: data
t0 = time.time()


def objective(trial):
    units = trial.suggest_int("units", 4, 48)
    rate = trial.suggest_float("rate", 5e-4, 3e-2, log=True)
    alpha = trial.suggest_float("alpha", 1e-6, 1e-1, log=True)
    #: trial
    net = MLPRegressor((units,), learning_rate_init=rate, alpha=alpha, random_state=1, batch_size=32)
    for epoch in range(args.epochs):
        net.partial_fit(X[:cut], y[:cut])
        error = mean_squared_error(y[cut:], net.predict(X[cut:]))
        #: epoch
        if epoch % 10 == 9:
            print(f"  trial {trial.number:2d} epoch {epoch + 1:3d}/{args.epochs} fit loss {net.loss_:.4f} held-out mse {error:.4f}")
        trial.report(error, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return error


sampler = {"tpe": lambda: optuna.samplers.TPESampler(seed=3), "random": lambda: optuna.samplers.RandomSampler(seed=3), "cmaes": lambda: optuna.samplers.CmaEsSampler(seed=3)}[args.sampler]()
study = optuna.create_study(direction="minimize", sampler=sampler, pruner=optuna.pruners.MedianPruner(4, 9), storage=args.storage, study_name=args.study, load_if_exists=True)
#: ready
study.optimize(objective, n_trials=args.trials, catch=(FloatingPointError,))
states = [t.state.name for t in study.trials]
print(f"{len(study.trials)} trials in {time.time() - t0:.0f} s: {states.count('COMPLETE')} complete, {states.count('PRUNED')} pruned, {states.count('FAIL')} failed")
#: end
print(f"best: mse {study.best_value:.4f} with {study.best_params}")
'''

LOANS = '''"""Which book next: factors of readers and books from a library's loans (NumPy only)."""
import os
import sys
import time

import numpy as np

OPTS = dict(readers=300, books=200, factors=16, epochs=40, lr=8.0, reg=1e-4, batch=400, seed=4, dir="factors", load="", warm="", save=10, rows_per_line=1)
for arg in sys.argv[1:]:
    name, _, given = arg.partition("=")
    if name not in OPTS:
        sys.exit(f"{sys.argv[0]}: there is no option {name} (options: {' '.join(OPTS)})")
    OPTS[name] = type(OPTS[name])(given)
print("options  " + "  ".join(f"{k}={v}" for k, v in OPTS.items()))
O = type("Options", (), OPTS)
os.makedirs(O.dir, exist_ok=True)
rng = np.random.default_rng(O.seed)
#: early


def loans(count, seed):
    g = np.random.default_rng(seed)
    who, what = g.integers(0, O.readers, count), g.integers(0, O.books, count)
    taste = np.random.default_rng(77)
    u, v = taste.standard_normal((O.readers, 4)), taste.standard_normal((O.books, 4))
    lent = g.random(count) < 1 / (1 + np.exp(-1.6 * (u[who] * v[what]).sum(1)))
    return who, what, lent.astype(float)


who, what, lent = loans(120000, 1)
twho, twhat, tlent = loans(4000, 2)
#: data
P, Q = 0.1 * rng.standard_normal((O.readers, O.factors)), 0.1 * rng.standard_normal((O.books, O.factors))
first = 1
if O.warm:
    old = np.load(O.warm)
    Q = old["Q"]
    print(f"books' factors of {O.warm}; readers of the new branch begin with small random ones")
if O.load:
    #: resume
    old = np.load(O.load)
    for name, mine in (("P", P), ("Q", Q)):
        if old[name].shape != mine.shape:
            raise ValueError(f"{O.load}: {name} has shape {old[name].shape}, this model wants {mine.shape}")
    P, Q, first = old["P"], old["Q"], int(old["epoch"]) + 1
    print(f"loaded {O.load}, goes on with epoch {first}")


def logloss(scores, truth):
    return np.mean(np.logaddexp(0, scores) - truth * scores)


print("+-------+------------+------------+--------+---------+\\n| epoch |  train ll  |  test ll   |  acc   |  time s |\\n+-------+------------+------------+--------+---------+")
t0 = time.time()
#: ready
for epoch in range(first, O.epochs + 1):
    order = rng.permutation(len(who))
    losses = []
    for part in np.array_split(order, len(order) // O.batch):
        a, b, y = who[part], what[part], lent[part]
        #: batch
        s = (P[a] * Q[b]).sum(1)
        loss = logloss(s, y)
        #: loss
        losses.append(loss)
        g = (1 / (1 + np.exp(-s)) - y)[:, None] / len(part)
        dP, dQ = g * Q[b] + O.reg * P[a] / len(part), g * P[a] + O.reg * Q[b] / len(part)
        #: step
        np.subtract.at(P, a, O.lr * dP)
        np.subtract.at(Q, b, O.lr * dQ)
    scores = (P[twho] * Q[twhat]).sum(1)
    print(f"| {epoch:5d} | {np.mean(losses):10.6f} | {logloss(scores, tlent):10.6f} | {np.mean((scores > 0) == tlent):6.4f} | {time.time() - t0:7.2f} |")
    #: epoch
    if epoch % O.save == 0 or epoch == O.epochs:
        np.savez(f"{O.dir}/e{epoch:03d}.npz", P=P, Q=Q, epoch=epoch)
        print(f"| saved {O.dir}/e{epoch:03d}.npz")
print("+-------+------------+------------+--------+---------+")
#: end
print(f"ready: {epoch} epochs, test log loss {logloss(scores, tlent):.6f}")
'''
