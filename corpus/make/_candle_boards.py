"""Programs that log rows: a forecaster with JSON lines, a scoring desk over boosted trees with rich, a little game with CSV rows."""

LOAD = r'''"""Day-ahead load of 12 substations, a GRU. JSON lines on stdout, one record an interval."""
import datetime as dt
import json
import os
import sys
import time

import numpy as np
import torch
import torch.nn as nn

CONFIG = {"steps": 900, "every": 30, "lr": 0.004, "batch": 32, "hidden": 24, "window": 12, "stations": 12, "save_every": 150, "save_to": "models/load", "continue_from": None, "warm_from": None, "pause": 0.0, "seed": 7}
for path in sys.argv[1:]:
    with open(path) as f:
        given = json.load(f)
    strange = set(given) - set(CONFIG)
    if strange:
        print(json.dumps({"event": "config_rejected", "file": path, "unknown_keys": sorted(strange)}), flush=True)
        sys.exit(2)
    CONFIG.update(given)


def emit(event, **fields):
    print(json.dumps({"ts": dt.datetime.now().isoformat(timespec="milliseconds"), "event": event, **fields}, default=str), flush=True)


emit("config", **CONFIG)
torch.manual_seed(CONFIG["seed"])
rng = np.random.default_rng(CONFIG["seed"])
#: start
hours = np.arange(24 * 120)
load = np.stack([50 + 12 * np.sin(2 * np.pi * (hours - s) / 24) + 4 * np.sin(2 * np.pi * hours / 168) + rng.normal(0, 1.2, len(hours)) for s in range(CONFIG["stations"])], 1)
#: data
mean, std = load.mean(0), load.std(0)
series = torch.tensor((load - mean) / std, dtype=torch.float32)


class Forecast(nn.Module):
    def __init__(self, stations, hidden):
        super().__init__()
        self.rnn = nn.GRU(stations, hidden, batch_first=True)
        self.out = nn.Linear(hidden, stations)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


model = Forecast(CONFIG["stations"], CONFIG["hidden"])
optim = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
begin = 0
if CONFIG["warm_from"]:
    model.load_state_dict(torch.load(CONFIG["warm_from"])["weights"])
    emit("warm_start", path=CONFIG["warm_from"])
if CONFIG["continue_from"]:
    #: restore
    kept = torch.load(CONFIG["continue_from"])
    model.load_state_dict(kept["weights"])
    optim.load_state_dict(kept["optim"])
    begin = kept["step"]
    emit("restored", path=CONFIG["continue_from"], step=begin)
emit("ready", parameters=sum(p.numel() for p in model.parameters()), rows=len(series), first_step=begin)
#: ready
os.makedirs(CONFIG["save_to"], exist_ok=True)


def draw(n, low=0, high=2500):
    at = rng.integers(low, high, n)
    w = CONFIG["window"]
    return torch.stack([series[i : i + w] for i in at]), torch.stack([series[i + w] for i in at])


losses, t_data, t_step, since = [], 0.0, 0.0, time.perf_counter()
for step in range(begin + 1, CONFIG["steps"] + 1):
    t0 = time.perf_counter()
    x, y = draw(CONFIG["batch"])
    #: batch
    t1 = time.perf_counter()
    loss = nn.functional.mse_loss(model(x), y)
    #: loss
    optim.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), CONFIG.get("clip", 5.0))
    #: grad
    optim.step()
    time.sleep(CONFIG["pause"])
    losses.append(loss.item())
    t_data += t1 - t0
    t_step += time.perf_counter() - t1
    #: after
    if step % CONFIG["every"] == 0:
        emit("train", step=step, of=CONFIG["steps"], loss=round(float(np.mean(losses)), 5), grad_norm=round(float(norm), 4), lr=optim.param_groups[0]["lr"], data_s=round(t_data, 3), compute_s=round(t_step, 3))
        losses, t_data, t_step = [], 0.0, 0.0
    #: told
    if step % CONFIG["save_every"] == 0:
        t2 = time.perf_counter()
        torch.save({"weights": model.state_dict(), "optim": optim.state_dict(), "step": step}, os.path.join(CONFIG["save_to"], "latest.pt"))
        #: save
        emit("saved", step=step, path=os.path.join(CONFIG["save_to"], "latest.pt"), seconds=round(time.perf_counter() - t2, 3))
with torch.no_grad():
    x, y = draw(256, 2500, 2850)
    mape = float((((model(x) - y).abs() * torch.tensor(std)) / 50).mean())
#: finish
emit("finished", steps=step, mape=round(mape, 4), wall_s=round(time.perf_counter() - since, 2))
'''

SCORING = r'''"""Instalment credit: who pays late? LightGBM with a table of rich.   scoring.py KEY=VALUE ..."""
import os
import pickle
import sys
import time
import warnings

import lightgbm as lgb
import numpy as np
import pandas as pd
from omegaconf import OmegaConf
from rich.console import Console
from rich.table import Table
from sklearn.metrics import log_loss, roc_auc_score

base = OmegaConf.create({"rounds": 120, "eta": 0.06, "leaves": 15, "rows": 6000, "chunk": 10, "folds": 1, "store": "scorecards", "prior": None, "stop": 0, "keep_each": 60, "nap": 0.0, "objective": "binary"})
OmegaConf.set_struct(base, True)
cfg = OmegaConf.merge(base, OmegaConf.from_cli())
con = Console(width=110, force_terminal=False)
con.print(OmegaConf.to_yaml(cfg).strip())
rng = np.random.default_rng(5)
#: start
frame = pd.DataFrame({
    "age": rng.integers(18, 80, cfg.rows), "income": rng.lognormal(7.5, 0.5, cfg.rows), "rate": rng.uniform(20, 900, cfg.rows),
    "months": rng.integers(6, 72, cfg.rows), "cards": rng.poisson(1.4, cfg.rows), "noise": rng.normal(size=cfg.rows),
})
risk = 3.2 * frame.rate / frame.income - 0.02 * (frame.age - 40) + 0.25 * frame.cards + rng.normal(0, 0.6, cfg.rows)
late = (risk > np.quantile(risk, 0.7)).astype(int).to_numpy()
#: data
cut = int(0.8 * cfg.rows)
train = lgb.Dataset(frame[:cut], late[:cut], free_raw_data=False)
hold, truth = frame[cut:], late[cut:]
os.makedirs(cfg.store, exist_ok=True)
model, done, best, bad = None, 0, 9e9, 0
if cfg.prior:
    #: prior
    with open(cfg.prior, "rb") as f:
        kept = pickle.load(f)
    model, done = lgb.Booster(model_str=kept["model"]), kept["rounds"]
    con.print(f"continuing {cfg.prior}: {done} rounds are there")
params = {"objective": cfg.objective, "learning_rate": cfg.eta, "num_leaves": cfg.leaves, "verbosity": -1, "num_threads": 1, "seed": 3}
#: params
con.rule(f"{cut} rows to learn from, {cfg.rows - cut} held out, {late.mean():.1%} late")
began = time.time()
while done < cfg.rounds:
    chunk = min(cfg.chunk, cfg.rounds - done)
    #: chunk
    model = lgb.train(params, train, chunk, init_model=model, keep_training_booster=True)
    done += chunk
    p_train, p_hold = model.predict(frame[:cut]), model.predict(hold)
    #: scores
    inner, outer = log_loss(late[:cut], p_train), log_loss(truth, p_hold)
    con.print(f"round {done:>4}/{cfg.rounds}   train logloss {inner:.5f}   holdout logloss {outer:.5f}   auc {roc_auc_score(truth, p_hold):.4f}   {time.time() - began:6.2f} s")
    #: told
    if done % cfg.keep_each == 0:
        with open(f"{cfg.store}/card_{done:04d}.pkl", "wb") as f:
            pickle.dump({"model": model.model_to_string(), "rounds": done}, f)
        con.print(f"      kept {cfg.store}/card_{done:04d}.pkl")
        #: kept
    bad = 0 if outer < best else bad + 1
    best = min(best, outer)
    if cfg.stop and bad >= cfg.stop:
        con.print(f"[yellow]early stop: holdout logloss not better for {bad} chunks (as asked)")
        break
    time.sleep(cfg.nap)
table = Table("feature", "gain", title="what counts")
for name, gain in sorted(zip(model.feature_name(), model.feature_importance("gain")), key=lambda r: -r[1]):
    table.add_row(name, f"{gain:.1f}")
con.print(table)
#: finish
con.print(f"scorecard of {done} rounds ready, best holdout logloss {best:.5f}")
'''

GAME = r'''"""DQN for the warehouse robot. Rows go to stdout as CSV, everything else as lines with a #."""
import argparse
import collections
import math
import os
import random
import sys
import time

import torch
from torch import nn

o = argparse.ArgumentParser(description=__doc__)
o.add_argument("--episodes", type=int, default=240)
o.add_argument("--row-each", type=int, default=8)
o.add_argument("--side", type=int, default=5)
o.add_argument("--units", type=int, default=32)
o.add_argument("--gamma", type=float, default=0.93)
o.add_argument("--rate", type=float, default=2e-3)
o.add_argument("--agent", default="robot.pt", help="is written here")
o.add_argument("--from-agent", help="goes on with this one")
o.add_argument("--keep-each", type=int, default=80)
o.add_argument("--slow", type=float, default=0.0)
o.add_argument("--memory", type=int, default=4000)
o = o.parse_args()
random.seed(2)
torch.manual_seed(2)
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))
#: start


class Hall:
    """The robot, the crate, walls around. A step costs 0.05, a bump 0.3, the crate brings 1."""

    def reset(self):
        self.me, self.crate, self.t = (0, 0), (random.randrange(1, o.side), random.randrange(1, o.side)), 0
        return self.see()

    def see(self):
        v = torch.zeros(2, o.side, o.side)
        v[0][self.me] = v[1][self.crate] = 1
        return v.flatten()

    def step(self, a):
        self.t += 1
        n = (self.me[0] + MOVES[a][0], self.me[1] + MOVES[a][1])
        if not (0 <= n[0] < o.side and 0 <= n[1] < o.side):
            return self.see(), -0.3, self.t >= 30
        self.me = n
        return self.see(), (1.0 if n == self.crate else -0.05), n == self.crate or self.t >= 30


def build():
    return nn.Sequential(nn.Linear(2 * o.side**2, o.units), nn.ReLU(), nn.Linear(o.units, o.units), nn.ReLU(), nn.Linear(o.units, 4))


q, target, hall = build(), build(), Hall()
opt = torch.optim.Adam(q.parameters(), lr=o.rate)
first = 1
if o.from_agent:
    #: load
    z = torch.load(o.from_agent)
    q.load_state_dict(z["q"])
    opt.load_state_dict(z["opt"])
    first = z["episode"] + 1
    print(f"# agent of episode {z['episode']} taken from {o.from_agent}", flush=True)
target.load_state_dict(q.state_dict())
memory = collections.deque(maxlen=o.memory)
print(f"# {sum(p.numel() for p in q.parameters())} weights, hall of {o.side} x {o.side}", flush=True)
#: ready
print("episode,steps,td_loss,mean_return,epsilon,seconds", flush=True)
steps, since, td, returns = 0, time.time(), collections.deque(maxlen=200), collections.deque(maxlen=40)
for episode in range(first, o.episodes + 1):
    eps = max(0.05, 0.9 * math.exp(-episode / 60))
    s, total, over = hall.reset(), 0.0, False
    while not over:
        with torch.no_grad():
            a = random.randrange(4) if random.random() < eps else int(q(s).argmax())
        #: act
        n, r, over = hall.step(a)
        memory.append((s, a, r, n, over))
        s, total, steps = n, total + r, steps + 1
        if len(memory) < 200 or steps % 2:
            continue
        batch = random.sample(memory, 32)
        S, N = torch.stack([b[0] for b in batch]), torch.stack([b[3] for b in batch])
        A, R = torch.tensor([b[1] for b in batch]), torch.tensor([b[2] for b in batch])
        D = torch.tensor([float(b[4]) for b in batch])
        with torch.no_grad():
            want = R + o.gamma * (1 - D) * target(N).max(1).values
        #: want
        loss = nn.functional.smooth_l1_loss(q(S).gather(1, A[:, None]).squeeze(1), want)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        td.append(loss.item())
        if steps % 200 == 0:
            target.load_state_dict(q.state_dict())
    returns.append(total)
    time.sleep(o.slow)
    #: episode
    if episode % o.row_each == 0 and td:
        print(f"{episode},{steps},{sum(td) / len(td):.5f},{sum(returns) / len(returns):.4f},{eps:.3f},{time.time() - since:.2f}", flush=True)
    #: row
    if episode % o.keep_each == 0:
        torch.save({"q": q.state_dict(), "opt": opt.state_dict(), "episode": episode}, o.agent)
        print(f"# kept {o.agent}", flush=True)
        #: kept
#: finish
print(f"# over: {episode} episodes, mean return of the last {len(returns)}: {sum(returns) / len(returns):.3f}", flush=True)
'''
