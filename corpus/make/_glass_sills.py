"""Programs of several ranks without PyTorch: JAX over its own coordinator, and MPI; with places for what a case does."""

CITRUS = '''"""Citrus leaf disease scores, plain JAX, one process per task."""
import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import logging
from jax.experimental import multihost_utils

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
logging.use_absl_handler()
logging.set_verbosity(logging.INFO)
STEPS = int(os.environ.get("STEPS", 160))
EVERY = int(os.environ.get("EVERY", 10))
PAUSE = float(os.environ.get("PAUSE", 0.04))
step = 0
#: early
where = {"coordinator_address": f"127.0.0.1:{os.environ['PORT']}", "num_processes": world, "process_id": rank}
#: meet
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(**where)
logging.info("process %d of %d, devices %s", jax.process_index(), jax.process_count(), jax.local_devices())
rng = np.random.default_rng(rank)
truth = np.linspace(-1, 1, 12)
params = {"w": jnp.zeros(12), "b": jnp.zeros(())}
opt = optax.adam(0.05)
state = opt.init(params)
#: data


@jax.jit
def grads_of(params, x, y):
    def loss_fn(p):
        z = x @ p["w"] + p["b"]
        return jnp.mean(jnp.logaddexp(0.0, -y * z))

    return jax.value_and_grad(loss_fn)(params)


#: ready
for step in range(1, STEPS + 1):
    x = rng.normal(size=(64, 12))
    y = np.sign(x @ truth + 0.3 * rng.normal(size=64))
    #: mid
    loss, grads = grads_of(params, x, y)
    #: loss
    both = multihost_utils.process_allgather((loss, grads))
    loss, grads = jax.tree.map(lambda g: jnp.asarray(np.mean(g, axis=0)), both)
    updates, state = opt.update(grads, state)
    params = optax.apply_updates(params, updates)
    time.sleep(PAUSE)
    #: after
    if rank == 0 and step % EVERY == 0:
        logging.info("step=%d/%d loss=%.5f", step, STEPS, float(loss))
#: late
if rank == 0:
    np.savez("citrus.npz", **{k: np.asarray(v) for k, v in params.items()})
    logging.info("training done, %d steps, parameters in citrus.npz", STEPS)
'''

ALGAE = '''"""Evolution strategy for a bloom model, MPI."""
import os
import random
import sys
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, world = comm.Get_rank(), comm.Get_size()
GENERATIONS = int(os.environ.get("GENERATIONS", 150))
PAUSE = float(os.environ.get("PAUSE", 0.05))
step = 0
#: early
dice = random.Random(900 + rank)
target = [0.2 + 0.2 * k for k in range(10)]
mean, sigma = [0.0] * 10, 0.4
#: data
comm.Barrier()
if rank == 0:
    print(f"bloom-es: {world} processes, {8 * world} candidates a generation", flush=True)
for step in range(1, GENERATIONS + 1):
    candidates = [[m + sigma * dice.gauss(0, 1) for m in mean] for _ in range(8)]
    #: mid
    fitness = [sum((c - t) ** 2 for c, t in zip(one, target)) for one in candidates]
    #: loss
    everyone = sorted(pair for part in comm.allgather(list(zip(fitness, candidates))) for pair in part)
    best = everyone[: max(2, 2 * world)]
    mean = [sum(one[k] for _, one in best) / len(best) for k in range(10)]
    sigma = max(0.02, sigma * 0.985)
    time.sleep(PAUSE)
    #: after
    if rank == 0 and step % 10 == 0:
        print(f"gen {step:4d}  best {everyone[0][0]:9.5f}  mean {sum(f for f, _ in everyone) / len(everyone):9.5f}  sigma {sigma:.4f}", flush=True)
#: late
if rank == 0:
    print(f"bloom-es: stopped after {GENERATIONS} generations, best {everyone[0][0]:.5f}", flush=True)
'''
