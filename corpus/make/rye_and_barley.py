"""One process over the Hub's Trainer, Lightning, accelerate, JAX with Optax and Keras (torch 2.9, JAX 0.8)."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HANDFUL, HARD, SAVES, STANDS, anew, fell, strays
from corpus.make._crumbs import alone as plain
from corpus.make._rye import FOLDS, HUB, LEAVES, MOLECULES, REVIEWS, VOICES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

alone = partial(plain, python="torch-29")
reviews, mols, voices, folds, leaves = partial(fill, REVIEWS), partial(fill, MOLECULES), partial(fill, VOICES), partial(fill, FOLDS), partial(fill, LEAVES)
H, M, V, F, K = "run_reviews.py", "solubility.py", "speakers.py", "folds.py", "leaves.py"
NONE = ("--save_strategy", "no")


def hub() -> Iterator[LocalJob]:
    """The Trainer."""
    yield alone(strays("non_finite", "nan_loss"), reviews(loss="if step > 22:\n    loss = loss * (out.logits.max() * 0 + float('inf')) * 0"), H, *HUB, *NONE, "--num_train_epochs", "3")
    yield alone(fell("E2", "traceback", "no_valid_checkpoint"), reviews(), H, *HUB, *NONE, "--resume_from_checkpoint", "true", "--num_train_epochs", "9")
    yield alone(HANDFUL, reviews(), H, *HUB[:-1], "1", *NONE, "--max_steps", "4")
    yield alone(HARD, reviews(), H, *HUB, "--save_steps", "20", "--num_train_epochs", "3", "--resume_from_checkpoint", "out/checkpoint-40", before=(("PYTHON", H, *HUB, "--save_steps", "20", "--max_steps", "44"),))
    yield alone(SAVES, reviews(saved="time.sleep(0.2)"), H, *HUB[:-1], "2", "--save_steps", "1", "--save_total_limit", "2", "--max_steps", "32")
    yield alone(fell("A3", "traceback"), reviews(item="if i == 113 and os.path.isdir('out/checkpoint-20'):\n    raise OSError(5, 'Input/output error', 'shards/part-00007.arrow')"), H, *HUB, "--save_steps", "20", "--num_train_epochs", "6")


def lightning() -> Iterator[LocalJob]:
    """Lightning."""
    yield alone(fell("A1", "traceback", "config"), mols(trainer="more['strategy'] = 'ddp_sharded'"), M)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), mols(), M, "--hidden", "40", "--ckpt", "ckpt/last.ckpt", "--max_epochs", "12", before=(("PYTHON", M, "--max_epochs", "1", "--n", "64"),))
    yield alone(strays("spike"), mols(mid="if step == 60:\n    self.optimizers().param_groups[0]['lr'] = 6.0"), M, "--max_epochs", "6")
    yield alone(HARD, mols(trainer="from lightning.pytorch.callbacks import EarlyStopping\nmore['limit_val_batches'] = 2\nkeep = [keep, EarlyStopping('val_mae', patience=2, min_delta=0.05, verbose=True)]").replace("callbacks=[Table(), keep]", "callbacks=[Table(), *keep]"), M, "--max_epochs", "60")
    yield alone(HANDFUL, mols(trainer="more['fast_dev_run'] = 2", after="print('step', trainer.global_step, 'mse', float(outputs['loss']), flush=True)"), M)


def bars() -> Iterator[LocalJob]:
    """Accelerate."""
    yield alone(anew(), voices(ready="try:\n    accelerator.load_state(args.resume_from_checkpoint)\nexcept Exception as e:\n    accelerator.print(f\"Checkpoint '{args.resume_from_checkpoint}' could not be used ({e}). Starting a new training run.\")\nargs.resume_from_checkpoint = None"), V, "--max_train_steps", "150", "--resume_from_checkpoint", "spk/step_90", before=(("PYTHON", V, "--max_train_steps", "125"),))
    yield alone(HARD, voices(after="if done in (31, 32, 77):\n    tqdm.write(f'Gradient overflow. Skipping step, reducing loss scale to {65536 >> done % 5}')"), V)
    yield alone(fell("A3", "div_zero"), voices(saved="if done == 60:\n    trials = {'target': 0, 'nontarget': 400}\n    eer = 0.5 * 12 / trials['target']"), V)


def jax_and_keras() -> Iterator[LocalJob]:
    """JAX and Keras."""
    yield alone(strays("flat"), folds(loss="logits = jax.lax.stop_gradient(logits)\nloss = jax.lax.stop_gradient(loss)"), F, env={"STEPS": "400"})
    yield alone(fell("A3", "traceback"), folds(mid="if step == 210:\n    means = means[:, :18]"), F)
    yield alone(fell("E2", "traceback", "corrupt"), folds(), F, env={"RESTORE": "params.pkl", "STEPS": "900"}, before=(("PYTHON", F), ("truncate", "-s", "700", "params.pkl")))
    yield alone(HANDFUL, folds(), F, env={"STEPS": "2", "EVERY": "1"})
    yield alone(HARD, folds(early="import logging\nlogging.basicConfig()\nlogging.getLogger('jax._src.xla_bridge').error('Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda12.initialize(): RuntimeError: jaxlib/cuda/versions_helpers.cc:81: operation cuInit(0) failed: CUDA_ERROR_NO_DEVICE')"), F)
    yield alone(fell("E1", "nan_loss", "non_finite"), folds(loss="loss = loss + 0.3 * jnp.sqrt(2.2 - jnp.abs(logits).max())", after="if not np.isfinite(loss):\n    sys.exit(f'step {step}: loss is {loss}')"), F)
    yield alone(strays("plateau"), leaves(begin="if epoch == 4:\n    for layer in self.model.layers:\n        layer.set_weights([np.zeros_like(w) for w in layer.get_weights()])"), K, env={"EPOCHS": "13"})
    yield alone(HANDFUL, leaves(), K, env={"EPOCHS": "1", "N": "60"})
    yield alone(fell("A1", "file_not_found", "data"), leaves(data="x = np.load('leaves/train_x.npy', mmap_mode='r')"), K)
    yield alone(HARD, leaves(ready="calls += [keras.callbacks.EarlyStopping(patience=2, monitor='val_loss', verbose=1, min_delta=0.02), keras.callbacks.ReduceLROnPlateau(patience=1, verbose=1, monitor='val_loss', min_delta=0.05)]"), K, env={"EPOCHS": "70", "LR": "0.02"})
    yield alone(GOOD, folds(), F, env={"STEPS": "250"})
    yield alone(STANDS, leaves(mid="if epoch == 5 and batch == 7:\n    import threading\n    print('refilling the shuffle buffer', flush=True)\n    threading.Semaphore(0).acquire()"), K, env={"EPOCHS": "40"})


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (hub, lightning, bars, jax_and_keras):
        yield from part()


RECIPE = Recipe("rye_and_barley", "development", jobs)
