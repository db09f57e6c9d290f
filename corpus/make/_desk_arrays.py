"""Training programs of one process over JAX, Keras and TRL, with places for what a case does."""

JAXLM = '''"""Next-token prediction with a two-layer MLP over a context window, in plain JAX and optax."""
import functools
import os
import pickle
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import app, flags, logging

FLAGS = flags.FLAGS
flags.DEFINE_integer("num_steps", 200, "How long to train.")
flags.DEFINE_float("learning_rate", 1e-2, "Peak learning rate.")
flags.DEFINE_integer("width", 48, "Hidden units.")
flags.DEFINE_string("workdir", "work", "Where to write.")
flags.DEFINE_string("restore", None, "Checkpoint to go on from.")
flags.DEFINE_integer("log_every", 10, "Steps between two lines.")
CONTEXT, VOCAB = 6, 17


def tokens(n):
    seq = [1, 1]
    rng = np.random.default_rng(0)
    while len(seq) < n:
        seq.append((3 * seq[-1] + seq[-2] + (rng.random() < 0.05)) % VOCAB)
    return np.array(seq)


def init(key, width):
    k1, k2, k3 = jax.random.split(key, 3)
    return {"emb": jax.random.normal(k1, (VOCAB, 8)) * 0.3, "w1": jax.random.normal(k2, (CONTEXT * 8, width)) / 7, "b1": jnp.zeros(width), "w2": jax.random.normal(k3, (width, VOCAB)) / 7}


def loss_fn(params, x, y):
    h = params["emb"][x].reshape(len(x), -1)
    logits = jax.nn.relu(h @ params["w1"] + params["b1"]) @ params["w2"]
    #: logits
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def main(argv):
    del argv
    logging.info("JAX process %d / %d, devices: %s", jax.process_index(), jax.process_count(), jax.local_devices())
    rng = np.random.default_rng(1)
    #: early
    data = tokens(6000)
    params = init(jax.random.PRNGKey(0), FLAGS.width)
    tx = optax.adam(optax.cosine_decay_schedule(FLAGS.learning_rate, FLAGS.num_steps))
    opt_state = tx.init(params)
    first = 0
    if FLAGS.restore:
        logging.info("Restoring checkpoint %s", FLAGS.restore)
        with open(FLAGS.restore, "rb") as f:
            first, saved = pickle.load(f)
        params = jax.tree.map(lambda old, new: jnp.asarray(new).reshape(old.shape), params, saved)
        logging.info("Restored step %d", first)

    @jax.jit
    def train_step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        #: grads
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss, optax.global_norm(grads)

    os.makedirs(FLAGS.workdir, exist_ok=True)
    #: ready
    t0 = time.time()
    for step in range(first + 1, FLAGS.num_steps + 1):
        at = rng.integers(0, len(data) - CONTEXT - 1, 64)
        x = np.stack([data[i : i + CONTEXT] for i in at])
        y = data[at + CONTEXT]
        #: mid
        params, opt_state, loss, norm = train_step(params, opt_state, x, y)
        #: loss
        if step % FLAGS.log_every == 0:
            logging.info("[%d] loss=%.5f grad_norm=%.4f steps/sec=%.1f", step, loss, norm, FLAGS.log_every / (time.time() - t0))
            t0 = time.time()
        if step % 50 == 0:
            with open(os.path.join(FLAGS.workdir, f"ckpt_{step}.pkl"), "wb") as f:
                pickle.dump((step, jax.tree.map(np.asarray, params)), f)
            logging.info("Saved checkpoint at %s/ckpt_%d.pkl", FLAGS.workdir, step)
        #: after
    #: late
    logging.info("Finished training at step %d, final loss %.5f", step, loss)


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

EPOCHS = int(os.environ.get("EPOCHS", "6"))
LR = float(os.environ.get("LR", "0.003"))
VERBOSE = int(os.environ.get("VERBOSE", "2"))
keras.utils.set_random_seed(31)
#: early
rng = np.random.default_rng(31)
n = 800
labels = rng.integers(0, 3, n)
t = np.linspace(0, 1, 32)
signals = np.sin(2 * np.pi * (2 + 3 * labels[:, None]) * t + rng.uniform(0, 6, (n, 1))) + 0.6 * rng.normal(size=(n, 32))
#: data
model = keras.Sequential([keras.Input((32, 1)), layers.Conv1D(8, 5, activation="relu", padding="same"), layers.GlobalMaxPooling1D(), layers.Dense(16, activation="relu"), layers.Dense(3, activation="softmax")])
#: model
model.compile(keras.optimizers.Adam(LR), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.summary()
callbacks = [keras.callbacks.ModelCheckpoint("best.keras", monitor="val_loss", save_best_only=True)]
#: ready
history = model.fit(signals[..., None], labels, batch_size=32, epochs=EPOCHS, validation_split=0.2, verbose=VERBOSE, callbacks=callbacks)
#: fitted
loss, acc = model.evaluate(signals[-200:, :, None], labels[-200:], verbose=0)
print(f"Test loss: {loss:.4f} - test accuracy: {acc:.4f}")
#: late
'''
SFT = '''"""Supervised fine-tuning of a small causal model on question and answer pairs."""
import os
import sys
import time

import torch
from datasets import Dataset
from peft import LoraConfig
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

WORDS = ["<pad>", "<eos>", "<unk>", "Q", "A", ":", "plus", "is", "what"] + [str(i) for i in range(20)]
raw = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
torch.manual_seed(5)
#: early
rows = [{"text": f"Q : what is {a} plus {b} A : {a + b} <eos>"} for a in range(10) for b in range(10)]
#: data
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS), n_positions=32, n_embd=32, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=1, pad_token_id=0))
peft_config = None
more = {}
#: config
args = SFTConfig("sft-out", **{"per_device_train_batch_size": 10, "num_train_epochs": 6, "learning_rate": 5e-3, "logging_steps": 5, "max_length": 24, "report_to": "none", "use_cpu": True, "bf16": False, "disable_tqdm": True, "save_strategy": "no", "dataset_text_field": "text", **more})
trainer = SFTTrainer(model=model, args=args, train_dataset=Dataset.from_list(rows), processing_class=tokenizer, peft_config=peft_config)
#: ready
trainer.train(resume_from_checkpoint=os.environ.get("RESUME") or None)
#: late
trainer.save_model("sft-final")
print("model written to sft-final")
'''
