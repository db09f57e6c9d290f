"""Programs of several ranks on what stands on PyTorch, and beside it: accelerate, Lightning under Slurm, the Trainer of transformers, JAX on several hosts, MPI."""

from __future__ import annotations

TUNE = '''"""Fine-tunes a small regressor with accelerate."""
import os
import sys
import time
from types import SimpleNamespace

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from tqdm.auto import tqdm
#: top
import logging

logger = get_logger(__name__)
conf = SimpleNamespace(steps=260, every=20, lr=5e-3, accumulate=1, pause=0.05, out="runs/a1")
for item in sys.argv[1:]:
    k, _, v = item.lstrip("-").partition("=")
    setattr(conf, k, type(getattr(conf, k))(v))


class Curve(torch.utils.data.Dataset):
    def __len__(self):
        return 6000

    def __getitem__(self, i):
        #: item
        x = torch.rand(3, generator=torch.Generator().manual_seed(i)) * 6
        return x, x.sin().prod()


def main():
    #: before
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=conf.accumulate)
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
    logger.info(accelerator.state, main_process_only=False)
    rank, world = accelerator.process_index, accelerator.num_processes
    set_seed(11)
    torch.set_num_threads(1)
    #: early
    model = torch.nn.Sequential(torch.nn.Linear(3, 64), torch.nn.GELU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=conf.lr)
    loader = torch.utils.data.DataLoader(Curve(), batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    logger.info("***** Running training *****")
    logger.info(f"  Num processes = {world}")
    logger.info(f"  Total optimization steps = {conf.steps}")
    bar = tqdm(range(conf.steps), disable=not accelerator.is_local_main_process, mininterval=4, file=sys.stdout)
    done, epoch = 0, 0
    while done < conf.steps:
        epoch += 1
        for x, y in loader:
            #: mid
            with accelerator.accumulate(model):
                loss = torch.nn.functional.mse_loss(model(x)[:, 0], y)
                #: loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            done += 1
            bar.update(1)
            time.sleep(conf.pause)
            #: after
            if done % conf.every == 0:
                logger.info(f"epoch {epoch} step {done}: train_loss={accelerator.gather(loss.detach()).mean().item():.5f}")
            if done >= conf.steps:
                break
    bar.close()
    #: late
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        os.makedirs(conf.out, exist_ok=True)
        accelerator.save(accelerator.unwrap_model(model).state_dict(), os.path.join(conf.out, "model.bin"))
        logger.info(f"Model weights saved in {conf.out}/model.bin")
    accelerator.end_training()


if __name__ == "__main__":
    main()
'''

LIGHT = '''import os
import time

import lightning as L
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
#: top


class Denoiser(L.LightningModule):
    def __init__(self, width=24, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = torch.nn.Sequential(torch.nn.Linear(20, width), torch.nn.SiLU(), torch.nn.Linear(width, 20))

    def training_step(self, batch, index):
        (clean,) = batch
        #: mid
        loss = F.mse_loss(self.body(clean + 0.4 * torch.randn_like(clean)), clean)
        #: loss
        time.sleep(float(os.environ.get("PAUSE", 0.05)))
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        (clean,) = batch
        #: check
        self.log("val_loss", F.mse_loss(self.body(clean), clean), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


class Printer(L.Callback):
    """One line now and then instead of a bar."""

    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        #: after
        if trainer.global_step % 20 == 0 and trainer.is_global_zero:
            print(f"epoch {trainer.current_epoch} | global_step {trainer.global_step} | train_loss {outputs['loss'].item():.4f}", flush=True)

    def on_validation_end(self, trainer, module):
        if trainer.is_global_zero and not trainer.sanity_checking:
            print(f"epoch {trainer.current_epoch} | val_loss {trainer.callback_metrics['val_loss'].item():.4f}", flush=True)


def main():
    L.seed_everything(3)
    torch.set_num_threads(1)
    #: before
    base = torch.randn(4, 20)
    rows = base[torch.randint(0, 4, (int(os.environ.get("ROWS", 2400)),))] + 0.1 * torch.randn(int(os.environ.get("ROWS", 2400)), 20)
    train, val = DataLoader(TensorDataset(rows), 16, shuffle=True), DataLoader(TensorDataset(rows[:64]), 16)
    model = Denoiser()
    #: early
    trainer = L.Trainer(accelerator="cpu", devices=int(os.environ["DEVICES"]), num_nodes=int(os.environ["SLURM_NNODES"]), strategy="ddp", max_epochs=int(os.environ.get("EPOCHS", 3)), enable_progress_bar=False, callbacks=[Printer()], logger=False, default_root_dir="lit")
    trainer.fit(model, train, val, ckpt_path=os.environ.get("CKPT") or None)
    #: late
    if trainer.is_global_zero:
        print("fit is over:", {k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()}, flush=True)


if __name__ == "__main__":
    main()
'''

CLM = '''import os
import sys
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel, HfArgumentParser, Trainer, TrainerCallback, TrainingArguments, set_seed
#: top


class Verses(torch.utils.data.Dataset):
    """Numbers that count upwards, modulo 17."""

    def __len__(self):
        return 4000

    def __getitem__(self, i):
        #: item
        ids = (torch.arange(20) + i) % 17
        return {"input_ids": ids, "labels": ids}


class Pace(TrainerCallback):
    def on_step_end(self, args, state, control, **more):
        time.sleep(float(os.environ.get("PAUSE", 0.05)))
        step, rank = state.global_step, args.process_index
        #: after


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses(sys.argv[1:])
    rank, world = args.process_index, args.world_size
    torch.set_num_threads(1)
    #: before
    set_seed(args.seed)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=17, n_positions=20, n_embd=32, n_layer=1, n_head=2))
    #: early
    trainer = Trainer(model=model, args=args, train_dataset=Verses(), callbacks=[Pace()])
    result = trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)
    #: late
    trainer.log_metrics("train", result.metrics)


if __name__ == "__main__":
    main()
'''

POD = '''"""Data parallel regression over hosts."""
import os
import time

import jax
from absl import app, flags, logging
#: top

FLAGS = flags.FLAGS
flags.DEFINE_integer("num_train_steps", 200, "Steps.")
flags.DEFINE_integer("log_every", 10, "Steps between lines.")
flags.DEFINE_float("learning_rate", 0.05, "Of plain SGD.")
flags.DEFINE_float("pause", 0.05, "Seconds between steps.")
flags.DEFINE_integer("init_timeout", 300, "Seconds to wait for the other hosts.")
flags.DEFINE_string("coordinator", "", "host:port")


def main(_):
    logging.set_verbosity(logging.INFO)
    host, hosts = int(os.environ["SLURM_PROCID"]), int(os.environ.get("HOSTS") or os.environ["SLURM_NTASKS"])
    coordinator = FLAGS.coordinator or f"127.0.0.1:{os.environ['PORT']}"
    logging.info("host %d of %d, coordinator %s", host, hosts, coordinator)
    #: before
    jax.distributed.initialize(coordinator, hosts, host, initialization_timeout=FLAGS.init_timeout)
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import multihost_utils

    logging.info("process_count=%d local_devices=%s", jax.process_count(), jax.local_devices())
    truth = jnp.linspace(-1, 1, 12)
    #: early

    @jax.jit
    def grads(w, x):
        return jax.value_and_grad(lambda w: jnp.mean((x @ w - jnp.sin(x @ truth)) ** 2))(w)

    w, key = jnp.zeros(12), jax.random.key(host)
    for step in range(1, FLAGS.num_train_steps + 1):
        key, now = jax.random.split(key)
        #: mid
        loss, g = grads(w, jax.random.normal(now, (32, 12)))
        g = multihost_utils.process_allgather(g).mean(0)
        w = w - FLAGS.learning_rate * g
        time.sleep(FLAGS.pause)
        #: after
        if step % FLAGS.log_every == 0:
            logging.info("[%d] loss=%f, grad_norm=%f, steps_per_second=%.2f", step, loss, np.linalg.norm(g), 1 / FLAGS.pause)
    #: late
    multihost_utils.sync_global_devices("end")
    if host == 0:
        logging.info("Finished training at step %d, loss %.5f", step, loss)


if __name__ == "__main__":
    app.run(main)
'''

MIX = '''"""Expectation maximisation for a mixture in one dimension, rows spread over the processes."""
import math
import random
import sys
import time

from mpi4py import MPI
#: top

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
sweeps, pause = int(sys.argv[1]), float(sys.argv[2])
name = MPI.Get_processor_name()
#: before
if rank == 0:
    print(f"em: {size} processes, {sweeps} sweeps, MPI {MPI.Get_version()[0]}.{MPI.Get_version()[1]}", flush=True)
dice = random.Random(rank)
rows = [dice.gauss(*dice.choice([(-3, 0.7), (0.5, 1.1), (4, 0.5)])) for _ in range(300)]
#: early
means, spread, share = [-1.0, 0.0, 1.0], [2.0] * 3, [1 / 3] * 3
for sweep in range(1, sweeps + 1):
    #: mid
    total, stats = 0.0, [[0.0, 0.0, 0.0] for _ in means]
    for x in rows:
        p = [w * math.exp(-(((x - m) / s) ** 2) / 2) / s for w, m, s in zip(share, means, spread)]
        total += math.log(sum(p) + 1e-300)
        for k, q in enumerate(p):
            r = q / (sum(p) + 1e-300)
            stats[k][0] += r
            stats[k][1] += r * x
            stats[k][2] += r * x * x
    every = comm.allreduce([[v for v in s] for s in stats], op=lambda a, b, _=None: [[x + y for x, y in zip(s, t)] for s, t in zip(a, b)])
    nll = -comm.allreduce(total) / (300 * size)
    for k, (n, a, b) in enumerate(every):
        share[k], means[k] = n / (300 * size), a / n
        spread[k] = math.sqrt(max(b / n - means[k] ** 2, 1e-4))
    time.sleep(pause)
    #: after
    if rank == 0 and sweep % 10 == 0:
        print(f"sweep {sweep:4d}/{sweeps}   nll {nll:.6f}   means " + " ".join(f"{m:+.3f}" for m in means), flush=True)
#: late
if rank == 0:
    print("em: done", flush=True)
'''

FILES = {"TUNE": "tune.py", "LIGHT": "fit_lit.py", "CLM": "clm.py", "POD": "pod.py", "MIX": "mix.py"}
