"""PyTorch Lightning, 1.9 and 2.6, with its bar and its checkpoints."""

# /// runs
# env = "new"
# [[run]]
# log = "lightning-2.6/01"
# what = "three epochs to the end"
# args = ["1"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "lightning-2.6/02"
# what = "goes on from a checkpoint"
# before = [["1"]]
# args = ["2"]
# words = ["checkpoint_loaded", "progress", "planned_end"]
# [[run]]
# log = "lightning-2.6/03"
# what = "asked to go on from a checkpoint that is not there"
# args = ["2"]
# ends = 1
# root = {type = "FileNotFoundError", cause = "file_not_found", about = "asset"}
# absent = ["progress"]
# [[run]]
# log = "lightning-2.6/04"
# what = "the loss becomes NaN and early stopping notices"
# args = ["3"]
# words = ["progress", "nan_loss"]
# [[run]]
# log = "lightning-2.6/05"
# step_slack = 20
# what = "an exception in a training step of the second epoch"
# args = ["4"]
# ends = 1
# words = ["progress"]
# root = {type = "KeyError"}
# [[run]]
# log = "lightning-2.6/06"
# what = "SIGINT in mid-training: a graceful shutdown"
# args = ["5"]
# signal = {name = "INT", after = "Epoch 1"}
# words = ["progress"]
# ends = 1
# steady = false
# [[run]]
# log = "lightning-2.6/07"
# what = "an argument that the Trainer does not have"
# args = ["6"]
# ends = 1
# root = {type = "TypeError", about = "config"}
# [[run]]
# log = "lightning-2.6/08"
# what = "asks for a GPU on a machine without one"
# args = ["7"]
# ends = 1
# root = {detail = "no_gpu", about = "env"}
# [[run]]
# log = "lightning-2.6/09"
# what = "stops by the monitored metric"
# args = ["8"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# [[run]]
# log = "lightning-2.6/10"
# what = "a checkpoint of a wider model"
# before = [["1"]]
# args = ["9"]
# ends = 1
# root = {type = "RuntimeError", detail = "size_mismatch", about = "asset"}
# [[run]]
# log = "lightning-2.6/11"
# only_last = true
# what = "the batch size is searched: host memory is refused for some, the run goes on"
# args = ["10"]
# memory_mib = 5000
# words = ["retried", "progress", "planned_end"]
# [[run]]
# log = "lightning-2.6/12"
# what = "monitors a metric that is not logged"
# args = ["11"]
# ends = 1
# root = {detail = "metric_missing", about = "config"}
# [[run]]
# log = "lightning-2.6/13"
# what = "with the bar that Lightning takes where rich is installed: in a file it is drawn once, at the end"
# args = ["12"]
# only_last = true
# words = ["progress", "planned_end"]
# absent = ["exception"]
# [[run]]
# log = "lightning-1.9/01"
# what = "three epochs to the end"
# env = "old"
# args = ["1"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "lightning-1.9/02"
# what = "goes on from a checkpoint"
# env = "old"
# before = [["1"]]
# args = ["2"]
# words = ["checkpoint_loaded", "progress", "planned_end"]
# [[run]]
# log = "lightning-1.9/03"
# what = "asked to go on from a checkpoint that is not there"
# env = "old"
# args = ["2"]
# ends = 1
# root = {type = "FileNotFoundError", cause = "file_not_found", about = "asset"}
# [[run]]
# log = "lightning-1.9/04"
# what = "the loss becomes NaN and early stopping notices"
# env = "old"
# args = ["3"]
# words = ["progress", "nan_loss"]
# [[run]]
# log = "lightning-1.9/05"
# what = "SIGINT in mid-training: a graceful shutdown"
# env = "old"
# args = ["5"]
# signal = {name = "INT", after = "Epoch 1"}
# words = ["progress"]
# steady = false
# [[run]]
# log = "lightning-1.9/06"
# what = "asks for a GPU on a machine without one"
# env = "old"
# args = ["7"]
# ends = 1
# root = {detail = "no_gpu", about = "env"}
# ///

import sys
import time

import torch
from progress_notes import note

try:
    import lightning.pytorch as pl
except ModuleNotFoundError:
    import pytorch_lightning as pl

part = sys.argv[1]


class Rows(torch.utils.data.Dataset):
    """Sums of random numbers."""

    def __len__(self):
        return 320

    def __getitem__(self, index):
        x = torch.randn(8)
        return x, x.sum()


class Model(pl.LightningModule):
    """Two layers."""

    def __init__(self, width=16, batch_size=16):
        super().__init__()
        self.save_hyperparameters()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))

    def train_dataloader(self):
        return torch.utils.data.DataLoader(Rows(), batch_size=self.hparams.batch_size)

    def training_step(self, batch, index):
        x, y = batch
        if part == "10" and len(x) > 64:
            torch.zeros(64 * 1024**3, dtype=torch.uint8)
        loss = ((self.layers(x).squeeze(1) - y) ** 2).mean()
        if part == "3" and self.global_step > 25:
            loss = loss * float("nan")
        if part == "4" and self.global_step == 26:
            batch = {"x": x}["labels"]
        if part == "5":
            time.sleep(0.05)
        self.log("train_loss", loss, prog_bar=True)
        note(step=index + 1, loss=loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def main():
    pl.seed_everything(0)
    stop = {
        "3": {"monitor": "train_loss", "check_finite": True, "check_on_train_epoch_end": True, "verbose": True},
        "8": {"monitor": "train_loss", "stopping_threshold": 5.0, "check_on_train_epoch_end": True, "verbose": True},
        "11": {"monitor": "val_acc", "check_on_train_epoch_end": True},
    }.get(part)
    callbacks = [pl.callbacks.EarlyStopping(**stop)] if stop else []
    if part == "10":
        callbacks.append(pl.callbacks.BatchSizeFinder(mode="power", init_val=32, max_trials=3, steps_per_trial=1))
    if part != "12":
        callbacks.append(pl.callbacks.TQDMProgressBar())
    more = {"max_epoch": 3} if part == "6" else {"accelerator": "gpu", "devices": 1} if part == "7" else {"accelerator": "cpu"}
    trainer = pl.Trainer(
        max_epochs=5 if part == "2" else 3,
        logger=False,
        log_every_n_steps=5,
        callbacks=[*callbacks, pl.callbacks.ModelCheckpoint(dirpath="ckpt", save_last=True)],
        **more,
    )
    trainer.fit(Model(width=24 if part == "9" else 16), ckpt_path="ckpt/last.ckpt" if part in {"2", "9"} else None)


if __name__ == "__main__":
    main()
