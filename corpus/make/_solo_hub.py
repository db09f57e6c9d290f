"""Training programs of one process over transformers, TRL, PEFT, accelerate and Lightning, with places for what a case does."""

WORDS = '''from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

VOCAB = ["<pad>", "<s>", "</s>", "<unk>"] + "the a cat dog bird fish sees likes chases finds big small red blue green and then it runs sleeps . ? yes no why because".split()


def build_tokenizer():
    core = Tokenizer(models.WordLevel({w: i for i, w in enumerate(VOCAB)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>", model_max_length=64)
'''
SFT = '''"""Supervised fine-tuning of a tiny decoder on template sentences."""
import argparse
import logging
import os
import random
import sys
import time

import torch
from datasets import Dataset
from peft import LoraConfig, TaskType
from transformers import LlamaConfig, LlamaForCausalLM, TrainerCallback, set_seed
from trl import SFTConfig, SFTTrainer

from words import build_tokenizer

logging.basicConfig(level=logging.INFO, format="[%(levelname)s|%(filename)s:%(lineno)d] %(asctime)s >> %(message)s")
log = logging.getLogger(__name__)


def sentences(n, rng):
    noun, verb, adj = ["cat", "dog", "bird", "fish"], ["sees", "likes", "chases", "finds"], ["big", "small", "red", "blue", "green"]
    for i in range(n):
        yield {"text": f"the {rng.choice(adj)} {rng.choice(noun)} {rng.choice(verb)} a {rng.choice(adj)} {rng.choice(noun)} . why ? because it runs ."}


class Hook(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, optimizer=None, **kwargs):
        step = state.global_step
        #: mid
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_steps", type=int, default=60)
    parser.add_argument("--learning_rate", type=float, default=5e-3)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--lora", action="store_true")
    parser.add_argument("--target_modules", nargs="*", default=["q_proj", "v_proj"])
    parser.add_argument("--resume_from_checkpoint", default=None)
    parser.add_argument("--save_steps", type=int, default=0)
    parser.add_argument("--output_dir", default="sft-out")
    a = parser.parse_args()
    set_seed(11)
    #: early
    tok = build_tokenizer()
    rows = list(sentences(240, random.Random(5)))
    #: data
    data = Dataset.from_list(rows)
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tok), hidden_size=a.hidden, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2))
    log.info("dataset: %d rows, model: %.2fk parameters", len(data), sum(p.numel() for p in model.parameters()) / 1e3)
    peft = LoraConfig(task_type=TaskType.CAUSAL_LM, r=4, lora_alpha=8, target_modules=a.target_modules) if a.lora else None
    options = dict(
        output_dir=a.output_dir, max_steps=a.max_steps, learning_rate=a.learning_rate, per_device_train_batch_size=8, logging_steps=5, report_to=[], use_cpu=True, bf16=False, max_length=32,
        save_strategy="steps" if a.save_steps else "no", save_steps=a.save_steps or 500, dataset_num_proc=None, gradient_checkpointing=False,
    )
    #: options
    trainer = SFTTrainer(model=model, args=SFTConfig(**options), train_dataset=data, processing_class=tok, peft_config=peft, callbacks=[Hook()])
    #: ready
    result = trainer.train(resume_from_checkpoint=a.resume_from_checkpoint)
    log.info("train metrics: %s", {k: round(v, 4) for k, v in result.metrics.items()})
    #: late


if __name__ == "__main__":
    main()
'''
CLASSIFY = '''import dataclasses
import json
import math
import os
import sys
import time

import numpy as np
import torch
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    EarlyStoppingCallback,
    HfArgumentParser,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)


@dataclasses.dataclass
class ModelArgs:
    dim: int = 32
    n_layers: int = 1
    num_labels: int = 3
    init_from: str = ""


@dataclasses.dataclass
class DataArgs:
    n_train: int = 320
    seq_len: int = 20
    train_file: str = ""


class Sentiment(torch.utils.data.Dataset):
    def __init__(self, n, length, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 3, (n,), generator=g)
        self.x = torch.randint(0, 40, (n, length), generator=g) + 40 * self.y[:, None] * (torch.rand(n, length, generator=g) < 0.5)
        #: dataset

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        #: item
        return {"input_ids": self.x[i], "attention_mask": torch.ones_like(self.x[i]), "labels": self.y[i]}


class Watch(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, **kw):
        step = state.global_step
        #: mid
        time.sleep(0.015)

    def on_log(self, args, state, control, logs=None, **kw):
        #: log
        return control


def metrics(pred):
    #: metrics
    return {"accuracy": float((np.argmax(pred.predictions, -1) == pred.label_ids).mean())}


if __name__ == "__main__":
    m, d, t = HfArgumentParser((ModelArgs, DataArgs, TrainingArguments)).parse_args_into_dataclasses()
    torch.manual_seed(t.seed)
    #: early
    config = DistilBertConfig(vocab_size=128, dim=m.dim, hidden_dim=64, n_layers=m.n_layers, n_heads=4, num_labels=m.num_labels, max_position_embeddings=64)
    if m.init_from:
        net = DistilBertForSequenceClassification.from_pretrained(m.init_from, config=config)
    else:
        net = DistilBertForSequenceClassification(config)
    train, valid = Sentiment(d.n_train, d.seq_len, 1), Sentiment(64, d.seq_len, 2)
    trainer = Trainer(net, t, train_dataset=train, eval_dataset=valid, compute_metrics=metrics, callbacks=[Watch()])
    #: ready
    out = trainer.train(resume_from_checkpoint=t.resume_from_checkpoint)
    trainer.log_metrics("train", out.metrics)
    #: late
'''
HF = ("--output_dir=run1", "--report_to=none", "--use_cpu=True", "--logging_steps=5", "--max_steps=80", "--save_strategy=no", "--per_device_train_batch_size=16", "--learning_rate=2e-3")
NO_TRAINER = '''#!/usr/bin/env python
# fine-tuning without the Trainer
import argparse
import logging
import math
import os
import time

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm
from transformers import get_scheduler

logger = get_logger(__name__)


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--max_train_steps", type=int, default=90)
    p.add_argument("--learning_rate", type=float, default=3e-3)
    p.add_argument("--hidden", type=int, default=24)
    p.add_argument("--checkpointing_steps", type=int, default=0)
    p.add_argument("--resume_from_checkpoint", default=None)
    p.add_argument("--gradient_accumulation_steps", type=int, default=1)
    p.add_argument("--mixed_precision", default="no")
    p.add_argument("--output_dir", default="ft")
    return p.parse_args()


class Tagger(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embed = torch.nn.Embedding(60, hidden)
        self.attn = torch.nn.MultiheadAttention(hidden, 2, batch_first=True)
        self.out = torch.nn.Linear(hidden, 5)

    def forward(self, ids):
        h = self.embed(ids)
        return self.out(h + self.attn(h, h, h, need_weights=False)[0])


def main():
    args = parse_args()
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.gradient_accumulation_steps, mixed_precision=args.mixed_precision, project_config=ProjectConfiguration(project_dir=args.output_dir))
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
    logger.info(accelerator.state, main_process_only=False)
    set_seed(1234)
    #: early
    ids = torch.randint(0, 60, (640, 12))
    loader = DataLoader(TensorDataset(ids, ids % 5), batch_size=32, shuffle=True)
    model = Tagger(args.hidden)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    lr_scheduler = get_scheduler("linear", optimizer, num_warmup_steps=5, num_training_steps=args.max_train_steps)
    model, optimizer, loader, lr_scheduler = accelerator.prepare(model, optimizer, loader, lr_scheduler)
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(ids)}")
    logger.info(f"  Gradient Accumulation steps = {args.gradient_accumulation_steps}")
    logger.info(f"  Total optimization steps = {args.max_train_steps}")
    completed = 0
    if args.resume_from_checkpoint:
        accelerator.print(f"Resumed from checkpoint: {args.resume_from_checkpoint}")
        accelerator.load_state(args.resume_from_checkpoint)
        completed = int(args.resume_from_checkpoint.rstrip("/").split("_")[-1])
    progress_bar = tqdm(range(args.max_train_steps), initial=completed, desc="Steps", ncols=88)
    #: ready
    while completed < args.max_train_steps:
        for x, y in loader:
            step = completed + 1
            with accelerator.accumulate(model):
                #: mid
                loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
                #: loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                progress_bar.update(1)
                completed += 1
            if completed % 10 == 0:
                progress_bar.set_postfix(loss=loss.detach().item(), lr=lr_scheduler.get_last_lr()[0])
            if completed % 30 == 0:
                logger.info(f"step {completed}: train_loss {loss.detach().item():.4f}")
            if args.checkpointing_steps and completed % args.checkpointing_steps == 0:
                accelerator.save_state(os.path.join(args.output_dir, f"step_{completed}"))
            #: after
            time.sleep(0.02)
            if completed >= args.max_train_steps:
                break
    #: late
    accelerator.end_training()
    logger.info("done, %d steps" % completed)


if __name__ == "__main__":
    main()
'''
LIT = '''import argparse
import os
import time
import warnings

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch import callbacks as C
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Blobs(pl.LightningDataModule):
    def __init__(self, n=480, batch=24, workers=0):
        super().__init__()
        self.n, self.batch, self.workers = n, batch, workers

    def prepare_data(self):
        #: prepare
        return None

    def setup(self, stage):
        g = torch.Generator().manual_seed(0)
        y = torch.randint(0, 4, (self.n,), generator=g)
        x = torch.eye(6)[y] * 2 + torch.randn(self.n, 6, generator=g)
        #: setup
        self.train, self.val = TensorDataset(x, y), TensorDataset(x[:120], y[:120])

    def train_dataloader(self):
        return DataLoader(self.train, self.batch, shuffle=True, num_workers=self.workers)

    def val_dataloader(self):
        return DataLoader(self.val, 60)


class Net(pl.LightningModule):
    def __init__(self, width: int = 24, lr: float = 0.02):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(6, width), nn.GELU())
        self.classifier = nn.Linear(width, 4)

    def forward(self, x):
        return self.classifier(self.encoder(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        step = self.global_step
        #: mid
        loss = F.cross_entropy(self(x), y)
        #: loss
        self.log("train/loss", loss, prog_bar=True, on_step=True)
        time.sleep(0.015)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        #: valid
        out = self(x)
        self.log_dict({"val/loss": F.cross_entropy(out, y), "val/acc": (out.argmax(1) == y).float().mean()}, prog_bar=True)

    def configure_optimizers(self):
        #: optim
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--lr", type=float, default=0.02)
    p.add_argument("--width", type=int, default=24)
    p.add_argument("--accelerator", default="cpu")
    p.add_argument("--precision", default="32-true")
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--ckpt_path")
    p.add_argument("--bar", default="tqdm")
    a = p.parse_args()
    pl.seed_everything(2026)
    #: early
    more = [C.RichProgressBar(refresh_rate=5) if a.bar == "rich" else C.TQDMProgressBar(refresh_rate=5)] if a.bar != "none" else []
    options = dict(max_epochs=a.epochs, accelerator=a.accelerator, precision=a.precision, devices=1, logger=CSVLogger("logs"), log_every_n_steps=5, enable_model_summary=True, enable_progress_bar=bool(more))
    #: options
    trainer = pl.Trainer(callbacks=more, **options)
    trainer.fit(Net(a.width, a.lr), Blobs(workers=a.workers), ckpt_path=a.ckpt_path)
    #: late
    print({k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()}, flush=True)
'''
