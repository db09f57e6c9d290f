"""Lightning modules of one process: moisture of grain from infrared spectra told by loguru, glyphs of a manuscript told by Lightning's own bar."""

GRAIN = '''"""Moisture of grain from near-infrared spectra (Lightning)."""
import glob
import os
import sys
import time
import warnings

import lightning as L
import numpy as np
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from loguru import logger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger.remove()
logger.add(sys.stdout, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {function}:{line} - {message}")
OPT = {"epochs": 20, "samples": 900, "hidden": 48, "lr": 0.002, "batch": 30, "seed": 6, "root": "nir", "resume": "", "patience": 0, "fast": 0, "limit": 0, "profiler": "", "save_steps": 0, "test_only": 0}
for word in sys.argv[1:]:
    key, value = word.lstrip("-").split("=", 1)
    if key not in OPT:
        sys.exit(f"{sys.argv[0]}: unknown option --{key}, known are {', '.join('--' + k for k in OPT)}")
    OPT[key] = type(OPT[key])(value)
L.seed_everything(OPT["seed"])
logger.info("options {}", OPT)
#: early


def spectra(count, seed):
    rng = np.random.default_rng(seed)
    water, protein, size = rng.uniform(9, 22, count), rng.uniform(8, 16, count), rng.normal(0, 0.3, count)
    axis = np.linspace(950, 1650, 96)
    peak = lambda at, wide: np.exp(-(((axis - at) / wide) ** 2))  # noqa: E731
    curve = 0.03 * water[:, None] * peak(1450, 60) + 0.02 * protein[:, None] * peak(1210, 45) + size[:, None] * 0.2 + rng.normal(0, 0.03, (count, 96))
    return curve.astype(np.float32), water.astype(np.float32)


x, y = spectra(OPT["samples"], 1)
vx, vy = spectra(240, 2)
#: data
y_mean, y_std = float(y.mean()), float(y.std())
mean, std = x.mean(0), x.std(0)
#: scale
train_set = TensorDataset(torch.tensor((x - mean) / std), torch.tensor((y - y_mean) / y_std))
valid_set = TensorDataset(torch.tensor((vx - mean) / std), torch.tensor((vy - y_mean) / y_std))


def collate(rows):
    #: collate
    return torch.stack([r[0] for r in rows]), torch.stack([r[1] for r in rows])


class Moisture(L.LightningModule):
    def __init__(self, hidden, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(96, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def training_step(self, batch, number):
        spectrum, water = batch
        #: batch
        loss = nn.functional.mse_loss(self.net(spectrum)[:, 0], water)
        #: loss
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, number):
        error = self.net(batch[0])[:, 0] - batch[1]
        #: valid
        self.log("val_loss", (error**2).mean())
        self.log("val_rmse", (error**2).mean().sqrt() * y_std)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        #: optimizer
        return optimizer


class Teller(Callback):
    def __init__(self):
        self.began = time.time()

    def on_train_start(self, trainer, module):
        logger.info("training starts at epoch {} of {}, {} batches an epoch", trainer.current_epoch, trainer.max_epochs, trainer.num_training_batches)

    def on_train_batch_end(self, trainer, module, outputs, batch, number):
        step = trainer.global_step
        #: step

    def on_train_epoch_end(self, trainer, module):
        epoch, m = trainer.current_epoch, {k: float(v) for k, v in trainer.callback_metrics.items()}
        lr = trainer.optimizers[0].param_groups[0]["lr"]
        logger.info("epoch {:>3} | loss {:.5f} | val_loss {:.5f} | rmse {:.3f} % water | lr {:.1e} | {:.1f} s", epoch, m["loss"], m.get("val_loss", float("nan")), m.get("val_rmse", float("nan")), lr, time.time() - self.began)
        #: epoch


callbacks = [Teller(), ModelCheckpoint(dirpath=f"{OPT['root']}/models", filename="{epoch:03d}", save_top_k=-1, every_n_epochs=5)]
if OPT["save_steps"]:
    callbacks.append(ModelCheckpoint(dirpath=f"{OPT['root']}/steps", filename="{step}", every_n_train_steps=OPT["save_steps"], save_top_k=-1, verbose=True))
if OPT["patience"]:
    callbacks.append(EarlyStopping("val_loss", patience=OPT["patience"], verbose=True, check_finite=True))
#: callbacks
model = Moisture(OPT["hidden"], OPT["lr"])
trainer = L.Trainer(
    accelerator="cpu", max_epochs=OPT["epochs"], logger=CSVLogger(OPT["root"], name="csv"), callbacks=callbacks, enable_progress_bar=False, fast_dev_run=OPT["fast"] or False, limit_train_batches=OPT["limit"] or 1.0, profiler=OPT["profiler"] or None,
    log_every_n_steps=10, enable_model_summary=not OPT["profiler"],
)
#: ready
if OPT["test_only"]:
    print(trainer.validate(model, DataLoader(valid_set, 60), ckpt_path=OPT["resume"]))
    sys.exit(0)
trainer.fit(model, DataLoader(train_set, OPT["batch"], shuffle=True, collate_fn=collate), DataLoader(valid_set, 60), ckpt_path=OPT["resume"] or None)
#: after
logger.success("{} epochs, {} steps, last rmse {:.3f} % water; models: {}", trainer.current_epoch, trainer.global_step, float(trainer.callback_metrics.get("val_rmse", float("nan"))), sorted(glob.glob(f"{OPT['root']}/models/*.ckpt"))[-1:])
'''

GLYPHS = '''"""Which letter is it? Glyphs cut from a medieval hand, small residual net, settings from YAML (OmegaConf) and the command line."""
import os
import sys
import time

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint, TQDMProgressBar
from lightning.pytorch.loggers import CSVLogger
from omegaconf import OmegaConf
from torch import nn
from torch.utils.data import DataLoader, Dataset

cfg = OmegaConf.merge(OmegaConf.load("glyphs.yaml"), OmegaConf.from_cli())
print(OmegaConf.to_yaml(cfg))
pl.seed_everything(cfg.seed, verbose=False)
LETTERS = "abdefghilmnopqrstu"
#: early


class Glyphs(Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        self.letter = torch.randint(0, len(LETTERS), (count,), generator=g)
        shapes = (torch.rand(len(LETTERS), 14, 14, generator=torch.Generator().manual_seed(1)) > 0.6).float()
        self.ink = shapes[self.letter] + cfg.data.noise * torch.randn(count, 14, 14, generator=g)
        wrong = torch.rand(count, generator=g) < 0.05
        self.letter = torch.where(wrong, torch.randint(0, len(LETTERS), (count,), generator=g), self.letter)
        #: glyphs

    def __len__(self):
        return len(self.letter)

    def __getitem__(self, i):
        #: item
        return self.ink[i][None], self.letter[i]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.b(torch.relu(self.a(x))))


class Reader(pl.LightningModule):
    def __init__(self, width, blocks):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(nn.Conv2d(1, width, 3, padding=1, stride=2), *[Block(width) for _ in range(blocks)], nn.AdaptiveAvgPool2d(4), nn.Flatten())
        self.head = nn.Linear(width * 16, len(LETTERS))

    def training_step(self, batch, n):
        ink, letter = batch
        #: batch
        loss = nn.functional.cross_entropy(self.head(self.body(ink)), letter)
        #: loss
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, n):
        out = self.head(self.body(batch[0]))
        self.log_dict({"val/loss": nn.functional.cross_entropy(out, batch[1]), "val/acc": (out.argmax(1) == batch[1]).float().mean()}, prog_bar=True)

    def on_train_batch_end(self, outputs, batch, n):
        step = self.global_step
        #: step

    def on_train_epoch_end(self):
        m, epoch = self.trainer.callback_metrics, self.current_epoch
        self.print(f"\\nepoch {epoch}: train/loss={m['train/loss']:.4f} val/loss={m['val/loss']:.4f} val/acc={m['val/acc']:.4f} step={self.global_step}")
        #: epoch

    def configure_optimizers(self):
        sgd = torch.optim.SGD(self.parameters(), lr=cfg.optim.lr, momentum=0.9)
        return {"optimizer": sgd, "lr_scheduler": self.plan(sgd)}

    def plan(self, sgd):
        #: plan
        return torch.optim.lr_scheduler.StepLR(sgd, cfg.optim.drop_every, cfg.optim.drop)


train, valid = Glyphs(cfg.data.train, 1), Glyphs(cfg.data.valid, 2)
#: data
model = Reader(cfg.model.width, cfg.model.blocks)
trainer = pl.Trainer(
    accelerator="cpu", max_epochs=cfg.trainer.epochs, limit_train_batches=cfg.trainer.batches or None, logger=CSVLogger("logs", name="glyphs"), gradient_clip_val=cfg.trainer.clip or None,
    callbacks=[ModelCheckpoint("glyphs", save_last=True, filename="{epoch}"), LearningRateMonitor(), TQDMProgressBar(refresh_rate=cfg.trainer.refresh)], profiler=cfg.trainer.profiler or None,
)
ckpt = cfg.resume or None
#: ready
if cfg.eval_only:
    trainer.validate(model, DataLoader(valid, 64), ckpt_path=ckpt)
    sys.exit()
trainer.fit(model, DataLoader(train, cfg.data.batch, shuffle=True, num_workers=cfg.data.workers), DataLoader(valid, 64), ckpt_path=ckpt)
#: after
print(f"trained {trainer.global_step} steps; best {trainer.checkpoint_callback.best_model_path or '-'}; val/acc {trainer.callback_metrics['val/acc']:.4f}")
'''

GLYPHS_YAML = '''# glyphs of the Beneventan hand
seed: 9
resume: null
eval_only: false
data: {train: 960, valid: 240, batch: 24, noise: 0.8, workers: 0}
model: {width: 10, blocks: 1}
optim: {lr: 0.02, drop_every: 6, drop: 0.3}
trainer: {epochs: 10, batches: null, refresh: 20, clip: null, profiler: null}
'''
