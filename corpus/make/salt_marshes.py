"""One process over XGBoost or scikit-learn: late trains told as events with JSON, and wine told by the estimators themselves."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._kite_trees import TRAINS, WINE
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

trains, wine = partial(fill, TRAINS), partial(fill, WINE)
T, W = "trains.py", "wine.py"
one = partial(alone, python="forest")
FIRST = (("PYTHON", T, "--trees", "60", "--idle", "0"),)
GROWN = '    grown = bst.num_boosted_rounds()\n    tell("loaded", booster=a.grow_on, trees=grown)\n'
assert GROWN in TRAINS
TABLE = "hour,day,a,b,c,delay\n" + "".join(f"{h % 24},{h % 7},0.{h % 10},0.5,0.1,{2 + h % 5}\n" for h in range(60))
PARTS = "_t = time.time()\nbst.save_model(f'trains-{grown}.json')\nwith open('preds.bin', 'wb') as f:\n    for _ in range(11):\n        f.write(os.urandom(1 << 21))\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.25)\ntell('written', file=f'trains-{grown}.json', also='preds.bin', seconds=round(time.time() - _t, 2))"
GUESS = "for kind in ('cuda', 'cpu'):\n    try:\n        if kind == 'cuda' and not os.path.exists('/dev/nvidia0'):\n            raise RuntimeError('no visible GPU')\n        params['device'] = kind\n        break\n    except RuntimeError as e:\n        tell('error', device=kind, text=str(e), then='cpu')"
LOST = "lost = rng.random(X.shape) < 0.04\nX[lost] = np.nan\ntell('warning', nan=int(lost.sum()), text='nan in the table are left to the trees')"


def delays() -> Iterator[LocalJob]:
    """Events."""
    yield one(GOOD, trains(), T)
    yield one(HARD, trains(ready=GUESS), T, "--depth", "3", "--trees", "90")
    yield one(HARD, trains(data=LOST), T, "--trees", "100", "--portion", "5")
    yield one(HARD, trains(), T, "--grow-on", "trains.ubj", "--trees", "150", before=FIRST)
    yield one(fell("A1", "traceback", "config"), trains(), T, "--objective", "reg:square")
    yield one(fell("A3", "traceback"), trains(mid="if grown == 60:\n    train = xgb.DMatrix(X[:cut, :-1], y[:cut])"), T)
    yield one(fell("A3", "permission"), trains(saved="if grown == 80:\n    os.makedirs('/opt/models/trains')"), T)
    yield one(strays("flat"), trains(), T, "--eta", "0", "--portion", "10")
    yield one(strays("spike"), trains(), T, "--eta", "2.6", "--trees", "60", "--portion", "2")
    yield one(anew(), trains().replace(GROWN, '    tell("opened", booster=a.grow_on, trees=bst.num_boosted_rounds())\n    bst = None\n'), T, "--grow-on", "trains.ubj", "--trees", "90", before=FIRST)
    yield one(fell("E2", "traceback", "size_mismatch"), trains(), T, "--grow-on", "trains.ubj", "--trees", "150", "--table", "delays.csv", files={"delays.csv": TABLE}, before=FIRST)
    yield one(fell("E2", "file_not_found", "no_valid_checkpoint"), trains(), T, "--grow-on", "kept/trains.ubj", "--trees", "150", before=FIRST)
    yield one(fell("E2", "traceback", "corrupt"), trains(), T, "--grow-on", "trains.ubj", "--trees", "150", before=(*FIRST, ("truncate", "-s", "9000", "trains.ubj")))
    yield one(HANDFUL, trains(), T, "--trees", "2", "--portion", "1")
    yield one(SAVES, trains(save=PARTS), T, "--portion", "1", "--trees", "30", "--idle", "0")
    yield one(STANDS, trains(saved="if grown == 50:\n    tell('publish', to='broker')\n    import select\n    r, w = os.pipe()\n    select.select([r], [], [])"), T, "--trees", "9000", timeout_s=145)
    yield one(HALTED, trains(), T, "--trees", "9000", "--idle", "0.2", signal=ctrl_c('"trees": 80,'))


def cellar(label: Label, text: str, what: str, *, given: dict[str, Any] | None = None, **more: Any) -> LocalJob:
    """Which model, and its settings as JSON."""
    return one(label, text, W, what, *([json.dumps(given)] if given else []), **more)


KNOWN = (("PYTHON", W, "net"),)


def bottles() -> Iterator[LocalJob]:
    """Estimators."""
    yield cellar(GOOD, wine(), "trees")
    yield cellar(HARD, wine(), "net", given={"max_iter": 25})
    yield cellar(HARD, wine(), "grid", given={"alpha": [1e-4, 1e-3, "auto"], "penalty": ["l2"]})
    yield cellar(HARD, wine(), "net", given={"memory": "wine.joblib", "max_iter": 15}, before=KNOWN)
    yield cellar(HARD, wine(), "net", given={"max_iter": 400, "early_stopping": True, "n_iter_no_change": 6, "learning_rate_init": 0.01})
    yield cellar(fell("A1", "traceback", "config"), wine(), "trees", given={"loss": "ls"})
    yield cellar(fell("A1", "traceback", "data"), wine(data="X[7, 3] = np.inf"), "grid")
    yield cellar(fell("A3", "assertion"), wine(passed="assert n != 14 or ll < 0.05, f'log loss {ll:.3f} after {n} passes: release criterion not met'"), "passes")
    yield cellar(fell("A3", "file_not_found"), wine(passed="if n == 9:\n    np.savetxt('plots/pass9.txt', p)"), "passes")
    yield cellar(strays("flat"), wine(data="y = rs.permutation(y)"), "passes", given={"learning_rate": "constant", "eta0": 0.00001})
    yield cellar(strays("spike"), wine(**{"pass": "if n == 16:\n    clf.coef_ *= -60.0\n    clf.set_params(eta0=3e-4)"}), "passes", given={"learning_rate": "constant", "eta0": 0.002})
    yield cellar(fell("E2", "traceback", "size_mismatch"), wine(data="X = np.c_[X, rs.normal(size=(len(X), 3))]"), "net", given={"memory": "wine.joblib", "max_iter": 20}, before=(("env", "python", "-c", "import numpy as np, joblib; from sklearn.neural_network import MLPClassifier as M; r = np.random.RandomState(0); joblib.dump(M((24, 12), max_iter=30).fit(r.normal(size=(300, 8)), r.randint(0, 2, 300)), 'wine.joblib')"),))
    yield cellar(HANDFUL, wine(), "net", given={"max_iter": 2, "bottles": 60})
    yield one(fell("A2", None, fault="unknown"), trains(), T, "--trees", "9000", "--idle", "0.2", signal=Signal("KILL", '"trees": 110,', T, 0.1), ends=lambda s: s == -9)
    yield cellar(fell("A3", "ram_oom"), wine(passed="if n == 10:\n    K = np.exp(-np.abs(X[:, None] - X[None]).sum(-1)) * np.ones((4000, 1, 1))"), "passes", memory_mib=2400)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from delays()
    yield from bottles()


RECIPE = Recipe("salt_marshes", "development", jobs)
"""Trees and estimators."""
