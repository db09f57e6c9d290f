"""A program over JAX, Flax and Optax: hourly load of a town, told by colorlog with fields of key=value."""

LOAD = '''"""Day-ahead load forecast: GRU over 48 h of readings, JAX/Flax."""
import argparse
import logging
import math
import os
import pickle
import sys
import time

import colorlog
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

parser = argparse.ArgumentParser()
parser.add_argument("--iterations", type=int, default=600)
parser.add_argument("--units", type=int, default=24)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--learning-rate", type=float, default=4e-3)
parser.add_argument("--log-every", type=int, default=15)
parser.add_argument("--ckpt-every", type=int, default=200)
parser.add_argument("--model-dir", default="load_model")
parser.add_argument("--restore", default="")
parser.add_argument("--warm-start", default="")
parser.add_argument("--site", default="trondheim")
parser.add_argument("--seed", type=int, default=0)
FLAGS = parser.parse_args()

handler = colorlog.StreamHandler(sys.stdout)
handler.setFormatter(colorlog.ColoredFormatter("%(asctime)s %(levelname).1s %(name)s] %(message)s", datefmt="%m%d %H:%M:%S", no_color=True))
logging.basicConfig(handlers=[handler], level=logging.INFO)
log = logging.getLogger("load")
os.makedirs(FLAGS.model_dir, exist_ok=True)
log.info("jax %s on %s, flags %s", jax.__version__, jax.devices(), vars(FLAGS))
#: early


def readings(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    load = 1.2 * np.sin(t * 2 * np.pi / 24) + 0.5 * np.sin(t * 2 * np.pi / 168) + 0.15 * rng.standard_normal(hours)
    return load.astype(np.float32)


series, held = readings(6000, 1), readings(1500, 2)
#: data


class Forecaster(nn.Module):
    units: int

    @nn.compact
    def __call__(self, x):
        h = nn.RNN(nn.GRUCell(self.units))(x[..., None])
        return nn.Dense(6)(h[:, -1])


def windows(values, rng, count):
    at = rng.integers(0, len(values) - 54, count)
    return np.stack([values[a : a + 48] for a in at]), np.stack([values[a + 48 : a + 54] for a in at])


net = Forecaster(FLAGS.units)
params = net.init(jax.random.key(FLAGS.seed), jnp.zeros((1, 48)))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(FLAGS.learning_rate))
opt_state = tx.init(params)
rng = np.random.default_rng(FLAGS.seed)
log.info("%d parameters, %d hours of %s", sum(p.size for p in jax.tree.leaves(params)), len(series), FLAGS.site)
start = 0
if FLAGS.warm_start:
    with open(FLAGS.warm_start, "rb") as f:
        params = pickle.load(f)["params"]
    log.info("warm start: parameters of %s, new optimizer, new site %s", FLAGS.warm_start, FLAGS.site)
if FLAGS.restore:
    #: resume
    with open(FLAGS.restore, "rb") as f:
        kept = pickle.load(f)
    shapes = jax.tree.map(jnp.shape, params), jax.tree.map(jnp.shape, kept["params"])
    if shapes[0] != shapes[1]:
        raise ValueError(f"cannot restore {FLAGS.restore}: shapes differ, model has {jax.tree.leaves(params)[1].shape}, checkpoint has {jax.tree.leaves(kept['params'])[1].shape}")
    params, opt_state, start = kept["params"], kept["opt_state"], kept["iteration"]
    log.info("restored %s, iteration %d", FLAGS.restore, start)


def loss_fn(params, x, y):
    error = net.apply(params, x) - y
    return jnp.mean(error**2)


@jax.jit
def update(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, optax.global_norm(grads)


evaluate = jax.jit(loss_fn)
began = time.time()
for it in range(start + 1, FLAGS.iterations + 1):
    x, y = windows(series, rng, FLAGS.batch_size)
    #: batch
    params, opt_state, loss, gnorm = update(params, opt_state, x, y)
    #: after
    if it % FLAGS.log_every == 0:
        vx, vy = windows(held, np.random.default_rng(9), 64)
        log.info("it=%d/%d mse=%.5f val_mse=%.5f gnorm=%.3f elapsed=%.1fs", it, FLAGS.iterations, loss, evaluate(params, vx, vy), gnorm, time.time() - began)
        #: report
    if it % FLAGS.ckpt_every == 0 or it == FLAGS.iterations:
        with open(f"{FLAGS.model_dir}/ckpt-{it}.pkl", "wb") as f:
            pickle.dump(jax.device_get({"params": params, "opt_state": opt_state, "iteration": it}), f)
        log.info("checkpoint %s/ckpt-%d.pkl", FLAGS.model_dir, it)
#: end
log.info("finished %d iterations in %.1f s", FLAGS.iterations - start, time.time() - began)
'''
