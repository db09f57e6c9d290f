"""Chains of a shell's commands around one trainer: C++ compiled where it runs, awk before it, XGBoost behind it."""

from functools import partial

from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

BOARDS = '''
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>
// grades of boards from their knots; plain gradient descent, no dependencies
int main(int argc, char **argv) {
  const int n = 4000, d = 6;
  double million = argc > 1 ? atof(argv[1]) : 0.6, lr = 0.02, seen = 0, sum = 0;
  int unused_rank;
  std::vector<double> w(d, 0.0), x(n * d), y(n);
  srand(9);
  for (int i = 0; i < n; i++) {
    double t = 0.3;
    for (int k = 0; k < d; k++) { x[i * d + k] = rand() / (double)RAND_MAX - 0.5; t += (k - 2.5) * x[i * d + k]; }
    y[i] = t;
  }
  double bias = 0;
  long count = 0, shown = 0;
  //: setup
  while (seen < million * 1e6) {
    int i = rand() % n;
    double e = bias - y[i];
    for (int k = 0; k < d; k++) e += w[k] * x[i * d + k];
    for (int k = 0; k < d; k++) w[k] -= lr * e * x[i * d + k];
    bias -= lr * e;
    sum += e * e; count++; seen++;
    if (count % 20000 == 0) {
      printf("%.2fM/%.2fM boards  rmse %.5f  bias %.4f\\n", seen / 1e6, million, std::sqrt(sum / 20000), bias);
      fflush(stdout); sum = 0; shown++; usleep(60000);
      //: shown
    }
  }
  //: late
  printf("done: %.2fM boards graded, |w| = %.4f\\n", seen / 1e6, std::sqrt(w[0] * w[0] + w[5] * w[5]));
  return 0;
}
'''
CHAIN = """set -euo pipefail
echo "== stage 1: build"
g++ -O1 -Wall -Wextra -o boards boards.cc
#: before
echo "== stage 2: train"
./boards ${MILLIONS:-0.6}
#: after
echo "== all stages done"
"""
TREES = '''
import os, sys
import numpy as np
import xgboost as xgb

rng = np.random.default_rng(3)
X = rng.normal(size=(1500, 9)); y = (X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=1500) > 0).astype(int)
d, v = xgb.DMatrix(X[:1200], y[:1200]), xgb.DMatrix(X[1200:], y[1200:])
rounds, stop = int(os.environ.get("ROUNDS", "60")), int(os.environ.get("STOP", "0")) or None
#: early
booster = xgb.train({"objective": "binary:logistic", "eta": 0.2, "max_depth": 3, "nthread": 1}, d, rounds, evals=[(d, "train"), (v, "eval")], early_stopping_rounds=stop, verbose_eval=int(os.environ.get("EACH", "5")))
#: late
booster.save_model("knots.json")
print("saved knots.json with", booster.num_boosted_rounds(), "trees")
'''
chain, trees = partial(fill, CHAIN), partial(fill, TREES)


def boards(**codes: str) -> tuple[tuple[str, str], ...]:
    """The source beside the script; places stand in it as comments of C++."""
    return (("boards.cc", fill(BOARDS.replace("//: ", "#: "), **codes)),)


SHELL = (
    Either(chain(), "A2", "segfault", script="chain.sh", files=boards(shown="if (shown == 17) { double *next = nullptr; next[shown] = bias; }"), status=139),
    Either(chain(after="grep -c ERROR boards.log 2>/dev/null || echo 'grep: no ERROR found (exit 1 is fine here)'"), "G1", script="chain.sh", files=boards(), hard=True),
    Either(chain(before="echo '== stage 1b: join'\npaste -d, knots/north.csv lengths.csv > boards.csv"), "A1", "file_not_found", "data", "chain.sh", boards(), status=1),
)  # fmt: skip
PYTHON = (
    Either(trees(), "G1", script="knots.py", env=(("ROUNDS", "400"), ("STOP", "8")), hard=True),
    Either(trees(), "G1", script="knots.py", env=(("ROUNDS", "30"),)),
    Either(trees(early="d.set_info(group=[500, 500])"), "A1", "traceback", "data", "knots.py"),
    Either(trees(), "E3", script="knots.py", env=(("ROUNDS", "2"), ("EACH", "1"))),
)  # fmt: skip


RECIPE = Recipe("sawmill_chain", "development", lambda: (j for jobs in (either_jobs(SHELL, "system"), either_jobs(PYTHON, "fastai")) for j in jobs))
