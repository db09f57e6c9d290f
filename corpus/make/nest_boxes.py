"""One process of XGBoost, LightGBM, or scikit-learn fed in portions."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HANDFUL, HARD, SAVES, STANDS, alone, anew, fell, strays
from corpus.make._hive_trees import PARCELS, PORTIONS, RENTS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

rents, parcels, portions = partial(fill, RENTS), partial(fill, PARCELS), partial(fill, PORTIONS)
X, L, M = "rents.py", "parcels.py", "portions.py"
one = partial(alone, python="forest")
X_MADE = (("PYTHON", X, "--rounds", "40"),)
HOOK = "class Watch(xgb.callback.TrainingCallback):\n    def after_iteration(self, model, epoch, evals_log):\n        {}\n        return False\n\n\ncalls.append(Watch())"
ROWS = "sqm,floor,year,km,rent\n" + "".join(f"{40 + k},{k % 5},{1950 + k},{k / 9:.2f},{500 + 3 * k}\n" for k in range(60))


def watch(*lines: str) -> str:
    """A callback that does this after each round."""
    return HOOK.format("\n        ".join(lines))


def houses() -> Iterator[LocalJob]:
    """XGBoost."""
    yield one(fell("A1", "file_not_found", "data"), rents(), X, "--table", "data/rents_q3.csv")
    yield one(fell("A1", "traceback", "data"), rents(), X, "--table", "rents.csv", files={"rents.csv": ROWS.replace(",rent\n", ",rent_eur\n")})
    yield one(fell("A1", "traceback", "config"), rents(), X, "--objective", "reg:squarederr")
    yield one(fell("A3", "traceback"), rents(ready=watch("if epoch == 33:", "    print('change', evals_log['valid']['rmse'][-1])")), X)
    yield one(fell("A3", "div_zero"), rents(ready=watch("if epoch == 25:", "    left = dvalid.num_row() // (epoch - 25)")), X)
    yield one(strays("flat"), rents(data="df['rent'] = rng.permutation(df['rent'])\ndf[['sqm', 'floor', 'year', 'km']] = 0.0"), X, "--rounds", "50")
    yield one(anew(), rents(early="print('booster files:', *sorted(f for f in os.listdir('.') if f.endswith('.ubj')))", ready="if a.start_from and not os.path.isfile(a.start_from + '.json'):\n    a.start_from = None"), X, "--start-from", "rents.ubj", "--rounds", "80", before=X_MADE)
    yield one(fell("E2", "traceback", "corrupt"), rents(), X, "--start-from", "rents.ubj", before=(*X_MADE, ("truncate", "-s", "2000", "rents.ubj")))
    yield one(HANDFUL, rents(), X, "--rounds", "2", "--verbose-eval", "1")
    yield one(GOOD, rents(), X)
    yield one(HARD, rents(), X, "--start-from", "rents.ubj", "--rounds", "50", before=X_MADE)
    yield one(HARD, rents(early="import warnings\nwarnings.warn('No visible GPU is found, setting device to CPU.')", ready="calls.append(xgb.callback.EarlyStopping(5, save_best=True))"), X, "--rounds", "600", "--eta", "0.3")


def parcel(label: Label, text: str, conf: dict[str, object] | None = None, **more: Any) -> LocalJob:
    """LightGBM, with its settings."""
    return one(label, text, L, "conf.json", files={"conf.json": json.dumps(conf or {})}, **more)


BEFORE = (("PYTHON", L),)
BLOCK = "def snapshot(env):\n    t = time.time()\n    env.model.save_model(f'snap_{env.iteration}.txt')\n    with open('state.bin', 'wb') as f:\n        f.write(os.urandom(5_000_000)); f.flush(); os.fsync(f.fileno())\n    time.sleep(0.2)\n    log.info('iteration %d: snapshot written in %.2f s', env.iteration + 1, time.time() - t)\n\n\ncalls.append(snapshot)"
NANS = "hole = rng.random(X.shape) < 0.05\nX[hole] = np.nan\nlog.warning('%d of %d readings are NaN, left to the booster', hole.sum(), X.size)"


def post() -> Iterator[LocalJob]:
    """LightGBM."""
    yield parcel(fell("A1", "traceback", "data"), parcels(data="y = y.astype(float)\ny[7] = 3"), {"objective": "multiclass", "num_class": 2, "metric": "multi_logloss"})
    yield parcel(fell("A1", "traceback", "config"), parcels(), {"num_leaves": 1})
    yield parcel(fell("A3", "runtime_error"), parcels(ready="def guard(env):\n    if env.iteration == 44:\n        raise RuntimeError('feature store went away (session 0x3f)')\n\n\ncalls.append(guard)"))
    yield parcel(fell("A3", "permission"), parcels(ready="def keep_tree(env):\n    if env.iteration == 30:\n        open('/etc/parcels_30.txt', 'w').write(env.model.model_to_string())\n\n\ncalls.append(keep_tree)"))
    yield parcel(strays("flat"), parcels(), {"learning_rate": 1e-7, "num_boost_round": 100})
    yield parcel(fell("E2", "traceback", "no_valid_checkpoint"), parcels(early="log.info('files here: %s', sorted(os.listdir('.')))"), {"init_model": "parcels_best.txt"})
    yield parcel(SAVES, parcels(ready=BLOCK), {"num_boost_round": 40, "show": 5})
    yield parcel(GOOD, parcels())
    yield parcel(HARD, parcels(data=NANS), {"num_boost_round": 120})
    yield parcel(HARD, parcels(), {"num_boost_round": 900, "stop_after": 12, "learning_rate": 0.2, "verbosity": -1})


M_MADE = (("PYTHON", M, "--portions=20", "--pause=0"),)
M_LOAD = "    clf, done = joblib.load(opts[\"memory\"])\n    print(f\"* classifier of {done} portions from {opts['memory']}\")\n"
assert M_LOAD in PORTIONS


def digits() -> Iterator[LocalJob]:
    """scikit-learn."""
    yield one(fell("A1", "traceback", "config"), portions(), M, "--kind=sgd", "--alpha=-0.1")
    yield one(fell("A3", "traceback"), portions(mid="if k == 13:\n    yb = np.append(yb, 3)"), M)
    yield one(fell("A3", "traceback"), portions(mid="if k == 9:\n    xb = xb * np.where(np.arange(64) == 20, np.inf, 1.0)"), M, "--kind=mlp")
    yield one(strays("spike"), portions(after="if k == 17:\n    clf.coefs_[1] *= -25\n    clf._optimizer.learning_rate_init = 1e-8\n    clf._optimizer.learning_rate = 1e-8"), M, "--kind=mlp", "--rate=0.01", "--portions=40")
    yield one(strays("flat"), portions(mid="yb = rng.randint(0, 10, len(yb))"), M, "--kind=mlp", "--portions=40", "--rate=0.0001")
    yield one(anew(), portions(early="print('* in this folder:', sorted(os.listdir('.')))").replace(M_LOAD, "    had, n = joblib.load(opts[\"memory\"])\n    print(f\"* {opts['memory']}: {type(had).__name__} of {n} portions\")\n"), M, "--memory=portions.joblib", "--portions=40", before=M_MADE)
    yield one(fell("E2", "traceback", "corrupt"), portions(), M, "--memory=portions.joblib", before=(*M_MADE, ("truncate", "-s", "900", "portions.joblib")))
    yield one(fell("E2", "file_not_found", "no_valid_checkpoint"), portions(), M, "--memory=/scratch/portions/portions.joblib", before=M_MADE)
    yield one(HANDFUL, portions(mid="if k > 2:\n    print('* the spool is empty, nothing left to learn from')\n    break"), M, "--portions=200")
    yield one(STANDS, portions(after="if k == 25:\n    print('* asking the annotators for the next batch', flush=True)\n    r, w = os.pipe()\n    os.fdopen(r).readline()"), M, "--portions=400", "--pause=0.2", timeout_s=150)
    yield one(HARD, portions(after="if k == 11:\n    try:\n        clf.predict_proba(Xv[:, :60])\n    except ValueError as e:\n        print('! check of a shorter page failed as it should:', str(e)[:58])"), M, "--memory=portions.joblib", "--portions=45", before=M_MADE)
    yield one(HARD, portions(late="scores = []\nfor a in ('0.01', 'auto', '0.0001'):\n    try:\n        scores.append((SGDClassifier('log_loss', alpha=float(a), max_iter=60).fit(X[:300], y[:300]).score(Xv, yv), a))\n        print(f'  trial alpha={a}: {scores[-1][0]:.3f}')\n    except Exception as e:\n        print(f'  trial alpha={a} FAILED: {e} -- left out')"), M)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from houses()
    yield from post()
    yield from digits()


RECIPE = Recipe("nest_boxes", "development", jobs)
"""Trees and portions."""
