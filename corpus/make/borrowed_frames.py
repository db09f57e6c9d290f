"""One process that trains by means of a framework: Lightning, transformers' Trainer, accelerate, diffusers, Ignite, TRL."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import chain

from corpus.make._desk_arrays import SFT
from corpus.make._desk_houses import ACC, DDPM, LIT, TRAINER
from corpus.make._desk_players import IGNITE
from corpus.running.either import Either, either_jobs
from corpus.running.job import LocalJob, Recipe, SlurmJob
from corpus.running.slots import fill

lit, hub, acc, ddpm, ignite, sft = (partial(fill, text) for text in (LIT, TRAINER, ACC, DDPM, IGNITE, SFT))
L, H, A, D, G, S = "train_windows.py", "run_polite.py", "no_trainer.py", "train_moons.py", "fit_ignite.py", "sft.py"
BASE = ("--output_dir", "out", "--use_cpu", "true", "--report_to", "none", "--logging_steps", "10", "--per_device_train_batch_size", "16", "--learning_rate", "1e-3")
PLAIN = (*BASE, "--disable_tqdm", "true", "--num_train_epochs", "4")


def acc_env(**more: object) -> tuple[tuple[str, str], ...]:
    """Settings in the environment."""
    return (("CFG", json.dumps(more)),)


PUSH = "import logging\nlogging.basicConfig()\ntry:\n    from huggingface_hub import HfApi\n    HfApi().upload_folder(repo_id='polite/encoder', folder_path=args.output_dir)\nexcept Exception:\n    logging.getLogger('push').exception('could not push to the Hub, the model stays in %s', args.output_dir)"
SCALE = "if done in (0, 1, 2, 31):\n    logger.warning('Attempted loss scale: %d, reducing to %d: gradient overflow, step skipped', 65536 >> done % 7, 32768 >> done % 7)\n    optimizer.zero_grad()"
ON_211 = (
    Either(lit(), "A1", "traceback", "env", L, args=("--accelerator", "gpu")),
    Either(lit(early="callbacks.append(EarlyStopping('val_auroc', patience=2))"), "A3", "runtime_error", script=L, args=("--quiet",)),
    Either(lit(loss="if self.global_step >= 70:\n    loss = loss * torch.inf"), "E1", "nan_loss", "non_finite", L, args=("--quiet",), status=0),
    Either(lit(), "E2", "runtime_error", "size_mismatch", L, args=("--quiet", "--ckpt_path", "ckpts/last.ckpt", "--hidden", "64"), before=(("PYTHON", L, "--max_epochs", "1"),)),
    Either(lit(), "E3", script=L, args=("--limit_train_batches", "2", "--max_epochs", "1")),
    Either(lit(), "G1", script=L, args=("--max_epochs", "2"), hard=True),
    Either(hub(item="if i == 401 and os.path.isdir('out/checkpoint-30'):\n    raise KeyError('attention_mask')"), "A3", "traceback", script=H, args=(*PLAIN, "--save_steps", "30")),
    Either(hub(), "E2", "traceback", "no_valid_checkpoint", H, args=(*PLAIN, "--resume_from_checkpoint", "out/checkpoint-500")),
    Either(hub(), "E3", script=H, args=(*PLAIN, "--max_steps", "3", "--logging_steps", "1")),
    Either(hub(), "D2", None, "save_storm", H, args=(*BASE, "--disable_tqdm", "true", "--logging_steps", "5", "--max_steps", "60", "--save_steps", "1"), env=(("TRANSFORMERS_VERBOSITY", "info"),)),
    Either(hub(late=PUSH), "G1", script=H, args=PLAIN, hard=True),
    Either(acc(after="if done == 60:\n    with torch.no_grad():\n        for p in model.parameters():\n            p.mul_(60)"), "E1", None, "spike", A, env=acc_env(lr=1e-6), status=0),
    Either(acc(mid=SCALE), "G1", script=A, hard=True),
    Either(ddpm(), "G1", script=D, hard=True),
    Either(ignite(ready="trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())"), "E1", "nan_loss", "non_finite", G, env=(("LR", "1e25"),), status=0),
    Either(ignite(ready="trainer.add_event_handler(Events.ITERATION_COMPLETED, Checkpoint({'model': model}, DiskSaver('kept', create_dir=True, require_empty=False), n_saved=3))\ntrainer.add_event_handler(Events.ITERATION_COMPLETED, lambda e: trainer.logger.info('checkpoint of iteration %d saved in kept/', e.state.iteration))"), "D2", None, "save_storm", G, env=(("EPOCHS", "3"),)),
)  # fmt: skip
ON_29 = (
    Either(sft(config="peft_config = LoraConfig(r=4, target_modules=['q_proj', 'v_proj'])"), "A1", "traceback", "config", S),
    Either(sft(config="more = {'learning_rate': 0.0}"), "E1", None, "flat", S, status=0),
    Either(sft(config="more = {'max_steps': 1, 'logging_steps': 1}"), "E3", script=S),
    Either(sft(config="more = {'learning_rate': 0.01, 'num_train_epochs': 9}"), "G1", script=S, hard=True),
)  # fmt: skip


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """By framework."""
    yield from chain(either_jobs(ON_211, "torch-211"), either_jobs(ON_29, "torch-29"))


RECIPE = Recipe("borrowed_frames", "development", jobs)
