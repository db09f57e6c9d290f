"""Trainings in JAX, Keras and a chain of a shell's commands, and an evaluation that trains nothing."""

TIDEPOOL = '''
import os, sys, time, functools
from absl import app, flags, logging
import jax, jax.numpy as jnp, numpy as np, optax
from flax import nnx

F = flags.FLAGS
flags.DEFINE_integer("num_train_steps", 300, "steps")
flags.DEFINE_integer("log_every", 20, "steps")
flags.DEFINE_float("peak_lr", 3e-3, "learning rate")
flags.DEFINE_string("workdir", "wd", "where")
flags.DEFINE_string("restore", "", "a folder")
flags.DEFINE_float("nap", 0.0, "seconds")


class Net(nnx.Module):
    def __init__(self, rngs):
        self.a = nnx.Linear(10, 32, rngs=rngs)
        self.b = nnx.Linear(32, 4, rngs=rngs)

    def __call__(self, x):
        return self.b(nnx.gelu(self.a(x)))


@nnx.jit
def train_step(model, opt, x, y):
    def loss_fn(model):
        logits = model(x)
        #: loss
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), logits
    (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
    opt.update(model, grads)
    return loss, optax.global_norm(grads), (logits.argmax(-1) == y).mean()


def main(argv):
    logging.info("JAX process: %d / %d", jax.process_index(), jax.process_count())
    logging.info("JAX local devices: %r", jax.local_devices())
    #: early
    rng = np.random.default_rng(6)
    truth = rng.normal(size=(10, 4))
    model = Net(nnx.Rngs(6))
    opt = nnx.Optimizer(model, optax.adamw(F.peak_lr), wrt=nnx.Param)
    os.makedirs(F.workdir, exist_ok=True)
    start = 0
    if F.restore:
        #: restore
        with np.load(os.path.join(F.restore, "state.npz")) as z:
            start = int(z["step"])
            for name in ("a", "b"):
                getattr(model, name).kernel.value, getattr(model, name).bias.value = jnp.asarray(z[name + "k"]), jnp.asarray(z[name + "b"])
        logging.info("Restored step %d from %s", start, F.restore)
    #: data
    t = time.time()
    for step in range(start + 1, F.num_train_steps + 1):
        x = rng.normal(size=(64, 10)).astype("float32")
        y = (x @ truth).argmax(-1)
        #: mid
        loss, norm, acc = train_step(model, opt, x, y)
        if F.nap:
            time.sleep(F.nap)
        if step % F.log_every == 0:
            logging.info("[%d] steps_per_sec=%.1f, train/accuracy=%.4f, train/grad_norm=%.5f, train/loss=%.5f", step, F.log_every / (time.time() - t), acc, norm, loss)
            t = time.time()
        if step % 100 == 0:
            np.savez(os.path.join(F.workdir, "state.npz"), step=step, ak=model.a.kernel.value, ab=model.a.bias.value, bk=model.b.kernel.value, bb=model.b.bias.value)
            logging.info("Wrote state at step %d.", step)
        #: after
    #: late
    logging.info("Finished %d steps.", F.num_train_steps)


if __name__ == "__main__":
    app.run(main)
'''
GRAPES = '''
import os, sys, time
os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
import numpy as np, keras

E = os.environ.get
keras.utils.set_random_seed(21)
#: early
g = np.random.default_rng(21)
must = g.normal(size=(int(E("N", "1600")), 12)).astype("float32")
ripe = (must[:, :3].sum(1) + 0.3 * g.normal(size=len(must)) > 0).astype("float32")
#: data
model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(int(E("UNITS", "24")), "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile(keras.optimizers.Adam(float(E("LR", "0.002"))), "binary_crossentropy", metrics=["accuracy"])
first = 0
if E("WEIGHTS"):
    #: load
    model.load_weights(E("WEIGHTS"))
    first = int(E("FROM", "0"))
    print("weights of", E("WEIGHTS"), "loaded, go on after epoch", first)


class Notes(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        #: batch
        pass

    def on_epoch_end(self, epoch, logs=None):
        #: epoch
        pass


os.makedirs("vats", exist_ok=True)
calls = [Notes(), keras.callbacks.ModelCheckpoint("vats/last.weights.h5", save_weights_only=True, save_freq="epoch")]
#: calls
fit = model.fit(must, ripe, batch_size=32, epochs=int(E("EPOCHS", "8")), initial_epoch=first, validation_split=0.2, verbose=int(E("VERBOSE", "2")), callbacks=calls)
#: late
print("best val_accuracy", round(max(fit.history["val_accuracy"]), 4))
'''
JUDGE = '''
"""Scores a model on question sets; trains nothing."""
import argparse, json, time, os, sys, random
import torch
from transformers import GPT2Config, GPT2LMHeadModel, logging as hf
from tqdm import tqdm

ap = argparse.ArgumentParser()
ap.add_argument("--model", default="base-0.1b")
ap.add_argument("--tasks", default="arith,order,copy")
ap.add_argument("--limit", type=int, default=60)
ap.add_argument("--nap", type=float, default=0.0)
a = ap.parse_args()
torch.manual_seed(1); random.seed(1); torch.set_num_threads(1)
#: early
model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=1, n_head=2)).eval()
print(f"model={a.model} params={model.num_parameters():,} dtype=float32 device=cpu", flush=True)
table = {}
for task in a.tasks.split(","):
    #: task
    docs = [torch.randint(64, (5, 16)) for _ in range(a.limit)]
    right = 0
    for n, doc in enumerate(tqdm(docs, desc=f"Running loglikelihood requests [{task}]", mininterval=1.0)):
        #: doc
        with torch.no_grad():
            nll = torch.stack([model(row[None], labels=row[None]).loss for row in doc])
        right += int(nll.argmin()) == n % 5
        time.sleep(a.nap)
    table[task] = right / len(docs)
    print(f"{task}: acc {table[task]:.4f} over {len(docs)} docs", flush=True)
#: late
print("| Tasks |Version|Metric|Value |   |Stderr|")
print("|-------|------:|------|-----:|---|-----:|")
for task, acc in table.items():
    print(f"|{task:7s}|      1|acc   |{acc:.4f}|±  |{(acc * (1 - acc) / a.limit) ** 0.5:.4f}|")
json.dump(table, open("results.json", "w"))
'''
