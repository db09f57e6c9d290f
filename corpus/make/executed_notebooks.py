"""Notebooks that papermill and nbconvert execute: a cell's error is told twice, in colours, and by somebody else's exit status."""

import json
from collections.abc import Iterator
from dataclasses import replace

from corpus.running.either import Either, either_jobs
from corpus.running.job import LocalJob, Recipe, SlurmJob

IMPORTS = "import math, os, random, sys, time\nrandom.seed(epochs)"
FIT = """w = [0.0, 0.0]
def epoch_of(n=80, eta=0.06):
    total = 0.0
    for _ in range(n):
        x = random.uniform(-1, 1)
        r = w[0] * x + w[1] - (1.4 * x - 0.6 + random.gauss(0, 0.1))
        w[0] -= eta * r * x
        w[1] -= eta * r
        total += r * r / n
    return total"""
LOOP = "for e in range(1, epochs + 1):\n    mse = epoch_of()\n    {mid}\n    print(f'Epoch {e:>2} of {epochs}  mean squared error: {mse:.5f}', flush=True)\n    time.sleep(0.03)"
PAPER = ("PYTHON", "-m", "papermill", "--log-output", "--no-progress-bar")
BAR = ("PYTHON", "-m", "papermill", "--log-output", "--progress-bar")
CONVERT = ("PYTHON", "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute")


def notebook(*cells: str) -> str:
    """Of code cells; the first is papermill's parameters."""
    def cell(number: int, text: str) -> dict[str, object]:
        return {"cell_type": "code", "id": f"c{number}", "execution_count": None, "metadata": {"tags": ["parameters"]} if number == 0 else {}, "outputs": [], "source": text}

    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": [cell(n, c) for n, c in enumerate(cells)], "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5})


def run(cells: tuple[str, ...], mode: str, cause: str | None = None, variant: str | None = None, *, how: tuple[str, ...] = PAPER, name: str = "train.ipynb", args: tuple[str, ...] = ("out.ipynb",), **more: object) -> Either:
    """A notebook of these cells, executed."""
    return replace(Either("", mode, cause, variant, name, launch=how, args=args), files=((name, notebook("epochs = 24", *cells)),), **more)  # type: ignore[arg-type]


def loop(mid: str = "pass") -> str:
    """The cell that trains."""
    return LOOP.replace("{mid}", mid.replace("\n", "\n    "))


QUIET = (("JUPYTER_PLATFORM_DIRS", "1"), ("PYDEVD_DISABLE_FILE_VALIDATION", "1"))
RUNS = (
    run((IMPORTS, FIT, loop()), "G1", env=QUIET),
    run((IMPORTS, "try:\n    import cudf\nexcept ImportError as e:\n    import traceback\n    traceback.print_exc()\n    print('cudf is not there, lists it is')", FIT, loop()), "G1", hard=True, env=QUIET),
    run((IMPORTS, FIT, loop(), "%%bash --no-raise-error\ncat /data/reference/scores.txt\necho \"reference: status $?\""), "G1", hard=True, tasks=1, env=QUIET),
    run((IMPORTS, FIT, "#| tags: [raises-exception]\nimport warnings\nwarnings.warn('RuntimeWarning: divide by zero expected in the first row')\nprint('expected errors: ValueError, AssertionError', file=sys.stderr)", loop(), "print('all checks passed: 0 errors')"), "G1", hard=True, how=BAR, env=QUIET),
    run((IMPORTS, "import pandas as pd\nclicks = pd.read_csv('../data/clicks_2025.csv')\nclicks.head()", FIT, loop()), "A1", "file_not_found", "data", env=QUIET),
    run((IMPORTS, "import lightgbm as lgb", FIT, loop()), "A1", "missing_module", "env", tasks=1, env=QUIET),
    run((IMPORTS, FIT, loop("if e == 15:\n    assert mse < 1e-6, f'epoch {e}: {mse:.4f} is above the bound'")), "A3", "assertion", env=QUIET),
    run((IMPORTS, FIT, loop("if e == 18:\n    speed = e / (e // 19)")), "A3", "div_zero", how=BAR, env=QUIET),
    run((IMPORTS, FIT, loop(), "os.makedirs('/srv/models/latest')"), "A3", "permission", tasks=1, env=QUIET),
    run((IMPORTS, FIT, loop("if e == 12:\n    raise RuntimeError(f'generator ended after {e * 80} of {epochs * 80} rows')")), "A3", "runtime_error", how=CONVERT, args=("--output", "done.ipynb"), env=QUIET),
    run((IMPORTS, "schedule = {'warmup': 3}\neta = schedule['peak']", FIT, loop()), "A1", "traceback", "config", how=CONVERT, args=("--output", "done.ipynb"), env=QUIET),
    run((IMPORTS, FIT, loop("if e == 20:\n    rows = [[0.0] * 10**12 for _ in range(4)]")), "A3", "ram_oom", env=QUIET),
    run((IMPORTS, FIT, loop("mse = mse if e < 9 else math.nan"), "print('notebook finished')"), "E1", "nan_loss", "non_finite", status=0, env=QUIET),
    run((IMPORTS, FIT, loop("mse = 0.69315"), "print('notebook finished')"), "E1", None, "flat", status=0, tasks=1, env=QUIET),
    run((IMPORTS, FIT, loop()), "E3", args=("out.ipynb", "-p", "epochs", "3"), env=QUIET),
    run((IMPORTS, FIT, loop(), "import pickle\npickle.load(open('model_v1.pkl', 'rb'))"), "A3", "file_not_found", args=("out.ipynb", "-p", "epochs", "31"), env=QUIET),
    run((IMPORTS, FIT, loop()), "A1", "file_not_found", "config", name="train.ipynb", how=(*PAPER, "-f", "params/large.yaml"), env=QUIET),
    run((IMPORTS, "from sklearn.linear_model import SGDRegressor\nSGDRegressor(loss='absolute').fit([[1.0]], [1.0])", FIT, loop()), "A1", "traceback", "config", tasks=1, env=QUIET),
)  # fmt: skip


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """Each notebook is its file already."""
    for one, job in zip(RUNS, either_jobs(RUNS, "catboost"), strict=True):
        yield replace(job, files=dict(one.files))


RECIPE = Recipe("executed_notebooks", "development", jobs)
