"""Programs of several ranks on kits: accelerate with a YAML of settings, Lightning, Hugging Face's Trainer, JAX over several processes."""

from __future__ import annotations

TAGGER = '''import os
import sys
import time

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from loguru import logger as screen
from omegaconf import OmegaConf
from torch.utils.data import DataLoader, TensorDataset
#: top

cfg = OmegaConf.merge({"optim": {"lr": 5e-3, "steps": 240}, "data": {"rows": 4096, "batch": 16}, "log": 20, "ckpt": {"every": 0, "dir": "state", "resume": None}, "sleep": 0.05}, OmegaConf.from_cli(sys.argv[1:]))


def build():
    return torch.nn.Sequential(torch.nn.Embedding(30, 16), torch.nn.Flatten(), torch.nn.Linear(96, 32), torch.nn.SiLU(), torch.nn.Linear(32, 4))


@screen.catch(reraise=True, onerror=None) if os.environ.get("PRETTY") else lambda f: f
def main():
    torch.set_num_threads(1)
    #: before
    acc = Accelerator(cpu=True)
    rank = acc.process_index
    screen.remove()
    screen.add(sys.stderr, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | p" + str(rank) + " {name}:{function}:{line} - {message}", backtrace=False, diagnose=False)
    screen.info("process {}/{} ready ({})", rank, acc.num_processes, acc.distributed_type)
    if acc.is_main_process:
        screen.info("settings:\\n{}", OmegaConf.to_yaml(cfg))
    torch.manual_seed(21)
    #: early
    ids = torch.randint(0, 30, (cfg.data.rows, 6))
    tags = (ids[:, 0] + 3 * (ids[:, 1] > 20)) // 9
    loader = DataLoader(TensorDataset(ids, tags), cfg.data.batch, shuffle=True, drop_last=True)
    net = build()
    adam = torch.optim.AdamW(net.parameters(), cfg.optim.lr)
    net, adam, loader = acc.prepare(net, adam, loader)
    done = 0
    #: load
    if cfg.ckpt.resume:
        acc.load_state(cfg.ckpt.resume)
        done = int(open(os.path.join(cfg.ckpt.resume, "step.txt")).read())
        screen.info("state restored from {}, continuing after step {}", cfg.ckpt.resume, done)
    run = 0.0
    while done < cfg.optim.steps:
        for x, y in loader:
            done += 1
            #: mid
            loss = torch.nn.functional.cross_entropy(net(x), y)
            #: loss
            acc.backward(loss)
            adam.step()
            adam.zero_grad()
            time.sleep(cfg.sleep)
            run = 0.9 * run + 0.1 * loss.item() if run else loss.item()
            #: after
            if done % cfg.log == 0 and acc.is_main_process:
                screen.info("step={} train/loss={:.4f} ema={:.4f} lr={:.1e}", done, loss.item(), run, adam.param_groups[0]["lr"])
            if cfg.ckpt.every and done % cfg.ckpt.every == 0:
                acc.save_state(cfg.ckpt.dir, safe_serialization=False)
                if acc.is_main_process:
                    open(os.path.join(cfg.ckpt.dir, "step.txt"), "w").write(str(done))
                    screen.success("state written to {} at step {}", cfg.ckpt.dir, done)
            if done >= cfg.optim.steps:
                break
    #: late
    acc.wait_for_everyone()
    if acc.is_main_process:
        screen.success("finished {} steps, ema loss {:.4f}", done, run)
    acc.end_training()


if __name__ == "__main__":
    main()
'''

LOAD = '''"""Forecasts the load of a grid from the week before."""
import argparse
import os
import time
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
#: top

torch.set_num_threads(1)


class Weeks(Dataset):
    def __init__(self, size, seed):
        self.size, self.seed = size, seed

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        #: item
        g = torch.Generator().manual_seed(self.seed * 100_000 + i)
        phase = torch.rand(1, generator=g) * 6.28
        t = torch.arange(48) / 48 * 12.56 + phase
        wave = torch.sin(t) + 0.3 * torch.sin(3 * t) + 0.1 * torch.randn(48, generator=g)
        return wave[:40], wave[40:]


class Forecaster(L.LightningModule):
    def __init__(self, lr=3e-3, hidden=32):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(40, hidden), nn.ReLU(), nn.Linear(hidden, 8))

    def training_step(self, batch, batch_idx):
        x, y = batch
        rank, step = self.global_rank, self.global_step
        #: mid
        loss = nn.functional.mse_loss(self.net(x), y)
        #: loss
        self.log("mse", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        rank, step = self.global_rank, self.global_step
        #: val
        self.log("val_mse", nn.functional.mse_loss(self.net(x), y), sync_dist=True, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), self.hparams.lr)


class Lines(L.Callback):
    def __init__(self, pause):
        self.pause, self.began = pause, time.time()

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        time.sleep(self.pause)
        rank, step = trainer.global_rank, trainer.global_step
        #: after
        if trainer.is_global_zero and step % 20 == 0:
            print(f"epoch {trainer.current_epoch} batch {batch_idx + 1}/{trainer.num_training_batches} step {step} mse={outputs['loss'].item():.5f} [{time.time() - self.began:.1f}s]", flush=True)

    def on_validation_end(self, trainer, module):
        if trainer.is_global_zero and not trainer.sanity_checking:
            print(f"validation after epoch {trainer.current_epoch}: val_mse={trainer.callback_metrics['val_mse'].item():.5f}", flush=True)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--size", type=int, default=1920)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--pause", type=float, default=0.04)
    p.add_argument("--resume", default=None)
    a = p.parse_args()
    warnings.filterwarnings("ignore", ".*num_workers.*")
    #: before
    L.seed_everything(11)
    save = L.pytorch.callbacks.ModelCheckpoint("weights", save_last=True)
    trainer = L.Trainer(
        accelerator="cpu", devices=int(os.environ["DEVICES"]), num_nodes=int(os.environ["SLURM_JOB_NUM_NODES"]), strategy="ddp", max_epochs=a.epochs,
        logger=False, enable_progress_bar=False, enable_model_summary=False, callbacks=[Lines(a.pause), save], num_sanity_val_steps=0,
    )
    model = Forecaster(a.lr)
    #: early
    trainer.fit(model, DataLoader(Weeks(a.size, 1), 16, shuffle=True, num_workers=a.workers), DataLoader(Weeks(160, 2), 16), ckpt_path=a.resume)
    #: late
    if trainer.is_global_zero:
        print(f"best weights: {save.best_model_path}; {trainer.global_step} steps", flush=True)
'''

SORTER = '''from dataclasses import dataclass, field
import logging
import os
import sys
import time

import torch
from transformers import BertConfig, BertForSequenceClassification, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments, set_seed
#: top

logger = logging.getLogger(__name__)


@dataclass
class DataArgs:
    rows: int = field(default=4000, metadata={"help": "How many texts."})
    nap: float = field(default=0.05, metadata={"help": "Seconds between steps."})


class Texts(torch.utils.data.Dataset):
    def __init__(self, rows, seed):
        g = torch.Generator().manual_seed(seed)
        self.ids = torch.randint(2, 40, (rows, 16), generator=g)
        self.labels = self.ids[:, 0] // 14

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        #: item
        return {"input_ids": self.ids[i], "attention_mask": torch.ones(16, dtype=torch.long), "labels": self.labels[i]}


class Slow(TrainerCallback):
    def __init__(self, nap):
        self.nap = nap

    def on_step_end(self, args, state, control, **kwargs):
        time.sleep(self.nap)
        rank, step = args.process_index, state.global_step
        #: after


def main():
    torch.set_num_threads(1)
    args, data = HfArgumentParser((TrainingArguments, DataArgs)).parse_args_into_dataclasses()
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", stream=sys.stdout, level=logging.INFO)
    rank = args.process_index
    logger.warning(f"Process rank: {args.local_rank}, device: {args.device}, n_gpu: {args.n_gpu}, distributed training: {args.parallel_mode.value == 'distributed'}, 16-bits training: {args.fp16}")
    set_seed(args.seed)
    #: early
    model = BertForSequenceClassification(BertConfig(vocab_size=40, hidden_size=24, num_hidden_layers=1, num_attention_heads=2, intermediate_size=48, max_position_embeddings=16, num_labels=3))
    trainer = Trainer(model, args, train_dataset=Texts(data.rows, 0), eval_dataset=Texts(256, 1), callbacks=[Slow(data.nap)])
    #: load
    result = trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)
    #: late
    trainer.log_metrics("train", result.metrics)


if __name__ == "__main__":
    main()
'''

PATCHES = '''# masked patches, data parallel over processes; gradients are gathered on the hosts
import functools
import os
import sys
import time

import jax
import jax.numpy as jnp
import optax
from absl import app, flags, logging
#: top

FLAGS = flags.FLAGS
flags.DEFINE_integer("num_steps", 200, "Steps.")
flags.DEFINE_integer("log_every", 20, "Steps between lines.")
flags.DEFINE_float("learning_rate", 3e-3, "Rate.")
flags.DEFINE_float("pause", 0.05, "Seconds after a step.")
flags.DEFINE_integer("hosts", 0, "Processes; 0: as many as tasks.")
flags.DEFINE_integer("init_s", 300, "Patience of the coordination service.")
flags.DEFINE_string("workdir", "", "Where states are kept.")
flags.DEFINE_integer("save_every", 0, "Steps between states.")


def init(key):
    a, b = jax.random.split(key)
    return {"enc": jax.random.normal(a, (16, 24)) * 0.25, "dec": jax.random.normal(b, (24, 16)) * 0.2, "bias": jnp.zeros(16)}


def reconstruct(params, x, mask):
    hidden = jax.nn.gelu((x * mask) @ params["enc"])
    return jnp.mean(((hidden @ params["dec"] + params["bias"] - x) * (1 - mask)) ** 2)


def main(argv):
    del argv
    rank, world = int(os.environ["SLURM_PROCID"]), FLAGS.hosts or int(os.environ["SLURM_NTASKS"])
    #: before
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    logging.info("process %d of %d: coordinator 127.0.0.1:%s", rank, world, os.environ["PORT"])
    jax.distributed.initialize(f"127.0.0.1:{os.environ['PORT']}", world, rank, initialization_timeout=FLAGS.init_s)
    from jax.experimental import multihost_utils
    logging.info("JAX process %d/%d, local devices %s, global %d", jax.process_index(), jax.process_count(), jax.local_devices(), jax.device_count())
    params = init(jax.random.key(0))
    #: early
    tx = optax.adam(FLAGS.learning_rate)
    state, first = tx.init(params), 0
    #: load
    grad = jax.jit(jax.value_and_grad(reconstruct))
    basis = jax.random.normal(jax.random.key(9), (4, 16))
    clock = time.time()
    for step in range(first + 1, FLAGS.num_steps + 1):
        key = jax.random.fold_in(jax.random.key(1 + rank), step)
        #: data
        x = jax.random.normal(key, (32, 4)) @ basis
        mask = (jax.random.uniform(jax.random.fold_in(key, 1), x.shape) > 0.3).astype(jnp.float32)
        #: mid
        loss, grads = grad(params, x, mask)
        #: loss
        gathered = multihost_utils.process_allgather((loss, grads))
        loss, grads = jax.tree.map(lambda v: jnp.asarray(v.mean(0)), gathered)
        moves, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, moves)
        time.sleep(FLAGS.pause)
        #: after
        if step % FLAGS.log_every == 0 and rank == 0:
            logging.info("[%d] steps_per_sec=%.2f, train_loss=%.5f, grad_norm=%.4f", step, (step - first) / (time.time() - clock), float(loss), float(optax.global_norm(grads)))
        #: end
    #: late
    logging.info("[%d] process %d is through, loss %.5f", FLAGS.num_steps, rank, float(loss))


if __name__ == "__main__":
    app.run(main)
'''
FILES = {"TAGGER": "tagger.py", "LOAD": "grid_load.py", "SORTER": "sort_texts.py", "PATCHES": "patches.py"}
