"""Scripts with pandas, scikit-learn and PyArrow as notebooks are exported, without functions."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

HEADS = (
    "import numpy as np\nimport pandas as pd\nprint('pandas', pd.__version__)\n",
    "# %%\nimport numpy as np\nimport pandas as pd\nfrom sklearn.linear_model import SGDClassifier\nrng = np.random.default_rng(0)\n",
)
FIT = "from sklearn.linear_model import SGDRegressor\nx = np.random.default_rng(1).normal(size=(400, 5))\ny = x.sum(1)\nmodel = SGDRegressor(warm_start=True)\nfor epoch in range({n}):\n    model.partial_fit(x, y)\n    print(f'epoch {{epoch}}: mse {{float(((model.predict(x) - y) ** 2).mean()):.5f}}', flush=True)\n"
CSV = (("data/x.csv", "a,b\n1,2\n3,4\n"),)
SCRIPTS = (
    Flat("frame = pd.read_csv('data/train.csv')", cause="file_not_found", variant="data"),
    Flat("frame = pd.read_csv('data/x.csv')\nprint(frame['label'].mean())", cause="traceback", variant="data", files=CSV),
    Flat("frame = pd.read_parquet('data/part-0.parquet')", cause="file_not_found", variant="data"),
    Flat("pd.DataFrame({'a': [1]}).to_csv('/usr/share/result.csv')", cause="permission", variant="config"),
    Flat("frame = pd.read_csv('data/x.csv')", cause="permission", variant="data", files=CSV, locked=("data/x.csv",)),
    Flat("import xgboost as xgb", cause="missing_module", variant="env"),
    Flat("from sklearn.externals import joblib", cause="missing_module", variant="env"),
    Flat("frame = pd.DataFrame({'a': range(3)})\nbatch = 64 // len(frame[frame.a > 5])", cause="div_zero", variant="data"),
    Flat("frame = pd.DataFrame({'a': [1, None]})\nassert frame.a.notna().all(), 'holes in column a'", cause="assertion", variant="data"),
    Flat("from sklearn.linear_model import Ridge\nRidge().fit([[float('nan')], [1.0]], [1, 2])", cause="traceback", variant="data"),
    Flat("big = pd.DataFrame(np.zeros((60_000, 8_000)))", cause="ram_oom", variant="env", memory_mib=1800),
    Flat("square = np.ones((50_000, 50_000)).dot(np.ones((50_000, 2)))", cause="ram_oom", variant="env", memory_mib=1500),
    Flat(FIT.format(n=60) + "frame = pd.read_csv('data/validation.csv')", "A3", "file_not_found"),
    Flat(FIT.format(n=40) + "model.coef_.reshape(2, 7)", "A3", "traceback"),
    Flat(FIT.format(n=50) + "assert model.coef_.max() > 50, 'weights are too small'", "A3", "assertion"),
    Flat(FIT.format(n=50) + "model.predict(np.zeros((2, 9)))", "A3", "traceback"),
    Flat(FIT.format(n=45) + "import pickle\npickle.dump(model, open('/srv/models/m.pkl', 'wb'))", "A3", "file_not_found"),
    Flat(FIT.format(n=45) + "open('/etc/model.pkl', 'wb')", "A3", "permission"),
    Flat(FIT.format(n=30) + "import onnx", "A3", "missing_module"),
    Flat(FIT.format(n=30) + "print(1 / int(model.intercept_[0] * 0))", "A3", "div_zero"),
    Flat(FIT.format(n=30) + "table = np.zeros((90_000, 40_000))", "A3", "ram_oom", memory_mib=1800),
    Flat(FIT.format(n=30) + "import ctypes\nctypes.string_at(3)", "A2", "segfault", status=-11),
    Flat("import ctypes\nctypes.memmove(1, 2, 3)", "A2", "segfault", status=-11),
    Flat(FIT.format(n=80) + "print('done')", "G1"),
    Flat(FIT.format(n=120) + "print('Finished: best model kept')", "G1"),
    Flat("import warnings\nwarnings.simplefilter('always')\nnp.log(np.zeros(2))\nnp.float64(1) / np.float64(0)\n" + FIT.format(n=70) + "print('training complete')", "G1", hard=True),
    Flat("try:\n    pd.read_csv('data/cached.csv')\nexcept FileNotFoundError as error:\n    print('cache:', repr(error))\n" + FIT.format(n=70) + "print('training complete')", "G1", hard=True),
    Flat("frame = pd.DataFrame({'loss': [float('nan'), 1.0]})\nprint(frame.describe())\n" + FIT.format(n=70) + "print('training complete')", "G1", hard=True),
    Flat("x = np.random.default_rng(0).normal(size=(50, 3))\nw = np.ones(3)\nfor step in range(1, 101):\n    w = w - 9.0 * 2 * x.T @ (x @ w - 1) / 50\n    print(f'step {step} loss {((x @ w - 1) ** 2).mean():.4g}', flush=True)\nprint('done')", "E1", None, "spike", status=0),
    Flat("w, lr = 5.0, 1.5\nfor step in range(1, 1201):\n    w -= lr * 2 * w\n    loss = float(np.float64(w) ** 2)\n    print(f'iteration {step}: training loss = {loss:.3e}', flush=True)\n    if not np.isfinite(loss):\n        raise ArithmeticError(f'training loss is {loss}')", "E1", "nan_loss", "non_finite"),
)
RECIPE = Recipe("tables_and_trees", "development", lambda: flat_jobs(SCRIPTS, "numpy", HEADS))
