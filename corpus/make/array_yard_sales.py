"""One process over JAX 0.8 with Optax and Flax, over Keras 3.12, and grids of many short runs in one script."""

from functools import partial

from corpus.make._array_yards import KERAS, LINEN, SCAN, SWEEP
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

scan, linen, keras, sweep = partial(fill, SCAN), partial(fill, LINEN), partial(fill, KERAS), partial(fill, SWEEP)
TORCH = ("KERAS_BACKEND", "torch")
S, X, K, G = "fit_oscillator.py", "train_cnn.py", "reviews.py", "grid.py"
BAD = "if number == 3 and step == 70:\n    raise RuntimeError('mat1 and mat2 shapes cannot be multiplied (512x6 and 8x1)')"
SCRIPTS = (
    Either(linen(), "A1", None, "config", X, args=("--num_epoch", "5", "--batchsize=32"), status=1),
    Either(keras(data="texts[44, 5] = 'n/a'"), "A1", "traceback", "data", K),
    Either(scan(mid="if c == 7:\n    t = t[:, None, None] + jnp.zeros((1, 3))\n    chunk.clear_cache()"), "A3", "traceback", script=S, status=None),
    Either(linen(epoch="if epoch == 4:\n    with open(os.path.join(FLAGS.workdir, 'metrics.jsonl'), 'a') as f:\n        f.write('{}')"), "A3", "permission", script=X, args=("--workdir=/var/spool",)),
    Either(keras(epoch="if epoch == 3:\n    assert logs['val_accuracy'] > 0.999, f'gate: val_accuracy {logs[\"val_accuracy\"]:.3f}'"), "A3", "assertion", script=K, env=(TORCH,)),
    Either(sweep(mid=BAD), "A3", "runtime_error", script=G, env=(("STRICT", "1"),)),
    Either(linen(mid="if epoch == 3 and step == 9:\n    os.abort()"), "A2", None, script=X, status=-6),
    Either(scan(), "E1", "nan_loss", "non_finite", S, env=(("LR", "1e20"), ("CLIP", "1e30")), status=0),
    Either(linen(), "E1", None, "flat", X, args=("--learning_rate=0",), status=0),
    Either(keras(data="labels = rng.integers(0, 2, len(texts))\ntexts[:] = 7"), "E1", None, "flat", K, status=0),
    Either(scan(), "E2", "file_not_found", "no_valid_checkpoint", S, env=(("RESTORE", "runs/osc.npz"),)),
    Either(keras(), "E2", "file_not_found", "no_valid_checkpoint", K, env=(("WEIGHTS", "best.weights.h5"),)),
    Either(scan(), "E3", script=S, env=(("CHUNKS", "1"), ("PER", "4"))),
    Either(linen(), "E3", script=X, args=("--num_epochs=1", "--examples=96")),
    Either(sweep(), "G1", script=G, env=(("GRID", '{"lr": [0.01, 1e20, 0.1], "width": [8, 32]}'),), hard=True),
    Either(sweep(mid=BAD), "G1", script=G, hard=True),
    Either(scan(), "G1", script=S, env=(("CHUNKS", "24"),)),
    Either(linen(early="logging.error('Unable to initialize backend \\'cuda\\': no supported devices found for platform CUDA')\nlogging.warning('An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.')"), "G1", script=X, hard=True),
    Either(keras(), "G1", script=K, env=(TORCH, ("VERBOSE", "1"), ("EPOCHS", "12"))),
)  # fmt: skip
RECIPE = Recipe("array_yard_sales", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
