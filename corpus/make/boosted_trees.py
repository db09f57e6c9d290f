"""Gradient boosting, scikit-learn's own progress, tables from polars and HDF5, as analysts write them: no function, no argument, the library speaks."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

XGB = """import numpy as np
import xgboost as xgb

rng = np.random.default_rng(7)
X = rng.normal(size=(900, 12)).astype("f4")
y = X[:, 0] * 2 - X[:, 3] + 0.1 * rng.normal(size=900)
dtrain = xgb.DMatrix(X[:700], y[:700])
dvalid = xgb.DMatrix(X[700:], y[700:])
params = {"objective": "reg:squarederror", "eta": 0.1, "max_depth": 4, "nthread": 1}
"""
LGB = """import lightgbm as lgb
import numpy as np

state = np.random.RandomState(3)
features = state.rand(1200, 9)
target = (features[:, 1] + features[:, 4] > 1).astype(int)
train_set = lgb.Dataset(features[:900], target[:900])
valid_set = lgb.Dataset(features[900:], target[900:], reference=train_set)
config = dict(objective="binary", learning_rate=0.08, num_leaves=15, num_threads=1)
"""
MLP = """import numpy as np
from sklearn.datasets import make_classification
from sklearn.neural_network import MLPClassifier, MLPRegressor

X, y = make_classification(800, 16, random_state=5)
"""
POLARS = "import polars as pl\nfrom datetime import datetime\n\nprint(datetime.now().isoformat(timespec='seconds'), 'polars', pl.__version__)\n"
HDF = "import h5py\nimport numpy as np\n\nrng = np.random.default_rng(0)\n"
STRUCT = """import numpy as np
import structlog
from sklearn.linear_model import SGDRegressor

log = structlog.get_logger()
x = np.random.default_rng(2).normal(size=(600, 7))
y = x @ np.arange(7) + 3
model = SGDRegressor(eta0=0.002)
for epoch in range(1, 41):
    model.partial_fit(x, y)
    if epoch % 2 == 0:
        log.info("epoch_end", epoch=epoch, of=40, mse=round(float(((model.predict(x) - y) ** 2).mean()), 5), lr=0.002)
"""
RICH = """import numpy as np
from rich.console import Console
from rich.table import Table

console = Console(width=90)
x = np.linspace(-1, 1, 200)
w = np.zeros(2)
history = []
for it in range(1, 61):
    residual = w[0] * x + w[1] - (3 * x - 0.5)
    w -= 0.15 * np.array([(residual * x).mean(), residual.mean()]) * 2
    history.append((it, float((residual**2).mean())))
    if it % 6 == 0:
        console.print(f"[bold]it {it:>3}[/] objective [green]{history[-1][1]:.6f}[/]")
"""
CSV = (("clicks.csv", "user;item;rating\n1;7;4.0\n2;9;3.5\n"),)
SCRIPTS = (
    Flat(XGB + "booster = xgb.train(params, dtrain, 120, evals=[(dtrain, 'train'), (dvalid, 'valid')], early_stopping_rounds=10, verbose_eval=5)\nprint('best:', booster.best_iteration, booster.best_score)\nbooster.save_model('model.ubj')", "G1", script="xgb_baseline.py"),
    Flat(XGB + "params.update(booster_eror_policy='raise', eval_metric=['rmse', 'mape'], nan_mode='forbidden')\nxgb.train(params, dtrain, 60, evals=[(dvalid, 'valid')], verbose_eval=4)\nprint('done')", "G1", script="xgb_baseline.py", hard=True),
    Flat(XGB + "booster = xgb.train(params, dtrain, 50, evals=[(dtrain, 'train')], verbose_eval=5)\nscores = booster.predict(X[700:])", "A3", "traceback", script="xgb_baseline.py"),
    Flat(XGB + "y[31] = np.nan\nbooster = xgb.train(params, xgb.DMatrix(X, y), 50, evals=[(dtrain, 'train')])", "A1", "traceback", "data", "xgb_baseline.py"),
    Flat(XGB + "class Keep(xgb.callback.TrainingCallback):\n    def after_iteration(self, model, epoch, evals_log):\n        if epoch == 30:\n            model.save_model('models/2026/keep.ubj')\n        return False\n\nxgb.train(params, dtrain, 90, evals=[(dtrain, 'train'), (dvalid, 'valid')], verbose_eval=3, callbacks=[Keep()])", "A3", "file_not_found", script="train_keep.py"),
    Flat(LGB + "model = lgb.train(config, train_set, 90, valid_sets=[valid_set], callbacks=[lgb.log_evaluation(5), lgb.early_stopping(25)])\nprint('AUC proxy', round(float(((model.predict(features) > 0.5) == target).mean()), 4))", "G1", script="lgbm.py"),
    Flat(LGB + "config.update(objective='multiclass')\nlgb.train(config, train_set, 90, valid_sets=[valid_set])", "A1", "traceback", "config", "lgbm.py"),
    Flat(LGB + "train_set = lgb.Dataset('svm/train.svm', params={'header': False})\nlgb.train(config, train_set, 40)", "A1", "file_not_found", "data", "lgbm.py"),
    Flat(LGB + "def gap(env):\n    _, _, value, _ = env.evaluation_result_list[0]\n    if env.iteration > 44:\n        assert value < 0.05, f'valid logloss still {value:.3f} at {env.iteration}'\n\nlgb.train(config, train_set, 90, valid_sets=[valid_set], callbacks=[lgb.log_evaluation(1), gap])", "A3", "assertion", script="lgbm.py"),
    Flat(MLP + "clf = MLPClassifier((24,), max_iter=60, tol=0, n_iter_no_change=99, verbose=True, random_state=1).fit(X, y)\nrare = y[y == 7]\nprint('recall of the rare class:', sum(clf.predict(X)[: len(rare)]) / len(rare))", "A3", "div_zero", script="fit_mlp.py"),
    Flat("import numpy as np\nfrom sklearn.datasets import make_classification\nfrom sklearn.linear_model import LogisticRegression\nfrom sklearn.model_selection import GridSearchCV\n\nX, y = make_classification(300, 8, random_state=0)\nsearch = GridSearchCV(LogisticRegression(max_iter=3, solver='lbfgs'), {'penalty': ['l1', 'l2'], 'C': [0.1, 1, 10]}, cv=3, verbose=3)\nsearch.fit(X, y)\nprint('best', search.best_params_, search.best_score_)", "G1", script="grid.py", hard=True),
    Flat("from sklearn.datasets import make_friedman1\nfrom sklearn.ensemble import GradientBoostingRegressor\n\nX, y = make_friedman1(700, random_state=0)\nmodel = GradientBoostingRegressor(n_estimators=120, verbose=1).fit(X, y)\nprint('R2 %.3f' % model.score(X, y))", "G1", script="gbr.py"),
    Flat(POLARS + "frame = pl.scan_csv('input/clicks.csv').group_by('user').len().collect()", "A1", "file_not_found", "data", "features.py"),
    Flat(POLARS + "frame = pl.read_csv('clicks.csv', separator=';')\nprint(frame)\nx = frame.select(pl.col('rating_mean') - 3).to_numpy()", "A1", "traceback", "data", "features.py", CSV),
    Flat(POLARS + "ids = pl.DataFrame({'a': range(60_000)})\nprint(ids.describe())\npairs = ids.join(ids.rename({'a': 'b'}), how='cross').with_columns(d=pl.col('a') - pl.col('b'))\nprint(pairs.height)", "A2", "ram_oom", script="pairs.py", memory_mib=6000, status=-6),
    Flat(HDF + "with h5py.File('maps.h5', 'w') as f:\n    f['kappa'] = rng.normal(size=(64, 64, 64))\nimport os\nos.truncate('maps.h5', 900_000)\nprint('reading maps.h5', os.path.getsize('maps.h5'))\nmaps = h5py.File('maps.h5')['kappa'][:]", "A1", "traceback", "data", "lensing.py"),
    Flat(HDF + "w = np.zeros(5)\nx = rng.normal(size=(256, 5))\nfor sweep in range(1, 33):\n    r = x @ w - x.sum(1)\n    w -= 0.2 * x.T @ r / 256\n    print('sweep', sweep, 'chi2', round(float(r @ r), 4), flush=True)\n    if sweep % 16 == 0:\n        with h5py.File('/usr/share/chains.h5' if sweep > 16 else 'chains.h5', 'a') as f:\n            f.create_dataset(f'w{sweep}', data=w)", "A3", "permission", script="chains.py"),
    Flat("import dask\nimport numpy as np\n\n@dask.delayed\ndef part(i):\n    x = np.random.default_rng(i).normal(size=500)\n    print(f'block {i:02d}/24 fitted, residual={float(np.abs(x).mean()) / (i + 1):.4f}', flush=True)\n    if i == 17:\n        raise ValueError('block 17: time axis is not monotonic')\n    return x.mean()\n\nprint(sum(dask.compute(*[part(i) for i in range(24)], scheduler='synchronous')))", "A3", "traceback", script="blocks.py"),
    Flat(MLP + "MLPRegressor(hidden_layer_sizes=(40, 40), solver='sgd', learning_rate_init=30.0, max_iter=80, n_iter_no_change=99, verbose=True, random_state=0).fit(X * 50, y * 1e3)", "E1", "nan_loss", "non_finite", "fit_mlp.py"),
    Flat(XGB + "def wild(p, d):\n    return 3.9 * (p - d.get_label()), np.ones_like(p)\n\nparams.update(eta=8.0, base_score=0.0, reg_lambda=0.0)\nparams.pop('objective')\nxgb.train(params, dtrain, 110, obj=wild, evals=[(dtrain, 'train')], verbose_eval=2)\nprint('model kept')", "E1", "nan_loss", "non_finite", "wild.py", status=0),
    Flat(XGB + "booster = xgb.train(params, dtrain, 2, evals=[(dtrain, 'train'), (dvalid, 'valid')])\nbooster.save_model('model.json')\nprint('saved model.json')", "E3", script="xgb_baseline.py"),
    Flat(MLP + "clf = MLPClassifier((12,), max_iter=3, verbose=True).fit(X, y)\nprint('accuracy', clf.score(X, y))", "E3", script="fit_mlp.py"),
    Flat(MLP + "clf = MLPClassifier((24,), max_iter=25, verbose=True, random_state=1).fit(X, y)\nview = np.lib.stride_tricks.as_strided(X, shape=(10**11,), strides=(8,))\nprint('checksum', view.sum())", "A2", "segfault", script="fit_mlp.py", status=-11),
    Flat("# %% [markdown]\n# ## Second attempt, with categories\nimport numpy as np\nfrom catboost import CatBoostRegressor\nmodel = CatBoostRegressor(iterations=300)", "A1", "missing_module", "env", "notebook_12.py"),
    Flat(STRUCT + "kernel = np.exp(-np.subtract.outer(np.arange(160_000.0), np.arange(160_000.0)) ** 2)\nlog.info('kernel', shape=kernel.shape)", "A3", "ram_oom", script="sgd_struct.py"),
    Flat(STRUCT + "metrics = {'mse': 1.0, 'mae': 0.4}\nfor name in metrics:\n    metrics[f'{name}_scaled'] = metrics[name] * 100\nlog.info('final', **metrics)", "A3", "runtime_error", script="sgd_struct.py"),
    Flat(STRUCT + "log.warning('skipped_rows', reason='ZeroDivisionError', count=12)\nlog.error('upload_failed', attempt=1, exc='ConnectionRefusedError(111)', action='retry')\nlog.info('upload_ok', attempt=2)\nlog.info('finished', epochs=40)", "G1", script="sgd_struct.py", hard=True),
    Flat(RICH + "table = Table(title='fit')\nfor name in ('it', 'objective'):\n    table.add_column(name)\nfor it, value in history[::12]:\n    table.add_row(str(it), f'{value:.5f}')\nconsole.print(table)\nconsole.print('[green]finished[/] without a warning')", "G1", script="rich_fit.py"),
    Flat("from rich.traceback import install\ninstall(show_locals=True, width=90)\n" + RICH + "import json\nopen('report.json', 'w').write(json.dumps({'w': w.tolist()}))\njson.load(open('reports/baseline.json'))", "A3", "file_not_found", script="rich_fit.py"),
    Flat("from rich.traceback import install\ninstall(width=80)\n" + RICH + "def pick(rows, key):\n    return rows[key]\n\npick({'mse': 1}, 'rmse')", "A3", "traceback", script="rich_fit.py"),
)  # fmt: skip
RECIPE = Recipe("boosted_trees", "development", lambda: flat_jobs(SCRIPTS, "tabular"))
