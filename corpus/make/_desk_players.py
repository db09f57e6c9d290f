"""Programs of one process that play, sweep or measure: Stable-Baselines3, episodes by hand, Optuna, Ignite, a benchmark's runner."""

SB3 = '''import argparse
import os
import sys
import time

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback, EvalCallback
from stable_baselines3.common.monitor import Monitor


class Dock(gym.Env):
    """A boat is to be stopped at a pier."""

    observation_space = spaces.Box(-10, 10, (2,), np.float32)
    action_space = spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.t, self.x, self.v = 0, float(self.np_random.uniform(-3, 3)), 0.0
        return np.array([self.x, self.v], np.float32), {}

    def step(self, action):
        self.t += 1
        self.v = 0.9 * self.v + 0.15 * (int(action) - 1)
        self.x = float(np.clip(self.x + self.v, -8, 8))
        #: env
        reward = 1.0 - abs(self.x)
        return np.array([self.x, self.v], np.float32), reward, False, self.t >= 40, {}


class Steps(BaseCallback):
    def _on_step(self):
        n = self.num_timesteps
        #: mid
        return True


p = argparse.ArgumentParser()
p.add_argument("--algo", default="ppo", choices=["ppo", "a2c"])
p.add_argument("--timesteps", type=int, default=3072)
p.add_argument("--lr", type=float, default=2e-3)
p.add_argument("--load", default="")
p.add_argument("--device", default="cpu")
a = p.parse_args()
#: early
env = Monitor(Dock())
kw = dict(verbose=1, seed=3, device=a.device)
cls, kw = {"ppo": (PPO, {**kw, "n_steps": 256, "batch_size": 64, "n_epochs": 4, "learning_rate": a.lr}), "a2c": (A2C, {**kw, "learning_rate": a.lr, "n_steps": 8})}[a.algo]
if a.load:
    print(f"Loading a trained agent from {a.load}", flush=True)
    model = cls.load(a.load, env=env, device=a.device)
else:
    model = cls("MlpPolicy", env, **kw)
callbacks = [Steps()]
#: ready
model.learn(a.timesteps, callback=callbacks, log_interval=1 if a.algo == "ppo" else 60)
#: late
model.save("dock_agent")
print("agent saved to dock_agent.zip", flush=True)
'''
EPISODES = '''import os, sys, time, math
from collections import deque
import numpy as np
import torch, torch.nn as nn
from torch.distributions import Categorical

episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
torch.manual_seed(2); np.random.seed(2)
policy = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
returns = deque(maxlen=50)
running = None
#: early
print("REINFORCE on BallHold-v0, %d episodes" % episodes)
for ep in range(1, episodes + 1):
    x, v, logp, rewards = np.random.uniform(-1, 1), 0.0, [], []
    for t in range(25):
        out = policy(torch.tensor([x, v], dtype=torch.float32))
        #: act
        dist = Categorical(logits=out)
        action = dist.sample()
        v = 0.8 * v + 0.2 * (action.item() - 1)
        x = x + v
        logp.append(dist.log_prob(action)); rewards.append(1 - abs(x))
        #: env
    R, G = 0, []
    for r in reversed(rewards):
        R = r + 0.95 * R
        G.insert(0, R)
    G = torch.tensor(G, dtype=torch.float32)
    running = G.mean() if running is None else 0.95 * running + 0.05 * G.mean()
    loss = -(torch.stack(logp) * (G - running)).sum() / 25
    #: loss
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    returns.append(sum(rewards))
    if ep % 10 == 0:
        print("Episode %5d\\tLast return: %8.2f\\tAverage return: %8.2f\\tloss: %.3f" % (ep, sum(rewards), np.mean(returns), loss.item()), flush=True)
    #: after
torch.save(policy.state_dict(), "policy.pth")
#: late
print("Solved? average of the last 50: %.2f" % np.mean(returns))
'''
SWEEP = '''import logging
import os
import sys
import time

import numpy as np
import optuna
import torch
from torch import nn

N_TRIALS = int(os.environ.get("N_TRIALS", 8))
gen = torch.Generator().manual_seed(0)
X = torch.randn(600, 12, generator=gen)
w = torch.randn(12, 1, generator=gen)
Y = torch.tanh(X @ w) + 0.1 * torch.randn(600, 1, generator=gen)
#: early


def objective(trial):
    lr = trial.suggest_float("lr", 1e-4, 1e-1, log=True)
    hidden = trial.suggest_int("hidden", 4, 48)
    drop = trial.suggest_float("dropout", 0.0, 0.5)
    #: trial
    torch.manual_seed(trial.number)
    net = nn.Sequential(nn.Linear(12, hidden), nn.ReLU(), nn.Dropout(drop), nn.Linear(hidden, 1))
    opt = torch.optim.Adam(net.parameters(), lr)
    for epoch in range(15):
        net.train()
        for rows in torch.randperm(480).split(48):
            #: mid
            loss = nn.functional.mse_loss(net(X[rows]), Y[rows])
            #: loss
            opt.zero_grad()
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            val = nn.functional.mse_loss(net(X[480:]), Y[480:]).item()
        if VERBOSE:
            print(f"trial {trial.number} epoch {epoch + 1}/15 train {loss.item():.4f} val {val:.4f}", flush=True)
        trial.report(val, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
        #: epoch
    return val


VERBOSE = os.environ.get("VERBOSE")
#: study
study = optuna.create_study(direction="minimize", sampler=optuna.samplers.TPESampler(seed=4), pruner=optuna.pruners.MedianPruner(2, 3))
#: ready
study.optimize(objective, n_trials=N_TRIALS)
print("Number of finished trials:", len(study.trials))
print("Best trial:", study.best_trial.number, "value:", round(study.best_value, 5))
for k, v in study.best_params.items():
    print(f"    {k}: {v}")
#: late
'''
IGNITE = '''import os
import sys
import time
import torch
from ignite.contrib.handlers import ProgressBar
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, EarlyStopping, TerminateOnNan
from ignite.metrics import Accuracy, Loss
from ignite.utils import setup_logger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(12)
epochs = int(os.environ.get("EPOCHS", 5))
lr = float(os.environ.get("LR", 0.05))
x = torch.randn(1200, 10)
y = (x[:, :3].sum(1) > 0).long() + (x[:, 3] > 1).long()
#: early
train_loader = DataLoader(TensorDataset(x[:1000], y[:1000]), 25, shuffle=True)
val_loader = DataLoader(TensorDataset(x[1000:], y[1000:]), 100)
model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr, momentum=0.9)
trainer = create_supervised_trainer(model, optimizer, criterion)
trainer.logger = setup_logger("trainer")
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "nll": Loss(criterion)})


@trainer.on(Events.ITERATION_COMPLETED(every=10))
def log_loss(engine):
    trainer.logger.info("Epoch[%d/%d] Iter[%d/%d] Loss: %.3f", engine.state.epoch, epochs, (engine.state.iteration - 1) % len(train_loader) + 1, len(train_loader), engine.state.output)


@trainer.on(Events.ITERATION_STARTED)
def started(engine):
    n = engine.state.iteration
    #: mid


@trainer.on(Events.EPOCH_COMPLETED)
def log_validation(engine):
    #: epoch
    evaluator.run(val_loader)
    m = evaluator.state.metrics
    print(f"Validation Results - Epoch[{engine.state.epoch}] Avg accuracy: {m['accuracy']:.3f} Avg loss: {m['nll']:.3f}", flush=True)


#: ready
trainer.run(train_loader, max_epochs=epochs)
#: late
'''
BENCH = '''"""Scores a saved classifier on several small test suites."""
import argparse
import json
import os
import sys
import time

import torch
from rich.console import Console
from rich.table import Table

p = argparse.ArgumentParser()
p.add_argument("--model", default="clf.pt")
p.add_argument("--suites", nargs="+", default=["nli", "topic", "polarity", "dates"])
p.add_argument("--make", action="store_true")
p.add_argument("--batch", type=int, default=25)
args = p.parse_args()
console = Console(width=110, force_terminal=False)
if args.make:
    torch.manual_seed(1)
    torch.save({"head.weight": torch.randn(3, 12)}, args.model)
    sys.exit()
#: early
console.log("loading", args.model)
weight = torch.load(args.model)["head.weight"]
#: ready
table = Table("suite", "examples", "accuracy", "stderr", title="Results")
results = {}
for k, suite in enumerate(args.suites):
    gen = torch.Generator().manual_seed(k)
    x = torch.randn(500, 12, generator=gen)
    y = (x @ weight.T + (0.5 + k) * torch.randn(500, 3, generator=gen)).argmax(1)
    hits = 0
    for at in range(0, 500, args.batch):
        #: mid
        hits += ((x[at : at + args.batch] @ weight.T).argmax(1) == y[at : at + args.batch]).sum().item()
        time.sleep(0.02)
        if at % 100 == 0:
            console.log(f"{suite}: {at}/500")
    acc = hits / 500
    results[suite] = acc
    table.add_row(suite, "500", f"{acc:.3f}", f"{(acc * (1 - acc) / 500) ** 0.5:.4f}")
    #: suite
console.print(table)
json.dump(results, open("results.json", "w"))
#: late
console.log("results written to results.json")
'''
