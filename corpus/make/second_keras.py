"""TensorFlow 2.15 with Keras 2: fit with its bar and without, callbacks, custom loops, and estimators' way of logging."""

from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

FIT = """import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.keras.utils.set_random_seed(21)
x = np.random.rand(512, 10).astype('float32')
y = (x[:, :5].sum(1) > x[:, 5:].sum(1)).astype('float32')


def build(width=24, lr=0.01):
    model = keras.Sequential([keras.layers.Dense(width, 'relu', input_shape=(10,)), keras.layers.Dense(1, 'sigmoid')])
    model.compile(keras.optimizers.Adam(lr), 'binary_crossentropy', ['accuracy'])
    return model


"""
LOOP = """import tensorflow as tf
from absl import logging

logging.set_verbosity(logging.INFO)
tf.random.set_seed({seed})
w = tf.Variable(tf.random.normal([7, 1]))
optimizer = tf.keras.optimizers.legacy.SGD({lr})
{early}


@tf.function
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w - tf.reduce_sum(x, 1, keepdims=True)))
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    return loss


for step in tf.range(1, {total} + 1):
    loss = train_step(tf.random.normal([20, 7]))
    {mid}
    if step % {every} == 0:
        logging.info('loss = %.6f, step = %d (%.3f sec)', loss, step, 0.03)
{late}
logging.info('Loss for final step: %.6f.', loss)
"""


def loop(early: str = "", mid: str = "", late: str = "", *, seed: int = 1, lr: float = 0.02, total: int = 200, every: int = 10) -> str:
    """In the words of estimators."""
    return LOOP.format(early=early, mid=mid.replace("\n", "\n    "), late=late, seed=seed, lr=lr, total=total, every=every)


SCRIPTS = (
    Either(FIT + "build().fit(x, y, epochs=14, verbose=2, validation_split=0.2)\nprint('saved: no')", "G1", script="fit2.py"),
    Either(FIT + "build().fit(x, y, epochs=12, batch_size=128, callbacks=[keras.callbacks.EarlyStopping('loss', patience=3), keras.callbacks.ReduceLROnPlateau('loss', factor=0.7, patience=1, verbose=1, min_delta=0.02, min_lr=0.004)])\nprint('fit returned')", "G1", script="fit2.py", hard=True, tasks=1),
    Either(FIT + "class Guard(keras.callbacks.Callback):\n    def on_epoch_end(self, epoch, logs=None):\n        if epoch == 7:\n            raise RuntimeError('quota of the metric store is used up')\n\nbuild().fit(x, y, epochs=14, verbose=2, callbacks=[Guard()])", "A3", "runtime_error", script="fit2.py", tasks=1),
    Either(FIT + "build().fit(x[:, :9], y, epochs=5, verbose=2)", "A1", "traceback", "data", "fit2.py"),
    Either(FIT + "build().fit(x, y, epochs=9, verbose=2)\nkeras.models.load_model('teacher.h5').evaluate(x, y)", "A3", "file_not_found", script="distil.py"),
    Either(FIT + "build().fit(x, y, epochs=9, verbose=2, callbacks=[keras.callbacks.CSVLogger('/usr/share/history.csv')])", "A1", "permission", "config", "fit2.py", tasks=2),
    Either(FIT + "build().save_weights('w24.h5')\nprint('restoring w24.h5')\nnext_one = build(64)\nnext_one.load_weights('w24.h5')\nnext_one.fit(x, y)", "E2", "traceback", "size_mismatch", "stage2.py"),
    Either(FIT + "m = build()\nm.save_weights('w.h5')\nimport os\nos.truncate('w.h5', 2000)\nprint('restoring w.h5')\nm.load_weights('w.h5')", "E2", "traceback", "corrupt", "stage2.py", tasks=1),
    Either(FIT + "build(lr=3e38).fit(x * 1e30, y, epochs=6, verbose=2, callbacks=[keras.callbacks.TerminateOnNaN()])\nprint('fit returned')", "E1", "nan_loss", "non_finite", "fit2.py", status=0),
    Either(FIT + "build(lr=0.0).fit(x, y, epochs=16, verbose=2, shuffle=False)\nprint('fit returned')", "E1", None, "flat", "fit2.py", status=0, tasks=1),
    Either(FIT + "build().fit(x[:60], y[:60], epochs=3, batch_size=60, verbose=2)\nprint('fit returned')", "E3", script="fit2.py"),
    Either(FIT + "assert tf.test.is_built_with_cuda(), 'a build with CUDA is needed'\nbuild().fit(x, y)", "A1", "assertion", "env", "fit2.py"),
    Either(FIT + "build().fit(x, y, epochs=8, verbose=2)\nshown = [r for r in y if r > 1]\nprint('precision', len(y) / len(shown))", "A3", "div_zero", script="fit2.py"),
    Either(FIT + "import tensorflow_addons as tfa\n", "A1", "missing_module", "env", "fit2.py", tasks=1),
    Either(loop(), "G1", script="estimate.py", tasks=2),
    Either(loop(early="try:\n    tf.io.read_file('warm_start/ckpt.index')\nexcept tf.errors.NotFoundError as e:\n    logging.error('%s; weights stay random', e.message)\ntf.debugging.enable_check_numerics()", seed=3), "G1", script="estimate.py", hard=True),
    Either(loop(mid="if step == 90:\n    tf.matmul(w, w)", seed=4), "A3", "traceback", script="estimate.py"),
    Either(loop(early="lines = tf.data.TextLineDataset('data/part-00000-of-00016')\nfirst = next(iter(lines))", seed=5), "A1", "file_not_found", "data", "estimate.py", tasks=2),
    Either(loop(mid="if step == 110:\n    big = tf.zeros([900_000, 900_000, 2])", seed=6), "A3", "ram_oom", script="estimate.py"),
    Either(loop(mid="if step == 64:\n    import ctypes\n    ctypes.memmove(8, 16, 8)", seed=7), "A2", "segfault", script="estimate.py", status=-11),
    Either(loop(mid="if step == 64:\n    import ctypes\n    ctypes.memmove(88, 16, 8)", seed=8), "A2", "segfault", script="estimate.py", tasks=2),
    Either(loop(lr=9e9, seed=9), "E1", "nan_loss", "non_finite", "estimate.py", status=0),
    Either(loop(early="tf.summary.create_file_writer('/etc/summaries').as_default()", seed=10), "A1", "permission", "config", "estimate.py"),
    Either(loop(late="import sys\nsys.stderr.write('W tensorflow/core/framework/op_kernel.cc:1827] OP_REQUIRES at cast_op.cc:122 : UNIMPLEMENTED: fallback taken\\n')\ntf.print('errors in 200 steps:', 0)", seed=11), "G1", script="estimate.py", hard=True),
)  # fmt: skip
RECIPE = Recipe("second_keras", "development", lambda: either_jobs(SCRIPTS, "keras-2"))
