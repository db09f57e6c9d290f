"""Trainings over Lightning, of three hands: the stage of a river, peaks of spectra in German, and a pair of nets that make tiles."""

RIVER = '''
import os
import warnings
from pathlib import Path

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, LearningRateMonitor, ModelCheckpoint, TQDMProgressBar
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.utilities import rank_zero_info
from torch import nn

torch.set_num_threads(1)
MAX_EPOCHS = int(os.getenv("MAX_EPOCHS", "12"))
LR = float(os.getenv("LR", "0.006"))
HIDDEN = int(os.getenv("HIDDEN", "16"))
CKPT = os.getenv("CKPT_PATH") or None
pl.seed_everything(8, workers=True)
#: early


class StageNet(pl.LightningModule):
    """Gauge upstream, 24 h -> gauge at the bridge, 3 h ahead."""

    def __init__(self, hidden: int = 16, lr: float = 6e-3):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)
        #: parts

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])

    def training_step(self, batch, batch_idx):
        x, y = batch
        #: batch
        loss = nn.functional.huber_loss(self(x), y)
        #: loss
        self.log("train/loss", loss, prog_bar=True, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        pred = self(x)
        #: valid
        self.log("val/loss", nn.functional.huber_loss(pred, y), prog_bar=True)

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        #: optim
        return opt


class Report(Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        rank_zero_info(f"[epoch {trainer.current_epoch:02d}] train/loss={m['train/loss'].item():.5f} val/loss={m['val/loss'].item():.5f} lr={trainer.optimizers[0].param_groups[0]['lr']:.2e}")
        #: epoch


def gauges(n):
    t = torch.linspace(0, 60, n + 30)
    up = torch.sin(t) + 0.5 * torch.sin(2.7 * t + 1) + 0.03 * torch.randn(n + 30)
    rain = torch.relu(torch.sin(t * 1.3)) + 0.03 * torch.randn(n + 30)
    both = torch.stack([up, rain], 1)
    x = torch.stack([both[i:i + 24] for i in range(n)])
    y = torch.stack([0.8 * up[i + 20:i + 21] + 0.4 * rain[i + 22:i + 23] for i in range(n)])
    return x, y


def main():
    x, y = gauges(760)
    #: data
    parts = [torch.utils.data.TensorDataset(x[a:b], y[a:b]) for a, b in ((0, 600), (600, 760))]
    loaders = [torch.utils.data.DataLoader(p, batch_size=30, shuffle=k == 0, num_workers=0) for k, p in enumerate(parts)]
    #: loaders
    model = StageNet(HIDDEN, LR)
    #: model
    callbacks = [ModelCheckpoint("stage-ckpt", filename="{epoch:02d}", monitor="val/loss", save_last=True, auto_insert_metric_name=False), LearningRateMonitor(), TQDMProgressBar(refresh_rate=10), Report()]
    #: callbacks
    kw = dict(max_epochs=MAX_EPOCHS, accelerator="cpu", callbacks=callbacks, logger=CSVLogger("stage-logs"), log_every_n_steps=5, enable_model_summary=True)
    #: trainer
    trainer = pl.Trainer(**kw)
    trainer.fit(model, *loaders, ckpt_path=CKPT)
    #: fitted
    rank_zero_info(f"best: {trainer.checkpoint_callback.best_model_path} val/loss={float(trainer.checkpoint_callback.best_model_score):.5f}")
    #: late


if __name__ == "__main__":
    main()
'''

RAMAN = '''
import argparse, logging, os, sys, time
import torch
import lightning as L
from lightning.pytorch.callbacks import Callback, ModelCheckpoint

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%d.%m.%Y %H:%M:%S", stream=sys.stdout)
log = logging.getLogger("raman")
ap = argparse.ArgumentParser()
ap.add_argument("--epochen", type=int, default=14)
ap.add_argument("--lernrate", type=float, default=3e-3)
ap.add_argument("--kanaele", type=int, default=8)
ap.add_argument("--ordner", default="raman-modelle")
ap.add_argument("--fortsetzen", default=None)
ap.add_argument("--spektren", type=int, default=480)
ap.add_argument("--takt", type=float, default=0.03)
opt = ap.parse_args()
torch.set_num_threads(1)
L.seed_everything(77, verbose=False)
#: early
STOFFE = ["Quarz", "Calcit", "Gips", "Albit", "Anatas", "Zirkon"]


def spektren(n, saat):
    g = torch.Generator().manual_seed(saat)
    y = torch.randint(0, 6, (n,), generator=g)
    x = torch.randn(n, 1, 96, generator=g) * 0.5
    for i, k in enumerate(y.tolist()):
        x[i, 0, 8 + 14 * k:12 + 14 * k] += 2.0
        x[i, 0, 90 - 9 * k:93 - 9 * k] += 1.2
    return x, y


class Netz(L.LightningModule):
    def __init__(self, kanaele, lernrate):
        super().__init__()
        self.save_hyperparameters()
        self.falten = torch.nn.Sequential(torch.nn.Conv1d(1, kanaele, 7, padding=3), torch.nn.ReLU(), torch.nn.AvgPool1d(4), torch.nn.Flatten())
        self.aus = torch.nn.Linear(kanaele * 24, 6)
        self.summe, self.zahl = 0.0, 0

    def training_step(self, batch, i):
        x, y = batch
        time.sleep(opt.takt)
        #: batch
        verlust = torch.nn.functional.cross_entropy(self.aus(self.falten(x)), y)
        #: loss
        self.summe += verlust.item(); self.zahl += 1
        #: schritt
        return verlust

    def validation_step(self, batch, i):
        x, y = batch
        z = self.aus(self.falten(x))
        self.log("val_verlust", torch.nn.functional.cross_entropy(z, y))
        self.log("val_treffer", (z.argmax(-1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lernrate, momentum=0.9)


class Protokoll(Callback):
    def on_train_epoch_end(self, trainer, netz):
        m = trainer.callback_metrics
        log.info("Epoche %2d/%d  Verlust %.4f  Val-Verlust %.4f  Treffer %.3f", trainer.current_epoch + 1, trainer.max_epochs, netz.summe / max(1, netz.zahl), m["val_verlust"], m["val_treffer"])
        netz.summe, netz.zahl = 0.0, 0
        epoche = trainer.current_epoch + 1
        #: epoche

    def on_save_checkpoint(self, trainer, netz, stand):
        log.debug("Stand geschrieben")
        #: sichern


x, y = spektren(opt.spektren + 96, 1)
#: daten
laden = [torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x[a:b], y[a:b]), batch_size=24, shuffle=k == 0) for k, (a, b) in enumerate(((0, opt.spektren), (opt.spektren, None)))]
netz = Netz(opt.kanaele, opt.lernrate)
#: netz
log.info("%d Spektren, %d Stoffe, %d Gewichte", len(x), len(STOFFE), sum(p.numel() for p in netz.parameters()))
rufe = [ModelCheckpoint(opt.ordner, filename="e{epoch:03d}", auto_insert_metric_name=False, save_last=True), Protokoll()]
mehr = {}
#: trainer
t = L.Trainer(max_epochs=opt.epochen, accelerator="cpu", logger=False, callbacks=rufe, enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0, **mehr)
t.fit(netz, *laden, ckpt_path=opt.fortsetzen)
log.info("fertig nach %d Schritten, Modell in %s", t.global_step, opt.ordner)
#: late
'''

TILES = '''
"""Adversarial tiles (16x16 mosaics) for the texture library."""
import os, time
import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.callbacks import Callback
from rich.console import Console

console = Console(width=118, force_terminal=False, log_path=False)
torch.set_num_threads(1)
seed_everything(int(os.environ.get("SEED", "29")))
ROUNDS = int(os.environ.get("ROUNDS", "9"))
#: early


class Mosaic(LightningModule):
    automatic_optimization = False

    def __init__(self, lr=3e-3):
        super().__init__()
        self.lr = lr
        self.gen = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.Tanh())
        self.dis = torch.nn.Sequential(torch.nn.Linear(64, 48), torch.nn.LeakyReLU(0.2), torch.nn.Linear(48, 1))
        self.sums = torch.zeros(4)

    def training_step(self, batch, i):
        real, = batch
        og, od = self.optimizers()
        bce = torch.nn.functional.binary_cross_entropy_with_logits
        fake = self.gen(torch.randn(len(real), 8))
        #: batch
        yes, no = self.dis(real), self.dis(fake.detach())
        d = (bce(yes, torch.full_like(yes, 0.9)) + bce(no, torch.zeros_like(no))) / 2
        od.zero_grad(); self.manual_backward(d); od.step()
        verdict = self.dis(fake)
        g = bce(verdict, torch.ones_like(verdict))
        #: loss
        og.zero_grad(); self.manual_backward(g); og.step()
        time.sleep(0.012)
        self.sums += torch.tensor([d.item(), g.item(), (yes > 0).float().mean().item(), (no > 0).float().mean().item()])
        #: step

    def configure_optimizers(self):
        return [torch.optim.Adam(n.parameters(), lr=lr, betas=(0.5, 0.99)) for n, lr in ((self.gen, self.lr), (self.dis, self.lr / 3))]

    def on_train_epoch_end(self):
        n = self.trainer.num_training_batches
        d, g, yes, no = (self.sums / n).tolist()
        self.sums.zero_()
        with torch.no_grad():
            far = torch.cdist(self.gen(torch.randn(256, 8)), base).min(1)[0].mean().item()
        console.log(f"round {self.current_epoch + 1}/{ROUNDS}  d_loss {d:.3f}  g_loss {g:.3f}  D(real) {yes:.2f}  D(fake) {no:.2f}  motif distance {far:.3f}")
        #: round


base = torch.sign(torch.randn(6, 64)) * 0.8
tiles = (base[torch.randint(0, 6, (640,))] + 0.1 * torch.randn(640, 64)).clamp(-1, 1)
#: data
model = Mosaic()
kw = {}
#: trainer
trainer = Trainer(max_epochs=ROUNDS, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, **kw)
trainer.fit(model, torch.utils.data.DataLoader(torch.utils.data.TensorDataset(tiles), batch_size=32, shuffle=True))
torch.save(model.gen.state_dict(), "mosaic-gen.pt")
console.log("generator written to mosaic-gen.pt")
#: late
'''
