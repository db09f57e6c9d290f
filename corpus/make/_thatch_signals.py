"""Programs of people who measure: arrivals of waves with loguru, cells in Lightning, tickets with transformers' Trainer."""

ARRIVALS = r'''"""P/S/noise picker for single station windows."""
import argparse
import json
import math
import os
import sys
import time
from pathlib import Path

import numpy as np
import torch
from loguru import logger
from torch import nn
from torch.nn import functional as F

ap = argparse.ArgumentParser("picker")
ap.add_argument("--epochs", type=int, default=30)
ap.add_argument("--lr", type=float, default=2e-3)
ap.add_argument("--batch-size", type=int, default=48)
ap.add_argument("--windows", type=int, default=960)
ap.add_argument("--channels", type=int, default=12)
ap.add_argument("--outdir", type=Path, default=Path("runs/picker"))
ap.add_argument("--resume", type=Path)
ap.add_argument("--weights", type=Path)
ap.add_argument("--ckpt-every", type=int, default=10)
ap.add_argument("--patience", type=int, default=0)
ap.add_argument("--think", type=float, default=0.0)
args = ap.parse_args()

logger.remove()
logger.add(sys.stderr, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {module}:{function}:{line} - {message}")
torch.manual_seed(11)
rng = np.random.default_rng(11)
logger.info("arguments: {}", {k: str(v) for k, v in vars(args).items()})
#: start


def synth(n):
    """Windows of 3 components, 128 samples; what arrives in the middle decides the class."""
    kind = rng.integers(0, 3, n)
    t = np.arange(128)
    wave = rng.normal(0, 0.7, (n, 3, 128))
    for i, k in enumerate(kind):
        if k:
            at = rng.integers(40, 80)
            burst = np.exp(-np.maximum(t - at, 0) / 18) * (t >= at) * np.sin((t - at) * (0.9 if k == 1 else 0.35))
            wave[i, 0 if k == 1 else 1] += 2.4 * burst
    return torch.tensor(wave, dtype=torch.float32), torch.tensor(kind)


class Picker(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(3, c, 7, 2, 3), nn.ReLU(), nn.Conv1d(c, 2 * c, 5, 2, 2), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten())
        self.head = nn.Linear(8 * c, 3)

    def forward(self, x):
        return self.head(self.body(x))


x, y = synth(args.windows)
xv, yv = synth(240)
#: data
net = Picker(args.channels)
opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
logger.info("{} training windows, {} validation windows, {} parameters", len(x), len(xv), sum(p.numel() for p in net.parameters()))
first, best, bad = 1, math.inf, 0
if args.weights:
    net.load_state_dict(torch.load(args.weights)["net"])
    logger.info("fine-tuning from {}", args.weights)
if args.resume:
    #: resume
    state = torch.load(args.resume)
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    first, best = state["epoch"] + 1, state["best"]
    logger.info("resumed {} at epoch {}", args.resume, state["epoch"])
args.outdir.mkdir(parents=True, exist_ok=True)
#: ready
step = 0
for epoch in range(first, args.epochs + 1):
    began, seen, right = time.time(), 0.0, 0
    waited = 0.0
    for idx in torch.randperm(len(x)).split(args.batch_size):
        step += 1
        bx, by = x[idx], y[idx]
        #: batch
        logits = net(bx)
        loss = F.cross_entropy(logits, by)
        #: loss
        opt.zero_grad()
        loss.backward()
        #: grad
        opt.step()
        seen += loss.item() * len(idx)
        right += int((logits.argmax(1) == by).sum())
        #: after
    time.sleep(args.think)
    with torch.no_grad():
        out = net(xv)
        val, acc = F.cross_entropy(out, yv).item(), (out.argmax(1) == yv).float().mean().item()
    #: valid
    logger.info("epoch {:>3}/{} train_loss {:.4f} train_acc {:.3f} val_loss {:.4f} val_acc {:.3f} ({:.2f} s)", epoch, args.epochs, seen / len(x), right / len(x), val, acc, time.time() - began)
    if epoch % args.ckpt_every == 0:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "best": min(best, val)}, args.outdir / f"ep{epoch:03d}.pt")
        logger.info("checkpoint {}", args.outdir / f"ep{epoch:03d}.pt")
        #: saved
    bad = 0 if val < best else bad + 1
    best = min(best, val)
    if args.patience and bad >= args.patience:
        logger.warning("no better val_loss for {} epochs, stopping early as configured", bad)
        break
    #: epoch
(args.outdir / "summary.json").write_text(json.dumps({"best_val_loss": best, "epochs": epoch}))
#: finish
logger.success("done, best val_loss {:.4f}, summary in {}", best, args.outdir / "summary.json")
'''

CELLS = r'''"""Cell counting with a small convolutional regressor, PyTorch Lightning."""
import os
import sys
import time
import warnings

import lightning as L
import torch
import yaml
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

conf = yaml.safe_load(open(sys.argv[1]))
L.seed_everything(conf.get("seed", 4))
#: start


def wells(n):
    """Pictures of wells with some blobs in them; the number is asked."""
    g = torch.Generator().manual_seed(n)
    count = torch.randint(0, 9, (n,), generator=g)
    img = 0.1 * torch.randn(n, 1, 24, 24, generator=g)
    for i, c in enumerate(count.tolist()):
        for _ in range(c):
            r, q = torch.randint(1, 22, (2,), generator=g).tolist()
            img[i, 0, r : r + 2, q : q + 2] += 1.0
    return img, count.float()


class Counter(L.LightningModule):
    def __init__(self, width, lr):
        super().__init__()
        self.save_hyperparameters()
        self.f = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Linear(9 * width, 1))

    def training_step(self, batch, nr):
        img, n = batch
        #: batch
        loss = nn.functional.mse_loss(self.f(img).squeeze(1), n)
        #: loss
        self.log("train_mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, nr):
        img, n = batch
        guess = self.f(img).squeeze(1)
        self.log("val_mse", nn.functional.mse_loss(guess, n))
        self.log("val_mae", (guess - n).abs().mean())

    def configure_optimizers(self):
        return getattr(torch.optim, conf.get("optimizer", "Adam"))(self.parameters(), lr=self.hparams.lr)


class Teller(Callback):
    """One line an epoch: bars are unreadable in files."""

    def on_train_epoch_start(self, trainer, module):
        self.t = time.time()

    def on_train_batch_start(self, trainer, module, batch, nr):
        pass
        #: fetch

    def on_train_epoch_end(self, trainer, module):
        epoch, m = trainer.current_epoch, trainer.callback_metrics
        print(f"[epoch {epoch}] step={trainer.global_step} " + " ".join(f"{k}={float(v):.4f}" for k, v in sorted(m.items())) + f" time={time.time() - self.t:.2f}s", flush=True)
        #: epoch


train, test = TensorDataset(*wells(conf.get("n", 640))), TensorDataset(*wells(160))
#: data
model = Counter(conf["model"]["width"], float(conf["model"]["lr"]))
#: model
callbacks = [Teller(), ModelCheckpoint(conf.get("out", "out/cells"), filename="cells-{epoch}", save_top_k=1, every_n_epochs=conf.get("every_n_epochs", 5), save_last=True)]
if "patience" in conf:
    callbacks.append(EarlyStopping("val_mse", patience=conf["patience"], verbose=True))
trainer = L.Trainer(
    accelerator="cpu", devices=1, logger=False, enable_progress_bar=False, enable_model_summary=conf.get("summary", True), callbacks=callbacks,
    **conf["trainer"],
)
#: ready
trainer.fit(model, DataLoader(train, conf.get("batch", 32), shuffle=True), DataLoader(test, 80), ckpt_path=conf.get("ckpt_path"))
print(f"fit finished after {trainer.current_epoch} epochs and {trainer.global_step} steps", flush=True)
#: finish
'''

TICKETS = r'''"""Which desk gets a ticket? A small BERT with transformers' Trainer."""
import argparse
import logging
import math
import os
import random
import sys
import time

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

p = argparse.ArgumentParser()
p.add_argument("--model_name_or_path", default="")
p.add_argument("--output_dir", default="desk-bert")
p.add_argument("--num_train_epochs", type=float, default=4)
p.add_argument("--max_steps", type=int, default=-1)
p.add_argument("--learning_rate", type=float, default=8e-4)
p.add_argument("--per_device_train_batch_size", type=int, default=16)
p.add_argument("--logging_steps", type=int, default=10)
p.add_argument("--save_steps", type=int, default=60)
p.add_argument("--resume_from_checkpoint", default=None)
p.add_argument("--hidden", type=int, default=32)
p.add_argument("--heads", type=int, default=2)
p.add_argument("--tickets", type=int, default=800)
p.add_argument("--do_eval_only", action="store_true")
p.add_argument("--max_grad_norm", type=float, default=1.0)
p.add_argument("--warmup_ratio", type=float, default=0.05)
a = p.parse_args()
logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s -   %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO, stream=sys.stdout)
log = logging.getLogger("desk")
set_seed(21)
DESKS = ["network", "printing", "accounts", "storage"]
WORDS = 120
#: start


class Tickets(Dataset):
    def __init__(self, n, seed):
        r = random.Random(seed)
        self.rows = []
        for _ in range(n):
            k = r.randrange(4)
            self.rows.append(([1] + [r.randrange(10 + 20 * k, 34 + 20 * k) if r.random() < 0.4 else r.randrange(5, WORDS) for _ in range(15)], k))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        #: item
        ids, k = self.rows[i]
        return {"input_ids": torch.tensor(ids), "attention_mask": torch.ones(len(ids), dtype=torch.long), "labels": k}


train, dev = Tickets(a.tickets, 1), Tickets(200, 2)
#: data
if a.model_name_or_path:
    model = BertForSequenceClassification.from_pretrained(a.model_name_or_path, num_labels=4)
else:
    model = BertForSequenceClassification(BertConfig(vocab_size=WORDS, hidden_size=a.hidden, num_hidden_layers=1, num_attention_heads=a.heads, intermediate_size=64, max_position_embeddings=32, num_labels=4))
log.info("%d tickets for training, %d for evaluation, %.3f M parameters", len(train), len(dev), model.num_parameters() / 1e6)
#: model


class Desk(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        step = state.global_step
        #: step

    def on_save(self, args, state, control, **kw):
        step = state.global_step
        #: save


trainer = Trainer(
    model=model,
    args=TrainingArguments(
        a.output_dir, num_train_epochs=a.num_train_epochs, max_steps=a.max_steps, learning_rate=a.learning_rate, per_device_train_batch_size=a.per_device_train_batch_size,
        logging_steps=a.logging_steps, save_steps=a.save_steps, save_total_limit=2, report_to=[], disable_tqdm=True, use_cpu=True, max_grad_norm=a.max_grad_norm, warmup_ratio=a.warmup_ratio,
    ),
    train_dataset=train, eval_dataset=dev, callbacks=[Desk()],
    compute_metrics=lambda e: {"accuracy": float((e.predictions.argmax(1) == e.label_ids).mean())},
)  # fmt: skip
#: ready
if not a.do_eval_only:
    result = trainer.train(resume_from_checkpoint=a.resume_from_checkpoint)
    log.info("trained %d steps, train_loss %.4f", trainer.state.global_step, result.training_loss)
    trainer.save_model()
#: finish
log.info("evaluation: %s", trainer.evaluate())
'''
