"""Lightning's Trainer, really run, on today's version."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

HEAD = """import torch
import lightning as L
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Module(L.LightningModule):
    def __init__(self, width=32, lr=0.02):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 1))
        self.lr = lr

    def training_step(self, batch, index):
        x, y = batch
        self.check(x, index)
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def check(self, x, index):
        pass

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


x = torch.randn(320, 8)
data = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16)


def fit(module, data=data, epochs=4, **more):
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=epochs, accelerator="cpu", logger=False, log_every_n_steps=1, **{"enable_checkpointing": False, **more})
    trainer.fit(module, data, ckpt_path=resume)
    return trainer


resume = None
"""


def late(code: str) -> str:
    """In the third epoch."""
    return "class Mine(Module):\n    def check(self, x, index):\n        if self.current_epoch == 2 and index == 7:\n            " + code.replace("\n", "\n            ") + "\nfit(Mine())"


def early(code: str) -> str:
    """In the first batch."""
    return "class Mine(Module):\n    def check(self, x, index):\n        " + code.replace("\n", "\n        ") + "\nfit(Mine())"


SCRIPTS = (
    Flat("fit(Module())", "G1"),
    Flat("fit(Module(64), epochs=6)", "G1"),
    Flat("fit(Module(16), epochs=5, enable_progress_bar=False)\nprint('finished')", "G1"),
    Flat(late("open('data/extra.bin')"), "A3", "file_not_found"),
    Flat(late("{}['key']"), "A3", "traceback"),
    Flat(late("assert x.shape[0] == 17"), "A3", "assertion"),
    Flat(late("self.net(torch.randn(2, 9))"), "A3", "runtime_error"),
    Flat(late("1 / 0"), "A3", "div_zero"),
    Flat(late("import ctypes; ctypes.string_at(0)"), "A2", "segfault", status=-11),
    Flat(late("open('/etc/x.csv', 'w')"), "A3", "permission"),
    Flat(late("import apex"), "A3", "missing_module"),
    Flat(late("torch.ones(2) + torch.ones(2, device='meta')"), "A3", "device_mismatch"),
    Flat(early("self.net(torch.randn(2, 9))"), "A1", "runtime_error", "config"),
    Flat(early("raise ValueError('labels are missing')"), "A1", "traceback", "data"),
    Flat(early("torch.stack([torch.ones(2), torch.ones(2, device='meta')])"), "A1", "device_mismatch", "config"),
    Flat("fit(Module(), data=DataLoader(open('data/list.txt').readlines()))", "A1", "file_not_found", "data"),
    Flat("L.Trainer(accelerator='gpu', devices=8)", "A1", "traceback", "config"),
    Flat("resume = 'ckpt/last.ckpt'\nfit(Module())", "E2", "file_not_found", "no_valid_checkpoint"),
    Flat("t = fit(Module(32), epochs=1)\nt.save_checkpoint('a.ckpt')\nresume = 'a.ckpt'\nfit(Module(48), epochs=3)", "E2", "runtime_error", "size_mismatch"),
    Flat("t = fit(Module(32), epochs=1, enable_progress_bar=False)\nt.save_checkpoint('a.ckpt')\nimport os\nos.truncate('a.ckpt', 900)\nresume = 'a.ckpt'\nfit(Module(32), epochs=3)", "E2", "runtime_error", "corrupt"),
    Flat("fit(Module(lr=1e6), epochs=5)", "E1", "nan_loss", "non_finite", status=0),
    Flat("fit(Module(lr=1e4), epochs=4, detect_anomaly=False)", "E1", "nan_loss", "non_finite", status=0),
    Flat("from lightning.pytorch.callbacks import EarlyStopping\nfit(Module(lr=1e6), epochs=5, callbacks=[EarlyStopping('train_loss', check_finite=True, check_on_train_epoch_end=True)])", "E1", "nan_loss", "non_finite", status=0),
    Flat("fit(Module(), epochs=1, limit_train_batches=2)", "E3", None),
    Flat("from lightning.pytorch.callbacks import ModelCheckpoint\nfit(Module(), epochs=3, enable_checkpointing=True, callbacks=[ModelCheckpoint('saved', every_n_train_steps=1, save_top_k=-1, verbose=True)])", "D2", None, "save_storm"),
    Flat("for step in range(1, 91):\n    loss = 2.0 / step ** 0.5\n    print(f'step {step}/90 - loss {loss:.4f}', flush=True)\n    torch.save(Module().state_dict(), f'step-{step}.ckpt')\n    print(f'Checkpoint written to step-{step}.ckpt', flush=True)\nprint('done')", "D2", None, "save_storm"),
)
RECIPE = Recipe("fit_loops", "development", lambda: flat_jobs(SCRIPTS, "frameworks", (HEAD,)))
