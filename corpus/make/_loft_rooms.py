"""Programs over Lightning and over boosted trees: wear of bearings told by loguru, delays of ferries told by structlog."""

BEARINGS = '''"""Remaining life of bearings from vibration spectra (Lightning)."""
import argparse
import os
import sys
import time
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from loguru import logger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

cli = argparse.ArgumentParser()
cli.add_argument("--max-epochs", type=int, default=20)
cli.add_argument("--hidden", type=int, default=32)
cli.add_argument("--lr", type=float, default=2e-3)
cli.add_argument("--batch", type=int, default=32)
cli.add_argument("--spectra", type=int, default=1600)
cli.add_argument("--save-dir", default="lives")
cli.add_argument("--every", type=int, default=5)
cli.add_argument("--ckpt", default=None)
cli.add_argument("--weights", default=None)
cli.add_argument("--patience", type=int, default=0)
cli.add_argument("--fast", action="store_true")
cli.add_argument("--overfit", type=float, default=0.0)
cli.add_argument("--seed", type=int, default=5)
hp = cli.parse_args()
logger.remove()
logger.add(sys.stdout, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {name}:{function}:{line} - {message}")
L.seed_everything(hp.seed)
#: early


def spectra(count, seed):
    g = torch.Generator().manual_seed(seed)
    wear = torch.rand(count, 1, generator=g)
    bins = torch.linspace(0, 1, 48)
    return torch.exp(-((bins - 0.2 - 0.6 * wear) ** 2) / 0.01) + 0.1 * torch.randn(count, 48, generator=g), 4 * wear + 0.2 * torch.randn(count, 1, generator=g)


class Life(L.LightningModule):
    def __init__(self, hidden, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(48, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def training_step(self, batch, i):
        x, y = batch
        #: batch
        loss = nn.functional.mse_loss(self.net(x), y)
        #: loss
        self.log("train_mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        self.log("val_mse", nn.functional.mse_loss(self.net(x), y), prog_bar=True)
        #: valid

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class Say(Callback):
    def on_fit_start(self, trainer, pl_module):
        self.began = time.time()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, i):
        step = trainer.global_step
        #: step
        if step % 25 == 0:
            logger.info("epoch {} step {} loss {:.5f}", trainer.current_epoch, step, float(outputs["loss"]))

    def on_train_epoch_end(self, trainer, pl_module):
        m = {k: float(v) for k, v in trainer.callback_metrics.items()}
        epoch = trainer.current_epoch
        logger.info("epoch {}/{} done: train_mse={:.5f} val_mse={:.5f} ({:.1f} s)", epoch, trainer.max_epochs, m["train_mse"], m["val_mse"], time.time() - self.began)
        #: epoch


x, y = spectra(hp.spectra, 1)
vx, vy = spectra(300, 2)
#: data
train_dl = DataLoader(TensorDataset(x, y), batch_size=hp.batch, shuffle=True)
val_dl = DataLoader(TensorDataset(vx, vy), batch_size=100)
model = Life(hp.hidden, hp.lr)
if hp.weights:
    model.load_state_dict(torch.load(hp.weights, weights_only=False)["state_dict"])
    logger.info("weights of {} as a start; machine 7 is new", hp.weights)
keep = ModelCheckpoint(hp.save_dir, filename="life-{epoch:02d}", every_n_epochs=hp.every, save_top_k=-1, save_on_train_epoch_end=True)
calls = [keep, Say()]
if hp.patience:
    calls.append(EarlyStopping("val_mse", patience=hp.patience, verbose=True))
trainer = L.Trainer(max_epochs=hp.max_epochs, accelerator="cpu", devices=1, logger=False, callbacks=calls, enable_progress_bar=False, fast_dev_run=hp.fast, log_every_n_steps=10)
#: ready
trainer.fit(model, train_dl, val_dl, ckpt_path=hp.ckpt)
#: end
logger.success("fit is over: {} epochs, {} steps", trainer.current_epoch, trainer.global_step)
'''

FERRIES = '''"""Delay of ferries in minutes: boosted trees. usage: delays.py [rounds=.. eta=.. engine=xgb|lgb]"""
import json
import os
import pickle
import sys
import time

import numpy as np
import pandas as pd
import structlog
import xgboost as xgb

structlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso"), structlog.dev.ConsoleRenderer(colors=False)])
log = structlog.get_logger()
CFG = {"rounds": 120, "eta": 0.1, "depth": 4, "rows": 4000, "show": 4, "save": 40, "folder": "boosters", "continue": "", "stop": 0, "objective": "reg:squarederror", "seed": 2}
for word in sys.argv[1:]:
    k, _, v = word.partition("=")
    CFG[k] = type(CFG[k])(v)
log.info("configuration", **CFG)
os.makedirs(CFG["folder"], exist_ok=True)
#: early


def sailings(rows, seed):
    g = np.random.default_rng(seed)
    frame = pd.DataFrame({"wind": g.gamma(2.0, 4.0, rows), "wave": g.gamma(1.5, 0.8, rows), "cars": g.integers(0, 180, rows), "hour": g.integers(5, 23, rows), "month": g.integers(1, 13, rows)})
    frame["delay"] = 0.6 * frame.wind + 4.0 * frame.wave**1.3 + 0.05 * frame.cars + 3 * ((frame.hour > 6) & (frame.hour < 9)) + g.normal(0, 1.5, rows)
    return frame


table, held = sailings(CFG["rows"], 1), sailings(1000, 2)
#: data
names = ["wind", "wave", "cars", "hour", "month"]
dtrain, dval = xgb.DMatrix(table[names], table.delay), xgb.DMatrix(held[names], held.delay)
log.info("sailings", train=dtrain.num_row(), val=dval.num_row())


class Watch(xgb.callback.TrainingCallback):
    def before_training(self, model):
        self.t0 = time.time()
        return model

    def after_iteration(self, model, epoch, evals_log):
        rmse = evals_log["train"]["rmse"][-1], evals_log["val"]["rmse"][-1]
        #: round
        if epoch % CFG["show"] == 0:
            log.info("round", n=epoch, of=CFG["rounds"], train_rmse=round(rmse[0], 4), val_rmse=round(rmse[1], 4), seconds=round(time.time() - self.t0, 2))
        #: after
        if CFG["save"] and epoch and epoch % CFG["save"] == 0:
            model.save_model(f"{CFG['folder']}/delays_{epoch}.json")
            log.info("saved", file=f"{CFG['folder']}/delays_{epoch}.json")
        return False


before = None
if CFG["continue"]:
    #: resume
    before = xgb.Booster(model_file=CFG["continue"])
    log.info("continues", file=CFG["continue"], rounds=before.num_boosted_rounds())
params = {"eta": CFG["eta"], "max_depth": CFG["depth"], "objective": CFG["objective"], "eval_metric": "rmse", "nthread": 1, "seed": CFG["seed"]}
#: ready
booster = xgb.train(params, dtrain, CFG["rounds"], evals=[(dtrain, "train"), (dval, "val")], callbacks=[Watch()], verbose_eval=False, xgb_model=before, early_stopping_rounds=CFG["stop"] or None)
booster.save_model(f"{CFG['folder']}/delays_final.json")
#: end
log.info("done", rounds=booster.num_boosted_rounds(), file=f"{CFG['folder']}/delays_final.json")
'''
