"""One process over JAX 0.8 with Flax NNX, Optax and Orbax, and over Keras 3 on the backends of PyTorch and JAX."""

from functools import partial

from corpus.make._solo_others import KERAS, NNX
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

nnx, fit = partial(fill, NNX), partial(fill, KERAS)
X, K = "train_nnx.py", "fit.py"
JAX = (("KERAS_BACKEND", "jax"),)
SAVES = "if step % {n} == 0:\n    manager.save(step, args=ocp.args.StandardSave(nnx.state(model)))\n    manager.wait_until_finished()\n    logging.info('Saved checkpoint at step %d', step)"
FIRST = (("PYTHON", "first.py", "--num_steps", "40"),)
KEPT = (("first.py", nnx(after=SAVES.format(n=40))),)
SCRIPTS = (
    Either(nnx(), "A1", None, "config", X, args=("--num_step=50",), status=1),
    Either(nnx(early="spec = np.load('data/spectra.npz')"), "A1", "file_not_found", "data", X),
    Either(nnx(early="import tensorflow_datasets as tfds"), "A1", "missing_module", "env", X, tasks=1),
    Either(nnx(ready="proto = proto[:, :12]"), "A1", "traceback", "data", X),
    Either(nnx(early="chex_devices = jax.device_count()\nassert chex_devices % 4 == 0, f'mesh of 4 needs 4 devices, found {chex_devices}'"), "A1", "assertion", "config", X),
    Either(nnx(early="FLAGS.num_steps = FLAGS.num_steps // (FLAGS.width // 64)"), "A1", "div_zero", "config", X, tasks=1),
    Either(nnx(mid="if step == 70:\n    jnp.zeros((3, 4)) @ jnp.zeros((5, 2))"), "A3", "traceback", script=X),
    Either(nnx(after="if step == 88:\n    manager.save(step, args=ocp.args.StandardSave(nnx.state(model)))\n    manager.wait_until_finished()\n    np.savez('/usr/share/eval/step88.npz', x=x)"), "A3", "file_not_found", script=X, status=None),
    Either(nnx(after="if step == 66:\n    os.makedirs('/usr/share/eval')"), "A3", "permission", script=X, tasks=1),
    Either(nnx(mid="if step == 91:\n    big = np.ones((1 << 22, 1 << 22))"), "A3", "ram_oom", script=X),
    Either(nnx(mid="if step == 52:\n    from flax.training import lr_finder"), "A3", "missing_module", script=X, status=None, tasks=1),
    Either(nnx(mid="if step == 77:\n    import ctypes\n    ctypes.CDLL(None).memset(ctypes.c_void_p(4096), 0, 64)"), "A2", "segfault", script=X, status=-11),
    Either(nnx(loss="if step > 60 and not np.isfinite(float(loss)):\n    raise FloatingPointError(f'loss became {float(loss)} at step {step}')", mid="if step == 90:\n    x = x * np.float32(np.inf)"), "E1", "nan_loss", "non_finite", X),
    Either(nnx(), "E1", "nan_loss", "non_finite", X, args=("--learning_rate", "1e36", "--num_steps", "120"), tasks=1, status=0),
    Either(nnx(), "E1", None, "flat", X, args=("--learning_rate", "0"), status=0),
    Either(nnx(mid="if step == 81:\n    nnx.update(model, jax.tree.map(lambda v: v + 4 * rng.normal(size=v.shape).astype(np.float32), nnx.state(model)))\n    optimizer = nnx.Optimizer(model, optax.sgd(1e-9), wrt=nnx.Param)"), "E1", None, "spike", X, status=0),
    Either(nnx(), "E2", "traceback", "no_valid_checkpoint", X, args=("--restore",), status=None),
    Either(nnx(), "E2", "traceback", "size_mismatch", X, args=("--restore", "--width", "48"), files=KEPT, before=FIRST, status=None),
    Either(nnx(after="logging.info('step %d loss %.4f', step, float(loss))"), "E3", script=X, args=("--num_steps", "4")),
    Either(nnx(after=SAVES.format(n=1)), "D2", None, "save_storm", X, args=("--num_steps", "50")),
    Either(nnx(), "G1", script=X),
    Either(nnx(after=SAVES.format(n=40)), "G1", script=X, tasks=1),
    Either(nnx(), "G1", script=X, args=("--restore", "--num_steps", "140"), files=KEPT, before=FIRST, hard=True),
    Either(nnx(early="logging.error('Unable to initialize backend tpu: INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory')\nlogging.warning('An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.')"), "G1", script=X, hard=True),
    Either(nnx(mid="if step == 45:\n    with jax.debug_nans(True):\n        try:\n            jnp.log(-1.0)\n        except FloatingPointError:\n            logging.exception('nan check self-test (expected)')"), "G1", script=X, hard=True, tasks=1),
    # Keras
    Either(fit(early="x_held = np.load('data/held.npy')"), "A1", "file_not_found", "data", K),
    Either(fit(data="y = y[:600]"), "A1", "traceback", "data", K, env=JAX),
    Either(fit(compile="schedule = keras.optimizers.schedules.get('cosine_restarts')"), "A1", "traceback", "config", K, tasks=1),
    Either(fit(early="import keras_tuner"), "A1", "missing_module", "env", K, env=JAX, tasks=1),
    Either(fit(mid="if step == 60:\n    self.model.layers[1].kernel.assign(np.zeros((12, 3)))"), "A3", "traceback", script=K),
    Either(fit(epoch="if epoch == 3:\n    print('lift', 1.0 / logs.get('recall', 0), flush=True)"), "A3", "div_zero", script=K, env=JAX),
    Either(fit(epoch="assert epoch < 2 or logs['val_accuracy'] > 0.999, logs"), "A3", "assertion", script=K, tasks=1),
    Either(fit(mid="if step == 47:\n    import ctypes\n    ctypes.string_at(0xdead)"), "A2", "segfault", script=K, status=-11),
    Either(fit(compile="callbacks.append(keras.callbacks.TerminateOnNaN())", mid="if step == 40:\n    self.model.layers[1].kernel.assign(self.model.layers[1].kernel * float('inf'))"), "E1", "nan_loss", "non_finite", K, status=0),
    Either(fit(), "E1", None, "flat", K, args=("--lr", "0", "--epochs", "7"), env=JAX, status=0, tasks=1),
    Either(fit(), "E2", "traceback", "no_valid_checkpoint", K, args=("--weights", "ckpt/best.weights.h5"), status=None),
    Either(fit(), "E2", "traceback", "size_mismatch", K, args=("--weights", "old.weights.h5", "--units", "32"), env=JAX, files=(("first.py", fit(late="model.save_weights('old.weights.h5')")),), before=(("PYTHON", "first.py", "--epochs", "1"),)),
    Either(fit(compile="callbacks.append(keras.callbacks.ModelCheckpoint('w-{epoch:02d}-{batch:04d}.weights.h5', save_freq=1, save_weights_only=True, verbose=1))"), "D2", None, "save_storm", K, args=("--epochs", "2", "--verbose", "2")),
    Either(fit(), "G1", script=K, env=JAX),
    Either(fit(compile="callbacks += [keras.callbacks.ReduceLROnPlateau(patience=1, min_delta=0.05, verbose=1), keras.callbacks.EarlyStopping(patience=4, min_delta=0.02, verbose=1, restore_best_weights=True)]"), "G1", script=K, args=("--epochs", "25", "--verbose", "1"), hard=True, tasks=1),
    Either(fit(late="import threading\nthreading.Thread(target=lambda: [].pop(), name='tb-writer').start()\ntime.sleep(0.3)"), "G1", script=K, hard=True),
)  # fmt: skip

RECIPE = Recipe("solo_arrays", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
