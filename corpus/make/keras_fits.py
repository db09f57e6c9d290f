"""TensorFlow with Keras, as tutorials and their descendants have it: fit() with its bar or its lines, callbacks, tf.data, TensorFlow's own greetings on stderr."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

FIT = """import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(11)
x = np.random.rand(512, 10).astype("float32")
y = (x.sum(axis=1) > 5).astype("int32")
model = keras.Sequential([keras.Input((10,)), layers.Dense(16, activation="relu"), layers.Dense(2)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.{opt}, loss, metrics=["accuracy"])
"""
TF = """import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "{level}"
import tensorflow as tf

print("TensorFlow version:", tf.__version__)
w = tf.Variable(tf.random.stateless_normal([5, 1], [1, 2]))
pairs = tf.data.Dataset.range(640).map(lambda i: tf.random.stateless_normal([5], [7, tf.cast(i, tf.int32)])).map(lambda v: (v, tf.reduce_sum(v, keepdims=True)))
"""
LOOP = """optimizer = tf.keras.optimizers.SGD({lr})
for epoch in range({n}):
    total = tf.keras.metrics.Mean()
    for inputs, targets in pairs.batch(64):
        with tf.GradientTape() as tape:
            error = tf.reduce_mean((inputs @ w - targets) ** 2)
        optimizer.apply_gradients([(tape.gradient(error, w), w)])
        total.update_state(error)
    print(f"Epoch {{epoch + 1}}, Loss: {{total.result():0.4f}}", flush=True)
"""
ADAM = FIT.format(opt="Adam(0.01)")
ROWS = "class Rows(keras.callbacks.Callback):\n    def on_epoch_end(self, epoch, logs=None):\n        print(';'.join([str(epoch), *(f'{v:.5f}' for v in logs.values())]), flush=True)\n\nprint('epoch;accuracy;loss')\n"
SCRIPTS = (
    Flat(ADAM + "model.fit(x, y, epochs=6, batch_size=64)\nprint(model.evaluate(x, y))", "G1", script="mnist_like.py"),
    Flat(ADAM + "history = model.fit(x, y, epochs=8, verbose=2, validation_split=0.2)\nprint({k: round(v[-1], 4) for k, v in history.history.items()})", "G1", script="mnist_like.py"),
    Flat(TF.format(level=0) + "print('GPUs:', tf.config.list_physical_devices('GPU'))\ntry:\n    with tf.device('/GPU:0'):\n        tf.constant(1.0) + 1\nexcept (RuntimeError, tf.errors.InvalidArgumentError) as e:\n    print('no accelerator:', e)\n" + LOOP.format(lr=0.05, n=7) + "print('Training complete')", "G1", script="custom_loop.py", hard=True),
    Flat(ADAM + "calls = [keras.callbacks.EarlyStopping(patience=2, monitor='loss', min_delta=0.5, verbose=1), keras.callbacks.ReduceLROnPlateau(monitor='loss', patience=1, min_delta=0.4, verbose=1)]\nmodel.fit(x, y, epochs=30, verbose=2, callbacks=calls)", "G1", script="mnist_like.py"),
    Flat(ADAM + ROWS + "model.fit(x, y, epochs=12, verbose=0, callbacks=[Rows()])", "G1", script="quiet.py"),
    Flat(ADAM + "model.fit(x[:, :8], y, epochs=4)", "A1", "traceback", "data", "mnist_like.py"),
    Flat(ADAM + "def feed():\n    for i in range(400):\n        yield (x[:32], y[:32]) if i != 37 else (x[:32], y[:31])\n\nmodel.fit(feed(), epochs=20, steps_per_epoch=10, verbose=2)", "A3", "traceback", script="feed.py"),
    Flat(FIT.format(opt="SGD(1e6)").replace("relu", "tanh") + "x[300] = np.nan\nmodel.fit(x, y, epochs=10, verbose=2, callbacks=[keras.callbacks.TerminateOnNaN()])\nprint('end')", "E1", "nan_loss", "non_finite", "mnist_like.py", status=0),
    Flat(TF.format(level=2) + LOOP.format(lr=40.0, n=14), "E1", "nan_loss", "non_finite", "custom_loop.py", status=0),
    Flat(TF.format(level=2) + "tf.debugging.enable_check_numerics()\n" + LOOP.format(lr=40.0, n=40), "E1", "nan_loss", "non_finite", "custom_loop.py"),
    Flat(FIT.format(opt="SGD(0.0)") + "model.fit(x, y, epochs=25, verbose=2, shuffle=False)\nprint('saved nothing')", "E1", None, "flat", "mnist_like.py", status=0),
    Flat(ADAM + "base = keras.models.load_model('pretrained/encoder.keras')\nmodel.fit(x, y)", "A1", "file_not_found", "asset", "finetune_head.py"),
    Flat(ADAM + "keep = keras.callbacks.ModelCheckpoint('/opt/models/ep{epoch:02d}.keras', verbose=1)\nmodel.fit(x, y, epochs=5, verbose=2, callbacks=[keep])", "A3", "permission", script="mnist_like.py"),
    Flat(ADAM + "keep = keras.callbacks.BackupAndRestore('/var/lib/keras_backup')\nmodel.fit(x, y, epochs=5, verbose=2, callbacks=[keep])", "A3", "permission", script="mnist_like.py"),
    Flat(TF.format(level=1) + "scores = tf.ones([150_000, 150_000])\nprint(scores.shape)", "A1", "ram_oom", "env", "attend.py"),
    Flat(TF.format(level=3) + LOOP.format(lr=0.05, n=3) + "memory = tf.zeros([90_000, 40, 10_000])\nprint(memory.shape)", "A3", "ram_oom", script="attend.py"),
    Flat(ADAM + "model.fit(x, y, epochs=1, steps_per_epoch=2, batch_size=32)\nmodel.save('model.keras')", "E3", script="mnist_like.py"),
    Flat(TF.format(level=2) + LOOP.format(lr=0.05, n=1).replace("pairs.batch(64)", "pairs.batch(64).take(3)") + "print('weights', w.numpy().ravel())", "E3", script="custom_loop.py"),
    Flat(ADAM.replace("keras.optimizers.Adam(0.01)", "'adamm'") + "model.fit(x, y)", "A1", "traceback", "config", "mnist_like.py"),
    Flat(TF.format(level=2) + "with tf.io.TFRecordWriter('part.tfrecord') as out:\n    for i in range(50):\n        out.write(b'x' * 200)\nraw = open('part.tfrecord', 'rb').read()\nopen('part.tfrecord', 'wb').write(raw[:4000] + b'\\0\\1\\2' + raw[4003:6000])\nfor n, record in enumerate(tf.data.TFRecordDataset('part.tfrecord')):\n    pass", "A1", "traceback", "data", "records.py"),
    Flat(TF.format(level=2) + LOOP.format(lr=0.05, n=4) + "for record in tf.data.TFRecordDataset(['valid-00000-of-00002.tfrecord']):\n    print(len(record.numpy()))", "A3", "file_not_found", script="records.py"),
    Flat(TF.format(level=2) + LOOP.format(lr=0.05, n=5) + "saver = tf.train.Checkpoint(w=w)\nprint('Saved', saver.save('ckpt/tf'))\nsaver2 = tf.train.Checkpoint(w=tf.Variable(tf.zeros([7, 1])))\ntry:\n    saver2.restore(tf.train.latest_checkpoint('ckpt')).assert_consumed()\nexcept ValueError as e:\n    print('other head, trained from its start:', e)\nprint('all epochs done')", "G1", script="custom_loop.py", hard=True),
    Flat(TF.format(level=2) + LOOP.format(lr=0.05, n=4) + "print('second stage, one thread')\ntf.config.threading.set_intra_op_parallelism_threads(1)\n", "A3", "runtime_error", script="custom_loop.py"),
)  # fmt: skip
RECIPE = Recipe("keras_fits", "development", lambda: flat_jobs(SCRIPTS, "keras"))
