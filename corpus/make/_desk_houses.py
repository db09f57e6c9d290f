"""Training programs of one process over Lightning, transformers, accelerate and diffusers, with places for what a case does."""

LIT = '''import argparse
import logging
import os
import sys
import time
import warnings

import lightning as L
import torch
import torch.nn.functional as F
import torchmetrics
from lightning.pytorch.callbacks import Callback, EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    """Sensor windows, each of one of five machines."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 5, (n,), generator=g)
        t = torch.linspace(0, 6.28, 40)
        self.x = torch.sin(t * (1 + self.y[:, None])) + 0.8 * torch.randn(n, 40, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        #: item
        return self.x[i], self.y[i]


class LitWindows(L.LightningModule):
    def __init__(self, hidden=32, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = torch.nn.Sequential(torch.nn.Linear(40, hidden), torch.nn.ReLU())
        self.classifier = torch.nn.Linear(hidden, 5)
        self.accuracy = torchmetrics.Accuracy("multiclass", num_classes=5)
        #: init

    def training_step(self, batch, batch_idx):
        x, y = batch
        #: mid
        loss = F.cross_entropy(self.classifier(self.encoder(x)), y)
        #: loss
        self.log("train_loss", loss, prog_bar=True)
        if self.global_step % 10 == 0 and ECHO:
            print(f"epoch {self.current_epoch} step {self.global_step} train_loss {loss.item():.4f}", flush=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        #: valid
        out = self.classifier(self.encoder(x))
        self.log("val_loss", F.cross_entropy(out, y), prog_bar=True)
        self.log("val_acc", self.accuracy(out, y), prog_bar=True)

    def configure_optimizers(self):
        #: optimizer
        return torch.optim.Adam(self.parameters(), self.hparams.lr)


p = argparse.ArgumentParser()
p.add_argument("--max_epochs", type=int, default=4)
p.add_argument("--hidden", type=int, default=32)
p.add_argument("--lr", type=float, default=1e-2)
p.add_argument("--ckpt_path", default=None)
p.add_argument("--accelerator", default="cpu")
p.add_argument("--quiet", action="store_true")
p.add_argument("--limit_train_batches", type=float, default=1.0)
hp = p.parse_args()
ECHO = hp.quiet
L.seed_everything(7)
callbacks = [ModelCheckpoint("ckpts", filename="windows-{epoch:02d}-{val_loss:.3f}", save_last=True)]
#: early
trainer = L.Trainer(max_epochs=hp.max_epochs, accelerator=hp.accelerator, devices=1, logger=CSVLogger("."), callbacks=callbacks, enable_progress_bar=not hp.quiet, log_every_n_steps=5, limit_train_batches=hp.limit_train_batches if hp.limit_train_batches <= 1 else int(hp.limit_train_batches))
loader = DataLoader(Windows(640, 0), 16, shuffle=True)
val = DataLoader(Windows(160, 1), 80)
model = LitWindows(hp.hidden, hp.lr)
#: ready
trainer.fit(model, loader, val, ckpt_path=hp.ckpt_path)
#: late
print("best checkpoint:", callbacks[0].best_model_path)
'''
TRAINER = '''#!/usr/bin/env python
"""Fine-tunes a small encoder to tell polite from rude requests."""
import os
import random
import sys
import time
from dataclasses import dataclass, field

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments, set_seed


@dataclass
class ModelArguments:
    hidden: int = field(default=32)
    layers: int = field(default=1)
    init: str = field(default="")
    rows: int = field(default=480)


class Requests(Dataset):
    def __init__(self, n, seed, length=16):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 2, n)
        self.ids = rng.integers(20, 200, (n, length))
        self.ids[:, 3] = np.where(self.labels == 1, 7, 11)
        self.ids[:, 9] = np.where(self.labels == 1, 8, 12)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        #: item
        return {"input_ids": torch.tensor(self.ids[i]), "attention_mask": torch.ones(len(self.ids[i]), dtype=torch.long), "labels": torch.tensor(self.labels[i])}


def compute_metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


class Polite(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        step = self.state.global_step
        #: mid
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True, **kwargs)
        #: loss
        return (loss, outputs) if return_outputs else loss


def main():
    model_args, args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    set_seed(args.seed)
    #: early
    config = BertConfig(vocab_size=256, hidden_size=model_args.hidden, num_hidden_layers=model_args.layers, num_attention_heads=4, intermediate_size=64, max_position_embeddings=32, num_labels=2)
    if model_args.init:
        model = BertForSequenceClassification.from_pretrained(model_args.init, num_labels=2)
    else:
        model = BertForSequenceClassification(config)
    train, dev = Requests(model_args.rows, 1), Requests(96, 2)
    trainer = Polite(model=model, args=args, train_dataset=train, eval_dataset=dev, compute_metrics=compute_metrics)
    #: ready
    result = trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)
    trainer.save_model()
    trainer.log_metrics("train", result.metrics)
    #: late
    trainer.log_metrics("eval", trainer.evaluate())


if __name__ == "__main__":
    main()
'''
ACC = '''import json
import logging
import math
import os
import sys
import time

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from tqdm.auto import tqdm
from transformers import GPT2Config, GPT2LMHeadModel, get_scheduler

logger = get_logger(__name__)
CFG = {"seq": 24, "n_embd": 32, "lr": 3e-3, "epochs": 3, "docs": 320, "batch": 8, "accum": 1, "log_every": 10, "resume": None, "save_every": 0}
CFG.update(json.loads(os.environ.get("CFG", "{}")))


def corpus(n):
    gen = torch.Generator().manual_seed(6)
    start = torch.randint(0, 40, (n, 1), generator=gen)
    stride = torch.randint(1, 4, (n, 1), generator=gen)
    return (start + stride * torch.arange(CFG["seq"])) % 64


def main():
    accelerator = Accelerator(gradient_accumulation_steps=CFG["accum"], cpu=True)
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO, stream=sys.stdout)
    logger.info(accelerator.state, main_process_only=False)
    set_seed(13)
    #: early
    loader = torch.utils.data.DataLoader(corpus(CFG["docs"]), batch_size=CFG["batch"], shuffle=True)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=64, n_embd=CFG["n_embd"], n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=CFG["lr"])
    total = CFG["epochs"] * math.ceil(len(loader) / CFG["accum"])
    lr_scheduler = get_scheduler("cosine", optimizer, num_warmup_steps=5, num_training_steps=total)
    model, optimizer, loader, lr_scheduler = accelerator.prepare(model, optimizer, loader, lr_scheduler)
    done = 0
    if CFG["resume"]:
        accelerator.print(f"Resumed from checkpoint: {CFG['resume']}")
        accelerator.load_state(CFG["resume"])
        done = int(CFG["resume"].rpartition("_")[2])
    logger.info("***** Running training *****")
    logger.info("  Num examples = %d", CFG["docs"])
    logger.info("  Total optimization steps = %d", total)
    #: ready
    bar = tqdm(total=total, initial=done, disable=not os.environ.get("BAR"))
    for epoch in range(CFG["epochs"]):
        model.train()
        for batch in loader:
            with accelerator.accumulate(model):
                #: mid
                loss = model(input_ids=batch, labels=batch).loss
                #: loss
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                bar.update(1)
                done += 1
                if done % CFG["log_every"] == 0:
                    logger.info("  step %d/%d: train_loss=%.4f, lr=%.3e", done, total, loss.item(), lr_scheduler.get_last_lr()[0])
                if CFG["save_every"] and done % CFG["save_every"] == 0:
                    accelerator.save_state(f"step_{done}")
                #: after
        logger.info(f"epoch {epoch}: perplexity: {math.exp(min(20, loss.item())):.3f}")
        #: epoch
    accelerator.unwrap_model(model).save_pretrained("final")
    #: late
    logger.info("Model saved in final")


main()
'''
DDPM = '''import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, UNet2DModel
from tqdm import tqdm

EPOCHS, BATCH, SIZE = int(os.environ.get("EPOCHS", 3)), 8, 16
torch.manual_seed(21)
#: early


def moons(n):
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, SIZE), torch.linspace(-1, 1, SIZE), indexing="ij")
    r = 0.3 + 0.4 * torch.rand(n, 1, 1)
    return ((xx**2 + yy**2 < r**2).float() * 2 - 1)[:, None]


images = moons(128)
#: data
model = UNet2DModel(sample_size=SIZE, in_channels=1, out_channels=1, layers_per_block=1, block_out_channels=(8, 16), norm_num_groups=4, down_block_types=("DownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "UpBlock2D"))
print("UNet with", round(sum(p.numel() for p in model.parameters()) / 1e6, 3), "M parameters")
noise_scheduler = DDPMScheduler(num_train_timesteps=200)
optimizer = torch.optim.AdamW(model.parameters(), lr=float(os.environ.get("LR", "1e-3")))
global_step = 0
#: ready
for epoch in range(EPOCHS):
    progress_bar = tqdm(total=len(images) // BATCH, file=sys.stdout, mininterval=0.5, ascii=True)
    progress_bar.set_description(f"Epoch {epoch}")
    for clean in images[torch.randperm(len(images))].split(BATCH):
        #: mid
        noise = torch.randn_like(clean)
        timesteps = torch.randint(0, 200, (len(clean),))
        noisy = noise_scheduler.add_noise(clean, noise, timesteps)
        loss = F.mse_loss(model(noisy, timesteps, return_dict=False)[0], noise)
        #: loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        global_step += 1
        progress_bar.update(1)
        progress_bar.set_postfix(loss=round(loss.item(), 4), step=global_step)
        #: after
    progress_bar.close()
    #: epoch
model.save_pretrained("unet-moons")
#: late
print("saved to unet-moons")
'''
