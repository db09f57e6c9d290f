"""Programs with somebody's favourite library for what they print: loguru, tqdm, rich, structlog."""

from __future__ import annotations

LOGU = '''"""Wind farm wake model: fit of a polynomial surrogate."""
import argparse
import os
import random
import sys
import time
from pathlib import Path

from loguru import logger

#: top
logger.remove()
logger.add(sys.stderr, format="<green>{time:HH:mm:ss.SSS}</green> | <level>{level: <8}</level> | {function}:{line} - {message}", colorize=False)
cli = argparse.ArgumentParser()
cli.add_argument("--max-steps", type=int, default=@total@)
cli.add_argument("--lr", type=float, default=@lr@)
cli.add_argument("--run", default="@run@")
cli.add_argument("--resume", default="")
cfg = cli.parse_args()


def batch(rng):
    rows = []
    for _ in range(24):
        u, v = rng.uniform(-1, 1), rng.uniform(-1, 1)
        rows.append(([1.0, u, v, u * v, u * u, v * v], 0.3 + 0.8 * u - 0.5 * v + 0.9 * u * v + rng.gauss(0, 0.05)))
    return rows


def fit():
    rng = random.Random(@seed@)
    c, first = [0.0] * 6, 1
    logger.info("surrogate has {} coefficients, lr {}, run folder {}", len(c), cfg.lr, cfg.run)
    #: setup
    for step in range(first, cfg.max_steps + 1):
        t = time.perf_counter()
        #: data
        waited = time.perf_counter() - t
        rows = batch(rng)
        err = [sum(a * b for a, b in zip(c, x)) - y for x, y in rows]
        loss = sum(e * e for e in err) / len(err)
        grad = [2 * sum(e * x[k] for e, (x, _) in zip(err, rows)) / len(err) for k in range(6)]
        #: step
        c = [a - cfg.lr * g for a, g in zip(c, grad)]
        time.sleep(@pause@)
        if step % @every@ == 0 or step == cfg.max_steps:
            logger.info(@line@)
        #: after
    #: late
    logger.success("fitted, final loss {:.5g}", loss)


if __name__ == "__main__":
    fit()
'''
LOGU_DEFAULTS = {"total": 240, "lr": 0.15, "run": "runs/wake", "seed": 3, "pause": 0.06, "every": 20, "line": '"step {}/{} loss {:.5g} |g| {:.4g}", step, cfg.max_steps, loss, sum(g * g for g in grad) ** 0.5'}

TQDM = '''import os, random, sys, time
from tqdm import tqdm
#: top
# bird call detector, MFCC + perceptron
random.seed(@seed@)
w = [random.gauss(0, .1) for _ in range(8)]
truth = [.8, -.5, .3, .9, -.2, -.7, .4, .1]
lr = @lr@
hist = []
#: setup
for epoch in range(@first@, @epochs@ + 1):
    bar = tqdm(range(@iters@), desc=f"epoch {epoch}/@epochs@", ncols=96, mininterval=1.0, file=sys.stdout)
    run = 0.0
    for b in bar:
        #: data
        x = [[random.gauss(0, 1) for _ in w] for _ in range(16)]
        d = [sum((p - q) * v for p, q, v in zip(w, truth, r)) + random.gauss(0, .1) for r in x]
        loss = sum(e * e for e in d) / 16
        #: step
        for k in range(8):
            g = sum(e * r[k] for e, r in zip(d, x)) / 16
            w[k] -= lr * @rule@
        run += loss
        time.sleep(@pause@)
        bar.set_postfix(loss=f"{loss:.3f}", lr=lr, refresh=False)
        #: after
    hist.append(run / @iters@)
    print(f"epoch {epoch}: mean loss {hist[-1]:.4f}, best {min(hist):.4f}", flush=True)
    #: valid
#: late
print("calls.onnx exported")
'''
TQDM_DEFAULTS = {"seed": 5, "lr": 0.08, "first": 1, "epochs": 6, "iters": 60, "rule": "g", "pause": 0.05}

RICH = '''from __future__ import annotations
import math, os, random, sys, time
from rich.console import Console
from rich.table import Table
#: top
con = Console(width=110, force_terminal=False)
r = random.Random(@seed@)
w, b, v = @w@, @b@, @v@
lr = @lr@
con.rule("steel defect gate: one hidden unit, @total@ steps")
#: setup
rows: list[tuple[int, float, float, float]] = []
for step in range(@first@, @total@ + 1):
    xs = [r.uniform(-1, 1) for _ in range(64)]
    loss = gw = gb = gv = hits = 0.0
    for x in xs:
        y = 1.0 if x > 0.1 else 0.0
        h = max(0.0, w * x + b)
        p = 1 / (1 + math.exp(-v * h @shift@))
        p = min(max(p, 1e-9), 1 - 1e-9)
        loss -= (y * math.log(p) + (1 - y) * math.log(1 - p)) / 64
        hits += ((p > 0.5) == (y > 0.5)) / 64
        d = (p - y) / 64
        gv += d * h
        if h > 0:
            gw += d * v * x
            gb += d * v
    #: step
    w, b, v = w - lr * gw, b - lr * gb, v - lr * gv
    time.sleep(@pause@)
    #: after
    rows.append((step, loss, hits, math.sqrt(gw * gw + gb * gb + gv * gv)))
    if step % @every@ == 0:
        t = Table(title=None, show_edge=False)
        for head in ("step", "loss", "acc", "grad norm", "lr"):
            t.add_column(head, justify="right")
        for s, l, a, g in rows[-@every@::max(1, @every@ // 2)]:
            t.add_row(str(s), f"{l:.6f}", f"{a:.3f}", f"{g:.6f}", f"{lr:g}")
        con.print(t)
#: late
con.rule("gate.json written")
'''
RICH_DEFAULTS = {"seed": 2, "w": 0.6, "b": 0.3, "v": 0.5, "lr": 0.9, "shift": "+ 0.6", "total": 200, "first": 1, "pause": 0.08, "every": 20}

STRUCT = '''import os, random, sys, time
import structlog
#: top
structlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso"), structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])],
                    logger_factory=structlog.PrintLoggerFactory(sys.stdout))
log = structlog.get_logger(task=int(os.environ.get("SLURM_PROCID", "0")))
rng = random.Random(@seed@ + int(os.environ.get("SLURM_PROCID", "0")))
auc, ll = 0.51, 0.69
#: setup
log.info("fit_started", model="ctr_fm", batches=@total@)
for n in range(@first@, @total@ + 1):
    #: data
    auc += (@top@ - auc) * 0.02 * rng.uniform(0.2, 1.8)
    ll += (@floor@ - ll) * 0.02 * rng.uniform(0.2, 1.8)
    #: step
    time.sleep(@pause@)
    if n % @every@ == 0:
        log.info("batch", n=n, logloss=round(ll + rng.gauss(0, 0.004), 5), auc=round(auc + rng.gauss(0, 0.003), 4))
    #: after
#: late
log.info("fit_finished", batches=@total@, auc=round(auc, 4))
'''
STRUCT_DEFAULTS = {"seed": 70, "total": 250, "first": 1, "top": 0.78, "floor": 0.46, "pause": 0.07, "every": 10}

FOLD = '''import math, os, random, sys, time
fold, folds = int(sys.argv[1]), int(sys.argv[2])
#: top
rnd = random.Random(fold)
print(f"[CV {fold}/{folds}] START C=1.0, gamma=scale", flush=True)
for sweep in range(1, @total@ + 1):
    #: step
    time.sleep(@pause@)
    if sweep % @every@ == 0:
        print(f"[CV {fold}/{folds}] sweep {sweep}/@total@ dual objective {-310 * (1 - math.exp(-sweep / 40)) - rnd.random():.3f} nSV {880 - sweep}", flush=True)
print(f"[CV {fold}/{folds}] END C=1.0, gamma=scale;, score={0.86 + rnd.uniform(-.03, .03):.3f} total time={@total@ * @pause@:6.1f}s", flush=True)
'''
FOLD_DEFAULTS = {"total": 80, "pause": 0.12, "every": 20}
