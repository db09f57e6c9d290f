"""Heads of scripts over PyTorch 1.12 and what was written for it."""

IGNITE = """import logging

import torch
from ignite.contrib.handlers import ProgressBar
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.handlers import Checkpoint, DiskSaver, EarlyStopping, TerminateOnNan
from ignite.metrics import MeanSquaredError
from ignite.utils import setup_logger

torch.manual_seed(5)
net = torch.nn.Sequential(torch.nn.Linear(6, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
rows = [(x := torch.randn(16, 6), x.sum(1, keepdim=True)) for _ in range(20)]


def update(engine, batch):
    net.train()
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(net(batch[0]), batch[1])
    loss.backward()
    opt.step()
    return loss.item()


trainer = Engine(update)
trainer.logger = setup_logger('trainer', level=logging.INFO)


@trainer.on(Events.ITERATION_COMPLETED(every=10))
def told(engine):
    s = engine.state
    print(f'Epoch {s.epoch}/{s.max_epochs} : {s.iteration:4d} - batch loss: {s.output:.4f}', flush=True)


"""
SKORCH = """import numpy as np
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import Callback, EarlyStopping, EpochScoring

torch.manual_seed(1)
rng = np.random.default_rng(2)
X = rng.normal(size=(400, 8)).astype('f4')
y = (X[:, 0] * X[:, 1] > 0).astype('i8')


class Two(torch.nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(8, width), torch.nn.ReLU(), torch.nn.Linear(width, 2), torch.nn.Softmax(-1))

    def forward(self, x):
        return self.body(x)


"""
LIGHT = """import torch
import pytorch_lightning as pl
from pytorch_lightning.callbacks import ModelCheckpoint, EarlyStopping
from torch.utils.data import DataLoader, TensorDataset

pl.seed_everything(17)


class Lit(pl.LightningModule):
    def __init__(self, width=16, lr=0.03):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(5, width), torch.nn.ELU(), torch.nn.Linear(width, 1))

    def training_step(self, batch, i):
        x, y = batch
        loss = torch.nn.functional.l1_loss(self.net(x), y)
        self.log('train_loss', loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), self.hparams.lr)


x = torch.randn(640, 5)
loader = DataLoader(TensorDataset(x, x @ torch.arange(5.0).unsqueeze(1)), batch_size=32)


def fit(model, resume=None, **more):
    bar = pl.callbacks.TQDMProgressBar(refresh_rate=10)
    own = more.pop('callbacks', [])
    trainer = pl.Trainer(**{'accelerator': 'cpu', 'logger': False, 'max_epochs': 5, 'enable_checkpointing': False, 'callbacks': [bar, *own], **more})
    trainer.fit(model, loader, ckpt_path=resume)
    return trainer


"""
RL = """import gymnasium as gym
import numpy as np
from stable_baselines3 import A2C, DQN, PPO


class Walk(gym.Env):
    observation_space = gym.spaces.Box(-9.0, 9.0, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.t = 0.0, 0
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.t += 1
        self.place += 0.5 if action == 1 else -0.5
        {step}
        return np.array([self.place], np.float32), float(self.place / 9), bool(abs(self.place) > 8), self.t > 60, {}


"""
TAGGER = """import sys
import time

import torch

torch.manual_seed({seed})
emb = torch.nn.Embedding(40, 12)
rnn = torch.nn.LSTM(12, 16, batch_first=True)
head = torch.nn.Linear(16, 3)
params = [*emb.parameters(), *rnn.parameters(), *head.parameters()]
optim = torch.optim.RMSprop(params, lr={lr})
{early}
for update in range(1, {total} + 1):
    words = torch.randint(0, 40, (8, 10))
    scores = head(rnn(emb(words))[0])
    nll = torch.nn.functional.cross_entropy(scores.flatten(0, 1), (words % 3).flatten())
    optim.zero_grad()
    nll.backward()
    optim.step()
    {mid}
    if update % {every} == 0:
        print(f"| upd {{update:>5d} | nll {{nll.item():.3f}} | wps {{80 * update / (1 + time.perf_counter() % 1):.0f}} | lr {lr:g}", flush=True)
{late}
print("| done training")
""".replace("{{update:>5d}", "{{update:>5d}}")
RING = """import argparse
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
dist.init_process_group("gloo")
me, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(me)
{early}
model = DistributedDataParallel(torch.nn.Linear(7, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for it in range({total}):
    x = torch.randn(24, 7)
    err = (model(x) - x[:, :1] + x[:, 3:4]).abs().mean()
    opt.zero_grad()
    err.backward()
    opt.step()
    {mid}
    if it % 8 == 7 and me == 0:
        print(f"iter {it + 1}/{total}  mae {err.item():.4f}  world {size}", flush=True)
    time.sleep(0.01)
{late}
dist.destroy_process_group()
"""


def tagger(early: str = "", mid: str = "", late: str = "", *, total: int = 160, every: int = 8, lr: float = 0.004, seed: int = 3) -> str:
    """An LSTM that tells in a recogniser's manner."""
    return TAGGER.format(seed=seed, lr=lr, total=total, every=every, early=early, mid=mid.replace("\n", "\n    "), late=late)


def ring(early: str = "", mid: str = "", late: str = "", total: int = 120) -> str:
    """A linear model over gloo."""
    return RING.replace("{early}", early).replace("{mid}", mid.replace("\n", "\n    ")).replace("{late}", late).replace("{total}", str(total)).replace("iter {it + 1}/" + str(total), "iter {it + 1}/" + str(total))
