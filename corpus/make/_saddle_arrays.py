"""Trainings over Keras on two backends, and over Flax in its two dialects."""

LEAVES = '''
import os
os.environ.setdefault("KERAS_BACKEND", "jax")
import argparse
import time

import keras
import numpy as np
from keras import callbacks, layers

ap = argparse.ArgumentParser()
ap.add_argument("--epochs", type=int, default=10)
ap.add_argument("--lr", type=float, default=0.004)
ap.add_argument("--batch", type=int, default=32)
ap.add_argument("--load", default="")
ap.add_argument("--first-epoch", type=int, default=0)
ap.add_argument("--units", type=int, default=32)
ap.add_argument("--verbose", type=int, default=2)
ap.add_argument("--save", default="leaves.keras")
args = ap.parse_args()
keras.utils.set_random_seed(14)
#: early
KINDS = ("maple", "elm", "lime", "poplar", "willow")


def pictures(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, n)
    x = rng.normal(0, 0.9, (n, 12, 12, 1)).astype("float32")
    rows, cols = np.mgrid[0:12, 0:12] / 11 - 0.5
    for i, k in enumerate(y):
        x[i, :, :, 0] += np.cos(6 * (rows * np.cos(k) + cols * np.sin(k)) + k)
    return x, y


x, y = pictures(640, 1)
vx, vy = pictures(128, 2)
#: data
print(f"keras {keras.__version__} on {keras.backend.backend()}, {len(x)} pictures of {len(KINDS)} kinds")
if args.load:
    model = keras.models.load_model(args.load)
    print(f"loaded {args.load}")
else:
    model = keras.Sequential([keras.Input((12, 12, 1)), layers.Conv2D(6, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(args.units, activation="relu"), layers.Dense(5)], name="leaf_sorter")
    #: build
model.compile(keras.optimizers.Adam(args.lr), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
#: compiled


class Field(callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(0.02)
        #: batch

    def on_epoch_begin(self, epoch, logs=None):
        #: begin
        pass

    def on_epoch_end(self, epoch, logs=None):
        #: epoch
        pass


calls = [Field()]
#: calls
fit = {}
#: fit
hist = model.fit(x, y, validation_data=(vx, vy), epochs=args.epochs, initial_epoch=args.first_epoch, batch_size=args.batch, verbose=args.verbose, callbacks=calls, **fit)
#: fitted
model.save(args.save)
print("test: " + ", ".join(f"{k} {v:.4f}" for k, v in model.evaluate(vx, vy, verbose=0, return_dict=True).items()))
#: late
'''

TARIFF = '''
"""Next-hour load of a tariff group; recurrent, one year of hours, quantile 0.5."""
import logging, os, sys, time
os.environ["KERAS_BACKEND"] = "torch"
import colorlog
import keras, numpy as np
from keras import layers
import torch

torch.set_num_threads(1)
handler = colorlog.StreamHandler(sys.stderr)
handler.setFormatter(colorlog.ColoredFormatter("%(log_color)s%(asctime)s [%(levelname).1s]%(reset)s %(message)s", "%H:%M:%S"))
logging.root.addHandler(handler); logging.root.setLevel(logging.INFO)
log = logging.getLogger("tariff")
S = dict(epochs=9, lr=0.01, cells=12, batch=64, hours=1100, window=12, out="tariff_out", weights="", seed=40)
for word in sys.argv[1:]:
    k, v = word.split("=")
    S[k] = type(S[k])(v)
log.info("settings %s", S)
keras.utils.set_random_seed(S["seed"])
os.makedirs(S["out"], exist_ok=True)
#: early
t = np.arange(S["hours"] + S["window"])
load = 3 + np.sin(t * 2 * np.pi / 24) + 0.4 * np.sin(t * 2 * np.pi / 168) + 0.08 * np.random.default_rng(1).normal(size=len(t))
#: data
mean, std = load.mean(), load.std()
z = ((load - mean) / std).astype("float32")
x = np.stack([z[i:i + S["window"]] for i in range(S["hours"])])[..., None]
y = z[S["window"]:S["window"] + S["hours"]]
cut = int(S["hours"] * 0.85)
net = keras.Sequential([keras.Input((S["window"], 1)), layers.SimpleRNN(S["cells"], name="rnn"), layers.Dense(1, name="out")])
#: net
net.compile(keras.optimizers.Adam(S["lr"], clipnorm=5.0), "mae")
first = 0
if S["weights"]:
    log.info("resuming from %s", S["weights"])
    net.load_weights(S["weights"])
#: ready


class Lines(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.t0 = time.time()

    def on_train_batch_begin(self, batch, logs=None):
        #: before
        pass

    def on_train_batch_end(self, batch, logs=None):
        time.sleep(0.05)
        #: batch

    def on_epoch_end(self, epoch, logs=None):
        log.info("epoch %d/%d mae %.5f val_mae %.5f (%.1f s)", epoch + 1, S["epochs"], logs["loss"], logs["val_loss"], time.time() - self.t0)
        #: epoch


calls = [Lines(), keras.callbacks.ModelCheckpoint(S["out"] + "/best.weights.h5", save_best_only=True, save_weights_only=True, monitor="val_loss")]
#: calls
net.fit(x[:cut], y[:cut], validation_data=(x[cut:], y[cut:]), epochs=S["epochs"], batch_size=S["batch"], verbose=0, callbacks=calls)
pred = net.predict(x[cut:], verbose=0)[:, 0]
log.info("held-out mean absolute error %.3f MW (persistence %.3f MW)", np.abs(pred - y[cut:]).mean() * std, np.abs(np.diff(load[cut:])).mean())
#: late
'''

PENDULUM = '''
"""Energy-conserving model of a pendulum (HNN), Flax NNX + Optax."""
import os, sys, time
import jax, jax.numpy as jnp, numpy as np, optax
from flax import nnx

STEPS = int(os.environ.get("STEPS", 600)); LR = float(os.environ.get("LR", 3e-3)); EVERY = int(os.environ.get("EVERY", 40)); KEEP = os.environ.get("KEEP", "pendulum.npz")
FROM = os.environ.get("FROM", "")
PAUSE = float(os.environ.get("PAUSE", 0.012))
t0 = time.monotonic()


def note(text):
    sys.stderr.write(f"I {time.monotonic() - t0:8.2f}s hnn.py] {text}\\n")


#: early
class Energy(nnx.Module):
    def __init__(self, rngs):
        self.a = nnx.Linear(2, 24, rngs=rngs)
        self.b = nnx.Linear(24, 24, rngs=rngs)
        self.c = nnx.Linear(24, 1, rngs=rngs)

    def __call__(self, s):
        return self.c(jnp.tanh(self.b(jnp.tanh(self.a(s)))))[..., 0]


def field(net, s):
    dh = jax.vmap(jax.grad(lambda one: net(one[None])[0]))(s)
    return jnp.stack([dh[:, 1], -dh[:, 0]], 1)


rng = np.random.default_rng(3)
states = rng.uniform(-2, 2, (2000, 2)).astype("float32")
truth = np.stack([states[:, 1], -np.sin(states[:, 0])], 1).astype("float32")
#: data
net = Energy(nnx.Rngs(5))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(optax.cosine_decay_schedule(LR, STEPS)))
#: tx
opt = nnx.Optimizer(net, tx, wrt=nnx.Param)
start = 0
note(f"jax {jax.__version__}, devices {jax.devices()}, {sum(p.size for p in jax.tree.leaves(nnx.state(net, nnx.Param)))} weights")
if FROM:
    with np.load(FROM) as kept:
        leaves, tree = jax.tree.flatten(nnx.state(net, nnx.Param))
        nnx.update(net, jax.tree.unflatten(tree, [jnp.asarray(kept[f"p{i}"]) for i in range(len(leaves))]))
        start = int(kept["step"])
    note(f"weights of step {start} taken from {FROM}")
#: ready


@nnx.jit
def update(net, opt, s, ds):
    def err(n):
        e = jnp.mean((field(n, s) - ds) ** 2)
        #: err
        return e
    loss, grads = nnx.value_and_grad(err)(net)
    opt.update(net, grads)
    return loss, optax.global_norm(grads)


def keep(path, step):
    np.savez(path, step=step, **{f"p{i}": np.asarray(v) for i, v in enumerate(jax.tree.leaves(nnx.state(net, nnx.Param)))})


for step in range(start + 1, STEPS + 1):
    rows = rng.integers(0, len(states), 64)
    s, ds = states[rows], truth[rows]
    #: batch
    loss, norm = update(net, opt, s, ds)
    time.sleep(PAUSE)
    #: step
    if step % EVERY == 0 or step == start + 1:
        note(f"step {step:5d}/{STEPS}: loss {float(loss):.6f}, |g| {float(norm):.4f}")
    if step % 200 == 0:
        keep(KEEP, step)
        note(f"kept {KEEP} at {step}")
        #: kept
test = jnp.asarray(rng.uniform(-1.5, 1.5, (300, 2)).astype("float32"))
off = field(net, test) - jnp.stack([test[:, 1], -jnp.sin(test[:, 0])], 1)
note(f"field error on fresh states: rms {float(jnp.sqrt(jnp.mean(off ** 2))):.4f}")
#: late
'''

GLYPHS = '''
import json, os, pathlib, sys, time
from functools import partial
import jax, jax.numpy as jnp, numpy as np, optax
from flax import linen as nn, serialization
from flax.training import train_state

HP = dict(epochs=8, batch=40, lr=4e-3, width=48, glyphs=800, work="glyph_runs/a", restore=None, seed=6, nap=0.02)
for arg in sys.argv[1:]:
    key, value = arg.lstrip("-").split("=")
    HP[key] = type(HP[key])(value) if HP[key] is not None else value
work = pathlib.Path(HP["work"])
work.mkdir(parents=True, exist_ok=True)
began = time.time()


def line(**kw):
    kw = {"wall": round(time.time() - began, 2), **kw}
    print(json.dumps(kw), flush=True)
    with open(work / "metrics.jsonl", "a") as f:
        f.write(json.dumps(kw) + "\\n")


line(hparams=HP)
#: early


class Reader(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.width)(x))
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(12)(x)


def glyphs(n, seed):
    rng = np.random.default_rng(seed)
    shapes = np.random.default_rng(0).normal(size=(12, 36)).astype("float32")
    y = rng.integers(0, 12, n)
    return shapes[y] + rng.normal(0, 0.9, (n, 36)).astype("float32"), y


x, y = glyphs(HP["glyphs"], 1)
vx, vy = glyphs(200, 2)
#: data
net = Reader(HP["width"])
per_epoch = len(x) // HP["batch"]
tx = optax.adamw(optax.warmup_cosine_decay_schedule(0.0, HP["lr"], 10, HP["epochs"] * per_epoch))
#: tx
state = train_state.TrainState.create(apply_fn=net.apply, params=net.init(jax.random.key(HP["seed"]), x[:1])["params"], tx=tx)
#: state
first = 0
if HP["restore"]:
    blob = pathlib.Path(HP["restore"]).read_bytes()
    state = serialization.from_bytes(state, blob)
    first = int(state.step) // per_epoch
    line(restored=HP["restore"], step=int(state.step), epoch=first)
#: ready


@jax.jit
def train(state, xb, yb):
    def f(p):
        logits = state.apply_fn({"params": p}, xb)
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, yb).mean()
        #: loss
        return loss
    loss, grads = jax.value_and_grad(f)(state.params)
    return state.apply_gradients(grads=grads), loss, optax.global_norm(grads)


@jax.jit
def score(state, xb, yb):
    logits = state.apply_fn({"params": state.params}, xb)
    return optax.softmax_cross_entropy_with_integer_labels(logits, yb).mean(), (logits.argmax(-1) == yb).mean()


rng = np.random.default_rng(HP["seed"])
for epoch in range(first, HP["epochs"]):
    order = rng.permutation(len(x))
    losses, norms = [], []
    for k in range(per_epoch):
        rows = order[k * HP["batch"]:(k + 1) * HP["batch"]]
        xb, yb = x[rows], y[rows]
        #: batch
        state, loss, norm = train(state, xb, yb)
        losses.append(float(loss)); norms.append(float(norm))
        time.sleep(HP["nap"])
        #: step
    vloss, vacc = score(state, vx, vy)
    line(epoch=epoch + 1, step=int(state.step), loss=round(float(np.mean(losses)), 5), grad_norm=round(float(np.mean(norms)), 5), val_loss=round(float(vloss), 5), val_acc=round(float(vacc), 4))
    #: epoch
    (work / "state.msgpack").write_bytes(serialization.to_bytes(state))
    #: saved
line(finished=True, epochs=HP["epochs"], steps=int(state.step), state=str(work / "state.msgpack"))
#: late
'''
