"""Loops over JAX, Flax, Optax and Keras 3 by one process, and a sweep of many short runs in one script; with places for what a case does."""

SCAN = '''"""Neural ODE-ish oscillator fit, whole epochs in lax.scan."""
import os
import sys
import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax

CHUNKS = int(os.environ.get("CHUNKS", 12))
PER = int(os.environ.get("PER", 200))
LR = float(os.environ.get("LR", "5e-3"))
print(f"jax {jax.__version__} on {jax.devices()}", flush=True)
#: early
key = jax.random.key(0)
t = jnp.linspace(0, 6, 64)
truth = jnp.exp(-0.2 * t) * jnp.cos(2.3 * t)
#: data


def init(key, sizes=(1, 32, 32, 1)):
    ks = jax.random.split(key, len(sizes) - 1)
    return [(jax.random.normal(k, (m, n)) / np.sqrt(m), jnp.zeros(n)) for k, m, n in zip(ks, sizes[:-1], sizes[1:])]


def model(params, x):
    h = x[:, None]
    for w, b in params[:-1]:
        h = jnp.tanh(h @ w + b)
    w, b = params[-1]
    return (h @ w + b)[:, 0]


def loss_fn(params, noise):
    #: inside
    return jnp.mean((model(params, t) - truth - 0.02 * noise) ** 2)


params = init(key)
opt = optax.chain(optax.clip_by_global_norm(float(os.environ.get("CLIP", "1.0"))), optax.adam(LR))
state = opt.init(params)
if os.environ.get("RESTORE"):
    with np.load(os.environ["RESTORE"]) as z:
        params = [(jnp.asarray(z[f"w{k}"]), jnp.asarray(z[f"b{k}"])) for k in range(len(params))]
        print("restored", os.environ["RESTORE"], "from chunk", int(z["chunk"]), flush=True)


@jax.jit
def chunk(params, state, key):
    def body(carry, k):
        params, state = carry
        value, grads = jax.value_and_grad(loss_fn)(params, jax.random.normal(k, t.shape))
        updates, state = opt.update(grads, state, params)
        return (optax.apply_updates(params, updates), state), value

    (params, state), values = jax.lax.scan(body, (params, state), jax.random.split(key, PER))
    return params, state, values


#: ready
for c in range(1, CHUNKS + 1):
    tic = time.perf_counter()
    key, sub = jax.random.split(key)
    #: mid
    params, state, values = chunk(params, state, sub)
    values.block_until_ready()
    print(f"chunk {c}/{CHUNKS} ({c * PER} updates): mean loss {float(values.mean()):.6f} min {float(values.min()):.6f} [{time.perf_counter() - tic:.2f} s]", flush=True)
    #: after
    if c % 4 == 0:
        np.savez("osc.npz", chunk=c, **{f"w{k}": w for k, (w, _) in enumerate(params)}, **{f"b{k}": b for k, (_, b) in enumerate(params)})
        print("params -> osc.npz", flush=True)
#: late
print(f"final rmse {float(jnp.sqrt(jnp.mean((model(params, t) - truth) ** 2))):.4f}", flush=True)
'''
LINEN = '''import dataclasses
import os
import sys
import time

from absl import app, flags, logging
import flax.linen as nn
from flax.training import train_state
import jax
import jax.numpy as jnp
import numpy as np
import optax

flags.DEFINE_integer("num_epochs", 6, "Epochs.")
flags.DEFINE_integer("batch_size", 32, "Batch size.")
flags.DEFINE_float("learning_rate", 0.05, "Learning rate.")
flags.DEFINE_string("workdir", "/tmp", "Where to write.")
flags.DEFINE_integer("examples", 960, "Training examples.")
FLAGS = flags.FLAGS


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(8, (3, 3))(x))
        x = nn.avg_pool(x, (2, 2), (2, 2)).reshape((x.shape[0], -1))
        return nn.Dense(4)(nn.relu(nn.Dense(32)(x)))


@jax.jit
def apply_model(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return grads, loss, jnp.mean(logits.argmax(-1) == labels)


def data(n, seed):
    r = np.random.default_rng(seed)
    y = r.integers(0, 4, n)
    x = r.standard_normal((n, 8, 8, 1)).astype("f4")
    for k in range(n):
        x[k, 4 * (y[k] // 2) : 4 * (y[k] // 2) + 4, 4 * (y[k] % 2) : 4 * (y[k] % 2) + 4] += 0.8
    return x, y


def main(argv):
    logging.use_absl_handler()
    logging.set_verbosity(logging.INFO)
    logging.info("JAX process: %d / %d", jax.process_index(), jax.process_count())
    logging.info("JAX local devices: %r", jax.local_devices())
    #: early
    x, y = data(FLAGS.examples, 0)
    tx, ty = data(200, 1)
    #: data
    cnn = CNN()
    params = cnn.init(jax.random.key(0), x[:1])["params"]
    state = train_state.TrainState.create(apply_fn=cnn.apply, params=params, tx=optax.sgd(FLAGS.learning_rate, 0.9))
    rng = np.random.default_rng(2)
    #: ready
    for epoch in range(1, FLAGS.num_epochs + 1):
        perm = rng.permutation(len(x))[: len(x) // FLAGS.batch_size * FLAGS.batch_size].reshape(-1, FLAGS.batch_size)
        losses, accs = [], []
        for step, idx in enumerate(perm):
            images, labels = x[idx], y[idx]
            #: mid
            grads, loss, acc = apply_model(state, images, labels)
            state = state.apply_gradients(grads=grads)
            losses.append(loss)
            accs.append(acc)
            time.sleep(0.01)
        _, test_loss, test_acc = apply_model(state, tx, ty)
        logging.info("epoch:% 3d, train_loss: %.4f, train_accuracy: %.2f, test_loss: %.4f, test_accuracy: %.2f", epoch, np.mean(losses), np.mean(accs) * 100, test_loss, test_acc * 100)
        #: epoch
    #: late
    logging.info("done after %d epochs", FLAGS.num_epochs)


if __name__ == "__main__":
    app.run(main)
'''
KERAS = '''import os
import sys
import time

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np
from keras import layers

EPOCHS, LR, VERBOSE = int(os.environ.get("EPOCHS", "6")), float(os.environ.get("LR", "2e-3")), int(os.environ.get("VERBOSE", "2"))
print("keras", keras.__version__, "on", keras.backend.backend())
keras.utils.set_random_seed(13)
#: early
rng = np.random.default_rng(0)
vocabulary = 60
texts = rng.integers(1, vocabulary, (1200, 18))
labels = (np.isin(texts, np.arange(1, 9)).sum(1) > 2).astype("int32")
#: data


class Mine(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        #: mid
        time.sleep(0.004)

    def on_epoch_end(self, epoch, logs=None):
        #: epoch
        pass


inputs = keras.Input((18,), dtype="int32")
h = layers.Embedding(vocabulary, 12)(inputs)
h = layers.Conv1D(16, 3, activation="relu")(h)
h = layers.GlobalMaxPooling1D()(h)
outputs = layers.Dense(1, activation="sigmoid")(h)
model = keras.Model(inputs, outputs, name="reviews")
if os.environ.get("WEIGHTS"):
    print("loading weights from", os.environ["WEIGHTS"])
    model.load_weights(os.environ["WEIGHTS"])
model.compile(optimizer=keras.optimizers.Adam(LR), loss="binary_crossentropy", metrics=["accuracy"])
model.summary()
#: ready
history = model.fit(texts[:1000], labels[:1000], validation_data=(texts[1000:], labels[1000:]), batch_size=50, epochs=EPOCHS, verbose=VERBOSE, callbacks=[Mine(), keras.callbacks.ModelCheckpoint("best.weights.h5", save_best_only=True, save_weights_only=True, monitor="val_loss")])
#: late
print("test:", dict(zip(model.metrics_names, np.round(model.evaluate(texts[1000:], labels[1000:], verbose=0), 4))))
'''
SWEEP = '''#!/usr/bin/env python3
# grid over learning rates and widths, one process
import itertools, json, math, os, sys, time, traceback
import torch

GRID = json.loads(os.environ.get("GRID", '{"lr": [0.001, 0.01, 0.1], "width": [8, 32]}'))
STEPS = int(os.environ.get("STEPS", 120))
STRICT = os.environ.get("STRICT") == "1"
torch.manual_seed(2)
x = torch.randn(512, 6)
y = (x[:, :3].prod(1) + x[:, 3] > 0).float()[:, None]
#: early
board = []
trials = list(itertools.product(*GRID.values()))
print(f"{len(trials)} trials: {GRID}", flush=True)


def run(number, cfg):
    net = torch.nn.Sequential(torch.nn.Linear(6, cfg["width"]), torch.nn.ReLU(), torch.nn.Linear(cfg["width"], 1))
    opt = torch.optim.SGD(net.parameters(), cfg["lr"], momentum=0.9)
    for step in range(1, STEPS + 1):
        #: mid
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x), y)
        #: loss
        opt.zero_grad(); loss.backward(); opt.step()
        if step % 40 == 0:
            print(f"  trial {number} step {step} loss {loss.item():.4f}", flush=True)
            if not math.isfinite(loss.item()):
                raise FloatingPointError(f"loss is {loss.item()}")
        time.sleep(0.004)
    return loss.item()


#: ready
for number, values in enumerate(trials):
    cfg = dict(zip(GRID, values))
    print(f"trial {number + 1}/{len(trials)} {cfg}", flush=True)
    try:
        score = run(number + 1, cfg)
        print(f"trial {number + 1} COMPLETE, final loss {score:.4f}", flush=True)
        board.append((score, cfg))
    except Exception:
        print(f"trial {number + 1} FAILED", flush=True)
        traceback.print_exc()
        if STRICT:
            raise
    #: trial
board.sort(key=lambda r: r[0])
#: late
print("best:", board[0][1], f"loss {board[0][0]:.4f}; {len(board)} of {len(trials)} trials complete", flush=True)
'''
