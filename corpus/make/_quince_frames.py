"""Programs over Lightning (soil moisture below fields) and over Hugging Face's Trainer (notes of a repair shop)."""

SOIL = '''from __future__ import annotations

import json
import os
import sys
import time
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

HPARAMS = {"max_epochs": 14, "lr": 0.004, "hidden": 40, "batch_size": 32, "fields": 640, "ckpt": None, "out": "runs/soil", "patience": None, "limit": 1.0, "workers": 0, "bar": False, "check": False}
for word in sys.argv[1:]:
    key, value = word.split("=", 1)
    if key not in HPARAMS:
        sys.exit(f"soil.py: no such hyperparameter: {key} (have: {', '.join(HPARAMS)})")
    try:
        HPARAMS[key] = json.loads(value)
    except ValueError:
        HPARAMS[key] = value
hp = HPARAMS
L.seed_everything(hp.get("seed", 11))


class Moisture(L.LightningModule):
    def __init__(self, hidden, lr):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(5, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1]).squeeze(-1)

    def training_step(self, batch, i):
        x, y = batch
        #: batch
        loss = nn.functional.mse_loss(self(x), y)
        #: loss
        self.log("train_loss", loss, on_epoch=True, on_step=False, prog_bar=True)
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        out = self(x)
        #: valid
        self.log("val_rmse", nn.functional.mse_loss(out, y).sqrt(), prog_bar=True)

    def configure_optimizers(self):
        #: optim
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


class Lines(Callback):
    def on_train_start(self, trainer, pl_module):
        self.t = time.time()

    def on_train_epoch_end(self, trainer, pl_module):
        m = {k: round(float(v), 5) for k, v in trainer.callback_metrics.items()}
        print(f"Epoch {trainer.current_epoch}: step={trainer.global_step} {m} elapsed={time.time() - self.t:.1f}s", flush=True)
        #: told

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        n = trainer.global_step
        #: step


def fields(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 18, 5, generator=g)
    decay = 0.85 ** torch.arange(17, -1, -1.0)
    y = (x[:, :, 0] * decay).sum(1) / 3 - x[:, :, 1].mean(1) + 0.05 * torch.randn(n, generator=g)
    return x, y


x, y = fields(hp["fields"], 3)
#: data
train = DataLoader(TensorDataset(x, y), hp["batch_size"], shuffle=True, num_workers=hp["workers"])
valid = DataLoader(TensorDataset(*fields(160, 4)), 80)
model = Moisture(hp["hidden"], hp["lr"])
keep = ModelCheckpoint(dirpath=hp["out"], filename="soil-{epoch:02d}", every_n_epochs=4, save_top_k=-1, save_last=True, enable_version_counter=False)
calls = [Lines(), keep]
if hp["patience"]:
    calls.append(EarlyStopping("val_rmse", patience=hp["patience"], verbose=True))
#: ready
trainer = L.Trainer(max_epochs=hp["max_epochs"], callbacks=calls, logger=False, enable_progress_bar=hp["bar"], enable_model_summary=True, accelerator="cpu", default_root_dir=hp["out"],
                    limit_train_batches=hp["limit"], fast_dev_run=hp["check"], num_sanity_val_steps=0)
#: fit
trainer.fit(model, train, valid, ckpt_path=hp["ckpt"])
print("fit ended:", trainer.state.status, "global_step", trainer.global_step, "best", keep.best_model_path or "-")
'''

SHOP = '''import os, sys, json, time, logging
os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
import transformers
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, TrainerCallback, HfArgumentParser, EarlyStoppingCallback
from transformers.trainer_utils import get_last_checkpoint
from dataclasses import dataclass, field
from typing import Optional

logging.basicConfig(format="%(levelname)s|%(name)s|%(message)s", level=logging.INFO, stream=sys.stdout)
logger = logging.getLogger("repair_notes")
for name in ("httpx", "urllib3", "accelerate"): logging.getLogger(name).setLevel(logging.WARNING)


@dataclass
class Model:
    model_name_or_path: Optional[str] = field(default=None)
    hidden: int = 32
    labels: int = 3


@dataclass
class Data:
    notes: int = 480
    max_length: int = 20
    vocabulary: int = 120


model_args, data_args, args = HfArgumentParser((Model, Data, TrainingArguments)).parse_args_into_dataclasses()
args.use_cpu, args.report_to, args.disable_tqdm, args.dataloader_pin_memory = True, [], True, False
transformers.set_seed(args.seed)
#: early


class Notes(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 3, (n,), generator=g)
        self.x = torch.randint(10, data_args.vocabulary, (n, data_args.max_length), generator=g)
        for k in range(n):
            at = torch.randperm(data_args.max_length, generator=g)[:4]
            self.x[k, at] = 2 + 2 * self.y[k] + torch.randint(0, 2, (4,), generator=g)

    def __len__(self): return len(self.y)

    def __getitem__(self, i):
        #: item
        return {"input_ids": self.x[i], "attention_mask": torch.ones_like(self.x[i]), "labels": self.y[i]}


class Shop(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        n = state.global_step
        #: step

    def on_log(self, args, state, control, logs=None, **kw):
        #: log
        pass


train, dev = Notes(data_args.notes, 1), Notes(120, 2)
#: data
cfg = BertConfig(vocab_size=data_args.vocabulary, hidden_size=model_args.hidden, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=64, num_labels=model_args.labels, hidden_dropout_prob=0.0)
if model_args.model_name_or_path:
    model = BertForSequenceClassification.from_pretrained(model_args.model_name_or_path, num_labels=model_args.labels, ignore_mismatched_sizes=True)
else:
    model = BertForSequenceClassification(cfg)
logger.info("%d notes, model of %d parameters", len(train), model.num_parameters())
trainer = Trainer(model=model, args=args, train_dataset=train, eval_dataset=dev, callbacks=[Shop()], compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())})
#: ready
result = trainer.train(resume_from_checkpoint=args.resume_from_checkpoint) if args.do_train else None
if result:
    trainer.save_model(); trainer.save_state()
    logger.info("train metrics %s", json.dumps(result.metrics))
if args.do_eval:
    logger.info("eval metrics %s", json.dumps(trainer.evaluate()))
'''
