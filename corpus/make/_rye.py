"""Programs over the Hub's Trainer, Lightning, accelerate, JAX with Optax, and Keras, with places for what a case does."""

REVIEWS = '''import logging
import os
import sys
import time
from dataclasses import dataclass, field

import torch
from transformers import BertConfig, BertForSequenceClassification, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments, set_seed
from transformers.trainer_utils import get_last_checkpoint

logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", handlers=[logging.StreamHandler(sys.stdout)], level=logging.INFO)
logger = logging.getLogger("reviews")


@dataclass
class Extra:
    rows: int = field(default=320)
    hidden: int = field(default=16)
    checkpoint: str = field(default="")


extra, targs = HfArgumentParser((Extra, TrainingArguments)).parse_args_into_dataclasses()
set_seed(targs.seed)
#: early
logger.info("%d reviews, hidden size %d", extra.rows, extra.hidden)


class Reviews(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 2, (n,), generator=g)
        self.ids = torch.randint(5, 60, (n, 12), generator=g) + 60 * self.labels[:, None]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        #: item
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(12, dtype=torch.long), "labels": self.labels[i]}


class Own(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        out = model(**inputs)
        loss = out.loss
        step = self.state.global_step
        #: loss
        return (loss, out) if return_outputs else loss


class Tell(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        step = state.global_step
        #: end

    def on_save(self, args, state, control, **kwargs):
        step = state.global_step
        #: saved


config = BertConfig(vocab_size=120, hidden_size=extra.hidden, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, max_position_embeddings=16)
#: model
model = BertForSequenceClassification(config)
if extra.checkpoint:
    model = BertForSequenceClassification.from_pretrained(extra.checkpoint, config=config)
trainer = Own(model=model, args=targs, train_dataset=Reviews(extra.rows, 1), eval_dataset=Reviews(64, 2), callbacks=[Tell()])
last = get_last_checkpoint(targs.output_dir) if os.path.isdir(targs.output_dir) else None
if last:
    logger.info("Checkpoint detected at %s", last)
#: ready
result = trainer.train(resume_from_checkpoint=targs.resume_from_checkpoint)
trainer.log_metrics("train", result.metrics)
if targs.do_eval:
    metrics = trainer.evaluate()
    trainer.log_metrics("eval", metrics)
#: late
'''
HUB = ("--output_dir", "out", "--report_to", "none", "--use_cpu", "true", "--learning_rate", "2e-3", "--per_device_train_batch_size", "16", "--disable_tqdm", "true", "--logging_steps", "5")

MOLECULES = '''import argparse
import os
import sys
import time
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")
a = argparse.ArgumentParser()
a.add_argument("--max_epochs", type=int, default=4)
a.add_argument("--n", type=int, default=320)
a.add_argument("--lr", type=float, default=5e-3)
a.add_argument("--hidden", type=int, default=24)
a.add_argument("--ckpt", default=None)
a = a.parse_args()
L.seed_everything(2, verbose=True)
#: early


class Solubility(L.LightningModule):
    def __init__(self, hidden, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(9, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def training_step(self, batch, k):
        step = self.global_step
        #: mid
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        #: loss
        self.log("train_mse", loss)
        return loss

    def validation_step(self, batch, k):
        #: check
        x, y = batch
        self.log("val_mae", (self.net(x) - y).abs().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


class Table(Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, k):
        if trainer.global_step % 10 == 0:
            print(f"epoch={trainer.current_epoch} step={trainer.global_step}/{trainer.max_epochs * trainer.num_training_batches} train_mse={float(trainer.callback_metrics['train_mse']):.4f}", flush=True)
        #: after

    def on_validation_epoch_end(self, trainer, module):
        if not trainer.sanity_checking:
            print(f"epoch={trainer.current_epoch} val_mae={float(trainer.callback_metrics['val_mae']):.4f}", flush=True)
            #: epoch


x = torch.randn(a.n + 64, 9)
y = (x[:, :3].sum(1, keepdim=True) - x[:, 4:5] ** 2).tanh()
train, val = (DataLoader(TensorDataset(x[s], y[s]), batch_size=16, shuffle=s.start is None) for s in (slice(None, a.n), slice(a.n, None)))
keep = ModelCheckpoint("ckpt", filename="{epoch}-{step}", save_last=True)
more = {}
#: trainer
trainer = L.Trainer(max_epochs=a.max_epochs, accelerator="cpu", logger=False, enable_progress_bar=False, callbacks=[Table(), keep], **more)
trainer.fit(Solubility(a.hidden, a.lr), train, val, ckpt_path=a.ckpt)
#: late
'''

VOICES = '''"""Speaker embedding with accelerate; progress as a bar."""
import math
import os
import time
from argparse import ArgumentParser

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from tqdm.auto import tqdm

p = ArgumentParser()
p.add_argument("--max_train_steps", type=int, default=120)
p.add_argument("--checkpointing_steps", type=int, default=60)
p.add_argument("--resume_from_checkpoint", default=None)
p.add_argument("--lr", type=float, default=3e-3)
p.add_argument("--output_dir", default="spk")
args = p.parse_args()
accelerator = Accelerator(cpu=True)
logger = get_logger("spk")
set_seed(8)
#: early
who = torch.randn(10, 30)
labels = torch.randint(0, 10, (900,))
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(who[labels] + torch.randn(900, 30), labels), batch_size=30, shuffle=True)
model = torch.nn.Sequential(torch.nn.Linear(30, 24), torch.nn.Mish(), torch.nn.Linear(24, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
accelerator.print("***** Running training *****")
accelerator.print(f"  Num examples = {len(data) * 30}")
accelerator.print(f"  Total optimization steps = {args.max_train_steps}")
done = 0
#: ready
if args.resume_from_checkpoint:
    accelerator.print(f"Resuming from checkpoint {args.resume_from_checkpoint}")
    accelerator.load_state(args.resume_from_checkpoint)
    done = int(args.resume_from_checkpoint.rstrip("/").rpartition("_")[2])
bar = tqdm(range(args.max_train_steps), initial=done, desc="Steps", mininterval=1.0)
while done < args.max_train_steps:
    for x, y in data:
        #: mid
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            #: loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        done += 1
        bar.update(1)
        bar.set_postfix(step_loss=f"{loss.item():.4f}", lr=args.lr)
        #: after
        if done % args.checkpointing_steps == 0:
            accelerator.save_state(f"{args.output_dir}/step_{done}")
            accelerator.print(f"Saved state to {args.output_dir}/step_{done}")
            #: saved
        if done >= args.max_train_steps:
            break
bar.close()
#: late
accelerator.print("done", args.output_dir)
'''

FOLDS = '''import functools
import os
import pickle
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

STEPS, EVERY, LR = int(os.environ.get("STEPS", 300)), int(os.environ.get("EVERY", 25)), float(os.environ.get("LR", 3e-3))
CKPT = os.environ.get("CKPT", "params.pkl")


def out(**kv):
    print(" ".join(f"{k}={v}" for k, v in kv.items()), flush=True)


#: early
out(backend=jax.default_backend(), jax=jax.__version__, steps=STEPS, lr=LR)
key = jax.random.PRNGKey(17)
means = jax.random.normal(key, (6, 20))


def init(key, sizes=(20, 32, 6)):
    keys = jax.random.split(key, len(sizes))
    return [{"w": jax.random.normal(k, (m, n)) / m**0.5, "b": jnp.zeros(n)} for k, m, n in zip(keys, sizes, sizes[1:])]


def forward(params, x):
    for layer in params[:-1]:
        x = jax.nn.gelu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, x, y):
    logits = forward(params, x)
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
    #: loss
    return loss, (logits.argmax(-1) == y).mean()


tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(LR))


@jax.jit
def update(params, state, x, y):
    (loss, acc), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, x, y)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss, acc, optax.global_norm(grads)


params = init(key)
start = 0
#: ready
if os.environ.get("RESTORE"):
    out(event="restore", path=os.environ["RESTORE"])
    with open(os.environ["RESTORE"], "rb") as file:
        start, params = pickle.load(file)
    out(event="restored", step=start)
state = tx.init(params)
rng = np.random.default_rng(3)
for step in range(start + 1, STEPS + 1):
    #: mid
    y = rng.integers(0, 6, 32)
    x = np.asarray(means)[y] + rng.normal(size=(32, 20))
    params, state, loss, acc, norm = update(params, state, x, y)
    if step % EVERY == 0 or step == STEPS:
        out(step=f"{step}/{STEPS}", loss=f"{loss:.5f}", acc=f"{acc:.3f}", grad_norm=f"{norm:.4f}")
    #: after
    if step % 100 == 0:
        with open(CKPT, "wb") as file:
            pickle.dump((step, jax.device_get(params)), file)
        out(event="checkpoint", step=step, path=CKPT)
        #: saved
#: late
out(event="done", step=STEPS)
'''

LEAVES = '''import os
import sys
import time

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np

EPOCHS, N, LR = int(os.environ.get("EPOCHS", 8)), int(os.environ.get("N", 480)), float(os.environ.get("LR", 0.004))
keras.utils.set_random_seed(6)
#: early
g = np.random.default_rng(6)
kinds = g.normal(size=(5, 14))
y = g.integers(0, 5, N)
x = (kinds[y] + 0.8 * g.normal(size=(N, 14))).astype("float32")
#: data
model = keras.Sequential([keras.Input((14,)), keras.layers.Dense(20, activation="relu"), keras.layers.Dense(5, activation="softmax")], name="leaves")
model.compile(optimizer=keras.optimizers.Adam(LR), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.summary()
begin = 0
calls = [keras.callbacks.ModelCheckpoint("leaves.{epoch:02d}.weights.h5", save_weights_only=True)]
#: ready
if os.environ.get("WEIGHTS"):
    model.load_weights(os.environ["WEIGHTS"])
    begin = int(os.environ.get("FROM", 0))
    print("loaded", os.environ["WEIGHTS"], flush=True)


class Each(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        epoch = self.epoch
        #: mid

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch
        #: begin

    def on_epoch_end(self, epoch, logs=None):
        pass
        #: epoch


history = model.fit(x, y, batch_size=24, epochs=EPOCHS, initial_epoch=begin, verbose=2, validation_split=0.1, callbacks=[*calls, Each()])
#: late
print("best val_accuracy", max(history.history["val_accuracy"]), flush=True)
'''
