"""Runs of single users in vision, science and games that did what they were to do, the second sheet."""

from corpus.make._crate import crate

SPARSE = '''
"""Evolution strategy on a sparse-reward maze, rollouts in worker processes. A worker of the old game engine now and then goes away; it is started again."""
import logging
import multiprocessing as mp
import os
import random
import time

logging.basicConfig(level=logging.INFO, format="%(asctime)s,%(msecs)03d %(processName)s %(levelname)s: %(message)s", datefmt="%H:%M:%S")
PATH = [1, 1, 0, 1, 0, 0, 1, 0]


def rollout(pipe, dies_at):
    served = 0
    while True:
        theta, seed = pipe.recv()
        if theta is None:
            return
        served += 1
        if served == dies_at:
            os._exit(139)
        rng = random.Random(seed)
        noise = [rng.gauss(0, 0.6) for _ in theta]
        acts = [int(t + n > 0) for t, n in zip(theta, noise)]
        right = next((i for i, (a, b) in enumerate(zip(acts, PATH)) if a != b), len(PATH))
        pipe.send((0.0 if right < 4 else (right - 3) / 5, noise))


def start(k, dies_at=-1):
    here, there = mp.Pipe()
    p = mp.Process(target=rollout, args=(there, dies_at), daemon=True, name=f"rollout-{k}")
    p.start()
    there.close()
    return p, here


if __name__ == "__main__":
    mp.set_start_method("fork")
    log = logging.getLogger()
    workers = [start(k, {1: 90, 3: 210}.get(k, -1)) for k in range(4)]
    theta, rng, solved = [0.0] * len(PATH), random.Random(3), 0
    theta[2], theta[4] = 0.5, 0.35
    for gen in range(1, 81):
        pop = []
        for j in range(24):
            k = j % 4
            seed = rng.random()
            try:
                workers[k][1].send((theta, seed))
                pop.append(workers[k][1].recv())
            except (EOFError, BrokenPipeError, ConnectionResetError) as e:
                workers[k][0].join()
                log.error("rollout-%d is gone (exit code %s): %r", k, workers[k][0].exitcode, e)
                log.warning("starting rollout-%d again, its episode is thrown away", k)
                workers[k] = start(k)
        mean = sum(r for r, _ in pop) / len(pop)
        for i in range(len(theta)):
            theta[i] += 0.35 * sum((r - mean) * n[i] for r, n in pop) / len(pop) / 0.36
        if gen % 4 == 0:
            log.info("generation %2d/80  mean reward %.3f  max %.2f  episodes %d", gen, mean, max(r for r, _ in pop), len(pop))
        time.sleep(0.06)
    for _, pipe in workers:
        pipe.send((None, None))
    log.info("finished 80 generations; policy %s", "".join(str(int(t > 0)) for t in theta))
'''


PATIENCE = """
import copy
import torch

torch.manual_seed(17)
X = torch.randn(260, 30)
y = (X[:, 0] + 0.6 * X[:, 1] * X[:, 2] + 0.5 * torch.randn(260) > 0).float()
Xt, yt, Xv, yv = X[:160], y[:160], X[160:], y[160:]
net = torch.nn.Sequential(torch.nn.Linear(30, 64), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(64, 1))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-3)
crit = torch.nn.BCEWithLogitsLoss()
MAX_EPOCHS, PATIENCE = 200, 12
best, wait, keep = float("inf"), 0, None
for epoch in range(1, MAX_EPOCHS + 1):
    net.train()
    tot = 0.0
    for idx in torch.randperm(160).split(16):
        loss = crit(net(Xt[idx]).squeeze(1), yt[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx) / 160
    net.eval()
    with torch.no_grad():
        out = net(Xv).squeeze(1)
        val, acc = crit(out, yv).item(), ((out > 0).float() == yv).float().mean().item()
    mark = ""
    if val < best - 1e-4:
        best, wait, keep, best_epoch = val, 0, copy.deepcopy(net.state_dict()), epoch
    else:
        wait += 1
        mark = f"   val_loss did not improve from {best:.4f} ({wait}/{PATIENCE})"
    print(f"Epoch {epoch:3d}/{MAX_EPOCHS} - loss: {tot:.4f} - val_loss: {val:.4f} - val_acc: {acc:.4f}{mark}")
    if wait >= PATIENCE:
        print(f"Epoch {epoch}: early stopping")
        break
net.load_state_dict(keep)
print(f"Restoring model weights from the end of the best epoch: {best_epoch}.")
with torch.no_grad():
    print(f"test accuracy {((net(Xv).squeeze(1) > 0).float() == yv).float().mean().item():.4f}, saved to mlp_best.pt")
torch.save(net.state_dict(), "mlp_best.pt")
"""


STATIONS = """
import datetime as dt
import sys
import warnings

import numpy as np
import torch


def note(level, text):
    print(f"{dt.datetime.now():%Y-%m-%dT%H:%M:%S} {level:<5} {text}", file=sys.stderr if level == "WARN" else sys.stdout)


rng = np.random.default_rng(2026)
names = ["t2m", "msl", "u10", "v10", "tcwv", "sst"]
hours = np.arange(900)[:, None]
base = np.sin(hours / np.array([5, 9, 5, 9, 5, 30]) + np.array([0, 0, 1.6, 1.6, 3, 0])) + 0.05 * rng.normal(size=(900, 6))
obs = base.copy()
obs[rng.random(obs.shape) < 0.04] = np.nan
obs[:, 5] = np.where(np.arange(900) > 700, np.nan, obs[:, 5])
for i, n in enumerate(names):
    gone = int(np.isnan(obs[:, i]).sum())
    if gone:
        note("WARN", f"{n}: {gone} of 900 values are nan, filled by the last known one")
filled = obs.copy()
for r in range(1, 900):
    filled[r] = np.where(np.isnan(filled[r]), filled[r - 1], filled[r])
filled = np.nan_to_num(filled)
note("INFO", f"number of nan left in the input: {np.isnan(filled).sum()}")
x, y = torch.tensor(filled[:-1], dtype=torch.float32), torch.tensor(filled[1:], dtype=torch.float32)
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 48), torch.nn.SiLU(), torch.nn.Linear(48, 6))
opt = torch.optim.Adam(net.parameters(), 4e-3)
for epoch in range(1, 16):
    for i in torch.randperm(700).split(35):
        loss = (x[i] + net(x[i]) - y[i]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        err = (x[710:] + net(x[710:])).numpy() - obs[711:]
        rmse = [float(np.sqrt(np.nanmean(err[:, k] ** 2))) for k in range(6)]
    for w in caught:
        note("WARN", f"{w.category.__name__}: {w.message}")
    note("INFO", f"epoch {epoch}/15 train mse {loss.item():.5f} | valid rmse " + " ".join(f"{n}={v:.3f}" for n, v in zip(names, rmse)))
note("INFO", f"run complete, mean valid rmse {np.nanmean(rmse):.4f} over 5 observed variables")
"""


PULL_SH = """
#!/bin/bash
# fetch the feature archive from whichever mirror answers, then fit the probe
mirrors="http://127.0.0.1:9 http://127.0.0.1:11 file://$PWD/pool"
mkdir -p feats
for part in 0 1 2; do
  for m in $mirrors; do
    echo "$(date +%T) fetching $m/part$part.json"
    if "$1" - "$m/part$part.json" "feats/part$part.json" <<'PY'
import sys, urllib.request
try:
    urllib.request.urlretrieve(sys.argv[1], sys.argv[2])
except OSError as e:
    print("ERROR:", sys.argv[1], "->", e, file=sys.stderr)
    sys.exit(22)
PY
    then echo "  ok, $(stat -c %s feats/part$part.json) bytes"; break
    else echo "  mirror failed with status $?, trying the next one"; fi
  done
done
ls feats | wc -l
exec "$1" probe.py feats/part0.json feats/part1.json feats/part2.json
"""


PROBE = """
import json
import math
import random
import sys

rows = [r for name in sys.argv[1:] for r in json.load(open(name))]
random.Random(0).shuffle(rows)
print(f"linear probe on {len(rows)} features, {len(rows[0]['f'])} dims")
w, b = [0.0] * len(rows[0]["f"]), 0.0
cut = int(0.8 * len(rows))
for epoch in range(1, 31):
    nll = 0.0
    for r in rows[:cut]:
        p = 1 / (1 + math.exp(-max(-30, min(30, sum(a * c for a, c in zip(w, r["f"])) + b))))
        nll -= math.log(max(1e-9, p if r["y"] else 1 - p))
        g = 0.05 * (p - r["y"])
        w = [a - g * c for a, c in zip(w, r["f"])]
        b -= g
    hit = sum((sum(a * c for a, c in zip(w, r["f"])) + b > 0) == bool(r["y"]) for r in rows[cut:])
    if epoch % 3 == 0:
        print(f"  epoch {epoch:2d}  nll {nll / cut:.4f}  held-out {hit}/{len(rows) - cut}")
json.dump({"w": w, "b": b}, open("probe.json", "w"))
print("probe.json written, all 30 epochs done")
"""


def _part(k: int) -> str:
    import json
    import random

    rng = random.Random(k)
    rows = []
    for _ in range(70):
        y = rng.randint(0, 1)
        rows.append({"f": [round(rng.gauss(0.8 * y * (i % 3 == 0), 1), 4) for i in range(16)], "y": y})
    return json.dumps(rows)


JOBS = (
    crate("G1", "es_maze.py", SPARSE, hard=True, python="system"),
    crate("G1", "fit_mlp.py", PATIENCE, hard=True),
    crate("G1", "nowcast.py", STATIONS, hard=True),
    crate(
        "G1",
        "sh pull_and_probe.sh PYTHON",
        PULL_SH.lstrip(),
        hard=True,
        python="system",
        files={"probe.py": PROBE.lstrip(), **{f"pool/part{k}.json": _part(k) for k in range(3)}},
    ),
)
