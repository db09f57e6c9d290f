"""Keras: model.fit with its bar and callbacks; Keras 3 on torch, Keras 2 in TensorFlow."""

# /// runs
# env = "new"
# [[run]]
# log = "keras-3.15/01"
# what = "three epochs with validation and saved checkpoints"
# args = ["1"]
# words = ["progress", "checkpoint_saved"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "keras-3.15/02"
# what = "one line an epoch (verbose=2), stopped early"
# args = ["2"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# [[run]]
# log = "keras-3.15/03"
# what = "the loss becomes NaN, TerminateOnNaN stops"
# args = ["3"]
# words = ["progress", "nan_loss"]
# [[run]]
# log = "keras-3.15/04"
# what = "inputs of another width"
# args = ["4"]
# ends = 1
# root = {type = "ValueError", detail = "shapes"}
# absent = ["progress"]
# [[run]]
# log = "keras-3.15/05"
# what = "a model file that is not there"
# args = ["5"]
# ends = 1
# root = {detail = "unknown_model", about = "asset"}
# [[run]]
# log = "keras-3.15/06"
# what = "a model file that was cut: Keras says that it is not there"
# before = [["1"], ["cut"]]
# args = ["5"]
# ends = 1
# root = {detail = "unknown_model", about = "asset"}
# [[run]]
# log = "keras-3.15/07"
# what = "SIGINT in mid-training"
# args = ["6"]
# signal = {name = "INT", after = "Epoch 2"}
# ends = -2
# words = ["progress"]
# steady = false
# [[run]]
# log = "keras-2.13/01"
# what = "three epochs with validation and saved checkpoints"
# env = "old"
# args = ["1"]
# words = ["progress", "checkpoint_saved"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "keras-2.13/02"
# what = "one line an epoch (verbose=2), stopped early"
# env = "old"
# args = ["2"]
# words = ["progress", "planned_end"]
# [[run]]
# log = "keras-2.13/03"
# what = "the loss becomes NaN, TerminateOnNaN stops"
# env = "old"
# args = ["3"]
# words = ["progress", "nan_loss"]
# [[run]]
# log = "keras-2.13/04"
# what = "inputs of another width"
# env = "old"
# args = ["4"]
# ends = 1
# root = {type = "ValueError", detail = "shapes"}
# [[run]]
# log = "keras-2.13/05"
# what = "a model file that is not there"
# env = "old"
# args = ["5"]
# ends = 1
# root = {detail = "unknown_model", about = "asset"}
# [[run]]
# log = "keras-2.13/06"
# what = "host memory is refused to TensorFlow's allocator in a step"
# env = "old"
# args = ["7"]
# memory_mib = 12000
# ends = 1
# steady = false
# root = {cause = "ram_oom"}
# [[run]]
# log = "keras-2.13/07"
# what = "a label outside the classes, in a graph"
# env = "old"
# args = ["8"]
# ends = 1
# root = {type = "tensorflow.python.framework.errors_impl.InvalidArgumentError", detail = "index_range"}
# [[run]]
# log = "keras-2.13/08"
# what = "a data file that is not there"
# env = "old"
# args = ["9"]
# ends = 1
# root = {cause = "file_not_found", about = "data"}
# ///

import os
import sys
import time

import numpy as np
from progress_notes import note

try:
    from tensorflow import keras

    BEST = "best.h5"
except ModuleNotFoundError:
    import keras

    BEST = "best.keras"

part = sys.argv[1]


class Keep(keras.callbacks.Callback):
    """Notes what Keras holds at the end of an epoch."""

    def on_epoch_end(self, epoch, logs=None):
        note(epoch=epoch + 1, loss=float(logs["loss"]))

    def on_train_batch_end(self, batch, logs=None):
        if part == "6":
            time.sleep(0.05)


def main():
    keras.utils.set_random_seed(0)
    if part == "cut":
        os.truncate(BEST, 900)
        return
    if part == "5":
        keras.models.load_model(BEST)
    x = np.random.rand(256, 8).astype("float32")
    y = x.sum(1, keepdims=True)
    if part == "3":
        y[100:] = np.nan
    width = 7 if part == "4" else 8
    if part == "7":
        import tensorflow as tf

        tf.zeros((1024, 1024, 1024, 16))
    if part == "9":
        import tensorflow as tf

        list(tf.data.TFRecordDataset(["shards/train-00000.tfrecord"]))
    if part == "8":
        model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3, activation="softmax")])
        model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
        model.fit(x, np.full(256, 9), epochs=1)
    model = keras.Sequential([keras.Input((width,)), keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.Adam(1e-2), loss="mse", metrics=["mae"])
    callbacks = [Keep()]
    if part == "1":
        callbacks.append(keras.callbacks.ModelCheckpoint(BEST, save_best_only=True, verbose=1))
    if part == "2":
        callbacks.append(keras.callbacks.EarlyStopping(monitor="loss", patience=1, min_delta=10.0, verbose=1))
    if part == "3":
        callbacks.append(keras.callbacks.TerminateOnNaN())
    split = 0.25 if part == "1" else 0.0
    model.fit(x, y, epochs=3 if part != "2" else 9, batch_size=8, verbose=2 if part == "2" else 1, validation_split=split, callbacks=callbacks)


if __name__ == "__main__":
    main()
