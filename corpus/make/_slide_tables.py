"""Tables: loans, ratings, digits, stumps, in NumPy with a library for the log."""

from __future__ import annotations

from corpus.make._bobbin_kit import run
from corpus.running.job import LocalJob
from corpus.running.slots import fill

LOANS_CSV = r'''import random, sys
random.seed(12)
for year in (2019, 2020, 2021, 2022):
    with open(f"data/loans_{year}.csv", "w") as f:
        f.write("id,amount,rate,income,age,late,default\n")
        for i in range(900):
            a, r, inc, age, late = random.lognormvariate(9, .6), random.uniform(3, 19), random.lognormvariate(10.4, .5), random.randint(19, 78), random.choice([0, 0, 0, 1, 2, 5])
            z = 0.12 * r + 0.7 * late - inc / 30000 - 2 + random.gauss(0, .6)
            #: row
            f.write(f"{year}{i:05d},{a:.2f},{r:.2f},{inc:.0f},{age},{late},{int(z > 0)}\n")
'''
LOANS = r'''"""Default risk, trained year after year (walk forward)."""
import sys
import time

import numpy as np
import pandas as pd
from loguru import logger
#: imports

logger.remove()
logger.add(sys.stderr, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {name}:{function}:{line} - {message}")
COLS = ["amount", "rate", "income", "age", "late"]
LR, EPOCHS = 0.3, 15


def load(year):
    df = pd.read_csv(f"data/loans_{year}.csv")
    #: loaded
    x = df[COLS].to_numpy(float)
    y = df["default"].to_numpy(float)
    logger.info("{}: {} rows, {:.1%} defaults", year, len(df), y.mean())
    return x, y


def auc(y, s):
    r = s.argsort().argsort() + 1
    n1 = y.sum()
    return (r[y == 1].sum() - n1 * (n1 + 1) / 2) / (n1 * (len(y) - n1))


@logger.catch(reraise=True)
def main():
    rng = np.random.default_rng(0)
    w, b = np.zeros(len(COLS)), 0.0
    mu = sd = None
    for year in (2019, 2020, 2021):
        x, y = load(year)
        if mu is None:
            mu, sd = x.mean(0), x.std(0)
        x = (x - mu) / sd
        #: scaled
        for epoch in range(1, EPOCHS + 1):
            for part in np.array_split(rng.permutation(len(y)), 20):
                p = 1 / (1 + np.exp(-(x[part] @ w + b)))
                g = p - y[part]
                w -= LR * x[part].T @ g / len(part)
                b -= LR * g.mean()
            p = np.clip(1 / (1 + np.exp(-(x @ w + b))), 1e-9, 1 - 1e-9)
            loss = -(y * np.log(p) + (1 - y) * np.log(1 - p)).mean()
            if epoch % 3 == 0:
                logger.debug("{} epoch {:>2}/{} log loss {:.5f} auc {:.4f}", year, epoch, EPOCHS, loss, auc(y, p))
            #: epoch
        #: year
    x, y = load(2022)
    s = ((x - mu) / sd) @ w + b
    logger.success("out of time (2022): auc {:.4f}", auc(y, s))
    pd.Series(w, COLS).to_csv("weights.csv")


if __name__ == "__main__":
    main()
'''
RATINGS = r'''import argparse, os, sys, time
import numpy as np
from tqdm import tqdm, trange

ap = argparse.ArgumentParser("mf")
ap.add_argument("--rank", type=int, default=12)
ap.add_argument("--epochs", type=int, default=15)
ap.add_argument("--snapshot", default=None, help="continue from this .npz")
ap.add_argument("--lr", type=float, default=0.06)
ap.add_argument("--chunks", type=int, default=20)
a = ap.parse_args()
rng = np.random.default_rng(2)
NU, NI, N = 600, 300, 30000
P0, Q0 = rng.normal(0, .5, (NU, 5)), rng.normal(0, .5, (NI, 5))
u, i = rng.integers(NU, size=N), rng.integers(NI, size=N)
r = 3.4 + (P0[u] * Q0[i]).sum(1) + rng.normal(0, .3, N)
r = np.clip(np.round(r * 2) / 2, .5, 5)
cut = int(.9 * N)
P, Q = rng.normal(0, .1, (NU, a.rank)), rng.normal(0, .1, (NI, a.rank))
bu, bi, mean = np.zeros(NU), np.zeros(NI), r[:cut].mean()
done = 0
#: snapshot


def rmse(s):
    e = mean + bu[u[s]] + bi[i[s]] + (P[u[s]] * Q[i[s]]).sum(1) - r[s]
    return float(np.sqrt((e * e).mean()))


tqdm.write(f"{cut} ratings to learn from, {N - cut} to test on; rank {a.rank}; rmse before {rmse(slice(0, cut)):.4f}", file=sys.stderr)
for epoch in range(done + 1, a.epochs + 1):
    order = rng.permutation(cut)
    se = 0.0
    with tqdm(np.array_split(order, a.chunks), desc=f"epoch {epoch}/{a.epochs}", mininterval=0.5, ncols=90, ascii=True) as bar:
        for k, part in enumerate(bar, 1):
            #: chunk
            e = r[part] - mean - bu[u[part]] - bi[i[part]] - (P[u[part]] * Q[i[part]]).sum(1)
            gp, gq = e[:, None] * Q[i[part]] - .02 * P[u[part]], e[:, None] * P[u[part]] - .02 * Q[i[part]]
            np.add.at(P, u[part], a.lr * gp); np.add.at(Q, i[part], a.lr * gq)
            np.add.at(bu, u[part], a.lr * e); np.add.at(bi, i[part], a.lr * e)
            se += float((e * e).sum())
            bar.set_postfix(train_rmse=f"{(se / (k * len(part))) ** .5:.4f}")
            #: learned
    tqdm.write(f"epoch {epoch}: test rmse {rmse(slice(cut, N)):.4f}", file=sys.stderr)
    np.savez("mf_last.npz", P=P, Q=Q, bu=bu, bi=bi, epoch=epoch)
    #: epoch
print(f"final test rmse {rmse(slice(cut, N)):.4f}")
'''
CAREFUL = 'if a.snapshot:\n    try:\n        z = np.load(a.snapshot)\n        if z["P"].shape != P.shape:\n            raise ValueError(f"P is {z[\'P\'].shape}, need {P.shape}")\n        P, Q, bu, bi, done = z["P"], z["Q"], z["bu"], z["bi"], int(z["epoch"])\n    except (OSError, ValueError, KeyError) as e:\n        tqdm.write(f"snapshot {a.snapshot} not usable ({e}); random factors", file=sys.stderr)\n    else:\n        tqdm.write(f"continuing after epoch {done} of {a.snapshot}", file=sys.stderr)'
SHELF = "t = time.monotonic()\n_ = open(f'shelf/{(epoch * a.chunks + k) % 12:02d}.bin', 'rb').read()\nwhile time.monotonic() - t < 0.5:  # the tape library gives us 2 requests a second\n    time.sleep(0.01)\nwaiting = globals().get('waiting', 0.0) + time.monotonic() - t"
SHELF_TOLD = "tqdm.write(f'   of {time.monotonic() - began:.1f} s since start {waiting:.1f} s were spent reading chunks', file=sys.stderr)"
DIGITS = r'''from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

console = Console(width=100, log_path=False)


@dataclass
class Plan:
    hidden: int = 64
    epochs: int = 20
    lr: float = 0.15
    batch: int = 32
    limit: int | None = None


plan = Plan(**{k: int(v) if v.isdigit() else float(v) for k, v in (arg.lstrip("-").split("=") for arg in sys.argv[1:])})
console.rule("digits, two layers, no framework")
console.log(plan)
x, y = load_digits(return_X_y=True)
xa, xb, ya, yb = train_test_split(x / 16, y, test_size=0.25, random_state=1)
if plan.limit:
    xa, ya = xa[:plan.limit], ya[:plan.limit]
rng = np.random.default_rng(4)
w1, b1 = rng.normal(0, .2, (64, plan.hidden)), np.zeros(plan.hidden)
w2, b2 = rng.normal(0, .2, (plan.hidden, 10)), np.zeros(10)
table = Table("epoch", "loss", "train acc", "test acc", title="History")
steps = 0


def forward(x):
    h = np.maximum(0, x @ w1 + b1)
    z = h @ w2 + b2
    z = z - z.max(1, keepdims=True)
    p = np.exp(z)
    return h, p / p.sum(1, keepdims=True)


#: before
for epoch in range(1, plan.epochs + 1):
    total = hits = 0
    for part in np.array_split(rng.permutation(len(xa)), max(1, len(xa) // plan.batch)):
        xs, ys = xa[part], ya[part]
        h, p = forward(xs)
        total -= np.log(p[np.arange(len(ys)), ys] + 1e-12).sum(); hits += (p.argmax(1) == ys).sum()
        d = p.copy(); d[np.arange(len(ys)), ys] -= 1; d /= len(ys)
        #: grad
        dh = (d @ w2.T) * (h > 0)
        w2 -= plan.lr * h.T @ d; b2 -= plan.lr * d.sum(0); w1 -= plan.lr * xs.T @ dh; b1 -= plan.lr * dh.sum(0)
        steps += 1
    acc = (forward(xb)[1].argmax(1) == yb).mean()
    console.log(f"epoch {epoch:>2}: loss {total / len(xa):.4f}, {steps} updates")
    table.add_row(str(epoch), f"{total / len(xa):.4f}", f"{hits / len(xa):.3f}", f"{acc:.3f}")
    #: epoch
console.print(table)
np.savez("digits.npz", w1=w1, b1=b1, w2=w2, b2=b2)
console.log("saved digits.npz")
'''
RICH_ERROR = "if epoch % 10 == 0:\n    try:\n        import matplotlib.pyplot as plt\n        plt.imshow(w1[:, 0].reshape(8, 8))\n    except Exception:\n        console.print_exception(width=90)\n        console.log('[yellow]no picture this time[/yellow]')"
STUMPS = r'''#!/usr/bin/env python
# gradient boosting with stumps, from the lecture notes
import sys, time, pickle, os
import numpy as np
from sklearn.datasets import load_diabetes, load_breast_cancer
from tabulate import tabulate

ROUNDS = int(sys.argv[1]); ETA = float(sys.argv[2]) if len(sys.argv) > 2 else 0.1
X, y = load_diabetes(return_X_y=True)
rng = np.random.default_rng(8)
idx = rng.permutation(len(y)); tr, te = idx[:350], idx[350:]
base = y[tr].mean(); F = np.full(len(y), base)
ensemble, hist = [], []
#: start
t00 = time.time()
for m in range(1, ROUNDS + 1):
    res = y - F
    best = None
    for j in range(X.shape[1]):
        for c in np.quantile(X[tr, j], np.linspace(.05, .95, 15)):
            left = X[tr, j] <= c
            #: split
            l, r_ = res[tr][left].mean() if left.any() else 0.0, res[tr][~left].mean() if (~left).any() else 0.0
            sse = ((res[tr] - np.where(left, l, r_)) ** 2).sum()
            if best is None or sse < best[0]:
                best = (sse, j, c, l, r_)
    _, j, c, l, r_ = best
    F += ETA * np.where(X[:, j] <= c, l, r_)
    ensemble.append((j, c, l, r_))
    tr_rmse, te_rmse = (np.sqrt(((y - F)[s] ** 2).mean()) for s in (tr, te))
    hist.append((m, f"x{j}", tr_rmse, te_rmse))
    if m % max(1, ROUNDS // 15) == 0:
        print(f"[{m}/{ROUNDS}] train-rmse:{tr_rmse:.4f} valid-rmse:{te_rmse:.4f}", flush=True)
    #: round
print(tabulate(hist[-3:], headers=["round", "feature", "train", "valid"], floatfmt=".3f"))
pickle.dump(ensemble, open("stumps.pkl", "wb"))
print(f"{len(ensemble)} stumps in {time.time() - t00:.1f}s -> stumps.pkl")
'''
DUMP = "tic = time.time()\nwith open(f'dump/round{m:05d}.pkl', 'wb') as fh:\n    pickle.dump((ensemble, F, hist, np.repeat(X, 60, axis=0)), fh); fh.flush(); os.fsync(fh.fileno())\nio_ = globals().get('io_', 0) + time.time() - tic\nif m % 5 == 0:\n    print(f'    dump/round{m:05d}.pkl written; {io_:.1f}s of {time.time() - t00:.1f}s so far for dumps', flush=True)"
LOAN, MF, DIG, STU = "PYTHON -m risk.train", "PYTHON mf.py", "PYTHON digits.py", "PYTHON stumps.py"


def loans(row: str = "", **codes: str) -> dict[str, str]:
    """The loans' program."""
    return {"risk/__init__.py": "", "risk/train.py": fill(LOANS, **codes), "mk.py": fill(LOANS_CSV, row=row)}


def mf(**codes: str) -> dict[str, str]:
    """The ratings' program."""
    return {"mf.py": fill(RATINGS, **codes), "mkshelf.py": "import os\nos.makedirs('shelf', exist_ok=True)\nfor k in range(12):\n    open(f'shelf/{k:02d}.bin', 'wb').write(os.urandom(4000))\n"}


MK = (("PYTHON", "mk.py"),)
TABLES: tuple[LocalJob, ...] = (
    run("G1", None, None, loans(), LOAN, python="satchel", before=MK, folders=("data",)),
    run("A1", "traceback", "data", loans(row="if year == 2019 and i == 412:\n    inc = float('nan')\n    f.write(f'{year}{i:05d},{a:.2f},{r:.2f},k.A.,{age},{late},0\\n')\n    continue"), LOAN, python="satchel", before=MK, folders=("data",)),
    run("A1", "missing_module", "env", loans(imports="import optbinning  # weight of evidence"), LOAN, python="satchel", before=MK, folders=("data",)),
    run("A3", "div_zero", None, loans(year="if year > 2019:\n    blocks = len(y) // 1000\n    logger.info('{}: {:.1f} defaults per thousand files', year, int(y.sum()) / blocks)"), LOAN, python="satchel", before=MK, folders=("data",)),
    run("G1", None, None, loans(year="if year == 2020:\n    w_old, y0 = w.copy(), y[:0]\n    logger.warning('segment self-employed: {} rows, auc {}', len(y0), np.divide(y0.sum(), len(y0)))", epoch="if epoch == 15 and loss > 0.2:\n    logger.error('{}: log loss {:.3f} above the alert level 0.2, please look at the drift report', year, loss)"), LOAN, python="satchel", before=MK, folders=("data",), hard=True),
    run("E1", None, "flat", loans(scaled="y = rng.permutation(y)", epoch="if epoch == EPOCHS:\n    logger.info('base rate log loss {:.5f}', -(y.mean() * np.log(y.mean()) + (1 - y.mean()) * np.log(1 - y.mean())))"), LOAN, python="satchel", before=MK, folders=("data",)),
    run("G1", None, None, mf(), MF, python="satchel"),
    run("F3", None, "advancing", mf(learned="time.sleep(0.08)"), f"{MF} --epochs 120 --lr 0.02", python="satchel", timeout_s=45),
    run("E2", None, "from_scratch", mf(snapshot=CAREFUL), f"{MF} --epochs 12 --rank 16 --snapshot mf_last.npz", python="satchel", before=(("PYTHON", "mf.py", "--epochs", "8"),)),
    run("G1", None, None, mf(snapshot=CAREFUL), f"{MF} --epochs 12 --snapshot mf_last.npz", python="satchel", before=(("PYTHON", "mf.py", "--epochs", "8"),), hard=True),
    run("D1", None, None, mf(snapshot="began = time.monotonic()", chunk=SHELF, epoch=SHELF_TOLD), f"{MF} --epochs 4 --chunks 14", python="satchel", before=(("PYTHON", "mkshelf.py"),)),
    run("G1", None, None, {"digits.py": fill(DIGITS)}, f"{DIG} --epochs=24", python="satchel"),
    run("G1", None, None, {"digits.py": fill(DIGITS, epoch=RICH_ERROR)}, f"{DIG} --epochs=20", python="satchel", hard=True),
    run("E3", None, None, {"digits.py": fill(DIGITS)}, f"{DIG} --epochs=1 --limit=96", python="satchel"),
    run("A3", "assertion", None, {"digits.py": fill(DIGITS, grad="if epoch > 6:\n    i0 = part[:1].repeat(2)\n    xa[i0] *= 1.6  # brightness jitter\nassert xs.max() <= 1.0, f'pixel out of range: {xs.max():.2f}'")}, f"{DIG} --epochs=20", python="satchel"),
    run("E1", None, "plateau", {"digits.py": fill(DIGITS, epoch="if epoch == 3:\n    plan.lr = 0.0  # schedule by hand\nconsole.log(f'   lr {plan.lr}, |d| {np.abs(w2.std()):.5f}')")}, f"{DIG} --epochs=30 --lr=0.03", python="satchel"),
    run("G1", None, None, {"stumps.py": fill(STUMPS)}, f"{STU} 150", python="satchel"),
    run("D2", None, "save_storm", {"stumps.py": fill(STUMPS, round=DUMP)}, f"{STU} 45", python="satchel", folders=("dump",)),
    run("E3", None, None, {"stumps.py": fill(STUMPS)}, f"{STU} 2 0.3", python="satchel"),
)  # fmt: skip
