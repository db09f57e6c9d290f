"""One process over arrays: tokens in plain JAX, and signals in Keras on JAX or PyTorch."""

from functools import partial

from corpus.make._desk_arrays import JAXLM, KERAS
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

lm, keras = partial(fill, JAXLM), partial(fill, KERAS)
J, K = "train_mlp.py", "fit_signals.py"
FIRST = (("PYTHON", J, "--num_steps", "100"),)
TORCH = ("KERAS_BACKEND", "torch")
NOISE = "W = sys.stderr.write\nW('WARNING:absl:Unable to initialize backend \\'cuda\\': INTERNAL: cuInit(0) failed: CUDA_ERROR_NO_DEVICE\\n')\nW('E1122 14:02:11.118 plugin_registrar.cc:41] Failed to load libtpu.so: cannot open shared object file: No such file or directory\\n')"
HALF = "if step == 150:\n    try:\n        jnp.zeros(3) + jnp.zeros(4)\n    except TypeError:\n        logging.exception('summary of step %d not written', step)"
STOP = "callbacks.append(keras.callbacks.EarlyStopping(patience=2, verbose=1, restore_best_weights=True))"
SCRIPTS = (
    Either(lm(early="x = jax.device_put(np.zeros(4), jax.devices('gpu')[0])"), "A1", "runtime_error", "env", J),
    Either(lm(mid="if step == 130:\n    x = x[:, :5]"), "A3", "traceback", script=J),
    Either(lm(ready="open(FLAGS.workdir + '/ckpt_150.pkl', 'w').close()\nos.chmod(FLAGS.workdir + '/ckpt_150.pkl', 0o444)"), "A3", "permission", script=J),
    Either(lm(grads="grads = jax.tree.map(lambda g: jnp.where(opt_state[0].count > 60, g / 0.0, g), grads)"), "E1", "nan_loss", "non_finite", J, status=0),
    Either(lm(), "E2", "traceback", "corrupt", J, args=("--restore=work/ckpt_100.pkl",), before=(*FIRST, ("truncate", "-s", "3000", "work/ckpt_100.pkl"))),
    Either(lm(), "E3", script=J, args=("--num_steps=3", "--log_every=1")),
    Either(lm(early=NOISE), "G1", script=J, hard=True),
    Either(lm(after=HALF), "G1", script=J, args=("--restore=work/ckpt_100.pkl", "--num_steps=220"), before=FIRST, hard=True),
    Either(keras(data="labels = rng.integers(0, 3, n)"), "E1", None, None, K, env=(("EPOCHS", "8"), ("LR", "0.0005")), status=0),
    Either(keras(data="signals[300] = np.nan", ready="callbacks.append(keras.callbacks.TerminateOnNaN())"), "E1", "nan_loss", "non_finite", K, env=(TORCH,), status=0),
    Either(keras(ready="print('continuing from weights/best_0412.keras')\nmodel = keras.models.load_model('weights/best_0412.keras')"), "E2", "traceback", "no_valid_checkpoint", K),
    Either(keras(data="n = 24\nsignals, labels = signals[:n], labels[:n]"), "E3", script=K, env=(("EPOCHS", "1"),)),
    Either(keras(ready=STOP), "G1", script=K, env=(("EPOCHS", "40"), ("LR", "0.02")), hard=True),
)  # fmt: skip
RECIPE = Recipe("array_rooms", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
