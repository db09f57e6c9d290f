"""Programs of several processes that are not PyTorch's own: JAX on several hosts, MPI, dask, and accelerate and Lightning above PyTorch."""

from __future__ import annotations

from corpus.make._bureaus import put
from corpus.running.slots import fill

JAXED = '''"""Denoiser on a mesh of hosts."""
import functools
import os
import sys
import time
#: top
import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import logging

logging.set_verbosity(logging.INFO)
logging.use_absl_handler()
process_id, num_processes = int(os.environ["SLURM_PROCID"]), int(os.environ.get("NUM_HOSTS", os.environ["SLURM_NTASKS"]))
#: before
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{os.environ['PORT']}", num_processes, process_id<MEET>)
logging.info("JAX process: %d / %d", jax.process_index(), jax.process_count())
logging.info("JAX devices: %r", len(jax.devices()))
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("batch",))
rng = np.random.default_rng(process_id)
params = {"w1": 0.2 * np.random.default_rng(5).normal(size=(8, 24)).astype("float32"), "w2": 0.2 * np.random.default_rng(6).normal(size=(24, 8)).astype("float32")}
tx = optax.adamw(<RATE>)
opt_state = tx.init(params)
#: early


def loss_fn(params, noisy, clean):
    return jnp.mean((jnp.tanh(noisy @ params["w1"]) @ params["w2"] - clean) ** 2)


@jax.jit
def train_step(params, opt_state, noisy, clean):
    loss, grads = jax.value_and_grad(loss_fn)(params, noisy, clean)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def globally(x):
    return multihost_utils.host_local_array_to_global_array(x, mesh, P("batch"))


last = time.time()
for step in range(1, <STEPS> + 1):
    clean = rng.normal(size=(16, 2)).astype("float32") @ np.random.default_rng(9).normal(size=(2, 8)).astype("float32")
    #: mid
    params, opt_state, loss = train_step(params, opt_state, globally(clean + 0.1 * rng.normal(size=clean.shape).astype("float32")), globally(clean))
    loss.block_until_ready()
    time.sleep(<PAUSE>)
    #: after
    if step % <EVERY> == 0 and process_id == 0:
        logging.info("[%d] loss=%.5f, steps_per_second=%.2f", step, float(loss), <EVERY> / (time.time() - last))
        last = time.time()
#: late
if process_id == 0:
    logging.info("Finished training at step %d.", step)
'''

MPI = '''#!/usr/bin/env python3
# asynchronous-free stochastic coordinate descent with mpi4py
import math
import os
import random
import sys
import time
#: top
from mpi4py import MPI

comm = MPI.COMM_WORLD
me, size = comm.Get_rank(), comm.Get_size()
say = lambda *w: print(f"<{me:02d}>", *w, flush=True)
if me == 0:
    say(f"{MPI.Get_library_version().splitlines()[0].strip()}; {size} processes")
#: before
random.seed(me)
theta, truth = [0.0] * 6, [0.5, -1.0, 2.0, 0.1, -0.3, 1.4]
#: early
for sweep in range(1, <STEPS> + 1):
    grad, cost = [0.0] * 6, 0.0
    for _ in range(24):
        x = [random.gauss(0, 1) for _ in theta]
        err = sum((t - u) * v for t, u, v in zip(theta, truth, x)) + random.gauss(0, 0.05)
        cost += err * err / 24
        grad = [g + err * v / 24 for g, v in zip(grad, x)]
    #: mid
    both = comm.allreduce(cost, op=MPI.SUM) / size
    grad = [comm.allreduce(g, op=MPI.SUM) / size for g in grad]
    theta = [t - <RATE> * g for t, g in zip(theta, grad)]
    time.sleep(<PAUSE>)
    #: after
    if sweep % <EVERY> == 0 and me == 0:
        say(f"sweep {sweep:5d}   objective {both:.6e}   |g| {math.sqrt(sum(g * g for g in grad)):.3e}")
#: late
comm.Barrier()
if me == 0:
    say("converged" if both < 0.1 else "stopped", "after", sweep, "sweeps")
'''

DASK = '''import asyncio
import logging
import math
import os
import random
import sys
import time
#: top
from distributed import Client, LocalCluster, as_completed, get_worker

TOTAL = <STEPS>


def fit(trial, lr, epochs=30):
    #: task
    rng = random.Random(trial)
    w, loss = 3.0, 0.0
    for epoch in range(epochs):
        x = [rng.gauss(0, 1) for _ in range(50)]
        loss = sum((w * a - 0.7 * a) ** 2 for a in x) / 50
        w -= lr * sum(2 * (w * a - 0.7 * a) * a for a in x) / 50
        time.sleep(<PAUSE> / 10)
    return trial, lr, loss


def main():
    #: before
    cluster = LocalCluster(n_workers=int(os.environ.get("DASK_WORKERS", "2")), threads_per_worker=1, dashboard_address=None, host="127.0.0.1", memory_limit=os.environ.get("WORKER_MEM", "1GB"))
    client = Client(cluster, timeout=20)
    print(f"cluster: {len(client.scheduler_info()['workers'])} workers", flush=True)
    #: early
    pool = [client.submit(fit, t, 0.5 * 0.97 ** t, pure=False) for t in range(4)]
    asked, best, told = 4, math.inf, 0
    for future in (queue := as_completed(pool)):
        trial, lr, loss = future.result()
        told += 1
        best = min(best, loss)
        #: told
        if told % <EVERY> == 0:
            print(f"trial {told}/{TOTAL}: lr={lr:.4f} loss={loss:.6f} best_loss={best:.6f}", flush=True)
        if asked < TOTAL:
            queue.add(client.submit(fit, asked, 0.5 * 0.97 ** asked, pure=False))
            asked += 1
    #: late
    print(f"search finished: {told} trials, best loss {best:.6f}", flush=True)
    client.close()
    cluster.close()


if __name__ == "__main__":
    main()
'''

HUGGED = '''#!/usr/bin/env python
"""Sequence tagging with accelerate."""
import argparse
import logging
import math
import os
import sys
import time
#: top
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm

logger = get_logger(__name__)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_train_steps", type=int, default=<STEPS>)
    parser.add_argument("--learning_rate", type=float, default=<RATE>)
    parser.add_argument("--per_device_train_batch_size", type=int, default=8)
    parser.add_argument("--checkpointing_steps", type=int, default=0)
    parser.add_argument("--resume_from_checkpoint", default=None)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def main():
    args = parse_args()
    #: before
    accelerator = Accelerator(cpu=True)
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
    logger.info(accelerator.state, main_process_only=False)
    set_seed(args.seed)
    tokens = torch.randint(0, 40, (2048, 10))
    tags = tokens % 5
    loader = DataLoader(TensorDataset(tokens, tags), batch_size=args.per_device_train_batch_size, shuffle=True)
    model = torch.nn.Sequential(torch.nn.Embedding(40, 16), torch.nn.Conv1d(10, 10, 3, padding=1), torch.nn.ReLU(), torch.nn.Linear(16, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    #: early
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    rank = accelerator.process_index
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(tokens)}")
    logger.info(f"  Total train batch size (w. parallel, distributed & accumulation) = {args.per_device_train_batch_size * accelerator.num_processes}")
    logger.info(f"  Total optimization steps = {args.max_train_steps}")
    progress_bar = tqdm(range(args.max_train_steps), disable=not accelerator.is_local_main_process, mininterval=2)
    step = 0
    for epoch in range(10_000):
        for x, y in loader:
            step += 1
            #: mid
            loss = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            time.sleep(<PAUSE>)
            progress_bar.update(1)
            #: after
            if step % <EVERY> == 0:
                logger.info(f"step {step}: train_loss = {accelerator.gather(loss.detach()).mean().item():.4f}, epoch = {step / len(loader):.2f}")
            if args.checkpointing_steps and step % args.checkpointing_steps == 0:
                accelerator.save_state(f"out/step_{step}")
            if step >= args.max_train_steps:
                break
        if step >= args.max_train_steps:
            break
    #: late
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        os.makedirs("out", exist_ok=True)
        torch.save(accelerator.unwrap_model(model).state_dict(), "out/pytorch_model.bin")
        logger.info("Model weights saved in out/pytorch_model.bin")
    accelerator.end_training()


if __name__ == "__main__":
    main()
'''

LIT = '''import os
import sys
import time
#: top
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Say(L.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        step = trainer.global_step
        #: after
        if step % <EVERY> == 0 and trainer.is_global_zero:
            print(f"Epoch {trainer.current_epoch}: step {step}/{trainer.max_steps} train_loss={float(outputs['loss']):.4f}", flush=True)


class Regressor(L.LightningModule):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, width), nn.SiLU(), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        rank, step = self.global_rank, self.global_step
        x, y = batch
        #: mid
        time.sleep(<PAUSE>)
        return nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=<RATE>)


def main():
    L.seed_everything(4)
    x = torch.randn(8192, 8)
    data = TensorDataset(x, torch.sin(x).sum(1, keepdim=True))
    #: before
    ranks, nodes = int(os.environ["SLURM_NTASKS"]), int(os.environ["SLURM_NNODES"])
    trainer = L.Trainer(accelerator="cpu", strategy="ddp", devices=ranks // nodes, num_nodes=nodes, max_steps=<STEPS>, max_epochs=-1, callbacks=[Say()], logger=False, enable_progress_bar=False, enable_model_summary=True, enable_checkpointing=<KEEP>)
    model = Regressor()
    #: early
    trainer.fit(model, DataLoader(data, batch_size=16, num_workers=0), ckpt_path=<FROM>)
    #: late


if __name__ == "__main__":
    main()
'''

TEXTS = {"JAXED": (JAXED, "main.py", 0.01), "MPI": (MPI, "scd.py", 0.15), "DASK": (DASK, "search.py", 0), "HUGGED": (HUGGED, "run_tagging_no_trainer.py", 0.01), "LIT": (LIT, "regress.py", 0.01)}
"""Each with the name of its file and its usual rate."""


def mesh(name: str, *, steps: int = 200, every: int = 10, pause: float = 0.03, meet: str = "", rate: float | None = None, keep: str = "False", back: str = "None", **slots: str) -> str:
    """One of them, filled in."""
    text, _, usual = TEXTS[name]
    return put(fill(text, **slots), {"STEPS": steps, "EVERY": every, "PAUSE": pause, "MEET": meet, "RATE": usual if rate is None else rate, "KEEP": keep, "FROM": back})
